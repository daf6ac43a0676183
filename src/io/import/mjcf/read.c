// The MJCF file as a whole: settings, and the order in which its sections are read.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "io/import/mjcf/mjcf.h"
#include "io/text/beside.h"
#include "io/text/text.h"

// -------------------------------------------------------------------------------------------------- settings

static const mjcf_known compiler_known[] = {
    {"angle", MJCF_USED, 0},
    {"eulerseq", MJCF_USED, 0},
    {"autolimits", MJCF_USED, 0},
    {"coordinate", MJCF_USED, 0},
    {"inertiafromgeom", MJCF_USED, 0},
    {"inertiagrouprange", MJCF_USED, 0},
    {"boundmass", MJCF_USED, 0},
    {"boundinertia", MJCF_USED, 0},
    {"balanceinertia", MJCF_USED, 0},
    {"settotalmass", MJCF_USED, 0},
    {"meshdir", MJCF_USED, 0},
    {"assetdir", MJCF_USED, 0},
    {"strippath", MJCF_USED, 0},
    {"texturedir", BR_IMPORT_LOOKS,
     "for pictures only"}, // from here on for pictures, and for what is done otherwise
    {"discardvisual", BR_IMPORT_NUMERICS, "how MuJoCo builds its model; this reader has its own way"},
    {"convexhull", BR_IMPORT_NUMERICS, "how MuJoCo builds its model; this reader has its own way"},
    {"exactmeshinertia", MJCF_USED, 0},
    {"fitaabb", BR_IMPORT_NUMERICS, "how MuJoCo builds its model; this reader has its own way"},
    {"usethread", BR_IMPORT_NUMERICS, "how MuJoCo builds its model; this reader has its own way"},
    {"saveinertial", BR_IMPORT_NUMERICS, "how MuJoCo builds its model; this reader has its own way"},
    {"fusestatic", BR_IMPORT_LOOKS, "bodies without joints are kept as bodies"},
    {"alignfree", BR_IMPORT_MOTION, "frames of free bodies are kept as written"},
    {NULL, 0, NULL},
};

static br_status check_euler(mjcf *m, const io_xml_node *node, mjcf_scope *s) {
    const char *sequence = br_io_xml_get(node, "eulerseq");
    if (!sequence) return BR_OK;
    if (strlen(sequence) != 3 || strspn(sequence, "xyzXYZ") != 3)
        return br_mjcf_fail(m, node, "mjcf-word",
                            "<compiler> eulerseq is '%.20s', expected three of x, y, z, X, Y, Z", sequence);
    memcpy(s->euler, sequence, 4);
    return BR_OK;
}

static br_status read_compiler(mjcf *m, const io_xml_node *node) {
    static const char *const angles[] = {"radian", "degree"};
    static const char *const coordinates[] = {"local"};
    static const char *const from_geom[] = {"false", "auto", "true"};
    const mjcf_element e = {node, -1};
    int angle = -1, coordinate = 0;
    mjcf_scope *s = &m->scope[node->scope];
    double group[2] = {s->group_low, s->group_high};
    br_status status = br_mjcf_check(m, e, compiler_known);
    if (status == BR_OK) status = br_mjcf_word(m, e, "angle", angles, 2, &angle);
    if (status == BR_OK) status = check_euler(m, node, s);
    if (status == BR_OK) status = br_mjcf_word(m, e, "coordinate", coordinates, 1, &coordinate);
    if (status == BR_OK) status = br_mjcf_flag(m, e, "autolimits", 0, &s->auto_limits);
    if (status == BR_OK) status = br_mjcf_flag(m, e, "balanceinertia", 0, &s->balance_inertia);
    if (status == BR_OK) status = br_mjcf_word(m, e, "inertiafromgeom", from_geom, 3, &s->inertia_from_geom);
    if (status == BR_OK) status = br_mjcf_numbers(m, e, "inertiagrouprange", 2, 2, group, NULL);
    if (status == BR_OK) status = br_mjcf_number(m, e, "boundmass", &s->bound_mass);
    if (status == BR_OK) status = br_mjcf_number(m, e, "boundinertia", &s->bound_inertia);
    if (status == BR_OK && node->scope == 0) status = br_mjcf_number(m, e, "settotalmass", &m->total_mass);
    if (status == BR_OK) status = br_mjcf_flag(m, e, "strippath", 0, &s->strip_path);
    if (status == BR_OK) status = br_mjcf_flag(m, e, "exactmeshinertia", 0, &s->exact_mesh);
    const char *folder =
        br_io_xml_get(node, "meshdir") ? br_io_xml_get(node, "meshdir") : br_io_xml_get(node, "assetdir");
    if (folder && folder[0]) s->mesh_folder = folder;
    if (status != BR_OK) return status;
    if (angle >= 0) s->angle = angle == 0 ? 1.0 : BR_PI / 180.0;
    s->group_low = group[0] > 0.0 ? (group[0] < 100.0 ? (int)group[0] : 100) : 0;
    s->group_high = group[1] < 100.0 ? (group[1] > -1.0 ? (int)group[1] : -1) : 100;
    return BR_OK;
}

