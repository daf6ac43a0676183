// Joints in a model file. A definition has two frames, the file says where they meet at the poses as given:
//
//     PLACE_POINT    at: {SECOND: point}, axis: {SECOND: z}: both frames coincide there
//     PLACE_FRAME    at: BODY.FRAME, a frame on one body: both coincide there, and its x axis matters
//     PLACE_POINTS   at: {FIRST: point, SECOND: point}: a joint that is open, or whose axes do not matter
//     PLACE_FRAMES   at: [FIRST.FRAME, SECOND.FRAME]
//     PLACE_AXES     PLACE_POINT with axis_2: universal joints of bodies that have no frames, stations of beams
//     PLACE_NOWHERE  gear, rack_pinion
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "io/write/write.h"
#include "tree/joint.h"

enum {
    PLACE_NOWHERE = 0,
    PLACE_POINT,
    PLACE_FRAME,
    PLACE_POINTS,
    PLACE_FRAMES,
    PLACE_AXES,
    PLACE_IMPOSSIBLE
};

#define BR_EPS_COINCIDE 1e-12 // m, relative to the positions, and rad: what composing poses may leave

static br_pose body_pose(const model_writer *w, const char *name) {
    br_pose X = br_pose_identity();
    br_builder_pose(w->builder, name, &X);
    return X;
}

static int coincide(const model_writer *w, const br_joint_def *def) {
    const br_pose A = body_pose(w, def->first), B = body_pose(w, def->second);
    const br_pose F = br_pose_mul(A, def->X_AF), M = br_pose_mul(B, def->X_BM);
    const double size = 1.0 + br_vec3_norm(A.position) + br_vec3_norm(B.position) + br_vec3_norm(F.position);
    return br_vec3_distance(F.position, M.position) <= BR_EPS_COINCIDE * size &&
           br_quat_angle(F.rotation, M.rotation) <= BR_EPS_COINCIDE;
}

static int is_world(const char *name) {
    return strcmp(name, BR_WORLD) == 0;
}

// The world and stations of beams have none.
static int has_frames(const model_writer *w, const char *name) {
    return br_names_find(&w->builder->body_names, name) >= 0;
}

// The body whose frame says where both meet.
static int frame_side(const model_writer *w, const br_joint_def *def) {
    return has_frames(w, def->second);
}

// Where x points in the frames means nothing.
static int is_about_z(br_joint_type type) {
    return br_joint_type_velocities(type) <= 2 &&
           (br_joint_type_rotation(type) >= 0 || br_joint_type_translation(type) >= 0);
}

static int choose(const model_writer *w, const br_joint_def *def) {
    const int meet = coincide(w, def),
              plain = br_quat_angle(def->X_BM.rotation, br_quat_identity()) <= BR_EPS_COINCIDE;
    switch (def->type) {
    case BR_JOINT_GEAR:
    case BR_JOINT_RACK_PINION:
    case BR_JOINT_TENDON:
        return PLACE_NOWHERE;
    case BR_JOINT_DISTANCE:
        return PLACE_POINTS;
    case BR_JOINT_SPHERICAL:
        if (meet && plain) return PLACE_POINT;
        if (def->closes_loop) return PLACE_POINTS;
        break;
    case BR_JOINT_WELD:
        if (meet) return PLACE_POINT; // every place gives the same relative pose
        break;
    default:
        if (meet && plain && def->type == BR_JOINT_FREE) return PLACE_POINT;
        if (meet && is_about_z(def->type) && !is_world(def->second)) return PLACE_POINT;
    }
    const int first = has_frames(w, def->first), second = has_frames(w, def->second);
    if (meet && (first || second)) return PLACE_FRAME;
    if (meet && def->type == BR_JOINT_UNIVERSAL) return PLACE_AXES;
    return !meet && first && second ? PLACE_FRAMES : PLACE_IMPOSSIBLE;
}

// ---------------------------------------------------------------------------------------------------- frames

static void list_frame(model_writer *w, int joint, int side) {
    const br_joint_def *def = &w->builder->joint[joint];
    const int body = br_names_find(&w->builder->body_names, side ? def->second : def->first);
    if (body < 0) return;
    const int entry = 2 * joint + side;
    w->frame_next[entry] = w->frame_first[body];
    w->frame_first[body] = entry;
}

