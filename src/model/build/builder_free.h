// Placing bodies that move freely in a model that was read from a file of another program.
#ifndef BR_MODEL_BUILD_BUILDER_FREE_H
#define BR_MODEL_BUILD_BUILDER_FREE_H

#include "bristle/model.h"

// The joint that holds a body, other than a free one to the world; NULL: it moves freely.
const char *br_builder_holder(const br_builder *builder, const char *body);

// Where a body stands at the start, if it moves freely. Returns 0 when there is none of that name.
int br_builder_start_pose(const br_builder *builder, const char *body, br_pose *X_WB);

// velocity: of the centre of mass, angular, world axes; NULL: it stays. The body must be there and move freely.
br_status br_builder_place_free(br_builder *builder, const char *body, const br_pose *X_WB,
                                const br_vec3 velocity[2], br_error *error);

#endif
