// Tables, ratios and JSON from what was measured.
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "measure.h"

enum { PEERS = 7 };

extern const peer *const peer_list[PEERS];

typedef struct row {
    char name[64];
    int contacts, bodies;
    run bristle;
    run peer[PEERS];
} row;

void report_title(const char *what, const measure_options *ours, const measure_options *theirs);
void report_times_head(void);
void report_times(const row *r); // one line, as soon as the row is there
void report_residuals(const row *rows, int count);
void report_ratios(const row *rows, int count);
void report_suite(const row *rows, int count, int with_peers); // the random suite, by family
void report_json(const row *rows, int count);

int is_siconos(const peer *p, int with_global);

// The fastest Siconos solver that met its own tolerance; NULL when none did.
const run *best_siconos(const row *r, int with_global, const char **name);

#endif
