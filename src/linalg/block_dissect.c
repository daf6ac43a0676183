// Nested dissection: halve the graph by a small vertex separator, order the halves first and the separator last,
// and so on down to pieces that minimum degree orders well by itself. Worth it on large sphere piles, where minimum
// degree loses sight of the whole.
//
// A separator starts from the nodes that are nearer to one end of the graph than to the other (breadth-first from
// two far ends) and is improved by moving nodes out of it, Fiduccia-Mattheyses fashion: the best move is made even
// when it loses, and the best state met is kept. No random numbers: the same graph gives the same order.
#include <string.h>

#include "linalg/block.h"

enum {
    SIDE_A = 0,
    SIDE_B = 1,
    SEPARATOR = 2,
    LEAF_NODES = 60, // a piece this small is left to minimum degree
    MAX_PASSES = 6,  // of refinement, per separator
    MAX_LOSING = 60, // moves without a new best before a pass ends
    STARTS = 4,      // pairs of ends tried per separator
};
static const double MAX_SIDE = 0.62; // of the piece's weight

typedef struct dissection {
    const br_block_graph *graph;
    int *order;            // the piece being split is a range of it
    int *piece;            // which piece a node is in
    int *side;             // of each node of the current piece
    int *best;             // best side so far, by node
    int *near_a, *near_b;  // distances
    int *queue;            // 2 n: also the separator's members, which may hold a node twice
    int *moved, *previous; // 3 n: a node is pulled in, moved out and pulled in again at most
    int *local;            // number of a node inside its leaf
    char *locked;
    br_arena *scratch;
} dissection;

// Breadth-first distances inside the piece; returns the last node reached and counts the nodes.
static int measure_distance(const dissection *d, int from, int *distance, int *reached) {
    int head = 0, tail = 0;
    d->queue[tail++] = from;
    distance[from] = 0;
    while (head < tail) {
        const int i = d->queue[head++];
        for (int e = d->graph->start[i]; e < d->graph->start[i + 1]; e++) {
            const int j = d->graph->neighbour[e];
            if (d->piece[j] != d->piece[from] || distance[j] >= 0) continue;
            distance[j] = distance[i] + 1;
            d->queue[tail++] = j;
        }
    }
    *reached = tail;
    return d->queue[tail - 1];
}

static void forget_distance(const int *nodes, int n, int *distance) {
    for (int k = 0; k < n; k++) distance[nodes[k]] = -1;
}

// Nodes nearer to a than to b, up to half the weight, become side A; those of them that touch B the separator.
static void split_by_distance(const dissection *d, const int *nodes, int n, double total, double weight[3]) {
    int least = 0, most = 0;
    for (int k = 0; k < n; k++) {
        const int key = d->near_a[nodes[k]] - d->near_b[nodes[k]];
        if (key < least) least = key;
        if (key > most) most = key;
    }
    double taken = 0;
    for (int k = 0; k < n; k++) d->side[nodes[k]] = SIDE_B;
    for (int key = least; key <= most && taken < 0.5 * total; key++) {
        for (int k = 0; k < n && taken < 0.5 * total; k++) {
            const int i = nodes[k];
            if (d->near_a[i] - d->near_b[i] != key) continue;
            d->side[i] = SIDE_A;
            taken += d->graph->dims[i];
        }
    }
    weight[0] = weight[1] = weight[2] = 0;
    for (int k = 0; k < n; k++) {
        const int i = nodes[k];
        for (int e = d->graph->start[i]; e < d->graph->start[i + 1] && d->side[i] == SIDE_A; e++) {
            const int j = d->graph->neighbour[e];
            if (d->piece[j] == d->piece[i] && d->side[j] == SIDE_B) d->side[i] = SEPARATOR;
        }
        weight[d->side[i]] += d->graph->dims[i];
    }
}

// What the separator gains (loses, if negative) when i moves to `side`.
static int gain(const dissection *d, int i, int side) {
    int sum = d->graph->dims[i];
    for (int e = d->graph->start[i]; e < d->graph->start[i + 1]; e++) {
        const int j = d->graph->neighbour[e];
        if (d->piece[j] == d->piece[i] && d->side[j] == 1 - side) sum -= d->graph->dims[j];
    }
    return sum;
}

// Smaller separator first, then better balance.
static double cost(const double weight[3]) {
    const double larger = weight[0] > weight[1] ? weight[0] : weight[1];
    return weight[2] + 0.02 * larger;
}

