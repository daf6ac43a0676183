// The dense instant of balance.h: held rows, their null space, and forces as an affine function of sliding friction.
//
// Held rows H: W = A_H^T M^-1 A_H. Where W factors the rows are independent. Else the null space of A_H is found by one-sided
// Jacobi rotations on its columns, each of length 1, and W is solved on what is left of them.
#include "friction/balance.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/symmetric.h"
#include "math/elementary.h"

#define BR_EPS_INDEPENDENT 1e-7 // pivots of W, its diagonal being 1, above which rows need no further look
#define BR_EPS_NULL 1e-9        // singular values of unit columns, of the largest, that count as zero
#define BR_EPS_WEIGHED 1e-12    // eigenvalues of Z^T C Z, of the largest, that count as zero
#define BR_MAX_SWEEPS 40

struct br_balance_work {
    int n, columns, pads;
    int order;               // n of the balance at hand
    int blocks, *block;      // [n + 1] its M is made of so many diagonal blocks, and where they begin
    int turned;              // W is that of turned columns, see factor_dependent
    double *L;               // [n * n] Cholesky factor of M
    double *C;               // [columns * n] rows: columns of A that are held
    double *S;               // [columns * n] rows: M^-1 A_c of held columns, and of loads
    double *V;               // [columns * n] scaled columns of A_H, turned
    double *turn;            // [columns * columns] rows: the rotation
    double *W;               // [columns * columns]
    double *size;            // [columns] lengths of A_H's columns
    double *r, *y, *z;       // [columns]
    double *rhs;             // [n]
    double *small, *values;  // [columns * columns], [columns] of Z^T C Z
    double *J;               // [pads * pads] of Newton
    int *pivot;              // [pads + columns]
    double *g, *d, *f;       // [pads]
    double *roots;           // [BR_MAX_ROOTS * pads]
    double *x;               // [columns]
    br_pad_state *state;     // [pads] and
    double *line_x, *line_a; // [columns], [n]: of the caller
    br_held held;
};

br_balance_work *br_balance_work_create(br_arena *arena, int n, int columns, int pads) {
    br_balance_work *w = BR_TAKE(arena, br_balance_work, 1);
    if (!w) return NULL;
    const int most = columns > 0 ? columns : 1, p = pads > 0 ? pads : 1, rows = n > 0 ? n : 1;
    w->n = n, w->columns = columns, w->pads = pads;
    w->L = BR_TAKE(arena, double, rows *rows);
    w->S = BR_TAKE(arena, double, (most + p + 1) * rows);
    w->V = BR_TAKE(arena, double, most *rows);
    w->C = BR_TAKE(arena, double, most *rows);
    w->turn = BR_TAKE(arena, double, most *most);
    w->W = BR_TAKE(arena, double, most *most);
    w->small = BR_TAKE(arena, double, 2 * most * most);
    w->J = BR_TAKE(arena, double, p *p);
    double *lines = BR_TAKE(arena, double, 6 * most + rows + 3 * p + BR_MAX_ROOTS * p);
    w->pivot = BR_TAKE(arena, int, p + 2 * most);
    w->block = BR_TAKE(arena, int, rows + 1);
    w->state = BR_TAKE(arena, br_pad_state, p);
    w->line_x = BR_TAKE(arena, double, most);
    w->line_a = BR_TAKE(arena, double, rows);
    br_held *h = &w->held;
    h->column = BR_TAKE(arena, int, most);
    h->limit = BR_TAKE(arena, int, p);
    h->Z = BR_TAKE(arena, double, most *most);
    h->x0 = BR_TAKE(arena, double, most);
    h->X = BR_TAKE(arena, double, p *most);
    h->a0 = BR_TAKE(arena, double, rows);
    h->B = BR_TAKE(arena, double, p *rows);
    if (!br_arena_ok(arena)) return NULL;
    w->size = lines, w->r = lines + most, w->y = lines + 2 * most, w->z = lines + 3 * most,
    w->values = lines + 4 * most, w->x = lines + 5 * most, w->rhs = lines + 6 * most;
    w->g = w->rhs + rows, w->d = w->g + p, w->f = w->d + p, w->roots = w->f + p;
    return w;
}

br_pad_state *br_balance_states(br_balance_work *work) {
    return work->state;
}

void br_balance_lines(br_balance_work *work, double **x, double **a) {
    *x = work->line_x, *a = work->line_a;
}

