// The spatial mechanism [BauchauJu2006 section 6.1]: case 1 against tests/data/flexible/mech_case1_rev5_reference.csv in its fifth
// revolution; case 2 only for what does not depend on mesh, step and damping.
#include "scene.h"

// The crank has turned by 1 rad at the end of its start, at 0.1 s.
static double time_of(double crank) {
    return 0.1 + (8 * BR_PI + crank * BR_PI / 180 - 1) / 20;
}

enum { FORCES = 5, MOST_ROWS = 32 };

static const char *const channels[FORCES] = {"Q.reaction.force_world.x", "Q.reaction.force_world.y",
                                             "Q.reaction.force_world.z", "beam.s0.force.y",
                                             "beam.s0.force.z"};

typedef struct sample {
    double crank, force[FORCES];
} sample;

static int read_samples(sample *out) {
    FILE *file = fopen(BRISTLE_SOURCE_DIR "/tests/data/flexible/mech_case1_rev5_reference.csv", "r");
    char line[1024];
    int count = 0;
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    assert_non_null(strstr(
        line,
        "crank_deg,xM,xM_unc,yM,yM_unc,zM,zM_unc,CF1,CF1_unc,CF2,CF2_unc,CF3,CF3_unc,F2O,F2O_unc,F3O,"));
    while (count < MOST_ROWS && fgets(line, sizeof line, file)) {
        double value[17];
        char *at = line;
        for (int k = 0; k < 17; k++, at += *at == ',') value[k] = strtod(at, &at);
        out[count] = (sample){.crank = value[0]};
        for (int k = 0; k < FORCES; k++) out[count].force[k] = value[7 + 2 * k];
        count++;
    }
    fclose(file);
    assert_int_equal(count, 24);
    return count;
}

// Of the largest force each: 0.1 % along the slider, 2 % across, what the reference leaves open. Reached are 0.006 % and 0.09 %.
static void the_fifth_revolution_of_case_1_is_the_reference(void **state) {
    static const double part[FORCES] = {1e-3, 2e-2, 2e-2, 2e-2, 2e-2};
    sample wanted[MOST_ROWS];
    double peak[FORCES] = {0};
    const int count = read_samples(wanted);
    scene s = scene_open("papers/bauchau_mechanism.yaml", "");
    (void)state;
    for (int k = 0; k < count; k++)
        for (int i = 0; i < FORCES; i++) peak[i] = fmax(peak[i], fabs(wanted[k].force[i]));
    for (int k = 0; k < count; k++) {
        scene_advance(&s, time_of(wanted[k].crank));
        assert_near(scene_read(&s, "S.position"), 8 * BR_PI + wanted[k].crank * BR_PI / 180, 1e-9);
        for (int i = 0; i < FORCES; i++)
            assert_near(scene_read(&s, channels[i]), wanted[k].force[i], part[i] * peak[i]);
    }
    const br_ledger l = br_sim_ledger(s.sim);
    assert_near(l.unaccounted, 0, 1e-6 * (l.damping + l.input));
    scene_close(&s);
}

// Case 2: one revolution. The ball stays in its socket to what the contact gives (15 MN/m: some 0.1 mm at 1500 N), friction takes energy
// and is at most what its law allows, and the books are balanced.
static void case_2_keeps_the_ball_in_its_socket(void **state) {
    scene s = scene_open("papers/bauchau_mechanism_clearance.yaml", "");
    double friction = 0;
    (void)state;
    for (int k = 1; k <= 100; k++) {
        scene_advance(&s, 0.36 * k / 100);
        const double n = scene_read(&s, "Q.force.normal"), f = scene_read(&s, "Q.force.friction");
        assert_true(scene_read(&s, "Q.gap") > -1e-4);
        assert_true(n >= 0);
        assert_true(f <=
                    1.2175 * 0.3 * n + 1e-12); // the bound of the rule for any step, see docs/theory/lugre.md
        const br_ledger l = br_sim_ledger(s.sim);
        assert_true(l.friction >=
                    friction - 1e-6); // but for bristles, of at most mu^2 n/(2 sigma_0): 5e-7 J per newton
        friction = l.friction;
        assert_near(l.unaccounted, 0, 1e-6 * (1 + l.input));
    }
    assert_true(friction > 1e-2);
    scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fifth_revolution_of_case_1_is_the_reference),
        cmocka_unit_test(case_2_keeps_the_ball_in_its_socket),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
