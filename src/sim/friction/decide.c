// What sticks, what is at its limit, what slides, at one instant [Wojtyra2017 secs. 2.2, 3.2, 3.3].
//
// A rub at rest sticks: its rows hold, its force is what they ask for, shared where rows are dependent by the model's rule of
// redundancy (eq. 10, eq. 21). When that is more than mu_static N it is at its limit: the row goes, the force is mu_static N(lambda)
// (eq. 20), and the rest of the mechanism carries on. It moves only when nothing holds it any more; from then on mu_kinetic (eq. 6).
// So whatever starts to slide was at its maximum before.
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "linalg/dense.h"
#include "sim/friction/decide.h"

#define BR_EPS_OVER 1e-9  // of a force: beyond its limit
#define BR_EPS_MOVES 1e-9 // of the accelerations that the forces could give: it moves
#define BR_EPS_SWEPT 1e-6 // of a slip's rate: what is left although its row is held
#define BR_EPS_UNLOADED                                                                                      \
    1e-2                   // of the largest force so far: below it, sizes are not those of the forces at hand
#define BR_RUNAWAY 1e4     // times the largest load and force so far: forces that are none
#define BR_EPS_FREE 1e-9   // of what a force does to a pad of which nothing holds
#define BR_REST_SPEED 1e-9 // m/s, per metre of a typical link: at rest
#define BR_BACKWARDS 1e-3  // of the speed of rest: slip that has turned round
#define BR_MAX_DECISIONS 200 // changes of one instant's modes
#define BR_MAX_RETRIES 12    // of sticking, before no modes are said to agree
#define BR_MAX_TURNS 60      // of a direction of slip that is not known yet
#define BR_EPS_AIMED 1e-9    // of a unit vector: it is

static double length_of(const double *x, int n) {
    double square = 0.0;
    for (int k = 0; k < n; k++) square += x[k] * x[k];
    return sqrt(square);
}

double br_instant_rest_speed(const br_sim *sim) {
    return BR_REST_SPEED * fmax(1.0, sim->length_scale);
}

// --- one instant with its modes given ----------------------------------------------------------------------

static void state_of(const br_rub *rub, const br_rub_state *s, double rest, br_pad_state *out) {
    const int n = rub->pad.directions;
    const double speed = length_of(rub->velocity, n);
    *out = (br_pad_state){.mode = BR_PAD_LIMIT};
    switch ((br_rub_mode)s->mode) {
    case BR_RUB_STICKS:
        out->mode = BR_PAD_STUCK;
        return;
    case BR_RUB_AT_LIMIT:
        out->factor = rub->law.mu_static;
        memcpy(out->direction, s->ahead, (size_t)n * sizeof(double));
        return;
    case BR_RUB_SLIDES:
        out->factor = rub->law.mu_kinetic;
        for (int k = 0; k < n; k++)
            out->direction[k] = n > 1 && speed > rest ? rub->velocity[k] / speed : s->ahead[k];
        return;
    default: {
        double mu[BR_MAX_SLIDING], rate[BR_MAX_SLIDING];
        br_friction_at(&rub->law, n, rub->velocity, s->z, mu, rate);
        out->factor = length_of(mu, n);
        for (int k = 0; k < n; k++) out->direction[k] = out->factor > 0.0 ? mu[k] / out->factor : k == 0;
    }
    }
}

static br_status no_balance(const br_rub_instant *at, br_error *error) {
    return br_fail(error, BR_NUMERICAL, "friction-balance",
                   "t = %.9g s: the balance of forces could not be solved: a body has no inertia here",
                   at->sim->t_eval);
}

// Modes being given, forces that agree with them were not found: of a run between two events, or on the way to other modes.
static br_status lost(const br_rub_instant *at, br_error *error) {
    const br_frictions *f = at->sim->frictions;
    int worst = 0;
    double largest = -1.0;
    for (int l = 0; l < at->held.limits; l++) {
        const int i = at->held.limit[l];
        if (i < f->count && at->state[i].factor > largest) largest = at->state[i].factor, worst = i;
    }
    return br_fail(
        error, BR_NUMERICAL, "friction-lost",
        "t = %.9g s: no friction force of joint '%s' (coefficient %g) was found that agrees with the "
        "reaction that it causes",
        at->sim->t_eval, f->rub[worst].name, largest);
}