static double norm_of(const br_balance_norm *norm, int columns, const double *x) {
    double square = 0.0;
    if (norm->forms == 1) return fabs(br_dot(columns, norm->form[0], x));
    for (int k = 0; k < norm->forms; k++) {
        const double part = br_dot(columns, norm->form[k], x);
        square += part * part;
    }
    return sqrt(square);
}

double br_balance_load(const br_balance *b, int pad, const double *x) {
    const br_balance_pad *p = &b->pad[pad];
    if (p->normal >= 0) return x[p->normal];
    double load = p->preload;
    for (int k = 0; k < p->norms; k++) load += norm_of(&p->norm[k], b->columns, x);
    return load;
}

// --- masses ------------------------------------------------------------------------------------------------

// Bodies are blocks of M, unless rotors tie them together. 0: it is not positive definite.
static int factor_mass(const br_balance *b, br_balance_work *w) {
    const int n = b->n;
    memcpy(w->L, b->M, (size_t)n * (size_t)n * sizeof *w->L);
    w->order = n, w->blocks = 0;
    for (int first = 0, end = 0; first < n; first = end) {
        end = first + 1;
        for (int r = first; r < end; r++)
            for (int c = n - 1; c >= end; c--)
                if (b->M[r * n + c] != 0.0) end = c + 1;
        w->block[w->blocks++] = first;
        w->block[w->blocks] = end;
        if (br_cholesky_factor(end - first, w->L + first * (n + 1), n) != 0) return 0;
    }
    return 1;
}

// x := M^-1 x
static void solve_mass(const br_balance_work *w, double *x) {
    const int n = w->order;
    for (int k = 0; k < w->blocks; k++) {
        const int first = w->block[k], size = w->block[k + 1] - first;
        int any = 0;
        for (int r = first; r < first + size; r++) any |= x[r] != 0.0;
        if (any) br_cholesky_solve(size, w->L + first * (n + 1), n, x + first);
    }
}

// --- held rows ---------------------------------------------------------------------------------------------

static void list_held(const br_balance *b, const br_pad_state *state, br_held *h) {
    h->held = h->limits = 0;
    for (int c = 0; c < b->bilateral; c++) h->column[h->held++] = c;
    for (int i = 0; i < b->pads; i++) {
        const br_balance_pad *p = &b->pad[i];
        const br_pad_mode mode = state[i].mode;
        if (p->normal >= 0 && (mode == BR_PAD_STUCK || mode == BR_PAD_LIMIT))
            h->column[h->held++] = p->normal;
        for (int d = 0; mode == BR_PAD_STUCK && d < p->directions; d++) h->column[h->held++] = p->column + d;
        if (mode == BR_PAD_LIMIT) h->limit[h->limits++] = i;
    }
}

// W with unit diagonal, factored in place; 0: the rows are dependent, or nearly.
static int factor_independent(const br_balance *b, br_balance_work *w, int held) {
    for (int i = 0; i < held; i++)
        for (int j = 0; j <= i; j++) {
            w->W[i * held + j] = w->W[j * held + i] = br_dot(b->n, w->C + i * b->n, w->S + j * b->n);
        }
    for (int i = 0; i < held; i++) {
        if (!(w->W[i * held + i] > 0.0)) return 0;
        w->size[i] = 1.0 / sqrt(w->W[i * held + i]);
    }
    for (int i = 0; i < held; i++)
        for (int j = 0; j < held; j++) w->W[i * held + j] *= w->size[i] * w->size[j];
    if (br_cholesky_factor(held, w->W, held) != 0) return 0;
    for (int i = 0; i < held; i++)
        if (w->W[i * held + i] * w->W[i * held + i] < BR_EPS_INDEPENDENT) return 0;
    return 1;
}

