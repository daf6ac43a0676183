// Stations of beams by name. BEAM.sX is a body wherever bodies are named: X a fraction of the beam's length.
//
// A station is known by six digits, as %g writes it: that is its name, and two texts that %g writes alike are one
// station. It is moved, within those digits, onto a corner or onto k/elements where one is there, so that a name
// copied from a result means the node it came from.
#ifndef BR_MODEL_BUILD_STATION_H
#define BR_MODEL_BUILD_STATION_H

#include "model/build/builder.h"

enum {
    BR_MAX_BEAM_NAME = 41,    // with the terminating zero: those of its nodes and their joints are names too
    BR_MAX_STATION_TEXT = 16, // "4.16667e-05" is the longest
};

// %g.
void br_station_text(double station, char out[BR_MAX_STATION_TEXT]);
void br_station_name(const char *beam, double station, char out[BR_MAX_NAME]); // BEAM.sX

// A fraction 0 .. 1 of beam `index`, moved as the head of the file says.
double br_station_snap(const br_builder *builder, int index, double fraction);

// What a name that is no body's could mean.
typedef enum br_station_kind {
    BR_STATION_NONE = 0, // nothing to do with a beam
    BR_STATION_GOOD,     // BEAM.sX
    BR_STATION_BEAM,     // the beam itself
    BR_STATION_OUTSIDE,  // BEAM.sX with X not in 0 .. 1
    BR_STATION_WORD,     // BEAM. and something else
} br_station_kind;

// beam: its index, but for BR_STATION_NONE. station: snapped for BR_STATION_GOOD, as written for BR_STATION_OUTSIDE.
br_station_kind br_station_find(const br_builder *builder, const char *name, int *beam, double *station);

// The pose of the node there. At a corner its frame is that of the piece before.
br_pose br_station_pose(const br_builder *builder, int beam, double station);

// Index of a body by its name, of a node by any name of its station; -1: none, or the world.
int br_builder_find_body(const br_builder *builder, const char *name);

// As br_fail_unknown for a body; a beam's name without a station, or with one that it does not have, is told apart.
br_status br_fail_unknown_body(const br_place *place, const char *field, const char *name,
                               const br_builder *builder);

#endif
