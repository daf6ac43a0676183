// The path of a tendon.
#ifndef BR_IO_YAML_TENDON_H
#define BR_IO_YAML_TENDON_H

#include "io/yaml/yaml.h"

void br_yaml_read_tendon(yaml_reader *r, const yaml_node *path, const char *what, br_joint_def *def);

#endif
