// Tables on legs: contacts that cannot pull, friction cones, nullity 12. The other way to the intervals is a
// barrier method on the cones themselves, and for legs that rub in one direction only every corner of the
// linear program.
#include "near.h"
#include "random.h"
#include "trust/verdict.h"

#include "balances.h"
#include "corners.h"

static const double hexagon[6][2] = {{1, 0}, {0.5, 0.8}, {-0.5, 0.9}, {-1, 0.1}, {-0.6, -0.8}, {0.4, -0.9}};
static const double pushed[6] = {30, 12, -200, 15, -8, 5}; // weight, a push, and torques

// --- the other way: minimize t c . x - sum log(mu^2 n^2 - f^2) over A x = -Q, Newton's method ------------------

enum { LEGS = 6, X = 3 * LEGS };

static int solve_dense(int n, double (*a)[X + 7]) { // last column is the right side
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[i][k]) > fabs(a[best][k])) best = i;
        if (fabs(a[best][k]) < 1e-300) return 0;
        for (int j = 0; j <= n; j++) {
            const double t = a[k][j];
            a[k][j] = a[best][j], a[best][j] = t;
        }
        for (int i = k + 1; i < n; i++) {
            const double l = a[i][k] / a[k][k];
            for (int j = k; j <= n; j++) a[i][j] -= l * a[k][j];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) a[i][n] -= a[i][j] * a[j][n];
        a[i][n] /= a[i][i];
    }
    return 1;
}

static int inside(const br_balance *b, double mu, const double *x) {
    for (int i = 0; i < b->pads; i++)
        if (!(x[3 * i] > 0) || !(mu * x[3 * i] > hypot(x[3 * i + 1], x[3 * i + 2]))) return 0;
    return 1;
}

static double merit(const br_balance *b, double mu, const double *c, double t, const double *x) {
    double sum = 0;
    for (int k = 0; k < X; k++) sum += t * c[k] * x[k];
    for (int i = 0; i < b->pads; i++)
        sum -= log(mu * mu * x[3 * i] * x[3 * i] - x[3 * i + 1] * x[3 * i + 1] - x[3 * i + 2] * x[3 * i + 2]);
    return sum;
}

// Newton's step with A dx = 0; x satisfies A x = -Q and is inside.
static void newton(const br_balance *b, double mu, const double *c, double t, double *x) {
    static double a[X + 6][X + 7];
    for (int round = 0; round < 60; round++) {
        memset(a, 0, sizeof a);
        for (int k = 0; k < X; k++) a[k][X + 6] = -t * c[k];
        for (int i = 0; i < b->pads; i++) {
            const double *y = x + 3 * i, s = mu * mu * y[0] * y[0] - y[1] * y[1] - y[2] * y[2];
            const double d[3] = {mu * mu * y[0], -y[1], -y[2]}, J[3] = {mu * mu, -1, -1};
            for (int p = 0; p < 3; p++) { // of -log s: gradient -2 d / s, curvature 4 d d' / s^2 - 2 J / s
                a[3 * i + p][X + 6] += 2 * d[p] / s;
                for (int q = 0; q < 3; q++)
                    a[3 * i + p][3 * i + q] = 4 * d[p] * d[q] / (s * s) - (p == q ? 2 * J[p] / s : 0);
            }
        }
        for (int r = 0; r < 6; r++)
            for (int k = 0; k < X; k++) a[X + r][k] = a[k][X + r] = b->A[r * b->columns + k];
        assert_true(solve_dense(X + 6, a));
        double step = 1, next[X], size = 0;
        const double before = merit(b, mu, c, t, x);
        for (;; step *= 0.5) {
            for (int k = 0; k < X; k++) next[k] = x[k] + step * a[k][X + 6];
            if ((inside(b, mu, next) && merit(b, mu, c, t, next) <= before) || step < 1e-12) break;
        }
        for (int k = 0; k < X; k++) size = fmax(size, fabs(next[k] - x[k]));
        if (step < 1e-12) return;
        memcpy(x, next, sizeof next);
        if (size < 1e-11) return;
    }
}

// Smallest c . x. Two logarithms per cone: the gap is 2 legs / t.
static double least(const br_balance *b, double mu, const double *c, const double *start) {
    double x[X], value = 0;
    memcpy(x, start, sizeof x);
    for (double t = 0.1; t < 1e9; t *= 8) newton(b, mu, c, t, x);
    for (int k = 0; k < X; k++) value += c[k] * x[k];
    return value;
}

