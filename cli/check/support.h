// Where the centre of mass lies over what carries it, for bristle check.
#ifndef CHECK_SUPPORT_H
#define CHECK_SUPPORT_H

#include "bristle/io.h"
#include "bristle/sim.h"
#include "bristle/text.h"

// A line for each free body that others hang on and that stands on something fixed; nothing for others.
void check_print_support(br_sim *sim, const br_model *model);
void check_json_support(br_json *json, br_sim *sim, const br_model *model);

#endif
