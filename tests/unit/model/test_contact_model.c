// Shapes, materials and pairs of a model: where geometry is, who may touch whom, what each law's words become.
#include "model/compile/touch.h"
#include "model/model.h"
#include "models.h"
#include "random.h"

static br_shape_def ball(const char *material) {
    br_shape_def def;
    memset(&def, 0, sizeof def);
    def.type = BR_SHAPE_SPHERE;
    def.pose = br_pose_identity();
    def.size.x = 0.1;
    def.material = material;
    return def;
}

static void put_ball(br_builder *b, const char *name, double x) {
    const br_shape_def shape = ball(NULL);
    br_body_def body = a_body(name, x, 0, 0);
    body.shapes = &shape, body.shape_count = 1;
    put_body(b, body);
}

static void put_floor(br_builder *b) {
    br_shape_def floor = ball(NULL);
    floor.type = BR_SHAPE_PLANE;
    floor.axis = br_vec3_unit(2);
    assert_int_equal(br_builder_ground(b, &floor, NULL), BR_OK);
}

static int shape_of(const br_model *m, const char *body) {
    const int index = strcmp(body, "world") == 0 ? -1 : br_model_body_find(m, body);
    for (int k = 0; k < br_model_shape_count(m); k++)
        if (br_model_shape_body(m, k) == index) return k;
    fail_msg("no shape of %s", body);
    return -1;
}

// The same for both orders.
static int touch(const br_model *m, const char *a, const char *b) {
    const int i = shape_of(m, a), j = shape_of(m, b), may = br_model_may_touch(m, i, j);
    assert_int_equal(br_model_may_touch(m, j, i), may);
    return may;
}

// --- who may touch whom ------------------------------------------------------------------------------------

static void bodies_of_a_joint_never_touch_but_the_ground_is_no_partner(void **state) {
    (void)state;
    br_builder *b = new_builder();
    const char *const name[] = {"arm", "hand", "stick", "stone", "far", "kite"};
    for (int k = 0; k < 6; k++) put_ball(b, name[k], k);
    put_floor(b);
    put_joint(b, a_joint("shoulder", BR_JOINT_REVOLUTE, "world", "arm"));
    put_joint(b, a_joint("wrist", BR_JOINT_SPHERICAL, "arm", "hand"));
    put_joint(b, a_joint("glue", BR_JOINT_WELD, "hand", "stick"));
    put_joint(b, a_joint("flight", BR_JOINT_FREE, "arm", "far"));
    br_joint_def rope = a_joint("rope", BR_JOINT_DISTANCE, "arm", "kite");
    rope.length = 5.0;
    put_joint(b, rope);
    br_model *m = compiled(b);
    assert_true(touch(m, "arm", "world"));
    assert_false(touch(m, "arm", "hand"));
    assert_false(touch(m, "hand", "stick"));
    assert_false(touch(m, "arm", "stick")); // welded to the hand, so part of it
    assert_true(touch(m, "arm", "stone"));
    assert_true(touch(m, "stick", "stone"));
    assert_true(touch(m, "arm", "far"));
    assert_true(touch(m, "arm", "kite"));
    assert_true(touch(m, "stone", "world"));
    assert_true(m->contacts_possible);
    br_model_destroy(m);
}

static void a_joint_of_several_with_massless_bodies_is_one_joint(void **state) {
    (void)state;
    br_builder *b = new_builder();
    put_ball(b, "hip", 0);
    br_body_def between = br_default_body_def();
    between.name = "between";
    put_body(b, between);
    put_ball(b, "leg", 1);
    put_joint(b, a_joint("x", BR_JOINT_REVOLUTE, "hip", "between"));
    br_joint_def second = a_joint("y", BR_JOINT_REVOLUTE, "between", "leg");
    second.X_AF.rotation = second.X_BM.rotation = br_quat_from_axis_angle(br_vec3_unit(0), 0.5 * BR_PI);
    put_joint(b, second);
    br_model *m = compiled(b);
    assert_false(touch(m, "hip", "leg"));
    assert_false(m->contacts_possible);
    br_model_destroy(m);
}

