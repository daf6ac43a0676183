// Numeric factorization, left-looking: a supernode first collects the updates of all earlier ones, then its pivot
// block is factored and the panels under it are solved. Each supernode is written while it is in the cache, and a
// pivot block holds the assembled values until its turn comes, which is what the singularity test refers to.
#include "linalg/block_ldu.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define BEYOND_FLOPS 1e300 // of a factor that is too large to be there

#include "linalg/block.h"

enum {
    LONG_RUN = 18,   // scalar rows from which a run is worth kernels of its own
    CHUNK_ROWS = 96, // short runs that share one product
};

int br_block_scalar_size(const br_block_ldu *f) {
    return f->scalar_size;
}

long br_block_factor_nonzeros(const br_block_ldu *f) {
    return (long)f->nonzeros;
}

double br_block_factor_flops(const br_block_ldu *f) {
    return f ? f->flops : BEYOND_FLOPS;
}

// First scalar row of position i in the panels of supernode s; -1 when it is not there.
static int find_row(const br_block_ldu *f, const br_supernode *s, int i) {
    int low = s->row_begin, high = s->row_end;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (f->rows[middle] < i)
            low = middle + 1;
        else
            high = middle;
    }
    return low < s->row_end && f->rows[low] == i ? f->row_offset[low] : -1;
}

br_block_ref br_block_at(br_block_ldu *f, br_block_symmetry symmetry, int i, int j) {
    assert(i >= 0 && i < f->n && j >= 0 && j < f->n);
    const br_block_ref none = {NULL, 0, 0, 0};
    const int row = f->position[i], column = f->position[j];
    if (symmetry == BR_BLOCK_SYMMETRIC && row < column) return none;
    const int early = row < column ? row : column, late = row < column ? column : row;
    const br_supernode *s = &f->super[f->super_of[early]];
    if (late < s->end) {
        const size_t r = (size_t)(f->offset[row] - s->scalar), c = (size_t)(f->offset[column] - s->scalar);
        return (br_block_ref){s->pivot + c * (size_t)s->pivot_stride + r, 1, s->pivot_stride, 1};
    }
    const int r = find_row(f, s, late);
    assert(r >= 0 && "the couple is not in the pattern");
    if (r < 0) return none;
    const size_t place = (size_t)(f->offset[early] - s->scalar) * (size_t)s->panel_stride + (size_t)r;
    if (row > column) return (br_block_ref){s->lower + place, 1, s->panel_stride, 1};
    return (br_block_ref){s->mirror + place, s->panel_stride, 1, 1};
}

void br_block_clear(br_block_ldu *f) {
    memset(f->values, 0, f->value_count * sizeof(double));
}

static double largest_entry(int dim, const double *block, int stride, int lower_only) {
    double largest = 0;
    for (int c = 0; c < dim; c++, block += stride) {
        for (int r = lower_only ? c : 0; r < dim; r++) {
            const double size = fabs(block[r]);
            largest = size > largest ? size : largest;
        }
    }
    return largest;
}

// limit of every scalar column of s: tiny times the largest assembled entry of its node's diagonal block. Nodes of
// one supernode may differ in scale by many orders (masses); a weight of 1 / sqrt(that entry) makes the search for
// pivots blind to such a scaling S A S, as elimination without exchanges is.
static void set_limits(br_block_ldu *f, const br_supernode *s, br_block_symmetry symmetry, double tiny) {
    for (int i = s->first; i < s->end; i++) {
        const int dim = f->offset[i + 1] - f->offset[i], at = f->offset[i] - s->scalar;
        const double largest = largest_entry(dim, s->pivot + (size_t)at * (size_t)s->pivot_stride + at,
                                             s->pivot_stride, symmetry == BR_BLOCK_SYMMETRIC);
        const double weight = s->end > s->first + 1 && largest > 0 ? 1.0 / sqrt(largest) : 1.0;
        for (int c = f->offset[i]; c < f->offset[i + 1]; c++) {
            f->limit[c] = tiny * largest;
            f->weight[c] = weight;
        }
    }
}

