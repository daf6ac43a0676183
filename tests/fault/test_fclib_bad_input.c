// HDF5 files that are no FCLIB problem, or a damaged one: an error that names the dataset, nothing printed.
#include <sys/wait.h>

#include <hdf5.h>

#include "bristle/io.h"
#include "random.h"
#include "temp_file.h"

// A correct local problem with one contact in the plane; each test spoils one thing.
static void make_local(const char *path) {
    br_problem_file *file = NULL;
    br_error error;
    const char *text = temp_write(
        "good.cp",
        "TYPE FC2D\nnc 1\nMATRIX W 2 2 3\n0 0 1\n0 1 0.2\n1 1 1\nVECTOR q 2\n-1\n0.1\nVECTOR mu 1\n0.7\n");
    assert_int_equal(br_problem_file_read(text, NULL, &file, &error), BR_OK);
    assert_int_equal(br_problem_file_write(file, path, &error), BR_OK);
    br_problem_file_free(file);
}

static void replace_ints(const char *path, const char *name, int count, const int *x) {
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    const hsize_t size = (hsize_t)count;
    H5Ldelete(file, name, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(1, &size, NULL);
    const hid_t set = H5Dcreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, x);
    H5Dclose(set);
    H5Sclose(space);
    H5Fclose(file);
}

static void replace_doubles(const char *path, const char *name, hsize_t size, const double *x) {
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    H5Ldelete(file, name, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(1, &size, NULL);
    const hid_t set = H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (x) H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x);
    H5Dclose(set);
    H5Sclose(space);
    H5Fclose(file);
}

static void expect(const char *path, const char *code, const char *says) {
    br_problem_file *file = NULL;
    br_error error = {BR_OK, NULL, "", "", 0, 0, ""};
    const br_status status = br_problem_file_read(path, NULL, &file, &error);
    if (status == BR_OK || strcmp(error.code, code) != 0 || !strstr(error.message, says))
        print_error("expected %s '%s', got %s '%s'\n", code, says, error.code ? error.code : "-",
                    error.message);
    assert_int_not_equal(status, BR_OK);
    assert_string_equal(error.code, code);
    assert_non_null(strstr(error.message, says));
    assert_null(file);
}

static void spoiled_numbers_are_named(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int count, x[4];
        const char *code, *says;
    } cases[] = {
        {"/fclib_local/spacedim", 1, {5}, "fclib-dimension", "/fclib_local/spacedim is 5"},
        {"/fclib_local/spacedim", 2, {2, 2}, "fclib-dataset", "/fclib_local/spacedim"},
        {"/fclib_local/spacedim", 1, {3}, "cp-size-mismatch", "/fclib_local/W is 2 x 2, expected 3 x 3"},
        {"/fclib_local/W/m", 1, {2000000000}, "cp-size-mismatch", "is 2000000000 x 2, expected 2 x 2"},
        {"/fclib_local/W/n", 1, {-1}, "cp-size-mismatch", "expected 2 x 2"},
        {"/fclib_local/W/nz", 1, {-7}, "fclib-matrix", "nz is none of"},
        {"/fclib_local/W/nz", 1, {1000}, "fclib-matrix", "fewer entries"},
        {"/fclib_local/W/p", 2, {0, 3}, "fclib-matrix", "p must have one number more"},
        {"/fclib_local/W/p", 3, {0, 9, 3}, "fclib-matrix", "p falls"},
        {"/fclib_local/W/p", 3, {0, 1, 1000000}, "fclib-matrix", "p counts more entries"},
        {"/fclib_local/W/i", 3, {0, 7, 1}, "fclib-matrix", "out of range"},
        {"/fclib_local/W/i", 3, {0, -1, 1}, "fclib-matrix", "out of range"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        make_local(temp_path("bad.hdf5"));
        replace_ints(temp_path("bad.hdf5"), cases[k].name, cases[k].count, cases[k].x);
        expect(temp_path("bad.hdf5"), cases[k].code, cases[k].says);
    }
}

