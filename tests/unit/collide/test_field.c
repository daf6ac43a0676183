// Height fields (field.c, field_contact.c).
#include "collide/convex.h"
#include "collide/field.h"
#include "surfaces.h"

#include <string.h>

enum { COLUMNS = 9, ROWS = 8 };
#define DX 0.5
#define DY 0.4

static br_geometry field_of(const double *heights, br_arena *arena) {
    br_shape_def def = {0};
    def.type = BR_SHAPE_HEIGHTFIELD;
    def.pose = br_pose_identity();
    def.columns = COLUMNS, def.rows = ROWS;
    def.spacing = br_vec3_of(DX, DY, 0.0);
    def.heights = heights;
    br_geometry g;
    assert_int_equal(br_geometry_make(&def, arena, &g, NULL), BR_OK);
    return g;
}

static int collide(const br_geometry *a, const br_placement *X_A, const br_geometry *b,
                   const br_placement *X_B, double margin, br_contact_point *c) {
    const int count = br_collide(a, X_A, b, X_B, margin, c);
    check_points(c, count, margin);
    return count;
}

static br_geometry small_shape(rng *r, br_shape_type type, br_arena *arena) {
    const br_vec3 size =
        br_vec3_of(rng_uniform(r, 0.1, 0.5), rng_uniform(r, 0.1, 0.5), rng_uniform(r, 0.1, 0.5));
    if (type != BR_SHAPE_CONVEX) return shape_make(type, size, rng_uniform(r, 0.2, 1.0));
    br_vec3 points[20];
    for (int k = 0; k < 20; k++) points[k] = br_vec3_scale(rng_uniform(r, 0.1, 0.5), rng_direction(r));
    return hull_of(points, 20, arena);
}

// A level or tilted flat field is a plane: the same gaps at the same points, normals to rounding, nothing else.
static void a_flat_field_is_a_plane(void **state) {
    (void)state;
    rng r = {51};
    br_arena arena;
    br_arena_init(&arena, NULL);
    const br_geometry plane = plane_make();
    for (int kind = 0; kind < CONVEX_KINDS; kind++)
        for (int trial = 0; trial < 300; trial++) {
            const double a = trial % 2 ? rng_uniform(&r, -0.3, 0.3) : 0.0,
                         b = trial % 2 ? rng_uniform(&r, -0.3, 0.3) : 0.0;
            double h[ROWS * COLUMNS];
            for (int k = 0; k < ROWS * COLUMNS; k++) h[k] = a * DX * (k % COLUMNS) + b * DY * (k / COLUMNS);
            const br_geometry field = field_of(h, &arena), g = small_shape(&r, convex_kind[kind], &arena);
            const br_placement W = place_random(&r, 2.0), home = place_at(0, 0, 0);
            const br_vec3 n = br_vec3_normalize(br_vec3_of(-a, -b, 1.0));
            br_placement X = place_random(&r, 0.0);
            if (trial % 3 == 0) X.R = br_tangent_basis(n); // flat on it
            X.p = br_vec3_of(2.0 + rng_uniform(&r, -0.6, 0.6), 1.4 + rng_uniform(&r, -0.3, 0.3), 0.0);
            const double low = -shape_height(&g, &X, br_vec3_zero(), br_vec3_neg(n));
            X.p = br_vec3_add_scaled(X.p, -low + rng_uniform(&r, -0.01, 0.01), n);
            const br_placement P = {br_tangent_basis(n), br_vec3_zero()}, Y = place_moved(&W, &X),
                               Q = place_moved(&W, &P);
            const br_placement F = place_moved(&W, &home);
            br_contact_point c[BR_MAX_MANIFOLD], d[BR_MAX_MANIFOLD];
            const int m = collide(&g, &Y, &plane, &Q, 0.02, d), count = collide(&g, &Y, &field, &F, 0.02, c);
            assert_true(m > 0);
            assert_near(least_gap(c, count), least_gap(d, m), 1e-14);
            for (int k = 0; k < m; k++) {
                double nearest = INFINITY;
                for (int j = 0; j < count; j++)
                    nearest =
                        fmin(nearest, br_vec3_distance(c[j].point, d[k].point) + fabs(c[j].gap - d[k].gap) +
                                          br_vec3_distance(c[j].normal, d[k].normal));
                if (m <= 4)
                    assert_true(nearest < 1e-7); // a rim that is flat to 1e-8 has its points in fixed places
            }
            for (int j = 0; j < count; j++) assert_vec3_near(c[j].normal, br_mat3_column(Q.R, 2), 1e-14);
        }
    br_arena_free(&arena);
}

