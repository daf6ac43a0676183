// Dantzig's incremental pivoting, see dantzig.h.
#include "lcp/pivot/dantzig.h"

#include "lcp/pivot/dictionary.h"

#include <math.h>
#include <string.h>

#define TOL_W 1e-12     // a w that counts as zero, for data of order one
#define TOL_PIVOT 1e-11 // a diagonal that counts as zero

// The basis only ever changes by principal exchanges, so row i and column i of the dictionary always belong to row i of
// the problem: side BASIC means that z_i is the row's variable and w_i = 0 the column's, else the other way round.
struct br_dantzig {
    const br_rows *rows;
    int n;
    double *D, *z, *w;
    br_side *side;
    int *order; // rows, free ones first
    int next;   // in order: the row being driven; those before it keep their conditions
    int pivots, max_pivots;
    br_progress progress;
    br_outcome outcome;
};

br_dantzig *br_dantzig_create(br_arena *arena, int n_max) {
    const size_t n = (size_t)n_max;
    br_dantzig *d = BR_TAKE(arena, br_dantzig, 1);
    if (!d) return NULL;
    d->D = br_arena_take(arena, n * n, sizeof(double));
    d->z = BR_TAKE(arena, double, n);
    d->w = BR_TAKE(arena, double, n);
    d->side = BR_TAKE(arena, br_side, n);
    d->order = BR_TAKE(arena, int, n);
    return br_arena_ok(arena) ? d : NULL;
}

void br_dantzig_init(br_dantzig *d, const br_rows *rows, int max_pivots) {
    const int n = d->n = rows->n;
    int count = 0;
    d->rows = rows;
    memcpy(d->D, rows->A, (size_t)n * (size_t)n * sizeof(double));
    br_rows_origin(rows, d->z);
    br_rows_apply(rows, d->z, d->w);
    for (int pass = 0; pass < 2; pass++) { // free rows first: they never leave the basis again
        for (int i = 0; i < n; i++) {
            if (br_rows_is_free(rows, i) == (pass == 0)) d->order[count++] = i;
        }
    }
    for (int i = 0; i < n; i++) {
        d->side[i] = d->z[i] == rows->upper[i] && d->z[i] != rows->lower[i] ? BR_SIDE_UPPER : BR_SIDE_LOWER;
    }
    d->next = d->pivots = 0;
    d->max_pivots = max_pivots > 0 ? max_pivots : 50 * n + 100;
    d->progress = BR_RUNNING;
    d->outcome = BR_MAX_ITERATIONS;
}

static void dantzig_finish(br_dantzig *d, br_outcome outcome) {
    d->outcome = outcome;
    d->progress = BR_FINISHED;
}

static double entry(const br_dantzig *d, int i, int j) {
    return d->D[(size_t)i * (size_t)d->n + (size_t)j];
}

static int satisfied(const br_dantzig *d, int i) {
    const double z = d->z[i], w = d->w[i];
    if (z == d->rows->lower[i] && w >= -TOL_W) return 1;
    if (z == d->rows->upper[i] && w <= TOL_W) return 1;
    return fabs(w) <= TOL_W;
}

// How far row j, already taken, lets the driven row go when its variable moves at this speed.
static double dantzig_reach(const br_dantzig *d, int j, double speed) {
    const br_rows *rows = d->rows;
    if (br_rows_is_fixed(rows, j) || fabs(speed) <= TOL_PIVOT) return INFINITY;
    if (d->side[j] == BR_SIDE_BASIC) {
        const double bound = speed > 0 ? rows->upper[j] : rows->lower[j];
        return fmax((bound - d->z[j]) / speed, 0);
    }
    return speed * d->side[j] <= 0 ? INFINITY
                                   : fmax(-d->w[j] / speed, 0); // at lower w may grow, at upper fall
}

static void dantzig_exchange(br_dantzig *d, int i, br_side side) {
    if (fabs(entry(d, i, i)) <= TOL_PIVOT) {
        dantzig_finish(d, BR_SINGULAR);
        return;
    }
    br_dictionary_exchange(d->D, d->n, d->n, d->n, i, i);
    d->side[i] = side;
    if (side == BR_SIDE_BASIC)
        d->w[i] = 0;
    else
        d->z[i] = br_rows_bound(d->rows, i, side);
}

static void dantzig_move(br_dantzig *d, int i, double step) {
    for (int j = 0; j < d->n; j++) {
        double *x = j != i && d->side[j] == BR_SIDE_BASIC ? &d->z[j] : &d->w[j];
        *x += step * entry(d, j, i);
    }
    d->z[i] += step;
}

// The driven row has arrived, or a row taken before stands in the way.
static void drive(br_dantzig *d, int i) {
    const double direction = d->w[i] > 0 ? -1 : 1;
    const double bound = direction > 0 ? d->rows->upper[i] : d->rows->lower[i], slope = entry(d, i, i);
    const double to_zero = slope > TOL_PIVOT ? fabs(d->w[i]) / slope : INFINITY;
    const double to_bound = fabs(bound - d->z[i]);
    double step = fmin(to_zero, to_bound);
    int blocking = -1;
    for (int k = 0; k < d->next; k++) {
        const int j = d->order[k];
        const double t = dantzig_reach(d, j, direction * entry(d, j, i));
        if (t < step) step = t, blocking = j;
    }
    if (isinf(step)) {
        dantzig_finish(d, slope < -TOL_PIVOT ? BR_SINGULAR : BR_RAY);
        return;
    }
    const br_side wall = blocking < 0 || d->side[blocking] != BR_SIDE_BASIC ? BR_SIDE_BASIC
                         : direction * entry(d, blocking, i) > 0            ? BR_SIDE_UPPER
                                                                            : BR_SIDE_LOWER;
    dantzig_move(d, i, direction * step);
    if (blocking >= 0) {
        dantzig_exchange(d, blocking, wall);
    } else if (to_bound <= to_zero) {
        d->z[i] = bound;
        d->side[i] = direction > 0 ? BR_SIDE_UPPER : BR_SIDE_LOWER;
        d->next++;
    } else {
        dantzig_exchange(d, i, BR_SIDE_BASIC);
        d->next++;
    }
}

br_progress br_dantzig_iterate(br_dantzig *d) {
    while (d->progress == BR_RUNNING) {
        if (d->next >= d->n) {
            dantzig_finish(d, BR_CONVERGED);
            break;
        }
        const int i = d->order[d->next];
        if (br_rows_is_fixed(d->rows, i) || satisfied(d, i)) {
            // w = 0 strictly between the bounds: it must be basic to stay so.
            const int inside = d->z[i] > d->rows->lower[i] && d->z[i] < d->rows->upper[i];
            if (inside && entry(d, i, i) > TOL_PIVOT) dantzig_exchange(d, i, BR_SIDE_BASIC);
            d->next++;
            continue;
        }
        if (d->pivots >= d->max_pivots) {
            dantzig_finish(d, BR_MAX_ITERATIONS);
            break;
        }
        d->pivots++;
        drive(d, i);
        return d->progress;
    }
    return BR_FINISHED;
}

br_outcome br_dantzig_test(const br_dantzig *d, double *z, br_side *side) {
    memcpy(z, d->z, (size_t)d->n * sizeof(double));
    for (int i = 0; i < d->n; i++) {
        const int at_bound = d->z[i] == d->rows->lower[i] || d->z[i] == d->rows->upper[i];
        side[i] = at_bound && d->side[i] != BR_SIDE_BASIC ? d->side[i] : BR_SIDE_BASIC;
    }
    return d->outcome;
}

int br_dantzig_pivots(const br_dantzig *d) {
    return d->pivots;
}
