// Writing JSON value by value; bristle/text.h has objects and lists for programs, by the same code. The text may stand inside an HTML page: <, > and & are written as \u003c and so on, so
// that nothing in it can end a script element.
#ifndef BR_IO_TEXT_JSON_WRITE_H
#define BR_IO_TEXT_JSON_WRITE_H

#include <stdio.h>

#include "bristle/math.h"

void br_io_json_text(FILE *file, const char *text);               // quoted; NULL: null
void br_io_json_bytes(FILE *file, const char *text, size_t size); // quoted; what is no UTF-8 becomes U+FFFD
void br_io_json_number(FILE *file, double x, int digits);         // not finite: null
void br_io_json_numbers(FILE *file, const double *x, int count, int digits); // [1, 2]
void br_io_json_key(FILE *file, const char *key, int first); // , "key": without the comma where first
void br_io_json_lines(FILE *file, const char *lines);        // a list of the lines that are not empty

#endif
