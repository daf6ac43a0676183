// Least-norm solutions of small dense systems by one-sided Jacobi rotations: A V = B with orthogonal columns, so that
//
//     A^+ b = sum over j of V_j (B_j . b) / |B_j|^2        columns shorter than BR_EPS_RANK of the longest left out
//
// Accurate to the last digits for every singular value, the same bits everywhere, and a fixed choice among the
// solutions of dependent rows, which varies smoothly with A as long as its rank does not change.
#include <math.h>
#include <string.h>

#include "sim/stepper_reference_contact.h"

#define BR_EPS_RANK 1e-10   // singular values below, of the largest, are zero
#define BR_EPS_JACOBI 4e-16 // cosine of two columns that counts as orthogonal
#define BR_MAX_SWEEPS 30

static double dot(int n, const double *a, const double *b) {
    double sum = 0.0;
    for (int k = 0; k < n; k++) sum += a[k] * b[k];
    return sum;
}

static void rotate(int n, double *a, double *b, double c, double s) {
    for (int k = 0; k < n; k++) {
        const double x = a[k], y = b[k];
        a[k] = c * x - s * y, b[k] = s * x + c * y;
    }
}

// Makes columns i and j orthogonal. Nonzero: they were not.
static int orthogonalize(br_pinv *p, int i, int j) {
    const int n = p->n;
    double *a = p->B + i * n, *b = p->B + j * n;
    const double aa = dot(n, a, a), bb = dot(n, b, b), ab = dot(n, a, b);
    if (!(fabs(ab) > BR_EPS_JACOBI * sqrt(aa * bb)) || fabs(ab) < 1e-300) return 0;
    const double zeta = (bb - aa) / (2.0 * ab);
    const double t = (zeta >= 0.0 ? 1.0 : -1.0) / (fabs(zeta) + sqrt(1.0 + zeta * zeta));
    const double c = 1.0 / sqrt(1.0 + t * t), s = c * t;
    rotate(n, a, b, c, s);
    rotate(n, p->V + i * n, p->V + j * n, c, s);
    return 1;
}

void br_pinv_factor(br_pinv *p, int n, const double *A) {
    p->n = n, p->rank = 0;
    memset(p->V, 0, (size_t)n * (size_t)n * sizeof *p->V);
    for (int j = 0; j < n; j++) {
        p->V[j * n + j] = 1.0;
        for (int i = 0; i < n; i++) p->B[j * n + i] = A[i * n + j];
    }
    int moved = 1;
    for (int sweep = 0; sweep < BR_MAX_SWEEPS && moved; sweep++) {
        moved = 0;
        for (int i = 0; i + 1 < n; i++)
            for (int j = i + 1; j < n; j++) moved |= orthogonalize(p, i, j);
    }
    double largest = 0.0;
    for (int j = 0; j < n; j++) {
        p->sigma[j] = sqrt(dot(n, p->B + j * n, p->B + j * n));
        largest = fmax(largest, p->sigma[j]);
    }
    for (int j = 0; j < n; j++) {
        if (!(p->sigma[j] > BR_EPS_RANK * largest)) p->sigma[j] = 0.0;
        p->rank += p->sigma[j] > 0.0;
    }
}

void br_pinv_solve(const br_pinv *p, const double *b, double *x) {
    const int n = p->n;
    memset(x, 0, (size_t)n * sizeof *x);
    for (int j = 0; j < n; j++) {
        if (!(p->sigma[j] > 0.0)) continue;
        const double a = dot(n, p->B + j * n, b) / (p->sigma[j] * p->sigma[j]);
        for (int i = 0; i < n; i++) x[i] += a * p->V[j * n + i];
    }
}

double br_pinv_diagonal(const br_pinv *p, int i) {
    const int n = p->n;
    double sum = 0.0;
    for (int j = 0; j < n; j++)
        if (p->sigma[j] > 0.0) sum += p->V[j * n + i] * p->B[j * n + i] / (p->sigma[j] * p->sigma[j]);
    return sum;
}
