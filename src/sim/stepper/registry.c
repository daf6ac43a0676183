// The steppers, see stepper.h. A stepper's table is br_stepper_WORD, at the end of its folder's stepper.c.
#include "sim/stepper/stepper.h"

const br_stepper_ops *const br_steppers[BR_STEPPERS] = {
#define TABLE_ROW(constant, word, ...) [BR_STEPPER_##constant] = &br_stepper_##word,
    BR_STEPPER_LIST(TABLE_ROW)};
