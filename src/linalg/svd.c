// Golub and Kahan's way, see svd.h [Golub2013, sec. 8.6; Demmel1990 for the sweeps]:
//
//   A^T = Q R        by reflectors, where one side is much longer than the other; only R goes on
//   R = H B G^T      by reflectors from both sides: B is upper bidiagonal, diagonal d, beside it e
//   B = X S Y^T      sweeps of rotations, each with a shift that makes the last e vanish cubically
//   V = Q H X        G and Y are never formed: left vectors of A are not asked for
//
// The paths are those of LAPACK's dgesdd for a small matrix, so that a null space has the same basis to rounding. Rows of
// the work are columns of A^T: everything runs along contiguous memory.
#include "linalg/svd.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define BR_MAX_SWEEPS 60                 // for each value; two are usual
#define BR_EPS_BESIDE (64 * DBL_EPSILON) // of what a value of B has at least: e below is zero
#define BR_SVD_BATCH 16 // sweeps whose rotations are applied together, while a strip of V is in the cache
#define BR_SVD_STRIP 64 // columns of V in a strip
#define BR_SVD_TILE 8   // vectors that a reflector is applied to while it is in the cache

// Reflectors 1 - beta v v^T, one after the other; vector i begins at its place i.
typedef struct svd_mirror {
    int count, length;
    double *vector, *beta, *corner; // corner: what the first entry became
} svd_mirror;

typedef struct svd_turns { // of one sweep: pairs of rows from `at` on, one by one, up or down
    int at, count, step;
    double *c, *s;
} svd_turns;

typedef struct svd_work {
    int n, waiting;   // size of B, sweeps in `turns`
    double *d, *e;    // [n]
    double *V;        // rows to be turned, NULL: none
    int length, cols; // of them, from one to the next
    svd_turns turns[BR_SVD_BATCH];
} svd_work;

// Eight sums: one alone waits for its own additions.
static double svd_dot(int n, const double *a, const double *b) {
    double sum[8] = {0.0}, rest = 0.0;
    int k = 0;
    for (; k + 8 <= n; k += 8)
        for (int i = 0; i < 8; i++) sum[i] += a[k + i] * b[k + i];
    for (; k < n; k++) rest += a[k] * b[k];
    return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7])) + rest;
}

// y += factor x
static void svd_add(int n, double factor, const double *x, double *y) {
    for (int k = 0; k < n; k++) y[k] += factor * x[k];
}

// --- reflectors --------------------------------------------------------------------------------------------

// Turns x into the vector of the reflector that takes x to its first axis. Returns what that makes of x[0].
static double svd_reflector(int n, double *x, double *beta) {
    const double rest = svd_dot(n - 1, x + 1, x + 1), first = x[0];
    *beta = 0.0;
    if (rest == 0.0) return first;
    const double length = sqrt(first * first + rest), corner = first < 0.0 ? length : -length;
    *beta = 1.0 / (length * (length + fabs(first)));
    x[0] = first - corner;
    return corner;
}

static void svd_reflect(int n, const double *v, double beta, double *x) {
    if (beta != 0.0) svd_add(n, -beta * svd_dot(n, v, x), v, x);
}

static int svd_mirror_take(svd_mirror *m, br_arena *scratch, int count, int length) {
    *m = (svd_mirror){count, length, BR_TAKE(scratch, double, (size_t)count *(size_t)length),
                      BR_TAKE(scratch, double, count), BR_TAKE(scratch, double, count)};
    return m->vector && m->beta && m->corner;
}

// Vector i becomes the reflector that leaves of it what is before its place and the corner; the later ones are reflected.
static void svd_mirror_step(svd_mirror *m, int i) {
    const size_t stride = (size_t)m->length;
    double *v = m->vector + (size_t)i * stride + i;
    m->corner[i] = svd_reflector(m->length - i, v, &m->beta[i]);
    for (int j = i + 1; j < m->count; j++)
        svd_reflect(m->length - i, v, m->beta[i], m->vector + (size_t)j * stride + i);
}

