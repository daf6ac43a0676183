// A result and its verdicts are two files, which people copy and rename: each verdict names the hash of its model, so that none is
// shown beside a motion that it does not judge.
#include "io/result/verdicts.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "io/result/result.h"
#include "io/text/json_read.h"
#include "io/text/temporary.h"

enum { MAX_VERDICT_BYTES = 64 << 20 };

static int is_word(io_token token, const char *word) {
    const size_t length = (size_t)(token.end - token.begin);
    return length == strlen(word) && memcmp(token.begin, word, length) == 0;
}

// One object: whether its key "model" is `hash`. 0 also where it is no object.
static int object_is_of(json_reader *j, const char *hash, int *is) {
    br_error ignored;
    if (!br_json_read_take(j, '{')) return 0;
    if (br_json_read_take(j, '}')) return 1;
    do {
        io_token key, value;
        if (br_json_read_string(j, &key, &ignored) != BR_OK || !br_json_read_take(j, ':')) return 0;
        if (is_word(key, "model") && br_json_read_peek(j) == '"') {
            if (br_json_read_string(j, &value, &ignored) != BR_OK) return 0;
            *is = is_word(value, hash);
        } else if (br_json_read_skip(j, &ignored) != BR_OK) {
            return 0;
        }
    } while (br_json_read_take(j, ','));
    return br_json_read_take(j, '}');
}

// [{...}, ...]. all: whether each is of the model.
static int list_is_of(const char *json, const char *hash, br_arena *arena, int *all) {
    json_reader j;
    br_json_read_open_text(&j, "trust", json, arena);
    *all = 1;
    if (!br_json_read_take(&j, '[')) return 0;
    if (br_json_read_take(&j, ']')) return 1;
    do {
        int is = 0;
        if (!object_is_of(&j, hash, &is)) return 0;
        *all &= is;
    } while (br_json_read_take(&j, ','));
    return br_json_read_take(&j, ']');
}

int br_is_list_of_objects(const char *json, br_arena *arena) {
    int all = 0;
    return list_is_of(json, "", arena, &all);
}

const char *br_result_verdicts(const char *result, uint64_t model_hash, br_arena *arena, int *others) {
    char path[IO_MAX_PATH], hash[24];
    int all = 0;
    *others = 0;
    if (!br_result_trust_path(result, path, sizeof path)) return NULL;
    const char *text = br_json_read_file(path, arena, MAX_VERDICT_BYTES);
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)model_hash);
    if (!text || !list_is_of(text, hash, arena, &all)) return NULL;
    *others = !all;
    return all ? text : NULL;
}
