// An arena: memory that is taken piece by piece and given back all at once. A solver or a model owns one
// arena, takes everything at setup, and allocates nothing afterwards.
#ifndef BR_BASE_ARENA_H
#define BR_BASE_ARENA_H

#include "bristle/base.h"

typedef struct br_arena {
    br_allocator allocator;
    struct br_arena_chunk *chunks; // newest first
    size_t used, capacity;         // of the newest chunk, bytes
} br_arena;

void br_arena_init(br_arena *arena, const br_allocator *allocator); // allocator NULL: malloc
void br_arena_free(br_arena *arena);  // gives every chunk back; safe on a zeroed arena
void br_arena_reset(br_arena *arena); // forget the contents, keep one chunk at least as large as all before

// count * size bytes, zeroed, 64-byte aligned; NULL when out of memory or when count * size overflows.
// count 0 gives a valid pointer.
void *br_arena_take(br_arena *arena, size_t count, size_t size);

#define BR_TAKE(arena, type, count) ((type *)br_arena_take((arena), (size_t)(count), sizeof(type)))

#endif
