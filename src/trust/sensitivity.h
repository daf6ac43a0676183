// How friction forces at rest depend on parameters that hardly anybody measures [Wojtyra2017 secs. 3.4, 3.5, 4].
//
// What shares the forces that rigid bodies leave open is one of
//
//     the laws          smooth laws creep, those with bristles slip by microns: one common motion y of the mechanism at rest decides,
//                       f_i = -N_i m_i(W_i y) with W = A^T U the velocity ratios of eq. 24, and y is where the forces balance
//     the compliances   of joints, of stiction, of contacts: the least elastic energy
//     the springs       of the model: the same with their stiffnesses, the mechanism being stiff otherwise
//
// One instant with one such rule is a `br_share`; every parameter has a factor, 1 as the model is. `margin` is the largest |f|/(mu_static N)
// of a pad at rest. Of laws sticking ends where it passes 1 and the others no longer hold the mechanism, at any creep. Of weights a pad
// beyond its limit keeps mu_static N [eq. 20], between springs mu_kinetic N, and it slides when that leaves nothing to hold the
// mechanism; else the margin is told as 1 at most.
#ifndef BR_TRUST_SENSITIVITY_H
#define BR_TRUST_SENSITIVITY_H

#include "friction/law.h"
#include "trust/feasible.h"

typedef enum br_sharing {
    BR_SHARED_BY_NOTHING = 0, // forces are unique, or a rule without physics shares them
    BR_SHARED_BY_LAWS,
    BR_SHARED_BY_WEIGHTS, // compliances or springs
} br_sharing;

typedef struct br_share_parameter {
    char name[72];
    int pad;   // whose law it belongs to; -1: a weight
    int which; // of a law: 0 v_slope, 1 sigma_0, 2 sigma_1, 3 v_stribeck
} br_share_parameter;

typedef struct br_share {
    double t;
    br_sharing sharing;
    br_balance b;                  // a copy of its own
    const br_friction_params *law; // [pads], of contacts and stops not used
    int laws;                      // pads that are rubs: the first so many
    int freedom;
    double *U;       // [freedom * n]
    double *y;       // [freedom] of the last answer, what the next search starts from
    double scale;    // of y
    double loads;    // of a copy on its way: factor on the loads it takes from others; made as 1
    int sprung;      // shared by springs: what passes its limit slips a little, and kinetic friction is left
    br_work *budget; // what every balance is taken from; used up, there is none. NULL: no end
} br_share;

// Copies what it needs of the balance. sprung: it has springs as rows, and they alone share. Nothing is shared where the budget ends.
br_status br_share_make(const br_balance *b, int sprung, int laws, const br_friction_params *law, double t,
                        br_arena *arena, br_work *budget, br_share *out, br_error *error);
// Parameters of a share, of those the ones that all shares of a run have in common come in the same order. Returns the count.
int br_share_parameters(const br_share *share, int most, br_share_parameter *out);

// force [friction columns of pads at rest, pad after pad] may be NULL. Returns the margin; INFINITY: no balance at rest near
// share->y, where the search begins and which it moves; NAN: that is not known.
double br_share_margin(br_share *share, const br_share_parameter *parameter, double factor,
                       br_balance_work *work, double *force);

// A run at rest through shares in the order of time, loads being straight between them. Balances are followed from the first on: one
// that ends, or passes the limit, is where it breaks away. Without a parameter every share keeps where its motion was.
typedef struct br_share_path {
    double margin;     // largest on the way; above 1, or INFINITY: it slides
    double break_away; // s; NAN: it stays
    int undecided;     // neither is known: loads that friction changes left the root they were followed on
} br_share_path;

br_share_path br_share_follow(br_share *const *share, int count, const br_share_parameter *parameter,
                              double factor, br_balance_work *work, br_share *scratch);
br_status br_share_copy(const br_share *share, br_arena *arena, br_share *out, br_error *error);

#endif
