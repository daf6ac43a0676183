// Refusals that several steppers share. Private to src/sim/stepper.
#ifndef BR_SIM_STEPPER_REFUSE_H
#define BR_SIM_STEPPER_REFUSE_H

#include "model/model.h"

// Beams and clearances: the kinematic stepper has neither, so that no advice may lead to it.
int br_model_is_flexible(const br_model *model);
// Beams, clearances and steps that vary: of steppers of rigid bodies.
br_status br_refuse_flexible(const br_model *model, br_error *error);
br_status br_refuse_adaptive(const br_model *model, br_error *error); // steps that vary alone
br_status br_refuse_tendons(const br_model *model,
                            br_error *error); // of the implicit stepper, static and modes
// Armature of a joint that closes a loop: of steppers in joint coordinates.
br_status br_refuse_loop_armature(const br_model *model, br_error *error);
// A drive that holds a motion within a largest effort: it sticks and slips like friction.
int br_drive_is_bounded_motor(const br_model_drive *drive);

#endif
