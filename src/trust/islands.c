// Islands of a balance, see islands.h.
#include "trust/islands.h"

#include <string.h>

typedef struct union_find {
    int *parent; // equations, then columns
} union_find;

static int root_of(union_find *u, int k) {
    while (u->parent[k] != k) k = u->parent[k] = u->parent[u->parent[k]];
    return k;
}

static void join(union_find *u, int a, int b) {
    a = root_of(u, a), b = root_of(u, b);
    if (a < b)
        u->parent[b] = a;
    else
        u->parent[a] = b;
}

static void join_all(const br_balance *b, union_find *u) {
    for (int r = 0; r < b->n; r++)
        for (int c = 0; c < r; c++)
            if (b->M[r * b->n + c] != 0.0) join(u, r, c);
    for (int c = 0; c < b->columns; c++)
        for (int r = 0; r < b->n; r++)
            if (b->A[r * b->columns + c] != 0.0) join(u, r, b->n + c);
    for (int i = 0; i < b->pads; i++) {
        const br_balance_pad *p = &b->pad[i];
        const int first = p->normal >= 0 ? p->normal : p->column;
        for (int d = 0; d < p->directions; d++) join(u, b->n + first, b->n + p->column + d);
        for (int k = 0; p->normal < 0 && k < p->norms; k++)
            for (int f = 0; f < p->norm[k].forms; f++)
                for (int c = 0; c < b->columns; c++)
                    if (p->norm[k].form[f][c] != 0.0) join(u, b->n + first, b->n + c);
    }
}

br_status br_islands_find(const br_balance *b, br_arena *arena, br_islands *out) {
    const int all = b->n + b->columns;
    union_find u = {BR_TAKE(arena, int, all)};
    int *number = BR_TAKE(arena, int, all), left = 0;
    out->of_row = BR_TAKE(arena, int, b->n);
    out->of_column = BR_TAKE(arena, int, b->columns);
    out->of_pad = BR_TAKE(arena, int, b->pads);
    out->count = 0;
    if (!u.parent || !number || !out->of_row || !out->of_column || !out->of_pad) return BR_NO_MEMORY;
    for (int k = 0; k < all; k++) u.parent[k] = k, number[k] = -1;
    join_all(b, &u);
    for (int i = 0; i < b->pads; i++) {
        const br_balance_pad *p = &b->pad[i];
        const int root = root_of(&u, b->n + (p->normal >= 0 ? p->normal : p->column));
        if (number[root] < 0) number[root] = out->count++;
        out->of_pad[i] = number[root];
    }
    for (int k = 0; k < all; k++) {
        const int island = number[root_of(&u, k)];
        left |= island < 0;
        *(k < b->n ? &out->of_row[k] : &out->of_column[k - b->n]) = island < 0 ? out->count : island;
    }
    out->count += left;
    return BR_OK;
}

static const double *take_form(br_arena *arena, const double *form, int count, const int *column) {
    double *out = BR_TAKE(arena, double, count);
    for (int k = 0; out && k < count; k++) out[k] = form[column[k]];
    return out;
}

static int take_pads(const br_balance *b, const br_islands *islands, int which, br_arena *arena,
                     br_balance *out, const int *column, const int *at) {
    out->pads = 0;
    for (int i = 0; i < b->pads; i++) {
        if (islands->of_pad[i] != which) continue;
        br_balance_pad *p = &out->pad[out->pads++];
        *p = b->pad[i];
        if (p->directions > 0) p->column = at[p->column];
        if (p->normal >= 0) p->normal = at[p->normal];
        if (p->directions == 0) p->column = p->normal + 1;
        for (int k = 0; k < p->norms; k++)
            for (int f = 0; f < p->norm[k].forms; f++)
                if (!(p->norm[k].form[f] = take_form(arena, p->norm[k].form[f], out->columns, column)))
                    return 0;
    }
    return 1;
}

br_status br_islands_take(const br_balance *b, const br_islands *islands, int which, br_arena *arena,
                          br_balance *out, int **columns) {
    int *row = BR_TAKE(arena, int, b->n), *column = BR_TAKE(arena, int, b->columns),
        *at = BR_TAKE(arena, int, b->columns);
    if (!row || !column || !at) return BR_NO_MEMORY;
    *out = *b;
    out->n = out->columns = out->bilateral = 0;
    for (int r = 0; r < b->n; r++)
        if (islands->of_row[r] == which) row[out->n++] = r;
    for (int c = 0; c < b->columns; c++) {
        if (islands->of_column[c] != which) continue;
        out->bilateral += c < b->bilateral;
        at[c] = out->columns, column[out->columns++] = c;
    }
    const int n = out->n, cols = out->columns;
    out->A = BR_TAKE(arena, double, (size_t)n *(size_t)cols);
    out->M = BR_TAKE(arena, double, (size_t)n *(size_t)n);
    out->Q = BR_TAKE(arena, double, n);
    out->a = BR_TAKE(arena, double, n);
    out->gamma = BR_TAKE(arena, double, cols);
    out->weight = BR_TAKE(arena, double, cols);
    out->x = BR_TAKE(arena, double, cols);
    out->power = BR_TAKE(arena, double, cols);
    out->name = br_arena_take(arena, (size_t)cols, sizeof *out->name);
    out->parameter = br_arena_take(arena, (size_t)cols, sizeof *out->parameter);
    out->pad = BR_TAKE(arena, br_balance_pad, b->pads);
    if (!out->A || !out->M || !out->Q || !out->a || !out->gamma || !out->weight || !out->x || !out->power ||
        !out->name || !out->parameter || !out->pad)
        return BR_NO_MEMORY;
    for (int r = 0; r < n; r++) {
        for (int c = 0; c < cols; c++) out->A[r * cols + c] = b->A[row[r] * b->columns + column[c]];
        for (int c = 0; c < n; c++) out->M[r * n + c] = b->M[row[r] * b->n + row[c]];
        out->Q[r] = b->Q[row[r]], out->a[r] = b->a[row[r]];
    }
    for (int c = 0; c < cols; c++) {
        out->gamma[c] = b->gamma[column[c]], out->x[c] = b->x[column[c]];
        if (b->weight) out->weight[c] = b->weight[column[c]];
        if (b->power) out->power[c] = b->power[column[c]];
        if (b->name) memcpy(out->name[c], b->name[column[c]], sizeof out->name[c]);
        if (b->parameter) memcpy(out->parameter[c], b->parameter[column[c]], sizeof out->parameter[c]);
    }
    out->readings = 0; // asked of the whole
    *columns = column;
    return take_pads(b, islands, which, arena, out, column, at) ? BR_OK : BR_NO_MEMORY;
}
