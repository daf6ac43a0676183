// COLLADA: <visual_scene> is a tree of <node>s with transformations, which name geometries by their id; a geometry's <vertices>
// name the <source> of their positions, which has a list of numbers. Materials, skins, animations and other files are not looked at.
#include "io/import/dae.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/import/mesh.h"
#include "io/import/xml_tree.h"
#include "io/text/text.h"
#include "model/def/names.h"

enum { DAE_MAX_DEPTH = 64, DAE_MAX_POINTS = 1 << 23 }; // of nodes within nodes; of all that the scene shows

typedef struct affine {
    br_mat3 A;
    br_vec3 b;
} affine;

typedef struct dae {
    const char *path;
    br_arena *arena;
    br_error *error;
    const io_xml_node *root;
    br_names ids;
    const io_xml_node **with_id; // [ids]
    int id_capacity;
    br_vec3 *point;
    int points, capacity;
} dae;

static br_status dae_fail(const dae *d, const io_xml_node *node, const char *code, const char *message) {
    return br_fail_at(d->error, BR_INVALID, code, d->path, node->line, node->column, "<%.40s> %s", node->name,
                      message);
}

static const io_xml_node *dae_child(const io_xml_node *node, const char *name) {
    const io_xml_node *c = node ? node->first : NULL;
    while (c && strcmp(c->name, name) != 0) c = c->next;
    return c;
}

static br_status list_ids(dae *d, const io_xml_node *node) {
    const char *id = br_io_xml_get(node, "id");
    if (id && id[0] && br_names_find(&d->ids, id) < 0) {
        if (!BR_GROW(d->arena, d->with_id, d->ids.count, d->id_capacity) ||
            br_names_add(&d->ids, d->arena, id) != BR_OK)
            return br_no_memory_at(d->error, d->path, "not enough memory to read it");
        d->with_id[d->ids.count - 1] = node;
    }
    br_status status = BR_OK;
    for (const io_xml_node *c = node->first; c && status == BR_OK; c = c->next) status = list_ids(d, c);
    return status;
}

// What `#id` names in this file; NULL: nothing of that name.
static const io_xml_node *named(const dae *d, const io_xml_node *node, const char *attribute) {
    const char *url = node ? br_io_xml_get(node, attribute) : NULL;
    const int k = url && url[0] == '#' ? br_names_find(&d->ids, url + 1) : -1;
    return k < 0 ? NULL : d->with_id[k];
}

// The numbers of an element's text, at most `most`; how many there are, or -1: something is no finite number.
static int dae_numbers(const io_xml_node *node, double *out, int most) {
    int count = 0;
    for (const char *p = node->text ? node->text : ""; *(p += strspn(p, " \t\r\n"));) {
        const io_token token = {p, p + strcspn(p, " \t\r\n")};
        double x;
        if (br_io_parse_double(token, &x) != IO_NUMBER_FINITE) return -1;
        if (count < most) out[count] = x;
        count++;
        p = token.end;
    }
    return count;
}

static affine then(affine outer, br_mat3 A, br_vec3 b) {
    const affine x = {br_mat3_mul(outer.A, A), br_vec3_add(outer.b, br_mat3_mul_vec(outer.A, b))};
    return x;
}

// One transformation of a node; others than these (lookat, skew) are for cameras.
static br_status apply(const dae *d, const io_xml_node *c, affine *X) {
    double x[16];
    const int matrix = strcmp(c->name, "matrix") == 0, turn = strcmp(c->name, "rotate") == 0,
              move = strcmp(c->name, "translate") == 0, stretch = strcmp(c->name, "scale") == 0;
    const int needed = matrix ? 16 : turn ? 4 : move || stretch ? 3 : 0;
    if (needed == 0) return BR_OK;
    if (dae_numbers(c, x, needed) != needed)
        return dae_fail(d, c, "mesh-number", "has not the numbers that it needs");
    br_mat3 A = br_mat3_identity();
    br_vec3 b = br_vec3_zero();
    if (matrix)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) A.m[i][j] = x[4 * i + j];
    if (matrix) b = br_vec3_of(x[3], x[7], x[11]);
    if (move) b = br_vec3_of(x[0], x[1], x[2]);
    if (stretch) A.m[0][0] = x[0], A.m[1][1] = x[1], A.m[2][2] = x[2];
    const br_vec3 axis = br_vec3_of(x[0], x[1], x[2]);
    if (turn && br_vec3_norm(axis) > 0.0)
        A = br_quat_to_mat3(br_quat_from_axis_angle(br_vec3_normalize(axis), x[3] * BR_PI / 180.0));
    *X = then(*X, A, b);
    return BR_OK;
}

