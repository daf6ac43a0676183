// One solve for the rows of a step as they are: with contacts near, all of them are one problem; else limits and motors may bind;
// else the rows are linear equations.
#include "base/error.h"
#include "sim/contact/contact.h"
#include "sim/rows/accelerate.h"

// Whether a limit pushes that did not in the last step, or the other way round: one that lasts does so smoothly.
static int limits_changed(const br_sim *sim) {
    const double *before = sim->contacts->group_guess;
    for (int g = 0; g < sim->groups; before += sim->group[g++].rows)
        if (sim->group[g].bound == BR_BOUND_LOWER && (sim->group[g].force[0] > 0.0) != (*before > 0.0))
            return 1;
    return 0;
}

// With contacts near, all rows are one problem in joint coordinates, whatever `coordinates` says.
static br_status solve_touching(br_sim *sim, br_error *error) {
    br_sim_accelerate_freely(sim);
    br_status status = br_sim_check_finite(sim, error);
    if (status == BR_OK) status = br_contact_solve(sim, error);
    if (status != BR_OK) return status;
    sim->bounds_active = sim->contacts->changed || limits_changed(sim);
    return br_sim_check_finite(sim, error);
}

br_status br_sim_solve_rows(br_sim *sim, br_system *s, int refactor, int bounds_only, br_error *error) {
    const br_model *m = sim->model;
    const int stepping = s == sim->step && sim->h > 0.0, bounded = stepping && sim->bounded;
    for (int g = 0; bounded && g < sim->groups; g++)
        if (sim->group[g].bound == BR_BOUND_LOWER) sim->group[g].force[0] = 0.0;
    if (stepping && sim->touching) return solve_touching(sim, error);
    if (bounds_only) {
        const br_status status = br_sim_solve_bounded(sim, error);
        sim->bounds_active = status == BR_OK && br_sim_others_at_bounds(sim);
        return status == BR_OK ? br_sim_check_finite(sim, error) : status;
    }
    int absolute = m->settings.coordinates == BR_ABSOLUTE && (s == sim->step || s == &sim->exact);
    // Nodes of beams are free bodies, absolute anyway; another order of the same sums would only differ by rounding, which
    // stiff elements make forces of.
    if (stepping && m->beams > 0) absolute = 0;
    // At a singular position the damped rows decide, and they are those of joint coordinates; so are those that are left out.
    if (absolute && (s->usually_idle || (!s->dependent && !s->sharp)) && s->groups > 0) {
        if (refactor && br_system_factor(sim, s) != BR_OK)
            return br_fail(error, BR_NUMERICAL, "rows-singular",
                           "t = %.9g s: the constraint rows could not be factored", sim->t_eval);
        absolute = !s->damped || s->sharp;
    }
    br_status status =
        absolute ? br_absolute_solve(sim, s, error) : br_sim_solve_reduced(sim, s, refactor, error);
    sim->bounds_active = status == BR_OK && bounded && !br_sim_bounds_hold(sim, 0);
    const int rubs = status == BR_OK && bounded && sim->frictions && !br_sim_bounds_hold(sim, 1);
    if (sim->bounds_active || rubs) status = br_sim_solve_bounded(sim, error);
    if (rubs && status == BR_OK) sim->bounds_active |= br_sim_others_at_bounds(sim);
    return status == BR_OK ? br_sim_check_finite(sim, error) : status;
}
