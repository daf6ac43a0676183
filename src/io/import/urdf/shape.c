// Contact shapes of URDF links, and the mesh files that they name.
//
// Files are looked for in the model's own folder and below. package://NAME/PATH is PATH in that folder, or NAME/PATH;
// where the caller allows files outside, in the folders above it, too, which is where packages have their meshes.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "io/import/dae.h"
#include "io/import/mesh.h"
#include "io/import/name.h"
#include "io/import/urdf/urdf.h"
#include "io/text/beside.h"
#include "io/text/text.h"

enum { URDF_MAX_CLIMB = 8 }; // folders above the model's, where outside files are allowed

static const urdf_known nothing[] = {{NULL, 0, NULL}};
static const urdf_known collision_attributes[] = {
    {"name", URDF_USED, 0}, {"group", BR_IMPORT_LOOKS, "groups are not imported"}, {NULL, 0, NULL}};
static const urdf_known collision_children[] = {
    {"origin", URDF_USED, 0},
    {"geometry", URDF_USED, 0},
    {"verbose", BR_IMPORT_LOOKS, "a remark"},
    {"material", BR_IMPORT_LOOKS, "colours are not imported"},
    {"contact_coefficients", BR_IMPORT_MOTION, "friction comes from <gazebo> mu1"},
    {NULL, 0, NULL}};
static const urdf_known kinds[] = {{"box", URDF_USED, 0},      {"sphere", URDF_USED, 0},
                                   {"cylinder", URDF_USED, 0}, {"capsule", URDF_USED, 0},
                                   {"mesh", URDF_USED, 0},     {NULL, 0, NULL}};
static const urdf_known box_attributes[] = {{"size", URDF_USED, 0}, {NULL, 0, NULL}};
static const urdf_known sphere_attributes[] = {{"radius", URDF_USED, 0}, {NULL, 0, NULL}};
static const urdf_known round_attributes[] = {
    {"radius", URDF_USED, 0}, {"length", URDF_USED, 0}, {NULL, 0, NULL}};
static const urdf_known mesh_attributes[] = {
    {"filename", URDF_USED, 0}, {"scale", URDF_USED, 0}, {NULL, 0, NULL}};

// ------------------------------------------------------------------------------------------------------------ files

// Cuts the last folder off; 0: there is none.
static int climb(char *folder) {
    char *slash = strrchr(folder, '/');
    if (!slash) return 0;
    *slash = '\0';
    return 1;
}

static io_beside find_outside(const char *from, const char *package, const char *name, char out[PATH_MAX]) {
    char folder[PATH_MAX];
    io_beside where = IO_BESIDE_MISSING;
    snprintf(folder, sizeof folder, "%s", from);
    if (name[0] == '/') return br_io_find_beside("", name + 1, out);
    for (; strncmp(name, "../", 3) == 0; name += 3)
        if (!climb(folder)) return IO_BESIDE_MISSING;
    if (!package) return br_io_find_beside(folder, name, out);
    for (int k = 0; k < URDF_MAX_CLIMB && where != IO_BESIDE_FOUND && climb(folder); k++) {
        where = br_io_find_beside(folder, package, out);
        if (where != IO_BESIDE_FOUND) where = br_io_find_beside(folder, name, out);
    }
    return where;
}

// package: NAME/PATH where the address had it, else NULL.
static const char *without_scheme(const char *file, const char **package) {
    *package = NULL;
    if (strncmp(file, "file://", 7) == 0) return file + 7;
    const int named = strncmp(file, "package://", 10) == 0 || strncmp(file, "model://", 8) == 0;
    if (!named) return file;
    *package = strstr(file, "://") + 3;
    const char *slash = strchr(*package, '/');
    return slash ? slash + 1 : "";
}

// One note for all files of a folder: where one is missing, most are.
static br_status note_missing(urdf *u, const io_xml_node *node, const char *file) {
    const char *slash = strrchr(file, '/');
    const int many = slash && slash > file && slash[-1] != '/';
    char shown[IO_SHOWN];
    br_io_show((io_token){file, many ? slash : file + strlen(file)}, shown);
    return br_urdf_note(u, node, "filename", BR_IMPORT_MOTION,
                        "%s'%s' is not in the model's folder; the shape is left out%s",
                        many ? "a file of " : "", shown,
                        u->options.outside ? "" : "; --set import.outside=true looks further up");
}