// Positions of a geometry, where X puts them.
static br_status add_geometry(dae *d, const io_xml_node *geometry, affine X) {
    const io_xml_node *mesh = dae_child(geometry, "mesh"), *vertices = dae_child(mesh, "vertices"), *input;
    for (input = dae_child(vertices, "input"); input; input = input->next) {
        const char *semantic = br_io_xml_get(input, "semantic");
        if (semantic && strcmp(semantic, "POSITION") == 0) break;
    }
    const io_xml_node *source = named(d, input, "source"), *array = dae_child(source, "float_array");
    if (!array) return BR_OK; // curves and the like
    const io_xml_node *accessor = dae_child(dae_child(source, "technique_common"), "accessor");
    const char *written = accessor ? br_io_xml_get(accessor, "stride") : NULL;
    const int stride = written ? atoi(written) : 3, count = dae_numbers(array, NULL, 0);
    if (count < 0) return dae_fail(d, array, "mesh-number", "holds something that is not a finite number");
    if (stride < 3 || stride > 16)
        return dae_fail(d, array, "mesh-format", "has no three coordinates for each point");
    const int points = count / stride;
    if (points > DAE_MAX_POINTS - d->points)
        return dae_fail(d, array, "mesh-format", "makes more than 8388608 points in all");
    double *x = BR_TAKE(d->arena, double, count);
    if (!x) return br_no_memory_at(d->error, d->path, "not enough memory to read it");
    dae_numbers(array, x, count);
    for (int k = 0; k < points; k++) {
        if (!BR_GROW(d->arena, d->point, d->points, d->capacity))
            return br_no_memory_at(d->error, d->path, "not enough memory to read it");
        const double *p = x + (size_t)k * (size_t)stride;
        d->point[d->points++] = br_vec3_add(X.b, br_mat3_mul_vec(X.A, br_vec3_of(p[0], p[1], p[2])));
    }
    return BR_OK;
}

static br_status add_node(dae *d, const io_xml_node *node, affine X, int depth) {
    br_status status = BR_OK;
    if (depth > DAE_MAX_DEPTH)
        return dae_fail(d, node, "mesh-format", "is nested more than 64 deep, or in itself");
    for (const io_xml_node *c = node->first; c && status == BR_OK; c = c->next) {
        status = apply(d, c, &X);
        const int shown = strcmp(c->name, "instance_geometry") == 0,
                  other = strcmp(c->name, "instance_node") == 0;
        const io_xml_node *what = shown || other ? named(d, c, "url") : NULL;
        if ((shown || other) && !what && status == BR_OK)
            return dae_fail(d, c, "mesh-format", "names nothing of this file; other files are not read");
        if (status == BR_OK && shown) status = add_geometry(d, what, X);
        if (status == BR_OK && other) status = add_node(d, what, X, depth + 1);
        if (status == BR_OK && strcmp(c->name, "node") == 0) status = add_node(d, c, X, depth + 1);
    }
    return status;
}

static br_status add_scene(dae *d) {
    const affine none = {br_mat3_identity(), br_vec3_zero()};
    const io_xml_node *scene =
        named(d, dae_child(dae_child(d->root, "scene"), "instance_visual_scene"), "url");
    const io_xml_node *library = dae_child(d->root, "library_geometries");
    br_status status = BR_OK;
    if (!scene) scene = dae_child(dae_child(d->root, "library_visual_scenes"), "visual_scene");
    if (scene) return add_node(d, scene, none, 0);
    for (const io_xml_node *g = library ? library->first : NULL; g && status == BR_OK; g = g->next)
        status = add_geometry(d, g, none);
    return status;
}

br_status br_io_dae_load(const char *path, br_vec3 scale, br_arena *arena, br_vec3 **points, int *count,
                         br_error *error) {
    dae d = {.path = path, .arena = arena, .error = error};
    io_xml_node *root;
    double meter = 1.0;
    br_status status = br_io_xml_load_texts(path, arena, &root, error);
    if (status != BR_OK) return status;
    d.root = root;
    if (strcmp(root->name, "COLLADA") != 0)
        return dae_fail(&d, root, "mesh-format", "begins the file, expected <COLLADA>");
    const io_xml_node *unit = dae_child(dae_child(root, "asset"), "unit");
    const char *written = unit ? br_io_xml_get(unit, "meter") : NULL;
    const io_token token = {written, written ? written + strlen(written) : NULL};
    if (written && (br_io_parse_double(token, &meter) != IO_NUMBER_FINITE || !(meter > 0.0)))
        return dae_fail(&d, unit, "mesh-number", "has no length above 0 as its meter");
    status = list_ids(&d, root);
    if (status == BR_OK) status = add_scene(&d);
    if (status != BR_OK) return status;
    if (d.points == 0)
        return br_fail_at(error, BR_INVALID, "mesh-empty", path, 0, 0, "there is no vertex in it");
    return br_io_mesh_corners(path, d.point, d.points, br_vec3_scale(meter, scale), arena, points, count,
                              error);
}
