// br_block_analyze: graph, supernodes (block_tree.c), pattern, layout. The final numbering is a postorder of the
// merged tree, and the pattern is found once, on that numbering.
#include <limits.h>

#include "base/checked.h"
#include "base/error.h"
#include "linalg/block.h"

static br_status check_input(int n, const int *dims, int n_pairs, const int (*pairs)[2], br_error *error) {
    if (n < 0 || n_pairs < 0)
        return br_fail(error, BR_INVALID, "block-size", "%d nodes and %d pairs, expected >= 0", n, n_pairs);
    if (n_pairs > INT_MAX / 4 || n > INT_MAX / 4)
        return br_fail(error, BR_TOO_LARGE, "block-size", "%d nodes and %d pairs are too many", n, n_pairs);
    int total = 0;
    for (int i = 0; i < n; i++) {
        if (dims[i] < 1)
            return br_fail(error, BR_INVALID, "block-dim", "node %d has %d rows, expected >= 1", i, dims[i]);
        if (dims[i] > INT_MAX / 2 - total)
            return br_fail(error, BR_TOO_LARGE, "block-size", "more than %d scalar rows", INT_MAX / 2);
        total += dims[i];
    }
    for (int p = 0; p < n_pairs; p++) {
        const int i = pairs[p][0], j = pairs[p][1];
        if (i < 0 || i >= n || j < 0 || j >= n || i == j)
            return br_fail(error, BR_INVALID, "block-pair",
                           "pair %d is (%d, %d), expected two different nodes below %d", p, i, j, n);
    }
    return BR_OK;
}

// Both directions of every pair, each neighbour once.
static br_status build_graph(br_arena *scratch, int n, const int *dims, int n_pairs, const int (*pairs)[2],
                             br_block_graph *out) {
    int *start = BR_TAKE(scratch, int, n + 1), *fill = BR_TAKE(scratch, int, n + 1);
    int *neighbour = BR_TAKE(scratch, int, 2 * (size_t)n_pairs), *seen = BR_TAKE(scratch, int, n + 1);
    if (!br_arena_ok(scratch)) return BR_NO_MEMORY;
    for (int p = 0; p < n_pairs; p++) fill[pairs[p][0]]++, fill[pairs[p][1]]++;
    for (int i = 0, sum = 0; i < n; i++) {
        const int count = fill[i];
        fill[i] = start[i] = sum;
        sum += count;
    }
    for (int p = 0; p < n_pairs; p++) {
        const int i = pairs[p][0], j = pairs[p][1];
        neighbour[fill[i]++] = j;
        neighbour[fill[j]++] = i;
    }
    int kept = 0;
    for (int i = 0; i < n; i++) { // fill[i] is now the end of i's list; seen holds i + 1
        const int begin = start[i];
        start[i] = kept;
        for (int e = begin; e < fill[i]; e++) {
            const int j = neighbour[e];
            if (seen[j] == i + 1) continue;
            seen[j] = i + 1;
            neighbour[kept++] = j;
        }
    }
    start[n] = kept;
    *out = (br_block_graph){n, start, neighbour, dims, 0};
    return BR_OK;
}

