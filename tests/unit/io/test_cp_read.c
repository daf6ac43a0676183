// Every type of problem in a .cp file becomes the br_problem that the format's description says.
#include <math.h>

#include "bristle/io.h"
#include "counting_allocator.h"
#include "temp_file.h"

static br_problem_file *read_text(const char *text) {
    br_error error = {BR_OK, NULL, "", "", 0, 0, ""};
    br_problem_file *file = NULL;
    const br_status status = br_problem_file_read(temp_write("p.cp", text), NULL, &file, &error);
    if (status != BR_OK) print_error("%s:%d:%d: %s\n", error.file, error.line, error.column, error.message);
    assert_int_equal(status, BR_OK);
    return file;
}

static double entry(const br_problem *p, int row, int column) {
    for (int k = p->matrix.row_start[row]; k < p->matrix.row_start[row + 1]; k++)
        if (p->matrix.column[k] == column) return p->matrix.value[k];
    return 0;
}

static void lcp_has_unilateral_rows(void **state) {
    (void)state;
    // Entries in any order, comments, blank lines, tabs, an explicit zero.
    br_problem_file *file = read_text("# a comment\n\nTYPE LCP\nMATRIX M 2 2 3 # sizes\n1 1\t4\n\n0 1 0\n0 0 "
                                      "-1.5e0\nVECTOR q 2\n-1\n+2.5\n");
    const br_problem *p = br_problem_file_problem(file);
    assert_int_equal(p->form, BR_FORM_MATRIX);
    assert_int_equal(p->rows, 2);
    assert_int_equal(p->laws, 2);
    assert_int_equal(p->law[1].kind, BR_LAW_UNILATERAL);
    assert_int_equal(p->law[1].first_row, 1);
    assert_int_equal(p->matrix.row_start[2], 3); // the zero is kept
    assert_near(entry(p, 0, 0), -1.5, 0);
    assert_near(entry(p, 1, 1), 4, 0);
    assert_near(p->offset[1], 2.5, 0);
    assert_null(p->compliance);
    assert_string_equal(br_problem_file_info(file).name, "p");
    assert_int_equal(br_problem_file_info(file).entries, 3);
    br_problem_file_free(file);
}

static void columns_rise_within_rows_whatever_the_order_of_entries(void **state) {
    (void)state;
    br_problem_file *file = read_text(
        "TYPE LCP\nMATRIX M 3 3 6\n2 2 22\n0 2 2\n2 0 20\n1 1 11\n0 0 0.5\n2 1 21\nVECTOR q 3\n0\n0\n0\n");
    const br_problem *p = br_problem_file_problem(file);
    for (int r = 0; r < 3; r++)
        for (int k = p->matrix.row_start[r] + 1; k < p->matrix.row_start[r + 1]; k++)
            assert_true(p->matrix.column[k] > p->matrix.column[k - 1]);
    assert_near(entry(p, 2, 0), 20, 0);
    assert_near(entry(p, 2, 1), 21, 0);
    assert_near(entry(p, 2, 2), 22, 0);
    assert_near(entry(p, 0, 2), 2, 0);
    br_problem_file_free(file);
}

static void relay_has_boxes_and_bounds_may_be_infinite(void **state) {
    (void)state;
    br_problem_file *file = read_text("TYPE RELAY\nMATRIX M 4 4 0\nVECTOR q 4\n1\n2\n3\n4\n"
                                      "VECTOR lb 4\n-1\n-inf\n0\n-inf\nVECTOR ub 4\n1\n2\ninf\nInfinity\n");
    const br_problem *p = br_problem_file_problem(file);
    assert_int_equal(p->law[0].kind, BR_LAW_BOX);
    assert_near(p->law[0].lower, -1, 0);
    assert_near(p->law[0].upper, 1, 0);
    assert_int_equal(p->law[1].kind, BR_LAW_BOX);
    assert_true(isinf(p->law[1].lower) && p->law[1].lower < 0);
    assert_int_equal(p->law[2].kind, BR_LAW_UNILATERAL);
    assert_int_equal(p->law[3].kind, BR_LAW_EQUALITY);
    br_problem_file_free(file);
}

static void mlcp_has_equalities_where_the_flag_is_0(void **state) {
    (void)state;
    br_problem_file *file = read_text("TYPE MLCP\nneq 1\nncomp 1\nMATRIX M 2 2 2\n0 0 1\n1 0 2\nVECTOR q "
                                      "2\n1\n0\nVECTOR is_complementarity 2\n0\n1\n");
    const br_problem *p = br_problem_file_problem(file);
    assert_int_equal(p->law[0].kind, BR_LAW_EQUALITY);
    assert_int_equal(p->law[1].kind, BR_LAW_UNILATERAL);
    assert_int_equal(br_problem_file_info(file).equalities, 1);
    br_problem_file_free(file);
}

