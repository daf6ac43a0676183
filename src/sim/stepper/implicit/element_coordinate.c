// What acts along joint coordinates: springs, dampers, servos, efforts, prescribed motions, gears.
//
//     spring    -k (y - rest) - c y'        y at the end of the step, or the mean of its ends
//     drive     y = target(t), or y' = target: a row
//     coupling  y_1 + ratio y_2 = offset: a row
#include "sim/stepper/implicit/element_coordinate.h"

#include "base/error.h"
#include "sim/core/control.h"
#include "sim/stepper/implicit/element_bounded.h"
#include "sim/stepper/refuse.h"

int br_along_of(const br_implicit *f, int joint, int k, br_along *out) {
    const br_model_joint *j = &f->sim->model->joint[joint];
    out->joint = joint, out->k = k;
    out->ends = br_ends_of(f, j->first, j->second, j->X_AF, j->X_BM);
    return br_measured_coordinate(j, k, &out->what);
}

// The coordinate as the state counts it.
double br_along_counted(const br_implicit *f, const br_along *c) {
    const br_model_joint *j = &f->sim->model->joint[c->joint];
    const int at = br_position_index(j, c->k);
    if (at < 0) return 0.0;
    return j->link >= 0 ? f->sim->state.q[j->q_at + at] : f->sim->state.loop_q[j->q_at + at];
}

static void begin_counted(br_implicit *f, br_element *e) {
    e->state[0] = br_along_counted(f, e->data);
}

// --- springs, dampers, servos, efforts ---------------------------------------------------------------------

typedef struct spring {
    br_along at; // first: begin_counted reads it
    double stiffness, damping, rest, max_effort;
    int drive; // -1: a spring
    int effort;
} spring;

void br_along_push(br_implicit *f, const br_along *c, const br_measure *m, double force, br_book book) {
    br_push(f, c->ends.a, br_wrench_scale(force, m->G_a), book);
    br_push(f, c->ends.b, br_wrench_scale(force, m->G_b), book);
}

// The force changes by k_end times y1 and by k_rate times y'.
static void spring_tangent(br_implicit *f, br_element *e, const br_along *c, const br_span *s,
                           const br_measure *m, double force, double k_end, double k_rate) {
    br_wrench by[2];
    br_measure_tangent(f, e, 0, 1, s, &c->what, force);
    br_measure_rate_by(f, &c->ends, m, &by[0], &by[1]);
    const br_wrench end[2] = {m->G_a1, m->G_b1}, mean[2] = {m->G_a, m->G_b};
    for (int b = 0; b < 2; b++)
        by[b] = br_wrench_add(br_wrench_scale(k_end, end[b]), br_wrench_scale(k_rate, by[b]));
    br_tangent_outer(f, e, mean, 1.0, by);
}

static void evaluate_spring(br_implicit *f, br_element *e) {
    const spring *p = e->data;
    const br_along *c = &p->at;
    const br_span s = br_span_of(f, &c->ends);
    const br_measure m = br_measure_of(f, &s, &c->what, e->state[0]);
    const double rate = br_measure_rate(f, &c->ends, &m);
    if (p->effort) {
        const double asked = br_implicit_value(f, br_drive_target(f->sim, p->drive));
        const double force = f->load_factor * fmax(-p->max_effort, fmin(p->max_effort, asked));
        f->sim->drive_effort[p->drive] = force;
        br_along_push(f, c, &m, force, BR_BOOK_INPUT);
        if (f->tangent) br_measure_tangent(f, e, 0, 1, &s, &c->what, force);
        return;
    }
    const double rest = p->drive >= 0 ? br_implicit_value(f, br_drive_target(f->sim, p->drive)) : p->rest;
    const double y = f->half == 1.0 ? m.y1 : 0.5 * (m.y0 + m.y1);
    const double elastic = c->what.kind == BR_MEASURE_SPIN ? 0.0 : -p->stiffness * (y - rest);
    const double damper = -p->damping * rate;
    if (p->drive < 0) {
        br_along_push(f, c, &m, elastic, BR_BOOK_ELASTIC);
        br_along_push(f, c, &m, damper, BR_BOOK_DAMPING);
    } else {
        const double force = fmax(-p->max_effort, fmin(p->max_effort, elastic + damper));
        f->sim->drive_effort[p->drive] = force;
        br_along_push(f, c, &m, force, BR_BOOK_INPUT);
        if (force !=
            elastic + damper) { // at its largest effort: it has no stiffness, but turns with its joint
            if (f->tangent && f->still) br_measure_tangent(f, e, 0, 1, &s, &c->what, force);
            return;
        }
    }
    if (f->tangent)
        spring_tangent(f, e, c, &s, &m, elastic + damper,
                       c->what.kind == BR_MEASURE_SPIN ? 0.0 : -p->stiffness * f->half, -p->damping);
}

