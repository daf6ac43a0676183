// br_problem_check: every rule broken once, and the message that names the law, row or entry.
#include "near.h"
#include "problem_builder.h"

#include <limits.h>
#include <stdio.h>

// Laws 0..3: a cone (rows 0..2), a polygon (3..5), a box (6), joint friction (7..9). Nodes 0..2, the last one coupled
// to the one before it.
typedef struct fixture {
    builder *b;
    br_problem velocity, matrix;
    br_joint_bound bound[2];
} fixture;

static int start(void **state) {
    fixture *f = calloc(1, sizeof *f);
    const double v[6] = {1, 0, -1, 0, 0, 0}, M[4] = {2, 0, 0, 2}, coupling[4] = {0.1, 0, 0, 0.1};
    const double box[2] = {1, 0}, joint[6] = {1, 0, 0, 1, 1, 1};
    f->b = builder_new();
    const br_joint_bound bound[2] = {{.preload = 0.1, .terms = 1, .coefficient = {0.2}, .rows = {1}},
                                     {.preload = 0.2, .terms = 2, .coefficient = {0.2, 0.3}, .rows = {1, 1}}};
    memcpy(f->bound, bound, sizeof bound);
    const br_law friction = {.kind = BR_LAW_JOINT_FRICTION, .rows = 3, .normal_rows = 1, .bounds = f->bound};
    const int body = builder_body(f->b, 1, 1, v);
    const int one = builder_coupled_node(f->b, 2, M, -1, NULL),
              two = builder_coupled_node(f->b, 2, M, one, coupling);
    builder_contact(f->b, builder_cone(0.5), body, br_vec3_of(0, 0, -1));
    builder_contact(f->b, builder_polygon(0.5, 8), body, br_vec3_of(1, 0, -1));
    builder_law(f->b, builder_bounds(1, -1, 1));
    builder_entry(f->b, one, box);
    builder_entry(f->b, two, box);
    builder_law(f->b, friction);
    builder_entry(f->b, two, joint);
    builder_compliance(f->b, 1, 0.5);
    f->velocity = builder_problem(f->b);
    f->matrix = builder_matrix(f->b);
    *state = f;
    return 0;
}

static int stop(void **state) {
    fixture *f = *state;
    builder_free(f->b);
    free(f);
    return 0;
}

static void check(const br_problem *problem, br_status status, const char *code, const char *first,
                  const char *second, const char *file, int line) {
    br_error error = {0};
    const br_status found = br_problem_check(problem, &error);
    if (found != status || !error.code || strcmp(error.code, code) != 0 || !strstr(error.message, first) ||
        !strstr(error.message, second)) {
        print_error("%s:%d: status %d, code %s, \"%s\"; expected %s naming \"%s\" and \"%s\"\n", file, line,
                    (int)found, error.code ? error.code : "none", error.message, code, first, second);
        _fail(file, line);
    }
    assert_int_equal(error.status, status);
    assert_int_equal(br_problem_check(problem, NULL), status); // an error is not asked for by everyone
}
#define assert_refused(problem, code, first, second)                                                         \
    check((problem), BR_INVALID, (code), (first), (second), __FILE__, __LINE__)

// Changes one thing, checks, and puts it back.
#define with(lvalue, value, problem, code, first, second)                                                    \
    do {                                                                                                     \
        unsigned char kept[sizeof(lvalue)];                                                                  \
        memcpy(kept, &(lvalue), sizeof kept);                                                                \
        (lvalue) = (value);                                                                                  \
        assert_refused((problem), (code), (first), (second));                                                \
        memcpy(&(lvalue), kept, sizeof kept);                                                                \
        assert_int_equal(br_problem_check((problem), NULL), BR_OK);                                          \
    } while (0)

static void sound_problems_pass(void **state) {
    fixture *f = *state;
    br_error error = {0};
    assert_int_equal(br_problem_check(&f->velocity, &error), BR_OK);
    assert_int_equal(br_problem_check(&f->matrix, &error), BR_OK);
    assert_null(error.code); // untouched
    f->b->law[2].lower = -INFINITY;
    f->b->law[2].upper = INFINITY;
    assert_int_equal(br_problem_check(&f->velocity, &error), BR_OK);
    f->b->law[2].lower = f->b->law[2].upper = 0; // a fixed row
    assert_int_equal(br_problem_check(&f->velocity, &error), BR_OK);
    f->b->law[0].friction_coefficient = 0;
    f->velocity.compliance = NULL;
    assert_int_equal(br_problem_check(&f->velocity, &error), BR_OK);
}

