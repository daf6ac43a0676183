// The standard form of [TanLiu eqs. 12-15] while it is made. Private to contact_lcp*.c.
//
//     lcp/standard.c        the next step's masses, forces and contacts -> N, B, E, A, q
//     lcp/standard_rows.c   joints that close loops, drives, springs: eliminated from M^-1
//     lcp/solve.c  Lemke, with the two stabilizations of section 5
#ifndef BR_SIM_STUDY_LCP_STANDARD_H
#define BR_SIM_STUDY_LCP_STANDARD_H

#include "base/arena.h"
#include "sim/contact/contact.h"

#define BR_MAX_STANDARD_SIZE 4000 // rows of A, and velocities: matrices are dense

// Rows G v + C l = target that hold whatever the contacts do; l: their impulses. Bounded motors are among them, and
// checked afterwards.
typedef struct br_lcp_rows {
    int rows, rank;
    int *group;       // [rows]
    double *G;        // [rows * m]
    double *target;   // [rows]
    double *free;     // [rows] impulses without contacts, N s
    double *response; // [rows * m] S^+ G M^-1: what an impulse on the velocities takes from them
    double *scale;    // [rows] 1/sqrt of the diagonal of S = G M^-1 G^T + C; 0 for a row that is empty
    double *gross;    // [rows] diagonal of S, if no parts of a row cancelled
    double *L, *K;    // [rows * rank] scaled S = L L^T; [rank * rank] Cholesky factor of L^T L
    double *x, *y;    // [rows] scratch
} br_lcp_rows;

// Rows of all groups but limits. inverse: M^-1 on entry, less what the rows take on return. tau: shifted so that
// M^-1 tau is the motion with the rows and without contacts.
br_status br_lcp_rows_eliminate(br_sim *sim, br_arena *scratch, br_lcp_rows *rows, double *inverse,
                                double *tau, br_error *error);

// "lcp-rows" where the answer of the standard form breaks a limit or asks a motor for more than its largest effort.
br_status br_lcp_rows_check(br_sim *sim, br_arena *scratch, const br_lcp_rows *rows,
                            const br_standard_lcp *lcp, br_error *error);

#endif
