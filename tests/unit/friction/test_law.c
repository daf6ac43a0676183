// Friction laws one by one: shapes against their formulas, derivatives by differences, the step's bounds and
// order, and numbers at the ends of their range. What the laws do in motion is in test_law_phenomena.c.
#include <float.h>

#include "friction/law.h"
#include "near.h"
#include "random.h"

static const br_friction_params smooth = {.law = BR_FRICTION_SMOOTH,
                                          .mu_static = 0.5,
                                          .mu_kinetic = 0.3,
                                          .v_slope = 2e-3,
                                          .v_stribeck = 5e-3,
                                          .stribeck_exponent = 2.0,
                                          .sigma_0 = 1e5};

static br_friction_params shaped(br_smooth_shape shape) {
    br_friction_params p = smooth;
    p.shape = shape;
    return p;
}

static br_friction_params with_law(br_friction_law law) {
    br_friction_params p = smooth;
    p.law = law;
    p.sigma_0 = 1e4;
    p.sigma_1 = law == BR_FRICTION_LUGRE ? 30.0 : 0.0;
    p.sigma_2 = law == BR_FRICTION_LUGRE ? 0.7 : 0.0;
    return p;
}

static double mu_of(const br_friction_params *p, double v) {
    double mu;
    br_friction_at(p, 1, &v, NULL, &mu, NULL);
    return mu;
}

static double slope_of(const br_friction_params *p, double v) {
    double mu_v;
    br_friction_tangent(p, 1, &v, NULL, &mu_v, NULL, NULL, NULL);
    return mu_v;
}

enum { SHAPES = BR_SMOOTH_STRIBECK_SMOOTH + 1 };
static const br_friction_law with_state[] = {BR_FRICTION_DAHL, BR_FRICTION_LUGRE, BR_FRICTION_BRISTLE};

// --- definitions -----------------------------------------------------------------------------------------

static void missing_numbers_have_their_defaults(void **state) {
    (void)state;
    br_friction_def def = {.law = BR_FRICTION_LUGRE, .mu_kinetic = 0.2};
    br_friction_params p = br_friction_params_of(&def);
    assert_true(p.mu_static == 0.2 && p.mu_kinetic == 0.2 && p.v_slope == 1e-3 && p.sigma_0 == 1e5);
    assert_true(p.sigma_1 == 0.0 && p.sigma_2 == 0.0 && p.v_stribeck == 1e-3 && p.stribeck_exponent == 2.0);
    assert_int_equal(p.shape, BR_SMOOTH_PIECEWISE);
    def = (br_friction_def){.law = BR_FRICTION_BRISTLE, .mu_static = 0.4};
    p = br_friction_params_of(&def);
    assert_true(p.mu_kinetic == 0.4 && p.sigma_0 == INFINITY);
    assert_true(br_friction_is_set_valued(&p) && !br_friction_has_state(&p));
    def.sigma_0 = 3e4;
    p = br_friction_params_of(&def);
    assert_true(!br_friction_is_set_valued(&p) && br_friction_has_state(&p) && p.sigma_0 == 3e4);
    static const char *const names[SHAPES] = {"piecewise",  "tanh",        "arctan",
                                              "saturation", "exponential", "stribeck_smooth"};
    for (int k = 0; k < SHAPES; k++) {
        def = (br_friction_def){.law = BR_FRICTION_SMOOTH, .shape = names[k], .mu_static = 0.4};
        p = br_friction_params_of(&def);
        assert_int_equal(p.shape, k);
        assert_false(br_friction_has_state(&p) || br_friction_is_set_valued(&p));
    }
    def = (br_friction_def){.law = BR_FRICTION_NONE};
    p = br_friction_params_of(&def);
    assert_false(br_friction_has_state(&p) || br_friction_is_set_valued(&p));
    assert_true(br_friction_limit(&p) == 0.0 && br_friction_slope(&p) == 0.0 && mu_of(&p, 1.0) == 0.0);
}

