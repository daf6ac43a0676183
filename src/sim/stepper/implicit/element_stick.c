// Friction of joints that jumps at rest (coulomb, rigid bristles), along one direction: a row that is on while the pad rests.
//
//     rests    v_1 = 0,  |lambda| <= mu_static N          v_1: velocity at the end of the step
//     slides   force -s mu_kinetic N,  s v_1 >= 0         s: which way
//
// decided within Newton's method. A pad that comes to rest does so in a step with v_1 = 0: the mean velocity is half of that at its
// start, and what the force takes is just the kinetic energy that there was.
#include "sim/stepper/implicit/element_stick.h"

#include <stdio.h>
#include <string.h>

#include "sim/rows/rows.h"
#include "sim/stepper/implicit/element_bounded.h"
#include "sim/stepper/implicit/element_friction.h"

#define BR_MOST_SWITCHES 8    // of one pad in one solution of a step
#define BR_EPS_OVERCOME 1e-12 // of mu_static N
#define BR_EPS_WRONG 1e-6     // of mu_static N, or m/s: a pad that keeps switching may be wrong by so much
#define BR_STUCK 2.0          // the mode of rest, as it is kept: 0 is that of a state that is new

enum { MODE = 0, STATES };

typedef struct sticking {
    int rub;
    br_ends ends;
    int own;  // slot of its row
    int mode; // 0: rests; -+1: slides that way
    int was, switches;
    double v_start, force, normal;
} sticking;

static double start_velocity_of(br_implicit *f, const br_rub *rub) {
    br_sim *sim = f->sim;
    br_sim_refresh(sim, 2);
    const br_relative x = br_sim_relative(sim, &sim->model->joint[rub->joint], 1);
    const br_wrench D = rub->pad.D[0];
    return br_vec3_dot(D.torque, x.V.angular) + br_vec3_dot(D.force, x.V.linear);
}

static void stick_begin(br_implicit *f, br_element *e) {
    sticking *p = e->data;
    p->v_start = start_velocity_of(f, &f->sim->frictions->rub[p->rub]);
    p->switches = 0;
    if (e->state[MODE] == 0.0)
        p->mode = (p->v_start > BR_RUB_REST_SPEED) - (p->v_start < -BR_RUB_REST_SPEED);
    else
        p->mode = e->state[MODE] == BR_STUCK ? 0 : e->state[MODE] > 0.0 ? 1 : -1;
    p->was = p->mode;
}

static void stick_decide(br_implicit *f, const br_element *e, sticking *p, const br_friction_params *law,
                         double v_end) {
    const double most = br_friction_limit(law) * p->normal;
    int mode = p->mode;
    if (mode == 0 && fabs(e->force[0]) > (1.0 + BR_EPS_OVERCOME) * most) mode = e->force[0] > 0.0 ? -1 : 1;
    if (p->mode != 0 && !f->instant && p->mode * v_end < 0.0 && !f->arrives[e->index]) mode = 0;
    if (mode != p->mode && p->switches >= BR_MOST_SWITCHES)
        f->cycles |= p->mode == 0 ? fabs(e->force[0]) > (1.0 + BR_EPS_WRONG) * most
                                  : fabs(v_end) > BR_EPS_WRONG * fmax(1.0, f->length);
    if (mode == p->mode || p->switches >= BR_MOST_SWITCHES) return;
    p->mode = mode, p->switches++, f->switched = 1;
}

static void rest_row(br_implicit *f, br_element *e, const sticking *p, const br_wrench G[2], double rate) {
    const int row = p->own;
    if (f->instant) e->row_rate[0] = rate, e->row_target[0] = 0.0;
    br_row(f, e, row, 0, (rate - (f->instant ? 0.0 : 0.5 * p->v_start)) * f->h);
    if (!f->tangent) return;
    e->ref[row * e->slots + row].value[0] += BR_EPS_SWITCHED;
    for (int a = 0; a < 2; a++) {
        const br_node *n = br_node_at(f, a == 0 ? p->ends.a : p->ends.b);
        br_tangent_by_row(f, e, a, row, 0, G[a]);
        br_row_by(f, e, row, 0, a, f->instant ? G[a] : br_wrench_scale(f->h, br_rate_by(f, n, G[a])));
    }
}

static void slide_row(br_implicit *f, br_element *e, sticking *p, const br_wrench G[2], double mu,
                      const br_joint_rows *rows, const double *by_row) {
    e->force[0] = p->force, e->row_rate[0] = e->row_target[0] = 0.0;
    if (!f->tangent) return;
    e->ref[p->own * e->slots + p->own].value[0] += 1.0;
    // Velocities are projected by impulses of rows alone.
    for (int r = 0; !f->projecting && p->own == 3 && rows && r < rows->rows; r++)
        for (int a = 0; a < 2; a++)
            if (by_row[r] != 0.0)
                br_tangent_by_row(f, e, a, 2, r, br_wrench_scale(-p->mode * mu * by_row[r], G[a]));
}

