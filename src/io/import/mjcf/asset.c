// Meshes and height fields of MJCF: found by name, opened only when a contact shape is made of them, and only within the
// model's own folder.
//
// A mesh is moved by -refpos, turned back by refquat and then scaled. A height field is laid about its geom's origin,
// its data stretched to 0 .. 1 and multiplied by its height; the rows of `elevation` begin at the far end.
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "io/import/mesh.h"
#include "io/import/mjcf/mjcf.h"
#include "io/text/beside.h"
#include "io/text/text.h"

enum { MJCF_MAX_FIELD = 1 << 22 }; // heights of one field

br_status br_mjcf_once(mjcf *m, const char *kind, const char *name, const io_xml_node *node) {
    char key[2 * BR_MAX_NAME];
    snprintf(key, sizeof key, "%.20s/%.100s", kind, name);
    const int found = br_names_find(&m->asset_names, key);
    if (found >= 0)
        return br_mjcf_fail(m, node, "mjcf-duplicate-name",
                            "a <%s> named '%.60s' was already given on line %d", node->name, name,
                            m->asset[found]->line);
    const char *copy = br_copy_text(&m->arena, key);
    if (!copy || !BR_GROW(&m->arena, m->asset, m->asset_names.count, m->asset_capacity) ||
        br_names_add(&m->asset_names, &m->arena, copy) != BR_OK)
        return br_mjcf_no_memory(m);
    m->asset[m->asset_names.count - 1] = node;
    return BR_OK;
}

// A mesh without a name is called after its file.
static br_status add_asset(mjcf *m, const io_xml_node *node) {
    char stem[BR_MAX_NAME] = "";
    const char *name = br_io_xml_get(node, "name"), *file = br_io_xml_get(node, "file");
    if (!name && file) {
        const char *slash = strrchr(file, '/'), *begin = slash ? slash + 1 : file;
        const char *dot = strrchr(begin, '.'); // names may have dots themselves: link_0.0.stl
        snprintf(stem, sizeof stem, "%.*s", dot ? (int)(dot - begin) : BR_MAX_NAME, begin);
        name = stem;
    }
    return name && name[0] ? br_mjcf_once(m, node->name, name, node) : BR_OK;
}

static const mjcf_known asset_known[] = {
    {"mesh", MJCF_USED, 0},
    {"hfield", MJCF_USED, 0},
    {"texture", BR_IMPORT_LOOKS, "only pictures need it"},
    {"material", BR_IMPORT_LOOKS, "only pictures need it"},
    {"skin", BR_IMPORT_LOOKS, "only pictures need it"},
    {"model", BR_IMPORT_LOOKS, "what is attached of it is read"},
    {NULL, 0, NULL},
};

br_status br_mjcf_read_assets(mjcf *m) {
    br_status status = BR_OK;
    for (const io_xml_node *s = m->root->first; s && status == BR_OK; s = s->next) {
        if (strcmp(s->name, "asset") != 0) continue;
        for (const io_xml_node *c = s->first; c && status == BR_OK; c = c->next) {
            const mjcf_known *known = asset_known;
            while (known->name && strcmp(known->name, c->name) != 0) known++;
            if (!known->name)
                status = br_mjcf_note(m, c, NULL, BR_IMPORT_MOTION, "this reader does not know the element");
            else if (known->effect == MJCF_USED)
                status = add_asset(m, c);
            else
                status = br_mjcf_note(m, c, NULL, (br_import_effect)known->effect, "%s", known->why);
        }
    }
    return status;
}

br_status br_mjcf_find_asset(const mjcf *m, mjcf_element e, const char *kind, const io_xml_node **out,
                             int *index) {
    const char *name = br_mjcf_get(m, e, kind, NULL);
    char key[2 * BR_MAX_NAME];
    char hint[IO_XML_HINT];
    if (!name)
        return br_mjcf_fail(m, e.node, "mjcf-missing", "<geom> names no %s%s", kind,
                            br_io_xml_hint(e.node, kind, hint));
    snprintf(key, sizeof key, "%.20s/%.100s", kind, name);
    const int k = br_names_find(&m->asset_names, key);
    if (k < 0)
        return br_mjcf_fail(m, e.node, "mjcf-unknown-name", "<geom> %s: there is no '%.60s'", kind, name);
    *out = m->asset[k];
    if (index) *index = k;
    return BR_OK;
}

