// Newton's method on the natural map of each law, see friction/newton.h.
//
//     disk         R = f - P(x),  x = f - rho (v + c (f - last)),  P: onto the disk of radius mu N(f)
//     box, lower   the same onto an interval
//     function     R = f + N(f) mu(u(f))
//
// R is piecewise smooth. Steps are shortened until R shrinks (in the norm of G's diagonal, so that newtons and newton metres
// agree); where that does not help, the full step is taken now and then, since the way out of a corner may lead uphill.
// Starts, in turn: the forces given, laws that are functions keeping the slip that the step began with; from there along a
// path, which also finds solutions that are far away, where the one that was followed has ended (wedging); bristles that grow
// stiff; everything sticking; along a path from no force at all. Whatever the start, the law's own map says what is a solution.
#include "sim/friction/newton.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/dense.h"

#define BR_EPS_NEWTON 1e-11    // R of mu N at which a law is kept
#define BR_EPS_NEWTON_BAD 1e-7 // same, that still serves when no step improves it
#define BR_EPS_SMALL_LOAD 1e-6 // of the largest load: what smaller ones are judged by
#define BR_MAX_NEWTON 40
#define BR_MAX_HALVINGS 7
#define BR_MAX_UPHILL 4
#define BR_MAX_CORRECTIONS 6
#define BR_MAX_PATH_STEPS 300
#define BR_MAX_PATH_STEP 100.0 // of all forces
#define BR_EPS_CORNER 1e-3     // a step shorter than this has met one
#define BR_EPS_PATH_STEP 1e-9
#define BR_EPS_PATH 1e-9

// --- loads -------------------------------------------------------------------------------------------------

double br_rub_problem_load(const br_rub_problem *p, int block) {
    const br_rub_block *b = &p->block[block];
    double load = b->preload;
    for (int k = 0; k < b->norms; k++) load += br_norm(b->forms[k], p->l + b->form[k]);
    return load;
}

// dN/df into p->dN.
static void load_slope(br_rub_problem *p, const br_rub_block *b) {
    memset(p->dN, 0, (size_t)p->rows * sizeof *p->dN);
    for (int k = 0; k < b->norms; k++) {
        const double length = br_norm(b->forms[k], p->l + b->form[k]);
        for (int c = 0; length > 0.0 && c < b->forms[k]; c++) {
            const double part = p->l[b->form[k] + c] / length, *L = p->L + (b->form[k] + c) * p->capacity;
            for (int j = 0; j < p->rows; j++) p->dN[j] += part * L[j];
        }
    }
}

// --- residual and its derivative ---------------------------------------------------------------------------

// Compliance of a block, which may be softened for a while.
static double compliance(const br_rub_problem *p, const br_rub_block *b, double diagonal) {
    return b->kind == BR_RUB_DISK ? fmax(b->c, p->soft * diagonal) : b->c;
}

// What the projection is of, and rho.
static double natural(const br_rub_problem *p, const br_rub_block *b, double *x, double *give) {
    double diagonal = 0.0;
    for (int r = 0; r < b->rows; r++) diagonal += p->G[(b->first + r) * (p->capacity + 1)] / b->rows;
    const double share = b->kind == BR_RUB_DISK ? b->share : 1.0, c = compliance(p, b, diagonal);
    const double rho = share * diagonal + c > 0.0 ? 1.0 / (share * diagonal + c) : 1.0;
    for (int r = 0; r < b->rows; r++) {
        const double f = p->f[b->first + r];
        const double v = b->kind == BR_RUB_DISK ? (1.0 - share) * b->start[r] + share * p->u[b->first + r]
                                                : p->u[b->first + r];
        x[r] = f - rho * (v + c * (f - b->last[r]));
    }
    *give = c;
    return rho;
}

static double radius(const br_rub_problem *p, int k) {
    const br_rub_block *b = &p->block[k];
    if (b->kind == BR_RUB_BOX) return b->bound;
    return b->held ? INFINITY : b->mu * br_rub_problem_load(p, k);
}

static void projected(const br_rub_problem *p, int k, double *R) {
    const br_rub_block *b = &p->block[k];
    double x[BR_MAX_SLIDING], c;
    natural(p, b, x, &c);
    const double length = br_norm(b->rows, x), most = b->kind == BR_RUB_LOWER ? INFINITY : radius(p, k);
    for (int r = 0; r < b->rows; r++) {
        double to = length > most ? most / length * x[r] : x[r];
        if (b->kind == BR_RUB_LOWER) to = fmax(0.0, x[r]);
        R[r] = p->f[b->first + r] - to;
    }
}

