// Model files of any format: which reader takes one, and what readers are given.
#ifndef BR_IO_MODEL_FILE_H
#define BR_IO_MODEL_FILE_H

#include "base/arena.h"
#include "bristle/io.h"

typedef struct io_model_source {
    const char *path; // for messages
    const char *name; // of the model, where the file gives none
    const char *text; // NULL for a reader that opens the file itself
    size_t size;
    const br_override *overrides;
    int override_count;
    br_arena *arena;     // lives until the model is created
    br_builder *builder; // to fill
    br_error *error;     // never NULL
} io_model_source;

#endif
