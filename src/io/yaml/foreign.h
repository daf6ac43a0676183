// Words that people bring along from other programs, and what they are called here.
#ifndef BR_IO_YAML_FOREIGN_H
#define BR_IO_YAML_FOREIGN_H

#include <stddef.h>

// What to write instead of the key `word` where keys[] (ended by NULL) may stand: "write step: 1 ms". NULL: not known.
const char *br_io_foreign_key(const char *word, const char *const *keys);

// "; the nearest here is 'cone'": what to write instead of the value `word` where words[0 .. count) may stand. The hint stays
// as it is where that is not known.
void br_io_foreign_value(const char *word, const char *const *words, int count, char *hint, size_t size);

// What a file that is no model is, by how it begins. NULL: nothing that is known.
typedef struct io_kind {
    const char *begins; // after white space, unless it is bytes of a mark
    const char *code;
    const char *message;
} io_kind;
const io_kind *br_io_kind_of(const char *text, size_t size);

#endif
