// The kinematic stepper: positions from the drives alone, forces from the motion (step.c).
#include "base/error.h"
#include "model/compile/touch.h"
#include "sim/stepper/kinematic/step.h"
#include "sim/stepper/refuse.h"
#include "sim/stepper/stepper.h"

static br_status kinematic_refuse_own(const br_model *model, br_error *error) {
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
    return BR_OK;
}

static br_status kinematic_refuse(const br_model *model, br_error *error) {
    br_status status = br_refuse_flexible(model, error);
    if (status == BR_OK) status = kinematic_refuse_own(model, error);
    return status == BR_OK ? br_refuse_loop_armature(model, error) : status;
}

// Of what is integrated; the rest is exact.
static int kinematic_order(const br_solver_settings *solver) {
    (void)solver;
    return 4;
}

static const char *kinematic_remedy(const br_model *model, int loss) {
    (void)model, (void)loss;
    return "a smaller solver.step";
}

static const char *kinematic_takes_energy(const br_model *model) {
    (void)model;
    return "";
}

static void kinematic_forget(br_sim *sim) {
    sim->exact.sharp = sim->state.at->sharp;
}

const br_stepper_ops br_stepper_kinematic = {
    .refuse = kinematic_refuse,
    .advance = br_step_kinematic,
    .order = kinematic_order,
    .remedy = kinematic_remedy,
    .takes_energy = kinematic_takes_energy,
    .forget = kinematic_forget,
};
