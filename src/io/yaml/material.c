// Materials, pairs of them, and the friction of joints.
#include <stdio.h>
#include <string.h>

#include "io/yaml/fields.h"
#include "model/build/builder.h"

// ---------------------------------------------------------------------------------------------- joint friction

// mu is both; one of two stands for the other.
static void read_mu(yaml_reader *r, const yaml_node *node, const char *what, const br_def *def,
                    double *mu_static, double *mu_kinetic) {
    const yaml_node *both = br_yaml_find(node, "mu"),
                    *at_rest = br_yaml_field_entry(r, node, what, def, "mu_static"),
                    *sliding = br_yaml_field_entry(r, node, what, def, "mu_kinetic");
    if (both && (at_rest || sliding))
        br_yaml_fault(r, both->key, "yaml-conflict",
                      "%s has both mu and %s, expected mu alone or mu_static and mu_kinetic", what,
                      at_rest ? at_rest->key->text : sliding->key->text);
    br_yaml_number(r, both, BR_DIM_NONE, 0, mu_static);
    br_yaml_number(r, both, BR_DIM_NONE, 0, mu_kinetic);
    br_yaml_number(r, at_rest ? at_rest : sliding, BR_DIM_NONE, 0, mu_static);
    br_yaml_number(r, sliding ? sliding : at_rest, BR_DIM_NONE, 0, mu_kinetic);
}

// Without any the law would do nothing; a coefficient of 0 that is written is the end of a sweep.
static void expect_mu(yaml_reader *r, const yaml_node *node, const char *what) {
    const yaml_node *at_rest = br_yaml_field_entry(r, node, what, &br_def_friction, "mu_static"),
                    *sliding = br_yaml_field_entry(r, node, what, &br_def_friction, "mu_kinetic");
    if (r->status == BR_OK && !br_yaml_find(node, "mu") && !at_rest && !sliding)
        br_yaml_fault(r, node, "friction-mu",
                      "%s has no coefficient; write mu: NUMBER, or mu_static and mu_kinetic", what);
}

static void read_load(yaml_reader *r, const yaml_node *node, int is_torque, br_friction_def *out) {
    static const char *const words[] = {"reaction", NULL};
    static const char *const keys[] = {"constant", NULL};
    if (!node) return;
    int which = 0;
    if (node->kind != YAML_MAP) {
        br_yaml_word(r, node, words, &which);
        return;
    }
    br_yaml_expect_keys(r, node, "load", keys);
    br_yaml_number(r, br_yaml_need(r, node, "load", "constant", is_torque ? "NUMBER N m" : "NUMBER N"),
                   is_torque ? BR_DIM_TORQUE : BR_DIM_FORCE, 0, &out->load);
    out->load_constant = 1;
}

// To the builder a coefficient of 0 beside another is a missing one; in a file it was written.
static void expect_order(yaml_reader *r, const yaml_node *node, const char *place, const char *what,
                         const br_friction_def *out) {
    if (r->status != BR_OK) return;
    if (out->mu_static == 0.0 && out->mu_kinetic > 0.0)
        br_yaml_fault(r, br_yaml_field_entry(r, node, place, &br_def_friction, "mu_static"), "friction-order",
                      "mu_kinetic of %s is %g, expected no more than mu_static, 0", what, out->mu_kinetic);
    if (out->mu_kinetic == 0.0 && out->mu_static > 0.0)
        br_yaml_fault(r, br_yaml_field_entry(r, node, place, &br_def_friction, "mu_kinetic"), "friction-mu",
                      "mu_kinetic of %s is 0 and mu_static %g, expected both above 0, or both 0", what,
                      out->mu_static);
}

