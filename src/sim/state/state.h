// Everything that a step depends on, as one flat block of bytes: who needs a part of it asks for it by name when the simulation is
// created. Remembering a step's start, putting it back, a snapshot and a hash are each one copy of the block (or one pass over it),
// and no element, row or stepper has a save and a load of its own. Private to src/sim; the lowest of its rooms, which calls none.
//
//     parts that a step writes before it is known to stand   remembered and put back
//     BR_PART_STEADY: written only once it stands            behind them, left out of both
//     BR_PART_GROWS: kept contacts                           the last, its capacity changes
//
// The block moves when a part is asked for and when the growing part does. Pointers that owners gave with their parts then follow;
// whoever keeps another pointer into it tells by br_state_follow or br_state_on_move. Items have no padding (each owner says so with
// BR_NO_PADDING), and memory is zero before it is written: equal states have equal bytes.
#ifndef BR_SIM_STATE_STATE_H
#define BR_SIM_STATE_STATE_H

#include <assert.h>
#include <stdint.h>

#include "bristle/base.h"

#define BR_MAX_STATE_PARTS 32
#define BR_MAX_STATE_FOLLOWERS 4

#define BR_NO_PADDING(type, bytes) static_assert(sizeof(type) == (bytes), #type " has padding")

typedef enum br_part_flags {
    BR_PART_SAVED = 1,  // is in snapshots
    BR_PART_HASHED = 2, // counts in br_state_hash: two states that agree in these parts move on alike
    BR_PART_STEADY = 4,
    BR_PART_GROWS = 8, // at most one part; implies STEADY
    BR_PART_STATE = BR_PART_SAVED | BR_PART_HASHED
} br_part_flags;

typedef struct br_state_part {
    const char *name;
    size_t offset, stride; // bytes: from the start of the block; of one item
    int count, capacity;   // items in use, which hash and snapshot take; items that there is room for
    unsigned flags;
    void *now,
        *last; // where the owner keeps its pointers to the first item: of the state, of the step's start; NULL: nowhere
    int (*fits)(const void *context, const void *items,
                int count); // whether loaded items can be some; NULL: any can
} br_state_part;

typedef struct br_state {
    const br_allocator *allocator;
    char *now, *last;        // the block; what was remembered of it
    size_t size, remembered; // bytes: of the block; of its first parts, which are remembered
    int parts;
    br_state_part part[BR_MAX_STATE_PARTS];
    void *follower[BR_MAX_STATE_FOLLOWERS]; // addresses of pointers that may point into the block
    int followers;
    void (*moved)(void *context); // NULL: nobody else keeps a pointer
    void *moved_context;
} br_state;

// A new part with `count` items, zero. part: name, stride, count, flags, now, last, fits; capacity where it grows. BR_NO_MEMORY: no
// memory, and nothing changed.
br_status br_state_ask(br_state *state, const br_state_part *part);
// Room for so many items of the growing part. The same.
br_status br_state_reserve(br_state *state, int capacity);
void br_state_follow(br_state *state, void *pointer);
void br_state_on_move(br_state *state, void (*moved)(void *context), void *context);
void br_state_free(br_state *state);

br_state_part *br_state_growing(br_state *state); // NULL: there is none
size_t br_state_bytes(const br_state_part *part); // of its items in use, rounded up to whole words

void br_state_remember(br_state *state);
void br_state_put_back(br_state *state);
uint64_t br_state_hash(const br_state *state);

#endif
