// Filling in a br_error. Internal to the library; every layer may call it.
#ifndef BR_BASE_ERROR_H
#define BR_BASE_ERROR_H

#include "bristle/base.h"

// Sets *error (which may be NULL) and returns status, so that a failing function ends in one line:
//     return br_fail(error, BR_INVALID, "problem-negative-mu", "law %d: mu is %g, expected >= 0", i, mu);
// `code` must be a string literal. The message is truncated to fit, never overrun.
br_status br_fail(br_error *error, br_status status, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// As br_fail, with the place in a file.
br_status br_fail_at(br_error *error, br_status status, const char *code, const char *file, int line,
                     int column, const char *format, ...) __attribute__((format(printf, 7, 8)));

// BR_NO_MEMORY under its one code; the message is the whole sentence, "no memory for joint friction".
br_status br_no_memory(br_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));
br_status br_no_memory_at(br_error *error, const char *file, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// As br_fail, naming the model's field at fault: path "bodies/wheel/mass". A reader finds the place in its file by it.
br_status br_fail_path(br_error *error, br_status status, const char *code, const char *path,
                       const char *format, ...) __attribute__((format(printf, 5, 6)));

#endif
