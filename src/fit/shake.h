// A start within the noise of what says where it is.
#ifndef BR_FIT_SHAKE_H
#define BR_FIT_SHAKE_H

#include "fit/predict.h"

// Standard deviations of the start, of each position and rotation that is measured [groups]: of itself and of its rate, in its unit.
typedef struct fit_shake {
    const double *place, *rate;
    uint64_t draw; // its number
} fit_shake;

// Moves the start by draw `draw` of that noise: joints of one coordinate and free bodies whose position or rotation is measured.
br_status br_fit_shake_start(const br_measured *m, int recording, const fit_shake *shake, br_sim *sim,
                             br_error *error);

// What the start is off by, from the first rows of all recordings: within them the model's motion is right but for its start, so that
// the difference between predicted and measured is a line over the time. predicted: [recordings], as br_fit_predict fills it.
// place, rate: [groups], 0 where it is neither a position nor a rotation.
void br_fit_start_noise(const br_measured *m, const double *const *predicted, double *sorted, double *place,
                        double *rate);
// How many numbers `sorted` has to hold.
size_t br_fit_start_noise_room(const br_measured *m);

#endif
