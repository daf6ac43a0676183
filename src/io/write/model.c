// A builder as a model file in YAML: settings and bodies here, joints, loads and contact in files of
// their own.
//
// What is written reads back as the same model. Poses are given in the body that a joint connects to, as a
// person would write them; numbers have as few digits as it takes to read the same bits again.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bristle/io.h"
#include "io/text/text.h"
#include "io/text/write.h"
#include "io/write/write.h"

// ---------------------------------------------------------------------------------------------------- values

void br_model_put_number(FILE *file, double x) {
    char text[40];
    if (isinf(x)) {
        fputs(x < 0.0 ? "-inf" : "inf", file);
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, x == 0.0 ? 0.0 : x);
        if (strtod(text, NULL) == x) break;
    }
    fputs(text, file);
}

void br_model_put_numbers(FILE *file, const double *x, int count) {
    for (int k = 0; k < count; k++) {
        fputs(k == 0 ? "[" : ", ", file);
        br_model_put_number(file, x[k]);
    }
    fputs("]", file);
}

void br_model_put_vector(FILE *file, br_vec3 v) {
    const double x[3] = {v.x, v.y, v.z};
    br_model_put_numbers(file, x, 3);
}

static int is_plain(const char *name) {
    const int letter =
        (name[0] >= 'A' && name[0] <= 'Z') || (name[0] >= 'a' && name[0] <= 'z') || name[0] == '_';
    return letter && strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+().") ==
                         strlen(name);
}

void br_model_put_name(FILE *file, const char *name) {
    if (is_plain(name)) {
        fputs(name, file);
        return;
    }
    fputc('"', file);
    for (const char *p = name; *p; p++) {
        if (*p == '"' || *p == '\\') fputc('\\', file);
        fputc(*p, file);
    }
    fputc('"', file);
}

void br_model_put_pose(FILE *file, br_pose X) {
    const double q[4] = {X.rotation.w, X.rotation.x, X.rotation.y, X.rotation.z};
    fputs("position: ", file);
    br_model_put_vector(file, X.position);
    if (fabs(q[0]) == 1.0) return;
    fputs(", quaternion: ", file);
    br_model_put_numbers(file, q, 4);
}

void br_model_put_function(FILE *file, const br_function_def *f) {
    const int scaled = f->scale != 0.0 && f->scale != 1.0;
    switch (f->kind) {
    case BR_FUNCTION_CONSTANT:
        br_model_put_number(file, f->constant);
        return;
    case BR_FUNCTION_EXPRESSION:
        fputc('"', file);
        if (scaled) br_model_put_number(file, f->scale);
        fprintf(file, "%s%s%s\"", scaled ? "*(" : "", f->expression, scaled ? ")" : "");
        return;
    default:
        fputs("{table: [", file);
        for (int k = 0; k < f->count; k++) {
            const double row[2] = {f->times[k], f->values[k]};
            fputs(k == 0 ? "" : ", ", file);
            br_model_put_numbers(file, row, 2);
        }
        fprintf(file, "], interpolation: %s}", f->kind == BR_FUNCTION_SMOOTH ? "smooth" : "linear");
    }
}

// To 15 digits; below 1e-15 of the largest, zero.
static void tidy(double *x, int count) {
    double largest = 0.0;
    for (int k = 0; k < count; k++) largest = fmax(largest, fabs(x[k]));
    for (int k = 0; k < count; k++) {
        char text[40];
        snprintf(text, sizeof text, "%.15g", x[k]);
        x[k] = fabs(x[k]) <= 1e-15 * fmax(largest, 1.0) ? 0.0 : strtod(text, NULL);
    }
}

br_vec3 br_model_tidy(br_vec3 v) {
    double x[3] = {v.x, v.y, v.z};
    tidy(x, 3);
    return br_vec3_of(x[0], x[1], x[2]);
}

br_pose br_model_tidy_pose(br_pose X) {
    double q[4] = {X.rotation.w, X.rotation.x, X.rotation.y, X.rotation.z};
    tidy(q, 4);
    return br_pose_of(br_quat_of(q[0], q[1], q[2], q[3]), br_model_tidy(X.position));
}

