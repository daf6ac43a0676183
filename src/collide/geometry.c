// Shapes made ready: the frame along the shape's own axes, its bounding box and its support function.
#include <string.h>

#include "base/error.h"
#include "collide/field.h"
#include "collide/hull.h"
#include "collide/pair.h"

// Up to this many vertices a polytope is scanned; above, the walk from neighbour to neighbour is shorter.
#define BR_MAX_HULL_SCAN 32

// --- making --------------------------------------------------------------------------------------------------------

static int has_axis(br_shape_type type) {
    return type == BR_SHAPE_CAPSULE || type == BR_SHAPE_CYLINDER || type == BR_SHAPE_DISK ||
           type == BR_SHAPE_PLANE;
}

// Turned so that local z is the definition's axis; an axis along z leaves the pose as it is, to the last bit.
static br_pose shape_frame(const br_shape_def *def) {
    const br_vec3 axis = has_axis(def->type) ? br_vec3_normalize(def->axis) : br_vec3_unit(2);
    if (axis.x == 0.0 && axis.y == 0.0 && axis.z > 0.0) return def->pose;
    const br_quat turn = br_quat_from_mat3(br_tangent_basis(axis));
    return br_pose_of(br_quat_normalize(br_quat_mul(def->pose.rotation, turn)), def->pose.position);
}

static br_status make_hull(const br_shape_def *def, br_arena *arena, br_geometry *g, br_error *error) {
    br_hull *hull = NULL;
    const br_status status = br_hull_make(def->points, def->point_count, arena, &hull, error);
    if (status != BR_OK) return status;
    br_vec3 low = hull->vertex[0], high = low;
    for (int k = 1; k < hull->vertices; k++) {
        const br_vec3 v = hull->vertex[k];
        low = br_vec3_of(fmin(low.x, v.x), fmin(low.y, v.y), fmin(low.z, v.z));
        high = br_vec3_of(fmax(high.x, v.x), fmax(high.y, v.y), fmax(high.z, v.z));
    }
    g->hull = hull;
    g->half = br_vec3_scale(0.5, br_vec3_sub(high, low));
    g->centre = br_vec3_add(low, g->half);
    for (int k = 0; k < hull->vertices; k++)
        g->reach = fmax(g->reach, br_vec3_distance(hull->vertex[k], g->centre));
    g->size = br_vec3_max_abs(g->half);
    return BR_OK;
}

// The box of a field reaches as far below its lowest point as the field is wide, since it is solid there.
static br_status make_field(const br_shape_def *def, br_arena *arena, br_geometry *g, br_error *error) {
    br_field *field = NULL;
    const br_status status = br_field_make(def, arena, &field, error);
    if (status != BR_OK) return status;
    const double x = 0.5 * field->spacing_x * (field->columns - 1),
                 y = 0.5 * field->spacing_y * (field->rows - 1);
    const double low = field->lowest - 2.0 * fmax(x, y);
    g->field = field;
    g->half = br_vec3_of(x, y, 0.5 * (field->highest - low));
    g->centre = br_vec3_of(x, y, 0.5 * (field->highest + low));
    g->reach = br_vec3_norm(g->half);
    g->size = fmax(field->spacing_x, field->spacing_y);
    return BR_OK;
}

static void make_round(const br_shape_def *def, br_geometry *g) {
    g->radius = def->size.x;
    if (def->type == BR_SHAPE_CAPSULE || def->type == BR_SHAPE_CYLINDER) g->half_length = 0.5 * def->length;
    g->reach = def->type == BR_SHAPE_CAPSULE ? g->half_length + g->radius
                                             : sqrt(g->half_length * g->half_length + g->radius * g->radius);
    g->size = fmax(g->radius, g->half_length);
}

