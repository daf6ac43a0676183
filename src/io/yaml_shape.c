// Shapes of bodies and of the ground.
#include <stdio.h>
#include <string.h>

#include "io/yaml_read.h"

typedef struct shape_form {
    const char *keys[4]; // ended by NULL
    const char *needed;  // key that must be there; NULL: see read_parameters
} shape_form;

static const shape_form forms[BR_SHAPE_TYPES] = {
    [BR_SHAPE_SPHERE] = {{"radius", NULL}, "radius"},
    [BR_SHAPE_BOX] = {{"size", NULL}, "size"},
    [BR_SHAPE_CAPSULE] = {{"radius", "length", "axis", NULL}, "radius"},
    [BR_SHAPE_CYLINDER] = {{"radius", "length", "axis", NULL}, "radius"},
    [BR_SHAPE_DISK] = {{"radius", "axis", NULL}, "radius"},
    [BR_SHAPE_ELLIPSOID] = {{"radii", NULL}, "radii"},
    [BR_SHAPE_CONVEX] = {{"points", "file", NULL}, NULL},
    [BR_SHAPE_PLANE] = {{"normal", "point", NULL}, NULL},
    [BR_SHAPE_HEIGHTFIELD] = {{NULL}, NULL},
};

static const char *const shape_words[] = {"sphere",    "box",    "capsule", "cylinder",    "disk",
                                          "ellipsoid", "convex", "plane",   "heightfield", NULL};

static void read_points(yaml_reader *r, const yaml_node *node, br_shape_def *shape) {
    yaml_expect_list(r, node, -1, "points [x, y, z]");
    if (r->status != BR_OK || !node) return;
    br_vec3 *points = BR_TAKE(r->arena, br_vec3, node->count);
    if (!points) {
        yaml_no_memory(r);
        return;
    }
    for (const yaml_node *item = node->first; item; item = item->next)
        yaml_vec3(r, item, BR_DIM_LENGTH, points + item->index);
    shape->points = points;
    shape->point_count = node->count;
}

static void read_parameters(yaml_reader *r, const yaml_node *node, br_shape_def *shape) {
    const char *what = shape_words[shape->type];
    const shape_form *form = forms + shape->type;
    if (shape->type == BR_SHAPE_HEIGHTFIELD) {
        yaml_fault(r, node->key, "yaml-not-available", "heightfield is not available yet");
        return;
    }
    if (shape->type == BR_SHAPE_PLANE && yaml_is_empty(node)) return; // the floor
    yaml_expect_keys(r, node, what, form->keys);
    if (form->needed)
        yaml_need(r, node, what, form->needed,
                  strcmp(form->needed, "radius") ? "[X m, Y m, Z m]" : "NUMBER m");
    if (shape->type == BR_SHAPE_CAPSULE || shape->type == BR_SHAPE_CYLINDER)
        yaml_need(r, node, what, "length", "NUMBER m");
    yaml_number(r, yaml_find(node, "radius"), BR_DIM_LENGTH, 0, &shape->size.x);
    yaml_vec3(r, yaml_find(node, "size"), BR_DIM_LENGTH, &shape->size);
    yaml_vec3(r, yaml_find(node, "radii"), BR_DIM_LENGTH, &shape->size);
    yaml_number(r, yaml_find(node, "length"), BR_DIM_LENGTH, 0, &shape->length);
    yaml_direction(r, yaml_find(node, "axis"), &shape->axis);
    yaml_direction(r, yaml_find(node, "normal"), &shape->axis);
    yaml_vec3(r, yaml_find(node, "point"), BR_DIM_LENGTH, &shape->pose.position);
    if (shape->type != BR_SHAPE_CONVEX) return;
    static const char *const sources[] = {"points", "file", NULL};
    int which = 0;
    if (!yaml_one_of(r, node, what, sources, &which))
        yaml_fault(r, node, "yaml-missing-key",
                   "convex has neither points nor file; write points: [[x, y, z], ...]");
    if (yaml_find(node, "points")) read_points(r, yaml_find(node, "points"), shape);
    yaml_text(r, yaml_find(node, "file"), &shape->file);
}

static void read_shape(yaml_reader *r, const yaml_node *node, const char *what, br_shape_def *shape) {
    static const char *const keys[] = {"sphere",    "box",    "capsule", "cylinder",    "disk",
                                       "ellipsoid", "convex", "plane",   "heightfield", "material",
                                       "pose",      "name",   NULL};
    char place[YAML_WHAT + 24];
    snprintf(place, sizeof place, "shape %d of %s", node->index, what);
    yaml_expect_keys(r, node, place, keys);
    if (r->status != BR_OK) return;
    int type = 0;
    const yaml_node *parameters = yaml_one_of(r, node, place, shape_words, &type);
    if (!parameters)
        yaml_fault(r, node, "yaml-missing-key",
                   "%s has no kind; write sphere: {radius: 0.1 m}, or box, capsule, ...", place);
    if (r->status != BR_OK) return;
    memset(shape, 0, sizeof *shape);
    shape->type = (br_shape_type)type;
    shape->pose = br_pose_identity();
    shape->axis = br_vec3_unit(2);
    yaml_text(r, yaml_find(node, "name"), &shape->name);
    yaml_text(r, yaml_find(node, "material"), &shape->material);
    read_parameters(r, parameters, shape);
    if (yaml_find(node, "pose") && yaml_find(parameters, "point"))
        yaml_fault(r, yaml_find(node, "pose")->key, "yaml-conflict",
                   "%s has both pose and point, expected one of them", place);
    yaml_pose(r, yaml_find(node, "pose"), "pose of a shape", 0, &shape->pose);
}

void yaml_read_shapes(yaml_reader *r, const yaml_node *list, const char *what, br_shape_def **shapes,
                      int *count) {
    if (!list) return;
    yaml_expect_list(r, list, -1, "shapes");
    if (r->status != BR_OK) return;
    *shapes = BR_TAKE(r->arena, br_shape_def, list->count);
    if (!*shapes) {
        yaml_no_memory(r);
        return;
    }
    for (const yaml_node *item = list->first; item && r->status == BR_OK; item = item->next)
        read_shape(r, item, what, *shapes + item->index);
    *count = list->count;
}
