// An HDF5 file that is being written: under a temporary name until it is whole, through a driver that never fails, so that
// what the disk refuses is known here and HDF5 does not fall over it.
#ifndef BR_IO_RESULT_HDF5_FILE_H
#define BR_IO_RESULT_HDF5_FILE_H

#include <hdf5.h>

#include "io/text/temporary.h"

typedef struct io_h5_file {
    io_temporary temporary;
    hid_t file, driver; // below 0: not there
    int failure;        // errno of a write that failed; HDF5 does not know of it
} io_h5_file;

// path is kept. On failure nothing is left, and the file need not be abandoned.
br_status br_io_h5_file_create(io_h5_file *file, const char *path, br_error *error);
void br_io_h5_file_abandon(io_h5_file *file);
// Gives the file its name. what: the part that could not be stored where `done` is 0. The file is gone afterwards, also on failure.
br_status br_io_h5_file_finish(io_h5_file *file, int done, const char *what, br_error *error);

br_status br_io_h5_not_stored(const io_h5_file *file, const char *what, br_error *error);
hid_t br_io_h5_create_group(hid_t parent, const char *name); // members in order of creation

#endif
