// Proofs without a search, see proof.h.
#include "trust/proof.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/symmetric.h"

#define EPS_MONOTONE 1e-6 // of the kinetic energy: what must be left of it
#define ENOUGH_LEFT 0.5   // the same: motions with more left need no other bounds
#define BR_MAX_ROUNDS 30
#define EPS_BORDER 1e-9 // of a limit: nearer than this the search decides

// --- balanced without friction ------------------------------------------------------------------------------------

static int lp_zero(br_lp *lp, const br_affine *form, double sign, double *line) {
    for (int j = 0; j < lp->n; j++) line[j] = sign * form->q[j];
    return br_lp_row(lp, line, -sign * form->p);
}

// Whether some forces without friction balance the loads.
static int stands_without_friction(br_case *c) {
    br_region *r = &c->region;
    br_lp *lp = &r->lp;
    br_lp_begin(lp, r->unknowns);
    for (int i = 0; i < r->pads; i++) {
        const br_region_pad *p = &r->pad[i];
        int room = 1;
        for (int k = 0; k < p->directions && room; k++)
            room = lp_zero(lp, &p->f[k], 1.0, r->line) && lp_zero(lp, &p->f[k], -1.0, r->line);
        if (p->contact) room = room && lp_zero(lp, &p->linear, -1.0, r->line);
        for (int j = 0; p->contact && j < r->unknowns; j++) lp->c[j] += p->linear.q[j];
        if (!room) return 0;
    }
    const br_lp_answer answer = br_lp_solve(lp);
    return answer == BR_LP_OPTIMUM;
}

// --- monotone -----------------------------------------------------------------------------------------------------

// One norm of the load of one pad, of motions of energy 1: at most mu |load v| |slip v| of the energy of v is what a changed load gives.
typedef struct gain {
    double mu, t;              // the bound used is mu/2 (t |load v|^2 + |slip v|^2 / t)
    double all_load, all_slip; // squares over the motions that count
    int loads, slips;
    double *load, *slip; // [loads * motions], [slips * motions]
} gain;

typedef struct monotone {
    const br_case *c;
    br_arena *arena;
    br_span span; // of all columns
    int motions;
    double *K; // [motions^2] factor of V M V^T
    double *X; // [motions * columns] forces that go with each motion
    double *H; // [motions^2] what the bounds leave of the energy
    int gains;
    gain *gain;
} monotone;

static double coefficient_of(const br_balance_pad *p, int kinetic) {
    if (p->sliding) return br_norm(p->directions, p->drag);
    return kinetic ? p->mu_kinetic : p->mu_static;
}

// What forces that do nothing leave of a form: 0: it feels them, and does not follow from the acceleration.
static int feels_nothing(const monotone *w, const double *form) {
    const int columns = w->c->b->columns;
    for (int j = 0; j < w->span.nullity; j++) {
        double sum = 0.0, size = 0.0;
        for (int k = 0; k < columns; k++)
            sum += form[k] * w->span.Z[j * columns + k], size += fabs(form[k]) / w->span.length[k];
        if (fabs(sum) > BR_EPS_UNIQUE * size) return 0;
    }
    return 1;
}

// Rows of numbers per motion become numbers per motion of energy 1: v := K^-1 v.
static void to_energy(const monotone *w, double *v) {
    const int m = w->motions;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < i; j++) v[i] -= w->K[i * m + j] * v[j];
        v[i] /= w->K[i * m + i];
    }
}

static double norm_along(int rows, int m, const double *forms, const double *v) {
    double square = 0.0;
    for (int k = 0; k < rows; k++) {
        const double along = br_dot(m, forms + k * m, v);
        square += along * along;
    }
    return sqrt(square);
}

static void take_away(double *H, int m, const gain *g) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            double sum = 0.0;
            for (int k = 0; k < g->loads; k++) sum += g->t * g->load[k * m + i] * g->load[k * m + j];
            for (int k = 0; k < g->slips; k++) sum += g->slip[k * m + i] * g->slip[k * m + j] / g->t;
            H[i * m + j] -= 0.5 * g->mu * sum;
        }
}

