// Eigenvalues of the linearized motion, see modes/modes.h.
//
//     rows           B^T = Q R with pivoting; q = Q_2 z takes every row, also where rows are redundant
//     undamped       M x = mu (K + sigma M) x,  s^2 = sigma - 1/mu
//     else           (s^2 M + s C + K) x = 0 within the span of undamped modes: all of them, or the lowest
//
// The undamped problem is turned over so that the lowest frequencies are the largest numbers, the ones that are found best,
// and so that nodes may be without mass. sigma makes rigid motions regular; it is far below what beams have, and far above
// rounding. Frequencies are then the quotients x.Kx/x.Mx of the shapes found, whose own errors enter squared.
#include "math/elementary.h"
#include "sim/study/modes/modes.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#include <lapacke.h> // last: it brings complex.h

#define BR_EPS_ROWS 1e-9 // a row this much within the span of others, all of size 1, is redundant
#define BR_SIGMA 1e-7    // of the mean stiffness over the mean mass
#define BR_MAX_SIGMA                                                                                         \
    1e6 // an unstable equilibrium needs a larger one; beyond this it is no equilibrium of a mass
#define BR_MAX_MODE_FREEDOM 4000
#define BR_BASIS_EXACT 200 // up to so many coordinates the quadratic problem takes all of them
#define BR_BASIS_LEAST 120
#define BR_NOISE                                                                                             \
    (100.0 * DBL_EPSILON)  // shapes have errors too: rigid ones of 200 elements have 50 times DBL_EPSILON
#define BR_EPS_RIGID 1e-12 // of sigma, s^2
#define BR_EPS_UNSYMMETRIC 1e-9
#define BR_EPS_GROWTH 1e-9 // a damping ratio below this is rounding

static const char no_memory[] = "no memory for the modes";

static br_status failed(const br_linear *l, br_error *error) {
    return br_fail(error, BR_NUMERICAL, "mode-failed", "the eigenvalues of %d coordinates were not found",
                   l->free);
}

br_status br_linear_factor_rows(br_linear *l, br_error *error) {
    const size_t n = (size_t)l->n, rows = (size_t)l->rows;
    l->rank = 0;
    if (l->rows > 0 && l->n > 0) {
        lapack_int *pivot = BR_TAKE(l->arena, lapack_int, rows);
        l->Q = BR_TAKE(l->arena, double, n *rows), l->tau = BR_TAKE(l->arena, double, rows);
        if (!br_arena_ok(l->arena)) return br_no_memory(error, no_memory);
        memcpy(l->Q, l->B, n * rows * sizeof *l->Q); // row-major B is B^T by columns
        if (LAPACKE_dgeqp3(LAPACK_COL_MAJOR, l->n, l->rows, l->Q, l->n, pivot, l->tau) != 0)
            return failed(l, error);
        const int most = l->n < l->rows ? l->n : l->rows;
        while (l->rank < most && fabs(l->Q[(size_t)l->rank * (n + 1)]) > BR_EPS_ROWS) l->rank++;
    }
    l->free = l->n - l->rank;
    if (l->free > BR_MAX_MODE_FREEDOM)
        return br_fail(
            error, BR_TOO_LARGE, "mode-too-large",
            "the model has %d degrees of freedom, and modes are found up to %d; use fewer elements", l->free,
            BR_MAX_MODE_FREEDOM);
    return BR_OK;
}

// --- undamped ----------------------------------------------------------------------------------------------

static double unit_of(const br_linear *l, int k) {
    return k % 6 >= 3 ? 1.0 / l->length : 1.0;
}