static void limits_rest_speeds_and_slopes_of_every_law(void **state) {
    (void)state;
    br_friction_params p = with_law(BR_FRICTION_COULOMB);
    assert_true(br_friction_limit(&p) == 0.5 && br_friction_g(&p, 1e-9) == 0.3 &&
                br_friction_g(&p, 0.0) == 0.5);
    assert_true(br_friction_rest_speed(&p) == 0.0 && br_friction_slope(&p) == INFINITY);
    assert_true(mu_of(&p, -2.0) == -0.3 && mu_of(&p, 0.0) == 0.0);
    p = with_law(BR_FRICTION_BRISTLE);
    assert_true(br_friction_limit(&p) == 0.5 && br_friction_slope(&p) == 0.0);
    p.sigma_0 = INFINITY; // coulomb
    assert_true(br_friction_g(&p, 1e-9) == 0.3 && br_friction_slope(&p) == INFINITY &&
                mu_of(&p, 1e-9) == 0.3);
    p = with_law(BR_FRICTION_DAHL);
    assert_true(br_friction_limit(&p) == 0.3 && br_friction_slope(&p) == 0.0);
    p.sigma_0 = INFINITY;
    assert_true(br_friction_is_set_valued(&p) && br_friction_limit(&p) == 0.3 && mu_of(&p, -1.0) == -0.3);
    p = with_law(BR_FRICTION_LUGRE);
    assert_true(br_friction_limit(&p) == 0.5 && br_friction_slope(&p) == 30.7);
    assert_true(br_friction_rest_speed(&p) == p.v_stribeck);
    static const double limit[SHAPES] = {0.5, 0.3, 0.3, 0.3, 0.5, 0.5}, steep[SHAPES] = {1, 1, 1, 1, 1, 1.5};
    for (int k = 0; k < SHAPES; k++) {
        p = shaped((br_smooth_shape)k);
        assert_true(br_friction_limit(&p) == limit[k] && br_friction_rest_speed(&p) == 2e-3);
        assert_near(br_friction_slope(&p), steep[k] * limit[k] / 2e-3, 1e-12 * br_friction_slope(&p));
        assert_true(slope_of(&p, 0.0) == br_friction_slope(&p)); // [Wojtyra2017 eq. 22]
    }
}

// [BauchauJu2006 eq. 23] with exponents other than 2.
static void stribeck_curve_follows_its_formula(void **state) {
    (void)state;
    br_friction_params p = with_law(BR_FRICTION_LUGRE);
    static const double exponents[] = {0.5, 1.0, 2.0, 3.3};
    for (int k = 0; k < 4; k++)
        for (double v = 1e-5; v < 1.0; v *= 3.0) {
            p.stribeck_exponent = exponents[k];
            const double expected = 0.3 + 0.2 * exp(-pow(v / 5e-3, exponents[k]));
            assert_near(br_friction_g(&p, v), expected, 1e-15);
            assert_true(br_friction_g(&p, -v) == br_friction_g(&p, v));
        }
}

// --- shapes ----------------------------------------------------------------------------------------------

// [Wojtyra2017 eq. 12], written as printed. 2e-16: the order of two products is ours.
static void piecewise_is_equation_12(void **state) {
    (void)state;
    const br_friction_params p = shaped(BR_SMOOTH_PIECEWISE);
    const double gamma = p.v_slope, mu_s = p.mu_static, mu_k = p.mu_kinetic;
    for (int k = -400; k <= 400; k++) {
        const double v = k * 0.005 * gamma, sign = (v > 0) - (v < 0);
        double expected = sign * mu_k;
        if (fabs(v) <= gamma)
            expected = sign * mu_s * fabs(v) / gamma;
        else if (fabs(v) <= 1.5 * gamma)
            expected = sign * (mu_s - 2 * (mu_s - mu_k) * (fabs(v) - gamma) / gamma);
        assert_near(mu_of(&p, v), expected, 2e-16);
    }
    assert_true(mu_of(&p, gamma) == mu_s && mu_of(&p, 1.5 * gamma) == mu_k && mu_of(&p, 1e3) == mu_k);
}

static void other_shapes_follow_their_formulas(void **state) {
    (void)state;
    br_friction_params p[SHAPES];
    for (int k = 0; k < SHAPES; k++) p[k] = shaped((br_smooth_shape)k);
    for (int k = 1; k <= 300; k++) {
        const double v = k * 2e-5, u = v / 2e-3, g = 0.3 + 0.2 * exp(-(v / 5e-3) * (v / 5e-3));
        assert_near(mu_of(&p[BR_SMOOTH_TANH], v), 0.3 * tanh(u), 1e-15);
        assert_near(mu_of(&p[BR_SMOOTH_ARCTAN], v), 0.3 * 2 / M_PI * atan(M_PI * u / 2), 1e-15);
        assert_near(mu_of(&p[BR_SMOOTH_SATURATION], v), 0.3 * fmin(u, 1.0), 1e-15);
        assert_near(mu_of(&p[BR_SMOOTH_EXPONENTIAL], v), g * (1 - exp(-u)), 1e-15);
        const double w = 2 * (u - 1), fall = w * w * (3 - 2 * w);
        const double cubic = u < 1 ? 0.5 * (3 * u - u * u * u) / 2 : u < 1.5 ? 0.5 - 0.2 * fall : 0.3;
        assert_near(mu_of(&p[BR_SMOOTH_STRIBECK_SMOOTH], v), cubic, 1e-15);
    }
}