br_status br_geometry_make(const br_shape_def *def, br_arena *arena, br_geometry *out, br_error *error) {
    br_geometry g;
    memset(&g, 0, sizeof g);
    g.type = def->type;
    g.X_shape = shape_frame(def);
    br_status status = BR_OK;
    switch (def->type) {
    case BR_SHAPE_SPHERE:
    case BR_SHAPE_CAPSULE:
    case BR_SHAPE_CYLINDER:
    case BR_SHAPE_DISK:
        make_round(def, &g);
        break;
    case BR_SHAPE_BOX:
        g.half = br_vec3_scale(0.5, def->size);
        g.reach = br_vec3_norm(g.half);
        g.size = br_vec3_max_abs(g.half);
        break;
    case BR_SHAPE_ELLIPSOID:
        g.half = def->size;
        g.reach = g.size = br_vec3_max_abs(g.half);
        break;
    case BR_SHAPE_CONVEX:
        status = make_hull(def, arena, &g, error);
        break;
    case BR_SHAPE_HEIGHTFIELD:
        status = make_field(def, arena, &g, error);
        break;
    case BR_SHAPE_PLANE:
        g.reach = INFINITY;
        break;
    case BR_SHAPE_TYPES:
        return br_fail(error, BR_INVALID, "model-kind", "a shape of no known kind");
    }
    if (status == BR_OK) *out = g;
    return status;
}

// --- bounds --------------------------------------------------------------------------------------------------------

static br_aabb box_about(br_vec3 centre, br_vec3 extent) {
    const br_aabb r = {br_vec3_sub(centre, extent), br_vec3_add(centre, extent)};
    return r;
}

// |R| h: how far a box with half lengths h reaches along the world's axes.
static br_vec3 box_extent(const br_mat3 *R, br_vec3 h) {
    return br_vec3_of(fabs(R->m[0][0]) * h.x + fabs(R->m[0][1]) * h.y + fabs(R->m[0][2]) * h.z,
                      fabs(R->m[1][0]) * h.x + fabs(R->m[1][1]) * h.y + fabs(R->m[1][2]) * h.z,
                      fabs(R->m[2][0]) * h.x + fabs(R->m[2][1]) * h.y + fabs(R->m[2][2]) * h.z);
}

// Half length along row i's axis of the solid sum of a segment (half_length) and a circle (radius).
static double cylinder_extent(const br_geometry *g, const double *row) {
    return fabs(row[2]) * g->half_length + g->radius * sqrt(row[0] * row[0] + row[1] * row[1]);
}

static double ellipsoid_extent(const br_geometry *g, const double *row) {
    return br_vec3_norm(br_vec3_of(row[0] * g->half.x, row[1] * g->half.y, row[2] * g->half.z));
}

static br_aabb hull_bounds(const br_hull *hull, const br_placement *X) {
    br_vec3 low = br_mat3_mul_vec(X->R, hull->vertex[0]), high = low;
    for (int k = 1; k < hull->vertices; k++) {
        const br_vec3 v = br_mat3_mul_vec(X->R, hull->vertex[k]);
        low = br_vec3_of(fmin(low.x, v.x), fmin(low.y, v.y), fmin(low.z, v.z));
        high = br_vec3_of(fmax(high.x, v.x), fmax(high.y, v.y), fmax(high.z, v.z));
    }
    const br_aabb r = {br_vec3_add(X->p, low), br_vec3_add(X->p, high)};
    return r;
}

int br_geometry_is_round(const br_geometry *g) {
    return g->type != BR_SHAPE_BOX && g->type != BR_SHAPE_CONVEX && g->type != BR_SHAPE_PLANE &&
           g->type != BR_SHAPE_HEIGHTFIELD;
}

