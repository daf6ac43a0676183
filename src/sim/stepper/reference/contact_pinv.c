// Least-norm solutions of small dense systems by a complete orthogonal decomposition:
//
//     A P = Q [R; 0],   R = [T 0] Z         Q by Householder reflections with exchanges of columns, Z likewise from the right
//     A^+ b = P Z^T [T^-1 (Q^T b)_1; 0]
//
// A fixed choice among the solutions of dependent rows, which varies smoothly with A as long as its rank does not change.
// Rows whose remaining length falls below BR_EPS_RANK of the longest are dependent.
#include <math.h>
#include <string.h>

#include "sim/stepper/reference/contact.h"

#define BR_EPS_RANK 1e-10

// Columns of A one after the other.
static double *column(const br_pinv *p, int j) {
    return p->B + (size_t)j * (size_t)p->n;
}

static double norm_below(const double *x, int from, int n) {
    double sum = 0.0;
    for (int k = from; k < n; k++) sum += x[k] * x[k];
    return sqrt(sum);
}

static void exchange(br_pinv *p, int a, int b) {
    if (a == b) return;
    double *x = column(p, a), *y = column(p, b);
    for (int k = 0; k < p->n; k++) {
        const double kept = x[k];
        x[k] = y[k], y[k] = kept;
    }
    const int kept = p->order[a];
    p->order[a] = p->order[b], p->order[b] = kept;
}

// x[k..n) := (1 - tau v v^T) x, v = (1, column k below its diagonal)
static void reflect(const br_pinv *p, int k, double *x) {
    const double *v = column(p, k);
    double sum = x[k];
    for (int i = k + 1; i < p->n; i++) sum += v[i] * x[i];
    sum *= p->tau[k];
    x[k] -= sum;
    for (int i = k + 1; i < p->n; i++) x[i] -= sum * v[i];
}

// Makes x = (a, b) into (alpha, 0): b becomes v, a becomes alpha. Returns tau.
static double make_reflection(double *a, double *b, int count, int stride) {
    double size = 0.0;
    for (int i = 0; i < count; i++) size += b[i * stride] * b[i * stride];
    if (size == 0.0) return 0.0;
    const double alpha = *a >= 0.0 ? -sqrt(*a * *a + size) : sqrt(*a * *a + size), beta = *a - alpha;
    for (int i = 0; i < count; i++) b[i * stride] /= beta;
    *a = alpha;
    return -beta / alpha;
}

static void triangularize(br_pinv *p) {
    const int n = p->n;
    double longest = 0.0;
    for (p->rank = 0; p->rank < n; p->rank++) {
        const int k = p->rank;
        int best = k;
        double length = -1.0;
        for (int j = k; j < n; j++) {
            const double now = norm_below(column(p, j), k, n);
            if (now > length) length = now, best = j;
        }
        longest = fmax(longest, length);
        if (!(length > BR_EPS_RANK * longest)) return;
        exchange(p, k, best);
        double *x = column(p, k);
        p->tau[k] = make_reflection(&x[k], &x[k + 1], n - k - 1, 1);
        for (int j = k + 1; j < n; j++) reflect(p, k, column(p, j));
    }
}

// Row i of R: its own diagonal and the columns from the rank on become (T_ii, 0).
static void clear_right(br_pinv *p) {
    const int n = p->n, r = p->rank;
    for (int i = r - 1; i >= 0 && r < n; i--) {
        double *v = column(p, r) + i;
        p->zeta[i] = make_reflection(column(p, i) + i, v, n - r, n);
        for (int row = 0; row < i; row++) {
            double sum = column(p, i)[row];
            for (int j = r; j < n; j++) sum += column(p, j)[row] * column(p, j)[i];
            sum *= p->zeta[i];
            column(p, i)[row] -= sum;
            for (int j = r; j < n; j++) column(p, j)[row] -= sum * column(p, j)[i];
        }
    }
}

void br_pinv_factor(br_pinv *p, int n, const double *A) {
    p->n = n;
    for (int j = 0; j < n; j++) {
        p->order[j] = j;
        for (int i = 0; i < n; i++) column(p, j)[i] = A[i * n + j];
    }
    triangularize(p);
    clear_right(p);
}

void br_pinv_solve(const br_pinv *p, const double *b, double *x) {
    const int n = p->n, r = p->rank;
    double *y = p->y;
    memcpy(y, b, (size_t)n * sizeof *y);
    for (int k = 0; k < r; k++) reflect(p, k, y);
    for (int i = r - 1; i >= 0; i--) {
        for (int j = i + 1; j < r; j++) y[i] -= column(p, j)[i] * y[j];
        y[i] /= column(p, i)[i];
    }
    for (int i = r; i < n; i++) y[i] = 0.0;
    for (int i = 0; i < r && r < n; i++) {
        double sum = y[i];
        for (int j = r; j < n; j++) sum += column(p, j)[i] * y[j];
        sum *= p->zeta[i];
        y[i] -= sum;
        for (int j = r; j < n; j++) y[j] -= sum * column(p, j)[i];
    }
    for (int j = 0; j < n; j++) x[p->order[j]] = y[j];
}

// Rows of an invertible A: x = A^-1 e_i. b and x are scratch [n].
double br_pinv_diagonal(const br_pinv *p, int i, double *b, double *x) {
    memset(b, 0, (size_t)p->n * sizeof *b);
    b[i] = 1.0;
    br_pinv_solve(p, b, x);
    return x[i];
}
