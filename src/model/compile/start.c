// Where the model starts: q and v of every tree joint, from its own position and velocity or from the poses
// and velocities of the bodies; and, at that start, the rows of the loops.
//
// A tree joint decides where its link is, so a body whose given pose its joint cannot reach is moved, and a
// note says so. Loops are closed later, by the simulation.
#include <string.h>

#include "base/finite.h"
#include "model/compile/compile.h"

// Poses and velocities typed with the digits of a double agree to this, relative to their size.
#define BR_EPS_FITS 1e-9

static br_pose pose_of_motion(const br_joint_motion *motion) {
    return br_pose_of(br_quat_from_mat3(motion->R_FM), motion->p_FM);
}

// X_FM at the poses of the bodies as given.
static br_pose given_pose(const br_compile *c, int j) {
    const br_pose X_WA = br_compile_given(c, c->first[j]), X_WB = br_compile_given(c, c->second[j]);
    return br_pose_between(br_pose_mul(X_WA, c->X_AF[j]), br_pose_mul(X_WB, c->X_BM[j]));
}

static double length_scale(const br_compile *c, int j) {
    return br_vec3_norm(br_compile_given(c, c->first[j]).position) +
           br_vec3_norm(br_compile_given(c, c->second[j]).position) + br_vec3_norm(c->X_AF[j].position) +
           br_vec3_norm(c->X_BM[j].position);
}

// Positions that are given place a joint; else the bodies do.
static br_status start_position(br_compile *c, int link, br_joint_motion *motion) {
    br_model *m = c->model;
    const int j = m->link_joint[link];
    const br_model_joint *joint = &m->joint[j];
    double *q = m->q_start + joint->q_at;
    const br_pose given = given_pose(c, j);
    joint->kind->measure(joint->parameter, br_quat_to_mat3(given.rotation), given.position,
                         m->q_bodies + joint->q_at);
    m->joint[j].position_given = c->def[j]->has_position;
    if (c->def[j]->has_position) {
        memcpy(q, c->def[j]->position, (size_t)joint->kind->nq * sizeof *q);
        joint->kind->pose(joint->parameter, q, motion);
        return BR_OK;
    }
    memcpy(q, m->q_bodies + joint->q_at, (size_t)joint->kind->nq * sizeof *q);
    joint->kind->pose(joint->parameter, q, motion);
    const br_pose reached = pose_of_motion(motion);
    double off = br_vec3_distance(given.position, reached.position);
    double turned = br_quat_angle(given.rotation, reached.rotation);
    if (off <= BR_EPS_FITS * length_scale(c, j)) off = 0.0; // rounding: not worth saying beside the other
    if (turned <= BR_EPS_FITS) turned = 0.0;
    if (off == 0.0 && turned == 0.0) return BR_OK;
    return br_compile_note(c, "body %s was moved by %.3g m and %.3g deg to fit joint %s",
                           m->body[m->link_body[link]].name, off, turned * 180.0 / BR_PI, joint->name);
}

static br_status note_angle(br_compile *c, const br_model_joint *joint, int k, double q) {
    const double deg = 180.0 / BR_PI, lower = joint->lower[k], upper = joint->upper[k];
    return br_compile_note(
        c, "joint %s starts at %.6g rad (%.6g deg), outside its limits %.6g and %.6g rad (%.6g and %.6g deg)",
        joint->name, q, q * deg, lower, upper, lower * deg, upper * deg);
}

static br_status note_limits(br_compile *c, const br_model_joint *joint) {
    const double *q = c->model->q_start + joint->q_at;
    br_status status = BR_OK;
    for (int k = 0; status == BR_OK && k < br_joint_type_plain(joint->type); k++)
        if (q[k] < joint->lower[k] || q[k] > joint->upper[k])
            status = joint->kind->angles >> k & 1u
                         ? note_angle(c, joint, k, q[k])
                         : br_compile_note(c, "joint %s starts at %.6g m, outside its limits %.6g and %.6g m",
                                           joint->name, q[k], joint->lower[k], joint->upper[k]);
    return status;
}

// --- velocities --------------------------------------------------------------------------------------------

static br_twist at_point(br_twist V, br_vec3 from, br_vec3 to) {
    V.linear = br_twist_at_point(V, br_vec3_sub(to, from));
    return V;
}

static br_twist to_world(br_quat q_WF, br_twist V) {
    return br_twist_of(br_quat_rotate(q_WF, V.angular), br_quat_rotate(q_WF, V.linear));
}

static br_twist to_frame(br_quat q_WF, br_twist V) {
    return to_world(br_quat_conjugate(q_WF), V);
}

