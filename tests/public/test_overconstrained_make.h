// Overconstrained mechanisms as model text, at any start position: parallelograms with several cranks, a Bennett loop, Bricard's
// trihedral loop, a Sarrus linkage, a double wishbone with a spare rod.
#ifndef OVERCONSTRAINED_MAKE_H
#define OVERCONSTRAINED_MAKE_H

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "bristle/math.h"
#include "near.h"

enum { TEXT_SIZE = 16384, MOST_HINGES = 6 };

typedef struct text {
    char s[TEXT_SIZE];
    size_t used;
} text;

static inline void say(text *t, const char *format, ...) {
    va_list list;
    va_start(list, format);
    t->used += (size_t)vsnprintf(t->s + t->used, TEXT_SIZE - t->used, format, list);
    va_end(list);
    assert_true(t->used < TEXT_SIZE);
}

// Cranks of length `size` at x = 0, 1, 2, ... times size, turned by angle from the coupler, turning with rate. off: of the second
// crank's length. unit: every length times it, with masses as they are.
static inline void make_parallelogram(text *t, int cranks, double angle, double rate, double off,
                                      double unit) {
    const double c = cos(angle), s = sin(angle), wide = (cranks - 1) * unit, L = unit;
    t->used = 0;
    say(t, "format: 1\nplanar: xz\ngravity: [0, 0, %.17g]\nbodies:\n", -9.81 * unit);
    for (int k = 0; k < cranks; k++)
        say(t,
            "  crank_%d: {mass: 1, inertia: {slender: {length: %.17g, axis: x}}, pose: {position: [%.17g, 0, "
            "%.17g], "
            "quaternion: [%.17g, 0, %.17g, 0]}, velocity: {linear: [%.17g, 0, %.17g], angular: [0, %.17g, "
            "0]}}\n",
            k + 1, L, k * unit + 0.5 * L * c, 0.5 * L * s, cos(0.5 * angle), -sin(0.5 * angle),
            -0.5 * rate * L * s, 0.5 * rate * L * c, -rate);
    say(t,
        "  coupler: {mass: 2, inertia: {slender: {length: %.17g, axis: x}}, pose: {position: [%.17g, 0, "
        "%.17g]}, "
        "velocity: {linear: [%.17g, 0, %.17g]}}\njoints:\n",
        wide, 0.5 * wide + L * c, L * s, -rate * L * s, rate * L * c);
    for (int k = 0; k < cranks; k++)
        say(t,
            "  base_%d: {revolute: [world, crank_%d], axis: [0, 1, 0], at: {world: [%.17g, 0, 0], crank_%d: "
            "[%.17g, 0, "
            "0]}}\n"
            "  top_%d: {revolute: [crank_%d, coupler], axis: [0, 1, 0], at: {crank_%d: [%.17g, 0, 0], "
            "coupler: [%.17g, 0, "
            "0]}}\n",
            k + 1, k + 1, k * unit, k + 1, -0.5 * L, k + 1, k + 1, k + 1, 0.5 * L + (k == 1 ? off : 0.0),
            k * unit - 0.5 * wide);
}

// A loop of hinges with Denavit-Hartenberg lengths a, twists alpha and angles theta; the largest entry by which it stays open.
static inline double hinge_places(int n, const double *a, const double *alpha, const double *theta,
                                  br_vec3 *point, br_vec3 *axis) {
    br_vec3 x = br_vec3_unit(0), y = br_vec3_unit(1), z = br_vec3_unit(2), p = br_vec3_zero();
    for (int k = 0; k < n; k++) {
        point[k] = p, axis[k] = z;
        const br_vec3 turned = br_vec3_add(br_vec3_scale(cos(theta[k]), x), br_vec3_scale(sin(theta[k]), y));
        const br_vec3 across = br_vec3_cross(z, turned);
        p = br_vec3_add(p, br_vec3_scale(a[k], turned));
        x = turned;
        const br_vec3 up =
            br_vec3_add(br_vec3_scale(cos(alpha[k]), z), br_vec3_scale(-sin(alpha[k]), across));
        z = up, y = br_vec3_cross(z, x);
    }
    return br_vec3_norm(p) + br_vec3_distance(x, br_vec3_unit(0)) + br_vec3_distance(z, br_vec3_unit(2));
}

static inline void make_loop(text *t, int n, const br_vec3 *point, const br_vec3 *axis) {
    t->used = 0;
    say(t, "format: 1\nbodies:\n");
    for (int k = 0; k + 1 < n; k++) {
        const br_vec3 c = br_vec3_scale(0.5, br_vec3_add(point[k], point[k + 1]));
        say(t, "  link_%d: {mass: 1, inertia: [0.09, 0.1, 0.11], pose: {position: [%.17g, %.17g, %.17g]}}\n",
            k + 1, c.x, c.y, c.z);
    }
    say(t, "joints:\n");
    for (int k = 0; k < n; k++) {
        char first[16] = "world", second[16] = "world";
        if (k > 0) snprintf(first, sizeof first, "link_%d", k);
        if (k + 1 < n) snprintf(second, sizeof second, "link_%d", k + 1);
        say(t, "  hinge_%d: {revolute: [%s, %s], axis: [%.17g, %.17g, %.17g], at: [%.17g, %.17g, %.17g]}\n",
            k + 1, first, second, axis[k].x, axis[k].y, axis[k].z, point[k].x, point[k].y, point[k].z);
    }
}

