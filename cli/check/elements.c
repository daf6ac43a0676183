// The elements of bristle check --matrix, each a small part of a model, see matrix.h.
#include "check/matrix.h"

// A hinge about y with a body below it and to the side; more: what the joint has besides.
#define HINGED                                                                                               \
    "  @b: {mass: 1, com: [0.1, 0, -0.05], inertia: [0.01, 0.01, 0.01], pose: {position: [0, ~, 1]}}\n"
#define HINGE(more) "  @j: {revolute: [world, @b], axis: y, at: [0, ~, 1]" more "}\n"
#define PIN(law) ", velocity: 1, friction: {pin_radius: 0.01, " law "}"
#define BALL                                                                                                 \
    "  @b: {mass: 1, inertia: [0.004, 0.004, 0.004], pose: {position: [0, ~, 0.1]},\n"                       \
    "    velocity: {linear: [0.2, 0, -0.1]}, shapes: [{sphere: {radius: 0.1}, material: @m}]}\n"
#define PAIR(more) "  @m/g: {" more "}\n"
#define RACE(kind, more)                                                                                     \
    "  @c: {" kind ": [world, @b], at: [0, ~, 1]" more ", outer: 10.1 mm, inner: 10 mm,\n"                   \
    "    contact: {law: hertz, stiffness: 1e9, damping: 100}"
#define DRIVEN "  @d: {joint: @j, position: 0.1*t*t}\n"