// The symmetric part of K + sigma M or M, turns in units of 1/length, on free coordinates: [free * free] within A [n * n].
int br_linear_reduced(const br_linear *l, br_mode_matrix which, double sigma, double *A) {
    const size_t n = (size_t)l->n;
    memset(A, 0, n * n * sizeof *A);
    for (int p = 0; p < l->pairs; p++) {
        const br_mode_pair *pair = &l->pair[p];
        for (int r = 0; r < 6; r++)
            for (int c = 0; c < 6; c++) {
                const size_t i = 6 * (size_t)pair->k + (size_t)r, j = 6 * (size_t)pair->j + (size_t)c;
                const double value = pair->a[which][6 * r + c] + sigma * pair->a[BR_MODE_M][6 * r + c];
                const double half = 0.5 * unit_of(l, r) * unit_of(l, c) * value;
                A[i * n + j] += half, A[j * n + i] += half;
            }
    }
    if (l->rank == 0) return 1;
    return LAPACKE_dormqr(LAPACK_COL_MAJOR, 'L', 'T', l->n, l->n, l->rank, l->Q, l->n, l->tau, A, l->n) ==
               0 &&
           LAPACKE_dormqr(LAPACK_COL_MAJOR, 'R', 'N', l->n, l->n, l->rank, l->Q, l->n, l->tau, A, l->n) == 0;
}

static double stiffness_over_mass(const br_linear *l) {
    double K = 0.0, M = 0.0;
    for (int p = 0; p < l->pairs; p++)
        for (int r = 0; l->pair[p].k == l->pair[p].j && r < 6; r++) {
            const double unit = unit_of(l, r) * unit_of(l, r);
            K += unit * fabs(l->pair[p].a[BR_MODE_K][7 * r]), M += unit * l->pair[p].a[BR_MODE_M][7 * r];
        }
    return K > 0.0 && M > 0.0 ? K / M : 1.0;
}

// The lowest `basis` modes from the factored P = K + sigma M and M, both [n * n] with the free block last.
static br_status undamped(br_linear *l, double *P, double *M, br_error *error) {
    const size_t n = (size_t)l->n, at = (size_t)l->rank * (n + 1);
    const int count = l->basis, first = l->free - count + 1;
    double *w = BR_TAKE(l->scratch, double, l->free + 1),
           *Z = BR_TAKE(l->scratch, double, n *(size_t)count + 1);
    lapack_int *support = BR_TAKE(l->scratch, lapack_int, 2 * l->free + 2), found = 0;
    if (!br_arena_ok(l->scratch)) return br_no_memory(error, no_memory);
    if (LAPACKE_dsygst(LAPACK_COL_MAJOR, 1, 'L', l->free, M + at, l->n, P + at, l->n) != 0 ||
        LAPACKE_dsyevr(LAPACK_COL_MAJOR, 'V', 'I', 'L', l->free, M + at, l->n, 0.0, 0.0, first, l->free, 0.0,
                       &found, w, Z + l->rank, l->n, support) != 0 ||
        found != count)
        return failed(l, error);
    LAPACKE_dtrtrs(LAPACK_COL_MAJOR, 'L', 'T', 'N', l->free, count, P + at, l->n, Z + l->rank, l->n);
    if (l->rank > 0 &&
        LAPACKE_dormqr(LAPACK_COL_MAJOR, 'L', 'N', l->n, count, l->rank, l->Q, l->n, l->tau, Z, l->n) != 0)
        return failed(l, error);
    for (int k = 0; k < count; k++) { // rising eigenvalues become falling ones
        const double *z = Z + (size_t)(count - 1 - k) * n;
        l->mu[k] = w[count - 1 - k];
        for (int i = 0; i < l->n; i++) l->X[(size_t)k * n + (size_t)i] = unit_of(l, i) * z[i];
    }
    return BR_OK;
}

br_status br_linear_basis(br_linear *l, int wanted, br_error *error) {
    const size_t n = (size_t)l->n;
    const int least = wanted > BR_BASIS_LEAST ? wanted : BR_BASIS_LEAST;
    l->basis = l->free <= BR_BASIS_EXACT || l->free <= least ? l->free : least;
    l->X = BR_TAKE(l->arena, double, n *(size_t)l->basis + 1),
    l->mu = BR_TAKE(l->arena, double, l->basis + 1);
    double *P = BR_TAKE(l->scratch, double, n *n + 1), *M = BR_TAKE(l->scratch, double, n *n + 1);
    if (!br_arena_ok(l->arena) || !br_arena_ok(l->scratch)) return br_no_memory(error, no_memory);
    if (l->free == 0) return BR_OK;
    const double scale = stiffness_over_mass(l);
    int regular = 0;
    for (l->sigma = BR_SIGMA * scale; !regular && l->sigma < BR_MAX_SIGMA * scale;) {
        if (!br_linear_reduced(l, BR_MODE_K, l->sigma, P)) return failed(l, error);
        regular = LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', l->free, P + (size_t)l->rank * (n + 1), l->n) == 0;
        if (!regular) l->sigma *= 100.0;
    }
    if (!regular)
        return br_fail(
            error, BR_NUMERICAL, "mode-singular",
            "something can move that has neither mass nor stiffness, or is pushed off harder than its mass "
            "explains; `bristle check` lists masses of 0");
    return br_linear_reduced(l, BR_MODE_M, 0.0, M) ? undamped(l, P, M, error) : failed(l, error);
}

