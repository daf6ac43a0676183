// Shapes made ready: frames, bounds, support points.
#include "shapes.h"

static const br_shape_type with_support[] = {BR_SHAPE_SPHERE,   BR_SHAPE_BOX,  BR_SHAPE_CAPSULE,
                                             BR_SHAPE_CYLINDER, BR_SHAPE_DISK, BR_SHAPE_ELLIPSOID};
enum { KINDS = sizeof with_support / sizeof *with_support };

static br_geometry example(br_shape_type type) {
    return shape_make(type, br_vec3_of(0.7, 0.5, 0.3), 1.1);
}

// A random point of the solid, by rejection where there is no simpler way.
static br_vec3 point_of(rng *r, const br_geometry *g) {
    const double R = g->radius, l = g->half_length;
    const br_vec3 d = rng_direction(r);
    const double s = rng_uniform(r, 0.0, 1.0), along = rng_uniform(r, -l, l);
    const double a = rng_uniform(r, 0.0, 2.0 * BR_PI);
    switch (g->type) {
    case BR_SHAPE_SPHERE:
        return br_vec3_scale(s * R, d);
    case BR_SHAPE_BOX:
        return br_vec3_of(rng_uniform(r, -1, 1) * g->half.x, rng_uniform(r, -1, 1) * g->half.y,
                          rng_uniform(r, -1, 1) * g->half.z);
    case BR_SHAPE_CAPSULE:
        return br_vec3_add(br_vec3_of(0, 0, along), br_vec3_scale(s * R, d));
    case BR_SHAPE_ELLIPSOID:
        return br_vec3_of(s * d.x * g->half.x, s * d.y * g->half.y, s * d.z * g->half.z);
    default:
        return br_vec3_of(s * R * cos(a), s * R * sin(a), along);
    }
}

static void bounds_hold_every_point_and_touch(void **state) {
    (void)state;
    rng r = {1};
    for (int kind = 0; kind < KINDS; kind++) {
        const br_geometry g = example(with_support[kind]);
        for (int trial = 0; trial < 20; trial++) {
            const br_placement X = place_random(&r, 5.0);
            const br_aabb box = br_geometry_bounds(&g, &X);
            for (int k = 0; k < 200; k++) {
                const br_vec3 p = br_vec3_add(X.p, br_mat3_mul_vec(X.R, point_of(&r, &g)));
                assert_true(p.x >= box.low.x - 1e-14 && p.x <= box.high.x + 1e-14);
                assert_true(p.y >= box.low.y - 1e-14 && p.y <= box.high.y + 1e-14);
                assert_true(p.z >= box.low.z - 1e-14 && p.z <= box.high.z + 1e-14);
            }
            for (int axis = 0; axis < 3; axis++) { // no larger than the support points say
                const br_vec3 e = br_vec3_unit(axis);
                assert_near(br_vec3_get(box.high, axis), shape_height(&g, &X, br_vec3_zero(), e), 1e-14 * 10);
                assert_near(br_vec3_get(box.low, axis), -shape_height(&g, &X, br_vec3_zero(), br_vec3_neg(e)),
                            1e-14 * 10);
            }
        }
    }
}

static void support_is_farthest_of_all_points(void **state) {
    (void)state;
    rng r = {2};
    for (int kind = 0; kind < KINDS; kind++) {
        const br_geometry g = example(with_support[kind]);
        for (int trial = 0; trial < 50; trial++) {
            const br_vec3 d = br_vec3_scale(pow(10.0, rng_uniform(&r, -6, 6)), rng_direction(&r));
            const br_vec3 s = br_geometry_support(&g, d);
            assert_true(br_vec3_norm(s) <= g.reach * (1.0 + 1e-15));
            for (int k = 0; k < 200; k++)
                assert_true(br_vec3_dot(d, point_of(&r, &g)) <= br_vec3_dot(d, s) * (1.0 + 1e-14));
        }
        const br_vec3 along = br_geometry_support(&g, br_vec3_unit(2));
        assert_true(br_vec3_is_finite(along));
        assert_true(br_vec3_is_finite(br_geometry_support(&g, br_vec3_zero())));
    }
}

static void axis_becomes_local_z(void **state) {
    (void)state;
    rng r = {3};
    const br_shape_type types[] = {BR_SHAPE_CAPSULE, BR_SHAPE_CYLINDER, BR_SHAPE_DISK, BR_SHAPE_PLANE};
    for (int trial = 0; trial < 100; trial++) {
        br_shape_def def = {0};
        def.type = types[trial % 4];
        def.pose = rng_pose(&r, 3.0);
        def.size = br_vec3_of(0.2, 0.2, 0.2);
        def.length = 1.0;
        def.axis = trial < 8 ? br_vec3_scale(trial < 4 ? -2.0 : 1.0, br_vec3_unit(2))
                             : br_vec3_scale(3.0, rng_direction(&r));
        br_geometry g;
        assert_int_equal(br_geometry_make(&def, NULL, &g, NULL), BR_OK);
        const br_vec3 z = br_quat_rotate(g.X_shape.rotation, br_vec3_unit(2));
        assert_vec3_near(z, br_quat_rotate(def.pose.rotation, br_vec3_normalize(def.axis)), 1e-14);
        assert_vec3_near(g.X_shape.position, def.pose.position, 0.0);
        if (trial >= 4 && trial < 8) assert_memory_equal(&g.X_shape, &def.pose, sizeof def.pose);
    }
}

static void sizes_are_halved_and_reach_is_the_farthest(void **state) {
    (void)state;
    const br_geometry box = box_make(2.0, 4.0, 6.0), capsule = capsule_make(0.5, 3.0);
    assert_vec3_near(box.half, br_vec3_of(1, 2, 3), 0.0);
    assert_near(box.reach, sqrt(14.0), 1e-15 * 4);
    assert_near(box.size, 3.0, 0.0);
    assert_near(capsule.half_length, 1.5, 0.0);
    assert_near(capsule.reach, 2.0, 0.0);
    const br_geometry disk = example(BR_SHAPE_DISK), plane = plane_make();
    assert_near(disk.half_length, 0.0, 0.0);
    assert_near(disk.reach, 0.7, 0.0);
    assert_true(isinf(plane.reach));
    const br_placement X = place_at(0, 0, 0);
    assert_true(isinf(br_geometry_bounds(&plane, &X).low.x) && isinf(br_geometry_bounds(&plane, &X).high.z));
}

static void every_pair_but_the_unbounded_ones_collides(void **state) {
    (void)state;
    for (int a = 0; a < BR_SHAPE_TYPES; a++) {
        for (int b = 0; b < BR_SHAPE_TYPES; b++) {
            const int neither = a >= BR_SHAPE_PLANE && b >= BR_SHAPE_PLANE;
            assert_int_equal(br_collide_possible((br_shape_type)a, (br_shape_type)b), !neither);
            if (a != b) // one of the two orders is right
                assert_int_equal(br_collide_order((br_shape_type)a, (br_shape_type)b) +
                                     br_collide_order((br_shape_type)b, (br_shape_type)a),
                                 1);
            if (b >= BR_SHAPE_PLANE && a < BR_SHAPE_PLANE)
                assert_false(br_collide_order((br_shape_type)a, (br_shape_type)b));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_hold_every_point_and_touch),
        cmocka_unit_test(support_is_farthest_of_all_points),
        cmocka_unit_test(axis_becomes_local_z),
        cmocka_unit_test(sizes_are_halved_and_reach_is_the_farthest),
        cmocka_unit_test(every_pair_but_the_unbounded_ones_collides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
