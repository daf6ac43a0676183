// Proofs by cells of motions never contradict the search of all modes, and say most of what it says.
#include "near.h"
#include "trust/cells/cells.h"
#include "trust/modes.h"

#include "balances.h"
#include "random.h"

// Whether the search of all modes finds something that moves; *ended 0: it did not end.
static int search_moves(const br_case *c, br_arena *arena, int kinetic, int *ended) {
    br_modes modes;
    br_onset found = {.x = BR_TAKE(arena, double, c->b->columns), .moves = BR_TAKE(arena, int, c->b->pads)};
    int moves = 0;
    assert_int_equal(br_modes_make(c, arena, kinetic ? BR_MODES_KINETIC : BR_MODES_STATIC, &modes, NULL),
                     BR_OK);
    *ended = 1;
    for (int i = 0; i < c->rest && !moves; i++) moves = br_modes_move(&modes, i, &found, ended);
    // With forces that huge the search takes rounding for a motion: a contact that lifts, and carries.
    for (int k = 0; k < c->b->columns && moves; k++)
        if (fabs(found.x[k]) > 1e5) return *ended = 0;
    return moves;
}

// A body on contacts in space, their normals anywhere (level: all upward), its load within their friction and a push beside it.
static br_balance held_body(br_arena *arena, rng *random, int contacts, int level, double push) {
    br_balance b = balance_new(arena, 6, 3 * contacts, 0, contacts);
    for (int i = 0; i < contacts; i++) {
        double axis[3][3], length = 0;
        for (int k = 0; k < 3; k++) axis[0][k] = level ? k == 2 : rng_uniform(random, -1, 1);
        for (int k = 0; k < 3; k++) length += axis[0][k] * axis[0][k];
        for (int k = 0; k < 3; k++) axis[0][k] /= sqrt(length);
        const int other = fabs(axis[0][0]) < 0.6 ? 0 : 1;
        length = 0;
        for (int k = 0; k < 3; k++)
            axis[1][k] = (k == other) - axis[0][other] * axis[0][k], length += axis[1][k] * axis[1][k];
        for (int k = 0; k < 3; k++) axis[1][k] /= sqrt(length);
        for (int k = 0; k < 3; k++)
            axis[2][k] =
                axis[0][(k + 1) % 3] * axis[1][(k + 2) % 3] - axis[0][(k + 2) % 3] * axis[1][(k + 1) % 3];
        const double p[3] = {rng_uniform(random, -1, 1), rng_uniform(random, -1, 1),
                             level ? -0.5 : rng_uniform(random, -1, 1)};
        br_balance_pad *pad = &b.pad[i];
        pad->directions = 2, pad->normal = 3 * i, pad->column = 3 * i + 1;
        pad->mu_static = rng_uniform(random, 0.2, 0.8),
        pad->mu_kinetic = rng_uniform(random, 0.6, 1) * pad->mu_static;
        const double load = rng_uniform(random, 5, 20),
                     share[3] = {1, rng_uniform(random, -0.4, 0.4), rng_uniform(random, -0.4, 0.4)};
        for (int d = 0; d < 3; d++)
            for (int k = 0; k < 3; k++) {
                const double *f = axis[d];
                const double turn = p[(k + 1) % 3] * f[(k + 2) % 3] - p[(k + 2) % 3] * f[(k + 1) % 3];
                const double part = load * share[d] * (d ? pad->mu_static : 1);
                b.A[k * b.columns + 3 * i + d] = f[k], b.A[(k + 3) * b.columns + 3 * i + d] = turn;
                b.Q[k] -= part * f[k], b.Q[k + 3] -= part * turn;
            }
    }
    for (int k = 0; k < 6; k++)
        b.Q[k] += push * rng_uniform(random, -1, 1), b.M[k * 7] = k < 3 ? 2 : rng_uniform(random, 0.3, 0.6);
    return b;
}

