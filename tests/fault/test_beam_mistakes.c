// Likely mistakes with beams, clearances and steps that vary, each with its message and its place; what a stepper cannot
// run; and input that wants to break the reader.
#include <stdio.h>
#include <string.h>

#include "bristle/io.h"
#include "near.h"

typedef struct mistake {
    const char *name;
    const char *text;
    const char *code;
    int line, column;
    const char *message;
} mistake;

#define ROD "format: 1\nbodies:\n  rod: {mass: 1 kg, inertia: [0.1, 0.1, 0.1]}\n"
#define HEAD "format: 1\n"
#define LINE "from: [0, 0, 0], to: [1, 0, 0]"
#define SECTION "section: {EI: 100, GJ: 80, EA: 1e6, kGA: 4e5, mass: 1}"
#define NUMBERS "EI: 100, GJ: 80, EA: 1e6, kGA: 4e5, mass: 1"
#define METAL "E: 70 GPa, density: 2700"
#define RACES "outer: 21 mm, inner: 20 mm"
#define SPRING "contact: {law: linear, stiffness: 1e6}"

static const mistake mistakes[] = {
    {"a beam without a line", HEAD "beams:\n  mast: {" SECTION "}\n", "yaml-missing-key", 3, 3,
     "beam 'mast' has no line; write from: [x, y, z] and to: [x, y, z], or points, arc or spline"},
    {"a beam without its end", HEAD "beams:\n  mast: {from: [0, 0, 0], " SECTION "}\n", "yaml-missing-key", 3,
     3, "beam 'mast' has no to; write to: [x, y, z]"},
    {"two kinds of line",
     HEAD "beams:\n  mast: {" LINE ", " SECTION ", arc: [[0, 0, 0], [1, 1, 0], [2, 0, 0]]}\n",
     "yaml-conflict", 3, 10, "beam 'mast' has both arc and from, expected one of them"},
    {"points and an end",
     HEAD "beams:\n  mast: {points: [[0, 0, 0], [1, 0, 0]], to: [2, 0, 0], " SECTION "}\n", "yaml-conflict",
     3, 42, "beam 'mast' has both points and to, expected one of them"},
    {"a beam without a section", HEAD "beams:\n  mast: {" LINE "}\n", "yaml-missing-key", 3, 3,
     "beam 'mast' has no section; write section: {EI, GJ, EA, kGA, mass}, or a material and a shape"},
    {"a misspelt key of a beam", HEAD "beams:\n  mast: {" LINE ", " SECTION ", element: 5}\n",
     "yaml-unknown-key", 3, 98,
     "'element' is not a key of beam 'mast'; did you mean 'elements'? (keys: from, to, points, arc, spline, "
     "elements, up, twist, section, damping, attach, velocity)"},
    {"a beam of no length", HEAD "beams:\n  mast: {from: [1, 0, 0], to: [1, 0, 0], " SECTION "}\n",
     "beam-line", 3, 31, "points 1 and 2 of beam mast are both (1, 0, 0): a beam needs a length"},
    {"one point", HEAD "beams:\n  mast: {points: [[0, 0, 0]], " SECTION "}\n", "beam-line", 3, 18,
     "the line of beam mast has 1 point, expected 2 to 1000"},
    {"a point twice", HEAD "beams:\n  mast: {points: [[0, 0, 0], [1, 0, 0], [1, 0, 0]], " SECTION "}\n",
     "beam-line", 3, 41, "points 2 and 3 of beam mast are both (1, 0, 0): a beam needs a length"},
    {"an arc of two points", HEAD "beams:\n  mast: {arc: [[0, 0, 0], [1, 0, 0]], " SECTION "}\n", "beam-line",
     3, 15, "the arc of beam mast has 2 points, expected 3: its start, one on the way, its end"},
    {"an arc that is straight",
     HEAD "beams:\n  mast: {arc: [[0, 0, 0], [1, 0, 0], [2, 0, 0]], " SECTION "}\n", "beam-line", 3, 15,
     "the three points of the arc of beam mast are on one line; use from and to for a straight beam"},
    {"an arc that is closed",
     HEAD "beams:\n  mast: {arc: [[0, 0, 0], [1, 0, 0], [0, 1e-7, 0]], " SECTION "}\n", "beam-line", 3, 15,
     "the arc of beam mast ends 1e-07 m from its start, and its middle is 1 m away: three points do not tell "
     "the circle of a closed arc; make two beams of half of it"},
    {"points beyond numbers", HEAD "beams:\n  mast: {from: [0, 0, 0], to: [1e200, 0, 0], " SECTION "}\n",
     "beam-line", 3, 31,
     "points 1 and 2 of beam mast are too far apart for their distance to be a number; check the units"},
    {"points too near", HEAD "beams:\n  mast: {points: [[0, 0, 0], [1e-9, 0, 0], [1, 1, 0]], " SECTION "}\n",
     "beam-line", 3, 30,
     "points 1 and 2 of beam mast are 1e-09 m apart, less than a millionth of its length, 1.41421 m; leave "
     "one out"},
    {"a point in the plane", HEAD "beams:\n  mast: {from: [0, 0], to: [1, 0, 0], " SECTION "}\n",
     "yaml-count", 3, 16, "from has 2 numbers, expected 3"},
    {"a point that is no number", HEAD "beams:\n  mast: {from: [0, 0, nan], to: [1, 0, 0], " SECTION "}\n",
     "quantity-not-finite", 3, 23, "from[2]: nan is no number (character 1 of 'nan')"},
    {"no elements", HEAD "beams:\n  mast: {" LINE ", " SECTION ", elements: 0}\n", "beam-elements", 3, 108,
     "beam mast has 0 elements, expected 1 to 100000"},
    {"negative elements", HEAD "beams:\n  mast: {" LINE ", " SECTION ", elements: -3}\n", "beam-elements", 3,
     108, "beam mast has -3 elements, expected 1 to 100000"},
    {"a million elements", HEAD "beams:\n  mast: {" LINE ", " SECTION ", elements: 1000000}\n",
     "beam-elements", 3, 108, "beam mast has 1000000 elements, expected 1 to 100000"},
    {"half an element", HEAD "beams:\n  mast: {" LINE ", " SECTION ", elements: 1.5}\n", "beam-elements", 3,
     108, "beam 'mast' has 1.5 elements, expected a whole number"},
    {"up along the line", HEAD "beams:\n  mast: {" LINE ", " SECTION ", up: x}\n", "beam-up", 3, 102,
     "up (1, 0, 0) of beam mast is along its line, expected a direction across it"},
    {"up along a part of the line",
     HEAD "beams:\n  mast: {points: [[0, 0, 0], [1, 0, 0], [1, 1, 0]], " SECTION ", up: y}\n", "beam-up", 3,
     113, "up (0, 1, 0) of beam mast is along its line, expected a direction across it"},
    {"up along an arc",
     HEAD "beams:\n  mast: {arc: [[0, 0, 0], [1, 0.5, 0], [2, 0, 0]], " SECTION ", up: [1, 0, 0]}\n",
     "beam-up", 3, 112, "up (1, 0, 0) of beam mast is along its line, expected a direction across it"},
    {"up of zero", HEAD "beams:\n  mast: {" LINE ", " SECTION ", up: [0, 0, 0]}\n", "yaml-direction", 3, 102,
     "up is zero, which has no direction"},
    {"twist in metres", HEAD "beams:\n  mast: {" LINE ", " SECTION ", twist: 1 m}\n", "unit-dimension", 3,
     105, "twist: '1 m' is in m, expected an angle in rad"},
    {"negative damping", HEAD "beams:\n  mast: {" LINE ", " SECTION ", damping: -1e-3 s}\n", "model-negative",
     3, 107, "damping of mast is -0.001, expected 0 or more"},
    {"damping in another unit", HEAD "beams:\n  mast: {" LINE ", " SECTION ", damping: 5 N s/m}\n",
     "unit-dimension", 3, 107, "damping: '5 N s/m' is in N s/m, expected a time in s"},
    {"zero bending stiffness",
     HEAD "beams:\n  mast: {" LINE ", section: {EI: 0, GJ: 80, EA: 1e6, kGA: 4e5, mass: 1}}\n",
     "beam-section", 3, 56, "EI of beam mast is 0 N m^2, expected a number above 0"},
    {"one of two bending stiffnesses",
     HEAD "beams:\n  mast: {" LINE ", section: {EI: [100, -1], GJ: 80, EA: 1e6, kGA: 4e5, mass: 1}}\n",
     "beam-section", 3, 56, "EI of beam mast is -1 N m^2, expected a number above 0"},
    {"three bending stiffnesses",
     HEAD "beams:\n  mast: {" LINE ", section: {EI: [100, 1, 1], GJ: 80, EA: 1e6, kGA: 4e5, mass: 1}}\n",
     "yaml-count", 3, 56, "EI has 3 numbers, expected 2"},
    {"negative torsional stiffness",
     HEAD "beams:\n  mast: {" LINE ", section: {EI: 100, GJ: -80, EA: 1e6, kGA: 4e5, mass: 1}}\n",
     "beam-section", 3, 65, "GJ of beam mast is -80 N m^2, expected a number above 0"},
    {"zero axial stiffness",
     HEAD "beams:\n  mast: {" LINE ", section: {EI: 100, GJ: 80, EA: 0, kGA: 4e5, mass: 1}}\n",
     "beam-section", 3, 73, "EA of beam mast is 0 N, expected a number above 0"},
    {"zero shear stiffness",
     HEAD "beams:\n  mast: {" LINE ", section: {EI: 100, GJ: 80, EA: 1e6, kGA: 0, mass: 1}}\n",
     "beam-section", 3, 83, "kGA of beam mast is 0 N, expected a number above 0"},
    {"no mass", HEAD "beams:\n  mast: {" LINE ", section: {EI: 100, GJ: 80, EA: 1e6, kGA: 4e5, mass: 0}}\n",
     "beam-section", 3, 94, "mass of beam mast is 0 kg/m, expected a number above 0"},
    {"mass of the whole beam",
     HEAD "beams:\n  mast: {" LINE ", section: {EI: 100, GJ: 80, EA: 1e6, kGA: 4e5, mass: 5 kg}}\n",
     "unit-dimension", 3, 94, "mass: '5 kg' is in kg, expected a mass per length in kg/m"},
    {"a missing stiffness", HEAD "beams:\n  mast: {" LINE ", section: {EI: 100, GJ: 80, EA: 1e6, mass: 1}}\n",
     "yaml-missing-key", 3, 42,
     "section of beam 'mast' has no kGA; write kGA: NUMBER N, or [along y, along z]"},
    {"an infinite stiffness",
     HEAD "beams:\n  mast: {" LINE ", section: {EI: inf, GJ: 80, EA: 1e6, kGA: 4e5, mass: 1}}\n",
     "quantity-not-finite", 3, 56, "EI: a finite number is expected here, not inf (character 1 of 'inf')"},
    {"negative inertia", HEAD "beams:\n  mast: {" LINE ", section: {" NUMBERS ", inertia: [1, -1, 0]}}\n",
     "model-negative", 3, 106, "section/inertia of mast is -1, expected 0 or more"},
    {"stiffness in N m",
     HEAD "beams:\n  mast: {" LINE ", section: {EI: 100 N m, GJ: 80, EA: 1e6, kGA: 4e5, mass: 1}}\n",
     "unit-dimension", 3, 56, "EI: '100 N m' is in N m, expected a stiffness in N m^2"},
    {"a shape and numbers",
     HEAD "beams:\n  mast: {" LINE ", section: {" NUMBERS ", circle: {radius: 1 mm}}}\n", "yaml-conflict", 3,
     52, "section of beam 'mast' has both circle and EI, expected a shape with its material or the numbers"},
    {"two shapes",
     HEAD "beams:\n  mast: {" LINE ", section: {" METAL
          ", circle: {radius: 1 mm}, tube: {outer: 2 mm, inner: 1 mm}}}\n",
     "yaml-conflict", 3, 102, "section of beam 'mast' has both circle and tube, expected one of them"},
    {"a material without a shape",
     HEAD "beams:\n  mast: {" LINE ", section: {E: 70 GPa, nu: 0.3, density: 2700}}\n", "yaml-missing-key", 3,
     42,
     "section of beam 'mast' has E and no shape; write circle: {radius}, tube: {outer, inner}, rectangle: "
     "{size} or I: {height, width, web, flange}"},
    {"a shape without a material", HEAD "beams:\n  mast: {" LINE ", section: {circle: {radius: 1 mm}}}\n",
     "yaml-missing-key", 3, 42, "section of beam 'mast' has no E; write E: NUMBER GPa"},
    {"a negative modulus",
     HEAD "beams:\n  mast: {" LINE ", section: {E: -1, density: 2700, circle: {radius: 1 mm}}}\n",
     "beam-section", 3, 55, "E of beam mast is -1 Pa, expected a number above 0"},
    {"Poisson's ratio above a half",
     HEAD "beams:\n  mast: {" LINE ", section: {" METAL ", nu: 0.6, circle: {radius: 1 mm}}}\n",
     "beam-section", 3, 82, "nu of beam mast is 0.6, expected above -1 and up to 0.5"},
    {"density of zero",
     HEAD "beams:\n  mast: {" LINE ", section: {E: 70 GPa, density: 0, circle: {radius: 1 mm}}}\n",
     "beam-section", 3, 72, "density of beam mast is 0 kg/m^3, expected a number above 0"},
    {"a radius of zero", HEAD "beams:\n  mast: {" LINE ", section: {" METAL ", circle: {radius: 0}}}\n",
     "beam-section", 3, 95, "radius of beam mast is 0 m, expected a number above 0"},
    {"a radius that is missing", HEAD "beams:\n  mast: {" LINE ", section: {" METAL ", circle: {}}}\n",
     "yaml-missing-key", 3, 78, "circle has no radius; write radius: NUMBER mm"},
    {"inner radius above the outer",
     HEAD "beams:\n  mast: {" LINE ", section: {" METAL ", tube: {outer: 40 mm, inner: 50 mm}}}\n",
     "beam-section", 3, 106, "the inner radius 0.05 m of beam mast is not below the outer one, 0.04 m"},
    {"a rectangle of one size",
     HEAD "beams:\n  mast: {" LINE ", section: {" METAL ", rectangle: {size: [10 mm]}}}\n", "yaml-count", 3,
     96, "size has 1 numbers, expected 2"},
    {"a flat rectangle",
     HEAD "beams:\n  mast: {" LINE ", section: {" METAL ", rectangle: {size: [10 mm, 0]}}}\n", "beam-section",
     3, 96, "size of beam mast is 0 m, expected a number above 0"},
    {"flanges that do not fit",
     HEAD "beams:\n  mast: {" LINE ", section: {" METAL
          ", I: {height: 10 mm, width: 10 mm, web: 1 mm, flange: 5 mm}}}\n",
     "beam-section", 3, 130, "two flanges of 0.005 m of beam mast do not fit into its height of 0.01 m"},
    {"a web wider than the section",
     HEAD "beams:\n  mast: {" LINE ", section: {" METAL
          ", I: {height: 10 mm, width: 10 mm, web: 11 mm, flange: 1 mm}}}\n",
     "beam-section", 3, 116, "the web of beam mast is 0.011 m thick, expected at most its width, 0.01 m"},
    {"a web of zero",
     HEAD "beams:\n  mast: {" LINE ", section: {" METAL
          ", I: {height: 10 mm, width: 10 mm, web: 0, flange: 1 mm}}}\n",
     "beam-section", 3, 116, "web of beam mast is 0 m, expected a number above 0"},
    {"a section too small to compute with",
     HEAD "beams:\n  mast: {" LINE ", section: {" METAL ", circle: {radius: 1e-120}}}\n", "beam-section", 3,
     42, "the section of beam mast comes to GJ = 0, expected a number above 0; check the units of its sizes"},
    {"an offset of three numbers",
     HEAD "beams:\n  mast: {" LINE ", section: {" NUMBERS ", offset: [0, 0, 1 mm]}}\n", "yaml-count", 3, 105,
     "offset has 3 numbers, expected 2"},
    {"a beam with a dot", HEAD "beams:\n  mast.1: {" LINE ", " SECTION "}\n", "name-invalid", 3, 3,
     "the name 'mast.1' of a beam has one of the characters . , / ~ # : in it, which separate names"},
    {"a beam with a long name",
     HEAD "beams:\n  aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa: {" LINE ", " SECTION "}\n", "name-invalid", 3,
     3,
     "the name 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' of a beam is longer than 40 characters: those of "
     "its stations need the rest"},
    {"a beam called as a body", ROD "beams:\n  rod: {" LINE ", " SECTION "}\n", "name-duplicate", 5, 3,
     "rod is the name of a beam and of a body; give one of them another, channels would mix them up"},
    {"attached outside", HEAD "beams:\n  mast: {" LINE ", " SECTION ", attach: {1.5: world}}\n",
     "beam-station", 3, 107,
     "attach is at '1.5', expected a fraction of the beam's length, 0 to 1, or start or end"},
    {"attached at a word", HEAD "beams:\n  mast: {" LINE ", " SECTION ", attach: {middle: world}}\n",
     "beam-station", 3, 107,
     "attach is at 'middle', expected a fraction of the beam's length, 0 to 1, or start or end"},
    {"attached to nothing", HEAD "beams:\n  mast: {" LINE ", " SECTION ", attach: {0: }}\n", "yaml-empty", 3,
     107, "0 has no value, expected a name"},
    {"attached to an unknown body", ROD "beams:\n  mast: {" LINE ", " SECTION ", attach: {0: rdo}}\n",
     "yaml-reference", 5, 110, "there is no body 'rdo'; did you mean 'rod'?"},
    {"attached twice", ROD "beams:\n  mast: {" LINE ", " SECTION ", attach: {0: world, start: rod}}\n",
     "beam-attach", 5, 117,
     "beam 'mast' is attached twice at station 0, to 'world' and here; leave one of the two out"},
    {"attached twice, nearly",
     ROD "beams:\n  mast: {" LINE ", " SECTION ", attach: {0.5: world, 0.50000001: rod}}\n", "beam-attach", 5,
     112,
     "beam mast is attached to rod at station 0.5, but it is fixed there already, by world; leave one of the "
     "two out"},
    {"attached to its own station", ROD "beams:\n  mast: {" LINE ", " SECTION ", attach: {0.5: mast.s0.5}}\n",
     "beam-attach", 5, 112, "beam mast is attached to itself at station 0.5"},
    {"attached to a beam", HEAD "beams:\n  mast: {" LINE ", " SECTION ", attach: {0: mast}}\n",
     "beam-station", 3, 110,
     "beams/mast names the beam 'mast' where a body is expected; name a station of it, as mast.s0, mast.s0.5 "
     "or mast.s1"},
    {"attached to an unknown station", HEAD "beams:\n  mast: {" LINE ", " SECTION ", attach: {0: mast.s2}}\n",
     "beam-station", 3, 110,
     "beams/mast names 'mast.s2': station 2 of beam 'mast' is outside 0 to 1, which are its start and its "
     "end"},
    {"attached and welded",
     ROD "beams:\n  mast: {" LINE ", " SECTION
         ", attach: {1: rod}}\njoints:\n  w: {weld: [world, mast.s1]}\n",
     "beam-attach", 5, 110,
     "beam mast is attached to rod at station 1, but it is fixed there already, by w; leave one of the two "
     "out"},
    {"two beams attached to each other twice",
     ROD "beams:\n  a: {" LINE ", " SECTION
         ", attach: {1: b.s0}}\n  b: {from: [1, 0, 0], to: [2, 0, 0], " SECTION ", attach: {0: a.s1}}\n",
     "beam-attach", 6, 107,
     "beam b is attached to a.s1 at station 0, but it is fixed there already, by a.attach_1; leave one of "
     "the two out"},
    {"a list of attachments", HEAD "beams:\n  mast: {" LINE ", " SECTION ", attach: [world]}\n", "yaml-type",
     3, 106, "attach of beam 'mast' is a list, expected a map (KEY: VALUE)"},
    {"velocity of a beam", HEAD "beams:\n  mast: {" LINE ", " SECTION ", velocity: [1, 0, 0]}\n", "yaml-type",
     3, 108, "velocity of beam 'mast' is a list, expected a map (KEY: VALUE)"},
    {"a beam where a body is expected",
     ROD "beams:\n  mast: {" LINE ", " SECTION "}\njoints:\n  w: {revolute: [world, mast], axis: y}\n",
     "beam-station", 7, 25,
     "'mast' is a beam, expected a body; name a station of it, as mast.s0, mast.s0.5 or mast.s1"},
    {"a station outside",
     ROD "beams:\n  mast: {" LINE ", " SECTION "}\njoints:\n  w: {revolute: [world, mast.s1.5], axis: y}\n",
     "beam-station", 7, 25, "'mast.s1.5' is at 1.5, expected a fraction of the length of beam mast, 0 to 1"},
    {"a negative station",
     ROD "beams:\n  mast: {" LINE ", " SECTION "}\njoints:\n  w: {revolute: [world, mast.s-0.5], axis: y}\n",
     "beam-station", 7, 25,
     "'mast.s-0.5' is at -0.5, expected a fraction of the length of beam mast, 0 to 1"},
    {"a word for a station",
     ROD "beams:\n  mast: {" LINE ", " SECTION "}\nloads:\n  f: {body: mast.end, force: [0, 0, 1]}\n",
     "beam-station", 7, 13, "'mast.end' is no station of beam mast; write mast.sX with X from 0 to 1"},
    {"a misspelt beam",
     ROD "beams:\n  mast: {" LINE ", " SECTION "}\nloads:\n  f: {body: mats.s1, force: [0, 0, 1]}\n",
     "yaml-reference", 7, 13, "there is no body 'mats.s1'; did you mean 'mast.s1'?"},
    {"a joint of a beam with itself",
     ROD "beams:\n  mast: {" LINE ", " SECTION "}\njoints:\n  w: {revolute: [mast.s1, mast.s1.0], axis: y}\n",
     "joint-same-body", 7, 17, "joint w connects mast.s1 to itself"},
    {"a body placed in a beam",
     HEAD
     "bodies:\n  rod: {mass: 1 kg, inertia: [0.1, 0.1, 0.1], pose: {in: mast.s1}}\nbeams:\n  mast: {" LINE
     ", " SECTION "}\n",
     "yaml-reference", 3, 58,
     "there is no body 'mast.s1'; bodies are placed before beams, give its pose in the world"},
    {"a beam out of the plane",
     HEAD "planar: xz\nbeams:\n  mast: {from: [0, 0, 0], to: [1, 1, 0], " SECTION "}\n", "beam-planar", 4, 3,
     "beam mast leaves the plane of the model by 0.1 m at station 0.1; bring its points into one plane, or "
     "leave out planar"},
    {"a section across the plane",
     HEAD "planar: xz\nbeams:\n  mast: {" LINE
          ", section: {EI: [100, 50], GJ: 80, EA: 1e6, kGA: 4e5, mass: 1}, up: [0, 1, 1]}\n",
     "beam-planar", 4, 108,
     "the section of beam mast at station 0 is 45 deg off the plane of the model, so that it would bend out "
     "of it; turn it with up, or leave out planar"},
    {"a beam that leaves the plane",
     HEAD "planar: xz\nbeams:\n  mast: {" LINE ", " SECTION ", velocity: {linear: [0, 1, 0]}}\n",
     "planar-velocity", 4, 98,
     "beam mast leaves the plane of the model with 1 m/s and tilts with 0 rad/s; both must be 0"},
    {"a clearance without a kind", ROD "clearances:\n  T: {" RACES ", " SPRING "}\n", "yaml-missing-key", 5,
     3, "clearance 'T' has no kind; write planar: [OUTER, INNER], or spherical, spatial, journal"},
    {"two kinds of clearance",
     ROD "clearances:\n  T: {spherical: [world, rod], " RACES ", " SPRING ", planar: [world, rod]}\n",
     "yaml-conflict", 5, 7, "clearance 'T' has both planar and spherical, expected one of them"},
    {"a clearance of one body", ROD "clearances:\n  T: {spherical: [rod], " RACES ", " SPRING "}\n",
     "yaml-count", 5, 18, "spherical has 1 names of bodies (outer race, inner race), expected 2"},
    {"a clearance to an unknown body",
     ROD "clearances:\n  T: {spherical: [world, rdo], " RACES ", " SPRING "}\n", "yaml-reference", 5, 26,
     "there is no body 'rdo'; did you mean 'rod'?"},
    {"a clearance of a body with itself",
     ROD "clearances:\n  T: {spherical: [rod, rod], " RACES ", " SPRING "}\n", "joint-same-body", 5, 18,
     "clearance T connects rod to itself"},
    {"a clearance without an axis", ROD "clearances:\n  T: {spatial: [world, rod], " RACES ", " SPRING "}\n",
     "yaml-missing-key", 5, 3, "clearance 'T' has no axis; write axis: [x, y, z]"},
    {"a planar clearance without an axis",
     ROD "clearances:\n  T: {planar: [world, rod], " RACES ", " SPRING "}\n", "yaml-missing-key", 5, 3,
     "clearance 'T' has no axis; write axis: [x, y, z]"},
    {"a clearance without radii", ROD "clearances:\n  T: {spherical: [world, rod], " SPRING "}\n",
     "yaml-missing-key", 5, 3,
     "clearance 'T' has no outer; write outer: NUMBER mm (radius of the outer race)"},
    {"a clearance without an inner radius",
     ROD "clearances:\n  T: {spherical: [world, rod], outer: 21 mm, " SPRING "}\n", "yaml-missing-key", 5, 3,
     "clearance 'T' has no inner; write inner: NUMBER mm (radius of the inner race)"},
    {"an inner race larger than the outer",
     ROD "clearances:\n  T: {spherical: [world, rod], outer: 20 mm, inner: 21 mm, " SPRING "}\n",
     "clearance-size", 5, 53,
     "the inner race of clearance T has the radius 0.021 m, expected less than the outer one, 0.02 m; "
     "without play use a joint"},
    {"races of the same size",
     ROD "clearances:\n  T: {spherical: [world, rod], outer: 20 mm, inner: 20 mm, " SPRING "}\n",
     "clearance-size", 5, 53,
     "the inner race of clearance T has the radius 0.02 m, expected less than the outer one, 0.02 m; without "
     "play use a joint"},
    {"a negative radius",
     ROD "clearances:\n  T: {spherical: [world, rod], outer: 20 mm, inner: -1 mm, " SPRING "}\n",
     "clearance-size", 5, 53, "the inner radius of clearance T is -0.001 m, expected a number above 0"},
    {"a journal without length",
     ROD "clearances:\n  T: {journal: [world, rod], " RACES ", " SPRING ", axis: x}\n", "yaml-missing-key", 5,
     3, "clearance 'T' has no length; write length: NUMBER m (between its two ends)"},
    {"a journal of no length",
     ROD "clearances:\n  T: {journal: [world, rod], " RACES ", " SPRING ", axis: x, length: 0}\n",
     "clearance-size", 5, 115, "the length of clearance T is 0 m, expected a number above 0"},
    {"a length of another kind",
     ROD "clearances:\n  T: {spherical: [world, rod], " RACES ", " SPRING ", length: 10 mm}\n",
     "yaml-key-kind", 5, 100, "length belongs to journal clearances, and clearance 'T' is spherical"},
    {"no contact", ROD "clearances:\n  T: {spherical: [world, rod], " RACES "}\n", "yaml-missing-key", 5, 3,
     "clearance 'T' has no contact; write contact: {law: linear, stiffness: NUMBER N/m}"},
    {"no contact law",
     ROD "clearances:\n  T: {spherical: [world, rod], " RACES ", contact: {stiffness: 1e6}}\n",
     "yaml-missing-key", 5, 60,
     "contact of clearance 'T' has no law; write law: linear, hertz, hunt_crossley, lankarani_nikravesh or "
     "table"},
    {"an unknown contact law",
     ROD "clearances:\n  T: {spherical: [world, rod], " RACES ", contact: {law: herz, stiffness: 1e6}}\n",
     "yaml-word", 5, 75,
     "law is 'herz', expected one of linear, hertz, hunt_crossley, lankarani_nikravesh, table; did you mean "
     "'hertz'?"},
    {"no contact stiffness",
     ROD "clearances:\n  T: {spherical: [world, rod], " RACES ", contact: {law: linear}}\n",
     "yaml-missing-key", 5, 60, "contact of clearance 'T' has no stiffness; write stiffness: NUMBER N/m"},
    {"a contact stiffness of zero",
     ROD "clearances:\n  T: {spherical: [world, rod], " RACES ", contact: {law: linear, stiffness: 0}}\n",
     "clearance-law", 5, 94, "the contact of clearance T has the stiffness 0, expected a number above 0"},
    {"a negative contact damping",
     ROD "clearances:\n  T: {spherical: [world, rod], " RACES
         ", contact: {law: hunt_crossley, stiffness: 1e6, damping: -1}}\n",
     "model-negative", 5, 115, "contact/damping of T is -1, expected 0 or more"},
    {"a contact exponent below one",
     ROD "clearances:\n  T: {spherical: [world, rod], " RACES
         ", contact: {law: hertz, stiffness: 1e6, exponent: 0.5}}\n",
     "clearance-law", 5, 108, "the contact of clearance T has the exponent 0.5, expected 1 or more"},
    {"no restitution",
     ROD "clearances:\n  T: {spherical: [world, rod], " RACES
         ", contact: {law: lankarani_nikravesh, stiffness: 1e6}}\n",
     "yaml-missing-key", 5, 60,
     "contact of clearance 'T' has no restitution; write restitution: NUMBER from 0 to 1"},
    {"a restitution above one",
     ROD "clearances:\n  T: {spherical: [world, rod], " RACES
         ", contact: {law: lankarani_nikravesh, stiffness: 1e6, restitution: 1.5}}\n",
     "clearance-law", 5, 125, "the restitution of clearance T is 1.5, expected 0 to 1"},
    {"a negative restitution",
     ROD "clearances:\n  T: {spherical: [world, rod], " RACES
         ", contact: {law: lankarani_nikravesh, stiffness: 1e6, restitution: -0.5}}\n",
     "clearance-law", 5, 125, "the restitution of clearance T is -0.5, expected 0 to 1"},
    {"a table that is missing",
     ROD "clearances:\n  T: {spherical: [world, rod], " RACES ", contact: {law: table}}\n",
     "yaml-missing-key", 5, 60,
     "contact of clearance 'T' has no table; write table: {depth: [0, ...], force: [0, ...]}"},
    {"a table of one column",
     ROD "clearances:\n  T: {spherical: [world, rod], " RACES ", contact: {table: {depth: [0, 1e-6]}}}\n",
     "yaml-missing-key", 5, 70,
     "contact table of clearance 'T' has no force; write force: [0, NUMBER N, ...]"},
    {"a table of one point",
     ROD "clearances:\n  T: {spherical: [world, rod], " RACES
         ", contact: {table: {depth: [0], force: [0]}}}\n",
     "clearance-table", 5, 70, "the table of clearance T has 1 points, expected 2 or more"},
    {"a table with columns of two lengths",
     ROD "clearances:\n  T: {spherical: [world, rod], " RACES
         ", contact: {table: {depth: [0, 1e-6], force: [0, 1, 2]}}}\n",
     "yaml-count", 5, 103, "contact table of clearance 'T' has 2 depths and 3 forces, expected as many"},
    {"a table that does not begin at 0",
     ROD "clearances:\n  T: {spherical: [world, rod], " RACES
         ", contact: {table: {depth: [0, 1e-6], force: [5, 10]}}}\n",
     "clearance-table", 5, 70,
     "the table of clearance T begins with 5 N at 0 m, expected 0 at 0: nothing pushes at touch"},
    {"a table that falls",
     ROD "clearances:\n  T: {spherical: [world, rod], " RACES
         ", contact: {table: {depth: [0, 1e-6, 2e-6], force: [0, 10, 5]}}}\n",
     "clearance-table", 5, 70,
     "the table of clearance T goes from 10 N at 1e-06 m to 5 N at 2e-06 m, expected both to rise"},
    {"a table whose depth stands still",
     ROD "clearances:\n  T: {spherical: [world, rod], " RACES
         ", contact: {table: {depth: [0, 1e-6, 1e-6], force: [0, 10, 20]}}}\n",
     "clearance-table", 5, 70,
     "the table of clearance T goes from 10 N at 1e-06 m to 20 N at 1e-06 m, expected both to rise"},
    {"friction of a clearance with a load",
     ROD "clearances:\n  T: {spherical: [world, rod], " RACES ", " SPRING
         ", friction: {law: lugre, mu: 0.3, load: {constant: 5}}}\n",
     "clearance-friction", 5, 132,
     "the friction of clearance T has a load, expected none: its load is the force of the contact and its "
     "arm the radius of the race"},
    {"friction of a clearance with a radius",
     ROD "clearances:\n  T: {spherical: [world, rod], " RACES ", " SPRING
         ", friction: {law: lugre, mu: 0.3, pin_radius: 5 mm}}\n",
     "clearance-friction", 5, 144,
     "the friction of clearance T has a pin_radius, expected none: its load is the force of the contact and "
     "its arm the radius of the race"},
    {"friction of a clearance in the wrong order",
     ROD "clearances:\n  T: {spherical: [world, rod], " RACES ", " SPRING
         ", friction: {law: lugre, mu_static: 0.2, mu_kinetic: 0.3}}\n",
     "friction-order", 5, 151, "mu_kinetic of clearance T is 0.3, expected no more than mu_static, 0.2"},
    {"a clearance named as a joint",
     ROD "joints:\n  T: {revolute: [world, rod], axis: y}\nclearances:\n  T: {spherical: [world, rod], " RACES
         ", " SPRING "}\n",
     "name-duplicate", 7, 3,
     "T is the name of a clearance and of a joint; give one of them another, channels would mix them up"},
    {"a spatial clearance in a plane",
     HEAD "planar: xz\nbodies:\n  rod: {mass: 1 kg, inertia: [0.1, 0.1, 0.1]}\nclearances:\n  T: {spatial: "
          "[world, rod], " RACES ", " SPRING ", axis: y}\n",
     "planar-joint-kind", 6, 16,
     "clearance T is spatial, which leaves the plane of a planar model: use planar"},
    {"a planar clearance across the plane",
     HEAD "planar: xz\nbodies:\n  rod: {mass: 1 kg, inertia: [0.1, 0.1, 0.1]}\nclearances:\n  T: {planar: "
          "[world, rod], " RACES ", " SPRING ", axis: x}\n",
     "planar-axis", 6, 103,
     "the axis (1, 0, 0) of clearance T is 90 deg off the plane's normal, as a planar model needs it"},
    {"an exponent of zero",
     ROD "clearances:\n  T: {spherical: [world, rod], " RACES
         ", contact: {law: linear, stiffness: 1e6, exponent: 0}}\n",
     "clearance-law", 5, 109,
     "the contact of clearance 'T' has the exponent 0, expected 1 or more; leave it out for the law's own"},
    {"a clearance at a word",
     ROD "clearances:\n  T: {spherical: [world, rod], " RACES ", " SPRING ", at: there}\n", "yaml-reference",
     5, 104, "at is 'there', expected [x, y, z], {BODY: [x, y, z]} or the name of a frame, BODY.FRAME"},
    {"adaptive of another word", ROD "solver: {stepper: implicit, adaptive: yes}\n", "yaml-word", 4, 39,
     "adaptive is 'yes', expected one of off, on, false, true"},
    {"an unknown key of adaptive", ROD "solver: {stepper: implicit, adaptive: {tol: 1e-6}}\n",
     "yaml-unknown-key", 4, 40,
     "'tol' is not a key of adaptive (keys: smallest, tolerance, contact, friction)"},
    {"a smallest step above the largest", ROD "solver: {stepper: implicit, adaptive: {smallest: 1}}\n",
     "solver-setting", 4, 50,
     "the smallest step is 1 s, expected 0 (1e-6 of step), or 1e-12 s to step, 0.001 s"},
    {"a smallest step that no clock tells", ROD "solver: {stepper: implicit, adaptive: {smallest: 1e-30}}\n",
     "solver-setting", 4, 50,
     "the smallest step is 1e-30 s, expected 0 (1e-6 of step), or 1e-12 s to step, 0.001 s"},
    {"a negative tolerance", ROD "solver: {stepper: implicit, adaptive: {tolerance: -1}}\n", "solver-setting",
     4, 51, "tolerance is -1, expected 0 (no such rule), or 1e-17 to below 1"},
    {"a tolerance of everything", ROD "solver: {stepper: implicit, adaptive: {tolerance: 1}}\n",
     "solver-setting", 4, 51, "tolerance is 1, expected 0 (no such rule), or 1e-17 to below 1"},
    {"a tolerance of nothing", ROD "solver: {stepper: implicit, adaptive: {tolerance: 1e-300}}\n",
     "solver-setting", 4, 51, "tolerance is 1e-300, expected 0 (no such rule), or 1e-17 to below 1"},
    {"a penetration of zero", ROD "solver: {stepper: implicit, adaptive: {contact: {epsilon_p: 0}}}\n",
     "solver-setting", 4, 61, "adaptive/contact/epsilon_p is 0 m, expected a number above 0"},
    {"a penetration below atoms",
     ROD "solver: {stepper: implicit, adaptive: {contact: {epsilon_p: 1e-13}}}\n", "solver-setting", 4, 61,
     "adaptive/contact/epsilon_p is 1e-13 m, expected 1e-12 m or more"},
    {"a part of a time constant",
     ROD "solver: {stepper: implicit, adaptive: {friction: {dtau_min: 1e-10}}}\n", "solver-setting", 4, 61,
     "adaptive/friction/dtau_min is 1e-10, expected 1e-09 or more"},
    {"a contact rule with a number", ROD "solver: {stepper: implicit, adaptive: {contact: 5}}\n", "yaml-word",
     4, 49, "contact is '5', expected one of off, on, false, true"},
    {"a friction rule below zero", ROD "solver: {stepper: implicit, adaptive: {friction: {v_min: -5}}}\n",
     "solver-setting", 4, 58, "adaptive/friction/v_min is -5, expected a number above 0"},
};

