// Drives and linear constraints: references resolved, frames taken to the links, functions compiled.
#include <stdio.h>

#include "model/compile/compile.h"

static br_status check_coordinate(const br_compile *c, const br_place *place, int joint, int coordinate,
                                  int needs_position) {
    const br_model_joint *j = &c->model->joint[joint];
    const int nv = br_joint_type_velocities(j->type);
    if (coordinate >= nv)
        return br_fail_place(place, "drive-coordinate", nv ? "coordinate" : "joint",
                             "%s names coordinate %d of joint %s, but a %s joint has %d", place->name,
                             coordinate, j->name, br_joint_type_name(j->type), nv);
    if (needs_position && coordinate >= br_joint_type_plain(j->type))
        return br_fail_place(
            place, "drive-coordinate", "coordinate",
            "%s drives the position of coordinate %d of joint %s, which is part of a quaternion and has "
            "no position of its own",
            place->name, coordinate, j->name);
    return BR_OK;
}

// A coordinate obeys one exact motion at most.
static int is_exact(const br_model_drive *d) {
    return d->type == BR_DRIVE_POSITION || (d->type == BR_DRIVE_VELOCITY && !(d->max_effort < INFINITY));
}

// Only exact drives are kept in taken[coordinate]: 1 + the drive.
static br_status claim(const br_compile *c, const br_place *place, int *taken, int k) {
    const br_model *m = c->model;
    const br_model_drive *d = &m->drive[k];
    const br_model_joint *joint = &m->joint[d->joint];
    if (!is_exact(d)) return BR_OK;
    int *slot = &taken[(joint->link < 0 ? m->tree.nv : 0) + joint->v_at + d->coordinate];
    if (*slot)
        return br_fail_place(place, "drive-conflict", "joint",
                             "drives %s and %s both prescribe the motion of joint %s, coordinate %d",
                             m->drive[*slot - 1].name, d->name, joint->name, d->coordinate);
    *slot = k + 1;
    return BR_OK;
}

static br_status compile_drive(br_compile *c, int k, int *taken) {
    br_model *m = c->model;
    const br_drive_def *def = &c->builder->drive[k];
    br_model_drive *drive = &m->drive[k];
    const br_place place = {"drives", def->name, c->error};
    const int position = def->type == BR_DRIVE_POSITION || def->type == BR_DRIVE_SERVO;
    if (!(drive->name = br_copy_text(&m->arena, def->name))) return br_compile_no_memory(c);
    drive->type = def->type;
    drive->coordinate = def->coordinate;
    drive->stiffness = def->stiffness;
    drive->damping = def->damping;
    drive->max_effort = def->max_effort;
    br_status status = br_compile_find_joint(c, &place, "joint", def->joint, &drive->joint);
    if (status == BR_OK) status = check_coordinate(c, &place, drive->joint, def->coordinate, position);
    const br_reads reads = def->type == BR_DRIVE_POSITION   ? BR_READS_TIME
                           : def->type == BR_DRIVE_VELOCITY ? BR_READS_POSITIONS
                                                            : BR_READS_STATE;
    if (status == BR_OK)
        status = br_compile_function(c, &place, br_drive_field(def), &def->target, reads, &drive->target);
    return status == BR_OK ? claim(c, &place, taken, k) : status;
}

br_status br_compile_drives(br_compile *c) {
    br_model *m = c->model;
    const int count = c->builder->drive_names.count;
    int *taken = BR_TAKE(&c->scratch, int, m->tree.nv + m->loop_nv);
    m->drive = BR_TAKE(&m->arena, br_model_drive, count);
    if (!br_arena_ok(&m->arena) || !br_arena_ok(&c->scratch)) return br_compile_no_memory(c);
    br_status status = BR_OK;
    for (int k = 0; status == BR_OK && k < count; k++) status = compile_drive(c, k, taken);
    m->drives = count;
    return status;
}

// --- constraints -------------------------------------------------------------------------------------------

static br_status compile_term(br_compile *c, const br_place *place, const char *field, const br_term_def *def,
                              br_model_term *term) {
    br_model *m = c->model;
    br_status status = BR_OK;
    term->joint = term->link = -1;
    if (def->joint && def->joint[0]) {
        term->coordinate = def->coordinate;
        status = br_compile_find_joint(c, place, field, def->joint, &term->joint);
        if (status == BR_OK) status = check_coordinate(c, place, term->joint, def->coordinate, 0);
    } else {
        int body = -1;
        status = br_compile_find_body(c, place, field, def->body, &body);
        if (status != BR_OK) return status;
        const br_pose X_LB = body < 0 ? br_pose_identity() : m->body[body].X_LB;
        term->link = body < 0 ? -1 : m->body[body].link;
        term->point_L = br_pose_point(X_LB, def->point);
        term->in_world_axes = def->in_world_axes;
        term->direction = def->in_world_axes ? def->direction : br_pose_vector(X_LB, def->direction);
    }
    if (status != BR_OK) return status;
    return br_compile_function(c, place, field, &def->coefficient, BR_READS_POSITIONS, &term->coefficient);
}

static br_status compile_constraint(br_compile *c, const br_constraint_def *def, br_model_constraint *out) {
    br_model *m = c->model;
    const br_place place = {"constraints", def->name, c->error};
    out->name = br_copy_text(&m->arena, def->name);
    out->term = BR_TAKE(&m->arena, br_model_term, def->term_count);
    if (!out->name || !out->term) return br_compile_no_memory(c);
    out->terms = def->term_count;
    br_status status = BR_OK;
    for (int k = 0; status == BR_OK && k < def->term_count; k++) {
        char field[32];
        snprintf(field, sizeof field, "terms/%d", k);
        status = compile_term(c, &place, field, &def->terms[k], &out->term[k]);
    }
    if (status != BR_OK) return status;
    return br_compile_function(c, &place, "value", &def->value, BR_READS_POSITIONS, &out->value);
}

br_status br_compile_constraints(br_compile *c) {
    br_model *m = c->model;
    const int count = c->builder->constraint_names.count;
    m->constraint = BR_TAKE(&m->arena, br_model_constraint, count);
    if (!m->constraint) return br_compile_no_memory(c);
    br_status status = BR_OK;
    for (int k = 0; status == BR_OK && k < count; k++)
        status = compile_constraint(c, &c->builder->constraint[k], &m->constraint[k]);
    m->constraints = count;
    return status;
}
