// The values of columns, which gather while a run goes on.
#ifndef BR_BATCH_GATHER_H
#define BR_BATCH_GATHER_H

#include "batch/column.h"

typedef struct batch_gather {
    const batch_columns *columns;
    br_channels *channels; // t and those of the columns
    int *place;            // [channel_count] of each in a row
    int time;              // of t
    double *row;
    double after;
    long rows;                           // from `after` on
    double first, last;                  // their times
    int began;                           // there was a row
    double row_t;                        // of the last row
    double *end, *low, *high, *integral; // [channel_count]
    long *seen;                          // [count] of events
    double *value;                       // [count]
    double *kept;                        // [rows * (1 + channel_count)], where a period is asked for
    int kept_count, kept_capacity;
    br_arena *arena;
} batch_gather;

br_status br_gather_begin(batch_gather *g, const batch_columns *columns, const br_sim *sim, double after,
                          br_arena *arena, const br_allocator *allocator, br_error *error);
br_status br_gather_row(batch_gather *g, br_sim *sim, br_error *error);
void br_gather_event(void *gather, const br_event *event); // a br_event_callback
void br_gather_values(const batch_gather *g, double *values);
void br_gather_end(batch_gather *g);

#endif
