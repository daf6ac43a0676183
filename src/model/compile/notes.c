// What a model has to say about itself before a run, see model.h.
#include <stdio.h>

#include "base/error.h"
#include "model/model.h"

const char *br_model_notes(const br_model *model) {
    return model->notes ? model->notes : "";
}

// --- what a stepper cannot simulate ------------------------------------------------------------------------

static br_status no_beams(const br_model *model, br_error *error) {
    const br_solver_settings *solver = &model->settings.solver;
    const char *stepper = br_stepper_name(solver->stepper);
    if (model->beams > 0)
        return br_fail_path(
            error, BR_INVALID, "run-beam", "solver/stepper",
            "beam '%s' bends, and the %s stepper knows rigid bodies only; use solver: {stepper: "
            "implicit}",
            model->beam[0].name, stepper);
    if (model->clearances > 0)
        return br_fail_path(error, BR_INVALID, "run-clearance", "solver/stepper",
                            "clearance '%s' is a compliant contact with play, which the %s stepper does not "
                            "have; use solver: {stepper: implicit}",
                            model->clearance[0].name, stepper);
    if (solver->adaptive.on)
        return br_fail_path(error, BR_INVALID, "run-adaptive", "solver/adaptive",
                            "adaptive is for the implicit stepper; the %s stepper %s", stepper,
                            solver->stepper == BR_STEPPER_REFERENCE
                                ? "chooses its own steps by tol: leave adaptive out"
                                : "has steps of one size: leave adaptive out, or use stepper: implicit");
    return BR_OK;
}

static br_status kinematic(const br_model *model, br_error *error) {
    const br_solver_settings *solver = &model->settings.solver;
    int a = 0, b = 0;
    if (model->friction_joint)
        return br_fail_path(
            error, BR_INVALID, "run-friction", "solver/stepper",
            "joint '%s' has friction, and the kinematic stepper finds forces from the motion alone, without "
            "friction; use contact or reference, or remove the friction",
            model->friction_joint);
    if (br_model_first_touch(model, &a, &b))
        return br_fail_path(
            error, BR_INVALID, "run-contact", "solver/stepper",
            "%s could touch %s, and the kinematic stepper knows no contact; use contact or reference, "
            "or exclude the two bodies",
            model->contact->shape[a].def.name, model->contact->shape[b].def.name);
    if (solver->redundancy && model->redundancy.kind != BR_REDUNDANCY_PSEUDOINVERSE)
        return br_fail_path(
            error, BR_INVALID, "run-redundancy", "solver/redundancy",
            "redundancy: %s is for the contact and reference steppers; for the kinematic one leave it out or "
            "write pseudoinverse",
            solver->redundancy);
    return BR_OK;
}

static int is_bounded_motor(const br_model_drive *drive) {
    return (drive->type == BR_DRIVE_VELOCITY || drive->type == BR_DRIVE_POSITION) &&
           isfinite(drive->max_effort);
}

static br_status reference(const br_model *model, br_error *error) {
    int a = 0, b = 0;
    if (model->friction_joint && br_model_first_touch(model, &a, &b))
        return br_fail_path(error, BR_INVALID, "reference-friction-contact", "solver/stepper",
                            "joint '%s' has friction and %s could touch %s; the reference stepper has joint "
                            "friction or contact, not both: "
                            "use contact, or exclude the two bodies",
                            model->friction_joint, model->contact->shape[a].def.name,
                            model->contact->shape[b].def.name);
    // Such a motor sticks and slips like friction: no smooth right-hand side has it.
    for (int d = 0; d < model->drives; d++)
        if (is_bounded_motor(&model->drive[d]))
            return br_fail(
                error, BR_INVALID, "reference-bounded-motor",
                "drive '%s' holds a motion within a largest effort, which the reference stepper cannot "
                "represent; use solver: {stepper: contact}, or a servo",
                model->drive[d].name);
    return BR_OK;
}

// --- the implicit stepper ----------------------------------------------------------------------------------

// Newton's method wants forces with a slope.
static br_status fail_set_valued(const char *group, const char *what, const char *name,
                                 const br_friction_params *law, br_error *error) {
    char path[BR_MAX_ERROR_PATH];
    snprintf(path, sizeof path, "%s/%.100s/friction", group, name);
    return br_fail_path(
        error, BR_INVALID, "run-friction", path,
        "the friction of %s '%s' jumps at rest (%s), which the implicit stepper cannot follow; "
        "use law: smooth, or dahl, lugre or bristle with a finite sigma_0",
        what, name, law->law == BR_FRICTION_COULOMB ? "law: coulomb" : "its bristles are rigid");
}

