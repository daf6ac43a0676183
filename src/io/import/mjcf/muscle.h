// Muscles, for mjcf/actuator.c.
#ifndef BR_IO_IMPORT_MJCF_MUSCLE_H
#define BR_IO_IMPORT_MJCF_MUSCLE_H

#include "io/import/mjcf/tendon.h"

// Numbers of gain and bias: range[2], force, scale, lmin, lmax, vmax, fpmax, fvmax. Time constants of rising and falling, and how
// smoothly one changes into the other.
typedef struct mjcf_muscle {
    double tau[3], gain[9], bias[9];
} mjcf_muscle;

// What it acts on, and how.
typedef struct mjcf_muscle_at {
    const char *joint; // a joint of one coordinate, or a tendon
    double gear, control, activation, low, high;
    int passive; // it has the force of a stretched muscle, too
} mjcf_muscle_at;

mjcf_muscle br_mjcf_muscle_usual(void);
br_status br_mjcf_read_muscle(const mjcf *m, mjcf_element own, mjcf_muscle *out);
// The effort as an expression of at most MJCF_EXPRESSION letters. *made 0: it is not represented, and a note says why.
br_status br_mjcf_muscle_force(mjcf *m, mjcf_element e, const mjcf_muscle *muscle, const mjcf_muscle_at *at,
                               char *out, int *made);

#endif
