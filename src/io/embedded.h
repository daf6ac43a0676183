// Files of the tree that the library carries; see cmake/Embed.cmake.
#ifndef BR_IO_EMBEDDED_H
#define BR_IO_EMBEDDED_H

#include <stddef.h>

typedef struct br_embedded {
    const char *name; // the file's own: "pendulum.yaml"
    const char *text; // ended by a zero that size does not count
    size_t size;
} br_embedded;

extern const br_embedded br_embedded_texts[]; // by name
extern const int br_embedded_count;

#endif
