// A body in the plane between fixed planes, one ball of it on each: what holds it, by trying every combination of modes, each a linear
// program of its own (tableau, Bland's rule). Nothing of src/trust is used.
#ifndef TEST_HOLD_BRUTE_H
#define TEST_HOLD_BRUTE_H

#include "random.h"
#include "scene.h"

enum { GRASP_MOST = 4, LP_ROWS = 30, LP_COLS = 60 };

typedef struct grasp {
    int contacts;
    double x[GRASP_MOST], z[GRASP_MOST], angle[GRASP_MOST],
        mu[GRASP_MOST];      // of the ball; of the plane's normal
    double base[3], pull[3]; // fx, fz, torque about y
} grasp;

#define GRASP_RADIUS 0.01
#define GRASP_MASS 1.5
#define GRASP_INERTIA 0.02

// Unit wrench (fx, fz, about y) of contact i: the normal, or along the surface.
static inline void grasp_column(const grasp *g, int i, int tangent, double *w) {
    const double nx = cos(g->angle[i]), nz = sin(g->angle[i]);
    const double fx = tangent ? -nz : nx, fz = tangent ? nx : nz;
    const double px = g->x[i] - GRASP_RADIUS * nx, pz = g->z[i] - GRASP_RADIUS * nz;
    w[0] = fx, w[1] = fz, w[2] = pz * fx - px * fz;
}

static inline grasp grasp_make(rng *r, int contacts) {
    grasp g = {.contacts = contacts};
    for (int i = 0; i < contacts; i++) {
        g.x[i] = rng_uniform(r, -0.3, 0.3), g.z[i] = rng_uniform(r, -0.3, 0.3);
        g.angle[i] = rng_uniform(r, -BR_PI, BR_PI), g.mu[i] = rng_uniform(r, 0.1, 0.8);
        double n[3], t[3];
        grasp_column(&g, i, 0, n);
        grasp_column(&g, i, 1, t);
        const double load = rng_uniform(r, 5, 20), share = rng_uniform(r, -0.4, 0.4) * g.mu[i];
        for (int k = 0; k < 3; k++) g.base[k] -= load * (n[k] + share * t[k]);
    }
    for (int k = 0; k < 3; k++) g.pull[k] = rng_uniform(r, -1, 1) * (k == 2 ? 0.2 : 1.0);
    return g;
}

static inline void grasp_write(const grasp *g, char *out, size_t size) {
    size_t used = (size_t)snprintf(
        out, size,
        "format: 1\nname: grasp\nplanar: xz\ngravity: [0, 0, 0]\nmaterials: {m0: {}, m1: {}, m2: {}, m3: {}, "
        "w: {}}\n"
        "pairs: {m0/w: {mu: %.17g}, m1/w: {mu: %.17g}, m2/w: {mu: %.17g}, m3/w: {mu: %.17g}}\n"
        "bodies:\n  body:\n    mass: %g\n    inertia: %g\n    shapes:\n",
        g->mu[0], g->mu[1], g->mu[2], g->mu[3], GRASP_MASS, GRASP_INERTIA);
    for (int i = 0; i < g->contacts; i++)
        used += (size_t)snprintf(
            out + used, size - used,
            "      - {sphere: {radius: %g}, pose: {position: [%.17g, 0, %.17g]}, material: m%d, "
            "category: %d, mask: %d}\n",
            GRASP_RADIUS, g->x[i], g->z[i], i, 2 << i, 2 << i);
    used += (size_t)snprintf(out + used, size - used, "ground:\n");
    for (int i = 0; i < g->contacts; i++) {
        const double nx = cos(g->angle[i]), nz = sin(g->angle[i]);
        used += (size_t)snprintf(out + used, size - used,
                                 "  - {plane: {normal: [%.17g, 0, %.17g], point: [%.17g, 0, %.17g]}, "
                                 "material: w, category: %d, mask: "
                                 "%d}\n",
                                 nx, nz, g->x[i] - GRASP_RADIUS * nx, g->z[i] - GRASP_RADIUS * nz, 2 << i,
                                 2 << i);
    }
    snprintf(out + used, size - used,
             "loads:\n  base_f: {body: body, force: [%.17g, 0, %.17g]}\n  base_t: {body: body, torque: [0, "
             "%.17g, 0]}\n"
             "  pull: {body: body, force: [%.17g, 0, %.17g]}\n  turn: {body: body, torque: [0, %.17g, 0]}\n"
             "contact: {law: cone}\nsolver: {step: 1 ms}\nrun: {until: 0.1}\n",
             g->base[0], g->base[1], g->base[2], g->pull[0], g->pull[1], g->pull[2]);
}

