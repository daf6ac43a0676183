// Measured data beside a model: how well it predicts them, what they say of its parameters, and what they cannot say.
//
//     br_measured_def def = br_default_measured_def();
//     def.path = "cube_tosses.yaml";                            // a spec that names model, columns and files, or a model
//     br_measured_read(&def, NULL, &measured, &error);
//     br_validate(measured, NULL, NULL, &validation, &error);   // error of each recording and of all
//     br_fit_options options = br_default_fit_options();
//     const char *const names[] = {"mu"};
//     options.name = names, options.count = 1;
//     br_fit(measured, &options, NULL, &fit, &error);           // estimate, interval, what the data cannot tell
//
// A recording is a table: a column of time, rising, and columns of channels. It is CSV, or JSON with a list `entries` of maps. The
// model starts at the first row and runs to the last; nothing is predicted beyond them. See docs/theory/fit.md.
#ifndef BRISTLE_FIT_H
#define BRISTLE_FIT_H

#include "bristle/io.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BR_MAX_RECORDINGS 10000
#define BR_MAX_FIT_PARAMETERS 24
#define BR_MAX_FIT_NAME 128
#define BR_MAX_FIT_TEXT 400
#define BR_MAX_FIT_LAWS 16

typedef struct br_measured_def {
    // where the model starts: "first_row", "model", "free_flight"; NULL: as the spec says, else first_row
    const char *start;
    // a spec, or a model file; then columns are found by the names of channels
    const char *path;
    // [data_count] files of recordings; 0: those of the spec
    const char *const *data;
    int data_count;
    // parameters of the model, as --set has them
    const br_override *override;
    int override_count;
} br_measured_def;

br_measured_def br_default_measured_def(void);

typedef struct br_measured br_measured;

// Reads the spec, the model and all recordings. What is wrong with a recording is named with its file, line, row and column.
br_status br_measured_read(const br_measured_def *def, const br_allocator *allocator, br_measured **out,
                           br_error *error);
void br_measured_destroy(br_measured *measured); // accepts NULL
int br_measured_count(const br_measured *measured);
const char *br_measured_name(const br_measured *measured,
                             int recording);              // its file without folder and ending
const char *br_measured_set(const br_measured *measured); // of the spec, or of the model
const char *br_measured_model_path(const br_measured *measured);
const char *br_measured_start(const br_measured *measured); // "first_row", "model", "free_flight"
int br_measured_rows(const br_measured *measured, int recording);
// What was taken for granted or left out (units, columns, where the model starts), a line each.
const char *br_measured_notes(const br_measured *measured);
// [count] of `fit: for` in the spec.
int br_measured_wished_count(const br_measured *measured);
const char *br_measured_wished(const br_measured *measured, int k);

// --- validation ----------------------------------------------------------------------------------------------

// Of one quantity: a channel, a vector (BODY.position) or a rotation (BODY.rotation, an angle in rad), in one recording or all.
typedef struct br_validation_row {
    // -1: all
    int recording;
    char quantity[BR_MAX_FIT_NAME];
    char unit[12];
    // rows that were compared: all but the first
    long rows;
    // at the last row; of a vector as many as it has, of a rotation w x y z
    int numbers;
    double measured[4], predicted[4];
    // mean over the rows of the distance, in the unit; of all: mean over the recordings
    double error;
    // root of the mean square; the largest; at the last row
    double rms, largest, end;
    // what the errors are a part of; NAN: the spec gives no size
    double size;
    // of all: median and standard error of the mean over the recordings, in the unit
    double median, standard_error;
    // part of the numbers within the bands from the 5 % to the 95 % quantile of the draws; NAN: no bands
    double coverage;
    // their mean width, in the unit; NAN: no bands
    double width;
} br_validation_row;

typedef struct br_validation {
    // recording by recording, quantity by quantity
    int rows;
    br_validation_row *row;
    // a row for each quantity
    int totals;
    br_validation_row *total;
    // draws behind the bands; 0: the model has no distributions, or none were asked for
    int draws;
    // private
    void *memory;
} br_validation;

typedef struct br_validate_options {
    // at a time; 1
    int threads;
    // of the model's distributions, for bands; 0: no bands
    int draws;
} br_validate_options;

br_validate_options br_default_validate_options(void);
br_status br_validate(const br_measured *measured, const br_validate_options *options,
                      const br_allocator *allocator, br_validation *out, br_error *error);
