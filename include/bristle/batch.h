// Many runs of one model: from many states, with many sets of parameters, on several threads.
//
//     const char *const columns[] = {"leaf.position.end", "leaf.velocity.max", "event(stick, hinge, 1).t", "credible"};
//     const br_override sets[][1] = {{{"mu", "0.1"}}, {{"mu", "0.2"}}};
//     const br_batch_case cases[] = {{.overrides = sets[0], .override_count = 1}, {.overrides = sets[1], .override_count = 1}};
//     br_batch_def def = br_default_batch_def();
//     def.path = "door.yaml", def.columns = columns, def.column_count = 4;
//     br_batch_create(&def, NULL, &batch, &error);
//     br_batch_run(batch, cases, 2, 2, values, NULL, errors, &error);       // values: [2 * 4]
//
// A run is a simulation of its own, made, moved and read as `bristle run` does it: the numbers are those of a plain loop, to the
// bit, for any number of threads. What a run is asked for is a column:
//
//     CHANNEL.end, .min, .max      of the rows of the run (`run: output`)
//                                  CHANNEL may be a pattern with *: a column for each channel that it names
//     CHANNEL.mean                 over time, by trapezoids between the rows
//     CHANNEL.period               mean time between two passages upwards through the middle of its range; none: it does not swing
//     event(KIND, NAME, K).t       when it happened for the K-th time; a contact A~B stands for all its points A~B#k
//     verdict, verdict.start       on what friction holds, at the end and at the start (bristle/trust.h), by a quick look
//     hold(LOAD).sure, .possible   the factor on a load, or several, up to which the start holds for certain, and can hold; inf: any
//     hold(LOAD).needed            the least factor that holds it for certain (bristle/hold.h)
//     credible                     yes, no, or open where something was not judged
#ifndef BRISTLE_BATCH_H
#define BRISTLE_BATCH_H

#include "bristle/io.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BR_MAX_BATCH_COLUMNS 1000
#define BR_MAX_COLUMN_TEXT 40 // bytes of a value as a word or number, the final zero included

typedef struct br_batch_def {
    // The model itself, which must outlive the batch; its cases have no overrides. NULL: one of the next two.
    const br_model *model;
    // a model file, which is read once more for each case that has overrides
    const char *path;
    // or its text, `size` bytes, which is copied; text_name stands in messages
    const char *text, *text_name;
    size_t size;
    // what a run is asked for
    const char *const *columns;
    int column_count;
    // s, the end of the run; NAN: as the model has it
    double until;
    // s: min, max, mean and period leave out the rows before it
    double after;
} br_batch_def;

br_batch_def br_default_batch_def(void);

typedef struct br_batch_case {
    // [nq], [nv]: the state to start from, as br_sim_set_state takes it; NULL: as the model starts
    const double *q, *v;
    const br_override *overrides;
    int override_count;
} br_batch_case;

typedef struct br_batch br_batch;

// Reads the model and finds every column in it, so that what is misspelt is said before anything runs. probe: the case whose model
// that is, NULL: the model as it stands in its file. allocator NULL: malloc; threads use it at the same time.
br_status br_batch_create(const br_batch_def *def, const br_batch_case *probe, const br_allocator *allocator,
                          br_batch **out, br_error *error);
void br_batch_destroy(br_batch *batch);                // accepts NULL
const br_model *br_batch_model(const br_batch *batch); // that it was created with
int br_batch_column_count(const br_batch *batch);
const char *br_batch_column_name(const br_batch *batch, int column);

// A value of a column as a table has it: a number with 17 digits, a verdict by its name, credible as yes, no or open; empty for NAN,
// which is what never happened.
void br_batch_column_text(const br_batch *batch, int column, double value, char text[BR_MAX_COLUMN_TEXT]);

// One run. values: [columns]; a verdict as its br_verdict, credible as its br_credible. hash (may be NULL): br_sim_hash of the end.
// On failure all of them are untouched.
br_status br_batch_run_one(const br_batch *batch, const br_batch_case *one, double *values, uint64_t *hash,
                           br_error *error);

// All of them, `threads` at a time, 1 to BR_MAX_THREADS. values: [count * columns], row by row; hashes: [count] or NULL.
// errors: [count], status BR_OK of those that went well; the values of others are NAN, their hash 0. With errors NULL the first
// case that fails, in the order of the cases, is the failure of the call; the other rows are good even so.
br_status br_batch_run(const br_batch *batch, const br_batch_case *cases, int count, int threads,
                       double *values, uint64_t *hashes, br_error *errors, br_error *error);

#ifdef __cplusplus
}
#endif

#endif
