// Deflections of springs, see springs.h.
#include "sim/rows/springs.h"

#include <math.h>
#include <string.h>

#include "math/elementary.h"
#include "sim/rows/group.h"
#include "tree/spatial.h"

#define BR_LAG_STIFFNESS                                                                                     \
    4.0 // softness (h^2 k/4 + h d/2) at which half of a spring lags: an angle of 4 rad a step
// At which 0.1 of a beam's row lags: 4 (0.1/0.9)^(1/6).
#define BR_BEAM_LAG_STIFFNESS 2.7734450974025391
#define BR_EPS_LAGGING 1e-9               // less is none
#define BR_BEAM_WAY 1e-5                  // of an element, or rad: ways over which rates are differenced
#define BR_RING_SHARE 0.17157287525380990 // 3 - sqrt(8), see contact/law.c

static double part_lagging(double kappa) {
    const double x = kappa / BR_LAG_STIFFNESS, cube = x * x * x, lag = cube * cube / (1.0 + cube * cube);
    return !isfinite(cube * cube) ? 1.0 : lag > BR_EPS_LAGGING ? lag : 0.0;
}

br_softening br_soften(const br_sim *sim, double softness, double k, double d) {
    const double h = sim->h, theta = sim->theta;
    const double lag = theta < 1.0 && h > 0.0 ? part_lagging(softness * h * (0.25 * h * k + 0.5 * d)) : 0.0;
    br_softening s = {.lag = lag};
    s.at_rate = (1.0 - lag) * (2.0 * theta - 1.0) + lag * theta;
    s.at_turn = (1.0 - lag) * theta * theta + lag * theta;
    s.at_drift = 0.5 * lag * BR_RING_SHARE;
    s.by_rate = 1.0 - lag + lag / theta;
    s.by_turn = (1.0 - lag) * theta + lag;
    s.by_drift = lag * (1.0 - theta) / theta;
    s.K = s.at_turn * h * h * k + s.by_turn * h * d;
    return s;
}

double br_softened_force(const br_softening *s, double h, double k, double d, double l, double rate,
                         double drift) {
    return -k * (l + h * (s->at_rate * rate - s->at_drift * drift)) -
           d * (s->by_rate * rate - s->by_drift * drift);
}

// A row of a beam is part of every mode that bends it, slow ones too, so what lags of it would damp them all. At most a tenth of
// them lags: waves that the step cannot follow lose 8 % a step, a mode of the angular frequency w has the damping ratio 0.02 w h. That
// is by the length of the step that is taken: a part of a step by the whole one's lost no waves, and they grew.
br_softening br_soften_row(const br_sim *sim, const br_group *g, int row, double k, double d) {
    const double softness = g->softness[row], h = sim->h, per = h * (0.25 * h * k + 0.5 * d);
    const int capped = g->kind == &br_group_beam && softness * per > BR_BEAM_LAG_STIFFNESS;
    return br_soften(sim, capped ? BR_BEAM_LAG_STIFFNESS / per : softness, k, d);
}

static int is_soft(const br_group *g) {
    return (g->kind->is & BR_GROUP_SOFT) != 0;
}

// M^-1 of one velocity, by the sweep of a row that is nothing else.
static double own_response(br_sim *sim, int dof) {
    const br_tree *tree = &sim->model->tree;
    double y[BR_MAX_JOINT_V], z[BR_MAX_JOINT_V], sum = 0.0;
    int link = br_tree_owner(tree, dof);
    memset(y, 0, sizeof y);
    y[dof - tree->link[link].v_at] = 1.0;
    for (; link >= 0; link = tree->link[link].parent) { // leaves work->force of the parent for the next
        br_tree_sweep(tree, &sim->work, &link, 1, y, z);
        for (int a = 0; a < tree->link[link].kind->nv; a++) sum += y[a] * z[a];
        memset(y, 0, sizeof y);
    }
    return sum;
}

