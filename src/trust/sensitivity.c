// Forces of one instant shared by laws, compliances or springs, see sensitivity.h.
#include "trust/sensitivity.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "linalg/dense.h"
#include "math/elementary.h"

#define BR_MAX_EQUILIBRIUM 60
#define BR_EPS_EQUILIBRIUM 1e-11 // of the loads
#define BR_MAX_FREEDOM 12        // motions at rest that are searched in
#define BR_MAX_CREEP                                                                                         \
    100.0 // times the motion with which one pad came to its limit, up to which others may hold it
#define BR_LEAST_CREEP 0.02
#define BR_CREEP_STEP 1.1
#define BR_JUST_BELOW (1.0 - 1e-9)
#define BR_CREEP_SHARE                                                                                       \
    0.03 // of a slip, or of what brings a law to its limit: one stride on the way from rest
#define BR_MAX_CREEP_STEPS 1000 // strides
#define BR_RETRACED 6           // pieces in which the creep that was is gone through again
#define BR_GONE 20.0            // times what brings a law to its limit: every one has let go
#define BR_FIRST_CREEP 0.01     // of the motion at which a law is at its limit

// --- a copy ------------------------------------------------------------------------------------------------

static void *copy(br_arena *arena, const void *from, size_t count, size_t size) {
    void *to = br_arena_take(arena, count, size);
    if (to) memcpy(to, from, count * size);
    return to;
}

static int copy_balance(const br_balance *b, br_arena *arena, br_balance *out) {
    const size_t n = (size_t)b->n, columns = (size_t)b->columns;
    *out = *b;
    out->A = copy(arena, b->A, n * columns, sizeof(double));
    out->M = copy(arena, b->M, n * n, sizeof(double));
    out->Q = copy(arena, b->Q, n, sizeof(double));
    out->a = copy(arena, b->a, n, sizeof(double));
    out->x = copy(arena, b->x, columns, sizeof(double));
    out->gamma = copy(arena, b->gamma, columns, sizeof(double));
    out->weight = copy(arena, b->weight, columns, sizeof(double));
    out->power = copy(arena, b->power, columns, sizeof(double));
    out->name = copy(arena, b->name, columns, sizeof *b->name);
    out->parameter = copy(arena, b->parameter, columns, sizeof *b->parameter);
    out->pad = copy(arena, b->pad, (size_t)b->pads, sizeof *b->pad);
    if (!out->A || !out->M || !out->Q || !out->a || !out->x || !out->gamma || !out->weight || !out->power ||
        !out->name || !out->parameter || !out->pad)
        return 0;
    for (int i = 0; i < b->pads; i++) {
        br_balance_pad *p = &out->pad[i];
        for (int k = 0; k < p->norms; k++)
            for (int f = 0; f < p->norm[k].forms; f++)
                if (!(p->norm[k].form[f] = copy(arena, p->norm[k].form[f], columns, sizeof(double))))
                    return 0;
    }
    return 1;
}

static int any_weight(const br_balance *b) {
    for (int c = 0; c < b->columns; c++)
        if (b->power[c] != 0.0) return 1;
    return 0;
}

static int has_law(const br_share *s, int pad) {
    return pad < s->laws && !br_friction_is_set_valued(&s->law[pad]);
}

// The motion at which a law is at its limit.
static double reach_of(const br_friction_params *law) {
    return law->law == BR_FRICTION_SMOOTH ? law->v_slope : br_friction_limit(law) / law->sigma_0;
}

// How much motion at rest matters: the first pad would be at its limit.
static double motion_scale(const br_share *s) {
    double scale = 0.0;
    for (int i = 0; i < s->laws; i++)
        if (has_law(s, i)) scale = fmax(scale, reach_of(&s->law[i]));
    return scale;
}