// The distance to a rough field, against all of its triangles one by one as thin polytopes.
static double triangle_distance(const br_geometry *a, const br_placement *X, br_vec3 p, br_vec3 q,
                                br_vec3 s) {
    br_vec3 vertex[3] = {p, q, s};
    const br_vec3 n = br_vec3_normalize(br_vec3_cross(br_vec3_sub(q, p), br_vec3_sub(s, p)));
    br_vec3 normal[2] = {n, br_vec3_neg(n)};
    double offset[2] = {br_vec3_dot(n, p), -br_vec3_dot(n, p)};
    int start[3] = {0, 3, 6}, loop[6] = {0, 1, 2, 0, 2, 1}, near_start[4] = {0, 2, 4, 6},
        near[6] = {1, 2, 0, 2, 0, 1};
    const br_hull hull = {3, 2, 3, vertex, normal, offset, start, loop, near_start, near};
    br_geometry g = {0};
    g.type = BR_SHAPE_CONVEX;
    g.hull = &hull;
    g.size = DX;
    g.centre = br_vec3_scale(1.0 / 3.0, br_vec3_add(p, br_vec3_add(q, s)));
    const br_placement home = place_at(0, 0, 0);
    br_contact_point c;
    assert_int_equal(br_pair_convex_convex(a, X, &g, &home, INFINITY, &c), 1);
    return c.gap;
}

static double field_distance(const br_geometry *a, const br_placement *X, const double *h) {
    double least = INFINITY;
    for (int r = 0; r + 1 < ROWS; r++)
        for (int c = 0; c + 1 < COLUMNS; c++) {
            const br_vec3 p = br_vec3_of(c * DX, r * DY, h[r * COLUMNS + c]);
            const br_vec3 q = br_vec3_of((c + 1) * DX, r * DY, h[r * COLUMNS + c + 1]);
            const br_vec3 s = br_vec3_of((c + 1) * DX, (r + 1) * DY, h[(r + 1) * COLUMNS + c + 1]);
            const br_vec3 t = br_vec3_of(c * DX, (r + 1) * DY, h[(r + 1) * COLUMNS + c]);
            least = fmin(least, fmin(triangle_distance(a, X, p, q, s), triangle_distance(a, X, p, s, t)));
        }
    return least;
}

static void the_distance_to_a_rough_field_is_that_to_its_triangles(void **state) {
    (void)state;
    rng r = {52};
    br_arena arena;
    br_arena_init(&arena, NULL);
    for (int kind = 0; kind < CONVEX_KINDS; kind++)
        for (int trial = 0; trial < 60; trial++) {
            double h[ROWS * COLUMNS];
            for (int k = 0; k < ROWS * COLUMNS; k++) h[k] = rng_uniform(&r, 0.0, trial % 2 ? 0.1 : 0.5);
            const br_geometry field = field_of(h, &arena), g = small_shape(&r, convex_kind[kind], &arena);
            br_placement X = place_random(&r, 0.0);
            const br_placement W = place_random(&r, 2.0), home = place_at(0, 0, 0),
                               F = place_moved(&W, &home);
            X.p = br_vec3_of(rng_uniform(&r, 1.0, 3.0), rng_uniform(&r, 0.8, 2.0), 0.6 + g.reach);
            X.p.z -= 0.9 * field_distance(&g, &X, h);
            const double exact = field_distance(&g, &X, h);
            if (!(exact > 0.0)) continue;
            const br_placement Y = place_moved(&W, &X);
            br_contact_point c[BR_MAX_MANIFOLD];
            const int count = collide(&g, &Y, &field, &F, exact + 0.02, c);
            assert_near(least_gap(c, count), exact, 1e-12);
            assert_near(br_collide_distance(&g, &Y, &field, &F), exact, 1e-12);
            assert_int_equal(collide(&g, &Y, &field, &F, exact - 1e-6, c), 0);
        }
    br_arena_free(&arena);
}