// sin(alpha)/a = sin(beta)/b; tan(theta/2) tan(phi/2) = sin((beta + alpha)/2)/sin((beta - alpha)/2).
static inline void make_bennett(text *t, double theta) {
    const double alpha = BR_PI / 3, b = 0.7, beta = asin(b * sin(alpha));
    const double phi = 2.0 * atan2(sin(0.5 * (beta + alpha)) / sin(0.5 * (beta - alpha)), tan(0.5 * theta));
    const double lengths[] = {1, b, 1, b}, twists[] = {alpha, beta, alpha, beta};
    const double angles[] = {theta, phi, -theta, -phi};
    br_vec3 point[4], axis[4];
    assert_true(hinge_places(4, lengths, twists, angles, point, axis) < 1e-12);
    make_loop(t, 4, point, axis);
}

// Twists of +-90 degrees and equal lengths: angles alternate between theta and phi, cos theta cos phi + cos theta + cos phi = 0.
static inline void make_bricard(text *t, double theta) {
    const double lengths[] = {1, 1, 1, 1, 1, 1}, q = BR_PI / 2, twists[] = {q, -q, q, -q, q, -q};
    const double turn = acos(-cos(theta) / (1.0 + cos(theta)));
    br_vec3 point[6], axis[6];
    double open = 1.0;
    for (int sign = -1; sign <= 1 && open > 1e-12; sign += 2) {
        const double phi = sign * turn, angles[] = {theta, phi, theta, phi, theta, phi};
        open = hinge_places(6, lengths, twists, angles, point, axis);
    }
    if (open > 1e-12) fail_msg("Bricard's loop stays open by %g at %g", open, theta);
    make_loop(t, 6, point, axis);
}

// Two chains of two plates each, in planes across each other; the top at height 2 h.
static inline void make_sarrus(text *t, double h) {
    const double out = sqrt(fmax(0.0, 1.0 - h * h));
    t->used = 0;
    say(t,
        "format: 1\nbodies:\n  top: {mass: 2, inertia: [0.2, 0.2, 0.2], pose: {position: [0, 0, %.17g]}}\n",
        2 * h);
    for (int c = 0; c < 2; c++)
        for (int k = 0; k < 2; k++) {
            const double r = 1 + 0.5 * out, z = (k + 0.5) * h;
            say(t, "  %c_%d: {mass: 1, inertia: [0.1, 0.1, 0.1], pose: {position: [%.17g, %.17g, %.17g]}}\n",
                'a' + c, k + 1, c ? 0.0 : r, c ? r : 0.0, z);
        }
    say(t, "joints:\n");
    for (int c = 0; c < 2; c++) {
        const char n = (char)('a' + c), *axis = c ? "[1, 0, 0]" : "[0, 1, 0]";
        const double r[] = {1, 1 + out, 1}, z[] = {0, h, 2 * h};
        const char *kind[] = {"base", "elbow", "top"};
        for (int k = 0; k < 3; k++) {
            char first[8] = "world", second[8] = "top";
            if (k > 0) snprintf(first, sizeof first, "%c_%d", n, k);
            if (k < 2) snprintf(second, sizeof second, "%c_%d", n, k + 1);
            say(t, "  %c_%s: {revolute: [%s, %s], axis: %s, at: [%.17g, %.17g, %.17g]}\n", n, kind[k], first,
                second, axis, c ? 0.0 : r[k], c ? r[k] : 0.0, z[k]);
        }
    }
}

// Arms of equal length turned by angle about x, ball joints at the knuckle, a tie rod and a spare one parallel to the arms.
static inline void make_wishbone(text *t, double angle) {
    const double y = 0.4 * cos(angle), z = 0.4 * sin(angle);
    const char *arm[] = {"lower", "upper"}, *rod[] = {"tie", "spare"};
    t->used = 0;
    say(t,
        "format: 1\nbodies:\n  knuckle: {mass: 3, inertia: [0.05, 0.06, 0.07], pose: {position: [0, %.17g, "
        "%.17g]}}\n",
        y, 0.15 + z);
    for (int k = 0; k < 2; k++)
        say(t, "  %s: {mass: 1, inertia: [0.02, 0.02, 0.02], pose: {position: [0, %.17g, %.17g]}}\n", arm[k],
            0.5 * y, 0.3 * k + 0.5 * z);
    say(t, "joints:\n");
    for (int k = 0; k < 2; k++)
        say(t,
            "  %s_hinge: {revolute: [world, %s], axis: [1, 0, 0], at: [0, 0, %.17g]}\n"
            "  %s_ball: {spherical: [%s, knuckle], at: [0, %.17g, %.17g]}\n",
            arm[k], arm[k], 0.3 * k, arm[k], arm[k], y, 0.3 * k + z);
    for (int k = 0; k < 2; k++)
        say(t,
            "  %s: {distance: [world, knuckle], at: {world: [%.17g, 0, %.17g], knuckle: [%.17g, 0, %.17g]}, "
            "length: 0.4}\n",
            rod[k], k ? -0.1 : 0.1, k ? 0.2 : 0.1, k ? -0.1 : 0.1, k ? 0.05 : -0.05);
}

#endif