static void sizes_must_agree(void **state) {
    fixture *f = *state;
    br_problem *p = &f->velocity;
    with(p->rows, -1, p, "problem-size", "-1 rows", "4 laws");
    with(p->laws, -1, p, "problem-size", "10 rows", "-1 laws");
    with(p->rows, 3, p, "problem-size", "3 rows", "4 laws"); // fewer rows than laws
    with(p->rows, INT_MAX, p, "problem-size", "2147483647 rows", "expected");
    with(p->rows, 11, p, "law-order", "10 rows", "11");
    with(p->rows, 9, p, "law-order", "10 rows", "9");
    with(p->law, NULL, p, "problem-missing", "laws", "offset");
    with(p->offset, NULL, p, "problem-missing", "laws", "offset");
    with(p->form, (br_form)7, p, "problem-form", "7", "matrix");
}

static void laws_must_be_laws(void **state) {
    fixture *f = *state;
    br_problem *p = &f->velocity;
    br_law *law = f->b->law;
    with(law[1].kind, BR_LAW_KINDS, p, "law-kind", "law 1", "7");
    with(law[1].kind, (br_law_kind)-1, p, "law-kind", "law 1", "-1");
    with(law[2].rows, 0, p, "law-rows", "law 2", "0 rows");
    with(law[2].rows, 7, p, "law-rows", "law 2", "1 to 6");
    with(law[2].rows, -3, p, "law-rows", "law 2", "-3");
    with(law[0].rows, 1, p, "law-rows", "law 0", "1 rows");
    with(law[1].rows, 4, p, "law-rows", "law 1", "4 rows");
    with(law[2].first_row, 5, p, "law-order", "law 2", "row 5, expected 6");
    with(law[0].first_row, 1, p, "law-order", "law 0", "row 1, expected 0");
    with(law[0].friction_coefficient, -0.25, p, "law-mu", "law 0", "-0.25");
    with(law[1].friction_coefficient, NAN, p, "law-mu", "law 1", "nan");
    with(law[1].friction_coefficient, INFINITY, p, "law-mu", "law 1", "inf");
    with(law[1].sides, 2, p, "law-sides", "law 1", "2 sides");
    with(law[1].sides, 7, p, "law-sides", "law 1", "even");
    with(law[1].sides, BR_MAX_POLYGON_SIDES + 2, p, "law-sides", "law 1", "4 to 64");
    with(law[2].lower, 2, p, "law-bounds", "law 2", "lower bound 2 above upper bound 1");
    with(law[2].lower, NAN, p, "law-bounds", "law 2", "nan");
    with(law[2].upper, NAN, p, "law-bounds", "law 2", "nan");
    with(law[2].upper, -INFINITY, p, "law-bounds", "law 2", "-inf");
    law[2].upper = INFINITY;
    with(law[2].lower, INFINITY, p, "law-bounds", "law 2", "inf");
}

static void joint_bounds_must_be_bounds(void **state) {
    fixture *f = *state;
    br_problem *p = &f->velocity;
    br_law *law = &f->b->law[3];
    br_joint_bound *bound = f->bound;
    with(law->normal_rows, 0, p, "law-joint", "law 3", "0 normal rows");
    with(law->normal_rows, 3, p, "law-joint", "law 3", "3 normal rows");
    with(law->bounds, NULL, p, "law-joint", "law 3", "bound");
    with(bound[0].preload, -1, p, "law-joint", "law 3, friction row 0", "-1");
    with(bound[1].preload, NAN, p, "law-joint", "law 3, friction row 1", "nan");
    with(bound[1].preload, INFINITY, p, "law-joint", "law 3, friction row 1", "inf");
    with(bound[1].terms, BR_MAX_BOUND_TERMS + 1, p, "law-joint", "law 3, friction row 1", "4 terms");
    with(bound[1].terms, -1, p, "law-joint", "law 3, friction row 1", "-1 terms");
    with(bound[1].coefficient[1], -0.5, p, "law-joint", "friction row 1, term 1", "-0.5");
    with(bound[1].coefficient[0], NAN, p, "law-joint", "friction row 1, term 0", "nan");
    with(bound[0].rows[0], 2u, p, "law-joint", "friction row 0, term 0",
         "0x2"); // not one of the equality rows
    with(bound[0].rows[0], 0x80000000u, p, "law-joint", "friction row 0, term 0", "0x80000000");
}

static void numbers_must_be_finite(void **state) {
    fixture *f = *state;
    builder *b = f->b;
    br_problem *p = &f->velocity, *m = &f->matrix;
    with(b->offset[9], NAN, p, "problem-not-finite", "offset entry 9", "nan");
    with(b->compliance[4], INFINITY, p, "problem-not-finite", "compliance entry 4", "inf");
    with(b->compliance[4], -1e-3, p, "problem-compliance", "row 4", "-0.001");
    with(b->mass[35], -INFINITY, p, "problem-not-finite", "mass entry 35", "-inf");
    with(b->momentum[7], NAN, p, "problem-not-finite", "momentum entry 7", "nan");
    with(b->jacobian[b->jacobian_size - 1], NAN, p, "problem-not-finite", "jacobian entry 45", "nan");
    with(b->q[0], INFINITY, m, "problem-not-finite", "offset entry 0", "inf");
    with(b->value[3], NAN, m, "problem-not-finite", "matrix entry 3", "nan");
}

