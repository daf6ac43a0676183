// Materials, pairs of them, and the friction of joints.
#include <stdio.h>
#include <string.h>

#include "io/yaml/read.h"
#include "model/build/builder.h"

// ---------------------------------------------------------------------------------------------- joint friction

// Words of Adams for the same things.
static const struct {
    const char *adams, *key;
} aliases[] = {
    {"MU_STATIC", "mu_static"},
    {"MU_DYNAMIC", "mu_kinetic"},
    {"PIN_RADIUS", "pin_radius"},
    {"BALL_RADIUS", "pin_radius"},
    {"FRICTION_ARM", "friction_arm"},
    {"REACTION_ARM", "friction_arm"},
    {"INITIAL_OVERLAP", "guide_length"},
    {"FRICTION_FORCE_PRELOAD", "preload"},
    {"STICTION_TRANSITION_VELOCITY", "v_slope"},
};

// The value under the key or under one of its aliases; two of them are a fault.
static const yaml_node *friction_entry(yaml_reader *r, const yaml_node *node, const char *what,
                                       const char *key) {
    const char *names[4] = {key, NULL, NULL, NULL};
    int count = 1;
    for (size_t k = 0; k < sizeof aliases / sizeof aliases[0]; k++)
        if (strcmp(aliases[k].key, key) == 0) names[count++] = aliases[k].adams;
    int which = 0;
    return yaml_one_of(r, node, what, names, &which);
}

// mu is both; one of two stands for the other.
static void read_mu(yaml_reader *r, const yaml_node *node, const char *what, double *mu_static,
                    double *mu_kinetic) {
    const yaml_node *both = yaml_find(node, "mu"), *at_rest = friction_entry(r, node, what, "mu_static"),
                    *sliding = friction_entry(r, node, what, "mu_kinetic");
    if (both && (at_rest || sliding))
        yaml_fault(r, both->key, "yaml-conflict",
                   "%s has both mu and %s, expected mu alone or mu_static and mu_kinetic", what,
                   at_rest ? at_rest->key->text : sliding->key->text);
    yaml_number(r, both, BR_DIM_NONE, 0, mu_static);
    yaml_number(r, both, BR_DIM_NONE, 0, mu_kinetic);
    yaml_number(r, at_rest ? at_rest : sliding, BR_DIM_NONE, 0, mu_static);
    yaml_number(r, sliding ? sliding : at_rest, BR_DIM_NONE, 0, mu_kinetic);
}

// Without any the law would do nothing; a coefficient of 0 that is written is the end of a sweep.
static void expect_mu(yaml_reader *r, const yaml_node *node, const char *what) {
    const yaml_node *at_rest = friction_entry(r, node, what, "mu_static"),
                    *sliding = friction_entry(r, node, what, "mu_kinetic");
    if (r->status == BR_OK && !yaml_find(node, "mu") && !at_rest && !sliding)
        yaml_fault(r, node, "friction-mu",
                   "%s has no coefficient; write mu: NUMBER, or mu_static and mu_kinetic", what);
}

static void read_load(yaml_reader *r, const yaml_node *node, int is_torque, br_friction_def *out) {
    static const char *const words[] = {"reaction", NULL};
    static const char *const keys[] = {"constant", NULL};
    if (!node) return;
    int which = 0;
    if (node->kind != YAML_MAP) {
        yaml_word(r, node, words, &which);
        return;
    }
    yaml_expect_keys(r, node, "load", keys);
    yaml_number(r, yaml_need(r, node, "load", "constant", is_torque ? "NUMBER N m" : "NUMBER N"),
                is_torque ? BR_DIM_TORQUE : BR_DIM_FORCE, 0, &out->load);
    out->load_constant = 1;
}