// Final positions: supernodes in postorder, the nodes of one in their old order.
static br_status place_nodes(br_arena *arena, br_arena *scratch, const br_block_tree *t, const int *number,
                             br_block_ldu *f) {
    const int n = f->n;
    f->position = BR_TAKE(arena, int, n);
    f->node = BR_TAKE(arena, int, n);
    f->offset = BR_TAKE(arena, int, n + 1);
    f->super_of = BR_TAKE(arena, int, n);
    f->super = BR_TAKE(arena, br_supernode, f->n_super);
    int *fill = BR_TAKE(scratch, int, f->n_super + 1);
    if (!br_arena_ok(arena) || !br_arena_ok(scratch)) return BR_NO_MEMORY;
    for (int k = 0; k < n; k++) fill[number[t->top[k]] + 1]++;
    for (int s = 0; s < f->n_super; s++) {
        fill[s + 1] += fill[s];
        f->super[s].first = fill[s];
        f->super[s].end = fill[s + 1];
    }
    for (int k = 0; k < n; k++) {
        const int s = number[t->top[k]], position = fill[s]++;
        f->position[t->order[k]] = position;
        f->node[position] = t->order[k];
        f->super_of[position] = s;
        f->super[s].width += t->dims[k];
        f->offset[position + 1] = t->dims[k];
    }
    for (int k = 0; k < n; k++) f->offset[k + 1] += f->offset[k];
    for (int s = 0; s < f->n_super; s++) f->super[s].scalar = f->offset[f->super[s].first];
    return BR_OK;
}

// Rows under each supernode: row i belongs to every supernode on the tree path from a neighbour before it. Rows are
// visited in ascending order, which leaves every list sorted. First call counts (rows NULL), second fills.
static br_status walk_rows(const br_block_graph *graph, br_block_ldu *f, const int *super_parent, int *mark,
                           int *rows) {
    int total = 0;
    for (int s = 0; s < f->n_super; s++) mark[s] = -1;
    for (int i = 0; i < f->n; i++) {
        const int node = f->node[i];
        mark[f->super_of[i]] = i;
        for (int e = graph->start[node]; e < graph->start[node + 1]; e++) {
            const int j = f->position[graph->neighbour[e]];
            if (j > i) continue;
            for (int s = f->super_of[j]; mark[s] != i; s = super_parent[s]) {
                mark[s] = i;
                br_supernode *super = &f->super[s];
                if (rows) {
                    rows[super->row_end] = i;
                    f->row_offset[super->row_end] = super->below;
                } else if (total == INT_MAX - 1) {
                    return BR_TOO_LARGE;
                } else {
                    total++;
                }
                super->row_end++;
                super->below += f->offset[i + 1] - f->offset[i];
            }
        }
    }
    return BR_OK;
}

static br_status find_rows(br_arena *arena, br_arena *scratch, const br_block_graph *graph,
                           const int *super_parent, br_block_ldu *f) {
    int *mark = BR_TAKE(scratch, int, f->n_super);
    if (!mark) return BR_NO_MEMORY;
    const br_status status = walk_rows(graph, f, super_parent, mark, NULL);
    if (status) return status;
    int total = 0;
    for (int s = 0; s < f->n_super; s++) {
        const int count = f->super[s].row_end;
        f->super[s].row_begin = f->super[s].row_end = total;
        f->super[s].below = 0;
        total += count;
    }
    f->rows = BR_TAKE(arena, int, total);
    f->row_offset = BR_TAKE(arena, int, total);
    if (!br_arena_ok(arena)) return BR_NO_MEMORY;
    return walk_rows(graph, f, super_parent, mark, f->rows);
}

// Groups each supernode's rows by the supernode that owns them, and lists the groups per owner.
static br_status find_updates(br_arena *arena, br_block_ldu *f) {
    for (int pass = 0; pass < 2; pass++) {
        for (int s = 0; s < f->n_super; s++) {
            for (int r = f->super[s].row_begin, end = r; r < f->super[s].row_end; r = end) {
                br_supernode *owner = &f->super[f->super_of[f->rows[r]]];
                while (end < f->super[s].row_end && f->rows[end] < owner->end) end++;
                if (pass) f->updates[owner->update_end] = (br_block_update){s, r, end};
                owner->update_end++;
            }
        }
        if (pass) break;
        int total = 0;
        for (int s = 0; s < f->n_super; s++) {
            const int count = f->super[s].update_end;
            f->super[s].update_begin = f->super[s].update_end = total;
            total += count;
        }
        f->updates = BR_TAKE(arena, br_block_update, total);
        if (!f->updates) return BR_NO_MEMORY;
    }
    return BR_OK;
}