void br_linear_project(const br_linear *l, br_mode_matrix which, double factor, double *A) {
    const size_t n = (size_t)l->n, m = (size_t)l->basis;
    double *y = l->work;
    if (factor == 0.0) return;
    for (size_t c = 0; c < m; c++) {
        br_linear_apply(l, which, l->X + c * n, y);
        for (size_t r = 0; r < m; r++) {
            double sum = 0.0;
            for (size_t k = 0; k < n; k++) sum += l->X[r * n + k] * y[k];
            A[c * m + r] += factor * sum; // by columns
        }
    }
}

// --- what rounding does ------------------------------------------------------------------------------------

static double form(const br_linear *l, br_mode_matrix which, const double *x, int sizes) {
    double sum = 0.0;
    for (int p = 0; p < l->pairs; p++) {
        const br_mode_pair *pair = &l->pair[p];
        const double *a = pair->a[which], *u = x + 6 * (size_t)pair->k, *v = x + 6 * (size_t)pair->j;
        for (int r = 0; r < 6; r++)
            for (int c = 0; c < 6; c++)
                sum += sizes ? fabs(a[6 * r + c] * u[r] * v[c]) : a[6 * r + c] * u[r] * v[c];
    }
    return sum;
}

// |x| |K| |x| eps / x M x: what s^2 can be off when every number of K is off by its rounding.
double br_linear_noise(const br_linear *l, const double *x, const double *x_i) {
    const double mass = form(l, BR_MODE_M, x, 0) + (x_i ? form(l, BR_MODE_M, x_i, 0) : 0.0);
    const double stiff = form(l, BR_MODE_K, x, 1) + (x_i ? form(l, BR_MODE_K, x_i, 1) : 0.0);
    return mass > 0.0 ? BR_NOISE * stiff / mass : INFINITY;
}

// --- eigenvalues -------------------------------------------------------------------------------------------

static int by_size(const void *a, const void *b) {
    const br_found *x = a, *y = b;
    const double p = br_hypot(x->real, x->imaginary), q = br_hypot(y->real, y->imaginary);
    if (x->rigid != y->rigid) return y->rigid - x->rigid;
    if (p != q) return p < q ? -1 : 1;
    return (x->real < y->real) - (x->real > y->real);
}

static br_status from_basis(br_linear *l, br_found *found, int *count, br_error *error) {
    const size_t n = (size_t)l->n;
    double *zero = BR_TAKE(l->scratch, double, n + 1);
    if (!zero) return br_no_memory(error, no_memory);
    for (int k = 0; k < l->basis; k++) {
        double *x = l->X + (size_t)k * n;
        const double mass = form(l, BR_MODE_M, x, 0);
        if (!(mass > 4.0 * DBL_EPSILON * l->mu[0])) continue; // no mass moves: no frequency
        const double square = form(l, BR_MODE_K, x, 0) / mass, noise = br_linear_noise(l, x, NULL);
        br_found *out = &found[(*count)++];
        *out = (br_found){.x = x, .x_i = zero, .rigid = fabs(square) <= noise + BR_EPS_RIGID * l->sigma};
        if (out->rigid) continue;
        out->rounding = 0.5 * noise / fabs(square);
        *(square > 0.0 ? &out->imaginary : &out->real) = sqrt(fabs(square));
    }
    return BR_OK;
}

