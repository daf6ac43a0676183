// Channels of beams and clearance joints, see channel.c.
#ifndef BR_SIM_READ_FLEX_CHANNEL_H
#define BR_SIM_READ_FLEX_CHANNEL_H

#include "sim/core/sim.h"

// Section force or moment at a body that is a node of a beam: the mean of both sides, section axes.
br_status br_beam_node_channel(br_sim *sim, int body, int moment, int component, double *value,
                               br_error *error);

// which: gap, normal force, friction (its size), friction (world axes, component), slip.
br_status br_clearance_channel(br_sim *sim, int clearance, int which, int component, double *value,
                               br_error *error);

// BEAM.sX.force|moment|position.x|y|z at any fraction X. index: the beam; component: X and the quantity, packed.
int br_station_channel_find(const br_model *model, const char *name, int *index, int *component);
const char *br_station_channel_unit(int component);
br_status br_station_channel_read(br_sim *sim, int index, int component, double *value, br_error *error);

#endif
