// The truth about an instant with friction, by trying every combination of modes: stick, slide either way, lift.
//
//     M a = Q + sum over rows of J^T x + sum over pads of t^T f
//
// Rows are bilateral (J a = b) or unilateral (x >= 0, J a >= b, one of them zero). A pad rubs along t with N = pre + sum |x| of its
// rows: at rest it sticks (t a = b, |f| <= mu_static N) or begins to slide (f against it); what slides already has f = -s mu_kinetic N.
// A combination of modes and signs of x is a linear program (sceptic_lp.h); there is nothing cleverer here, on purpose.
#ifndef SCEPTIC_MODES_H
#define SCEPTIC_MODES_H

#include "sceptic_lp.h"

enum { SC_COORDINATES = 21, SC_ROWS = 20, SC_PADS = 8, SC_LOADS = 4 };
enum { SC_STICK = 0, SC_PLUS, SC_MINUS, SC_OPEN };

#define SC_STRICT 1e-8L // of accelerations in their own scale: less is rest

typedef struct sc_row {
    real J[SC_COORDINATES], b;
    int unilateral, of_pad; // of_pad: lifted and closed with its pad
} sc_row;

typedef struct sc_pad {
    real t[SC_COORDINATES], b, mu_static, mu_kinetic, pre;
    int slides; // -1, 1: the way it slides already; 0: it rests
    int contact, loads, load[SC_LOADS];
} sc_pad;

typedef struct sc_instant {
    int n, rows, pads;
    real mass[SC_COORDINATES], Q[SC_COORDINATES];
    sc_row row[SC_ROWS];
    sc_pad pad[SC_PADS];
} sc_instant;

typedef struct sc_truth {
    int rest;                            // rest is admissible
    int onset_static, onset_kinetic;     // some motion is, with mu_static, mu_kinetic where it slides
    int several_static, several_kinetic; // more than one acceleration is
    int stay_static[SC_PADS], go_static[SC_PADS], stay_kinetic[SC_PADS], go_kinetic[SC_PADS];
    double c_star;                        // INFINITY: no factor will do
    double least[SC_PADS], most[SC_PADS]; // friction over all balanced forces
    int freedom, nullity,
        permanent; // with friction released; open combinations of forces, and of them without friction
    long programs;
} sc_truth;

// ------------------------------------------------------------------------------------------ one combination

typedef struct sc_problem {
    const sc_instant *at;
    int forces;                                          // rows, then pads, then the margin
    real W[LP_VARIABLES][LP_VARIABLES], r[LP_VARIABLES]; // accelerations W x + r of rows and pads
    real f_scale, a_scale;
    real functional[LP_VARIABLES + 1]; // of the forces: a fixed combination of accelerations, constant last
    int mode[SC_PADS], open[SC_ROWS], sign[SC_ROWS];
    real factor; // on mu_static
    int kinetic; // what begins to slide has mu_kinetic
    long programs;
} sc_problem;

static inline const real *sc_column(const sc_instant *s, int k) {
    return k < s->rows ? s->row[k].J : s->pad[k - s->rows].t;
}

static inline sc_problem sc_prepare(const sc_instant *s) {
    sc_problem p;
    memset(&p, 0, sizeof p);
    p.at = s;
    p.forces = s->rows + s->pads;
    for (int i = 0; i < s->n; i++) {
        p.f_scale = fmaxl(p.f_scale, fabsl(s->Q[i]));
        p.a_scale = fmaxl(p.a_scale, fabsl(s->Q[i] / s->mass[i]));
    }
    for (int k = 0; k < s->pads; k++) p.f_scale = fmaxl(p.f_scale, s->pad[k].mu_static * s->pad[k].pre);
    for (int k = 0; k < s->rows; k++) p.a_scale = fmaxl(p.a_scale, fabsl(s->row[k].b));
    if (p.f_scale == 0) p.f_scale = 1;
    if (p.a_scale == 0) p.a_scale = 1;
    for (int i = 0; i < p.forces; i++) {
        for (int j = 0; j < p.forces; j++)
            for (int q = 0; q < s->n; q++)
                p.W[i][j] += sc_column(s, i)[q] * sc_column(s, j)[q] / s->mass[q] * p.f_scale / p.a_scale;
        for (int q = 0; q < s->n; q++) p.r[i] += sc_column(s, i)[q] * s->Q[q] / s->mass[q] / p.a_scale;
        for (int q = 0; q < s->n; q++)
            p.functional[i] += sinl(q + 1.0L) * sc_column(s, i)[q] / s->mass[q] * p.f_scale / p.a_scale;
    }
    for (int q = 0; q < s->n; q++)
        p.functional[LP_VARIABLES] += sinl(q + 1.0L) * s->Q[q] / s->mass[q] / p.a_scale;
    p.factor = 1;
    return p;
}

