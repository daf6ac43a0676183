// SVG line plots. Ticks are 1, 2 or 5 times a power of ten. Long series are thinned to what a pixel can show: of all
// points in one column of pixels the first, lowest, highest and last are kept, so that no spike is lost.
#include "plot.h"

#include <math.h>
#include <string.h>

// All lengths are the user units of the file: pixels at its natural size.
static const double WIDTH = 880, HEIGHT = 400;
static const double LEFT = 78, RIGHT = 186, TOP = 46, BOTTOM = 54; // margins; the legend is in the right one
static const double COLUMN = 0.5;    // width that one kept group of points covers
static const double HEADROOM = 0.06; // of the range, so that no line runs along the frame
enum { WANTED_TICKS = 6, LEGEND_STEP = 22 };

// Colours that differ for colour-blind readers too (after Okabe and Ito); the reference is black.
static const char *const COLOURS[] = {"#0072b2", "#009e73", "#d55e00", "#b0559b",
                                      "#e69f00", "#56b4e9", "#8c6d31", "#7f7f7f"};
enum { COLOURS_COUNT = sizeof COLOURS / sizeof *COLOURS };

typedef struct frame {
    FILE *out;
    double x_from, x_to, y_from, y_to; // data
} frame;

static double to_x(const frame *f, double x) {
    return LEFT + (x - f->x_from) / (f->x_to - f->x_from) * (WIDTH - LEFT - RIGHT);
}

static double to_y(const frame *f, double y) {
    return HEIGHT - BOTTOM - (y - f->y_from) / (f->y_to - f->y_from) * (HEIGHT - TOP - BOTTOM);
}

static double tick_step(double range) {
    const double raw = range / WANTED_TICKS, power = pow(10, floor(log10(raw))), part = raw / power;
    return power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

static void print_text(FILE *out, const char *text) {
    for (; *text; text++) {
        if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '>')
            fputs("&gt;", out);
        else if (*text == '&')
            fputs("&amp;", out);
        else
            fputc(*text, out);
    }
}

// ------------------------------------------------------------------------------------------------------- the axes

static void find_range(const plot_figure *g, frame *f) {
    f->x_from = g->x_from;
    f->x_to = g->x_to > g->x_from ? g->x_to : g->x_from + 1;
    f->y_from = 0;
    f->y_to = g->y_least > 0 ? g->y_least : 0;
    for (int k = 0; k < g->line_count; k++) {
        for (int i = 0; i < g->lines[k].count; i++) {
            const double x = g->lines[k].x[i], y = g->lines[k].y[i];
            if (!isfinite(y) || x < f->x_from || x > f->x_to) continue;
            f->y_from = fmin(f->y_from, y);
            f->y_to = fmax(f->y_to, y);
        }
    }
    if (!(f->y_to > f->y_from)) f->y_to = f->y_from + 1;
    const double room = HEADROOM * (f->y_to - f->y_from);
    f->y_to += room;
    if (f->y_from < 0) f->y_from -= room;
    if (g->square) {
        const double middle = 0.5 * (f->x_from + f->x_to);
        const double half = 0.5 * (f->y_to - f->y_from) * (WIDTH - LEFT - RIGHT) / (HEIGHT - TOP - BOTTOM);
        f->x_from = middle - half, f->x_to = middle + half;
    }
}

static void print_number(FILE *out, double value, double step) {
    if (fabs(value) < 1e-9 * step) value = 0; // a sum of steps that should have been zero
    fprintf(out, "%.6g", value);
}

