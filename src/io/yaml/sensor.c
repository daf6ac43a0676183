// Sensors: what an instrument reads, as a channel of its own name.
#include <stdio.h>
#include <string.h>

#include "io/yaml/yaml.h"
#include "model/build/builder.h"
#include "model/def/words.h"

static const char *const zone_words[] = {"sphere", "box", "capsule", "cylinder", "ellipsoid", NULL};
static const br_shape_type zone_types[] = {BR_SHAPE_SPHERE, BR_SHAPE_BOX, BR_SHAPE_CAPSULE, BR_SHAPE_CYLINDER,
                                           BR_SHAPE_ELLIPSOID};

// NAME of a body, or BODY.FRAME; `at` moves on from there: a point, or a pose.
static void read_frame(yaml_reader *r, const yaml_node *name, const yaml_node *at, const char *what,
                       const char **body, br_pose *X) {
    br_pose local = br_pose_identity();
    if (r->status != BR_OK || !name) return;
    const int plain = br_yaml_has_body(r, name->text) || strcmp(name->text, BR_WORLD) == 0;
    if (plain || !br_yaml_frame_of(r, name, body, X)) *body = br_yaml_body_name(r, name);
    if (r->status != BR_OK || !at) return;
    if (at->kind == YAML_MAP)
        br_yaml_pose(r, at, what, 0, &local);
    else
        br_yaml_vec3(r, at, BR_DIM_LENGTH, &local.position);
    *X = br_pose_mul(*X, local);
}

static void read_zone(yaml_reader *r, const yaml_node *zone, const char *what, br_sensor_def *def) {
    int which = 0;
    if (r->status != BR_OK || !zone) return;
    br_yaml_expect_keys(r, zone, what, zone_words);
    const yaml_node *size = br_yaml_one_of(r, zone, what, zone_words, &which);
    if (!size)
        br_yaml_fault(r, zone, "yaml-missing-key",
                      "the zone of %s has no shape; write sphere: [RADIUS, 0, 0]", what);
    br_yaml_numbers(r, size, BR_DIM_LENGTH, 0, 3, def->size);
    def->zone = zone_types[which];
}

// Its own kind's keys.
static void expect_keys(yaml_reader *r, const yaml_node *node, const char *what, int type) {
    const char *keys[7] = {br_words_sensor[type]};
    int n = 1;
    if (type < BR_SENSOR_JOINT_POSITION) keys[n++] = "at";
    if (type == BR_SENSOR_TOUCH) keys[n++] = "zone";
    if (type == BR_SENSOR_POSITION || type == BR_SENSOR_ROTATION)
        keys[n++] = "seen_from", keys[n++] = "seen_at";
    if (type >= BR_SENSOR_JOINT_POSITION) keys[n++] = "factor";
    if (type == BR_SENSOR_JOINT_POSITION || type == BR_SENSOR_JOINT_VELOCITY) keys[n++] = "coordinate";
    keys[n] = NULL;
    br_yaml_expect_keys(r, node, what, keys);
}

static void read_sensor(yaml_reader *r, const yaml_node *node) {
    char what[YAML_WHAT];
    int type = 0;
    br_yaml_expect_map(r, node, br_yaml_what("sensor", node, what));
    const yaml_node *of = r->status == BR_OK ? br_yaml_one_of(r, node, what, br_words_sensor, &type) : NULL;
    if (r->status == BR_OK && !of)
        br_yaml_fault(r, node, "yaml-missing-key",
                      "%s has no kind; write accelerometer: BODY.FRAME, or gyro, force, touch, ...", what);
    if (r->status != BR_OK) return;
    expect_keys(r, node, what, type);
    br_sensor_def def = br_default_sensor_def();
    def.name = node->key->text;
    def.type = (br_sensor_type)type;
    if (type >= BR_SENSOR_JOINT_POSITION) {
        if (type == BR_SENSOR_DRIVE_EFFORT)
            br_yaml_text(r, of, &def.of);
        else
            def.of = br_yaml_joint_name(r, of);
        br_yaml_whole(r, br_yaml_find(node, "coordinate"), 0, BR_MAX_JOINT_Q - 1, &def.coordinate);
        br_yaml_number(r, br_yaml_find(node, "factor"), BR_DIM_ANY, 0, &def.factor);
    } else {
        read_frame(r, of, br_yaml_find(node, "at"), what, &def.of, &def.pose);
        read_frame(r, br_yaml_find(node, "seen_from"), br_yaml_find(node, "seen_at"), what, &def.from,
                   &def.from_pose);
        read_zone(r, br_yaml_find(node, "zone"), what, &def);
    }
    if (r->status == BR_OK) br_yaml_built(r, br_builder_sensor(r->builder, &def, r->error));
}

void br_yaml_read_sensors(yaml_reader *r) {
    const yaml_node *sensors = br_yaml_find(r->root, "sensors");
    if (!sensors || yaml_is_empty(sensors)) return;
    br_yaml_expect_map(r, sensors, "sensors");
    for (const yaml_node *node = sensors->first; node && r->status == BR_OK; node = node->next)
        read_sensor(r, node);
}
