#include "plot/raster.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int plot_raster_create(plot_raster *r, int width, int height) {
    const size_t pixels = (size_t)width * (size_t)height;
    memset(r, 0, sizeof *r);
    if (width < 1 || height < 1 || pixels > SIZE_MAX / 3) return 0;
    r->rgb = malloc(3 * pixels);
    r->mask = calloc(pixels, 1);
    if (!r->rgb || !r->mask) {
        plot_raster_free(r);
        return 0;
    }
    memset(r->rgb, 255, 3 * pixels);
    r->width = r->left = width;
    r->height = r->top = height;
    return 1;
}

void plot_raster_free(plot_raster *r) {
    free(r->rgb);
    free(r->mask);
    memset(r, 0, sizeof *r);
}

static int clamp_to(double value, int most) {
    return value <= 0 ? 0 : value >= most ? most : (int)value;
}

// ----------------------------------------------------------------------------------------------------------- strokes

typedef struct stroke {
    double x1, y1, x2, y2; // ends
    double dx, dy, length_2;
    double half, full; // half the width; how far a pixel is covered at most, below 1 for hairlines
    double reach;      // no pixel farther away is touched
} stroke;

// How far the pixel whose middle is x, y is covered: by its distance from the line, right for all directions to a tenth.
static double coverage(const stroke *s, double x, double y) {
    double at = s->length_2 > 0 ? ((x - s->x1) * s->dx + (y - s->y1) * s->dy) / s->length_2 : 0;
    at = at < 0 ? 0 : at > 1 ? 1 : at;
    const double a = x - (s->x1 + at * s->dx), b = y - (s->y1 + at * s->dy);
    const double inside = s->half + 0.5 - sqrt(a * a + b * b);
    return s->full * (inside <= 0 ? 0 : inside >= 1 ? 1 : inside);
}

// The columns of a row that the stroke can touch: those of the part of the line that is near enough.
static void columns(const stroke *s, double y, double *from, double *to) {
    double a = 0, b = 1;
    if (fabs(s->dy) > 1e-12) {
        const double p = (y - s->reach - s->y1) / s->dy, q = (y + s->reach - s->y1) / s->dy;
        a = fmin(fmax(fmin(p, q), 0), 1);
        b = fmin(fmax(fmax(p, q), 0), 1);
    }
    const double xa = s->x1 + a * s->dx, xb = s->x1 + b * s->dx;
    *from = fmin(xa, xb) - s->reach;
    *to = fmax(xa, xb) + s->reach;
}

static void reached(plot_raster *r, int left, int right, int y) {
    if (left < r->left) r->left = left;
    if (right > r->right) r->right = right;
    if (y < r->top) r->top = y;
    if (y >= r->bottom) r->bottom = y + 1;
}

void plot_raster_stroke(plot_raster *r, double x1, double y1, double x2, double y2, double width) {
    stroke s = {.x1 = x1, .y1 = y1, .x2 = x2, .y2 = y2, .dx = x2 - x1, .dy = y2 - y1};
    s.length_2 = s.dx * s.dx + s.dy * s.dy;
    if (!isfinite(s.length_2) || !isfinite(x1) || !isfinite(y1)) return;
    s.half = fmax(0.5 * width, 0.5);
    s.full = fmin(width, 1);
    s.reach = s.half + 0.5;
    const int top = clamp_to(floor(fmin(y1, y2) - s.reach), r->height);
    const int bottom = clamp_to(ceil(fmax(y1, y2) + s.reach), r->height);
    for (int y = top; y < bottom; y++) {
        double from, to;
        columns(&s, y + 0.5, &from, &to);
        const int left = clamp_to(floor(from), r->width), right = clamp_to(ceil(to), r->width);
        unsigned char *row = r->mask + (size_t)y * (size_t)r->width;
        for (int x = left; x < right; x++) {
            const int c = (int)lround(255 * coverage(&s, x + 0.5, y + 0.5));
            if (c > row[x]) row[x] = (unsigned char)c;
        }
        if (right > left) reached(r, left, right, y);
    }
}

static void blend(unsigned char *rgb, unsigned colour, int part) {
    for (int k = 0; k < 3; k++) {
        const int ink = (int)(colour >> (16 - 8 * k) & 0xff);
        rgb[k] = (unsigned char)((rgb[k] * (255 - part) + ink * part + 127) / 255);
    }
}

void plot_raster_ink(plot_raster *r, unsigned colour) {
    for (int y = r->top; y < r->bottom; y++) {
        const size_t row = (size_t)y * (size_t)r->width;
        for (int x = r->left; x < r->right; x++) {
            unsigned char *part = &r->mask[row + (size_t)x];
            if (*part) blend(&r->rgb[3 * (row + (size_t)x)], colour, *part);
            *part = 0;
        }
    }
    r->left = r->width, r->right = 0;
    r->top = r->height, r->bottom = 0;
}
