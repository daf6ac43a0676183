// Sliding from rest: against all roots of the sliding equations (friction/balance.h) for one freedom, and
// cases known by hand.
#include "near.h"
#include "trust/modes.h"
#include "trust/verdict.h"

#include "random_loops.h"

// A random mechanism with one freedom, no redundant rows, at rest.
static br_balance one_freedom(br_arena *arena, rng *random) {
    const int pads = 1 + rng_below(random, 4), n = 3 + rng_below(random, 5);
    br_balance b = balance_new(arena, n, n - 1 + pads, n - 1, pads);
    for (int k = 0; k < n * b.columns; k++) b.A[k] = rng_uniform(random, -1, 1);
    random_loop l = {.b = b};
    const int directions[4] = {1, 1, 1, 1};
    random_pads(arena, random, &l, &(loop_kind){0, 1, 1, 4}, pads, directions);
    random_masses(random, &l.b);
    for (int i = 0; i < n; i++) l.b.Q[i] = rng_uniform(random, -10, 10);
    for (int i = 0; i < pads; i++) { // more friction than usual: several roots, or none
        l.b.pad[i].mu_kinetic *= 3;
        l.b.pad[i].mu_static *= 3;
    }
    return l.b;
}

// Is there a root with every pad at its limit against +-u that accelerates along +-u?
static int by_roots(const br_balance *b, const br_case *c, br_arena *arena, int kinetic) {
    br_balance_work *work = br_balance_work_create(arena, b->n, b->columns, b->pads);
    br_pad_state state[8];
    double *x = BR_TAKE(arena, double, b->columns), *a = BR_TAKE(arena, double, b->n);
    double slip[8];
    for (int i = 0; i < b->pads; i++) {
        slip[i] = 0;
        for (int k = 0; k < b->n; k++) slip[i] += b->A[k * b->columns + b->pad[i].column] * c->U[k];
    }
    for (int sign = -1; sign <= 1; sign += 2) {
        for (int i = 0; i < b->pads; i++) {
            state[i] = (br_pad_state){.mode = BR_PAD_LIMIT,
                                      .factor = kinetic ? b->pad[i].mu_kinetic : b->pad[i].mu_static};
            state[i].direction[0] = sign * slip[i] > 0 ? 1 : -1;
        }
        br_held held;
        br_balance_roots roots;
        assert_int_equal(br_balance_hold(b, state, work, &held), BR_OK);
        br_balance_roots_find(b, state, &held, work, &roots);
        assert_true(roots.exhaustive);
        for (int k = 0; k < roots.count; k++) {
            br_balance_forces(&held, b->columns, b->n, roots.g + k * held.limits, x, a);
            double along = 0;
            for (int j = 0; j < b->n; j++) along += sign * a[j] * c->U[j];
            if (along > 1e-7) return 1;
            if (along > -1e-7) return -1; // too close to call
        }
    }
    return 0;
}

// The first slide from rest that is found, of any pad.
static void find_onset(const br_case *c, br_arena *arena, int kinetic, br_onset *out, int *exhaustive) {
    br_modes modes;
    *out = (br_onset){.x = BR_TAKE(arena, double, c->b->columns), .moves = BR_TAKE(arena, int, c->b->pads)};
    assert_int_equal(br_modes_make(c, arena, kinetic ? BR_MODES_KINETIC : BR_MODES_STATIC, &modes, NULL),
                     BR_OK);
    for (int i = 0; i < c->rest && !out->consistent; i++) br_modes_move(&modes, i, out, exhaustive);
}

static void one_freedom_slides_exactly_when_a_root_does(void **state) {
    (void)state;
    rng random = {3};
    int yes = 0, no = 0, close = 0;
    for (int trial = 0; trial < 400; trial++) {
        br_arena arena;
        br_arena_init(&arena, NULL);
        const br_balance b = one_freedom(&arena, &random);
        br_case c;
        br_onset onset;
        assert_int_equal(br_case_make(&b, &arena, NULL, &c, NULL), BR_OK);
        assert_int_equal(c.freedom, 1);
        for (int kinetic = 0; kinetic < 2; kinetic++) {
            int exhaustive = 1;
            find_onset(&c, &arena, kinetic, &onset, &exhaustive);
            assert_true(exhaustive);
            const int other = by_roots(&b, &c, &arena, kinetic);
            if (other >= 0) assert_int_equal(onset.consistent, other);
            yes += other == 1, no += other == 0, close += other < 0;
        }
        br_arena_free(&arena);
    }
    assert_true(yes > 50 && no > 50 && close < 20);
}

