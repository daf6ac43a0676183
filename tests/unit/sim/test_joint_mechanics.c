// What every joint kind owes, in the tree and as the closure of a loop: Jacobians by finite differences,
// reactions by Newton and Euler's equations of each body, the same answer in a rotated frame and in both
// coordinate choices.
#include <stdio.h>
#include <string.h>

#include "joint_rig.h"

#define MAX_V 12
#define MAX_Q 14

typedef void (*rig_test)(br_joint_type type, int loop, br_coordinates coordinates);

static int in_tree(br_joint_type type) {
    return type != BR_JOINT_DISTANCE && type != BR_JOINT_GEAR && type != BR_JOINT_RACK_PINION;
}

static void for_all(rig_test test) {
    for (int type = 0; type < BR_JOINT_TYPES; type++)
        for (int loop = 0; loop < 2; loop++)
            for (int c = 0; c < 2; c++)
                if (type != BR_JOINT_TENDON &&
                    (loop || in_tree((br_joint_type)type))) // a tendon: test_tendon.c
                    test((br_joint_type)type, loop, c ? BR_ABSOLUTE : BR_REDUCED);
}

static joint_rig make(br_joint_type type, int loop, br_coordinates coordinates) {
    return rig_make(type, loop, coordinates, br_pose_identity(), 100 + (uint64_t)type, 0);
}

static const char *label(br_joint_type type, int loop, br_coordinates coordinates) {
    static char text[80];
    snprintf(text, sizeof text, "%s %s, %s", loop ? "loop by" : "tree of", br_joint_type_name(type),
             coordinates == BR_ABSOLUTE ? "absolute" : "reduced");
    return text;
}

static void near_or_say(const char *text, const char *what, double difference, double limit) {
    if (!(difference <= limit))
        fail_msg("%s: %s differ by %.2e, more than %.0e", text, what, difference, limit);
}

static void set(joint_rig *rig, const double *q, const double *v) {
    br_error error = {0};
    rig_check(br_sim_set_state(rig->sim, 0, q, v, &error), &error);
}

// --- Jacobians ---------------------------------------------------------------------------------------------

// Velocity of a body between two poses h apart, at its point.
static br_twist rate(br_pose before, br_pose after, br_vec3 point, double h) {
    const br_vec3 turn = br_quat_log(br_quat_mul(after.rotation, br_quat_conjugate(before.rotation)));
    const br_vec3 way = br_vec3_sub(br_pose_point(after, point), br_pose_point(before, point));
    return br_twist_of(br_vec3_scale(1 / h, turn), br_vec3_scale(1 / h, way));
}

// Central differences with 1e-5: 1e-10 of truncation, 1e-11 of rounding.
static void jacobian_columns(br_joint_type type, int loop, br_coordinates coordinates) {
    joint_rig rig = make(type, loop, coordinates);
    const char *text = label(type, loop, coordinates);
    const double h = 1e-5;
    const br_vec3 point = br_vec3_of(0.1, -0.2, 0.3);
    const int nv = br_model_nv(rig.model);
    double q[MAX_Q], v[MAX_V], zero[MAX_V] = {0}, linear[3 * MAX_V], angular[3 * MAX_V], moved[MAX_Q];
    memcpy(q, br_sim_q(rig.sim), sizeof *q * (size_t)br_model_nq(rig.model));
    memcpy(v, br_sim_v(rig.sim), sizeof *v * (size_t)nv);
    for (int body = 0; body < RIG_BODIES; body++) {
        set(&rig, q, v);
        br_sim_jacobian(rig.sim, body, point, linear, angular);
        br_vec3 sum = br_vec3_zero(), spin = br_vec3_zero();
        for (int k = 0; k < nv; k++) {
            double unit[MAX_V] = {0};
            unit[k] = 1;
            const br_vec3 l = br_vec3_of(linear[k], linear[nv + k], linear[2 * nv + k]);
            const br_vec3 a = br_vec3_of(angular[k], angular[nv + k], angular[2 * nv + k]);
            rig_move(rig.model, q, unit, -h, moved);
            set(&rig, moved, zero);
            const br_pose before = br_sim_body_pose(rig.sim, body);
            rig_move(rig.model, q, unit, h, moved);
            set(&rig, moved, zero);
            const br_twist V = rate(before, br_sim_body_pose(rig.sim, body), point, 2 * h);
            near_or_say(text, "linear Jacobian and differences", br_vec3_distance(V.linear, l), 1e-8);
            near_or_say(text, "angular Jacobian and differences", br_vec3_distance(V.angular, a), 1e-8);
            sum = br_vec3_add_scaled(sum, v[k], l);
            spin = br_vec3_add_scaled(spin, v[k], a);
        }
        set(&rig, q, v);
        const br_twist V = br_sim_body_twist(rig.sim, body);
        const br_vec3 arm = br_pose_vector(br_sim_body_pose(rig.sim, body), point);
        near_or_say(text, "J v and the point's velocity",
                    br_vec3_distance(sum, br_vec3_add(V.linear, br_vec3_cross(V.angular, arm))), 1e-12);
        near_or_say(text, "J v and the angular velocity", br_vec3_distance(spin, V.angular), 1e-12);
    }
    rig_free(&rig);
}

