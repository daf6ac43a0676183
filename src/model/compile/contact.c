// Shapes, materials and pairs: references checked, geometry made, the contact settings as numbers. Who may touch whom is
// in compile/touch.c.
#include <stdio.h>
#include <string.h>

#include "model/compile/compile.h"

static br_status copy_definition(br_compile *c, const br_shape_def *def, const char *name,
                                 br_shape_def *out) {
    br_arena *arena = &c->model->arena;
    *out = *def;
    out->name = br_copy_text(arena, def->name ? def->name : name);
    out->material = def->material ? br_copy_text(arena, def->material) : NULL;
    out->file = def->file ? br_copy_text(arena, def->file) : NULL;
    const size_t heights = (size_t)def->columns * (size_t)def->rows;
    br_vec3 *points = BR_TAKE(arena, br_vec3, def->point_count);
    double *height = BR_TAKE(arena, double, heights);
    if (!points || !height || !out->name || (def->material && !out->material) || (def->file && !out->file))
        return br_compile_no_memory(c);
    if (def->point_count > 0) memcpy(points, def->points, (size_t)def->point_count * sizeof *points);
    if (heights > 0) memcpy(height, def->heights, heights * sizeof *height);
    out->points = points;
    out->heights = height;
    if (out->category == 0 && out->mask == 0) out->category = out->mask = 1;
    return BR_OK;
}

// The geometry's own message, with the shape's place.
static br_status make_geometry(br_compile *c, const br_place *place, const char *field,
                               br_model_shape *shape) {
    br_error fault = {0};
    const br_status status = br_geometry_make(&shape->def, &c->model->arena, &shape->geometry, &fault);
    if (status == BR_NO_MEMORY) return br_compile_no_memory(c);
    if (status == BR_OK) return BR_OK;
    return br_fail_place(place, fault.code ? fault.code : "shape-hull", field, "shape %.80s: %s",
                         shape->def.name, fault.message);
}

static void place_geometry(const br_compile *c, br_model_shape *shape) {
    br_pose X = shape->geometry.X_shape;
    if (shape->body >= 0) {
        const br_model_body *body = &c->model->body[shape->body];
        X = br_pose_mul(body->X_LB, X);
        shape->link = c->model->contact->fixed[shape->body] ? -1 : body->link;
        if (shape->link < 0) X = br_pose_mul(c->X_WL[body->link], X);
    }
    shape->X_L.R = br_quat_to_mat3(br_quat_normalize(X.rotation));
    shape->X_L.p = X.position;
    shape->at_link = br_vec3_max_abs(X.position) == 0.0;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) shape->at_link &= shape->X_L.R.m[a][b] == (a == b);
}

// A material is a name that was declared; of one alone, nothing else has to be said.
static br_status unknown_material(br_compile *c, const br_place *place, const br_shape_def *def,
                                  const char *field, const char *name) {
    const br_names *materials = &c->model->contact->materials;
    const char *near = br_names_nearest(materials, def->material);
    char path[48], hint[2 * BR_MAX_NAME + 48];
    snprintf(path, sizeof path, "%s/material", field);
    if (near)
        snprintf(hint, sizeof hint, "; did you mean %.64s?", near);
    else if (materials->count > 0)
        snprintf(hint, sizeof hint, "; write %.64s: {} into materials", def->material);
    else
        snprintf(hint, sizeof hint, "; write materials: {%.64s: {}}", def->material);
    return br_fail_place(place, "unknown-material", path,
                         "shape %s names the material '%.80s', which does not exist%s",
                         def->name ? def->name : name, def->material, hint);
}

static br_status add_shape(br_compile *c, const br_shape_def *def, int body, int k) {
    br_model *m = c->model;
    br_model_contact *contact = m->contact;
    char field[32], name[BR_MAX_NAME + 32];
    snprintf(field, sizeof field, body < 0 ? "%d" : "shapes/%d", k);
    snprintf(name, sizeof name, "%.63s.shape%d", body < 0 ? BR_WORLD : m->body[body].name, k);
    const br_place place = {body < 0 ? "ground" : "bodies", body < 0 ? NULL : m->body[body].name, c->error};
    br_model_shape *shape = &contact->shape[contact->shapes];
    shape->body = body;
    shape->link = -1;
    shape->material = def->material ? br_names_find(&contact->materials, def->material) : -1;
    if (def->material && shape->material < 0) return unknown_material(c, &place, def, field, name);
    if (def->name && br_names_find(&contact->shape_names, def->name) >= 0)
        return br_fail_place(&place, "name-duplicate", field, "there are two shapes named %s", def->name);
    br_status status = copy_definition(c, def, name, &shape->def);
    if (status == BR_OK) status = make_geometry(c, &place, field, shape);
    if (status != BR_OK) return status;
    place_geometry(c, shape);
    contact->shapes++;
    if (br_names_add(&contact->shape_names, &m->arena, shape->def.name) != BR_OK)
        return br_compile_no_memory(c);
    return BR_OK;
}