// Rotates pairs of columns until all are orthogonal [Hestenes]. Rows of V and turn are the columns.
static void orthogonalize(br_balance_work *w, int n, int held) {
    for (int sweep = 0; sweep < BR_MAX_SWEEPS; sweep++) {
        int turned = 0;
        for (int p = 0; p < held; p++)
            for (int q = p + 1; q < held; q++) {
                double *u = w->V + p * n, *v = w->V + q * n;
                const double a = br_dot(n, u, u), c = br_dot(n, v, v), g = br_dot(n, u, v);
                if (!(fabs(g) > 1e-15 * sqrt(a * c)) || !(fabs(g) > 1e-26)) continue;
                turned = 1;
                const double t0 = (c - a) / (2.0 * g),
                             t = copysign(1.0, t0) / (fabs(t0) + sqrt(1.0 + t0 * t0));
                const double cosine = 1.0 / sqrt(1.0 + t * t), sine = t * cosine;
                for (int k = 0; k < n; k++) {
                    const double x = u[k];
                    u[k] = cosine * x - sine * v[k], v[k] = sine * x + cosine * v[k];
                }
                u = w->turn + p * held, v = w->turn + q * held;
                for (int k = 0; k < held; k++) {
                    const double x = u[k];
                    u[k] = cosine * x - sine * v[k], v[k] = sine * x + cosine * v[k];
                }
            }
        if (!turned) return;
    }
}

// Orthonormal Z over all columns from the turned columns that have vanished.
static void gather_null(const br_balance *b, br_balance_work *w, const int *vanishes) {
    br_held *h = &w->held;
    h->nullity = 0;
    for (int p = 0; p < h->held; p++) {
        if (!vanishes[p]) continue;
        double *z = h->Z + h->nullity * b->columns;
        memset(z, 0, (size_t)b->columns * sizeof *z);
        for (int k = 0; k < h->held; k++) z[h->column[k]] = w->size[k] * w->turn[p * h->held + k];
        for (int pass = 0; pass < 2; pass++)
            for (int q = 0; q < h->nullity; q++) {
                const double along = br_dot(b->columns, h->Z + q * b->columns, z);
                for (int c = 0; c < b->columns; c++) z[c] -= along * h->Z[q * b->columns + c];
            }
        const double length = sqrt(br_dot(b->columns, z, z));
        for (int c = 0; c < b->columns; c++) z[c] /= length;
        h->nullity++;
    }
}

// What is left of the columns after those that vanish: V_r^T W V_r factored, in W; basis: rows of `turn` kept.
static int factor_dependent(const br_balance *b, br_balance_work *w, int *kept) {
    br_held *h = &w->held;
    const int n = b->n, held = h->held;
    int *vanishes = w->pivot + w->pads + w->columns;
    memset(w->turn, 0, (size_t)held * (size_t)held * sizeof *w->turn);
    for (int k = 0; k < held; k++) {
        double length = 0.0;
        for (int r = 0; r < n; r++) {
            const double value = w->C[k * n + r];
            w->V[k * n + r] = value, length += value * value;
        }
        w->size[k] = length > 0.0 ? 1.0 / sqrt(length) : 1.0;
        for (int r = 0; r < n; r++) w->V[k * n + r] *= w->size[k];
        w->turn[k * held + k] = 1.0;
    }
    orthogonalize(w, n, held);
    double largest = 0.0;
    for (int k = 0; k < held; k++) largest = fmax(largest, br_dot(n, w->V + k * n, w->V + k * n));
    int rank = 0;
    for (int k = 0; k < held; k++) {
        vanishes[k] = br_dot(n, w->V + k * n, w->V + k * n) <= BR_EPS_NULL * BR_EPS_NULL * largest;
        if (!vanishes[k]) kept[rank++] = k;
    }
    gather_null(b, w, vanishes);
    // Each turned column is A_H times its row of `turn`, scaled: V itself.
    for (int i = 0; i < rank; i++) {
        memcpy(w->rhs, w->V + kept[i] * n, (size_t)n * sizeof *w->rhs);
        solve_mass(w, w->rhs);
        for (int j = 0; j < rank; j++) w->W[j * rank + i] = br_dot(n, w->rhs, w->V + kept[j] * n);
    }
    h->rank = rank;
    return br_cholesky_factor(rank, w->W, rank) == 0;
}

