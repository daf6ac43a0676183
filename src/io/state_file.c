// States from a JSON file, see bristle/io.h.
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "io/text/json_read.h"

typedef struct state_node {
    br_state_entry entry;
    struct state_node *next;
} state_node;

struct br_state_file {
    br_arena arena;
    int count;
    br_state_entry *entry;
};

typedef struct reading {
    json_reader json;
    br_arena *arena;
    int nq, nv;
    state_node *first, **last;
    int count;
} reading;

typedef enum key_kind { KEY_QPOS = 0, KEY_QVEL, KEY_QACC, KEY_BODY, KEY_STATES, KEYS } key_kind;
static const char *const key_name[KEYS] = {"qpos", "qvel", "qacc", "jac_body", "states"};

static const char no_memory[] = "not enough memory for its states";

// ------------------------------------------------------------------------------------------------------- a state

static br_status read_vector(reading *r, key_kind key, const double **out, br_error *error) {
    const int expected = key == KEY_QPOS ? r->nq : r->nv;
    double *values = BR_TAKE(r->arena, double, expected);
    if (!values) return br_no_memory_at(error, r->json.text.path, no_memory);
    br_json_read_peek(&r->json);
    const io_text start = r->json.text;
    int count = 0;
    const br_status status = br_json_read_numbers(&r->json, values, expected, &count, error);
    if (status != BR_OK) return status;
    if (count != expected)
        return br_io_text_fail(&start, (io_token){start.at, start.at + 1}, error, BR_INVALID, "state-length",
                               "%s has %d number%s, expected %d: the model has %s = %d", key_name[key], count,
                               count == 1 ? "" : "s", expected, key == KEY_QPOS ? "nq" : "nv", expected);
    *out = values;
    return BR_OK;
}

static br_status read_body(reading *r, const char **out, br_error *error) {
    io_token token;
    const br_status status = br_json_read_string(&r->json, &token, error);
    if (status != BR_OK) return status;
    const size_t n = (size_t)(token.end - token.begin);
    char *name = BR_TAKE(r->arena, char, n + 1);
    if (!name) return br_no_memory_at(error, r->json.text.path, no_memory);
    memcpy(name, token.begin, n);
    *out = name;
    return BR_OK;
}

static br_status read_value(reading *r, key_kind key, br_state_entry *entry, br_error *error) {
    if (key == KEY_QPOS) return read_vector(r, key, &entry->q, error);
    if (key == KEY_QVEL) return read_vector(r, key, &entry->v, error);
    if (key == KEY_QACC) return read_vector(r, key, &entry->vdot, error);
    if (key == KEY_BODY) return read_body(r, &entry->body, error);
    return br_json_read_skip(&r->json, error);
}

static br_status state_file_keep(reading *r, const br_state_entry *entry, br_error *error) {
    if (r->count >= BR_MAX_STATES)
        return br_fail_at(error, BR_TOO_LARGE, "state-too-many", r->json.text.path, entry->line, 0,
                          "more than %d states", BR_MAX_STATES);
    state_node *node = BR_TAKE(r->arena, state_node, 1);
    if (!node) return br_no_memory_at(error, r->json.text.path, no_memory);
    node->entry = *entry;
    *r->last = node;
    r->last = &node->next;
    r->count++;
    return BR_OK;
}

// What was seen of one object.
typedef struct object_seen {
    int key[KEYS];
    char near[IO_SHOWN]; // a key that was read over and looks like one that is missing
} object_seen;

static br_status missing_key(const io_text *start, const object_seen *seen, int top, br_error *error) {
    const io_token place = {start->at, start->at + 1};
    const char *key = seen->key[KEY_QPOS] ? "qvel" : "qpos";
    if (seen->near[0])
        return br_io_text_fail(start, place, error, BR_INVALID, "state-missing",
                               "this state has no \"%s\"; is \"%s\" misspelt?", key, seen->near);
    return br_io_text_fail(
        start, place, error, BR_INVALID, "state-missing",
        top ? "this object has no \"%s\" and no \"states\": expected {\"qpos\": [...], \"qvel\": "
              "[...]}, or a list of them"
            : "this state has no \"%s\": expected {\"qpos\": [...], \"qvel\": [...]}",
        key);
}