static void masses_must_be_lower_triangles(void **state) {
    fixture *f = *state;
    builder *b = f->b;
    br_problem *p = &f->velocity;
    with(b->node_dim[1], 0, p, "problem-node", "node 1", "0 velocities");
    with(b->node_dim[2], -4, p, "problem-node", "node 2", "-4");
    with(b->mass_start[0], 1, p, "problem-index", "mass_start", "1");
    with(b->mass_start[1], 3, p, "problem-index", "mass_start", "3 to 2");
    with(b->mass_node[1], 0, p, "problem-mass", "node 1", "diagonal");
    with(b->mass_node[2], 2, p, "problem-index", "mass block 3", "row 2"); // twice the same
    with(b->mass_node[2], -1, p, "problem-index", "mass block 2", "column -1");
    with(b->mass_node[2], 5, p, "problem-index", "mass block 2", "column 5");
    with(p->velocity.nodes, -1, p, "problem-node", "-1 nodes", "4 laws");
    with(p->velocity.nodes, 0, p, "problem-node", "0 nodes", "4 laws");
}

static void jacobians_must_touch_nodes(void **state) {
    fixture *f = *state;
    builder *b = f->b;
    br_problem *p = &f->velocity;
    with(b->jacobian_start[0], -1, p, "problem-index", "jacobian_start", "-1");
    with(b->jacobian_start[2], 0, p, "problem-index", "jacobian_start", "1 to 0");
    with(b->jacobian_node[0], 3, p, "problem-index", "law 0", "node 3, expected 0 to 2");
    with(b->jacobian_node[4], -1, p, "problem-index", "law 3", "node -1");
    with(b->jacobian_node[3], 1, p, "problem-index", "law 2", "node 1 twice");
}

static void arrays_must_be_there(void **state) {
    fixture *f = *state;
    br_problem *p = &f->velocity, *m = &f->matrix;
    br_velocity_form *v = &p->velocity;
    with(v->node_dim, NULL, p, "problem-missing", "velocity form", "left out");
    with(v->mass_start, NULL, p, "problem-missing", "velocity form", "left out");
    with(v->mass_node, NULL, p, "problem-missing", "velocity form", "left out");
    with(v->mass, NULL, p, "problem-missing", "velocity form", "left out");
    with(v->momentum, NULL, p, "problem-missing", "velocity form", "left out");
    with(v->jacobian_start, NULL, p, "problem-missing", "velocity form", "left out");
    with(v->jacobian_node, NULL, p, "problem-missing", "velocity form", "left out");
    with(v->jacobian, NULL, p, "problem-missing", "velocity form", "left out");
    with(m->matrix.row_start, NULL, m, "problem-missing", "matrix form", "left out");
    with(m->matrix.column, NULL, m, "problem-missing", "matrix form", "left out");
    with(m->matrix.value, NULL, m, "problem-missing", "matrix form", "left out");
}

static void matrices_must_have_rising_columns(void **state) {
    fixture *f = *state;
    builder *b = f->b;
    br_problem *m = &f->matrix;
    with(b->row_start[0], 2, m, "problem-index", "row_start", "2");
    with(b->row_start[3], 1, m, "problem-index", "row_start", "to 1");
    with(b->column[b->row_start[4]], -1, m, "problem-index", "row 4", "column -1");
    with(b->column[b->row_start[10] - 1], 10, m, "problem-index", "row 9", "column 10, expected 0 to 9");
    with(b->column[1], b->column[0], m, "problem-index", "row 0", "rising");
    with(b->column[1], INT_MIN, m, "problem-index", "row 0", "column -2147483648");
}

// Sizes whose memory nobody has are refused before anything is read or taken.
static void sizes_beyond_reason_are_refused(void **state) {
    fixture *f = *state;
    f->b->node_dim[0] = 1 << 20;
    check(&f->velocity, BR_TOO_LARGE, "problem-too-large", "mass matrix", "1099511627776", __FILE__,
          __LINE__);
    f->b->node_dim[0] = INT_MAX;
    check(&f->velocity, BR_TOO_LARGE, "problem-too-large", "mass matrix", "limit", __FILE__, __LINE__);
}

#define property(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void) {
    const struct CMUnitTest tests[] = {
        property(sound_problems_pass),
        property(sizes_must_agree),
        property(laws_must_be_laws),
        property(joint_bounds_must_be_bounds),
        property(numbers_must_be_finite),
        property(masses_must_be_lower_triangles),
        property(jacobians_must_touch_nodes),
        property(arrays_must_be_there),
        property(matrices_must_have_rising_columns),
        property(sizes_beyond_reason_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
