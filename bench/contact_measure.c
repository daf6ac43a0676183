#include "contact_measure.h"
#include "contact.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LOOKS = 100, CLOCK_READS = 101 }; // of a run by the judge, besides its end

typedef struct samples {
    double cost; // s of reading the clock, which a step of 1 us would show
    double *value;
    int count, capacity;
} samples;

static double read_clock(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double contact_clock(void) {
    return read_clock(CLOCK_MONOTONIC);
}

static clockid_t sample_clock = CLOCK_MONOTONIC;

void contact_use_cpu_time(void) {
    sample_clock = CLOCK_THREAD_CPUTIME_ID; // the one of the process is coarse while a timer runs on it
}

static double now(void) {
    return read_clock(sample_clock);
}

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *value, int count) {
    if (count == 0) return NAN;
    qsort(value, (size_t)count, sizeof *value, by_value);
    return count % 2 ? value[count / 2] : 0.5 * (value[count / 2 - 1] + value[count / 2]);
}

// The mean without the slowest hundredth, in which the machine did something else. Not the median: engines whose
// bodies rattle step without contacts half of the time.
static double mean_of_steps(double *value, int count) {
    const int kept = count - count / 100;
    double sum = 0;
    qsort(value, (size_t)count, sizeof *value, by_value);
    for (int k = 0; k < kept; k++) sum += value[k];
    return kept > 0 ? sum / kept : NAN;
}

static samples samples_create(int capacity) {
    samples s = {.value = bench_alloc(capacity, sizeof(double)), .capacity = capacity};
    double cost[CLOCK_READS];
    for (int k = 0; k < CLOCK_READS; k++) {
        const double start = now();
        cost[k] = now() - start;
    }
    s.cost = median(cost, CLOCK_READS);
    return s;
}

// One variant of the scene from beginning to end. 0: the engine cannot build it.
static int run_variant(const contact_engine *engine, const contact_row *row, int variant, samples *times,
                       contact_run *result) {
    contact_scene scene = contact_scene_create(row->kind, variant);
    const int steps = (int)lround(row->seconds / scene.step),
              timed_from = (int)lround(row->from / scene.step);
    const int look = steps > LOOKS ? steps / LOOKS : 1;
    void *world = engine->make(&scene);
    if (!world) return 0;
    contact_watch watch = contact_watch_create(&scene, row->seconds);
    for (int k = 0; k < steps; k++) {
        const double start = now();
        engine->step(world);
        const double end = now();
        if (k >= timed_from && times->count < times->capacity)
            times->value[times->count++] = end - start - times->cost;
        if ((k + 1) % look) continue;
        engine->read(world, watch.reading);
        contact_watch_look(&watch, (k + 1) * scene.step);
    }
    engine->read(world, watch.reading);
    contact_watch_finish(&watch, steps * scene.step, &result->verdict);
    result->contacts = engine->contacts(world);
    contact_watch_destroy(&watch);
    engine->destroy(world);
    contact_scene_destroy(&scene);
    return 1;
}

static void run_case(const contact_engine *engine, contact_case kind, contact_run *result) {
    const contact_row *row = contact_row_of(kind);
    const double smallest_step = 1e-3;
    samples times = samples_create((int)(row->variants * row->seconds / smallest_step) + 1);
    int fine = 1;
    for (int k = 0; fine && k < row->variants; k++) fine = run_variant(engine, row, k, &times, result);
    result->samples = times.count;
    result->seconds = mean_of_steps(times.value, times.count);
    result->outcome = fine ? CONTACT_DONE : CONTACT_CANNOT;
    free(times.value);
}

contact_run contact_measure(const contact_engine *engine, contact_case kind, double cap, int aloud) {
    if (!engine->make) return (contact_run){.outcome = CONTACT_ABSENT};
    contact_run *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return (contact_run){.outcome = CONTACT_CRASHED};
    *shared = (contact_run){.outcome = CONTACT_CRASHED, .verdict = contact_verdict_none()};
    const pid_t child = fork();
    if (child == 0) {
        const int nowhere = open("/dev/null", O_WRONLY);
        if (nowhere >= 0) {
            dup2(nowhere, STDOUT_FILENO);
            if (!aloud) dup2(nowhere, STDERR_FILENO);
        }
        setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = (time_t)ceil(cap)},
                  NULL); // SIGPROF ends it
        run_case(engine, kind, shared);
        _exit(0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) status = -1;
    contact_run result = *shared;
    munmap(shared, sizeof *shared);
    if (result.outcome == CONTACT_CRASHED && status != -1 && WIFSIGNALED(status) &&
        WTERMSIG(status) == SIGPROF)
        result.outcome = CONTACT_STOPPED;
    return result;
}