static br_status read_text(const char *text, br_model **model, br_error *error) {
    br_builder *builder = NULL;
    memset(error, 0, sizeof *error);
    const br_status status =
        br_model_read_text(text, strlen(text), "bad.yaml", NULL, 0, NULL, model, &builder, error);
    br_builder_destroy(builder);
    return status;
}

static void each_mistake_is_told_with_its_place(void **state) {
    (void)state;
    int wrong = 0;
    for (size_t k = 0; k < sizeof mistakes / sizeof mistakes[0]; k++) {
        const mistake *m = mistakes + k;
        br_model *model = NULL;
        br_error error;
        const br_status status = read_text(m->text, &model, &error);
        const int right = status == BR_INVALID && error.code && strcmp(error.code, m->code) == 0 &&
                          error.line == m->line && error.column == m->column &&
                          strcmp(error.file, "bad.yaml") == 0 && strcmp(error.message, m->message) == 0;
        br_model_destroy(model);
        if (right && br_explain(error.code)) continue;
        wrong++;
        print_error("%s: expected %d:%d: %s [%s]\n    got %s %d:%d: %s [%s]\n", m->name, m->line, m->column,
                    m->message, m->code, br_status_name(status), error.line, error.column, error.message,
                    error.code ? error.code : "-");
    }
    assert_int_equal(wrong, 0);
}