// --- linear programs ------------------------------------------------------------------------------------------------

typedef struct brute { // least c . z with A z = b, z >= 0
    int rows, cols;
    double A[LP_ROWS][LP_COLS], b[LP_ROWS], c[LP_COLS];
} brute;

static inline int brute_pivots(double (*T)[LP_COLS + LP_ROWS + 1], int rows, int cols, int *basis) {
    for (int turn = 0; turn < 2000; turn++) {
        int enter = -1, leave = -1;
        for (int j = 0; j < cols && enter < 0; j++)
            if (T[rows][j] < -1e-10) enter = j;
        if (enter < 0) return 1;
        double least = INFINITY;
        for (int i = 0; i < rows; i++) {
            if (!(T[i][enter] > 1e-10)) continue;
            const double ratio = T[i][cols] / T[i][enter];
            if (ratio < least - 1e-13 || (ratio <= least + 1e-13 && basis[i] < basis[leave]))
                least = ratio < least ? ratio : least, leave = i;
        }
        if (leave < 0) return 0; // endless
        const double pivot = T[leave][enter];
        for (int j = 0; j <= cols; j++) T[leave][j] /= pivot;
        for (int i = 0; i <= rows; i++) {
            const double l = T[i][enter];
            if (i == leave || l == 0) continue;
            for (int j = 0; j <= cols; j++) T[i][j] -= l * T[leave][j];
        }
        basis[leave] = enter;
    }
    return 1;
}

// INFINITY: there is nothing; -INFINITY: no end.
static inline double brute_least(const brute *p) {
    static double T[LP_ROWS + 1][LP_COLS + LP_ROWS + 1];
    const int rows = p->rows, cols = p->cols, all = cols + rows;
    int basis[LP_ROWS];
    memset(T, 0, sizeof T);
    for (int i = 0; i < rows; i++) {
        const double sign = p->b[i] < 0 ? -1 : 1;
        for (int j = 0; j < cols; j++) T[i][j] = sign * p->A[i][j];
        T[i][cols + i] = 1, T[i][all] = sign * p->b[i];
        basis[i] = cols + i;
        for (int j = 0; j < cols; j++) T[rows][j] -= T[i][j];
        T[rows][all] -= T[i][all];
    }
    brute_pivots(T, rows, all, basis);
    if (T[rows][all] < -1e-9) return INFINITY;
    for (int i = 0; i < rows; i++) { // what is left of the first phase goes out, or its row is nothing
        if (basis[i] < cols) continue;
        int enter = -1;
        for (int j = 0; j < cols && enter < 0; j++)
            if (fabs(T[i][j]) > 1e-9) enter = j;
        if (enter < 0) {
            memset(T[i], 0, sizeof T[i]);
            continue;
        }
        const double pivot = T[i][enter];
        for (int j = 0; j <= all; j++) T[i][j] /= pivot;
        for (int k = 0; k < rows; k++) {
            const double l = T[k][enter];
            if (k == i || l == 0) continue;
            for (int j = 0; j <= all; j++) T[k][j] -= l * T[i][j];
        }
        basis[i] = enter;
    }
    for (int j = 0; j <= all; j++) T[rows][j] = j < cols ? p->c[j] : 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; basis[i] < cols && j <= all; j++) T[rows][j] -= p->c[basis[i]] * T[i][j];
    for (int i = 0; i <= rows; i++) {
        for (int j = cols; j < all; j++) T[i][j] = 0;
        T[i][cols] = T[i][all];
    }
    return brute_pivots(T, rows, cols, basis) ? -T[rows][cols] : -INFINITY;
}

// --- questions ------------------------------------------------------------------------------------------------------

static inline int brute_column(brute *p, const double *w, double factor) { // in the three equations of forces
    for (int k = 0; k < 3; k++) p->A[k][p->cols] = factor * w[k];
    return p->cols++;
}

enum { BRUTE_STICKS, BRUTE_PLUS, BRUTE_MINUS, BRUTE_OPEN };

