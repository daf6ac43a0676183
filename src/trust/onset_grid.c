// Slides of bodies on contacts whose loads are open: for a given slip every friction force is its load times a known direction, so that
// loads N >= 0 and the rate lambda > 0 of the slip u are a linear program,
//
//     M (a_held + lambda u) = Q + sum N_i (n_i - mu_i t_i)      (along the motions that joints allow)
//
// and the slips of two or three freedoms are few enough to try: a circle, a sphere; and of three freedoms the turns about one contact,
// which stays: its friction is anything within its cone, cut into edges from inside. A slide that only exists for a narrow range of slips
// may be missed.
#include <math.h>
#include <string.h>

#include "math/elementary.h"
#include "trust/lp.h"
#include "trust/onset.h"

#define BR_CIRCLE 128
#define BR_SPHERE 600
#define BR_EDGES 32 // of the cone of a contact that is turned about
#define BR_MAX_GRID 64
#define BR_MAX_GRID_MOTIONS 16
#define BR_EPS_EQUAL 1e-9 // of the loads
#define BR_EPS_RATE 1e-6  // of the rate that the loads could give
#define BR_EPS_PIVOT 1e-6 // of the fastest: a contact that the body turns about has no direction

typedef struct grid {
    const br_case *c;
    br_lp lp;
    int contacts;
    int *pad;      // [contacts]
    double *u;     // [n]
    double *force; // [n] of one contact under a unit load
    double *row;   // [contacts + 1]
    double *load;  // [motions] along the motions, of size 1
    double size;   // of the loads along the motions, and
    double rate;   // of lambda
    int kinetic;
} grid;

static double along(const br_balance *b, const double *v, const double *f) {
    double sum = 0.0;
    for (int k = 0; k < b->n; k++) sum += v[k] * f[k];
    return sum;
}

// force := n - mu t of a contact that slips with u; 0: it does not slip.
static int contact_force(grid *g, int i, double fastest) {
    const br_balance *b = g->c->b;
    const br_balance_pad *p = &b->pad[i];
    double slip[BR_BALANCE_DIRECTIONS] = {0.0}, square = 0.0;
    for (int d = 0; d < p->directions; d++) {
        for (int r = 0; r < b->n; r++) slip[d] += b->A[r * b->columns + p->column + d] * g->u[r];
        square += slip[d] * slip[d];
    }
    const double speed = sqrt(square), mu = g->kinetic ? p->mu_kinetic : p->mu_static;
    if (!(speed > BR_EPS_PIVOT * fastest)) return 0;
    for (int r = 0; r < b->n; r++) {
        g->force[r] = b->A[r * b->columns + p->normal];
        for (int d = 0; d < p->directions; d++)
            g->force[r] -= mu * slip[d] / speed * b->A[r * b->columns + p->column + d];
    }
    return 1;
}

static double fastest_slip(const grid *g) {
    const br_balance *b = g->c->b;
    double fastest = 0.0;
    for (int k = 0; k < g->contacts; k++) {
        const br_balance_pad *p = &b->pad[g->pad[k]];
        for (int d = 0; d < p->directions; d++) {
            double slip = 0.0;
            for (int r = 0; r < b->n; r++) slip += b->A[r * b->columns + p->column + d] * g->u[r];
            fastest = fmax(fastest, fabs(slip));
        }
    }
    return fastest;
}

// force := n - mu t of edge e of the cone of a contact that stays.
static void edge_force(grid *g, int i, int e) {
    const br_balance *b = g->c->b;
    const br_balance_pad *p = &b->pad[i];
    const double t[2] = {br_cos(2.0 * BR_PI * e / BR_EDGES), br_sin(2.0 * BR_PI * e / BR_EDGES)};
    for (int r = 0; r < b->n; r++) {
        g->force[r] = b->A[r * b->columns + p->normal];
        for (int d = 0; d < 2; d++) g->force[r] -= p->mu_static * t[d] * b->A[r * b->columns + p->column + d];
    }
}

