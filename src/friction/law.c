// Friction laws, see law.h: one row per law, one row per shape of the smooth law.
//
// | paper | code | |
// |---|---|---|
// | G(v) [Wojtyra2017 eq. 14], g(v) [BauchauJu2006 eq. 28] | g | coefficient of steady sliding |
// | gamma [Wojtyra2017 eq. 12], v0 [BauchauJu2006 eq. 21] | v_slope | |
// | theta [Wojtyra2017 eq. 14], v_s [BauchauJu2006 eq. 23] | v_stribeck | |
// | beta [BauchauJu2006 eq. 26] | beta | sigma_0 |v|/g, 1/s: how fast bristles give way |
//
// Slopes of g are carried as s g'(s): it stays finite where g' does not (an exponent below 1 at rest, a tiny
// v_stribeck).
#include "friction/law.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "math/elementary.h"

static const double pi = 3.14159265358979323846;

// A coefficient that no pad can tell from none: what beta divides by where the law leaves no friction at all.
static const double least_g = 1e-12;

// z counts as at its limit within rounding of the step that put it there.
static const double at_limit = 1.0 - 8.0 * DBL_EPSILON;

// --- vectors of one to three components --------------------------------------------------------------------

// Scaled: speeds of 1e-300 have a direction too.
static double law_norm(int n, const double *x) {
    double largest = fabs(x[0]), sum = 0.0;
    if (n == 1) return largest;
    for (int i = 1; i < n; i++) largest = fmax(largest, fabs(x[i]));
    if (!(largest > 0.0) || !(largest < INFINITY)) return largest;
    for (int i = 0; i < n; i++) sum += (x[i] / largest) * (x[i] / largest);
    return largest * sqrt(sum);
}

static double unit(int n, const double *x, double *e) { // zero for zero
    const double length = law_norm(n, x);
    for (int i = 0; i < n; i++) e[i] = length > 0.0 ? x[i] / length : 0.0;
    return length;
}

static void zero(int n, double *x) {
    for (int i = 0; x && i < n; i++) x[i] = 0.0;
}

static void scaled_identity(int n, double a, double *M) { // M = a I
    if (!M) return;
    zero(n * n, M);
    for (int i = 0; i < n; i++) M[i * n + i] = a;
}

static void add_outer(int n, double a, const double *x, const double *y, double *M) { // M += a x y^T
    for (int i = 0; M && i < n; i++)
        for (int j = 0; j < n; j++) M[i * n + j] += a * x[i] * y[j];
}

// M = along e e^T + across (I - e e^T). With one component nothing is across, to the last bit.
static void law_split(int n, const double *e, double along, double across, double *M) {
    for (int i = 0; M && i < n; i++)
        for (int j = 0; j < n; j++) {
            const double ee = e[i] * e[j];
            M[i * n + j] = along * ee + across * ((i == j ? 1.0 : 0.0) - ee);
        }
}

// --- g(s) and s g'(s), s = |v|
// -------------------------------------------------------------------------------

typedef double curve(const br_friction_params *p, double s, double *log_slope);

static double g_kinetic(const br_friction_params *p, double s, double *log_slope) {
    (void)s;
    *log_slope = 0.0;
    return p->mu_kinetic;
}

static double g_coulomb(const br_friction_params *p, double s, double *log_slope) {
    *log_slope = 0.0;
    return s > 0.0 ? p->mu_kinetic : p->mu_static;
}

// [Wojtyra2017 eq. 14], [BauchauJu2006 eq. 23]
static double g_stribeck(const br_friction_params *p, double s, double *log_slope) {
    const double drop = p->mu_static - p->mu_kinetic;
    const double x = s > 0.0 ? br_pow(s / p->v_stribeck, p->stribeck_exponent) : 0.0;
    const double left = br_exp(-x); // of the drop; x may be infinite
    *log_slope = left > 0.0 ? -drop * p->stribeck_exponent * x * left : 0.0;
    return p->mu_kinetic + drop * left;
}

// From mu_static at v_slope to mu_kinetic at 1.5 v_slope: straight [Wojtyra2017 eq. 12],
static double g_straight(const br_friction_params *p, double s, double *log_slope) {
    const double drop = p->mu_static - p->mu_kinetic, beyond = (s - p->v_slope) / p->v_slope;
    *log_slope = 0.0;
    if (!(s > p->v_slope)) return p->mu_static;
    if (s > 1.5 * p->v_slope) return p->mu_kinetic;
    *log_slope = -2.0 * drop * (s / p->v_slope);
    return p->mu_static - 2.0 * drop * beyond;
}

