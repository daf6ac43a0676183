// That an instant with joint friction has no solution, as a list of boxes that anybody can check.
//
//     l = l_0 + L f,   N_i = preload_i + sum of |l_k| over its norms      loads
//     r = r_0 + R f                                                       rates of slip, of what is at rest
//     slides:   f_i = mu N_i                                              f_i >= 0, one number, its direction being given
//     rests:    |f_i| <= mu_static N_i, and where r_i /= 0   f_i = -mu_kinetic N_i r_i/|r_i|
//
// Forces have no bound, so boxes are in homogeneous coordinates (f, tau), f/tau being the forces: the surface of the cube |f_j| <= 1,
// 0 <= tau <= 1, whose sides f_j = +-1 hold the forces that are large, and at tau = 0 those beyond all bounds (the recession test). On
// a box the law of one pad is seen to fail by interval arithmetic: that pad is the box's reason. A tree of such boxes over all sides is the
// proof. It is about the numbers l_0, L, r_0, R, which are rounded: boxes count only if they fail by BR_EPS_REFUTED of the terms, too.
//
// No body, no joint: see sim/friction/decide_prove.c for those. Memory comes from the arena. Bit-reproducible; work is counted in boxes.
#ifndef BR_FRICTION_REFUTATION_H
#define BR_FRICTION_REFUTATION_H

#include "base/arena.h"

#define BR_MAX_REFUTATION_FORCES 16
#define BR_REFUTATION_NORMS 4
#define BR_EPS_REFUTED 1e-9

typedef struct br_refutation_pad {
    int first, n; // its forces are f[first .. first + n); of what slides one
    int slides;
    double mu_static, mu_kinetic; // slides: mu_kinetic
    double preload;
    int norms, form[BR_REFUTATION_NORMS], forms[BR_REFUTATION_NORMS]; // first of each and how many
} br_refutation_pad;

typedef struct br_refutation_problem {
    int n, pads, forms;
    double *l0, *L; // [forms], [forms * n]
    double *r0, *R; // [n], [n * n]
    br_refutation_pad *pad;
} br_refutation_problem;

typedef struct br_refutation_node {
    int axis; // >= 0: the box is cut across this coordinate (n: tau) at `at`, the lower part's tree follows, then the upper's
    int pad;  // axis -1: whose law fails all over the box; -1: open
    double at;
} br_refutation_node;

// Sides in this order: tau = 1; then for each force j f_j = 1 and, unless its pad slides, f_j = -1. Each has its tree, one after
// the other. Forces of pads that slide are >= 0.
typedef struct br_refutation {
    int proved; // every box has a reason
    int open;   // boxes that have none: at most BR_EPS_REFUTED_BOX wide, or beyond the budget
    int nodes;
    br_refutation_node *node;
    double scale[BR_MAX_REFUTATION_FORCES];     // unit of each force, N
    br_refutation_problem scaled;               // the problem in these units: what the boxes are about
    double candidate[BR_MAX_REFUTATION_FORCES]; // in N: the middle of the first box that is open for its size
    int candidates;
} br_refutation;

// 0: out of memory, or too many forces. most: nodes. more: where friction does not contract, how many times the forces that loads without
// friction allow the cube is large.
int br_refutation_find(br_arena *arena, const br_refutation_problem *problem, int most, double more,
                       br_refutation *out);

#endif
