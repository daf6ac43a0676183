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
    // modes wanted besides the rigid ones
    int count;
    // rad/s, of everything about the axis; 0: at rest
    double spin;
    // whose axis it is; NULL: `axis`, or the one axis that joints have with the world
    const char *joint;
    // world; axis zero: not given
    br_vec3 axis, about;
    // clearances that are held where they are: no move across (spherical: none at all)
    const char *const *pinned;
    int pinned_count;
    // NULL: malloc
    const br_allocator *allocator;
} br_modes_def;

br_modes_def br_default_modes_def(void); // 10 modes, at rest

typedef enum br_whirl {
    BR_WHIRL_NONE = 0, // does not move across the axis, or nothing turns
    BR_WHIRL_FORWARD,  // with the spin
    BR_WHIRL_BACKWARD
} br_whirl;

const char *br_whirl_name(br_whirl whirl); // "", "forward", "backward"

typedef struct br_mode {
    // of the eigenvalue, 1/s; imaginary >= 0; the motion grows where real > 0
    double real, imaginary;
    // Hz: imaginary/2 pi
    double frequency;
    // -real/|eigenvalue|; 0 for rigid motions
    double damping;
    // no force opposes it: reported as 0
    int rigid;
    // relative error of the eigenvalue that the numbers' rounding can cause
    double rounding;
    // with a spin
    br_whirl whirl;
    // rad/s beside the shaft, 0 or more; that of the larger share
    double fixed;
    // share of it: 1 for a shaft that is the same in both planes
    double circular;
} br_mode;

// Of a body's origin: real and imaginary part. The largest move is 1 m (of shapes without any: the largest turn 1 rad).
typedef struct br_mode_point {
    br_vec3 move, move_i, turn, turn_i;
} br_mode_point;

typedef struct br_modes {
    // rigid ones first, then by |eigenvalue| (with a spin: as seen from beside)
    int count, rigid;
    br_mode *mode;
    int bodies;
    // [count * bodies], bodies as in the model
    br_mode_point *shape;
    // degrees of freedom
    int freedom;
    // of joints, drives and pins; of them, those that others imply
    int rows, redundant;
    // undamped modes that the others were found from; freedom: exact
    int basis;
    // force that nothing holds at the present configuration, N, torques divided by the model's length; 0 at an equilibrium
    double unbalanced;
    char unbalanced_body[BR_MAX_NAME];
    // one line each
    char notes[1024];
    // private
    void *memory;
} br_modes;

br_status br_modes_find(br_sim *sim, const br_modes_def *def, br_modes *out, br_error *error);
void br_modes_free(br_modes *modes); // accepts a zeroed one

// Where a shaft that turns at `from` .. `to` has lost its stiffness in one plane and not yet in the other: it runs away,
// unless damping from outside prevents it. Of a shaft that is the same in both planes from = to.
typedef struct br_critical_zone {
    // rad/s; to INFINITY: no end was found
    double from, to;
} br_critical_zone;

typedef struct br_criticals {
    int count;
    // rising
    br_critical_zone *zone;
    br_vec3 axis, about;
    char notes[1024];
    void *memory;
} br_criticals;

// At most def->count zones; def->spin is not used. Stiffening of the shaft by the spin itself is not in them.
br_status br_modes_critical(br_sim *sim, const br_modes_def *def, br_criticals *out, br_error *error);
void br_criticals_free(br_criticals *criticals);

typedef struct br_campbell {
    // lines of the table; rigid motions and what decays without turning back are left out
    int speeds, count;
    // [speeds] rad/s
    double *spin;
    // [speeds * count] by `fixed` at the first speed, then each line is followed; NAN: lost
    br_mode *mode;
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
