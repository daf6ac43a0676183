// Sensors of the builder: checked, copied.
#include <string.h>

#include "model/build/builder.h"
#include "model/def/words.h"

br_sensor_def br_default_sensor_def(void) {
    return (br_sensor_def){.pose = br_pose_identity(),
                           .from_pose = br_pose_identity(),
                           .factor = 1.0,
                           .size = {0.005, 0.005, 0.005}};
}

static br_status check_zone(const br_sensor_def *def, const br_place *place) {
    const int zoned = def->zone == BR_SHAPE_SPHERE || def->zone == BR_SHAPE_BOX ||
                      def->zone == BR_SHAPE_CAPSULE || def->zone == BR_SHAPE_CYLINDER ||
                      def->zone == BR_SHAPE_ELLIPSOID;
    if (!zoned)
        return br_fail_place(
            place, "sensor-zone", "zone",
            "the zone of touch sensor %s is neither a sphere, box, capsule, cylinder nor ellipsoid",
            def->name);
    return br_check_not_negative(place, "zone", def->size, 3);
}

static br_status check_sensor(const br_sensor_def *def, const br_place *place) {
    if ((int)def->type < 0 || def->type >= BR_SENSOR_TYPES)
        return br_fail_place(place, "model-kind", NULL, "sensor %s is of no known kind (%d)", def->name,
                             (int)def->type);
    const char *kind = br_words_sensor[def->type];
    if (!def->of || !def->of[0])
        return br_fail_place(place, "model-missing", kind, "sensor %s does not say of what, expected a name",
                             def->name);
    if (strcmp(def->name, "t") == 0)
        return br_fail_place(place, "name-duplicate", NULL, "a sensor cannot be called t, which is the time");
    if (def->from && def->type != BR_SENSOR_POSITION && def->type != BR_SENSOR_ROTATION)
        return br_fail_place(
            place, "sensor-frame", "seen_from",
            "sensor %s (%s) is seen from another frame, which only positions and rotations can be", def->name,
            kind);
    br_status status = br_check_pose(place, kind, def->pose);
    if (status == BR_OK) status = br_check_pose(place, "seen_from", def->from_pose);
    if (status == BR_OK) status = br_check_finite(place, "factor", &def->factor, 1);
    return status == BR_OK && def->type == BR_SENSOR_TOUCH ? check_zone(def, place) : status;
}

br_status br_builder_sensor(br_builder *builder, const br_sensor_def *def, br_error *error) {
    const br_place place = {"sensors", def->name, error};
    br_status status = br_check_new_name(&builder->sensor_names, &place, "sensor");
    if (status == BR_OK) status = check_sensor(def, &place);
    if (status != BR_OK) return status;
    const int n = builder->sensor_names.count;
    br_sensor_def copy = *def;
    copy.pose.rotation = br_quat_normalize(copy.pose.rotation);
    copy.from_pose.rotation = br_quat_normalize(copy.from_pose.rotation);
    if (!BR_BUILDER_GROW(builder, sensor, n) || !br_keep_text(&builder->arena, &copy.name) ||
        !br_keep_text(&builder->arena, &copy.of) || !br_keep_text(&builder->arena, &copy.from) ||
        br_names_add(&builder->sensor_names, &builder->arena, copy.name) != BR_OK)
        return br_builder_no_memory(error);
    builder->sensor[n] = copy;
    return BR_OK;
}
