// bristle's contact beside other engines', in one run, on the same scenes, on one core. See contact_scene.h for the scenes,
// contact_judge.h for how answers are judged and contact_measure.h for how time is taken.
#define _GNU_SOURCE // sched_setaffinity

#include "contact_measure.h"
#include "one_core.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const contact_engine *const engines[] = {
#ifdef BENCH_HAVE_SIM
    &contact_bristle_cone, &contact_bristle_bristle,
#endif
    &contact_ode,          &contact_ode_quick,       &contact_mujoco, &contact_mujoco_stiff,
    &contact_bullet,       &contact_bullet_50,       &contact_dart,
};

enum { ENGINES = sizeof engines / sizeof engines[0] };

// A virtual machine can run at half its speed for a second and more, which no median within that second shows. So each
// cell is measured again later, after the other engines, and its fastest round counts.
enum { ROUNDS = 5 };
#define ROUND_BUDGET 4.0 // s that one engine may spend on a cell and still be asked again

typedef struct options {
    const char *engine, *scene;
    int json, markdown;
    double cap;
} options;

static int usage(void) {
    fprintf(
        stderr,
        "usage: contact_bench [--engine NAME] [--scene NAME] [--cap S] [--cpu-time] [--json | --markdown]\n"
        "  --engine NAME   one engine only, with what it says; without peers there is no ratio\n"
        "  --scene NAME    one scene only:");
    for (int k = 0; k < CONTACT_CASES; k++) fprintf(stderr, " %s", contact_row_of((contact_case)k)->name);
    fprintf(stderr,
            "\n"
            "  --cap S         an engine is stopped after so much processor time in one cell (default 240)\n"
            "  --cpu-time      processor time instead of the clock's, for a machine with other work\n"
            "  --json          a list of objects instead of the tables\n"
            "  --markdown      one small table, as the README has it\n");
    return 2;
}

static int is_peer(int k) {
    return strncmp(engines[k]->name, "bristle", 7) != 0;
}

// The fastest peer, or the fastest accurate engine; -1: none.
static int fastest(contact_case kind, const contact_run run[ENGINES], int accurate) {
    int best = -1;
    for (int k = 0; k < ENGINES; k++) {
        if (run[k].outcome != CONTACT_DONE || !is_peer(k) || contact_fell(kind, &run[k].verdict)) continue;
        if (accurate && !contact_accurate(kind, &run[k].verdict)) continue;
        if (best < 0 || run[k].seconds < run[best].seconds) best = k;
    }
    return best;
}

static double ratio(contact_case kind, const contact_run run[ENGINES], int which) {
    const int best = fastest(kind, run, 0);
    return best >= 0 && run[which].outcome == CONTACT_DONE ? run[which].seconds / run[best].seconds : NAN;
}

// --- the table ---------------------------------------------------------------------------------------------------

static void print_value(double value) {
    if (isnan(value))
        printf("  %16s", "-");
    else if (value != 0 && (fabs(value) < 1e-3 || fabs(value) >= 1e5))
        printf("  %16.1e", value);
    else
        printf("  %16.4f", value);
}

static void print_row(contact_case kind, const contact_run run[ENGINES], int k) {
    static const char *const word[] = {"cannot", "absent", "", "stopped", "crashed"};
    const contact_metric *metric = contact_metric_of(kind);
    if (run[k].outcome != CONTACT_DONE) {
        if (run[k].outcome != CONTACT_CANNOT)
            printf("  %-16s %10s\n", engines[k]->name, word[run[k].outcome]);
        return;
    }
    const double to_fastest = ratio(kind, run, k);
    printf("  %-16s %10.*f", engines[k]->name, run[k].seconds < 1e-4 ? 2 : 0, 1e6 * run[k].seconds);
    if (isnan(to_fastest))
        printf("  %7s", "-");
    else
        printf("  %7.2f", to_fastest);
    printf("  %8d", run[k].contacts);
    for (int i = 0; i < CONTACT_METRICS && metric[i].name; i++) print_value(run[k].verdict.value[i]);
    printf("%s\n", contact_fell(kind, &run[k].verdict)       ? "  fell"
                   : contact_accurate(kind, &run[k].verdict) ? "  *"
                                                             : "");
}

