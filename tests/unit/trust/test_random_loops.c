// 1,000 random closed loops with planted null spaces: what is unique, the interval of every friction force,
// the smallest factor. The other way to the intervals shares nothing with the library: signs of all norms
// enumerated and every corner tried, or, where norms are of vectors, a fine grid of the one unknown.
#include "near.h"
#include "trust/verdict.h"

#include "corners.h"
#include "random_loops.h"

#define REACH 1e4 // of the box that makes corners of sets without bounds

static void check_uniqueness(const random_loop *l, const br_case *c) {
    const br_balance *b = &l->b;
    for (int k = 0; k < b->columns; k++) {
        double most = 0;
        for (int d = 0; d < l->nullity; d++) most = fmax(most, fabs(l->z[d][k]));
        assert_int_equal(br_case_column_unique(c, k), most == 0);
    }
    for (int i = 0; i < b->pads; i++) {
        double most = 0;
        for (int m = 0; m < b->pad[i].norms; m++)
            for (int j = 0; j < b->pad[i].norm[m].forms; j++)
                for (int d = 0; d < l->nullity; d++) {
                    double v = 0;
                    for (int k = 0; k < b->columns; k++) v += b->pad[i].norm[m].form[j][k] * l->z[d][k];
                    most = fmax(most, fabs(v));
                }
        assert_int_equal(br_case_load_unique(c, i),
                         most < 1e-12); // planted ones cancel to rounding, others are above 1e-3
    }
}

// --- all signs, all corners -----------------------------------------------------------------------------------

static double along(const random_loop *l, const double *form, int d) {
    double v = 0;
    for (int k = 0; k < l->b.columns; k++) v += form[k] * (d < 0 ? l->x[k] : l->z[d][k]);
    return v;
}

// Widens the interval of every friction force (scalar pads) at the factor c over one pattern of signs.
// oppose: 0, or -1 and 1 for friction that may only be negative or positive; NULL: any.
static long try_signs(const random_loop *l, unsigned signs, double factor, double reach, const int *oppose,
                      double *low, double *high) {
    const br_balance *b = &l->b;
    corners rows = {.n = l->nullity};
    double p[8], q[8][CORNER_N] = {{0}};
    int bit = 0;
    for (int i = 0; i < b->pads; i++) {
        const br_balance_pad *pad = &b->pad[i];
        double load[CORNER_N + 1] = {0}; // as a form; the last is constant
        load[CORNER_N] = pad->preload;
        for (int m = 0; m < pad->norms; m++, bit++) {
            const double s = signs >> bit & 1 ? 1 : -1;
            double g[CORNER_N] = {0};
            for (int d = 0; d < l->nullity; d++) {
                const double v = s * along(l, pad->norm[m].form[0], d);
                g[d] = fabs(v) < 1e-12 ? 0 : -v;
                load[d] -= g[d];
            }
            const double constant = s * along(l, pad->norm[m].form[0], -1);
            load[CORNER_N] += constant;
            corners_row(&rows, g, constant);
        }
        p[i] = l->x[pad->column];
        for (int d = 0; d < l->nullity; d++) q[i][d] = l->z[d][pad->column];
        for (int s = -1; s <= 1; s += 2) {
            double g[CORNER_N] = {0};
            for (int d = 0; d < l->nullity; d++) g[d] = s * q[i][d] - factor * pad->mu_static * load[d];
            corners_row(&rows, g, factor * pad->mu_static * load[CORNER_N] - s * p[i]);
            for (int d = 0; d < l->nullity; d++) g[d] = s * q[i][d];
            if (oppose && oppose[i] == -s) corners_row(&rows, g, -s * p[i]);
        }
    }
    corners_box(&rows, reach);
    if (l->nullity > 0) return corners_extremes(&rows, b->pads, p, (const double(*)[CORNER_N])q, low, high);
    if (!corner_allowed(&rows, p, 1e-11)) return 0;
    for (int i = 0; i < b->pads; i++) low[i] = fmin(low[i], p[i]), high[i] = fmax(high[i], p[i]);
    return 1;
}

static long try_opposing(const random_loop *l, double factor, double reach, const int *oppose, double *low,
                         double *high) {
    int bits = 0;
    long found = 0;
    for (int i = 0; i < l->b.pads; i++) bits += l->b.pad[i].norms;
    for (unsigned signs = 0; signs < 1u << bits; signs++)
        found += try_signs(l, signs, factor, reach, oppose, low, high);
    return found;
}

