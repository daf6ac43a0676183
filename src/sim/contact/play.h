// Joints with play in the contact stepper: pin and hole are two surfaces that touch. Private to src/sim.
//
// A clearance is one touch, listed where it is near, after those of shapes: its shape, for names and sizes, is number shapes + k of the model's
// shapes, its pair number pairs + k of the pairs. Inner race (second body): a; outer race: b; normal: from the wall inwards.
//
//     normal      the clearance's own compliant law, as any compliant contact (contact/press.c); `closing` of the touch holds the
//                 speed of approach that some laws want
//     friction    coulomb, and bristles that are rigid: a cone. Other laws: f_t = -f_n mu(v, z), mu the mean over the step by
//                 friction/lugre.h, as linear rows about the last pass's velocity; `f_bristle` of the touch holds z, in m
#ifndef BR_SIM_CONTACT_PLAY_H
#define BR_SIM_CONTACT_PLAY_H

#include "flex/clearance.h"
#include "sim/contact/contact.h"

// The races of clearance k at the positions in sim->work; centre: of the inner one. hint: the last normal of the race contact.
void br_play_race(const br_sim *sim, int k, br_vec3 hint, br_race_contact *out, br_vec3 *centre);
void br_play_race_by(const br_sim *sim, int k, br_vec3 hint, br_race_contact *out); // with derivatives

// Touches of clearances that are near enough to close within h, after those of shapes.
br_status br_plays_add(br_sim *sim, double h, br_error *error);
void br_plays_carry(br_sim *sim); // what they keep from step to step, after the match
void br_play_base(const br_sim *sim, br_touch *touch);

// Friction that is a function of velocity and state: of touches for which br_play_rubs holds.
static inline int br_play_rubs(const br_sim *sim, const br_touch *touch) {
    const br_model_clearance *play = br_touch_play(sim, touch);
    return play && play->friction.law != BR_FRICTION_NONE && play->friction.mu_static > 0.0 &&
           !br_friction_is_set_valued(&play->friction);
}
// The normal velocity to linearize the law about, after a pass that did so about normal_guess and found v.
double br_play_normal(const br_sim *sim, const br_touch *touch, double v);
void br_play_begin(const br_sim *sim, br_touch *touch);
void br_play_rows(const br_sim *sim, const br_touch *touch, br_touch_rows *rows);
void br_play_guess(const br_sim *sim, br_touch *touch, const double *w); // the next pass's velocity
double br_play_lag(const br_sim *sim, const br_touch *touch, const double *f, const double *w);
void br_play_finish(const br_sim *sim, br_touch *touch); // z of the step's end

const br_touch *br_play_touch(const br_sim *sim, int k); // of the last step; NULL: there is none yet
// The clearance of an instant, after br_sim_instant has found its contacts, with the stepper's own forces; 0: it carries none.
double br_play_speed(const br_sim *sim, int k,
                     double *of_centre); // m/s, of a pin that may reach its hole within a step; else 0
int br_play_look(br_sim *sim, int k, br_touch *out);

#endif
