#include "io/result/hdf5_table.h"

enum { MOST_ENTRIES = 4096, LEAST_ENTRIES = 16, BLOCK_CELLS = 1 << 21, DEFLATE = 4, MAX_TEXT = 1 << 16 };

int br_io_h5_block(int columns) {
    const int n = columns > 0 ? BLOCK_CELLS / columns : MOST_ENTRIES;
    return n > MOST_ENTRIES ? MOST_ENTRIES : n < LEAST_ENTRIES ? LEAST_ENTRIES : n;
}

static size_t kind_bytes(io_h5_kind kind) {
    static const size_t bytes[] = {8, 8, 4, 1, 1};
    return bytes[kind];
}

size_t br_io_h5_entry_bytes(const io_h5_column *column) {
    return kind_bytes(column->kind) * (size_t)column->width;
}

static hid_t text_type(int size) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    if (type < 0) return type;
    H5Tset_size(type, (size_t)size);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

// To be closed. Files are little-endian wherever they were written.
static hid_t type_of(const io_h5_column *c, int stored) {
    switch (c->kind) {
    case IO_H5_DOUBLE:
        return H5Tcopy(stored ? H5T_IEEE_F64LE : H5T_NATIVE_DOUBLE);
    case IO_H5_U64:
        return H5Tcopy(stored ? H5T_STD_U64LE : H5T_NATIVE_UINT64);
    case IO_H5_U32:
        return H5Tcopy(stored ? H5T_STD_U32LE : H5T_NATIVE_UINT32);
    case IO_H5_U8:
        return H5Tcopy(stored ? H5T_STD_U8LE : H5T_NATIVE_UINT8);
    case IO_H5_TEXT:
        break;
    }
    return text_type(c->width);
}

static int rank_of(const io_h5_column *c) {
    return c->kind != IO_H5_TEXT && c->width > 1 ? 2 : 1;
}

int br_io_h5_table_take(io_h5_table *t, br_arena *arena) {
    for (int k = 0; k < t->count; k++) {
        io_h5_column *c = &t->column[k];
        c->data = br_arena_take(arena, (size_t)t->capacity, br_io_h5_entry_bytes(c));
        if (!c->data) return 0;
    }
    return 1;
}

// ------------------------------------------------------------------------------------------------------ writing

static hid_t chunked(const io_h5_column *c, int capacity) {
    const hsize_t chunk[2] = {(hsize_t)capacity, (hsize_t)c->width};
    const hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    if (plist < 0) return plist;
    int fine = H5Pset_chunk(plist, rank_of(c), chunk) >= 0 && H5Pset_shuffle(plist) >= 0;
    if (fine && H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) fine = H5Pset_deflate(plist, DEFLATE) >= 0;
    if (fine) return plist;
    H5Pclose(plist);
    return -1;
}

int br_io_h5_column_create(const io_h5_table *t, int column) {
    const io_h5_column *c = &t->column[column];
    const hsize_t none[2] = {0, (hsize_t)c->width}, most[2] = {H5S_UNLIMITED, (hsize_t)c->width};
    const hid_t type = type_of(c, 1), space = H5Screate_simple(rank_of(c), none, most);
    const hid_t plist = chunked(c, t->capacity);
    const hid_t set = type < 0 || space < 0 || plist < 0
                          ? -1
                          : H5Dcreate2(t->group, c->name, type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    int done = set >= 0 && br_io_h5_put_text(set, "unit", c->unit) && br_io_h5_put_text(set, "name", c->full);
    if (set >= 0 && H5Dclose(set) < 0) done = 0;
    if (plist >= 0) H5Pclose(plist);
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    return done;
}

int br_io_h5_table_create(io_h5_table *t) {
    for (int k = 0; k < t->count; k++)
        if (!br_io_h5_column_create(t, k)) return 0;
    return 1;
}

// Reads or writes `count` entries from entry `first` of the file.
static int transfer(hid_t set, const io_h5_column *c, uint64_t first, int count, int write) {
    const hsize_t start[2] = {first, 0}, size[2] = {(hsize_t)count, (hsize_t)c->width};
    const hid_t type = type_of(c, 0), file = H5Dget_space(set),
                memory = H5Screate_simple(rank_of(c), size, NULL);
    int done = type >= 0 && file >= 0 && memory >= 0 &&
               H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, size, NULL) >= 0;
    if (done)
        done = (write ? H5Dwrite(set, type, memory, file, H5P_DEFAULT, c->data)
                      : H5Dread(set, type, memory, file, H5P_DEFAULT, c->data)) >= 0;
    if (memory >= 0) H5Sclose(memory);
    if (file >= 0) H5Sclose(file);
    if (type >= 0) H5Tclose(type);
    return done;
}

