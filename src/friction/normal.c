// Compliant normal laws, see normal.h: one row per law, an elastic part and a loss.
//
// Means over a step are divided differences of V. Taken as printed they lose all digits when the step hardly moves, so
// near depths go by the series of V about their middle, in which nothing cancels.
#include "friction/normal.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "math/elementary.h"

// A free impact stays below its speed of approach. A contact that began at rest and is pushed does not, and without a
// bound its loss would be any multiple of the spring's force.
static const double most_of_approach = 2.0;

// Two depths are near when half their distance is below this part of their middle: the series then has at most 25
// terms, and outside the plain difference loses at most three bits.
static const double near_depths = 0.25;
enum { MAX_TERMS = 60 };

// --- k d^n -------------------------------------------------------------------------------------------------

static double power(const br_normal_law *law, double d) {
    return d > 0.0 ? law->stiffness * br_pow(d, law->exponent) : 0.0;
}

// A contact that has just opened keeps the law's slope at touch.
static double power_slope(const br_normal_law *law, double d) {
    if (law->exponent == 1.0) return law->stiffness;
    return d > 0.0 ? law->stiffness * law->exponent * br_pow(d, law->exponent - 1.0) : 0.0;
}

static double power_energy(const br_normal_law *law, double d) {
    return d > 0.0 ? law->stiffness * br_pow(d, law->exponent + 1.0) / (law->exponent + 1.0) : 0.0;
}

// The mean over two near depths, with m their middle, r half their distance over m and C binomial coefficients:
//     k m^n sum over even j of C(n, j) r^j/(j + 1)
static double near_mean(const br_normal_law *law, double m, double r) {
    const double n = law->exponent;
    double term = 1.0, sum = 1.0; // C(n, j) r^j
    for (int j = 1; j < MAX_TERMS && fabs(term) > 0.1 * DBL_EPSILON; j++) {
        term *= (n - (j - 1)) / j * r;
        if (j % 2 == 0) sum += term / (j + 1);
    }
    return power(law, m) * sum;
}

// Its derivative by d1 is half those by m and by m r:
//     k m^(n-1)/2 sum over j of C(n, j + 1) r^j times 1 (even j), (j + 1)/(j + 2) (odd j)
static double near_mean_slope(const br_normal_law *law, double m, double r) {
    const double n = law->exponent;
    double term = n, sum = n; // C(n, j + 1) r^j
    for (int j = 1; j < MAX_TERMS && fabs(term) > 0.1 * DBL_EPSILON; j++) {
        term *= (n - j) / (j + 1) * r;
        sum += j % 2 == 0 ? term : term * (j + 1) / (j + 2);
    }
    return 0.5 * power(law, m) / m * sum;
}

static double power_mean(const br_normal_law *law, double d0, double d1) {
    if (!(d0 > 0.0) && !(d1 > 0.0)) return 0.0;
    const double m = 0.5 * (d0 + d1), half = 0.5 * (d1 - d0);
    if (fabs(half) < near_depths * m) return near_mean(law, m, half / m);
    return (power_energy(law, d1) - power_energy(law, d0)) / (d1 - d0);
}

static double power_mean_slope(const br_normal_law *law, double d0, double d1) {
    if (!(d0 > 0.0) && !(d1 > 0.0)) return 0.0;
    const double m = 0.5 * (d0 + d1), half = 0.5 * (d1 - d0);
    if (fabs(half) < near_depths * m) return near_mean_slope(law, m, half / m);
    return (power(law, d1) - power_mean(law, d0, d1)) / (d1 - d0);
}

// --- tables: sums over straight pieces, the first from minus infinity to touch, the last to infinity -------------

typedef struct piece {
    double from, to, slope;
} piece;

static piece piece_of(const br_normal_law *law, int k) { // k from 0, which is the open side, to points - 1
    piece s = {-INFINITY, law->depth[0], 0.0};
    if (k == 0) return s;
    s.from = law->depth[k - 1];
    s.to = k == law->points - 1 ? INFINITY : law->depth[k];
    s.slope = (law->force[k] - law->force[k - 1]) / (law->depth[k] - law->depth[k - 1]);
    return s;
}

static double table_force(const br_normal_law *law, double d) {
    int k = 0;
    while (k < law->points - 1 && d > law->depth[k]) k++;
    const piece s = piece_of(law, k);
    return k == 0 ? 0.0 : law->force[k - 1] + s.slope * (d - s.from);
}

static double table_slope(const br_normal_law *law, double d) {
    int k = 1;
    while (k < law->points - 1 && d > law->depth[k]) k++;
    return piece_of(law, k).slope;
}

static double table_energy(const br_normal_law *law, double d) {
    double energy = 0.0;
    for (int k = 1; k < law->points; k++) {
        const piece s = piece_of(law, k);
        const double length = fmin(d, s.to) - s.from;
        if (length > 0.0) energy += length * (law->force[k - 1] + 0.5 * s.slope * length);
    }
    return energy;
}

// f(low) + sum of slope times the mean of what is above the piece. Every term is positive.
static double table_mean(const br_normal_law *law, double d0, double d1) {
    const double low = fmin(d0, d1), high = fmax(d0, d1), range = high - low;
    double mean = table_force(law, low);
    for (int k = 1; k < law->points; k++) {
        const piece s = piece_of(law, k);
        const double a = fmax(s.from, low), b = fmin(s.to, high);
        if (b > a) mean += s.slope * (b - a) * (0.5 * ((high - a) + (high - b)) / range);
    }
    return mean;
}

