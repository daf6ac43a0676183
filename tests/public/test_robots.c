// Five robots against MuJoCo 2.2.2 (tests/data/robots): mass matrix, bias, inverse dynamics, Jacobians and
// poses in five states each, from the MuJoCo model and from the model file that was converted from it.
//
// Both sides compute in doubles by different recursions; the largest difference seen is 4e-15 of the largest
// entry, so 1e-9 has room for other compilers and none for a wrong sign or axis.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bristle/io.h"
#include "bristle/sim.h"
#include "near.h"

#ifndef BRISTLE_SOURCE_DIR
#define BRISTLE_SOURCE_DIR "."
#endif

#define TOLERANCE 1e-9 // of the largest entry of each quantity

// --- the oracle --------------------------------------------------------------------------------------------

static char *read_text(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    rewind(file);
    char *text = malloc((size_t)size + 1);
    assert_int_equal(fread(text, 1, (size_t)size, file), size);
    text[size] = '\0';
    fclose(file);
    return text;
}

// The numbers of the first list of that name at or after `from`; at most count.
static int numbers(const char *from, const char *key, double *out, int count) {
    char quoted[40];
    snprintf(quoted, sizeof quoted, "\"%s\":[", key);
    const char *p = strstr(from, quoted);
    if (!p) return -1;
    p += strlen(quoted);
    int n = 0;
    while (*p && *p != ']' && n < count) {
        char *end;
        out[n++] = strtod(p, &end);
        if (end == p) return -1;
        p = end + (*end == ',');
    }
    return *p == ']' ? n : -1;
}

enum { MOST = 4096 };

typedef struct robot {
    const char *name, *text, *state; // state: where the present one begins
    br_model *model;
    br_sim *sim;
    int nq, nv, bodies;
} robot;

// --- comparing ---------------------------------------------------------------------------------------------

static double worst; // over everything, of the largest entry

static void compare(const robot *r, const char *key, const double *found, int count) {
    static double expected[MOST];
    assert_int_equal(numbers(r->state, key, expected, MOST), count);
    double scale = 0.0, largest = 0.0;
    for (int k = 0; k < count; k++) scale = fmax(scale, fabs(expected[k]));
    for (int k = 0; k < count; k++) largest = fmax(largest, fabs(found[k] - expected[k]));
    if (!(largest <= TOLERANCE * scale)) fail_msg("%s %s: differs by %g of %g", r->name, key, largest, scale);
    if (scale > 0.0) worst = fmax(worst, largest / scale);
}

static void compare_poses(const robot *r) {
    static double position[MOST], rotation[MOST], expected[MOST];
    // Where a body has several joints there are more bodies here, after MuJoCo's own.
    const int bodies = numbers(r->state, "xquat", expected, MOST) / 4 - 1;
    assert_true(bodies > 0 && bodies <= r->bodies);
    rotation[0] = 1.0;
    for (int k = 0; k < bodies; k++) {
        const br_pose X = br_sim_body_pose(r->sim, k);
        const double p[3] = {X.position.x, X.position.y, X.position.z};
        const double q[4] = {X.rotation.w, X.rotation.x, X.rotation.y, X.rotation.z};
        double dot = 0.0; // q and -q are the same rotation
        for (int i = 0; i < 4; i++) dot += q[i] * expected[4 * (k + 1) + i];
        for (int i = 0; i < 3; i++) position[3 * (k + 1) + i] = p[i];
        for (int i = 0; i < 4; i++) rotation[4 * (k + 1) + i] = dot < 0.0 ? -q[i] : q[i];
    }
    compare(r, "xpos", position, 3 * (bodies + 1));
    compare(r, "xquat", rotation, 4 * (bodies + 1));
}

static void compare_jacobian(const robot *r) {
    static double linear[MOST], angular[MOST];
    char body[BR_MAX_NAME];
    const char *p = strstr(r->state, "\"jac_body\":\"");
    assert_non_null(p);
    assert_int_equal(sscanf(p, "\"jac_body\":\"%63[^\"]", body), 1);
    const int k = br_model_body_find(r->model, body);
    assert_true(k >= 0);
    br_sim_jacobian(r->sim, k, br_vec3_zero(), linear, angular);
    compare(r, "jacp", linear, 3 * r->nv);
    compare(r, "jacr", angular, 3 * r->nv);
}

