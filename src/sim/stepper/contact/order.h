// Of which order a step was: see order.c.
#ifndef BR_SIM_STEPPER_CONTACT_ORDER_H
#define BR_SIM_STEPPER_CONTACT_ORDER_H

struct br_sim;

// Whether a limit that pushes was come to in this step. Between its solution and its move: rows and poses are the evaluation's.
int br_step_meets_limit(struct br_sim *sim);
// After a step of the contact stepper with theta below 1, its contacts and rubbing joints being those of the step's end. lagging: something was
// too stiff for it.
void br_step_note_order(struct br_sim *sim, int lagging);

#endif
