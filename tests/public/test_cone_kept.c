// Friction stays within the disk of radius mu times the normal force, in every step of every contact, with or without an impact:
// on all scenes that the contact stepper runs, on random tumbles, and on five robots that fall. Laws `bristle` and `cone` with
// implicit bounds; lagged and iterated bounds, and the paper's scheme, are known to leave it and not tried.
#include <glob.h>

#include "tumble.h"

enum { TUMBLES = 100 }; // of the thousand that long.cone_tumbles runs

static const char *const laws[] = {"bristle", "cone"};

// Whether the scene is this test's: it can be simulated by the contact stepper, and its bounds are implicit.
// Beams alone have no cone; what a stepper makes of their waves is another question.
static int has_cone(const br_model *model) {
    return br_model_beam_count(model) == 0 || br_model_shape_count(model) > 1 ||
           br_model_clearance_count(model) > 0;
}

static int scene_is_tried(const scene *s) {
    const br_settings *set = br_model_settings(s->model);
    br_error error = {0};
    const int implicit = !set->contact_bounds || strcmp(set->contact_bounds, "implicit") == 0;
    return implicit && has_cone(s->model) && !set->contact_paper &&
           br_model_runnable(s->model, &error) == BR_OK;
}

// 1 when the model leaves the cone under the law or stops.
static int model_leaves(const char *path, const char *law, int *tried) {
    char settings[128];
    const char *name =
        strstr(path, BRISTLE_SOURCE_DIR) == path ? path + strlen(BRISTLE_SOURCE_DIR) + 1 : path;
    scene s;
    br_error error = {0};
    double cone = 0;
    int bad = 0;
    snprintf(settings, sizeof settings, "solver.stepper=contact;contact.law=%s", law);
    const int opened = scene_try(path, settings, &s, &error) == BR_OK;
    if (opened && scene_is_tried(&s)) {
        ++*tried;
        if (cone_run(s.sim, br_model_settings(s.model)->until, &cone, &error) != BR_OK) {
            print_error("%s, %s: %s\n", name, law, error.message);
            bad = 1;
        } else if (!(cone < TUMBLE_CONE)) {
            print_error("%s, %s: friction exceeds its cone by %.2e\n", name, law, cone);
            bad = 1;
        }
    }
    scene_close(&s);
    return bad;
}

// fewest: models that must be among those tried, lest a typing error leaves all of them out.
static void check_models(const char *pattern, int fewest) {
    glob_t list;
    int bad = 0, tried = 0;
    assert_int_equal(glob(pattern, 0, NULL, &list), 0);
    for (size_t k = 0; k < list.gl_pathc; k++)
        for (int i = 0; i < 2; i++) bad += model_leaves(list.gl_pathv[k], laws[i], &tried);
    globfree(&list);
    print_message("%d of %d runs leave the cone or stop\n", bad, tried);
    assert_true(tried >= 2 * fewest);
    assert_int_equal(bad, 0);
}

static void scenes_stay_in_their_cone(void **state) {
    (void)state;
    check_models(SCENE_FOLDER "*/*.yaml", 100);
}

static void robots_that_fall_stay_in_their_cone(void **state) {
    (void)state;
    check_models(BRISTLE_SOURCE_DIR "/tests/data/robots/dropped_*.yaml", 5);
}

static void tumbling_bristles_stay_in_their_cone(void **state) {
    (void)state;
    assert_int_equal(tumble_check(0, TUMBLES, "bristle"), 0);
}

static void tumbling_exact_friction_stays_in_its_cone(void **state) {
    (void)state;
    assert_int_equal(tumble_check(0, TUMBLES, "cone"), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenes_stay_in_their_cone),
        cmocka_unit_test(robots_that_fall_stay_in_their_cone),
        cmocka_unit_test(tumbling_bristles_stay_in_their_cone),
        cmocka_unit_test(tumbling_exact_friction_stays_in_its_cone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
