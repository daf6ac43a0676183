// The convex hull of points (hull.c).
#include "collide/hull.h"
#include "surfaces.h"

#include "counting_allocator.h"

#include <string.h>

static br_hull *make(const br_vec3 *points, int count, br_arena *arena) {
    br_hull *hull = NULL;
    br_error error = {0};
    assert_int_equal(br_hull_make(points, count, arena, &hull, &error), BR_OK);
    return hull;
}

// Loops anticlockwise from outside, unit normals, every corner on its faces and behind all others, each edge shared by
// two faces, Euler's formula, neighbours mutual.
static void check_polytope(const br_hull *h, double size) {
    assert_int_equal(h->vertices - h->edges + h->faces, 2);
    assert_int_equal(h->near_start[h->vertices], 2 * h->edges);
    for (int f = 0; f < h->faces; f++) {
        const int *loop = h->face_vertex + h->face_start[f], n = h->face_start[f + 1] - h->face_start[f];
        assert_true(n >= 3);
        assert_near(br_vec3_norm(h->face_normal[f]), 1.0, 1e-14);
        for (int k = 0; k < n; k++) {
            const br_vec3 p = h->vertex[loop[k]], q = h->vertex[loop[(k + 1) % n]],
                          s = h->vertex[loop[(k + 2) % n]];
            assert_true(br_vec3_dot(br_vec3_cross(br_vec3_sub(q, p), br_vec3_sub(s, q)), h->face_normal[f]) >
                        0.0);
            assert_near(br_vec3_dot(h->face_normal[f], p), h->face_offset[f], 1e-6 * size); // merged to 5e-7
        }
        for (int v = 0; v < h->vertices; v++)
            assert_true(br_vec3_dot(h->face_normal[f], h->vertex[v]) <= h->face_offset[f] + 1e-6 * size);
    }
    for (int v = 0; v < h->vertices; v++)
        for (int k = h->near_start[v]; k < h->near_start[v + 1]; k++) {
            int back = 0;
            for (int m = h->near_start[h->near[k]]; m < h->near_start[h->near[k] + 1]; m++)
                back |= h->near[m] == v;
            assert_true(back);
        }
}

static void a_box_has_six_faces_whatever_else_is_in_it(void **state) {
    (void)state;
    br_arena arena;
    br_arena_init(&arena, NULL);
    br_vec3 p[400];
    int count = 0;
    rng r = {3};
    for (int k = 0; k < 8; k++)
        p[count++] = br_vec3_of(k & 1 ? 2.0 : -2.0, k & 2 ? 1.0 : -1.0, k & 4 ? 0.5 : -0.5);
    const br_hull *box = make(p, count, &arena);
    check_polytope(box, 4.0);
    assert_int_equal(box->faces, 6);
    assert_int_equal(box->vertices, 8);
    for (int k = 0; k < 8; k++) assert_vec3_near(box->vertex[k], p[k], 0.0); // in the order given
    // points inside, on faces, on edges, and the corners again
    for (int k = 0; k < 100; k++)
        p[count++] = br_vec3_of(rng_uniform(&r, -2, 2), rng_uniform(&r, -1, 1), rng_uniform(&r, -0.5, 0.5));
    for (int k = 0; k < 100; k++)
        p[count++] = br_vec3_of(rng_uniform(&r, -2, 2), rng_uniform(&r, -1, 1), 0.5);
    for (int k = 0; k < 50; k++) p[count++] = br_vec3_of(rng_uniform(&r, -2, 2), 1.0, -0.5);
    for (int k = 0; k < 8; k++) p[count++] = p[k];
    const br_hull *full = make(p, count, &arena);
    check_polytope(full, 4.0);
    assert_int_equal(full->faces, 6);
    assert_int_equal(full->vertices, 8);
    br_arena_free(&arena);
}

// As from a file in single precision, turned, and kilometres away: still six faces.
static void rounded_points_keep_their_faces(void **state) {
    (void)state;
    rng r = {4};
    br_arena arena;
    br_arena_init(&arena, NULL);
    for (int trial = 0; trial < 100; trial++) {
        const br_quat q = rng_rotation(&r);
        const br_vec3 far = trial % 2 ? br_vec3_zero() : br_vec3_of(1000.0, 2000.0, -500.0);
        br_vec3 p[8 + 6];
        for (int k = 0; k < 14; k++) {
            br_vec3 x = k < 8 ? br_vec3_of(k & 1 ? 0.5 : -0.5, k & 2 ? 0.3 : -0.3, k & 4 ? 0.2 : -0.2)
                              : br_vec3_of(0.1 * (k - 10), 0.05 * (k - 11), 0.2);
            x = br_quat_rotate(q, x);
            if (trial % 2) x = br_vec3_of((float)x.x, (float)x.y, (float)x.z);
            p[k] = br_vec3_add(x, far);
        }
        const br_hull *hull = make(p, 14, &arena);
        assert_int_equal(hull->faces, 6);
        assert_int_equal(hull->vertices, 8);
        check_polytope(hull, 1.0);
    }
    br_arena_free(&arena);
}

