#include "io/problem/sparse.h"

#include <string.h>

static int larger(int a, int b) {
    return a > b ? a : b;
}

static br_status sparse_take(io_sparse *a, int rows, int columns, int entries, br_arena *arena) {
    a->rows = rows;
    a->columns = columns;
    a->entries = entries;
    a->start = BR_TAKE(arena, int, (size_t)larger(rows, columns) + 2);
    a->column = BR_TAKE(arena, int, entries);
    a->value = BR_TAKE(arena, double, entries);
    return br_arena_ok(arena) ? BR_OK : BR_NO_MEMORY;
}

// counts[k + 1] holds how many there are of k; afterwards counts[k] is where k begins.
static void sum_counts(int *counts, int n) {
    for (int k = 0; k < n; k++) counts[k + 1] += counts[k];
}

static int is_sorted(const io_triplets *t) {
    for (int k = 1; k < t->count; k++) {
        if (t->row[k] < t->row[k - 1]) return 0;
        if (t->row[k] == t->row[k - 1] && t->column[k] < t->column[k - 1]) return 0;
    }
    return 1;
}

static void fill_starts(const io_triplets *t, io_sparse *a) {
    for (int k = 0; k < t->count; k++) a->start[t->row[k] + 1]++;
    sum_counts(a->start, larger(a->rows, a->columns));
}

// Two stable counting sorts, by column and then by row: linear in entries and sizes.
static br_status sort(const io_triplets *t, io_sparse *a, br_arena *scratch) {
    int *by_column = BR_TAKE(scratch, int, t->count);
    int *next = BR_TAKE(scratch, int, (size_t)larger(a->rows, a->columns) + 2);
    if (!br_arena_ok(scratch)) return BR_NO_MEMORY;
    for (int k = 0; k < t->count; k++) next[t->column[k] + 1]++;
    sum_counts(next, a->columns);
    for (int k = 0; k < t->count; k++) by_column[next[t->column[k]]++] = k;

    memcpy(next, a->start, ((size_t)a->rows + 1) * sizeof *next);
    for (int s = 0; s < t->count; s++) {
        const int k = by_column[s];
        const int place = next[t->row[k]]++;
        a->column[place] = t->column[k];
        a->value[place] = t->value[k];
    }
    return BR_OK;
}

br_status br_io_sparse_from_triplets(const io_triplets *t, int rows, int columns, br_arena *keep,
                                     br_arena *scratch, io_sparse *out) {
    io_sparse a;
    if (sparse_take(&a, rows, columns, t->count, keep) != BR_OK) return BR_NO_MEMORY;
    fill_starts(t, &a);
    if (is_sorted(t)) {
        memcpy(a.column, t->column, (size_t)t->count * sizeof *a.column);
        memcpy(a.value, t->value, (size_t)t->count * sizeof *a.value);
    } else if (sort(t, &a, scratch) != BR_OK) {
        return BR_NO_MEMORY;
    }
    *out = a;
    return BR_OK;
}

br_status br_io_sparse_transpose(const io_sparse *a, br_arena *keep, io_sparse *out) {
    io_sparse t;
    if (sparse_take(&t, a->columns, a->rows, a->entries, keep) != BR_OK) return BR_NO_MEMORY;
    // Each start is first the end of its row and counts down as the row is filled from behind.
    for (int k = 0; k < a->entries; k++) t.start[a->column[k]]++;
    for (int c = 1; c <= larger(t.rows, t.columns); c++) t.start[c] += t.start[c - 1];
    for (int r = a->rows - 1; r >= 0; r--)
        for (int k = a->start[r + 1] - 1; k >= a->start[r]; k--) {
            const int place = --t.start[a->column[k]];
            t.column[place] = r;
            t.value[place] = a->value[k];
        }
    *out = t;
    return BR_OK;
}

int br_io_sparse_first_duplicate(const io_sparse *a, int *row, int *column) {
    for (int r = 0; r < a->rows; r++)
        for (int k = a->start[r] + 1; k < a->start[r + 1]; k++)
            if (a->column[k] == a->column[k - 1]) {
                *row = r;
                *column = a->column[k];
                return 1;
            }
    return 0;
}

void br_io_sparse_sum_duplicates(io_sparse *a) {
    int kept = 0;
    for (int r = 0; r < a->rows; r++) {
        const int begin = kept;
        const int first = a->start[r], last = a->start[r + 1];
        a->start[r] = begin;
        for (int k = first; k < last; k++) {
            if (kept > begin && a->column[kept - 1] == a->column[k]) {
                a->value[kept - 1] += a->value[k];
                continue;
            }
            a->column[kept] = a->column[k];
            a->value[kept++] = a->value[k];
        }
    }
    for (int r = a->rows; r <= larger(a->rows, a->columns); r++) a->start[r] = kept;
    a->entries = kept;
}

// The place of an entry in the arrays, or -1.
static int sparse_find(const io_sparse *a, int row, int column) {
    int low = a->start[row], high = a->start[row + 1];
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (a->column[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low < a->start[row + 1] && a->column[low] == column ? low : -1;
}

int br_io_sparse_has(const io_sparse *a, int row, int column) {
    return sparse_find(a, row, column) >= 0;
}

double br_io_sparse_at(const io_sparse *a, int row, int column) {
    const int place = sparse_find(a, row, column);
    return place >= 0 ? a->value[place] : 0.0;
}
