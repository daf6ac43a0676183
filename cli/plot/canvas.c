#include "plot/canvas.h"

const double plot_dash_lengths[PLOT_DASHES][PLOT_DASH_PARTS] = {
    [PLOT_SOLID] = {0},         [PLOT_DASHED] = {7, 3},
    [PLOT_DOTTED] = {1.5, 2.5}, [PLOT_DASH_DOT] = {8, 3, 1.5, 3},
    [PLOT_REFERENCE] = {6, 4},
};

void plot_path_begin(plot_canvas *canvas, const plot_pen *pen) {
    canvas->ops->path_begin(canvas, pen);
}

void plot_path_to(plot_canvas *canvas, double x, double y, int draw) {
    canvas->ops->path_to(canvas, canvas->x + x, canvas->y + y, draw);
}

void plot_path_end(plot_canvas *canvas) {
    canvas->ops->path_end(canvas);
}

void plot_line_to(plot_canvas *canvas, const plot_pen *pen, double x1, double y1, double x2, double y2) {
    plot_path_begin(canvas, pen);
    plot_path_to(canvas, x1, y1, 0);
    plot_path_to(canvas, x2, y2, 1);
    plot_path_end(canvas);
}

void plot_text(plot_canvas *canvas, const plot_letters *letters, double x, double y, const char *text) {
    canvas->ops->text(canvas, letters, canvas->x + x, canvas->y + y, text);
}

int plot_canvas_end(plot_canvas *canvas) {
    return canvas->ops->end(canvas);
}
