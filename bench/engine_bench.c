// bristle's engine beside other engines, in one run, on the same mechanisms, on one core. See engine_scene.h
// for the mechanisms and engine_measure.h for what is measured.
#define _GNU_SOURCE // sched_setaffinity

#include "engine_measure.h"
#include "one_core.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const engine *const engines[] = {
#ifdef BENCH_HAVE_SIM
    &engine_bristle,
#endif
    &engine_mujoco, &engine_bullet, &engine_simbody, &engine_dart};

enum { ENGINES = sizeof engines / sizeof engines[0], SIZES = 3 };

// A virtual machine can run at half its speed for a second and more, which no median within that second
// shows. So each cell is measured again later, after the other engines, and its fastest round counts.
enum { ROUNDS = 5 };
#define ROUND_BUDGET 3.0 // s that one engine may spend on a cell and still be asked again

typedef struct task_row {
    engine_task task;
    const char *name, *title, *unit;
    int size[SIZES];
} task_row;

static const task_row tasks[] = {
    {TASK_FORWARD, "forward", "Forward dynamics of an open chain", "links", {10, 100, 1000}},
    {TASK_STEP, "step", "One step of an open chain, h = 1 ms", "links", {10, 100, 1000}},
    {TASK_FOURBAR, "fourbar", "One step of N four-bar loops, h = 1 ms", "loops", {1, 10, 40}},
};

typedef struct options {
    const char *engine, *task;
    int size, json;
    double simulated, cap;
} options;

static int usage(void) {
    fprintf(stderr,
            "usage: engine_bench [--engine NAME] [--task NAME] [--size N] [--seconds S] [--cap S] "
            "[--cpu-time] [--json]\n"
            "  --engine NAME   one engine only; ratios are still to the fastest peer measured\n"
            "  --task NAME     forward, step or fourbar only\n"
            "  --size N        one size only, which need not be in the table\n"
            "  --seconds S     simulated time of the four-bars (default 10, as in the IFToMM benchmark)\n"
            "  --cap S         an engine is stopped after so long in one cell (default 180)\n"
            "  --cpu-time      processor time instead of the clock's, for a machine with other work\n"
            "  --json          a list of objects instead of the table\n");
    return 2;
}

static int is_peer(int k) {
#ifdef BENCH_HAVE_SIM
    return engines[k] != &engine_bristle;
#else
    return k >= 0;
#endif
}

// Of a run to the fastest peer; not-a-number without either.
static double ratio(const engine_run run[ENGINES], int which) {
    double best = INFINITY;
    for (int k = 0; k < ENGINES; k++)
        if (is_peer(k) && run[k].state == ENGINE_DONE) best = fmin(best, run[k].seconds);
    return run[which].state == ENGINE_DONE && isfinite(best) ? run[which].seconds / best : NAN;
}

static void print_time(const engine_run *run, double to_fastest) {
    static const char *const word[] = {"-", "absent", "", "stopped", "crashed"};
    char text[32], times[16] = "";
    if (isfinite(to_fastest)) snprintf(times, sizeof times, " (%.2f)", to_fastest);
    if (run->state != ENGINE_DONE)
        snprintf(text, sizeof text, "%s", word[run->state]);
    else
        snprintf(text, sizeof text, "%.*f%s", run->seconds < 1e-3 ? 2 : 0, 1e6 * run->seconds, times);
    printf("  %17s", text);
}

static void print_error(const engine_run *run, double error) {
    if (run->state == ENGINE_DONE)
        printf("  %17.1e", error);
    else
        printf("  %17s", "-");
}

static void print_head(const task_row *task) {
    printf("%s: us (ratio to the fastest peer)\n%-18s", task->title, task->unit);
    for (int k = 0; k < ENGINES; k++) printf("  %17s", engines[k]->name);
    printf("\n");
}

static void print_size(const task_row *task, int size, const engine_run run[ENGINES]) {
    printf("%-18d", size);
    for (int k = 0; k < ENGINES; k++) print_time(&run[k], ratio(run, k));
    printf("\n%-18s", task->task == TASK_FORWARD ? "  residual" : "  energy error");
    for (int k = 0; k < ENGINES; k++)
        print_error(&run[k], task->task == TASK_FORWARD ? run[k].residual : run[k].energy);
    if (task->task == TASK_FOURBAR) {
        printf("\n%-18s", "  loop error, m");
        for (int k = 0; k < ENGINES; k++) print_error(&run[k], run[k].loop);
    }
    printf("\n");
    fflush(stdout);
}

