// What definitions become: tree, frames, start, couplings; and what a model as a whole is refused for.
#include "counting_allocator.h"
#include "model/model.h"
#include "models.h"
#include "random.h"

// The model's own tree at its start, by the recursions that the simulation uses.
typedef struct started {
    br_arena arena;
    br_tree_work work;
} started;

static started start_of(const br_model *m) {
    started s;
    br_arena_init(&s.arena, NULL);
    assert_int_equal(br_tree_work_create(&m->tree, &s.arena, &s.work), BR_OK);
    br_tree_position(&m->tree, m->q_start, &s.work);
    br_tree_velocity(&m->tree, m->q_start, m->v_start, &s.work);
    return s;
}

static br_pose body_pose(const br_model *m, const started *s, const char *name) {
    const br_model_body *body = &m->body[br_model_body_find(m, name)];
    const br_link_pose *p = &s->work.pose[body->link];
    return br_pose_mul(br_pose_of(br_quat_from_mat3(p->R_WL), p->p_WL), body->X_LB);
}

static br_twist com_twist(const br_model *m, const started *s, const char *name) {
    const br_model_body *body = &m->body[br_model_body_find(m, name)];
    const br_vec3 com = br_pose_point(body_pose(m, s, name), body->com_B);
    br_twist V = s->work.motion[body->link].V;
    V.linear = br_twist_at_point(V, br_vec3_sub(com, s->work.pose[body->link].p_WL));
    return V;
}

static void end(br_model *m, started *s) {
    br_arena_free(&s->arena);
    br_model_destroy(m);
}

static int joint(const br_model *m, const char *name) {
    const int j = br_model_joint_find(m, name);
    assert_true(j >= 0);
    return j;
}

// --- spanning tree -----------------------------------------------------------------------------------------

static void a_four_bar_is_a_tree_and_one_loop(void **state) {
    (void)state;
    br_model *m = compiled(four_bar(BR_SPATIAL));
    assert_int_equal(m->tree.links, 3);
    assert_int_equal(br_model_nv(m), 3);
    assert_int_equal(m->loops, 1);
    assert_int_equal(m->loop[0].joint, joint(m, "C"));
    assert_int_equal(m->loop[0].rows, 5);
    assert_true(br_model_joint_closes_loop(m, joint(m, "C")));
    assert_int_equal(br_model_joint_q(m, joint(m, "C")), -1);
    assert_int_equal(m->tree.link[1].parent, 0); // the coupler hangs on the crank
    assert_int_equal(m->tree.link[2].parent, -1);
    assert_true(m->joint[joint(m, "D")].reversed); // rocker is its first body
    assert_int_equal(m->variables, 2 * (3 + 1));
    assert_string_equal(m->notes, "");
    for (int k = 0; k < 3; k++) assert_near(m->q_start[k], 0.0, 1e-15);
    started s = start_of(m);
    assert_vec3_near(body_pose(m, &s, "crank").position, br_vec3_of(0, 0.5, 0), 1e-15);
    assert_vec3_near(body_pose(m, &s, "coupler").position, br_vec3_of(1, 1, 0), 1e-15);
    assert_vec3_near(body_pose(m, &s, "rocker").position, br_vec3_of(2, 0.5, 0), 1e-15);
    end(m, &s);
}

static void planar_loops_keep_the_rows_in_the_plane(void **state) {
    (void)state;
    br_model *m = compiled(four_bar(BR_PLANAR_XY));
    assert_int_equal(m->loop[0].rows, 2);
    assert_int_equal(m->loop[0].row[0], 0);
    assert_int_equal(m->loop[0].row[1], 1);
    br_model_destroy(m);
}

static void parents_may_come_later_in_the_file(void **state) {
    (void)state;
    br_builder *b = new_builder();
    put_body(b, a_body("hand", 3, 0, 0));
    put_body(b, a_body("other", 9, 0, 0));
    put_body(b, a_body("arm", 2, 0, 0));
    put_body(b, a_body("base", 1, 0, 0));
    const br_vec3 z = br_vec3_unit(2);
    put_joint_at(b, a_joint("wrist", BR_JOINT_REVOLUTE, "arm", "hand"), br_vec3_of(2.5, 0, 0), z);
    put_joint_at(b, a_joint("elbow", BR_JOINT_REVOLUTE, "base", "arm"), br_vec3_of(1.5, 0, 0), z);
    put_joint_at(b, a_joint("foot", BR_JOINT_REVOLUTE, "world", "base"), br_vec3_of(0.5, 0, 0), z);
    br_model *m = compiled(b);
    static const char *const order[] = {"base", "arm", "hand", "other"};
    for (int k = 0; k < 4; k++) assert_string_equal(m->body[m->link_body[k]].name, order[k]);
    for (int k = 0; k < 4; k++) assert_true(m->tree.link[k].parent < k);
    assert_int_equal(br_model_joint_count(m), 4);
    assert_string_equal(br_model_joint_name(m, 3), "other.free");
    assert_int_equal(br_model_joint_type(m, 3), BR_JOINT_FREE);
    assert_int_equal(br_model_nq(m), 3 + 7);
    assert_int_equal(br_model_nv(m), 3 + 6);
    assert_int_equal(br_model_joint_q(m, 3), 3);
    started s = start_of(m);
    assert_vec3_near(body_pose(m, &s, "hand").position, br_vec3_of(3, 0, 0), 1e-14);
    end(m, &s);
}

