// The path of equilibrium: steps of the load, or of arc length past limit points. See implicit_static.h.
//
// A step whose ends differ in the number of unstable motions, though the factor did not turn, has passed a
// point where paths cross, or has left the path for another near it: it is halved down to the smallest step. An
// imperfect mechanism stays on its path that way, and of a perfect one the crossing is located.
#include "sim/implicit_static.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

#define BR_STATIC_SMALLEST 1e-4 // of the first step
#define BR_STATIC_LONGEST 0.05 // of the mechanism's size: mean move of a step of arc length, or the first one
#define BR_STATIC_GROWTH 1.5
#define BR_STATIC_USUAL 8       // iterations: more, and the next step is not longer
#define BR_STATIC_LOST 0.5      // cosine between two steps along the path; below, the path was lost
#define BR_STATIC_STRAIGHT 0.95 // the same; above, the next step may be longer
#define BR_STATIC_LOCATE 12     // steps at most to find where the factor turns
#define BR_STATIC_LEVEL 1e-5    // of the slope before: the factor turns here
#define BR_STATIC_BENT 2.5 // rad between the nodes of an element; at pi its strain has no meaning any more
#define BR_STATIC_SLOW_ENDS 1e-9 // of the factor: `until` is reached

br_static_settings br_default_static_settings(void) {
    return (br_static_settings){.until = 1.0, .steps = 10, .max_steps = 1000, .arc = 0};
}

const char *br_static_event_name(br_static_event_kind kind) {
    static const char *const names[] = {"maximum", "minimum", "branch"};
    return names[kind];
}

// What one call keeps.
typedef struct path {
    br_static s;
    const br_static_settings *settings;
    br_static_callback each;
    void *context;
    br_static_report report;
    double first; // step of the factor, or length
    double slope; // dfactor/dlength at the last point; 0: not known
    int ended;    // by the callback
} path;

// --- points ------------------------------------------------------------------------------------------------

// Where the frame of a node's body is.
static br_vec3 origin(const br_implicit *f, int i) {
    const br_model *m = f->sim->model;
    const br_node *n = &f->node[i];
    const br_vec3 arm = br_vec3_sub(m->body[m->link_body[i]].X_LB.position, n->com);
    return br_vec3_add(n->x1, br_mat3_mul_vec(n->R1, arm));
}

static void set_point(path *p, const br_static_solution *found) {
    const br_static *s = &p->s;
    const br_implicit *f = s->f;
    br_static_point *q = &p->report.last;
    q->step = p->report.points, q->factor = f->load_factor;
    q->iterations = found->iterations, q->residual = found->residual;
    q->displacement = 0.0, q->body = 0;
    q->unstable = s->unstable;
    q->determinant = s->determinant * s->determinant_0;
    for (int i = 0; i < f->nodes; i++) {
        const double d = br_vec3_distance(origin(f, i), s->x_start[i]);
        if (d > q->displacement) q->displacement = d, q->body = f->sim->model->link_body[i];
    }
    p->report.points++;
    p->report.iterations += found->iterations;
}

// The state of the simulation is that of the nodes: channels can be read.
static void show(path *p) {
    br_implicit *f = p->s.f;
    br_sim *sim = f->sim;
    br_implicit_give_state(f);
    sim->reactions_valid = 0;
    br_implicit_energy(f, &sim->energy);
    if (p->each && p->each(p->context, &p->report.last)) p->ended = 1;
}

