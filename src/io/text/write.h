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

void br_io_print_number(FILE *file, double x); // %.17g with a point, whatever the locale; inf as "inf"

#endif