static void print_axes(const frame *f, const plot_figure *g) {
    const double bottom = HEIGHT - BOTTOM, right = WIDTH - RIGHT;
    const double sx = tick_step(f->x_to - f->x_from), sy = tick_step(f->y_to - f->y_from);
    fprintf(f->out, "<g class=\"grid\">\n");
    for (double y = sy * ceil(f->y_from / sy - 1e-9); y <= f->y_to; y += sy)
        fprintf(f->out, "<path d=\"M%.1f %.2fH%.1f\"/>\n", LEFT, to_y(f, y), right);
    for (double x = sx * ceil(f->x_from / sx - 1e-9); x <= f->x_to + 1e-9 * sx; x += sx)
        fprintf(f->out, "<path d=\"M%.2f %.1fV%.1f\"/>\n", to_x(f, x), bottom, bottom + 5);
    fprintf(f->out, "<path class=\"axis\" d=\"M%.1f %.2fH%.1f\"/>\n", LEFT, to_y(f, 0),
            right); // in every range
    fprintf(f->out, "<path class=\"axis\" d=\"M%.1f %.1fH%.1f\"/>\n</g>\n", LEFT, bottom, right);
    fprintf(f->out, "<g class=\"y\">\n");
    for (double y = sy * ceil(f->y_from / sy - 1e-9); y <= f->y_to; y += sy) {
        fprintf(f->out, "<text x=\"%.1f\" y=\"%.2f\">", LEFT - 8, to_y(f, y) + 4);
        print_number(f->out, y, sy);
        fputs("</text>\n", f->out);
    }
    fprintf(f->out, "</g>\n<g class=\"x\">\n");
    for (double x = sx * ceil(f->x_from / sx - 1e-9); x <= f->x_to + 1e-9 * sx; x += sx) {
        fprintf(f->out, "<text x=\"%.2f\" y=\"%.1f\">", to_x(f, x), bottom + 20);
        print_number(f->out, x, sx);
        fputs("</text>\n", f->out);
    }
    fprintf(f->out, "<text x=\"%.1f\" y=\"%.1f\">", (LEFT + right) / 2, HEIGHT - 14);
    print_text(f->out, g->x_label);
    fprintf(f->out, "</text>\n<text transform=\"translate(20 %.1f) rotate(-90)\">", (TOP + bottom) / 2);
    print_text(f->out, g->y_label);
    fprintf(f->out, "</text>\n</g>\n<text class=\"title\" x=\"%.1f\" y=\"26\">", LEFT);
    print_text(f->out, g->title);
    fputs("</text>\n", f->out);
}

// ------------------------------------------------------------------------------------------------------ the lines

// The points of one column of pixels.
typedef struct group {
    int column, first, lowest, highest, last; // indices; first < 0: empty
} group;

static void put_point(const frame *f, const plot_line *l, int i, int *pen) {
    fprintf(f->out, "%c%.2f %.2f", *pen ? 'L' : 'M', to_x(f, l->x[i]), to_y(f, l->y[i]));
    *pen = 1;
}

static void put_group(const frame *f, const plot_line *l, group *g, int *pen) {
    if (g->first < 0) return;
    const int early = g->lowest < g->highest ? g->lowest : g->highest;
    const int late = g->lowest < g->highest ? g->highest : g->lowest;
    put_point(f, l, g->first, pen);
    if (early > g->first) put_point(f, l, early, pen);
    if (late > early) put_point(f, l, late, pen);
    if (g->last > late) put_point(f, l, g->last, pen);
    g->first = -1;
}

static const char *colour_of(const plot_line *lines, int k) {
    int n = 0;
    for (int i = 0; i < k; i++) n += !lines[i].dashed;
    return lines[k].dashed ? "#111111" : COLOURS[n % COLOURS_COUNT];
}

static const char *class_of(const plot_line *line) {
    static const char *const styles[] = {"line", "line dash", "line dot"};
    return line->dashed ? "line ref" : styles[line->style];
}

static void print_line(const frame *f, const plot_figure *figure, int k) {
    const plot_line *l = &figure->lines[k];
    group g = {0, -1, 0, 0, 0};
    int pen = 0;
    fprintf(f->out, "<path class=\"%s\" stroke=\"%s\" d=\"", class_of(l), colour_of(figure->lines, k));
    for (int i = 0; i < l->count; i++) {
        if (!isfinite(l->y[i]) || l->x[i] < f->x_from || l->x[i] > f->x_to) {
            put_group(f, l, &g, &pen);
            pen = 0;
            continue;
        }
        const int column = (int)floor(to_x(f, l->x[i]) / COLUMN);
        if (g.first >= 0 && g.column != column) put_group(f, l, &g, &pen);
        if (g.first < 0) g = (group){column, i, i, i, i};
        if (l->y[i] < l->y[g.lowest]) g.lowest = i;
        if (l->y[i] > l->y[g.highest]) g.highest = i;
        g.last = i;
    }
    put_group(f, l, &g, &pen);
    fputs("\"/>\n", f->out);
}

