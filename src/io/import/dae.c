// COLLADA: <visual_scene> is a tree of <node>s with transformations, which name geometries by their id; a geometry's <vertices>
// name the <source> of their positions, which has a list of numbers. For pictures, the lists of polygons and the diffuse colours of the
// materials that an <instance_geometry> binds to them. Textures, skins, animations and other files are not looked at.
#include "io/import/dae.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/import/mesh.h"
#include "io/import/xml_tree.h"
#include "io/text/text.h"
#include "model/def/names.h"

enum {
    DAE_MAX_DEPTH = 64,       // of nodes within nodes
    DAE_MAX_POINTS = 1 << 23, // of all that the scene shows
    DAE_MAX_CORNERS = 12000000,
    DAE_MAX_INPUTS = 64 // numbers for each corner of a polygon
};

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
    // Of pictures:
    int has_faces;
    br_vec3 *corner; // three for each triangle
    int corners, corner_capacity;
    int *colour_of; // [corners / 3]
    int colour_capacity;
    io_dae_part part[BR_MAX_DAE_COLOURS]; // their colours
    int colours;
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

// --- polygons --------------------------------------------------------------------------------------------------

static int same_colour(const double *a, const double *b) {
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2] && a[3] == b[3];
}

static int colour_number(dae *d, const double colour[4]) {
    for (int k = 0; k < d->colours; k++)
        if (same_colour(d->part[k].colour, colour)) return k;
    if (d->colours == BR_MAX_DAE_COLOURS) return d->colours - 1;
    memcpy(d->part[d->colours].colour, colour, sizeof d->part[0].colour);
    return d->colours++;
}

static const io_xml_node *dae_below(const io_xml_node *node, const char *name, int depth) {
    for (const io_xml_node *c = node ? node->first : NULL; c; c = c->next) {
        const io_xml_node *found = strcmp(c->name, name) == 0 ? c
                                   : depth > 0                ? dae_below(c, name, depth - 1)
                                                              : NULL;
        if (found) return found;
    }
    return NULL;
}

// The diffuse colour of the material that `instance` binds to the list of polygons; -1: there is none.
static void bound_colour(const dae *d, const io_xml_node *instance, const io_xml_node *list,
                         double colour[4]) {
    const char *symbol = br_io_xml_get(list, "material");
    const io_xml_node *bind = dae_child(dae_child(instance, "bind_material"), "technique_common"),
                      *material = NULL;
    for (const io_xml_node *c = bind ? bind->first : NULL; c && symbol && !material; c = c->next) {
        const char *own = br_io_xml_get(c, "symbol");
        if (own && strcmp(own, symbol) == 0) material = named(d, c, "target");
    }
    const io_xml_node *effect = named(d, dae_child(material, "instance_effect"), "url");
    const io_xml_node *written = dae_child(dae_below(effect, "diffuse", 4), "color");
    double rgba[4] = {0.0, 0.0, 0.0, 1.0};
    for (int k = 0; k < 4; k++) colour[k] = -1.0;
    if (!written || dae_numbers(written, rgba, 4) < 3) return;
    for (int k = 0; k < 4; k++) colour[k] = fmin(fmax(rgba[k], 0.0), 1.0);
    if (colour[3] == 0.0) colour[3] = 1.0; // written so by exporters that mean opaque
}

typedef struct polygons {
    const io_xml_node *list;
    const double *point; // x, y, z of each, `stride` apart
    int points, stride, inputs, offset, colour;
    affine X;
} polygons;

static br_vec3 placed(const polygons *g, int k) {
    const double *p = g->point + (size_t)k * (size_t)g->stride;
    return br_vec3_add(g->X.b, br_mat3_mul_vec(g->X.A, br_vec3_of(p[0], p[1], p[2])));
}

static br_status add_triangle(dae *d, const polygons *g, int a, int b, int c) {
    const int three[3] = {a, b, c};
    if (d->corners > DAE_MAX_CORNERS - 3)
        return dae_fail(d, g->list, "mesh-format", "makes more than 4000000 triangles in all");
    if (!BR_GROW(d->arena, d->colour_of, d->corners / 3, d->colour_capacity))
        return br_no_memory_at(d->error, d->path, "not enough memory to read it");
    d->colour_of[d->corners / 3] = g->colour;
    for (int k = 0; k < 3; k++) {
        if (!BR_GROW(d->arena, d->corner, d->corners, d->corner_capacity))
            return br_no_memory_at(d->error, d->path, "not enough memory to read it");
        d->corner[d->corners++] = placed(g, three[k]);
    }
    return BR_OK;
}

// The next whole number of a text; -1: there is none.
static int next_index(const char **at) {
    const char *p = *at + strspn(*at, " \t\r\n");
    int k = 0;
    if (*p < '0' || *p > '9') return -1;
    for (; *p >= '0' && *p <= '9'; p++) k = k < 100000000 ? 10 * k + (*p - '0') : k;
    *at = p;
    return k;
}

// One polygon of so many corners as a fan. 0 corners: as many as the text has.
static br_status add_polygon(dae *d, const polygons *g, int corners, const char **at) {
    br_status status = BR_OK;
    for (int k = 0, first = 0, before = 0; (corners == 0 || k < corners) && status == BR_OK; k++) {
        int own = -1;
        for (int i = 0; i < g->inputs; i++) {
            const int x = next_index(at);
            if (x < 0 && corners == 0 && i == 0) return BR_OK;
            if (x < 0) return dae_fail(d, g->list, "mesh-face", "has fewer corners in its <p> than it says");
            if (i == g->offset) own = x;
        }
        if (own >= g->points)
            return dae_fail(d, g->list, "mesh-face", "has a corner that is none of its points");
        if (k >= 2) status = add_triangle(d, g, first, before, own);
        if (k == 0) first = own;
        before = own;
    }
    return status;
}

