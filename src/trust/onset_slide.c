// Slides from rest that are easy to find: the motion that the loads ask for, and the others that it turns into when friction acts
// against it. Friction against a guess of the slip gives accelerations, those the next guess; where it comes to rest on itself, and
// what does not slip holds, the slide is consistent. What this does not find br_onset_find searches for.
#include <math.h>
#include <string.h>

#include "trust/onset.h"

#define BR_FEW_FREEDOMS 3 // beyond, only the motion that the loads ask for is followed
#define BR_MAX_GUESSES 100
#define BR_EPS_SETTLED 1e-10 // change of a slip's direction
#define BR_EPS_SLIPS 1e-9    // of the rate that the loads could give: below, a pad does not slip
#define BR_EPS_CLEARLY 1e-6  // and above this it does
#define BR_EPS_HOLDS 1e-9    // of a limit

typedef struct slide {
    const br_case *c;
    br_balance_work *work;
    br_pad_state *state;
    br_held held;
    double *x, *a, *guess;
    double g[64];
    double scale; // of rates
    int kinetic;
} slide;

// The slip's rate under accelerations a; or the slip itself of a motion.
static double rate_of(const br_balance *b, int pad, const double *a, int motion, double *rate) {
    const br_balance_pad *p = &b->pad[pad];
    double square = 0.0;
    for (int d = 0; d < p->directions; d++) {
        rate[d] = motion ? 0.0 : -b->gamma[p->column + d];
        for (int r = 0; r < b->n; r++) rate[d] += b->A[r * b->columns + p->column + d] * a[r];
        square += rate[d] * rate[d];
    }
    return sqrt(square);
}

// Accelerations under the states at hand; 0: there are none.
static int solve(slide *s) {
    const br_balance *b = s->c->b;
    if (!br_work_spend(s->c->work, br_work_of_hold(b->n, b->columns))) return 0;
    if (br_balance_hold(b, s->state, s->work, &s->held) != BR_OK || s->held.limits > 64) return 0;
    if (s->held.nullity > 0) br_work_spend(s->c->work, br_work_of_turns(b->n, b->columns));
    if (!br_balance_root_near(b, s->state, &s->held, s->work, s->g)) {
        br_balance_roots roots;
        br_balance_roots_find(b, s->state, &s->held, s->work, &roots);
        if (roots.count == 0) return 0;
        memcpy(s->g, roots.g, (size_t)s->held.limits * sizeof *s->g);
    }
    br_balance_forces(&s->held, b->columns, b->n, s->g, s->x, s->a);
    return 1;
}

// Friction against the slips of `guess`. Returns how far directions turned from those before.
static double oppose(slide *s, int motion) {
    const br_balance *b = s->c->b;
    double turned = 0.0;
    for (int i = 0; i < b->pads; i++) {
        const br_balance_pad *p = &b->pad[i];
        br_pad_state *state = &s->state[i];
        double rate[BR_BALANCE_DIRECTIONS];
        if (p->sliding) {
            *state = (br_pad_state){.mode = BR_PAD_GIVEN};
            continue;
        }
        const br_pad_state before = *state;
        const double speed = rate_of(b, i, s->guess, motion, rate);
        *state = (br_pad_state){.mode = BR_PAD_STUCK};
        if (p->directions > 0 && speed > BR_EPS_SLIPS * s->scale) {
            state->mode = BR_PAD_LIMIT, state->factor = s->kinetic ? p->mu_kinetic : p->mu_static;
            for (int d = 0; d < p->directions; d++) state->direction[d] = rate[d] / speed;
        }
        if (before.mode != state->mode) turned = 2.0;
        for (int d = 0; d < p->directions; d++)
            turned = fmax(turned, fabs(state->direction[d] - before.direction[d]));
    }
    return turned;
}

// Whether what came out keeps every law, and something slips.
static int is_consistent(slide *s, br_onset *out) {
    const br_balance *b = s->c->b;
    double fastest = 0.0, size = 0.0;
    for (int c = 0; c < b->columns; c++) size = fmax(size, fabs(s->x[c]));
    for (int i = 0; i < b->pads; i++) {
        const br_balance_pad *p = &b->pad[i];
        double rate[BR_BALANCE_DIRECTIONS], along = 0.0, square = 0.0;
        if (p->sliding) continue;
        if (p->normal >= 0 && s->x[p->normal] < -BR_EPS_HOLDS * size) return 0;
        const double speed = rate_of(b, i, s->a, 0, rate);
        for (int d = 0; d < p->directions; d++) {
            along += rate[d] * s->state[i].direction[d];
            square += s->x[p->column + d] * s->x[p->column + d];
        }
        if (s->state[i].mode == BR_PAD_LIMIT && !(along > 0.0)) return 0;
        if (s->state[i].mode == BR_PAD_STUCK &&
            sqrt(square) > p->mu_static * br_balance_load(b, i, s->x) + BR_EPS_HOLDS * size)
            return 0;
        out->moves[i] = s->state[i].mode == BR_PAD_LIMIT && speed > BR_EPS_CLEARLY * s->scale;
        if (s->state[i].mode != BR_PAD_LIMIT || speed <= fastest) continue;
        fastest = speed;
        out->pad = i;
    }
    return fastest > BR_EPS_CLEARLY * s->scale;
}

