// The path of equilibrium: where it starts, its points, what is told of them. See statics/statics.h.
#include "model/compile/touch.h"
#include "sim/core/ledger.h"
#include "sim/study/statics/statics.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "sim/stepper/implicit/element_clearance.h"

#define BR_STATIC_BENT 2.5 // rad between the nodes of an element; at pi its strain has no meaning any more
#define BR_STATIC_SLOW_ENDS 1e-9 // of the factor: `until` is reached
#define BR_STATIC_WIDTH 4e-8     // of the factor: to which changes are located
#define BR_STATIC_LEAST 1e-6     // of the last factor: smaller ones are located as if they were this large
#define BR_STATIC_FIRST 1e-4     // of the last factor: where the path of what only loads hold begins
#define BR_STATIC_LOOSENED 1e-9  // of the stiffness, where something is neutral

br_static_settings br_default_static_settings(void) {
    return (br_static_settings){.until = 1.0, .steps = 10, .max_steps = 1000, .arc = 0};
}

const char *br_static_event_name(br_static_event_kind kind) {
    static const char *const names[] = {"maximum", "minimum", "branch", "flutter"};
    return names[kind];
}

double br_static_width(const br_static_path *p, double factor) {
    return BR_STATIC_WIDTH * fmax(fabs(factor), BR_STATIC_LEAST * fabs(p->settings->until));
}

// --- points ------------------------------------------------------------------------------------------------

// Where the frame of a node's body is.
static br_vec3 origin(const br_implicit *f, int i) {
    const br_model *m = f->sim->model;
    const br_node *n = &f->node[i];
    const br_vec3 arm = br_vec3_sub(m->body[m->link_body[i]].X_LB.position, n->com);
    return br_vec3_add(n->x1, br_mat3_mul_vec(n->R1, arm));
}

static void set_point(br_static_path *p, const br_static_solution *found, const br_static_verdict *v) {
    const br_static *s = &p->s;
    const br_implicit *f = s->f;
    br_static_point *q = &p->report.last;
    q->step = p->report.points, q->factor = f->load_factor;
    q->iterations = found->iterations, q->residual = found->residual;
    q->displacement = 0.0, q->body = 0;
    q->unstable = v->known ? v->unstable : -1;
    q->flutter = v->known ? v->flutter : -1;
    q->neutral = v->by_pivots ? -1 : v->neutral;
    q->growth = v->growth, q->potential = v->potential;
    q->determinant = v->known ? (v->unstable % 2 ? -1 : 1) : s->determinant;
    for (int i = 0; i < f->nodes; i++) {
        const double d = br_vec3_distance(origin(f, i), s->x_start[i]);
        if (d > q->displacement) q->displacement = d, q->body = f->sim->model->link_body[i];
    }
    snprintf(p->report.free, sizeof p->report.free, "%s", v->neutral > 0 ? v->free : "");
    p->report.points++;
    p->report.iterations += found->iterations;
}

void br_static_commit(br_static_path *p) {
    br_implicit *f = p->s.f;
    for (int k = 0; k < f->elements; k++)
        if (f->element[k].kind->is & BR_ELEMENT_CLOSES) f->element[k].kind->accept(f, &f->element[k]);
    br_implicit_give_state(f);
}

// The state of the simulation is that of the nodes: channels can be read.
static void show(br_static_path *p) {
    br_implicit *f = p->s.f;
    br_sim *sim = f->sim;
    br_implicit_give_state(f);
    sim->reactions_valid = 0;
    br_implicit_energy(f, sim->energy);
    if (p->each && p->each(p->context, &p->report.last)) p->ended = 1;
}