br_status br_model_plan_joints(model_writer *w, br_arena *arena) {
    const br_builder *b = w->builder;
    const int joints = b->joint_names.count, bodies = b->body_names.count;
    w->place = BR_TAKE(arena, signed char, joints);
    w->frame_first = BR_TAKE(arena, int, bodies);
    w->frame_next = BR_TAKE(arena, int, 2 * (size_t)joints);
    if (!w->place || !w->frame_first || !w->frame_next)
        return br_fail(w->error, BR_NO_MEMORY, "out-of-memory", "not enough memory to write the model");
    for (int k = 0; k < bodies; k++) w->frame_first[k] = -1;
    for (int j = joints - 1; j >= 0; j--) { // backwards, so that lists are in the order of the joints
        const br_joint_def *def = &b->joint[j];
        w->place[j] = (signed char)choose(w, def);
        if (w->place[j] == PLACE_IMPOSSIBLE)
            return br_model_cannot(w, "joints", def->name,
                                   coincide(w, def)
                                       ? "a joint between stations of beams whose axes matter"
                                       : "a joint to the world or a beam that is open at the poses as given");
        if (w->place[j] == PLACE_FRAME) list_frame(w, j, frame_side(w, def));
        if (w->place[j] == PLACE_FRAMES) list_frame(w, j, 0), list_frame(w, j, 1);
    }
    return BR_OK;
}

int br_model_frame_is_used(const model_writer *w, int body) {
    return w->frame_first[body] >= 0;
}

// Named after the joint; a frame of that name may be there already.
static void frame_name(const model_writer *w, const char *body, const char *joint, char *out, size_t size) {
    const int k = br_names_find(&w->builder->body_names, body);
    const br_body_def *def = &w->builder->body[k];
    snprintf(out, size, "%.50s", joint);
    for (int i = 0; i < def->frame_count; i++)
        if (strcmp(def->frames[i].name, out) == 0) {
            snprintf(out, size, "%.50s_joint", joint);
            return;
        }
}

void br_model_write_frames(const model_writer *w, int body) {
    for (int entry = w->frame_first[body]; entry >= 0; entry = w->frame_next[entry]) {
        const br_joint_def *def = &w->builder->joint[entry / 2];
        char name[BR_MAX_NAME];
        frame_name(w, w->builder->body[body].name, def->name, name, sizeof name);
        fputs("      ", w->file);
        br_model_put_name(w->file, name);
        fputs(": {", w->file);
        br_model_put_pose(w->file, entry % 2 ? def->X_BM : def->X_AF);
        fputs("}\n", w->file);
    }
}

static void put_frame(const model_writer *w, const char *body, const char *joint) {
    char name[BR_MAX_NAME], whole[2 * BR_MAX_NAME + 2];
    frame_name(w, body, joint, name, sizeof name);
    snprintf(whole, sizeof whole, "%s.%s", body, name);
    br_model_put_name(w->file, whole);
}

// ---------------------------------------------------------------------------------------------------- places

static void put_vector_of(FILE *file, const char *before, const char *body, br_vec3 v) {
    fputs(before, file);
    br_model_put_name(file, body);
    fputs(": ", file);
    br_model_put_vector(file, v);
}

static void write_place(const model_writer *w, const br_joint_def *def, int place) {
    FILE *file = w->file;
    switch (place) {
    case PLACE_POINT:
    case PLACE_AXES:
        if (br_vec3_max_abs(def->X_BM.position) > 0.0) {
            put_vector_of(file, "    at: {", def->second, def->X_BM.position);
            fputs("}\n", file);
        }
        if (br_joint_kind_of(def->type)->axis == BR_AXIS_NONE) return;
        put_vector_of(file, "    axis: {", def->second,
                      br_model_tidy(br_quat_rotate(def->X_BM.rotation, br_vec3_unit(2))));
        fputs("}\n", file);
        if (place == PLACE_POINT) return;
        put_vector_of(file, "    axis_2: {", def->second,
                      br_model_tidy(br_quat_rotate(def->X_BM.rotation, br_vec3_unit(0))));
        fputs("}\n", file);
        return;
    case PLACE_POINTS:
        put_vector_of(file, "    at: {", def->first, def->X_AF.position);
        put_vector_of(file, ", ", def->second, def->X_BM.position);
        fputs("}\n", file);
        return;
    case PLACE_FRAME:
        fputs("    at: ", file);
        put_frame(w, frame_side(w, def) ? def->second : def->first, def->name);
        fputs("\n", file);
        return;
    case PLACE_FRAMES:
        fputs("    at: [", file);
        put_frame(w, def->first, def->name);
        fputs(", ", file);
        put_frame(w, def->second, def->name);
        fputs("]\n", file);
    }
}

// --------------------------------------------------------------------------------------------------- numbers

static int any(const double *x, int count) {
    for (int k = 0; k < count; k++)
        if (x[k] != 0.0) return 1;
    return 0;
}

