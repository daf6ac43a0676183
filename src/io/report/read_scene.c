// What a report has to know of a scene: that it is JSON, and the names of its bodies.
#include "base/error.h"
#include "io/report/report.h"
#include "io/text/json_read.h"

enum { MAX_BODIES = 1 << 20 };

typedef struct body_list {
    const char **name;
    int count, capacity;
} body_list;

static br_status add_name(json_reader *j, body_list *list, io_token string, br_error *error) {
    const char *name = br_json_read_plain(j, string);
    if (!name || list->count == MAX_BODIES || !BR_GROW(j->arena, list->name, list->count, list->capacity))
        return br_no_memory(error, "not enough memory for the scene of a report");
    list->name[list->count++] = name;
    return BR_OK;
}

// {"name": "wheel", ...}
static br_status read_body(json_reader *j, body_list *list, br_error *error) {
    io_token key, name = {"", NULL};
    name.end = name.begin;
    br_status status = br_json_read_take(j, '{') ? BR_OK : br_json_read_fail(j, "a body", error);
    do {
        if (status == BR_OK) status = br_json_read_string(j, &key, error);
        if (status == BR_OK && !br_json_read_take(j, ':')) status = br_json_read_fail(j, "':'", error);
        if (status != BR_OK) return status;
        status =
            br_io_token_is(key, "name") ? br_json_read_string(j, &name, error) : br_json_read_skip(j, error);
    } while (status == BR_OK && br_json_read_take(j, ','));
    if (status == BR_OK && !br_json_read_take(j, '}')) status = br_json_read_fail(j, "'}'", error);
    return status == BR_OK ? add_name(j, list, name, error) : status;
}

static br_status read_bodies(json_reader *j, body_list *list, br_error *error) {
    br_status status = br_json_read_take(j, '[') ? BR_OK : br_json_read_fail(j, "a list of bodies", error);
    if (status != BR_OK || br_json_read_take(j, ']')) return status;
    do status = read_body(j, list, error);
    while (status == BR_OK && br_json_read_take(j, ','));
    return status == BR_OK && !br_json_read_take(j, ']') ? br_json_read_fail(j, "']'", error) : status;
}

br_status br_report_bodies(const char *scene, br_arena *arena, const char ***names, int *count,
                           br_error *error) {
    json_reader j;
    io_token key;
    body_list list = {0};
    br_json_read_open_text(&j, "scene", scene, arena);
    br_status status = br_json_read_take(&j, '{') ? BR_OK : br_json_read_fail(&j, "a scene", error);
    do {
        if (status == BR_OK) status = br_json_read_string(&j, &key, error);
        if (status == BR_OK && !br_json_read_take(&j, ':')) status = br_json_read_fail(&j, "':'", error);
        if (status != BR_OK) return status;
        status = br_io_token_is(key, "bodies") ? read_bodies(&j, &list, error) : br_json_read_skip(&j, error);
    } while (status == BR_OK && br_json_read_take(&j, ','));
    if (status == BR_OK && (!br_json_read_take(&j, '}') || br_json_read_peek(&j) != 0))
        status = br_json_read_fail(&j, "the end", error);
    if (status != BR_OK) return status;
    *names = list.name;
    *count = list.count;
    return BR_OK;
}
