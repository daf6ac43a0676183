// Slides from rest that are easy to find, before all modes are searched (modes.h). Once with mu = mu_static for what slides and once
// with mu_kinetic.
#ifndef BR_TRUST_ONSET_H
#define BR_TRUST_ONSET_H

#include "trust/feasible.h"

typedef struct br_onset {
    int consistent; // there is one
    int pad;        // of the balance: one that slides, the fastest
    int *moves;     // [pads] of the balance: those that slide or part
    double *x;      // [columns] forces of that start
} br_onset;

// From the motion that the loads ask for; 1: *out is one. onset_slide.c
int br_onset_slide(const br_case *c, br_arena *arena, int kinetic, br_onset *out);
// Slides of bodies on contacts alone, with two or three freedoms, whatever their loads; 1: *out is one. onset_grid.c
int br_onset_grid(const br_case *c, br_arena *arena, int kinetic, br_onset *out);

#endif
