// The broad phase. Few admissible pairs are listed once and their boxes compared. Many shapes go through candidates,
// pairs whose wide boxes meet (broad_pairs.c), gathered from trees of boxes (broad_tree.c). Either way the answer is
// every admissible pair whose boxes meet, sorted, so nothing after this depends on how it was found or on what was
// near before.
#include "collide/broad.h"

#include <string.h>

#include "base/error.h"

// Admissible pairs up to which they are kept as a list.
#define BR_MAX_LISTED 64
// Pairs looked at before giving up on a list.
#define BR_MAX_LIST_SEARCH 65536
#define BR_PAIRS_PER_SHAPE 8 // at first

// Nonzero: there are few admissible pairs and all are listed.
static int list_pairs(br_broad *broad) {
    long looked = 0;
    for (int a = 0; a < broad->shapes; a++) {
        for (int b = a + 1; b < broad->shapes; b++) {
            if (++looked > BR_MAX_LIST_SEARCH) return 0;
            if (!br_broad_admits(broad, a, b)) continue;
            if (broad->candidate_count == BR_MAX_LISTED) return 0;
            const br_broad_pair pair = {a, b};
            broad->candidate[broad->candidate_count++] = pair;
        }
    }
    return 1;
}

static int take_trees(br_broad *broad) {
    const int n = broad->shapes;
    broad->candidate_count = 0;
    broad->wide = BR_TAKE(&broad->arena, br_aabb, n);
    broad->state = BR_TAKE(&broad->arena, unsigned char, n);
    broad->moved = BR_TAKE(&broad->arena, int, n);
    broad->apart = BR_TAKE(&broad->arena, int, n);
    broad->start = BR_TAKE(&broad->arena, int, (size_t)n + 1);
    broad->tree.order = BR_TAKE(&broad->arena, int, n);
    broad->tree.box = BR_TAKE(&broad->arena, br_aabb, n);
    broad->tree.node = BR_TAKE(&broad->arena, br_tree_node, 2 * (size_t)n + BR_MAX_CLASSES);
    broad->tree.count = -1; // not built
    const int capacity = n > INT32_MAX / BR_PAIRS_PER_SHAPE ? INT32_MAX : n * BR_PAIRS_PER_SHAPE;
    return broad->wide && broad->state && broad->moved && broad->apart && broad->start && broad->tree.order &&
           broad->tree.box && broad->tree.node && br_broad_grow(broad, capacity);
}

br_status br_broad_create(int shapes, const unsigned char *fixed, br_broad_filter filter, const void *context,
                          const br_allocator *allocator, br_broad **out, br_error *error) {
    br_arena arena;
    br_arena_init(&arena, allocator);
    br_broad *broad = arena.allocator.allocate(arena.allocator.context, sizeof *broad);
    if (!broad) return br_no_memory(error, "no memory for pairs of %d shapes", shapes);
    memset(broad, 0, sizeof *broad);
    broad->arena = arena;
    broad->shapes = shapes;
    broad->filter = filter;
    broad->context = context;
    broad->fixed = BR_TAKE(&broad->arena, unsigned char, shapes);
    int enough = broad->fixed && br_broad_grow(broad, BR_MAX_LISTED);
    if (enough) {
        for (int s = 0; s < shapes; s++) broad->fixed[s] = fixed && fixed[s];
        broad->listed = list_pairs(broad);
        enough = broad->listed || take_trees(broad);
    }
    if (!enough) {
        br_broad_destroy(broad);
        return br_no_memory(error, "no memory for pairs of %d shapes", shapes);
    }
    *out = broad;
    return BR_OK;
}

void br_broad_destroy(br_broad *broad) {
    if (!broad) return;
    br_arena arena = broad->arena;
    const br_allocator allocator = arena.allocator;
    allocator.release(allocator.context, broad->candidate);
    allocator.release(allocator.context, broad->found);
    br_arena_free(&arena);
    allocator.release(allocator.context, broad);
}

br_status br_broad_update(br_broad *broad, const br_aabb *box, const br_broad_pair **pairs, int *count,
                          br_error *error) {
    if (!broad->listed) br_broad_candidates(broad, box);
    if (broad->failed)
        return br_no_memory(error, "no memory for more than %d pairs of near shapes", broad->capacity);
    int found = 0;
    for (int k = 0; k < broad->candidate_count; k++) {
        const br_broad_pair pair = broad->candidate[k];
        broad->found[found] = pair; // kept only if they meet: there is room for all
        found += br_boxes_meet(&box[pair.a], &box[pair.b]);
    }
    *pairs = broad->found;
    *count = found;
    return BR_OK;
}
