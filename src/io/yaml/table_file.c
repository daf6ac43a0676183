#include "io/yaml/table_file.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "io/text/beside.h"
#include "io/text/text.h"

static const long MAX_TABLE_BYTES = 64L << 20;

typedef struct table_rows {
    double *value, *weight;
    int count, value_room, weight_room;
} table_rows;

static io_token table_cell(const char **at, const char *end) {
    io_token cell = {*at, *at};
    while (cell.end < end && *cell.end != ',') cell.end++;
    *at = cell.end < end ? cell.end + 1 : end;
    while (cell.begin < cell.end && (*cell.begin == ' ' || *cell.begin == '\t')) cell.begin++;
    while (cell.end > cell.begin && strchr(" \t\r", cell.end[-1])) cell.end--;
    return cell;
}

static int add_row(yaml_reader *r, table_rows *t, double value, double weight) {
    const int ok = BR_GROW(r->arena, t->value, t->count, t->value_room) &&
                   BR_GROW(r->arena, t->weight, t->count, t->weight_room);
    if (!ok) {
        br_yaml_no_memory(r);
        return 0;
    }
    t->value[t->count] = value;
    t->weight[t->count++] = weight;
    return 1;
}

static void read_line(yaml_reader *r, const io_text *text, int line, const char *at, const char *end,
                      table_rows *t) {
    const io_token first = table_cell(&at, end), second = table_cell(&at, end);
    double value = 0, weight = 1;
    if (first.begin == first.end && second.begin == second.end) return;
    const int good =
        br_io_parse_double(first, &value) == IO_NUMBER_FINITE &&
        (second.begin == second.end || br_io_parse_double(second, &weight) == IO_NUMBER_FINITE) &&
        weight >= 0 && at == end;
    if (good) {
        add_row(r, t, value, weight);
        return;
    }
    if (line == 1) return; // a heading
    r->status = br_fail_at(r->error, BR_PARSE, "sweep-table", text->path, line, 1,
                           "expected a value and, after a comma, its weight of 0 or more, such as 0.31,2");
}

void br_yaml_table_file(yaml_reader *r, const yaml_node *node, double **value, double **upto, int *count) {
    const char *name = NULL;
    char folder[PATH_MAX], path[PATH_MAX];
    io_text text = {0};
    table_rows t = {0};
    double sum = 0;
    int line = 0;
    br_yaml_text(r, node, &name);
    if (r->status != BR_OK) return;
    if (!br_io_folder_of(r->path, folder) || br_io_find_anywhere(folder, name, path) != IO_BESIDE_FOUND) {
        br_yaml_fault(r, br_yaml_place(node), "sweep-table", "there is no file '%.120s' beside this one",
                      name);
        return;
    }
    const char *kept = br_arena_copy(r->arena, path, strlen(path) + 1, 1);
    if (!kept) {
        br_yaml_no_memory(r);
        return;
    }
    r->status = br_io_text_load_up_to(&text, kept, "a table of values", MAX_TABLE_BYTES, r->arena, r->error);
    for (const char *at = text.data; r->status == BR_OK && at < text.end;) {
        const char *end = memchr(at, '\n', (size_t)(text.end - at));
        if (!end) end = text.end;
        read_line(r, &text, ++line, at, end, &t);
        at = end < text.end ? end + 1 : end;
    }
    for (int k = 0; k < t.count; k++) sum += t.weight[k];
    if (r->status == BR_OK && !(sum > 0 && isfinite(sum)))
        br_yaml_fault(r, br_yaml_place(node), "sweep-table", "'%.120s' has no value with a weight above 0",
                      name);
    if (r->status != BR_OK) return;
    double part = 0;
    for (int k = 0; k < t.count; k++) part += t.weight[k], t.weight[k] = part / sum;
    t.weight[t.count - 1] = 1;
    *value = t.value, *upto = t.weight, *count = t.count;
}
