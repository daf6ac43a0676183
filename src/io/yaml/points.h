// `at`: where joints, springs and forces attach.
#ifndef BR_IO_YAML_POINTS_H
#define BR_IO_YAML_POINTS_H

#include "io/yaml/yaml.h"

typedef struct yaml_points {
    int world; // [x, y, z]: a point of the world at the poses as given
    br_vec3 point_W;
    int given[2]; // on the first and second body: {BODY: [x, y, z]} or BODY.FRAME
    int frame[2]; // the latter: its axes count too
    br_pose X[2]; // in the body's frame
} yaml_points;

// second NULL: there is only one body. node NULL: nothing is given.
void br_yaml_read_points(yaml_reader *r, const yaml_node *node, const char *what, const char *first,
                         const char *second, yaml_points *out);

#endif
