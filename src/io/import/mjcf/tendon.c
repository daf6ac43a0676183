// MJCF tendons, as tendon joints: a fixed one is a weighted sum of joint positions, L = sum of coefficient q, a spatial one runs over
// sites, around geoms and over pulleys. Their friction and armature are noted.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/import/mjcf/tendon.h"

static const mjcf_known tendon_known[] = {
    {"name", MJCF_USED, 0},
    {"class", MJCF_USED, 0},
    {"stiffness", MJCF_USED, 0},
    {"damping", MJCF_USED, 0},
    {"springlength", MJCF_USED, 0},
    {"limited", MJCF_USED, 0},
    {"range", MJCF_USED, 0},
    {"frictionloss", BR_IMPORT_MOTION, "tendons do not rub"},
    {"armature", BR_IMPORT_MOTION, "tendons have no mass"},
    {"actuatorfrcrange", BR_IMPORT_MOTION,
     "the sum of a tendon's actuators has no limit; give each a forcerange"},
    {"actuatorfrclimited", BR_IMPORT_NUMERICS, "goes with actuatorfrcrange"},
    {"solreflimit", BR_IMPORT_NUMERICS, "a setting of MuJoCo's constraint solver"},
    {"solimplimit", BR_IMPORT_NUMERICS, "a setting of MuJoCo's constraint solver"},
    {"solreffriction", BR_IMPORT_NUMERICS, "a setting of MuJoCo's constraint solver"},
    {"solimpfriction", BR_IMPORT_NUMERICS, "a setting of MuJoCo's constraint solver"},
    {"margin", MJCF_USED, 0},
    {"group", MJCF_USED, 0}, // for pictures and for the user
    {"width", MJCF_USED, 0},
    {"material", BR_IMPORT_LOOKS, "for pictures only"},
    {"rgba", BR_IMPORT_LOOKS, "for pictures only"},
    {"user", BR_IMPORT_LOOKS, "user data is not read"},
    {NULL, 0, NULL},
};

static const mjcf_known site_part_known[] = {{"site", MJCF_USED, 0}, {NULL, 0, NULL}};
static const mjcf_known geom_part_known[] = {
    {"geom", MJCF_USED, 0}, {"sidesite", MJCF_USED, 0}, {NULL, 0, NULL}};
static const mjcf_known pulley_known[] = {{"divisor", MJCF_USED, 0}, {NULL, 0, NULL}};
static const mjcf_known term_known[] = {{"joint", MJCF_USED, 0}, {"coef", MJCF_USED, 0}, {NULL, 0, NULL}};

// Defaults of tendons are written <tendon>, whatever their kind.
static br_status element_of(const mjcf *m, const io_xml_node *node, io_xml_node *as_tendon,
                            mjcf_element *out) {
    *as_tendon = *node;
    as_tendon->name = "tendon";
    return br_mjcf_element_of(m, as_tendon, -1, out);
}

static br_status read_term(mjcf *m, const io_xml_node *node, mjcf_term *out) {
    const mjcf_element e = {node, -1};
    const char *name = br_io_xml_get(node, "joint");
    br_status status = br_mjcf_check(m, e, term_known);
    if (status == BR_OK && !name)
        status = br_mjcf_fail(m, node, "mjcf-missing", "<joint> of <fixed> names no joint");
    if (status == BR_OK && !br_io_xml_get(node, "coef"))
        status = br_mjcf_fail(m, node, "mjcf-missing", "<joint> of <fixed> has no coef");
    if (status == BR_OK) status = br_mjcf_number(m, e, "coef", &out->coefficient);
    if (status != BR_OK) return status;
    out->joint = br_mjcf_find_joint(m, name);
    if (out->joint < 0) return br_mjcf_unknown_name(m, node, "joint", name, &m->given_joints);
    const mjcf_joint_type type = m->joint[out->joint].type;
    if (type == MJCF_HINGE || type == MJCF_SLIDE) return BR_OK;
    return br_mjcf_fail(m, node, "mjcf-structure",
                        "<joint> of <fixed>: '%.60s' is not a hinge or slide joint", name);
}

