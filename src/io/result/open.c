// Opening a result, whatever it is kept in: the first bytes decide.
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "io/result/layout.h"
#include "io/result/result.h"
#include "io/text/write.h"

enum { LOOKED_AT = 4096 };

// ------------------------------------------------------------------------------------------------------ which

// HDF5 may have a block of the user's before its own, at 512, 1024, 2048, ...; bristle writes none.
static const char hdf5_mark[] = "\x89HDF\r\n\x1a\n";

// A table: the first line is text and has a column t.
static int is_table(const char *bytes, size_t n) {
    size_t end = 0, start = 0;
    int found = 0;
    if (n >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) end = start = 3;
    for (; end <= n; end++) {
        const int last = end == n || bytes[end] == '\n' || bytes[end] == '\r';
        if (last || bytes[end] == ',') {
            const size_t size = end - start;
            if (size == 1 && bytes[start] == 't') found = 1;
            if (size == 3 && memcmp(bytes + start, "\"t\"", 3) == 0) found = 1;
            start = end + 1;
        }
        if (last) break;
        if ((unsigned char)bytes[end] < 0x20) return 0;
    }
    return found;
}

static br_result_source source_of(const char *bytes, size_t n) {
    const size_t log = n < IO_RESULT_MARK_BYTES ? n : IO_RESULT_MARK_BYTES;
    if (n == 0) return BR_SOURCE_NONE;
    if (memcmp(bytes, IO_RESULT_MARK, log) == 0) return BR_SOURCE_LOG;
    if (n >= sizeof hdf5_mark - 1 && memcmp(bytes, hdf5_mark, sizeof hdf5_mark - 1) == 0)
        return BR_SOURCE_HDF5;
    return is_table(bytes, n) ? BR_SOURCE_CSV : BR_SOURCE_NONE;
}

br_result_source br_result_look(const char *path) {
    char bytes[LOOKED_AT];
    struct stat s;
    if (stat(path, &s) != 0 || !S_ISREG(s.st_mode)) return BR_SOURCE_NONE;
    FILE *file = fopen(path, "rb");
    const size_t n = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file) fclose(file);
    return source_of(bytes, n);
}

// ------------------------------------------------------------------------------------------------------- calls

br_status br_result_open(const char *path, const br_allocator *allocator, br_result **out, br_error *error) {
    switch (br_result_look(path)) {
    case BR_SOURCE_HDF5:
        return br_io_result_open_hdf5(path, allocator, out, error);
    case BR_SOURCE_CSV:
        return br_io_result_open_csv(path, allocator, out, error);
    case BR_SOURCE_LOG:
    case BR_SOURCE_NONE:
        break; // whose reader says what is wrong
    }
    return br_io_result_open_log(path, allocator, out, error);
}

void br_result_close(br_result *result) {
    if (result) result->ops->close(result);
}

int br_result_trust_path(const char *result, char *out, size_t size) {
    const size_t n = strlen(result), kept = br_io_has_ending(result, ".result") ? n - strlen(".result") : n;
    const int length = snprintf(out, size, "%.*s.trust.json", (int)kept, result);
    return length > 0 && (size_t)length < size;
}

const br_result_header *br_result_about(const br_result *result) {
    return &result->header;
}

br_status br_result_next(br_result *result, br_result_item *item, br_error *error) {
    return result->ops->next(result, item, error);
}

br_result_source br_result_source_of(const br_result *result) {
    return result->ops->source;
}
