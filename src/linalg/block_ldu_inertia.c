// How many eigenvalues of a symmetric matrix are negative, after its general factorization.
//
// Elimination by blocks without exchanges between them keeps Haynsworth's law: the inertia of the matrix is the
// sum of those of its pivot blocks S = P^T L U. Each is put together again from its factors and diagonalized by
// congruence with complete pivoting, 1 x 1 and 2 x 2 [Bunch and Parlett 1971]; a 2 x 2 pivot has one eigenvalue
// of each sign.
#include <math.h>
#include <string.h>

#include "linalg/block.h"

static const double bunch_parlett = 0.6403882032022076; // (1 + sqrt(17))/8

int br_block_widest(const br_block_ldu *f) {
    int widest = 0;
    for (int q = 0; q < f->n_super; q++) widest = f->super[q].width > widest ? f->super[q].width : widest;
    return widest;
}

// S, row-major, from its factors in the columns of the supernode.
static void restore(const br_block_ldu *f, const br_supernode *s, double *S) {
    const int n = s->width;
    const int *exchange = f->exchange + s->scalar;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const double *column = s->pivot + (size_t)j * (size_t)s->pivot_stride;
            double sum = i <= j ? column[i] : 0.0;
            for (int k = 0; k < i && k <= j; k++)
                sum += s->pivot[(size_t)k * (size_t)s->pivot_stride + (size_t)i] * column[k];
            S[i * n + j] = sum;
        }
    for (int c = n - 1; c >= 0; c--)
        for (int j = 0; exchange[c] != c && j < n; j++) {
            const double kept = S[c * n + j];
            S[c * n + j] = S[exchange[c] * n + j], S[exchange[c] * n + j] = kept;
        }
}

static void change_signs(const br_block_ldu *f, const br_supernode *s, const double *sign, double *S) {
    for (int p = s->first, row = 0; p < s->end; p++)
        for (int k = 0; k < f->offset[p + 1] - f->offset[p]; k++, row++)
            for (int j = 0; j < s->width; j++)
                S[row * s->width + j] *= sign[f->caller_offset[f->node[p]] + k];
}

// The symmetric part takes its place. How far the rest was from it, relative to the largest entry.
static double symmetrize(int n, double *S) {
    double largest = 0.0, off = 0.0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            const double a = S[i * n + j], b = S[j * n + i];
            largest = fmax(largest, fmax(fabs(a), fabs(b)));
            off = fmax(off, fabs(a - b));
            S[i * n + j] = S[j * n + i] = 0.5 * (a + b);
        }
    return largest > 0.0 ? off / largest : 0.0;
}

static void exchange_both(int n, double *S, int i, int j) {
    for (int k = 0; i != j && k < n; k++) {
        const double kept = S[i * n + k];
        S[i * n + k] = S[j * n + k], S[j * n + k] = kept;
    }
    for (int k = 0; i != j && k < n; k++) {
        const double kept = S[k * n + i];
        S[k * n + i] = S[k * n + j], S[k * n + j] = kept;
    }
}

static int negative_of(int n, double *S) {
    int count = 0;
    for (int c = 0; c < n;) {
        int at = c, row = c, column = c;
        for (int i = c; i < n; i++) {
            if (fabs(S[i * n + i]) > fabs(S[at * n + at])) at = i;
            for (int j = c; j < i; j++)
                if (row == column || fabs(S[i * n + j]) > fabs(S[row * n + column])) row = i, column = j;
        }
        const double diagonal = fabs(S[at * n + at]), other = row != column ? fabs(S[row * n + column]) : 0.0;
        if (diagonal == 0.0 && other == 0.0) return count;
        if (diagonal >= bunch_parlett * other) {
            exchange_both(n, S, c, at);
            const double d = S[c * n + c];
            for (int i = c + 1; i < n; i++)
                for (int j = c + 1; j < n; j++) S[i * n + j] -= S[i * n + c] * S[c * n + j] / d;
            count += d < 0.0, c += 1;
        } else {
            exchange_both(n, S, c,
                          column); // column < row, so that row is not moved unless it is c, which it is not
            exchange_both(n, S, c + 1, row);
            const double a = S[c * n + c], b = S[c * n + c + 1], d = S[(c + 1) * n + c + 1],
                         det = a * d - b * b;
            for (int i = c + 2; i < n; i++)
                for (int j = c + 2; j < n; j++) {
                    const double u = S[c * n + j], v = S[(c + 1) * n + j];
                    S[i * n + j] -=
                        (S[i * n + c] * (d * u - b * v) + S[i * n + c + 1] * (a * v - b * u)) / det;
                }
            count += 1, c += 2;
        }
    }
    return count;
}

int br_block_negative(const br_block_ldu *f, const double *sign, double *scratch, double *asymmetry) {
    int count = 0;
    *asymmetry = 0.0;
    for (int q = 0; q < f->n_super; q++) {
        const br_supernode *s = &f->super[q];
        restore(f, s, scratch);
        change_signs(f, s, sign, scratch);
        *asymmetry = fmax(*asymmetry, symmetrize(s->width, scratch));
        count += negative_of(s->width, scratch);
    }
    return count;
}