static void an_island_hangs_on_its_first_body(void **state) {
    (void)state;
    br_builder *b = new_builder();
    put_body(b, a_body("a", 1, 0, 0));
    put_body(b, a_body("b", 2, 0, 0));
    put_joint_at(b, a_joint("ab", BR_JOINT_SPHERICAL, "b", "a"), br_vec3_of(1.5, 0, 0), br_vec3_unit(2));
    br_model *m = compiled(b);
    assert_string_equal(br_model_joint_name(m, 1), "a.free");
    assert_true(m->joint[0].reversed); // a carries b, which is the joint's first
    assert_int_equal(m->tree.link[1].parent, 0);
    br_model_destroy(m);
}

// --- the start ---------------------------------------------------------------------------------------------

enum { KINDS = BR_JOINT_FREE + 1 };

// A chain with one joint of every kind that carries a body, every second one reversed, frames at random.
static br_builder *chain_of_every_kind(uint64_t seed, br_joint_def *joints, br_body_def *bodies,
                                       char name[][8]) {
    rng r = {seed};
    br_builder *b = new_builder();
    for (int k = 0; k < KINDS; k++) {
        snprintf(name[k], 8, "b%d", k);
        snprintf(name[KINDS + k], 8, "j%d", k);
        const char *parent = k ? name[k - 1] : "world";
        bodies[k] = a_body(name[k], 0, 0, 0);
        bodies[k].com = rng_vec3(&r, 1.0);
        bodies[k].inertia = br_sym3_of(0.3, 0.25, 0.2, 0.02, -0.03, 0.01);
        joints[k] = k % 2 ? a_joint(name[KINDS + k], (br_joint_type)k, name[k], parent)
                          : a_joint(name[KINDS + k], (br_joint_type)k, parent, name[k]);
        joints[k].X_AF = rng_pose(&r, 1.0);
        joints[k].X_BM = rng_pose(&r, 1.0);
        joints[k].pitch = 0.4;
        const int nq = br_joint_type_positions((br_joint_type)k),
                  nv = br_joint_type_velocities((br_joint_type)k);
        joints[k].has_position = nq > 0;
        joints[k].has_velocity = nv > 0;
        for (int i = 0; i < nq; i++) joints[k].position[i] = rng_uniform(&r, -1.0, 1.0);
        for (int i = 0; i < nv; i++) joints[k].velocity[i] = rng_uniform(&r, -1.0, 1.0);
    }
    return b;
}

static void poses_and_velocities_of_bodies_give_the_joints_their_start(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed < 20; seed++) {
        br_joint_def joints[KINDS];
        br_body_def bodies[KINDS];
        char name[2 * KINDS][8];
        br_builder *b = chain_of_every_kind(seed, joints, bodies, name);
        for (int k = 0; k < KINDS; k++) put_body(b, bodies[k]), put_joint(b, joints[k]);
        br_model *m = compiled(b); // the weld has no position to give and moves its body
        started s = start_of(m);

        // Energy of the links is energy of the bodies: masses and inertias are in the right frames.
        double energy = 0.0;
        br_twist V[KINDS];
        for (int k = 0; k < KINDS; k++) {
            bodies[k].pose = body_pose(m, &s, name[k]);
            V[k] = com_twist(m, &s, name[k]);
            bodies[k].has_velocity = 1;
            bodies[k].velocity = V[k].linear;
            bodies[k].angular_velocity = V[k].angular;
            const br_vec3 w = br_pose_vector_inverse(bodies[k].pose, V[k].angular);
            energy += 0.5 * bodies[k].mass * br_vec3_norm_squared(V[k].linear) +
                      0.5 * br_vec3_dot(w, br_sym3_mul_vec(bodies[k].inertia, w));
        }
        br_tree_twists_in_place(&m->tree, &s.work, m->v_start);
        assert_near(br_tree_kinetic_energy(&m->tree, &s.work, m->v_start), energy, 1e-12 * energy);

        // The same model from those poses and velocities alone.
        b = new_builder();
        for (int k = 0; k < KINDS; k++) {
            joints[k].has_position = joints[k].has_velocity = 0;
            put_body(b, bodies[k]);
            put_joint(b, joints[k]);
        }
        br_model *again = compiled(b);
        assert_string_equal(again->notes, "");
        started t = start_of(again);
        for (int k = 0; k < KINDS; k++) {
            const br_pose X = body_pose(again, &t, name[k]);
            assert_vec3_near(X.position, bodies[k].pose.position, 1e-12);
            assert_rotation_near(X.rotation, bodies[k].pose.rotation, 1e-12);
            const br_twist U = com_twist(again, &t, name[k]);
            assert_vec3_near(U.linear, V[k].linear, 1e-11);
            assert_vec3_near(U.angular, V[k].angular, 1e-11);
        }
        for (int i = 0; i < m->tree.nv; i++) assert_near(again->v_start[i], m->v_start[i], 1e-11);
        end(m, &s);
        end(again, &t);
    }
}