// To the builder a coefficient of 0 beside another is a missing one; in a file it was written.
static void expect_order(yaml_reader *r, const yaml_node *node, const char *place, const char *what,
                         const br_friction_def *out) {
    if (r->status != BR_OK) return;
    if (out->mu_static == 0.0 && out->mu_kinetic > 0.0)
        yaml_fault(r, friction_entry(r, node, place, "mu_static"), "friction-order",
                   "mu_kinetic of %s is %g, expected no more than mu_static, 0", what, out->mu_kinetic);
    if (out->mu_kinetic == 0.0 && out->mu_static > 0.0)
        yaml_fault(r, friction_entry(r, node, place, "mu_kinetic"), "friction-mu",
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
        const yaml_node *given = friction_entry(r, node, place, number[k].key);
        if (given && number[k].used && number[k].value == 0.0)
            yaml_fault(r, given, "friction-zero",
                       "%s is 0 in the %s, expected a number above 0; left out, it is %s", number[k].key,
                       place, number[k].otherwise);
    }
}

// A constant load of a joint that turns is a torque unless a radius makes it a force; velocities are then rad/s.
static int load_is_torque(yaml_reader *r, const yaml_node *node, const char *what, br_joint_type type) {
    const yaml_node *load = yaml_find(node, "load");
    const int turns = type == BR_JOINT_REVOLUTE || type == BR_JOINT_SCREW || type == BR_JOINT_UNIVERSAL ||
                      type == BR_JOINT_SPHERICAL;
    return turns && load && load->kind == YAML_MAP && !friction_entry(r, node, what, "pin_radius");
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
        const yaml_node *value = yaml_find(node, unknown[k].word);
        if (value)
            yaml_fault(r, value->key, "yaml-unknown-key", "%s has no %s; %s", what, unknown[k].word,
                       unknown[k].instead);
    }
}

void yaml_read_friction(yaml_reader *r, const yaml_node *node, const char *what, br_joint_type type,
                        br_friction_def *out) {
    static const char *const keys[] = {"law",
                                       "shape",
                                       "mu",
                                       "mu_static",
                                       "mu_kinetic",
                                       "v_slope",
                                       "sigma_0",
                                       "sigma_1",
                                       "sigma_2",
                                       "v_stribeck",
                                       "stribeck_exponent",
                                       "load",
                                       "pin_radius",
                                       "friction_arm",
                                       "guide_length",
                                       "preload",
                                       "compliance",
                                       "MU_STATIC",
                                       "MU_DYNAMIC",
                                       "PIN_RADIUS",
                                       "BALL_RADIUS",
                                       "FRICTION_ARM",
                                       "REACTION_ARM",
                                       "INITIAL_OVERLAP",
                                       "FRICTION_FORCE_PRELOAD",
                                       "STICTION_TRANSITION_VELOCITY",
                                       NULL};
    static const char *const laws[] = {"coulomb", "smooth", "dahl", "lugre", "bristle", NULL};
    static const char *const shapes[] = {"piecewise",       "tanh", "arctan", "saturation", "exponential",
                                         "stribeck_smooth", NULL};
    if (!node) return;
    char place[YAML_WHAT + 16];
    snprintf(place, sizeof place, "friction of %s", what);
    if (node->kind == YAML_MAP) explain_adams(r, node, place);
    if (node->kind == YAML_SCALAR && !yaml_is_empty(node)) {
        char shown[YAML_SHOWN];
        yaml_fault(r, node, "yaml-type", "%s is '%s', expected a map; write {law: coulomb, mu: NUMBER, ...}",
                   place, yaml_show(node->text, (size_t)node->count, shown));
    }
    yaml_expect_keys(r, node, place, keys);
    if (r->status != BR_OK) return;
    const int turning = load_is_torque(r, node, place, type);
    const br_dimension velocity = turning ? BR_DIM_ANGULAR_VELOCITY : BR_DIM_VELOCITY,
                       per_length = turning ? BR_DIM_ANY : BR_DIM_PER_LENGTH,
                       time_per_length = turning ? BR_DIM_ANY : BR_DIM_TIME_PER_LENGTH;
    int law = 0, shape = -1;
    yaml_word(r, yaml_need(r, node, place, "law", "coulomb, smooth, dahl, lugre or bristle"), laws, &law);
    yaml_word(r, yaml_find(node, "shape"), shapes, &shape);
    out->law = (br_friction_law)(law + 1);
    if (shape >= 0) out->shape = shapes[shape];
    const struct {
        const char *key;
        br_dimension dimension;
        double *value;
    } numbers[] = {
        {"v_slope", velocity, &out->v_slope},
        {"sigma_0", per_length, &out->sigma_0},
        {"sigma_1", time_per_length, &out->sigma_1},
        {"sigma_2", time_per_length, &out->sigma_2},
        {"v_stribeck", velocity, &out->v_stribeck},
        {"stribeck_exponent", BR_DIM_NONE, &out->stribeck_exponent},
        {"pin_radius", BR_DIM_LENGTH, &out->pin_radius},
        {"friction_arm", BR_DIM_LENGTH, &out->friction_arm},
        {"guide_length", BR_DIM_LENGTH, &out->guide_length},
        {"preload", BR_DIM_FORCE, &out->preload},
        {"compliance", BR_DIM_COMPLIANCE, &out->compliance},
    };
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        const unsigned infinite = numbers[k].value == &out->sigma_0 ? BR_QUANTITY_INFINITE : 0;
        yaml_number(r, friction_entry(r, node, place, numbers[k].key), numbers[k].dimension, infinite,
                    numbers[k].value);
    }
    expect_nonzero(r, node, place, out);
    expect_mu(r, node, place);
    read_mu(r, node, place, &out->mu_static, &out->mu_kinetic);
    expect_order(r, node, place, what, out);
    read_load(r, yaml_find(node, "load"), turning, out);
}

