#include "report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PATH_SHOWN 60 // characters of a path in the table; all of it is in the JSON

const peer *const peer_list[PEERS] = {&peer_nsgs,        &peer_newton_ac, &peer_newton_fb, &peer_admm,
                                      &peer_admm_global, &peer_dantzig,   &peer_lemke};

static void cpu_model(char *text, size_t size) {
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(text, size, "unknown processor");
    while (file && fgets(line, sizeof line, file)) {
        const char *value = strchr(line, ':');
        if (strncmp(line, "model name", 10) || !value) continue;
        snprintf(text, size, "%.*s", (int)strcspn(value + 2, "\n"), value + 2);
        break;
    }
    if (file) fclose(file);
}

void report_title(const char *what, const measure_options *ours, const measure_options *theirs) {
    char cpu[128];
    cpu_model(cpu, sizeof cpu);
    printf("%s\n", what);
    printf("machine   %s, one core\n", cpu);
    printf("times     ms, best of at least %d runs or %g s of them; bristle to %.0e, the others to %.0e,\n",
           ours->repeats, ours->budget, ours->tol, theirs->tol);
    printf("          stopped after %g s. W and q are given to the others; building them is not counted\n",
           theirs->cap);
    for (int k = 0; k < PEERS; k++)
        printf("%-9s %s%s\n", peer_list[k]->name, peer_list[k]->note,
               peer_list[k]->prepare ? "" : ": NOT INSTALLED, left out");
    printf("\n");
}

static void format_time(const run *r, char text[16]) {
    switch (r->state) {
    case RUN_DONE:
        snprintf(text, 16, r->solve < 0.1 ? "%.4f%s" : "%.1f%s", 1e3 * r->solve, r->solved ? " " : "*");
        return;
    case RUN_TIMEOUT:
        snprintf(text, 16, ">%.0f ", 1e3 * r->solve);
        return;
    case RUN_CRASHED:
        snprintf(text, 16, "crash ");
        return;
    case RUN_MISSING:
        snprintf(text, 16, "absent ");
        return;
    case RUN_TOO_LARGE:
    case RUN_NONE:
        break;
    }
    snprintf(text, 16, "- ");
}

void report_times_head(void) {
    printf("Time, ms (* ended without meeting its own tolerance)\n");
    printf("%-12s %8s %6s | %9s %10s %9s |", "problem", "contacts", "bodies", "setup", "bristle", "warm");
    for (int k = 0; k < PEERS; k++) printf(" %10s", peer_list[k]->name);
    printf("\n");
}

void report_times(const row *r) {
    char text[16];
    printf("%-12s %8d %6d |", r->name, r->contacts, r->bodies);
    if (r->bristle.state == RUN_DONE) {
        format_time(&r->bristle, text);
        printf(" %9.4f %10s %9.4f |", 1e3 * r->bristle.setup, text, 1e3 * r->bristle.warm);
    } else {
        format_time(&r->bristle, text);
        printf(" %9s %10s %9s |", "-", text, "-");
    }
    for (int k = 0; k < PEERS; k++) {
        format_time(&r->peer[k], text);
        printf(" %10s", text);
    }
    printf("\n");
    fflush(stdout);
}

static void print_residual(const run *r, double value) {
    if (r->state == RUN_DONE)
        printf(" %8.0e", value);
    else
        printf(" %8s", "-");
}

void report_residuals(const row *rows, int count) {
    printf("\nResidual of each answer (exact cone; Dantzig also by its own box law)\n%-12s | %8s %8s |",
           "problem", "bristle", "warm");
    for (int k = 0; k < PEERS; k++) {
        printf(" %8s", peer_list[k]->name);
        if (peer_list[k] == &peer_dantzig) printf(" %8s", "(box)");
    }
    printf(" | bristle's path\n");
    for (const row *r = rows; r < rows + count; r++) {
        printf("%-12s |", r->name);
        print_residual(&r->bristle, r->bristle.residual.cone);
        print_residual(&r->bristle, r->bristle.warm_residual.cone);
        printf(" |");
        for (int k = 0; k < PEERS; k++) {
            print_residual(&r->peer[k], r->peer[k].residual.cone);
            if (peer_list[k] == &peer_dantzig) print_residual(&r->peer[k], r->peer[k].residual.box);
        }
        printf(" | %.*s; warm %.*s\n", PATH_SHOWN, r->bristle.path, PATH_SHOWN, r->bristle.warm_path);
    }
}

int is_siconos(const peer *p, int with_global) {
    return p->kind == PEER_SICONOS || (with_global && p->kind == PEER_SICONOS_GLOBAL);
}

const run *best_siconos(const row *r, int with_global, const char **name) {
    const run *best = NULL;
    for (int k = 0; k < PEERS; k++) {
        if (!is_siconos(peer_list[k], with_global) || r->peer[k].state != RUN_DONE || !r->peer[k].solved)
            continue;
        if (!best || r->peer[k].solve < best->solve) {
            best = &r->peer[k];
            *name = peer_list[k]->name;
        }
    }
    return best;
}
