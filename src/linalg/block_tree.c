// Elimination order, elimination tree and supernodes.
//
// Supernodes are decided on the elimination tree with column counts alone: the pattern of a child below its parent
// is a subset of the parent's, so merging a child's columns into its parent's costs w_child (w_parent +
// below_parent - below_child) explicit zeros, wherever the child stands among its siblings.
#include "linalg/block.h"

// Explicit zeros that a merge may bring, as a fraction of the merged panel's entries: a narrow panel is worth many
// zeros because its kernels run at a fraction of their speed.
static const struct {
    int width;
    double zeros;
} merge_rule[] = {{12, 0.40}, {24, 0.20}, {BR_BLOCK_MAX_WIDTH, 0.08}};

// About 20 ms of factorization. Dissection saves a third of the work on 3D lattices of 1,000 nodes and more, and
// nothing on 2D ones; it takes about as long as one factorization.
static const double DISSECTION_FLOPS = 3e8;

static br_status take_tree(br_arena *scratch, int n, br_block_tree *t) {
    t->n = n;
    t->order = BR_TAKE(scratch, int, n);
    t->place = BR_TAKE(scratch, int, n);
    t->dims = BR_TAKE(scratch, int, n);
    t->parent = BR_TAKE(scratch, int, n);
    t->below = BR_TAKE(scratch, int, n);
    t->top = BR_TAKE(scratch, int, n);
    return br_arena_ok(scratch) ? BR_OK : BR_NO_MEMORY;
}

// Elimination tree (Liu, with path compression) and column counts (one walk per row and entry).
static br_status build_tree(br_arena *scratch, const br_block_graph *graph, br_block_tree *t) {
    const int n = t->n;
    int *ancestor = BR_TAKE(scratch, int, n), *mark = BR_TAKE(scratch, int, n);
    if (!br_arena_ok(scratch)) return BR_NO_MEMORY;
    for (int k = 0; k < n; k++) {
        t->place[t->order[k]] = k;
        t->dims[k] = graph->dims[t->order[k]];
        t->parent[k] = ancestor[k] = mark[k] = -1;
    }
    for (int k = 0; k < n; k++) {
        const int node = t->order[k];
        for (int e = graph->start[node]; e < graph->start[node + 1]; e++) {
            for (int j = t->place[graph->neighbour[e]]; j >= 0 && j < k;) {
                const int next = ancestor[j];
                ancestor[j] = k;
                if (next < 0) t->parent[j] = k;
                j = next;
            }
        }
    }
    for (int k = 0; k < n; k++) {
        const int node = t->order[k];
        mark[k] = k;
        for (int e = graph->start[node]; e < graph->start[node + 1]; e++) {
            for (int j = t->place[graph->neighbour[e]]; j < k && mark[j] != k; j = t->parent[j]) {
                mark[j] = k;
                t->below[j] += t->dims[k];
            }
        }
    }
    return BR_OK;
}

static double tree_flops(const br_block_tree *t) {
    double sum = 0;
    for (int k = 0; k < t->n; k++) {
        const double w = t->dims[k], m = t->below[k];
        sum += 2.0 / 3.0 * w * w * w + 2.0 * w * w * m + 2.0 * w * m * m;
    }
    return sum;
}

// Nodes that must come last go to the end of the order, all in the order they have.
static br_status keep_last(br_arena *scratch, const br_block_graph *graph, int *order) {
    if (graph->last == 0) return BR_OK;
    const int first = graph->n - graph->last;
    int *late = BR_TAKE(scratch, int, graph->last), early = 0, count = 0;
    if (!late) return BR_NO_MEMORY;
    for (int k = 0; k < graph->n; k++) {
        if (order[k] >= first)
            late[count++] = order[k];
        else
            order[early++] = order[k];
    }
    for (int k = 0; k < count; k++) order[early + k] = late[k];
    return BR_OK;
}

