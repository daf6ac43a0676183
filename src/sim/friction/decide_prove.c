// Where no friction forces were found at an instant: the instant as numbers (friction/refutation.h), and either the proof that there are none or
// the sentence that it was not decided. Reactions that dependent rows leave open are those of the model's rule of redundancy, for whatever
// the friction forces are: that is the model.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "friction/share.h"
#include "sim/friction/decide.h"

#define BR_MOST_USED (1.0 - 1e-9) // of a limit: a share that is admissible
#define BR_EPS_STILL 1e-6         // of what a rate is the sum of: nothing moves
#define BR_EPS_DEAD 1e-9  // of what a force would do to a pad of free bodies: what it does is rounding
#define BR_EPS_HELD 1e-12 // of a row of R, squared: what is left of it is rounding
#define BR_MAX_REFUTATION_NODES                                                                              \
    262144 // boxes and cuts of one proof: about as much work as 10,000 evaluations

struct br_rub_refutation {
    br_arena arena;
    br_refutation proof;
    double t;
};

void br_rub_refutation_destroy(br_sim *sim) {
    if (!sim->frictions || !sim->frictions->proof) return;
    br_arena arena = sim->frictions->proof->arena;
    br_arena_free(&arena);
    sim->frictions->proof = NULL;
}

const br_refutation *br_frictions_refutation(const br_sim *sim, double *t) {
    if (!sim->frictions || !sim->frictions->proof) return NULL;
    if (t) *t = sim->frictions->proof->t;
    return &sim->frictions->proof->proof;
}

// --- the instant as numbers --------------------------------------------------------------------------------

static int is_moving(const br_sim *sim, int i) {
    const br_rub *rub = &sim->frictions->rub[i];
    double square = 0.0;
    for (int d = 0; d < rub->pad.directions; d++) square += rub->velocity[d] * rub->velocity[d];
    return !br_friction_is_set_valued(&rub->law) || sqrt(square) > br_instant_rest_speed(sim);
}

// Pads and forces that take part: those with a coefficient. Modes of what moves stay; what rests is at its limit, for its columns.
static void list_pads(br_rub_instant *at, br_refutation_problem *p, int *pad_of) {
    br_frictions *f = at->sim->frictions;
    br_instant_take_states(at);
    for (int i = 0; i < f->count; i++) {
        const br_friction_params *law = &f->rub[i].law;
        const int moves = is_moving(at->sim, i), n = moves ? 1 : f->rub[i].pad.directions;
        const double mu = moves ? at->state[i].factor : law->mu_static;
        at->state[i].mode = BR_PAD_LIMIT;
        pad_of[i] = -1;
        if (!(mu > 0.0)) continue;
        pad_of[i] = p->pads;
        p->pad[p->pads++] = (br_refutation_pad){.first = p->n,
                                                .n = n,
                                                .slides = moves,
                                                .mu_static = mu,
                                                .mu_kinetic = moves ? mu : law->mu_kinetic};
        p->n += n;
    }
}

static double along(const double *a, const double *b, int n, int stride) {
    double sum = 0.0;
    for (int k = 0; k < n; k++) sum += a[k * stride] * b[k];
    return sum;
}

// What the forces x and accelerations a mean for loads and rates, into l and r; constant: with preloads and gamma.
static void read_numbers(const br_rub_instant *at, const int *pad_of, const double *x, const double *a,
                         int constant, br_refutation_problem *p, double *l, double *r, int stride) {
    const br_balance *b = at->b;
    int form = 0;
    for (int i = 0; i < b->pads; i++) {
        const br_balance_pad *from = &b->pad[i];
        if (pad_of[i] < 0) continue;
        br_refutation_pad *to = &p->pad[pad_of[i]];
        to->preload = from->preload, to->norms = from->norms;
        for (int k = 0; k < from->norms; k++) {
            to->form[k] = form, to->forms[k] = from->norm[k].forms;
            for (int c = 0; c < from->norm[k].forms; c++)
                l[form++ * stride] = along(from->norm[k].form[c], x, b->columns, 1);
        }
        for (int d = 0; d < to->n; d++) {
            const int c = from->column + d;
            r[(to->first + d) * stride] =
                along(b->A + c, a, b->n, b->columns) - (constant ? b->gamma[c] : 0.0);
        }
    }
    p->forms = form;
}

