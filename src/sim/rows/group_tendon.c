// The spring and damper of a tendon, as a compliant row of the contact stepper, see group_spring.c. Where it is slack it has no spring:
// whether it is so is as at the evaluation, so that a step in which it becomes tight has an error of the first order.
#include <string.h>

#include "sim/rows/group.h"
#include "sim/rows/springs.h"
#include "sim/rows/tendon.h"

static void fill_tendon(br_sim *sim, br_group *g) {
    br_group_clear(g);
    br_coordinate_row(sim, g->coordinates[0], 1.0, g, 0);
    g->phi[0] = 0.0;
}

// For readers of its numbers: it has no two links and no one direction.
static void spring_of_tendon(const br_sim *sim, int index, int with_velocity, br_spring_rows *out) {
    const br_model_tendon *t = &sim->model->tendon[index];
    const br_model_joint *joint = &sim->model->joint[t->joint];
    const double l = br_tendon_stretch(joint, t, br_tendon_length(sim, t));
    memset(out, 0, sizeof *out);
    out->first = out->second = -1;
    out->rows = 1;
    out->deflection[0] = l;
    out->stiffness[0] = l == 0.0 && t->slack > 0.0 ? 0.0 : joint->stiffness[0];
    out->damping[0] = joint->damping[0];
    if (with_velocity) out->rate[0] = br_tendon_rate(sim, t);
}

static void rate_tendon(br_sim *sim, br_group *g) {
    br_spring_rows rows;
    spring_of_tendon(sim, g->element, 0, &rows);
    const double l = rows.deflection[0], k = rows.stiffness[0], d = rows.damping[0];
    const br_softening soft = br_soften_row(sim, g, 0, k, d);
    const double rate = br_group_velocity(g, 0, sim->V_start, sim->v_start);
    g->compliance[0] = 1.0, g->gamma[0] = 0.0;
    if (soft.K > 0.0) {
        g->compliance[0] = 1.0 / soft.K;
        g->gamma[0] = br_softened_force(&soft, sim->h, k, d, l, rate, g->drift[0]) / soft.K +
                      br_implicit_bias(sim, g, 0, k, d, br_coordinate_gamma(sim, g->coordinates[0]));
        return;
    }
    br_group_clear(g);
}

static const char *label_tendon(const br_sim *sim, const br_group *g) {
    return sim->model->joint[sim->model->tendon[g->element].joint].name;
}

const br_group_kind br_group_tendon = {"tendon",        fill_tendon,   rate_tendon,  NULL,
                                       BR_BOOK_ELASTIC, BR_GROUP_SOFT, label_tendon, spring_of_tendon};
