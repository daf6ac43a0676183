// The boxes of refutation.h. A box is cut where a pad's law leaves only a part of it, else halved across the coordinate that matters most.
#include "friction/refutation.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define BR_EPS_REFUTED_BOX 1e-7 // width at which a box is not cut further
#define BR_REFUTATION_SHRINKS                                                                                \
    0.75                       // of a box's width: what a law must leave at most, for a cut to be worth it
#define BR_REFUTATION_ROOM 1.5 // forces that a contraction allows, of the largest one: the cube is that large
#define BR_REFUTATION_TERMS 200     // of the series of such a contraction
#define BR_MAX_REFUTATION_DEPTH 300 // cuts of one box

// --- intervals, rounded outward ----------------------------------------------------------------------------

typedef struct range {
    double low, high;
} range;

// A product rounded outward by two units in the last place and the smallest number: at least as far as the next one, in a fifth of the time.
static range range_of(double low, double high) {
    return (range){low - (2.0 * DBL_EPSILON * fabs(low) + DBL_MIN),
                   high + (2.0 * DBL_EPSILON * fabs(high) + DBL_MIN)};
}

static range range_add(range a, range b) {
    return range_of(a.low + b.low, a.high + b.high);
}

static range range_scale(double c, range a) {
    return c >= 0.0 ? range_of(c * a.low, c * a.high) : range_of(c * a.high, c * a.low);
}

