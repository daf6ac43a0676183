// What holds a body in space, found another way: a branch and bound over its motions, each node a linear program of its own (tableau).
// Nothing of src/trust is used. A motion is six numbers; which contacts part is enumerated, the motions that keep the others in touch
// are cut into cones. Over a cone a slip turns by an angle, or anyhow where it can vanish; friction is against some slip of it. So every
// node's program is a bound, the least of them holds for all motions, whichever contact slides, parts or is what the body turns about.
#ifndef TEST_HOLD_SPACE_H
#define TEST_HOLD_SPACE_H

#include "random.h"
#include "scene.h"

enum {
    SPACE_MOST = 6,
    SPACE_TANGENTS = 250,
    SPACE_EDGES = 256,
    SPACE_ROWS = 12,
    SPACE_COLS = SPACE_MOST * SPACE_EDGES + 40,
    SPACE_NODES = 20000
};

typedef struct space {
    int contacts;
    double p[SPACE_MOST][3], n[SPACE_MOST][3], t[SPACE_MOST][2][3], mu[SPACE_MOST]; // from the centre of mass
    double base[6], pull[6];                                                        // force, torque
    double mass, inertia[3];
    int tangents[SPACE_MOST]; // a disc from outside, by lines that touch it
    double angle[SPACE_MOST][SPACE_TANGENTS];
} space;

// --- linear programs ------------------------------------------------------------------------------------------------

typedef struct tableau { // least c . z with A z = b, z >= 0
    int rows, cols;
    double A[SPACE_ROWS][SPACE_COLS], b[SPACE_ROWS], c[SPACE_COLS], z[SPACE_COLS];
} tableau;

static double tableau_T[SPACE_ROWS + 1][SPACE_COLS + SPACE_ROWS + 1];
static int tableau_basis[SPACE_ROWS];

static inline void tableau_turn(int rows, int all, int leave, int enter) {
    double(*T)[SPACE_COLS + SPACE_ROWS + 1] = tableau_T;
    const double pivot = T[leave][enter];
    for (int j = 0; j <= all; j++) T[leave][j] /= pivot;
    for (int i = 0; i <= rows; i++) {
        const double l = T[i][enter];
        if (i == leave || l == 0) continue;
        for (int j = 0; j <= all; j++) T[i][j] -= l * T[leave][j];
    }
    tableau_basis[leave] = enter;
}

// The steepest column, the first one (Bland) once that has gone on for long. 0: endless.
static inline int tableau_run(int rows, int cols, int all) {
    double(*T)[SPACE_COLS + SPACE_ROWS + 1] = tableau_T;
    for (int turn = 0; turn < 3000; turn++) {
        int enter = -1, leave = -1;
        double steepest = -1e-11, least = INFINITY;
        for (int j = 0; j < cols && !(enter >= 0 && turn > 200); j++)
            if (T[rows][j] < steepest) steepest = T[rows][j], enter = j;
        if (enter < 0) return 1;
        for (int i = 0; i < rows; i++) {
            if (!(T[i][enter] > 1e-11)) continue;
            const double ratio = T[i][all] / T[i][enter];
            if (ratio < least - 1e-14 ||
                (leave >= 0 && ratio <= least + 1e-14 && tableau_basis[i] < tableau_basis[leave]))
                least = fmin(ratio, least), leave = i;
        }
        if (leave < 0) return 0;
        tableau_turn(rows, all, leave, enter);
    }
    return 1;
}

