// Verdicts along runs of random scenes against the truth at the states of the reference stepper: see tests/support/sceptic_run.h.
#include "sceptic_run.h"

int main(void) {
    return sc_main_runs(getenv("SCEPTIC_EACH") ? atoi(getenv("SCEPTIC_EACH")) : 4);
}
