// MJCF bodies and joints as they are written, and the names they get.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/import/mjcf/mjcf.h"
#include "io/import/name.h"

// ---------------------------------------------------------------------------------------------------- joints

static const char solver_only[] = "a setting of MuJoCo's constraint solver";
static const mjcf_known joint_known[] = {
    {"name", MJCF_USED, 0},
    {"class", MJCF_USED, 0},
    {"type", MJCF_USED, 0},
    {"pos", MJCF_USED, 0},
    {"axis", MJCF_USED, 0},
    {"ref", MJCF_USED, 0},
    {"range", MJCF_USED, 0},
    {"limited", MJCF_USED, 0},
    {"damping", MJCF_USED, 0},
    {"stiffness", MJCF_USED, 0},
    {"springref", MJCF_USED, 0},
    {"armature", MJCF_USED, 0},
    {"frictionloss", MJCF_USED, 0},
    {"springdamper", BR_IMPORT_MOTION, "give stiffness and damping instead"},
    {"actuatorfrcrange", MJCF_USED, 0},
    {"actuatorfrclimited", MJCF_USED, 0},
    {"actuatorgravcomp", BR_IMPORT_NUMERICS, "goes with gravcomp"},
    {"margin", MJCF_USED, 0},
    {"solreflimit", BR_IMPORT_NUMERICS, solver_only},
    {"solimplimit", BR_IMPORT_NUMERICS, solver_only},
    {"solreffriction", BR_IMPORT_NUMERICS, solver_only},
    {"solimpfriction", BR_IMPORT_NUMERICS, solver_only},
    {"group", MJCF_USED, 0}, // for pictures and for the user
    {"user", BR_IMPORT_LOOKS, "user data is not read"},
    {NULL, 0, NULL},
};

static const mjcf_known freejoint_known[] = {
    {"name", MJCF_USED, 0},
    {"group", MJCF_USED, 0},
    {"align", BR_IMPORT_MOTION, "frames of free bodies are kept as written"},
    {NULL, 0, NULL},
};

static br_status read_limits(mjcf *m, mjcf_element e, mjcf_joint *joint, double unit) {
    double range[2] = {0.0, 0.0}, margin = 0.0;
    int limited = 2, count;
    br_status status = br_mjcf_flag(m, e, "limited", 1, &limited);
    if (status == BR_OK) status = br_mjcf_numbers(m, e, "range", 2, 2, range, &count);
    if (status == BR_OK) status = br_mjcf_number(m, e, "margin", &margin);
    if (status != BR_OK || m->limit_off) return status;
    if (limited == 2) limited = br_mjcf_scope(m, e.node)->auto_limits && count > 0 && range[0] != range[1];
    if (!limited) return BR_OK;
    if (joint->type == MJCF_BALL || joint->type == MJCF_FREE)
        return br_mjcf_note(m, e.node, "range", BR_IMPORT_MOTION,
                            "limits of ball joints are not represented");
    if (!(range[0] <= range[1]))
        return br_mjcf_fail(m, e.node, "mjcf-range",
                            "<joint> range is %g to %g, expected the smaller number first", range[0],
                            range[1]);
    // MuJoCo's limit pushes from the margin on, towards it: a joint that leans on its limit rests there. It is in radians always.
    const double middle = 0.5 * unit * (range[0] + range[1]);
    joint->lower = fmin(unit * range[0] + margin, fmax(middle, unit * range[0]));
    joint->upper = fmax(unit * range[1] - margin, fmin(middle, unit * range[1]));
    return BR_OK;
}

static br_status read_effort_limits(mjcf *m, mjcf_element e, mjcf_joint *joint) {
    double range[2] = {0.0, 0.0};
    int limited = 2, count;
    br_status status = br_mjcf_flag(m, e, "actuatorfrclimited", 1, &limited);
    if (status == BR_OK) status = br_mjcf_numbers(m, e, "actuatorfrcrange", 2, 2, range, &count);
    if (status != BR_OK) return status;
    if (limited == 2) limited = br_mjcf_scope(m, e.node)->auto_limits && count > 0 && range[0] != range[1];
    if (!limited) return BR_OK;
    if (!(range[0] <= range[1]))
        return br_mjcf_fail(m, e.node, "mjcf-range",
                            "<joint> actuatorfrcrange is %g to %g, expected the smaller number first",
                            range[0], range[1]);
    joint->effort_low = range[0];
    joint->effort_high = range[1];
    return BR_OK;
}

