// The rubs of a model, see friction.h.
#include "sim/friction/friction.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "tree/spatial.h"

static int count_rubs(const br_model *m) {
    int count = 0;
    for (int j = 0; j < m->joints; j++)
        if (m->joint[j].friction) count += br_pad_count(m->joint[j].type);
    return count;
}

static void make_pads(const br_sim *sim, const br_model_joint *joint, br_pad *pads) {
    const br_relative x = br_sim_relative(sim, joint, 0);
    const br_vec3 normal_F = br_mat3_tmul_vec(x.R_WF, sim->model->normal);
    br_joint_pads(joint->type, joint->parameter, joint->friction, x.R_FM,
                  sim->model->settings.planar == BR_SPATIAL ? NULL : &normal_F, pads);
}

br_status br_frictions_create(br_sim *sim, br_error *error) {
    const br_model *m = sim->model;
    const int count = count_rubs(m);
    if (count == 0) return BR_OK;
    br_frictions *f = BR_TAKE(&sim->arena, br_frictions, 1);
    if (!f) return br_no_memory(error, "no memory for joint friction");
    f->rub = BR_TAKE(&sim->arena, br_rub, count);
    // Shapes that touch, and pins that press in their holes.
    const int held = m->contacts_possible || m->clearances > 0,
              beside = held && m->settings.solver.stepper == BR_STEPPER_REFERENCE ? BR_MAX_BESIDE : 0;
    f->slots = count + beside;
    f->roots = BR_TAKE(&sim->arena, double, f->slots);
    f->state = BR_TAKE(&sim->arena, br_pad_state, f->slots);
    f->waiting = BR_TAKE(&sim->arena, int, count);
    f->before = BR_TAKE(&sim->arena, br_rub_mode, count);
    if (!br_arena_ok(&sim->arena) ||
        br_sim_ask(sim, "rubs", sizeof(br_rub_state), count, BR_PART_STATE, &f->now, &f->last) != BR_OK ||
        br_sim_ask(sim, "past of rubs", sizeof(br_rub_past), 1, BR_PART_STATE, &f->past, NULL) != BR_OK ||
        br_sim_ask(sim, "guesses of rubs", sizeof(double), f->slots, BR_PART_STATE, &f->g, NULL) != BR_OK ||
        br_sim_ask(sim, "peaks of rubs", sizeof(double), count, BR_PART_STATE, &f->peak, NULL) != BR_OK)
        return br_no_memory(error, "no memory for joint friction");
    br_tree_position(&m->tree, m->q_start, &sim->work); // pads are in frames that move
    sim->at = 0;
    for (int j = 0; j < m->joints; j++) {
        const br_model_joint *joint = &m->joint[j];
        br_pad pads[BR_MAX_PADS];
        if (!joint->friction) continue;
        make_pads(sim, joint, pads);
        const int of_joint = br_pad_count(joint->type);
        int first = 0;
        for (int k = 0; k < of_joint; k++) {
            br_rub *rub = &f->rub[f->count++];
            rub->joint = j, rub->which = k, rub->first = first, rub->pad = pads[k];
            first += pads[k].directions;
            rub->law = br_friction_params_of(joint->friction);
            rub->compliance = joint->friction->compliance;
            if (of_joint > 1)
                snprintf(rub->name, sizeof rub->name, "%s.%d", joint->name, k);
            else
                snprintf(rub->name, sizeof rub->name, "%s", joint->name);
            f->directions += rub->pad.directions;
            *(br_friction_is_set_valued(&rub->law) ? &f->set_valued : &f->follows) += 1;
        }
        if (joint->link < 0) sim->has_wrench = 1;
    }
    sim->frictions = f;
    br_frictions_forget(sim);
    return BR_OK;
}

void br_frictions_forget(br_sim *sim) {
    br_frictions *f = sim->frictions;
    if (!f) return;
    memset(f->now, 0, (size_t)f->count * sizeof *f->now);
    memset(f->g, 0, (size_t)f->slots * sizeof *f->g);
    for (int i = 0; i < f->count; i++)
        f->now[i].mode = br_friction_is_set_valued(&f->rub[i].law) ? BR_RUB_STICKS : BR_RUB_FOLLOWS;
}

double br_frictions_stored(const br_sim *sim) {
    const br_frictions *f = sim->frictions;
    double energy = 0.0;
    for (int i = 0; f && i < f->count; i++) {
        const br_friction_params *law = &f->rub[i].law;
        if (!br_friction_has_state(law)) continue;
        for (int d = 0; d < f->rub[i].pad.directions; d++)
            energy += 0.5 * law->sigma_0 * f->now[i].normal * f->now[i].z[d] * f->now[i].z[d];
    }
    return energy;
}

