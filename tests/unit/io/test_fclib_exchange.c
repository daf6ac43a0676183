// libfclib reads what we write, and we read what it writes, in each of its three storages.
#include <stdlib.h>

#include <fclib.h>

#include "bristle/io.h"
#include "temp_file.h"

static br_problem_file *read_path(const char *path) {
    br_error error = {BR_OK, NULL, "", "", 0, 0, ""};
    br_problem_file *file = NULL;
    const br_status status = br_problem_file_read(path, NULL, &file, &error);
    if (status != BR_OK) print_error("%s: %s\n", error.file, error.message);
    assert_int_equal(status, BR_OK);
    return file;
}

static double entry(const br_problem *p, int row, int column) {
    for (int k = p->matrix.row_start[row]; k < p->matrix.row_start[row + 1]; k++)
        if (p->matrix.column[k] == column) return p->matrix.value[k];
    return 0;
}

static void fclib_reads_our_local_problem(void **state) {
    (void)state;
    br_problem_file *file = read_path(temp_write(
        "l.cp",
        "TYPE FC3D\nnc 1\ndim 3\nMATRIX W 3 3 4\n0 0 2\n0 2 5\n1 1 3\n2 2 4\nVECTOR q 3\n-1\n0.1\n0.2\n"
        "VECTOR mu 1\n0.7\n"));
    br_error error;
    assert_int_equal(br_problem_file_write(file, temp_path("l.hdf5"), &error), BR_OK);
    br_problem_file_free(file);
    struct fclib_local *local = fclib_read_local(temp_path("l.hdf5"));
    assert_non_null(local);
    assert_int_equal(local->spacedim, 3);
    assert_int_equal(local->W->m, 3);
    assert_int_equal(local->W->n, 3);
    assert_int_equal(local->W->nz, -1);
    assert_int_equal(local->W->nzmax, 4);
    // Column 2 holds rows 0 and 2: the asymmetric entry is where it was.
    assert_int_equal(local->W->p[2], 2);
    assert_int_equal(local->W->i[2], 0);
    assert_near(local->W->x[2], 5, 0);
    assert_near(local->q[2], 0.2, 0);
    assert_near(local->mu[0], 0.7, 0);
    assert_string_equal(local->info->title, "l");
    fclib_delete_local(local);
    free(local);
}

static void fclib_reads_our_global_problem(void **state) {
    (void)state;
    br_problem_file *file = read_path(temp_write(
        "g.cp",
        "TYPE GFC2D\nnc 1\nneq 1\nMATRIX M 3 3 3\n0 0 1\n1 1 2\n2 2 3\nMATRIX H 3 2 3\n1 0 1\n0 1 1\n2 1 "
        "-0.5\n"
        "MATRIX G 3 1 1\n2 0 7\nVECTOR q 3\n4\n5\n6\nVECTOR b 2\n8\n9\nVECTOR g 1\n3\nVECTOR mu 1\n0.5\n"));
    br_error error;
    assert_int_equal(br_problem_file_write(file, temp_path("g.hdf5"), &error), BR_OK);
    br_problem_file_free(file);
    struct fclib_global *global = fclib_read_global(temp_path("g.hdf5"));
    assert_non_null(global);
    assert_int_equal(global->spacedim, 2);
    assert_int_equal(global->H->m, 3);
    assert_int_equal(global->H->n, 2);
    assert_int_equal(global->H->p[1], 1);
    assert_int_equal(global->H->i[0], 1);
    assert_near(global->H->x[2], -0.5, 0);
    assert_near(global->G->x[0], 7, 0);
    assert_near(global->f[2], 6, 0);
    assert_near(global->w[1], 9, 0);
    assert_near(global->b[0], 3, 0);
    fclib_delete_global(global);
    free(global);
}

