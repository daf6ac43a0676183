// bristle plot DIR COLUMN...: one point per run of a sweep.
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/job.h"
#include "plot/save.h"
#include "plot/table.h"

static const double TABLE_WIDTH = 880, TABLE_HEIGHT = 440;
enum { LABEL = 200 };

typedef struct table_plot {
    plot_table table;
    int x, by; // columns; by -1: none
    int y[PLOT_MAX_LINES], y_count;
    plot_line line[PLOT_MAX_LINES];
    char label[PLOT_MAX_LINES][LABEL];
    int lines;
    int drawn, left_out; // runs with, without a number to draw
    double *numbers;     // of the lines
} table_plot;

// The column of that name; -1 after saying which there are.
static int table_column(const plot_table *t, const char *name) {
    const int k = plot_table_find(t, name);
    if (k >= 0) return k;
    const char *near = br_nearest_word(name, (const char *const *)t->name, (size_t)t->columns);
    cli_usage_error("plot", "the table has no column '%s'%s%s%s; without a column bristle plot lists them",
                    name, near ? "; did you mean '" : "", near ? near : "",
                    near ? "'?" : "; without a column bristle plot lists them");
    return -1;
}

static int number_column(const plot_table *t, const char *name, const char *what) {
    const int k = table_column(t, name);
    if (k < 0 || !plot_table_has_words(t, k)) return k;
    cli_usage_error("plot", "column '%s' has words, and %s takes numbers; --by colours by words", name, what);
    return -1;
}

static int table_choose(const plot_request *r, table_plot *p) {
    const plot_table *t = &p->table;
    const int first =
        t->columns > 1 && !plot_table_has_words(t, 1) ? 1 : 0; // the first parameter, else the run
    p->x = r->x ? number_column(t, r->x, "--x") : first;
    p->by = r->by ? table_column(t, r->by) : -1;
    if (p->x < 0 || (r->by && p->by < 0)) return 0;
    for (int k = 1; k < r->word_count; k++) {
        if (p->y_count == PLOT_MAX_LINES) {
            cli_usage_error("plot", "more than %d columns; make several figures", PLOT_MAX_LINES);
            return 0;
        }
        p->y[p->y_count] = number_column(t, r->word[k], "a figure");
        if (p->y[p->y_count++] < 0) return 0;
    }
    return 1;
}

// The line of a column and of the value that it is coloured by; -1: there are too many.
static int find_line(const plot_request *r, table_plot *p, int y, const char *value) {
    char label[LABEL];
    const char *name = p->table.name[y];
    if (p->by < 0)
        snprintf(label, sizeof label, "%.180s", name);
    else if (p->y_count == 1)
        snprintf(label, sizeof label, "%.60s = %.60s", r->by, *value ? value : "(empty)");
    else
        snprintf(label, sizeof label, "%.60s, %.40s = %.40s", name, r->by, *value ? value : "(empty)");
    for (int k = 0; k < p->lines; k++)
        if (strcmp(p->label[k], label) == 0) return k;
    if (p->lines == PLOT_MAX_LINES) {
        cli_usage_error("plot", "--by %s has more than %d values to tell apart", r->by, PLOT_MAX_LINES);
        return -1;
    }
    strcpy(p->label[p->lines], label);
    return p->lines++;
}

// Of each line its points, in the order of the runs.
static int table_fill(const plot_request *r, table_plot *p) {
    const plot_table *t = &p->table;
    const size_t rows = (size_t)t->rows;
    double *room = p->numbers = calloc(2 * PLOT_MAX_LINES * rows, sizeof *room);
    if (!room) {
        cli_usage_error("plot", "not enough memory");
        return 0;
    }
    for (int i = 0; i < p->y_count; i++)
        for (int k = 0; k < t->rows; k++) {
            const double x = plot_table_number(t, k, p->x), y = plot_table_number(t, k, p->y[i]);
            if (!isfinite(x) || !isfinite(y) || (r->log && y <= 0)) {
                p->left_out++;
                continue;
            }
            const int n = find_line(r, p, p->y[i], p->by >= 0 ? t->cell[k][p->by] : "");
            if (n < 0) return 0;
            double *xs = room + 2 * (size_t)n * rows, *ys = xs + rows;
            plot_line *l = &p->line[n];
            xs[l->count] = x, ys[l->count++] = y;
            l->x = xs, l->y = ys, l->points = 1, l->label = p->label[n];
            p->drawn++;
        }
    if (p->drawn > 0) return 1;
    cli_usage_error("plot", "no run has a number in both columns: there is nothing to draw");
    return 0;
}

