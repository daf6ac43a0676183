// The list of steppers, a row each in the order of br_stepper: constant, word of the format, traits. Words and traits
// (steppers.c) and the table of what they do (sim/stepper) are made from it.
#ifndef BR_MODEL_DEF_STEPPERS_H
#define BR_MODEL_DEF_STEPPERS_H

#define BR_STEPPER_LIST(ROW)                                                                                 \
    ROW(CONTACT, contact, .impulses = 1)                                                                     \
    ROW(IMPLICIT, implicit, .adapts = 1, .smooth_friction = 1)                                               \
    ROW(REFERENCE, reference, .chooses_steps = 1, .remembers = 1)                                            \
    ROW(KINEMATIC, kinematic, .prescribed = 1)

#endif
