// Results that travel: written as tables, HDF5, glTF or logs, and read back from logs, HDF5 and tables alike.
// docs/guide/export.md describes the files.
#ifndef BRISTLE_EXPORT_H
#define BRISTLE_EXPORT_H

#include "bristle/result.h"

#ifdef __cplusplus
extern "C" {
#endif

// What br_result_open can read. Told by the first bytes, not by the name.
typedef enum br_result_source {
    BR_SOURCE_NONE = 0, // something else, or no file
    BR_SOURCE_LOG,      // as br_result_create writes it
    BR_SOURCE_HDF5,     // as br_result_export does; other HDF5 files are refused when they are opened
    BR_SOURCE_CSV,      // a table with a column t: no model, no events, no ledger (its end has 0 steps)
} br_result_source;

br_result_source br_result_look(const char *path); // opens nothing that is no regular file
br_result_source br_result_source_of(const br_result *result);

#define BR_DEFAULT_FPS 30.0 // frames of an animation in each second

typedef struct br_export_options {
    // patterns with *; t always comes first. NULL: every channel
    const char *const *channels;
    int channel_count;
    // s; only rows and events from .. to
    double from, to;
    // every how many rows one is kept, the first included; 0 is 1
    int every;
    // a table of events beside it; NULL: none
    const char *events;
    // of glTF; 0: BR_DEFAULT_FPS
    double fps;
} br_export_options;

br_export_options br_default_export_options(void); // everything

typedef struct br_export_report {
    // written
    long rows, events, contacts;
    int channels;
    // of the rows, s
    double from, to;
    // of glTF
    int bodies, frames;
    // 0: the result ends early: it has no end, or its run failed or was interrupted
    int complete;
    // then: what is not there, and why
    char missing[BR_MAX_ERROR_TEXT];
    // verdicts written beside a log; empty: none
    char trust_path[BR_MAX_ERROR_PATH];
} br_export_report;

// The format follows the ending of `path`: .csv, .h5 or .hdf5, .glb or .gltf, .result. A result that ends early is
// written as far as it goes. Renamed into place, so there is never half a file. report may be NULL.
br_status br_result_export(const char *result, const char *path, const br_export_options *options,
                           const br_allocator *allocator, br_export_report *report, br_error *error);

#ifdef __cplusplus
}
#endif

#endif