static double energy_spring(br_implicit *f, br_element *e) {
    const spring *p = e->data;
    if (p->drive >= 0 || p->at.what.kind == BR_MEASURE_SPIN) return 0.0;
    const br_span s = br_span_of(f, &p->at.ends);
    const double l = br_measure_of(f, &s, &p->at.what, e->state[0]).y1 - p->rest;
    return 0.5 * p->stiffness * l * l;
}

static const char *spring_label(const br_model *model, int index) {
    return model->joint[index].name;
}

const br_element_kind br_element_spring = {
    .name = "spring",
    .begin = begin_counted,
    .evaluate = evaluate_spring,
    .energy = energy_spring,
    .what = "the spring or damper of joint",
    .label = spring_label,
};

static br_status add_spring(br_implicit *f, const spring *def) {
    spring *p = BR_TAKE(f->arena, spring, 1);
    if (!p) return BR_NO_MEMORY;
    *p = *def;
    const int nodes[2] = {p->at.ends.a, p->at.ends.b};
    br_element *e = br_element_add(f, &br_element_spring, p->at.joint, nodes, 2, -1, 0, 1);
    if (!e) return BR_NO_MEMORY;
    e->data = p;
    return BR_OK;
}

br_status br_elements_springs(br_implicit *f, br_error *error) {
    const br_model *m = f->sim->model;
    br_status status = BR_OK;
    (void)error;
    for (int j = 0; j < m->joints; j++) {
        const br_model_joint *joint = &m->joint[j];
        for (int k = 0; joint->kind && k < joint->kind->nv && status == BR_OK; k++) {
            if (joint->stiffness[k] == 0.0 && joint->damping[k] == 0.0) continue;
            spring p = {.stiffness = joint->stiffness[k],
                        .damping = joint->damping[k],
                        .rest = joint->rest[k],
                        .max_effort = INFINITY,
                        .drive = -1};
            if (br_along_of(f, j, k, &p.at)) status = add_spring(f, &p);
        }
    }
    for (int d = 0; d < m->drives && status == BR_OK; d++) {
        const br_model_drive *drive = &m->drive[d];
        if (drive->type != BR_DRIVE_SERVO && drive->type != BR_DRIVE_EFFORT) continue;
        spring p = {.stiffness = drive->stiffness,
                    .damping = drive->damping,
                    .max_effort = drive->max_effort,
                    .drive = d,
                    .effort = drive->type == BR_DRIVE_EFFORT};
        if (br_along_of(f, drive->joint, drive->coordinate, &p.at)) status = add_spring(f, &p);
    }
    return status;
}

// --- prescribed motions ------------------------------------------------------------------------------------

typedef struct motion {
    br_along at;
    int drive, position;
} motion;

static void evaluate_drive(br_implicit *f, br_element *e) {
    const motion *p = e->data;
    const br_function *target = br_drive_target(f->sim, p->drive);
    const br_along *c = &p->at;
    const br_span s = br_span_of(f, &c->ends);
    const br_measure m = br_measure_of(f, &s, &c->what, e->state[0]);
    const double rate = br_measure_rate(f, &c->ends, &m);
    br_along_push(f, c, &m, e->force[0], BR_BOOK_INPUT);
    f->sim->drive_effort[p->drive] = e->force[0];
    if (f->instant) {
        e->row_target[0] = p->position ? br_jet_rate(f, target) : br_implicit_value(f, target);
        e->row_rate[0] = rate - e->row_target[0];
    }
    if (p->position)
        br_row(f, e, 2, 0, m.y1 - br_function_value(target, f->t_end, f->sim->values));
    else if (!f->still) // else it keeps its place
        br_row(f, e, 2, 0, (rate - br_implicit_value(f, target)) * f->h);
    if (!f->tangent) return;
    br_wrench by[2] = {m.G_a1, m.G_b1};
    if (!p->position && !f->instant && !f->still) {
        br_measure_rate_by(f, &c->ends, &m, &by[0], &by[1]);
        by[0] = br_wrench_scale(f->h, by[0]), by[1] = br_wrench_scale(f->h, by[1]);
    }
    br_tangent_by_row(f, e, 0, 2, 0, m.G_a), br_tangent_by_row(f, e, 1, 2, 0, m.G_b);
    br_row_by(f, e, 2, 0, 0, by[0]), br_row_by(f, e, 2, 0, 1, by[1]);
    br_measure_tangent(f, e, 0, 1, &s, &c->what, e->force[0]);
}

static const char *drive_label(const br_model *model, int index) {
    return model->drive[index].name;
}

const br_element_kind br_element_drive = {
    .name = "drive",
    .begin = begin_counted,
    .evaluate = evaluate_drive,
    .is = BR_ELEMENT_MOVES | BR_ELEMENT_SHIFTS,
    .what = "drive",
    .label = drive_label,
};

