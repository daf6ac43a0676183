#include <math.h>
#include <string.h>

#include "cli.h"

// Length of the well-formed UTF-8 sequence at p, or 0.
static int utf8_length(const unsigned char *p) {
    if (p[0] < 0x80) return 1;
    const int n = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
    if (p[0] < 0xc2 || p[0] > 0xf4) return 0;
    for (int k = 1; k < n; k++)
        if ((p[k] & 0xc0) != 0x80) return 0;
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f)) return 0; // overlong, surrogates
    if ((p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f)) return 0; // overlong, beyond Unicode
    return n;
}

// A path may hold any bytes; what is not UTF-8 becomes U+FFFD, so the output is JSON whatever the path was.
static void print_quoted(FILE *out, const char *text) {
    fputc('"', out);
    for (const unsigned char *p = (const unsigned char *)text; *p;) {
        const int n = utf8_length(p);
        if (n == 0)
            fputs("\\ufffd", out);
        else if (n == 1 && (*p == '"' || *p == '\\'))
            fprintf(out, "\\%c", *p);
        else if (n == 1 && (*p < 0x20 || *p == 0x7f))
            fprintf(out, "\\u%04x", *p);
        else
            fwrite(p, 1, (size_t)n, out);
        p += n ? n : 1;
    }
    fputc('"', out);
}

static void print_key(cli_json *json, const char *key) {
    if (json->keys++ > 0) fputs(", ", json->out);
    if (!key) return; // an item of a list
    print_quoted(json->out, key);
    fputs(": ", json->out);
}

cli_json cli_json_begin(FILE *out) {
    fputc('{', out);
    return (cli_json){out, 0};
}

static void print_number(FILE *out, double value) {
    if (isfinite(value))
        fprintf(out, "%.17g", value);
    else
        fputs("null", out);
}

void cli_json_null(cli_json *json, const char *key) {
    print_key(json, key);
    fputs("null", json->out);
}

void cli_json_string(cli_json *json, const char *key, const char *text) {
    if (!text) {
        cli_json_null(json, key);
        return;
    }
    print_key(json, key);
    print_quoted(json->out, text);
}

void cli_json_number(cli_json *json, const char *key, double value) {
    print_key(json, key);
    print_number(json->out, value);
}

void cli_json_whole(cli_json *json, const char *key, long long value) {
    print_key(json, key);
    fprintf(json->out, "%lld", value);
}

void cli_json_pairs(cli_json *json, const char *key, const int *first, const double *second, int count) {
    print_key(json, key);
    fputc('[', json->out);
    for (int k = 0; k < count; k++) {
        fprintf(json->out, "%s[%d, ", k ? ", " : "", first[k]);
        print_number(json->out, second[k]);
        fputc(']', json->out);
    }
    fputc(']', json->out);
}

static cli_json open_with(cli_json *parent, const char *key, char bracket) {
    print_key(parent, key);
    fputc(bracket, parent->out);
    return (cli_json){parent->out, 0};
}

cli_json cli_json_object(cli_json *parent, const char *key) {
    return open_with(parent, key, '{');
}

cli_json cli_json_list(cli_json *parent, const char *key) {
    return open_with(parent, key, '[');
}

void cli_json_close_object(cli_json *json) {
    fputc('}', json->out);
}

void cli_json_close_list(cli_json *json) {
    fputc(']', json->out);
}

void cli_json_numbers(cli_json *json, const char *key, const double *values, int count) {
    print_key(json, key);
    fputc('[', json->out);
    for (int k = 0; k < count; k++) {
        if (k > 0) fputs(", ", json->out);
        print_number(json->out, values[k]);
    }
    fputc(']', json->out);
}

void cli_json_bool(cli_json *json, const char *key, int value) {
    print_key(json, key);
    fputs(value ? "true" : "false", json->out);
}

void cli_json_lines(cli_json *json, const char *key, const char *lines) {
    cli_json list = cli_json_list(json, key);
    for (const char *p = lines; *p;) {
        const size_t n = strcspn(p, "\n");
        char line[1024];
        snprintf(line, sizeof line, "%.*s", (int)(n < sizeof line ? n : sizeof line - 1), p);
        if (n > 0) cli_json_string(&list, NULL, line);
        p += n + (p[n] == '\n');
    }
    cli_json_close_list(&list);
}

void cli_json_end(cli_json *json) {
    fputs("}\n", json->out);
}
