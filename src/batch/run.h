// A batch, and one run of it.
#ifndef BR_BATCH_RUN_H
#define BR_BATCH_RUN_H

#include "batch/column.h"
#include "bristle/batch.h"

struct br_batch {
    br_arena arena; // holds the batch itself
    br_allocator allocator;
    const br_allocator *allocator_or_null;
    const br_model *given; // where a model was given
    const char *path, *text, *text_name;
    size_t size;
    br_model *own;         // that was read
    const br_model *model; // one of the two: of the probe
    int changed;           // the probe had overrides, so `model` is not that of a case without
    batch_columns columns;
    double until, after;
};

br_status br_batch_read_model(const br_batch *batch, const br_override *overrides, int count, br_model **out,
                              br_error *error);
double br_batch_until(const br_batch *batch, const br_model *model); // the end of a run of it, s

#endif