// Rolling and sliding over a flat field: the normal is exactly up, one name per point, no matter which cells are under.
static void there_are_no_ghosts_between_cells(void **state) {
    (void)state;
    br_arena arena;
    br_arena_init(&arena, NULL);
    double h[ROWS * COLUMNS] = {0};
    const br_geometry field = field_of(h, &arena), ball = sphere_make(0.2), box = box_make(0.6, 0.5, 0.2);
    const br_placement F = place_at(0, 0, 0);
    br_contact_point c[BR_MAX_MANIFOLD];
    uint32_t name = 0, names[4] = {0};
    for (int step = 0; step < 2000; step++) {
        const double s = step / 2000.0;
        br_placement X =
            place_at(0.5 + 3.0 * s, step % 2 ? 0.8 : 0.4 + 2.0 * s, 0.2 - 1e-4); // along a line of the grid
        assert_int_equal(collide(&ball, &X, &field, &F, 0.01, c), 1);
        if (step == 0) name = c[0].feature;
        assert_int_equal(c[0].feature, name);
        assert_vec3_near(c[0].normal, br_vec3_unit(2), 0.0);
        assert_near(c[0].gap, -1e-4, 1e-16);
        X = place_make(br_quat_from_axis_angle(br_vec3_unit(2), step % 2 ? 0.0 : 3.0 * s),
                       br_vec3_of(0.8 + 2.4 * s, 0.8 + s, 0.1 - 1e-4));
        assert_int_equal(collide(&box, &X, &field, &F, 0.01, c), 4);
        for (int k = 0; k < 4; k++) {
            if (step == 0) names[k] = c[k].feature;
            assert_true(c[k].feature == names[0] || c[k].feature == names[1] || c[k].feature == names[2] ||
                        c[k].feature == names[3]);
            assert_vec3_near(c[k].normal, br_vec3_unit(2), 0.0);
            assert_near(c[k].gap, -1e-4, 1e-15);
        }
    }
    br_arena_free(&arena);
}

// A roof along y, its ridge at x = 2: a box lies across it on two points, a ball runs over it without a jump.
static void a_ridge_carries_what_lies_across_it(void **state) {
    (void)state;
    br_arena arena;
    br_arena_init(&arena, NULL);
    double h[ROWS * COLUMNS];
    for (int k = 0; k < ROWS * COLUMNS; k++) h[k] = -0.2 * fabs(k % COLUMNS - 4.0);
    const br_geometry field = field_of(h, &arena), box = box_make(0.8, 0.6, 0.2), ball = sphere_make(0.3);
    const br_placement F = place_at(0, 0, 0);
    br_contact_point c[BR_MAX_MANIFOLD], last = {0};
    const br_placement X = place_at(2.1, 1.5, 0.1 - 1e-5);
    const int count = collide(&box, &X, &field, &F, 1e-3, c);
    double low = INFINITY, high = -INFINITY;
    for (int k = 0; k < count; k++) {
        assert_vec3_near(c[k].normal, br_vec3_unit(2), 1e-14);
        assert_near(c[k].gap, -1e-5, 1e-15);
        assert_near(c[k].point.x, 2.0, 1e-14);
        low = fmin(low, c[k].point.y), high = fmax(high, c[k].point.y);
    }
    assert_near(low, 1.2, 1e-14);
    assert_near(high, 1.8, 1e-14);
    for (int step = 0; step <= 2000; step++) { // at a height that leaves a gap all the way
        const double x = 1.8 + 0.4 * step / 2000.0;
        const br_placement Y = place_at(x, 1.37, 0.301);
        assert_true(collide(&ball, &Y, &field, &F, 0.2, c) == 1);
        if (step > 0) assert_vec3_near(c[0].normal, last.normal, 1e-3); // 2e-4 m per step at 0.3 m
        if (step > 0) assert_near(c[0].gap, last.gap, 2e-4);
        last = c[0];
    }
    br_arena_free(&arena);
}

