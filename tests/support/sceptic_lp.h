// Small dense linear algebra and linear programs in long double, for the truth that sceptic tests hold verdicts against. Shares
// nothing with the library: a dictionary simplex with Bland's rule, equalities taken out first by elimination with full pivoting.
#ifndef SCEPTIC_LP_H
#define SCEPTIC_LP_H

#include <math.h>
#include <string.h>

typedef long double real;

#ifndef LP_ROWS
#define LP_ROWS 96
#endif

enum { LP_VARIABLES = 32, LP_FREE = 2 * LP_VARIABLES + 2 };

#define LP_ZERO 1e-15L  // entries of scaled rows that count as zero
#define LP_PIVOT 1e-13L // entries that are pivoted on
#define LP_PIVOTS 4000
#define LP_RANK 1e-12L  // pivots of scaled equalities that count as zero
#define LP_SLACK 1e-11L // by which scaled inequalities may be missed

typedef enum lp_end { LP_INFEASIBLE = 0, LP_OPTIMAL, LP_UNBOUNDED, LP_LOST } lp_end; // LP_LOST: no answer

// Equalities E x = e and inequalities G x <= g of x[0 .. n).
typedef struct lp_system {
    int n, equalities, inequalities;
    real E[LP_ROWS][LP_VARIABLES + 1], G[LP_ROWS][LP_VARIABLES + 1]; // last column: right-hand side
} lp_system;

static inline real *lp_equal(lp_system *s) {
    real *row = s->E[s->equalities++];
    memset(row, 0, sizeof s->E[0]);
    return row;
}

static inline real *lp_below(lp_system *s) {
    real *row = s->G[s->inequalities++];
    memset(row, 0, sizeof s->G[0]);
    return row;
}

// ------------------------------------------------------------------------------------------------------ simplex

typedef struct lp_dictionary {
    int m, n; // basic, nonbasic
    int basic[LP_ROWS], nonbasic[LP_FREE];
    real A[LP_ROWS][LP_FREE], b[LP_ROWS], c[LP_FREE], value;
} lp_dictionary;

static inline void lp_pivot(lp_dictionary *D, int l, int e) {
    const real p = D->A[l][e];
    D->b[l] /= p;
    for (int j = 0; j < D->n; j++) D->A[l][j] = j == e ? 1 / p : D->A[l][j] / p;
    for (int i = 0; i < D->m; i++) {
        const real a = D->A[i][e];
        if (i == l || a == 0) continue;
        D->b[i] -= a * D->b[l];
        for (int j = 0; j < D->n; j++) D->A[i][j] = j == e ? -a / p : D->A[i][j] - a * D->A[l][j];
    }
    const real c = D->c[e];
    D->value += c * D->b[l];
    for (int j = 0; j < D->n; j++) D->c[j] = j == e ? -c / p : D->c[j] - c * D->A[l][j];
    const int name = D->basic[l];
    D->basic[l] = D->nonbasic[e];
    D->nonbasic[e] = name;
}

// The steepest column while that leads on, then Bland's rule, which ends; of rows that tie the largest pivot, by Bland's rule the first name.
static inline lp_end lp_iterate(lp_dictionary *D) {
    for (int k = 0; k < LP_PIVOTS; k++) {
        const int bland = k > LP_PIVOTS / 4;
        int e = -1, l = -1;
        for (int j = 0; j < D->n; j++)
            if (D->c[j] > LP_ZERO && (e < 0 || (bland ? D->nonbasic[j] < D->nonbasic[e] : D->c[j] > D->c[e])))
                e = j;
        if (e < 0) return LP_OPTIMAL;
        real best = 0;
        for (int i = 0; i < D->m; i++) {
            if (D->A[i][e] <= LP_PIVOT) continue;
            const real ratio = D->b[i] / D->A[i][e];
            if (l < 0 || ratio < best - LP_ZERO ||
                (ratio <= best + LP_ZERO && (bland ? D->basic[i] < D->basic[l] : D->A[i][e] > D->A[l][e]))) {
                best = l < 0 || ratio < best ? ratio : best;
                l = i;
            }
        }
        if (l < 0) return LP_UNBOUNDED;
        lp_pivot(D, l, e);
    }
    return LP_LOST;
}