// x_H of A_H^T M^-1 (load + A_H x_H) = gamma, and a = M^-1 (load + A_H x_H). load: [n]; gamma NULL: zero.
static void respond(const br_balance *b, br_balance_work *w, const int *kept, const double *load,
                    const double *gamma, double *x, double *a) {
    br_held *h = &w->held;
    const int n = b->n, held = h->held;
    memcpy(a, load, (size_t)n * sizeof *a);
    solve_mass(w, a);
    for (int k = 0; k < held; k++) {
        w->r[k] = (gamma ? gamma[h->column[k]] : 0.0) - br_dot(n, w->C + k * n, a);
    }
    if (!w->turned) {
        for (int k = 0; k < held; k++) w->y[k] = w->size[k] * w->r[k];
        br_cholesky_solve(held, w->W, held, w->y);
        for (int k = 0; k < held; k++) x[h->column[k]] = w->size[k] * w->y[k];
    } else {
        double most = 0.0, left = 0.0;
        for (int i = 0; i < h->rank; i++) {
            w->y[i] = 0.0;
            for (int k = 0; k < held; k++) w->y[i] += w->turn[kept[i] * held + k] * w->size[k] * w->r[k];
        }
        for (int k = 0; k < held; k++) most = fmax(most, fabs(w->r[k]));
        for (int q = 0; q < h->nullity; q++) {
            double along = 0.0;
            for (int k = 0; k < held; k++) along += h->Z[q * b->columns + h->column[k]] * w->r[k];
            left = fmax(left, fabs(along));
        }
        if (most > 0.0) h->inconsistent = fmax(h->inconsistent, left / most);
        br_cholesky_solve(h->rank, w->W, h->rank, w->y);
        for (int k = 0; k < held; k++) {
            double sum = 0.0;
            for (int i = 0; i < h->rank; i++) sum += w->turn[kept[i] * held + k] * w->y[i];
            x[h->column[k]] = w->size[k] * sum;
        }
    }
    memcpy(w->rhs, load, (size_t)n * sizeof *w->rhs);
    for (int k = 0; k < held; k++)
        for (int r = 0; r < n; r++) w->rhs[r] += w->C[k * n + r] * x[h->column[k]];
    memcpy(a, w->rhs, (size_t)n * sizeof *a);
    solve_mass(w, a);
}

// --- the choice among dependent forces ---------------------------------------------------------------------

// Z^T C Z decomposed, once for all the forces of a balance.
static void decompose_weights(const br_balance *b, br_balance_work *w) {
    const br_held *h = &w->held;
    const int d = h->nullity;
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++) {
            double sum = 0.0;
            for (int k = 0; k < h->held; k++) {
                const int c = h->column[k];
                sum += h->Z[i * b->columns + c] * b->weight[c] * h->Z[j * b->columns + c];
            }
            w->small[i * d + j] = sum;
        }
    br_symmetric_eigen(d, w->small, w->small + d * d, w->values);
}

// x without its part along Z, then moved along Z to the smallest weighted sum.
static void choose(const br_balance *b, br_balance_work *w, double *x) {
    const br_held *h = &w->held;
    const int d = h->nullity;
    double largest = 0.0;
    for (int q = 0; q < d; q++) {
        const double *z = h->Z + q * b->columns;
        double along = 0.0;
        for (int k = 0; k < h->held; k++) along += z[h->column[k]] * x[h->column[k]];
        for (int k = 0; k < h->held; k++) x[h->column[k]] -= along * z[h->column[k]];
        largest = fmax(largest, w->values[q]);
    }
    if (!(largest > 0.0)) return;
    for (int q = 0; q < d; q++) {
        w->y[q] = 0.0;
        for (int k = 0; k < h->held; k++) {
            const int c = h->column[k];
            w->y[q] += h->Z[q * b->columns + c] * b->weight[c] * x[c];
        }
    }
    const double *turn = w->small + d * d;
    for (int e = 0; e < d; e++) {
        if (!(w->values[e] > BR_EPS_WEIGHED * largest)) continue;
        const double step = -br_dot(d, turn + e * d, w->y) / w->values[e];
        for (int q = 0; q < d; q++)
            for (int k = 0; k < h->held; k++)
                x[h->column[k]] += step * turn[e * d + q] * h->Z[q * b->columns + h->column[k]];
    }
}

