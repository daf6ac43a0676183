// Likely mistakes in a model file, each with its message and its place: what a newcomer sees in the first hour.
#include <string.h>

#include "bristle/io.h"
#include "near.h"

// A message that ends in * may go on with anything: digits of rounding.
typedef struct mistake {
    const char *name;
    const char *text;
    const char *code;
    int line, column;
    const char *message;
} mistake;

#define HEAD "format: 1\n"
#define ROD HEAD "bodies:\n  rod: {mass: 1 kg, inertia: [0.1, 0.1, 0.1]}\n"          // three lines
#define PENDULUM ROD "joints:\n  hinge: {revolute: [world, rod], axis: [0, 1, 0]}\n" // five lines

static const mistake mistakes[] = {
    {"format is missing", "bodies:\n  rod: {mass: 1 kg, inertia: [0.1, 0.1, 0.1]}\n", "yaml-format", 1, 1,
     "the model does not say its format; write format: 1 as its first line"},
    {"format of another version", "format: 2\nbodies:\n  rod: {mass: 1 kg, inertia: [0.1, 0.1, 0.1]}\n",
     "yaml-format", 1, 9, "format is '2', expected 1: the only one that this version reads"},
    {"a misspelt key of a body", HEAD "bodies:\n  rod: {mas: 1 kg}\n", "yaml-unknown-key", 3, 9,
     "'mas' is not a key of body 'rod'; did you mean 'mass'? (keys: mass, com, inertia, pose, velocity, "
     "frames, shapes)"},
    {"a misspelt section", HEAD "bodys:\n  rod: {mass: 1 kg}\n", "yaml-unknown-key", 2, 1,
     "'bodys' is not a key of the model; did you mean 'bodies'? (keys: format, name, units, params, gravity, "
     "planar, coordinates, materials, pairs, bodies, ground, joints, loads, drives, controls, constraints, "
     "contact, "
     "solver, run, start, check, outputs, beams, sensors, clearances, import)"},
    {"an unknown section", HEAD "particles: {}\n", "yaml-unknown-key", 2, 1,
     "'particles' is not a key of the model (keys: format, name, units, params, gravity, planar, "
     "coordinates, materials, pairs, bodies, ground, joints, loads, drives, controls, constraints, contact, "
     "solver, "
     "run, start, check, outputs, beams, sensors, clearances, import)"},
    {"a key of run in the model", HEAD "until: 2 s\n", "yaml-unknown-key", 2, 1,
     "'until' is not a key of the model; write run: {until: TIME}"},
    {"a load that would push a joint",
     ROD "joints:\n  j: {revolute: [world, rod], axis: [0, 1, 0]}\nloads:\n  l: {joint: j, force: 1 N}\n",
     "yaml-unknown-key", 7, 7,
     "'joint' is not a key of load 'l'; write drives: {NAME: {joint: NAME, force: NEWTONS}}: a drive pushes "
     "a "
     "joint, a load a body"},
    {"mass is missing", HEAD "bodies:\n  rod:\n    inertia: [1, 1, 1]\n", "yaml-missing-key", 3, 3,
     "body 'rod' has no mass; write mass: NUMBER kg"},
    {"mass is empty", HEAD "bodies:\n  rod:\n    mass:\n    inertia: [1, 1, 1]\n", "yaml-empty", 4, 5,
     "mass has no value, expected a number"},
    {"a tab as indentation", HEAD "bodies:\n\trod: {mass: 1}\n", "yaml-syntax", 3, 1,
     "tab character may not be used as indentation; indent with spaces"},
    {"the unit of another quantity", HEAD "bodies:\n  rod: {mass: 5 mm}\n", "unit-dimension", 3, 15,
     "mass: '5 mm' is in m, expected a mass in kg"},
    {"an unknown unit", HEAD "bodies:\n  rod: {mass: 5 kgs}\n", "unit-unknown", 3, 17,
     "mass: 'kgs' is no unit; did you mean 'kg'? (character 3 of '5 kgs')"},
    {"a word where a number is expected", HEAD "bodies:\n  rod: {mass: heavy}\n", "quantity-text", 3, 15,
     "mass: 'heavy' is a word, expected a mass in kg"},
    {"no is not a number", HEAD "bodies:\n  rod:\n    mass: no\n", "quantity-text", 4, 11,
     "mass: 'no' is a word here, expected a mass in kg; write 0 for none"},
    {"a list where a number is expected", HEAD "bodies:\n  rod: {mass: [1, 2]}\n", "yaml-type", 3, 15,
     "mass is a list, expected a number"},
    {"a number where a list is expected", ROD "gravity: -9.81\n", "yaml-type", 4, 10,
     "gravity is a single value, expected a list of 3 numbers"},
    {"an unquoted comma inside braces", ROD "params: {a: min(1, 2)}\n", "yaml-comma", 4, 13,
     "'min(1' is only a part; a value with a comma inside braces must be quoted"},
    {"an unquoted comma inside a map", HEAD "bodies:\n  rod: {mass: max(1, 2), inertia: [1, 1, 1]}\n",
     "yaml-comma", 3, 22,
     "'2)' is not a key of body 'rod'; a value with a comma inside braces must be quoted"},
    {"an unquoted comma inside a list", HEAD "bodies:\n  rod: {mass: 1, inertia: [max(1, 2), 1, 1]}\n",
     "yaml-comma", 3, 28, "'max(1' is only a part; a value with a comma inside braces must be quoted"},
    {"an unquoted comma that repeats a number",
     PENDULUM "drives:\n  motor: {joint: hinge, torque: smoothstep(t, 0, 0, 1, 5)}\n", "yaml-comma", 7, 50,
     "'0' is given twice and has no value; a value with a comma inside braces must be quoted"},
    {"a decimal comma", HEAD "bodies:\n  rod: {mass: 1,5 kg, inertia: [1, 1, 1]}\n", "yaml-comma", 3, 17,
     "'5 kg' is not a key of body 'rod'; decimals are written with a point (1.5 kg), and a value with a "
     "comma "
     "inside braces must be quoted"},
    {"a decimal comma of a parameter", ROD "params: {a: 1,5}\n", "yaml-comma", 4, 15,
     "'5' has no value; decimals are written with a point, and a value with a comma inside braces must be "
     "quoted"},
    {"joint to an unknown body", ROD "joints:\n  hinge: {revolute: [world, rdo], axis: [0, 1, 0]}\n",
     "yaml-reference", 5, 29, "there is no body 'rdo'; did you mean 'rod'?"},
    {"joint to the ground", ROD "joints:\n  hinge: {revolute: [ground, rod], axis: [0, 1, 0]}\n",
     "yaml-reference", 5, 22, "there is no body 'ground'; the fixed body is 'world'"},
    {"a body joined to itself", ROD "joints:\n  hinge: {revolute: [rod, rod], axis: [0, 1, 0]}\n",
     "joint-same-body", 5, 21, "joint hinge connects rod to itself"},
    {"a joint with one body", ROD "joints:\n  hinge: {revolute: [rod], axis: [0, 1, 0]}\n", "yaml-count", 5,
     21, "revolute has 1 names of bodies, expected 2"},
    {"a joint of two kinds",
     ROD "joints:\n  hinge: {revolute: [world, rod], prismatic: [world, rod], axis: x}\n", "yaml-conflict", 5,
     35, "joint 'hinge' has both revolute and prismatic, expected one of them"},
    {"a joint without a kind", ROD "joints:\n  hinge: {axis: [0, 1, 0]}\n", "yaml-missing-key", 5, 3,
     "joint 'hinge' has no kind; write revolute: [BODY, BODY], or prismatic, spherical, ..."},
    {"a joint kind of another program", ROD "joints:\n  j: {hinge: [world, rod], axis: [0, 1, 0]}\n",
     "yaml-unknown-key", 5, 7, "'hinge' is not a kind of joint here; write revolute: [A, B]"},
    {"a misspelt joint kind", ROD "joints:\n  j: {revolut: [world, rod], axis: [0, 1, 0]}\n",
     "yaml-unknown-key", 5, 7,
     "'revolut' is not a key of joint 'j'; did you mean 'revolute'? (keys: weld, revolute, prismatic, screw, "
     "cylindrical, universal, spherical, planar, free, distance, gear, rack_pinion, tendon, axis, axis_2, "
     "axes, at, "
     "pitch, lead, length, ratio, radius, limits, spring, damping, armature, closes_loop, position, "
     "velocity, compliance, friction)"},
    {"axis of zero", ROD "joints:\n  hinge: {revolute: [world, rod], axis: [0, 0, 0]}\n", "yaml-direction", 5,
     41, "axis is zero, which has no direction"},
    {"axis is missing", ROD "joints:\n  hinge: {revolute: [world, rod]}\n", "yaml-missing-key", 5, 3,
     "joint 'hinge' has no axis; write axis: [x, y, z]"},
    {"axis with two numbers", ROD "joints:\n  hinge: {revolute: [world, rod], axis: [0, 1]}\n", "yaml-count",
     5, 41, "axis has 2 numbers, expected 3"},
    {"a universal joint with one axis", ROD "joints:\n  cross: {universal: [world, rod], axis: x}\n",
     "yaml-missing-key", 5, 3,
     "joint 'cross' has no axis_2; write axis_2: [x, y, z], fixed on its second body"},
    {"one of two axes on a body that the joint does not have",
     ROD "joints:\n  cross: {universal: [world, rod], axes: [{stem: x}, y]}\n", "yaml-reference", 5, 44,
     "axes[0] names 'stem', expected 'world' or 'rod' (joint 'cross')"},
    {"one of two axes that is empty", ROD "joints:\n  cross: {universal: [world, rod], axes: [{}, y]}\n",
     "yaml-empty", 5, 43, "axes[0] of joint 'cross' is empty"},
    {"universal axes that are not perpendicular",
     ROD "joints:\n  cross: {universal: [world, rod], axis: x, axis_2: [1, 1, 0]}\n", "joint-axis", 5, 53,
     "the two axes of universal joint cross are 45 degrees apart, expected 90"},
    {"a point on a body that is not joined",
     ROD "joints:\n  hinge: {revolute: [world, rod], axis: x, at: {rood: [0, 0, 0]}}\n", "yaml-reference", 5,
     49, "at names 'rood', expected 'world' or 'rod' (joint 'hinge'); did you mean 'rod'?"},
    {"a frame that does not exist",
     HEAD "bodies:\n  rod: {mass: 1, frames: {tip: {position: [1, 0, 0]}}}\njoints:\n  hinge: {revolute: "
          "[world, rod], axis: x, at: rod.tp}\n",
     "yaml-reference", 5, 48, "body 'rod' has no frame 'tp'; did you mean 'tip'?"},
    {"a screw without a pitch", ROD "joints:\n  lead: {screw: [world, rod], axis: z}\n", "yaml-missing-key",
     5, 3, "joint 'lead' has no pitch; write pitch: NUMBER m (per turn)"},
    {"a pitch on a hinge", ROD "joints:\n  hinge: {revolute: [world, rod], axis: z, pitch: 2 mm}\n",
     "yaml-key-kind", 5, 44, "pitch belongs to screw joints, and joint 'hinge' is revolute"},
    {"a gear to a body without a joint",
     HEAD "bodies:\n  a: {mass: 1, inertia: [1, 1, 1]}\n  b: {mass: 1, inertia: [1, 1, 1]}\njoints:\n  ja: "
          "{revolute: [world, a], axis: z}\n  teeth: {gear: [a, b], ratio: 2}\n",
     "gear-joint", 7, 17, "gear teeth names body b, which has no joint that turns"},
    {"a gear without a ratio", PENDULUM "  teeth: {gear: [hinge, hinge]}\n", "yaml-missing-key", 6, 3,
     "joint 'teeth' has no ratio; write ratio: NUMBER (q1 + ratio q2 stays constant)"},
    {"negative mass", HEAD "bodies:\n  rod: {mass: -1 kg, inertia: [1, 1, 1]}\n", "body-mass", 3, 15,
     "the mass of body rod is -1 kg, expected 0 or more"},
    {"inertia that no body has", HEAD "bodies:\n  rod: {mass: 1, inertia: [1, 1, 3]}\n",
     "body-inertia-triangle", 3, 27,
     "the principal moments of body rod are 1, 1 and 3; no body has one larger than the sum of the other "
     "two"},
    {"indefinite inertia", HEAD "bodies:\n  rod: {mass: 1, inertia: [1, 1, 1, 2, 0, 0]}\n",
     "body-inertia-indefinite", 3, 27,
     "the inertia of body rod has the principal moment -1, expected none below 0"},
    {"inertia with four numbers", HEAD "bodies:\n  rod: {mass: 1, inertia: [1, 1, 1, 0]}\n", "yaml-count", 3,
     27, "inertia has 4 numbers, expected [Ixx, Iyy, Izz] or [Ixx, Iyy, Izz, Ixy, Ixz, Iyz]"},
    {"inertia of an unknown solid", HEAD "bodies:\n  rod: {mass: 1, inertia: {rod: {length: 1}}}\n",
     "yaml-unknown-key", 3, 28,
     "'rod' is not a key of inertia of body 'rod' (keys: slender, box, sphere, cylinder, disk, ellipsoid, "
     "tube)"},
    {"quaternion of zero", HEAD "bodies:\n  rod: {mass: 1, pose: {quaternion: [0, 0, 0, 0]}}\n",
     "yaml-quaternion", 3, 37, "quaternion is zero, expected [w, x, y, z], [1, 0, 0, 0] for no turn"},
    {"two rotations",
     HEAD "bodies:\n  rod: {mass: 1, pose: {euler_xyz: [0, 0, 0], quaternion: [1, 0, 0, 0]}}\n",
     "yaml-conflict", 3, 47, "pose of body 'rod' has both euler_xyz and quaternion, expected one of them"},
    {"poses in a circle", HEAD "bodies:\n  a: {mass: 1, pose: {in: b}}\n  b: {mass: 1, pose: {in: a}}\n",
     "yaml-pose-cycle", 4, 27, "pose of body 'b' is placed in 'a', which is placed in it: a circle"},
    {"mass of zero on a body that moves",
     HEAD "bodies:\n  rod: {mass: 0}\njoints:\n  hinge: {revolute: [world, rod], axis: [0, 1, 0]}\n",
     "body-no-mass", 3, 15, "body rod has no mass and carries none, but joint hinge lets it move"},
    {"limits the wrong way round",
     ROD "joints:\n  hinge: {revolute: [world, rod], axis: x, limits: [1, -1]}\n", "joint-limits", 5, 52,
     "the lower limit 1 of joint hinge is above the upper one, -1"},
    {"limits with one number", ROD "joints:\n  hinge: {revolute: [world, rod], axis: x, limits: [1]}\n",
     "yaml-count", 5, 52, "limits has 1 numbers, expected 2"},
    {"negative stiffness", ROD "joints:\n  hinge: {revolute: [world, rod], axis: x, spring: -5}\n",
     "model-negative", 5, 52, "spring of hinge is -5, expected 0 or more"},
    {"damping with a unit of sliding",
     ROD "joints:\n  hinge: {revolute: [world, rod], axis: x, damping: 3 N s/m}\n", "unit-dimension", 5, 53,
     "damping: '3 N s/m' is in N s/m, expected a damping in N m s/rad"},
    {"step of zero", PENDULUM "solver: {step: 0}\n", "solver-setting", 6, 16,
     "the step is 0 s, expected more than 0"},
    {"negative end", PENDULUM "run: {until: -1 s}\n", "run-setting", 6, 14,
     "the run ends at -1 s, expected 0 or more"},
    {"a misspelt stepper", PENDULUM "solver: {stepper: refrence}\n", "yaml-word", 6, 19,
     "stepper is 'refrence', expected one of contact, implicit, reference, kinematic; did you mean "
     "'reference'?"},
    {"a misspelt friction law",
     ROD "joints:\n  hinge:\n    revolute: [world, rod]\n    axis: x\n    friction: {law: lugree, mu_static: "
         "0.5}\n",
     "yaml-word", 8, 21,
     "law is 'lugree', expected one of coulomb, smooth, dahl, lugre, bristle; did you mean 'lugre'?"},
    {"a misspelt contact law", PENDULUM "contact: {law: cones}\n", "yaml-word", 6, 16,
     "law is 'cones', expected one of bristle, cone, box, polygon(n), viscous(v0); did you mean 'cone'?"},
    {"a polygon without its sides", PENDULUM "contact: {law: polygon}\n", "yaml-word", 6, 16,
     "law is 'polygon', expected one of bristle, cone, box, polygon(n), viscous(v0); write polygon(n)"},
    {"a cone with an argument", PENDULUM "contact: {law: cone(4)}\n", "yaml-word", 6, 16,
     "law is 'cone(4)', expected one of bristle, cone, box, polygon(n), viscous(v0); cone takes no argument"},
    {"a polygon with an odd number of sides", PENDULUM "contact: {law: polygon(5)}\n", "contact-law", 6, 16,
     "the contact law is polygon(5), expected polygon(N) with an even N from 4 to 64"},
    {"theta out of range", PENDULUM "solver: {theta: 0.2}\n", "solver-setting", 6, 17,
     "theta is 0.2, expected 0.5 (second order) to 1"},
    {"a planar slide across the plane",
     HEAD "planar: xz\nbodies:\n  rod: {mass: 1 kg, inertia: [0.1, 0.1, 0.1]}\njoints:\n  slot: {prismatic: "
          "[world, rod], axis: [0, 1, 0]}\n",
     "planar-axis", 6, 41, "the axis (0, 1*"},
    {"an unknown plane", ROD "planar: xyz\n", "yaml-word", 4, 9,
     "planar is 'xyz', expected one of xy, xz, yz; did you mean 'xy'?"},
    {"params in a circle", ROD "params: {a: 2*$b, b: $a + 1}\n", "param-cycle", 4, 22,
     "the parameter 'a' needs itself: a -> b -> a"},
    {"an unknown param", HEAD "params: {length: 2}\nbodies:\n  rod: {mass: 1, com: [0, 0, $lenght]}\n",
     "param-unknown", 4, 30,
     "com[2]: there is no parameter 'lenght'; did you mean $length? (character 1 of '$lenght')"},
    {"an expression that does not end", HEAD "bodies:\n  rod: {mass: 2*}\n", "expression-syntax", 3, 17,
     "mass: the expression ends too early (character 3 of '2*')"},
    {"an unknown function", HEAD "bodies:\n  rod: {mass: sine(1)}\n", "expression-name", 3, 15,
     "mass: there is no function 'sine'; did you mean 'sin'? (character 1 of 'sine(1)')"},
    {"time in a constant", HEAD "bodies:\n  rod: {mass: 1 + t}\n", "quantity-not-constant", 3, 19,
     "mass: t is the time, but a constant is expected here (character 5 of '1 + t')"},
    {"a table that does not rise",
     PENDULUM "drives:\n  motor: {joint: hinge, torque: {table: [[0, 0], [1, 5], [1, 0]]}}\n", "yaml-table",
     7, 59, "table[2] is at 1 s, expected later than the one before (1 s)"},
    {"a misspelt parameter in a table",
     PENDULUM "drives:\n  motor: {joint: hinge, torque: {table: [[0, 0], [1, $pusch]]}}\nparams: {push: 3}\n",
     "param-unknown", 7, 54,
     "torque.table[1][1]: there is no parameter 'pusch'; did you mean $push? (character 1 of '$pusch')"},
    {"a row of a table that is too short",
     PENDULUM "drives:\n  motor: {joint: hinge, torque: {table: [[0, 0], [1]]}}\n", "yaml-count", 7, 50,
     "table[1] is not a pair [time, value]"},
    {"a drive on an unknown joint", PENDULUM "drives:\n  motor: {joint: hing, torque: 5}\n", "yaml-reference",
     7, 18, "there is no joint 'hing'; did you mean 'hinge'?"},
    {"a drive without a target", PENDULUM "drives:\n  motor: {joint: hinge}\n", "yaml-missing-key", 7, 3,
     "drive 'motor' has no target; write torque, force, velocity, position or servo"},
    {"two motions of one joint",
     PENDULUM "drives:\n  a: {joint: hinge, velocity: 1}\n  b: {joint: hinge, position: t}\n",
     "drive-conflict", 8, 14, "drives a and b both prescribe the motion of joint hinge, coordinate 0"},
    {"a force on what turns", PENDULUM "drives:\n  motor: {joint: hinge, force: 5 N}\n", "yaml-key-kind", 7,
     25, "joint 'hinge' turns: write torque"},
    {"an unknown name in an expression", PENDULUM "drives:\n  motor: {joint: hinge, torque: 5*sin(time)}\n",
     "expression-name", 7, 39,
     "torque: there is no name 'time'; did you mean 't'? (character 7 of '5*sin(time)')"},
    {"an unknown joint in an expression",
     PENDULUM "drives:\n  motor: {joint: hinge, torque: -2*hinges.velocity}\n", "unknown-joint", 7, 33,
     "drives/motor names the joint 'hinges', which does not exist; did you mean hinge?"},
    {"a load without a body", PENDULUM "loads:\n  push: {force: [1, 0, 0]}\n", "yaml-missing-key", 7, 3,
     "load 'push' has no body; write body: NAME"},
    {"a load on nothing", PENDULUM "loads:\n  push: {body: rod}\n", "yaml-missing-key", 7, 3,
     "load 'push' has no kind; write force: [x, y, z], or torque, spring, bushing"},
    {"a load on the world", PENDULUM "loads:\n  push: {body: world, force: [1, 0, 0]}\n", "load-on-world", 7,
     16, "load push acts on the world, which does not move"},
    {"negative mu of a joint",
     ROD "joints:\n  hinge: {revolute: [world, rod], axis: x, friction: {law: coulomb, mu_static: -0.1, "
         "mu_kinetic: 0.1}}\n",
     "model-negative", 5, 80, "friction/mu_static of hinge is -0.1, expected 0 or more"},
    {"mu_kinetic above mu_static",
     ROD "joints:\n  hinge: {revolute: [world, rod], axis: x, friction: {law: coulomb, mu_static: 0.1, "
         "mu_kinetic: 0.3}}\n",
     "friction-order", 5, 97, "mu_kinetic of joint hinge is 0.3, expected no more than mu_static, 0.1"},
    {"negative mu of a pair", ROD "materials: {steel: {}}\npairs:\n  steel/steel: {mu: -0.3}\n",
     "model-negative", 6, 21, "mu_static of steel/steel is -0.3, expected 0 or more"},
    {"a pair of unknown materials", ROD "materials: {steel: {}}\npairs: {steel/rubber: {mu: 1}}\n",
     "yaml-reference", 5, 9, "there is no material 'rubber'"},
    {"a body twice", HEAD "bodies:\n  rod: {mass: 1}\n  rod: {mass: 2}\n", "yaml-duplicate-key", 4, 3,
     "'rod' is given twice, first on line 3"},
    {"a key twice", HEAD "bodies:\n  rod:\n    mass: 1\n    inertia: [1, 1, 1]\n    mass: 2\n",
     "yaml-duplicate-key", 6, 5, "'mass' is given twice, first on line 4"},
    {"an unquoted comma in a force", PENDULUM "loads:\n  push: {body: rod, force: [0, max(1, t), 0]}\n",
     "yaml-comma", 7, 32, "'max(1' is only a part; a value with a comma inside braces must be quoted"},
    {"a bracket that is not closed", HEAD "bodies:\n  rod: {mass: 1\njoints: {}\n", "yaml-syntax", 4, 7,
     "missing comma in flow mapping; entries inside brackets are separated by commas, and every { and [ is "
     "closed"},
    {"a colon inside a value", HEAD "name: pendulum: the first\n", "yaml-syntax", 2, 15,
     "invalid nested block mapping on the same line; a value that holds ': ' must be quoted"},
    {"a line that is indented too far", HEAD "bodies:\n  rod:\n    mass: 1\n      com: [0, 0, 0]\n",
     "yaml-syntax", 4, 11,
     "line 4 is indented by 4 and line 5 by 6; keys of one map begin in the same column"},
    {"import", PENDULUM "import: robot.xml\n", "import-missing", 6, 9,
     "there is no file 'robot.xml' beside the model"},
    {"import of a model file", PENDULUM "import: other.yaml\n", "import-format", 6, 9,
     "'other.yaml' cannot be imported, expected an .xml, .mjcf or .urdf file"},
    {"import from elsewhere", PENDULUM "import: ../robot.xml\n", "import-outside", 6, 9,
     "'../robot.xml' is outside the model's folder; --set import.outside=true allows it"},
    {"import that allows itself", PENDULUM "import: {file: ../robot.xml, outside: true}\n", "import-outside",
     6, 39,
     "a model cannot allow itself to read files outside its folder; give --set import.outside=true on the "
     "command line"},
    {"import without a file", PENDULUM "import: {strict: true}\n", "yaml-missing-key", 6, 1,
     "import has no file; write file: robot.xml"},
    {"an unknown key of import", PENDULUM "import: {file: robot.xml, key_frame: home}\n", "yaml-unknown-key",
     6, 27,
     "'key_frame' is not a key of import; did you mean 'keyframe'? (keys: file, strict, outside, keyframe, "
     "free_base, lift)"},
    {"adaptive steps", PENDULUM "solver: {adaptive: {tol: 1e-6}}\n", "yaml-unknown-key", 6, 21,
     "'tol' is not a key of adaptive (keys: smallest, tolerance, contact, friction)"},
    {"mu and mu_static", ROD "materials: {steel: {}}\npairs: {steel/steel: {mu: 1, mu_static: 2}}\n",
     "yaml-conflict", 5, 23,
     "pair 'steel/steel' has both mu and mu_static, expected mu alone or mu_static and mu_kinetic"},
    {"an Adams word beside its own",
     ROD "joints:\n  hinge: {revolute: [world, rod], axis: x, friction: {law: coulomb, mu_static: 1, "
         "MU_STATIC: 1}}\n",
     "yaml-conflict", 5, 83,
     "friction of joint 'hinge' has both mu_static and MU_STATIC, expected one of them"},
    {"an alias", HEAD "bodies:\n  a: &one {mass: 1}\n  b: *one\n", "yaml-alias", 3, 7,
     "an anchor or alias (&name, *name), which a model cannot have; use params and $name, and quote text "
     "that begins with * or &"},
    {"two documents", PENDULUM "---\nformat: 1\n", "yaml-documents", 6, 1,
     "a second document (---); a model is one"},
    {"a truth value", PENDULUM "contact: {paper: yes}\n", "yaml-word", 6, 18,
     "paper is 'yes', expected true or false; write true"},
    {"beams", PENDULUM "beams: {b: {length: 1}}\n", "yaml-unknown-key", 6, 13,
     "'length' is not a key of beam 'b' (keys: from, to, points, arc, spline, elements, up, twist, section, "
     "damping, attach, velocity)"},
    {"a shape without a radius", HEAD "bodies:\n  ball: {mass: 1, shapes: [{sphere: {}}]}\n",
     "yaml-missing-key", 3, 29, "sphere has no radius; write radius: NUMBER m"},
    {"a shape of an unknown kind", HEAD "bodies:\n  ball: {mass: 1, shapes: [{ball: {radius: 1}}]}\n",
     "yaml-unknown-key", 3, 29,
     "'ball' is not a key of shape 0 of body 'ball' (keys: sphere, box, capsule, cylinder, disk, ellipsoid, "
     "convex, plane, heightfield, material, pose, name, category, mask)"},
    {"a list of bodies", HEAD "bodies: [{mass: 1}]\n", "yaml-type", 2, 9,
     "bodies is a list, expected a map (KEY: VALUE)"},
    {"a hexadecimal number", HEAD "bodies:\n  rod: {mass: 0x1F}\n", "expression-syntax", 3, 15,
     "mass: numbers are decimal; 0x... is not read (character 1 of '0x1F')"},
    {"a number beyond double", HEAD "bodies:\n  rod: {mass: 1e400}\n", "quantity-not-finite", 3, 15,
     "mass: the number is larger than can be held, about 1.8e308 (character 1 of '1e400')"},
    {"a name with a dot", HEAD "bodies:\n  rod.1: {mass: 1, inertia: [1, 1, 1]}\n", "name-invalid", 3, 3,
     "the name 'rod.1' of a body has one of the characters . , / ~ # : in it, which separate names"},
    {"a body called world", HEAD "bodies:\n  world: {mass: 1, inertia: [1, 1, 1]}\n", "name-invalid", 3, 3,
     "the name 'world' of a body is the name of the fixed body, which is always there"},
    {"a constraint without terms", PENDULUM "constraints:\n  blade: {value: 0}\n", "yaml-missing-key", 7, 3,
     "constraint 'blade' has no terms; write terms: [{joint: NAME, coefficient: 1}, ...]"},
    {"a fraction with a unit", HEAD "bodies:\n  rod: {mass: 1/2 kg}\n", "unit-ambiguous", 3, 16,
     "mass: this can be read in two ways: write (1/2) mm or 1/(2 mm) (character 2 of '1/2 kg')"},
    {"outputs that are not a list", PENDULUM "outputs: rod.position.x\n", "yaml-type", 6, 10,
     "outputs is a single value, expected a list of channel names"},
};