// Applies reflectors last to first to rows `from` to `to` of V. axes: row k is still axis k, which later ones do not touch.
static void svd_mirror_apply(const svd_mirror *m, int from, int to, int axes, double *V, size_t stride) {
    for (int first = from; first < to; first += BR_SVD_TILE) {
        const int last = first + BR_SVD_TILE < to ? first + BR_SVD_TILE : to;
        for (int i = m->count - 1; i >= 0; i--)
            for (int k = first; k < last; k++)
                if (!axes || i <= k)
                    svd_reflect(m->length - i, m->vector + (size_t)i * (size_t)m->length + i, m->beta[i],
                                V + (size_t)k * stride + i);
    }
}

// The triangle that reflectors left: entries before the corner of each vector, as vectors of length `count`, or turned.
static void svd_triangle(const svd_mirror *m, int turned, svd_mirror *out) {
    const size_t n = (size_t)m->count;
    for (size_t j = 0; j < n; j++)
        for (size_t k = 0; k <= j; k++)
            out->vector[turned ? k * n + j : j * n + k] =
                k == j ? m->corner[j] : m->vector[j * (size_t)m->length + k];
}

// To bidiagonal form. line: [m->length + m->count]
static void svd_bidiagonal(svd_mirror *m, double *d, double *e, double *line) {
    const size_t stride = (size_t)m->length;
    double *v = line + m->length;
    for (int i = 0; i < m->count; i++) {
        svd_mirror_step(m, i);
        d[i] = m->corner[i], e[i] = 0.0;
        const int rest = m->count - i - 1, below = m->length - i - 1;
        if (rest == 0) continue;
        double beta;
        for (int j = 0; j < rest; j++) v[j] = m->vector[(size_t)(i + 1 + j) * stride + (size_t)i];
        e[i] = svd_reflector(rest, v, &beta);
        if (beta == 0.0) continue;
        memset(line, 0, (size_t)below * sizeof *line);
        for (int j = 0; j < rest; j++)
            svd_add(below, v[j], m->vector + (size_t)(i + 1 + j) * stride + i + 1, line);
        for (int j = 0; j < rest; j++)
            svd_add(below, -beta * v[j], line, m->vector + (size_t)(i + 1 + j) * stride + i + 1);
    }
}

// --- sweeps ------------------------------------------------------------------------------------------------

// Applies the rotations that wait, strip by strip of V.
static void svd_flush(svd_work *w) {
    const ptrdiff_t stride = w->cols;
    for (int from = 0; w->V && from < w->length; from += BR_SVD_STRIP) {
        const int width = w->length - from < BR_SVD_STRIP ? w->length - from : BR_SVD_STRIP;
        for (int t = 0; t < w->waiting; t++) {
            const svd_turns *turn = &w->turns[t];
            double *x = w->V + turn->at * stride + from;
            for (int i = 0; i < turn->count; i++, x += turn->step * stride) {
                const double c = turn->c[i], s = turn->s[i];
                double *y = x + turn->step * stride;
                for (int k = 0; k < width; k++) {
                    const double a = x[k], b = y[k];
                    x[k] = c * a + s * b, y[k] = c * b - s * a;
                }
            }
        }
    }
    w->waiting = 0;
}

// sqrt(a^2 + b^2) without overflow. hypot of one libm is not that of another.
static double svd_length(double a, double b) {
    const double most = fmax(fabs(a), fabs(b)), least = fmin(fabs(a), fabs(b));
    return most > 0.0 ? most * sqrt(1.0 + least / most * (least / most)) : 0.0;
}

// c f + s g = r, c g = s f
static double svd_givens(double f, double g, double *c, double *s) {
    if (g == 0.0) return *c = 1.0, *s = 0.0, f;
    if (f == 0.0) return *c = 0.0, *s = copysign(1.0, g), fabs(g);
    const double r = copysign(svd_length(f, g), f);
    *c = fabs(f / r), *s = g / r;
    return r;
}

