// Cylinders, and disks, which are a cylinder's rim without its length.
#include "collide/shape_kinds.h"

static br_status cylinder_make(const br_shape_def *def, br_arena *arena, br_geometry *g, br_error *error) {
    (void)arena, (void)error;
    g->radius = def->size.x;
    g->half_length = def->type == BR_SHAPE_CYLINDER ? 0.5 * def->length : 0.0;
    g->reach = sqrt(g->half_length * g->half_length + g->radius * g->radius);
    g->size = fmax(g->radius, g->half_length);
    return BR_OK;
}

static double cylinder_thickness(const br_shape_def *def) {
    return fmin(2.0 * def->size.x, def->length);
}

static double disk_thickness(const br_shape_def *def) { // it has none: its radius counts
    return 2.0 * def->size.x;
}

// Half length along row i's axis of the solid sum of a segment (half_length) and a circle (radius).
static double cylinder_extent(const br_geometry *g, const double *row) {
    return fabs(row[2]) * g->half_length + g->radius * sqrt(row[0] * row[0] + row[1] * row[1]);
}

static br_aabb cylinder_bounds(const br_geometry *g, const br_placement *X) {
    return br_aabb_about(X->p, br_vec3_of(cylinder_extent(g, X->R.m[0]), cylinder_extent(g, X->R.m[1]),
                                          cylinder_extent(g, X->R.m[2])));
}

// radius (d.x, d.y) / |(d.x, d.y)|, at x = `otherwise` where the direction has no such part.
static br_vec3 rim_point(double radius, double z, br_vec3 d, double otherwise) {
    const double across = sqrt(d.x * d.x + d.y * d.y);
    if (!(across > 0.0)) return br_vec3_of(otherwise, 0.0, z);
    return br_vec3_of(radius * (d.x / across), radius * (d.y / across), z);
}

static br_vec3 cylinder_support(const br_geometry *g, br_vec3 d) {
    return rim_point(g->radius, copysign(g->half_length, d.z), d, 0.0);
}

static br_vec3 disk_support(const br_geometry *g, br_vec3 d) {
    return rim_point(g->radius, 0.0, d, 0.0);
}

static br_core_point cylinder_farthest(const br_core *core, br_vec3 d) {
    const double z = core->g->half_length;
    const br_core_point r = {rim_point(core->g->radius, d.z < 0.0 ? -z : z, d, core->g->radius), -1};
    return r;
}

static br_core_point disk_farthest(const br_core *core, br_vec3 d) {
    const br_core_point r = {rim_point(core->g->radius, 0.0, d, core->g->radius), -1};
    return r;
}

static br_jet rim_jet(const br_core *core, br_vec3 d, double z) {
    const double across = fmax(sqrt(d.x * d.x + d.y * d.y), DBL_MIN), radius = core->g->radius;
    const double c = d.x / across, s = d.y / across, k = radius / across;
    const br_jet r = {br_vec3_of(radius * c, radius * s, z),
                      br_sym3_of(k * s * s, k * c * c, 0.0, -k * s * c, 0.0, 0.0)};
    return r;
}

static int cylinder_face(const br_core *core, br_vec3 d, br_vec3 *normal) {
    const br_vec3 axis = br_core_turn(core, br_vec3_unit(2));
    const int end = br_vec3_dot(axis, d) < 0.0 ? 0 : 1;
    *normal = end ? axis : br_vec3_neg(axis);
    return end;
}

static int cylinder_is_over_face(const br_geometry *g, int face, br_vec3 p) {
    (void)face;
    return p.x * p.x + p.y * p.y <= g->radius * g->radius;
}

// Rims: named by the end of the axis that they are at (0 or 1), the lowest point first. The side is the line between
// the lowest points of both rims, so that a cylinder that rolls over its rim keeps the name of the point it turns about.
static void cylinder_part(const br_core *core, br_vec3 d, int flat, br_face *out) {
    const br_geometry *g = core->g;
    const br_vec3 l = br_core_turn_in(core, d);
    const double across = sqrt(l.x * l.x + l.y * l.y), z = g->half_length;
    const uint32_t end = l.z < 0.0 ? 0 : 1;
    if (flat && fabs(l.z) >= across) {
        out->kind = BR_FACE_CIRCLE;
        out->normal = br_core_turn(core, br_vec3_of(0.0, 0.0, end ? 1.0 : -1.0));
        out->centre = br_core_out(core, br_vec3_of(0.0, 0.0, end ? z : -z));
        out->radius = g->radius;
        return;
    }
    const double c = across > 0.0 ? l.x / across : 1.0, s = across > 0.0 ? l.y / across : 0.0;
    out->kind = z > 0.0 && (flat || fabs(l.z) <= BR_EPS_LINE) ? BR_FACE_SEGMENT : BR_FACE_POINT;
    for (uint32_t k = 0; k < 2; ++k)
        if (out->kind == BR_FACE_SEGMENT || k == end)
            br_face_add(out, br_core_out(core, br_vec3_of(g->radius * c, g->radius * s, k ? z : -z)),
                        z > 0.0 ? k : 0);
}

const br_shape_kind br_shape_cylinder = {
    .has_axis = 1,
    .is_round = 1,
    .points = 4,
    .points_on_plane = 4,
    .make = cylinder_make,
    .thickness = cylinder_thickness,
    .bounds = cylinder_bounds,
    .on_plane = br_pair_cylinder_plane,
    .support = cylinder_support,
    .farthest = cylinder_farthest,
    .jet = rim_jet,
    .has_rim = 1,
    .has_side = 1,
    .face = cylinder_face,
    .is_over_face = cylinder_is_over_face,
    .part = cylinder_part,
};

const br_shape_kind br_shape_disk = {
    .has_axis = 1,
    .is_round = 1,
    .points = 4,
    .points_on_plane = 1,
    .make = cylinder_make,
    .thickness = disk_thickness,
    .bounds = cylinder_bounds,
    .on_plane = br_pair_disk_plane,
    .support = disk_support,
    .farthest = disk_farthest,
    .jet = rim_jet,
    .has_rim = 1,
    .face = cylinder_face,
    .is_over_face = cylinder_is_over_face,
    .part = cylinder_part,
};
