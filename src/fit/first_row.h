// Noise of the first row, where the model starts: every row after it shares it.
#ifndef BR_FIT_FIRST_ROW_H
#define BR_FIT_FIRST_ROW_H

#include "fit/work.h"

// After br_fit_identify, whose slopes it takes. r, the residuals at the best, loses what a start beside the first row explains; finds
// what each parameter's profile has to be weighed by. Intervals of whole recordings need none of it.
br_status br_fit_first_row(fit_work *w, double *r, br_error *error);

#endif
