// The axes of a figure: which numbers stand at it, and how they are written.
#ifndef BR_CLI_PLOT_AXIS_H
#define BR_CLI_PLOT_AXIS_H

enum { PLOT_NUMBER = 48 }; // bytes of a written number

typedef struct plot_axis {
    double from, to;
    int log;       // both are powers of ten then, and ticks are every `step` decades
    double step;   // of the ticks
    double offset; // taken off the numbers written, where they would differ in their last digits only
    int power;     // of ten, that they are divided by: a multiple of 3
    int decimals;
} plot_axis;

// Ticks at 1, 2 or 5 times a power of ten, at most about `wanted`; on a log axis at powers of ten.
void plot_axis_choose(plot_axis *axis, int wanted);
// The same with as many ticks as `length` has room for without their numbers touching.
void plot_axis_choose_in(plot_axis *axis, int wanted, double length, double size);

// The k-th tick, from 0. 0: no more.
int plot_axis_tick(const plot_axis *axis, int k, double *value);
double plot_axis_part(const plot_axis *axis, double value); // where a value lies: 0 at from, 1 at to
void plot_axis_number(const plot_axis *axis, double value, char text[PLOT_NUMBER]);
// "×10⁻³ + 9.81": what the numbers at the axis are to be taken times and plus; empty where they stand for themselves.
void plot_axis_factor(const plot_axis *axis, char text[2 * PLOT_NUMBER]);

#endif
