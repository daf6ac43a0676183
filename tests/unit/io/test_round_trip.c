// What is written and read again is the same problem, bit by bit; answers too.
#include <math.h>

#include "bristle/io.h"
#include "temp_file.h"

static br_problem_file *read_path(const char *path) {
    br_error error = {BR_OK, NULL, "", "", 0, 0, ""};
    br_problem_file *file = NULL;
    const br_status status = br_problem_file_read(path, NULL, &file, &error);
    if (status != BR_OK) print_error("%s:%d: %s\n", error.file, error.line, error.message);
    assert_int_equal(status, BR_OK);
    return file;
}

static void write_path(const br_problem_file *file, const char *path) {
    br_error error = {BR_OK, NULL, "", "", 0, 0, ""};
    const br_status status = br_problem_file_write(file, path, &error);
    if (status != BR_OK) print_error("%s: %s\n", error.file, error.message);
    assert_int_equal(status, BR_OK);
}

static const char *const problems[] = {
    "TYPE LCP\nMATRIX M 2 2 3\n1 1 0.1\n0 0 1e-300\n1 0 0\nVECTOR q 2\n-0.3333333333333333\n2\n",
    "TYPE RELAY\nMATRIX M 2 2 1\n0 1 -1\nVECTOR q 2\n1\n2\nVECTOR lb 2\n-inf\n-1\nVECTOR ub 2\n1\ninf\n",
    "TYPE MLCP\nneq 1\nncomp 1\nMATRIX M 3 2 2\n0 0 1\n2 1 7\nVECTOR q 3\n1\n2\n3\nVECTOR is_complementarity "
    "3\n0\n1\n0\n",
    "TYPE FC2D\nnc 1\ndim 2\nlaw polygon(6)\nMATRIX W 2 2 3\n0 0 1\n0 1 0.2\n1 1 1\nVECTOR q "
    "2\n-1\n0.1\nVECTOR mu 1\n0.7\nVECTOR compliance 2\n1e-9\n0\n",
    "TYPE FC3D\nnc 1\ndim 3\nlaw box\nMATRIX W 3 3 3\n0 0 1\n1 1 1\n2 2 1\nVECTOR q 3\n-1\n0.1\n0.2\nVECTOR "
    "mu 1\n0.7\n",
    "TYPE GFC2D\nnc 1\nneq 1\nMATRIX M 3 3 3\n0 0 1\n1 1 1\n2 2 0.1\nMATRIX H 3 2 3\n1 0 1\n0 1 1\n2 1 "
    "-0.5\nMATRIX G 3 1 1\n2 0 1\n"
    "VECTOR q 3\n0\n-1\n0\nVECTOR g 1\n3\nVECTOR mu 1\n0.5\n",
};
enum { PROBLEMS = sizeof problems / sizeof *problems };

static void written_text_is_read_as_the_same_problem(void **state) {
    (void)state;
    for (int k = 0; k < PROBLEMS; k++) {
        br_problem_file *first = read_path(temp_write("in.cp", problems[k]));
        write_path(first, temp_path("out.cp"));
        br_problem_file *second = read_path(temp_path("out.cp"));
        write_path(second, temp_path("out2.cp"));
        char *a = temp_read(temp_path("out.cp")), *b = temp_read(temp_path("out2.cp"));
        assert_string_equal(strchr(a, '\n'), strchr(b, '\n')); // but for the name on the first line
        const br_problem *p = br_problem_file_problem(first), *q = br_problem_file_problem(second);
        assert_int_equal(p->rows, q->rows);
        assert_int_equal(p->laws, q->laws);
        assert_memory_equal(p->offset, q->offset, (size_t)p->rows * sizeof(double));
        for (int l = 0; l < p->laws; l++) {
            assert_int_equal(p->law[l].kind, q->law[l].kind);
            assert_int_equal(p->law[l].sides, q->law[l].sides);
            assert_true(p->law[l].lower == q->law[l].lower && p->law[l].upper == q->law[l].upper);
        }
        free(a);
        free(b);
        br_problem_file_free(first);
        br_problem_file_free(second);
    }
    assert_int_equal(temp_folder_count(), 3); // no temporary left behind
}

