// A figure as a file, whole or not at all.
#ifndef BR_CLI_PLOT_SAVE_H
#define BR_CLI_PLOT_SAVE_H

#include "plot/job.h"
#include "plot/plot.h"

// title: of the file; that of the figure is drawn. 0: it cannot be written, and was told.
int plot_save(const plot_request *r, const plot_figure *figure, const char *title, const char *path, int png);

#endif