// Of a law that is tried as if it kept its slip.
static void keeping_residual(const br_rub_problem *p, const br_rub_block *b, double *R) {
    for (int r = 0; r < b->rows; r++) {
        const int i = b->first + r;
        const double give = p->G[i * (p->capacity + 1)] + b->c;
        R[r] = (p->u[i] - b->start[r] + b->c * (p->f[i] - b->last[r])) / give;
    }
}

static void keeping_rows(br_rub_problem *p, const br_rub_block *b) {
    for (int i = b->first; i < b->first + b->rows; i++) {
        const double give = p->G[i * (p->capacity + 1)] + b->c;
        for (int j = 0; j < p->rows; j++)
            p->J[i * p->rows + j] = (p->G[i * p->capacity + j] + (i == j ? b->c : 0.0)) / give;
    }
}

static void function_residual(const br_rub_problem *p, int k, double *R, double *mu, double *mu_v) {
    const br_rub_block *b = &p->block[k];
    const double N = br_rub_problem_load(p, k);
    br_friction_step(b->law, b->rows, p->u + b->first, b->z, p->h, NULL, mu, mu_v);
    for (int r = 0; r < b->rows; r++) R[r] = p->f[b->first + r] + N * mu[r];
}

// u, l and R at f; the weighted square of R.
static double residual(br_rub_problem *p) {
    double merit = 0.0;
    for (int i = 0; i < p->rows; i++) p->u[i] = p->u0[i] + br_dot(p->rows, p->G + i * p->capacity, p->f);
    for (int i = 0; i < p->forms; i++) p->l[i] = p->l0[i] + br_dot(p->rows, p->L + i * p->capacity, p->f);
    for (int k = 0; k < p->blocks; k++) {
        double mu[BR_MAX_SLIDING], *R = p->R + p->block[k].first;
        if (p->block[k].kind == BR_RUB_FUNCTION && p->block[k].held)
            keeping_residual(p, &p->block[k], R);
        else if (p->block[k].kind == BR_RUB_FUNCTION)
            function_residual(p, k, R, mu, NULL);
        else
            projected(p, k, R);
    }
    for (int i = 0; i < p->rows; i++) merit += p->weight[i] * p->R[i] * p->R[i];
    return merit;
}

static void function_rows(br_rub_problem *p, int k) {
    const br_rub_block *b = &p->block[k];
    double R[BR_MAX_SLIDING], mu[BR_MAX_SLIDING], mu_v[BR_MAX_SLIDING * BR_MAX_SLIDING];
    const double N = br_rub_problem_load(p, k);
    function_residual(p, k, R, mu, mu_v);
    load_slope(p, b);
    for (int r = 0; r < b->rows; r++) {
        double *J = p->J + (b->first + r) * p->rows;
        for (int j = 0; j < p->rows; j++) {
            double slope = 0.0;
            for (int c = 0; c < b->rows; c++)
                slope += mu_v[r * b->rows + c] * p->G[(b->first + c) * p->capacity + j];
            J[j] = mu[r] * p->dN[j] + N * slope + (j == b->first + r);
        }
    }
}

static void projected_rows(br_rub_problem *p, int k) {
    const br_rub_block *b = &p->block[k];
    double x[BR_MAX_SLIDING] = {0.0}, e[BR_MAX_SLIDING], give;
    const double rho = natural(p, b, x, &give), length = br_norm(b->rows, x);
    const double most = b->kind == BR_RUB_LOWER ? (x[0] > 0.0 ? INFINITY : 0.0) : radius(p, k);
    const double share = b->kind == BR_RUB_DISK ? b->share : 1.0;
    const int outside = length > most || most == 0.0;
    const int follows = outside && b->kind == BR_RUB_DISK && b->norms > 0;
    if (follows) load_slope(p, b);
    for (int r = 0; r < b->rows; r++) e[r] = length > 0.0 ? x[r] / length : 0.0;
    // dx of row i by f_j: (i = j) (1 - rho c) - rho share G_ij. Outside, of it only what is across e, times most/length.
    const double keep = outside ? (length > 0.0 ? most / length : 0.0) : 1.0;
    for (int r = 0; r < b->rows; r++) {
        double *J = p->J + (b->first + r) * p->rows;
        for (int j = 0; j < p->rows; j++) {
            double dP = follows ? b->mu * p->dN[j] * e[r] : 0.0;
            for (int c = 0; c < b->rows && keep > 0.0; c++) {
                const double across = (r == c) - (outside ? e[r] * e[c] : 0.0);
                const double dx = (j == b->first + c) * (1.0 - rho * give) -
                                  rho * share * p->G[(b->first + c) * p->capacity + j];
                if (across != 0.0) dP += keep * across * dx;
            }
            J[j] = (j == b->first + r) - dP;
        }
    }
}

