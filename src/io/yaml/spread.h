// Parameters with a distribution, `mu: {normal: [0.15, 0.02]}`.
#ifndef BR_IO_YAML_SPREAD_H
#define BR_IO_YAML_SPREAD_H

#include "io/yaml/yaml.h"

// What the parameter is where nothing is drawn: the mean, of lognormal the median. An expression, in the arena; NULL: a fault.
const char *br_yaml_nominal(yaml_reader *r, const yaml_node *param);

#endif
