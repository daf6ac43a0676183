#include "plot/font.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bristle/text.h"

enum { CURVE_PARTS = 6 };               // lines for one curve; more cannot be told at the sizes of figures
static const double GAP = 3;            // between the strokes of two characters
static const double RAISED_SCALE = 0.7; // exponents
static const double RAISED_BY = 4.6;

typedef struct glyph {
    unsigned character;
    double width;
    const char *path; // M x y: move; L x y: line; Q x y x y: quadratic curve
} glyph;

static const glyph ascii[] = {
    {' ', 1.0, ""},
    {'!', 0.0, "M0 10 L0 3.4 M0 0 L0 .3"},
    {'"', 3.0, "M0 10 L0 7 M3 10 L3 7"},
    {'#', 7.0, "M2.6 10 L1.2 0 M6 10 L4.6 0 M.4 6.7 L7 6.7 M0 3.3 L6.6 3.3"},
    {'$', 5.0,
     "M4.7 7.6 Q4 8.7 2.5 8.7 Q.3 8.7 .3 6.8 Q.3 5.3 2.5 4.8 Q5 4.2 5 2.4 Q5 .6 2.6 .6 Q.8 .6 0 1.9 M2.5 "
     "10.4 L2.5 -1.2"},
    {'%', 8.0,
     "M1.8 10 Q3.6 10 3.6 7.6 Q3.6 5.2 1.8 5.2 Q0 5.2 0 7.6 Q0 10 1.8 10 M6.6 10 L1.4 0 M6.2 4.8 Q8 4.8 8 "
     "2.4 Q8 0 6.2 0 Q4.4 0 4.4 2.4 Q4.4 4.8 6.2 4.8"},
    {'&', 7.0,
     "M7 0 L1.5 7 Q1 7.7 1 8.3 Q1 10 2.7 10 Q4.4 10 4.4 8.3 Q4.4 7 2.4 5.8 Q0 4.6 0 2.6 Q0 0 2.9 0 Q6 0 6.5 "
     "4.6"},
    {'\'', 0.0, "M0 10 L0 7"},
    {'(', 2.0, "M2 11 Q0 8 0 4.5 Q0 1 2 -2"},
    {')', 2.0, "M0 11 Q2 8 2 4.5 Q2 1 0 -2"},
    {'*', 4.0, "M2 10 L2 5.6 M.1 8.9 L3.9 6.7 M.1 6.7 L3.9 8.9"},
    {'+', 6.0, "M3 7.5 L3 1.5 M0 4.5 L6 4.5"},
    {',', 1.0, "M1 .4 L1 0 L.2 -1.9"},
    {'-', 3.0, "M0 4 L3 4"},
    {'.', 0.0, "M0 0 L0 .3"},
    {'/', 4.0, "M4 10.5 L0 -1.2"},
    {'0', 5.0, "M2.5 10 Q5 10 5 5 Q5 0 2.5 0 Q0 0 0 5 Q0 10 2.5 10"},
    {'1', 5.0, "M.6 8.4 L3 10 L3 0 M.8 0 L5 0"},
    {'2', 5.0, "M.2 8.3 Q.8 10 2.5 10 Q4.8 10 4.8 7.5 Q4.8 5.8 2.8 3.4 L0 0 L5 0"},
    {'3', 5.0,
     "M.2 8.7 Q1 10 2.5 10 Q4.7 10 4.7 7.7 Q4.7 5 2.4 5 L1.5 5 M2.4 5 Q5 5 5 2.5 Q5 0 2.4 0 Q.6 0 0 1.6"},
    {'4', 5.0, "M4 0 L4 10 L0 3 L5.4 3"},
    {'5', 5.0, "M4.6 10 L.7 10 L.4 5.3 Q1.2 6.2 2.5 6.2 Q5 6.2 5 3.1 Q5 0 2.4 0 Q.6 0 0 1.5"},
    {'6', 5.0, "M4.5 9.1 Q3.8 10 2.8 10 Q0 10 0 4.2 L0 3.1 Q0 0 2.6 0 Q5 0 5 3.1 Q5 6 2.6 6 Q0 6 0 3.1"},
    {'7', 5.0, "M0 10 L5 10 L1.8 0"},
    {'8', 5.0,
     "M2.5 5.3 Q.4 5.3 .4 7.7 Q.4 10 2.5 10 Q4.6 10 4.6 7.7 Q4.6 5.3 2.5 5.3 Q0 5.3 0 2.6 Q0 0 2.5 0 Q5 0 5 "
     "2.6 Q5 5.3 2.5 5.3"},
    {'9', 5.0, "M.5 .9 Q1.2 0 2.2 0 Q5 0 5 5.8 L5 6.9 Q5 10 2.4 10 Q0 10 0 6.9 Q0 4 2.4 4 Q5 4 5 6.9"},
    {':', 0.0, "M0 6.2 L0 6.5 M0 0 L0 .3"},
    {';', 1.0, "M1 6.2 L1 6.5 M1 .4 L1 0 L.2 -1.9"},
    {'<', 6.0, "M6 7.6 L0 4.5 L6 1.4"},
    {'=', 6.0, "M0 6 L6 6 M0 3 L6 3"},
    {'>', 6.0, "M0 7.6 L6 4.5 L0 1.4"},
    {'?', 4.0, "M0 8.7 Q.8 10 2.1 10 Q4.2 10 4.2 7.9 Q4.2 6.6 2.9 5.5 Q2 4.7 2 3.2 M2 0 L2 .3"},
    {'@', 9.0,
     "M6.6 6 Q6 7 4.7 7 Q2.6 7 2.6 4.2 Q2.6 1.6 4.5 1.6 Q6.6 1.6 6.6 4.6 M6.6 7 L6.6 3 Q6.6 1.6 7.6 1.6 Q9.2 "
     "1.6 9.2 4.6 Q9.2 10 4.8 10 Q0 10 0 4 Q0 -2 4.8 -2 Q6.6 -2 7.8 -1.2"},
    {'A', 7.0, "M0 0 L3.5 10 L7 0 M1.1 3 L5.9 3"},
    {'B', 6.0, "M0 5 L3.2 5 Q6 5 6 2.5 Q6 0 3.2 0 L0 0 L0 10 L3 10 Q5.5 10 5.5 7.5 Q5.5 5 3 5"},
    {'C', 6.0, "M6.3 8.5 Q5.3 10 3.5 10 Q0 10 0 5 Q0 0 3.5 0 Q5.3 0 6.3 1.5"},
    {'D', 6.0, "M0 0 L0 10 L2.4 10 Q6.4 10 6.4 5 Q6.4 0 2.4 0 L0 0"},
    {'E', 5.0, "M5.3 10 L0 10 L0 0 L5.4 0 M0 5 L4.8 5"},
    {'F', 5.0, "M5.2 10 L0 10 L0 0 M0 5 L4.6 5"},
    {'G', 7.0, "M6.3 8.5 Q5.3 10 3.5 10 Q0 10 0 5 Q0 0 3.5 0 Q5.4 0 6.5 1.2 L6.5 5 L4 5"},
    {'H', 6.0, "M0 0 L0 10 M6 0 L6 10 M0 5 L6 5"},
    {'I', 0.0, "M0 0 L0 10"},
    {'J', 3.0, "M3 10 L3 2.4 Q3 0 1.2 0 Q.3 0 -.3 .6"},
    {'K', 6.0, "M0 0 L0 10 M5.8 10 L0 4 M1.9 6 L6.2 0"},
    {'L', 5.0, "M0 10 L0 0 L5.2 0"},
    {'M', 8.0, "M0 0 L0 10 L4 3 L8 10 L8 0"},
    {'N', 6.0, "M0 0 L0 10 L6 0 L6 10"},
    {'O', 7.0, "M3.5 10 Q7 10 7 5 Q7 0 3.5 0 Q0 0 0 5 Q0 10 3.5 10"},
    {'P', 5.0, "M0 0 L0 10 L2.8 10 Q5.5 10 5.5 7.5 Q5.5 5 2.8 5 L0 5"},
    {'Q', 7.0, "M3.5 10 Q7 10 7 5 Q7 0 3.5 0 Q0 0 0 5 Q0 10 3.5 10 M4.4 2.4 L7 -.8"},
    {'R', 6.0, "M0 0 L0 10 L2.8 10 Q5.5 10 5.5 7.5 Q5.5 5 2.8 5 L0 5 M3 5 L6 0"},
    {'S', 6.0, "M5.5 8.6 Q4.6 10 2.9 10 Q.4 10 .4 7.6 Q.4 5.8 3 5.2 Q5.9 4.5 5.9 2.5 Q5.9 0 3 0 Q1 0 0 1.6"},
    {'T', 6.0, "M0 10 L6 10 M3 10 L3 0"},
    {'U', 6.0, "M0 10 L0 3.6 Q0 0 3 0 Q6 0 6 3.6 L6 10"},
    {'V', 7.0, "M0 10 L3.5 0 L7 10"},
    {'W', 10.0, "M0 10 L2.5 0 L5 10 L7.5 0 L10 10"},
    {'X', 6.0, "M0 10 L6 0 M0 0 L6 10"},
    {'Y', 6.0, "M0 10 L3 5 L6 10 M3 5 L3 0"},
    {'Z', 6.0, "M0 10 L6 10 L0 0 L6.1 0"},
    {'[', 2.0, "M2 11 L0 11 L0 -2 L2 -2"},
    {'\\', 4.0, "M0 10.5 L4 -1.2"},
    {']', 2.0, "M0 11 L2 11 L2 -2 L0 -2"},
    {'^', 5.0, "M0 6.5 L2.5 10 L5 6.5"},
    {'_', 5.0, "M-.5 -2 L5.5 -2"},
    {'`', 2.0, "M0 10.5 L1.6 8.6"},
    {'a', 5.0, "M5 0 L5 4.4 Q5 7 2.6 7 Q1.1 7 .3 5.8 M5 4 L2.3 4 Q0 4 0 2 Q0 0 2 0 Q3.8 0 5 2"},
    {'b', 5.0, "M0 10.4 L0 0 M0 3.5 Q0 7 2.6 7 Q5 7 5 3.5 Q5 0 2.6 0 Q0 0 0 3.5"},
    {'c', 4.0, "M4.6 6 Q3.9 7 2.6 7 Q0 7 0 3.5 Q0 0 2.6 0 Q3.9 0 4.6 1"},
    {'d', 5.0, "M5 10.4 L5 0 M5 3.5 Q5 7 2.4 7 Q0 7 0 3.5 Q0 0 2.4 0 Q5 0 5 3.5"},
    {'e', 5.0, "M0 4 L5 4 Q5 7 2.6 7 Q0 7 0 3.5 Q0 0 2.8 0 Q4.1 0 4.8 1"},
    {'f', 3.0, "M3.6 10.4 L3.2 10.4 Q1.3 10.4 1.3 8.4 L1.3 0 M-.2 7 L3.3 7"},
    {'g', 5.0, "M5 7 L5 0 Q5 -3 2.4 -3 Q1.2 -3 .4 -2.4 M5 3.5 Q5 7 2.4 7 Q0 7 0 3.5 Q0 0 2.4 0 Q5 0 5 3.5"},
    {'h', 5.0, "M0 10.4 L0 0 M0 4 Q0 7 2.7 7 Q5 7 5 4.2 L5 0"},
    {'i', 0.0, "M0 7 L0 0 M0 9.7 L0 10"},
    {'j', 0.0, "M0 7 L0 -1 Q0 -3 -1.6 -3 M0 9.7 L0 10"},
    {'k', 4.0, "M0 10.4 L0 0 M4.3 7 L0 2.8 M1.6 4.3 L4.7 0"},
    {'l', 0.0, "M0 10.4 L0 0"},
    {'m', 8.0, "M0 7 L0 0 M0 4 Q0 7 2.2 7 Q4 7 4 4.4 L4 0 M4 4 Q4 7 6.2 7 Q8 7 8 4.4 L8 0"},
    {'n', 5.0, "M0 7 L0 0 M0 4 Q0 7 2.7 7 Q5 7 5 4.2 L5 0"},
    {'o', 5.0, "M2.5 7 Q5 7 5 3.5 Q5 0 2.5 0 Q0 0 0 3.5 Q0 7 2.5 7"},
    {'p', 5.0, "M0 7 L0 -3 M0 3.5 Q0 7 2.6 7 Q5 7 5 3.5 Q5 0 2.6 0 Q0 0 0 3.5"},
    {'q', 5.0, "M5 7 L5 -3 M5 3.5 Q5 7 2.4 7 Q0 7 0 3.5 Q0 0 2.4 0 Q5 0 5 3.5"},
    {'r', 3.0, "M0 7 L0 0 M0 3.8 Q0 7 3 7"},
    {'s', 4.0, "M4.2 6.1 Q3.5 7 2.1 7 Q.2 7 .2 5.3 Q.2 4 2.2 3.6 Q4.4 3.2 4.4 1.7 Q4.4 0 2.2 0 Q.7 0 0 1.1"},
    {'t', 3.0, "M1.3 9.4 L1.3 2 Q1.3 0 3 0 L3.5 0 M-.2 7 L3.3 7"},
    {'u', 5.0, "M0 7 L0 2.8 Q0 0 2.3 0 Q5 0 5 3 M5 7 L5 0"},
    {'v', 5.0, "M0 7 L2.5 0 L5 7"},
    {'w', 8.0, "M0 7 L2 0 L4 7 L6 0 L8 7"},
    {'x', 5.0, "M.1 7 L4.9 0 M.1 0 L4.9 7"},
    {'y', 5.0, "M0 7 L2.6 0 M5 7 L2.2 -1.4 Q1.6 -3 .2 -3"},
    {'z', 4.0, "M0 7 L4.3 7 L0 0 L4.4 0"},
    {'{', 3.0, "M3 11 Q1.4 11 1.4 9.4 L1.4 6.2 Q1.4 4.5 0 4.5 Q1.4 4.5 1.4 2.8 L1.4 -.4 Q1.4 -2 3 -2"},
    {'|', 0.0, "M0 11 L0 -3"},
    {'}', 3.0, "M0 11 Q1.6 11 1.6 9.4 L1.6 6.2 Q1.6 4.5 3 4.5 Q1.6 4.5 1.6 2.8 L1.6 -.4 Q1.6 -2 0 -2"},
    {'~', 6.0, "M0 3.6 Q.2 5.4 1.6 5.4 Q2.4 5.4 3 4.6 Q3.6 3.7 4.4 3.7 Q5.8 3.7 6 5.5"},
};
enum { ASCII = sizeof ascii / sizeof *ascii };

