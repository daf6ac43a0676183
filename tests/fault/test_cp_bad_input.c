// Problem files that must be refused, each with its message, code, line and column. Nothing here may crash, take
// memory on the word of a heading, or leave an output behind.
#include <sys/stat.h>

#include "bristle/io.h"
#include "counting_allocator.h"
#include "temp_file.h"

typedef struct fault {
    const char *name; // of the test
    const char *text;
    const char *code;
    int line, column;
    const char *says; // a part of the message
} fault;

// The common beginning of an LCP of two rows: lines 1 to 6.
#define LCP2 "TYPE LCP\nMATRIX M 2 2 2\n0 0 1\n1 1 2\nVECTOR q 2\n"
#define FC1 "TYPE FC2D\nnc 1\ndim 2\nMATRIX W 2 2 2\n0 0 1\n1 1 1\nVECTOR q 2\n0\n0\n"
#define GFC0 "TYPE GFC2D\nnc 0\nMATRIX H 2 0 0\nVECTOR q 2\n0\n0\nVECTOR mu 0\n"
#define RELAY1 "TYPE RELAY\nMATRIX M 1 1 1\n0 0 1\nVECTOR q 1\n0\n"
#define MLCP2 "TYPE MLCP\nneq 1\nncomp 1\nMATRIX M 2 2 2\n0 0 1\n1 0 2\nVECTOR q 2\n1\n0\n"

