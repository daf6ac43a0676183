// Lemke's method on a standard form, with the two stabilizations of [TanLiu sec. 5]:
//
//     A_ii := (1 + epsilon) A_ii      regularizes, and changes the answer in proportion to epsilon
//     E := dt E, mu := dt mu          blocks of one magnitude; forces stay, lambda is divided by dt
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "sim/study/lcp/standard.h"

#define BR_TOL_STANDARD 1e-10 // residual asked of Lemke: its answer is a basis, exact but for rounding

// Entry (i, k) of the stabilized matrix.
static double entry(const br_standard_lcp *lcp, const br_standard_options *options, int i, int k) {
    const int forces = lcp->p * (lcp->d + 1);
    double a = lcp->A[(size_t)i * (size_t)lcp->n + (size_t)k];
    if (i == k) a *= 1.0 + options->epsilon;
    if (options->scale && (i >= forces) != (k >= forces)) a *= lcp->dt;
    return a;
}

// The problem in compressed rows. count: entries that are not zero.
static br_status make(const br_standard_lcp *lcp, const br_standard_options *options, br_arena *scratch,
                      br_problem *problem) {
    const int n = lcp->n;
    size_t count = 0;
    for (size_t k = 0; k < (size_t)n * (size_t)n; k++) count += lcp->A[k] != 0.0;
    int *start = BR_TAKE(scratch, int, n + 1), *column = BR_TAKE(scratch, int, count);
    double *value = BR_TAKE(scratch, double, count);
    br_law *law = BR_TAKE(scratch, br_law, n);
    if (!br_arena_ok(scratch)) return BR_NO_MEMORY;
    int at = 0;
    for (int i = 0; i < n; i++) {
        law[i] = (br_law){.kind = BR_LAW_UNILATERAL, .first_row = i, .rows = 1};
        for (int k = 0; k < n; k++)
            if (lcp->A[(size_t)i * (size_t)n + (size_t)k] != 0.0)
                column[at] = k, value[at++] = entry(lcp, options, i, k);
        start[i + 1] = at;
    }
    *problem = (br_problem){.form = BR_FORM_MATRIX,
                            .matrix = {start, column, value},
                            .rows = n,
                            .laws = n,
                            .law = law,
                            .offset = lcp->q};
    return BR_OK;
}

// v = v_free + dt inverse (N f_n + B f_d) [TanLiu eq. 9].
static void velocities(const br_standard_lcp *lcp, const double *z, double *impulse, double *v) {
    const size_t m = (size_t)lcp->m, p = (size_t)lcp->p, pd = p * (size_t)lcp->d;
    for (size_t i = 0; i < m; i++) {
        double sum = 0.0;
        for (size_t k = 0; k < p; k++) sum += lcp->N[i * p + k] * z[k];
        for (size_t k = 0; k < pd; k++) sum += lcp->B[i * pd + k] * z[p + k];
        impulse[i] = lcp->dt * sum;
    }
    for (size_t i = 0; i < m; i++) {
        v[i] = lcp->v_free[i];
        for (size_t k = 0; k < m; k++) v[i] += lcp->inverse[i * m + k] * impulse[k];
    }
}

static br_status lemke(const br_standard_lcp *lcp, const br_problem *problem, double *z, double *w,
                       br_solve_report *report, br_error *error) {
    br_solver_def def = br_default_solver_def();
    br_solver *solver = NULL;
    br_solution solution = {.p = z, .w = w};
    def.kind = BR_SOLVER_LEMKE;
    def.tol = BR_TOL_STANDARD;
    def.allocator = lcp->allocator;
    br_status status = br_solver_create(&def, &solver, error);
    if (status == BR_OK) status = br_solver_setup(solver, problem, error);
    if (status == BR_OK) status = br_solver_solve(solver, problem, &solution, report, error);
    br_solver_destroy(solver);
    if (status == BR_OK) report->certificate = NULL; // went with the solver
    return status;
}

static br_status check(const br_standard_lcp *lcp, const br_standard_options *options, br_error *error) {
    if (lcp->d % 2 != 0 || lcp->d < 4 || lcp->d > BR_MAX_POLYGON_SIDES)
        return br_fail(error, BR_INVALID, "lcp-directions",
                       "%d friction directions, expected an even number from 4 to %d", lcp->d,
                       BR_MAX_POLYGON_SIDES);
    if (lcp->n > BR_MAX_STANDARD_SIZE)
        return br_fail(error, BR_TOO_LARGE, "lcp-size", "%d rows, and Lemke's method takes at most %d",
                       lcp->n, BR_MAX_STANDARD_SIZE);
    if (!(options->epsilon >= 0.0) || !isfinite(options->epsilon))
        return br_fail(error, BR_INVALID, "lcp-epsilon", "epsilon is %g, expected a finite number >= 0",
                       options->epsilon);
    return BR_OK;
}

br_status br_standard_lcp_solve(const br_standard_lcp *lcp, const br_standard_options *options, double *z,
                                double *w, double *v, br_solve_report *report, br_error *error) {
    br_problem problem;
    br_arena scratch;
    br_status status = check(lcp, options, error);
    if (status != BR_OK) return status;
    br_arena_init(&scratch, lcp->allocator);
    double *impulse = BR_TAKE(&scratch, double, lcp->m);
    if (!impulse || make(lcp, options, &scratch, &problem) != BR_OK)
        status = br_no_memory(error, "no memory to solve the standard form");
    if (status == BR_OK && lcp->n > 0) status = lemke(lcp, &problem, z, w, report, error);
    if (status == BR_OK && lcp->n == 0)
        *report = (br_solve_report){.outcome = BR_CONVERGED, .solver = BR_SOLVER_LEMKE};
    if (status == BR_OK && v) velocities(lcp, z, impulse, v);
    br_arena_free(&scratch);
    return status;
}