br_status br_model_cannot(const model_writer *w, const char *group, const char *name, const char *what) {
    char path[BR_MAX_ERROR_PATH];
    snprintf(path, sizeof path, "%.40s/%.100s", group, name);
    return br_fail_path(w->error, BR_INVALID, "model-write", path,
                        "%.100s: %s cannot be written to a model file yet", name, what);
}

// -------------------------------------------------------------------------------------------------- settings

static void put_rule(FILE *file, const char *key, int on, const br_def *def, const br_adaptive_settings *a) {
    fprintf(file, ", %s: %s", key, on ? "{" : "off");
    if (!on) return;
    br_model_put_fields(file, &model_in_line, def, a);
    fputc('}', file);
}

static void write_solver(FILE *file, const br_settings *settings) {
    const br_solver_settings *s = &settings->solver;
    fputs("solver: {", file);
    br_model_put_fields(file, &model_in_line, &br_def_solver, s);
    if (s->position_old) fputs(", position_update: old", file);
    if (s->rotation_euler) fputs(", rotation: euler_zxy", file);
    if (settings->contact_paper && !s->rotation_euler) fputs(", rotation: quaternion", file);
    if (!s->energy_decaying) fputs(", scheme: alpha", file);
    if (s->adaptive.on) {
        fputs(", adaptive: {", file);
        br_model_put_fields(file, &model_in_line, &br_def_adaptive, &s->adaptive);
        put_rule(file, "contact", s->adaptive.contact, &br_def_adaptive_contact, &s->adaptive);
        put_rule(file, "friction", s->adaptive.friction, &br_def_adaptive_friction, &s->adaptive);
        fputc('}', file);
    }
    if (s->redundancy) fprintf(file, ", redundancy: \"%s\"", s->redundancy);
    fputs("}\n", file);
}

static void write_settings(const model_writer *w) {
    const br_settings *s = &w->builder->settings;
    FILE *file = w->file;
    fputs("format: 1\nname: ", file);
    br_model_put_name(file, s->name);
    fputs("\ngravity: ", file);
    br_model_put_vector(file, s->gravity);
    fputc('\n', file);
    if (s->planar != BR_SPATIAL) fprintf(file, "planar: %s\n", br_words_plane[s->planar - BR_PLANAR_XY]);
    if (s->coordinates == BR_ABSOLUTE) fputs("coordinates: absolute\n", file);
    br_model_write_contact(w);
    write_solver(file, s);
    fputs("run: {", file);
    br_model_put_fields(file, &model_in_line, &br_def_run, s);
    fputs("}\n", file);
    if (s->start_penetration != BR_START_SETTLE)
        fprintf(file, "start: {penetration: %s}\n", br_words_start_penetration[s->start_penetration]);
    if (s->check_error > 0.0) {
        fputs("check: {", file);
        br_model_put_fields(file, &model_in_line, &br_def_checks, s);
        fputs("}\n", file);
    }
    for (int k = 0; k < s->output_count; k++) {
        fputs(k == 0 ? "outputs: [" : ", ", file);
        br_model_put_name(file, s->outputs[k]);
    }
    if (s->output_count > 0) fputs("]\n", file);
}

static void write_comment(FILE *file, const char *comment) {
    for (const char *p = comment; p && *p;) {
        const int length = (int)strcspn(p, "\n");
        fprintf(file, "#%s%.*s\n", length > 0 ? " " : "", length, p);
        p += length + (p[length] == '\n');
    }
}

// ---------------------------------------------------------------------------------------------------- bodies

// The body that each body is placed in: the other one of the first joint that has it second, if that comes
// before it.
static int *find_parents(const br_builder *b, br_arena *arena) {
    int *parent = BR_TAKE(arena, int, b->body_names.count);
    if (!parent) return NULL;
    for (int k = 0; k < b->body_names.count; k++) parent[k] = -1;
    for (int j = b->joint_names.count - 1; j >= 0; j--) {
        const br_joint_def *def = &b->joint[j];
        const int first = br_names_find(&b->body_names, def->first),
                  second = br_names_find(&b->body_names, def->second);
        const int carries =
            !def->closes_loop && def->type != BR_JOINT_GEAR && def->type != BR_JOINT_RACK_PINION;
        if (carries && first < second) parent[second] = first; // never in a circle
    }
    return parent;
}

