// Forces between bodies as channels: summed over points, against closed forms, under every stepper, in models of any size.
#include "bristle/contact.h"
#include "scene.h"

static const char *const steppers[] = {"contact", "implicit", "reference"};
#define EACH_STEPPER for (int w = 0; w < 3; w++)

#define G 9.81

// A box of 3 kg, 2 cm off the origin, on a floor that is turned with gravity; torque: about its axes x and z.
#define BOX                                                                                                  \
    "format: 1\nname: box\nparams: {turn: 0 deg, roll: 0, twist: 0, step: 1 ms}\n"                           \
    "gravity: [9.81*sin($turn), 0, -9.81*cos($turn)]\n"                                                      \
    "materials: {wood: {}, floor: {}}\n"                                                                     \
    "pairs: {wood/floor: {mu: 0.5}}\n"                                                                       \
    "bodies:\n  box: {mass: 3, inertia: {box: {size: [0.4, 0.3, 0.2]}}, pose: {position: "                   \
    "[0.02*cos($turn)-0.1*sin($turn), "                                                                      \
    "0.01, 0.02*sin($turn)+0.1*cos($turn)], rotation_vector: [0, -$turn, 0]}, shapes: [{box: {size: [0.4, "  \
    "0.3, "                                                                                                  \
    "0.2]}, material: wood}]}\n"                                                                             \
    "ground: [{plane: {normal: [-sin($turn), 0, cos($turn)]}, material: floor, name: table}]\n"              \
    "loads: {push: {body: box, torque: [$roll, 0, $twist]}}\n"                                               \
    "contact: {law: cone}\nsolver: {step: $step}\nrun: {until: 0.1}\n"

static scene open_box(const char *stepper, const char *parameter, const char *value) {
    scene s = {NULL, NULL};
    br_error error = {0};
    const br_override set[] = {{"solver.stepper", stepper}, {parameter, value}};
    br_status status =
        br_model_read_text(BOX, strlen(BOX), "box", set, parameter ? 2 : 1, NULL, &s.model, NULL, &error);
    if (status == BR_OK) status = br_sim_create(s.model, NULL, &s.sim, &error);
    if (status != BR_OK) scene_fail(stepper, &error);
    return s;
}

static br_contact_sum sum_of(const scene *s, const char *a, const char *b) {
    br_contact_sum out = {0};
    br_error error = {0};
    if (br_sim_contact_sum(s->sim, a, b, &out, &error) != BR_OK) scene_fail(a, &error);
    return out;
}

static void assert_vector(br_vec3 a, br_vec3 b, double tolerance) {
    assert_near(a.x, b.x, tolerance);
    assert_near(a.y, b.y, tolerance);
    assert_near(a.z, b.z, tolerance);
}

// 1e-7 N beside 29 N: what the implicit stepper's Newton leaves at its default tolerance; the others are a thousand times closer.
static void four_corners_carry_the_weight_below_the_centre_of_mass(void **state) {
    (void)state;
    EACH_STEPPER {
        scene s = open_box(steppers[w], NULL, NULL);
        scene_advance(&s, 0.1);
        const br_contact_sum on = sum_of(&s, "box", "*");
        assert_int_equal(on.points, 4);
        assert_near(on.normal_force, 3 * G, 1e-7);
        assert_vector(on.force, br_vec3_of(0, 0, 3 * G), 1e-7);
        assert_vector(on.center, br_vec3_of(0.02, 0.01, 0), 1e-7);
        assert_vector(on.torque, br_vec3_zero(), 1e-7);
        scene_close(&s);
    }
}

// Body, shape, world and * name the same contacts here, and what acts on one acts backwards on the other, to the bit.
static void action_is_reaction(void **state) {
    (void)state;
    EACH_STEPPER {
        scene s = open_box(steppers[w], "twist", "0.5");
        scene_advance(&s, 0.05);
        static const char *const pair[][2] = {
            {"box", "table"}, {"box", "world"}, {"box.shape0", "table"}, {"box", "*"}};
        const br_contact_sum back = sum_of(&s, "table", "box");
        for (int k = 0; k < 4; k++) {
            const br_contact_sum on = sum_of(&s, pair[k][0], pair[k][1]);
            assert_int_equal(on.points, 4);
            assert_memory_equal(&on.center, &back.center, sizeof on.center);
            assert_true(on.normal_force == back.normal_force);
            assert_vector(br_vec3_add(on.force, back.force), br_vec3_zero(), 0);
            assert_vector(br_vec3_add(on.torque, back.torque), br_vec3_zero(), 0);
        }
        scene_close(&s);
    }
}