static range range_mul(range a, range b) {
    const double p[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
    return range_of(fmin(fmin(p[0], p[1]), fmin(p[2], p[3])), fmax(fmax(p[0], p[1]), fmax(p[2], p[3])));
}

static range range_abs(range a) {
    if (a.low >= 0.0) return a;
    if (a.high <= 0.0) return (range){-a.high, -a.low};
    return (range){0.0, fmax(-a.low, a.high)};
}

// --- laws on a box -----------------------------------------------------------------------------------------

typedef struct box {
    range side[BR_MAX_REFUTATION_FORCES + 1]; // forces, tau
} box;

typedef struct proof_search {
    const br_refutation_problem *p; // scaled
    br_refutation *out;
    int most;
    double margin[BR_MAX_REFUTATION_FORCES];      // of pads: of N mu
    double rate_margin[BR_MAX_REFUTATION_FORCES]; // of forces: of r
    double weight[BR_MAX_REFUTATION_FORCES + 1];  // how much a coordinate's width widens the laws
} proof_search;

static range affine(const br_refutation_problem *p, const box *b, double constant, const double *row) {
    range sum = range_scale(constant, b->side[p->n]);
    for (int j = 0; j < p->n; j++)
        if (row[j] != 0.0) sum = range_add(sum, range_scale(row[j], b->side[j]));
    return sum;
}

static range length_of(const range *part, int n) {
    if (n == 1) return range_abs(part[0]);
    range square = {0.0, 0.0};
    for (int k = 0; k < n; k++) {
        const range size = range_abs(part[k]);
        square = range_add(square, range_mul(size, size));
    }
    const range root = range_of(sqrt(fmax(square.low, 0.0)), sqrt(square.high));
    return (range){fmax(root.low, 0.0), root.high};
}

static range load_of(const br_refutation_problem *p, const br_refutation_pad *pad, const box *b) {
    range load = range_scale(pad->preload, b->side[p->n]);
    for (int k = 0; k < pad->norms; k++) {
        range part[3];
        for (int c = 0; c < pad->forms[k]; c++) {
            const int form = pad->form[k] + c;
            part[c] = affine(p, b, p->l0[form], p->L + form * p->n);
        }
        load = range_add(load, length_of(part, pad->forms[k]));
    }
    return (range){fmax(load.low, 0.0), load.high};
}

// Where f_first of a pad can be on the box at all, by its law; for vectors: each part of it.
typedef struct verdict {
    int fails;
    range within;
} verdict;

static int apart(range a, range b, double margin) {
    return a.low > b.high + margin || b.low > a.high + margin;
}

// The parts of a vector at rest that its rate contradicts: f and r must be opposed.
static int turned(const range *f, const range *r, int n, double margin) {
    range dot = {0.0, 0.0};
    for (int a = 0; a < n; a++) dot = range_add(dot, range_mul(f[a], r[a]));
    if (dot.low > margin) return 1;
    for (int a = 0; a < n; a++)
        for (int c = a + 1; c < n; c++) {
            const range left = range_mul(f[a], r[c]), right = range_mul(f[c], r[a]);
            if (apart(left, right, margin)) return 1;
        }
    return 0;
}

static verdict law_on(const proof_search *s, int i, const box *b) {
    const br_refutation_problem *p = s->p;
    const br_refutation_pad *pad = &p->pad[i];
    const range load = load_of(p, pad, b), *f = b->side + pad->first, size = length_of(f, pad->n);
    const double margin = s->margin[i];
    const range most = range_scale(pad->mu_static, load), kinetic = range_scale(pad->mu_kinetic, load);
    if (pad->slides) return (verdict){apart(f[0], kinetic, margin), kinetic};
    verdict v = {size.low > most.high + margin, {-most.high, most.high}};
    range rate[3];
    int moves = 0;
    double rate_margin = 0.0;
    for (int d = 0; d < pad->n; d++) {
        const int at = pad->first + d;
        rate[d] = affine(p, b, p->r0[at], p->R + at * p->n);
        rate_margin = fmax(rate_margin, s->rate_margin[at]);
        moves |= rate[d].low > s->rate_margin[at] || rate[d].high < -s->rate_margin[at];
    }
    if (pad->n > 1) {
        v.fails |= (moves && apart(size, kinetic, margin)) || turned(f, rate, pad->n, rate_margin);
        return v;
    }
    if (!moves) return v;
    v.within = rate[0].low > 0.0 ? (range){-kinetic.high, -kinetic.low} : kinetic;
    v.fails |= apart(f[0], v.within, margin);
    return v;
}

// --- the tree ----------------------------------------------------------------------------------------------

static br_refutation_node *add_node(proof_search *s) {
    if (s->out->nodes >= s->most) return NULL;
    br_refutation_node *node = &s->out->node[s->out->nodes++];
    *node = (br_refutation_node){.axis = -1, .pad = -1};
    return node;
}

static void leave_open(proof_search *s, const box *b, int small) {
    br_refutation *out = s->out;
    out->open++;
    if (!small || out->candidates++ > 0) return;
    s->most =
        out->nodes; // where this is a solution there is nothing to prove, else it cannot be told apart from one
    const range tau = b->side[s->p->n];
    const double t = 0.5 * (tau.low + tau.high);
    for (int j = 0; j < s->p->n; j++)
        out->candidate[j] = t > 0.0 ? out->scale[j] * 0.5 * (b->side[j].low + b->side[j].high) / t : INFINITY;
}

static void visit(proof_search *s, const box *b, int depth);

static void cut(proof_search *s, const box *b, int axis, double at, int depth) {
    box part = *b;
    part.side[axis].high = at;
    visit(s, &part, depth + 1);
    part.side[axis] = (range){at, b->side[axis].high};
    visit(s, &part, depth + 1);
}

// A cut that leaves what a law allows on one side; 0: none is worth it.
static int shrink(const proof_search *s, const box *b, int *axis, double *at) {
    const br_refutation_problem *p = s->p;
    double best = BR_REFUTATION_SHRINKS;
    for (int i = 0; i < p->pads; i++) {
        const verdict v = law_on(s, i, b);
        const double slack = 2.0 * s->margin[i];
        for (int j = p->pad[i].first; j < p->pad[i].first + p->pad[i].n; j++) {
            const range side = b->side[j];
            const double width = side.high - side.low, low = v.within.low - slack,
                         high = v.within.high + slack;
            if (!(width > 0.0)) continue;
            if (high < side.high && (high - side.low) / width < best)
                best = (high - side.low) / width, *axis = j, *at = high;
            if (low > side.low && (side.high - low) / width < best)
                best = (side.high - low) / width, *axis = j, *at = low;
        }
    }
    return best < BR_REFUTATION_SHRINKS;
}

static void visit(proof_search *s, const box *b, int depth) {
    const br_refutation_problem *p = s->p;
    br_refutation_node *node = add_node(s);
    if (!node) {
        s->out->open++;
        return;
    }
    for (int i = 0; i < p->pads; i++)
        if (law_on(s, i, b).fails) {
            node->pad = i;
            return;
        }
    int axis = -1;
    double at = 0.0, widest = 0.0, wide = 0.0;
    for (int j = 0; j <= p->n; j++) {
        const double width = b->side[j].high - b->side[j].low;
        if (s->weight[j] * width > widest) widest = s->weight[j] * width, axis = j;
        wide = fmax(wide, width);
    }
    if (axis < 0 || wide < BR_EPS_REFUTED_BOX || depth >= BR_MAX_REFUTATION_DEPTH) {
        leave_open(s, b, 1);
        return;
    }
    at = 0.5 * (b->side[axis].low + b->side[axis].high);
    shrink(s, b, &axis, &at);
    node->axis = axis, node->at = at;
    cut(s, b, axis, at, depth);
}

// --- units -------------------------------------------------------------------------------------------------

// How much the load of pad i grows with force j at most.
static double growth(const br_refutation_problem *p, int i, int j) {
    const br_refutation_pad *pad = &p->pad[i];
    double sum = 0.0;
    for (int k = 0; k < pad->norms; k++) {
        double square = 0.0;
        for (int c = 0; c < pad->forms[k]; c++) {
            const double part = p->L[(pad->form[k] + c) * p->n + j];
            square += part * part;
        }
        sum += sqrt(square);
    }
    return sum;
}

static double constant_load(const br_refutation_problem *p, int i) {
    const br_refutation_pad *pad = &p->pad[i];
    double sum = pad->preload;
    for (int k = 0; k < pad->norms; k++)
        for (int c = 0; c < pad->forms[k]; c++) sum += fabs(p->l0[pad->form[k] + c]);
    return sum;
}

// Units in which no force can be 1 where friction contracts: u = mu (N_0 + |L| u), by its series, and a little more. Where it does not
// contract, no unit does that: then forces that loads without friction would allow, some terms of the series more. Boxes are cut down to a
// part of these units, so they must not be larger than the forces are.
static void choose_scale(const br_refutation_problem *p, double more, double *scale) {
    double u[BR_MAX_REFUTATION_FORCES] = {0.0}, first = 0.0, largest = 0.0;
    for (int turn = 0; turn < BR_REFUTATION_TERMS; turn++) {
        double next[BR_MAX_REFUTATION_FORCES], most = 0.0;
        for (int i = 0; i < p->pads; i++) {
            const double mu = p->pad[i].slides ? p->pad[i].mu_kinetic : p->pad[i].mu_static;
            double load = constant_load(p, i);
            for (int j = 0; j < p->n; j++) load += growth(p, i, j) * u[j];
            for (int d = 0; d < p->pad[i].n; d++) next[p->pad[i].first + d] = mu * load;
            most = fmax(most, mu * load);
        }
        if (turn == 0) first = most;
        if (most > more * first) break;
        memcpy(u, next, (size_t)p->n * sizeof *u);
    }
    for (int j = 0; j < p->n; j++) largest = fmax(largest, u[j]);
    if (!(largest > 0.0)) largest = 1.0;
    for (int j = 0; j < p->n; j++) scale[j] = BR_REFUTATION_ROOM * fmax(u[j], 1e-6 * largest);
}

// The problem in these units, each pad's law divided by its own.
static int scale_problem(br_arena *arena, const br_refutation_problem *p, const double *scale,
                         br_refutation_problem *to) {
    *to = *p;
    to->l0 = BR_TAKE(arena, double, p->forms + 1);
    to->L = BR_TAKE(arena, double, p->forms * p->n + 1);
    to->r0 = BR_TAKE(arena, double, p->n + 1);
    to->R = BR_TAKE(arena, double, p->n * p->n + 1);
    to->pad = BR_TAKE(arena, br_refutation_pad, p->pads + 1);
    if (!br_arena_ok(arena)) return 0;
    for (int i = 0; i < p->pads; i++) {
        const double unit = scale[p->pad[i].first];
        to->pad[i] = p->pad[i];
        to->pad[i].preload /= unit;
        for (int k = 0; k < p->pad[i].norms; k++)
            for (int c = p->pad[i].form[k]; c < p->pad[i].form[k] + p->pad[i].forms[k]; c++) {
                to->l0[c] = p->l0[c] / unit;
                for (int j = 0; j < p->n; j++) to->L[c * p->n + j] = p->L[c * p->n + j] * scale[j] / unit;
            }
    }
    for (int j = 0; j < p->n; j++) {
        double size = fabs(p->r0[j]);
        for (int k = 0; k < p->n; k++) size = fmax(size, fabs(p->R[j * p->n + k] * scale[k]));
        if (!(size > 0.0)) size = 1.0;
        to->r0[j] = p->r0[j] / size;
        for (int k = 0; k < p->n; k++) to->R[j * p->n + k] = p->R[j * p->n + k] * scale[k] / size;
    }
    return 1;
}

static void weigh(proof_search *s) {
    const br_refutation_problem *p = s->p;
    for (int i = 0; i < p->pads; i++) {
        const double mu = p->pad[i].slides ? p->pad[i].mu_kinetic : p->pad[i].mu_static;
        double sum = 1.0 + mu * constant_load(p, i);
        for (int j = 0; j < p->n; j++) {
            sum += mu * growth(p, i, j);
            s->weight[j] = fmax(s->weight[j], mu * growth(p, i, j));
        }
        s->weight[p->n] = fmax(s->weight[p->n], mu * constant_load(p, i));
        s->margin[i] = BR_EPS_REFUTED * sum;
    }
    for (int j = 0; j < p->n; j++) {
        double sum = fabs(p->r0[j]);
        s->weight[j] = fmax(s->weight[j], 1.0);
        s->weight[p->n] = fmax(s->weight[p->n], fabs(p->r0[j]));
        for (int k = 0; k < p->n; k++) {
            sum += fabs(p->R[j * p->n + k]);
            s->weight[k] = fmax(s->weight[k], fabs(p->R[j * p->n + k]));
        }
        s->rate_margin[j] = BR_EPS_REFUTED * sum;
    }
}

static int slides_of(const br_refutation_problem *p, int force) {
    for (int i = 0; i < p->pads; i++)
        if (force >= p->pad[i].first && force < p->pad[i].first + p->pad[i].n) return p->pad[i].slides;
    return 0;
}

int br_refutation_find(br_arena *arena, const br_refutation_problem *problem, int most, double more,
                       br_refutation *out) {
    const int n = problem->n;
    *out = (br_refutation){0};
    if (n > BR_MAX_REFUTATION_FORCES) return 0;
    choose_scale(problem, more, out->scale);
    out->node = BR_TAKE(arena, br_refutation_node, most);
    if (!out->node || !scale_problem(arena, problem, out->scale, &out->scaled)) return 0;
    proof_search s = {.p = &out->scaled, .out = out, .most = most};
    weigh(&s);
    box whole;
    for (int j = 0; j < n; j++) whole.side[j] = (range){slides_of(problem, j) ? 0.0 : -1.0, 1.0};
    whole.side[n] = (range){1.0, 1.0};
    visit(&s, &whole, 0);
    whole.side[n] = (range){0.0, 1.0};
    for (int j = 0; j < n; j++)
        for (int sign = 1; sign >= (slides_of(problem, j) ? 1 : -1); sign -= 2) {
            box side = whole;
            side.side[j] = (range){sign, sign};
            visit(&s, &side, 0);
        }
    out->proved = out->open == 0;
    return 1;
}
