#include "plot/save.h"

#include <errno.h>
#include <string.h>

#include "plot/canvas.h"
#include "output.h"

int plot_save(const plot_request *r, const plot_figure *g, const char *title, const char *path, int png) {
    plot_canvas canvas;
    cli_output out;
    errno = 0;
    const int opened = cli_output_open(&out, path);
    int done = opened && (png ? plot_png_begin : plot_svg_begin)(&canvas, out.file, title, g->width,
                                                                 g->height, r->scale);
    if (done) {
        plot_draw(&canvas, g);
        done = plot_canvas_end(&canvas);
    }
    if (opened && cli_output_close(&out, done)) return 1;
    cli_usage_error("plot", "%s cannot be written: %s", path, strerror(errno ? errno : ENOMEM));
    return 0;
}
