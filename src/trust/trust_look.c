// One look at a run: the verdict of an instant, and what shares its forces. See trust.h.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/contact/contact.h"
#include "sim/core/instant.h"
#include "sim/friction/friction.h"
#include "trust/trust.h"
#include "trust/verdict.h"

#define BR_EPS_WITNESS 1e-7   // of the loads: forces that balance them
#define BR_EPS_UNCHANGED 1e-9 // of the largest: a balance that is the same

static int at_knot(const br_function *f, double t) {
    return f && br_function_next_knot(f, nextafter(t, -INFINITY)) == t;
}

static int is_knot(const br_model *m, double t) {
    for (int i = 0; i < m->loads; i++)
        for (int k = 0; k < 3; k++)
            if (at_knot(m->load[i].component[k], t)) return 1;
    for (int i = 0; i < m->drives; i++)
        if (at_knot(m->drive[i].target, t)) return 1;
    return 0;
}

// Forces of rubs in what their joint's channels show (torques for pins), and the slopes of their laws.
static void finish_forces(const br_sim *sim, br_trust_interval *out) {
    const br_frictions *f = sim->frictions;
    for (int i = 0, at = 0; f && i < f->count; i++)
        for (int d = 0; d < f->rub[i].pad.directions && at < out->forces; d++, at++) {
            br_trust_force *force = &out->force[at];
            const double arm = f->rub[i].pad.arm[d];
            force->force *= arm, force->friction_min *= arm, force->friction_max *= arm;
            force->coherent_min *= arm, force->coherent_max *= arm;
            force->normal = f->now[i].normal;
            force->slope = br_friction_slope(&f->rub[i].law);
        }
}

static int keep_judged(br_arena *arena, const br_trust_interval *from, br_trust_interval *to) {
    *to = *from;
    to->force = BR_TAKE(arena, br_trust_force, from->forces);
    if (!to->force) return 0;
    if (from->forces > 0) memcpy(to->force, from->force, (size_t)from->forces * sizeof *to->force);
    return 1;
}

// The equations of an instant, six for each link: what it takes to set them up, before anything is judged.
static double balance_work(const br_sim *sim) {
    const br_tree *tree = &sim->model->tree;
    const int n = (sim->model->settings.planar == BR_SPATIAL ? 6 : 3) * tree->links;
    const int touching = sim->contacts ? sim->contacts->count : 0;
    const int rows = n > tree->nv ? n - tree->nv : 0;
    const int columns =
        rows + sim->exact.rows + 3 * touching + (sim->frictions ? sim->frictions->directions : 0);
    return 5.0 *
           br_work_of_hold(n, columns); // the acceleration of the instant is found in the same coordinates
}

// What shares the forces of the state: of rows that leave them open the laws or the compliances, else the model's springs.
static br_status take_share(br_trust_state *run, br_look *out, br_error *error) {
    br_balance *b;
    br_balance_work *work;
    const int sprung = out->judged.nullity == 0;
    if (out->judged.verdict == BR_MOVES || out->judged.verdict == BR_NOT_JUDGED) return BR_OK;
    if (!br_work_spend(&run->work, balance_work(run->sim))) return BR_OK;
    br_status status = br_sim_balance(run->sim, sprung ? BR_BALANCE_SPRINGS : 0, &b, &work, error);
    if (status == BR_OK) status = br_trust_find_dragged(b, &run->scratch, &run->work, error);
    if (status != BR_OK) return status;
    return br_share_make(b, sprung, run->laws, run->law, out->t, run->arena, &run->work, &out->share, error);
}

// Which pads slide and roll, as a number.
static double states_of(const br_balance *b) {
    double states = 0.0;
    for (int i = 0; i < b->pads; i++)
        states = fmod(states * 31.0 + 1.0 + 2.0 * b->pad[i].sliding + 4.0 * b->pad[i].rolling, 1048573.0);
    return states;
}

// Whether a balance is the one of the last look, to rounding: what rests unchanged is judged once.
static int is_unchanged(br_trust_state *run, const br_balance *b) {
    const size_t n = (size_t)b->n, columns = (size_t)b->columns, count = n * columns + 2 * n + columns + 4;
    if (count > run->last_capacity) {
        double *more = realloc(run->last, count * sizeof *more);
        if (!more) return 0;
        run->last = more, run->last_capacity = count, run->last_count = 0;
    }
    const double head[] = {(double)b->n, (double)b->columns, (double)b->pads, states_of(b)};
    const int states_kept = run->last_count == count && run->last[3] == head[3];
    const struct {
        const double *from;
        size_t count;
    } part[] = {{head, 4}, {b->A, n * columns}, {b->Q, n}, {b->a, n}, {b->x, columns}};
    int same = states_kept;
    double *at = run->last;
    for (size_t p = 0; p < sizeof part / sizeof part[0]; p++) {
        double size = 0.0;
        for (size_t k = 0; k < part[p].count; k++) size = fmax(size, fabs(part[p].from[k]));
        for (size_t k = 0; k < part[p].count; k++, at++) {
            same = same && fabs(*at - part[p].from[k]) <= BR_EPS_UNCHANGED * size;
            *at = part[p].from[k];
        }
    }
    run->last_count = count;
    return same;
}

