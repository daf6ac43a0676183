// What a run of a batch is asked for, read from its text.
#ifndef BR_BATCH_COLUMN_H
#define BR_BATCH_COLUMN_H

#include "base/arena.h"
#include "bristle/judgement.h"
#include "bristle/result.h"
#include "bristle/trust.h"

typedef enum batch_column_kind {
    BATCH_END = 0,
    BATCH_MIN,
    BATCH_MAX,
    BATCH_MEAN,
    BATCH_PERIOD,
    BATCH_AT,
    BATCH_EVENT,
    BATCH_VERDICT,
    BATCH_VERDICT_START,
    BATCH_CREDIBLE,
    BATCH_HOLD_SURE,
    BATCH_HOLD_POSSIBLE,
    BATCH_HOLD_NEEDED
} batch_column_kind;

enum { BATCH_MAX_LOADS = 16 };

typedef struct batch_column {
    const char *text; // as it was given
    batch_column_kind kind;
    const char *channel; // of the first six
    double at;           // s, of CHANNEL.at(T)
    int source;          // its place among batch_columns.channel
    br_event_kind event;
    const char *name;  // of the element; a contact without #k stands for all its points
    long which;        // from 1
    const char **load; // [loads] of hold
    int loads;
} batch_column;

typedef struct batch_columns {
    batch_column *column;
    int count;
    const char **channel; // each once
    int channel_count;
    int judged;   // a verdict or `credible` is among them
    int verdicts; // a verdict is
    int periods;  // a period is: the rows are kept
    int holds;    // how far a load may grow is
} batch_columns;

// Reads the texts into the arena. What is no column is an error that names it.
br_status br_columns_read(const char *const *texts, int count, br_arena *arena, batch_columns *out,
                          br_error *error);

// Columns whose channel is a pattern with * become one for each channel of the model that matches; the texts of the others stay.
br_status br_columns_expand(batch_columns *columns, br_sim *sim, br_arena *arena, br_error *error);

// Whether the model has what the columns name. The simulation is not moved.
br_status br_columns_check(const batch_columns *columns, br_sim *sim, br_error *error);

#endif
