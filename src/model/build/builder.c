// The builder: checks each definition (validate.h) and keeps a copy of it. See model.h.
#include "model/build/builder.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "model/def/field.h"

br_status br_builder_no_memory(br_error *error) {
    return br_no_memory(error, "no memory for a definition of the model");
}

br_status br_builder_create(const br_allocator *allocator, br_builder **out, br_error *error) {
    br_arena arena;
    br_arena_init(&arena, allocator);
    br_builder *builder = BR_TAKE(&arena, br_builder, 1);
    if (!builder) return br_builder_no_memory(error);
    builder->arena = arena;
    builder->settings = br_default_settings();
    *out = builder;
    return BR_OK;
}

void br_builder_destroy(br_builder *builder) {
    if (!builder) return;
    br_arena arena = builder->arena; // the builder itself is in it
    br_arena_free(&arena);
}

// --- copies ------------------------------------------------------------------------------------------------

static br_pose unit_pose(br_pose pose) {
    pose.rotation = br_quat_normalize(pose.rotation);
    return pose;
}

// What reads back as it was written must keep its bits: unit length is left alone, and -0 is 0.
static double plain(double x) {
    return x + 0.0;
}

static br_vec3 plain_vector(br_vec3 a) {
    return br_vec3_of(plain(a.x), plain(a.y), plain(a.z));
}

static void tidy_shape(br_shape_def *shape) {
    const double length = br_vec3_norm(shape->axis);
    if (fabs(br_quat_norm(shape->pose.rotation) - 1.0) > BR_EPS_UNIT) shape->pose = unit_pose(shape->pose);
    if (length > 0.0 && fabs(length - 1.0) > BR_EPS_UNIT) shape->axis = br_vec3_normalize(shape->axis);
    const br_quat r = shape->pose.rotation;
    shape->pose.rotation = br_quat_of(plain(r.w), plain(r.x), plain(r.y), plain(r.z));
    shape->pose.position = plain_vector(shape->pose.position);
    shape->axis = plain_vector(shape->axis);
}

static int keep_shape(br_arena *arena, br_shape_def *shape) {
    tidy_shape(shape);
    const int field = shape->type == BR_SHAPE_HEIGHTFIELD;
    if (shape->type != BR_SHAPE_CONVEX) shape->point_count = 0, shape->points = NULL;
    if (!field) shape->columns = shape->rows = 0, shape->heights = NULL, shape->spacing = br_vec3_zero();
    if (field) {
        const size_t count = (size_t)shape->columns * (size_t)shape->rows;
        double *heights = BR_TAKE(arena, double, count);
        if (!heights) return 0;
        memcpy(heights, shape->heights, count * sizeof *heights);
        shape->heights = heights;
    }
    if (shape->point_count > 0) {
        shape->points = (const br_vec3 *)BR_COPY(arena, shape->points, shape->point_count);
        if (!shape->points) return 0;
    }
    return br_keep_text(arena, &shape->name) && br_keep_text(arena, &shape->material) &&
           br_keep_text(arena, &shape->file);
}

br_status br_check_new_name(const br_names *names, const br_place *place, const char *what) {
    const char *fault = br_name_fault(place->name);
    if (fault)
        return br_fail_place(place, "name-invalid", NULL, "the name '%.80s' of a %s %s",
                             place->name ? place->name : "", what, fault);
    const int same = br_names_find(names, place->name);
    if (same >= 0)
        return br_fail_place(place, "name-duplicate", NULL,
                             "there are two %s named %s: number %d and number %d", place->group, place->name,
                             same + 1, names->count + 1);
    return BR_OK;
}

br_status br_check_other_name(const br_names *names, const br_place *place, const char *what,
                              const char *other) {
    if (br_names_find(names, place->name) < 0) return BR_OK;
    return br_fail_place(place, "name-duplicate", NULL,
                         "%s is the name of a %s and of a %s; give one of them another, channels would mix "
                         "them up",
                         place->name, what, other);
}

// --- elements ----------------------------------------------------------------------------------------------

static int keep_excluded(br_arena *arena, br_settings *settings) {
    const int count = settings->contact_exclude_count;
    const char *(*copy)[2] = (const char *(*)[2])br_arena_take(arena, (size_t)count, sizeof *copy);
    if (!copy) return 0;
    for (int k = 0; k < 2 * count; k++) {
        copy[k / 2][k % 2] = settings->contact_exclude[k / 2][k % 2];
        if (!br_keep_text(arena, &copy[k / 2][k % 2])) return 0;
    }
    settings->contact_exclude = (const char *const(*)[2])copy;
    return 1;
}