// One sweep over the block from lo to hi, towards its smaller end. Without a shift it keeps the digits of small values.
static void svd_sweep(svd_work *w, int lo, int hi, int down, double shift) {
    svd_turns *turn = &w->turns[w->waiting++];
    const int n = hi - lo, step = down ? 1 : -1, shifted = shift > 0.0;
    *turn = (svd_turns){down ? lo : hi, n, step, turn->c, turn->s};
    double *d = w->d, *e = w->e, c = 1.0, s = 0.0, c_old = 1.0, s_old = 0.0;
    int at = turn->at, beside = down ? lo : hi - 1; // d of the row, e between it and the next
    double f = shifted ? (fabs(d[at]) - shift) * (copysign(1.0, d[at]) + shift / d[at]) : 0.0, g = e[beside];
    for (int i = 0; i < n; i++, at += step, beside += step) {
        const int next = at + step;
        if (shifted) {
            const double r = svd_givens(f, g, &c, &s);
            if (i > 0) e[beside - step] = r;
            f = c * d[at] + s * e[beside], e[beside] = c * e[beside] - s * d[at];
            g = s * d[next], d[next] *= c;
            d[at] = svd_givens(f, g, &c_old, &s_old);
            f = c_old * e[beside] + s_old * d[next], d[next] = c_old * d[next] - s_old * e[beside];
            if (i < n - 1) g = s_old * e[beside + step], e[beside + step] *= c_old;
        } else {
            const double r = svd_givens(d[at] * c, e[beside], &c, &s);
            if (i > 0) e[beside - step] = s_old * r;
            d[at] = svd_givens(c_old * r, d[next] * s, &c_old, &s_old);
        }
        turn->c[i] = down ? c_old : c, turn->s[i] = down ? s_old : s;
    }
    e[beside - step] = shifted ? f : d[at] * c * s_old;
    if (!shifted) d[at] *= c * c_old;
    if (w->waiting == BR_SVD_BATCH) svd_flush(w);
}

// The smaller singular value of [f g; 0 h].
static double svd_smaller(double f, double g, double h) {
    const double low = fmin(fabs(f), fabs(h)), high = fmax(fabs(f), fabs(h)), beside = fabs(g);
    if (low == 0.0) return 0.0;
    const double most = fmax(high, beside), u = low / most, v = high / most, t = beside / most;
    const double sum = svd_length(u + v, t), difference = svd_length(v - u, t);
    return 2.0 * u * v / (sum + difference) * most;
}

// Zeros of e beside the block that ends at hi; its first row. Each value of a block is at least about mu.
static int svd_split(svd_work *w, int hi, int down, double floor) {
    for (int k = hi - 1; k >= 0; k--)
        if (fabs(w->e[k]) <= floor) {
            w->e[k] = 0.0;
            if (k == hi - 1) return hi;
            break;
        }
    int lo = hi;
    while (lo > 0 && w->e[lo - 1] != 0.0) lo--;
    double mu = fabs(w->d[down ? lo : hi]);
    for (int i = 0; i < hi - lo; i++) {
        const int k = down ? lo + i : hi - 1 - i;
        if (fabs(w->e[k]) <= BR_EPS_BESIDE * mu) {
            w->e[k] = 0.0;
            return k == hi - 1 ? hi : k + 1;
        }
        mu = fabs(w->d[down ? k + 1 : k]) * (mu / (mu + fabs(w->e[k])));
    }
    return lo;
}

static int svd_diagonalize(svd_work *w) {
    double largest = 0.0;
    for (int k = 0; k < w->n; k++) largest = fmax(largest, fmax(fabs(w->d[k]), fabs(w->e[k])));
    const double floor = 0.25 * DBL_EPSILON * largest; // as small as the rounding of B itself
    int hi = w->n - 1, lo_before = -1, hi_before = -1, down = 1;
    for (long left = (long)BR_MAX_SWEEPS * w->n; hi > 0; left--) {
        int lo = svd_split(w, hi, down, floor);
        if (lo == hi) {
            hi--;
            continue;
        }
        if (left <= 0) return 0;
        if (lo > hi_before || hi < lo_before) down = fabs(w->d[lo]) >= fabs(w->d[hi]);
        lo_before = lo, hi_before = hi;
        const double start = fabs(w->d[down ? lo : hi]);
        double shift = down ? svd_smaller(w->d[hi - 1], w->e[hi - 1], w->d[hi])
                            : svd_smaller(w->d[lo], w->e[lo], w->d[lo + 1]);
        if (!(start > 0.0) || (shift / start) * (shift / start) < 0.5 * DBL_EPSILON) shift = 0.0;
        svd_sweep(w, lo, hi, down, shift);
    }
    svd_flush(w);
    return 1;
}

