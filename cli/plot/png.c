// Figures as PNG: lines and the stroke font on a raster, written with zlib at the end.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "plot/canvas.h"
#include "plot/font.h"
#include "plot/raster.h"

static const double INCH = 96;          // pixels of natural size, as SVG has it
static const double METRE = 1 / 0.0254; // inches

typedef struct png {
    plot_raster raster;
    double scale; // pixels of one unit of length
    char *title;
    plot_pen pen; // of the present path
    double x, y;  // where the path is, pixels
    int part;     // of the dash
    double left;  // of that part, pixels
} png;

// ------------------------------------------------------------------------------------------------------------- lines

static void path_begin(plot_canvas *canvas, const plot_pen *pen) {
    png *p = canvas->own;
    p->pen = *pen;
    p->part = 0;
    p->left = p->scale * plot_dash_lengths[pen->dash][0];
}

// Strokes have round ends, half their width beyond the dash; the dash is drawn as much shorter.
static void dash_to(png *p, double x, double y) {
    const double *dash = plot_dash_lengths[p->pen.dash];
    const double width = p->scale * p->pen.width, length = hypot(x - p->x, y - p->y);
    double at = 0;
    while (length > 0 && at < length) {
        const double step = fmin(p->left, length - at), trim = p->part % 2 == 0 ? 0.5 * width : 0;
        double a = at, b = at + step;
        if (p->left + 1e-9 >= p->scale * dash[p->part]) a = fmin(at + trim, b); // begins here
        if (step >= p->left - 1e-9) b = fmax(b - trim, a);                      // ends here
        if (p->part % 2 == 0)
            plot_raster_stroke(&p->raster, p->x + a / length * (x - p->x), p->y + a / length * (y - p->y),
                               p->x + b / length * (x - p->x), p->y + b / length * (y - p->y), width);
        p->left -= step;
        at += step;
        if (p->left > 1e-9) continue;
        p->part = p->part + 1 < PLOT_DASH_PARTS && dash[p->part + 1] > 0 ? p->part + 1 : 0;
        p->left = p->scale * dash[p->part];
    }
}

// Upright and level lines lie on whole rows and columns of pixels, or their edges are grey.
static double snapped(double value, double width) {
    const int odd = (int)lround(width) % 2 != 0;
    return odd ? floor(value) + 0.5 : floor(value + 0.5);
}

static void path_to(plot_canvas *canvas, double x, double y, int draw) {
    png *p = canvas->own;
    const double width = p->scale * p->pen.width;
    x *= p->scale, y *= p->scale;
    if (draw && plot_dash_lengths[p->pen.dash][0] > 0) {
        dash_to(p, x, y);
    } else if (draw) {
        double x1 = p->x, y1 = p->y, x2 = x, y2 = y;
        if (p->pen.width <= 1 && !(fabs(x2 - x1) > 0)) x1 = x2 = snapped(x1, width);
        if (p->pen.width <= 1 && !(fabs(y2 - y1) > 0)) y1 = y2 = snapped(y1, width);
        plot_raster_stroke(&p->raster, x1, y1, x2, y2, width);
    }
    p->x = x, p->y = y;
}

static void path_end(plot_canvas *canvas) {
    png *p = canvas->own;
    plot_raster_ink(&p->raster, p->pen.colour);
}

// -------------------------------------------------------------------------------------------------------------- text

typedef struct writing {
    png *p;
    double x, y; // pixels: origin of the character
    double unit; // pixels of the grid's unit
    double right_x, right_y, up_x, up_y;
    double last_x, last_y;
} writing;

static void png_place(const writing *w, double x, double y, double *px, double *py) {
    *px = w->x + w->unit * (x * w->right_x + y * w->up_x);
    *py = w->y + w->unit * (x * w->right_y + y * w->up_y);
}

static void glyph_move(void *context, double x, double y) {
    writing *w = context;
    png_place(w, x, y, &w->last_x, &w->last_y);
}

static void glyph_line(void *context, double x, double y) {
    writing *w = context;
    double px, py;
    png_place(w, x, y, &px, &py);
    plot_raster_stroke(&w->p->raster, w->last_x, w->last_y, px, py, w->unit * PLOT_FONT_STROKE);
    w->last_x = px, w->last_y = py;
}

static void text(plot_canvas *canvas, const plot_letters *l, double x, double y, const char *text) {
    png *p = canvas->own;
    const double width = p->scale * plot_text_width(text, l->size);
    const double back = l->anchor == PLOT_END ? width : l->anchor == PLOT_MIDDLE ? width / 2 : 0;
    writing w = {.p = p, .unit = p->scale * l->size / PLOT_FONT_SIZE};
    if (l->upwards)
        w.right_y = -1, w.up_x = -1;
    else
        w.right_x = 1, w.up_y = -1;
    // From the middle of a pixel: stems and bars of letters then fall on whole pixels at the usual size.
    w.x = floor(p->scale * x - back * w.right_x) + 0.5 + w.right_x * w.unit;
    w.y = floor(p->scale * y - back * w.right_y) - 0.5 + w.right_y * w.unit;
    const plot_glyph_pen pen = {&w, glyph_move, glyph_line};
    for (unsigned c; (c = plot_next_character(&text)) != 0;) {
        const double advance = w.unit * plot_glyph(c, &pen);
        w.x += advance * w.right_x;
        w.y += advance * w.right_y;
    }
    plot_raster_ink(&p->raster, l->colour);
}

