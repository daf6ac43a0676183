// The margin over directions: a load of its present size, turned through a plane.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hold/hold.h"

#define SIZE 480.0 // of the picture, in its units
#define RADIUS 180.0
#define BEYOND 1.15 // of the largest finite margin: where infinity is drawn

static br_vec3 axis_of(char name) {
    return br_vec3_of(name == 'x', name == 'y', name == 'z');
}

static br_status find_plane(const hold_request *r, hold_job *j, br_error *error) {
    static const char *const of_model[] = {
        [BR_SPATIAL] = "xy", [BR_PLANAR_XY] = "xy", [BR_PLANAR_XZ] = "xz", [BR_PLANAR_YZ] = "yz"};
    const char *const plane = r->plane ? r->plane : of_model[br_model_settings(j->model)->planar];
    if (strcmp(plane, "xy") != 0 && strcmp(plane, "xz") != 0 && strcmp(plane, "yz") != 0)
        return cli_error(error, BR_INVALID, "hold-plane", NULL, 0, "--plane is xy, xz or yz, not '%.40s'",
                         plane);
    snprintf(j->plane, sizeof j->plane, "%s", plane);
    return BR_OK;
}

br_status hold_turn(const hold_request *r, hold_job *j, br_error *error) {
    br_status status = find_plane(r, j, error);
    if (status != BR_OK) return status;
    j->ray = calloc((size_t)r->directions, sizeof *j->ray);
    if (!j->ray) return cli_no_memory(error, "no memory for the directions");
    const br_vec3 e1 = axis_of(j->plane[0]), e2 = axis_of(j->plane[1]);
    for (int k = 0; k < r->directions && status == BR_OK; k++) {
        br_hold_options options = br_default_hold_options();
        br_hold_report h;
        hold_ray *ray = &j->ray[k];
        ray->angle = 2.0 * BR_PI * k / r->directions;
        options.load = r->load, options.loads = r->loads;
        options.turned = 1;
        options.budget = r->budget;
        // A quarter turn is exact.
        const double c =
            4 * k % r->directions ? cos(ray->angle) : (double[]){1, 0, -1, 0}[4 * k / r->directions];
        const double s =
            4 * k % r->directions ? sin(ray->angle) : (double[]){0, 1, 0, -1}[4 * k / r->directions];
        options.direction = br_vec3_add_scaled(br_vec3_scale(c, e1), s, e2);
        status = br_hold(j->sim, &options, &h, error);
        if (status != BR_OK) return status;
        ray->sure = h.felt ? h.sure[1] : INFINITY, ray->possible = h.felt ? h.possible[1] : INFINITY;
        ray->exhaustive = h.exhaustive;
        br_hold_report_free(&h);
        j->rays = k + 1;
    }
    return status;
}

static double largest_of(const hold_job *j) {
    double most = 0.0;
    for (int k = 0; k < j->rays; k++) {
        if (isfinite(j->ray[k].possible)) most = fmax(most, j->ray[k].possible);
        if (isfinite(j->ray[k].sure)) most = fmax(most, j->ray[k].sure);
    }
    return most > 0.0 ? most : 1.0;
}

// 1, 2 or 5 times a power of ten, a quarter of the range or less.
static double ring_step(double most) {
    double step = 1.0;
    while (step > most / 4.0) step /= 10.0;
    while (10.0 * step <= most / 4.0) step *= 10.0;
    return 5.0 * step <= most / 4.0 ? 5.0 * step : 2.0 * step <= most / 4.0 ? 2.0 * step : step;
}

// A closed line. What is infinite lies on the rim; what is not known, or below 0, in the middle.
static void draw_line(FILE *out, const hold_job *j, double scale, int sure, const char *style) {
    fprintf(out, "<path d=\"");
    for (int k = 0; k < j->rays; k++) {
        const double value = sure ? j->ray[k].sure : j->ray[k].possible;
        const double radius = isnan(value) ? 0.0 : fmax(0.0, fmin(scale * value, BEYOND * RADIUS));
        fprintf(out, "%c%.2f %.2f", k ? 'L' : 'M', SIZE / 2 + radius * cos(j->ray[k].angle),
                SIZE / 2 - radius * sin(j->ray[k].angle));
    }
    fprintf(out, "Z\" %s/>\n", style);
}

static void draw_rings(FILE *out, const hold_job *j, double most, double scale) {
    const double step = ring_step(most);
    for (int k = 1; k * step <= most * (1.0 + 1e-9); k++) {
        fprintf(out, "<circle cx=\"%g\" cy=\"%g\" r=\"%.2f\" fill=\"none\" stroke=\"#ccc\"/>\n", SIZE / 2,
                SIZE / 2, scale * k * step);
        fprintf(out, "<text x=\"%.2f\" y=\"%.2f\" fill=\"#666\">%.4g</text>\n", SIZE / 2 + 3.0,
                SIZE / 2 - scale * k * step - 2.0, k * step);
    }
    fprintf(
        out,
        "<path d=\"M%g %gH%gM%g %gV%g\" stroke=\"#ccc\"/>\n<text x=\"%g\" y=\"%g\">%c</text>\n<text x=\"%g\" "
        "y=\"%g\">%c</text>\n",
        SIZE / 2 - 1.2 * RADIUS, SIZE / 2, SIZE / 2 + 1.2 * RADIUS, SIZE / 2, SIZE / 2 - 1.2 * RADIUS,
        SIZE / 2 + 1.2 * RADIUS, SIZE / 2 + 1.22 * RADIUS, SIZE / 2 + 4, j->plane[0], SIZE / 2 - 3.0,
        SIZE / 2 - 1.22 * RADIUS, j->plane[1]);
}

static void put_escaped(FILE *out, const char *text) {
    for (; *text; text++) {
        if (*text == '&' || *text == '<' || *text == '>')
            fprintf(out, "&#%d;", *text);
        else
            fputc(*text, out);
    }
}

br_status hold_draw(const hold_request *r, const hold_job *j, br_error *error) {
    FILE *out = fopen(r->polar, "w");
    if (!out) return cli_unwritable(error, r->polar);
    const double most = largest_of(j), scale = RADIUS / most;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" font-family=\"sans-serif\" "
            "font-size=\"11\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
            SIZE, SIZE + 40.0);
    draw_rings(out, j, most, scale);
    draw_line(out, j, scale, 0, "fill=\"#f2c9b8\" fill-opacity=\"0.6\" stroke=\"#b5472d\"");
    draw_line(out, j, scale, 1, "fill=\"#bcd7c4\" stroke=\"#2c6e49\" stroke-width=\"1.5\"");
    fprintf(out, "<text x=\"12\" y=\"18\" font-size=\"13\">");
    put_escaped(out, br_model_name(j->model));
    fprintf(out, ": factor on ");
    put_escaped(out, r->load[0]);
    fprintf(
        out,
        ", by direction</text>\n<text x=\"12\" y=\"%g\" fill=\"#2c6e49\">inner: sticks for certain</text>\n"
        "<text x=\"180\" y=\"%g\" fill=\"#b5472d\">outer: slides for certain beyond; the rim is "
        "infinity</text>\n</svg>\n",
        SIZE + 22.0, SIZE + 22.0);
    const int failed = ferror(out);
    if (fclose(out) != 0 || failed) return cli_unwritable(error, r->polar);
    return BR_OK;
}