br_status br_share_make(const br_balance *b, int sprung, int laws, const br_friction_params *law, double t,
                        br_arena *arena, br_work *budget, br_share *out, br_error *error) {
    br_case c;
    int functional = 0;
    *out = (br_share){.t = t, .law = law, .laws = laws, .sprung = sprung, .loads = 1.0, .budget = budget};
    for (int i = 0; i < b->pads; i++) functional += !sprung && !b->pad[i].sliding && has_law(out, i);
    if (functional == 0 && !any_weight(b)) return BR_OK;
    if (!br_work_spend(budget, br_case_work(b))) return BR_OK;
    const br_status status = br_case_make(b, arena, budget, &c, error);
    if (status != BR_OK) return status;
    if (c.rest == 0 || c.family.unknowns == 0) return BR_OK;
    if (functional > 0 && c.freedom <= BR_MAX_FREEDOM)
        out->sharing = BR_SHARED_BY_LAWS;
    else if (any_weight(b))
        out->sharing = BR_SHARED_BY_WEIGHTS;
    else
        return BR_OK;
    if (!copy_balance(b, arena, &out->b))
        return br_fail(error, BR_NO_MEMORY, "out-of-memory", "no memory for sensitivities");
    // Quasi-static: what is at rest stays, whatever the simulation does at this instant.
    memcpy(out->b.a, c.a_held, (size_t)b->n * sizeof(double));
    if (out->sharing != BR_SHARED_BY_LAWS) return BR_OK;
    out->freedom = c.freedom;
    out->U = c.U;
    out->y = BR_TAKE(arena, double, c.freedom);
    out->scale = motion_scale(out);
    return out->y ? BR_OK : br_fail(error, BR_NO_MEMORY, "out-of-memory", "no memory for sensitivities");
}

// BR_NUMERICAL also where the budget is used up.
static br_status hold(const br_share *s, const br_pad_state *state, br_balance_work *work, br_held *held) {
    if (!br_work_spend(s->budget, br_work_of_hold(s->b.n, s->b.columns))) return BR_NUMERICAL;
    const br_status status = br_balance_hold(&s->b, state, work, held);
    if (status == BR_OK && held->nullity > 0)
        br_work_spend(s->budget, br_work_of_turns(s->b.n, s->b.columns));
    return status;
}

// --- parameters --------------------------------------------------------------------------------------------

static int add(int count, int most, br_share_parameter *out, const char *name, const char *suffix, int pad,
               int which) {
    br_share_parameter p = {.pad = pad, .which = which};
    snprintf(p.name, sizeof p.name, "%.56s%s", name, suffix);
    for (int k = 0; k < count; k++)
        if (strcmp(out[k].name, p.name) == 0) return count;
    if (count < most) out[count++] = p;
    return count;
}

int br_share_parameters(const br_share *s, int most, br_share_parameter *out) {
    int count = 0;
    for (int i = 0; s->sharing == BR_SHARED_BY_LAWS && i < s->laws; i++) {
        const br_balance_pad *p = &s->b.pad[i];
        if (p->sliding || !has_law(s, i)) continue;
        if (s->law[i].law == BR_FRICTION_SMOOTH) {
            count = add(count, most, out, p->name, ".v_slope", i, 0);
            continue;
        }
        count = add(count, most, out, p->name, ".sigma_0", i, 1);
        if (s->law[i].law != BR_FRICTION_LUGRE) continue;
        count = add(count, most, out, p->name, ".sigma_1", i, 2);
        count = add(count, most, out, p->name, ".v_stribeck", i, 3);
    }
    for (int c = 0; s->sharing == BR_SHARED_BY_WEIGHTS && c < s->b.columns; c++)
        if (s->b.power[c] != 0.0) count = add(count, most, out, s->b.parameter[c], "", -1, 0);
    return count;
}

br_status br_share_copy(const br_share *share, br_arena *arena, br_share *out, br_error *error) {
    *out = *share;
    if (!copy_balance(&share->b, arena, &out->b))
        return br_fail(error, BR_NO_MEMORY, "out-of-memory", "no memory for sensitivities");
    if (share->freedom > 0) out->y = copy(arena, share->y, (size_t)share->freedom, sizeof(double));
    return share->freedom > 0 && !out->y
               ? br_fail(error, BR_NO_MEMORY, "out-of-memory", "no memory for sensitivities")
               : BR_OK;
}

// --- weights -----------------------------------------------------------------------------------------------

static double margin_of(const br_share *s, const double *x, double *force) {
    const br_balance *b = &s->b;
    double margin = 0.0;
    for (int i = 0; i < b->pads; i++) {
        const br_balance_pad *p = &b->pad[i];
        if (p->sliding || p->directions == 0) continue;
        double square = 0.0;
        for (int d = 0; d < p->directions; d++) {
            square += x[p->column + d] * x[p->column + d];
            if (force) *force++ = x[p->column + d];
        }
        const double load = br_balance_load(b, i, x);
        if (square > 0.0) margin = fmax(margin, load > 0.0 ? sqrt(square) / (p->mu_static * load) : INFINITY);
    }
    return margin;
}

