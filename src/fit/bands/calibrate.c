#include "fit/bands/calibrate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "math/elementary.h"

const double br_calibrate_grid[CALIBRATE_FACTORS] = {1, 1.5, 2, 3, 4.5};

enum { FAMILIES = 5, MOST_DOUBLINGS = 60, HALVINGS = 50 };
// Beside what the start explains, the other term is half as large at its median.
static const double BESIDE = 0.5;

typedef struct calibrate_work {
    int n, families;
    const int *rows;
    calibrate_at *const *at;
    calibrate_band family[FAMILIES];
    double *end[FAMILIES], *way[FAMILIES]; // [n] factors that recordings need
    double *sorted;
} calibrate_work;

// ----------------------------------------------------------------------------------------------------------- a band

// Between two factors by a line, below the first from nothing, beyond the last in proportion.
static double reach_with(const calibrate_at *at, double factor) {
    double before = 0, reach = 0;
    for (int k = 0; k < CALIBRATE_FACTORS; k++) {
        const double next = br_calibrate_grid[k];
        if (factor <= next) return reach + (at->reach[k] - reach) * (factor - before) / (next - before);
        before = next, reach = at->reach[k];
    }
    return reach * factor / before;
}

double br_calibrate_radius(const calibrate_band *band, const calibrate_at *at, double factor) {
    const double u = band->start ? reach_with(at, factor) : 0, p = factor * band->path * at->path,
                 c = factor * band->constant;
    return sqrt(u * u + p * p + c * c);
}

double br_calibrate_factor(const calibrate_band *band, const calibrate_at *at, double error) {
    double low = 0, high = 1;
    for (int k = 0; br_calibrate_radius(band, at, high) < error; k++) {
        if (k == MOST_DOUBLINGS) return INFINITY;
        low = high, high *= 2;
    }
    for (int k = 0; k < HALVINGS; k++) {
        const double middle = 0.5 * (low + high);
        *(br_calibrate_radius(band, at, middle) < error ? &low : &high) = middle;
    }
    return high;
}

// --------------------------------------------------------------------------------------------------------- families

static int calibrate_order(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double calibrate_median(const calibrate_work *w) {
    qsort(w->sorted, (size_t)w->n, sizeof *w->sorted, calibrate_order);
    return w->sorted[w->n / 2];
}

static const calibrate_at *end_of(const calibrate_work *w, int k) {
    return &w->at[k][w->rows[k] - 1];
}

// Terms have a size of 1 at a factor of 1 in the unit of the start's reach, so that they can be put together.
static void list_families(calibrate_work *w, double *const *error) {
    double least = INFINITY;
    for (int k = 0; k < w->n; k++) {
        w->sorted[k] = end_of(w, k)->reach[0];
        least = fmin(least, w->sorted[k]);
    }
    const double reach = calibrate_median(w);
    for (int k = 0; k < w->n; k++) w->sorted[k] = end_of(w, k)->path;
    const double path = calibrate_median(w);
    for (int k = 0; k < w->n; k++) w->sorted[k] = error[k][w->rows[k] - 1];
    const double size = reach > 0 ? reach : fmax(calibrate_median(w), 1e-300);
    w->family[w->families++] = (calibrate_band){0, 0, size};
    if (path > 0) w->family[w->families++] = (calibrate_band){0, size / path, BESIDE * size};
    if (least > 0) w->family[w->families++] = (calibrate_band){1, 0, 0};
    if (reach > 0) w->family[w->families++] = (calibrate_band){1, 0, BESIDE * size};
    if (reach > 0 && path > 0) w->family[w->families++] = (calibrate_band){1, BESIDE * size / path, 0};
}

static void score_all(calibrate_work *w, double *const *error) {
    for (int f = 0; f < w->families; f++)
        for (int k = 0; k < w->n; k++) {
            const int last = w->rows[k] - 1;
            double most = 0;
            for (int i = 1; i <= last; i++) {
                // A row that is within what the others need already adds nothing.
                if (i < last && br_calibrate_radius(&w->family[f], &w->at[k][i], most) >= error[k][i])
                    continue;
                const double factor = br_calibrate_factor(&w->family[f], &w->at[k][i], error[k][i]);
                most = fmax(most, factor);
                if (i == last) w->end[f][k] = factor;
            }
            w->way[f][k] = most;
        }
}

// ------------------------------------------------------------------------------------------------------------ chosen

// Of what all but one needed, the factor that nine of ten like them do not exceed.
static double ninety(const calibrate_work *w, const double *needed, int without) {
    int n = 0;
    for (int k = 0; k < w->n; k++)
        if (k != without) w->sorted[n++] = needed[k];
    const int at = (9 * (n + 1) + 9) / 10; // the next whole number from 0.9 (n + 1) on
    qsort(w->sorted, (size_t)n, sizeof *w->sorted, calibrate_order);
    return w->sorted[(at < n ? at : n) - 1];
}

// The family whose bands for the others are the narrowest, by the mean of their logarithms.
static int choose_family(const calibrate_work *w, int without, double *factor) {
    int best = 0;
    double least = INFINITY;
    for (int f = 0; f < w->families; f++) {
        const double with = ninety(w, w->end[f], without);
        double sum = 0;
        if (!isfinite(with)) continue;
        for (int k = 0; k < w->n; k++)
            if (k != without)
                sum += br_log(fmax(1e-300, br_calibrate_radius(&w->family[f], end_of(w, k), with)));
        if (sum < least) least = sum, best = f, *factor = with;
    }
    return best;
}

br_status br_calibrate(int n, const int *rows, calibrate_at *const *at, double *const *error, br_arena *arena,
                       calibrate_fit *out, br_error *failed) {
    calibrate_work work = {.n = n, .rows = rows, .at = at}, *w = &work;
    w->sorted = BR_TAKE(arena, double, n);
    for (int f = 0; f < FAMILIES; f++)
        w->end[f] = BR_TAKE(arena, double, n), w->way[f] = BR_TAKE(arena, double, n);
    out->band = BR_TAKE(arena, calibrate_band, n);
    out->end = BR_TAKE(arena, double, n), out->way = BR_TAKE(arena, double, n);
    if (!br_arena_ok(arena)) return br_no_memory(failed, "no memory for bands");
    list_families(w, error);
    score_all(w, error);
    for (int k = 0; k < n; k++) {
        const int f = choose_family(w, k, &out->end[k]);
        out->band[k] = w->family[f];
        out->way[k] = ninety(w, w->way[f], k);
    }
    out->all = w->family[choose_family(w, -1, &out->all_end)];
    return BR_OK;
}
