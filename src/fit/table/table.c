#include "fit/table/table.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "io/text/write.h"
#include "io/yaml/yaml.h"

static const long MAX_DATA_BYTES = 256L << 20;

static const char *table_copy(br_arena *arena, const char *begin, const char *end) {
    char *out = BR_TAKE(arena, char, end - begin + 1);
    if (out) memcpy(out, begin, (size_t)(end - begin));
    return out;
}

static void table_trim(io_token *t) {
    while (t->begin < t->end && strchr(" \t\r", t->begin[0])) t->begin++;
    while (t->end > t->begin && strchr(" \t\r", t->end[-1])) t->end--;
}

// Squares of what is measured have to be numbers.
static const double MOST_NUMBER = 1e100;

// A cell and what follows it; quotes are taken off. *at is NULL behind the last one.
static io_token table_cell(const char **at, const char *end) {
    const char *c = *at;
    io_token cell = {c, end};
    int quoted = 0;
    while (c < end && (quoted || *c != ',')) quoted ^= *c++ == '"';
    cell.end = c;
    *at = c < end ? c + 1 : NULL;
    table_trim(&cell);
    if (cell.end - cell.begin >= 2 && *cell.begin == '"' && cell.end[-1] == '"') cell.begin++, cell.end--;
    table_trim(&cell);
    return cell;
}

// ------------------------------------------------------------------------------------------------------- the head

// "x [mm]", "x (mm)": the name and its unit.
static br_status table_name(fit_table *t, io_token cell, int line, br_arena *arena, br_error *error) {
    const char *end = cell.end, *unit = end;
    const char last = end > cell.begin ? end[-1] : '\0', open = last == ']' ? '[' : last == ')' ? '(' : '\0';
    if (open) {
        while (unit > cell.begin && *unit != open) unit--;
        if (*unit == open && unit > cell.begin) {
            io_token name = {cell.begin, unit}, inner = {unit + 1, end - 1};
            table_trim(&name), table_trim(&inner);
            cell = name;
            t->unit[t->columns] = table_copy(arena, inner.begin, inner.end);
        }
    }
    if (!t->unit[t->columns]) t->unit[t->columns] = "";
    t->name[t->columns] = table_copy(arena, cell.begin, cell.end);
    if (!t->name[t->columns]) return br_no_memory(error, "no memory for a recording");
    if (cell.begin == cell.end)
        return br_fail_at(error, BR_PARSE, "data-head", t->path, line, 1, "column %d has no name",
                          t->columns + 1);
    if (br_fit_table_column(t, t->name[t->columns]) >= 0)
        return br_fail_at(error, BR_PARSE, "data-head", t->path, line, 1,
                          "two columns have the name '%.60s', expected each once", t->name[t->columns]);
    t->columns++;
    return BR_OK;
}

// What a spreadsheet of another country or another program writes.
static br_status table_separator(const fit_table *t, const char *at, const char *end, int line,
                                 br_error *error) {
    const size_t n = (size_t)(end - at);
    const char *found = memchr(at, ';', n) ? "semicolons" : memchr(at, '\t', n) ? "tabs" : NULL;
    if (!found || memchr(at, ',', n)) return BR_OK;
    return br_fail_at(
        error, BR_PARSE, "data-head", t->path, line, 1,
        "the columns are separated by %s, expected commas; where numbers have a comma for the point, "
        "that is to be a point as well",
        found);
}

static br_status table_head(fit_table *t, const char *at, const char *end, int line, br_arena *arena,
                            br_error *error) {
    double number;
    br_status status = table_separator(t, at, end, line, error);
    while (status == BR_OK && at) {
        const io_token cell = table_cell(&at, end);
        if (br_io_parse_double(cell, &number) != IO_NUMBER_BAD)
            return br_fail_at(error, BR_PARSE, "data-head", t->path, line, 1,
                              "the first line has a number, expected the names of the columns, such as "
                              "t,hinge.position [rad]");
        if (t->columns == FIT_MAX_COLUMNS)
            return br_fail_at(error, BR_TOO_LARGE, "data-head", t->path, line, 1, "more than %d columns",
                              FIT_MAX_COLUMNS);
        status = table_name(t, cell, line, arena, error);
    }
    return status;
}

// "# kp: 100"
static void table_constant(fit_table *t, const char *at, const char *end, br_arena *arena) {
    const char *colon = memchr(at, ':', (size_t)(end - at));
    if (!colon || t->constants == FIT_MAX_COLUMNS) return;
    io_token name = {at + 1, colon}, value = {colon + 1, end};
    table_trim(&name), table_trim(&value);
    t->constant[t->constants] = table_copy(arena, name.begin, name.end);
    t->constant_value[t->constants] = table_copy(arena, value.begin, value.end);
    if (t->constant[t->constants] && t->constant_value[t->constants]) t->constants++;
}