// One pass from the current sides. Returns 1 when it left something better in side and weight.
static int refine_once(const dissection *d, const int *nodes, int n, double total, double weight[3]) {
    int *members = d->queue, n_members = 0, n_logged = 0, n_best = 0, losing = 0;
    double best_cost = cost(weight), best_weight[3];
    memcpy(best_weight, weight, sizeof best_weight);
    for (int k = 0; k < n; k++) {
        d->locked[nodes[k]] = 0;
        if (d->side[nodes[k]] == SEPARATOR) members[n_members++] = nodes[k];
    }
    while (losing < MAX_LOSING) {
        int pick = -1, to = 0, pick_gain = 0;
        for (int m = 0; m < n_members; m++) {
            const int i = members[m];
            if (d->locked[i]) continue;
            for (int s = 0; s < 2; s++) {
                const int g = gain(d, i, s);
                const double after = weight[s] + d->graph->dims[i];
                if (after > MAX_SIDE * total && weight[s] >= weight[1 - s]) continue;
                const int lighter = g == pick_gain && weight[s] < weight[to];
                if (pick < 0 || g > pick_gain || lighter) pick = m, to = s, pick_gain = g;
            }
        }
        if (pick < 0) break;
        const int i = members[pick];
        members[pick] = members[--n_members];
        d->locked[i] = 1;
        d->moved[n_logged] = i, d->previous[n_logged++] = SEPARATOR;
        d->side[i] = to;
        weight[SEPARATOR] -= d->graph->dims[i], weight[to] += d->graph->dims[i];
        for (int e = d->graph->start[i]; e < d->graph->start[i + 1]; e++) {
            const int j = d->graph->neighbour[e];
            if (d->piece[j] != d->piece[i] || d->side[j] != 1 - to) continue;
            d->moved[n_logged] = j, d->previous[n_logged++] = 1 - to;
            d->side[j] = SEPARATOR;
            weight[1 - to] -= d->graph->dims[j], weight[SEPARATOR] += d->graph->dims[j];
            members[n_members++] = j;
        }
        losing++;
        if (cost(weight) < best_cost) {
            best_cost = cost(weight);
            memcpy(best_weight, weight, sizeof best_weight);
            n_best = n_logged;
            losing = 0;
        }
    }
    while (n_logged > n_best) {
        n_logged--;
        d->side[d->moved[n_logged]] = d->previous[n_logged];
    }
    memcpy(weight, best_weight, sizeof best_weight);
    return n_best > 0;
}

// Every node beside every other: whatever is taken out, the rest is one piece.
static int is_complete_piece(const dissection *d, const int *nodes, int n) {
    for (int k = 0; k < n; k++) {
        const int i = nodes[k];
        int degree = 0;
        for (int e = d->graph->start[i]; e < d->graph->start[i + 1]; e++)
            degree += d->piece[d->graph->neighbour[e]] == d->piece[i];
        if (degree < n - 1) return 0;
    }
    return 1;
}

// Sides of the piece's nodes; returns 0 when no useful separator was found.
static int find_separator(const dissection *d, const int *nodes, int n) {
    double total = 0, best_cost = -1;
    if (is_complete_piece(d, nodes, n)) return 0;
    for (int k = 0; k < n; k++) total += d->graph->dims[nodes[k]];
    for (int start = 0; start < STARTS; start++) {
        int reached;
        forget_distance(nodes, n, d->near_a);
        const int a = measure_distance(d, nodes[(size_t)start * (size_t)n / STARTS], d->near_a, &reached);
        forget_distance(nodes, n, d->near_a);
        const int b = measure_distance(d, a, d->near_a, &reached);
        forget_distance(nodes, n, d->near_b);
        measure_distance(d, b, d->near_b, &reached);
        double weight[3];
        split_by_distance(d, nodes, n, total, weight);
        for (int pass = 0; pass < MAX_PASSES && refine_once(d, nodes, n, total, weight); pass++) {}
        if (weight[0] == 0 || weight[1] == 0) continue;
        if (best_cost < 0 || cost(weight) < best_cost) {
            best_cost = cost(weight);
            for (int k = 0; k < n; k++) d->best[nodes[k]] = d->side[nodes[k]];
        }
    }
    return best_cost >= 0;
}