static long try_all_signs(const random_loop *l, double factor, double reach, double *low, double *high) {
    for (int i = 0; i < l->b.pads; i++) low[i] = INFINITY, high[i] = -INFINITY;
    return try_opposing(l, factor, reach, NULL, low, high);
}

// The other way ends at its box; what grows with the box is endless.
static void check_end(double ours, double other, double larger, double sign) {
    if (sign * (larger - other) > REACH)
        assert_true(isinf(ours) && sign * ours > 0);
    else
        assert_near(ours, other, 1e-6 * (1 + fabs(other)));
}

static void check_intervals(const random_loop *l, const br_bounds *ours, int *feasible, int *empty) {
    double low[8], high[8], lower[8], higher[8];
    try_all_signs(l, 1, 1e4 * REACH, lower, higher);
    const long found = try_all_signs(l, 1, 100 * REACH, low, high);
    *feasible += found > 0, *empty += found == 0;
    if (fabs(ours->c_star - 1) > 1e-8) assert_int_equal(ours->c_star<1, found> 0);
    for (int i = 0; i < l->b.pads && found; i++) {
        check_end(ours->low[i * BR_BALANCE_DIRECTIONS], low[i], lower[i], -1);
        check_end(ours->high[i * BR_BALANCE_DIRECTIONS], high[i], higher[i], 1);
    }
    for (int i = 0; i < l->b.pads && !found; i++)
        assert_true(ours->low[i * BR_BALANCE_DIRECTIONS] > ours->high[i * BR_BALANCE_DIRECTIONS]);
    // c_star: a little more holds, a little less does not. Less than 1e-5 is called 0, and is reached far out
    // only.
    if (isinf(ours->c_star)) {
        assert_int_equal(try_all_signs(l, 100, REACH, low, high), 0);
        return;
    }
    assert_true(try_all_signs(l, ours->c_star * (1 + 1e-4) + 3e-5, 1e7 * REACH, low, high) > 0);
    if (ours->c_star > 0) assert_int_equal(try_all_signs(l, ours->c_star * (1 - 1e-6), REACH, low, high), 0);
}

static void signs_only(void **state) {
    (void)state;
    rng random = {7};
    int feasible = 0, empty = 0;
    for (int trial = 0; trial < 700; trial++) {
        br_arena arena;
        br_arena_init(&arena, NULL);
        const int nullity = trial % 4;
        const random_loop l =
            random_loop_make(&arena, &random, (loop_kind){nullity, 1, 1, nullity == 3 ? 3 : 4});
        br_case c;
        br_bounds bounds;
        int exhaustive = 1;
        assert_int_equal(br_case_make(&l.b, &arena, NULL, &c, NULL), BR_OK);
        assert_int_equal(c.family.unknowns, nullity);
        check_uniqueness(&l, &c);
        assert_int_equal(br_feasible_all(&c, &arena, &bounds, &exhaustive, NULL), BR_OK);
        assert_true(exhaustive);
        check_intervals(&l, &bounds, &feasible, &empty);
        br_arena_free(&arena);
    }
    assert_true(feasible > 300 && empty > 30);
}

// --- friction that opposes one motion ---------------------------------------------------------------------------

// Patterns of slip signs, met by trying motions at random.
static int find_patterns(const random_loop *l, const br_case *c, rng *random, int (*pattern)[8]) {
    const br_balance *b = &l->b;
    int count = 0;
    for (int trial = 0; trial < 4000; trial++) {
        double u[16] = {0};
        int signs[8] = {0}, known = 0;
        for (int k = 0; k < c->freedom; k++) {
            const double share = rng_uniform(random, -1, 1);
            for (int j = 0; j < b->n; j++) u[j] += share * c->U[k * b->n + j];
        }
        for (int i = 0; i < b->pads; i++) {
            double slip = 0;
            for (int j = 0; j < b->n; j++) slip += b->A[j * b->columns + b->pad[i].column] * u[j];
            signs[i] = fabs(slip) < 1e-9 ? 0 : slip > 0 ? -1 : 1; // friction is the other way
        }
        for (int k = 0; k < count; k++) known |= !memcmp(pattern[k], signs, sizeof signs);
        if (!known) memcpy(pattern[count++], signs, sizeof signs);
    }
    return count;
}