// Datasets are opened for each block: thousands of open ones would take more memory than the block itself.
static int append_column(const io_h5_table *t, const io_h5_column *c) {
    const hsize_t size[2] = {t->total + (hsize_t)t->used, (hsize_t)c->width};
    const hid_t set = H5Dopen2(t->group, c->name, H5P_DEFAULT);
    int done = set >= 0 && H5Dset_extent(set, size) >= 0 && transfer(set, c, t->total, t->used, 1);
    if (set >= 0 && H5Dclose(set) < 0) done = 0;
    return done;
}

int br_io_h5_table_flush(io_h5_table *t) {
    for (int k = 0; k < t->count && t->used > 0; k++)
        if (!append_column(t, &t->column[k])) return 0;
    t->total += (uint64_t)t->used;
    t->used = 0;
    return 1;
}

int br_io_h5_table_push(io_h5_table *t) {
    return ++t->used < t->capacity || br_io_h5_table_flush(t);
}

// ------------------------------------------------------------------------------------------------------ reading

static const char *check_type(const io_h5_column *c, hid_t type) {
    const H5T_class_t class = H5Tget_class(type);
    const size_t size = H5Tget_size(type);
    if (c->kind == IO_H5_TEXT)
        return class != H5T_STRING || H5Tis_variable_str(type) != 0 || size > MAX_TEXT
                   ? "is not a list of texts of fixed length"
                   : NULL;
    if (class != H5T_INTEGER && class != H5T_FLOAT) return "is not a list of numbers";
    if (c->kind != IO_H5_DOUBLE && class != H5T_INTEGER) return "is not a list of whole numbers";
    return size > 8 ? "has numbers of more than 8 bytes" : NULL;
}

static const char *check_shape(const io_h5_column *c, hid_t space, uint64_t *entries) {
    hsize_t size[2] = {0, 0};
    if (H5Sget_simple_extent_type(space) != H5S_SIMPLE || H5Sget_simple_extent_ndims(space) != rank_of(c) ||
        H5Sget_simple_extent_dims(space, size, NULL) != rank_of(c))
        return "has a shape that is not that of a column";
    if (rank_of(c) == 2 && size[1] != (hsize_t)c->width) return "does not have three numbers in each entry";
    *entries = size[0];
    return NULL;
}

static const char *check_column(hid_t group, const io_h5_column *c, uint64_t *entries) {
    const hid_t set = br_io_h5_open_set(group, c->name);
    if (set < 0) return "is not a dataset of this file";
    const hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    const char *why = type < 0 || space < 0 ? "has no type or shape" : check_type(c, type);
    if (!why) why = check_shape(c, space, entries);
    if (!why)
        why = br_io_h5_check_storage(set, type,
                                     (double)*entries * (c->kind == IO_H5_TEXT ? 1.0 : (double)c->width));
    if (type >= 0) H5Tclose(type);
    if (space >= 0) H5Sclose(space);
    H5Dclose(set);
    return why;
}

const char *br_io_h5_table_check(io_h5_table *t, int *bad) {
    for (int k = 0; k < t->count; k++) {
        uint64_t entries = 0;
        *bad = k;
        const char *why = check_column(t->group, &t->column[k], &entries);
        if (why) return why;
        if (k > 0 && entries != t->total) return "is longer or shorter than those before it";
        t->total = entries;
    }
    return NULL;
}

const char *br_io_h5_table_load(io_h5_table *t, uint64_t entry, int *at, int *bad) {
    if (entry < t->first || entry >= t->first + (uint64_t)t->used) {
        const uint64_t block = (uint64_t)t->capacity, first = entry / block * block, left = t->total - first;
        t->used = 0;
        for (int k = 0; k < t->count; k++) {
            *bad = k;
            const hid_t set = br_io_h5_open_set(t->group, t->column[k].name);
            const int done =
                set >= 0 && transfer(set, &t->column[k], first, (int)(left < block ? left : block), 0);
            if (set >= 0) H5Dclose(set);
            if (!done) return "cannot be read: damaged or cut short";
        }
        t->first = first;
        t->used = (int)(left < block ? left : block);
    }
    *at = (int)(entry - t->first);
    return NULL;
}
