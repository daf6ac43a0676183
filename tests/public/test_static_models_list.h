// The models of test_static_models.c: text, and what is known of them by hand.
#ifndef TEST_STATIC_MODELS_LIST_H
#define TEST_STATIC_MODELS_LIST_H

#include "bristle/statics.h"
#include "scene.h"

#define G 9.81

enum { MOST_EVENTS = 3, TEXT = 4096 };

typedef struct expected_event {
    br_static_event_kind kind;
    double factor; // by hand
    double within; // relative; 0: 1e-6
} expected_event;

typedef struct model {
    const char *name, *text; // solver: is added
    double until;            // 0: 1
    int events;
    expected_event event[MOST_EVENTS];
    int unstable, flutter, neutral; // at the end
    const char *channel;            // NULL: nothing is read
    double value, within;
    const char *code; // of the error that is expected; NULL: none
} model;

static double toggle_limit(void) { // F(z) = 2 k (L_0/L - 1) z, largest where L^3 = L_0 b^2
    const double L0 = sqrt(1.09), L = cbrt(L0);
    return 2000.0 * (L0 / L - 1.0) * sqrt(L * L - 1.0);
}

// k a = m g l sin a + F l cos a, the root that a grows to from 0.
static double fold_of(double k, double weight, double push) {
    double low = 0.0, high = BR_PI;
    for (int i = 0; i < 200; i++) {
        const double a = 0.5 * (low + high);
        *(k * a < weight * sin(a) + push * cos(a) ? &low : &high) = a;
    }
    return low;
}

static model models[64];

