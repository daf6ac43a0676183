// Lists of channels: found by name once, read at every row.
#ifndef BR_CLI_CHANNELS_H
#define BR_CLI_CHANNELS_H

#include "bristle/sim.h"

typedef struct cli_channels {
    int count;
    char **name;
    br_channel *channel;
    double *value; // of the last read
} cli_channels;

typedef enum cli_channel_choice {
    CLI_CHANNELS_ALL,    // everything that the model has
    CLI_CHANNELS_BODIES, // t, bodies and energies
    CLI_CHANNELS_MOTION, // t, bodies, joint positions and velocities
} cli_channel_choice;

br_status cli_channels_choose(const br_sim *sim, cli_channel_choice choice, cli_channels *out,
                              br_error *error);

// The names in that order; t comes first when it is not among them. Unknown ones are an error with the nearest
// spelling. What was found so far is in *out either way: free it.
br_status cli_channels_named(const br_sim *sim, const char *const *names, int count, cli_channels *out,
                             br_error *error);

// Whether `outputs` of the model names channels that there are; they are columns only with --csv, but never ignored.
br_status cli_channels_check_outputs(const br_sim *sim, br_error *error);

br_status cli_channels_read(cli_channels *channels, br_sim *sim, br_error *error);
void cli_channels_free(cli_channels *channels);

#endif
