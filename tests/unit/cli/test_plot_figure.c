// Figures on pixels: strokes cover what they should, numbers at axes are round and apart, and a PNG read back has its ink
// where the curve is.
#include "near.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "plot/axis.h"
#include "plot/font.h"
#include "plot/plot.h"
#include "plot/raster.h"

// ----------------------------------------------------------------------------------------------------------- strokes

static double ink_of(const plot_raster *r) { // in pixels
    double sum = 0;
    for (size_t k = 0; k < (size_t)r->width * (size_t)r->height; k++) sum += (255 - r->rgb[3 * k]) / 255.0;
    return sum;
}

// A stroke with round ends covers width * length + pi/4 width^2. Coverage by distance is off by at most what the corners
// of pixels make, a few percent of it, for lines two pixels wide.
static void strokes_cover_their_area_in_every_direction(void **state) {
    (void)state;
    for (double angle = 0; angle < 6.3; angle += 0.17) {
        plot_raster r;
        assert_true(plot_raster_create(&r, 100, 100));
        plot_raster_stroke(&r, 50.3, 50.6, 50.3 + 40 * cos(angle), 50.6 + 40 * sin(angle), 2);
        plot_raster_ink(&r, 0);
        assert_near(ink_of(&r), 80 + 3.14, 4);
        plot_raster_free(&r);
    }
}

static void strokes_on_top_of_each_other_get_no_darker(void **state) {
    (void)state;
    plot_raster once, often;
    assert_true(plot_raster_create(&once, 50, 50) && plot_raster_create(&often, 50, 50));
    plot_raster_stroke(&once, 3, 4, 44, 31, 1.6);
    for (int k = 0; k < 5; k++) plot_raster_stroke(&often, 3, 4, 44, 31, 1.6);
    plot_raster_ink(&once, 0x0072b2);
    plot_raster_ink(&often, 0x0072b2);
    assert_memory_equal(once.rgb, often.rgb, 3 * 50 * 50);
    plot_raster_free(&once);
    plot_raster_free(&often);
}

static void strokes_outside_and_without_numbers_do_no_harm(void **state) {
    (void)state;
    const double wild[] = {-1e300, -1e9, -3, 25, 60, 1e9, 1e300, INFINITY, NAN};
    enum { N = sizeof wild / sizeof *wild };
    plot_raster r;
    assert_true(plot_raster_create(&r, 50, 50));
    for (int a = 0; a < N; a++)
        for (int b = 0; b < N; b++)
            for (int c = 0; c < N; c++)
                plot_raster_stroke(&r, wild[a], wild[b], wild[c], wild[(a + b) % N], 2);
    plot_raster_ink(&r, 0);
    plot_raster_free(&r);
    assert_false(plot_raster_create(&r, 0, 5));
}

// --------------------------------------------------------------------------------------------------------------- axes

static void check_axis(plot_axis a) {
    double value, last = -INFINITY;
    char text[PLOT_NUMBER], before[PLOT_NUMBER] = "";
    int n = 0;
    for (; plot_axis_tick(&a, n, &value); n++) {
        assert_true(n < 20);
        assert_true(value > last);
        assert_true(plot_axis_part(&a, value) > -1e-6 && plot_axis_part(&a, value) < 1 + 1e-6);
        plot_axis_number(&a, value, text);
        assert_string_not_equal(text, before); // two ticks never read the same
        assert_true(strlen(text) < 12);
        strcpy(before, text);
        last = value;
    }
    assert_true(n >= 1);
}

static void ticks_are_few_and_read_differently_at_every_size_and_place(void **state) {
    (void)state;
    for (int power = -18; power <= 18; power += 3)
        for (int place = -6; place <= 9; place += 3)
            for (double wide = 1; wide < 10; wide *= 1.3) {
                const double range = wide * pow(10, power), from = range * pow(10, place) / 7;
                plot_axis a = {.from = from, .to = from + range}, b = {.from = -from, .to = range};
                if (!(a.to - a.from > 0.5 * range)) continue; // beyond the digits of a double
                for (int wanted = 1; wanted <= 6; wanted++) {
                    plot_axis_choose(&a, wanted);
                    if (wanted > 2) check_axis(a);
                    plot_axis_choose(&b, wanted);
                    if (wanted > 2) check_axis(b);
                }
            }
}

