// A friction law as a curve over the sliding velocity [Wojtyra2017 fig. 1], see bristle/friction.h.
#include "bristle/friction.h"

#include <math.h>

#include "friction/law.h"

double br_friction_steady(const br_friction_def *def, double v) {
    const br_friction_params p = br_friction_params_of(def);
    double z = 0.0, mu = 0.0, rate = 0.0;
    // Where bristles neither bend nor give way, sigma_0 z = g(v) [Wojtyra2017 eq. 13].
    if (br_friction_has_state(&p) && v != 0.0) z = copysign(br_friction_g(&p, fabs(v)), v) / p.sigma_0;
    br_friction_at(&p, 1, &v, &z, &mu, &rate);
    return mu;
}

int br_friction_jumps(const br_friction_def *def) {
    const br_friction_params p = br_friction_params_of(def);
    return br_friction_is_set_valued(&p) || br_friction_has_state(&p);
}

double br_friction_holds(const br_friction_def *def) {
    const br_friction_params p = br_friction_params_of(def);
    return br_friction_limit(&p);
}

double br_friction_turn_speed(const br_friction_def *def) {
    const br_friction_params p = br_friction_params_of(def);
    if (p.law == BR_FRICTION_SMOOTH)
        return p.shape == BR_SMOOTH_EXPONENTIAL ? fmax(p.v_slope, p.v_stribeck) : 1.5 * p.v_slope;
    return p.law == BR_FRICTION_LUGRE ? p.v_stribeck : 0.0;
}
