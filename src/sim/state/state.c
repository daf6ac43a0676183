// The block of a state, see state.h.
#include "sim/state/state.h"

#include <string.h>

#include "base/hash.h"

enum { WORD = 8, LEAST = 64 };

static size_t whole_words(size_t bytes) {
    return (bytes + WORD - 1) / WORD * WORD;
}

// Remembered parts, steady ones, the one that grows.
static int place_of(const br_state_part *part) {
    return part->flags & BR_PART_GROWS ? 2 : part->flags & BR_PART_STEADY ? 1 : 0;
}

static void set_offsets(br_state *state) {
    size_t at = 0;
    for (int place = 0; place < 3; place++) {
        for (int k = 0; k < state->parts; k++) {
            br_state_part *part = &state->part[k];
            if (place_of(part) != place) continue;
            part->offset = at;
            at += whole_words((size_t)part->capacity * part->stride);
        }
        if (place == 0) state->remembered = at;
    }
    state->size = at;
}

// Pointers of all types have one representation here, so that an owner's may be set by its bytes.
static void point(void *owner, char *at) {
    if (owner) memcpy(owner, &at, sizeof at);
}

// Those that point into the old block point to the same item of the same part.
static void move_followers(br_state *state, const br_state *old) {
    for (int f = 0; f < state->followers; f++) {
        char *at;
        memcpy(&at, state->follower[f], sizeof at);
        for (int k = 0; at && k < old->parts; k++) {
            const br_state_part *part = &old->part[k];
            const char *first = old->now + part->offset;
            if (at < first || at >= first + (size_t)part->capacity * part->stride) continue;
            point(state->follower[f], state->now + state->part[k].offset + (at - first));
            break;
        }
    }
}

// The block for the parts as `next` has them; state is the old one and becomes it.
static br_status lay_out(br_state *state, br_state *next) {
    set_offsets(next);
    const br_allocator *a = next->allocator;
    next->now = a->allocate(a->context, next->size + LEAST);
    next->last = a->allocate(a->context, next->remembered + LEAST);
    if (!next->now || !next->last) {
        if (next->now) a->release(a->context, next->now);
        if (next->last) a->release(a->context, next->last);
        return BR_NO_MEMORY;
    }
    memset(next->now, 0, next->size + LEAST);
    memset(next->last, 0, next->remembered + LEAST);
    for (int k = 0; k < state->parts; k++) {
        const br_state_part *from = &state->part[k];
        const size_t bytes = (size_t)from->count * from->stride;
        memcpy(next->now + next->part[k].offset, state->now + from->offset, bytes);
        if (place_of(from) == 0) memcpy(next->last + next->part[k].offset, state->last + from->offset, bytes);
    }
    move_followers(next, state);
    for (int k = 0; k < next->parts; k++) {
        const br_state_part *part = &next->part[k];
        point(part->now, next->now + part->offset);
        if (place_of(part) == 0) point(part->last, next->last + part->offset);
    }
    br_state_free(state);
    *state = *next;
    if (state->moved) state->moved(state->moved_context);
    return BR_OK;
}

br_status br_state_ask(br_state *state, const br_state_part *part) {
    br_state next = *state;
    assert(state->parts < BR_MAX_STATE_PARTS);
    next.part[next.parts] = *part;
    if (!(part->flags & BR_PART_GROWS)) next.part[next.parts].capacity = part->count;
    next.parts++;
    return lay_out(state, &next);
}

br_state_part *br_state_growing(br_state *state) {
    for (int k = 0; k < state->parts; k++)
        if (state->part[k].flags & BR_PART_GROWS) return &state->part[k];
    return NULL;
}

br_status br_state_reserve(br_state *state, int capacity) {
    br_state next = *state;
    br_state_part *part = br_state_growing(&next);
    assert(part);
    if (capacity <= part->capacity) return BR_OK;
    part->capacity = capacity;
    return lay_out(state, &next);
}

void br_state_follow(br_state *state, void *pointer) {
    assert(state->followers < BR_MAX_STATE_FOLLOWERS);
    state->follower[state->followers++] = pointer;
}

void br_state_on_move(br_state *state, void (*moved)(void *context), void *context) {
    state->moved = moved, state->moved_context = context;
}

void br_state_free(br_state *state) {
    const br_allocator *a = state->allocator;
    if (state->now) a->release(a->context, state->now);
    if (state->last) a->release(a->context, state->last);
    state->now = state->last = NULL;
}

size_t br_state_bytes(const br_state_part *part) {
    return whole_words((size_t)part->count * part->stride);
}

void br_state_remember(br_state *state) {
    memcpy(state->last, state->now, state->remembered);
}

void br_state_put_back(br_state *state) {
    memcpy(state->now, state->last, state->remembered);
}

uint64_t br_state_hash(const br_state *state) {
    uint64_t hash = BR_HASH_START;
    for (int k = 0; k < state->parts; k++) {
        const br_state_part *part = &state->part[k];
        if (!(part->flags & BR_PART_HASHED)) continue;
        hash = br_hash_bytes(hash, part->name, strlen(part->name));
        hash = br_hash_bytes(hash, state->now + part->offset, (size_t)part->count * part->stride);
    }
    return hash;
}