// side (acceleration of force k - b) as a row of the program: side W x (+ margin) <= side (b - r).
static inline void sc_acceleration(const sc_problem *p, real *row, int k, real side, real b) {
    for (int j = 0; j < p->forces; j++) row[j] = side * p->W[k][j];
    row[LP_VARIABLES] = side * (b / p->a_scale - p->r[k]);
}

// row += factor N of a pad, as far as it hangs on forces; its constant part goes to the right-hand side.
static inline void sc_load(const sc_problem *p, real *row, const sc_pad *pad, real factor) {
    for (int l = 0; l < pad->loads; l++) row[pad->load[l]] += factor * p->sign[pad->load[l]];
    row[LP_VARIABLES] -= factor * pad->pre / p->f_scale;
}

static inline void sc_pad_rows(const sc_problem *p, lp_system *lp, int k) {
    const sc_pad *pad = &p->at->pad[k];
    const int f = p->at->rows + k, margin = p->forces;
    if (p->mode[k] == SC_OPEN) {
        lp_equal(lp)[f] = 1;
        return;
    }
    if (pad->slides == 0 && p->mode[k] == SC_STICK) {
        sc_acceleration(p, lp_equal(lp), f, 1, pad->b);
        for (int side = -1; side <= 1; side += 2) {
            real *row = lp_below(lp);
            row[f] = side;
            sc_load(p, row, pad, -p->factor * pad->mu_static);
        }
        return;
    }
    const real s = pad->slides ? pad->slides : p->mode[k] == SC_PLUS ? 1 : -1;
    const real mu = pad->slides || p->kinetic ? pad->mu_kinetic : p->factor * pad->mu_static;
    real *row = lp_equal(lp);
    row[f] = 1;
    sc_load(p, row, pad, s * mu);
    if (pad->slides) return;
    row = lp_below(lp);
    sc_acceleration(p, row, f, -s, pad->b);
    row[margin] = 1;
}

static inline void sc_build(const sc_problem *p, lp_system *lp) {
    const sc_instant *s = p->at;
    const int margin = p->forces;
    lp->n = p->forces + 1, lp->equalities = lp->inequalities = 0;
    for (int k = 0; k < s->rows; k++) {
        const sc_row *r = &s->row[k];
        if (p->open[k]) {
            lp_equal(lp)[k] = 1;
            real *row = lp_below(lp);
            sc_acceleration(p, row, k, -1, r->b);
            if (r->of_pad) row[margin] = 1;
            continue;
        }
        sc_acceleration(p, lp_equal(lp), k, 1, r->b);
        if (r->unilateral)
            lp_below(lp)[k] = -1;
        else if (p->sign[k])
            lp_below(lp)[k] = -p->sign[k];
    }
    for (int k = 0; k < s->pads; k++) sc_pad_rows(p, lp, k);
    real *row = lp_below(lp);
    row[margin] = 1, row[LP_VARIABLES] = 1;
}

// ------------------------------------------------------------------------------------------ all combinations

typedef void (*sc_visit)(void *context, sc_problem *p, const lp_system *lp);

static inline void sc_each_sign(sc_problem *p, int k, sc_visit visit, void *context) {
    const sc_instant *s = p->at;
    int signed_row = 0;
    if (k == s->rows) {
        lp_system lp;
        sc_build(p, &lp);
        p->programs++;
        visit(context, p, &lp);
        return;
    }
    for (int i = 0; i < s->pads; i++)
        for (int l = 0; l < s->pad[i].loads; l++) signed_row |= s->pad[i].load[l] == k;
    p->sign[k] = signed_row && !p->open[k] ? 1 : 0;
    sc_each_sign(p, k + 1, visit, context);
    if (!signed_row || s->row[k].unilateral || p->open[k]) return;
    p->sign[k] = -1;
    sc_each_sign(p, k + 1, visit, context);
}

