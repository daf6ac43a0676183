// Reading the table of a sweep.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"
#include "page.h"
#include "plot/table.h"

static const char BEGIN[] = "run,";
static const long MOST_BYTES = 4L << 30;

static void table_file(const char *path, char out[CLI_MAX_PATH]) {
    struct stat about;
    const int folder = stat(path, &about) == 0 && S_ISDIR(about.st_mode);
    snprintf(out, CLI_MAX_PATH, folder ? "%s/table.csv" : "%s", path);
}

int plot_table_is(const char *path) {
    char file[CLI_MAX_PATH], begin[sizeof BEGIN] = "";
    table_file(path, file);
    FILE *in = fopen(file, "rb");
    if (!in) return 0;
    const size_t n = fread(begin, 1, sizeof BEGIN - 1, in);
    fclose(in);
    return n == sizeof BEGIN - 1 && strcmp(begin, BEGIN) == 0;
}

static char *read_all(const char *path) {
    FILE *in = fopen(path, "rb");
    struct stat about;
    char *bytes = NULL;
    if (!in) return NULL;
    if (fstat(fileno(in), &about) == 0 && about.st_size < MOST_BYTES)
        bytes = calloc((size_t)about.st_size + 1, 1);
    if (bytes && fread(bytes, 1, (size_t)about.st_size, in) != (size_t)about.st_size) {
        free(bytes);
        bytes = NULL;
    }
    fclose(in);
    return bytes;
}

// Cuts the cell that begins at `at` out of its line, without its quotes; the place after it. *last: it was the line's last.
static char *cut_cell(char *at, char **cell, int *last) {
    char *to = at;
    int quoted = *at == '"';
    *cell = at;
    for (at += quoted; *at && (quoted || (*at != ',' && *at != '\n')); at++) {
        if (quoted && *at == '"' && at[1] == '"')
            *to++ = *at++;
        else if (quoted && *at == '"')
            quoted = 0;
        else
            *to++ = *at;
    }
    *last = *at != ',';
    if (*at) at++;
    *to = '\0';
    return at;
}

static int cut_rows(plot_table *t) {
    char *at = t->bytes;
    int lines = 0, columns = 1, quoted = 0;
    for (const char *c = at; *c; c++) {
        quoted ^= *c == '"';
        columns += *c == ',' && !quoted && lines == 0;
        lines += *c == '\n' && !quoted;
    }
    t->name = calloc((size_t)columns, sizeof *t->name);
    t->cell = calloc((size_t)lines + 1, sizeof *t->cell);
    if (!t->name || !t->cell) return 0;
    t->columns = columns;
    for (int k = 0; k < lines; k++) {
        char **row = k == 0 ? t->name : calloc((size_t)columns, sizeof *row);
        int last = 0;
        if (!row) return 0;
        for (int i = 0; i < columns; i++) {
            row[i] = "";
            if (!last) at = cut_cell(at, &row[i], &last);
        }
        if (k > 0) t->cell[t->rows++] = row;
    }
    return 1;
}

int plot_table_read(const char *path, plot_table *t) {
    char file[CLI_MAX_PATH];
    memset(t, 0, sizeof *t);
    table_file(path, file);
    t->bytes = read_all(file);
    if (!t->bytes || !cut_rows(t)) {
        cli_usage_error("plot", "%s cannot be read, or there is no memory for it", file);
        return 0;
    }
    if (t->rows > 0) return 1;
    cli_usage_error("plot", "%s has no rows yet; bristle sweep SPEC -o DIR does the runs", file);
    return 0;
}

void plot_table_free(plot_table *t) {
    for (int k = 0; k < t->rows; k++) free((void *)t->cell[k]);
    free((void *)t->cell);
    free((void *)t->name);
    free(t->bytes);
}

int plot_table_find(const plot_table *t, const char *name) {
    for (int k = 0; k < t->columns; k++)
        if (strcmp(t->name[k], name) == 0) return k;
    return -1;
}

double plot_table_number(const plot_table *t, int row, int column) {
    const char *text = t->cell[row][column];
    char *end = NULL;
    const double x = strtod(text, &end);
    return *text && *end == '\0' ? x : (double)NAN;
}

int plot_table_has_words(const plot_table *t, int column) {
    for (int k = 0; k < t->rows; k++)
        if (t->cell[k][column][0] && isnan(plot_table_number(t, k, column))) return 1;
    return 0;
}