static int add_gain(monotone *w, double mu, int slips, const double *slip, int forms,
                    const double *const *form) {
    const int m = w->motions, columns = w->c->b->columns;
    gain *g = &w->gain[w->gains];
    *g = (gain){.mu = mu, .loads = forms, .slips = slips};
    g->load = BR_TAKE(w->arena, double, (size_t)forms *(size_t)m);
    g->slip = BR_TAKE(w->arena, double, (size_t)slips *(size_t)m);
    if (!g->load || !g->slip) return 0;
    memcpy(g->slip, slip, (size_t)slips * (size_t)m * sizeof *slip);
    for (int f = 0; f < forms; f++) {
        if (!feels_nothing(w, form[f])) return 0;
        for (int k = 0; k < m; k++)
            g->load[f * m + k] = br_dot(columns, form[f], w->X + (size_t)k * (size_t)columns);
        to_energy(w, g->load + f * m);
    }
    const double load = br_norm(forms * m, g->load), all = br_norm(slips * m, g->slip);
    if (!(load > 0.0) || !(all > 0.0)) return 1;
    g->t = all / load, w->gains++;
    g->all_load = load * load / m, g->all_slip = all * all / m;
    return 1;
}

static int add_pad(monotone *w, const br_balance_pad *p, int kinetic, double *slip, double *unit) {
    const br_balance *b = w->c->b;
    const int m = w->motions;
    const double mu = coefficient_of(p, kinetic);
    if (p->may_pull) return 0;
    if (p->directions == 0 || !(mu > 0.0)) return 1;
    for (int d = 0; d < p->directions; d++) {
        for (int k = 0; k < m; k++) {
            double v = 0.0;
            for (int i = 0; i < b->n; i++) v += b->A[i * b->columns + p->column + d] * w->c->V[k * b->n + i];
            slip[d * m + k] = v;
        }
        to_energy(w, slip + d * m);
    }
    if (p->normal >= 0) {
        const double *const form[] = {unit};
        memset(unit, 0, (size_t)b->columns * sizeof *unit);
        unit[p->normal] = 1.0;
        return add_gain(w, mu, p->directions, slip, 1, form);
    }
    for (int n = 0; n < p->norms; n++)
        if (!add_gain(w, mu, p->directions, slip, p->norm[n].forms, p->norm[n].form)) return 0;
    return 1;
}

// K, and the forces X of each motion; 0: no memory, or a motion without mass.
static int make_motions(monotone *w, br_arena *arena) {
    const br_balance *b = w->c->b;
    const int m = w->motions, n = b->n;
    double *inertia = BR_TAKE(arena, double, n), *scratch = BR_TAKE(arena, double, n);
    if (!inertia || !scratch) return 0;
    for (int k = 0; k < m; k++) {
        for (int i = 0; i < n; i++) inertia[i] = br_dot(n, b->M + i * n, w->c->V + (size_t)k * (size_t)n);
        for (int j = 0; j < m; j++) w->K[j * m + k] = br_dot(n, inertia, w->c->V + (size_t)j * (size_t)n);
        br_span_solve(&w->span, inertia, w->X + (size_t)k * (size_t)b->columns, scratch);
    }
    return br_cholesky_factor(m, w->K, m) == 0;
}

static int is_counterexample(const monotone *w, const double *v) {
    double lost = 0.0;
    for (int k = 0; k < w->gains; k++) {
        const gain *g = &w->gain[k];
        lost += g->mu * norm_along(g->loads, w->motions, g->load, v) *
                norm_along(g->slips, w->motions, g->slip, v);
    }
    return lost >= 1.0;
}

// A motion of which too little is left counts more from now on.
static void weigh_motion(monotone *w, const double *v, double weight) {
    for (int k = 0; k < w->gains; k++) {
        gain *g = &w->gain[k];
        const double load = norm_along(g->loads, w->motions, g->load, v),
                     slip = norm_along(g->slips, w->motions, g->slip, v);
        g->all_load += weight * load * load, g->all_slip += weight * slip * slip;
        g->t = sqrt(g->all_slip / g->all_load);
    }
}

