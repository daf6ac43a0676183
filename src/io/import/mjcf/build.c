// MJCF bodies and joints as definitions for the builder.
//
// A body with several joints becomes a chain: frames B_1, B_2, ... of which the last is the body, the others
// have no mass. In MuJoCo joint k turns or moves the frame that joints 1 .. k - 1 have left:
//
//     X_B(k-1)B(k) = T(point) R(axis, q - ref) T(-point)      hinge
//                    T(axis (q - ref))                         slide
//
// All frames of the chain coincide where q = ref. Bodies without mass come after all others, so that the
// model's bodies are MuJoCo's, by number.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/import/mjcf/mjcf.h"

// X_B(k-1)B(k) at q = 0.
static br_pose step_at_zero(const mjcf_joint *joint) {
    if (joint->type == MJCF_SLIDE)
        return br_pose_of(br_quat_identity(), br_vec3_scale(-joint->ref, joint->axis));
    if (joint->type != MJCF_HINGE) return br_pose_identity();
    const br_quat q = br_quat_from_axis_angle(joint->axis, -joint->ref);
    return br_pose_of(q, br_vec3_sub(joint->point, br_quat_rotate(q, joint->point)));
}

// A free joint's coordinates are the pose in the world. Without a name and values of its own it is what a
// body without any joint gets; else the joint is written out, and the body stands at the origin where it is
// at zero.
static int is_explicit_free(const mjcf_joint *joint) {
    return joint->type == MJCF_FREE && (joint->name || joint->damping != 0.0 || joint->armature != 0.0);
}

static br_pose keyed_pose(const mjcf_joint *joint) {
    const double *q = joint->q;
    return br_pose_of(br_quat_normalize(br_quat_of(q[3], q[4], q[5], q[6])), br_vec3_of(q[0], q[1], q[2]));
}

static void place_body(mjcf *m, mjcf_body *b) {
    const mjcf_body *p = b->parent < 0 ? NULL : &m->body[b->parent];
    b->X_WB = p ? br_pose_mul(p->X_WB, b->X_PB_start) : b->X_PB_start;
    b->X_WB_ref = p ? br_pose_mul(p->X_WB_ref, b->X_PB) : b->X_PB;
    for (int k = 0; k < b->joints; k++) {
        const mjcf_joint *joint = &m->joint[b->first_joint + k];
        if (joint->ref != 0.0) b->X_WB = br_pose_mul(b->X_WB, step_at_zero(joint));
        if (is_explicit_free(joint))
            b->X_WB = br_pose_identity();
        else if (joint->type == MJCF_FREE && m->keyed)
            b->X_WB = keyed_pose(joint);
    }
    b->X_WB.rotation = br_quat_normalize(b->X_WB.rotation); // a thousand links would let its length drift
    b->X_WB_ref.rotation = br_quat_normalize(b->X_WB_ref.rotation);
}

// Those of body b, which stand together in the list.
static br_status shapes_of(mjcf *m, const mjcf_body *b, const br_shape_def **out) {
    br_shape_def *def = BR_TAKE(&m->arena, br_shape_def, b->shapes);
    if (!def) return br_mjcf_no_memory(m);
    for (int k = 0; k < b->shapes; k++) def[k] = m->shape[b->first_shape + k].def;
    *out = def;
    return BR_OK;
}

static br_status add_ground(mjcf *m) {
    br_status status = BR_OK;
    int count = 0;
    for (int k = 0; k < m->shapes && status == BR_OK; k++) {
        const mjcf_shape *shape = &m->shape[k];
        char name[32];
        if (shape->body >= 0) continue;
        snprintf(name, sizeof name, "%d", count++);
        status = br_mjcf_placed(m, shape->node, br_builder_ground(m->builder, &shape->def, m->error));
        if (status == BR_OK) status = br_mjcf_place(m, "ground", name, shape->node);
    }
    return status;
}

// A body's sites are frames of it, which a model that imports the file can name.
static br_status frames_of(mjcf *m, const mjcf_body *b, const br_frame_def **out) {
    br_frame_def *frame = BR_TAKE(&m->arena, br_frame_def, b->sites);
    if (!frame) return br_mjcf_no_memory(m);
    for (int k = b->first_site, i = 0; k > 0; k = m->site[k - 1].next)
        frame[i++] = (br_frame_def){m->site[k - 1].name, m->site[k - 1].pose};
    *out = frame;
    return BR_OK;
}

