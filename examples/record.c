// A crate thrown along a floor, recorded from C: a table of two channels on stdout, and crate.result, which
// `bristle report`, `plot`, `trust` and `export` read as they read the result of `bristle run`.
#include <stdio.h>
#include <string.h>

#include "bristle/bristle.h"

static const char model_text[] = "format: 1\n"
                                 "name: crate\n"
                                 "materials: {wood: {}, stone: {}}\n"
                                 "pairs: {wood/stone: {mu: 0.5}}\n"
                                 "bodies:\n"
                                 "  crate:\n"
                                 "    mass: 3 kg\n"
                                 "    inertia: {box: {size: [0.3, 0.2, 0.1]}}\n"
                                 "    pose: {position: [0, 0, 50 mm]}\n"
                                 "    velocity: {linear: [2 m/s, 0, 0]}\n"
                                 "    shapes: [{name: crate, box: {size: [0.3, 0.2, 0.1]}, material: wood}]\n"
                                 "ground: [{name: floor, plane: {}, material: stone}]\n"
                                 "run: {until: 0.5 s, output: 50 ms}\n";

// A table: a list of channels is found once and read as one row.
static br_status print_table(br_sim *sim, br_error *error) {
    const char *const names[] = {"crate.position.x", "crate.velocity.x"};
    double row[3]; // t comes first
    br_channels *channels = NULL;
    br_status status = br_channels_named(sim, names, 2, NULL, &channels, error);
    for (int k = 0; k <= 5 && status == BR_OK; k++) {
        status = br_sim_advance(sim, 0.1 * k, error);
        if (status == BR_OK) status = br_channels_read(channels, sim, row, error);
        if (status == BR_OK) printf("%4.1f s  %7.4f m  %7.4f m/s\n", row[0], row[1], row[2]);
    }
    br_channels_destroy(channels);
    return status;
}

// A result: every channel, contacts, events, the ledger and its judgement.
static br_status record(br_sim *sim, const br_builder *builder, br_error *error) {
    br_recorder *recorder = NULL;
    br_record_options options = br_default_record_options(sim); // until and output of the model
    options.model_text = model_text;
    options.model_size = strlen(model_text);
    options.builder = builder;
    br_status status = br_recorder_create(sim, "crate.result", &options, NULL, &recorder, error);
    if (status != BR_OK) return status;
    br_sim_set_event(sim, br_recorder_event, recorder);
    status = br_recorder_run(recorder, error);
    br_sim_set_event(sim, NULL, NULL);
    if (status == BR_OK) return br_recorder_finish(recorder, BR_RESULT_COMPLETE, 0.0, NULL, error);
    br_recorder_finish(recorder, BR_RESULT_FAILED, 0.0, error->message, NULL); // the rows up to there stay
    return status;
}

int main(void) {
    br_model *model = NULL;
    br_builder *builder = NULL;
    br_sim *first = NULL, *second = NULL;
    br_error error = {0};
    br_status status =
        br_model_read_text(model_text, strlen(model_text), "crate", NULL, 0, NULL, &model, &builder, &error);
    if (status == BR_OK) status = br_sim_create(model, NULL, &first, &error);
    if (status == BR_OK) status = print_table(first, &error);
    if (status == BR_OK) status = br_sim_create(model, NULL, &second, &error);
    if (status == BR_OK) status = record(second, builder, &error);
    if (status != BR_OK) fprintf(stderr, "%s\n", error.message);
    br_sim_destroy(first);
    br_sim_destroy(second);
    br_model_destroy(model);
    br_builder_destroy(builder);
    return status == BR_OK ? 0 : 1;
}
