// Normal force of a compliant contact as a function of its depth d and the rate d' (positive: closing).
//
//     linear               k d + c d'
//     hertz                k d^n + c d'                          n = 3/2: two spheres
//     hunt_crossley        k d^n (1 + c d')                      no jump at touch, no tension but for d' < -1/c
//     lankarani_nikravesh  k d^n (1 + 3/4 (1 - e^2) d'/v0)       v0: the rate at touch, d'/v0 kept within +-2
//     table                straight between points, without loss; beyond the last one its slope goes on
//
// Never negative: surfaces do not pull. A new law is one row of the table in normal.c.
#ifndef BR_FRICTION_NORMAL_H
#define BR_FRICTION_NORMAL_H

typedef enum br_normal_kind {
    BR_NORMAL_RIGID = 0,
    BR_NORMAL_LINEAR,
    BR_NORMAL_HERTZ,
    BR_NORMAL_HUNT_CROSSLEY,
    BR_NORMAL_LANKARANI_NIKRAVESH,
    BR_NORMAL_TABLE,
    BR_NORMAL_KINDS
} br_normal_kind;

typedef struct br_normal_law {
    br_normal_kind kind;
    double stiffness, damping, exponent;
    double restitution;          // lankarani_nikravesh: e
    int points;                  // table: at least 2
    const double *depth, *force; // table: [points], from (0, 0), depth rising, force not falling; not owned
} br_normal_law;

br_normal_kind br_normal_kind_from_name(const char *name); // NULL: rigid; BR_NORMAL_KINDS when there is none
// N, >= 0; 0 for depth <= 0. lankarani_nikravesh: without its loss, which needs v0.
double br_normal_force(const br_normal_law *law, double depth, double rate);
// Its derivatives by depth and by rate, of the law without the clamp at zero, but never negative. depth <= 0: those at touch.
void br_normal_tangent(const br_normal_law *law, double depth, double rate, double *by_depth,
                       double *by_rate);
double br_normal_energy(const br_normal_law *law, double depth); // stored, J

// --- the same in two parts, for steps that balance work ---------------------------------------------------------

double br_normal_elastic(const br_normal_law *law, double depth); // dV/dd, V: br_normal_energy
// (V(d1) - V(d0))/(d1 - d0): the mean force of a step from depth d0 to d1, whose work is the change of V
// [BauchauJu2006 section 3]. Exact to rounding however near d1 is to d0; depths may have any sign. And its
// derivative by d1, which at d1 <= 0 is that of the open side.
double br_normal_mean(const br_normal_law *law, double d0, double d1);
double br_normal_mean_slope(const br_normal_law *law, double d0, double d1);
// What the law has beyond its elastic part, and its derivatives (may be NULL). Never works forward: loss * rate >= 0.
// 0 for depth <= 0. approach: v0, only for lankarani_nikravesh; 0 or less: no loss. elastic + loss may pull: the caller
// clips it.
double br_normal_loss(const br_normal_law *law, double depth, double rate, double approach, double *by_depth,
                      double *by_rate);

#endif
