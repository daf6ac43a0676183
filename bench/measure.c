#include "measure.h"

#include <fcntl.h>
#include <float.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GRAIN 0.02 // s of repeats that a very short solve gets at least

double clock_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static clockid_t stopwatch = CLOCK_MONOTONIC;

double stopwatch_seconds(void) {
    struct timespec now;
    clock_gettime(stopwatch, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void use_cpu_time(void) {
    stopwatch = CLOCK_PROCESS_CPUTIME_ID;
}

int measure_again(const measure_options *options, int done, double since) {
    const double spent = clock_seconds() - since;
    return spent < options->budget && (done < options->repeats || spent < GRAIN);
}

static void start_clock(double seconds) {
    const struct itimerval timer = {
        .it_value = {.tv_sec = (time_t)seconds, .tv_usec = (suseconds_t)(1e6 * fmod(seconds, 1))}};
    setitimer(ITIMER_REAL, &timer, NULL); // SIGALRM ends the process
}

run measure_in_child(void (*job)(void *context, run *result), void *context, double cap, int silent) {
    run *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return (run){.state = RUN_CRASHED};
    memset(shared, 0, sizeof *shared);
    const pid_t child = fork();
    if (child == 0) {
        const int nowhere = open("/dev/null", O_WRONLY);
        if (silent && nowhere >= 0) {
            dup2(nowhere, STDOUT_FILENO);
            dup2(nowhere, STDERR_FILENO);
        }
        start_clock(cap);
        job(context, shared);
        _exit(0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) status = -1;
    run result = *shared;
    munmap(shared, sizeof *shared);
    if (result.state != RUN_DONE) {
        const int alarm_rang = status != -1 && WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
        result.state = alarm_rang ? RUN_TIMEOUT : RUN_CRASHED;
        result.solve = cap;
    }
    return result;
}

typedef struct peer_job {
    const peer *p;
    const delassus *W;
    judge *j;
    measure_options options;
    int form;
} peer_job;

static void run_peer(void *context, run *result) {
    const peer_job *job = context;
    double *p = bench_alloc((long)CONTACT_DIM * job->W->contacts, sizeof *p), best = DBL_MAX;
    start_clock(600); // preparing is not the solver's time, but must end
    void *state = job->p->prepare(job->W, job->options.tol, job->form);
    start_clock(job->options.cap);
    const double since = clock_seconds();
    do {
        int iterations = 0;
        job->p->reset(state);
        const double start = stopwatch_seconds();
        const int solved = job->p->solve(state, p, &iterations);
        best = fmin(best, stopwatch_seconds() - start);
        if (!result->repeats++) {
            result->residual = judge_answer(job->j, p);
            result->solved = solved;
            result->iterations = iterations;
        }
        result->solve = best;
        result->state = RUN_DONE;
    } while (measure_again(&job->options, result->repeats, since));
    job->p->release(state);
    free(p);
}

// A solved run beats one that is not; among the same, the faster one.
static int better(const run *a, const run *b) {
    const int rank_a = a->state == RUN_DONE ? 1 + a->solved : 0,
              rank_b = b->state == RUN_DONE ? 1 + b->solved : 0;
    return rank_a != rank_b ? rank_a > rank_b : rank_a > 0 && a->solve < b->solve;
}

run measure_peer(const peer *p, const delassus *W, judge *j, const measure_options *options) {
    run best = {.state = p->prepare ? RUN_TOO_LARGE : RUN_MISSING};
    peer_job job = {p, W, j, *options, 0};
    const int forms = options->one_form ? 1 : MAX_FORMS;
    for (; p->prepare && job.form < forms && p->form[job.form].name; job.form++) {
        if (W->contacts > p->form[job.form].max_contacts) continue;
        if (best.state == RUN_DONE &&
            best.solved) // a form three times slower than the best is of no interest
            job.options.cap = fmin(options->cap, fmax(3 * best.solve, 0.1));
        run result = measure_in_child(run_peer, &job, job.options.cap, 1);
        snprintf(result.path, sizeof result.path, "%s", p->form[job.form].name);
        if (best.state == RUN_TOO_LARGE || better(&result, &best)) best = result;
    }
    return best;
}