// v that brings the link nearest to the velocity given to its body. V_P: the parent's twist at M's origin.
static br_status follow_body(br_compile *c, int link, const br_joint_motion *motion, br_quat q_WF,
                             br_vec3 p_WM, br_twist V_P, double *v) {
    const br_model *m = c->model;
    const br_model_joint *joint = &m->joint[m->link_joint[link]];
    const br_model_body *body = &m->body[m->link_body[link]];
    const br_body_def *def = &c->builder->body[m->link_body[link]];
    const br_vec3 com = br_pose_point(br_pose_mul(c->X_WL[link], body->X_LB), body->com_B);
    const br_twist V_B = at_point(br_twist_of(def->angular_velocity, def->velocity), com, p_WM);
    br_twist V_FM = to_frame(q_WF, br_twist_sub(V_B, V_P));
    if (joint->reversed) V_FM = br_twist_scale(-1.0, V_FM);
    br_joint_velocity(joint->kind->nv, motion, V_FM, v);
    br_twist rest = V_FM;
    for (int k = 0; k < joint->kind->nv; k++) rest = br_twist_sub(rest, br_twist_scale(v[k], motion->S[k]));
    const double angular = br_vec3_norm(V_B.angular) + br_vec3_norm(V_P.angular);
    const double linear = br_vec3_norm(V_B.linear) + br_vec3_norm(V_P.linear) + br_vec3_norm(def->velocity);
    double slip = br_vec3_norm(rest.linear), spin = br_vec3_norm(rest.angular);
    if (slip <= BR_EPS_FITS * linear) slip = 0.0;
    if (spin <= BR_EPS_FITS * angular) spin = 0.0;
    if (slip == 0.0 && spin == 0.0) return BR_OK;
    return br_compile_note(c,
                           "the velocity of body %s was changed by %.3g m/s and %.3g rad/s to fit joint %s",
                           body->name, slip, spin, joint->name);
}

// v of the link's joint and the link's twist, after its pose is known.
static br_status start_velocity(br_compile *c, int link, const br_joint_motion *motion) {
    const br_model *m = c->model;
    const int j = m->link_joint[link], parent = m->tree.link[link].parent;
    const br_model_joint *joint = &m->joint[j];
    double *v = m->v_start + joint->v_at;
    br_pose X_WF, X_WM;
    br_compile_joint_frames(c, j, &X_WF, &X_WM);
    br_twist V_P = br_twist_of(br_vec3_zero(), br_vec3_zero());
    if (parent >= 0) V_P = at_point(c->V[parent], c->X_WL[parent].position, X_WM.position);

    br_status status = BR_OK;
    if (c->def[j]->has_velocity)
        memcpy(v, c->def[j]->velocity, (size_t)joint->kind->nv * sizeof *v);
    else if (c->builder->body[m->link_body[link]].has_velocity)
        status = follow_body(c, link, motion, X_WF.rotation, X_WM.position, V_P, v);
    br_twist V_FM = br_twist_of(br_vec3_zero(), br_vec3_zero());
    for (int k = 0; k < joint->kind->nv; k++) V_FM = br_twist_add(V_FM, br_twist_scale(v[k], motion->S[k]));
    V_FM = to_world(X_WF.rotation, V_FM);
    const br_twist V = joint->reversed ? br_twist_sub(V_P, V_FM) : br_twist_add(V_P, V_FM);
    c->V[link] = at_point(V, X_WM.position, c->X_WL[link].position);
    return status;
}

// --- the walk ----------------------------------------------------------------------------------------------

static br_pose link_pose(const br_compile *c, int link) {
    return link < 0 ? br_pose_identity() : c->X_WL[link];
}

void br_compile_joint_frames(const br_compile *c, int j, br_pose *X_WF, br_pose *X_WM) {
    const br_model_joint *joint = &c->model->joint[j];
    *X_WF = br_pose_mul(link_pose(c, joint->first), joint->X_AF);
    *X_WM = br_pose_mul(link_pose(c, joint->second), joint->X_BM);
}

static br_status note_unused_start(br_compile *c, int j) {
    const br_joint_def *def = c->def[j];
    if (!def->has_position && !def->has_velocity) return BR_OK;
    return br_compile_note(
        c, "joint %s closes a loop: its %s follows from the other joints, what is given is not used",
        def->name,
        !def->has_velocity   ? "position"
        : !def->has_position ? "velocity"
                             : "position and velocity");
}

// Numbers near the end of the range of a double overflow on the way; better said here than met in a step.
static br_status check_finite_start(br_compile *c, int link) {
    const br_model *m = c->model;
    const br_link *l = &m->tree.link[link];
    const br_sym3 I = l->inertia_L;
    const br_place place = {"bodies", m->body[m->link_body[link]].name, c->error};
    const int finite = br_all_finite(l->kind->nq, m->q_start + l->q_at) &&
                       br_all_finite(l->kind->nv, m->v_start + l->v_at) &&
                       br_vec3_is_finite(c->X_WL[link].position) && br_vec3_is_finite(c->V[link].linear) &&
                       br_vec3_is_finite(l->moment_L) && isfinite(I.xx + I.yy + I.zz + I.xy + I.xz + I.yz);
    if (finite) return BR_OK;
    return br_fail_place(
        &place, "model-not-finite", NULL,
        "the start or the inertia of body %s, at its joint %s, is too large to be computed with", place.name,
        m->joint[m->link_joint[link]].name);
}

