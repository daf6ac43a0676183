// Small vibrations about the present configuration, at rest or while everything turns about one axis.
//
//     br_modes_find       frequencies, damping ratios, shapes
//     br_modes_critical   speeds at which a turning shaft has no stiffness left, and the zones between them
//     br_modes_campbell   frequencies against speed
//
// Velocities of the state are not used. Joints hold, drives hold their positions, springs and beams are those of the
// model with the forces that they carry; clearances are open unless pinned; friction, contacts between shapes and joint
// limits are left out. Whatever is left out and matters is told in `notes`. See docs/theory/modes.md.
//
// With a spin, shapes and eigenvalues are those that an observer sees who turns with the shaft; `whirl` and `fixed` say
// what one beside it sees.
#ifndef BRISTLE_MODES_H
#define BRISTLE_MODES_H

#include "bristle/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct br_modes_def {
    int count;           // modes wanted besides the rigid ones
    double spin;         // rad/s, of everything about the axis; 0: at rest
    const char *joint;   // whose axis it is; NULL: `axis`, or the one axis that joints have with the world
    br_vec3 axis, about; // world; axis zero: not given
    const char *const
        *pinned; // clearances that are held where they are: no move across (spherical: none at all)
    int pinned_count;
    const br_allocator *allocator; // NULL: malloc
} br_modes_def;

br_modes_def br_default_modes_def(void); // 10 modes, at rest

typedef enum br_whirl {
    BR_WHIRL_NONE = 0, // does not move across the axis, or nothing turns
    BR_WHIRL_FORWARD,  // with the spin
    BR_WHIRL_BACKWARD
} br_whirl;

const char *br_whirl_name(br_whirl whirl); // "", "forward", "backward"

typedef struct br_mode {
    double real, imaginary; // of the eigenvalue, 1/s; imaginary >= 0; the motion grows where real > 0
    double frequency;       // Hz: imaginary/2 pi
    double damping;         // -real/|eigenvalue|; 0 for rigid motions
    int rigid;              // no force opposes it: reported as 0
    double rounding;        // relative error of the eigenvalue that the numbers' rounding can cause
    // with a spin
    br_whirl whirl;
    double fixed;    // rad/s beside the shaft, 0 or more; that of the larger share
    double circular; // share of it: 1 for a shaft that is the same in both planes
} br_mode;

// Of a body's origin: real and imaginary part. The largest move is 1 m (of shapes without any: the largest turn 1 rad).
typedef struct br_mode_point {
    br_vec3 move, move_i, turn, turn_i;
} br_mode_point;

typedef struct br_modes {
    int count, rigid; // rigid ones first, then by |eigenvalue| (with a spin: as seen from beside)
    br_mode *mode;
    int bodies;
    br_mode_point *shape; // [count * bodies], bodies as in the model
    int freedom;          // degrees of freedom
    int rows, redundant;  // of joints, drives and pins; of them, those that others imply
    int basis;            // undamped modes that the others were found from; freedom: exact
    double
        unbalanced; // force that nothing holds at the present configuration, N, torques divided by the model's length; 0 at an equilibrium
    char unbalanced_body[BR_MAX_NAME];
    char notes[1024]; // one line each
    void *memory;     // private
} br_modes;

br_status br_modes_find(br_sim *sim, const br_modes_def *def, br_modes *out, br_error *error);
void br_modes_free(br_modes *modes); // accepts a zeroed one

// Where a shaft that turns at `from` .. `to` has lost its stiffness in one plane and not yet in the other: it runs away,
// unless damping from outside prevents it. Of a shaft that is the same in both planes from = to.
typedef struct br_critical_zone {
    double from, to; // rad/s; to INFINITY: no end was found
} br_critical_zone;

typedef struct br_criticals {
    int count;
    br_critical_zone *zone; // rising
    br_vec3 axis, about;
    char notes[1024];
    void *memory;
} br_criticals;

// At most def->count zones; def->spin is not used. Stiffening of the shaft by the spin itself is not in them.
br_status br_modes_critical(br_sim *sim, const br_modes_def *def, br_criticals *out, br_error *error);
void br_criticals_free(br_criticals *criticals);

typedef struct br_campbell {
    int speeds, count; // lines of the table; rigid motions and what decays without turning back are left out
    double *spin;      // [speeds] rad/s
    br_mode *mode; // [speeds * count] by `fixed` at the first speed, then each line is followed; NAN: lost
    char notes[1024];
    void *memory;
} br_campbell;

// speeds >= 1 from `from` to `to` evenly, ends included.
br_status br_modes_campbell(br_sim *sim, const br_modes_def *def, double from, double to, int speeds,
                            br_campbell *out, br_error *error);
void br_campbell_free(br_campbell *campbell);

#ifdef __cplusplus
}
#endif

#endif
