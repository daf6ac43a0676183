// The key `import` of a model file, and the same options for a file of another program that is given itself.
#ifndef BR_IO_YAML_IMPORT_H
#define BR_IO_YAML_IMPORT_H

#include "io/model_file.h"
#include "io/yaml/yaml.h"

// `import: robot.xml` becomes `import: {file: robot.xml}`, so that --set finds its keys.
br_status br_yaml_import_as_map(br_arena *arena, yaml_node *root, br_error *error);

// itself: the model is the imported file, so no other is named. *file is untouched then.
void br_yaml_read_import_options(yaml_reader *r, const yaml_node *node, int itself, const char **file,
                                 br_import_options *out);

// Makes source->builder and source->report of the file that root's `import` names; neither without that key.
void br_yaml_read_import(yaml_reader *r, io_model_source *source);

#endif
