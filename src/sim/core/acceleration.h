// Accelerations of bodies and joints for readers; br_sim_body_acceleration and br_sim_joint_acceleration are public.
#ifndef BR_SIM_CORE_ACCELERATION_H
#define BR_SIM_CORE_ACCELERATION_H

#include "sim/core/sim.h"

// After br_sim_instant: what it found is kept until the state changes.
void br_acceleration_of_instant(br_sim *sim);
// sim->acceleration of the links is known: so are those of the joints, and both are kept until the state changes.
void br_acceleration_of_links(br_sim *sim);
// Of a point fixed to a link that turns by w, r from its reference point.
br_vec3 br_acceleration_at(br_twist A, br_vec3 w, br_vec3 r);

#endif