static double table_mean_slope(const br_normal_law *law, double d0, double d1) {
    const double low = fmin(d0, d1), high = fmax(d0, d1), range = high - low;
    if (!(range > 0.0)) return d1 > 0.0 ? 0.5 * table_slope(law, d1) : 0.0;
    double slope = 0.0;
    for (int k = 1; k < law->points; k++) {
        const piece s = piece_of(law, k);
        const double a = fmax(s.from, low), b = fmin(s.to, high);
        if (b > a) slope += s.slope * ((b - a) / range) * (0.5 * (fabs(a - d0) + fabs(b - d0)) / range);
    }
    return slope;
}

// --- losses: a part of the spring's force that grows with the rate, or a damper beside the spring ----------------

typedef double gain(const br_normal_law *law, double rate, double v0, double *slope);

static double hunt_crossley_gain(const br_normal_law *law, double rate, double v0, double *slope) {
    (void)v0;
    *slope = law->damping;
    return law->damping * rate;
}

static double lankarani_nikravesh_gain(const br_normal_law *law, double rate, double v0, double *slope) {
    const double e = law->restitution, most = 0.75 * (1.0 - e) * (1.0 + e);
    *slope = 0.0;
    if (!(v0 > 0.0)) return 0.0;
    if (fabs(rate) > most_of_approach * v0) return most * copysign(most_of_approach, rate);
    *slope = most / v0;
    return most * (rate / v0);
}

// --- the table of laws -------------------------------------------------------------------------------------

typedef struct normal_row {
    const char *name;
    double (*force)(const br_normal_law *law, double d); // without the loss
    double (*slope)(const br_normal_law *law, double d); // for d <= 0 that at touch
    double (*energy)(const br_normal_law *law, double d);
    double (*mean)(const br_normal_law *law, double d0, double d1);
    double (*mean_slope)(const br_normal_law *law, double d0, double d1);
    gain *gain;   // NULL: none
    int parallel; // a damper beside the spring
} normal_row;

#define POWER power, power_slope, power_energy, power_mean, power_mean_slope
#define TABLE table_force, table_slope, table_energy, table_mean, table_mean_slope

static const normal_row rows[BR_NORMAL_KINDS] = {
    [BR_NORMAL_LINEAR] = {"linear", POWER, NULL, 1},
    [BR_NORMAL_HERTZ] = {"hertz", POWER, NULL, 1},
    [BR_NORMAL_HUNT_CROSSLEY] = {"hunt_crossley", POWER, hunt_crossley_gain, 0},
    [BR_NORMAL_LANKARANI_NIKRAVESH] = {"lankarani_nikravesh", POWER, lankarani_nikravesh_gain, 0},
    [BR_NORMAL_TABLE] = {"table", TABLE, NULL, 0},
};

static double gain_of(const br_normal_law *law, double rate, double v0, double *slope) {
    *slope = 0.0;
    return rows[law->kind].gain ? rows[law->kind].gain(law, rate, v0, slope) : 0.0;
}

static double damper_of(const br_normal_law *law) {
    return rows[law->kind].parallel ? law->damping : 0.0;
}

br_normal_kind br_normal_kind_from_name(const char *name) {
    if (!name) return BR_NORMAL_RIGID;
    for (int k = BR_NORMAL_LINEAR; k < BR_NORMAL_KINDS; k++)
        if (strcmp(name, rows[k].name) == 0) return (br_normal_kind)k;
    return BR_NORMAL_KINDS;
}

double br_normal_force(const br_normal_law *law, double depth, double rate) {
    double slope;
    if (law->kind == BR_NORMAL_RIGID || !(depth > 0.0)) return 0.0;
    const double spring = rows[law->kind].force(law, depth), part = gain_of(law, rate, 0.0, &slope);
    return fmax(0.0, spring * (1.0 + part) + damper_of(law) * rate);
}

void br_normal_tangent(const br_normal_law *law, double depth, double rate, double *by_depth,
                       double *by_rate) {
    *by_depth = *by_rate = 0.0;
    if (law->kind == BR_NORMAL_RIGID) return;
    const normal_row *row = &rows[law->kind];
    const double d = fmax(0.0, depth);
    double slope;
    *by_depth = row->slope(law, d) * fmax(0.0, 1.0 + gain_of(law, rate, 0.0, &slope));
    *by_rate = row->gain ? row->force(law, d) * slope : damper_of(law);
}

double br_normal_energy(const br_normal_law *law, double depth) {
    return law->kind == BR_NORMAL_RIGID || !(depth > 0.0) ? 0.0 : rows[law->kind].energy(law, depth);
}

double br_normal_elastic(const br_normal_law *law, double depth) {
    return law->kind == BR_NORMAL_RIGID || !(depth > 0.0) ? 0.0 : rows[law->kind].force(law, depth);
}

double br_normal_mean(const br_normal_law *law, double d0, double d1) {
    return law->kind == BR_NORMAL_RIGID ? 0.0 : rows[law->kind].mean(law, d0, d1);
}

double br_normal_mean_slope(const br_normal_law *law, double d0, double d1) {
    return law->kind == BR_NORMAL_RIGID ? 0.0 : rows[law->kind].mean_slope(law, d0, d1);
}

double br_normal_loss(const br_normal_law *law, double depth, double rate, double approach, double *by_depth,
                      double *by_rate) {
    double loss = 0.0, slope[2] = {0.0, 0.0};
    if (law->kind != BR_NORMAL_RIGID && depth > 0.0) {
        const normal_row *row = &rows[law->kind];
        const double part = gain_of(law, rate, approach, &slope[1]);
        const double spring = row->gain ? row->force(law, depth) : 0.0;
        loss = spring * part + damper_of(law) * rate;
        slope[0] = row->gain ? row->slope(law, depth) * part : 0.0;
        slope[1] = spring * slope[1] + damper_of(law);
    }
    if (by_depth) *by_depth = slope[0];
    if (by_rate) *by_rate = slope[1];
    return loss;
}
