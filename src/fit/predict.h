// What a model predicts of a recording.
#ifndef BR_FIT_PREDICT_H
#define BR_FIT_PREDICT_H

#include "fit/measured.h"

// Numbers that a fit changes beside the model's own: of the start, in the channel's unit.
typedef struct fit_shift {
    const char *channel;
    double value;
} fit_shift;

typedef struct fit_case {
    const br_override *override; // beyond those of the measured set and of the recording
    int overrides;
    const fit_shift *shift;
    int shifts;
    const double *gain, *bias; // [columns] of the sensors, which the first row is corrected by; NULL: 1 and 0
    const struct fit_shake *shake; // NULL: the start is what the recording says
} fit_case;

// predicted: [rows * columns], as the recording has its values; controls are copied.
br_status br_fit_predict(const br_measured *m, int recording, const fit_case *one, double *predicted,
                         br_error *error);

// Many at a time; a run that fails leaves NAN in all of its rows, and its error.
typedef struct fit_job {
    int recording;
    fit_case one;
    double *predicted;
    br_error error;
} fit_job;
void br_fit_predict_all(const br_measured *m, fit_job *job, int jobs, int threads);

// The simulation at the start of a recording.
br_status br_fit_open(const br_measured *m, int recording, const fit_case *one, br_model **model,
                      br_sim **sim, br_error *error);
// A target for each drive that is recorded, of that row.
br_status br_fit_controls(const br_measured *m, const fit_recording *r, int row, br_sim *sim,
                          br_error *error);
// Position and velocity from a row, where they are measured.
br_status br_fit_state_of_row(const br_measured *m, const fit_recording *r, int row, const fit_case *one,
                              br_sim *sim, br_error *error);

#endif
