// A recording as its file has it: names, units and cells, nothing judged but the form.
#ifndef BR_FIT_TABLE_H
#define BR_FIT_TABLE_H

#include "base/arena.h"
#include "io/text/text.h"

enum { FIT_MAX_COLUMNS = 400, FIT_MAX_ROWS = 2000000 };

typedef struct fit_table {
    const char *path;
    int columns, rows;
    const char **name, **unit; // [columns]; unit "": none
    io_token *cell;            // [rows * columns]; begin NULL: there is none
    int *line;                 // [rows]
    int head_line;             // of a CSV file, where the names are
    int constants;             // of the whole recording: "# kp: 100" in CSV, what is no list in JSON
    const char **constant, **constant_value;
} fit_table;

// CSV, or JSON where the name ends in .json: a list of maps, or a map with such a list as `entries`.
br_status br_fit_table_read(const char *path, br_arena *arena, fit_table *out, br_error *error);

int br_fit_table_column(const fit_table *table, const char *name); // -1: none

// Number of a row, from 1 as people count them. What is no finite number is an error with line, row and column.
br_status br_fit_table_number(const fit_table *table, int row, int column, double *out, br_error *error);

#endif
