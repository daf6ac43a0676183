// Geoms for pictures: contype and conaffinity 0, in a group that MuJoCo shows. What is wrong with one leaves it out: no motion
// depends on it.
#include <limits.h>
#include <math.h>
#include <string.h>

#include "io/import/mjcf/mjcf.h"

enum { MJCF_SHOWN = 2 }; // the last group that MuJoCo's own viewer shows

static const io_xml_node *find_material(const mjcf *m, const char *name) {
    for (const io_xml_node *s = m->root->first; s; s = s->next)
        for (const io_xml_node *c = strcmp(s->name, "asset") == 0 ? s->first : NULL; c; c = c->next) {
            const char *own = strcmp(c->name, "material") == 0 ? br_io_xml_get(c, "name") : NULL;
            if (own && strcmp(own, name) == 0) return c;
        }
    return NULL;
}

// A geom's own rgba, else that of its material.
static void find_colour(const mjcf *m, mjcf_element e, double colour[4]) {
    const char *name = br_mjcf_get(m, e, "material", NULL);
    const io_xml_node *node = name ? find_material(m, name) : NULL;
    mjcf_element material;
    double rgba[4] = {1.0, 1.0, 1.0, 1.0};
    int count = 0;
    colour[0] = -1.0;
    if (br_mjcf_numbers(m, e, "rgba", 4, 4, rgba, &count) != BR_OK) return;
    if (count == 0 && (!node || br_mjcf_element_of(m, node, -1, &material) != BR_OK ||
                       br_mjcf_numbers(m, material, "rgba", 4, 4, rgba, &count) != BR_OK))
        return;
    for (int k = 0; k < 4; k++) colour[k] = fmin(fmax(rgba[k], 0.0), 1.0);
}

static int is_shown(const mjcf *m, mjcf_element e, const br_visual *v) {
    double group = 0.0;
    return br_mjcf_number(m, e, "group", &group) == BR_OK && group <= MJCF_SHOWN &&
           !(v->colour[0] >= 0.0 && v->colour[3] == 0.0);
}

static int take_mesh(mjcf *m, mjcf_element geom, br_visual *v) {
    const io_xml_node *node = NULL;
    mjcf_element e;
    mjcf_placing placing;
    char path[PATH_MAX];
    int found = 0;
    if (br_mjcf_find_asset(m, geom, "mesh", &node, NULL) != BR_OK ||
        br_mjcf_element_of(m, node, -1, &e) != BR_OK || br_mjcf_mesh_placing(m, e, &placing) != BR_OK)
        return 0;
    const char *file = br_mjcf_get(m, e, "file", NULL);
    if (!file || br_mjcf_find_asset_file(m, node, file, NULL, path, &found) != BR_OK || !found) return 0;
    v->shape.type = BR_SHAPE_CONVEX;
    v->shape.file = br_copy_text(&m->arena, path);
    v->scale = placing.scale, v->origin = placing.origin, v->turn = placing.turn;
    return v->shape.file != NULL;
}

static int take_solid(const mjcf_geom *g, br_shape_def *def) {
    const double *size = g->size;
    switch (g->type) {
    case MJCF_GEOM_SPHERE:
        def->type = BR_SHAPE_SPHERE;
        def->size.x = size[0];
        return 1;
    case MJCF_GEOM_CAPSULE:
    case MJCF_GEOM_CYLINDER:
        def->type = g->type == MJCF_GEOM_CAPSULE ? BR_SHAPE_CAPSULE : BR_SHAPE_CYLINDER;
        def->size.x = size[0];
        def->length = 2.0 * size[1];
        return 1;
    case MJCF_GEOM_ELLIPSOID:
        def->type = BR_SHAPE_ELLIPSOID;
        def->size = br_vec3_of(size[0], size[1], size[2]);
        return 1;
    case MJCF_GEOM_BOX:
        def->type = BR_SHAPE_BOX;
        def->size = br_vec3_of(2.0 * size[0], 2.0 * size[1], 2.0 * size[2]);
        return 1;
    default:
        return 0;
    }
}

br_status br_mjcf_keep_visual(mjcf *m, int body, mjcf_element e, const mjcf_geom *g) {
    br_error *const told = m->error, unheard = {0};
    br_error aside = unheard;
    br_visual v = {.index = body, .shape = {.pose = g->pose, .axis = br_vec3_unit(2)}};
    m->error = &aside;
    find_colour(m, e, v.colour);
    const int mesh = br_mjcf_get(m, e, "mesh", NULL) != NULL;
    const int kept = is_shown(m, e, &v) &&
                     (mesh ? g->type == MJCF_GEOM_MESH && take_mesh(m, e, &v) : take_solid(g, &v.shape));
    m->error = told;
    if (!kept) return BR_OK;
    if (!BR_GROW(&m->arena, m->visual, m->visuals, m->visual_capacity)) return br_mjcf_no_memory(m);
    m->visual[m->visuals++] = v;
    return BR_OK;
}

br_status br_mjcf_build_visuals(mjcf *m) {
    br_status status = BR_OK;
    for (int k = 0; k < m->visuals && status == BR_OK; k++) {
        br_visual *v = &m->visual[k];
        v->body = v->index < 0 ? NULL : m->body[v->index].name;
        status = br_builder_visual(m->builder, v, m->error);
    }
    return status;
}
