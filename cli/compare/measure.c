// A trace held against another: force deviation, misalignment, position and energy error, creep, stop.
//
// Force deviation is the root mean square, over the window, of the difference of |f_t| / (mu f_n), as the paper normalizes
// its Fig. 4; position error is normalized by the distance from the starting point, as its Fig. 5a.
#include <math.h>

#include "compare/compare.h"

// A position error is relative to how far the reference has come. Before it has come this part of its largest
// distance, the quotient is of rounding or of nothing.
static const double MOVED_PART = 1e-2;
static const double MOVED_LEAST = 1e-6; // m: a reference that is at rest has no relative error
static const double PERCENT = 100;

static int shorter(const compare_trace *a, const compare_trace *b) {
    return a->count < b->count ? a->count : b->count;
}

static double root_mean(double squares, long count) {
    return count > 0 ? sqrt(squares / (double)count) : NAN;
}

// -------------------------------------------------------------------------------------------------------- forces

static double ratio(const compare_pair *p) {
    return p->limit > 0 ? br_vec3_norm(p->force) / p->limit : 0;
}

static int order(const compare_pair *a, const compare_pair *b) {
    return a->low != b->low     ? (a->low < b->low ? -1 : 1)
           : a->high != b->high ? (a->high < b->high ? -1 : 1)
                                : 0;
}

typedef struct force_sum {
    double squares, creep;
    long count;
    double sliding_squares, sliding_largest;
    long sliding_count;
} force_sum;

// Pairs are sorted: one walk through both lists. A pair that touches in one trace alone has no friction in the other.
static void add_forces(const compare_trace *a, const compare_trace *b, int k, force_sum *sum, int sliding) {
    const compare_sample *sa = &a->sample[k], *sb = &b->sample[k];
    for (int i = 0, j = 0; i < sa->pairs || j < sb->pairs;) {
        const compare_pair *pa = i < sa->pairs ? &a->pair[sa->first_pair + (size_t)i] : NULL;
        const compare_pair *pb = j < sb->pairs ? &b->pair[sb->first_pair + (size_t)j] : NULL;
        const int which = !pa ? 1 : !pb ? -1 : order(pa, pb);
        const double difference = (which <= 0 ? ratio(pa) : 0) - (which >= 0 ? ratio(pb) : 0);
        sum->squares += difference * difference;
        sum->count++;
        if (sliding) {
            sum->sliding_squares += difference * difference;
            sum->sliding_largest = fmax(sum->sliding_largest, fabs(difference));
            sum->sliding_count++;
        }
        if (which == 0 && pb->sticks && !isnan(pa->creep))
            sum->creep = fmax(isnan(sum->creep) ? 0 : sum->creep, pa->creep);
        i += which <= 0;
        j += which >= 0;
    }
}

static void measure_forces(const compare_trace *a, const compare_trace *b, double at, compare_measures *m) {
    force_sum sum = {.creep = NAN};
    const int n = shorter(a, b);
    for (int k = 1; k < n; k++) { // forces at t = 0 are of no step
        const int slides = b->sample[k].slip > COMPARE_SLIDES && a->sample[k].slip > COMPARE_SLIDES;
        add_forces(a, b, k, &sum, k > 2 && slides && b->sample[k].t <= at);
    }
    m->value[COMPARE_FORCE_DEVIATION] = PERCENT * root_mean(sum.squares, sum.count);
    m->value[COMPARE_FORCE_SLIDING] = PERCENT * root_mean(sum.sliding_squares, sum.sliding_count);
    m->value[COMPARE_FORCE_SLIDING_LARGEST] = sum.sliding_count > 0 ? PERCENT * sum.sliding_largest : NAN;
    m->value[COMPARE_CREEP] = sum.creep;
}

static double misalignment(const compare_trace *a) {
    double sum = 0;
    long count = 0;
    for (int k = 1; k < a->count; k++) {
        const double angle = a->sample[k].misalignment;
        if (isnan(angle)) continue;
        sum += angle * angle;
        count++;
    }
    return root_mean(sum, count);
}

// ------------------------------------------------------------------------------------------------------ positions

// Of all bodies together: root of the sum of squares.
static double apart(const compare_trace *a, const compare_trace *b, int ka, int kb) {
    double sum = 0;
    for (int i = 0; i < a->bodies; i++) {
        const br_vec3 d = br_vec3_sub(a->position[(size_t)ka * (size_t)a->bodies + (size_t)i],
                                      b->position[(size_t)kb * (size_t)b->bodies + (size_t)i]);
        sum += br_vec3_dot(d, d);
    }
    return sqrt(sum);
}

double compare_position_error(const compare_trace *trace, const compare_trace *reference, int sample) {
    const double moved = apart(reference, reference, sample, 0);
    return moved > MOVED_LEAST ? PERCENT * apart(trace, reference, sample, sample) / moved : NAN;
}

static void measure_positions(const compare_trace *a, const compare_trace *b, double at,
                              compare_measures *m) {
    const int n = shorter(a, b);
    double farthest = 0, largest = NAN, largest_m = 0;
    int then = 0;
    for (int k = 0; k < n; k++) {
        farthest = fmax(farthest, apart(b, b, k, 0));
        if (b->sample[k].t <= at) then = k;
    }
    for (int k = 1; k < n; k++) {
        const double error = compare_position_error(a, b, k);
        largest_m = fmax(largest_m, apart(a, b, k, k));
        if (!isnan(error) && apart(b, b, k, 0) > MOVED_PART * farthest)
            largest = fmax(isnan(largest) ? 0 : largest, error);
    }
    m->value[COMPARE_POSITION] = n > 0 ? compare_position_error(a, b, then) : NAN;
    m->value[COMPARE_POSITION_LARGEST] = largest;
    m->value[COMPARE_POSITION_M] = n > 0 ? apart(a, b, then, then) : NAN;
    m->value[COMPARE_POSITION_M_LARGEST] = largest_m;
}

static void measure_energies(const compare_trace *a, const compare_trace *b, double at, compare_measures *m) {
    double all = 0, sliding = 0;
    for (int k = 0; k < shorter(a, b); k++) {
        const double difference = fabs(a->sample[k].energy - b->sample[k].energy);
        all = fmax(all, difference);
        if (b->sample[k].t <= at) sliding = all;
    }
    m->value[COMPARE_ENERGY] = all;
    m->value[COMPARE_ENERGY_SLIDING] = sliding;
}

compare_measures compare_measure(const compare_trace *trace, const compare_trace *reference, double at) {
    compare_measures m;
    const double rounded = at * (1 + 1e-12); // a sample at `at` itself belongs to it
    measure_forces(trace, reference, rounded, &m);
    measure_positions(trace, reference, rounded, &m);
    measure_energies(trace, reference, rounded, &m);
    m.value[COMPARE_MISALIGNMENT] = misalignment(trace);
    m.value[COMPARE_STOP] = trace->stop;
    m.value[COMPARE_SECONDS] = trace->ledger.steps > 0 ? trace->seconds / (double)trace->ledger.steps : NAN;
    return m;
}
