// Tosses of a cube as measured (tests/data/tosses), and as predicted open loop from their first row: where the cube is and how
// it is turned over the whole toss, about 0.75 s. With the authors' own mu and restitution, nothing is
// fitted here; everything else is the default.
//
// Errors: of a toss the mean over its rows of |p - p_measured| over the side, and of the angle between the rotations; of a set the
// mean of the first over its tosses, and the median of the second, because a cube that comes to lie on another face is 90 degrees
// off and says little about the rest. So computed, exact Coulomb friction (cone) has 12.6 to 12.8 % and 8.4 to 8.7 degrees on the
// larger set whatever step and theta; a friction square 15.4 to 15.6 %. The initial velocities are noisy: the standard error of
// a mean over 64 tosses is 0.9 %.
#include <dirent.h>

#include "bristle/contact.h"
#include "problem_set.h"
#include "scene.h"

#define SIDE 0.1048                  // m
#define MASS 0.37                    // kg
#define INERTIA 8.1e-4               // kg m^2
#define MU 0.18                      // as the authors identified it, like the restitution
#define RESTITUTION 0.125            //
#define POSITION_LIMIT 0.13          // of the side
#define TURN_LIMIT (9 * BR_PI / 180) // rad
#define CONE_LIMIT 1e-9              // of the bound

enum { MOST_ROWS = 600, COLUMNS = 14, MOST_TOSSES = 600 };

typedef struct toss_row {
    double t;
    br_pose pose;
    br_twist twist;
} toss_row;

typedef struct toss {
    int count;
    toss_row row[MOST_ROWS];
} toss;

typedef struct toss_errors {
    int count;
    double position[MOST_TOSSES], turn[MOST_TOSSES]; // of the side, rad
    double cone;                                     // largest excess of any contact force
} toss_errors;

static int skipped;

// --- the recordings ----------------------------------------------------------------------------------------

static toss_row toss_row_of(const double *c) {
    return (toss_row){.t = c[0],
                      .pose = br_pose_of(br_quat_normalize(br_quat_of(c[4], c[5], c[6], c[7])),
                                         br_vec3_of(c[1], c[2], c[3])),
                      .twist = br_twist_of(br_vec3_of(c[11], c[12], c[13]), br_vec3_of(c[8], c[9], c[10]))};
}

static void toss_read(const char *path, toss *out) {
    char line[1024];
    FILE *file = fopen(path, "r");
    if (!file) fail_msg("cannot open %s", path);
    assert_non_null(fgets(line, sizeof line, file));
    if (strncmp(line, "t,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz", 37) != 0) fail_msg("%s: other columns", path);
    out->count = 0;
    while (fgets(line, sizeof line, file)) {
        double c[COLUMNS];
        char *at = line;
        for (int k = 0; k < COLUMNS; k++) {
            char *end;
            c[k] = strtod(at, &end);
            if (end == at) fail_msg("%s: row %d has fewer numbers", path, out->count + 1);
            at = end + (*end == ',');
        }
        assert_in_range(out->count, 0, MOST_ROWS - 1);
        out->row[out->count++] = toss_row_of(c);
    }
    fclose(file);
    assert_true(out->count > 1);
}

// --- the model ---------------------------------------------------------------------------------------------

static void toss_check(br_status status, const br_error *error) {
    if (status != BR_OK) scene_fail("toss", error);
}

static void toss_bodies(br_builder *builder, const toss_row *start) {
    br_error error = {0};
    const br_shape_def box = {.type = BR_SHAPE_BOX,
                              .material = "cube",
                              .pose = br_pose_identity(),
                              .size = br_vec3_of(SIDE, SIDE, SIDE)};
    const br_shape_def table = {
        .type = BR_SHAPE_PLANE, .material = "table", .pose = br_pose_identity(), .axis = br_vec3_unit(2)};
    br_body_def cube = br_default_body_def();
    cube.name = "cube";
    cube.mass = MASS;
    cube.inertia = br_sym3_of(INERTIA, INERTIA, INERTIA, 0, 0, 0);
    cube.pose = start->pose;
    cube.has_velocity = 1;
    cube.velocity = start->twist.linear;
    cube.angular_velocity = start->twist.angular;
    cube.shapes = &box;
    cube.shape_count = 1;
    toss_check(br_builder_body(builder, &cube, &error), &error);
    toss_check(br_builder_ground(builder, &table, &error), &error);
}

