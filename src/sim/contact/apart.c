// Which contacts and limits are apart, see apart.h.
#include "sim/contact/apart.h"

#include <string.h>

#include "base/error.h"
#include "sim/friction/friction.h"
#include "sim/rows/group.h"

#define BR_EPS_MEETING 1e-9   // of the smaller shape, or rad, or of a typical link: nearer is touching
#define BR_LETTING_GO 0.03125 // of the model's step: parts this short may let go as a whole
#define BR_EPS_MET 0.5        // of that: where a part ends that was cut at a meeting

static br_status apart_no_memory(br_error *error) {
    return br_fail(error, BR_NO_MEMORY, "out-of-memory", "no memory for the parts of a step");
}

br_status br_apart_create(br_sim *sim, br_error *error) {
    if (!sim->model->settings.solver.split_events || !br_sim_traits(sim)->impulses) return BR_OK;
    struct br_apart *a = BR_TAKE(&sim->arena, struct br_apart, 1);
    if (!a) return apart_no_memory(error);
    a->limit = BR_TAKE(&sim->arena, unsigned char, sim->groups);
    if (!br_arena_ok(&sim->arena)) return apart_no_memory(error);
    sim->apart = a;
    return BR_OK;
}

static void apart_give(br_sim *sim, void *memory) {
    if (memory) br_sim_give(sim, memory);
}

void br_apart_destroy(br_sim *sim) {
    struct br_apart *a = sim->apart;
    if (!a) return;
    apart_give(sim, a->start.touch), apart_give(sim, a->start.left);
    apart_give(sim, a->end.touch), apart_give(sim, a->end.left);
    apart_give(sim, a->out);
}

// --- looking -----------------------------------------------------------------------------------------------

static double limit_tolerance(const br_sim *sim) {
    return BR_EPS_MEETING * fmax(1.0, sim->length_scale);
}

static int is_rigid(const br_sim *sim, const br_touch *t) {
    return !br_touch_play(sim, t) && sim->contacts->normal_law[t->pair].kind == BR_NORMAL_RIGID;
}

static void exchange(br_contacts *c, br_apart_look *look) {
    const br_apart_look own = {c->touch, c->left, c->count, c->capacity};
    c->touch = look->touch, c->left = look->left, c->count = look->count, c->capacity = look->capacity;
    *look = own;
}

// Contacts at the state's positions into `look`; those of the step at hand stay as they are.
static br_status look_at_contacts(br_sim *sim, br_apart_look *look, br_error *error) {
    br_contacts *c = sim->contacts;
    const br_apart_phase phase = sim->apart->phase;
    const int left_count = c->left_count;
    sim->apart->phase = BR_APART_WHOLE;
    exchange(c, look);
    c->count = c->left_count = 0;
    br_status status = br_contacts_reserve(sim, c->kept->capacity > 0 ? c->kept->capacity : 1, error);
    if (status == BR_OK) status = br_contacts_find(sim, sim->model->settings.solver.step, 0.0, error);
    exchange(c, look);
    c->left_count = left_count;
    sim->apart->phase = phase;
    return status;
}

// Touches come by rising pairs of shapes and features; *at goes along.
static const br_touch *find_touch(const br_apart_look *look, const br_touch *t, int *at) {
    for (; *at < look->count && br_touch_order(&look->touch[*at], t) < 0; ++*at) {}
    return *at < look->count && br_touch_same(&look->touch[*at], t) ? &look->touch[*at] : NULL;
}

// start: how the contact was at the part's start; NULL: too far away to be found.
static int is_apart(const br_sim *sim, const br_touch *t, const br_touch *start) {
    if (t->was != BR_CONTACT_OPEN || !is_rigid(sim, t)) return 0;
    return !start || start->gap > BR_EPS_MEETING * t->size;
}

static double limit_gap(br_sim *sim, const br_group *g) {
    const double *q = sim->q_eval;
    sim->q_eval = sim->state.q;
    const double gap = br_limit_gap(sim, g);
    sim->q_eval = q;
    return gap;
}

