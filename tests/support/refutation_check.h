// Is a proof that an instant has no solution one? Intervals of this file's own: long double ends, each operation widened outward.
#ifndef REFUTATION_CHECK_H
#define REFUTATION_CHECK_H

#include <math.h>

#include "friction/refutation.h"

typedef struct span {
    long double low, high;
} span;

static inline span span_of(long double a, long double b) {
    return (span){nextafterl(a, -INFINITY), nextafterl(b, INFINITY)};
}

static inline span span_add(span a, span b) {
    return span_of(a.low + b.low, a.high + b.high);
}

static inline span span_mul(span a, span b) {
    const long double p[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
    long double low = p[0], high = p[0];
    for (int k = 1; k < 4; k++) low = fminl(low, p[k]), high = fmaxl(high, p[k]);
    return span_of(low, high);
}

static inline span span_times(double c, span a) {
    return span_mul((span){c, c}, a);
}

// The length of a vector.
static inline span span_length(const span *v, int n) {
    long double low = 0.0L, high = 0.0L;
    for (int k = 0; k < n; k++) {
        const long double most = fmaxl(fabsl(v[k].low), fabsl(v[k].high));
        const long double least =
            v[k].low <= 0.0L && v[k].high >= 0.0L ? 0.0L : fminl(fabsl(v[k].low), fabsl(v[k].high));
        low = nextafterl(low + nextafterl(least * least, 0.0L), 0.0L);
        high = nextafterl(high + nextafterl(most * most, INFINITY), INFINITY);
    }
    return (span){fmaxl(0.0L, nextafterl(sqrtl(low), -INFINITY)), nextafterl(sqrtl(high), INFINITY)};
}

typedef struct refutation_walk {
    const br_refutation *proof;
    const br_refutation_problem *p;
    int at;     // next node
    int leaves; // that were checked
} refutation_walk;

static inline span refutation_row(const br_refutation_problem *p, const span *box, double constant,
                                  const double *row) {
    span sum = span_times(constant, box[p->n]);
    for (int j = 0; j < p->n; j++) sum = span_add(sum, span_times(row[j], box[j]));
    return sum;
}

// Whether the law of one pad fails all over a box.
static inline int refutation_fails(const br_refutation_problem *p, const span *box,
                                   const br_refutation_pad *pad) {
    span load = span_times(pad->preload, box[p->n]);
    for (int k = 0; k < pad->norms; k++) {
        span part[3];
        for (int c = 0; c < pad->forms[k]; c++)
            part[c] = refutation_row(p, box, p->l0[pad->form[k] + c], p->L + (pad->form[k] + c) * p->n);
        load = span_add(load, span_length(part, pad->forms[k]));
    }
    const span *f = box + pad->first, size = span_length(f, pad->n);
    const span kinetic = span_times(pad->mu_kinetic, load), most = span_times(pad->mu_static, load);
    if (pad->slides) return f[0].low > kinetic.high || f[0].high < kinetic.low;
    if (size.low > most.high) return 1;
    span rate[3], dot = {0.0L, 0.0L};
    int moves = 0;
    for (int d = 0; d < pad->n; d++) {
        rate[d] = refutation_row(p, box, p->r0[pad->first + d], p->R + (pad->first + d) * p->n);
        moves |= rate[d].low > 0.0L || rate[d].high < 0.0L;
        dot = span_add(dot, span_mul(f[d], rate[d]));
    }
    if (moves && (size.low > kinetic.high || size.high < kinetic.low)) return 1; // |f| = mu_kinetic N
    if (dot.low > 0.0L) return 1;                                                // against the rate
    if (pad->n == 1) // the same sign, though f may be zero at an end of the box: f = 0 needs a load of zero
        return moves && ((rate[0].low > 0.0L && f[0].low > -kinetic.low) ||
                         (rate[0].high < 0.0L && f[0].high < kinetic.low));
    for (int a = 0; a < pad->n; a++)
        for (int c = a + 1; c < pad->n; c++) {
            const span left = span_mul(f[a], rate[c]), right = span_mul(f[c], rate[a]);
            if (left.low > right.high || right.low > left.high) return 1;
        }
    return 0;
}

static inline int refutation_tree(refutation_walk *w, const span *box) {
    span part[BR_MAX_REFUTATION_FORCES + 1];
    if (w->at >= w->proof->nodes) return 0;
    const br_refutation_node *node = &w->proof->node[w->at++];
    if (node->axis < 0) {
        w->leaves++;
        return node->pad >= 0 && node->pad < w->p->pads && refutation_fails(w->p, box, &w->p->pad[node->pad]);
    }
    if (node->axis > w->p->n) return 0;
    for (int j = 0; j <= w->p->n; j++) part[j] = box[j];
    if (!(node->at >= box[node->axis].low && node->at <= box[node->axis].high)) return 0;
    part[node->axis].high = node->at;
    if (!refutation_tree(w, part)) return 0;
    part[node->axis] = (span){node->at, box[node->axis].high};
    return refutation_tree(w, part);
}

// 1: every force that there could be is in a box in which some law fails. *leaves: boxes.
static inline int refutation_holds(const br_refutation *proof, int *leaves) {
    const br_refutation_problem *p = &proof->scaled;
    refutation_walk w = {.proof = proof, .p = p};
    span whole[BR_MAX_REFUTATION_FORCES + 1], side[BR_MAX_REFUTATION_FORCES + 1];
    int slides[BR_MAX_REFUTATION_FORCES] = {0};
    for (int i = 0; i < p->pads; i++)
        for (int d = 0; d < p->pad[i].n; d++) slides[p->pad[i].first + d] = p->pad[i].slides;
    for (int j = 0; j < p->n; j++) whole[j] = (span){slides[j] ? 0.0L : -1.0L, 1.0L};
    whole[p->n] = (span){1.0L, 1.0L};
    int good = refutation_tree(&w, whole);
    whole[p->n].low = 0.0L;
    for (int j = 0; good && j < p->n; j++)
        for (int sign = 1; good && sign >= (slides[j] ? 1 : -1); sign -= 2) {
            for (int k = 0; k <= p->n; k++) side[k] = whole[k];
            side[j] = (span){sign, sign};
            good = refutation_tree(&w, side);
        }
    if (leaves) *leaves = w.leaves;
    return good && w.at == proof->nodes;
}

#endif