static void stick_evaluate(br_implicit *f, br_element *e) {
    sticking *p = e->data;
    const br_rub *rub = &f->sim->frictions->rub[p->rub];
    const br_span s = br_span_of(f, &p->ends);
    const br_pad pad = br_rub_pad(f, rub, &s);
    const int joint = f->joint_element[rub->joint];
    const br_joint_rows *rows = joint >= 0 ? f->element[joint].data : NULL;
    double by_row[6] = {0.0};
    br_wrench G[2];
    br_rub_wrenches(&s, pad.D[0], &G[0], &G[1]);
    const double rate = br_twist_dot(br_node_at(f, p->ends.a)->rate, G[0]) +
                        br_twist_dot(br_node_at(f, p->ends.b)->rate, G[1]);
    p->normal = br_rub_load_by(&pad, br_joint_reaction_F(f, rub->joint), rows, by_row);
    if (f->still) { // equilibrium is without friction
        p->force = 0.0, p->mode = 1;
        slide_row(f, e, p, G, 0.0, rows, by_row);
        return;
    }
    if (f->deciding) stick_decide(f, e, p, &rub->law, f->instant ? rate : 2.0 * rate - p->v_start);
    const double mu = rub->law.mu_kinetic;
    p->force = p->mode == 0 ? e->force[0] : -p->mode * mu * p->normal;
    br_push(f, p->ends.a, br_wrench_scale(p->force, G[0]), BR_BOOK_FRICTION);
    br_push(f, p->ends.b, br_wrench_scale(p->force, G[1]), BR_BOOK_FRICTION);
    if (p->mode == 0)
        rest_row(f, e, p, G, rate);
    else
        slide_row(f, e, p, G, mu, rows, by_row);
}

static void stick_tell(br_implicit *f, const br_element *e, int events) {
    const sticking *p = e->data;
    br_sim *sim = f->sim;
    const br_rub *rub = &sim->frictions->rub[p->rub];
    br_rub_state *now = &sim->frictions->now[p->rub];
    now->force[0] = p->force, now->normal = p->normal, now->known = BR_RUB_OF_INSTANT;
    now->mode = p->mode == 0 ? BR_RUB_STICKS : BR_RUB_SLIDES, now->ahead[0] = p->mode;
    if (!events || (p->mode == 0) == (p->was == 0) || !sim->event) return;
    br_event event = {.t = f->t_end, .kind = p->mode == 0 ? BR_EVENT_STICK : BR_EVENT_SLIP};
    event.value = p->mode == 0 ? fabs(p->force) : br_friction_limit(&rub->law) * p->normal;
    snprintf(event.name, sizeof event.name, "%s", rub->name);
    sim->event(sim->event_context, &event);
}

static void stick_accept(br_implicit *f, br_element *e) {
    const sticking *p = e->data;
    e->state[MODE] = p->mode == 0 ? BR_STUCK : p->mode;
    if (p->mode != p->was) f->jumped = "friction of a joint began or ended to slide within the step";
    stick_tell(f, e, 1);
}

const br_element_kind br_element_stick = {.name = "stick",
                                          .begin = stick_begin,
                                          .evaluate = stick_evaluate,
                                          .accept = stick_accept,
                                          .is = BR_ELEMENT_SWITCHES};

br_status br_elements_sticks(br_implicit *f, br_error *error) {
    const br_frictions *frictions = f->sim->frictions;
    (void)error;
    for (int i = 0; frictions && br_bounds_count(f) && i < frictions->count; i++) {
        const br_rub *rub = &frictions->rub[i];
        const br_model_joint *j = &f->sim->model->joint[rub->joint];
        if (!br_friction_is_set_valued(&rub->law)) continue;
        sticking *p = BR_TAKE(f->arena, sticking, 1);
        if (!p) return BR_NO_MEMORY;
        p->rub = i, p->own = 2;
        p->ends = br_ends_of(f, j->first, j->second, j->X_AF, j->X_BM);
        const int nodes[2] = {p->ends.a, p->ends.b}, joint = f->joint_element[rub->joint];
        br_element *e = br_element_add(f, &br_element_stick, rub->joint, nodes, 2, j->link, 1, STATES);
        if (!e) return BR_NO_MEMORY;
        e->data = p;
        f->bounded++;
        if (joint < 0) continue;
        if (br_element_share(f, e, &f->element[joint]) != BR_OK) return BR_NO_MEMORY;
        const br_slot own = e->slot[2]; // its own row is its last slot
        e->slot[2] = e->slot[3], e->slot[3] = own, p->own = 3;
    }
    return BR_OK;
}
