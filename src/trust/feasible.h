// The friction forces that hold a mechanism at rest: which are unique, how far the others could be others,
// and how much friction it takes.
//
// Rows that hold are the joints', the contacts' normals and the friction directions of pads at rest. The forces that balance
// Q - M a are x = x_0 + Z alpha [Wojtyra2017 sec. 3], of which
//
//     F = { alpha : |f_i| <= mu_i N_i for every pad at rest, N >= 0 of contacts }
//
// are allowed. Pads that slide have f = -N drag, whatever N turns out to be: the accelerations are then unknowns as well (modes.h). A column or a load is unique exactly when it does not change along Z. The coherent part of F
// also opposes one upcoming motion u of the mechanism with friction released: f_i . (A_i^T u) <= 0. c_star is
// the smallest factor on mu_static with F not empty.
#ifndef BR_TRUST_FEASIBLE_H
#define BR_TRUST_FEASIBLE_H

#include "bristle/trust.h"
#include "friction/balance.h"
#include "trust/feasible_search.h"
#include "trust/feasible_span.h"

// Forces x = x0 + scale Z alpha over some columns: those of a balance, for an onset also accelerations.
typedef struct br_family {
    int columns, unknowns;
    double *x0;     // [columns]
    double *Z;      // [unknowns * columns]
    double *length; // [columns] of the column in A: x_c length_c is a generalized force
    double scale;   // size of the forces at the pads, as a generalized force
} br_family;

// factor (coefficient . x), with what is rounding in its dependence on alpha taken out. form->q NULL: no
// memory.
br_affine br_family_form(const br_family *family, br_arena *arena, double factor, const double *coefficient);
// Force and load of a pad of the balance, scaled to order one; *factor is the scale. 0: no memory.
int br_family_pad(const br_family *family, br_arena *arena, const br_balance *b, int pad, br_region_pad *out,
                  double *factor);

typedef struct br_case {
    const br_balance *b;
    br_work *work;    // NULL: no end
    int brief;        // c_star alone is asked for, no intervals of forces
    int *held;        // [columns] nonzero: this row holds
    br_family family; // unknowns: the nullity
    double *
        a_held; // [n] acceleration with every pad at rest stuck; of the joints' rows alone where they cannot all be
    int stays; // 0: accelerations that are prescribed contradict rest
    int loose; // motions that nothing resists while every pad at rest is stuck
    double *L; // [loose * n]
    int permanent_nullity;
    int freedom;
    double *U; // [freedom * n] motions that joints and contacts allow
    int motions;
    double *V;        // [motions * n] those that joints allow
    int rest, moving; // pads at rest, pads that slide
    int *pad;         // [pads] those at rest, then the others
    int *
        twin; // [pads] of the case: an earlier contact at the same place with the same coefficients, which can carry for both; -1
    double *factor;   // [pads] what forces of the region are multiplied with
    br_region region; // forces that hold: its pads are those at rest, then, where any slide, the others
} br_case;

// Motions [count * n] that the marked rows [columns] allow, and the acceleration [n] that their gamma asks for (NULL: not wanted).
br_status br_balance_motions(const br_balance *b, br_arena *arena, const int *mark, int *count,
                             double **motion, double *a, br_error *error);

double br_balance_rate_scale(const br_balance *b, int column);

// `work` is for the searches in the case; making it takes br_case_work, which the caller spends before. NULL: no end.
double br_case_work(const br_balance *b);
br_status br_case_make(const br_balance *b, br_arena *arena, br_work *work, br_case *out, br_error *error);
int br_case_is_plain(const br_case *c); // its region is over the forces of c->family
int br_case_column_unique(const br_case *c, int column);
int br_case_load_unique(const br_case *c, int pad);
int br_case_form_unique(const br_case *c, const double *form,
                        const int *column); // form over other columns, those of the case being column[]

typedef struct br_bounds { // of every friction column of pads at rest, in the order of the region
    double c_star;
    double *low, *high; // [rest * BR_BALANCE_DIRECTIONS], low > high: there are none
} br_bounds;

// *exhaustive is set to 0 when a search stopped at its cap; bounds are then bounds still, not attained.
br_status br_feasible_all(br_case *c, br_arena *arena, br_bounds *out, int *exhaustive, br_error *error);
br_status br_feasible_coherent(br_case *c, br_arena *arena, const br_bounds *all, br_bounds *out,
                               int *exhaustive, br_error *error);

#endif
