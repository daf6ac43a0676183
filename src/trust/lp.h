// Small dense linear programs:   min c . z   subject to   G z <= h,   |z_j| <= reach.
//
// The dual simplex method on the set of n active rows. The start is a corner of the box of half-width
// `reach`, which is there for that purpose and so large that it stands for infinity: an optimum that leans on
// it is called unbounded. Rows may be added after a solve and the next solve goes on from there, which is
// what cutting planes need.
//
// Sizes are tens of variables and hundreds of rows. Data of order one; every row is scaled to length 1.
// Nothing allocates after create.
#ifndef BR_TRUST_LP_H
#define BR_TRUST_LP_H

#include "base/arena.h"
#include "trust/work.h"

#define BR_LP_REACH 1e6 // half-width of the box; answers of interest are of order one

typedef enum br_lp_answer {
    BR_LP_OPTIMUM = 0,
    BR_LP_INFEASIBLE, // no z within the rows and the box
    BR_LP_UNBOUNDED,  // z is the best within the box, and the box holds it
    BR_LP_CUTOFF,     // the optimum is at or above `cutoff`
    BR_LP_GAVE_UP     // rounding, the cap on pivots or the end of the work: nothing is known
} br_lp_answer;

typedef struct br_lp {
    int n_max, rows_max;
    int n, rows;
    double *c;     // [n], set by the caller after begin
    double cutoff; // INFINITY unless set
    br_work *work; // what pivots are taken from, set by the caller after create; NULL: no end
    // Answers.
    double *z; // [n]
    double value;
    long pivots; // since begin
    // Private: rows, the active set, its edges and multipliers.
    double *G, *h;
    int impossible, started;
    double loose; // factor on the tolerance of rows
    int *active;  // [n] row, or rows_max + 2 j + (0: z_j <= reach, 1: -z_j <= reach)
    double *edge; // [n * n] row k: how z moves when only active row k gives way; rows of N^-T
    double *normals, *bound, *lambda, *w, *row;
    long double *left;
} br_lp;

int br_lp_create(br_lp *lp, br_arena *arena, int n_max, int rows_max); // 0 when out of memory
void br_lp_begin(br_lp *lp, int n);                                    // no rows, c = 0, no cutoff
int br_lp_row(br_lp *lp, const double *g, double h);                   // g . z <= h; 0: there is no room
br_lp_answer br_lp_solve(br_lp *lp);

#endif