// Forces and accelerations for the states at hand. strict: several solutions while something slides are an error.
static br_status solve(br_rub_instant *at, int strict, br_error *error) {
    br_frictions *f = at->sim->frictions;
    br_balance *b = at->b;
    int slides = 0;
    if (br_balance_hold(b, at->state, at->work, &at->held) != BR_OK) return no_balance(at, error);
    const int n = at->held.limits;
    for (int l = 0; l < n; l++) {
        at->g[l] = f->g[at->held.limit[l]];
        slides |= at->held.limit[l] < f->count && f->now[at->held.limit[l]].mode == BR_RUB_SLIDES;
    }
    int found = br_balance_root_near(b, at->state, &at->held, at->work, at->g);
    if (!found || (strict && slides)) {
        br_balance_roots roots;
        br_balance_roots_find(b, at->state, &at->held, at->work, &roots);
        if (roots.count == 0 && !found) return lost(at, error);
        if (roots.count > 1 && slides)
            return br_fail(error, BR_NUMERICAL, "friction-several",
                           "t = %.9g s: %d sets of friction forces agree with the reactions that they cause",
                           at->sim->t_eval, roots.count);
        double nearest = INFINITY;
        for (int k = 0; !found && k < roots.count; k++) {
            double apart = 0.0;
            for (int l = 0; l < n; l++)
                apart = fmax(apart, fabs(roots.g[k * n + l] - f->g[at->held.limit[l]]));
            if (apart < nearest) nearest = apart, memcpy(at->g, roots.g + k * n, (size_t)n * sizeof *at->g);
        }
    }
    br_balance_forces(&at->held, b->columns, b->n, at->g, b->x, b->a);
    return BR_OK;
}

// Rate of a pad's slip, beyond what holds it: A_c^T a - gamma.
void br_instant_slip_rate(const br_balance *b, int pad, double *rate) {
    const br_balance_pad *p = &b->pad[pad];
    for (int d = 0; d < p->directions; d++) {
        rate[d] = -b->gamma[p->column + d];
        for (int r = 0; r < b->n; r++) rate[d] += b->A[r * b->columns + p->column + d] * b->a[r];
    }
}

// What the forces at hand could make of a pad's slip, and what its rate is the difference of: below a part of it, a rate is rounding.
double br_instant_rate_scale(const br_rub_instant *at, int pad) {
    const br_balance *b = at->b;
    const br_balance_pad *p = &b->pad[pad];
    double soft = 0.0, terms = 0.0;
    const double largest = br_instant_force_scale(at);
    for (int d = 0; d < p->directions; d++) {
        double sum = 0.0, of_rate = fabs(b->gamma[p->column + d]);
        for (int r = 0; r < b->n; r++) {
            const double A = b->A[r * b->columns + p->column + d];
            sum += A * A / b->M[r * (b->n + 1)];
            of_rate += fabs(A * b->a[r]);
        }
        soft = fmax(soft, sum), terms = fmax(terms, of_rate);
    }
    return fmax(largest * soft, terms);
}

static void keep(br_rub_instant *at) {
    br_frictions *f = at->sim->frictions;
    for (int l = 0; l < at->held.limits; l++) f->g[at->held.limit[l]] = at->g[l];
    for (int i = 0; i < f->count; i++) {
        const br_balance_pad *p = &at->b->pad[i];
        br_rub_state *s = &f->now[i];
        for (int d = 0; d < p->directions; d++) s->force[d] = at->b->x[p->column + d];
        s->normal = br_balance_load(at->b, i, at->b->x);
        s->known = BR_RUB_OF_INSTANT;
        if (s->mode == BR_RUB_STICKS) f->g[i] = length_of(s->force, p->directions);
    }
    f->past->largest = fmax(f->past->largest, br_instant_force_scale(at));
}

// --- modes -------------------------------------------------------------------------------------------------

// How far a force that sticks is beyond its limit, of the limit; <= 0: it is not.
double br_instant_beyond(const br_balance *b, int pad, double mu, double scale) {
    const br_balance_pad *p = &b->pad[pad];
    const double force = length_of(b->x + p->column, p->directions),
                 limit = mu * br_balance_load(b, pad, b->x);
    if (force <= limit + BR_EPS_OVER * fmax(limit, 0.1 * scale)) return 0.0;
    return force / fmax(limit, 1e-6 * scale) - 1.0;
}