static br_status read_fixed(mjcf *m, const io_xml_node *node, int count, mjcf_tendon *t) {
    br_status status = BR_OK;
    mjcf_term *term = BR_TAKE(&m->arena, mjcf_term, count);
    if (!term) return br_mjcf_no_memory(m);
    for (const io_xml_node *c = node->first; c && status == BR_OK; c = c->next) {
        if (strcmp(c->name, "joint") != 0)
            return br_mjcf_fail(m, c, "mjcf-structure", "<%.40s> in a <fixed> tendon, expected <joint>",
                                c->name);
        status = read_term(m, c, &term[t->terms]);
        if (status != BR_OK) break;
        t->part[t->parts++] = (br_tendon_part_def){.kind = BR_TENDON_JOINT,
                                                   .of = m->joint[term[t->terms].joint].name,
                                                   .pose = br_pose_identity(),
                                                   .factor = term[t->terms].coefficient};
        t->terms++;
    }
    t->term = term;
    return status;
}

// ------------------------------------------------------------------------------------------------- in space

static const char *body_name(const mjcf *m, int body) {
    return body < 0 ? BR_WORLD : m->body[body].name;
}

static br_status site_named(const mjcf *m, const io_xml_node *node, const char *attribute,
                            const mjcf_site **out) {
    const char *name = br_io_xml_get(node, attribute);
    const int k = name ? br_names_find(&m->given_sites, name) : -1;
    if (!name)
        return br_mjcf_fail(m, node, "mjcf-missing", "<%.40s> of <spatial> names no %s", node->name,
                            attribute);
    if (k < 0) return br_mjcf_unknown_name(m, node, attribute, name, &m->given_sites);
    *out = &m->site[k];
    return BR_OK;
}

static br_status read_site_part(mjcf *m, const io_xml_node *node, br_tendon_part_def *p) {
    const mjcf_site *site = NULL;
    br_status status = br_mjcf_check(m, (mjcf_element){node, -1}, site_part_known);
    if (status == BR_OK) status = site_named(m, node, "site", &site);
    if (status != BR_OK) return status;
    p->kind = BR_TENDON_POINT;
    p->of = body_name(m, site->body);
    p->pose = br_pose_of(br_quat_identity(), site->pose.position);
    return BR_OK;
}

static br_status read_geom_part(mjcf *m, const io_xml_node *node, br_tendon_part_def *p) {
    const char *name = br_io_xml_get(node, "geom");
    const mjcf_site *side = NULL;
    br_status status = br_mjcf_check(m, (mjcf_element){node, -1}, geom_part_known);
    if (status == BR_OK && !name)
        status = br_mjcf_fail(m, node, "mjcf-missing", "<geom> of <spatial> names no geom");
    if (status == BR_OK && br_io_xml_get(node, "sidesite")) status = site_named(m, node, "sidesite", &side);
    if (status != BR_OK) return status;
    const int k = br_names_find(&m->given_geoms, name);
    if (k < 0) return br_mjcf_unknown_name(m, node, "geom", name, &m->given_geoms);
    const mjcf_named_geom *g = &m->named_geom[k];
    if (g->geom.type != MJCF_GEOM_SPHERE && g->geom.type != MJCF_GEOM_CYLINDER)
        return br_mjcf_fail(
            m, node, "mjcf-structure",
            "<geom> of <spatial>: tendons go around spheres and cylinders, and '%.60s' is neither", name);
    p->kind = g->geom.type == MJCF_GEOM_SPHERE ? BR_TENDON_SPHERE : BR_TENDON_CYLINDER;
    p->of = body_name(m, g->body);
    p->pose = g->geom.pose;
    p->radius = g->geom.size[0];
    if (side) p->side_of = body_name(m, side->body), p->side = side->pose.position;
    return BR_OK;
}

static int is_point(const mjcf_tendon *t, int k) {
    return k >= 0 && k < t->parts && t->part[k].kind == BR_TENDON_POINT;
}

// A shape is gone around from one point to the next.
static br_status check_shapes(mjcf *m, const io_xml_node *node, const mjcf_tendon *t) {
    const io_xml_node *c = node->first;
    for (int k = 0; k < t->parts; k++, c = c->next) {
        if (is_point(t, k) || t->part[k].kind == BR_TENDON_PULLEY ||
            (is_point(t, k - 1) && is_point(t, k + 1)))
            continue;
        return br_mjcf_fail(m, c, "mjcf-structure",
                            "<geom> of <spatial> stands between two <site>s, which this one does not");
    }
    return BR_OK;
}

