// The time-discontinuous rule, see lugre.h.
//
// | paper | code | |
// |---|---|---|
// | beta_g Omega [BauchauJu2006 eq. 26] | beta | sigma_0 |v|/g, 1/s |
// | beta_g dtau | x | |
// | z_i, z_j, z_f, z_g [eq. 29] | z_i, z_j, z_f, z_g | before, just after, at the end of the step; (z_j + z_f)/2 |
#include "friction/lugre.h"

#include <math.h>
#include <string.h>

enum { N = BR_MAX_SLIDING };

// Of (6 + x)/D and (3 + x)/D: their values and slopes.
typedef struct fractions {
    double whole, whole_slope, middle, middle_slope, jump; // jump: x/D
} fractions;

static fractions fractions_of(double x) {
    const double D = 6.0 + x * (4.0 + x);
    return (fractions){
        .whole = (6.0 + x) / D,
        .whole_slope = -((18.0 + x * (12.0 + x)) / D) / D,
        .middle = (3.0 + x) / D,
        .middle_slope = -((6.0 + x * (6.0 + x)) / D) / D,
        .jump = x / D,
    };
}

// beta and its gradient, from the rate of the law: d rate/d z = -beta I, d rate/d v = I - z grad^T. The deflection
// 1/sigma_0 is the law's own scale: grad/sigma_0 is of the size of 1/g, so taking it from 1 costs no digits.
static double beta_at(const br_friction_params *p, int n, const double *v, double *grad) {
    const double z[N] = {1.0 / p->sigma_0};
    double rate_v[N * N], rate_z[N * N];
    br_friction_tangent(p, n, v, z, NULL, NULL, rate_v, rate_z);
    for (int j = 0; j < n; j++) grad[j] = p->sigma_0 * ((j == 0 ? 1.0 : 0.0) - rate_v[j]);
    return -rate_z[0];
}

// d (a w)/d v, with w = v - beta z_i and a a function of x = beta h whose slope is given: a (I - z_i grad^T) + h slope w grad^T
static void scaled_rate_by_v(int n, double a, double h_slope, const double *z_i, const double *w,
                             const double *grad, double *M) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            M[i * n + j] = a * ((i == j ? 1.0 : 0.0) - z_i[i] * grad[j]) + h_slope * w[i] * grad[j];
}

static void advance_bristles(const br_friction_params *p, int n, const double *v, const double *v_end,
                             const double *z_i, double h, br_lugre_step *out) {
    const double sigma_0 = p->sigma_0;
    const double sigma_1 = p->law == BR_FRICTION_LUGRE ? p->sigma_1 : 0.0;
    const double sigma_2 = p->law == BR_FRICTION_LUGRE ? p->sigma_2 : 0.0;
    double grad[N], w[N] = {0.0}, rate_v[N * N], z_g_v[N * N], end_z[N * N];
    const double beta = beta_at(p, n, v, grad);
    const fractions a = fractions_of(beta * h);
    for (int i = 0; i < n; i++) {
        w[i] = v[i] - beta * z_i[i];
        out->z_f[i] = z_i[i] + h * w[i] * a.whole;
        out->z_j[i] = z_i[i] + h * w[i] * a.jump;
        out->z_g[i] = z_i[i] + h * w[i] * a.middle;
        out->mu[i] = sigma_0 * out->z_g[i] + sigma_1 * w[i] * a.whole + sigma_2 * v[i]; // [eq. 25]
    }
    scaled_rate_by_v(n, a.whole, h * a.whole_slope, z_i, w, grad, rate_v); // of (z_f - z_i)/h
    scaled_rate_by_v(n, a.middle, h * a.middle_slope, z_i, w, grad, z_g_v);
    for (int k = 0; k < n * n; k++) out->mu_v[k] = sigma_0 * h * z_g_v[k] + sigma_1 * rate_v[k];
    for (int i = 0; i < n; i++) out->mu_v[i * n + i] += sigma_2;

    if (!v_end) return; // the end has the law itself, at z_f
    br_friction_at(p, n, v_end, out->z_f, out->mu_end, NULL);
    br_friction_tangent(p, n, v_end, out->z_f, out->mu_end_v_end, end_z, NULL, NULL);
    for (int k = 0; k < n * n; k++) out->mu_end_v[k] = end_z[0] * h * rate_v[k]; // mu_z is a multiple of I
}

// Elastic-plastic bristles: radial return, whose force is that of the end throughout.
static void advance_radially(const br_friction_params *p, int n, const double *v, const double *z_i, double h,
                             br_lugre_step *out) {
    const size_t vector = (size_t)n * sizeof(double), matrix = (size_t)(n * n) * sizeof(double);
    br_friction_step(p, n, v, z_i, h, out->z_f, out->mu, out->mu_v);
    memcpy(out->z_j, out->z_f, vector);
    memcpy(out->z_g, out->z_f, vector);
    memcpy(out->mu_end, out->mu, vector);
    memcpy(out->mu_end_v, out->mu_v, matrix);
}

void br_lugre_advance(const br_friction_params *p, int n, const double *v, const double *v_end,
                      const double *z_i, double h, br_lugre_step *out) {
    memset(out, 0, sizeof *out);
    if (p->law == BR_FRICTION_NONE) return;
    if (!br_friction_has_state(p)) {
        br_friction_at(p, n, v, NULL, out->mu, NULL);
        br_friction_tangent(p, n, v, NULL, out->mu_v, NULL, NULL, NULL);
        if (!v_end) return;
        br_friction_at(p, n, v_end, NULL, out->mu_end, NULL);
        br_friction_tangent(p, n, v_end, NULL, out->mu_end_v_end, NULL, NULL, NULL);
    } else if (p->law == BR_FRICTION_BRISTLE) {
        advance_radially(p, n, v, z_i, h, out);
    } else {
        advance_bristles(p, n, v, v_end, z_i, h, out);
    }
}

double br_lugre_rate(const br_friction_params *p) {
    if (!br_friction_has_state(p) || !(p->mu_kinetic > 0.0)) return 0.0;
    return p->sigma_0 * p->v_stribeck / p->mu_kinetic;
}
