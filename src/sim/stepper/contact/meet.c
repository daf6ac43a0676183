// A step that is split where rigid shapes meet, or a joint its limit (solver.events: split), so that runs with blows are of second order.
//
//     free     up to the first meeting, as if what is apart never met; where that is follows from the gaps at the part's end, by secants
//     strike   next to no time: velocities change, by restitution or to rest on what was met
//     free     the rest of the step, until the next meeting
//
// Where something lets go the step is cut in halves until the part in which it does is short: forces fall to zero smoothly, so a part that
// lets go as a whole is off by h^2, and it need not be known better.
//
// A part is a step of its own in every respect, and its books are the step's. A meeting at the very end is the next step's first blow.
// Whether an approach rebounds is decided by the model's step, so a ball that bounces comes to rest, and no step has more parts than
// BR_MAX_PARTS: the rest of it is then taken as without splitting.
#include "sim/stepper/contact/meet.h"

#include <math.h>

#include "sim/contact/apart.h"
#include "sim/rows/order.h"
#include "sim/stepper/contact/step.h"

#define BR_MAX_PARTS 16      // free and struck
#define BR_STRIKE 1e-6       // of the model's step: how long a blow takes
#define BR_MAX_SECANTS 60    // of which a meeting takes five or so
#define BR_BISECT_EVERY 4    // of them
#define BR_EPS_BRACKET 1e-13 // of the part: a gap that jumps within it is cut behind the jump

static br_status take_part(br_sim *sim, br_apart_phase phase, double h, double t_next, br_error *error) {
    sim->apart->phase = phase, sim->apart->passed = sim->apart->let_go = 0;
    for (int k = 0; k < BR_JUDGED_SIGNS; k++) sim->giver[k].given = 0.0;
    const br_status status = br_step_contact_once(sim, h, t_next, error);
    sim->apart->phase = BR_APART_WHOLE;
    return status;
}

// Up to where the first of them meets: `far` is beyond it. Gaps at both ends in tolerances.
static br_status take_part_to_meeting(br_sim *sim, double far, double gap_near, br_error *error) {
    struct br_apart *a = sim->apart;
    const double start = sim->state.at->t, whole = far;
    double near = 0.0, gap_far = a->least;
    if (!isfinite(gap_near)) gap_near = -gap_far;
    br_status status = BR_NUMERICAL;
    a->probing = 1;
    for (int k = 1; k <= BR_MAX_SECANTS; k++) {
        double at = near + (far - near) * gap_near / (gap_near - gap_far);
        if (k % BR_BISECT_EVERY == 0 || !(at > near && at < far)) at = 0.5 * (near + far);
        a->last_try = k == BR_MAX_SECANTS || far - near <= BR_EPS_BRACKET * whole || !(start + at > start);
        if (a->last_try) at = far;
        status = take_part(sim, BR_APART_FREE, at, start + at, error);
        if (status == BR_OK || !a->passed) break;
        if (a->least > 0.0)
            near = at, gap_near = a->least, gap_far *= 0.5; // Illinois
        else
            far = at, gap_far = a->least, gap_near *= k > 1 ? 0.5 : 1.0;
    }
    a->probing = a->last_try = 0;
    return status;
}

// The part from the state on. *cut: it ended at a meeting, or was a blow.
static br_status take_next_part(br_sim *sim, double left, double t_next, int *cut, br_error *error) {
    struct br_apart *a = sim->apart;
    const double start = sim->state.at->t, strike = BR_STRIKE * sim->model->settings.solver.step;
    br_status status = br_apart_look_at_start(sim, error);
    *cut = 0;
    if (status != BR_OK) return status;
    if (a->strikes) {
        const int all = !(left > 2.0 * strike) || !(start + strike > start);
        *cut = 1;
        return take_part(sim, BR_APART_STRIKE, all ? left : strike, all ? t_next : start + strike, error);
    }
    const double gap = a->least;
    status = take_part(sim, BR_APART_FREE, left, t_next, error);
    while (status == BR_NUMERICAL && a->let_go) {
        *cut = 1, left *= 0.5;
        status = take_part(sim, BR_APART_FREE, left, start + left, error);
    }
    if (status != BR_NUMERICAL || !a->passed) return status;
    *cut = 1;
    return take_part_to_meeting(sim, left, gap, error);
}

br_status br_step_contact_parts(br_sim *sim, double h, double t_next, br_error *error) {
    if (!sim->apart) return br_step_contact_once(sim, h, t_next, error);
    double left = h;
    int cuts = 0;
    while (left > 0.0) {
        int cut = 0;
        br_status status = BR_NUMERICAL;
        if (cuts < BR_MAX_PARTS) status = take_next_part(sim, left, t_next, &cut, error);
        if (status == BR_NUMERICAL) {
            status = take_part(sim, BR_APART_WHOLE, left, t_next, error);
            if (status == BR_OK)
                br_sim_note_order(sim, 1,
                                  cuts < BR_MAX_PARTS ? "a part up to a meeting could not be taken alone"
                                                      : "more met than a step is split for");
        }
        if (status != BR_OK) return status;
        cuts += cut;
        left = sim->state.at->t < t_next ? t_next - sim->state.at->t : 0.0;
    }
    if (cuts > 0) br_sim_note_order(sim, 2, "it was split where something met or let go");
    return BR_OK;
}
