// Shapes of bodies and of the ground.
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "io/import/mesh.h"
#include "io/text/beside.h"
#include "io/yaml/fields.h"

static void read_points(yaml_reader *r, const yaml_node *node, br_shape_def *shape) {
    br_yaml_expect_list(r, node, -1, "points [x, y, z]");
    if (r->status != BR_OK || !node) return;
    br_vec3 *points = BR_TAKE(r->arena, br_vec3, node->count);
    if (!points) {
        br_yaml_no_memory(r);
        return;
    }
    for (const yaml_node *item = node->first; item; item = item->next)
        br_yaml_vec3(r, item, BR_DIM_LENGTH, points + item->index);
    shape->points = points;
    shape->point_count = node->count;
}

// The file is beside the model or below it. What is wrong inside it is told with its own path.
static void read_mesh(yaml_reader *r, const yaml_node *node, const yaml_node *scale, br_shape_def *shape) {
    char folder[PATH_MAX], path[PATH_MAX], shown[YAML_SHOWN];
    double factor = 1.0;
    br_yaml_number(r, scale, BR_DIM_NONE, 0, &factor);
    if (r->status == BR_OK && !(factor > 0.0))
        br_yaml_fault(r, scale, "shape-size", "scale is %g, expected more than 0", factor);
    br_yaml_text(r, node, &shape->file);
    if (r->status != BR_OK) return;
    const io_beside found =
        br_io_folder_of(r->path, folder) ? br_io_find_beside(folder, shape->file, path) : IO_BESIDE_MISSING;
    br_yaml_show(shape->file, strlen(shape->file), shown);
    if (found == IO_BESIDE_MISSING || found == IO_BESIDE_UNUSABLE)
        br_yaml_fault(r, node, "file-missing", "there is no mesh file '%s' beside the model", shown);
    else if (found != IO_BESIDE_FOUND)
        br_yaml_fault(r, node, "mesh-outside",
                      "'%s' is outside the model's folder; meshes are read from it and the folders below",
                      shown);
    if (r->status != BR_OK) return;
    br_vec3 *points = NULL;
    r->status = br_io_mesh_load(path, br_vec3_of(factor, factor, factor), r->arena, &points,
                                &shape->point_count, r->error);
    shape->points = points;
}

static void read_convex(yaml_reader *r, const yaml_node *node, br_shape_def *shape) {
    static const char *const sources[] = {"points", "file", NULL};
    const yaml_node *file = br_yaml_find(node, "file"), *scale = br_yaml_find(node, "scale");
    int which = 0;
    if (!br_yaml_one_of(r, node, "convex", sources, &which))
        br_yaml_fault(r, node, "yaml-missing-key",
                      "convex has neither points nor file; write points: [[x, y, z], ...]");
    if (scale && !file)
        br_yaml_fault(r, scale->key, "yaml-conflict",
                      "scale belongs to a file; points are in metres already");
    if (r->status != BR_OK) return;
    if (file)
        read_mesh(r, file, scale, shape);
    else
        read_points(r, br_yaml_find(node, "points"), shape);
}

static void read_field(yaml_reader *r, const yaml_node *node, br_shape_def *shape) {
    const yaml_node *rows = br_yaml_need(r, node, "heightfield", "heights", "[[Z m, Z m], [Z m, Z m]]");
    double spacing[2] = {0.0, 0.0};
    br_yaml_numbers(r, br_yaml_need(r, node, "heightfield", "spacing", "[X m, Y m]"), BR_DIM_LENGTH, 0, 2,
                    spacing);
    br_yaml_expect_list(r, rows, -1, "rows of heights");
    if (r->status != BR_OK) return;
    shape->spacing = br_vec3_of(spacing[0], spacing[1], 0.0);
    shape->rows = rows->count;
    shape->columns = rows->first && rows->first->kind == YAML_LIST ? rows->first->count : 0;
    double *heights = BR_TAKE(r->arena, double, (size_t)shape->rows *(size_t)shape->columns);
    if (!heights) br_yaml_no_memory(r);
    for (const yaml_node *row = rows->first; row && r->status == BR_OK; row = row->next) {
        br_yaml_expect_list(r, row, -1, "heights");
        if (r->status == BR_OK && row->count != shape->columns)
            br_yaml_fault(r, row, "shape-size", "row %d of heights has %d numbers, expected %d as the first",
                          row->index, row->count, shape->columns);
        br_yaml_numbers(r, row, BR_DIM_LENGTH, 0, shape->columns,
                        heights + (size_t)row->index * (size_t)shape->columns);
    }
    shape->heights = heights;
}

