// Results on their way out: export.c chooses rows and channels, a sink writes them.
#ifndef BR_IO_EXPORT_EXPORT_H
#define BR_IO_EXPORT_EXPORT_H

#include "base/arena.h"
#include "bristle/export.h"

typedef struct export_sink export_sink;

// Rows come before the contacts that belong to them. Every call of a sink that failed is followed by abandon.
typedef struct export_ops {
    const char *ending[2];
    int whole_rows; // wants every channel, whatever was asked for
    br_status (*begin)(export_sink *sink, const char *path, const br_result_header *header, br_error *error);
    br_status (*row)(export_sink *sink, const double *values, br_error *error);
    br_status (*contacts)(export_sink *sink, const br_result_contact *contacts, int count,
                          br_error *error);                                        // NULL: not kept
    br_status (*event)(export_sink *sink, const br_event *event, br_error *error); // NULL: not kept
    // end NULL: there is none, and `missing` says why
    br_status (*finish)(export_sink *sink, const br_result_end *end, const char *missing, br_error *error);
    void (*abandon)(export_sink *sink);
} export_ops;

struct export_sink {
    const export_ops *ops;
    const br_allocator *allocator;
    const br_export_options *options;
    br_export_report *report;
    void *self; // what the kind of sink needs
};

extern const export_ops br_export_csv, br_export_hdf5, br_export_log, br_export_gltf;

#endif
