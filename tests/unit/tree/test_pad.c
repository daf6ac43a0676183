// Pads of joints: powers, loads, and what planar models leave out.
#include <string.h>

#include "near.h"
#include "random.h"
#include "tree/pad.h"

// Sums of a few products of numbers of size 1 to 100: rounding is below 1e-13, and nothing here is approximate.
#define TOL 1e-12

static const br_vec3 z = {0.0, 0.0, 1.0};

static br_friction_def a_friction(void) {
    br_friction_def f = {0};
    f.law = BR_FRICTION_COULOMB;
    f.mu_static = f.mu_kinetic = 0.3;
    return f;
}

static double load_of(const br_pad *pad, br_wrench R) {
    double N = pad->preload;
    for (int k = 0; k < pad->norms; k++) {
        double square = 0.0;
        for (int i = 0; i < pad->norm[k].forms; i++) {
            const br_wrench form = pad->norm[k].form[i];
            const double x = br_vec3_dot(form.force, R.force) + br_vec3_dot(form.torque, R.torque);
            square += x * x;
        }
        N += sqrt(square);
    }
    return N;
}

// A joint of this kind at random coordinates.
static br_joint_motion a_motion(rng *r, br_joint_type type, double parameter) {
    const br_joint_kind *kind = br_joint_kind_of(type);
    br_joint_motion m;
    double q[BR_MAX_JOINT_Q];
    memset(&m, 0, sizeof m);
    for (int k = 0; k < kind->nq; k++) q[k] = rng_uniform(r, -1.0, 1.0);
    if (type == BR_JOINT_SPHERICAL) {
        const br_quat rotation = br_quat_normalize(br_quat_of(q[0], q[1], q[2], q[3]));
        q[0] = rotation.w, q[1] = rotation.x, q[2] = rotation.y, q[3] = rotation.z;
    }
    kind->pose(parameter, q, &m);
    kind->complement(parameter, q, &m);
    return m;
}

static br_twist a_twist(rng *r, br_joint_type type, const br_joint_motion *m) {
    br_twist V = br_twist_of(br_vec3_zero(), br_vec3_zero());
    for (int k = 0; k < br_joint_type_velocities(type); k++)
        V = br_twist_add(V, br_twist_scale(rng_uniform(r, -2.0, 2.0), m->S[k]));
    return V;
}

// --- directions --------------------------------------------------------------------------------------------------

// Sliding velocities are those of the surfaces, found without D: what a friction force takes is D . V times the force.
static void sliding_velocities_are_those_of_the_surfaces(void **state) {
    (void)state;
    rng r = {1};
    br_friction_def f = a_friction();
    f.pin_radius = 0.02, f.friction_arm = 0.07;
    for (int trial = 0; trial < 50; trial++) {
        br_pad pad[BR_MAX_PADS];
        br_joint_motion m = a_motion(&r, BR_JOINT_CYLINDRICAL, 0.0);
        br_twist V = a_twist(&r, BR_JOINT_CYLINDRICAL, &m);
        assert_int_equal(br_joint_pads(BR_JOINT_CYLINDRICAL, 0.0, &f, m.R_FM, NULL, pad), 1);
        assert_int_equal(pad->directions, 2);
        assert_near(br_twist_dot(V, pad->D[0]), V.linear.z, TOL);
        assert_near(br_twist_dot(V, pad->D[1]), 0.02 * V.angular.z, TOL);
        assert_near(pad->arm[1], 0.02, 0.0);

        m = a_motion(&r, BR_JOINT_SPHERICAL, 0.0), V = a_twist(&r, BR_JOINT_SPHERICAL, &m);
        br_joint_pads(BR_JOINT_SPHERICAL, 0.0, &f, m.R_FM, NULL, pad);
        assert_int_equal(pad->directions, 3);
        double square = 0.0;
        for (int k = 0; k < 3; k++) square += pow(br_twist_dot(V, pad->D[k]), 2.0);
        assert_near(sqrt(square), 0.02 * br_vec3_norm(V.angular), TOL);

        m = a_motion(&r, BR_JOINT_PLANAR, 0.0), V = a_twist(&r, BR_JOINT_PLANAR, &m);
        br_joint_pads(BR_JOINT_PLANAR, 0.0, &f, m.R_FM, NULL, pad);
        assert_int_equal(pad->directions, 3);
        assert_near(br_twist_dot(V, pad->D[0]), V.linear.x, TOL);
        assert_near(br_twist_dot(V, pad->D[1]), V.linear.y, TOL);
        assert_near(br_twist_dot(V, pad->D[2]), 0.07 * V.angular.z, TOL);
    }
}