// --- the whole ---------------------------------------------------------------------------------------------

// Falling order; rows of V go with their values.
static void svd_sort(svd_work *w, double *line) {
    const size_t bytes = (size_t)w->length * sizeof *line, stride = (size_t)w->cols;
    for (int k = 0; k < w->n; k++) {
        int best = k;
        for (int j = k + 1; j < w->n; j++)
            if (fabs(w->d[j]) > fabs(w->d[best])) best = j;
        const double value = fabs(w->d[best]);
        w->d[best] = w->d[k], w->d[k] = value;
        if (!w->V || best == k) continue;
        double *x = w->V + (size_t)k * stride, *y = w->V + (size_t)best * stride;
        memcpy(line, x, bytes), memcpy(x, y, bytes), memcpy(y, line, bytes);
    }
}

// A^T by columns into `main`, by way of `first` where one side is much longer. Returns 0: no memory.
static int svd_start(br_arena *scratch, int rows, int cols, const double *A, int exponent, svd_mirror *first,
                     svd_mirror *main) {
    const int tall = rows > cols, least = tall ? cols : rows, most = tall ? rows : cols;
    const int twice = tall || most >= least * 11 / 6; // LAPACK's threshold
    if (!svd_mirror_take(twice ? first : main, scratch, least, most)) return 0;
    if (twice && !svd_mirror_take(main, scratch, least, least)) return 0;
    double *to = twice ? first->vector : main->vector;
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++)
            to[tall ? (size_t)c * (size_t)rows + (size_t)r : (size_t)r * (size_t)cols + (size_t)c] =
                ldexp(A[(size_t)r * (size_t)cols + (size_t)c], -exponent);
    if (!twice) return 1;
    for (int i = 0; i < least; i++) svd_mirror_step(first, i);
    svd_triangle(first, tall, main);
    if (tall) first->count = 0; // reflectors of the left side
    return 1;
}

br_status br_svd(br_arena *scratch, int rows, int cols, const double *A, double *singular, double *V) {
    const size_t size = (size_t)rows * (size_t)cols, stride = (size_t)cols;
    double largest = 0.0;
    for (size_t k = 0; k < size; k++) largest = fmax(largest, fabs(A[k]));
    // By a power of two to about 1: squares neither overflow nor vanish, and no digit moves.
    const int exponent = largest > 0.0 ? ilogb(largest) : 0;
    svd_mirror first = {0}, main = {0};
    if (!svd_start(scratch, rows, cols, A, exponent, &first, &main)) return BR_NO_MEMORY;
    const int n = main.count, length = main.length;
    svd_work w = {.n = n, .V = V, .length = length, .cols = cols};
    double *turn = BR_TAKE(scratch, double, 2 * BR_SVD_BATCH * (size_t)n),
           *line = BR_TAKE(scratch, double, length + n);
    w.d = BR_TAKE(scratch, double, n), w.e = BR_TAKE(scratch, double, n);
    if (!turn || !line || !w.d || !w.e) return BR_NO_MEMORY;
    for (int t = 0; t < BR_SVD_BATCH; t++)
        w.turns[t].c = turn + (size_t)(2 * t) * (size_t)n, w.turns[t].s = w.turns[t].c + n;
    svd_bidiagonal(&main, w.d, w.e, line);
    if (V) {
        memset(V, 0, stride * stride * sizeof *V);
        for (size_t k = 0; k < stride; k++) V[k * stride + k] = 1.0;
        svd_mirror_apply(&main, 0, length, 1, V, stride);
    }
    if (!svd_diagonalize(&w)) return BR_NUMERICAL;
    svd_sort(&w, line);
    for (int k = 0; k < n; k++) singular[k] = ldexp(w.d[k], exponent);
    if (V) svd_mirror_apply(&first, 0, cols, 0, V, stride);
    return BR_OK;
}
