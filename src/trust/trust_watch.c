// Between two looks: the motion's own states tell when another is due, see trust.h. What sticks for a few steps, or slides for a few, would
// fall between looks that are evenly spaced; where a load swings, so would the instants at which it is nearest to sliding.
#include <math.h>

#include "sim/contact/contact.h"
#include "trust/trust.h"

#define FALLEN 0.9    // of the fullest use: it has been below, and what comes is another peak
#define RISEN 1.01    // of the use at the last look: more tells something new
#define NEAR_TOP 0.95 // of the largest of all looks: lower peaks tell nothing new

static void count_change(void *context, const br_event *event) {
    br_watch *watch = context;
    watch->changes += event->kind == BR_EVENT_STICK || event->kind == BR_EVENT_SLIP ||
                      event->kind == BR_EVENT_CONTACT_ON || event->kind == BR_EVENT_CONTACT_OFF;
}

// Largest part of their limits that contacts at rest between two shapes use together: how they share it says little.
static double use_of_limits(const br_sim *sim) {
    const br_contacts *c = sim->contacts;
    double most = 0.0, force = 0.0, limit = 0.0;
    for (int k = 0; c && k < (int)c->kept->count; k++) {
        const br_touch *t = &c->before[k];
        if (k == 0 || t->shape_a != t[-1].shape_a || t->shape_b != t[-1].shape_b) force = limit = 0.0;
        if (t->state == BR_CONTACT_STICKS) force += br_vec3_norm(t->f_t), limit += t->mu * t->f_n;
        const int last =
            k + 1 == (int)c->kept->count || t->shape_a != t[1].shape_a || t->shape_b != t[1].shape_b;
        if (last && limit > 0.0) most = fmax(most, force / limit);
    }
    return most;
}

// Whether the use has just passed a peak that is worth a look, or, after a look that was not robust, a trough.
static int passed_turn(br_watch *w, double used) {
    const int another = w->low < FALLEN * w->used || w->used > RISEN * w->start;
    const int peak = w->rises > 0 && used < w->used && another && w->used > NEAR_TOP * w->top;
    const int trough = w->rises < 0 && used > w->used && w->doubtful && w->used < FALLEN * w->high;
    if (used != w->used) w->rises = used > w->used ? 1 : -1;
    w->used = used;
    w->low = fmin(w->low, used), w->high = fmax(w->high, used);
    return peak || trough;
}

// Looks that come unasked must leave enough for those that are planned, and for finding the ends of what they show.
static int can_afford(const br_trust_state *run) {
    const double t = br_sim_time(run->sim), past = t - run->from, left = run->until - t;
    const double moving = past > 0.0 ? run->motion_work * left / past : 0.0;
    const double planned = run->wanted * left / (run->until - run->from) * run->look_work;
    return run->watch.looks < BR_MAX_WATCH_LOOKS &&
           run->work.most - run->work.used > moving + planned + BR_LOOKS_OF_AN_END * run->look_work;
}

br_status br_trust_go_on(br_trust_state *run, double last, double t, double grid, br_error *error) {
    br_sim *sim = run->sim;
    br_watch *w = &run->watch;
    if (!(grid > 0.0) || !can_afford(run)) return br_trust_go_to(run, t, error);
    const br_event_callback event = sim->event;
    void *context = sim->event_context;
    br_status status = BR_OK;
    w->top = fmax(w->top, use_of_limits(sim));
    w->changes = w->rises = 0, w->start = w->used = w->low = w->high = use_of_limits(sim);
    br_sim_set_event(sim, count_change, w);
    while (status == BR_OK && br_sim_time(sim) < t) {
        if (!(br_sim_time(sim) > last)) w->changes = 0; // the motion is taken up before a look off the grid
        const double next = run->from + grid * (floor((br_sim_time(sim) - run->from) / grid + 1e-6) + 1.0);
        status = br_trust_go_to(run, next < t - 1e-6 * grid ? next : t, error);
        const int turn = passed_turn(w, use_of_limits(sim));
        if (br_sim_time(sim) > last && br_sim_time(sim) < t && (w->changes || turn)) {
            w->looks++;
            break;
        }
    }
    br_sim_set_event(sim, event, context);
    return status;
}
