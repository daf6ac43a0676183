// Random mechanisms with one or two closed loops, Coulomb friction in every joint, pushed to and fro so that they reverse.
//
// Joints are placed first and bodies hung between them, so that loops close by construction. Lengths are about 0.1 m, masses 0.1 to 10 kg,
// coefficients 0.02 to 0.6 and one in five up to 2, where sliding joints wedge themselves: paradoxes are wanted, too.
#ifndef RUBBING_LOOPS_H
#define RUBBING_LOOPS_H

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "random.h"

#define RUBBING_TEXT 8192

typedef struct rubbing_loop {
    char text[RUBBING_TEXT];
    size_t used;
    double period, until; // s
    int bodies, joints;
    const char *kind;
} rubbing_loop;

static inline void rubbing_put(rubbing_loop *m, const char *format, ...) {
    va_list list;
    va_start(list, format);
    m->used += (size_t)vsnprintf(m->text + m->used, sizeof m->text - m->used, format, list);
    va_end(list);
}

typedef struct rubbing_point {
    double x, y;
} rubbing_point;

static inline double rubbing_log(rng *r, double low, double high) {
    return exp(rng_uniform(r, log(low), log(high)));
}

static inline rubbing_point rubbing_from(rng *r, rubbing_point p, double low, double high) {
    const double length = rng_uniform(r, low, high), angle = rng_uniform(r, 0, 6.283185307179586);
    return (rubbing_point){p.x + length * cos(angle), p.y + length * sin(angle)};
}

// A slender bar from p to q, or a block where they are the same point.
static inline double rubbing_body(rubbing_loop *m, rng *r, rubbing_point p, rubbing_point q) {
    const double mass = rubbing_log(r, 0.1, 10), length = hypot(q.x - p.x, q.y - p.y);
    rubbing_put(m, "  b%d: {mass: %.17g, pose: {position: [%.17g, %.17g, 0], euler_xyz: [0, 0, %.17g]}, ",
                m->bodies++, mass, 0.5 * (p.x + q.x), 0.5 * (p.y + q.y), atan2(q.y - p.y, q.x - p.x));
    if (length > 1e-6)
        rubbing_put(m, "inertia: {slender: {length: %.17g, axis: x}}}\n", length);
    else
        rubbing_put(m, "inertia: {box: {size: [0.03, 0.03, 0.03]}}}\n");
    return mass;
}

static inline void rubbing_name(rubbing_loop *m, int body) {
    if (body < 0)
        rubbing_put(m, "world");
    else
        rubbing_put(m, "b%d", body);
}

static inline void rubbing_joint(rubbing_loop *m, rng *r, int a, int b, rubbing_point p, int guide,
                                 double angle) {
    const double mu = rng_below(r, 5) ? rubbing_log(r, 0.02, 0.6) : rng_uniform(r, 0.5, 2),
                 more = rng_below(r, 2) ? 1.0 : rng_uniform(r, 1.0, 1.5), arm = rubbing_log(r, 2e-3, 2.5e-2);
    rubbing_put(m, "  j%d: {%s: [", m->joints++, guide ? "prismatic" : "revolute");
    rubbing_name(m, a);
    rubbing_put(m, ", ");
    rubbing_name(m, b);
    rubbing_put(m, "], at: [%.17g, %.17g, 0], ", p.x, p.y);
    if (guide)
        rubbing_put(m, "axis: [%.17g, %.17g, 0], ", cos(angle), sin(angle));
    else
        rubbing_put(m, "axis: z, ");
    rubbing_put(m, "friction: {law: coulomb, mu_static: %.17g, mu_kinetic: %.17g", mu * more, mu);
    if (!guide) rubbing_put(m, ", pin_radius: %.17g", arm);
    if (guide && rng_below(r, 2)) rubbing_put(m, ", guide_length: %.17g", rng_uniform(r, 0.02, 0.2));
    rubbing_put(m, "}}\n");
}

enum {
    RUBBING_FOUR_BAR = 0,
    RUBBING_SLIDER_CRANK,
    RUBBING_INVERTED,
    RUBBING_TRAMMEL,
    RUBBING_SIX_BAR,
    RUBBING_KINDS
};
static const char *const rubbing_kind[] = {"four-bar", "slider-crank", "inverted slider-crank", "trammel",
                                           "six-bar"};

