// Jobs that run at the same time where there are threads. The only file that knows of them is threads.c; a build
// without threads has threads_core.c in its place, which does the same work in a row.
#ifndef BR_BASE_THREADS_H
#define BR_BASE_THREADS_H

#include "bristle/solver.h" // BR_MAX_THREADS

// Calls run with each of `count` jobs, 1 to BR_MAX_THREADS, that lie `size` bytes apart, and returns when all are done.
// Jobs must not depend on each other: they run at once, or one after the other where a thread is not to be had.
void br_run_jobs(int count, void *jobs, size_t size, void (*run)(void *job));

#endif
