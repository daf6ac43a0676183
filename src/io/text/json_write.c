#include "io/text/json_write.h"

#include <math.h>
#include <string.h>

// The length of the UTF-8 sequence at p, of at most `left` bytes; 0: there is none. Surrogates and overlong forms count
// as none.
static size_t sequence(const unsigned char *p, size_t left) {
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    const size_t n = p[0] < 0x80                   ? 1
                     : p[0] >= 0xc2 && p[0] < 0xe0 ? 2
                     : p[0] >= 0xe0 && p[0] < 0xf0 ? 3
                     : p[0] < 0xf5                 ? 4
                                                   : 0;
    if (n <= 1 || p[0] < 0xc2) return p[0] < 0x80;
    if (n > left) return 0;
    unsigned code = p[0] & (0xffU >> (n + 1));
    for (size_t k = 1; k < n; k++) {
        if ((p[k] & 0xc0) != 0x80) return 0;
        code = code << 6 | (p[k] & 0x3fU);
    }
    return code < least[n] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0 : n;
}

void io_json_bytes(FILE *file, const char *text, size_t size) {
    const unsigned char *p = (const unsigned char *)text, *end = p + size;
    putc('"', file);
    while (p < end) {
        const size_t n = sequence(p, (size_t)(end - p));
        if (n == 0)
            fputs("\\ufffd", file);
        else if (*p == '"' || *p == '\\')
            fprintf(file, "\\%c", *p);
        else if (*p == '\n')
            fputs("\\n", file);
        else if (*p < 0x20 || *p == 0x7f || *p == '<' || *p == '>' || *p == '&')
            fprintf(file, "\\u%04x", (unsigned)*p);
        else
            fwrite(p, 1, n, file);
        p += n > 0 ? n : 1;
    }
    putc('"', file);
}

void io_json_text(FILE *file, const char *text) {
    if (text)
        io_json_bytes(file, text, strlen(text));
    else
        fputs("null", file);
}

void io_json_number(FILE *file, double x, int digits) {
    char text[48];
    if (!isfinite(x)) {
        fputs("null", file);
        return;
    }
    snprintf(text, sizeof text, "%.*g", digits, x);
    char *comma = strchr(text, ',');
    if (comma) *comma = '.';
    fputs(text, file);
}

void io_json_numbers(FILE *file, const double *x, int count, int digits) {
    putc('[', file);
    for (int k = 0; k < count; k++) {
        if (k > 0) fputs(", ", file);
        io_json_number(file, x[k], digits);
    }
    putc(']', file);
}

void io_json_key(FILE *file, const char *key, int first) {
    if (!first) fputs(", ", file);
    io_json_text(file, key);
    fputs(": ", file);
}

void io_json_lines(FILE *file, const char *lines) {
    int count = 0;
    putc('[', file);
    while (lines && *lines) {
        const size_t n = strcspn(lines, "\n");
        if (n > 0) {
            if (count++ > 0) fputs(", ", file);
            io_json_bytes(file, lines, n);
        }
        lines += n + (lines[n] == '\n');
    }
    putc(']', file);
}
