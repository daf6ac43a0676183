// Trees of boxes: built by halving, kept by fitting the nodes to the moved boxes, searched by walking pairs of nodes.
// The trees only decide how long the search takes; which pairs it finds does not depend on them.
#include "collide/broad.h"

// A half with less than one box in this many is no progress: then the median is taken.
#define BR_MIN_SHARE 8

// --- building ------------------------------------------------------------------------------------------------------

static br_aabb join(const br_aabb *a, const br_aabb *b) {
    const br_aabb r = {{a->low.x < b->low.x ? a->low.x : b->low.x, a->low.y < b->low.y ? a->low.y : b->low.y,
                        a->low.z < b->low.z ? a->low.z : b->low.z},
                       {a->high.x > b->high.x ? a->high.x : b->high.x,
                        a->high.y > b->high.y ? a->high.y : b->high.y,
                        a->high.z > b->high.z ? a->high.z : b->high.z}};
    return r;
}

static double middle(const br_aabb *box, int axis) { // twice it, in fact
    return axis == 0   ? box->low.x + box->high.x
           : axis == 1 ? box->low.y + box->high.y
                       : box->low.z + box->high.z;
}

static int before(const br_aabb *box, int axis, int a, int b) {
    const double x = middle(&box[a], axis), y = middle(&box[b], axis);
    return x < y || (x == y && a < b);
}

static void broad_exchange(int *order, int i, int j) {
    const int t = order[i];
    order[i] = order[j];
    order[j] = t;
}

// Puts the `nth` of order[first .. last] in its place along the axis, smaller ones before it.
static void select_nth(const br_aabb *box, int axis, int *order, int first, int last, int nth) {
    while (first < last) {
        const int pivot = order[first + (last - first) / 2];
        int i = first, j = last;
        while (i <= j) {
            while (before(box, axis, order[i], pivot)) i++;
            while (before(box, axis, pivot, order[j])) j--;
            if (i <= j) broad_exchange(order, i++, j--);
        }
        if (nth <= j)
            last = j;
        else if (nth >= i)
            first = i;
        else
            return;
    }
}

static int widest(const br_aabb *box, const int *order, int count, double *cut) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int k = 0; k < count; k++) {
        for (int axis = 0; axis < 3; axis++) {
            const double x = middle(&box[order[k]], axis);
            low[axis] = x < low[axis] ? x : low[axis];
            high[axis] = x > high[axis] ? x : high[axis];
        }
    }
    int best = 0;
    for (int axis = 1; axis < 3; axis++)
        if (high[axis] - low[axis] > high[best] - low[best]) best = axis;
    *cut = low[best] + 0.5 * (high[best] - low[best]);
    return best;
}

// Where the second half of the node's boxes begins.
static int broad_split(const br_aabb *box, int *order, int first, int count) {
    double cut;
    const int axis = widest(box, order + first, count, &cut);
    int i = first, j = first + count - 1;
    while (i <= j) {
        if (middle(&box[order[i]], axis) < cut)
            i++;
        else
            broad_exchange(order, i, j--);
    }
    const int least = count / BR_MIN_SHARE > 1 ? count / BR_MIN_SHARE : 1;
    if (i - first >= least && first + count - i >= least) return i;
    const int half = first + count / 2;
    select_nth(box, axis, order, first, first + count - 1, half);
    return half;
}

static int add_node(br_broad_tree *tree, int first, int count) {
    br_tree_node *node = &tree->node[tree->nodes];
    node->first = first;
    node->count = count;
    node->left = 0;
    return tree->nodes++;
}

// Children come after their parent, so that fitting can run backwards through the array.
static void grow(br_broad_tree *tree, const br_aabb *box, int root) {
    for (int at = root; at < tree->nodes; at++) {
        const br_tree_node node = tree->node[at];
        if (node.count <= BR_MAX_LEAF) continue;
        const int second = broad_split(box, tree->order, node.first, node.count);
        tree->node[at].left = add_node(tree, node.first, second - node.first);
        add_node(tree, second, node.first + node.count - second);
    }
}

static double extent(const br_aabb *box) {
    return fmax(box->high.x - box->low.x, fmax(box->high.y - box->low.y, box->high.z - box->low.z));
}

static int class_of(double largest, double size) {
    for (int k = 0; k < BR_MAX_CLASSES - 1; k++, largest *= 0.25)
        if (size > 0.25 * largest) return k;
    return BR_MAX_CLASSES - 1;
}

void br_broad_tree_build(br_broad *broad) {
    br_broad_tree *tree = &broad->tree;
    const br_aabb *box = broad->wide;
    int start[BR_MAX_CLASSES + 1] = {0};
    double largest = 0.0;
    for (int s = 0; s < broad->shapes; s++)
        if (broad->state[s] != BR_BROAD_UNBOUNDED) largest = fmax(largest, extent(&box[s]));
    for (int s = 0; s < broad->shapes; s++)
        if (broad->state[s] != BR_BROAD_UNBOUNDED) start[class_of(largest, extent(&box[s])) + 1]++;
    for (int k = 0; k < BR_MAX_CLASSES; k++) start[k + 1] += start[k];
    tree->count = start[BR_MAX_CLASSES];
    int place[BR_MAX_CLASSES];
    for (int k = 0; k < BR_MAX_CLASSES; k++) place[k] = start[k];
    for (int s = 0; s < broad->shapes; s++)
        if (broad->state[s] != BR_BROAD_UNBOUNDED)
            tree->order[place[class_of(largest, extent(&box[s]))]++] = s;
    tree->nodes = 0;
    tree->classes = 0;
    for (int k = 0; k < BR_MAX_CLASSES; k++) {
        if (start[k + 1] == start[k]) continue;
        const int root = add_node(tree, start[k], start[k + 1] - start[k]);
        tree->root[tree->classes++] = root;
        grow(tree, box, root);
    }
    tree->fresh_visits = -1;
    tree->moves = 0;
}