br_status br_builder_settings(br_builder *builder, const br_settings *settings, br_error *error) {
    const br_status status = br_check_settings(settings, error);
    if (status != BR_OK) return status;
    br_settings copy = *settings;
    if (!copy.name) copy.name = "model";
    if (copy.contact_paper) copy.contact_bounds = "lagged", copy.solver.position_old = 1;
    if (!br_def_keep(&br_def_settings, &copy, &builder->arena)) return br_builder_no_memory(error);
    copy.outputs = br_copy_texts(&builder->arena, copy.outputs, copy.output_count);
    if (!copy.outputs || !keep_excluded(&builder->arena, &copy)) return br_builder_no_memory(error);
    builder->settings = copy;
    return BR_OK;
}

static int keep_body(br_arena *arena, br_body_def *body) {
    br_frame_def *frame = (br_frame_def *)BR_COPY(arena, body->frames, body->frame_count);
    br_shape_def *shape = (br_shape_def *)BR_COPY(arena, body->shapes, body->shape_count);
    if (!frame || !shape || !br_def_keep(&br_def_body, body, arena)) return 0;
    for (int k = 0; k < body->frame_count; k++) {
        frame[k].pose = unit_pose(frame[k].pose);
        if (!br_keep_text(arena, &frame[k].name)) return 0;
    }
    for (int k = 0; k < body->shape_count; k++)
        if (!keep_shape(arena, &shape[k])) return 0;
    body->frames = frame;
    body->shapes = shape;
    return 1;
}

br_status br_builder_body(br_builder *builder, const br_body_def *def, br_error *error) {
    const br_place place = {"bodies", def->name, error};
    br_status status = br_check_new_name(&builder->body_names, &place, "body");
    if (status == BR_OK) status = br_check_other_name(&builder->beam_names, &place, "body", "beam");
    if (status == BR_OK) status = br_check_body(def, &place);
    if (status != BR_OK) return status;
    const int n = builder->body_names.count;
    br_body_def copy = *def;
    if (!BR_BUILDER_GROW(builder, body, n) || !keep_body(&builder->arena, &copy) ||
        br_names_add(&builder->body_names, &builder->arena, copy.name) != BR_OK)
        return br_builder_no_memory(error);
    builder->body[n] = copy;
    return BR_OK;
}

br_status br_builder_ground(br_builder *builder, const br_shape_def *def, br_error *error) {
    const br_place place = {"ground", NULL, error};
    char field[32];
    snprintf(field, sizeof field, "%d", builder->grounds);
    const br_status status = br_check_shape(def, &place, field);
    if (status != BR_OK) return status;
    br_shape_def copy = *def;
    if (!BR_BUILDER_GROW(builder, ground, builder->grounds) || !keep_shape(&builder->arena, &copy))
        return br_builder_no_memory(error);
    builder->ground[builder->grounds++] = copy;
    return BR_OK;
}

// Numbers of a start position: the quaternion, if there is one, of unit length.
static void unit_position(br_joint_def *def) {
    const int plain = br_joint_type_plain(def->type);
    if (!def->has_position || br_joint_type_positions(def->type) - plain != 4) return;
    double *q = def->position + plain;
    const br_quat unit = br_quat_normalize(br_quat_of(q[0], q[1], q[2], q[3]));
    q[0] = unit.w, q[1] = unit.x, q[2] = unit.y, q[3] = unit.z;
}

// A tendon connects no two bodies; whoever goes through joints by their ends finds the world at both.
static int keep_path(br_arena *arena, br_joint_def *joint) {
    br_tendon_part_def *part = (br_tendon_part_def *)BR_COPY(arena, joint->path, joint->path_count);
    if (!part) return 0;
    for (int k = 0; k < joint->path_count; k++) {
        part[k].pose = unit_pose(part[k].pose);
        if (!br_keep_text(arena, &part[k].of) || !br_keep_text(arena, &part[k].side_of)) return 0;
    }
    joint->path = part;
    joint->first = joint->second = BR_WORLD;
    joint->closes_loop = 1;
    return 1;
}

static int keep_joint(br_arena *arena, br_joint_def *joint) {
    unit_position(joint);
    if (joint->type == BR_JOINT_TENDON && !keep_path(arena, joint)) return 0;
    return br_def_keep(&br_def_joint, joint, arena);
}

