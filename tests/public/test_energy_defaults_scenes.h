// Fifty models for test_energy_defaults.c: what turns fast, loops, springs, servos, contacts, chains, beams. None of them says how
// it is to be stepped.
#ifndef TEST_ENERGY_DEFAULTS_SCENES_H
#define TEST_ENERGY_DEFAULTS_SCENES_H

#include <math.h>
#include <stdio.h>

typedef struct energy_scene {
    const char *name;
    double until;                          // s
    const char *text;                      // of the model, or
    void (*write)(char *out, size_t size); // what writes it
} energy_scene;

#define WEIGHTLESS "format: 1\ngravity: [0, 0, 0]\n"
#define HEAVY "format: 1\ngravity: [0, 0, -9.81]\n"
#define PLANAR "format: 1\nplanar: xy\ngravity: [0, -9.81, 0]\n"
#define FLOOR(pair)                                                                                          \
    "materials: {m: {}}\npairs: {m/m: {" pair "}}\nground: [{name: floor, plane: {}, material: m}]\n"
#define DISK(spin)                                                                                           \
    HEAVY "bodies:\n  disk: {mass: 1, inertia: {disk: {radius: 0.1, axis: x}}, pose: {position: [0.1, 0, "   \
          "0]}, "                                                                                            \
          "velocity: {angular: [" spin                                                                       \
          ", 0, 0]}}\njoints:\n  ball: {spherical: [world, disk], at: [0, 0, 0]}\n"
#define BALL(z, rest)                                                                                        \
    "bodies:\n  ball: {mass: 1, inertia: {sphere: {radius: 0.1}}, pose: {position: [0, 0, " z "]}, shapes: " \
    "[{sphere: {radius: 0.1}, material: m}]" rest "}\n"
#define BOX(pose, rest)                                                                                      \
    "bodies:\n  box: {mass: 2, inertia: {box: {size: [0.3, 0.2, 0.1]}}, pose: {" pose                        \
    "}, shapes: [{box: {size: "                                                                              \
    "[0.3, 0.2, 0.1]}, material: m}]" rest "}\n"

// --- written ones ------------------------------------------------------------------------------------------

// n rods of 0.2 m on each other, stretched out level along x; `joint` is the kind, `rest` what it needs besides.
static inline void write_links(char *out, size_t size, int n, const char *joint, const char *rest) {
    int k = snprintf(out, size, HEAVY "bodies:\n");
    for (int i = 0; i < n; i++)
        k += snprintf(out + k, size - (size_t)k,
                      "  b%d: {mass: 1, inertia: [0.001, 0.0035, 0.0035], pose: {position: [%g, 0, 0]}}\n", i,
                      0.2 * i + 0.1);
    k += snprintf(out + k, size - (size_t)k, "joints:\n  j0: {%s: [world, b0], at: [0, 0, 0]%s}\n", joint,
                  rest);
    for (int i = 1; i < n; i++)
        k += snprintf(out + k, size - (size_t)k, "  j%d: {%s: [b%d, b%d], at: [%g, 0, 0]%s}\n", i, joint,
                      i - 1, i, 0.2 * i, rest);
}

static inline void write_six_pendulums(char *out, size_t size) {
    write_links(out, size, 6, "revolute", ", axis: y");
}

static inline void write_double_pendulum(char *out, size_t size) {
    write_links(out, size, 2, "revolute", ", axis: y, velocity: 8");
}

static inline void write_ball_chain(char *out, size_t size) {
    write_links(out, size, 8, "spherical", "");
}

static inline void write_cardan_chain(char *out, size_t size) {
    write_links(out, size, 4, "universal", ", axes: [[0, 1, 0], [0, 0, 1]]");
}

