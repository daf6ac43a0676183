// Mistakes about contact in model files: what a person or a broken tool may write, and the message with its place that
// comes of it.
#include "bristle/io.h"
#include "bristle/model.h"
#include "temp_file.h"

#ifndef BRISTLE_SOURCE_DIR
#define BRISTLE_SOURCE_DIR "."
#endif
#define HOSTILE BRISTLE_SOURCE_DIR "/tests/data/hostile/"

#define HEAD "format: 1\n"
#define STEEL HEAD "materials: {steel: {}, rubber: {}}\n" // line 2
#define BALL                                                                                                 \
    STEEL "bodies:\n  ball:\n    mass: 1\n    inertia: [1, 1, 1]\n    shapes:\n" // shapes from line 8
#define PLAIN BALL "      - {sphere: {radius: 0.1}, material: steel}\n"          // line 8

typedef struct mistake {
    const char *name, *text, *code;
    int line, column;
    const char *message; // all of it, or what it begins with when it ends in *
} mistake;

static const mistake mistakes[] = {
    {"an odd polygon", PLAIN "contact: {law: polygon(7)}\n", "contact-law", 9, 16,
     "the contact law is polygon(7), expected polygon(N) with an even N from 4 to 64"},
    {"a polygon with two sides", PLAIN "contact: {law: polygon(2)}\n", "contact-law", 9, 16,
     "the contact law is polygon(2), expected*"},
    {"a polygon with too many sides", PLAIN "contact: {law: polygon(1000)}\n", "contact-law", 9, 16,
     "the contact law is polygon(1000), expected*"},
    {"a polygon without sides", PLAIN "contact: {law: polygon()}\n", "contact-law", 9, 16,
     "the contact law is polygon(), expected*"},
    {"a polygon with a word", PLAIN "contact: {law: polygon(many)}\n", "quantity-text", 9, 16, "law: *"},
    {"viscous at zero", PLAIN "contact: {law: viscous(0)}\n", "contact-law", 9, 16,
     "the contact law is viscous(0), expected bristle, cone, box, polygon(N) or viscous(V0) with V0 above 0"},
    {"viscous with a length", PLAIN "contact: {law: viscous(1 mm)}\n", "unit-dimension", 9, 16, "law: *"},
    {"viscous that is not finite", PLAIN "contact: {law: viscous(1e400)}\n", "quantity-not-finite", 9, 16,
     "law: *"},
    {"no iteration", PLAIN "contact: {bounds: iterated(0)}\n", "contact-bounds", 9, 19,
     "bounds is iterated(0), expected implicit, lagged or iterated(K) with a whole K from 1 to 1000"},
    {"too many iterations", PLAIN "contact: {bounds: iterated(1001)}\n", "contact-bounds", 9, 19,
     "bounds is*"},
    {"half an iteration", PLAIN "contact: {bounds: iterated(1.5)}\n", "contact-bounds", 9, 19, "bounds is*"},
    {"the paper with other bounds", PLAIN "contact: {paper: true, bounds: implicit}\n", "contact-paper", 9,
     32,
     "contact has paper: true and bounds: implicit, but the paper's bounds are lagged; leave one of the two "
     "out"},
    {"the paper with the new velocity", PLAIN "contact: {paper: true}\nsolver: {position_update: new}\n",
     "contact-paper", 10, 27,
     "solver has position_update: new and contact has paper: true, which moves positions with the old "
     "velocity; leave "
     "one of the two out"},
    {"an exclusion of nobody", PLAIN "contact: {exclude: [[ball, bal]]}\n", "unknown-body", 9, 28,
     "contact/exclude names the body 'bal', which does not exist; did you mean ball?"},
    {"an exclusion of one", PLAIN "contact: {exclude: [[ball]]}\n", "yaml-count", 9, 21, "*"},
    {"an exclusion from itself", PLAIN "contact: {exclude: [[ball, ball]]}\n", "contact-exclude", 9, 21,
     "exclude names ball twice; shapes of one body never collide"},
    {"negative mu_kinetic", PLAIN "pairs:\n  steel/steel: {mu_static: 0.1, mu_kinetic: -0.1}\n",
     "model-negative", 10, 45, "mu_kinetic of steel/steel is -0.1, expected 0 or more"},
    {"mu that is not finite", PLAIN "pairs:\n  steel/steel: {mu: inf}\n", "quantity-not-finite", 10, 21,
     "mu: *"},
    {"kinetic above static", PLAIN "pairs:\n  steel/steel: {mu_static: 0.1, mu_kinetic: 0.2}\n",
     "friction-order", 10, 45, "mu_kinetic of steel/steel is 0.2, expected no more than mu_static, 0.1"},
    {"negative restitution", PLAIN "pairs:\n  steel/steel: {mu: 0, restitution: -0.5}\n", "model-negative",
     10, 37, "restitution of steel/steel is -0.5, expected 0 or more"},
    {"restitution above one", PLAIN "pairs:\n  steel/steel: {mu: 0, restitution: 1.1}\n", "pair-restitution",
     10, 37, "the restitution of steel/steel is 1.1, expected 0 to 1"},
    {"a law of restitution", PLAIN "pairs:\n  steel/steel: {mu: 0, restitution_law: poison}\n", "yaml-word",
     10, 41, "restitution_law is 'poison', expected one of newton, poisson; did you mean 'poisson'?"},
    {"negative rolling friction", PLAIN "pairs:\n  steel/steel: {mu: 0, rolling: -1 mm}\n", "model-negative",
     10, 33, "rolling of steel/steel is -0.001, expected 0 or more"},
    {"negative bristle stiffness", PLAIN "pairs:\n  steel/steel: {mu: 0, bristle: {stiffness: -1}}\n",
     "model-negative", 10, 45, "bristle/stiffness of steel/steel is -1, expected 0 or more"},
    {"a threshold below zero", PLAIN "pairs:\n  steel/steel: {mu: 0, bristle: {v_threshold: -1}}\n",
     "model-negative", 10, 47, "bristle/v_threshold of steel/steel is -1, expected 0 or more"},
    {"a compliance without stiffness", PLAIN "pairs:\n  steel/steel: {mu: 0, compliance: {law: linear}}\n",
     "yaml-missing-key", 10, 24, "compliance has no stiffness; write stiffness: NUMBER N/m"},
    {"a compliance of no stiffness",
     PLAIN "pairs:\n  steel/steel: {mu: 0, compliance: {law: hertz, stiffness: 0}}\n", "pair-compliance", 10,
     60, "the compliance of steel/steel has the stiffness 0, expected more than 0*"},
    {"an exponent below one",
     PLAIN "pairs:\n  steel/steel: {mu: 0, compliance: {law: hertz, stiffness: 1, exponent: 0.5}}\n",
     "pair-compliance", 10, 73, "the compliance of steel/steel has the exponent 0.5, expected 1 or more"},
    {"a pair twice", PLAIN "pairs:\n  steel/rubber: {mu: 1}\n  rubber/steel: {mu: 2}\n", "name-duplicate", 11,
     3, "the pair rubber/steel is given twice, first as steel/rubber; the order of names is free"},
    {"a material that is not declared", BALL "      - {sphere: {radius: 0.1}, material: stel}\n",
     "unknown-material", 8, 43,
     "shape ball.shape0 names the material 'stel', which does not exist; did you mean steel?"},
    {"a material of the ground", PLAIN "ground:\n  - {plane: {}, material: stone}\n", "unknown-material", 10,
     27,
     "shape world.shape0 names the material 'stone', which does not exist; write stone: {} into materials"},
    {"two shapes of one name",
     BALL "      - {sphere: {radius: 0.1}, name: tip}\n      - {sphere: {radius: 0.1}, name: tip}\n",
     "name-duplicate", 9, 9, "there are two shapes named tip"},
    {"a negative mask", BALL "      - {sphere: {radius: 0.1}, mask: -1}\n", "quantity-not-whole", 8, 39, "*"},
    {"half a category", BALL "      - {sphere: {radius: 0.1}, category: 0.5}\n", "quantity-not-whole", 8, 43,
     "*"},
    {"a shape that touches nothing", BALL "      - {sphere: {radius: 0.1}, category: 0, mask: 0}\n",
     "shape-mask", 8, 43, "category and mask are both 0, so the shape touches nothing; leave it out"},
    {"a flat hull", BALL "      - {convex: {points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]}}\n",
     "shape-hull", 8, 9, "shape ball.shape0: *"},
    {"three points", BALL "      - {convex: {points: [[0, 0, 0], [1, 0, 0], [0, 1, 0]]}}\n", "shape-size", 8,
     9, "a convex shape of ball has 3 points, expected 4 or more"},
    {"a hull of nothing", BALL "      - {convex: {}}\n", "yaml-missing-key", 8, 10,
     "convex has neither points nor file; write points: [[x, y, z], ...]"},
    {"points with a scale", BALL "      - {convex: {points: [[0, 0, 0]], scale: 2}}\n", "yaml-conflict", 8,
     40, "scale belongs to a file; points are in metres already"},
    {"a mesh that is not there", BALL "      - {convex: {file: nope.stl}}\n", "file-missing", 8, 25,
     "there is no mesh file 'nope.stl' beside the model"},
    {"a mesh outside", BALL "      - {convex: {file: ../part.stl}}\n", "mesh-outside", 8, 25,
     "'../part.stl' is outside the model's folder; meshes are read from it and the folders below"},
    {"a device as a mesh", BALL "      - {convex: {file: /dev/zero.stl}}\n", "mesh-outside", 8, 25,
     "'/dev/zero.stl' is*"},
    {"a mesh scaled away", BALL "      - {convex: {file: part.stl, scale: 0}}\n", "shape-size", 8, 42,
     "scale is 0, expected more than 0"},
    {"a field without spacing", PLAIN "ground:\n  - {heightfield: {heights: [[0, 0], [0, 0]]}}\n",
     "yaml-missing-key", 10, 6, "heightfield has no spacing; write spacing: [X m, Y m]"},
    {"a field with one row", PLAIN "ground:\n  - {heightfield: {spacing: [1, 1], heights: [[0, 0]]}}\n",
     "shape-size", 10, 5, "a heightfield of the ground has 1 rows of 2 heights, expected 2 of 2 or more"},
    {"a field with a short row",
     PLAIN "ground:\n  - {heightfield: {spacing: [1, 1], heights: [[0, 0], [0]]}}\n", "shape-size", 10, 55,
     "row 1 of heights has 1 numbers, expected 2 as the first"},
    {"a field without width",
     PLAIN "ground:\n  - {heightfield: {spacing: [1, 0], heights: [[0, 0], [0, 0]]}}\n", "shape-size", 10, 5,
     "a heightfield of the ground has the spacing 0 m, expected more than 0"},
    {"a field of words", PLAIN "ground:\n  - {heightfield: {spacing: [1, 1], heights: [[0, 0], [0, up]]}}\n",
     "quantity-text", 10, 59, "*"},
    {"a field that is a number", PLAIN "ground:\n  - {heightfield: {spacing: [1, 1], heights: 3}}\n",
     "yaml-type", 10, 46, "heights is a single value, expected a list of rows of heights"},
    {"a plane without a normal", PLAIN "ground:\n  - {plane: {normal: [0, 0, 0]}}\n", "yaml-direction", 10,
     22, "*"},
};