// A point of the thread at radius r moves with (r omega, rho omega): along the helix, with its full speed.
static void a_thread_slides_along_its_helix(void **state) {
    (void)state;
    rng r = {2};
    br_friction_def f = a_friction();
    f.pin_radius = 0.01;
    for (int trial = 0; trial < 50; trial++) {
        const double rho = rng_uniform(&r, -0.02, 0.02), omega = rng_uniform(&r, -3.0, 3.0);
        br_pad pad[BR_MAX_PADS];
        const br_joint_motion m = a_motion(&r, BR_JOINT_SCREW, rho);
        br_joint_pads(BR_JOINT_SCREW, rho, &f, m.R_FM, NULL, pad);
        const double v = br_twist_dot(br_twist_scale(omega, m.S[0]), pad->D[0]);
        assert_near(v, omega * hypot(0.01, rho), TOL);
        // What is shown is a torque along the joint's own coordinate: the same power.
        assert_near(pad->arm[0] * omega, v, TOL);
        // The flank's normal force N pushes cos(lead) N along z and turns with -r sin(lead) N: the joint's third row.
        const double N = rng_uniform(&r, -100.0, 100.0), helix = hypot(0.01, rho);
        const br_wrench R = br_wrench_of(br_vec3_of(0.0, 0.0, -0.01 * rho / helix * N),
                                         br_vec3_of(0.0, 0.0, 0.01 / helix * N));
        assert_near(br_twist_dot(m.S[0], R), 0.0, TOL);
        assert_near(load_of(pad, R), fabs(N), 100.0 * TOL);
    }
}

// A universal joint has a pin along z of F and one along x of M.
static void a_universal_joint_turns_in_two_pins(void **state) {
    (void)state;
    rng r = {3};
    br_friction_def f = a_friction();
    f.pin_radius = 0.02, f.friction_arm = 0.03, f.guide_length = 0.1;
    for (int trial = 0; trial < 50; trial++) {
        br_pad pad[BR_MAX_PADS], one[BR_MAX_PADS];
        const br_joint_motion m = a_motion(&r, BR_JOINT_UNIVERSAL, 0.0);
        const double v[2] = {rng_uniform(&r, -1.0, 1.0), rng_uniform(&r, -1.0, 1.0)};
        assert_int_equal(br_joint_pads(BR_JOINT_UNIVERSAL, 0.0, &f, m.R_FM, NULL, pad), 2);
        assert_int_equal(br_pad_count(BR_JOINT_UNIVERSAL), 2);
        for (int k = 0; k < 2; k++) { // the arms are perpendicular: each pin sees its own angle
            const br_twist V = br_twist_add(br_twist_scale(v[0], m.S[0]), br_twist_scale(v[1], m.S[1]));
            assert_int_equal(pad[k].directions, 1);
            assert_near(br_twist_dot(V, pad[k].D[0]), 0.02 * v[k], TOL);
        }
        // The load of the second pin is that of a revolute joint in axes where x of M is z.
        const br_vec3 F = rng_vec3(&r, 100.0), M = rng_vec3(&r, 10.0);
        const br_vec3 a = br_mat3_column(m.R_FM, 0), b = br_mat3_column(m.R_FM, 1),
                      c = br_mat3_column(m.R_FM, 2);
        br_joint_pads(BR_JOINT_REVOLUTE, 0.0, &f, br_mat3_identity(), NULL, one);
        const br_wrench turned =
            br_wrench_of(br_vec3_of(br_vec3_dot(M, b), br_vec3_dot(M, c), br_vec3_dot(M, a)),
                         br_vec3_of(br_vec3_dot(F, b), br_vec3_dot(F, c), br_vec3_dot(F, a)));
        assert_near(load_of(&pad[1], br_wrench_of(M, F)), load_of(one, turned), 1000.0 * TOL);
        assert_near(load_of(&pad[0], br_wrench_of(M, F)), load_of(one, br_wrench_of(M, F)), 1000.0 * TOL);
    }
}