// Bodies and joints of one kind, in two passes: `joints` 0 writes bodies (and returns their mass), 1 joints. p: A, B, C, D, E, F.
static inline double rubbing_parts(rubbing_loop *m, rng *r, int kind, const rubbing_point *p, double angle,
                                   int joints) {
    double mass = 0.0;
    if (kind == RUBBING_TRAMMEL) {
        if (joints) {
            rubbing_joint(m, r, -1, 0, p[0], 1, angle), rubbing_joint(m, r, 0, 1, p[0], 0, 0);
            rubbing_joint(m, r, 1, 2, p[1], 0, 0), rubbing_joint(m, r, -1, 2, p[1], 1, angle + 1.2);
            return 0.0;
        }
        mass += rubbing_body(m, r, p[0], p[0]), mass += rubbing_body(m, r, p[0], p[1]);
        return mass + rubbing_body(m, r, p[1], p[1]);
    }
    if (!joints) {
        mass += rubbing_body(m, r, p[0], p[1]);
        mass += kind == RUBBING_INVERTED ? rubbing_body(m, r, p[1], p[1]) : rubbing_body(m, r, p[1], p[2]);
        mass +=
            kind == RUBBING_SLIDER_CRANK ? rubbing_body(m, r, p[2], p[2]) : rubbing_body(m, r, p[2], p[3]);
        if (kind == RUBBING_SIX_BAR)
            mass += rubbing_body(m, r, p[2], p[4]), mass += rubbing_body(m, r, p[4], p[4]);
        return mass;
    }
    rubbing_joint(m, r, -1, 0, p[0], 0, 0), rubbing_joint(m, r, 0, 1, p[1], 0, 0);
    if (kind == RUBBING_INVERTED)
        rubbing_joint(m, r, 1, 2, p[1], 1, atan2(p[3].y - p[1].y, p[3].x - p[1].x));
    else
        rubbing_joint(m, r, 1, 2, p[2], 0, 0);
    if (kind == RUBBING_SLIDER_CRANK)
        rubbing_joint(m, r, -1, 2, p[2], 1, angle);
    else
        rubbing_joint(m, r, -1, 2, p[3], 0, 0);
    if (kind == RUBBING_SIX_BAR) {
        rubbing_joint(m, r, 2, 3, p[2], 0, 0), rubbing_joint(m, r, 3, 4, p[4], 0, 0);
        rubbing_joint(m, r, -1, 4, p[4], 1, angle);
    }
    return 0.0;
}

static inline void rubbing_loop_make(rubbing_loop *m, uint64_t seed, const char *stepper) {
    rng r = {seed * UINT64_C(0x9e3779b97f4a7c15) + 17};
    for (int k = 0; k < 4; k++) rng_next(&r);
    const int kind = rng_below(&r, RUBBING_KINDS), planar = rng_below(&r, 8) != 0;
    const double frequency = rubbing_log(&r, 2, 12), angle = rng_uniform(&r, 0, 6.28);
    rubbing_point p[6] = {{0, 0}};
    p[1] = rubbing_from(&r, p[0], 0.04, 0.1);
    p[2] = rubbing_from(&r, p[1], 0.1, 0.2);
    p[3] = rubbing_from(&r, p[2], 0.1, 0.2);
    p[4] = rubbing_from(&r, p[2], 0.1, 0.2);
    *m = (rubbing_loop){.period = 1.0 / frequency, .until = 2.5 / frequency, .kind = rubbing_kind[kind]};
    if (kind == RUBBING_INVERTED) p[2] = p[1];
    rubbing_put(m, "format: 1\nname: rubbing_%llu\n%sgravity: [0, %s, 0]\nbodies:\n",
                (unsigned long long)seed, planar ? "planar: xy\n" : "", rng_below(&r, 2) ? "-9.81" : "0");
    const double mass = rubbing_parts(m, &r, kind, p, angle, 0);
    rubbing_put(m, "joints:\n");
    rubbing_parts(m, &r, kind, p, angle, 1);
    const double w = 6.283185307179586 * frequency, force = mass * 0.05 * w * w * rubbing_log(&r, 0.3, 6),
                 way = rng_uniform(&r, 0, 6.28), phase = rng_uniform(&r, 0, 6.28);
    const int pushed = rng_below(&r, m->bodies);
    rubbing_put(m,
                "loads:\n  push: {body: b%d, force: [\"%.17g*cos(%.17g*t + %.17g)\", \"%.17g*cos(%.17g*t + "
                "%.17g)\", 0]}\n",
                pushed, force * cos(way), w, phase, force * sin(way), w, phase);
    rubbing_put(m, "solver: {stepper: %s, step: %.17g, tol: 1e-8}\nrun: {until: %.17g}\n", stepper,
                m->period / 200, m->until);
}

#endif
