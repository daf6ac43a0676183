// lcp_epsilon, the first stabilization of [TanLiu sec. 5]. Private to src/sim/contact.
#ifndef BR_SIM_CONTACT_STABILIZE_H
#define BR_SIM_CONTACT_STABILIZE_H

#include "sim/contact/problem.h"

br_status br_contact_soften_create(br_sim *sim,
                                   struct br_contact_problem *P); // memory, where the model asks for it
void br_contact_soften(const br_sim *sim,
                       struct br_contact_problem *P); // `softened` of the rows as assembled

#endif
