// Proofs without a search never contradict the search, and are found where friction is moderate.
#include "near.h"
#include "trust/modes.h"
#include "trust/proof.h"

#include "random_loops.h"

// A random mechanism of as many freedoms as pads: every force follows from the acceleration.
static br_balance determinate(br_arena *arena, rng *random, double friction, double preload) {
    const int pads = 1 + rng_below(random, 3), n = pads + 1 + rng_below(random, 3);
    br_balance b = balance_new(arena, n, n, n - pads, pads);
    for (int k = 0; k < n * b.columns; k++) b.A[k] = rng_uniform(random, -1, 1);
    random_loop l = {.b = b};
    const int directions[4] = {1, 1, 1, 1};
    random_pads(arena, random, &l, &(loop_kind){0, 1, 1, 4}, pads, directions);
    random_masses(random, &l.b);
    for (int i = 0; i < n; i++) l.b.Q[i] = rng_uniform(random, -10, 10);
    for (int i = 0; i < pads; i++) {
        l.b.pad[i].preload = preload;
        l.b.pad[i].mu_kinetic *= friction;
        l.b.pad[i].mu_static *= friction;
    }
    return l.b;
}

static int search_finds_a_mover(const br_case *c, br_arena *arena, int kinetic) {
    br_modes modes;
    br_onset found = {.x = BR_TAKE(arena, double, c->b->columns), .moves = BR_TAKE(arena, int, c->b->pads)};
    int exhaustive = 1, moves = 0;
    assert_int_equal(br_modes_make(c, arena, kinetic ? BR_MODES_KINETIC : BR_MODES_STATIC, &modes, NULL),
                     BR_OK);
    for (int i = 0; i < c->rest && !moves; i++) moves = br_modes_move(&modes, i, &found, &exhaustive);
    return moves;
}

static int search_finds_several(const br_case *c, br_arena *arena) {
    br_modes modes;
    int exhaustive = 1;
    assert_int_equal(br_modes_make(c, arena, BR_MODES_STATIC, &modes, NULL), BR_OK);
    return br_modes_several(&modes, arena, &exhaustive);
}

static void proofs_agree_with_the_search(void **state) {
    (void)state;
    rng random = {11};
    int rests = 0, one = 0, movers = 0, several = 0;
    for (int trial = 0; trial < 400; trial++) {
        br_arena arena;
        br_arena_init(&arena, NULL);
        const double frictions[] = {0.1, 0.5, 3, 20};
        const br_balance b = determinate(&arena, &random, frictions[trial % 4], trial % 8 < 4 ? 20 : 0);
        br_case c;
        br_error error;
        assert_int_equal(br_case_make(&b, &arena, NULL, &c, &error), BR_OK);
        assert_int_equal(c.family.unknowns, 0);
        for (int kinetic = 0; kinetic < 2; kinetic++) {
            const int proved = br_proof_rests(&c, &arena, kinetic);
            const int moves = search_finds_a_mover(&c, &arena, kinetic);
            if (proved) assert_false(moves);
            rests += proved, movers += moves;
        }
        const int proved = br_proof_one_motion(&c, &arena), found = search_finds_several(&c, &arena);
        if (proved) assert_false(found);
        one += proved, several += found;
        br_arena_free(&arena);
    }
    assert_true(rests > 20); // the question is asked of all three kinds
    assert_true(one > 20);
    assert_true(movers > 20);
    assert_true(several > 0);
}

// A table on a level floor stands without friction; pushed, it needs some, and the proof says nothing.
static void a_table_stands_without_friction_until_it_is_pushed(void **state) {
    (void)state;
    const double at[4][2] = {{0.5, 0.4}, {-0.5, 0.4}, {-0.5, -0.4}, {0.5, -0.4}};
    for (int pushed = 0; pushed < 2; pushed++) {
        br_arena arena;
        br_arena_init(&arena, NULL);
        const double load[6] = {pushed ? 20 : 0, 0, -200, 0, 0, 0};
        const br_balance b = table_on_legs(&arena, 4, at, 0.7, 0.5, 0.4, load);
        br_case c;
        br_error error;
        assert_int_equal(br_case_make(&b, &arena, NULL, &c, &error), BR_OK);
        assert_int_equal(br_proof_rests(&c, &arena, 0), !pushed);
        assert_int_equal(br_proof_rests(&c, &arena, 1), !pushed);
        br_arena_free(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(proofs_agree_with_the_search),
        cmocka_unit_test(a_table_stands_without_friction_until_it_is_pushed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
