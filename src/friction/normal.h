// Normal force of a compliant contact as a function of its depth d and the rate d' (positive: closing).
//
//     linear         k d + c d'
//     hertz          k d^n + c d'          n = 3/2: two spheres
//     hunt_crossley  k d^n (1 + c d')      no jump at touch, no tension but for d' < -1/c
//
// Never negative: surfaces do not pull. A new law is one row of the table in normal.c.
#ifndef BR_FRICTION_NORMAL_H
#define BR_FRICTION_NORMAL_H

typedef enum br_normal_kind {
    BR_NORMAL_RIGID = 0,
    BR_NORMAL_LINEAR,
    BR_NORMAL_HERTZ,
    BR_NORMAL_HUNT_CROSSLEY,
    BR_NORMAL_KINDS
} br_normal_kind;

typedef struct br_normal_law {
    br_normal_kind kind;
    double stiffness, damping, exponent;
} br_normal_law;

br_normal_kind br_normal_kind_from_name(const char *name); // NULL: rigid; BR_NORMAL_KINDS when there is none
double br_normal_force(const br_normal_law *law, double depth, double rate); // N, >= 0; 0 for depth <= 0
// Its derivatives by depth and by rate, of the law without the clamp at zero, but never negative. depth <= 0: those at touch.
void br_normal_tangent(const br_normal_law *law, double depth, double rate, double *by_depth,
                       double *by_rate);
double br_normal_energy(const br_normal_law *law, double depth); // stored, J

#endif
