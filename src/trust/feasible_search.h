// Search of the forces that Coulomb's law allows: everything is a linear form p + q . alpha of a few unknowns
// alpha.
//
//     at rest    |f| <= c mu N + t D,   N = linear + sum |n_k|        (and, when motions are asked about: slip = 0, lift = 0)
//     slides     f = -mu_slip N slip / |slip|, lift = 0
//     apart      f = 0, N = 0, lift >= 0                              (contacts)
//
// The load of a joint is a sum of norms, so |f| <= mu N is reverse-convex. Branch and bound: the direction of
// each n_k (and of each slip) is put into a patch of a cube's surface, a cone in which |n| <= kappa m . n is
// a linear bound from above and m . n one from below; every node is a linear program that contains all
// solutions with their directions in its patches. Patches are taken up and halved where the optimum breaks
// the law and only there; |f| is bounded by cutting planes. Single forms have two patches, their signs, and
// are exact. What a search returns is a bound that holds, and a point that keeps the law to 1e-10 where it
// found one.
#ifndef BR_TRUST_FEASIBLE_SEARCH_H
#define BR_TRUST_FEASIBLE_SEARCH_H

#include "trust/lp.h"

#define BR_REGION_NORMS 4
#define BR_REGION_FORMS 3
#define BR_REGION_CUTS 48        // per pad
#define BR_REGION_STACK 400      // open nodes
#define BR_EPS_LAW 1e-10         // how well a point keeps the law, relative
#define BR_MAX_REGION_NODES 4096 // of one search: 2^12

typedef struct br_affine { // p + q . alpha
    double p;
    const double *q; // [unknowns]
} br_affine;

typedef struct br_region_norm {
    int forms;
    br_affine form[BR_REGION_FORMS];
} br_region_norm;

enum { BR_MAY_REST = 1, BR_MAY_SLIDE = 2, BR_MAY_PART = 4 };

typedef struct br_region_pad {
    int directions;
    br_affine f[BR_REGION_FORMS];
    br_affine linear; // part of the load without a norm; of a contact all of it, >= 0
    int contact;
    int norms;
    br_region_norm norm[BR_REGION_NORMS];
    double mu_rest, mu_slip;
    int may;    // what it may do
    int moving; // slides already, along `along`: only its force is asked about
    int slides; // the first so many directions are those it can slide in
    int motion; // slip, and lift of a contact, are given
    br_affine slip[BR_REGION_FORMS], lift;
    double along[BR_REGION_FORMS];
    int group; // whose motion it slips by, -1: by its own (feasible_group.h); create sets it
    double share[2][BR_REGION_FORMS]; // of the group's motions in its slips
} br_region_pad;

typedef struct br_region_group { // motions by which several contacts slip
    int forms;
    br_affine form[BR_REGION_FORMS];
} br_region_group;

enum { BR_PATCH_OPEN = -1, BR_PATCH_STILL = -2 };

typedef struct br_region_patch {
    int face; // 2 axis + (1: negative), -1: any direction, of a group also BR_PATCH_STILL
    double low[2], high[2];
} br_region_patch;

typedef struct br_region {
    int unknowns;
    int pads;
    br_region_pad *pad;
    int groups; // found by create
    br_region_group *group;
    int rows, rows_max; // forms that must be <= 0
    br_affine *row;
    double *weight;     // [pads] D
    signed char *fixed; // [pads] made by create as -1: any mode; else the mode that every search gives it
    br_work *work;      // what nodes and pivots are taken from, set before create; NULL: no end
    long nodes,
        nodes_max; // linear programs solved, and how many at most in all searches together; 0: no such cap
    // Private.
    int patches;
    int *first;                // [pads] its patches: one per norm, then of its slip
    int first_group;           // after them those of the groups
    int *cuts, *oldest;        // [pads]
    double *cut;               // [pads * BR_REGION_CUTS * BR_REGION_FORMS] unit
    br_region_patch *patch;    // [stack * patches], the last is the node at work
    signed char *mode;         // [stack * pads] -1: open, else 0 rests, 1 slides, 2 apart
    double *bound;             // [stack]
    double *line, *point;      // [unknowns + 1], [unknowns]
    struct br_cone_room *room; // feasible_cone.c
    br_lp lp;
} br_region;

// The caller has set unknowns, pads, pad and rows_max (rows may come later). 0: no memory.
int br_region_create(br_region *region, br_arena *arena);

typedef struct br_search {
    br_affine objective;       // to be minimized; not used with `level`
    int level;                 // minimize t instead, else t = 0
    double factor;             // c
    double stop_below;         // a point with a smaller value ends the search; -INFINITY
    int first_pad, first_face; // this pad slides, its slip on this face; -1: nothing said
    int first_group;           // or this group, its motion on that face; -1
    double known;              // the caller has a point as good as this: only better ones matter; INFINITY
    const double *inside; // [unknowns] a point where every pad may rest, to start from; NULL. Not for motions
    // Answers.
    int found, endless;  // a point; it lies at infinity
    double value, bound; // of the point; nothing is below
    int complete;        // 0: stopped by a cap
    double *alpha;       // [unknowns] the caller's
} br_search;

br_search br_search_default(double *alpha);
void br_region_search(br_region *region, br_search *search);

double br_form_value(const br_region *region, const br_affine *form, const double *alpha);
double br_region_load(const br_region *region, int pad, const double *alpha);
double br_region_force(const br_region *region, int pad, const double *alpha); // |f|

#endif