static br_status read_spatial(mjcf *m, const io_xml_node *node, mjcf_tendon *t) {
    br_status status = BR_OK;
    for (const io_xml_node *c = node->first; c && status == BR_OK; c = c->next) {
        br_tendon_part_def *p = &t->part[t->parts++];
        *p = (br_tendon_part_def){.pose = br_pose_identity(), .factor = 1.0};
        if (strcmp(c->name, "site") == 0) {
            status = read_site_part(m, c, p);
        } else if (strcmp(c->name, "geom") == 0) {
            status = read_geom_part(m, c, p);
        } else if (strcmp(c->name, "pulley") == 0) {
            p->kind = BR_TENDON_PULLEY;
            status = br_mjcf_check(m, (mjcf_element){c, -1}, pulley_known);
            if (status == BR_OK) status = br_mjcf_number(m, (mjcf_element){c, -1}, "divisor", &p->factor);
        } else {
            return br_mjcf_fail(m, c, "mjcf-structure",
                                "<%.40s> in a <spatial> tendon, expected <site>, <geom> or <pulley>",
                                c->name);
        }
    }
    return status == BR_OK ? check_shapes(m, node, t) : status;
}

// ----------------------------------------------------------------------------------------------- all of them

static br_status read_path(mjcf *m, const io_xml_node *node, mjcf_tendon *t) {
    const int fixed = strcmp(node->name, "fixed") == 0;
    int count = 0;
    if (!fixed && strcmp(node->name, "spatial") != 0)
        return br_mjcf_note(m, node, NULL, BR_IMPORT_MOTION, "this reader does not know the element");
    for (const io_xml_node *c = node->first; c; c = c->next) count++;
    if (count == 0)
        return br_mjcf_fail(m, node, "mjcf-structure", "<%s> has no %s", node->name,
                            fixed ? "joints" : "sites");
    t->part = BR_TAKE(&m->arena, br_tendon_part_def, count);
    if (!t->part) return br_mjcf_no_memory(m);
    return fixed ? read_fixed(m, node, count, t) : read_spatial(m, node, t);
}

static br_status read_tendon(mjcf *m, const io_xml_node *node) {
    const char *name = br_io_xml_get(node, "name");
    mjcf_tendon t = {.node = node};
    const br_status status = read_path(m, node, &t);
    if (status != BR_OK) return status;
    char made_up[32];
    snprintf(made_up, sizeof made_up, "%c%d", 1, m->tendons); // no name of a file
    const char *key = name && name[0] ? name : br_copy_text(&m->arena, made_up);
    const int found = key ? br_names_find(&m->given_tendons, key) : -1;
    if (found >= 0)
        return br_mjcf_fail(m, node, "mjcf-duplicate-name",
                            "a tendon named '%.60s' was already given on line %d", name,
                            m->tendon[found].node->line);
    if (!key || !BR_GROW(&m->arena, m->tendon, m->tendons, m->tendon_capacity) ||
        br_names_add(&m->given_tendons, &m->arena, key) != BR_OK)
        return br_mjcf_no_memory(m);
    m->tendon[m->tendons++] = t;
    return BR_OK;
}

br_status br_mjcf_read_tendons(mjcf *m) {
    br_status status = BR_OK;
    for (const io_xml_node *s = m->root->first; s && status == BR_OK; s = s->next) {
        if (strcmp(s->name, "tendon") != 0) continue;
        for (const io_xml_node *c = s->first; c && status == BR_OK; c = c->next) status = read_tendon(m, c);
    }
    return status;
}

// ------------------------------------------------------------------------------------------- springs and limits

// Whether the limits of its joints keep a tendon's length within low and high: then its own are never met.
static int joints_keep(const mjcf *m, const mjcf_tendon *t, double low, double high) {
    double least = 0.0, most = 0.0;
    for (int k = 0; k < t->terms; k++) {
        const mjcf_joint *j = &m->joint[t->term[k].joint];
        const double a = t->term[k].coefficient * j->lower, b = t->term[k].coefficient * j->upper;
        if (t->term[k].coefficient == 0.0) continue;
        least += fmin(a, b), most += fmax(a, b);
    }
    const double slack = 1e-9 * (high - low); // rounding of the sums
    return least >= low - slack && most <= high + slack;
}

