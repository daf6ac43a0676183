// Links, joints and the numbering of coordinates.
//
// The frame of a link is its joint's frame on it: M, or F where the joint is reversed. Everything that a
// definition has in a body's own frame goes through X_LB into that frame once, here.
#include <string.h>

#include "model/compile/compile.h"

// Bodies in the order of the file, but parents first: what is missing between a body and a placed ancestor
// comes just before it.
static br_status order_links(br_compile *c) {
    br_model *m = c->model;
    int *stack = BR_TAKE(&c->scratch, int, c->bodies);
    m->link_body = BR_TAKE(&m->arena, int, c->bodies);
    m->link_joint = BR_TAKE(&m->arena, int, c->bodies);
    m->body = BR_TAKE(&m->arena, br_model_body, c->bodies);
    if (!br_arena_ok(&c->scratch) || !br_arena_ok(&m->arena)) return br_compile_no_memory(c);
    for (int b = 0; b < c->bodies; b++) m->body[b].link = -1;
    int links = 0;
    for (int b = 0; b < c->bodies; b++) {
        int depth = 0;
        for (int a = b; a >= 0 && m->body[a].link < 0; a = c->parent[a]) stack[depth++] = a;
        while (depth > 0) {
            const int a = stack[--depth];
            m->body[a].link = links;
            m->link_body[links] = a;
            m->link_joint[links++] = c->carrier[a];
        }
    }
    m->bodies = m->tree.links = links;
    return BR_OK;
}

static br_status fill_body(br_compile *c, int b) {
    br_model *m = c->model;
    const br_body_def *def = &c->builder->body[b];
    br_model_body *body = &m->body[b];
    const int j = c->carrier[b];
    body->name = br_copy_text(&m->arena, def->name);
    body->X_LB = br_pose_inverse(c->reversed[b] ? c->X_AF[j] : c->X_BM[j]);
    body->com_B = def->com;
    body->mass = def->mass;
    body->frames = def->frame_count;
    body->frame = BR_TAKE(&m->arena, br_model_frame, def->frame_count);
    if (!body->name || !body->frame) return br_compile_no_memory(c);
    for (int k = 0; k < def->frame_count; k++) {
        body->frame[k].name = br_copy_text(&m->arena, def->frames[k].name);
        body->frame[k].X_BF = def->frames[k].pose;
        if (!body->frame[k].name) return br_compile_no_memory(c);
    }
    return br_names_add(&m->body_names, &m->arena, body->name) == BR_OK ? BR_OK : br_compile_no_memory(c);
}

// A frame of body b in b's link frame. Of the joint that carries b it is the link frame itself, without
// rounding.
static br_pose in_link(const br_compile *c, int b, int joint, br_pose X_BF) {
    if (b < 0) return X_BF;
    return c->carrier[b] == joint ? br_pose_identity() : br_pose_mul(c->model->body[b].X_LB, X_BF);
}

static br_status fill_joint(br_compile *c, int j) {
    br_model *m = c->model;
    const br_joint_def *def = c->def[j];
    br_model_joint *joint = &m->joint[j];
    const int a = c->first[j], b = c->second[j], nv = br_joint_type_velocities(def->type);
    joint->name = br_copy_text(&m->arena, def->name);
    if (!joint->name || br_names_add(&m->joint_names, &m->arena, joint->name) != BR_OK)
        return br_compile_no_memory(c);
    joint->type = def->type;
    joint->kind = br_joint_kind_of(def->type);
    joint->first = a < 0 ? -1 : m->body[a].link;
    joint->second = b < 0 ? -1 : m->body[b].link;
    joint->link = joint->loop = -1;
    joint->q_at = joint->v_at = joint->tendon = -1;
    joint->parameter = def->type == BR_JOINT_SCREW ? def->pitch / (2.0 * BR_PI) : 0.0;
    joint->X_AF = in_link(c, a, j, c->X_AF[j]);
    joint->X_BM = in_link(c, b, j, c->X_BM[j]);
    joint->R_AF = br_quat_to_mat3(joint->X_AF.rotation), joint->R_BM = br_quat_to_mat3(joint->X_BM.rotation);
    memcpy(joint->lower, def->lower, sizeof joint->lower);
    memcpy(joint->upper, def->upper, sizeof joint->upper);
    memcpy(joint->stiffness, def->stiffness, sizeof joint->stiffness);
    memcpy(joint->rest, def->rest, sizeof joint->rest);
    memcpy(joint->damping, def->damping, sizeof joint->damping);
    memcpy(joint->armature, def->armature, sizeof joint->armature);
    for (int k = 0; k < nv; k++) {
        joint->limited |= def->lower[k] > -INFINITY || def->upper[k] < INFINITY;
        joint->sprung |= def->stiffness[k] > 0.0 || def->damping[k] > 0.0;
    }
    joint->compliance_translation = def->compliance_translation;
    joint->compliance_rotation = def->compliance_rotation;
    if (def->friction.law == BR_FRICTION_NONE) return BR_OK;
    br_friction_def *friction = BR_TAKE(&m->arena, br_friction_def, 1);
    if (!friction) return br_compile_no_memory(c);
    *friction = def->friction;
    if (friction->shape && !(friction->shape = br_copy_text(&m->arena, friction->shape)))
        return br_compile_no_memory(c);
    joint->friction = friction;
    if (!m->friction_joint) m->friction_joint = joint->name;
    return BR_OK;
}

