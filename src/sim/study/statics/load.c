// The path by steps of the load. See statics/statics.h.
//
// Between the points that are told there are others, at least BR_STATIC_LOOKS over the whole way: what is found does not
// depend on how many points were asked for. A step must go where the tangent at its start leads to; one that goes elsewhere
// has left the path for another, and is halved. Where stability changes within a step, the place is found by bisection.
#include "sim/study/statics/statics.h"

#include <string.h>

#include "base/error.h"

#define BR_STATIC_LOOKS 20
#define BR_STATIC_GROWTH 2.0
#define BR_STATIC_USUAL 8        // iterations: more, and the next step is not longer
#define BR_STATIC_BESIDE 0.5     // of a step: farther from the tangent, and it is another path
#define BR_STATIC_STILL 1e-5     // of the mechanism's size: shorter moves are not compared
#define BR_STATIC_STEEP 30.0     // times the mean slope: the path ends in a limit point
#define BR_STATIC_SLOW_ENDS 1e-9 // of the factor: `until` is reached
#define BR_STATIC_LITTLE 1e-4    // of the last factor
#define BR_MAX_STATIC_NESTED 24

// A place on the path, to come back to.
typedef struct keep {
    double factor;
    br_static_verdict verdict;
} keep;

// The tangent of the path where the nodes are; 0: there is none.
static int take_slope(br_static_path *p) {
    br_static *s = &p->s;
    br_static_forget(s->f);
    if (br_static_factor(s) != BR_OK) return 0;
    br_static_by_load(s);
    memcpy(s->slope, s->by_load, (size_t)s->f->unknowns * sizeof *s->slope);
    br_static_forget(s->f);
    return isfinite(br_static_dot(s, s->slope, s->slope));
}

// Whether the step that was found goes where the tangent at its start leads.
static int is_beside(br_static_path *p, double change) {
    br_static *s = &p->s;
    double *taken = s->f->solution; // free here
    br_static_step_taken(s, taken);
    const double whole = sqrt(br_static_dot(s, taken, taken));
    for (int k = 0; k < s->f->unknowns; k++) taken[k] -= change * s->slope[k];
    return sqrt(br_static_dot(s, taken, taken)) > BR_STATIC_BESIDE * whole + BR_STATIC_STILL * s->span;
}

// One step from where the nodes are. 0: there is none; the nodes are back then.
static int step_to(br_static_path *p, double factor, int compare, br_static_solution *found) {
    br_static *s = &p->s;
    const double from = s->f->load_factor;
    br_static_begin(s);
    *found = br_static_at_factor(s, factor);
    p->iterations += found->iterations;
    if (found->outcome == BR_STATIC_FOUND && (!compare || !is_beside(p, factor - from))) return 1;
    br_static_go_back(s);
    s->f->load_factor = from;
    return 0;
}

// Newton's method may fail at the very place where stability changes: it is tried beside it.
static int step_near(br_static_path *p, double *factor, double width, int beyond) {
    const double from = p->s.f->load_factor, sense = *factor >= from ? 1.0 : -1.0;
    br_static_solution found;
    for (int k = 0; k < 5; k++) {
        if (step_to(p, *factor, 0, &found)) return 1;
        *factor += sense * width * (beyond ? (double)(1 << k) : -0.07);
    }
    return 0;
}

// From p->look, where the nodes are, to `end`: every change of stability between them. Ends at `end`; 0: it is not found again.
static int tell_changes(br_static_path *p, keep end, br_error *error) {
    br_implicit *f = p->s.f;
    keep behind[BR_MAX_STATIC_NESTED];
    int count = 0;
    br_static_solution found;
    behind[count++] = end;
    while (count > 0) {
        const keep far = behind[count - 1];
        const double a = f->load_factor, width = fabs(far.factor - a);
        if (!br_static_differ(&p->look, &far.verdict)) {
            if (!step_to(p, far.factor, 0, &found)) return 0;
            br_static_commit(p);
            count--;
            continue;
        }
        br_static_verdict at;
        double middle = 0.5 * (a + far.factor);
        int narrow = width <= br_static_width(p, far.factor) || middle == a || count == BR_MAX_STATIC_NESTED;
        if (narrow) middle = far.factor;
        if (!step_near(p, &middle, width,
                       narrow)) { // too near to the place itself: this is as close as it gets
            if (narrow) return 0;
            narrow = 1, middle = far.factor;
            if (!step_near(p, &middle, width, 1)) return 0;
        }
        if (br_static_look_at(p, &at, error) != BR_OK) return 0;
        if (narrow && br_static_differ(&p->look, &at))
            br_static_add_event(p, BR_STATIC_BRANCH, a, middle, &p->look, &at);
        if (narrow || !br_static_differ(&p->look, &at)) {
            p->look = at;
            br_static_commit(p);
            count -= narrow;
            continue;
        }
        br_static_go_back(&p->s);
        f->load_factor = a;
        if (br_static_differ(&at, &far.verdict))
            behind[count++] = (keep){middle, at};
        else
            behind[count - 1] = (keep){middle, at};
    }
    if (f->load_factor == end.factor) return 1;
    if (!step_to(p, end.factor, 0, &found)) return 0;
    br_static_commit(p);
    return 1;
}