// How far the worst block is from its law, of mu N.
static double worst_of(const br_rub_problem *p, int *worst) {
    double largest = 0.0, off = 0.0, forces = 0.0;
    for (int k = 0; k < p->blocks; k++)
        if (p->block[k].kind <= BR_RUB_FUNCTION) largest = fmax(largest, br_rub_problem_load(p, k));
    for (int i = 0; i < p->rows; i++) forces = fmax(forces, sqrt(p->weight[i]) * fabs(p->f[i]));
    for (int k = 0; k < p->blocks; k++) {
        const br_rub_block *b = &p->block[k];
        const int rub = b->kind <= BR_RUB_FUNCTION;
        const double mu = b->kind == BR_RUB_DISK ? b->mu : rub ? br_friction_limit(b->law) : 0.0;
        double scale = mu * fmax(rub ? br_rub_problem_load(p, k) : 0.0, BR_EPS_SMALL_LOAD * largest);
        for (int r = 0; r < b->rows; r++) scale = fmax(scale, fabs(p->f[b->first + r]));
        scale = fmax(scale, 1e-9 * forces / sqrt(p->weight[b->first]));
        const double R = br_norm(b->rows, p->R + b->first), part_off = scale > 0.0 ? R / scale : R > 0.0;
        if (!(part_off <= off)) off = part_off, *worst = k;
    }
    return off;
}

// --- the iteration -----------------------------------------------------------------------------------------

static void derivative(br_rub_problem *p) {
    for (int k = 0; k < p->blocks; k++) {
        if (p->block[k].kind == BR_RUB_FUNCTION && p->block[k].held)
            keeping_rows(p, &p->block[k]);
        else if (p->block[k].kind == BR_RUB_FUNCTION)
            function_rows(p, k);
        else
            projected_rows(p, k);
    }
}

static int newton_direction(br_rub_problem *p) {
    derivative(p);
    for (int i = 0; i < p->rows; i++) p->d[i] = -p->R[i];
    if (br_lu_factor(p->rows, p->J, p->rows, p->pivot, DBL_EPSILON * DBL_EPSILON) != 0) return 0;
    br_lu_solve(p->rows, p->J, p->rows, p->pivot, p->d);
    for (int i = 0; i < p->rows; i++)
        if (!isfinite(p->d[i])) return 0;
    return 1;
}

static void move(br_rub_problem *p, double step) {
    for (int i = 0; i < p->rows; i++) p->f[i] += step * p->d[i];
}

// From f.
static int iterate(br_rub_problem *p, int *worst, double *off) {
    int uphill = 0;
    double merit = residual(p);
    for (int k = 0; k < BR_MAX_NEWTON; k++) {
        *off = worst_of(p, worst);
        if (*off <= BR_EPS_NEWTON && k > 0)
            return 1; // one step at least: what sticks is then at rest to the last digit
        p->iterations++;
        if (!newton_direction(p)) return 0;
        double step = 1.0, now = INFINITY, done = 0.0;
        int halvings = 0;
        for (; halvings < BR_MAX_HALVINGS; halvings++, step *= 0.5) {
            move(p, step - done);
            done = step;
            now = residual(p);
            if (now <= (1.0 - 1e-4 * step) * merit) break;
        }
        if (halvings == BR_MAX_HALVINGS) {
            if (*off <= BR_EPS_NEWTON_BAD) { // rounding: it does not get better
                move(p, -done);
                residual(p);
                *off = worst_of(p, worst);
                return 1;
            }
            if (uphill++ == BR_MAX_UPHILL) return 0;
            move(p, 1.0 - done);
            now = residual(p);
        }
        merit = now;
    }
    *off = worst_of(p, worst);
    return *off <= BR_EPS_NEWTON_BAD;
}

