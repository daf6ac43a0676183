// The path by steps of arc length, past limit points. See statics/statics.h.
//
// Where stability changes within a step without the factor turning, paths cross there: the place is found by bisection of
// the step's length, each time from the step's start.
#include "sim/study/statics/statics.h"

#include <stdlib.h>
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
#define BR_STATIC_TOGETHER                                                                                   \
    1e-3 // of a step: a change of stability this near to a limit point is the limit point's
#define BR_STATIC_APART                                                                                      \
    10.0 // two ends of a bracket farther apart than this times its length are not on one path
#define BR_MAX_STATIC_HALVES 40
#define BR_STATIC_IDLE 1e-9 // of the mechanism's size: loads move nothing

// Cosine between the last step and the one that was found.
static double alignment(const br_static_path *p, double change, const double *taken) {
    const br_static *s = &p->s;
    const double w = s->weight * s->weight;
    const double size = br_static_dot(s, taken, taken) + w * change * change;
    const double last = br_static_dot(s, s->along, s->along) + w * s->along_factor * s->along_factor;
    const double common = br_static_dot(s, taken, s->along) + w * change * s->along_factor;
    return p->report.points <= 1 ? 1.0 : common / sqrt(size * last);
}

// dfactor/dlength at the end of a step.
static double slope_after(const br_static_path *p, double change, const double *taken) {
    const br_static *s = &p->s;
    const double w = s->weight * s->weight;
    const double sense = br_static_dot(s, taken, s->by_load) + w * change;
    return copysign(1.0 / sqrt(br_static_dot(s, s->by_load, s->by_load) + w), sense);
}

