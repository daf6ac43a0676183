// Tables: straight lines or monotone cubics through points, constant outside.
#ifndef BR_MODEL_FUNCTION_TABLE_H
#define BR_MODEL_FUNCTION_TABLE_H

#include "model/function/function.h"

typedef struct br_table {
    int count;
    double *times, *values; // [count]
    double *slopes;         // [count] of the cubics; NULL: straight lines
} br_table;

br_status br_table_create(const br_function_def *def, br_arena *arena, br_table *out, br_error *error);

// At a point the derivatives are those of the piece that begins there.
br_jet br_table_jet(const br_table *table, double t);
double br_table_next_knot(const br_table *table, double t);

#endif
