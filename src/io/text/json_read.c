// State files: a small JSON reader that keeps what it was asked for and reads over the rest. Nothing recurses, so a
// file cannot exhaust the stack; every fault has its line and column.
#include "io/text/json_read.h"

#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "bristle/text.h"

enum { MAX_DEPTH = 64 };

// ----------------------------------------------------------------------------------------------------- cursor

static io_token here(const json_reader *j, size_t length) {
    const size_t left = (size_t)(j->text.end - j->text.at);
    return (io_token){j->text.at, j->text.at + (length < left ? length : left)};
}

br_status br_json_read_fail(const json_reader *j, const char *expected, br_error *error) {
    char shown[IO_SHOWN];
    if (j->text.at >= j->text.end)
        return br_io_text_fail(&j->text, here(j, 0), error, BR_PARSE, "json-syntax",
                               "the file ends where %s was expected", expected);
    size_t n = 1;
    const char *p = j->text.at;
    while (n < 20 && p + n < j->text.end && !strchr(" \t\r\n,:[]{}\"", p[n])) n++;
    if (strchr(",:[]{}\"", *p)) n = 1;
    return br_io_text_fail(&j->text, here(j, n), error, BR_PARSE, "json-syntax",
                           "found '%s' where %s was expected", br_io_show(here(j, n), shown), expected);
}

void br_json_read_open_text(json_reader *j, const char *path, const char *text, br_arena *arena) {
    j->text = (io_text){path, text, text + strlen(text), text, text, 1};
    j->arena = arena;
}

br_status br_json_read_open(json_reader *j, const char *path, br_arena *arena, long most, br_error *error) {
    const br_status status = br_io_text_load(&j->text, path, arena, error);
    if (status != BR_OK) return status;
    if (j->text.end - j->text.data > most)
        return br_fail_at(error, BR_TOO_LARGE, "json-too-large", path, 0, 0, "is larger than %ld bytes",
                          most);
    j->text.line = 1;
    j->arena = arena;
    return BR_OK;
}

char br_json_read_peek(json_reader *j) {
    io_text *t = &j->text;
    for (; t->at < t->end && strchr(" \t\r\n", *t->at) && *t->at; t->at++) {
        if (*t->at != '\n') continue;
        t->line++;
        t->line_start = t->at + 1;
    }
    return t->at < t->end ? *t->at : '\0';
}

int br_json_read_take(json_reader *j, char c) {
    if (br_json_read_peek(j) != c || j->text.at >= j->text.end) return 0;
    j->text.at++;
    return 1;
}

// ----------------------------------------------------------------------------------------------------- scalars

static int is_digit(const char *p, const char *end) {
    return p < end && *p >= '0' && *p <= '9';
}

// The end of the number at p by JSON's own grammar, or NULL: no hexadecimal, no leading plus or zero, no bare point.
static const char *number_end(const char *p, const char *end) {
    if (p < end && *p == '-') p++;
    if (!is_digit(p, end)) return NULL;
    if (*p == '0' && is_digit(p + 1, end)) return NULL;
    while (is_digit(p, end)) p++;
    if (p < end && *p == '.') {
        if (!is_digit(++p, end)) return NULL;
        while (is_digit(p, end)) p++;
    }
    if (p < end && (*p == 'e' || *p == 'E')) {
        p++;
        if (p < end && (*p == '+' || *p == '-')) p++;
        if (!is_digit(p, end)) return NULL;
        while (is_digit(p, end)) p++;
    }
    return p < end && !strchr(" \t\r\n,:]}", *p) ? NULL : p;
}

br_status br_json_read_number(json_reader *j, double *out, br_error *error) {
    char shown[IO_SHOWN];
    br_json_read_peek(j);
    const char *end = number_end(j->text.at, j->text.end);
    if (!end) return br_json_read_fail(j, "a number", error);
    const io_token token = {j->text.at, end};
    if (br_io_parse_double(token, out) != IO_NUMBER_FINITE)
        return br_io_text_fail(&j->text, token, error, BR_PARSE, "json-number",
                               "%s is more than a number can hold", br_io_show(token, shown));
    j->text.at = end;
    return BR_OK;
}

// Four hexadecimal digits at p; -1: there are none.
static int hex4(const char *p, const char *end) {
    int code = 0;
    if (end - p < 4) return -1;
    for (int k = 0; k < 4; k++) {
        const char *digit = strchr("0123456789abcdefABCDEF", p[k]);
        if (!digit || !*digit) return -1;
        const int value = (int)(digit - "0123456789abcdefABCDEF");
        code = 16 * code + (value > 15 ? value - 6 : value);
    }
    return code;
}

// The bytes of the escape at p, whose first is the backslash; 0: it is none of JSON's.
static int escape_size(const char *p, const char *end) {
    if (p + 1 >= end || p[1] == '\0') return 0;
    if (p[1] == 'u') return hex4(p + 2, end) >= 0 ? 6 : 0;
    return strchr("\"\\/bfnrt", p[1]) ? 2 : 0;
}

