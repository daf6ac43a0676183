// A line that tells how far a run is, on a terminal's stderr only, erased at the end.
#ifndef BR_CLI_PROGRESS_H
#define BR_CLI_PROGRESS_H

typedef struct cli_progress {
    int on, shown;
    double begin, last; // s
    double step;        // s, shown where it is not 0
    const char *limit;  // what limits it
} cli_progress;

double cli_seconds(void); // of a clock that never goes back
cli_progress cli_progress_begin(int wanted);
void cli_progress_show(cli_progress *progress, double t, double until,
                       long steps); // at most ten times a second
// The step that the next line shows, for runs whose steps vary.
void cli_progress_step(cli_progress *progress, double step, const char *limit);
// How far the search for verdicts is: the progress of br_trust_options, with a cli_progress as its context.
void cli_progress_judging(void *context, double t, double part);
void cli_progress_end(cli_progress *progress);

#endif
