// What others ask of armatures, see element_armature.c.
#ifndef BR_SIM_STEPPER_IMPLICIT_ELEMENT_ARMATURE_H
#define BR_SIM_STEPPER_IMPLICIT_ELEMENT_ARMATURE_H

#include "sim/stepper/implicit/implicit.h"

double br_armature_kinetic(br_implicit *f, const br_element *e); // J, at the ends

#endif