// Phase one found a point: does it keep every inequality, as written?
static inline int lp_witness(const lp_dictionary *D, int d, int m, real (*G)[LP_VARIABLES + 1]) {
    real y[LP_VARIABLES] = {0};
    for (int i = 0; i < m; i++) {
        if (D->basic[i] >= 1 && D->basic[i] <= d) y[D->basic[i] - 1] += D->b[i];
        if (D->basic[i] > d && D->basic[i] <= 2 * d) y[D->basic[i] - 1 - d] -= D->b[i];
    }
    for (int i = 0; i < m; i++) {
        real sum = -G[i][LP_VARIABLES], size = 1;
        for (int j = 0; j < d; j++) sum += G[i][j] * y[j], size = fmaxl(size, fabsl(y[j]));
        if (sum > 1e-9L * size) return 0;
    }
    return 1;
}

// max c y over G y <= g, y free: y = u - w with u, w >= 0; variable 0 is the one of phase one.
static inline lp_end lp_simplex(int d, int m, real (*G)[LP_VARIABLES + 1], const real *c, real *value) {
    static const int first = 1;
    lp_dictionary D;
    int low = -1;
    D.m = m, D.n = 2 * d + 1, D.value = 0;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < d; j++) D.A[i][1 + j] = G[i][j], D.A[i][1 + d + j] = -G[i][j];
        D.A[i][0] = -1;
        D.b[i] = G[i][LP_VARIABLES];
        D.basic[i] = first + 2 * d + i;
        if (low < 0 || D.b[i] < D.b[low]) low = i;
    }
    for (int j = 0; j < D.n; j++) D.nonbasic[j] = j, D.c[j] = 0;
    if (m > 0 && D.b[low] < 0) {
        D.c[0] = -1;
        lp_pivot(&D, low, 0);
        if (lp_iterate(&D) == LP_LOST) return LP_LOST;
        if (D.value < -LP_SLACK) return LP_INFEASIBLE;
        if (!lp_witness(&D, d, m, G)) return LP_LOST;
    }
    for (int i = 0; i < m; i++) // the auxiliary variable leaves
        if (D.basic[i] == 0) {
            int e = 0;
            for (int j = 1; j < D.n; j++)
                if (fabsl(D.A[i][j]) > fabsl(D.A[i][e])) e = j;
            lp_pivot(&D, i, e);
        }
    D.value = 0;
    for (int j = 0; j < D.n; j++) {
        const int name = D.nonbasic[j];
        D.c[j] = name == 0 || name > 2 * d ? 0 : name <= d ? c[name - 1] : -c[name - 1 - d];
    }
    for (int i = 0; i < m; i++) {
        const int name = D.basic[i];
        const real ci = name == 0 || name > 2 * d ? 0 : name <= d ? c[name - 1] : -c[name - 1 - d];
        if (D.b[i] < 0) D.b[i] = 0; // phase one left at most LP_SLACK
        D.value += ci * D.b[i];
        for (int j = 0; j < D.n; j++) D.c[j] -= ci * D.A[i][j];
    }
    for (int j = 0; j < D.n; j++)
        if (D.nonbasic[j] == 0) { // stays at zero
            for (int i = 0; i < m; i++) D.A[i][j] = 0;
            D.c[j] = 0;
        }
    const lp_end end = lp_iterate(&D);
    *value = D.value;
    return end;
}

// ------------------------------------------------------------------------------------------------- equalities