static const fault faults[] = {
    {"nan in a vector", LCP2 "nan\n1\n", "cp-not-finite", 6, 1,
     "VECTOR q entry 0 is nan, expected a finite number"},
    {"-NaN", LCP2 "1\n-NaN\n", "cp-not-finite", 7, 1, "VECTOR q entry 1 is -NaN"},
    {"infinity in a vector", LCP2 "1\ninf\n", "cp-not-finite", 7, 1, "VECTOR q entry 1 is inf"},
    {"nan in a matrix", "TYPE LCP\nMATRIX M 1 1 1\n0 0 nan\nVECTOR q 1\n0\n", "cp-not-finite", 3, 5,
     "MATRIX M entry (0, 0) is nan"},
    {"infinity in a matrix", "TYPE LCP\nMATRIX M 1 1 1\n0 0 -inf\n", "cp-not-finite", 3, 5,
     "MATRIX M entry (0, 0) is -inf"},
    {"a number beyond double", LCP2 "1e400\n0\n", "cp-not-finite", 6, 1,
     "is 1e400, expected a finite number"},
    {"nan in a bound", RELAY1 "VECTOR lb 1\nnan\nVECTOR ub 1\n1\n", "cp-not-finite", 7, 1,
     "VECTOR lb entry 0"},
    {"nan in a stored answer", LCP2 "1\n1\nVECTOR solution_z 1\nnan\n", "cp-not-finite", 9, 1, "solution_z"},
    {"vector shorter than the matrix", "TYPE LCP\nMATRIX M 2 2 0\nVECTOR q 1\n0\n", "cp-size-mismatch", 3, 0,
     "VECTOR q has 1 entries, expected 2 (the rows of M)"},
    {"vector longer than the matrix", "TYPE LCP\nMATRIX M 1 1 0\nVECTOR q 2\n0\n0\n", "cp-size-mismatch", 3,
     0, "expected 1"},
    {"matrix not square", "TYPE LCP\nMATRIX M 2 3 0\nVECTOR q 2\n0\n0\n", "cp-size-mismatch", 2, 0,
     "MATRIX M is 2 x 3, expected 2 x 2"},
    {"W against nc", "TYPE FC2D\nnc 2\nMATRIX W 2 2 0\nVECTOR q 2\n0\n0\nVECTOR mu 1\n0\n",
     "cp-size-mismatch", 3, 0, "MATRIX W is 2 x 2, expected 4 x 4 (nc 2 times dim 2)"},
    {"mu against nc", FC1 "VECTOR mu 2\n0\n0\n", "cp-size-mismatch", 10, 0,
     "VECTOR mu has 2 entries, expected 1 (nc 1)"},
    {"dim against the type", "TYPE FC3D\nnc 1\ndim 2\n", "cp-size-mismatch", 3, 0,
     "dim is 2, expected 3 (TYPE FC3D, line 1)"},
    {"neq plus ncomp",
     "TYPE MLCP\nneq 2\nncomp 1\nMATRIX M 2 2 0\nVECTOR q 2\n0\n0\nVECTOR is_complementarity 2\n0\n1\n",
     "cp-size-mismatch", 2, 0, "neq 2 plus ncomp 1 is 3, expected 2 (the columns of M, line 4)"},
    {"ncomp against the flags",
     "TYPE MLCP\nneq 0\nncomp 2\nMATRIX M 2 2 0\nVECTOR q 2\n0\n0\nVECTOR is_complementarity 2\n0\n1\n",
     "cp-size-mismatch", 3, 0, "ncomp is 2, but 1 entries of VECTOR is_complementarity (line 8) are 1"},
    {"H against M",
     "TYPE GFC2D\nnc 1\nMATRIX M 2 2 2\n0 0 1\n1 1 1\nMATRIX H 3 2 0\nVECTOR q 2\n0\n0\nVECTOR mu 1\n0\n",
     "cp-size-mismatch", 6, 0, "MATRIX H is 3 x 2, expected 2 x 2 (rows of M by nc 1 times dim 2)"},
    {"more entries than places", "TYPE LCP\nMATRIX M 2 2 5\n0 0 1\n", "cp-size-mismatch", 2, 8,
     "declares 5 entries, but 2 x 2 has only 4 places"},
    {"lower above upper",
     "TYPE RELAY\nMATRIX M 2 2 0\nVECTOR q 2\n0\n0\nVECTOR lb 2\n0\n3\nVECTOR ub 2\n1\n2\n",
     "cp-bounds-crossed", 8, 1, "row 1: lower bound lb = 3 is above upper bound ub = 2 (line 11)"},
    {"bounds without a number between", RELAY1 "VECTOR lb 1\ninf\nVECTOR ub 1\ninf\n", "cp-bounds-crossed", 7,
     1, "row 0: no number lies between"},
    {"negative mu", FC1 "VECTOR mu 1\n-0.3\n", "cp-negative-mu", 11, 1,
     "VECTOR mu entry 0 is -0.3: a coefficient of friction, expected >= 0"},
    {"negative compliance", FC1 "VECTOR mu 1\n0\nVECTOR compliance 2\n0\n-1\n", "cp-negative-compliance", 14,
     1, "entry 1 is -1"},
    {"flag that is no flag", MLCP2 "VECTOR is_complementarity 2\n0\n2\n", "cp-flag", 12, 1,
     "entry 1 is 2, expected 0 (equality) or 1"},
    {"truncated matrix", "TYPE LCP\nMATRIX M 2 2 3\n0 0 1\n1 1 2\n", "cp-truncated", 4, 0,
     "end of file, expected 1 more entry of MATRIX M (3 declared on line 2, 2 found)"},
    {"truncated vector", LCP2 "1\n", "cp-truncated", 6, 0, "expected 1 more entry of VECTOR q"},
    {"truncated in a number", "TYPE LCP\nMATRIX M 2 2 3\n0 0 1\n1 1", "cp-missing-number", 4, 4,
     "MATRIX M entry (1, 1) has no value"},
    {"truncated after a heading", "TYPE LCP\nMATRIX M 20 20 300\n", "cp-truncated", 2, 0,
     "expected 300 more entries of MATRIX M"},
    {"too few entries", "TYPE LCP\nMATRIX M 2 2 2\n0 0 1\nVECTOR q 2\n0\n0\n", "cp-too-few", 4, 1,
     "found 'VECTOR', expected 1 more entry of MATRIX M (2 declared on line 2)"},
    {"too many entries", LCP2 "1\n2\n3\n", "cp-too-many", 8, 1,
     "'3' is one entry more than VECTOR q declares on line 5"},
    {"ten million entries claimed", "TYPE LCP\nMATRIX M 4000 4000 10000000\n0 0 1\n", "cp-too-large", 2, 10,
     "the number of rows is 4000, more than a file of 43 bytes can describe"},
    {"ten million numbers claimed", "TYPE LCP\nVECTOR q 10000000\n1\n2\n", "cp-truncated", 4, 0,
     "expected 9999998 more entries of VECTOR q"},
    {"ten to the 18 entries claimed", "TYPE LCP\nMATRIX M 2 2 1000000000000000000\n0 0 1\n", "cp-too-large",
     2, 14, "at most 134217728 are read"},
    {"more digits than an integer has", "TYPE LCP\nMATRIX M 2 2 99999999999999999999999999\n0 0 1\n",
     "cp-too-large", 2, 14, "99999999999999999999999999"},
    {"contacts beyond int", "TYPE FC3D\nnc 99999999999\n", "cp-too-large", 2, 4, "nc is 99999999999"},
    {"contacts beyond the file", "TYPE FC3D\nnc 50000000\n", "cp-too-large", 2, 4,
     "more than a file of 22 bytes can describe"},
    {"columns beyond the file",
     "TYPE MLCP\nMATRIX M 1 100000000 0\nVECTOR q 1\n0\nVECTOR is_complementarity 1\n0\n", "cp-too-large", 2,
     12, "the number of columns is 100000000"},
    {"row out of range", "TYPE LCP\nMATRIX M 2 2 1\n2 0 1\n", "cp-index-range", 3, 1,
     "MATRIX M: the row is 2, out of range: expected 0 to 1"},
    {"column out of range", "TYPE LCP\nMATRIX M 2 2 1\n0 7 1\n", "cp-index-range", 3, 3,
     "MATRIX M: the column is 7, out of range: expected 0 to 1"},
    {"negative index", "TYPE LCP\nMATRIX M 2 2 1\n-1 0 1\n", "cp-index-range", 3, 1, "the row is -1"},
    {"index beyond int", "TYPE LCP\nMATRIX M 2 2 1\n0 4294967296 1\n", "cp-index-range", 3, 3,
     "the column is 4294967296"},
    {"index that is no integer", "TYPE LCP\nMATRIX M 2 2 1\n0.5 0 1\n", "cp-not-a-number", 3, 1,
     "the row is '0.5', expected a whole number"},
    {"place given twice", "TYPE LCP\nMATRIX M 2 2 3\n0 0 1\n1 1 1\n0 0 2\n", "cp-duplicate-entry", 5, 0,
     "the entry (0, 0) was already given on line 3"},
    {"misspelt keyword", "TYPE LCP\nMATRX M 1 1 0\n", "cp-unknown-keyword", 2, 1,
     "unknown keyword 'MATRX' in a problem of type LCP; did you mean MATRIX?"},
    {"keyword of another type", "TYPE LCP\nnc 3\n", "cp-unknown-keyword", 2, 1, "unknown keyword 'nc'"},
    {"misspelt type", "TYPE FC3\n", "cp-type", 1, 6, "unknown type 'FC3'; did you mean FC3D?"},
    {"no type", "MATRIX M 1 1 0\n", "cp-type", 1, 1, "a .cp file begins with its type"},
    {"type without name", "TYPE\n", "cp-type", 1, 5, "TYPE has no name"},
    {"vector of another type", "TYPE LCP\nVECTOR mu 1\n0\n", "cp-unknown-section", 2, 8,
     "VECTOR mu is not part of LCP"},
    {"misspelt vector", "TYPE MLCP\nVECTOR is_complementary 1\n0\n", "cp-unknown-section", 2, 8,
     "did you mean is_complementarity?"},
    {"matrix of another type", "TYPE LCP\nMATRIX W 1 1 0\n", "cp-unknown-section", 2, 8,
     "MATRIX W is not part of LCP; expected M"},
    {"missing matrix", "TYPE LCP\nVECTOR q 1\n0\n", "cp-missing-section", 1, 0, "LCP has no matrix M"},
    {"missing vector", "TYPE LCP\nMATRIX M 1 1 0\n", "cp-missing-section", 1, 0,
     "LCP has no vector q: expected VECTOR q 1"},
    {"missing mu", FC1, "cp-missing-section", 1, 0, "FC2D has no vector mu"},
    {"missing nc", "TYPE FC2D\nMATRIX W 2 2 0\nVECTOR q 2\n0\n0\nVECTOR mu 1\n0\n", "cp-missing-section", 1,
     0, "no line `nc N`"},
    {"missing bounds", RELAY1, "cp-missing-section", 1, 0, "RELAY has no vector lb"},
    {"one bound only", MLCP2 "VECTOR lb 2\n0\n0\n", "cp-missing-section", 1, 0, "MLCP has no vector ub"},
    {"missing flags", MLCP2, "cp-missing-section", 1, 0, "no vector is_complementarity"},
    {"repeated vector", LCP2 "1\n1\nVECTOR q 2\n", "cp-repeated", 8, 8,
     "VECTOR q was already given on line 5"},
    {"the same vector by its two names", "TYPE GFC2D\nVECTOR q 1\n0\nVECTOR f 1\n0\n", "cp-repeated", 4, 8,
     "VECTOR q was already given on line 2"},
    {"repeated count", "TYPE FC2D\nnc 1\nnc 1\n", "cp-repeated", 3, 1, "nc was already given on line 2"},
    {"repeated type", "TYPE LCP\nTYPE LCP\n", "cp-repeated", 2, 1, "TYPE was already given on line 1"},
    {"garbage after an entry", "TYPE LCP\nMATRIX M 1 1 1\n0 0 1 kg\n", "cp-trailing", 3, 7,
     "followed by 'kg', expected the end of the line"},
    {"garbage after a number", LCP2 "1 2\n3\n", "cp-trailing", 6, 3, "followed by '2'"},
    {"garbage in a number", LCP2 "1,5\n3\n", "cp-not-a-number", 6, 1,
     "VECTOR q entry 0 is '1,5', expected a number"},
    {"hexadecimal", LCP2 "0x10\n3\n", "cp-not-a-number", 6, 1, "'0x10'"},
    {"two points", LCP2 "1.2.3\n3\n", "cp-not-a-number", 6, 1, "'1.2.3'"},
    {"exponent without digits", LCP2 "1e\n3\n", "cp-not-a-number", 6, 1, "'1e'"},
    {"a lone sign", LCP2 "-\n3\n", "cp-not-a-number", 6, 1, "'-'"},
    {"size that is no number", "TYPE LCP\nMATRIX M two 2 4\n", "cp-not-a-number", 2, 10,
     "the number of rows is 'two'"},
    {"heading without sizes", "TYPE LCP\nMATRIX M 2\n", "cp-missing-number", 2, 11,
     "the number of columns is missing"},
    {"heading without a name", "TYPE LCP\nVECTOR\n", "cp-missing-number", 2, 7, "VECTOR has no name"},
    {"negative size", "TYPE LCP\nVECTOR q -3\n", "cp-negative-size", 2, 10, "is -3, expected >= 0"},
    {"odd polygon", "TYPE FC2D\nnc 1\nlaw polygon(7)\n", "cp-law", 3, 5,
     "law is 'polygon(7)', expected cone, box or polygon(N)"},
    {"asymmetric mass", GFC0 "MATRIX M 2 2 4\n0 0 1\n0 1 0.25\n1 0 0.5\n1 1 1\n", "cp-not-symmetric", 10, 0,
     "MATRIX M entry (0, 1) is 0.25 but (1, 0) is 0.5 (line 11)"},
    {"mass of one side only", GFC0 "MATRIX M 2 2 3\n0 0 1\n0 1 0.25\n1 1 1\n", "cp-not-symmetric", 10, 0,
     "but (1, 0) is 0"},
    {"no mass", GFC0 "MATRIX M 2 2 1\n0 0 1\n", "cp-mass-not-positive", 8, 0,
     "MATRIX M entry (1, 1) is 0, expected > 0"},
    {"negative mass", GFC0 "MATRIX M 2 2 2\n0 0 1\n1 1 -1\n", "cp-mass-not-positive", 10, 0,
     "MATRIX M entry (1, 1) is -1"},
    {"empty file", "", "cp-empty", 0, 0, "the file is empty"},
    {"comments only", "# nothing\n\n   \n", "cp-empty", 3, 0, "nothing but blank lines and comments"},
    {"binary rubbish",
     "\x7f"
     "ELF\x02\x01\x01\xff\xfe garbage\n",
     "cp-type", 1, 1, "where `TYPE ...` was expected"},
};

