// bristle itself, through its public headers: joint coordinates, loops closed by rows, the default stepper.
#include "contact.h"
#include "engine_bench.h"

#include <bristle/sim.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct world {
    br_model *model;
    br_sim *sim;
    int n;
    int *at;           // [n] where bristle keeps the coordinate that engine_scene.h numbers k
    double *q, *v, *a; // [n] in bristle's order
    const double *tau; // [n] of the present call of forward, in engine_scene.h's order; NULL: none
} world;

static void apply_torques(void *context, const br_force_view *view, br_wrench *wrench, double *effort) {
    const world *w = context;
    (void)view;
    (void)wrench;
    for (int k = 0; w->tau && k < w->n; k++) effort[w->at[k]] = w->tau[k];
}

static void destroy(void *opaque) {
    world *w = opaque;
    br_sim_destroy(w->sim);
    br_model_destroy(w->model);
    free(w->at);
    free(w->q);
    free(w);
}

static void name_of(char name[16], char kind, int number) {
    snprintf(name, 16, "%c%d", kind, number);
}

// A rod whose frame stands at `pin`, in the world with every joint at zero; its centre is `half` away from
// there.
static int add_rod(br_builder *b, const char *name, br_vec3 pin, br_vec3 half, br_sym3 inertia,
                   br_error *error) {
    br_body_def body = br_default_body_def();
    body.name = name;
    body.mass = ROD_MASS;
    body.com = half;
    body.inertia = inertia;
    body.pose.position = pin;
    return br_builder_body(b, &body, error) == BR_OK;
}

// Revolute about `axis` at `point` of the first body and the origin, or `own`, of the second. The joint `k`
// in engine_scene.h's numbering is called jk, so that its coordinate can be found again; loop joints are
// called cK.
static int add_joint(br_builder *b, const char *name, const char *first, const char *second, br_quat axis,
                     br_vec3 point, br_vec3 own, int closes_loop, br_error *error) {
    br_joint_def joint = br_default_joint_def();
    joint.name = name;
    joint.type = BR_JOINT_REVOLUTE;
    joint.first = first;
    joint.second = second;
    joint.X_AF = (br_pose){axis, point};
    joint.X_BM = (br_pose){axis, own};
    joint.closes_loop = closes_loop;
    return br_builder_joint(b, &joint, error) == BR_OK;
}

static int build_chain(br_builder *b, int links, br_error *error) {
    // The axis of a joint is its frame's z.
    const br_quat to_x = br_quat_from_axis_angle(br_vec3_unit(1), asin(1)),
                  to_y = br_quat_from_axis_angle(br_vec3_unit(0), -asin(1));
    const br_vec3 half = br_vec3_of(0, 0, -ROD_LENGTH / 2), zero = br_vec3_zero();
    const br_sym3 inertia = br_sym3_of(ROD_INERTIA, ROD_INERTIA, ROD_AXIAL_INERTIA, 0, 0, 0);
    char name[16], before[16] = BR_WORLD, joint[16];
    int fine = 1;
    for (int i = 0; fine && i < links; i++) {
        name_of(name, 'b', i);
        name_of(joint, 'j', i);
        fine = add_rod(b, name, br_vec3_of(0, 0, -i * ROD_LENGTH), half, inertia, error) &&
               add_joint(b, joint, before, name, chain_axis(i) ? to_y : to_x,
                         i ? br_vec3_scale(2, half) : zero, zero, 0, error);
        name_of(before, 'b', i);
    }
    return fine;
}

static int build_fourbar(br_builder *b, int loops, br_error *error) {
    const br_quat z = br_quat_identity();
    const br_vec3 up = br_vec3_of(0, ROD_LENGTH, 0), right = br_vec3_of(ROD_LENGTH, 0, 0),
                  zero = br_vec3_zero();
    const br_sym3 inertia = br_sym3_of(ROD_INERTIA, ROD_INERTIA, ROD_INERTIA, 0, 0, 0);
    char upright[16], level[16] = "", joint[16];
    int fine = 1;
    for (int i = 0; fine && i <= loops; i++) {
        const br_vec3 foot = br_vec3_scale(i, right);
        name_of(upright, 'u', i);
        name_of(joint, 'j', 2 * i);
        fine = add_rod(b, upright, foot, br_vec3_scale(0.5, up), inertia, error) &&
               add_joint(b, joint, BR_WORLD, upright, z, foot, zero, 0, error);
        name_of(joint, 'c', i);
        if (fine && i > 0) fine = add_joint(b, joint, level, upright, z, right, up, 1, error);
        name_of(level, 'l', i);
        name_of(joint, 'j', 2 * i + 1);
        if (fine && i < loops)
            fine = add_rod(b, level, br_vec3_add(foot, up), br_vec3_scale(0.5, right), inertia, error) &&
                   add_joint(b, joint, upright, level, z, up, zero, 0, error);
    }
    return fine;
}