// Rows begin .. end - 1 of d as runs that are consecutive in the target panel; place gives their target rows.
static int find_runs(const br_block_ldu *f, const br_supernode *d, int begin, int end, const int *place,
                     int origin, br_block_run *runs) {
    int count = 0;
    const int base = begin < d->row_end ? f->row_offset[begin] : d->below;
    for (int r = begin; r < end; r++) {
        const int position = f->rows[r], length = f->offset[position + 1] - f->offset[position];
        const int to = place[position] - origin;
        if (count && runs[count - 1].to + runs[count - 1].length == to)
            runs[count - 1].length += length;
        else
            runs[count++] = (br_block_run){f->row_offset[r] - base, to, length};
    }
    return count;
}

// X[row runs, column runs] -= product, whose first row is source row `origin`
static void scatter(int n_rows, const br_block_run *rows, int origin, int n_columns,
                    const br_block_run *columns, const double *product, int product_stride, double *X,
                    int stride) {
    for (int q = 0; q < n_columns; q++) {
        for (int c = 0; c < columns[q].length; c++) {
            const double *from = product + (size_t)(columns[q].from + c) * (size_t)product_stride;
            double *to = X + (size_t)(columns[q].to + c) * (size_t)stride;
            for (int p = 0; p < n_rows; p++)
                br_subtract(rows[p].length, from + (rows[p].from - origin), to + rows[p].to);
        }
    }
}

// X[row runs, column runs] -= A B^T, B packed. Long runs go straight into X; short ones are gathered, up to
// CHUNK_ROWS of them, in a product that stays in the cache.
static void update_panel(br_block_ldu *f, int n, int k, const double *A, int lda, int n_rows,
                         const br_block_run *rows, int n_columns, const br_block_run *columns, double *X,
                         int stride) {
    for (int first = 0, end = 0; first < n_rows; first = end) {
        int m = rows[end++].length;
        const int from = rows[first].from;
        if (n_columns == 1 && (m >= LONG_RUN || first + 1 == n_rows)) {
            f->kernels->subtract_product(m, n, k, A + from, lda, f->packed,
                                         X + (size_t)columns[0].to * (size_t)stride + rows[first].to, stride);
            continue;
        }
        while (end < n_rows && m + rows[end].length <= CHUNK_ROWS &&
               (n_columns > 1 || rows[end].length < LONG_RUN))
            m += rows[end++].length;
        const int product_stride = (m + BR_ROWS - 1) / BR_ROWS * BR_ROWS;
        f->kernels->product(m, n, k, A + from, lda, f->packed, f->product, product_stride);
        scatter(end - first, rows + first, from, n_columns, columns, f->product, product_stride, X, stride);
    }
}

// The lower half of the pivot block, strip by strip, for columns that are consecutive in the target.
static void update_lower_half(br_block_ldu *f, int n, int k, const double *A, int lda,
                              const br_block_run *run, const br_supernode *t) {
    const double *strip = f->packed;
    for (int j = 0; j < n; j += BR_STRIP, strip += (size_t)BR_STRIP * (size_t)k) {
        const size_t at = (size_t)(run->to + j);
        f->kernels->subtract_product(n - j, n - j < BR_STRIP ? n - j : BR_STRIP, k, A + j, lda, strip,
                                     t->pivot + at * (size_t)t->pivot_stride + at, t->pivot_stride);
    }
}