// To the builder 0 is a number that was left out, and has a default; in a file it was written, and the default is far
// from it. Numbers that the law does not use are left alone.
static void expect_nonzero(yaml_reader *r, const yaml_node *node, const char *place,
                           const br_friction_def *out) {
    const int smooth = out->law == BR_FRICTION_SMOOTH,
              falls = out->law != BR_FRICTION_COULOMB && out->law != BR_FRICTION_DAHL;
    const struct {
        const char *key, *otherwise;
        double value;
        int used;
    } number[] = {
        {"v_slope", "1e-3", out->v_slope, smooth},
        {"sigma_0", out->law == BR_FRICTION_BRISTLE ? "infinite" : "1e5", out->sigma_0,
         !smooth && out->law != BR_FRICTION_COULOMB},
        {"v_stribeck", "1e-3", out->v_stribeck, falls},
        {"stribeck_exponent", "2", out->stribeck_exponent, falls},
    };
    for (size_t k = 0; r->status == BR_OK && k < sizeof number / sizeof *number; k++) {
        const yaml_node *given = br_yaml_field_entry(r, node, place, &br_def_friction, number[k].key);
        if (given && number[k].used && number[k].value == 0.0)
            br_yaml_fault(r, given, "friction-zero",
                          "%s is 0 in the %s, expected a number above 0; left out, it is %s", number[k].key,
                          place, number[k].otherwise);
    }
}

// A constant load of a joint that turns is a torque unless a radius makes it a force; velocities are then rad/s.
static int load_is_torque(yaml_reader *r, const yaml_node *node, const char *what, br_joint_type type) {
    const yaml_node *load = br_yaml_find(node, "load");
    return br_joint_type_turns(type) && load && load->kind == YAML_MAP &&
           !br_yaml_field_entry(r, node, what, &br_def_friction, "pin_radius");
}

// Words of Adams for what is written another way, or not at all.
static void explain_adams(yaml_reader *r, const yaml_node *node, const char *what) {
    static const struct {
        const char *word, *instead;
    } unknown[] = {
        {"FRICTION_TORQUE_PRELOAD", "write the torque over the radius as preload, in N"},
        {"MAX_STICTION_DEFORMATION",
         "write law: lugre or bristle with sigma_0, mu_static over the deformation"},
    };
    for (size_t k = 0; r->status == BR_OK && k < sizeof unknown / sizeof unknown[0]; k++) {
        const yaml_node *value = br_yaml_find(node, unknown[k].word);
        if (value)
            br_yaml_fault(r, value->key, "yaml-unknown-key", "%s has no %s; %s", what, unknown[k].word,
                          unknown[k].instead);
    }
}

void br_yaml_read_friction(yaml_reader *r, const yaml_node *node, const char *what, br_joint_type type,
                           br_friction_def *out) {
    if (!node) return;
    char place[YAML_WHAT + 16];
    snprintf(place, sizeof place, "friction of %s", what);
    if (node->kind == YAML_MAP) explain_adams(r, node, place);
    if (node->kind == YAML_SCALAR && !yaml_is_empty(node)) {
        char shown[YAML_SHOWN];
        br_yaml_fault(r, node, "yaml-type",
                      "%s is '%s', expected a map; write {law: coulomb, mu: NUMBER, ...}", place,
                      br_yaml_show(node->text, (size_t)node->count, shown));
    }
    br_yaml_expect_def(r, node, place, &br_def_friction);
    if (r->status != BR_OK) return;
    const int turning = load_is_torque(r, node, place, type);
    br_yaml_read_fields(r, node, place, &br_def_friction, turning ? BR_FIELD_TURNS : 0, out);
    expect_nonzero(r, node, place, out);
    expect_mu(r, node, place);
    read_mu(r, node, place, &br_def_friction, &out->mu_static, &out->mu_kinetic);
    expect_order(r, node, place, what, out);
    read_load(r, br_yaml_find(node, "load"), turning, out);
}

// --------------------------------------------------------------------------------------------- pairs of materials

