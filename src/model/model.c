// Looking at a compiled model, see model.h.
#include "model/model.h"

void br_model_destroy(br_model *model) {
    if (!model) return;
    br_arena arena = model->arena; // the model itself is in it
    br_arena_free(&arena);
}

const char *br_model_name(const br_model *model) {
    return model->settings.name;
}

const br_settings *br_model_settings(const br_model *model) {
    return &model->settings;
}

uint64_t br_model_hash(const br_model *model) {
    return model->hash;
}

int br_model_body_count(const br_model *model) {
    return model->bodies;
}

const char *br_model_body_name(const br_model *model, int body) {
    return model->body[body].name;
}

int br_model_body_find(const br_model *model, const char *name) {
    return br_names_find(&model->body_names, name);
}

double br_model_body_mass(const br_model *model, int body) {
    return model->body[body].mass;
}

int br_model_joint_count(const br_model *model) {
    return model->joints;
}

const char *br_model_joint_name(const br_model *model, int joint) {
    return model->joint[joint].name;
}

int br_model_joint_find(const br_model *model, const char *name) {
    return br_names_find(&model->joint_names, name);
}

br_joint_type br_model_joint_type(const br_model *model, int joint) {
    return model->joint[joint].type;
}

const br_friction_def *br_model_joint_friction(const br_model *model, int joint) {
    return model->joint[joint].friction;
}

int br_model_joint_closes_loop(const br_model *model, int joint) {
    return model->joint[joint].link < 0 && model->joint[joint].tendon < 0;
}

int br_model_joint_q(const br_model *model, int joint) {
    return model->joint[joint].link < 0 ? -1 : model->joint[joint].q_at;
}

int br_model_joint_v(const br_model *model, int joint) {
    return model->joint[joint].link < 0 ? -1 : model->joint[joint].v_at;
}

int br_model_beam_count(const br_model *model) {
    return model->beams;
}

const char *br_model_beam_name(const br_model *model, int beam) {
    return model->beam[beam].name;
}

int br_model_beam_elements(const br_model *model, int beam) {
    return model->beam[beam].nodes - 1;
}

double br_model_beam_length(const br_model *model, int beam) {
    return model->beam[beam].length;
}

int br_model_body_beam(const br_model *model, int body) {
    for (int k = 0; k < model->beams; k++)
        if (body >= model->beam[k].first_body && body < model->beam[k].first_body + model->beam[k].nodes)
            return k;
    return -1;
}

int br_model_clearance_count(const br_model *model) {
    return model->clearances;
}

const char *br_model_clearance_name(const br_model *model, int clearance) {
    return model->clearance[clearance].name;
}

br_clearance_type br_model_clearance_type(const br_model *model, int clearance) {
    return model->clearance[clearance].type;
}

int br_model_shape_count(const br_model *model) {
    return model->contact->shapes;
}

const char *br_model_shape_name(const br_model *model, int shape) {
    return model->contact->shape[shape].def.name;
}

int br_model_shape_body(const br_model *model, int shape) {
    return model->contact->shape[shape].body;
}

int br_model_nq(const br_model *model) {
    return model->tree.nq;
}

int br_model_nv(const br_model *model) {
    return model->tree.nv;
}