br_status br_balance_hold(const br_balance *b, const br_pad_state *state, br_balance_work *w, br_held *out) {
    br_held *h = &w->held;
    const int n = b->n;
    int *kept = w->pivot + w->pads;
    if (!factor_mass(b, w)) return BR_NUMERICAL;
    list_held(b, state, h);
    h->nullity = 0, h->rank = h->held, h->inconsistent = 0.0;
    for (int k = 0; k < h->held; k++) {
        double *s = w->S + k * n;
        for (int r = 0; r < n; r++) s[r] = w->C[k * n + r] = b->A[r * b->columns + h->column[k]];
        solve_mass(w, s);
    }
    w->turned = !factor_independent(b, w, h->held);
    if (w->turned && !factor_dependent(b, w, kept)) return BR_NUMERICAL;
    if (h->nullity > 0) decompose_weights(b, w);
    double *load = w->S; // no longer needed
    memcpy(load, b->Q, (size_t)n * sizeof *load);
    memset(h->x0, 0, (size_t)b->columns * sizeof *h->x0);
    for (int i = 0; i < b->pads; i++) {
        const br_balance_pad *p = &b->pad[i];
        for (int d = 0; state[i].mode == BR_PAD_GIVEN && d < p->directions; d++) {
            h->x0[p->column + d] = b->x[p->column + d];
            for (int r = 0; r < n; r++) load[r] += b->A[r * b->columns + p->column + d] * b->x[p->column + d];
        }
        if (state[i].mode == BR_PAD_GIVEN && p->normal >= 0) {
            h->x0[p->normal] = b->x[p->normal];
            for (int r = 0; r < n; r++) load[r] += b->A[r * b->columns + p->normal] * b->x[p->normal];
        }
    }
    respond(b, w, kept, load, b->gamma, h->x0, h->a0);
    if (h->nullity > 0) choose(b, w, h->x0);
    for (int l = 0; l < h->limits; l++) {
        const br_balance_pad *p = &b->pad[h->limit[l]];
        const double *direction = state[h->limit[l]].direction;
        double *x = h->X + l * b->columns;
        memset(x, 0, (size_t)b->columns * sizeof *x);
        memset(load, 0, (size_t)n * sizeof *load);
        for (int d = 0; d < p->directions; d++)
            for (int r = 0; r < n; r++) load[r] -= direction[d] * b->A[r * b->columns + p->column + d];
        respond(b, w, kept, load, NULL, x, h->B + l * n);
        if (h->nullity > 0) choose(b, w, x);
        for (int d = 0; d < p->directions; d++) x[p->column + d] = -direction[d];
    }
    *out = *h;
    return BR_OK;
}

void br_balance_forces(const br_held *h, int columns, int n, const double *g, double *x, double *a) {
    if (x) memcpy(x, h->x0, (size_t)columns * sizeof *x);
    if (a) memcpy(a, h->a0, (size_t)n * sizeof *a);
    for (int l = 0; l < h->limits; l++) {
        for (int c = 0; x && c < columns; c++) x[c] += g[l] * h->X[l * columns + c];
        for (int r = 0; a && r < n; r++) a[r] += g[l] * h->B[l * n + r];
    }
}

// --- loads of pads that slide ------------------------------------------------------------------------------

// f := g - factor N(g); J := its derivative, where asked for.
static double defect(const br_balance *b, const br_pad_state *state, const br_held *h, br_balance_work *w,
                     const double *g, double *f, double *J) {
    const int n = h->limits;
    double largest = 0.0;
    br_balance_forces(h, b->columns, b->n, g, w->x, NULL);
    for (int i = 0; i < n; i++) {
        const br_balance_pad *p = &b->pad[h->limit[i]];
        const double factor = state[h->limit[i]].factor;
        f[i] = g[i] - factor * br_balance_load(b, h->limit[i], w->x);
        largest = fmax(largest, fabs(f[i]));
        for (int j = 0; J && j < n; j++) {
            const double *X = h->X + j * b->columns;
            double slope = p->normal >= 0 ? X[p->normal] : 0.0;
            for (int k = 0; p->normal < 0 && k < p->norms; k++) {
                const br_balance_norm *norm = &p->norm[k];
                const double length = norm_of(norm, b->columns, w->x);
                double sum = 0.0;
                for (int c = 0; c < norm->forms; c++)
                    sum += br_dot(b->columns, norm->form[c], w->x) * br_dot(b->columns, norm->form[c], X);
                if (length > 0.0) slope += sum / length;
            }
            J[i * n + j] = (i == j ? 1.0 : 0.0) - factor * slope;
        }
    }
    return largest;
}

static double scale_of(const br_balance *b, const br_held *h) {
    double scale = 0.0;
    for (int c = 0; c < b->columns; c++) scale = fmax(scale, fabs(h->x0[c]));
    for (int i = 0; i < b->pads; i++) scale = fmax(scale, b->pad[i].preload);
    return scale > 0.0 ? scale : 1.0;
}

#define BR_EPS_ROOT 1e-13
#define BR_EPS_ROOT_BAD 1e-10 // of the forces: a root, at least
#define BR_EPS_ROOTS 1e-8     // of the forces: two roots are one
#define BR_MAX_NEWTON 60

