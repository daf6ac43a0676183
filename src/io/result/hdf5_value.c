#include "io/result/hdf5_value.h"

#include <math.h>
#include <string.h>

// Deflate packs at most 1032 bytes into one; a chunk's place in the file takes some as well.
static const double MOST_PACKED = 1100.0;
static const double MAX_CHUNK_BYTES = 256e6;
static const double MAX_TEXT = 2147483647.0;

const char br_io_h5_no_memory[] = "needs more memory than there is";

io_h5_silence br_io_h5_silence_begin(void) {
    io_h5_silence s = {NULL, NULL};
    H5Eget_auto2(H5E_DEFAULT, &s.print, &s.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return s;
}

void br_io_h5_silence_end(io_h5_silence silence) {
    H5Eset_auto2(H5E_DEFAULT, silence.print, silence.data);
}

// ------------------------------------------------------------------------------------------------------- links

int br_io_h5_has_hard_link(hid_t parent, const char *name) {
    H5L_info_t info;
    if (H5Lexists(parent, name, H5P_DEFAULT) <= 0) return 0;
    return H5Lget_info(parent, name, &info, H5P_DEFAULT) >= 0 && info.type == H5L_TYPE_HARD;
}

hid_t br_io_h5_open_group(hid_t parent, const char *name) {
    return br_io_h5_has_hard_link(parent, name) ? H5Gopen2(parent, name, H5P_DEFAULT) : -1;
}

hid_t br_io_h5_open_set(hid_t parent, const char *name) {
    return br_io_h5_has_hard_link(parent, name) ? H5Dopen2(parent, name, H5P_DEFAULT) : -1;
}

const char *br_io_h5_check_storage(hid_t set, hid_t type, double entries) {
    hsize_t chunk[H5S_MAX_RANK];
    const char *why = NULL;
    const hid_t plist = H5Dget_create_plist(set);
    const H5D_layout_t layout = plist < 0 ? H5D_LAYOUT_ERROR : H5Pget_layout(plist);
    const double each = (double)H5Tget_size(type), stored = (double)H5Dget_storage_size(set);
    if (layout != H5D_COMPACT && layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED)
        why = "is stored in a way that is not read here, such as in another file";
    else if (H5Pget_external_count(plist) != 0)
        why = "has its numbers in another file, which is not read";
    if (!why && layout == H5D_CHUNKED) {
        double bytes = each;
        const int rank = H5Pget_chunk(plist, H5S_MAX_RANK, chunk);
        for (int k = 0; k < rank; k++) bytes *= (double)chunk[k];
        if (rank < 1 || bytes > MAX_CHUNK_BYTES) why = "is stored in pieces of more than 256 MB";
    }
    if (!why && entries * each > MOST_PACKED * stored)
        why = "claims more entries than its stored bytes can hold";
    if (plist >= 0) H5Pclose(plist);
    return why;
}

// ------------------------------------------------------------------------------------------------------ writing

static hid_t text_type(size_t size) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    if (type >= 0) {
        H5Tset_size(type, size);
        H5Tset_cset(type, H5T_CSET_UTF8);
        H5Tset_strpad(type, H5T_STR_NULLPAD);
    }
    return type;
}

static int put_attribute(hid_t object, const char *name, hid_t stored, hid_t memory, const void *value) {
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attribute =
        space < 0 ? -1 : H5Acreate2(object, name, stored, space, H5P_DEFAULT, H5P_DEFAULT);
    int done = attribute >= 0 && H5Awrite(attribute, memory, value) >= 0;
    if (attribute >= 0 && H5Aclose(attribute) < 0) done = 0;
    if (space >= 0) H5Sclose(space);
    return done;
}

// Of fixed length: HDF5 reads texts of variable length through heaps whose sizes it does not check.
int br_io_h5_put_text(hid_t object, const char *name, const char *text) {
    if (!text) return 1;
    const size_t n = strlen(text);
    const hid_t type = text_type(n > 0 ? n : 1);
    const int done = type >= 0 && put_attribute(object, name, type, type, text);
    if (type >= 0) H5Tclose(type);
    return done;
}

int br_io_h5_put_double(hid_t object, const char *name, double x) {
    return put_attribute(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &x);
}

int br_io_h5_put_whole(hid_t object, const char *name, long long x) {
    return put_attribute(object, name, H5T_STD_I64LE, H5T_NATIVE_LLONG, &x);
}

