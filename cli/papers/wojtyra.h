// The two-slider mechanism of [Wojtyra2017]: its runs and reports, each made once and kept. papers/wojtyra_run.c makes them,
// papers/wojtyra2017.c holds the rows, papers/wojtyra_plot.c draws the figures.
#ifndef BR_CLI_PAPERS_WOJTYRA_H
#define BR_CLI_PAPERS_WOJTYRA_H

#include "bristle/trust.h"
#include "papers/papers.h"

typedef enum wojtyra_case {
    W2_PIN_1 = 0, // Example 2: one row of pin_1 left out
    W2_PIN_2,
    W2_PSEUDO,
    W3_EQUAL, // Example 3: both gamma 1e-5 m/s
    W3_DOUBLE,
    W4_EQUAL, // Example 4: both sigma^0 1e5 1/m
    W4_DOUBLE,
    W5_COULOMB, // Example 5: k1 = k2
    W5_SMOOTH,
    W5_SMOOTH_DOUBLE,
    W5_LUGRE,
    W5_LUGRE_DOUBLE,
    W5_STIFF, // k1 = 3 k2, in the same order
    W5_STIFF_SMOOTH,
    W5_STIFF_SMOOTH_DOUBLE,
    W5_STIFF_LUGRE,
    W5_STIFF_LUGRE_DOUBLE,
    WOJTYRA_CASES
} wojtyra_case;

// The quantities of an instant. Signs are the paper's: y up, x to the right.
typedef struct wojtyra_row {
    double t, y1;          // s; position of slider 1 from its start, m
    double v1, v2;         // m/s
    double F1, N1, F2, N2; // N
} wojtyra_row;

enum { WOJTYRA_ROWS = 4001 }; // a row every 1 ms

typedef struct wojtyra_run {
    papers_world world;
    br_channel channel[8];
    char **snapshot; // [WOJTYRA_SNAPSHOTS] now and then, to look at an instant again
    char *here;      // scratch of searches
    wojtyra_row row[WOJTYRA_ROWS];
    double limit[2], slip[2]; // first event of slide_1, slide_2, s; NAN: none
    int slips;
} wojtyra_run;

// A measure of an instant: what is searched for is where it passes 0 upwards.
typedef double (*wojtyra_measure)(const wojtyra_row *row, double argument);

br_status wojtyra_get(papers_run *run, wojtyra_case which, wojtyra_run **out, br_error *error);
// The instant t of a run, exactly; *sim (may be NULL) is there until the next call for this run.
br_status wojtyra_at(wojtyra_run *w, double t, wojtyra_row *row, br_sim **sim, br_error *error);
// First time after `from` at which the measure is not negative, bisected to 1e-9 s; NAN: none.
br_status wojtyra_first(wojtyra_run *w, double from, wojtyra_measure measure, double argument, double *t,
                        br_error *error);
// Where the measure is largest between two times, to 1e-6 s or so.
br_status wojtyra_peak(wojtyra_run *w, double from, double to, wojtyra_measure measure, double *t,
                       br_error *error);

typedef enum wojtyra_report {
    WT_EXAMPLE_1 = 0, // the instant of Example 1's loads
    WT_TIMELINE,      // the loads of Example 2 on the mechanism at rest
    WT_GAMMA,         // Example 3, with sensitivities
    WT_SIGMA,         // Example 4 with sigma^0_1 doubled, with sensitivities
    WT_STIFFNESS,     // Example 5, k1 = 3 k2, with sensitivities
    WOJTYRA_REPORTS
} wojtyra_report;

br_status wojtyra_trust(papers_run *run, wojtyra_report which, const br_trust_report **out, br_error *error);

enum { WOJTYRA_FIGURES = 5 };
extern const papers_figure wojtyra_figures[WOJTYRA_FIGURES];

#endif
