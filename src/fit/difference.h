// How far a row is from what was predicted of it.
#ifndef BR_FIT_DIFFERENCE_H
#define BR_FIT_DIFFERENCE_H

#include "fit/measured.h"

// Distance of prediction and measurement in a row: components into e [3], of a rotation its vector in rad. Returns how many.
int br_fit_difference(const fit_group *g, const double *measured, const double *predicted, double e[3]);

#endif
