// Tables, HDF5 and logs as sinks of an export: each a thin cover of the writer that there is.
#include "base/error.h"
#include "io/export/export.h"
#include "io/result/hdf5.h"
#include "io/result/result.h"

// ------------------------------------------------------------------------------------------------------- tables

static br_status csv_begin(export_sink *sink, const char *path, const br_result_header *h, br_error *error) {
    br_arena scratch;
    br_arena_init(&scratch, sink->allocator);
    const char **names = BR_TAKE(&scratch, const char *, h->channel_count);
    for (int k = 0; names && k < h->channel_count; k++) names[k] = h->channels[k].name;
    br_csv *csv = NULL;
    const br_status status = names
                                 ? br_csv_create(path, names, h->channel_count, sink->allocator, &csv, error)
                                 : br_no_memory(error, "not enough memory for the names of a table");
    br_arena_free(&scratch);
    sink->self = csv;
    return status;
}

static br_status csv_row(export_sink *sink, const double *values, br_error *error) {
    return br_csv_row(sink->self, values, error);
}

static br_status csv_finish(export_sink *sink, const br_result_end *end, const char *missing,
                            br_error *error) {
    (void)end;
    (void)missing;
    return br_csv_close(sink->self, error);
}

static void csv_abandon(export_sink *sink) {
    br_csv_abandon(sink->self);
}

const export_ops br_export_csv = {{".csv", NULL}, 0, csv_begin, csv_row, NULL, NULL, csv_finish, csv_abandon};

// --------------------------------------------------------------------------------------------------------- HDF5

static br_status hdf5_begin(export_sink *sink, const char *path, const br_result_header *h, br_error *error) {
    io_h5_writer *w = NULL;
    const br_status status = br_io_h5_writer_create(path, h, sink->allocator, &w, error);
    sink->self = w;
    return status;
}

static br_status hdf5_row(export_sink *sink, const double *values, br_error *error) {
    return br_io_h5_writer_row(sink->self, values, error);
}

static br_status hdf5_contacts(export_sink *sink, const br_result_contact *contacts, int count,
                               br_error *error) {
    return br_io_h5_writer_contacts(sink->self, contacts, count, error);
}

static br_status hdf5_event(export_sink *sink, const br_event *event, br_error *error) {
    return br_io_h5_writer_event(sink->self, event, error);
}

static br_status hdf5_finish(export_sink *sink, const br_result_end *end, const char *missing,
                             br_error *error) {
    return br_io_h5_writer_finish(sink->self, end, missing, error);
}

static void hdf5_abandon(export_sink *sink) {
    br_io_h5_writer_abandon(sink->self);
}

const export_ops br_export_hdf5 = {{".h5", ".hdf5"}, 0,          hdf5_begin,  hdf5_row,
                                   hdf5_contacts,    hdf5_event, hdf5_finish, hdf5_abandon};

// --------------------------------------------------------------------------------------------------------- logs

// A run's log gets its name with its first row, so that a killed run leaves something; an export is whole or not there.
static br_status log_begin(export_sink *sink, const char *path, const br_result_header *h, br_error *error) {
    br_result_writer *w = NULL;
    const br_status status = br_io_result_begin(path, h, 1, sink->allocator, &w, error);
    sink->self = w;
    return status;
}

static br_status log_row(export_sink *sink, const double *values, br_error *error) {
    return br_result_row(sink->self, values, error);
}

static br_status log_contacts(export_sink *sink, const br_result_contact *contacts, int count,
                              br_error *error) {
    return br_result_contacts(sink->self, contacts, count, error);
}

static br_status log_event(export_sink *sink, const br_event *event, br_error *error) {
    return br_result_event(sink->self, event, error);
}

static void log_abandon(export_sink *sink) {
    br_result_abandon(sink->self);
    sink->self = NULL;
}

// Without an end the log stays without one: what reads it says the same of it as of the one it came from.
static br_status log_finish(export_sink *sink, const br_result_end *end, const char *missing,
                            br_error *error) {
    (void)missing;
    br_result_writer *w = sink->self;
    sink->self = NULL;
    return br_io_result_close(w, end, error);
}

const export_ops br_export_log = {{".result", NULL}, 0,         log_begin,  log_row,
                                  log_contacts,      log_event, log_finish, log_abandon};
