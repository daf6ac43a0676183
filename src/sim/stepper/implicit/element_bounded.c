// What pushes one way or up to a bound: ends of a joint's range, motors within a largest effort. Each is a row that is on or off,
// decided within Newton's method by complementarity.
//
//     limit   gap_1 >= 0,  lambda >= 0,  gap_1 lambda = 0          gap_1 at the end of the step
//             closed: then the velocity at the end is projected to zero with all rows: a blow without restitution
//     motor   y' = target with |lambda| <= max, else lambda = -+max and y' on the side that it cannot reach
//
// Positions and velocities both obey the bound, so nothing drifts and nothing bounces of its own [Bruls, Acary, Cardona 2014];
// what a blow takes is booked as impact. A row that is off is a unit of the matrix: its force is given, its equation empty.
#include "sim/stepper/implicit/element_bounded.h"

#include <stdio.h>

#include "sim/core/control.h"
#include "sim/rows/group.h"
#include "sim/rows/rows.h"
#include "sim/stepper/implicit/element_coordinate.h"
#include "sim/stepper/implicit/element_stick.h"
#include "sim/stepper/refuse.h"
#include "sim/stepper/stepper.h"

enum { COUNTED = 0, MODE, STATES };

#define BR_MOST_SWITCHES 8  // of one row in one solution of a step
#define BR_EPS_CLOSED 1e-12 // rad, or of the model's size: a gap that counts as closed
#define BR_EPS_AT_REST 1e-9 // rad/s, or of the model's size per second
#define BR_EPS_WRONG 1e-9   // rad, or of the model's size: a row that keeps switching may be wrong by so much
#define BR_EPS_WRONG_BOUND 1e-6 // of a bound, or rad/s, or of the model's size per second: the same
#define BR_EPS_EFFORT 1e-12     // of the largest effort
#define BR_MAX_BACK                                                                                          \
    0.01 // rad/s, or of the model's size per second: how fast a joint beyond its limit comes back

typedef struct bounded {
    br_along at; // first, as in all that act along coordinates
    int group;   // limit: of br_sim
    double side; // limit: 1 lower end, -1 upper end
    double end;  // limit: the end of the range. motor: the largest effort
    int drive;
    int mode; // limit: 1 closed. motor: 0 holds, -+1 at its largest effort
    int switches;
    double gap0, floor; // limit: gap at the start of the step; what it must not fall below
    int was;            // mode at the start of the step
} bounded;

int br_bounds_count(const br_implicit *f) {
    return f->sim->stepper == &br_stepper_implicit;
}

int br_element_switches(const br_element *e) {
    return (e->kind->is & BR_ELEMENT_SWITCHES) != 0;
}

int br_element_strikes(const br_element *e) {
    return (e->kind->is & BR_ELEMENT_STRIKES) != 0;
}

static double size_of(const br_implicit *f) {
    return fmax(1.0, f->length);
}

// missed: by how much the mode is wrong, as a part of what would matter. Where a row keeps switching it stays as it is, and the step
// stands if that is rounding.
static void change_mode(br_implicit *f, bounded *p, int mode, double missed) {
    if (p->switches >= BR_MOST_SWITCHES) {
        if (missed > 1.0) f->cycles = 1;
        return;
    }
    p->mode = mode, p->switches++, f->switched = 1;
}

// The row is off: its force is what it is.
static void leave_row(br_implicit *f, br_element *e, double force) {
    e->force[0] = force, e->row_rate[0] = e->row_target[0] = 0.0;
    if (f->tangent) e->ref[2 * e->slots + 2].value[0] += 1.0;
}

// The row is on: y' or y of its coordinate, times side.
static void hold_row(br_implicit *f, br_element *e, const br_span *s, const br_measure *m, const bounded *p,
                     double side, const br_wrench by[2]) {
    br_tangent_by_row(f, e, 0, 2, 0, br_wrench_scale(side, m->G_a));
    br_tangent_by_row(f, e, 1, 2, 0, br_wrench_scale(side, m->G_b));
    br_row_by(f, e, 2, 0, 0, br_wrench_scale(side, by[0]));
    br_row_by(f, e, 2, 0, 1, br_wrench_scale(side, by[1]));
    e->ref[2 * e->slots + 2].value[0] += BR_EPS_SWITCHED;
    br_measure_tangent(f, e, 0, 1, s, &p->at.what, side * e->force[0]);
}

// --- ends of a range ---------------------------------------------------------------------------------------

