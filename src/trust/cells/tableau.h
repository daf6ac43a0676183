// Linear programs of few rows and many columns:   min c . z   subject to   A z = b,   z >= 0.
//
// The simplex method on a dense tableau, first for a point at all, then for the best; the steepest column, the first one (Bland) once that
// has gone on for long. Data of order one. "Infeasible" has a proof after Farkas: multipliers with which no z up to BR_TABLEAU_REACH
// satisfies the rows. Sizes are tens of rows and a few hundred columns. Nothing allocates after create.
#ifndef BR_TRUST_CELLS_TABLEAU_H
#define BR_TRUST_CELLS_TABLEAU_H

#include "base/arena.h"
#include "trust/work.h"

#define BR_TABLEAU_REACH 1e6

typedef enum br_tableau_answer {
    BR_TABLEAU_OPTIMUM = 0,
    BR_TABLEAU_INFEASIBLE,
    BR_TABLEAU_UNBOUNDED,
    BR_TABLEAU_GAVE_UP // rounding, the cap on pivots or the end of the work: nothing is known
} br_tableau_answer;

typedef struct br_tableau {
    int rows_max, columns_max;
    int rows, columns;
    double *A; // [columns * rows_max] column by column, and
    double *b; // [rows], set by the caller
    double *c; // [columns]
    br_work *work;
    double reach; // of z: what is infeasible is so up to here; BR_TABLEAU_REACH unless set after create
    int bounded;  // the caller knows that the value has a bound: a column without an end is rounding
    // Answers.
    double *z; // [columns]
    double value;
    // Private.
    double *T; // [(rows + 1) * (columns + rows + 1)]
    double *multiplier;
    int *basis;
} br_tableau;

int br_tableau_create(br_tableau *t, br_arena *arena, int rows_max, int columns_max); // 0: no memory
void br_tableau_begin(br_tableau *t, int rows);                                       // no columns, b = 0
double *br_tableau_column(br_tableau *t,
                          double cost); // [rows] zeros, to be filled in; NULL: there is no room
br_tableau_answer br_tableau_solve(br_tableau *t);

#endif