static const char numerics[] = "a setting of MuJoCo's own integrator, contact solver or memory";
static const mjcf_known option_known[] = {
    {"timestep", MJCF_USED, 0},
    {"gravity", MJCF_USED, 0},
    {"wind", BR_IMPORT_MOTION, "there is no medium around the bodies"},
    {"density", BR_IMPORT_MOTION, "there is no medium around the bodies"},
    {"viscosity", BR_IMPORT_MOTION, "there is no medium around the bodies"},
    {"magnetic", BR_IMPORT_LOOKS, "only magnetometers read it"},
    {"o_margin", BR_IMPORT_NUMERICS, numerics},
    {"o_solref", BR_IMPORT_NUMERICS, numerics},
    {"o_solimp", BR_IMPORT_NUMERICS, numerics},
    {"o_friction", BR_IMPORT_NUMERICS, numerics},
    {"integrator", BR_IMPORT_NUMERICS, numerics},
    {"collision", BR_IMPORT_NUMERICS, numerics},
    {"cone", BR_IMPORT_NUMERICS, numerics},
    {"jacobian", BR_IMPORT_NUMERICS, numerics},
    {"solver", BR_IMPORT_NUMERICS, numerics},
    {"iterations", BR_IMPORT_NUMERICS, numerics},
    {"tolerance", BR_IMPORT_NUMERICS, numerics},
    {"ls_iterations", BR_IMPORT_NUMERICS, numerics},
    {"ls_tolerance", BR_IMPORT_NUMERICS, numerics},
    {"noslip_iterations", BR_IMPORT_NUMERICS, numerics},
    {"noslip_tolerance", BR_IMPORT_NUMERICS, numerics},
    {"ccd_iterations", BR_IMPORT_NUMERICS, numerics},
    {"ccd_tolerance", BR_IMPORT_NUMERICS, numerics},
    {"mpr_iterations", BR_IMPORT_NUMERICS, numerics},
    {"mpr_tolerance", BR_IMPORT_NUMERICS, numerics},
    {"sdf_iterations", BR_IMPORT_NUMERICS, numerics},
    {"sdf_initpoints", BR_IMPORT_NUMERICS, numerics},
    {"sleep_tolerance", BR_IMPORT_NUMERICS, numerics},
    {"apirate", BR_IMPORT_NUMERICS, numerics},
    {"impratio", BR_IMPORT_NUMERICS, numerics},
    {"actuatorgroupdisable", MJCF_USED, 0},
    {NULL, 0, NULL},
};

// Switches that are on unless turned off.
static int is_on_anyway(const char *name) {
    static const char *const names[] = {"constraint", "equality", "frictionloss", "limit",       "contact",
                                        "passive",    "spring",   "damper",       "gravity",     "clampctrl",
                                        "actuation",  "refsafe",  "warmstart",    "filterparent"};
    size_t k = 0;
    while (k < sizeof names / sizeof *names && strcmp(names[k], name) != 0) k++;
    return k < sizeof names / sizeof *names;
}

static int disabled(const io_xml_node *node, const char *name) {
    const char *value = br_io_xml_get(node, name);
    return value && strcmp(value, "disable") == 0;
}

// Switches that change the motion when they are turned to this and are not represented.
static const struct {
    const char *name, *turned, *why;
} switches[] = {
    {"override", "enable", "contacts have the numbers of their materials"},
};

// What a switch turns off here.
static int turn_off(mjcf *m, const char *name) {
    const struct {
        const char *name;
        int *first, *second;
    } parts[] = {
        {"contact", &m->contact_off, NULL},
        {"spring", &m->spring_off, NULL},
        {"damper", &m->damper_off, NULL},
        {"passive", &m->spring_off, &m->damper_off},
        {"limit", &m->limit_off, NULL},
        {"frictionloss", &m->friction_off, NULL},
        {"equality", &m->equality_off, NULL},
        {"actuation", &m->actuation_off, NULL},
        {"clampctrl", &m->clamp_off, NULL},
        {"constraint", &m->limit_off, &m->friction_off},
        {"constraint", &m->equality_off, &m->contact_off},
    };
    int known = strcmp(name, "gravity") == 0;
    if (known) m->settings.gravity = br_vec3_zero();
    if (strcmp(name, "filterparent") == 0) known = 1, m->joined = BR_JOINED_TOUCH;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        if (strcmp(parts[k].name, name) != 0) continue;
        known = *parts[k].first = 1;
        if (parts[k].second) *parts[k].second = 1;
    }
    return known;
}