// ------------------------------------------------------------------------------------------------------- the rows

typedef struct table_room {
    int cells, cell_room, line_room;
} table_room;

static br_status table_row(fit_table *t, table_room *room, const char *at, const char *end, int line,
                           br_arena *arena, br_error *error) {
    int count = 0;
    while (at) {
        const io_token cell = table_cell(&at, end);
        if (count++ >= t->columns) continue;
        if (!BR_GROW(arena, t->cell, room->cells, room->cell_room))
            return br_no_memory(error, "no memory for a recording");
        t->cell[room->cells++] = cell;
    }
    if (count != t->columns)
        return br_fail_at(
            error, BR_PARSE, "data-row", t->path, line, 1,
            "row %d has %d cell%s, expected %d as the head in line %d has; lines that are no part "
            "of the table begin with #",
            t->rows + 1, count, count == 1 ? "" : "s", t->columns, t->head_line);
    if (t->rows == FIT_MAX_ROWS)
        return br_fail_at(error, BR_TOO_LARGE, "data-row", t->path, line, 1, "more than %d rows",
                          FIT_MAX_ROWS);
    if (!BR_GROW(arena, t->line, t->rows, room->line_room))
        return br_no_memory(error, "no memory for a recording");
    t->line[t->rows++] = line;
    return BR_OK;
}

static int table_take(fit_table *t, br_arena *arena) {
    t->name = BR_TAKE(arena, const char *, FIT_MAX_COLUMNS);
    t->unit = BR_TAKE(arena, const char *, FIT_MAX_COLUMNS);
    t->constant = BR_TAKE(arena, const char *, FIT_MAX_COLUMNS);
    t->constant_value = BR_TAKE(arena, const char *, FIT_MAX_COLUMNS);
    return br_arena_ok(arena);
}

// Bytes that no table in UTF-8 has: UTF-16 with and without a mark, lines that end as they did on old computers.
static br_status table_encoding(const fit_table *t, const io_text *text, br_error *error) {
    const char *at = text->data, *end = text->end;
    const size_t n = (size_t)(end - at);
    const int mark = n >= 2 && (memcmp(at, "\xff\xfe", 2) == 0 || memcmp(at, "\xfe\xff", 2) == 0);
    if (mark || (n >= 4 && ((!at[0] && at[1] && !at[2] && at[3]) || (at[0] && !at[1] && at[2] && !at[3]))))
        return br_fail_at(error, BR_PARSE, "data-head", t->path, 1, 1,
                          "the file is UTF-16, expected UTF-8: save it as that, or as plain text");
    if (memchr(at, '\r', n) && !memchr(at, '\n', n))
        return br_fail_at(
            error, BR_PARSE, "data-head", t->path, 1, 1,
            "the lines end with a carriage return alone, expected a line feed: save it again as "
            "plain text of today");
    return BR_OK;
}

static br_status table_csv(fit_table *t, const io_text *text, br_arena *arena, br_error *error) {
    table_room room = {0, 0, 0};
    br_status status = BR_OK;
    int line = 0;
    const char *at = text->data;
    if (text->end - at >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0) at += 3;
    status = table_encoding(t, text, error);
    while (status == BR_OK && at < text->end) {
        const char *end = memchr(at, '\n', (size_t)(text->end - at)), *first = at;
        if (!end) end = text->end;
        at = end < text->end ? end + 1 : end;
        line++;
        while (first < end && (*first == ' ' || *first == '\t' || *first == '\r')) first++;
        if (first == end) continue;
        if (*first == '#')
            table_constant(t, first, end, arena);
        else if (t->columns == 0)
            t->head_line = line, status = table_head(t, first, end, line, arena, error);
        else
            status = table_row(t, &room, first, end, line, arena, error);
    }
    return status;
}

// ----------------------------------------------------------------------------------------------------------- JSON

