// Joint friction in a step by passes, with contacts or with hundreds of rubs. One pass solves all rows for loads N as they are and
// finds the loads of its own reactions, Phi(N); sought is N = Phi(N).
//
// Repeating N := Phi(N), which solver.friction_loads: fixed_point does, diverges where mu dN/df > 1, as in Wojtyra's mechanism
// (12 mu/5 = 1.2). Phi is piecewise almost linear, so Broyden's method ends in a few passes, on the solution that goes on from the
// last step's. Where it does not (a kink on the way, a step in which something stops or jams), each load is moved on by itself
// towards where it wants to go, further while it wants the same and less when it turns round, and Broyden's method goes on from
// there.
#include <string.h>

#include "base/error.h"
#include "linalg/dense.h"
#include "sim/contact/contact.h"
#include "sim/friction/step.h"
#include "sim/rows/accelerate.h"

#define BR_EPS_LOADS 1e-9      // relative change of loads at which passes end
#define BR_EPS_LEAST_LOAD 1e-3 // of the largest load: smaller ones are judged by this
#define BR_EPS_BEYOND 1e-9     // of mu N: beyond the bound
#define BR_EPS_OTHER_LOAD 0.1  // relative change of a load that makes it another one
#define BR_EPS_NEAR_LOADS 1e-7 // the same, of answers that are drawn near to the last one, and
#define BR_EPS_DRAWN 1e-6      // of the velocities that impulses make: what that may change of them
#define BR_MAX_TURNS 40        // solves of one pass
#define BR_MAX_BROYDEN 14      // passes of each sort
#define BR_MAX_WALKING 30
#define BR_MAX_FIXED_POINT 2000 // passes of the fixed-point iteration
#define BR_LOOK_BACK 100        // of them: after which it must have come nearer
#define BR_MAX_STRETCH 20.0     // of a change: what Broyden's method may ask for

// --- one pass ----------------------------------------------------------------------------------------------

typedef struct pass {
    br_system *system;
    int solves;
    int worst; // rub that is furthest from its law, and by how much
    double off;
} pass;

static br_status passes_evaluate(br_sim *sim, pass *p, br_error *error) {
    const int count = sim->frictions->count;
    for (int i = 0; i < count; i++) {
        br_rubbing *r = &sim->frictions->step->rubbing[i];
        r->low = -INFINITY, r->high = INFINITY, r->tries = 0;
        // A law may have several answers for one load. It goes on from where the step began, not from what another load made of it.
        if (fabs(r->normal - r->before) > BR_EPS_OTHER_LOAD * r->normal)
            memcpy(r->point, r->start, sizeof r->point);
        r->before = r->normal;
    }
    for (int k = 0; k < BR_MAX_TURNS; k++) {
        int changed = p->solves == 0;
        for (int i = 0; i < count; i++) changed |= br_rubbing_set(sim, i);
        // Each solve with contacts starts from those of the last step.
        br_status status = p->solves > 0 && sim->touching ? br_contacts_find(sim, sim->h, 0.0, error) : BR_OK;
        if (status == BR_OK) status = br_sim_solve_rows(sim, p->system, changed, !changed, error);
        if (status != BR_OK) return status;
        p->solves++;
        p->off = 0.0;
        for (int i = 0; i < count; i++) {
            const double off = br_rubbing_read(sim, i);
            if (off > p->off) p->off = off, p->worst = i;
        }
        if (p->off <= BR_EPS_RUBBING) break;
    }
    br_friction_loads(sim);
    return BR_OK;
}

// What was tried without a bound and is beyond it gets one.
static int release(br_sim *sim) {
    int released = 0;
    for (int i = 0; i < sim->frictions->count; i++) {
        br_rubbing *r = &sim->frictions->step->rubbing[i];
        if (!r->held) continue;
        r->normal = r->load;
        if (br_norm(r->n, r->force) <= (1.0 + BR_EPS_BEYOND) * r->mu * r->load) continue;
        r->held = 0, released = 1;
    }
    return released;
}

// Whether a rub is held well inside its bound, by the load in use and by that of the answer: the answer is the same for both, so they
// need not agree.
static int holds_anyway(const br_rubbing *r) {
    return r->held || (r->set_valued && !r->turned &&
                       br_norm(r->n, r->force) < (1.0 - BR_EPS_BEYOND) * r->mu * fmin(r->normal, r->load));
}

