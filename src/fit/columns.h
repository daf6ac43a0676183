// What columns are, and their units.
#ifndef BR_FIT_COLUMNS_H
#define BR_FIT_COLUMNS_H

#include "fit/measured.h"

// Which columns of the first recording are used and what they are; groups of them. sim: of the model.
br_status br_fit_columns_find(br_measured *m, const fit_table *first, br_sim *sim, br_error *error);

// The factor from the unit of a column to the channel's.
br_status br_fit_column_scale(const fit_column *column, const fit_table *table, int at, double *scale,
                              br_error *error);

// "5 mm" -> 0.005 and its powers of m, kg, s, rad. 0: it is no constant number.

int br_fit_quantity(const char *text, double *value, br_exponents *dim, int *has_unit);

#endif
