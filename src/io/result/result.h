// What results are read from: a log, an HDF5 file, a table. Each has a struct that begins with br_result and a table of
// its calls; result/open.c finds out which it is.
#ifndef BR_IO_RESULT_RESULT_H
#define BR_IO_RESULT_RESULT_H

#include "base/arena.h"
#include "bristle/export.h"
#include "io/text/write.h"

typedef struct io_result_ops {
    br_result_source source;
    br_status (*next)(br_result *result, br_result_item *item, br_error *error);
    void (*close)(br_result *result); // frees everything, the arena too
} io_result_ops;

struct br_result {
    const io_result_ops *ops;
    br_arena arena; // everything that lives as long as the reader
    br_result_header header;
    char path[IO_MAX_PATH];
};

br_status br_io_result_open_log(const char *path, const br_allocator *allocator, br_result **out,
                                br_error *error);
br_status br_io_result_open_hdf5(const char *path, const br_allocator *allocator, br_result **out,
                                 br_error *error);
br_status br_io_result_open_csv(const char *path, const br_allocator *allocator, br_result **out,
                                br_error *error);

// As br_result_create and br_result_finish; with at_end the file gets its name once it is whole, whatever is in it. end
// NULL: it stays without one.
br_status br_io_result_begin(const char *path, const br_result_header *header, int at_end,
                             const br_allocator *allocator, br_result_writer **out, br_error *error);
br_status br_io_result_close(br_result_writer *writer, const br_result_end *end, br_error *error);

#endif
