// What the numbers of a definition measure.
#ifndef BR_MODEL_DEF_DIMENSION_H
#define BR_MODEL_DEF_DIMENSION_H

// What a field expects. The unit a message names is beside it.
typedef enum br_dimension {
    BR_DIM_ANY = 0,           // anything; a number with a unit becomes its SI value
    BR_DIM_NONE,              // a plain number: mu, ratio, quaternion, direction
    BR_DIM_LENGTH,            // m
    BR_DIM_MASS,              // kg
    BR_DIM_TIME,              // s
    BR_DIM_ANGLE,             // rad
    BR_DIM_VELOCITY,          // m/s
    BR_DIM_ANGULAR_VELOCITY,  // rad/s
    BR_DIM_ACCELERATION,      // m/s^2
    BR_DIM_INERTIA,           // kg m^2
    BR_DIM_FORCE,             // N
    BR_DIM_TORQUE,            // N m
    BR_DIM_STIFFNESS,         // N/m
    BR_DIM_ANGULAR_STIFFNESS, // N m/rad
    BR_DIM_DAMPING,           // N s/m
    BR_DIM_ANGULAR_DAMPING,   // N m s/rad
    BR_DIM_PITCH,             // m per turn: a plain length, or m/rev, or m/rad times 2 pi
    BR_DIM_COMPLIANCE,        // m/N
    BR_DIM_PER_LENGTH,        // 1/m: LuGre's sigma_0
    BR_DIM_TIME_PER_LENGTH,   // s/m: LuGre's sigma_1, sigma_2
    BR_DIM_PRESSURE,          // Pa
    BR_DIM_AREA,              // m^2
    BR_DIM_DENSITY,           // kg/m^3
    BR_DIM_LINE_DENSITY,      // kg/m
    BR_DIM_AREA_MOMENT,       // m^4
    BR_DIM_BENDING,           // N m^2: EI and GJ of a section
    BR_DIM_LINE_INERTIA,      // kg m: inertia per length
    BR_DIMENSIONS
} br_dimension;

#endif