static inline void sc_each_limit(sc_problem *p, int k, sc_visit visit, void *context) {
    const sc_instant *s = p->at;
    while (k < s->rows && (!s->row[k].unilateral || s->row[k].of_pad)) k++;
    if (k == s->rows) {
        sc_each_sign(p, 0, visit, context);
        return;
    }
    for (p->open[k] = 0; p->open[k] < 2; p->open[k]++) sc_each_limit(p, k + 1, visit, context);
    p->open[k] = 0;
}

static inline void sc_each_mode(sc_problem *p, int k, sc_visit visit, void *context) {
    const sc_instant *s = p->at;
    if (k == s->pads) {
        sc_each_limit(p, 0, visit, context);
        return;
    }
    const sc_pad *pad = &s->pad[k];
    for (int mode = SC_STICK; mode <= SC_OPEN; mode++) {
        if (mode == SC_OPEN && !pad->contact) continue;
        if (pad->slides && (mode == SC_PLUS || mode == SC_MINUS)) continue;
        p->mode[k] = mode;
        if (pad->contact) p->open[pad->load[0]] = mode == SC_OPEN;
        sc_each_mode(p, k + 1, visit, context);
    }
    p->mode[k] = SC_STICK;
    if (pad->contact) p->open[pad->load[0]] = 0;
}

// --- rest: everything that rests sticks, contacts closed, limits held or not

static inline void sc_visit_rest(void *context, sc_problem *p, const lp_system *lp) {
    real c[LP_VARIABLES] = {0}, value;
    (void)p;
    *(int *)context |= lp_max(lp, c, &value) != LP_INFEASIBLE;
}

static inline int sc_rests(sc_problem *p, double factor) {
    int found = 0;
    p->factor = factor, p->kinetic = 0;
    memset(p->mode, 0, sizeof p->mode);
    sc_each_limit(p, 0, sc_visit_rest, &found);
    p->factor = 1;
    return found;
}

static inline double sc_c_star(sc_problem *p) {
    double low = 0, high = 1;
    if (sc_rests(p, 1e-9)) return 0;
    while (!sc_rests(p, high))
        if ((low = high, high *= 4) > 1e7) return INFINITY;
    while (high - low > 1e-10 * high) {
        const double middle = 0.5 * (low + high);
        if (sc_rests(p, middle))
            high = middle;
        else
            low = middle;
    }
    return high;
}

typedef struct sc_range {
    int force;
    real least, most;
} sc_range;

static inline void sc_visit_range(void *context, sc_problem *p, const lp_system *lp) {
    sc_range *range = context;
    real c[LP_VARIABLES] = {0}, value;
    c[range->force] = 1;
    lp_end end = lp_max(lp, c, &value);
    if (end == LP_INFEASIBLE) return;
    range->most = fmaxl(range->most, end == LP_UNBOUNDED ? INFINITY : value * p->f_scale);
    c[range->force] = -1;
    end = lp_max(lp, c, &value);
    range->least = fminl(range->least, end == LP_UNBOUNDED ? -INFINITY : -value * p->f_scale);
}

// --- motion

typedef struct sc_motion {
    sc_truth *truth;
    int kinetic, found;
    real low, high;
} sc_motion;

