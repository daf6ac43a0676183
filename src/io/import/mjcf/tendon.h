// What pulls at a fixed tendon, for mjcf/tendon.c and mjcf/actuator.c.
#ifndef BR_IO_IMPORT_MJCF_TENDON_H
#define BR_IO_IMPORT_MJCF_TENDON_H

#include <math.h>

#include "io/import/mjcf/mjcf.h"

enum {
    MJCF_EXPRESSION = 4000, // letters, below what functions allow
    MJCF_MAX_TERMS = 8,     // joints that one expression names
};

// A force along the length L: constant - stiffness (L - slack) - damping L', between low and high. slack is the part of
// L between slack_low and slack_high.
typedef struct mjcf_force {
    double constant, stiffness, damping, slack_low, slack_high, low, high;
    const char *text; // the constant as a function of time, in the arena; NULL: it is one
} mjcf_force;

static inline mjcf_force mjcf_no_force(void) {
    const mjcf_force f = {.low = -INFINITY, .high = INFINITY};
    return f;
}

// Efforts coefficient times force on every joint, as drives NAME_JOINT. They are functions of the state where a step begins.
br_status br_mjcf_pull(mjcf *m, const io_xml_node *node, const mjcf_term *term, int terms,
                       const mjcf_force *f, const char *name);

#endif