static br_status check_bend(const br_static_path *p, br_error *error) {
    const br_implicit *f = p->s.f;
    const br_model *m = f->sim->model;
    for (int i = 0; i < m->beams; i++)
        for (int k = 0; k + 1 < m->beam[i].nodes; k++) {
            const br_model_beam *b = &m->beam[i];
            const br_mat3 A = br_mat3_mul(f->node[b->link[k]].R1, b->element[k].Q[0]);
            const br_mat3 B = br_mat3_mul(f->node[b->link[k + 1]].R1, b->element[k].Q[1]);
            const double turn = br_vec3_norm(br_quat_log(br_quat_from_mat3(br_mat3_tmul(A, B))));
            if (turn > BR_STATIC_BENT)
                return br_fail(
                    error, BR_NUMERICAL, "static-mesh",
                    "factor %.6g: beam '%s' turns by %.3g rad within one element, from station %.6g to "
                    "%.6g, and at pi the element has no meaning any more; give it more than %d elements",
                    f->load_factor, b->name, turn, b->station[k], b->station[k + 1], b->nodes - 1);
        }
    return BR_OK;
}

// Stops of joints and motors that give way are not in it: a place where they would act is no equilibrium of the model.
static br_status check_stops(const br_static_path *p, br_error *error) {
    const br_implicit *f = p->s.f;
    const br_model *m = f->sim->model;
    for (int j = 0; j < m->joints; j++) {
        const br_model_joint *joint = &m->joint[j];
        const double *q = joint->link >= 0 ? f->sim->state.q : f->sim->state.loop_q;
        if (!joint->limited || !joint->kind || joint->kind->nq != joint->kind->nv) continue;
        for (int k = 0; k < joint->kind->nv; k++) {
            const double at = q[joint->q_at + k], low = joint->lower[k], high = joint->upper[k];
            const double slack = 1e-9 * fmax(1.0, fabs(at));
            if (at < low - slack || at > high + slack)
                return br_fail(
                    error, BR_NUMERICAL, "static-stop",
                    "factor %.9g: joint '%s' would be at %.6g, beyond its limits %.6g and %.6g, and its "
                    "stops are not in the search; hold it with a drive, or let it come to rest with "
                    "`bristle run`",
                    f->load_factor, joint->name, at, low, high);
        }
    }
    for (int d = 0; d < m->drives; d++) {
        const br_model_drive *drive = &m->drive[d];
        const double effort = fabs(f->sim->drive_effort[d]);
        if ((drive->type == BR_DRIVE_VELOCITY || drive->type == BR_DRIVE_POSITION) &&
            effort > drive->max_effort)
            return br_fail(
                error, BR_NUMERICAL, "static-stop",
                "factor %.9g: drive '%s' would have to hold with %.6g, more than its largest effort %.6g: it "
                "gives way, which is not in the search",
                f->load_factor, drive->name, effort, drive->max_effort);
    }
    return BR_OK;
}

void br_static_add_event(br_static_path *p, br_static_event_kind kind, double from, double factor,
                         const br_static_verdict *before, const br_static_verdict *after) {
    br_static_report *r = &p->report;
    if (kind == BR_STATIC_BRANCH) factor = 0.5 * (from + factor);
    if (kind == BR_STATIC_BRANCH && before->flutter != after->flutter) kind = BR_STATIC_FLUTTER;
    if (r->events < BR_MAX_STATIC_EVENTS)
        r->event[r->events] = (br_static_event){.kind = kind,
                                                .step = r->points,
                                                .from = from,
                                                .factor = factor,
                                                .unstable_before = before->unstable,
                                                .unstable_after = after->unstable,
                                                .flutter_before = before->flutter,
                                                .flutter_after = after->flutter};
    r->events++;
}

int br_static_differ(const br_static_verdict *a, const br_static_verdict *b) {
    return a->known && b->known && (a->unstable != b->unstable || a->flutter != b->flutter);
}

br_status br_static_look_at(br_static_path *p, br_static_verdict *out, br_error *error) {
    const double factor = p->s.f->load_factor;
    const int end = factor == 0.0 || factor == p->begun || factor == p->settings->until;
    return br_static_judge(&p->s, p->settings->until, !end && br_static_is_quick(&p->s), out, error);
}

