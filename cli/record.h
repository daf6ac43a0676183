// Recording a simulation into a result: which channels, what the model was, rows with their contacts, events, the end.
#ifndef BR_CLI_RECORD_H
#define BR_CLI_RECORD_H

#include "bristle/report.h"
#include "channels.h"

// What the result says of the run.
typedef struct cli_record_about {
    const char *model_path; // as the user gave it; its text goes into the result
    const br_override *overrides;
    int override_count;
    const char *notes;
    const br_builder *builder; // to write the model down where its file does not stand alone; NULL: never
    double until, interval;    // s
} cli_record_about;

typedef struct cli_record {
    cli_channels channels;
    int reduced; // the model has too many channels: bodies and energies only
    br_result_writer *writer;
    br_result_contact *contact; // of a row
    char (*contact_name)[BR_MAX_CONTACT_NAME];
    int contact_capacity;
    br_status event_status; // of the first event that could not be written
    br_error event_error;
} cli_record;

// Finds the channels; no file is touched yet. Then creates the result, which replaces an older one.
br_status cli_record_choose(cli_record *record, const br_sim *sim, br_error *error);
br_status cli_record_create(cli_record *record, const br_sim *sim, const cli_record_about *about,
                            const char *path, br_error *error);

// A row in two parts, so that what cannot be read is written nowhere.
br_status cli_record_read(cli_record *record, br_sim *sim, br_error *error);
br_status cli_record_write(cli_record *record, const br_sim *sim, br_error *error);

void cli_record_event(void *record, const br_event *event); // a br_event_callback

// message: why it failed; may be NULL. The result is closed afterwards, also on failure.
br_status cli_record_finish(cli_record *record, const br_sim *sim, br_result_outcome outcome, double seconds,
                            const char *message, br_error *error);
void cli_record_free(cli_record *record); // closes without an end what is still open

#endif
