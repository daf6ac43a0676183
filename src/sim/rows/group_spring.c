// Springs, bushings, the springs of loop joints and the elements of beams, as compliant rows of the contact stepper: however stiff, they
// do not limit the step while their directions stay; with theta 1/2 stiff ones that swing far within a step can gain
// energy. With l the deflection and l_pred = l + (2 theta - 1) h dl/dt at the evaluation,
//
//     force = -k l_pred - d dl/dt - K J A',   K = theta^2 h^2 k + theta h d,   so   J A' + force/K = -(k l_pred + d dl/dt)/K
//
// where dl/dt is that of the step's start and A' is A less what velocities make of it (br_implicit_bias). A row with
// K = 0 is emptied. The reference stepper takes the same elements as plain forces (forces.c), through the same
// deflections.
#include "sim/rows/group.h"
#include "sim/rows/springs.h"

static void compliant_row(const br_sim *sim, br_group *g, int r, double k, double d, double l, double rate,
                          double bias) {
    const br_softening soft = br_soften_row(sim, g, r, k, d);
    if (soft.K > 0.0) {
        g->compliance[r] = 1.0 / soft.K;
        g->gamma[r] = br_softened_force(&soft, sim->h, k, d, l, rate, g->drift[r]) / soft.K +
                      br_implicit_bias(sim, g, r, k, d, bias);
        return;
    }
    g->compliance[r] = 1.0;
    g->gamma[r] = 0.0;
    for (int e = 0; e < g->entries; e++)
        g->F[r * g->entries + e] = br_wrench_of(br_vec3_zero(), br_vec3_zero());
}

static void fill_spring(br_sim *sim, br_group *g) {
    br_spring_rows rows;
    g->kind->spring(sim, g->element, 0, &rows);
    br_group_clear(g);
    for (int r = 0; r < g->rows; r++) {
        br_relative_row(&rows.x, rows.T[r], 1.0, g, r, rows.first >= 0 ? 0 : -1,
                        rows.second >= 0 ? (rows.first >= 0) : -1);
        g->phi[r] = rows.deflection[r];
    }
}

static void rate_spring(br_sim *sim, br_group *g) {
    br_spring_rows rows;
    g->kind->spring(sim, g->element, BR_SPRING_STEP, &rows);
    for (int r = 0; r < g->rows; r++) {
        const double bias = br_relative_gamma(&rows.x, rows.T[r], rows.wanted[r]);
        // The rate at the step's start: of the twists there, not of the evaluation's.
        const double rate = br_group_velocity(g, r, sim->V_start, sim->v_start);
        compliant_row(sim, g, r, rows.stiffness[r], rows.damping[r], rows.deflection[r], rate, bias);
    }
}

const br_group_kind br_group_spring = {
    "spring",        fill_spring,   rate_spring,         NULL,
    BR_BOOK_ELASTIC, BR_GROUP_SOFT, br_group_label_load, br_spring_of_load};
const br_group_kind br_group_bushing = {
    "bushing",       fill_spring,   rate_spring,         NULL,
    BR_BOOK_ELASTIC, BR_GROUP_SOFT, br_group_label_load, br_spring_of_load};
const br_group_kind br_group_loop_spring = {
    "joint spring",  fill_spring,   rate_spring,         NULL,
    BR_BOOK_ELASTIC, BR_GROUP_SOFT, br_group_label_loop, br_spring_of_loop};
const br_group_kind br_group_beam = {"beam",          fill_spring,   rate_spring,         NULL,
                                     BR_BOOK_ELASTIC, BR_GROUP_SOFT, br_group_label_beam, br_spring_of_beam};
