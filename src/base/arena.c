// The arena of arena.h: chunks that double, each piece aligned for vectors.
#include "base/arena.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"

// Under AddressSanitizer every piece has a poisoned gap behind it, so that running over the end of an array
// is caught although the allocator knows only the chunk.
#if defined(__SANITIZE_ADDRESS__)
#define BR_ARENA_POISONS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define BR_ARENA_POISONS 1
#endif
#endif

#ifdef BR_ARENA_POISONS
#include <sanitizer/asan_interface.h>
enum { PIECE_GAP = 64 }; // bytes
static void poison(void *memory, size_t bytes) {
    ASAN_POISON_MEMORY_REGION(memory, bytes);
}
static void unpoison(void *memory, size_t bytes) {
    ASAN_UNPOISON_MEMORY_REGION(memory, bytes);
}
#else
enum { PIECE_GAP = 0 };
static void poison(void *memory, size_t bytes) {
    (void)memory, (void)bytes;
}
static void unpoison(void *memory, size_t bytes) {
    (void)memory, (void)bytes;
}
#endif

enum {
    PIECE_ALIGN = 64,               // bytes: a cache line, and enough for any vector load
    FIRST_CHUNK = 16 * 1024,        // bytes
    FIRST_ITEMS = 16,               // of an array that grows
    LARGEST_SHARED_CHUNK = 1 << 20, // bytes: beyond it, a chunk is as large as the piece that asked for it
};

struct br_arena_chunk {
    struct br_arena_chunk *older;
    unsigned char *data; // PIECE_ALIGN-aligned, inside this same allocation
    size_t capacity;     // bytes from data on
};

static void *default_allocate(void *context, size_t bytes) {
    (void)context;
    return malloc(bytes);
}

static void default_release(void *context, void *memory) {
    (void)context;
    free(memory);
}

void br_arena_init(br_arena *arena, const br_allocator *allocator) {
    memset(arena, 0, sizeof *arena);
    if (allocator) {
        arena->allocator = *allocator;
    } else {
        arena->allocator.allocate = default_allocate;
        arena->allocator.release = default_release;
    }
}

static void release_chunks(br_arena *arena) {
    struct br_arena_chunk *chunk = arena->chunks;
    while (chunk) {
        struct br_arena_chunk *older = chunk->older;
        unpoison(chunk->data, chunk->capacity);
        arena->allocator.release(arena->allocator.context, chunk);
        chunk = older;
    }
    arena->chunks = NULL;
    arena->used = arena->capacity = 0;
}

void br_arena_free(br_arena *arena) {
    release_chunks(arena);
}

static int add_chunk(br_arena *arena, size_t capacity) {
    const size_t bytes = capacity + sizeof(struct br_arena_chunk) + PIECE_ALIGN;
    struct br_arena_chunk *chunk =
        (struct br_arena_chunk *)arena->allocator.allocate(arena->allocator.context, bytes);
    if (!chunk) return 0;
    const uintptr_t after_header = (uintptr_t)(chunk + 1);
    const size_t pad = (size_t)(-after_header & (uintptr_t)(PIECE_ALIGN - 1));
    chunk->data = (unsigned char *)(chunk + 1) + pad;
    chunk->capacity = capacity;
    chunk->older = arena->chunks;
    poison(chunk->data, capacity);
    arena->chunks = chunk;
    arena->used = 0;
    arena->capacity = capacity;
    return 1;
}

void br_arena_reset(br_arena *arena) {
    arena->failed = 0;
    if (!arena->chunks) return;
    if (arena->chunks->older) {
        size_t total = 0; // cannot wrap: the chunks exist at the same time
        for (const struct br_arena_chunk *c = arena->chunks; c; c = c->older) total += c->capacity;
        release_chunks(arena);
        add_chunk(arena, total); // on failure the arena is empty and the next take tries again
    } else {
        arena->used = 0;
        poison(arena->chunks->data, arena->capacity);
    }
}

static void *take_failed(br_arena *arena) {
    arena->failed = 1;
    return NULL;
}

void *br_arena_take(br_arena *arena, size_t count, size_t size) {
    // No object is larger than PTRDIFF_MAX, so what passes here leaves room for every header and padding.
    size_t bytes;
    if (!br_size_mul(count, size, &bytes) || bytes > PTRDIFF_MAX) return take_failed(arena);
    const size_t padded = ((bytes ? bytes : 1) + PIECE_GAP + PIECE_ALIGN - 1) & ~(size_t)(PIECE_ALIGN - 1);

    if (padded > arena->capacity - arena->used) {
        size_t capacity = arena->capacity ? 2 * arena->capacity : FIRST_CHUNK;
        if (capacity > LARGEST_SHARED_CHUNK) capacity = LARGEST_SHARED_CHUNK;
        if (capacity < padded) capacity = padded;
        if (!add_chunk(arena, capacity)) return take_failed(arena);
    }
    unsigned char *piece = arena->chunks->data + arena->used;
    arena->used += padded;
    unpoison(piece, bytes);
    memset(piece, 0, bytes);
    return piece;
}

void *br_arena_copy(br_arena *arena, const void *items, size_t count, size_t size) {
    void *copy = br_arena_take(arena, count, size);
    if (copy && count > 0) memcpy(copy, items, count * size);
    return copy;
}

int br_arena_grow(br_arena *arena, void *array, int count, int *capacity, size_t size) {
    if (count < *capacity) return 1;
    if (count > INT_MAX / 2) return take_failed(arena) != NULL;
    const int larger = count > 0 ? 2 * count : FIRST_ITEMS;
    void *items, *copy = br_arena_take(arena, (size_t)larger, size);
    if (!copy) return 0;
    memcpy(&items, array, sizeof items); // of any type: only its bytes may be looked at
    if (count > 0) memcpy(copy, items, (size_t)count * size);
    memcpy(array, &copy, sizeof copy);
    *capacity = larger;
    return 1;
}
