// Model files in YAML, as one of the readers of model_file.c.
#ifndef BR_IO_YAML_MODEL_H
#define BR_IO_YAML_MODEL_H

#include "io/model_file.h"
#include "io/yaml/yaml.h"

// Makes source->builder and fills it: first what the key `import` names, then the file itself. *places: for
// br_yaml_model_place, in the arena.
br_status br_yaml_model_read(io_model_source *source, const void **places);

// Gives an error of the builder or of br_model_create, which names a field by its path, its place in the file or in the
// imported one.
void br_yaml_model_place(const io_model_source *source, const void *places);

// The same for an error that came later, from the text again.
void br_yaml_model_locate(const io_model_source *source, br_error *error);

// source is a model of another program: reads it with the options that overrides give (import.strict, ...), then
// applies those of settings (solver.step, run.until, coordinates, ...).
br_status br_yaml_model_import(io_model_source *source);

#endif
