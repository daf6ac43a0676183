// Targets that a program sets between steps, see control.h and bristle/sim.h.
#include "sim/core/control.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "sim/stepper/stepper.h"

BR_NO_PADDING(br_control, 2 * sizeof(double) + sizeof(int64_t));

static int fits(const void *context, const void *items, int count) {
    const br_control *control = items;
    (void)context;
    for (int d = 0; d < count; d++)
        if (control[d].mode < BR_CONTROL_NEVER || control[d].mode > BR_CONTROL_RELEASED ||
            !isfinite(control[d].value))
            return 0;
    return 1;
}

br_status br_controls_create(br_sim *sim) {
    const br_model *m = sim->model;
    const br_state_part part = {"controls",    0,         sizeof(br_control),
                                m->drives,     m->drives, BR_PART_STATE | BR_PART_STEADY,
                                &sim->control, NULL,      fits};
    if (m->drives == 0) return BR_OK;
    sim->held = BR_TAKE(&sim->arena, br_function *, m->drives);
    sim->target = BR_TAKE(&sim->arena, const br_function *, m->drives);
    if (!sim->held || !sim->target) return BR_NO_MEMORY;
    for (int d = 0; d < m->drives; d++) {
        sim->target[d] = m->drive[d].target;
        if (!(sim->held[d] = br_function_held(&sim->arena))) return BR_NO_MEMORY;
    }
    return br_state_ask(&sim->block, &part);
}

void br_controls_follow(br_sim *sim) {
    for (int d = 0; d < sim->model->drives; d++) {
        br_function_hold(sim->held[d], sim->control[d].value);
        sim->target[d] = sim->control[d].mode == BR_CONTROL_SET ? sim->held[d] : sim->model->drive[d].target;
    }
}

int br_control_jumps(const br_sim *sim, int drive, double t) {
    return sim->control[drive].mode != BR_CONTROL_NEVER && sim->control[drive].since >= t;
}

static br_status find_drive(const br_sim *sim, const char *name, int *out, br_error *error) {
    const br_model *m = sim->model;
    for (*out = 0; *out < m->drives; ++*out)
        if (strcmp(m->drive[*out].name, name) == 0) return BR_OK;
    if (m->drives == 0)
        return br_fail(error, BR_INVALID, "control-unknown",
                       "there is no drive '%.80s': model '%s' has no drives", name, br_model_name(m));
    char best[BR_MAX_NAME] = "";
    for (int d = 0; d < m->drives; d++) {
        const char *const words[] = {best, m->drive[d].name};
        if (br_nearest_word(name, words, 2) == words[1]) snprintf(best, sizeof best, "%s", words[1]);
    }
    return br_fail(error, BR_INVALID, "control-unknown", "there is no drive '%.80s' in model '%s'; %s '%s'%s",
                   name, br_model_name(m), best[0] ? "did you mean" : "its first is",
                   best[0] ? best : m->drive[0].name, best[0] ? "?" : "");
}

// A stepper that carries a history starts anew: what it knows is of another target.
static void put(br_sim *sim, int drive, br_control control) {
    sim->control[drive] = control;
    br_controls_follow(sim);
    sim->at = 0, sim->reactions_valid = 0;
    br_motors_forget(sim);
    if (br_sim_traits(sim)->chooses_steps) sim->outside++;
}

br_status br_sim_set_control(br_sim *sim, const char *drive, double value, br_error *error) {
    int d;
    const br_status status = find_drive(sim, drive, &d, error);
    if (status != BR_OK) return status;
    if (!isfinite(value))
        return br_fail(error, BR_INVALID, "control-not-finite",
                       "the control of drive '%s' is %g, expected a finite number", drive, value);
    if (sim->model->drive[d].type == BR_DRIVE_POSITION)
        return br_fail(error, BR_INVALID, "control-position",
                       "drive '%s' prescribes a position exactly: a control between two steps would make it "
                       "jump. Use a servo "
                       "(`servo: {position: ..., stiffness: ...}`) or a velocity in the model",
                       drive);
    if (sim->control[d].mode == BR_CONTROL_SET && sim->control[d].value == value) return BR_OK;
    put(sim, d, (br_control){value, br_sim_time(sim), BR_CONTROL_SET});
    return BR_OK;
}

br_status br_sim_release_control(br_sim *sim, const char *drive, br_error *error) {
    int d;
    const br_status status = find_drive(sim, drive, &d, error);
    if (status == BR_OK && sim->control[d].mode == BR_CONTROL_SET)
        put(sim, d, (br_control){0.0, br_sim_time(sim), BR_CONTROL_RELEASED});
    return status;
}

br_status br_sim_control(br_sim *sim, const char *drive, double *value, br_error *error) {
    int d;
    const br_status status = find_drive(sim, drive, &d, error);
    if (status != BR_OK) return status;
    br_sim_refresh(sim, 2);
    sim->q_eval = sim->state.q, sim->v_eval = sim->state.v, sim->t_eval = sim->state.at->t;
    br_sim_variables(sim);
    *value = br_function_value(sim->target[d], sim->state.at->t, sim->values);
    return BR_OK;
}
