// Every basis of 10,000 random problems of each kind, tried one by one and independently of the library, against every
// pivoting method.
#include "lcp/pivot/rows_choose.h"
#include "row_problems.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#define PROBLEMS 10000
#define SMALL 8           // rows
#define TOL_FEASIBLE 1e-9 // of the brute force: data are of order one, well-conditioned or whole numbers
#define TOL_RANK 1e-9
#define TOL_SAME 1e-6 // between a solver's answer and one of the list
#define MAX_ANSWERS 256

typedef struct brute {
    const row_problem *p;
    int answers; // isolated ones
    double z[MAX_ANSWERS][SMALL];
    int connected; // a singular basis holds a solution: there may be infinitely many
    int undecided; // a singular basis with too large a null space for this program
} brute;

// ---------------------------------------------------------------------------------------------- linear algebra

// Gauss-Jordan with complete pivoting of m x k, right side appended as column k; pivot_column[r] for r < rank.
static int reduce(int m, int k, double a[][SMALL + 1], int *pivot_column) {
    int used[SMALL] = {0}, rank = 0;
    for (; rank < m && rank < k; rank++) {
        int row = -1, column = -1;
        double best = TOL_RANK;
        for (int i = rank; i < m; i++) {
            for (int j = 0; j < k; j++) {
                if (!used[j] && fabs(a[i][j]) > best) best = fabs(a[i][j]), row = i, column = j;
            }
        }
        if (row < 0) break;
        for (int j = 0; j <= k; j++) {
            const double t = a[row][j];
            a[row][j] = a[rank][j];
            a[rank][j] = t;
        }
        const double pivot = a[rank][column];
        for (int j = 0; j <= k; j++) a[rank][j] /= pivot;
        for (int i = 0; i < m; i++) {
            const double f = a[i][column];
            for (int j = 0; i != rank && f != 0 && j <= k; j++) a[i][j] -= f * a[rank][j];
        }
        used[column] = 1;
        pivot_column[rank] = column;
    }
    return rank;
}

// ---------------------------------------------------------------------------------------------- one basis

static int satisfies(const row_problem *p, const int *side, const double *z) {
    for (int i = 0; i < p->n; i++) {
        double w = p->q[i], size = 1;
        for (int j = 0; j < p->n; j++) {
            w += p->A[i * p->n + j] * z[j];
            size = fmax(size, fabs(p->A[i * p->n + j] * z[j]));
        }
        const double tol = TOL_FEASIBLE * size;
        if (side[i] == 0 && fabs(w) > tol) return 0;
        if (side[i] < 0 && w < -tol) return 0;
        if (side[i] > 0 && w > tol) return 0;
        if (z[i] < p->lower[i] - TOL_FEASIBLE * fmax(1, fabs(z[i]))) return 0;
        if (z[i] > p->upper[i] + TOL_FEASIBLE * fmax(1, fabs(z[i]))) return 0;
    }
    return 1;
}

static void record(brute *b, const double *z) {
    if (b->answers < MAX_ANSWERS) memcpy(b->z[b->answers++], z, (size_t)b->p->n * sizeof(double));
}

typedef struct flat {
    int k;              // dimension
    double base[SMALL]; // z = base + direction y
    double direction[SMALL][SMALL];
} flat;