// The pad at rest that is farthest beyond its limit and not at it yet; -1: none.
static int farthest(const br_balance *b, const br_pad_state *state, const double *x) {
    double worst = 1.0 + 1e-12;
    int which = -1;
    for (int i = 0; i < b->pads; i++) {
        const br_balance_pad *p = &b->pad[i];
        if (state[i].mode != BR_PAD_STUCK || p->directions == 0) continue;
        double square = 0.0;
        for (int d = 0; d < p->directions; d++) square += x[p->column + d] * x[p->column + d];
        const double limit = p->mu_static * br_balance_load(b, i, x),
                     ratio = limit > 0.0 ? sqrt(square) / limit : INFINITY;
        if (square > 0.0 && ratio > worst) worst = ratio, which = i;
    }
    return which;
}

// Whether pads at their limit leave the mechanism free: a force along one would move it.
static int is_loose(const br_balance *b, const br_held *held, const br_pad_state *state) {
    for (int l = 0; l < held->limits; l++) {
        const br_balance_pad *p = &b->pad[held->limit[l]];
        double response = 0.0, alone = 0.0;
        for (int d = 0; d < p->directions; d++)
            for (int r = 0; r < b->n; r++) {
                const double A = b->A[r * b->columns + p->column + d];
                response -= A * held->B[l * b->n + r] * state[held->limit[l]].direction[d];
                alone += A * A / b->M[r * (b->n + 1)];
            }
        if (response > 1e-9 * alone) return 1;
    }
    return 0;
}

// Pads beyond their limit let go one by one, the farthest first. 1: nothing holds in the end.
static int lets_go(br_share *s, br_pad_state *state, br_balance_work *work, double *x) {
    const br_balance *b = &s->b;
    double g[64] = {0.0};
    br_held held;
    for (int round = 0; round < b->pads; round++) {
        const int i = farthest(b, state, x);
        if (i < 0) return 0;
        const br_balance_pad *p = &b->pad[i];
        double square = 0.0;
        for (int d = 0; d < p->directions; d++) square += x[p->column + d] * x[p->column + d];
        state[i].mode = BR_PAD_LIMIT, state[i].factor = s->sprung ? p->mu_kinetic : p->mu_static;
        for (int d = 0; d < p->directions; d++) state[i].direction[d] = -x[p->column + d] / sqrt(square);
        if (hold(s, state, work, &held) != BR_OK || held.limits > 64 || is_loose(b, &held, state)) return 1;
        for (int l = 0; l < held.limits; l++)
            g[l] = state[held.limit[l]].factor * br_balance_load(b, held.limit[l], x);
        if (!br_balance_root_near(b, state, &held, work, g)) return 1;
        br_balance_forces(&held, b->columns, b->n, g, x, NULL);
    }
    return 1;
}

static void scale_weights(br_balance *b, const br_share_parameter *parameter, double factor) {
    for (int c = 0; parameter && c < b->columns; c++)
        if (b->power[c] != 0.0 && strcmp(b->parameter[c], parameter->name) == 0)
            b->weight[c] *= br_pow(factor, b->power[c]);
}

static double by_weights(br_share *s, const br_share_parameter *parameter, double factor,
                         br_balance_work *work, double *force) {
    br_balance *b = &s->b;
    br_pad_state *state = br_balance_states(work);
    double *x, *a, margin = INFINITY;
    br_held held;
    br_balance_lines(work, &x, &a);
    for (int i = 0; i < b->pads; i++)
        state[i] = (br_pad_state){.mode = b->pad[i].sliding ? BR_PAD_GIVEN : BR_PAD_STUCK};
    scale_weights(b, parameter, factor);
    if (hold(s, state, work, &held) == BR_OK) {
        memcpy(x, held.x0, (size_t)b->columns * sizeof *x);
        margin = margin_of(s, x, force);
        if (margin > 1.0 && !lets_go(s, state, work, x)) margin = 1.0;
    }
    scale_weights(b, parameter, 1.0 / factor);
    return margin;
}

// --- laws --------------------------------------------------------------------------------------------------