// What rounding of the loads at g is measured by. Beside forces that are a thousand times what causes them it is no longer of their size: such a
// root is on its way to infinity, and what seems to agree there is rounding.
static double size_at(double scale, const double *g, int n) {
    double most = 0.0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(g[i]));
    return fmax(scale, fmin(most, 1e3 * scale));
}

int br_balance_root_near(const br_balance *b, const br_pad_state *state, const br_held *h, br_balance_work *w,
                         double *g) {
    const int n = h->limits;
    if (n == 0) return 1;
    double scale = size_at(scale_of(b, h), g, n), now = defect(b, state, h, w, g, w->f, w->J);
    for (int k = 0; k < BR_MAX_NEWTON && now > BR_EPS_ROOT * scale; k++) {
        for (int i = 0; i < n; i++) w->d[i] = -w->f[i];
        if (br_lu_factor(n, w->J, n, w->pivot, 1e-14) != 0) return 0;
        br_lu_solve(n, w->J, n, w->pivot, w->d);
        double step = 1.0, next = INFINITY;
        for (int half = 0; half < 12; half++, step *= 0.5) {
            for (int i = 0; i < n; i++) w->g[i] = g[i] + step * w->d[i];
            next = defect(b, state, h, w, w->g, w->f, w->J);
            if (next < now || next <= BR_EPS_ROOT * scale) break;
        }
        if (!(next < now) && !(next <= 1e-11 * scale)) return 0;
        memcpy(g, w->g, (size_t)n * sizeof *g);
        scale = size_at(scale_of(b, h), g, n);
        if (!(next < now)) break;
        now = next;
    }
    for (int i = 0; i < n; i++)
        if (!b->pad[h->limit[i]].may_pull && !(g[i] >= -1e-11 * scale)) return 0;
    return now <= BR_EPS_ROOT_BAD * scale;
}

// Largest rate at which an error of g can feed itself: the spectral radius of the Lipschitz constants.
static int contracts(const br_balance *b, const br_pad_state *state, const br_held *h, br_balance_work *w) {
    const int n = h->limits;
    for (int i = 0; i < n; i++) {
        const br_balance_pad *p = &b->pad[h->limit[i]];
        for (int j = 0; j < n; j++) {
            const double *X = h->X + j * b->columns;
            double slope = p->normal >= 0 ? fabs(X[p->normal]) : 0.0;
            for (int k = 0; p->normal < 0 && k < p->norms; k++) slope += norm_of(&p->norm[k], b->columns, X);
            w->J[i * n + j] = state[h->limit[i]].factor * slope;
        }
    }
    double rate = 0.0;
    for (int i = 0; i < n; i++) w->d[i] = 1.0;
    for (int k = 0; k < 50; k++) {
        rate = 0.0;
        for (int i = 0; i < n; i++)
            w->f[i] = br_dot(n, w->J + i * n, w->d), rate = fmax(rate, w->f[i] / w->d[i]);
        if (rate < 1.0) return 1; // the Collatz-Wielandt bound: the radius is below it
        double most = 0.0;
        for (int i = 0; i < n; i++) most = fmax(most, w->f[i]);
        for (int i = 0; i < n; i++) w->d[i] = fmax(w->f[i] / most, 1e-9);
    }
    return 0;
}

// Two roots that cannot be told apart are one: where they are about to meet, what lies between them agrees as well.
static int is_same_root(const br_balance *b, const br_pad_state *state, const br_held *h, br_balance_work *w,
                        const double *g, const double *other) {
    const int n = h->limits;
    const double size = size_at(scale_of(b, h), g, n);
    double apart = 0.0;
    for (int i = 0; i < n; i++) apart = fmax(apart, fabs(g[i] - other[i]));
    if (apart <= BR_EPS_ROOTS * size) return 1;
    for (int i = 0; i < n; i++) w->d[i] = 0.5 * (g[i] + other[i]);
    return defect(b, state, h, w, w->d, w->f, NULL) <= BR_EPS_ROOT_BAD * size;
}

static void add_root(const br_balance *b, const br_pad_state *state, const br_held *h, br_balance_work *w,
                     br_balance_roots *out, const double *g) {
    const int n = h->limits;
    for (int k = 0; k < out->count; k++)
        if (is_same_root(b, state, h, w, g, out->g + k * n)) return;
    if (out->count == BR_MAX_ROOTS) {
        out->exhaustive = 0;
        return;
    }
    memcpy(out->g + out->count * n, g, (size_t)n * sizeof *g);
    out->count++;
}