// Signs of units and labels, and a letter that is not built from others.
static const glyph signs[] = {
    {0x00b0, 3.0, "M1.5 10.4 Q3 10.4 3 8.9 Q3 7.4 1.5 7.4 Q0 7.4 0 8.9 Q0 10.4 1.5 10.4"}, // degree
    {0x00b1, 6.0, "M3 8 L3 2 M0 5 L6 5 M0 0 L6 0"},                                        // plus or minus
    {0x00b5, 5.0, "M0 7 L0 -3 M0 2.8 Q0 0 2.3 0 Q5 0 5 3 M5 7 L5 0"},                      // micro
    {0x03bc, 5.0, "M0 7 L0 -3 M0 2.8 Q0 0 2.3 0 Q5 0 5 3 M5 7 L5 0"},                      // mu
    {0x00df, 5.0,
     "M0 0 L0 8 Q0 10.4 2.2 10.4 Q4.3 10.4 4.3 8.4 Q4.3 6.4 2.2 5.6 Q5 5.2 5 2.8 Q5 0 2 0"}, // sharp s
    {0x00b7, 0.0, "M0 4.4 L0 4.7"},                    // times, of units
    {0x00d7, 5.0, "M0 7 L5 2 M0 2 L5 7"},              // times
    {0x2013, 5.0, "M0 4 L5 4"},                        // en dash
    {0x2026, 6.0, "M0 0 L0 .3 M3 0 L3 .3 M6 0 L6 .3"}, // ellipsis
    {0x207b, 5.0, "M0 4 L5 4"},                        // minus of an exponent
    {0x2212, 6.0, "M0 4 L5.4 4"},                      // minus
};
enum { SIGNS = sizeof signs / sizeof *signs };