// Loads give power to it, and no contact is entered.
static void motion_is_driven(const br_balance *b, const double *y) {
    double power = 0, size = 0;
    for (int k = 0; k < b->n; k++) power += b->Q[k] * y[k], size += fabs(b->Q[k] * y[k]);
    assert_true(power > 0);
    for (int i = 0; i < b->pads; i++) {
        double lift = 0, terms = 0;
        for (int k = 0; k < b->n; k++) {
            const double term = b->A[k * b->columns + b->pad[i].normal] * y[k];
            lift += term, terms += fabs(term);
        }
        assert_true(lift >= -1e-4 * terms); // of accelerations of 1e-4 and more, rows that hold to 1e-9
    }
    assert_true(size > 0);
}

static void cells_agree_with_the_search(void **state) {
    (void)state;
    rng random = {5};
    int found = 0, proved = 0, rests = 0, movers = 0, missed = 0;
    for (int trial = 0; trial < 80; trial++) {
        br_arena arena;
        br_arena_init(&arena, NULL);
        const br_balance b = held_body(&arena, &random, 3 + trial % 3, trial % 2, 3 * (trial % 7));
        br_case c;
        br_error error;
        assert_int_equal(br_case_make(&b, &arena, NULL, &c, &error), BR_OK);
        for (int kinetic = 0; kinetic < 2; kinetic++) {
            br_cells *w = BR_TAKE(&arena, br_cells, 1);
            int ended;
            double y[6];
            assert_int_equal(br_cells_make(&c, &arena, kinetic, w), BR_OK);
            assert_true(w->made);
            const br_cells_answer answer = br_cells_judge(w, y);
            const int rest = answer == BR_CELLS_REST, moves = search_moves(&c, &arena, kinetic, &ended);
            if (rest && moves) fail_msg("trial %d: proved at rest, and the search moves it", trial);
            if (answer == BR_CELLS_MOVE && !moves && ended)
                fail_msg("trial %d: moved, and the search has nothing", trial);
            found += answer == BR_CELLS_MOVE;
            if (answer == BR_CELLS_MOVE) motion_is_driven(&b, y);
            proved += rest, movers += moves, rests += !moves && ended, missed += !moves && ended && !rest;
        }
        br_arena_free(&arena);
    }
    print_message("%d proved, %d moved; the search: %d rest, %d of them not proved, %d move\n", proved, found,
                  rests, missed, movers);
    assert_true(proved > 40 && movers > 20 && found > 20);
    assert_true(missed <= rests / 20);
}

// Ten contacts and more, which the search does not end with, and the load from which the table slides for certain.
static void tables_on_many_legs_rest_until_they_cannot(void **state) {
    (void)state;
    for (int legs = 6; legs <= 20; legs += 7)
        for (int step = 1; step <= 4; step++) {
            br_arena arena;
            br_arena_init(&arena, NULL);
            double at[20][2];
            for (int k = 0; k < legs; k++)
                at[k][0] = 0.7 * cos(2 * BR_PI * k / legs) + 0.01 * (k % 3),
                at[k][1] = 0.5 * sin(2 * BR_PI * k / legs);
            const double load[6] = {30.0 * step, 0, -200, 0, 0, 0};
            const br_balance b = table_on_legs(&arena, legs, (const double(*)[2])at, 0.2, 0.5, 0.4, load);
            br_case c;
            br_error error;
            br_cells *w = BR_TAKE(&arena, br_cells, 1);
            assert_int_equal(br_case_make(&b, &arena, NULL, &c, &error), BR_OK);
            assert_int_equal(br_cells_make(&c, &arena, 0, w), BR_OK);
            assert_true(w->made);
            double y[6];
            const br_cells_answer answer = br_cells_judge(w, y);
            if (step == 1) assert_int_equal(answer, BR_CELLS_REST); // 30 N of 100 N
            if (step == 4) assert_int_equal(answer, BR_CELLS_MOVE); // 120 N
            br_arena_free(&arena);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_agree_with_the_search),
        cmocka_unit_test(tables_on_many_legs_rest_until_they_cannot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