// Subtracts what the earlier supernode d contributes to t.
static void apply_update(br_block_ldu *f, const br_supernode *t, const br_block_update *update,
                         br_block_symmetry symmetry) {
    const br_supernode *d = &f->super[update->source];
    const int first = f->row_offset[update->row_begin];
    const int past = update->row_end < d->row_end ? f->row_offset[update->row_end] : d->below;
    const int n = past - first, m = d->below - past, k = d->width, lda = d->panel_stride;
    const int n_columns =
        find_runs(f, d, update->row_begin, update->row_end, f->offset, t->scalar, f->column_runs);
    const int n_rows = find_runs(f, d, update->row_end, d->row_end, f->place, 0, f->row_runs);

    br_pack(n, k, d->mirror + first, 1, lda, f->packed);
    if (symmetry == BR_BLOCK_SYMMETRIC && n_columns == 1)
        update_lower_half(f, n, k, d->lower + first, lda, &f->column_runs[0], t);
    else
        update_panel(f, n, k, d->lower + first, lda, n_columns, f->column_runs, n_columns, f->column_runs,
                     t->pivot, t->pivot_stride);
    update_panel(f, n, k, d->lower + past, lda, n_rows, f->row_runs, n_columns, f->column_runs, t->lower,
                 t->panel_stride);
    if (symmetry == BR_BLOCK_SYMMETRIC || m == 0) return;
    br_pack(n, k, d->lower + first, 1, lda, f->packed);
    update_panel(f, n, k, d->mirror + past, lda, n_rows, f->row_runs, n_columns, f->column_runs, t->mirror,
                 t->panel_stride);
}

// Row exchanges of the pivot block reach the mirror as column exchanges: U_si = L^-1 P A_si.
static void exchange_columns(const br_supernode *s, const int *exchange) {
    for (int c = 0; c < s->width; c++) {
        if (exchange[c] == c) continue;
        double *x = s->mirror + (size_t)c * (size_t)s->panel_stride;
        double *y = s->mirror + (size_t)exchange[c] * (size_t)s->panel_stride;
        for (int r = 0; r < s->below; r++) {
            const double swapped = x[r];
            x[r] = y[r];
            y[r] = swapped;
        }
    }
}

static int factor_general(br_block_ldu *f, const br_supernode *s) {
    int *exchange = f->exchange + s->scalar;
    double *inverse = f->inverse + s->scalar;
    const int bad = br_pivot_lu(f->kernels, s->width, s->pivot, s->pivot_stride, f->limit + s->scalar,
                                f->weight + s->scalar, exchange, inverse, f->packed);
    if (bad || s->below == 0) return bad;
    br_pack_triangle(s->width, s->pivot, s->pivot_stride, 1, f->packed); // U^T
    f->kernels->solve(s->below, s->width, s->lower, s->panel_stride, f->packed, inverse);
    exchange_columns(s, exchange);
    br_pack_triangle(s->width, s->pivot, 1, s->pivot_stride, f->packed); // L
    f->kernels->solve(s->below, s->width, s->mirror, s->panel_stride, f->packed, NULL);
    return 0;
}

static int factor_symmetric(br_block_ldu *f, const br_supernode *s) {
    double *inverse = f->inverse + s->scalar;
    const int bad = br_pivot_ldl(f->kernels, s->width, s->pivot, s->pivot_stride, f->limit + s->scalar,
                                 inverse, f->packed);
    if (bad || s->below == 0) return bad;
    br_pack_triangle(s->width, s->pivot, 1, s->pivot_stride, f->packed);               // L
    f->kernels->solve(s->below, s->width, s->lower, s->panel_stride, f->packed, NULL); // now L_is D_s
    for (int c = 0; c < s->width; c++) {
        double *lower = s->lower + (size_t)c * (size_t)s->panel_stride;
        double *mirror = s->mirror + (size_t)c * (size_t)s->panel_stride;
        for (int r = 0; r < s->panel_stride; r++) {
            mirror[r] = lower[r];
            lower[r] *= inverse[c];
        }
    }
    return 0;
}

static int node_of_scalar(const br_block_ldu *f, const br_supernode *s, int column) {
    int i = s->first;
    while (f->offset[i + 1] - s->scalar <= column) i++;
    return f->node[i];
}

br_status br_block_factor(br_block_ldu *f, br_block_symmetry symmetry, double tiny, int *bad_node) {
    f->symmetry = symmetry;
    for (int q = 0; q < f->n_super; q++) {
        const br_supernode *s = &f->super[q];
        set_limits(f, s, symmetry, tiny);
        for (int r = s->row_begin; r < s->row_end; r++) f->place[f->rows[r]] = f->row_offset[r];
        for (int u = s->update_begin; u < s->update_end; u++) apply_update(f, s, &f->updates[u], symmetry);
        const int bad = symmetry == BR_BLOCK_SYMMETRIC ? factor_symmetric(f, s) : factor_general(f, s);
        if (bad) {
            if (bad_node) *bad_node = node_of_scalar(f, s, bad - 1);
            return BR_NUMERICAL;
        }
    }
    return BR_OK;
}

