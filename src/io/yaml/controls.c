// controls: FILE.csv. A heading `t,DRIVE,...`, then a row for each time: the targets of drives as tables, straight between the rows and
// constant before the first and after the last, like every table of a model. Numbers are in SI units, angles in rad, as results
// have them. The file is beside the model or below it: a model that came from elsewhere reads nothing else.
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "io/text/beside.h"
#include "io/text/text.h"
#include "io/yaml/fields.h"
#include "model/build/builder.h"

static const long MAX_CONTROL_BYTES = 64L << 20;
enum { MAX_CONTROL_COLUMNS = 1000, MAX_CONTROL_NUMBERS = 8000000 };

typedef struct controls {
    yaml_reader *reader;
    io_text text;
    const char *begin, *end; // of the line
    int columns;             // t and drives
    int *drive;              // [columns] the first is t's
    io_token *name;          // [columns]
    double **number;         // [columns] of rows
    int *room;               // [columns]
    int rows, last_line;
} controls;

// What is wrong at a cell, with its place in the file.
#define controls_fault(c, cell, code, ...)                                                                   \
    ((c)->reader->status = br_fail_at((c)->reader->error, BR_PARSE, code, (c)->text.path, (c)->text.line,    \
                                      (int)((cell).begin - (c)->begin) + 1, __VA_ARGS__))

// The next line that is not blank; 0: none.
static int controls_line(controls *c) {
    while (c->text.at < c->text.end) {
        const char *end = memchr(c->text.at, '\n', (size_t)(c->text.end - c->text.at));
        c->begin = c->text.at;
        c->end = end ? end : c->text.end;
        c->text.at = end ? end + 1 : c->text.end;
        c->text.line++;
        while (c->end > c->begin && strchr(" \t\r", c->end[-1])) c->end--;
        if (c->end > c->begin) return 1;
    }
    return 0;
}

static io_token controls_cell(const char **at, const char *end) {
    const char *comma = memchr(*at, ',', (size_t)(end - *at));
    io_token cell = {*at, comma ? comma : end};
    *at = comma ? comma + 1 : NULL;
    while (cell.begin < cell.end && (*cell.begin == ' ' || *cell.begin == '\t')) cell.begin++;
    while (cell.end > cell.begin && strchr(" \t", cell.end[-1])) cell.end--;
    return cell;
}

static int controls_same(io_token a, io_token b) {
    return a.end - a.begin == b.end - b.begin && memcmp(a.begin, b.begin, (size_t)(a.end - a.begin)) == 0;
}

static void find_drive(controls *c, io_token cell, int *out) {
    const br_names *names = &c->reader->builder->drive_names;
    const size_t size = (size_t)(cell.end - cell.begin);
    char name[BR_MAX_NAME], shown[IO_SHOWN];
    *out = -1;
    if (size < sizeof name) {
        memcpy(name, cell.begin, size);
        name[size] = '\0';
        *out = br_names_find(names, name);
    }
    if (*out >= 0) return;
    const char *near = size < sizeof name ? br_nearest_word(name, names->name, (size_t)names->count) : NULL;
    controls_fault(c, cell, "controls-drive", "there is no drive '%s' in the model%s%s%s",
                   br_io_show(cell, shown),
                   near               ? "; did you mean "
                   : names->count > 0 ? "; its first is "
                                      : ", which has none",
                   near               ? near
                   : names->count > 0 ? names->name[0]
                                      : "",
                   near ? "?" : "");
}

static void read_heading(controls *c) {
    yaml_reader *r = c->reader;
    if (!controls_line(c)) {
        c->text.line += c->text.line == 0;
        controls_fault(c, ((io_token){c->begin, c->begin}), "controls-table",
                       "the file is empty, expected a heading t,DRIVE,... and rows");
        return;
    }
    int columns = 1;
    for (const char *p = c->begin; p < c->end; p++) columns += *p == ',';
    if (columns > MAX_CONTROL_COLUMNS) {
        controls_fault(c, ((io_token){c->begin, c->end}), "controls-size", "%d columns, expected at most %d",
                       columns, MAX_CONTROL_COLUMNS);
        return;
    }
    c->drive = BR_TAKE(r->arena, int, columns);
    c->name = BR_TAKE(r->arena, io_token, columns);
    c->number = BR_TAKE(r->arena, double *, columns);
    c->room = BR_TAKE(r->arena, int, columns);
    if (!br_arena_ok(r->arena)) br_yaml_no_memory(r);
    const char *at = c->begin;
    for (c->columns = 0; at && r->status == BR_OK; c->columns++) {
        const int k = c->columns;
        const io_token cell = c->name[k] = controls_cell(&at, c->end);
        char shown[IO_SHOWN];
        if (k == 0) {
            if (!br_io_token_is(cell, "t"))
                controls_fault(c, cell, "controls-table", "the first column is '%s', expected t",
                               br_io_show(cell, shown));
            continue;
        }
        find_drive(c, cell, &c->drive[k]);
        for (int i = 1; i < k && r->status == BR_OK; i++)
            if (controls_same(c->name[i], cell))
                controls_fault(c, cell, "controls-table", "the drive '%s' has two columns",
                               br_io_show(cell, shown));
    }
    if (r->status == BR_OK && c->columns < 2)
        controls_fault(c, c->name[0], "controls-table", "there is no drive beside t, expected t,DRIVE,...");
}

