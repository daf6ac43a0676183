// Base contract: status codes, errors that name their place, and the allocator every object takes.
//
// Every call that can fail returns br_status and, where it takes a br_error, fills it in. Outputs are untouched
// on failure. The library never prints, never exits and keeps no mutable state of its own.
#ifndef BRISTLE_BASE_H
#define BRISTLE_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BR_VERSION "0.1.0"

typedef enum br_status {
    BR_OK = 0,
    BR_INVALID,   // an argument, entry or model that breaks a rule; the error names it
    BR_PARSE,     // a file that cannot be understood; file:line:column are set
    BR_IO,        // a file that cannot be opened, read or written
    BR_NO_MEMORY, // the allocator returned NULL
    BR_TOO_LARGE, // a size that would overflow or pass a cap; refused before any allocation
    BR_NUMERICAL, // the mathematics failed (singular matrix, diverging step)
} br_status;

#define BR_MAX_ERROR_TEXT 512
#define BR_MAX_ERROR_PATH 256

// What went wrong, where, in the user's own names. A zeroed br_error is "no error".
typedef struct br_error {
    br_status status;
    // stable word for `bristle explain`, e.g. "cp-index-range"; never NULL once set
    const char *code;
    // what was found and what was expected, without the place
    char message[BR_MAX_ERROR_TEXT];
    // empty when the fault is not from a file
    char file[BR_MAX_ERROR_PATH];
    // 1-based; 0 when unknown
    int line, column;
    // the model's field at fault, "bodies/wheel/mass"; empty when there is none
    char path[BR_MAX_ERROR_PATH];
} br_error;

// Memory for everything the library creates. `context` is handed back on each call. NULL instead of a
// br_allocator means malloc and free.
typedef struct br_allocator {
    // aligned as malloc does; NULL on failure
    void *(*allocate)(void *context, size_t bytes);
    // accepts NULL
    void (*release)(void *context, void *memory);
    void *context;
} br_allocator;

const char *br_status_name(br_status status);
const char *br_version(void);

// The word of words[0 .. count) nearest to `word` by edit distance, case ignored; NULL when none is near.
const char *br_nearest_word(const char *word, const char *const *words, size_t count);

// Nonzero: the pattern, whose * stands for any bytes, is the whole of name.
int br_name_matches(const char *pattern, const char *name);

#ifdef __cplusplus
}
#endif

#endif
