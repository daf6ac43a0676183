// A row problem without its free and fixed rows:
//
//     y = M x + q,   0 <= x <= u,   x = 0 needs y >= 0, x = u needs y <= 0, else y = 0
//
// Free unknowns leave by Gaussian elimination with complete pivoting. Where the free block is singular, as in
// electrical networks, a complementarity row c lends its place: z_f enters for w_c and z_c for w_f, a principal
// pivot on {f, c} that keeps P0 and monotone matrices what they are [CottlePangStone sec. 2.3]; the pair c then
// appears with x = w_c and y = z_c. What still remains is written z_f = x+ - x- with the two rows w_f >= 0 and
// -w_f >= 0.
#ifndef BR_LCP_PIVOT_ROWS_REDUCE_H
#define BR_LCP_PIVOT_ROWS_REDUCE_H

#include "lcp/pivot/rows.h"

typedef enum br_pair_kind {
    BR_PAIR_PLAIN = 0, // x is the unknown's distance from its bound, y is w
    BR_PAIR_SWAPPED,   // the other way round
    BR_PAIR_PLUS,      // the two halves of a free row that could not be eliminated
    BR_PAIR_MINUS
} br_pair_kind;

typedef struct br_pair {
    br_pair_kind kind;
    int index;       // row of the original problem; PLUS and MINUS: that of the unknown
    int row, column; // in the dictionary
} br_pair;

typedef struct br_rows_reduced {
    int n_max, m_max;
    int m;
    double *M, *q, *u; // M row-major, m x m
    br_pair *pair;     // [m]

    // The dictionary: row variables = b + D (column variables). Variable i < n is the unknown of row i measured from
    // `base` in direction `sign`, variable n + i is sign w_i.
    int n, columns; // live columns; eliminated ones are zero for good
    double *D, *b, *base, *sign;
    int *row_variable, *column_variable;
    double *value; // scratch, of the column variables
} br_rows_reduced;

// m_max is n_max + free_max. 0 when out of memory.
int br_rows_reduced_create(br_rows_reduced *reduced, br_arena *arena, int n_max, int free_max);

void br_rows_reduce(br_rows_reduced *reduced, const br_rows *rows);

// z and basis of the original problem from x and its basis.
void br_rows_restore(const br_rows_reduced *reduced, const br_rows *rows, const double *x,
                     const br_side *x_side, double *z, br_side *side);

#endif
