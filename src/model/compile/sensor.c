// Sensors: what they name, found.
#include <string.h>

#include "model/compile/compile.h"
#include "model/def/words.h"

static br_status find_joint(br_compile *c, const br_place *place, const br_sensor_def *def,
                            br_model_sensor *out) {
    const char *kind = br_words_sensor[def->type];
    const br_status status = br_compile_find_joint(c, place, kind, def->of, &out->joint);
    if (status != BR_OK) return status;
    const br_joint_type type = c->model->joint[out->joint].type;
    const int position = def->type == BR_SENSOR_JOINT_POSITION;
    const int count = position ? br_joint_type_positions(type) : br_joint_type_velocities(type);
    if (def->coordinate >= 0 && def->coordinate < count) return BR_OK;
    return br_fail_place(place, "sensor-coordinate", kind,
                         "sensor %s reads coordinate %d of joint %.80s (%s), which has %d", def->name,
                         def->coordinate, def->of, br_joint_type_name(type), count);
}

static br_status compile_sensor(br_compile *c, const br_sensor_def *def, br_model_sensor *out) {
    const br_place place = {"sensors", def->name, c->error};
    const char *kind = br_words_sensor[def->type];
    *out = (br_model_sensor){.type = def->type,
                             .body = -1,
                             .joint = -1,
                             .drive = -1,
                             .X_BS = def->pose,
                             .has_from = def->from != NULL,
                             .from = -1,
                             .X_FR = def->from_pose,
                             .coordinate = def->coordinate,
                             .factor = def->factor,
                             .zone = def->zone};
    memcpy(out->size, def->size, sizeof out->size);
    if (!(out->name = br_copy_text(&c->model->arena, def->name))) return br_compile_no_memory(c);
    if (def->type == BR_SENSOR_JOINT_POSITION || def->type == BR_SENSOR_JOINT_VELOCITY)
        return find_joint(c, &place, def, out);
    if (def->type == BR_SENSOR_DRIVE_EFFORT) {
        out->drive = br_names_find(&c->builder->drive_names, def->of);
        return out->drive >= 0 ? BR_OK
                               : br_fail_unknown(&place, "unknown-drive", kind, "drive", def->of,
                                                 &c->builder->drive_names);
    }
    br_status status = br_compile_find_body(c, &place, kind, def->of, &out->body);
    if (status == BR_OK && def->from)
        status = br_compile_find_body(c, &place, "seen_from", def->from, &out->from);
    const int carried =
        def->type == BR_SENSOR_FORCE || def->type == BR_SENSOR_TORQUE || def->type == BR_SENSOR_TOUCH;
    if (status == BR_OK && carried && out->body < 0)
        return br_fail_place(&place, "sensor-frame", kind,
                             "sensor %s is fixed to the world, which no joint carries; name a body",
                             def->name);
    return status;
}

br_status br_compile_sensors(br_compile *c) {
    br_model *m = c->model;
    const int count = c->builder->sensor_names.count;
    m->sensor = BR_TAKE(&m->arena, br_model_sensor, count);
    if (!m->sensor) return br_compile_no_memory(c);
    br_status status = BR_OK;
    for (; m->sensors < count && status == BR_OK; m->sensors++)
        status = compile_sensor(c, &c->builder->sensor[m->sensors], &m->sensor[m->sensors]);
    return status;
}
