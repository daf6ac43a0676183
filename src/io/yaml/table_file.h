// The key `table` of a distribution: values that were measured.
#ifndef BR_IO_YAML_TABLE_FILE_H
#define BR_IO_YAML_TABLE_FILE_H

#include "io/yaml/yaml.h"

// node: the name of a CSV file beside the file that names it: a value on each line and, after a comma, its weight, 1 where it is left out. A
// first line of words is a heading. *upto: the sum of the weights up to each value, of all of them 1. Both in the arena.
void br_yaml_table_file(yaml_reader *r, const yaml_node *node, double **value, double **upto, int *count);

#endif