void br_validation_free(br_validation *validation); // accepts a zeroed one

// Writes the recording as measured, and as predicted, as two results of the model: for `bristle report`.
br_status br_measured_record(const br_measured *measured, int recording, const char *measured_path,
                             const char *predicted_path, br_error *error);

// --- fit -----------------------------------------------------------------------------------------------------

typedef enum br_fit_outcome {
    BR_FIT_CONVERGED = 0,
    BR_FIT_FLAT,      // nothing that was asked for changes the prediction anywhere within the bounds
    BR_FIT_NOT_BEST,  // starts ended in different places that fit equally well
    BR_FIT_EXHAUSTED, // the evaluations ended first
    BR_FIT_OUTCOMES
} br_fit_outcome;

const char *br_fit_outcome_name(br_fit_outcome outcome); // "converged", ...

typedef struct br_fit_estimate {
    char name[BR_MAX_FIT_NAME];
    char unit[48];
    // in SI
    double start, from, to;
    double value;
    // of the 90 % interval; at a bound where `open`
    double low, high;
    // bit 0: the data do not bound it below, bit 1: above
    int open;
    // [points] of the profile likelihood, rising: the parameter, and by how much the likelihood falls, as chi squared. 0: no profile
    int points;
    const double *at, *fall;
} br_fit_estimate;

// A combination that the data cannot tell: along it the prediction changes by less than the noise.
typedef struct br_fit_direction {
    // [parameters], relative to the ranges of the bounds
    double part[BR_MAX_FIT_PARAMETERS];
    // what going along it across the bounds changes, in standard deviations of the whole data
    double change;
    char text[BR_MAX_FIT_TEXT];
} br_fit_direction;

typedef struct br_fit_options {
    // [count] what is fitted: a name of the model's params, the dotted path of a number, or noise(QUANTITY), delay(COLUMN),
    // gain(COLUMN), bias(COLUMN), start(CHANNEL)
    const char *const *name;
    int count;
    // at a time; 1
    int threads;
    // points within the bounds from which it starts besides the model's own; 15
    int starts;
    // of whole recordings, where there are at least five; 400
    int resamples;
    // part of the recordings that are kept out and predicted with what the others say, in turn (k of them: 1/k); 0.2; 0: none
    double held_out;
    // evaluations of all recordings; 10000
    int evaluations;
    // nonzero: no intervals
    int quick;
} br_fit_options;

br_fit_options br_default_fit_options(void);

typedef struct br_fit_report {
    br_fit_outcome outcome;
    // why it did not converge, or has no intervals; "" where neither is so
    char why[BR_MAX_FIT_TEXT];
    int estimates;
    br_fit_estimate *estimate;
    // [estimates * estimates]; NAN: not to be told
    double *correlation;
    int directions;
    br_fit_direction *direction;
    // "profile likelihood", "profile likelihood, with the noise of the first row, where the model starts", "resampling of recordings", "none"
    const char *interval;
    // root of the mean square of what is left, in standard deviations of the quantities' noise; over the model's own parameters
    double misfit, misfit_before;
    // correlation of what is left of neighbouring rows, 0 where it may be chance: near 1 it is no noise of a sensor
    double row_correlation;
    // of the first quantity, as br_validation_row.error: with the fit, and of what was kept out; NAN: nothing was
    double error, held_out_error;
    char quantity[BR_MAX_FIT_NAME], unit[12];
    double size;
    // of fits to the recordings k with k % folds != f: their estimates, [folds * estimates]
    int folds;
    double *fold_value;
    // starts that ended at the estimate, of how many
    int agree, starts;
    long evaluations;
    // private
    void *memory;
} br_fit_report;

br_status br_fit(const br_measured *measured, const br_fit_options *options, const br_allocator *allocator,
                 br_fit_report *out, br_error *error);
void br_fit_report_free(br_fit_report *report); // accepts a zeroed one

// What a fit predicts of a recording's quantity, with its parameters of sensors and starts.
typedef struct br_fit_series {
    int recording;
    char quantity[BR_MAX_FIT_NAME];
    char unit[12];
    // channels are names[numbers]; residuals are of `parts` numbers: of a rotation the rotation vector from measured to predicted
    int rows, numbers, parts;
    const char *name[4];
    // [rows] s; [rows * numbers]; [rows * parts], NAN at the first row
    const double *t, *measured, *predicted, *residual;
    double rms;
} br_fit_series;

