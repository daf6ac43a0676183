// Of which order a step of the contact stepper was. Second, with theta 1/2, unless
//
//     something arrived              its velocity is asked for at the step's end
//     a slide began or turned        friction jumps within the step, which takes one side of the jump for the whole
//     friction gives way             smooth, viscous, elastic: its force is that of the step's end
//     what is prescribed jumped      the velocity moves on from the mean of both sides
//     it was too stiff               springs, dampers, beams and soft contacts that the step cannot follow
//
// One reason a step, the first of these.
#include "sim/core/control.h"
#include "sim/stepper/contact/order.h"

#include <math.h>

#include "sim/contact/contact.h"
#include "sim/friction/friction.h"
#include "sim/rows/group.h"
#include "sim/rows/order.h"

#define BR_EPS_ARRIVING 1e-6 // rad/s or m/s: slower rests on its limit
#define BR_EPS_KNOT 1e-9     // of a step: a knot this near to its ends is at its end

int br_step_meets_limit(br_sim *sim) {
    for (int g = 0; g < sim->groups; g++) {
        const br_group *group = &sim->group[g];
        if (group->bound != BR_BOUND_LOWER || !(group->force[0] > 0.0)) continue;
        if (group->entries > 0) br_sim_start_twists(sim);
        if (br_group_velocity(group, 0, sim->V_start, sim->v_start) < -BR_EPS_ARRIVING) return 1;
    }
    return 0;
}

// --- friction ----------------------------------------------------------------------------------------------

static int touch_jumps(const br_touch *t) {
    if (t->state != BR_CONTACT_SLIPS || t->was == BR_CONTACT_OPEN) return 0;
    return t->was == BR_CONTACT_STICKS || br_vec3_dot(t->slip_start, t->after) < 0.0;
}

static int touch_gives_way(const br_sim *sim, const br_touch *t) {
    if (t->state == BR_CONTACT_OPEN || !br_touch_gives_way(sim, t)) return 0;
    return sim->model->contact->traits->creeps ? t->mu > 0.0 : !t->kinetic;
}

static int rub_jumps(const br_rub *rub, const br_rub_state *before, const br_rub_state *now) {
    double turned = 0.0;
    if (now->mode != BR_RUB_SLIDES || before->known == BR_RUB_UNKNOWN) return 0;
    if (before->mode != BR_RUB_SLIDES) return 1;
    for (int d = 0; d < rub->pad.directions; d++) turned += before->ahead[d] * now->ahead[d];
    return turned < 0.0;
}

static int friction_jumps(const br_sim *sim) {
    const br_frictions *f = sim->frictions;
    for (int k = 0; sim->touching && k < sim->contacts->count; k++)
        if (touch_jumps(&sim->contacts->touch[k])) return 1;
    for (int i = 0; f && i < f->count; i++)
        if (rub_jumps(&f->rub[i], &f->last[i], &f->now[i])) return 1;
    return 0;
}

static int friction_gives_way(const br_sim *sim) {
    const br_frictions *f = sim->frictions;
    for (int k = 0; sim->touching && k < sim->contacts->count; k++)
        if (touch_gives_way(sim, &sim->contacts->touch[k])) return 1;
    for (int i = 0; f && i < f->count; i++)
        if (!br_friction_is_set_valued(&f->rub[i].law) && f->now[i].normal > 0.0) return 1;
    return 0;
}

// --- what is prescribed ------------------------------------------------------------------------------------

static int has_knot(const br_function *f, double start, double h) {
    return f && br_function_next_knot(f, start + BR_EPS_KNOT * h) < start + (1.0 - BR_EPS_KNOT) * h;
}

static int prescribed_jumps(const br_sim *sim) {
    const br_model *m = sim->model;
    for (int i = 0; i < m->drives; i++)
        if ((m->drive[i].type == BR_DRIVE_VELOCITY || m->drive[i].type == BR_DRIVE_POSITION) &&
            (has_knot(br_drive_target(sim, i), sim->last.at->t, sim->h) ||
             br_control_jumps(sim, i, sim->last.at->t)))
            return 1;
    for (int i = 0; i < m->constraints; i++)
        if (has_knot(m->constraint[i].value, sim->last.at->t, sim->h)) return 1;
    return 0;
}

void br_step_note_order(br_sim *sim, int lagging) {
    const char *why = NULL;
    if (sim->overshoots || (sim->touching && sim->contacts->landed) || sim->meets_limit)
        why = "something arrived, or met a limit";
    else if (friction_jumps(sim))
        why = "sliding began, or turned round within the step";
    else if (friction_gives_way(sim))
        why = "friction that gives way acted (smooth, viscous, elastic, with a state)";
    else if (prescribed_jumps(sim))
        why = "a prescribed motion has a knot within the step";
    else if (lagging)
        why = "a spring, a damper, a beam or a soft contact was too stiff for the step";
    if (why) br_sim_note_order(sim, 1, why);
}
