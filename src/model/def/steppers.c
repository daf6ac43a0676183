// What the steppers are called and do, see br_stepper_traits. How they do it is in src/sim/stepper.
#include "bristle/model.h"

const br_stepper_traits *br_stepper_traits_of(br_stepper stepper) {
    static const br_stepper_traits unknown = {.name = "unknown"};
    static const br_stepper_traits traits[BR_STEPPERS] = {
        [BR_STEPPER_CONTACT] = {.name = "contact", .impulses = 1},
        [BR_STEPPER_IMPLICIT] = {.name = "implicit", .adapts = 1, .smooth_friction = 1},
        [BR_STEPPER_REFERENCE] = {.name = "reference", .chooses_steps = 1},
        [BR_STEPPER_KINEMATIC] = {.name = "kinematic", .prescribed = 1},
    };
    return (int)stepper >= 0 && stepper < BR_STEPPERS ? &traits[stepper] : &unknown;
}

const char *br_stepper_name(br_stepper stepper) {
    return br_stepper_traits_of(stepper)->name;
}