br_status br_compile_start(br_compile *c) {
    br_model *m = c->model;
    m->q_start = BR_TAKE(&m->arena, double, m->tree.nq);
    m->v_start = BR_TAKE(&m->arena, double, m->tree.nv);
    m->q_bodies = BR_TAKE(&m->arena, double, m->tree.nq);
    if (!br_arena_ok(&m->arena)) return br_compile_no_memory(c);
    br_status status = BR_OK;
    for (int i = 0; status == BR_OK && i < m->tree.links; i++) {
        const br_model_joint *joint = &m->joint[m->link_joint[i]];
        br_joint_motion motion;
        memset(&motion, 0, sizeof motion);
        status = start_position(c, i, &motion);
        const br_pose X_FM = pose_of_motion(&motion);
        const br_pose X_WP = link_pose(c, m->tree.link[i].parent);
        c->X_WL[i] = joint->reversed ? br_pose_mul(br_pose_mul(X_WP, joint->X_BM), br_pose_inverse(X_FM))
                                     : br_pose_mul(br_pose_mul(X_WP, joint->X_AF), X_FM);
        c->X_WL[i].rotation =
            br_quat_normalize(c->X_WL[i].rotation); // long chains would drift off unit length
        if (status == BR_OK) status = note_limits(c, joint);
        if (status == BR_OK) status = start_velocity(c, i, &motion);
        if (status == BR_OK) status = check_finite_start(c, i);
    }
    for (int k = 0; status == BR_OK && k < m->loops; k++) status = note_unused_start(c, m->loop[k].joint);
    return status;
}

// --- rows of loops -----------------------------------------------------------------------------------------

// The part of a row that acts in the plane: force across the normal, torque about it.
static double in_plane(br_wrench T, br_vec3 normal_F) {
    const br_vec3 across = br_vec3_add_scaled(T.force, -br_vec3_dot(T.force, normal_F), normal_F);
    return fmax(br_vec3_norm(across), fabs(br_vec3_dot(T.torque, normal_F)));
}

// Frames have an axis along the normal (br_compile_turn_frames), so a row is in the plane or across it.
#define BR_EPS_IN_PLANE 1e-6

static br_status distance_row(br_compile *c, br_model_loop *loop) {
    const br_joint_def *def = c->def[loop->joint];
    const br_place place = {"joints", def->name, c->error};
    loop->rows = 1;
    loop->length = def->length > 0.0 ? def->length : br_vec3_norm(given_pose(c, loop->joint).position);
    if (loop->length > 0.0) return BR_OK;
    return br_fail_place(
        &place, "joint-length", "length",
        "the points of distance joint %s coincide; give them apart, or a length, or use spherical",
        def->name);
}

int br_compile_rows(const br_compile *c, int j, br_joint_motion *motion, int *row) {
    const br_model_joint *joint = &c->model->joint[j];
    br_pose X_WF, X_WM;
    br_compile_joint_frames(c, j, &X_WF, &X_WM);
    const br_pose X_FM = br_pose_between(X_WF, X_WM);
    const br_vec3 normal_F = br_pose_vector_inverse(X_WF, c->model->normal);
    memset(motion, 0, sizeof *motion);
    double q[BR_MAX_JOINT_Q] = {0};
    joint->kind->measure(joint->parameter, br_quat_to_mat3(X_FM.rotation), X_FM.position, q);
    joint->kind->pose(joint->parameter, q, motion);
    joint->kind->complement(joint->parameter, q, motion);
    int rows = 0;
    for (int r = 0; r < 6 - joint->kind->nv; r++)
        if (!br_compile_is_planar(c) || in_plane(motion->T[r], normal_F) > BR_EPS_IN_PLANE) row[rows++] = r;
    return rows;
}

br_status br_compile_loops(br_compile *c) {
    br_model *m = c->model;
    for (int k = 0; k < m->loops; k++) {
        br_model_loop *loop = &m->loop[k];
        if (m->joint[loop->joint].type == BR_JOINT_TENDON) continue; // holds nothing: no rows
        if (!m->joint[loop->joint].kind) {
            const br_status status = distance_row(c, loop);
            if (status != BR_OK) return status;
            continue;
        }
        br_joint_motion motion;
        loop->rows = br_compile_rows(c, loop->joint, &motion, loop->row);
    }
    return BR_OK;
}