// Where a load passes through zero all forces do, and each is rounding: then they are measured by what they were.
double br_instant_force_scale(const br_rub_instant *at) {
    const br_balance *b = at->b;
    double largest = BR_EPS_UNLOADED * at->sim->frictions->past->largest;
    for (int c = 0; c < b->columns; c++) largest = fmax(largest, fabs(b->x[c]));
    for (int r = 0; r < b->n; r++)
        largest = fmax(largest, fabs(b->Q[r])); // in free fall nothing else has a size
    return largest;
}

// A rub at its dead point would be held by forces beyond all bounds, times rounding: no solution, whatever seems to agree.
int br_instant_runs_away(const br_rub_instant *at) {
    const br_balance *b = at->b;
    double most = 0.0, known = at->sim->frictions->past->largest;
    for (int c = 0; c < b->columns; c++) most = fmax(most, fabs(b->x[c]));
    for (int r = 0; r < b->n; r++) known = fmax(known, fabs(b->Q[r]));
    return at->sim->frictions->past->largest > 0.0 && most > BR_RUNAWAY * known;
}

void br_instant_set_limit(br_frictions *f, const br_balance *b, int i) {
    const br_balance_pad *p = &b->pad[i];
    const double force = length_of(b->x + p->column, p->directions);
    f->now[i].mode = BR_RUB_AT_LIMIT;
    for (int d = 0; d < p->directions; d++) f->now[i].ahead[d] = -b->x[p->column + d] / force;
    f->g[i] = f->rub[i].law.mu_static * br_balance_load(b, i, b->x);
}

// Whether nothing that holds keeps a rub at its limit from moving: its own force would move it.
static int is_free(const br_rub_instant *at, int i) {
    const br_balance *b = at->b;
    const br_balance_pad *p = &b->pad[i];
    int l = 0;
    while (l < at->held.limits && at->held.limit[l] != i) l++;
    double response = 0.0, alone = 0.0;
    for (int d = 0; d < p->directions; d++)
        for (int r = 0; r < b->n; r++) {
            const double A = b->A[r * b->columns + p->column + d];
            response += A * at->held.B[l * b->n + r] * at->state[i].direction[d];
            alone += A * A / b->M[r * (b->n + 1)];
        }
    return -response > BR_EPS_FREE * alone;
}

// A rub that is at rest for a moment only, because the rest of the mechanism moves it on (a slider at its dead point): no force holds
// its row.
static int is_swept_on(const br_rub_instant *at, int i, double *rate) {
    if (at->held.nullity == 0) return 0; // independent rows always hold
    br_instant_slip_rate(at->b, i, rate);
    return length_of(rate, at->b->pad[i].directions) > BR_EPS_SWEPT * br_instant_rate_scale(at, i);
}

