#include "batch/hold.h"

#include <math.h>
#include <string.h>

#include "bristle/hold.h"

static int same_loads(const batch_column *a, const batch_column *b) {
    if (a->loads != b->loads) return 0;
    for (int k = 0; k < a->loads; k++)
        if (strcmp(a->load[k], b->load[k]) != 0) return 0;
    return 1;
}

// A search that ended at its caps may have missed a motion that begins earlier: then nothing is sure.
static double hold_value(batch_column_kind kind, const br_hold_report *r) {
    if (!r->felt || !r->held) return NAN;
    if (kind == BATCH_HOLD_POSSIBLE) return r->possible[1];
    if (!r->certain || !r->exhaustive) return NAN;
    return kind == BATCH_HOLD_SURE ? r->sure[1] : r->sure[0];
}

// One search answers every column about the same loads.
static br_status hold_once(const batch_columns *columns, int first, br_sim *fresh,
                           const br_allocator *allocator, double *values, br_error *error) {
    const batch_column *asked = &columns->column[first];
    br_hold_options options = br_default_hold_options();
    br_hold_report report;
    memset(&report, 0, sizeof report);
    options.load = asked->load, options.loads = asked->loads, options.allocator = allocator;
    const br_status status = br_hold(fresh, &options, &report, error);
    for (int k = first; status == BR_OK && k < columns->count; k++)
        if (same_loads(&columns->column[k], asked)) values[k] = hold_value(columns->column[k].kind, &report);
    br_hold_report_free(&report);
    return status;
}

br_status br_hold_values(const batch_columns *columns, br_sim *fresh, const br_allocator *allocator,
                         double *values, br_error *error) {
    br_status status = BR_OK;
    for (int k = 0; status == BR_OK && k < columns->count; k++) {
        int before = columns->column[k].kind < BATCH_HOLD_SURE;
        for (int i = 0; i < k && !before; i++) before = same_loads(&columns->column[i], &columns->column[k]);
        if (!before) status = hold_once(columns, k, fresh, allocator, values, error);
    }
    return status;
}