// Solutions within a flat of dimension k > 0: a polyhedron in y, nonempty exactly if it has a point with k independent
// inequalities tight (directions that no inequality sees are left out first).
static int flat_meets(const row_problem *p, const int *side, const flat *f) {
    double g[2 * SMALL + SMALL][SMALL + 1];
    int count = 0, chosen[SMALL];
    const int n = p->n;
    for (int i = 0; i < n; i++) {
        double row[SMALL + 1] = {0};
        for (int d = 0; d < f->k; d++) row[d] = f->direction[d][i];
        for (int bound = 0; bound < 2; bound++) {
            const double limit = bound ? p->upper[i] : p->lower[i];
            if (isinf(limit) || side[i] != 0) continue;
            memcpy(g[count], row, sizeof row);
            g[count++][f->k] = limit - f->base[i];
        }
        if (side[i] == 0) continue;
        memset(row, 0, sizeof row);
        row[f->k] = -p->q[i];
        for (int j = 0; j < n; j++) {
            row[f->k] -= p->A[i * n + j] * f->base[j];
            for (int d = 0; d < f->k; d++) row[d] += p->A[i * n + j] * f->direction[d][j];
        }
        memcpy(g[count++], row, sizeof row);
    }
    // How many directions the inequalities see.
    int seen[SMALL], rank = 0;
    for (int c = 0; c < count && rank < f->k; c++) {
        double trial[SMALL][SMALL + 1];
        int dummy[SMALL];
        for (int r = 0; r < rank; r++) memcpy(trial[r], g[seen[r]], sizeof trial[r]);
        memcpy(trial[rank], g[c], sizeof trial[rank]);
        if (reduce(rank + 1, f->k, trial, dummy) > rank) seen[rank++] = c;
    }
    // Every choice of `rank` inequalities, tight.
    for (int r = 0; r < rank; r++) chosen[r] = r;
    for (;;) {
        double a[SMALL][SMALL + 1], z[SMALL];
        int pivot[SMALL];
        for (int r = 0; r < rank; r++) memcpy(a[r], g[chosen[r]], sizeof a[r]);
        if (reduce(rank, f->k, a, pivot) == rank) {
            memcpy(z, f->base, sizeof z);
            for (int r = 0; r < rank; r++) {
                for (int i = 0; i < n; i++) z[i] += a[r][f->k] * f->direction[pivot[r]][i];
            }
            if (satisfies(p, side, z)) return 1;
        }
        int r = rank - 1;
        while (r >= 0 && chosen[r] == count - rank + r) r--;
        if (r < 0) return 0;
        for (chosen[r]++, r++; r < rank; r++) chosen[r] = chosen[r - 1] + 1;
    }
}

static void try_basis(brute *b, const int *side) {
    const row_problem *p = b->p;
    const int n = p->n;
    int basic[SMALL], m = 0, pivot[SMALL], is_pivot[SMALL] = {0};
    flat f = {.k = 0};
    double a[SMALL][SMALL + 1];
    for (int i = 0; i < n; i++) {
        if (side[i] == 0)
            basic[m++] = i;
        else
            f.base[i] = side[i] < 0 ? p->lower[i] : p->upper[i];
    }
    for (int r = 0; r < m; r++) {
        a[r][m] = -p->q[basic[r]];
        for (int j = 0; j < n; j++) {
            if (side[j] != 0) a[r][m] -= p->A[basic[r] * n + j] * f.base[j];
        }
        for (int c = 0; c < m; c++) a[r][c] = p->A[basic[r] * n + basic[c]];
    }
    const int rank = reduce(m, m, a, pivot);
    for (int r = rank; r < m; r++) {
        if (fabs(a[r][m]) > TOL_FEASIBLE) return; // inconsistent
    }
    for (int r = 0; r < rank; r++) is_pivot[pivot[r]] = 1, f.base[basic[pivot[r]]] = a[r][m];
    for (int c = 0; c < m; c++) {
        if (is_pivot[c]) continue;
        f.base[basic[c]] = 0;
        f.direction[f.k][basic[c]] = 1;
        for (int r = 0; r < rank; r++) f.direction[f.k][basic[pivot[r]]] = -a[r][c];
        f.k++;
    }
    if (f.k == 0 && satisfies(p, side, f.base)) record(b, f.base);
    if (f.k > 3)
        b->undecided = 1;
    else if (f.k > 0 && flat_meets(p, side, &f))
        b->connected = 1;
}

