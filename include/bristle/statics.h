// Static equilibrium: the forces of all elements at rest, with loads, efforts and gravity times a load factor.
//
//     br_static_settings s = br_default_static_settings();
//     br_sim_static(sim, &s, NULL, NULL, &report, &error);
//
// The factor goes from 0 to `until` in steps; each point of the path is found to rounding. Load stepping raises the
// factor; arc length follows the path where the factor turns, as in snap-through and snap-back. Functions of time are
// taken at the time of the simulation, prescribed velocities count as a hold, friction is left out. Every point says
// whether it is stable, and where that changes is located. For models with solver: {stepper: implicit}. See
// docs/theory/statics.md.
#ifndef BRISTLE_STATICS_H
#define BRISTLE_STATICS_H

#include "bristle/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct br_static_settings {
    // load factor at the end; not 0
    double until;
    // length of the first step: until/steps. Steps are halved where Newton's method fails, and grow again
    int steps;
    // points of the path at most
    int max_steps;
    // nonzero: arc length
    int arc;
} br_static_settings;

br_static_settings br_default_static_settings(void); // 1, 10, 1000, 0

// One point of the path. The simulation is there: its channels can be read, and so can reactions and section forces.
typedef struct br_static_point {
    // 0: the first, unloaded unless nothing but the loads holds the mechanism
    int step;
    // of the loads
    double factor;
    // Newton's
    int iterations;
    // force that is left on a body, relative to the largest forces on a body
    double residual;
    // largest of a body's frame from where the simulation was, m
    double displacement;
    // whose it is
    int body;
    // Stability, of the motion linearized about this very point. Stable: all three are 0.
    // motions that run away; -1: not judged
    int unstable;
    // motions that swing with a growing size: only loads without a potential do that; -1: not judged
    int flutter;
    // motions that no force opposes and none drives; -1: not looked for
    int neutral;
    // of the fastest of them, 1/s
    double growth;
    // nonzero: the stiffness is symmetric here, as under loads that have a potential
    int potential;
    // sign of the stiffness' determinant on what joints leave free; -1: unstable in any case
    int determinant;
} br_static_point;

typedef int (*br_static_callback)(void *context, const br_static_point *point); // nonzero: the path ends here

typedef enum br_static_event_kind {
    BR_STATIC_MAXIMUM = 0, // limit points: the factor turns
    BR_STATIC_MINIMUM,
    BR_STATIC_BRANCH, // the number of motions that run away changes though the factor does not turn: paths cross
    BR_STATIC_FLUTTER, // the number of motions that flutter changes
} br_static_event_kind;

typedef struct br_static_event {
    br_static_event_kind kind;
    // of the point after it
    int step;
    // factor just before it
    double from;
    // where it is, to 1e-6 of itself
    double factor;
    // how many motions
    int unstable_before, unstable_after, flutter_before, flutter_after;
} br_static_event;

enum { BR_MAX_STATIC_EVENTS = 32, BR_MAX_STATIC_TEXT = 256 };

typedef struct br_static_report {
    br_static_point last;
    // nonzero: the factor is `until`
    int reached;
    int points, iterations, rejected;
    // of the path; the first BR_MAX_STATIC_EVENTS are kept
    int events;
    br_static_event event[BR_MAX_STATIC_EVENTS];
    // a neutral motion of the last point, in words; "": there is none
    char free[BR_MAX_STATIC_TEXT];
    // why the path does not begin at the factor 0; "": it does
    char start[BR_MAX_STATIC_TEXT];
    // what is left out and by whose name, a line each
    char notes[1024];
} br_static_report;

// Leaves the simulation at the last point that was found, also after a failure: velocities are zero, the time
// is as it was, the ledger starts again. `each` (may be NULL) is called at every point, from the unloaded one
// on. out may be NULL.
br_status br_sim_static(br_sim *sim, const br_static_settings *settings, br_static_callback each,
                        void *context, br_static_report *out, br_error *error);

const char *br_static_event_name(br_static_event_kind kind); // maximum, minimum, branch, flutter

#ifdef __cplusplus
}
#endif

#endif
