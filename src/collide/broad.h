// Private to the broad phase: trees of boxes and the list of candidates they fill.
#ifndef BR_COLLIDE_BROAD_H
#define BR_COLLIDE_BROAD_H

#include "collide/collide.h"

// Boxes of one node.
#define BR_MAX_LEAF 4
// Classes of size, each four times smaller than the one before. A class has a tree of its own, since one large box
// among many small ones would make every node above it large.
#define BR_MAX_CLASSES 16
// Pairs of nodes waiting to be visited. A split leaves an eighth of the boxes on either side, so no tree of 2^31 is
// deeper than 161; walking down two trees at once leaves at most 4 pairs waiting per level.
#define BR_MAX_WAITING 1024

typedef struct br_tree_node {
    br_aabb box;
    int first, count; // boxes in it, places in `order`
    int left;         // its children are left and left + 1; 0: a leaf
    int moves;        // 0: all of its boxes are fixed
} br_tree_node;

typedef struct br_broad_tree {
    int count, nodes, classes;
    int *order;         // [shapes] place -> shape
    br_aabb *box;       // [shapes] by place
    br_tree_node *node; // [2 shapes + classes]
    int root[BR_MAX_CLASSES];
    long moves;                // of single shapes since it was built
    long visits, fresh_visits; // pairs of nodes looked at for all pairs: the last time, just after building
} br_broad_tree;

struct br_broad {
    int shapes;
    unsigned char *fixed; // [shapes]
    br_broad_filter filter;
    const void *context;
    br_arena arena; // all but the growing lists

    // Candidates: admissible pairs whose wide boxes meet, sorted. In list mode every admissible pair is one.
    int listed;
    br_broad_pair *candidate; // [capacity], from the allocator
    br_broad_pair *found;     // [capacity], from the allocator: the answer, and room for sorting
    int candidate_count, capacity;
    int failed; // memory ran out while candidates were gathered

    br_aabb *wide;        // [shapes] boxes with room to move in
    unsigned char *state; // [shapes] of br_broad_state
    int *moved, moved_count;
    int *apart, apart_count; // the unbounded ones
    int *start;              // [shapes + 1] for sorting
    br_broad_tree tree;      // of the wide boxes
};

enum br_broad_state {
    BR_BROAD_BOUNDED = 0,
    BR_BROAD_MOVED, // out of its wide box
    BR_BROAD_UNBOUNDED,
};

static inline int br_boxes_meet(const br_aabb *a, const br_aabb *b) {
    return (a->low.x <= b->high.x) & (b->low.x <= a->high.x) & (a->low.y <= b->high.y) &
           (b->low.y <= a->high.y) & (a->low.z <= b->high.z) & (b->low.z <= a->high.z);
}

static inline int br_broad_admits(const br_broad *broad, int a, int b) { // a < b
    return !(broad->fixed[a] & broad->fixed[b]) && (!broad->filter || broad->filter(broad->context, a, b));
}

int br_broad_grow(br_broad *broad, int capacity); // 0: no memory
// Notes a pair whose wide boxes meet, if the two may collide.
void br_broad_note(br_broad *broad, int a, int b);
// Brings the candidates up to date with boxes that moved.
void br_broad_candidates(br_broad *broad, const br_aabb *box);

void br_broad_tree_build(br_broad *broad); // of the wide boxes of the bounded shapes
void br_tree_refit(br_broad *broad);
void br_tree_pairs(br_broad *broad);               // notes all pairs
void br_tree_pairs_of(br_broad *broad, int shape); // notes those of one that moved; of two that moved, once

#endif
