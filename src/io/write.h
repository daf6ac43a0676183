// Writing files so that there is never half of one: a temporary name in the same folder, then rename.
#ifndef BR_IO_WRITE_H
#define BR_IO_WRITE_H

#include <stdio.h>

#include "bristle/base.h"
#include "io/data.h"

int io_has_ending(const char *path, const char *ending);

#define IO_TEMPORARY_PATH 4096

// An unused name beside `path`, reserved as an empty file.
br_status io_reserve(const char *path, char temporary[IO_TEMPORARY_PATH], br_error *error);
br_status io_commit(const char *temporary, const char *path, br_error *error);
void io_abandon(const char *temporary);

// Opens a temporary for text; io_close_text flushes, checks and renames it. Numbers get a decimal point.
typedef struct io_output {
    FILE *file;
    const char *path;
    char temporary[IO_TEMPORARY_PATH];
} io_output;

br_status io_open_text(io_output *out, const char *path, br_error *error);
br_status io_close_text(io_output *out, br_error *error);
void io_print_number(FILE *file, double x); // %.17g with a point, whatever the locale; inf as "inf"

br_status io_cp_write(const io_data *d, const char *name, const char *path, br_error *error);

#endif