// A constant force or torque against the motion. MuJoCo has one for each axis of a ball joint; here they share a sphere.
static br_status read_friction_loss(mjcf *m, mjcf_element e, mjcf_joint *joint) {
    br_status status = br_mjcf_number(m, e, "frictionloss", &joint->friction_loss);
    if (status != BR_OK || joint->friction_loss == 0.0 || m->friction_off) return status;
    if (joint->friction_loss < 0.0)
        return br_mjcf_fail(m, e.node, "mjcf-range", "<joint> frictionloss is %g, expected >= 0",
                            joint->friction_loss);
    if (joint->type == MJCF_BALL)
        return br_mjcf_note(
            m, e.node, "frictionloss", BR_IMPORT_MOTION,
            "the friction of a ball joint is one torque against its motion, not one for each axis");
    if (joint->type != MJCF_FREE) return BR_OK;
    joint->friction_loss = 0.0;
    return br_mjcf_note(m, e.node, "frictionloss", BR_IMPORT_MOTION, "a free joint has nothing to rub on");
}

static br_status read_joint_values(mjcf *m, mjcf_element e, mjcf_joint *joint) {
    const int turns = joint->type == MJCF_HINGE, one = turns || joint->type == MJCF_SLIDE;
    const double unit = turns ? br_mjcf_scope(m, e.node)->angle : 1.0;
    br_status status = br_mjcf_vector(m, e, "pos", &joint->point);
    if (status == BR_OK) status = br_mjcf_vector(m, e, "axis", &joint->axis);
    if (status == BR_OK && one) status = br_mjcf_unit(m, e.node, "axis", &joint->axis);
    if (status == BR_OK) status = br_mjcf_number(m, e, "ref", &joint->ref);
    if (status == BR_OK) status = br_mjcf_number(m, e, "springref", &joint->rest);
    if (status == BR_OK) status = br_mjcf_number(m, e, "damping", &joint->damping);
    if (status == BR_OK) status = br_mjcf_number(m, e, "stiffness", &joint->stiffness);
    if (status == BR_OK) status = br_mjcf_number(m, e, "armature", &joint->armature);
    if (status == BR_OK) status = read_friction_loss(m, e, joint);
    if (status == BR_OK) status = read_limits(m, e, joint, unit);
    if (status == BR_OK) status = read_effort_limits(m, e, joint);
    if (status != BR_OK) return status;
    if (m->spring_off) joint->stiffness = 0.0;
    if (m->damper_off) joint->damping = 0.0;
    if (m->friction_off) joint->friction_loss = 0.0;
    joint->ref = one ? unit * joint->ref : 0.0;
    joint->rest = one ? unit * joint->rest : 0.0;
    if (!one && joint->stiffness != 0.0) {
        status = br_mjcf_note(m, e.node, "stiffness", BR_IMPORT_MOTION,
                              "springs about a ball or free joint are not "
                              "represented; a bushing may serve");
        joint->stiffness = 0.0;
    }
    return status;
}

static br_status read_joint(mjcf *m, const io_xml_node *node, int body, int class, const br_pose *X_BF) {
    static const char *const types[] = {"free", "ball", "slide", "hinge"};
    const int is_free = strcmp(node->name, "freejoint") == 0;
    int type = is_free ? MJCF_FREE : MJCF_HINGE;
    mjcf_element e = {node, -1};
    br_status status =
        is_free ? BR_OK : br_mjcf_element_of(m, node, class, &e); // <freejoint> has no defaults
    if (status == BR_OK) status = br_mjcf_check(m, e, is_free ? freejoint_known : joint_known);
    if (status == BR_OK && !is_free) status = br_mjcf_word(m, e, "type", types, 4, &type);
    if (status != BR_OK) return status;
    if (body < 0)
        return br_mjcf_fail(m, node, "mjcf-structure", "<%s> in <worldbody>: the world does not move",
                            node->name);
    if (m->body[body].joints >= 6)
        return br_mjcf_fail(m, node, "mjcf-structure", "more than six joints of one body");
    if (m->body[body].first_joint + m->body[body].joints != m->joints)
        return br_mjcf_fail(m, node, "mjcf-structure",
                            "<%s> stands after a child body; joints come before it", node->name);
    if (!BR_GROW(&m->arena, m->joint, m->joints, m->joint_capacity)) return br_mjcf_no_memory(m);
    mjcf_joint *joint = &m->joint[m->joints];
    *joint = (mjcf_joint){.node = node,
                          .type = (mjcf_joint_type)type,
                          .given = br_io_xml_get(node, "name"),
                          .body = body,
                          .axis = br_vec3_unit(2),
                          .lower = -INFINITY,
                          .upper = INFINITY,
                          .effort_low = -INFINITY,
                          .effort_high = INFINITY};
    if (!is_free) status = read_joint_values(m, e, joint);
    if (status != BR_OK) return status;
    if (X_BF) {
        joint->point = br_pose_point(*X_BF, joint->point);
        joint->axis = br_quat_rotate(X_BF->rotation, joint->axis);
    }
    m->joints++;
    m->body[body].joints++;
    m->body[body].moves = 1;
    return BR_OK;
}

