// Rows of joints: each row is a scalar of the relative pose that stays zero, with its force lambda along the gradient.
//
//     forces    E_i . d = 0              torques about x, y   E_y . N_z = 0, E_x . N_z = 0       about z   E_x . N_y = 0
//     universal E_z . N_x = 0            screw  E_z . d - pitch/2pi angle = 0                      distance (d.d - L^2)/2L = 0
#include "sim/stepper/implicit/implicit.h"

static void measure_row(br_implicit *f, br_element *e, const br_span *s, int r, br_measure *m) {
    br_joint_rows *j = e->data;
    *m = br_measure_of(f, s, &j->what[r], 0.0);
    if (!j->screw[r]) return;
    const br_measured turn = {BR_MEASURE_ANGLE, 2, 0, 0.0};
    const br_measure angle = br_measure_of(f, s, &turn, e->state[0]);
    const double p = -j->parameter;
    m->y0 += p * angle.y0, m->y1 += p * angle.y1;
    m->G_a = br_wrench_add(m->G_a, br_wrench_scale(p, angle.G_a));
    m->G_b = br_wrench_add(m->G_b, br_wrench_scale(p, angle.G_b));
    m->G_a1 = br_wrench_add(m->G_a1, br_wrench_scale(p, angle.G_a1));
    m->G_b1 = br_wrench_add(m->G_b1, br_wrench_scale(p, angle.G_b1));
}

static br_wrench unit_F(const br_joint_rows *j, const br_span *s, int r) {
    const br_measured *w = &j->what[r];
    if (w->kind == BR_MEASURE_DISTANCE)
        return br_wrench_of(br_vec3_zero(), br_vec3_scale(1.0 / w->length, br_mat3_tmul_vec(s->E1, s->d1)));
    if (w->kind == BR_MEASURE_AXES)
        return br_wrench_of(
            br_mat3_tmul_vec(s->E1, br_vec3_cross(br_mat3_column(s->N1, w->j), br_mat3_column(s->E1, w->i))),
            br_vec3_zero());
    return br_wrench_of(j->screw[r] ? br_vec3_of(0.0, 0.0, -j->parameter) : br_vec3_zero(),
                        br_vec3_unit(w->i));
}

static void joint_evaluate(br_implicit *f, br_element *e) {
    br_joint_rows *j = e->data;
    const br_span s = br_span_of(f, &j->ends);
    for (int r = 0; r < j->rows; r++) {
        br_measure m;
        measure_row(f, e, &s, r, &m);
        j->unit_F[r] = unit_F(j, &s, r);
        br_push(f, j->ends.a, br_wrench_scale(e->force[r], m.G_a), BR_BOOK_ROWS);
        br_push(f, j->ends.b, br_wrench_scale(e->force[r], m.G_b), BR_BOOK_ROWS);
        br_row(f, e, 2, r, m.y1);
        if (f->half == 1.0) e->row_rate[r] = br_measure_rate(f, &j->ends, &m);
        if (!f->tangent) continue;
        br_tangent_by_row(f, e, 0, 2, r, m.G_a), br_tangent_by_row(f, e, 1, 2, r, m.G_b);
        br_row_by(f, e, 2, r, 0, m.G_a1), br_row_by(f, e, 2, r, 1, m.G_b1);
        br_measure_tangent(f, e, 0, 1, &s, &j->what[r], e->force[r]);
    }
}

static void accept(br_implicit *f, br_element *e) {
    br_joint_rows *j = e->data;
    if (e->states == 0) return;
    const br_span s = br_span_of(f, &j->ends);
    const br_measured turn = {BR_MEASURE_ANGLE, 2, 0, 0.0};
    e->state[0] = br_measure_of(f, &s, &turn, e->state[0]).y1;
}

static const char *joint_label(const br_model *model, int index) {
    return model->joint[index].name;
}

const br_element_kind br_element_joint = {
    .name = "joint",
    .evaluate = joint_evaluate,
    .accept = accept,
    .is = BR_ELEMENT_CLOSES,
    .what = "joint",
    .label = joint_label,
};