static br_trust_interval judge(br_arena *arena, const br_balance *b) {
    br_trust_interval t;
    br_error error;
    assert_int_equal(br_trust_judge(b, arena, NULL, &t, &error), BR_OK);
    return t;
}

static void six_legs_have_the_intervals_of_the_cone_program(void **state) {
    (void)state;
    br_arena arena;
    br_arena_init(&arena, NULL);
    const double mu = 0.5;
    br_balance b = table_on_legs(&arena, 6, hexagon, 0.7, mu, 0.4, pushed);
    const br_trust_interval t = judge(&arena, &b);
    assert_int_equal(t.nullity, 12);
    assert_int_equal(t.permanent_nullity, 0);
    assert_int_equal(t.freedom, 3);
    assert_true(t.c_star < 1);
    // Well inside: the smallest solution of A x = -Q, by normal equations.
    double x[X] = {0};
    static double a[X + 6][X + 7];
    memset(a, 0, sizeof a);
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++)
            for (int k = 0; k < X; k++) a[i][j] += b.A[i * X + k] * b.A[j * X + k];
        a[i][6] = -b.Q[i];
    }
    assert_true(solve_dense(6, a));
    for (int k = 0; k < X; k++)
        for (int i = 0; i < 6; i++) x[k] += b.A[i * X + k] * a[i][6];
    assert_true(inside(&b, mu, x));
    for (int k = 0; k < 12; k++) {
        double c[X] = {0};
        const int column = 3 * (k / 2) + 1 + k % 2;
        c[column] = 1;
        // The barrier's gap at the last t is 12 / 1e9 N; ours keeps the cones to 1e-10.
        assert_near(t.force[k].friction_min, least(&b, mu, c, x), 1e-6);
        c[column] = -1;
        assert_near(t.force[k].friction_max, -least(&b, mu, c, x), 1e-6);
        assert_false(t.force[k].unique);
        assert_false(t.force[k].normal_unique);
    }
    // c_star is a factor on mu_static: a table with that much friction needs a factor of 1, and with less
    // slides. (Its value is checked independently in test_random_loops and below.)
    b = table_on_legs(&arena, 6, hexagon, 0.7, mu * t.c_star * (1 + 1e-7), 0.1 * mu * t.c_star, pushed);
    const br_trust_interval narrow = judge(&arena, &b);
    assert_near(narrow.c_star, 1, 1e-6);
    assert_true(narrow.c_star <= 1);
    b = table_on_legs(&arena, 6, hexagon, 0.7, mu * t.c_star * (1 - 1e-6), 0.1 * mu * t.c_star, pushed);
    assert_int_equal(judge(&arena, &b).verdict, BR_SLIDES_CERTAIN);
    br_arena_free(&arena);
}

