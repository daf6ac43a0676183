// The Newton matrix of the implicit stepper against differences of its residual, element by element as scenes have them:
// every joint, drive, spring, load, gear, constraint, friction law and beams, both schemes.
//
// The matrix leaves out, knowingly: how functions of the state change within a step, how measured angles turn off their own
// axis, and rates of gradients where a damper or a moving row multiplies them. Scenes with such terms have a larger
// tolerance below, as a part of the largest entry of the column.
#include <stdlib.h>
#include <string.h>

#include "scene.h"
#include "sim/stepper/implicit/implicit.h"

typedef struct trial {
    const char *scene, *settings;
    double steps;     // taken before
    double tolerance; // of the largest entry of the column
} trial;

static void dense_matrix(br_implicit *f, double *A) {
    const int n = f->unknowns;
    memset(A, 0, (size_t)n * (size_t)n * sizeof *A);
    // All blocks that elements know, and the nodes' own; blocks met twice are the same numbers.
    for (int k = 0; k < f->elements; k++) {
        const br_element *e = &f->element[k];
        for (int a = 0; a < e->slots; a++)
            for (int b = 0; b < e->slots; b++) {
                if (e->slot[a].block < 0 || e->slot[b].block < 0) continue;
                const br_block_ref *ref = &e->ref[a * e->slots + b];
                for (int r = 0; r < e->slot[a].size; r++)
                    for (int c = 0; c < e->slot[b].size; c++)
                        A[(e->slot[a].at + r) * n + e->slot[b].at + c] =
                            ref->value[r * ref->row_stride + c * ref->col_stride];
            }
    }
    for (int i = 0, at = 0; i < f->nodes; i++) {
        for (int r = 0; r < 6; r++)
            for (int c = 0; c < 6; c++)
                A[(at + r) * n + at + c] =
                    f->diagonal[i].value[r * f->diagonal[i].row_stride + c * f->diagonal[i].col_stride];
        at += 6 + f->node[i].rows;
    }
}

// The unknown number `k` by `by`: a move, a turn about a world axis, or a row's force.
static void perturb(br_implicit *f, int k, double by) {
    for (int i = 0, at = 0; i < f->nodes; i++) {
        br_node *n = &f->node[i];
        if (k >= at && k < at + 3) {
            n->x1 = br_vec3_add_scaled(n->x1, by, br_vec3_unit(k - at));
            return;
        }
        if (k >= at + 3 && k < at + 6) {
            n->q1 = br_quat_normalize(
                br_quat_mul(br_quat_exp(br_vec3_scale(by, br_vec3_unit(k - at - 3))), n->q1));
            return;
        }
        at += 6 + n->rows;
    }
    for (int i = 0; i < f->elements; i++) {
        br_element *e = &f->element[i];
        const int at = e->rows > 0 ? e->slot[e->slots - 1].at : 0;
        if (e->rows > 0 && k >= at && k < at + e->rows) {
            e->force[k - at] += by / f->scale;
            return;
        }
    }
}

static double worst_column(br_implicit *f, int *where) {
    const int n = f->unknowns;
    double *A = malloc((size_t)n * (size_t)n * sizeof *A), *plus = malloc((size_t)n * sizeof *plus);
    assert_non_null(A);
    assert_non_null(plus);
    f->tangent = 1;
    br_implicit_look(f);
    br_implicit_evaluate(f);
    dense_matrix(f, A);
    f->tangent = 0;
    double worst = 0.0;
    for (int k = 0; k < n; k++) {
        const double d = 1e-6;
        perturb(f, k, d);
        br_implicit_look(f);
        br_implicit_evaluate(f);
        memcpy(plus, f->residual, (size_t)n * sizeof *plus);
        perturb(f, k, -2.0 * d);
        br_implicit_look(f);
        br_implicit_evaluate(f);
        perturb(f, k, d);
        double largest = 0.0, off = 0.0;
        for (int r = 0; r < n; r++) {
            largest = fmax(largest, fabs(A[r * n + k]));
            off = fmax(off, fabs((plus[r] - f->residual[r]) / (2.0 * d) - A[r * n + k]));
        }
        if (off / fmax(largest, 1e-12) > worst) worst = off / fmax(largest, 1e-12), *where = k;
    }
    free(A);
    free(plus);
    return worst;
}

static const trial trials[] = {
    {"joints/tree_revolute.yaml", "", 20, 1e-6},
    {"joints/tree_universal.yaml", "", 20, 1e-6},
    {"joints/tree_cylindrical.yaml", "", 20, 1e-6},
    {"joints/tree_planar.yaml", "", 20, 1e-6},
    {"joints/tree_spherical.yaml", "", 20, 1e-6},
    {"joints/tree_prismatic.yaml", "", 20, 1e-6},
    {"joints/tree_weld.yaml", "", 20, 1e-6},
    {"joints/tree_free.yaml", "", 20, 1e-3},
    {"joints/tree_screw.yaml", "", 20, 1e-3},
    {"joints/loop_distance.yaml", "", 20, 1e-6},
    {"joints/loop_universal.yaml", "", 20, 1e-6},
    {"joints/loop_gear.yaml", "", 20, 1e-3},
    {"loads/bushing.yaml", "", 5, 2e-2},
    {"loads/springs.yaml", "", 5, 2e-2},
    {"loads/torques.yaml", "", 5, 1e-3},
    {"loads/sleigh.yaml", "", 20, 2e-2},
    {"loads/crank.yaml", "", 20, 2e-2},
    {"flexible/free_beam.yaml", "", 20, 1e-6},
};

static void check_trial(const trial *t, const char *scheme) {
    char settings[256];
    int where = -1;
    snprintf(settings, sizeof settings, "solver.stepper=implicit;solver.step=1 ms;solver.scheme=%s%s%s",
             scheme, t->settings[0] ? ";" : "", t->settings);
    scene s = scene_open(t->scene, settings);
    scene_advance(&s, 1e-3 * t->steps);
    br_implicit *f = s.sim->implicit;
    // A trial end of a step of 20 ms, away from the solution.
    f->t0 = s.sim->state.at->t, f->t_end = f->t0 + 0.02;
    br_implicit_scheme(f, 0.02);
    f->t = f->t_end;
    for (int k = 0; k < f->elements; k++)
        if (f->element[k].kind->begin) f->element[k].kind->begin(f, &f->element[k]);
    for (int i = 0; i < f->nodes; i++) {
        br_node *n = &f->node[i];
        n->x1 = br_vec3_add(n->start->x, br_vec3_of(1e-3 * (i + 1), -2e-3, 1e-3));
        n->q1 = br_quat_normalize(
            br_quat_mul(br_quat_exp(br_vec3_of(0.01, -0.02 * (i + 1), 0.015)), n->start->q));
    }
    const double worst = worst_column(f, &where);
    if (!(worst < t->tolerance))
        fail_msg("%s, %s: unknown %d is off by %.1e (%.1e allowed)", t->scene, scheme, where, worst,
                 t->tolerance);
    scene_close(&s);
}

static void matrices_are_derivatives(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof trials / sizeof *trials; k++) {
        check_trial(&trials[k], "alpha");
        check_trial(&trials[k], "energy_decaying");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(matrices_are_derivatives)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