// INFINITY: there is nothing; -INFINITY: no end.
static inline double tableau_least(tableau *p) {
    double(*T)[SPACE_COLS + SPACE_ROWS + 1] = tableau_T;
    const int rows = p->rows, cols = p->cols, all = cols + rows;
    for (int i = 0; i <= rows; i++) memset(T[i], 0, ((size_t)all + 1) * sizeof T[i][0]);
    for (int i = 0; i < rows; i++) {
        const double sign = p->b[i] < 0 ? -1 : 1;
        for (int j = 0; j < cols; j++) T[i][j] = sign * p->A[i][j], T[rows][j] -= T[i][j];
        T[i][cols + i] = 1, T[i][all] = sign * p->b[i], T[rows][all] -= T[i][all];
        tableau_basis[i] = cols + i;
    }
    tableau_run(rows, all, all);
    if (T[rows][all] < -1e-9) return INFINITY;
    for (int i = 0; i < rows; i++) { // what is left of the first phase goes out, or its row says nothing
        int enter = -1;
        double most = 1e-9;
        for (int j = 0; tableau_basis[i] >= cols && j < cols; j++)
            if (fabs(T[i][j]) > most) most = fabs(T[i][j]), enter = j;
        if (enter >= 0) tableau_turn(rows, all, i, enter);
        if (tableau_basis[i] >= cols) memset(T[i], 0, ((size_t)all + 1) * sizeof T[i][0]);
    }
    for (int i = 0; i < rows; i++)
        for (int j = cols; j < all; j++) T[i][j] = 0;
    memset(T[rows], 0, ((size_t)all + 1) * sizeof T[rows][0]);
    memcpy(T[rows], p->c, (size_t)cols * sizeof T[rows][0]);
    for (int i = 0; i < rows; i++)
        for (int j = 0; tableau_basis[i] < cols && j <= all; j++)
            T[rows][j] -= (j == tableau_basis[i] ? 0 : 1) * p->c[tableau_basis[i]] * T[i][j];
    for (int i = 0; i < rows; i++)
        if (tableau_basis[i] < cols) T[rows][tableau_basis[i]] = 0;
    if (!tableau_run(rows, cols, all)) return -INFINITY;
    memset(p->z, 0, sizeof p->z);
    double value = 0;
    for (int i = 0; i < rows; i++)
        if (tableau_basis[i] < cols)
            p->z[tableau_basis[i]] = T[i][all], value += p->c[tableau_basis[i]] * T[i][all];
    return value;
}

// --- forces ---------------------------------------------------------------------------------------------------------

static inline void space_wrench(const space *g, int i, const double *f, double *w) {
    const double *p = g->p[i];
    for (int k = 0; k < 3; k++) w[k] = f[k];
    w[3] = p[1] * f[2] - p[2] * f[1], w[4] = p[2] * f[0] - p[0] * f[2], w[5] = p[0] * f[1] - p[1] * f[0];
}

// The wrench of a unit load of contact i with friction (x, y), of mu.
static inline void space_column(const space *g, tableau *q, int i, double x, double y) {
    double f[3], w[6];
    for (int k = 0; k < 3; k++) f[k] = g->n[i][k] + g->mu[i] * (x * g->t[i][0][k] + y * g->t[i][1][k]);
    space_wrench(g, i, f, w);
    for (int k = 0; k < 6; k++) q->A[k][q->cols] = w[k];
    q->cols++;
}

static inline void space_corner(const space *g, int i, int k, double *x,
                                double *y) { // where two lines of the disc meet
    const int last = k + 1 == g->tangents[i];
    const double a = g->angle[i][k], b = last ? g->angle[i][0] + 2 * BR_PI : g->angle[i][k + 1];
    *x = cos(0.5 * (a + b)) / cos(0.5 * (b - a)), *y = sin(0.5 * (a + b)) / cos(0.5 * (b - a));
}

static inline void space_disc(const space *g, tableau *q, int i) {
    for (int k = 0; k < g->tangents[i]; k++) {
        double x, y;
        space_corner(g, i, k, &x, &y);
        space_column(g, q, i, x, y);
    }
}

// Another line where the friction of the answer is outside of the disc; 0: it is inside, or near enough.
static inline int space_touch(space *g, int i, const double *z) {
    double load = 0, f[2] = {0, 0};
    for (int k = 0; k < g->tangents[i]; k++) {
        double x, y;
        space_corner(g, i, k, &x, &y);
        load += z[k], f[0] += z[k] * x, f[1] += z[k] * y;
    }
    if (hypot(f[0], f[1]) <= load * (1 + 1e-10) + 1e-12 || g->tangents[i] == SPACE_TANGENTS) return 0;
    double at = atan2(f[1], f[0]);
    if (at < 0) at += 2 * BR_PI;
    int k = g->tangents[i]++;
    for (; k > 0 && g->angle[i][k - 1] > at; k--) g->angle[i][k] = g->angle[i][k - 1];
    g->angle[i][k] = at;
    return 1;
}

