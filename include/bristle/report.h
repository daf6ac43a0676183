// The report: results as one HTML page that opens without a network.
//
// A page is a template, built once from viewer/, with the data of one or more results put into it. What the data look like is in
// viewer/README.md. Long results are thinned for the page: plots keep the smallest and largest value of each group of rows, the
// animation keeps frames at even times. The result itself keeps everything.
#ifndef BRISTLE_REPORT_H
#define BRISTLE_REPORT_H

#include "bristle/result.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BR_MAX_REPORT_RESULTS 16
#define BR_MAX_REPORT_MISSING (BR_MAX_ERROR_TEXT + 128)

// How a model looks at its present state: bodies, shapes, joints, beams as JSON (viewer/README.md). To be freed with
// br_text_free.
br_status br_scene_text(const br_sim *sim, char **out, br_error *error);

typedef struct br_report_result {
    // a result
    const char *path;
    // in legends; NULL: its file's name without folder and ending
    const char *label;
} br_report_result;

typedef struct br_report_options {
    // NULL: the first model's name
    const char *title;
    // a table above all, as JSON (viewer/README.md); NULL: none
    const char *compare;
    // of a plotted line at most; 0: 4000, fewer where there are many channels
    int points;
    // of the animation at most; 0: 30 for each second and at least 1000, fewer where there are many bodies
    int frames;
    // Receives, for each result, the sentence that the page has on what is missing of it; empty: nothing is. NULL: not asked for
    // [count]
    char (*missing)[BR_MAX_REPORT_MISSING];
} br_report_options;

// Results that end early, or are damaged behind some row, are shown up to there, and the page says what is missing.
// template_path: the page as viewer/ builds it. Renamed into place, so there is never half a page.
br_status br_report_write(const char *template_path, const br_report_result *results, int count,
                          const br_report_options *options, const br_allocator *allocator, const char *path,
                          br_error *error);

#ifdef __cplusplus
}
#endif

#endif
