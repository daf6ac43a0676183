// Rank and null space by singular values, see rank.h.
#include "linalg/rank.h"

#include <lapacke.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"

// LAPACKE's row-major entry points allocate behind our back, so LAPACK sees A^T instead: row-major A is column-major
// A^T = V S U^T, whose left singular vectors are the columns of V, that is the rows of V^T in row-major order.
static br_status decompose(br_arena *scratch, int rows, int cols, const double *A, double *singular,
                           double *V, int *failed) {
    const lapack_int m = cols, n = rows;
    const size_t size = (size_t)rows * (size_t)cols; // checked by the caller
    const int least = rows < cols ? rows : cols;
    double *copy = BR_TAKE(scratch, double, size), *s = BR_TAKE(scratch, double, least);
    double *left = V ? BR_TAKE(scratch, double, (size_t)cols *(size_t)cols) : s;
    double *right = V ? BR_TAKE(scratch, double, (size_t)rows *(size_t)rows) : s;
    lapack_int *iwork = BR_TAKE(scratch, lapack_int, 8 * (size_t)least);
    if (!copy || !s || !left || !right || !iwork) return BR_NO_MEMORY;
    memcpy(copy, A, size * sizeof *copy);

    double length;
    const char job = V ? 'A' : 'N';
    *failed = LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, job, m, n, copy, m, s, left, m, right, n, &length, -1,
                                  iwork) != 0;
    if (*failed || length >= INT_MAX) return *failed ? BR_OK : BR_TOO_LARGE;
    double *work = BR_TAKE(scratch, double, (size_t)length);
    if (!work) return BR_NO_MEMORY;
    *failed = LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, job, m, n, copy, m, s, left, m, right, n, work,
                                  (lapack_int)length, iwork) != 0;
    if (*failed) return BR_OK;
    memcpy(singular, s, (size_t)least * sizeof *s);
    if (V) memcpy(V, left, (size_t)cols * (size_t)cols * sizeof *V);
    return BR_OK;
}

// The rows of V^T beyond the rank come first in the answer; the others follow.
static void rotate_rows(int n, int by, double *V, double *line) {
    for (int k = 0; k < n; k++) { // column by column: one line of scratch
        for (int r = 0; r < n; r++) line[r] = V[(size_t)((r + by) % n) * (size_t)n + (size_t)k];
        for (int r = 0; r < n; r++) V[(size_t)r * (size_t)n + (size_t)k] = line[r];
    }
}

br_status br_rank(int rows, int cols, const double *A, double tolerance, int *rank, double *singular,
                  double *null_space, const br_allocator *allocator, br_error *error) {
    if (rows < 0 || cols < 0)
        return br_fail(error, BR_INVALID, "rank-size", "a %d by %d matrix, expected sizes >= 0", rows, cols);
    const int most = rows > cols ? rows : cols, least = rows < cols ? rows : cols;
    if (most > 30000) // the square of it still fits LAPACK's 32-bit sizes
        return br_fail(error, BR_TOO_LARGE, "rank-size", "a %d by %d matrix, expected at most 30000", rows,
                       cols);
    const size_t size = (size_t)rows * (size_t)cols;
    for (size_t k = 0; k < size; k++) {
        if (!isfinite(A[k]))
            return br_fail(error, BR_NUMERICAL, "rank-not-finite", "entry (%zu, %zu) is %g", k / (size_t)cols,
                           k % (size_t)cols, A[k]);
    }
    br_arena scratch;
    br_arena_init(&scratch, allocator);
    int failed = 0;
    double *V = null_space ? BR_TAKE(&scratch, double, (size_t)cols *(size_t)cols) : NULL;
    double *line = BR_TAKE(&scratch, double, cols), *values = BR_TAKE(&scratch, double, least);
    br_status status = (null_space && !V) || !line || !values ? BR_NO_MEMORY : BR_OK;
    if (!status && least > 0) status = decompose(&scratch, rows, cols, A, values, V, &failed);
    if (!status && !failed) {
        const double relative = tolerance > 0 ? tolerance : most * 2.2e-16;
        int count = 0;
        while (count < least && values[count] > relative * values[0]) count++;
        if (V && least == 0)
            for (int k = 0; k < cols; k++) V[(size_t)k * (size_t)cols + (size_t)k] = 1;
        if (V && cols) rotate_rows(cols, count, V, line);
        if (V && cols) memcpy(null_space, V, (size_t)cols * (size_t)cols * sizeof *V);
        if (least) memcpy(singular, values, (size_t)least * sizeof *values);
        *rank = count;
    }
    br_arena_free(&scratch);
    if (status == BR_NO_MEMORY)
        return br_fail(error, status, "out-of-memory", "out of memory for a %d by %d rank", rows, cols);
    if (status) return br_fail(error, status, "rank-size", "a %d by %d matrix is too large", rows, cols);
    if (failed)
        return br_fail(error, BR_NUMERICAL, "rank-no-convergence", "the singular values did not converge");
    return BR_OK;
}
