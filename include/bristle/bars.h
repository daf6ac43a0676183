// Error bars: how far the answers of a run are from those of ever smaller steps, from three runs of one model.
//
//     const br_model *model[3] = {coarse, half, quarter};    // the same model with steps h, h/2, h/4
//     br_bars(model, until, &options, &report, &error);      // report.bar[k].value +- report.bar[k].bar
//
// The value is that of the finest run. With y_1, y_2, y_3 from coarse to fine the observed order is log(|y_2 - y_1|/|y_3 - y_2|)/log(ratio).
// See docs/theory/error_bars.md.
#ifndef BRISTLE_BARS_H
#define BRISTLE_BARS_H

#include "bristle/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum br_bar_state {
    BR_BAR_CONVERGES = 0,
    BR_BAR_EXACT,         // the runs agree to rounding
    BR_BAR_NOT_CONVERGED, // smaller steps do not bring it nearer: the bar is a guess
    BR_BAR_UNMATCHED,     // an event that not all runs have: there is no bar
    BR_BAR_STATES
} br_bar_state;

const char *br_bar_state_name(br_bar_state state); // "converges", ...

typedef struct br_bar {
    // a channel, "crank.position", "ledger.friction"; or an event, "slip slide_1 #2"
    char name[BR_MAX_EVENT_NAME + 32];
    char unit[12];
    // of the coarse, the middle and the fine run; NAN: not there
    double at[3];
    // of the fine run, and how far the truth may be from it
    double value, bar;
    // the largest that it, or another component of its vector, was in the fine run, and at least a thousandth of the largest with its
    // unit; of energies and the ledger: that any of them was
    double size;
    // observed; NAN: not to be seen
    double order;
    br_bar_state state;
} br_bar;

typedef struct br_bars_report {
    // channels at the end
    int bars;
    br_bar *bar;
    // times of events
    int events;
    br_bar *event;
    // s: up to here the two finer runs agree to 1 % of how far coordinates go, and later they do not though they did not
    // converge at the end either; INFINITY: they do throughout
    double diverges_after;
    // the order that the steps should have
    double formal;
    // of every run
    long steps[3];
    // private
    void *memory;
} br_bars_report;

typedef struct br_bars_options {
    // of the steps, or of the tolerances, from one run to the next; 2
    double ratio;
    // order of the stepper in that; 2
    double formal;
    // nonzero: the runs differ in their tolerance, not in their step; bars are wider, for errors follow tolerances by leaps
    int by_tolerance;
    // s: how sharp times of events are in the fine run, that is, its step
    double sharp;
    // [channels] names; 0: `outputs` of the model, else the motion of all; energies and the ledger always
    const char *const *channel;
    int channels;
    // instants at which the motions are compared; 200, at multiples of `grid` where that is not 0
    int samples;
    // s: the coarse step, so that nothing but steps ends a step
    double grid;
    // now and then: which run, its time; NULL
    void (*progress)(void *context, int run, double t);
    void *progress_context;
    // NULL: malloc
    const br_allocator *allocator;
} br_bars_options;

br_bars_options br_default_bars_options(void);
// Of a model's own settings: ratio and formal order, sharp, and the settings of run k (0: as they are).
void br_bars_settings(const br_model *model, br_bars_options *options);
br_settings br_bars_finer(const br_model *model, int k);

br_status br_bars(const br_model *const model[3], double until, const br_bars_options *options,
                  br_bars_report *report, br_error *error);
void br_bars_report_free(br_bars_report *report); // accepts a zeroed one

#ifdef __cplusplus
}
#endif

#endif
