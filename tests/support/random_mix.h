// Random models that mix at least four kinds of elements: a chain of rigid links and beams whose joints are hinges or joints with play,
// with limits, motors, friction, springs, a loop, and shapes that touch. The text of a model follows from its seed alone.
#ifndef RANDOM_MIX_H
#define RANDOM_MIX_H

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "bristle/io.h"
#include "bristle/judgement.h"
#include "bristle/sim.h"
#include "near.h"
#include "random.h"

enum { MIX_TEXT = 16384, MIX_LEAST_KINDS = 4, MIX_LINKS = 4 };

typedef struct mix {
    rng r;
    char bodies[4096], joints[4096], beams[4096], plays[4096], drives[1024], loads[1024], text[MIX_TEXT];
    char kinds[256];
    int count, planar;
    char end[32]; // what the next link hangs on
    double x, z, lowest;
} mix;

static inline void mix_add(char *text, size_t size, const char *format, ...) {
    const size_t used = strlen(text);
    va_list list;
    va_start(list, format);
    vsnprintf(text + used, size - used, format, list);
    va_end(list);
}

static inline void mix_kind(mix *m, const char *kind) {
    if (strstr(m->kinds, kind)) return;
    mix_add(m->kinds, sizeof m->kinds, "%s%s", m->count++ ? ", " : "", kind);
}

static inline int mix_chance(mix *m, double part) {
    return rng_uniform(&m->r, 0, 1) < part;
}

static inline void mix_hinge(mix *m, int k, const char *a, const char *b) {
    static const char *const laws[] = {"coulomb", "smooth", "dahl", "lugre", "bristle"};
    mix_add(m->joints, sizeof m->joints, "  j%d: {revolute: [%s, %s], axis: y, at: [%.6f, 0, %.6f]", k, a, b,
            m->x, m->z);
    if (mix_chance(m, 0.35)) {
        mix_add(m->joints, sizeof m->joints, ", limits: [%.3f, %.3f]", rng_uniform(&m->r, -0.6, -0.1),
                rng_uniform(&m->r, 0.1, 0.6));
        mix_kind(m, "limit");
    }
    if (mix_chance(m, 0.45)) {
        const char *law = laws[rng_below(&m->r, 5)];
        const double mu = rng_uniform(&m->r, 0.05, 0.4);
        mix_add(m->joints, sizeof m->joints, ", friction: {pin_radius: 0.01, law: %s, mu: %.3f}", law, mu);
        mix_kind(m, "joint friction");
    }
    mix_add(m->joints, sizeof m->joints, "}\n");
}

static inline void mix_play(mix *m, int k, const char *a, const char *b) {
    static const char *const kinds[] = {"planar", "spherical", "spatial", "journal"};
    static const char *const normal[] = {"law: linear, stiffness: 1e6, damping: 50",
                                         "law: hertz, stiffness: 1e8, damping: 50",
                                         "law: hunt_crossley, stiffness: 1e8, damping: 2"};
    static const char *const laws[] = {"", ", friction: {law: lugre, mu: 0.2}",
                                       ", friction: {law: smooth, mu: 0.2}",
                                       ", friction: {law: coulomb, mu: 0.2}"};
    const int kind = m->planar ? 0 : rng_below(&m->r, 4);
    const double play = rng_uniform(&m->r, 0.05, 0.5);
    mix_add(m->plays, sizeof m->plays,
            "  c%d: {%s: [%s, %s], at: [%.6f, 0, %.6f]%s, outer: 10 mm, inner: %.4f mm%s,\n", k, kinds[kind],
            a, b, m->x, m->z, kind == 1 ? "" : ", axis: y", 10 - play, kind == 3 ? ", length: 20 mm" : "");
    mix_add(m->plays, sizeof m->plays, "    contact: {%s}", normal[rng_below(&m->r, 3)]);
    mix_add(m->plays, sizeof m->plays, "%s}\n", laws[rng_below(&m->r, 4)]);
    mix_kind(m, "play");
}

static inline void mix_connect(mix *m, int k, const char *a, const char *b, double play) {
    if (mix_chance(m, play))
        mix_play(m, k, a, b);
    else
        mix_hinge(m, k, a, b);
}

static inline void mix_motor(mix *m) {
    if (!strstr(m->joints, "j0:")) return;
    const int which = rng_below(&m->r, 3);
    const double speed = rng_uniform(&m->r, -4, 4);
    if (which == 0)
        mix_add(m->drives, sizeof m->drives, "  d0: {joint: j0, velocity: %.3f, max_torque: 1}\n", speed);
    else if (which == 1 && !strstr(m->joints, "limits"))
        mix_add(m->drives, sizeof m->drives, "  d0: {joint: j0, position: \"%.3f*t*t\"}\n", speed);
    else
        mix_add(m->drives, sizeof m->drives,
                "  d0: {joint: j0, servo: {position: %.3f, stiffness: 5, damping: 0.2}, max_torque: 2}\n",
                speed);
    mix_kind(m, "motor");
}

