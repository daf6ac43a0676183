// The kinds of constraint rows, one table each. Private to the group files and group.c.
#ifndef BR_SIM_ROWS_GROUP_H
#define BR_SIM_ROWS_GROUP_H

#include "sim/core/sim.h"

extern const br_group_kind br_group_loop;       // group_loop.c; element: loop
extern const br_group_kind br_group_distance;   // group_joint.c; element: loop
extern const br_group_kind br_group_coupling;   // group_joint.c; element: coupling
extern const br_group_kind br_group_motion;     // group_drive.c; element: drive, velocity or position
extern const br_group_kind br_group_servo;      // group_drive.c; element: drive, servo within max_effort
extern const br_group_kind br_group_constraint; // group_drive.c; element: constraint
extern const br_group_kind br_group_limit;      // group_limit.c; element: joint, first coordinate: k
extern const br_group_kind br_group_spring, br_group_bushing; // group_spring.c; element: load
extern const br_group_kind br_group_loop_spring;              // group_spring.c; element: loop
extern const br_group_kind br_group_tendon;                   // group_tendon.c; element: tendon
extern const br_group_kind br_group_beam;                     // group_spring.c; element: of all beams

extern const br_group_kind br_group_rub; // friction/step_rows.c; element: rub, of the contact stepper

// Names of elements, by what `element` counts.
const char *br_group_label_loop(const br_sim *sim, const br_group *group);
const char *br_group_label_coupling(const br_sim *sim, const br_group *group);
const char *br_group_label_drive(const br_sim *sim, const br_group *group);
const char *br_group_label_constraint(const br_sim *sim, const br_group *group);
const char *br_group_label_joint(const br_sim *sim, const br_group *group);
const char *br_group_label_load(const br_sim *sim, const br_group *group);
const char *br_group_label_beam(const br_sim *sim, const br_group *group);

br_status br_loop_cache_create(br_sim *sim, br_group *group); // of a loop's group
int br_group_joint(const br_sim *sim,
                   const br_group *group); // that its rows close; -1: none, or a rod or gear
void br_group_clear(br_group *group);      // rows to zero, before filling
// What a compliant row of stiffness k and damping d subtracts from J A; bias: for which J A - bias is d2l/dt2.
double br_implicit_bias(const br_sim *sim, const br_group *group, int row, double k, double d, double bias);

// Adds `factor` times the row of a coordinate's velocity.
void br_coordinate_row(const br_sim *sim, br_coordinate c, double factor, br_group *group, int row);
// What J A must be so that the coordinate's second rate is zero.
double br_coordinate_gamma(const br_sim *sim, br_coordinate c);

#endif