static br_friction_params changed(const br_share *s, int pad, const br_share_parameter *parameter,
                                  double factor) {
    br_friction_params law = s->law[pad];
    if (!parameter || parameter->pad != pad) return law;
    if (parameter->which == 0) law.v_slope *= factor;
    if (parameter->which == 1) law.sigma_0 *= factor;
    if (parameter->which == 2) law.sigma_1 *= factor;
    if (parameter->which == 3) law.v_stribeck *= factor;
    return law;
}

// The coefficient at a motion m (velocity, or displacement since the load came): what would follow the limit goes on straight, so that
// the margin can pass 1; laws that only approach theirs stay below it.
static double coefficient(const br_friction_params *law, double m) {
    const double limit = br_friction_limit(law);
    if (law->law == BR_FRICTION_SMOOTH) {
        if (law->shape == BR_SMOOTH_PIECEWISE || law->shape == BR_SMOOTH_SATURATION)
            return limit * m / law->v_slope;
        if (law->shape == BR_SMOOTH_STRIBECK_SMOOTH && m > law->v_slope) return limit * m / law->v_slope;
        const double z = 0.0;
        double mu = 0.0, rate = 0.0;
        br_friction_at(law, 1, &m, &z, &mu, &rate);
        return mu;
    }
    if (law->law == BR_FRICTION_BRISTLE) return law->sigma_0 * m;
    return limit * (1.0 - br_exp(-law->sigma_0 * m / limit));
}

// The same as the law itself has it, beyond its limit too.
static double true_coefficient(const br_friction_params *law, double m) {
    if (law->law == BR_FRICTION_BRISTLE)
        return law->sigma_0 * m <= br_friction_limit(law) ? law->sigma_0 * m : law->mu_kinetic;
    if (law->law != BR_FRICTION_SMOOTH) return coefficient(law, m);
    const double z = 0.0;
    double mu = 0.0, rate = 0.0;
    br_friction_at(law, 1, &m, &z, &mu, &rate);
    return mu;
}

typedef struct equilibrium {
    br_share *share;
    const br_share_parameter *parameter;
    double factor;
    br_balance_work *work;
    int beyond;  // laws as they are beyond their limits
    int holding; // of the last residual: pads that are not at their limit
    int jumped;  // the loads left the root that they were followed on
    br_held held;
    double g[64];
    double *x, *a;
} equilibrium;

// How far, or how fast, a pad slips at the motion y.
static double slip_size(const br_share *s, int pad, const double *y) {
    const br_balance *b = &s->b;
    double square = 0.0;
    for (int d = 0; d < b->pad[pad].directions; d++) {
        double slip = 0.0;
        for (int k = 0; k < s->freedom; k++)
            for (int i = 0; i < b->n; i++)
                slip += b->A[i * b->columns + b->pad[pad].column + d] * y[k] * s->U[k * b->n + i];
        square += slip * slip;
    }
    return sqrt(square);
}

// r := U^T M (a - a_sim) at the motion y; 0: there are no forces.
static int residual(equilibrium *e, const double *y, double *r) {
    br_share *s = e->share;
    br_balance *b = &s->b;
    br_pad_state *state = br_balance_states(e->work);
    double *u = e->a;
    e->holding = 0;
    memset(u, 0, (size_t)b->n * sizeof *u);
    for (int k = 0; k < s->freedom; k++)
        for (int i = 0; i < b->n; i++) u[i] += y[k] * s->U[k * b->n + i];
    for (int i = 0; i < b->pads; i++) {
        const br_balance_pad *p = &b->pad[i];
        state[i] = (br_pad_state){.mode = p->sliding ? BR_PAD_GIVEN : BR_PAD_STUCK};
        if (p->sliding || !has_law(s, i)) continue;
        double slip[BR_BALANCE_DIRECTIONS] = {0.0}, square = 0.0;
        for (int d = 0; d < p->directions; d++) {
            for (int k = 0; k < b->n; k++) slip[d] += b->A[k * b->columns + p->column + d] * u[k];
            square += slip[d] * slip[d];
        }
        const br_friction_params law = changed(s, i, e->parameter, e->factor);
        const double m = sqrt(square);
        state[i].mode = BR_PAD_LIMIT;
        state[i].factor = e->beyond ? true_coefficient(&law, m) : coefficient(&law, m);
        e->holding += m < reach_of(&law);
        for (int d = 0; d < p->directions; d++) state[i].direction[d] = m > 0.0 ? slip[d] / m : d == 0;
    }
    if (hold(s, state, e->work, &e->held) != BR_OK || e->held.limits > 64) return 0;
    if (!br_balance_root_near(b, state, &e->held, e->work, e->g)) {
        br_balance_roots roots;
        br_balance_roots_find(b, state, &e->held, e->work, &roots);
        if (roots.count == 0) return 0;
        memcpy(e->g, roots.g, (size_t)e->held.limits * sizeof *e->g);
        e->jumped = 1;
    }
    br_balance_forces(&e->held, b->columns, b->n, e->g, e->x, e->a);
    for (int k = 0; k < s->freedom; k++) {
        r[k] = 0.0;
        for (int i = 0; i < b->n; i++) {
            double force = 0.0;
            for (int j = 0; j < b->n; j++) force += b->M[i * b->n + j] * (e->a[j] - b->a[j]);
            r[k] += s->U[k * b->n + i] * force;
        }
    }
    return 1;
}

