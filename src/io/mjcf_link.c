// MJCF equality constraints and actuators.
//
// MuJoCo's equality constraints are soft; here they are joints that close a loop, gears and drives, and hold
// exactly. Actuators are taken at a control of zero, which is where a MuJoCo model starts.
#include <math.h>
#include <string.h>

#include "io/mjcf.h"

static const char soft[] = "constraints hold exactly here";

// -------------------------------------------------------------------------------------------------- equality

static const mjcf_known equality_known[] = {
    {"name", MJCF_USED, 0},
    {"class", MJCF_USED, 0},
    {"active", MJCF_USED, 0},
    {"body1", MJCF_USED, 0},
    {"body2", MJCF_USED, 0},
    {"anchor", MJCF_USED, 0},
    {"relpose", MJCF_USED, 0},
    {"joint1", MJCF_USED, 0},
    {"joint2", MJCF_USED, 0},
    {"polycoef", MJCF_USED, 0},
    {"site1", MJCF_USED, 0},
    {"site2", MJCF_USED, 0},
    {"torquescale", BR_IMPORT_NUMERICS, soft},
    {"solref", BR_IMPORT_NUMERICS, soft},
    {"solimp", BR_IMPORT_NUMERICS, soft},
    {NULL, 0, NULL},
};

static br_status unknown_name(const mjcf *m, const io_xml_node *node, const char *attribute, const char *name,
                              const br_names *names) {
    const char *near = br_names_nearest(names, name);
    return mjcf_fail(m, node, "mjcf-unknown-name", "<%.40s> %s: there is no '%.60s'%s%.60s%s", node->name,
                     attribute, name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

// *out is -1 for the world. A missing second body is the world, too.
static br_status body_of(const mjcf *m, mjcf_element e, const char *attribute, int may_miss, int *out) {
    const char *name = mjcf_get(m, e, attribute, NULL);
    *out = -1;
    if (!name && !may_miss)
        return mjcf_fail(m, e.node, "mjcf-missing", "<%.40s> has no %s", e.node->name, attribute);
    if (!name || strcmp(name, "world") == 0) return BR_OK;
    *out = mjcf_find_body(m, name);
    return *out >= 0 ? BR_OK : unknown_name(m, e.node, attribute, name, &m->given_bodies);
}

static br_status joint_of(const mjcf *m, mjcf_element e, const char *attribute, int *out) {
    const char *name = mjcf_get(m, e, attribute, NULL);
    *out = -1;
    if (!name) return BR_OK;
    *out = mjcf_find_joint(m, name);
    if (*out < 0) return unknown_name(m, e.node, attribute, name, &m->given_joints);
    if (m->joint[*out].type == MJCF_HINGE || m->joint[*out].type == MJCF_SLIDE) return BR_OK;
    return mjcf_fail(m, e.node, "mjcf-structure", "<%.40s> %s: '%.60s' is not a hinge or slide joint",
                     e.node->name, attribute, name);
}

static const char *name_of(const mjcf *m, int body) {
    return body < 0 ? BR_WORLD : m->body[body].name;
}

static br_pose reference_pose(const mjcf *m, int body) {
    return body < 0 ? br_pose_identity() : m->body[body].X_WB_ref;
}

// connect and weld: a joint between two bodies, whose frames meet where MuJoCo's do at qpos0.
static br_status add_closure(mjcf *m, mjcf_element e, br_joint_def *def) {
    double relative[7] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    br_vec3 anchor = br_vec3_zero();
    int a, b;
    br_status status = body_of(m, e, "body1", 0, &a);
    if (status == BR_OK) status = body_of(m, e, "body2", 1, &b);
    if (status == BR_OK) status = mjcf_vector(m, e, "anchor", &anchor);
    if (status == BR_OK) status = mjcf_numbers(m, e, "relpose", 7, 7, relative, NULL);
    if (status != BR_OK) return status;
    if (a == b)
        return mjcf_fail(m, e.node, "mjcf-structure", "<%.40s> connects %s to itself", e.node->name,
                         name_of(m, a));
    def->first = name_of(m, a);
    def->second = name_of(m, b);
    def->closes_loop = 1;
    const br_pose X_AB = br_pose_between(reference_pose(m, a), reference_pose(m, b));
    if (def->type == BR_JOINT_SPHERICAL) {
        def->X_AF.position = anchor;
        def->X_BM = br_pose_mul(br_pose_inverse(X_AB), def->X_AF);
    } else {
        const br_quat q = br_quat_of(relative[3], relative[4], relative[5], relative[6]);
        const int given = br_quat_norm(q) > 0.0; // a zero quaternion: as the bodies are at qpos0
        def->X_AF = given
                        ? br_pose_of(br_quat_normalize(q), br_vec3_of(relative[0], relative[1], relative[2]))
                        : X_AB;
    }
    return mjcf_placed(m, e.node, br_builder_joint(m->builder, def, m->error));
}

// joint2 = NULL: q1 = qpos0 + a0.  Else q1 - ref1 = a0 + a1 (q2 - ref2), higher orders are not represented.
static br_status add_coupling(mjcf *m, mjcf_element e, br_joint_def *def) {
    double a[5] = {0.0, 1.0, 0.0, 0.0, 0.0};
    int one, two;
    br_status status = joint_of(m, e, "joint1", &one);
    if (status == BR_OK) status = joint_of(m, e, "joint2", &two);
    if (status == BR_OK) status = mjcf_numbers(m, e, "polycoef", 1, 5, a, NULL);
    if (status != BR_OK) return status;
    if (one < 0) return mjcf_fail(m, e.node, "mjcf-missing", "<joint> of <equality> has no joint1");
    if (one == two)
        return mjcf_fail(m, e.node, "mjcf-structure", "<joint> of <equality> connects '%s' to itself",
                         m->joint[one].name);
    if (two < 0) {
        br_drive_def drive = br_default_drive_def();
        drive.type = BR_DRIVE_POSITION;
        drive.joint = m->joint[one].name;
        drive.target = br_function_constant(m->joint[one].ref + a[0]);
        status = mjcf_free_name(m, &m->drive_names, def->name, &drive.name);
        return status == BR_OK ? mjcf_placed(m, e.node, br_builder_drive(m->builder, &drive, m->error))
                               : status;
    }
    if (a[2] != 0.0 || a[3] != 0.0 || a[4] != 0.0 || a[1] == 0.0)
        return mjcf_note(m, e.node, "polycoef", BR_IMPORT_MOTION,
                         "joints are coupled linearly or not at all");
    if (a[0] != 0.0) {
        status = mjcf_note(m, e.node, "polycoef", BR_IMPORT_MOTION,
                           "the joints keep the offset that they start with");
        if (status != BR_OK) return status;
    }
    def->type = BR_JOINT_GEAR;
    def->first = m->joint[one].name;
    def->second = m->joint[two].name;
    def->ratio = -a[1];
    return mjcf_placed(m, e.node, br_builder_joint(m->builder, def, m->error));
}

static br_status read_equality(mjcf *m, const io_xml_node *node) {
    const int connect = strcmp(node->name, "connect") == 0, weld = strcmp(node->name, "weld") == 0;
    const char *given = io_xml_get(node, "name");
    int active = 1;
    if (!connect && !weld && strcmp(node->name, "joint") != 0)
        return mjcf_note(m, node, NULL, BR_IMPORT_MOTION,
                         "this kind of equality constraint is not represented");
    // Its defaults are those of <equality>, not of the joint or body element that shares its name.
    io_xml_node as_equality = *node;
    as_equality.name = "equality";
    mjcf_element e = {&as_equality, -1};
    br_status status = mjcf_element_of(m, &as_equality, -1, &e);
    if (status == BR_OK) status = mjcf_flag(m, e, "active", 0, &active);
    e.node = node;
    if (status == BR_OK) status = mjcf_check(m, (mjcf_element){node, -1}, equality_known);
    if (status != BR_OK) return status;
    if (!active) return mjcf_note(m, node, NULL, BR_IMPORT_LOOKS, "it is not active");
    if (io_xml_get(node, "site1") || io_xml_get(node, "site2"))
        return mjcf_note(m, node, "site1", BR_IMPORT_MOTION, "constraints between sites are not represented");
    br_joint_def def = br_default_joint_def();
    def.type = connect ? BR_JOINT_SPHERICAL : BR_JOINT_WELD;
    status = mjcf_free_name(m, &m->joint_names, given && given[0] ? given : node->name, &def.name);
    if (status == BR_OK) status = mjcf_place(m, "joints", def.name, node);
    if (status != BR_OK) return status;
    e.class = -1;
    return connect || weld ? add_closure(m, e, &def) : add_coupling(m, e, &def);
}

// ------------------------------------------------------------------------------------------------- actuators

static const char control[] = "controls are zero, so their range does not matter";
static const mjcf_known actuator_known[] = {
    {"name", MJCF_USED, 0},
    {"class", MJCF_USED, 0},
    {"group", MJCF_USED, 0},
    {"user", MJCF_USED, 0},
    {"joint", MJCF_USED, 0},
    {"jointinparent", MJCF_USED, 0},
    {"gear", MJCF_USED, 0},
    {"kp", MJCF_USED, 0},
    {"kv", MJCF_USED, 0},
    {"gainprm", MJCF_USED, 0},
    {"biasprm", MJCF_USED, 0},
    {"gaintype", MJCF_USED, 0},
    {"biastype", MJCF_USED, 0},
    {"dyntype", MJCF_USED, 0},
    {"dynprm", MJCF_USED, 0},
    {"forcerange", MJCF_USED, 0},
    {"forcelimited", MJCF_USED, 0},
    {"ctrlrange", BR_IMPORT_NUMERICS, control},
    {"ctrllimited", BR_IMPORT_NUMERICS, control},
    {"inheritrange", BR_IMPORT_NUMERICS, control},
    {"lengthrange", BR_IMPORT_NUMERICS, "only muscles need it"},
    {"cranklength", BR_IMPORT_NUMERICS, "goes with slider-cranks"},
    {"dampratio", BR_IMPORT_MOTION, "give kv instead"},
    {"timeconst", BR_IMPORT_MOTION, "actuators act without delay"},
    {"actdim", BR_IMPORT_NUMERICS, "actuators have no state"},
    {"actlimited", BR_IMPORT_NUMERICS, "actuators have no state"},
    {"actrange", BR_IMPORT_NUMERICS, "actuators have no state"},
    {"actearly", BR_IMPORT_NUMERICS, "actuators have no state"},
    {"tendon", MJCF_USED, 0}, // noted as a whole
    {"site", MJCF_USED, 0},
    {"refsite", MJCF_USED, 0},
    {"body", MJCF_USED, 0},
    {"cranksite", MJCF_USED, 0},
    {"slidersite", MJCF_USED, 0},
    {NULL, 0, NULL},
};

// A force bias[0] + bias[1] length + bias[2] velocity along the actuator, at a control of zero.
static br_status read_law(const mjcf *m, mjcf_element e, double bias[3], int *represented) {
    static const char *const affine[] = {"affine"};
    const char *kind = e.node->name;
    double kp = 1.0, kv = strcmp(kind, "velocity") == 0 ? 1.0 : 0.0, prm[10] = {0.0};
    int is_affine = -1;
    *represented = 1;
    if (strcmp(kind, "motor") == 0) return BR_OK;
    if (strcmp(kind, "general") != 0) {
        br_status status = mjcf_number(m, e, "kp", &kp);
        if (status == BR_OK) status = mjcf_number(m, e, "kv", &kv);
        bias[1] = strcmp(kind, "position") == 0 ? -kp : 0.0;
        bias[2] = -kv;
        return status;
    }
    const char *dynamics = mjcf_get(m, e, "dyntype", NULL), *gain = mjcf_get(m, e, "gaintype", NULL);
    const char *type = mjcf_get(m, e, "biastype", NULL);
    if ((dynamics && strcmp(dynamics, "none") != 0) || (gain && strcmp(gain, "fixed") != 0)) *represented = 0;
    if (!type || strcmp(type, "none") == 0) return BR_OK;
    if (strcmp(type, "affine") != 0) *represented = 0;
    if (!*represented) return BR_OK;
    br_status status = mjcf_word(m, e, "biastype", affine, 1, &is_affine);
    if (status == BR_OK) status = mjcf_numbers(m, e, "biasprm", 1, 10, prm, NULL);
    memcpy(bias, prm, 3 * sizeof *bias);
    return status;
}

static br_status read_effort(mjcf *m, mjcf_element e, double gear, double *out) {
    double range[2] = {0.0, 0.0};
    int limited = 2, count;
    br_status status = mjcf_flag(m, e, "forcelimited", 1, &limited);
    if (status == BR_OK) status = mjcf_numbers(m, e, "forcerange", 2, 2, range, &count);
    if (status != BR_OK || limited == 0 || count == 0 || range[0] == range[1]) return status;
    const double largest = fmax(fabs(range[0]), fabs(range[1]));
    *out = largest * fabs(gear);
    if (range[0] == -range[1]) return BR_OK;
    return mjcf_note(m, e.node, "forcerange", BR_IMPORT_MOTION, "the limit is the same in both directions");
}

static br_status add_drive(mjcf *m, mjcf_element e, int joint, const char *name) {
    double bias[3] = {0.0, 0.0, 0.0}, gear[6] = {1.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    int represented;
    br_drive_def def = br_default_drive_def();
    br_status status = read_law(m, e, bias, &represented);
    if (status == BR_OK) status = mjcf_numbers(m, e, "gear", 1, 6, gear, NULL);
    if (status == BR_OK) status = read_effort(m, e, gear[0], &def.max_effort);
    if (status != BR_OK) return status;
    const double g = gear[0], k = -bias[1] * g * g, d = -bias[2] * g * g;
    const int passive = bias[1] == 0.0 && bias[2] == 0.0;
    if (!represented || k < 0.0 || d < 0.0 || (k == 0.0 && !passive && bias[0] != 0.0))
        return mjcf_note(m, e.node, NULL, BR_IMPORT_MOTION, "an actuator of this kind is not represented");
    def.name = name;
    def.joint = m->joint[joint].name;
    def.type = passive ? BR_DRIVE_EFFORT : BR_DRIVE_SERVO;
    def.stiffness = k;
    def.damping = d;
    def.target = br_function_constant(passive ? bias[0] * g : k > 0.0 ? bias[0] * g / k : 0.0);
    status = mjcf_placed(m, e.node, br_builder_drive(m->builder, &def, m->error));
    return status == BR_OK ? mjcf_place(m, "drives", name, e.node) : status;
}

static int is_simple(const char *kind) {
    return strcmp(kind, "motor") == 0 || strcmp(kind, "position") == 0 || strcmp(kind, "velocity") == 0 ||
           strcmp(kind, "general") == 0;
}

static br_status read_actuator(mjcf *m, const io_xml_node *node) {
    mjcf_element e;
    const char *given = io_xml_get(node, "name"), *name;
    if (!is_simple(node->name))
        return mjcf_note(m, node, NULL, BR_IMPORT_MOTION, "an actuator of this kind is not represented");
    br_status status = mjcf_element_of(m, node, -1, &e);
    if (status == BR_OK) status = mjcf_check(m, e, actuator_known);
    if (status != BR_OK) return status;
    const char *attribute = mjcf_get(m, e, "joint", NULL) ? "joint" : "jointinparent";
    const char *target = mjcf_get(m, e, attribute, NULL);
    if (!target)
        return mjcf_note(m, node, NULL, BR_IMPORT_MOTION, "only actuators of joints are represented");
    const int joint = mjcf_find_joint(m, target);
    if (joint < 0) return unknown_name(m, node, attribute, target, &m->given_joints);
    if (m->joint[joint].type != MJCF_HINGE && m->joint[joint].type != MJCF_SLIDE)
        return mjcf_note(m, node, NULL, BR_IMPORT_MOTION,
                         "actuators of ball and free joints are not represented");
    status = mjcf_free_name(m, &m->drive_names, given && given[0] ? given : target, &name);
    return status == BR_OK ? add_drive(m, e, joint, name) : status;
}

br_status mjcf_read_links(mjcf *m) {
    br_status status = BR_OK;
    for (const io_xml_node *s = m->root->first; s && status == BR_OK; s = s->next) {
        const int equality = strcmp(s->name, "equality") == 0;
        if (!equality && strcmp(s->name, "actuator") != 0) continue;
        for (const io_xml_node *c = s->first; c && status == BR_OK; c = c->next)
            status = equality ? read_equality(m, c) : read_actuator(m, c);
    }
    return status;
}
