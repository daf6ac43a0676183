// Stick-slip of a mass on a belt: the LuGre rule inside an implicit midpoint step, Newton with the rule's own derivative,
// against tests/data/flexible/stickslip_reference.csv.
//
//     m u'' = -k u + f_n mu,    v = belt - u'
//
// The midpoint step has the mean velocity of the rule, so that the pair is of second order.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "friction/lugre.h"
#include "near.h"

#ifndef BRISTLE_SOURCE_DIR
#define BRISTLE_SOURCE_DIR "."
#endif

typedef struct belt {
    const char *name;
    br_friction_params p;
    double m, k, speed, f_n;
    double step;                // s, of the first run
    int runs;                   // each of half the step of the one before it
    double tol_u, tol_w, tol_z; // of what is extrapolated from them
} belt;

typedef struct motion {
    double u, w, z;
} motion;

// Without dampers the mass swings on its bristles and v passes through 0 hundreds of times. |v| has a corner there, so the
// error is h^2 plus an irregular part of about h^3: one extrapolation from two short steps, where the other has three.
// Its velocity is known to 2e-9 m/s then, and z, which swings at 1000 rad/s, to a thousandth of that in metres.
static const belt belts[] = {
    {"CdW",
     {BR_FRICTION_LUGRE, BR_SMOOTH_PIECEWISE, 1.5, 1.0, 1e-3, 1e5, 316.22776601683796, 0.4, 1e-3, 2.0},
     1.0,
     2.0,
     0.1,
     1.0,
     1.6e-4,
     4,
     1e-10,
     1e-10,
     1e-14},
    {"paper",
     {BR_FRICTION_LUGRE, BR_SMOOTH_PIECEWISE, 0.45, 0.3, 1e-3, 1e5, 0.0, 0.0, 1e-3, 2.0},
     1.0,
     1000.0,
     0.01,
     10.0,
     1e-6,
     2,
     1e-10,
     2e-9,
     1e-12},
};

// Unknown: the change of u' over the step. Newton's method stops at rounding.
static void step(const belt *b, double h, motion *s) {
    br_lugre_step friction;
    double dw = 0.0;
    for (int k = 0; k < 50; k++) {
        const double middle = s->w + 0.5 * dw, v = b->speed - middle;
        br_lugre_advance(&b->p, 1, &v, NULL, &s->z, h, &friction);
        const double residual =
            b->m * dw + h * b->k * (s->u + 0.5 * h * middle) - h * b->f_n * friction.mu[0];
        const double slope = b->m + 0.25 * h * h * b->k + 0.5 * h * b->f_n * friction.mu_v[0];
        dw -= residual / slope;
        if (fabs(residual / slope) < 1e-15 * b->speed) break;
        assert_true(k < 40);
    }
    s->u += h * (s->w + 0.5 * dw);
    s->w += dw;
    s->z = friction.z_f[0];
}

enum { MAX_RUNS = 4, MAX_ROWS = 32 };

static int read_rows(const char *name, double t[MAX_ROWS], motion row[MAX_ROWS]) {
    FILE *file = fopen(BRISTLE_SOURCE_DIR "/tests/data/flexible/stickslip_reference.csv", "r");
    char line[256], found[16];
    int rows = 0;
    assert_non_null(file);
    while (fgets(line, sizeof line, file) && rows < MAX_ROWS)
        if (sscanf(line, "%15[^,],%lf,%lf,%lf,%lf", found, &t[rows], &row[rows].u, &row[rows].w,
                   &row[rows].z) == 5 &&
            strcmp(found, name) == 0)
            rows++;
    fclose(file);
    return rows;
}

// A one-step method of order 2 has errors of the powers 2, 3, 4 ...
static double extrapolated(int runs, const double *value) {
    double x[MAX_RUNS];
    memcpy(x, value, (size_t)runs * sizeof *x);
    for (int power = 2; power <= runs; power++)
        for (int k = 0; k + power <= runs; k++) x[k] = x[k + 1] + (x[k + 1] - x[k]) / (pow(2.0, power) - 1.0);
    return x[0];
}

static void compare(const belt *b) {
    double t[MAX_ROWS], order = 0.0, worst = 0.0;
    motion expected[MAX_ROWS], s[MAX_RUNS] = {{0.0, 0.0, 0.0}};
    const int rows = read_rows(b->name, t, expected);
    assert_int_equal(rows, 20);
    for (int row = 0; row < rows; row++) {
        const double span = t[row] - (row > 0 ? t[row - 1] : 0.0);
        double u[MAX_RUNS], w[MAX_RUNS], z[MAX_RUNS];
        for (int k = 0; k < b->runs; k++) {
            const long steps = lround(span / b->step) << k;
            for (long i = 0; i < steps; i++) step(b, span / (double)steps, &s[k]);
            u[k] = s[k].u;
            w[k] = s[k].w;
            z[k] = s[k].z;
        }
        const double off = extrapolated(b->runs, u) - expected[row].u;
        assert_near(off, 0.0, b->tol_u);
        assert_near(extrapolated(b->runs, w), expected[row].w, b->tol_w);
        assert_near(extrapolated(b->runs, z), expected[row].z, b->tol_z);
        worst = fmax(worst, fabs(off));
        order = log2((u[b->runs - 2] - expected[row].u) / (u[b->runs - 1] - expected[row].u));
    }
    print_message("%s: u within %.1e m, order %.3f\n", b->name, worst, order);
    assert_near(order, 2.0, 0.1);
}

static void canudas_de_wits_stick_slip(void **state) {
    (void)state;
    compare(&belts[0]);
}

static void stick_slip_without_dampers(void **state) {
    (void)state;
    compare(&belts[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(canudas_de_wits_stick_slip),
        cmocka_unit_test(stick_slip_without_dampers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
