// Joint frames from a point and axes of the world, see model.h.
#include <string.h>

#include "math/elementary.h"
#include "model/build/station.h"
#include "model/def/validate.h"
#include "tree/joint.h"

int br_builder_pose(const br_builder *builder, const char *body, br_pose *X_WB) {
    const int index = br_names_find(&builder->body_names, body);
    const int world = body && strcmp(body, BR_WORLD) == 0;
    int beam;
    double station;
    if (index < 0 && !world) {
        if (br_station_find(builder, body, &beam, &station) != BR_STATION_GOOD) return 0;
        *X_WB = br_station_pose(builder, beam, station);
        return 1;
    }
    *X_WB = world ? br_pose_identity() : builder->body[index].pose;
    return 1;
}

// Axes within this of parallel, or of perpendicular, count as such: a direction typed with seven digits.
#define BR_EPS_DIRECTION 1e-6

static br_status check_axis(const br_place *place, const char *field, const br_vec3 *axis) {
    if (!axis) return BR_OK;
    const double length = br_vec3_norm(*axis);
    if (length > 0.0 && isfinite(length)) return BR_OK;
    return br_fail_place(place, "joint-axis", field,
                         "the %s (%g, %g, %g) of joint %s has length %g, expected a direction", field,
                         axis->x, axis->y, axis->z, place->name, length);
}

// The rotation of the frame with z along the axis and x along, or as near as can be to, x_W.
static br_status frame_axes(br_vec3 z, br_vec3 x, br_joint_type type, const br_place *place, br_quat *out) {
    const double along = br_vec3_dot(x, z);
    if (type == BR_JOINT_UNIVERSAL && fabs(along) > BR_EPS_DIRECTION)
        return br_fail_place(place, "joint-axis", "axis_2",
                             "the two axes of universal joint %s are %g degrees apart, expected 90",
                             place->name, br_acos(along) * 180.0 / BR_PI);
    const br_vec3 across = br_vec3_add_scaled(x, -along, z);
    if (br_vec3_norm(across) < BR_EPS_DIRECTION)
        return br_fail_place(place, "joint-axis", "axis_2", "the second axis of joint %s is along the first",
                             place->name);
    x = br_vec3_normalize(across);
    *out = br_quat_from_mat3(br_mat3_of_columns(x, br_vec3_cross(z, x), z));
    return BR_OK;
}

static int has_axis(br_joint_type type) {
    const br_joint_kind *kind = br_joint_kind_of(type);
    return kind ? kind->axis != BR_AXIS_NONE : type != BR_JOINT_DISTANCE;
}

static br_status world_axes(const br_builder *builder, const br_joint_def *def, const br_vec3 *axis_W,
                            const br_vec3 *x_W, br_pose X_WB, const br_place *place, br_quat *out) {
    if (!has_axis(def->type) && !axis_W && !x_W) {
        *out = X_WB.rotation;
        return BR_OK;
    }
    const br_vec3 normal = br_planar_normal(builder->settings.planar);
    const int planar = br_vec3_norm_squared(normal) > 0.0;
    const br_joint_kind *kind = br_joint_kind_of(def->type);
    const int about_normal = planar && kind && kind->axis == BR_AXIS_NORMAL;
    br_vec3 z = br_vec3_unit(2);
    if (axis_W)
        z = br_vec3_normalize(*axis_W);
    else if (about_normal)
        z = normal;
    if (x_W) return frame_axes(z, br_vec3_normalize(*x_W), def->type, place, out);
    if (planar && fabs(br_vec3_dot(normal, z)) < BR_EPS_DIRECTION)
        return frame_axes(z, normal, BR_JOINT_WELD, place, out);
    *out = br_quat_from_mat3(br_tangent_basis(z));
    return BR_OK;
}

br_status br_builder_place_joint(const br_builder *builder, br_joint_def *def, br_vec3 point_W,
                                 const br_vec3 *axis_W, const br_vec3 *x_W, br_error *error) {
    const br_place place = {"joints", def->name ? def->name : "", error};
    if ((int)def->type < 0 || def->type >= BR_JOINT_TYPES || def->type == BR_JOINT_GEAR ||
        def->type == BR_JOINT_RACK_PINION)
        return br_fail_place(&place, "joint-axis", NULL, "joint %s (%s) has no frames to place", place.name,
                             br_joint_type_name(def->type));
    br_pose X_WA, X_WB;
    for (int side = 0; side < 2; side++) {
        const char *body = side ? def->second : def->first;
        if (!br_builder_pose(builder, body, side ? &X_WB : &X_WA))
            return br_fail_unknown_body(&place, br_joint_type_name(def->type), body, builder);
    }
    br_status status = BR_OK;
    if (!br_vec3_is_finite(point_W))
        status = br_fail_place(&place, "model-not-finite", "at", "the point of joint %s is not finite",
                               place.name);
    if (status == BR_OK) status = check_axis(&place, "axis", axis_W);
    if (status == BR_OK) status = check_axis(&place, "axis_2", x_W);
    br_quat q_WJ = br_quat_identity();
    if (status == BR_OK) status = world_axes(builder, def, axis_W, x_W, X_WB, &place, &q_WJ);
    if (status != BR_OK) return status;
    const br_pose X_WJ = br_pose_of(q_WJ, point_W);
    def->X_AF = br_pose_between(X_WA, X_WJ);
    def->X_BM = br_pose_between(X_WB, X_WJ);
    return BR_OK;
}