static void read_parameters(yaml_reader *r, const yaml_node *node, br_shape_def *shape) {
    const br_def *def = &br_def_shapes[shape->type];
    if (shape->type == BR_SHAPE_PLANE && yaml_is_empty(node)) return; // the floor
    br_yaml_expect_def(r, node, def->name, def);
    br_yaml_read_fields(r, node, def->name, def, 0, shape);
    if (shape->type == BR_SHAPE_CONVEX) read_convex(r, node, shape);
    if (shape->type == BR_SHAPE_HEIGHTFIELD) read_field(r, node, shape);
}

// Both default to 1 once one of them is given.
static void read_filter(yaml_reader *r, const yaml_node *node, br_shape_def *shape) {
    const yaml_node *category = br_yaml_find(node, "category"), *mask = br_yaml_find(node, "mask");
    if (!category && !mask) return;
    int bits[2] = {1, 1};
    br_yaml_whole(r, category, 0, INT_MAX, &bits[0]);
    br_yaml_whole(r, mask, 0, INT_MAX, &bits[1]);
    if (r->status == BR_OK && bits[0] == 0 && bits[1] == 0)
        br_yaml_fault(r, category, "shape-mask",
                      "category and mask are both 0, so the shape touches nothing; leave it out");
    shape->category = (unsigned)bits[0];
    shape->mask = (unsigned)bits[1];
}

static void read_shape(yaml_reader *r, const yaml_node *node, const char *what, br_shape_def *shape) {
    char place[YAML_WHAT + 24];
    snprintf(place, sizeof place, "shape %d of %s", node->index, what);
    br_yaml_expect_def(r, node, place, &br_def_shape);
    if (r->status != BR_OK) return;
    int type = 0;
    const yaml_node *parameters = br_yaml_one_of(r, node, place, br_words_shape, &type);
    if (!parameters)
        br_yaml_fault(r, node, "yaml-missing-key",
                      "%s has no kind; write sphere: {radius: 0.1 m}, or box, capsule, ...", place);
    if (r->status != BR_OK) return;
    memset(shape, 0, sizeof *shape);
    shape->type = (br_shape_type)type;
    shape->pose = br_pose_identity();
    shape->axis = br_vec3_unit(2);
    br_yaml_read_fields(r, node, place, &br_def_shape, 0, shape);
    read_parameters(r, parameters, shape);
    read_filter(r, node, shape);
    if (br_yaml_find(node, "pose") && br_yaml_find(parameters, "point"))
        br_yaml_fault(r, br_yaml_find(node, "pose")->key, "yaml-conflict",
                      "%s has both pose and point, expected one of them", place);
    br_yaml_pose(r, br_yaml_find(node, "pose"), "pose of a shape", 0, &shape->pose);
}

void br_yaml_read_shapes(yaml_reader *r, const yaml_node *list, const char *what, br_shape_def **shapes,
                         int *count) {
    if (!list) return;
    br_yaml_expect_list(r, list, -1, "shapes");
    if (r->status != BR_OK) return;
    *shapes = BR_TAKE(r->arena, br_shape_def, list->count);
    if (!*shapes) {
        br_yaml_no_memory(r);
        return;
    }
    for (const yaml_node *item = list->first; item && r->status == BR_OK; item = item->next)
        read_shape(r, item, what, *shapes + item->index);
    *count = list->count;
}