br_status br_builder_joint(br_builder *builder, const br_joint_def *def, br_error *error) {
    const br_place place = {"joints", def->name, error};
    br_status status = br_check_new_name(&builder->joint_names, &place, "joint");
    if (status == BR_OK)
        status = br_check_other_name(&builder->clearance_names, &place, "joint", "clearance");
    if (status == BR_OK) status = br_check_joint(def, &place);
    if (status != BR_OK) return status;
    const int n = builder->joint_names.count;
    br_joint_def copy = *def;
    if (!BR_BUILDER_GROW(builder, joint, n) || !keep_joint(&builder->arena, &copy) ||
        br_names_add(&builder->joint_names, &builder->arena, copy.name) != BR_OK)
        return br_builder_no_memory(error);
    builder->joint[n] = copy;
    return BR_OK;
}

br_status br_builder_replace_joint(br_builder *builder, int index, const br_joint_def *def, br_error *error) {
    const br_place place = {"joints", def->name, error};
    const br_status status = br_check_joint(def, &place);
    if (status != BR_OK) return status;
    br_joint_def copy = *def;
    if (!keep_joint(&builder->arena, &copy)) return br_builder_no_memory(error);
    builder->joint[index] = copy;
    return BR_OK;
}

static int keep_load(br_arena *arena, br_load_def *load) {
    const int components = load->type == BR_LOAD_FORCE || load->type == BR_LOAD_TORQUE;
    for (int k = 0; !components && k < 3; k++) load->component[k] = br_function_constant(0.0);
    return br_def_keep(&br_def_load, load, arena);
}

br_status br_builder_load(br_builder *builder, const br_load_def *def, br_error *error) {
    const br_place place = {"loads", def->name, error};
    br_status status = br_check_new_name(&builder->load_names, &place, "load");
    if (status == BR_OK) status = br_check_load(def, &place);
    if (status != BR_OK) return status;
    const int n = builder->load_names.count;
    br_load_def copy = *def;
    if (!BR_BUILDER_GROW(builder, load, n) || !keep_load(&builder->arena, &copy) ||
        br_names_add(&builder->load_names, &builder->arena, copy.name) != BR_OK)
        return br_builder_no_memory(error);
    builder->load[n] = copy;
    return BR_OK;
}

br_status br_builder_replace_load(br_builder *builder, int index, const br_load_def *def, br_error *error) {
    const br_place place = {"loads", def->name, error};
    const br_status status = br_check_load(def, &place);
    if (status != BR_OK) return status;
    br_load_def copy = *def;
    if (!keep_load(&builder->arena, &copy)) return br_builder_no_memory(error);
    builder->load[index] = copy;
    return BR_OK;
}

br_status br_builder_drive(br_builder *builder, const br_drive_def *def, br_error *error) {
    const br_place place = {"drives", def->name, error};
    br_status status = br_check_new_name(&builder->drive_names, &place, "drive");
    if (status == BR_OK) status = br_check_drive(def, &place);
    if (status != BR_OK) return status;
    const int n = builder->drive_names.count;
    br_drive_def copy = *def;
    if (!BR_BUILDER_GROW(builder, drive, n) || !br_def_keep(&br_def_drive, &copy, &builder->arena) ||
        br_names_add(&builder->drive_names, &builder->arena, copy.name) != BR_OK)
        return br_builder_no_memory(error);
    builder->drive[n] = copy;
    return BR_OK;
}

br_status br_builder_replace_drive(br_builder *builder, int index, const br_drive_def *def, br_error *error) {
    const br_place place = {"drives", def->name, error};
    const br_status status = br_check_drive(def, &place);
    if (status != BR_OK) return status;
    br_drive_def copy = *def;
    if (!br_def_keep(&br_def_drive, &copy, &builder->arena)) return br_builder_no_memory(error);
    builder->drive[index] = copy;
    return BR_OK;
}

static int keep_constraint(br_arena *arena, br_constraint_def *def) {
    br_term_def *term = (br_term_def *)BR_COPY(arena, def->terms, def->term_count);
    if (!term || !br_def_keep(&br_def_constraint, def, arena)) return 0;
    for (int k = 0; k < def->term_count; k++) {
        term[k].direction = br_vec3_normalize(term[k].direction);
        if (!br_def_keep(&br_def_term, &term[k], arena)) return 0;
    }
    def->terms = term;
    return 1;
}

