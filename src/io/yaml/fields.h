// Reading the fields of a definition by its table, model/def/field.h.
#ifndef BR_IO_YAML_FIELDS_H
#define BR_IO_YAML_FIELDS_H

#include "io/yaml/yaml.h"
#include "model/def/field.h"

// A map whose keys are those of the definition. what: "body 'wheel'".
void br_yaml_expect_def(yaml_reader *r, const yaml_node *node, const char *what, const br_def *def);

// Every field of the map that is not read by code, in the order of the table. node NULL: nothing is given. kinds: of the
// flags BR_FIELD_TURNS and BR_FIELD_LINEAR, those whose other dimension counts.
void br_yaml_read_fields(yaml_reader *r, const yaml_node *node, const char *what, const br_def *def,
                         unsigned kinds, void *object);

// The value under the key or one of its other words; two of them are a fault. NULL: none.
const yaml_node *br_yaml_field_entry(yaml_reader *r, const yaml_node *node, const char *what,
                                     const br_def *def, const char *key);

#endif