// A link from where the chain ends; last: with a ball at its end.
static inline void mix_link(mix *m, int k, int last) {
    const double angle = rng_uniform(&m->r, -2.2, 2.2), l = rng_uniform(&m->r, 0.15, 0.4);
    const double dx = l * sin(angle), dz = -l * cos(angle), mass = rng_uniform(&m->r, 0.05, 1);
    const int beam = mix_chance(m, 0.5);
    char start[32], end[32];
    snprintf(start, sizeof start, beam ? "b%d.s0" : "b%d", k),
        snprintf(end, sizeof end, beam ? "b%d.s1" : "b%d", k);
    mix_connect(m, k, m->end, start, k == 0 ? 0.2 : 0.5);
    if (beam) {
        const double thick = rng_uniform(&m->r, 1, 5), E = rng_uniform(&m->r, 2, 70);
        mix_add(m->beams, sizeof m->beams,
                "  b%d: {from: [%.6f, 0, %.6f], to: [%.6f, 0, %.6f], elements: %d, damping: %s,\n"
                "    section: {rectangle: {size: [15 mm, %.3f mm]}, E: %.3f GPa, density: 2000}",
                k, m->x, m->z, m->x + dx, m->z + dz, 3 + rng_below(&m->r, 4),
                mix_chance(m, 0.5) ? "1e-4" : "0", thick, E);
        mix_add(m->beams, sizeof m->beams, last ? ", attach: {1: tip}}\n" : "}\n");
        mix_kind(m, "beam");
    } else {
        mix_add(m->bodies, sizeof m->bodies,
                "  b%d: {mass: %.4f, com: [%.6f, 0, %.6f], inertia: [%.3e, %.3e, %.3e], pose: {position: "
                "[%.6f, 0, "
                "%.6f]}%s}\n",
                k, mass, -0.5 * dx, -0.5 * dz, mass * l * l / 12, mass * l * l / 12, mass * l * l / 12,
                m->x + dx, m->z + dz, last ? ", shapes: [{sphere: {radius: 0.03}, material: part}]" : "");
    }
    m->x += dx, m->z += dz, m->lowest = fmin(m->lowest, m->z);
    snprintf(m->end, sizeof m->end, "%s", end);
    if (beam && last)
        mix_add(m->bodies, sizeof m->bodies,
                "  tip: {mass: 0.05, inertia: {sphere: {radius: 0.03}}, pose: {position: [%.6f, 0, %.6f]}, "
                "shapes: "
                "[{sphere: {radius: 0.03}, material: part}]}\n",
                m->x, m->z);
}

static inline void mix_ground(mix *m) {
    static const char *const laws[] = {"bristle", "cone", "box", "polygon(8)", "viscous(0.01)"};
    static const char *const pairs[] = {"", ", restitution: 0.5",
                                        ", compliance: {law: hertz, stiffness: 1e6}", ", rolling: 1 mm"};
    static const char *const kinds[] = {"contact", "restitution", "compliant contact", "rolling friction"};
    const int which = rng_below(&m->r, 4);
    const double floor = m->lowest - rng_uniform(&m->r, 0.031, 0.08), mu = rng_uniform(&m->r, 0.1, 0.8);
    mix_kind(m, "contact"), mix_kind(m, kinds[which]);
    if (mix_chance(m, 0.6)) {
        const double vx = rng_uniform(&m->r, -1, 1), vz = rng_uniform(&m->r, -1, 0);
        mix_add(m->bodies, sizeof m->bodies,
                "  free: {mass: 0.3, inertia: [2e-4, 2e-4, 2e-4], pose: {position: [%.6f, 0, %.6f]}, "
                "velocity: {linear: "
                "[%.3f, 0, %.3f]},\n    shapes: [{box: {size: [0.08, 0.08, 0.08]}, material: part}]}\n",
                m->x + rng_uniform(&m->r, 0.2, 0.3), floor + 0.041, vx, vz);
    }
    mix_add(
        m->text, sizeof m->text,
        "materials: {part: {}, floor: {}}\npairs:\n  part/floor: {mu: %.3f%s}\n  part/part: {mu: 0.2}\n"
        "ground: [{plane: {normal: [0, 0, 1], point: [0, 0, %.6f]}, material: floor}]\ncontact: {law: %s}\n",
        mu, pairs[which], floor, laws[rng_below(&m->r, 5)]);
}