static br_status add_list(dae *d, const polygons *g) {
    const int triangles = strcmp(g->list->name, "triangles") == 0,
              many = strcmp(g->list->name, "polygons") == 0;
    const io_xml_node *counts = dae_child(g->list, "vcount");
    const char *count = counts && counts->text ? counts->text : "";
    br_status status = BR_OK;
    for (const io_xml_node *p = g->list->first; p && status == BR_OK; p = p->next) {
        const char *at = p->text ? p->text : "";
        if (strcmp(p->name, "p") != 0) continue;
        if (many) status = add_polygon(d, g, 0, &at);
        while (!many && status == BR_OK && *(at += strspn(at, " \t\r\n"))) {
            const int corners = triangles ? 3 : next_index(&count);
            if (corners < 1)
                return dae_fail(d, g->list, "mesh-face", "has more corners in its <p> than in its <vcount>");
            status = add_polygon(d, g, corners, &at);
        }
    }
    return status;
}

// Lists of polygons of a mesh whose points are `point`.
static br_status add_faces(dae *d, const io_xml_node *mesh, const io_xml_node *instance, polygons *g) {
    br_status status = BR_OK;
    for (const io_xml_node *c = mesh->first; c && status == BR_OK; c = c->next) {
        if (strcmp(c->name, "triangles") != 0 && strcmp(c->name, "polylist") != 0 &&
            strcmp(c->name, "polygons") != 0)
            continue;
        g->list = c, g->inputs = 1, g->offset = -1;
        for (const io_xml_node *i = c->first; i; i = i->next) {
            const char *written = br_io_xml_get(i, "offset"), *semantic = br_io_xml_get(i, "semantic");
            const int offset = written ? atoi(written) : 0;
            if (strcmp(i->name, "input") != 0 || offset < 0 || offset >= DAE_MAX_INPUTS) continue;
            if (offset >= g->inputs) g->inputs = offset + 1;
            if (semantic && strcmp(semantic, "VERTEX") == 0) g->offset = offset;
        }
        double colour[4];
        bound_colour(d, instance, c, colour);
        g->colour = colour_number(d, colour);
        if (g->offset >= 0) status = add_list(d, g);
    }
    return status;
}

// --- the scene -------------------------------------------------------------------------------------------------

// Positions of a geometry, where X puts them. instance: what binds materials to it, or NULL.
static br_status add_geometry(dae *d, const io_xml_node *geometry, const io_xml_node *instance, affine X) {
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
    polygons g = {.point = x, .points = points, .stride = stride, .X = X};
    if (d->has_faces) return add_faces(d, mesh, instance, &g);
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
        if (status == BR_OK && shown) status = add_geometry(d, what, c, X);
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
        status = add_geometry(d, g, NULL, none);
    return status;
}

// The scene's points, or its triangles. *meter: of the file's unit.
static br_status dae_read(dae *d, double *meter) {
    io_xml_node *root;
    *meter = 1.0;
    br_status status = br_io_xml_load_texts(d->path, d->arena, &root, d->error);
    if (status != BR_OK) return status;
    d->root = root;
    if (strcmp(root->name, "COLLADA") != 0)
        return dae_fail(d, root, "mesh-format", "begins the file, expected <COLLADA>");
    const io_xml_node *unit = dae_child(dae_child(root, "asset"), "unit");
    const char *written = unit ? br_io_xml_get(unit, "meter") : NULL;
    const io_token token = {written, written ? written + strlen(written) : NULL};
    if (written && (br_io_parse_double(token, meter) != IO_NUMBER_FINITE || !(*meter > 0.0)))
        return dae_fail(d, unit, "mesh-number", "has no length above 0 as its meter");
    status = list_ids(d, root);
    return status == BR_OK ? add_scene(d) : status;
}

br_status br_io_dae_load(const char *path, br_vec3 scale, br_arena *arena, br_vec3 **points, int *count,
                         br_error *error) {
    dae d = {.path = path, .arena = arena, .error = error};
    double meter;
    const br_status status = dae_read(&d, &meter);
    if (status != BR_OK) return status;
    if (d.points == 0)
        return br_fail_at(error, BR_INVALID, "mesh-empty", path, 0, 0, "there is no vertex in it");
    return br_io_mesh_corners(path, d.point, d.points, br_vec3_scale(meter, scale), arena, points, count,
                              error);
}

br_status br_io_dae_load_faces(const char *path, br_arena *arena, br_vec3 **corners, int *count,
                               io_dae_part **parts, int *part_count, br_error *error) {
    dae d = {.path = path, .arena = arena, .error = error, .has_faces = 1};
    double meter;
    const br_status status = dae_read(&d, &meter);
    if (status != BR_OK) return status;
    br_vec3 *sorted = BR_TAKE(arena, br_vec3, d.corners);
    io_dae_part *own = BR_TAKE(arena, io_dae_part, d.colours);
    if (!br_arena_ok(arena)) return br_no_memory_at(error, path, "not enough memory to read it");
    int at = 0;
    for (int c = 0; c < d.colours; c++) {
        own[c] = d.part[c];
        own[c].first = at;
        for (int k = 0; k < d.corners; k++) {
            const br_vec3 x = br_vec3_scale(meter, d.corner[k]);
            if (d.colour_of[k / 3] != c) continue;
            if (!br_vec3_is_finite(x))
                return br_fail_at(error, BR_INVALID, "mesh-number", path, 0, 0,
                                  "a point is not finite where its nodes put it");
            sorted[at++] = x;
        }
        own[c].count = at - own[c].first;
    }
    *corners = sorted, *count = at;
    *parts = own, *part_count = d.colours;
    return BR_OK;
}
