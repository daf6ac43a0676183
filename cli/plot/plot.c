// Line plots. Long series are thinned to what a pixel can show: of all points in one column of pixels the first, lowest,
// highest and last are kept, so that no spike is lost.
#include "plot/plot.h"

#include <math.h>
#include <string.h>

#include "plot/axis.h"
#include "plot/font.h"

// All lengths are the user units of the file: pixels at its natural size.
static const double WIDTH = 880, HEIGHT = 400;
static const double LEFT = 78, RIGHT = 186, TOP = 46, BOTTOM = 54; // margins; the legend is in the right one
static const double NO_TITLE_TOP = 24, NO_LABEL_BOTTOM = 30;
static const double COLUMN = 0.5;       // width that one kept group of points covers
static const double HEADROOM = 0.06;    // of the range, so that no line runs along the frame
static const double LEAST_RANGE = 1e-3; // of x, beside its size: where all are the same
static const double CONSTANT = 1e-9;    // of its size: variation below is rounding
static const double TEXT = 13, TITLE = 16, SMALL = 11;
static const double X_TICK = 90, Y_TICK = 36; // room for a number and its surroundings
static const double LEAST_DECADE = 40;        // height where the parts of a decade are shown
enum { WANTED_TICKS = 6, LEGEND_STEP = 22, FITTED_TEXT = 512, MANY_POINTS = 2000 };
static const unsigned INK = 0x333333, BLACK = 0x111111, GRID = 0xdddddd;

// Colours that differ for colour-blind readers too (after Okabe and Ito); the reference is black.
static const unsigned COLOURS[] = {0x0072b2, 0x009e73, 0xd55e00, 0xb0559b,
                                   0xe69f00, 0x56b4e9, 0x8c6d31, 0x7f7f7f};
enum { COLOURS_COUNT = sizeof COLOURS / sizeof *COLOURS };

typedef struct frame {
    plot_canvas *canvas;
    const plot_figure *figure;
    double left, right, top, bottom; // where the axes are
    plot_axis x, y;
} frame;

static double to_x(const frame *f, double x) {
    return f->left + plot_axis_part(&f->x, x) * (f->right - f->left);
}

static double to_y(const frame *f, double y) {
    return f->bottom - plot_axis_part(&f->y, y) * (f->bottom - f->top);
}

static int is_shown(const frame *f, double x, double y) {
    return fabs(y) <= PLOT_LARGEST && x >= f->x.from && x <= f->x.to && (!f->y.log || y > 0);
}

static double width_of(const plot_figure *g) {
    return g->width > 0 ? g->width : WIDTH;
}

static double height_of(const plot_figure *g) {
    return g->height > 0 ? g->height : HEIGHT;
}

// ---------------------------------------------------------------------------------------------------------- ranges

// The least and most y that are shown; 0: there are none.
static int find_extent(const frame *f, double *least, double *most) {
    const plot_figure *g = f->figure;
    *least = INFINITY, *most = -INFINITY;
    for (int k = 0; k < g->line_count; k++)
        for (int i = 0; i < g->lines[k].count; i++) {
            if (!is_shown(f, g->lines[k].x[i], g->lines[k].y[i])) continue;
            *least = fmin(*least, g->lines[k].y[i]);
            *most = fmax(*most, g->lines[k].y[i]);
        }
    return *least <= *most;
}

// Whole decades.
static void find_log_range(frame *f) {
    double least, most;
    if (!find_extent(f, &least, &most)) least = most = 1;
    f->y.from = pow(10, floor(log10(least)));
    f->y.to = pow(10, ceil(log10(most)));
    if (!(f->y.from > 0)) f->y.from = 1e-300; // of numbers that have no power of ten below
    if (!(f->y.to > f->y.from)) f->y.to = 10 * f->y.from;
}

static int keeps_zero(const plot_figure *g, double least, double most) {
    const double size = fmax(fabs(least), fabs(most));
    return !g->fitted || most - least <= CONSTANT * size || 2 * (most - least) >= size;
}

static void find_range(frame *f) {
    const plot_figure *g = f->figure;
    double least, most;
    if (!find_extent(f, &least, &most)) least = most = 0;
    if (keeps_zero(g, least, most)) least = fmin(least, 0), most = fmax(most, 0);
    most = fmax(most, g->y_least);
    if (!(most > least)) most = least + 1;
    const double room = HEADROOM * (most - least);
    f->y.from = least < 0 || least > 0 ? least - room : least;
    f->y.to = most + room;
    if (g->square) {
        const double middle = 0.5 * (f->x.from + f->x.to);
        const double half = 0.5 * (f->y.to - f->y.from) * (f->right - f->left) / (f->bottom - f->top);
        f->x.from = middle - half, f->x.to = middle + half;
    }
}

