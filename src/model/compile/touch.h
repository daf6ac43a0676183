// Which shapes of a model can touch at all.
#ifndef BR_MODEL_COMPILE_TOUCH_H
#define BR_MODEL_COMPILE_TOUCH_H

#include "model/model.h"

// Whether two shapes may ever touch: of different bodies, not both fixed to the world, not of bodies that a joint connects
// or `exclude` names, categories and masks agree, and a kind of pair that can collide.
int br_model_may_touch(const br_model *model, int shape_a, int shape_b);
// The first two shapes that may; 0: none.
int br_model_first_touch(const br_model *model, int *shape_a, int *shape_b);

// Index of the pair of two shapes' materials; -1: none listed, or a shape has no material.
int br_model_pair(const br_model *model, int shape_a, int shape_b);

#endif
