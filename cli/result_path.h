// Paths of one channel against another, from results of any length: a loop that is run through a thousand times is drawn
// once. The figure is divided into cells finer than a pixel, and only what reaches a cell that nothing reached
// before is kept, so that memory is bounded by the figure.
#ifndef BR_CLI_RESULT_PATH_H
#define BR_CLI_RESULT_PATH_H

typedef struct result_path {
    int x, y;                          // channels, as columns of a row
    int log_y;                         // cells are even in the logarithm of y
    double x_from, x_to, y_from, y_to; // rows outside are left out
    int columns, rows;                 // of cells
    unsigned char *seen;               // a bit for each
    double *point_x, *point_y;         // [count]; y is no number at a gap
    int count, capacity;
    int has_last, joined; // there is a row before; it is the last point kept
    double last_x, last_y;
    int no_memory; // some points are missing
} result_path;

int result_path_begin(result_path *path, int columns, int rows); // after the ranges are set; 0: no memory
void result_path_add(result_path *path, const double *row);
void result_path_free(result_path *path);

#endif