// --- loads -------------------------------------------------------------------------------------------------------

// Two ends at +-L/2 that carry n_1 and n_2 have the resultant (F, M): the norms give back |n_1| + |n_2|.
static void ends_of_a_bearing_carry_what_statics_says(void **state) {
    (void)state;
    rng r = {4};
    br_friction_def f = a_friction();
    f.pin_radius = 0.02, f.guide_length = 0.3;
    for (int trial = 0; trial < 100; trial++) {
        const br_vec3 n1 = br_vec3_of(rng_uniform(&r, -50.0, 50.0), rng_uniform(&r, -50.0, 50.0), 0.0);
        const br_vec3 n2 = br_vec3_of(rng_uniform(&r, -50.0, 50.0), rng_uniform(&r, -50.0, 50.0), 0.0);
        const br_wrench R = br_wrench_add(br_wrench_of_force(n1, br_vec3_scale(0.15, z)),
                                          br_wrench_of_force(n2, br_vec3_scale(-0.15, z)));
        const br_joint_type type[] = {BR_JOINT_REVOLUTE, BR_JOINT_PRISMATIC, BR_JOINT_CYLINDRICAL};
        for (int k = 0; k < 3; k++) {
            br_pad pad[BR_MAX_PADS];
            br_joint_pads(type[k], 0.0, &f, br_mat3_identity(), NULL, pad);
            assert_int_equal(pad->norms, 2);
            assert_near(load_of(pad, R), br_vec3_norm(n1) + br_vec3_norm(n2), 100.0 * TOL);
        }
    }
}

// In one plane: |n_1| + |n_2| = max(|F|, 2 |M|/L).
static void a_guide_wedges_when_the_load_leaves_it(void **state) {
    (void)state;
    br_friction_def f = a_friction();
    f.guide_length = 0.2;
    br_pad pad[BR_MAX_PADS];
    br_joint_pads(BR_JOINT_PRISMATIC, 0.0, &f, br_mat3_identity(), NULL, pad);
    for (double lever = -0.5; lever <= 0.5; lever += 0.01) { // the load 10 N along x acts here along z
        const br_wrench R = br_wrench_of_force(br_vec3_of(10.0, 0.0, 0.0), br_vec3_of(0.0, 0.0, lever));
        assert_near(load_of(pad, R), fmax(10.0, 2.0 * 10.0 * fabs(lever) / 0.2), TOL);
    }
}

static void other_parts_of_the_load(void **state) {
    (void)state;
    br_friction_def f = a_friction();
    br_pad pad[BR_MAX_PADS];
    const br_wrench R = br_wrench_of(br_vec3_of(1.0, 2.0, 6.0), br_vec3_of(3.0, -4.0, 12.0));
    f.pin_radius = 0.02, f.preload = 7.0;
    br_joint_pads(BR_JOINT_REVOLUTE, 0.0, &f, br_mat3_identity(), NULL, pad); // no shoulder: F_z does not rub
    assert_near(load_of(pad, R), 7.0 + 5.0, TOL);
    f.friction_arm = 0.03;
    br_joint_pads(BR_JOINT_REVOLUTE, 0.0, &f, br_mat3_identity(), NULL, pad);
    assert_near(load_of(pad, R), 7.0 + 5.0 + 1.5 * 12.0, TOL);
    br_joint_pads(BR_JOINT_PRISMATIC, 0.0, &f, br_mat3_identity(), NULL, pad); // keys against turning
    assert_near(load_of(pad, R), 7.0 + 5.0 + 6.0 / 0.03, 100.0 * TOL);
    br_joint_pads(BR_JOINT_SPHERICAL, 0.0, &f, br_mat3_identity(), NULL, pad);
    assert_near(load_of(pad, R), 7.0 + 13.0, TOL);
    br_joint_pads(BR_JOINT_PLANAR, 0.0, &f, br_mat3_identity(), NULL, pad);
    assert_near(load_of(pad, R), 7.0 + 12.0, TOL);
    br_joint_pads(BR_JOINT_SCREW, 0.02, &f, br_mat3_identity(), NULL, pad); // lead angle of 45 deg
    assert_near(load_of(pad, R), 7.0 + 12.0 * sqrt(2.0) + 5.0, 10.0 * TOL);
}