static void welded_to_the_world_is_fixed_and_placed_there(void **state) {
    (void)state;
    br_builder *b = new_builder();
    put_ball(b, "post", 2), put_ball(b, "shelf", 3), put_ball(b, "apple", 4);
    br_joint_def weld = a_joint("foot", BR_JOINT_WELD, "world", "post");
    weld.X_AF = br_pose_of(br_quat_from_axis_angle(br_vec3_unit(2), 0.5 * BR_PI), br_vec3_of(2, 0, 0));
    weld.X_BM.rotation = weld.X_AF.rotation;
    put_joint(b, weld);
    weld = a_joint("bracket", BR_JOINT_WELD, "post", "shelf");
    weld.X_AF.position = br_vec3_of(1, 0, 0);
    put_joint(b, weld);
    put_floor(b);
    br_model *m = compiled(b);
    const br_model_shape *shelf = &m->contact->shape[shape_of(m, "shelf")];
    assert_int_equal(shelf->link, -1);
    assert_vec3_near(shelf->X_L.p, br_vec3_of(3, 0, 0), 1e-15); // products of rotations by a right angle
    assert_int_equal(m->contact->shape[shape_of(m, "apple")].link, m->body[2].link);
    assert_false(touch(m, "shelf", "world"));
    assert_false(touch(m, "shelf", "post"));
    assert_true(touch(m, "shelf", "apple"));
    br_model_destroy(m);
}

static void excluded_bodies_and_masks_never_touch(void **state) {
    (void)state;
    br_builder *b = new_builder();
    static const char *const exclude[2][2] = {{"c", "a"}, {"world", "a"}};
    br_settings settings = br_default_settings();
    settings.contact_exclude = exclude, settings.contact_exclude_count = 2;
    assert_int_equal(br_builder_settings(b, &settings, NULL), BR_OK);
    put_ball(b, "a", 0), put_ball(b, "b", 1), put_ball(b, "c", 2);
    br_shape_def odd = ball(NULL);
    odd.category = 2, odd.mask = 4;
    br_body_def body = a_body("d", 3, 0, 0);
    body.shapes = &odd, body.shape_count = 1;
    put_body(b, body);
    put_floor(b);
    br_model *m = compiled(b);
    assert_false(touch(m, "a", "c"));
    assert_false(touch(m, "a", "world"));
    assert_true(touch(m, "a", "b"));
    assert_true(touch(m, "c", "world"));
    assert_false(touch(m, "d", "a")); // 2 & 1 and 1 & 4
    br_model_destroy(m);
}

// Brute force over the definitions: chains of random joints, by the rule as it is written in the guide.
static void the_rule_holds_on_random_chains(void **state) {
    (void)state;
    enum { BODIES = 12 };
    rng random = {7};
    for (int round = 0; round < 50; round++) {
        br_builder *b = new_builder();
        int parent[BODIES], weld[BODIES], group[BODIES];
        char name[BODIES][16];
        for (int k = 0; k < BODIES; k++) {
            snprintf(name[k], sizeof name[k], "b%d", k);
            put_ball(b, name[k], k);
            parent[k] = k > 0 ? rng_below(&random, k + 1) - 1 : -1;
            weld[k] = rng_uniform(&random, 0.0, 1.0) < 0.4;
            br_joint_def def = a_joint(name[k], weld[k] ? BR_JOINT_WELD : BR_JOINT_REVOLUTE,
                                       parent[k] < 0 ? "world" : name[parent[k]], name[k]);
            def.X_AF.position.x = k - (parent[k] < 0 ? 0 : parent[k]);
            put_joint(b, def);
            group[k] = weld[k] && parent[k] >= 0 ? group[parent[k]] : k;
        }
        br_model *m = compiled(b);
        for (int i = 0; i < BODIES; i++)
            for (int j = 0; j < i; j++) {
                int joined = group[i] == group[j], fixed = m->contact->fixed[i] && m->contact->fixed[j];
                for (int k = 0; k < BODIES; k++)
                    if (parent[k] >= 0) {
                        const int p = group[parent[k]], q = group[k];
                        joined |= (p == group[i] && q == group[j]) || (p == group[j] && q == group[i]);
                    }
                assert_int_equal(touch(m, name[i], name[j]), !joined && !fixed);
            }
        br_model_destroy(m);
    }
}

// --- materials ---------------------------------------------------------------------------------------------

static br_builder *two_materials(void) {
    br_builder *b = new_builder();
    br_pair_def pair = br_default_pair_def();
    const br_shape_def rubber = ball("rubber"), steel = ball("steel");
    assert_int_equal(br_builder_material(b, "rubber", NULL), BR_OK);
    assert_int_equal(br_builder_material(b, "steel", NULL), BR_OK);
    pair.first = "steel", pair.second = "rubber", pair.mu_static = pair.mu_kinetic = 0.7;
    assert_int_equal(br_builder_pair(b, &pair, NULL), BR_OK);
    br_body_def body = a_body("x", 0, 0, 0);
    body.shapes = &rubber, body.shape_count = 1;
    put_body(b, body);
    body = a_body("y", 1, 0, 0);
    body.shapes = &steel, body.shape_count = 1;
    put_body(b, body);
    return b;
}

