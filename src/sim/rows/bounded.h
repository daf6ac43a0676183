// Bounded rows: what bounded.c and bounded_pressed.c share.
#ifndef BR_SIM_ROWS_BOUNDED_H
#define BR_SIM_ROWS_BOUNDED_H

#include "sim/core/sim.h"

// Compliance given to exact rows, relative to their own W: dependent ones stay solvable.
#define BR_EPS_EXACT_COMPLIANCE 1e-11
#define BR_EPS_USABLE 1e-6 // residual at which an answer that did not converge still serves the step

typedef struct br_neighbour {
    int group;
    const br_pair *pair; // NULL: the group itself
} br_neighbour;

struct br_bounded {
    br_solver *solver;
    br_problem problem;
    br_system all; // every group; only its pattern and row numbers are used
    br_law *law;
    int *row_start, *column;
    int *near_start;    // [groups + 1]
    br_neighbour *near; // groups that share velocities with each group
    double *value, *offset, *compliance, *w;
    double *
        force; // [rows] what the next solve starts from, where br_moment.bounds_known: in the block of the state
    double *aside; // [rows] kept while an instant is read, and
    int aside_known;
    int entries;
    struct br_pressed *pressed; // NULL: all of the above, of every group. Else only `all`, force and aside
    int rows;                   // of every group
};

br_solver_def br_bounded_solver(const br_sim *sim);
double br_bounded_compliance(const br_system *all, int group, int row,
                             double own);              // own: W of the row itself
br_law br_bounded_law(const br_group *group, int row); // with its bounds
// Books a report; an error where nothing that serves was found.
br_status br_bounded_judge(br_sim *sim, const br_solve_report *report, br_error *error);

#endif