br_status br_builder_constraint(br_builder *builder, const br_constraint_def *def, br_error *error) {
    const br_place place = {"constraints", def->name, error};
    br_status status = br_check_new_name(&builder->constraint_names, &place, "constraint");
    if (status == BR_OK) status = br_check_constraint(def, &place);
    if (status != BR_OK) return status;
    const int n = builder->constraint_names.count;
    br_constraint_def copy = *def;
    if (!BR_BUILDER_GROW(builder, constraint, n) || !keep_constraint(&builder->arena, &copy) ||
        br_names_add(&builder->constraint_names, &builder->arena, copy.name) != BR_OK)
        return br_builder_no_memory(error);
    builder->constraint[n] = copy;
    return BR_OK;
}

br_status br_builder_material(br_builder *builder, const char *name, br_error *error) {
    const br_place place = {"materials", name, error};
    const br_status status = br_check_new_name(&builder->material_names, &place, "material");
    if (status != BR_OK) return status;
    if (!br_keep_text(&builder->arena, &name) ||
        br_names_add(&builder->material_names, &builder->arena, name) != BR_OK)
        return br_builder_no_memory(error);
    return BR_OK;
}

enum { PAIR_KEY = 2 * BR_MAX_NAME + 2 };

static void pair_key(const char *first, const char *second, char key[PAIR_KEY]) { // the same for both orders
    const int turned = strcmp(first, second) > 0;
    snprintf(key, PAIR_KEY, "%.64s/%.64s", turned ? second : first, turned ? first : second);
}

int br_builder_pair_find(const br_builder *builder, const char *first, const char *second) {
    char key[PAIR_KEY];
    pair_key(first, second, key);
    return br_names_find(&builder->pair_names, key);
}

static int keep_pair(br_arena *arena, br_pair_def *pair) {
    pair->mu_static += 0.0, pair->mu_kinetic += 0.0; // -0 would be divided by
    if (pair->compliance && pair->compliance_exponent == 0.0)
        pair->compliance_exponent = strcmp(pair->compliance, "linear") == 0 ? 1.0 : 1.5;
    return br_def_keep(&br_def_pair, pair, arena);
}

br_status br_builder_pair(br_builder *builder, const br_pair_def *def, br_error *error) {
    char name[PAIR_KEY], key[PAIR_KEY];
    snprintf(name, sizeof name, "%.64s/%.64s", def->first ? def->first : "", def->second ? def->second : "");
    const br_place place = {"pairs", name, error};
    if (!def->first || !def->second)
        return br_fail_place(&place, "model-missing", NULL, "a pair does not name its two materials");
    const br_status status = br_check_pair(def, &place);
    if (status != BR_OK) return status;
    pair_key(def->first, def->second, key);
    const int same = br_names_find(&builder->pair_names, key);
    if (same >= 0)
        return br_fail_place(&place, "name-duplicate", NULL,
                             "the pair %s is given twice, first as %s/%s; the order of names is free", name,
                             builder->pair[same].first, builder->pair[same].second);
    br_pair_def copy = *def;
    const char *kept = key;
    if (!BR_BUILDER_GROW(builder, pair, builder->pairs) || !keep_pair(&builder->arena, &copy) ||
        !br_keep_text(&builder->arena, &kept) ||
        br_names_add(&builder->pair_names, &builder->arena, kept) != BR_OK)
        return br_builder_no_memory(error);
    builder->pair[builder->pairs++] = copy;
    return BR_OK;
}

br_status br_builder_replace_pair(br_builder *builder, int index, const br_pair_def *def, br_error *error) {
    char name[PAIR_KEY];
    snprintf(name, sizeof name, "%.64s/%.64s", def->first, def->second);
    const br_place place = {"pairs", name, error};
    const br_status status = br_check_pair(def, &place);
    if (status != BR_OK) return status;
    br_pair_def copy = *def;
    if (!keep_pair(&builder->arena, &copy)) return br_builder_no_memory(error);
    builder->pair[index] = copy;
    return BR_OK;
}

br_status br_builder_note(br_builder *builder, const char *line, br_error *error) {
    const char *note = br_copy_text(&builder->arena, line);
    if (!note || !BR_BUILDER_GROW(builder, note, builder->notes)) return br_builder_no_memory(error);
    builder->note[builder->notes++] = note;
    return BR_OK;
}