static void pairs_are_found_in_both_orders_and_missing_ones_are_noted(void **state) {
    (void)state;
    br_builder *b = two_materials();
    const br_shape_def steel = ball("steel");
    br_body_def body = a_body("z", 2, 0, 0);
    body.shapes = &steel, body.shape_count = 1;
    put_body(b, body);
    put_floor(b);
    br_model *m = compiled(b);
    const int x = shape_of(m, "x"), y = shape_of(m, "y"), z = shape_of(m, "z"), floor = shape_of(m, "world");
    assert_int_equal(br_model_pair(m, x, y), 0);
    assert_int_equal(br_model_pair(m, y, x), 0);
    assert_int_equal(br_model_pair(m, y, z), -1);
    assert_int_equal(br_model_pair(m, x, floor), -1);
    assert_string_equal(br_model_shape_name(m, y), "y.shape0");
    assert_string_equal(br_model_shape_name(m, floor), "world.shape0");
    // rubber/rubber cannot meet: there is one of it.
    assert_string_equal(
        br_model_notes(m),
        "materials that could touch are not listed in pairs: steel/steel; a run stops if they do\n"
        "shapes that could touch something have no material: world.shape0; a run stops if they do");
    br_model_destroy(m);
    m = compiled(two_materials());
    assert_string_equal(br_model_notes(m), "");
    br_model_destroy(m);
}

static void the_exponent_of_a_compliance_has_its_laws_default(void **state) {
    (void)state;
    static const struct {
        const char *law;
        double given, exponent;
    } row[] = {{"linear", 0, 1}, {"hertz", 0, 1.5}, {"hunt_crossley", 0, 1.5}, {"hertz", 2, 2}};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        br_builder *b = new_builder();
        br_pair_def pair = br_default_pair_def();
        assert_int_equal(br_builder_material(b, "a", NULL), BR_OK);
        pair.first = pair.second = "a";
        pair.compliance = row[k].law, pair.compliance_stiffness = 1e5,
        pair.compliance_exponent = row[k].given;
        assert_int_equal(br_builder_pair(b, &pair, NULL), BR_OK);
        br_model *m = compiled(b);
        assert_near(m->contact->pair[0].compliance_exponent, row[k].exponent, 0.0);
        br_model_destroy(m);
    }
}

// --- settings ----------------------------------------------------------------------------------------------

static br_model *with_settings(br_settings settings) {
    br_builder *b = two_materials();
    br_error error = {0};
    if (br_builder_settings(b, &settings, &error) != BR_OK) fail_msg("%s", error.message);
    return compiled(b);
}

static void words_become_laws_and_numbers(void **state) {
    (void)state;
    br_settings s = br_default_settings();
    br_model *m = with_settings(s);
    assert_int_equal(m->contact->law, BR_CONTACT_BRISTLE);
    assert_int_equal(m->contact->bounds, BR_BOUNDS_IMPLICIT);
    br_model_destroy(m);
    s.contact_law = "polygon(12)", s.contact_bounds = "iterated(7)";
    m = with_settings(s);
    assert_int_equal(m->contact->law, BR_CONTACT_POLYGON);
    assert_near(m->contact->argument, 12.0, 0.0);
    assert_true(m->contact->traits->sides && m->contact->traits->corners && !m->contact->traits->coulomb);
    assert_int_equal(m->contact->bounds, BR_BOUNDS_ITERATED);
    assert_int_equal(m->contact->passes, 7);
    br_model_destroy(m);
    s.contact_law = "viscous(0.002)", s.contact_bounds = NULL, s.contact_paper = 1;
    m = with_settings(s);
    assert_int_equal(m->contact->law, BR_CONTACT_VISCOUS);
    assert_near(m->contact->argument, 0.002, 0.0);
    assert_true(m->contact->traits->creeps && !m->contact->traits->corners);
    assert_int_equal(m->contact->bounds, BR_BOUNDS_LAGGED);
    assert_true(m->contact->paper && m->settings.solver.position_old);
    br_model_destroy(m);
}