// A column stride of an odd number of cache lines keeps a tile's columns in different cache sets.
static int panel_stride(int rows) {
    const int lines = (rows + BR_ROWS - 1) / BR_ROWS;
    return (lines > 1 ? lines | 1 : lines) * BR_ROWS;
}

static int add_panel(size_t *total, int stride, int width) {
    size_t size;
    return br_size_mul((size_t)stride, (size_t)width, &size) && br_size_add(*total, size, total);
}

// too_many: more than most_bytes, and nothing was taken.
static br_status lay_out(br_arena *arena, size_t most_bytes, br_block_ldu *f, int *too_many) {
    size_t total = 0;
    for (int s = 0; s < f->n_super; s++) {
        br_supernode *super = &f->super[s];
        super->pivot_stride = panel_stride(super->width);
        super->panel_stride = panel_stride(super->below);
        if (!add_panel(&total, super->pivot_stride, super->width) ||
            !add_panel(&total, super->panel_stride, super->width) ||
            !add_panel(&total, super->panel_stride, super->width))
            return BR_TOO_LARGE;
    }
    f->value_count = total;
    if (!br_size_add(total, BR_ROWS, &total)) return BR_TOO_LARGE; // tiles read past the last row
    *too_many = total > most_bytes / sizeof *f->values;
    if (*too_many) return BR_OK;
    f->values = BR_TAKE(arena, double, total);
    if (!f->values) return BR_NO_MEMORY;
    double *next = f->values;
    for (int s = 0; s < f->n_super; s++) {
        br_supernode *super = &f->super[s];
        const size_t panel = (size_t)super->panel_stride * (size_t)super->width;
        super->pivot = next;
        super->lower = super->pivot + (size_t)super->pivot_stride * (size_t)super->width;
        super->mirror = super->lower + panel;
        next = super->mirror + panel;
    }
    return BR_OK;
}

// Counts and the scratch that factor and solve need.
static br_status take_scratch(br_arena *arena, br_block_ldu *f) {
    int max_width = 0, max_below = 0, max_rows = 0;
    for (int s = 0; s < f->n_super; s++) {
        const br_supernode *super = &f->super[s];
        const double w = super->width, m = super->below;
        f->flops += 2.0 / 3.0 * w * w * w + 2.0 * w * w * m + 2.0 * w * m * m;
        f->nonzeros += (size_t)super->width * ((size_t)super->width + 2 * (size_t)super->below);
        const int rows = super->row_end - super->row_begin;
        if (super->width > max_width) max_width = super->width;
        if (super->below > max_below) max_below = super->below;
        if (rows > max_rows) max_rows = rows;
    }
    const int size = f->scalar_size;
    size_t product;
    const size_t tile_rows = (size_t)panel_stride(max_below > max_width ? max_below : max_width);
    if (!br_size_mul(tile_rows, (size_t)max_width + BR_STRIP, &product)) return BR_TOO_LARGE;
    f->exchange = BR_TAKE(arena, int, size);
    f->inverse = BR_TAKE(arena, double, size);
    f->limit = BR_TAKE(arena, double, size);
    f->weight = BR_TAKE(arena, double, size);
    f->x = BR_TAKE(arena, double, size);
    f->gather = BR_TAKE(arena, double, max_below + BR_ROWS);
    f->product = BR_TAKE(arena, double, product);
    f->packed = BR_TAKE(arena, double, br_packed_size(max_width + BR_STRIP, max_width + BR_STRIP));
    f->place = BR_TAKE(arena, int, f->n);
    f->row_runs = BR_TAKE(arena, br_block_run, max_rows + 1);
    f->column_runs = BR_TAKE(arena, br_block_run, max_rows + 1);
    f->kernels = br_block_kernels_pick();
    return br_arena_ok(arena) ? BR_OK : BR_NO_MEMORY;
}

