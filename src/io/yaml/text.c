// Bytes that may stand in a model file. libfyaml drops bad UTF-8 and stops at a zero byte without a word, so both are
// caught here.
#include <string.h>

#include "base/error.h"
#include "bristle/text.h"
#include "io/yaml/yaml.h"

static const struct {
    const char *bytes;
    size_t size;
    const char *name;
} marks[] = {
    {"\xFF\xFE\0\0", 4, "UTF-32"},
    {"\0\0\xFE\xFF", 4, "UTF-32"},
    {"\xFF\xFE", 2, "UTF-16"},
    {"\xFE\xFF", 2, "UTF-16"},
};

static int is_control(unsigned char c) {
    return (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F;
}

static br_status check_marks(const char *name, const char *text, size_t size, br_error *error) {
    for (size_t k = 0; k < sizeof marks / sizeof marks[0]; k++)
        if (size >= marks[k].size && memcmp(text, marks[k].bytes, marks[k].size) == 0)
            return br_fail_at(error, BR_PARSE, "yaml-encoding", name, 1, 1,
                              "is written in %s, expected UTF-8; convert it: iconv -f %s -t UTF-8",
                              marks[k].name, marks[k].name);
    return BR_OK;
}

br_status br_yaml_check_text(const char *name, const char **text, size_t *size, br_error *error) {
    if (size[0] > (size_t)BR_MAX_MODEL_BYTES)
        return br_fail_at(error, BR_TOO_LARGE, "file-too-large", name, 0, 0,
                          "is larger than %ld bytes, the most that a model may have", BR_MAX_MODEL_BYTES);
    const br_status status = check_marks(name, *text, *size, error);
    if (status != BR_OK) return status;
    const size_t mark = *size >= 3 && memcmp(*text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    const unsigned char *const begin = (const unsigned char *)*text + mark;
    const size_t length = *size - mark;
    int line = 1, column = 1;
    for (size_t k = 0; k < length;) {
        const size_t n = br_utf8_decode((const char *)begin + k, length - k, NULL);
        if (n == 0)
            return br_fail_at(error, BR_PARSE, "yaml-encoding", name, line, column,
                              "the byte 0x%02x is not UTF-8; save the file as UTF-8", begin[k]);
        if (is_control(begin[k]))
            return br_fail_at(error, BR_PARSE, "yaml-control", name, line, column,
                              "a byte 0x%02x, which no text has; is this a model file?", begin[k]);
        column++;
        if (begin[k] == '\n') line++, column = 1;
        k += n;
    }
    *text = (const char *)begin;
    *size = length;
    return BR_OK;
}

const char *br_yaml_show(const char *text, size_t size, char out[YAML_SHOWN]) {
    enum { ROOM = 40 };
    size_t n = 0, k = 0;
    while (k < size && n < ROOM) {
        const unsigned char *p = (const unsigned char *)text + k;
        size_t length = br_utf8_decode(text + k, size - k, NULL);
        // U+0080 to U+009F move cursors on some terminals.
        const int harmless = length > 0 && !is_control(*p) && *p != '\t' && *p != '\n' && *p != '\r' &&
                             !(p[0] == 0xC2 && p[1] < 0xA0);
        if (length == 0) length = 1;
        if (harmless)
            for (size_t i = 0; i < length; i++) out[n++] = (char)p[i];
        else
            out[n++] = *p == '\n' || *p == '\t' || *p == '\r' ? ' ' : '?';
        k += length;
    }
    if (k < size) {
        memcpy(out + n, "...", 3);
        n += 3;
    }
    out[n] = '\0';
    return out;
}
