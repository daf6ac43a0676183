// Refusals that several steppers share, see refuse.h.
#include "sim/stepper/refuse.h"

#include <string.h>

#include "base/error.h"
#include "sim/stepper/stepper.h"

int br_model_is_flexible(const br_model *model) {
    return model->beams > 0 || model->clearances > 0;
}

br_status br_refuse_flexible(const br_model *model, br_error *error) {
    const char *stepper = br_stepper_name(model->settings.solver.stepper);
    br_error ignored = {0};
    if (!br_model_is_flexible(model)) return br_refuse_adaptive(model, error);
    char others[64] = "";
    if (br_stepper_implicit.refuse(model, &ignored) == BR_OK) strcat(others, " or {stepper: implicit}");
    if (br_stepper_reference.refuse(model, &ignored) == BR_OK) strcat(others, " or {stepper: reference}");
    if (model->beams > 0)
        return br_fail_path(error, BR_INVALID, "run-beam", "solver/stepper",
                            "beam '%s' bends, and the %s stepper knows rigid bodies only; use solver: "
                            "{stepper: contact}%s",
                            model->beam[0].name, stepper, others);
    return br_fail_path(error, BR_INVALID, "run-clearance", "solver/stepper",
                        "clearance '%s' is a compliant contact with play, which the %s stepper does not "
                        "have; use solver: {stepper: contact}%s",
                        model->clearance[0].name, stepper, others);
}

br_status br_refuse_adaptive(const br_model *model, br_error *error) {
    const br_solver_settings *solver = &model->settings.solver;
    if (!solver->adaptive.on) return BR_OK;
    return br_fail_path(error, BR_INVALID, "run-adaptive", "solver/adaptive",
                        "adaptive is for the implicit stepper; the %s stepper %s",
                        br_stepper_name(solver->stepper),
                        br_stepper_traits_of(solver->stepper)->chooses_steps
                            ? "chooses its own steps by tol: leave adaptive out"
                            : "has steps of one size: leave adaptive out, or use stepper: implicit");
}

br_status br_refuse_loop_armature(const br_model *model, br_error *error) {
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

br_status br_refuse_tendons(const br_model *model, br_error *error) {
    if (model->tendons == 0) return BR_OK;
    return br_fail_path(error, BR_INVALID, "run-tendon", "solver/stepper",
                        "tendon '%s' couples bodies along its path, which the elements of the implicit "
                        "stepper, of static and "
                        "of modes do not do; use solver: {stepper: contact} or {stepper: reference}, and "
                        "dynamics --linearize",
                        model->joint[model->tendon[0].joint].name);
}

int br_drive_is_bounded_motor(const br_model_drive *drive) {
    return (drive->type == BR_DRIVE_VELOCITY || drive->type == BR_DRIVE_POSITION) &&
           isfinite(drive->max_effort);
}