static int clamp_ticks(double room) {
    return room < 1 ? 1 : room > WANTED_TICKS ? WANTED_TICKS : (int)room;
}

// One number says nothing of the scale: two at least, also where there is little room.
static void choose_y(frame *f) {
    double second;
    for (int wanted = clamp_ticks((f->bottom - f->top) / Y_TICK); wanted <= WANTED_TICKS; wanted++) {
        plot_axis_choose(&f->y, wanted);
        if (plot_axis_tick(&f->y, 1, &second)) return;
    }
}

static frame make_frame(plot_canvas *canvas, const plot_figure *g) {
    frame f = {.canvas = canvas, .figure = g};
    f.left = g->left > 0 ? g->left : LEFT;
    f.right = width_of(g) - (g->right > 0 ? g->right : RIGHT);
    f.top = g->title ? TOP : NO_TITLE_TOP;
    f.bottom = height_of(g) - (g->x_label ? BOTTOM : NO_LABEL_BOTTOM);
    f.x = (plot_axis){.from = g->x_from, .to = g->x_to};
    if (!(f.x.to > f.x.from)) f.x.to = f.x.from + fmax(1, LEAST_RANGE * fabs(f.x.from));
    f.y.log = g->log_y;
    if (g->log_y)
        find_log_range(&f);
    else
        find_range(&f);
    choose_y(&f);
    plot_axis_choose_in(&f.x, clamp_ticks((f.right - f.left) / X_TICK), f.right - f.left, TEXT);
    return f;
}

// ------------------------------------------------------------------------------------------------------- the axes

// On a log axis: every decade, and between them 2 to 9 where there is room.
static void draw_small_ticks(const frame *f) {
    const plot_pen axis = {INK, 1, PLOT_SOLID};
    const int first = (int)floor(log10(f->y.from) + 0.5), last = (int)floor(log10(f->y.to) + 0.5);
    const int parts = (f->bottom - f->top) / (last - first) > LEAST_DECADE ? 9 : 1;
    for (int k = first; k < last; k++)
        for (int part = 1; part <= parts; part++) {
            const double y = to_y(f, part * pow(10, k));
            plot_line_to(f->canvas, &axis, f->left - (part == 1 ? 5 : 3), y, f->left, y);
        }
    plot_line_to(f->canvas, &axis, f->left, f->top, f->left, f->bottom);
}

static void draw_grid(const frame *f) {
    const plot_pen grid = {GRID, 1, PLOT_SOLID}, axis = {INK, 1, PLOT_SOLID};
    double value;
    for (int k = 0; plot_axis_tick(&f->y, k, &value); k++)
        plot_line_to(f->canvas, &grid, f->left, to_y(f, value), f->right, to_y(f, value));
    for (int k = 0; plot_axis_tick(&f->x, k, &value); k++)
        plot_line_to(f->canvas, &axis, to_x(f, value), f->bottom, to_x(f, value), f->bottom + 5);
    if (f->y.log) draw_small_ticks(f);
    if (!f->y.log && f->y.from <= 0 && f->y.to >= 0)
        plot_line_to(f->canvas, &axis, f->left, to_y(f, 0), f->right, to_y(f, 0));
    plot_line_to(f->canvas, &axis, f->left, f->bottom, f->right, f->bottom);
}

static void draw_numbers(const frame *f) {
    const plot_letters at_y = {TEXT, INK, PLOT_END, 0}, at_x = {TEXT, INK, PLOT_MIDDLE, 0};
    const plot_letters factor_y = {TEXT, INK, PLOT_START, 0}, factor_x = {TEXT, INK, PLOT_END, 0};
    char text[2 * PLOT_NUMBER];
    double value;
    for (int k = 0; plot_axis_tick(&f->y, k, &value); k++) {
        plot_axis_number(&f->y, value, text);
        plot_text(f->canvas, &at_y, f->left - 8, to_y(f, value) + 4, text);
    }
    for (int k = 0; plot_axis_tick(&f->x, k, &value); k++) {
        plot_axis_number(&f->x, value, text);
        plot_text(f->canvas, &at_x, to_x(f, value), f->bottom + 20, text);
    }
    plot_axis_factor(&f->y, text);
    if (text[0]) plot_text(f->canvas, &factor_y, f->left, f->top - 6, text);
    plot_axis_factor(&f->x, text);
    if (text[0]) plot_text(f->canvas, &factor_x, f->right, f->bottom + 36, text);
}