// x = sum of X_k v_k
static double *shape_of(const br_linear *l, const double *v) {
    const size_t n = (size_t)l->n;
    double *x = BR_TAKE(l->scratch, double, n + 1);
    for (int k = 0; x && v && k < l->basis; k++)
        for (size_t i = 0; i < n; i++) x[i] += v[k] * l->X[(size_t)k * n + i];
    return x;
}

// Rigid motions come as double zeros, or as one zero where a damper stops them: as many are told as there are directions.
static void keep_rigid_once(br_linear *l, br_found *found, int *count, double *directions) {
    const size_t n = (size_t)l->n;
    int kept = 0, rigid = 0;
    for (int k = 0; k < *count; k++) {
        br_found mode = found[k];
        if (!mode.rigid) {
            found[kept++] = mode;
            continue;
        }
        for (int part = 0; part < 2; part++) {
            const double *x = part == 0 ? mode.x : mode.x_i;
            double *d = directions + (size_t)rigid * n, before = 0.0, after = 0.0;
            for (size_t i = 0; i < n; i++) d[i] = x[i] / unit_of(l, (int)(i % 6)), before += d[i] * d[i];
            for (int j = 0; j < 2 * rigid; j++) {
                const double *e = directions + (size_t)(j % rigid) * n;
                double dot = 0.0;
                for (size_t i = 0; i < n; i++) dot += d[i] * e[i];
                for (size_t i = 0; i < n; i++) d[i] -= dot * e[i];
            }
            for (size_t i = 0; i < n; i++) after += d[i] * d[i];
            if (!(after > 1e-8 * before) || rigid >= l->basis) continue;
            for (size_t i = 0; i < n; i++) d[i] /= sqrt(after);
            found[kept] = (br_found){.rigid = 1, .x = mode.x, .x_i = mode.x_i};
            for (size_t i = 0; i < n; i++) mode.x[i] = d[i] * unit_of(l, (int)(i % 6)), mode.x_i[i] = 0.0;
            rigid++, kept++;
            break;
        }
    }
    *count = kept;
}

// The first frequency that is not rigid.
double br_linear_lowest(const br_linear *l) {
    for (int k = 0; k < l->basis && l->mu[k] > 0.0; k++) {
        const double square = fabs(1.0 / l->mu[k] - l->sigma);
        if (square > br_linear_noise(l, l->X + (size_t)k * (size_t)l->n, NULL) + BR_EPS_RIGID * l->sigma)
            return sqrt(square);
    }
    return sqrt(l->sigma);
}

void br_linear_bend(const br_linear *l, const double *force, double above, double *y) {
    const size_t n = (size_t)l->n;
    memset(y, 0, n * sizeof *y);
    for (int k = 0; k < l->basis; k++) {
        const double *x = l->X + (size_t)k * n, stiff = 1.0 - l->sigma * l->mu[k]; // X^T K X
        if (stiff < fmax(above, BR_EPS_RIGID * l->sigma) * l->mu[k] + BR_EPS_UNSYMMETRIC) continue;
        double work = 0.0;
        for (size_t i = 0; i < n; i++) work += x[i] * force[i];
        for (size_t i = 0; i < n; i++) y[i] += work / stiff * x[i];
    }
}

