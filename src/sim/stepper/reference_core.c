// The core has no reference stepper, which needs CVODE: a model that asks for it is refused by name when it is to move.
#include "base/error.h"
#include "sim/stepper/stepper.h"

static br_status refuse_here(const br_model *model, br_error *error) {
    (void)model;
    return br_fail_path(
        error, BR_INVALID, "stepper-not-here", "solver/stepper",
        "the reference stepper is not in this build of bristle, which has no CVODE; use contact or "
        "implicit, or the whole library");
}

static int reference_order(const br_solver_settings *solver) {
    (void)solver;
    return 0;
}

static const char *reference_remedy(const br_model *model, int loss) {
    (void)model, (void)loss;
    return "a smaller solver.tol";
}

static const char *reference_takes_energy(const br_model *model) {
    (void)model;
    return "";
}

const br_stepper_ops br_stepper_reference = {
    .refuse = refuse_here,
    .order = reference_order,
    .remedy = reference_remedy,
    .takes_energy = reference_takes_energy,
};