static void text_and_fclib_hold_the_same_problem(void **state) {
    (void)state;
    static const char *const texts[] = {
        "TYPE FC2D\nnc 1\ndim 2\nMATRIX W 2 2 3\n0 0 1\n0 1 0.2\n1 1 1\nVECTOR q 2\n-1\n0.1\nVECTOR mu "
        "1\n0.7\n",
        "TYPE GFC2D\nnc 1\nneq 1\nMATRIX M 3 3 3\n0 0 1\n1 1 1\n2 2 0.1\nMATRIX H 3 2 3\n1 0 1\n0 1 1\n2 1 "
        "-0.5\nMATRIX G 3 1 1\n2 0 1\n"
        "VECTOR q 3\n0\n-1\n0\nVECTOR b 2\n0\n0\nVECTOR g 1\n3\nVECTOR mu 1\n0.5\n",
        "TYPE GFC3D\nnc 0\nMATRIX M 1 1 1\n0 0 2\nMATRIX H 1 0 0\nVECTOR q 1\n5\nVECTOR b 0\nVECTOR mu 0\n",
    };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        br_problem_file *text = read_path(temp_write("a.cp", texts[k]));
        write_path(text, temp_path("a.hdf5"));
        br_problem_file *hdf5 = read_path(temp_path("a.hdf5"));
        write_path(text, temp_path("b.cp"));
        write_path(hdf5, temp_path("c.cp"));
        char *b = temp_read(temp_path("b.cp")), *c = temp_read(temp_path("c.cp"));
        assert_string_equal(b, c);
        free(b);
        free(c);
        br_problem_file_free(text);
        br_problem_file_free(hdf5);
    }
}

static void what_fclib_cannot_hold_is_refused_and_nothing_written(void **state) {
    (void)state;
    const int refused[] = {0, 1, 2, 3, 4};
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        br_error error;
        br_problem_file *file = read_path(temp_write("in.cp", problems[refused[k]]));
        assert_int_equal(br_problem_file_write(file, temp_path("none.hdf5"), &error), BR_INVALID);
        assert_string_equal(error.code, "fclib-cannot-hold");
        assert_int_not_equal(access(temp_path("none.hdf5"), F_OK), 0);
        assert_int_equal(br_problem_file_write(file, temp_path("none.txt"), &error), BR_INVALID);
        assert_string_equal(error.code, "file-ending");
        assert_int_equal(br_problem_file_write(file, temp_path("no/such/folder.cp"), &error), BR_IO);
        assert_string_equal(error.code, "file-unwritable");
        br_problem_file_free(file);
    }
}

static void answers_are_written_and_read_as_starts(void **state) {
    (void)state;
    br_problem_file *file = read_path(temp_write("g.cp", problems[5]));
    double p[3] = {1.0 / 3, 0, -2}, w[3] = {0, 0.1, 0}, v[3] = {1, 2, 3}, start[3] = {9, 9, 9};
    br_solution solution = {p, w, v, 0};
    br_error error;
    assert_int_equal(br_solution_write(file, &solution, NULL, temp_path("x.txt"), &error), BR_OK);
    char *text = temp_read(temp_path("x.txt"));
    assert_string_equal(text, "0.33333333333333331 0\n0 0.10000000000000001\n-2 0\n# v\n1\n2\n3\n");
    free(text);
    assert_int_equal(br_solution_read(file, temp_path("x.txt"), start, &error), BR_OK);
    assert_memory_equal(start, p, sizeof p);

    assert_int_equal(br_solution_read(file, temp_write("short.txt", "1 0\n2 0\n"), start, &error), BR_PARSE);
    assert_string_equal(error.code, "start-too-short");
    assert_int_equal(br_solution_read(file, temp_write("nan.txt", "1 0\nnan 0\n0 0\n"), start, &error),
                     BR_PARSE);
    assert_string_equal(error.code, "start-not-a-number");
    assert_int_equal(error.line, 2);
    assert_int_equal(br_solution_read(file, temp_write("long.txt", "1 0\n2 0\n3 0\n4 0\n"), start, &error),
                     BR_PARSE);
    assert_string_equal(error.code, "start-too-long");
    assert_int_equal(error.line, 4);
    assert_memory_equal(start, p, sizeof p); // untouched
    br_problem_file_free(file);
}

static void answers_of_a_wide_mlcp_list_the_unknowns_without_row(void **state) {
    (void)state;
    br_problem_file *file = read_path(temp_write(
        "w.cp", "TYPE MLCP\nMATRIX M 1 2 2\n0 0 1\n0 1 1\nVECTOR q 1\n-3\nVECTOR is_complementarity 1\n0\n"));
    double p[2] = {1, 2}, w[2] = {0, 0};
    br_solution solution = {p, w, NULL, 0};
    br_error error;
    assert_int_equal(br_solution_write(file, &solution, "note", temp_path("w.txt"), &error), BR_OK);
    char *text = temp_read(temp_path("w.txt"));
    assert_string_equal(text, "# note\n1 0\n# z\n2\n");
    free(text);
    br_problem_file_free(file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_text_is_read_as_the_same_problem),
        cmocka_unit_test(text_and_fclib_hold_the_same_problem),
        cmocka_unit_test(what_fclib_cannot_hold_is_refused_and_nothing_written),
        cmocka_unit_test(answers_are_written_and_read_as_starts),
        cmocka_unit_test(answers_of_a_wide_mlcp_list_the_unknowns_without_row),
    };
    return cmocka_run_group_tests(tests, temp_folder_make, temp_folder_remove);
}