void br_springs_find_softness(br_sim *sim) {
    int bad;
    br_sim_refresh(sim, 2);
    if (br_tree_articulate(&sim->model->tree, sim->model->tree.armature, &sim->work, &bad) != BR_OK) return;
    for (int i = 0; i < sim->springs; i++) sim->spring[i].softness = own_response(sim, sim->spring[i].dof);
    for (int i = 0; i < sim->groups; i++) {
        br_group *g = &sim->group[i];
        if (!is_soft(g)) continue;
        g->kind->fill(sim, g);
        br_group_sweep(sim, g);
        for (int r = 0; r < g->rows; r++) {
            g->softness[r] = 0.0;
            for (int k = 0; k < g->path_nv; k++)
                g->softness[r] += g->y[r * g->path_nv + k] * g->z[r * g->path_nv + k];
        }
    }
}

// Along the line between two points, of free length L: l = |p| - L.
static void line_spring(const br_sim *sim, int index, br_spring_rows *out) {
    const br_model_load *load = &sim->model->load[index];
    const br_vec3 p = out->x.p_FM, u = out->x.V.linear;
    const double length = br_vec3_norm(p);
    const br_vec3 n = br_vec3_normalize(p);
    out->rows = 1;
    out->T[0] = br_wrench_of(br_vec3_zero(), n);
    out->deflection[0] = length - sim->spring_length[index];
    out->rate[0] = br_vec3_dot(n, u);
    const double across = br_vec3_norm_squared(u) - out->rate[0] * out->rate[0];
    out->wanted[0] = length > 0.0 ? -across / length : 0.0;
    out->stiffness[0] = load->stiffness[0], out->damping[0] = load->damping[0];
}

// Six springs in the axes of the first frame: displacement, and the rotation vector for the angles.
static void bushing(const br_model_load *load, br_spring_rows *out) {
    const br_vec3 turn = br_quat_log(br_quat_from_mat3(out->x.R_FM));
    // Potential k/2 turn^2: the torque along direction e is that of the rotation vector's own rate, J^-T(turn) e.
    const br_mat3 J = br_mat3_transpose(br_rotation_jacobian_inverse(turn));
    out->rows = 6;
    for (int k = 0; k < 3; k++) {
        out->T[k] = br_wrench_of(br_vec3_zero(), br_vec3_unit(k));
        out->T[3 + k] = br_wrench_of(br_mat3_column(J, k), br_vec3_zero());
        out->deflection[k] = br_vec3_get(out->x.p_FM, k);
        out->deflection[3 + k] = br_vec3_get(turn, k);
    }
    for (int k = 0; k < 6; k++) {
        out->rate[k] = br_twist_dot(out->x.V, out->T[k]);
        out->wanted[k] = 0.0;
        out->stiffness[k] = load->stiffness[k], out->damping[k] = load->damping[k];
    }
}

void br_spring_of_load(const br_sim *sim, int index, int with_velocity, br_spring_rows *out) {
    const br_model_load *load = &sim->model->load[index];
    br_model_joint frames;
    memset(&frames, 0, sizeof frames);
    frames.first = load->first, frames.second = load->second;
    frames.X_AF = load->X_A, frames.X_BM = load->X_B;
    frames.R_AF = load->R_A, frames.R_BM = load->R_B;
    out->first = load->first, out->second = load->second;
    out->x = br_sim_relative(sim, &frames, with_velocity);
    if (load->type == BR_LOAD_SPRING)
        line_spring(sim, index, out);
    else
        bushing(load, out);
}

