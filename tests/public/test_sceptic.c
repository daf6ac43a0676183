// Verdicts of random scenes against a truth that is found another way: see tests/support/sceptic_modes.h.
#include "near.h"

#include <stdlib.h>

#include "bristle/bristle.h"
#include "bristle/io.h"
#include "bristle/trust.h"
#include "sceptic_judge.h"

int main(void) {
    const char *part = getenv("SCEPTIC"); // FAMILY or FAMILY:NUMBER, to look at one
    (void)part;
    return sc_main(getenv("SCEPTIC_EACH") ? atoi(getenv("SCEPTIC_EACH")) : 40);
}