// Velocity of a body that moves freely: of its origin along the world's axes, angular in its own.
static void set_velocity(const mjcf *m, const mjcf_body *b, br_body_def *def) {
    const mjcf_joint *joint = b->joints == 1 ? &m->joint[b->first_joint] : NULL;
    if (!m->keyed || !joint || joint->type != MJCF_FREE || is_explicit_free(joint)) return;
    const double *v = joint->v;
    const br_quat R = def->pose.rotation;
    def->has_velocity = 1;
    def->angular_velocity = br_quat_rotate(R, br_vec3_of(v[3], v[4], v[5]));
    def->velocity = br_vec3_add(br_vec3_of(v[0], v[1], v[2]),
                                br_vec3_cross(def->angular_velocity, br_quat_rotate(R, b->com)));
}

// Part of the weight is carried by a force at the centre of mass.
static br_status add_compensation(mjcf *m, const mjcf_body *b) {
    const double part = -b->gravity_compensation * b->mass;
    const br_vec3 g = m->settings.gravity;
    br_load_def def = br_default_load_def();
    char wish[BR_MAX_NAME + 16];
    if (b->gravity_compensation == 0.0 || !b->moves || b->mass == 0.0) return BR_OK;
    snprintf(wish, sizeof wish, "%.50s_gravcomp", b->name);
    br_status status = br_mjcf_free_name(m, &m->load_names, wish, &def.name);
    if (status != BR_OK) return status;
    def.type = BR_LOAD_FORCE;
    def.first = b->name;
    def.X_A.position = b->com;
    for (int k = 0; k < 3; k++) def.component[k] = br_function_constant(part * br_vec3_get(g, k) + 0.0);
    status = br_mjcf_placed(m, b->node, br_builder_load(m->builder, &def, m->error));
    return status == BR_OK ? br_mjcf_place(m, "loads", def.name, b->node) : status;
}

static br_status add_body(mjcf *m, const mjcf_body *b) {
    br_body_def def = br_default_body_def();
    br_status status = shapes_of(m, b, &def.shapes);
    if (status != BR_OK) return status;
    def.shape_count = b->shapes;
    def.frame_count = b->sites;
    status = frames_of(m, b, &def.frames);
    if (status != BR_OK) return status;
    def.name = b->name;
    def.mass = b->mass;
    def.com = b->com;
    def.inertia = b->inertia;
    def.pose = b->X_WB;
    set_velocity(m, b, &def);
    status = br_mjcf_placed(m, b->node, br_builder_body(m->builder, &def, m->error));
    return status == BR_OK ? br_mjcf_place(m, "bodies", def.name, b->node) : status;
}

static br_status add_joint(mjcf *m, const io_xml_node *node, const br_joint_def *def) {
    const br_status status = br_mjcf_placed(m, node, br_builder_joint(m->builder, def, m->error));
    return status == BR_OK ? br_mjcf_place(m, "joints", def->name, node) : status;
}

static const char *parent_name(const mjcf *m, const mjcf_body *b) {
    return b->parent < 0 ? BR_WORLD : m->body[b->parent].name;
}

static br_status add_weld(mjcf *m, const mjcf_body *b) {
    char wish[BR_MAX_NAME + 8];
    snprintf(wish, sizeof wish, "%s_weld", b->name);
    br_joint_def def = br_default_joint_def();
    const br_status status = br_mjcf_free_name(m, &m->joint_names, wish, &def.name);
    if (status != BR_OK) return status;
    def.type = BR_JOINT_WELD;
    def.first = parent_name(m, b);
    def.second = b->name;
    def.X_AF = b->X_PB_start;
    return add_joint(m, b->node, &def);
}

static br_joint_type type_of(mjcf_joint_type type) {
    switch (type) {
    case MJCF_FREE:
        return BR_JOINT_FREE;
    case MJCF_BALL:
        return BR_JOINT_SPHERICAL;
    case MJCF_SLIDE:
        return BR_JOINT_PRISMATIC;
    default:
        return BR_JOINT_REVOLUTE;
    }
}

static void set_values(const mjcf *m, const mjcf_joint *joint, br_joint_def *def) {
    const int n = br_joint_type_velocities(def->type), one = n == 1;
    def->has_position = m->keyed || (one && joint->ref != 0.0);
    def->position[0] = joint->ref;
    if (m->keyed) {
        memcpy(def->position, joint->q, (size_t)br_joint_type_positions(def->type) * sizeof *joint->q);
        memcpy(def->velocity, joint->v, (size_t)n * sizeof *joint->v);
        def->has_velocity = 1;
    }
    for (int k = 0; k < n; k++) {
        def->damping[k] = joint->damping;
        def->armature[k] = joint->armature;
    }
    if (joint->friction_loss > 0.0) {
        def->friction.law = BR_FRICTION_COULOMB;
        def->friction.mu_static = def->friction.mu_kinetic = 1.0;
        def->friction.load_constant = 1;
        def->friction.load = joint->friction_loss;
    }
    if (!one) return;
    def->lower[0] = joint->lower;
    def->upper[0] = joint->upper;
    def->stiffness[0] = joint->stiffness;
    def->rest[0] = joint->stiffness != 0.0 ? joint->rest : 0.0;
}

