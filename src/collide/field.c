// Height fields: the copy of a definition's heights (br_field_make).
#include <string.h>

#include "base/error.h"
#include "collide/field.h"
#include "collide/pair.h"

br_status br_field_make(const br_shape_def *def, br_arena *arena, br_field **out, br_error *error) {
    if (def->columns < 2 || def->rows < 2)
        return br_fail(error, BR_INVALID, "shape-size",
                       "a height field has %d columns and %d rows, expected 2 or more", def->columns,
                       def->rows);
    if (!(def->spacing.x > 0.0) || !(def->spacing.y > 0.0) || !br_vec3_is_finite(def->spacing))
        return br_fail(error, BR_INVALID, "shape-size",
                       "a height field has spacing %g by %g, expected positive numbers", def->spacing.x,
                       def->spacing.y);
    const size_t count = (size_t)def->columns * (size_t)def->rows;
    br_field *field = BR_TAKE(arena, br_field, 1);
    double *height = BR_TAKE(arena, double, count);
    if (!br_arena_ok(arena)) return br_no_memory(error, "no memory for %zu heights", count);
    field->lowest = INFINITY, field->highest = -INFINITY;
    for (size_t i = 0; i < count; ++i) {
        if (!isfinite(def->heights[i]))
            return br_fail(error, BR_INVALID, "shape-size",
                           "height %zu of a field is %g, expected a finite number", i, def->heights[i]);
        field->lowest = fmin(field->lowest, def->heights[i]);
        field->highest = fmax(field->highest, def->heights[i]);
    }
    memcpy(height, def->heights, count * sizeof *height);
    field->columns = def->columns, field->rows = def->rows;
    field->spacing_x = def->spacing.x, field->spacing_y = def->spacing.y;
    field->height = height;
    *out = field;
    return BR_OK;
}
