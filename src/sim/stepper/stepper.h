// What a stepper is to the rest of the house: one row of a table. A new stepper is one folder beside this file, one row in
// model/def/steppers.h and its constant in model.h. Private to src/sim.
#ifndef BR_SIM_STEPPER_STEPPER_H
#define BR_SIM_STEPPER_STEPPER_H

#include "model/def/steppers.h"
#include "sim/core/sim.h"

typedef struct br_stepper_ops {
    // What of a model it cannot represent, by name.
    br_status (*refuse)(const br_model *model, br_error *error);
    // From the state to `until`, which lies ahead. A step that fails leaves the last good state.
    br_status (*advance)(br_sim *sim, double until, br_error *error);
    // The order of its steps; 0: they are as short as a tolerance asks.
    int (*order)(const br_solver_settings *solver);
    // "a smaller solver.step or ...": what may help against gains of energy, or losses.
    const char *(*remedy)(const br_model *model, int loss);
    // Why a loss of energy is meant; "": losses are errors.
    const char *(*takes_energy)(const br_model *model);

    // What only some have; NULL: nothing.
    // The state was set from outside, or is the start: what is read from now on must be the stepper's own.
    br_status (*ready)(br_sim *sim, br_error *error);
    void (*destroy)(br_sim *sim);
    // Forces and accelerations where they are not those of the balance of an instant: sim->reaction_*, sim->acceleration*.
    br_status (*reactions)(br_sim *sim, br_error *error);
    br_status (*accelerations)(br_sim *sim, br_error *error);
    // Forces of a clearance that is no contact of its: normal, N, and friction on the inner race.
    void (*clearance)(const br_sim *sim, int clearance, double *normal, br_vec3 *friction);
    // The block of the state was loaded: what was found from another one no longer counts. Its own parts of the block, which it asked
    // for when it was created, are in place.
    void (*forget)(br_sim *sim);
} br_stepper_ops;

#define BR_STEPPER_DECLARE(constant, word, ...) extern const br_stepper_ops br_stepper_##word;
BR_STEPPER_LIST(BR_STEPPER_DECLARE)
extern const br_stepper_ops *const br_steppers[BR_STEPPERS]; // registry.c

#endif
