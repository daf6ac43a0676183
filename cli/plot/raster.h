// A picture of pixels with smooth lines: each pixel takes as much of the colour as it is covered.
#ifndef BR_CLI_PLOT_RASTER_H
#define BR_CLI_PLOT_RASTER_H

typedef struct plot_raster {
    int width, height;
    unsigned char *rgb;  // [height][width][3]
    unsigned char *mask; // [height][width]: how far the strokes drawn so far cover each pixel
    int left, right;     // columns and rows that they reached, [left, right) and [top, bottom)
    int top, bottom;
} plot_raster;

int plot_raster_create(plot_raster *raster, int width, int height); // white; 0: no memory
void plot_raster_free(plot_raster *raster);

// Strokes gather in the mask, where they overlap without getting darker, and get their colour together.
void plot_raster_stroke(plot_raster *raster, double x1, double y1, double x2, double y2, double width);
void plot_raster_ink(plot_raster *raster, unsigned colour);

#endif
