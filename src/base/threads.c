// Jobs in threads of POSIX, see threads.h.
#include "base/threads.h"

#include <pthread.h>

typedef struct thread_job {
    void (*run)(void *job);
    void *job;
    pthread_t thread;
    int started;
} thread_job;

static void *thread_main(void *argument) {
    const thread_job *t = argument;
    t->run(t->job);
    return NULL;
}

void br_run_jobs(int count, void *jobs, size_t size, void (*run)(void *job)) {
    thread_job thread[BR_MAX_THREADS];
    for (int k = 1; k < count; k++) {
        thread[k] = (thread_job){.run = run, .job = (char *)jobs + (size_t)k * size};
        thread[k].started = pthread_create(&thread[k].thread, NULL, thread_main, &thread[k]) == 0;
    }
    run(jobs);
    for (int k = 1; k < count; k++) {
        if (thread[k].started)
            pthread_join(thread[k].thread, NULL);
        else
            run(thread[k].job); // no thread to be had: the same work, here
    }
}