// Elements with states of their own stay as they are.
br_status br_static_take_point(br_static_path *p, const br_static_solution *found, br_error *error) {
    br_implicit *f = p->s.f;
    br_static_verdict v;
    br_status status = check_bend(p, error);
    br_static_commit(p);
    if (status == BR_OK) status = check_stops(p, error);
    if (status != BR_OK) { // the simulation stays at the point before
        br_static_return(p);
        return status;
    }
    status = br_static_look_at(p, &v, error);
    if (status != BR_OK) return status;
    p->look = v;
    set_point(p, found, &v);
    show(p);
    br_nodes_copy_again(f, p->told);
    if (f->row_count > 0) memcpy(p->told_forces, f->lambda, (size_t)f->row_count * sizeof *f->lambda);
    return BR_OK;
}

void br_static_return(br_static_path *p) {
    br_implicit *f = p->s.f;
    if (p->report.points == 0) return;
    br_nodes_restore(f, p->told);
    if (f->row_count > 0) memcpy(f->lambda, p->told_forces, (size_t)f->row_count * sizeof *f->lambda);
    f->load_factor = p->report.last.factor;
    br_static_forget(f);
    br_static_commit(p);
}

br_status br_static_fail_limit(const br_static_path *p, br_static_outcome outcome, double factor, int limit,
                               br_error *error) {
    const br_model *m = p->s.f->sim->model;
    const br_static_point *q = &p->report.last;
    const char *why = limit                           ? "the load has a limit there"
                      : outcome == BR_STATIC_SINGULAR ? "the stiffness is singular there"
                      : outcome == BR_STATIC_FOUND    ? "what is found beyond is not on this path"
                                                      : "Newton's method finds none";
    const char *what = p->settings->arc ? "take more steps (--steps), which are shorter"
                       : limit          ? "arc length follows the path past it (--arc)"
                                        : "arc length may follow the path (--arc)";
    char moved[192] = "";
    if (m->bodies > 0 && q->displacement > 0.0)
        snprintf(moved, sizeof moved, "; at the last point, factor %.9g, '%.80s' has moved farthest, %.6g m",
                 q->factor, m->body[q->body].name, q->displacement);
    return br_fail(error, BR_NUMERICAL, "static-limit",
                   "no equilibrium is found beyond the load factor %.9g: %s%s; %s", factor, why, moved, what);
}

// --- the call ----------------------------------------------------------------------------------------------

// Friction is left out and told; what would hold the mechanism elsewhere and is not in it is refused.
static br_status check_model(const br_model *m, br_error *error) {
    int a = 0, b = 0;
    if (br_model_first_touch(m, &a, &b))
        return br_fail(
            error, BR_INVALID, "static-contact",
            "%s could touch %s, and equilibrium knows contact in clearances only; exclude the two bodies "
            "if they stay apart, else let the model come to rest with `bristle run`",
            m->contact->shape[a].def.name, m->contact->shape[b].def.name);
    return BR_OK;
}

static br_status check(const br_sim *sim, const br_static_settings *s, br_error *error) {
    if (sim->model->settings.solver.stepper != BR_STEPPER_IMPLICIT)
        return br_fail(
            error, BR_INVALID, "static-stepper",
            "equilibrium is found with the elements of the implicit stepper, and the model has stepper: %s; "
            "write solver: {stepper: implicit}",
            br_stepper_name(sim->model->settings.solver.stepper));
    if (!isfinite(s->until) || s->until == 0.0 || s->steps < 1 || s->max_steps < 1)
        return br_fail(
            error, BR_INVALID, "static-settings",
            "a path to the load factor %g in %d steps, at most %d: expected a factor that is not 0 and steps "
            "from 1 on",
            s->until, s->steps, s->max_steps);
    return check_model(sim->model, error);
}

