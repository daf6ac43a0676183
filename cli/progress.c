#include "progress.h"

#include <math.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

double cli_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

cli_progress cli_progress_begin(int wanted) {
    const double now = cli_seconds();
    return (cli_progress){.on = wanted && isatty(STDERR_FILENO), .begin = now, .last = now};
}

void cli_progress_step(cli_progress *progress, double step, const char *limit) {
    progress->step = step;
    progress->limit = limit;
}

void cli_progress_show(cli_progress *progress, double t, double until, long steps) {
    if (!progress->on) return;
    const double now = cli_seconds(), past = now - progress->begin;
    if (now - progress->last < 0.1 || t <= 0 || until <= 0) return;
    progress->last = now;
    progress->shown = 1;
    fprintf(stderr, "\r\033[Kt = %.6g of %.6g s   %3.0f %%   %.3g steps/s   %.0f s left", t, until,
            100.0 * t / until, (double)steps / past, past * (until - t) / t);
    if (progress->step > 0)
        fprintf(stderr, "   step %.2g s, by %s", progress->step,
                progress->limit ? progress->limit : "itself");
    fflush(stderr);
}

void cli_progress_judging(void *context, double t, double part) {
    cli_progress *progress = context;
    if (!progress->on) return;
    const double now = cli_seconds();
    if (now - progress->last < 0.1) return;
    progress->last = now;
    progress->shown = 1;
    fprintf(stderr, "\r\033[Kverdicts: judging t = %.6g s, %.0f %% of the budget used", t,
            fmin(100.0, 100.0 * part));
    fflush(stderr);
}

void cli_progress_end(cli_progress *progress) {
    if (progress->shown) fputs("\r\033[K", stderr);
    progress->on = progress->shown = 0;
}