static void coherent_parts(void **state) {
    (void)state;
    rng random = {10};
    int narrower = 0, several = 0;
    for (int trial = 0; trial < 200; trial++) {
        br_arena arena;
        br_arena_init(&arena, NULL);
        const random_loop l = random_loop_make(&arena, &random, (loop_kind){1 + trial % 2, 1, 1, 3});
        br_case c;
        br_bounds all, ours;
        int exhaustive = 1, pattern[64][8];
        assert_int_equal(br_case_make(&l.b, &arena, NULL, &c, NULL), BR_OK);
        assert_int_equal(br_feasible_all(&c, &arena, &all, &exhaustive, NULL), BR_OK);
        assert_int_equal(br_feasible_coherent(&c, &arena, &all, &ours, &exhaustive, NULL), BR_OK);
        assert_true(exhaustive);
        const int patterns = find_patterns(&l, &c, &random, pattern);
        several += c.freedom > 1;
        double low[8], high[8], lower[8], higher[8];
        long found = 0;
        for (int i = 0; i < l.b.pads; i++) low[i] = lower[i] = INFINITY, high[i] = higher[i] = -INFINITY;
        for (int k = 0; k < patterns; k++) {
            found += try_opposing(&l, 1, 100 * REACH, pattern[k], low, high);
            try_opposing(&l, 1, 1e4 * REACH, pattern[k], lower, higher);
        }
        if (fabs(ours.c_star - 1) > 1e-8) assert_int_equal(ours.c_star<1, found> 0);
        assert_true(ours.c_star >= all.c_star * (1 - 1e-9));
        for (int i = 0; i < l.b.pads && found; i++) {
            check_end(ours.low[i * BR_BALANCE_DIRECTIONS], low[i], lower[i], -1);
            check_end(ours.high[i * BR_BALANCE_DIRECTIONS], high[i], higher[i], 1);
            narrower += ours.high[i * BR_BALANCE_DIRECTIONS] < all.high[i * BR_BALANCE_DIRECTIONS] - 1e-6;
        }
        br_arena_free(&arena);
    }
    assert_true(narrower > 20 && several > 20);
}

// --- one unknown, vectors: a grid -----------------------------------------------------------------------------

static double excess_at(const random_loop *l, double alpha) {
    double x[LOOP_COLUMNS], worst = -INFINITY;
    for (int k = 0; k < l->b.columns; k++) x[k] = l->x[k] + alpha * l->z[0][k];
    for (int i = 0; i < l->b.pads; i++) {
        const br_balance_pad *p = &l->b.pad[i];
        double f = 0;
        for (int k = 0; k < p->directions; k++) f += x[p->column + k] * x[p->column + k];
        worst = fmax(worst, sqrt(f) - p->mu_static * br_balance_load(&l->b, i, x));
    }
    return worst;
}

static void check_grid(const random_loop *l, const br_bounds *ours) {
    const br_balance *b = &l->b;
    for (int k = -4000; k <= 4000; k++) {
        const double alpha = 10 * tan(1.5707 * k / 4000.0); // up to 1e5
        if (excess_at(l, alpha) > -1e-9 * (1 + fabs(alpha))) continue;
        for (int i = 0; i < b->pads; i++)
            for (int d = 0; d < b->pad[i].directions; d++) {
                const int column = b->pad[i].column + d;
                const double f = l->x[column] + alpha * l->z[0][column], slack = 1e-8 * (1 + fabs(f));
                assert_true(f >= ours->low[i * BR_BALANCE_DIRECTIONS + d] - slack);
                assert_true(f <= ours->high[i * BR_BALANCE_DIRECTIONS + d] + slack);
            }
    }
    // Every end is attained: the force tells alpha, and there the limits hold.
    for (int i = 0; i < b->pads; i++)
        for (int d = 0; d < b->pad[i].directions; d++)
            for (int end = 0; end < 2; end++) {
                const int column = b->pad[i].column + d;
                const double f = (end ? ours->high : ours->low)[i * BR_BALANCE_DIRECTIONS + d];
                if (l->z[0][column] == 0) continue;
                if (ours->c_star > 1) continue;
                const double alpha =
                    isinf(f) ? (f > 0 ? 1e8 : -1e8) / l->z[0][column] : (f - l->x[column]) / l->z[0][column];
                assert_true(excess_at(l, alpha) <= 1e-7 * (1 + fabs(alpha)));
            }
}

