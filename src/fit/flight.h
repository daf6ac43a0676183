// The state from which a recording starts, from all rows before the first touch.
#ifndef BR_FIT_FLIGHT_H
#define BR_FIT_FLIGHT_H

#include "fit/measured.h"

// Changes the state of the simulation, which is at the first row, to the one whose motion up to the first contact has the least
// squares from the measured positions and rotations. The simulation is left at time 0.
br_status br_fit_flight(const br_measured *m, int recording, br_sim *sim, br_error *error);

#endif
