// Words of Adams, MuJoCo, URDF, Simscape and SDF for what a model says here, and files that are no models. A word is told
// only where the key it stands for is allowed, so that one table serves every place.
#include "io/yaml/foreign.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "io/result/layout.h"

typedef struct foreign {
    const char *word, *key, *instead; // instead NULL: the key alone
} foreign;

static const foreign keys_elsewhere[] = {
    // the model
    {"links", "bodies", NULL},
    {"parts", "bodies", NULL},
    {"forces", "loads", NULL},
    {"motors", "drives", NULL},
    {"actuators", "drives", NULL},
    {"motions", "drives", NULL},
    {"variables", "params", NULL},
    {"parameters", "params", NULL},
    {"floor", "ground", "ground: [{plane: {}, material: NAME}]"},
    {"options", "solver", NULL},
    {"simulation", "run", NULL},
    {"g", "gravity", "gravity: [0, 0, -9.81]"},
    // what stands one level further down; `bodies` is a key of the model alone
    {"until", "bodies", "run: {until: TIME}"},
    {"duration", "bodies", "run: {until: TIME}"},
    {"end_time", "bodies", "run: {until: TIME}"},
    {"t_end", "bodies", "run: {until: TIME}"},
    {"output", "bodies", "run: {output: TIME}"},
    {"step", "bodies", "solver: {step: TIME}"},
    {"timestep", "bodies", "solver: {step: TIME}"},
    {"dt", "bodies", "solver: {step: TIME}"},
    {"stepper", "bodies", "solver: {stepper: NAME}"},
    {"tol", "bodies", "solver: {tol: NUMBER}"},
    {"law", "bodies", "contact: {law: NAME}"},
    {"shapes", "bodies", "shapes: [...] within a body, or ground: [...] for what does not move"},
    // bodies and poses
    {"density", "mass", "mass: NUMBER kg, which the solid of inertia spreads evenly"},
    {"weight", "mass", NULL},
    {"cm", "com", NULL},
    {"cg", "com", NULL},
    {"centre_of_mass", "com", NULL},
    {"center_of_mass", "com", NULL},
    {"ip", "inertia", "inertia: [Ixx, Iyy, Izz]"},
    {"diaginertia", "inertia", "inertia: [Ixx, Iyy, Izz]"},
    {"geometry", "shapes", NULL},
    {"geom", "shapes", NULL},
    {"collision", "shapes", NULL},
    {"visual", "shapes", NULL},
    {"xyz", "position", NULL},
    {"translation", "position", NULL},
    {"location", "position", NULL},
    {"pos", "position", NULL},
    {"rpy", "euler_zyx", "euler_zyx: [yaw, pitch, roll]"},
    {"quat", "quaternion", "quaternion: [w, x, y, z]"},
    {"orientation", "quaternion", "quaternion: [w, x, y, z], or euler_xyz: [a, b, c]"},
    {"rotation", "quaternion", "quaternion: [w, x, y, z], or euler_xyz: [a, b, c]"},
    {"euler", "euler_xyz", "euler_xyz: [a, b, c], or euler_zxy, euler_zyx"},
    {"position", "pose", "pose: {position: [x, y, z]}"},
    {"origin", "pose", "pose: {position: [x, y, z]}"},
    {"pos", "pose", "pose: {position: [x, y, z]}"},
    {"half_size", "size", "size: [x, y, z], the full lengths"},
    {"half_extents", "size", "size: [x, y, z], the full lengths"},
    {"half_lengths", "size", "size: [x, y, z], the full lengths"},
    // joints
    {"type", "revolute", "revolute: [PARENT, CHILD], or prismatic, spherical, ..."},
    {"parent", "revolute", "revolute: [PARENT, CHILD], or prismatic, spherical, ..."},
    {"child", "revolute", "revolute: [PARENT, CHILD], or prismatic, spherical, ..."},
    {"bodies", "revolute", "revolute: [PARENT, CHILD], or prismatic, spherical, ..."},
    {"range", "limits", "limits: [LOWER, UPPER]"},
    {"limit", "limits", "limits: [LOWER, UPPER]"},
    {"lower", "limits", "limits: [LOWER, UPPER]"},
    {"upper", "limits", "limits: [LOWER, UPPER]"},
    {"origin", "at", "at: [x, y, z]"},
    {"anchor", "at", "at: [x, y, z]"},
    {"location", "at", "at: [x, y, z]"},
    {"pos", "at", "at: [x, y, z]"},
    {"point", "at", "at: [x, y, z]"},
    {"stiffness", "spring", "spring: {stiffness: NUMBER, rest: NUMBER}"},
    {"frictionloss", "friction", "friction: {law: coulomb, mu: 1, load: {constant: NUMBER}}"},
    {"angle", "position", NULL},
    {"initial_position", "position", NULL},
    {"initial_velocity", "velocity", NULL},
    {"q0", "position", NULL},
    // friction
    {"type", "law", NULL},
    {"model", "law", NULL},
    {"mu_s", "mu_static", NULL},
    {"mus", "mu_static", NULL},
    {"static", "mu_static", NULL},
    {"mu_k", "mu_kinetic", NULL},
    {"mu_d", "mu_kinetic", NULL},
    {"mu_dynamic", "mu_kinetic", NULL},
    {"dynamic", "mu_kinetic", NULL},
    {"kinetic", "mu_kinetic", NULL},
    {"coefficient", "mu", NULL},
    {"friction", "mu", NULL},
    {"radius", "pin_radius", NULL},
    {"stribeck_velocity", "v_stribeck", NULL},
    // solver and run
    {"dt", "step", NULL},
    {"h", "step", NULL},
    {"timestep", "step", NULL},
    {"time_step", "step", NULL},
    {"step_size", "step", NULL},
    {"integrator", "stepper", NULL},
    {"method", "stepper", NULL},
    {"tolerance", "tol", NULL},
    {"iterations", "max_iterations", NULL},
    {"duration", "until", NULL},
    {"end", "until", NULL},
    {"end_time", "until", NULL},
    {"t_end", "until", NULL},
    {"stop", "until", NULL},
    {"stop_time", "until", NULL},
    {"time", "until", NULL},
    {"dt", "output", NULL},
    {"step", "output", "output: TIME for the interval of rows; the step is solver: {step: TIME}"},
    {"interval", "output", NULL},
    {"sample", "output", NULL},
    // loads and drives
    {"joint", "bushing",
     "drives: {NAME: {joint: NAME, force: NEWTONS}}: a drive pushes a joint, a load a body"},
    {"motor", "servo", "joint: NAME"},
    {"speed", "velocity", NULL},
    {"kp", "servo", "servo: {position: ..., stiffness: NUMBER, damping: NUMBER}"},
};

