// One number for everything in a builder that decides a result: every name, kind and number, in order, field
// by field (structs have padding).
#include <string.h>

#include "base/hash.h"
#include "model/compile/compile.h"
#include "model/def/field.h"

static uint64_t text(uint64_t h, const char *s) {
    return s ? br_hash_bytes(h, s, strlen(s) + 1) : br_hash_u64(h, 0);
}

static uint64_t number(uint64_t h, double x) {
    return br_hash_doubles(h, &x, 1);
}

static uint64_t whole(uint64_t h, int k) {
    return br_hash_u64(h, (uint64_t)(int64_t)k);
}

static uint64_t vector(uint64_t h, br_vec3 a) {
    return number(number(number(h, a.x), a.y), a.z);
}

static uint64_t hash_pose(uint64_t h, br_pose X) {
    const double q[4] = {X.rotation.w, X.rotation.x, X.rotation.y, X.rotation.z};
    return vector(br_hash_doubles(h, q, 4), X.position);
}

static uint64_t function(uint64_t h, const br_function_def *f) {
    h = number(number(whole(h, (int)f->kind), f->constant), f->scale);
    h = whole(text(h, f->expression), f->count);
    if (f->count > 0)
        h = br_hash_doubles(br_hash_doubles(h, f->times, (size_t)f->count), f->values, (size_t)f->count);
    return h;
}

static uint64_t shape(uint64_t h, const br_shape_def *s) {
    h = text(text(whole(h, (int)s->type), s->name), s->material); // not the file: its points decide
    h = number(vector(hash_pose(h, s->pose), s->size), s->length);
    h = whole(vector(h, s->axis), s->point_count);
    for (int k = 0; k < s->point_count; k++) h = vector(h, s->points[k]);
    h = vector(whole(whole(h, s->columns), s->rows), s->spacing);
    if (s->columns > 0) h = br_hash_doubles(h, s->heights, (size_t)s->columns * (size_t)s->rows);
    return br_hash_u64(br_hash_u64(h, s->category), s->mask);
}

static uint64_t body(uint64_t h, const br_body_def *b) {
    const br_sym3 I = b->inertia;
    const double inertia[6] = {I.xx, I.yy, I.zz, I.xy, I.xz, I.yz};
    h = vector(number(text(h, b->name), b->mass), b->com);
    h = hash_pose(br_hash_doubles(h, inertia, 6), b->pose);
    h = whole(h, b->has_velocity);
    if (b->has_velocity) h = vector(vector(h, b->velocity), b->angular_velocity);
    h = whole(whole(h, b->frame_count), b->shape_count);
    for (int k = 0; k < b->frame_count; k++) h = hash_pose(text(h, b->frames[k].name), b->frames[k].pose);
    for (int k = 0; k < b->shape_count; k++) h = shape(h, &b->shapes[k]);
    return h;
}

static uint64_t joint(uint64_t h, const br_joint_def *j) {
    const double x[] = {
        j->pitch, j->length, j->ratio, j->radius, j->compliance_translation, j->compliance_rotation};
    h = text(text(whole(text(h, j->name), (int)j->type), j->first), j->second);
    h = br_hash_doubles(hash_pose(hash_pose(h, j->X_AF), j->X_BM), x, sizeof x / sizeof *x);
    h = whole(whole(h, j->has_position), j->has_velocity);
    if (j->has_position) h = br_hash_doubles(h, j->position, (size_t)br_joint_type_positions(j->type));
    if (j->has_velocity) h = br_hash_doubles(h, j->velocity, (size_t)br_joint_type_velocities(j->type));
    const double *const row[] = {j->lower, j->upper, j->stiffness, j->rest, j->damping, j->armature};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) h = br_hash_doubles(h, row[k], BR_MAX_JOINT_V);
    h = br_hash_u64(h, (uint64_t)(j->closes_loop != 0));
    return br_def_hash(h, &br_def_friction, &j->friction, 1, BR_MAX_FIELDS);
}

static uint64_t hash_load(uint64_t h, const br_load_def *l) {
    h = text(text(whole(text(h, l->name), (int)l->type), l->first), l->second);
    h = whole(hash_pose(hash_pose(h, l->X_A), l->X_B), l->in_body_axes);
    for (int k = 0; k < 3; k++) h = function(h, &l->component[k]);
    return number(br_hash_doubles(br_hash_doubles(h, l->stiffness, 6), l->damping, 6), l->length);
}

static uint64_t drive(uint64_t h, const br_drive_def *d) {
    const double x[] = {d->stiffness, d->damping, d->max_effort};
    h = whole(text(whole(text(h, d->name), (int)d->type), d->joint), d->coordinate);
    return br_hash_doubles(function(h, &d->target), x, 3);
}

