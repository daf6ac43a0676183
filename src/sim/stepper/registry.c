// The steppers, see stepper.h.
#include "sim/stepper/stepper.h"

const br_stepper_ops *const br_steppers[BR_STEPPERS] = {
    [BR_STEPPER_CONTACT] = &br_stepper_contact,
    [BR_STEPPER_IMPLICIT] = &br_stepper_implicit,
    [BR_STEPPER_REFERENCE] = &br_stepper_reference,
    [BR_STEPPER_KINEMATIC] = &br_stepper_kinematic,
};