// One that pushed in the last step lasts, wherever rounding and the curve of its path have left its gap.
static void look_at_limits(br_sim *sim) {
    struct br_apart *a = sim->apart;
    const double tolerance = limit_tolerance(sim), step = sim->model->settings.solver.step;
    for (int g = 0; g < sim->groups; g++) {
        const br_group *group = &sim->group[g];
        a->limit[g] = 0;
        if (group->kind != &br_group_limit || sim->limit_active[g]) continue;
        const double gap = limit_gap(sim, group);
        if (gap > tolerance) {
            a->limit[g] = 1;
            a->least = fmin(a->least, gap / tolerance);
            continue;
        }
        const br_coordinate c = group->coordinates[0];
        const double v = group->side * br_coordinate_velocity(sim, c.joint, c.k);
        a->strikes |= v * step < -tolerance;
    }
}

br_status br_apart_look_at_start(br_sim *sim, br_error *error) {
    struct br_apart *a = sim->apart;
    a->strikes = 0, a->least = INFINITY;
    br_sim_refresh(sim, 2);
    look_at_limits(sim);
    if (!sim->contacts) return BR_OK;
    const br_status status = look_at_contacts(sim, &a->start, error);
    for (int k = 0; status == BR_OK && k < a->start.count; k++) {
        const br_touch *t = &a->start.touch[k];
        if (t->was != BR_CONTACT_OPEN || !is_rigid(sim, t)) continue;
        const double tolerance = BR_EPS_MEETING * t->size;
        if (t->gap > tolerance)
            a->least = fmin(a->least, t->gap / tolerance);
        else
            a->strikes |=
                br_vec3_dot(br_touch_velocity(sim, t, NULL), t->normal) * sim->model->settings.solver.step <
                -tolerance;
    }
    return status;
}

static br_status look_at_end(br_sim *sim, br_error *error) {
    struct br_apart *a = sim->apart;
    a->least = INFINITY;
    br_sim_refresh(sim, 2);
    for (int g = 0; g < sim->groups; g++)
        if (a->limit[g]) a->least = fmin(a->least, limit_gap(sim, &sim->group[g]) / limit_tolerance(sim));
    if (!sim->contacts) return BR_OK;
    const br_status status = look_at_contacts(sim, &a->end, error);
    for (int k = 0, at = 0; status == BR_OK && k < a->end.count; k++) {
        const br_touch *t = &a->end.touch[k];
        if (is_apart(sim, t, find_touch(&a->start, t, &at)))
            a->least = fmin(a->least, t->gap / (BR_EPS_MEETING * t->size));
    }
    return status;
}

// What pressed and now opens: the part takes its whole length for free, or for held, though it let go within.
static int lets_go(const br_sim *sim) {
    const br_contacts *c = sim->contacts;
    const double step = sim->model->settings.solver.step;
    const br_apart_look before = {c ? c->before : NULL, NULL, c ? c->kept->count : 0, 0};
    for (int k = 0, at = 0; c && sim->touching && k < c->count; k++) {
        const br_touch *t = &c->touch[k], *old = find_touch(&before, t, &at);
        if (t->was == BR_CONTACT_OPEN || t->state != BR_CONTACT_OPEN || !old || !(old->f_n > 0.0)) continue;
        if (is_rigid(sim, t) && br_vec3_dot(t->after, t->normal) * step > BR_EPS_MEETING * t->size) return 1;
    }
    for (int g = 0; g < sim->groups; g++) {
        const br_group *group = &sim->group[g];
        if (group->kind != &br_group_limit || !sim->limit_active[g] || group->force[0] > 0.0) continue;
        const br_coordinate x = group->coordinates[0];
        if (group->side * br_coordinate_velocity(sim, x.joint, x.k) * step > limit_tolerance(sim)) return 1;
    }
    return 0;
}

int br_apart_stands(br_sim *sim, br_status *status, br_error *error) {
    struct br_apart *a = sim->apart;
    if (!a || a->phase != BR_APART_FREE) return 1;
    *status = look_at_end(sim, error);
    if (*status != BR_OK) return 0;
    a->passed = !a->last_try && (a->least < -BR_EPS_MET || (a->probing && a->least > BR_EPS_MET));
    a->let_go = !a->passed && !a->probing && sim->h > BR_LETTING_GO * sim->model->settings.solver.step &&
                lets_go(sim);
    return !a->passed && !a->let_go;
}

