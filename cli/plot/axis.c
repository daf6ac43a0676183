#include "plot/axis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plot/font.h"

static const double WHOLE = 1e-9;           // of a step: a tick this near an end is at it
static const double ROUNDING = 1e-6;        // of a quotient that is meant to be whole
static const double SMALLEST_SPAN = 1e-290; // of an axis: below, its ticks have no powers of ten
static const double DIGITS_LEFT = 1e4; // numbers that are more steps than this differ too late to be read
enum { LARGEST_PLAIN = 4, SMALLEST_PLAIN = -2 }; // powers of ten of numbers that need no factor

#define MINUS "\xe2\x88\x92"

static double tick_step(double range, int wanted) {
    const double raw = range / wanted, power = pow(10, floor(log10(raw))), part = raw / power;
    return power * (part <= 1.25 ? 1 : part <= 2.5 ? 2 : part <= 6.25 ? 5 : 10);
}

// Not of the quotient, which may be too large for a number.
static double decades_of(const plot_axis *a) {
    return log10(a->to) - log10(a->from);
}

static void choose_log(plot_axis *a, int wanted) {
    a->step = fmax(1, ceil(decades_of(a) / wanted - WHOLE));
    a->offset = 0;
    a->power = a->decimals = 0;
}

void plot_axis_choose(plot_axis *a, int wanted) {
    if (a->log) {
        choose_log(a, wanted);
        return;
    }
    if (!(a->to - a->from >= SMALLEST_SPAN)) a->to = a->from + SMALLEST_SPAN;
    a->step = tick_step(a->to - a->from, wanted);
    a->offset = 0;
    if (fmax(fabs(a->from), fabs(a->to)) > DIGITS_LEFT * a->step) {
        const double round = pow(10, ceil(log10(a->to - a->from)));
        a->offset = round * floor(a->from / round + ROUNDING);
    }
    const double largest = fmax(fabs(a->from - a->offset), fabs(a->to - a->offset));
    const int size = (int)floor(log10(largest) + WHOLE);
    a->power = size > LARGEST_PLAIN || size < SMALLEST_PLAIN ? 3 * (int)floor(size / 3.0) : 0;
    const int last = (int)floor(log10(a->step) + WHOLE) - a->power; // decimal place of the step
    a->decimals = last < 0 ? -last : 0;
}

void plot_axis_choose_in(plot_axis *a, int wanted, double length, double size) {
    const double between = 1.2 * size;
    for (; wanted >= 1; wanted--) {
        char text[PLOT_NUMBER];
        double value, widest = 0;
        plot_axis_choose(a, wanted);
        for (int k = 0; plot_axis_tick(a, k, &value); k++) {
            plot_axis_number(a, value, text);
            widest = fmax(widest, plot_text_width(text, size));
        }
        const double room = a->log ? a->step * length / decades_of(a) : a->step / (a->to - a->from) * length;
        if (widest + between <= room) return;
    }
}

int plot_axis_tick(const plot_axis *a, int k, double *value) {
    if (a->log) {
        const double first = floor(log10(a->from) + 0.5);
        *value = pow(10, first + k * a->step);
        return *value <= a->to * (1 + WHOLE);
    }
    const double first = ceil((a->from - a->offset) / a->step - WHOLE);
    *value = a->offset + (first + k) * a->step;
    return *value <= a->to + WHOLE * a->step;
}

double plot_axis_part(const plot_axis *a, double value) {
    if (a->log) return (log10(value) - log10(a->from)) / decades_of(a);
    return (value - a->from) / (a->to - a->from);
}

static void put_power(char *text, size_t size, int power) {
    static const char *const digits[] = {"\xe2\x81\xb0", "\xc2\xb9",     "\xc2\xb2",     "\xc2\xb3",
                                         "\xe2\x81\xb4", "\xe2\x81\xb5", "\xe2\x81\xb6", "\xe2\x81\xb7",
                                         "\xe2\x81\xb8", "\xe2\x81\xb9"};
    char plain[16];
    snprintf(plain, sizeof plain, "%d", power);
    snprintf(text, size, "10");
    for (const char *p = plain; *p; p++) {
        const size_t used = strlen(text);
        snprintf(text + used, size - used, "%s", *p == '-' ? "\xe2\x81\xbb" : digits[*p - '0']);
    }
}

void plot_axis_number(const plot_axis *a, double value, char text[PLOT_NUMBER]) {
    if (a->log) {
        put_power(text, PLOT_NUMBER, (int)floor(log10(value) + 0.5));
        return;
    }
    double shown = (value - a->offset) / pow(10, a->power);
    if (fabs(value - a->offset) < WHOLE * a->step) { // a sum that should have been zero
        snprintf(text, PLOT_NUMBER, "0");
        return;
    }
    snprintf(text, PLOT_NUMBER, "%s%.*f", shown < 0 ? MINUS : "", a->decimals, fabs(shown));
}

void plot_axis_factor(const plot_axis *a, char text[2 * PLOT_NUMBER]) {
    char power[PLOT_NUMBER] = "", offset[PLOT_NUMBER] = "";
    if (a->power != 0) put_power(power, sizeof power, a->power);
    if (a->offset < 0 || a->offset > 0)
        snprintf(offset, sizeof offset, "%s%s %.12g", power[0] ? " " : "", a->offset < 0 ? MINUS : "+",
                 fabs(a->offset));
    snprintf(text, 2 * PLOT_NUMBER, "%s%s%s", power[0] ? "\xc3\x97" : "", power, offset);
}