static br_status implicit_friction(const br_model *model, br_error *error) {
    for (int j = 0; j < model->joints; j++) {
        if (!model->joint[j].friction) continue;
        const br_friction_params law = br_friction_params_of(model->joint[j].friction);
        if (br_friction_is_set_valued(&law))
            return fail_set_valued("joints", "joint", model->joint[j].name, &law, error);
    }
    for (int k = 0; k < model->clearances; k++) {
        const br_model_clearance *race = &model->clearance[k];
        if (race->friction.law != BR_FRICTION_NONE && br_friction_is_set_valued(&race->friction))
            return fail_set_valued("clearances", "clearance", race->name, &race->friction, error);
    }
    return BR_OK;
}

static br_status implicit_joints(const br_model *model, br_error *error) {
    char path[BR_MAX_ERROR_PATH];
    for (int j = 0; j < model->joints; j++) {
        const br_model_joint *joint = &model->joint[j];
        // Of a rotation that is a quaternion there is no coordinate that armature could go with.
        double armature = 0.0;
        for (int k = 0; joint->kind && k < joint->kind->nv; k++)
            if (joint->kind->nq != joint->kind->nv && k >= joint->kind->nv - 3)
                armature += joint->armature[k];
        snprintf(path, sizeof path, "joints/%.100s/%s", joint->name, joint->limited ? "limits" : "armature");
        if (joint->limited)
            return br_fail_path(
                error, BR_INVALID, "run-limit", path,
                "joint '%s' has limits, whose impacts are the contact stepper's; remove them, or "
                "use solver: {stepper: contact}",
                joint->name);
        if (armature > 0.0)
            return br_fail_path(
                error, BR_INVALID, "run-armature", path,
                "joint '%s' has armature about axes that turn, which the implicit stepper does not "
                "have; give the inertia to its body, or use solver: {stepper: contact}",
                joint->name);
    }
    return BR_OK;
}

static br_status implicit(const br_model *model, br_error *error) {
    int a = 0, b = 0;
    if (br_model_first_touch(model, &a, &b))
        return br_fail_path(
            error, BR_INVALID, "run-contact", "solver/stepper",
            "%s could touch %s, and the implicit stepper knows contact in clearances only; use "
            "solver: {stepper: contact}, or exclude the two bodies",
            model->contact->shape[a].def.name, model->contact->shape[b].def.name);
    br_status status = implicit_friction(model, error);
    if (status == BR_OK) status = implicit_joints(model, error);
    for (int d = 0; status == BR_OK && d < model->drives; d++)
        if (is_bounded_motor(&model->drive[d]))
            return br_fail(error, BR_INVALID, "run-motor",
                           "drive '%s' holds a motion within a largest effort, which sticks and slips like "
                           "friction; the implicit stepper has it without the limit, or as a servo",
                           model->drive[d].name);
    return status;
}

// --- the whole ---------------------------------------------------------------------------------------------

static br_status loop_armature(const br_model *model, br_error *error) {
    for (int j = 0; j < model->joints; j++)
        for (int k = 0; model->joint[j].loop >= 0 && k < BR_MAX_JOINT_V; k++)
            if (model->joint[j].armature[k] != 0.0)
                return br_fail(
                    error, BR_INVALID, "run-armature",
                    "joint '%s' closes a loop and has armature, which only a joint of the spanning tree can "
                    "carry; list it before the joint that should close the loop",
                    model->joint[j].name);
    return BR_OK;
}

br_status br_model_runnable(const br_model *model, br_error *error) {
    const br_solver_settings *solver = &model->settings.solver;
    // The preset `paper` sets it for the contact stepper; the others go on without.
    if (solver->rotation_euler && solver->stepper != BR_STEPPER_CONTACT && !model->settings.contact_paper)
        return br_fail_path(
            error, BR_INVALID, "run-rotation", "solver/rotation",
            "rotation: euler_zxy is a setting of the contact stepper; the %s stepper takes quaternion",
            br_stepper_name(solver->stepper));
    if (solver->stepper == BR_STEPPER_IMPLICIT) return implicit(model, error);
    br_status status = no_beams(model, error);
    if (status == BR_OK && solver->stepper == BR_STEPPER_KINEMATIC) status = kinematic(model, error);
    if (status == BR_OK && solver->stepper == BR_STEPPER_REFERENCE) status = reference(model, error);
    return status == BR_OK ? loop_armature(model, error) : status;
}
