// Candidates of the broad phase: pairs whose wide boxes meet. A wide box has room for its shape to move in, so from one
// step to the next most candidates stay as they are; only those of shapes that left their wide boxes are looked for
// again, and when many left, all. The trees are rebuilt when the search for all takes half as long again as when they
// were new.
#include "collide/broad.h"

#include <string.h>

// Room on each side, as a share of the box's largest extent: larger is looked for less often and finds more that is not
// near.
#define BR_WIDE_SHARE 0.1
// A wide box this many times longer than it would be made now is made anew: the shape's margin shrank.
#define BR_WIDE_TOO_LONG 2.0
// More than one in this many left: all pairs are looked for anew.
#define BR_FEW_MOVED 8
// Growth of the search, in percent and pairs of nodes, that makes building anew worth its time.
#define BR_REBUILD_PERCENT 150
#define BR_REBUILD_SLACK 64
// Moves since the trees were built, per shape, after which single searches would find them worn.
#define BR_REBUILD_MOVES 2

int br_broad_grow(br_broad *broad, int capacity) {
    const br_allocator *allocator = &broad->arena.allocator;
    const size_t bytes = (size_t)capacity * sizeof(br_broad_pair);
    br_broad_pair *candidate = allocator->allocate(allocator->context, bytes);
    br_broad_pair *found = allocator->allocate(allocator->context, bytes);
    if (!candidate || !found) {
        allocator->release(allocator->context, candidate);
        allocator->release(allocator->context, found);
        return 0;
    }
    if (broad->candidate_count > 0)
        memcpy(candidate, broad->candidate, (size_t)broad->candidate_count * sizeof *candidate);
    allocator->release(allocator->context, broad->candidate);
    allocator->release(allocator->context, broad->found);
    broad->candidate = candidate;
    broad->found = found;
    broad->capacity = capacity;
    return 1;
}

void br_broad_note(br_broad *broad, int a, int b) {
    const br_broad_pair pair = {a < b ? a : b, a < b ? b : a};
    if (!br_broad_admits(broad, pair.a, pair.b)) return;
    if (broad->candidate_count == broad->capacity) {
        const int room = broad->capacity <= INT32_MAX / 2;
        if (broad->failed || !room || !br_broad_grow(broad, 2 * broad->capacity)) {
            broad->failed = 1;
            return;
        }
    }
    broad->candidate[broad->candidate_count++] = pair;
}

// --- which shapes moved --------------------------------------------------------------------------------------------

static double extent(const br_aabb *box) {
    return fmax(box->high.x - box->low.x, fmax(box->high.y - box->low.y, box->high.z - box->low.z));
}

static int bounded(const br_aabb *box) { // x * 0 is NaN for what is not finite
    const double sum = (box->low.x * 0.0 + box->low.y * 0.0 + box->low.z * 0.0) +
                       (box->high.x * 0.0 + box->high.y * 0.0 + box->high.z * 0.0);
    return sum == 0.0;
}

static int inside(const br_aabb *box, const br_aabb *wide) {
    return (box->low.x >= wide->low.x) & (box->low.y >= wide->low.y) & (box->low.z >= wide->low.z) &
           (box->high.x <= wide->high.x) & (box->high.y <= wide->high.y) & (box->high.z <= wide->high.z);
}

static int fits(const br_aabb *box, const br_aabb *wide) {
    const double most = BR_WIDE_TOO_LONG * (1.0 + 2.0 * BR_WIDE_SHARE);
    return inside(box, wide) && extent(wide) <= most * extent(box);
}

static void widen(br_broad *broad, const br_aabb *box, int s) {
    const double room = BR_WIDE_SHARE * extent(&box[s]);
    const br_vec3 by = br_vec3_of(room, room, room);
    broad->wide[s].low = br_vec3_sub(box[s].low, by);
    broad->wide[s].high = br_vec3_add(box[s].high, by);
}