// Blocks on one incline each, tangent 0.5, side by side: everything is known.
static br_balance blocks(br_arena *arena, int count, const double *mu_static, const double *mu_kinetic) {
    br_balance b = balance_new(arena, 2 * count, 2 * count, 0, count);
    const double s = sqrt(0.2), k = 2 * s; // sine and cosine
    static const char *const names[] = {"a", "b", "c", "d"};
    for (int i = 0; i < count; i++) {
        b.A[(2 * i) * b.columns + 2 * i + 1] = b.A[(2 * i + 1) * b.columns + 2 * i] = 1;
        b.pad[i] = (br_balance_pad){.name = names[i],
                                    .joint = -1,
                                    .directions = 1,
                                    .column = 2 * i + 1,
                                    .normal = 2 * i,
                                    .mu_static = mu_static[i],
                                    .mu_kinetic = mu_kinetic[i]};
        b.Q[2 * i] = 10 * s, b.Q[2 * i + 1] = -10 * k;
        b.x[2 * i] = 10 * k, b.x[2 * i + 1] = -10 * s;
    }
    return b;
}

static br_trust_interval judge(br_arena *arena, const br_balance *b) {
    br_trust_interval t;
    br_error error;
    assert_int_equal(br_trust_judge(b, arena, NULL, &t, &error), BR_OK);
    return t;
}

static void blocks_on_an_incline_stick_by_their_angle(void **state) {
    (void)state;
    static const struct {
        double mu_static, mu_kinetic;
        br_verdict verdict;
    } cases[] = {
        {0.51, 0.505, BR_STICKS_ROBUST}, {0.51, 0.49, BR_STICKS_METASTABLE}, {0.49, 0.48, BR_SLIDES_CERTAIN}};
    for (int k = 0; k < 3; k++)
        for (int count = 1; count <= 4;
             count++) { // the last block is the one in question, the others hold well
            br_arena arena;
            br_arena_init(&arena, NULL);
            double mu_static[4] = {0.9, 0.9, 0.9, 0.9}, mu_kinetic[4] = {0.8, 0.8, 0.8, 0.8};
            mu_static[count - 1] = cases[k].mu_static, mu_kinetic[count - 1] = cases[k].mu_kinetic;
            const br_balance b = blocks(&arena, count, mu_static, mu_kinetic);
            const br_trust_interval t = judge(&arena, &b);
            assert_int_equal(t.verdict, cases[k].verdict);
            assert_true(t.exhaustive);
            assert_int_equal(t.nullity, 0);
            assert_int_equal(t.freedom, count);
            assert_near(t.c_star, 0.5 / cases[k].mu_static, 1e-9);
            if (cases[k].verdict != BR_SLIDES_CERTAIN)
                assert_near(t.force[count - 1].friction_min, -10 * sqrt(0.2), 1e-9);
            br_arena_free(&arena);
        }
}

// One block on a level floor with friction in the plane, pushed askew: one direction of slip, found among
// all.
static void a_block_pushed_askew_slides_where_it_is_pushed(void **state) {
    (void)state;
    br_arena arena;
    br_arena_init(&arena, NULL);
    br_balance b = balance_new(&arena, 3, 3, 0, 1);
    b.A[0 * 3 + 1] = b.A[1 * 3 + 2] = b.A[2 * 3 + 0] = 1;
    b.pad[0] = (br_balance_pad){.name = "foot",
                                .joint = -1,
                                .directions = 2,
                                .column = 1,
                                .normal = 0,
                                .mu_static = 0.6,
                                .mu_kinetic = 0.4};
    b.Q[0] = 3, b.Q[1] = 4, b.Q[2] = -10; // 5 N against 6 and 4
    br_case c;
    br_onset onset;
    int exhaustive = 1;
    assert_int_equal(br_case_make(&b, &arena, NULL, &c, NULL), BR_OK);
    find_onset(&c, &arena, 0, &onset, &exhaustive);
    assert_false(onset.consistent);
    assert_true(exhaustive);
    find_onset(&c, &arena, 1, &onset, &exhaustive);
    assert_true(onset.consistent);
    assert_true(onset.moves[0]);
    assert_near(onset.x[b.pad[0].column], -2.4,
                1e-5); // 4 N against (3, 4) / 5; directions are halved to 1e-8
    assert_near(onset.x[b.pad[0].column + 1], -3.2, 1e-5);
    const br_trust_interval t = judge(&arena, &b);
    assert_int_equal(t.verdict, BR_STICKS_METASTABLE);
    assert_near(t.c_star, 5.0 / 6.0, 1e-9);
    br_arena_free(&arena);
}