static br_status read_limits(mjcf *m, mjcf_element e, const mjcf_tendon *t, br_joint_def *def) {
    double range[2] = {0.0, 0.0}, margin = 0.0;
    int limited = 2, count;
    br_status status = br_mjcf_flag(m, e, "limited", 1, &limited);
    if (status == BR_OK) status = br_mjcf_numbers(m, e, "range", 2, 2, range, &count);
    if (status == BR_OK) status = br_mjcf_number(m, e, "margin", &margin);
    if (limited == 2) limited = br_mjcf_scope(m, e.node)->auto_limits && count > 0 && range[0] != range[1];
    if (status != BR_OK || !limited || m->limit_off) return status;
    if (!(range[0] <= range[1]))
        return br_mjcf_fail(m, t->node, "mjcf-range",
                            "<%s> range is %g to %g, expected the smaller number first", t->node->name,
                            range[0], range[1]);
    if (t->terms > 0 && joints_keep(m, t, range[0], range[1]))
        return br_mjcf_note(m, t->node, "range", BR_IMPORT_LOOKS, "the limits of its joints keep it within");
    const double middle = 0.5 * (range[0] + range[1]); // see the limits of joints
    def->lower[0] = fmin(range[0] + margin, fmax(middle, range[0]));
    def->upper[0] = fmax(range[1] - margin, fmin(middle, range[1]));
    return BR_OK;
}

static br_status read_spring(mjcf *m, mjcf_element e, const mjcf_tendon *t, br_joint_def *def) {
    double rest[2] = {-1.0, -1.0};
    int count;
    br_status status = br_mjcf_number(m, e, "stiffness", &def->stiffness[0]);
    if (status == BR_OK) status = br_mjcf_number(m, e, "damping", &def->damping[0]);
    if (status == BR_OK) status = br_mjcf_numbers(m, e, "springlength", 1, 2, rest, &count);
    if (m->spring_off) def->stiffness[0] = 0.0;
    if (m->damper_off) def->damping[0] = 0.0;
    if (status != BR_OK || (def->stiffness[0] == 0.0 && def->damping[0] == 0.0)) return status;
    if (def->stiffness[0] < 0.0 || def->damping[0] < 0.0)
        return br_mjcf_fail(m, t->node, "mjcf-range", "<%s> %s is %g, expected >= 0", t->node->name,
                            def->stiffness[0] < 0.0 ? "stiffness" : "damping",
                            def->stiffness[0] < 0.0 ? def->stiffness[0] : def->damping[0]);
    if (count < 2) rest[1] = rest[0];
    if (rest[0] == -1.0 &&
        rest[1] == -1.0) { // MuJoCo's way to say: as long as it is where the joints are at springref
        status = br_mjcf_tendon_rest(m, t, &rest[0]);
        rest[1] = rest[0];
    }
    if (status == BR_OK && rest[0] > rest[1])
        return br_mjcf_fail(m, t->node, "mjcf-range",
                            "<%s> springlength is %g to %g, expected the smaller number first", t->node->name,
                            rest[0], rest[1]);
    if (def->stiffness[0] == 0.0) return status;
    def->rest[0] = rest[0];
    def->slack = rest[1] - rest[0];
    return status;
}

static br_status add_tendon(mjcf *m, mjcf_tendon *t) {
    io_xml_node as_tendon;
    mjcf_element e;
    const char *given = br_io_xml_get(t->node, "name");
    br_joint_def def = br_default_joint_def();
    br_status status = element_of(m, t->node, &as_tendon, &e);
    if (status == BR_OK) status = br_mjcf_check(m, e, tendon_known);
    if (status == BR_OK)
        status = br_mjcf_free_name(m, &m->joint_names, given && given[0] ? given : "tendon", &t->name);
    if (status == BR_OK) status = read_limits(m, e, t, &def);
    if (status == BR_OK) status = read_spring(m, e, t, &def);
    if (status != BR_OK) return status;
    def.name = t->name;
    def.type = BR_JOINT_TENDON;
    def.path = t->part;
    def.path_count = t->parts;
    status = br_mjcf_placed(m, t->node, br_builder_joint(m->builder, &def, m->error));
    return status == BR_OK ? br_mjcf_place(m, "joints", def.name, t->node) : status;
}

br_status br_mjcf_add_tendons(mjcf *m) {
    br_status status = BR_OK;
    for (int k = 0; k < m->tendons && status == BR_OK; k++)
        if (m->tendon[k].parts > 0) status = add_tendon(m, &m->tendon[k]);
    return status;
}
