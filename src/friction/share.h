// Friction forces that keep everything at rest which rests, with the least of what they could be: the largest |f_i|/(mu_static_i N_i) as small as
// possible. Where joints at rest are tied to each other, many shares balance the same loads; this one has the most in reserve.
#ifndef BR_FRICTION_SHARE_H
#define BR_FRICTION_SHARE_H

#include "friction/refutation.h"

// f: [n]. used: the largest part of its limit that a pad needs, at most 1 where the forces are admissible. 0: nothing was found.
int br_share_find(const br_refutation_problem *problem, double *f, double *used);
// N of a pad at the forces f.
double br_share_load(const br_refutation_problem *problem, int pad, const double *f);
void br_share_rates(const br_refutation_problem *problem, const double *f, double *rate); // [n]

#endif
