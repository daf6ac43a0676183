// One number for everything in a builder that decides a result: every name, kind and number, in order, field
// by field (structs have padding). The fields are hashed by their tables; here is what they count.
#include <string.h>

#include "base/hash.h"
#include "model/compile/compile.h"
#include "model/def/field.h"

enum { REST = BR_MAX_FIELDS }; // to the last place

static uint64_t text(uint64_t h, const char *s) {
    return s ? br_hash_bytes(h, s, strlen(s) + 1) : br_hash_u64(h, 0);
}

static uint64_t whole(uint64_t h, int k) {
    return br_hash_u64(h, (uint64_t)(int64_t)k);
}

static uint64_t vector(uint64_t h, br_vec3 a) {
    const double x[3] = {a.x, a.y, a.z};
    return br_hash_doubles(h, x, 3);
}

static uint64_t hash_pose(uint64_t h, br_pose X) {
    const double q[4] = {X.rotation.w, X.rotation.x, X.rotation.y, X.rotation.z};
    return vector(br_hash_doubles(h, q, 4), X.position);
}

static uint64_t shape(uint64_t h, const br_shape_def *s) {
    enum { BEFORE = 8 }; // fields, then the points. Not the file: its points decide
    h = br_def_hash(h, &br_def_shape, s, 1, BEFORE);
    for (int k = 0; k < s->point_count; k++) h = vector(h, s->points[k]);
    h = br_def_hash(h, &br_def_shape, s, BEFORE + 1, REST);
    if (s->columns > 0) h = br_hash_doubles(h, s->heights, (size_t)s->columns * (size_t)s->rows);
    return br_hash_u64(br_hash_u64(h, s->category), s->mask);
}

static uint64_t body(uint64_t h, const br_body_def *b) {
    h = br_def_hash(h, &br_def_body, b, 1, REST);
    if (b->has_velocity) h = vector(vector(h, b->velocity), b->angular_velocity);
    h = whole(whole(h, b->frame_count), b->shape_count);
    for (int k = 0; k < b->frame_count; k++) h = hash_pose(text(h, b->frames[k].name), b->frames[k].pose);
    for (int k = 0; k < b->shape_count; k++) h = shape(h, &b->shapes[k]);
    return h;
}

static uint64_t tendon(uint64_t h, const br_joint_def *j) {
    h = whole(br_hash_doubles(h, &j->slack, 1), j->path_count);
    for (const br_tendon_part_def *p = j->path; p < j->path + j->path_count; p++) {
        const double x[2] = {p->radius, p->factor};
        h = br_hash_doubles(hash_pose(text(whole(h, (int)p->kind), p->of), p->pose), x, 2);
        h = whole(vector(text(h, p->side_of), p->side), p->coordinate);
    }
    return h;
}

static uint64_t joint(uint64_t h, const br_joint_def *j) {
    enum { BEFORE = 14 }; // fields, then where it starts
    h = br_def_hash(h, &br_def_joint, j, 1, BEFORE);
    if (j->has_position) h = br_hash_doubles(h, j->position, (size_t)br_joint_type_positions(j->type));
    if (j->has_velocity) h = br_hash_doubles(h, j->velocity, (size_t)br_joint_type_velocities(j->type));
    h = br_def_hash(h, &br_def_joint, j, BEFORE + 1, REST);
    return j->type == BR_JOINT_TENDON ? tendon(h, j) : h;
}

static uint64_t constraint(uint64_t h, const br_constraint_def *d) {
    h = br_def_hash(h, &br_def_constraint, d, 1, REST);
    for (int k = 0; k < d->term_count; k++) h = br_def_hash(h, &br_def_term, &d->terms[k], 1, REST);
    return h;
}

static uint64_t settings(uint64_t h, const br_settings *s) {
    enum { BEFORE = 6 }; // fields, then the list of bodies that never collide
    h = whole(br_def_hash(h, &br_def_settings, s, 1, BEFORE), s->contact_exclude_count);
    for (int k = 0; k < s->contact_exclude_count; k++)
        h = text(text(h, s->contact_exclude[k][0]), s->contact_exclude[k][1]);
    return br_def_hash(h, &br_def_settings, s, BEFORE + 1, REST);
}

// A setting of steps that do not vary decides nothing, and a model without beams keeps the number it had before there
// were any: results and states are known by it.
static uint64_t adaptive(uint64_t h, const br_adaptive_settings *a) {
    return a->on ? br_def_hash(text(h, "adaptive"), &br_def_adaptive, a, 1, REST) : h;
}

static uint64_t beam(uint64_t h, const br_beam_def *b) {
    enum { BEFORE = 3 }; // fields, then the points
    h = br_def_hash(h, &br_def_beam, b, 1, BEFORE);
    for (int k = 0; k < b->point_count; k++) h = vector(h, b->points[k]);
    h = whole(br_def_hash(h, &br_def_beam, b, BEFORE + 1, REST), b->attach_count);
    for (int k = 0; k < b->attach_count; k++)
        h = text(br_hash_doubles(h, &b->attach[k].station, 1), b->attach[k].body);
    h = whole(h, b->has_velocity);
    return b->has_velocity ? vector(vector(h, b->velocity), b->angular_velocity) : h;
}

static uint64_t clearance(uint64_t h, const br_clearance_def *d) {
    enum { BEFORE = 15 }; // fields, then the table
    h = br_def_hash(h, &br_def_clearance, d, 1, BEFORE);
    if (d->table_count > 0) {
        h = br_hash_doubles(h, d->table_depth, (size_t)d->table_count);
        h = br_hash_doubles(h, d->table_force, (size_t)d->table_count);
    }
    return br_def_hash(h, &br_def_clearance, d, BEFORE + 1, REST);
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
    for (int k = 0; k < count[2]; k++) h = br_def_hash(h, &br_def_load, &b->load[k], 1, REST);
    for (int k = 0; k < count[3]; k++) h = br_def_hash(h, &br_def_drive, &b->drive[k], 1, REST);
    for (int k = 0; k < count[4]; k++) h = constraint(h, &b->constraint[k]);
    for (int k = 0; k < count[5]; k++) h = text(h, b->material_names.name[k]);
    for (int k = 0; k < count[6]; k++) h = shape(h, &b->ground[k]);
    for (int k = 0; k < count[7]; k++) h = br_def_hash(h, &br_def_pair, &b->pair[k], 1, REST);
    return flexible(h, b);
}
