// The targets, each against one row of the table.
#include "report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define RESIDUAL_TARGET 1e-8

typedef enum rival { RIVAL_DANTZIG, RIVAL_SICONOS, RIVAL_COLD } rival;

static const struct target {
    const char *problem;
    rival against;
    double factor;
    const char *text;
} targets[] = {
    {"box1", RIVAL_DANTZIG, 1, "no slower than Dantzig"},
    {"wall4", RIVAL_DANTZIG, 15, "times faster than Dantzig"},
    {"wall4", RIVAL_SICONOS, 30, "times faster than the best Siconos"},
    {"jenga6", RIVAL_SICONOS, 50, "times faster than the best Siconos"},
    {"wall10", RIVAL_COLD, 5, "times faster warm than cold"},
};

// Seconds of the rival; *bound when they are only a lower bound (it was stopped). 0: nothing to compare with.
static double rival_time(const row *r, rival against, const char **name, int *bound)
{
    *bound = 0;
    if (against == RIVAL_COLD) {
        *name = "cold";
        return r->bristle.warm_cold;
    }
    if (against == RIVAL_SICONOS) {
        const run *best = best_siconos(r, name);
        if (best)
            return best->solve;
    }
    for (int k = 0; k < PEERS; k++) {
        if (against == RIVAL_SICONOS ? !peer_list[k]->is_siconos : peer_list[k] != &peer_dantzig)
            continue;
        *bound = r->peer[k].state == RUN_TIMEOUT;
        *name = *bound && against == RIVAL_SICONOS ? "none finished" : peer_list[k]->name;
        if (r->peer[k].state == RUN_DONE || *bound)
            return r->peer[k].solve;
    }
    return 0;
}

static void print_target(const struct target *t, const row *r)
{
    const char *name = "";
    int bound;
    const double theirs = rival_time(r, t->against, &name, &bound);
    const int warm = t->against == RIVAL_COLD;
    const double solve = warm ? r->bristle.warm : r->bristle.solve, all = solve + (warm ? 0 : r->bristle.setup);
    const double residual = warm ? r->bristle.warm_residual.cone : r->bristle.residual.cone;
    printf("%-8s %5d contacts  >= %2.0f %-36s", r->name, r->contacts, t->factor, t->text);
    if (r->bristle.state != RUN_DONE || !(theirs > 0) || !(solve > 0)) {
        printf(" not measured\n");
        return;
    }
    const char *sign = bound ? ">" : "";
    printf(" %s%.1f (%s %s)", sign, theirs / solve, name, bound ? "stopped" : "measured");
    if (!warm)
        printf(", with setup %s%.1f", sign, theirs / all);
    if (!(residual <= RESIDUAL_TARGET))
        printf(": NO, residual %.0e\n", residual);
    else if (warm)
        printf(": %s\n", theirs >= t->factor * solve ? "yes" : "NO");
    else
        printf(": %s, with setup %s\n", theirs >= t->factor * solve ? "yes" : "NO",
               theirs >= t->factor * all ? "yes" : "NO");
}

void report_ratios(const row *rows, int count)
{
    printf("\nTargets (cold, residual <= %.0e)\n", RESIDUAL_TARGET);
    for (size_t k = 0; k < sizeof targets / sizeof *targets; k++) {
        for (const row *r = rows; r < rows + count; r++) {
            if (!strcmp(r->name, targets[k].problem))
                print_target(&targets[k], r);
        }
    }
    printf("\nBest Siconos over bristle, every problem\n");
    for (const row *r = rows; r < rows + count; r++) {
        const char *name = "";
        const run *best = best_siconos(r, &name);
        if (best && r->bristle.state == RUN_DONE)
            printf("%-12s %5d contacts  %8.1f  (%s %.4g ms)\n", r->name, r->contacts, best->solve / r->bristle.solve, name,
                   1e3 * best->solve);
        else
            printf("%-12s %5d contacts  %8s\n", r->name, r->contacts, best ? name : "none");
    }
}