static br_status read_text(const char *text, const br_override *overrides, int count, br_error *error) {
    br_model *model = NULL;
    br_builder *builder = NULL;
    memset(error, 0, sizeof *error);
    const br_status status =
        br_model_read_text(text, strlen(text), "bad.yaml", overrides, count, NULL, &model, &builder, error);
    if (status != BR_OK) {
        assert_null(model);
        assert_null(builder);
    }
    br_model_destroy(model);
    br_builder_destroy(builder);
    return status;
}

static int same_message(const char *message, const char *expected) {
    const size_t n = strlen(expected);
    return n > 0 && expected[n - 1] == '*' ? strncmp(message, expected, n - 1) == 0
                                           : strcmp(message, expected) == 0;
}

static void each_mistake_is_told_with_its_place(void **state) {
    (void)state;
    int wrong = 0;
    for (size_t k = 0; k < sizeof mistakes / sizeof mistakes[0]; k++) {
        const mistake *m = mistakes + k;
        br_error error;
        const br_status status = read_text(m->text, NULL, 0, &error);
        const int right = status != BR_OK && error.code && strcmp(error.code, m->code) == 0 &&
                          error.line == m->line && error.column == m->column &&
                          strcmp(error.file, "bad.yaml") == 0 && same_message(error.message, m->message);
        if (right && br_explain(error.code)) continue;
        wrong++;
        print_error("%s: expected %d:%d: %s [%s]\n    got %s %d:%d: %s [%s]\n", m->name, m->line, m->column,
                    m->message, m->code, br_status_name(status), error.line, error.column, error.message,
                    error.code ? error.code : "-");
    }
    assert_int_equal(wrong, 0);
}