// Solves the equalities as far as they go: x = x0 + Z y. Zero: they contradict each other.
static inline int lp_eliminate(const lp_system *s, real *x0, real (*Z)[LP_VARIABLES], int *d) {
    static const int last = LP_VARIABLES;
    real E[LP_ROWS][LP_VARIABLES + 1];
    int pivot_of[LP_VARIABLES], row_of[LP_VARIABLES], rank = 0;
    memcpy(E, s->E, (size_t)s->equalities * sizeof E[0]);
    for (int i = 0; i < s->equalities; i++) {
        real size = 0;
        for (int j = 0; j < s->n; j++) size = fmaxl(size, fabsl(E[i][j]));
        if (size > 0)
            for (int j = 0; j <= last; j++)
                if (j < s->n || j == last) E[i][j] /= size;
    }
    for (int j = 0; j < s->n; j++) pivot_of[j] = 0, row_of[j] = -1;
    for (;;) {
        int r = -1, c = -1;
        for (int i = rank; i < s->equalities; i++)
            for (int j = 0; j < s->n; j++)
                if (!pivot_of[j] && (r < 0 || fabsl(E[i][j]) > fabsl(E[r][c]))) r = i, c = j;
        if (r < 0 || fabsl(E[r][c]) < LP_RANK) break;
        real swap[LP_VARIABLES + 1];
        memcpy(swap, E[r], sizeof swap), memcpy(E[r], E[rank], sizeof swap),
            memcpy(E[rank], swap, sizeof swap);
        const real p = E[rank][c];
        for (int j = 0; j <= last; j++)
            if (j < s->n || j == last) E[rank][j] /= p;
        for (int i = 0; i < s->equalities; i++) {
            const real a = E[i][c];
            if (i == rank || a == 0) continue;
            for (int j = 0; j <= last; j++)
                if (j < s->n || j == last) E[i][j] -= a * E[rank][j];
        }
        pivot_of[c] = 1, row_of[c] = rank++;
    }
    for (int i = rank; i < s->equalities; i++)
        if (fabsl(E[i][last]) > LP_SLACK) return 0;
    *d = 0;
    for (int j = 0; j < s->n; j++) {
        if (pivot_of[j]) continue;
        for (int i = 0; i < s->n; i++) Z[i][*d] = i == j ? 1 : pivot_of[i] ? -E[row_of[i]][j] : 0;
        ++*d;
    }
    for (int i = 0; i < s->n; i++) x0[i] = pivot_of[i] ? E[row_of[i]][last] : 0;
    return 1;
}

// max c x over the system. Inequalities are scaled to a largest coefficient of 1 in what is left free.
static inline lp_end lp_max(const lp_system *s, const real *c, real *value) {
    real x0[LP_VARIABLES], Z[LP_VARIABLES][LP_VARIABLES], G[LP_ROWS][LP_VARIABLES + 1], k[LP_VARIABLES];
    int d = 0, m = 0;
    if (!lp_eliminate(s, x0, Z, &d)) return LP_INFEASIBLE;
    for (int i = 0; i < s->inequalities; i++) {
        real size = 0, rest = s->G[i][LP_VARIABLES], whole = 0;
        for (int j = 0; j < s->n; j++) {
            rest -= s->G[i][j] * x0[j];
            whole = fmaxl(whole, fabsl(s->G[i][j]));
        }
        for (int j = 0; j < d; j++) {
            real sum = 0;
            for (int q = 0; q < s->n; q++) sum += s->G[i][q] * Z[q][j];
            G[m][j] = fabsl(sum) < 1e-14L * whole ? 0 : sum;
            size = fmaxl(size, fabsl(G[m][j]));
        }
        if (size == 0) {
            if (rest < -LP_SLACK * fmaxl(whole, LP_ZERO)) return LP_INFEASIBLE;
            continue;
        }
        for (int j = 0; j < d; j++) G[m][j] /= size;
        G[m++][LP_VARIABLES] = rest / size + LP_SLACK;
    }
    real at = 0;
    for (int j = 0; j < s->n; j++) at += c[j] * x0[j];
    for (int j = 0; j < d; j++) {
        k[j] = 0;
        for (int q = 0; q < s->n; q++) k[j] += c[q] * Z[q][j];
    }
    *value = 0;
    lp_end end = LP_OPTIMAL;
    if (d > 0 && m > 0) end = lp_simplex(d, m, G, k, value);
    if (d > 0 && m == 0)
        for (int j = 0; j < d; j++)
            if (k[j] != 0) end = LP_UNBOUNDED;
    *value += at;
    return end;
}

#endif
