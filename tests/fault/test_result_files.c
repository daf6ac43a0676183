// Results from anywhere. HDF5 files that are no result, or a result that somebody altered: refused with the part's name, nothing printed, nothing
// read from other files, no memory taken for sizes that are only claimed.
#include <sys/wait.h>

#include <hdf5.h>

#include "counting_allocator.h"
#include "io/export/gltf_write.h"
#include "random.h"
#include "result_sample.h"

static void make_good(void) {
    const br_result_header h = sample_header();
    br_error error;
    if (access(temp_path("good.result"), R_OK) != 0)
        sample_write("good.result", &h, 50, 1); // waits for the disk
    assert_int_equal(
        br_result_export(temp_path("good.result"), temp_path("bad.h5"), NULL, NULL, NULL, &error), BR_OK);
}

static hid_t edit(void) {
    make_good();
    const hid_t file = H5Fopen(temp_path("bad.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(file >= 0);
    return file;
}

// Opens and reads everything. A good file in the end is BR_OK.
static br_status read_all(const char *path, const br_allocator *allocator, br_error *error) {
    br_result *r = NULL;
    br_result_item item;
    memset(error, 0, sizeof *error);
    br_status status = br_result_open(path, allocator, &r, error);
    while (status == BR_OK && (status = br_result_next(r, &item, error)) == BR_OK)
        if (item.kind == BR_RESULT_END || item.kind == BR_RESULT_CUT) break;
    br_result_close(r);
    return status;
}

static void expect(hid_t file, const char *code, const char *says) {
    br_error error;
    counting_allocator counter;
    const br_allocator allocator = counting_allocator_start(&counter, 0);
    assert_true(H5Fclose(file) >= 0);
    const br_status status = read_all(temp_path("bad.h5"), &allocator, &error);
    if (status == BR_OK || strcmp(error.code, code) != 0 || !strstr(error.message, says))
        print_error("expected %s '%s', got %s '%s'\n", code, says, error.code ? error.code : "-",
                    error.message);
    assert_int_not_equal(status, BR_OK);
    assert_string_equal(error.code, code);
    assert_non_null(strstr(error.message, says));
    assert_int_equal(counter.live, 0);
    assert_true(counter.largest < 1 << 24);
}

// A dataset in place of another: of a type, a rank and sizes; filled where x is given.
static void replace(hid_t file, const char *name, hid_t type, int rank, const hsize_t *size, const void *x) {
    if (H5Lexists(file, name, H5P_DEFAULT) > 0) H5Ldelete(file, name, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(rank, size, NULL);
    const hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(set >= 0);
    if (x) H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, x);
    H5Dclose(set);
    H5Sclose(space);
}

static void set_double(hid_t object, const char *name, double x) {
    H5Adelete(object, name);
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t a = H5Acreate2(object, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(a, H5T_NATIVE_DOUBLE, &x);
    H5Aclose(a);
    H5Sclose(space);
}

// ------------------------------------------------------------------------------------------------------- attributes

static void altered_attributes_are_named(void **state) {
    (void)state;
    hid_t file = edit();
    H5Adelete(file, "format");
    expect(file, "result-not-one", "not one that bristle export wrote");
    file = edit();
    set_double(file, "layout", 2.5);
    expect(file, "result-hdf5", "layout is not a whole number");
    file = edit();
    set_double(file, "until", INFINITY);
    expect(file, "result-hdf5", "until is not a finite number");
    file = edit();
    set_double(file, "stepper", 1);
    expect(file, "result-hdf5", "stepper is not a text");
    file = edit();
    H5Adelete(file, "outcome");
    expect(file, "result-hdf5", "outcome is missing");
    file = edit();
    H5Adelete_by_name(file, "/ledger", "creep", H5P_DEFAULT);
    expect(file, "result-hdf5", "creep is missing");
    file = edit();
    H5Adelete_by_name(file, "/model", "hash", H5P_DEFAULT);
    expect(file, "result-hdf5", "hash is missing");
}

// ---------------------------------------------------------------------------------------------------------- datasets

static void altered_datasets_are_named(void **state) {
    (void)state;
    const double x[60] = {0}, nan[50] = {[7] = NAN};
    const hsize_t fifty = 50, sixty = 60, five_ten[2] = {5, 10};
    hid_t file = edit();
    replace(file, "/channels/arm.position", H5T_NATIVE_DOUBLE, 1, &sixty, x);
    expect(file, "result-hdf5", "arm.position is longer or shorter");
    file = edit();
    replace(file, "/channels/arm.position", H5T_NATIVE_DOUBLE, 2, five_ten, x);
    expect(file, "result-hdf5", "shape that is not that of a column");
    file = edit();
    replace(file, "/channels/arm.position", H5T_C_S1, 1, &fifty, NULL);
    expect(file, "result-hdf5", "is not a list of numbers");
    file = edit();
    replace(file, "/channels/arm.position", H5T_NATIVE_LDOUBLE, 1, &fifty, NULL);
    expect(file, "result-hdf5", "more than 8 bytes");
    file = edit();
    replace(file, "/channels/arm.position", H5T_NATIVE_DOUBLE, 1, &fifty, nan);
    expect(file, "result-hdf5", "not finite");
    file = edit();
    replace(file, "/events/row", H5T_NATIVE_DOUBLE, 1, &fifty, x);
    expect(file, "result-hdf5", "is not a list of whole numbers");
    file = edit();
    replace(file, "/model/text", H5T_NATIVE_DOUBLE, 1, &fifty, x);
    expect(file, "result-hdf5", "text is not a text");
    file = edit();
    H5Ldelete(file, "/contacts/gap", H5P_DEFAULT);
    expect(file, "result-hdf5", "gap is not a dataset of this file");
    file = edit();
    H5Ldelete(file, "/channels", H5P_DEFAULT);
    expect(file, "result-hdf5", "/channels is not a group");
}

static void changed_entries_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *name, *says;
        unsigned char byte;
    } cases[] = {{"/contacts/state", "no contact", 7},
                 {"/contacts/name", "no contact", 255},
                 {"/contacts/row", "rows that are not there", 99},
                 {"/contacts/frames", "rows that are not there", 99},
                 {"/events/kind", "no known kind", 'q'}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const hid_t file = edit(), set = H5Dopen2(file, cases[k].name, H5P_DEFAULT);
        const hid_t type = H5Dget_type(set), space = H5Dget_space(set);
        const size_t bytes = H5Tget_size(type) * (size_t)H5Sget_simple_extent_npoints(space);
        unsigned char *data = malloc(bytes);
        H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
        for (size_t i = 0; i < bytes; i += H5Tget_size(type)) data[i] = cases[k].byte;
        H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
        free(data);
        H5Sclose(space);
        H5Tclose(type);
        H5Dclose(set);
        expect(file, "result-hdf5", cases[k].says);
    }
}

// ------------------------------------------------------------------------------------------------------------- sizes

static hid_t chunked(hsize_t chunk) {
    const hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(plist, 1, &chunk);
    return plist;
}

static void place(hid_t file, const char *name, hid_t type, hsize_t size, hid_t plist) {
    H5Ldelete(file, name, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(1, &size, NULL);
    const hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    assert_true(set >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(plist);
}

static void claimed_sizes_take_no_memory(void **state) {
    (void)state;
    hid_t file = edit();
    place(file, "/channels/t", H5T_NATIVE_DOUBLE, (hsize_t)1 << 50, chunked(1 << 20));
    expect(file, "result-hdf5", "claims more entries");
    file = edit();
    place(file, "/channels/t", H5T_NATIVE_DOUBLE, (hsize_t)1 << 50, chunked(1 << 27));
    expect(file, "result-hdf5", "pieces of more than 256 MB");
    file = edit();
    place(file, "/contacts/names", H5T_C_S1, (hsize_t)1 << 40, chunked(1 << 20));
    expect(file, "result-hdf5", "names claims more entries");
    file = edit();
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, (size_t)1 << 30);
    H5Ldelete(file, "/model/text", H5P_DEFAULT);
    const hid_t space = H5Screate(H5S_SCALAR);
    H5Dclose(H5Dcreate2(file, "/model/text", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(space);
    H5Tclose(type);
    expect(file, "result-hdf5", "text claims more entries");
}

// ------------------------------------------------------------------------------------------------------------- links

static void links_that_lead_elsewhere_are_not_followed(void **state) {
    (void)state;
    hid_t file = edit();
    H5Lcreate_external("/etc/hostname", "/x", file, "/channels/x", H5P_DEFAULT, H5P_DEFAULT);
    expect(file, "result-hdf5", "not a dataset of this file");
    file = edit();
    H5Lcreate_soft("/channels/t", file, "/channels/again", H5P_DEFAULT, H5P_DEFAULT);
    expect(file, "result-hdf5", "not a dataset of this file");
    file = edit();
    H5Lcreate_soft("/channels/b", file, "/channels/a", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/channels/a", file, "/channels/b", H5P_DEFAULT, H5P_DEFAULT);
    expect(file, "result-hdf5", "not a dataset of this file");
    file = edit();
    H5Lcreate_hard(file, "/channels", file, "/channels/loop", H5P_DEFAULT, H5P_DEFAULT);
    expect(file, "result-hdf5", "not a dataset of this file");
    file = edit();
    H5Ldelete(file, "/events", H5P_DEFAULT);
    H5Lcreate_soft("/", file, "/events", H5P_DEFAULT, H5P_DEFAULT);
    expect(file, "result-hdf5", "/events is not a group of this file");
}

static void numbers_in_other_files_are_not_read(void **state) {
    (void)state;
    double numbers[50] = {0};
    temp_write_bytes("raw.bin", numbers, sizeof numbers);
    hid_t file = edit();
    hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(plist, temp_path("raw.bin"), 0, sizeof numbers);
    place(file, "/channels/arm.position", H5T_NATIVE_DOUBLE, 50, plist);
    expect(file, "result-hdf5", "in another file");
    file = edit();
    const hsize_t fifty = 50;
    const hid_t space = H5Screate_simple(1, &fifty, NULL);
    plist = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_virtual(plist, space, temp_path("other.h5"), "/x", space);
    H5Sclose(space);
    place(file, "/channels/arm.position", H5T_NATIVE_DOUBLE, 50, plist);
    expect(file, "result-hdf5", "such as in another file");
}

// ------------------------------------------------------------------------------------------------------------ damage

static void read_spoiled(const unsigned char *bytes, size_t size) {
    rng r = {20261116};
    static unsigned char spoiled[1 << 20];
    for (int trial = 0; trial < 300; trial++) {
        memcpy(spoiled, bytes, size);
        for (uint64_t k = 0; k <= rng_next(&r) % 3; k++)
            spoiled[8 + rng_next(&r) % (size - 8)] ^= (unsigned char)(1u << rng_next(&r) % 8);
        br_error error;
        read_all(temp_write_bytes("flip.h5", spoiled, size), NULL, &error);
    }
}

// In a process of its own, as for FCLIB files: what counts is that it gets to its end.
static void damaged_files_do_not_end_the_program(void **state) {
    (void)state;
    make_good();
    static unsigned char bytes[1 << 20];
    FILE *in = fopen(temp_path("bad.h5"), "rb");
    const size_t size = fread(bytes, 1, sizeof bytes, in);
    fclose(in);
    assert_true(size < sizeof bytes);
    for (size_t cut = 8; cut < size; cut += size / 41) {
        br_error error;
        assert_int_not_equal(read_all(temp_write_bytes("cut.h5", bytes, cut), NULL, &error), BR_OK);
        assert_string_equal(error.code, "result-hdf5");
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

// ---------------------------------------------------------------------------------------------------- tables and scenes

static size_t mutate(rng *r, const char *text, char *out, size_t room) {
    static const char likely[] = ",\"\n\r{}[]:-.e019xt\\u\xff";
    size_t n = strlen(text) < room ? strlen(text) : room - 1;
    memcpy(out, text, n);
    for (int k = 0; k < 1 + rng_below(r, 4); k++) {
        const size_t at = (size_t)rng_below(r, (int)n);
        const int what = rng_below(r, 3);
        if (what == 0) {
            out[at] = likely[rng_below(r, (int)sizeof likely)];
        } else if (what == 1 && n > 8) { // a piece is missing
            const size_t gone = 1 + (size_t)rng_below(r, 6);
            if (at + gone >= n) continue;
            memmove(out + at, out + at + gone, n - at - gone);
            n -= gone;
        } else {
            n = at + 1; // cut
        }
    }
    out[n] = '\0';
    return n;
}

static void mutated_tables_are_read_or_refused(void **state) {
    (void)state;
    rng r = {7};
    for (int trial = 0; trial < 3000; trial++) {
        char text[256];
        br_error error;
        const size_t n =
            mutate(&r, "t,\"a,\"\"b\"\"\",energy.total\n0,1,-2.5e-3\n0.1,3,4\n0.2,5,6\n", text, sizeof text);
        const br_status status = read_all(temp_write_bytes("m.csv", text, n), NULL, &error);
        assert_true(status == BR_OK || (status == BR_PARSE && error.message[0]) || status == BR_TOO_LARGE);
    }
}

static void mutated_scenes_are_drawn_or_refused(void **state) {
    (void)state;
    static const char scene[] = "{\"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"arm\", \"com\": [0, "
                                "0, 0], \"box\": {\"size\": [1, 1, 1], "
                                "\"rotation\": [1, 0, 0, 0]}}, {\"name\": \"n\", \"com\": [0, 0, 0]}], "
                                "\"shapes\": [{\"name\": \"s\", \"body\": 0, "
                                "\"kind\": \"mesh\", \"position\": [0, 0, 0], \"rotation\": [1, 0, 0, 0], "
                                "\"vertices\": [0,0,0,1,0,0,0,1,0], "
                                "\"triangles\": [0,1,2]}], \"beams\": [{\"name\": \"b\", \"nodes\": [0, 1], "
                                "\"size\": [0.1, 0.1], \"round\": true, "
                                "\"rest\": [0,0,0,1,0,0,0, 1,0,0,1,0,0,0]}]}";
    static const float poses[2][2][7] = {{{0, 0, 0, 1, 0, 0, 0}, {1, 0, 0, 1, 0, 0, 0}},
                                         {{0, 1, 0, 1, 0, 0, 0}, {1, 0, 0, 0, 1, 0, 0}}};
    static const float times[2] = {0, 0.1F};
    rng r = {11};
    int drawn = 0;
    for (int trial = 0; trial < 2000; trial++) {
        char text[1024];
        br_error error;
        br_arena arena;
        gltf_scene g;
        memset(&g, 0, sizeof g);
        br_arena_init(&arena, NULL);
        mutate(&r, scene, text, sizeof text);
        const br_status status = br_io_scene_read(text, &arena, &g.scene, &error);
        assert_true(status == BR_OK || status == BR_PARSE || status == BR_TOO_LARGE);
        if (status == BR_OK && g.scene.bodies == 2) {
            g.name = "mutant";
            g.frames = 2;
            br_gltf_bytes_add(&g.pose, poses, sizeof poses);
            br_gltf_bytes_add(&g.t, times, sizeof times);
            assert_int_equal(br_gltf_write(&g, temp_path("s.glb"), &arena, &error), BR_OK);
            drawn++;
        }
        br_gltf_bytes_free(&g.pose);
        br_gltf_bytes_free(&g.t);
        br_arena_free(&arena);
    }
    assert_true(drawn > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(altered_attributes_are_named),
        cmocka_unit_test(altered_datasets_are_named),
        cmocka_unit_test(changed_entries_are_refused),
        cmocka_unit_test(claimed_sizes_take_no_memory),
        cmocka_unit_test(links_that_lead_elsewhere_are_not_followed),
        cmocka_unit_test(numbers_in_other_files_are_not_read),
        cmocka_unit_test(damaged_files_do_not_end_the_program),
        cmocka_unit_test(mutated_tables_are_read_or_refused),
        cmocka_unit_test(mutated_scenes_are_drawn_or_refused),
    };
    return cmocka_run_group_tests(tests, temp_folder_make, temp_folder_remove);
}
