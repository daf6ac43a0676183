// An arena: memory that is taken piece by piece and given back all at once. A solver or a model owns one
// arena, takes everything at setup, and allocates nothing afterwards.
#ifndef BR_BASE_ARENA_H
#define BR_BASE_ARENA_H

#include "bristle/base.h"

typedef struct br_arena {
    br_allocator allocator;
    struct br_arena_chunk *chunks; // newest first
    size_t used, capacity;         // of the newest chunk, bytes
    int failed;                    // a piece was not to be had
} br_arena;

void br_arena_init(br_arena *arena, const br_allocator *allocator); // allocator NULL: malloc
void br_arena_free(br_arena *arena);  // gives every chunk back; safe on a zeroed arena
void br_arena_reset(br_arena *arena); // forget the contents, keep one chunk at least as large as all before

// count * size bytes, zeroed, 64-byte aligned; NULL when out of memory or when count * size overflows.
// count 0 gives a valid pointer.
void *br_arena_take(br_arena *arena, size_t count, size_t size);

// Whether every piece was to be had since the arena is there, or since it was reset. Who needs many pieces takes them all, then
// asks once, before anything is written into one of them. Not for an arena that somebody goes on with after a failure.
static inline int br_arena_ok(const br_arena *arena) {
    return !arena->failed;
}

// A copy of count items; count 0 gives a valid pointer. NULL: no memory.
void *br_arena_copy(br_arena *arena, const void *items, size_t count, size_t size);

// Room for one more item behind `count`: where there is none, the array becomes a copy of it that is twice as large; the old one
// stays in the arena, which is at most as much again. array: where the pointer to the items is. 0: no memory, and nothing changed.
int br_arena_grow(br_arena *arena, void *array, int count, int *capacity, size_t size);

#define BR_TAKE(arena, type, count) ((type *)br_arena_take((arena), (size_t)(count), sizeof(type)))
#define BR_COPY(arena, items, count) br_arena_copy((arena), (items), (size_t)(count), sizeof *(items))
#define BR_GROW(arena, items, count, capacity)                                                               \
    br_arena_grow((arena), &(items), (count), &(capacity), sizeof *(items))

#endif
