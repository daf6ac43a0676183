// What verdicts and margins cost: one instant of models with more and more that rubs, processor time on one core. Nothing is asserted.
//
//     trust_bench [NAME]     all, or those whose name begins with NAME
#define _GNU_SOURCE // sched_setaffinity

#include "one_core.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bristle/bristle.h"

#define ENOUGH 0.3 // s of processor time, after which nothing is measured again

static double processor_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// --- models ---------------------------------------------------------------------------------------------------

typedef struct text {
    char at[65536];
    size_t used;
} text;

__attribute__((format(printf, 2, 3))) static void put(text *t, const char *format, ...) {
    va_list list;
    va_start(list, format);
    const int length = vsnprintf(t->at + t->used, sizeof t->at - t->used, format, list);
    va_end(list);
    if (length < 0 || (size_t)length >= sizeof t->at - t->used) abort();
    t->used += (size_t)length;
}

// Links that hang from each other, every pin of them rubbing, pushed a little at the end.
static void write_chain(text *t, int links) {
    put(t, "format: 1\nname: chain\nplanar: xz\nbodies:\n");
    for (int k = 1; k <= links; k++)
        put(t, "  link_%d: {mass: 1 kg, inertia: 1e-3, pose: {position: [0, 0, %g]}}\n", k, -0.1 * k + 0.05);
    put(t, "joints:\n");
    for (int k = 1; k <= links; k++)
        put(t,
            "  pin_%d: {revolute: [%s%.0d, link_%d], at: [0, 0, %g], axis: y, "
            "friction: {law: coulomb, mu_static: 0.3, mu_kinetic: 0.25, pin_radius: 5 mm}}\n",
            k, k == 1 ? "world" : "link_", k == 1 ? 0 : k - 1, k, -0.1 * (k - 1));
    put(t,
        "loads: {push: {body: link_%d, force: [0.002, 0, 0]}}\n"
        "solver: {stepper: reference}\nrun: {until: 10 ms}\n",
        links);
}

// Legs on a floor, around an oval, none like another; pushed askew and twisted.
static void write_table(text *t, int legs) {
    put(t, "format: 1\nname: table\nmaterials: {rubber: {}, floor: {}}\n"
           "pairs: {rubber/floor: {mu_static: 0.5, mu_kinetic: 0.4}}\n"
           "bodies:\n  table:\n    mass: 20 kg\n    inertia: {box: {size: [1.4, 1, 0.1]}}\n"
           "    pose: {position: [0, 0, 0.7]}\n    shapes:\n");
    for (int k = 0; k < legs; k++) {
        const double turn = 6.283185307179586 * k / legs;
        put(t,
            "      - {sphere: {radius: 20 mm}, pose: {position: [%.3f, %.3f, -0.68]}, material: rubber, "
            "name: leg_%d}\n",
            0.7 * cos(turn) + 0.02 * (k % 3), 0.5 * sin(turn) + 0.01 * (k % 5), k + 1);
    }
    put(t, "ground: [{plane: {normal: [0, 0, 1]}, material: floor, name: floor}]\n"
           "loads:\n  push: {body: table, force: [40, 25, 0], at: [0.2, 0.1, 0]}\n"
           "  twist: {body: table, torque: [0, 0, 6]}\n"
           "contact: {law: cone}\nsolver: {step: 1 ms}\nrun: {until: 10 ms}\n");
}

// A hand of two plates with pads holds a box by its sides.
static void write_hand(text *t, int pads) {
    put(t, "format: 1\nname: hand\nmaterials: {pad: {}, steel: {}}\n"
           "pairs: {pad/steel: {mu_static: 0.5, mu_kinetic: 0.4}}\nbodies:\n");
    for (int side = 0; side < 2; side++) {
        put(t,
            "  %s:\n    mass: 0.2 kg\n    inertia: [1e-3, 1e-3, 1e-3]\n    pose: {position: [%g, 0, 0.5]}\n"
            "    shapes:\n",
            side ? "right" : "left", side ? 0.07 : -0.07);
        for (int k = 0; k < pads / 2; k++)
            put(t,
                "      - {sphere: {radius: 10 mm}, pose: {position: [%g, %.4f, %.4f]}, material: pad, "
                "name: %s_%d}\n",
                side ? -0.01 : 0.01, 0.05 * cos(0.3 * side + 6.283185307179586 * k / (0.5 * pads)),
                0.04 * sin(0.3 * side + 6.283185307179586 * k / (0.5 * pads)), side ? "r" : "l", k);
    }
    put(t, "  box: {mass: 1 kg, inertia: {box: {size: [0.1, 0.2, 0.2]}}, pose: {position: [0, 0, 0.5]}, "
           "shapes: [{box: {size: [0.1, 0.2, 0.2]}, material: steel, name: box}]}\n"
           "joints:\n  slide_l: {prismatic: [world, left], axis: x}\n"
           "  slide_r: {prismatic: [world, right], axis: x}\n"
           "drives: {squeeze_l: {joint: slide_l, force: 16}, squeeze_r: {joint: slide_r, force: -16}}\n"
           "loads: {pull: {body: box, force: [0, 1, 0], at: [0, 0.02, 0.03]}}\n"
           "contact: {law: cone}\nsolver: {step: 1 ms}\nrun: {until: 10 ms}\n");
}

