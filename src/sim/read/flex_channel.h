// Channels of beams and clearance joints, see channel.c.
#ifndef BR_SIM_READ_FLEX_CHANNEL_H
#define BR_SIM_READ_FLEX_CHANNEL_H

#include "sim/read/reading.h"

// Section force and moment at a body that is a node of a beam: the mean of both sides, section axes.
br_status br_read_beam_node(br_sim *sim, const br_reading_place *place, double *out, br_error *error);

// Gap, normal force, friction (its size), friction (world axes), slip.
br_status br_read_clearance(br_sim *sim, const br_reading_place *place, double *out, br_error *error);

// BEAM.sX.force|moment|position.x|y|z at any fraction X. index: the beam; component: X and the quantity, packed.
int br_station_channel_find(const br_model *model, const char *name, int *index, int *component);
const char *br_station_channel_unit(int component);
br_status br_read_station(br_sim *sim, const br_reading_place *place, double *out, br_error *error);

#endif
