// Who may touch whom. Bodies that are welded together count as one; so do the bodies of a joint, whose shapes overlap
// around it more often than not. The ground is nobody's partner: a door hung on the world still meets the floor.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/compile/compile.h"
#include "model/compile/touch.h"

// --- groups ------------------------------------------------------------------------------------------------

static int root_of(int *group, int body) {
    while (group[body] != body) body = group[body] = group[group[body]];
    return body;
}

// Welds between bodies join groups; the smallest body names its group.
static void join_welds(const br_compile *c, int *group) {
    for (int b = 0; b < c->bodies; b++) group[b] = b;
    for (int j = 0; j < c->joints; j++) {
        if (c->def[j]->type != BR_JOINT_WELD || c->first[j] < 0 || c->second[j] < 0) continue;
        const int a = root_of(group, c->first[j]), b = root_of(group, c->second[j]);
        group[a < b ? b : a] = a < b ? a : b;
    }
    for (int b = 0; b < c->bodies; b++) group[b] = root_of(group, b);
}

// Links come parents first, so one pass finds what is welded to the world along the tree.
static void find_fixed(const br_compile *c, unsigned char *fixed) {
    const br_model *m = c->model;
    for (int i = 0; i < m->tree.links; i++) {
        const int b = m->link_body[i], parent = m->tree.link[i].parent;
        fixed[b] =
            m->joint[m->link_joint[i]].type == BR_JOINT_WELD && (parent < 0 || fixed[m->link_body[parent]]);
    }
}

br_status br_compile_groups(br_compile *c) {
    br_model_contact *contact = c->model->contact;
    contact->group = BR_TAKE(&c->model->arena, int, c->bodies);
    contact->fixed = BR_TAKE(&c->model->arena, unsigned char, c->bodies);
    if (!br_arena_ok(&c->model->arena)) return br_compile_no_memory(c);
    join_welds(c, contact->group);
    find_fixed(c, contact->fixed);
    return BR_OK;
}

// --- pairs of bodies that never collide --------------------------------------------------------------------

static int compare_pairs(const void *a, const void *b) {
    const int *x = (const int *)a, *y = (const int *)b;
    if (x[0] != y[0]) return x[0] < y[0] ? -1 : 1;
    return (x[1] > y[1]) - (x[1] < y[1]);
}

// Sorts and drops what is there twice; how many are left.
static int sort_pairs(int (*pair)[2], int count) {
    int kept = 0;
    qsort(pair, (size_t)count, sizeof *pair, compare_pairs);
    for (int k = 0; k < count; k++)
        if (kept == 0 || compare_pairs(pair[kept - 1], pair[k]) != 0)
            memmove(pair[kept++], pair[k], sizeof *pair);
    return kept;
}

static void put_pair(int pair[2], int a, int b) {
    pair[0] = a < b ? a : b;
    pair[1] = a < b ? b : a;
}

static int has_pair(int (*pair)[2], int count, int a, int b) {
    int key[2];
    put_pair(key, a, b);
    return count > 0 && bsearch(key, pair, (size_t)count, sizeof *pair, compare_pairs) != NULL;
}

// A joint whose bodies share a place. Those of a free joint (and of a planar one where everything is planar) do not, nor
// those at the two ends of a distance.
static int holds_together(const br_compile *c, int joint) {
    switch (c->def[joint]->type) {
    case BR_JOINT_FREE:
    case BR_JOINT_DISTANCE:
    case BR_JOINT_GEAR:
    case BR_JOINT_RACK_PINION:
    case BR_JOINT_TENDON:
        return 0;
    case BR_JOINT_PLANAR:
        return !br_compile_is_planar(c);
    default:
        return 1;
    }
}

// A body without mass and shapes is part of a joint that is made of several, so the body it hangs on is the partner.
static int partner(const br_compile *c, int body) {
    while (body >= 0 && c->builder->body[body].mass == 0.0 && c->builder->body[body].shape_count == 0)
        body = c->parent[body];
    return body;
}

// MuJoCo's rule keeps a body off the one that it hangs on unless that is fixed to the world, and knows no loops.
static int kept_apart(const br_compile *c, int joint) {
    const unsigned char *fixed = c->model->contact->fixed;
    if (c->model->settings.contact_joined == BR_JOINED_APART) return 1;
    if (c->model->settings.contact_joined == BR_JOINED_TOUCH || c->def[joint]->closes_loop) return 0;
    return c->first[joint] >= 0 && !fixed[c->first[joint]] && c->second[joint] >= 0 &&
           !fixed[c->second[joint]];
}

