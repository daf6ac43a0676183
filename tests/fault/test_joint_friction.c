// Joint friction and redundancy as they should not be: each mistake with its code, its place and what it says; and what the
// steppers refuse to run.
#include <stdio.h>
#include <string.h>

#include "bristle/io.h"
#include "near.h"

#define HEAD "format: 1\n"
#define CART "bodies: {cart: {mass: 1 kg, inertia: [0.1, 0.1, 0.1]}}\n"
#define SLIDE(friction)                                                                                      \
    HEAD CART "joints:\n  slide: {prismatic: [world, cart], axis: x, friction: {" friction "}}\n"
#define JOINT(kind, friction) HEAD CART "joints:\n  j: {" kind ": [world, cart], friction: {" friction "}}\n"
#define MU "law: coulomb, mu: 0.3"
#define LOOP                                                                                                 \
    HEAD "planar: xy\ngravity: [0, 0, 0]\n"                                                                  \
         "bodies:\n"                                                                                         \
         "  a: {mass: 1, inertia: [1, 1, 1], pose: {position: [0, 0.5, 0]}}\n"                               \
         "  b: {mass: 1, inertia: [1, 1, 1], pose: {position: [1.2, 0, 0]}}\n"                               \
         "  rod: {mass: 1, inertia: [1, 1, 1], pose: {position: [0.6, 0.25, 0]}}\n"                          \
         "joints:\n"                                                                                         \
         "  slide_1: {prismatic: [world, a], axis: y, friction: {law: coulomb, mu: 0.5}}\n"                  \
         "  slide_2: {prismatic: [world, b], axis: x}\n"                                                     \
         "  pin_1: {revolute: [a, rod], at: [0, 0.5, 0]}\n"                                                  \
         "  pin_2: {revolute: [rod, b], at: [1.2, 0, 0]}\n"

typedef struct mistake {
    const char *text, *code;
    int line;            // 0: not checked
    const char *said[3]; // each in the message
} mistake;

