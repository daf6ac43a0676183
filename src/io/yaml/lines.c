// What a newcomer did to a line that libfyaml cannot read: its words are about scanners, these are about the lines.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "io/yaml/yaml.h"

enum {
    NEARBY = 200,         // lines looked at around a wrong one
    MAX_HINTED = 1 << 20, // bytes of a text whose lines are looked at
};

// A line of the text: its first character that is no blank, and its end.
typedef struct text_line {
    const char *begin, *end;
    int indent;
} text_line;

static int line_at(const char *text, size_t size, int number, text_line *out) {
    const char *p = text, *const end = text + size;
    for (int k = 1; k < number && p; k++) {
        p = memchr(p, '\n', (size_t)(end - p));
        if (p) p++;
    }
    if (number < 1 || !p || p >= end) return 0;
    const char *stop = memchr(p, '\n', (size_t)(end - p));
    if (!stop) stop = end;
    const char *begin = p;
    while (begin < stop && *begin == ' ') begin++;
    *out = (text_line){begin, stop, (int)(begin - p)};
    return begin < stop && *begin != '\r' && *begin != '#';
}

static int has_key(const text_line *line) { // KEY: at its beginning
    const char *colon = memchr(line->begin, ':', (size_t)(line->end - line->begin));
    return colon && (colon + 1 >= line->end || colon[1] == ' ' || colon[1] == '\r');
}

// `mass:20`, `mass = 20`: a line that should be KEY: VALUE. The hint, or NULL.
static const char *hint_of_line(const text_line *line) {
    size_t n = 0;
    const size_t size = (size_t)(line->end - line->begin);
    while (n < size && (line->begin[n] == '_' || isalnum((unsigned char)line->begin[n]))) n++;
    if (n == 0 || n >= size) return NULL;
    if (line->begin[n] == ':' && n + 1 < size && line->begin[n + 1] != ' ')
        return "a blank belongs behind the colon: KEY: VALUE";
    while (n < size && line->begin[n] == ' ') n++;
    if (n < size && line->begin[n] == '=') return "an equals sign, expected a colon: KEY: VALUE";
    return NULL;
}

// The key on the line and the line below it are not in the same column: both numbers.
static int hint_below(const char *text, size_t size, int number, char *out, size_t capacity) {
    text_line line, other;
    int k = number + 1;
    if (!line_at(text, size, number, &line) || !has_key(&line)) return 0;
    while (k < number + NEARBY && !line_at(text, size, k, &other)) k++;
    if (k == number + NEARBY || !has_key(&other) || other.indent == line.indent) return 0;
    snprintf(out, capacity,
             "line %d is indented by %d and line %d by %d; keys of one map begin in the same column", number,
             line.indent, k, other.indent);
    return 1;
}

// The key on the line belongs to none of the maps above it: where those begin, the innermost first.
static int hint_above(const char *text, size_t size, int number, char *out, size_t capacity) {
    text_line line, other;
    int last = 1 << 20;
    if (!line_at(text, size, number, &line)) return 0;
    size_t n = (size_t)snprintf(out, capacity, "line %d is indented by %d, expected", number, line.indent);
    const size_t empty = n;
    for (int k = number - 1; k > 0 && k > number - NEARBY && last > 0 && n + 16 < capacity; k--) {
        if (!line_at(text, size, k, &other) || !has_key(&other) || other.indent >= last) continue;
        last = other.indent;
        n += (size_t)snprintf(out + n, capacity - n, "%s %d", n > empty ? " or" : "", last);
    }
    snprintf(out + n, capacity - n, ": keys of one map begin in the same column");
    return n > empty;
}

int br_yaml_line_hint(const char *said, const char *text, size_t size, int number, char out[YAML_LINE_HINT]) {
    text_line line;
    const int key = strstr(said, "plain key") != NULL,
              mapping = strstr(said, "indentation in mapping") != NULL;
    if (size > MAX_HINTED || (!key && !mapping)) return 0;
    const char *hint = key && line_at(text, size, number, &line) ? hint_of_line(&line) : NULL;
    if (hint) snprintf(out, YAML_LINE_HINT, "%s", hint);
    if (hint) return 1;
    return key ? hint_below(text, size, number, out, YAML_LINE_HINT)
               : hint_above(text, size, number, out, YAML_LINE_HINT);
}
