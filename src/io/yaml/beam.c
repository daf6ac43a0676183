// Beams: their line, section, attachments and motion.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/yaml/fields.h"

// ------------------------------------------------------------------------------------------------------- the line

static void read_points(yaml_reader *r, const yaml_node *node, br_beam_def *def) {
    br_yaml_expect_list(r, node, -1, "points [x, y, z]");
    if (r->status != BR_OK) return;
    br_vec3 *points = BR_TAKE(r->arena, br_vec3, node->count);
    if (!points) {
        br_yaml_no_memory(r);
        return;
    }
    for (const yaml_node *item = node->first; item && r->status == BR_OK; item = item->next)
        br_yaml_vec3(r, item, BR_DIM_LENGTH, points + item->index);
    def->points = points;
    def->point_count = node->count;
}

static void read_line(yaml_reader *r, const yaml_node *node, const char *what, br_beam_def *def) {
    static const char *const forms[] = {"points", "arc", "spline", "from", NULL};
    static const br_line_kind kinds[] = {BR_LINE_POLYGON, BR_LINE_ARC, BR_LINE_SPLINE, BR_LINE_POLYGON};
    int which = 3;
    const yaml_node *form = br_yaml_one_of(r, node, what, forms, &which), *to = br_yaml_find(node, "to");
    if (r->status != BR_OK) return;
    if (form && which < 3 && to)
        br_yaml_fault(r, to->key, "yaml-conflict", "%s has both %s and to, expected one of them", what,
                      forms[which]);
    if (!form)
        br_yaml_fault(r, node, "yaml-missing-key",
                      "%s has no line; write from: [x, y, z] and to: [x, y, z], or points, arc or spline",
                      what);
    def->line = kinds[which];
    if (r->status != BR_OK) return;
    if (which < 3) {
        read_points(r, form, def);
        return;
    }
    br_vec3 *points = BR_TAKE(r->arena, br_vec3, 2);
    if (!points) {
        br_yaml_no_memory(r);
        return;
    }
    br_yaml_vec3(r, form, BR_DIM_LENGTH, &points[0]);
    br_yaml_vec3(r, br_yaml_need(r, node, what, "to", "[x, y, z]"), BR_DIM_LENGTH, &points[1]);
    def->points = points;
    def->point_count = 2;
}

// ---------------------------------------------------------------------------------------------------- the section

// One number for both axes, or [y, z].
static void read_pair(yaml_reader *r, const yaml_node *node, br_dimension dimension, double *y, double *z) {
    double v[2] = {0.0, 0.0};
    if (r->status != BR_OK || !node) return;
    if (node->kind == YAML_SCALAR) {
        br_yaml_number(r, node, dimension, 0, &v[0]);
        v[1] = v[0];
    } else {
        br_yaml_numbers(r, node, dimension, 0, 2, v);
    }
    *y = v[0];
    *z = v[1];
}

// [x, y, z], or the polar one, of which the others are halves as in a round section.
static void read_inertia(yaml_reader *r, const yaml_node *node, double out[3]) {
    if (r->status != BR_OK || !node) return;
    if (node->kind == YAML_SCALAR) {
        br_yaml_number(r, node, BR_DIM_LINE_INERTIA, 0, &out[0]);
        out[1] = out[2] = 0.5 * out[0];
    } else {
        br_yaml_numbers(r, node, BR_DIM_LINE_INERTIA, 0, 3, out);
    }
}

static void read_numbers(yaml_reader *r, const yaml_node *node, const char *place, br_section_def *s) {
    read_pair(r, br_yaml_need(r, node, place, "EI", "NUMBER N m^2, or [about y, about z]"), BR_DIM_BENDING,
              &s->EI_y, &s->EI_z);
    br_yaml_number(r, br_yaml_need(r, node, place, "GJ", "NUMBER N m^2"), BR_DIM_BENDING, 0, &s->GJ);
    br_yaml_number(r, br_yaml_need(r, node, place, "EA", "NUMBER N"), BR_DIM_FORCE, 0, &s->EA);
    read_pair(r, br_yaml_need(r, node, place, "kGA", "NUMBER N, or [along y, along z]"), BR_DIM_FORCE,
              &s->GA_y, &s->GA_z);
    br_yaml_number(r, br_yaml_need(r, node, place, "mass", "NUMBER kg/m"), BR_DIM_LINE_DENSITY, 0, &s->mass);
    read_inertia(r, br_yaml_find(node, "inertia"), s->inertia);
}

