// The targets, each against one row of the table.
#include "report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define RESIDUAL_TARGET 1e-8

typedef enum rival { RIVAL_DANTZIG, RIVAL_SICONOS, RIVAL_SICONOS_ANY, RIVAL_COLD } rival;

static const struct target {
    const char *problem;
    rival against;
    double factor;
    const char *text;
} targets[] = {
    {"box1", RIVAL_DANTZIG, 1, "no slower than Dantzig"},
    {"wall4", RIVAL_DANTZIG, 15, "times Dantzig"},
    {"wall4", RIVAL_SICONOS, 30, "times the best Siconos given W"},
    {"wall4", RIVAL_SICONOS_ANY, 30, "times the best Siconos in any form"},
    {"jenga6", RIVAL_SICONOS, 50, "times the best Siconos given W"},
    {"jenga6", RIVAL_SICONOS_ANY, 50, "times the best Siconos in any form"},
    {"wall10", RIVAL_COLD, 5, "times as fast warm as cold"},
};

// Seconds of the rival; *bound when they are only a lower bound (it was stopped). 0: nothing to compare with.
static double rival_time(const row *r, rival against, const char **name, int *bound) {
    *bound = 0;
    if (against == RIVAL_COLD) {
        *name = "cold";
        return r->bristle.warm_cold;
    }
    const int siconos = against != RIVAL_DANTZIG, any = against == RIVAL_SICONOS_ANY;
    const run *best = siconos ? best_siconos(r, any, name) : NULL;
    if (best) return best->solve;
    for (int k = 0; k < PEERS; k++) {
        if (siconos ? !is_siconos(peer_list[k], any) : peer_list[k] != &peer_dantzig) continue;
        *bound = r->peer[k].state == RUN_TIMEOUT;
        *name = siconos ? "none finished" : peer_list[k]->name;
        if (*bound || (!siconos && r->peer[k].state == RUN_DONE)) return r->peer[k].solve;
    }
    return 0;
}

static void print_target(const struct target *t, const row *r) {
    const char *name = "";
    int bound;
    const double theirs = rival_time(r, t->against, &name, &bound);
    const int warm = t->against == RIVAL_COLD;
    const double solve = warm ? r->bristle.warm : r->bristle.solve,
                 all = solve + (warm ? 0 : r->bristle.setup);
    const double residual = warm ? r->bristle.warm_residual.cone : r->bristle.residual.cone;
    printf("%-8s %5d contacts  >= %2.0f %-36s", r->name, r->contacts, t->factor, t->text);
    if (r->bristle.state != RUN_DONE || !(theirs > 0) || !(solve > 0)) {
        printf(" not measured\n");
        return;
    }
    const char *sign = bound ? ">" : "";
    printf(" %s%.1f (%s %s)", sign, theirs / solve, name, bound ? "stopped" : "measured");
    if (!warm) printf(", with setup %s%.1f", sign, theirs / all);
    if (!(residual <= RESIDUAL_TARGET))
        printf(": NO, residual %.0e\n", residual);
    else if (warm)
        printf(": %s\n", theirs >= t->factor * solve ? "yes" : "NO");
    else
        printf(": %s, with setup %s\n", theirs >= t->factor * solve ? "yes" : "NO",
               theirs >= t->factor * all ? "yes" : "NO");
}

static void report_best_siconos(const row *rows, int count) {
    printf("\nBest Siconos over bristle, cold, without and with bristle's setup\n");
    for (const row *r = rows; r < rows + count; r++) {
        const char *name = "none finished";
        const run *best = best_siconos(r, 1, &name);
        if (r->peer[0].state == RUN_NONE) continue;
        printf("%-12s %5d contacts", r->name, r->contacts);
        if (best && r->bristle.state == RUN_DONE)
            printf(" %8.1f %8.1f", best->solve / r->bristle.solve,
                   best->solve / (r->bristle.solve + r->bristle.setup));
        if (best)
            printf("  %s (%s) %.4g ms\n", name, best->path, 1e3 * best->solve);
        else
            printf("  %s\n", name);
    }
}

void report_ratios(const row *rows, int count) {
    printf("\nTargets (cold, residual <= %.0e)\n", RESIDUAL_TARGET);
    for (size_t k = 0; k < sizeof targets / sizeof *targets; k++) {
        for (const row *r = rows; r < rows + count; r++) {
            if (!strcmp(r->name, targets[k].problem)) print_target(&targets[k], r);
        }
    }
    report_best_siconos(rows, count);
}