// Who is as accurate as was asked, and how bristle's exact law stands beside the fastest of them.
static void print_sentence(contact_case kind, const contact_run run[ENGINES]) {
    const contact_metric *metric = contact_metric_of(kind);
    const int best = fastest(kind, run, 0), fair = fastest(kind, run, 1), ours = is_peer(0) ? -1 : 0;
    int accurate = 0;
    if (!isnan(metric[0].limit)) {
        printf("  * %s: ", metric[0].asked);
        for (int k = 0; k < ENGINES; k++)
            if (run[k].outcome == CONTACT_DONE && contact_accurate(kind, &run[k].verdict))
                printf("%s%s", accurate++ ? ", " : "", engines[k]->name);
        printf("%s. ", accurate ? "" : "none");
    } else {
        printf("  ");
    }
    if (best >= 0) printf("The fastest peer is %s", engines[best]->name);
    if (fair >= 0 && fair != best) printf(", the fastest accurate one %s", engines[fair]->name);
    if (fair >= 0 && fair == best) printf(", which is accurate");
    if (best >= 0 && ours >= 0 && run[ours].outcome == CONTACT_DONE) {
        printf("; %s takes %.2f times its time", engines[ours]->name,
               run[ours].seconds / run[fair >= 0 ? fair : best].seconds);
        if (fair >= 0 && fair != best)
            printf(", and %.2f times that of %s", ratio(kind, run, ours), engines[best]->name);
    }
    printf("%s\n", best >= 0 ? "." : "");
}

static void print_case(contact_case kind, const contact_run run[ENGINES]) {
    const contact_metric *metric = contact_metric_of(kind);
    printf("%s\n  %-16s %10s  %7s  %8s", contact_row_of(kind)->title, "", "us/step", "ratio", "contacts");
    for (int i = 0; i < CONTACT_METRICS && metric[i].name; i++) printf("  %16s", metric[i].name);
    printf("\n");
    for (int k = 0; k < ENGINES; k++) print_row(kind, run, k);
    print_sentence(kind, run);
    printf("\n");
    fflush(stdout);
}

static void print_legend(void) {
    printf(
        "Engines on the same contact scenes, one core. Times are of one step, the best of up to %d rounds.\n"
        "Errors are computed from positions by one function for all. Ratio: to the fastest peer.\n",
        ROUNDS);
    for (int k = 0; k < ENGINES; k++)
        printf("  %-16s %s\n", engines[k]->name,
               engines[k]->make ? engines[k]->note : "was not installed when the build was configured");
    printf("\n");
}

// --- JSON --------------------------------------------------------------------------------------------------------

static void json_number(const char *key, double value) { // JSON has no word for what is not finite
    if (isfinite(value))
        printf(", \"%s\": %.6g", key, value);
    else
        printf(", \"%s\": null", key);
}

static void json_case(contact_case kind, const contact_run run[ENGINES], int *rows) {
    static const char *const word[] = {"cannot", "absent", "done", "stopped", "crashed"};
    const contact_metric *metric = contact_metric_of(kind);
    for (int k = 0; k < ENGINES; k++) {
        const int done = run[k].outcome == CONTACT_DONE;
        printf("%s{\"scene\": \"%s\", \"engine\": \"%s\", \"state\": \"%s\"", (*rows)++ ? ",\n " : "[",
               contact_row_of(kind)->name, engines[k]->name, word[run[k].outcome]);
        json_number("microseconds", done ? 1e6 * run[k].seconds : NAN);
        json_number("ratio", ratio(kind, run, k));
        json_number("error", done ? fabs(run[k].verdict.value[0] - metric[0].exact) : NAN);
        for (int i = 0; i < CONTACT_METRICS && metric[i].name; i++)
            json_number(metric[i].key, done ? run[k].verdict.value[i] : NAN);
        printf(", \"fell\": %s", done && contact_fell(kind, &run[k].verdict) ? "true" : "false");
        printf(", \"accurate\": %s, \"contacts\": %d, \"samples\": %d}",
               done && contact_accurate(kind, &run[k].verdict) ? "true" : "false", run[k].contacts,
               run[k].samples);
    }
}

// --- Markdown ----------------------------------------------------------------------------------------------------

