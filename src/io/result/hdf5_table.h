// Tables in HDF5 files: a group whose datasets are columns of equal length, written and read in blocks of entries, so
// that memory does not depend on how long the table is.
#ifndef BR_IO_RESULT_HDF5_TABLE_H
#define BR_IO_RESULT_HDF5_TABLE_H

#include <stdint.h>

#include "io/result/hdf5_value.h"

typedef enum io_h5_kind { IO_H5_DOUBLE = 0, IO_H5_U64, IO_H5_U32, IO_H5_U8, IO_H5_TEXT } io_h5_kind;

typedef struct io_h5_column {
    const char *name; // of the dataset
    const char *unit; // its attribute; NULL: none
    const char *full; // attribute `name`, where the dataset's had to be another; NULL: none
    io_h5_kind kind;
    int width;           // numbers in an entry: 1 or 3; bytes of a text
    unsigned char *data; // [capacity] entries, taken by the table
} io_h5_column;

typedef struct io_h5_table {
    hid_t group;
    io_h5_column *column;
    int count;
    int capacity;   // entries in memory
    int used;       // of them
    uint64_t first; // entry of the file that data[0] is
    uint64_t total; // entries in the file
} io_h5_table;

size_t br_io_h5_entry_bytes(const io_h5_column *column);
int br_io_h5_block(int columns); // a capacity that keeps the memory of many columns in bounds

static inline void *io_h5_cell(const io_h5_table *t, int column, int entry) {
    return t->column[column].data + br_io_h5_entry_bytes(&t->column[column]) * (size_t)entry;
}

// Takes memory for the columns' data. 0: there is not enough.
int br_io_h5_table_take(io_h5_table *table, br_arena *arena);

// Writing: create every column, then fill the cells of entry `used`, br_io_h5_table_push, in the end io_h5_table_flush.
int br_io_h5_table_create(io_h5_table *table);
int br_io_h5_column_create(const io_h5_table *table, int column);
int br_io_h5_table_push(io_h5_table *table);
int br_io_h5_table_flush(io_h5_table *table);

// Reading: br_io_h5_table_check looks at every column and finds `total`; a reason as in hdf5_value.h, *bad the column.
const char *br_io_h5_table_check(io_h5_table *table, int *bad);
// Puts the entry into memory; *at is where in the columns' data it is then.
const char *br_io_h5_table_load(io_h5_table *table, uint64_t entry, int *at, int *bad);

#endif
