// An island as a dense row problem, for the pivoting methods: W = J M^-1 J^T + C (or A + C) and its bounds, in the
// problem's own units; contact laws with flat sides are expanded [TanLiu eqs. 12-15].
#ifndef BR_LCP_PIVOT_FLAT_H
#define BR_LCP_PIVOT_FLAT_H

#include "lcp/island/island.h"
#include "lcp/pivot/polygon_lcp.h"
#include "lcp/pivot/rows_choose.h"

typedef struct br_lcp_flat {
    int expanded;  // through polygon_lcp
    br_law *law;   // [laws], local rows
    double *W, *q; // rows x rows, rows
    double *lower, *upper;
    double *z, *w; // of the row problem
    double *p;     // [rows]
    br_polygon_lcp polygon;
    br_rows_solver *solver;
} br_lcp_flat;

// Rows of the dense problem the island becomes; 0 when one of its laws has no such form (a cone in space, joint
// friction).
int br_lcp_flat_size(const br_problem *problem, const br_lcp_island *s, int *free_rows);

// No less than br_lcp_flat_create takes from an arena for a problem of that size.
size_t br_lcp_flat_bytes(const br_lcp_island *s, int flat_rows, int free_rows);

// NULL when out of memory.
br_lcp_flat *br_lcp_flat_create(br_arena *arena, const br_problem *problem, const br_lcp_island *s);

// Solves the loaded island; its p is the start when warm, and the answer afterwards (evaluated). scale: of multipliers, see
// lemke_scale of br_solver_def.
void br_lcp_flat_solve(br_lcp_flat *f, br_lcp_island *s, const br_rows_options *options, double scale,
                       int warm, br_rows_report *report);

#endif
