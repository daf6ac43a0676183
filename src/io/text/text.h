// A text file in memory and a cursor over it: lines, tokens, numbers, and places for messages.
//
// The grammar is by line: tokens are separated by blanks, `#` starts a comment, lines without tokens are skipped.
// CRLF line ends and a UTF-8 byte order mark are accepted.
#ifndef BR_IO_TEXT_TEXT_H
#define BR_IO_TEXT_TEXT_H

#include "base/arena.h"
#include "bristle/base.h"

typedef struct io_text {
    const char *path;
    const char *data, *end; // *end is a zero byte that is not part of the file
    const char *at;         // next byte to look at
    const char *line_start;
    int line; // 1-based; 0 before the first line
} io_text;

typedef struct io_token {
    const char *begin, *end;
} io_token;

typedef enum io_number {
    IO_NUMBER_FINITE = 0,
    IO_NUMBER_INFINITE, // inf, -inf, infinity: *out is the infinity
    IO_NUMBER_NAN,
    IO_NUMBER_OVERFLOW, // digits of a number that no double can hold
    IO_NUMBER_BAD,      // not a number at all
} io_number;

// Reads the whole file into `arena`. Refuses what is not a regular file or a pipe.
br_status br_io_text_load(io_text *text, const char *path, br_arena *arena, br_error *error);

// The same with a cap of its own and another word for what is expected: "a model file".
br_status br_io_text_load_up_to(io_text *text, const char *path, const char *what, long most, br_arena *arena,
                                br_error *error);

// Numbers have a decimal point whatever language the calling program speaks: enter before parsing, leave after.
typedef struct io_locale {
    void *plain, *before;
} io_locale;
io_locale br_io_locale_enter(void);
void br_io_locale_leave(io_locale locale);

int br_io_text_next_line(io_text *text); // moves to the next line with a token; 0 at the end
int br_io_text_token(io_text *text,
                     io_token *token); // next token of the current line; 0 when there is none left

io_number br_io_parse_double(io_token token, double *out);

// A decimal integer with optional sign, saturated at +-LLONG_MAX; 0 when the token is something else.
int br_io_parse_integer(io_token token, long long *out);

int br_io_token_is(io_token token, const char *word);
int br_io_text_column(const io_text *text, io_token token); // 1-based, in bytes

// The token for a message: at most 40 bytes, what is not printable as \xNN.
#define IO_SHOWN 64
const char *br_io_show(io_token token, char out[IO_SHOWN]);

// Fails at the token's place (token.begin NULL: at the current line).
br_status br_io_text_fail(const io_text *text, io_token token, br_error *error, br_status status,
                          const char *code, const char *format, ...) __attribute__((format(printf, 6, 7)));

#endif
