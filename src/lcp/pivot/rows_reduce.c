// Eliminating free and fixed rows, see rows_reduce.h.
#include "lcp/pivot/rows_reduce.h"

#include "lcp/pivot/dictionary.h"

#include <math.h>
#include <string.h>

#define TINY_PIVOT 1e-11 // of a problem equilibrated to entries of order one

int br_rows_reduced_create(br_rows_reduced *r, br_arena *arena, int n_max, int free_max) {
    const size_t n = (size_t)n_max, m = n + (size_t)free_max;
    r->n_max = n_max;
    r->m_max = (int)m;
    r->M = br_arena_take(arena, m * m, sizeof(double));
    r->D = br_arena_take(arena, n * n, sizeof(double));
    r->q = BR_TAKE(arena, double, m);
    r->u = BR_TAKE(arena, double, m);
    r->pair = BR_TAKE(arena, br_pair, m);
    r->b = BR_TAKE(arena, double, n);
    r->base = BR_TAKE(arena, double, n);
    r->sign = BR_TAKE(arena, double, n);
    r->value = BR_TAKE(arena, double, n);
    r->row_variable = BR_TAKE(arena, int, n);
    r->column_variable = BR_TAKE(arena, int, n);
    return br_arena_ok(arena);
}

static double *reduce_rows_row_of(const br_rows_reduced *r, int i) {
    return r->D + (size_t)i * (size_t)r->n;
}

// Puts every unknown at a distance from a bound, and the matrix with it.
static void build_dictionary(br_rows_reduced *r, const br_rows *rows) {
    const int n = r->n = rows->n;
    r->columns = n;
    for (int i = 0; i < n; i++) {
        const double l = rows->lower[i], u = rows->upper[i];
        r->sign[i] = isinf(l) && !isinf(u) ? -1 : 1; // upper bound only: measured downwards
        r->base[i] = !isinf(l) ? l : !isinf(u) ? u : 0;
        r->row_variable[i] = n + i;
        r->column_variable[i] = i;
    }
    br_rows_apply(rows, r->base, r->b);
    for (int i = 0; i < n; i++) {
        const double *a = rows->A + (size_t)i * (size_t)n;
        double *d = reduce_rows_row_of(r, i);
        for (int j = 0; j < n; j++) d[j] = r->sign[i] * r->sign[j] * a[j];
        r->b[i] *= r->sign[i];
    }
}

static void swap_columns(br_rows_reduced *r, int a, int b) {
    if (a == b) return;
    for (int i = 0; i < r->n; i++) {
        double *d = reduce_rows_row_of(r, i), t = d[a];
        d[a] = d[b];
        d[b] = t;
    }
    const int v = r->column_variable[a];
    r->column_variable[a] = r->column_variable[b];
    r->column_variable[b] = v;
}

// The column's variable is zero from now on.
static void drop_column(br_rows_reduced *r, int c) {
    swap_columns(r, c, --r->columns);
}

static void reduce_rows_exchange(br_rows_reduced *r, int row, int column) {
    const double entering = -r->b[row] / reduce_rows_row_of(r, row)[column];
    for (int i = 0; i < r->n; i++) r->b[i] += reduce_rows_row_of(r, i)[column] * entering;
    r->b[row] = entering;
    br_dictionary_exchange(r->D, r->n, r->columns, r->n, row, column);
    const int v = r->row_variable[row];
    r->row_variable[row] = r->column_variable[column];
    r->column_variable[column] = v;
}

static int is_free_w(const br_rows_reduced *r, const br_rows *rows, int variable) {
    return variable >= r->n && br_rows_is_free(rows, variable - r->n);
}

static int is_free_z(const br_rows_reduced *r, const br_rows *rows, int variable) {
    return variable < r->n && br_rows_is_free(rows, variable);
}

// z_f for w_g over all free f, g, largest pivot first.
static void eliminate_free(br_rows_reduced *r, const br_rows *rows) {
    for (;;) {
        double best = TINY_PIVOT;
        int row = -1, column = -1;
        for (int i = 0; i < r->n; i++) {
            if (!is_free_w(r, rows, r->row_variable[i])) continue;
            const double *d = reduce_rows_row_of(r, i);
            for (int j = 0; j < r->columns; j++) {
                if (fabs(d[j]) > best && is_free_z(r, rows, r->column_variable[j])) {
                    best = fabs(d[j]);
                    row = i;
                    column = j;
                }
            }
        }
        if (row < 0) return;
        reduce_rows_exchange(r, row, column);
        drop_column(r, column);
    }
}

static int reduce_rows_find(const int *list, int count, int variable) {
    for (int i = 0; i < count; i++) {
        if (list[i] == variable) return i;
    }
    return -1;
}

// A one-sided row that is still in its plain place, with its column; -1 when there is none.
static int plain_column(const br_rows_reduced *r, const br_rows *rows, int row) {
    const int i = r->row_variable[row] - r->n;
    if (i < 0 || br_rows_is_free(rows, i)) return -1;
    if (!isinf(rows->lower[i]) && !isinf(rows->upper[i])) return -1;
    return reduce_rows_find(r->column_variable, r->columns, i);
}

typedef struct borrowed {
    int f, c, f_column, c_column; // rows w_f and w_c, columns z_f and z_c
} borrowed;