#define BR_MAX_SIGNS 12

static int count_signs(const br_balance *b, const br_held *h) {
    int signs = 0;
    for (int i = 0; i < h->limits; i++) {
        const br_balance_pad *p = &b->pad[h->limit[i]];
        for (int k = 0; p->normal < 0 && k < p->norms; k++) {
            if (p->norm[k].forms != 1) return -1;
            signs++;
        }
    }
    return signs;
}

// g for loads whose norms have the signs of `pattern`; 0: they have not, or anything could be.
static int root_of_signs(const br_balance *b, const br_pad_state *state, const br_held *h, br_balance_work *w,
                         unsigned pattern, int *degenerate) {
    const int n = h->limits;
    int bit = 0;
    for (int i = 0; i < n; i++) {
        const br_balance_pad *p = &b->pad[h->limit[i]];
        const double factor = state[h->limit[i]].factor;
        w->g[i] = factor * (p->normal >= 0 ? h->x0[p->normal] : p->preload);
        for (int j = 0; j < n; j++)
            w->J[i * n + j] =
                (i == j ? 1.0 : 0.0) - (p->normal >= 0 ? factor * h->X[j * b->columns + p->normal] : 0.0);
        for (int k = 0; p->normal < 0 && k < p->norms; k++, bit++) {
            const double sign = factor * ((pattern >> bit & 1u) != 0 ? -1.0 : 1.0);
            w->g[i] += sign * br_dot(b->columns, p->norm[k].form[0], h->x0);
            for (int j = 0; j < n; j++)
                w->J[i * n + j] -= sign * br_dot(b->columns, p->norm[k].form[0], h->X + j * b->columns);
        }
    }
    if (br_lu_factor(n, w->J, n, w->pivot, 1e-13) != 0) {
        *degenerate = 1;
        return 0;
    }
    br_lu_solve(n, w->J, n, w->pivot, w->g);
    const double scale = scale_of(b, h);
    for (int i = 0; i < n; i++)
        if ((!b->pad[h->limit[i]].may_pull && !(w->g[i] >= -1e-11 * scale)) || !isfinite(w->g[i])) return 0;
    double most = 0.0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(w->g[i]));
    return defect(b, state, h, w, w->g, w->f, NULL) <= 1e-10 * fmax(scale, most);
}

void br_balance_roots_find(const br_balance *b, const br_pad_state *state, const br_held *h,
                           br_balance_work *w, br_balance_roots *out) {
    const int n = h->limits, signs = count_signs(b, h);
    const double scale = scale_of(b, h);
    double *start = w->values;
    *out = (br_balance_roots){.g = w->roots, .exhaustive = 1};
    if (n == 0) {
        out->count = 1, out->contracts = 1;
        return;
    }
    out->contracts = contracts(b, state, h, w);
    if (!out->contracts && signs >= 0 && signs <= BR_MAX_SIGNS) {
        for (unsigned pattern = 0; pattern < 1u << signs; pattern++) {
            int degenerate = 0;
            if (root_of_signs(b, state, h, w, pattern, &degenerate)) add_root(b, state, h, w, out, w->g);
            if (degenerate) out->exhaustive = 0;
        }
        return;
    }
    if (!out->contracts) out->exhaustive = 0;
    for (int k = 0; k < (out->contracts ? 3 : 40); k++) {
        for (int i = 0; i < n; i++)
            start[i] = k == 0
                           ? 0.0
                           : scale * br_pow(4.0, (double)(k % 10) - 5.0) * (1.0 + 0.5 * br_sin(7.0 * k + i));
        if (br_balance_root_near(b, state, h, w, start)) add_root(b, state, h, w, out, start);
        if (out->contracts && out->count > 0) break;
    }
    if (!out->contracts || out->count > 0) return;
    memset(start, 0, (size_t)n * sizeof *start); // plain iterations find it, if slowly
    for (int k = 0; k < 100000; k++) {
        const double left = defect(b, state, h, w, start, w->f, NULL);
        for (int i = 0; i < n; i++) start[i] -= w->f[i];
        if (left <= BR_EPS_ROOT * scale) break;
    }
    add_root(b, state, h, w, out, start);
}