br_status br_mjcf_find_asset_file(mjcf *m, const io_xml_node *node, const char *file, const char *lost,
                                  char path[PATH_MAX], int *found) {
    const char *slash = strrchr(file, '/');
    char joined[PATH_MAX], shown[IO_SHOWN];
    if (br_mjcf_scope(m, node)->strip_path && slash) file = slash + 1;
    const char *folder = file[0] == '/' ? NULL : br_mjcf_scope(m, node)->mesh_folder;
    const int length =
        snprintf(joined, sizeof joined, "%s%s%s", folder ? folder : "", folder ? "/" : "", file);
    const io_beside where =
        length < (int)sizeof joined ? br_mjcf_locate_from(m, node, joined, path) : IO_BESIDE_UNUSABLE;
    *found = where == IO_BESIDE_FOUND;
    if (*found || !lost) return BR_OK;
    br_io_show((io_token){file, file + strlen(file)}, shown);
    const int outside = where == IO_BESIDE_OUTSIDE || where == IO_BESIDE_LINK;
    if (outside && br_io_find_anywhere(m->folder, joined, path) == IO_BESIDE_FOUND)
        return br_mjcf_fail(
            m, node, "import-outside",
            "<%.20s> file '%s' is outside the model's folder; --set import.outside=true allows it",
            node->name, shown);
    return br_mjcf_note(m, node, "file", BR_IMPORT_MOTION, "'%s' is not there; %s", shown, lost);
}

static const char no_shapes[] = "contact shapes of it are left out";

// ----------------------------------------------------------------------------------------------------------- mesh

static const mjcf_known mesh_known[] = {
    {"name", MJCF_USED, 0},
    {"class", MJCF_USED, 0},
    {"file", MJCF_USED, 0},
    {"vertex", MJCF_USED, 0},
    {"scale", MJCF_USED, 0},
    {"refpos", MJCF_USED, 0},
    {"refquat", MJCF_USED, 0},
    {"content_type", MJCF_USED, 0},
    {"normal", MJCF_USED, 0}, // of faces and pictures; the hull needs none
    {"texcoord", MJCF_USED, 0},
    {"face", MJCF_USED, 0},
    {"smoothnormal", MJCF_USED, 0},
    {"inertia", MJCF_USED, 0},
    {"material", BR_IMPORT_LOOKS, "for pictures only"},
    {"maxhullvert", BR_IMPORT_NUMERICS, "hulls keep all their vertices"},
    {"builtin", BR_IMPORT_MOTION, "shapes that MuJoCo makes itself are not read; write the mesh to a file"},
    {"params", BR_IMPORT_NUMERICS, "goes with builtin"},
    {"octree_maxdepth", BR_IMPORT_NUMERICS, "a setting of MuJoCo's own search"},
    {"needsdf", BR_IMPORT_NUMERICS, "shapes by a distance function are not represented"},
    {NULL, 0, NULL},
};

br_status br_mjcf_mesh_points(mjcf *m, mjcf_element e, br_vec3 **points, int *count) {
    double *x = NULL;
    int numbers = 0;
    const br_status status = br_mjcf_list(m, e, "vertex", &x, &numbers);
    if (status != BR_OK) return status;
    if (numbers < 12 || numbers % 3 != 0)
        return br_mjcf_fail(m, e.node, "mjcf-count",
                            "<mesh> vertex has %d numbers, expected three for each of 4 or more", numbers);
    *points = BR_TAKE(&m->arena, br_vec3, numbers / 3);
    if (!*points) return br_mjcf_no_memory(m);
    for (int k = 0; k < numbers / 3; k++) (*points)[k] = br_vec3_of(x[3 * k], x[3 * k + 1], x[3 * k + 2]);
    *count = numbers / 3;
    return BR_OK;
}

static br_status file_points(mjcf *m, mjcf_element e, const char *file, br_vec3 **points, int *count,
                             int *found) {
    char path[PATH_MAX];
    const br_status status = br_mjcf_find_asset_file(m, e.node, file, no_shapes, path, found);
    if (status != BR_OK || !*found) return status;
    return br_io_mesh_load(path, br_vec3_of(1.0, 1.0, 1.0), &m->arena, points, count, m->error);
}