// Minimum degree, or the better of it and nested dissection where a factorization costs more than the search.
br_status br_tree_build(br_arena *scratch, const br_block_graph *graph, br_block_tree *t) {
    br_status status;
    if ((status = take_tree(scratch, graph->n, t))) return status;
    if ((status = br_order_minimum_degree(scratch, graph, t->order))) return status;
    if ((status = keep_last(scratch, graph, t->order))) return status;
    if ((status = build_tree(scratch, graph, t))) return status;
    if (tree_flops(t) < DISSECTION_FLOPS) return BR_OK;
    br_block_tree other;
    if ((status = take_tree(scratch, graph->n, &other))) return status;
    if ((status = br_order_dissection(scratch, graph, other.order))) return status;
    if ((status = keep_last(scratch, graph, other.order))) return status;
    if ((status = build_tree(scratch, graph, &other))) return status;
    if (tree_flops(&other) < tree_flops(t)) *t = other;
    return BR_OK;
}

static int worth_merging(int width, int below, double zeros) {
    const double entries = 0.5 * width * (width + 1.0) + (double)width * below;
    if (zeros == 0.0) return width <= BR_BLOCK_MAX_WIDTH;
    for (size_t r = 0; r < sizeof merge_rule / sizeof *merge_rule; r++)
        if (width <= merge_rule[r].width) return zeros <= merge_rule[r].zeros * entries;
    return 0;
}

// Children are offered to their parent from the last to the first, parents in ascending order.
br_status br_tree_merge(br_arena *scratch, br_block_tree *t) {
    const int n = t->n;
    int *width = BR_TAKE(scratch, int, n), *child = BR_TAKE(scratch, int, n),
        *sibling = BR_TAKE(scratch, int, n);
    double *zeros = BR_TAKE(scratch, double, n);
    if (!br_arena_ok(scratch)) return BR_NO_MEMORY;
    for (int k = 0; k < n; k++) child[k] = sibling[k] = -1;
    for (int k = 0; k < n; k++) {
        t->top[k] = k;
        width[k] = t->dims[k];
        for (int c = child[k]; c >= 0; c = sibling[c]) {
            const double more = (double)width[c] * (width[k] + t->below[k] - t->below[c]);
            const double sum = zeros[k] + zeros[c] + more;
            if (width[c] > BR_BLOCK_MAX_WIDTH || !worth_merging(width[k] + width[c], t->below[k], sum))
                continue;
            t->top[c] = k;
            width[k] += width[c];
            zeros[k] = sum;
        }
        if (t->parent[k] >= 0) {
            sibling[k] = child[t->parent[k]];
            child[t->parent[k]] = k;
        }
    }
    for (int k = n - 1; k >= 0; k--) t->top[k] = t->top[t->top[k]]; // the upper one is final already
    return BR_OK;
}

br_status br_tree_number(br_arena *scratch, const br_block_tree *t, int *number, int *super_parent,
                         int *n_super) {
    const int n = t->n;
    int *child = BR_TAKE(scratch, int, n + 1), *sibling = BR_TAKE(scratch, int, n + 1);
    int *stack = BR_TAKE(scratch, int, n + 1);
    if (!br_arena_ok(scratch)) return BR_NO_MEMORY;
    for (int k = 0; k <= n; k++) child[k] = sibling[k] = -1;
    for (int k = n - 1; k >= 0; k--) { // the list of n is that of the roots
        if (t->top[k] != k) continue;
        const int up = t->parent[k] < 0 ? n : t->top[t->parent[k]];
        sibling[k] = child[up];
        child[up] = k;
    }
    int depth = 0, count = 0;
    for (int k = child[n]; k >= 0 || depth > 0;) {
        if (k >= 0) { // down to the first leaf
            stack[depth++] = k;
            k = child[k];
        } else {
            const int done = stack[--depth];
            number[done] = count++;
            k = sibling[done];
        }
    }
    for (int k = 0; k < n; k++)
        if (t->top[k] == k) super_parent[number[k]] = t->parent[k] < 0 ? -1 : number[t->top[t->parent[k]]];
    *n_super = count;
    return BR_OK;
}