// or by a cubic step, level at both ends.
static double g_cubic(const br_friction_params *p, double s, double *log_slope) {
    const double drop = p->mu_static - p->mu_kinetic, w = 2.0 * (s - p->v_slope) / p->v_slope;
    *log_slope = 0.0;
    if (!(w > 0.0)) return p->mu_static;
    if (w >= 1.0) return p->mu_kinetic;
    *log_slope = -drop * 6.0 * w * (1.0 - w) * 2.0 * (s / p->v_slope);
    return p->mu_static - drop * w * w * (3.0 - 2.0 * w);
}

// --- shapes of the smooth law: mu(s) = g(s) ramp(u), u = s/v_slope
// ------------------------------------------

static double ramp_straight(double u, double *slope) {
    *slope = u <= 1.0 ? 1.0 : 0.0;
    return fmin(u, 1.0);
}

static double ramp_tanh(double u, double *slope) {
    const double t = br_tanh(u);
    *slope = (1.0 - t) * (1.0 + t);
    return t;
}

static double ramp_arctan(double u, double *slope) {
    const double x = 0.5 * pi * u;
    *slope = 1.0 / (1.0 + x * x);
    return 2.0 / pi * br_atan(x);
}

static double ramp_exponential(double u, double *slope) {
    *slope = br_exp(-u);
    return -br_expm1(-u);
}

// The cubic step from -1 at -1 to 1 at 1.
static double ramp_cubic(double u, double *slope) {
    *slope = u < 1.0 ? 1.5 * (1.0 - u * u) : 0.0;
    return u < 1.0 ? 0.5 * u * (3.0 - u * u) : 1.0;
}