void br_tree_refit(br_broad *broad) {
    br_broad_tree *tree = &broad->tree;
    for (int place = 0; place < tree->count; place++) tree->box[place] = broad->wide[tree->order[place]];
    for (int at = tree->nodes - 1; at >= 0; at--) {
        br_tree_node *node = &tree->node[at];
        if (node->left) {
            node->box = join(&tree->node[node->left].box, &tree->node[node->left + 1].box);
            node->moves = tree->node[node->left].moves | tree->node[node->left + 1].moves;
            continue;
        }
        node->box = tree->box[node->first];
        node->moves = 0;
        for (int k = node->first; k < node->first + node->count; k++) {
            node->box = join(&node->box, &tree->box[k]);
            node->moves |= !broad->fixed[tree->order[k]];
        }
    }
}

// --- searching -----------------------------------------------------------------------------------------------------

static void leaf_with_itself(br_broad *broad, const br_tree_node *a) {
    const br_broad_tree *tree = &broad->tree;
    for (int i = a->first; i < a->first + a->count; i++)
        for (int j = i + 1; j < a->first + a->count; j++)
            if (br_boxes_meet(&tree->box[i], &tree->box[j]))
                br_broad_note(broad, tree->order[i], tree->order[j]);
}

static void leaf_with_leaf(br_broad *broad, const br_tree_node *a, const br_tree_node *b) {
    const br_broad_tree *tree = &broad->tree;
    for (int i = a->first; i < a->first + a->count; i++) {
        if (!br_boxes_meet(&tree->box[i], &b->box)) continue;
        for (int j = b->first; j < b->first + b->count; j++)
            if (br_boxes_meet(&tree->box[i], &tree->box[j]))
                br_broad_note(broad, tree->order[i], tree->order[j]);
    }
}

typedef struct waiting {
    int count;
    int pair[BR_MAX_WAITING][2];
} waiting;

static void wait_for(const br_broad_tree *tree, waiting *w, int a, int b) {
    const br_tree_node *x = &tree->node[a], *y = &tree->node[b];
    if (!(x->moves | y->moves)) return;
    if (a != b && !br_boxes_meet(&x->box, &y->box)) return;
    w->pair[w->count][0] = a;
    w->pair[w->count][1] = b;
    w->count++;
}

static void walk(br_broad *broad, int root_a, int root_b) {
    br_broad_tree *tree = &broad->tree;
    waiting w;
    w.count = 0;
    wait_for(tree, &w, root_a, root_b);
    while (w.count > 0) {
        w.count--;
        const int a = w.pair[w.count][0], b = w.pair[w.count][1];
        const br_tree_node *x = &tree->node[a], *y = &tree->node[b];
        tree->visits++;
        if (a == b) {
            if (!x->left) {
                leaf_with_itself(broad, x);
                continue;
            }
            wait_for(tree, &w, x->left, x->left);
            wait_for(tree, &w, x->left + 1, x->left + 1);
            wait_for(tree, &w, x->left, x->left + 1);
        } else if (!x->left && !y->left) {
            leaf_with_leaf(broad, x, y);
        } else if (!y->left || (x->left && x->count >= y->count)) { // the one with more in it is opened
            wait_for(tree, &w, x->left, b);
            wait_for(tree, &w, x->left + 1, b);
        } else {
            wait_for(tree, &w, a, y->left);
            wait_for(tree, &w, a, y->left + 1);
        }
    }
}

void br_tree_pairs(br_broad *broad) {
    br_broad_tree *tree = &broad->tree;
    tree->visits = 0;
    for (int i = 0; i < tree->classes; i++)
        for (int j = i; j < tree->classes; j++) walk(broad, tree->root[i], tree->root[j]);
    if (tree->fresh_visits < 0) tree->fresh_visits = tree->visits;
}

void br_tree_pairs_of(br_broad *broad, int shape) {
    const br_broad_tree *tree = &broad->tree;
    const br_aabb *box = &broad->wide[shape];
    int stack[BR_MAX_WAITING], count = 0;
    for (int k = 0; k < tree->classes; k++) stack[count++] = tree->root[k];
    while (count > 0) {
        const br_tree_node *node = &tree->node[stack[--count]];
        if (!br_boxes_meet(box, &node->box)) continue;
        if (node->left) {
            stack[count++] = node->left;
            stack[count++] = node->left + 1;
            continue;
        }
        for (int k = node->first; k < node->first + node->count; k++) {
            const int other = tree->order[k];
            if (other == shape || (broad->state[other] == BR_BROAD_MOVED && other < shape)) continue;
            if (br_boxes_meet(box, &tree->box[k])) br_broad_note(broad, shape, other);
        }
    }
}
