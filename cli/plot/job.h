// bristle plot: what its files share. verb_plot.c reads the arguments and tells, plot/sources.c opens results and finds
// channels, plot/read.c reads them, plot/panels.c makes the figure; plot/law.c
// draws friction laws of a model.
#ifndef BR_CLI_PLOT_JOB_H
#define BR_CLI_PLOT_JOB_H

#include "cli.h"
#include "model.h"
#include "plot/plot.h"
#include "result_series.h"

enum {
    PLOT_MAX_RESULTS = 8,
    PLOT_MAX_PANELS = 24,
    PLOT_MAX_CHANNELS = 96,
    PLOT_MAX_CURVES = 256, // channels of all results together
    PLOT_MAX_WORDS = 128,  // plain arguments
    PLOT_MAX_NOTES = 24,
    PLOT_NOTE = 400,
    PLOT_PATH = 4096,
    PLOT_LABEL = 512,
    PLOT_EVENT_BINS = 2048, // marks that a figure can show beside each other
    PLOT_EVENT_KINDS = 5,   // stick, slip, contact_on, contact_off, limit
};

typedef struct plot_request {
    const char *word[PLOT_MAX_WORDS];
    int word_count;
    const char *output, *x, *title;
    const char *by; // of a sweep's table: the column that colours
    int json, log, events, separate, no_title;
    int law;      // of a model's joints, not channels of a result
    int has_load; // of it, N
    double load;
    int has_from, has_to;
    double from, to;   // s
    int width, height; // 0: default
    double scale;
} plot_request;

typedef struct plot_source {
    const char *path;
    char label[PLOT_LABEL]; // of its lines
    br_result *result;
    int t, x; // columns
    result_reading reading;
} plot_source;

typedef struct plot_channel {
    const char *name, *unit;
    int panel;
} plot_channel;

typedef struct plot_curve {
    int source, channel; // which of the lists
    result_series series;
    result_path path; // of a long result, against another channel than time; else empty
} plot_curve;

// Times of events, one for each kind and bin.
typedef struct plot_events {
    double from, to; // of the bins
    long count[PLOT_EVENT_KINDS];
    unsigned char has[PLOT_EVENT_BINS][PLOT_EVENT_KINDS];
    double t[PLOT_EVENT_BINS][PLOT_EVENT_KINDS];
} plot_events;

typedef struct plot_job {
    plot_source source[PLOT_MAX_RESULTS];
    int source_count;
    plot_channel channel[PLOT_MAX_CHANNELS];
    int channel_count;
    plot_curve curve[PLOT_MAX_CURVES];
    int curve_count;
    int panel_count;
    const char *x_name, *x_unit;
    int x_is_time;
    plot_events events; // of the first result
    char note[PLOT_MAX_NOTES][PLOT_NOTE];
    int note_count;
    char path[PLOT_PATH]; // of the figure
    int png;
    double width, height; // of the figure, before the scale
} plot_job;

void plot_note(plot_job *j, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Each prints what is wrong and returns 0.
int plot_open_sources(const plot_request *r, plot_job *j, const char **patterns, int *pattern_count);
int plot_find_channels(const plot_request *r, plot_job *j, const char *const *patterns, int count);
int plot_read(const plot_request *r, plot_job *j);
int plot_read_paths(const plot_request *r, plot_job *j); // after the size is known
int plot_make(const plot_request *r, plot_job *j);

void plot_free(plot_job *j);

// --law: friction laws of the model word[0], of the joints word[1] .. or all that rub. The exit code.
int plot_law(const plot_request *r, const cli_overrides *changes);

// The table of a sweep, word[0]: its columns word[1] .., a point per run. The exit code.
int plot_sweep(const plot_request *r);

#endif