static inline void mix_section(mix *m, const char *key, const char *lines) {
    if (lines[0]) mix_add(m->text, sizeof m->text, "%s:\n%s", key, lines);
}

static inline void mix_try(mix *m, uint64_t seed) {
    memset(m, 0, sizeof *m);
    m->r.state = seed * UINT64_C(0x9e3779b97f4a7c15) + 17;
    m->planar = mix_chance(m, 0.5);
    m->z = m->lowest = 1;
    snprintf(m->end, sizeof m->end, "world");
    const int links = 2 + rng_below(&m->r, MIX_LINKS - 1);
    for (int k = 0; k < links; k++) mix_link(m, k, k == links - 1);
    if (mix_chance(m, 0.5)) mix_motor(m);
    if (mix_chance(m, 0.3)) mix_connect(m, links, m->end, "world", 0.3), mix_kind(m, "loop");
    if (mix_chance(m, 0.3)) {
        mix_add(m->loads, sizeof m->loads, "  s0: {spring: [%s, %s], stiffness: %.3f, damping: %.3f}\n",
                m->end,
                strncmp(m->end, "b0", 2) == 0 ? "world"
                : strstr(m->beams, "b0:")     ? "b0.s1"
                                              : "b0",
                rng_uniform(&m->r, 10, 500), rng_uniform(&m->r, 0, 1));
        mix_kind(m, "spring");
    }
    mix_add(m->text, sizeof m->text, "format: 1\nname: mix\n%s", m->planar ? "planar: xz\n" : "");
    mix_ground(m);
    mix_section(m, "bodies", m->bodies), mix_section(m, "beams", m->beams),
        mix_section(m, "joints", m->joints);
    mix_section(m, "clearances", m->plays), mix_section(m, "drives", m->drives),
        mix_section(m, "loads", m->loads);
    mix_add(m->text, sizeof m->text, "solver: {step: 1 ms}\n");
}

// The first with enough kinds from the seed on.
static inline void mix_make(mix *m, uint64_t seed) {
    seed *= 1000;
    do mix_try(m, seed++);
    while (m->count < MIX_LEAST_KINDS);
}

// --- runs --------------------------------------------------------------------------------------------------

typedef struct mix_tally {
    int refused, failed, closed, gains, lost; // lost: credible but for what the scheme took
} mix_tally;

// What made or gave energy beyond its limit; NULL: nothing.
static inline const char *mix_gain(const br_judgement *j) {
    for (int k = 0; k < j->reasons; k++) {
        const br_reason *r = &j->reason[k];
        if (r->fails && (strstr(r->text, "made") || strstr(r->text, "gave"))) return r->text;
    }
    return NULL;
}

static inline int mix_finite(const br_sim *sim) {
    const br_energy e = br_sim_energy(sim);
    return isfinite(br_sim_time(sim)) && isfinite(e.total);
}

static inline void mix_run(const mix *m, uint64_t seed, const char *stepper, double until, mix_tally *tally) {
    const br_override overrides[] = {{.name = "solver.stepper", .value = stepper}};
    br_error error = {0};
    br_model *model = NULL;
    br_sim *sim = NULL;
    br_judgement judgement;
    br_status status =
        br_model_read_text(m->text, strlen(m->text), "mix", overrides, 1, NULL, &model, NULL, &error);
    if (status != BR_OK) fail_msg("seed %d: line %d: %s", (int)seed, error.line, error.message);
    if (br_model_runnable(model, &error) != BR_OK) {
        tally->refused++;
        br_model_destroy(model);
        return;
    }
    status = br_sim_create(model, NULL, &sim, &error);
    if (status == BR_OK) status = br_sim_advance(sim, until, &error);
    if (status != BR_OK) {
        tally->failed++;
        print_message("  seed %d %s: %s: %s\n", (int)seed, stepper, error.code ? error.code : "(no code)",
                      error.message);
        assert_non_null(error.code);
        assert_true(error.message[0] != '\0');
        if (sim) assert_true(mix_finite(sim));
    } else {
        br_sim_judge(sim, &judgement);
        const char *gain = mix_gain(&judgement);
        if (gain) print_message("  seed %d %s (%s): %s\n", (int)seed, stepper, m->kinds, gain);
        *(gain ? &tally->gains : judgement.credible == BR_NOT_CREDIBLE ? &tally->lost : &tally->closed) += 1;
        assert_true(mix_finite(sim));
    }
    br_sim_destroy(sim);
    br_model_destroy(model);
}

#endif