// --------------------------------------------------------------------------------------------- pairs of materials

static void read_compliance(yaml_reader *r, const yaml_node *node, br_pair_def *def) {
    static const char *const keys[] = {"law", "stiffness", "damping", "exponent", NULL};
    static const char *const laws[] = {"linear", "hertz", "hunt_crossley", NULL};
    if (!node) return;
    int law = 0;
    yaml_expect_keys(r, node, "compliance", keys);
    yaml_word(r, yaml_need(r, node, "compliance", "law", "linear, hertz or hunt_crossley"), laws, &law);
    def->compliance = laws[law];
    // Hertz has N/m^1.5 and Hunt-Crossley s/m: the law gives the dimension, not the key.
    yaml_number(r, yaml_need(r, node, "compliance", "stiffness", "NUMBER N/m"),
                law == 0 ? BR_DIM_STIFFNESS : BR_DIM_ANY, BR_QUANTITY_INFINITE, &def->compliance_stiffness);
    yaml_number(r, yaml_find(node, "damping"), law == 0 ? BR_DIM_DAMPING : BR_DIM_ANY, 0,
                &def->compliance_damping);
    const yaml_node *exponent = yaml_find(node, "exponent");
    yaml_number(r, exponent, BR_DIM_NONE, 0, &def->compliance_exponent);
    if (r->status == BR_OK && exponent && def->compliance_exponent == 0.0)
        yaml_fault(
            r, exponent, "pair-compliance",
            "the compliance of %.60s/%.60s has the exponent 0, expected 1 or more; leave it out for the "
            "law's own",
            def->first, def->second);
}

// "A/B": the two names, which must be declared.
static void read_pair_names(yaml_reader *r, const yaml_node *pair, br_pair_def *def) {
    char shown[YAML_SHOWN], hint[YAML_HINT];
    const yaml_node *key = pair->key, *materials = yaml_find(r->root, "materials");
    const char *slash = strchr(key->text, '/');
    char *names = BR_TAKE(r->arena, char, key->count + 1);
    if (!names) yaml_no_memory(r);
    if (!slash || slash == key->text || !slash[1] || strchr(slash + 1, '/'))
        yaml_fault(r, key, "yaml-pair", "'%s' is not a pair of materials, expected NAME/NAME",
                   yaml_show(key->text, (size_t)key->count, shown));
    if (r->status != BR_OK) return;
    memcpy(names, key->text, (size_t)key->count + 1);
    names[slash - key->text] = '\0';
    def->first = names;
    def->second = names + (slash - key->text) + 1;
    for (int k = 0; k < 2; k++) {
        const char *name = k ? def->second : def->first;
        if (!yaml_find(materials, name) && br_names_find(&r->builder->material_names, name) < 0)
            yaml_fault(r, key, "yaml-reference", "there is no material '%s'%s",
                       yaml_show(name, strlen(name), shown), yaml_hint_key(name, materials, hint));
    }
}

