// Everything about a run that is not an element: name, gravity, coordinates, contact, solver, run, outputs.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/yaml/foreign.h"
#include "io/yaml/read.h"
#include "model/build/builder.h"

// WORD or WORD(ARGUMENT). Kept as text; the builder judges the argument. One that is a quantity becomes its number:
// viscous(1 mm/s), polygon($n).
typedef struct call_form {
    const char *word;
    const char *argument;   // as a message calls it; NULL: takes none
    br_dimension dimension; // BR_DIM_ANY: not a quantity
} call_form;

static const char *with_number(yaml_reader *r, const yaml_node *node, const call_form *form) {
    const char *text = node->text + strlen(form->word) + 1;
    const size_t length = strlen(text);
    if (form->dimension == BR_DIM_ANY || length < 2 || text[length - 1] != ')') return node->text;
    yaml_node inner = *node;
    char *argument = BR_TAKE(r->arena, char, length), *out = BR_TAKE(r->arena, char, BR_MAX_NAME), number[40];
    if (!argument || !out) {
        yaml_no_memory(r);
        return NULL;
    }
    memcpy(argument, text, length - 1);
    inner.text = argument;
    inner.count = (int)length - 1;
    double x = 0.0;
    yaml_number(r, &inner, form->dimension, 0, &x);
    for (int digits = 15; digits <= 17; digits++) { // as few as say the same number
        snprintf(number, sizeof number, "%.*g", digits, x);
        if (strtod(number, NULL) == x) break;
    }
    snprintf(out, BR_MAX_NAME, "%.20s(%s)", form->word, number);
    return out;
}

static void read_call(yaml_reader *r, const yaml_node *node, const call_form *forms, int count,
                      const char **out) {
    const char *text = NULL;
    yaml_text(r, node, &text);
    if (!text) return;
    const char *words[8];
    char list[160], hint[YAML_HINT], shown[YAML_SHOWN], word[BR_MAX_NAME];
    const size_t length = strcspn(text, "(");
    size_t n = 0;
    list[0] = '\0';
    for (int k = 0; k < count; k++) {
        const char *argument = forms[k].argument;
        words[k] = forms[k].word;
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%s%s%s%s", k ? ", " : "", words[k],
                              argument ? "(" : "", argument ? argument : "", argument ? ")" : "");
        if (strlen(words[k]) != length || strncmp(text, words[k], length) != 0) continue;
        if (text[length] != (argument ? '(' : '\0')) continue;
        *out = argument ? with_number(r, node, &forms[k]) : text;
        return;
    }
    snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : 0), text);
    yaml_hint(word, words, count, hint);
    if (!hint[0]) io_foreign_value(word, words, count, hint, sizeof hint);
    yaml_fault(r, node, "yaml-word", "%s is '%s', expected one of %s%s", node->key->text,
               yaml_show(text, strlen(text), shown), list, hint);
}

static void read_exclude(yaml_reader *r, const yaml_node *node, br_settings *s) {
    if (!node) return;
    yaml_expect_list(r, node, -1, "pairs of bodies");
    if (r->status != BR_OK) return;
    const char *(*pair)[2] = (const char *(*)[2])br_arena_take(r->arena, (size_t)node->count, sizeof *pair);
    if (!pair) yaml_no_memory(r);
    for (const yaml_node *item = node->first; item && r->status == BR_OK; item = item->next) {
        yaml_expect_list(r, item, 2, "two bodies");
        if (r->status != BR_OK) return;
        yaml_text(r, item->first, &pair[item->index][0]);
        yaml_text(r, item->last, &pair[item->index][1]);
    }
    s->contact_exclude = (const char *const(*)[2])pair;
    s->contact_exclude_count = node->count;
}