br_status br_mjcf_mesh_placing(const mjcf *m, mjcf_element e, mjcf_placing *out) {
    br_vec3 scale = br_vec3_of(1.0, 1.0, 1.0);
    double q[4] = {1.0, 0.0, 0.0, 0.0};
    out->origin = br_vec3_zero();
    br_status status = br_mjcf_vector(m, e, "scale", &scale);
    if (status == BR_OK) status = br_mjcf_vector(m, e, "refpos", &out->origin);
    if (status == BR_OK) status = br_mjcf_numbers(m, e, "refquat", 4, 4, q, NULL);
    if (status != BR_OK) return status;
    const br_quat turn = br_quat_of(q[0], q[1], q[2], q[3]);
    if (!(br_quat_norm(turn) > 1e-6))
        return br_mjcf_fail(m, e.node, "mjcf-axis", "<mesh> refquat is zero, expected a rotation");
    if (!(fabs(scale.x) > 0.0 && fabs(scale.y) > 0.0 && fabs(scale.z) > 0.0))
        return br_mjcf_fail(m, e.node, "mjcf-range", "<mesh> scale is (%g, %g, %g), expected none of them 0",
                            scale.x, scale.y, scale.z);
    out->turn = br_quat_conjugate(br_quat_normalize(turn));
    out->scale = scale;
    return BR_OK;
}

br_vec3 br_mjcf_place_point(const mjcf_placing *placing, br_vec3 x) {
    const br_vec3 p = br_quat_rotate(placing->turn, br_vec3_sub(x, placing->origin)), s = placing->scale;
    return br_vec3_of(s.x * p.x, s.y * p.y, s.z * p.z);
}

br_status br_mjcf_read_mesh(mjcf *m, mjcf_element geom, br_shape_def *def, int *found) {
    const io_xml_node *node = NULL;
    mjcf_element e;
    mjcf_placing placing;
    br_vec3 *points = NULL;
    br_status status = br_mjcf_find_asset(m, geom, "mesh", &node, NULL);
    if (status == BR_OK) status = br_mjcf_element_of(m, node, -1, &e);
    if (status == BR_OK) status = br_mjcf_check(m, e, mesh_known);
    if (status == BR_OK) status = br_mjcf_mesh_placing(m, e, &placing);
    if (status != BR_OK) return status;
    const char *file = br_mjcf_get(m, e, "file", NULL);
    status = file ? file_points(m, e, file, &points, &def->point_count, found)
                  : br_mjcf_mesh_points(m, e, &points, &def->point_count);
    if (status != BR_OK || !*found) return status;
    for (int k = 0; k < def->point_count; k++) points[k] = br_mjcf_place_point(&placing, points[k]);
    def->type = BR_SHAPE_CONVEX;
    def->points = points;
    def->file = file;
    return BR_OK;
}

// --------------------------------------------------------------------------------------------------- height field

static const mjcf_known field_known[] = {
    {"name", MJCF_USED, 0},         {"file", MJCF_USED, 0}, {"nrow", MJCF_USED, 0},
    {"ncol", MJCF_USED, 0},         {"size", MJCF_USED, 0}, {"elevation", MJCF_USED, 0},
    {"content_type", MJCF_USED, 0}, {NULL, 0, NULL},
};

typedef struct field {
    int rows, columns;
    double *height;
} field;

static br_status take_heights(mjcf *m, const io_xml_node *node, double rows, double columns, field *f) {
    if (!(rows >= 2.0 && columns >= 2.0 && rows * columns <= MJCF_MAX_FIELD) || rows != floor(rows) ||
        columns != floor(columns))
        return br_mjcf_fail(
            m, node, "mjcf-range",
            "<hfield> has %g rows and %g columns, expected 2 or more of each and at most %d heights", rows,
            columns, (int)MJCF_MAX_FIELD);
    f->rows = (int)rows;
    f->columns = (int)columns;
    f->height = BR_TAKE(&m->arena, double, (size_t)f->rows *(size_t)f->columns);
    return f->height ? BR_OK : br_mjcf_no_memory(m);
}