static const mistake mistakes[] = {
    // Coefficients.
    {SLIDE("law: coulomb, mu_static: 0.2, mu_kinetic: 0.3"), "friction-order", 4, {"slide", "0.3", "0.2"}},
    {SLIDE("law: coulomb, mu_static: 0, mu_kinetic: 0.3"), "friction-order", 4, {"slide", "0.3", "0"}},
    {SLIDE("law: lugre, MU_STATIC: 0.2, MU_DYNAMIC: 0.25"), "friction-order", 4, {"slide", "0.25", "0.2"}},
    {SLIDE("law: coulomb, mu_static: 0.3, mu_kinetic: 0"), "friction-mu", 4, {"slide", "0.3", "above 0"}},
    {SLIDE("law: lugre, mu: 0.3, sigma_0: 0"), "friction-zero", 4, {"sigma_0 is 0", "'slide'", "1e5"}},
    {SLIDE("law: bristle, mu: 0.3, sigma_0: 0"), "friction-zero", 4, {"sigma_0 is 0", "it is infinite"}},
    {SLIDE("law: lugre, mu: 0.3, v_stribeck: 0 mm/s"), "friction-zero", 4, {"v_stribeck is 0", "1e-3"}},
    {SLIDE("law: smooth, mu: 0.3, STICTION_TRANSITION_VELOCITY: 0"), "friction-zero", 4, {"v_slope is 0"}},
    {SLIDE("law: coulomb"), "friction-mu", 4, {"joint 'slide'", "mu_static and mu_kinetic"}},
    {SLIDE("law: smooth, preload: 5 N"), "friction-mu", 4, {"joint 'slide'"}},
    {SLIDE("law: coulomb, mu: -0.1"), "model-negative", 4, {"slide", "-0.1"}},
    {SLIDE("law: coulomb, mu: .nan"), "quantity-*", 4, {"mu"}},
    // Sizes.
    {SLIDE(MU ", guide_length: -1"), "model-negative", 4, {"guide_length", "slide", "-1"}},
    {SLIDE(MU ", friction_arm: -1 mm"), "model-negative", 4, {"friction_arm", "slide"}},
    {SLIDE(MU ", preload: -3 N"), "model-negative", 4, {"preload", "slide", "-3"}},
    {SLIDE(MU ", compliance: -1e-6"), "model-negative", 4, {"compliance", "slide"}},
    {JOINT("axis: z, revolute", MU ", pin_radius: -2 mm"), "model-negative", 4, {"pin_radius", "-0.002"}},
    {SLIDE("law: smooth, mu: 0.3, v_slope: -1"), "model-negative", 4, {"v_slope"}},
    {SLIDE("law: lugre, mu: 0.3, sigma_0: -1e5"), "model-negative", 4, {"sigma_0"}},
    {SLIDE(MU ", pin_radius: 5 N"), "unit-dimension", 4, {"pin_radius"}},
    // A radius where the reaction needs one.
    {JOINT("axis: z, revolute", MU), "friction-radius", 4, {"revolute joint j", "pin_radius", "constant"}},
    {JOINT("axis: z, pitch: 5 mm, screw", MU), "friction-radius", 4, {"screw joint j"}},
    {JOINT("axis: z, axis_2: x, universal", MU), "friction-radius", 4, {"universal joint j"}},
    {JOINT("spherical", MU), "friction-radius", 4, {"spherical joint j"}},
    // Loads.
    {SLIDE(MU ", load: {constant: 3 N m}"), "unit-dimension", 4, {"constant"}},
    {JOINT("axis: z, revolute", MU ", load: {constant: 3 N}"), "unit-dimension", 4, {"constant"}},
    {JOINT("axis: z, revolute", MU ", pin_radius: 1 cm, load: {constant: 3 N m}"),
     "unit-dimension",
     4,
     {"N"}},
    {SLIDE(MU ", load: {constant: -3}"), "model-negative", 4, {"load", "-3"}},
    {SLIDE(MU ", load: constant"), "yaml-word", 4, {"reaction"}},
    {SLIDE(MU ", load: {}"), "yaml-missing-key", 4, {"constant"}},
    {"planar: xy\n" JOINT("planar", MU), "friction-load", 5, {"joint j", "across the plane", "constant"}},
    // Kinds that have nothing to rub.
    {JOINT("weld", MU), "joint-coordinates", 4, {"friction", "weld"}},
    {JOINT("free", MU), "joint-coordinates", 4, {"friction", "free", "contact"}},
    {JOINT("at: {world: [0, 0, 0], cart: [1, 0, 0]}, distance", MU), "joint-coordinates", 4, {"distance"}},
    // Words.
    {SLIDE("law: coulom, mu: 0.3"), "yaml-word", 4, {"did you mean"}},
    {SLIDE("mu: 0.3"), "yaml-missing-key", 4, {"law"}},
    {SLIDE(MU ", pin_radus: 1"), "yaml-unknown-key", 4, {"pin_radius"}},
    {SLIDE(MU ", PIN_RADIUS: 1, BALL_RADIUS: 1"), "yaml-conflict", 4, {"PIN_RADIUS", "BALL_RADIUS"}},
    {SLIDE(MU ", FRICTION_TORQUE_PRELOAD: 1"), "yaml-unknown-key", 4, {"FRICTION_TORQUE_PRELOAD", "preload"}},
    {SLIDE(MU ", MAX_STICTION_DEFORMATION: 1"), "yaml-unknown-key", 4, {"sigma_0"}},
    // Compliances of joints.
    {HEAD CART "joints:\n  j: {weld: [world, cart], compliance: -1}\n", "model-negative", 4, {"compliance"}},
    {HEAD CART "joints:\n  j: {free: [world, cart], compliance: 1e-6}\n", "joint-coordinates", 4, {"free"}},
    {HEAD CART "joints:\n  j: {weld: [world, cart], compliance: {x: 1}}\n",
     "yaml-unknown-key",
     4,
     {"translation"}},
    {HEAD CART "joints:\n  j: {weld: [world, cart], compliance: 1 N/m}\n",
     "unit-dimension",
     4,
     {"compliance"}},
    // Redundancy.
    {LOOP "solver: {redundancy: eliminate(pni_1.force.x)}\n",
     "redundancy-joint",
     13,
     {"pni_1", "did you mean pin_1"}},
    {LOOP "solver: {redundancy: eliminate(pin_1.force.z)}\n",
     "redundancy-row",
     13,
     {"pin_1.force.z", "planar", "force.x, force.y"}},
    {LOOP "solver: {redundancy: eliminate(pin_1.torque.z)}\n",
     "redundancy-row",
     13,
     {"pin_1", "force.x, force.y"}},
    {LOOP "solver: {redundancy: eliminate(pin_1.row)}\n", "redundancy-row", 13, {"pin_1.row"}},
    {LOOP "solver: {redundancy: eliminate(pin_1)}\n", "redundancy-row", 13, {"pin_1", "force.x"}},
    {LOOP "solver: {redundancy: eliminate(pin_1.friction)}\n", "redundancy-row", 13, {"pin_1"}},
    {LOOP "solver: {redundancy: eliminate(slide_1.friction.1)}\n", "redundancy-row", 13, {"friction"}},
    {LOOP "solver: {redundancy: \"eliminate(pin_1.force.x, pin_1.force.x)\"}\n",
     "redundancy-row",
     13,
     {"twice"}},
    {LOOP "solver: {redundancy: \"eliminate(pin_1.force.x,)\"}\n", "redundancy-*", 13, {"''"}},
    {LOOP "solver: {redundancy: eliminate()}\n", "solver-setting", 13, {"eliminate(JOINT.ROW)"}},
    {LOOP "solver: {redundancy: eliminate}\n", "yaml-word", 13, {"eliminate(joint.row"}},
    {LOOP "solver: {redundancy: compliance}\n", "redundancy-compliance", 13, {"no joint", "pseudoinverse"}},
};

