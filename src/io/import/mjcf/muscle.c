// Muscles of MJCF: a force of activation, length and speed, as an expression that is a drive's target.
//
//     L = r0 + (length - l0)/L0,   V = speed/(L0 vmax),   L0 = (l1 - l0)/(r1 - r0),   l0, l1: lengthrange
//     force = -F (a FL(L) FV(V) + FP(L))
//
// with F the peak force, FL a hump of four parabolas over lmin .. 1 .. lmax, FV rising from 0 at V = -1 through 1 at rest to fvmax, FP a
// parabola from L = 1, straight from (1 + lmax)/2 on. The activation follows its control u, which is constant here [Millard2013]:
//
//     a' = (u - a)/tau,   tau = tau_act (1/2 + 3/2 a) for u > a, else tau_deact/(1/2 + 3/2 a)
//
// For u < a that is the logistic equation; with w = u - a and B = 1/2 + 3/2 u the other is B ln w - 3/2 w = -t/tau_act + const, so that
// w = -(2/3) B W(-(3/2) (w0/B) e^(-(3/2) w0/B - t/(tau_act B))) with Lambert's W.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/import/mjcf/muscle.h"
#include "math/elementary.h"

mjcf_muscle br_mjcf_muscle_usual(void) {
    return (mjcf_muscle){.tau = {0.01, 0.04, 0.0},
                         .gain = {0.75, 1.05, -1.0, 200.0, 0.5, 1.6, 1.5, 1.3, 1.2},
                         .bias = {0.75, 1.05, -1.0, 200.0, 0.5, 1.6, 1.5, 1.3, 1.2}};
}

// <muscle>: one set of numbers for both.
br_status br_mjcf_read_muscle(const mjcf *m, mjcf_element own, mjcf_muscle *out) {
    static const char *const names[] = {"force", "scale", "lmin", "lmax", "vmax", "fpmax", "fvmax"};
    br_status status = br_mjcf_numbers(m, own, "timeconst", 2, 2, out->tau, NULL);
    if (status == BR_OK) status = br_mjcf_number(m, own, "tausmooth", &out->tau[2]);
    if (status == BR_OK) status = br_mjcf_numbers(m, own, "range", 2, 2, out->gain, NULL);
    for (int k = 0; k < 7 && status == BR_OK; k++)
        status = br_mjcf_number(m, own, names[k], &out->gain[2 + k]);
    memcpy(out->bias, out->gain, sizeof out->bias);
    return status;
}

static int is_fit(const double *p) {
    return p[0] < p[1] && p[4] < 1.0 && p[5] > 1.0 && p[6] > 0.0 && p[7] >= 0.0 && p[8] > 1.0;
}

// --- expressions -------------------------------------------------------------------------------------------

static void put_activation(char *out, size_t size, double u, double a, const double *tau) {
    u = fmax(0.0, fmin(1.0, u)), a = fmax(0.0, fmin(1.0, a));
    const double B = 0.5 + 1.5 * u, w = u - a;
    if (u == a)
        snprintf(out, size, "%.17g", u);
    else if (u < a) // (a - u)/(a + 1/3) falls as e^(-t B/tau_deact)
        snprintf(out, size, "(%.17g + (%.17g)*(%.17g)*exp(-t*%.17g))/(1 - (%.17g)*exp(-t*%.17g))", u,
                 -w / (a + 1.0 / 3.0), 1.0 / 3.0, B / tau[1], -w / (a + 1.0 / 3.0), B / tau[1]);
    else
        snprintf(out, size, "(%.17g + %.17g*lambert(%.17g*exp(-t/%.17g)))", u, B / 1.5,
                 -1.5 * w / B * br_exp(-1.5 * w / B), tau[0] * B);
}

static void put_length(char *out, size_t size, const char *joint, double gear, const double *p,
                       const double range[2]) {
    const double L0 = (range[1] - range[0]) / (p[1] - p[0]);
    snprintf(out, size, "(%.17g + %.17g*'%s'.position)", p[0] - range[0] / L0, gear / L0, joint);
}

