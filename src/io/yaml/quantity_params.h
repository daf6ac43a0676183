// Parameters as the reader of quantities sees them; their list is in quantity.h.
#ifndef BR_IO_YAML_QUANTITY_PARAMS_H
#define BR_IO_YAML_QUANTITY_PARAMS_H

#include "io/yaml/quantity.h"

#define BR_MAX_SUGGESTED_PARAMS 256 // names that the nearest right spelling is looked for in

struct br_param {
    const char *name, *text;
    br_term term; // constant; after resolve
    int state;    // of resolve: 0 not begun, 1 waits for others, 2 done
    int via;      // which one asked for it
    size_t read;  // characters of text in which every reference is done
};

// Sets the part of *names that looks parameters up; words is room for their names. params may be NULL.
void br_params_names(const br_params *params, const char *words[BR_MAX_SUGGESTED_PARAMS],
                     br_expression_names *names);

// The text with every $name replaced by its value and unit, in the arena.
br_status br_params_substitute(const char *text, const br_params *params, br_arena *arena, const char **out,
                               br_error *error);

#endif
