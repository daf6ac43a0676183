// An island as a dense row problem, see flat.h.
#include "lcp/pivot/flat.h"

#include <math.h>
#include <string.h>

#define BR_ARENA_ROUNDING 128 // bytes that a piece may take beyond its own

static void local_laws(const br_problem *problem, const br_lcp_island *s, br_law *law) {
    for (int i = 0; i < s->laws; i++) {
        law[i] = problem->law[s->global_law[i]];
        law[i].first_row = s->law[i].row;
    }
}

// A box counts too: its bounds may become infinite after setup.
static int may_be_free(const br_law *law) {
    return law->kind == BR_LAW_EQUALITY || law->kind == BR_LAW_BOX;
}

// As br_polygon_lcp_size, law by law, so that nothing has to be copied before there is memory for it.
int br_lcp_flat_size(const br_problem *problem, const br_lcp_island *s, int *free_rows) {
    long size = 0;
    *free_rows = 0;
    for (int i = 0; i < s->laws; i++) {
        br_law law = problem->law[s->global_law[i]];
        law.first_row = 0;
        int n = law.rows, free_count = may_be_free(&law) ? law.rows : 0;
        if (!br_lcp_law_is_rows(law.kind) && !br_polygon_lcp_size(&law, 1, &n, &free_count)) return 0;
        size += n;
        *free_rows += free_count;
        if (size > 1 << 20) return 1 << 20; // larger than any cap: the exact number does not matter
    }
    return (int)size;
}

// Square matrices, vectors and pieces of one row problem's solvers, generously: test flat_bytes_are_enough.
#define FLAT_SQUARES 12
#define FLAT_VECTORS 150
#define FLAT_PIECES 200

size_t br_lcp_flat_bytes(const br_lcp_island *s, int flat_rows, int free_rows) {
    const size_t m = (size_t)flat_rows + (size_t)free_rows + 1, rows = (size_t)s->rows;
    return (FLAT_SQUARES * m * m + FLAT_VECTORS * m + rows * (rows + 2)) * sizeof(double) +
           (size_t)s->laws * sizeof(br_law) + sizeof(br_lcp_flat) + FLAT_PIECES * BR_ARENA_ROUNDING;
}

br_lcp_flat *br_lcp_flat_create(br_arena *arena, const br_problem *problem, const br_lcp_island *s) {
    int free_rows;
    const int n = br_lcp_flat_size(problem, s, &free_rows);
    br_lcp_flat *f = BR_TAKE(arena, br_lcp_flat, 1);
    if (!f) return NULL;
    f->expanded = !s->all_rows;
    f->law = BR_TAKE(arena, br_law, s->laws);
    f->W = BR_TAKE(arena, double, (size_t)s->rows *(size_t)s->rows);
    f->q = BR_TAKE(arena, double, s->rows);
    f->p = BR_TAKE(arena, double, s->rows);
    f->lower = BR_TAKE(arena, double, n);
    f->upper = BR_TAKE(arena, double, n);
    f->z = BR_TAKE(arena, double, n);
    f->w = BR_TAKE(arena, double, n);
    f->solver = br_rows_solver_create(arena, n, free_rows);
    if (f->expanded) br_polygon_lcp_create(&f->polygon, arena, n);
    if (!br_arena_ok(arena)) return NULL;
    local_laws(problem, s, f->law);
    return f;
}

// Matrix form: A's own blocks, unscaled again.
static void fill_from_blocks(br_lcp_flat *f, const br_lcp_island *s) {
    const size_t n = (size_t)s->rows;
    memset(f->W, 0, n * n * sizeof *f->W);
    for (int i = 0; i < s->laws; i++) {
        const br_lcp_law *law = &s->law[i];
        for (int e = s->block_start[i]; e < s->block_start[i + 1]; e++) {
            const br_lcp_law *other = &s->law[s->block_law[e]];
            const double *A = s->block + s->block_offset[e], factor = law->scale * other->scale;
            for (int r = 0; r < law->rows; r++)
                for (int c = 0; c < other->rows; c++)
                    f->W[(size_t)(law->row + r) * n + (size_t)(other->row + c)] =
                        A[r * other->rows + c] * factor;
        }
        for (int r = law->row; r < law->row + law->rows; r++)
            f->W[(size_t)r * n + (size_t)r] += s->compliance[r] * law->scale * law->scale;
    }
}

// Velocity form: column by column, by the island's own operator on unit vectors.
static void fill_by_columns(br_lcp_flat *f, br_lcp_island *s) {
    const size_t n = (size_t)s->rows;
    memset(s->p, 0, n * sizeof *s->p);
    for (int j = 0; j < s->laws; j++)
        for (int c = s->law[j].row; c < s->law[j].row + s->law[j].rows; c++) {
            s->p[c] = 1.0;
            br_lcp_island_evaluate_linear(s);
            s->p[c] = 0.0;
            for (int i = 0; i < s->laws; i++)
                for (int r = s->law[i].row; r < s->law[i].row + s->law[i].rows; r++)
                    f->W[(size_t)r * n + (size_t)c] = s->w[r] * s->law[i].scale * s->law[j].scale;
        }
}

