// Tendons and what pulls at them, for mjcf/tendon.c and mjcf/actuator.c.
#ifndef BR_IO_IMPORT_MJCF_TENDON_H
#define BR_IO_IMPORT_MJCF_TENDON_H

#include <math.h>

#include "io/import/mjcf/mjcf.h"

enum {
    MJCF_EXPRESSION = 4000, // letters, below what functions allow
};

// A force along the length L: constant - stiffness L - damping L', between low and high.
typedef struct mjcf_force {
    double constant, stiffness, damping, low, high;
    const char *text; // the constant as a function of time, in the arena; NULL: it is one
} mjcf_force;

static inline mjcf_force mjcf_no_force(void) {
    const mjcf_force f = {.low = -INFINITY, .high = INFINITY};
    return f;
}

// The length of a tendon where all joints are at springref, which is where its spring rests unless springlength says.
br_status br_mjcf_tendon_rest(mjcf *m, const mjcf_tendon *tendon, double *length);

#endif
