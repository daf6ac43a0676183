// Friction of MJCF geoms as materials and pairs, and the bodies that never collide.
//
// In MuJoCo two geoms share a contact's friction: of the one with the higher priority, else, number by number, the larger
// of both; and so for condim: 1 no friction, 3 sliding, 4 torsion too, 6 rolling too. Every different kind of geom is a
// material here, and every two of them a pair.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/import/mjcf/mjcf.h"

enum { MJCF_MAX_SURFACES = 200 }; // different frictions: their pairs are listed one by one

// ------------------------------------------------------------------------------------------------------- surfaces

static const mjcf_surface usual = {3, 0, {1.0, 0.005, 0.0001}, 0, NULL}; // MuJoCo's defaults

// One friction number given leaves the others as the outer class has them.
static br_status read_friction(const mjcf *m, mjcf_element e, int class, double *out) {
    if (class >= 0) {
        const io_xml_node bare = {.name = e.node->name, .file = e.node->file, .line = e.node->line};
        const br_status status = read_friction(m, e, m->class[class].parent, out);
        if (status != BR_OK) return status;
        return br_mjcf_numbers(m, (mjcf_element){&bare, class}, "friction", 1, 3, out, NULL);
    }
    return BR_OK;
}

// After whom it is called: the default class its friction is from, or the geom itself.
static const char *wish_of(const mjcf *m, mjcf_element e, const mjcf_surface *s) {
    static const char *const decides[] = {"friction", "condim", "priority"};
    const char *own = br_io_xml_get(e.node, "name");
    if (s->own && own) return own;
    if (s->condim == usual.condim && s->priority == usual.priority &&
        memcmp(s->friction, usual.friction, sizeof s->friction) == 0)
        return "default";
    for (size_t k = 0; k < sizeof decides / sizeof *decides; k++) {
        const io_xml_node *from;
        if (!br_mjcf_get(m, e, decides[k], &from) || from == e.node) continue;
        const char *class = from->parent ? br_io_xml_get(from->parent, "class") : NULL;
        if (class) return class;
    }
    return own && own[0] ? own : "surface";
}

static int same(const mjcf_surface *a, const mjcf_surface *b) {
    return a->own == b->own && a->condim == b->condim && a->priority == b->priority &&
           memcmp(a->friction, b->friction, sizeof a->friction) == 0;
}

br_status br_mjcf_surface_of(mjcf *m, mjcf_element e, int paired, int *out) {
    mjcf_surface s = usual;
    double condim = usual.condim, priority = usual.priority;
    br_status status = read_friction(m, e, e.class, s.friction);
    if (status == BR_OK) status = br_mjcf_numbers(m, e, "friction", 1, 3, s.friction, NULL);
    if (status == BR_OK) status = br_mjcf_number(m, e, "condim", &condim);
    if (status == BR_OK) status = br_mjcf_number(m, e, "priority", &priority);
    if (status != BR_OK) return status;
    if (condim != 1.0 && condim != 3.0 && condim != 4.0 && condim != 6.0)
        return br_mjcf_fail(m, e.node, "mjcf-range", "<geom> condim is %g, expected 1, 3, 4 or 6", condim);
    if (priority != floor(priority) || fabs(priority) > 1e9)
        return br_mjcf_fail(m, e.node, "mjcf-range", "<geom> priority is %g, expected a whole number",
                            priority);
    s.condim = (int)condim;
    s.priority = (int)priority;
    s.own = paired;
    for (*out = 0; *out < m->surfaces; ++*out)
        if (same(&m->surface[*out], &s)) return BR_OK;
    if (m->surfaces >= MJCF_MAX_SURFACES)
        return br_mjcf_fail(m, e.node, "mjcf-range", "there are more than %d different frictions of geoms",
                            MJCF_MAX_SURFACES);
    if (!BR_GROW(&m->arena, m->surface, m->surfaces, m->surface_capacity)) return br_mjcf_no_memory(m);
    status = br_mjcf_free_name(m, &m->surface_names, wish_of(m, e, &s), &s.name);
    if (status == BR_OK) m->surface[m->surfaces++] = s;
    return status;
}

static br_pair_def pair_of(const mjcf_surface *a, const mjcf_surface *b) {
    br_pair_def pair = br_default_pair_def();
    mjcf_surface s = a->priority >= b->priority ? *a : *b;
    if (a->priority == b->priority) {
        s.condim = a->condim > b->condim ? a->condim : b->condim;
        for (int k = 0; k < 3; k++) s.friction[k] = fmax(a->friction[k], b->friction[k]);
    }
    pair.first = a->name;
    pair.second = b->name;
    pair.mu_static = pair.mu_kinetic = s.condim >= 3 ? s.friction[0] : 0.0;
    pair.torsion = s.condim >= 4 ? s.friction[1] : 0.0;
    pair.rolling = s.condim >= 6 ? s.friction[2] : 0.0;
    return pair;
}

