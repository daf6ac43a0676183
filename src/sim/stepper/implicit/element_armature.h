// What others ask of armatures, see element_armature.c.
#ifndef BR_SIM_STEPPER_IMPLICIT_ELEMENT_ARMATURE_H
#define BR_SIM_STEPPER_IMPLICIT_ELEMENT_ARMATURE_H

#include "sim/stepper/implicit/implicit.h"

#endif