// -------------------------------------------------------------------------------------------------------------- file

static void put_u32(unsigned char *at, unsigned long value) {
    for (int k = 0; k < 4; k++) at[k] = (unsigned char)(value >> (24 - 8 * k) & 0xff);
}

static void put_chunk(FILE *out, const char *kind, const unsigned char *bytes, size_t size) {
    unsigned char four[4];
    put_u32(four, (unsigned long)size);
    fwrite(four, 1, 4, out);
    fwrite(kind, 1, 4, out);
    if (size > 0) fwrite(bytes, 1, size, out);
    uLong sum = crc32(0, (const Bytef *)kind, 4);
    if (size > 0) sum = crc32(sum, bytes, (uInt)size);
    put_u32(four, sum);
    fwrite(four, 1, 4, out);
}

static void put_head(FILE *out, const png *p) {
    static const unsigned char mark[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    unsigned char head[13] = {0}, size[9];
    fwrite(mark, 1, sizeof mark, out);
    put_u32(head, (unsigned long)p->raster.width);
    put_u32(head + 4, (unsigned long)p->raster.height);
    head[8] = 8; // bits
    head[9] = 2; // red, green, blue
    put_chunk(out, "IHDR", head, sizeof head);
    // How large it is on paper: as large as the SVG, whatever the scale.
    const unsigned long density = (unsigned long)lround(p->scale * INCH * METRE);
    put_u32(size, density);
    put_u32(size + 4, density);
    size[8] = 1; // per metre
    put_chunk(out, "pHYs", size, sizeof size);
}

// UTF-8, uncompressed: keyword, 0, flags, empty language and translation, text.
static void put_title(FILE *out, const char *title) {
    static const char head[] = "Title\0\0\0\0"; // and the 0 at its end
    const size_t n = strlen(title);
    unsigned char *bytes = malloc(sizeof head + n);
    if (!bytes) return; // the picture does without
    memcpy(bytes, head, sizeof head);
    memcpy(bytes + sizeof head, title, n);
    put_chunk(out, "iTXt", bytes, sizeof head + n);
    free(bytes);
}

// One row through the compressor; each full buffer becomes a chunk.
static int compress_row(z_stream *z, FILE *out, unsigned char *buffer, unsigned size, int flush) {
    int code;
    do {
        code = deflate(z, flush);
        if (code == Z_STREAM_ERROR) return 0;
        if (z->avail_out > 0 && flush != Z_FINISH) break;
        if (size > z->avail_out) put_chunk(out, "IDAT", buffer, size - z->avail_out);
        z->next_out = buffer;
        z->avail_out = size;
    } while (z->avail_in > 0 || (flush == Z_FINISH && code != Z_STREAM_END));
    return 1;
}

// Rows as differences from the row above, which for figures are mostly zeros.
static int put_rows(FILE *out, const plot_raster *r) {
    enum { SIZE = 1 << 15 };
    const size_t width = 3 * (size_t)r->width;
    unsigned char *buffer = malloc(SIZE), *row = malloc(width + 1);
    z_stream z = {.next_out = buffer, .avail_out = SIZE};
    int fine = buffer && row && deflateInit(&z, Z_BEST_COMPRESSION) == Z_OK;
    const int begun = fine;
    for (int y = 0; y < r->height && fine; y++) {
        const unsigned char *now = r->rgb + (size_t)y * width, *above = y ? now - width : NULL;
        row[0] = 2;
        for (size_t k = 0; k < width; k++) row[k + 1] = (unsigned char)(now[k] - (above ? above[k] : 0));
        z.next_in = row;
        z.avail_in = (uInt)(width + 1);
        fine = compress_row(&z, out, buffer, SIZE, Z_NO_FLUSH);
    }
    if (fine) fine = compress_row(&z, out, buffer, SIZE, Z_FINISH);
    if (begun) deflateEnd(&z);
    free(buffer);
    free(row);
    return fine;
}

static int end(plot_canvas *canvas) {
    png *p = canvas->own;
    put_head(canvas->out, p);
    if (p->title) put_title(canvas->out, p->title);
    const int fine = put_rows(canvas->out, &p->raster);
    put_chunk(canvas->out, "IEND", NULL, 0);
    plot_raster_free(&p->raster);
    free(p->title);
    free(p);
    canvas->own = NULL;
    return fine && !ferror(canvas->out);
}

static const plot_canvas_ops ops = {path_begin, path_to, path_end, text, end};

int plot_png_begin(plot_canvas *canvas, FILE *out, const char *title, double width, double height,
                   double shown) {
    png *p = calloc(1, sizeof *p);
    if (!p) return 0;
    *canvas = (plot_canvas){.ops = &ops, .out = out, .own = p};
    p->scale = shown;
    p->title = strdup(title);
    if (p->title && plot_raster_create(&p->raster, (int)lround(shown * width), (int)lround(shown * height)))
        return 1;
    free(p->title);
    free(p);
    canvas->own = NULL;
    return 0;
}