// n bodies on each other with a slight offset, let down from 1 mm.
static inline void write_pile(char *out, size_t size, int n, int balls) {
    int k = snprintf(out, size, HEAVY FLOOR("mu: 0.5") "bodies:\n");
    for (int i = 0; i < n; i++) {
        // balls: three below and one in their middle, then the same again
        const double angle = 2.0944 * (i % 4), ring = balls && i % 4 < 3 ? 0.116 : 0.0;
        const double x = balls ? ring * cos(angle) : 0.01 * (i % 2), y = balls ? ring * sin(angle) : 0.0;
        const double z = balls ? (i % 4 < 3 ? 0.101 : 0.265) + 0.36 * (i / 4) : 0.051 + 0.101 * i;
        k += snprintf(
            out + k, size - (size_t)k,
            "  b%d: {mass: 1, inertia: {%s}, pose: {position: [%.6g, %.6g, %.6g]}, shapes: [{%s, material: "
            "m}]}\n",
            i, balls ? "sphere: {radius: 0.1}" : "box: {size: [0.2, 0.2, 0.1]}", x, y, z,
            balls ? "sphere: {radius: 0.1}" : "box: {size: [0.2, 0.2, 0.1]}");
    }
}

static inline void write_tower(char *out, size_t size) {
    write_pile(out, size, 5, 0);
}

static inline void write_heap(char *out, size_t size) {
    write_pile(out, size, 8, 1);
}

static inline void write_spring_chain(char *out, size_t size) {
    int k = snprintf(out, size, HEAVY "bodies:\n");
    for (int i = 0; i < 5; i++)
        k += snprintf(out + k, size - (size_t)k,
                      "  b%d: {mass: 0.5, inertia: [0.001, 0.001, 0.001], pose: {position: [0, 0, %g]}}\n", i,
                      -0.2 * (i + 1));
    k += snprintf(out + k, size - (size_t)k, "joints:\n");
    for (int i = 0; i < 5; i++) {
        char parent[16] = "world";
        if (i > 0) snprintf(parent, sizeof parent, "b%d", i - 1);
        k += snprintf(out + k, size - (size_t)k,
                      "  j%d: {prismatic: [%s, b%d], axis: z, spring: {stiffness: 1e6}, velocity: %g}\n", i,
                      parent, i, i == 4 ? -2.0 : 0.0);
    }
}

// --- the list ----------------------------------------------------------------------------------------------