// Whether bounds are found that leave some of the energy of every motion. Each round they are chosen anew, motions of which they left
// little counting more, as long as the worst itself is not a counterexample.
static int energy_is_left(monotone *w) {
    const int m = w->motions;
    double *values = BR_TAKE(w->arena, double, m), *vectors = BR_TAKE(w->arena, double, (size_t)m *(size_t)m);
    if (!values || !vectors) return 0;
    for (int round = 0; round < BR_MAX_ROUNDS; round++) {
        if (!br_work_spend(w->c->work, (double)m * m * (m + 5.0 * w->gains))) return 0;
        memset(w->H, 0, (size_t)m * (size_t)m * sizeof *w->H);
        for (int k = 0; k < m; k++) w->H[k * (m + 1)] = 1.0;
        for (int k = 0; k < w->gains; k++) take_away(w->H, m, &w->gain[k]);
        memcpy(vectors, w->H, (size_t)m * (size_t)m * sizeof *vectors);
        for (int k = 0; k < m; k++) vectors[k * (m + 1)] -= EPS_MONOTONE;
        if (br_cholesky_factor(m, vectors, m) == 0) return 1;
        if (!br_work_spend(w->c->work, 100.0 * m * m * m)) return 0;
        br_symmetric_eigen(m, w->H, vectors, values);
        int least = 0;
        for (int k = 1; k < m; k++)
            if (values[k] < values[least]) least = k;
        if (is_counterexample(w, vectors + least * m)) return 0;
        for (int k = 0; k < m; k++)
            if (values[k] < ENOUGH_LEFT) weigh_motion(w, vectors + k * m, ENOUGH_LEFT - values[k]);
    }
    return 0;
}

static int is_monotone(const br_case *c, br_arena *arena, int kinetic) {
    const br_balance *b = c->b;
    const size_t m = (size_t)c->motions, columns = (size_t)b->columns;
    br_error ignored;
    if (b->loads > 0 || !br_work_spend(c->work, br_work_of_span(b->n, b->columns))) return 0;
    monotone w = {.c = c, .arena = arena, .motions = c->motions};
    w.K = BR_TAKE(arena, double, m *m), w.H = BR_TAKE(arena, double, m *m);
    w.X = BR_TAKE(arena, double, m *columns);
    w.gain = BR_TAKE(arena, gain, b->pads * (1 + BR_BALANCE_NORMS));
    double *slip = BR_TAKE(arena, double, m *BR_BALANCE_DIRECTIONS), *unit = BR_TAKE(arena, double, columns);
    if (!w.K || !w.H || !w.X || !w.gain || !slip || !unit) return 0;
    if (br_span_make(&w.span, arena, b->n, b->columns, b->A, &ignored) != BR_OK) return 0;
    if (!make_motions(&w, arena)) return 0;
    for (int i = 0; i < b->pads; i++)
        if (!add_pad(&w, &b->pad[i], kinetic, slip, unit)) return 0;
    return energy_is_left(&w);
}

// --- answers ------------------------------------------------------------------------------------------------------

// The only forces at rest keep every limit.
static int rest_is_inside(const br_case *c, int kinetic) {
    const br_balance *b = c->b;
    for (int i = 0; i < b->pads; i++) {
        const br_balance_pad *p = &b->pad[i];
        const double load = br_balance_load(b, i, c->family.x0);
        const double limit = coefficient_of(p, kinetic) * load;
        if (p->normal >= 0 && !(load >= 0.0)) return 0;
        if (br_norm(p->directions, c->family.x0 + p->column) > (1.0 - EPS_BORDER) * limit) return 0;
    }
    return 1;
}

int br_proof_rests(br_case *c, br_arena *arena, int kinetic) {
    if (!br_case_is_plain(c) || c->b->loads > 0) return 0;
    for (int i = 0; i < c->b->pads; i++)
        if (c->b->pad[i].may_pull) return 0;
    if (stands_without_friction(c)) return 1;
    return c->family.unknowns == 0 && rest_is_inside(c, kinetic) && is_monotone(c, arena, kinetic);
}

int br_proof_one_motion(const br_case *c, br_arena *arena) {
    return is_monotone(c, arena, 0);
}