// Minimum degree inside one piece. The nodes around it, which are eliminated later, take part in the degrees and
// are dropped from the order: without them minimum degree would eliminate the piece's border too early.
static br_status order_leaf(const dissection *d, int *nodes, int n) {
    const br_block_graph *graph = d->graph;
    int edges = 0, size = n;
    for (int k = 0; k < n; k++) {
        d->moved[k] = nodes[k];
        d->local[nodes[k]] = k;
    }
    for (int k = 0; k < n; k++) {
        for (int e = graph->start[nodes[k]]; e < graph->start[nodes[k] + 1]; e++) {
            const int j = graph->neighbour[e];
            edges++;
            if (d->piece[j] == d->piece[nodes[k]]) continue;
            edges++;
            if (d->local[j] >= n && d->local[j] < size && d->moved[d->local[j]] == j) continue;
            d->local[j] = size;
            d->moved[size++] = j;
        }
    }
    int *start = BR_TAKE(d->scratch, int, size + 1),
        *neighbour = BR_TAKE(d->scratch, int, edges + (size - n) * (size - n));
    int *order = BR_TAKE(d->scratch, int, size);
    if (!br_arena_ok(d->scratch)) return BR_NO_MEMORY;
    int kept = 0;
    const int piece = d->piece[nodes[0]];
    for (int k = 0; k < size; k++) {
        const int i = d->moved[k];
        start[k] = kept;
        for (int e = graph->start[i]; e < graph->start[i + 1]; e++) {
            const int j = graph->neighbour[e];
            if (k < n || d->piece[j] == piece) neighbour[kept++] = d->local[j];
        }
        for (int j = n; k >= n && j < size; j++) // coupled with each other, they come last
            if (j != k) neighbour[kept++] = j;
    }
    start[size] = kept;
    const br_block_graph leaf = {size, start, neighbour, NULL, 0};
    const br_status status = br_order_minimum_degree(d->scratch, &leaf, order);
    if (status) return status;
    for (int k = 0, count = 0; k < size; k++)
        if (order[k] < n) nodes[count++] = d->moved[order[k]];
    return BR_OK;
}

// Sorts the piece's nodes as A, B, separator, keeping their order; returns the sizes of A and B.
static void partition(const dissection *d, int *nodes, int n, int size[2]) {
    int count = 0;
    memcpy(d->moved, nodes, (size_t)n * sizeof *nodes);
    for (int side = SIDE_A; side <= SEPARATOR; side++) {
        for (int k = 0; k < n; k++)
            if (d->best[d->moved[k]] == side) nodes[count++] = d->moved[k];
        if (side < SEPARATOR) size[side] = count;
    }
    size[SIDE_B] -= size[SIDE_A];
}

static br_status dissect(const dissection *d) {
    const int n = d->graph->n;
    int *stack =
        BR_TAKE(d->scratch, int, 2 * (size_t)n + 4); // pending ranges; disjoint, so at most n of them
    if (!stack) return BR_NO_MEMORY;
    int depth = 0, pieces = 1;
    stack[depth++] = 0, stack[depth++] = n;
    while (depth > 0) {
        const int end = stack[--depth], begin = stack[--depth];
        int *nodes = d->order + begin, size[2];
        if (end - begin <= LEAF_NODES || !find_separator(d, nodes, end - begin)) {
            const br_status status = order_leaf(d, nodes, end - begin);
            if (status) return status;
            continue;
        }
        partition(d, nodes, end - begin, size);
        int at = begin;
        for (int side = 0; side < 2; side++, at += size[0]) {
            for (int k = 0; k < size[side]; k++) d->piece[d->order[at + k]] = pieces;
            pieces++;
            stack[depth++] = at, stack[depth++] = at + size[side];
        }
        for (int k = begin + size[0] + size[1]; k < end; k++) d->piece[d->order[k]] = -1;
    }
    return BR_OK;
}

br_status br_order_dissection(br_arena *scratch, const br_block_graph *graph, int *order) {
    const size_t n = (size_t)graph->n;
    dissection d = {.graph = graph, .order = order, .scratch = scratch};
    d.piece = BR_TAKE(scratch, int, n);
    d.side = BR_TAKE(scratch, int, n);
    d.best = BR_TAKE(scratch, int, n);
    d.near_a = BR_TAKE(scratch, int, n);
    d.near_b = BR_TAKE(scratch, int, n);
    d.local = BR_TAKE(scratch, int, n);
    d.queue = BR_TAKE(scratch, int, 2 * n);
    d.moved = BR_TAKE(scratch, int, 3 * n);
    d.previous = BR_TAKE(scratch, int, 3 * n);
    d.locked = BR_TAKE(scratch, char, n);
    if (!br_arena_ok(scratch)) return BR_NO_MEMORY;
    for (int i = 0; i < graph->n; i++) order[i] = i;
    return dissect(&d);
}
