// Which method the reference stepper goes on with: Adams' (orders to 12), or backward differences with Newton's method, where dampers or
// friction and not the motion dictate the step.
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

// Where friction turns slow slip faster than Adams' methods can follow, backward differences with Newton's method go on,
// and only there: their orders end at 5.
br_status br_reference_choose_method(br_reference *r, br_error *error) {
    br_reference_contact *c = r->contact;
    if (r->sim->model->beams > 0)
        return BR_OK; // their waves dictate steps that are shorter than friction asks for
    if (r->sim->frictions && r->sim->frictions->follows > 0) { // their slopes at rest are steep
        if (any_pin_presses(c)) {
            r->memory = r->adams;
            return BR_OK;
        }
        const br_status status = r->bdf ? BR_OK : br_reference_create_bdf(r, error);
        if (status == BR_OK) r->memory = r->bdf;
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
    if (!c || r->sim->model->beams > 0 || r->at_stop || r->at_limit || r->at_switch || r->at_renewal ||
        r->at_contact)
        return 0;
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
