// Joints of URDF as written.
#include <math.h>
#include <string.h>

#include "io/import/urdf/urdf.h"
#include "io/text/text.h"

static const urdf_known nothing[] = {{NULL, 0, NULL}};
static const urdf_known joint_attributes[] = {
    {"name", URDF_USED, 0}, {"type", URDF_USED, 0}, {NULL, 0, NULL}};
static const urdf_known joint_children[] = {
    {"origin", URDF_USED, 0},
    {"parent", URDF_USED, 0},
    {"child", URDF_USED, 0},
    {"axis", URDF_USED, 0},
    {"limit", URDF_USED, 0},
    {"dynamics", URDF_USED, 0},
    {"mimic", URDF_USED, 0},
    {"joint_properties", BR_IMPORT_NUMERICS, "an old name of <dynamics> that no reader heeds"},
    {"calibration", BR_IMPORT_LOOKS, "only drivers of the real robot need it"},
    {"safety_controller", BR_IMPORT_NUMERICS, "limits of controllers are not imported; the joint's own are"},
    {NULL, 0, NULL}};
static const urdf_known end_attributes[] = {{"link", URDF_USED, 0}, {NULL, 0, NULL}};
static const urdf_known axis_attributes[] = {{"xyz", URDF_USED, 0}, {NULL, 0, NULL}};
static const urdf_known limit_attributes[] = {
    {"lower", URDF_USED, 0},
    {"upper", URDF_USED, 0},
    {"effort", BR_IMPORT_NUMERICS, "nothing drives the joint; give a drive max_torque or max_force"},
    {"velocity", BR_IMPORT_NUMERICS, "nothing drives the joint; a limit of speed is for its controller"},
    {"acceleration", BR_IMPORT_NUMERICS, "a limit for controllers"},
    {"deceleration", BR_IMPORT_NUMERICS, "a limit for controllers"},
    {"jerk", BR_IMPORT_NUMERICS, "a limit for controllers"},
    {NULL, 0, NULL}};
static const urdf_known dynamics_attributes[] = {
    {"damping", URDF_USED, 0}, {"friction", URDF_USED, 0}, {NULL, 0, NULL}};
static const urdf_known mimic_attributes[] = {
    {"joint", URDF_USED, 0}, {"multiplier", URDF_USED, 0}, {"offset", URDF_USED, 0}, {NULL, 0, NULL}};

static const char *const type_words[URDF_TYPES] = {"revolute", "continuous", "prismatic", "fixed",
                                                   "floating", "planar",     "spherical"};

int br_urdf_is_single(urdf_type type) {
    return type == URDF_REVOLUTE || type == URDF_CONTINUOUS || type == URDF_PRISMATIC;
}