static br_status read_flag(mjcf *m, const io_xml_node *node) {
    br_status status = BR_OK;
    int others = 0;
    if (strcmp(node->name, "flag") != 0)
        return br_mjcf_note(m, node, NULL, BR_IMPORT_MOTION, "this reader does not know the element");
    for (int a = 0; a < node->attributes && status == BR_OK; a++) {
        const char *name = node->attribute[a].name, *value = node->attribute[a].value;
        const size_t count = sizeof switches / sizeof *switches;
        size_t k = 0;
        while (k < count && strcmp(name, switches[k].name) != 0) k++;
        if (k < count && strcmp(value, switches[k].turned) == 0)
            status = br_mjcf_note(m, node, name, BR_IMPORT_MOTION, "%s", switches[k].why);
        const int off = disabled(node, name) && turn_off(m, name);
        others += k == count && !off && strcmp(value, "enable") != 0;
        others += k == count && strcmp(value, "enable") == 0 && !is_on_anyway(name);
    }
    if (status == BR_OK && others > 0)
        status =
            br_mjcf_note(m, node, NULL, BR_IMPORT_NUMERICS, "switches of MuJoCo's own solver are not read");
    return status;
}

// The groups of actuators that do nothing.
static br_status read_groups_off(mjcf *m, const io_xml_node *node) {
    double *group;
    int count;
    const br_status status =
        br_mjcf_list(m, (mjcf_element){node, -1}, "actuatorgroupdisable", &group, &count);
    if (status != BR_OK) return status;
    for (int k = 0; k < count; k++) {
        if (!(group[k] >= 0.0 && group[k] <= 30.0) || group[k] != floor(group[k]))
            return br_mjcf_fail(m, node, "mjcf-range",
                                "<option> actuatorgroupdisable names group %g, expected 0 to 30", group[k]);
        m->groups_off |= 1U << (unsigned)group[k];
    }
    return BR_OK;
}

static br_status read_option(mjcf *m, const io_xml_node *node) {
    const mjcf_element e = {node, -1};
    br_status status = br_mjcf_check(m, e, option_known);
    if (status == BR_OK) status = br_mjcf_vector(m, e, "gravity", &m->settings.gravity);
    if (status == BR_OK) status = br_mjcf_number(m, e, "timestep", &m->settings.solver.step);
    if (status == BR_OK && !(m->settings.solver.step > 0.0))
        status = br_mjcf_fail(m, node, "mjcf-range", "<option> timestep is %g, expected > 0",
                              m->settings.solver.step);
    if (status == BR_OK) status = read_groups_off(m, node);
    for (const io_xml_node *c = node->first; c && status == BR_OK; c = c->next) status = read_flag(m, c);
    return status;
}

// Sections without influence on rigid motion, and those with one that is not represented.
static const mjcf_known section_known[] = {
    {"compiler", MJCF_USED, 0},
    {"option", MJCF_USED, 0},
    {"default", MJCF_USED, 0},
    {"worldbody", MJCF_USED, 0},
    {"equality", MJCF_USED, 0},
    {"actuator", MJCF_USED, 0},
    {"size", BR_IMPORT_NUMERICS, numerics},
    {"statistic", BR_IMPORT_LOOKS, "only pictures need it"},
    {"visual", BR_IMPORT_LOOKS, "only pictures need it"},
    {"asset", MJCF_USED, 0}, // meshes and height fields, where geoms name them; the rest is for pictures
    {"contact", MJCF_USED, 0},
    {"custom", BR_IMPORT_LOOKS, "user data is not read"},
    {"sensor", MJCF_USED, 0},
    {"keyframe", MJCF_USED, 0},
    {"tendon", MJCF_USED, 0},
    {"deformable", BR_IMPORT_MOTION, "deformable bodies are not represented"},
    {"extension", BR_IMPORT_MOTION, "plugins are not represented"},
    {NULL, 0, NULL},
};

static br_status check_sections(mjcf *m) {
    static const mjcf_known root_known[] = {{"model", MJCF_USED, 0}, {NULL, 0, NULL}};
    br_status status = br_mjcf_check(m, (mjcf_element){m->root, -1}, root_known);
    for (const io_xml_node *c = m->root->first; c && status == BR_OK; c = c->next) {
        const mjcf_known *known = section_known;
        while (known->name && strcmp(known->name, c->name) != 0) known++;
        if (!known->name)
            status = br_mjcf_note(m, c, NULL, BR_IMPORT_MOTION, "this reader does not know the section");
        else if (known->effect != MJCF_USED && (c->first || c->attributes > 0))
            status = br_mjcf_note(m, c, NULL, (br_import_effect)known->effect, "%s", known->why);
    }
    return status;
}