static double size_of(const double *r, int n) {
    double square = 0.0;
    for (int k = 0; k < n; k++) square += r[k] * r[k];
    return sqrt(square);
}

// Newton's method from y; 0: it did not arrive.
static int search(equilibrium *e, double *y, double load) {
    const int n = e->share->freedom;
    double r[BR_MAX_FREEDOM], moved[BR_MAX_FREEDOM], next[BR_MAX_FREEDOM], J[BR_MAX_FREEDOM * BR_MAX_FREEDOM],
        d[BR_MAX_FREEDOM];
    int pivot[BR_MAX_FREEDOM];
    if (!residual(e, y, r)) return 0;
    double now = size_of(r, n);
    for (int k = 0; k < BR_MAX_EQUILIBRIUM && now > BR_EPS_EQUILIBRIUM * load; k++) {
        for (int c = 0; c < n; c++) {
            const double step = 1e-6 * e->share->scale;
            memcpy(moved, y, (size_t)n * sizeof *y);
            moved[c] += step;
            if (!residual(e, moved, next)) return 0;
            for (int i = 0; i < n; i++) J[i * n + c] = (next[i] - r[i]) / step;
        }
        memcpy(d, r, (size_t)n * sizeof *d);
        if (br_lu_factor(n, J, n, pivot, 1e-14) != 0) return 0;
        br_lu_solve(n, J, n, pivot, d);
        double length = 1.0, best = INFINITY;
        for (int half = 0; half < 20; half++, length *= 0.5) {
            for (int i = 0; i < n; i++) moved[i] = y[i] - length * d[i];
            best = residual(e, moved, next) ? size_of(next, n) : INFINITY;
            if (best < now) break;
        }
        if (!(best < now)) break;
        memcpy(y, moved, (size_t)n * sizeof *y);
        memcpy(r, next, (size_t)n * sizeof *r);
        now = best;
    }
    return now <= 1e-7 * load && residual(e, y, r);
}

// Whether friction by the laws as they are is at least the loads at `times` the motion y, with a pad that is below its limit.
static int brakes(equilibrium *e, const double *y, double times) {
    double faster[BR_MAX_FREEDOM], r[BR_MAX_FREEDOM], power = 0.0;
    for (int k = 0; k < e->share->freedom; k++) faster[k] = times * y[k];
    if (!residual(e, faster, r) || e->holding == 0) return 0;
    for (int k = 0; k < e->share->freedom; k++) power += r[k] * faster[k];
    return power <= 0.0;
}

// The multiple of y at which a pad comes to its limit; 0: it has none.
static double limit_creep(const equilibrium *e, const double *y, int pad) {
    const br_share *s = e->share;
    if (s->b.pad[pad].sliding || !has_law(s, pad)) return 0.0;
    const br_friction_params law = changed(s, pad, e->parameter, e->factor);
    return BR_JUST_BELOW * reach_of(&law) / slip_size(s, pad, y);
}

// The next motion to look at, as a multiple of y: a step further, or where a pad comes to its limit, if that is before.
static double next_creep(const equilibrium *e, const double *y, double times) {
    double next = times * BR_CREEP_STEP;
    for (int i = 0; i < e->share->laws && i < e->share->b.pads; i++) {
        const double limit = limit_creep(e, y, i);
        if (limit > times && limit < next) next = limit;
    }
    return next;
}

