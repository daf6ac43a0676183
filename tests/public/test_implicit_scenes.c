// Every scene of rigid bodies under the implicit stepper, against the reference stepper: both schemes converge to the same
// motion at their order. And every scene that asks for the implicit stepper runs with a ledger that closes.
#include <glob.h>

#include "bristle/judgement.h"
#include "scene.h"

#define STEP 1e-3
#define UNTIL 0.4

// Quaternions of positions have two signs, and spinning tops turn away by more than a step resolves: bodies are compared.
static double apart(const scene *a, const scene *b) {
    double size = 1.0, off = 0.0;
    for (int k = 0; k < br_model_body_count(a->model); k++) {
        const br_pose X = br_sim_body_pose(a->sim, k), Y = br_sim_body_pose(b->sim, k);
        const br_twist V = br_sim_body_twist(a->sim, k), W = br_sim_body_twist(b->sim, k);
        size = fmax(size, fmax(br_vec3_max_abs(X.position),
                               fmax(br_vec3_max_abs(V.linear), br_vec3_max_abs(V.angular))));
        off =
            fmax(off, fmax(br_vec3_distance(X.position, Y.position), br_quat_angle(X.rotation, Y.rotation)));
        off = fmax(off, fmax(br_vec3_distance(V.linear, W.linear), br_vec3_distance(V.angular, W.angular)));
    }
    return off / size;
}

static int open_scene(const char *path, const char *settings, double until, scene *s) {
    br_error error = {0};
    br_status status = scene_try(path, settings, s, &error);
    if (status == BR_OK) status = br_sim_advance(s->sim, until, &error);
    if (status == BR_OK) return 1;
    // What is not for this stepper is refused by name; anything else is a fault.
    const char *const refused[] = {"run-", "reference-", "velocities-contradict"};
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++)
        if (error.code && strncmp(error.code, refused[k], strlen(refused[k])) == 0) return 0;
    fail_msg("%s, %s: %s (%s)", path + strlen(SCENE_FOLDER), settings, error.message,
             error.code ? error.code : "no code");
    return 0;
}

// Which scenes turn so fast that 1 ms does not resolve them: only that they run.
static int is_rough(const char *name) {
    static const char *const rough[] = {"heavy_top", "andrews"};
    for (size_t k = 0; k < sizeof rough / sizeof *rough; k++)
        if (strstr(name, rough[k])) return 1;
    return 0;
}

static void check_scheme(const char *path, const scene *reference, const char *scheme, double until,
                         int *compared) {
    const char *name = path + strlen(SCENE_FOLDER);
    double error[2];
    int lower = 0;
    for (int k = 0; k < 2; k++) {
        char settings[200];
        scene s;
        snprintf(settings, sizeof settings,
                 "solver.stepper=implicit;solver.scheme=%s;solver.step=%g;solver.rho_infinity=0.9;solver.tol="
                 "1e-10",
                 scheme, STEP / (1 + k));
        const int ran = open_scene(path, settings, until, &s);
        error[k] = ran ? apart(reference, &s) : NAN;
        if (ran) {
            br_judgement judged;
            br_sim_judge(s.sim, &judged);
            lower |= judged.lower_orders > 0; // a limit was reached: of first order, and the run says so
        }
        scene_close(&s);
        if (!ran) return;
    }
    ++*compared;
    const double order = log2(error[0] / error[1]);
    if (error[0] > 1e-2 || (error[0] > 1e-7 && (order < (lower ? 0.8 : 1.6) || order > 2.6))) {
        if (is_rough(name)) {
            print_message("%s, %s: %.1e and %.1e: rough\n", name, scheme, error[0], error[1]);
            return;
        }
        fail_msg("%s, %s: %.2e and %.2e off the reference, order %.2f", name, scheme, error[0], error[1],
                 order);
    }
}

static void rigid_scenes_converge_to_the_reference(void **state) {
    (void)state;
    static const char *const folders[] = {"joints", "loads", "benchmark", "adams"};
    int compared = 0;
    for (size_t d = 0; d < sizeof folders / sizeof *folders; d++) {
        glob_t list;
        char pattern[300];
        snprintf(pattern, sizeof pattern, "%s%s/*.yaml", SCENE_FOLDER, folders[d]);
        assert_int_equal(glob(pattern, 0, NULL, &list), 0);
        for (size_t k = 0; k < list.gl_pathc; k++) {
            scene reference;
            if (strstr(list.gl_pathv[k], "four_bar_40")) continue; // long, and four_bar_2 is the same
            const double until = strstr(list.gl_pathv[k], "andrews") ? 0.02 : UNTIL;
            if (open_scene(list.gl_pathv[k], SCENE_REFERENCE, until, &reference)) {
                check_scheme(list.gl_pathv[k], &reference, "alpha", until, &compared);
                check_scheme(list.gl_pathv[k], &reference, "energy_decaying", until, &compared);
            }
            scene_close(&reference);
        }
        globfree(&list);
    }
    print_message("%d scenes and schemes compared\n", compared);
    assert_true(compared > 60);
}

static void scenes_of_the_implicit_stepper_close_their_ledger(void **state) {
    (void)state;
    glob_t list;
    assert_int_equal(glob(SCENE_FOLDER "*/*.yaml", 0, NULL, &list), 0);
    for (size_t k = 0; k < list.gl_pathc; k++) {
        scene s;
        br_error error = {0};
        const char *name = list.gl_pathv[k] + strlen(SCENE_FOLDER);
        if (scene_try(list.gl_pathv[k], "", &s, &error) != BR_OK) scene_fail(name, &error);
        const br_settings *set = br_model_settings(s.model);
        if (set->solver.stepper == BR_STEPPER_IMPLICIT && br_model_runnable(s.model, &error) == BR_OK) {
            if (br_sim_advance(s.sim, fmin(set->until, 200 * set->solver.step), &error) != BR_OK)
                scene_fail(name, &error);
            const br_ledger l = br_sim_ledger(s.sim);
            const double scale = scene_energy_scale(&s);
            print_message("%-40s %6ld steps, unaccounted %.1e, scheme %.1e of the energy moved\n", name,
                          l.steps, l.unaccounted / fmax(scale, 1e-300), l.scheme / fmax(scale, 1e-300));
            assert_true(fabs(l.unaccounted) <= 1e-6 * scale + 1e-12); // [issue: below 1e-6 relative]
        }
        scene_close(&s);
    }
    globfree(&list);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rigid_scenes_converge_to_the_reference),
                                       cmocka_unit_test(scenes_of_the_implicit_stepper_close_their_ledger)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
