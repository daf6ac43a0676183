// The noise of measurements, from what a prediction leaves over.
#ifndef BR_FIT_NOISE_H
#define BR_FIT_NOISE_H

#include "fit/problem.h"

double br_noise_spread(const br_measured *m, const fit_group *g);

// Of residuals in standard deviations of the problem: sums of squares in the unit, and how many numbers; both [groups].
void br_noise_sums(const fit_problem *s, const double *r, double *sum, double *count);

// Part of the numbers that are independent of each other.
double br_noise_share(const fit_problem *s, const double *r);

#endif