static void a_free_body_starts_with_its_own_pose_and_velocity(void **state) {
    (void)state;
    br_builder *b = new_builder();
    br_body_def def = a_body("top", 1, 2, 3);
    def.com = br_vec3_of(0, 0, 0.5);
    def.pose.rotation = br_quat_from_axis_angle(br_vec3_unit(0), BR_PI / 2); // body z is world -y
    def.has_velocity = 1;
    def.velocity = br_vec3_of(1, 0, 0);
    def.angular_velocity = br_vec3_of(0, 0, 2); // body y
    put_body(b, def);
    br_model *m = compiled(b);
    const double q[7] = {1, 2, 3, sqrt(0.5), sqrt(0.5), 0, 0};
    // com at -0.5 y of the origin: origin's velocity = (1, 0, 0) + (0, 0, 2) x (0, 0.5, 0) = 0
    const double v[6] = {0, 0, 0, 0, 2, 0};
    for (int k = 0; k < 7; k++) assert_near(m->q_start[k], q[k], 1e-15);
    for (int k = 0; k < 6; k++) assert_near(m->v_start[k], v[k], 1e-15);
    br_model_destroy(m);
}

static void a_body_is_moved_to_fit_its_joint_and_it_is_said(void **state) {
    (void)state;
    br_builder *b = new_builder();
    put_body(b, a_body("door", 1, 0, 0.012));
    br_joint_def def = a_joint("hinge", BR_JOINT_REVOLUTE, "world", "door");
    def.X_BM.position = br_vec3_of(-1, 0, 0);
    put_joint(b, def);
    br_model *m = compiled(b);
    assert_string_equal(m->notes, "body door was moved by 0.012 m and 0 deg to fit joint hinge");
    started s = start_of(m);
    assert_vec3_near(body_pose(m, &s, "door").position, br_vec3_of(1, 0, 0), 1e-15);
    end(m, &s);
}

static void a_velocity_that_a_joint_cannot_follow_is_said(void **state) {
    (void)state;
    br_builder *b = new_builder();
    br_body_def def = a_body("door", 1, 0, 0);
    def.has_velocity = 1;
    def.velocity = br_vec3_of(0, 3, 0.5);
    def.angular_velocity = br_vec3_of(0, 0, 3);
    put_body(b, def);
    put_joint_at(b, a_joint("hinge", BR_JOINT_REVOLUTE, "world", "door"), br_vec3_zero(), br_vec3_unit(2));
    br_model *m = compiled(b);
    assert_near(m->v_start[0], 3.0, 1e-14);
    assert_string_equal(m->notes,
                        "the velocity of body door was changed by 0.5 m/s and 0 rad/s to fit joint hinge");
    br_model_destroy(m);
}

static void what_is_given_and_not_used_is_said(void **state) {
    (void)state;
    br_builder *b = four_bar(BR_SPATIAL);
    br_joint_def extra = a_joint("E", BR_JOINT_REVOLUTE, "coupler", "world");
    extra.has_position = 1;
    extra.position[0] = 0.5;
    put_joint_at(b, extra, br_vec3_of(1, 1, 0), br_vec3_unit(2));
    br_model *m = compiled(b); // E is nearer to the world than B, so B closes a loop
    assert_string_equal(m->notes, "");
    assert_true(br_model_joint_closes_loop(m, joint(m, "B")));
    br_model_destroy(m);

    b = new_builder();
    put_body(b, a_body("a", 0, 0, 0));
    put_joint(b, a_joint("one", BR_JOINT_REVOLUTE, "world", "a"));
    br_joint_def two = a_joint("two", BR_JOINT_REVOLUTE, "world", "a");
    two.has_velocity = 1;
    put_joint(b, two);
    m = compiled(b);
    assert_non_null(strstr(m->notes, "joint two closes a loop: its velocity follows"));
    br_model_destroy(m);
}

static void numbers_that_overflow_are_refused(void **state) {
    (void)state;
    br_builder *b = new_builder();
    br_body_def def = a_body("planet", 0, 0, 0);
    def.mass = 1e300;
    def.com = br_vec3_of(1e10, 0, 0);
    put_body(b, def);
    assert_refused(b, "model-not-finite", "bodies/planet", "too large");
    b = new_builder();
    def = a_body("star", 1e308, 0, 0);
    def.pose.rotation = br_quat_from_axis_angle(br_vec3_unit(2), 0.5);
    put_body(b, def);
    br_joint_def far = a_joint("far", BR_JOINT_PLANAR, "star", "world");
    far.X_AF.position = br_vec3_of(1e308, 1e308, 0);
    put_joint(b, far);
    assert_refused(b, "model-not-finite", "bodies/star", "too large");
}

// --- planar ------------------------------------------------------------------------------------------------

static br_builder *planar_builder(br_planar planar) {
    br_builder *b = new_builder();
    br_settings settings = br_default_settings();
    settings.planar = planar;
    settings.gravity = br_vec3_of(-9.81, -9.81, -9.81);
    assert_int_equal(br_builder_settings(b, &settings, NULL), BR_OK);
    return b;
}

