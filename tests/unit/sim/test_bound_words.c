// What is said of rows that are at their bounds: friction of joints is no motor, and a paper's step with rigid bristles ends.
#include "bristle/contact.h"
#include "scene.h"
#include "sim/rows/bounded.h"

#define ARM(friction, rest)                                                                                  \
    "format: 1\nmaterials: {a: {}, g: {}}\npairs: {a/g: {mu: 0.4}}\nbodies:\n"                               \
    "  arm: {mass: 1, inertia: [0.01, 0.01, 0.01], pose: {position: [0.3, 0, 0.5]}}\n"                       \
    "  b: {mass: 1, inertia: [0.01, 0.01, 0.01], pose: {position: [0, 1, 0.1]}, shapes: [{sphere: {radius: " \
    "0.1}, material: a}]}\n"                                                                                 \
    "joints: {pin: {revolute: [world, arm], axis: y, at: [0, 0, 0.5]" friction "}}\n"                        \
    "ground: [{plane: {normal: [0, 0, 1]}, material: g}]\ncontact: {law: polygon(8)}\n" rest

static scene words_open(const char *text) {
    scene s = {NULL, NULL};
    br_error error = {0};
    if (br_model_read_text(text, strlen(text), "words", NULL, 0, NULL, &s.model, NULL, &error) != BR_OK ||
        br_sim_create(s.model, NULL, &s.sim, &error) != BR_OK)
        scene_fail(text, &error);
    return s;
}

static void judged(const char *text, const char *has, const char *has_not) {
    scene s = words_open(text);
    br_error error = {0};
    const br_solve_report report = {.outcome = BR_STALLED, .residual = 1.0};
    assert_non_null(s.sim->bounded);
    assert_int_equal(br_bounded_judge(s.sim, &report, &error), BR_NUMERICAL);
    assert_non_null(strstr(error.message, has));
    assert_null(strstr(error.message, has_not));
    scene_close(&s);
}

static void friction_is_called_friction(void **state) {
    (void)state;
    judged(ARM(", friction: {law: coulomb, mu: 0.3, pin_radius: 0.02}", ""), "the friction of joints ('pin'",
           "motor");
    judged(ARM(", limits: [-1, 1]", ""), "limits and motors", "friction");
    judged(ARM(", limits: [-1, 1], friction: {law: coulomb, mu: 0.3, pin_radius: 0.02}", ""),
           "limits and motors", "friction");
}

// Of a joint that slides, or of a motor at its largest effort.
static void refused(const char *text, const char *says) {
    scene s = words_open(text);
    br_standard_lcp *lcp = NULL;
    br_error error = {0};
    scene_advance(&s, 1e-3);
    assert_int_equal(br_sim_standard_lcp(s.sim, 8, &lcp, &error), BR_INVALID);
    assert_non_null(strstr(error.message, says));
    br_standard_lcp_free(lcp);
    scene_close(&s);
}

static void a_standard_form_without_room_for_a_bound_says_whose(void **state) {
    (void)state;
    refused(ARM(", friction: {law: coulomb, mu: 0.3, pin_radius: 0.02, load: {constant: 10}}", ""),
            "'pin' needs more friction than holds it");
    refused(ARM("", "drives: {m: {joint: pin, velocity: 3, max_torque: 0.1}}\n"),
            "'m' needs more than its largest effort");
}

// The table on four legs: rigid bristles and the paper's own step, laws and steps. Nothing comes out of nothing.
static void papers_table_with_rigid_bristles_runs(void **state) {
    (void)state;
    static const char *const laws[] = {"bristle", "box"}, *const stiff[] = {".inf", "1e13", "1e10"},
                             *const steps[] = {"1e-4", "1e-3", "1e-2"}, *const paper[] = {"true", "false"};
    for (int k = 0; k < 36; k++) {
        char text[200];
        snprintf(text, sizeof text, "k_T=%s;contact.law=%s;solver.step=%s;contact.paper=%s", stiff[k % 3],
                 laws[k / 3 % 2], steps[k / 6 % 3], paper[k / 18]);
        scene s = scene_open("papers/peiret_table.yaml", text);
        scene_advance(&s, 0.05);
        const br_ledger l = br_sim_ledger(s.sim);
        assert_near(l.unaccounted, 0.0, 1e-9);
        assert_true(l.scheme >
                    -2e-3); // what bounds of the last step make as the table settles: 1.5 mJ at 10 ms
        scene_close(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(friction_is_called_friction),
        cmocka_unit_test(a_standard_form_without_room_for_a_bound_says_whose),
        cmocka_unit_test(papers_table_with_rigid_bristles_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
