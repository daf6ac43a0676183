// Towers of boxes on the ground, four contacts a face: hyperstatic, W of rank 6 a box, twelve rows a box.
#include "lcp/pivot/polygon_lcp.h"
#include "lcp/pivot/rows_choose.h"
#include "row_problems.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#define MAX_BOXES 7
#define MAX_CONTACTS (4 * MAX_BOXES)
#define MAX_ROWS (3 * MAX_CONTACTS)
#define PI 3.14159265358979323846

typedef struct tower {
    int boxes, laws, rows;
    br_law law[MAX_CONTACTS + 8];
    double J[MAX_ROWS + 8][6 * MAX_BOXES]; // already times M^-1/2
    double W[(MAX_ROWS + 8) * (MAX_ROWS + 8)], q[MAX_ROWS + 8], v[6 * MAX_BOXES];
} tower;

static void cross(const double *a, const double *b, double *c) {
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static void add_row(tower *t, int body, const double *point, const double *axis, double sign,
                    double inverse_root_mass) {
    double moment[3];
    cross(point, axis, moment);
    for (int k = 0; k < 3 && body >= 0; k++) {
        t->J[t->rows][6 * body + k] += sign * axis[k] * inverse_root_mass;
        t->J[t->rows][6 * body + 3 + k] +=
            sign * moment[k] * inverse_root_mass * 2.4; // a box of edge 1: I = m / 6
    }
}

static void add_contacts(tower *t, br_law_kind kind, int sides, double mu, double mass_ratio) {
    static const double axes[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    for (int box = 0; box < t->boxes; box++) {
        for (int k = 0; k < 4; k++) {
            const double x = k & 1 ? 0.5 : -0.5, y = k & 2 ? 0.5 : -0.5;
            const double above[3] = {x, y, -0.5}, below[3] = {x, y, 0.5};
            t->law[t->laws++] = (br_law){
                .kind = kind, .first_row = t->rows, .rows = 3, .friction_coefficient = mu, .sides = sides};
            for (int a = 0; a < 3; a++) {
                add_row(t, box, above, axes[a], 1, box == t->boxes - 1 ? 1 / sqrt(mass_ratio) : 1);
                add_row(t, box - 1, below, axes[a], -1, 1);
                t->rows++;
            }
        }
    }
}

// W = J J^T, q = J v with v falling, pushed sideways and turning.
static void close_problem(tower *t, uint64_t *state) {
    for (int i = 0; i < 6 * t->boxes; i++) t->v[i] = between(state, -0.02, 0.02) - (i % 6 == 2 ? 0.01 : 0);
    for (int i = 0; i < t->rows; i++) {
        t->q[i] = 0;
        for (int k = 0; k < 6 * t->boxes; k++) t->q[i] += t->J[i][k] * t->v[k];
        for (int j = 0; j < t->rows; j++) {
            double sum = 0;
            for (int k = 0; k < 6 * t->boxes; k++) sum += t->J[i][k] * t->J[j][k];
            t->W[i * t->rows + j] = sum;
        }
    }
}

static void start_tower(tower *t, int boxes) {
    memset(t, 0, sizeof *t);
    t->boxes = boxes;
}

// ---------------------------------------------------------------------------------------------- the laws, judged apart

static void check_normal(double p, double w, double tol) {
    assert_true(p >= -tol && w >= -tol && fmin(p, w) <= tol);
}

// Within the polygon, and as much against the sliding velocity as any of its points.
static void check_polygon(double radius, int sides, const double *p, const double *w, double tol) {
    double least = 0;
    for (int k = 0; k < sides; k++) {
        const double corner = 2 * PI * k / sides, middle = corner + PI / sides;
        assert_true(p[0] * cos(middle) + p[1] * sin(middle) <= radius * cos(PI / sides) + tol);
        least = fmin(least, radius * (w[0] * cos(corner) + w[1] * sin(corner)));
    }
    assert_true(fabs(p[0] * w[0] + p[1] * w[1] - least) <= tol);
}

static void check_box(double bound, double p, double w, double tol) {
    assert_true(fabs(p) <= bound + tol);
    assert_true(fabs(p * w + bound * fabs(w)) <= tol);
}

static void check_answer(const tower *t, const double *p, double tol) {
    double w[MAX_ROWS + 8];
    for (int i = 0; i < t->rows; i++) {
        w[i] = t->q[i];
        for (int j = 0; j < t->rows; j++) w[i] += t->W[i * t->rows + j] * p[j];
    }
    for (int k = 0; k < t->laws; k++) {
        const br_law *law = &t->law[k];
        const int n = law->first_row;
        const double bound = law->friction_coefficient * p[n];
        if (law->kind == BR_LAW_EQUALITY) {
            for (int r = 0; r < law->rows; r++) assert_true(fabs(w[n + r]) <= tol);
            continue;
        }
        if (law->kind == BR_LAW_BOX) {
            for (int r = 0; r < law->rows; r++) {
                const double y = fmin(fmax(p[n + r] - w[n + r], law->lower), law->upper);
                assert_true(fabs(p[n + r] - y) <= tol);
            }
            continue;
        }
        check_normal(p[n], w[n], tol);
        if (law->kind == BR_LAW_UNILATERAL) continue;
        if (law->kind == BR_LAW_POLYGON && law->rows == 3)
            check_polygon(bound, law->sides, p + n + 1, w + n + 1, tol);
        else
            for (int r = 1; r < law->rows; r++) check_box(bound, p[n + r], w[n + r], tol);
    }
}

typedef struct bench {
    br_arena arena;
    br_polygon_lcp lcp;
    br_rows_solver *solver;
    double *z, *w, *p;
} bench;

static void start_bench(bench *b, const tower *t) {
    int n, free_rows;
    br_arena_init(&b->arena, NULL);
    assert_true(br_polygon_lcp_size(t->law, t->laws, &n, &free_rows));
    assert_true(br_polygon_lcp_create(&b->lcp, &b->arena, n));
    b->solver = br_rows_solver_create(&b->arena, n, free_rows);
    b->z = BR_TAKE(&b->arena, double, n);
    b->w = BR_TAKE(&b->arena, double, n);
    b->p = BR_TAKE(&b->arena, double, t->rows);
    assert_non_null(b->solver);
}

static br_rows_report solve(bench *b, const tower *t, br_solver_kind method, double shift, int warm) {
    br_rows_options options = br_default_rows_options();
    br_rows_report report;
    options.method = method;
    options.tol = 1e-10;
    options.lemke_shift = shift;
    br_polygon_lcp_build(&b->lcp, t->law, t->laws, t->W, t->q);
    br_rows_solve(b->solver, &b->lcp.rows, &options, warm, b->z, b->w, &report);
    br_polygon_lcp_restore(&b->lcp, b->z, t->rows, b->p);
    return report;
}

static void solve_towers(br_law_kind kind, int sides, double shift, int boxes, int count) {
    tower *t = malloc(sizeof *t);
    uint64_t state = 5 + (uint64_t)sides + (uint64_t)kind;
    int pivots = 0, most = 0;
    for (int k = 0; k < count; k++) {
        bench b;
        start_tower(t, 1 + k % boxes);
        add_contacts(t, kind, sides, k % 3 == 0 ? 0.1 : k % 3 == 1 ? 0.5 : 1, k % 4 == 3 ? 100 : 1);
        close_problem(t, &state);
        start_bench(&b, t);
        const br_rows_report report = solve(&b, t, BR_SOLVER_LEMKE, shift, 0);
        if (report.outcome != BR_CONVERGED)
            print_message("%d boxes: outcome %d, %s\n", t->boxes, report.outcome, report.path);
        assert_int_equal(report.outcome, BR_CONVERGED);
        check_answer(t, b.p, 1e-9);
        pivots += report.iterations;
        most = report.iterations > most ? report.iterations : most;
        br_arena_free(&b.arena);
    }
    print_message("kind %d, %d sides, shift %g: %d towers, %d pivots, at most %d\n", (int)kind, sides, shift,
                  count, pivots, most);
    free(t);
}

static void towers_with_friction_polygons_are_solved_by_lemke(void **unused) {
    (void)unused;
    solve_towers(BR_LAW_POLYGON, 4, 0, 5, 20);
    solve_towers(BR_LAW_POLYGON, 8, 0, MAX_BOXES, 14);
}

static void dart_shift_is_refined_away(void **unused) {
    (void)unused;
    solve_towers(BR_LAW_POLYGON, 4, 1e-4, 5, 10);
}

static void towers_with_implicit_boxes_are_solved_by_lemke(void **unused) {
    (void)unused;
    solve_towers(BR_LAW_BOX_FRICTION, 0, 0, 5, 20);
}

static void one_contact_takes_the_corner_against_sliding(void **unused) {
    (void)unused;
    // Unit mass point, w = p + q: falls at 1, slides along (1, 1) at 2; corners along the diagonals of an octagon.
    tower t = {.laws = 1, .rows = 3, .q = {-1, 2, 2}};
    t.law[0] = (br_law){.kind = BR_LAW_POLYGON, .rows = 3, .friction_coefficient = 0.5, .sides = 8};
    for (int i = 0; i < 3; i++) t.W[i * 3 + i] = 1;
    bench b;
    start_bench(&b, &t);
    assert_int_equal(solve(&b, &t, BR_SOLVER_LEMKE, 0, 0).outcome, BR_CONVERGED);
    assert_true(fabs(b.p[0] - 1) < 1e-14);
    assert_true(fabs(b.p[1] + sqrt(0.125)) < 1e-14 && fabs(b.p[2] + sqrt(0.125)) < 1e-14);
    // Sliding along t1 the corner is exactly on the axis: nothing sideways.
    t.q[2] = 0;
    assert_int_equal(solve(&b, &t, BR_SOLVER_LEMKE, 0, 0).outcome, BR_CONVERGED);
    assert_true(b.p[1] == -0.5 && b.p[2] == 0);
    br_arena_free(&b.arena);
}

static void other_laws_mix_with_contacts(void **unused) {
    (void)unused;
    tower *t = malloc(sizeof *t);
    uint64_t state = 77;
    for (int k = 0; k < 20; k++) {
        bench b;
        start_tower(t, 2);
        add_contacts(t, k % 2 ? BR_LAW_POLYGON : BR_LAW_BOX_FRICTION, 6, k % 5 == 0 ? 0 : 0.4, 1);
        const br_law_kind kinds[] = {BR_LAW_EQUALITY, BR_LAW_BOX, BR_LAW_UNILATERAL};
        for (int e = 0; e < 3; e++) {
            t->law[t->laws++] =
                (br_law){.kind = kinds[e], .first_row = t->rows, .rows = 2, .lower = -0.01, .upper = 0.02};
            for (int r = 0; r < 2; r++, t->rows++) {
                for (int i = 0; i < 6 * t->boxes; i++) t->J[t->rows][i] = between(&state, -1, 1);
            }
        }
        close_problem(t, &state);
        start_bench(&b, t);
        const br_rows_report report = solve(&b, t, BR_SOLVER_AUTO, 0, 0);
        if (report.outcome != BR_CONVERGED)
            print_message("%d: outcome %d, %s\n", k, report.outcome, report.path);
        assert_int_equal(report.outcome, BR_CONVERGED);
        check_answer(t, b.p, 1e-9);
        br_arena_free(&b.arena);
    }
    free(t);
}

static void a_warm_start_from_the_answer_is_the_answer(void **unused) {
    (void)unused;
    tower *t = malloc(sizeof *t);
    uint64_t state = 3;
    bench b;
    double w[MAX_ROWS];
    start_tower(t, 1);
    add_contacts(t, BR_LAW_POLYGON, 8, 0.5, 1);
    close_problem(t, &state);
    start_bench(&b, t);
    assert_int_equal(solve(&b, t, BR_SOLVER_LEMKE, 0, 0).outcome, BR_CONVERGED);
    for (int i = 0; i < t->rows; i++) {
        w[i] = t->q[i];
        for (int j = 0; j < t->rows; j++) w[i] += t->W[i * t->rows + j] * b.p[j];
    }
    br_polygon_lcp_guess(&b.lcp, t->law, t->laws, b.p, w, b.z);
    assert_true(br_rows_residual(&b.lcp.rows, b.z, b.w) < 1e-12);
    assert_int_equal(solve(&b, t, BR_SOLVER_AUTO, 0, 1).outcome, BR_CONVERGED);
    br_arena_free(&b.arena);
    free(t);
}

static void a_round_cone_has_no_flat_form(void **unused) {
    (void)unused;
    int n, free_rows;
    br_law law = {.kind = BR_LAW_CONE, .rows = 3, .friction_coefficient = 1};
    assert_int_equal(br_polygon_lcp_size(&law, 1, &n, &free_rows), 0);
    law.rows = 2; // in the plane the cone is flat
    assert_int_equal(br_polygon_lcp_size(&law, 1, &n, &free_rows), 1);
    assert_int_equal(n, 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_contact_takes_the_corner_against_sliding),
        cmocka_unit_test(towers_with_friction_polygons_are_solved_by_lemke),
        cmocka_unit_test(towers_with_implicit_boxes_are_solved_by_lemke),
        cmocka_unit_test(dart_shift_is_refined_away),
        cmocka_unit_test(other_laws_mix_with_contacts),
        cmocka_unit_test(a_warm_start_from_the_answer_is_the_answer),
        cmocka_unit_test(a_round_cone_has_no_flat_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