// Letters of Latin-1 from 0xc0 to 0xff: a letter below 0x80 and what is added to it. '.' in place of the letter: not built.
static const char accented_letters[] = "AAAAAA.CEEEEIIII.NOOOOO.OUUUUY..aaaaaa.ceeeeiiii.nooooo.ouuuuy.y";
static const char accents_of_letters[] = "`'^~:o.,`'^:`'^:.~`'^~:./`'^:'..`'^~:o.,`'^:`'^:.~`'^~:./`'^:'.:";

// About the middle of the letter and upwards from its top; the last two from the baseline.
static const struct {
    char sign;
    const char *path;
} accents[] = {
    {'`', "M-1.4 1.8 L.4 0"},
    {'\'', "M1.4 1.8 L-.4 0"},
    {'^', "M-1.7 0 L0 1.8 L1.7 0"},
    {'~', "M-2 .3 Q-1.7 1.5 -.8 1.3 Q0 1 .8 .7 Q1.7 .5 2 1.6"},
    {':', "M-1.3 .8 L-1.3 1.1 M1.3 .8 L1.3 1.1"},
    {'o', "M0 2.2 Q1.2 2.2 1.2 1 Q1.2 -.2 0 -.2 Q-1.2 -.2 -1.2 1 Q-1.2 2.2 0 2.2"},
    {',', "M0 0 Q1.3 -1 .7 -2 Q0 -2.8 -1.3 -2.5"},
    {'/', "M-2.6 -.6 L2.6 7.6"},
};
enum { ACCENTS = sizeof accents / sizeof *accents };
static const double SMALL_TOP = 8.6, CAPITAL_TOP = 11.2;
static const glyph dotless_i = {'i', 0, "M0 7 L0 0"};