static void try_every_basis(brute *b, const row_problem *p) {
    int side[SMALL], first[SMALL], last[SMALL];
    b->p = p;
    b->answers = b->connected = b->undecided = 0;
    for (int i = 0; i < p->n; i++) {
        first[i] = isinf(p->lower[i]) ? 0 : -1;
        last[i] = isinf(p->upper[i]) ? 0 : 1;
        side[i] = first[i];
    }
    for (;;) {
        try_basis(b, side);
        int i = 0;
        while (i < p->n && side[i] == last[i]) side[i] = first[i], i++;
        if (i == p->n) return;
        side[i]++;
    }
}

// ---------------------------------------------------------------------------------------------- the comparison

typedef struct guarantee {
    int block_pivot, lemke, dantzig; // must solve what is solvable
} guarantee;

typedef struct tally {
    int solvable, unsolvable, skipped, solved[BR_SOLVER_KINDS], connected;
} tally;

static int among(const brute *b, const double *z) {
    for (int k = 0; k < b->answers; k++) {
        double worst = 0;
        for (int i = 0; i < b->p->n; i++) worst = fmax(worst, fabs(z[i] - b->z[k][i]) / fmax(1, fabs(z[i])));
        if (worst <= TOL_SAME) return 1;
    }
    return 0;
}

static void compare(br_rows_solver *solver, const row_problem *p, const guarantee *g, tally *t) {
    static const br_solver_kind kinds[] = {BR_SOLVER_AUTO, BR_SOLVER_LEMKE, BR_SOLVER_BLOCK_PIVOT,
                                           BR_SOLVER_DANTZIG, BR_SOLVER_ENUMERATE};
    brute b;
    double z[SMALL], w[SMALL];
    const br_rows rows = rows_of(p);
    try_every_basis(&b, p);
    if (b.undecided && !b.answers && !b.connected) {
        t->skipped++;
        return;
    }
    const int solvable = b.answers > 0 || b.connected;
    t->solvable += solvable;
    t->unsolvable += !solvable;
    t->connected += b.connected;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        br_rows_options options = br_default_rows_options();
        br_rows_report report;
        options.method = kinds[k];
        options.tol = 1e-9;
        br_rows_solve(solver, &rows, &options, 0, z, w, &report);
        const int converged = report.outcome == BR_CONVERGED;
        t->solved[kinds[k]] += converged;
        const int decides = kinds[k] == BR_SOLVER_AUTO || kinds[k] == BR_SOLVER_ENUMERATE;
        const int must = decides || (kinds[k] == BR_SOLVER_LEMKE && g->lemke) ||
                         (kinds[k] == BR_SOLVER_BLOCK_PIVOT && g->block_pivot) ||
                         (kinds[k] == BR_SOLVER_DANTZIG && g->dantzig);
        int good = converged ? solvable && report.residual <= 1e-9 : !(solvable && must);
        if (converged && !b.connected && !b.undecided) good = good && among(&b, z);
        if (!solvable && decides) good = good && report.outcome == BR_INFEASIBLE;
        if (report.outcome == BR_INFEASIBLE) good = good && !solvable && report.proof != BR_PROOF_NONE;
        if (good) continue;
        print_message("method %d: outcome %d, residual %g, path %s; brute force: %d isolated, connected %d\n",
                      kinds[k], report.outcome, report.residual, report.path, b.answers, b.connected);
        for (int i = 0; i < p->n; i++) {
            for (int j = 0; j < p->n; j++) print_message("%.17g ", p->A[i * p->n + j]);
            print_message("  q %.17g  [%g, %g]  z %.17g\n", p->q[i], p->lower[i], p->upper[i], z[i]);
        }
        fail();
    }
}

static void report(const char *kind, const tally *t) {
    print_message("%s: %d solvable (%d with a continuum), %d not, %d left out; solved by auto %d, lemke %d, "
                  "block_pivot %d, "
                  "dantzig %d, enumerate %d\n",
                  kind, t->solvable, t->connected, t->unsolvable, t->skipped, t->solved[BR_SOLVER_AUTO],
                  t->solved[BR_SOLVER_LEMKE], t->solved[BR_SOLVER_BLOCK_PIVOT], t->solved[BR_SOLVER_DANTZIG],
                  t->solved[BR_SOLVER_ENUMERATE]);
}