static br_status read_text(const char *text, br_model **model, br_error *error) {
    memset(error, 0, sizeof *error);
    return br_model_read_text(text, strlen(text), "bad.yaml", NULL, 0, NULL, model, NULL, error);
}

static int same_code(const char *code, const char *wanted) {
    const size_t n = strlen(wanted);
    if (wanted[n - 1] == '*') return strncmp(code, wanted, n - 1) == 0;
    return strcmp(code, wanted) == 0;
}

static void each_mistake_is_named_with_its_place(void **state) {
    (void)state;
    int wrong = 0;
    for (size_t k = 0; k < sizeof mistakes / sizeof *mistakes; k++) {
        const mistake *m = &mistakes[k];
        br_model *model = NULL;
        br_error error;
        const br_status status = read_text(m->text, &model, &error);
        int right = status != BR_OK && !model && error.code && same_code(error.code, m->code) &&
                    error.line == m->line && br_explain(error.code);
        for (int i = 0; i < 3 && m->said[i]; i++) right = right && strstr(error.message, m->said[i]);
        br_model_destroy(model);
        if (right) continue;
        wrong++;
        print_error("%s\n  expected %s at line %d\n  got %s at line %d: %s\n", m->text, m->code, m->line,
                    error.code ? error.code : br_status_name(status), error.line, error.message);
    }
    assert_int_equal(wrong, 0);
}

// What looks like a mistake and is none.
static void these_are_models(void **state) {
    (void)state;
    static const char *const texts[] = {
        SLIDE("law: coulomb, mu: 0"), // the end of a sweep
        SLIDE("law: coulomb, mu_static: 0.3"),
        SLIDE("law: smooth, mu: 0.3"), // the slope has a default
        SLIDE("law: coulomb, mu: 0.3, shape: tanh, sigma_0: 1e5 1/m"),
        SLIDE("law: coulomb, mu: 0.3, sigma_0: 0"), // of bristles it has none
        SLIDE("law: bristle, mu: 0.3, sigma_0: .inf"),
        SLIDE(MU ", REACTION_ARM: 2 cm, INITIAL_OVERLAP: 10 cm"),
        JOINT("axis: z, revolute", MU ", load: {constant: 3 N m}, v_slope: 0.01 rad/s"),
        JOINT("axis: z, revolute", MU ", load: {constant: 3 N}, pin_radius: 1 cm"),
        JOINT("spherical", MU ", BALL_RADIUS: 1 cm"),
        JOINT("axis: z, cylindrical", MU),
        "planar: xy\n" JOINT("planar", MU ", load: {constant: 3 N}, friction_arm: 0.1"),
        JOINT("axis: z, planar", MU),
        LOOP "solver: {redundancy: \"eliminate( pin_1.force.x , slide_1.friction )\"}\n",
        LOOP "solver: {redundancy: eliminate(slide_1.torque.x)}\n", // x along the normal
        LOOP "solver: {redundancy: eliminate(slide_1.friction.0)}\n",
    };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        br_model *model = NULL;
        br_error error;
        if (read_text(texts[k], &model, &error) != BR_OK) fail_msg("%s: %s", texts[k], error.message);
        br_model_destroy(model);
    }
}