static void a_constant_load_needs_no_reaction(void **state) {
    (void)state;
    br_friction_def f = a_friction();
    f.load_constant = 1, f.load = 4.0, f.preload = 100.0, f.guide_length = 1.0;
    const br_joint_type type[] = {BR_JOINT_REVOLUTE, BR_JOINT_PRISMATIC, BR_JOINT_CYLINDRICAL,
                                  BR_JOINT_SCREW,    BR_JOINT_UNIVERSAL, BR_JOINT_SPHERICAL,
                                  BR_JOINT_PLANAR};
    const br_twist turning = br_twist_of(br_vec3_of(0.0, 0.0, 2.0), br_vec3_of(0.0, 0.0, 0.5));
    for (size_t k = 0; k < sizeof type / sizeof *type; k++) {
        br_pad pad[BR_MAX_PADS];
        const int count = br_joint_pads(type[k], 0.25, &f, br_mat3_identity(), NULL, pad);
        assert_int_equal(count, br_pad_count(type[k]));
        for (int i = 0; i < count; i++) {
            assert_int_equal(pad[i].norms, 0);
            assert_near(pad[i].preload, 4.0, 0.0);
        }
        if (type[k] != BR_JOINT_REVOLUTE && type[k] != BR_JOINT_SCREW) continue;
        assert_near(br_twist_dot(turning, pad->D[0]), 2.0, TOL); // a torque: velocity in rad/s
        assert_near(pad->arm[0], 1.0, 0.0);
    }
    f.pin_radius = 0.05;
    br_pad pad[BR_MAX_PADS];
    br_joint_pads(BR_JOINT_REVOLUTE, 0.0, &f, br_mat3_identity(), NULL, pad);
    assert_near(br_twist_dot(turning, pad->D[0]), 0.1, TOL);
    f.pin_radius = 0.0; // metres and radians share no disk: a cylindrical joint then turns freely
    br_joint_pads(BR_JOINT_CYLINDRICAL, 0.0, &f, br_mat3_identity(), NULL, pad);
    assert_int_equal(pad->directions, 1);
}

// --- planar models -----------------------------------------------------------------------------------------------

static void planar_models_count_what_is_in_their_plane(void **state) {
    (void)state;
    br_friction_def f = a_friction();
    f.pin_radius = 0.02, f.friction_arm = 0.03, f.guide_length = 0.2;
    br_pad pad[BR_MAX_PADS];
    const br_vec3 x = br_vec3_of(1.0, 0.0, 0.0);
    const br_wrench R = br_wrench_of(br_vec3_of(0.6, 2.0, 3.0), br_vec3_of(30.0, 4.0, 12.0));

    // A pin along the normal: forces in the plane; neither shoulder nor bending moments are known.
    br_joint_pads(BR_JOINT_REVOLUTE, 0.0, &f, br_mat3_identity(), &z, pad);
    assert_int_equal(pad->norms, 1);
    assert_near(load_of(pad, R), hypot(30.0, 4.0), 10.0 * TOL);

    // A guide in the plane, its normal along x: F_y and M_x, which wedges it; no twist about the guide.
    br_joint_pads(BR_JOINT_PRISMATIC, 0.0, &f, br_mat3_identity(), &x, pad);
    assert_int_equal(pad->directions, 1);
    assert_int_equal(pad->norms, 2);
    assert_near(load_of(pad, R), fmax(4.0, 2.0 * 0.6 / 0.2), TOL);

    // A ball turns about the normal only, whatever the axes of F.
    const br_vec3 oblique = br_vec3_normalize(br_vec3_of(1.0, 2.0, -2.0));
    br_joint_pads(BR_JOINT_SPHERICAL, 0.0, &f, br_mat3_identity(), &oblique, pad);
    assert_int_equal(pad->directions, 1);
    assert_near(br_twist_dot(br_twist_of(br_vec3_scale(3.0, oblique), br_vec3_zero()), pad->D[0]), 0.06, TOL);
    const br_vec3 F = R.force;
    assert_near(load_of(pad, R), br_vec3_norm(br_vec3_cross(oblique, F)), 100.0 * TOL);

    // A table across the plane: its load is not known at all.
    br_joint_pads(BR_JOINT_PLANAR, 0.0, &f, br_mat3_identity(), &z, pad);
    assert_int_equal(pad->directions, 3);
    assert_int_equal(pad->norms, 0);

    // Of a universal joint only the pin along the normal turns.
    br_joint_pads(BR_JOINT_UNIVERSAL, 0.0, &f, br_mat3_identity(), &z, pad);
    assert_int_equal(pad[0].directions, 1);
    assert_int_equal(pad[1].directions, 0);

    // A cylinder along the plane slides, along the normal it turns.
    br_joint_pads(BR_JOINT_CYLINDRICAL, 0.0, &f, br_mat3_identity(), &x, pad);
    assert_int_equal(pad->directions, 1);
    assert_near(pad->D[0].force.z, 1.0, 0.0);
    br_joint_pads(BR_JOINT_CYLINDRICAL, 0.0, &f, br_mat3_identity(), &z, pad);
    assert_int_equal(pad->directions, 1);
    assert_near(pad->D[0].torque.z, 0.02, 0.0);
}

