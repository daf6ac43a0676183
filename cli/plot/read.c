// bristle plot: reading the results. Once for curves over time; paths of long results once more, when their ranges are known.
#include <math.h>
#include <string.h>

#include "model.h"
#include "plot/job.h"

static const double CELL = 0.5; // pixels
enum { MOST_CELLS = 8192 };     // in each direction

static void plot_read_on_event(void *context, const br_event *event) {
    plot_events *e = context;
    if ((int)event->kind < 0 || (int)event->kind >= PLOT_EVENT_KINDS) return;
    const double part = (event->t - e->from) / (e->to - e->from);
    const int bin = (int)(fmin(fmax(part, 0), 1) * (PLOT_EVENT_BINS - 1));
    e->count[event->kind]++;
    if (e->has[bin][event->kind]) return;
    e->has[bin][event->kind] = 1;
    e->t[bin][event->kind] = event->t;
}

static void tell_end(plot_job *j, const plot_source *s) {
    const result_reading *d = &s->reading;
    if (d->damage != BR_OK) {
        char line[32] = "";
        if (d->error.line > 0) snprintf(line, sizeof line, ":%d", d->error.line);
        plot_note(j, "%.120s%s is damaged, and is drawn up to %.6g s: %.200s", s->path, line, d->last_t,
                  d->error.message);
        return;
    }
    if (d->kind == BR_RESULT_CUT)
        plot_note(j, "%.200s ends at %.6g s without an end: the run was killed, or is still going", s->path,
                  d->last_t);
    else if (d->end.outcome == BR_RESULT_FAILED)
        plot_note(j, "%.120s ends at %.6g s, where a step failed: %.200s", s->path, d->end.t, d->end.message);
    else if (d->end.outcome == BR_RESULT_INTERRUPTED)
        plot_note(j, "%.200s ends at %.6g s, where the run was interrupted", s->path, d->end.t);
}

static void read_source(const plot_request *r, plot_job *j, int source) {
    result_series *series[PLOT_MAX_CURVES];
    plot_source *s = &j->source[source];
    const double until = br_result_about(s->result)->until;
    int n = 0;
    for (int k = 0; k < j->curve_count; k++)
        if (j->curve[k].source == source) series[n++] = &j->curve[k].series;
    s->reading = (result_reading){.t = s->t, .series = series, .series_count = n};
    s->reading.from = r->has_from ? r->from : -INFINITY;
    s->reading.to = r->has_to ? r->to : INFINITY;
    if (r->events && source == 0) {
        s->reading.on_event = plot_read_on_event;
        s->reading.context = &j->events;
        j->events.from = r->has_from ? r->from : 0;
        j->events.to = r->has_to ? r->to : until;
        if (!(j->events.to > j->events.from)) j->events.to = j->events.from + 1;
    }
    result_read(s->result, &s->reading);
    s->reading.series = NULL; // it was of this call
    tell_end(j, s);
}

int plot_read(const plot_request *r, plot_job *j) {
    long taken = 0, left_out = 0;
    for (int k = 0; k < j->source_count; k++) {
        read_source(r, j, k);
        taken += j->source[k].reading.rows_taken;
    }
    const result_reading *d = &j->source[0].reading;
    if (taken == 0 && d->rows == 0) {
        cli_usage_error("plot", "%s has no rows yet: there is nothing to draw", j->source[0].path);
        return 0;
    }
    if (taken == 0) {
        cli_usage_error("plot", "no row is between --from and --to: %s goes from %.6g to %.6g s",
                        j->source[0].path, d->first_t, d->last_t);
        return 0;
    }
    for (int k = 0; k < j->curve_count; k++) {
        left_out = j->curve[k].series.left_out;
        if (left_out == 0) continue;
        plot_note(j, "--log shows values above 0 only: %ld of %ld of %.200s are left out", left_out,
                  left_out + j->curve[k].series.rows, j->channel[j->curve[k].channel].name);
    }
    return 1;
}

// ------------------------------------------------------------------------------------------------------------- paths

// The ranges are those that the first reading found.
static int begin_path(const plot_request *r, const plot_job *j, plot_curve *c) {
    result_path *p = &c->path;
    const double fine = r->scale / CELL;
    *p = (result_path){.x = c->series.x, .y = c->series.y, .log_y = r->log};
    p->x_from = p->y_from = INFINITY;
    p->x_to = p->y_to = -INFINITY;
    for (int k = 0; k < c->series.count; k++)
        for (int i = 0; i < RESULT_GROUP_POINTS; i++) {
            const result_point *q = &c->series.group[k].point[i];
            p->x_from = fmin(p->x_from, q->x), p->x_to = fmax(p->x_to, q->x);
            p->y_from = fmin(p->y_from, q->y), p->y_to = fmax(p->y_to, q->y);
        }
    return result_path_begin(p, (int)fmin(ceil(fine * j->width), MOST_CELLS),
                             (int)fmin(ceil(fine * j->height), MOST_CELLS));
}

// The second reading goes by the channels' places that the first one found.
static int is_same(const br_result_header *a, const br_result_header *b) {
    int same = a->channel_count == b->channel_count;
    for (int k = 0; same && k < a->channel_count; k++)
        same = strcmp(a->channels[k].name, b->channels[k].name) == 0;
    return same;
}

static int read_paths(const plot_request *r, plot_job *j, int source) {
    result_path *paths[PLOT_MAX_CURVES];
    br_result *result = NULL;
    br_error error;
    int n = 0, fine = 1;
    memset(&error, 0, sizeof error);
    for (int k = 0; k < j->curve_count && fine; k++) {
        plot_curve *c = &j->curve[k];
        if (c->source != source || c->series.group_rows < 2) continue; // all of its rows are there
        fine = begin_path(r, j, c);
        paths[n++] = &c->path;
    }
    if (n == 0) return fine;
    if (br_result_open(j->source[source].path, NULL, &result, &error) != BR_OK)
        return cli_fail(&error, j->source[source].path), 0;
    result_reading again = {.t = j->source[source].t, .paths = paths, .path_count = n};
    again.from = j->source[source].reading.from;
    again.to = j->source[source].reading.to;
    if (!is_same(br_result_about(j->source[source].result), br_result_about(result))) {
        br_result_close(result);
        cli_usage_error("plot",
                        "%s was replaced by another result while it was read; ask for the figure again",
                        j->source[source].path);
        return 0;
    }
    if (fine) result_read(result, &again);
    br_result_close(result);
    for (int k = 0; k < n; k++) fine = fine && !paths[k]->no_memory;
    if (!fine) cli_usage_error("plot", "not enough memory for the paths of %s", j->source[source].path);
    return fine;
}

int plot_read_paths(const plot_request *r, plot_job *j) {
    for (int k = 0; k < j->source_count && !j->x_is_time; k++)
        if (!read_paths(r, j, k)) return 0;
    return 1;
}
