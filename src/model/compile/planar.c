// Planar models: joint frames that know the plane's normal, and the checks that nothing leaves the plane.
#include <string.h>

#include "math/elementary.h"
#include "model/compile/compile.h"

// Axes typed with the digits of a double are parallel, or perpendicular, to this.
#define BR_EPS_PARALLEL 1e-9

// The turn about the normal that is in q_WB: R_WB = twist * tilt, with the tilt constant while the body moves
// in the plane. A body upside down has none.
static br_quat turn_about(br_vec3 normal, br_quat q_WB) {
    const double along = br_vec3_dot(normal, br_quat_vector(q_WB));
    if (br_hypot(along, q_WB.w) < BR_EPS_PARALLEL) return br_quat_identity();
    return br_quat_normalize(br_quat_of(q_WB.w, along * normal.x, along * normal.y, along * normal.z));
}

// z along the normal; x and y the plane's axes in cyclic order: (x, y), (y, z), (z, x).
static br_quat plane_axes(br_planar planar) {
    const int z = planar == BR_PLANAR_XY ? 2 : planar == BR_PLANAR_XZ ? 1 : 0;
    return br_quat_from_mat3(
        br_mat3_of_columns(br_vec3_unit((z + 1) % 3), br_vec3_unit((z + 2) % 3), br_vec3_unit(z)));
}

// M is at the body's origin and F in the world at its height, so that the coordinates are the body's position
// in the plane and its angle.
void br_compile_planar_frames(const br_compile *c, int body, br_pose *X_AF, br_pose *X_BM) {
    const br_vec3 normal = c->model->normal;
    const br_pose X_WB = c->builder->body[body].pose;
    const br_quat q_WF = plane_axes(c->builder->settings.planar);
    *X_AF = br_pose_of(q_WF, br_vec3_scale(br_vec3_dot(normal, X_WB.position), normal));
    const br_quat q_WM = br_quat_mul(turn_about(normal, X_WB.rotation), q_WF);
    *X_BM = br_pose_of(br_quat_mul(br_quat_conjugate(X_WB.rotation), q_WM), br_vec3_zero());
}

// A weld or a prismatic joint may come with any axes across its own. Rows are forces and torques along axes
// of F; with one of those along the normal each row is either in the plane or across it, and exactly the
// redundant ones go.
static br_status turn_frame(br_compile *c, int j) {
    const br_pose X_WF = br_pose_mul(br_compile_given(c, c->first[j]), c->X_AF[j]);
    const br_vec3 n = br_pose_vector_inverse(X_WF, c->model->normal);
    if (br_vec3_max_abs(n) > 1.0 - BR_EPS_PARALLEL * BR_EPS_PARALLEL) return BR_OK; // 1 - cos is quadratic
    const br_quat turn = c->def[j]->type == BR_JOINT_WELD
                             ? br_quat_from_mat3(br_tangent_basis(n))
                             : br_quat_from_axis_angle(br_vec3_unit(2), br_atan2(n.y, n.x));
    c->X_AF[j].rotation = br_quat_normalize(br_quat_mul(c->X_AF[j].rotation, turn));
    c->X_BM[j].rotation = br_quat_normalize(br_quat_mul(c->X_BM[j].rotation, turn));
    if (br_vec3_max_abs(n) > 1.0 - BR_EPS_PARALLEL) return BR_OK; // rounding of the axes as given
    return br_compile_note(
        c, "the frames of joint %s were turned so that the plane's normal is one of their axes",
        c->def[j]->name);
}

static br_joint_axis axis_of(br_joint_type type) {
    const br_joint_kind *kind = br_joint_kind_of(type);
    return kind ? kind->axis : BR_AXIS_NONE;
}

br_status br_compile_turn_frames(br_compile *c) {
    if (!br_compile_is_planar(c)) return BR_OK;
    br_status status = BR_OK;
    for (int j = 0; status == BR_OK && j < c->joints; j++)
        if (c->def[j]->type == BR_JOINT_WELD || axis_of(c->def[j]->type) == BR_AXIS_IN_PLANE)
            status = turn_frame(c, j);
    return status;
}

static br_status check_axis(br_compile *c, int j) {
    const br_model_joint *joint = &c->model->joint[j];
    const br_place place = {"joints", joint->name, c->error};
    const int turns = axis_of(joint->type) == BR_AXIS_NORMAL;
    if (!turns && axis_of(joint->type) != BR_AXIS_IN_PLANE) return BR_OK;
    br_pose frame[2];
    br_compile_joint_frames(c, j, &frame[0], &frame[1]);
    for (int k = 0; k < 2; k++) {
        const br_vec3 z = br_pose_vector(frame[k], br_vec3_unit(2)), n = c->model->normal;
        const double off = turns ? br_vec3_norm(br_vec3_cross(z, n)) : fabs(br_vec3_dot(z, n));
        if (off > BR_EPS_PARALLEL)
            return br_fail_place(
                &place, "planar-axis", "axis",
                "the axis (%g, %g, %g) of joint %s is %.3g deg off %s, as a planar model needs it", z.x, z.y,
                z.z, joint->name, br_asin(fmin(off, 1.0)) * 180.0 / BR_PI,
                turns ? "the plane's normal" : "the plane");
    }
    return BR_OK;
}

static br_status check_velocity(br_compile *c, const br_body_def *def) {
    const br_place place = {"bodies", def->name, c->error};
    const br_vec3 n = c->model->normal, w = def->angular_velocity;
    if (!def->has_velocity) return BR_OK;
    const double off = fabs(br_vec3_dot(n, def->velocity)), tilting = br_vec3_norm(br_vec3_cross(n, w));
    if (off <= BR_EPS_PARALLEL * br_vec3_norm(def->velocity) && tilting <= BR_EPS_PARALLEL * br_vec3_norm(w))
        return BR_OK;
    return br_fail_place(
        &place, "planar-velocity", "velocity",
        "body %s leaves the plane of the model with %g m/s and tilts with %g rad/s; both must be 0",
        def->name, off, tilting);
}

br_status br_compile_planar(br_compile *c) {
    if (!br_compile_is_planar(c)) return BR_OK;
    br_status status = BR_OK;
    for (int j = 0; status == BR_OK && j < c->joints; j++) status = check_axis(c, j);
    for (int b = 0; status == BR_OK && b < c->bodies; b++) status = check_velocity(c, &c->builder->body[b]);
    return status;
}