static void shapes_are_odd_bounded_and_end_at_mu_kinetic(void **state) {
    (void)state;
    for (int k = 0; k < SHAPES; k++) {
        const br_friction_params p = shaped((br_smooth_shape)k);
        assert_true(mu_of(&p, 0.0) == 0.0);
        for (double v = 1e-9; v < 1e6; v *= 1.37) {
            assert_true(mu_of(&p, -v) == -mu_of(&p, v) && slope_of(&p, -v) == slope_of(&p, v));
            assert_true(mu_of(&p, v) > 0.0 && mu_of(&p, v) <= br_friction_limit(&p) * (1 + DBL_EPSILON));
            if (v <= p.v_slope && k != BR_SMOOTH_EXPONENTIAL) assert_true(slope_of(&p, v) >= 0.0);
        }
        // arctan is the slow one: (2/pi)^2 v_slope/v is left of it.
        assert_near(mu_of(&p, 1.0), 0.3, k == BR_SMOOTH_ARCTAN ? 0.3 * 0.41 * 2e-3 : 1e-15);
    }
}

// Level at v_slope and at 1.5 v_slope, so that an integrator meets no corner: slopes on both sides within
// 1e-9 of them are 0 to 1e-8 of the slope at rest.
static void stribeck_smooth_has_no_corner(void **state) {
    (void)state;
    const br_friction_params p = shaped(BR_SMOOTH_STRIBECK_SMOOTH), corner = shaped(BR_SMOOTH_PIECEWISE);
    for (int side = -1; side <= 1; side += 2)
        for (int k = 0; k < 2; k++) {
            const double v = 2e-3 * (k ? 1.5 : 1.0) * (1 + 1e-9 * side);
            assert_near(slope_of(&p, v), 0.0, 1e-8 * br_friction_slope(&p));
            assert_near(mu_of(&p, v), mu_of(&corner, v), 1e-8);
        }
}

// With the default v_stribeck = v_slope the exponential shape never comes near mu_static: the header's
// warning.
static void exponential_shape_needs_a_wide_stribeck_velocity(void **state) {
    (void)state;
    double peak[2] = {0.0, 0.0};
    for (int k = 0; k < 2; k++) {
        br_friction_params p = shaped(BR_SMOOTH_EXPONENTIAL);
        p.v_stribeck = k ? 100 * p.v_slope : p.v_slope;
        for (double v = 0.0; v < 1.0; v += 1e-4) peak[k] = fmax(peak[k], mu_of(&p, v));
    }
    assert_true(peak[0] <= 0.3 + 1e-12 && peak[1] > 0.49 && peak[1] < 0.5);
}

// --- derivatives -----------------------------------------------------------------------------------------

typedef struct point {
    double v[3], z[3];
} point;

// A sliding velocity of any size around those of the law, a deflection inside the limit or (bristle) beyond
// it.
static point random_point(const br_friction_params *p, int n, rng *r) {
    point x = {{0.0}, {0.0}};
    const double speed = 2e-3 * pow(10.0, rng_uniform(r, -1.5, 1.5)), reach = rng_uniform(r, 0.1, 1.6);
    double ev = 0.0, ez = 0.0;
    for (int i = 0; i < n; i++) {
        x.v[i] = rng_uniform(r, -1, 1);
        x.z[i] = rng_uniform(r, -1, 1);
        ev += x.v[i] * x.v[i];
        ez += x.z[i] * x.z[i];
    }
    for (int i = 0; i < n; i++) {
        x.v[i] *= speed / sqrt(ev);
        x.z[i] *= reach * br_friction_g(p, speed) / p->sigma_0 / sqrt(ez);
    }
    return x;
}

// Corners, where differences are of two branches.
static int near_corner(const br_friction_params *p, int n, const point *x) {
    double s = 0.0, length = 0.0, outward = 0.0;
    for (int i = 0; i < n; i++) {
        s += x->v[i] * x->v[i];
        length += x->z[i] * x->z[i];
        outward += x->v[i] * x->z[i];
    }
    s = sqrt(s);
    length = sqrt(length);
    if (p->law == BR_FRICTION_BRISTLE)
        return fabs(p->sigma_0 * length / br_friction_g(p, s) - 1) < 1e-4 ||
               fabs(outward) < 1e-4 * s * length;
    return p->law == BR_FRICTION_SMOOTH &&
           (fabs(s / p->v_slope - 1) < 1e-4 || fabs(s / p->v_slope - 1.5) < 1e-4);
}