static void points_on_a_sphere_are_all_corners(void **state) {
    (void)state;
    rng r = {5};
    br_arena arena;
    br_arena_init(&arena, NULL);
    enum { COUNT = 2000 };
    static br_vec3 p[COUNT];
    for (int k = 0; k < COUNT; k++) {
        const double z = 1.0 - (2.0 * k + 1.0) / COUNT, across = sqrt(1.0 - z * z),
                     turn = 2.399963229728653 * k;
        p[k] = br_vec3_of(across * cos(turn), across * sin(turn), z);
    }
    const br_hull *ball = make(p, COUNT, &arena);
    check_polytope(ball, 1.0);
    assert_int_equal(ball->vertices, COUNT);
    for (int trial = 0; trial < 200; trial++) { // the walk over neighbours finds the farthest corner
        const br_geometry g = {.type = BR_SHAPE_CONVEX, .hull = ball};
        const br_vec3 d = rng_direction(&r);
        double most = -1.0;
        for (int k = 0; k < COUNT; k++) most = fmax(most, br_vec3_dot(d, p[k]));
        assert_near(br_vec3_dot(d, br_geometry_support(&g, d)), most, 1e-15);
    }
    br_arena_free(&arena);
}

static void random_points_are_all_inside(void **state) {
    (void)state;
    rng r = {6};
    br_arena arena;
    br_arena_init(&arena, NULL);
    for (int trial = 0; trial < 300; trial++) {
        br_vec3 p[60];
        const int count = 4 + rng_below(&r, 57);
        const double scale = pow(10.0, rng_uniform(&r, -4.0, 4.0)),
                     thin = pow(10.0, rng_uniform(&r, -4.0, 0.0));
        for (int k = 0; k < count; k++) {
            p[k] = rng_vec3(&r, scale);
            p[k].z *= thin;
        }
        const br_hull *hull = make(p, count, &arena);
        check_polytope(hull, 2.0 * scale);
        for (int f = 0; f < hull->faces; f++)
            for (int k = 0; k < count; k++)
                assert_true(br_vec3_dot(hull->face_normal[f], p[k]) <= hull->face_offset[f] + 2e-6 * scale);
    }
    br_arena_free(&arena);
}

static void expect_error(const br_vec3 *points, int count, const char *word) {
    br_arena arena;
    br_arena_init(&arena, NULL);
    br_error error = {0};
    br_hull *hull = NULL;
    assert_int_equal(br_hull_make(points, count, &arena, &hull, &error), BR_INVALID);
    assert_null(hull);
    assert_string_equal(error.code, "shape-hull");
    assert_non_null(strstr(error.message, word));
    br_arena_free(&arena);
}

static void flat_few_and_broken_sets_are_named(void **state) {
    (void)state;
    br_vec3 p[20];
    rng r = {7};
    for (int k = 0; k < 20; k++) p[k] = rng_vec3(&r, 1.0);
    expect_error(p, 3, "3 points");
    expect_error(p, 0, "0 points");
    br_vec3 q[20];
    memcpy(q, p, sizeof q);
    q[7].y = NAN;
    expect_error(q, 20, "point 7");
    q[7].y = INFINITY;
    expect_error(q, 20, "point 7");
    const br_quat turn = rng_rotation(&r);
    for (int k = 0; k < 20; k++) q[k] = br_quat_rotate(turn, br_vec3_of(p[k].x, p[k].y, 0.3));
    expect_error(q, 20, "plane");
    for (int k = 0; k < 20; k++) q[k] = br_quat_rotate(turn, br_vec3_of(p[k].x, 0.1, 0.3));
    expect_error(q, 20, "plane");
    for (int k = 0; k < 20; k++) q[k] = p[0];
    expect_error(q, 20, "plane");
    for (int k = 0; k < 20; k++)
        q[k] = br_vec3_add(br_quat_rotate(turn, br_vec3_of(p[k].x, p[k].y, 0)), br_vec3_of(1e6, 0, 0));
    expect_error(q, 20, "plane"); // flat up to the rounding of its coordinates
}

static void each_allocation_may_fail(void **state) {
    (void)state;
    rng r = {8};
    br_vec3 p[30];
    for (int k = 0; k < 30; k++) p[k] = rng_vec3(&r, 1.0);
    for (long k = 1;; ++k) {
        counting_allocator counter;
        const br_allocator allocator = counting_allocator_start(&counter, k);
        br_arena arena;
        br_arena_init(&arena, &allocator);
        br_hull *hull = NULL;
        br_error error = {0};
        const br_status status = br_hull_make(p, 30, &arena, &hull, &error);
        assert_int_equal(status, counter.failed ? BR_NO_MEMORY : BR_OK);
        assert_int_equal(hull == NULL, counter.failed > 0);
        br_arena_free(&arena);
        assert_int_equal(counter.live, 0);
        if (!counter.failed) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_has_six_faces_whatever_else_is_in_it),
        cmocka_unit_test(rounded_points_keep_their_faces),
        cmocka_unit_test(points_on_a_sphere_are_all_corners),
        cmocka_unit_test(random_points_are_all_inside),
        cmocka_unit_test(flat_few_and_broken_sets_are_named),
        cmocka_unit_test(each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
