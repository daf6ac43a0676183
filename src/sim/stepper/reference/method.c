// Which method the reference stepper goes on with: Adams' (orders to 12), or backward differences with Newton's method, where dampers or
// friction and not the motion dictate the step.
#include <math.h>

#include "sim/friction/friction.h"
#include "sim/stepper/reference/contact.h"

#define BR_STIFF_INTERVAL 500 // Adams steps between looks at stiffness
#define BR_STIFF_PRODUCT 0.02 // damping rate times step: Adams' bound is at 0.05 to 0.5, by its order
#define BR_STIFF_LOOKS 4
#define BR_TURNING_FAST                                                                                      \
    1.0 // rate at which friction turns slip, times solver.step: Adams' methods are held up
#define BR_TURNING_SLOW 0.2  // and are no more
#define BR_TURNING_STEPS 200 // of Adams, that are borne before
#define BR_TURNING_IDLE 0.02 // that rate times the step: below, Adams' methods could have had it
#define BR_TURNING_MORE 4.0  // times the rate at which something else dictated the step

// Friction with bristles: its fastest rate times the step, beyond which Adams' methods are held up, below which they could have had it.
#define BR_BRISTLE_FAST 0.1
#define BR_BRISTLE_SLOW 0.02
#define BR_BRISTLE_FAST_STEPS 20 // that are borne before: a start of the other method costs more
#define BR_BRISTLE_SLOW_STEPS 50
#define BR_BRISTLE_START 200 // steps of a start that do not count: the first ones are short in any case
#define BR_BRISTLE_LOOK 100  // steps between looks at the dampers, which cost eight evaluations each

// Adams' steps cannot be longer than a part of 1/(damping rate), however slow the motion. A decaying transient has such
// steps too, but is over after a few looks.
int br_reference_is_stiff(br_reference *r, double h) {
    if (r->memory != r->adams || r->steps % BR_STIFF_INTERVAL != 0) return 0;
    r->stiff = h * br_reference_damping_rate(r) >= BR_STIFF_PRODUCT ? r->stiff + 1 : 0;
    return r->stiff >= BR_STIFF_LOOKS;
}

// Pins that press: their normals are stiff springs, whose swinging Adams' methods follow in far fewer steps.
static int any_pin_presses(const br_reference_contact *c) {
    for (int i = 0; c && i < c->count; i++)
        if (c->hold[i].play && !c->hold[i].follows) return 1;
    return 0;
}

static int has_bristles(const br_reference *r) {
    return r->states > br_play_states(r->sim);
}

// How fast bristles give way, 1/s: sigma_0 |v|/g of the fastest rub, z' = v - that z.
static double bristle_rate(const br_sim *sim) {
    const br_frictions *f = sim->frictions;
    double rate = 0.0;
    for (int i = 0; i < f->count; i++) {
        const br_rub *rub = &f->rub[i];
        if (!br_friction_has_state(&rub->law)) continue;
        double square = 0.0;
        for (int d = 0; d < rub->pad.directions; d++) square += rub->velocity[d] * rub->velocity[d];
        const double g = br_friction_g(&rub->law, sqrt(square));
        if (g > 0.0) rate = fmax(rate, rub->law.sigma_0 * sqrt(square) / g);
    }
    return rate;
}

// Bristles that stick are springs, whose swinging Adams' methods follow in fewer steps. Bristles that give way are relaxed in g/(sigma_0 |v|), far
// less than a step of the motion, which only backward differences bear: Adams' methods take a million steps for a second of it.
static int bristles_have_changed(br_reference *r) {
    double h = 0.0;
    CVodeGetLastStep(r->memory, &h);
    if (r->steps == 1) r->fast_steps = r->slow_steps = 0;
    const double rate = bristle_rate(r->sim);
    if (r->steps % BR_BRISTLE_LOOK == 1) r->damped = br_reference_damping_rate(r);
    const double product = h * fmax(rate, r->damped);
    r->fast_steps = product > BR_BRISTLE_FAST ? r->fast_steps + 1 : 0;
    r->slow_steps = product < BR_BRISTLE_SLOW && r->steps > BR_BRISTLE_START ? r->slow_steps + 1 : 0;
    if (r->memory == r->adams ? r->fast_steps < BR_BRISTLE_FAST_STEPS : r->slow_steps < BR_BRISTLE_SLOW_STEPS)
        return 0;
    r->memory = r->memory == r->adams ? r->bdf : r->adams;
    return 1;
}

// Where friction turns slow slip faster than Adams' methods can follow, backward differences with Newton's method go on,
// and only there: their orders end at 5.
br_status br_reference_choose_method(br_reference *r, br_error *error) {
    br_reference_contact *c = r->contact;
    if (r->sim->model->beams > 0)
        return BR_OK; // their waves dictate steps that are shorter than friction asks for
    if (r->sim->frictions && r->sim->frictions->follows > 0) {
        const br_status status = r->bdf ? BR_OK : br_reference_create_bdf(r, error);
        if (status == BR_OK && (r->untried || !has_bristles(r)))
            r->memory = any_pin_presses(c) ? r->adams : r->bdf;
        r->untried = 0;
        return status;
    }
    const double product = c ? c->turning * r->sim->model->settings.solver.step : 0.0;
    if (c && c->implicit && product < BR_TURNING_SLOW) {
        c->implicit = 0;
        r->memory = r->adams;
    } else if (c && r->memory == r->adams && product > BR_TURNING_FAST &&
               c->turning > BR_TURNING_MORE * c->turning_idle) {
        const br_status status = r->bdf ? BR_OK : br_reference_create_bdf(r, error);
        if (status != BR_OK) return status;
        c->implicit = 1;
        r->memory = r->bdf;
    }
    return BR_OK;
}

// Sliding that ends passes through the same rates in few steps: only what lasts is worth a change.
int br_reference_method_has_changed(br_reference *r) {
    br_reference_contact *c = r->contact;
    if (r->sim->model->beams > 0 || r->at_stop || r->at_limit || r->at_switch || r->at_renewal ||
        r->at_contact || r->at_friction)
        return 0;
    if (has_bristles(r)) return bristles_have_changed(r);
    if (!c) return 0;
    const double product = c->turning * r->sim->model->settings.solver.step;
    const int more = c->turning > BR_TURNING_MORE * c->turning_idle;
    double h = 0.0;
    CVodeGetLastStep(r->memory, &h);
    c->stiff_steps = product > BR_TURNING_FAST && more ? c->stiff_steps + 1 : 0;
    c->idle_steps = c->implicit && c->turning * h < BR_TURNING_IDLE ? c->idle_steps + 1 : 0;
    if (c->implicit && c->idle_steps > BR_TURNING_STEPS) {
        c->turning_idle = c->turning, c->implicit = 0, r->memory = r->adams;
        return 1;
    }
    return c->implicit ? product < BR_TURNING_SLOW
                       : r->memory == r->adams && c->stiff_steps > BR_TURNING_STEPS;
}