static void loose_bodies_of_planar_models_move_in_the_plane(void **state) {
    (void)state;
    for (int planar = BR_PLANAR_XY; planar <= BR_PLANAR_YZ; planar++) {
        const br_vec3 n = br_planar_normal((br_planar)planar);
        br_builder *b = planar_builder((br_planar)planar);
        br_body_def def = a_body("disk", 1, 2, 3);
        const br_quat tilt = br_quat_from_axis_angle(br_vec3_of(1, 1, 1), 0.0);
        def.pose.rotation = br_quat_mul(br_quat_from_axis_angle(n, 0.4), tilt);
        def.has_velocity = 1;
        def.velocity =
            br_vec3_sub(br_vec3_of(5, 6, 7), br_vec3_scale(br_vec3_dot(n, br_vec3_of(5, 6, 7)), n));
        def.angular_velocity = br_vec3_scale(0.9, n);
        put_body(b, def);
        br_model *m = compiled(b);
        assert_int_equal(br_model_joint_type(m, 0), BR_JOINT_PLANAR);
        assert_string_equal(br_model_joint_name(m, 0), "disk.free");
        assert_int_equal(br_model_nv(m), 3);
        assert_near(m->q_start[2], 0.4, 1e-15);
        assert_near(m->v_start[2], 0.9, 1e-15);
        started s = start_of(m);
        assert_vec3_near(body_pose(m, &s, "disk").position, br_vec3_of(1, 2, 3), 1e-15);
        assert_rotation_near(body_pose(m, &s, "disk").rotation, def.pose.rotation, 1e-15);
        assert_vec3_near(com_twist(m, &s, "disk").linear, def.velocity, 1e-14);
        end(m, &s);
    }
}

static void planar_rows_are_found_for_any_axes_across(void **state) {
    (void)state;
    for (int kind = 0; kind < 2;
         kind++) { // a weld and a slide that close loops, their axes at odds with the plane
        br_builder *b = planar_builder(BR_PLANAR_XY);
        put_body(b, a_body("a", 0, 0, 0));
        put_joint(b, a_joint("carry", BR_JOINT_PLANAR, "world", "a"));
        br_joint_def def = a_joint("close", kind ? BR_JOINT_WELD : BR_JOINT_PRISMATIC, "world", "a");
        const br_vec3 along = br_vec3_of(0.6, 0.8, 0), odd = br_vec3_of(0, 0.3, 1);
        assert_int_equal(br_builder_place_joint(b, &def, br_vec3_zero(), &along, &odd, NULL), BR_OK);
        put_joint(b, def);
        br_model *m = compiled(b);
        assert_int_equal(m->loop[0].rows, kind ? 3 : 2);
        assert_non_null(strstr(m->notes, "frames of joint close were turned"));
        br_model_destroy(m);
    }
}

static void planar_models_refuse_what_leaves_the_plane(void **state) {
    (void)state;
    br_builder *b = planar_builder(BR_PLANAR_XY);
    put_body(b, a_body("a", 0, 0, 0));
    put_joint(b, a_joint("ball", BR_JOINT_SPHERICAL, "world", "a"));
    assert_refused(b, "planar-joint-kind", "joints/ball/spherical", "use revolute");
    b = planar_builder(BR_PLANAR_XY);
    put_body(b, a_body("a", 0, 0, 0));
    put_joint(b, a_joint("loose", BR_JOINT_FREE, "world", "a"));
    assert_refused(b, "planar-joint-kind", "joints/loose/free", "use planar, or no joint");
    b = planar_builder(BR_PLANAR_XZ);
    put_body(b, a_body("a", 0, 0, 0));
    put_joint_at(b, a_joint("pin", BR_JOINT_REVOLUTE, "world", "a"), br_vec3_zero(), br_vec3_unit(2));
    assert_refused(b, "planar-axis", "joints/pin/axis", "90 deg off the plane's normal");
    b = planar_builder(BR_PLANAR_XZ);
    put_body(b, a_body("a", 0, 0, 0));
    put_joint_at(b, a_joint("slide", BR_JOINT_PRISMATIC, "world", "a"), br_vec3_zero(), br_vec3_of(1, 1, 0));
    assert_refused(b, "planar-axis", "joints/slide/axis", "45 deg off the plane");
    b = planar_builder(BR_PLANAR_XY);
    br_body_def def = a_body("a", 0, 0, 0);
    def.has_velocity = 1;
    def.velocity = br_vec3_of(1, 0, 0.1);
    put_body(b, def);
    assert_refused(b, "planar-velocity", "bodies/a/velocity", "0.1 m/s");
}

// --- references, couplings, functions ----------------------------------------------------------------------