static int follow(slide *s, int motion, br_onset *out) {
    memset(s->g, 0, sizeof s->g);
    memset(s->state, 0, (size_t)s->c->b->pads * sizeof *s->state);
    for (int k = 0; k < BR_MAX_GUESSES; k++) {
        const double turned = oppose(s, motion && k == 0);
        if (k > 0 && turned <= BR_EPS_SETTLED) return is_consistent(s, out);
        if (!solve(s)) return 0;
        memcpy(s->guess, s->a, (size_t)s->c->b->n * sizeof *s->a);
    }
    return 0;
}

// The motion without friction, which also gives the scale of rates.
static int go_freely(slide *s) {
    const br_balance *b = s->c->b;
    for (int i = 0; i < b->pads; i++) {
        s->state[i] = (br_pad_state){.mode = b->pad[i].sliding ? BR_PAD_GIVEN : BR_PAD_LIMIT};
        s->state[i].direction[0] = 1.0;
    }
    if (!solve(s)) return 0;
    s->scale = 0.0;
    for (int i = 0; i < b->pads; i++) {
        double rate[BR_BALANCE_DIRECTIONS];
        if (!b->pad[i].sliding) s->scale = fmax(s->scale, rate_of(b, i, s->a, 0, rate));
    }
    return s->scale > 0.0;
}

// Slides under one way of sharing forces that rows leave open: from what the loads ask for, and from every motion of the mechanism.
static int try_starts(slide *s, br_onset *out) {
    const br_balance *b = s->c->b;
    if (!go_freely(s)) return 0;
    memcpy(s->guess, s->a, (size_t)b->n * sizeof *s->a);
    const int starts = s->c->freedom <= BR_FEW_FREEDOMS ? 2 * s->c->freedom : 0;
    for (int start = -1; start < starts; start++) {
        for (int k = 0; start >= 0 && k < b->n; k++)
            s->guess[k] = (start % 2 ? -1.0 : 1.0) * s->scale * s->c->U[start / 2 * b->n + k];
        if (!follow(s, start >= 0, out)) continue;
        memcpy(out->x, s->x, (size_t)b->columns * sizeof *s->x);
        out->consistent = 1;
        return 1;
    }
    return 0;
}

// Loads of contacts that are open are shared in other ways too: one contact relieved, or loaded alone, as far as that can be.
static void share_otherwise(const br_balance *b, int way, double *weight) {
    const int which = way / 2, relieved = way % 2;
    for (int i = 0, contact = 0; i < b->pads; i++) {
        if (b->pad[i].normal < 0) continue;
        weight[b->pad[i].normal] = (contact++ == which) == relieved;
    }
}

int br_onset_slide(const br_case *c, br_arena *arena, int kinetic, br_onset *out) {
    const br_balance *b = c->b;
    br_balance other = *b;
    br_case again = *c;
    if (c->freedom < 2 || c->moving > 0 || !c->stays)
        return 0; // the search itself is quick then, and complete
    slide s = {.c = c, .kinetic = kinetic};
    s.work = br_balance_work_create(arena, b->n, b->columns, b->pads);
    s.state = BR_TAKE(arena, br_pad_state, b->pads);
    s.x = BR_TAKE(arena, double, b->columns);
    s.a = BR_TAKE(arena, double, b->n);
    s.guess = BR_TAKE(arena, double, b->n);
    other.weight = BR_TAKE(arena, double, b->columns);
    if (!s.work || !s.state || !s.x || !s.a || !s.guess || !other.weight) return 0;
    if (try_starts(&s, out)) return 1;
    int contacts = 0;
    for (int i = 0; i < b->pads; i++) contacts += b->pad[i].normal >= 0;
    if (s.held.nullity == 0) return 0;
    again.b = &other, s.c = &again;
    for (int way = 0; way < 2 * contacts; way++) {
        share_otherwise(b, way, other.weight);
        if (try_starts(&s, out)) return 1;
    }
    return 0;
}
