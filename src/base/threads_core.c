// Jobs in a row, see threads.h: for the core, which needs nothing but libc.
#include "base/threads.h"

void br_run_jobs(int count, void *jobs, size_t size, void (*run)(void *job)) {
    for (int k = 0; k < count; k++) run((char *)jobs + (size_t)k * size);
}