// Column of one force: friction f along a direction is -g of the balance, which is against it; of what slides g itself.
static void read_column(br_rub_instant *at, const int *pad_of, int i, int d, br_refutation_problem *p,
                        double *x, double *a) {
    const br_balance *b = at->b;
    const br_refutation_pad *pad = &p->pad[pad_of[i]];
    int l = 0;
    while (at->held.limit[l] != i) l++;
    const double sign = pad->slides ? 1.0 : -1.0;
    for (int c = 0; c < b->columns; c++) x[c] = sign * at->held.X[l * b->columns + c];
    for (int k = 0; k < b->n; k++) a[k] = sign * at->held.B[l * b->n + k];
    read_numbers(at, pad_of, x, a, 0, p, p->L + pad->first + d, p->R + pad->first + d, p->n);
}

static int count_norm_forms(const br_balance *b) {
    int forms = 0;
    for (int i = 0; i < b->pads; i++)
        for (int k = 0; k < b->pad[i].norms; k++) forms += b->pad[i].norm[k].forms;
    return forms;
}

// What is left of R where a pad is at its dead point is rounding, and a force that holds it would be beyond all bounds: nothing holds it.
static void clear_rounding(const br_rub_instant *at, const int *pad_of, br_refutation_problem *p) {
    const br_balance *b = at->b;
    double alone[BR_MAX_REFUTATION_FORCES] = {
        0.0}; // what a unit of force does to its own rate, were all bodies free
    for (int i = 0; i < b->pads; i++)
        for (int d = 0; pad_of[i] >= 0 && d < p->pad[pad_of[i]].n; d++)
            for (int r = 0; r < b->n; r++) {
                const double A = b->A[r * b->columns + b->pad[i].column + d];
                alone[p->pad[pad_of[i]].first + d] += A * A / b->M[r * (b->n + 1)];
            }
    for (int i = 0; i < p->n; i++)
        for (int j = 0; j < p->n; j++)
            if (fabs(p->R[i * p->n + j]) <= BR_EPS_DEAD * sqrt(alone[i] * alone[j])) p->R[i * p->n + j] = 0.0;
}

// 0: no memory, or more forces than there can be boxes about.
static int take_problem(br_rub_instant *at, br_arena *arena, br_refutation_problem *p, int *pad_of) {
    const br_balance *b = at->b;
    const br_frictions *f = at->sim->frictions;
    double *x = BR_TAKE(arena, double, b->columns), *a = BR_TAKE(arena, double, b->n);
    p->pad = BR_TAKE(arena, br_refutation_pad, f->count);
    if (!x || !a || !p->pad) return 0;
    list_pads(at, p, pad_of);
    if (p->n > BR_MAX_REFUTATION_FORCES) return 0;
    const int forms = count_norm_forms(b);
    p->l0 = BR_TAKE(arena, double, forms + 1);
    p->L = BR_TAKE(arena, double, forms * p->n + 1);
    p->r0 = BR_TAKE(arena, double, p->n + 1);
    p->R = BR_TAKE(arena, double, p->n * p->n + 1);
    if (!p->l0 || !p->L || !p->r0 || !p->R) return 0;
    for (int d = 0; d < BR_BALANCE_DIRECTIONS; d++) {
        for (int i = 0; i < f->count; i++) {
            if (pad_of[i] >= 0 && p->pad[pad_of[i]].slides) continue;
            memset(at->state[i].direction, 0, sizeof at->state[i].direction);
            at->state[i].direction[d < b->pad[i].directions ? d : 0] = 1.0;
        }
        if (br_balance_hold(b, at->state, at->work, &at->held) != BR_OK) return 0;
        if (d == 0) read_numbers(at, pad_of, at->held.x0, at->held.a0, 1, p, p->l0, p->r0, 1);
        for (int i = 0; i < f->count; i++)
            if (pad_of[i] >= 0 && d < p->pad[pad_of[i]].n) read_column(at, pad_of, i, d, p, x, a);
    }
    clear_rounding(at, pad_of, p);
    return 1;
}