static br_builder *gear_train(const char *first, const char *second) {
    br_builder *b = new_builder();
    put_body(b, a_body("wheel", 0, 0, 0));
    put_body(b, a_body("pinion", 1, 0, 0));
    put_body(b, a_body("rack", 2, 0, 0));
    const br_vec3 z = br_vec3_unit(2), x = br_vec3_unit(0);
    br_joint_def mesh = a_joint("mesh", BR_JOINT_GEAR, first, second);
    mesh.ratio = 2.5;
    put_joint(b, mesh); // before the joints it couples
    put_joint_at(b, a_joint("wheel_pin", BR_JOINT_REVOLUTE, "world", "wheel"), br_vec3_of(0, 0, 0), z);
    put_joint_at(b, a_joint("pinion_pin", BR_JOINT_CYLINDRICAL, "pinion", "world"), br_vec3_of(1, 0, 0), z);
    put_joint_at(b, a_joint("rail", BR_JOINT_PRISMATIC, "world", "rack"), br_vec3_of(2, 0, 0), x);
    return b;
}

static void gears_and_racks_couple_joints_or_the_bodies_they_carry(void **state) {
    (void)state;
    for (int by_joint = 0; by_joint < 2; by_joint++) {
        br_builder *b = by_joint ? gear_train("wheel_pin", "pinion_pin") : gear_train("wheel", "pinion");
        br_joint_def teeth =
            a_joint("teeth", BR_JOINT_RACK_PINION, by_joint ? "pinion_pin" : "pinion", "rack");
        teeth.radius = 0.2;
        put_joint(b, teeth);
        br_model *m = compiled(b);
        assert_int_equal(m->couplings, 2);
        assert_int_equal(m->coupling[0].joint_1, joint(m, "wheel_pin"));
        assert_int_equal(m->coupling[0].joint_2, joint(m, "pinion_pin"));
        assert_int_equal(m->coupling[0].coordinate_1, 0);
        assert_int_equal(m->coupling[0].coordinate_2, 1);
        assert_near(m->coupling[0].ratio, 2.5, 0.0);
        assert_int_equal(m->coupling[1].joint_1, joint(m, "rail"));
        assert_int_equal(m->coupling[1].joint_2, joint(m, "pinion_pin"));
        assert_near(m->coupling[1].ratio, -0.2, 0.0);
        assert_int_equal(m->loops, 0);
        assert_int_equal(m->joint[0].loop, -1);
        br_model_destroy(m);
    }
}

static void gears_say_what_they_miss(void **state) {
    (void)state;
    assert_refused(gear_train("wheel", "rack"), "gear-joint", "joints/mesh/gear",
                   "rack, which has no joint that turns");
    assert_refused(gear_train("wheel", "pinion_pan"), "unknown-joint", "joints/mesh/gear",
                   "did you mean pinion_pin?");
    assert_refused(gear_train("wheel", "mesh"), "gear-joint", "joints/mesh/gear", "mesh (gear)");
    assert_refused(gear_train("wheel", "wheel_pin"), "gear-joint", "joints/mesh/gear", "to itself");
    br_builder *b = gear_train("wheel", "pinion");
    put_joint_at(b, a_joint("second_pin", BR_JOINT_REVOLUTE, "rack", "wheel"), br_vec3_zero(),
                 br_vec3_unit(2));
    assert_refused(b, "gear-joint", "joints/mesh/gear", "wheel_pin and second_pin");
}

static void references_must_exist(void **state) {
    (void)state;
    br_builder *b = four_bar(BR_SPATIAL);
    put_joint(b, a_joint("E", BR_JOINT_REVOLUTE, "cuopler", "world"));
    assert_refused(b, "unknown-body", "joints/E/revolute",
                   "'cuopler', which does not exist; did you mean coupler?");
    b = four_bar(BR_SPATIAL);
    br_load_def load = br_default_load_def();
    load.name = "push";
    load.first = "nothing";
    assert_int_equal(br_builder_load(b, &load, NULL), BR_OK);
    assert_refused(b, "unknown-body", "loads/push/body", "nothing");
    b = four_bar(BR_SPATIAL);
    br_pair_def pair = br_default_pair_def();
    pair.first = "rubber", pair.second = "floor";
    assert_int_equal(br_builder_material(b, "ruber", NULL), BR_OK);
    assert_int_equal(br_builder_pair(b, &pair, NULL), BR_OK);
    assert_refused(b, "unknown-material", "pairs/rubber/floor", "did you mean ruber?");
}

static void put_drive(br_builder *b, const char *name, const char *on, int coordinate, br_drive_type type,
                      const char *expression) {
    br_drive_def drive = br_default_drive_def();
    drive.name = name;
    drive.joint = on;
    drive.coordinate = coordinate;
    drive.type = type;
    drive.stiffness = 10.0;
    drive.target.kind = BR_FUNCTION_EXPRESSION;
    drive.target.expression = expression;
    drive.target.scale = 1.0;
    assert_int_equal(br_builder_drive(b, &drive, NULL), BR_OK);
}

static void drives_read_coordinates_by_number(void **state) {
    (void)state;
    br_builder *b = four_bar(BR_SPATIAL);
    put_drive(b, "m1", "A", 0, BR_DRIVE_EFFORT,
              "A.position + 10*B.velocity + 100*C.position + 1000*C.velocity");
    put_drive(b, "m2", "C", 0, BR_DRIVE_SERVO, "2*t");
    br_model *m = compiled(b);
    double x[8];
    for (int k = 0; k < 8; k++) x[k] = k + 1; // A 1 2, B 3 4, D 5 6, C (the loop) 7 8
    assert_near(br_function_value(m->drive[0].target, 0.0, x), 1.0 + 40.0 + 700.0 + 8000.0, 1e-12);
    assert_near(br_function_value(m->drive[1].target, 3.0, x), 6.0, 1e-15);
    br_model_destroy(m);
}