static void write_body(const model_writer *w, int k, int parent) {
    const br_body_def *def = &w->builder->body[k];
    FILE *file = w->file;
    fputs("  ", file);
    br_model_put_name(file, def->name);
    fputs(":\n", file);
    br_model_put_fields(file, &model_in_lines, &br_def_body, def);
    const double I[6] = {def->inertia.xx, def->inertia.yy, def->inertia.zz,
                         def->inertia.xy, def->inertia.xz, def->inertia.yz};
    fputs("    inertia: ", file);
    br_model_put_numbers(file, I, I[3] == 0.0 && I[4] == 0.0 && I[5] == 0.0 ? 3 : 6);
    fputs("\n    pose: {", file);
    if (parent >= 0) {
        fputs("in: ", file);
        br_model_put_name(file, w->builder->body[parent].name);
        fputs(", ", file);
    }
    br_model_put_pose(
        file, parent < 0 ? def->pose
                         : br_model_tidy_pose(br_pose_between(w->builder->body[parent].pose, def->pose)));
    fputs("}\n", file);
    if (def->has_velocity) {
        fputs("    velocity: {linear: ", file);
        br_model_put_vector(file, def->velocity);
        fputs(", angular: ", file);
        br_model_put_vector(file, def->angular_velocity);
        fputs("}\n", file);
    }
    if (def->frame_count > 0 || br_model_frame_is_used(w, k)) {
        fputs("    frames:\n", file);
        for (int i = 0; i < def->frame_count; i++) {
            fputs("      ", file);
            br_model_put_name(file, def->frames[i].name);
            fputs(": {", file);
            br_model_put_pose(file, def->frames[i].pose);
            fputs("}\n", file);
        }
        br_model_write_frames(w, k);
    }
    br_model_write_shapes(w, def);
}

static br_status write_bodies(const model_writer *w, br_arena *arena) {
    const br_builder *b = w->builder;
    const int *parent = find_parents(b, arena);
    if (!parent)
        return br_fail(w->error, BR_NO_MEMORY, "out-of-memory", "not enough memory to write the model");
    fputs(b->body_names.count > 0 ? "\nbodies:\n" : "", w->file);
    for (int k = 0; k < b->body_names.count; k++) write_body(w, k, parent[k]);
    return BR_OK;
}

// ----------------------------------------------------------------------------------------------------- whole

static br_status write_all(model_writer *w, const char *comment, br_arena *arena) {
    write_comment(w->file, comment);
    write_settings(w);
    br_model_write_materials(w);
    br_status status = br_model_plan_joints(w, arena);
    if (status == BR_OK) status = write_bodies(w, arena);
    if (status == BR_OK) br_model_write_ground(w);
    if (status == BR_OK) br_model_write_beams(w);
    if (status == BR_OK) status = br_model_write_joints(w);
    if (status == BR_OK) br_model_write_clearances(w);
    if (status == BR_OK) status = br_model_write_loads(w);
    if (status == BR_OK) status = br_model_write_drives(w);
    if (status == BR_OK) status = br_model_write_sensors(w);
    if (status == BR_OK) status = br_model_write_constraints(w);
    return status;
}

br_status br_model_write_text(const br_builder *builder, const char *comment, char **out, br_error *error) {
    io_memory memory;
    br_arena arena;
    br_status status = br_io_memory_open(&memory, error);
    if (status != BR_OK) return status;
    br_arena_init(&arena, NULL);
    model_writer w = {.file = memory.file, .builder = builder, .path = "", .error = error};
    const io_locale locale = br_io_locale_enter();
    status = write_all(&w, comment, &arena);
    br_io_locale_leave(locale);
    br_arena_free(&arena);
    return br_io_memory_close(&memory, status, out, error);
}

br_status br_model_write_yaml(const br_builder *builder, const char *comment, const char *path,
                              br_error *error) {
    io_output out;
    br_arena arena;
    br_status status = br_io_open_text(&out, path, error);
    if (status != BR_OK) return status;
    br_arena_init(&arena, NULL);
    model_writer w = {.file = out.file, .builder = builder, .path = path, .error = error};
    const io_locale locale = br_io_locale_enter();
    status = write_all(&w, comment, &arena);
    br_io_locale_leave(locale);
    br_arena_free(&arena);
    if (status == BR_OK) return br_io_close_text(&out, error);
    fclose(out.file);
    if (!out.in_place) br_io_abandon(&out.temporary);
    return status;
}