// Cubes on each other, four contacts each.
static void write_tower(text *t, int cubes) {
    put(t, "format: 1\nname: tower\nmaterials: {stone: {}}\n"
           "pairs: {stone/stone: {mu_static: 0.5, mu_kinetic: 0.5}}\nbodies:\n");
    for (int k = 0; k < cubes; k++)
        put(t,
            "  cube_%d: {mass: 1 kg, inertia: {box: {size: [0.1, 0.1, 0.1]}}, pose: {position: [0, 0, %g]}, "
            "shapes: [{box: {size: [0.1, 0.1, 0.1]}, material: stone, name: cube_%d}]}\n",
            k + 1, 0.05 + 0.1 * k, k + 1);
    put(t, "ground: [{plane: {normal: [0, 0, 1]}, material: stone, name: floor}]\n"
           "contact: {law: cone}\nsolver: {step: 1 ms}\nrun: {until: 10 ms}\n");
}

typedef struct row {
    const char *name, *scene; // a scene of the tree, or NULL and a writer
    void (*write)(text *t, int count);
    int count, hold;
} row;

static const row rows[] = {
    {"door", "friction/door.yaml", NULL, 0, 1},
    {"crank", "papers/wojtyra_example_2.yaml", NULL, 0, 0},
    {"table_six", "friction/table_six.yaml", NULL, 0, 1},
    {"gripper", "friction/gripper.yaml", NULL, 0, 1},
    {"tower_10_bench", "bench/tower_10.yaml", NULL, 0, 0},
    {"chain_12", NULL, write_chain, 12, 0},
    {"chain_30", NULL, write_chain, 30, 0},
    {"table_4", NULL, write_table, 4, 1},
    {"table_6", NULL, write_table, 6, 1},
    {"table_8", NULL, write_table, 8, 1},
    {"table_12", NULL, write_table, 12, 1},
    {"table_20", NULL, write_table, 20, 1},
    {"hand_8", NULL, write_hand, 8, 1},
    {"hand_20", NULL, write_hand, 20, 1},
    {"tower_2", NULL, write_tower, 2, 0},
    {"tower_4", NULL, write_tower, 4, 0},
    {"tower_10", NULL, write_tower, 10, 0},
};

// --- measuring ------------------------------------------------------------------------------------------------

static br_status open_model(const row *r, br_model **model, br_error *error) {
    char path[512];
    if (r->scene) {
        snprintf(path, sizeof path, "%s/scenes/%s", BENCH_SOURCE_DIR, r->scene);
        return br_model_read(path, NULL, 0, NULL, model, NULL, error);
    }
    text *t = calloc(1, sizeof *t);
    if (!t) return BR_NO_MEMORY;
    r->write(t, r->count);
    const br_status status = br_model_read_text(t->at, t->used, r->name, NULL, 0, NULL, model, NULL, error);
    free(t);
    return status;
}

static br_status measure_trust(const row *r, br_sim *sim, br_error *error) {
    br_trust_options options = br_default_trust_options();
    options.sensitivities = 0;
    const double begin = processor_seconds();
    double spent = 0.0;
    int times = 0;
    br_status status = BR_OK;
    while (status == BR_OK && spent < ENOUGH) {
        br_trust_report report = {0};
        status = br_trust_instant(sim, &options, &report, error);
        spent = processor_seconds() - begin;
        if (status == BR_OK && ++times && spent >= ENOUGH)
            printf("%-16s %-6s %12.3f ms   %-20s %-14s work %.3g\n", r->name, "trust", 1e3 * spent / times,
                   br_verdict_name(report.interval[0].verdict),
                   report.interval[0].exhaustive ? "exhaustive" : "not exhaustive", report.work);
        br_trust_report_free(&report);
    }
    return status;
}

static br_status measure_hold(const row *r, br_sim *sim, br_error *error) {
    br_hold_options options = br_default_hold_options();
    const double begin = processor_seconds();
    double spent = 0.0;
    int times = 0;
    br_status status = BR_OK;
    while (status == BR_OK && spent < ENOUGH) {
        br_hold_report report = {0};
        status = br_hold(sim, &options, &report, error);
        spent = processor_seconds() - begin;
        if (status == BR_OK && ++times && spent >= ENOUGH)
            printf("%-16s %-6s %12.3f ms   %9.6g to %-9.6g %-14s work %.3g\n", r->name, "hold",
                   1e3 * spent / times, report.sure[1], report.possible[1],
                   report.exhaustive ? "exhaustive" : "not exhaustive", report.work);
        br_hold_report_free(&report);
    }
    return status;
}

static int measure(const row *r) {
    br_model *model = NULL;
    br_sim *sim = NULL;
    br_error error = {0};
    br_status status = open_model(r, &model, &error);
    if (status == BR_OK) status = br_sim_create(model, NULL, &sim, &error);
    if (status == BR_OK) status = measure_trust(r, sim, &error);
    if (status == BR_OK && r->hold) status = measure_hold(r, sim, &error);
    fflush(stdout);
    if (status != BR_OK) fprintf(stderr, "%s: %s\n", r->name, error.message);
    br_sim_destroy(sim);
    br_model_destroy(model);
    return status != BR_OK;
}

int main(int argc, char **argv) {
    int failed = 0;
    use_one_core(argv);
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
        if (argc < 2 || strncmp(rows[k].name, argv[1], strlen(argv[1])) == 0) failed |= measure(&rows[k]);
    return failed;
}
