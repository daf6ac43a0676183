// Shapes made ready: the frame along the shape's own axes, and what each kind of shape says of itself (shape_kinds.h).
#include <string.h>

#include "base/error.h"
#include "collide/shape_kinds.h"

const br_shape_kind *const br_shape_kinds[BR_SHAPE_TYPES] = {
    [BR_SHAPE_SPHERE] = &br_shape_sphere,     [BR_SHAPE_BOX] = &br_shape_box,
    [BR_SHAPE_CAPSULE] = &br_shape_capsule,   [BR_SHAPE_CYLINDER] = &br_shape_cylinder,
    [BR_SHAPE_DISK] = &br_shape_disk,         [BR_SHAPE_ELLIPSOID] = &br_shape_ellipsoid,
    [BR_SHAPE_CONVEX] = &br_shape_convex,     [BR_SHAPE_PLANE] = &br_shape_plane,
    [BR_SHAPE_HEIGHTFIELD] = &br_shape_field,
};

// Turned so that local z is the definition's axis; an axis along z leaves the pose as it is, to the last bit.
static br_pose shape_frame(const br_shape_def *def) {
    const br_vec3 axis = br_shape_kinds[def->type]->has_axis ? br_vec3_normalize(def->axis) : br_vec3_unit(2);
    if (axis.x == 0.0 && axis.y == 0.0 && axis.z > 0.0) return def->pose;
    const br_quat turn = br_quat_from_mat3(br_tangent_basis(axis));
    return br_pose_of(br_quat_normalize(br_quat_mul(def->pose.rotation, turn)), def->pose.position);
}

br_status br_geometry_make(const br_shape_def *def, br_arena *arena, br_geometry *out, br_error *error) {
    if ((unsigned)def->type >= BR_SHAPE_TYPES)
        return br_fail(error, BR_INVALID, "model-kind", "a shape of no known kind");
    br_geometry g;
    memset(&g, 0, sizeof g);
    g.type = def->type;
    g.X_shape = shape_frame(def);
    const br_status status = br_kind_of(&g)->make(def, arena, &g, error);
    if (status == BR_OK) *out = g;
    return status;
}

int br_geometry_is_round(const br_geometry *g) {
    return br_kind_of(g)->is_round;
}

br_aabb br_geometry_bounds(const br_geometry *g, const br_placement *X) {
    return br_kind_of(g)->bounds(g, X);
}

br_vec3 br_geometry_support(const br_geometry *g, br_vec3 d) {
    return br_kind_of(g)->support ? br_kind_of(g)->support(g, d) : br_vec3_zero();
}

double br_shape_thickness(const br_shape_def *def) {
    return br_shape_kinds[def->type]->thickness(def);
}
