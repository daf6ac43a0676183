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
    const br_allocator *allocator;
    br_arena *arena;          // lives until the model is created
    br_error *error;          // never NULL
    br_builder *builder;      // made and filled by the reader
    br_import_report *report; // of an imported file; NULL: none
    int amends;               // elements of an imported file may be changed by their names
    int lift;                 // import.lift
} io_model_source;

#endif
