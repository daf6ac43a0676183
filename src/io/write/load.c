// Loads, drives and constraints in a model file.
#include <math.h>
#include <string.h>

#include "io/write/write.h"

static void put_pair(FILE *file, const char *key, const char *first, const char *second) {
    fprintf(file, "    %s: [", key);
    br_model_put_name(file, first);
    fputs(", ", file);
    br_model_put_name(file, second);
    fputs("]\n", file);
}

static void put_points(FILE *file, const br_load_def *def) {
    fputs("    at: {", file);
    br_model_put_name(file, def->first);
    fputs(": ", file);
    br_model_put_vector(file, def->X_A.position);
    fputs(", ", file);
    br_model_put_name(file, def->second);
    fputs(": ", file);
    br_model_put_vector(file, def->X_B.position);
    fputs("}\n", file);
}

static void write_force(FILE *file, const br_load_def *def) {
    const int torque = def->type == BR_LOAD_TORQUE;
    fputs("    body: ", file);
    br_model_put_name(file, def->first);
    fprintf(file, "\n    %s: [", torque ? "torque" : "force");
    for (int k = 0; k < 3; k++) {
        fputs(k == 0 ? "" : ", ", file);
        br_model_put_function(file, &def->component[k]);
    }
    fputs("]\n", file);
    br_model_put_fields(file, &model_in_lines, &br_def_force, def);
    if (torque || br_vec3_max_abs(def->X_A.position) == 0.0) return;
    fputs("    at: ", file);
    br_model_put_vector(file, def->X_A.position);
    fputs("\n", file);
}

// A bushing's frames are written by their points alone: they must have the axes of its first body.
static int has_plain_axes(const model_writer *w, const br_load_def *def) {
    br_pose X_WA = br_pose_identity(), X_WB = br_pose_identity();
    br_builder_pose(w->builder, def->first, &X_WA);
    br_builder_pose(w->builder, def->second, &X_WB);
    const br_quat q = br_quat_mul(X_WB.rotation, def->X_B.rotation);
    return br_quat_angle(def->X_A.rotation, br_quat_identity()) < 1e-12 &&
           br_quat_angle(X_WA.rotation, q) < 1e-12;
}

static br_status write_load(model_writer *w, const br_load_def *def) {
    FILE *file = w->file;
    fputs("  ", file);
    br_model_put_name(file, def->name);
    fputs(":\n", file);
    switch (def->type) {
    case BR_LOAD_SPRING:
        put_pair(file, "spring", def->first, def->second);
        put_points(file, def);
        br_model_put_fields(file, &model_in_lines, &br_def_spring, def);
        if (def->length < 0.0) return BR_OK; // the distance at the start
        fputs("    length: ", file);
        br_model_put_number(file, def->length);
        fputs("\n", file);
        return BR_OK;
    case BR_LOAD_BUSHING:
        if (!has_plain_axes(w, def))
            return br_model_cannot(w, "loads", def->name, "a bushing with axes of its own");
        put_pair(file, "bushing", def->first, def->second);
        put_points(file, def);
        br_model_put_fields(file, &model_in_lines, &br_def_bushing, def);
        return BR_OK;
    default:
        write_force(file, def);
        return BR_OK;
    }
}

br_status br_model_write_loads(model_writer *w) {
    br_status status = BR_OK;
    fputs(w->builder->load_names.count > 0 ? "\nloads:\n" : "", w->file);
    for (int k = 0; k < w->builder->load_names.count && status == BR_OK; k++)
        status = write_load(w, &w->builder->load[k]);
    return status;
}

// ---------------------------------------------------------------------------------------------------- drives

// The file calls what turns a torque, what slides a force.
static int slides(const model_writer *w, const br_drive_def *def) {
    const int j = br_names_find(&w->builder->joint_names, def->joint);
    if (j < 0) return def->coordinate < 3 && w->builder->settings.planar == BR_SPATIAL; // BODY.free
    const br_joint_type type = w->builder->joint[j].type;
    return def->coordinate < br_joint_type_velocities(type) &&
           br_joint_type_coordinates(type)[def->coordinate] == 'L';
}

static void write_drive(const model_writer *w, const br_drive_def *def) {
    const char *effort = slides(w, def) ? "force" : "torque";
    const char *const key[] = {effort, "velocity", "position", "servo"};
    FILE *file = w->file;
    fputs("  ", file);
    br_model_put_name(file, def->name);
    fputs(":\n    joint: ", file);
    br_model_put_name(file, def->joint);
    if (def->coordinate > 0) fprintf(file, "\n    coordinate: %d", def->coordinate);
    fprintf(file, "\n    %s: %s", key[def->type], def->type == BR_DRIVE_SERVO ? "{position: " : "");
    br_model_put_function(file, &def->target);
    if (def->type == BR_DRIVE_SERVO) {
        static const model_style more = {", ", ", ", ""};
        br_model_put_fields(file, &more, &br_def_servo, def);
        fputs("}", file);
    }
    fputs("\n", file);
    if (def->max_effort == INFINITY) return;
    fprintf(file, "    max_%s: ", effort);
    br_model_put_number(file, def->max_effort);
    fputs("\n", file);
}

br_status br_model_write_drives(model_writer *w) {
    fputs(w->builder->drive_names.count > 0 ? "\ndrives:\n" : "", w->file);
    for (int k = 0; k < w->builder->drive_names.count; k++) write_drive(w, &w->builder->drive[k]);
    return BR_OK;
}

// ----------------------------------------------------------------------------------------------- constraints

static void write_term(FILE *file, const br_term_def *term) {
    fputs(term->joint ? "      - {joint: " : "      - {body: ", file);
    br_model_put_name(file, term->joint ? term->joint : term->body);
    if (term->joint) {
        if (term->coordinate > 0) fprintf(file, ", coordinate: %d", term->coordinate);
    } else {
        fputs(", at: ", file);
        br_model_put_vector(file, term->point);
        fputs(", direction: ", file);
        br_model_put_vector(file, term->direction);
        if (term->in_world_axes) fputs(", axes: world", file);
    }
    fputs(", coefficient: ", file);
    br_model_put_function(file, &term->coefficient);
    fputs("}\n", file);
}

br_status br_model_write_constraints(model_writer *w) {
    const br_builder *b = w->builder;
    fputs(b->constraint_names.count > 0 ? "\nconstraints:\n" : "", w->file);
    for (int k = 0; k < b->constraint_names.count; k++) {
        const br_constraint_def *def = &b->constraint[k];
        fputs("  ", w->file);
        br_model_put_name(w->file, def->name);
        fputs(":\n    terms:\n", w->file);
        for (int i = 0; i < def->term_count; i++) write_term(w->file, &def->terms[i]);
        br_model_put_fields(w->file, &model_in_lines, &br_def_constraint, def);
    }
    return BR_OK;
}