static void compare_state(robot *r) {
    static double q[MOST], v[MOST], vdot[MOST], M[MOST], out[MOST];
    br_error error = {0};
    assert_int_equal(numbers(r->state, "qpos", q, MOST), r->nq);
    assert_int_equal(numbers(r->state, "qvel", v, MOST), r->nv);
    assert_int_equal(numbers(r->state, "qacc", vdot, MOST), r->nv);
    if (br_sim_set_state(r->sim, 0.0, q, v, &error) != BR_OK) fail_msg("%s: %s", r->name, error.message);
    br_sim_mass_matrix(r->sim, M);
    compare(r, "M", M, r->nv * r->nv);
    br_sim_bias(r->sim, out);
    compare(r, "bias", out, r->nv);
    br_sim_inverse_dynamics(r->sim, vdot, out);
    compare(r, "tau_id", out, r->nv);
    compare_jacobian(r);
    compare_poses(r);
}

static void compare_model(const char *name, const char *path) {
    char oracle[512];
    br_error error = {0};
    robot r = {.name = name};
    snprintf(oracle, sizeof oracle, BRISTLE_SOURCE_DIR "/tests/data/robots/%s/oracle.json", name);
    char *text = read_text(oracle);
    assert_non_null(text);
    if (br_model_read(path, NULL, 0, NULL, &r.model, NULL, &error) != BR_OK)
        fail_msg("%s:%d: %s", error.file, error.line, error.message);
    if (br_sim_create(r.model, NULL, &r.sim, &error) != BR_OK) fail_msg("%s: %s", path, error.message);
    r.nq = br_model_nq(r.model);
    r.nv = br_model_nv(r.model);
    r.bodies = br_model_body_count(r.model);
    int states = 0;
    for (const char *p = strstr(text, "\"states\":"); p && (p = strstr(p, "\"qpos\":")); p++, states++) {
        r.state = p;
        compare_state(&r);
    }
    assert_int_equal(states, 5);
    br_sim_destroy(r.sim);
    br_model_destroy(r.model);
    free(text);
}

static const char *const robots[] = {"panda", "ur5e", "iiwa14", "h1", "anymal_c"};

static void robots_agree_with_mujoco(void **state) {
    (void)state;
    for (int k = 0; k < 5; k++) {
        char path[512];
        snprintf(path, sizeof path, BRISTLE_SOURCE_DIR "/tests/data/robots/%s/%s.xml", robots[k], robots[k]);
        compare_model(robots[k], path);
    }
    print_message("largest difference: %g\n", worst);
}

static void converted_robots_agree_with_mujoco(void **state) {
    (void)state;
    for (int k = 0; k < 5; k++) {
        char path[512];
        snprintf(path, sizeof path, BRISTLE_SOURCE_DIR "/scenes/robots/%s.yaml", robots[k]);
        compare_model(robots[k], path);
    }
}

// Degrees, Euler angles, default classes, several joints per body, reference positions, geoms: see the file.
// From the MuJoCo model, and from what br_model_write_yaml makes of it.
static void every_feature_agrees_with_mujoco(void **state) {
    (void)state;
    const char *path = BRISTLE_SOURCE_DIR "/tests/data/robots/features/features.xml";
    char written[64] = "/tmp/bristle-features-XXXXXX.yaml";
    br_error error = {0};
    br_builder *builder = NULL;
    compare_model("features", path);
    assert_int_equal(br_mjcf_read(path, NULL, NULL, &builder, NULL, &error), BR_OK);
    const int file = mkstemps(written, 5);
    assert_true(file >= 0);
    close(file);
    if (br_model_write_yaml(builder, "a test", written, &error) != BR_OK) fail_msg("%s", error.message);
    br_builder_destroy(builder);
    compare_model("features", written);
    unlink(written);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(robots_agree_with_mujoco),
        cmocka_unit_test(converted_robots_agree_with_mujoco),
        cmocka_unit_test(every_feature_agrees_with_mujoco),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
