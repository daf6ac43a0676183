// Writing files so that there is never half of one: a temporary name in the same folder, then rename.
#ifndef BR_IO_TEXT_WRITE_H
#define BR_IO_TEXT_WRITE_H

#include <stdio.h>

#include "bristle/base.h"
#include "io/problem/data.h"
#include "io/text/temporary.h"

int br_io_has_ending(const char *path, const char *ending);

// Opens a temporary for text; br_io_close_text flushes, checks and renames it. Terminals and pipes are written in place.
typedef struct io_output {
    FILE *file;
    int in_place;
    io_temporary temporary;
} io_output;

br_status br_io_open_text(io_output *out, const char *path, br_error *error);
br_status br_io_close_text(io_output *out, br_error *error);
// A text in memory, written as a file is.
typedef struct io_memory {
    FILE *file;
    char *text;
    size_t size;
} io_memory;

br_status br_io_memory_open(io_memory *memory, br_error *error);
// Gives the text away when status is BR_OK and it is whole; returns status, or why it is not whole.
br_status br_io_memory_close(io_memory *memory, br_status status, char **out, br_error *error);

// A name that a spreadsheet would take for a formula, or that begins as if it had been guarded against that: written with an
// apostrophe before it.
static inline int br_io_csv_is_formula(const char *name) {
    return name[0] == '=' || name[0] == '+' || name[0] == '-' || name[0] == '@' || name[0] == '\'';
}

// Bytes below a blank, delete, and U+0080 to U+009F, which terminals take for orders, become '?'.
static inline void br_io_mask_controls(char *text) {
    for (unsigned char *c = (unsigned char *)text; *c; c++) {
        if (*c < 0x20 || *c == 0x7f) *c = '?';
        if (c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0) c[0] = c[1] = '?';
    }
}

void br_io_print_number(FILE *file, double x); // %.17g with a point, whatever the locale; inf as "inf"

#endif