static void read_contact(yaml_reader *r, br_settings *s, int *paper) {
    static const char *const keys[] = {"law", "bounds", "paper", "exclude", NULL};
    static const call_form laws[] = {{"bristle", NULL, BR_DIM_ANY},
                                     {"cone", NULL, BR_DIM_ANY},
                                     {"box", NULL, BR_DIM_ANY},
                                     {"polygon", "n", BR_DIM_NONE},
                                     {"viscous", "v0", BR_DIM_VELOCITY}};
    static const call_form bounds[] = {
        {"implicit", NULL, BR_DIM_ANY}, {"lagged", NULL, BR_DIM_ANY}, {"iterated", "k", BR_DIM_NONE}};
    const yaml_node *contact = yaml_find(r->root, "contact");
    if (!contact) return;
    yaml_expect_keys(r, contact, "contact", keys);
    read_call(r, yaml_find(contact, "law"), laws, 5, &s->contact_law);
    read_call(r, yaml_find(contact, "bounds"), bounds, 3, &s->contact_bounds);
    read_exclude(r, yaml_find(contact, "exclude"), s);
    yaml_bool(r, yaml_find(contact, "paper"), paper);
    if (yaml_find(contact, "paper")) s->contact_paper = *paper;
}

static void read_switch(yaml_reader *r, const yaml_node *node, int *out) {
    static const char *const words[] = {"off", "on", "false", "true", NULL};
    yaml_word(r, node, words, out);
    *out &= 1;
}

// Steps that vary: `off`, or its rules, of which each may be off.
static void read_adaptive(yaml_reader *r, const yaml_node *node, br_adaptive_settings *a) {
    static const char *const keys[] = {"smallest", "tolerance", "contact", "friction", NULL};
    static const char *const contact_keys[] = {"epsilon_p", "q_min", "alpha", NULL};
    static const char *const friction_keys[] = {"dtau_min", "v_min", "alpha", NULL};
    if (r->status != BR_OK || !node) return;
    a->on = 1;
    if (node->kind == YAML_SCALAR) {
        read_switch(r, node, &a->on);
        return;
    }
    yaml_expect_keys(r, node, "adaptive", keys);
    yaml_number(r, yaml_find(node, "smallest"), BR_DIM_TIME, 0, &a->smallest);
    yaml_number(r, yaml_find(node, "tolerance"), BR_DIM_NONE, 0, &a->tolerance);
    const yaml_node *contact = yaml_find(node, "contact"), *friction = yaml_find(node, "friction");
    if (contact && contact->kind == YAML_SCALAR)
        read_switch(r, contact, &a->contact);
    else if (contact)
        a->contact = 1, yaml_expect_keys(r, contact, "contact of adaptive", contact_keys);
    if (friction && friction->kind == YAML_SCALAR)
        read_switch(r, friction, &a->friction);
    else if (friction)
        a->friction = 1, yaml_expect_keys(r, friction, "friction of adaptive", friction_keys);
    yaml_number(r, yaml_find(contact, "epsilon_p"), BR_DIM_LENGTH, 0, &a->epsilon_p);
    yaml_number(r, yaml_find(contact, "q_min"), BR_DIM_NONE, 0, &a->q_min);
    yaml_number(r, yaml_find(contact, "alpha"), BR_DIM_NONE, 0, &a->alpha);
    yaml_number(r, yaml_find(friction, "dtau_min"), BR_DIM_NONE, 0, &a->dtau_min);
    yaml_number(r, yaml_find(friction, "v_min"), BR_DIM_NONE, 0, &a->v_min);
    yaml_number(r, yaml_find(friction, "alpha"), BR_DIM_NONE, 0, &a->friction_alpha);
}