static inline void space_begin(space *g) {
    for (int i = 0; i < g->contacts; i++) {
        const double *n = g->n[i];
        double *a = g->t[i][0], *b = g->t[i][1];
        const int axis = fabs(n[0]) < 0.6 ? 0 : 1;
        for (int k = 0; k < 3; k++) a[k] = (k == axis) - n[axis] * n[k];
        const double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
        for (int k = 0; k < 3; k++) a[k] /= length;
        b[0] = n[1] * a[2] - n[2] * a[1], b[1] = n[2] * a[0] - n[0] * a[2], b[2] = n[0] * a[1] - n[1] * a[0];
        g->tangents[i] = 32;
        for (int k = 0; k < 32; k++) g->angle[i][k] = BR_PI / 16 * k;
    }
}

// The farthest factor with friction within its discs; edges > 0: within so many edges from inside instead.
static inline double space_possible(space *g, int side, int edges) {
    static tableau q;
    double value = 0;
    for (int again = 1, round = 0; again && round < 300; round++) {
        again = 0;
        q.rows = 6, q.cols = 2;
        memset(q.c, 0, sizeof q.c);
        for (int k = 0; k < 6; k++) q.A[k][0] = g->pull[k], q.A[k][1] = -g->pull[k], q.b[k] = -g->base[k];
        q.c[0] = side ? -1 : 1, q.c[1] = -q.c[0];
        for (int i = 0; i < g->contacts; i++)
            for (int k = 0; k < edges; k++)
                space_column(g, &q, i, cos(2 * BR_PI * k / edges), sin(2 * BR_PI * k / edges));
        for (int i = 0; i < g->contacts && edges == 0; i++) space_disc(g, &q, i);
        value = tableau_least(&q);
        if (isinf(value) || edges > 0) break;
        int at[SPACE_MOST + 1] = {2};
        for (int i = 0; i < g->contacts; i++) at[i + 1] = at[i] + g->tangents[i];
        for (int i = 0; i < g->contacts; i++) again |= space_touch(g, i, q.z + at[i]);
    }
    return side ? -value : value;
}

// --- motions --------------------------------------------------------------------------------------------------------

typedef struct space_cell { // motions y: y_axis = sign, the others between low and high of it
    int axis, sign;
    double low[6], high[6], bound;
} space_cell;

typedef struct space_hunt {
    space *g;
    int side, going, parts; // parts: bits of contacts that part
    double from;
    int freedom;
    double basis[6][6]; // [freedom] motions that keep the others in touch
    double slip[SPACE_MOST][2][6], lift[SPACE_MOST][6],
        mass[6][6]; // by coordinates of the basis; M times motion k
    int corners;
    double corner[32][6];
    long nodes;
} space_hunt;

static inline double space_dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int k = 0; k < n; k++) sum += a[k] * b[k];
    return sum;
}

// Orthogonal motions in which the contacts that do not part keep their distance.
static inline void space_motions(space_hunt *h) {
    const space *g = h->g;
    double row[SPACE_MOST][6], unit[6];
    int rows = 0;
    for (int i = 0; i < g->contacts; i++) {
        if (h->parts >> i & 1) continue;
        space_wrench(g, i, g->n[i], row[rows]);
        for (int turn = 0; turn < 2; turn++)
            for (int m = 0; m < rows; m++) {
                const double along = space_dot(6, row[rows], row[m]);
                for (int k = 0; k < 6; k++) row[rows][k] -= along * row[m][k];
            }
        const double length = sqrt(space_dot(6, row[rows], row[rows]));
        for (int k = 0; k < 6 && length > 1e-9; k++) row[rows][k] /= length;
        rows += length > 1e-9;
    }
    h->freedom = 0;
    for (int axis = 0; axis < 6 && h->freedom < 6 - rows; axis++) {
        for (int k = 0; k < 6; k++) unit[k] = k == axis;
        for (int turn = 0; turn < 2; turn++) {
            for (int m = 0; m < rows + h->freedom; m++) {
                const double *other = m < rows ? row[m] : h->basis[m - rows],
                             along = space_dot(6, unit, other);
                for (int k = 0; k < 6; k++) unit[k] -= along * other[k];
            }
        }
        const double length = sqrt(space_dot(6, unit, unit));
        if (length < 1e-6) continue;
        for (int k = 0; k < 6; k++) h->basis[h->freedom][k] = unit[k] / length;
        h->freedom++;
    }
    for (int i = 0; i < g->contacts; i++) {
        double w[3][6];
        space_wrench(g, i, g->n[i], w[2]);
        for (int d = 0; d < 2; d++) space_wrench(g, i, g->t[i][d], w[d]);
        for (int m = 0; m < h->freedom; m++) {
            for (int d = 0; d < 2; d++) h->slip[i][d][m] = space_dot(6, w[d], h->basis[m]);
            h->lift[i][m] = space_dot(6, w[2], h->basis[m]);
        }
    }
    for (int m = 0; m < h->freedom; m++)
        for (int k = 0; k < 6; k++) h->mass[m][k] = h->basis[m][k] * (k < 3 ? g->mass : g->inertia[k - 3]);
}