static double last_creep(const equilibrium *e, const double *y, double times) {
    double last = times / BR_CREEP_STEP;
    for (int i = 0; i < e->share->laws && i < e->share->b.pads; i++) {
        const double limit = limit_creep(e, y, i);
        if (limit < times && limit > last) last = limit;
    }
    return last;
}

// One pad has passed its limit at the motion y. Whether the others still hold the mechanism at some creep along it: friction is then more
// than the loads, at rest it is less, and between the two there is a balance. Friction is largest where a pad comes to its limit, and
// there it is looked at too.
static int creeps_on(equilibrium *e, const double *y) {
    e->beyond = 1;
    for (double times = 1.0; times < BR_MAX_CREEP; times = next_creep(e, y, times))
        if (brakes(e, y, times)) return 1;
    for (double times = 1.0; times > BR_LEAST_CREEP; times = last_creep(e, y, times))
        if (brakes(e, y, times)) return 1;
    return 0;
}

// Where the search for a balance failed: the motion that the loads begin, as fast as the slowest law is at its limit.
static int starts_to_creep(equilibrium *e, double *y) {
    const br_share *s = e->share;
    const double none[BR_MAX_FREEDOM] = {0.0};
    double fastest = 0.0;
    if (!residual(e, none, y)) return 0;
    for (int i = 0; i < s->laws && i < s->b.pads; i++)
        if (has_law(s, i)) fastest = fmax(fastest, slip_size(s, i, y) / reach_of(&s->law[i]));
    for (int k = 0; k < s->freedom && fastest > 0.0; k++) y[k] *= BR_FIRST_CREEP / fastest;
    return fastest > 0.0;
}

// --- from rest ---------------------------------------------------------------------------------------------

// Laws of velocity alone begin at rest, or at the creep they had, and M y' = forces at y says where they go: to the first balance on the
// way, which creeps, or on and on. Another balance farther along is none that a run comes to.
typedef enum creep { CREEP_HOLDS, CREEP_GOES, CREEP_LOST } creep;

static int are_of_velocity(const br_share *s) {
    for (int i = 0; i < s->laws && i < s->b.pads; i++)
        if (!s->b.pad[i].sliding && s->law[i].law != BR_FRICTION_SMOOTH) return 0;
    return 1;
}

// U^T M U, factored.
static int reduced_mass(const br_share *s, double *out) {
    const int n = s->freedom, size = s->b.n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            out[i * n + j] = 0.0;
            for (int p = 0; p < size; p++)
                for (int q = 0; q < size; q++)
                    out[i * n + j] += s->U[i * size + p] * s->b.M[p * size + q] * s->U[j * size + q];
        }
    return br_cholesky_factor(n, out, n) == 0;
}

// How far to go along a: a small part of every slip, and with one freedom no farther than where a law comes to its limit.
static double stride_of(const equilibrium *e, const double *y, const double *a) {
    const br_share *s = e->share;
    double least = INFINITY;
    for (int i = 0; i < s->laws && i < s->b.pads; i++) {
        if (s->b.pad[i].sliding || !has_law(s, i)) continue;
        const br_friction_params law = changed(s, i, e->parameter, e->factor);
        const double rate = slip_size(s, i, a), slip = slip_size(s, i, y), reach = reach_of(&law);
        if (!(rate > 0.0)) continue;
        least = fmin(least, BR_CREEP_SHARE * (slip + reach) / rate);
        const double to_limit = (BR_JUST_BELOW * reach - slip) / rate;
        if (s->freedom == 1 && to_limit > 0.0) least = fmin(least, to_limit);
    }
    return least;
}

static int is_gone(const equilibrium *e, const double *y) {
    const br_share *s = e->share;
    int any = 0;
    for (int i = 0; i < s->laws && i < s->b.pads; i++) {
        if (s->b.pad[i].sliding || !has_law(s, i)) continue;
        const br_friction_params law = changed(s, i, e->parameter, e->factor);
        const double slip = slip_size(s, i, y);
        if (slip > 0.0 && slip < BR_GONE * reach_of(&law)) return 0;
        any |= slip > 0.0;
    }
    return any;
}

