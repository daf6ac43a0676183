// Joint limits: one row per limited coordinate, on the side that is nearer, aware of the gap: at the step's end
// v >= -gap/h, so that a limit is reached and not passed.
#include "sim/groups.h"

// +1: the lower limit is the nearer one, -1: the upper.
static double side(const br_model_joint *joint, int k, double q) {
    return q - joint->lower[k] <= joint->upper[k] - q ? 1.0 : -1.0;
}

double br_limit_gap(const br_sim *sim, const br_group *g, double *sign) {
    const br_coordinate c = g->coordinates[0];
    const br_model_joint *joint = &sim->model->joint[c.joint];
    const double q = br_coordinate_position(sim, c.joint, c.k), s = side(joint, c.k, q);
    if (sign) *sign = s;
    return s > 0.0 ? q - joint->lower[c.k] : joint->upper[c.k] - q;
}

static void fill_limit(br_sim *sim, br_group *g) {
    double sign;
    g->phi[0] = br_limit_gap(sim, g, &sign);
    br_group_clear(g);
    br_coordinate_row(sim, g->coordinates[0], sign, g, 0);
}

// The gap is that at the evaluation; with theta < 1 it has moved by (1 - theta) h v already, and h theta v_next follows.
static void rate_limit(br_sim *sim, br_group *g) {
    double sign;
    const br_coordinate c = g->coordinates[0];
    const double gap = br_limit_gap(sim, g, &sign), h = sim->h;
    if (!(h > 0.0)) return;
    const double v = br_group_velocity(g, 0, sim->V_start, sim->v_start);
    g->gamma[0] = (-gap / (sim->theta * h) - v) / h + sign * br_coordinate_gamma(sim, c);
}

const br_group_kind br_group_limit = {"limit", fill_limit, rate_limit, NULL};