// The texts that the mistakes are made in are models.
static void without_mistakes_they_are_read(void **state) {
    (void)state;
    static const char *const good[] = {
        HEAD "beams:\n  mast: {" LINE ", " SECTION "}\n",
        HEAD "beams:\n  mast: {" LINE ", section: {" METAL ", circle: {radius: 5 mm}}}\n",
        ROD "clearances:\n  T: {spherical: [world, rod], " RACES ", " SPRING "}\n",
        ROD "beams:\n  mast: {" LINE ", section: {" NUMBERS "}, attach: {0: world, 0.3: rod}}\n",
        // A ring: its end is fixed to its start, another station of the same beam.
        HEAD "beams:\n  ring: {arc: [[0, 0, 0], [1, 1, 0], [0.01, 0, 0]], " SECTION
             ", attach: {1: ring.s0}}\n",
        // Three beams meet at one node of the first.
        HEAD "beams:\n  a: {" LINE ", " SECTION "}\n  b: {from: [1, 0, 0], to: [1, 1, 0], " SECTION
             ", attach: {0: a.s1}}\n  c: {from: [1, 0, 0], to: [1, 0, 1], " SECTION ", attach: {0: a.s1}}\n",
    };
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
        br_model *model = NULL;
        br_error error;
        if (read_text(good[k], &model, &error) != BR_OK) fail_msg("%s: %s", good[k], error.message);
        br_model_destroy(model);
    }
}

