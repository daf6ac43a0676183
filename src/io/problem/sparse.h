// Sparse matrices as files give them: entries in any order, turned into compressed rows.
#ifndef BR_IO_PROBLEM_SPARSE_H
#define BR_IO_PROBLEM_SPARSE_H

#include "base/arena.h"

// Entries in the order of the file.
typedef struct io_triplets {
    int *row, *column;
    double *value;
    int count;
} io_triplets;

// Compressed rows, columns rising within a row. start has room for max(rows, columns) + 1, and is constant from
// `rows` on: the same arrays serve as a square matrix padded with zero rows or zero columns.
typedef struct io_sparse {
    int rows, columns, entries;
    int *start, *column;
    double *value;
} io_sparse;

// Sorts into `keep`; `scratch` holds what is needed meanwhile. Equal places stay in file order, side by side.
br_status br_io_sparse_from_triplets(const io_triplets *t, int rows, int columns, br_arena *keep,
                                     br_arena *scratch, io_sparse *out);
br_status br_io_sparse_transpose(const io_sparse *a, br_arena *keep, io_sparse *out);

int br_io_sparse_first_duplicate(const io_sparse *a, int *row, int *column); // 0: every place occurs once
void br_io_sparse_sum_duplicates(io_sparse *a);
int br_io_sparse_has(const io_sparse *a, int row, int column);   // whether something is stored there
double br_io_sparse_at(const io_sparse *a, int row, int column); // 0 where nothing is stored

#endif