static inline void sc_visit_motion(void *context, sc_problem *p, const lp_system *lp) {
    sc_motion *m = context;
    const sc_instant *s = p->at;
    real c[LP_VARIABLES] = {0}, value;
    int moving = 0;
    for (int k = 0; k < s->pads; k++) moving |= p->mode[k] != SC_STICK;
    const int begins = moving;
    for (int k = 0, all = 1; k <= s->pads; k++) { // what slides throughout moves, whatever else happens
        if (k == s->pads)
            moving |= all;
        else
            all &= s->pad[k].slides != 0;
    }
    c[p->forces] = 1;
    if (lp_max(lp, c, &value) == LP_INFEASIBLE) return;
    if (begins && value < SC_STRICT) return;
    for (int k = 0; k < s->pads; k++) {
        int *stay = m->kinetic ? m->truth->stay_kinetic : m->truth->stay_static;
        int *go = m->kinetic ? m->truth->go_kinetic : m->truth->go_static;
        *(p->mode[k] == SC_STICK ? &stay[k] : &go[k]) = 1;
    }
    if (!moving) return;
    for (int side = -1; side <= 1; side += 2) {
        for (int j = 0; j < p->forces; j++) c[j] = side * p->functional[j];
        c[p->forces] = 0;
        const lp_end end = lp_max(lp, c, &value);
        real at = side * (value + side * p->functional[LP_VARIABLES]);
        if (end == LP_UNBOUNDED) at = side * INFINITY;
        m->low = fminl(m->low, at), m->high = fmaxl(m->high, at);
    }
    m->found = 1;
}

static inline sc_motion sc_move(sc_problem *p, sc_truth *truth, int kinetic) {
    sc_motion m = {truth, kinetic, 0, INFINITY, -INFINITY};
    p->kinetic = kinetic;
    sc_each_mode(p, 0, sc_visit_motion, &m);
    return m;
}

// Rank of the rows, and with `pads` of the friction directions at rest too.
static inline int sc_rank(const sc_instant *s, int pads) {
    lp_system lp;
    real x0[LP_VARIABLES], Z[LP_VARIABLES][LP_VARIABLES];
    int d = 0;
    lp.n = s->n, lp.equalities = lp.inequalities = 0;
    for (int k = 0; k < s->rows + pads * s->pads; k++) {
        if (k >= s->rows && s->pad[k - s->rows].slides) continue;
        real *row = lp_equal(&lp);
        for (int q = 0; q < s->n; q++) row[q] = sc_column(s, k)[q];
    }
    lp_eliminate(&lp, x0, Z, &d);
    return s->n - d;
}

static inline sc_truth sc_find(const sc_instant *s, int ranges) {
    sc_truth t;
    sc_problem p = sc_prepare(s);
    memset(&t, 0, sizeof t);
    t.rest = sc_rests(&p, 1);
    const sc_motion a = sc_move(&p, &t, 0), b = sc_move(&p, &t, 1);
    t.onset_static = a.found, t.onset_kinetic = b.found;
    t.several_static = a.high - a.low > 1e-6L, t.several_kinetic = b.high - b.low > 1e-6L;
    if (ranges) {
        int columns = s->rows;
        for (int k = 0; k < s->pads; k++) columns += s->pad[k].slides == 0;
        t.freedom = s->n - sc_rank(s, 0), t.permanent = s->rows - sc_rank(s, 0),
        t.nullity = columns - sc_rank(s, 1);
        t.c_star = sc_c_star(&p);
        for (int k = 0; k < s->pads; k++) {
            sc_range range = {s->rows + k, INFINITY, -INFINITY};
            memset(p.mode, 0, sizeof p.mode);
            sc_each_limit(&p, 0, sc_visit_range, &range);
            t.least[k] = (double)range.least, t.most[k] = (double)range.most;
        }
    }
    t.programs = p.programs;
    return t;
}

// The same question with every mu a little smaller and larger: an instant whose answer changes is too near to a threshold.
static inline int sc_clear(const sc_instant *s, const sc_truth *t, double by) {
    for (int side = -1; side <= 1; side += 2) {
        sc_instant near = *s;
        for (int k = 0; k < s->pads; k++)
            near.pad[k].mu_static *= 1 + side * by, near.pad[k].mu_kinetic *= 1 + side * by;
        const sc_truth u = sc_find(&near, 0);
        if (u.rest != t->rest || u.onset_static != t->onset_static || u.onset_kinetic != t->onset_kinetic ||
            u.several_static != t->several_static || u.several_kinetic != t->several_kinetic)
            return 0;
        for (int k = 0; k < s->pads; k++)
            if (u.stay_static[k] != t->stay_static[k] || u.go_static[k] != t->go_static[k] ||
                u.stay_kinetic[k] != t->stay_kinetic[k] || u.go_kinetic[k] != t->go_kinetic[k])
                return 0;
    }
    return 1;
}

#endif
