// Tables, see function/table.h.
#include "model/function/table.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

// The slope at an inner point that lets no cubic overshoot: zero at an extremum, else the weighted harmonic mean of
// the neighbours' slopes [Fritsch & Butland 1984], as in PCHIP.
static double inner_slope(double h0, double h1, double d0, double d1) {
    if (d0 * d1 <= 0.0) return 0.0;
    const double w0 = 2.0 * h1 + h0, w1 = h1 + 2.0 * h0;
    return (w0 + w1) / (w0 / d0 + w1 / d1);
}

// Three-point slope at an end, cut back where it would overshoot.
static double end_slope(double h0, double h1, double d0, double d1) {
    const double s = ((2.0 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);
    if (s * d0 <= 0.0) return 0.0;
    if (d0 * d1 <= 0.0 && fabs(s) > 3.0 * fabs(d0)) return 3.0 * d0;
    return s;
}

static void find_slopes(const br_table *table) {
    const int n = table->count;
    const double *t = table->times, *y = table->values;
    double *s = table->slopes;
    if (n == 1) s[0] = 0.0;
    if (n == 2) s[0] = s[1] = (y[1] - y[0]) / (t[1] - t[0]);
    for (int k = 1; k + 1 < n; k++) {
        const double h0 = t[k] - t[k - 1], h1 = t[k + 1] - t[k];
        const double d0 = (y[k] - y[k - 1]) / h0, d1 = (y[k + 1] - y[k]) / h1;
        s[k] = inner_slope(h0, h1, d0, d1);
        if (k == 1) s[0] = end_slope(h0, h1, d0, d1);
        if (k + 2 == n) s[n - 1] = end_slope(h1, h0, d1, d0);
    }
}

static br_status check(const br_function_def *def, br_error *error) {
    if (def->count < 1 || !def->times || !def->values)
        return br_fail(error, BR_INVALID, "table-empty",
                       "a table without points, expected at least one [t, value]");
    for (int k = 0; k < def->count; k++) {
        if (!isfinite(def->times[k]) || !isfinite(def->values[k]))
            return br_fail(error, BR_INVALID, "table-not-finite",
                           "point %d of the table is [%g, %g], expected finite numbers", k + 1, def->times[k],
                           def->values[k]);
        if (k > 0 && def->times[k] <= def->times[k - 1])
            return br_fail(error, BR_INVALID, "table-not-rising",
                           "point %d of the table is at %g s, after one at %g s; times must rise", k + 1,
                           def->times[k], def->times[k - 1]);
    }
    return BR_OK;
}

br_status br_table_create(const br_function_def *def, br_arena *arena, br_table *out, br_error *error) {
    const br_status status = check(def, error);
    if (status != BR_OK) return status;
    const int smooth = def->kind == BR_FUNCTION_SMOOTH;
    const size_t n = (size_t)def->count;
    const double scale = def->scale == 0.0 ? 1.0 : def->scale;
    br_table table = {def->count, NULL, NULL, NULL};
    table.times = BR_TAKE(arena, double, n);
    table.values = BR_TAKE(arena, double, n);
    if (smooth) table.slopes = BR_TAKE(arena, double, n);
    if (!table.times || !table.values || (smooth && !table.slopes))
        return br_no_memory(error, "no memory for a table of %d points", def->count);
    memcpy(table.times, def->times, n * sizeof *table.times);
    for (size_t k = 0; k < n; k++) table.values[k] = def->values[k] * scale;
    if (smooth) find_slopes(&table);
    *out = table;
    return BR_OK;
}

// The last point at or before t; -1 when t is before all.
static int piece(const br_table *table, double t) {
    int low = -1, high = table->count;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (table->times[middle] <= t)
            low = middle;
        else
            high = middle;
    }
    return low;
}

br_jet br_table_jet(const br_table *table, double t) {
    const int k = piece(table, t), last = table->count - 1;
    br_jet r = {table->values[k < 0 ? 0 : k], 0.0, 0.0};
    if (k < 0 || k == last) return r;
    const double h = table->times[k + 1] - table->times[k], x = (t - table->times[k]) / h;
    const double y0 = table->values[k], rise = table->values[k + 1] - y0;
    if (!table->slopes) {
        r.value = y0 + x * rise;
        r.rate = rise / h;
        return r;
    }
    // y0 + c1 x + c2 x^2 + c3 x^3 with the slopes of both ends.
    const double c1 = h * table->slopes[k], c = h * table->slopes[k + 1];
    const double c2 = 3.0 * rise - 2.0 * c1 - c, c3 = c1 + c - 2.0 * rise;
    r.value = y0 + x * (c1 + x * (c2 + x * c3));
    r.rate = (c1 + x * (2.0 * c2 + 3.0 * x * c3)) / h;
    r.second = (2.0 * c2 + 6.0 * x * c3) / (h * h);
    return r;
}

double br_table_next_knot(const br_table *table, double t) {
    const int next = piece(table, t) + 1;
    return table->count > 1 && next < table->count ? table->times[next] : INFINITY;
}
