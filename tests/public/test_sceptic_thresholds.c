// c* as printed for random scenes, run by the reference stepper just below and just above it: see tests/support/sceptic_threshold.h.
#include "sceptic_threshold.h"

int main(void) {
    return sc_main_thresholds(getenv("SCEPTIC_EACH") ? atoi(getenv("SCEPTIC_EACH")) : 10);
}
