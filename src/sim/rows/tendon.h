// Tendons: their length, its rate, and what a force along it does, at the positions and velocities in sim->work.
#ifndef BR_SIM_ROWS_TENDON_H
#define BR_SIM_ROWS_TENDON_H

#include "sim/core/sim.h"

double br_tendon_length(const br_sim *sim, const br_model_tendon *tendon);
double br_tendon_rate(const br_sim *sim, const br_model_tendon *tendon);
// Adds `factor` times the row of its rate; of a group that has it as coordinate c.
void br_tendon_row(const br_sim *sim, const br_model_tendon *tendon, br_coordinate c, double factor,
                   br_group *group, int row);
// What J A must be so that the second rate of its length is zero.
double br_tendon_gamma(const br_sim *sim, const br_model_tendon *tendon, br_coordinate c);
// The second rate of the length with these true accelerations of the links, [links]; of a sum 0.
double br_tendon_second(const br_sim *sim, const br_model_tendon *tendon, const br_twist *acceleration);
// A known force along the length (positive lengthens) into sim->tau and sim->wrench.
void br_tendon_pull(br_sim *sim, const br_model_tendon *tendon, double force);

// How far the length is from where its spring has no force.
static inline double br_tendon_stretch(const br_model_joint *joint, const br_model_tendon *tendon,
                                       double length) {
    const double low = joint->rest[0], high = low + tendon->slack;
    return length > high ? length - high : length < low ? length - low : 0.0;
}
// Of its spring and damper, at the positions and velocities in work.
double br_tendon_spring_force(const br_sim *sim, const br_model_tendon *tendon);

// The straight stretches of the path and who is at their ends, for whoever draws them or asks where a force acts.
enum { BR_MAX_TENDON_POINTS = 600 };
int br_tendon_points(const br_sim *sim, const br_model_tendon *tendon, br_vec3 *point, unsigned char *ends);

#endif
