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

// Sums of contacts that results keep, which are not among br_sim_channel_each: whose hashes are stored.
int br_channel_sums_each(const br_sim *sim, br_channel_visit visit, void *context);
// Every channel that a pattern with * names. Without ~ of those that are listed; with it of any contact that may be.
int br_channel_match_each(const br_sim *sim, const char *pattern, br_channel_visit visit, void *context);

#endif