// Settings of a stepper that is not selected are read and checked like the others.
static void read_solver(yaml_reader *r, br_settings *s, int paper) {
    static const char *const keys[] = {"stepper",  "step",       "theta",          "position_update",
                                       "rotation", "tol",        "max_iterations", "rho_infinity",
                                       "scheme",   "redundancy", "adaptive",       NULL};
    static const char *const steppers[] = {"contact", "implicit", "reference", "kinematic", NULL};
    static const char *const updates[] = {"new", "old", NULL};
    static const char *const rotations[] = {"quaternion", "euler_zxy", NULL};
    static const char *const schemes[] = {"alpha", "energy_decaying", NULL};
    static const call_form redundancies[] = {{"compliance", NULL, BR_DIM_ANY},
                                             {"pseudoinverse", NULL, BR_DIM_ANY},
                                             {"eliminate", "joint.row", BR_DIM_ANY}};
    br_solver_settings *const solver = &s->solver;
    if (paper) solver->position_old = solver->rotation_euler = 1, solver->theta = 1.0;
    const yaml_node *node = yaml_find(r->root, "solver");
    if (!node) return;
    yaml_expect_keys(r, node, "solver", keys);
    int stepper = (int)solver->stepper;
    yaml_word(r, yaml_find(node, "stepper"), steppers, &stepper);
    solver->stepper = (br_stepper)stepper;
    yaml_number(r, yaml_find(node, "step"), BR_DIM_TIME, 0, &solver->step);
    yaml_number(r, yaml_find(node, "theta"), BR_DIM_NONE, 0, &solver->theta);
    const yaml_node *update = yaml_find(node, "position_update");
    yaml_word(r, update, updates, &solver->position_old);
    if (r->status == BR_OK && paper && !solver->position_old)
        yaml_fault(
            r, update, "contact-paper",
            "solver has position_update: new and contact has paper: true, which moves positions with the old "
            "velocity; leave one of the two out");
    yaml_word(r, yaml_find(node, "rotation"), rotations, &solver->rotation_euler);
    // Both are of the paper's own step, which is that of theta 1.
    if (!yaml_find(node, "theta") && (solver->position_old || solver->rotation_euler)) solver->theta = 1.0;
    yaml_number(r, yaml_find(node, "tol"), BR_DIM_NONE, 0, &solver->tol);
    yaml_whole(r, yaml_find(node, "max_iterations"), 0, 1000000000, &solver->max_iterations);
    yaml_number(r, yaml_find(node, "rho_infinity"), BR_DIM_NONE, 0, &solver->rho_infinity);
    yaml_word(r, yaml_find(node, "scheme"), schemes, &solver->energy_decaying);
    read_call(r, yaml_find(node, "redundancy"), redundancies, 3, &solver->redundancy);
    read_adaptive(r, yaml_find(node, "adaptive"), &solver->adaptive);
}

static void read_outputs(yaml_reader *r, br_settings *s) {
    const yaml_node *node = yaml_find(r->root, "outputs");
    if (!node) return;
    yaml_expect_list(r, node, -1, "channel names");
    if (r->status != BR_OK) return;
    const char **names = BR_TAKE(r->arena, const char *, node->count);
    if (!names) {
        yaml_no_memory(r);
        return;
    }
    for (const yaml_node *item = node->first; item; item = item->next)
        yaml_text(r, item, names + item->index);
    s->outputs = names;
    s->output_count = node->count;
}

void yaml_read_settings(yaml_reader *r, const char *name) {
    static const char *const planes[] = {"xy", "xz", "yz", NULL};
    static const char *const choices[] = {"reduced", "absolute", NULL};
    static const char *const run_keys[] = {"until", "output", NULL};
    br_settings s = r->builder->settings; // the defaults, or what another reader made of them
    int planar = 0, coordinates = (int)s.coordinates, paper = 0;
    if (name) s.name = name;
    yaml_text(r, yaml_find(r->root, "name"), &s.name);
    yaml_vec3(r, yaml_find(r->root, "gravity"), BR_DIM_ACCELERATION, &s.gravity);
    yaml_word(r, yaml_find(r->root, "planar"), planes, &planar);
    if (yaml_find(r->root, "planar")) s.planar = (br_planar)(planar + 1);
    r->planar = s.planar;
    yaml_word(r, yaml_find(r->root, "coordinates"), choices, &coordinates);
    s.coordinates = (br_coordinates)coordinates;
    read_contact(r, &s, &paper);
    read_solver(r, &s, paper);
    const yaml_node *run = yaml_find(r->root, "run");
    if (run) yaml_expect_keys(r, run, "run", run_keys);
    yaml_number(r, yaml_find(run, "until"), BR_DIM_TIME, 0, &s.until);
    yaml_number(r, yaml_find(run, "output"), BR_DIM_TIME, 0, &s.output);
    read_outputs(r, &s);
    if (r->status == BR_OK) yaml_built(r, br_builder_settings(r->builder, &s, r->error));
}