// Where a vector slides to from rest: friction -k a against the rate a of the slip makes (1 + k W) a = a_0, with W what forces along the
// pad's directions do to it and a_0 its rate without friction; and k is where k |a| is the friction mu N. The left side grows from 0 to the
// force that would hold the pad, so k is found by bisection. Others stay as they are.
static int aim(br_rub_instant *at, int i, double *ahead) {
    const br_balance *b = at->b;
    const br_balance_pad *p = &b->pad[i];
    const int n = p->directions, columns = b->columns;
    const double mu = at->state[i].factor;
    double *x = br_dense_lines(at->sim), W[9] = {0.0}, a0[3], a[3], low = 0.0, high = 0.0;
    const br_pad_state kept = at->state[i];
    memcpy(x, b->x, (size_t)columns * sizeof *x);
    br_instant_slip_rate(b, i, a0);
    for (int d = 0; d < n; d++) {
        int l = 0;
        memset(at->state[i].direction, 0, sizeof at->state[i].direction);
        at->state[i].direction[d] = 1.0;
        if (br_balance_hold(b, at->state, at->work, &at->held) != BR_OK) return 0;
        while (at->held.limit[l] != i) l++;
        double *X = x + (d + 1) * columns;
        memcpy(X, at->held.X + l * columns, (size_t)columns * sizeof *X);
        for (int e = 0; e < n; e++)
            for (int r = 0; r < b->n; r++)
                W[e * n + d] -= b->A[r * columns + p->column + e] * at->held.B[l * b->n + r];
    }
    at->state[i] = kept;
    for (int d = 0; d < n; d++) { // without this pad's friction
        const double f = b->x[p->column + d];
        for (int e = 0; e < n; e++) a0[e] -= W[e * n + d] * f;
        for (int c = 0; c < columns; c++) x[c] += f * x[(d + 1) * columns + c];
    }
    for (int d = 0; d < n; d++) high = fmax(high, W[d * (n + 1)]);
    if (!(high > 0.0)) return 0;
    low = 1e-12 / high, high = 1e12 / high;
    for (int turn = 0; turn < 200 && high > low * (1.0 + 1e-15); turn++) {
        const double k = sqrt(low) * sqrt(high);
        double J[9];
        int pivot[3];
        for (int e = 0; e < n * n; e++) J[e] = k * W[e] + (e % (n + 1) == 0);
        memcpy(a, a0, (size_t)n * sizeof *a);
        if (br_lu_factor(n, J, n, pivot, 1e-15) != 0) return 0;
        br_lu_solve(n, J, n, pivot, a);
        double *there = x + 0; // forces at this k, put together in b->x's place
        memcpy(b->x, there, (size_t)columns * sizeof *there);
        for (int d = 0; d < n; d++)
            for (int c = 0; c < columns; c++) b->x[c] += k * a[d] * x[(d + 1) * columns + c];
        *(k * length_of(a, n) < mu * br_balance_load(b, i, b->x) ? &low : &high) = k;
    }
    const double size = length_of(a, n);
    for (int d = 0; d < n; d++) ahead[d] = a[d] / size;
    return size > 0.0;
}

// One change of modes; 0: all agree, < 0: no agreement was found.
static int change(br_rub_instant *at, int *waiting) {
    br_frictions *f = at->sim->frictions;
    const br_balance *b = at->b;
    const double scale = br_instant_force_scale(at);
    double worst = 0.0;
    int which = -1;
    for (int i = 0; i < f->count; i++) {
        double rate[BR_MAX_SLIDING];
        const int n = b->pad[i].directions;
        if (f->now[i].mode != BR_RUB_STICKS || !is_swept_on(at, i, rate)) continue;
        f->now[i].mode = BR_RUB_SLIDES;
        for (int d = 0; d < n; d++) f->now[i].ahead[d] = rate[d] / length_of(rate, n);
        waiting[i] = BR_RUB_SWEPT_ON;
        return 1;
    }
    for (int i = 0; i < f->count; i++) {
        if (f->now[i].mode != BR_RUB_STICKS) continue;
        const double over = br_instant_beyond(b, i, f->rub[i].law.mu_static, scale);
        if (over > worst) worst = over, which = i;
    }
    if (which >= 0) {
        br_instant_set_limit(f, b, which);
        return 1;
    }
    int changed = 0;
    for (int i = 0; i < f->count; i++) {
        br_rub_state *s = &f->now[i];
        const int n = b->pad[i].directions,
                  from_rest = length_of(f->rub[i].velocity, n) <= br_instant_rest_speed(at->sim);
        if (s->mode != BR_RUB_AT_LIMIT && !(s->mode == BR_RUB_SLIDES && from_rest)) continue;
        double rate[BR_MAX_SLIDING], along = 0.0;
        br_instant_slip_rate(b, i, rate);
        for (int d = 0; d < n; d++) along += rate[d] * s->ahead[d];
        const double tol = BR_EPS_MOVES * br_instant_rate_scale(at, i);
        if (s->mode == BR_RUB_AT_LIMIT && along > -tol && (along > tol || is_free(at, i))) {
            f->peak[i] = length_of(b->x + b->pad[i].column, n);
            s->mode = BR_RUB_SLIDES, changed = 1;
        } else if (along < -tol && waiting[i] != BR_RUB_SWEPT_ON) {
            if (waiting[i]++ >= BR_MAX_RETRIES) return -1;
            s->mode = BR_RUB_STICKS, changed = 1; // it would slide the other way
        } else if (s->mode == BR_RUB_SLIDES && along <= tol && !is_free(at, i)) {
            s->mode = BR_RUB_AT_LIMIT, changed = 1;
        } else if (s->mode == BR_RUB_SLIDES && n > 1) {
            double ahead[BR_MAX_SLIDING], apart = 0.0, size = length_of(rate, n);
            for (int d = 0; d < n; d++) apart = fmax(apart, fabs(rate[d] / size - s->ahead[d]));
            if (apart <= BR_EPS_AIMED) continue;
            if (waiting[i]++ >= BR_MAX_TURNS || !aim(at, i, ahead)) return -1;
            memcpy(s->ahead, ahead, (size_t)n * sizeof *ahead);
            return 1; // aiming has used the forces at hand
        }
    }
    return changed;
}