static void print_legend(const frame *f, const plot_figure *g) {
    const double x = WIDTH - RIGHT + 18;
    for (int k = 0; k < g->line_count; k++) {
        const double y = TOP + 10 + k * LEGEND_STEP;
        fprintf(f->out, "<path class=\"%s\" stroke=\"%s\" d=\"M%.1f %.1fh24\"/>\n", class_of(&g->lines[k]),
                colour_of(g->lines, k), x, y);
        fprintf(f->out, "<text class=\"key\" x=\"%.1f\" y=\"%.1f\">", x + 32, y + 4);
        print_text(f->out, g->lines[k].label);
        fputs("</text>\n", f->out);
    }
}

static void print_head(FILE *out, const char *title, double width, double height, double shown) {
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" width=\"%g\" height=\"%g\" "
            "role=\"img\">\n<title>",
            width, height, shown * width, shown * height);
    print_text(out, title);
    fputs(
        "</title>\n<style>\n"
        "text { font: 13px \"Helvetica Neue\", Helvetica, Arial, \"DejaVu Sans\", sans-serif; fill: #333 }\n"
        ".title { font-size: 16px; fill: #111 }\n"
        ".grid path { stroke: #dddddd; fill: none }\n"
        ".grid path.axis { stroke: #333333 }\n"
        ".x text { text-anchor: middle }\n"
        ".y text { text-anchor: end }\n"
        ".line { fill: none; stroke-width: 1.6; stroke-linejoin: round }\n"
        ".ref { stroke-dasharray: 6 4; stroke-width: 1.3 }\n"
        ".dash { stroke-dasharray: 7 3 }\n"
        ".dot { stroke-dasharray: 1.5 2.5; stroke-width: 1.2 }\n"
        "</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
        out);
}

static void print_figure(FILE *out, const plot_figure *figure) {
    frame f = {.out = out};
    find_range(figure, &f);
    print_axes(&f, figure);
    for (int k = figure->line_count - 1; k >= 0;
         k--) // the first on top, and above it what they are held against
        if (!figure->lines[k].dashed) print_line(&f, figure, k);
    for (int k = 0; k < figure->line_count; k++)
        if (figure->lines[k].dashed) print_line(&f, figure, k);
    print_legend(&f, figure);
}

int plot_write(FILE *out, const plot_figure *figure) {
    print_head(out, figure->title, WIDTH, HEIGHT, 1);
    print_figure(out, figure);
    fputs("</svg>\n", out);
    return !ferror(out);
}

static const double SHEET_TOP = 36,
                    SHEET_SHOWN = 0.75; // a sheet of two columns would be wider than most screens

plot_sheet plot_sheet_begin(FILE *out, const char *title, int rows, int columns) {
    print_head(out, title, columns * WIDTH, rows * HEIGHT + SHEET_TOP, SHEET_SHOWN);
    fprintf(out, "<text class=\"title\" x=\"%.1f\" y=\"28\">", LEFT);
    print_text(out, title);
    fputs("</text>\n", out);
    return (plot_sheet){out, rows, columns, 0};
}

void plot_sheet_panel(plot_sheet *sheet, const plot_figure *figure) {
    const int row = sheet->count / sheet->columns, column = sheet->count % sheet->columns;
    fprintf(sheet->out, "<g transform=\"translate(%g %g)\">\n", column * WIDTH, row * HEIGHT + SHEET_TOP);
    print_figure(sheet->out, figure);
    fputs("</g>\n", sheet->out);
    sheet->count++;
}

void plot_sheet_end(plot_sheet *sheet) {
    fputs("</svg>\n", sheet->out);
}
