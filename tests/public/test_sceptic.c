// Verdicts of random scenes against a truth that is found another way: see tests/support/sceptic_modes.h. SCEPTIC=FAMILY or FAMILY:NUMBER
// looks at one, with its YAML; SCEPTIC_EACH=N takes N of each family, SCEPTIC_SEED=N others.
#include "sceptic_judge.h"

int main(void) {
    return sc_main(getenv("SCEPTIC_EACH") ? atoi(getenv("SCEPTIC_EACH")) : 25);
}