static void read_cell(controls *c, int k, io_token cell) {
    yaml_reader *r = c->reader;
    char shown[IO_SHOWN], name[IO_SHOWN];
    double x = 0.0;
    br_io_show(c->name[k], name);
    if (cell.begin == cell.end) {
        controls_fault(c, cell, "controls-table",
                       "the value of %s is missing; every row has one for each column", name);
        return;
    }
    if (br_io_parse_double(cell, &x) != IO_NUMBER_FINITE) {
        controls_fault(c, cell, "controls-number", "%s is '%s', expected a finite number", name,
                       br_io_show(cell, shown));
        return;
    }
    if (k == 0 && c->rows > 0 && !(x > c->number[0][c->rows - 1])) {
        controls_fault(c, cell, "controls-time", "t is %s, after %g s in line %d; times must rise",
                       br_io_show(cell, shown), c->number[0][c->rows - 1], c->last_line);
        return;
    }
    if (!BR_GROW(r->arena, c->number[k], c->rows, c->room[k])) {
        br_yaml_no_memory(r);
        return;
    }
    c->number[k][c->rows] = x;
}

static void read_row(controls *c) {
    const char *at = c->begin;
    int k = 0;
    if (c->rows >= MAX_CONTROL_NUMBERS / c->columns) {
        controls_fault(c, ((io_token){c->begin, c->begin}), "controls-size",
                       "more than %d numbers in one table", MAX_CONTROL_NUMBERS);
        return;
    }
    for (; at && k < c->columns && c->reader->status == BR_OK; k++)
        read_cell(c, k, controls_cell(&at, c->end));
    if (c->reader->status != BR_OK) return;
    if (k < c->columns || at)
        controls_fault(c, ((io_token){at ? at : c->end, c->end}), "controls-table",
                       "the row has %s cells than the heading, which has %d", at ? "more" : "fewer",
                       c->columns);
    c->last_line = c->text.line;
    c->rows++;
}

static void follow_table(controls *c) {
    yaml_reader *r = c->reader;
    for (int k = 1; k < c->columns && r->status == BR_OK; k++) {
        br_drive_def def = r->builder->drive[c->drive[k]];
        def.target = (br_function_def){.kind = BR_FUNCTION_TABLE,
                                       .scale = 1.0,
                                       .times = c->number[0],
                                       .values = c->number[k],
                                       .count = c->rows};
        br_yaml_built(r, br_builder_replace_drive(r->builder, c->drive[k], &def, r->error));
    }
    r->builder->controlled = 1;
}

static void find_controls(yaml_reader *r, const yaml_node *node, char path[PATH_MAX]) {
    char folder[PATH_MAX], shown[YAML_SHOWN];
    const char *name = NULL;
    br_yaml_text(r, node, &name);
    if (r->status != BR_OK) return;
    const io_beside found =
        br_io_folder_of(r->path, folder) ? br_io_find_beside(folder, name, path) : IO_BESIDE_MISSING;
    br_yaml_show(name, strlen(name), shown);
    if (found == IO_BESIDE_MISSING || found == IO_BESIDE_UNUSABLE)
        br_yaml_fault(r, node, "controls-missing", "there is no table of controls '%s' beside the model",
                      shown);
    else if (found != IO_BESIDE_FOUND)
        br_yaml_fault(r, node, "controls-outside",
                      "'%s' is outside the model's folder; controls are read from it and the folders below",
                      shown);
    struct stat s;
    if (r->status == BR_OK && stat(path, &s) == 0 && !S_ISREG(s.st_mode)) // a pipe would be waited for
        br_yaml_fault(r, node, "controls-missing", "'%s' is a pipe, device or folder, expected a file",
                      shown);
}

void br_yaml_read_controls(yaml_reader *r) {
    const yaml_node *node = br_yaml_find(r->root, "controls");
    char path[PATH_MAX];
    if (!node || r->status != BR_OK) return;
    find_controls(r, node, path);
    if (r->status != BR_OK) return;
    const char *kept = br_arena_copy(r->arena, path, strlen(path) + 1, 1);
    if (!kept) {
        br_yaml_no_memory(r);
        return;
    }
    controls c = {.reader = r};
    r->status =
        br_io_text_load_up_to(&c.text, kept, "a table of controls", MAX_CONTROL_BYTES, r->arena, r->error);
    if (r->status != BR_OK) return;
    c.text.at = c.begin = c.text.data;
    c.text.line = 0;
    read_heading(&c);
    while (r->status == BR_OK && controls_line(&c)) read_row(&c);
    if (r->status == BR_OK && c.rows == 0)
        controls_fault(&c, ((io_token){c.begin, c.begin}), "controls-table",
                       "there is no row below the heading");
    if (r->status == BR_OK) follow_table(&c);
}
