// Single values in HDF5 files, by what people who open them with h5py or MATLAB expect: attributes that are texts and
// numbers, datasets that are one text. Reading follows hard links only, into the file itself, and looks at every type
// and size before memory is taken.
//
// Reading functions return NULL, or a reason that completes "NAME ..."; IO_H5_NO_MEMORY is one of them. Writing
// functions return 1, or 0 where HDF5 could not.
#ifndef BR_IO_RESULT_HDF5_VALUE_H
#define BR_IO_RESULT_HDF5_VALUE_H

#include <hdf5.h>

#include "base/arena.h"

extern const char br_io_h5_no_memory[];

// HDF5 prints what goes wrong unless told not to: silenced around each call of ours, so that several files may be open.
typedef struct io_h5_silence {
    H5E_auto2_t print;
    void *data;
} io_h5_silence;

io_h5_silence br_io_h5_silence_begin(void);
void br_io_h5_silence_end(io_h5_silence silence);

int br_io_h5_has_hard_link(hid_t parent, const char *name);
// What a hard link of that name leads to, or negative: links that lead to other files or other names are not followed.
hid_t br_io_h5_open_group(hid_t parent, const char *name);
hid_t br_io_h5_open_set(hid_t parent, const char *name);

int br_io_h5_put_text(hid_t object, const char *name, const char *text); // NULL: nothing is written
int br_io_h5_put_double(hid_t object, const char *name, double x);
int br_io_h5_put_whole(hid_t object, const char *name, long long x);
int br_io_h5_put_bytes(hid_t parent, const char *name, const char *text,
                       size_t size); // a dataset; empty: none

int br_io_h5_has_attribute(hid_t object, const char *name);
const char *br_io_h5_get_text(hid_t object, const char *name, br_arena *arena, const char **out);
const char *br_io_h5_get_any_double(hid_t object, const char *name, double *out);
const char *br_io_h5_get_double(hid_t object, const char *name, double *out);
const char *br_io_h5_get_whole(hid_t object, const char *name, long long *out);
// A dataset that is one text; *size does not count the zero that is put behind it.
const char *br_io_h5_get_bytes(hid_t parent, const char *name, br_arena *arena, const char **out,
                               size_t *size);

// What every dataset has to pass: data in this file alone, chunks that fit into memory, and no more entries than the
// stored bytes can stand for.
const char *br_io_h5_check_storage(hid_t set, hid_t type, double entries);

#endif