static void a_peak_and_the_border_carry(void **state) {
    (void)state;
    br_arena arena;
    br_arena_init(&arena, NULL);
    double h[ROWS * COLUMNS] = {0};
    h[3 * COLUMNS + 4] = 0.3;
    const br_geometry peak = field_of(h, &arena), box = box_make(0.4, 0.3, 0.2);
    const br_placement F = place_at(0, 0, 0);
    br_contact_point c[BR_MAX_MANIFOLD];
    br_placement X = place_at(2.05, 1.25, 0.4 - 1e-6);
    assert_int_equal(collide(&box, &X, &peak, &F, 1e-3, c), 1);
    assert_vec3_near(c[0].normal, br_vec3_unit(2), 1e-14);
    assert_vec3_near(c[0].point, br_vec3_of(2.0, 1.2, 0.3 - 1e-6), 1e-14);
    assert_near(c[0].gap, -1e-6, 1e-15);

    memset(h, 0, sizeof h);
    const br_geometry flat = field_of(h, &arena); // 4 m by 2.8 m
    X = place_at(3.9, 1.3, 0.1);
    const int count = collide(&box, &X, &flat, &F, 1e-3, c);
    double high = -INFINITY;
    for (int k = 0; k < count; k++) {
        assert_near(c[k].gap, 0.0, 1e-15);
        assert_vec3_near(c[k].normal, br_vec3_unit(2), 1e-14);
        high = fmax(high, c[k].point.x);
    }
    assert_int_equal(count, 4);
    assert_near(high, 4.0, 1e-14); // where the field ends
    X = place_at(4.3, 1.3, 0.0);
    assert_int_equal(collide(&box, &X, &flat, &F, 1e-3, c), 0);
    br_arena_free(&arena);
}

// Under the surface is solid: pushed out upward from any depth.
static void below_the_surface_is_solid(void **state) {
    (void)state;
    br_arena arena;
    br_arena_init(&arena, NULL);
    rng r = {53};
    double h[ROWS * COLUMNS] = {0};
    const br_geometry field = field_of(h, &arena);
    const br_placement F = place_at(0, 0, 0);
    for (int kind = 0; kind < CONVEX_KINDS; kind++)
        for (int trial = 0; trial < 50; trial++) {
            const br_geometry g = small_shape(&r, convex_kind[kind], &arena);
            br_placement X = place_random(&r, 0.0);
            X.p = br_vec3_of(2.0, 1.4, rng_uniform(&r, -2.0, 0.0));
            br_contact_point c[BR_MAX_MANIFOLD];
            const int count = collide(&g, &X, &field, &F, 0.01, c);
            const double low = -shape_height(&g, &X, br_vec3_zero(), br_vec3_of(0, 0, -1));
            assert_near(least_gap(c, count), low, 1e-14);
        }
    br_arena_free(&arena);
}

static void bad_fields_are_named(void **state) {
    (void)state;
    br_arena arena;
    br_arena_init(&arena, NULL);
    double h[4] = {0.0, 1.0, 2.0, NAN};
    br_shape_def def = {0};
    br_field *field = NULL;
    br_error error = {0};
    def.columns = def.rows = 2;
    def.spacing = br_vec3_of(1.0, 1.0, 0.0);
    def.heights = h;
    assert_int_equal(br_field_make(&def, &arena, &field, &error), BR_INVALID);
    assert_non_null(strstr(error.message, "height 3"));
    h[3] = 3.0;
    assert_int_equal(br_field_make(&def, &arena, &field, &error), BR_OK);
    assert_near(field->lowest, 0.0, 0.0);
    assert_near(field->highest, 3.0, 0.0);
    def.rows = 1;
    assert_int_equal(br_field_make(&def, &arena, &field, &error), BR_INVALID);
    def.rows = 2, def.spacing.y = 0.0;
    assert_int_equal(br_field_make(&def, &arena, &field, &error), BR_INVALID);
    br_arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flat_field_is_a_plane),
        cmocka_unit_test(the_distance_to_a_rough_field_is_that_to_its_triangles),
        cmocka_unit_test(there_are_no_ghosts_between_cells),
        cmocka_unit_test(a_ridge_carries_what_lies_across_it),
        cmocka_unit_test(a_peak_and_the_border_carry),
        cmocka_unit_test(below_the_surface_is_solid),
        cmocka_unit_test(bad_fields_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
