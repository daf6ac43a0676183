// How wide a band has to be that holds nine recordings of ten, from how wide it would have had to be for others. No model in here; see
// docs/theory/fit.md, "Bands".
#ifndef BR_FIT_BANDS_CALIBRATE_H
#define BR_FIT_BANDS_CALIBRATE_H

#include "base/arena.h"
#include "bristle/base.h"

enum { CALIBRATE_FACTORS = 5, CALIBRATE_LEAST = 10 };

// Noise of the start, times these.
extern const double br_calibrate_grid[CALIBRATE_FACTORS];

// What is known of a row before it is measured: how far nine draws of ten with each factor are from the prediction there, rising
// with the factor, and how far the prediction has come.
typedef struct calibrate_at {
    double reach[CALIBRATE_FACTORS], path;
} calibrate_at;

// A family of bands, wider with one factor f: radius^2 = (start: reach with f)^2 + (f path * the way so far)^2 + (f constant)^2.
typedef struct calibrate_band {
    int start;
    double path, constant;
} calibrate_band;

typedef struct calibrate_fit {
    calibrate_band *band; // [n] of each recording, chosen with the others
    double *end, *way;    // [n] its factors, at the end and for every row at once
    calibrate_band all;   // chosen with all of them, for one that comes next
    double all_end;
} calibrate_fit;

double br_calibrate_radius(const calibrate_band *band, const calibrate_at *at, double factor);

// The least factor with which the band reaches an error; INFINITY: none does.
double br_calibrate_factor(const calibrate_band *band, const calibrate_at *at, double error);

// n recordings, CALIBRATE_LEAST or more. at, error: [n][rows[k]], of every row; what is before row 1 is not looked at.
br_status br_calibrate(int n, const int *rows, calibrate_at *const *at, double *const *error, br_arena *arena,
                       calibrate_fit *out, br_error *failed);

#endif
