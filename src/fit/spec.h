// The keys of a spec.
#ifndef BR_FIT_SPEC_H
#define BR_FIT_SPEC_H

#include "fit/measured.h"

// Reads the spec, or takes the path as a model's.
br_status br_fit_spec_read(br_measured *m, br_error *error);

#endif