typedef struct values {
    double mu[3], rate[3];
} values;

static values values_at(const br_friction_params *p, int n, const point *x) {
    values y = {{0.0}, {0.0}};
    br_friction_at(p, n, x->v, x->z, y.mu, y.rate);
    return y;
}

static double largest(int count, const double *x) {
    double m = 0.0;
    for (int i = 0; i < count; i++) m = fmax(m, fabs(x[i]));
    return m;
}

// Central differences of relative step 1e-5: 1e-10 of the third derivative, 1e-11 of rounding over the step,
// both times what the curves' own scale allows (an exponent of 3 at 30 v_stribeck multiplies the first by
// 1e3).
static void check_tangent(const br_friction_params *p, int n, const point *x) {
    double M[4][9], D[4][9];
    br_friction_tangent(p, n, x->v, x->z, M[0], M[1], M[2], M[3]);
    for (int by_z = 0; by_z < 2; by_z++)
        for (int j = 0; j < n; j++) {
            point up = *x, down = *x;
            const double e = 1e-5 * largest(n, by_z ? x->z : x->v);
            (by_z ? up.z : up.v)[j] += e;
            (by_z ? down.z : down.v)[j] -= e;
            const values a = values_at(p, n, &up), b = values_at(p, n, &down);
            for (int i = 0; i < n; i++) {
                D[by_z][i * n + j] = (a.mu[i] - b.mu[i]) / (2 * e);
                D[2 + by_z][i * n + j] = (a.rate[i] - b.rate[i]) / (2 * e);
            }
        }
    const values y = values_at(p, n, x);
    for (int k = 0; k < 4; k++) {
        // Rounding of a difference is relative to the value over the argument.
        const double size =
            largest(n * n, M[k]) + largest(n, k < 2 ? y.mu : y.rate) / largest(n, k % 2 ? x->z : x->v);
        for (int i = 0; i < n * n; i++) assert_near(M[k][i], D[k][i], 2e-7 * size);
    }
}

static void tangents_are_the_derivatives(void **state) {
    (void)state;
    rng r = {7};
    int plastic = 0;
    for (int n = 1; n <= 3; n++)
        for (int trial = 0; trial < 400; trial++) {
            for (int k = 0; k < SHAPES; k++) {
                const br_friction_params p = shaped((br_smooth_shape)k);
                const point x = random_point(&p, n, &r);
                if (!near_corner(&p, n, &x)) check_tangent(&p, n, &x);
            }
            for (int k = 0; k < 3; k++) {
                br_friction_params p = with_law(with_state[k]);
                p.stribeck_exponent = rng_uniform(&r, 0.6, 3.0);
                const point x = random_point(&p, n, &r);
                if (near_corner(&p, n, &x)) continue;
                check_tangent(&p, n, &x);
                double mu_z[9];
                br_friction_tangent(&p, n, x.v, x.z, NULL, mu_z, NULL, NULL);
                plastic += k == 2 && mu_z[0] != p.sigma_0;
            }
        }
    assert_in_range(plastic, 300, 900); // both sides of the edge were met
}

static void step_derivative_is_that_of_the_step(void **state) {
    (void)state;
    rng r = {11};
    for (int n = 1; n <= 3; n++)
        for (int trial = 0; trial < 1000; trial++) {
            br_friction_params p = with_law(with_state[trial % 3]);
            point x = random_point(&p, n, &r), trial_point = x;
            const double h = pow(10.0, rng_uniform(&r, -6, -2));
            for (int i = 0; i < n; i++) trial_point.z[i] += h * x.v[i];
            if (near_corner(&p, n, &trial_point)) continue;
            double z_next[3], mu[3], up[3], down[3], M[9];
            br_friction_step(&p, n, x.v, x.z, h, z_next, mu, M);
            const double e = 1e-5 * largest(n, x.v),
                         size = largest(n * n, M) + largest(n, mu) / largest(n, x.v);
            for (int j = 0; j < n; j++) {
                const double at = x.v[j];
                x.v[j] = at + e;
                br_friction_step(&p, n, x.v, x.z, h, z_next, up, NULL);
                x.v[j] = at - e;
                br_friction_step(&p, n, x.v, x.z, h, z_next, down, NULL);
                x.v[j] = at;
                for (int i = 0; i < n; i++)
                    assert_near(M[i * n + j], (up[i] - down[i]) / (2 * e),
                                2e-7 * size); // as in check_tangent
            }
        }
}

// --- vectors ---------------------------------------------------------------------------------------------

