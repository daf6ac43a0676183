// Refusals that several steppers share, see refuse.h.
#include "sim/stepper/refuse.h"

#include <stdio.h>

#include "base/error.h"
#include "sim/stepper/stepper.h"

#define BR_MAX_ADVICE 400

int br_model_is_flexible(const br_model *model) {
    return model->beams > 0 || model->clearances > 0;
}

// The advice to take the implicit stepper is only good where that one takes the model; else what it says is said at once.
static void advise_implicit(const br_model *model, char advice[BR_MAX_ADVICE]) {
    br_error why = {0};
    if (br_stepper_implicit.refuse(model, &why) == BR_OK)
        snprintf(advice, BR_MAX_ADVICE, "use solver: {stepper: implicit}");
    else
        snprintf(advice, BR_MAX_ADVICE,
                 "only the implicit stepper has that, and it refuses the model too: %.300s", why.message);
}

// Where the refused element is said, unless another stepper was asked for: a file that names none has no place for it.
static const char *place_of(const br_model *model, const char *list, const char *name, size_t size,
                            char *path) {
    if (model->settings.solver.stepper != BR_STEPPER_CONTACT) return "solver/stepper";
    snprintf(path, size, "%s/%s", list, name);
    return path;
}

br_status br_refuse_flexible(const br_model *model, br_error *error) {
    const br_solver_settings *solver = &model->settings.solver;
    const char *stepper = br_stepper_name(solver->stepper);
    char advice[BR_MAX_ADVICE], path[2 * BR_MAX_NAME];
    if (model->beams > 0) {
        br_error ignored = {0};
        if (model->clearances > 0)
            advise_implicit(model, advice);
        else
            snprintf(advice, sizeof advice, "use solver: {stepper: contact}%s",
                     br_stepper_implicit.refuse(model, &ignored) == BR_OK ? " or {stepper: implicit}" : "");
        return br_fail_path(error, BR_INVALID, "run-beam",
                            place_of(model, "beams", model->beam[0].name, sizeof path, path),
                            "beam '%s' bends, and the %s stepper knows rigid bodies only; %s",
                            model->beam[0].name, stepper, advice);
    }
    return br_refuse_play(model, error);
}

br_status br_refuse_play(const br_model *model, br_error *error) {
    const br_solver_settings *solver = &model->settings.solver;
    const char *stepper = br_stepper_name(solver->stepper);
    const char *usual = solver->stepper == BR_STEPPER_CONTACT ? " (it is the default)" : "";
    char advice[BR_MAX_ADVICE], path[2 * BR_MAX_NAME];
    if (model->clearances > 0) advise_implicit(model, advice);
    if (model->clearances > 0)
        return br_fail_path(
            error, BR_INVALID, "run-clearance",
            place_of(model, "clearances", model->clearance[0].name, sizeof path, path),
            "clearance '%s' is a compliant contact with play, which the %s stepper does not have%s; %s",
            model->clearance[0].name, stepper, usual, advice);
    if (solver->adaptive.on)
        return br_fail_path(error, BR_INVALID, "run-adaptive", "solver/adaptive",
                            "adaptive is for the implicit stepper; the %s stepper %s", stepper,
                            br_stepper_traits_of(solver->stepper)->chooses_steps
                                ? "chooses its own steps by tol: leave adaptive out"
                                : "has steps of one size: leave adaptive out, or use stepper: implicit");
    return BR_OK;
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

int br_drive_is_bounded_motor(const br_model_drive *drive) {
    return (drive->type == BR_DRIVE_VELOCITY || drive->type == BR_DRIVE_POSITION) &&
           isfinite(drive->max_effort);
}