static void there_are_more_than_forty(void **state) {
    (void)state;
    assert_true(sizeof mistakes / sizeof mistakes[0] >= 40);
}

// The texts that the mistakes are made in are models.
static void without_mistakes_they_are_read(void **state) {
    (void)state;
    br_error error;
    assert_int_equal(read_text(ROD, NULL, 0, &error), BR_OK);
    assert_int_equal(read_text(PENDULUM, NULL, 0, &error), BR_OK);
}

// ------------------------------------------------------------------------------------------------------------ --set

static const struct {
    br_override set;
    const char *file, *code, *message;
} wrong_sets[] = {
    {{"frction", "0.5"},
     "--set frction",
     "set-unknown",
     "there is no parameter or key 'frction'; did you mean 'friction'?"},
    {{"solvr.step", "1 ms"},
     "--set solvr.step",
     "set-unknown",
     "there is no parameter or key 'solvr'; did you mean 'solver'?"},
    {{"solver.stp", "1 ms"},
     "--set solver.stp",
     "yaml-unknown-key",
     "'stp' is not a key of solver; did you mean 'step'? (keys: stepper, step, theta, position_update, "
     "rotation, tol, "
     "max_iterations, max_work, events, method, lcp_epsilon, lcp_scale, friction_loads, restart, "
     "rho_infinity, "
     "scheme, "
     "redundancy, adaptive)"},
    {{"solver.step", "1 mm"},
     "--set solver.step",
     "unit-dimension",
     "step: '1 mm' is in m, expected a time in s"},
    {{"solver.step", "0"}, "--set solver.step", "solver-setting", "the step is 0 s, expected more than 0"},
    {{"bodies.rdo.mass", "1"},
     "--set bodies.rdo.mass",
     "set-unknown",
     "there is no 'rdo' in bodies; did you mean 'rod'?"},
    {{"friction", ""}, "--set friction", "set-empty", "has no value; write --set NAME=VALUE"},
    {{"gravity", "[1, 2"}, "--set gravity", "yaml-syntax", "*"},
};

static void each_wrong_override_is_told(void **state) {
    (void)state;
    static const char text[] = PENDULUM "params: {friction: 0.3}\n";
    for (size_t k = 0; k < sizeof wrong_sets / sizeof wrong_sets[0]; k++) {
        br_error error;
        assert_int_not_equal(read_text(text, &wrong_sets[k].set, 1, &error), BR_OK);
        if (!same_message(error.message, wrong_sets[k].message)) print_error("got %s\n", error.message);
        assert_true(same_message(error.message, wrong_sets[k].message));
        assert_string_equal(error.code, wrong_sets[k].code);
        assert_string_equal(error.file, wrong_sets[k].file);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_mistake_is_told_with_its_place),
        cmocka_unit_test(there_are_more_than_forty),
        cmocka_unit_test(without_mistakes_they_are_read),
        cmocka_unit_test(each_wrong_override_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