// H = [0 1; 0 0; 2 3] (3 x 2) in the three storages; triplets in both conventions.
static void we_read_every_storage_of_a_global_problem(void **state) {
    (void)state;
    static int columns_p[] = {0, 1, 3}, columns_i[] = {2, 0, 2}, rows_p[] = {0, 1, 1, 3},
               rows_i[] = {1, 0, 1};
    static int t_rows[] = {0, 2, 2}, t_columns[] = {1, 0, 1};
    static double columns_x[] = {2, 1, 3}, rows_x[] = {1, 2, 3};
    static int m_p[] = {0, 1, 2, 3}, m_i[] = {0, 1, 2};
    static double m_x[] = {1, 2, 4};
    struct fclib_matrix storages[] = {
        {3, 3, 2, columns_p, columns_i, columns_x, -1, NULL},
        {3, 3, 2, rows_p, rows_i, rows_x, -2, NULL},
        {3, 3, 2, t_columns, t_rows, rows_x, 3, NULL}, // CSparse and Siconos: p columns, i rows
        {3, 3, 2, t_rows, t_columns, rows_x, 3, NULL}, // as the comment in fclib.h has it
    };
    double mu = 0.3, f[] = {1, 2, 3}, w[] = {4, 5};
    for (int k = 0; k < 4; k++) {
        struct fclib_matrix M = {3, 3, 3, m_p, m_i, m_x, -1, NULL};
        struct fclib_global global = {&M, &storages[k], NULL, &mu, f, NULL, w, 2, NULL};
        unlink(temp_path("s.hdf5")); // fclib only adds
        assert_int_equal(fclib_write_global(&global, temp_path("s.hdf5")), 1);
        br_problem_file *file = read_path(temp_path("s.hdf5"));
        const br_problem *p = br_problem_file_problem(file);
        assert_int_equal(br_problem_file_info(file).type, BR_PROBLEM_GFC2D);
        br_error error;
        assert_int_equal(br_problem_file_write(file, temp_path("s.cp"), &error), BR_OK);
        char *text = temp_read(temp_path("s.cp"));
        assert_non_null(strstr(text, "MATRIX H 3 2 3\n0 1 1\n2 0 2\n2 1 3\n"));
        assert_non_null(strstr(text, "MATRIX M 3 3 3\n0 0 1\n1 1 2\n2 2 4\n"));
        free(text);
        assert_near(p->offset[1], 5, 0);
        assert_near(p->velocity.momentum[2], 3, 0);
        br_problem_file_free(file);
    }
}

static void we_read_fclib_local_triplets_and_add_duplicates(void **state) {
    (void)state;
    static int p[] = {0, 1, 1, 0}, i[] = {0, 1, 0, 0};
    static double x[] = {1, 2, 3, 4};
    double mu = 0.3, q[] = {-1, 1};
    struct fclib_matrix W = {4, 2, 2, p, i, x, 4, NULL};
    struct fclib_local local = {&W, NULL, NULL, &mu, q, NULL, 2, NULL};
    assert_int_equal(fclib_write_local(&local, temp_path("t.hdf5")), 1);
    br_problem_file *file = read_path(temp_path("t.hdf5"));
    const br_problem *problem = br_problem_file_problem(file);
    assert_near(entry(problem, 0, 0), 5, 0);
    assert_near(entry(problem, 0, 1), 3, 0);
    assert_near(entry(problem, 1, 1), 2, 0);
    assert_int_equal(problem->matrix.row_start[2], 3);
    br_problem_file_free(file);
}

static void local_problems_with_equality_rows_are_refused(void **state) {
    (void)state;
    static int p[] = {0, 1, 2}, i[] = {0, 1}, p1[] = {0, 1}, i1[] = {0};
    static double x[] = {1, 2};
    double mu = 0.3, q[] = {-1, 1}, s[] = {0};
    struct fclib_matrix W = {2, 2, 2, p, i, x, -1, NULL}, V = {1, 2, 1, p1, i1, x, -1, NULL},
                        R = {1, 1, 1, p1, i1, x, -1, NULL};
    struct fclib_local local = {&W, &V, &R, &mu, q, s, 2, NULL};
    assert_int_equal(fclib_write_local(&local, temp_path("v.hdf5")), 1);
    br_problem_file *file = NULL;
    br_error error;
    assert_int_equal(br_problem_file_read(temp_path("v.hdf5"), NULL, &file, &error), BR_INVALID);
    assert_string_equal(error.code, "fclib-unsupported");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fclib_reads_our_local_problem),
        cmocka_unit_test(fclib_reads_our_global_problem),
        cmocka_unit_test(we_read_every_storage_of_a_global_problem),
        cmocka_unit_test(we_read_fclib_local_triplets_and_add_duplicates),
        cmocka_unit_test(local_problems_with_equality_rows_are_refused),
    };
    return cmocka_run_group_tests(tests, temp_folder_make, temp_folder_remove);
}