// [0 1; -K -w C] z = s/w [1 0; 0 w^2 M] z, z = (x, s/w x). w brings all of them to one size.
static br_status quadratic(br_linear *l, const double *K, const double *C, const double *M, br_found *found,
                           int *count, br_error *error) {
    const size_t m = (size_t)l->basis, N = 2 * m;
    const double w = br_linear_lowest(l);
    double *A = BR_TAKE(l->scratch, double, N *N), *B = BR_TAKE(l->scratch, double, N *N);
    double *V = BR_TAKE(l->scratch, double, N *N), *a = BR_TAKE(l->scratch, double, 3 * N);
    double *directions = BR_TAKE(l->scratch, double, (m + 1) * (size_t)l->n);
    if (!br_arena_ok(l->scratch)) return br_no_memory(error, no_memory);
    double *a_i = a + N, *b = a + 2 * N;
    for (size_t c = 0; c < m; c++) {
        A[(m + c) * N + c] = B[c * N + c] = 1.0;
        for (size_t r = 0; r < m; r++) {
            A[c * N + m + r] = -K[c * m + r], A[(m + c) * N + m + r] = -w * C[c * m + r];
            B[(m + c) * N + m + r] = w * w * M[c * m + r];
        }
    }
    if (LAPACKE_dggev(LAPACK_COL_MAJOR, 'N', 'V', (lapack_int)N, A, (lapack_int)N, B, (lapack_int)N, a, a_i,
                      b, NULL, (lapack_int)N, V, (lapack_int)N) != 0)
        return failed(l, error);
    for (size_t k = 0; k < N; k++) {
        const double size = br_hypot(a[k], a_i[k]);
        if (a_i[k] < 0.0 || !(fabs(b[k]) > 1e-13 * size)) continue; // the other of a pair; no mass moves
        br_found *out = &found[(*count)++];
        *out = (br_found){.real = w * a[k] / b[k],
                          .imaginary = fabs(w * a_i[k] / b[k]),
                          .x = shape_of(l, V + k * N),
                          .x_i = shape_of(l, a_i[k] > 0.0 ? V + (k + 1) * N : NULL)};
        if (!out->x || !out->x_i) return br_no_memory(error, no_memory);
        const double squared = out->real * out->real + out->imaginary * out->imaginary;
        const double noise = br_linear_noise(l, out->x, out->x_i);
        out->rigid = squared <= noise + BR_EPS_RIGID * l->sigma;
        out->rounding = squared > 0.0 ? 0.5 * noise / squared : 0.0;
        if (fabs(out->real) < BR_EPS_GROWTH * out->imaginary) out->real = 0.0;
        if (out->rigid) out->real = out->imaginary = out->rounding = 0.0;
    }
    keep_rigid_once(l, found, count, directions);
    return BR_OK;
}

static int is_unsymmetric(const double *K, size_t m) {
    double largest = 0.0;
    for (size_t r = 0; r < m; r++)
        for (size_t c = 0; c < r; c++) largest = fmax(largest, fabs(K[r * m + c] - K[c * m + r]));
    return largest > BR_EPS_UNSYMMETRIC;
}

// Beyond what rounding of K does between two shapes: their own noise is that of the diagonal.
static br_status find_asymmetry(br_linear *l, const double *K, br_error *error) {
    const size_t m = (size_t)l->basis, n = (size_t)l->n;
    double *noise = BR_TAKE(l->scratch, double, m + 1);
    if (!noise) return br_no_memory(error, no_memory);
    for (size_t k = 0; k < m; k++) noise[k] = BR_NOISE * form(l, BR_MODE_K, l->X + k * n, 1);
    l->unsymmetric = 0;
    for (size_t r = 0; r < m; r++)
        for (size_t c = 0; c < r; c++)
            if (fabs(K[r * m + c] - K[c * m + r]) > BR_EPS_UNSYMMETRIC + 10.0 * sqrt(noise[r] * noise[c]))
                l->unsymmetric = 1;
    return BR_OK;
}

