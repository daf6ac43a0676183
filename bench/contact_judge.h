// The judge of every engine in contact_bench: from positions and velocities alone, by one function for all. Nothing here
// calls an engine.
#ifndef BENCH_CONTACT_JUDGE_H
#define BENCH_CONTACT_JUDGE_H

#include "contact_scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct contact_state { // of one body
    double position[3], rotation[4], velocity[3];
} contact_state;

enum { CONTACT_METRICS = 3 };

typedef struct contact_metric {
    const char *name;  // with its unit; NULL: the scene has fewer
    const char *key;   // in JSON
    double exact;      // what is right
    double limit;      // as far from it counts as accurate; not a number: only shown
    const char *asked; // of the limit, for the sentence below the table
} contact_metric;

const contact_metric *contact_metric_of(contact_case kind); // [CONTACT_METRICS]

typedef struct contact_verdict {
    double value[CONTACT_METRICS]; // not a number: not measured
} contact_verdict;

contact_verdict contact_verdict_none(void);

// Whether every metric that has a limit was measured and is within it.
int contact_accurate(contact_case kind, const contact_verdict *verdict);

// Whether the scene ended as another one than was asked for: a tower that fell. Its steps are then not compared.
int contact_fell(contact_case kind, const contact_verdict *verdict);

// What one run of a scene showed, seen from time to time and at its end.
typedef struct contact_watch {
    const contact_scene *scene;
    double seconds;         // of the run
    contact_state *reading; // [bodies] for the caller to fill before contact_watch_look
    double late[3];         // where body 0 was when the last tenth of the run began
    double late_time, drift, sag;
    int has_late;
} contact_watch;

contact_watch contact_watch_create(const contact_scene *scene, double seconds);
void contact_watch_look(contact_watch *watch, double time);
// Takes the last reading as the end, and makes `verdict` worse where this run was worse than those before.
void contact_watch_finish(contact_watch *watch, double time, contact_verdict *verdict);
void contact_watch_destroy(contact_watch *watch);

#ifdef __cplusplus
}
#endif

#endif
