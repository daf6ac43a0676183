// The implicit stepper: generalized-alpha or energy-decaying steps of nodes (advance.c). Here: what it refuses, what is read of it.
#include <stdio.h>

#include "base/error.h"
#include "model/compile/touch.h"
#include "sim/core/acceleration.h"
#include "sim/stepper/implicit/element_bounded.h"
#include "sim/stepper/implicit/element_clearance.h"
#include "sim/stepper/implicit/implicit.h"
#include "sim/stepper/implicit/touching.h"
#include "sim/stepper/refuse.h"
#include "sim/stepper/stepper.h"

static int slides_one_way(br_joint_type type) {
    return type == BR_JOINT_REVOLUTE || type == BR_JOINT_PRISMATIC || type == BR_JOINT_SCREW ||
           type == BR_JOINT_UNIVERSAL;
}

// --- what it refuses ---------------------------------------------------------------------------------------

// Newton's method wants forces with a slope, and the rows of element_stick.c are of pads whose direction the joint gives.
static br_status fail_set_valued(const char *group, const char *what, const char *name,
                                 const br_friction_params *law, br_error *error) {
    char path[BR_MAX_ERROR_PATH];
    snprintf(path, sizeof path, "%s/%.100s/friction", group, name);
    return br_fail_path(
        error, BR_INVALID, "run-friction", path,
        "the friction of %s '%s' jumps at rest (%s), and the wall that it sticks to turns and gives way: "
        "Newton's method of the implicit stepper has no slope there; use the contact or the reference "
        "stepper, or law: smooth, or dahl, lugre or bristle with a finite sigma_0",
        what, name, law->law == BR_FRICTION_COULOMB ? "law: coulomb" : "its bristles are rigid");
}

// A row for each pad that rests has one direction.
static br_status refuse_friction(const br_model *model, br_error *error) {
    for (int j = 0; j < model->joints; j++) {
        const br_model_joint *joint = &model->joint[j];
        char path[BR_MAX_ERROR_PATH];
        if (!joint->friction) continue;
        const br_friction_params law = br_friction_params_of(joint->friction);
        if (!br_friction_is_set_valued(&law) || slides_one_way(joint->type)) continue;
        snprintf(path, sizeof path, "joints/%.100s/friction", joint->name);
        return br_fail_path(
            error, BR_INVALID, "run-friction", path,
            "the friction of joint '%s' jumps at rest and has several directions that share one bound: "
            "the implicit stepper decides rows one by one, which do so in revolute, prismatic, screw "
            "and universal joints; use the contact or the reference stepper, or law: smooth, or dahl, "
            "lugre or bristle with a finite sigma_0",
            joint->name);
    }
    for (int k = 0; k < model->clearances; k++) {
        const br_model_clearance *race = &model->clearance[k];
        if (race->friction.law != BR_FRICTION_NONE && br_friction_is_set_valued(&race->friction))
            return fail_set_valued("clearances", "clearance", race->name, &race->friction, error);
    }
    return BR_OK;
}

// Generalized-alpha does not project velocities, and what reaches a bound would ring.
static br_status refuse_bounds(const br_model *model, br_error *error) {
    const char *kind = NULL, *name = "", *what = "a largest effort";
    for (int d = 0; d < model->drives; d++)
        if (br_drive_is_bounded_motor(&model->drive[d])) kind = "drive", name = model->drive[d].name;
    for (int j = 0; j < model->joints && !kind; j++)
        if (model->joint[j].limited) kind = "joint", name = model->joint[j].name, what = "limits";
    for (int j = 0; j < model->joints && !kind; j++) {
        if (!model->joint[j].friction) continue;
        const br_friction_params law = br_friction_params_of(model->joint[j].friction);
        if (br_friction_is_set_valued(&law))
            kind = "joint", name = model->joint[j].name, what = "friction that jumps at rest";
    }
    int a = 0, b = 0;
    if (model->settings.solver.energy_decaying) return BR_OK;
    if (br_model_first_touch(model, &a, &b))
        return br_fail_path(error, BR_INVALID, "run-bounds", "solver/scheme",
                            "%s could touch %s, which scheme: alpha does not follow; use scheme: "
                            "energy_decaying, or exclude the two bodies",
                            model->contact->shape[a].def.name, model->contact->shape[b].def.name);
    if (!kind) return BR_OK;
    return br_fail_path(error, BR_INVALID, "run-bounds", "solver/scheme",
                        "%s '%s' has %s, which scheme: alpha does not follow; use scheme: energy_decaying",
                        kind, name, what);
}