br_status br_elements_drives(br_implicit *f, br_error *error) {
    const br_model *m = f->sim->model;
    (void)error;
    for (int d = 0; d < m->drives; d++) {
        const br_model_drive *drive = &m->drive[d];
        if (drive->type != BR_DRIVE_POSITION && drive->type != BR_DRIVE_VELOCITY) continue;
        if (br_bounds_count(f) && br_drive_is_bounded_motor(drive)) continue;
        motion *p = BR_TAKE(f->arena, motion, 1);
        if (!p) return BR_NO_MEMORY;
        p->drive = d, p->position = drive->type == BR_DRIVE_POSITION;
        if (!br_along_of(f, drive->joint, drive->coordinate, &p->at)) continue;
        const int nodes[2] = {p->at.ends.a, p->at.ends.b};
        br_element *e = br_element_add(f, &br_element_drive, d, nodes, 2, m->joint[drive->joint].link, 1, 1);
        if (!e) return BR_NO_MEMORY;
        e->data = p;
    }
    return BR_OK;
}

// --- gears, racks ------------------------------------------------------------------------------------------

typedef struct coupling {
    br_along at[2];
    double factor[2];
    int index;
} coupling;

static void begin_coupling(br_implicit *f, br_element *e) {
    const coupling *p = e->data;
    e->state[0] = br_along_counted(f, &p->at[0]), e->state[1] = br_along_counted(f, &p->at[1]);
}

static void evaluate_coupling(br_implicit *f, br_element *e) {
    const coupling *p = e->data;
    double value = -f->sim->coupling_offset[p->index];
    if (f->instant) e->row_rate[0] = 0.0;
    for (int k = 0; k < 2; k++) {
        const br_along *c = &p->at[k];
        const br_span s = br_span_of(f, &c->ends);
        const br_measure m = br_measure_of(f, &s, &c->what, e->state[k]);
        const double factor = p->factor[k];
        value += factor * m.y1;
        if (f->instant) e->row_rate[0] += factor * br_measure_rate(f, &c->ends, &m);
        br_along_push(f, c, &m, factor * e->force[0], BR_BOOK_ROWS);
        if (!f->tangent) continue;
        br_tangent_by_row(f, e, 2 * k, 4, 0, br_wrench_scale(factor, m.G_a));
        br_tangent_by_row(f, e, 2 * k + 1, 4, 0, br_wrench_scale(factor, m.G_b));
        br_row_by(f, e, 4, 0, 2 * k, br_wrench_scale(factor, m.G_a1));
        br_row_by(f, e, 4, 0, 2 * k + 1, br_wrench_scale(factor, m.G_b1));
        br_measure_tangent(f, e, 2 * k, 2 * k + 1, &s, &c->what, factor * e->force[0]);
    }
    br_row(f, e, 4, 0, value);
}

static const char *coupling_label(const br_model *model, int index) {
    return model->joint[model->coupling[index].joint].name;
}

const br_element_kind br_element_coupling = {
    .name = "coupling",
    .begin = begin_coupling,
    .evaluate = evaluate_coupling,
    .what = "joint",
    .label = coupling_label,
};

br_status br_elements_couplings(br_implicit *f, br_error *error) {
    const br_model *m = f->sim->model;
    (void)error;
    for (int i = 0; i < m->couplings; i++) {
        const br_model_coupling *def = &m->coupling[i];
        coupling *p = BR_TAKE(f->arena, coupling, 1);
        if (!p) return BR_NO_MEMORY;
        p->index = i, p->factor[0] = 1.0, p->factor[1] = def->ratio;
        if (!br_along_of(f, def->joint_1, def->coordinate_1, &p->at[0]) ||
            !br_along_of(f, def->joint_2, def->coordinate_2, &p->at[1]))
            continue;
        const int nodes[4] = {p->at[0].ends.a, p->at[0].ends.b, p->at[1].ends.a, p->at[1].ends.b};
        br_element *e = br_element_add(f, &br_element_coupling, i, nodes, 4, -1, 1, 2);
        if (!e) return BR_NO_MEMORY;
        e->data = p;
    }
    return BR_OK;
}

// --- linear constraints on velocities ----------------------------------------------------------------------

typedef struct term {
    int joint; // -1: a point
    br_along at;
    int link;
    br_vec3 arm, direction;
    int in_world_axes;
    const br_function *coefficient;
    int slot; // first of its slots
} term;

typedef struct constraint {
    int terms;
    term *term;
    const br_function *value;
} constraint;

static br_wrench point_row(br_implicit *f, const term *t, int end) {
    const br_node *n = br_node_at(f, t->link);
    const br_mat3 R = end ? n->R1 : n->R;
    const br_vec3 e = t->in_world_axes ? t->direction : br_mat3_mul_vec(R, t->direction);
    return br_wrench_of_force(e, br_mat3_mul_vec(R, t->arm));
}