typedef struct br_fit_series_report {
    // recording by recording, quantity by quantity
    int count;
    br_fit_series *series;
    // private
    void *memory;
} br_fit_series_report;

// options: those of the fit.
br_status br_fit_series_of(const br_measured *measured, const br_fit_options *options,
                           const br_fit_report *fit, const br_allocator *allocator, br_fit_series_report *out,
                           br_error *error);
void br_fit_series_free(br_fit_series_report *report); // accepts a zeroed one

// A measured set whose model has the estimates in place: to validate with them. The first must outlive it.
br_status br_measured_fitted(const br_measured *measured, const br_fit_report *fit, br_measured **out,
                             br_error *error);

// The model file with the estimates in place of what it says, as a text to be freed with br_text_free.
br_status br_fit_model_text(const br_measured *measured, const br_fit_report *fit, char **out,
                            br_error *error);

// --- bands ---------------------------------------------------------------------------------------------------

// How far from its prediction a quantity of a recording may be, by how far others were: around the prediction a distance within
// which nine recordings of ten end. What a model does not know is taken from other recordings: none has a part in its own band.
typedef struct br_band_row {
    int recording;
    char quantity[BR_MAX_FIT_NAME];
    char unit[12];
    // at the last row: how far the measurement is from the prediction; the band; what the noise of the start and the model's
    // distributions alone would say
    double error, radius, input_radius;
    // [rows] s; the measurement, the prediction [rows * numbers]; and the band that holds the whole way of nine recordings of ten
    int rows, numbers;
    const double *t, *measured, *predicted, *way;
    // largest part of `way` that the measurement has used up: above 1 it left it
    double way_used;
} br_band_row;

typedef struct br_band_total {
    char quantity[BR_MAX_FIT_NAME];
    char unit[12];
    double size;
    // parts of the recordings that end within, and that stay within all the way
    double coverage, way_coverage, input_coverage;
    // median radius at the end; of the input alone; the constant that holds as many ends as the bands do
    double radius, input_radius, constant_radius;
    // for a recording that comes next: radius^2 = (what nine draws of ten stay within with `factor` times the noise of the start)^2 +
    // (path * way so far)^2 + constant^2; factor 0: without the first
    double factor, path, constant;
    // the noise of the start that was found, in the unit and in the unit/s; 0: the quantity is neither a position nor a rotation
    double place, rate;
} br_band_total;

typedef struct br_band_report {
    // recording by recording, quantity by quantity
    int rows;
    br_band_row *row;
    int totals;
    br_band_total *total;
    int recordings, draws;
    // private
    void *memory;
} br_band_report;

typedef struct br_band_options {
    // at a time; 1
    int threads;
    // starts (and values of distributions) for each recording and each of five sizes of the noise; 40
    int draws;
    // NULL: the model as it is; else each recording is predicted by the fit of the others
    const br_fit_report *fit;
} br_band_options;

br_band_options br_default_band_options(void);
// Needs ten recordings.
br_status br_measured_bands(const br_measured *measured, const br_band_options *options,
                            const br_allocator *allocator, br_band_report *out, br_error *error);
void br_band_report_free(br_band_report *report); // accepts a zeroed one

// --- which law, which experiment -----------------------------------------------------------------------------

typedef struct br_fit_law {
    char name[BR_MAX_FIT_NAME];
    br_fit_report fit;
    // BR_OK, or why it could not be fitted
    br_error error;
} br_fit_law;

int br_measured_law_count(const br_measured *measured); // of `laws` in the spec
// Fits law k of the spec: its `set` and its `for`.
br_status br_fit_law_of(const br_measured *measured, int law, const br_fit_options *options,
                        const br_allocator *allocator, br_fit_law *out, br_error *error);

// What an experiment of the spec's list would do to the interval of a parameter.
typedef struct br_fit_next {
    char name[BR_MAX_FIT_NAME];
    // half width of the 90 % interval by the sensitivities, before and after; the bounds count as knowledge
    double before, after;
    char text[BR_MAX_FIT_TEXT];
} br_fit_next;

int br_measured_experiment_count(const br_measured *measured); // of `experiments` in the spec
// next: [br_measured_experiment_count], the one that narrows the interval of `wished` most first. wished: an estimate's name.
br_status br_fit_experiments(const br_measured *measured, const br_fit_options *options,
                             const br_fit_report *fit, const char *wished, br_fit_next *next,
                             br_error *error);

#ifdef __cplusplus
}
#endif

#endif