// The spring and damper of a joint that closes a loop: one row per coordinate.
void br_spring_of_loop(const br_sim *sim, int index, int with_velocity, br_spring_rows *out) {
    const br_model_joint *joint = &sim->model->joint[sim->model->loop[index].joint];
    double q[BR_MAX_JOINT_Q];
    br_joint_motion motion;
    out->first = joint->first, out->second = joint->second;
    out->x = br_sim_relative(sim, joint, with_velocity);
    out->rows = joint->kind->nv;
    joint->kind->measure(joint->parameter, out->x.R_FM, out->x.p_FM, q);
    joint->kind->pose(joint->parameter, q, &motion);
    motion.zeta = br_twist_of(br_vec3_zero(), br_vec3_zero());
    double v[BR_MAX_JOINT_V];
    br_joint_velocity(joint->kind->nv, &motion, out->x.V, v);
    if (joint->kind->product && with_velocity) joint->kind->product(joint->parameter, q, v, &motion);
    for (int k = 0; k < joint->kind->nv; k++) {
        double unit[BR_MAX_JOINT_V] = {0.0};
        unit[k] = 1.0;
        out->T[k] = br_joint_effort(joint->kind->nv, &motion, unit);
        const int at = br_position_index(joint, k);
        double position = 0.0;
        if (at >= 0) {
            position = q[at];
            if (joint->kind->angles >> at & 1u)
                position +=
                    2.0 * BR_PI * round((sim->state.loop_q[joint->q_at + at] - position) / (2.0 * BR_PI));
        }
        out->deflection[k] = at >= 0 ? position - joint->rest[k] : 0.0;
        out->rate[k] = v[k];
        out->wanted[k] = br_twist_dot(motion.zeta, out->T[k]);
        out->stiffness[k] = at >= 0 ? joint->stiffness[k] : 0.0;
        out->damping[k] = joint->damping[k];
    }
}

// --- beams -------------------------------------------------------------------------------------------------

static br_beam_ends beam_ends_of(const br_sim *sim, const int *link) {
    br_beam_ends at;
    for (int k = 0; k < 2; k++)
        at.x[k] = sim->work.pose[link[k]].p_WL, at.R[k] = sim->work.pose[link[k]].R_WL;
    return at;
}

// Strain rates after the nodes went on with their twists for a time.
static void beam_rate_later(const br_beam_element *e, const br_beam_ends *at, const br_twist *V, double time,
                            double *rate) {
    br_beam_ends then;
    double strain[6], D[6][12], v[12];
    for (int k = 0; k < 2; k++) {
        then.x[k] = br_vec3_add_scaled(at->x[k], time, V[k].linear);
        then.R[k] = br_mat3_mul(br_quat_to_mat3(br_quat_exp(br_vec3_scale(time, V[k].angular))), at->R[k]);
        const double part[6] = {V[k].linear.x,  V[k].linear.y,  V[k].linear.z,
                                V[k].angular.x, V[k].angular.y, V[k].angular.z};
        memcpy(v + 6 * k, part, sizeof part);
    }
    br_beam_instant(e, &then, strain, D);
    for (int i = 0; i < 6; i++) {
        rate[i] = 0.0;
        for (int c = 0; c < 12; c++) rate[i] += D[i][c] * v[c];
    }
}

// d2l/dt2 while the nodes keep their twists, by a difference of rates: the ways are chosen so that it has ten digits.
static void beam_bias(const br_beam_element *e, const br_beam_ends *at, const br_twist *V,
                      br_spring_rows *out) {
    double fastest = 0.0, before[6], after[6];
    const br_vec3 apart = br_vec3_sub(V[1].linear, V[0].linear);
    for (int k = 0; k < 2; k++) fastest = fmax(fastest, br_vec3_norm(V[k].angular));
    fastest = fmax(fastest, br_vec3_norm(apart) / e->length);
    for (int i = 0; i < 6; i++) out->wanted[i] = 0.0;
    if (!(fastest > 0.0)) return;
    // Both nodes at rest but for what they move against each other: the strain does not see the rest.
    const br_twist own[2] = {br_twist_of(V[0].angular, br_vec3_zero()), br_twist_of(V[1].angular, apart)};
    const double time = BR_BEAM_WAY / fastest;
    beam_rate_later(e, at, own, -time, before), beam_rate_later(e, at, own, time, after);
    for (int i = 0; i < 6; i++) {
        const double bias = -(after[i] - before[i]) / (2.0 * time);
        out->wanted[i] = bias - br_relative_gamma(&out->x, out->T[i], 0.0);
    }
}

