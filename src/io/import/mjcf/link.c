// MJCF equality constraints. MuJoCo's are soft; here they are joints that close a loop, gears, constraints on velocities and
// drives, and hold exactly.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/import/mjcf/mjcf.h"
#include "model/build/builder.h"

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
    {"tendon1", MJCF_USED, 0},
    {"tendon2", MJCF_USED, 0},
    {"torquescale", BR_IMPORT_NUMERICS, soft},
    {"solref", BR_IMPORT_NUMERICS, soft},
    {"solimp", BR_IMPORT_NUMERICS, soft},
    {NULL, 0, NULL},
};

br_status br_mjcf_unknown_name(const mjcf *m, const io_xml_node *node, const char *attribute,
                               const char *name, const br_names *names) {
    const char *near = br_names_nearest(names, name);
    return br_mjcf_fail(m, node, "mjcf-unknown-name", "<%.40s> %s: there is no '%.60s'%s%.60s%s", node->name,
                        attribute, name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

// *out is -1 for the world. A missing second body is the world, too.
static br_status body_of(const mjcf *m, mjcf_element e, const char *attribute, int may_miss, int *out) {
    const char *name = br_mjcf_get(m, e, attribute, NULL);
    char hint[IO_XML_HINT];
    *out = -1;
    if (!name && !may_miss)
        return br_mjcf_fail(m, e.node, "mjcf-missing", "<%.40s> has no %s%s", e.node->name, attribute,
                            br_io_xml_hint(e.node, attribute, hint));
    if (!name || strcmp(name, "world") == 0) return BR_OK;
    *out = br_mjcf_find_body(m, name);
    return *out >= 0 ? BR_OK : br_mjcf_unknown_name(m, e.node, attribute, name, &m->given_bodies);
}

static br_status joint_of(const mjcf *m, mjcf_element e, const char *attribute, int *out) {
    const char *name = br_mjcf_get(m, e, attribute, NULL);
    *out = -1;
    if (!name) return BR_OK;
    *out = br_mjcf_find_joint(m, name);
    if (*out < 0) return br_mjcf_unknown_name(m, e.node, attribute, name, &m->given_joints);
    if (m->joint[*out].type == MJCF_HINGE || m->joint[*out].type == MJCF_SLIDE) return BR_OK;
    return br_mjcf_fail(m, e.node, "mjcf-structure", "<%.40s> %s: '%.60s' is not a hinge or slide joint",
                        e.node->name, attribute, name);
}

static const char *name_of(const mjcf *m, int body) {
    return body < 0 ? BR_WORLD : m->body[body].name;
}

static br_pose reference_pose(const mjcf *m, int body) {
    return body < 0 ? br_pose_identity() : m->body[body].X_WB_ref;
}

// Two sites that coincide: the frames are theirs.
static br_status between_sites(mjcf *m, mjcf_element e, br_joint_def *def, int *a, int *b) {
    for (int k = 0; k < 2; k++) {
        const char *attribute = k ? "site2" : "site1", *name = br_mjcf_get(m, e, attribute, NULL);
        if (!name)
            return br_mjcf_fail(m, e.node, "mjcf-missing", "<%.40s> names one site, expected site1 and site2",
                                e.node->name);
        const int i = br_names_find(&m->given_sites, name);
        if (i < 0) return br_mjcf_unknown_name(m, e.node, attribute, name, &m->given_sites);
        *(k ? b : a) = m->site[i].body;
        *(k ? &def->X_BM : &def->X_AF) = m->site[i].pose;
    }
    return BR_OK;
}

// The frames meet where MuJoCo's do at qpos0.
static br_status between_bodies(mjcf *m, mjcf_element e, br_joint_def *def, int *a, int *b) {
    double relative[7] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    br_vec3 anchor = br_vec3_zero();
    br_status status = body_of(m, e, "body1", 0, a);
    if (status == BR_OK) status = body_of(m, e, "body2", 1, b);
    if (status == BR_OK) status = br_mjcf_vector(m, e, "anchor", &anchor);
    if (status == BR_OK) status = br_mjcf_numbers(m, e, "relpose", 7, 7, relative, NULL);
    if (status != BR_OK) return status;
    const br_pose X_AB = br_pose_between(reference_pose(m, *a), reference_pose(m, *b));
    if (def->type == BR_JOINT_SPHERICAL) {
        def->X_AF.position = anchor;
        def->X_BM = br_pose_mul(br_pose_inverse(X_AB), def->X_AF);
        return BR_OK;
    }
    const br_quat q = br_quat_of(relative[3], relative[4], relative[5], relative[6]);
    const int given = br_quat_norm(q) > 0.0; // a zero quaternion: as the bodies are at qpos0
    def->X_AF =
        given ? br_pose_of(br_quat_normalize(q), br_vec3_of(relative[0], relative[1], relative[2])) : X_AB;
    return BR_OK;
}

// connect and weld: a joint between two bodies.
static br_status add_closure(mjcf *m, mjcf_element e, br_joint_def *def) {
    const int sites = br_mjcf_get(m, e, "site1", NULL) || br_mjcf_get(m, e, "site2", NULL);
    int a = -1, b = -1;
    const br_status status = sites ? between_sites(m, e, def, &a, &b) : between_bodies(m, e, def, &a, &b);
    if (status != BR_OK) return status;
    if (a == b)
        return br_mjcf_fail(m, e.node, "mjcf-structure", "<%.40s> connects %s to itself", e.node->name,
                            name_of(m, a));
    def->first = name_of(m, a);
    def->second = name_of(m, b);
    def->closes_loop = 1;
    m->closures++;
    return br_mjcf_placed(m, e.node, br_builder_joint(m->builder, def, m->error));
}

// ------------------------------------------------------------------------------------------------ couplings

static double polynomial(const double a[5], double x) {
    return a[0] + x * (a[1] + x * (a[2] + x * (a[3] + x * a[4])));
}

// In MuJoCo a soft spring pulls the joint to where the constraint holds; here it starts there.
static br_status start_at(mjcf *m, const io_xml_node *node, int joint, double position) {
    const int k = br_names_find(&m->builder->joint_names, m->joint[joint].name);
    if (fabs(br_mjcf_start(m, joint) - position) <= 1e-12 || k < 0) return BR_OK;
    br_joint_def def = m->builder->joint[k];
    def.has_position = 1;
    def.position[0] = position;
    const br_status status = br_mjcf_placed(m, node, br_builder_replace_joint(m->builder, k, &def, m->error));
    if (status != BR_OK) return status;
    return br_mjcf_note(m, node, NULL, BR_IMPORT_NUMERICS,
                        "joint '%.60s' starts at %g, where the constraint holds", m->joint[joint].name,
                        position);
}

static br_status add_constraint(mjcf *m, const io_xml_node *node, const char *wish, const br_term_def *terms,
                                int count) {
    br_constraint_def def = {NULL, terms, count, br_function_constant(0.0)};
    br_status status = br_mjcf_free_name(m, &m->constraint_names, wish, &def.name);
    if (status == BR_OK) status = br_mjcf_placed(m, node, br_builder_constraint(m->builder, &def, m->error));
    return status == BR_OK ? br_mjcf_place(m, "constraints", def.name, node) : status;
}

// v1 = p'(q2 - ref2) v2
static br_status add_curve(mjcf *m, const io_xml_node *node, const char *wish, int one, int two,
                           const double a[5]) {
    char slope[512], x[BR_MAX_NAME + 64];
    snprintf(x, sizeof x, "('%s'.position - (%.17g))", m->joint[two].name, m->joint[two].ref);
    snprintf(slope, sizeof slope, "-(%.17g + %s*(%.17g + %s*(%.17g + %s*(%.17g))))", a[1], x, 2.0 * a[2], x,
             3.0 * a[3], x, 4.0 * a[4]);
    br_term_def term[2] = {{.joint = m->joint[one].name, .coefficient = br_function_constant(1.0)},
                           {.joint = m->joint[two].name, .coefficient = br_function_constant(0.0)}};
    term[1].coefficient.kind = BR_FUNCTION_EXPRESSION;
    term[1].coefficient.expression = slope;
    return add_constraint(m, node, wish, term, 2);
}

static br_status add_fixed(mjcf *m, const io_xml_node *node, const char *wish, int joint, double position) {
    br_drive_def drive = br_default_drive_def();
    drive.type = BR_DRIVE_POSITION;
    drive.joint = m->joint[joint].name;
    drive.target = br_function_constant(position);
    br_status status = br_mjcf_free_name(m, &m->drive_names, wish, &drive.name);
    if (status == BR_OK) status = br_mjcf_placed(m, node, br_builder_drive(m->builder, &drive, m->error));
    return status == BR_OK ? start_at(m, node, joint, position) : status;
}

static br_status drop_limits(mjcf *m, const io_xml_node *node, int joint, int other) {
    const int k = br_names_find(&m->builder->joint_names, m->joint[joint].name);
    if (k < 0) return BR_OK;
    br_joint_def def = m->builder->joint[k];
    def.lower[0] = -INFINITY, def.upper[0] = INFINITY;
    const br_status status = br_mjcf_placed(m, node, br_builder_replace_joint(m->builder, k, &def, m->error));
    if (status != BR_OK) return status;
    return br_mjcf_note(m, node, NULL, BR_IMPORT_NUMERICS,
                        "the limits of '%.50s' follow from those of '%.50s'", m->joint[joint].name,
                        m->joint[other].name);
}

// q1 = ref1 + a0 + a1 (q2 - ref2). Two stops of one freedom that are met at once share their force in no way that could be told, so
// those that the other joint's stops keep it from are left out; the tolerance is the rounding of numbers in a file.
static br_status drop_double_limits(mjcf *m, const io_xml_node *node, int one, int two, const double a[5]) {
    const mjcf_joint *j1 = &m->joint[one], *j2 = &m->joint[two];
    const double x = j1->ref + a[0] + a[1] * (j2->lower - j2->ref),
                 y = j1->ref + a[0] + a[1] * (j2->upper - j2->ref);
    const double low = fmin(x, y), high = fmax(x, y);
    const double slack = isfinite(low) && isfinite(high) ? 1e-6 * (high - low) : 0.0;
    if (!isfinite(j1->lower) && !isfinite(j1->upper)) return BR_OK;
    if (j1->lower <= low + slack && j1->upper >= high - slack) return drop_limits(m, node, one, two);
    if (low <= j1->lower + slack && high >= j1->upper - slack && (isfinite(low) || isfinite(high)))
        return drop_limits(m, node, two, one);
    return BR_OK;
}

// Without joint2: q1 = ref1 + a0. Else q1 - ref1 = p(q2 - ref2), a polynomial of the fourth order.
static br_status add_coupling(mjcf *m, mjcf_element e, br_joint_def *def) {
    double a[5] = {0.0, 1.0, 0.0, 0.0, 0.0};
    int one, two;
    br_status status = joint_of(m, e, "joint1", &one);
    if (status == BR_OK) status = joint_of(m, e, "joint2", &two);
    if (status == BR_OK) status = br_mjcf_numbers(m, e, "polycoef", 1, 5, a, NULL);
    if (status != BR_OK) return status;
    if (one < 0) return br_mjcf_fail(m, e.node, "mjcf-missing", "<joint> of <equality> has no joint1");
    if (one == two)
        return br_mjcf_fail(m, e.node, "mjcf-structure", "<joint> of <equality> connects '%s' to itself",
                            m->joint[one].name);
    const int curved = a[2] != 0.0 || a[3] != 0.0 || a[4] != 0.0;
    if (two < 0 || (a[1] == 0.0 && !curved))
        return add_fixed(m, e.node, def->name, one, m->joint[one].ref + a[0]);
    if (curved)
        status = add_curve(m, e.node, def->name, one, two, a);
    else {
        def->type = BR_JOINT_GEAR;
        def->first = m->joint[one].name;
        def->second = m->joint[two].name;
        def->ratio = -a[1];
        status = br_mjcf_placed(m, e.node, br_builder_joint(m->builder, def, m->error));
        if (status == BR_OK) status = drop_double_limits(m, e.node, one, two, a);
    }
    if (status != BR_OK) return status;
    return start_at(m, e.node, one,
                    m->joint[one].ref + polynomial(a, br_mjcf_start(m, two) - m->joint[two].ref));
}

// L1 - L1_0 = a0 + a1 (L2 - L2_0), of tendons, as L1' = a1 L2'.
static br_status add_tendons(mjcf *m, mjcf_element e, const char *wish) {
    double a[5] = {0.0, 1.0, 0.0, 0.0, 0.0};
    const mjcf_tendon *tendon[2] = {NULL, NULL};
    br_status status = br_mjcf_numbers(m, e, "polycoef", 1, 5, a, NULL);
    for (int k = 0; k < 2 && status == BR_OK; k++) {
        const char *attribute = k ? "tendon2" : "tendon1", *name = br_mjcf_get(m, e, attribute, NULL);
        if (!name && k == 0)
            return br_mjcf_fail(m, e.node, "mjcf-missing", "<tendon> of <equality> has no tendon1");
        if (!name) continue;
        const int i = br_names_find(&m->given_tendons, name);
        if (i < 0) return br_mjcf_unknown_name(m, e.node, attribute, name, &m->given_tendons);
        tendon[k] = &m->tendon[i];
    }
    if (status != BR_OK) return status;
    if (a[0] != 0.0 || a[2] != 0.0 || a[3] != 0.0 || a[4] != 0.0 || tendon[0]->parts == 0 ||
        (tendon[1] && tendon[1]->parts == 0))
        return br_mjcf_note(m, e.node, "polycoef", BR_IMPORT_MOTION,
                            "tendons are coupled linearly or not at all");
    br_term_def term[2] = {{.joint = tendon[0]->name, .coefficient = br_function_constant(1.0)},
                           {.joint = NULL}};
    if (tendon[1]) term[1].joint = tendon[1]->name, term[1].coefficient = br_function_constant(-a[1]);
    return add_constraint(m, e.node, wish, term, tendon[1] ? 2 : 1);
}

static br_status read_equality(mjcf *m, const io_xml_node *node) {
    const int connect = strcmp(node->name, "connect") == 0, weld = strcmp(node->name, "weld") == 0;
    const char *given = br_io_xml_get(node, "name");
    int active = 1;
    const int tendon = strcmp(node->name, "tendon") == 0;
    if (!connect && !weld && !tendon && strcmp(node->name, "joint") != 0)
        return br_mjcf_note(m, node, NULL, BR_IMPORT_MOTION,
                            "this kind of equality constraint is not represented");
    // Its defaults are those of <equality>, not of the joint or body element that shares its name.
    io_xml_node as_equality = *node;
    as_equality.name = "equality";
    mjcf_element e = {&as_equality, -1};
    br_status status = br_mjcf_element_of(m, &as_equality, -1, &e);
    if (status == BR_OK) status = br_mjcf_flag(m, e, "active", 0, &active);
    e.node = node;
    if (status == BR_OK) status = br_mjcf_check(m, (mjcf_element){node, -1}, equality_known);
    if (status != BR_OK) return status;
    if (!active || m->equality_off)
        return br_mjcf_note(m, node, NULL, BR_IMPORT_LOOKS,
                            active ? "a flag turns it off" : "it is not active");
    e.class = -1;
    if (tendon) return add_tendons(m, e, given && given[0] ? given : "tendon");
    br_joint_def def = br_default_joint_def();
    def.type = connect ? BR_JOINT_SPHERICAL : BR_JOINT_WELD;
    status = br_mjcf_free_name(m, &m->joint_names, given && given[0] ? given : node->name, &def.name);
    if (status == BR_OK) status = br_mjcf_place(m, "joints", def.name, node);
    if (status != BR_OK) return status;
    return connect || weld ? add_closure(m, e, &def) : add_coupling(m, e, &def);
}

// With loops the steps are of first order, as MuJoCo's own are: a step of second order looks at rows in its middle, where loops are not
// quite closed, and where a limit or the ground holds against a loop that little makes forces of 1e9 N.
br_status br_mjcf_read_links(mjcf *m) {
    br_status status = BR_OK;
    for (const io_xml_node *s = m->root->first; s && status == BR_OK; s = s->next) {
        if (strcmp(s->name, "equality") != 0) continue;
        for (const io_xml_node *c = s->first; c && status == BR_OK; c = c->next) status = read_equality(m, c);
    }
    if (status != BR_OK || m->closures == 0) return status;
    m->settings.solver.theta = 1.0;
    return br_builder_settings(m->builder, &m->settings, m->error);
}