static double best_borrowed(const br_rows_reduced *r, const br_rows *rows, borrowed *out) {
    double best = 0;
    for (int c = 0; c < r->n; c++) {
        const int column = plain_column(r, rows, c);
        if (column < 0) continue;
        double down = 0, across = 0;
        borrowed b = {.c = c, .c_column = column};
        for (int f = 0; f < r->n; f++) {
            const double d = fabs(reduce_rows_row_of(r, f)[column]);
            if (d > down && is_free_w(r, rows, r->row_variable[f])) down = d, b.f = f;
        }
        const double *d = reduce_rows_row_of(r, c);
        for (int j = 0; j < r->columns; j++) {
            if (fabs(d[j]) > across && is_free_z(r, rows, r->column_variable[j]))
                across = fabs(d[j]), b.f_column = j;
        }
        if (fmin(down, across) > best) best = fmin(down, across), *out = b;
    }
    return best;
}

// The free block that remains is zero, so z_f can only enter together with a complementarity row.
static void eliminate_by_borrowing(br_rows_reduced *r, const br_rows *rows) {
    borrowed b = {0};
    while (best_borrowed(r, rows, &b) > TINY_PIVOT) {
        reduce_rows_exchange(r, b.c, b.f_column);
        reduce_rows_exchange(r, b.f, b.c_column);
        drop_column(r, b.c_column); // w_f
        eliminate_free(r, rows);
    }
}

static void add_pair(br_rows_reduced *r, br_pair_kind kind, int index, int row, int column, double u) {
    r->pair[r->m] = (br_pair){.kind = kind, .index = index, .row = row, .column = column};
    r->u[r->m++] = u;
}

static void collect_pairs(br_rows_reduced *r, const br_rows *rows) {
    const int n = r->n;
    int last_free_row = -1;
    r->m = 0;
    for (int i = 0; i < n; i++) {
        if (br_rows_is_free(rows, i) || br_rows_is_fixed(rows, i)) continue;
        const int row = reduce_rows_find(r->row_variable, n, n + i);
        const double u = rows->upper[i] - rows->lower[i];
        if (row >= 0)
            add_pair(r, BR_PAIR_PLAIN, i, row, reduce_rows_find(r->column_variable, r->columns, i), u);
        else
            add_pair(r, BR_PAIR_SWAPPED, i, reduce_rows_find(r->row_variable, n, i),
                     reduce_rows_find(r->column_variable, r->columns, n + i), u);
    }
    // As many free rows as free columns remain; which is put with which does not matter.
    for (int j = 0; j < r->columns; j++) {
        const int variable = r->column_variable[j];
        if (!is_free_z(r, rows, variable) || r->m + 2 > r->m_max)
            continue; // more free rows than were announced
        do last_free_row++;
        while (!is_free_w(r, rows, r->row_variable[last_free_row]));
        add_pair(r, BR_PAIR_PLUS, variable, last_free_row, j, INFINITY);
        add_pair(r, BR_PAIR_MINUS, variable, last_free_row, j, INFINITY);
    }
}

void br_rows_reduce(br_rows_reduced *r, const br_rows *rows) {
    build_dictionary(r, rows);
    for (int j = r->columns - 1; j >= 0; j--) {
        if (br_rows_is_fixed(rows, r->column_variable[j])) drop_column(r, j);
    }
    eliminate_free(r, rows);
    eliminate_by_borrowing(r, rows);
    collect_pairs(r, rows);
    for (int i = 0; i < r->m; i++) {
        const double si = r->pair[i].kind == BR_PAIR_MINUS ? -1 : 1,
                     *d = reduce_rows_row_of(r, r->pair[i].row);
        r->q[i] = si * r->b[r->pair[i].row];
        for (int j = 0; j < r->m; j++) {
            const double sj = r->pair[j].kind == BR_PAIR_MINUS ? -1 : 1;
            r->M[(size_t)i * (size_t)r->m + (size_t)j] = si * sj * d[r->pair[j].column];
        }
    }
}

static double row_value(const br_rows_reduced *r, int row) {
    const double *d = reduce_rows_row_of(r, row);
    double sum = r->b[row];
    for (int j = 0; j < r->columns; j++) sum += d[j] * r->value[j];
    return sum;
}

void br_rows_restore(const br_rows_reduced *r, const br_rows *rows, const double *x, const br_side *x_side,
                     double *z, br_side *side) {
    memset(r->value, 0, (size_t)r->columns * sizeof(double));
    for (int k = 0; k < r->m; k++)
        r->value[r->pair[k].column] += r->pair[k].kind == BR_PAIR_MINUS ? -x[k] : x[k];
    for (int i = 0; i < r->n; i++) {
        z[i] = r->base[i];
        side[i] = br_rows_is_fixed(rows, i) ? BR_SIDE_LOWER : BR_SIDE_BASIC;
    }
    for (int row = 0; row < r->n; row++) {
        const int i = r->row_variable[row];
        if (i < r->n) z[i] += r->sign[i] * row_value(r, row);
    }
    for (int j = 0; j < r->columns; j++) {
        const int i = r->column_variable[j];
        if (i < r->n) z[i] += r->sign[i] * r->value[j];
    }
    for (int k = 0; k < r->m; k++) {
        const br_pair *pair = &r->pair[k];
        const br_side down = r->sign[pair->index] < 0 ? BR_SIDE_UPPER : BR_SIDE_LOWER;
        if (pair->kind == BR_PAIR_PLAIN && x_side[k] != BR_SIDE_BASIC)
            side[pair->index] = x_side[k] == BR_SIDE_LOWER ? down : BR_SIDE_UPPER;
        if (pair->kind == BR_PAIR_SWAPPED && x_side[k] == BR_SIDE_BASIC) side[pair->index] = down;
    }
}
