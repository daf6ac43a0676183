// FCLIB problems in HDF5 files, through the HDF5 C API. HDF5 is not safe to enter from two threads at once: neither
// are these.
#ifndef BR_IO_PROBLEM_FCLIB_H
#define BR_IO_PROBLEM_FCLIB_H

#include "io/problem/data.h"

int br_io_is_hdf5(const char *path); // begins with the HDF5 signature

br_status br_io_fclib_read(const char *path, br_arena *keep, br_arena *scratch, io_data *data,
                           br_error *error);
br_status br_io_fclib_write(const io_data *d, const char *name, const char *path, br_error *error);

#endif
