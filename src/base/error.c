// Filling in a br_error, see error.h.
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// A cut text ends in "..." so that nobody takes half a message for the whole.
static void mark_truncated(char *text, size_t capacity) {
    memcpy(text + capacity - 4, "...", 4);
}

// A long path keeps its end: the file's own name says more than the root it hangs from.
static void copy_path(char *out, size_t capacity, const char *path) {
    const size_t length = strlen(path), kept = capacity - sizeof "...";
    if (length < capacity)
        snprintf(out, capacity, "%s", path);
    else
        snprintf(out, capacity, "...%s", path + length - kept);
}

// Names and paths in a message may come from anywhere, and a message is printed: what would steer a terminal becomes '?'.
static void mask_controls(char *text) {
    for (unsigned char *c = (unsigned char *)text; *c; c++) {
        if ((*c < 0x20 && *c != '\n' && *c != '\t') || *c == 0x7f) *c = '?';
        if (c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0) c[0] = c[1] = '?'; // U+0080 to U+009F
    }
}

__attribute__((format(printf, 7, 0))) static br_status error_fill(br_error *error, br_status status,
                                                                  const char *code, const char *file,
                                                                  int line, int column, const char *format,
                                                                  va_list args) {
    if (!error) return status;
    // Formatted into a local first: an argument may point into *error itself when a caller adds to a message.
    br_error e;
    memset(&e, 0, sizeof e);
    e.status = status;
    e.code = code ? code : "unspecified";
    const int length = vsnprintf(e.message, sizeof e.message, format, args);
    if (length < 0) e.message[0] = '\0';
    if (length >= (int)sizeof e.message) mark_truncated(e.message, sizeof e.message);
    mask_controls(e.message);
    if (file) copy_path(e.file, sizeof e.file, file);
    e.line = line;
    e.column = column;
    *error = e;
    return status;
}

br_status br_fail(br_error *error, br_status status, const char *code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    error_fill(error, status, code, NULL, 0, 0, format, args);
    va_end(args);
    return status;
}

br_status br_fail_at(br_error *error, br_status status, const char *code, const char *file, int line,
                     int column, const char *format, ...) {
    va_list args;
    va_start(args, format);
    error_fill(error, status, code, file, line, column, format, args);
    va_end(args);
    return status;
}

br_status br_no_memory(br_error *error, const char *format, ...) {
    va_list args;
    va_start(args, format);
    error_fill(error, BR_NO_MEMORY, "out-of-memory", NULL, 0, 0, format, args);
    va_end(args);
    return BR_NO_MEMORY;
}

br_status br_no_memory_at(br_error *error, const char *file, const char *format, ...) {
    va_list args;
    va_start(args, format);
    error_fill(error, BR_NO_MEMORY, "out-of-memory", file, 0, 0, format, args);
    va_end(args);
    return BR_NO_MEMORY;
}

br_status br_fail_path(br_error *error, br_status status, const char *code, const char *path,
                       const char *format, ...) {
    va_list args;
    va_start(args, format);
    error_fill(error, status, code, NULL, 0, 0, format, args);
    va_end(args);
    if (error) copy_path(error->path, sizeof error->path, path);
    return status;
}