static void mlcp_may_have_bounds(void **state) {
    (void)state;
    br_problem_file *file = read_text("TYPE MLCP\nMATRIX M 3 3 1\n0 0 1\nVECTOR q 3\n0\n0\n0\nVECTOR lb "
                                      "3\n-inf\n0\n-2\nVECTOR ub 3\ninf\ninf\n2\n");
    const br_problem *p = br_problem_file_problem(file);
    assert_int_equal(p->law[0].kind, BR_LAW_EQUALITY);
    assert_int_equal(p->law[1].kind, BR_LAW_UNILATERAL);
    assert_int_equal(p->law[2].kind, BR_LAW_BOX);
    br_problem_file_free(file);
}

static void rectangular_mlcp_is_padded_to_square(void **state) {
    (void)state;
    // More rows than columns: the third unknown appears nowhere.
    br_problem_file *tall =
        read_text("TYPE MLCP\nneq 1\nncomp 1\nMATRIX M 3 2 3\n0 0 1\n1 1 2\n2 0 3\nVECTOR q 3\n1\n2\n3\n"
                  "VECTOR is_complementarity 3\n0\n1\n0\n");
    const br_problem *p = br_problem_file_problem(tall);
    assert_int_equal(p->rows, 3);
    assert_int_equal(p->matrix.row_start[3], 3);
    for (int r = 0; r < 3; r++) assert_near(entry(p, r, 2), 0, 0);
    assert_int_equal(p->law[2].kind, BR_LAW_EQUALITY);
    assert_int_equal(br_problem_file_info(tall).rows, 3);
    br_problem_file_free(tall);

    // More columns than rows: a third row that asks nothing, for a free unknown.
    br_problem_file *wide = read_text("TYPE MLCP\nMATRIX M 2 3 3\n0 0 1\n1 1 2\n1 2 3\nVECTOR q "
                                      "2\n1\n2\nVECTOR is_complementarity 2\n0\n1\n");
    p = br_problem_file_problem(wide);
    assert_int_equal(p->rows, 3);
    assert_int_equal(p->laws, 3);
    assert_int_equal(p->matrix.row_start[3], 3);
    assert_int_equal(p->law[2].kind, BR_LAW_EQUALITY);
    assert_near(p->offset[2], 0, 0);
    assert_near(entry(p, 1, 2), 3, 0);
    const br_problem_info info = br_problem_file_info(wide);
    assert_int_equal(info.rows, 2);
    assert_int_equal(info.unknowns, 3);
    assert_int_equal(info.equalities, 1);
    br_problem_file_free(wide);
}

static void friction_has_contact_blocks(void **state) {
    (void)state;
    br_problem_file *file = read_text("TYPE FC2D\nnc 2\ndim 2\nMATRIX W 4 4 4\n0 0 1\n1 1 2\n2 2 3\n3 3 "
                                      "4\nVECTOR q 4\n-1\n0\n-2\n0.5\nVECTOR mu 2\n0.3\n0\n"
                                      "VECTOR solution_r 2\n1\n2\n");
    const br_problem *p = br_problem_file_problem(file);
    assert_int_equal(p->laws, 2);
    assert_int_equal(p->law[1].kind, BR_LAW_CONE);
    assert_int_equal(p->law[1].first_row, 2);
    assert_int_equal(p->law[1].rows, 2);
    assert_near(p->law[0].friction_coefficient, 0.3, 0);
    assert_near(p->offset[3], 0.5, 0);
    br_problem_file_free(file);
}

static void other_laws_and_compliance_can_be_written(void **state) {
    (void)state;
    br_problem_file *file = read_text("TYPE FC2D\nnc 1\nlaw polygon(8)\nMATRIX W 2 2 0\nVECTOR q "
                                      "2\n0\n0\nVECTOR mu 1\n1\nVECTOR compliance 2\n0\n1e-6\n");
    const br_problem *p = br_problem_file_problem(file);
    assert_int_equal(p->law[0].kind, BR_LAW_POLYGON);
    assert_int_equal(p->law[0].sides, 8);
    assert_near(p->compliance[1], 1e-6, 0);
    br_problem_file_free(file);
    file = read_text("TYPE FC2D\nnc 1\nlaw box\nMATRIX W 2 2 0\nVECTOR q 2\n0\n0\nVECTOR mu 1\n1\n");
    assert_int_equal(br_problem_file_problem(file)->law[0].kind, BR_LAW_BOX_FRICTION);
    br_problem_file_free(file);
}

