// A sweep: many runs of one model over parameters, in a folder that goes on where it stopped.
//
//     br_sweep_read(path, NULL, &sweep, &error);                     // the spec, docs/guide/sweep.md
//     br_sweep_open(sweep, "runs", NULL, &folder, &error);           // makes or takes up the folder
//     br_sweep_log_create(sweep, "runs", "worker", &log, &error);    // one for each process
//     for (long long i = 0; i < br_sweep_count(sweep); i++)
//         if (br_sweep_run_state(folder, i) == BR_SWEEP_MISSING) br_sweep_perform(sweep, i, log, &error);
//     br_sweep_log_close(log);
//     br_sweep_table(sweep, "runs", NULL, &done, &error);            // runs/table.csv
//
// Run i is a function of the spec and i alone: random numbers are counted, not drawn one after the other, so no plan is stored and
// any process can do any run. The folder has `manifest` with the spec, and `logs`: files to which one process each appends, a line
// for each run with a checksum. A line is whole or it does not count; of several lines for one run the first counts.
#ifndef BRISTLE_SWEEP_H
#define BRISTLE_SWEEP_H

#include "bristle/batch.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BR_MAX_SWEEP_RUNS 10000000LL
#define BR_MAX_SWEEP_PARAMETERS 64
#define BR_MAX_SWEEP_VALUE 256 // bytes of a value of a parameter, the final zero included

typedef struct br_sweep br_sweep;

// Reads the spec and the model that it names, which is beside it. Every name in it is looked for in the model.
br_status br_sweep_read(const char *path, const br_allocator *allocator, br_sweep **out, br_error *error);
void br_sweep_destroy(br_sweep *sweep); // accepts NULL
long long br_sweep_count(const br_sweep *sweep);
uint64_t br_sweep_hash(const br_sweep *sweep); // of everything that the numbers depend on
int br_sweep_parameter_count(const br_sweep *sweep);
const char *br_sweep_parameter_name(const br_sweep *sweep, int parameter);
const char *br_sweep_parameter_unit(const br_sweep *sweep, int parameter); // " mm", with a blank; "": none
const char *br_sweep_model_path(const br_sweep *sweep);
double br_sweep_until(const br_sweep *sweep); // s; NAN: as the model has it
// Of how many runs in a row the first two are independent draws: of sobol parameters + 2; 1: each is one; 0: none is (grid, list).
int br_sweep_draws(const br_sweep *sweep);
int br_sweep_fixed_count(const br_sweep *sweep);
br_override br_sweep_fixed(const br_sweep *sweep, int k); // of `set`
// The value of a parameter in a run, as --set takes it.
void br_sweep_value(const br_sweep *sweep, long long run, int parameter, char text[BR_MAX_SWEEP_VALUE]);

// --- the folder ----------------------------------------------------------------------------------------------

typedef enum br_sweep_state {
    BR_SWEEP_MISSING = 0,
    BR_SWEEP_CRASHED, // its process ended twice, or had no memory
    BR_SWEEP_FAILED,  // the model or a step of it failed, as it would again
    BR_SWEEP_DONE
} br_sweep_state;

typedef struct br_sweep_folder br_sweep_folder; // which runs a folder has

// Makes the folder where there is none. That of another spec, model or version is refused, and nothing changes.
br_status br_sweep_open(const br_sweep *sweep, const char *folder, const br_allocator *allocator,
                        br_sweep_folder **out, br_error *error);
void br_sweep_close(br_sweep_folder *folder); // accepts NULL
br_sweep_state br_sweep_run_state(const br_sweep_folder *folder, long long run);
long long br_sweep_folder_count(const br_sweep_folder *folder, br_sweep_state state);
long br_sweep_cut_lines(const br_sweep_folder *folder); // that are not whole: their runs count as missing

// --- doing runs ----------------------------------------------------------------------------------------------

typedef struct br_sweep_log br_sweep_log;

// A new log in the folder, for one process. who: a part of its name, letters, digits and -.
br_status br_sweep_log_create(const br_sweep *sweep, const char *folder, const char *who, br_sweep_log **out,
                              br_error *error);
void br_sweep_log_close(br_sweep_log *log); // accepts NULL

// Does a run and writes its line, which is in the file when the call returns. Fails only where that cannot be written: a run
// that fails is a line as well.
br_status br_sweep_perform(const br_sweep *sweep, long long run, br_sweep_log *log, br_error *error);
// The line of a run whose process ended, with the words why.
br_status br_sweep_book_crash(const br_sweep *sweep, long long run, const char *why, br_sweep_log *log,
                              br_error *error);

// Writes FOLDER/table.csv from the logs, in the order of the runs: run, parameters, columns, status (ok, failed, crashed), hash, error.
// path NULL: that name; one that ends in .h5 or .hdf5 becomes an HDF5 file, a dataset for each column in /table. Runs that are missing have no row; *rows (may be NULL) receives how many there are.
br_status br_sweep_table(const br_sweep *sweep, const char *folder, const char *path,
                         const br_allocator *allocator, long long *rows, br_error *error);

// --- what the runs say together ------------------------------------------------------------------------------

// How often a word was the answer, of the runs that are independent draws.
typedef struct br_sweep_probability {
    // of the sweep
    int column;
    // "moves", "yes"
    char word[BR_MAX_COLUMN_TEXT];
    long long count, of;
    // count/of, and Wilson's interval at 99 %
    double value, low, high;
} br_sweep_probability;

// Sobol's indices: the part of a column's variance that a parameter makes alone, and with the others together.
typedef struct br_sweep_index {
    int column, parameter;
    // samples behind it; those with a run that failed, or without a number, are left out
    long long samples;
    // the errors are half widths at 95 %; all NAN: fewer than ten samples carry the variance, so they cannot be told
    double first, first_error, total, total_error;
} br_sweep_index;

#define BR_SWEEP_QUANTILES 5 // 5, 25, 50, 75 and 95 %

// Where a channel is at one time, over the runs that are independent draws: of a column CHANNEL.at(T). Those of one channel follow
// each other in the order of the columns: its band over time.
typedef struct br_sweep_band {
    int column;
    // bytes of the column's name that are the channel's
    int channel;
    // s
    double t;
    // runs behind it that have a number there
    long long of;
    double quantile[BR_SWEEP_QUANTILES];
} br_sweep_band;

typedef struct br_sweep_analysis {
    int probabilities;
    br_sweep_probability *probability;
    // column by column, parameter by parameter; those of columns that do not vary are left out
    int indices;
    br_sweep_index *index;
    int bands;
    br_sweep_band *band;
    // private
    void *memory;
} br_sweep_analysis;

// Of the designs latin, random and sobol: probabilities of verdict, verdict.start and credible, bands of
// CHANNEL.at(T). Of sobol: indices of the other columns.
br_status br_sweep_analyse(const br_sweep *sweep, const char *folder, const br_allocator *allocator,
                           br_sweep_analysis *out, br_error *error);
void br_sweep_analysis_free(br_sweep_analysis *analysis); // accepts a zeroed one
const char *br_sweep_column_name(const br_sweep *sweep, int column);

#ifdef __cplusplus
}
#endif

#endif
