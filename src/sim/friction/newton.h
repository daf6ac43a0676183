// The friction of a step as a small dense problem. Private to src/sim.
//
//     u = u_0 + G f            slip at the step's end, m/s, of rows: rubs, and whatever else is bounded
//     l = l_0 + L f            forms of reactions, N = preload + sum of |l_k| over its norms
//
// and for each block of rows a law between f and u. Exact derivatives, so Newton's method ends in a few iterations; loads that grow
// with friction faster than friction itself are nothing special to it. No body, no joint: see friction/step_response.c for those.
#ifndef BR_SIM_FRICTION_NEWTON_H
#define BR_SIM_FRICTION_NEWTON_H

#include "friction/law.h"
#include "tree/pad.h"

typedef enum br_rub_kind {
    BR_RUB_DISK =
        0, // |f| <= mu N, f against v + c (f - last), v = (1 - share) start + share u: elastic, then sliding
    BR_RUB_FUNCTION, // f = -N mu(u, z)
    BR_RUB_BOX,      // |f| <= bound, as disk without a load
    BR_RUB_LOWER,    // f >= 0, u >= 0
} br_rub_kind;

typedef struct br_rub_block {
    br_rub_kind kind;
    int first, rows;
    double c, last[BR_MAX_SLIDING];      // m/s per N; N
    double mu, bound;                    // disk; box
    int held;                            // disk: tried without its bound
    double share, start[BR_MAX_SLIDING]; // disk
    const br_friction_params *law;       // function
    const double *z;
    double preload;
    int norms, form[BR_MAX_PAD_NORMS]; // first form of each
    int forms[BR_MAX_PAD_NORMS];       // and how many
} br_rub_block;

typedef struct br_rub_problem {
    int rows, blocks, forms;
    double h;
    double *G, *u0;      // [rows * capacity], [rows]: row i of G begins at i * capacity
    double *L, *l0;      // [forms * capacity], [forms]
    br_rub_block *block; // [blocks]
    int capacity;        // of rows
    // scratch
    double *f, *u, *l, *R, *d, *weight, *best; // [rows], l [forms]
    double *J;                                 // [rows * rows]
    double *dN;                                // [rows]
    double *path;                              // [(rows + 1) * (rows + 6)]
    int *pivot;                                // [rows + 1]
    double soft;    // of G's diagonal: least compliance of disks while a solution is looked for
    int iterations; // so far
} br_rub_problem;

double br_rub_problem_load(const br_rub_problem *p, int block); // N at the forces in f
// From the forces in f; 1: solved, to about 1e-10 of the forces. worst: block that is furthest from its law, off: by how much of mu N.
int br_rub_problem_solve(br_rub_problem *p, int *worst, double *off);

#endif