// W, q and the start p in the problem's units; the island's p is kept.
static void flat_fill(br_lcp_flat *f, br_lcp_island *s) {
    memcpy(f->p, s->p, (size_t)s->rows * sizeof *s->p);
    if (s->form == BR_FORM_MATRIX)
        fill_from_blocks(f, s);
    else
        fill_by_columns(f, s);
    memset(s->p, 0, (size_t)s->rows * sizeof *s->p);
    br_lcp_island_evaluate(s);
    memcpy(s->p, f->p, (size_t)s->rows * sizeof *s->p);
    for (int i = 0; i < s->laws; i++)
        for (int r = s->law[i].row; r < s->law[i].row + s->law[i].rows; r++) {
            f->q[r] = s->w[r] * s->law[i].scale;
            f->p[r] /= s->law[i].scale;
        }
}

static br_rows as_rows(br_lcp_flat *f, const br_lcp_island *s) {
    if (f->expanded) {
        br_polygon_lcp_build(&f->polygon, f->law, s->laws, f->W, f->q);
        return f->polygon.rows;
    }
    for (int i = 0; i < s->laws; i++)
        for (int r = 0; r < s->law[i].rows; r++) {
            const br_lcp_law *law = &s->law[i];
            br_lcp_law_bounds(law, &f->lower[law->row + r], &f->upper[law->row + r]);
            f->lower[law->row + r] /= law->scale;
            f->upper[law->row + r] /= law->scale;
        }
    return (br_rows){s->rows, f->W, f->q, f->lower, f->upper};
}

// A multiplier has no entry on the diagonal: lambda of a friction polygon, with E beside it and mu below [TanLiu eq. 14].
static int is_multiplier(const br_rows *rows, int i) {
    return rows->A[(size_t)i * (size_t)(rows->n + 1)] == 0.0 && rows->lower[i] == 0.0 &&
           isinf(rows->upper[i]);
}

// Their rows and columns times scale [TanLiu sec. 5]: forces stay, the multipliers are divided by it.
static void scale_multipliers(br_lcp_flat *f, const br_rows *rows, double scale, double *z) {
    double *const A = f->expanded ? f->polygon.A : f->W, *const q = f->expanded ? f->polygon.q : f->q;
    const int n = rows->n;
    for (int i = 0; i < n; i++) {
        if (!is_multiplier(rows, i)) continue;
        q[i] *= scale;
        for (int k = 0; k < n; k++) {
            A[(size_t)i * (size_t)n + (size_t)k] *= scale;
            A[(size_t)k * (size_t)n + (size_t)i] *= scale;
        }
        z[i] /= scale;
    }
}

static void unscale_multipliers(const br_rows *rows, double scale, double *z) {
    for (int i = 0; i < rows->n; i++)
        if (is_multiplier(rows, i)) z[i] *= scale;
}

void br_lcp_flat_solve(br_lcp_flat *f, br_lcp_island *s, const br_rows_options *options, double scale,
                       int warm, br_rows_report *report) {
    const int scales = scale > 0.0 && scale != 1.0;
    for (int i = 0; i < s->laws; i++) { // values may have changed since setup
        f->law[i].friction_coefficient = s->law[i].mu;
        f->law[i].lower = s->law[i].lower / s->law[i].scale;
        f->law[i].upper = s->law[i].upper / s->law[i].scale;
    }
    br_lcp_island_evaluate(s);
    double *const w_start = s->scratch;
    for (int i = 0; i < s->laws; i++)
        for (int r = 0; r < s->law[i].rows; r++)
            w_start[s->law[i].row + r] = s->w[s->law[i].row + r] * s->law[i].scale;
    flat_fill(f, s);
    const br_rows rows = as_rows(f, s);
    if (f->expanded)
        br_polygon_lcp_guess(&f->polygon, f->law, s->laws, f->p, w_start, f->z);
    else
        memcpy(f->z, f->p, (size_t)s->rows * sizeof *f->p);
    if (scales) scale_multipliers(f, &rows, scale, f->z);
    br_rows_solve(f->solver, &rows, options, warm, f->z, f->w, report);
    if (scales) unscale_multipliers(&rows, scale, f->z);
    if (f->expanded)
        br_polygon_lcp_restore(&f->polygon, f->z, s->rows, f->p);
    else
        memcpy(f->p, f->z, (size_t)s->rows * sizeof *f->p);
    for (int i = 0; i < s->laws; i++)
        for (int r = 0; r < s->law[i].rows; r++)
            s->p[s->law[i].row + r] = f->p[s->law[i].row + r] * s->law[i].scale;
    br_lcp_island_evaluate(s);
}