const matrix_element matrix_elements[] = {
    {.name = "tree of joints", .bodies = HINGED, .joints = HINGE(""), .driven = DRIVEN},
    {.name = "loop",
     .bodies = "  @b: {mass: 1, inertia: [0.01, 0.01, 0.01], pose: {position: [0, ~, 1.05]}}\n"
               "  @c: {mass: 1, inertia: [0.01, 0.01, 0.01], pose: {position: [0.15, ~, 1.15]}}\n"
               "  @r: {mass: 1, inertia: [0.01, 0.01, 0.01], pose: {position: [0.3, ~, 1.1]}}\n",
     .joints = "  @j: {revolute: [world, @b], axis: y, at: [0, ~, 1]}\n"
               "  @k: {revolute: [@b, @c], axis: y, at: [0, ~, 1.1]}\n"
               "  @l: {revolute: [@c, @r], axis: y, at: [0.3, ~, 1.2]}\n"
               "  @m: {revolute: [@r, world], axis: y, at: [0.3, ~, 1]}\n",
     .driven = DRIVEN},
    {.name = "joint limits",
     .bodies = HINGED,
     .joints = HINGE(", limits: [-0.1, 0.001]"),
     .driven = "  @d: {joint: @j, position: -0.1*t*t}\n"},
    {.name = "exact motor", .bodies = HINGED, .joints = HINGE(""), .drives = DRIVEN},
    {.name = "bounded motor",
     .bodies = HINGED,
     .joints = HINGE(""),
     .drives = "  @d: {joint: @j, velocity: 1, max_torque: 0.5}\n"},
    {.name = "servo",
     .bodies = HINGED,
     .joints = HINGE(""),
     .drives = "  @d: {joint: @j, servo: {position: 1, stiffness: 5, damping: 1}, max_torque: 2}\n",
     .driven = "  @e: {joint: @j, position: 0.1*t*t}\n"},
    {.name = "armature", .bodies = HINGED, .joints = HINGE(", armature: 0.1"), .driven = DRIVEN},
    {.name = "armature of a ball joint",
     .bodies = HINGED,
     .joints = "  @j: {spherical: [world, @b], at: [0, ~, 1], armature: 0.1}\n"},
    {.name = "gear",
     .bodies = HINGED "  @c: {mass: 1, inertia: [0.01, 0.01, 0.01], pose: {position: [0.3, ~, 1]}}\n",
     .joints = HINGE("") "  @k: {revolute: [world, @c], axis: y, at: [0.3, ~, 1]}\n"
                         "  @g: {gear: [@j, @k], ratio: 2}\n",
     .driven = DRIVEN},
    {.name = "tendon",
     .bodies = HINGED,
     .joints = HINGE(
         "") "  @t: {tendon: [{point: world, at: [0.3, ~, 1.2]}, {cylinder: 20 mm, on: world, at: [0.2, ~, "
             "1.1], "
             "axis: y}, {point: @b, at: [0.1, 0, -0.05]}], spring: {stiffness: 50, rest: 0.2}, damping: 0.5, "
             "limits: [0, 0.5]}\n",
     .driven = DRIVEN},
    {.name = "rolling constraint",
     .bodies = HINGED,
     .joints = "  @j: {planar: [world, @b], axis: z, at: [0, ~, 1]}\n",
     .constraints = "  @n: {terms: [{body: @b, direction: [0, 1, 0], axes: body}]}\n"},
    {.name = "joint friction: coulomb",
     .bodies = HINGED,
     .joints = HINGE(PIN("law: coulomb, mu: 0.3")),
     .driven = DRIVEN},
    {.name = "coulomb in a ball joint",
     .bodies = HINGED,
     .joints = "  @j: {spherical: [world, @b], at: [0, ~, 1], friction: {pin_radius: 0.01, law: coulomb, mu: "
               "0.3}}\n"},
    {.name = "joint friction: smooth",
     .bodies = HINGED,
     .joints = HINGE(PIN("law: smooth, mu: 0.3")),
     .driven = DRIVEN},
    {.name = "joint friction: dahl",
     .bodies = HINGED,
     .joints = HINGE(PIN("law: dahl, mu: 0.3")),
     .driven = DRIVEN},
    {.name = "joint friction: lugre",
     .bodies = HINGED,
     .joints = HINGE(PIN("law: lugre, mu: 0.3")),
     .driven = DRIVEN},
    {.name = "joint friction: rigid bristle",
     .bodies = HINGED,
     .joints = HINGE(PIN("law: bristle, mu: 0.3")),
     .driven = DRIVEN},
    {.name = "joint friction: bristle",
     .bodies = HINGED,
     .joints = HINGE(PIN("law: bristle, mu: 0.3, sigma_0: 1e4")),
     .driven = DRIVEN},
    {.name = "contact law: bristle", .bodies = BALL, .pairs = PAIR("mu: 0.3"), .law = "bristle"},
    {.name = "contact law: cone", .bodies = BALL, .pairs = PAIR("mu: 0.3"), .law = "cone"},
    {.name = "contact law: box", .bodies = BALL, .pairs = PAIR("mu: 0.3"), .law = "box"},
    {.name = "contact law: polygon", .bodies = BALL, .pairs = PAIR("mu: 0.3"), .law = "polygon(8)"},
    {.name = "contact law: viscous", .bodies = BALL, .pairs = PAIR("mu: 0.3"), .law = "viscous(0.01)"},
    {.name = "finite bristles (k_T)",
     .bodies = BALL,
     .pairs = PAIR("mu: 0.3, bristle: {stiffness: 1e4}"),
     .law = "bristle"},
    {.name = "restitution", .bodies = BALL, .pairs = PAIR("mu: 0.3, restitution: 0.5")},
    {.name = "compliant contact",
     .bodies = BALL,
     .pairs = PAIR("mu: 0.3, compliance: {law: hertz, stiffness: 1e6}")},
    {.name = "rolling friction", .bodies = BALL, .pairs = PAIR("mu: 0.3, rolling: 1 mm, torsion: 1 mm")},
    {.name = "beam",
     .beams = "  @beam: {from: [0, ~, 1], to: [0.5, ~, 1], elements: 4, attach: {start: world},\n"
              "    section: {circle: {radius: 0.01}, E: 2e8, density: 1000}}\n",
     .body = "@beam.s1"},
    {.name = "clearance: planar", .bodies = HINGED, .clearances = RACE("planar", ", axis: y") "}\n"},
    {.name = "clearance: spherical", .bodies = HINGED, .clearances = RACE("spherical", "") "}\n"},
    {.name = "clearance: spatial", .bodies = HINGED, .clearances = RACE("spatial", ", axis: y") "}\n"},
    {.name = "clearance: journal",
     .bodies = HINGED,
     .clearances = RACE("journal", ", axis: y, length: 20 mm") "}\n"},
    {.name = "clearance with lugre",
     .bodies = HINGED,
     .clearances = RACE("planar", ", axis: y") ", friction: {law: lugre, mu: 0.2}}\n"},
    {.name = "clearance with coulomb",
     .bodies = HINGED,
     .clearances = RACE("planar", ", axis: y") ", friction: {law: coulomb, mu: 0.2}}\n"},
};

const int matrix_element_count = sizeof matrix_elements / sizeof *matrix_elements;
