// Compliant normal laws, see normal.h: one row per law.
#include "friction/normal.h"

#include <math.h>
#include <string.h>

typedef struct normal_row {
    const char *name;
    double (*force)(const br_normal_law *law, double d, double rate);
    void (*tangent)(const br_normal_law *law, double d, double rate, double *by_depth, double *by_rate);
} normal_row;

// k d^n and its derivative; a contact that has just opened keeps the law's slope at touch.
static double power(const br_normal_law *law, double d) {
    return d > 0.0 ? law->stiffness * pow(d, law->exponent) : 0.0;
}

static double power_slope(const br_normal_law *law, double d) {
    if (law->exponent == 1.0) return law->stiffness;
    return d > 0.0 ? law->stiffness * law->exponent * pow(d, law->exponent - 1.0) : 0.0;
}

static double parallel_force(const br_normal_law *law, double d, double rate) {
    return power(law, d) + law->damping * rate;
}

static void parallel_tangent(const br_normal_law *law, double d, double rate, double *by_depth,
                             double *by_rate) {
    (void)rate;
    *by_depth = power_slope(law, d);
    *by_rate = law->damping;
}

static double hunt_crossley_force(const br_normal_law *law, double d, double rate) {
    return power(law, d) * (1.0 + law->damping * rate);
}

static void hunt_crossley_tangent(const br_normal_law *law, double d, double rate, double *by_depth,
                                  double *by_rate) {
    *by_depth = power_slope(law, d) * fmax(0.0, 1.0 + law->damping * rate);
    *by_rate = power(law, d) * law->damping;
}

static const normal_row rows[BR_NORMAL_KINDS] = {
    [BR_NORMAL_LINEAR] = {"linear", parallel_force, parallel_tangent},
    [BR_NORMAL_HERTZ] = {"hertz", parallel_force, parallel_tangent},
    [BR_NORMAL_HUNT_CROSSLEY] = {"hunt_crossley", hunt_crossley_force, hunt_crossley_tangent},
};

br_normal_kind br_normal_kind_from_name(const char *name) {
    if (!name) return BR_NORMAL_RIGID;
    for (int k = BR_NORMAL_LINEAR; k < BR_NORMAL_KINDS; k++)
        if (strcmp(name, rows[k].name) == 0) return (br_normal_kind)k;
    return BR_NORMAL_KINDS;
}

double br_normal_force(const br_normal_law *law, double depth, double rate) {
    if (law->kind == BR_NORMAL_RIGID || !(depth > 0.0)) return 0.0;
    return fmax(0.0, rows[law->kind].force(law, depth, rate));
}

void br_normal_tangent(const br_normal_law *law, double depth, double rate, double *by_depth,
                       double *by_rate) {
    *by_depth = *by_rate = 0.0;
    if (law->kind != BR_NORMAL_RIGID) rows[law->kind].tangent(law, fmax(0.0, depth), rate, by_depth, by_rate);
}

double br_normal_energy(const br_normal_law *law, double depth) {
    if (law->kind == BR_NORMAL_RIGID || !(depth > 0.0)) return 0.0;
    return law->stiffness * pow(depth, law->exponent + 1.0) / (law->exponent + 1.0);
}
