// The implicit stepper by itself: the rotor of Bauchau and Ju to 3 s, and a beam that swings, with more and more elements.
// Time per step and per iteration of Newton's method, on one core; both should grow linearly with the elements.
#define _GNU_SOURCE // sched_setaffinity

#include "one_core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bristle/bristle.h"

static double processor_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct row {
    const char *scene, *element_key;
    int elements;
    double step, until;
} row;

static const row rows[] = {
    {"papers/bauchau_rotor.yaml", "beams.shaft.elements", 12, 1e-4, 0.5},
    {"papers/bauchau_rotor.yaml", "beams.shaft.elements", 24, 1e-4, 3.0}, // the target: at most 10 s
    {"papers/bauchau_rotor.yaml", "beams.shaft.elements", 48, 1e-4, 0.5},
    {"flexible/swinging_beam.yaml", "n", 25, 1e-3, 1.0},
    {"flexible/swinging_beam.yaml", "n", 50, 1e-3, 1.0},
    {"flexible/swinging_beam.yaml", "n", 100, 1e-3, 1.0},
    {"flexible/swinging_beam.yaml", "n", 200, 1e-3, 1.0},
    {"flexible/swinging_beam.yaml", "n", 400, 1e-3, 1.0},
};

static int measure(const row *r, const char *scheme) {
    char path[512], elements[16], step[32];
    snprintf(path, sizeof path, "%s/scenes/%s", BENCH_SOURCE_DIR, r->scene);
    snprintf(elements, sizeof elements, "%d", r->elements);
    snprintf(step, sizeof step, "%.17g", r->step);
    const br_override overrides[] = {
        {r->element_key, elements}, {"solver.step", step}, {"solver.scheme", scheme}};
    br_model *model = NULL;
    br_sim *sim = NULL;
    br_error error = {0};
    br_status status = br_model_read(path, overrides, 3, NULL, &model, NULL, &error);
    if (status == BR_OK) status = br_sim_create(model, NULL, &sim, &error);
    const double begin = processor_seconds();
    if (status == BR_OK) status = br_sim_advance(sim, r->until, &error);
    const double seconds = processor_seconds() - begin;
    if (status == BR_OK) {
        const br_ledger l = br_sim_ledger(sim);
        printf("%-28s %-16s %8d %6.3g %9.3g %8ld %8.2f %9.1f %11.1f %13.3f\n", r->scene, scheme, r->elements,
               r->until, r->step, l.steps, seconds, 1e6 * seconds / (double)l.steps,
               1e6 * seconds / (double)l.iterations, 1e6 * seconds / (double)l.iterations / r->elements);
        fflush(stdout);
    } else {
        fprintf(stderr, "%s: %s\n", path, error.message);
    }
    br_sim_destroy(sim);
    br_model_destroy(model);
    return status != BR_OK;
}

int main(int argc, char **argv) {
    int failures = 0;
    (void)argc;
    use_one_core(argv);
    printf("%-28s %-16s %8s %6s %9s %8s %8s %9s %11s %13s\n", "scene", "scheme", "elements", "s", "step, s",
           "steps", "seconds", "us/step", "us/iterat.", "us/it./element");
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        failures += measure(&rows[k], "alpha");
        if (rows[k].until <= 1.0) failures += measure(&rows[k], "energy_decaying");
    }
    return failures > 0;
}
