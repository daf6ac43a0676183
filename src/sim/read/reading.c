// Readings of bodies, joints, friction and the simulation itself; those of contacts and flexible elements have files of
// their own.
#include "sim/core/reaction.h"
#include "sim/read/reading.h"

#include "sim/contact/contact.h"
#include "sim/friction/friction.h"
#include "sim/read/contact_channel.h"
#include "sim/read/contact_sum.h"
#include "sim/read/flex_channel.h"
#include "sim/read/sensor.h"

// q and -q are one rotation: w >= 0, and where w is zero to rounding the first other component that is not is positive.
br_quat br_quat_canonical(br_quat q) {
    const double part[] = {q.w, q.x, q.y, q.z};
    int k = 0;
    while (k < 3 && fabs(part[k]) < 1e-9) k++;
    return part[k] < 0.0 ? br_quat_of(-q.w, -q.x, -q.y, -q.z) : q;
}

static void put_vector(br_vec3 v, double out[3]) {
    out[0] = v.x, out[1] = v.y, out[2] = v.z;
}

static void put_rotation(br_quat rotation, double out[4]) {
    const br_quat q = br_quat_canonical(rotation);
    out[0] = q.w, out[1] = q.x, out[2] = q.y, out[3] = q.z;
}

static br_status read_scalars(br_sim *sim, const br_reading_place *p, double *out, br_error *error) {
    (void)p, (void)error;
    const br_ledger *l = sim->ledger;
    const br_step_info info = br_sim_step_info(sim);
    const double setting = sim->model->settings.solver.step;
    out[BR_SCALAR_TIME] = sim->state.at->t;
    out[BR_SCALAR_KINETIC] = sim->energy->kinetic;
    out[BR_SCALAR_POTENTIAL] = sim->energy->potential;
    out[BR_SCALAR_ELASTIC] = sim->energy->elastic;
    out[BR_SCALAR_TOTAL] = sim->energy->total;
    out[BR_SCALAR_INPUT] = l->input;
    out[BR_SCALAR_FRICTION] = l->friction;
    out[BR_SCALAR_IMPACT] = l->impact;
    out[BR_SCALAR_DAMPING] = l->damping;
    out[BR_SCALAR_SCHEME] = l->scheme;
    out[BR_SCALAR_UNACCOUNTED] = l->unaccounted;
    out[BR_SCALAR_STEP] = info.step;
    out[BR_SCALAR_ITERATIONS] = (double)l->iterations;
    out[BR_SCALAR_RESIDUAL] = l->residual;
    out[BR_SCALAR_STATUS] = 0.0; // a run that goes on is fine
    out[BR_SCALAR_LOOP_ERROR] = l->loop_error;
    out[BR_SCALAR_METHOD] = sim->contacts ? (double)*sim->contacts->method : 0.0;
    out[BR_SCALAR_STEP_BY_ERROR] = fmin(info.by_error, setting); // without a wish: the setting
    out[BR_SCALAR_STEP_BY_CONTACT] = fmin(info.by_contact, setting);
    out[BR_SCALAR_STEP_BY_FRICTION] = fmin(info.by_friction, setting);
    return BR_OK;
}

// --- bodies ------------------------------------------------------------------------------------------------

static br_status read_body(br_sim *sim, const br_reading_place *p, double *out, br_error *error) {
    (void)error;
    const br_pose X = br_sim_body_pose(sim, p->index);
    const br_twist V = br_sim_body_twist(sim, p->index);
    put_vector(X.position, out);
    put_vector(br_pose_point(X, sim->model->body[p->index].com_B), out + 3);
    put_rotation(X.rotation, out + 6);
    put_vector(V.linear, out + 10);
    put_vector(V.angular, out + 13);
    return BR_OK;
}

static br_status read_body_acceleration(br_sim *sim, const br_reading_place *p, double *out,
                                        br_error *error) {
    br_twist A;
    const br_status status = br_sim_body_acceleration(sim, p->index, &A, error);
    if (status != BR_OK) return status;
    put_vector(A.linear, out);
    put_vector(A.angular, out + 3);
    return BR_OK;
}

static br_status read_frame(br_sim *sim, const br_reading_place *p, double *out, br_error *error) {
    (void)error;
    int b = 0, frame = p->index;
    while (frame >= sim->model->body[b].frames) frame -= sim->model->body[b++].frames;
    const br_pose X = br_pose_mul(br_sim_body_pose(sim, b), sim->model->body[b].frame[frame].X_BF);
    put_vector(X.position, out);
    put_rotation(X.rotation, out + 3);
    return BR_OK;
}

// --- joints ------------------------------------------------------------------------------------------------

static br_status read_joint_position(br_sim *sim, const br_reading_place *p, double *out, br_error *error) {
    (void)error;
    br_sim_joint_position(sim, p->index, out);
    return BR_OK;
}

