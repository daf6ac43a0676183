// Friction laws of one sliding pair, in coefficients: a pad that slides with velocity v (m/s, one to three
// components) under the load N (N) is opposed by the force -N mu(v, z), z being the law's own state (m), if
// it has one.
//
//     coulomb   |mu| <= mu_static at rest, mu_kinetic v/|v| else: set-valued, steppers treat it by events or
//               bounded rows
//     smooth    mu(|v|) v/|v|, shapes of [Wojtyra2017 eq. 12, fig. 1] and [BauchauJu2006 eq. 21]
//     dahl      mu = sigma_0 z,                    dz/dt = v - sigma_0 |v| z/mu_kinetic
//     lugre     mu = sigma_0 z + sigma_1 dz/dt + sigma_2 v,  dz/dt = v - sigma_0 |v| z/g(|v|)
//               [Wojtyra2017 eqs. 13-15], [BauchauJu2006 eqs. 22-23] with
//               g(v) = mu_kinetic + (mu_static - mu_kinetic) exp(-(v/v_stribeck)^stribeck_exponent)
//     bristle   elastic, perfectly plastic (Iwan): mu = sigma_0 z, dz/dt = v but |sigma_0 z| stays within
//               g(|v|): what would leave the disk is taken back along its radius
//
// With sigma_0 infinite the last three are coulomb (dahl of mu_kinetic alone, lugre without its dampers).
//
// Vectors share their law: it is isotropic. No file here knows what a joint is. Theory:
// docs/theory/friction_laws.md.
#ifndef BR_FRICTION_LAW_H
#define BR_FRICTION_LAW_H

#include "bristle/model.h"

#define BR_MAX_SLIDING 3 // components of a sliding velocity

typedef enum br_smooth_shape {
    BR_SMOOTH_PIECEWISE = 0, // [Wojtyra2017 eq. 12]: mu_static at v_slope, mu_kinetic from 1.5 v_slope on
    BR_SMOOTH_TANH,          // mu_kinetic tanh(v/v_slope)
    BR_SMOOTH_ARCTAN,        // mu_kinetic 2/pi arctan(pi v/(2 v_slope))
    BR_SMOOTH_SATURATION,    // mu_kinetic min(v/v_slope, 1)
    BR_SMOOTH_EXPONENTIAL, // g(|v|) (1 - exp(-|v|/v_slope)) sign(v) [BauchauJu2006 eq. 21]. Its peak is below
                           // mu_static, and near it only where v_stribeck is several v_slope
    BR_SMOOTH_STRIBECK_SMOOTH, // piecewise with cubic steps instead of its corners [Wojtyra2017 fig. 1c]
} br_smooth_shape;

typedef struct br_friction_params {
    br_friction_law law;
    br_smooth_shape shape;
    double mu_static, mu_kinetic; // mu_static >= mu_kinetic
    double v_slope;               // m/s, > 0 for smooth
    double sigma_0;               // 1/m, > 0; INFINITY: rigid
    double sigma_1, sigma_2;      // s/m, of lugre only
    double v_stribeck;            // m/s, > 0
    double stribeck_exponent;     // > 0
} br_friction_params;

// A definition with its defaults filled in (0 is missing): a missing coefficient is the other one, v_slope
// 1e-3 m/s, sigma_0 1e5 1/m (bristle: INFINITY), v_stribeck 1e-3 m/s, stribeck_exponent 2, shape piecewise.
br_friction_params br_friction_params_of(const br_friction_def *def);

int br_friction_has_state(const br_friction_params *p);     // dahl, lugre, bristle; sigma_0 finite
int br_friction_is_set_valued(const br_friction_params *p); // coulomb, and those three if sigma_0 is infinite
// Coefficient of steady sliding, without the ramp of smooth laws through rest and without sigma_2.
double br_friction_g(const br_friction_params *p, double speed);
// g at rest: mu_static, of dahl and the shapes without it mu_kinetic. No law holds more for long.
double br_friction_limit(const br_friction_params *p);
// Below it, a pad of this law counts as sticking: v_slope (smooth), v_stribeck (laws with a state), 0 for
// set-valued laws.
double br_friction_rest_speed(const br_friction_params *p);
// Slope of mu at v = 0, s/m [Wojtyra2017 eq. 22]: smooth laws; of lugre sigma_1 + sigma_2 (and sigma_0 per
// metre), of dahl and bristle 0, of set-valued laws INFINITY.
double br_friction_slope(const br_friction_params *p);

// mu and dz/dt at (v, z). mu_v, mu_z, rate_v, rate_z (may be NULL): derivatives, n x n row-major, row:
// component of mu. At corners (v = 0 of laws with a state, those of shapes) the mean or the side nearer rest.
// z may be NULL for laws without a state. A set-valued law gives its sliding value, 0 at rest: ask it only
// where it slides.
void br_friction_at(const br_friction_params *p, int n, const double *v, const double *z, double *mu,
                    double *rate);
void br_friction_tangent(const br_friction_params *p, int n, const double *v, const double *z, double *mu_v,
                         double *mu_z, double *rate_v, double *rate_z);

// One step of length h >= 0 from z at the constant velocity v: z_next by backward Euler (|sigma_0 z_next| is
// at most the larger of |sigma_0 z| and g, of bristle at most g; dahl and bristle cannot gain energy, nor can
// lugre while sigma_1 |v| <= 4 g), mu at its end with dz/dt = (z_next - z)/h, and d mu/d v (n x n, may be
// NULL). Along v the latter is negative only on the falling branch of g, where sigma_0 z.v/|v| (1 - |v| g'/g)
// > g: never in presliding. z_next may be z.
void br_friction_step(const br_friction_params *p, int n, const double *v, const double *z, double h,
                      double *z_next, double *mu, double *mu_v);

#endif
