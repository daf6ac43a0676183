// What channels read: the quantities of one element, computed together. A channel is a place in one reading; channels of
// one element that are read together cost one computation.
#ifndef BR_SIM_READ_READING_H
#define BR_SIM_READ_READING_H

#include "sim/core/sim.h"

// In order: what a reading holds, and what index and part mean.
typedef enum br_reading {
    BR_READ_SCALARS,            // [BR_SCALARS]
    BR_READ_BODY,               // position, centre of mass, rotation (w x y z), velocity, angular velocity
    BR_READ_BODY_ACCELERATION,  // linear, angular
    BR_READ_FRAME,              // position, rotation; index: numbered through the bodies
    BR_READ_JOINT_POSITION,     // [nq]
    BR_READ_JOINT_VELOCITY,     // [nv]
    BR_READ_JOINT_ACCELERATION, // [nv]
    BR_READ_REACTION,           // force and torque in M, force and torque in the world
    BR_READ_TENSION,            // index: joint, a tendon
    BR_READ_SENSOR,             // index: sensor
    BR_READ_STOP,               // index: joint, part: coordinate
    BR_READ_FRICTION,           // index: joint, part: br_friction_of + BR_FRICTION_KINDS * number
    BR_READ_DRIVE,
    BR_READ_CONTACT,     // all but the gap; index: pair of shapes, part: number of the contact within it
    BR_READ_CONTACT_SUM, // see contact_sum.h; index and part: its two sides
    BR_READ_GAP,         // of the same; apart, because that of a contact that is not there is a search
    BR_READ_BEAM,        // force, moment; index: a body that is a node
    BR_READ_STATION,     // see flex_channel.h
    BR_READ_CLEARANCE,
    BR_READINGS
} br_reading;

enum { BR_MAX_READING = 20 }; // numbers in one

typedef struct br_reading_place {
    br_reading reading;
    int index, part;
    int offset; // of the channel in the reading
} br_reading_place;

typedef enum br_scalar {
    BR_SCALAR_TIME,
    BR_SCALAR_KINETIC,
    BR_SCALAR_POTENTIAL,
    BR_SCALAR_ELASTIC,
    BR_SCALAR_TOTAL,
    BR_SCALAR_INPUT,
    BR_SCALAR_FRICTION,
    BR_SCALAR_IMPACT,
    BR_SCALAR_DAMPING,
    BR_SCALAR_SCHEME,
    BR_SCALAR_UNACCOUNTED,
    BR_SCALAR_STEP,
    BR_SCALAR_ITERATIONS,
    BR_SCALAR_RESIDUAL,
    BR_SCALAR_STATUS,
    BR_SCALAR_LOOP_ERROR,
    BR_SCALAR_METHOD,        // of models in which something can touch
    BR_SCALAR_STEP_BY_ERROR, // of solver.adaptive
    BR_SCALAR_STEP_BY_CONTACT,
    BR_SCALAR_STEP_BY_FRICTION,
    BR_SCALARS
} br_scalar;

typedef enum br_friction_of {
    BR_FRICTION_FORCE,  // of directions that slide
    BR_FRICTION_TORQUE, // of directions that turn
    BR_FRICTION_NORMAL, // of pads
    BR_FRICTION_KINDS
} br_friction_of;

int br_friction_count(const br_sim *sim, br_friction_of which, int joint);

// q and -q are one rotation: the one that channels show.
br_quat br_quat_canonical(br_quat q);

// The whole reading that the place is in.
br_status br_read(br_sim *sim, const br_reading_place *place, double out[BR_MAX_READING], br_error *error);

static inline int br_same_reading(const br_reading_place *a, const br_reading_place *b) {
    return a->reading == b->reading && a->index == b->index && a->part == b->part;
}

#endif