// What a tension N adds to the tangent of strains: N on those that bend, N l^2/12 on curvatures. Both are of the axial strain's second
// derivative, which for a thin beam is that of the line's length; nodes have next to no inertia against turning, so that
// without it a rope would be torn to pieces by its own tension. Compression takes stiffness away, which needs no help.
static void beam_stiffen(const br_beam_element *e, br_spring_rows *out) {
    const double N = e->C[0] * out->deflection[0], l = e->length;
    if (!(N > 0.0)) return;
    for (int i = 1; i < 6; i++) {
        const double kt = i < 3 ? N * l * e->bend[i - 1] : i > 3 ? N * l * l * l / 12.0 : 0.0;
        out->deflection[i] *= out->stiffness[i] / (out->stiffness[i] + kt);
        out->stiffness[i] += kt;
    }
}

void br_spring_of_beam(const br_sim *sim, int index, int with_velocity, br_spring_rows *out) {
    const br_model_beam *beam = sim->model->beam;
    for (; index >= beam->nodes - 1; beam++) index -= beam->nodes - 1;
    const br_beam_element *e = &beam->element[index];
    const int *link = beam->link + index;
    const br_beam_ends at = beam_ends_of(sim, link);
    double D[6][12];
    br_twist V[2];
    out->first = link[0], out->second = link[1];
    out->rows = 6;
    out->x = (br_relative){.R_WF = br_mat3_identity(),
                           .p_WM = at.x[1],
                           .R_FM = at.R[1],
                           .p_FM = br_vec3_sub(at.x[1], at.x[0]),
                           .rho_A = br_vec3_sub(at.x[1], at.x[0])};
    br_beam_instant(e, &at, out->deflection, D);
    for (int k = 0; with_velocity && k < 2; k++) V[k] = sim->work.motion[link[k]].V;
    if (with_velocity) {
        out->x.V = br_twist_sub(V[1], br_twist_shift(V[0], out->x.rho_A));
        out->x.w_A = V[0].angular, out->x.w_B = V[1].angular;
    }
    for (int i = 0; i < 6; i++) {
        const double *d = D[i] + 6; // of the second node; what acts on the first is the opposite
        out->T[i] = br_wrench_of(br_vec3_of(d[3], d[4], d[5]), br_vec3_of(d[0], d[1], d[2]));
        out->rate[i] = with_velocity ? br_twist_dot(out->x.V, out->T[i]) : 0.0;
        out->wanted[i] = 0.0;
        out->stiffness[i] = e->length * e->C[i], out->damping[i] = beam->damping * out->stiffness[i];
    }
    if (with_velocity != BR_SPRING_STEP) return;
    beam_stiffen(e, out);
    beam_bias(e, &at, V, out);
}

static void strain_forces(const br_spring_rows *rows, double force[6]) {
    for (int r = 0; r < rows->rows; r++)
        force[r] = -rows->stiffness[r] * rows->deflection[r] - rows->damping[r] * rows->rate[r];
}

void br_beam_forces(const br_sim *sim, int index, const br_spring_rows *rows, double force[6]) {
    if (sim->beam_force)
        memcpy(force, sim->beam_force + 6 * index, 6 * sizeof *force);
    else
        strain_forces(rows, force);
}

void br_beams_look(br_sim *sim) {
    br_spring_rows rows;
    for (int i = 0; sim->beam_force && i < sim->model->beam_elements; i++) {
        br_spring_of_beam(sim, i, 1, &rows);
        strain_forces(&rows, sim->beam_force + 6 * i);
    }
}

void br_beams_keep(br_sim *sim) {
    for (int g = 0; sim->beam_force && g < sim->groups; g++)
        if (sim->group[g].kind == &br_group_beam)
            memcpy(sim->beam_force + 6 * sim->group[g].element, sim->group[g].force,
                   6 * sizeof *sim->beam_force);
}

void br_springs_find_drift(br_sim *sim) {
    br_spring_rows rows = {0};
    for (int i = 0; i < sim->groups; i++) {
        br_group *g = &sim->group[i];
        if (!g->kind->spring) continue;
        br_sim_refresh(sim, 2);
        g->kind->spring(sim, g->element, 1, &rows);
        for (int r = 0; r < g->rows; r++) g->drift[r] = rows.rate[r];
    }
}