// ------------------------------------------------------------------------------------------ what a stepper cannot run

#define MAST HEAD "beams:\n  mast: {" LINE ", " SECTION ", attach: {0: world}}\n"
#define PLAY ROD "clearances:\n  T: {spherical: [world, rod], " RACES ", " SPRING "%s}\n"
#define HINGE ROD "joints:\n  hinge: {revolute: [world, rod], axis: y%s}\n"

static const struct {
    const char *model, *extra, *solver; // extra goes where the model has %s
    const char *code;                   // NULL: can be run
    const char *words;
} runs[] = {
    {MAST, "", "stepper: implicit", NULL, NULL},
    {MAST, "", "stepper: implicit, scheme: energy_decaying, adaptive: on", NULL, NULL},
    {PLAY, "", "stepper: implicit", NULL, NULL},
    {PLAY, ", friction: {law: lugre, mu: 0.3}", "stepper: implicit", NULL, NULL},
    {HINGE, "", "stepper: implicit", NULL, NULL},
    {HINGE, "", "stepper: contact, adaptive: off", NULL, NULL},
    {MAST, "", "stepper: contact", NULL, NULL},
    {MAST, "", "stepper: contact, adaptive: on", "run-adaptive", "has steps of one size"},
    {MAST, "", "stepper: reference", NULL, NULL},
    {MAST, "", "stepper: kinematic", "run-beam", "the kinematic stepper"},
    {PLAY, "", "stepper: contact", NULL, NULL},
    {PLAY, ", friction: {law: coulomb, mu: 0.3}", "stepper: contact", NULL, NULL},
    {PLAY, ", friction: {law: lugre, mu: 0.3}", "stepper: contact", NULL, NULL},
    {PLAY, ", friction: {law: coulomb, mu: 0.3}", "stepper: reference", NULL, NULL},
    {PLAY, "", "stepper: reference, adaptive: on", "run-adaptive", "chooses its own steps by tol"},
    {PLAY, "", "stepper: kinematic", "run-clearance", "the kinematic stepper"},
    {HINGE, "", "stepper: contact, adaptive: on", "run-adaptive", "has steps of one size"},
    {HINGE, "", "stepper: reference, adaptive: on", "run-adaptive", "chooses its own steps by tol"},
    {HINGE, ", friction: {law: coulomb, mu: 0.3, pin_radius: 5 mm}", "stepper: implicit", NULL, NULL},
    {HINGE, ", friction: {law: coulomb, mu: 0.3, pin_radius: 5 mm}", "stepper: implicit, scheme: alpha",
     "run-bounds", "joint 'hinge' has friction that jumps at rest"},
    {HINGE, ", friction: {law: bristle, mu: 0.3, pin_radius: 5 mm}", "stepper: implicit", NULL, NULL},
    {HINGE, ", friction: {law: bristle, mu: 0.3, sigma_0: 1e5, pin_radius: 5 mm}", "stepper: implicit", NULL,
     NULL},
    {HINGE, ", friction: {law: smooth, mu: 0.3, pin_radius: 5 mm}", "stepper: implicit", NULL, NULL},
    {PLAY, ", friction: {law: coulomb, mu: 0.3}", "stepper: implicit", "run-friction", "clearance 'T'"},
    {PLAY, ", friction: {law: lugre, mu: 0.3, sigma_0: inf}", "stepper: implicit", "run-friction",
     "contact or the reference stepper, or law: smooth, or dahl, lugre or bristle with"},
    {HINGE, ", limits: [0, 1]", "stepper: implicit", NULL, NULL},
    {HINGE, ", limits: [0, 1]", "stepper: implicit, scheme: alpha", "run-bounds", "joint 'hinge' has limits"},
    {HINGE, ", armature: 0.1", "stepper: implicit", NULL, NULL},
    {HINGE "drives:\n  spin: {joint: hinge, velocity: 1, max_torque: 2}\n", "", "stepper: implicit", NULL,
     NULL},
    {HINGE "drives:\n  spin: {joint: hinge, velocity: 1, max_torque: 2}\n", "",
     "stepper: implicit, scheme: alpha", "run-bounds", "drive 'spin' has a largest effort"},
    {HINGE "drives:\n  spin: {joint: hinge, velocity: 1}\n", "", "stepper: implicit", NULL, NULL},
    {HINGE, "", "stepper: implicit, rotation: euler_zxy", "run-rotation",
     "the implicit stepper takes quaternion"},
    {HEAD "bodies:\n  ball: {mass: 1, inertia: [1, 1, 1], shapes: [{sphere: {radius: 1}}]}\nground: [{plane: "
          "{normal: z}}]\n",
     "", "stepper: implicit, scheme: alpha", "run-bounds", "which scheme: alpha does not follow"},
};