static void read_pair(yaml_reader *r, const yaml_node *pair) {
    static const char *const keys[] = {
        "mu",      "mu_static",  "mu_kinetic", "restitution", "restitution_law",
        "bristle", "compliance", "rolling",    "torsion",     NULL};
    static const char *const restitutions[] = {"newton", "poisson", NULL};
    static const char *const bristle_keys[] = {"stiffness", "damping", "v_threshold", NULL};
    char what[YAML_WHAT];
    br_pair_def def = br_default_pair_def();
    read_pair_names(r, pair, &def);
    yaml_expect_keys(r, pair, yaml_what("pair", pair, what), keys);
    if (r->status == BR_OK && !yaml_find(pair, "mu") && !yaml_find(pair, "mu_static") &&
        !yaml_find(pair, "mu_kinetic"))
        yaml_fault(r, pair, "yaml-missing-key", "%s has no mu; write mu: NUMBER, or mu_static and mu_kinetic",
                   what);
    read_mu(r, pair, what, &def.mu_static, &def.mu_kinetic);
    yaml_number(r, yaml_find(pair, "restitution"), BR_DIM_NONE, 0, &def.restitution);
    yaml_word(r, yaml_find(pair, "restitution_law"), restitutions, &def.restitution_poisson);
    const yaml_node *bristle = yaml_find(pair, "bristle");
    if (bristle) yaml_expect_keys(r, bristle, "bristle", bristle_keys);
    yaml_number(r, yaml_find(bristle, "stiffness"), BR_DIM_STIFFNESS, BR_QUANTITY_INFINITE,
                &def.bristle_stiffness);
    yaml_number(r, yaml_find(bristle, "damping"), BR_DIM_DAMPING, 0, &def.bristle_damping);
    yaml_number(r, yaml_find(bristle, "v_threshold"), BR_DIM_VELOCITY, 0, &def.v_threshold);
    read_compliance(r, yaml_find(pair, "compliance"), &def);
    yaml_number(r, yaml_find(pair, "rolling"), BR_DIM_LENGTH, 0, &def.rolling);
    yaml_number(r, yaml_find(pair, "torsion"), BR_DIM_LENGTH, 0, &def.torsion);
    if (r->status != BR_OK) return;
    const int imported = br_builder_pair_find(r->builder, def.first, def.second);
    if (imported >= 0 && imported < r->imported_pairs)
        yaml_built(r, br_builder_replace_pair(r->builder, imported, &def, r->error));
    else
        yaml_built(r, br_builder_pair(r->builder, &def, r->error));
}

void yaml_read_materials(yaml_reader *r) {
    static const char *const none[] = {NULL};
    const yaml_node *materials = yaml_find(r->root, "materials"), *pairs = yaml_find(r->root, "pairs");
    char what[YAML_WHAT];
    if (materials) yaml_expect_map(r, materials, "materials");
    for (const yaml_node *m = materials ? materials->first : NULL; m && r->status == BR_OK; m = m->next) {
        if (!yaml_is_empty(m)) yaml_expect_keys(r, m, yaml_what("material", m, what), none);
        if (r->status == BR_OK) yaml_built(r, br_builder_material(r->builder, m->key->text, r->error));
    }
    if (pairs) yaml_expect_map(r, pairs, "pairs");
    for (const yaml_node *p = pairs ? pairs->first : NULL; p && r->status == BR_OK; p = p->next)
        read_pair(r, p);
}
