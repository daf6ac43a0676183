// LuGre by the time-discontinuous rule [BauchauJu2006 eqs. 25-29], for a vector state.
//
//     (z_f - z_i)/h + b (z_f + z_j)/2 = v,   (z_j - z_i)/h - b (z_f - z_j)/6 = 0,   b = sigma_0 |v|/g(|v|)
//
// v is the mean velocity of the step. Solved for increments, so that nothing cancels: with x = b h, D = 6 + 4 x + x^2
// and w = v - b z_i, the rate of the exact law at the start,
//
//     z_f - z_i = h w (6 + x)/D,    z_j - z_i = h w x/D,    z_g - z_i = h w (3 + x)/D,    v - b z_g = w (6 + x)/D
//
// Dimensional, unlike the paper: z in m, b in 1/s. A vector, unlike the paper's z with |v|: a reversal needs a direction.
// Third order at constant v, second at varying v. |sigma_0 z| stays below mu_static while b h <= 3, and below 1.2175
// mu_static for every step. Work of the friction plus change of the bristles' energy f_n sigma_0 |z|^2/2 is never positive
// while f_n is constant and sigma_1^2 b <= 4 sigma_0 (sigma_1 + sigma_2). Theory: docs/theory/lugre.md.
#ifndef BR_FRICTION_LUGRE_H
#define BR_FRICTION_LUGRE_H

#include "friction/law.h"

typedef struct br_lugre_step {
    double z_j[BR_MAX_SLIDING], z_f[BR_MAX_SLIDING]; // m
    double z_g[BR_MAX_SLIDING];                      // (z_j + z_f)/2, what the mean force of the step has
    double mu[BR_MAX_SLIDING]; // mean coefficient: sigma_0 z_g + sigma_1 (v - b z_g) + sigma_2 v [eq. 25]
    // At the end, with v_end: sigma_0 z_f + sigma_1 (v_end - b(v_end) z_f) + sigma_2 v_end.
    double mu_end[BR_MAX_SLIDING];
    // n x n row-major derivatives: of mu by v; of mu_end by v (through z_f) and by v_end.
    double mu_v[BR_MAX_SLIDING * BR_MAX_SLIDING], mu_end_v[BR_MAX_SLIDING * BR_MAX_SLIDING],
        mu_end_v_end[BR_MAX_SLIDING * BR_MAX_SLIDING];
} br_lugre_step;

// One step of any law of friction/law.h but set-valued ones: lugre and dahl by the rule above, smooth laws at v (mu) and
// v_end (mu_end), bristle by br_friction_step. z_i: n numbers, ignored by laws without a state. v_end NULL:
// nothing is wanted at the end, mu_end and its derivatives stay 0 (of bristle: those of mu), in half the time.
void br_lugre_advance(const br_friction_params *p, int n, const double *v, const double *v_end,
                      const double *z_i, double h, br_lugre_step *out);

// Inverse time constant sigma_0 v_stribeck/mu_kinetic [eq. 27], 1/s. 0 for laws without a state.
double br_lugre_rate(const br_friction_params *p);

#endif