// Moving along consistent velocities changes what a closing joint measures at the rate it says, and opens the
// loop only by the second order of the way.
static void loop_velocities(br_joint_type type, int loop, br_coordinates coordinates) {
    if (!loop || !in_tree(type)) return;
    joint_rig rig = make(type, loop, coordinates);
    const char *text = label(type, loop, coordinates);
    const double h = 1e-6;
    const int closing = br_model_joint_find(rig.model, "closing"), nv = br_model_nv(rig.model);
    assert_true(br_model_joint_closes_loop(rig.model, closing));
    double q[MAX_Q], v[MAX_V], moved[MAX_Q], said[BR_MAX_JOINT_V] = {0}, at[2][BR_MAX_JOINT_Q] = {{0}};
    memcpy(q, br_sim_q(rig.sim), sizeof *q * (size_t)br_model_nq(rig.model));
    memcpy(v, br_sim_v(rig.sim), sizeof *v * (size_t)nv);
    set(&rig, q, v);
    br_sim_joint_velocity(rig.sim, closing, said);
    for (int side = 0; side < 2; side++) {
        rig_move(rig.model, q, v, side ? h : -h, moved);
        set(&rig, moved, v);
        br_sim_joint_position(rig.sim, closing, at[side]);
    }
    const int plain = br_joint_type_positions(type) > br_joint_type_velocities(type)
                          ? br_joint_type_velocities(type) - 3
                          : br_joint_type_velocities(type);
    for (int k = 0; k < plain; k++)
        near_or_say(text, "velocity and rate of position", fabs((at[1][k] - at[0][k]) / (2 * h) - said[k]),
                    1e-7);
    rig_free(&rig);
}

// --- Newton and Euler --------------------------------------------------------------------------------------

// Momentum of a body about its centre of mass.
static br_wrench momentum(const joint_rig *rig, int body) {
    const br_body_def *def = &rig->body[body];
    const br_pose X = br_sim_body_pose(rig->sim, body);
    const br_twist V = br_sim_body_twist(rig->sim, body);
    const br_vec3 com = br_pose_vector(X, def->com);
    const br_vec3 v = br_vec3_add(V.linear, br_vec3_cross(V.angular, com));
    const br_sym3 I = br_sym3_rotate(br_quat_to_mat3(X.rotation), def->inertia);
    return br_wrench_of(br_sym3_mul_vec(I, V.angular), br_vec3_scale(def->mass, v));
}

// Adds what joint k exerts on its second body (sign 1) or on its first (sign -1), about the body's centre of
// mass.
static br_wrench add_reaction(joint_rig *rig, int k, int body, double sign, br_wrench sum) {
    br_wrench in_M, in_W;
    br_error error = {0};
    const int joint = br_model_joint_find(rig->model, rig->joint[k].name);
    const int second = br_model_body_find(rig->model, rig->joint[k].second);
    rig_check(br_sim_joint_reaction(rig->sim, joint, &in_M, &in_W, &error), &error);
    const br_pose X_WB = second < 0 ? br_pose_identity() : br_sim_body_pose(rig->sim, second);
    const br_vec3 at = br_pose_point(X_WB, rig->joint[k].X_BM.position);
    const br_vec3 com = br_pose_point(br_sim_body_pose(rig->sim, body), rig->body[body].com);
    const br_vec3 torque = br_vec3_add(in_W.torque, br_vec3_cross(br_vec3_sub(at, com), in_W.force));
    return br_wrench_add(sum, br_wrench_scale(sign, br_wrench_of(torque, in_W.force)));
}

static br_wrench all_forces(joint_rig *rig, int body) {
    const char *name = rig->body[body].name;
    br_wrench sum = br_wrench_of(br_vec3_zero(), br_vec3_scale(rig->body[body].mass, rig->gravity));
    for (int k = 0; k < rig->joints; k++) {
        if (!strcmp(rig->joint[k].second, name)) sum = add_reaction(rig, k, body, 1, sum);
        if (!strcmp(rig->joint[k].first, name)) sum = add_reaction(rig, k, body, -1, sum);
    }
    return sum;
}