static void drives_say_what_they_cannot_do(void **state) {
    (void)state;
    br_builder *b = four_bar(BR_SPATIAL);
    put_drive(b, "m", "AA", 0, BR_DRIVE_EFFORT, "1");
    assert_refused(b, "unknown-joint", "drives/m/joint", "AA");
    b = four_bar(BR_SPATIAL);
    put_drive(b, "m", "A", 1, BR_DRIVE_EFFORT, "1");
    assert_refused(b, "drive-coordinate", "drives/m/coordinate", "revolute joint has 1");
    b = four_bar(BR_SPATIAL);
    put_drive(b, "m1", "A", 0, BR_DRIVE_POSITION, "t");
    put_drive(b, "m2", "A", 0, BR_DRIVE_VELOCITY, "1");
    assert_refused(b, "drive-conflict", "drives/m2/joint", "m1 and m2");
    b = four_bar(BR_SPATIAL);
    put_drive(b, "m", "A", 0, BR_DRIVE_POSITION, "B.position");
    assert_refused(b, "function-joint", "drives/m/position", "time alone");
    b = four_bar(BR_SPATIAL);
    put_drive(b, "m", "A", 0, BR_DRIVE_VELOCITY, "B.velocity");
    assert_refused(b, "function-joint", "drives/m/velocity", "not on velocities");
    b = four_bar(BR_SPATIAL);
    put_drive(b, "m", "A", 0, BR_DRIVE_EFFORT, "crnak.position");
    assert_refused(b, "unknown-joint", "drives/m/torque", "crnak");
    b = four_bar(BR_SPATIAL);
    put_body(b, a_body("loose", 0, 0, 5));
    put_drive(b, "m", "loose.free", 4, BR_DRIVE_SERVO, "0");
    assert_refused(b, "drive-coordinate", "drives/m/coordinate", "quaternion");
    b = four_bar(BR_SPATIAL);
    put_drive(b, "m", "A", 0, BR_DRIVE_EFFORT, "1 +");
    br_error error = {0};
    br_model *m = NULL;
    assert_int_equal(br_model_create(b, &m, &error), BR_INVALID);
    assert_string_equal(error.path, "drives/m/torque");
    br_builder_destroy(b);
}

static void loads_and_constraints_are_in_link_frames(void **state) {
    (void)state;
    br_builder *b = four_bar(BR_SPATIAL);
    br_load_def load = br_default_load_def();
    load.name = "push";
    load.first = "crank";
    load.X_A.position = br_vec3_of(0.1, 0.2, 0.3);
    assert_int_equal(br_builder_load(b, &load, NULL), BR_OK);
    load.name = "spring";
    load.type = BR_LOAD_SPRING;
    load.second = "world";
    load.X_B.position = br_vec3_of(3.1, 0.7, 0.3);
    assert_int_equal(br_builder_load(b, &load, NULL), BR_OK);
    br_term_def term[2];
    memset(term, 0, sizeof term);
    term[0].body = "rocker";
    term[0].direction = br_vec3_of(0, 2, 0);
    term[0].coefficient = br_function_constant(1.0);
    term[1].joint = "C";
    term[1].coefficient = br_function_constant(1.0);
    const br_constraint_def constraint = {"roll", term, 2, br_function_constant(0.0)};
    assert_int_equal(br_builder_constraint(b, &constraint, NULL), BR_OK);
    br_model *m = compiled(b);
    assert_vec3_near(m->load[0].X_A.position, br_vec3_of(0.1, 0.7, 0.3), 1e-15); // the crank's link is at A
    assert_int_equal(m->load[0].varies, 0);
    assert_near(m->load[1].length, 3.0, 1e-15);
    assert_int_equal(m->load[1].second, -1);
    assert_vec3_near(m->constraint[0].term[0].point_L, br_vec3_of(0, 0.5, 0), 1e-15); // the rocker's at D
    assert_vec3_near(m->constraint[0].term[0].direction, br_vec3_of(0, 1, 0), 1e-15);
    assert_int_equal(m->constraint[0].term[1].joint, joint(m, "C"));
    br_model_destroy(m);
}

static void a_rod_keeps_the_distance_as_given(void **state) {
    (void)state;
    br_builder *b = four_bar(BR_SPATIAL);
    br_joint_def rod = a_joint("rod", BR_JOINT_DISTANCE, "crank", "rocker");
    rod.X_AF.position = br_vec3_of(0, 0.5, 0);
    put_joint(b, rod);
    br_model *m = compiled(b);
    const br_model_loop *loop = &m->loop[m->joint[joint(m, "rod")].loop];
    assert_int_equal(loop->rows, 1);
    assert_near(loop->length, sqrt(4.25), 1e-15);
    br_model_destroy(m);
    b = four_bar(BR_SPATIAL);
    rod.X_BM.position = br_vec3_of(-2, 0.5, 0);
    put_joint(b, rod);
    assert_refused(b, "joint-length", "joints/rod/length", "coincide");
}