// --- what runs ---------------------------------------------------------------------------------------------------

static const char *refusal(const char *text, char *message, size_t size) {
    br_model *model = NULL;
    br_error error;
    if (read_text(text, &model, &error) != BR_OK) fail_msg("%s: %s", text, error.message);
    memset(&error, 0, sizeof error);
    const br_status status = br_model_runnable(model, &error);
    br_model_destroy(model);
    snprintf(message, size, "%s", error.message);
    return status == BR_OK ? NULL : error.code;
}

static void steppers_refuse_what_they_cannot_do(void **state) {
    (void)state;
    static const char floor_[] =
        "materials: {m: {}}\npairs: {m/m: {mu: 0.3}}\n"
        "ground: [{plane: {normal: [0, 0, 1]}, material: m, name: floor}]\n"
        "bodies: {cart: {mass: 1, inertia: [1, 1, 1]}, ball: {mass: 1, inertia: [1, 1, 1], "
        "shapes: [{sphere: {radius: 0.1}, material: m, name: skin}]}}\n"
        "joints: {slide: {prismatic: [world, cart], axis: x, friction: {law: coulomb, mu: 0.3}}}\n";
    char text[1024], message[BR_MAX_ERROR_TEXT];
    static const char slide[] = SLIDE(MU);
    const char *const steppers[] = {"contact", "reference"};
    for (int k = 0; k < 2; k++) {
        snprintf(text, sizeof text, "%ssolver: {stepper: %s}\n", slide, steppers[k]);
        assert_null(refusal(text, message, sizeof message));
    }
    snprintf(text, sizeof text, "%ssolver: {stepper: kinematic}\n", slide);
    assert_string_equal(refusal(text, message, sizeof message), "run-friction");
    assert_non_null(strstr(message, "'slide'"));
    assert_non_null(strstr(message, "from the motion"));
    snprintf(text, sizeof text, HEAD "%ssolver: {stepper: contact}\n", floor_);
    assert_null(refusal(text, message, sizeof message));
    snprintf(text, sizeof text, HEAD "%ssolver: {stepper: reference}\n", floor_);
    assert_null(refusal(text, message, sizeof message));
    // Without a chance to touch the two go together.
    snprintf(text, sizeof text, HEAD "%ssolver: {stepper: reference}\ncontact: {exclude: [[world, ball]]}\n",
             floor_);
    assert_null(refusal(text, message, sizeof message));
}

static void redundancy_runs_under_every_stepper_of_joints(void **state) {
    (void)state;
    char message[BR_MAX_ERROR_TEXT];
    assert_null(refusal(LOOP "solver: {stepper: reference, redundancy: eliminate(pin_1.force.x)}\n", message,
                        sizeof message));
    assert_null(refusal(LOOP "solver: {stepper: contact, redundancy: eliminate(pin_1.force.x)}\n", message,
                        sizeof message));
    assert_null(refusal(HEAD CART "joints: {j: {weld: [world, cart]}}\n"
                                  "solver: {stepper: kinematic, redundancy: eliminate(j.force.x)}\n",
                        message, sizeof message));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_mistake_is_named_with_its_place),
        cmocka_unit_test(these_are_models),
        cmocka_unit_test(steppers_refuse_what_they_cannot_do),
        cmocka_unit_test(redundancy_runs_under_every_stepper_of_joints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
