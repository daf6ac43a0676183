// Friction laws side by side on one model: what bristle compare and bristle papers share.
//
//     compare_open     the model once, as definitions
//     compare_run      one law, one step size: a trace of what it did, on a grid of times common to all
//     compare_measure  a trace held against another: the figures of [Peiret2016], Figs. 4 and 5
//
// Contact points of two runs need not be the same, nor even as many, and where contacts are redundant their forces are
// not unique. So forces are added up for each pair of bodies that touch; with one contact that is its own force.
#ifndef BR_CLI_COMPARE_H
#define BR_CLI_COMPARE_H

#include "bristle/contact.h"
#include "model.h"

enum { COMPARE_MAX_CASES = 32, COMPARE_MAX_LABEL = 64 };

// Sliding at all, for misalignment and stop times, as the paper's figures are reproduced.
#define COMPARE_SLIDES 1e-3 // m/s

typedef struct compare_case {
    char law[COMPARE_MAX_LABEL];   // as on the command line: polygon:4
    char label[COMPARE_MAX_LABEL]; // in tables and legends: "cone, 0.1 ms"
    br_stepper stepper;
    double step; // s
} compare_case;

// A model of which every case is a variant.
typedef struct compare_source {
    br_builder *builder;
    br_model *model; // as written
    char *notes;
} compare_source;

br_status compare_open(const char *path, const cli_overrides *overrides, compare_source *out,
                       br_error *error);
br_status compare_open_text(const char *text, size_t size, const char *name, const br_override *overrides,
                            int count, compare_source *out, br_error *error);
void compare_close(compare_source *source);

// The variant: law, stepper and step of the case, everything else as written. For the reference stepper, exact Coulomb
// friction.
br_status compare_variant(const compare_source *source, const compare_case *c, br_model **out,
                          br_error *error);

// "polygon:4" or "polygon(4)" as a law of a model, "polygon(4)". 0: too long or not a word with an argument.
int compare_law_setting(const char *law, char *setting, size_t size);

// ------------------------------------------------------------------------------------------------------- traces

// Two bodies that touch at a sample.
typedef struct compare_pair {
    int low, high; // bodies, -1: the ground
    double limit;  // sum of mu f_n, N
    br_vec3 force; // sum of friction on `low`, N
    double creep;  // largest slip of a contact that sticks, m/s; NAN: none sticks
    int sticks;    // every contact that carries force sticks
} compare_pair;

typedef struct compare_sample {
    double t, energy;
    double misalignment; // degrees, RMS over the contacts that slide; NAN: none does
    double slip;         // largest of contacts that carry force, m/s; NAN: none does
    size_t first_pair;   // of the trace's pairs, sorted by (low, high)
    int pairs;
} compare_sample;

typedef struct compare_trace {
    int bodies, count, pair_count, capacity, pair_capacity;
    compare_sample *sample; // [count] at t = 0, grid, 2 grid, ...
    compare_pair *pair;
    br_vec3 *position; // [count * bodies] of the body frames' origins
    double stop;       // first time that nothing slides any more, s; NAN: slides to the end or never did
    double last_stick; // of a located event, s
    double seconds;    // spent in steps
    br_ledger ledger;
    br_status status; // of the step that failed, the samples before it are good
    br_error error;
} compare_trace;

// What a long run tells on the way; NULL: nothing.
typedef void (*compare_progress)(void *context, double t, double until, long steps);

// Runs a variant to `until`, a sample at every multiple of grid. Fails when the model cannot be run at all; a step that
// fails is in the trace.
br_status compare_run(const compare_source *source, const compare_case *c, double until, double grid,
                      compare_progress progress, void *context, compare_trace *out, br_error *error);
void compare_trace_free(compare_trace *trace);

// |sum f_t| / (sum mu f_n) over a sample's pairs: the mean weighted by mu f_n; NAN: nothing touches.
double compare_force_ratio(const compare_trace *trace, int sample);

// ------------------------------------------------------------------------------------------------------ measures

typedef enum compare_quantity {
    COMPARE_FORCE_DEVIATION = 0,   // RMS of the difference of |f_t| / (mu f_n), percentage points
    COMPARE_FORCE_SLIDING,         // the same after two grid steps, while both slide, up to `at`
    COMPARE_FORCE_SLIDING_LARGEST, // the largest difference there
    COMPARE_MISALIGNMENT,          // of friction and slip, RMS, degrees; the law's own
    COMPARE_POSITION,           // distance between positions over distance from the start, at `at`, percent
    COMPARE_POSITION_LARGEST,   // the same, largest of all times
    COMPARE_POSITION_M,         // distance between positions at `at`, m
    COMPARE_POSITION_M_LARGEST, // the same, largest of all times
    COMPARE_ENERGY,             // largest difference, J
    COMPARE_ENERGY_SLIDING,     // the same, up to `at`
    COMPARE_CREEP,              // largest slip in stick where the reference sticks too, m/s
    COMPARE_STOP,               // when sliding ends, s
    COMPARE_SECONDS,            // of computing, for one step
    COMPARE_QUANTITIES
} compare_quantity;

typedef struct compare_measures {
    double value[COMPARE_QUANTITIES]; // NAN: not defined for this model
} compare_measures;

// Both traces on the same grid, the shorter one decides. at: the time of COMPARE_POSITION, s.
compare_measures compare_measure(const compare_trace *trace, const compare_trace *reference, double at);

// The error of all positions over the distance of all from their start, percent, at a sample; NAN: the reference is still
// within a micrometre of it.
double compare_position_error(const compare_trace *trace, const compare_trace *reference, int sample);

// ------------------------------------------------------------------------------------------- bristle compare itself

typedef struct compare_row {
    compare_case c;
    compare_trace trace;
    compare_measures m;       // against the reference
    compare_measures coulomb; // against the cone law at a tenth of the step
} compare_row;

typedef struct compare_job {
    const char *path;
    compare_source source;
    double until, at, grid; // s
    compare_row row[COMPARE_MAX_CASES];
    int count;
    int coulomb;   // row of the cone law at a tenth of the step; it comes after the laws that were asked for
    int reference; // row that the others are held against
    char note[BR_MAX_ERROR_TEXT + 256]; // why it is not the one that was asked for; empty otherwise
} compare_job;

void compare_report_text(FILE *out, const compare_job *j);
void compare_report_json(FILE *out, const compare_job *j);
int compare_report_csv(FILE *out, const compare_job *j);    // one line per row; 0: could not be written
int compare_report_series(FILE *out, const compare_job *j); // one line per time; 0: could not be written

void compare_report_table(FILE *out, const compare_job *j); // for a report: columns, rows, notes as JSON

// The case that a row runs: its law is one of the model's.
compare_case compare_runnable(const compare_case *c);

// The page of a comparison: every law runs once more and is recorded.
br_status compare_page(const compare_job *j, const char *path, br_error *error);

// The four figures as FOLDER/NAME.svg, the folder made when it is missing. Prints what is wrong and returns 0; else 1.
int compare_plots(const compare_job *j, const char *folder);
extern const char *const compare_plot_names[4];

#endif
