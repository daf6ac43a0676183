// Figures as SVG: one element for each thing drawn, with its own attributes, so that every program that reads SVG shows
// the same. Nothing is kept in memory.
#include "bristle/text.h"
#include "plot/canvas.h"
#include "plot/font.h"

// Whatever is in a name: the file stays well-formed and shows the name as it is.
static void svg_print_text(FILE *out, const char *text) {
    char bytes[4];
    for (unsigned c; (c = plot_next_character(&text)) != 0;) {
        if (c == '<')
            fputs("&lt;", out);
        else if (c == '>')
            fputs("&gt;", out);
        else if (c == '&')
            fputs("&amp;", out);
        else if (c == '"')
            fputs("&quot;", out);
        else
            fwrite(bytes, 1, br_utf8_encode(c, bytes), out);
    }
}

static void path_begin(plot_canvas *canvas, const plot_pen *pen) {
    FILE *out = canvas->out;
    const double *dash = plot_dash_lengths[pen->dash];
    fprintf(out, "<path stroke=\"#%06x\"", pen->colour);
    if (pen->width < 1 || pen->width > 1) fprintf(out, " stroke-width=\"%g\"", pen->width);
    for (int k = 0; k < PLOT_DASH_PARTS && dash[k] > 0; k++)
        fprintf(out, "%s%g", k ? " " : " stroke-dasharray=\"", dash[k]);
    fputs(dash[0] > 0 ? "\" d=\"" : " d=\"", out);
}

static void path_to(plot_canvas *canvas, double x, double y, int draw) {
    fprintf(canvas->out, "%c%.2f %.2f", draw ? 'L' : 'M', x, y);
}

static void path_end(plot_canvas *canvas) {
    fputs("\"/>\n", canvas->out);
}

static void text(plot_canvas *canvas, const plot_letters *l, double x, double y, const char *text) {
    static const char *const anchors[] = {"start", "middle", "end"};
    FILE *out = canvas->out;
    if (l->upwards)
        fprintf(out, "<text transform=\"translate(%.2f %.2f) rotate(-90)\"", x, y);
    else
        fprintf(out, "<text x=\"%.2f\" y=\"%.2f\"", x, y);
    if (l->anchor != PLOT_START) fprintf(out, " text-anchor=\"%s\"", anchors[l->anchor]);
    fprintf(out, " font-size=\"%g\" fill=\"#%06x\">", l->size, l->colour);
    svg_print_text(out, text);
    fputs("</text>\n", out);
}

static int end(plot_canvas *canvas) {
    fputs("</svg>\n", canvas->out);
    return !ferror(canvas->out);
}

static const plot_canvas_ops ops = {path_begin, path_to, path_end, text, end};

int plot_svg_begin(plot_canvas *canvas, FILE *out, const char *title, double width, double height,
                   double shown) {
    *canvas = (plot_canvas){.ops = &ops, .out = out};
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" width=\"%g\" height=\"%g\" "
            "role=\"img\" fill=\"none\" stroke-linejoin=\"round\" "
            "font-family=\"'Helvetica Neue', Helvetica, Arial, 'DejaVu Sans', sans-serif\">\n<title>",
            width, height, shown * width, shown * height);
    svg_print_text(out, title);
    fputs("</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n", out);
    return 1;
}
