// The normal force of a compliant contact over one step, as a function of its normal velocity v at theta.
//
//     followed by the step   (V(z1) - V(z0))/(z1 - z0), whose work is what the spring stores, and the loss at the middle
//     too stiff for it       force and loss at the depth of the next evaluation: what a rigid contact is asked for (contact/law.c)
//
// z0, z1 depths at the step's start and end. A spring that the step cannot follow would throw back what it stops, the faster
// the stiffer it is. lag goes from one to the other with kappa = W (h^2 k/4 + h d/2): with ten steps a contact it is 6e-4.
#include <math.h>

#include "math/elementary.h"
#include "sim/contact/contact.h"

#define BR_CRITICAL_DAMPING 1.0 // of a damping ratio: from here on nothing comes back
#define BR_HALF_SWING 3.14159265358979323846

// Of the energy of a blow on a spring k with a damper d beside it, as a step that follows it would find: 1 - e^2 with the
// restitution e of half a swing.
static double lost_to_damper(double softness, double k, double d) {
    const double ratio = k > 0.0 ? 0.5 * d * sqrt(softness / k) : BR_CRITICAL_DAMPING;
    if (!(ratio < BR_CRITICAL_DAMPING)) return 1.0;
    return -br_expm1(-2.0 * BR_HALF_SWING * ratio / sqrt(1.0 - ratio * ratio));
}

static double part_rigid(const br_sim *sim, const br_touch *t, br_touch_pressing *x) {
    const br_normal_law *law = &sim->contacts->normal_law[t->pair];
    double k, unused, d, deepest = fmax(x->depth_start, x->depth_next);
    x->damped = 0.0;
    if (!(deepest > 0.0)) return 0.0;
    br_normal_tangent(law, deepest, 0.0, &k, &unused);
    br_normal_loss(law, deepest, -t->approach, t->closing, &unused, &d);
    x->damped = lost_to_damper(t->softness_normal, k, d);
    const double kappa = t->softness_normal * sim->h * (0.25 * sim->h * k + 0.5 * d);
    return isfinite(kappa) ? kappa * kappa / (1.0 + kappa * kappa) : 1.0;
}

// A damper acts while surfaces touch: of the way to the next evaluation that is the part in which they are inside each other.
// With its full force from the first touch on the law would jump, and a step whose answer is on the jump finds none.
static double touching_rate(const br_touch_pressing *x, double h) {
    return fmin(-x->v_next, fmax(0.0, x->depth_next) / h);
}

double br_touch_press(const br_sim *sim, const br_touch *t, double v, br_touch_pressing *out) {
    const br_normal_law *law = &sim->contacts->normal_law[t->pair];
    const double h = sim->h, theta = sim->theta;
    br_touch_pressing x;
    x.v_next = (v - (1.0 - theta) * t->approach) / theta;
    x.depth_start = -t->gap + (1.0 - theta) * h * t->approach;
    x.depth_end = x.depth_start - h * v;
    x.depth_loss = x.depth_start + theta * (x.depth_end - x.depth_start);
    x.depth_next = -t->gap - h * x.v_next;
    x.rate_next = touching_rate(&x, h);
    const double rigid = part_rigid(sim, t, &x);
    x.lag = theta == 1.0 ? 1.0 : rigid;
    x.spring = x.loss = 0.0;
    if (x.lag < 1.0) {
        x.spring = (1.0 - x.lag) * br_normal_mean(law, x.depth_start, x.depth_end);
        x.loss = (1.0 - x.lag) * br_normal_loss(law, x.depth_loss, -v, t->closing, NULL, NULL);
    }
    const double f = x.spring + x.loss;
    double spring = 0.0, loss = 0.0;
    if (x.lag > 0.0) {
        spring = br_normal_elastic(law, x.depth_next);
        loss = br_normal_loss(law, x.depth_next, x.rate_next, t->closing, NULL, NULL);
    }
    if (out) { // with theta 1 all of it is of the next depth, but only what is too stiff counts as rigid
        x.spring += (x.lag - rigid) * spring, x.loss += (x.lag - rigid) * loss;
        x.rigid = rigid;
        *out = x;
    }
    return fmax(0.0, f + x.lag * (spring + loss));
}