static io_beside urdf_locate(const urdf *u, const char *file, char path[PATH_MAX], const char **name) {
    const char *package;
    *name = without_scheme(file, &package);
    io_beside where = br_io_find_beside(u->folder, *name, path);
    if (where != IO_BESIDE_FOUND && package && br_io_find_beside(u->folder, package, path) == IO_BESIDE_FOUND)
        where = IO_BESIDE_FOUND;
    if (where != IO_BESIDE_FOUND && u->options.outside) where = find_outside(u->folder, package, *name, path);
    return where;
}

int br_urdf_find_file(const urdf *u, const char *file, char *path) {
    const char *name;
    return urdf_locate(u, file, path, &name) == IO_BESIDE_FOUND;
}

static br_status find_file(urdf *u, const io_xml_node *node, const char *file, char path[PATH_MAX],
                           int *found) {
    const char *name;
    const io_beside where = urdf_locate(u, file, path, &name);
    *found = where == IO_BESIDE_FOUND;
    if (*found) return BR_OK;
    const int outside = where == IO_BESIDE_OUTSIDE || where == IO_BESIDE_LINK;
    char shown[IO_SHOWN];
    if (outside && br_io_find_anywhere(u->folder, name, path) == IO_BESIDE_FOUND)
        return br_urdf_fail(
            u, node, "import-outside",
            "<mesh> filename '%s' is outside the model's folder; --set import.outside=true allows it",
            br_io_show((io_token){file, file + strlen(file)}, shown));
    return note_missing(u, node, file);
}

// ----------------------------------------------------------------------------------------------------------- shapes

// Robots use the same file for many links: it is read once. The shape is the next one of the list.
static br_status load_points(urdf *u, const char *path, br_vec3 scale, br_shape_def *def) {
    char key[PATH_MAX + 80];
    br_vec3 *points = NULL;
    snprintf(key, sizeof key, "%.17g %.17g %.17g %s", scale.x, scale.y, scale.z, path);
    const int known = br_names_find(&u->mesh_names, key);
    if (known >= 0) {
        const br_shape_def *twin = &u->shape[u->mesh_shape[known]].def;
        def->points = twin->points;
        def->point_count = twin->point_count;
        return BR_OK;
    }
    const char *dot = strrchr(path, '.');
    const br_status status =
        dot && strcasecmp(dot, ".dae") == 0
            ? br_io_dae_load(path, scale, &u->arena, &points, &def->point_count, u->error)
            : br_io_mesh_load(path, scale, &u->arena, &points, &def->point_count, u->error);
    if (status != BR_OK) return status;
    def->points = points;
    const char *copy = br_copy_text(&u->arena, key);
    if (!copy || !BR_GROW(&u->arena, u->mesh_shape, u->mesh_names.count, u->mesh_capacity) ||
        br_names_add(&u->mesh_names, &u->arena, copy) != BR_OK)
        return br_urdf_no_memory(u);
    u->mesh_shape[u->mesh_names.count - 1] = u->shapes;
    return BR_OK;
}

static br_status read_mesh(urdf *u, const io_xml_node *node, br_shape_def *def, int *found) {
    const char *file;
    char path[PATH_MAX];
    br_vec3 scale = br_vec3_of(1.0, 1.0, 1.0);
    br_status status = br_urdf_check(u, node, mesh_attributes, nothing);
    if (status == BR_OK) status = br_urdf_need(u, node, "filename", &file);
    if (status == BR_OK) status = br_urdf_vector(u, node, "scale", &scale);
    if (status != BR_OK) return status;
    if (scale.x == 0.0 || scale.y == 0.0 || scale.z == 0.0)
        return br_urdf_fail(u, node, "urdf-range", "<mesh> scale is (%g, %g, %g), expected none of them 0",
                            scale.x, scale.y, scale.z);
    const char *dot = strrchr(file, '.');
    *found = 0;
    if (!dot ||
        (strcasecmp(dot, ".stl") != 0 && strcasecmp(dot, ".obj") != 0 && strcasecmp(dot, ".dae") != 0))
        return br_urdf_note(
            u, node, "filename", BR_IMPORT_MOTION,
            "meshes are read from STL, OBJ and DAE files, not from %.12s; the shape is left out",
            dot ? dot : "others");
    status = find_file(u, node, file, path, found);
    if (status != BR_OK || !*found) return status;
    def->type = BR_SHAPE_CONVEX;
    def->file = file;
    return load_points(u, path, scale, def);
}

