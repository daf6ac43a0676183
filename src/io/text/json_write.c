#include "io/text/json_write.h"

#include <math.h>
#include <string.h>

#include "bristle/text.h"
#include "io/text/number.h"

enum { ALL_DIGITS = 17 }; // that tell every double from its neighbours

// In a page nothing in a text may end a script element.
static void json_put_text(FILE *file, const char *text, size_t size, int in_page) {
    putc('"', file);
    for (const char *end = text + size; text < end;) {
        const size_t n = br_utf8_decode(text, (size_t)(end - text), NULL);
        const unsigned char c = (unsigned char)*text;
        if (n == 0)
            fputs("\\ufffd", file);
        else if (c == '"' || c == '\\')
            fprintf(file, "\\%c", c);
        else if (in_page && c == '\n')
            fputs("\\n", file);
        else if (c < 0x20 || c == 0x7f || (in_page && (c == '<' || c == '>' || c == '&')))
            fprintf(file, "\\u%04x", (unsigned)c);
        else
            fwrite(text, 1, n, file);
        text += n > 0 ? n : 1;
    }
    putc('"', file);
}

static void json_put_lines(FILE *file, const char *lines, int in_page) {
    int count = 0;
    putc('[', file);
    while (lines && *lines) {
        const size_t n = strcspn(lines, "\n");
        if (n > 0) {
            if (count++ > 0) fputs(", ", file);
            json_put_text(file, lines, n, in_page);
        }
        lines += n + (lines[n] == '\n');
    }
    putc(']', file);
}

// --- values, in a page -------------------------------------------------------------------------------------

void br_io_json_bytes(FILE *file, const char *text, size_t size) {
    json_put_text(file, text, size, 1);
}

void br_io_json_text(FILE *file, const char *text) {
    if (text)
        br_io_json_bytes(file, text, strlen(text));
    else
        fputs("null", file);
}

void br_io_json_number(FILE *file, double x, int digits) {
    char text[IO_MAX_NUMBER];
    if (isfinite(x))
        fwrite(text, 1, br_io_format_number(text, x, digits), file);
    else
        fputs("null", file);
}

void br_io_json_numbers(FILE *file, const double *x, int count, int digits) {
    putc('[', file);
    for (int k = 0; k < count; k++) {
        if (k > 0) fputs(", ", file);
        br_io_json_number(file, x[k], digits);
    }
    putc(']', file);
}

void br_io_json_key(FILE *file, const char *key, int first) {
    if (!first) fputs(", ", file);
    br_io_json_text(file, key);
    fputs(": ", file);
}

void br_io_json_lines(FILE *file, const char *lines) {
    json_put_lines(file, lines, 1);
}

// --- objects and lists, for programs -----------------------------------------------------------------------

static FILE *json_put_key(br_json *json, const char *key) {
    if (json->keys++ > 0) fputs(", ", json->out);
    if (key) json_put_text(json->out, key, strlen(key), 0), fputs(": ", json->out);
    return json->out;
}

static br_json open_with(FILE *out, char bracket) {
    putc(bracket, out);
    return (br_json){out, 0};
}

br_json br_json_begin(FILE *out) {
    return open_with(out, '{');
}

void br_json_end(br_json *json) {
    fputs("}\n", json->out);
}

br_json br_json_object(br_json *parent, const char *key) {
    return open_with(json_put_key(parent, key), '{');
}

br_json br_json_list(br_json *parent, const char *key) {
    return open_with(json_put_key(parent, key), '[');
}

void br_json_close_object(br_json *json) {
    putc('}', json->out);
}

void br_json_close_list(br_json *json) {
    putc(']', json->out);
}

void br_json_null(br_json *json, const char *key) {
    fputs("null", json_put_key(json, key));
}

void br_json_string(br_json *json, const char *key, const char *text) {
    if (text)
        json_put_text(json_put_key(json, key), text, strlen(text), 0);
    else
        br_json_null(json, key);
}

void br_json_number(br_json *json, const char *key, double value) {
    br_io_json_number(json_put_key(json, key), value, ALL_DIGITS);
}

void br_json_whole(br_json *json, const char *key, long long value) {
    fprintf(json_put_key(json, key), "%lld", value);
}

void br_json_bool(br_json *json, const char *key, int value) {
    fputs(value ? "true" : "false", json_put_key(json, key));
}

void br_json_numbers(br_json *json, const char *key, const double *values, int count) {
    br_io_json_numbers(json_put_key(json, key), values, count, ALL_DIGITS);
}

void br_json_lines(br_json *json, const char *key, const char *lines) {
    json_put_lines(json_put_key(json, key), lines, 0);
}
