#include "io/problem/hdf5_util.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "bristle/io.h"

// A compressed dataset may be larger than its file, but not without end.
#define BR_MAX_COMPRESSION 1024.0

static void silence(io_hdf5 *h, const char *path, br_error *error) {
    h->path = path;
    h->error = error;
    h->print = NULL;
    h->print_data = NULL;
    H5Eget_auto2(H5E_DEFAULT, &h->print, &h->print_data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

static void speak(io_hdf5 *h) {
    H5Eset_auto2(H5E_DEFAULT, h->print, h->print_data);
}

br_status br_io_hdf5_open(io_hdf5 *h, const char *path, br_error *error) {
    struct stat s;
    silence(h, path, error);
    h->bytes = stat(path, &s) == 0 ? (double)s.st_size : 0.0;
    h->file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (h->file >= 0) return BR_OK;
    speak(h);
    return br_fail_at(error, BR_PARSE, "fclib-not-hdf5", path, 0, 0,
                      "HDF5 cannot open it: damaged or cut short");
}

br_status br_io_hdf5_create(io_hdf5 *h, const char *path, br_error *error) {
    silence(h, path, error);
    h->bytes = 0;
    h->file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (h->file >= 0) return BR_OK;
    speak(h);
    return br_fail_at(error, BR_IO, "file-unwritable", path, 0, 0, "HDF5 cannot create it");
}

br_status br_io_hdf5_close(io_hdf5 *h) {
    const herr_t closed = H5Fclose(h->file);
    speak(h);
    if (closed >= 0) return BR_OK;
    return br_fail_at(h->error, BR_IO, "file-unwritable", h->path, 0, 0, "HDF5 could not store everything");
}

int br_io_hdf5_has(const io_hdf5 *h, const char *name) {
    return H5Lexists(h->file, name, H5P_DEFAULT) > 0;
}

// ------------------------------------------------------------------------------------------------------ reading

static br_status damaged(io_hdf5 *h, const char *name, const char *what) {
    return br_fail_at(h->error, BR_PARSE, "fclib-dataset", h->path, 0, 0, "%s: %s", name, what);
}

static br_status check_extent(io_hdf5 *h, const char *name, hid_t set, hid_t space, size_t each, int *count) {
    const hssize_t points = H5Sget_simple_extent_npoints(space);
    const int rank = H5Sget_simple_extent_ndims(space);
    if (points < 0 || rank < 0 || rank > 1) return damaged(h, name, "has a shape that is not a list");
    if (points > BR_MAX_FILE_ENTRIES)
        return br_fail_at(h->error, BR_TOO_LARGE, "fclib-too-large", h->path, 0, 0,
                          "%s claims %lld entries, at most %d are read", name, (long long)points,
                          BR_MAX_FILE_ENTRIES);
    if (points > 0 && H5Dget_storage_size(set) == 0)
        return damaged(h, name, "has entries that were never written");
    if ((double)points * (double)each > BR_MAX_COMPRESSION * h->bytes)
        return br_fail_at(h->error, BR_TOO_LARGE, "fclib-too-large", h->path, 0, 0,
                          "%s claims %lld entries in a file of %.0f bytes", name, (long long)points,
                          h->bytes);
    *count = (int)points;
    return BR_OK;
}

static br_status read_open_set(io_hdf5 *h, const char *name, hid_t set, hid_t type, hid_t space, int integers,
                               br_arena *arena, void **out, int *count) {
    const H5T_class_t class = H5Tget_class(type);
    const size_t each = integers ? sizeof(int) : sizeof(double);
    int n = 0;
    if (class != H5T_INTEGER && (integers || class != H5T_FLOAT))
        return damaged(h, name, integers ? "is not a list of integers" : "is not a list of numbers");
    const br_status status = check_extent(h, name, set, space, each, &n);
    if (status != BR_OK) return status;
    void *x = br_arena_take(arena, (size_t)n, each);
    if (!x) return br_no_memory_at(h->error, h->path, "not enough memory to read %s", name);
    if (n > 0 &&
        H5Dread(set, integers ? H5T_NATIVE_INT : H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) < 0)
        return damaged(h, name, "cannot be read: damaged or cut short");
    *out = x;
    *count = n;
    return BR_OK;
}

static br_status read_set(io_hdf5 *h, const char *name, int integers, br_arena *arena, void **out,
                          int *count) {
    if (!br_io_hdf5_has(h, name))
        return br_fail_at(h->error, BR_PARSE, "fclib-missing", h->path, 0, 0,
                          "has no dataset %s, which FCLIB requires", name);
    const hid_t set = H5Dopen2(h->file, name, H5P_DEFAULT);
    if (set < 0) return damaged(h, name, "is not a dataset");
    const hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    br_status status = type < 0 || space < 0 ? damaged(h, name, "has no type or shape") : BR_OK;
    if (status == BR_OK) status = read_open_set(h, name, set, type, space, integers, arena, out, count);
    if (type >= 0) H5Tclose(type);
    if (space >= 0) H5Sclose(space);
    H5Dclose(set);
    return status;
}

br_status br_io_hdf5_read_ints(io_hdf5 *h, const char *name, br_arena *arena, int **out, int *count) {
    void *x = NULL;
    const br_status status = read_set(h, name, 1, arena, &x, count);
    if (status == BR_OK) *out = x;
    return status;
}

br_status br_io_hdf5_read_doubles(io_hdf5 *h, const char *name, br_arena *arena, double **out, int *count) {
    void *x = NULL;
    const br_status status = read_set(h, name, 0, arena, &x, count);
    if (status != BR_OK) return status;
    const double *value = x;
    for (int k = 0; k < *count; k++)
        if (!isfinite(value[k]))
            return br_fail_at(h->error, BR_INVALID, "fclib-not-finite", h->path, 0, 0,
                              "%s entry %d is %g, expected a finite number", name, k, value[k]);
    *out = x;
    return BR_OK;
}

br_status br_io_hdf5_read_int(io_hdf5 *h, const char *name, br_arena *scratch, int *out) {
    int *x = NULL, count = 0;
    br_status status = br_io_hdf5_read_ints(h, name, scratch, &x, &count);
    if (status == BR_OK && count != 1) status = damaged(h, name, "holds more or less than one number");
    if (status == BR_OK) *out = x[0];
    return status;
}

// ------------------------------------------------------------------------------------------------------ writing

static br_status not_written(io_hdf5 *h, const char *name) {
    return br_fail_at(h->error, BR_IO, "file-unwritable", h->path, 0, 0, "HDF5 could not write %s", name);
}

br_status br_io_hdf5_make_group(io_hdf5 *h, const char *name) {
    const hid_t group = H5Gcreate2(h->file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    return group >= 0 && H5Gclose(group) >= 0 ? BR_OK : not_written(h, name);
}

static br_status write_set(io_hdf5 *h, const char *name, hid_t type, hid_t space, const void *x) {
    const hid_t set =
        space < 0 ? -1 : H5Dcreate2(h->file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    herr_t written = -1;
    if (set >= 0) {
        written = x ? H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) : 0;
        if (H5Dclose(set) < 0) written = -1;
    }
    if (space >= 0) H5Sclose(space);
    return written >= 0 ? BR_OK : not_written(h, name);
}

br_status br_io_hdf5_write_ints(io_hdf5 *h, const char *name, const int *x, int count) {
    const hsize_t size = (hsize_t)count;
    return write_set(h, name, H5T_NATIVE_INT, H5Screate_simple(1, &size, NULL), count ? x : NULL);
}

br_status br_io_hdf5_write_doubles(io_hdf5 *h, const char *name, const double *x, int count) {
    const hsize_t size = (hsize_t)count;
    return write_set(h, name, H5T_NATIVE_DOUBLE, H5Screate_simple(1, &size, NULL), count ? x : NULL);
}

br_status br_io_hdf5_write_string(io_hdf5 *h, const char *name, const char *text) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    if (type < 0 || H5Tset_size(type, strlen(text) + 1) < 0) return not_written(h, name);
    const br_status status = write_set(h, name, type, H5Screate(H5S_SCALAR), text);
    H5Tclose(type);
    return status;
}