// A torque about a horizontal axis that does not tip the box moves the centre of its forces by torque/(m g); one about the
// normal is taken by friction, as a torque about the centre.
static void the_centre_moves_with_a_torque(void **state) {
    (void)state;
    EACH_STEPPER {
        scene s = open_box(steppers[w], "roll", "1.2");
        scene_advance(&s, 0.05);
        const br_contact_sum rolled = sum_of(&s, "box", "world");
        assert_vector(rolled.center, br_vec3_of(0.02, 0.01 - 1.2 / (3 * G), 0), 1e-7);
        assert_vector(rolled.torque, br_vec3_zero(), 1e-7);
        scene_close(&s);
        s = open_box(steppers[w], "twist", "0.5");
        scene_advance(&s, 0.05);
        const br_contact_sum twisted = sum_of(&s, "box", "world");
        assert_vector(twisted.torque, br_vec3_of(0, 0, -0.5), 1e-6);
        assert_vector(twisted.center, br_vec3_of(0.02, 0.01, 0), 1e-6);
        scene_close(&s);
    }
}

// The whole scene turned by 20 degrees about y: the same forces, turned, and the same channels.
static void a_turned_world_turns_the_forces(void **state) {
    (void)state;
    const double c = cos(20 * 3.14159265358979323846 / 180), n = sin(20 * 3.14159265358979323846 / 180);
    scene s = open_box("contact", "turn", "20 deg");
    scene_advance(&s, 0.1);
    assert_near(scene_read(&s, "box~*.force.normal"), 3 * G, 1e-9);
    assert_near(scene_read(&s, "box~table.force.x"), -3 * G * n, 1e-9);
    assert_near(scene_read(&s, "box~table.force.z"), 3 * G * c, 1e-9);
    assert_near(scene_read(&s, "box~table.center.x") * c + scene_read(&s, "box~table.center.z") * n, 0.02,
                1e-9);
    assert_near(scene_read(&s, "box~table.center.z") * c - scene_read(&s, "box~table.center.x") * n, 0, 1e-9);
    scene_close(&s);
}

// Two fingers press with 12 N each and carry the weight of 1 kg together; how they share it is not determined: a finger that carries
// less presses lower.
static void two_fingers_share_the_weight(void **state) {
    (void)state;
    scene s = scene_open("gallery/gripper.yaml", "");
    scene_advance(&s, 0.1);
    static const char *const finger[] = {"left", "right"};
    double moment = 0.0; // about the part's centre of mass, which is within 1e-9 m of where it began
    for (int k = 0; k < 2; k++) {
        const br_contact_sum on = sum_of(&s, "part", finger[k]);
        assert_near(on.normal_force, 12, 1e-9);
        assert_near(on.force.x, k ? -12 : 12, 1e-9);
        assert_near(on.force.y, 0, 1e-9);
        assert_near(on.center.x, k ? 0.05 : -0.05, 1e-9);
        moment += (on.center.z - 0.5) * on.force.x - on.center.x * on.force.z + on.torque.y;
    }
    assert_near(moment, 0, 1e-7);
    assert_vector(sum_of(&s, "part", "*").force, br_vec3_of(0, 0, G), 1e-9);
    scene_close(&s);
}

// Ten cubes, 400 possible points: cube k carries those above it, and the centre of its force from below lies under theirs.
static void a_tower_has_them_at_every_joint(void **state) {
    (void)state;
    scene s = scene_open("bench/tower_10.yaml", "solver.stepper=contact");
    scene_advance(&s, 0.1);
    for (int k = 0; k < 10; k++) {
        char above[8], below[8];
        snprintf(above, sizeof above, "b%d", k);
        snprintf(below, sizeof below, "b%d", k - 1);
        const br_contact_sum on = sum_of(&s, above, k > 0 ? below : "world");
        br_vec3 com = br_vec3_zero();
        for (int i = k; i < 10; i++) {
            char name[8];
            snprintf(name, sizeof name, "b%d", i);
            const br_vec3 p = br_sim_body_pose(s.sim, scene_body(&s, name)).position;
            com = br_vec3_add_scaled(com, 1.0 / (10 - k), p);
        }
        assert_near(on.force.z, (10 - k) * G, 1e-6);
        assert_near(on.center.x, com.x, 1e-6);
        assert_near(on.center.y, com.y, 1e-6);
        assert_near(on.center.z, 0.5 * k, 1e-6);
    }
    assert_near(scene_read(&s, "b4~*.force.normal"), (6 + 5) * G, 1e-6);
    assert_near(scene_read(&s, "b4~*.force.z"), G, 1e-6);
    scene_close(&s);
}