// Contacts that part have to lift in the cell; 0: one of them cannot.
static inline int space_lifts(space_hunt *h, const space_cell *cell) {
    const int n = h->freedom;
    h->corners = 1 << (n - 1);
    for (int c = 0; c < h->corners; c++)
        for (int k = 0, bit = 0; k < n; k++) {
            h->corner[c][k] = k == cell->axis ? cell->sign : c >> bit & 1 ? cell->high[k] : cell->low[k];
            bit += k != cell->axis;
        }
    for (int i = 0; i < h->g->contacts; i++) {
        if (!(h->parts >> i & 1)) continue;
        double most = -INFINITY;
        for (int c = 0; c < h->corners; c++) most = fmax(most, space_dot(n, h->lift[i], h->corner[c]));
        if (most < 0) return 0;
    }
    return 1;
}

// The angles of the slips of contact i in the cell; 0: it can vanish, or turns by too much to be of use.
static inline int space_sector(const space_hunt *h, int i, double *low, double *high) {
    double mean[2] = {0, 0}, v[32][2];
    for (int c = 0; c < h->corners; c++)
        for (int d = 0; d < 2; d++)
            v[c][d] = space_dot(h->freedom, h->slip[i][d], h->corner[c]), mean[d] += v[c][d];
    const double angle = atan2(mean[1], mean[0]);
    *low = *high = angle;
    for (int c = 0; c < h->corners; c++) {
        const double along = mean[0] * v[c][0] + mean[1] * v[c][1],
                     across = mean[0] * v[c][1] - mean[1] * v[c][0];
        if (!(along > 0.2 * hypot(v[c][0], v[c][1]) * hypot(mean[0], mean[1]))) return 0;
        *low = fmin(*low, angle + atan2(across, along)), *high = fmax(*high, angle + atan2(across, along));
    }
    return 1;
}