// Nonzero: other shapes than before have no bounds.
static int find_moved(br_broad *broad, const br_aabb *box) {
    int changed = 0;
    broad->moved_count = 0;
    broad->apart_count = 0;
    for (int s = 0; s < broad->shapes; s++) {
        const int was_unbounded = broad->state[s] == BR_BROAD_UNBOUNDED;
        if (!bounded(&box[s])) {
            broad->state[s] = BR_BROAD_UNBOUNDED;
            broad->apart[broad->apart_count++] = s;
            changed |= !was_unbounded;
        } else if (was_unbounded || !fits(&box[s], &broad->wide[s])) {
            broad->state[s] = BR_BROAD_MOVED;
            broad->moved[broad->moved_count++] = s;
            changed |= was_unbounded;
        } else {
            broad->state[s] = BR_BROAD_BOUNDED;
        }
    }
    return changed;
}

// --- candidates ----------------------------------------------------------------------------------------------------

static int key_of(const br_broad_pair *pair, int by_b) {
    return by_b ? pair->b : pair->a;
}

// Counts the pairs into place by one of their shapes; those of one shape keep their order.
static void sort_by(br_broad *broad, const br_broad_pair *from, br_broad_pair *to, int by_b) {
    int *start = broad->start;
    memset(start, 0, ((size_t)broad->shapes + 1) * sizeof *start);
    for (int k = 0; k < broad->candidate_count; k++) start[key_of(&from[k], by_b) + 1]++;
    for (int s = 0; s < broad->shapes; s++) start[s + 1] += start[s];
    for (int k = 0; k < broad->candidate_count; k++) to[start[key_of(&from[k], by_b)]++] = from[k];
}

// What has no bounds is a candidate with everything.
static void gather_all(br_broad *broad, const br_aabb *box, int changed) {
    br_broad_tree *tree = &broad->tree;
    for (int s = 0; s < broad->shapes; s++)
        if (broad->state[s] != BR_BROAD_UNBOUNDED) widen(broad, box, s);
    const long worn = tree->fresh_visits / 100 * BR_REBUILD_PERCENT + BR_REBUILD_SLACK;
    if (tree->count < 0 || changed || tree->visits > worn) br_broad_tree_build(broad);
    br_tree_refit(broad);
    broad->candidate_count = 0;
    br_tree_pairs(broad);
    for (int k = 0; k < broad->apart_count; k++) {
        const int a = broad->apart[k];
        for (int b = 0; b < broad->shapes; b++)
            if (b != a && !(broad->state[b] == BR_BROAD_UNBOUNDED && b < a)) br_broad_note(broad, a, b);
    }
}

// Candidates with the unbounded stay: they do not depend on boxes.
static void gather_moved(br_broad *broad, const br_aabb *box) {
    int kept = 0;
    for (int k = 0; k < broad->candidate_count; k++) {
        const br_broad_pair pair = broad->candidate[k];
        const int a = broad->state[pair.a], b = broad->state[pair.b];
        const int apart = a == BR_BROAD_UNBOUNDED || b == BR_BROAD_UNBOUNDED;
        if (apart || (a != BR_BROAD_MOVED && b != BR_BROAD_MOVED)) broad->candidate[kept++] = pair;
    }
    broad->candidate_count = kept;
    for (int k = 0; k < broad->moved_count; k++) widen(broad, box, broad->moved[k]);
    broad->tree.moves += broad->moved_count;
    if (broad->tree.moves > (long)BR_REBUILD_MOVES * broad->shapes) br_broad_tree_build(broad);
    br_tree_refit(broad);
    for (int k = 0; k < broad->moved_count; k++) br_tree_pairs_of(broad, broad->moved[k]);
}

void br_broad_candidates(br_broad *broad, const br_aabb *box) {
    const int changed = find_moved(broad, box) || broad->tree.count < 0 || broad->failed;
    if (!changed && broad->moved_count == 0) return;
    broad->failed = 0;
    if (changed || broad->moved_count > broad->shapes / BR_FEW_MOVED)
        gather_all(broad, box, changed);
    else
        gather_moved(broad, box);
    if (broad->failed) return; // all anew next time
    sort_by(broad, broad->candidate, broad->found, 1);
    sort_by(broad, broad->found, broad->candidate, 0);
}