static void what_a_stepper_cannot_run_is_named(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
        char text[1024], whole[1200];
        br_model *model = NULL;
        br_error error;
        const char *hole = strstr(runs[k].model, "%s");
        snprintf(text, sizeof text, "%.*s%s%s",
                 hole ? (int)(hole - runs[k].model) : (int)strlen(runs[k].model), runs[k].model,
                 runs[k].extra, hole ? hole + 2 : "");
        snprintf(whole, sizeof whole, "%ssolver: {%s}\n", text, runs[k].solver);
        if (read_text(whole, &model, &error) != BR_OK) fail_msg("%s: %s", whole, error.message);
        memset(&error, 0, sizeof error);
        const br_status status = br_model_runnable(model, &error);
        br_model_destroy(model);
        if (status == BR_OK && !runs[k].code) continue;
        if (status == BR_OK || !runs[k].code)
            fail_msg("%s: %s", whole, status == BR_OK ? "can be run" : error.message);
        assert_string_equal(error.code, runs[k].code);
        assert_non_null(br_explain(error.code));
        if (!strstr(error.message, runs[k].words))
            fail_msg("'%s' is not in '%s'", runs[k].words, error.message);
    }
}

// -------------------------------------------------------------------------------------------------------- hostile

// Whatever is cut out of a good model, the reader says something or reads it; it never stops without a word.
static void every_piece_of_a_model_is_answered(void **state) {
    (void)state;
    static const char whole[] =
        ROD "beams:\n  mast: {points: [[0, 0, 0], [1, 0, 0], [1, 1, 0]], elements: 3, up: z, twist: 10 deg, "
            "section: {" METAL
            ", nu: 0.3, I: {height: 50 mm, width: 40 mm, web: 3 mm, flange: 4 mm}, offset: [0, 1 mm]}, "
            "attach: {start: world, 0.3: rod}, velocity: {linear: [0, 0, 0]}}\nclearances:\n  T: {journal: "
            "[world, "
            "mast.s1], at: [1, 1, 0], axis: y, length: 5 mm, " RACES
            ", contact: {table: {depth: [0, 1e-6], force: [0, 10]}}}\n";
    char text[sizeof whole];
    for (size_t from = sizeof ROD - 1; from < sizeof whole - 1; from++)
        for (size_t length = 1; length <= 12 && from + length < sizeof whole; length += 11) {
            br_model *model = NULL;
            br_error error;
            memcpy(text, whole, from);
            memcpy(text + from, whole + from + length, sizeof whole - from - length);
            const br_status status = read_text(text, &model, &error);
            if (status != BR_OK) assert_true(error.code && error.message[0]);
            br_model_destroy(model);
        }
}