static void json_number(const char *key, double value) { // JSON has no word for what is not finite
    if (isfinite(value))
        printf(", \"%s\": %.6g", key, value);
    else
        printf(", \"%s\": null", key);
}

static void json_size(const task_row *task, int size, const engine_run run[ENGINES], int *rows) {
    static const char *const word[] = {"cannot", "absent", "done", "stopped", "crashed"};
    for (int k = 0; k < ENGINES; k++) {
        const int done = run[k].state == ENGINE_DONE;
        printf("%s{\"task\": \"%s\", \"size\": %d, \"engine\": \"%s\", \"state\": \"%s\"",
               (*rows)++ ? ",\n " : "[", task->name, size, engines[k]->name, word[run[k].state]);
        json_number("microseconds", done ? 1e6 * run[k].seconds : NAN);
        json_number("ratio", ratio(run, k));
        if (task->task == TASK_FORWARD) json_number("residual", done ? run[k].residual : NAN);
        if (task->task != TASK_FORWARD) json_number("energy_error", done ? run[k].energy : NAN);
        if (task->task == TASK_FOURBAR) json_number("loop_error", done ? run[k].loop : NAN);
        printf(", \"samples\": %d}", run[k].samples);
    }
}

static void measure_size(const options *o, engine_task task, int size, engine_run run[ENGINES]) {
    double spent[ENGINES] = {0};
    for (int round = 0; round < ROUNDS; round++) {
        for (int k = 0; k < ENGINES; k++) {
            if (o->engine && strcmp(o->engine, engines[k]->name)) continue;
            if (round > 0 && (run[k].state != ENGINE_DONE || spent[k] > ROUND_BUDGET)) continue;
            const double start = engine_clock();
            const engine_run next = engine_measure(engines[k], task, size, o->simulated, o->cap);
            spent[k] += engine_clock() - start;
            if (round == 0 || (next.state == ENGINE_DONE && next.seconds < run[k].seconds)) run[k] = next;
        }
    }
}

static int run_task_row(const options *o, const task_row *task, int *rows) {
    int measured = 0;
    if (!o->json) print_head(task);
    for (int s = 0; s < (o->size ? 1 : SIZES); s++) {
        const int size = o->size ? o->size : task->size[s];
        engine_run run[ENGINES] = {0};
        measure_size(o, task->task, size, run);
        for (int k = 0; k < ENGINES; k++) measured += run[k].state == ENGINE_DONE;
        if (o->json)
            json_size(task, size, run, rows);
        else
            print_size(task, size, run);
    }
    if (!o->json) printf("\n");
    return measured;
}

static int read_options(int argc, char **argv, options *o) {
    for (int k = 1; k < argc; k++) {
        const char *value = k + 1 < argc ? argv[k + 1] : NULL;
        if (!strcmp(argv[k], "--json"))
            o->json = 1;
        else if (!strcmp(argv[k], "--cpu-time"))
            engine_use_cpu_time();
        else if (value && !strcmp(argv[k], "--engine"))
            o->engine = argv[++k];
        else if (value && !strcmp(argv[k], "--task"))
            o->task = argv[++k];
        else if (value && !strcmp(argv[k], "--size") && atoi(value) > 0)
            o->size = atoi(argv[++k]);
        else if (value && !strcmp(argv[k], "--seconds") && atof(value) > 0)
            o->simulated = atof(argv[++k]);
        else if (value && !strcmp(argv[k], "--cap") && atof(value) > 0)
            o->cap = atof(argv[++k]);
        else
            return 0;
    }
    return 1;
}

static void print_legend(const options *o) {
    printf(
        "Engines on the same mechanisms, one core. Times are medians of one call or step, the best of up to\n"
        "%d rounds; four-bars run for %g s of simulated time.\n",
        ROUNDS, o->simulated);
    printf(
        "Residual, energy and loop errors are computed from coordinates by one function for all engines.\n");
    for (int k = 0; k < ENGINES; k++)
        printf("  %-8s %s\n", engines[k]->name,
               engines[k]->make_chain ? engines[k]->note : "was not installed when the build was configured");
    printf("\n");
}

int main(int argc, char **argv) {
    options o = {.simulated = 10, .cap = 180};
    int measured = 0, rows = 0;
    if (!read_options(argc, argv, &o)) return usage();
    use_one_core(argv);
    if (!o.json) print_legend(&o);
    for (size_t t = 0; t < sizeof tasks / sizeof tasks[0]; t++)
        if (!o.task || !strcmp(o.task, tasks[t].name)) measured += run_task_row(&o, &tasks[t], &rows);
    if (o.json) printf("%s]\n", rows ? "" : "[");
    return measured > 0 ? 0 : 1;
}