static void limit_begin(br_implicit *f, br_element *e) {
    bounded *p = e->data;
    e->state[COUNTED] = br_along_counted(f, &p->at);
    p->gap0 = p->side * (e->state[COUNTED] - p->end), p->switches = 0;
    p->floor = fmin(0.0, p->gap0 + BR_MAX_BACK * size_of(f) * f->h);
    p->mode = e->state[MODE] > 0.0;
    if (f->control->h_last == 0.0) // nothing is known of it
        p->mode =
            p->gap0 <= BR_EPS_CLOSED * size_of(f) &&
            p->side * br_coordinate_velocity(f->sim, p->at.joint, p->at.k) <= BR_EPS_AT_REST * size_of(f);
    p->was = p->mode;
    f->arrives[p->at.joint] = 0;
}

static void limit_evaluate(br_implicit *f, br_element *e) {
    bounded *p = e->data;
    if (f->still) { // of equilibrium others judge
        leave_row(f, e, 0.0);
        return;
    }
    const br_span s = br_span_of(f, &p->at.ends);
    const br_measure m = br_measure_of(f, &s, &p->at.what, e->state[COUNTED]);
    const double gap = p->side * (m.y1 - p->end);
    if (f->deciding && p->mode && e->force[0] < 0.0)
        change_mode(f, p, 0, -e->force[0] * f->h * f->h / (f->mass * BR_EPS_WRONG * size_of(f)));
    if (f->deciding && !p->mode && !f->instant && gap < p->floor - BR_EPS_CLOSED * size_of(f))
        change_mode(f, p, 1, (p->floor - gap) / (BR_EPS_WRONG * size_of(f)));
    if (!p->mode) {
        leave_row(f, e, 0.0);
        return;
    }
    if (!p->was) f->arrives[p->at.joint] = 1;
    br_along_push(f, &p->at, &m, p->side * e->force[0], BR_BOOK_ROWS);
    if (f->instant) {
        e->row_target[0] = 0.0;
        e->row_rate[0] = p->side * br_measure_rate(f, &p->at.ends, &m);
    }
    br_row(f, e, 2, 0, gap - p->floor);
    const br_wrench by[2] = {m.G_a1, m.G_b1};
    if (f->tangent) hold_row(f, e, &s, &m, p, p->side, by);
}

// Work of the stop while it was reached: its mean force along what was left of the gap.
static void limit_accept(br_implicit *f, br_element *e) {
    bounded *p = e->data;
    e->state[MODE] = p->mode;
    if (p->mode != p->was) f->jumped = "a joint reached or left its limit within the step";
    if (p->mode) f->impact += e->force[0] * (p->gap0 - p->floor);
}

const br_element_kind br_element_limit = {.name = "limit",
                                          .begin = limit_begin,
                                          .evaluate = limit_evaluate,
                                          .accept = limit_accept,
                                          .is = BR_ELEMENT_SWITCHES | BR_ELEMENT_STRIKES};

// --- motors ------------------------------------------------------------------------------------------------

static void motor_begin(br_implicit *f, br_element *e) {
    bounded *p = e->data;
    e->state[COUNTED] = br_along_counted(f, &p->at);
    p->mode = p->was = (int)e->state[MODE], p->switches = 0;
    if (f->control->h_last != 0.0) return;
    const double lacks =
        br_function_value(br_drive_target(f->sim, p->drive), f->sim->state.at->t, f->sim->values) -
        br_coordinate_velocity(f->sim, p->at.joint, p->at.k);
    p->was = p->mode = (lacks > BR_EPS_AT_REST * size_of(f)) - (lacks < -BR_EPS_AT_REST * size_of(f));
}

static void motor_decide(br_implicit *f, const br_element *e, bounded *p, double too_fast) {
    if (p->mode == 0 && fabs(e->force[0]) > (1.0 + BR_EPS_EFFORT) * p->end)
        change_mode(f, p, e->force[0] > 0.0 ? 1 : -1,
                    (fabs(e->force[0]) / p->end - 1.0) / BR_EPS_WRONG_BOUND);
    else if (p->mode != 0 && !f->instant && p->mode * too_fast > 0.0)
        change_mode(f, p, 0, fabs(too_fast) / (BR_EPS_WRONG_BOUND * size_of(f)));
}