static int table_draw(const plot_request *r, const table_plot *p, const char *path, int png) {
    const double width = r->width ? r->width : TABLE_WIDTH, height = r->height ? r->height : TABLE_HEIGHT;
    const char *title = r->no_title ? "" : r->title ? r->title : r->word[0];
    double from = INFINITY, to = -INFINITY;
    for (int k = 0; k < p->lines; k++)
        for (int i = 0; i < p->line[k].count; i++)
            from = fmin(from, p->line[k].x[i]), to = fmax(to, p->line[k].x[i]);
    const double beside = from < to ? 0.02 * (to - from) : fmax(1e-9, 0.5 * fabs(from));
    const plot_figure g = {.title = title,
                           .x_label = p->table.name[p->x],
                           .y_label = p->y_count == 1 ? p->table.name[p->y[0]] : "",
                           .lines = p->line,
                           .line_count = p->lines,
                           .x_from = from - beside,
                           .x_to = to + beside,
                           .log_y = r->log,
                           .fitted = 1,
                           .right = p->by < 0 && p->y_count == 1 ? 24 : 250,
                           .no_legend = p->by < 0 && p->y_count == 1,
                           .width = width,
                           .height = height};
    return plot_save(r, &g, title, path, png);
}

static void table_tell(const plot_request *r, const table_plot *p, const char *path) {
    if (!r->json) {
        printf("plot        %s, %d points of %d runs\n", path, p->drawn, p->table.rows);
        if (p->left_out > 0)
            printf("note        %d values are left out: empty, infinite%s\n", p->left_out,
                   r->log ? ", or not above 0" : "");
        return;
    }
    br_json json = br_json_begin(stdout);
    br_json_string(&json, "status", "complete");
    br_json_string(&json, "file", path);
    br_json_whole(&json, "runs", p->table.rows);
    br_json_whole(&json, "points", p->drawn);
    br_json_whole(&json, "left_out", p->left_out);
    br_json_end(&json);
}

static const char *table_kind(const plot_table *t, int column) {
    if (plot_table_has_words(t, column)) return "words: for --by";
    for (int k = 0; k < t->rows; k++)
        if (t->cell[k][column][0]) return "numbers";
    return "empty";
}

static int table_list(const plot_request *r, const plot_table *t) {
    br_json json, list;
    if (r->json) {
        json = br_json_begin(stdout);
        br_json_string(&json, "status", "listed");
        br_json_whole(&json, "runs", t->rows);
        list = br_json_list(&json, "columns");
        for (int k = 0; k < t->columns; k++) br_json_string(&list, NULL, t->name[k]);
        br_json_close_list(&list);
        br_json_end(&json);
        return EXIT_FINE;
    }
    printf("table       %s: %d runs\n", r->word[0], t->rows);
    for (int k = 0; k < t->columns; k++) printf("  %-40s %s\n", t->name[k], table_kind(t, k));
    return EXIT_FINE;
}

// sweep.COLUMN.svg, of characters that need no quotes anywhere.
static int table_path(const plot_request *r, const table_plot *p, char path[PLOT_PATH], int *png) {
    snprintf(path, PLOT_PATH, "%.200s", r->word[0]);
    char *slash = strrchr(path, '/');
    if (slash) *slash = '\0';
    const char *folder = slash && strcmp(slash + 1, "table.csv") == 0 ? path : r->word[0];
    const char *name = strrchr(folder, '/') && strrchr(folder, '/')[1] ? strrchr(folder, '/') + 1 : folder;
    char made[PLOT_PATH];
    snprintf(made, sizeof made, "%.100s.%.120s.svg", name, p->table.name[p->y[0]]);
    for (char *c = made; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("._-+~#@", *c)) *c = '_';
    snprintf(path, PLOT_PATH, "%.4000s", r->output ? r->output : made);
    const size_t n = strlen(path);
    *png = n > 4 && strcmp(path + n - 4, ".png") == 0;
    if (*png || (n > 4 && strcmp(path + n - 4, ".svg") == 0)) return 1;
    cli_usage_error("plot", "-o is '%s', expected a name that ends in .svg or .png", path);
    return 0;
}

int plot_sweep(const plot_request *r) {
    table_plot *p = calloc(1, sizeof *p);
    char path[PLOT_PATH];
    int png = 0, code = EXIT_USAGE;
    if (!p) {
        cli_usage_error("plot", "not enough memory");
        return EXIT_USAGE;
    }
    if (r->events || r->separate || r->has_from || r->has_to)
        cli_usage_error("plot",
                        "a table of a sweep has a point per run: of --events, --separate, --from and --to "
                        "there is none");
    else if (!plot_table_read(r->word[0], &p->table))
        ;
    else if (r->word_count == 1)
        code = table_list(r, &p->table);
    else if (table_choose(r, p) && table_fill(r, p) && table_path(r, p, path, &png) &&
             table_draw(r, p, path, png)) {
        table_tell(r, p, path);
        code = EXIT_FINE;
    }
    plot_table_free(&p->table);
    free(p->numbers);
    free(p);
    return code;
}