// A turned frame turns mu, dz/dt and the step, and a motion along a line is the scalar law. 1e-14: a few
// roundings.
static void laws_are_isotropic(void **state) {
    (void)state;
    rng r = {3};
    for (int trial = 0; trial < 600; trial++) {
        br_friction_params p =
            trial % 4 == 3 ? shaped((br_smooth_shape)(trial % SHAPES)) : with_law(with_state[trial % 4]);
        const br_mat3 R =
            br_quat_to_mat3(br_quat_from_axis_angle(rng_direction(&r), rng_uniform(&r, -3.0, 3.0)));
        const point x = random_point(&p, 3, &r);
        const br_vec3 v = br_mat3_mul_vec(R, br_vec3_of(x.v[0], x.v[1], x.v[2])),
                      z = br_mat3_mul_vec(R, br_vec3_of(x.z[0], x.z[1], x.z[2]));
        const point y = {{v.x, v.y, v.z}, {z.x, z.y, z.z}};
        double mu[2][3], next[2][3];
        br_friction_step(&p, 3, x.v, x.z, 1e-3, next[0], mu[0], NULL);
        br_friction_step(&p, 3, y.v, y.z, 1e-3, next[1], mu[1], NULL);
        assert_vec3_near(br_mat3_mul_vec(R, br_vec3_of(mu[0][0], mu[0][1], mu[0][2])),
                         br_vec3_of(mu[1][0], mu[1][1], mu[1][2]), 1e-14);
        assert_vec3_near(br_mat3_mul_vec(R, br_vec3_of(next[0][0], next[0][1], next[0][2])),
                         br_vec3_of(next[1][0], next[1][1], next[1][2]), 1e-18);
        const values a = values_at(&p, 3, &x), b = values_at(&p, 3, &y);
        assert_vec3_near(br_mat3_mul_vec(R, br_vec3_of(a.mu[0], a.mu[1], a.mu[2])),
                         br_vec3_of(b.mu[0], b.mu[1], b.mu[2]), 1e-12); // sigma_1 dz/dt is up to 1e2 here
    }
    for (int trial = 0; trial < 300; trial++) { // along a line
        const br_friction_params p = with_law(with_state[trial % 3]);
        const point x = random_point(&p, 1, &r);
        const br_vec3 e = rng_direction(&r);
        const double v[3] = {e.x * x.v[0], e.y * x.v[0], e.z * x.v[0]},
                     z[3] = {e.x * x.z[0], e.y * x.z[0], e.z * x.z[0]};
        double mu, next, mu3[3], next3[3];
        br_friction_step(&p, 1, x.v, x.z, 1e-4, &next, &mu, NULL);
        br_friction_step(&p, 3, v, z, 1e-4, next3, mu3, NULL);
        assert_near(mu3[0] * e.x + mu3[1] * e.y + mu3[2] * e.z, mu, 1e-13 * (1 + fabs(mu)));
        assert_near(next3[0] * e.x + next3[1] * e.y + next3[2] * e.z, next,
                    1e-13 * (fabs(next) + fabs(*x.z)));
    }
}

// On a circle of radius R the deflection lags behind the velocity: tan(lag) = g/(sigma_0 R) for lugre and
// dahl (z = v/(beta + i omega)), sin(lag) = g/(sigma_0 R) for radial return (|z| omega = |v| sin(lag)).
// Backward steps of h = 1e-5 leave omega h/2.
static void deflection_lags_on_a_circle(void **state) {
    (void)state;
    const double radius = 1e-4, omega = 200.0, h = 1e-5;
    for (int k = 0; k < 3; k++) {
        const br_friction_params p = with_law(with_state[k]);
        const double g = br_friction_g(&p, omega * radius), ratio = g / (p.sigma_0 * radius);
        double z[2] = {0.0, 0.0}, mu[2], v[2] = {0.0, 0.0};
        for (int i = 1; i <= 200000; i++) {
            v[0] = omega * radius * cos(omega * h * i);
            v[1] = omega * radius * sin(omega * h * i);
            br_friction_step(&p, 2, v, z, h, z, mu, NULL);
        }
        const double lag = atan2(z[0] * v[1] - z[1] * v[0], z[0] * v[0] + z[1] * v[1]);
        const int returns = with_state[k] == BR_FRICTION_BRISTLE;
        assert_near(lag, returns ? asin(ratio) : atan(ratio), omega * h);
        assert_near(p.sigma_0 * hypot(z[0], z[1]), returns ? g : g / sqrt(1 + ratio * ratio), omega * h * g);
    }
}

// --- the step --------------------------------------------------------------------------------------------