// The load depends on the reaction, not on how the joint's x axis lies.
static void loads_do_not_depend_on_the_axes_across(void **state) {
    (void)state;
    rng r = {5};
    br_friction_def f = a_friction();
    f.pin_radius = 0.02, f.friction_arm = 0.03, f.guide_length = 0.2;
    for (int trial = 0; trial < 50; trial++) {
        const br_wrench R = br_wrench_of(rng_vec3(&r, 10.0), rng_vec3(&r, 100.0));
        const br_quat turn = br_quat_from_axis_angle(z, rng_uniform(&r, -3.0, 3.0));
        const br_wrench turned = br_wrench_of(br_quat_rotate(turn, R.torque), br_quat_rotate(turn, R.force));
        const br_joint_type type[] = {BR_JOINT_REVOLUTE, BR_JOINT_PRISMATIC, BR_JOINT_CYLINDRICAL,
                                      BR_JOINT_SCREW,    BR_JOINT_SPHERICAL, BR_JOINT_PLANAR};
        for (size_t k = 0; k < sizeof type / sizeof *type; k++) {
            br_pad pad[BR_MAX_PADS];
            br_joint_pads(type[k], 0.004, &f, br_mat3_identity(), NULL, pad);
            assert_near(load_of(pad, turned), load_of(pad, R), 1e4 * TOL);
        }
    }
}

static void some_kinds_cannot_rub(void **state) {
    (void)state;
    const br_joint_type type[] = {BR_JOINT_WELD, BR_JOINT_FREE, BR_JOINT_DISTANCE, BR_JOINT_GEAR,
                                  BR_JOINT_RACK_PINION};
    br_friction_def f = a_friction();
    br_pad pad[BR_MAX_PADS];
    for (size_t k = 0; k < sizeof type / sizeof *type; k++) {
        assert_int_equal(br_pad_count(type[k]), 0);
        assert_int_equal(br_joint_pads(type[k], 0.0, &f, br_mat3_identity(), NULL, pad), 0);
    }
    f.law = BR_FRICTION_NONE;
    assert_int_equal(br_joint_pads(BR_JOINT_PRISMATIC, 0.0, &f, br_mat3_identity(), NULL, pad), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sliding_velocities_are_those_of_the_surfaces),
        cmocka_unit_test(a_thread_slides_along_its_helix),
        cmocka_unit_test(a_universal_joint_turns_in_two_pins),
        cmocka_unit_test(ends_of_a_bearing_carry_what_statics_says),
        cmocka_unit_test(a_guide_wedges_when_the_load_leaves_it),
        cmocka_unit_test(other_parts_of_the_load),
        cmocka_unit_test(a_constant_load_needs_no_reaction),
        cmocka_unit_test(planar_models_count_what_is_in_their_plane),
        cmocka_unit_test(loads_do_not_depend_on_the_axes_across),
        cmocka_unit_test(some_kinds_cannot_rub),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
