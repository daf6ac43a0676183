// The directions of a clearance joint over a step, private to element_clearance*.c.
#ifndef BR_SIM_STEPPER_IMPLICIT_ELEMENT_CLEARANCE_STEP_H
#define BR_SIM_STEPPER_IMPLICIT_ELEMENT_CLEARANCE_STEP_H

#include "flex/clearance.h"
#include "sim/stepper/implicit/by12.h"
#include "sim/stepper/implicit/implicit.h"

// One clearance joint: what does not change, and the step at hand.
typedef struct br_clearance {
    const br_model_clearance *def;
    br_ends ends;
    br_race_contact start, end; // of the step
    br_vec3 u_start;            // u
    br_vec3 v_start;            // v
    // of the last evaluation
    br_vec3 n, z_next, f_t;
    double normal, slip;
    br_turning turning;
} br_clearance;

// du/dt and the angular velocities of the evaluation, and their derivatives.
typedef struct br_clearance_rate {
    br_vec3 du, w_k, w_l;
    br_by12 du_by, w_k_by, w_l_by;
} br_clearance_rate;

// n, m_k, m_l: what a unit of normal force is. side: the direction that friction is across.
typedef struct br_clearance_mean {
    br_vec3 n, m_k, m_l, side, arm_k, arm_l;
    br_by12 n_by, m_k_by, m_l_by, side_by, arm_k_by, arm_l_by; // by the ends
    double gap_by[12];                                         // of the end
} br_clearance_mean;

static inline br_vec3 br_read3(const double *from) {
    return br_vec3_of(from[0], from[1], from[2]);
}

static inline br_vec3 br_half_sum(br_vec3 a, br_vec3 b) {
    return br_vec3_scale(0.5, br_vec3_add(a, b));
}

// How fast the contact point of L passes that of K.
static inline br_vec3 br_passing(br_vec3 du, br_vec3 w_k, br_vec3 w_l, br_vec3 arm_k, br_vec3 arm_l) {
    return br_vec3_add(du, br_vec3_sub(br_vec3_cross(w_l, arm_l), br_vec3_cross(w_k, arm_k)));
}

void br_clearance_rates(br_implicit *f, const br_clearance *p, const br_span *s, br_clearance_rate *out);
// At the evaluation at hand: of the end, or over the step. p->start and p->end are known, and derivatives where f->tangent.
void br_clearance_means(const br_implicit *f, const br_clearance *p, const br_span *s,
                        const br_clearance_rate *r, br_clearance_mean *out);
br_by12 br_clearance_passing_by(const br_clearance_rate *r, const br_clearance_mean *m); // d passing

#endif