static void enter(br_static_path *p) {
    br_static *s = &p->s;
    br_implicit *f = s->f;
    br_implicit_take_state(f);
    memset(f->state, 0, (size_t)f->state_count * sizeof *f->state);
    memset(f->lambda, 0, (size_t)f->row_count * sizeof *f->lambda);
    s->decaying = f->decaying;
    f->decaying = 0, f->instant = 0, f->still = 1;
    f->half = 1.0, f->rate_move = f->mass_move = 0.0, f->load_factor = 0.0;
    f->t0 = f->t = f->t_end = f->sim->state.at->t;
    for (int k = 0; k < f->unknowns; k++) s->sign[k] = -1.0;
    for (int i = 0, at = 0; i < f->nodes; i++) {
        for (int k = 0; k < 6; k++) s->sign[at + k] = 1.0;
        at += 6 + f->node[i].rows;
    }
    f->sim->outside++;
    f->outside = f->sim->outside + 1; // what is read along the path is of these nodes
    for (int i = 0; i < f->nodes; i++) s->x_start[i] = origin(f, i);
    br_static_begin(s);
}

// The nodes stay where they are, for channels; the next step of the stepper starts anew.
static void leave(br_static_path *p) {
    br_implicit *f = p->s.f;
    br_sim *sim = f->sim;
    f->tangent = 0;
    br_implicit_look(f);
    br_implicit_evaluate(f);
    br_implicit_shift(f);
    br_implicit_give_state(f);
    f->still = 0, f->at_rest = 1, f->decaying = p->s.decaying;
    br_implicit_scheme(f, f->h);
    sim->reactions_valid = 0, sim->state.at->has_vdot = 0;
    br_implicit_energy(f, sim->energy);
    br_ledger_start(sim);
}

// --- what is not in it ---------------------------------------------------------------------------------------

static void note(br_static_report *r, const char *what, const char *name, const char *rest) {
    const size_t used = strlen(r->notes);
    snprintf(r->notes + used, sizeof r->notes - used, "%s%.60s%s\n", what, name, rest);
}

static void note_left_out(br_static_path *p) {
    const br_implicit *f = p->s.f;
    const br_model *m = f->sim->model;
    br_static_report *r = &p->report;
    for (int j = 0; j < m->joints; j++)
        if (m->joint[j].friction && m->joint[j].friction->law != BR_FRICTION_NONE)
            note(r, "friction of joint '", m->joint[j].name,
                 "' is left out: with it there is a range of places of rest about this one");
    for (int i = 0; i < m->clearances; i++)
        if (m->clearance[i].friction.law != BR_FRICTION_NONE)
            note(r, "friction of clearance '", m->clearance[i].name, "' is left out");
    for (int d = 0; d < m->drives; d++)
        if (m->drive[d].type == BR_DRIVE_VELOCITY)
            note(r, "drive '", m->drive[d].name,
                 "' prescribes a velocity and holds its joint where it started");
}

// --- the path ------------------------------------------------------------------------------------------------

static br_status fail_start(br_static_path *p, br_error *error) {
    double force;
    br_static_go_back(&p->s);
    const char *body = br_static_most_pushed(&p->s, &force);
    return br_fail(error, BR_NUMERICAL, "static-start",
                   "without its loads the mechanism is not in equilibrium where it starts, as '%s' is "
                   "pushed by %.3g N, and none is found near; start it nearer to one, or with "
                   "springs that are less tight",
                   body, force);
}

// What nothing but the loads holds: it goes where they are in balance, at a small part of them.
static br_status start_by_loads(br_static_path *p, const br_static_verdict *v, br_static_solution *found,
                                br_error *error) {
    br_static *s = &p->s;
    s->f->load_factor = p->begun = BR_STATIC_FIRST * p->settings->until;
    s->loosened = BR_STATIC_LOOSENED, s->loosen_beams = 1;
    br_static_begin(s);
    if (br_static_settle(s)) {
        *found = br_static_at_factor(s, p->begun);
        if (found->outcome == BR_STATIC_FOUND) {
            snprintf(p->report.start, sizeof p->report.start,
                     "without the loads nothing holds it: %.160s; the path begins where they hold it",
                     v->free);
            return BR_OK;
        }
    }
    br_static_go_back(s);
    s->f->load_factor = 0.0;
    return br_fail(
        error, BR_NUMERICAL, "static-free",
        "%s without any force against it, and the loads push it: no equilibrium is found that way; "
        "hold it with a joint, an attachment or a spring",
        v->free);
}