// Everything that has a bound of friction is let stick.
static int from_sticking(br_rub_problem *p, int *worst, double *off) {
    memset(p->f, 0, (size_t)p->rows * sizeof *p->f);
    for (int k = 0; k < p->blocks; k++)
        if (p->block[k].kind == BR_RUB_DISK) p->block[k].held += 2;
    const int solved = iterate(p, worst, off);
    for (int k = 0; k < p->blocks; k++)
        if (p->block[k].kind == BR_RUB_DISK) p->block[k].held -= 2;
    return solved && iterate(p, worst, off);
}

// Bristles that begin soft and grow stiff.
static int from_soft(br_rub_problem *p, int *worst, double *off) {
    memset(p->f, 0, (size_t)p->rows * sizeof *p->f);
    for (p->soft = 1.0; p->soft > 1e-6; p->soft *= 0.1) iterate(p, worst, off);
    p->soft = 0.0;
    return iterate(p, worst, off);
}

// --- following a path --------------------------------------------------------------------------------------

// H(f, t) = R(f) - (1 - t) R(f_0) = 0 from (f_0, 0) to t = 1 by arc length: past folds, where the solution that was followed ends
// and another one, further away, goes on (friction that jams). Its orientation, the sign of the determinant of H' and the
// tangent, is kept, which also holds at the corners of R.
typedef struct path {
    br_rub_problem *p;
    int n;                            // rows
    double scale;                     // of forces: 1 N in the length of a step
    double *R0, *f, *tangent, *y, *A; // A [(n + 1)^2]
    int *pivot;
    double t;
} path;

// A = [H' ; last], H' by (f/w_i, t): columns of forces are scaled. Sign of its determinant; 0: singular.
static int path_factor(path *a, const double *last) {
    br_rub_problem *p = a->p;
    const int n = a->n, m = n + 1;
    derivative(p);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            a->A[i * m + j] = p->J[i * n + j] * a->scale / sqrt(p->weight[j]) * sqrt(p->weight[i]);
        a->A[i * m + n] = a->R0[i] * sqrt(p->weight[i]);
    }
    memcpy(a->A + n * m, last, (size_t)m * sizeof *last);
    if (br_lu_factor(m, a->A, m, a->pivot, DBL_EPSILON * DBL_EPSILON) != 0) return 0;
    int sign = 1;
    for (int k = 0; k < m; k++) {
        if (a->A[k * (m + 1)] < 0.0) sign = -sign;
        if (a->pivot[k] != k) sign = -sign;
    }
    return sign;
}

static void path_put(path *a, const double *y) {
    for (int i = 0; i < a->n; i++) a->p->f[i] = y[i] * a->scale / sqrt(a->p->weight[i]);
    a->t = y[a->n];
    residual(a->p);
}

// Back to the path, across the tangent, from y; no further than half a step, where another piece of it may be.
static int path_correct(path *a, double *y, const double *tangent, double step) {
    const int n = a->n, m = n + 1;
    double moved = 0.0;
    for (int k = 0; k < BR_MAX_CORRECTIONS; k++) {
        double size = 0.0;
        path_put(a, y);
        for (int i = 0; i < n; i++) {
            a->y[i] = -sqrt(a->p->weight[i]) * (a->p->R[i] - (1.0 - a->t) * a->R0[i]);
            size = fmax(size, fabs(a->y[i]) / a->scale);
        }
        a->y[n] = 0.0;
        if (size <= BR_EPS_PATH) return 1;
        if (path_factor(a, tangent) == 0) return 0;
        br_lu_solve(m, a->A, m, a->pivot, a->y);
        double square = 0.0;
        for (int i = 0; i < m; i++) y[i] += a->y[i], square += a->y[i] * a->y[i];
        moved += sqrt(square);
        if (!(moved <= 0.5 * step)) return 0;
    }
    return 0;
}

// The next tangent, of length 1 and of the path's orientation.
static int path_turn(path *a, int orientation, double *tangent) {
    const int m = a->n + 1;
    double length = 0.0;
    const int sign = path_factor(a, tangent);
    if (sign == 0) return 0;
    memset(a->y, 0, (size_t)m * sizeof *a->y);
    a->y[a->n] = 1.0;
    br_lu_solve(m, a->A, m, a->pivot, a->y);
    for (int i = 0; i < m; i++) length += a->y[i] * a->y[i];
    for (int i = 0; i < m; i++) tangent[i] = sign * orientation * a->y[i] / sqrt(length);
    return 1;
}