static void motor_evaluate(br_implicit *f, br_element *e) {
    bounded *p = e->data;
    const br_span s = br_span_of(f, &p->at.ends);
    const br_measure m = br_measure_of(f, &s, &p->at.what, e->state[COUNTED]);
    const double target = br_implicit_value(f, br_drive_target(f->sim, p->drive));
    const double rate = br_measure_rate(f, &p->at.ends, &m);
    if (f->deciding) motor_decide(f, e, p, rate - target);
    if (p->mode != 0 && !f->still) leave_row(f, e, p->mode * p->end);
    br_along_push(f, &p->at, &m, e->force[0], BR_BOOK_INPUT);
    f->sim->drive_effort[p->drive] = e->force[0];
    if (p->mode != 0 && !f->still) {
        if (f->tangent) br_measure_tangent(f, e, 0, 1, &s, &p->at.what, e->force[0]);
        return;
    }
    if (f->instant) e->row_target[0] = target, e->row_rate[0] = rate - target;
    if (!f->still) br_row(f, e, 2, 0, (rate - target) * f->h);
    if (!f->tangent) return;
    br_wrench by[2] = {m.G_a1, m.G_b1};
    if (!f->instant && !f->still) {
        br_measure_rate_by(f, &p->at.ends, &m, &by[0], &by[1]);
        by[0] = br_wrench_scale(f->h, by[0]), by[1] = br_wrench_scale(f->h, by[1]);
    }
    hold_row(f, e, &s, &m, p, 1.0, by);
}

static void motor_accept(br_implicit *f, br_element *e) {
    const bounded *p = e->data;
    if (p->mode != p->was) f->jumped = "a motor reached or left its largest effort within the step";
    e->state[MODE] = p->mode;
}

const br_element_kind br_element_motor = {.name = "motor",
                                          .begin = motor_begin,
                                          .evaluate = motor_evaluate,
                                          .accept = motor_accept,
                                          .is = BR_ELEMENT_SWITCHES | BR_ELEMENT_MOVES | BR_ELEMENT_SHIFTS};

// --- all ---------------------------------------------------------------------------------------------------

static br_status add_bounded(br_implicit *f, const br_element_kind *kind, int index, const bounded *def) {
    bounded *p = BR_TAKE(f->arena, bounded, 1);
    if (!p) return BR_NO_MEMORY;
    *p = *def;
    const int nodes[2] = {p->at.ends.a, p->at.ends.b};
    br_element *e =
        br_element_add(f, kind, index, nodes, 2, f->sim->model->joint[p->at.joint].link, 1, STATES);
    if (!e) return BR_NO_MEMORY;
    e->data = p;
    f->bounded++;
    return BR_OK;
}

br_status br_elements_bounded(br_implicit *f, br_error *error) {
    const br_model *m = f->sim->model;
    br_status status = BR_OK;
    (void)error;
    if (!br_bounds_count(f)) return BR_OK;
    for (int d = 0; d < m->drives && status == BR_OK; d++) {
        bounded p = {.drive = d, .end = m->drive[d].max_effort};
        if (br_drive_is_bounded_motor(&m->drive[d]) &&
            br_along_of(f, m->drive[d].joint, m->drive[d].coordinate, &p.at))
            status = add_bounded(f, &br_element_motor, d, &p);
    }
    for (int g = 0; g < f->sim->groups && status == BR_OK; g++) {
        const br_group *group = &f->sim->group[g];
        if (group->kind != &br_group_limit) continue;
        const br_coordinate c = group->coordinates[0];
        bounded p = {.group = g, .side = group->side, .drive = -1};
        p.end = p.side > 0.0 ? m->joint[c.joint].lower[c.k] : m->joint[c.joint].upper[c.k];
        if (br_along_of(f, c.joint, c.k, &p.at)) status = add_bounded(f, &br_element_limit, g, &p);
    }
    return status;
}

static void tell_reached(br_sim *sim, const br_group *group) {
    br_event event = {.t = sim->state.at->t, .kind = BR_EVENT_LIMIT, .value = group->force[0]};
    snprintf(event.name, sizeof event.name, "%s", br_group_name(sim, group));
    if (sim->event) sim->event(sim->event_context, &event);
}

void br_bounded_tell(br_implicit *f) {
    for (int k = 0; f->bounded > 0 && k < f->elements; k++) {
        const br_element *e = &f->element[k];
        if (e->kind != &br_element_limit) continue;
        const bounded *p = e->data;
        br_group *group = &f->sim->group[p->group];
        group->force[0] = e->state[MODE] > 0.0 ? fmax(0.0, e->force[0] + e->impulse[0]) : 0.0;
        if (f->telling && p->mode && !p->was) tell_reached(f->sim, group);
    }
}
