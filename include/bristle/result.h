// Results: the log that a run leaves behind, and tables for other programs.
//
// The log is append-only: a header that says what was run (the model's own text included), then rows and events as
// they come, then an end with the ledger. Each record has a length and a checksum and is whole or not there, so what
// a killed run had written can be read up to its last whole record. docs/guide/run.md describes the bytes.
#ifndef BRISTLE_RESULT_H
#define BRISTLE_RESULT_H

#include <stdio.h>

#include "bristle/contact.h"
#include "bristle/io.h"
#include "bristle/judgement.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BR_RESULT_FORMAT 4               // version of the log's layout; 2 and 3 can still be read
#define BR_MAX_RESULT_CHANNELS (1 << 21) // numbers in one row: of 100,000 bodies there are 1.6 million

typedef struct br_result_channel {
    const char *name, *unit;
} br_result_channel;

// What was run. Every string is copied by the writer; those of a reader live as long as it.
typedef struct br_result_header {
    // that ran it; NULL: this one
    const char *program_version;
    const char *model_name;
    // as the user gave it
    const char *model_path;
    // the file, byte for byte; may hold zero bytes
    const char *model_text;
    // bytes of it
    size_t model_size;
    // br_model_hash
    uint64_t model_hash;
    const br_override *overrides;
    int override_count;
    const char *stepper;
    // what was done to the model before the run, one line each
    const char *notes;
    // s
    double until, output, step;
    const br_result_channel *channels;
    int channel_count;
    // how the model looks, as br_scene_text gives it; NULL: not known
    const char *scene;
    // The model once more, as br_model_write_text gives it, where its file refers to others or is no YAML: so that a
    // result needs nothing but itself. NULL: model_text with the overrides is all of it.
    const char *model_native;
    // verdicts as JSON, where the file carries them: a log never does, they are beside it. Not written
    const char *trust;
} br_result_header;

// A contact at the time of a row.
typedef struct br_result_contact {
    // SHAPE_A~SHAPE_B#K
    const char *name;
    br_contact_state state;
    // world; normal from b to a
    br_vec3 point, normal;
    // m, N
    double gap, normal_force;
    // on a, N; of a relative to b, m/s
    br_vec3 friction, slip;
    // that held
    double friction_coefficient;
} br_result_contact;

typedef enum br_result_outcome {
    BR_RESULT_COMPLETE = 0,
    BR_RESULT_FAILED,      // a step failed; the rows before it are good
    BR_RESULT_INTERRUPTED, // stopped by the user; the rows before are good
    BR_RESULT_OUTCOMES
} br_result_outcome;

const char *br_result_outcome_name(br_result_outcome outcome); // "complete", "failed", "interrupted"

typedef struct br_result_end {
    br_result_outcome outcome;
    // of the last good state, s
    double t;
    // that the run took
    double seconds;
    br_ledger ledger;
    // why it failed; empty otherwise
    char message[BR_MAX_ERROR_TEXT];
    // What the books say of the run, as br_judgement_text gives it; NULL: nothing is known. A reader's lives as long as it.
    // Verdicts on friction are not in it: they are beside the log.
    const char *judgement;
} br_result_end;

// {"credible": true|false|null, "reasons": [{what, fails, t, element, value, limit, text}], "order": 1|2|null,
//  "order_lower": [{order, steps, of, from, to, why}], "energy": {gain, gain_size, loss, loss_size, limit, least}}, to be
// freed by br_text_free.
br_status br_judgement_text(const br_judgement *judgement, char **out, br_error *error);

// ------------------------------------------------------------------------------------------------------ writing

typedef struct br_result_writer br_result_writer;

// The file gets its name once header and first row are on the disk, so an older result is replaced by a readable one with
// a row in it or stays. Rows reach the file once 64 kB have gathered or a second has passed. Where another writer has the
// file the call fails and names its process.
br_status br_result_create(const char *path, const br_result_header *header, const br_allocator *allocator,
                           br_result_writer **out, br_error *error);
// 1: nobody else can write the same result meanwhile. 0: its file system has no locks.
int br_result_is_locked(const br_result_writer *writer);
br_status br_result_row(br_result_writer *writer, const double *values,
                        br_error *error); // [channel_count], finite
// Of the row that was just written; contacts that are merely near may be left out. Names are copied, once each.
br_status br_result_contacts(br_result_writer *writer, const br_result_contact *contacts, int count,
                             br_error *error);
br_status br_result_event(br_result_writer *writer, const br_event *event, br_error *error);
// Writes the end, waits for the disk, closes. The writer is gone afterwards, also on failure. Fails where the name no longer
// leads to the file that was written. A run that failed without a row leaves an older result as it is.
br_status br_result_finish(br_result_writer *writer, const br_result_end *end, br_error *error);
void br_result_abandon(br_result_writer *writer); // closes without an end; accepts NULL

// ------------------------------------------------------------------------------------------------------ reading

typedef struct br_result br_result;

typedef enum br_result_kind {
    BR_RESULT_ROW = 0,
    BR_RESULT_CONTACTS, // of the row before it
    BR_RESULT_EVENT,
    BR_RESULT_END, // the last record of a log that was finished
    BR_RESULT_CUT, // the log stops here without an end: the run was killed, or is still going
} br_result_kind;

typedef struct br_result_item {
    br_result_kind kind;
    // [channel_count], until the next call
    const double *row;
    // [contact_count], until the next call; names live as long as the reader
    const br_result_contact *contacts;
    int contact_count;
    br_event event;
    br_result_end end;
} br_result_item;

br_status br_result_open(const char *path, const br_allocator *allocator, br_result **out, br_error *error);
void br_result_close(br_result *result); // accepts NULL
const br_result_header *br_result_about(const br_result *result);

// Where the verdicts on a result are: NAME.result -> NAME.trust.json, other names get it at their end. 0: it does not fit.
int br_result_trust_path(const char *result, char *out, size_t size);

// The next record. After END or CUT the same again. A record that is there but was altered is an error that names it;
// what was given before it is good.
br_status br_result_next(br_result *result, br_result_item *item, br_error *error);

// ------------------------------------------------------------------------------------------------------- tables

// Comma-separated: a line of names, then lines of numbers as %.17g. A file is written under a temporary name and
// gets its own when closed; a stream is written as it comes.
typedef struct br_csv br_csv;

br_status br_csv_create(const char *path, const char *const *names, int count, const br_allocator *allocator,
                        br_csv **out, br_error *error);
br_status br_csv_attach(FILE *stream, const char *const *names, int count, const br_allocator *allocator,
                        br_csv **out, br_error *error);
br_status br_csv_row(br_csv *csv, const double *values, br_error *error); // [count], finite
// A row of an event list, whose columns are t, kind, name, value.
br_status br_csv_event(br_csv *csv, const br_event *event, br_error *error);
br_status br_csv_close(br_csv *csv, br_error *error); // the table is gone afterwards, also on failure
void br_csv_abandon(br_csv *csv);                     // nothing is left of its file; accepts NULL

const char *br_event_kind_name(br_event_kind kind); // "stick", "slip", "contact_on", ...

#ifdef __cplusplus
}
#endif

#endif
