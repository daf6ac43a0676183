// What others ask of beam elements, see element_beam.c.
#ifndef BR_SIM_STEPPER_IMPLICIT_ELEMENT_BEAM_H
#define BR_SIM_STEPPER_IMPLICIT_ELEMENT_BEAM_H

#include "sim/stepper/implicit/implicit.h"

void br_beam_masses(br_implicit *f);                  // of the nodes, before any element
br_mat3 br_beam_coupling(const br_element *e, int k); // inertia that does, axes of node k
// Stress (N, V_y, V_z, T, M_y, M_z) of the last evaluation at 0 .. 1 along the element, in the axes of the section there.
void br_beam_stress(const br_implicit *f, const br_element *e, double at, double stress[6]);

#endif
