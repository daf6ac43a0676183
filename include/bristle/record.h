// Recording a run: the result that `bristle run` leaves, from any program. It has the rows of all channels with what
// touches at each, events, the ledger and its judgement; report, plot, compare, export and trust read it.
//
//     br_recorder *recorder;
//     br_record_options options = br_default_record_options(sim);
//     options.model_path = "crate.yaml";
//     br_recorder_create(sim, "crate.result", &options, NULL, &recorder, &error);
//     br_sim_set_event(sim, br_recorder_event, recorder);
//     br_status status = br_recorder_run(recorder, &error);
//     br_recorder_finish(recorder, status == BR_OK ? BR_RESULT_COMPLETE : BR_RESULT_FAILED, seconds,
//                        status == BR_OK ? NULL : error.message, &later);
//
// A program that moves the simulation itself calls br_recorder_read and br_recorder_write wherever it wants a row. Rows
// for other purposes than a result are br_channels (sim.h) and, as a table, br_csv (result.h).
#ifndef BRISTLE_RECORD_H
#define BRISTLE_RECORD_H

#include "bristle/result.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BR_MAX_RECORDED_CHANNELS 3000 // of a model that has more a result keeps bodies and energies only

// What the result says of the run. Everything is copied, but channels and the simulation, which the recorder keeps using.
typedef struct br_record_options {
    // as the user gave it; NULL: the model came from elsewhere
    const char *model_path;
    // of the model's file; NULL: read from model_path, where that is a file
    const char *model_text;
    // bytes of it
    size_t model_size;
    const br_override *overrides;
    int override_count;
    // what was done to the model before the run, one line each; NULL: nothing
    const char *notes;
    // Of the model: where its text alone is not all of it (it names other files, or is of another program), the model is written
    // into the result once more. NULL: never.
    const br_builder *builder;
    // of a row; NULL: every channel, or those of bodies and energies where there are too many
    const br_channels *channels;
    // end of the run and time between rows, s
    double until, interval;
} br_record_options;

br_record_options br_default_record_options(const br_sim *sim); // until and interval as the model has them

typedef struct br_recorder br_recorder;

// Creates the result, which replaces an older one with its first row. options NULL: the defaults.
br_status br_recorder_create(br_sim *sim, const char *path, const br_record_options *options,
                             const br_allocator *allocator, br_recorder **out, br_error *error);
const br_channels *br_recorder_channels(const br_recorder *recorder);
int br_recorder_is_reduced(const br_recorder *recorder); // 1: the model has too many channels for every one
int br_recorder_is_locked(const br_recorder *recorder);  // br_result_is_locked

// A row in two parts, so that what cannot be read is written nowhere: the channels of the present state; then the row, with
// what touches. The first also fails where an event could not be written.
br_status br_recorder_read(br_recorder *recorder, br_error *error);
br_status br_recorder_write(br_recorder *recorder, br_error *error);

void br_recorder_event(void *recorder, const br_event *event); // a br_event_callback

// The time of row k of a run: k times the interval, from the product and not a sum, and the last one exactly at `until`; a
// row within rounding of it is it.
double br_row_time(double k, double interval, double until);

// The number of the row that comes next, from 0.
double br_recorder_next(const br_recorder *recorder);

// Moves the simulation to time t, as br_sim_advance, and notes on the way where it could be taken up again.
br_status br_recorder_advance(br_recorder *recorder, double t, br_error *error);

// Moves the simulation to `until` with rows on the way, one of the present state first unless it has been written. Stops at what
// fails; the rows before are good.
br_status br_recorder_run(br_recorder *recorder, br_error *error);

// --- taking a run up again ---------------------------------------------------------------------------------
//
// A checkpoint is the state of a row, in NAME.result.checkpoint; the one before it stays beside it. Numbers do not depend on when
// checkpoints are written. The reference stepper's integrator has a past that cannot be saved: its checkpoint is the start, or
// the last multiple of solver.restart, and what follows is computed again.

// Writes one, after a row. seconds: that the run has taken so far.
br_status br_recorder_checkpoint(br_recorder *recorder, double seconds, br_error *error);

// Takes up the run that left the result at `path` without its end. sim: a new simulation of its model, which gets the state of the newest
// checkpoint that is whole; without any it stays at its start. Rows that the result has already are computed again from there and compared,
// then new ones follow. *seconds: that the run took up to the checkpoint.
br_status br_recorder_resume(br_sim *sim, const char *path, const br_allocator *allocator, br_recorder **out,
                             double *seconds, br_error *error);

// Writes the end and closes. message: why it failed; may be NULL. The recorder is gone afterwards, also on failure.
br_status br_recorder_finish(br_recorder *recorder, br_result_outcome outcome, double seconds,
                             const char *message, br_error *error);
void br_recorder_abandon(br_recorder *recorder); // closes without an end; accepts NULL

#ifdef __cplusplus
}
#endif

#endif
