#include "io/result/hdf5_file.h"

#include <string.h>

#include "base/error.h"
#include "io/result/hdf5_disk.h"
#include "io/result/hdf5_value.h"

br_status br_io_h5_not_stored(const io_h5_file *f, const char *what, br_error *error) {
    if (f->failure)
        return br_fail_at(error, BR_IO, "file-unwritable", f->temporary.path, 0, 0, "cannot be written: %s",
                          strerror(f->failure));
    // The disk did what it was asked for: what HDF5 lacks is memory.
    return br_no_memory_at(error, f->temporary.path, "not enough memory: HDF5 could not store %s", what);
}

hid_t br_io_h5_create_group(hid_t parent, const char *name) {
    const hid_t plist = H5Pcreate(H5P_GROUP_CREATE);
    const unsigned order = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;
    hid_t group = -1;
    if (plist >= 0 && H5Pset_link_creation_order(plist, order) >= 0 &&
        H5Pset_attr_creation_order(plist, order) >= 0)
        group = H5Gcreate2(parent, name, H5P_DEFAULT, plist, H5P_DEFAULT);
    if (plist >= 0) H5Pclose(plist);
    return group;
}

// The layout of HDF5 1.10 has a checksum with everything but the numbers, which deflate checks: damage is found before it
// is believed. Older layouts have none, and HDF5 itself can fall over them.
static hid_t create_h5(const char *name, int *failure, hid_t *driver) {
    const hid_t plist = H5Pcreate(H5P_FILE_CREATE), access = H5Pcreate(H5P_FILE_ACCESS);
    const unsigned order = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;
    hid_t file = -1;
    if (plist >= 0 && access >= 0 && H5Pset_attr_creation_order(plist, order) >= 0 &&
        H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110) >= 0 &&
        (*driver = br_io_h5_use_disk(access, failure)) >= 0)
        file = H5Fcreate(name, H5F_ACC_TRUNC, plist, access);
    if (plist >= 0) H5Pclose(plist);
    if (access >= 0) H5Pclose(access);
    return file;
}

// The file first: HDF5 closes it through the driver.
static int close_h5(io_h5_file *f) {
    const int done = f->file < 0 || H5Fclose(f->file) >= 0;
    br_io_h5_leave_disk(f->driver);
    f->file = f->driver = -1;
    return done;
}

br_status br_io_h5_file_create(io_h5_file *f, const char *path, br_error *error) {
    f->file = f->driver = -1, f->failure = 0;
    br_status status = br_io_reserve(&f->temporary, path, error);
    if (status != BR_OK) return status;
    const io_h5_silence quiet = br_io_h5_silence_begin();
    f->file = create_h5(f->temporary.name, &f->failure, &f->driver);
    if (f->file < 0) status = br_io_h5_not_stored(f, "a file", error);
    br_io_h5_silence_end(quiet);
    if (status != BR_OK) br_io_h5_file_abandon(f);
    return status;
}

void br_io_h5_file_abandon(io_h5_file *f) {
    const io_h5_silence quiet = br_io_h5_silence_begin();
    close_h5(f);
    br_io_h5_silence_end(quiet);
    br_io_abandon(&f->temporary);
}

br_status br_io_h5_file_finish(io_h5_file *f, int done, const char *what, br_error *error) {
    const io_h5_silence quiet = br_io_h5_silence_begin();
    if (!close_h5(f)) done = 0;
    br_io_h5_silence_end(quiet);
    if (done && !f->failure) return br_io_commit(&f->temporary, error);
    const br_status status = br_io_h5_not_stored(f, what, error);
    br_io_abandon(&f->temporary);
    return status;
}