// --- leaving out -------------------------------------------------------------------------------------------

static br_status reserve_out(br_sim *sim, int count, br_error *error) {
    struct br_apart *a = sim->apart;
    if (count <= a->out_capacity) return BR_OK;
    br_touch *out = br_sim_take(sim, 2 * (size_t)count * sizeof *out);
    if (!out) return apart_no_memory(error);
    apart_give(sim, a->out);
    a->out = out, a->out_capacity = 2 * count;
    return BR_OK;
}

br_status br_apart_leave_out(br_sim *sim, br_error *error) {
    struct br_apart *a = sim->apart;
    br_contacts *c = sim->contacts;
    if (!a) return BR_OK;
    a->outs = 0;
    if (a->phase == BR_APART_WHOLE) return BR_OK;
    const br_status status = reserve_out(sim, c->count, error);
    if (status != BR_OK) return status;
    int kept = 0;
    for (int k = 0, at = 0; k < c->count; k++) {
        if (is_apart(sim, &c->touch[k], find_touch(&a->start, &c->touch[k], &at)))
            a->out[a->outs++] = c->touch[k];
        else
            c->touch[kept++] = c->touch[k];
    }
    c->count = kept;
    return BR_OK;
}

void br_apart_keep(br_sim *sim) {
    struct br_apart *a = sim->apart;
    br_contacts *c = sim->contacts;
    int n = 0;
    for (int k = 0, o = 0; k < c->count || o < a->outs;) {
        const int next = o == a->outs || (k < c->count && br_touch_order(&c->touch[k], &a->out[o]) < 0);
        c->before[n++] = next ? c->touch[k++] : a->out[o++];
    }
    c->kept->count = n, c->count = c->left_count = a->outs = 0;
}

// --- blows -------------------------------------------------------------------------------------------------

// Events tell forces as a step of the model's length would have them.
void br_apart_spread_blow(br_sim *sim) {
    const double share = sim->h / sim->model->settings.solver.step;
    for (int k = 0; sim->contacts && k < sim->contacts->count; k++) {
        br_touch *t = &sim->contacts->touch[k];
        if (!is_rigid(sim, t)) continue;
        t->f_n *= share;
        t->f_t = br_vec3_scale(share, t->f_t), t->moment = br_vec3_scale(share, t->moment);
    }
}

// What a contact carried before the blow is what it is expected to carry after it. Bristles that give way have deflected as they did.
static void forget_blow_of(const br_sim *sim, br_touch *t, const br_touch *old) {
    const double k = sim->model->contact->pair[t->pair].bristle_stiffness;
    const br_vec3 none = br_vec3_zero();
    if (!is_rigid(sim, t)) return;
    t->f_n = old ? old->f_n : 0.0, t->guess_n = old ? old->guess_n : 0.0;
    t->f_t = old ? old->f_t : none, t->guess_t = old ? old->guess_t : none;
    t->moment = old ? old->moment : none;
    if (!isfinite(k)) t->f_bristle = old ? old->f_bristle : none;
}

void br_apart_forget_blow(br_sim *sim) {
    const br_contacts *c = sim->contacts;
    const br_apart_look before = {c ? c->before : NULL, NULL, c ? c->kept->count : 0, 0};
    for (int k = 0, at = 0; c && k < c->count; k++)
        forget_blow_of(sim, &c->touch[k], find_touch(&before, &c->touch[k], &at));
}

// Before the step is judged: what bristles of joints store is by their load.
void br_apart_forget_rubs(br_sim *sim) {
    br_frictions *f = sim->frictions;
    sim->state.at->has_vdot = sim->state.at->bounds_known = 0;
    for (int i = 0; f && i < f->count; i++) {
        memcpy(f->now[i].force, f->last[i].force, sizeof f->now[i].force);
        f->now[i].normal = f->last[i].normal;
        if (f->last[i].known != BR_RUB_STEPPED) f->now[i].known = f->last[i].known;
    }
}