// "A/B": the two names, which must be declared.
static void read_pair_names(yaml_reader *r, const yaml_node *pair, br_pair_def *def) {
    char shown[YAML_SHOWN], hint[YAML_HINT];
    const yaml_node *key = pair->key, *materials = br_yaml_find(r->root, "materials");
    const char *slash = strchr(key->text, '/');
    char *names = BR_TAKE(r->arena, char, key->count + 1);
    if (!names) br_yaml_no_memory(r);
    if (!slash || slash == key->text || !slash[1] || strchr(slash + 1, '/'))
        br_yaml_fault(r, key, "yaml-pair", "'%s' is not a pair of materials, expected NAME/NAME",
                      br_yaml_show(key->text, (size_t)key->count, shown));
    if (r->status != BR_OK) return;
    memcpy(names, key->text, (size_t)key->count + 1);
    names[slash - key->text] = '\0';
    def->first = names;
    def->second = names + (slash - key->text) + 1;
    for (int k = 0; k < 2; k++) {
        const char *name = k ? def->second : def->first;
        if (!br_yaml_find(materials, name) && br_names_find(&r->builder->material_names, name) < 0)
            br_yaml_fault(r, key, "yaml-reference", "there is no material '%s'%s",
                          br_yaml_show(name, strlen(name), shown), br_yaml_hint_key(name, materials, hint));
    }
}

static void read_pair(yaml_reader *r, const yaml_node *pair) {
    char what[YAML_WHAT];
    br_pair_def def = br_default_pair_def();
    read_pair_names(r, pair, &def);
    br_yaml_expect_def(r, pair, br_yaml_what("pair", pair, what), &br_def_pair);
    if (r->status == BR_OK && !br_yaml_find(pair, "mu") && !br_yaml_find(pair, "mu_static") &&
        !br_yaml_find(pair, "mu_kinetic"))
        br_yaml_fault(r, pair, "yaml-missing-key",
                      "%s has no mu; write mu: NUMBER, or mu_static and mu_kinetic", what);
    read_mu(r, pair, what, &br_def_pair, &def.mu_static, &def.mu_kinetic);
    const yaml_node *compliance = br_yaml_find(pair, "compliance"), *law = br_yaml_find(compliance, "law"),
                    *exponent = br_yaml_find(compliance, "exponent");
    const int linear = law && law->kind == YAML_SCALAR && strcmp(law->text, br_words_normal_law[0]) == 0;
    br_yaml_read_fields(r, pair, what, &br_def_pair, linear ? 0 : BR_FIELD_LINEAR, &def);
    if (r->status == BR_OK && exponent && def.compliance_exponent == 0.0)
        br_yaml_fault(
            r, exponent, "pair-compliance",
            "the compliance of %.60s/%.60s has the exponent 0, expected 1 or more; leave it out for the "
            "law's own",
            def.first, def.second);
    if (r->status != BR_OK) return;
    const int imported = br_builder_pair_find(r->builder, def.first, def.second);
    if (imported >= 0 && imported < r->imported_pairs)
        br_yaml_built(r, br_builder_replace_pair(r->builder, imported, &def, r->error));
    else
        br_yaml_built(r, br_builder_pair(r->builder, &def, r->error));
}

void br_yaml_read_materials(yaml_reader *r) {
    static const char *const none[] = {NULL};
    const yaml_node *materials = br_yaml_find(r->root, "materials"), *pairs = br_yaml_find(r->root, "pairs");
    char what[YAML_WHAT];
    if (materials) br_yaml_expect_map(r, materials, "materials");
    for (const yaml_node *m = materials ? materials->first : NULL; m && r->status == BR_OK; m = m->next) {
        if (!yaml_is_empty(m)) br_yaml_expect_keys(r, m, br_yaml_what("material", m, what), none);
        if (r->status == BR_OK) br_yaml_built(r, br_builder_material(r->builder, m->key->text, r->error));
    }
    if (pairs) br_yaml_expect_map(r, pairs, "pairs");
    for (const yaml_node *p = pairs ? pairs->first : NULL; p && r->status == BR_OK; p = p->next)
        read_pair(r, p);
}
