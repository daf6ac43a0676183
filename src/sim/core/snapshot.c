// The whole state as bytes, see br_sim_save: time, q, v, measured loop coordinates, ledger. Forces of bounded rows are
// warm starts and part of it, since they decide the last bits.
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "sim/contact/contact.h"
#include "sim/core/ledger_share.h"
#include "sim/friction/friction.h"
#include "sim/stepper/stepper.h"

typedef struct header {
    uint64_t magic, hash;
    double t, loop_turn, h_before, work_done;
    double contact_elastic;
    uint64_t has_vdot, touches, size; // size: of the whole
    br_ledger ledger;
    br_energy energy;
    br_judge judge;
} header;

#define BR_SNAPSHOT_MAGIC 0x31706e7362727362ull // "bsrbsnp1"

static size_t friction_numbers(const br_sim *sim) {
    return sim->frictions ? (size_t)sim->frictions->count * (sizeof(br_rub_state) / sizeof(double)) : 0;
}

static size_t share_numbers(const br_sim *sim) {
    return (size_t)br_shares_count(sim) * (sizeof(br_scheme_share) / sizeof(double));
}

// Of a stepper that keeps more than the state.
static size_t own_numbers(const br_sim *sim) {
    return sim->own ? sim->own->numbers(sim) : 0;
}

static size_t numbers_of(const br_sim *sim) {
    const br_model *m = sim->model;
    return (size_t)m->tree.nq + 3 * (size_t)m->tree.nv + (size_t)m->loop_nq + share_numbers(sim) +
           br_bounded_warm_size(sim) + (sim->contacts ? (size_t)sim->contacts->group_rows : 0) +
           friction_numbers(sim) + own_numbers(sim);
}

size_t br_sim_snapshot_size(const br_sim *sim) {
    const size_t touches = sim->contacts ? (size_t)sim->contacts->before_count * sizeof(br_touch) : 0;
    return sizeof(header) + numbers_of(sim) * sizeof(double) + touches;
}

static char *put(char *to, const double *from, size_t n) {
    memcpy(to, from, n * sizeof *from);
    return to + n * sizeof *from;
}

void br_sim_save(const br_sim *sim, void *bytes) {
    const br_model *m = sim->model;
    header h;
    memset(&h, 0, sizeof h);
    h.magic = BR_SNAPSHOT_MAGIC, h.hash = m->hash, h.t = sim->state.t, h.loop_turn = sim->loop_turn;
    h.has_vdot = (uint64_t)sim->state.has_vdot, h.h_before = sim->state.h_before,
    h.work_done = sim->work_done;
    h.ledger = sim->ledger, h.energy = sim->energy, h.judge = sim->judge;
    if (sim->contacts)
        h.touches = (uint64_t)sim->contacts->before_count, h.contact_elastic = sim->contacts->elastic;
    h.size = (uint64_t)br_sim_snapshot_size(sim);
    memcpy(bytes, &h, sizeof h);
    char *to = (char *)bytes + sizeof h;
    to = put(to, sim->state.q, (size_t)m->tree.nq);
    to = put(to, sim->state.v, (size_t)m->tree.nv);
    to = put(to, sim->state.vdot, (size_t)m->tree.nv);
    to = put(to, sim->state.vdot_before, (size_t)m->tree.nv);
    to = put(to, sim->state.loop_q, (size_t)m->loop_nq);
    to = put(to, (const double *)sim->share, share_numbers(sim));
    br_bounded_save(sim, to);
    to += br_bounded_warm_size(sim) * sizeof(double);
    if (sim->frictions) to = put(to, (const double *)sim->frictions->now, friction_numbers(sim));
    if (sim->own) sim->own->save(sim, (double *)to);
    to += own_numbers(sim) * sizeof(double);
    if (!sim->contacts) return;
    to = put(to, sim->contacts->group_guess, (size_t)sim->contacts->group_rows);
    memcpy(to, sim->contacts->before, (size_t)h.touches * sizeof(br_touch));
}

static const char *get(const char *from, double *to, size_t n) {
    memcpy(to, from, n * sizeof *to);
    return from + n * sizeof *to;
}

// Indices that a step would follow, and numbers that would spread.
static int touch_fits(const br_sim *sim, const br_touch *t) {
    const br_model_contact *contact = sim->model->contact;
    if (t->shape_a < 0 || t->shape_a >= contact->shapes || t->shape_b < 0 || t->shape_b >= contact->shapes)
        return 0;
    return t->link_a == contact->shape[t->shape_a].link && t->link_b == contact->shape[t->shape_b].link &&
           t->pair >= 0 && t->pair < contact->pairs && t->number >= 0 && t->number < BR_MAX_MANIFOLD * 2 &&
           (unsigned)t->state < BR_CONTACT_STATES && br_vec3_is_finite(t->point) && isfinite(t->gap) &&
           isfinite(t->f_n) && br_vec3_is_finite(t->f_t) && br_vec3_is_finite(t->f_bristle) &&
           br_vec3_is_finite(t->normal);
}

