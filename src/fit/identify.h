// What the data can tell.
#ifndef BR_FIT_IDENTIFY_H
#define BR_FIT_IDENTIFY_H

#include "fit/work.h"

// J'J at the best, correlations, and directions that nothing tells.
br_status br_fit_identify(fit_work *w, br_error *error);

#endif