// Of fixed length: a model's text may hold zero bytes.
int br_io_h5_put_bytes(hid_t parent, const char *name, const char *text, size_t size) {
    if (!text || size == 0) return 1;
    const hid_t type = text_type(size), space = H5Screate(H5S_SCALAR);
    const hid_t set = type < 0 || space < 0
                          ? -1
                          : H5Dcreate2(parent, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    int done = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
    if (set >= 0 && H5Dclose(set) < 0) done = 0;
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    return done;
}

// ------------------------------------------------------------------------------------------------------ reading

int br_io_h5_has_attribute(hid_t object, const char *name) {
    return H5Aexists(object, name) > 0;
}

static const char *read_text(hid_t attribute, hid_t type, br_arena *arena, const char **out) {
    const size_t size = H5Tget_size(type);
    if (H5Tget_class(type) != H5T_STRING) return "is not a text";
    if (H5Tis_variable_str(type) != 0) return "is a text of variable length, which is not read";
    if (size > (size_t)H5Aget_storage_size(attribute)) return "is cut short";
    char *text = BR_TAKE(arena, char, size + 1);
    if (!text) return br_io_h5_no_memory;
    if (H5Aread(attribute, type, text) < 0) return "cannot be read";
    *out = text;
    return NULL;
}

// An attribute that is one value; its type and shape are looked at before it is read.
static const char *open_attribute(hid_t object, const char *name, hid_t *attribute, hid_t *type) {
    if (!br_io_h5_has_attribute(object, name)) return "is missing";
    *attribute = H5Aopen(object, name, H5P_DEFAULT);
    if (*attribute < 0) return "cannot be read";
    *type = H5Aget_type(*attribute);
    const hid_t space = H5Aget_space(*attribute);
    const hssize_t points = space < 0 ? -1 : H5Sget_simple_extent_npoints(space);
    if (space >= 0) H5Sclose(space);
    if (*type >= 0 && points == 1) return NULL;
    if (*type >= 0) H5Tclose(*type);
    H5Aclose(*attribute);
    return "is not a single value";
}

const char *br_io_h5_get_text(hid_t object, const char *name, br_arena *arena, const char **out) {
    hid_t attribute, type;
    const char *why = open_attribute(object, name, &attribute, &type);
    if (why) return why;
    why = read_text(attribute, type, arena, out);
    H5Tclose(type);
    H5Aclose(attribute);
    return why;
}

static const char *get_number(hid_t object, const char *name, hid_t memory, int whole, void *out) {
    hid_t attribute, type;
    const char *why = open_attribute(object, name, &attribute, &type);
    if (why) return why;
    const H5T_class_t class = H5Tget_class(type);
    if (class != H5T_INTEGER && (whole || class != H5T_FLOAT))
        why = whole ? "is not a whole number" : "is not a number";
    else if (H5Tget_size(type) > 8)
        why = "is a number of more than 8 bytes";
    else if (H5Aread(attribute, memory, out) < 0)
        why = "cannot be read";
    H5Tclose(type);
    H5Aclose(attribute);
    return why;
}

const char *br_io_h5_get_any_double(hid_t object, const char *name, double *out) {
    double x = 0;
    const char *why = get_number(object, name, H5T_NATIVE_DOUBLE, 0, &x);
    if (!why) *out = x;
    return why;
}

const char *br_io_h5_get_double(hid_t object, const char *name, double *out) {
    double x = 0;
    const char *why = br_io_h5_get_any_double(object, name, &x);
    if (!why && !isfinite(x)) why = "is not a finite number";
    if (!why) *out = x;
    return why;
}

const char *br_io_h5_get_whole(hid_t object, const char *name, long long *out) {
    long long x = 0;
    const char *why = get_number(object, name, H5T_NATIVE_LLONG, 1, &x);
    if (!why) *out = x;
    return why;
}

static const char *read_bytes(hid_t set, hid_t type, hid_t space, br_arena *arena, const char **out,
                              size_t *size) {
    const size_t n = H5Tget_size(type);
    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0)
        return "is not a text of fixed length";
    if (H5Sget_simple_extent_npoints(space) != 1 || (double)n > MAX_TEXT) return "is not one text";
    const char *why = br_io_h5_check_storage(set, type, 1);
    if (why) return why;
    char *text = BR_TAKE(arena, char, n + 1);
    if (!text) return br_io_h5_no_memory;
    if (H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0) return "cannot be read";
    *out = text;
    *size = n;
    return NULL;
}

const char *br_io_h5_get_bytes(hid_t parent, const char *name, br_arena *arena, const char **out,
                               size_t *size) {
    const hid_t set = br_io_h5_open_set(parent, name);
    if (set < 0) return "is not a dataset of this file";
    const hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    const char *why =
        type < 0 || space < 0 ? "has no type or shape" : read_bytes(set, type, space, arena, out, size);
    if (type >= 0) H5Tclose(type);
    if (space >= 0) H5Sclose(space);
    H5Dclose(set);
    return why;
}