static void the_kinematic_stepper_refuses_what_may_touch_by_name(void **state) {
    (void)state;
    br_error error = {0};
    br_settings s = br_default_settings();
    static const char *const exclude[1][2] = {{"x", "y"}};
    for (int stepper = 0; stepper < BR_STEPPERS; stepper++) {
        s.solver.stepper = (br_stepper)stepper;
        br_model *m = with_settings(s);
        const int runs = stepper != BR_STEPPER_KINEMATIC;
        assert_int_equal(br_model_runnable(m, &error), runs ? BR_OK : BR_INVALID);
        br_model_destroy(m);
    }
    assert_string_equal(error.code, "run-contact");
    assert_non_null(
        strstr(error.message, "x.shape0 could touch y.shape0, and the kinematic stepper knows no contact"));
    s.contact_exclude = exclude, s.contact_exclude_count = 1;
    br_model *m = with_settings(s);
    assert_false(m->contacts_possible);
    assert_int_equal(br_model_runnable(m, NULL), BR_OK);
    br_model_destroy(m);
}

static void euler_angles_are_the_contact_steppers(void **state) {
    (void)state;
    br_error error = {0};
    br_settings s = br_default_settings();
    s.solver.rotation_euler = 1, s.solver.theta = 1;
    br_model *m = with_settings(s);
    assert_int_equal(br_model_runnable(m, NULL), BR_OK);
    br_model_destroy(m);
    s.solver.stepper = BR_STEPPER_REFERENCE;
    m = with_settings(s);
    assert_int_equal(br_model_runnable(m, &error), BR_INVALID);
    assert_string_equal(error.code, "run-rotation");
    br_model_destroy(m);
    s.contact_paper = 1; // the same file under the reference stepper, as compare runs it
    m = with_settings(s);
    assert_int_equal(br_model_runnable(m, NULL), BR_OK);
    br_model_destroy(m);
}

static uint64_t hash_with(br_settings settings, br_pair_def pair, br_shape_def shape) {
    br_builder *b = new_builder();
    assert_int_equal(br_builder_settings(b, &settings, NULL), BR_OK);
    assert_int_equal(br_builder_material(b, "a", NULL), BR_OK);
    assert_int_equal(br_builder_pair(b, &pair, NULL), BR_OK);
    assert_int_equal(br_builder_ground(b, &shape, NULL), BR_OK);
    put_ball(b, "x", 0);
    br_model *m = compiled(b);
    const uint64_t hash = br_model_hash(m);
    br_model_destroy(m);
    return hash;
}

static void everything_about_contact_is_in_the_hash(void **state) {
    (void)state;
    static const char *const exclude[1][2] = {{"x", "world"}};
    static const double heights[2][4] = {{0, 0, 0, 0}, {0, 0, 0, 1}};
    br_shape_def field = ball(NULL);
    field.type = BR_SHAPE_HEIGHTFIELD, field.columns = field.rows = 2, field.heights = heights[0];
    field.spacing = br_vec3_of(1, 1, 0);
    br_pair_def pair = br_default_pair_def();
    pair.first = pair.second = "a";
    const br_settings settings = br_default_settings();
    uint64_t hash[8];
    hash[0] = hash_with(settings, pair, field);
    br_settings s = settings;
    s.contact_exclude = exclude, s.contact_exclude_count = 1;
    hash[1] = hash_with(s, pair, field);
    br_pair_def p = pair;
    p.restitution_poisson = 1;
    hash[2] = hash_with(settings, p, field);
    br_shape_def f = field;
    f.heights = heights[1];
    hash[3] = hash_with(settings, pair, f);
    f = field, f.spacing.y = 2.0;
    hash[4] = hash_with(settings, pair, f);
    f = field, f.category = 2, f.mask = 1;
    hash[5] = hash_with(settings, pair, f);
    s = settings, s.contact_law = "cone";
    hash[6] = hash_with(s, pair, field);
    s = settings, s.contact_bounds = "lagged";
    hash[7] = hash_with(s, pair, field);
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < i; j++) assert_true(hash[i] != hash[j]);
    s = settings, s.contact_law = "bristle"; // the default, said
    assert_true(hash_with(s, pair, field) == hash[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_of_a_joint_never_touch_but_the_ground_is_no_partner),
        cmocka_unit_test(a_joint_of_several_with_massless_bodies_is_one_joint),
        cmocka_unit_test(welded_to_the_world_is_fixed_and_placed_there),
        cmocka_unit_test(excluded_bodies_and_masks_never_touch),
        cmocka_unit_test(the_rule_holds_on_random_chains),
        cmocka_unit_test(pairs_are_found_in_both_orders_and_missing_ones_are_noted),
        cmocka_unit_test(the_exponent_of_a_compliance_has_its_laws_default),
        cmocka_unit_test(words_become_laws_and_numbers),
        cmocka_unit_test(the_kinematic_stepper_refuses_what_may_touch_by_name),
        cmocka_unit_test(euler_angles_are_the_contact_steppers),
        cmocka_unit_test(everything_about_contact_is_in_the_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