// The nearest factor of a cell, as its distance from `from`: a bound. INFINITY: there is none.
static inline double space_bound(space_hunt *h, const space_cell *cell) {
    static tableau q;
    space *g = h->g;
    double low[SPACE_MOST], high[SPACE_MOST], value = INFINITY;
    int known[SPACE_MOST], at[SPACE_MOST];
    if (!space_lifts(h, cell)) return INFINITY;
    for (int i = 0; i < g->contacts; i++)
        known[i] = !(h->parts >> i & 1) && space_sector(h, i, &low[i], &high[i]);
    for (int again = 1, round = 0; again && round < 200; round++) {
        again = 0;
        h->nodes++;
        q.rows = 6, q.cols = 1;
        memset(q.c, 0, sizeof q.c);
        q.c[0] = 1;
        for (int k = 0; k < 6; k++) {
            q.A[k][0] = (h->side ? 1 : -1) * g->pull[k];
            q.b[k] = -g->base[k] - h->from * g->pull[k];
        }
        for (int i = 0; i < g->contacts; i++) {
            at[i] = q.cols;
            if (h->parts >> i & 1) continue;
            if (!known[i]) {
                space_disc(g, &q, i);
                continue;
            }
            const double middle = 0.5 * (low[i] + high[i]), wide = 1 / cos(0.5 * (high[i] - low[i]));
            space_column(g, &q, i, -cos(low[i]), -sin(low[i]));
            space_column(g, &q, i, -cos(high[i]), -sin(high[i]));
            space_column(g, &q, i, -wide * cos(middle), -wide * sin(middle));
        }
        for (int k = 0; k < h->freedom && h->going;
             k++) { // the acceleration, at least 1e-5 of it: rests of its coordinates
            const int axis = k == cell->axis, j = q.cols;
            if (axis) continue;
            for (int r = 0; r < 6; r++) q.A[r][j] = -h->mass[k][r], q.A[r][j + 1] = 0, q.A[r][j + 2] = 0;
            for (int c = 0; c < j; c++) q.A[q.rows][c] = 0;
            for (int r = 6; r < q.rows; r++) q.A[r][j] = q.A[r][j + 1] = 0;
            q.A[q.rows][j] = q.A[q.rows][j + 1] =
                1; // y_k - low y_axis, and what it lacks to (high - low) y_axis
            q.b[q.rows++] = 0;
            q.cols += 2;
        }
        if (h->going) {
            const int j = q.cols++;
            for (int r = 0; r < 6; r++) {
                q.A[r][j] = -cell->sign * h->mass[cell->axis][r];
                for (int k = 0; k < h->freedom; k++)
                    if (k != cell->axis) q.A[r][j] -= cell->low[k] * h->mass[k][r];
                q.b[r] -= 1e-5 * q.A[r][j];
            }
            for (int k = 0, r = 6; k < h->freedom; k++) {
                if (k == cell->axis) continue;
                q.A[r][j] = -(cell->high[k] - cell->low[k]);
                q.b[r] = -1e-5 * q.A[r][j];
                r++;
            }
        }
        value = tableau_least(&q);
        for (int i = 0; i < g->contacts && isfinite(value); i++)
            if (!known[i] && !(h->parts >> i & 1)) again |= space_touch(g, i, q.z + at[i]);
    }
    return value;
}

// The cell whose bound is least goes next. Its widest coordinate is halved, until it is narrower than `width`: its bound counts.
static inline double space_hunt_motions(space_hunt *h, double best, double width) {
    static space_cell cell[SPACE_NODES + 2];
    int cells = 0;
    for (int face = 0; face < 2 * h->freedom; face++) {
        space_cell c = {.axis = face / 2, .sign = face % 2 ? -1 : 1};
        for (int k = 0; k < h->freedom; k++) c.low[k] = -1, c.high[k] = 1;
        c.bound = space_bound(h, &c);
        if (c.bound < best) cell[cells++] = c;
    }
    while (cells > 0) {
        int at = 0, wide = -1;
        for (int k = 1; k < cells; k++)
            if (cell[k].bound < cell[at].bound) at = k;
        space_cell c = cell[at], half;
        cell[at] = cell[--cells];
        if (c.bound >= best) return best;
        for (int k = 0; k < h->freedom; k++)
            if (k != c.axis && c.high[k] - c.low[k] > width &&
                (wide < 0 || c.high[k] - c.low[k] > c.high[wide] - c.low[wide]))
                wide = k;
        if (wide < 0) return c.bound;
        if (cells + 2 > SPACE_NODES) return NAN;
        for (int side = 0; side < 2; side++) {
            half = c;
            *(side ? &half.high[wide] : &half.low[wide]) = 0.5 * (c.low[wide] + c.high[wide]);
            half.bound = fmax(c.bound, space_bound(h, &half));
            if (half.bound < best) cell[cells++] = half;
        }
    }
    return best;
}

// The nearest factor beyond `from` at which a motion can begin; going: one with a finite acceleration. limit: beyond it nobody asks.
static inline double space_moves(space *g, int side, double from, int going, double limit, double width,
                                 long *nodes) {
    double best = fabs(limit - from);
    for (int parts = 0; parts < (1 << g->contacts) - 1; parts++) {
        space_hunt h = {.g = g, .side = side, .going = going, .parts = parts, .from = from};
        space_motions(&h);
        int doubled = 0; // what cannot lift but keeps touching carries nothing where it stays
        for (int i = 0; i < g->contacts; i++) {
            double most = 0;
            for (int m = 0; m < h.freedom; m++) most = fmax(most, fabs(h.lift[i][m]));
            doubled |= (parts >> i & 1) && most < 1e-9;
        }
        if (h.freedom > 0 && !doubled) best = fmin(best, space_hunt_motions(&h, best, width));
        *nodes += h.nodes;
    }
    return side ? from + best : from - best;
}

#endif
