// Can it slide from rest? Is there an acceleration, other than rest of every pad at rest, that Coulomb's law
// allows:
//
//     M a = Q + A x;   each pad at rest rests on (|f| <= mu_static N, no slip), or starts to slide (f = -mu N against its slip), or,
//     a contact, parts.
//
// [Wojtyra2017 eq. 6 at rest] once with mu = mu_static for what slides and once with mu_kinetic. All modes
// and, where redundant rows leave them open, all forces are searched by branch and bound, up to 3^7 linear
// programs.
#ifndef BR_TRUST_ONSET_H
#define BR_TRUST_ONSET_H

#include "trust/feasible.h"

#define BR_MAX_ONSET_NODES 2187       // 3^7
#define BR_MAX_ONSET_NODES_VECTOR 700 // where slips have several directions: more would rarely prove more
#define BR_EPS_ONSET 1e-9             // slip acceleration that counts, relative
#define BR_EPS_ONSET_VECTOR 1e-6      // the same with loads or slips of several directions

typedef struct br_onset {
    int consistent;                     // it can
    int pad;                            // of the balance: one that slides
    double slip[BR_BALANCE_DIRECTIONS]; // its acceleration, m/s2
    double *x;                          // [columns] forces of that start
} br_onset;

br_status br_onset_find(const br_case *c, br_arena *arena, int kinetic, br_onset *out, int *exhaustive,
                        br_error *error);

// Only slides that are easy to find; 1: *out is one. onset_slide.c
int br_onset_slide(const br_case *c, br_arena *arena, int kinetic, br_onset *out);
// Slides of bodies on contacts alone, with two or three freedoms, whatever their loads; 1: *out is one. onset_grid.c
int br_onset_grid(const br_case *c, br_arena *arena, int kinetic, br_onset *out);

#endif