static double along(const double *a, const double *b, int n) {
    double sum = 0.0;
    for (int k = 0; k < n; k++) sum += a[k] * b[k];
    return sum;
}

// Between y and y + a the force along a changes its sign: there, and by Newton's method the rest.
static creep settle_between(equilibrium *e, double *y, const double *a, double load) {
    const int n = e->share->freedom;
    double low = 0.0, high = 1.0, at[BR_MAX_FREEDOM], r[BR_MAX_FREEDOM];
    for (int k = 0; k < BR_MAX_EQUILIBRIUM; k++) {
        const double middle = 0.5 * (low + high);
        for (int j = 0; j < n; j++) at[j] = y[j] + middle * a[j];
        if (!residual(e, at, r)) return CREEP_LOST;
        *(along(r, a, n) > 0.0 ? &low : &high) = middle;
    }
    for (int j = 0; j < n; j++) y[j] = at[j];
    if (n == 1) return CREEP_HOLDS;
    return search(e, at, load) && (memcpy(y, at, (size_t)n * sizeof *y), 1) ? CREEP_HOLDS : CREEP_LOST;
}

// From y on; what it had is gone through again, so that loads with several roots stay on theirs.
static creep creep_from(equilibrium *e, double *y, double load) {
    const int n = e->share->freedom;
    double r[BR_MAX_FREEDOM], a[BR_MAX_FREEDOM], next[BR_MAX_FREEDOM], mass[BR_MAX_FREEDOM * BR_MAX_FREEDOM];
    if (!reduced_mass(e->share, mass)) return CREEP_LOST;
    e->beyond = 1, e->jumped = 0;
    for (int k = 0; k <= BR_RETRACED; k++) {
        for (int j = 0; j < n; j++) next[j] = y[j] * k / BR_RETRACED;
        if (!residual(e, next, r) || e->jumped) return CREEP_LOST;
    }
    for (int step = 0; step < BR_MAX_CREEP_STEPS; step++) {
        if (size_of(r, n) <= BR_EPS_EQUILIBRIUM * load) return CREEP_HOLDS;
        if (is_gone(e, y)) return CREEP_GOES;
        memcpy(a, r, (size_t)n * sizeof *a);
        br_cholesky_solve(n, mass, n, a);
        const double length = stride_of(e, y, a);
        if (!isfinite(length)) return CREEP_LOST;
        for (int j = 0; j < n; j++) a[j] *= length, next[j] = y[j] + a[j];
        if (!residual(e, next, r) || e->jumped) return CREEP_LOST;
        if (along(r, a, n) <= 0.0) return settle_between(e, y, a, load);
        memcpy(y, next, (size_t)n * sizeof *y);
    }
    return CREEP_LOST;
}

// NAN: it could not be followed.
static double by_velocity(br_share *s, const br_share_parameter *parameter, double factor,
                          br_balance_work *work, double *force) {
    equilibrium e = {.share = s, .parameter = parameter, .factor = factor, .work = work};
    double y[BR_MAX_FREEDOM], r[BR_MAX_FREEDOM], load = 0.0;
    br_balance_lines(work, &e.x, &e.a);
    for (int i = 0; i < s->b.n; i++) load = fmax(load, fabs(s->b.Q[i]));
    memcpy(y, s->y, (size_t)s->freedom * sizeof *y);
    const creep end = creep_from(&e, y, load > 0.0 ? load : 1.0);
    if (end != CREEP_HOLDS || !residual(&e, y, r)) return end == CREEP_GOES ? INFINITY : NAN;
    memcpy(s->y, y, (size_t)s->freedom * sizeof *y);
    return fmin(1.0, margin_of(s, e.x, force));
}

static double by_laws(br_share *s, const br_share_parameter *parameter, double factor, br_balance_work *work,
                      double *force) {
    equilibrium e = {.share = s, .parameter = parameter, .factor = factor, .work = work};
    const int n = s->freedom;
    double y[BR_MAX_FREEDOM], load = 0.0;
    br_balance_lines(work, &e.x, &e.a);
    for (int i = 0; i < s->b.n; i++) load = fmax(load, fabs(s->b.Q[i]));
    if (!(load > 0.0)) load = 1.0;
    memcpy(y, s->y, (size_t)n * sizeof *y);
    if (!search(&e, y, load)) return starts_to_creep(&e, y) && creeps_on(&e, y) ? 1.0 : INFINITY;
    memcpy(s->y, y, (size_t)n * sizeof *y);
    const double margin = margin_of(s, e.x, force);
    return margin > 1.0 && creeps_on(&e, y) ? 1.0 : margin;
}

