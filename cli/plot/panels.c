// bristle plot: the panels of a figure, one below the other: channels of one unit share one.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "plot/font.h"
#include "plot/job.h"

// Pixels at natural size.
static const double WIDTH = 880, ONE_HEIGHT = 370, PANEL_HEIGHT = 240;
static const double TITLE_HEIGHT = 36, X_LABEL_HEIGHT = 24;
static const double LEFT = 84, RIGHT = 28;
static const double LEGEND_LINE = 66;   // its line and the space around
static const double LEGEND_PART = 0.42; // of the width, at most
static const double LEAST_PANEL = 110, LEAST_AXES = 120;
static const double TEXT = 13, TITLE = 16;
static const double PATH_ROOM = 0.04; // of the range of x, beside a path
static const double MOST_PIXELS = 64e6;
enum { STYLES = 4 };

static const unsigned EVENT_COLOURS[PLOT_EVENT_KINDS] = {0x2a9d78, 0xe07b39, 0x8a8a8a, 0xb5b5b5, 0xb46fa5};
static const unsigned END_COLOUR = 0xc00000;

// ------------------------------------------------------------------------------------------------------------ panels

static int same_panel(const plot_request *r, const plot_channel *a, const plot_channel *b) {
    return r->separate ? strcmp(a->name, b->name) == 0 : strcmp(a->unit, b->unit) == 0;
}

static int lines_of(const plot_job *j, int panel) {
    int n = 0;
    for (int k = 0; k < j->curve_count; k++) n += j->channel[j->curve[k].channel].panel == panel;
    return n;
}

static int channels_of(const plot_job *j, int panel) {
    int n = 0;
    for (int k = 0; k < j->channel_count; k++) n += j->channel[k].panel == panel;
    return n;
}

static int assign_panels(const plot_request *r, plot_job *j) {
    for (int k = 0; k < j->channel_count; k++) {
        plot_channel *c = &j->channel[k];
        c->panel = j->panel_count;
        for (int i = k - 1; i >= 0; i--)
            if (same_panel(r, &j->channel[i], c)) c->panel = j->channel[i].panel;
        if (c->panel < j->panel_count) continue;
        if (++j->panel_count > PLOT_MAX_PANELS) {
            cli_usage_error("plot", "more than %d panels; make several figures", PLOT_MAX_PANELS);
            return 0;
        }
    }
    for (int p = 0; p < j->panel_count; p++) {
        if (lines_of(j, p) <= PLOT_MAX_LINES) continue;
        cli_usage_error("plot",
                        "%d curves in one panel, of which the first is %s; at most %d can be told apart",
                        lines_of(j, p), j->channel[j->curve[0].channel].name, PLOT_MAX_LINES);
        return 0;
    }
    return 1;
}

// ------------------------------------------------------------------------------------------------------------ labels

static void with_unit(char *out, const char *name, const char *unit) {
    if (unit[0] == '\0' || strcmp(unit, "1") == 0)
        snprintf(out, PLOT_LABEL, "%.400s", name);
    else
        snprintf(out, PLOT_LABEL, "%.400s%s%.60s", name, name[0] ? ", " : "", unit);
}

// How many bytes at the beginning (or end) the two have in common.
static size_t common(const char *a, size_t n, const char *b, int at_end) {
    const size_t m = strlen(b), la = strlen(a);
    size_t k = 0;
    while (k < n && k < m && (at_end ? a[la - 1 - k] == b[m - 1 - k] : a[k] == b[k])) k++;
    return k;
}

