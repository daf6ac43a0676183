// A node of the search: patches for directions, modes for pads. Private to feasible_search.c and
// feasible_search_node.c.
#ifndef BR_TRUST_FEASIBLE_SEARCH_NODE_H
#define BR_TRUST_FEASIBLE_SEARCH_NODE_H

#include "trust/feasible_search.h"

enum { BR_NODE_RESTS = 0, BR_NODE_SLIDES = 1, BR_NODE_APART = 2, BR_NODE_OPEN = -1 };

double br_node_length(int n, const double *v);
void br_node_values(const br_region *r, int n, const br_affine *forms, const double *alpha, double *out);

// Corner `which` (bits choose low or high) of a patch in n dimensions, or its middle (-1).
void br_node_corner(const br_region_patch *patch, int n, int which, double *out);

// m (unit) and kappa with m . v <= |v| <= kappa m . v for every v in the patch.
double br_node_middle(const br_region_patch *patch, int n, double *m);

// The program of a node into r->lp; every solution with its directions in the patches satisfies its rows.
void br_node_build(br_region *r, const br_search *s, const br_region_patch *patch, const signed char *mode);
// e . f <= the limit of pad i, with the load's bound from above; `patch` is the pad's first.
void br_node_add_cut(br_region *r, const br_search *s, int i, const br_region_patch *patch, int mode,
                     const double *e);

typedef struct br_pad_values {
    double f[BR_REGION_FORMS], slip[BR_REGION_FORMS], lift, load, t;
    double size; // what errors are compared with
} br_pad_values;

br_pad_values br_node_pad_values(const br_region *r, const br_search *s, int i, const double *z);
// How far the law of a pad is broken, relative; of an open mode the one that fits best.
double br_node_broken(const br_region *r, const br_search *s, int i, int mode, const double *z);

#endif