// The step once more, with this length; the slope at its end. 0: it is not found.
static double slope_at(br_static_path *p, double from, double length, br_static_solution *found) {
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
static double turning_factor(br_static_path *p, double from, double slope_a, double slope_b, double length,
                             double *place, br_static_solution *found) {
    double a = 0.0, b = length, factor = p->s.f->load_factor;
    const double small = BR_STATIC_LEVEL * fabs(slope_a);
    for (int k = 0; k < BR_STATIC_LOCATE; k++) {
        const double x = (a * slope_b - b * slope_a) / (slope_b - slope_a),
                     slope = slope_at(p, from, x, found);
        if (found->outcome != BR_STATIC_FOUND) break;
        factor = p->s.f->load_factor, *place = x;
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
static br_status end_at(br_static_path *p, double until, br_error *error) {
    br_static *s = &p->s;
    const double beyond = s->f->load_factor;
    br_static_begin(s);
    br_static_solution found = br_static_at_factor(s, until);
    if (found.outcome != BR_STATIC_FOUND) {
        br_static_go_back(s);
        found = br_static_at_factor(s, beyond);
        if (found.outcome != BR_STATIC_FOUND)
            return br_static_fail_limit(p, found.outcome, p->report.last.factor, 0, error);
    }
    return br_static_take_point(p, &found, error);
}

// One end of a bracket within a step.
typedef struct place {
    double length, factor;
    br_static_verdict verdict;
} place;

static int look_within(br_static_path *p, double from, double length, place *out) {
    br_static_solution found;
    slope_at(p, from, length, &found);
    p->report.iterations += found.iterations;
    if (found.outcome != BR_STATIC_FOUND) return 0;
    *out = (place){.length = length, .factor = p->s.f->load_factor};
    return br_static_look_at(p, &out->verdict, NULL) == BR_OK;
}

// How far the ends of a bracket are from each other, m. Uses the solution as scratch.
static double apart(br_static_path *p, double from, const place *a, const place *b) {
    br_static *s = &p->s;
    br_static_solution found;
    double *first = s->slope, *second = s->f->solution;
    slope_at(p, from, a->length, &found);
    br_static_step_taken(s, first);
    slope_at(p, from, b->length, &found);
    br_static_step_taken(s, second);
    for (int k = 0; k < s->f->unknowns; k++) second[k] -= first[k];
    return sqrt(br_static_dot(s, second, second));
}

// The first change of stability behind a, at most up to b, which becomes its end. 0: not found, or not on this path.
static int bracket(br_static_path *p, double from, place *a, place *b) {
    for (int k = 0; k < BR_MAX_STATIC_HALVES; k++) {
        const double width = fabs(b->factor - a->factor);
        place middle;
        if (b->length - a->length <= 1e-6 * b->length && width <= br_static_width(p, b->factor)) break;
        if (!look_within(p, from, 0.5 * (a->length + b->length), &middle) &&
            !look_within(p, from, 0.55 * a->length + 0.45 * b->length, &middle))
            break;
        *(br_static_differ(&a->verdict, &middle.verdict) ? b : a) = middle;
    }
    return apart(p, from, a, b) <= BR_STATIC_APART * (b->length - a->length) + 1e-7 * p->s.span;
}

// All changes of stability of a step of this length; turn: where the factor turns, 0: nowhere. 0: the step is to be shorter.
static int tell_changes(br_static_path *p, double from, double length, double turn,
                        const br_static_verdict *end) {
    const int events = p->report.events;
    place a = {0.0, from, p->look};
    while (br_static_differ(&a.verdict, end)) {
        place b = {length, INFINITY, *end};
        if (!bracket(p, from, &a, &b)) {
            p->report.events = events;
            return 0;
        }
        if (!(turn > 0.0) || fabs(b.length - turn) > BR_STATIC_TOGETHER * length)
            br_static_add_event(p, BR_STATIC_BRANCH, a.factor, b.factor, &a.verdict, &b.verdict);
        if (b.length >= length) break;
        a = b;
    }
    return 1;
}

// The step has crossed something: where, and the step once more. 0: it is to be shorter.
static int look_behind(br_static_path *p, double from, double length, double turn,
                       const br_static_verdict *end, br_static_solution *found) {
    const int at_limit =
        turn > 0.0 && abs(end->unstable - p->look.unstable) == 1 && end->flutter == p->look.flutter;
    if (at_limit || !br_static_differ(&p->look, end)) return 1;
    if (!tell_changes(p, from, length, turn, end)) return 0;
    slope_at(p, from, length, found);
    return found->outcome == BR_STATIC_FOUND;
}

// One step of the arc. 0: taken, or the path has come to its end; else the step is to be taken again, shorter.
static int step_along(br_static_path *p, double length, int smallest, double *straight,
                      br_static_solution *found) {
    br_static *s = &p->s;
    br_implicit *f = s->f;
    const double from = p->report.last.factor, slope_before = p->slope;
    double *taken = f->solution, turn = 0.0, limit = 0.0; // taken: free between solutions
    br_static_verdict end;
    br_static_begin(s);
    *found = br_static_at_length(s, length);
    if (found->outcome != BR_STATIC_FOUND) return 1;
    br_static_step_taken(s, taken);
    const double slope = slope_after(p, f->load_factor - from, taken);
    const int turned = slope_before * slope < 0.0;
    *straight = alignment(p, f->load_factor - from, taken);
    if (*straight < BR_STATIC_LOST) return 1;
    if (turned) {
        turn = length;
        limit = turning_factor(p, from, slope_before, slope, length, &turn, found);
        if (found->outcome != BR_STATIC_FOUND) return 1;
        // The end of the path comes before the limit, and is for a shorter step to find.
        const double left = from - p->settings->until;
        if (left * (limit - p->settings->until) < 0.0 && !smallest) return 1;
    }
    if (br_static_look_at(p, &end, NULL) != BR_OK) return 1;
    if (!look_behind(p, from, length, turn, &end, found)) return 1;
    if (turned)
        br_static_add_event(p, slope_before > 0.0 ? BR_STATIC_MAXIMUM : BR_STATIC_MINIMUM, from, limit,
                            &p->look, &end);
    br_static_step_taken(s, taken);
    memcpy(s->along, taken, (size_t)f->unknowns * sizeof *taken);
    s->along_factor = f->load_factor - from;
    p->slope = slope, p->look = end;
    return 0;
}

// Events of the last step that are beyond the end of the path.
static void forget_beyond(br_static_path *p, double from, int events) {
    br_static_report *r = &p->report;
    const double until = p->settings->until;
    while (r->events > events && r->events <= BR_MAX_STATIC_EVENTS &&
           (from - until) * (r->event[r->events - 1].factor - until) < 0.0)
        r->events--;
}

// Gravity, loads and efforts at the factor 1, not rows.
static int are_there_loads(br_static *s) {
    br_implicit *f = s->f;
    double sum = 0.0;
    const double kept = f->load_factor;
    for (int side = 0; side < 2; side++) {
        f->load_factor = side == 0 ? kept + 1.0 : kept;
        f->tangent = 0;
        br_implicit_look(f);
        br_implicit_evaluate(f);
        for (int i = 0; i < f->nodes; i++) {
            const br_wrench F = br_wrench_add(f->book[BR_BOOK_GRAVITY][i], f->book[BR_BOOK_INPUT][i]);
            if (side == 0) sum += br_vec3_norm(F.force) + br_vec3_norm(F.torque);
        }
    }
    return sum > 0.0;
}

// The first length is that of the first step of the load; moves and the factor have equal parts in it.
static br_status start_arc(br_static_path *p, br_error *error) {
    br_static *s = &p->s;
    br_implicit *f = s->f;
    if (br_static_factor(s) != BR_OK)
        return br_static_fail_limit(p, BR_STATIC_SINGULAR, p->report.last.factor, 0, error);
    br_static_by_load(s);
    double size = sqrt(br_static_dot(s, s->by_load, s->by_load));
    if (!isfinite(size) || !are_there_loads(s))
        return br_fail(error, BR_INVALID, "static-no-load",
                       "arc length follows what the loads do, and there are none at the start; give a load, "
                       "an effort or gravity that is not 0 at t = %.9g s, or leave --arc out",
                       f->sim->state.at->t);
    // Loads that move nothing yet, as on a perfect column without stretch: the factor alone has a length.
    if (size * fabs(p->settings->until) < BR_STATIC_IDLE * s->span) size = s->span / fabs(p->settings->until);
    s->weight = size;
    memset(s->along, 0, (size_t)f->unknowns * sizeof *s->along);
    s->along_factor = p->settings->until;
    p->slope = copysign(1.0 / sqrt(2.0) / size, p->settings->until);
    p->first = fabs(p->first) * sqrt(2.0) * size;
    return BR_OK;
}

br_status br_static_follow(br_static_path *p, br_error *error) {
    br_static *s = &p->s;
    const br_status started = start_arc(p, error);
    if (started != BR_OK) return started;
    const double until = p->settings->until, shortest = BR_STATIC_SMALLEST * p->first;
    const double longest = fmax(p->first, BR_STATIC_LONGEST * s->span);
    double length = p->first;
    while (!p->ended && p->report.points <= p->settings->max_steps) {
        const double from = p->report.last.factor;
        const int events = p->report.events;
        double straight = 0.0;
        br_static_solution found;
        if (step_along(p, length, 0.5 * length < shortest, &straight, &found)) {
            p->report.rejected++, p->report.iterations += found.iterations;
            br_static_go_back(s);
            s->f->load_factor = from;
            length *= 0.5;
            if (length < shortest) return br_static_fail_limit(p, found.outcome, from, 0, error);
            continue;
        }
        if ((from - until) * (s->f->load_factor - until) <= 0.0 && from != until) {
            forget_beyond(p, from, events);
            return end_at(p, until, error);
        }
        const br_status status = br_static_take_point(p, &found, error);
        if (status != BR_OK) return status;
        if (p->report.events > events && length < p->first)
            length = p->first;
        else if (found.iterations <= BR_STATIC_USUAL && straight > BR_STATIC_STRAIGHT)
            length = fmin(BR_STATIC_GROWTH * length, longest);
    }
    return BR_OK;
}