static void spoiled_vectors_are_named(void **state) {
    (void)state;
    char path[160];
    snprintf(path, sizeof path, "%s", temp_path("vec.hdf5")); // kept: temp_path uses its few buffers again
    const double nan_q[] = {1, NAN}, negative = -1, three[] = {1, 2, 3};
    make_local(path);
    replace_doubles(path, "/fclib_local/vectors/q", 2, nan_q);
    expect(path, "fclib-not-finite", "/fclib_local/vectors/q entry 1 is nan");
    make_local(path);
    replace_doubles(path, "/fclib_local/vectors/mu", 1, &negative);
    expect(path, "cp-negative-mu", "/fclib_local/vectors/mu entry 0 is -1");
    make_local(path);
    replace_doubles(path, "/fclib_local/vectors/q", 3, three);
    expect(path, "cp-size-mismatch", "/fclib_local/W is 2 x 2, expected 3 x 3");
    // Extents without bytes behind them.
    make_local(path);
    replace_doubles(path, "/fclib_local/vectors/q", (hsize_t)1 << 40, NULL);
    expect(path, "fclib-too-large", "1099511627776 entries");
    make_local(path);
    replace_doubles(path, "/fclib_local/vectors/q", 100000000, NULL);
    expect(path, "fclib-dataset", "never written");
}

static void missing_parts_are_named(void **state) {
    (void)state;
    static const char *const names[] = {"/fclib_local/spacedim", "/fclib_local/W/x", "/fclib_local/W/nz",
                                        "/fclib_local/vectors/mu", "/fclib_local/vectors/q"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        make_local(temp_path("miss.hdf5"));
        const hid_t file = H5Fopen(temp_path("miss.hdf5"), H5F_ACC_RDWR, H5P_DEFAULT);
        H5Ldelete(file, names[k], H5P_DEFAULT);
        H5Fclose(file);
        expect(temp_path("miss.hdf5"), "fclib-missing", names[k]);
    }
    const hid_t empty = H5Fcreate(temp_path("empty.hdf5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(empty);
    expect(temp_path("empty.hdf5"), "fclib-missing", "without a group /fclib_local or /fclib_global");
}

static void read_spoiled(const unsigned char *bytes, size_t size) {
    static unsigned char spoiled[1 << 16];
    rng r = {11};
    for (int k = 0; k < 300; k++) {
        memcpy(spoiled, bytes, size);
        spoiled[8 + rng_next(&r) % (size - 8)] ^= (unsigned char)(1u << rng_next(&r) % 8);
        br_problem_file *file = NULL;
        br_error error;
        if (br_problem_file_read(temp_write_bytes("flip.hdf5", spoiled, size), NULL, &file, &error) == BR_OK)
            br_problem_file_free(file);
    }
}

// In a process of its own that leaves without cleaning up: HDF5 loses memory of its own on some of these, and says so
// when the library is closed. What counts is that the process gets to its end.
static void damaged_files_do_not_end_the_program(void **state) {
    (void)state;
    make_local(temp_path("whole.hdf5"));
    FILE *in = fopen(temp_path("whole.hdf5"), "rb");
    static unsigned char bytes[1 << 16];
    const size_t size = fread(bytes, 1, sizeof bytes, in);
    fclose(in);
    for (size_t cut = 8; cut < size; cut += size / 23) {
        br_problem_file *file = NULL;
        br_error error;
        assert_int_not_equal(
            br_problem_file_read(temp_write_bytes("cut.hdf5", bytes, cut), NULL, &file, &error), BR_OK);
    }
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        read_spoiled(bytes, size);
        _exit(0);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spoiled_numbers_are_named),
        cmocka_unit_test(spoiled_vectors_are_named),
        cmocka_unit_test(missing_parts_are_named),
        cmocka_unit_test(damaged_files_do_not_end_the_program),
    };
    return cmocka_run_group_tests(tests, temp_folder_make, temp_folder_remove);
}
