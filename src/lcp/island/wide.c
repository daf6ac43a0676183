// Traces of J M^-1 J^T on nodes of many velocities, such as articulated trees: X = J L^-T for a panel of rows at a time,
// by the block kernels, and then |X_r|^2 row by row.
#include "lcp/island/island.h"

#include "linalg/block_kernels.h"

#include <string.h>

typedef struct panel {
    br_lcp_island *island;
    const br_block_kernels *kernels;
    int n, rows;                // columns, rows filled
    int law[BR_LCP_PANEL_ROWS]; // of each row
} panel;

static void flush(panel *x, double *d) {
    const br_lcp_island *s = x->island;
    double sum[BR_LCP_PANEL_ROWS] = {0.0};
    if (x->rows == 0) return;
    const int tiled = (x->rows + BR_ROWS - 1) / BR_ROWS * BR_ROWS;
    for (int c = 0; c < x->n; c++)
        for (int r = x->rows; r < tiled; r++) s->wide_panel[c * BR_LCP_PANEL_ROWS + r] = 0.0;
    x->kernels->solve(x->rows, x->n, s->wide_panel, BR_LCP_PANEL_ROWS, s->wide_packed, s->wide_inverse);
    for (int c = 0; c < x->n; c++) {
        const double *restrict column = s->wide_panel + c * BR_LCP_PANEL_ROWS;
        for (int r = 0; r < tiled; r++) sum[r] += column[r] * column[r];
    }
    for (int r = 0; r < x->rows; r++) d[x->law[r]] += sum[r] / s->law[x->law[r]].rows;
    x->rows = 0;
}

static void pack_factor(br_lcp_island *s, int node) {
    const int n = s->node_dim[node];
    const double *L = s->mass_cholesky + s->cholesky_offset[node];
    br_pack_triangle(n, L, n, 1, s->wide_packed);
    for (int k = 0; k < n; k++) s->wide_inverse[k] = L[k * n + k];
}

void br_lcp_island_wide_traces(br_lcp_island *s, const double *jacobian, double *d) {
    panel x = {.island = s, .kernels = br_block_kernels_pick()};
    for (int node = 0; node < s->nodes; node++) {
        if (!br_lcp_is_wide(s, node)) continue;
        const int n = x.n = s->node_dim[node];
        pack_factor(s, node);
        for (int i = 0; i < s->laws; i++)
            for (int e = s->entry_start[i]; e < s->entry_start[i + 1]; e++) {
                if (s->entry_node[e] != node) continue;
                const double *J = jacobian + s->entry_source[e];
                for (int r = 0; r < s->law[i].rows; r++, J += n) {
                    for (int c = 0; c < n; c++) s->wide_panel[c * BR_LCP_PANEL_ROWS + x.rows] = J[c];
                    x.law[x.rows++] = i;
                    if (x.rows == BR_LCP_PANEL_ROWS) flush(&x, d);
                }
            }
        flush(&x, d);
    }
}
