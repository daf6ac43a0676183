#include "io/text/text.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "bristle/io.h"

// ------------------------------------------------------------------------------------------------- loading

enum {
    PIPE_CHUNK = 1 << 16, // bytes: first buffer for a file whose size is not known beforehand
    MAX_TOKEN = 400,      // bytes in one token: 17 digits and an exponent need 24
};

static br_status open_failure(const char *path, br_error *error) {
    if (errno == ENOENT)
        return br_fail_at(error, BR_IO, "file-missing", path, 0, 0,
                          "there is no such file; check the path with: ls");
    return br_fail_at(error, BR_IO, "file-unreadable", path, 0, 0, "cannot be opened: %s", strerror(errno));
}

static br_status too_long(const char *path, const char *what, long most, br_error *error) {
    return br_fail_at(error, BR_TOO_LARGE, "file-too-large", path, 0, 0,
                      "is larger than %ld bytes, the most that %s may have", most, what);
}

// A pipe has no size: the buffer doubles. Old buffers stay in the arena until it is freed, at most as much again.
static br_status text_read_all(FILE *file, size_t capacity, const char *path, const char *what, long most,
                               br_arena *arena, char **data, size_t *size, br_error *error) {
    char *buffer = BR_TAKE(arena, char, capacity + 1);
    size_t used = 0;
    for (;;) {
        if (!buffer) return br_no_memory_at(error, path, "not enough memory to read it");
        used += fread(buffer + used, 1, capacity - used, file);
        if (ferror(file))
            return br_fail_at(error, BR_IO, "file-unreadable", path, 0, 0, "reading failed: %s",
                              strerror(errno));
        if (used < capacity) break;
        const int next = getc(file);
        if (next == EOF) break;
        if (capacity >= (size_t)most / 2) return too_long(path, what, most, error);
        char *larger = BR_TAKE(arena, char, 2 * capacity + 1);
        if (larger) {
            memcpy(larger, buffer, used);
            larger[used++] = (char)next;
        }
        buffer = larger;
        capacity *= 2;
    }
    buffer[used] = '\0';
    *data = buffer;
    *size = used;
    return BR_OK;
}

static br_status open_text(const char *path, const char *what, long most, FILE **out, size_t *capacity,
                           br_error *error) {
    struct stat s;
    if (stat(path, &s) != 0) return open_failure(path, error);
    if (S_ISDIR(s.st_mode))
        return br_fail_at(error, BR_IO, "file-is-folder", path, 0, 0, "is a folder, expected %s", what);
    // A device such as /dev/zero never ends.
    if (!S_ISREG(s.st_mode) && !S_ISFIFO(s.st_mode))
        return br_fail_at(error, BR_IO, "file-unreadable", path, 0, 0,
                          "is a device, expected a file or a pipe");
    if (s.st_size > most) return too_long(path, what, most, error);
    *out = fopen(path, "rb");
    if (!*out) return open_failure(path, error);
    *capacity = S_ISREG(s.st_mode) && s.st_size > 0 ? (size_t)s.st_size : PIPE_CHUNK;
    return BR_OK;
}

br_status br_io_text_load(io_text *text, const char *path, br_arena *arena, br_error *error) {
    return br_io_text_load_up_to(text, path, "a problem file", BR_MAX_FILE_BYTES, arena, error);
}

