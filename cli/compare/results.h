// bristle compare A B ...: results held against the first of them, channel by channel. compare/results.c reads arguments
// and tells, compare/difference.c measures.
#ifndef BR_CLI_COMPARE_RESULTS_H
#define BR_CLI_COMPARE_RESULTS_H

#include <stdio.h>

#include "bristle/export.h"

// How far a channel of one result is from the same of another.
typedef struct difference_channel {
    char *name, *unit;
    int first, second; // where in their rows
    double low, high;  // of both
    double largest, t; // difference, and when
    double squares;    // sum of squared differences
    int is_quat;       // the first of four numbers of a rotation: q and -q are one
    double
        weight;   // the difference over the largest number of its unit in both results: the order of the list
    int is_noise; // it differs by no more than rounding of other channels of its unit
} difference_channel;

typedef struct difference_event {
    double t;
    br_event_kind kind;
    char *name;
} difference_event;

typedef struct difference_events {
    difference_event *item;
    long count, capacity;
} difference_events;

typedef struct difference {
    difference_channel *channel; // [count], largest weight first; noise and the solver's own last
    int count;
    int only_first, only_second; // channels that the other lacks
    int same;                    // channels without any difference
    int noise;                   // channels that differ by rounding only
    long rows, interpolated;     // of the first that were compared; those between two rows of the second
    double from, to;             // s
    int has_events;              // 0: one of them is a table, which has none
    difference_events events[2];
    long same_events;                   // of equal kind and name, from the first on
    double event_dt;                    // largest difference of their times, s
    char missing[2][BR_MAX_ERROR_TEXT]; // of a result that ends early; else empty
} difference;

double difference_rms(const difference *d, const difference_channel *c);
double
difference_relative(const difference_channel *c); // to the range of the channel in both; 0 when they agree

// patterns (NULL: all) choose channels, with *.
br_status difference_measure(const char *first, const char *second, const char *const *patterns,
                             int pattern_count, difference *out, br_error *error);
void difference_free(difference *d);

int compare_is_of_results(int argc,
                          char **argv); // whether an argument is a result, so that this file's verb is meant
int compare_results(int argc, char **argv);

#endif
