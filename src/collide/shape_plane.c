// What is no convex body of finite size: half spaces and height fields.
#include "collide/field.h"
#include "collide/shape_kinds.h"

static double no_thickness(const br_shape_def *def) {
    (void)def;
    return INFINITY;
}

static br_status plane_make(const br_shape_def *def, br_arena *arena, br_geometry *g, br_error *error) {
    (void)def, (void)arena, (void)error;
    g->reach = INFINITY;
    return BR_OK;
}

static br_aabb plane_bounds(const br_geometry *g, const br_placement *X) {
    (void)g, (void)X;
    const br_vec3 far = br_vec3_of(INFINITY, INFINITY, INFINITY);
    const br_aabb everything = {br_vec3_neg(far), far};
    return everything;
}

// The box of a field reaches as far below its lowest point as the field is wide, since it is solid there.
static br_status field_make(const br_shape_def *def, br_arena *arena, br_geometry *g, br_error *error) {
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

static br_aabb field_bounds(const br_geometry *g, const br_placement *X) {
    return br_aabb_about(br_place_out(X, g->centre), br_box_extent(&X->R, g->half));
}

const br_shape_kind br_shape_plane = {
    .has_axis = 1,
    .points = 4,
    .points_on_plane = 4,
    .make = plane_make,
    .thickness = no_thickness,
    .bounds = plane_bounds,
};

const br_shape_kind br_shape_field = {
    .points = 4,
    .points_on_plane = 4,
    .make = field_make,
    .thickness = no_thickness,
    .bounds = field_bounds,
    .against = br_pair_convex_field,
};