static void evaluate_constraint(br_implicit *f, br_element *e) {
    const constraint *p = e->data;
    const int row = e->slots - 1;
    const int direct = f->instant || f->still; // of moves, not of velocities; in equilibrium it forbids them
    double value = -br_implicit_value(f, p->value);
    for (int k = 0; k < p->terms; k++) {
        const term *t = &p->term[k];
        const double c = br_implicit_value(f, t->coefficient);
        br_measure m = {0};
        br_wrench by[2] = {{{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}, {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}};
        br_ends ends = t->at.ends;
        if (t->joint >= 0) {
            const br_span s = br_span_of(f, &ends);
            m = br_measure_of(f, &s, &t->at.what, 0.0);
        } else {
            ends.a = -1, ends.b = t->link;
            m.G_b = point_row(f, t, 0), m.G_b1 = point_row(f, t, 1);
        }
        value += c * br_measure_rate(f, &ends, &m);
        br_along_push(f, &(br_along){.ends = ends}, &m, c * e->force[0], BR_BOOK_INPUT);
        if (!f->tangent) continue;
        br_measure_rate_by(f, &ends, &m, &by[0], &by[1]);
        if (direct) by[0] = m.G_a1, by[1] = m.G_b1;
        const double scale = c * (direct ? 1.0 : f->h);
        const int a = t->slot, b = t->joint >= 0 ? a + 1 : a;
        if (t->joint >= 0) {
            br_tangent_by_row(f, e, a, row, 0, br_wrench_scale(c, m.G_a));
            br_row_by(f, e, row, 0, a, br_wrench_scale(scale, by[0]));
        }
        br_tangent_by_row(f, e, b, row, 0, br_wrench_scale(c, m.G_b));
        br_row_by(f, e, row, 0, b, br_wrench_scale(scale, by[1]));
        // A direction fixed in the body turns with it: d rate has the part rate . dG, which matters for blades.
        if (t->joint < 0 && !direct && !t->in_world_axes) {
            const br_node *n = br_node_at(f, t->link);
            const br_vec3 e1 = br_mat3_mul_vec(n->R1, t->direction), v = n->rate.linear;
            br_row_by(f, e, row, 0, b,
                      br_wrench_scale(scale * f->half, br_wrench_of(br_vec3_cross(e1, v), br_vec3_zero())));
        }
    }
    if (f->instant) e->row_rate[0] = value, e->row_target[0] = br_implicit_value(f, p->value);
    if (!f->still) br_row(f, e, row, 0, value * f->h);
}

static const char *constraint_label(const br_model *model, int index) {
    return model->constraint[index].name;
}

const br_element_kind br_element_constraint = {
    .name = "constraint",
    .evaluate = evaluate_constraint,
    .is = BR_ELEMENT_SHIFTS | BR_ELEMENT_OF_WORLD,
    .what = "constraint",
    .label = constraint_label,
};

static br_status add_constraint(br_implicit *f, int index, br_error *error) {
    const br_model_constraint *def = &f->sim->model->constraint[index];
    constraint *p = BR_TAKE(f->arena, constraint, 1);
    int nodes[BR_MAX_SLOTS], count = 0;
    if (!p || !(p->term = BR_TAKE(f->arena, term, def->terms))) return BR_NO_MEMORY;
    p->terms = def->terms, p->value = def->value;
    for (int k = 0; k < def->terms; k++) {
        const br_model_term *from = &def->term[k];
        term *t = &p->term[k];
        t->joint = from->joint, t->link = from->link, t->direction = from->direction;
        t->in_world_axes = from->in_world_axes, t->coefficient = from->coefficient, t->slot = count;
        if (count + 2 >= BR_MAX_SLOTS)
            return br_fail(
                error, BR_INVALID, "run-constraint",
                "constraint '%s' has %d terms, more than the implicit stepper takes; use the contact stepper",
                def->name, def->terms);
        if (t->joint >= 0) {
            br_along_of(f, t->joint, from->coordinate, &t->at);
            nodes[count++] = t->at.ends.a, nodes[count++] = t->at.ends.b;
        } else {
            t->arm = t->link >= 0 ? br_vec3_sub(from->point_L, f->node[t->link].com) : from->point_L;
            nodes[count++] = t->link;
        }
    }
    br_element *e = br_element_add(f, &br_element_constraint, index, nodes, count, -1, 1, 0);
    if (!e) return BR_NO_MEMORY;
    e->data = p;
    return BR_OK;
}

br_status br_elements_constraints(br_implicit *f, br_error *error) {
    br_status status = BR_OK;
    for (int i = 0; status == BR_OK && i < f->sim->model->constraints; i++)
        status = add_constraint(f, i, error);
    return status;
}