static void vectors_and_one_unknown(void **state) {
    (void)state;
    rng random = {8};
    int open = 0;
    for (int trial = 0; trial < 200; trial++) {
        br_arena arena;
        br_arena_init(&arena, NULL);
        const random_loop l = random_loop_make(&arena, &random, (loop_kind){1, 3, 2, 3});
        br_case c;
        br_bounds bounds;
        int exhaustive = 1;
        assert_int_equal(br_case_make(&l.b, &arena, NULL, &c, NULL), BR_OK);
        check_uniqueness(&l, &c);
        assert_int_equal(br_feasible_all(&c, &arena, &bounds, &exhaustive, NULL), BR_OK);
        assert_true(exhaustive);
        check_grid(&l, &bounds);
        open += bounds.c_star <= 1;
        br_arena_free(&arena);
    }
    assert_true(open > 100);
}

// --- several unknowns, vectors: samples -----------------------------------------------------------------------

static double excess_of(const random_loop *l, const double *alpha, double *x) {
    double worst = -INFINITY;
    for (int k = 0; k < l->b.columns; k++) {
        x[k] = l->x[k];
        for (int d = 0; d < l->nullity; d++) x[k] += alpha[d] * l->z[d][k];
    }
    for (int i = 0; i < l->b.pads; i++) {
        const br_balance_pad *p = &l->b.pad[i];
        double f = 0;
        for (int k = 0; k < p->directions; k++) f += x[p->column + k] * x[p->column + k];
        worst = fmax(worst, sqrt(f) - p->mu_static * br_balance_load(&l->b, i, x));
    }
    return worst;
}

// A walk that keeps what raises sign x[column] within the limits, with steps from large to small.
static double climb(const random_loop *l, rng *random, int column, double sign, const double *start) {
    double alpha[3], best[3], x[LOOP_COLUMNS], step = 10;
    memcpy(best, start, sizeof best);
    excess_of(l, best, x);
    double value = sign * x[column];
    for (int k = 0; k < 4000; k++) {
        for (int d = 0; d < l->nullity; d++) alpha[d] = best[d] + step * rng_uniform(random, -1, 1);
        const int good = excess_of(l, alpha, x) <= 0 && sign * x[column] > value;
        if (good) memcpy(best, alpha, sizeof best), value = sign * x[column];
        step = good ? step * 1.7 : step * 0.985;
        if (step < 1e-9) step = 3;
        if (value > 1e4) break;
    }
    return sign * value;
}

static void vectors_and_several_unknowns(void **state) {
    (void)state;
    rng random = {9};
    int compared = 0, reached = 0, complete = 0;
    for (int trial = 0; trial < 100; trial++) {
        br_arena arena;
        br_arena_init(&arena, NULL);
        const random_loop l = random_loop_make(&arena, &random, (loop_kind){2 + trial % 2, 2, 2, 2});
        br_case c;
        br_bounds bounds;
        int exhaustive = 1;
        double x[LOOP_COLUMNS];
        assert_int_equal(br_case_make(&l.b, &arena, NULL, &c, NULL), BR_OK);
        check_uniqueness(&l, &c);
        assert_int_equal(br_feasible_all(&c, &arena, &bounds, &exhaustive, NULL), BR_OK);
        complete += exhaustive;
        const double start[3] = {0};
        for (int i = 0; i < l.b.pads && excess_of(&l, start, x) <= 0; i++)
            for (int d = 0; d < l.b.pad[i].directions; d++)
                for (int end = -1; end <= 1; end += 2) {
                    const double other = climb(&l, &random, l.b.pad[i].column + d, end, start);
                    const double ours = (end > 0 ? bounds.high : bounds.low)[i * BR_BALANCE_DIRECTIONS + d];
                    assert_true(end * other <= end * ours + 1e-7 * (1 + fabs(other)));
                    compared++;
                    reached += isinf(ours) ? fabs(other) > 1e3 : fabs(other - ours) < 0.02 * (1 + fabs(ours));
                }
        br_arena_free(&arena);
    }
    print_message("%d of %d ends reached by climbing; %d of 100 searches complete\n", reached, compared,
                  complete);
    // Climbing stops at local ends and in corners; most are the ends.
    assert_true(compared > 200 && reached > 0.7 * compared);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signs_only),
        cmocka_unit_test(coherent_parts),
        cmocka_unit_test(vectors_and_one_unknown),
        cmocka_unit_test(vectors_and_several_unknowns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