static int energy_is_finite(br_energy e) {
    return isfinite(e.kinetic) && isfinite(e.potential) && isfinite(e.elastic) && isfinite(e.total);
}

static int header_is_finite(const header *h) {
    const br_ledger *l = &h->ledger;
    const double x[] = {h->t,
                        h->loop_turn,
                        h->h_before,
                        h->work_done,
                        h->contact_elastic,
                        l->input,
                        l->friction,
                        l->impact,
                        l->damping,
                        l->scheme,
                        l->unaccounted,
                        l->loop_error,
                        l->loop_velocity_error,
                        l->residual,
                        l->penetration,
                        l->cone_violation,
                        l->creep};
    for (size_t k = 0; k < sizeof x / sizeof *x; k++)
        if (!isfinite(x[k])) return 0;
    return energy_is_finite(h->energy) && energy_is_finite(l->start) && energy_is_finite(l->now);
}

// What can be told of bytes without their count: the header agrees with itself and the rest holds numbers.
static br_status check_bytes(const br_sim *sim, const header *h, const char *rest, br_error *error) {
    const size_t numbers = numbers_of(sim);
    int fits = h->touches <= INT_MAX / 2 / sizeof(br_touch) &&
               h->size == sizeof *h + numbers * sizeof(double) + h->touches * sizeof(br_touch) &&
               header_is_finite(h);
    for (size_t k = 0; fits && k < numbers; k++) {
        double x;
        memcpy(&x, rest + k * sizeof x, sizeof x);
        fits = isfinite(x);
    }
    for (uint64_t k = 0; fits && k < h->touches; k++) {
        br_touch t;
        memcpy(&t, rest + numbers * sizeof(double) + k * sizeof t, sizeof t);
        fits = touch_fits(sim, &t);
    }
    // The stepper's own numbers are behind those of rows and friction.
    const size_t before =
        numbers - own_numbers(sim) - (sim->contacts ? (size_t)sim->contacts->group_rows : 0);
    if (fits && sim->own) fits = sim->own->fits(sim, (const double *)rest + before);
    if (fits) return BR_OK;
    return br_fail(error, BR_INVALID, "snapshot-damaged",
                   "the snapshot of model '%s' was changed after it was saved",
                   sim->model->settings.name ? sim->model->settings.name : "");
}

br_status br_sim_load(br_sim *sim, const void *bytes, br_error *error) {
    const br_model *m = sim->model;
    header h;
    memcpy(&h, bytes, sizeof h);
    if (h.magic != BR_SNAPSHOT_MAGIC || h.hash != m->hash)
        return br_fail(error, BR_INVALID, "snapshot-other", "the snapshot is not one of model '%s'",
                       m->settings.name ? m->settings.name : "");
    if (h.touches > 0 && !sim->contacts)
        return br_fail(error, BR_INVALID, "snapshot-other",
                       "the snapshot has contacts, and the model has none");
    br_status status = check_bytes(sim, &h, (const char *)bytes + sizeof h, error);
    if (status == BR_OK && sim->contacts) status = br_contacts_reserve(sim, (int)h.touches, error);
    if (status != BR_OK) return status;
    const char *from = (const char *)bytes + sizeof h;
    from = get(from, sim->state.q, (size_t)m->tree.nq);
    from = get(from, sim->state.v, (size_t)m->tree.nv);
    from = get(from, sim->state.vdot, (size_t)m->tree.nv);
    from = get(from, sim->state.vdot_before, (size_t)m->tree.nv);
    from = get(from, sim->state.loop_q, (size_t)m->loop_nq);
    from = get(from, (double *)sim->share, share_numbers(sim));
    sim->state.has_vdot = (int)(h.has_vdot % 3u), sim->state.h_before = h.h_before,
    sim->work_done = h.work_done;
    br_bounded_load(sim, from);
    from += br_bounded_warm_size(sim) * sizeof(double);
    if (sim->frictions) from = get(from, (double *)sim->frictions->now, friction_numbers(sim));
    const double *own = (const double *)from;
    from += own_numbers(sim) * sizeof(double);
    if (sim->contacts) {
        from = get(from, sim->contacts->group_guess, (size_t)sim->contacts->group_rows);
        memcpy(sim->contacts->before, from, (size_t)h.touches * sizeof(br_touch));
        sim->contacts->before_count = (int)h.touches, sim->contacts->elastic = h.contact_elastic;
    }
    sim->state.t = h.t, sim->loop_turn = h.loop_turn, sim->ledger = h.ledger, sim->energy = h.energy,
    sim->judge = h.judge;
    sim->at = 0, sim->reactions_valid = 0, sim->outside++;
    if (sim->own) sim->own->load(sim, own);
    return BR_OK;
}