static br_status add_shapes(br_compile *c) {
    const br_builder *b = c->builder;
    size_t count = (size_t)b->grounds;
    for (int k = 0; k < c->bodies; k++) count += (size_t)b->body[k].shape_count;
    count += (size_t)c->model->contact->plays;
    c->model->contact->shape = BR_TAKE(&c->model->arena, br_model_shape, count);
    if (!c->model->contact->shape) return br_compile_no_memory(c);
    br_status status = BR_OK;
    for (int k = 0; k < c->bodies; k++)
        for (int i = 0; status == BR_OK && i < b->body[k].shape_count; i++)
            status = add_shape(c, &b->body[k].shapes[i], k, i);
    for (int i = 0; status == BR_OK && i < b->grounds; i++) status = add_shape(c, &b->ground[i], -1, i);
    return status;
}

// --- materials ---------------------------------------------------------------------------------------------

static br_status add_pair(br_compile *c, const br_pair_def *def, int at) {
    br_model_contact *contact = c->model->contact;
    br_pair_def *pair = &contact->pair[at];
    const char *names[2] = {def->first, def->second};
    char name[2 * BR_MAX_NAME + 2];
    snprintf(name, sizeof name, "%.64s/%.64s", def->first, def->second);
    const br_place place = {"pairs", name, c->error};
    int index[2];
    *pair = *def;
    for (int k = 0; k < 2; k++) {
        index[k] = br_names_find(&contact->materials, names[k]);
        if (index[k] < 0)
            return br_fail_unknown(&place, "unknown-material", NULL, "material", names[k],
                                   &contact->materials);
        *(k ? &pair->second : &pair->first) = contact->materials.name[index[k]];
    }
    if (def->compliance && !(pair->compliance = br_copy_text(&c->model->arena, def->compliance)))
        return br_compile_no_memory(c);
    const int n = contact->materials.count;
    contact->pair_of[index[0] * n + index[1]] = contact->pair_of[index[1] * n + index[0]] = at;
    return BR_OK;
}

static br_status add_materials(br_compile *c) {
    br_model_contact *contact = c->model->contact;
    const br_builder *b = c->builder;
    br_arena *arena = &c->model->arena;
    const int n = b->material_names.count;
    if (n > BR_MAX_MATERIALS)
        return br_fail_place(&(br_place){"materials", NULL, c->error}, "model-too-large", NULL,
                             "there are %d materials, expected at most %d", n, BR_MAX_MATERIALS);
    contact->pair = BR_TAKE(arena, br_pair_def, b->pairs + contact->plays);
    contact->pair_of = BR_TAKE(arena, int, (size_t)n *(size_t)n);
    if (!br_arena_ok(arena)) return br_compile_no_memory(c);
    for (int k = 0; k < n * n; k++) contact->pair_of[k] = -1;
    for (int k = 0; k < n; k++) {
        const char *name = br_copy_text(arena, b->material_names.name[k]);
        if (!name || br_names_add(&contact->materials, arena, name) != BR_OK) return br_compile_no_memory(c);
    }
    br_status status = BR_OK;
    for (int i = 0; status == BR_OK && i < b->pairs; i++) status = add_pair(c, &b->pair[i], i);
    contact->pairs = b->pairs;
    return status;
}

// Clearances as contacts: what shapes and pairs say of others. Friction that is no Coulomb friction is not here.
static void add_plays(br_compile *c) {
    br_model *m = c->model;
    for (int k = 0; k < m->contact->plays; k++) {
        const br_model_clearance *play = &m->clearance[k];
        br_model_shape *shape = &m->contact->shape[m->contact->shapes + k];
        br_pair_def *pair = &m->contact->pair[m->contact->pairs + k];
        *shape =
            (br_model_shape){.body = -1, .link = play->second, .material = -1, .def = {.name = play->name}};
        shape->X_L.R = br_mat3_identity(), shape->X_L.p = play->X_BM.position;
        shape->geometry.type = BR_SHAPE_SPHERE;
        shape->geometry.size = shape->geometry.reach = play->inner_radius;
        *pair = br_default_pair_def();
        pair->first = pair->second = play->name;
        pair->bristle_stiffness = INFINITY;
        pair->mu_static = pair->mu_kinetic = 0.0;
        if (br_friction_is_set_valued(&play->friction))
            pair->mu_static = play->friction.mu_static, pair->mu_kinetic = play->friction.mu_kinetic;
    }
}

// The words were checked when the settings were given to the builder.
static void set_laws(br_model_contact *contact, const br_settings *s) {
    br_contact_law_of(s->contact_law, &contact->law, &contact->argument);
    contact->traits = br_contact_law_traits_of(s->contact_law);
    br_contact_bounds_of(s->contact_bounds, &contact->bounds, &contact->passes);
    contact->paper = s->contact_paper;
}

br_status br_compile_contact(br_compile *c) {
    br_model_contact *contact = c->model->contact = BR_TAKE(&c->model->arena, br_model_contact, 1);
    if (!contact) return br_compile_no_memory(c);
    set_laws(contact, &c->model->settings);
    contact->plays = c->model->clearances;
    br_status status = add_materials(c);
    if (status == BR_OK) status = br_compile_groups(c);
    if (status == BR_OK) status = add_shapes(c);
    if (status == BR_OK) add_plays(c);
    return status == BR_OK ? br_compile_touch(c) : status;
}