static br_status check_joints(mjcf *m, int body) {
    const mjcf_body *b = &m->body[body];
    for (int k = 0; k < b->joints; k++) {
        const mjcf_joint *joint = &m->joint[b->first_joint + k];
        if (joint->type != MJCF_FREE) continue;
        if (b->joints > 1)
            return br_mjcf_fail(m, joint->node, "mjcf-structure",
                                "a free joint must be the only joint of its body");
        if (b->parent >= 0)
            return br_mjcf_fail(m, joint->node, "mjcf-structure",
                                "only a body of <worldbody> itself can have a free joint");
    }
    return BR_OK;
}

// ---------------------------------------------------------------------------------------------------- bodies

static const mjcf_known body_known[] = {
    {"name", MJCF_USED, 0},
    {"childclass", MJCF_USED, 0},
    {"pos", MJCF_USED, 0},
    {"quat", MJCF_USED, 0},
    {"axisangle", MJCF_USED, 0},
    {"euler", MJCF_USED, 0},
    {"xyaxes", MJCF_USED, 0},
    {"zaxis", MJCF_USED, 0},
    {"mocap", MJCF_USED, 0}, // it stays where it is, or where a keyframe puts it
    {"gravcomp", MJCF_USED, 0},
    {"sleep", BR_IMPORT_NUMERICS, "bodies never sleep"},
    {"user", BR_IMPORT_LOOKS, "user data is not read"},
    {NULL, 0, NULL},
};

// What stands inside a body beside bodies and joints. geom and inertial are read by mjcf/inertia.c.
static const mjcf_known child_known[] = {
    {"inertial", MJCF_USED, 0},
    {"geom", MJCF_USED, 0},
    {"camera", BR_IMPORT_LOOKS, "only pictures need it"},
    {"light", BR_IMPORT_LOOKS, "only pictures need it"},
    {"plugin", BR_IMPORT_MOTION, "plugins are not represented"},
    {NULL, 0, NULL},
};

static br_status read_children(mjcf *m, const io_xml_node *node, int body, int class, const br_pose *X_BF,
                               int in_frame);

static br_status child_class(const mjcf *m, const io_xml_node *node, int *class) {
    const char *name = br_io_xml_get(node, "childclass");
    return name ? br_mjcf_class_find(m, node, name, class) : BR_OK;
}

static br_status read_body(mjcf *m, const io_xml_node *node, int parent, int class, const br_pose *X_PF) {
    br_status status = br_mjcf_check(m, (mjcf_element){node, -1}, body_known);
    br_pose X_FB;
    if (status == BR_OK) status = child_class(m, node, &class);
    if (status == BR_OK) status = br_mjcf_pose(m, (mjcf_element){node, -1}, &X_FB);
    if (status != BR_OK) return status;
    if (!BR_GROW(&m->arena, m->body, m->bodies, m->body_capacity)) return br_mjcf_no_memory(m);
    const int k = m->bodies++;
    m->body[k] = (mjcf_body){.node = node,
                             .given = br_io_xml_get(node, "name"),
                             .parent = parent,
                             .first_joint = m->joints,
                             .moves = parent >= 0 && m->body[parent].moves,
                             .X_PB = X_PF ? br_pose_mul(*X_PF, X_FB) : X_FB};
    int mocap = 0;
    status = br_mjcf_flag(m, (mjcf_element){node, -1}, "mocap", 0, &mocap);
    if (status != BR_OK) return status;
    m->body[k].mocap = mocap ? ++m->mocaps : 0;
    m->body[k].X_PB_start = m->body[k].X_PB;
    status = br_mjcf_number(m, (mjcf_element){node, -1}, "gravcomp", &m->body[k].gravity_compensation);
    if (m->spring_off && m->damper_off) m->body[k].gravity_compensation = 0.0; // one of the passive forces
    if (status != BR_OK) return status;
    return read_children(m, node, k, class, NULL, 0);
}