static br_status list_joined(br_compile *c) {
    br_model_contact *contact = c->model->contact;
    const int clearances = c->builder->clearance_names.count;
    contact->joined = (int(*)[2])br_arena_take(&c->model->arena, (size_t)c->joints + (size_t)clearances,
                                               sizeof *contact->joined);
    if (!contact->joined) return br_compile_no_memory(c);
    int count = 0;
    for (int j = 0; j < c->joints; j++) {
        if (!holds_together(c, j) || !kept_apart(c, j)) continue;
        const int a = partner(c, c->first[j]), b = partner(c, c->second[j]);
        if (a >= 0 && b >= 0) put_pair(contact->joined[count++], contact->group[a], contact->group[b]);
    }
    for (int k = 0; k < clearances; k++) { // races overlap more often than not
        const br_model_clearance *race = &c->model->clearance[k];
        if (race->first >= 0 && race->second >= 0)
            put_pair(contact->joined[count++], contact->group[c->model->link_body[race->first]],
                     contact->group[c->model->link_body[race->second]]);
    }
    contact->joineds = sort_pairs(contact->joined, count);
    return BR_OK;
}

static br_status list_excluded(br_compile *c) {
    br_model_contact *contact = c->model->contact;
    const br_settings *s = &c->model->settings;
    const br_place place = {"contact", "exclude", c->error};
    const int count = s->contact_exclude_count;
    contact->exclude = (int(*)[2])br_arena_take(&c->model->arena, (size_t)count, sizeof *contact->exclude);
    if (!contact->exclude) return br_compile_no_memory(c);
    for (int k = 0; k < count; k++) {
        int body[2];
        for (int i = 0; i < 2; i++) {
            char field[32];
            snprintf(field, sizeof field, "%d/%d", k, i);
            const br_status status =
                br_compile_find_body(c, &place, field, s->contact_exclude[k][i], &body[i]);
            if (status != BR_OK) return status;
        }
        put_pair(contact->exclude[k], body[0], body[1]);
    }
    contact->excludes = sort_pairs(contact->exclude, count);
    return BR_OK;
}

// --- shapes ------------------------------------------------------------------------------------------------

int br_model_may_touch(const br_model *model, int shape_a, int shape_b) {
    const br_model_contact *contact = model->contact;
    const br_model_shape *a = &contact->shape[shape_a], *b = &contact->shape[shape_b];
    if (a->body == b->body || (a->link < 0 && b->link < 0)) return 0;
    if (!(a->def.category & b->def.mask) && !(b->def.category & a->def.mask)) return 0;
    if (!br_collide_possible(a->def.type, b->def.type)) return 0;
    if (a->body >= 0 && b->body >= 0) {
        const int group_a = contact->group[a->body], group_b = contact->group[b->body];
        if (group_a == group_b || has_pair(contact->joined, contact->joineds, group_a, group_b)) return 0;
    }
    return !has_pair(contact->exclude, contact->excludes, a->body, b->body);
}

int br_model_pair(const br_model *model, int shape_a, int shape_b) {
    const br_model_contact *contact = model->contact;
    const int a = contact->shape[shape_a].material, b = contact->shape[shape_b].material;
    return a < 0 || b < 0 ? -1 : contact->pair_of[a * contact->materials.count + b];
}

// The first shape behind k that is of another body: shapes are listed body by body.
static int next_body(const br_model_contact *contact, int k) {
    int next = k + 1;
    while (next < contact->shapes && contact->shape[next].body == contact->shape[k].body) next++;
    return next;
}

int br_model_first_touch(const br_model *model, int *shape_a, int *shape_b) {
    const br_model_contact *contact = model->contact;
    unsigned categories = 0, masks = 0;
    int moving = 0;
    for (int k = 0; k < contact->shapes; k++) {
        categories |= contact->shape[k].def.category;
        masks |= contact->shape[k].def.mask;
        moving |= contact->shape[k].link >= 0;
    }
    if (!moving) return 0;
    for (int a = 0, other = 0; a < contact->shapes; a++) {
        if (a == other) other = next_body(contact, a);
        const br_shape_def *def = &contact->shape[a].def;
        if (!(def->category & masks) && !(def->mask & categories)) continue;
        for (int b = other; b < contact->shapes; b++)
            if (br_model_may_touch(model, a, b)) {
                *shape_a = a, *shape_b = b;
                return 1;
            }
    }
    return 0;
}

br_status br_compile_touch(br_compile *c) {
    int a, b;
    br_status status = list_joined(c);
    if (status == BR_OK) status = list_excluded(c);
    if (status != BR_OK) return status;
    c->model->contacts_possible = br_model_first_touch(c->model, &a, &b);
    return br_compile_touch_notes(c);
}
