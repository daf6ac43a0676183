// The LCP of flat friction laws, see polygon_lcp.h.
#include "lcp/pivot/polygon_lcp.h"

#include <math.h>
#include <string.h>

#include "math/elementary.h"

#define PI 3.14159265358979323846

static int is_contact(const br_law *law) {
    return law->kind == BR_LAW_POLYGON || law->kind == BR_LAW_CONE || law->kind == BR_LAW_BOX_FRICTION;
}

// Directions and multipliers of a contact law; 0 directions for the others.
static int most_directions(const br_law *law, int *multipliers) {
    *multipliers = 0;
    if (!is_contact(law)) return 0;
    if (law->kind == BR_LAW_BOX_FRICTION) {
        *multipliers = law->rows - 1;
        return 2 * (law->rows - 1);
    }
    *multipliers = 1;
    return law->rows == 2 ? 2 : law->sides;
}

// The same with mu as it is: without friction there are no directions at all, and p_t = 0.
static int directions(const br_law *law, int *multipliers) {
    if (law->friction_coefficient > 0) return most_directions(law, multipliers);
    *multipliers = 0;
    return 0;
}

static int has_form(const br_law *law) {
    return law->kind != BR_LAW_JOINT_FRICTION && !(law->kind == BR_LAW_CONE && law->rows > 2);
}

int br_polygon_lcp_size(const br_law *law, int laws, int *n, int *free_rows) {
    int size = 0, unbounded = 0;
    for (int k = 0; k < laws; k++) {
        int multipliers;
        if (!has_form(&law[k])) return 0;
        const int count = most_directions(&law[k], &multipliers);
        size += is_contact(&law[k]) ? 1 + count + multipliers : law[k].rows;
        if (law[k].kind == BR_LAW_EQUALITY || law[k].kind == BR_LAW_BOX) unbounded += law[k].rows;
    }
    *n = size;
    *free_rows = unbounded;
    return 1;
}

int br_polygon_lcp_create(br_polygon_lcp *lcp, br_arena *arena, int n_max) {
    const size_t n = (size_t)n_max;
    lcp->n_max = n_max;
    lcp->A = br_arena_take(arena, n * n, sizeof(double));
    lcp->q = BR_TAKE(arena, double, n);
    lcp->lower = BR_TAKE(arena, double, n);
    lcp->upper = BR_TAKE(arena, double, n);
    lcp->column = BR_TAKE(arena, br_polygon_column, n);
    return br_arena_ok(arena);
}

// ---------------------------------------------------------------------------------------------- the unknowns

static int polygon_add(br_polygon_lcp *lcp, double lower, double upper, int row, double factor) {
    const int i = lcp->n++;
    lcp->lower[i] = lower;
    lcp->upper[i] = upper;
    lcp->column[i] = (br_polygon_column){.row = {row, -1}, .factor = {factor, 0}, .lambda = -1};
    return i;
}

// Corner k of `sides`, exact where the polygon has a corner on an axis.
static void corner(int k, int sides, double *c, double *s) {
    const int quarter = 4 * k % sides == 0 ? 4 * k / sides : -1;
    *c = quarter < 0 ? br_cos(2 * PI * k / sides) : quarter == 0 ? 1 : quarter == 2 ? -1 : 0;
    *s = quarter < 0 ? br_sin(2 * PI * k / sides) : quarter == 1 ? 1 : quarter == 3 ? -1 : 0;
}

static void add_friction(br_polygon_lcp *lcp, const br_law *law) {
    const int t1 = law->first_row + 1, first = lcp->n;
    int multipliers;
    const int count = directions(law, &multipliers);
    for (int k = 0; k < count; k++) {
        if (law->kind == BR_LAW_BOX_FRICTION || law->rows == 2) {
            polygon_add(lcp, 0, INFINITY, t1 + k / 2, k % 2 ? -1 : 1);
            lcp->column[lcp->n - 1].lambda = first + count + (multipliers > 1 ? k / 2 : 0);
            continue;
        }
        const int i = polygon_add(lcp, 0, INFINITY, t1, 0);
        br_polygon_column *column = &lcp->column[i];
        corner(k, count, &column->factor[0], &column->factor[1]);
        column->row[1] = t1 + 1;
        column->lambda = first + count;
    }
    for (int k = 0; k < multipliers; k++) polygon_add(lcp, 0, INFINITY, -1, 0);
}

static void add_law(br_polygon_lcp *lcp, const br_law *law) {
    if (is_contact(law)) {
        polygon_add(lcp, 0, INFINITY, law->first_row, 1);
        add_friction(lcp, law);
        return;
    }
    for (int i = law->first_row; i < law->first_row + law->rows; i++) {
        const int box = law->kind == BR_LAW_BOX, equality = law->kind == BR_LAW_EQUALITY;
        polygon_add(lcp, box ? law->lower : equality ? -INFINITY : 0, box ? law->upper : INFINITY, i, 1);
    }
}