static br_status read_frame(mjcf *m, const io_xml_node *node, int body, int class, const br_pose *X_BF) {
    static const mjcf_known frame_known[] = {
        {"name", MJCF_USED, 0},   {"childclass", MJCF_USED, 0}, {"pos", MJCF_USED, 0},
        {"quat", MJCF_USED, 0},   {"axisangle", MJCF_USED, 0},  {"euler", MJCF_USED, 0},
        {"xyaxes", MJCF_USED, 0}, {"zaxis", MJCF_USED, 0},      {NULL, 0, NULL},
    };
    br_pose X_FG;
    br_status status = br_mjcf_check(m, (mjcf_element){node, -1}, frame_known);
    if (status == BR_OK) status = child_class(m, node, &class);
    if (status == BR_OK) status = br_mjcf_pose(m, (mjcf_element){node, -1}, &X_FG);
    if (status != BR_OK) return status;
    const br_pose X_BG = X_BF ? br_pose_mul(*X_BF, X_FG) : X_FG;
    return read_children(m, node, body, class, &X_BG, 1);
}

// They stand for bodies and joints: without them coordinates would be missing.
static const char *const makers[] = {"composite", "flexcomp"};

static br_status read_other(mjcf *m, const io_xml_node *node, int in_frame) {
    const mjcf_known *known = child_known;
    while (known->name && strcmp(known->name, node->name) != 0) known++;
    for (size_t k = 0; k < sizeof makers / sizeof *makers; k++)
        if (strcmp(node->name, makers[k]) == 0)
            return br_mjcf_fail(
                m, node, "mjcf-not-read",
                "<%s> makes bodies that this reader cannot make: the model would be another one; let "
                "MuJoCo write it out (mj_saveLastXML) and read that",
                node->name);
    if (!known->name)
        return br_mjcf_note(m, node, NULL, BR_IMPORT_MOTION, "this reader does not know the element");
    if (known->effect != MJCF_USED)
        return br_mjcf_note(m, node, NULL, (br_import_effect)known->effect, "%s", known->why);
    if (in_frame && strcmp(node->name, "inertial") == 0)
        return br_mjcf_fail(m, node, "mjcf-structure",
                            "<inertial> in a <frame>; it belongs in the body itself");
    return BR_OK;
}

// The joints of a body, those in its frames too.
static br_status read_joints(mjcf *m, const io_xml_node *node, int body, int class, const br_pose *X_BF) {
    br_status status = BR_OK;
    for (const io_xml_node *c = node->first; c && status == BR_OK; c = c->next) {
        if (strcmp(c->name, "joint") == 0 || strcmp(c->name, "freejoint") == 0)
            status = read_joint(m, c, body, class, X_BF);
        if (strcmp(c->name, "frame") != 0 || body < 0) continue;
        br_pose X_FG;
        int inner = class;
        status = child_class(m, c, &inner);
        if (status == BR_OK) status = br_mjcf_pose(m, (mjcf_element){c, -1}, &X_FG);
        if (status != BR_OK) return status;
        const br_pose X_BG = X_BF ? br_pose_mul(*X_BF, X_FG) : X_FG;
        status = read_joints(m, c, body, inner, &X_BG);
    }
    return status;
}

// Children in their order; a <frame> is a body's children seen from elsewhere. The body's own mass is read
// when all its joints are known, before its child bodies.
static br_status read_children(mjcf *m, const io_xml_node *node, int body, int class, const br_pose *X_BF,
                               int in_frame) {
    br_status status = br_mjcf_check_text(m, node);
    if (status == BR_OK && !in_frame) status = read_joints(m, node, body, class, NULL);
    if (status == BR_OK && !in_frame && body >= 0) status = check_joints(m, body);
    if (status == BR_OK && !in_frame) status = br_mjcf_read_inertia(m, body, class, node);
    for (const io_xml_node *c = node->first; c && status == BR_OK; c = c->next) {
        if (strcmp(c->name, "body") == 0)
            status = read_body(m, c, body, class, X_BF);
        else if (strcmp(c->name, "frame") == 0)
            status = read_frame(m, c, body, class, X_BF);
        else if (strcmp(c->name, "site") == 0)
            status = br_mjcf_read_site(m, c, body, class, X_BF);
        else if (strcmp(c->name, "joint") != 0 && strcmp(c->name, "freejoint") != 0)
            status = read_other(m, c, in_frame);
    }
    return status;
}