static int follow(br_rub_problem *p, int forward, int *worst, double *off) {
    const int n = p->rows, m = n + 1;
    path a = {.p = p, .n = n, .R0 = p->path, .pivot = p->pivot};
    double *now = p->path + m, *next = now + m, *tangent = next + m;
    a.y = tangent + m, a.A = a.y + m;
    double step = 0.1, forces = 0.0;
    residual(p);
    for (int i = 0; i < n; i++)
        forces = fmax(forces, sqrt(p->weight[i]) * fmax(fabs(p->f[i]), fabs(p->R[i])));
    a.scale = forces > 0.0 ? forces : 1.0;
    memcpy(a.R0, p->R, (size_t)n * sizeof *a.R0);
    for (int i = 0; i < n; i++) now[i] = p->f[i] * sqrt(p->weight[i]) / a.scale, tangent[i] = 0.0;
    now[n] = 0.0, tangent[n] = 1.0;
    const int orientation = forward * path_factor(&a, tangent); // forward: t grows at the start
    if (orientation == 0 || !path_turn(&a, orientation, tangent)) return 0;
    for (int k = 0; k < BR_MAX_PATH_STEPS && step > BR_EPS_PATH_STEP; k++) {
        p->iterations++;
        for (int i = 0; i < m; i++) next[i] = now[i] + step * tangent[i];
        if (!path_correct(&a, next, tangent, step)) {
            step *= 0.3;
            if (step > BR_EPS_CORNER) continue;
            // A corner: on as the piece behind it goes.
            for (int i = 0; i < m; i++) next[i] = now[i] + step * tangent[i];
            path_put(&a, next);
            if (!path_turn(&a, orientation, tangent)) return 0;
            for (int i = 0; i < m; i++) next[i] = now[i] + 4.0 * step * tangent[i];
            if (!path_correct(&a, next, tangent, 4.0 * step)) continue;
        }
        if (next[n] >= 1.0 && now[n] < 1.0) {
            const double share = (1.0 - now[n]) / (next[n] - now[n]);
            for (int i = 0; i < n; i++) now[i] += share * (next[i] - now[i]);
            now[n] = 1.0;
            path_put(&a, now);
            if (iterate(p, worst, off)) return 1;
            path_put(&a, next);
        }
        memcpy(now, next, (size_t)m * sizeof *now);
        path_put(&a, now);
        if (!path_turn(&a, orientation, tangent)) return 0;
        step = fmin(BR_MAX_PATH_STEP, 1.6 * step);
    }
    return 0;
}

// From the forces in f, both ways.
static int from_path(br_rub_problem *p, int *worst, double *off) {
    memcpy(p->best, p->f, (size_t)p->rows * sizeof *p->f);
    if (follow(p, 1, worst, off)) return 1;
    memcpy(p->f, p->best, (size_t)p->rows * sizeof *p->f);
    return follow(p, -1, worst, off);
}

// A law may have several answers. The one sought goes on from the slip that the step began with, where that was next to none.
static int keep_slip(br_rub_problem *p, int kept) {
    int any = 0;
    for (int k = 0; k < p->blocks; k++) {
        br_rub_block *b = &p->block[k];
        if (b->kind != BR_RUB_FUNCTION || br_norm(b->rows, b->start) > br_friction_rest_speed(b->law))
            continue;
        b->held = kept, any = 1;
    }
    return any;
}

int br_rub_problem_solve(br_rub_problem *p, int *worst, double *off) {
    double most = 0.0;
    for (int i = 0; i < p->rows; i++) most = fmax(most, p->G[i * (p->capacity + 1)]);
    for (int i = 0; i < p->rows; i++) {
        p->weight[i] = fmax(p->G[i * (p->capacity + 1)], DBL_EPSILON * most);
        if (!(p->weight[i] > 0.0)) p->weight[i] = 1.0;
    }
    if (keep_slip(p, 1)) iterate(p, worst, off);
    keep_slip(p, 0);
    memcpy(p->best, p->f, (size_t)p->rows * sizeof *p->f);
    if (iterate(p, worst, off)) return 1;
    memcpy(p->f, p->best, (size_t)p->rows * sizeof *p->f);
    if (from_path(p, worst, off)) return 1;
    if (from_soft(p, worst, off)) return 1;
    if (from_sticking(p, worst, off)) return 1;
    memset(p->f, 0, (size_t)p->rows * sizeof *p->f);
    return from_path(p, worst, off);
}
