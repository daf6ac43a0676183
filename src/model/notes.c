// What a model has to say about itself before a run, see model.h.
#include "base/error.h"
#include "model/model.h"

const char *br_model_notes(const br_model *model) {
    return model->notes ? model->notes : "";
}

br_status br_model_runnable(const br_model *model, br_error *error) {
    const br_solver_settings *solver = &model->settings.solver;
    if (solver->stepper == BR_STEPPER_IMPLICIT)
        return br_fail_path(error, BR_INVALID, "run-stepper", "solver/stepper",
                            "the implicit stepper is not available yet; use contact or reference");
    // The preset `paper` sets it for the contact stepper; the others go on without.
    if (solver->rotation_euler && solver->stepper != BR_STEPPER_CONTACT && !model->settings.contact_paper)
        return br_fail_path(
            error, BR_INVALID, "run-rotation", "solver/rotation",
            "rotation: euler_zxy is a setting of the contact stepper; the %s stepper takes quaternion",
            br_stepper_name(solver->stepper));
    if (solver->stepper == BR_STEPPER_KINEMATIC && model->friction_joint)
        return br_fail_path(
            error, BR_INVALID, "run-friction", "solver/stepper",
            "joint '%s' has friction, and the kinematic stepper finds forces from the motion alone, without "
            "friction; use contact or reference, or remove the friction",
            model->friction_joint);
    int a = 0, b = 0;
    if (solver->stepper == BR_STEPPER_KINEMATIC && br_model_first_touch(model, &a, &b))
        return br_fail_path(
            error, BR_INVALID, "run-contact", "solver/stepper",
            "%s could touch %s, and the kinematic stepper knows no contact; use contact or reference, "
            "or exclude the two bodies",
            model->contact->shape[a].def.name, model->contact->shape[b].def.name);
    if (solver->stepper == BR_STEPPER_REFERENCE && model->friction_joint &&
        br_model_first_touch(model, &a, &b))
        return br_fail_path(error, BR_INVALID, "reference-friction-contact", "solver/stepper",
                            "joint '%s' has friction and %s could touch %s; the reference stepper has joint "
                            "friction or contact, not both: "
                            "use contact, or exclude the two bodies",
                            model->friction_joint, model->contact->shape[a].def.name,
                            model->contact->shape[b].def.name);
    if (solver->stepper == BR_STEPPER_KINEMATIC && solver->redundancy &&
        model->redundancy.kind != BR_REDUNDANCY_PSEUDOINVERSE)
        return br_fail_path(
            error, BR_INVALID, "run-redundancy", "solver/redundancy",
            "redundancy: %s is for the contact and reference steppers; for the kinematic one leave it out or "
            "write pseudoinverse",
            solver->redundancy);
    for (int j = 0; j < model->joints; j++)
        for (int k = 0; model->joint[j].loop >= 0 && k < BR_MAX_JOINT_V; k++)
            if (model->joint[j].armature[k] != 0.0)
                return br_fail(
                    error, BR_INVALID, "run-armature",
                    "joint '%s' closes a loop and has armature, which only a joint of the spanning tree can "
                    "carry; list it before the joint that should close the loop",
                    model->joint[j].name);
    // Such a motor sticks and slips like friction: no smooth right-hand side has it.
    for (int d = 0; solver->stepper == BR_STEPPER_REFERENCE && d < model->drives; d++) {
        const br_model_drive *drive = &model->drive[d];
        if ((drive->type == BR_DRIVE_VELOCITY || drive->type == BR_DRIVE_POSITION) &&
            isfinite(drive->max_effort))
            return br_fail(
                error, BR_INVALID, "reference-bounded-motor",
                "drive '%s' holds a motion within a largest effort, which the reference stepper cannot "
                "represent; use solver: {stepper: contact}, or a servo",
                drive->name);
    }
    return BR_OK;
}
