// The random suite by family, and the whole as JSON.
#include "report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_GROUPS 64

typedef struct tally {
    int problems, exact, loose; // residual <= 1e-8, <= 1e-6
    double total, longest;      // s
} tally;

static void count_run(tally *t, const run *r) {
    const int answered = r->state == RUN_DONE && isfinite(r->residual.cone);
    t->problems++;
    t->exact += answered && r->residual.cone <= 1e-8;
    t->loose += answered && r->residual.cone <= 1e-6;
    t->total += r->solve;
    t->longest = fmax(t->longest, r->solve);
}

// wall6_r100_mu0.5_s2 belongs to wall6_r100.
static int group_length(const char *name) {
    const char *first = strchr(name, '_'), *second = first ? strchr(first + 1, '_') : NULL;
    return second ? (int)(second - name) : (int)strlen(name);
}

static void print_tally(const char *name, int length, const tally *t) {
    printf("%-16.*s %4d %9d %9d %12.2f %12.2f\n", length, name, t->problems, t->exact, t->loose,
           1e3 * t->total / t->problems, 1e3 * t->longest);
}

static void print_groups(const row *rows, int count, int which) {
    const char *group[MAX_GROUPS];
    tally tallies[MAX_GROUPS + 1];
    int groups = 0;
    memset(tallies, 0, sizeof tallies);
    for (const row *r = rows; r < rows + count; r++) {
        const int length = group_length(r->name);
        int g = 0;
        while (g < groups && (group_length(group[g]) != length || strncmp(group[g], r->name, (size_t)length)))
            g++;
        if (g == MAX_GROUPS) g--;
        if (g == groups) group[groups++] = r->name;
        const run *measured = which < 0 ? &r->bristle : &r->peer[which];
        count_run(&tallies[g], measured);
        count_run(&tallies[MAX_GROUPS], measured);
    }
    printf("%-16s %4s %9s %9s %12s %12s\n", which < 0 ? "bristle" : peer_list[which]->name, "", "<= 1e-8",
           "<= 1e-6", "mean ms", "longest ms");
    for (int g = 0; which < 0 && g < groups; g++) print_tally(group[g], group_length(group[g]), &tallies[g]);
    print_tally("all", 3, &tallies[MAX_GROUPS]);
}

void report_suite(const row *rows, int count, int with_peers) {
    if (count == 0) return;
    printf("\nRandom suite, %d problems, cold (target: 105 of 108 at 1e-8)\n", count);
    print_groups(rows, count, -1);
    for (int k = 0; with_peers && k < PEERS; k++) {
        if (is_siconos(peer_list[k], 1) && peer_list[k]->prepare) print_groups(rows, count, k);
    }
    for (const row *r = rows; r < rows + count; r++) {
        if (r->bristle.state == RUN_DONE && r->bristle.residual.cone <= 1e-8) continue;
        printf("  above 1e-8: %s, residual %.1e, %.1f ms, %s, %s\n", r->name, r->bristle.residual.cone,
               1e3 * r->bristle.solve,
               r->bristle.state == RUN_DONE ? (r->bristle.solved ? "CALLED CONVERGED" : "reported")
                                            : "NO ANSWER",
               r->bristle.path);
    }
}

static void json_number(const char *name, double value, const char *end) {
    if (isfinite(value))
        printf("\"%s\": %.9g%s", name, value, end);
    else
        printf("\"%s\": null%s", name, end);
}

static void json_run(const char *name, const run *r, int ours) {
    static const char *const states[] = {"none", "done", "timeout", "crashed", "too_large", "missing"};
    printf("\"%s\": {\"state\": \"%s\"", name, states[r->state]);
    if (r->state == RUN_DONE) {
        printf(", \"solved\": %s, \"iterations\": %d, \"repeats\": %d, ", r->solved ? "true" : "false",
               r->iterations, r->repeats);
        json_number("solve", r->solve, ", ");
        json_number("residual", r->residual.cone, ", ");
        json_number("box_residual", r->residual.box, "");
        printf(", \"path\": \"%s\"", r->path);
        if (ours) {
            printf(", ");
            json_number("setup", r->setup, ", ");
            json_number("warm", r->warm, ", ");
            json_number("warm_cold", r->warm_cold, ", ");
            json_number("warm_residual", r->warm_residual.cone, ", ");
            printf("\"warm_path\": \"%s\"", r->warm_path);
        }
    }
    printf("}");
}

void report_json(const row *rows, int count) {
    printf("{\"unit\": \"s\", \"problems\": [");
    for (int k = 0; k < count; k++) {
        const row *r = &rows[k];
        printf("%s\n{\"name\": \"%s\", \"contacts\": %d, \"bodies\": %d, ", k ? "," : "", r->name,
               r->contacts, r->bodies);
        json_run("bristle", &r->bristle, 1);
        for (int p = 0; p < PEERS; p++) {
            printf(", ");
            json_run(peer_list[p]->name, &r->peer[p], 0);
        }
        printf("}");
    }
    printf("\n]}\n");
}
