// Reading JSON value by value from a file in memory: the caller asks for what it expects and skips the rest.
#ifndef BR_IO_TEXT_JSON_READ_H
#define BR_IO_TEXT_JSON_READ_H

#include "base/arena.h"
#include "bristle/io.h"
#include "io/text/text.h"

typedef struct json_reader {
    io_text text;
    br_arena *arena;
} json_reader;

void br_json_read_open_text(json_reader *j, const char *path, const char *text,
                            br_arena *arena); // from memory; path: for messages
br_status br_json_read_open(json_reader *j, const char *path, br_arena *arena, long most, br_error *error);
// A file that is JSON and nothing else, as a text; NULL: it is not there, or something else, or longer. No pipe is waited for.
const char *br_json_read_file(const char *path, br_arena *arena, long most);

int br_json_read_is_whole(const char *text, size_t size,
                          br_arena *arena); // one value and nothing else, without zero bytes

char br_json_read_peek(json_reader *j);        // next byte that is not blank; 0 at the end
int br_json_read_take(json_reader *j, char c); // consumes c, or returns 0

br_status br_json_read_number(json_reader *j, double *out, br_error *error); // finite
br_status br_json_read_string(json_reader *j, io_token *out, br_error *error);
// The text of a string with its escapes undone, in the arena; NULL: no memory.
const char *br_json_read_plain(json_reader *j, io_token string);
br_status br_json_read_skip(json_reader *j, br_error *error); // any value

// [numbers]: the first `capacity` into out, *count of all there are. A list in a file takes at least two bytes a
// number, so the count fits an int.
br_status br_json_read_numbers(json_reader *j, double *out, int capacity, int *count, br_error *error);

// Fails at the cursor: "found 'x' where EXPECTED was expected".
br_status br_json_read_fail(const json_reader *j, const char *expected, br_error *error);

#endif
