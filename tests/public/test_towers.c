// Towers of cubes stand for ten seconds at 500 Hz: no cube drifts or sags by a hundredth of a millimetre. Faces with four
// points leave the forces undetermined, a top cube a thousand times heavier makes the problem badly scaled; neither may
// show in the motion.
#include "scene.h"

#define SECONDS 10
#define LOOKS_PER_SECOND 10
#define STANDS 1e-5 // m: a hundredth of a millimetre
#define JITTER                                                                                               \
    1e-7 // m/s at the end: what a relative tolerance of 1e-8 leaves of a step's gravity through 50 cubes, with room

typedef struct tower {
    scene s;
    int count;
    br_vec3 start[64];
} tower;

static tower tower_open(const char *name, const char *law) {
    char settings[64];
    snprintf(settings, sizeof settings, "contact.law=%s", law);
    tower t = {.s = scene_open(name, settings)};
    t.count = br_model_body_count(t.s.model);
    assert_in_range(t.count, 1, 64);
    for (int k = 0; k < t.count; k++) t.start[k] = br_sim_body_pose(t.s.sim, k).position;
    return t;
}

static void check_stands(const tower *t, const char *law, double time) {
    for (int k = 0; k < t->count; k++) {
        const br_vec3 moved = br_vec3_sub(br_sim_body_pose(t->s.sim, k).position, t->start[k]);
        if (!(hypot(moved.x, moved.y) < STANDS) || !(fabs(moved.z) < STANDS))
            fail_msg("%s under %s, %g s: cube %d drifted by %g mm and sagged by %g mm",
                     br_model_name(t->s.model), law, time, k, 1e3 * hypot(moved.x, moved.y), -1e3 * moved.z);
    }
}

static void run_tower(const char *name, const char *law) {
    tower t = tower_open(name, law);
    for (int k = 1; k <= SECONDS * LOOKS_PER_SECOND; k++) {
        scene_advance(&t.s, (double)k / LOOKS_PER_SECOND);
        check_stands(&t, law, (double)k / LOOKS_PER_SECOND);
    }
    for (int k = 0; k < t.count; k++) {
        const br_twist V = br_sim_body_twist(t.s.sim, k);
        assert_near(br_vec3_norm(V.linear) + br_vec3_norm(V.angular), 0, JITTER);
    }
    scene_close(&t.s);
}

static void tower_of_10_stands(void **state) {
    (void)state;
    run_tower("bench/tower_10.yaml", "cone");
    run_tower("bench/tower_10.yaml", "bristle");
}

static void tower_of_50_stands(void **state) {
    (void)state;
    run_tower("bench/tower_50.yaml", "cone");
}

static void tower_with_a_heavy_top_stands(void **state) {
    (void)state;
    run_tower("bench/tower_10_heavy.yaml", "cone");
    run_tower("bench/tower_10_heavy.yaml", "bristle");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tower_of_10_stands),
        cmocka_unit_test(tower_of_50_stands),
        cmocka_unit_test(tower_with_a_heavy_top_stands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