// --- mass --------------------------------------------------------------------------------------------------

static br_body_def massless(const char *name) {
    br_body_def def = a_body(name, 0, 0, 0);
    def.mass = 0.0;
    def.inertia = br_sym3_of(0, 0, 0, 0, 0, 0);
    return def;
}

static void what_moves_has_mass(void **state) {
    (void)state;
    br_builder *b = new_builder();
    put_body(b, massless("ghost"));
    put_joint(b, a_joint("pin", BR_JOINT_REVOLUTE, "world", "ghost"));
    assert_refused(b, "body-no-mass", "bodies/ghost/mass", "joint pin lets it move");

    b = new_builder(); // the end of a chain
    put_body(b, a_body("arm", 0, 0, 0));
    put_body(b, massless("tip"));
    put_joint(b, a_joint("pin", BR_JOINT_REVOLUTE, "world", "arm"));
    put_joint(b, a_joint("slide", BR_JOINT_PRISMATIC, "arm", "tip"));
    assert_refused(b, "body-no-mass", "bodies/tip/mass", "slide");

    b = new_builder(); // a point mass in the air
    br_body_def point = massless("bob");
    point.mass = 1.0;
    put_body(b, point);
    assert_refused(b, "body-no-rotational-inertia", "bodies/bob/inertia", "bob.free");

    b = new_builder(); // away from its frame's origin it is no better
    point.com = br_vec3_of(0.3, -0.2, 0.4);
    put_body(b, point);
    assert_refused(b, "body-no-rotational-inertia", "bodies/bob/inertia", "bob.free");

    b = new_builder(); // on its own axis
    point.com = br_vec3_of(0, 0, 1);
    put_body(b, point);
    put_joint(b, a_joint("pin", BR_JOINT_REVOLUTE, "world", "bob"));
    assert_refused(b, "body-no-rotational-inertia", "bodies/bob/inertia", "pin");
}

static void what_needs_no_mass_may_have_none(void **state) {
    (void)state;
    br_builder *b =
        new_builder(); // welded to the world; a pendulum's bob; a rotor known by its armature alone
    put_body(b, massless("frame"));
    put_joint(b, a_joint("glue", BR_JOINT_WELD, "world", "frame"));
    br_body_def bob = massless("bob");
    bob.mass = 1.0;
    bob.com = br_vec3_of(1, 0, 0);
    put_body(b, bob);
    put_joint(b, a_joint("pin", BR_JOINT_REVOLUTE, "frame", "bob"));
    put_body(b, massless("rotor"));
    br_joint_def shaft = a_joint("shaft", BR_JOINT_REVOLUTE, "frame", "rotor");
    shaft.armature[0] = 0.01;
    put_joint(b, shaft);
    put_body(b, massless("cross")); // carries something heavy, through a joint and through a weld
    put_joint(b, a_joint("yaw", BR_JOINT_REVOLUTE, "frame", "cross"));
    put_body(b, a_body("head", 0, 0, 0));
    put_joint_at(b, a_joint("pitch", BR_JOINT_REVOLUTE, "cross", "head"), br_vec3_zero(), br_vec3_unit(0));
    put_body(b, massless("arm"));
    put_joint(b, a_joint("lift", BR_JOINT_REVOLUTE, "frame", "arm"));
    put_body(b, a_body("hand", 0, 0, 0));
    put_joint(b, a_joint("grip", BR_JOINT_WELD, "arm", "hand"));
    br_model *m = compiled(b);
    assert_near(m->tree.armature[br_model_joint_v(m, joint(m, "shaft"))], 0.01, 0.0);
    br_model_destroy(m);

    b = planar_builder(BR_PLANAR_XY); // a rod turns about the normal only
    br_body_def rod = a_body("rod", 0, 0, 0);
    rod.inertia = br_sym3_of(0, 1, 1, 0, 0, 0);
    put_body(b, rod);
    br_model_destroy(compiled(b));
}

// --- the whole ---------------------------------------------------------------------------------------------

static void the_hash_sees_every_change(void **state) {
    (void)state;
    br_model *m = compiled(four_bar(BR_SPATIAL));
    const uint64_t hash = br_model_hash(m);
    br_model_destroy(m);
    m = compiled(four_bar(BR_SPATIAL));
    assert_true(br_model_hash(m) == hash);
    br_model_destroy(m);
    m = compiled(four_bar(BR_PLANAR_XY));
    assert_true(br_model_hash(m) != hash);
    br_model_destroy(m);
    br_builder *b = four_bar(BR_SPATIAL);
    put_drive(b, "m", "A", 0, BR_DRIVE_EFFORT, "1");
    m = compiled(b);
    assert_true(br_model_hash(m) != hash);
    br_model_destroy(m);
}

static void an_empty_model_is_a_model(void **state) {
    (void)state;
    br_model *m = compiled(new_builder());
    assert_int_equal(br_model_body_count(m), 0);
    assert_int_equal(br_model_nq(m), 0);
    assert_int_equal(br_model_body_find(m, "x"), -1);
    br_model_destroy(m);
}