static br_status read_file(const char *path, br_error *error) {
    br_problem_file *file = NULL;
    memset(error, 0, sizeof *error);
    const br_status status = br_problem_file_read(path, NULL, &file, error);
    if (status != BR_OK) assert_null(file); // untouched on failure
    br_problem_file_free(file);
    return status;
}

static int matches(const fault *f, br_status status, const br_error *e) {
    return status != BR_OK && status == e->status && strcmp(e->code, f->code) == 0 && e->line == f->line &&
           e->column == f->column && strstr(e->message, f->says) && strstr(e->file, "bad.cp") &&
           br_explain(e->code);
}

static void each_fault_names_its_place(void **state) {
    (void)state;
    int wrong = 0;
    for (size_t k = 0; k < sizeof faults / sizeof *faults; k++) {
        const fault *f = &faults[k];
        br_error error;
        const br_status status = read_file(temp_write("bad.cp", f->text), &error);
        if (matches(f, status, &error)) continue;
        wrong++;
        print_error("%s: expected %d:%d %s '%s'\n    got %s %d:%d %s '%s'\n", f->name, f->line, f->column,
                    f->code, f->says, br_status_name(status), error.line, error.column,
                    error.code ? error.code : "-", error.message);
    }
    assert_int_equal(wrong, 0);
}