void br_rub_velocity(const br_sim *sim, const br_rub *rub, const br_twist *V, double *velocity) {
    const br_model_joint *joint = &sim->model->joint[rub->joint];
    br_relative x = br_sim_relative(sim, joint, V == NULL);
    if (V) {
        const br_twist none = br_twist_of(br_vec3_zero(), br_vec3_zero());
        const br_twist A = joint->first >= 0 ? br_twist_shift(V[joint->first], x.rho_A) : none;
        const br_twist B = joint->second >= 0 ? br_twist_shift(V[joint->second], x.rho_B) : none;
        const br_twist W = br_twist_sub(B, A);
        x.V = br_twist_of(br_mat3_tmul_vec(x.R_WF, W.angular), br_mat3_tmul_vec(x.R_WF, W.linear));
    }
    for (int d = 0; d < rub->pad.directions; d++) velocity[d] = br_twist_dot(x.V, rub->pad.D[d]);
}

void br_frictions_look(br_sim *sim) {
    br_frictions *f = sim->frictions;
    for (int i = 0; i < f->count; i++) {
        br_rub *rub = &f->rub[i];
        const br_model_joint *joint = &sim->model->joint[rub->joint];
        if (joint->type == BR_JOINT_UNIVERSAL) {
            br_pad pads[BR_MAX_PADS];
            make_pads(sim, joint, pads);
            rub->pad = pads[rub->which];
        }
        br_rub_velocity(sim, rub, NULL, rub->velocity);
    }
}

void br_rub_wrench(const br_sim *sim, const br_rub *rub, int d, br_wrench *second, br_wrench *first) {
    const br_relative x = br_sim_relative(sim, &sim->model->joint[rub->joint], 0);
    const br_wrench D = rub->pad.D[d];
    const br_wrench W = br_wrench_of(br_mat3_mul_vec(x.R_WF, D.torque), br_mat3_mul_vec(x.R_WF, D.force));
    *second = br_wrench_shift(W, x.rho_B);
    *first = br_wrench_scale(-1.0, br_wrench_shift(W, x.rho_A));
}

void br_rub_effort(const br_sim *sim, const br_rub *rub, int d, double *effort) {
    const br_model_joint *joint = &sim->model->joint[rub->joint];
    br_joint_motion motion;
    joint->kind->pose(joint->parameter, sim->q_eval + joint->q_at, &motion);
    for (int k = 0; k < joint->kind->nv; k++) effort[k] = br_twist_dot(motion.S[k], rub->pad.D[d]);
}

void br_frictions_apply(br_sim *sim, double factor) {
    br_frictions *f = sim->frictions;
    for (int i = 0; i < f->count; i++) {
        const br_rub *rub = &f->rub[i];
        const br_model_joint *joint = &sim->model->joint[rub->joint];
        for (int d = 0; d < rub->pad.directions; d++) {
            const double force = factor * f->now[i].force[d];
            if (force == 0.0) continue;
            if (joint->link >= 0) {
                double effort[BR_MAX_JOINT_V];
                br_rub_effort(sim, rub, d, effort);
                for (int k = 0; k < joint->kind->nv; k++) sim->tau[joint->v_at + k] += force * effort[k];
                continue;
            }
            br_wrench second, first;
            br_rub_wrench(sim, rub, d, &second, &first);
            if (joint->second >= 0) br_wrench_add_scaled(&sim->wrench[joint->second], force, &second);
            if (joint->first >= 0) br_wrench_add_scaled(&sim->wrench[joint->first], force, &first);
        }
    }
}

double br_rub_load(const br_rub *rub, br_wrench R) {
    double load = rub->pad.preload;
    for (int k = 0; k < rub->pad.norms; k++) {
        const br_pad_norm *norm = &rub->pad.norm[k];
        double square = 0.0;
        for (int c = 0; c < norm->forms; c++) {
            const double part =
                br_vec3_dot(norm->form[c].force, R.force) + br_vec3_dot(norm->form[c].torque, R.torque);
            square += part * part;
        }
        load += sqrt(square);
    }
    return load;
}

double br_rub_power(const br_rub *rub, const br_rub_state *s) {
    double power = 0.0;
    for (int d = 0; d < rub->pad.directions; d++) power -= s->force[d] * rub->velocity[d];
    return power;
}
