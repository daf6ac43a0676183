// Accelerations by known forces, then by the forces of rows on top. Below contact and friction: core/instant.c puts all of it
// together. Private to src/sim.
#ifndef BR_SIM_ROWS_ACCELERATE_H
#define BR_SIM_ROWS_ACCELERATE_H

#include "sim/core/sim.h"

void br_sim_accelerate_freely(br_sim *sim);                           // known forces only: vdot, work.A
void br_sim_lacking(const br_sim *sim, br_system *system, double *r); // r = gamma - J A
void br_sim_add_response(br_sim *sim);                                // of sim->eta to vdot and work.A

// Rows without bounds, in joint coordinates.
br_status br_sim_solve_reduced(br_sim *sim, br_system *system, int refactor, br_error *error);
// All groups, bounded ones included. Rows were filled; limits have not been swept yet.
br_status br_sim_solve_bounded(br_sim *sim, br_error *error);
// Bounded rows are tried without first: mostly no limit is near and no motor at its end. rubs: of joint friction, or of all else.
int br_sim_bounds_hold(const br_sim *sim, int rubs);
// Where friction asked for the bounds, whether a limit or a motor is at its own.
int br_sim_others_at_bounds(const br_sim *sim);

br_status br_sim_check_finite(const br_sim *sim, br_error *error);
br_status br_sim_no_inertia(const br_sim *sim, int link, br_error *error);
br_status br_sim_hold_bounds(br_sim *sim, br_error *error); // of the instant, after the exact rows' solve

#endif