// The rate of momentum from the accelerations, by central differences along the motion's own second-order
// path.
static void momentum_rates(joint_rig *rig, br_wrench *out) {
    const double h = 1e-5;
    const int nq = br_model_nq(rig->model), nv = br_model_nv(rig->model);
    double q[MAX_Q], v[MAX_V], a[MAX_V], moved[MAX_Q], mean[MAX_V], after[MAX_V];
    br_wrench p[2][RIG_BODIES];
    br_error error = {0};
    memcpy(q, br_sim_q(rig->sim), sizeof *q * (size_t)nq);
    memcpy(v, br_sim_v(rig->sim), sizeof *v * (size_t)nv);
    rig_check(br_sim_acceleration(rig->sim, a, &error), &error);
    for (int side = 0; side < 2; side++) {
        const double dt = side ? h : -h;
        for (int k = 0; k < nv; k++) {
            mean[k] = v[k] + dt / 2 * a[k];
            after[k] = v[k] + dt * a[k];
        }
        rig_move(rig->model, q, mean, dt, moved);
        set(rig, moved, after);
        for (int body = 0; body < RIG_BODIES; body++) p[side][body] = momentum(rig, body);
    }
    set(rig, q, v);
    for (int body = 0; body < RIG_BODIES; body++)
        out[body] = br_wrench_scale(1 / (2 * h), br_wrench_sub(p[1][body], p[0][body]));
}

static void reactions_balance(br_joint_type type, int loop, br_coordinates coordinates) {
    if (type == BR_JOINT_GEAR || type == BR_JOINT_RACK_PINION) return; // see couplings
    joint_rig rig = make(type, loop, coordinates);
    const char *text = label(type, loop, coordinates);
    br_wrench p[RIG_BODIES];
    momentum_rates(&rig, p);
    for (int body = 0; body < RIG_BODIES; body++) {
        const br_wrench f = all_forces(&rig, body);
        near_or_say(text, "forces and rate of momentum", br_vec3_distance(f.force, p[body].force), 1e-6);
        near_or_say(text, "torques and rate of angular momentum", br_vec3_distance(f.torque, p[body].torque),
                    1e-6);
    }
    rig_free(&rig);
}

// What changes a body's momentum beyond gravity and reactions, about the origin of joint k's M in the axes of
// M (the body being the joint's second): the joint's efforts.
static br_wrench effort(joint_rig *rig, int body, int k) {
    br_wrench p[RIG_BODIES];
    momentum_rates(rig, p);
    const br_wrench missing = br_wrench_sub(p[body], all_forces(rig, body));
    const br_pose X = br_sim_body_pose(rig->sim, body), X_BM = rig->joint[k].X_BM;
    const br_vec3 arm = br_vec3_sub(br_pose_point(X, rig->body[body].com), br_pose_point(X, X_BM.position));
    const br_vec3 torque = br_vec3_add(missing.torque, br_vec3_cross(arm, missing.force));
    return br_wrench_of(br_pose_vector_inverse(X_BM, br_pose_vector_inverse(X, torque)),
                        br_pose_vector_inverse(X_BM, br_pose_vector_inverse(X, missing.force)));
}

static void along_axis(const char *text, br_wrench found, double torque, double force) {
    near_or_say(text, "effort and its torque", br_vec3_distance(found.torque, br_vec3_of(0, 0, torque)),
                1e-6);
    near_or_say(text, "effort and its force", br_vec3_distance(found.force, br_vec3_of(0, 0, force)), 1e-6);
}

// A gear or rack loads its two joints along their coordinates and nothing else, in the proportion of its
// ratio.
static void couplings(br_joint_type type, int loop, br_coordinates coordinates) {
    if (type != BR_JOINT_GEAR && type != BR_JOINT_RACK_PINION) return;
    joint_rig rig = make(type, loop, coordinates);
    const char *text = label(type, loop, coordinates);
    const br_wrench first = effort(&rig, RIG_ARM, 0), second = effort(&rig, RIG_TIP, 1);
    assert_true(fabs(first.torque.z) > 0.01);
    along_axis(text, first, first.torque.z, 0);
    if (type == BR_JOINT_GEAR)
        along_axis(text, second, rig.joint[2].ratio * first.torque.z, 0);
    else
        along_axis(text, second, 0, -first.torque.z / rig.joint[2].radius);
    rig_free(&rig);
}

// Springs and dampers of a joint act along its coordinate and are no part of its reaction.
static void springs(br_joint_type type, int loop, br_coordinates coordinates) {
    if (loop || (type != BR_JOINT_REVOLUTE && type != BR_JOINT_PRISMATIC)) return;
    const double k = 30;
    joint_rig rig = rig_make(type, loop, coordinates, br_pose_identity(), 100 + (uint64_t)type, k);
    const br_joint_def *def = &rig.joint[0];
    const double right = -k * def->position[0] - k / 2 * def->velocity[0];
    along_axis(label(type, loop, coordinates), effort(&rig, RIG_ARM, 0),
               type == BR_JOINT_REVOLUTE ? right : 0, type == BR_JOINT_REVOLUTE ? 0 : right);
    rig_free(&rig);
}

