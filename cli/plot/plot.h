// Line plots: axes with ticks and units, a legend, one line per series. Drawn on any canvas (plot/canvas.h); plot_write and
// plot_sheet make SVG files.
#ifndef BR_CLI_PLOT_H
#define BR_CLI_PLOT_H

#include <stdio.h>

#include "plot/canvas.h"

enum { PLOT_MAX_LINES = 32 };
static const double PLOT_LARGEST = 1e300; // larger numbers are not drawn: the difference of two may be none

typedef struct plot_line {
    const char *label;
    const double *x, *y; // [count]; a y that is not finite interrupts the line
    int count;
    int dashed; // what the others are held against: black
    int style;  // of the others: 0 solid, 1 dashed, 2 dotted, 3 dash-dotted
    int colour; // 0: the next one; else 1 + number of the colour
    int points; // a dot for each, not joined
} plot_line;

// A thin upright line, at an event.
typedef struct plot_mark {
    double x;
    const char *label;
    unsigned colour; // 0xRRGGBB
} plot_mark;

typedef struct plot_figure {
    const char *title;
    const char *heading;           // smaller, above the axes on the right; may be NULL
    const char *x_label, *y_label; // with their units; x_label NULL: the panel below has it
    const plot_line *lines;
    int line_count;
    double x_from, x_to;
    double
        y_least; // the axis reaches at least from 0 to this: a plot of rounding alone does not look like an event
    int square;           // a path: x is shown at the scale of y, about the middle of x_from and x_to
    int log_y;            // y above 0 only
    int fitted;           // the y axis reaches to 0 only where that costs little room
    double width, height; // 0: 880 x 400
    double left, right;   // margins; 0: 78, and 186 with the legend
    int no_legend;
    const plot_mark *marks; // by x
    int mark_count;
} plot_figure;

void plot_draw(plot_canvas *canvas, const plot_figure *figure);

// Length that a label at the y axis may have.
double plot_label_room(const plot_figure *g);

// Height that a figure needs at least for its legend.
double plot_legend_height(int lines);

// 0 when the stream could not be written.
int plot_write(FILE *out, const plot_figure *figure);

// Several figures in one file, row by row, under a title.
typedef struct plot_sheet {
    plot_canvas canvas;
    int rows, columns, count; // count: panels so far
} plot_sheet;

plot_sheet plot_sheet_begin(FILE *out, const char *title, int rows, int columns);
void plot_sheet_panel(plot_sheet *sheet, const plot_figure *figure);
void plot_sheet_end(plot_sheet *sheet);

#endif