// The body that joint k of b carries: b itself, or one made up.
static br_status link_body(mjcf *m, const mjcf_body *b, int k, br_pose X_WB, const char **name) {
    if (k + 1 == b->joints) {
        *name = b->name;
        return BR_OK;
    }
    char wish[2 * BR_MAX_NAME];
    snprintf(wish, sizeof wish, "%s_j%s", b->name, m->joint[b->first_joint + k].name);
    br_status status = br_mjcf_free_name(m, &m->body_names, wish, name);
    if (status != BR_OK) return status;
    const mjcf_body massless = {.node = b->node, .name = *name, .X_WB = X_WB};
    return add_body(m, &massless);
}

static br_status add_chain(mjcf *m, const mjcf_body *b) {
    const mjcf_body *p = b->parent < 0 ? NULL : &m->body[b->parent];
    const char *first = parent_name(m, b);
    br_pose X_AB = b->X_PB, X_WB = p ? br_pose_mul(p->X_WB, b->X_PB) : b->X_PB;
    br_status status = BR_OK;
    for (int k = 0; k < b->joints && status == BR_OK; k++) {
        const mjcf_joint *joint = &m->joint[b->first_joint + k];
        br_joint_def def = br_default_joint_def();
        const br_pose step = step_at_zero(joint);
        X_AB = br_pose_mul(X_AB, step);
        X_WB = br_pose_mul(X_WB, step);
        status = link_body(m, b, k, X_WB, &def.second);
        if (status != BR_OK) break;
        def.name = joint->name;
        def.type = type_of(joint->type);
        def.first = first;
        def.X_BM.position = joint->point;
        if (joint->type != MJCF_BALL) def.X_BM.rotation = br_quat_from_mat3(br_tangent_basis(joint->axis));
        def.X_AF = br_pose_mul(X_AB, def.X_BM);
        set_values(m, joint, &def);
        status = add_joint(m, joint->node, &def);
        first = def.second;
        X_AB = br_pose_identity();
    }
    if (status == BR_OK && b->joints > 1)
        status =
            br_mjcf_note(m, b->node, NULL, BR_IMPORT_LOOKS, "bodies without mass stand between its joints");
    return status;
}

static br_status add_free(mjcf *m, const mjcf_body *b) {
    const mjcf_joint *joint = &m->joint[b->first_joint];
    if (!is_explicit_free(joint)) return BR_OK;
    br_joint_def def = br_default_joint_def();
    def.name = joint->name;
    if (!def.name) {
        char wish[BR_MAX_NAME + 8];
        snprintf(wish, sizeof wish, "%s_free", b->name);
        const br_status status = br_mjcf_free_name(m, &m->joint_names, wish, &def.name);
        if (status != BR_OK) return status;
    }
    def.type = BR_JOINT_FREE;
    def.first = BR_WORLD;
    def.second = b->name;
    set_values(m, joint, &def);
    if (m->keyed) return add_joint(m, joint->node, &def);
    const br_pose X = b->X_WB_ref;
    const double start[] = {X.position.x, X.position.y, X.position.z, X.rotation.w,
                            X.rotation.x, X.rotation.y, X.rotation.z};
    def.has_position = 1;
    memcpy(def.position, start, sizeof start);
    return add_joint(m, joint->node, &def);
}

br_status br_mjcf_build(mjcf *m) {
    for (int k = 0; k < m->shapes; k++) m->shape[k].def.material = m->surface[m->shape[k].surface].name;
    br_status status = br_mjcf_build_visuals(m);
    if (status == BR_OK) status = add_ground(m);
    for (int k = 0; k < m->bodies && status == BR_OK; k++) {
        place_body(m, &m->body[k]);
        status = add_body(m, &m->body[k]);
    }
    for (int k = 0; k < m->bodies && status == BR_OK; k++) {
        const mjcf_body *b = &m->body[k];
        if (b->joints == 0)
            status = add_weld(m, b);
        else if (m->joint[b->first_joint].type == MJCF_FREE)
            status = add_free(m, b);
        else
            status = add_chain(m, b);
        if (status == BR_OK) status = add_compensation(m, b);
    }
    return status;
}