static void put_coordinates(FILE *file, const double *x, int count) {
    if (count == 1)
        br_model_put_number(file, x[0]);
    else
        br_model_put_numbers(file, x, count);
}

static void write_limits(FILE *file, const br_joint_def *def, int n) {
    int limited = 0;
    for (int k = 0; k < n; k++) limited |= def->lower[k] > -INFINITY || def->upper[k] < INFINITY;
    if (!limited) return;
    fputs(n == 1 ? "    limits: " : "    limits: [", file);
    for (int k = 0; k < n; k++) {
        const double pair[2] = {def->lower[k], def->upper[k]};
        fputs(k == 0 ? "" : ", ", file);
        br_model_put_numbers(file, pair, 2);
    }
    fputs(n == 1 ? "\n" : "]\n", file);
}

static void write_numbers(FILE *file, const br_joint_def *def) {
    const int n = br_joint_type_velocities(def->type), nq = br_joint_type_positions(def->type);
    const struct {
        const char *key;
        const double *x;
        int count, given;
    } row[] = {{"position", def->position, nq, def->has_position},
               {"velocity", def->velocity, n, def->has_velocity}};
    write_limits(file, def, n);
    if (any(def->stiffness, n)) {
        fputs("    spring: {stiffness: ", file);
        put_coordinates(file, def->stiffness, n);
        if (any(def->rest, n)) {
            fputs(", rest: ", file);
            put_coordinates(file, def->rest, n);
        }
        if (def->slack != 0.0) fputs(", slack: ", file), br_model_put_number(file, def->slack);
        fputs("}\n", file);
    }
    for (const br_def_field *f = br_def_joint.field; f < br_def_joint.field + br_def_joint.fields; f++) {
        const double *x = (const double *)((const char *)def + f->offset);
        if (f->type != BR_FIELD_COORDINATES || !any(x, n)) continue;
        fprintf(file, "    %s: ", f->key);
        put_coordinates(file, x, n);
        fputs("\n", file);
    }
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        if (!row[k].given) continue;
        fprintf(file, "    %s: ", row[k].key);
        put_coordinates(file, row[k].x, row[k].count);
        fputs("\n", file);
    }
}

static void write_compliance(FILE *file, const br_joint_def *def) {
    if (br_model_is_usual(&br_def_joint_compliance, def)) return;
    fputs("    compliance: {", file);
    br_model_put_fields(file, &model_in_line, &br_def_joint_compliance, def);
    fputs("}\n", file);
}

void br_model_put_friction(FILE *file, const br_friction_def *f) {
    if (f->law == BR_FRICTION_NONE) return;
    fputs("    friction: {", file);
    br_model_put_fields(file, &model_in_line, &br_def_friction, f);
    if (f->mu_static == 0.0 && f->mu_kinetic == 0.0) fputs(", mu: 0", file);
    if (f->load_constant) {
        fputs(", load: {constant: ", file);
        br_model_put_number(file, f->load);
        fputs("}", file);
    }
    fputs("}\n", file);
}

// What its kind alone has.
static void write_parameter(FILE *file, const br_joint_def *def) {
    for (const br_def_field *f = br_def_joint.field; f < br_def_joint.field + br_def_joint.fields; f++) {
        const double *x = (const double *)((const char *)def + f->offset);
        if (!f->only || f->type != BR_FIELD_NUMBER || strcmp(f->only, br_joint_type_name(def->type)) != 0)
            continue;
        if (*x == 0.0) continue;
        fprintf(file, "    %s: ", f->key);
        br_model_put_number(file, *x);
        fputs("\n", file);
    }
}

br_status br_model_write_joints(model_writer *w) {
    const br_builder *b = w->builder;
    FILE *file = w->file;
    fputs(b->joint_names.count > 0 ? "\njoints:\n" : "", file);
    for (int j = 0; j < b->joint_names.count; j++) {
        const br_joint_def *def = &b->joint[j];
        fputs("  ", file);
        br_model_put_name(file, def->name);
        const int tendon = def->type == BR_JOINT_TENDON;
        fprintf(file, ":\n    %s:%s", br_joint_type_name(def->type), tendon ? "" : " [");
        if (tendon) {
            br_model_put_tendon(file, def);
            write_numbers(file, def);
            continue;
        }
        br_model_put_name(file, def->first);
        fputs(", ", file);
        br_model_put_name(file, def->second);
        fputs("]\n", file);
        write_place(w, def, w->place[j]);
        write_parameter(file, def);
        br_model_put_fields(file, &model_in_lines, &br_def_joint, def);
        write_numbers(file, def);
        write_compliance(file, def);
        br_model_put_friction(file, &def->friction);
    }
    return BR_OK;
}