// --- forces that are known, as modes -----------------------------------------------------------------------

// What keeps its force as a part of its limit is at its limit with an `ahead` that is shorter than 1. So many rubs stick as there are
// freedoms for them to hold: those with the most in reserve first.
static void choose_stuck(const br_refutation_problem *p, const int *still, const double *part, int *stuck) {
    double row[BR_MAX_REFUTATION_FORCES][BR_MAX_REFUTATION_FORCES];
    int rows = 0, seen[BR_MAX_REFUTATION_FORCES] = {0};
    for (int turn = 0; turn < p->pads; turn++) {
        int best = -1;
        for (int i = 0; i < p->pads; i++)
            if (still[i] && !seen[i] && (best < 0 || part[i] < part[best])) best = i;
        if (best < 0) return;
        seen[best] = 1;
        double left[BR_MAX_REFUTATION_FORCES], size = 0.0, now = 0.0;
        const int at = p->pad[best].first;
        for (int j = 0; j < p->n; j++) left[j] = p->R[at * p->n + j], size += left[j] * left[j];
        for (int k = 0; k < rows; k++) {
            double along_row = 0.0;
            for (int j = 0; j < p->n; j++) along_row += left[j] * row[k][j];
            for (int j = 0; j < p->n; j++) left[j] -= along_row * row[k][j];
        }
        for (int j = 0; j < p->n; j++) now += left[j] * left[j];
        if (!(now > BR_EPS_HELD * size)) continue;
        for (int j = 0; j < p->n; j++) row[rows][j] = left[j] / sqrt(now);
        rows++, stuck[best] = 1;
    }
}

// Modes for the forces f of the problem; 1: they agree, and forces and accelerations are at hand.
static int use_forces(br_rub_instant *at, const br_refutation_problem *p, const int *pad_of,
                      const double *f) {
    br_frictions *all = at->sim->frictions;
    double rate[BR_MAX_REFUTATION_FORCES], part[BR_MAX_REFUTATION_FORCES];
    int still[BR_MAX_REFUTATION_FORCES] = {0}, stuck[BR_MAX_REFUTATION_FORCES] = {0}, worst;
    br_share_rates(p, f, rate);
    for (int i = 0; i < p->pads; i++) {
        const int k = p->pad[i].first;
        double size = fabs(p->r0[k]);
        for (int j = 0; j < p->n; j++) size += fabs(p->R[k * p->n + j] * f[j]);
        if (!p->pad[i].slides && p->pad[i].n > 1) return 0;
        still[i] = !p->pad[i].slides && fabs(rate[k]) <= BR_EPS_STILL * size;
        part[i] = fabs(f[k]) / (p->pad[i].mu_static * br_share_load(p, i, f) + 1e-300);
    }
    choose_stuck(p, still, part, stuck);
    for (int i = 0; i < all->count; i++) {
        br_rub_state *s = &all->now[i];
        const int pad = pad_of[i], k = pad >= 0 ? p->pad[pad].first : 0;
        if (pad < 0 || p->pad[pad].slides) continue; // a coefficient of zero, or as it was
        s->mode = stuck[pad] ? BR_RUB_STICKS : still[pad] ? BR_RUB_AT_LIMIT : BR_RUB_SLIDES;
        s->ahead[0] = still[pad] ? -copysign(fmin(part[pad], 1.0), f[k]) : copysign(1.0, rate[k]);
        all->g[i] = fabs(f[k]);
    }
    br_instant_take_states(at);
    if (br_balance_hold(at->b, at->state, at->work, &at->held) != BR_OK) return 0;
    for (int l = 0; l < at->held.limits; l++) {
        const int i = at->held.limit[l];
        at->g[l] = pad_of[i] < 0 ? 0.0 : at->state[i].factor * br_share_load(p, pad_of[i], f);
    }
    if (!br_balance_root_near(at->b, at->state, &at->held, at->work, at->g)) return 0;
    br_balance_forces(&at->held, at->b->columns, at->b->n, at->g, at->b->x, at->b->a);
    return br_instant_agrees(at, &worst);
}

