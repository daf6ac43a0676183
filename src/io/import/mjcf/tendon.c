// MJCF tendons. A fixed one is a weighted sum of joint positions, L = sum of coefficient q: its spring and damper, and the
// actuators that pull at it, are efforts on its joints, by expressions in their positions and velocities. Spatial ones,
// limits and friction are noted.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/import/mjcf/tendon.h"

static const mjcf_known fixed_known[] = {
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
    {"margin", BR_IMPORT_NUMERICS, "a setting of MuJoCo's constraint solver"},
    {"group", MJCF_USED, 0}, // for pictures and for the user
    {"width", MJCF_USED, 0},
    {"material", BR_IMPORT_LOOKS, "for pictures only"},
    {"rgba", BR_IMPORT_LOOKS, "for pictures only"},
    {"user", BR_IMPORT_LOOKS, "user data is not read"},
    {NULL, 0, NULL},
};

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

static br_status read_fixed(mjcf *m, const io_xml_node *node, mjcf_tendon *t) {
    int count = 0;
    br_status status = BR_OK;
    for (const io_xml_node *c = node->first; c; c = c->next) count++;
    mjcf_term *term = BR_TAKE(&m->arena, mjcf_term, count);
    if (!term) return br_mjcf_no_memory(m);
    for (const io_xml_node *c = node->first; c && status == BR_OK; c = c->next) {
        if (strcmp(c->name, "joint") != 0)
            return br_mjcf_fail(m, c, "mjcf-structure", "<%.40s> in a <fixed> tendon, expected <joint>",
                                c->name);
        status = read_term(m, c, &term[t->terms++]);
    }
    if (status == BR_OK && count == 0)
        status = br_mjcf_fail(m, node, "mjcf-structure", "<fixed> has no joints");
    t->term = term;
    return status;
}