static void set_state(void *opaque, const double *q, const double *v) {
    world *w = opaque;
    br_error error;
    for (int k = 0; k < w->n; k++) {
        w->q[w->at[k]] = q[k];
        w->v[w->at[k]] = v[k];
    }
    w->tau = NULL;
    if (br_sim_set_state(w->sim, 0, w->q, w->v, &error) != BR_OK) abort(); // the child process loses its cell
}

static int start(world *w, const br_builder *b, br_error *error) {
    char joint[16];
    if (br_model_create(b, &w->model, error) != BR_OK ||
        br_sim_create(w->model, NULL, &w->sim, error) != BR_OK)
        return 0;
    for (int k = 0; k < w->n; k++) {
        name_of(joint, 'j', k);
        w->at[k] = br_model_joint_v(w->model, br_model_joint_find(w->model, joint));
        if (w->at[k] < 0) return 0;
    }
    br_sim_set_force(w->sim, apply_torques, w);
    return 1;
}

static void *make(int n, int size, int (*build)(br_builder *b, int size, br_error *error), br_vec3 gravity,
                  br_planar planar) {
    world *w = bench_alloc(1, sizeof *w);
    br_builder *b = NULL;
    br_error error = {0};
    br_settings settings = br_default_settings();
    settings.name = "engine_bench";
    settings.gravity = gravity;
    settings.planar = planar;
    settings.solver.step = STEP_SIZE;
    settings.solver.theta = 0.5; // second order, at one solve per step
    w->n = n;
    w->at = bench_alloc(n, sizeof *w->at);
    w->q = bench_alloc(3L * n, sizeof *w->q);
    w->v = w->q + n;
    w->a = w->v + n;
    const int fine = br_builder_create(NULL, &b, &error) == BR_OK &&
                     br_builder_settings(b, &settings, &error) == BR_OK && build(b, size, &error) &&
                     start(w, b, &error);
    br_builder_destroy(b);
    if (fine) return w;
    fprintf(stderr, "bristle: %s\n", error.message);
    destroy(w);
    return NULL;
}

static void *make_chain(int links) {
    return make(links, links, build_chain, br_vec3_of(0, 0, -GRAVITY), BR_SPATIAL);
}

static void *make_fourbar(int loops) {
    const int n = fourbar_coordinates(loops);
    world *w = make(n, loops, build_fourbar, br_vec3_of(0, -GRAVITY, 0), BR_PLANAR_XY);
    if (!w) return NULL;
    double *q = bench_alloc(2L * n, sizeof *q);
    fourbar_start(loops, q, q + n);
    set_state(w, q, q + n);
    free(q);
    return w;
}

static void get_state(void *opaque, double *q, double *v) {
    const world *w = opaque;
    const double *sim_q = br_sim_q(w->sim), *sim_v = br_sim_v(w->sim);
    for (int k = 0; k < w->n; k++) {
        q[k] = sim_q[w->at[k]];
        v[k] = sim_v[w->at[k]];
    }
}

static void forward(void *opaque, const double *q, const double *v, const double *tau, double *a) {
    world *w = opaque;
    br_error error;
    set_state(w, q, v);
    w->tau = tau;
    if (br_sim_acceleration(w->sim, w->a, &error) != BR_OK) abort();
    for (int k = 0; k < w->n; k++) a[k] = w->a[w->at[k]];
}

static void step(void *opaque) {
    br_error error;
    if (br_sim_step(((world *)opaque)->sim, &error) != BR_OK) abort();
}

const engine engine_bristle = {
    .name = "bristle",
    .note = "br_sim_acceleration, br_sim_step; loops: revolute joints of a planar model",
    .make_chain = make_chain,
    .make_fourbar = make_fourbar,
    .set_state = set_state,
    .get_state = get_state,
    .forward = forward,
    .step = step,
    .destroy = destroy,
};
