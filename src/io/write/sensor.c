// Sensors in a model file, see io/yaml/sensor.c.
#include "io/write/write.h"
#include "model/def/words.h"

static const char *const zone_words[] = {"sphere", "box", "capsule", "cylinder", "ellipsoid"};
static const br_shape_type zone_types[] = {BR_SHAPE_SPHERE, BR_SHAPE_BOX, BR_SHAPE_CAPSULE, BR_SHAPE_CYLINDER,
                                           BR_SHAPE_ELLIPSOID};

static void put_frame(FILE *file, const char *key, br_pose X) {
    if (br_vec3_max_abs(X.position) == 0.0 && X.rotation.w == 1.0) return;
    fprintf(file, ", %s: {", key);
    br_model_put_pose(file, X);
    fputs("}", file);
}

static void put_zone(FILE *file, const br_sensor_def *def) {
    int k = 0;
    while (k < 4 && zone_types[k] != def->zone) k++;
    fprintf(file, ", zone: {%s: ", zone_words[k]);
    br_model_put_numbers(file, def->size, 3);
    fputs("}", file);
}

br_status br_model_write_sensors(model_writer *w) {
    const br_builder *b = w->builder;
    FILE *file = w->file;
    if (b->sensor_names.count > 0) fputs("\nsensors:\n", file);
    for (int k = 0; k < b->sensor_names.count; k++) {
        const br_sensor_def *def = &b->sensor[k];
        fputs("  ", file);
        br_model_put_name(file, def->name);
        fprintf(file, ": {%s: ", br_words_sensor[def->type]);
        br_model_put_name(file, def->of);
        put_frame(file, "at", def->pose);
        if (def->from) {
            fputs(", seen_from: ", file);
            br_model_put_name(file, def->from);
            put_frame(file, "seen_at", def->from_pose);
        }
        if (def->coordinate != 0) fprintf(file, ", coordinate: %d", def->coordinate);
        if (def->factor != 1.0) fputs(", factor: ", file), br_model_put_number(file, def->factor);
        if (def->type == BR_SENSOR_TOUCH) put_zone(file, def);
        fputs("}\n", file);
    }
    return BR_OK;
}
