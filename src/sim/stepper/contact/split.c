// A step of a model with beams or play that would make energy, or that fails, is taken again as two halves.
//
// What turns within a step is seen at one place of it: the frame of a beam's element (its moments and its compression are explicit,
// springs.c) and the normal of a pin that goes round in its hole (play.c). Both are of second order, and where light parts move
// by their own size in a step they feed it. The books see that at once, so they set the step's limit: a step may make a part of what is left
// until the run would no longer be credible, and a part of a step so much less.
#include <math.h>

#include "base/error.h"
#include "sim/contact/contact.h"
#include "sim/contact/play.h"
#include "sim/core/judgement.h"
#include "sim/core/ledger_judge.h"
#include "sim/core/ledger_share.h"
#include "sim/stepper/contact/gain.h"
#include "sim/stepper/contact/meet.h"
#include "sim/stepper/contact/split.h"

#define BR_PLAY_WAY 0.1 // of the play: how far a pin may move in a step
#define BR_MAX_PLAY_LEVEL 7
#define BR_SAME_LENGTH 1.5 // lengths that differ by less are not halved
#define BR_EPS_BLOW 1e-3   // of the energy at play: what a pin may press into its wall in one step

// A stiff contact is as deep between two evaluations as the step's coarseness makes it, which no force of the run has known and no book
// counts (contact/ledger.c). A step of another length evaluates there, and would give it back: J, that the length may not change over but for more.
static double held_hidden(br_sim *sim) {
    const br_contacts *c = sim->contacts;
    const double h = sim->h, theta = sim->theta, size = fmax(sim->judge->stored, sim->judge->floor);
    if (!c || !(sim->state.at->h_before > 0.0)) return 0.0;
    sim->h = sim->state.at->h_before, sim->theta = sim->model->settings.solver.theta;
    const double hidden = br_contacts_hidden(sim, c->before, c->kept->count);
    sim->h = h, sim->theta = theta;
    return hidden > BR_EPS_HIDDEN * size ? hidden : 0.0;
}

// So short that no pin that is near its hole's wall moves by more than a part of its play, or presses in deeper than energy there is for.
static int needed_halvings(br_sim *sim, double h) {
    const br_model *m = sim->model;
    const double size = fmax(sim->judge->stored, sim->judge->floor);
    int most = 0;
    br_sim_refresh(sim, 2);
    for (int k = 0; k < m->clearances; k++) {
        const double play = m->clearance[k].outer_radius - m->clearance[k].inner_radius;
        double of_centre, way = h * br_play_speed(sim, k, &of_centre);
        for (int n = 0; n < BR_MAX_PLAY_LEVEL && way > BR_PLAY_WAY * fabs(play); n++, way *= 0.5)
            if (n + 1 > most) most = n + 1;
        way = h * of_centre;
        for (int n = 0;
             n < BR_MAX_HALVINGS && br_normal_energy(&m->clearance[k].law, way) > BR_EPS_BLOW * size;
             n++, way *= 0.5)
            if (n + 1 > most) most = n + 1;
    }
    return most;
}

static br_status out_of_halvings(const br_sim *sim, double h, br_error *error) {
    char element[BR_MAX_EVENT_NAME] = "";
    br_shares_largest(sim, 0, element);
    return br_fail(error, BR_NUMERICAL, "step-gains",
                   "t = %.9g s: the time stepping makes energy, in all %.3g J, more than %g %% of the %.3g J "
                   "that are at play or that loads can bring, also in a part of %.3g s of a step%s%s; "
                   "solver.stepper: implicit or %s may help",
                   sim->state.at->t, sim->made, 100.0 * BR_JUDGE_LIMIT, sim->made_of, h,
                   element[0] ? ", most of it until now in " : "", element, br_judge_remedy(sim, 0));
}

static br_status step_split(br_sim *sim, double h, double t_next, int halvings, br_error *error) {
    const double begin = sim->state.at->t;
    sim->halvings = halvings, sim->hidden = held_hidden(sim);
    sim->made = 0.0;
    br_status status = br_step_contact_parts(sim, h, t_next, error);
    if (status == BR_OK) sim->part = h;
    if (status == BR_NUMERICAL && halvings >= BR_MAX_HALVINGS && sim->made > 0.0)
        return out_of_halvings(sim, h, error);
    const double start = sim->state.at->t, half = 0.5 * (start > begin ? t_next - start : h);
    if (status != BR_NUMERICAL || halvings >= BR_MAX_HALVINGS || !(start + half > start)) return status;
    for (int k = 0; k < BR_JUDGED_SIGNS; k++) sim->giver[k].given = 0.0;
    status = step_split(sim, half, start + half, halvings + 1, error);
    return status == BR_OK ? step_split(sim, half, t_next, halvings + 1, error) : status;
}

// The run goes on with the parts that it had to take. Each change of length over a pressed pin costs what it hides, and each one shakes the
// waves of a beam: with lengths that grew again scenes/beams/helix.yaml lost 15 % of its energy, with these 0.3 %. A step that ends a row
// early is short by itself, and says nothing about the next.
static int kept_halvings(const br_sim *sim, double h) {
    const double most = BR_SAME_LENGTH * ldexp(sim->model->settings.solver.step, -*sim->split_level);
    int halvings = 0;
    while (halvings < BR_MAX_HALVINGS && ldexp(h, -halvings) > most) halvings++;
    return halvings;
}

static int first_halvings(br_sim *sim, double h, int kept) {
    const int needed = held_hidden(sim) > 0.0 ? 0 : needed_halvings(sim, h);
    return needed > kept ? needed : kept;
}

static void keep_halvings(br_sim *sim, double part) {
    const double step = sim->model->settings.solver.step;
    while (*sim->split_level < BR_MAX_HALVINGS && ldexp(step, -*sim->split_level) > BR_SAME_LENGTH * part)
        ++*sim->split_level;
}

br_status br_step_contact(br_sim *sim, double h, double t_next, br_error *error) {
    sim->halvings = -1;
    if (!sim->split_level) return br_step_contact_parts(sim, h, t_next, error);
    const double start = sim->state.at->t;
    const int kept = kept_halvings(sim, h), halvings = first_halvings(sim, h, kept);
    const int parts = 1 << halvings;
    const double part = ldexp(h, -halvings);
    br_status status = BR_OK;
    for (int k = 1; status == BR_OK && k <= parts; k++)
        status = step_split(sim, part, k < parts ? start + k * part : t_next, halvings, error);
    const double last = sim->part;
    if (status == BR_OK && last < ldexp(h, -kept) / BR_SAME_LENGTH) keep_halvings(sim, last);
    return status;
}