static uint64_t constraint(uint64_t h, const br_constraint_def *d) {
    h = whole(function(text(h, d->name), &d->value), d->term_count);
    for (int k = 0; k < d->term_count; k++) {
        const br_term_def *t = &d->terms[k];
        h = whole(text(text(h, t->joint), t->body), t->coordinate);
        h = whole(vector(vector(h, t->point), t->direction), t->in_world_axes);
        h = function(h, &t->coefficient);
    }
    return h;
}

static uint64_t settings(uint64_t h, const br_settings *s) {
    enum { BEFORE = 6 }; // fields, then the list of bodies that never collide
    h = whole(br_def_hash(h, &br_def_settings, s, 1, BEFORE), s->contact_exclude_count);
    for (int k = 0; k < s->contact_exclude_count; k++)
        h = text(text(h, s->contact_exclude[k][0]), s->contact_exclude[k][1]);
    return br_def_hash(h, &br_def_settings, s, BEFORE + 1, BR_MAX_FIELDS);
}

// A setting of steps that do not vary decides nothing, and a model without beams keeps the number it had before there
// were any: results and states are known by it.
static uint64_t adaptive(uint64_t h, const br_adaptive_settings *a) {
    return a->on ? br_def_hash(text(h, "adaptive"), &br_def_adaptive, a, 1, BR_MAX_FIELDS) : h;
}

static uint64_t beam(uint64_t h, const br_beam_def *b) {
    const br_section_def *s = &b->section;
    const double x[] = {s->size[0],  s->size[1], s->size[2],    s->size[3],    s->E,          s->nu,
                        s->density,  s->EA,      s->GA_y,       s->GA_z,       s->GJ,         s->EI_y,
                        s->EI_z,     s->mass,    s->inertia[0], s->inertia[1], s->inertia[2], s->offset_y,
                        s->offset_z, b->twist,   b->damping};
    h = whole(whole(text(h, b->name), (int)b->line), b->point_count);
    for (int k = 0; k < b->point_count; k++) h = vector(h, b->points[k]);
    h = whole(whole(vector(h, b->up), b->elements), (int)s->shape);
    h = whole(br_hash_doubles(h, x, sizeof x / sizeof *x), b->attach_count);
    for (int k = 0; k < b->attach_count; k++) h = text(number(h, b->attach[k].station), b->attach[k].body);
    h = whole(h, b->has_velocity);
    return b->has_velocity ? vector(vector(h, b->velocity), b->angular_velocity) : h;
}

static uint64_t clearance(uint64_t h, const br_clearance_def *d) {
    const double x[] = {d->outer_radius, d->inner_radius, d->length,     d->stiffness,
                        d->damping,      d->exponent,     d->restitution};
    h = text(text(whole(text(h, d->name), (int)d->type), d->first), d->second);
    h = text(hash_pose(hash_pose(h, d->X_AF), d->X_BM), d->law);
    h = whole(br_hash_doubles(h, x, sizeof x / sizeof *x), d->table_count);
    if (d->table_count > 0) {
        h = br_hash_doubles(h, d->table_depth, (size_t)d->table_count);
        h = br_hash_doubles(h, d->table_force, (size_t)d->table_count);
    }
    return br_def_hash(h, &br_def_friction, &d->friction, 1, BR_MAX_FIELDS);
}

static uint64_t flexible(uint64_t h, const br_builder *b) {
    const int beams = b->beam_names.count, clearances = b->clearance_names.count;
    if (beams > 0) h = whole(text(h, "beams"), beams);
    for (int k = 0; k < beams; k++) h = beam(h, &b->beam[k]);
    if (clearances > 0) h = whole(text(h, "clearances"), clearances);
    for (int k = 0; k < clearances; k++) h = clearance(h, &b->clearance[k]);
    return h;
}

uint64_t br_builder_hash(const br_builder *b) {
    uint64_t h = adaptive(settings(BR_HASH_START, &b->settings), &b->settings.solver.adaptive);
    const int count[] = {
        b->body_names.count,       b->joint_names.count,    b->load_names.count, b->drive_names.count,
        b->constraint_names.count, b->material_names.count, b->grounds,          b->pairs};
    for (size_t k = 0; k < sizeof count / sizeof *count; k++) h = whole(h, count[k]);
    for (int k = 0; k < count[0]; k++) h = body(h, &b->body[k]);
    for (int k = 0; k < count[1]; k++) h = joint(h, &b->joint[k]);
    for (int k = 0; k < count[2]; k++) h = hash_load(h, &b->load[k]);
    for (int k = 0; k < count[3]; k++) h = drive(h, &b->drive[k]);
    for (int k = 0; k < count[4]; k++) h = constraint(h, &b->constraint[k]);
    for (int k = 0; k < count[5]; k++) h = text(h, b->material_names.name[k]);
    for (int k = 0; k < count[6]; k++) h = shape(h, &b->ground[k]);
    for (int k = 0; k < count[7]; k++) h = br_def_hash(h, &br_def_pair, &b->pair[k], 1, BR_MAX_FIELDS);
    return flexible(h, b);
}
