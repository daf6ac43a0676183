// <visual> of links: for pictures. What is wrong with one leaves it out: no motion depends on it.
#include <limits.h>
#include <math.h>
#include <string.h>

#include "io/import/urdf/urdf.h"
#include "io/text/text.h"
#include "model/build/visual.h"

static const io_xml_node *visual_child(const io_xml_node *node, const char *name) {
    for (const io_xml_node *c = node ? node->first : NULL; c; c = c->next)
        if (strcmp(c->name, name) == 0) return c;
    return NULL;
}

// A colour of its own, else that of the robot's material of this name.
static void visual_colour(const urdf *u, const io_xml_node *visual, double colour[4]) {
    const io_xml_node *material = visual_child(visual, "material"), *own = visual_child(material, "color");
    const char *name = material ? br_io_xml_get(material, "name") : NULL;
    double rgba[4];
    int count = 0;
    colour[0] = -1.0;
    for (const io_xml_node *c = u->root->first; c && !own && name; c = c->next) {
        const char *given = strcmp(c->name, "material") == 0 ? br_io_xml_get(c, "name") : NULL;
        if (given && strcmp(given, name) == 0) own = visual_child(c, "color");
    }
    if (!own || br_urdf_numbers(u, own, "rgba", 4, 4, rgba, &count) != BR_OK || count != 4) return;
    for (int k = 0; k < 4; k++) colour[k] = fmin(fmax(rgba[k], 0.0), 1.0);
}

// One note for all files of a folder, as for contact shapes.
static void note_undrawn(urdf *u, const io_xml_node *node, const char *file) {
    const char *slash = strrchr(file, '/');
    char shown[IO_SHOWN];
    br_io_show((io_token){file, slash && slash > file && slash[-1] != '/' ? slash : file + strlen(file)},
               shown);
    br_urdf_note(u, node, "filename", BR_IMPORT_LOOKS, "'%s' is not in the model's folder; it is not drawn%s",
                 shown, u->options.outside ? "" : "; --set import.outside=true looks further up");
}

static int visual_mesh(urdf *u, const io_xml_node *node, br_visual *v) {
    const char *file = br_io_xml_get(node, "filename");
    char path[PATH_MAX];
    v->scale = br_vec3_of(1.0, 1.0, 1.0);
    if (!file || br_urdf_vector(u, node, "scale", &v->scale) != BR_OK) return 0;
    if (!br_urdf_find_file(u, file, path)) {
        note_undrawn(u, node, file);
        return 0;
    }
    v->shape.type = BR_SHAPE_CONVEX;
    v->shape.file = br_copy_text(&u->arena, path);
    v->turn = br_quat_of(1.0, 0.0, 0.0, 0.0);
    return v->shape.file != NULL && v->scale.x * v->scale.y * v->scale.z != 0.0;
}

static int visual_solid(const urdf *u, const io_xml_node *node, br_shape_def *def) {
    double size[3] = {0.0, 0.0, 0.0};
    int count = 0;
    if (strcmp(node->name, "box") == 0) {
        def->type = BR_SHAPE_BOX;
        if (br_urdf_numbers(u, node, "size", 3, 3, size, &count) != BR_OK) return 0;
        def->size = br_vec3_of(size[0], size[1], size[2]);
        return size[0] > 0.0 && size[1] > 0.0 && size[2] > 0.0;
    }
    const int sphere = strcmp(node->name, "sphere") == 0;
    if (!sphere && strcmp(node->name, "cylinder") != 0 && strcmp(node->name, "capsule") != 0) return 0;
    def->type = sphere ? BR_SHAPE_SPHERE : node->name[1] == 'a' ? BR_SHAPE_CAPSULE : BR_SHAPE_CYLINDER;
    if (br_urdf_number(u, node, "radius", &size[0]) != BR_OK ||
        br_urdf_number(u, node, "length", &size[1]) != BR_OK)
        return 0;
    def->size.x = size[0];
    def->length = size[1];
    return size[0] > 0.0 && (sphere || size[1] > 0.0);
}

static int visual_read(urdf *u, const io_xml_node *node, br_visual *v) {
    const io_xml_node *geometry = visual_child(node, "geometry"), *kind = geometry ? geometry->first : NULL;
    *v = (br_visual){.shape = {.axis = br_vec3_unit(2)}};
    if (!kind || br_urdf_origin(u, node, &v->shape.pose) != BR_OK) return 0;
    visual_colour(u, node, v->colour);
    if (v->colour[0] >= 0.0 && v->colour[3] == 0.0) return 0;
    return strcmp(kind->name, "mesh") == 0 ? visual_mesh(u, kind, v) : visual_solid(u, kind, &v->shape);
}

br_status br_urdf_build_visuals(urdf *u) {
    br_error *const told = u->error;
    br_status status = BR_OK;
    for (int k = 0; k < u->links; k++)
        for (const io_xml_node *c = u->link[k].node->first; c && status == BR_OK; c = c->next) {
            br_visual v;
            br_error aside = {0};
            if (strcmp(c->name, "visual") != 0) continue;
            u->error = &aside;
            const int good = visual_read(u, c, &v);
            u->error = told;
            v.body = u->base_world && k == u->order[0] ? NULL : u->link[k].name;
            if (good) status = br_builder_visual(u->builder, &v, u->error);
        }
    return status;
}
