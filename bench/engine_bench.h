// What engine_bench asks of a simulator. Each engine is one file; one that was not installed when the build
// was configured has make_chain = NULL, and the table says so. Coordinates are those of engine_scene.h for
// every engine.
#ifndef BENCH_ENGINE_BENCH_H
#define BENCH_ENGINE_BENCH_H

#include "engine_scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct engine {
    const char *name;
    const char *note;                 // for the table's legend: what was called, with which settings
    void *(*make_chain)(int links);   // at rest, q = 0; NULL: the engine cannot build it
    void *(*make_fourbar)(int loops); // at fourbar_start; NULL (the function or its answer): cannot
    void (*set_state)(void *world, const double *q, const double *v);
    void (*get_state)(void *world, double *q, double *v);
    // Accelerations a of a chain, everything computed from q, v and tau as given.
    void (*forward)(void *world, const double *q, const double *v, const double *tau, double *a);
    void (*step)(void *world); // STEP_SIZE, no torques
    void (*destroy)(void *world);
} engine;

extern const engine engine_bristle, engine_mujoco, engine_bullet, engine_simbody, engine_dart;

#ifdef __cplusplus
}

constexpr engine absent_engine(const char *name) {
    engine e{};
    e.name = name;
    return e;
}
#endif

#endif