static br_status check_bend(const path *p, br_error *error) {
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

static void add_event(path *p, br_static_event_kind kind, double from, double factor) {
    br_static_report *r = &p->report;
    if (r->events < BR_MAX_STATIC_EVENTS)
        r->event[r->events] = (br_static_event){kind, r->points, from, factor};
    r->events++;
}

// Joints count their turns; elements with states of their own stay as they are.
static br_status take_point(path *p, const br_static_solution *found, br_error *error) {
    br_implicit *f = p->s.f;
    const br_status status = check_bend(p, error);
    if (status != BR_OK) { // the simulation stays at the point before
        br_static_go_back(&p->s);
        f->load_factor = p->report.last.factor;
        return status;
    }
    for (int k = 0; k < f->elements; k++)
        if (f->element[k].kind == &br_element_joint) br_element_joint.accept(f, &f->element[k]);
    set_point(p, found);
    show(p);
    return BR_OK;
}

// step: the shortest that was tried; 0: none was.
static br_status fail_limit(const path *p, br_static_outcome outcome, double step, br_error *error) {
    const br_implicit *f = p->s.f;
    const br_model *m = f->sim->model;
    const br_static_point *q = &p->report.last;
    const char *why = outcome == BR_STATIC_SINGULAR ? "the stiffness is singular"
                      : outcome == BR_STATIC_FOUND  ? "the path is lost"
                                                    : "Newton's method finds none";
    const char *what = p->settings->arc ? "take more steps (--steps), which are shorter"
                                        : "if the load has a limit there, arc length passes it (--arc)";
    char steps[64] = "", moved[160] = "";
    if (step > 0.0)
        snprintf(steps, sizeof steps,
                 p->settings->arc ? " with steps down to %.3g m along the path" : " with steps down to %.3g",
                 step);
    if (m->bodies > 0 && q->displacement > 0.0)
        snprintf(moved, sizeof moved, "; '%.80s' moves farthest there, %.6g m", m->body[q->body].name,
                 q->displacement);
    return br_fail(error, BR_NUMERICAL, "static-limit",
                   "no equilibrium beyond the load factor %.9g: %s%s%s; %s", q->factor, why, steps, moved,
                   what);
}

// --- steps of the load -------------------------------------------------------------------------------------

// Whether another number of motions is unstable now, or an odd number more.
static int has_crossed(const path *p) {
    const br_static *s = &p->s;
    const br_static_point *last = &p->report.last;
    if (s->unstable >= 0 && last->unstable >= 0) return s->unstable != last->unstable;
    return s->determinant * s->determinant_0 != last->determinant;
}

static void reject(path *p, const br_static_solution *found, double from) {
    p->report.rejected++, p->report.iterations += found->iterations;
    br_static_go_back(&p->s);
    p->s.f->load_factor = from;
}

static br_status raise_load(path *p, br_error *error) {
    br_static *s = &p->s;
    const double until = p->settings->until, smallest = BR_STATIC_SMALLEST * fabs(p->first);
    double step = p->first;
    while (!p->ended && p->report.points <= p->settings->max_steps) {
        const double from = p->report.last.factor, left = until - from;
        if (fabs(left) <= BR_STATIC_SLOW_ENDS * fabs(until)) break;
        const double factor = fabs(step) * (1.0 + BR_STATIC_SLOW_ENDS) >= fabs(left) ? until : from + step;
        br_static_begin(s);
        const br_static_solution found = br_static_at_factor(s, factor);
        const int failed = found.outcome != BR_STATIC_FOUND, crossed = !failed && has_crossed(p);
        const double shorter = 0.5 * (factor - from);
        if (failed || (crossed && fabs(shorter) >= smallest)) {
            reject(p, &found, from);
            step = shorter;
            if (fabs(step) < smallest) return fail_limit(p, found.outcome, 2.0 * fabs(step), error);
            continue;
        }
        if (crossed) add_event(p, BR_STATIC_BRANCH, from, factor);
        const br_status status = take_point(p, &found, error);
        if (status != BR_OK) return status;
        if (crossed) step = p->first;
        if (found.iterations <= BR_STATIC_USUAL && fabs(step) < fabs(p->first))
            step = copysign(fmin(fabs(p->first), BR_STATIC_GROWTH * fabs(step)), p->first);
    }
    return BR_OK;
}

// --- steps of arc length -----------------------------------------------------------------------------------

// Cosine between the last step and the one that was found.
static double alignment(const path *p, double change, const double *taken) {
    const br_static *s = &p->s;
    const double w = s->weight * s->weight;
    const double size = br_static_dot(s, taken, taken) + w * change * change;
    const double last = br_static_dot(s, s->along, s->along) + w * s->along_factor * s->along_factor;
    const double common = br_static_dot(s, taken, s->along) + w * change * s->along_factor;
    return p->report.points <= 1 ? 1.0 : common / sqrt(size * last);
}

// dfactor/dlength at the end of a step.
static double slope_after(const path *p, double change, const double *taken) {
    const br_static *s = &p->s;
    const double w = s->weight * s->weight;
    const double sense = br_static_dot(s, taken, s->by_load) + w * change;
    return copysign(1.0 / sqrt(br_static_dot(s, s->by_load, s->by_load) + w), sense);
}

// The step once more, with this length; the slope at its end. 0: it is not found.
static double slope_at(path *p, double from, double length, br_static_solution *found) {
    br_static *s = &p->s;
    br_implicit *f = s->f;
    br_static_go_back(s);
    br_static_begin(s);
    f->load_factor = from;
    *found = br_static_at_length(s, length);
    if (found->outcome != BR_STATIC_FOUND) return 0.0;
    br_static_step_taken(s, f->solution);
    return slope_after(p, f->load_factor - from, f->solution);
}

// The factor where it turns: the root of the slope between both ends of the step, by secants that keep it
// between them (Illinois). Near the root the factor differs from the limit by the square of the slope. Ends
// where it began.
static double turning_factor(path *p, double from, double slope_a, double slope_b, double length,
                             br_static_solution *found) {
    double a = 0.0, b = length, factor = p->s.f->load_factor;
    const double small = BR_STATIC_LEVEL * fabs(slope_a);
    for (int k = 0; k < BR_STATIC_LOCATE; k++) {
        const double x = (a * slope_b - b * slope_a) / (slope_b - slope_a),
                     slope = slope_at(p, from, x, found);
        if (found->outcome != BR_STATIC_FOUND) break;
        factor = p->s.f->load_factor;
        if (fabs(slope) <= small) break;
        if (slope * slope_b < 0.0)
            a = b, slope_a = slope_b;
        else
            slope_a *= 0.5;
        b = x, slope_b = slope;
    }
    slope_at(p, from, length, found);
    return factor;
}

// The path beyond `until` was found: back to it at that factor, which is near.
static br_status end_at(path *p, double until, br_error *error) {
    br_static *s = &p->s;
    const double beyond = s->f->load_factor;
    br_static_begin(s);
    br_static_solution found = br_static_at_factor(s, until);
    if (found.outcome != BR_STATIC_FOUND) {
        br_static_go_back(s);
        found = br_static_at_factor(s, beyond);
        if (found.outcome != BR_STATIC_FOUND) return fail_limit(p, found.outcome, 0.0, error);
    }
    return take_point(p, &found, error);
}

// One step of the arc. 0: taken, or the path has come to its end; else the step is to be taken again, shorter.
static int step_along(path *p, double length, int smallest, double *straight, br_static_solution *found) {
    br_static *s = &p->s;
    br_implicit *f = s->f;
    const double from = p->report.last.factor, slope_before = p->slope;
    double *taken = f->solution; // free between solutions
    br_static_begin(s);
    *found = br_static_at_length(s, length);
    if (found->outcome != BR_STATIC_FOUND) return 1;
    br_static_step_taken(s, taken);
    const double slope = slope_after(p, f->load_factor - from, taken);
    const int turned = slope_before * slope < 0.0;
    const int crossed = !turned && has_crossed(p);
    *straight = alignment(p, f->load_factor - from, taken);
    if (*straight < BR_STATIC_LOST || (crossed && !smallest)) return 1;
    if (turned) {
        const double factor = turning_factor(p, from, slope_before, slope, length, found);
        if (found->outcome != BR_STATIC_FOUND) return 1;
        // The end of the path comes before the limit, and is for a shorter step to find.
        const double left = from - p->settings->until;
        if (left * (factor - p->settings->until) < 0.0 && !smallest) return 1;
        add_event(p, slope_before > 0.0 ? BR_STATIC_MAXIMUM : BR_STATIC_MINIMUM, from, factor);
        br_static_step_taken(s, taken);
    }
    if (crossed) add_event(p, BR_STATIC_BRANCH, from, f->load_factor);
    memcpy(s->along, taken, (size_t)f->unknowns * sizeof *taken);
    s->along_factor = f->load_factor - from;
    p->slope = slope;
    return 0;
}

static br_status follow(path *p, br_error *error) {
    br_static *s = &p->s;
    const double until = p->settings->until, shortest = BR_STATIC_SMALLEST * p->first;
    const double longest = fmax(p->first, BR_STATIC_LONGEST * s->span);
    double length = p->first;
    while (!p->ended && p->report.points <= p->settings->max_steps) {
        const double from = p->report.last.factor;
        const int events = p->report.events;
        double straight = 0.0;
        br_static_solution found;
        if (step_along(p, length, 0.5 * length < shortest, &straight, &found)) {
            reject(p, &found, from);
            length *= 0.5;
            if (length < shortest) return fail_limit(p, found.outcome, length, error);
            continue;
        }
        if ((from - until) * (s->f->load_factor - until) <= 0.0 && from != until)
            return end_at(p, until, error);
        const br_status status = take_point(p, &found, error);
        if (status != BR_OK) return status;
        if (p->report.events > events && length < p->first)
            length = p->first;
        else if (found.iterations <= BR_STATIC_USUAL && straight > BR_STATIC_STRAIGHT)
            length = fmin(BR_STATIC_GROWTH * length, longest);
    }
    return BR_OK;
}

// The first length is that of the first step of the load; moves and the factor have equal parts in it.
static br_status start_arc(path *p, br_error *error) {
    br_static *s = &p->s;
    br_implicit *f = s->f;
    if (br_static_factor(s) != BR_OK) return fail_limit(p, BR_STATIC_SINGULAR, 0.0, error);
    br_static_by_load(s);
    const double size = sqrt(br_static_dot(s, s->by_load, s->by_load));
    if (!(size > 0.0) || !isfinite(size))
        return br_fail(error, BR_INVALID, "static-no-load",
                       "arc length follows what the loads do, and they do nothing at the start; give a load, "
                       "an effort or gravity that is not 0 at t = %.9g s",
                       f->sim->state.t);
    s->weight = size;
    memset(s->along, 0, (size_t)f->unknowns * sizeof *s->along);
    s->along_factor = p->settings->until;
    p->slope = copysign(1.0 / sqrt(2.0) / size, p->settings->until);
    p->first = fabs(p->first) * sqrt(2.0) * size;
    return BR_OK;
}

// --- the call ----------------------------------------------------------------------------------------------

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
    return br_model_runnable(sim->model, error);
}