static const glyph no_glyph = {PLOT_NO_CHARACTER, 5, "M0 0 L5 0 L5 10 L0 10 L0 0"};

// ------------------------------------------------------------------------------------------------------- characters

// Exponents are the digits, raised and smaller.
static unsigned raised_digit(unsigned c) {
    if (c == 0x00b9) return '1';
    if (c == 0x00b2 || c == 0x00b3) return '2' + (c - 0x00b2);
    if (c == 0x2070 || (c >= 0x2074 && c <= 0x2079)) return '0' + (c - 0x2070);
    return 0;
}

static const glyph *glyph_find(unsigned c) {
    if (c >= ' ' && c < ' ' + (unsigned)ASCII) return &ascii[c - ' '];
    for (int k = 0; k < SIGNS; k++)
        if (signs[k].character == c) return &signs[k];
    if (c < 0xc0 || c > 0xff || accented_letters[c - 0xc0] == '.') return NULL;
    const char letter = accented_letters[c - 0xc0];
    return letter == 'i' ? &dotless_i : &ascii[letter - ' '];
}

static const char *accent_path(unsigned c, char *sign) {
    *sign = c >= 0xc0 && c <= 0xff ? accents_of_letters[c - 0xc0] : '.';
    for (int k = 0; k < ACCENTS; k++)
        if (accents[k].sign == *sign) return accents[k].path;
    return NULL;
}