static br_wrench reaction_in_M(joint_rig *rig, int joint) {
    br_wrench in_M, in_W;
    br_error error = {0};
    rig_check(br_sim_joint_reaction(rig->sim, joint, &in_M, &in_W, &error), &error);
    return in_M;
}

// --- rotated frames and coordinate choices -----------------------------------------------------------------

static void compare(const char *text, joint_rig *a, joint_rig *b, double limit) {
    const int nq = br_model_nq(a->model), nv = br_model_nv(a->model);
    double vdot[2][MAX_V];
    br_error error = {0};
    for (int k = 0; k < nq; k++) {
        const double x = br_sim_q(a->sim)[k], y = br_sim_q(b->sim)[k];
        near_or_say(text, "positions", fabs(x - y), limit);
    }
    for (int k = 0; k < nv; k++)
        near_or_say(text, "velocities", fabs(br_sim_v(a->sim)[k] - br_sim_v(b->sim)[k]), limit);
    rig_check(br_sim_acceleration(a->sim, vdot[0], &error), &error);
    rig_check(br_sim_acceleration(b->sim, vdot[1], &error), &error);
    for (int k = 0; k < nv; k++)
        near_or_say(text, "accelerations", fabs(vdot[0][k] - vdot[1][k]), 100 * limit);
    near_or_say(text, "kinetic energies", fabs(br_sim_energy(a->sim).kinetic - br_sim_energy(b->sim).kinetic),
                10 * limit);
    for (int j = 0; j < br_model_joint_count(a->model); j++) {
        const br_wrench f = reaction_in_M(a, j), g = reaction_in_M(b, j);
        near_or_say(text, "reaction forces", br_vec3_distance(f.force, g.force), 100 * limit);
        near_or_say(text, "reaction torques", br_vec3_distance(f.torque, g.torque), 100 * limit);
    }
}

static void run(joint_rig *rig, int steps) {
    br_error error = {0};
    for (int k = 0; k < steps; k++) rig_check(br_sim_step(rig->sim, &error), &error);
}

// Joint coordinates and reactions in joint frames do not know how the world lies. Forces are of order 30 N
// and accelerations of order 100: hence the factors in compare.
static void rotated(br_joint_type type, int loop, br_coordinates coordinates) {
    rng r = {7};
    joint_rig a = make(type, loop, coordinates);
    joint_rig b = rig_make(type, loop, coordinates, rng_pose(&r, 1.0), 100 + (uint64_t)type, 0);
    compare(label(type, loop, coordinates), &a, &b, 1e-11);
    run(&a, 50);
    run(&b, 50);
    compare(label(type, loop, coordinates), &a, &b, 1e-10);
    rig_free(&a);
    rig_free(&b);
}

static void either_coordinates(br_joint_type type, int loop, br_coordinates coordinates) {
    if (coordinates == BR_ABSOLUTE) return;
    joint_rig a = make(type, loop, BR_REDUCED), b = make(type, loop, BR_ABSOLUTE);
    compare(label(type, loop, BR_REDUCED), &a, &b, 1e-11);
    run(&a, 50);
    run(&b, 50);
    compare(label(type, loop, BR_REDUCED), &a, &b, 1e-10);
    rig_free(&a);
    rig_free(&b);
}

// --- tests -------------------------------------------------------------------------------------------------

#define RIG_TEST(name, function)                                                                             \
    static void name(void **state) {                                                                         \
        (void)state;                                                                                         \
        for_all(function);                                                                                   \
    }

RIG_TEST(jacobians_are_the_rates_of_poses, jacobian_columns)
RIG_TEST(loop_joints_measure_their_own_velocity, loop_velocities)
RIG_TEST(reactions_balance_momentum, reactions_balance)
RIG_TEST(couplings_load_their_joints_alone, couplings)
RIG_TEST(springs_are_no_part_of_reactions, springs)
RIG_TEST(same_answer_in_a_rotated_frame, rotated)
RIG_TEST(same_answer_in_both_coordinates, either_coordinates)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jacobians_are_the_rates_of_poses),
        cmocka_unit_test(loop_joints_measure_their_own_velocity),
        cmocka_unit_test(reactions_balance_momentum),
        cmocka_unit_test(couplings_load_their_joints_alone),
        cmocka_unit_test(springs_are_no_part_of_reactions),
        cmocka_unit_test(same_answer_in_a_rotated_frame),
        cmocka_unit_test(same_answer_in_both_coordinates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
