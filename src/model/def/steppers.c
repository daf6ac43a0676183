// What the steppers are called and do, see br_stepper_traits. How they do it is in src/sim/stepper.
#include "bristle/model.h"
#include "model/def/steppers.h"
#include "model/def/words.h"

const char *const br_words_stepper[] = {
#define WORD_ROW(constant, word, ...) #word,
    BR_STEPPER_LIST(WORD_ROW) NULL};

static int is_stepper(br_stepper stepper) {
    return (int)stepper >= 0 && stepper < BR_STEPPERS;
}

const br_stepper_traits *br_stepper_traits_of(br_stepper stepper) {
    static const br_stepper_traits unknown = {0};
    static const br_stepper_traits traits[BR_STEPPERS] = {
#define TRAITS_ROW(constant, word, ...) [BR_STEPPER_##constant] = {__VA_ARGS__},
        BR_STEPPER_LIST(TRAITS_ROW)};
    return is_stepper(stepper) ? &traits[stepper] : &unknown;
}

const char *br_stepper_name(br_stepper stepper) {
    return is_stepper(stepper) ? br_words_stepper[stepper] : "unknown";
}