// The scenes of the small table: each takes seconds.
static const contact_case shown[] = {CASE_SLIDE, CASE_STICK,    CASE_MUST_SLIDE,
                                     CASE_WHEEL, CASE_TOWER_10, CASE_TOWER_HEAVY};
enum { SHOWN = sizeof shown / sizeof *shown };

static int is_shown(contact_case kind) {
    for (int k = 0; k < SHOWN; k++)
        if (shown[k] == kind) return 1;
    return 0;
}

static void markdown_cell(contact_case kind, const contact_run *run) {
    static const char *const word[] = {"cannot", "absent", "", "stopped", "crashed"};
    if (run->outcome != CONTACT_DONE) {
        printf(" %s |", word[run->outcome]);
        return;
    }
    const double value = run->verdict.value[0];
    printf(contact_fell(kind, &run->verdict) ? " fell" : fabs(value) < 1e-9 ? " 0" : " %.3g", value);
    printf("%s, %.3g us |", contact_accurate(kind, &run->verdict) ? " *" : "", 1e6 * run->seconds);
}

static void print_markdown(const contact_run run[CONTACT_CASES][ENGINES]) {
    printf("| engine |");
    for (int c = 0; c < SHOWN; c++)
        printf(" %s: %s |", contact_row_of(shown[c])->name, contact_metric_of(shown[c])[0].name);
    printf("\n|---|");
    for (int c = 0; c < SHOWN; c++) printf("---|");
    printf("\n");
    for (int k = 0; k < ENGINES; k++) {
        printf("| %s |", engines[k]->name);
        for (int c = 0; c < SHOWN; c++) markdown_cell(shown[c], &run[shown[c]][k]);
        printf("\n");
    }
}

// --- running -----------------------------------------------------------------------------------------------------

static void measure_case(const options *o, contact_case kind, contact_run run[ENGINES]) {
    double spent[ENGINES] = {0};
    for (int round = 0; round < ROUNDS; round++) {
        for (int k = 0; k < ENGINES; k++) {
            if (o->engine && strcmp(o->engine, engines[k]->name)) continue;
            if (round > 0 && (run[k].outcome != CONTACT_DONE || spent[k] > ROUND_BUDGET)) continue;
            const double start = contact_clock();
            const contact_run next = contact_measure(engines[k], kind, o->cap, o->engine != NULL);
            spent[k] += contact_clock() - start;
            if (round == 0 || (next.outcome == CONTACT_DONE && next.seconds < run[k].seconds)) run[k] = next;
        }
    }
}

static int read_options(int argc, char **argv, options *o) {
    for (int k = 1; k < argc; k++) {
        const char *value = k + 1 < argc ? argv[k + 1] : NULL;
        if (!strcmp(argv[k], "--json"))
            o->json = 1;
        else if (!strcmp(argv[k], "--markdown"))
            o->markdown = 1;
        else if (!strcmp(argv[k], "--cpu-time"))
            contact_use_cpu_time();
        else if (value && !strcmp(argv[k], "--engine"))
            o->engine = argv[++k];
        else if (value && !strcmp(argv[k], "--scene"))
            o->scene = argv[++k];
        else if (value && !strcmp(argv[k], "--cap") && atof(value) > 0)
            o->cap = atof(argv[++k]);
        else
            return 0;
    }
    return 1;
}

int main(int argc, char **argv) {
    options o = {.cap = 240};
    static contact_run all[CONTACT_CASES][ENGINES];
    int measured = 0, rows = 0;
    if (!read_options(argc, argv, &o)) return usage();
    use_one_core(argv);
    if (!o.json && !o.markdown) print_legend();
    for (int c = 0; c < CONTACT_CASES; c++) {
        contact_run *run = all[c];
        if (o.markdown && !is_shown((contact_case)c)) continue;
        if (o.scene && strcmp(o.scene, contact_row_of((contact_case)c)->name)) continue;
        measure_case(&o, (contact_case)c, run);
        for (int k = 0; k < ENGINES; k++) measured += run[k].outcome == CONTACT_DONE;
        if (o.json)
            json_case((contact_case)c, run, &rows);
        else if (!o.markdown)
            print_case((contact_case)c, run);
    }
    if (o.markdown) print_markdown((const contact_run(*)[ENGINES])all);
    if (o.json) printf("%s]\n", rows ? "" : "[");
    return measured > 0 ? 0 : 1;
}