int plot_font_has(unsigned character) {
    return raised_digit(character) || glyph_find(character);
}

static int is_allowed(unsigned c) {
    return c >= 0x20 && c != 0x7f && !(c >= 0x80 && c < 0xa0) && (c & 0xfffe) != 0xfffe;
}

unsigned plot_next_character(const char **text) {
    unsigned c = 0;
    if (**text == 0) return 0;
    const size_t n = br_utf8_decode(*text, strnlen(*text, 4), &c);
    const int whole = n > 0 && is_allowed(c);
    *text += whole ? n : 1;
    return whole ? c : PLOT_NO_CHARACTER;
}

// ---------------------------------------------------------------------------------------------------------- strokes

typedef struct tracer {
    const plot_glyph_pen *pen;
    double scale, right, raise; // of the character
    double x, y;                // where the stroke is, in the glyph's own units
} tracer;

static void go(tracer *t, double x, double y, int draw) {
    void (*call)(void *, double, double) = draw ? t->pen->line : t->pen->move;
    call(t->pen->context, t->scale * x + t->right, t->scale * y + t->raise);
    t->x = x, t->y = y;
}

static void curve(tracer *t, const double *p) {
    const double x0 = t->x, y0 = t->y;
    for (int k = 1; k <= CURVE_PARTS; k++) {
        const double s = (double)k / CURVE_PARTS, a = (1 - s) * (1 - s), b = 2 * s * (1 - s), c = s * s;
        go(t, a * x0 + b * p[0] + c * p[2], a * y0 + b * p[1] + c * p[3], 1);
    }
}