static br_status read_text(const char *text, br_error *error) {
    br_model *model = NULL;
    memset(error, 0, sizeof *error);
    const br_status status =
        br_model_read_text(text, strlen(text), "bad.yaml", NULL, 0, NULL, &model, NULL, error);
    br_model_destroy(model);
    return status;
}

static int same_message(const char *message, const char *expected) {
    const size_t n = strlen(expected);
    return n > 0 && expected[n - 1] == '*' ? strncmp(message, expected, n - 1) == 0
                                           : strcmp(message, expected) == 0;
}

static void each_mistake_is_told_with_its_place(void **state) {
    (void)state;
    int wrong = 0;
    for (size_t k = 0; k < sizeof mistakes / sizeof mistakes[0]; k++) {
        const mistake *m = mistakes + k;
        br_error error;
        const br_status status = read_text(m->text, &error);
        const int right = status != BR_OK && error.code && strcmp(error.code, m->code) == 0 &&
                          error.line == m->line && error.column == m->column &&
                          strcmp(error.file, "bad.yaml") == 0 && same_message(error.message, m->message);
        if (right && br_explain(error.code)) continue;
        wrong++;
        print_error("%s: expected %d:%d: %s [%s]\n    got %s %d:%d: %s [%s]\n", m->name, m->line, m->column,
                    m->message, m->code, br_status_name(status), error.line, error.column, error.message,
                    error.code ? error.code : "-");
    }
    assert_int_equal(wrong, 0);
}