static br_status read_key(reading *r, object_seen *seen, key_kind *out, br_error *error) {
    char shown[IO_SHOWN];
    io_token key;
    br_json_read_peek(&r->json);
    const io_text start = r->json.text;
    const br_status status = br_json_read_string(&r->json, &key, error);
    if (status != BR_OK) return status;
    if (!br_json_read_take(&r->json, ':')) return br_json_read_fail(&r->json, "':'", error);
    int k = 0;
    while (k < KEYS && !br_io_token_is(key, key_name[k])) k++;
    *out = (key_kind)k;
    if (k < KEYS && seen->key[k]++ > 0)
        return br_io_text_fail(&start, key, error, BR_INVALID, "state-repeated",
                               "\"%s\" is given twice in one object", key_name[k]);
    if (k == KEYS && !seen->near[0] && br_nearest_word(br_io_show(key, shown), key_name, 2))
        snprintf(seen->near, sizeof seen->near, "%s", shown);
    return BR_OK;
}

static br_status read_list(reading *r, br_error *error);

// An object: a state, or, at the top, one that holds the list of states.
static br_status read_object(reading *r, int top, br_error *error) {
    object_seen seen = {{0}, ""};
    br_state_entry entry = {NULL, NULL, NULL, NULL, 0};
    br_json_read_peek(&r->json);
    const io_text start = r->json.text;
    if (!br_json_read_take(&r->json, '{'))
        return br_json_read_fail(&r->json, top ? "an object or a list" : "a state {\"qpos\": ...}", error);
    entry.line = start.line;
    if (!br_json_read_take(&r->json, '}')) {
        do {
            key_kind key = KEYS;
            br_status status = read_key(r, &seen, &key, error);
            if (status == BR_OK)
                status = top && key == KEY_STATES ? read_list(r, error) : read_value(r, key, &entry, error);
            if (status != BR_OK) return status;
        } while (br_json_read_take(&r->json, ','));
        if (!br_json_read_take(&r->json, '}')) return br_json_read_fail(&r->json, "',' or '}'", error);
    }
    const int is_list = top && seen.key[KEY_STATES];
    if (is_list && (entry.q || entry.v))
        return br_io_text_fail(&start, (io_token){start.at, start.at + 1}, error, BR_INVALID,
                               "state-repeated",
                               "this object has both \"states\" and a state of its own; keep one of them");
    if (is_list) return BR_OK;
    if (!entry.q || !entry.v) return missing_key(&start, &seen, top, error);
    return state_file_keep(r, &entry, error);
}

static br_status read_list(reading *r, br_error *error) {
    if (!br_json_read_take(&r->json, '[')) return br_json_read_fail(&r->json, "a list of states", error);
    if (br_json_read_take(&r->json, ']')) return BR_OK;
    do {
        const br_status status = read_object(r, 0, error);
        if (status != BR_OK) return status;
    } while (br_json_read_take(&r->json, ','));
    return br_json_read_take(&r->json, ']') ? BR_OK : br_json_read_fail(&r->json, "',' or ']'", error);
}

// ------------------------------------------------------------------------------------------------------ the file

static br_status state_file_read_all(reading *r, br_error *error) {
    const br_status status =
        br_json_read_peek(&r->json) == '[' ? read_list(r, error) : read_object(r, 1, error);
    if (status != BR_OK) return status;
    if (br_json_read_peek(&r->json) != '\0' || r->json.text.at < r->json.text.end)
        return br_json_read_fail(&r->json, "the end of the file", error);
    if (r->count == 0)
        return br_fail_at(error, BR_INVALID, "state-missing", r->json.text.path, 0, 0,
                          "there is no state in the file");
    return BR_OK;
}

br_status br_state_file_read(const char *path, int nq, int nv, const br_allocator *allocator,
                             br_state_file **out, br_error *error) {
    br_arena arena;
    br_arena_init(&arena, allocator);
    reading r = {.arena = &arena, .nq = nq, .nv = nv};
    r.last = &r.first;
    br_status status = br_json_read_open(&r.json, path, &arena, BR_MAX_STATE_FILE, error);
    const io_locale locale = br_io_locale_enter();
    if (status == BR_OK) status = state_file_read_all(&r, error);
    br_io_locale_leave(locale);
    br_state_file *file = NULL;
    if (status == BR_OK) {
        file = BR_TAKE(&arena, br_state_file, 1);
        br_state_entry *entries = BR_TAKE(&arena, br_state_entry, r.count);
        if (!br_arena_ok(&arena)) status = br_no_memory_at(error, r.json.text.path, no_memory);
        if (status == BR_OK) file->entry = entries;
    }
    if (status != BR_OK) {
        br_arena_free(&arena);
        return status;
    }
    for (const state_node *node = r.first; node; node = node->next) file->entry[file->count++] = node->entry;
    file->arena = arena;
    *out = file;
    return BR_OK;
}

void br_state_file_free(br_state_file *file) {
    if (!file) return;
    br_arena arena = file->arena;
    br_arena_free(&arena);
}

int br_state_file_count(const br_state_file *file) {
    return file->count;
}

br_state_entry br_state_file_entry(const br_state_file *file, int k) {
    return file->entry[k];
}