// What the names of a panel share: crate.position of crate.position.x and .y, position.z of a.position.z and b.position.z.
static void shared_name(const plot_job *j, int panel, char out[PLOT_LABEL]) {
    const char *first = NULL;
    size_t head = 0, tail = 0;
    for (int k = 0; k < j->channel_count; k++) {
        if (j->channel[k].panel != panel) continue;
        const char *name = j->channel[k].name;
        if (!first) {
            first = name;
            head = tail = strlen(name);
        }
        head = common(first, head, name, 0);
        tail = common(first, tail, name, 1);
    }
    out[0] = '\0';
    if (!first) return;
    const size_t n = strlen(first);
    if (head < n)
        while (head > 0 && first[head] != '.') head--; // whole parts only
    while (tail > 0 && tail < n && first[n - tail - 1] != '.') tail--;
    if (head > 0)
        snprintf(out, PLOT_LABEL, "%.*s", (int)head, first);
    else if (tail > 0)
        snprintf(out, PLOT_LABEL, "%s", first + n - tail);
}

static void line_label(const plot_job *j, const plot_curve *c, int alone, char out[PLOT_LABEL]) {
    const plot_source *s = &j->source[c->source];
    const char *name = j->channel[c->channel].name;
    if (j->source_count == 1)
        snprintf(out, PLOT_LABEL, "%.500s", name);
    else if (alone)
        snprintf(out, PLOT_LABEL, "%.500s", s->label);
    else
        snprintf(out, PLOT_LABEL, "%.200s: %.260s", s->label, name);
}

// The margin on the right that the longest of all labels needs; the panels have the same, so that their times align.
static double right_margin(const plot_job *j) {
    double widest = 0;
    for (int k = 0; k < j->curve_count; k++) {
        char label[PLOT_LABEL];
        const int panel = j->channel[j->curve[k].channel].panel;
        if (lines_of(j, panel) < 2) continue;
        line_label(j, &j->curve[k], channels_of(j, panel) == 1, label);
        widest = fmax(widest, plot_text_width(label, TEXT));
    }
    return widest > 0 ? fmin(widest + LEGEND_LINE, LEGEND_PART * j->width) : RIGHT;
}

// ------------------------------------------------------------------------------------------------------------- lines

typedef struct drawing {
    plot_line line[PLOT_MAX_LINES];
    char label[PLOT_MAX_LINES][PLOT_LABEL];
    double *memory[PLOT_MAX_LINES];
    int count;
} drawing;

static int fill_line(const plot_job *j, const plot_curve *c, drawing *d, int alone, int colour) {
    const int is_path = c->path.count > 0;
    const size_t most = is_path ? 1 : (size_t)result_series_most(&c->series) + 1;
    double *xy = malloc(2 * most * sizeof *xy);
    if (!xy) return 0;
    plot_line *l = &d->line[d->count];
    line_label(j, c, alone, d->label[d->count]);
    *l = (plot_line){
        .label = d->label[d->count], .x = c->path.point_x, .y = c->path.point_y, .count = c->path.count};
    if (!is_path) {
        l->x = xy;
        l->y = xy + most;
        l->count = result_series_points(&c->series, xy, xy + most);
    }
    l->style = c->source % STYLES;
    l->colour = 1 + (alone ? c->source : colour);
    d->memory[d->count++] = xy;
    return 1;
}

// One colour for each channel and one dash for each result; of a single channel the results have colours too.
static int fill_lines(const plot_job *j, int panel, drawing *d) {
    const int alone = channels_of(j, panel) == 1;
    int colour = -1, last = -1;
    for (int k = 0; k < j->curve_count; k++) {
        const plot_curve *c = &j->curve[k];
        if (j->channel[c->channel].panel != panel) continue;
        if (c->channel != last) colour++;
        last = c->channel;
        if (!fill_line(j, c, d, alone, colour)) return 0;
    }
    return 1;
}

static void free_lines(drawing *d) {
    for (int k = 0; k < d->count; k++) free(d->memory[k]);
}

// ------------------------------------------------------------------------------------------------------------- marks

static int by_x(const void *a, const void *b) {
    const plot_mark *p = a, *q = b;
    return (p->x > q->x) - (p->x < q->x);
}