static void put_gain(char *out, size_t size, const char *joint, double gear, const double *p,
                     const double range[2]) {
    char L[200], V[200];
    const double L0 = (range[1] - range[0]) / (p[1] - p[0]), a = 0.5 * (p[4] + 1.0), b = 0.5 * (1.0 + p[5]),
                 y = p[8] - 1.0;
    put_length(L, sizeof L, joint, gear, p, range);
    snprintf(V, sizeof V, "(%.17g*'%s'.velocity)", gear / (L0 * p[6]), joint);
    snprintf(
        out, size,
        "if(%s < %.17g, 0, if(%s <= %.17g, 0.5*((%s - %.17g)/%.17g)^2, if(%s <= 1, 1 - 0.5*((1 - "
        "%s)/%.17g)^2, "
        "if(%s <= %.17g, 1 - 0.5*((%s - 1)/%.17g)^2, if(%s <= %.17g, 0.5*((%.17g - %s)/%.17g)^2, 0)))))"
        "*if(%s <= -1, 0, if(%s <= 0, (%s + 1)^2, if(%s <= %.17g, %.17g - (%.17g - %s)^2/%.17g, %.17g)))",
        L, p[4], L, a, L, p[4], a - p[4], L, L, 1.0 - a, L, b, L, b - 1.0, L, p[5], p[5], L, p[5] - b, V, V,
        V, V, y, p[8], y, V, y, p[8]);
}

static void put_bias(char *out, size_t size, const char *joint, double gear, const double *p,
                     const double range[2]) {
    char L[200];
    const double b = 0.5 * (1.0 + p[5]);
    put_length(L, sizeof L, joint, gear, p, range);
    snprintf(out, size,
             "%.17g*if(%s <= 1, 0, if(%s <= %.17g, 0.5*((%s - 1)/%.17g)^2, 0.5 + (%s - %.17g)/%.17g))",
             p[2] * p[7], L, L, b, L, b - 1.0, L, b, b - 1.0);
}

br_status br_mjcf_muscle_force(mjcf *m, mjcf_element e, const mjcf_muscle *p, const mjcf_muscle_at *at,
                               char *out, int *made) {
    double range[2] = {0.0, 0.0};
    char activation[400], gain[4000], bias[1000] = "0";
    *made = 0;
    br_status status = br_mjcf_numbers(m, e, "lengthrange", 2, 2, range, NULL);
    if (status != BR_OK) return status;
    if (!is_fit(p->gain) || (at->passive && !is_fit(p->bias)) || !(p->tau[0] > 0.0) || !(p->tau[1] > 0.0))
        return br_mjcf_fail(m, e.node, "mjcf-range",
                            "<%.40s>: the numbers of the muscle do not fit: range rises, lmin < 1 < lmax, "
                            "fvmax > 1, vmax and time "
                            "constants are above 0",
                            e.node->name);
    const char *why =
        !(range[0] < range[1]) ? "MuJoCo finds its lengthrange by pulling at the model; write it out"
        : p->gain[2] < 0.0 || (at->passive && p->bias[2] < 0.0)
            ? "its force follows from the model's masses; write force"
        : p->tau[2] > 0.0
            ? "the smooth change between its time constants is not represented; leave tausmooth out"
            : NULL;
    if (why) return br_mjcf_note(m, e.node, NULL, BR_IMPORT_MOTION, "%s", why);
    put_activation(activation, sizeof activation, at->control, at->activation, p->tau);
    put_gain(gain, sizeof gain, at->joint, at->gear, p->gain, range);
    if (at->passive) put_bias(bias, sizeof bias, at->joint, at->gear, p->bias, range);
    char first[120] = "", last[8] = "";
    if (isfinite(at->low))
        snprintf(first, sizeof first, "max(%.17g, min(%.17g, ", -at->high, -at->low), strcpy(last, "))");
    const int length = snprintf(out, MJCF_EXPRESSION, "-(%.17g)*%s(%.17g*%s*%s + %s)%s", at->gear, first,
                                p->gain[2], activation, gain, bias, last);
    if (length < 0 || length >= MJCF_EXPRESSION)
        return br_mjcf_note(m, e.node, NULL, BR_IMPORT_MOTION,
                            "the muscle's expression is too long for its name");
    *made = 1;
    return br_mjcf_note(m, e.node, NULL, BR_IMPORT_NUMERICS,
                        "its activation is a function of time, that of its control here; a control that is "
                        "set later is the force");
}
