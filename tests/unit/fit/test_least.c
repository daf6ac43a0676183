// Least squares within the unit box: smooth valleys, bounds, kinks, plains.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit/least.h"
#include "near.h"

typedef void (*least_case)(const double *u, double *r);

static long least_calls;

static void evaluate_case(void *context, int count, const double *u, double *r, double *cost) {
    const least_case one = *(least_case *)context;
    for (int k = 0; k < count; k++) {
        double value[3];
        one(u + 2 * k, value);
        cost[k] = value[0] * value[0] + value[1] * value[1] + value[2] * value[2];
        if (r) memcpy(r + 3 * k, value, sizeof value);
        least_calls++;
    }
}

static least_end solve_case(least_case one, double *u, double *cost) {
    br_arena arena;
    br_arena_init(&arena, NULL);
    least s = {.p = 2, .m = 3, .evaluate = evaluate_case, .context = &one, .difference = 1e-6, .rounds = 200};
    assert_true(br_least_room(&s, &arena));
    const least_end end = br_least_solve(&s, u, cost);
    br_arena_free(&arena);
    return end;
}

// Rosenbrock's valley moved into the box: the least is at (0.6, 0.6).
static void valley(const double *u, double *r) {
    const double x = 5 * (u[0] - 0.4), y = 5 * (u[1] - 0.4);
    r[0] = 10 * (y - x * x), r[1] = 1 - x, r[2] = 0;
}

static void a_bent_valley_is_followed_to_its_end(void **state) {
    (void)state;
    static const double starts[][2] = {{0.1, 0.9}, {0.9, 0.1}, {0.16, 0.6}, {0.5, 0.5}};
    for (int k = 0; k < 4; k++) {
        double u[2] = {starts[k][0], starts[k][1]}, cost = 0;
        assert_int_equal(solve_case(valley, u, &cost), LEAST_CONVERGED);
        assert_near(u[0], 0.6, 1e-9); // differences and doubles
        assert_near(u[1], 0.6, 1e-9);
    }
}

// The least without bounds is outside, at (1.3, 0.2).
static void beyond(const double *u, double *r) {
    r[0] = u[0] - 1.3, r[1] = 2 * (u[1] - 0.2) + 0.5 * (u[0] - 1.3), r[2] = 0;
}

static void a_bound_that_is_in_the_way_is_kept_and_the_rest_follows(void **state) {
    (void)state;
    double u[2] = {0.2, 0.9}, cost = 0;
    assert_int_equal(solve_case(beyond, u, &cost), LEAST_CONVERGED);
    assert_near(u[0], 1, 0);
    // d/dv of (2 (v - 0.2) - 0.15)^2 at u = 1
    assert_near(u[1], 0.275, 1e-7);
}

static void corner(const double *u, double *r) {
    r[0] = sqrt(fabs(u[0] - 0.3)), r[1] = sqrt(fabs(u[1] - 0.7)), r[2] = 0.1;
}

static void a_corner_without_slope_is_found_by_looking(void **state) {
    (void)state;
    double u[2] = {0.8, 0.1}, cost = 0;
    solve_case(corner, u, &cost);
    assert_near(u[0], 0.3, 1e-4); // the search ends at 1e-5 of the box
    assert_near(u[1], 0.7, 1e-4);
}

static void plain(const double *u, double *r) {
    (void)u;
    r[0] = 1, r[1] = 2, r[2] = 3;
}

static void a_plain_ends_where_it_began(void **state) {
    (void)state;
    double u[2] = {0.25, 0.75}, cost = 0;
    least_calls = 0;
    assert_int_equal(solve_case(plain, u, &cost), LEAST_CONVERGED);
    assert_near(u[0], 0.25, 0);
    assert_near(u[1], 0.75, 0);
    assert_true(least_calls < 20);
}

static void holes(const double *u, double *r) {
    r[0] = u[0] < 0.2 ? INFINITY : u[0] - 0.5, r[1] = u[1] - 0.5, r[2] = 0;
}

static void places_without_an_answer_are_stepped_over(void **state) {
    (void)state;
    double u[2] = {0.25, 0.9}, cost = 0;
    assert_int_equal(solve_case(holes, u, &cost), LEAST_CONVERGED);
    assert_near(u[0], 0.5, 1e-9);
    double v[2] = {0.1, 0.1};
    assert_int_equal(solve_case(holes, v, &cost), LEAST_NOWHERE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bent_valley_is_followed_to_its_end),
        cmocka_unit_test(a_bound_that_is_in_the_way_is_kept_and_the_rest_follows),
        cmocka_unit_test(a_corner_without_slope_is_found_by_looking),
        cmocka_unit_test(a_plain_ends_where_it_began),
        cmocka_unit_test(places_without_an_answer_are_stepped_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