static void read_shape(yaml_reader *r, const yaml_node *node, const yaml_node *shape, int which,
                       const char *place, br_section_def *s) {
    s->shape = (br_section_shape)(BR_SECTION_CIRCLE + which);
    s->nu = 0.3;
    br_yaml_number(r, br_yaml_need(r, node, place, "E", "NUMBER GPa"), BR_DIM_PRESSURE, 0, &s->E);
    br_yaml_number(r, br_yaml_find(node, "nu"), BR_DIM_NONE, 0, &s->nu);
    br_yaml_number(r, br_yaml_need(r, node, place, "density", "NUMBER kg/m^3"), BR_DIM_DENSITY, 0,
                   &s->density);
    br_yaml_expect_def(r, shape, shape->key->text, &br_def_sections[which]);
    br_yaml_read_fields(r, shape, shape->key->text, &br_def_sections[which], 0, s);
}

static void read_section(yaml_reader *r, const yaml_node *node, const char *what, br_section_def *s) {
    static const char *const material[] = {"E", "nu", "density"};
    static const char *const numbers[] = {"EI", "GJ", "EA", "kGA", "mass", "inertia"};
    if (r->status != BR_OK || !node) return;
    char place[YAML_WHAT + 16];
    snprintf(place, sizeof place, "section of %s", what);
    br_yaml_expect_def(r, node, place, &br_def_section);
    int which = 0;
    const yaml_node *shape = br_yaml_one_of(r, node, place, br_words_section, &which);
    for (size_t k = 0; shape && k < sizeof numbers / sizeof *numbers; k++) {
        const yaml_node *number = br_yaml_find(node, numbers[k]);
        if (number)
            br_yaml_fault(r, number->key, "yaml-conflict",
                          "%s has both %s and %s, expected a shape with its material or the numbers", place,
                          shape->key->text, numbers[k]);
    }
    for (size_t k = 0; !shape && k < sizeof material / sizeof *material; k++)
        if (br_yaml_find(node, material[k]))
            br_yaml_fault(r, node, "yaml-missing-key",
                          "%s has %s and no shape; write circle: {radius}, tube: {outer, inner}, rectangle: "
                          "{size} or I: {height, width, web, flange}",
                          place, material[k]);
    if (r->status != BR_OK) return;
    if (shape)
        read_shape(r, node, shape, which, place, s);
    else
        read_numbers(r, node, place, s);
    br_yaml_read_fields(r, node, place, &br_def_section, 0, s);
}

// --------------------------------------------------------------------------------------------------- attachments

// Whether a body or a beam has that name; which stations there are is for the model to say.
static void expect_body(yaml_reader *r, const yaml_node *node) {
    const char *name = NULL;
    char beam[BR_MAX_NAME];
    br_yaml_text(r, node, &name);
    if (!name) return;
    snprintf(beam, sizeof beam, "%.*s", (int)(strcspn(name, ".") < sizeof beam ? strcspn(name, ".") : 0),
             name);
    if (!br_yaml_find(br_yaml_find(r->root, "beams"), beam)) br_yaml_body_name(r, node);
}

// A fraction of the length, or start and end.
static void read_station(yaml_reader *r, const yaml_node *key, double *out) {
    char shown[YAML_SHOWN];
    if (strcmp(key->text, "start") == 0)
        *out = 0.0;
    else if (strcmp(key->text, "end") == 0)
        *out = 1.0;
    else if (strchr("0123456789.+-$(", key->text[0]))
        br_yaml_number(r, key, BR_DIM_NONE, 0, out);
    else
        *out = NAN;
    if (r->status == BR_OK && !(*out >= 0.0 && *out <= 1.0))
        br_yaml_fault(r, key, "beam-station",
                      "attach is at '%s', expected a fraction of the beam's length, 0 to 1, or start or end",
                      br_yaml_show(key->text, (size_t)key->count, shown));
}

