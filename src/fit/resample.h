// Intervals by drawing whole recordings again.
#ifndef BR_FIT_RESAMPLE_H
#define BR_FIT_RESAMPLE_H

#include "fit/work.h"

// After br_fit_identify.
br_status br_fit_resample(fit_work *w, br_error *error);

#endif