// Events, and where a result ends that should have gone on. NULL: no memory.
static plot_mark *make_marks(const plot_job *j, int *count) {
    plot_mark *m = malloc((PLOT_EVENT_BINS * (size_t)PLOT_EVENT_KINDS + PLOT_MAX_RESULTS) * sizeof *m);
    int n = 0;
    if (!m) return NULL;
    for (int k = 0; k < PLOT_EVENT_BINS && j->x_is_time; k++)
        for (int e = 0; e < PLOT_EVENT_KINDS; e++)
            if (j->events.has[k][e])
                m[n++] =
                    (plot_mark){j->events.t[k][e], br_event_kind_name((br_event_kind)e), EVENT_COLOURS[e]};
    for (int k = 0; k < j->source_count && j->x_is_time; k++) {
        const result_reading *d = &j->source[k].reading;
        const int whole = d->kind == BR_RESULT_END && d->end.outcome == BR_RESULT_COMPLETE;
        if (!whole && d->rows > 0) m[n++] = (plot_mark){d->last_t, "ends here", END_COLOUR};
    }
    qsort(m, (size_t)n, sizeof *m, by_x);
    *count = n;
    return m;
}

// ------------------------------------------------------------------------------------------------------------ figure

static void find_x_range(const plot_request *r, const plot_job *j, double *from, double *to) {
    *from = INFINITY, *to = -INFINITY;
    for (int k = 0; k < j->curve_count; k++)
        for (int i = 0; i < j->curve[k].series.count; i++)
            for (int p = 0; p < RESULT_GROUP_POINTS; p++) {
                *from = fmin(*from, j->curve[k].series.group[i].point[p].x);
                *to = fmax(*to, j->curve[k].series.group[i].point[p].x);
            }
    if (!(*from <= *to)) *from = 0, *to = 1;
    *from = fmax(*from, -PLOT_LARGEST);
    *to = fmin(*to, PLOT_LARGEST);
    if (!j->x_is_time) {
        const double room = PATH_ROOM * (*to > *from ? *to - *from : 1);
        *from -= room;
        *to += room;
        return;
    }
    if (r->has_from) *from = r->from;
    if (r->has_to) *to = fmin(r->to, fmax(*to, *from)); // not beyond what there is
}

static double panel_height(const plot_request *r, const plot_job *j, int panel, double title) {
    const double label = panel == j->panel_count - 1 ? X_LABEL_HEIGHT : 0;
    if (r->height > 0) return (r->height - title - X_LABEL_HEIGHT) / j->panel_count + label;
    const double usual = j->panel_count == 1 ? ONE_HEIGHT : PANEL_HEIGHT;
    const int lines = lines_of(j, panel);
    return fmax(usual, lines > 1 ? plot_legend_height(lines) : 0) + label;
}

static int draw_panel(const plot_request *r, const plot_job *j, plot_figure *g, int panel,
                      plot_canvas *canvas) {
    static const drawing nothing;
    drawing *d = malloc(sizeof *d);
    char name[PLOT_LABEL], y_label[PLOT_LABEL], x_label[PLOT_LABEL];
    int done = d != NULL;
    if (done) *d = nothing;
    done = done && fill_lines(j, panel, d);
    if (done) {
        const char *unit = "";
        for (int k = 0; k < j->channel_count; k++)
            if (j->channel[k].panel == panel) unit = j->channel[k].unit;
        shared_name(j, panel, name);
        with_unit(y_label, name, unit);
        with_unit(x_label, j->x_is_time ? "time" : j->x_name, j->x_unit);
        g->x_label = panel == j->panel_count - 1 ? x_label : NULL;
        // A long name goes above the axes, and the unit stays.
        g->y_label = y_label;
        g->heading = NULL;
        if (plot_text_width(y_label, TEXT) > plot_label_room(g)) {
            g->heading = name;
            g->y_label = unit;
        }
        g->lines = d->line;
        g->line_count = d->count;
        g->no_legend = d->count < 2;
        g->log_y = r->log;
        plot_draw(canvas, g);
    }
    if (d) free_lines(d);
    free(d);
    return done;
}