// Which scalar the row T of the kind keeps.
static void row_of(const br_model_joint *joint, br_wrench T, br_joint_rows *out) {
    const int r = out->rows++;
    br_measured *w = &out->what[r];
    int force = -1, torque = -1;
    for (int k = 0; k < 3; k++) {
        if (fabs(br_vec3_get(T.force, k)) > 0.5 * br_vec3_norm(T.force) && br_vec3_norm(T.force) > 0.0)
            force = k;
        if (fabs(br_vec3_get(T.torque, k)) > 0.5 * br_vec3_norm(T.torque) && br_vec3_norm(T.torque) > 0.0)
            torque = k;
    }
    if (joint->type == BR_JOINT_UNIVERSAL && force < 0) {
        *w = (br_measured){BR_MEASURE_AXES, 2, 0, 0.0};
    } else if (joint->type == BR_JOINT_SCREW && (force == 2 || torque == 2)) {
        *w = (br_measured){BR_MEASURE_POINT, 2, 0, 0.0};
        out->screw[r] = 1;
    } else if (force >= 0) {
        *w = (br_measured){BR_MEASURE_POINT, force, 0, 0.0};
    } else {
        static const int pair[3][2] = {{1, 2}, {0, 2}, {0, 1}};
        *w = (br_measured){BR_MEASURE_AXES, pair[torque][0], pair[torque][1], 0.0};
    }
}

static br_status add_joint(br_implicit *f, int index) {
    const br_model *m = f->sim->model;
    const br_model_joint *joint = &m->joint[index];
    const br_model_loop *loop = joint->loop >= 0 ? &m->loop[joint->loop] : NULL;
    br_joint_rows *rows = BR_TAKE(f->arena, br_joint_rows, 1);
    if (!rows) return BR_NO_MEMORY;
    rows->parameter = joint->parameter;
    if (joint->type == BR_JOINT_DISTANCE) {
        rows->rows = 1;
        rows->what[0] = (br_measured){BR_MEASURE_DISTANCE, 0, 0, loop->length};
    } else {
        br_joint_motion motion;
        double q[BR_MAX_JOINT_Q] = {0.0};
        joint->kind->measure(joint->parameter, br_mat3_identity(), br_vec3_zero(), q);
        joint->kind->pose(joint->parameter, q, &motion);
        joint->kind->complement(joint->parameter, q, &motion);
        const int count = loop ? loop->rows : 6 - joint->kind->nv;
        for (int r = 0; r < count; r++) row_of(joint, motion.T[loop ? loop->row[r] : r], rows);
    }
    if (rows->rows == 0) return BR_OK;
    rows->ends = br_ends_of(f, joint->first, joint->second, joint->X_AF, joint->X_BM);
    const int nodes[2] = {joint->first, joint->second};
    br_element *e = br_element_add(f, &br_element_joint, index, nodes, 2, joint->link, rows->rows,
                                   joint->type == BR_JOINT_SCREW ? 1 : 0);
    if (!e) return BR_NO_MEMORY;
    e->data = rows;
    f->joint_element[index] = (int)(e - f->element);
    return BR_OK;
}

br_status br_elements_joints(br_implicit *f, br_error *error) {
    (void)error;
    br_status status = BR_OK;
    for (int j = 0; status == BR_OK && j < f->sim->model->joints; j++) {
        const br_model_joint *joint = &f->sim->model->joint[j];
        if (joint->kind || joint->type == BR_JOINT_DISTANCE) status = add_joint(f, j);
    }
    return status;
}

// With the impulse of the last projection: the mean force of a step is both, and within a step it hardly changes.
br_wrench br_joint_reaction_F(br_implicit *f, int joint) {
    br_wrench R = br_wrench_of(br_vec3_zero(), br_vec3_zero());
    if (f->joint_element[joint] < 0) return R;
    const br_element *e = &f->element[f->joint_element[joint]];
    const br_joint_rows *j = e->data;
    for (int r = 0; r < j->rows; r++)
        R = br_wrench_add(R, br_wrench_scale(e->force[r] + e->impulse[r], j->unit_F[r]));
    return R;
}