static void crlf_and_byte_order_mark_are_accepted(void **state) {
    (void)state;
    br_problem_file *file =
        read_text("\xEF\xBB\xBFTYPE LCP\r\nMATRIX M 1 1 1\r\n0 0 2\r\n\r\nVECTOR q 1\r\n-4\r\n");
    assert_near(br_problem_file_problem(file)->offset[0], -4, 0);
    br_problem_file_free(file);
    file = read_text("TYPE LCP\nMATRIX M 1 1 1\n0 0 2\nVECTOR q 1\n-4"); // no line end at the end
    assert_near(br_problem_file_problem(file)->offset[0], -4, 0);
    br_problem_file_free(file);
    file = read_text("TYPE LCP\nMATRIX M 1 1 1\n0 0 2\nVECTOR q 1\n-4 # end"); // nor after a comment
    br_problem_file_free(file);
}

static void numbers_are_read_as_strtod_reads_them(void **state) {
    (void)state;
    static const char *const numbers[] = {"0.1",
                                          "-0",
                                          "1e22",
                                          "1e23",
                                          "123456789012345",
                                          "1234567890123456789",
                                          "0.49999999999999994",
                                          "1e-300",
                                          "5e-324",
                                          "1e-400",
                                          "1.7976931348623157e308",
                                          ".5",
                                          "5.",
                                          "+3.25E-2",
                                          "00000000000000000000012",
                                          "9007199254740993",
                                          "0.000000000000000000000000001",
                                          "1e-23",
                                          "8.5e-22"};
    enum { N = sizeof numbers / sizeof *numbers };
    char text[2000];
    int at = snprintf(text, sizeof text, "TYPE LCP\nMATRIX M %d %d 0\nVECTOR q %d\n", N, N, N);
    for (int k = 0; k < N; k++) at += snprintf(text + at, sizeof text - (size_t)at, "%s\n", numbers[k]);
    br_problem_file *file = read_text(text);
    for (int k = 0; k < N; k++) {
        const double expected = strtod(numbers[k], NULL);
        assert_memory_equal(&br_problem_file_problem(file)->offset[k], &expected, sizeof expected);
    }
    br_problem_file_free(file);
}

static void empty_problems_are_problems(void **state) {
    (void)state;
    br_problem_file *file = read_text("TYPE GFC2D\nnc 0\ndim 2\nMATRIX M 3 3 3\n0 0 1\n1 1 1\n2 2 1\nMATRIX "
                                      "H 3 0 0\nVECTOR q 3\n1\n2\n3\nVECTOR mu 0\n");
    const br_problem *p = br_problem_file_problem(file);
    assert_int_equal(p->rows, 0);
    assert_int_equal(p->velocity.nodes, 1);
    assert_near(p->velocity.momentum[2], 3, 0);
    br_problem_file_free(file);
    br_problem_file_free(read_text("TYPE LCP\nMATRIX M 0 0 0\nVECTOR q 0\n"));
}

static void every_failing_allocation_is_survived(void **state) {
    (void)state;
    const char *path = temp_write(
        "g.cp", "TYPE GFC2D\nnc 1\ndim 2\nMATRIX M 3 3 3\n2 2 1\n1 1 1\n0 0 1\nMATRIX H 3 2 2\n1 0 1\n0 1 1\n"
                "VECTOR q 3\n1\n2\n3\nVECTOR mu 1\n0.5\n");
    for (long k = 1;; k++) {
        counting_allocator counter;
        const br_allocator allocator = counting_allocator_start(&counter, k);
        br_problem_file *file = NULL;
        br_error error = {BR_OK, NULL, "", "", 0, 0, ""};
        const br_status status = br_problem_file_read(path, &allocator, &file, &error);
        if (!counter.failed) {
            assert_int_equal(status, BR_OK);
            br_problem_file_free(file);
            assert_int_equal(counter.live, 0);
            break;
        }
        assert_int_equal(status, BR_NO_MEMORY);
        assert_null(file);
        assert_string_equal(error.code, "out-of-memory");
        assert_int_equal(counter.live, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lcp_has_unilateral_rows),
        cmocka_unit_test(columns_rise_within_rows_whatever_the_order_of_entries),
        cmocka_unit_test(relay_has_boxes_and_bounds_may_be_infinite),
        cmocka_unit_test(mlcp_has_equalities_where_the_flag_is_0),
        cmocka_unit_test(mlcp_may_have_bounds),
        cmocka_unit_test(rectangular_mlcp_is_padded_to_square),
        cmocka_unit_test(friction_has_contact_blocks),
        cmocka_unit_test(other_laws_and_compliance_can_be_written),
        cmocka_unit_test(crlf_and_byte_order_mark_are_accepted),
        cmocka_unit_test(numbers_are_read_as_strtod_reads_them),
        cmocka_unit_test(empty_problems_are_problems),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, temp_folder_make, temp_folder_remove);
}