// Whether loads keep the slip u going; z of the program has them. pivot: the contact that stays, -1: none.
static int goes_on(grid *g, int pivot) {
    const br_case *c = g->c;
    const br_balance *b = c->b;
    const double fastest = fastest_slip(g);
    if (!(fastest > 0.0)) return 0;
    double column[(BR_MAX_GRID + BR_EDGES) * BR_MAX_GRID_MOTIONS]; // [forces][motions], see create
    int forces = 0;
    for (int k = 0; k < g->contacts; k++)
        for (int e = 0; e < (k == pivot ? BR_EDGES : 1); e++, forces++) {
            if (k == pivot)
                edge_force(g, g->pad[k], e);
            else if (!contact_force(g, g->pad[k], fastest))
                return 0;
            for (int m = 0; m < c->motions; m++)
                column[forces * c->motions + m] = along(b, c->V + m * b->n, g->force);
        }
    const int n = forces + 1;
    br_lp_begin(&g->lp, n);
    g->lp.c[n - 1] = -1.0;
    memset(g->force, 0, (size_t)b->n * sizeof *g->force);
    for (int i = 0; i < b->n; i++)
        for (int j = 0; j < b->n; j++) g->force[i] += b->M[i * b->n + j] * g->u[j];
    for (int m = 0; m < c->motions; m++) {
        for (int k = 0; k < forces; k++) g->row[k] = column[k * c->motions + m];
        g->row[n - 1] = -g->rate * along(b, c->V + m * b->n, g->force) / (fastest * g->size);
        const double h = -g->load[m];
        if (!br_lp_row(&g->lp, g->row, h + BR_EPS_EQUAL)) return 0;
        for (int k = 0; k < n; k++) g->row[k] = -g->row[k];
        if (!br_lp_row(&g->lp, g->row, -h + BR_EPS_EQUAL)) return 0;
    }
    for (int k = 0; k < n; k++) {
        memset(g->row, 0, (size_t)n * sizeof *g->row);
        g->row[k] = -1.0;
        if (!br_lp_row(&g->lp, g->row, 0.0)) return 0;
    }
    return br_lp_solve(&g->lp) == BR_LP_OPTIMUM && g->lp.z[n - 1] > BR_EPS_RATE;
}

// Point k of an even choice on the circle or the sphere.
static void direction(int freedom, int k, double *y) {
    if (freedom == 2) {
        y[0] = br_cos(2.0 * BR_PI * k / BR_CIRCLE), y[1] = br_sin(2.0 * BR_PI * k / BR_CIRCLE);
        return;
    }
    const double z = 1.0 - (2.0 * k + 1.0) / BR_SPHERE, r = sqrt(1.0 - z * z), turn = 2.399963229728653 * k;
    y[0] = r * br_cos(turn), y[1] = r * br_sin(turn), y[2] = z;
}

// Motions have units of their own: each counts by the fastest slip that it makes.
static double slip_of_motion(grid *g, int k) {
    memcpy(g->u, g->c->U + k * g->c->b->n, (size_t)g->c->b->n * sizeof *g->u);
    return fastest_slip(g);
}

static int create(grid *g, const br_case *c, br_arena *arena) {
    const br_balance *b = c->b;
    g->c = c;
    g->pad = BR_TAKE(arena, int, b->pads);
    if (!g->pad || c->motions > BR_MAX_GRID_MOTIONS) return 0;
    for (int i = 0; i < b->pads; i++) {
        if (b->pad[i].sliding || b->pad[i].normal < 0) return 0;
        if (b->pad[i].directions > 0) g->pad[g->contacts++] = i;
    }
    if (g->contacts == 0 || g->contacts > BR_MAX_GRID || g->contacts != b->pads) return 0;
    g->u = BR_TAKE(arena, double, b->n);
    g->force = BR_TAKE(arena, double, b->n);
    g->row = BR_TAKE(arena, double, g->contacts + BR_EDGES + 1);
    g->load = BR_TAKE(arena, double, c->motions);
    if (!g->u || !g->force || !g->row || !g->load ||
        !br_lp_create(&g->lp, arena, g->contacts + BR_EDGES + 1, 2 * c->motions + g->contacts + BR_EDGES + 1))
        return 0;
    g->lp.work = c->work;
    double mass = 0.0;
    for (int i = 0; i < b->n; i++) {
        g->force[i] = b->Q[i];
        for (int j = 0; j < b->n; j++) g->force[i] -= b->M[i * b->n + j] * c->a_held[j];
        mass = fmax(mass, b->M[i * (b->n + 1)]);
    }
    for (int m = 0; m < c->motions; m++) g->size = fmax(g->size, fabs(along(b, c->V + m * b->n, g->force)));
    for (int m = 0; m < c->motions && g->size > 0.0; m++)
        g->load[m] = along(b, c->V + m * b->n, g->force) / g->size;
    g->rate = mass > 0.0 ? g->size / mass : 0.0;
    return g->size > 0.0;
}