static void trace(tracer *t, const char *path) {
    while (*path) {
        const char kind = *path++;
        double p[4] = {0};
        char *end;
        for (int k = 0; k < (kind == 'Q' ? 4 : 2); k++, path = end) p[k] = strtod(path, &end);
        if (kind == 'Q')
            curve(t, p);
        else
            go(t, p[0], p[1], kind == 'L');
        path += *path == ' ';
    }
}

double plot_glyph(unsigned character, const plot_glyph_pen *pen) {
    const unsigned digit = raised_digit(character);
    const glyph *g = glyph_find(digit ? digit : character);
    const int raised = digit || character == 0x207b;
    tracer t = {.pen = pen, .scale = raised ? RAISED_SCALE : 1, .raise = raised ? RAISED_BY : 0};
    if (!g) g = &no_glyph;
    if (pen && pen->move) {
        char sign;
        const char *accent = g == &no_glyph ? NULL : accent_path(character, &sign);
        trace(&t, g->path);
        t.right = g->width / 2;
        if (accent && sign != ',' && sign != '/') t.raise = g->character < 'a' ? CAPITAL_TOP : SMALL_TOP;
        if (accent) trace(&t, accent);
    }
    return raised ? RAISED_SCALE * g->width + 0.7 * GAP : g->width + GAP;
}

// ------------------------------------------------------------------------------------------------------------ widths

double plot_text_width(const char *text, double size) {
    double width = 0;
    for (unsigned c; (c = plot_next_character(&text)) != 0;) width += plot_glyph(c, NULL);
    return width * size / PLOT_FONT_SIZE;
}

const char *plot_fit_text(const char *text, double size, double room, char *out, int out_size) {
    if (plot_text_width(text, size) <= room) return text;
    const int n = (int)strlen(text);
    // Bytes kept at both ends; never inside a sequence.
    for (int kept = n - 1; kept > 1; kept--) {
        int head = kept / 2, tail = n - (kept - kept / 2);
        while (head > 0 && ((unsigned char)text[head] & 0xc0) == 0x80) head--;
        while (tail < n && ((unsigned char)text[tail] & 0xc0) == 0x80) tail++;
        if (head + (n - tail) + 4 > out_size) continue;
        snprintf(out, (size_t)out_size, "%.*s\xe2\x80\xa6%s", head, text, text + tail);
        if (plot_text_width(out, size) <= room) return out;
    }
    return "\xe2\x80\xa6";
}
