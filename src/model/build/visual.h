// What is drawn and touches nothing: meshes and solids that models of other programs have for pictures. No motion depends on it, so
// it is no part of a model's number.
#ifndef BR_MODEL_BUILD_VISUAL_H
#define BR_MODEL_BUILD_VISUAL_H

#include "base/arena.h"
#include "bristle/model.h"

typedef struct br_visual {
    const char *body;   // NULL: the world
    int index;          // of the body in the compiled model; -1: the world
    br_shape_def shape; // in the body frame; a mesh is BR_SHAPE_CONVEX with its file, by its whole path
    // Points of the file: x in the shape's frame is scale times turn (x - origin).
    br_vec3 scale, origin;
    br_quat turn;
    double colour[4]; // red, green, blue, opacity: 0 to 1; red < 0: none is given
} br_visual;

br_status br_builder_visual(br_builder *builder, const br_visual *def, br_error *error);

#endif