static void assert_names(const scene *s, const char *pattern, const char *const *expected, int count) {
    br_channels *list = NULL;
    br_error error = {0};
    if (br_channels_named(s->sim, &pattern, 1, NULL, &list, &error) != BR_OK) scene_fail(pattern, &error);
    assert_int_equal(br_channels_count(list), count + 1);
    for (int k = 0; k < count; k++) assert_string_equal(br_channels_names(list)[k + 1], expected[k]);
    br_channels_destroy(list);
}

static void patterns_name_bodies_then_shapes_then_points(void **state) {
    (void)state;
    scene s = scene_open("bench/tower_10.yaml", "solver.stepper=contact");
    static const char *const all[] = {"b3~*.force.normal"};
    assert_names(&s, "b3~*.force.normal", all, 1);
    static const char *const members[] = {"b3~*.force.normal", "b3~*.force.x", "b3~*.force.y",
                                          "b3~*.force.z"};
    assert_names(&s, "b3~*.force.*", members, 4);
    static const char *const partners[] = {
        "b0~b3.force.x", "b1~b3.force.x", "b2~b3.force.x", "b4~b3.force.x", "b5~b3.force.x",
        "b6~b3.force.x", "b7~b3.force.x", "b8~b3.force.x", "b9~b3.force.x", "world~b3.force.x"};
    assert_names(&s, "*~b3.force.x", partners, 10);
    static const char *const shape[] = {"b3.shape0~*.force.x"};
    assert_names(&s, "b3.s*~*.force.x", shape, 1);
    static const char *const points[] = {"b3.shape0~b4.shape0#0.gap", "b3.shape0~b4.shape0#1.gap",
                                         "b3.shape0~b4.shape0#2.gap", "b3.shape0~b4.shape0#3.gap"};
    assert_names(&s, "b4~b3#*.gap", points, 4);
    static const char *const plain[] = {"b3.position.x", "b3.position.y", "b3.position.z"};
    assert_names(&s, "b3.position.*", plain, 3);
    scene_close(&s);
}

static void what_is_not_there_is_named(void **state) {
    (void)state;
    static const struct {
        const char *name, *says;
    } wrong[] = {
        {"b3~bb4.force.x", "there is no body or shape 'bb4', did you mean b4?"},
        {"b3~b4.force.w", "A~B has force.normal, force.x|y|z, torque.x|y|z, center.x|y|z and points"},
        {"b3~b3.force.x", "b3 and b3 can never touch"},
        {"*~c*.force.x", "no channel of this model matches '*~c*.force.x'"},
        {"c*", "no channel of this model matches 'c*'"},
    };
    scene s = scene_open("bench/tower_10.yaml", "solver.stepper=contact");
    for (int k = 0; k < 5; k++) {
        br_channels *list = NULL;
        br_error error = {0};
        assert_int_equal(br_channels_named(s.sim, &wrong[k].name, 1, NULL, &list, &error), BR_INVALID);
        assert_string_equal(error.code, "channel-unknown");
        if (!strstr(error.message, wrong[k].says)) fail_msg("%s", error.message);
    }
    br_contact_sum sum;
    br_error error = {0};
    assert_int_equal(br_sim_contact_sum(s.sim, "b3", "bb4", &sum, &error), BR_INVALID);
    assert_non_null(strstr(error.message, "there is no body or shape 'bb4'"));
    scene_close(&s);
}

// What was read before a snapshot is read after it.
static void a_snapshot_keeps_them(void **state) {
    (void)state;
    scene s = open_box("contact", "twist", "0.5"), other = open_box("contact", "twist", "0.5");
    br_error error = {0};
    scene_advance(&s, 0.05);
    const size_t size = br_sim_snapshot_size(s.sim);
    void *bytes = malloc(size);
    br_sim_save(s.sim, bytes);
    assert_int_equal(br_sim_load(other.sim, bytes, size, &error), BR_OK);
    free(bytes);
    const br_contact_sum a = sum_of(&s, "box", "*"), b = sum_of(&other, "box", "*");
    assert_memory_equal(&a.force, &b.force, sizeof a.force);
    assert_memory_equal(&a.torque, &b.torque, sizeof a.torque);
    assert_memory_equal(&a.center, &b.center, sizeof a.center);
    scene_close(&s);
    scene_close(&other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_corners_carry_the_weight_below_the_centre_of_mass),
        cmocka_unit_test(action_is_reaction),
        cmocka_unit_test(the_centre_moves_with_a_torque),
        cmocka_unit_test(a_turned_world_turns_the_forces),
        cmocka_unit_test(two_fingers_share_the_weight),
        cmocka_unit_test(a_tower_has_them_at_every_joint),
        cmocka_unit_test(patterns_name_bodies_then_shapes_then_points),
        cmocka_unit_test(what_is_not_there_is_named),
        cmocka_unit_test(a_snapshot_keeps_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