static void long_chains_compile_in_linear_time(void **state) {
    (void)state;
    enum { LINKS = 20000 };
    br_builder *b = new_builder();
    char name[2][32], last[32] = "world";
    for (int k = 0; k < LINKS; k++) {
        snprintf(name[0], sizeof name[0], "link_%d", k);
        snprintf(name[1], sizeof name[1], "pin_%d", k);
        put_body(b, a_body(name[0], k + 0.5, 0, 0));
        br_joint_def pin = a_joint(name[1], BR_JOINT_REVOLUTE, last, name[0]);
        pin.X_AF.position.x = k ? 0.5 : 0.0;
        pin.X_BM.position.x = -0.5;
        put_joint(b, pin);
        memcpy(last, name[0], sizeof last);
    }
    br_model *m = compiled(b);
    assert_int_equal(br_model_nv(m), LINKS);
    assert_string_equal(m->notes, "");
    br_model_destroy(m);
}

static br_status build_everything(const br_allocator *allocator) {
    br_builder *b = NULL;
    br_model *m = NULL;
    br_error error = {0};
    br_status status = br_builder_create(allocator, &b, &error);
    br_frame_def frame = {"tip", br_pose_identity()};
    br_shape_def shape;
    memset(&shape, 0, sizeof shape);
    shape.pose = br_pose_identity();
    shape.size.x = 1.0;
    shape.material = "steel";
    br_settings settings = br_default_settings();
    settings.contact_law = "cone";
    const double times[] = {0.0, 1.0};
    if (status == BR_OK) status = br_builder_settings(b, &settings, &error);
    if (status == BR_OK) status = br_builder_material(b, "steel", &error);
    for (int k = 0; status == BR_OK && k < 40; k++) {
        char name[16];
        snprintf(name, sizeof name, "b%d", k);
        br_body_def body = a_body(name, k, 0, 0);
        body.frames = &frame, body.frame_count = 1;
        body.shapes = &shape, body.shape_count = 1;
        status = br_builder_body(b, &body, &error);
        const br_joint_def joint_def = a_joint(name, BR_JOINT_REVOLUTE, "world", name);
        if (status == BR_OK && k % 3) status = br_builder_joint(b, &joint_def, &error);
        br_load_def load = br_default_load_def();
        load.name = load.first = name;
        load.component[0] = (br_function_def){BR_FUNCTION_TABLE, 0, NULL, 1, times, times, 2};
        load.component[1] = (br_function_def){BR_FUNCTION_EXPRESSION, 0, "sin(t)", 1, NULL, NULL, 0};
        if (status == BR_OK) status = br_builder_load(b, &load, &error);
    }
    if (status == BR_OK) status = br_model_create(b, &m, &error);
    if (status != BR_OK) assert_null(m);
    br_model_destroy(m);
    br_builder_destroy(b);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    for (long k = 1;; ++k) {
        counting_allocator counter;
        const br_allocator allocator = counting_allocator_start(&counter, k);
        const br_status status = build_everything(&allocator);
        assert_int_equal(counter.live, 0);
        assert_int_equal(status, counter.failed ? BR_NO_MEMORY : BR_OK);
        if (!counter.failed) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_four_bar_is_a_tree_and_one_loop),
        cmocka_unit_test(planar_loops_keep_the_rows_in_the_plane),
        cmocka_unit_test(parents_may_come_later_in_the_file),
        cmocka_unit_test(an_island_hangs_on_its_first_body),
        cmocka_unit_test(poses_and_velocities_of_bodies_give_the_joints_their_start),
        cmocka_unit_test(a_free_body_starts_with_its_own_pose_and_velocity),
        cmocka_unit_test(a_body_is_moved_to_fit_its_joint_and_it_is_said),
        cmocka_unit_test(a_velocity_that_a_joint_cannot_follow_is_said),
        cmocka_unit_test(what_is_given_and_not_used_is_said),
        cmocka_unit_test(numbers_that_overflow_are_refused),
        cmocka_unit_test(loose_bodies_of_planar_models_move_in_the_plane),
        cmocka_unit_test(planar_rows_are_found_for_any_axes_across),
        cmocka_unit_test(planar_models_refuse_what_leaves_the_plane),
        cmocka_unit_test(gears_and_racks_couple_joints_or_the_bodies_they_carry),
        cmocka_unit_test(gears_say_what_they_miss),
        cmocka_unit_test(references_must_exist),
        cmocka_unit_test(drives_read_coordinates_by_number),
        cmocka_unit_test(drives_say_what_they_cannot_do),
        cmocka_unit_test(loads_and_constraints_are_in_link_frames),
        cmocka_unit_test(a_rod_keeps_the_distance_as_given),
        cmocka_unit_test(what_moves_has_mass),
        cmocka_unit_test(what_needs_no_mass_may_have_none),
        cmocka_unit_test(the_hash_sees_every_change),
        cmocka_unit_test(an_empty_model_is_a_model),
        cmocka_unit_test(long_chains_compile_in_linear_time),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
