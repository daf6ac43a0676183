// Intervals by profile likelihood.
#ifndef BR_FIT_INTERVAL_H
#define BR_FIT_INTERVAL_H

#include "fit/work.h"

// By how much the likelihood falls, as chi squared, at a cost.
double br_fit_rise(const fit_work *w, double cost);

// After br_fit_identify.
br_status br_fit_profile(fit_work *w, br_error *error);

// Of a standard deviation: n numbers whose squares have that sum.
void br_fit_noise_interval(fit_work *w, br_fit_estimate *out, double n, double sum);

#endif