static br_pair_def own_or(const mjcf *m, const mjcf_surface *a, const mjcf_surface *b) {
    for (int k = 0; a->own && b->own && k < m->own_pairs; k++) {
        const br_pair_def *own = &m->own_pair[k];
        if ((strcmp(own->first, a->name) == 0 && strcmp(own->second, b->name) == 0) ||
            (strcmp(own->first, b->name) == 0 && strcmp(own->second, a->name) == 0))
            return *own;
    }
    return pair_of(a, b);
}

static br_status add_materials(mjcf *m) {
    br_status status = BR_OK;
    for (int k = 0; k < m->surfaces && status == BR_OK; k++)
        status = br_builder_material(m->builder, m->surface[k].name, m->error);
    for (int a = 0; a < m->surfaces; a++)
        for (int b = a; b < m->surfaces && status == BR_OK; b++) {
            const br_pair_def pair = own_or(m, &m->surface[a], &m->surface[b]);
            status = br_builder_pair(m->builder, &pair, m->error);
        }
    return status;
}

// -------------------------------------------------------------------------------------------------------- exclude

typedef struct exclude_list {
    const char *(*pair)[2];
    int count, capacity;
} exclude_list;

static const mjcf_known exclude_known[] = {
    {"name", MJCF_USED, 0}, {"body1", MJCF_USED, 0}, {"body2", MJCF_USED, 0}, {NULL, 0, NULL}};

static br_status read_exclude(mjcf *m, const io_xml_node *node, exclude_list *list) {
    const char *name[2];
    br_status status = br_mjcf_check(m, (mjcf_element){node, -1}, exclude_known);
    for (int k = 0; k < 2 && status == BR_OK; k++) {
        const char *given = br_io_xml_get(node, k ? "body2" : "body1");
        if (!given)
            return br_mjcf_fail(m, node, "mjcf-missing", "<exclude> has no %s", k ? "body2" : "body1");
        const int body = br_mjcf_find_body(m, given);
        if (body < 0 && strcmp(given, "world") != 0) {
            const char *near = br_names_nearest(&m->given_bodies, given);
            return br_mjcf_fail(m, node, "mjcf-unknown-name", "<exclude> %s: there is no '%.60s'%s%.60s%s",
                                k ? "body2" : "body1", given, near ? "; did you mean '" : "",
                                near ? near : "", near ? "'?" : "");
        }
        name[k] = body < 0 ? BR_WORLD : m->body[body].name;
    }
    if (status != BR_OK || strcmp(name[0], name[1]) == 0) return status;
    if (!BR_GROW(&m->arena, list->pair, list->count, list->capacity)) return br_mjcf_no_memory(m);
    list->pair[list->count][0] = name[0];
    list->pair[list->count++][1] = name[1];
    return BR_OK;
}

static br_status read_section(mjcf *m, const io_xml_node *section, exclude_list *list) {
    br_status status = BR_OK;
    for (const io_xml_node *c = section->first; c && status == BR_OK; c = c->next) {
        if (strcmp(c->name, "exclude") == 0)
            status = read_exclude(m, c, list);
        else if (strcmp(c->name, "pair") == 0)
            continue; // mjcf/pair.c
        else
            status = br_mjcf_note(m, c, NULL, BR_IMPORT_MOTION, "this reader does not know the element");
    }
    return status;
}

br_status br_mjcf_read_contact(mjcf *m) {
    exclude_list list = {NULL, 0, 0};
    br_status status = br_mjcf_read_pairs(m);
    if (status == BR_OK) status = add_materials(m);
    const io_xml_node *place = m->root;
    for (const io_xml_node *c = m->root->first; c && status == BR_OK; c = c->next)
        if (strcmp(c->name, "contact") == 0) status = read_section(m, place = c, &list);
    if (status != BR_OK || (list.count == 0 && m->shapes == 0)) return status;
    if (m->shapes > 0) m->settings.contact_joined = m->joined;
    m->settings.contact_exclude = (const char *const(*)[2])list.pair;
    m->settings.contact_exclude_count = list.count;
    return br_mjcf_placed(m, place, br_builder_settings(m->builder, &m->settings, m->error));
}