static br_status table_entry(fit_table *t, table_room *room, const yaml_node *entry, br_arena *arena,
                             br_error *error) {
    if (entry->kind != YAML_MAP)
        return br_fail_at(error, BR_PARSE, "data-row", t->path, entry->line, entry->column,
                          "row %d is no map of names and numbers", t->rows + 1);
    if (entry->count > FIT_MAX_COLUMNS || t->rows == FIT_MAX_ROWS)
        return br_fail_at(error, BR_TOO_LARGE, "data-row", t->path, entry->line, entry->column,
                          "more than %d columns or %d rows", FIT_MAX_COLUMNS, FIT_MAX_ROWS);
    if (t->rows == 0)
        for (const yaml_node *n = entry->first; n; n = n->next)
            t->unit[t->columns] = "", t->name[t->columns++] = n->key->text;
    const yaml_node *next = entry->first;
    for (int c = 0; c < t->columns; c++) {
        const yaml_node *n =
            next && strcmp(next->key->text, t->name[c]) == 0 ? next : br_yaml_find(entry, t->name[c]);
        next = n ? n->next : next;
        if (!BR_GROW(arena, t->cell, room->cells, room->cell_room))
            return br_no_memory(error, "no memory for a recording");
        const char *value = n && n->kind == YAML_SCALAR ? n->text : NULL;
        t->cell[room->cells++] = (io_token){value, value ? value + strlen(value) : NULL};
    }
    if (!BR_GROW(arena, t->line, t->rows, room->line_room))
        return br_no_memory(error, "no memory for a recording");
    t->line[t->rows++] = entry->line;
    return BR_OK;
}

static br_status table_json(fit_table *t, const io_text *text, br_arena *arena, br_error *error) {
    table_room room = {0, 0, 0};
    yaml_node *root = NULL;
    br_status status =
        br_yaml_parse(text->data, (size_t)(text->end - text->data), t->path, arena, &root, error);
    if (status != BR_OK) return status;
    const yaml_node *list = root && root->kind == YAML_LIST ? root : br_yaml_find(root, "entries");
    if (!list || list->kind != YAML_LIST)
        return br_fail_at(error, BR_PARSE, "data-head", t->path, 1, 1,
                          "expected a list of rows, or a map with such a list as \"entries\"");
    for (const yaml_node *n = root->kind == YAML_MAP ? root->first : NULL; n; n = n->next)
        if (n->kind == YAML_SCALAR && t->constants < FIT_MAX_COLUMNS) {
            t->constant[t->constants] = n->key->text;
            t->constant_value[t->constants++] = n->text;
        }
    for (const yaml_node *n = list->first; n && status == BR_OK; n = n->next)
        status = table_entry(t, &room, n, arena, error);
    return status;
}

// ----------------------------------------------------------------------------------------------------------- both

br_status br_fit_table_read(const char *path, br_arena *arena, fit_table *out, br_error *error) {
    io_text text = {0};
    fit_table t = {.path = br_arena_copy(arena, path, strlen(path) + 1, 1)};
    if (!t.path || !table_take(&t, arena)) return br_no_memory(error, "no memory for a recording");
    br_status status = br_io_text_load_up_to(&text, t.path, "a recording", MAX_DATA_BYTES, arena, error);
    const io_locale locale = br_io_locale_enter();
    if (status == BR_OK)
        status = br_io_has_ending(path, ".json") ? table_json(&t, &text, arena, error)
                                                 : table_csv(&t, &text, arena, error);
    br_io_locale_leave(locale);
    if (status == BR_OK && t.rows < 2)
        status = br_fail_at(error, BR_PARSE, "data-row", t.path, 1, 1,
                            "the recording has %d row%s, expected two or more below the names of the columns",
                            t.rows, t.rows == 1 ? "" : "s");
    if (status == BR_OK) *out = t;
    return status;
}

int br_fit_table_column(const fit_table *t, const char *name) {
    for (int k = 0; k < t->columns; k++)
        if (strcmp(t->name[k], name) == 0) return k;
    return -1;
}

br_status br_fit_table_number(const fit_table *t, int row, int column, double *out, br_error *error) {
    const io_token cell = t->cell[(size_t)row * (size_t)t->columns + (size_t)column];
    char shown[IO_SHOWN];
    if (cell.begin && br_io_parse_double(cell, out) == IO_NUMBER_FINITE) {
        if (fabs(*out) <= MOST_NUMBER) return BR_OK;
        return br_fail_at(error, BR_PARSE, "data-cell", t->path, t->line[row], 0,
                          "row %d, column '%.60s': %g, expected no more than %g", row + 1, t->name[column],
                          *out, MOST_NUMBER);
    }
    const int empty = !cell.begin || cell.begin == cell.end;
    return br_fail_at(error, BR_PARSE, "data-cell", t->path, t->line[row], 0,
                      "row %d, column '%.60s': %s%s%s, expected a finite number; %s", row + 1,
                      t->name[column], empty ? "there is nothing" : "found '",
                      empty ? "" : br_io_show(cell, shown), empty ? "" : "'",
                      row == 0 && !empty ? "units stand behind the names, as in x [mm]"
                                         : "rows without one are to be left out whole");
}
