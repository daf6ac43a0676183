// Bounded rows of models with many limits, see bounded_pressed.c.
#ifndef BR_SIM_ROWS_BOUNDED_PRESSED_H
#define BR_SIM_ROWS_BOUNDED_PRESSED_H

#include "sim/rows/bounded.h"

br_status br_pressed_create(br_sim *sim, struct br_bounded *b, br_error *error);
void br_pressed_destroy(struct br_pressed *pressed);
br_status br_pressed_solve(br_sim *sim, struct br_bounded *b, br_error *error);

#endif
