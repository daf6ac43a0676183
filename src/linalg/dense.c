// LU, Bunch-Kaufman LDL^T and Cholesky, see dense.h.
#include "linalg/dense.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

static double *dense_row_of(double *A, int stride, int i) {
    return A + (ptrdiff_t)i * stride;
}

static const double *const_row_of(const double *A, int stride, int i) {
    return A + (ptrdiff_t)i * stride;
}

static void swap(double *a, double *b) {
    const double t = *a;
    *a = *b;
    *b = t;
}

// Also refuses what is not a number: every comparison with it is false.
static int usable(double pivot, double limit) {
    const double size = fabs(pivot);
    return size > limit && size <= DBL_MAX;
}

static double largest_entry(int n, const double *A, int stride, int lower_only) {
    double largest = 0;
    for (int i = 0; i < n; i++) {
        const double *row = const_row_of(A, stride, i);
        for (int j = 0; j < (lower_only ? i + 1 : n); j++)
            if (fabs(row[j]) > largest) largest = fabs(row[j]);
    }
    return largest;
}

int br_lu_factor(int n, double *A, int stride, int *pivot, double tiny) {
    const double limit = tiny * largest_entry(n, A, stride, 0);
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(dense_row_of(A, stride, i)[k]) > fabs(dense_row_of(A, stride, best)[k])) best = i;
        double *row = dense_row_of(A, stride, k);
        if (!usable(dense_row_of(A, stride, best)[k], limit)) return k + 1;
        pivot[k] = best;
        if (best != k)
            for (int j = 0; j < n; j++) swap(&row[j], &dense_row_of(A, stride, best)[j]);
        const double inverse = 1.0 / row[k];
        for (int i = k + 1; i < n; i++) {
            double *other = dense_row_of(A, stride, i);
            const double l = other[k] *= inverse;
            for (int j = k + 1; j < n; j++) other[j] -= l * row[j];
        }
    }
    return 0;
}

void br_lu_solve(int n, const double *LU, int stride, const int *pivot, double *x) {
    for (int k = 0; k < n; k++)
        if (pivot[k] != k) swap(&x[k], &x[pivot[k]]);
    for (int i = 1; i < n; i++) { // L y = P x
        const double *row = const_row_of(LU, stride, i);
        double sum = x[i];
        for (int j = 0; j < i; j++) sum -= row[j] * x[j];
        x[i] = sum;
    }
    for (int i = n - 1; i >= 0; i--) { // U x = y
        const double *row = const_row_of(LU, stride, i);
        double sum = x[i];
        for (int j = i + 1; j < n; j++) sum -= row[j] * x[j];
        x[i] = sum / row[i];
    }
}

void br_lu_solve_transposed(int n, const double *LU, int stride, const int *pivot, double *x) {
    for (int i = 0; i < n; i++) { // U^T y = x, by columns of U^T
        const double *row = const_row_of(LU, stride, i);
        x[i] /= row[i];
        for (int j = i + 1; j < n; j++) x[j] -= row[j] * x[i];
    }
    for (int i = n - 1; i > 0; i--) { // L^T z = y
        const double *row = const_row_of(LU, stride, i);
        for (int j = 0; j < i; j++) x[j] -= row[j] * x[i];
    }
    for (int k = n - 1; k >= 0; k--)
        if (pivot[k] != k) swap(&x[k], &x[pivot[k]]);
}

// Bunch-Kaufman [Golub & Van Loan, Matrix Computations, algorithm 4.4.2]. alpha balances the growth of one 2x2
// step against that of two 1x1 steps.
static const double BUNCH_KAUFMAN_ALPHA = 0.6403882032022076; // (1 + sqrt(17)) / 8

// Entry (i, j) of the symmetric matrix whose lower triangle is stored.
static double *entry(double *A, int stride, int i, int j) {
    return i >= j ? &dense_row_of(A, stride, i)[j] : &dense_row_of(A, stride, j)[i];
}

static int largest_in_column(const double *A, int stride, int from, int n, int k, int skip) {
    int best = -1;
    double largest = -1;
    for (int i = from; i < n; i++) {
        const double a = i >= k ? const_row_of(A, stride, i)[k] : const_row_of(A, stride, k)[i];
        if (i != skip && fabs(a) > largest) {
            largest = fabs(a);
            best = i;
        }
    }
    return best;
}

// Exchanges rows and columns i < j of the trailing matrix from k on, and the finished rows of L.
static void exchange_symmetric(int n, double *A, int stride, int k, int i, int j) {
    if (i == j) return;
    for (int c = 0; c < k; c++) swap(&dense_row_of(A, stride, i)[c], &dense_row_of(A, stride, j)[c]);
    for (int c = k; c < n; c++)
        if (c != i && c != j) swap(entry(A, stride, i, c), entry(A, stride, j, c));
    swap(&dense_row_of(A, stride, i)[i], &dense_row_of(A, stride, j)[j]);
}

static void eliminate_one(int n, double *A, int stride, int k) {
    const double inverse = 1.0 / dense_row_of(A, stride, k)[k];
    for (int i = n - 1; i > k; i--) { // from below: row i needs column k of the rows above as it was
        double *row = dense_row_of(A, stride, i);
        const double l = row[k] * inverse;
        for (int j = k + 1; j <= i; j++) row[j] -= l * dense_row_of(A, stride, j)[k];
        row[k] = l;
    }
}