br_status br_mjcf_read_bodies(mjcf *m) {
    br_status status = BR_OK;
    for (const io_xml_node *c = m->root->first; c && status == BR_OK; c = c->next) {
        int class = -1;
        if (strcmp(c->name, "worldbody") != 0) continue;
        status = child_class(m, c, &class);
        if (status == BR_OK) status = read_children(m, c, -1, class, NULL, 0);
    }
    return status;
}

// ----------------------------------------------------------------------------------------------------- names

static br_status keep_given(mjcf *m, br_names *names, int *index, const char *name, int k,
                            const io_xml_node *node, const io_xml_node *(*other)(const mjcf *m, int k)) {
    if (!name || !name[0]) return BR_OK;
    const int found = br_names_find(names, name);
    if (found >= 0)
        return br_mjcf_fail(m, node, "mjcf-duplicate-name",
                            "a <%s> named '%.60s' was already given on line %d", node->name, name,
                            other(m, index[found])->line);
    if (br_names_add(names, &m->arena, name) != BR_OK) return br_mjcf_no_memory(m);
    index[names->count - 1] = k;
    return BR_OK;
}

static const io_xml_node *body_node(const mjcf *m, int k) {
    return m->body[k].node;
}

static const io_xml_node *joint_node(const mjcf *m, int k) {
    return m->joint[k].node;
}

int br_mjcf_find_body(const mjcf *m, const char *given) {
    const int k = br_names_find(&m->given_bodies, given);
    return k < 0 ? -1 : m->body_of[k];
}

int br_mjcf_find_joint(const mjcf *m, const char *given) {
    const int k = br_names_find(&m->given_joints, given);
    return k < 0 ? -1 : m->joint_of[k];
}

br_status br_mjcf_free_name(mjcf *m, br_names *taken, const char *wish, const char **out) {
    return br_io_import_name(&m->arena, taken, wish, out) == BR_OK ? BR_OK : br_mjcf_no_memory(m);
}

static br_status name_given(mjcf *m, br_names *taken, const io_xml_node *node, const char *given,
                            const char **out) {
    if (!given || !given[0]) return BR_OK;
    br_status status = br_mjcf_free_name(m, taken, given, out);
    if (status == BR_OK && strcmp(*out, given) != 0)
        status = br_mjcf_note(m, node, "name", BR_IMPORT_LOOKS, "'%.60s' is called '%s' here", given, *out);
    return status;
}

// First those that have names, so that made-up ones never take them away.
static br_status name_written(mjcf *m) {
    br_status status = BR_OK;
    for (int k = 0; k < m->bodies && status == BR_OK; k++) {
        mjcf_body *b = &m->body[k];
        status = keep_given(m, &m->given_bodies, m->body_of, b->given, k, b->node, body_node);
        if (status == BR_OK) status = name_given(m, &m->body_names, b->node, b->given, &b->name);
    }
    for (int k = 0; k < m->joints && status == BR_OK; k++) {
        mjcf_joint *j = &m->joint[k];
        status = keep_given(m, &m->given_joints, m->joint_of, j->given, k, j->node, joint_node);
        if (status == BR_OK) status = name_given(m, &m->joint_names, j->node, j->given, &j->name);
    }
    return status;
}

static br_status name_others(mjcf *m) {
    br_status status = BR_OK;
    char wish[BR_MAX_NAME + 32];
    for (int k = 0; k < m->bodies && status == BR_OK; k++) {
        if (m->body[k].name) continue;
        snprintf(wish, sizeof wish, "body_%d", k + 1); // MuJoCo's number of the body
        status = br_mjcf_free_name(m, &m->body_names, wish, &m->body[k].name);
    }
    for (int k = 0; k < m->joints && status == BR_OK; k++) {
        mjcf_joint *j = &m->joint[k];
        if (j->name || j->type == MJCF_FREE)
            continue; // a free joint without a name needs none: it is BODY.free
        snprintf(wish, sizeof wish, "%s_joint", m->body[j->body].name);
        status = br_mjcf_free_name(m, &m->joint_names, wish, &j->name);
    }
    return status;
}

br_status br_mjcf_name_all(mjcf *m) {
    m->body_of = BR_TAKE(&m->arena, int, m->bodies);
    m->joint_of = BR_TAKE(&m->arena, int, m->joints);
    if (!br_arena_ok(&m->arena)) return br_mjcf_no_memory(m);
    const br_status status = name_written(m);
    return status == BR_OK ? name_others(m) : status;
}