static inline void brute_begin(const grasp *g, brute *p, int side, double from) {
    memset(p, 0, sizeof *p);
    p->rows = 3;
    const double sign = side ? 1 : -1;
    for (int k = 0; k < 3; k++) p->b[k] = -g->base[k] - from * g->pull[k];
    p->c[brute_column(p, g->pull, sign)] = 1; // what the factor is beyond `from`
}

// The farthest factor with friction in the cones.
static inline double grasp_possible(const grasp *g, int side) {
    brute p;
    brute_begin(g, &p, side, 0);
    p.c[0] = -1;
    p.c[brute_column(&p, g->pull, side ? -1 : 1)] =
        1; // 0 holds, but not every factor beyond need be above it
    for (int i = 0; i < g->contacts; i++) {
        double n[3], t[3], edge[3];
        grasp_column(g, i, 0, n);
        grasp_column(g, i, 1, t);
        for (int s = -1; s <= 1; s += 2) {
            for (int k = 0; k < 3; k++) edge[k] = n[k] + s * g->mu[i] * t[k];
            brute_column(&p, edge, 1);
        }
    }
    const double value = -brute_least(&p);
    return side ? value : -value;
}

// Slip and lift of contact i by the motion in the last six columns (plus and minus of vx, vz and the turn about y).
static inline void brute_motion_row(brute *p, const double *w, int first, double sign, int slack, double b) {
    for (int k = 0; k < 3; k++)
        p->A[p->rows][first + 2 * k] = sign * w[k], p->A[p->rows][first + 2 * k + 1] = -sign * w[k];
    if (slack >= 0) p->A[p->rows][slack] = -1;
    p->b[p->rows++] = b;
}

// One combination of modes, contact `mover` moving by `least` or more. The nearest factor beyond `from`, as its distance.
static inline double grasp_combination(const grasp *g, const int *mode, int mover, int side, double from,
                                       int going) {
    static const double mass[] = {GRASP_MASS, GRASP_MASS, GRASP_INERTIA};
    brute p;
    brute_begin(g, &p, side, from);
    for (int i = 0; i < g->contacts; i++) {
        double n[3], t[3], edge[3];
        grasp_column(g, i, 0, n);
        grasp_column(g, i, 1, t);
        for (int s = -1; s <= 1 && mode[i] != BRUTE_OPEN; s += 2) {
            if (mode[i] == BRUTE_PLUS && s > 0) continue; // friction is against the slip
            if (mode[i] == BRUTE_MINUS && s < 0) continue;
            for (int k = 0; k < 3; k++) edge[k] = n[k] + s * g->mu[i] * t[k];
            brute_column(&p, edge, 1);
        }
    }
    const int motion = p.cols;
    p.cols += 6;
    for (int k = 0; k < 3 && going; k++)
        p.A[k][motion + 2 * k] = -mass[k], p.A[k][motion + 2 * k + 1] = mass[k];
    for (int i = 0; i < g->contacts; i++) {
        double n[3], t[3];
        grasp_column(g, i, 0, n);
        grasp_column(g, i, 1, t);
        const double least = i != mover ? 0 : going ? 1e-5 : 1;
        const int open = mode[i] == BRUTE_OPEN;
        brute_motion_row(&p, n, motion, 1, open ? p.cols++ : -1, open ? least : 0);
        if (mode[i] == BRUTE_STICKS) brute_motion_row(&p, t, motion, 1, -1, 0);
        if (mode[i] == BRUTE_PLUS) brute_motion_row(&p, t, motion, 1, p.cols++, least);
        if (mode[i] == BRUTE_MINUS) brute_motion_row(&p, t, motion, -1, p.cols++, least);
    }
    return brute_least(&p);
}

// The nearest factor beyond `from` at which a motion can begin; going: one with a finite acceleration.
static inline double grasp_moves(const grasp *g, int side, double from, int going) {
    double nearest = INFINITY;
    int count = 1;
    for (int i = 0; i < g->contacts; i++) count *= 4;
    for (int k = 0; k < count; k++) {
        int mode[GRASP_MOST];
        for (int i = 0, at = k; i < g->contacts; i++, at /= 4) mode[i] = at % 4;
        for (int i = 0; i < g->contacts; i++)
            if (mode[i] != BRUTE_STICKS)
                nearest = fmin(nearest, fmax(0, grasp_combination(g, mode, i, side, from, going)));
    }
    return side ? from + nearest : from - nearest;
}

#endif