// Modes to start from: whatever moves slides, whatever has come to rest is tried stuck.
static void take_modes(br_sim *sim) {
    br_frictions *f = sim->frictions;
    for (int i = 0; i < f->count; i++) {
        br_rub *rub = &f->rub[i];
        br_rub_state *s = &f->now[i];
        const double speed = length_of(rub->velocity, rub->pad.directions);
        if (!br_friction_is_set_valued(&rub->law)) {
            s->mode = BR_RUB_FOLLOWS;
        } else if (speed > br_instant_rest_speed(sim)) {
            s->mode = BR_RUB_SLIDES;
            for (int d = 0; d < rub->pad.directions; d++) s->ahead[d] = rub->velocity[d] / speed;
        } else if (s->mode != BR_RUB_AT_LIMIT) {
            s->mode = BR_RUB_STICKS;
        }
    }
}

static br_status decide_begin(br_sim *sim, br_rub_instant *at, br_error *error) {
    *at = (br_rub_instant){.sim = sim, .state = sim->frictions->state, .g = sim->frictions->roots};
    return br_friction_balance(sim, 0, &at->b, &at->work, error);
}

void br_instant_take_states(br_rub_instant *at) {
    const br_frictions *f = at->sim->frictions;
    for (int i = 0; i < f->count; i++)
        state_of(&f->rub[i], &f->now[i], br_instant_rest_speed(at->sim), &at->state[i]);
    if (at->b->pads > f->count) br_balance_take_holds(at->sim, at->state);
}

// Whether a rub at its limit would stick with less: its rows held again.
static int would_stick(br_rub_instant *at, int i) {
    const br_frictions *f = at->sim->frictions;
    br_instant_take_states(at);
    at->state[i].mode = BR_PAD_STUCK;
    br_error ignored;
    if (solve(at, 0, &ignored) != BR_OK) return 0;
    const br_balance_pad *p = &at->b->pad[i];
    const double limit = f->rub[i].law.mu_static * br_balance_load(at->b, i, at->b->x);
    double along = 0.0;
    for (int d = 0; d < p->directions; d++) along -= at->b->x[p->column + d] * f->now[i].ahead[d];
    // Beyond its limit on the other side it would not stick but go there, and from there come back: it is held where it is.
    const double scale = br_instant_force_scale(at), slack = BR_EPS_OVER * fmax(limit, 0.1 * scale);
    if (br_instant_beyond(at->b, i, f->rub[i].law.mu_static, scale) > 0.0) return 0;
    return limit <= slack || along < limit - slack; // with nothing to carry it sticks with nothing
}

// Where several shares of a load among joints at rest are admissible, each may ask for another: after some changes without time passing
// what is at its limit stays there, for a step. Nothing moves, whichever it is.
static int is_quiet(const br_sim *sim) {
    return sim->frictions->past->quiet && sim->t_eval <= sim->frictions->past->t_quiet;
}

// Rubs at their limit whose load has gone back stick again.
static void restick(br_rub_instant *at) {
    br_frictions *f = at->sim->frictions;
    for (int i = 0; i < f->count && !is_quiet(at->sim); i++)
        if (f->now[i].mode == BR_RUB_AT_LIMIT && would_stick(at, i)) f->now[i].mode = BR_RUB_STICKS;
}

// One change of modes after the other, from those at hand. *agreed: the modes agree with each other.
static br_status follow(br_rub_instant *at, int settle, int *agreed, br_error *error) {
    br_frictions *f = at->sim->frictions;
    *agreed = 0;
    memset(f->waiting, 0, (size_t)f->count * sizeof *f->waiting);
    if (settle) take_modes(at->sim), restick(at);
    for (int k = 0; k < BR_MAX_DECISIONS; k++) {
        br_instant_take_states(at);
        const br_status status = solve(at, settle, error);
        if (status != BR_OK) return status;
        const int changed = settle ? change(at, f->waiting) : 0;
        if (changed < 0) return BR_OK;
        if (changed == 0) {
            *agreed = 1;
            return BR_OK;
        }
    }
    return BR_OK;
}

