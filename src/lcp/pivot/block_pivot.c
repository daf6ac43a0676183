// Judice-Pires block principal pivoting, see block_pivot.h.
#include "lcp/pivot/block_pivot.h"

#include "linalg/dense.h"

#include <math.h>
#include <string.h>

#define TOL_FEASIBLE 1e-11 // relative to the largest |z|, for data of order one
#define TOL_MOVE 1e-14     // of the proximal iterates
#define TINY_PIVOT 1e-14

int br_block_pivot_create(br_block_pivot *p, br_arena *arena, int n_max) {
    p->n_max = n_max;
    p->side = BR_TAKE(arena, br_side, n_max);
    p->z = BR_TAKE(arena, double, n_max);
    p->w = BR_TAKE(arena, double, n_max);
    p->center = BR_TAKE(arena, double, n_max);
    p->right = BR_TAKE(arena, double, n_max);
    p->LU = br_arena_take(arena, (size_t)n_max * (size_t)n_max, sizeof(double));
    p->basic = BR_TAKE(arena, int, n_max);
    p->lu_pivot = BR_TAKE(arena, int, n_max);
    return br_arena_ok(arena);
}

static void block_pivot_finish(br_block_pivot *p, br_outcome outcome) {
    p->outcome = outcome;
    p->progress = BR_FINISHED;
}

void br_block_pivot_init(br_block_pivot *p, const br_rows *rows, const br_side *side, const double *z,
                         double delta) {
    const int n = rows->n;
    p->rows = rows;
    br_rows_origin(rows, p->center);
    br_rows_apply(rows, p->center, p->w);
    if (side)
        memcpy(p->side, side, (size_t)n * sizeof(br_side));
    else
        br_rows_sides(rows, p->center, p->w, p->side);
    if (z) memcpy(p->center, z, (size_t)n * sizeof(double));
    memcpy(p->z, p->center, (size_t)n * sizeof(double));
    p->delta = delta;
    p->steps = p->singles = p->proximal = 0;
    p->wait = BR_MAX_BLOCK_WAIT;
    p->fewest = n + 1;
    p->last_move = INFINITY;
    p->progress = BR_RUNNING;
    p->outcome = BR_STALLED;
}

static double proximal(const br_block_pivot *p, int i) {
    if (p->delta == 0 || br_rows_is_free(p->rows, i)) return 0;
    const double a = fabs(p->rows->A[(size_t)i * (size_t)p->rows->n + (size_t)i]);
    return p->delta * (a > 0 ? a : 1);
}

// z on the basic rows from (A + delta D) z = delta D center - q, then w on all rows; 0 when the basis is singular.
static int solve_basis(br_block_pivot *p) {
    const br_rows *rows = p->rows;
    const int n = rows->n;
    int m = 0;
    for (int i = 0; i < n; i++) {
        if (p->side[i] == BR_SIDE_BASIC)
            p->basic[m++] = i, p->z[i] = 0;
        else
            p->z[i] = br_rows_bound(rows, i, p->side[i]);
    }
    br_rows_apply(rows, p->z, p->w);
    for (int i = 0; i < m; i++) {
        const int bi = p->basic[i];
        const double *a = rows->A + (size_t)bi * (size_t)n;
        double *lu = p->LU + (size_t)i * (size_t)m;
        for (int j = 0; j < m; j++) lu[j] = a[p->basic[j]];
        lu[i] += proximal(p, bi);
        p->right[i] = proximal(p, bi) * p->center[bi] - p->w[bi];
    }
    if (br_lu_factor(m, p->LU, m, p->lu_pivot, TINY_PIVOT)) return 0;
    br_lu_solve(m, p->LU, m, p->lu_pivot, p->right);
    for (int i = 0; i < m; i++) p->z[p->basic[i]] = p->right[i];
    br_rows_apply(rows, p->z, p->w);
    for (int i = 0; i < n; i++) p->w[i] += proximal(p, i) * (p->z[i] - p->center[i]);
    return 1;
}

// The side that row i belongs to.
static br_side wanted(const br_block_pivot *p, int i, double tol) {
    const br_rows *rows = p->rows;
    const br_side side = p->side[i];
    if (br_rows_is_fixed(rows, i)) return side;
    if (side == BR_SIDE_BASIC) {
        if (p->z[i] < rows->lower[i] - tol) return BR_SIDE_LOWER;
        return p->z[i] > rows->upper[i] + tol ? BR_SIDE_UPPER : BR_SIDE_BASIC;
    }
    return side * p->w[i] > tol ? BR_SIDE_BASIC : side; // at lower w >= 0, at upper w <= 0
}

// The basis is right for this centre. Move the centre, until it stays.
static void next_center(br_block_pivot *p) {
    const int n = p->rows->n;
    double move = 0, size = 1;
    for (int i = 0; i < n; i++) {
        move = fmax(move, fabs(p->z[i] - p->center[i]));
        size = fmax(size, fabs(p->z[i]));
    }
    const int stuck = p->proximal > 3 && move >= 0.9 * p->last_move;
    if (p->delta == 0 || move <= TOL_MOVE * size || stuck || p->proximal >= BR_MAX_PROXIMAL) {
        block_pivot_finish(p, BR_CONVERGED);
        return;
    }
    p->last_move = move;
    p->proximal++;
    p->wait = BR_MAX_BLOCK_WAIT;
    p->fewest = n + 1;
    memcpy(p->center, p->z, (size_t)n * sizeof(double));
}

br_progress br_block_pivot_iterate(br_block_pivot *p) {
    if (p->progress == BR_FINISHED) return BR_FINISHED;
    p->steps++;
    if (!solve_basis(p)) {
        block_pivot_finish(p, BR_SINGULAR);
        return BR_FINISHED;
    }
    const int n = p->rows->n;
    double size = 1;
    int wrong = 0, first = -1;
    for (int i = 0; i < n; i++) size = fmax(size, fabs(p->z[i]));
    if (!isfinite(size)) {
        block_pivot_finish(p, BR_SINGULAR);
        return BR_FINISHED;
    }
    const double tol = TOL_FEASIBLE * size;
    for (int i = 0; i < n; i++) {
        if (wanted(p, i, tol) == p->side[i]) continue;
        wrong++;
        if (first < 0) first = i;
    }
    if (wrong == 0) {
        next_center(p);
        return p->progress;
    }
    if (wrong < p->fewest)
        p->fewest = wrong, p->wait = BR_MAX_BLOCK_WAIT;
    else
        p->wait--;
    const int block = p->wait > 0;
    if (!block && p->singles++ >= BR_MAX_SINGLE_PIVOTS) {
        block_pivot_finish(p, BR_STALLED);
        return BR_FINISHED;
    }
    for (int i = first; i < (block ? n : first + 1); i++) p->side[i] = wanted(p, i, tol);
    return BR_RUNNING;
}

br_outcome br_block_pivot_test(const br_block_pivot *p, double *z, br_side *side) {
    memcpy(z, p->z, (size_t)p->rows->n * sizeof(double));
    memcpy(side, p->side, (size_t)p->rows->n * sizeof(br_side));
    return p->outcome;
}
