// A measured set with more settings of the model.
#ifndef BR_FIT_DERIVE_H
#define BR_FIT_DERIVE_H

#include "fit/measured.h"

// Shares everything of the first, which must outlive it.
br_status br_fit_derive(const br_measured *m, const br_override *more, int count, br_measured **out,
                        br_error *error);

#endif
