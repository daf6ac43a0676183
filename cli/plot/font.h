// A font of strokes for pictures made of pixels: letters are lines and curves on a grid, drawn by the same code as the
// curves of a figure, so they are sharp at every size and no font file is needed.
#ifndef BR_CLI_PLOT_FONT_H
#define BR_CLI_PLOT_FONT_H

// The grid: y upwards from the baseline, 1 unit is a pixel at PLOT_FONT_SIZE. Small letters are 7 units high, capitals and
// digits 10, descenders reach to -3. These are whole numbers, so that bars fall on rows of pixels at the usual size.
static const double PLOT_FONT_SIZE = 13;
static const double PLOT_FONT_STROKE = 1.15;

// The next character of UTF-8 text, and *text behind it; 0 at the end. Bytes that are no UTF-8, and characters that
// XML does not allow, come as PLOT_NO_CHARACTER one by one.
enum { PLOT_NO_CHARACTER = 0xFFFD };
unsigned plot_next_character(const char **text);

// The strokes of a character, from its origin on the baseline; a box for what the font does not have. Returns how far
// the next character is. `move` begins a stroke and `line` goes on; a stroke may be a point. Both may be NULL: only
// the advance is wanted.
typedef struct plot_glyph_pen {
    void *context;
    void (*move)(void *context, double x, double y);
    void (*line)(void *context, double x, double y);
} plot_glyph_pen;
double plot_glyph(unsigned character, const plot_glyph_pen *pen);
int plot_font_has(unsigned character);

// Width of a text in units of the figure. Text of an SVG is set in a font that the reader's machine chooses; it is
// about as wide.
double plot_text_width(const char *text, double size);

// The text, or the text with its middle left out where it is wider than `room`: names of channels differ at both ends.
const char *plot_fit_text(const char *text, double size, double room, char *out, int out_size);

#endif