static void enter(path *p) {
    br_static *s = &p->s;
    br_implicit *f = s->f;
    br_implicit_take_state(f);
    memset(f->state, 0, (size_t)f->state_count * sizeof *f->state);
    memset(f->lambda, 0, (size_t)f->row_count * sizeof *f->lambda);
    s->decaying = f->decaying;
    f->decaying = 0, f->instant = 0, f->still = 1;
    f->half = 1.0, f->rate_move = f->mass_move = 0.0, f->load_factor = 0.0;
    f->t0 = f->t = f->t_end = f->sim->state.t;
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
static void leave(path *p) {
    br_implicit *f = p->s.f;
    br_sim *sim = f->sim;
    f->tangent = 0;
    br_implicit_look(f);
    br_implicit_evaluate(f);
    br_implicit_shift(f);
    br_implicit_give_state(f);
    f->still = 0, f->at_rest = 1, f->decaying = p->s.decaying;
    br_implicit_scheme(f, f->h);
    sim->reactions_valid = 0, sim->state.has_vdot = 0;
    br_implicit_energy(f, &sim->energy);
    br_ledger_start(sim);
}

void br_static_leave(br_implicit *f) {
    f->at_rest = 0, f->load_factor = 1.0, f->outside = 0;
}

static br_status find_path(path *p, br_error *error) {
    br_static *s = &p->s;
    br_status status = br_static_prepare(s, p->settings->until, error);
    if (status != BR_OK) return status;
    br_static_begin(s);
    const br_static_solution found = br_static_at_factor(s, 0.0);
    if (found.outcome != BR_STATIC_FOUND) {
        double force;
        br_static_go_back(s);
        const char *body = br_static_most_pushed(s, &force);
        return br_fail(
            error, BR_NUMERICAL, "static-start",
            "without its loads the mechanism is not in equilibrium where it starts, as '%s' is "
            "pushed by %.3g N, and Newton's method finds none near; start it nearer to one, or with "
            "springs that are less tight",
            body, force);
    }
    s->determinant_0 = s->determinant;
    status = take_point(p, &found, error);
    if (status == BR_OK && p->settings->arc) status = start_arc(p, error);
    if (status != BR_OK) return status;
    return p->settings->arc ? follow(p, error) : raise_load(p, error);
}

br_status br_sim_static(br_sim *sim, const br_static_settings *settings, br_static_callback each,
                        void *context, br_static_report *out, br_error *error) {
    path p = {.settings = settings, .each = each, .context = context};
    br_status status = check(sim, settings, error);
    if (status == BR_OK && !sim->implicit) status = br_implicit_create(sim, error);
    if (status != BR_OK) return status;
    br_implicit *f = sim->implicit;
    p.s.f = f;
    p.first = settings->until / settings->steps;
    const size_t n = (size_t)f->unknowns, widest = (size_t)br_block_widest(f->matrix);
    double *memory = br_sim_take(sim, (3 * n + widest * widest + 1) * sizeof *memory);
    p.s.x_start = br_sim_take(sim, ((size_t)f->nodes + 1) * sizeof *p.s.x_start);
    if (memory && p.s.x_start) {
        p.s.by_load = memory, p.s.along = memory + n, p.s.sign = memory + 2 * n, p.s.block = memory + 3 * n;
        enter(&p);
        status = find_path(&p, error);
        leave(&p);
        p.report.reached =
            fabs(f->load_factor - settings->until) <= BR_STATIC_SLOW_ENDS * fabs(settings->until);
        memcpy(p.report.free, p.s.free, sizeof p.report.free);
        if (out) *out = p.report;
    } else {
        status = br_fail(error, BR_NO_MEMORY, "out-of-memory", "no memory for the equilibrium");
    }
    br_sim_give(sim, p.s.x_start);
    br_sim_give(sim, memory);
    return status;
}
