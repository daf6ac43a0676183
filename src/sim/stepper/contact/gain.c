// How much energy a step may make before it is taken again in parts, see split.c.
#include "sim/stepper/contact/gain.h"

#include <math.h>

#include "sim/contact/contact.h"
#include "sim/core/ledger_judge.h"

#define BR_GAIN_LEFT 0.6      // of the limit of the books: what a run may come to
#define BR_GAIN_STEP 0.05     // of what is left of that: what one step may make
#define BR_EPS_STEP_GAIN 1e-7 // of the energy at play: less is not looked at

static double gained(const br_extreme *e, double before, double now, double through, double *fall) {
    *fall = fmax(*fall, e->peak - before - BR_JUDGE_LIMIT * through);
    return before - now;
}

// A run that has just begun holds next to nothing, and its first steps are measured by what its loads will bring: by less, a beam that a
// force bends from rest (scenes/beams/elastica.yaml) was split at once, and what splitting shook stayed in its waves.
static double loads_reach(const br_sim *sim) {
    const br_model *m = sim->model;
    double work = 0.0;
    for (int i = 0; i < m->loads; i++) {
        const br_model_load *load = &m->load[i];
        if (load->first < 0) continue;
        if (load->type == BR_LOAD_FORCE) work += br_vec3_norm(sim->load_wrench[i].force) * sim->extent;
        if (load->type == BR_LOAD_TORQUE) work += br_vec3_norm(sim->load_wrench[i].torque) * 1.0; // rad
    }
    return work;
}

int br_step_gains(br_sim *sim, const br_ledger *before) {
    const br_judge *j = sim->judge;
    const br_ledger *l = sim->ledger;
    if (sim->halvings < 0) return 0;
    double fallen, fall = 0.0;
    const double scheme = gained(&j->extreme[BR_JUDGED_GAIN], before->scheme, l->scheme, j->through, &fall);
    const double appeared =
        gained(&j->extreme[BR_JUDGED_APPEARED], before->unaccounted, l->unaccounted, j->through, &fall);
    const double made = fmax(scheme, appeared);
    const double now =
        br_judge_stored(sim, &fallen) - fmax(0.0, made); // what a step makes is no measure of it
    const double size = fmax(fmax(j->stored, now), fmax(j->floor, loads_reach(sim)));
    sim->made = fall + made, sim->made_of = size;
    if (sim->halvings >= BR_MAX_HALVINGS) return made > 0.0 && fall + made > BR_JUDGE_LIMIT * size;
    const br_contacts *c = sim->contacts;
    if (sim->hidden == 0.0 && c && c->count > 0 &&
        br_contacts_hidden(sim, c->touch, c->count) > BR_EPS_HIDES * size)
        return 1;
    const double left = fmax(0.0, BR_GAIN_LEFT * BR_JUDGE_LIMIT * size - fall);
    const double may = ldexp(fmax(BR_GAIN_STEP * left, BR_EPS_STEP_GAIN * size), -sim->halvings);
    return made >
           fmax(fmax(may, BR_EPS_STEP_GAIN * j->floor), sim->hidden); // a shorter one would give that back
}
