#include "sweep/table_hdf5.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "bristle/bristle.h"
#include "io/result/hdf5_file.h"
#include "io/result/hdf5_table.h"
#include "io/text/text.h"
#include "model/def/names.h"

enum {
    TABLE_LAYOUT = 1,
    LAST_COLUMNS = 3,
    MAX_CELL = BR_MAX_ERROR_TEXT + 256,
    LINK_ROOM = 16,
    HASH_ROOM = 24
};

int br_table_is_hdf5(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot && (strcmp(dot, ".h5") == 0 || strcmp(dot, ".hdf5") == 0);
}

// Of an empty cell NaN. 0: it is no number.
static int cell_number(const sweep_row *row, int k, double *out) {
    char text[MAX_CELL];
    *out = NAN;
    if (!br_rows_cell(row, k, text, sizeof text)) return 1;
    if (strcmp(text, "inf") == 0 || strcmp(text, "-inf") == 0) {
        *out = text[0] == '-' ? -INFINITY : INFINITY;
        return 1;
    }
    if (strcmp(text, "nan") == 0) return 1;
    return br_io_parse_double((io_token){text, text + strlen(text)}, out) == IO_NUMBER_FINITE;
}

// Numbers, if every cell is one; else texts as wide as the longest.
static void choose_kind(const br_sweep *s, const sweep_row *rows, int k, io_h5_column *c) {
    char text[MAX_CELL];
    double x;
    int numbers = k <= s->vary_count + s->column_count; // a hash of digits alone is still a word
    size_t most = 1;
    for (long long i = 0; i < s->count; i++) {
        if (!rows[i].text) continue;
        numbers = numbers && cell_number(&rows[i], k, &x);
        if (br_rows_cell(&rows[i], k, text, sizeof text) && strlen(text) > most) most = strlen(text);
    }
    c->kind = numbers ? IO_H5_DOUBLE : IO_H5_TEXT;
    c->width = numbers ? 1 : (int)most + 1;
}

static const char *column_title(const br_sweep *s, int k) {
    static const char *const last[LAST_COLUMNS] = {"status", "hash", "error"};
    if (k == 0) return "run";
    if (k <= s->vary_count) return s->vary[k - 1].name;
    if (k <= s->vary_count + s->column_count) return s->column[k - 1 - s->vary_count];
    return last[k - 1 - s->vary_count - s->column_count];
}

static const char *column_unit(const br_sweep *s, int k) {
    if (k < 1 || k > s->vary_count) return NULL;
    const char *unit = br_sweep_parameter_unit(s, k - 1);
    return unit[0] == ' ' ? unit + 1 : NULL;
}

// HDF5 has no slashes in names, and no name twice: the column's own then goes into an attribute.
static int name_column(const br_sweep *s, br_arena *arena, br_names *taken, int k, io_h5_column *c) {
    const char *own = column_title(s, k);
    const size_t room = strlen(own) + LINK_ROOM;
    char *link = BR_TAKE(arena, char, room);
    if (!link) return 0;
    snprintf(link, room, "%s", own);
    if (strcmp(link, ".") == 0) link[0] = '_';
    if (br_names_find(taken, link) >= 0) snprintf(link, room, "%s (%d)", own, k);
    for (char *p = link; *p; p++)
        if (*p == '/') *p = '|';
    c->name = link;
    c->full = strcmp(link, own) == 0 ? NULL : own;
    c->unit = column_unit(s, k);
    return br_names_add(taken, arena, link) == BR_OK;
}

static int take_table(const br_sweep *s, const sweep_row *rows, br_arena *arena, io_h5_table *t) {
    br_names taken = {0};
    t->count = 1 + s->vary_count + s->column_count + LAST_COLUMNS;
    t->capacity = br_io_h5_block(t->count);
    t->column = BR_TAKE(arena, io_h5_column, t->count);
    for (int k = 0; t->column && k < t->count; k++) {
        if (!name_column(s, arena, &taken, k, &t->column[k])) return 0;
        choose_kind(s, rows, k, &t->column[k]);
    }
    if (t->column) t->column[0].kind = IO_H5_U64, t->column[0].width = 1;
    return t->column && br_io_h5_table_take(t, arena);
}

static void put_row(io_h5_table *t, const sweep_row *row, long long run) {
    for (int k = 0; k < t->count; k++) {
        void *cell = io_h5_cell(t, k, t->used);
        const io_h5_column *c = &t->column[k];
        const uint64_t number = (uint64_t)run;
        double x = NAN;
        if (c->kind == IO_H5_U64) {
            memcpy(cell, &number, sizeof number);
        } else if (c->kind == IO_H5_DOUBLE) {
            cell_number(row, k, &x);
            memcpy(cell, &x, sizeof x);
        } else {
            memset(cell, 0, (size_t)c->width);
            br_rows_cell(row, k, cell, (size_t)c->width);
        }
    }
}

static int put_head(const br_sweep *s, hid_t file) {
    char hash[HASH_ROOM];
    snprintf(hash, sizeof hash, "%016" PRIx64, s->hash);
    return br_io_h5_put_text(file, "format", "bristle sweep") &&
           br_io_h5_put_whole(file, "layout", TABLE_LAYOUT) &&
           br_io_h5_put_text(file, "program_version", br_version()) &&
           br_io_h5_put_text(file, "model", s->model_path) && br_io_h5_put_text(file, "spec_hash", hash) &&
           br_io_h5_put_bytes(file, "spec", s->text, s->size);
}

static int put_all(const br_sweep *s, const sweep_row *rows, hid_t file, io_h5_table *t) {
    t->group = br_io_h5_create_group(file, "table");
    int done = t->group >= 0 && put_head(s, file) && br_io_h5_table_create(t);
    for (long long i = 0; done && i < s->count; i++) {
        if (!rows[i].text) continue;
        put_row(t, &rows[i], i);
        done = br_io_h5_table_push(t);
    }
    done = done && br_io_h5_table_flush(t);
    if (t->group >= 0 && H5Gclose(t->group) < 0) done = 0;
    return done;
}

br_status br_table_write_hdf5(const br_sweep *s, const char *path, const sweep_row *rows, br_error *error) {
    br_arena arena;
    br_arena_init(&arena, s->allocator);
    io_h5_table table = {-1, NULL, 0, 0, 0, 0, 0};
    io_h5_file out;
    const io_locale locale = br_io_locale_enter();
    br_status status = take_table(s, rows, &arena, &table)
                           ? BR_OK
                           : br_no_memory_at(error, path, "not enough memory to write a table as HDF5");
    if (status == BR_OK) status = br_io_h5_file_create(&out, path, error);
    if (status == BR_OK) {
        const io_h5_silence quiet = br_io_h5_silence_begin();
        const int done = put_all(s, rows, out.file, &table);
        br_io_h5_silence_end(quiet);
        status = br_io_h5_file_finish(&out, done, "the table", error);
    }
    br_io_locale_leave(locale);
    br_arena_free(&arena);
    return status;
}