static void numbers_are_written_as_people_write_them(void **state) {
    (void)state;
    char text[2 * PLOT_NUMBER];
    plot_axis a = {.from = -0.25, .to = 0.4};
    plot_axis_choose(&a, 6);
    plot_axis_number(&a, -0.2, text);
    assert_string_equal(text, "\xe2\x88\x92"
                              "0.2");
    plot_axis_number(&a, 1e-17, text);
    assert_string_equal(text, "0");
    plot_axis_factor(&a, text);
    assert_string_equal(text, "");
    a = (plot_axis){.from = 0, .to = 3e-6};
    plot_axis_choose(&a, 6);
    plot_axis_number(&a, 2.5e-6, text);
    assert_string_equal(text, "2.5");
    plot_axis_factor(&a, text);
    assert_string_equal(text, "\xc3\x97"
                              "10\xe2\x81\xbb\xe2\x81\xb6");
    a = (plot_axis){.from = 9.80665, .to = 9.80665 + 3e-6};
    plot_axis_choose(&a, 6);
    plot_axis_factor(&a, text);
    assert_non_null(strstr(text, "+ 9.80665"));
    a = (plot_axis){.from = 1e-3, .to = 1e2, .log = 1};
    plot_axis_choose(&a, 6);
    plot_axis_number(&a, 1e-3, text);
    assert_string_equal(text, "10\xe2\x81\xbb\xc2\xb3");
    assert_near(plot_axis_part(&a, 1e-3), 0, 1e-12);
    assert_near(plot_axis_part(&a, 1e2), 1, 1e-12);
}

static void numbers_at_the_x_axis_do_not_touch(void **state) {
    (void)state;
    for (double length = 60; length < 900; length += 40)
        for (int power = -4; power <= 4; power++) {
            plot_axis a = {.from = 0, .to = 7.3 * pow(10, power)};
            plot_axis_choose_in(&a, 6, length, 13);
            char text[PLOT_NUMBER];
            double value, free_from = -1e9;
            for (int k = 0; plot_axis_tick(&a, k, &value); k++) {
                plot_axis_number(&a, value, text);
                const double half = plot_text_width(text, 13) / 2, x = length * plot_axis_part(&a, value);
                assert_true(x - half > free_from);
                free_from = x + half;
            }
        }
}

// ------------------------------------------------------------------------------------------------------ a PNG read back

typedef struct picture {
    int width, height;
    unsigned char *bytes; // [height][1 + 3 width], unfiltered
} picture;

static unsigned long get_u32(const unsigned char *p) {
    return (unsigned long)p[0] << 24 | (unsigned long)p[1] << 16 | (unsigned long)p[2] << 8 | p[3];
}

static picture read_png(FILE *file) {
    static unsigned char bytes[1 << 20], packed[1 << 20];
    rewind(file);
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    size_t used = 0;
    picture p = {0};
    assert_true(size > 60 && size < sizeof bytes);
    assert_memory_equal(bytes, "\x89PNG\r\n\x1a\n", 8);
    for (size_t at = 8; at < size;) {
        const size_t n = get_u32(bytes + at);
        assert_true(at + 12 + n <= size);
        assert_int_equal(get_u32(bytes + at + 8 + n), crc32(0, bytes + at + 4, (uInt)n + 4));
        if (memcmp(bytes + at + 4, "IHDR", 4) == 0)
            p.width = (int)get_u32(bytes + at + 8), p.height = (int)get_u32(bytes + at + 12);
        if (memcmp(bytes + at + 4, "IDAT", 4) == 0) memcpy(packed + used, bytes + at + 8, n), used += n;
        at += 12 + n;
    }
    const size_t row = 1 + 3 * (size_t)p.width;
    uLongf length = (uLongf)(row * (size_t)p.height);
    p.bytes = malloc(length);
    assert_non_null(p.bytes);
    assert_int_equal(uncompress(p.bytes, &length, packed, (uLong)used), Z_OK);
    assert_int_equal(length, row * (size_t)p.height);
    for (size_t y = 1; y < (size_t)p.height; y++) {
        assert_int_equal(p.bytes[y * row], 2); // differences from above
        for (size_t k = 1; k < row; k++)
            p.bytes[y * row + k] = (unsigned char)(p.bytes[y * row + k] + p.bytes[(y - 1) * row + k]);
    }
    return p;
}