static const energy_scene energy_scenes[] = {
    {"disk 955 rpm", 5, DISK("100"), NULL},
    {"disk 9,550 rpm", 3, DISK("1000"), NULL},
    {"tumbling 100 rad/s", 2,
     WEIGHTLESS "bodies:\n  body: {mass: 1, inertia: [1, 2, 3], velocity: {angular: [1, 100, 1]}}\n", NULL},
    {"tumbling 300 rad/s", 2,
     WEIGHTLESS "bodies:\n  body: {mass: 2, inertia: [0.02, 0.05, 0.04], velocity: {angular: [50, 20, 300], "
                "linear: [1, 2, 3]}}\n",
     NULL},
    {"gyroscope in gimbals", 3,
     HEAVY "bodies:\n  outer: {mass: 0.5, inertia: [0.004, 0.004, 0.006]}\n  inner: {mass: 0.4, inertia: "
           "[0.003, 0.003, 0.004]}\n  rotor: {mass: 2, inertia: [0.006, 0.006, 0.01], com: [0, 0, "
           "0.02]}\njoints:\n  a: {revolute: [world, outer], axis: z, velocity: 1}\n  b: {revolute: [outer, "
           "inner], axis: x, position: 60 deg}\n  c: {revolute: [inner, rotor], axis: z, velocity: 200}\n",
     NULL},
    {"heavy top", 3,
     HEAVY "bodies:\n  top: {mass: 1.5, inertia: [0.004, 0.004, 0.002], pose: {position: [0.05, 0, 0.08], "
           "rotation_vector: [0, 32 deg, 0]}, velocity: {angular: [80, 0, 127]}}\njoints:\n  tip: "
           "{spherical: [world, top], at: [0, 0, 0]}\n",
     NULL},
    {"wheel in a fork", 3,
     HEAVY "bodies:\n  fork: {mass: 1, inertia: [0.02, 0.02, 0.02], pose: {position: [0.1, 0, 0]}}\n  wheel: "
           "{mass: 2, inertia: [0.02, 0.04, 0.02], pose: {position: [0.3, 0, 0]}}\njoints:\n  steer: "
           "{revolute: [world, fork], at: [0, 0, 0], axis: [1, 0, 5], velocity: 2}\n  axle: {revolute: "
           "[fork, wheel], at: [0.3, 0, 0], axis: y, velocity: 150}\n",
     NULL},
    {"two bodies on a universal joint", 2,
     WEIGHTLESS
     "bodies:\n  a: {mass: 1, inertia: [0.01, 0.03, 0.03], velocity: {angular: [50, 0, 3]}}\n  b: {mass: 1, "
     "inertia: [0.01, 0.02, 0.03], pose: {position: [0.4, 0, 0]}, velocity: {angular: [50, 0, 3], linear: "
     "[0, 1.2, 0]}}\njoints:\n  joint: {universal: [a, b], at: [0.2, 0, 0], axes: [[0, 1, 0], [0, 0, 1]]}\n",
     NULL},
    {"unbalanced rotor", 3,
     HEAVY "bodies:\n  rotor: {mass: 3, inertia: [0.02, 0.03, 0.02], com: [0.03, 0, 0.01]}\njoints:\n  "
           "shaft: {revolute: [world, rotor], axis: y, velocity: 120}\n",
     NULL},
    {"cardan shaft", 2,
     HEAVY "bodies:\n  in: {mass: 1, inertia: [0.002, 0.004, 0.004], pose: {position: [-0.2, 0, 0]}}\n  out: "
           "{mass: 1, inertia: [0.002, 0.004, 0.004], pose: {position: [0.2*cos(30 deg), 0.2*sin(30 deg), "
           "0], euler_zxy: [30 deg, 0, 0]}}\njoints:\n  bearing: {revolute: [world, in], at: [-0.2, 0, 0], "
           "axis: [1, 0, 0], velocity: 60}\n  cross: {universal: [in, out], at: [0, 0, 0], axes: [[0, 1, 0], "
           "[0, 0, 1]]}\n  guide: {cylindrical: [world, out], at: [0.2*cos(30 deg), 0.2*sin(30 deg), 0], "
           "axis: [cos(30 deg), sin(30 deg), 0], velocity: [0, 60/cos(30 deg)]}\n",
     NULL},
    {"four-bar", 3,
     PLANAR "bodies:\n  a: {mass: 1, inertia: [0.01, 0.01, 0.01], pose: {position: [0, 0.15, 0]}}\n  b: "
            "{mass: 2, inertia: [0.03, 0.03, 0.03], pose: {position: [0.25, 0.35, 0]}}\n  c: {mass: 1, "
            "inertia: [0.02, 0.02, 0.02], pose: {position: [0.5, 0.2, 0]}}\njoints:\n  p: {revolute: [world, "
            "a], at: [0, 0, 0], velocity: 6}\n  q: {revolute: [a, b], at: [0, 0.3, 0]}\n  r: {revolute: [b, "
            "c], at: [0.5, 0.4, 0]}\n  s: {revolute: [world, c], at: [0.5, 0, 0]}\n",
     NULL},
    {"spatial four-bar", 3,
     HEAVY "bodies:\n  crank: {mass: 1, inertia: [0.004, 0.004, 0.004], pose: {position: [0, 0.05, 0]}}\n  "
           "rod: {mass: 1, inertia: [0.02, 0.02, 0.02], pose: {position: [0.2, 0.1, 0.15]}}\n  rocker: "
           "{mass: 1, inertia: [0.01, 0.01, 0.01], pose: {position: [0.4, 0.1, 0.15]}}\njoints:\n  a: "
           "{revolute: [world, crank], at: [0, 0, 0], axis: [1, 0, 0.2], velocity: 12}\n  b: {spherical: "
           "[crank, rod], at: [0, 0.1, 0]}\n  c: {spherical: [rod, rocker], at: [0.4, 0.1, 0.3]}\n  d: "
           "{revolute: [world, rocker], at: [0.4, 0.1, 0], axis: y}\n",
     NULL},
    {"slider-crank, free", 2,
     PLANAR "bodies:\n  crank: {mass: 2, inertia: [0.01, 0.01, 0.01]}\n  rod: {mass: 0.4, inertia: [0.002, "
            "0.002, 0.002], pose: {position: [0.15, 0, 0]}}\n  ram: {mass: 0.5, inertia: [0.001, 0.001, "
            "0.001], pose: {position: [0.25, 0, 0]}}\njoints:\n  a: {revolute: [world, crank], at: [0, 0, "
            "0], velocity: 60}\n  b: {revolute: [crank, rod], at: [0.05, 0, 0]}\n  c: {revolute: [rod, ram], "
            "at: [0.25, 0, 0]}\n  d: {prismatic: [world, ram], axis: x}\n",
     NULL},
    {"slider-crank in space", 2,
     HEAVY "bodies:\n  crank: {mass: 1, inertia: [0.004, 0.004, 0.004]}\n  rod: {mass: 0.5, inertia: [0.002, "
           "0.004, 0.004], pose: {position: [0.15, 0.05, 0]}}\n  ram: {mass: 0.5, inertia: [0.001, 0.001, "
           "0.001], pose: {position: [0.3, 0, 0]}}\njoints:\n  a: {revolute: [world, crank], at: [0, 0, 0], "
           "axis: x, velocity: 40}\n  b: {spherical: [crank, rod], at: [0, 0.1, 0]}\n  c: {universal: [rod, "
           "ram], at: [0.3, 0, 0], axes: [[0, 0, 1], [0, 1, 0]]}\n  d: {prismatic: [world, ram], axis: x}\n",
     NULL},
    {"six-bar", 3,
     PLANAR "bodies:\n  a: {mass: 1, inertia: [0.01, 0.01, 0.01], pose: {position: [0, 0.15, 0]}}\n  b: "
            "{mass: 1, inertia: [0.02, 0.02, 0.02], pose: {position: [0.25, 0.35, 0]}}\n  c: {mass: 1, "
            "inertia: [0.02, 0.02, 0.02], pose: {position: [0.5, 0.2, 0]}}\n  d: {mass: 1, inertia: [0.02, "
            "0.02, 0.02], pose: {position: [0.75, 0.35, 0]}}\n  e: {mass: 1, inertia: [0.02, 0.02, 0.02], "
            "pose: {position: [1, 0.2, 0]}}\njoints:\n  p: {revolute: [world, a], at: [0, 0, 0], velocity: "
            "4}\n  q: {revolute: [a, b], at: [0, 0.3, 0]}\n  r: {revolute: [b, c], at: [0.5, 0.4, 0]}\n  s: "
            "{revolute: [world, c], at: [0.5, 0, 0]}\n  t: {revolute: [c, d], at: [0.5, 0.3, 0]}\n  u: "
            "{revolute: [d, e], at: [1, 0.4, 0]}\n  v: {revolute: [world, e], at: [1, 0, 0]}\n",
     NULL},
    {"gears and a weight", 3,
     HEAVY
     "bodies:\n  one: {mass: 1, inertia: [0.002, 0.002, 0.001], com: [0.05, 0, 0]}\n  two: {mass: 2, "
     "inertia: [0.01, 0.01, 0.01], pose: {position: [0.2, 0, 0]}}\njoints:\n  a: {revolute: [world, one], "
     "axis: y, velocity: 15}\n  b: {revolute: [world, two], axis: y}\n  mesh: {gear: [a, b], ratio: 2}\n",
     NULL},
    {"rack and pinion on a spring", 3,
     HEAVY
     "bodies:\n  rack: {mass: 1, inertia: [0.01, 0.01, 0.01]}\n  pinion: {mass: 2, inertia: [0.002, 0.002, "
     "0.002]}\njoints:\n  guide: {prismatic: [world, rack], axis: z, spring: {stiffness: 400}}\n  axle: "
     "{revolute: [world, pinion], axis: y}\n  teeth: {rack_pinion: [axle, guide], radius: 0.05}\n",
     NULL},
    {"stiff slide", 2,
     WEIGHTLESS "bodies:\n  mass: {mass: 1, inertia: [1, 1, 1]}\njoints:\n  slide: {prismatic: [world, "
                "mass], axis: x, spring: {stiffness: 1e6}, position: 25.8 mm}\n",
     NULL},
    {"body on a stiff spring", 2,
     HEAVY "bodies:\n  body: {mass: 1, inertia: [0.01, 0.02, 0.015], pose: {position: [1.1, 0, "
           "0]}}\nloads:\n  spring: {spring: [world, body], at: {world: [0, 0, 0], body: [-0.0742, 0.05, "
           "0.02]}, stiffness: 1e6, length: 1}\n",
     NULL},
    {"arm and body on a stiff spring", 2,
     HEAVY "bodies:\n  arm: {mass: 1, inertia: [0.01, 0.02, 0.015], pose: {position: [0.5, 0, 0]}}\n  body: "
           "{mass: 1, inertia: [0.01, 0.02, 0.015], pose: {position: [1.5258, 0, 0]}}\njoints:\n  pin: "
           "{revolute: [world, arm], at: [0, 0, 0], axis: y}\nloads:\n  spring: {spring: [arm, body], at: "
           "{arm: [0.5, 0, 0.01], body: [-0.4, 0.02, 0]}, stiffness: 1e6, length: 0.1}\n",
     NULL},
    {"body on three stiff springs", 2,
     HEAVY "bodies:\n  body: {mass: 2, inertia: [0.02, 0.03, 0.04], velocity: {angular: [3, 2, 5], linear: "
           "[0.5, 0, 0]}}\nloads:\n  a: {spring: [world, body], at: {world: [0, 0, 0.5], body: [0, 0.1, "
           "0.1]}, stiffness: 1e6}\n  b: {spring: [world, body], at: {world: [0.5, 0.2, -0.2], body: [0.1, "
           "0, -0.1]}, stiffness: 1e6}\n  c: {spring: [world, body], at: {world: [-0.5, 0.2, -0.2], body: "
           "[-0.1, 0, -0.1]}, stiffness: 1e6}\n",
     NULL},
    {"bushing", 2,
     HEAVY
     "bodies:\n  body: {mass: 2, inertia: [0.02, 0.03, 0.04], velocity: {angular: [5, 8, 5], linear: [0.5, "
     "1, 0]}}\nloads:\n  mount: {bushing: [world, body], stiffness: [1e5, 1e5, 2e5, 1e3, 1e3, 2e3]}\n",
     NULL},
    {"torsion pendulum", 3,
     HEAVY "bodies:\n  wheel: {mass: 2, inertia: [0.02, 0.02, 0.04], com: [0.02, 0, 0]}\njoints:\n  wire: "
           "{revolute: [world, wheel], axis: z, spring: {stiffness: 50}, position: 1}\n",
     NULL},
    {"elastic pendulum", 3,
     HEAVY "bodies:\n  mass: {mass: 1, inertia: [0.01, 0.01, 0.01], pose: {position: [0.7, 0, "
           "-0.2]}}\nloads:\n  spring: {spring: [world, mass], stiffness: 40, length: 0.5}\n",
     NULL},
    {"five masses on stiff springs", 2, NULL, write_spring_chain},
    {"servo on an arm", 3,
     HEAVY "bodies:\n  arm: {mass: 1, inertia: [0.001, 0.02, 0.02], pose: {position: [0.25, 0, "
           "0]}}\njoints:\n  a: {revolute: [world, arm], at: [0, 0, 0], axis: y}\ndrives:\n  motor: {joint: "
           "a, servo: {position: 'sin(4*t)', stiffness: 200, damping: 5}}\n",
     NULL},
    {"stiff servo", 2,
     HEAVY "bodies:\n  arm: {mass: 1, inertia: [0.001, 0.02, 0.02], pose: {position: [0.25, 0, "
           "0]}}\njoints:\n  a: {revolute: [world, arm], at: [0, 0, 0], axis: y}\ndrives:\n  motor: {joint: "
           "a, servo: {position: 1, stiffness: 1e5, damping: 10}}\n",
     NULL},
    {"velocity drive", 2,
     HEAVY "bodies:\n  arm: {mass: 1, inertia: [0.001, 0.02, 0.02], pose: {position: [0.25, 0, 0]}}\n  tip: "
           "{mass: 0.5, inertia: [0.001, 0.01, 0.01], pose: {position: [0.6, 0, 0]}}\njoints:\n  a: "
           "{revolute: [world, arm], at: [0, 0, 0], axis: z}\n  b: {revolute: [arm, tip], at: [0.5, 0, 0], "
           "axis: y}\ndrives:\n  motor: {joint: a, velocity: '5*sin(3*t)'}\n",
     NULL},
    {"position drive", 2,
     HEAVY "bodies:\n  arm: {mass: 1, inertia: [0.001, 0.02, 0.02], pose: {position: [0.25, 0, 0]}}\n  tip: "
           "{mass: 0.5, inertia: [0.001, 0.01, 0.01], pose: {position: [0.6, 0, 0]}}\njoints:\n  a: "
           "{revolute: [world, arm], at: [0, 0, 0], axis: y}\n  b: {revolute: [arm, tip], at: [0.5, 0, 0], "
           "axis: y}\ndrives:\n  motor: {joint: a, position: '0.5*(1 - cos(6*t))'}\n",
     NULL},
    {"motor with a largest torque", 3,
     PLANAR
     "bodies:\n  crank: {mass: 2, inertia: [0.01, 0.01, 0.01]}\n  rod: {mass: 0.4, inertia: [0.002, 0.002, "
     "0.002], pose: {position: [0.15, 0, 0]}}\n  ram: {mass: 0.5, inertia: [0.001, 0.001, 0.001], pose: "
     "{position: [0.25, 0, 0]}}\njoints:\n  a: {revolute: [world, crank], at: [0, 0, 0], velocity: 5}\n  b: "
     "{revolute: [crank, rod], at: [0.05, 0, 0]}\n  c: {revolute: [rod, ram], at: [0.25, 0, 0]}\n  d: "
     "{prismatic: [world, ram], axis: x}\ndrives:\n  motor: {joint: a, velocity: 30, max_torque: 0.5}\n",
     NULL},
    {"box dropped flat", 2, HEAVY FLOOR("mu: 0.4") BOX("position: [0, 0, 0.25]", ""), NULL},
    {"box thrown", 2,
     HEAVY FLOOR("mu: 0.3") BOX("position: [0, 0, 0.5], rotation_vector: [0.5, 0.3, 0.2]",
                                ", velocity: {linear: [2, 0.5, 0], angular: [4, 7, 3]}"),
     NULL},
    {"ball bounces", 2, HEAVY FLOOR("mu: 0.3, restitution: 0.8") BALL("0.6", ""), NULL},
    {"ball slides, then rolls", 2, HEAVY FLOOR("mu: 0.2") BALL("0.1", ", velocity: {linear: [3, 0, 0]}"),
     NULL},
    {"ball rolls down", 2, "format: 1\ngravity: [3, 0, -9.3]\n" FLOOR("mu: 0.5") BALL("0.1", ""), NULL},
    {"capsule thrown", 2,
     HEAVY FLOOR("mu: 0.5") "bodies:\n  rod: {mass: 1, inertia: [0.02, 0.02, 0.002], pose: {position: [0, 0, "
                            "0.5], rotation_vector: [0.7, 0, 0]}, velocity: {linear: [1, 0, 0], angular: [5, "
                            "2, 0]}, shapes: [{capsule: {radius: 0.05, length: 0.4}, material: m}]}\n",
     NULL},
    {"disk rolls and wobbles", 2,
     HEAVY FLOOR(
         "mu: 0.8") "bodies:\n  coin: {mass: 0.5, inertia: [0.00125, 0.00125, 0.0025], pose: {position: [0, "
                    "0, 0.1], rotation_vector: [80 deg, 0, 0]}, velocity: {linear: [1, 0, 0], angular: [0, "
                    "10, 0.5]}, shapes: [{cylinder: {radius: 0.1, length: 0.01}, material: m}]}\n",
     NULL},
    {"tower of five boxes", 1.5, NULL, write_tower},
    {"heap of eight balls", 1.5, NULL, write_heap},
    {"ball on a linear compliance", 2,
     HEAVY FLOOR("mu: 0.3, compliance: {law: linear, stiffness: 1e5}") BALL("0.4", ""), NULL},
    {"ball on Hertz", 2, HEAVY FLOOR("mu: 0.3, compliance: {law: hertz, stiffness: 1e6}") BALL("0.4", ""),
     NULL},
    {"ball on Hunt-Crossley", 2,
     HEAVY FLOOR("mu: 0.3, compliance: {law: hunt_crossley, stiffness: 1e6, damping: 0.2}") BALL("0.4", ""),
     NULL},
    {"box on a damped stiff compliance", 2,
     HEAVY FLOOR("mu: 0.3, compliance: {law: linear, stiffness: 1e7, damping: 1e3}")
         BOX("position: [0, 0, 0.3], rotation_vector: [0.3, 0.2, 0]", ""),
     NULL},
    {"six pendulums", 3, NULL, write_six_pendulums},
    {"double pendulum", 3, NULL, write_double_pendulum},
    {"chain of eight balls", 3, NULL, write_ball_chain},
    {"chain of universal joints", 3, NULL, write_cardan_chain},
    {"body on a rod", 5,
     "format: 1\ngravity: [0, 0, -9.80665]\nbodies:\n  body: {mass: 1, inertia: [0.04, 0.1, 0.1], pose: "
     "{position: [-1, 4, 3]}}\njoints:\n  rod: {distance: [world, body], at: {world: [1, 2, 3], body: [2, 0, "
     "0]}, length: 2}\n",
     NULL},
    {"beam that swings", 0.5,
     HEAVY
     "beams:\n  rod: {from: [0, 0, 0], to: [1, 0, 0], elements: 6, section: {E: 5 MPa, nu: 0.3, density: "
     "1000, circle: {radius: 10 mm}}}\njoints:\n  pin: {revolute: [world, rod.s0], axis: [0, 1, 0]}\n",
     NULL},
    {"beam that flies", 0.5,
     WEIGHTLESS
     "beams:\n  rod: {points: [[0, 0, 0], [0.6, 0, 0], [0.6, 0.4, 0]], elements: 6, section: {E: 5 MPa, nu: "
     "0.3, density: 1000, circle: {radius: 10 mm}}, velocity: {linear: [1, 2, 3], angular: [1, 5, 3]}}\n",
     NULL},
};
enum { ENERGY_SCENES = sizeof energy_scenes / sizeof *energy_scenes };

#endif