static br_status read_type(urdf *u, urdf_joint *j) {
    const char *word;
    const br_status status = br_urdf_need(u, j->node, "type", &word);
    if (status != BR_OK) return status;
    for (int k = 0; k < URDF_TYPES; k++)
        if (strcmp(word, type_words[k]) == 0) {
            j->type = (urdf_type)k;
            return BR_OK;
        }
    const char *near = br_nearest_word(word, type_words, URDF_TYPES);
    char shown[IO_SHOWN];
    br_io_show((io_token){word, word + strlen(word)}, shown);
    return br_urdf_fail(
        u, j->node, "urdf-word",
        "joint '%.60s' has the type '%s', expected revolute, continuous, prismatic, fixed, floating, "
        "planar or spherical%s%s%s",
        j->given, shown, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static br_status read_end(urdf *u, const urdf_joint *j, const char *which, int *out) {
    const io_xml_node *node;
    const char *name;
    br_status status = br_urdf_child(u, j->node, which, &node);
    if (status == BR_OK && !node)
        return br_urdf_fail(u, j->node, "urdf-missing", "joint '%.60s' has no <%s>", j->given, which);
    if (status == BR_OK) status = br_urdf_check(u, node, end_attributes, nothing);
    if (status == BR_OK) status = br_urdf_need(u, node, "link", &name);
    if (status != BR_OK) return status;
    *out = br_names_find(&u->given_links, name);
    return *out >= 0 ? BR_OK : br_urdf_unknown(u, node, "link", name, &u->given_links);
}

static br_status read_axis(urdf *u, urdf_joint *j) {
    const io_xml_node *node;
    br_status status = br_urdf_child(u, j->node, "axis", &node);
    j->axis = br_vec3_unit(0);
    if (status != BR_OK || !node) return status;
    status = br_urdf_check(u, node, axis_attributes, nothing);
    if (status == BR_OK) status = br_urdf_vector(u, node, "xyz", &j->axis);
    if (status != BR_OK) return status;
    const double size = br_vec3_max_abs(j->axis);
    const int used = br_urdf_is_single(j->type) || j->type == URDF_PLANAR;
    if (!(size > 1e-150)) {
        j->axis = br_vec3_unit(0);
        if (!used) return BR_OK;
        return br_urdf_fail(u, node, "urdf-axis",
                            "<axis> xyz of joint '%.60s' has no length, expected a direction", j->given);
    }
    j->axis = br_vec3_normalize(br_vec3_scale(1.0 / size, j->axis)); // squares neither vanish nor overflow
    return BR_OK;
}

static br_status read_limit(urdf *u, urdf_joint *j) {
    const io_xml_node *node;
    const int needs = j->type == URDF_REVOLUTE || j->type == URDF_PRISMATIC;
    br_status status = br_urdf_child(u, j->node, "limit", &node);
    j->lower = -INFINITY;
    j->upper = INFINITY;
    if (status != BR_OK) return status;
    if (!node && needs)
        return br_urdf_fail(u, j->node, "urdf-missing",
                            "%s joint '%.60s' has no <limit>, expected <limit lower=... upper=... effort=... "
                            "velocity=.../>%s",
                            type_words[j->type], j->given,
                            j->type == URDF_REVOLUTE ? "; a joint that turns without end is continuous" : "");
    if (!node) return BR_OK;
    double lower = 0.0, upper = 0.0; // what URDF means where they are not given
    status = br_urdf_check(u, node, limit_attributes, nothing);
    if (status == BR_OK) status = br_urdf_bound(u, node, "lower", &lower);
    if (status == BR_OK) status = br_urdf_bound(u, node, "upper", &upper);
    if (status != BR_OK) return status;
    if (needs && lower > upper && upper > -INFINITY && lower < INFINITY)
        return br_urdf_note(
            u, node, "lower", BR_IMPORT_MOTION,
            "lower is %g and upper %g: joint '%.40s' is taken to have no limits, as Bullet has it", lower,
            upper, j->given);
    if (lower > upper || lower == INFINITY || upper == -INFINITY)
        return br_urdf_fail(u, node, "urdf-range",
                            "<limit> of joint '%.60s': lower is %g and upper %g, expected lower <= upper",
                            j->given, lower, upper);
    if (needs) {
        j->lower = lower;
        j->upper = upper;
    }
    const int given = br_io_xml_get(node, "lower") || br_io_xml_get(node, "upper");
    if (given && !needs && j->type != URDF_FIXED)
        return br_urdf_note(u, node, "lower",
                            j->type == URDF_CONTINUOUS ? BR_IMPORT_NUMERICS : BR_IMPORT_MOTION,
                            "a %s joint has no limits here", type_words[j->type]);
    if (needs && lower == upper)
        return br_urdf_note(u, node, "lower", BR_IMPORT_NUMERICS,
                            "both limits are %g: joint '%.60s' cannot move", lower, j->given);
    return BR_OK;
}

static br_status read_dynamics(urdf *u, urdf_joint *j) {
    const io_xml_node *node;
    br_status status = br_urdf_child(u, j->node, "dynamics", &node);
    if (status != BR_OK || !node) return status;
    status = br_urdf_check(u, node, dynamics_attributes, nothing);
    if (status == BR_OK) status = br_urdf_number(u, node, "damping", &j->damping);
    if (status == BR_OK) status = br_urdf_number(u, node, "friction", &j->friction);
    if (status != BR_OK) return status;
    if (j->damping < 0.0 || j->friction < 0.0)
        return br_urdf_fail(u, node, "urdf-range", "<dynamics> %s of joint '%.60s' is %g, expected 0 or more",
                            j->damping < 0.0 ? "damping" : "friction", j->given,
                            j->damping < 0.0 ? j->damping : j->friction);
    if (br_urdf_is_single(j->type) || j->type == URDF_FIXED || (j->damping == 0.0 && j->friction == 0.0))
        return BR_OK;
    j->damping = j->friction = 0.0;
    return br_urdf_note(u, node, NULL, BR_IMPORT_MOTION,
                        "URDF does not say what damping and friction of a %s joint mean",
                        type_words[j->type]);
}

static br_status read_mimic(urdf *u, urdf_joint *j) {
    const char *name;
    br_status status = br_urdf_child(u, j->node, "mimic", &j->mimic);
    j->leader = -1;
    j->multiplier = 1.0;
    if (status != BR_OK || !j->mimic) return status;
    status = br_urdf_check(u, j->mimic, mimic_attributes, nothing);
    if (status == BR_OK) status = br_urdf_need(u, j->mimic, "joint", &name);
    if (status == BR_OK) status = br_urdf_number(u, j->mimic, "multiplier", &j->multiplier);
    if (status == BR_OK) status = br_urdf_number(u, j->mimic, "offset", &j->offset);
    return status;
}

br_status br_urdf_read_joint(urdf *u, const io_xml_node *node) {
    urdf_joint j = {.node = node};
    br_status status = br_urdf_need(u, node, "name", &j.given);
    if (status != BR_OK) return status;
    const int twin = br_names_find(&u->given_joints, j.given);
    if (twin >= 0)
        return br_urdf_fail(u, node, "urdf-duplicate-name",
                            "a <joint> named '%.60s' was already given on line %d", j.given,
                            u->joint[twin].node->line);
    status = br_urdf_check(u, node, joint_attributes, joint_children);
    if (status == BR_OK) status = read_type(u, &j);
    if (status == BR_OK) status = read_end(u, &j, "parent", &j.parent);
    if (status == BR_OK) status = read_end(u, &j, "child", &j.child);
    if (status == BR_OK) status = br_urdf_origin(u, node, &j.X_PJ);
    if (status == BR_OK) status = read_axis(u, &j);
    if (status == BR_OK) status = read_limit(u, &j);
    if (status == BR_OK) status = read_dynamics(u, &j);
    if (status == BR_OK) status = read_mimic(u, &j);
    if (status != BR_OK) return status;
    if (!BR_GROW(&u->arena, u->joint, u->joints, u->joint_capacity) ||
        br_names_add(&u->given_joints, &u->arena, j.given) != BR_OK)
        return br_urdf_no_memory(u);
    u->joint[u->joints++] = j;
    return BR_OK;
}