// F = Phi(N) - N, and the largest part of it, relative; worst: whose.
static double mismatch(br_sim *sim, int *worst) {
    br_rubbings *s = sim->frictions->step;
    double largest = 0.0, off = 0.0;
    for (int i = 0; i < sim->frictions->count; i++)
        largest = fmax(largest, fmax(s->rubbing[i].load, s->rubbing[i].normal));
    for (int i = 0; i < sim->frictions->count; i++) {
        const br_rubbing *r = &s->rubbing[i];
        s->F[i] = holds_anyway(r) ? 0.0 : r->load - r->normal;
        const double scale = fmax(fmax(r->load, r->normal), BR_EPS_LEAST_LOAD * largest);
        const double part = scale > 0.0 ? fabs(s->F[i]) / scale : 0.0;
        if (part > off) off = part, *worst = i;
    }
    return off;
}

// --- the next loads ----------------------------------------------------------------------------------------

static void begin_broyden(br_rubbings *s, int n) {
    for (int k = 0; k < n * n; k++) s->H[k] = k % (n + 1) == 0 ? -1.0 : 0.0;
}

// H += (dx - H dF) (dx^T H)/(dx^T H dF)
static void update_broyden(br_rubbings *s, int n) {
    double below = 0.0, size = 0.0;
    for (int j = 0; j < n; j++) {
        s->u[j] = 0.0;
        for (int i = 0; i < n; i++) s->u[j] += s->dx[i] * s->H[i * n + j];
        below += s->u[j] * s->dF[j], size += s->dx[j] * s->dx[j];
    }
    if (!(fabs(below) > 1e-8 * size)) return;
    for (int i = 0; i < n; i++) {
        double miss = s->dx[i];
        for (int j = 0; j < n; j++) miss -= s->H[i * n + j] * s->dF[j];
        s->best[i] = miss / below;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) s->H[i * n + j] += s->best[i] * s->u[j];
}

// x + dx into the loads; none is negative. dx becomes what was done.
static void move_loads(br_sim *sim) {
    br_rubbings *s = sim->frictions->step;
    for (int i = 0; i < sim->frictions->count; i++) {
        br_rubbing *r = &s->rubbing[i];
        if (r->held) {
            s->dx[i] = 0.0;
            continue;
        }
        const double to = fmax(0.0, r->normal + s->dx[i]);
        s->dx[i] = to - r->normal;
        r->normal = to;
    }
}

static void broyden_step(br_sim *sim) {
    br_rubbings *s = sim->frictions->step;
    const int n = sim->frictions->count;
    double asked = 0.0, F = 0.0;
    for (int i = 0; i < n; i++) {
        s->dx[i] = 0.0;
        for (int j = 0; j < n; j++) s->dx[i] -= s->H[i * n + j] * s->F[j];
        asked = fmax(asked, fabs(s->dx[i])), F = fmax(F, fabs(s->F[i]));
    }
    const double shrink = asked > BR_MAX_STRETCH * F ? BR_MAX_STRETCH * F / asked : 1.0;
    for (int i = 0; i < n; i++) s->dx[i] *= shrink;
    move_loads(sim);
}

// Each by itself: u holds the lengths of the steps.
static void walking_step(br_sim *sim, int first) {
    br_rubbings *s = sim->frictions->step;
    for (int i = 0; i < sim->frictions->count; i++) {
        const int sign = s->F[i] > 0.0 ? 1 : s->F[i] < 0.0 ? -1 : 0;
        s->u[i] = first ? fabs(s->F[i]) : sign == s->growing[i] ? 1.7 * s->u[i] : 0.4 * s->u[i];
        s->growing[i] = sign;
        s->dx[i] = sign * s->u[i];
    }
    move_loads(sim);
}

// Whether the last answer is still drawn towards the one before.
static int is_drawn(const br_sim *sim) {
    return sim->touching && sim->contacts->near > 0.0 && sim->contacts->drawn > BR_EPS_DRAWN;
}

static double enough(const br_sim *sim) {
    return sim->touching && sim->contacts->near > 0.0 ? BR_EPS_NEAR_LOADS : BR_EPS_LOADS;
}

// One sort of passes: 1 when loads agree.
static br_status settle(br_sim *sim, pass *p, int most, int walking, double *off, int *worst,
                        br_error *error) {
    br_rubbings *s = sim->frictions->step;
    const int n = sim->frictions->count;
    int fresh = 1;
    begin_broyden(s, n);
    for (int k = 0; k < most; k++) {
        const int released = release(sim);
        for (int i = 0; i < n; i++) s->dF[i] = -s->F[i];
        *off = mismatch(sim, worst);
        if (*off <= enough(sim) && !released && !is_drawn(sim)) return BR_OK;
        for (int i = 0; i < n; i++) s->dF[i] += s->F[i];
        if (released) {
            begin_broyden(s, n);
            fresh = 1;
        } else if (!fresh && !walking) {
            update_broyden(s, n);
        }
        if (walking)
            walking_step(sim, fresh);
        else
            broyden_step(sim);
        fresh = 0;
        const br_status status = passes_evaluate(sim, p, error);
        if (status != BR_OK) return status;
    }
    release(sim);
    *off = mismatch(sim, worst);
    return BR_OK;
}