static const foreign values_elsewhere[] = {
    {"stribeck", "smooth", "law: smooth with shape: stribeck_smooth"},
    {"viscous", "smooth", NULL},
    {"regularized", "smooth", NULL},
    {"dry", "coulomb", NULL},
    {"stick_slip", "coulomb", NULL},
    {"stiction", "coulomb", NULL},
    {"coulomb", "cone", NULL},
    {"colomb", "cone", NULL},
    {"columb", "cone", NULL},
    {"pyramid", "polygon", NULL},
    {"elliptic", "cone", NULL},
    {"rk4", "reference", NULL},
    {"rk45", "reference", NULL},
    {"ode45", "reference", NULL},
    {"cvode", "reference", NULL},
    {"euler", "contact", NULL},
    {"implicitfast", "contact", NULL},
    {"moreau", "contact", NULL},
    {"hht", "implicit", NULL},
    {"newmark", "implicit", NULL},
    {"gstiff", "implicit", NULL},
};

static int among(const char *word, const char *const *words) {
    for (int k = 0; words[k]; k++)
        if (strcmp(words[k], word) == 0) return 1;
    return 0;
}

const char *br_io_foreign_key(const char *word, const char *const *keys) {
    for (size_t k = 0; k < sizeof keys_elsewhere / sizeof *keys_elsewhere; k++) {
        const foreign *f = &keys_elsewhere[k];
        if (strcasecmp(f->word, word) == 0 && among(f->key, keys)) return f->instead ? f->instead : f->key;
    }
    return NULL;
}

