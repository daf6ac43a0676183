// Springs between two links, whoever owns them: deflections, directions, stiffness. Used as rows (contact stepper) and
// as forces (reference stepper), so that both see one law.
#ifndef BR_SIM_ROWS_SPRINGS_H
#define BR_SIM_ROWS_SPRINGS_H

#include "sim/core/sim.h"

typedef struct br_spring_rows {
    int first, second; // links, -1: the world
    br_relative x;
    int rows;
    br_wrench T[6];                // direction on the second body, F axes, at M
    double deflection[6], rate[6]; // rate only with velocity
    double wanted[6];              // relative acceleration along T at which d2l/dt2 = 0; see BR_SPRING_STEP
    double stiffness[6], damping[6];
} br_spring_rows;

// with_velocity as the rows of a step want it. Of beams `wanted` is found only then, and a beam that is pulled gets its geometric
// stiffness kt as well: stiffness k + kt and the deflection k l/(k + kt), so that the force where the row is taken stays what
// it is, and what the step adds to it has the tangent k + kt.
enum { BR_SPRING_STEP = 2 };

// Where a step takes a spring and damper that act on a coordinate l, whose acceleration a unit force changes by `softness`:
//
//     l      at l_M + at_rate h J v + at_turn h^2 d2l/dt2 - at_drift h r
//     dl/dt  at by_rate J v + by_turn h d2l/dt2 - by_drift r
//
// with l_M and J at the evaluation, v the velocity at the step's start and r = dl/dt at the start itself. What the step
// follows is at theta: 2 theta - 1, theta^2; 1, theta. What it cannot follow would ring from step to step, l' = -l, r' = -r, and
// be fed where its direction turns; it is taken as a contact that lasts is (contact/law.c, hold): l' = a h r/2, and
// dampers at the step's end. `lag` goes from one to the other, and damps what has less than four steps a period.
typedef struct br_softening {
    double lag;
    double at_rate, at_turn, at_drift, by_rate, by_turn, by_drift;
    double K; // at_turn h^2 k + by_turn h d
} br_softening;

br_softening br_soften(const br_sim *sim, double softness, double k, double d);
br_softening br_soften_row(const br_sim *sim, const br_group *group, int row, double k, double d);
// Force that J A does not change, of a row with the deflection l at the evaluation, J v `rate` and r `drift`.
double br_softened_force(const br_softening *soft, double h, double k, double d, double l, double rate,
                         double drift);
void br_springs_find_softness(br_sim *sim); // of all springs, dampers and servos, at the state
void br_springs_find_drift(br_sim *sim);    // dl/dt of rows that lag, at the state: before a step

void br_spring_of_load(const br_sim *sim, int index, int with_velocity, br_spring_rows *out);
void br_spring_of_loop(const br_sim *sim, int index, int with_velocity, br_spring_rows *out);
// Six springs between two nodes of a beam: its strains, with the section's stiffness times the element's length. index counts
// the elements of all beams.
void br_spring_of_beam(const br_sim *sim, int index, int with_velocity, br_spring_rows *out);
// Forces of an element along its strains, for readers of the state; rows: of the state, with velocity. Those of the last step, where
// there are any: nodes that turn go along chords, which stretches stiff elements at the step's end by more than any force
// of the step has known.
void br_beam_forces(const br_sim *sim, int index, const br_spring_rows *rows, double force[6]);
void br_beams_look(br_sim *sim); // before anything was stepped: from the strains of the state
void br_beams_keep(br_sim *sim); // after a step

#endif
