// Reading and writing HDF5 datasets without trusting them: type, shape and stored bytes are looked at before memory
// is taken. HDF5's own messages are silenced while a file is open; every failure comes back as a br_error.
#ifndef BR_IO_PROBLEM_HDF5_UTIL_H
#define BR_IO_PROBLEM_HDF5_UTIL_H

#include <hdf5.h>

#include "base/arena.h"
#include "bristle/base.h"

typedef struct io_hdf5 {
    hid_t file;
    const char *path;
    br_error *error;
    double bytes; // of the file
    H5E_auto2_t print;
    void *print_data;
} io_hdf5;

br_status br_io_hdf5_open(io_hdf5 *h, const char *path, br_error *error);
br_status br_io_hdf5_create(io_hdf5 *h, const char *path, br_error *error);
br_status br_io_hdf5_close(io_hdf5 *h); // BR_IO when what was written could not be stored

int br_io_hdf5_has(const io_hdf5 *h, const char *name); // group or dataset; parents must exist

// One-dimensional (or scalar) datasets by full name. Values of doubles are finite or an error names the entry.
br_status br_io_hdf5_read_ints(io_hdf5 *h, const char *name, br_arena *arena, int **out, int *count);
br_status br_io_hdf5_read_doubles(io_hdf5 *h, const char *name, br_arena *arena, double **out, int *count);
br_status br_io_hdf5_read_int(io_hdf5 *h, const char *name, br_arena *scratch, int *out);

br_status br_io_hdf5_make_group(io_hdf5 *h, const char *name);
br_status br_io_hdf5_write_ints(io_hdf5 *h, const char *name, const int *x, int count);
br_status br_io_hdf5_write_doubles(io_hdf5 *h, const char *name, const double *x, int count);
br_status br_io_hdf5_write_string(io_hdf5 *h, const char *name, const char *text);

#endif
