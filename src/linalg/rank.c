// Rank and null space by singular values, see rank.h.
#include "linalg/rank.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "linalg/svd.h"

#define BR_MAX_RANK_SIZE 30000 // the square of it is 7 GB

br_status br_rank(int rows, int cols, const double *A, double tolerance, int *rank, double *singular,
                  double *null_space, const br_allocator *allocator, br_error *error) {
    if (rows < 0 || cols < 0)
        return br_fail(error, BR_INVALID, "rank-size", "a %d by %d matrix, expected sizes >= 0", rows, cols);
    const int most = rows > cols ? rows : cols, least = rows < cols ? rows : cols;
    if (most > BR_MAX_RANK_SIZE)
        return br_fail(error, BR_TOO_LARGE, "rank-size", "a %d by %d matrix, expected at most %d", rows, cols,
                       BR_MAX_RANK_SIZE);
    const size_t size = (size_t)rows * (size_t)cols;
    for (size_t k = 0; k < size; k++) {
        if (!isfinite(A[k]))
            return br_fail(error, BR_NUMERICAL, "rank-not-finite", "entry (%zu, %zu) is %g", k / (size_t)cols,
                           k % (size_t)cols, A[k]);
    }
    br_arena scratch;
    br_arena_init(&scratch, allocator);
    double *V = null_space ? BR_TAKE(&scratch, double, (size_t)cols *(size_t)cols) : NULL;
    double *values = BR_TAKE(&scratch, double, least);
    br_status status = (null_space && !V) || !values ? BR_NO_MEMORY : BR_OK;
    if (!status && least > 0) status = br_svd(&scratch, rows, cols, A, values, V);
    if (!status) {
        const double relative = tolerance > 0 ? tolerance : most * 2.2e-16;
        int count = 0;
        while (count < least && values[count] > relative * values[0]) count++;
        if (V && least == 0)
            for (int k = 0; k < cols; k++) V[(size_t)k * (size_t)cols + (size_t)k] = 1;
        if (V && cols) { // what is beyond the rank comes first, the others follow
            const size_t held = (size_t)count * (size_t)cols, free = (size_t)cols * (size_t)cols - held;
            memcpy(null_space, V + held, free * sizeof *V);
            memcpy(null_space + free, V, held * sizeof *V);
        }
        if (least) memcpy(singular, values, (size_t)least * sizeof *values);
        *rank = count;
    }
    br_arena_free(&scratch);
    if (status == BR_NO_MEMORY)
        return br_fail(error, status, "out-of-memory", "out of memory for a %d by %d rank", rows, cols);
    if (status) return br_fail(error, status, "rank-no-convergence", "the singular values did not converge");
    return BR_OK;
}