static void without_mistakes_it_is_read(void **state) {
    (void)state;
    br_error error;
    assert_int_equal(
        read_text(PLAIN "ground: [{plane: {}, material: steel}]\npairs: {steel/steel: {mu: 0.5}}\n", &error),
        BR_OK);
}

// ---------------------------------------------------------------------------------------------------------- meshes

// The model's text with a mesh of this name beside it.
static br_error read_with_mesh(const char *name, const void *bytes, size_t size) {
    char text[400];
    br_error error = {0};
    br_model *model = NULL;
    snprintf(text, sizeof text, BALL "      - {convex: {file: %s}}\n", name);
    temp_write_bytes(name, bytes, size);
    br_model_read(temp_write("with_mesh.yaml", text), NULL, 0, NULL, &model, NULL, &error);
    br_model_destroy(model);
    if (!error.code) error.code = "";
    return error;
}

static br_error read_with_text(const char *name, const char *text) {
    return read_with_mesh(name, text, strlen(text));
}

#define OBJ "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"

static void broken_meshes_are_told_with_their_own_path_and_place(void **state) {
    (void)state;
    static const struct {
        const char *file, *text, *code;
        int line, column;
        const char *says;
    } row[] = {
        {"a.obj", OBJ, "", 0, 0, ""},
        {"a.OBJ", OBJ "# v\nf 1 2 3\nvn 0 0 1\n", "", 0, 0, ""},
        {"b.obj", "", "mesh-empty", 0, 0, "no vertex"},
        {"c.obj", "f 1 2 3\n", "mesh-empty", 0, 0, "no vertex"},
        {"d.obj", OBJ "v 1 nan 2\n", "mesh-number", 5, 5, "nan"},
        {"e.obj", OBJ "v 1 x 2\n", "mesh-number", 5, 5, "'x' is not a number"},
        {"f.obj", OBJ "v 1 1e999 2\n", "mesh-number", 5, 5, "finite"},
        {"g.obj", OBJ "v 1 2\n", "mesh-number", 5, 1, "2 numbers, expected 3"},
        {"h.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\n", "shape-hull", 0, 0, ""},
        {"i.obj", "v 0 0 0\n", "shape-hull", 0, 0, ""},
        {"j.stl", "solid\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nvertex 0 0 1\nendsolid\n", "", 0, 0, ""},
        {"k.stl", "solid\nvertex 0 0 zero\nendsolid\n", "mesh-number", 2, 12, "'zero' is not a number"},
        {"l.stl", "solid\nhello\n", "mesh-format", 2, 1, "'hello' begins no line"},
        {"m.stl", "sol", "mesh-cut", 0, 0, "3 bytes"},
        {"n.stl", "solid of nothing\nendsolid\n", "mesh-empty", 0, 0, "no vertex"},
        {"o.step", OBJ, "mesh-format", 0, 0, ".stl or .obj"},
        {"p.stl", "solid\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nvertex 0 0 1\n", "mesh-cut", 0, 0,
         "endsolid"},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        const br_error error = read_with_text(row[k].file, row[k].text);
        const char *slash = strrchr(error.file, '/');
        if (strcmp(error.code, row[k].code) != 0 || !strstr(error.message, row[k].says) ||
            error.line != row[k].line || error.column != row[k].column ||
            (row[k].code[0] && (!slash || strcmp(slash + 1, row[k].file) != 0)))
            fail_msg("%s: %s:%d:%d %s (%s)", row[k].file, error.file, error.line, error.column, error.code,
                     error.message);
    }
}

