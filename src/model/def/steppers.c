// What the steppers are called and do, see br_stepper_traits. How they do it is in src/sim/stepper.
#include "bristle/model.h"
#include "model/def/words.h"

static int is_stepper(br_stepper stepper) {
    return (int)stepper >= 0 && stepper < BR_STEPPERS;
}

const br_stepper_traits *br_stepper_traits_of(br_stepper stepper) {
    static const br_stepper_traits unknown = {0};
    static const br_stepper_traits traits[BR_STEPPERS] = {
        [BR_STEPPER_CONTACT] = {.impulses = 1},
        [BR_STEPPER_IMPLICIT] = {.adapts = 1, .smooth_friction = 1},
        [BR_STEPPER_REFERENCE] = {.chooses_steps = 1},
        [BR_STEPPER_KINEMATIC] = {.prescribed = 1},
    };
    return is_stepper(stepper) ? &traits[stepper] : &unknown;
}

const char *br_stepper_name(br_stepper stepper) {
    return is_stepper(stepper) ? br_words_stepper[stepper] : "unknown";
}