// ---------------------------------------------------------------------------------------------- the matrix

static double through_column(const br_polygon_column *c, const double *x) {
    double sum = 0;
    for (int k = 0; k < 2; k++) {
        if (c->row[k] >= 0) sum += c->factor[k] * x[c->row[k]];
    }
    return sum;
}

// S^T W S and S^T q, row by row.
static void project(br_polygon_lcp *lcp, int rows, const double *W, const double *q) {
    const int n = lcp->n;
    for (int i = 0; i < n; i++) {
        const br_polygon_column *c = &lcp->column[i];
        double *a = lcp->A + (size_t)i * (size_t)n;
        lcp->q[i] = through_column(c, q);
        for (int j = 0; j < n; j++) {
            a[j] = 0;
            for (int k = 0; k < 2; k++) {
                if (c->row[k] < 0) continue;
                a[j] += c->factor[k] * through_column(&lcp->column[j], W + (size_t)c->row[k] * (size_t)rows);
            }
        }
    }
}

void br_polygon_lcp_build(br_polygon_lcp *lcp, const br_law *law, int laws, const double *W,
                          const double *q) {
    lcp->n = lcp->free_rows = 0;
    for (int k = 0; k < laws; k++) add_law(lcp, &law[k]);
    const int n = lcp->n, rows = laws ? law[laws - 1].first_row + law[laws - 1].rows : 0;
    project(lcp, rows, W, q);
    for (int k = 0, i = 0; k < laws; k++) {
        int multipliers;
        const int count = directions(&law[k], &multipliers);
        for (int j = i + 1; j <= i + count; j++) {
            const int lambda = lcp->column[j].lambda;
            lcp->A[(size_t)j * (size_t)n + (size_t)lambda] = 1;                           // E
            lcp->A[(size_t)lambda * (size_t)n + (size_t)j] = -1;                          // -E^T
            lcp->A[(size_t)lambda * (size_t)n + (size_t)i] = law[k].friction_coefficient; // mu
        }
        i += is_contact(&law[k]) ? 1 + count + multipliers : law[k].rows;
    }
    for (int i = 0; i < n; i++) lcp->free_rows += isinf(lcp->lower[i]) && isinf(lcp->upper[i]);
    lcp->rows = (br_rows){.n = n, .A = lcp->A, .q = lcp->q, .lower = lcp->lower, .upper = lcp->upper};
}

void br_polygon_lcp_restore(const br_polygon_lcp *lcp, const double *z, int rows, double *p) {
    memset(p, 0, (size_t)rows * sizeof(double));
    for (int i = 0; i < lcp->n; i++) {
        const br_polygon_column *c = &lcp->column[i];
        for (int k = 0; k < 2; k++) {
            if (c->row[k] >= 0) p[c->row[k]] += c->factor[k] * z[i];
        }
    }
}

// ---------------------------------------------------------------------------------------------- warm starts

// p_t as a sum of the two corners on its sides: the pair with nonnegative weights.
static void split_between_corners(const br_polygon_lcp *lcp, int first, int count, double p1, double p2,
                                  double *z) {
    for (int k = 0; k < count; k++) {
        const int i = first + k, j = first + (k + 1) % count;
        const double *a = lcp->column[i].factor, *b = lcp->column[j].factor;
        const double det = a[0] * b[1] - a[1] * b[0];
        const double x = (p1 * b[1] - p2 * b[0]) / det, y = (a[0] * p2 - a[1] * p1) / det;
        if (x < 0 || y < 0) continue;
        z[i] = x;
        z[j] = y;
        return;
    }
}

void br_polygon_lcp_guess(const br_polygon_lcp *lcp, const br_law *law, int laws, const double *p,
                          const double *w, double *z) {
    memset(z, 0, (size_t)lcp->n * sizeof(double));
    for (int k = 0, i = 0; k < laws; k++) {
        const br_law *l = &law[k];
        int multipliers;
        const int count = directions(l, &multipliers), own = is_contact(l) ? 1 : l->rows, first = i + own;
        for (int j = 0; j < own; j++) z[i + j] = p[l->first_row + j];
        for (int j = first; j < first + count; j++) {
            const br_polygon_column *c = &lcp->column[j];
            if (c->row[1] < 0) z[j] = fmax(through_column(c, p), 0);
            z[c->lambda] = fmax(z[c->lambda], -through_column(c, w));
        }
        if (count > 0 && lcp->column[first].row[1] >= 0)
            split_between_corners(lcp, first, count, p[l->first_row + 1], p[l->first_row + 2], z);
        i += own + count + multipliers;
    }
}