static void fill_link(br_compile *c, int i) {
    br_model *m = c->model;
    const int b = m->link_body[i], j = m->link_joint[i];
    const br_body_def *def = &c->builder->body[b];
    br_model_joint *joint = &m->joint[j];
    br_link *link = &m->tree.link[i];
    joint->link = i;
    joint->reversed = c->reversed[b];
    joint->q_at = m->tree.nq;
    joint->v_at = m->tree.nv;
    m->tree.nq += joint->kind->nq;
    m->tree.nv += joint->kind->nv;

    const br_pose X_PJ = joint->reversed ? joint->X_BM : joint->X_AF;
    link->parent = c->parent[b] < 0 ? -1 : m->body[c->parent[b]].link;
    link->kind = joint->kind;
    link->reversed = joint->reversed;
    link->q_at = joint->q_at;
    link->v_at = joint->v_at;
    link->parameter = joint->parameter;
    link->R_PJ = br_quat_to_mat3(X_PJ.rotation);
    link->p_PJ = X_PJ.position;

    const br_pose X_LB = m->body[b].X_LB;
    const br_vec3 com_L = br_pose_point(X_LB, def->com);
    const br_sym3 about_com = br_sym3_rotate(br_quat_to_mat3(X_LB.rotation), def->inertia);
    const br_inertia inertia = br_inertia_of(def->mass, com_L, about_com);
    link->mass = inertia.mass;
    link->moment_L = inertia.moment;
    link->inertia_L = inertia.rotational;
}

static br_status number_loops(br_compile *c) {
    br_model *m = c->model;
    m->loop = BR_TAKE(&m->arena, br_model_loop, c->joints);
    if (!m->loop) return br_compile_no_memory(c);
    for (int j = 0; j < c->joints; j++) {
        br_model_joint *joint = &m->joint[j];
        if (joint->link >= 0 || joint->type == BR_JOINT_GEAR || joint->type == BR_JOINT_RACK_PINION) continue;
        joint->loop = m->loops;
        joint->q_at = m->loop_nq;
        joint->v_at = m->loop_nv;
        br_model_loop *loop = &m->loop[m->loops++];
        loop->joint = j;
        loop->q_at = joint->q_at;
        loop->v_at = joint->v_at;
        m->loop_nq += br_joint_type_positions(joint->type);
        m->loop_nv += br_joint_type_velocities(joint->type);
    }
    return BR_OK;
}

br_status br_compile_links(br_compile *c) {
    br_model *m = c->model;
    br_status status = order_links(c);
    for (int b = 0; status == BR_OK && b < c->bodies; b++) status = fill_body(c, b);
    if (status != BR_OK) return status;
    m->joint = BR_TAKE(&m->arena, br_model_joint, c->joints);
    m->tree.link = BR_TAKE(&m->arena, br_link, c->bodies);
    if (!br_arena_ok(&m->arena)) return br_compile_no_memory(c);
    m->joints = c->joints;
    for (int j = 0; status == BR_OK && j < c->joints; j++) status = fill_joint(c, j);
    if (status != BR_OK) return status;
    for (int i = 0; i < m->tree.links; i++) fill_link(c, i);
    m->tree.armature = BR_TAKE(&m->arena, double, m->tree.nv);
    if (!m->tree.armature) return br_compile_no_memory(c);
    for (int i = 0; i < m->tree.links; i++) {
        const br_model_joint *joint = &m->joint[m->link_joint[i]];
        for (int k = 0; k < joint->kind->nv; k++) m->tree.armature[joint->v_at + k] = joint->armature[k];
    }
    status = number_loops(c);
    m->variables = 2 * (m->tree.nv + m->loop_nv);
    return status;
}