double plot_label_room(const plot_figure *g) {
    const double top = g->title ? TOP : NO_TITLE_TOP, bottom = g->x_label ? BOTTOM : NO_LABEL_BOTTOM;
    return height_of(g) - top - bottom + NO_LABEL_BOTTOM; // may reach a little beyond the axis
}

static void draw_labels(const frame *f) {
    const plot_figure *g = f->figure;
    const plot_letters across = {TEXT, INK, PLOT_MIDDLE, 0}, up = {TEXT, INK, PLOT_MIDDLE, 1};
    const plot_letters title = {TITLE, BLACK, PLOT_START, 0}, heading = {TEXT, INK, PLOT_END, 0};
    char fitted[FITTED_TEXT];
    if (g->x_label) {
        const char *text = plot_fit_text(g->x_label, TEXT, f->right - f->left, fitted, sizeof fitted);
        plot_text(f->canvas, &across, (f->left + f->right) / 2, height_of(g) - 14, text);
    }
    plot_text(f->canvas, &up, 20, (f->top + f->bottom) / 2,
              plot_fit_text(g->y_label, TEXT, plot_label_room(g), fitted, sizeof fitted));
    if (g->heading) {
        const char *text = plot_fit_text(g->heading, TEXT, f->right - f->left, fitted, sizeof fitted);
        plot_text(f->canvas, &heading, f->right, f->top - 8, text);
    }
    if (!g->title) return;
    const double room = width_of(g) - f->left - 8;
    plot_text(f->canvas, &title, f->left, 26, plot_fit_text(g->title, TITLE, room, fitted, sizeof fitted));
}

// The names of a mark and of those that cannot be told from it; *next is the first one after them.
static void mark_names(const frame *f, int k, int *next, char *names, size_t size) {
    const plot_mark *m = f->figure->marks;
    const double x = to_x(f, m[k].x);
    snprintf(names, size, "%s", m[k].label);
    for (*next = k + 1; *next < f->figure->mark_count && to_x(f, m[*next].x) - x < COLUMN; ++*next) {
        const size_t used = strlen(names);
        if (!strstr(names, m[*next].label)) snprintf(names + used, size - used, ", %s", m[*next].label);
    }
}

// Each where it is; its name where the one before leaves room.
static void draw_marks(const frame *f) {
    const plot_figure *g = f->figure;
    double free_from = f->left;
    for (int k = 0, next; k < g->mark_count; k = next) {
        const plot_mark *m = &g->marks[k];
        char names[FITTED_TEXT], fitted[FITTED_TEXT];
        mark_names(f, k, &next, names, sizeof names);
        if (!(m->x >= f->x.from && m->x <= f->x.to)) continue;
        const plot_pen pen = {m->colour, 0.7, PLOT_SOLID};
        const plot_letters letters = {SMALL, m->colour, PLOT_END, 1};
        const double x = to_x(f, m->x);
        plot_line_to(f->canvas, &pen, x, f->top, x, f->bottom);
        if (x < free_from) continue;
        plot_text(f->canvas, &letters, x + SMALL, f->top + 2,
                  plot_fit_text(names, SMALL, f->bottom - f->top - 4, fitted, sizeof fitted));
        free_from = x + SMALL + 4;
    }
}

// ------------------------------------------------------------------------------------------------------ the lines

// The points of one column of pixels.
typedef struct group {
    int column, first, lowest, highest, last; // indices; first < 0: empty
} group;