// The nodes are at the end of a step from p->look, and stability is looked at there.
static br_status look_behind(br_static_path *p, double from, br_error *error) {
    br_implicit *f = p->s.f;
    keep end = {.factor = f->load_factor};
    br_status status = br_static_look_at(p, &end.verdict, error);
    if (status != BR_OK) return status;
    const int starts = p->look.neutral > 0 && from == p->begun && from == 0.0; // any place was one of rest
    if (starts || !br_static_differ(&p->look, &end.verdict)) {
        br_static_commit(p);
        p->look = end.verdict;
        return BR_OK;
    }
    br_static_go_back(&p->s);
    f->load_factor = from;
    if (!tell_changes(p, end, error))
        return br_static_fail_limit(p, BR_STATIC_FOUND, f->load_factor, 0, error);
    return br_static_look_at(p, &p->look, error);
}

// No step beyond `from` is found, however short: whether that is a limit point.
static br_status fail_beyond(br_static_path *p, br_static_outcome outcome, br_error *error) {
    br_static *s = &p->s;
    const double factor = s->f->load_factor, way = fabs(factor - p->begun);
    double moved = 0.0;
    for (int i = 0; i < s->f->nodes; i++)
        moved = fmax(moved, br_vec3_distance(s->f->node[i].x1, s->x_start[i]));
    const double steep = take_slope(p) ? sqrt(br_static_dot(s, s->slope, s->slope)) : INFINITY;
    const int limit =
        outcome != BR_STATIC_SINGULAR && steep * way > BR_STATIC_STEEP * fmax(moved, 1e-6 * s->span);
    if (limit) { // the place itself is a point of the path
        br_static_forget(s->f);
        br_static_solution found = br_static_at_factor(s, factor);
        found.iterations += p->iterations;
        br_static_add_event(p, p->settings->until > 0.0 ? BR_STATIC_MAXIMUM : BR_STATIC_MINIMUM, factor,
                            factor, &p->look, &p->look);
        if (found.outcome == BR_STATIC_FOUND && p->report.points <= p->settings->max_steps) {
            const br_status status = br_static_take_point(p, &found, error);
            if (status != BR_OK) return status;
        }
    }
    return br_static_fail_limit(p, outcome, factor, limit, error);
}

static br_status go_to(br_static_path *p, double target, double *step, br_error *error) {
    br_implicit *f = p->s.f;
    const double longest = fabs(p->settings->until) / BR_STATIC_LOOKS;
    while (f->load_factor != target) {
        br_static_solution found = {BR_STATIC_SINGULAR, 0, 0.0};
        const double from = f->load_factor, left = target - from;
        double size = fmin(fmin(*step, longest), fabs(left));
        // What is neutral without loads is not with a little of them: that is no event of the path.
        if (from == 0.0 && p->look.neutral > 0)
            size = fmin(size, BR_STATIC_LITTLE * fabs(p->settings->until));
        const double factor =
            size * (1.0 + BR_STATIC_SLOW_ENDS) >= fabs(left) ? target : from + copysign(size, left);
        const int sloped = take_slope(p);
        if (!step_to(p, factor, sloped, &found)) {
            *step = 0.5 * size;
            p->report.rejected++;
            if (*step < br_static_width(p, from)) return fail_beyond(p, found.outcome, error);
            continue;
        }
        const br_status status = look_behind(p, from, error);
        if (status != BR_OK) return status;
        if (found.iterations <= BR_STATIC_USUAL) *step = fmin(longest, BR_STATIC_GROWTH * fmax(*step, size));
    }
    return BR_OK;
}

br_status br_static_raise(br_static_path *p, br_error *error) {
    const double until = p->settings->until, begun = p->begun;
    double step = INFINITY;
    br_static_solution found = {BR_STATIC_FOUND, 0, 0.0};
    for (int k = 1; !p->ended && p->report.points <= p->settings->max_steps; k++) {
        double target = k * p->first;
        if (fabs(target) <= fabs(begun)) continue;
        if (fabs(target) * (1.0 + BR_STATIC_SLOW_ENDS) >= fabs(until)) target = until;
        p->iterations = 0;
        br_status status = go_to(p, target, &step, error);
        if (status != BR_OK) return status;
        found.iterations = p->iterations, found.residual = br_static_residual(&p->s);
        status = br_static_take_point(p, &found, error);
        if (status != BR_OK || target == until) return status;
    }
    return BR_OK;
}