// A carriage on two guides that share its side load: what each carries is not known, so once it slides,
// neither is the friction.
static br_balance carriage(br_arena *arena, double push, int sliding) {
    br_balance b = balance_new(arena, 2, 4, 2, 2);
    b.A[1 * 4 + 0] = b.A[1 * 4 + 1] = b.A[0 * 4 + 2] = b.A[0 * 4 + 3] = 1;
    snprintf(b.name[0], sizeof *b.name, "guide_1.force.y"),
        snprintf(b.name[1], sizeof *b.name, "guide_2.force.y");
    snprintf(b.name[2], sizeof *b.name, "guide_1.friction"),
        snprintf(b.name[3], sizeof *b.name, "guide_2.friction");
    for (int i = 0; i < 2; i++) {
        b.pad[i] = (br_balance_pad){.name = i ? "guide_2" : "guide_1",
                                    .joint = i,
                                    .directions = 1,
                                    .column = 2 + i,
                                    .normal = -1,
                                    .norms = 1,
                                    .mu_static = 0.5,
                                    .mu_kinetic = 0.4,
                                    .sliding = sliding};
        norm_of_column(arena, &b, &b.pad[i].norm[0], i);
        b.pad[i].velocity[0] = sliding ? 0.1 : 0;
        b.pad[i].drag[0] = sliding ? b.pad[i].mu_kinetic : 0;
        b.x[i] = 5;
        b.x[2 + i] = sliding ? -2 : -push / 2;
    }
    b.Q[0] = push, b.Q[1] = -10;
    if (sliding) b.a[0] = push - 4;
    return b;
}

static void redundant_guides_leave_the_motion_open(void **state) {
    (void)state;
    br_arena arena;
    br_arena_init(&arena, NULL);
    br_balance b = carriage(&arena, 20, 1);
    br_trust_interval t = judge(&arena, &b);
    assert_int_equal(t.permanent_nullity, 1);
    assert_int_equal(t.verdict, BR_SLIDES_NOT_UNIQUE);
    assert_string_equal(t.settle,
                        "measure or model the compliance of guide_1 and guide_2: it decides how guide_1 and "
                        "guide_2 share the load, and with it the motion");
    // At rest it may: the guides could be wedged against each other by any amount, or not at all.
    b = carriage(&arena, 3, 0);
    t = judge(&arena, &b);
    assert_int_equal(t.verdict, BR_STICKS_ROBUST);
    b = carriage(&arena, 20, 0);
    t = judge(&arena, &b);
    assert_int_equal(t.verdict, BR_UNDETERMINED);
    assert_true(isinf(t.force[0].friction_max));
    br_arena_free(&arena);
}

static void nothing_at_rest_moves(void **state) {
    (void)state;
    br_arena arena;
    br_arena_init(&arena, NULL);
    br_balance b = blocks(&arena, 2, (double[]){0.4, 0.4}, (double[]){0.3, 0.3});
    for (int i = 0; i < 2; i++) {
        b.pad[i].sliding = 1, b.pad[i].velocity[0] = 1, b.pad[i].drag[0] = b.pad[i].mu_kinetic;
        b.x[2 * i + 1] = -0.3 * b.x[2 * i];
        b.a[2 * i] = b.Q[2 * i] + b.x[2 * i + 1];
    }
    br_trust_interval t = judge(&arena, &b);
    assert_int_equal(t.verdict, BR_MOVES);
    assert_true(t.force[0].unique && t.force[1].unique);
    assert_string_equal(t.settle, "nothing to settle");
    b.pads = 0; // and without friction
    t = judge(&arena, &b);
    assert_int_equal(t.verdict, BR_MOVES);
    for (int v = 0; v < BR_VERDICTS; v++) assert_non_null(br_verdict_name((br_verdict)v));
    assert_string_equal(br_verdict_name(BR_SLIDES_NOT_UNIQUE), "slides_not_unique");
    br_arena_free(&arena);
}

// The start of a slide: the simulation's own acceleration is that of sliding, and must not be taken for a
// load to be balanced.
static void the_start_of_a_slide_is_not_rest(void **state) {
    (void)state;
    br_arena arena;
    br_arena_init(&arena, NULL);
    br_balance b = blocks(&arena, 1, (double[]){0.4}, (double[]){0.3});
    b.x[1] = -0.3 * b.x[0];
    b.a[0] = b.Q[0] + b.x[1];
    const br_trust_interval t = judge(&arena, &b);
    assert_int_equal(t.verdict, BR_SLIDES_CERTAIN);
    assert_near(t.c_star, 0.5 / 0.4, 1e-9);
    assert_string_equal(t.settle, "raise mu_static of a from 0.4 to more than 0.5, or lower the load");
    br_arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_freedom_slides_exactly_when_a_root_does),
        cmocka_unit_test(blocks_on_an_incline_stick_by_their_angle),
        cmocka_unit_test(a_block_pushed_askew_slides_where_it_is_pushed),
        cmocka_unit_test(redundant_guides_leave_the_motion_open),
        cmocka_unit_test(nothing_at_rest_moves),
        cmocka_unit_test(the_start_of_a_slide_is_not_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
