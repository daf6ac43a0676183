// Branching over complementary bases, see enumerate.h.
#include "lcp/pivot/enumerate.h"

#include "lcp/pivot/feasible.h"

#include <math.h>
#include <string.h>

#define BR_SIDE_OPEN ((br_side)2)
#define TOL_COMPLEMENTARY 1e-9 // of a point with data of order one
#define DEFAULT_WORK 1000000000L

int br_enumerate_create(br_enumerate *e, br_arena *arena, int n_max, br_box_lp *lp) {
    e->n_max = n_max;
    e->lp = lp;
    e->side = BR_TAKE(arena, br_side, n_max);
    e->row = BR_TAKE(arena, int, n_max + 1);
    e->branch = BR_TAKE(arena, int, n_max + 1);
    e->w = BR_TAKE(arena, double, n_max);
    return br_arena_ok(arena);
}

void br_enumerate_init(br_enumerate *e, const br_rows *rows, long max_work) {
    e->rows = rows;
    for (int i = 0; i < rows->n; i++) {
        e->side[i] = br_rows_is_free(rows, i)    ? BR_SIDE_BASIC
                     : br_rows_is_fixed(rows, i) ? BR_SIDE_LOWER
                                                 : BR_SIDE_OPEN;
    }
    e->depth = e->doubt = 0;
    e->nodes = e->work = 0;
    e->max_work = max_work > 0 ? max_work : DEFAULT_WORK;
    e->progress = BR_RUNNING;
    e->outcome = BR_MAX_ITERATIONS;
}

static void enumerate_finish(br_enumerate *e, br_outcome outcome) {
    e->outcome = outcome;
    e->progress = BR_FINISHED;
}

static br_box_lp_answer solve_node(br_enumerate *e) {
    const br_rows *rows = e->rows;
    br_box_lp *lp = e->lp;
    const int n = rows->n;
    lp->n = n;
    lp->A = rows->A;
    lp->q = rows->q;
    for (int i = 0; i < n; i++) {
        const br_side side = e->side[i];
        br_feasible_relax(lp, rows, i);
        if (side == BR_SIDE_OPEN || br_rows_is_fixed(rows, i)) continue;
        if (side == BR_SIDE_BASIC) {
            lp->lower[n + i] = lp->upper[n + i] = 0;
            continue;
        }
        lp->lower[i] = lp->upper[i] = br_rows_bound(rows, i, side);
        if (side == BR_SIDE_LOWER)
            lp->lower[n + i] = 0;
        else
            lp->upper[n + i] = 0;
    }
    const br_box_lp_answer answer = br_box_lp_solve(lp);
    e->nodes++;
    e->work += (lp->pivots + 1) * (long)n * (long)n;
    return answer;
}

// The open row farthest from complementarity, or the first open one when force is set; -1 when there is none.
static int choose_row(br_enumerate *e, int force) {
    const br_rows *rows = e->rows;
    const double *z = e->lp->z;
    int best = -1;
    double worst = TOL_COMPLEMENTARY;
    br_rows_apply(rows, z, e->w);
    for (int i = 0; i < rows->n; i++) {
        if (e->side[i] != BR_SIDE_OPEN) continue;
        if (force) return i;
        const double y = fmin(fmax(z[i] - e->w[i], rows->lower[i]), rows->upper[i]), gap = fabs(z[i] - y);
        if (gap > worst) worst = gap, best = i;
    }
    return best;
}

// Branch k of a row: first where the point seems to want it.
static br_side branch_side(const br_rows *rows, int i, int k) {
    const br_side order[] = {BR_SIDE_BASIC, BR_SIDE_LOWER, BR_SIDE_UPPER};
    if (k == 1 && isinf(rows->lower[i])) return BR_SIDE_UPPER;
    return order[k];
}

static int branches(const br_rows *rows, int i) {
    return isinf(rows->lower[i]) || isinf(rows->upper[i]) ? 2 : 3;
}

static void descend(br_enumerate *e, int i) {
    e->row[e->depth] = i;
    e->branch[e->depth] = 0;
    e->side[i] = branch_side(e->rows, i, 0);
    e->depth++;
}

// The next branch not yet tried, nearest first; finished when there is none.
static void backtrack(br_enumerate *e) {
    while (e->depth > 0) {
        const int i = e->row[e->depth - 1];
        if (++e->branch[e->depth - 1] < branches(e->rows, i)) {
            e->side[i] = branch_side(e->rows, i, e->branch[e->depth - 1]);
            return;
        }
        e->side[i] = BR_SIDE_OPEN;
        e->depth--;
    }
    enumerate_finish(e, e->doubt ? BR_STALLED : BR_INFEASIBLE);
}

br_progress br_enumerate_iterate(br_enumerate *e) {
    if (e->progress == BR_FINISHED) return BR_FINISHED;
    if (e->work > e->max_work) {
        enumerate_finish(e, BR_MAX_ITERATIONS);
        return BR_FINISHED;
    }
    const br_box_lp_answer answer = solve_node(e);
    if (answer == BR_LP_EMPTY) {
        backtrack(e);
        return e->progress;
    }
    const int i = choose_row(e, answer == BR_LP_DOUBT);
    if (i >= 0)
        descend(e, i);
    else if (answer == BR_LP_FEASIBLE)
        enumerate_finish(e, BR_CONVERGED);
    else
        e->doubt = 1, backtrack(e);
    return e->progress;
}

br_outcome br_enumerate_test(const br_enumerate *e, double *z, br_side *side) {
    memcpy(z, e->lp->z, (size_t)e->rows->n * sizeof(double));
    br_rows_apply(e->rows, z, e->w);
    br_rows_sides(e->rows, z, e->w, side);
    for (int i = 0; i < e->rows->n; i++) {
        if (e->side[i] != BR_SIDE_OPEN && e->progress == BR_FINISHED) side[i] = e->side[i];
    }
    return e->outcome;
}
