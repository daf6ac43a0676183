// Everything about a run that is not an element: name, gravity, coordinates, contact, solver, run, outputs.
#include "io/yaml/fields.h"
#include "model/build/builder.h"

static void read_exclude(yaml_reader *r, const yaml_node *node, br_settings *s) {
    if (!node) return;
    br_yaml_expect_list(r, node, -1, "pairs of bodies");
    if (r->status != BR_OK) return;
    const char *(*pair)[2] = (const char *(*)[2])br_arena_take(r->arena, (size_t)node->count, sizeof *pair);
    if (!pair) br_yaml_no_memory(r);
    for (const yaml_node *item = node->first; item && r->status == BR_OK; item = item->next) {
        br_yaml_expect_list(r, item, 2, "two bodies");
        if (r->status != BR_OK) return;
        br_yaml_text(r, item->first, &pair[item->index][0]);
        br_yaml_text(r, item->last, &pair[item->index][1]);
    }
    s->contact_exclude = (const char *const(*)[2])pair;
    s->contact_exclude_count = node->count;
}

static void read_contact(yaml_reader *r, br_settings *s) {
    const yaml_node *contact = br_yaml_find(r->root, "contact");
    if (!contact) return;
    br_yaml_expect_def(r, contact, "contact", &br_def_contact);
    br_yaml_read_fields(r, contact, "contact", &br_def_contact, 0, s);
    read_exclude(r, br_yaml_find(contact, "exclude"), s);
}

static void read_switch(yaml_reader *r, const yaml_node *node, int *out) {
    static const char *const words[] = {"off", "on", "false", "true", NULL};
    br_yaml_word(r, node, words, out);
    *out &= 1;
}

// A rule of the steps that vary: its numbers, or on or off.
static void read_rule(yaml_reader *r, const yaml_node *node, const br_def *def, int *on,
                      br_adaptive_settings *a) {
    if (r->status != BR_OK || !node) return;
    if (node->kind == YAML_SCALAR) {
        read_switch(r, node, on);
        return;
    }
    *on = 1;
    br_yaml_expect_def(r, node, def->name, def);
    br_yaml_read_fields(r, node, def->name, def, 0, a);
}

static void read_adaptive(yaml_reader *r, const yaml_node *node, br_adaptive_settings *a) {
    read_rule(r, node, &br_def_adaptive, &a->on, a);
    read_rule(r, br_yaml_find(node, "contact"), &br_def_adaptive_contact, &a->contact, a);
    read_rule(r, br_yaml_find(node, "friction"), &br_def_adaptive_friction, &a->friction, a);
}

// Settings of a stepper that is not selected are read and checked like the others.
static void read_solver(yaml_reader *r, br_settings *s) {
    br_solver_settings *const solver = &s->solver;
    const yaml_node *node = br_yaml_find(r->root, "solver"),
                    *paper = br_yaml_find(br_yaml_find(r->root, "contact"), "paper");
    const int printed = paper && s->contact_paper;
    if (printed) solver->position_old = solver->rotation_euler = 1, solver->theta = 1.0;
    if (!node) return;
    br_yaml_expect_def(r, node, "solver", &br_def_solver);
    br_yaml_read_fields(r, node, "solver", &br_def_solver, 0, solver);
    if (r->status == BR_OK && printed && !solver->position_old)
        br_yaml_fault(
            r, br_yaml_find(node, "position_update"), "contact-paper",
            "solver has position_update: new and contact has paper: true, which moves positions with the old "
            "velocity; leave one of the two out");
    // Both are of the paper's own step, which is that of theta 1.
    if (!br_yaml_find(node, "theta") && (solver->position_old || solver->rotation_euler)) solver->theta = 1.0;
    read_adaptive(r, br_yaml_find(node, "adaptive"), &solver->adaptive);
}

static void read_outputs(yaml_reader *r, br_settings *s) {
    const yaml_node *node = br_yaml_find(r->root, "outputs");
    if (!node) return;
    br_yaml_expect_list(r, node, -1, "channel names");
    if (r->status != BR_OK) return;
    const char **names = BR_TAKE(r->arena, const char *, node->count);
    if (!names) {
        br_yaml_no_memory(r);
        return;
    }
    for (const yaml_node *item = node->first; item; item = item->next)
        br_yaml_text(r, item, names + item->index);
    s->outputs = names;
    s->output_count = node->count;
}

void br_yaml_read_settings(yaml_reader *r, const char *name) {
    br_settings s = r->builder->settings; // the defaults, or what another reader made of them
    const yaml_node *run = br_yaml_find(r->root, "run"), *start = br_yaml_find(r->root, "start");
    if (name) s.name = name;
    br_yaml_read_fields(r, r->root, "the model", &br_def_settings, 0, &s);
    r->planar = s.planar;
    read_contact(r, &s);
    read_solver(r, &s);
    if (run) br_yaml_expect_def(r, run, "run", &br_def_run);
    br_yaml_read_fields(r, run, "run", &br_def_run, 0, &s);
    if (start) br_yaml_expect_def(r, start, "start", &br_def_start);
    br_yaml_read_fields(r, start, "start", &br_def_start, 0, &s);
    const yaml_node *check = br_yaml_find(r->root, "check");
    if (check) br_yaml_expect_def(r, check, "check", &br_def_checks);
    br_yaml_read_fields(r, check, "check", &br_def_checks, 0, &s);
    read_outputs(r, &s);
    if (r->status == BR_OK) br_yaml_built(r, br_builder_settings(r->builder, &s, r->error));
}