// MuJoCo's own defaults, where they differ from bristle's.
static void set_defaults(mjcf *m, const char *name) {
    m->total_mass = -1.0;
    m->settings = br_default_settings();
    m->settings.name = name;
    m->settings.solver.step = 0.002;
    m->joined = BR_JOINED_MOVING;
}

br_status br_mjcf_begin_scope(mjcf *m, const io_xml_node *root, const char *path) {
    if (!BR_GROW(&m->arena, m->scope, m->scopes, m->scope_capacity)) return br_mjcf_no_memory(m);
    m->scope[m->scopes++] = (mjcf_scope){.root = root,
                                         .path = path,
                                         .angle = BR_PI / 180.0,
                                         .euler = "xyz",
                                         .auto_limits = 1,
                                         .inertia_from_geom = 1,
                                         .group_high = 5,
                                         .main_class = -1};
    return BR_OK;
}

// Of a file that is attached: how it is to be read, and its other settings, which do not count.
static br_status attached_settings(mjcf *m, int scope) {
    br_status status = BR_OK;
    for (const io_xml_node *c = m->scope[scope].root->first; c && status == BR_OK; c = c->next) {
        if (c->scope != scope) continue; // of what it attaches itself
        if (strcmp(c->name, "compiler") == 0) status = read_compiler(m, c);
        if (strcmp(c->name, "option") == 0)
            status = br_mjcf_note(m, c, NULL, BR_IMPORT_NUMERICS,
                                  "options of an attached file do not count, as in MuJoCo");
        if (strcmp(c->name, "keyframe") == 0)
            status = br_mjcf_note(m, c, NULL, BR_IMPORT_NUMERICS,
                                  "keyframes of an attached file are not taken over");
    }
    return status;
}

br_status br_mjcf_settings(mjcf *m) {
    const char *name = br_io_xml_get(m->root, "model"), *own = NULL;
    br_names none = {0};
    br_status status = br_mjcf_free_name(m, &none, name && name[0] ? name : "mujoco_model", &own);
    if (status != BR_OK) return status;
    set_defaults(m, own);
    status = check_sections(m);
    const io_xml_node *place = m->root;
    for (const io_xml_node *c = m->root->first; c && status == BR_OK; c = c->next) {
        if (strcmp(c->name, "compiler") == 0) status = read_compiler(m, c);
        if (strcmp(c->name, "option") == 0) status = read_option(m, place = c);
        if (strcmp(c->name, "default") == 0) status = br_mjcf_read_defaults(m, c);
    }
    for (int k = 1; k < m->scopes && status == BR_OK; k++) status = attached_settings(m, k);
    if (status == BR_OK)
        status = br_mjcf_placed(m, place, br_builder_settings(m->builder, &m->settings, m->error));
    return status;
}

// ----------------------------------------------------------------------------------------------------- whole

static br_status mjcf_read_all(mjcf *m, const char *path) {
    br_status status = br_mjcf_load(m, path);
    if (status == BR_OK) status = br_mjcf_attach(m);
    if (status == BR_OK) status = br_mjcf_settings(m);
    if (status == BR_OK) status = br_mjcf_read_assets(m);
    if (status == BR_OK) status = br_mjcf_replicate(m);
    if (status == BR_OK) status = br_mjcf_list_pairs(m);
    if (status == BR_OK) status = br_mjcf_read_bodies(m);
    if (status == BR_OK) status = br_mjcf_scale_masses(m);
    if (status == BR_OK) status = br_mjcf_name_all(m);
    if (status == BR_OK) status = br_mjcf_read_contact(m);
    if (status == BR_OK) status = br_mjcf_read_keyframes(m);
    if (status == BR_OK) status = br_mjcf_read_tendons(m);
    if (status == BR_OK) status = br_mjcf_build(m);
    if (status == BR_OK) status = br_mjcf_add_tendons(m);
    if (status == BR_OK) status = br_mjcf_read_links(m);
    if (status == BR_OK) status = br_mjcf_read_actuators(m);
    if (status == BR_OK) status = br_mjcf_read_sensors(m);
    if (status == BR_OK) status = br_mjcf_tell_mesh_rule(m);
    return status;
}

static br_status read_job(const io_import_job *j) {
    mjcf m = {.error = j->error, .options = j->options, .report = j->report, .builder = j->builder};
    br_arena_init(&m.arena, j->allocator);
    const br_status status = mjcf_read_all(&m, j->path);
    br_arena_free(&m.arena);
    return status;
}

br_status br_mjcf_read(const char *path, const br_import_options *options, const br_allocator *allocator,
                       br_builder **out, br_import_report **report, br_error *error) {
    return br_io_import_read(path, options, allocator, read_job, out, report, error);
}