static br_status analyze(br_arena *arena, br_arena *scratch, int n, const int *dims, int n_pairs,
                         const int (*pairs)[2], int n_last, size_t most_bytes, br_block_ldu **out) {
    br_block_graph graph;
    br_block_tree t;
    br_status status;
    br_block_ldu *f = BR_TAKE(arena, br_block_ldu, 1);
    int *caller_offset = BR_TAKE(arena, int, n);
    int *number = BR_TAKE(scratch, int, n), *super_parent = BR_TAKE(scratch, int, n);
    if (!br_arena_ok(arena) || !br_arena_ok(scratch)) return BR_NO_MEMORY;
    f->n = n;
    f->caller_offset = caller_offset;
    for (int i = 0; i < n; i++) {
        caller_offset[i] = f->scalar_size;
        f->scalar_size += dims[i];
    }
    if ((status = build_graph(scratch, n, dims, n_pairs, pairs, &graph))) return status;
    graph.last = n_last;
    if ((status = br_tree_build(scratch, &graph, &t))) return status;
    if ((status = br_tree_merge(scratch, &t))) return status;
    if ((status = br_tree_number(scratch, &t, number, super_parent, &f->n_super))) return status;
    if ((status = place_nodes(arena, scratch, &t, number, f))) return status;
    if ((status = find_rows(arena, scratch, &graph, super_parent, f))) return status;
    if ((status = find_updates(arena, f))) return status;
    int too_many = 0;
    if ((status = lay_out(arena, most_bytes, f, &too_many))) return status;
    if (!too_many && (status = take_scratch(arena, f))) return status;
    *out = too_many ? NULL : f;
    return BR_OK;
}

static br_status check_and_analyze(br_arena *arena, br_arena *scratch, int n, const int *dims, int n_pairs,
                                   const int (*pairs)[2], int n_last, size_t most_bytes, br_block_ldu **out,
                                   br_error *error) {
    br_status status = check_input(n, dims, n_pairs, pairs, error);
    if (status) return status;
    br_arena_reset(scratch);
    status = analyze(arena, scratch, n, dims, n_pairs, pairs, n_last, most_bytes, out);
    if (status == BR_NO_MEMORY)
        return br_fail(error, status, "out-of-memory", "out of memory while analyzing %d nodes, %d pairs", n,
                       n_pairs);
    if (status == BR_TOO_LARGE)
        return br_fail(error, status, "block-size", "the factor of %d nodes, %d pairs is too large", n,
                       n_pairs);
    return status;
}

br_status br_block_analyze_last(br_arena *arena, int n, const int *dims, int n_pairs, const int (*pairs)[2],
                                int n_last, br_block_ldu **out, br_error *error) {
    br_arena scratch;
    br_arena_init(&scratch, &arena->allocator);
    const br_status status =
        check_and_analyze(arena, &scratch, n, dims, n_pairs, pairs, n_last, SIZE_MAX, out, error);
    br_arena_free(&scratch);
    return status;
}

br_status br_block_analyze(br_arena *arena, int n, const int *dims, int n_pairs, const int (*pairs)[2],
                           br_block_ldu **out, br_error *error) {
    return br_block_analyze_last(arena, n, dims, n_pairs, pairs, 0, out, error);
}

br_status br_block_analyze_with(br_arena *arena, br_arena *scratch, int n, const int *dims, int n_pairs,
                                const int (*pairs)[2], br_block_ldu **out, br_error *error) {
    return check_and_analyze(arena, scratch, n, dims, n_pairs, pairs, 0, SIZE_MAX, out, error);
}

br_status br_block_analyze_within(br_arena *arena, br_arena *scratch, int n, const int *dims, int n_pairs,
                                  const int (*pairs)[2], size_t most_bytes, br_block_ldu **out,
                                  br_error *error) {
    return check_and_analyze(arena, scratch, n, dims, n_pairs, pairs, 0, most_bytes, out, error);
}
