// Elimination orders. Approximate minimum degree through amd_2, the entry that takes its workspace from us: the
// library must not allocate behind the caller's allocator.
#include <limits.h>
#include <string.h>
#include <suitesparse/amd.h>

#include "linalg/block.h"

br_status br_order_minimum_degree(br_arena *scratch, const br_block_graph *graph, int *order) {
    const int n = graph->n, edges = graph->start[n];
    if (n <= 2) { // nothing to choose
        for (int i = 0; i < n; i++) order[i] = i;
        return BR_OK;
    }
    if (edges > INT_MAX / 2 - 2 * n) return BR_TOO_LARGE;
    const int length = edges + edges / 5 + 2 * n + 1; // elbow room as amd_order gives it
    int *Pe = BR_TAKE(scratch, int, n), *Len = BR_TAKE(scratch, int, n), *Nv = BR_TAKE(scratch, int, n);
    int *Next = BR_TAKE(scratch, int, n), *Head = BR_TAKE(scratch, int, n), *Elen = BR_TAKE(scratch, int, n);
    int *Degree = BR_TAKE(scratch, int, n), *W = BR_TAKE(scratch, int, n),
        *Iw = BR_TAKE(scratch, int, length);
    if (!br_arena_ok(scratch)) return BR_NO_MEMORY;
    for (int i = 0; i < n; i++) {
        Pe[i] = graph->start[i];
        Len[i] = graph->start[i + 1] - graph->start[i];
    }
    if (edges) memcpy(Iw, graph->neighbour, (size_t)edges * sizeof *Iw);
    double info[AMD_INFO];
    amd_2(n, Pe, Iw, Len, length, edges, Nv, Next, order, Head, Elen, Degree, W, NULL, info);
    return BR_OK;
}