static void keep_slide(const grid *g, int pivot, br_onset *out) {
    const br_balance *b = g->c->b;
    memset(out->x, 0, (size_t)b->columns * sizeof *out->x);
    memset(out->moves, 0, (size_t)b->pads * sizeof *out->moves);
    for (int k = 0; k < g->contacts; k++) out->moves[g->pad[k]] = k != pivot;
    out->pad = g->pad[pivot == 0];
    out->consistent = 1;
}

static void set_motion(grid *g, const double *scale, const double *y) {
    const br_case *c = g->c;
    memset(g->u, 0, (size_t)c->b->n * sizeof *g->u);
    for (int f = 0; f < c->freedom; f++)
        for (int i = 0; i < c->b->n; i++) g->u[i] += y[f] / scale[f] * c->U[f * c->b->n + i];
    br_work_spend(c->work, (double)c->b->n * (c->b->n + 4 * c->b->pads * (c->motions + 2)));
}

// The turn about one contact of a body with three freedoms: no slip along its two directions. 0: there is no such turn.
static int turn_about(const grid *g, int contact, const double *scale, double *y) {
    const br_case *c = g->c;
    const br_balance *b = c->b;
    const br_balance_pad *p = &b->pad[g->pad[contact]];
    double slip[2][3] = {{0.0}}, size[2] = {0.0, 0.0}, length = 0.0;
    if (c->freedom != 3 || p->directions != 2) return 0;
    for (int d = 0; d < 2; d++)
        for (int f = 0; f < 3; f++) {
            for (int r = 0; r < b->n; r++)
                slip[d][f] += b->A[r * b->columns + p->column + d] * c->U[f * b->n + r];
            slip[d][f] /= scale[f];
            size[d] += slip[d][f] * slip[d][f];
        }
    for (int f = 0; f < 3; f++) {
        y[f] = slip[0][(f + 1) % 3] * slip[1][(f + 2) % 3] - slip[0][(f + 2) % 3] * slip[1][(f + 1) % 3];
        length += y[f] * y[f];
    }
    if (!(length > 1e-16 * size[0] * size[1])) return 0;
    for (int f = 0; f < 3; f++) y[f] /= sqrt(length);
    return 1;
}

int br_onset_grid(const br_case *c, br_arena *arena, int kinetic, br_onset *out) {
    grid g = {.kinetic = kinetic};
    if (c->freedom < 2 || c->freedom > 3 || c->moving > 0 || !c->stays || !create(&g, c, arena)) return 0;
    double scale[3] = {1.0, 1.0, 1.0}, y[3];
    for (int k = 0; k < c->freedom; k++)
        if (!((scale[k] = slip_of_motion(&g, k)) > 0.0)) return 0;
    for (int k = 0; k < (c->freedom == 2 ? BR_CIRCLE : BR_SPHERE) && br_work_left(c->work); k++) {
        direction(c->freedom, k, y);
        set_motion(&g, scale, y);
        if (goes_on(&g, -1)) return keep_slide(&g, -1, out), 1;
    }
    for (int k = 0; k < 2 * g.contacts && br_work_left(c->work); k++) {
        if (!turn_about(&g, k / 2, scale, y)) continue;
        for (int f = 0; f < 3 && k % 2; f++) y[f] = -y[f];
        set_motion(&g, scale, y);
        if (goes_on(&g, k / 2)) return keep_slide(&g, k / 2, out), 1;
    }
    return 0;
}
