// Models that a hostile or a clumsy user writes: an error, or a note, that names the true cause.
#include <string.h>

#include "bristle/io.h"
#include "near.h"

#define HEAD "format: 1\n"
#define ROD "bodies:\n  rod: {mass: 1 kg, inertia: [0.1, 0.1, 0.1]}\n"

static br_status read_text(const char *text, br_model **model, br_error *error) {
    memset(error, 0, sizeof *error);
    *model = NULL;
    return br_model_read_text(text, strlen(text), "bad.yaml", NULL, 0, NULL, model, NULL, error);
}

static void assert_refused(const char *text, const char *code, int line, const char *words) {
    br_model *model;
    br_error error;
    assert_int_equal(read_text(text, &model, &error), BR_INVALID);
    if (strcmp(error.code, code) != 0 || error.line != line || !strstr(error.message, words))
        fail_msg("%s, line %d: %s", error.code, error.line, error.message);
    assert_non_null(br_explain(code));
}

static void a_run_that_cannot_end_is_refused(void **state) {
    (void)state;
    assert_refused(HEAD ROD "solver: {step: 1e-9}\nrun: {until: 1e12}\n", "run-too-long", 4,
                   "steps of 1e-09 s until 1e+12 s are 1e+21");
    assert_refused(HEAD ROD "solver: {step: 5e-324}\nrun: {until: 1}\n", "run-too-long", 4, "are inf");
    assert_refused(HEAD ROD "run: {until: 1, output: 1e-300}\n", "run-too-long", 4, "are 1e+300 rows");
    // The reference stepper takes steps of its own: only its rows count.
    br_model *model;
    br_error error;
    assert_int_equal(read_text(HEAD ROD "solver: {stepper: reference, step: 1 us}\n"
                                        "run: {until: 1e9, output: 1e3}\n",
                               &model, &error),
                     BR_OK);
    br_model_destroy(model);
}

// The mass was not missing: the square of the pitch was too large.
static void an_inertia_that_overflows_is_not_called_missing(void **state) {
    (void)state;
    assert_refused(HEAD ROD "joints:\n  screw: {screw: [world, rod], axis: [0, 0, 1], pitch: 1e300}\n",
                   "model-not-finite", 3, "inertia of body rod against joint screw is too large");
}

// --- loads across the plane --------------------------------------------------------------------------------

#define PLANAR HEAD "planar: xy\ngravity: [0, -9.81, 0]\n"
#define TILTED "bodies:\n  rod: {mass: 1, inertia: [1, 1, 1], pose: {euler_xyz: [90 deg, 0, 0]}}\n"

static const struct {
    const char *text, *note; // NULL: none
} across[] = {
    {PLANAR ROD "loads:\n  push: {body: rod, force: [1, 2, 0]}\n", NULL},
    {PLANAR ROD "loads:\n  push: {body: rod, force: [0, 0, 3]}\n", "the force of load push is partly across"},
    {PLANAR ROD "loads:\n  push: {body: rod, force: [1, 0, \"sin(t)\"]}\n", "the force of load push"},
    {PLANAR ROD "loads:\n  turn: {body: rod, torque: [0, 0, \"t\"]}\n", NULL},
    {PLANAR ROD "loads:\n  turn: {body: rod, torque: [1, 0, 0]}\n", "the torque of load turn"},
    {PLANAR TILTED "loads:\n  push: {body: rod, axes: body, force: [0, 0, 1]}\n", NULL},
    {PLANAR TILTED "loads:\n  push: {body: rod, axes: body, force: [0, 1, 0]}\n", "the force of load push"},
    {HEAD ROD "loads:\n  push: {body: rod, force: [0, 0, 3]}\n", NULL},
};

static void a_load_across_the_plane_is_not_ignored_silently(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof across / sizeof *across; k++) {
        br_model *model;
        br_error error;
        if (read_text(across[k].text, &model, &error) != BR_OK) fail_msg("%zu: %s", k, error.message);
        const char *notes = br_model_notes(model);
        if (across[k].note ? !strstr(notes, across[k].note) : strstr(notes, "load") != NULL)
            fail_msg("%zu: '%s'", k, notes);
        br_model_destroy(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_that_cannot_end_is_refused),
        cmocka_unit_test(an_inertia_that_overflows_is_not_called_missing),
        cmocka_unit_test(a_load_across_the_plane_is_not_ignored_silently),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