static br_status read_tendon(mjcf *m, const io_xml_node *node) {
    const char *name = br_io_xml_get(node, "name");
    const int fixed = strcmp(node->name, "fixed") == 0;
    mjcf_tendon t = {.node = node};
    br_status status = BR_OK;
    if (!fixed)
        status = br_mjcf_note(m, node, NULL, BR_IMPORT_MOTION,
                              strcmp(node->name, "spatial") == 0 ? "tendons in space are not represented"
                                                                 : "this reader does not know the element");
    else
        status = read_fixed(m, node, &t);
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

// ---------------------------------------------------------------------------------------------------- expressions

static void append(char *out, const char *text) {
    const size_t used = strlen(out);
    snprintf(out + used, MJCF_EXPRESSION - used, "%s", text);
}

// The sum of factor times position (or velocity) of the joints.
static void append_sum(const mjcf *m, const mjcf_term *term, int terms, const char *of, char *out) {
    append(out, "(");
    for (int k = 0; k < terms; k++) {
        char text[BR_MAX_NAME + 64];
        snprintf(text, sizeof text, "%s%.17g*'%s'.%s", k ? " + " : "", term[k].coefficient,
                 m->joint[term[k].joint].name, of);
        append(out, text);
    }
    append(out, ")");
}

static void append_spring(const mjcf *m, const mjcf_term *term, int terms, const mjcf_force *f, char *out) {
    char text[80];
    snprintf(text, sizeof text, " - %.17g*(", f->stiffness);
    append(out, text);
    append_sum(m, term, terms, "position", out);
    if (f->slack_low < f->slack_high) { // beyond its ends only
        snprintf(text, sizeof text, " - min(%.17g, max(%.17g, ", f->slack_high, f->slack_low);
        append(out, text);
        append_sum(m, term, terms, "position", out);
        append(out, "))");
    } else {
        snprintf(text, sizeof text, " - (%.17g)", f->slack_low);
        append(out, text);
    }
    append(out, ")");
}

static void write_force(const mjcf *m, const mjcf_term *term, int terms, const mjcf_force *f, char *out) {
    char text[80];
    snprintf(out, MJCF_EXPRESSION, "%s%s", isfinite(f->low) ? "max(" : "", isfinite(f->high) ? "min(" : "");
    snprintf(text, sizeof text, "%.17g", f->constant);
    append(out, f->text ? f->text : text);
    if (f->stiffness != 0.0) append_spring(m, term, terms, f, out);
    if (f->damping != 0.0) {
        snprintf(text, sizeof text, " - %.17g*", f->damping);
        append(out, text);
        append_sum(m, term, terms, "velocity", out);
    }
    if (isfinite(f->high)) snprintf(text, sizeof text, ", %.17g)", f->high), append(out, text);
    if (isfinite(f->low)) snprintf(text, sizeof text, ", %.17g)", f->low), append(out, text);
}

br_status br_mjcf_pull(mjcf *m, const io_xml_node *node, const mjcf_term *term, int terms,
                       const mjcf_force *f, const char *name) {
    char force[MJCF_EXPRESSION];
    if (terms > MJCF_MAX_TERMS)
        return br_mjcf_note(m, node, NULL, BR_IMPORT_MOTION,
                            "tendons of more than %d joints are not represented", MJCF_MAX_TERMS);
    write_force(m, term, terms, f, force);
    br_status status = BR_OK;
    for (int k = 0; k < terms && status == BR_OK; k++) {
        char expression[MJCF_EXPRESSION + 64], wish[2 * BR_MAX_NAME];
        br_drive_def def = br_default_drive_def();
        if (term[k].coefficient == 0.0) continue;
        snprintf(expression, sizeof expression, "%.17g*(%s)", term[k].coefficient, force);
        snprintf(wish, sizeof wish, "%s_%s", name, m->joint[term[k].joint].name);
        status = br_mjcf_free_name(m, &m->drive_names, wish, &def.name);
        def.joint = m->joint[term[k].joint].name;
        def.type = BR_DRIVE_EFFORT;
        def.target = br_function_constant(0.0);
        def.target.kind = BR_FUNCTION_EXPRESSION;
        def.target.expression = expression;
        if (status == BR_OK) status = br_mjcf_placed(m, node, br_builder_drive(m->builder, &def, m->error));
        if (status == BR_OK) status = br_mjcf_place(m, "drives", def.name, node);
    }
    return status;
}

// -------------------------------------------------------------------------------------------------------- springs

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

static br_status note_range(mjcf *m, mjcf_element e, const mjcf_tendon *t) {
    const io_xml_node *node = t->node;
    double range[2] = {0.0, 0.0};
    int limited = 2, count;
    br_status status = br_mjcf_flag(m, e, "limited", 1, &limited);
    if (status == BR_OK) status = br_mjcf_numbers(m, e, "range", 2, 2, range, &count);
    if (status != BR_OK || limited == 0 || count == 0 || range[0] == range[1] || m->limit_off) return status;
    if (joints_keep(m, t, range[0], range[1]))
        return br_mjcf_note(m, node, "range", BR_IMPORT_LOOKS, "the limits of its joints keep it within");
    return br_mjcf_note(m, node, "range", BR_IMPORT_MOTION,
                        "tendons have no limits; give those of the joints");
}

static br_status add_tendon(mjcf *m, const mjcf_tendon *t) {
    io_xml_node as_tendon;
    mjcf_element e;
    mjcf_force f = mjcf_no_force();
    double rest[2] = {-1.0, -1.0};
    int count;
    br_status status = element_of(m, t->node, &as_tendon, &e);
    if (status == BR_OK) status = br_mjcf_check(m, e, fixed_known);
    if (status == BR_OK) status = note_range(m, e, t);
    if (status == BR_OK) status = br_mjcf_number(m, e, "stiffness", &f.stiffness);
    if (status == BR_OK) status = br_mjcf_number(m, e, "damping", &f.damping);
    if (status == BR_OK) status = br_mjcf_numbers(m, e, "springlength", 1, 2, rest, &count);
    if (m->spring_off) f.stiffness = 0.0;
    if (m->damper_off) f.damping = 0.0;
    if (status != BR_OK || (f.stiffness == 0.0 && f.damping == 0.0)) return status;
    if (f.stiffness < 0.0 || f.damping < 0.0)
        return br_mjcf_fail(m, t->node, "mjcf-range", "<fixed> %s is %g, expected >= 0",
                            f.stiffness < 0.0 ? "stiffness" : "damping",
                            f.stiffness < 0.0 ? f.stiffness : f.damping);
    if (count < 2) rest[1] = rest[0];
    if (rest[0] == -1.0 &&
        rest[1] == -1.0) { // MuJoCo's way to say: as long as it is where the joints are at springref
        rest[0] = 0.0;
        for (int k = 0; k < t->terms; k++)
            rest[0] += t->term[k].coefficient * m->joint[t->term[k].joint].rest;
        rest[1] = rest[0];
    }
    f.slack_low = rest[0];
    f.slack_high = rest[1];
    const char *name = br_io_xml_get(t->node, "name");
    return br_mjcf_pull(m, t->node, t->term, t->terms, &f, name && name[0] ? name : "tendon");
}

br_status br_mjcf_add_tendons(mjcf *m) {
    br_status status = BR_OK;
    for (int k = 0; k < m->tendons && status == BR_OK; k++)
        if (m->tendon[k].terms > 0) status = add_tendon(m, &m->tendon[k]);
    return status;
}