// A tetrahedron, as many facets as it says, cut anywhere, and with every byte changed: an error or a shape, no harm.
static void binary_stl_is_not_trusted(void **state) {
    (void)state;
    static const float corner[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const int face[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
    unsigned char bytes[84 + 4 * 50] = "solid in name only";
    bytes[80] = 4;
    for (int f = 0; f < 4; f++)
        for (int c = 0; c < 3; c++) memcpy(bytes + 84 + 50 * f + 12 * (c + 1), corner[face[f][c]], 12);
    assert_string_equal(read_with_mesh("t.stl", bytes, sizeof bytes).code, "");
    for (size_t size = 0; size < sizeof bytes; size += 7) {
        const br_error error = read_with_mesh("t.stl", bytes, size);
        assert_true(error.code[0]); // cut short, the text that it seems to be has no vertex
    }
    bytes[0] = 'x';
    const br_error cut = read_with_mesh("t.stl", bytes, sizeof bytes - 1);
    assert_string_equal(cut.code, "mesh-cut");
    assert_non_null(strstr(cut.message, "4 facets, which need 284 bytes; it has 283"));
    memset(bytes + 80, 0xff, 4);
    const br_error huge = read_with_mesh("t.stl", bytes, sizeof bytes);
    assert_string_equal(huge.code, "mesh-cut");
    assert_non_null(strstr(huge.message, "4294967295 facets"));
    memset(bytes + 80, 0, 4), bytes[80] = 4;
    memset(bytes + 84 + 12, 0xff, 4); // a NaN
    const br_error nan = read_with_mesh("t.stl", bytes, sizeof bytes);
    assert_string_equal(nan.code, "mesh-number");
    assert_non_null(strstr(nan.message, "byte 96: vertex 0 of facet 0 is (-nan"));
    for (size_t k = 0; k < sizeof bytes; k++) {
        const unsigned char kept = bytes[k];
        bytes[k] = (unsigned char)(kept ^ 0xa5);
        read_with_mesh("t.stl", bytes, sizeof bytes);
        bytes[k] = kept;
    }
}

static void the_truncated_mesh_is_refused(void **state) {
    (void)state;
    char *bytes = temp_read(HOSTILE "trunc.stl"); // 94 bytes
    assert_non_null(bytes);
    const br_error error = read_with_mesh("trunc.stl", bytes, 94);
    free(bytes);
    assert_string_equal(error.code, "mesh-cut");
    assert_non_null(strstr(error.file, "trunc.stl"));
}

static void pipes_and_links_to_outside_are_not_read(void **state) {
    (void)state;
    br_error error = {0};
    br_model *model = NULL;
    const char *model_path = temp_write("with_link.yaml", BALL "      - {convex: {file: link.obj}}\n");
    assert_int_equal(symlink("/etc/hostname", temp_path("link.obj")), 0);
    assert_int_not_equal(br_model_read(model_path, NULL, 0, NULL, &model, NULL, &error), BR_OK);
    assert_string_equal(error.code, "mesh-outside");
    assert_int_equal(error.line, 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_mistake_is_told_with_its_place),
        cmocka_unit_test(without_mistakes_it_is_read),
        cmocka_unit_test(broken_meshes_are_told_with_their_own_path_and_place),
        cmocka_unit_test(binary_stl_is_not_trusted),
        cmocka_unit_test(the_truncated_mesh_is_refused),
        cmocka_unit_test(pipes_and_links_to_outside_are_not_read),
    };
    return cmocka_run_group_tests(tests, temp_folder_make, temp_folder_remove);
}