static br_status statics_start(br_static_path *p, br_static_solution *found, br_error *error) {
    br_static *s = &p->s;
    br_static_verdict v;
    br_static_begin(s);
    *found = br_static_at_factor(s, 0.0);
    if (found->outcome != BR_STATIC_FOUND) {
        br_static_go_back(s);
        s->f->load_factor = 0.0;
        if (!br_static_settle(s)) return fail_start(p, error);
        *found = br_static_at_factor(s, 0.0);
        if (found->outcome != BR_STATIC_FOUND) return fail_start(p, error);
    }
    const br_status status = br_static_look_at(p, &v, error);
    if (status != BR_OK) return status;
    if (v.neutral > 0 && !v.by_pivots) s->loosened = BR_STATIC_LOOSENED, s->loosen_beams = 1;
    if (v.neutral > 0 && v.pushed) {
        br_static_commit(p);
        return start_by_loads(p, &v, found, error);
    }
    return BR_OK;
}

static br_status find_path(br_static_path *p, br_error *error) {
    br_static_solution found;
    br_status status = br_static_prepare(&p->s, p->settings->until, error);
    if (status == BR_OK) status = statics_start(p, &found, error);
    if (status == BR_OK) status = br_static_take_point(p, &found, error);
    if (status != BR_OK || p->ended) return status;
    return p->settings->arc ? br_static_follow(p, error) : br_static_raise(p, error);
}

br_status br_sim_static(br_sim *sim, const br_static_settings *settings, br_static_callback each,
                        void *context, br_static_report *out, br_error *error) {
    br_static_path p = {.settings = settings, .each = each, .context = context};
    br_status status = check(sim, settings, error);
    if (status == BR_OK && !sim->implicit) status = br_implicit_create(sim, error);
    if (status != BR_OK) return status;
    br_implicit *f = sim->implicit;
    p.s.f = f;
    p.first = settings->until / settings->steps;
    const size_t n = (size_t)f->unknowns, widest = (size_t)br_block_widest(f->matrix);
    double *memory = br_sim_take(sim, (4 * n + widest * widest + 1) * sizeof *memory);
    p.s.x_start = br_sim_take(sim, ((size_t)f->nodes + 1) * sizeof *p.s.x_start);
    p.told = br_sim_take(sim, ((size_t)f->nodes + 1) * sizeof *p.told);
    p.told_start = br_sim_take(sim, ((size_t)f->nodes + 1) * sizeof *p.told_start);
    p.told_forces = br_sim_take(sim, ((size_t)f->row_count + 1) * sizeof *p.told_forces);
    if (memory && p.s.x_start && p.told && p.told_start && p.told_forces) {
        for (int i = 0; i < f->nodes; i++) p.told[i].start = &p.told_start[i];
        p.s.by_load = memory, p.s.along = memory + n, p.s.sign = memory + 2 * n, p.s.slope = memory + 3 * n,
        p.s.block = memory + 4 * n;
        enter(&p);
        status = find_path(&p, error);
        if (status != BR_OK) br_static_return(&p);
        leave(&p);
        p.report.reached =
            fabs(f->load_factor - settings->until) <= BR_STATIC_SLOW_ENDS * fabs(settings->until);
        note_left_out(&p);
        if (out) *out = p.report;
    } else {
        status = br_no_memory(error, "no memory for the equilibrium");
    }
    br_sim_give(sim, p.told_forces);
    br_sim_give(sim, p.told);
    br_sim_give(sim, p.told_start);
    br_sim_give(sim, p.s.x_start);
    br_sim_give(sim, memory);
    return status;
}
