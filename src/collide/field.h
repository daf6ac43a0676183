// Height fields: their geometry, and what stands on them. Private to src/collide.
#ifndef BR_COLLIDE_FIELD_H
#define BR_COLLIDE_FIELD_H

#include "collide/collide.h"

// A copy of the definition's heights with their extremes.
br_status br_field_make(const br_shape_def *def, br_arena *arena, br_field **out, br_error *error);

// Anything with a support function over a height field.
int br_pair_convex_field(const br_geometry *a, const br_placement *X_A, const br_geometry *b,
                         const br_placement *X_B, double margin, br_contact_point *out);

#endif
