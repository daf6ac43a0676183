// Shapes, materials and pairs: references checked, definitions kept for contact.
#include <stdio.h>
#include <string.h>

#include "model/compile.h"

static br_status copy_shape(br_compile *c, const br_shape_def *def, int body, int k) {
    br_model *m = c->model;
    br_model_contact *contact = m->contact;
    char field[32];
    snprintf(field, sizeof field, body < 0 ? "%d" : "shapes/%d", k);
    const br_place place = {body < 0 ? "ground" : "bodies", body < 0 ? NULL : m->body[body].name, c->error};
    if (def->material && br_names_find(&contact->materials, def->material) < 0)
        return br_fail_unknown(&place, "unknown-material", field, "material", def->material,
                               &contact->materials);
    br_model_shape *shape = &contact->shape[contact->shapes++];
    shape->body = body;
    shape->def = *def;
    char name[BR_MAX_NAME + 32];
    snprintf(name, sizeof name, "%.63s.shape%d", body < 0 ? BR_WORLD : m->body[body].name, k);
    shape->def.name = br_copy_text(&m->arena, def->name ? def->name : name);
    shape->def.material = def->material ? br_copy_text(&m->arena, def->material) : NULL;
    shape->def.file = def->file ? br_copy_text(&m->arena, def->file) : NULL;
    br_vec3 *points = BR_TAKE(&m->arena, br_vec3, def->point_count);
    if (!points || !shape->def.name || (def->material && !shape->def.material) ||
        (def->file && !shape->def.file))
        return br_compile_no_memory(c);
    if (def->point_count > 0) memcpy(points, def->points, (size_t)def->point_count * sizeof *points);
    shape->def.points = points;
    return BR_OK;
}

static br_status copy_pair(br_compile *c, const br_pair_def *def, br_pair_def *pair) {
    br_model *m = c->model;
    const char *names[2] = {def->first, def->second};
    char name[2 * BR_MAX_NAME + 2];
    snprintf(name, sizeof name, "%.64s/%.64s", def->first, def->second);
    const br_place place = {"pairs", name, c->error};
    *pair = *def;
    for (int k = 0; k < 2; k++) {
        const int index = br_names_find(&m->contact->materials, names[k]);
        if (index < 0)
            return br_fail_unknown(&place, "unknown-material", NULL, "material", names[k],
                                   &m->contact->materials);
        *(k ? &pair->second : &pair->first) = m->contact->materials.name[index];
    }
    if (def->compliance && !(pair->compliance = br_copy_text(&m->arena, def->compliance)))
        return br_compile_no_memory(c);
    return BR_OK;
}

br_status br_compile_contact(br_compile *c) {
    br_model *m = c->model;
    const br_builder *b = c->builder;
    int shapes = 0, solid = b->grounds > 0; // solid: things with shapes that can move against each other
    for (int k = 0; k < c->bodies; k++) {
        shapes += b->body[k].shape_count;
        solid += b->body[k].shape_count > 0;
    }
    br_model_contact *contact = m->contact = BR_TAKE(&m->arena, br_model_contact, 1);
    if (!contact) return br_compile_no_memory(c);
    contact->shape = BR_TAKE(&m->arena, br_model_shape, (size_t)shapes + (size_t)b->grounds);
    contact->pair = BR_TAKE(&m->arena, br_pair_def, b->pairs);
    if (!contact->shape || !contact->pair) return br_compile_no_memory(c);
    for (int k = 0; k < b->material_names.count; k++) {
        const char *name = br_copy_text(&m->arena, b->material_names.name[k]);
        if (!name || br_names_add(&contact->materials, &m->arena, name) != BR_OK)
            return br_compile_no_memory(c);
    }
    br_status status = BR_OK;
    for (int k = 0; k < c->bodies; k++)
        for (int i = 0; status == BR_OK && i < b->body[k].shape_count; i++)
            status = copy_shape(c, &b->body[k].shapes[i], k, i);
    for (int i = 0; status == BR_OK && i < b->grounds; i++) status = copy_shape(c, &b->ground[i], -1, i);
    for (int i = 0; status == BR_OK && i < b->pairs; i++)
        status = copy_pair(c, &b->pair[i], &contact->pair[i]);
    contact->pairs = b->pairs;
    m->shapes = shapes;
    m->grounds = b->grounds;
    m->contacts_possible = solid > 1;
    return status;
}