static void eliminate_two(int n, double *A, int stride, int k) {
    const double a = dense_row_of(A, stride, k)[k], b = dense_row_of(A, stride, k + 1)[k],
                 c = dense_row_of(A, stride, k + 1)[k + 1];
    const double p = a / b, q = c / b, scale = 1.0 / (b * (p * q - 1.0)); // b is the largest of the three
    for (int i = n - 1; i > k + 1; i--) {
        double *row = dense_row_of(A, stride, i);
        const double l0 = (q * row[k] - row[k + 1]) * scale, l1 = (p * row[k + 1] - row[k]) * scale;
        for (int j = k + 2; j <= i; j++) {
            const double *other = dense_row_of(A, stride, j);
            row[j] -= l0 * other[k] + l1 * other[k + 1];
        }
        row[k] = l0;
        row[k + 1] = l1;
    }
}

// How many rows the next pivot takes, and which row to bring to its last place.
static int choose_pivot(int n, const double *A, int stride, int k, int *row) {
    const double diagonal = fabs(const_row_of(A, stride, k)[k]);
    *row = k;
    if (k + 1 == n) return 1;
    const int r = largest_in_column(A, stride, k + 1, n, k, -1);
    if (r < 0) return 1; // not a number: the pivot test reports it
    const double lambda = fabs(const_row_of(A, stride, r)[k]);
    if (diagonal >= BUNCH_KAUFMAN_ALPHA * lambda) return 1;
    const int s = largest_in_column(A, stride, k, n, r, r);
    const double sigma = fabs(s >= r ? const_row_of(A, stride, s)[r] : const_row_of(A, stride, r)[s]);
    if (diagonal * sigma >= BUNCH_KAUFMAN_ALPHA * lambda * lambda) return 1;
    *row = r;
    return fabs(const_row_of(A, stride, r)[r]) >= BUNCH_KAUFMAN_ALPHA * sigma ? 1 : 2;
}

// pivot[k] >= 0: 1x1, row k was exchanged with pivot[k]. pivot[k] = pivot[k + 1] = -1 - r: 2x2, row k + 1 with r.
int br_ldl_factor(int n, double *A, int stride, int *pivot, double tiny, int *negative) {
    const double limit = tiny * largest_entry(n, A, stride, 1);
    int below_zero = 0;
    for (int k = 0; k < n;) {
        int r;
        const int size = choose_pivot(n, A, stride, k, &r);
        exchange_symmetric(n, A, stride, k, k + size - 1, r);
        if (size == 1) {
            const double d = dense_row_of(A, stride, k)[k];
            if (!usable(d, limit)) return k + 1;
            below_zero += d < 0;
            pivot[k] = r;
            eliminate_one(n, A, stride, k);
        } else {
            if (!usable(dense_row_of(A, stride, k + 1)[k], limit)) return k + 1;
            below_zero +=
                1; // a 2x2 pivot is always indefinite: its off-diagonal entry outweighs the diagonal
            pivot[k] = pivot[k + 1] = -1 - r;
            eliminate_two(n, A, stride, k);
        }
        k += size;
    }
    if (negative) *negative = below_zero;
    return 0;
}

void br_ldl_solve(int n, const double *LD, int stride, const int *pivot, double *x) {
    for (int k = 0; k < n; k++) { // L is stored with its rows exchanged: all exchanges come first
        if (pivot[k] >= 0)
            swap(&x[k], &x[pivot[k]]);
        else
            k++, swap(&x[k], &x[-1 - pivot[k]]);
    }
    for (int k = 0; k < n;) { // L^-1 and D^-1
        const int size = pivot[k] < 0 ? 2 : 1;
        for (int i = k + size; i < n; i++) {
            const double *row = const_row_of(LD, stride, i);
            x[i] -= row[k] * x[k];
            if (size == 2) x[i] -= row[k + 1] * x[k + 1];
        }
        if (size == 1) {
            x[k] /= const_row_of(LD, stride, k)[k];
        } else {
            const double a = const_row_of(LD, stride, k)[k], b = const_row_of(LD, stride, k + 1)[k];
            const double c = const_row_of(LD, stride, k + 1)[k + 1];
            const double p = a / b, q = c / b, scale = 1.0 / (b * (p * q - 1.0)), y0 = x[k], y1 = x[k + 1];
            x[k] = (q * y0 - y1) * scale;
            x[k + 1] = (p * y1 - y0) * scale;
        }
        k += size;
    }
    for (int k = n - 1; k >= 0;) { // L^-T
        const int size = pivot[k] < 0 ? 2 : 1, first = k - size + 1;
        for (int i = k + 1; i < n; i++) {
            const double *row = const_row_of(LD, stride, i);
            x[k] -= row[k] * x[i];
            if (size == 2) x[first] -= row[first] * x[i];
        }
        k = first - 1;
    }
    for (int k = n - 1; k >= 0; k--) {
        if (pivot[k] >= 0)
            swap(&x[k], &x[pivot[k]]);
        else
            swap(&x[k], &x[-1 - pivot[k]]), k--;
    }
}

int br_cholesky_factor(int n, double *A, int stride) {
    for (int i = 0; i < n; i++) {
        double *row = dense_row_of(A, stride, i);
        for (int j = 0; j <= i; j++) {
            const double *other = const_row_of(A, stride, j);
            double sum = row[j];
            for (int k = 0; k < j; k++) sum -= row[k] * other[k];
            if (j < i)
                row[j] = sum / other[j];
            else if (usable(sum, 0.0) && sum > 0)
                row[i] = sqrt(sum);
            else
                return i + 1;
        }
    }
    return 0;
}

void br_cholesky_solve(int n, const double *L, int stride, double *x) {
    for (int i = 0; i < n; i++) {
        const double *row = const_row_of(L, stride, i);
        double sum = x[i];
        for (int j = 0; j < i; j++) sum -= row[j] * x[j];
        x[i] = sum / row[i];
    }
    for (int i = n - 1; i >= 0; i--) {
        const double *row = const_row_of(L, stride, i);
        x[i] /= row[i];
        for (int j = 0; j < i; j++) x[j] -= row[j] * x[i];
    }
}
