// Line plots as self-contained SVG files: axes with ticks and units, a legend, one line per series.
#ifndef BR_CLI_PLOT_H
#define BR_CLI_PLOT_H

#include <stdio.h>

enum { PLOT_MAX_LINES = 32 };

typedef struct plot_line {
    const char *label;
    const double *x, *y; // [count]; a y that is not finite interrupts the line
    int count;
    int dashed; // what the others are held against: black
    int style;  // of the others: 0 solid, 1 dashed, 2 dotted
} plot_line;

typedef struct plot_figure {
    const char *title;
    const char *x_label, *y_label; // with their units
    const plot_line *lines;
    int line_count;
    double x_from, x_to;
    double
        y_least; // the axis reaches at least from 0 to this: a plot of rounding alone does not look like an event
    int square; // a path: x is shown at the scale of y, about the middle of x_from and x_to
} plot_figure;

// 0 when the stream could not be written.
int plot_write(FILE *out, const plot_figure *figure);

// Several figures in one file, row by row, under a title.
typedef struct plot_sheet {
    FILE *out;
    int rows, columns, count; // count: panels so far
} plot_sheet;

plot_sheet plot_sheet_begin(FILE *out, const char *title, int rows, int columns);
void plot_sheet_panel(plot_sheet *sheet, const plot_figure *figure);
void plot_sheet_end(plot_sheet *sheet);

#endif