double br_share_margin(br_share *s, const br_share_parameter *parameter, double factor, br_balance_work *work,
                       double *force) {
    if (s->sharing == BR_SHARED_BY_LAWS && are_of_velocity(s))
        return by_velocity(s, parameter, factor, work, force);
    if (s->sharing == BR_SHARED_BY_LAWS) return by_laws(s, parameter, factor, work, force);
    return by_weights(s, parameter, factor, work, force);
}

// --- a run -------------------------------------------------------------------------------------------------

#define BR_SUBSTEPS 4       // of loads between two looks, and
#define BR_MIN_SUBSTEP 1e-7 // the shortest, where a balance seems to end
#define BR_MAX_LEAP 0.2     // of the motion at rest, relative: more is another balance, not the same

// Loads between two shares of the same rows.
static void between(const br_share *a, const br_share *b, double part, br_share *out) {
    out->t = a->t + part * (b->t - a->t);
    for (int i = 0; i < out->b.n; i++) {
        out->b.Q[i] = out->loads * (a->b.Q[i] + part * (b->b.Q[i] - a->b.Q[i]));
        out->b.a[i] = a->b.a[i] + part * (b->b.a[i] - a->b.a[i]);
    }
    memcpy(out->b.A, part < 0.5 ? a->b.A : b->b.A,
           (size_t)out->b.n * (size_t)out->b.columns * sizeof(double));
    memcpy(out->b.x, part < 0.5 ? a->b.x : b->b.x, (size_t)out->b.columns * sizeof(double));
}

static int alike(const br_share *a, const br_share *b) {
    return a->sharing == b->sharing && a->b.n == b->b.n && a->b.columns == b->b.columns &&
           a->b.pads == b->b.pads && a->freedom == b->freedom;
}

static int leaps(const br_share *s, const double *from) {
    double moved = 0.0, size = s->scale;
    for (int k = 0; k < s->freedom; k++) {
        moved = fmax(moved, fabs(s->y[k] - from[k]));
        size = fmax(size, fabs(from[k]));
    }
    return moved > BR_MAX_LEAP * size;
}

br_share_path br_share_follow(br_share *const *share, int count, const br_share_parameter *parameter,
                              double factor, br_balance_work *work, br_share *scratch) {
    br_share_path out = {.break_away = NAN};
    double y[BR_MAX_FREEDOM] = {0.0};
    for (int k = 0; k < scratch->freedom; k++) scratch->y[k] = 0.0;
    for (int k = 0; k < count; k++) {
        const br_share *a = k > 0 ? share[k - 1] : share[0], *b = share[k];
        if (!alike(scratch, b) || !alike(scratch, a)) continue;
        double part = k > 0 ? 0.0 : 1.0, step = 1.0 / BR_SUBSTEPS;
        for (int last = k == 0; part < 1.0 || last; last = 0) {
            const double next = last ? 1.0 : fmin(1.0, part + step);
            if (scratch->freedom > 0) memcpy(y, scratch->y, (size_t)scratch->freedom * sizeof *y);
            between(a, b, next, scratch);
            const double margin = br_share_margin(scratch, parameter, factor, work, NULL);
            if (isnan(margin)) {
                out.undecided = 1;
                return out;
            }
            const int lost = !(margin <= 1.0) || (k > 0 && !are_of_velocity(scratch) && leaps(scratch, y));
            if (lost && !last && step > BR_MIN_SUBSTEP) {
                if (scratch->freedom > 0) memcpy(scratch->y, y, (size_t)scratch->freedom * sizeof *y);
                step *= 0.5;
                continue;
            }
            out.margin = fmax(out.margin, lost && margin <= 1.0 ? INFINITY : margin);
            if (lost) {
                out.break_away = scratch->t;
                return out;
            }
            part = next, step = fmin(1.0 / BR_SUBSTEPS, 2.0 * step);
        }
        if (!parameter && b->freedom > 0) memcpy(share[k]->y, scratch->y, (size_t)b->freedom * sizeof *y);
    }
    return out;
}