// Blue of the first curve: clearly more blue than red.
static int is_curve(const picture *p, int x, int y) {
    const unsigned char *c = p->bytes + (size_t)y * (1 + 3 * (size_t)p->width) + 1 + 3 * (size_t)x;
    return c[2] > c[0] + 60;
}

static void the_curve_is_where_its_numbers_are(void **state) {
    (void)state;
    enum { N = 5000 };
    static double x[N], y[N];
    for (int k = 0; k < N; k++) {
        x[k] = k / (N - 1.0);
        y[k] = x[k] < 0.5 ? 0 : 1;
    }
    y[1000] = -1; // a spike of one point, at 0.2
    const plot_line line = {.label = "<b>&\"%s", .x = x, .y = y, .count = N};
    const plot_figure g = {.title = "100 %",
                           .x_label = "time, s",
                           .y_label = "step",
                           .lines = &line,
                           .line_count = 1,
                           .x_to = 1,
                           .no_legend = 1};
    for (int scale = 1; scale <= 2; scale++) {
        plot_canvas canvas;
        FILE *file = tmpfile();
        assert_non_null(file);
        assert_true(plot_png_begin(&canvas, file, g.title, 880, 400, scale));
        plot_draw(&canvas, &g);
        assert_true(plot_canvas_end(&canvas));
        picture p = read_png(file);
        fclose(file);
        assert_int_equal(p.width, 880 * scale);
        assert_int_equal(p.height, 400 * scale);
        // Axes from 78 to 694 and from 46 to 346; y from -1.12 to 1.12 with the room above and below.
        const double top = 46 + 300 * 0.12 / 2.24, zero = 196, low = 346 - 300 * 0.12 / 2.24;
        assert_true(is_curve(&p, 540 * scale, (int)(top * scale)));
        assert_true(is_curve(&p, 300 * scale, (int)(zero * scale)));
        assert_false(is_curve(&p, 540 * scale, (int)(zero * scale)));
        assert_false(is_curve(&p, 300 * scale, (int)(top * scale)));
        int spike = 0;
        for (int k = -2 * scale; k <= 2 * scale; k++)
            spike += is_curve(&p, (int)((78 + 616 * x[1000]) * scale) + k, (int)((low - 10) * scale));
        assert_true(spike > 0);
        free(p.bytes);
    }
}

static void svg_shows_signs_of_markup_as_they_are(void **state) {
    (void)state;
    static const double x[2] = {0, 1}, y[2] = {0, 1};
    const plot_line line = {.label = "<b>&\"%s\x01\xff", .x = x, .y = y, .count = 2};
    const plot_figure g = {
        .title = "t", .x_label = "x", .y_label = "y", .lines = &line, .line_count = 1, .x_to = 1};
    char text[1 << 14];
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_true(plot_write(file, &g));
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_non_null(strstr(text, ">&lt;b&gt;&amp;&quot;%s\xef\xbf\xbd\xef\xbf\xbd<"));
    assert_null(strchr(text, '\x01'));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strokes_cover_their_area_in_every_direction),
        cmocka_unit_test(strokes_on_top_of_each_other_get_no_darker),
        cmocka_unit_test(strokes_outside_and_without_numbers_do_no_harm),
        cmocka_unit_test(ticks_are_few_and_read_differently_at_every_size_and_place),
        cmocka_unit_test(numbers_are_written_as_people_write_them),
        cmocka_unit_test(numbers_at_the_x_axis_do_not_touch),
        cmocka_unit_test(the_curve_is_where_its_numbers_are),
        cmocka_unit_test(svg_shows_signs_of_markup_as_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