// --- fixed-point iteration ---------------------------------------------------------------------------------

// What the passes tell of themselves, since the last bound that was added.
typedef struct fixed_point {
    int passes;
    double change;       // N, of the loads by the last pass, and
    double earlier;      // some passes before
    double rate, growth; // what the last pass multiplied it by; the most that two passes running did
} fixed_point;

static void note_pass(const br_sim *sim, fixed_point *k) {
    double change = 0.0;
    for (int i = 0; i < sim->frictions->count; i++) change = fmax(change, fabs(sim->frictions->step->F[i]));
    const double rate = k->change > 0.0 ? change / k->change : 0.0;
    k->growth = fmax(k->growth, fmin(rate, k->rate));
    k->change = change, k->rate = rate;
    if (++k->passes % BR_LOOK_BACK == 1) k->earlier = change;
}

// Whether to stop: it goes round, or grows, and is no nearer than some passes ago; or it has had its time.
static int gives_up(const fixed_point *k, int passes) {
    const int stays = k->passes % BR_LOOK_BACK == 0 && k->growth > 1.0 && k->change > 0.5 * k->earlier;
    return stays || passes >= BR_MAX_FIXED_POINT || !isfinite(k->change);
}

static br_status diverges(const br_sim *sim, const fixed_point *k, int passes, int worst, br_error *error) {
    const char *name = sim->frictions->rub[worst].name;
    if (k->growth > 1.0)
        return br_fail(error, BR_NUMERICAL, "friction-diverges",
                       "t = %.9g s: fixed-point iteration diverges: the load of joint '%s' still changes by "
                       "%.3g N in pass "
                       "%d, and a pass multiplies the change by %.3g. Here a load grows with friction faster "
                       "than friction "
                       "with the load: use solver.friction_loads: newton",
                       sim->t_eval, name, k->change, passes, k->growth);
    return br_fail(
        error, BR_NUMERICAL, "friction-diverges",
        "t = %.9g s: fixed-point iteration is too slow: the load of joint '%s' still changes by %.3g N in "
        "pass %d, and a pass multiplies the change by %.6g: use solver.friction_loads: newton",
        sim->t_eval, name, k->change, passes, k->rate);
}

// The way of most programs [Wojtyra2017 sec. 2.1]: friction of the last pass's loads, loads of this friction's reactions. What
// sticks is tried without a bound first, as by the other ways.
br_status br_friction_fixed_point(br_sim *sim, br_system *system, double *off, br_error *error) {
    pass p = {.system = system};
    fixed_point k = {0};
    int worst = 0;
    br_status status = passes_evaluate(sim, &p, error);
    for (int passes = 1; status == BR_OK; passes++) {
        const int released = release(sim);
        if (released) k = (fixed_point){0};
        *off = mismatch(sim, &worst);
        if (*off <= enough(sim) && !released) {
            *off = fmax(*off, p.off);
            return BR_OK;
        }
        note_pass(sim, &k);
        if (gives_up(&k, passes)) return diverges(sim, &k, passes, worst, error);
        for (int i = 0; i < sim->frictions->count; i++) {
            br_rubbing *r = &sim->frictions->step->rubbing[i];
            if (!holds_anyway(r)) r->normal = r->load;
        }
        status = passes_evaluate(sim, &p, error);
    }
    return status;
}

// Forces that contacts leave open jump from pass to pass, see draw_near in contact/solve.c: the stronger they are drawn to the last ones,
// the smaller the jumps, and the slower all others.
br_status br_friction_pass(br_sim *sim, br_system *system, int *worst, double *off, br_error *error) {
    static const double near[] = {1e-2, 1e-2, 0.1, 1.0}; // of W
    const int most = (int)(sizeof near / sizeof *near);
    pass p = {.system = system};
    br_status status = passes_evaluate(sim, &p, error);
    if (status == BR_OK) status = settle(sim, &p, BR_MAX_BROYDEN, 0, off, worst, error);
    for (int k = 0; k < most && status == BR_OK && (*off > enough(sim) || is_drawn(sim)); k++) {
        if (sim->touching) sim->contacts->near = near[k];
        if (k > 0) status = settle(sim, &p, BR_MAX_WALKING, 1, off, worst, error);
        if (status == BR_OK && (*off > enough(sim) || is_drawn(sim)))
            status = settle(sim, &p, BR_MAX_BROYDEN, 0, off, worst, error);
    }
    if (is_drawn(sim)) *off = fmax(*off, sim->contacts->drawn);
    if (sim->touching) sim->contacts->near = 0.0;
    if (p.off > *off) *off = p.off, *worst = p.worst;
    return status;
}