// The bytes between the quotes, escapes as they are: names that need escapes are not looked for.
br_status br_json_read_string(json_reader *j, io_token *out, br_error *error) {
    if (br_json_read_peek(j) != '"') return br_json_read_fail(j, "a text in double quotes", error);
    const char *p = j->text.at + 1;
    while (p < j->text.end && *p != '"' && (unsigned char)*p >= 0x20) {
        const int size = *p == '\\' ? escape_size(p, j->text.end) : 1;
        if (size == 0) { // texts go into pages as they are, whose reader takes no other escapes either
            j->text.at = p;
            return br_json_read_fail(j, "an escape of JSON", error);
        }
        p += size;
    }
    if (p >= j->text.end || *p != '"')
        return br_io_text_fail(&j->text, here(j, 1), error, BR_PARSE, "json-syntax",
                               "a text begins here and has no closing quote on its line");
    *out = (io_token){j->text.at + 1, p};
    j->text.at = p + 1;
    return BR_OK;
}

// Surrogates stay apart, which no name of ours has.
const char *br_json_read_plain(json_reader *j, io_token string) {
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    char *text = BR_TAKE(j->arena, char, string.end - string.begin + 1), *out = text;
    for (const char *p = string.begin; text && p < string.end; p++) {
        const char *escape = *p == '\\' && p + 1 < string.end ? strchr(from, p[1]) : NULL;
        const int code = *p == '\\' && p + 1 < string.end && p[1] == 'u' ? hex4(p + 2, string.end) : -1;
        if (code > 0) {
            out += br_utf8_encode((unsigned)code, out);
            p += 5;
        } else if (escape && *escape) {
            *out++ = to[escape - from];
            p++;
        } else {
            *out++ = *p;
        }
    }
    return text;
}

// ------------------------------------------------------------------------------------------------------ values

static br_status skip_scalar(json_reader *j, br_error *error) {
    static const char *const words[] = {"true", "false", "null"};
    double number;
    io_token text;
    if (br_json_read_peek(j) == '"') return br_json_read_string(j, &text, error);
    for (int k = 0; k < 3; k++) {
        const size_t n = strlen(words[k]);
        if ((size_t)(j->text.end - j->text.at) >= n && memcmp(j->text.at, words[k], n) == 0) {
            j->text.at += n;
            return BR_OK;
        }
    }
    const char c = br_json_read_peek(j);
    if (c != '-' && (c < '0' || c > '9')) return br_json_read_fail(j, "a value", error);
    return br_json_read_number(j, &number, error);
}

static br_status skip_key(json_reader *j, br_error *error) {
    io_token key;
    const br_status status = br_json_read_string(j, &key, error);
    if (status != BR_OK) return status;
    return br_json_read_take(j, ':') ? BR_OK : br_json_read_fail(j, "':'", error);
}

// After a value: closes whatever ends here. *more: another value follows.
static br_status close_values(json_reader *j, const char *closing, int *depth, br_error *error) {
    while (*depth > 0) {
        if (br_json_read_take(j, ',')) return closing[*depth - 1] == '}' ? skip_key(j, error) : BR_OK;
        if (!br_json_read_take(j, closing[*depth - 1]))
            return br_json_read_fail(j, closing[*depth - 1] == '}' ? "',' or '}'" : "',' or ']'", error);
        --*depth;
    }
    return BR_OK;
}

br_status br_json_read_skip(json_reader *j, br_error *error) {
    char closing[MAX_DEPTH];
    int depth = 0;
    br_status status = BR_OK;
    do {
        const char c = br_json_read_peek(j);
        if (c == '{' || c == '[') {
            if (depth == MAX_DEPTH)
                return br_io_text_fail(&j->text, here(j, 1), error, BR_TOO_LARGE, "json-too-deep",
                                       "more than %d lists and objects within each other", MAX_DEPTH);
            closing[depth++] = c == '{' ? '}' : ']';
            j->text.at++;
            if (br_json_read_peek(j) == closing[depth - 1])
                status = close_values(j, closing, &depth, error);
            else if (c == '{')
                status = skip_key(j, error);
        } else {
            status = skip_scalar(j, error);
            if (status == BR_OK) status = close_values(j, closing, &depth, error);
        }
    } while (status == BR_OK && depth > 0);
    return status;
}

br_status br_json_read_numbers(json_reader *j, double *out, int capacity, int *count, br_error *error) {
    int n = 0;
    if (!br_json_read_take(j, '[')) return br_json_read_fail(j, "a list of numbers", error);
    if (!br_json_read_take(j, ']')) {
        do {
            double x;
            const br_status status = br_json_read_number(j, &x, error);
            if (status != BR_OK) return status;
            if (n < capacity) out[n] = x;
            n++;
        } while (br_json_read_take(j, ','));
        if (!br_json_read_take(j, ']')) return br_json_read_fail(j, "',' or ']'", error);
    }
    *count = n;
    return BR_OK;
}

const char *br_json_read_file(const char *path, br_arena *arena, long most) {
    struct stat s;
    json_reader j;
    br_error ignored;
    if (stat(path, &s) != 0 || !S_ISREG(s.st_mode) || s.st_size > most) return NULL;
    if (br_json_read_open(&j, path, arena, most, &ignored) != BR_OK) return NULL;
    const char *begin = j.text.at;
    if (br_json_read_skip(&j, &ignored) != BR_OK || br_json_read_peek(&j) != '\0') return NULL;
    return strlen(begin) == (size_t)(j.text.end - begin) ? begin : NULL;
}

int br_json_read_is_whole(const char *text, size_t size, br_arena *arena) {
    json_reader j;
    br_error ignored;
    if (strlen(text) != size) return 0;
    br_json_read_open_text(&j, "", text, arena);
    return br_json_read_skip(&j, &ignored) == BR_OK && br_json_read_peek(&j) == '\0';
}