// Where following contradicts itself, or ends in rates that its modes do not allow: all ways to move.
static br_status search(br_rub_instant *at, int agreed, br_error *error) {
    br_error why = {0};
    int solutions = 0;
    br_status status = br_instant_search(at, &solutions, agreed ? &why : error);
    if (agreed && (status == BR_NUMERICAL || solutions == 0)) return follow(at, 1, &agreed, error);
    if (status != BR_OK) return status;
    return solutions > 0 ? BR_OK : br_instant_none(at, error);
}

br_status br_frictions_decide(br_sim *sim, int settle, br_error *error) {
    br_rub_instant at;
    br_error why = {0};
    int agreed = 0, worst = -1;
    br_status status = decide_begin(sim, &at, error);
    if (status != BR_OK) return status;
    status = follow(&at, settle, &agreed, &why);
    if (settle && (status == BR_OK || status == BR_NUMERICAL)) {
        agreed &= !br_instant_runs_away(&at);
        if (!agreed || !br_instant_agrees(&at, &worst)) status = search(&at, agreed, &why);
    }
    if (status != BR_OK) {
        if (error) *error = why;
        return status;
    }
    keep(&at);
    return BR_OK;
}

br_status br_frictions_instant(br_sim *sim, br_error *error) {
    br_frictions *f = sim->frictions;
    br_status status = BR_OK;
    int known = 1;
    for (int i = 0; i < f->count; i++) known &= f->now[i].known != BR_RUB_UNKNOWN;
    if (!known) status = br_frictions_decide(sim, 1, error);
    // The velocities of a step can go on where accelerations cannot: its stepper must be able to begin.
    if (status == BR_NUMERICAL && br_sim_traits(sim)->impulses) {
        br_frictions_forget(sim);
        status = BR_OK;
    }
    if (status == BR_OK) br_frictions_apply(sim, 1.0);
    return status;
}

// --- what is over ------------------------------------------------------------------------------------------

int br_frictions_over(br_sim *sim) {
    br_frictions *f = sim->frictions;
    int over = 0;
    br_rub_instant at;
    br_error ignored;
    if (f->set_valued == 0) return 0;
    if (decide_begin(sim, &at, &ignored) != BR_OK) return 0;
    br_instant_take_states(&at);
    if (solve(&at, 0, &ignored) != BR_OK) return BR_RUB_SLIPS;
    const double scale = br_instant_force_scale(&at);
    for (int i = 0; i < f->count; i++) {
        const br_rub_state *s = &f->now[i];
        const int n = at.b->pad[i].directions;
        if (s->mode == BR_RUB_STICKS && br_instant_beyond(at.b, i, f->rub[i].law.mu_static, scale) > 0.0)
            over |= BR_RUB_SLIPS;
        double rate[BR_MAX_SLIDING], along = 0.0, v = 0.0;
        br_instant_slip_rate(at.b, i, rate);
        for (int d = 0; d < n; d++) along += rate[d] * s->ahead[d], v += f->rub[i].velocity[d] * s->ahead[d];
        if (s->mode == BR_RUB_AT_LIMIT && along > 10.0 * BR_EPS_MOVES * br_instant_rate_scale(&at, i))
            over |= BR_RUB_SLIPS;
        // What the mechanism sweeps through rest may lag behind by rounding: it has not stopped while it speeds up.
        const int sped_up =
            v >= -2.0 * br_instant_rest_speed(sim) && along > BR_EPS_MOVES * br_instant_rate_scale(&at, i);
        if (s->mode == BR_RUB_SLIDES && v < -BR_BACKWARDS * br_instant_rest_speed(sim) && !sped_up)
            over |= BR_RUB_STOPS;
    }
    for (int i = 0; over == 0 && !is_quiet(sim) && i < f->count; i++)
        if (f->now[i].mode == BR_RUB_AT_LIMIT && would_stick(&at, i)) over |= BR_RUB_RESTICKS;
    return over;
}