static void default_title(const plot_job *j, char out[PLOT_LABEL]) {
    const char *first = br_result_about(j->source[0].result)->model_name;
    int same = first && first[0];
    for (int k = 1; k < j->source_count && same; k++) {
        const char *name = br_result_about(j->source[k].result)->model_name;
        same = name && strcmp(name, first) == 0;
    }
    out[0] = '\0';
    if (same) snprintf(out, PLOT_LABEL, "%.500s", first);
    for (int k = 0; k < j->source_count && !same; k++) {
        const size_t n = strlen(out);
        snprintf(out + n, PLOT_LABEL - n, "%s%.*s", k ? ", " : "", 100, j->source[k].label);
    }
}

static int draw_all(const plot_request *r, const plot_job *j, plot_canvas *canvas, const char *title) {
    plot_figure g = {.width = j->width, .left = LEFT, .right = right_margin(j), .fitted = 1};
    const double title_height = title[0] ? TITLE_HEIGHT : 0;
    const plot_letters letters = {TITLE, 0x111111, PLOT_START, 0};
    char fitted[PLOT_LABEL];
    plot_mark *marks = make_marks(j, &g.mark_count);
    int done = marks != NULL;
    g.marks = marks;
    find_x_range(r, j, &g.x_from, &g.x_to);
    if (title[0])
        plot_text(canvas, &letters, LEFT, 26,
                  plot_fit_text(title, TITLE, j->width - LEFT - RIGHT, fitted, sizeof fitted));
    canvas->y = title_height;
    for (int p = 0; p < j->panel_count && done; p++) {
        g.height = panel_height(r, j, p, title_height);
        done = draw_panel(r, j, &g, p, canvas);
        canvas->y += g.height;
    }
    free(marks);
    return done;
}

// ------------------------------------------------------------------------------------------------------------- file

static int find_size(const plot_request *r, plot_job *j, double title) {
    j->width = r->width > 0 ? r->width : WIDTH;
    j->height = title;
    double least = INFINITY;
    for (int p = 0; p < j->panel_count; p++) {
        const double h = panel_height(r, j, p, title);
        j->height += h;
        least = fmin(least, h);
    }
    j->height = ceil(j->height);
    if (r->height > 0) j->height = r->height;
    if (least < LEAST_PANEL || j->width - LEFT - right_margin(j) < LEAST_AXES) {
        cli_usage_error("plot", "--size %dx%d is too small for %d panel%s; %d by %d would do", r->width,
                        r->height, j->panel_count, j->panel_count == 1 ? "" : "s",
                        (int)ceil(fmax(j->width, (LEFT + LEAST_AXES) / (1 - LEGEND_PART))),
                        (int)ceil(title + X_LABEL_HEIGHT + LEAST_PANEL * j->panel_count));
        return 0;
    }
    if (j->png && j->width * j->height * r->scale * r->scale > MOST_PIXELS) {
        cli_usage_error("plot", "%.0f x %.0f pixels are too many; at most %.0f million", j->width * r->scale,
                        j->height * r->scale, MOST_PIXELS * 1e-6);
        return 0;
    }
    return 1;
}

int plot_make(const plot_request *r, plot_job *j) {
    char title[PLOT_LABEL];
    plot_canvas canvas;
    cli_output out;
    if (r->title)
        snprintf(title, sizeof title, "%.500s", r->title);
    else
        default_title(j, title);
    if (r->no_title) title[0] = '\0';
    if (!assign_panels(r, j) || !find_size(r, j, title[0] ? TITLE_HEIGHT : 0)) return 0;
    if (!plot_read_paths(r, j)) return 0;
    errno = 0;
    const int opened = cli_output_open(&out, j->path);
    const int begun = opened && (j->png ? plot_png_begin : plot_svg_begin)(&canvas, out.file, title, j->width,
                                                                           j->height, r->scale);
    int done = begun;
    if (begun) {
        done = draw_all(r, j, &canvas, title);
        if (!plot_canvas_end(&canvas)) done = 0;
    }
    if (opened && cli_output_close(&out, done)) return 1;
    cli_usage_error("plot", "%s cannot be written: %s", j->path, strerror(errno ? errno : ENOMEM));
    return 0;
}
