// Proofs that there is no solution: closed forms of one sliding pad, two that rest, and proofs that were tampered with.
//
// One pad that slides with N = |a + c f|, f = mu N: for mu c > 1 and a > 0 the line never meets f = mu (a + c f), f >= 0, and there is no
// solution; for mu c < 1 there is f = mu a/(1 - mu c).
#include "refutation_check.h"

#include "friction/share.h"
#include "near.h"
#include "random.h"

typedef struct numbers {
    double l0[4], L[16], r0[4], R[16];
    br_refutation_pad pad[4];
    br_refutation_problem p;
} numbers;

static void one_sliding(numbers *n, double a, double c, double mu) {
    *n = (numbers){.l0 = {a}, .L = {c}, .R = {1.0}};
    n->pad[0] =
        (br_refutation_pad){.n = 1, .slides = 1, .mu_static = mu, .mu_kinetic = mu, .norms = 1, .forms = {1}};
    n->p = (br_refutation_problem){
        .n = 1, .pads = 1, .forms = 1, .l0 = n->l0, .L = n->L, .r0 = n->r0, .R = n->R, .pad = n->pad};
}

static void wedging_has_no_solution_and_that_is_proved(void **state) {
    (void)state;
    for (double c = 0.2; c < 4; c += 0.1) {
        numbers n;
        br_arena arena;
        br_refutation proof;
        int leaves = 0;
        const double mu = 0.7;
        br_arena_init(&arena, NULL);
        one_sliding(&n, 3.0, c, mu);
        assert_true(br_refutation_find(&arena, &n.p, 20000, 30.0, &proof));
        if (mu * c > 1.001) {
            assert_true(proof.proved);
            assert_true(refutation_holds(&proof, &leaves));
            assert_true(leaves > 0);
            proof.nodes--; // a box is missing
            assert_false(refutation_holds(&proof, NULL));
        } else if (mu * c < 0.999) {
            assert_false(proof.proved);
            assert_int_equal(proof.candidates, 1);
            assert_near(proof.candidate[0], mu * 3.0 / (1 - mu * c), 1e-5 * proof.scale[0]);
        }
        br_arena_free(&arena);
    }
}

static void a_wrong_reason_is_seen(void **state) {
    (void)state;
    numbers n;
    br_arena arena;
    br_refutation proof;
    br_arena_init(&arena, NULL);
    one_sliding(&n, 3.0, 2.0, 0.7);
    assert_true(br_refutation_find(&arena, &n.p, 20000, 30.0, &proof));
    assert_true(refutation_holds(&proof, NULL));
    proof.scaled.pad[0].mu_kinetic = 0.3; // a problem that has a solution
    assert_false(refutation_holds(&proof, NULL));
    br_arena_free(&arena);
}

// A block at rest under a load p: r = (p + f)/m, N = w. It sticks or slides: there is always a solution, at any p, and it is left open.
static void what_has_a_solution_is_never_refuted(void **state) {
    (void)state;
    rng r = {3};
    for (int trial = 0; trial < 50; trial++) {
        numbers n = {.l0 = {rng_uniform(&r, 0.5, 2)}, .r0 = {rng_uniform(&r, -2, 2)}, .R = {1.0}};
        br_arena arena;
        br_refutation proof;
        n.pad[0] = (br_refutation_pad){.n = 1, .mu_static = 0.6, .mu_kinetic = 0.4, .norms = 1, .forms = {1}};
        n.p = (br_refutation_problem){
            .n = 1, .pads = 1, .forms = 1, .l0 = n.l0, .L = n.L, .r0 = n.r0, .R = n.R, .pad = n.pad};
        br_arena_init(&arena, NULL);
        assert_true(br_refutation_find(&arena, &n.p, 20000, 30.0, &proof));
        assert_false(proof.proved);
        br_arena_free(&arena);
    }
}

// Two pads that hold one freedom: r = 1 + f_1 + f_2, bounds 0.4 and 0.8. The least of what they could be is 1/1.2 of both.
static void the_share_with_the_most_in_reserve(void **state) {
    (void)state;
    numbers n = {.l0 = {1.0, 2.0}, .r0 = {1.0, 1.0}, .R = {1, 1, 1, 1}};
    double f[2], used;
    for (int i = 0; i < 2; i++)
        n.pad[i] = (br_refutation_pad){
            .first = i, .n = 1, .mu_static = 0.4, .mu_kinetic = 0.4, .norms = 1, .form = {i}, .forms = {1}};
    n.p = (br_refutation_problem){
        .n = 2, .pads = 2, .forms = 2, .l0 = n.l0, .L = n.L, .r0 = n.r0, .R = n.R, .pad = n.pad};
    assert_true(br_share_find(&n.p, f, &used));
    assert_near(used, 1 / 1.2, 1e-6);
    assert_near(f[0], -0.4 / 1.2, 1e-6);
    assert_near(f[1], -0.8 / 1.2, 1e-6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wedging_has_no_solution_and_that_is_proved),
        cmocka_unit_test(a_wrong_reason_is_seen),
        cmocka_unit_test(what_has_a_solution_is_never_refuted),
        cmocka_unit_test(the_share_with_the_most_in_reserve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
