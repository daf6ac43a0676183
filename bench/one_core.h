// What every benchmark does first. Includers define _GNU_SOURCE, for sched_setaffinity.
#ifndef BENCH_ONE_CORE_H
#define BENCH_ONE_CORE_H

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// One thread and one core for everybody: BLAS reads its thread count when it is loaded, so the program starts again.
static void use_one_core(char **argv) {
    if (!getenv("OPENBLAS_NUM_THREADS") || strcmp(getenv("OPENBLAS_NUM_THREADS"), "1")) {
        setenv("OPENBLAS_NUM_THREADS", "1", 1);
        setenv("OMP_NUM_THREADS", "1", 1);
        execv("/proc/self/exe", argv);
    }
    cpu_set_t allowed, one;
    if (sched_getaffinity(0, sizeof allowed, &allowed)) return;
    CPU_ZERO(&one);
    for (int k = CPU_SETSIZE - 1; k >= 0; k--) {
        if (CPU_ISSET(k, &allowed)) {
            CPU_SET(k, &one);
            break;
        }
    }
    sched_setaffinity(0, sizeof one, &one);
}

#endif