static scene toss_open(const toss_row *start, const char *law) {
    scene s = {0};
    br_error error = {0};
    br_builder *builder = NULL;
    br_settings settings = br_default_settings();
    br_pair_def pair = br_default_pair_def();
    settings.name = "toss";
    settings.contact_law = law; // NULL: the default
    pair.first = "cube";
    pair.second = "table";
    pair.mu_static = pair.mu_kinetic = MU;
    pair.restitution = RESTITUTION;
    toss_check(br_builder_create(NULL, &builder, &error), &error);
    toss_check(br_builder_settings(builder, &settings, &error), &error);
    toss_check(br_builder_material(builder, "cube", &error), &error);
    toss_check(br_builder_material(builder, "table", &error), &error);
    toss_check(br_builder_pair(builder, &pair, &error), &error);
    toss_bodies(builder, start);
    toss_check(br_model_create(builder, &s.model, &error), &error);
    br_builder_destroy(builder);
    toss_check(br_sim_create(s.model, NULL, &s.sim, &error), &error);
    return s;
}

// --- errors ------------------------------------------------------------------------------------------------

static void toss_run(const toss *t, const char *law, toss_errors *e) {
    scene s = toss_open(&t->row[0], law);
    double position = 0, turn = 0;
    for (int k = 1; k < t->count; k++) {
        scene_advance(&s, t->row[k].t - t->row[0].t);
        const br_pose X = br_sim_body_pose(s.sim, 0), measured = t->row[k].pose;
        position += br_vec3_norm(br_vec3_sub(X.position, measured.position)) / SIDE;
        turn += br_quat_angle(X.rotation, measured.rotation);
    }
    assert_in_range(e->count, 0, MOST_TOSSES - 1);
    e->position[e->count] = position / (t->count - 1);
    e->turn[e->count++] = turn / (t->count - 1);
    e->cone = fmax(e->cone, br_sim_ledger(s.sim).cone_violation);
    scene_close(&s);
}

static int toss_order(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double toss_mean(const double *x, int n) {
    double sum = 0;
    for (int k = 0; k < n; k++) sum += x[k];
    return sum / n;
}

static double toss_median(double *x, int n) { // sorts them
    qsort(x, (size_t)n, sizeof *x, toss_order);
    return 0.5 * (x[(n - 1) / 2] + x[n / 2]);
}

// Every toss of a folder, in alphabetical order; 0 when there is no such folder.
static int toss_run_all(const char *folder, const char *law, toss_errors *e) {
    static toss t;
    struct dirent **list;
    const int count = scandir(folder, &list, NULL, alphasort);
    if (count < 0) return 0;
    for (int k = 0; k < count; k++) {
        const char *name = list[k]->d_name;
        char path[1024];
        snprintf(path, sizeof path, "%.700s/%.255s", folder, name);
        if (strncmp(name, "toss_", 5) == 0) {
            toss_read(path, &t);
            toss_run(&t, law, e);
        }
        free(list[k]);
    }
    free(list);
    return e->count;
}

static void toss_judge(const char *folder, const char *law) {
    static toss_errors e;
    memset(&e, 0, sizeof e);
    const char *name = law ? law : "the default law";
    if (!toss_run_all(folder, law, &e)) {
        ++skipped;
        print_message("SKIPPED: there is no folder %s (optional: more tosses)\n", folder);
        skip();
    }
    const double position = toss_mean(e.position, e.count), turn = toss_median(e.turn, e.count);
    print_message("%d tosses, %s: %.2f %% of the side, median turn %.2f degrees, cone exceeded by %.1e\n",
                  e.count, name, 100 * position, 180 / BR_PI * turn, e.cone);
    if (!(position <= POSITION_LIMIT)) fail_msg("%s: position off by %.4f of the side", name, position);
    if (!(turn <= TURN_LIMIT)) fail_msg("%s: turned off by %.3f rad", name, turn);
    if (!(e.cone < CONE_LIMIT)) fail_msg("%s: friction exceeds its cone by %.3e", name, e.cone);
}

static const char *const few = BRISTLE_SOURCE_DIR "/tests/data/tosses";

static void eight_tosses_are_predicted_at_the_defaults(void **state) {
    (void)state;
    toss_judge(few, NULL);
}

static void eight_tosses_are_predicted_by_the_bristle_law(void **state) {
    (void)state;
    toss_judge(few, "bristle");
}

static void eight_tosses_are_predicted_by_exact_friction(void **state) {
    (void)state;
    toss_judge(few, "cone");
}

static void every_toss_is_predicted_by_the_bristle_law(void **state) {
    (void)state;
    toss_judge(set_shared("measured/cube_tosses"), "bristle");
}

static void every_toss_is_predicted_by_exact_friction(void **state) {
    (void)state;
    toss_judge(set_shared("measured/cube_tosses"), "cone");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eight_tosses_are_predicted_at_the_defaults),
        cmocka_unit_test(eight_tosses_are_predicted_by_the_bristle_law),
        cmocka_unit_test(eight_tosses_are_predicted_by_exact_friction),
        cmocka_unit_test(every_toss_is_predicted_by_the_bristle_law),
        cmocka_unit_test(every_toss_is_predicted_by_exact_friction),
    };
    const int failures = cmocka_run_group_tests(tests, NULL, NULL);
    return set_exit_code(failures, skipped, (int)(sizeof tests / sizeof *tests));
}