br_status br_io_text_load_up_to(io_text *text, const char *path, const char *what, long most, br_arena *arena,
                                br_error *error) {
    FILE *file = NULL;
    size_t capacity = 0, size = 0;
    char *data = NULL;
    br_status status = open_text(path, what, most, &file, &capacity, error);
    if (status != BR_OK) return status;
    status = text_read_all(file, capacity, path, what, most, arena, &data, &size, error);
    fclose(file);
    if (status != BR_OK) return status;
    const size_t mark = size >= 3 && memcmp(data, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    *text = (io_text){path, data + mark, data + size, data + mark, data + mark, 0};
    return BR_OK;
}

io_locale br_io_locale_enter(void) {
    const locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    return (io_locale){plain, plain ? uselocale(plain) : (locale_t)0};
}

void br_io_locale_leave(io_locale locale) {
    if (!locale.plain) return;
    uselocale((locale_t)locale.before);
    freelocale((locale_t)locale.plain);
}

// ------------------------------------------------------------------------------------------ lines and tokens

static int is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

int br_io_text_next_line(io_text *text) {
    const char *p = text->at;
    if (text->line > 0) { // leave the line that the cursor stands on
        p = memchr(p, '\n', (size_t)(text->end - p));
        if (!p) {
            text->at = text->end;
            return 0;
        }
        p++;
    }
    for (;; p++) {
        if (p >= text->end) {
            text->at = text->end;
            return 0;
        }
        text->line++;
        text->line_start = p;
        while (p < text->end && is_blank(*p)) p++;
        if (p < text->end && *p != '\n' && *p != '#') {
            text->at = p;
            return 1;
        }
        if (p < text->end && *p == '#') p = memchr(p, '\n', (size_t)(text->end - p));
        if (!p) p = text->end - 1; // a comment on the last line, without a line end
    }
}

int br_io_text_token(io_text *text, io_token *token) {
    const char *p = text->at;
    while (p < text->end && is_blank(*p)) p++;
    token->begin = p;
    while (p < text->end && !is_blank(*p) && *p != '\n' && *p != '#') p++;
    token->end = p;
    text->at = p;
    return token->end > token->begin;
}

int br_io_token_is(io_token token, const char *word) {
    const size_t length = strlen(word);
    return (size_t)(token.end - token.begin) == length && memcmp(token.begin, word, length) == 0;
}

int br_io_text_column(const io_text *text, io_token token) {
    return (int)(token.begin - text->line_start) + 1;
}

// ---------------------------------------------------------------------------------------------------- numbers

int br_io_parse_integer(io_token token, long long *out) {
    const char *p = token.begin;
    const int negative = p < token.end && *p == '-';
    if (p < token.end && (*p == '-' || *p == '+')) p++;
    if (p == token.end) return 0;
    const int may_overflow = token.end - p > 18;
    long long value = 0;
    for (; p < token.end; p++) {
        if (*p < '0' || *p > '9') return 0;
        const int digit = *p - '0';
        value = may_overflow && value > (LLONG_MAX - digit) / 10 ? LLONG_MAX : 10 * value + digit;
    }
    *out = negative ? -value : value;
    return 1;
}

static int same_word(const char *p, const char *end, const char *lower) {
    for (; p < end && *lower; p++, lower++)
        if (tolower((unsigned char)*p) != *lower) return 0;
    return p == end && !*lower;
}

static io_number parse_word(const char *p, const char *end, double *out) {
    const int negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    if (same_word(p, end, "inf") || same_word(p, end, "infinity")) {
        *out = negative ? -INFINITY : INFINITY;
        return IO_NUMBER_INFINITE;
    }
    if (same_word(p, end, "nan")) return IO_NUMBER_NAN;
    return IO_NUMBER_BAD;
}

// A decimal with at most 15 significant digits and a power of ten up to 22 is exact in one multiplication
// or division [Clinger 1990]; everything else goes to strtod. The grammar is checked here because strtod also takes
// hexadecimal, and would run on into the next token.
io_number br_io_parse_double(io_token token, double *out) {
    static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char *p = token.begin, *const end = token.end;
    if (end - p > MAX_TOKEN) return IO_NUMBER_BAD;
    const int negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    int64_t mantissa = 0;
    int digits = 0, shown = 0, scale = 0, after_point = 0;
    for (; p < end; p++) {
        if (*p == '.') {
            if (after_point) return IO_NUMBER_BAD;
            after_point = 1;
            continue;
        }
        if (*p < '0' || *p > '9') break;
        shown++;
        if (after_point) scale--;
        if (digits > 0 || *p != '0') digits++;
        if (digits <= 15) mantissa = 10 * mantissa + (*p - '0');
    }
    if (shown == 0) return parse_word(token.begin, end, out);
    long long exponent = 0;
    if (p < end) {
        if (*p != 'e' && *p != 'E') return IO_NUMBER_BAD;
        if (!br_io_parse_integer((io_token){p + 1, end}, &exponent)) return IO_NUMBER_BAD;
        if (exponent > 100000 || exponent < -100000) exponent = exponent < 0 ? -100000 : 100000;
    }
    exponent += scale;
    if (digits <= 15 && exponent >= -22 && exponent <= 22) {
        const double m = (double)mantissa;
        const double x = exponent < 0 ? m / power[-exponent] : m * power[exponent];
        *out = negative ? -x : x;
        return IO_NUMBER_FINITE;
    }
    const double x = strtod(token.begin, NULL);
    if (!isfinite(x)) return IO_NUMBER_OVERFLOW;
    *out = x;
    return IO_NUMBER_FINITE;
}

// --------------------------------------------------------------------------------------------------- messages

const char *br_io_show(io_token token, char out[IO_SHOWN]) {
    enum { ROOM = IO_SHOWN - 4 }; // "..." and the final zero
    size_t n = 0;
    const char *p = token.begin;
    for (; p < token.end; p++) {
        const unsigned char c = (unsigned char)*p;
        const int printable = c >= 0x20 && c < 0x7f;
        if (n + (printable ? 1 : 4) > ROOM - 16) break;
        if (printable)
            out[n++] = (char)c;
        else
            n += (size_t)snprintf(out + n, 5, "\\x%02x", c);
    }
    if (p < token.end) {
        memcpy(out + n, "...", 3);
        n += 3;
    }
    out[n] = '\0';
    return out;
}

br_status br_io_text_fail(const io_text *text, io_token token, br_error *error, br_status status,
                          const char *code, const char *format, ...) {
    char message[BR_MAX_ERROR_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    const int column = token.begin ? br_io_text_column(text, token) : 0;
    return br_fail_at(error, status, code, text->path, text->line, column, "%s", message);
}
