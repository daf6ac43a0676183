// The stroke font: every character that it claims has ink of its own, inside its box, and text of any bytes is read safely.
#include "near.h"

#include <stdio.h>
#include <string.h>

#include "plot/font.h"
#include "plot/raster.h"

enum { SIZE = 64, BASE = 40 };
static const double UNIT = 3; // pixels: large enough for the finest differences, such as , and .

typedef struct writing {
    plot_raster raster;
    double x, y;
    double least, most, low, high; // of the strokes, units
} writing;

static void note(writing *w, double x, double y) {
    w->least = fmin(w->least, x), w->most = fmax(w->most, x);
    w->low = fmin(w->low, y), w->high = fmax(w->high, y);
    w->x = 8 + UNIT * x, w->y = BASE - UNIT * y;
}

static void pen_move(void *context, double x, double y) {
    note(context, x, y);
}

static void pen_line(void *context, double x, double y) {
    writing *w = context;
    const double a = w->x, b = w->y;
    note(w, x, y);
    plot_raster_stroke(&w->raster, a, b, w->x, w->y, UNIT * PLOT_FONT_STROKE);
}

static long ink_of(const plot_raster *r) {
    long sum = 0;
    for (size_t k = 0; k < SIZE * SIZE; k++) sum += 255 - r->rgb[3 * k];
    return sum;
}

static double draw(unsigned character, writing *w) {
    *w = (writing){.least = 1e9, .most = -1e9, .low = 1e9, .high = -1e9};
    assert_true(plot_raster_create(&w->raster, SIZE, SIZE));
    const plot_glyph_pen pen = {w, pen_move, pen_line};
    const double advance = plot_glyph(character, &pen);
    plot_raster_ink(&w->raster, 0);
    return advance;
}

static const unsigned others[] = {0xb0,   0xb1,   0xb2,   0xb3,   0xb5,   0xb7,   0xb9,   0xd7,   0x2013,
                                  0x2026, 0x2070, 0x2074, 0x2075, 0x2076, 0x2077, 0x2078, 0x2079, 0x207b,
                                  0x2212, 0xe4,   0xdf,   0xe9,   0xd6,   0xf1,   0xe7,   0xe5};
enum { PRINTABLE = '~' - ' ', ALL = PRINTABLE + sizeof others / sizeof *others };

static unsigned nth(int k) {
    return k < PRINTABLE ? (unsigned)('!' + k) : others[k - PRINTABLE];
}

// A dot of 1.15 units across, a third longer than wide, covers 1.4 square units; nothing has less ink.
static void every_character_has_ink_inside_its_box(void **state) {
    (void)state;
    for (int k = 0; k < ALL; k++) {
        writing w;
        const double advance = draw(nth(k), &w);
        assert_true(plot_font_has(nth(k)));
        assert_true(ink_of(&w.raster) > (nth(k) == 0x207b ? 1 : 1.3) * UNIT * UNIT * 255);
        assert_true(w.least >= -1.7 &&
                    w.most <= advance - 1.5); // j reaches to the left; a gap stays to the right
        assert_true(w.low >= -3 && w.high <= 13.5);
        plot_raster_free(&w.raster);
    }
}

static void no_two_characters_look_the_same(void **state) {
    (void)state;
    static unsigned char seen[ALL][3 * SIZE * SIZE];
    for (int k = 0; k < ALL; k++) {
        writing w;
        draw(nth(k), &w);
        memcpy(seen[k], w.raster.rgb, sizeof seen[k]);
        plot_raster_free(&w.raster);
        for (int i = 0; i < k; i++)
            if (memcmp(seen[i], seen[k], sizeof seen[k]) == 0) fail_msg("%#x looks as %#x", nth(k), nth(i));
    }
}

static void unknown_characters_are_boxes_and_spaces_are_empty(void **state) {
    (void)state;
    writing w;
    draw(0x4e2d, &w);
    assert_false(plot_font_has(0x4e2d));
    assert_true(ink_of(&w.raster) > 0);
    plot_raster_free(&w.raster);
    assert_true(draw(' ', &w) > 0);
    assert_int_equal(ink_of(&w.raster), 0);
    plot_raster_free(&w.raster);
}

static void bytes_that_are_no_text_come_one_by_one(void **state) {
    (void)state;
    // Stray continuation, cut sequence, overlong slash, surrogate, beyond the last character, control character.
    const char *const bad[] = {"\x80", "\xe2\x88", "\xc0\xaf",    "\xed\xa0\x80", "\xf5\x80\x80\x80",
                               "\x01", "\x7f",     "\xef\xbf\xbf"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        char text[16];
        snprintf(text, sizeof text, "%sA", bad[k]);
        const char *p = text;
        assert_int_equal(plot_next_character(&p), PLOT_NO_CHARACTER);
        unsigned c, last = 0;
        while ((c = plot_next_character(&p)) != 0) last = c;
        assert_int_equal(last, 'A');
        assert_ptr_equal(p, text + strlen(text));
    }
    const char *good = "\xe2\x88\x92\xc2\xb5\xf0\x9f\x94\xa9";
    assert_int_equal(plot_next_character(&good), 0x2212);
    assert_int_equal(plot_next_character(&good), 0xb5);
    assert_int_equal(plot_next_character(&good), 0x1f529);
    assert_int_equal(plot_next_character(&good), 0);
}

static void long_texts_lose_their_middle(void **state) {
    (void)state;
    char out[128];
    const char *name = "wheel.shape0~world.shape0#0.force.friction.x";
    assert_ptr_equal(plot_fit_text(name, 13, 1e6, out, sizeof out), name);
    for (double room = 60; room < plot_text_width(name, 13); room += 7) {
        const char *text = plot_fit_text(name, 13, room, out, sizeof out);
        assert_true(plot_text_width(text, 13) <= room);
        assert_int_equal(text[0], 'w');
        assert_int_equal(text[strlen(text) - 1], 'x');
        assert_non_null(strstr(text, "\xe2\x80\xa6"));
    }
    // Characters of several bytes stay whole, and a small buffer is enough for what fits it.
    const char *accents = "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4";
    const char *text = plot_fit_text(accents, 13, 40, out, 12);
    for (unsigned c; (c = plot_next_character(&text)) != 0;) assert_int_not_equal(c, PLOT_NO_CHARACTER);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_character_has_ink_inside_its_box),
        cmocka_unit_test(no_two_characters_look_the_same),
        cmocka_unit_test(unknown_characters_are_boxes_and_spaces_are_empty),
        cmocka_unit_test(bytes_that_are_no_text_come_one_by_one),
        cmocka_unit_test(long_texts_lose_their_middle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
