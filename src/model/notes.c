// What a model has to say about itself before a run, see model.h.
#include <string.h>

#include "base/error.h"
#include "model/model.h"

const char *br_model_notes(const br_model *model) {
    return model->notes ? model->notes : "";
}

// Two shapes that are not on the same body; the ground counts as a body of its own.
static int could_touch(const br_model_contact *contact, const br_model_shape **a, const br_model_shape **b) {
    for (int k = 1; contact && k < contact->shapes; k++) {
        *a = &contact->shape[0];
        *b = &contact->shape[k];
        if ((*a)->body != (*b)->body) return 1;
    }
    return 0;
}

br_status br_model_runnable(const br_model *model, br_error *error) {
    const br_model_shape *a = NULL, *b = NULL;
    if (model->settings.solver.stepper == BR_STEPPER_IMPLICIT)
        return br_fail_path(error, BR_INVALID, "run-stepper", "solver/stepper",
                            "the implicit stepper is not available yet; use contact or reference");
    if (model->friction_joint)
        return br_fail(
            error, BR_INVALID, "run-friction",
            "joint '%s' has friction, which is not simulated yet; remove it to run without friction",
            model->friction_joint);
    if (could_touch(model->contact, &a, &b))
        return br_fail(
            error, BR_INVALID, "run-contact",
            "%s could touch %s, and contact is not simulated yet; remove `shapes` or `ground` to run "
            "without contact",
            a->def.name, b->def.name);
    if (model->settings.solver.rotation_euler)
        return br_fail_path(error, BR_INVALID, "run-rotation", "solver/rotation",
                            "rotation: euler_zxy is not simulated yet; use quaternion");
    const char *redundancy = model->settings.solver.redundancy;
    if (redundancy && strcmp(redundancy, "pseudoinverse") != 0)
        return br_fail_path(error, BR_INVALID, "run-redundancy", "solver/redundancy",
                            "redundancy: %s is not there yet; leave it out or write pseudoinverse",
                            redundancy);
    for (int j = 0; j < model->joints; j++)
        for (int k = 0; model->joint[j].loop >= 0 && k < BR_MAX_JOINT_V; k++)
            if (model->joint[j].armature[k] != 0.0)
                return br_fail(
                    error, BR_INVALID, "run-armature",
                    "joint '%s' closes a loop and has armature, which only a joint of the spanning tree can "
                    "carry; list it before the joint that should close the loop",
                    model->joint[j].name);
    // Such a motor sticks and slips like friction: no smooth right-hand side has it.
    for (int d = 0; model->settings.solver.stepper == BR_STEPPER_REFERENCE && d < model->drives; d++) {
        const br_model_drive *drive = &model->drive[d];
        if ((drive->type == BR_DRIVE_VELOCITY || drive->type == BR_DRIVE_POSITION) && isfinite(drive->max_effort))
            return br_fail(error, BR_INVALID, "reference-bounded-motor",
                           "drive '%s' holds a motion within a largest effort, which the reference stepper cannot "
                           "represent; use solver: {stepper: contact}, or a servo",
                           drive->name);
    }
    return BR_OK;
}
