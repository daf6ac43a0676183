// The figures of [Peiret2016] from the traces of a comparison: normalized friction force (Fig. 4), relative position
// error (Fig. 5a), energy error (Fig. 5b), misalignment (Fig. 5c).
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "compare/compare.h"
#include "output.h"
#include "plot/plot.h"

const char *const compare_plot_names[4] = {"force", "position_error", "energy_error", "misalignment"};

static const plot_figure figures[4] = {
    {.title = "normalized friction force", .y_label = "|f_t| / (mu f_n)", .y_least = 1},
    {.title = "position error, of the distance from the start",
     .y_label = "position error, %",
     .y_least = 1e-3},
    {.title = "energy error", .y_label = "energy minus reference, J", .y_least = 1e-6},
    {.title = "misalignment of friction and slip", .y_label = "angle, degrees", .y_least = 0.1},
};

static double value_of(const compare_job *j, int figure, int row, int k) {
    const compare_trace *r = &j->row[row].trace, *ref = &j->row[j->reference].trace;
    if (figure == 0) return k == 0 ? NAN : compare_force_ratio(r, k); // no step, no force at t = 0
    if (figure == 3) return r->sample[k].misalignment;
    if (k >= ref->count || row == j->reference) return NAN;
    return figure == 1 ? compare_position_error(r, ref, k) : r->sample[k].energy - ref->sample[k].energy;
}

// Errors of the reference against itself say nothing, nor do force and angle of the cone at a tenth beside the others.
static int is_shown(const compare_job *j, int figure, int row) {
    if (row == j->reference) return figure == 0;
    return row < j->coulomb || (row == j->coulomb && (figure == 1 || figure == 2));
}

static int write_figure(const compare_job *j, int figure, const char *path) {
    plot_line lines[COMPARE_MAX_CASES];
    plot_figure g = figures[figure];
    char title[256];
    int n = 0, done = 1;
    snprintf(title, sizeof title, "%s: %s", br_model_name(j->source.model), figures[figure].title);
    for (int i = 0; i < j->count && done; i++) {
        const compare_trace *r = &j->row[i].trace;
        if (!is_shown(j, figure, i)) continue;
        double *xy = malloc(2 * (size_t)r->count * sizeof *xy);
        done = xy != NULL;
        for (int k = 0; done && k < r->count; k++) {
            xy[k] = r->sample[k].t;
            xy[r->count + k] = value_of(j, figure, i, k);
        }
        if (done)
            lines[n++] = (plot_line){.label = j->row[i].c.label,
                                     .x = xy,
                                     .y = xy + r->count,
                                     .count = r->count,
                                     .dashed = i == j->reference};
    }
    g.title = title;
    g.x_label = "time, s";
    g.lines = lines;
    g.line_count = n;
    g.x_to = j->until;
    cli_output out;
    done = done && cli_output_open(&out, path);
    if (done) done = cli_output_close(&out, plot_write(out.file, &g));
    for (int i = 0; i < n; i++) free((void *)lines[i].x);
    return done;
}

int compare_plots(const compare_job *j, const char *folder) {
    char path[4096];
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        cli_usage_error("compare", "the folder %s cannot be made: %s", folder, strerror(errno));
        return 0;
    }
    for (int k = 0; k < 4; k++) {
        const int length = snprintf(path, sizeof path, "%s/%s.svg", folder, compare_plot_names[k]);
        errno = 0;
        if (length < (int)sizeof path && write_figure(j, k, path)) continue;
        cli_usage_error("compare", "%s cannot be written: %s", path, strerror(errno ? errno : ENOMEM));
        return 0;
    }
    return 1;
}