// 1: the word is one of words[].
static int is_listed(const char *word, const char *const *words, int count) {
    for (int k = 0; k < count; k++)
        if (strcmp(words[k], word) == 0) return 1;
    return 0;
}

void br_io_foreign_value(const char *word, const char *const *words, int count, char *hint, size_t size) {
    for (size_t k = 0; k < sizeof values_elsewhere / sizeof *values_elsewhere; k++) {
        const foreign *f = &values_elsewhere[k];
        if (strcasecmp(f->word, word) != 0 || !is_listed(f->key, words, count)) continue;
        if (f->instead)
            snprintf(hint, size, "; write %s", f->instead);
        else
            snprintf(hint, size, "; the nearest here is '%s'", f->key);
        return;
    }
}

// -------------------------------------------------------------------------------------------- files of other kinds

static const io_kind kinds[] = {
    {IO_RESULT_MARK, "model-is-result", "is the result of a run, expected a model"},
    {"\x89HDF", "model-is-data", "is an HDF5 file, expected a model"},
    {"PK\x03\x04", "model-is-data", "is a zip archive, expected a model"},
    {"\x1f\x8b", "model-is-data", "is packed with gzip, expected a model; unpack it with: gunzip"},
    {"%PDF", "model-is-data", "is a PDF file, expected a model"},
    {"\x89PNG", "model-is-data", "is a picture, expected a model"},
    {"<mujoco", "model-is-mjcf",
     "is a model of MuJoCo, which is read from files that end in .xml; rename it"},
    {"<robot", "model-is-urdf", "is a model in URDF, which is read from files that end in .urdf; rename it"},
    {"<sdf", "model-is-data", "is a model in SDF, which cannot be read; export it as URDF"},
    {"<?xml", "model-is-data", "is XML, but neither a model of MuJoCo nor URDF"},
    {"solid ", "model-is-mesh", "is a mesh (STL), expected a model; a shape takes it as convex: {file: ...}"},
    {"ADAMS/", "model-is-data", "is a data set of Adams, which cannot be read; begin with: bristle new"},
    {"ISO-10303-21", "model-is-data", "is a STEP file, expected a model; begin with: bristle new"},
    {"TYPE ", "model-is-problem", "is a problem file, expected a model"},
    {"t,", "model-is-table", "is a table of numbers, expected a model"},
};

// An XML file may begin with its version and with comments; the first element says what it is.
static const char *first_element(const char *begin, const char *end) {
    for (const char *p = begin; p + 1 < end && *p == '<' && (p[1] == '?' || p[1] == '!');) {
        const int comment = end - p > 3 && memcmp(p, "<!--", 4) == 0;
        while (p < end && !(*p == '>' && (!comment || (p[-1] == '-' && p[-2] == '-')))) p++;
        if (p < end) p++;
        while (p < end && isspace((unsigned char)*p)) p++;
        begin = p < end && *p == '<' ? p : begin;
    }
    return begin;
}

const io_kind *br_io_kind_of(const char *text, size_t size) {
    const char *begin = text, *const end = text + size;
    while (begin < end && isspace((unsigned char)*begin)) begin++;
    begin = first_element(begin, end);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const size_t n = strlen(kinds[k].begins);
        if ((size_t)(end - begin) >= n && memcmp(begin, kinds[k].begins, n) == 0) return &kinds[k];
    }
    return NULL;
}
