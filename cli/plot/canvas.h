// What figures are drawn on: lines and text, as SVG (plot/svg.c) or as the pixels of a PNG (plot/png.c).
// Lengths are pixels at natural size, y downwards.
#ifndef BR_CLI_PLOT_CANVAS_H
#define BR_CLI_PLOT_CANVAS_H

#include <stdio.h>

typedef enum plot_dash {
    PLOT_SOLID = 0,
    PLOT_DASHED,
    PLOT_DOTTED,
    PLOT_DASH_DOT,
    PLOT_REFERENCE, // what the others are held against
    PLOT_DASHES
} plot_dash;

enum { PLOT_DASH_PARTS = 4 };
extern const double plot_dash_lengths[PLOT_DASHES][PLOT_DASH_PARTS]; // on, off, on, off; 0: no more

typedef struct plot_pen {
    unsigned colour; // 0xRRGGBB
    double width;
    plot_dash dash;
} plot_pen;

typedef enum plot_anchor { PLOT_START = 0, PLOT_MIDDLE, PLOT_END } plot_anchor;

typedef struct plot_letters {
    double size;
    unsigned colour;
    plot_anchor anchor;
    int upwards; // the text runs from below to above
} plot_letters;

typedef struct plot_canvas plot_canvas;

typedef struct plot_canvas_ops {
    void (*path_begin)(plot_canvas *canvas, const plot_pen *pen);
    void (*path_to)(plot_canvas *canvas, double x, double y, int draw); // 0: only moves
    void (*path_end)(plot_canvas *canvas);
    void (*text)(plot_canvas *canvas, const plot_letters *letters, double x, double y, const char *text);
    int (*end)(plot_canvas *canvas); // writes what is left and frees; 0: the stream could not be written
} plot_canvas_ops;

struct plot_canvas {
    const plot_canvas_ops *ops;
    FILE *out;
    double x, y; // added to every place: where the present panel begins
    void *own;   // of the kind
};

// A white page. `shown` times the lengths are the natural size of the SVG, or the pixels of the PNG. 0: no memory.
int plot_svg_begin(plot_canvas *canvas, FILE *out, const char *title, double width, double height,
                   double shown);
int plot_png_begin(plot_canvas *canvas, FILE *out, const char *title, double width, double height,
                   double shown);

void plot_path_begin(plot_canvas *canvas, const plot_pen *pen);
void plot_path_to(plot_canvas *canvas, double x, double y, int draw);
void plot_path_end(plot_canvas *canvas);
void plot_line_to(plot_canvas *canvas, const plot_pen *pen, double x1, double y1, double x2, double y2);
void plot_text(plot_canvas *canvas, const plot_letters *letters, double x, double y, const char *text);
int plot_canvas_end(plot_canvas *canvas);

#endif
