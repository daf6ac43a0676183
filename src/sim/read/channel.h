// What lists of channels ask about one: where its value is, and what it is of.
#ifndef BR_SIM_READ_CHANNEL_H
#define BR_SIM_READ_CHANNEL_H

#include "sim/read/reading.h"

typedef enum br_channel_family {
    BR_FAMILY_OTHER = 0,
    BR_FAMILY_TIME,
    BR_FAMILY_BODY,   // pose and velocity, of bodies and their frames
    BR_FAMILY_JOINT,  // position and velocity
    BR_FAMILY_ENERGY, // energies and the ledger
} br_channel_family;

br_channel_family br_channel_family_of(const br_channel *channel);
br_reading_place br_channel_place(const br_channel *channel);

#endif
