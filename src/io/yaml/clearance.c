// Clearances: the races, where they are, their contact and friction.
#include <stdio.h>
#include <string.h>

#include "io/yaml/fields.h"

// -------------------------------------------------------------------------------------------------------- contact

static double *read_column(yaml_reader *r, const yaml_node *node, br_dimension dimension, int *count) {
    br_yaml_expect_whole(r, node);
    br_yaml_expect_list(r, node, -1, "numbers");
    if (r->status != BR_OK || !node) return NULL;
    double *values = BR_TAKE(r->arena, double, node->count);
    if (!values) br_yaml_no_memory(r);
    for (const yaml_node *item = node->first; item && r->status == BR_OK; item = item->next)
        br_yaml_number(r, item, dimension, 0, values + item->index);
    *count = node->count;
    return values;
}

static void read_table(yaml_reader *r, const yaml_node *node, const char *what, br_clearance_def *def) {
    static const char *const keys[] = {"depth", "force", NULL};
    if (r->status != BR_OK || !node) return;
    char place[YAML_WHAT + 24];
    snprintf(place, sizeof place, "contact table of %s", what);
    br_yaml_expect_keys(r, node, place, keys);
    int forces = 0;
    const yaml_node *depth = br_yaml_need(r, node, place, "depth", "[0, NUMBER mm, ...]"),
                    *force = br_yaml_need(r, node, place, "force", "[0, NUMBER N, ...]");
    def->table_depth = read_column(r, depth, BR_DIM_LENGTH, &def->table_count);
    def->table_force = read_column(r, force, BR_DIM_FORCE, &forces);
    if (r->status == BR_OK && forces != def->table_count)
        br_yaml_fault(r, force, "yaml-count", "%s has %d depths and %d forces, expected as many", place,
                      def->table_count, forces);
}

static void read_contact(yaml_reader *r, const yaml_node *node, const char *what, br_clearance_def *def) {
    enum { LINEAR, HERTZ, HUNT_CROSSLEY, LANKARANI, TABLE };
    if (r->status != BR_OK || !node) return;
    char place[YAML_WHAT + 16];
    snprintf(place, sizeof place, "contact of %s", what);
    br_yaml_expect_def(r, node, place, &br_def_clearance_contact);
    const yaml_node *table = br_yaml_find(node, "table"), *word = br_yaml_find(node, "law");
    int law = TABLE;
    if (!table || word) // a table is a law of its own
        br_yaml_word(
            r,
            br_yaml_need(r, node, place, "law", "linear, hertz, hunt_crossley, lankarani_nikravesh or table"),
            br_words_clearance_law, &law);
    if (r->status != BR_OK) return;
    def->law = br_words_clearance_law[law];
    if (law == TABLE) br_yaml_need(r, node, place, "table", "{depth: [0, ...], force: [0, ...]}");
    if (law == LANKARANI) br_yaml_need(r, node, place, "restitution", "NUMBER from 0 to 1");
    if (law != TABLE) br_yaml_need(r, node, place, "stiffness", law == LINEAR ? "NUMBER N/m" : "NUMBER");
    br_yaml_read_fields(r, node, place, &br_def_clearance_contact, law == LINEAR ? 0 : BR_FIELD_LINEAR, def);
    br_yaml_number(r, br_yaml_find(node, "damping"),
                   law == HUNT_CROSSLEY ? BR_DIM_TIME_PER_LENGTH : BR_DIM_DAMPING, 0, &def->damping);
    const yaml_node *exponent = br_yaml_find(node, "exponent");
    if (r->status == BR_OK && exponent && def->exponent == 0.0) // to the builder: none was given
        br_yaml_fault(r, exponent, "clearance-law",
                      "the %s has the exponent 0, expected 1 or more; leave it out for the law's own", place);
    read_table(r, table, what, def);
}

// -------------------------------------------------------------------------------------------------- one clearance

// Both races are placed as the frames of a joint with the same axis are.
static void place(yaml_reader *r, const yaml_node *node, const char *what, br_clearance_def *def) {
    static const br_joint_type like[BR_CLEARANCE_TYPES] = {
        [BR_CLEARANCE_PLANAR] = BR_JOINT_PLANAR,
        [BR_CLEARANCE_SPHERICAL] = BR_JOINT_SPHERICAL,
        [BR_CLEARANCE_SPATIAL] = BR_JOINT_CYLINDRICAL,
        [BR_CLEARANCE_JOURNAL] = BR_JOINT_CYLINDRICAL,
    };
    br_joint_def joint = br_default_joint_def();
    joint.name = def->name;
    joint.type = like[def->type];
    joint.first = def->first;
    joint.second = def->second;
    br_yaml_place_joint(r, node, what, &joint);
    def->X_AF = joint.X_AF;
    def->X_BM = joint.X_BM;
}

static void read_clearance(yaml_reader *r, const yaml_node *node) {
    char what[YAML_WHAT];
    int type = 0;
    br_yaml_expect_def(r, node, br_yaml_what("clearance", node, what), &br_def_clearance);
    if (r->status != BR_OK) return;
    const yaml_node *pair = br_yaml_one_of(r, node, what, br_words_clearance, &type);
    if (!pair)
        br_yaml_fault(r, node, "yaml-missing-key",
                      "%s has no kind; write planar: [OUTER, INNER], or spherical, spatial, journal", what);
    br_yaml_expect_list(r, pair, 2, "names of bodies (outer race, inner race)");
    if (r->status != BR_OK || !pair) return;
    br_clearance_def def = br_default_clearance_def();
    def.name = node->key->text;
    def.type = (br_clearance_type)type;
    def.first = br_yaml_body_name(r, pair->first);
    def.second = br_yaml_body_name(r, pair->last);
    const yaml_node *length = br_yaml_find(node, "length");
    if (length && def.type != BR_CLEARANCE_JOURNAL)
        br_yaml_fault(r, length->key, "yaml-key-kind", "length belongs to journal clearances, and %s is %s",
                      what, br_words_clearance[type]);
    if (def.type == BR_CLEARANCE_JOURNAL)
        br_yaml_need(r, node, what, "length", "NUMBER m (between its two ends)");
    br_yaml_number(r, length, BR_DIM_LENGTH, 0, &def.length);
    if (r->status == BR_OK) place(r, node, what, &def);
    br_yaml_read_fields(r, node, what, &br_def_clearance, 0, &def);
    read_contact(r, br_yaml_need(r, node, what, "contact", "{law: linear, stiffness: NUMBER N/m}"), what,
                 &def);
    // Along the race it slides, so that velocities are m/s.
    br_yaml_read_friction(r, br_yaml_find(node, "friction"), what, BR_JOINT_PRISMATIC, &def.friction);
    if (r->status == BR_OK) br_yaml_built(r, br_builder_clearance(r->builder, &def, r->error));
}

void br_yaml_read_clearances(yaml_reader *r) {
    const yaml_node *clearances = br_yaml_find(r->root, "clearances");
    if (!clearances || yaml_is_empty(clearances)) return;
    br_yaml_expect_map(r, clearances, "clearances");
    for (const yaml_node *node = clearances->first; node && r->status == BR_OK; node = node->next)
        read_clearance(r, node);
}