br_aabb br_geometry_bounds(const br_geometry *g, const br_placement *X) {
    const br_mat3 *R = &X->R;
    const double r = g->radius, l = g->half_length;
    switch (g->type) {
    case BR_SHAPE_SPHERE:
        return box_about(X->p, br_vec3_of(r, r, r));
    case BR_SHAPE_BOX:
        return box_about(X->p, box_extent(R, g->half));
    case BR_SHAPE_CAPSULE:
        return box_about(
            X->p, br_vec3_of(fabs(R->m[0][2]) * l + r, fabs(R->m[1][2]) * l + r, fabs(R->m[2][2]) * l + r));
    case BR_SHAPE_CYLINDER:
    case BR_SHAPE_DISK:
        return box_about(X->p, br_vec3_of(cylinder_extent(g, R->m[0]), cylinder_extent(g, R->m[1]),
                                          cylinder_extent(g, R->m[2])));
    case BR_SHAPE_ELLIPSOID:
        return box_about(X->p, br_vec3_of(ellipsoid_extent(g, R->m[0]), ellipsoid_extent(g, R->m[1]),
                                          ellipsoid_extent(g, R->m[2])));
    case BR_SHAPE_CONVEX:
        if (g->hull->vertices <= BR_MAX_HULL_SCAN) return hull_bounds(g->hull, X);
        return box_about(br_place_out(X, g->centre), box_extent(R, g->half)); // a little larger than need be
    case BR_SHAPE_HEIGHTFIELD:
        return box_about(br_place_out(X, g->centre), box_extent(R, g->half));
    case BR_SHAPE_PLANE:
    case BR_SHAPE_TYPES:
        break;
    }
    const br_vec3 far = br_vec3_of(INFINITY, INFINITY, INFINITY);
    const br_aabb everything = {br_vec3_neg(far), far};
    return everything;
}

// --- support -------------------------------------------------------------------------------------------------------

// radius (d.x, d.y) / |(d.x, d.y)|; the centre where the direction has no such part.
static br_vec3 rim_support(double radius, br_vec3 d, double z) {
    const double norm = sqrt(d.x * d.x + d.y * d.y);
    if (!(norm > 0.0)) return br_vec3_of(0.0, 0.0, z);
    return br_vec3_of(radius * (d.x / norm), radius * (d.y / norm), z);
}

static br_vec3 ball_support(double radius, br_vec3 d) {
    const double norm = br_vec3_norm(d);
    return norm > 0.0 ? br_vec3_scale(radius / norm, d) : br_vec3_of(radius, 0.0, 0.0);
}

static br_vec3 ellipsoid_support(br_vec3 r, br_vec3 d) { // D d / sqrt(d^T D d), D = diag(r^2)
    const br_vec3 e = br_vec3_of(r.x * d.x, r.y * d.y, r.z * d.z);
    const double norm = br_vec3_norm(e);
    if (!(norm > 0.0)) return br_vec3_of(r.x, 0.0, 0.0);
    return br_vec3_of(r.x * (e.x / norm), r.y * (e.y / norm), r.z * (e.z / norm));
}

// On a convex polytope a vertex that no neighbour exceeds is the farthest of all.
static br_vec3 hull_support(const br_hull *hull, br_vec3 d) {
    int best = 0;
    double most = br_vec3_dot(hull->vertex[0], d);
    if (hull->vertices <= BR_MAX_HULL_SCAN) {
        for (int k = 1; k < hull->vertices; k++) {
            const double height = br_vec3_dot(hull->vertex[k], d);
            if (height > most) most = height, best = k;
        }
        return hull->vertex[best];
    }
    for (int from = -1; from != best;) {
        from = best;
        for (int k = hull->near_start[from]; k < hull->near_start[from + 1]; k++) {
            const double height = br_vec3_dot(hull->vertex[hull->near[k]], d);
            if (height > most) most = height, best = hull->near[k];
        }
    }
    return hull->vertex[best];
}

br_vec3 br_geometry_support(const br_geometry *g, br_vec3 d) {
    const double l = copysign(g->half_length, d.z);
    switch (g->type) {
    case BR_SHAPE_SPHERE:
        return ball_support(g->radius, d);
    case BR_SHAPE_BOX:
        return br_vec3_of(copysign(g->half.x, d.x), copysign(g->half.y, d.y), copysign(g->half.z, d.z));
    case BR_SHAPE_CAPSULE:
        return br_vec3_add(br_vec3_of(0.0, 0.0, l), ball_support(g->radius, d));
    case BR_SHAPE_CYLINDER:
        return rim_support(g->radius, d, l);
    case BR_SHAPE_DISK:
        return rim_support(g->radius, d, 0.0);
    case BR_SHAPE_ELLIPSOID:
        return ellipsoid_support(g->half, d);
    case BR_SHAPE_CONVEX:
        return hull_support(g->hull, d);
    case BR_SHAPE_PLANE:
    case BR_SHAPE_HEIGHTFIELD:
    case BR_SHAPE_TYPES:
        break;
    }
    return br_vec3_zero();
}
