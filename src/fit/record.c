// A recording as two results: as measured, and as predicted.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "bristle/record.h"
#include "fit/predict.h"

static br_status record_row(br_recorder *recorder, br_error *error) {
    const br_status status = br_recorder_read(recorder, error);
    return status == BR_OK ? br_recorder_write(recorder, error) : status;
}

static br_status record_motion(const br_measured *m, const fit_recording *r, br_sim *sim,
                               br_recorder *recorder, int measured, br_error *error) {
    const fit_case plain = {.override = NULL};
    br_status status = record_row(recorder, error);
    for (int k = 1; k < r->rows && status == BR_OK; k++) {
        if (measured) {
            status = br_sim_set_state(sim, r->t[k], br_sim_q(sim), br_sim_v(sim), error);
            if (status == BR_OK) status = br_fit_state_of_row(m, r, k, &plain, sim, error);
        } else {
            status = br_sim_advance(sim, r->t[k], error);
        }
        if (status == BR_OK) status = record_row(recorder, error);
        if (status == BR_OK && !measured) status = br_fit_controls(m, r, k, sim, error);
    }
    return status;
}

// Of what was measured only that: a velocity without a column would be the start's in every row.
static br_status measured_channels(const br_measured *m, br_sim *sim, br_channels **out, br_error *error) {
    br_arena arena;
    br_arena_init(&arena, m->allocator);
    const char **name = BR_TAKE(&arena, const char *, m->columns);
    int names = 0;
    for (int c = 0; c < m->columns && name; c++)
        if (!m->column[c].control) name[names++] = m->column[c].channel;
    const br_status status = name ? br_channels_named(sim, name, names, m->allocator, out, error)
                                  : br_no_memory(error, "no memory for a recording");
    br_arena_free(&arena);
    return status;
}

static br_status record_one(const br_measured *m, int recording, const char *path, int measured,
                            br_error *error) {
    const fit_recording *r = &m->recording[recording];
    const fit_case plain = {.override = NULL};
    br_model *model = NULL;
    br_sim *sim = NULL;
    br_channels *channels = NULL;
    br_recorder *recorder = NULL;
    br_error later;
    memset(&later, 0, sizeof later);
    br_status status = br_fit_open(m, recording, &plain, &model, &sim, error);
    if (status == BR_OK && measured) status = br_fit_state_of_row(m, r, 0, &plain, sim, error);
    if (status == BR_OK)
        status = measured ? measured_channels(m, sim, &channels, error)
                          : br_channels_choose(sim, BR_CHANNELS_MOTION, m->allocator, &channels, error);
    if (status == BR_OK) {
        br_record_options options = br_default_record_options(sim);
        options.model_path = m->model_path;
        options.channels = channels;
        options.until = r->t[r->rows - 1], options.interval = r->period;
        options.notes = measured ? "as measured: positions and velocities of the recording, no simulation"
                                 : "as predicted: open loop beside the recording";
        status = br_recorder_create(sim, path, &options, m->allocator, &recorder, error);
    }
    if (status == BR_OK) {
        status = record_motion(m, r, sim, recorder, measured, error);
        const br_status closed =
            br_recorder_finish(recorder, status == BR_OK ? BR_RESULT_COMPLETE : BR_RESULT_FAILED, 0.0,
                               status == BR_OK ? NULL : error->message, status == BR_OK ? error : &later);
        if (status == BR_OK) status = closed;
    }
    br_channels_destroy(channels);
    br_sim_destroy(sim);
    br_model_destroy(model);
    return status;
}

br_status br_measured_record(const br_measured *m, int recording, const char *measured_path,
                             const char *predicted_path, br_error *error) {
    if (recording < 0 || recording >= m->recordings)
        return br_fail(error, BR_INVALID, "fit-options", "recording %d of %d", recording, m->recordings);
    br_error own;
    memset(&own, 0, sizeof own);
    br_status status = record_one(m, recording, measured_path, 1, &own);
    if (status == BR_OK) status = record_one(m, recording, predicted_path, 0, &own);
    if (status != BR_OK && error) *error = own;
    return status;
}