// Matrix families in turn: P, positive semidefinite of low rank, monotone, indefinite, whole-numbered indefinite
// (degenerate), and semidefinite with a q that may have no solution.
static guarantee random_matrix(row_problem *p, uint64_t *state, int family, int n) {
    switch (family) {
    case 0:
        dominant(p, state, n);
        return (guarantee){.block_pivot = 1, .lemke = 1};
    case 1:
        start_lcp(p, n);
        add_gram(p, state, n + 2, 0);
        for (int i = 0; i < n; i++) *entry(p, i, i) += 0.1, p->q[i] = between(state, -1, 1);
        return (guarantee){.block_pivot = 1, .lemke = 1, .dantzig = 1};
    case 2:
        start_lcp(p, n);
        add_gram(p, state, 1 + n / 3, 1);
        return (guarantee){.lemke = 1};
    case 3:
        start_lcp(p, n);
        add_gram(p, state, n / 3, 1);
        add_skew(p, state, 1);
        return (guarantee){.lemke = 1};
    case 4:
        start_lcp(p, n);
        for (int i = 0; i < n * n; i++) p->A[i] = between(state, -1, 1);
        for (int i = 0; i < n; i++) p->q[i] = between(state, -1, 1);
        return (guarantee){0};
    default:
        start_lcp(p, n);
        for (int i = 0; i < n * n; i++) p->A[i] = integer(state, -2, 2);
        return (guarantee){0};
    }
}

static void random_right_side(row_problem *p, uint64_t *state, int family) {
    if (family != 2 && family != 3 && family != 5) return;
    if (uniform(state) < 0.5)
        plant_solution(p, state, 1);
    else
        for (int i = 0; i < p->n; i++) p->q[i] = integer(state, -3, 3);
}

typedef void set_bounds(row_problem *p, uint64_t *state);

static void run(const char *kind, int largest, set_bounds *bounds, uint64_t state) {
    br_arena arena;
    br_arena_init(&arena, NULL);
    br_rows_solver *solver = br_rows_solver_create(&arena, SMALL, SMALL);
    row_problem *p = malloc(sizeof *p);
    tally t = {0};
    for (int k = 0; k < PROBLEMS; k++) {
        const int family = k % 6;
        const guarantee g = random_matrix(p, &state, family, integer(&state, 1, largest));
        bounds(p, &state);
        random_right_side(p, &state, family);
        compare(solver, p, &g, &t);
    }
    report(kind, &t);
    assert_true(t.skipped < PROBLEMS / 50);
    free(p);
    br_arena_free(&arena);
}

static void complementarity(row_problem *p, uint64_t *state) {
    (void)p;
    (void)state;
}

static void boxes(row_problem *p, uint64_t *state) {
    for (int i = 0; i < p->n; i++) {
        const double middle = integer(state, -1, 1);
        const int kind = integer(state, 0, 9);
        p->lower[i] = kind == 0 ? 0 : kind == 1 ? -INFINITY : middle - integer(state, 0, 2);
        p->upper[i] = kind == 0 ? INFINITY : middle + integer(state, 0, 2); // sometimes fixed
    }
}

static void free_rows(row_problem *p, uint64_t *state) {
    for (int i = 0; i < p->n; i++) {
        if (uniform(state) < 0.4) p->lower[i] = -INFINITY;
    }
}

static void every_basis_of_lcps_agrees(void **unused) {
    (void)unused;
    run("LCP", 8, complementarity, 11);
}

static void every_basis_of_boxed_lcps_agrees(void **unused) {
    (void)unused;
    run("boxed LCP", 6, boxes, 12);
}

static void every_basis_of_mixed_lcps_agrees(void **unused) {
    (void)unused;
    run("MLCP", 8, free_rows, 13);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_basis_of_lcps_agrees),
        cmocka_unit_test(every_basis_of_boxed_lcps_agrees),
        cmocka_unit_test(every_basis_of_mixed_lcps_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
