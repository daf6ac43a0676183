// Raising what moves freely out of what is fixed, for models of other programs.
#ifndef BR_IO_IMPORT_LIFT_H
#define BR_IO_IMPORT_LIFT_H

#include "bristle/model.h"

// Makes the model and its contacts once for each pass; the builder's poses change.
br_status br_io_lift(br_builder *builder, const br_allocator *allocator, br_error *error);

#endif