static int fill_models(void) {
    const model list[] = {
        {"inverted pendulum on a spring",
         "bodies: {bob: {mass: 2, inertia: [0.1, 0.1, 0.1], pose: {position: [0, 0, 0.5]}}}\n"
         "joints: {pin: {revolute: [world, bob], axis: [0, 1, 0], at: [0, 0, 0], spring: {stiffness: 5}}}\n",
         0,
         1,
         {{BR_STATIC_BRANCH, 5.0 / G, 0}},
         1,
         0,
         0,
         NULL,
         0,
         1e-9,
         NULL},
        {"inverted pendulum, a stiffer spring",
         "bodies: {bob: {mass: 2, inertia: [0.1, 0.1, 0.1], pose: {position: [0, 0, 0.5]}}}\n"
         "joints: {pin: {revolute: [world, bob], axis: [0, 1, 0], at: [0, 0, 0], spring: {stiffness: 10}}}\n",
         0,
         0,
         {{0}},
         0,
         0,
         0,
         NULL,
         0,
         1e-9,
         NULL},
        {"inverted pendulum without a spring",
         "bodies: {bob: {mass: 2, inertia: [0.1, 0.1, 0.1], pose: {position: [0, 0, 0.5]}}}\n"
         "joints: {pin: {revolute: [world, bob], axis: [0, 1, 0], at: [0, 0, 0]}}\n",
         0,
         0,
         {{0}},
         1,
         0,
         0,
         NULL,
         0,
         1e-9,
         NULL},
        {"a pendulum that only its load holds beside one that buckles early",
         "bodies:\n"
         "  bob: {mass: 2, inertia: [0.1, 0.1, 0.1], pose: {position: [0, 0, 0.5]}}\n"
         "  free: {mass: 2, inertia: [0.1, 0.1, 0.1], pose: {position: [3, 0, 0.5]}}\n"
         "joints:\n"
         "  pin: {revolute: [world, bob], axis: [0, 1, 0], at: [0, 0, 0], spring: {stiffness: 0.2}}\n"
         "  hinge: {revolute: [world, free], axis: [0, 1, 0], at: [3, 0, 0]}\n",
         0,
         1,
         {{BR_STATIC_BRANCH, 0.2 / G, 0}},
         2,
         0,
         0,
         NULL,
         0,
         1e-9,
         NULL},
        {"a spring that holds a rod up, by its line",
         "gravity: [0, 0, 0]\n"
         "bodies: {a: {mass: 1, inertia: [0.1, 0.1, 0.1], pose: {position: [0, 0, 0.5]}}}\n"
         "joints: {p: {revolute: [world, a], axis: [0, 1, 0], at: [0, 0, 0]}}\n"
         "loads:\n"
         "  line: {spring: [world, a], at: {world: [0, 0, 3], a: [0, 0, 0.5]}, stiffness: 10, length: 1}\n"
         "  top: {body: a, force: [0, 0, -50], at: [0, 0, 0.5]}\n",
         0,
         1,
         {{BR_STATIC_BRANCH, 0.3, 0}},
         1,
         0,
         0,
         NULL,
         0,
         1e-9,
         NULL},
        {"hanging pendulum",
         "bodies: {bob: {mass: 2, inertia: [0.1, 0.1, 0.1], pose: {position: [0, 0, -0.5]}}}\n"
         "joints: {pin: {revolute: [world, bob], axis: [0, 1, 0], at: [0, 0, 0]}}\n",
         0,
         0,
         {{0}},
         0,
         0,
         0,
         "pin.position",
         0,
         1e-9,
         NULL},
        {"pendulum with a side force",
         "bodies: {bob: {mass: 2, inertia: [0.1, 0.1, 0.1], pose: {position: [0, 0, -0.5]}}}\n"
         "joints: {pin: {revolute: [world, bob], axis: [0, 1, 0], at: [0, 0, 0]}}\n"
         "loads: {side: {body: bob, force: [10, 0, 0]}}\n",
         0,
         0,
         {{0}},
         0,
         0,
         0,
         "pin.position",
         -0.47136475880609797,
         1e-9,
         NULL},
        {"pendulum let go level",
         "bodies: {bob: {mass: 2, inertia: [0.1, 0.1, 0.1], pose: {position: [0.5, 0, 0]}}}\n"
         "joints: {pin: {revolute: [world, bob], axis: [0, 1, 0], at: [0, 0, 0]}}\n",
         0,
         0,
         {{0}},
         0,
         0,
         0,
         "bob.position.z",
         -0.5,
         1e-9,
         NULL},
        {"imperfect inverted pendulum",
         "bodies: {bob: {mass: 2, inertia: [0.1, 0.1, 0.1], pose: {position: [0, 0, 0.5]}}}\n"
         "joints: {pin: {revolute: [world, bob], axis: [0, 1, 0], at: [0, 0, 0], spring: {stiffness: 5}}}\n"
         "loads: {side: {body: bob, force: [0.1, 0, 0]}}\n",
         0,
         0,
         {{0}},
         0,
         0,
         0,
         "pin.position",
         fold_of(5.0, 9.81, 0.05),
         1e-9,
         NULL},
        {"double inverted pendulum",
         "bodies:\n"
         "  a: {mass: 1, inertia: [0.1, 0.1, 0.1], pose: {position: [0, 0, 1]}}\n"
         "  b: {mass: 1, inertia: [0.1, 0.1, 0.1], pose: {position: [0, 0, 2]}}\n"
         "joints:\n"
         "  p: {revolute: [world, a], axis: [0, 1, 0], at: [0, 0, 0], spring: {stiffness: 10}}\n"
         "  q: {revolute: [a, b], axis: [0, 1, 0], at: [0, 0, 1], spring: {stiffness: 10}}\n",
         2.0,
         2,
         {{BR_STATIC_BRANCH, (10.0 - sqrt(50.0)) / G, 0}, {BR_STATIC_BRANCH, (10.0 + sqrt(50.0)) / G, 0}},
         2,
         0,
         0,
         NULL,
         0,
         1e-9,
         NULL},
        {"Ziegler's column",
         "gravity: [0, 0, 0]\n"
         "bodies:\n"
         "  a: {mass: 2, inertia: [1e-12, 1e-12, 1e-12], pose: {position: [0, 0, 1]}}\n"
         "  b: {mass: 1, inertia: [1e-12, 1e-12, 1e-12], pose: {position: [0, 0, 2]}}\n"
         "joints:\n"
         "  p: {revolute: [world, a], axis: [0, 1, 0], at: [0, 0, 0], spring: {stiffness: 1}}\n"
         "  q: {revolute: [a, b], axis: [0, 1, 0], at: [0, 0, 1], spring: {stiffness: 1}}\n"
         "loads: {top: {body: b, force: [0, 0, -1], axes: body}}\n",
         6.0,
         2,
         {{BR_STATIC_FLUTTER, 3.5 - sqrt(2.0), 0}, {BR_STATIC_FLUTTER, 3.5 + sqrt(2.0), 0}},
         2,
         0,
         0,
         NULL,
         0,
         1e-9,
         NULL},
        {"Ziegler's column with dampers",
         "gravity: [0, 0, 0]\n"
         "bodies:\n"
         "  a: {mass: 2, inertia: [1e-12, 1e-12, 1e-12], pose: {position: [0, 0, 1]}}\n"
         "  b: {mass: 1, inertia: [1e-12, 1e-12, 1e-12], pose: {position: [0, 0, 2]}}\n"
         "joints:\n"
         "  p: {revolute: [world, a], axis: [0, 1, 0], at: [0, 0, 0], spring: {stiffness: 1}, damping: 0.1}\n"
         "  q: {revolute: [a, b], axis: [0, 1, 0], at: [0, 0, 1], spring: {stiffness: 1}, damping: 0.1}\n"
         "loads: {top: {body: b, force: [0, 0, -1], axes: body}}\n",
         2.0,
         1,
         {{BR_STATIC_FLUTTER, 41.0 / 28.0 + 0.005, 0}},
         0,
         1,
         0,
         NULL,
         0,
         1e-9,
         NULL},
        {"the same column under a dead load",
         "gravity: [0, 0, 0]\n"
         "bodies:\n"
         "  a: {mass: 2, inertia: [1e-12, 1e-12, 1e-12], pose: {position: [0, 0, 1]}}\n"
         "  b: {mass: 1, inertia: [1e-12, 1e-12, 1e-12], pose: {position: [0, 0, 2]}}\n"
         "joints:\n"
         "  p: {revolute: [world, a], axis: [0, 1, 0], at: [0, 0, 0], spring: {stiffness: 1}}\n"
         "  q: {revolute: [a, b], axis: [0, 1, 0], at: [0, 0, 1], spring: {stiffness: 1}}\n"
         "loads: {top: {body: b, force: [0, 0, -1]}}\n",
         3.0,
         2,
         {{BR_STATIC_BRANCH, 0.5 * (3.0 - sqrt(5.0)), 0}, {BR_STATIC_BRANCH, 0.5 * (3.0 + sqrt(5.0)), 0}},
         2,
         0,
         0,
         NULL,
         0,
         1e-9,
         NULL},
        {"Euler's column, clamped and free",
         "gravity: [0, 0, 0]\n"
         "planar: xz\n"
         "beams: {mast: {from: [0, 0, 0], to: [0, 0, 1], elements: 16, attach: {0: world},\n"
         "  section: {EI: 1, GJ: 1, EA: 1e7, kGA: 1e7, mass: 1, inertia: 1e-9}}}\n"
         "loads: {top: {body: mast.s1, force: [0, 0, -1]}}\n",
         3.0,
         1,
         {{BR_STATIC_BRANCH, BR_PI * BR_PI / 4.0, 1e-5}},
         1,
         0,
         0,
         NULL,
         0,
         1e-9,
         NULL},
        {"Euler's column, hinged at both ends",
         "gravity: [0, 0, 0]\n"
         "planar: xz\n"
         "bodies: {head: {mass: 0.1, inertia: [0.1, 0.1, 0.1], pose: {position: [0, 0, 1]}}}\n"
         "beams: {mast: {from: [0, 0, 0], to: [0, 0, 1], elements: 16, \n"
         "  section: {EI: 1, GJ: 1, EA: 1e7, kGA: 1e7, mass: 1, inertia: 1e-9}}}\n"
         "joints:\n"
         "  foot: {revolute: [world, mast.s0], axis: [0, 1, 0], at: [0, 0, 0]}\n"
         "  guide: {prismatic: [world, head], axis: [0, 0, 1]}\n"
         "  top: {revolute: [head, mast.s1], axis: [0, 1, 0], at: [0, 0, 1]}\n"
         "loads: {top: {body: head, force: [0, 0, -1]}}\n",
         12.0,
         1,
         {{BR_STATIC_BRANCH, BR_PI * BR_PI, 1e-4}},
         1,
         0,
         0,
         NULL,
         0,
         1e-9,
         NULL},
        {"Euler's column, clamped and hinged",
         "gravity: [0, 0, 0]\n"
         "planar: xz\n"
         "bodies: {head: {mass: 0.1, inertia: [0.1, 0.1, 0.1], pose: {position: [0, 0, 1]}}}\n"
         "beams: {mast: {from: [0, 0, 0], to: [0, 0, 1], elements: 16, attach: {0: world},\n"
         "  section: {EI: 1, GJ: 1, EA: 1e7, kGA: 1e7, mass: 1, inertia: 1e-9}}}\n"
         "joints:\n"
         "  guide: {prismatic: [world, head], axis: [0, 0, 1]}\n"
         "  top: {revolute: [head, mast.s1], axis: [0, 1, 0], at: [0, 0, 1]}\n"
         "loads: {top: {body: head, force: [0, 0, -1]}}\n",
         24.0,
         1,
         {{BR_STATIC_BRANCH, 20.190728556, 3e-4}},
         1,
         0,
         0,
         NULL,
         0,
         1e-9,
         NULL},
        {"Euler's column, clamped at both ends",
         "gravity: [0, 0, 0]\n"
         "planar: xz\n"
         "bodies: {head: {mass: 0.1, inertia: [0.1, 0.1, 0.1], pose: {position: [0, 0, 1]}}}\n"
         "beams: {mast: {from: [0, 0, 0], to: [0, 0, 1], elements: 16, attach: {0: world},\n"
         "  section: {EI: 1, GJ: 1, EA: 1e7, kGA: 1e7, mass: 1, inertia: 1e-9}}}\n"
         "joints:\n"
         "  guide: {prismatic: [world, head], axis: [0, 0, 1]}\n"
         "  top: {weld: [head, mast.s1], at: [0, 0, 1]}\n"
         "loads: {top: {body: head, force: [0, 0, -1]}}\n",
         45.0,
         1,
         {{BR_STATIC_BRANCH, 4.0 * BR_PI * BR_PI, 1e-3}},
         1,
         0,
         0,
         NULL,
         0,
         1e-9,
         NULL},
        {"Beck's column",
         "gravity: [0, 0, 0]\n"
         "planar: xz\n"
         "beams: {mast: {from: [0, 0, 0], to: [0, 0, 1], elements: 24, attach: {0: world},\n"
         "  section: {EI: 1, GJ: 1, EA: 1e7, kGA: 1e7, mass: 1, inertia: 1e-9}}}\n"
         "loads: {top: {body: mast.s1, force: [-1, 0, 0], axes: body}}\n",
         25.0,
         1,
         {{BR_STATIC_FLUTTER, 20.0509536, 2e-4}},
         0,
         1,
         0,
         NULL,
         0,
         1e-9,
         NULL},
        {"two links with a spring between them",
         "gravity: [0, 0, 0]\n"
         "bodies:\n"
         "  a: {mass: 1, inertia: [0.1, 0.1, 0.1], pose: {position: [0, 0, 0.5]}}\n"
         "  b: {mass: 1, inertia: [0.1, 0.1, 0.1], pose: {position: [0, 0, 1.5]}}\n"
         "  head: {mass: 1, inertia: [0.1, 0.1, 0.1], pose: {position: [0, 0, 2]}}\n"
         "joints:\n"
         "  foot: {revolute: [world, a], axis: [0, 1, 0], at: [0, 0, 0]}\n"
         "  knee: {revolute: [a, b], axis: [0, 1, 0], at: [0, 0, 1], spring: {stiffness: 3}}\n"
         "  guide: {prismatic: [world, head], axis: [0, 0, 1]}\n"
         "  top: {revolute: [head, b], axis: [0, 1, 0], at: [0, 0, 2]}\n"
         "loads: {push: {body: head, force: [0, 0, -10]}}\n",
         0,
         1,
         {{BR_STATIC_BRANCH, 0.6, 0}},
         1,
         0,
         0,
         NULL,
         0,
         1e-9,
         NULL},
        {"slider-crank at its dead centre",
         "gravity: [0, 0, 0]\n"
         "bodies:\n"
         "  crank: {mass: 1, inertia: [0.1, 0.1, 0.1], pose: {position: [0.5, 0, 0]}}\n"
         "  rod: {mass: 1, inertia: [0.1, 0.1, 0.1], pose: {position: [2, 0, 0]}}\n"
         "  ram: {mass: 1, inertia: [0.1, 0.1, 0.1], pose: {position: [3, 0, 0]}}\n"
         "joints:\n"
         "  A: {revolute: [world, crank], axis: [0, 1, 0], at: [0, 0, 0], spring: {stiffness: 3}}\n"
         "  B: {revolute: [crank, rod], axis: [0, 1, 0], at: [1, 0, 0]}\n"
         "  C: {revolute: [rod, ram], axis: [0, 1, 0], at: [3, 0, 0]}\n"
         "  guide: {prismatic: [world, ram], axis: [1, 0, 0]}\n"
         "loads: {push: {body: ram, force: [-4, 0, 0]}}\n",
         0,
         1,
         {{BR_STATIC_BRANCH, 0.5, 0}},
         1,
         0,
         0,
         NULL,
         0,
         1e-9,
         NULL},
        {"four-bar on a spring",
         "bodies:\n"
         "  crank: {mass: 1, inertia: [0.1, 0.1, 0.1], pose: {position: [0, 0, 0.5]}}\n"
         "  coupler: {mass: 1, inertia: [0.1, 0.1, 0.1], pose: {position: [0.5, 0, 1]}}\n"
         "  rocker: {mass: 1, inertia: [0.1, 0.1, 0.1], pose: {position: [1, 0, 0.5]}}\n"
         "joints:\n"
         "  A: {revolute: [world, crank], axis: [0, 1, 0], at: [0, 0, 0], spring: {stiffness: 10}}\n"
         "  B: {revolute: [crank, coupler], axis: [0, 1, 0], at: [0, 0, 1]}\n"
         "  C: {revolute: [coupler, rocker], axis: [0, 1, 0], at: [1, 0, 1]}\n"
         "  D: {revolute: [rocker, world], axis: [0, 1, 0], at: [1, 0, 0]}\n",
         0,
         1,
         {{BR_STATIC_BRANCH, 10.0 / (2.0 * G), 0}},
         1,
         0,
         0,
         NULL,
         0,
         1e-9,
         NULL},
        {"weight on a gear",
         "bodies:\n"
         "  bob: {mass: 2, inertia: [0.1, 0.1, 0.1], pose: {position: [0, 0, 0.5]}}\n"
         "  wheel: {mass: 1, inertia: [0.1, 0.1, 0.1], pose: {position: [1, 0, 0]}}\n"
         "joints:\n"
         "  pin: {revolute: [world, bob], axis: [0, 1, 0], at: [0, 0, 0]}\n"
         "  axle: {revolute: [world, wheel], axis: [0, 1, 0], at: [1, 0, 0], spring: {stiffness: 1}}\n"
         "  mesh: {gear: [pin, axle], ratio: 2}\n",
         0,
         1,
         {{BR_STATIC_BRANCH, 0.25 / G, 0}},
         1,
         0,
         0,
         NULL,
         0,
         1e-9,
         NULL},
        {"mass on a spring slides down a tilted table",
         "bodies: {block: {mass: 2, inertia: [0.1, 0.1, 0.1]}}\n"
         "joints: {table: {prismatic: [world, block], axis: [0.8, 0, -0.6], spring: {stiffness: 100}}}\n",
         0,
         0,
         {{0}},
         0,
         0,
         0,
         "table.position",
         2.0 * G * 0.6 / 100.0,
         1e-9,
         NULL},
        {"preloaded spring",
         "bodies: {block: {mass: 2, inertia: [0.1, 0.1, 0.1]}}\n"
         "joints: {rail: {prismatic: [world, block], axis: [0, 0, 1], spring: {stiffness: 100, rest: "
         "0.3}}}\n",
         0,
         0,
         {{0}},
         0,
         0,
         0,
         "rail.position",
         0.3 - 2.0 * G / 100.0,
         1e-9,
         NULL},
        {"two springs that snap through",
         "gravity: [0, 0, 0]\n"
         "bodies: {slider: {mass: 1, inertia: [1, 1, 1], pose: {position: [0, 0, 0.3]}}}\n"
         "joints: {guide: {prismatic: [world, slider], axis: [0, 0, 1]}}\n"
         "loads:\n"
         "  a: {spring: [world, slider], at: {world: [-1, 0, 0], slider: [0, 0, 0]}, stiffness: 1000}\n"
         "  b: {spring: [world, slider], at: {world: [1, 0, 0], slider: [0, 0, 0]}, stiffness: 1000}\n"
         "  push: {body: slider, force: [0, 0, -40]}\n",
         0,
         1,
         {{BR_STATIC_MAXIMUM, toggle_limit() / 40.0, 0}},
         0,
         0,
         0,
         NULL,
         0,
         1e-9,
         "static-limit"},
        {"post that falls two ways, one after the other",
         "gravity: [0, 0, 0]\n"
         "bodies: {bar: {mass: 1, inertia: [0.1, 0.2, 0.3], pose: {position: [0, 0, 0.5]}}}\n"
         "joints: {foot: {universal: [world, bar], axis: [1, 0, 0], axis_2: [0, 1, 0], at: [0, 0, 0], "
         "spring: {stiffness: [3, 4]}}}\n"
         "loads: {top: {body: bar, force: [0, 0, -10], at: [0, 0, 0.5]}}\n",
         0,
         2,
         {{BR_STATIC_BRANCH, 0.3, 0}, {BR_STATIC_BRANCH, 0.4, 0}},
         2,
         0,
         0,
         NULL,
         0,
         1e-9,
         NULL},
        {"post that falls two ways at once",
         "gravity: [0, 0, 0]\n"
         "bodies: {bar: {mass: 1, inertia: [0.1, 0.2, 0.3], pose: {position: [0, 0, 0.5]}}}\n"
         "joints: {foot: {universal: [world, bar], axis: [1, 0, 0], axis_2: [0, 1, 0], at: [0, 0, 0], "
         "spring: {stiffness: [3, 3]}}}\n"
         "loads: {top: {body: bar, force: [0, 0, -10], at: [0, 0, 0.5]}}\n",
         0,
         1,
         {{BR_STATIC_BRANCH, 0.3, 0}},
         2,
         0,
         0,
         NULL,
         0,
         1e-9,
         NULL},
        {"hanging ball pendulum spins freely",
         "bodies: {bob: {mass: 2, inertia: [0.1, 0.1, 0.1], pose: {position: [0, 0, -0.5]}}}\n"
         "joints: {pin: {spherical: [world, bob], at: [0, 0, 0]}}\n",
         0,
         0,
         {{0}},
         0,
         0,
         1,
         NULL,
         0,
         1e-9,
         NULL},
        {"standing ball pendulum",
         "bodies: {bob: {mass: 2, inertia: [0.1, 0.1, 0.1], pose: {position: [0, 0, 0.5]}}}\n"
         "joints: {pin: {spherical: [world, bob], at: [0, 0, 0]}}\n",
         0,
         0,
         {{0}},
         2,
         0,
         1,
         NULL,
         0,
         1e-9,
         NULL},
        {"free body without gravity",
         "gravity: [0, 0, 0]\n"
         "bodies: {box: {mass: 1, inertia: [1, 1, 1]}}\n",
         0,
         0,
         {{0}},
         0,
         0,
         6,
         NULL,
         0,
         1e-9,
         NULL},
        {"free body that falls",
         "bodies: {box: {mass: 1, inertia: [1, 1, 1]}}\n",
         0,
         0,
         {{0}},
         0,
         0,
         0,
         NULL,
         0,
         1e-9,
         "static-free"},
        {"chain let go level",
         "bodies:\n"
         "  l0: {mass: 1, inertia: [0.1, 0.1, 0.1], pose: {position: [0.5, 0, 0]}}\n"
         "  l1: {mass: 1, inertia: [0.1, 0.1, 0.1], pose: {position: [1.5, 0, 0]}}\n"
         "  l2: {mass: 1, inertia: [0.1, 0.1, 0.1], pose: {position: [2.5, 0, 0]}}\n"
         "joints:\n"
         "  j0: {revolute: [world, l0], axis: [0, 1, 0], at: [0, 0, 0]}\n"
         "  j1: {revolute: [l0, l1], axis: [0, 1, 0], at: [1, 0, 0]}\n"
         "  j2: {revolute: [l1, l2], axis: [0, 1, 0], at: [2, 0, 0]}\n",
         0,
         0,
         {{0}},
         0,
         0,
         0,
         "l2.position.z",
         -2.5,
         1e-9,
         NULL},
        {"shaft that is turned, one end clamped",
         "gravity: [0, 0, 0]\n"
         "bodies: {bar: {mass: 1, inertia: [0.1, 0.1, 0.1], pose: {position: [0, 0, 0.5]}}}\n"
         "joints: {axle: {revolute: [world, bar], axis: [0, 0, 1], at: [0, 0, 0], spring: {stiffness: 2}}}\n"
         "loads: {turn: {body: bar, torque: [0, 0, 1]}}\n",
         0,
         0,
         {{0}},
         0,
         0,
         0,
         "axle.position",
         0.5,
         1e-9,
         NULL},
        {"rack that hangs on a pinion's spring",
         "bodies:\n"
         "  rack: {mass: 2, inertia: [0.1, 0.1, 0.1]}\n"
         "  pinion: {mass: 1, inertia: [0.1, 0.1, 0.1], pose: {position: [0.1, 0, 0]}}\n"
         "joints:\n"
         "  slide: {prismatic: [world, rack], axis: [0, 0, 1]}\n"
         "  axle: {revolute: [world, pinion], axis: [0, 1, 0], at: [0.1, 0, 0], spring: {stiffness: 5}}\n"
         "  mesh: {rack_pinion: [axle, slide], radius: 0.1}\n",
         0,
         0,
         {{0}},
         0,
         0,
         0,
         "rack.position.z",
         -2.0 * G * 0.01 / 5.0,
         1e-9,
         NULL},
    };
    memcpy(models, list, sizeof list);
    return (int)(sizeof list / sizeof *list);
}

#endif