static const struct shape_row {
    const char *name;
    curve *g;
    double (*ramp)(double u, double *slope);
} shapes[] = {
    [BR_SMOOTH_PIECEWISE] = {"piecewise", g_straight, ramp_straight},
    [BR_SMOOTH_TANH] = {"tanh", g_kinetic, ramp_tanh},
    [BR_SMOOTH_ARCTAN] = {"arctan", g_kinetic, ramp_arctan},
    [BR_SMOOTH_SATURATION] = {"saturation", g_kinetic, ramp_straight},
    [BR_SMOOTH_EXPONENTIAL] = {"exponential", g_stribeck, ramp_exponential},
    [BR_SMOOTH_STRIBECK_SMOOTH] = {"stribeck_smooth", g_cubic, ramp_cubic},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

// mu(|v|) v/|v|, whose derivative is mu/|v| across v and mu' along it.
static void smooth_mu(const br_friction_params *p, int n, const double *v, double *mu, double *mu_v) {
    const struct shape_row *shape = &shapes[p->shape];
    double e[BR_MAX_SLIDING], log_slope, slope;
    const double s = unit(n, v, e), g = shape->g(p, s, &log_slope), u = s / p->v_slope;
    const double ramp = shape->ramp(u, &slope);
    for (int i = 0; mu && i < n; i++) mu[i] = g * ramp * e[i];
    if (!mu_v) return;
    const double secant = (u > 0.0 ? ramp / u : slope) / p->v_slope; // ramp/s
    law_split(n, e, g * slope / p->v_slope + log_slope * secant, g * secant, mu_v);
}

static void smooth_at(const br_friction_params *p, int n, const double *v, const double *z, double *mu,
                      double *rate) {
    (void)z;
    smooth_mu(p, n, v, mu, NULL);
    zero(n, rate);
}

static void smooth_tangent(const br_friction_params *p, int n, const double *v, const double *z, double *mu_v,
                           double *mu_z, double *rate_v, double *rate_z) {
    (void)z;
    smooth_mu(p, n, v, NULL, mu_v);
    zero(n * n, mu_z);
    zero(n * n, rate_v);
    zero(n * n, rate_z);
}

static void smooth_step(const br_friction_params *p, int n, const double *v, const double *z, double h,
                        double *z_next, double *mu, double *mu_v) {
    (void)z, (void)h;
    smooth_mu(p, n, v, mu, mu_v);
    zero(n, z_next);
}

// --- coulomb, and what has no friction: the value of sliding, nothing at rest
// -------------------------------

static double sliding_g(const br_friction_params *p, double s) {
    return p->law == BR_FRICTION_NONE ? 0.0 : s > 0.0 ? p->mu_kinetic : 0.0;
}

static void sliding_at(const br_friction_params *p, int n, const double *v, const double *z, double *mu,
                       double *rate) {
    (void)z;
    const double g = sliding_g(p, unit(n, v, mu));
    for (int i = 0; i < n; i++) mu[i] *= g;
    zero(n, rate);
}

static void sliding_tangent(const br_friction_params *p, int n, const double *v, const double *z,
                            double *mu_v, double *mu_z, double *rate_v, double *rate_z) {
    (void)z;
    double e[BR_MAX_SLIDING];
    const double s = unit(n, v, e);
    law_split(n, e, 0.0, sliding_g(p, s) / fmax(s, DBL_MIN), mu_v);
    zero(n * n, mu_z);
    zero(n * n, rate_v);
    zero(n * n, rate_z);
}

static void sliding_step(const br_friction_params *p, int n, const double *v, const double *z, double h,
                         double *z_next, double *mu, double *mu_v) {
    (void)h;
    sliding_at(p, n, v, z, mu, z_next);
    sliding_tangent(p, n, v, z, mu_v, NULL, NULL, NULL);
}

// --- lugre, and dahl, which is lugre with g = mu_kinetic and without damping
// --------------------------------

typedef struct bristles {
    double sigma_0, sigma_1, sigma_2;
    double e[BR_MAX_SLIDING]; // v/|v|, 0 at rest
    double beta, beta_slope;  // sigma_0 |v|/g, 1/s, and its slope along e, 1/m
} bristles;

// At rest |v| has a corner. e = 0 there makes every derivative the mean of its two sides.
static bristles bristles_at(const br_friction_params *p, int n, const double *v) {
    bristles b = {p->sigma_0, 0.0, 0.0, {0.0}, 0.0, 0.0};
    double log_slope = 0.0;
    const double s = unit(n, v, b.e);
    const double g = p->law == BR_FRICTION_DAHL ? p->mu_kinetic : g_stribeck(p, s, &log_slope);
    const double divisor = fmax(g, least_g);
    if (p->law == BR_FRICTION_LUGRE) {
        b.sigma_1 = p->sigma_1;
        b.sigma_2 = p->sigma_2;
    }
    b.beta = b.sigma_0 * (s / divisor);
    b.beta_slope = b.sigma_0 / divisor * (1.0 - log_slope / divisor);
    return b;
}

static void lugre_at(const br_friction_params *p, int n, const double *v, const double *z, double *mu,
                     double *rate) {
    const bristles b = bristles_at(p, n, v);
    for (int i = 0; i < n; i++) {
        const double dz = v[i] - b.beta * z[i];                       // [Wojtyra2017 eq. 13]
        mu[i] = b.sigma_0 * z[i] + b.sigma_1 * dz + b.sigma_2 * v[i]; // [BauchauJu2006 eq. 22]
        if (rate) rate[i] = dz;
    }
}

static void lugre_tangent(const br_friction_params *p, int n, const double *v, const double *z, double *mu_v,
                          double *mu_z, double *rate_v, double *rate_z) {
    const bristles b = bristles_at(p, n, v);
    scaled_identity(n, 1.0, rate_v);
    add_outer(n, -b.beta_slope, z, b.e, rate_v);
    scaled_identity(n, -b.beta, rate_z);
    scaled_identity(n, b.sigma_1 + b.sigma_2, mu_v);
    add_outer(n, -b.sigma_1 * b.beta_slope, z, b.e, mu_v);
    scaled_identity(n, b.sigma_0 - b.sigma_1 * b.beta, mu_z);
}

// z_next = z + h (v - beta z_next): a mean of z and of steady sliding g v/(sigma_0 |v|), hence never longer
// than both. The rate is written without the difference z_next - z, which would cancel for short steps.
static void lugre_step(const br_friction_params *p, int n, const double *v, const double *z, double h,
                       double *z_next, double *mu, double *mu_v) {
    const bristles b = bristles_at(p, n, v);
    const double keep = 1.0 / (1.0 + h * b.beta), gain = b.sigma_0 * h + b.sigma_1;
    double next[BR_MAX_SLIDING] = {0.0};
    for (int i = 0; i < n; i++) {
        next[i] = keep * (z[i] + h * v[i]);
        mu[i] = b.sigma_0 * next[i] + b.sigma_1 * keep * (v[i] - b.beta * z[i]) + b.sigma_2 * v[i];
    }
    scaled_identity(n, gain * keep + b.sigma_2, mu_v);
    add_outer(n, -gain * keep * b.beta_slope, next, b.e, mu_v);
    for (int i = 0; z_next && i < n; i++) z_next[i] = next[i];
}

// --- bristle: elastic inside the disk |sigma_0 z| <= g, on its edge only what stays on it
// -------------------

typedef struct edge {
    double e[BR_MAX_SLIDING]; // z/|z|
    double length;            // |z|
    double g, g_v[BR_MAX_SLIDING];
    int plastic; // z is on the edge or beyond
} edge;

static edge edge_at(const br_friction_params *p, int n, const double *v, const double *z) {
    edge d;
    double log_slope;
    const double s = unit(n, v, d.g_v);
    d.length = unit(n, z, d.e);
    d.g = g_stribeck(p, s, &log_slope);
    d.plastic = d.length > 0.0 && p->sigma_0 * d.length >= at_limit * d.g;
    for (int i = 0; i < n; i++) d.g_v[i] *= log_slope / fmax(s, DBL_MIN); // g' v/|v|
    return d;
}

static void bristle_at(const br_friction_params *p, int n, const double *v, const double *z, double *mu,
                       double *rate) {
    const edge d = edge_at(p, n, v, z);
    const double outward = d.plastic ? fmax(0.0, br_dot(n, d.e, v)) : 0.0;
    for (int i = 0; i < n; i++) {
        mu[i] = d.plastic ? d.g * d.e[i] : p->sigma_0 * z[i];
        if (rate) rate[i] = v[i] - outward * d.e[i];
    }
}

static void bristle_tangent(const br_friction_params *p, int n, const double *v, const double *z,
                            double *mu_v, double *mu_z, double *rate_v, double *rate_z) {
    const edge d = edge_at(p, n, v, z);
    const double outward = br_dot(n, d.e, v);
    zero(n * n, mu_v);
    zero(n * n, rate_z);
    scaled_identity(n, p->sigma_0, mu_z);
    scaled_identity(n, 1.0, rate_v);
    if (!d.plastic) return;
    law_split(n, d.e, 0.0, d.g / d.length, mu_z);
    add_outer(n, 1.0, d.e, d.g_v, mu_v);
    if (!(outward > 0.0)) return;
    law_split(n, d.e, 0.0, 1.0, rate_v);
    // rate = v - (e.v) e and de/dz = (I - e e^T)/|z|
    double along[BR_MAX_SLIDING];
    for (int i = 0; i < n; i++) along[i] = v[i] - outward * d.e[i];
    law_split(n, d.e, 0.0, -outward / d.length, rate_z);
    add_outer(n, -1.0 / d.length, d.e, along, rate_z);
}

// Radial return: elastic first, then straight back to the edge.
static void bristle_step(const br_friction_params *p, int n, const double *v, const double *z, double h,
                         double *z_next, double *mu, double *mu_v) {
    double trial[BR_MAX_SLIDING] = {0.0};
    for (int i = 0; i < n; i++) trial[i] = z[i] + h * v[i];
    const edge d = edge_at(p, n, v, trial);
    const double scale = d.plastic ? d.g / d.length : p->sigma_0; // mu = scale trial
    for (int i = 0; i < n; i++) mu[i] = d.plastic ? d.g * d.e[i] : scale * trial[i];
    law_split(n, d.e, d.plastic ? 0.0 : h * scale, h * scale, mu_v);
    if (d.plastic) add_outer(n, 1.0, d.e, d.g_v, mu_v);
    for (int i = 0; z_next && i < n; i++) z_next[i] = d.plastic ? d.g / p->sigma_0 * d.e[i] : trial[i];
}

// --- the table
// -----------------------------------------------------------------------------------------------

typedef struct law_row {
    void (*at)(const br_friction_params *p, int n, const double *v, const double *z, double *mu,
               double *rate);
    void (*tangent)(const br_friction_params *p, int n, const double *v, const double *z, double *mu_v,
                    double *mu_z, double *rate_v, double *rate_z);
    void (*step)(const br_friction_params *p, int n, const double *v, const double *z, double h,
                 double *z_next, double *mu, double *mu_v);
    int bristles; // rigid where sigma_0 is infinite: the law is set-valued then
} law_row;

static const law_row laws[] = {
    [BR_FRICTION_NONE] = {sliding_at, sliding_tangent, sliding_step, 0},
    [BR_FRICTION_COULOMB] = {sliding_at, sliding_tangent, sliding_step, 0},
    [BR_FRICTION_SMOOTH] = {smooth_at, smooth_tangent, smooth_step, 0},
    [BR_FRICTION_DAHL] = {lugre_at, lugre_tangent, lugre_step, 1},
    [BR_FRICTION_LUGRE] = {lugre_at, lugre_tangent, lugre_step, 1},
    [BR_FRICTION_BRISTLE] = {bristle_at, bristle_tangent, bristle_step, 1},
};

static const law_row *law_row_of(const br_friction_params *p) {
    return &laws[br_friction_is_set_valued(p) ? BR_FRICTION_COULOMB : p->law];
}

static curve *curve_of(const br_friction_params *p) {
    if (p->law == BR_FRICTION_DAHL) return g_kinetic;
    if (p->law == BR_FRICTION_SMOOTH) return shapes[p->shape].g;
    return br_friction_is_set_valued(p) ? g_coulomb : g_stribeck;
}

static double given_or(double value, double otherwise) {
    return value > 0.0 ? value : otherwise;
}

br_friction_params br_friction_params_of(const br_friction_def *def) {
    br_friction_params p = {.law = def->law, .shape = BR_SMOOTH_PIECEWISE};
    for (int k = 0; def->shape && k < SHAPES; k++)
        if (strcmp(def->shape, shapes[k].name) == 0) p.shape = (br_smooth_shape)k;
    p.mu_static = given_or(def->mu_static, def->mu_kinetic);
    p.mu_kinetic = given_or(def->mu_kinetic, def->mu_static);
    p.v_slope = given_or(def->v_slope, 1e-3);
    p.sigma_0 = given_or(def->sigma_0, def->law == BR_FRICTION_BRISTLE ? INFINITY : 1e5);
    p.sigma_1 = def->sigma_1;
    p.sigma_2 = def->sigma_2;
    p.v_stribeck = given_or(def->v_stribeck, 1e-3);
    p.stribeck_exponent = given_or(def->stribeck_exponent, 2.0);
    return p;
}

static int has_bristles(const br_friction_params *p) {
    return laws[p->law].bristles;
}

int br_friction_has_state(const br_friction_params *p) {
    return has_bristles(p) && p->sigma_0 < INFINITY;
}

int br_friction_is_set_valued(const br_friction_params *p) {
    return p->law == BR_FRICTION_COULOMB || (has_bristles(p) && !(p->sigma_0 < INFINITY));
}

double br_friction_g(const br_friction_params *p, double speed) {
    double log_slope;
    return p->law == BR_FRICTION_NONE ? 0.0 : curve_of(p)(p, fabs(speed), &log_slope);
}

double br_friction_limit(const br_friction_params *p) {
    return br_friction_g(p, 0.0);
}

double br_friction_rest_speed(const br_friction_params *p) {
    if (p->law == BR_FRICTION_SMOOTH) return p->v_slope;
    return br_friction_has_state(p) ? p->v_stribeck : 0.0;
}

double br_friction_slope(const br_friction_params *p) {
    double slope;
    if (br_friction_is_set_valued(p)) return INFINITY;
    if (p->law == BR_FRICTION_LUGRE) return p->sigma_1 + p->sigma_2;
    if (p->law != BR_FRICTION_SMOOTH) return 0.0;
    shapes[p->shape].ramp(0.0, &slope);
    return br_friction_limit(p) * slope / p->v_slope;
}

void br_friction_at(const br_friction_params *p, int n, const double *v, const double *z, double *mu,
                    double *rate) {
    law_row_of(p)->at(p, n, v, z, mu, rate);
}

void br_friction_tangent(const br_friction_params *p, int n, const double *v, const double *z, double *mu_v,
                         double *mu_z, double *rate_v, double *rate_z) {
    law_row_of(p)->tangent(p, n, v, z, mu_v, mu_z, rate_v, rate_z);
}

void br_friction_step(const br_friction_params *p, int n, const double *v, const double *z, double h,
                      double *z_next, double *mu, double *mu_v) {
    law_row_of(p)->step(p, n, v, z, h, z_next, mu, mu_v);
}