// MuJoCo's own form: two whole numbers of four bytes, rows and columns, then floats, row after row.
static br_status read_heights(mjcf *m, const io_xml_node *node, const char *path, field *f) {
    enum { HEAD = 8, EACH = 4 };
    io_text text;
    br_status status =
        br_io_text_load_up_to(&text, path, "a height field", BR_MAX_MESH_BYTES, &m->arena, m->error);
    if (status != BR_OK) return status;
    const size_t size = (size_t)(text.end - text.data);
    int32_t count[2] = {0, 0};
    if (size >= HEAD) memcpy(count, text.data, HEAD);
    status = take_heights(m, node, count[0], count[1], f);
    if (status != BR_OK) return status;
    const size_t cells = (size_t)f->rows * (size_t)f->columns;
    if (size < HEAD + EACH * cells)
        return br_mjcf_fail(m, node, "mesh-cut",
                            "the height field's file has %zu bytes, expected %zu for %d x %d heights", size,
                            HEAD + EACH * cells, f->rows, f->columns);
    for (size_t k = 0; k < cells; k++) {
        float x;
        memcpy(&x, text.data + HEAD + EACH * k, EACH);
        if (!isfinite(x))
            return br_mjcf_fail(m, node, "mesh-number",
                                "byte %zu of the height field's file is no finite number", HEAD + EACH * k);
        f->height[k] = (double)x;
    }
    return BR_OK;
}

static br_status written_heights(mjcf *m, mjcf_element e, field *f) {
    double rows = 0.0, columns = 0.0, *x = NULL;
    int count = 0;
    br_status status = br_mjcf_number(m, e, "nrow", &rows);
    if (status == BR_OK) status = br_mjcf_number(m, e, "ncol", &columns);
    if (status == BR_OK) status = take_heights(m, e.node, rows, columns, f);
    if (status == BR_OK) status = br_mjcf_list(m, e, "elevation", &x, &count);
    if (status != BR_OK || count == 0) return status; // flat until a program fills it in
    if (count != f->rows * f->columns)
        return br_mjcf_fail(m, e.node, "mjcf-count", "<hfield> elevation has %d numbers, expected %d", count,
                            f->rows * f->columns);
    for (int k = 0; k < count; k++)
        f->height[(f->rows - 1 - k / f->columns) * f->columns + k % f->columns] = x[k];
    return BR_OK;
}

static void stretch(field *f, double height) {
    const int count = f->rows * f->columns;
    double low = INFINITY, high = -INFINITY;
    for (int k = 0; k < count; k++) low = fmin(low, f->height[k]), high = fmax(high, f->height[k]);
    for (int k = 0; k < count; k++)
        f->height[k] = high > low ? height * ((f->height[k] - low) / (high - low)) : 0.0;
}

br_status br_mjcf_read_field(mjcf *m, mjcf_element geom, br_shape_def *def, int *found) {
    const io_xml_node *node = NULL;
    double size[4] = {0.0, 0.0, 0.0, 0.0};
    char path[PATH_MAX];
    field f = {0, 0, NULL};
    br_status status = br_mjcf_find_asset(m, geom, "hfield", &node, NULL);
    if (status != BR_OK) return status;
    const mjcf_element e = {node, -1};
    const char *file = br_io_xml_get(node, "file"), *dot = file ? strrchr(file, '.') : NULL;
    status = br_mjcf_check(m, e, field_known);
    if (status == BR_OK) status = br_mjcf_numbers(m, e, "size", 4, 4, size, NULL);
    if (status == BR_OK && !(size[0] > 0.0 && size[1] > 0.0 && size[2] > 0.0))
        return br_mjcf_fail(m, node, "mjcf-range", "<hfield> size is (%g, %g, %g), expected > 0", size[0],
                            size[1], size[2]);
    if (status != BR_OK) return status;
    if (dot && strcmp(dot, ".png") == 0) {
        *found = 0;
        return br_mjcf_note(m, node, "file", BR_IMPORT_MOTION,
                            "heights are not read from pictures; its shapes are left out");
    }
    if (file) status = br_mjcf_find_asset_file(m, node, file, no_shapes, path, found);
    if (status != BR_OK || !*found) return status;
    status = file ? read_heights(m, node, path, &f) : written_heights(m, e, &f);
    if (status != BR_OK) return status;
    stretch(&f, size[2]);
    def->type = BR_SHAPE_HEIGHTFIELD;
    def->rows = f.rows;
    def->columns = f.columns;
    def->heights = f.height;
    def->spacing = br_vec3_of(2.0 * size[0] / (f.columns - 1), 2.0 * size[1] / (f.rows - 1), 0.0);
    def->pose.position = br_pose_point(def->pose, br_vec3_of(-size[0], -size[1], 0.0));
    return BR_OK;
}
