// Curves from results of any length in memory of fixed size. Rows are read once, in order. Each curve keeps a fixed number of
// groups of successive rows; of a group it keeps the first and last point and those with the least and largest x and y,
// so that no spike is lost. When all groups are in use, neighbours are joined and each takes twice as many rows.
#ifndef BR_CLI_RESULT_SERIES_H
#define BR_CLI_RESULT_SERIES_H

#include "bristle/result.h"
#include "result_path.h"

enum { RESULT_GROUP_POINTS = 6 };

typedef struct result_point {
    double x, y;
    long row;
} result_point;

typedef struct result_group {
    result_point point[RESULT_GROUP_POINTS]; // first, last, least x, largest x, least y, largest y
    int after_gap;                           // rows before it were left out
} result_group;

typedef struct result_series {
    int x, y;      // channels, as columns of a row
    int positive;  // for a logarithmic axis: rows with y not above 0 are left out
    long rows;     // taken
    long left_out; // for being not above 0
    result_group *group;
    int count, capacity;
    long group_rows; // rows of a full group
    long last_rows;  // rows in the last group
    int gap;         // the last row was left out
} result_series;

int result_series_begin(result_series *series, int x, int y, int capacity); // 0: no memory
void result_series_add(result_series *series, const double *row);
void result_series_free(result_series *series);

// The points in order; a gap is a point whose y is no number. x and y need result_series_most(series) places; returns how
// many were used.
int result_series_most(const result_series *series);
int result_series_points(const result_series *series, double *x, double *y);

// ------------------------------------------------------------------------------------------------------- reading

typedef struct result_reading {
    // what is wanted
    int t;           // column of the time
    double from, to; // s: rows and events of these times are taken
    result_series *const *series;
    int series_count;
    result_path *const *paths;
    int path_count;
    void (*on_event)(void *context, const br_event *event); // may be NULL
    void *context;
    // how it went
    long rows, rows_taken;
    double first_t, last_t; // of all rows, s
    br_result_kind kind;    // END: the result is whole and `end` is filled in; CUT: it stops without
    br_result_end end;
    br_status damage; // not BR_OK: a record was altered, and what came before is all there is
    br_error error;
} result_reading;

// Reads to the end of the result, or as far as it goes.
void result_read(br_result *result, result_reading *reading);

// Column of a channel by its name; -1: there is none.
int result_channel(const br_result_header *header, const char *name);

#endif