// The simulation's own forces, where they balance the loads at rest within the limits, prove that it need not slide, whatever a search
// of many dimensions found; what it said of intervals is then not worth anything. Returns how much of the limits they take; INFINITY:
// they prove nothing.
static double witness(const br_balance *b) {
    double left = 0.0, size = 0.0, ratio = 0.0;
    for (int i = 0; i < b->n; i++) {
        double force = -b->Q[i];
        for (int k = 0; k < b->columns; k++) {
            force -= b->A[i * b->columns + k] * b->x[k];
            size = fmax(size, fabs(b->A[i * b->columns + k] * b->x[k]));
        }
        left = fmax(left, fabs(force)), size = fmax(size, fabs(b->Q[i]));
    }
    if (!(left <= BR_EPS_WITNESS * size)) return INFINITY;
    for (int i = 0; i < b->pads; i++) {
        const br_balance_pad *p = &b->pad[i];
        const double limit = p->mu_static * br_balance_load(b, i, b->x);
        double square = 0.0;
        if (p->sliding || (p->normal >= 0 && b->x[p->normal] < 0.0)) return INFINITY;
        for (int d = 0; d < p->directions; d++) square += b->x[p->column + d] * b->x[p->column + d];
        if (square > 0.0) ratio = fmax(ratio, limit > 0.0 ? sqrt(square) / limit : INFINITY);
    }
    return ratio;
}

static void take_witness(const br_balance *b, br_trust_interval *t) {
    const double ratio = t->verdict == BR_SLIDES_CERTAIN ? witness(b) : INFINITY;
    if (!(ratio <= 1.0)) return;
    t->c_star = ratio, t->c_star_coherent = fmax(t->c_star_coherent, ratio), t->exhaustive = 0;
    t->verdict = t->onset_static    ? BR_UNDETERMINED
                 : t->onset_kinetic ? BR_STICKS_METASTABLE
                                    : BR_STICKS_ROBUST;
    for (int k = 0; k < t->forces; k++) {
        br_trust_force *f = &t->force[k];
        f->verdict = t->verdict;
        f->friction_min = f->coherent_min = f->unique ? f->force : -INFINITY;
        f->friction_max = f->coherent_max = f->unique ? f->force : INFINITY;
    }
    snprintf(t->settle, sizeof t->settle,
             "the forces of this run hold it; how far others could was not found out");
}

// A motor with a largest effort is in the balance with what it gives; what it could give beyond that is in no number of the verdict.
static void tell_motors(const br_model *model, br_trust_interval *t) {
    int stuck = 0;
    for (int k = 0; k < t->forces; k++) stuck |= t->force[k].state == BR_ELEMENT_STUCK;
    for (int k = 0; stuck && k < model->drives; k++) {
        const br_model_drive *d = &model->drive[k];
        const size_t used = strlen(t->settle);
        if (d->type != BR_DRIVE_VELOCITY || !isfinite(d->max_effort)) continue;
        snprintf(
            t->settle + used, sizeof t->settle - used,
            "; motor %.60s counts with what it gives now: how much more it could hold is in none of these "
            "numbers",
            d->name);
        return;
    }
}

static br_status judge(br_trust_state *run, const br_balance *b, double t, br_look_kind kind,
                       br_trust_interval *out, br_error *error) {
    const int brief = kind == BR_LOOK_BRIEF;
    if (is_unchanged(run, b) && (brief || !run->brief)) {
        *out = run->judged;
        out->from = out->to = t;
        return BR_OK;
    }
    br_trust_interval judged;
    br_arena_reset(&run->scratch);
    memset(&judged, 0, sizeof judged);
    const br_status status =
        (brief ? br_trust_judge_briefly : br_trust_judge)(b, &run->scratch, &run->work, &judged, error);
    if (status != BR_OK || judged.verdict == BR_NOT_JUDGED) run->last_count = 0;
    if (status != BR_OK) return status;
    judged.from = judged.to = t;
    take_witness(b, &judged);
    finish_forces(run->sim, &judged);
    tell_motors(run->sim->model, &judged);
    if (!keep_judged(run->arena, &judged, out)) return br_trust_no_memory(error);
    run->judged = *out, run->brief = brief;
    return BR_OK;
}

br_status br_trust_look(br_trust_state *run, br_look_kind kind, br_look *out, br_error *error) {
    br_balance *b;
    br_balance_work *work;
    const double before = run->work.used;
    memset(out, 0, sizeof *out);
    out->t = out->judged.from = out->judged.to = br_sim_time(run->sim);
    out->judged.verdict = BR_NOT_JUDGED;
    out->knot = is_knot(run->sim->model, out->t);
    br_work_tell(&run->work);
    if (!br_work_spend(&run->work, balance_work(run->sim))) return BR_OK;
    br_status status = br_sim_balance(run->sim, 0, &b, &work, error);
    if (status == BR_OK) status = br_trust_find_dragged(b, &run->scratch, &run->work, error);
    if (status == BR_OK) status = judge(run, b, out->t, kind, &out->judged, error);
    if (status == BR_OK && out->judged.permanent_nullity > 0)
        br_work_spend(&run->work, br_work_of_turns(b->n, b->columns));
    if (status == BR_OK && kind == BR_LOOK_SHARE) status = take_share(run, out, error);
    if (kind != BR_LOOK_BRIEF) run->look_work = run->work.used - before;
    return status;
}
