// What one step of a loop costs, step by step: for those who close a loop with hardware in real time. Nothing is asserted.
//
//     loop_bench [MODEL] [--steps N] [--max-work W]
//                                        thread processor time of each of N steps (default 1,000,000): median, 99th, 99.9th and 99.99th
//                                        percentile, worst, and their ratios to the median; W: solver.max_work
//     tools/measure-loop                 the same in instructions, which no other program disturbs: runs this under callgrind
//
// A model with drives named raise and grip_* (scenes/gallery/pick_and_place.yaml, the default) is gripped, lifted and lowered once a
// second, with a control at every tenth step, and the forces on its cube are read in every step; others run as they are.
#define _GNU_SOURCE // sched_setaffinity

#include "one_core.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bristle/bristle.h"

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define RUNNING_ON_VALGRIND 0
#define CALLGRIND_DUMP_STATS
#define CALLGRIND_ZERO_STATS
#endif

#define DEFAULT_MODEL BENCH_SOURCE_DIR "/scenes/gallery/pick_and_place.yaml"

static int64_t thread_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int has_drive(const br_sim *sim, const char *name) {
    double value;
    return br_sim_control((br_sim *)(uintptr_t)sim, name, &value, NULL) == BR_OK;
}

typedef struct loop {
    br_sim *sim;
    int grips;
    double step, force;
} loop;

// What a controller does in a step: reads, now and then commands, and lets a step go by.
static br_status take_step(loop *l, long k, br_error *error) {
    br_contact_sum on;
    br_status status = BR_OK;
    if (l->grips) {
        status = br_sim_contact_sum(l->sim, "cube", "*", &on, error);
        l->force += on.force.z;
        if (status == BR_OK && k % 10 == 0) {
            const double t = l->step * (double)k,
                         lift = t < 0.2 ? 0.0 : 0.02 * (1.0 - cos(6.283185307179586 * (t - 0.2)));
            status = br_sim_set_control(l->sim, "grip_l", 6.0, error);
            if (status == BR_OK) status = br_sim_set_control(l->sim, "grip_r", 6.0, error);
            if (status == BR_OK) status = br_sim_set_control(l->sim, "raise", lift, error);
        }
    }
    return status == BR_OK ? br_sim_step(l->sim, error) : status;
}

static int compare_ns(const void *a, const void *b) {
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static void print_times(int32_t *ns, long count) {
    static const double part[] = {0.5, 0.99, 0.999, 0.9999};
    static const char *const name[] = {"median", "99 %", "99.9 %", "99.99 %"};
    qsort(ns, (size_t)count, sizeof *ns, compare_ns);
    const double median = ns[count / 2];
    for (int k = 0; k < 4; k++) {
        const double x = ns[(long)(part[k] * (double)(count - 1))];
        printf("%-10s %9.2f us   %6.2f times the median\n", name[k], 1e-3 * x, x / median);
    }
    printf("%-10s %9.2f us   %6.2f times the median\n", "worst", 1e-3 * ns[count - 1],
           ns[count - 1] / median);
}

static br_status run_loop(loop *l, long count, int32_t *ns, br_error *error) {
    br_status status = BR_OK;
    for (long k = 0; k < 300 && status == BR_OK; k++)
        status = take_step(l, k, error); // memory, caches, the grip
    CALLGRIND_ZERO_STATS;
    for (long k = 300; k < 300 + count && status == BR_OK; k++) {
        const int64_t begin = RUNNING_ON_VALGRIND ? 0 : thread_ns();
        status = take_step(l, k, error);
        if (RUNNING_ON_VALGRIND) {
            CALLGRIND_DUMP_STATS;
        } else {
            const int64_t took = thread_ns() - begin;
            ns[k - 300] = (int32_t)(took < INT32_MAX ? took : INT32_MAX);
        }
    }
    return status;
}

// Whether the steps were solved, and what solver.max_work left where not.
static void print_judgement(const br_sim *sim) {
    br_judgement judgement;
    br_sim_judge(sim, &judgement);
    printf("residual   %.2e, the largest of a step\n", br_sim_ledger(sim).residual);
    for (int k = 0; k < judgement.reasons; k++)
        printf("%-10s %s\n", br_reason_name(judgement.reason[k].what), judgement.reason[k].text);
}

int main(int argc, char **argv) {
    const char *path = DEFAULT_MODEL;
    br_override work = {"solver.max_work", NULL};
    long count = 1000000;
    for (int k = 1; k < argc; k++) {
        if (strcmp(argv[k], "--steps") == 0 && k + 1 < argc)
            count = strtol(argv[++k], NULL, 10);
        else if (strcmp(argv[k], "--max-work") == 0 && k + 1 < argc)
            work.value = argv[++k];
        else
            path = argv[k];
    }
    if (count < 1) return 1;
    if (!RUNNING_ON_VALGRIND) use_one_core(argv);
    br_error error = {0};
    br_model *model = NULL;
    loop l = {NULL, 0, 0.0, 0.0};
    int32_t *ns = calloc((size_t)count, sizeof *ns);
    br_status status =
        ns ? br_model_read(path, &work, work.value != NULL, NULL, &model, NULL, &error) : BR_NO_MEMORY;
    if (status == BR_OK) status = br_sim_create(model, NULL, &l.sim, &error);
    if (status == BR_OK) {
        l.step = br_model_settings(model)->solver.step;
        l.grips = has_drive(l.sim, "grip_l") && has_drive(l.sim, "grip_r") && has_drive(l.sim, "raise");
        status = run_loop(&l, count, ns, &error);
    }
    if (status != BR_OK) fprintf(stderr, "%s: %s\n", path, error.message);
    if (status == BR_OK && !RUNNING_ON_VALGRIND) {
        printf("%s, %ld steps, thread processor time of a step\n", br_model_name(model), count);
        if (l.grips) printf("mean force on the cube %.4f N\n", l.force / (double)(count + 300));
        print_times(ns, count);
    }
    if (status == BR_OK) print_judgement(l.sim);
    br_sim_destroy(l.sim);
    br_model_destroy(model);
    free(ns);
    return status != BR_OK;
}