// 0.5 eps a component and operation: 4 eps.
static void step_stays_within_the_limit(void **state) {
    (void)state;
    rng r = {5};
    for (int k = 0; k < 3; k++)
        for (int n = 1; n <= 3; n++) {
            const br_friction_params p = with_law(with_state[k]);
            double z[3] = {0.0}, mu[3];
            for (int i = 0; i < 20000; i++) {
                double v[3], before = 0.0, after = 0.0, speed = 0.0;
                const double size = pow(10.0, rng_uniform(&r, -8, 4)), h = pow(10.0, rng_uniform(&r, -9, 3));
                for (int c = 0; c < n; c++) {
                    v[c] = rng_uniform(&r, -size, size);
                    speed += v[c] * v[c];
                    before += z[c] * z[c];
                }
                br_friction_step(&p, n, v, z, h, z, mu, NULL);
                for (int c = 0; c < n; c++) after += z[c] * z[c];
                const double g = br_friction_g(&p, sqrt(speed)), from = p.sigma_0 * sqrt(before);
                const double bound = with_state[k] == BR_FRICTION_BRISTLE ? g : fmax(g, from);
                assert_true(p.sigma_0 * sqrt(after) <= bound * (1 + 4 * DBL_EPSILON));
                assert_true(p.sigma_0 * sqrt(after) <= br_friction_limit(&p) * (1 + 4 * DBL_EPSILON));
            }
        }
}

// At a constant velocity any step comes to steady sliding, and a huge one at once.
static void huge_steps_reach_steady_sliding(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        const br_friction_params p = with_law(with_state[k]);
        for (double v = 1e-4; v < 1e3; v *= 10) {
            double z = -br_friction_limit(&p) / p.sigma_0, mu;
            br_friction_step(&p, 1, &v, &z, 1e12, &z, &mu, NULL);
            assert_near(mu, br_friction_g(&p, v) + p.sigma_2 * v, 1e-9 * (1 + v)); // g/(sigma_0 v h) is left
        }
    }
}

// A step of no length is the law itself; no difference of nearly equal numbers is in it.
static void short_steps_are_the_law(void **state) {
    (void)state;
    rng r = {17};
    for (int trial = 0; trial < 300; trial++) {
        const br_friction_params p = with_law(with_state[trial % 3]);
        const point x = random_point(&p, 2, &r);
        const values y = values_at(&p, 2, &x);
        double z[2], mu[2];
        for (double h = 0.0; h<1e-13; h = h> 0.0 ? 10 * h : 1e-25) {
            br_friction_step(&p, 2, x.v, x.z, h, z, mu, NULL);
            for (int i = 0; i < 2; i++) assert_near(mu[i], y.mu[i], 1e-8 * (largest(2, y.mu) + 1)); // beta h
        }
    }
}

// Power of friction over a step against the change of the bristles' energy sigma_0 |z|^2/2: dahl and bristle
// never give any, lugre neither while sigma_1 |v| <= 4 g (docs/theory/friction_laws.md). Rounding of numbers
// of the size of the work.
static void steps_never_give_energy(void **state) {
    (void)state;
    rng r = {23};
    for (int k = 0; k < 3; k++)
        for (int n = 1; n <= 3; n++) {
            const br_friction_params p = with_law(with_state[k]);
            double z[3] = {0.0}, next[3], mu[3];
            for (int i = 0; i < 20000; i++) {
                const double h = pow(10.0, rng_uniform(&r, -6, -2));
                double v[3], speed = 0.0, work = 0.0, size = 0.0, stored = 0.0;
                const double most = pow(10.0, rng_uniform(&r, -6, 0));
                for (int c = 0; c < n; c++) {
                    v[c] = rng_uniform(&r, -most, most);
                    speed += v[c] * v[c];
                }
                speed = sqrt(speed);
                if (p.sigma_1 * speed > 4 * br_friction_g(&p, speed)) continue;
                br_friction_step(&p, n, v, z, h, next, mu, NULL);
                for (int c = 0; c < n; c++) {
                    work += mu[c] * v[c] * h;
                    size += fabs(mu[c] * v[c] * h) + p.sigma_0 * (next[c] * next[c] + z[c] * z[c]);
                    stored += 0.5 * p.sigma_0 * (next[c] * next[c] - z[c] * z[c]);
                    z[c] = next[c];
                }
                // bristle with a falling g: the part of the store that g no longer holds is lost too
                assert_true(work >= stored - 1e-14 * size);
            }
        }
}