static void line_ends_do_not_move_the_place(void **state) {
    (void)state;
    br_error error;
    read_file(temp_write("bad.cp", "TYPE LCP\r\n\r\n# comment\r\nMATRIX M 1 1 1\r\n0 0 x\r\n"), &error);
    assert_int_equal(error.line, 5);
    assert_int_equal(error.column, 5);
}

static void a_zero_byte_is_not_text(void **state) {
    (void)state;
    static const char text[] = "TYPE LCP\nMATRIX M 1 1 1\n0 0 \0 1\n";
    br_error error;
    assert_int_equal(read_file(temp_write_bytes("bad.cp", text, sizeof text - 1), &error), BR_PARSE);
    assert_string_equal(error.code, "cp-binary");
    assert_int_equal(error.line, 3);
    assert_int_equal(error.column, 5);
}

static void missing_files_and_folders_are_named(void **state) {
    (void)state;
    br_error error;
    assert_int_equal(read_file(temp_path("nothing.cp"), &error), BR_IO);
    assert_string_equal(error.code, "file-missing");
    assert_int_equal(read_file(temp_folder, &error), BR_IO);
    assert_string_equal(error.code, "file-is-folder");
    assert_int_equal(read_file("/dev/zero", &error), BR_IO);
    assert_string_equal(error.code, "file-unreadable");
    assert_int_equal(read_file("", &error), BR_IO);
    assert_string_equal(error.code, "file-missing");
    const char *path = temp_write("secret.cp", "TYPE LCP\n");
    chmod(path, 0);
    if (geteuid() != 0) {
        assert_int_equal(read_file(path, &error), BR_IO);
        assert_string_equal(error.code, "file-unreadable");
    }
    assert_int_equal(read_file(temp_write("text.hdf5", "TYPE LCP\n"), &error), BR_PARSE);
    assert_string_equal(error.code, "fclib-not-hdf5");
}

