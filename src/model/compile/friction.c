// Joint friction against the rest of the model: that its load is among the forces that the model computes, and what of its
// definition the joint has no use for.
#include "model/compile/compile.h"
#include "tree/pad.h"

static int norms_of(const br_pad *pads, int count) {
    int norms = 0;
    for (int k = 0; k < count; k++) norms += pads[k].directions > 0 ? pads[k].norms : 0;
    return norms;
}

// Across the plane of a planar model there are no rows, hence no reaction and no load.
static br_status check_load(br_compile *c, int j) {
    const br_model_joint *joint = &c->model->joint[j];
    const br_place place = {"joints", joint->name, c->error};
    br_pose X_WF, X_WM;
    br_pad pads[BR_MAX_PADS], in_space[BR_MAX_PADS];
    if (!br_compile_is_planar(c) || joint->friction->load_constant) return BR_OK;
    br_compile_joint_frames(c, j, &X_WF, &X_WM);
    const br_vec3 normal_F = br_pose_vector_inverse(X_WF, c->model->normal);
    const br_mat3 R_FM = br_quat_to_mat3(br_pose_between(X_WF, X_WM).rotation);
    const int count = br_joint_pads(joint->type, joint->parameter, joint->friction, R_FM, &normal_F, pads);
    br_joint_pads(joint->type, joint->parameter, joint->friction, R_FM, NULL, in_space);
    int moving = 0;
    for (int k = 0; k < count; k++) {
        if (pads[k].directions == 0) in_space[k].directions = 0; // a pin that does not turn in the plane
        moving += pads[k].directions;
    }
    if (moving == 0)
        return br_compile_note(
            c, "joint %s does not move in the plane of the model: its friction does nothing", joint->name);
    const int norms = norms_of(pads, count);
    if (norms == 0)
        return br_fail_place(&place, "friction-load", "friction/load",
                             "the friction of joint %s follows its reaction across the plane of the model, "
                             "which a planar model does not compute; give it as load: {constant: NUMBER N}, "
                             "or leave out planar",
                             joint->name);
    if (norms < norms_of(in_space, count))
        return br_compile_note(
            c,
            "the friction of joint %s counts the part of its reaction that is in the plane "
            "of the model: forces along the normal and moments across it are not computed",
            joint->name);
    return BR_OK;
}

// Sizes that its kind of joint has no use for. Of a constant load no size but the arm of the force counts: they are kept as
// those of a law that is not selected are.
static br_status note_unused(br_compile *c, const br_model_joint *joint) {
    const struct {
        int bit;
        const char *key;
        double value;
    } size[] = {{BR_PAD_RADIUS, "pin_radius", joint->friction->pin_radius},
                {BR_PAD_ARM, "friction_arm", joint->friction->friction_arm},
                {BR_PAD_LENGTH, "guide_length", joint->friction->guide_length}};
    br_status status = BR_OK;
    for (size_t k = 0; status == BR_OK && k < sizeof size / sizeof *size; k++)
        if (size[k].value > 0.0 && !(joint->kind->pad_sizes & size[k].bit))
            status = br_compile_note(c, "the friction of joint %s has a %s, which a %s joint has no use for",
                                     joint->name, size[k].key, br_joint_type_name(joint->type));
    if (status == BR_OK && joint->type == BR_JOINT_CYLINDRICAL && joint->friction->pin_radius == 0.0)
        status = br_compile_note(
            c, "the friction of joint %s has no pin_radius: it rubs along its axis and turns freely",
            joint->name);
    return status;
}

br_status br_compile_friction(br_compile *c) {
    br_status status = BR_OK;
    for (int j = 0; status == BR_OK && j < c->joints; j++) {
        const br_model_joint *joint = &c->model->joint[j];
        if (!joint->friction) continue;
        status = check_load(c, j);
        if (status == BR_OK) status = note_unused(c, joint);
    }
    return status;
}