int br_block_negative_pivots(const br_block_ldu *f) {
    int count = 0;
    for (int i = 0; i < f->offset[f->n]; i++) count += f->inverse[i] < 0.0;
    return count;
}

double br_block_least_pivot(const br_block_ldu *f) {
    double most = 0.0;
    for (int i = 0; i < f->offset[f->n]; i++) most = fmax(most, fabs(f->inverse[i]));
    return most > 0.0 ? 1.0 / most : INFINITY;
}

int br_block_determinant_sign(const br_block_ldu *f) {
    int odd = 0; // negative pivots and exchanges; of both, columns count from their supernode's first
    for (int q = 0; q < f->n_super; q++)
        for (int c = 0; c < f->super[q].width; c++) {
            const int at = f->super[q].scalar + c;
            odd ^= (f->inverse[at] < 0.0) ^ (f->exchange[at] != c);
        }
    return odd ? -1 : 1;
}

// x_i -= L_is x_s for the rows under s
static void solve_down(br_block_ldu *f, const br_supernode *s, double *x) {
    double *sum = f->gather;
    memset(sum, 0, (size_t)(s->below + BR_ROWS) * sizeof *sum);
    f->kernels->subtract_matvec(s->below, s->width, s->lower, s->panel_stride, x + s->scalar, sum);
    for (int r = s->row_begin; r < s->row_end; r++) {
        const int i = f->rows[r];
        for (int k = f->offset[i], g = f->row_offset[r]; k < f->offset[i + 1]; k++, g++) x[k] += sum[g];
    }
}

// x_s -= U_si x_i for the rows under s
static void solve_up(br_block_ldu *f, const br_supernode *s, double *x) {
    double *y = f->gather;
    memset(y + s->below, 0, BR_ROWS * sizeof *y); // rows are done in fours
    for (int r = s->row_begin; r < s->row_end; r++) {
        const int i = f->rows[r];
        for (int k = f->offset[i], g = f->row_offset[r]; k < f->offset[i + 1]; k++, g++) y[g] = x[k];
    }
    f->kernels->subtract_matvec_transposed(s->below, s->width, s->mirror, s->panel_stride, y, x + s->scalar);
}

void br_block_solve(br_block_ldu *f, double *x) {
    const int symmetric = f->symmetry == BR_BLOCK_SYMMETRIC;
    double *y = f->x;
    for (int i = 0; i < f->n; i++) {
        const double *from = x + f->caller_offset[f->node[i]];
        for (int k = f->offset[i]; k < f->offset[i + 1]; k++) y[k] = *from++;
    }
    for (int q = 0; q < f->n_super; q++) {
        const br_supernode *s = &f->super[q];
        if (symmetric)
            br_pivot_ldl_lower(s->width, s->pivot, s->pivot_stride, y + s->scalar);
        else
            br_pivot_lu_lower(s->width, s->pivot, s->pivot_stride, f->exchange + s->scalar, y + s->scalar);
        if (s->below) solve_down(f, s, y);
    }
    for (int q = f->n_super - 1; q >= 0; q--) {
        const br_supernode *s = &f->super[q];
        const double *inverse = f->inverse + s->scalar;
        if (s->below) solve_up(f, s, y);
        if (symmetric)
            br_pivot_ldl_upper(s->width, s->pivot, s->pivot_stride, inverse, y + s->scalar);
        else
            br_pivot_lu_upper(s->width, s->pivot, s->pivot_stride, inverse, y + s->scalar);
    }
    for (int i = 0; i < f->n; i++) {
        double *to = x + f->caller_offset[f->node[i]];
        for (int k = f->offset[i]; k < f->offset[i + 1]; k++) *to++ = y[k];
    }
}