// A closed cycle of the displacement takes work, for any step; lugre also where single steps need not (25
// times 4 g/sigma_1). The displacement is that of the steps themselves, so that the cycle closes to rounding;
// the second cycle counts.
static void closed_cycles_dissipate_for_every_step(void **state) {
    (void)state;
    static const double amplitudes[] = {1e-6, 1e-4, 1e-2}, steps[] = {1e-6, 1e-5, 1e-4, 1e-3, 1e-2};
    const double period = 0.1;
    for (int k = 0; k < 3; k++)
        for (int a = 0; a < 3; a++)
            for (int s = 0; s < 5; s++) {
                const br_friction_params p = with_law(with_state[k]);
                const double h = steps[s];
                const int count = (int)lround(period / h);
                double z = 0.0, mu, work = 0.0, travel = 0.0;
                for (int i = 1; i <= 2 * count; i++) {
                    const double v =
                        amplitudes[a] * (sin(2 * M_PI * i / count) - sin(2 * M_PI * (i - 1) / count)) / h;
                    br_friction_step(&p, 1, &v, &z, h, &z, &mu, NULL);
                    if (i <= count) continue;
                    work += mu * v * h;
                    travel += fabs(v) * h;
                }
                assert_true(work >= -1e-12 * travel); // elastic loops of bristle: zero to rounding
                if (p.sigma_0 * amplitudes[a] > 1.0) assert_true(work > 0.1 * p.mu_kinetic * travel);
            }
}

// --- order of the step -----------------------------------------------------------------------------------

// dz/dt by the classical fourth-order rule, 64 steps to one of the test: exact in comparison.
static double z_exact(const br_friction_params *p, double t_end, double h) {
    const int count = (int)lround(t_end / h);
    double z = 0.0;
    for (int i = 0; i < count; i++) {
        double k[4], mu;
        for (int stage = 0; stage < 4; stage++) {
            const double c = stage == 0   ? 0.0
                             : stage == 3 ? 1.0
                                          : 0.5,
                         at = z + c * h * (stage ? k[stage - 1] : 0.0);
            const double v = 2e-3 * sin(200.0 * (i + c) * h);
            br_friction_at(p, 1, &v, &at, &mu, &k[stage]);
        }
        z += h / 6 * (k[0] + 2 * k[1] + 2 * k[2] + k[3]);
    }
    return z;
}

// v = 2 mm/s sin(200 t): 20 um back and forth, beyond and back into presliding. Halving the step halves the
// error.
static void step_is_of_first_order(void **state) {
    (void)state;
    const double t_end = 0.02;
    for (int k = 0; k < 2;
         k++) { // the exact bristle is elastic or at g: its steps are exact for a held velocity
        const br_friction_params p = with_law(with_state[k]);
        const double exact = z_exact(&p, t_end, t_end / 400 / 64);
        double error[4];
        for (int level = 0; level < 4; level++) {
            const int count = 400 << level;
            const double h = t_end / count;
            double z = 0.0, mu;
            for (int i = 1; i <= count; i++) {
                const double v = 2e-3 * sin(200.0 * i * h);
                br_friction_step(&p, 1, &v, &z, h, &z, &mu, NULL);
            }
            error[level] = fabs(z - exact);
        }
        for (int level = 0; level < 3; level++) assert_near(log2(error[level] / error[level + 1]), 1.0, 0.1);
        assert_true(error[3] < 1e-2 * br_friction_limit(&p) / p.sigma_0);
    }
}

// At a held velocity the bristle's step is exact in one dimension, whatever its length.
static void bristle_step_is_exact_along_a_line(void **state) {
    (void)state;
    const br_friction_params p = with_law(BR_FRICTION_BRISTLE);
    const double v = 1e-3, g = br_friction_g(&p, v);
    for (double h = 1e-6; h < 1.0; h *= 1.7) {
        double z = -2e-5, mu;
        br_friction_step(&p, 1, &v, &z, h, &z, &mu, NULL);
        assert_near(mu, fmin(p.sigma_0 * (-2e-5 + v * h), g), 1e-15);
    }
}

// --- the ends of the range -------------------------------------------------------------------------------

static int all_finite(int count, const double *x) {
    for (int i = 0; i < count; i++)
        if (!isfinite(x[i])) return 0;
    return 1;
}

static void check_finite(const br_friction_params *p, int n, double speed, double share, double h) {
    const double z_size = share * br_friction_limit(p) / fmin(p->sigma_0, 1e300);
    const double v[3] = {speed, -speed * 0.3, 0.0}, z[3] = {-z_size, 0.4 * z_size, z_size};
    double mu[3], rate[3], M[4][9], next[3], mu_v[9];
    br_friction_at(p, n, v, z, mu, rate);
    br_friction_tangent(p, n, v, z, M[0], M[1], M[2], M[3]);
    assert_true(all_finite(n, mu) && all_finite(n, rate));
    for (int k = 0; k < 4; k++) assert_true(all_finite(n * n, M[k]));
    br_friction_step(p, n, v, z, h, next, mu, mu_v);
    assert_true(all_finite(n, mu) && all_finite(n, next) && all_finite(n * n, mu_v));
    assert_true(isfinite(br_friction_g(p, speed)) && isfinite(br_friction_limit(p)));
}

