#include "engine_measure.h"
#include "contact.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    STATES = 4,           // that forward goes round: every call sees another one than the last
    MIN_SAMPLES = 9,      // of forward, however slow
    MAX_SAMPLES = 100000, // of forward or chain steps, however fast
    CHAIN_STEPS = 500,    // of a chain; long chains take fewer, or one engine alone would need a minute
    CHAIN_STEPS_LONG = 50,
    LONG_CHAIN = 1000,
};
#define BUDGET 0.2      // s of the clock that the samples of a chain take, more where they are slow
#define MAX_SECONDS 120 // s of four-bar motion that fit in the array of samples

typedef struct stopwatch {
    double cost; // s of reading the clock, which a 3 us call would show
    double *sample;
    int count, capacity;
} stopwatch;

static double read_clock(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double engine_clock(void) {
    return read_clock(CLOCK_MONOTONIC);
}

static clockid_t sample_clock = CLOCK_MONOTONIC;

void engine_use_cpu_time(void) {
    sample_clock = CLOCK_PROCESS_CPUTIME_ID;
}

static double now(void) {
    return read_clock(sample_clock);
}

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *sample, int count) {
    if (count == 0) return 0;
    qsort(sample, (size_t)count, sizeof *sample, by_value);
    return count % 2 ? sample[count / 2] : 0.5 * (sample[count / 2 - 1] + sample[count / 2]);
}

static stopwatch stopwatch_create(int capacity) {
    stopwatch w = {.sample = bench_alloc(capacity, sizeof(double)), .capacity = capacity};
    double cost[101];
    for (int k = 0; k < 101; k++) {
        const double start = now();
        cost[k] = now() - start;
    }
    w.cost = median(cost, 101);
    return w;
}

static void stopwatch_note(stopwatch *w, double start, double end) {
    if (w->count < w->capacity) w->sample[w->count++] = end - start - w->cost;
}

static void stopwatch_finish(stopwatch *w, engine_run *result) {
    result->samples = w->count;
    result->seconds = median(w->sample, w->count);
    result->state = ENGINE_DONE;
    free(w->sample);
}

static void time_forward(const engine *e, void *world, int n, engine_run *result) {
    stopwatch w = stopwatch_create(MAX_SAMPLES);
    double *x = bench_alloc((3L * STATES + 1) * n, sizeof *x), *a = x + 3L * STATES * n;
    for (int k = 0; k < STATES; k++) {
        double *q = x + 3L * k * n, *v = q + n, *tau = v + n;
        chain_state(n, 1u + (unsigned)k, q, v, tau);
        e->forward(world, q, v, tau, a); // warms up, and is what is judged
        result->residual = worst_of(chain_residual(n, q, v, tau, a), result->residual);
    }
    const double since = engine_clock();
    for (int k = 0; w.count < MAX_SAMPLES && (w.count < MIN_SAMPLES || engine_clock() - since < BUDGET);
         k++) {
        const double *q = x + 3L * (k % STATES) * n, *v = q + n, *tau = v + n, start = now();
        e->forward(world, q, v, tau, a);
        stopwatch_note(&w, start, now());
    }
    stopwatch_finish(&w, result);
    free(x);
}

// The same stretch of motion over and over, while the budget lasts.
static void time_chain_steps(const engine *e, void *world, int n, engine_run *result) {
    const int steps = n >= LONG_CHAIN ? CHAIN_STEPS_LONG : CHAIN_STEPS;
    stopwatch w = stopwatch_create(MAX_SAMPLES > steps ? MAX_SAMPLES : steps);
    double *x = bench_alloc(5L * n, sizeof *x), *q = x + 3L * n, *v = q + n;
    const double scale = ROD_MASS * GRAVITY * ROD_LENGTH * n * n / 2;
    chain_state(n, 1, x, x + n, x + 2L * n);
    const double energy = chain_energy(n, x, x + n);
    e->set_state(world, x, x + n);
    for (int k = 0; k < steps; k++) { // warms up, and is what is judged
        e->step(world);
        e->get_state(world, q, v);
        result->energy = worst_of(fabs(chain_energy(n, q, v) - energy) / scale, result->energy);
    }
    const double since = engine_clock();
    do {
        e->set_state(world, x, x + n);
        for (int k = 0; k < steps; k++) {
            const double start = now();
            e->step(world);
            stopwatch_note(&w, start, now());
        }
    } while (w.count < w.capacity && engine_clock() - since < BUDGET);
    stopwatch_finish(&w, result);
    free(x);
}

static void time_fourbar(const engine *e, void *world, int loops, double simulated, engine_run *result) {
    const int n = fourbar_coordinates(loops), steps = (int)(fmin(simulated, MAX_SECONDS) / STEP_SIZE);
    stopwatch w = stopwatch_create(steps);
    double *q = bench_alloc(2L * n, sizeof *q), *v = q + n;
    e->get_state(world, q, v);
    const double energy = fourbar_energy(loops, q, v);
    for (int k = 0; k < steps; k++) {
        const double start = now();
        e->step(world);
        stopwatch_note(&w, start, now());
        e->get_state(world, q,
                     v); // reads coordinates only, so no engine has the next step's work done for it
        result->energy = worst_of(fabs(fourbar_energy(loops, q, v) - energy) / energy, result->energy);
        result->loop = worst_of(fourbar_loop_error(loops, q), result->loop);
    }
    stopwatch_finish(&w, result);
    free(q);
}

static void run_task(const engine *e, engine_task task, int size, double simulated, engine_run *result) {
    void *world = NULL;
    if (task != TASK_FOURBAR)
        world = e->make_chain(size);
    else if (e->make_fourbar)
        world = e->make_fourbar(size);
    if (!world) {
        result->state = ENGINE_CANNOT;
        return;
    }
    if (task == TASK_FORWARD) time_forward(e, world, size, result);
    if (task == TASK_STEP) time_chain_steps(e, world, size, result);
    if (task == TASK_FOURBAR) time_fourbar(e, world, size, simulated, result);
    e->destroy(world);
}

engine_run engine_measure(const engine *e, engine_task task, int size, double simulated, double cap) {
    if (!e->make_chain) return (engine_run){.state = ENGINE_ABSENT};
    engine_run *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return (engine_run){.state = ENGINE_CRASHED};
    *shared = (engine_run){.state = ENGINE_CRASHED};
    const pid_t child = fork();
    if (child == 0) {
        const int nowhere = open("/dev/null", O_WRONLY);
        if (nowhere >= 0) {
            dup2(nowhere, STDOUT_FILENO);
            dup2(nowhere, STDERR_FILENO);
        }
        alarm((unsigned)ceil(cap)); // SIGALRM ends the process
        run_task(e, task, size, simulated, shared);
        _exit(0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) status = -1;
    engine_run result = *shared;
    munmap(shared, sizeof *shared);
    if (result.state == ENGINE_CRASHED && status != -1 && WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        result.state = ENGINE_STOPPED;
    return result;
}
