// MSC ADAMS on single joints (tests/data/adams): positions, velocities, rotations and reactions of
// scenes/adams, in both coordinate choices, by the reference stepper and by the contact stepper at second
// order.
//
// ADAMS prints six digits, but its integrator's own error is larger: the largest differences between an exact
// solution and its series are 2e-4 of the series' largest value (positions, velocities), 6e-4 (reactions).
// Hence 1e-3.
#include "scene.h"

#define ADAMS_TOLERANCE 1e-3
#define ADAMS_COLUMNS 20

typedef struct quantity {
    const char *name;
    int first, count; // columns
    double scale; // the least that a difference is measured against: what a series of zeros is compared to
} quantity;

static const quantity quantities[] = {
    {"position", 1, 3, 1.0},  {"velocity", 4, 3, 1.0},   {"angular velocity", 7, 3, 1.0},
    {"rotation", 10, 4, 1.0}, {"force", 14, 3, 9.80665}, {"torque", 17, 3, 9.80665},
};
enum { QUANTITIES = sizeof quantities / sizeof *quantities };

static void put(double *row, br_vec3 a) {
    row[0] = a.x;
    row[1] = a.y;
    row[2] = a.z;
}

static void our_row(scene *s, const double *theirs, double *row) {
    const int body = scene_body(s, "pendulum");
    const br_pose X = br_sim_body_pose(s->sim, body);
    const br_twist V = br_sim_body_twist(s->sim, body);
    br_wrench in_M, in_W;
    br_error error = {0};
    if (br_sim_joint_reaction(s->sim, scene_joint(s, "joint"), &in_M, &in_W, &error) != BR_OK)
        scene_fail("reaction", &error);
    const br_quat a = X.rotation;
    const double sign =
        a.w * theirs[10] + a.x * theirs[11] + a.y * theirs[12] + a.z * theirs[13] < 0 ? -1.0 : 1.0;
    put(row + 1, X.position);
    put(row + 4, V.linear);
    put(row + 7, V.angular);
    row[10] = sign * a.w;
    put(row + 11, br_vec3_scale(sign, br_quat_vector(a)));
    put(row + 14, br_vec3_neg(in_W.force)); // ADAMS': on the ground
    put(row + 17, br_vec3_neg(in_W.torque));
}

static void compare(const char *joint, const char *settings) {
    char path[512], line[1024];
    double largest[QUANTITIES], worst[QUANTITIES] = {0};
    snprintf(path, sizeof path, "%s/tests/data/adams/%s.txt", BRISTLE_SOURCE_DIR, joint);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    snprintf(path, sizeof path, "adams/%s.yaml", joint);
    scene s = scene_open(path, settings);
    for (int k = 0; k < QUANTITIES; k++) largest[k] = quantities[k].scale;
    int rows = 0;
    while (fgets(line, sizeof line, file)) {
        double theirs[ADAMS_COLUMNS], ours[ADAMS_COLUMNS];
        if (line[0] == '#') continue;
        char *at = line;
        for (int c = 0; c < ADAMS_COLUMNS; c++) theirs[c] = strtod(at, &at);
        scene_advance(&s, theirs[0]);
        our_row(&s, theirs, ours);
        for (int k = 0; k < QUANTITIES; k++)
            for (int c = quantities[k].first; c < quantities[k].first + quantities[k].count; c++) {
                largest[k] = fmax(largest[k], fabs(theirs[c]));
                worst[k] = fmax(worst[k], fabs(theirs[c] - ours[c]));
            }
        rows++;
    }
    fclose(file);
    scene_close(&s);
    assert_int_equal(rows, 101);
    print_message("%-12s", joint);
    for (int k = 0; k < QUANTITIES; k++) print_message(" %s %.1e", quantities[k].name, worst[k] / largest[k]);
    print_message("\n");
    for (int k = 0; k < QUANTITIES; k++) assert_near(worst[k] / largest[k], 0.0, ADAMS_TOLERANCE);
}

static void compare_all(const char *settings) {
    static const char *const joints[] = {"revolute", "spherical", "universal", "prismatic", "cylindrical"};
    for (size_t k = 0; k < sizeof joints / sizeof *joints; k++) compare(joints[k], settings);
}

static void adams_series_reference_reduced(void **state) {
    (void)state;
    compare_all(SCENE_REFERENCE);
}

static void adams_series_reference_absolute(void **state) {
    (void)state;
    compare_all(SCENE_REFERENCE ";coordinates=absolute");
}

static void adams_series_contact_reduced(void **state) {
    (void)state;
    compare_all(SCENE_CONTACT ";solver.step=1 ms");
}

static void adams_series_contact_absolute(void **state) {
    (void)state;
    compare_all(SCENE_CONTACT ";solver.step=1 ms;coordinates=absolute");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adams_series_reference_reduced), cmocka_unit_test(adams_series_reference_absolute),
        cmocka_unit_test(adams_series_contact_reduced), cmocka_unit_test(adams_series_contact_absolute)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
