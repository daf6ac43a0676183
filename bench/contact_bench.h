// What contact_bench asks of a simulator. An engine is a library with one choice of settings; a library is one file, which
// may have several. One that was not installed when the build was configured has make = NULL, and the table says so.
#ifndef BENCH_CONTACT_BENCH_H
#define BENCH_CONTACT_BENCH_H

#include "contact_judge.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct contact_engine {
    const char *name;
    const char *note;                          // for the table's legend: what was called, with which settings
    void *(*make)(const contact_scene *scene); // NULL (the function's answer): it has no way to build this
    void (*step)(void *world);
    void (*read)(void *world, contact_state *state); // [bodies]
    int (*contacts)(void *world);                    // points that carried force in the last step, about
    void (*destroy)(void *world);
} contact_engine;

extern const contact_engine contact_bristle_cone, contact_bristle_bristle;
extern const contact_engine contact_ode, contact_ode_quick, contact_mujoco, contact_mujoco_stiff,
    contact_bullet, contact_bullet_50, contact_dart;

#ifdef __cplusplus
}

constexpr contact_engine absent_contact_engine(const char *name) {
    contact_engine e{};
    e.name = name;
    return e;
}
#endif

#endif
