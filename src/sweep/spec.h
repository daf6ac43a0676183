// A sweep as it was read.
#ifndef BR_SWEEP_SPEC_H
#define BR_SWEEP_SPEC_H

#include "bristle/sweep.h"
#include "sweep/vary.h"

typedef enum sweep_design { SWEEP_GRID = 0, SWEEP_LIST, SWEEP_LATIN, SWEEP_RANDOM, SWEEP_SOBOL } sweep_design;

// Behind an index and its error; and of those, that carry the variance: (sum v)^2/sum v^2.
enum { SWEEP_LEAST_SAMPLES = 30, SWEEP_LEAST_CARRIERS = 10 };

struct br_sweep {
    br_arena arena;                // holds the sweep itself
    const br_allocator *allocator; // NULL: malloc
    br_allocator own;
    const char *path, *text; // of the spec
    size_t size;
    const char *model_path;
    sweep_design design;
    long long count; // of runs
    int seed;
    sweep_vary *vary;
    int vary_count;
    br_override *fixed; // of `set`
    int fixed_count;
    const char **column;
    const yaml_node **column_place;
    int column_count;
    double until, after; // s; until NAN: as the model has it
    uint64_t key;        // of the random numbers
    uint64_t hash, model_hash;
    br_batch *batch;
};

// Reads the text into *sweep, whose arena, path and text are there. The model is not looked at.
br_status br_spec_read(br_sweep *sweep, br_error *error);

#endif
