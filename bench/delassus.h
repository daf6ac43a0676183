// W = J M^-1 J^T and q = J M^-1 f + b, for solvers that start from them. Built outside of every timing.
#ifndef BENCH_DELASSUS_H
#define BENCH_DELASSUS_H

#include "contact.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct delassus {
    int contacts;
    int *row_start;                 // [contacts + 1]
    int *column;                    // [blocks], rising within a row
    double *block;                  // [blocks][3][3], row-major
    double *q;                      // [contacts][3]
    const double *mu;               // [contacts], borrowed from the problem
    const contact_problem *problem; // borrowed
} delassus;

// M^-1, body by body: [bodies][6][6]. The caller frees it. NULL when a block is not positive definite.
double *inverse_mass(const contact_problem *problem);

delassus *delassus_create(const contact_problem *problem);
void delassus_destroy(delassus *W); // accepts NULL

// The same as a full matrix with `stride` doubles from row to row; zeroed by the caller.
void delassus_to_dense(const delassus *W, double *dense, int stride);

#ifdef __cplusplus
}
#endif

#endif