static void read_attach(yaml_reader *r, const yaml_node *node, const char *what, br_beam_def *def) {
    if (r->status != BR_OK || !node) return;
    char place[YAML_WHAT + 16];
    snprintf(place, sizeof place, "attach of %s", what);
    br_yaml_expect_map(r, node, place);
    if (r->status != BR_OK) return;
    br_attach_def *attach = BR_TAKE(r->arena, br_attach_def, node->count);
    if (!attach) {
        br_yaml_no_memory(r);
        return;
    }
    for (const yaml_node *entry = node->first; entry && r->status == BR_OK; entry = entry->next) {
        br_attach_def *a = attach + entry->index;
        read_station(r, entry->key, &a->station);
        for (int k = 0; r->status == BR_OK && k < entry->index; k++)
            if (attach[k].station == a->station)
                br_yaml_fault(
                    r, entry->key, "beam-attach",
                    "%s is attached twice at station %g, to '%.40s' and here; leave one of the two out", what,
                    a->station, attach[k].body);
        expect_body(r, entry);
        br_yaml_text(r, entry, &a->body);
    }
    def->attach = attach;
    def->attach_count = node->count;
}

// ------------------------------------------------------------------------------------------------------- one beam

static void read_velocity(yaml_reader *r, const yaml_node *node, const char *what, br_beam_def *def) {
    static const char *const keys[] = {"linear", "angular", NULL};
    if (r->status != BR_OK || !node) return;
    char place[YAML_WHAT + 16];
    snprintf(place, sizeof place, "velocity of %s", what);
    br_yaml_expect_keys(r, node, place, keys);
    br_yaml_vec3(r, br_yaml_find(node, "linear"), BR_DIM_VELOCITY, &def->velocity);
    br_yaml_vec3(r, br_yaml_find(node, "angular"), BR_DIM_ANGULAR_VELOCITY, &def->angular_velocity);
    def->has_velocity = 1;
}

// How many there may be is for the builder to say.
static void read_elements(yaml_reader *r, const yaml_node *node, const char *what, br_beam_def *def) {
    double x = def->elements;
    br_yaml_number(r, node, BR_DIM_NONE, 0, &x);
    if (r->status == BR_OK && !(x == floor(x) && fabs(x) <= 1e9))
        br_yaml_fault(r, node, "beam-elements", "%s has %g elements, expected a whole number", what, x);
    if (r->status == BR_OK) def->elements = (int)x;
}

static void read_beam(yaml_reader *r, const yaml_node *node) {
    char what[YAML_WHAT];
    br_yaml_expect_def(r, node, br_yaml_what("beam", node, what), &br_def_beam);
    if (r->status != BR_OK) return;
    br_beam_def def = br_default_beam_def();
    def.name = node->key->text;
    read_line(r, node, what, &def);
    read_elements(r, br_yaml_find(node, "elements"), what, &def);
    br_yaml_read_fields(r, node, what, &br_def_beam, 0, &def);
    read_section(r,
                 br_yaml_need(r, node, what, "section", "{EI, GJ, EA, kGA, mass}, or a material and a shape"),
                 what, &def.section);
    read_attach(r, br_yaml_find(node, "attach"), what, &def);
    read_velocity(r, br_yaml_find(node, "velocity"), what, &def);
    if (r->status == BR_OK) br_yaml_built(r, br_builder_beam(r->builder, &def, r->error));
}

void br_yaml_read_beams(yaml_reader *r) {
    const yaml_node *beams = br_yaml_find(r->root, "beams");
    if (!beams || yaml_is_empty(beams)) return;
    br_yaml_expect_map(r, beams, "beams");
    for (const yaml_node *node = beams->first; node && r->status == BR_OK; node = node->next)
        read_beam(r, node);
}