static void over_long_tokens_are_refused_and_cut_in_the_message(void **state) {
    (void)state;
    enum { LONG = 1000000 };
    char *text = malloc(LONG + 100);
    assert_non_null(text);
    int at = sprintf(text, LCP2);
    memset(text + at, '7', LONG);
    strcpy(text + at + LONG, "\n0\n");
    br_error error;
    assert_int_equal(read_file(temp_write("bad.cp", text), &error), BR_PARSE);
    assert_string_equal(error.code, "cp-not-a-number");
    assert_int_equal(error.line, 6);
    assert_true(strlen(error.message) < 200);
    memset(text + 5, 'A', LONG); // a type of a million letters
    assert_int_equal(read_file(temp_write("bad.cp", text), &error), BR_PARSE);
    assert_string_equal(error.code, "cp-type");
    assert_true(strlen(error.message) < 300);
    free(text);
}

// What a heading claims is not what is taken.
static void memory_follows_the_bytes_not_the_claims(void **state) {
    (void)state;
    static const char *const texts[] = {
        "TYPE LCP\nVECTOR q 134217728\n1\n",
        "TYPE LCP\nMATRIX M 100 100 10000\n0 0 1\n",
        "TYPE FC3D\nnc 80\nMATRIX W 80 80 6400\n0 0 1\n",
    };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        counting_allocator counter;
        const br_allocator allocator = counting_allocator_start(&counter, 0);
        br_problem_file *file = NULL;
        br_error error;
        assert_int_not_equal(br_problem_file_read(temp_write("bad.cp", texts[k]), &allocator, &file, &error),
                             BR_OK);
        assert_true(counter.bytes < 200000);
        assert_int_equal(counter.live, 0);
    }
}

// A matrix with ten million entries that are really there is read (the cap is BR_MAX_FILE_ENTRIES).
static void ten_million_real_entries_are_read(void **state) {
    (void)state;
    enum { N = 3163, ENTRIES = 10000000 };
    const char *path = temp_path("large.cp");
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fprintf(out, "TYPE LCP\nMATRIX M %d %d %d\n", N, N, ENTRIES);
    for (int k = 0; k < ENTRIES; k++) fprintf(out, "%d %d 1\n", k / N, k % N);
    fprintf(out, "VECTOR q %d\n", N);
    for (int k = 0; k < N; k++) fputs("1\n", out);
    assert_int_equal(fclose(out), 0);
    br_problem_file *file = NULL;
    br_error error;
    assert_int_equal(br_problem_file_read(path, NULL, &file, &error), BR_OK);
    assert_int_equal(br_problem_file_info(file).entries, ENTRIES);
    br_problem_file_free(file);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_fault_names_its_place),
        cmocka_unit_test(line_ends_do_not_move_the_place),
        cmocka_unit_test(a_zero_byte_is_not_text),
        cmocka_unit_test(missing_files_and_folders_are_named),
        cmocka_unit_test(over_long_tokens_are_refused_and_cut_in_the_message),
        cmocka_unit_test(memory_follows_the_bytes_not_the_claims),
        cmocka_unit_test(ten_million_real_entries_are_read),
    };
    return cmocka_run_group_tests(tests, temp_folder_make, temp_folder_remove);
}
