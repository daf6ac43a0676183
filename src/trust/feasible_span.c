// Rank, null space and least squares of columns scaled to length 1, see feasible_span.h.
#include "trust/feasible_span.h"

#include <math.h>

#include "linalg/rank.h"

#define BR_EPS_NO_COLUMN 1e-14 // of the largest entry: a column of zeros

static double column_length(int rows, int cols, const double *A, int c) {
    double square = 0.0;
    for (int i = 0; i < rows; i++) square += A[i * cols + c] * A[i * cols + c];
    return square > 0.0 ? sqrt(square) : 1.0;
}

static br_status span_make(br_span *span, br_arena *arena, int rows, int cols, const double *A, int scale,
                           br_error *error) {
    const size_t size = (size_t)rows * (size_t)cols, square = (size_t)cols * (size_t)cols;
    *span = (br_span){rows, cols, 0, 0, BR_TAKE(arena, double, cols), NULL, NULL, NULL, NULL};
    double *scaled = BR_TAKE(arena, double, size), *V = BR_TAKE(arena, double, square);
    double *singular = BR_TAKE(arena, double, rows < cols ? rows : cols);
    if (!span->length || !scaled || !V || !singular) return BR_NO_MEMORY;
    double longest = 0.0;
    for (int i = 0; i < rows * cols; i++) longest = fmax(longest, fabs(A[i]));
    for (int c = 0; c < cols; c++) {
        double largest = 0.0;
        for (int i = 0; i < rows; i++) largest = fmax(largest, fabs(A[i * cols + c]));
        span->length[c] = 1.0;
        if (largest <= BR_EPS_NO_COLUMN * longest) continue; // rounding must not be blown up to length 1
        if (scale) span->length[c] = column_length(rows, cols, A, c);
        for (int i = 0; i < rows; i++) scaled[i * cols + c] = A[i * cols + c] / span->length[c];
    }
    // A matrix of zeros has no largest singular value to compare with; br_rank gives rank 0 for it as it
    // should.
    const br_status status =
        br_rank(rows, cols, scaled, BR_EPS_RANK, &span->rank, singular, V, &arena->allocator, error);
    if (status) return status;
    span->nullity = cols - span->rank;
    span->scaled = scaled;
    span->Z = V; // its first rows; scaled below
    span->base = V + (size_t)span->nullity * (size_t)cols;
    span->image = BR_TAKE(arena, double, (size_t)span->rank *(size_t)rows);
    if (!span->image) return BR_NO_MEMORY;
    for (int k = 0; k < span->rank; k++)
        for (int i = 0; i < rows; i++) {
            double sum = 0.0;
            for (int c = 0; c < cols; c++) sum += scaled[i * cols + c] * span->base[k * cols + c];
            span->image[k * rows + i] = sum;
        }
    for (int k = 0; k < cols; k++)
        for (int c = 0; c < cols; c++) V[k * cols + c] /= span->length[c];
    return BR_OK;
}

br_status br_span_make(br_span *span, br_arena *arena, int rows, int cols, const double *A, br_error *error) {
    return span_make(span, arena, rows, cols, A, 1, error);
}

br_status br_span_make_plain(br_span *span, br_arena *arena, int rows, int cols, const double *A,
                             br_error *error) {
    return span_make(span, arena, rows, cols, A, 0, error);
}

// x += what the orthogonal images say about r. Their squares lose as many digits again as the matrix has,
// hence the rounds below.
static void add_solution(const br_span *span, const double *r, double *x) {
    const int rows = span->rows, cols = span->cols;
    for (int k = 0; k < span->rank; k++) {
        const double *image = span->image + (size_t)k * (size_t)rows;
        double square = 0.0, along = 0.0;
        for (int i = 0; i < rows; i++) square += image[i] * image[i], along += image[i] * r[i];
        for (int c = 0; c < cols; c++) x[c] += along / square * span->base[k * cols + c];
    }
}

void br_span_solve(const br_span *span, const double *r, double *x, double *scratch) {
    const int rows = span->rows, cols = span->cols;
    for (int c = 0; c < cols; c++) x[c] = 0.0;
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < rows; i++) {
            scratch[i] = r[i];
            for (int c = 0; c < cols; c++) scratch[i] -= span->scaled[i * cols + c] * span->length[c] * x[c];
        }
        add_solution(span, scratch, x);
    }
}