// s^2 of K x = -s^2 M x where K is not symmetric: half the size of the quadratic problem. Of each pair of roots the one is
// told that does not decay. Every coordinate of the basis has mass.
static br_status unsymmetric(br_linear *l, const double *K, br_found *found, int *count, br_error *error) {
    const size_t m = (size_t)l->basis;
    double *A = BR_TAKE(l->scratch, double, m *m + 1), *V = BR_TAKE(l->scratch, double, m *m + 1);
    double *re = BR_TAKE(l->scratch, double, m + 1), *im = BR_TAKE(l->scratch, double, m + 1),
           *zero = BR_TAKE(l->scratch, double, m + 1);
    if (!br_arena_ok(l->scratch)) return br_no_memory(error, no_memory);
    for (size_t c = 0; c < m; c++)
        for (size_t r = 0; r < m; r++) A[c * m + r] = K[c * m + r] / sqrt(l->mu[r] * l->mu[c]);
    if (LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', 'V', (lapack_int)m, A, (lapack_int)m, re, im, NULL, 1, V,
                      (lapack_int)m) != 0)
        return failed(l, error);
    *count = 0;
    for (size_t k = 0; k < m; k++) {
        if (im[k] < 0.0) continue; // the other of a pair
        for (size_t r = 0; r < m; r++) {
            V[k * m + r] /= sqrt(l->mu[r]);
            if (im[k] > 0.0) V[(k + 1) * m + r] /= sqrt(l->mu[r]);
        }
        const double size = br_hypot(re[k], im[k]);
        br_found *out = &found[(*count)++];
        // s = sqrt(-w), w = re + i im: real part sqrt((|w| - re)/2)
        *out = (br_found){.real = sqrt(0.5 * fmax(0.0, size - re[k])),
                          .imaginary = sqrt(0.5 * fmax(0.0, size + re[k])),
                          .x = shape_of(l, V + k * m),
                          .x_i = shape_of(l, im[k] > 0.0 ? V + (k + 1) * m : zero)};
        if (!out->x || !out->x_i) return br_no_memory(error, no_memory);
        const double noise = br_linear_noise(l, out->x, out->x_i);
        out->rigid = size <= noise + BR_EPS_RIGID * l->sigma;
        out->rounding = size > 0.0 ? 0.5 * noise / size : 0.0;
        if (im[k] == 0.0) *(re[k] > 0.0 ? &out->real : &out->imaginary) = 0.0;
        if (out->rigid) out->real = out->imaginary = out->rounding = 0.0;
    }
    return BR_OK;
}

br_status br_linear_decisive(br_linear *l, br_found **out, int *count, br_error *error) {
    const size_t m = (size_t)l->basis;
    br_found *found = BR_TAKE(l->scratch, br_found, 2 * m + 1);
    double *K = BR_TAKE(l->scratch, double, m *m + 1);
    *count = 0;
    if (!br_arena_ok(l->scratch)) return br_no_memory(error, no_memory);
    br_linear_project(l, BR_MODE_K, 1.0, K);
    br_status status = find_asymmetry(l, K, error);
    const int massive = m == 0 || l->mu[m - 1] > 4.0 * DBL_EPSILON * l->mu[0];
    if (status == BR_OK && l->unsymmetric && !l->damped && massive)
        status = unsymmetric(l, K, found, count, error);
    else if (status == BR_OK && l->unsymmetric)
        return br_linear_eigen(l, out, count, error);
    else if (status == BR_OK)
        status = from_basis(l, found, count, error);
    *out = found;
    return status;
}

br_status br_linear_eigen(br_linear *l, br_found **out, int *count, br_error *error) {
    const size_t m = (size_t)l->basis;
    br_found *found = BR_TAKE(l->scratch, br_found, 2 * m + 1);
    double *K = BR_TAKE(l->scratch, double, m *m + 1), *C = BR_TAKE(l->scratch, double, m *m + 1),
           *M = BR_TAKE(l->scratch, double, m *m + 1);
    *count = 0;
    if (!br_arena_ok(l->scratch)) return br_no_memory(error, no_memory);
    br_linear_project(l, BR_MODE_K, 1.0, K);
    l->unsymmetric = is_unsymmetric(K, m); // X^T (K + sigma M) X = 1: its size is 1
    br_status status = BR_OK;
    if (l->damped || l->spin != 0.0 || l->unsymmetric) {
        if (l->damped) br_linear_project(l, BR_MODE_C, 1.0, C);
        br_linear_project(l, BR_MODE_G, l->spin, C);
        br_linear_project(l, BR_MODE_N, l->spin * l->spin, K);
        br_linear_project(l, BR_MODE_LIFT, l->spin * l->spin, K);
        br_linear_project(l, BR_MODE_DRAG, l->spin, K);
        br_linear_project(l, BR_MODE_M, 1.0, M);
        if (m > 0) status = quadratic(l, K, C, M, found, count, error);
    } else {
        status = from_basis(l, found, count, error);
    }
    if (status != BR_OK) return status;
    qsort(found, (size_t)*count, sizeof *found, by_size);
    *out = found;
    return BR_OK;
}