// A size of 0 stands for no shape in exported robots; it cannot touch anything.
static br_status check_sizes(urdf *u, const io_xml_node *node, const double *size, int count, int *found) {
    for (int k = 0; k < count; k++) {
        if (size[k] < 0.0)
            return br_urdf_fail(u, node, "urdf-range", "a size of the <%s> is %g m, expected more than 0",
                                node->name, size[k]);
        *found &= size[k] > 0.0;
    }
    if (*found) return BR_OK;
    return br_urdf_note(u, node, NULL, BR_IMPORT_NUMERICS,
                        "a shape of size 0 touches nothing and is left out");
}

static br_status read_box(urdf *u, const io_xml_node *node, br_shape_def *def, int *found) {
    const char *text;
    double size[3];
    br_status status = br_urdf_check(u, node, box_attributes, nothing);
    if (status == BR_OK) status = br_urdf_need(u, node, "size", &text);
    if (status == BR_OK) status = br_urdf_numbers(u, node, "size", 3, 3, size, NULL);
    if (status != BR_OK) return status;
    def->type = BR_SHAPE_BOX;
    def->size = br_vec3_of(size[0], size[1], size[2]);
    return check_sizes(u, node, size, 3, found);
}

static br_status read_round(urdf *u, const io_xml_node *node, br_shape_def *def, int *found) {
    const int sphere = strcmp(node->name, "sphere") == 0;
    const char *text;
    double size[2] = {0.0, 0.0};
    br_status status = br_urdf_check(u, node, sphere ? sphere_attributes : round_attributes, nothing);
    if (status == BR_OK) status = br_urdf_need(u, node, "radius", &text);
    if (status == BR_OK) status = br_urdf_number(u, node, "radius", &size[0]);
    if (status == BR_OK && !sphere) status = br_urdf_need(u, node, "length", &text);
    if (status == BR_OK && !sphere) status = br_urdf_number(u, node, "length", &size[1]);
    if (status != BR_OK) return status;
    def->type = sphere                               ? BR_SHAPE_SPHERE
                : strcmp(node->name, "capsule") == 0 ? BR_SHAPE_CAPSULE
                                                     : BR_SHAPE_CYLINDER;
    def->size.x = size[0];
    def->length = size[1];
    return check_sizes(u, node, size, sphere ? 1 : 2, found);
}

// *found 0: there is no such shape here, and a note says so.
static br_status read_geometry(urdf *u, const io_xml_node *collision, br_shape_def *def, int *found) {
    const io_xml_node *geometry, *kind = NULL;
    br_status status = br_urdf_child(u, collision, "geometry", &geometry);
    *found = 0;
    if (status == BR_OK && !geometry)
        return br_urdf_fail(u, collision, "urdf-missing", "<collision> has no <geometry>");
    if (status == BR_OK) status = br_urdf_check(u, geometry, nothing, kinds);
    if (status != BR_OK) return status;
    for (const io_xml_node *c = geometry->first; c; c = c->next)
        for (const urdf_known *k = kinds; k->name; k++) {
            if (strcmp(c->name, k->name) != 0) continue;
            if (kind)
                return br_urdf_fail(u, c, "urdf-repeated",
                                    "<geometry> has a <%s> and a <%s>, expected one shape", kind->name,
                                    c->name);
            kind = c;
        }
    if (!kind && !geometry->first)
        return br_urdf_fail(u, geometry, "urdf-missing",
                            "<geometry> is empty, expected a box, sphere, cylinder, capsule or mesh");
    if (!kind) return BR_OK; // one that nobody knows: noted above
    *found = 1;
    if (strcmp(kind->name, "mesh") == 0) return read_mesh(u, kind, def, found);
    return strcmp(kind->name, "box") == 0 ? read_box(u, kind, def, found) : read_round(u, kind, def, found);
}

br_status br_urdf_read_shape(urdf *u, int link, const io_xml_node *node) {
    urdf_shape shape = {.node = node, .def = {.axis = br_vec3_unit(2)}};
    const char *given = br_io_xml_get(node, "name");
    int found = 0;
    br_status status = br_urdf_check(u, node, collision_attributes, collision_children);
    if (status == BR_OK) status = br_urdf_origin(u, node, &shape.def.pose);
    if (status == BR_OK) status = read_geometry(u, node, &shape.def, &found);
    if (status != BR_OK || !found) return status;
    // Names of shapes need not differ in URDF, so a change is not worth a note.
    if (given && given[0] && br_io_import_name(&u->arena, &u->shape_names, given, &shape.def.name) != BR_OK)
        return br_urdf_no_memory(u);
    if (!BR_GROW(&u->arena, u->shape, u->shapes, u->shape_capacity)) return br_urdf_no_memory(u);
    u->shape[u->shapes++] = shape;
    u->link[link].shapes++;
    return BR_OK;
}