static void put_point(const frame *f, const plot_line *l, int i, int *pen) {
    plot_path_to(f->canvas, to_x(f, l->x[i]), to_y(f, l->y[i]), *pen);
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

static plot_pen pen_of(const plot_line *lines, int k) {
    static const plot_dash dashes[] = {PLOT_SOLID, PLOT_DASHED, PLOT_DOTTED, PLOT_DASH_DOT};
    static const double widths[] = {1.6, 1.6, 1.2, 1.6};
    if (lines[k].dashed) return (plot_pen){BLACK, 1.3, PLOT_REFERENCE};
    int n = lines[k].colour > 0 ? lines[k].colour - 1 : 0;
    for (int i = 0; i < k && lines[k].colour == 0; i++) n += !lines[i].dashed;
    return (plot_pen){COLOURS[n % COLOURS_COUNT], widths[lines[k].style], dashes[lines[k].style]};
}

// Squares: as wide as the pen is.
static void draw_points(const frame *f, int k) {
    const plot_line *l = &f->figure->lines[k];
    plot_pen ink = pen_of(f->figure->lines, k);
    ink.width = l->count > MANY_POINTS ? 2 : 4, ink.dash = PLOT_SOLID;
    plot_path_begin(f->canvas, &ink);
    for (int i = 0; i < l->count; i++) {
        if (!is_shown(f, l->x[i], l->y[i])) continue;
        const double x = to_x(f, l->x[i]), y = to_y(f, l->y[i]);
        plot_path_to(f->canvas, x - 0.5 * ink.width, y, 0);
        plot_path_to(f->canvas, x + 0.5 * ink.width, y, 1);
    }
    plot_path_end(f->canvas);
}

static void draw_line(const frame *f, int k) {
    const plot_line *l = &f->figure->lines[k];
    const plot_pen ink = pen_of(f->figure->lines, k);
    group g = {0, -1, 0, 0, 0};
    int pen = 0;
    plot_path_begin(f->canvas, &ink);
    for (int i = 0; i < l->count; i++) {
        if (!is_shown(f, l->x[i], l->y[i])) {
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
    plot_path_end(f->canvas);
}

double plot_legend_height(int lines) {
    return NO_TITLE_TOP + NO_LABEL_BOTTOM + lines * LEGEND_STEP;
}

// Closer together where the figure is too low for all.
static void draw_legend(const frame *f) {
    const plot_figure *g = f->figure;
    const plot_letters key = {TEXT, INK, PLOT_START, 0};
    const double x = f->right + 18, room = height_of(g) - f->top - 10;
    const double step = fmin(LEGEND_STEP, room / (g->line_count > 0 ? g->line_count : 1));
    char fitted[FITTED_TEXT];
    for (int k = 0; k < g->line_count; k++) {
        const double y = f->top + 10 + k * step;
        const plot_pen pen = pen_of(g->lines, k);
        plot_line_to(f->canvas, &pen, x, y, x + 24, y);
        plot_text(f->canvas, &key, x + 32, y + 4,
                  plot_fit_text(g->lines[k].label, TEXT, width_of(g) - x - 32, fitted, sizeof fitted));
    }
}

void plot_draw(plot_canvas *canvas, const plot_figure *figure) {
    const frame f = make_frame(canvas, figure);
    draw_grid(&f);
    draw_marks(&f);
    draw_numbers(&f);
    draw_labels(&f);
    for (int k = figure->line_count - 1; k >= 0;
         k--) // the first on top, and above it what they are held against
        if (!figure->lines[k].dashed) (figure->lines[k].points ? draw_points : draw_line)(&f, k);
    for (int k = 0; k < figure->line_count; k++)
        if (figure->lines[k].dashed) draw_line(&f, k);
    if (!figure->no_legend) draw_legend(&f);
}

int plot_write(FILE *out, const plot_figure *figure) {
    plot_canvas canvas;
    plot_svg_begin(&canvas, out, figure->title, width_of(figure), height_of(figure), 1);
    plot_draw(&canvas, figure);
    return plot_canvas_end(&canvas);
}

static const double SHEET_TOP = 36,
                    SHEET_SHOWN = 0.75; // a sheet of two columns would be wider than most screens

plot_sheet plot_sheet_begin(FILE *out, const char *title, int rows, int columns) {
    const plot_letters letters = {TITLE, BLACK, PLOT_START, 0};
    plot_sheet sheet = {.rows = rows, .columns = columns};
    plot_svg_begin(&sheet.canvas, out, title, columns * WIDTH, rows * HEIGHT + SHEET_TOP, SHEET_SHOWN);
    plot_text(&sheet.canvas, &letters, LEFT, 28, title);
    return sheet;
}

void plot_sheet_panel(plot_sheet *sheet, const plot_figure *figure) {
    const int row = sheet->count / sheet->columns, column = sheet->count % sheet->columns;
    sheet->canvas.x = column * WIDTH;
    sheet->canvas.y = row * HEIGHT + SHEET_TOP;
    plot_draw(&sheet->canvas, figure);
    sheet->count++;
}

void plot_sheet_end(plot_sheet *sheet) {
    plot_canvas_end(&sheet->canvas);
}