static void numbers_that_make_no_beam_are_refused(void **state) {
    (void)state;
    static const char *const numbers[] = {"nan",    "inf", "-inf", "1e400", "1e999999", "-1",
                                          "1e-400", "[]",  "{}",   "~",     "\"\""};
    static const char *const keys[] = {"EI", "GJ", "EA", "kGA", "mass"};
    for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++)
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
            char text[512];
            size_t used = (size_t)snprintf(text, sizeof text, HEAD "beams:\n  mast: {" LINE ", section: {");
            for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
                used += (size_t)snprintf(text + used, sizeof text - used, "%s%s: %s", i ? ", " : "", keys[i],
                                         i == k ? numbers[n] : "100");
            snprintf(text + used, sizeof text - used, "}}\n");
            br_model *model = NULL;
            br_error error;
            const br_status status = read_text(text, &model, &error);
            br_model_destroy(model);
            if (status == BR_OK) fail_msg("accepted: %s", text);
            assert_true(error.line == 3);
        }
}

// A beam a light year long, or of an atom's width, computes or is refused by name.
static void extreme_sizes_stay_finite(void **state) {
    (void)state;
    static const char *const ends[] = {"1e-300", "1e-30", "1e15", "1e150", "1e300"};
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
        char text[512];
        snprintf(text, sizeof text, HEAD "beams:\n  mast: {from: [0, 0, 0], to: [%s, 0, 0], " SECTION "}\n",
                 ends[k]);
        br_model *model = NULL;
        br_error error;
        const br_status status = read_text(text, &model, &error);
        if (status != BR_OK) assert_true(error.code && error.message[0]);
        br_model_destroy(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_mistake_is_told_with_its_place),
        cmocka_unit_test(without_mistakes_they_are_read),
        cmocka_unit_test(what_a_stepper_cannot_run_is_named),
        cmocka_unit_test(every_piece_of_a_model_is_answered),
        cmocka_unit_test(numbers_that_make_no_beam_are_refused),
        cmocka_unit_test(extreme_sizes_stay_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