static void nothing_is_lost_at_the_ends_of_the_range(void **state) {
    (void)state;
    static const double speeds[] = {0.0, 5e-324, 1e-310, 1e-300, 1e-160, 1e-9, 1.0, 1e6},
                        shares[] = {0.0, 1.0, 1.5}, lengths[] = {0.0, 1e-12, 1e-3, 1e9},
                        stiffness[] = {1e-3, 1e5, 1e12, INFINITY}, narrow[] = {1e-300, 1e-12, 1e-3, 1e3},
                        exponents[] = {0.2, 1.0, 2.0, 20.0};
    static const double coefficients[][2] = {{0.5, 0.3}, {0.3, 0.3}, {0.0, 0.0}, {0.5, 0.0}, {10.0, 1e-9}};
    static const br_friction_law laws[] = {BR_FRICTION_NONE, BR_FRICTION_COULOMB, BR_FRICTION_SMOOTH,
                                           BR_FRICTION_DAHL, BR_FRICTION_LUGRE,   BR_FRICTION_BRISTLE};
    for (int law = 0; law < 6; law++)
        for (int code = 0; code < 4 * 4 * 4 * 5; code++) {
            br_friction_params p = with_law(laws[law]);
            p.sigma_0 = stiffness[code % 4];
            p.v_stribeck = p.v_slope = narrow[code / 4 % 4];
            p.stribeck_exponent = exponents[code / 16 % 4];
            p.mu_static = coefficients[code / 64][0];
            p.mu_kinetic = coefficients[code / 64][1];
            for (int shape = 0; shape < (p.law == BR_FRICTION_SMOOTH ? SHAPES : 1); shape++) {
                p.shape = (br_smooth_shape)shape;
                for (int k = 0; k < 8 * 3 * 4 * 3; k++)
                    check_finite(&p, 1 + k % 3, speeds[k / 3 % 8], shares[k / 24 % 3], lengths[k / 72]);
            }
        }
}

// Tiny speeds have a direction: the force of a set-valued law and the deflection keep it.
static void tiny_velocities_keep_their_direction(void **state) {
    (void)state;
    const br_friction_params coulomb = with_law(BR_FRICTION_COULOMB), dahl = with_law(BR_FRICTION_DAHL);
    const double v[3] = {3e-300, 0.0, -4e-300}, rest[3] = {0.0};
    double mu[3], z[3];
    br_friction_at(&coulomb, 3, v, NULL, mu, NULL);
    assert_near(mu[0], 0.3 * 0.6, 1e-16);
    assert_near(mu[2], -0.3 * 0.8, 1e-16);
    br_friction_step(&dahl, 3, v, rest, 1.0, z, mu, NULL);
    assert_near(z[0] / 3e-300, 1.0, 1e-14);
    br_friction_step(&dahl, 3, rest, z, 1.0, z, mu, NULL);
    assert_near(z[2] / -4e-300, 1.0, 1e-14); // at rest nothing creeps
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(missing_numbers_have_their_defaults),
        cmocka_unit_test(limits_rest_speeds_and_slopes_of_every_law),
        cmocka_unit_test(stribeck_curve_follows_its_formula),
        cmocka_unit_test(piecewise_is_equation_12),
        cmocka_unit_test(other_shapes_follow_their_formulas),
        cmocka_unit_test(shapes_are_odd_bounded_and_end_at_mu_kinetic),
        cmocka_unit_test(stribeck_smooth_has_no_corner),
        cmocka_unit_test(exponential_shape_needs_a_wide_stribeck_velocity),
        cmocka_unit_test(tangents_are_the_derivatives),
        cmocka_unit_test(step_derivative_is_that_of_the_step),
        cmocka_unit_test(laws_are_isotropic),
        cmocka_unit_test(deflection_lags_on_a_circle),
        cmocka_unit_test(step_stays_within_the_limit),
        cmocka_unit_test(huge_steps_reach_steady_sliding),
        cmocka_unit_test(short_steps_are_the_law),
        cmocka_unit_test(steps_never_give_energy),
        cmocka_unit_test(closed_cycles_dissipate_for_every_step),
        cmocka_unit_test(step_is_of_first_order),
        cmocka_unit_test(bristle_step_is_exact_along_a_line),
        cmocka_unit_test(nothing_is_lost_at_the_ends_of_the_range),
        cmocka_unit_test(tiny_velocities_keep_their_direction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
