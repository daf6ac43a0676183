// Text for programs: JSON, written key by key, files that are never half written, and UTF-8. Names and paths may hold any bytes; what is written here is JSON all the
// same.
//
//     br_json json = br_json_begin(stdout);
//     br_json_number(&json, "mass", 3.0);
//     br_json list = br_json_list(&json, "names");
//     br_json_string(&list, NULL, "crate");
//     br_json_close_list(&list);
//     br_json_end(&json);                         // {"mass": 3, "names": ["crate"]}
#ifndef BRISTLE_TEXT_H
#define BRISTLE_TEXT_H

#include <stdio.h>

#include "bristle/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// --- JSON --------------------------------------------------------------------------------------------------

// An object or a list that is being written. Faults of the stream are the stream's: ask ferror at the end.
typedef struct br_json {
    FILE *out;
    // written so far
    int keys;
} br_json;

br_json br_json_begin(FILE *out); // an object
void br_json_end(br_json *json);  // closes it and the line

// Items of a list have the key NULL.
void br_json_string(br_json *json, const char *key,
                    const char *text); // NULL: null; what is no UTF-8 becomes U+FFFD
void br_json_number(br_json *json, const char *key, double value); // %.17g; not finite: null
void br_json_whole(br_json *json, const char *key, long long value);
void br_json_bool(br_json *json, const char *key, int value);
void br_json_null(br_json *json, const char *key);
void br_json_numbers(br_json *json, const char *key, const double *values, int count); // [1, 2]
void br_json_lines(br_json *json, const char *key,
                   const char *lines); // a list with each line that is not empty

// Within an object or a list: write into what is returned, close it, go on with the parent.
br_json br_json_object(br_json *parent, const char *key);
br_json br_json_list(br_json *parent, const char *key);
void br_json_close_object(br_json *json);
void br_json_close_list(br_json *json);

// --- files -------------------------------------------------------------------------------------------------

// A file that gets its name once it is whole and on the disk: a full disk or a kill leaves what was there before, never half a
// file. Terminals and pipes are written in place.
typedef struct br_output br_output;

br_status br_output_open(const char *path, br_output **out, br_error *error);
FILE *br_output_file(br_output *output); // to write to; not to be closed
// whole 0, or anything that could not be written: nothing is left of it. The output is gone afterwards, also on failure; errno
// says why.
br_status br_output_close(br_output *output, int whole, br_error *error);

// --- UTF-8 -------------------------------------------------------------------------------------------------

// Bytes of the character at the start of a text of `size` bytes, 1 or more, and its number (code may be NULL). 0: there is none;
// forms longer than need be, surrogates and what is beyond U+10FFFF are none.
size_t br_utf8_decode(const char *text, size_t size, unsigned *code);
size_t br_utf8_encode(unsigned code, char out[4]); // returns how many bytes

#ifdef __cplusplus
}
#endif

#endif