// --- what is said ------------------------------------------------------------------------------------------

static const br_rub *worst_of(const br_frictions *f) {
    const br_rub *worst = &f->rub[0];
    for (int i = 1; i < f->count; i++)
        if (br_friction_limit(&f->rub[i].law) > br_friction_limit(&worst->law)) worst = &f->rub[i];
    return worst;
}

static br_status proved(const br_rub_instant *at, int nodes, br_error *error) {
    const br_frictions *f = at->sim->frictions;
    const br_rub *worst = worst_of(f);
    return br_fail(
        error, BR_NUMERICAL, "friction-none",
        "t = %.9g s: no friction forces agree with the reactions that they cause: the equations of "
        "motion have no "
        "solution (Painleve's paradox; proved by %d boxes). Of %d joints that rub '%s' has the "
        "largest coefficient, %g. A "
        "smaller coefficient, a compliant part, or the contact stepper, goes on",
        at->sim->t_eval, nodes, f->count, worst->name, br_friction_limit(&worst->law));
}

static br_status undecided(const br_rub_instant *at, int nodes, br_error *error) {
    const br_frictions *f = at->sim->frictions;
    const br_rub *worst = worst_of(f);
    return br_fail(error, BR_NUMERICAL, "friction-undecided",
                   "t = %.9g s: whether some friction forces agree with the reactions that they cause is not "
                   "decided: none were found, and "
                   "%d boxes do not prove that there are none. Of %d joints that rub '%s' has the largest "
                   "coefficient, %g. A smaller "
                   "coefficient, a compliant part, or the contact stepper, goes on",
                   at->sim->t_eval, nodes, f->count, worst->name, br_friction_limit(&worst->law));
}

br_status br_instant_none(br_rub_instant *at, br_error *error) {
    br_sim *sim = at->sim;
    br_refutation_problem problem = {0};
    br_arena arena;
    double share[BR_MAX_REFUTATION_FORCES], used = 0.0;
    br_rub_refutation_destroy(sim);
    if (at->b->pads > sim->frictions->count) return undecided(at, 0, error); // of contacts nothing is proved
    br_arena_init(&arena, &sim->allocator);
    struct br_rub_refutation *kept = BR_TAKE(&arena, struct br_rub_refutation, 1);
    int *pad_of = BR_TAKE(&arena, int, sim->frictions->count), tried = 0, found = 0;
    if (kept && pad_of && take_problem(at, &arena, &problem, pad_of)) {
        found = br_share_find(&problem, share, &used) && used < BR_MOST_USED &&
                use_forces(at, &problem, pad_of, share);
        // Forces that are moderate need small boxes, those that grow without bound large ones: neither unit suits both.
        for (int k = 0; k < 2 && !found && !(tried && kept->proof.proved); k++) {
            tried =
                br_refutation_find(&arena, &problem, BR_MAX_REFUTATION_NODES, k ? 1e6 : 30.0, &kept->proof);
            if (tried) sim->frictions->boxes += kept->proof.nodes;
            if (tried && kept->proof.candidates > 0)
                found = use_forces(at, &problem, pad_of, kept->proof.candidate);
        }
    }
    if (tried && kept->proof.proved) {
        kept->arena = arena, kept->t = sim->t_eval;
        sim->frictions->proof = kept;
        return proved(at, kept->proof.nodes, error);
    }
    const int nodes = tried ? kept->proof.nodes : 0;
    br_arena_free(&arena);
    return found ? BR_OK : undecided(at, nodes, error);
}