static br_status implicit_refuse(const br_model *model, br_error *error) {
    br_status status = br_refuse_tendons(model, error);
    if (status == BR_OK) status = refuse_friction(model, error);
    if (status == BR_OK) status = refuse_bounds(model, error);
    return status;
}

// --- forces and accelerations ------------------------------------------------------------------------------

// Of the end of the last step, or the mean of it.
static br_status reactions(br_sim *sim, br_error *error) {
    const br_status status = br_implicit_ready(sim, error);
    if (status != BR_OK) return status;
    br_sim_refresh(sim, 2);
    br_bounded_tell(sim->implicit);
    for (int j = 0; j < sim->model->joints; j++) {
        const br_model_joint *joint = &sim->model->joint[j];
        if (!joint->kind && joint->loop < 0) continue;
        const br_relative x = br_sim_relative(sim, joint, 0);
        const br_wrench F = br_joint_reaction_F(sim->implicit, j);
        sim->reaction_W[j] =
            br_wrench_of(br_mat3_mul_vec(x.R_WF, F.torque), br_mat3_mul_vec(x.R_WF, F.force));
        sim->reaction_M[j] =
            br_wrench_of(br_mat3_tmul_vec(x.R_FM, F.torque), br_mat3_tmul_vec(x.R_FM, F.force));
    }
    sim->reactions_valid |= BR_VALID_REACTIONS;
    return BR_OK;
}

static br_status accelerations(br_sim *sim, br_error *error) {
    const br_status status = br_implicit_ready(sim, error);
    if (status != BR_OK) return status;
    const br_implicit *f = sim->implicit;
    const int mean = f->decaying && f->control->h_last > 0.0;
    br_sim_refresh(sim, 2);
    for (int i = 0; i < f->nodes; i++) {
        const br_node *n = &f->node[i];
        const br_vec3 alpha = br_mat3_mul_vec(n->R0, mean ? n->start->dw : n->start->beta);
        const br_vec3 r = br_mat3_mul_vec(n->R0, n->com), w = br_mat3_mul_vec(n->R0, n->w0);
        const br_twist A = br_twist_of(alpha, mean ? n->start->du : n->start->b); // of the centre of mass
        sim->acceleration[i] = f->at_rest ? br_twist_of(br_vec3_zero(), br_vec3_zero())
                                          : br_twist_of(alpha, br_acceleration_at(A, w, br_vec3_neg(r)));
    }
    br_acceleration_of_links(sim);
    return BR_OK;
}

static void clearance_forces(const br_sim *sim, int clearance, double *normal, br_vec3 *friction) {
    const br_implicit *f = sim->implicit;
    if (!f) return;
    const br_clearance_reading r = br_clearance_read(&f->element[f->first_clearance + clearance]);
    *normal = r.normal, *friction = r.friction;
}

// --- its steps ---------------------------------------------------------------------------------------------

static int implicit_order(const br_solver_settings *solver) {
    (void)solver;
    return 2;
}

static const char *implicit_remedy(const br_model *model, int loss) {
    return model->settings.solver.energy_decaying || loss
               ? "a smaller solver.step"
               : "a smaller solver.step or solver.scheme: energy_decaying";
}

static const char *implicit_takes_energy(const br_model *model) {
    const br_solver_settings *solver = &model->settings.solver;
    if (solver->rho_infinity == 1.0) return "";
    if (!solver->energy_decaying)
        return "a solver.rho_infinity below 1 takes energy, that of high frequencies first";
    return model->beams > 0
               ? "the energy_decaying scheme takes energy of beams, that of high frequencies first"
               : "";
}

const br_stepper_ops br_stepper_implicit = {
    .refuse = implicit_refuse,
    .advance = br_step_implicit,
    .order = implicit_order,
    .remedy = implicit_remedy,
    .takes_energy = implicit_takes_energy,
    .ready = br_implicit_ready,
    .reactions = reactions,
    .accelerations = accelerations,
    .clearance = clearance_forces,
    .forget = br_implicit_forget,
    .destroy = br_touching_destroy,
};
