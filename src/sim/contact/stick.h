// What sticks stays where it is, in positions and not only in velocities. Private to src/sim.
//
// A step asks pads that stick for a velocity. Their positions still walk: bodies that turn go along chords, of another length for
// each radius, and what closes loops or puts drives where they are prescribed moves one side of a pad and not the other. On a
// base that accelerates by a this made a h/2 with theta 1, a h^2-th part of the motion with theta 1/2, step after step. So a step
// measures how far its pads have come, and takes it back: the least change in the metric of the mass matrix that closes the
// loops as well.
#ifndef BR_SIM_CONTACT_STICK_H
#define BR_SIM_CONTACT_STICK_H

#include "sim/core/sim.h"

struct br_sticks;

br_status br_sticks_create(br_sim *sim, br_error *error); // NULL where nothing can stick
void br_sticks_destroy(br_sim *sim);

void br_sticks_begin(br_sim *sim); // of a step: where everything is
br_status br_sticks_note(br_sim *sim,
                         br_error *error); // solved: what sticks, positions of the evaluation in work
br_status br_sticks_hold(br_sim *sim, br_error *error); // state.q is the step's end, loops are closed

// After a step: whether rub i can slip while everything else that sticks stays where it is. A joint at its limit that another one
// holds through a gear moves only as much as bristles bend. What sticks is forgotten but for what holds.
int br_sticks_lets_slip(br_sim *sim, int i);

int br_sticks_hold_positions(const br_sim *sim); // 0: the papers' own steps, which only measure

// How far touch k or rub i moved in the step while it stuck, m; of joints, but for what bristles give way and take back. NAN:
// it did not stick from start to end, or rolls.
double br_sticks_touch(const br_sim *sim, int k);
double br_sticks_rub(const br_sim *sim, int i);

#endif