// Legs that rub along x only, a load in the plane of symmetry: a linear program with 12 - 5 unknowns.
static void six_legs_in_one_direction_have_the_corners_of_the_linear_program(void **state) {
    (void)state;
    br_arena arena;
    br_arena_init(&arena, NULL);
    const double load[6] = {30, 0, -200, 15, -8, 5};
    const br_balance whole = table_on_legs(&arena, 6, hexagon, 0.7, 0.5, 0.4, load);
    // Friction along y left out; rows of y and of what it needs then cannot be balanced, so a rail holds y.
    br_balance b = balance_new(&arena, 6, 13, 1, 6);
    b.A[1 * 13 + 0] = 1; // the rail, at the centre of mass
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < 2; k++)
            for (int r = 0; r < 6; r++) b.A[r * 13 + 1 + 2 * i + k] = whole.A[r * whole.columns + 3 * i + k];
        b.pad[i] = whole.pad[i];
        b.pad[i].directions = 1;
        b.pad[i].normal = 1 + 2 * i;
        b.pad[i].column = 2 + 2 * i;
    }
    memcpy(b.M, whole.M, 36 * sizeof *b.M);
    memcpy(b.Q, load, sizeof load);
    const br_trust_interval t = judge(&arena, &b);
    assert_int_equal(t.nullity, 7);
    br_case c;
    assert_int_equal(br_case_make(&b, &arena, NULL, &c, NULL), BR_OK);
    // Unknowns of the other way: 7 of the 12 forces, the others by elimination. Rows 0, 2, 3, 4, 5 bind;
    // pivot on five columns.
    double a[5][13], p[12] = {0}, q[12][CORNER_N] = {{0}};
    static const int rows[5] = {0, 2, 3, 4, 5};
    int pivot[5], used[12] = {0};
    for (int i = 0; i < 5; i++) {
        for (int k = 0; k < 12; k++) a[i][k] = b.A[rows[i] * 13 + 1 + k];
        a[i][12] = -b.Q[rows[i]];
    }
    for (int i = 0; i < 5; i++) {
        int best = -1;
        for (int k = 0; k < 12; k++)
            if (!used[k] && (best < 0 || fabs(a[i][k]) > fabs(a[i][best]))) best = k;
        pivot[i] = best, used[best] = 1;
        for (int r = 0; r < 5; r++) {
            const double l = a[r][best] / a[i][best];
            for (int k = 0; k < 13 && r != i; k++) a[r][k] -= l * a[i][k];
        }
    }
    for (int k = 0, free = 0; k < 12; k++)
        if (!used[k]) {
            q[k][free] = 1;
            for (int i = 0; i < 5; i++) q[pivot[i]][free] = -a[i][k] / a[i][pivot[i]];
            free++;
        }
    for (int i = 0; i < 5; i++) p[pivot[i]] = a[i][12] / a[i][pivot[i]];
    corners program = {.n = 7};
    for (int i = 0; i < 6; i++)
        for (int sign = -1; sign <= 1; sign += 2) { // sign f <= mu n
            double g[CORNER_N];
            for (int j = 0; j < 7; j++) g[j] = sign * q[2 * i + 1][j] - 0.5 * q[2 * i][j];
            corners_row(&program, g, 0.5 * p[2 * i] - sign * p[2 * i + 1]);
        }
    double low[12], high[12];
    for (int k = 0; k < 12; k++) low[k] = INFINITY, high[k] = -INFINITY;
    assert_true(corners_extremes(&program, 12, p, (const double(*)[CORNER_N])q, low, high) >
                0); // sum of normals bounds all
    for (int i = 0; i < 6; i++) {
        assert_near(t.force[i].friction_min, low[2 * i + 1], 1e-7); // forces of 100 N, solved to 1e-11
        assert_near(t.force[i].friction_max, high[2 * i + 1], 1e-7);
    }
    br_arena_free(&arena);
}

// Four equal legs under a push: slides for certain above mu m g, and translation is the same however the legs
// share the weight.
static void four_legs_pushed_too_hard_slide_in_one_way(void **state) {
    (void)state;
    static const double corners_of[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
    br_arena arena;
    br_arena_init(&arena, NULL);
    double load[6] = {120, 0, -200, 0, 0, 0};
    br_balance b = table_on_legs(&arena, 4, corners_of, 0.0, 0.5, 0.4, load);
    b.a[0] = (120 - 0.4 * 200) / 20;
    for (int i = 0; i < 4; i++) b.x[3 * i] = 50, b.x[3 * i + 1] = -20;
    br_trust_interval t = judge(&arena, &b);
    assert_int_equal(t.verdict, BR_SLIDES_CERTAIN);
    assert_near(t.c_star, 120 / (0.5 * 200), 1e-8);
    assert_true(t.force[0].friction_min > t.force[0].friction_max);
    load[0] = 90;
    b = table_on_legs(&arena, 4, corners_of, 0.0, 0.5, 0.4, load);
    t = judge(&arena, &b);
    assert_near(t.c_star, 0.9, 1e-8);
    assert_int_equal(t.verdict, BR_STICKS_METASTABLE); // mu_k m g = 80
    load[0] = 70;
    b = table_on_legs(&arena, 4, corners_of, 0.0, 0.5, 0.4, load);
    t = judge(&arena, &b);
    assert_int_equal(t.verdict, BR_STICKS_ROBUST);
    br_arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(six_legs_have_the_intervals_of_the_cone_program),
        cmocka_unit_test(six_legs_in_one_direction_have_the_corners_of_the_linear_program),
        cmocka_unit_test(four_legs_pushed_too_hard_slide_in_one_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
