// Changes of a model by --set and by an importing file.
#ifndef BR_IO_YAML_OVERRIDE_H
#define BR_IO_YAML_OVERRIDE_H

#include "io/model_file.h"
#include "io/yaml/yaml.h"

// Changes the tree as source's overrides say. keys: those of the top level, ended by NULL.
br_status br_yaml_apply_overrides(const io_model_source *source, yaml_node *root, const char *const *keys);

#endif