static br_status read_joint_velocity(br_sim *sim, const br_reading_place *p, double *out, br_error *error) {
    (void)error;
    br_sim_joint_velocity(sim, p->index, out);
    return BR_OK;
}

static br_status read_joint_acceleration(br_sim *sim, const br_reading_place *p, double *out,
                                         br_error *error) {
    return br_sim_joint_acceleration(sim, p->index, out, error);
}

static br_status read_reaction(br_sim *sim, const br_reading_place *p, double *out, br_error *error) {
    br_wrench in_M, in_W;
    const br_status status = br_sim_joint_reaction(sim, p->index, &in_M, &in_W, error);
    if (status != BR_OK) return status;
    put_vector(in_M.force, out);
    put_vector(in_M.torque, out + 3);
    put_vector(in_W.force, out + 6);
    put_vector(in_W.torque, out + 9);
    return BR_OK;
}

static br_status read_stop(br_sim *sim, const br_reading_place *p, double *out, br_error *error) {
    return br_sim_stop_effort(sim, p->index, p->part, out, error);
}

static br_status read_tension(br_sim *sim, const br_reading_place *p, double *out, br_error *error) {
    return br_sim_tension(sim, p->index, out, error);
}

static br_status read_drive(br_sim *sim, const br_reading_place *p, double *out, br_error *error) {
    return br_sim_drive_effort(sim, p->index, out, error);
}

static int slides(const br_pad *pad, int d) {
    return br_vec3_max_abs(pad->D[d].torque) == 0.0;
}

// Directions of a joint's friction that slide or turn, or its pads: how many, and which rub and direction number k is.
static int friction_part(const br_sim *sim, br_friction_of which, int joint, int k, int *rub,
                         int *direction) {
    const br_frictions *f = sim->frictions;
    int count = 0;
    for (int i = 0; f && i < f->count; i++) {
        const br_pad *pad = &f->rub[i].pad;
        if (f->rub[i].joint != joint) continue;
        for (int d = 0; d < (which == BR_FRICTION_NORMAL ? 1 : pad->directions); d++) {
            if (which != BR_FRICTION_NORMAL && slides(pad, d) != (which == BR_FRICTION_FORCE)) continue;
            if (count == k) *rub = i, *direction = d;
            count++;
        }
    }
    return count;
}

int br_friction_count(const br_sim *sim, br_friction_of which, int joint) {
    int rub, direction;
    return friction_part(sim, which, joint, -1, &rub, &direction);
}

// Of the last step; where there was none, of the instant.
static br_status read_friction(br_sim *sim, const br_reading_place *p, double *out, br_error *error) {
    const br_frictions *f = sim->frictions;
    const br_friction_of which = (br_friction_of)(p->part % BR_FRICTION_KINDS);
    int rub = 0, d = 0;
    friction_part(sim, which, p->index, p->part / BR_FRICTION_KINDS, &rub, &d);
    const br_rub_state *now = &f->now[rub];
    if (now->known == BR_RUB_UNKNOWN) {
        const br_status status = br_sim_joint_reaction(sim, p->index, NULL, NULL, error);
        if (status != BR_OK) return status;
    }
    *out = which == BR_FRICTION_NORMAL ? now->normal : f->rub[rub].pad.arm[d] * now->force[d];
    return BR_OK;
}

// --- all ---------------------------------------------------------------------------------------------------

typedef br_status (*reader)(br_sim *sim, const br_reading_place *place, double *out, br_error *error);

br_status br_read(br_sim *sim, const br_reading_place *place, double out[BR_MAX_READING], br_error *error) {
    static const reader readers[BR_READINGS] = {
        [BR_READ_SCALARS] = read_scalars,
        [BR_READ_BODY] = read_body,
        [BR_READ_BODY_ACCELERATION] = read_body_acceleration,
        [BR_READ_FRAME] = read_frame,
        [BR_READ_JOINT_POSITION] = read_joint_position,
        [BR_READ_JOINT_VELOCITY] = read_joint_velocity,
        [BR_READ_JOINT_ACCELERATION] = read_joint_acceleration,
        [BR_READ_REACTION] = read_reaction,
        [BR_READ_STOP] = read_stop,
        [BR_READ_SENSOR] = br_read_sensor,
        [BR_READ_TENSION] = read_tension,
        [BR_READ_FRICTION] = read_friction,
        [BR_READ_DRIVE] = read_drive,
        [BR_READ_CONTACT] = br_read_contact,
        [BR_READ_CONTACT_SUM] = br_read_contact_sum,
        [BR_READ_GAP] = br_read_gap,
        [BR_READ_BEAM] = br_read_beam_node,
        [BR_READ_STATION] = br_read_station,
        [BR_READ_CLEARANCE] = br_read_clearance,
    };
    return readers[place->reading](sim, place, out, error);
}
