// Joint friction in a step of the contact stepper: bounds mu N follow the reactions of the same step [Wojtyra2017 eqs. 6, 20].
//
// What sticks is first tried without a bound: where it may stay, it stays. Otherwise the solution is the one that goes on
// from the last step's forces. A rub at its bound that does not move is at its limit, with mu_static; it slides, with mu_kinetic, once it has
// yielded further than its bristles bend.
#include "sim/friction/step.h"
#include "sim/rows/accelerate.h"
#include "sim/rows/order.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/finite.h"
#include "linalg/dense.h"
#include "sim/contact/contact.h"
#include "sim/contact/stick.h"
#include "sim/rows/group.h"
#include "tree/spatial.h"

#define BR_EPS_RIGID_RUB 1e-5 // of W: compliance of bristles that have none of their own
#define BR_EPS_FIRM_RUB 1e-9  // same, where no rows are dependent
#define BR_EPS_SOFT_RUB 1e-3  // same, of those that move at most, and
#define BR_SOFT_TURNS 10.0    // of h omega v: what they give under their largest force
#define BR_EPS_SETTLED 1e-6   // of mu N or N: how far a solution may be off that did not settle as it should
#define BR_EPS_BEYOND 1e-9    // of mu N: inside the bound
#define BR_EPS_LOADED 1e-6    // of the largest load: smaller ones carry nothing
#define BR_STEADY_SLIP 0.25   // of the slip: change in a step of what creeps
#define BR_BENT_BRISTLES 0.99 // of their limit: bristles bent further let go
#define BR_EPS_MOVED 1e-6     // of what its largest force would move it in a step: it slides
#define BR_STOPPED 0.1        // of the slip at the step's start: what is left where it stops, and
#define BR_BENT_TOGETHER 10.0 // times what the bristles of those that stick bend, ratios being estimates
#define BR_FLEX_SHARE 100.0   // times what the bristles of others bend in a step: it yields by itself

static br_rubbings *step_of(const br_sim *sim) {
    return sim->frictions->step;
}

// --- creation ----------------------------------------------------------------------------------------------

static const br_group *loop_group(const br_sim *sim, int joint) {
    for (int g = 0; g < sim->groups; g++)
        if (br_group_joint(sim, &sim->group[g]) == joint) return &sim->group[g];
    return NULL;
}

br_status br_friction_step_create(br_sim *sim, br_error *error) {
    br_frictions *f = sim->frictions;
    br_rubbings *s = BR_TAKE(&sim->arena, br_rubbings, 1);
    const int n = f->count;
    double *numbers = BR_TAKE(&sim->arena, double, n *(n + 5));
    if (s) {
        s->rubbing = BR_TAKE(&sim->arena, br_rubbing, n);
        s->wrench = BR_TAKE(&sim->arena, br_wrench, sim->model->tree.links);
        s->growing = BR_TAKE(&sim->arena, int, n);
    }
    if (!br_arena_ok(&sim->arena)) return br_no_memory(error, "no memory for joint friction");
    s->F = numbers, s->dx = numbers + n, s->dF = numbers + 2 * n;
    s->u = numbers + 3 * n, s->best = numbers + 4 * n, s->H = numbers + 5 * n;
    for (int g = 0; g < sim->groups; g++)
        if (sim->group[g].kind == &br_group_rub) s->rubbing[sim->group[g].element].group = &sim->group[g];
    for (int i = 0; i < n; i++) {
        const br_rub *rub = &f->rub[i];
        br_rubbing *r = &s->rubbing[i];
        r->n = rub->pad.directions;
        r->set_valued = br_friction_is_set_valued(&rub->law);
        if (sim->model->joint[rub->joint].link < 0) r->loop = loop_group(sim, rub->joint);
    }
    f->step = s;
    return br_friction_response_create(sim, error);
}

// --- loads -------------------------------------------------------------------------------------------------

static void add_to(br_wrench *wrench, int link, double factor, br_wrench F) {
    if (link >= 0) br_wrench_add_scaled(&wrench[link], factor, &F);
}

// Everything that acts on the links from outside the tree's joints: loads, rows, contacts.
void br_friction_wrenches(const br_sim *sim, br_wrench *wrench) {
    const size_t bytes = (size_t)sim->model->tree.links * sizeof *wrench;
    if (br_sim_known_wrench(sim))
        memcpy(wrench, sim->wrench, bytes);
    else
        memset(wrench, 0, bytes);
    for (int i = 0; i < sim->groups; i++) {
        const br_group *g = &sim->group[i];
        for (int r = 0; r < g->rows; r++)
            for (int e = 0; e < g->entries; e++)
                add_to(wrench, g->link[e], g->force[r], g->F[r * g->entries + e]);
    }
    for (int k = 0; sim->touching && k < sim->contacts->count; k++) {
        const br_touch *t = &sim->contacts->touch[k];
        const br_vec3 f = br_vec3_add_scaled(t->f_t, t->f_n, t->normal);
        for (int side = 0; side < 2; side++) {
            br_wrench F = br_touch_wrench(sim, t, f, side);
            F.torque = br_vec3_add_scaled(F.torque, side ? -1.0 : 1.0, t->moment);
            add_to(wrench, side ? t->link_b : t->link_a, 1.0, F);
        }
    }
}

// A thread's friction is not along its motion alone: what is across is no reaction either.
static br_wrench without_thread(const br_sim *sim, const br_model_joint *joint, const double *force,
                                br_wrench F) {
    const br_frictions *f = sim->frictions;
    for (int i = 0; joint->type == BR_JOINT_SCREW && i < f->count; i++) {
        br_wrench second, first;
        if (&sim->model->joint[f->rub[i].joint] != joint) continue;
        br_rub_wrench(sim, &f->rub[i], 0, &second, &first);
        br_wrench_add_scaled(&F, -force[0], joint->reversed ? &first : &second);
    }
    return F;
}

// On the joint's second body at M, world axes, without what is along its motion: as reaction.c has it. From what `transmitted`
// holds; force: of the joint's friction.
br_wrench br_rub_tree_reaction(const br_sim *sim, const br_model_joint *joint, const br_relative *x,
                               const double *force) {
    const br_link *link = &sim->model->tree.link[joint->link];
    br_wrench F = without_thread(sim, joint, force, sim->transmitted[joint->link]);
    br_joint_motion m;
    double tau[BR_MAX_JOINT_V];
    for (int k = 0; k < link->kind->nv; k++) {
        m.S[k] = sim->work.S[link->v_at + k];
        tau[k] = br_twist_dot(m.S[k], F);
    }
    F = br_wrench_sub(F, br_joint_effort(link->kind->nv, &m, tau));
    if (!joint->reversed) return F;
    const br_vec3 arm = br_vec3_sub(x->p_WM, sim->work.pose[joint->link].p_WL);
    return br_wrench_scale(-1.0, br_wrench_shift(F, br_vec3_neg(arm)));
}

br_wrench br_rub_loop_reaction(const br_model_joint *joint, const br_group *g, const br_relative *x,
                               const double *force) {
    br_wrench F = br_wrench_of(br_vec3_zero(), br_vec3_zero());
    const int second = joint->second >= 0;
    const int e = second ? joint->first >= 0 : 0;
    for (int r = 0; r < g->rows; r++)
        br_wrench_add_scaled(&F, second ? force[r] : -force[r], &g->F[r * g->entries + e]);
    return br_wrench_shift(F, br_vec3_neg(second ? x->rho_B : x->rho_A));
}

void br_friction_loads(br_sim *sim) {
    const br_model *m = sim->model;
    br_rubbings *s = sim->frictions->step;
    int trees = 0;
    for (int i = 0; i < sim->frictions->count; i++)
        trees |= !s->rubbing[i].loop && sim->frictions->rub[i].pad.norms > 0;
    if (trees) {
        br_friction_wrenches(sim, s->wrench);
        br_tree_inverse_dynamics(&m->tree, &sim->work, m->settings.gravity, sim->vdot, s->wrench,
                                 sim->transmitted, sim->eta);
    }
    for (int i = 0; i < sim->frictions->count; i++) {
        const br_rub *rub = &sim->frictions->rub[i];
        const br_model_joint *joint = &m->joint[rub->joint];
        br_wrench R = br_wrench_of(br_vec3_zero(), br_vec3_zero());
        if (rub->pad.norms > 0) {
            const br_relative x = br_sim_relative(sim, joint, 0);
            R = s->rubbing[i].loop
                    ? br_rub_loop_reaction(joint, s->rubbing[i].loop, &x, s->rubbing[i].loop->force)
                    : br_rub_tree_reaction(sim, joint, &x, s->rubbing[i].force);
            R = br_wrench_of(br_mat3_tmul_vec(x.R_WF, R.torque), br_mat3_tmul_vec(x.R_WF, R.force));
        }
        s->rubbing[i].load = br_rub_load(rub, R);
    }
}

static br_status unsettled(const br_sim *sim, double off, int worst, br_error *error) {
    const br_frictions *f = sim->frictions;
    if (worst >= f->count)
        return br_fail(error, BR_NUMERICAL, "bounded-rows",
                       "t = %.9g s: limits and motors have no common solution with joint friction ('%s' is "
                       "off by %.3g of "
                       "its force): does a prescribed motion or a loop push a joint past its limit?",
                       sim->t_eval, br_group_name(sim, f->step->dense[worst]), off);
    const br_rubbing *r = &f->step->rubbing[worst];
    return br_fail(
        error, BR_NUMERICAL, "friction-unsettled",
        "t = %.9g s: the friction of joint '%s' does not settle: no forces were found that agree with its "
        "law and with the "
        "loads that they make themselves (off by %.2g of the largest; load before %.5g N, mu %g, slip %.3g "
        "m/s). With this "
        "much friction a step may have no solution; a smaller solver.step or less friction may help",
        sim->t_eval, f->rub[worst].name, off, f->now[worst].normal,
        r->set_valued ? r->mu : br_friction_limit(&f->rub[worst].law), br_norm(r->n, r->start));
}

static double fastest_turn(const br_sim *sim) {
    double square = 0.0;
    for (int i = 0; i < sim->model->tree.links; i++)
        square = fmax(square, br_vec3_norm_squared(sim->work.motion[i].V.angular));
    return sqrt(square);
}

// A pin without a radius rubs in radians, and its softness is not that of metres.
static int rubs_in_radians(const br_sim *sim, int i) {
    const br_rub *rub = &sim->frictions->rub[i];
    const br_friction_def *def = br_model_joint_friction(sim->model, rub->joint);
    return def && !(def->pin_radius > 0.0) && br_vec3_norm(rub->pad.D[0].force) == 0.0;
}

// Bristles without a compliance of their own get one that is next to nothing, the same for all of a unit: so they share a load that
// dependent rows leave open by a rule that does not depend on coordinates. What moves gets more: in the step that stops a
// closed loop its rows contradict each other by what they turn in a step, h omega v, and stiff bristles would make forces of that.
static void choose_compliances(br_sim *sim) {
    br_rubbings *s = step_of(sim);
    const double turn = fastest_turn(sim);
    double least[2] = {INFINITY, INFINITY}, most[2] = {0.0, 0.0}; // in metres, in radians
    for (int i = 0; i < sim->frictions->count; i++) {
        const int in = rubs_in_radians(sim, i);
        least[in] = fmin(least[in], s->rubbing[i].softness),
        most[in] = fmax(most[in], s->rubbing[i].softness);
    }
    for (int i = 0; i < sim->frictions->count; i++) {
        br_rubbing *r = &s->rubbing[i];
        const double own = sim->frictions->rub[i].compliance / (sim->h * sim->h), bound = r->mu * r->normal;
        const int in = rubs_in_radians(sim, i);
        r->rigid = BR_EPS_RIGID_RUB * sqrt(least[in] * most[in]);
        if (r->sliding && bound > 0.0)
            r->rigid = fmax(r->rigid, fmin(BR_EPS_SOFT_RUB * r->softness,
                                           BR_SOFT_TURNS * turn * br_norm(r->n, r->start) / bound));
        r->rigid = r->soft = fmax(r->rigid, own);
        r->firm = fmax(BR_EPS_FIRM_RUB * r->softness, own);
    }
}

// --- what a step leaves ------------------------------------------------------------------------------------

static double remembered(const br_rub_state *now, int d) {
    return now->known == BR_RUB_STEPPED ? now->force[d] : 0.0;
}

// How far bristles gave way in the step, m.
static double yielded(const br_sim *sim, int i) {
    const br_rubbing *r = &step_of(sim)->rubbing[i];
    double slip[BR_MAX_SLIDING];
    for (int d = 0; d < r->n; d++)
        slip[d] = r->velocity[d] + sim->h * r->rigid * (r->force[d] - remembered(&sim->frictions->now[i], d));
    return sim->h * br_norm(r->n, slip);
}

// How far a rub may be taken along in this step by the bristles of others that hold: a rub at its bound whose gear another holds follows
// them, step by step and ever farther, and does not slide. Ratios between slips are taken as those of one common motion.
static double taken_along(const br_sim *sim, int i) {
    const br_rubbing *r = &step_of(sim)->rubbing[i];
    double sum = 0.0;
    for (int j = 0; j < sim->frictions->count; j++) {
        const br_rubbing *other = &step_of(sim)->rubbing[j];
        double change[BR_MAX_SLIDING];
        if (j == i || !other->set_valued || other->sliding || !(other->softness > 0.0)) continue;
        for (int d = 0; d < other->n; d++)
            change[d] = other->force[d] - remembered(&sim->frictions->now[j], d);
        sum += other->rigid * br_norm(other->n, change) * sqrt(r->softness / other->softness);
    }
    return BR_FLEX_SHARE * sim->h * sim->h * sum;
}

// A rub at its bound that was at rest slides once it has yielded further than its bristles bend, or than rounding explains, and
// is not taken along by others. moved: how far it has yielded so far.
static br_rub_mode mode_after(const br_sim *sim, int i, double *moved) {
    const br_rubbing *r = &step_of(sim)->rubbing[i];
    const br_rub_state *now = &sim->frictions->now[i];
    const double h = sim->h, bound = r->mu * r->normal;
    *moved = 0.0;
    if (!r->set_valued) return BR_RUB_FOLLOWS;
    if (r->held) return BR_RUB_STICKS;
    // Solves are exact to about 1e-8: a force that is next to its bound has not left it while there is slip.
    const int inside = br_norm(r->n, r->force) < (1.0 - BR_EPS_BEYOND) * bound;
    const double apart = yielded(sim, i), least = BR_EPS_MOVED * r->softness * h * h * bound;
    if (inside && apart <= least) return BR_RUB_STICKS;
    if (r->sliding) return apart > BR_EPS_BEYOND * least ? BR_RUB_SLIDES : BR_RUB_STICKS;
    *moved = apart + (now->known == BR_RUB_STEPPED && now->mode == BR_RUB_AT_LIMIT ? now->z[0] : 0.0);
    if (*moved > fmax(r->rigid * h * h * bound, least) && apart > taken_along(sim, i)) return BR_RUB_SLIDES;
    return bound > 0.0 ? BR_RUB_AT_LIMIT : BR_RUB_STICKS;
}

// Laws that are functions never rest. What is slow and steady creeps, where bristles are not at their limit; what only passes
// through slow speeds, on its way to sliding or back, does not.
static int follows_at_rest(const br_sim *sim, int i) {
    const br_rubbing *r = &step_of(sim)->rubbing[i];
    const br_friction_params *law = &sim->frictions->rub[i].law;
    const double rest = br_friction_rest_speed(law), v_0 = br_norm(r->n, r->start),
                 v_1 = br_norm(r->n, r->velocity);
    double change = 0.0;
    for (int d = 0; d < r->n; d++) {
        const double dv = r->velocity[d] - r->start[d];
        change += dv * dv;
    }
    if (v_0 > rest || v_1 > rest || sqrt(change) > BR_STEADY_SLIP * fmax(v_0, v_1)) return 0;
    return !br_friction_has_state(law) ||
           law->sigma_0 * br_norm(r->n, r->z) < BR_BENT_BRISTLES * br_friction_limit(law);
}

static int rests(const br_sim *sim, int i) {
    br_rubbing *r = &step_of(sim)->rubbing[i];
    const double h = sim->h;
    double moved;
    if (r->n == 0) return 0;
    for (int d = 0; d < r->n; d++)
        r->allowed[d] = r->set_valued
                            ? -h * h * r->rigid * (r->force[d] - remembered(&sim->frictions->now[i], d))
                            : h * ((1.0 - sim->theta) * r->start[d] + sim->theta * r->velocity[d]);
    if (!r->set_valued) return follows_at_rest(sim, i);
    return !r->sliding && mode_after(sim, i, &moved) == BR_RUB_STICKS;
}

void br_friction_note_rest(br_sim *sim) {
    for (int i = 0; i < sim->frictions->count; i++) step_of(sim)->rubbing[i].rests = rests(sim, i);
}

// The same for good: what others hold stays at its limit, however far their bristles have bent.
static br_rub_mode mode_for_good(br_sim *sim, int i, double *moved) {
    const br_rub_mode mode = mode_after(sim, i, moved);
    if (mode != BR_RUB_SLIDES || step_of(sim)->rubbing[i].sliding) return mode;
    return br_sticks_lets_slip(sim, i) ? mode : BR_RUB_AT_LIMIT;
}

static int mode_changed(const br_sim *sim) {
    for (int i = 0; i < sim->frictions->count; i++) {
        const br_rubbing *r = &step_of(sim)->rubbing[i];
        double moved, along = 0.0;
        if (!r->set_valued) continue;
        const int slides = mode_after(sim, i, &moved) == BR_RUB_SLIDES;
        for (int d = 0; d < r->n; d++) along += r->force[d] * remembered(&sim->frictions->now[i], d);
        if (slides != r->sliding || (slides && along < 0.0)) return 1;
    }
    return 0;
}

static void tell(const br_sim *sim, int i, int slides) {
    const br_rubbing *r = &step_of(sim)->rubbing[i];
    if (!sim->event || slides == r->sliding) return;
    const double ratio = r->load > 0.0 ? br_norm(r->n, r->force) / r->load : 0.0;
    br_event event = {.t = sim->state.at->t,
                      .kind = slides ? BR_EVENT_SLIP : BR_EVENT_STICK,
                      .value = slides ? ratio : r->load};
    snprintf(event.name, sizeof event.name, "%s", sim->frictions->rub[i].name);
    sim->event(sim->event_context, &event);
}

static void keep_in_ledger(br_sim *sim, int i, double largest) {
    const br_rubbing *r = &step_of(sim)->rubbing[i];
    br_ledger *l = sim->ledger;
    const double bound = r->mu * r->load;
    const double walked = br_sticks_rub(sim, i);
    if (!isnan(walked)) l->creep = fmax(l->creep, walked / sim->h);
    if (r->set_valued && r->load > BR_EPS_LOADED * largest)
        l->cone_violation = fmax(l->cone_violation, br_norm(r->n, r->force) / bound - 1.0);
}

// A closed loop stops in one step: some of its rubs stick, and the one left at its bound still moves, by what their bristles give. It
// does not slide, as it could only with them.
static int stops_with_others(const br_sim *sim, int i) {
    const br_rubbing *r = &step_of(sim)->rubbing[i];
    double sum = 0.0;
    if (!r->set_valued || !r->sliding || r->mode != BR_RUB_SLIDES || !(r->mu * r->normal > 0.0)) return 0;
    if (!(br_norm(r->n, r->velocity) < BR_STOPPED * br_norm(r->n, r->start))) return 0;
    for (int j = 0; j < sim->frictions->count; j++) {
        const br_rubbing *other = &step_of(sim)->rubbing[j];
        double change[BR_MAX_SLIDING];
        if (j == i || !other->set_valued || other->mode != BR_RUB_STICKS || !(other->softness > 0.0))
            continue;
        for (int d = 0; d < other->n; d++)
            change[d] = other->force[d] - remembered(&sim->frictions->now[j], d);
        sum += other->rigid * br_norm(other->n, change) * sqrt(r->softness / other->softness);
    }
    return br_norm(r->n, r->velocity) <= BR_BENT_TOGETHER * sim->h * sum;
}

void br_friction_keep(br_sim *sim) {
    br_frictions *f = sim->frictions;
    double largest = 0.0;
    for (int i = 0; i < f->count; i++) {
        largest = fmax(largest, f->step->rubbing[i].load);
        f->step->rubbing[i].mode = (int)mode_for_good(sim, i, &f->step->rubbing[i].moved);
    }
    for (int i = 0; i < f->count; i++)
        if (stops_with_others(sim, i)) f->step->rubbing[i].mode = BR_RUB_AT_LIMIT;
    for (int i = 0; i < f->count; i++) {
        const br_rubbing *r = &f->step->rubbing[i];
        br_rub_state *now = &f->now[i], next = {.normal = r->load, .known = BR_RUB_STEPPED};
        const br_rub_mode mode = (br_rub_mode)r->mode;
        const double speed = br_norm(r->n, r->velocity), force = br_norm(r->n, r->force);
        keep_in_ledger(sim, i, largest);
        if (r->set_valued) tell(sim, i, mode == BR_RUB_SLIDES);
        next.mode = mode;
        for (int d = 0; d < r->n; d++) {
            next.force[d] = r->force[d];
            next.z[d] = r->set_valued ? 0.0 : r->z[d];
            next.ahead[d] = mode == BR_RUB_STICKS                    ? 0.0
                            : mode != BR_RUB_AT_LIMIT && speed > 0.0 ? r->velocity[d] / speed
                            : force > 0.0                            ? -r->force[d] / force
                                                                     : 0.0;
        }
        if (mode == BR_RUB_AT_LIMIT) next.z[0] = r->moved;
        *now = next;
    }
}

// Newton's restitution asks for a speed, whatever force it takes. A guide that locks itself takes all of that force, so there may be none:
// then nothing is asked to rebound or to come out in this step.
static br_status pass_jammed(br_sim *sim, br_system *system, int *worst, double *off, br_error *error) {
    for (int i = 0; i < sim->frictions->count; i++) br_rubbing_begin(sim, i);
    choose_compliances(sim);
    br_status status = br_contacts_find(sim, sim->h, 0.0, error);
    if (status != BR_OK) return status;
    sim->contacts->jammed = 1;
    status = br_friction_pass(sim, system, worst, off, error);
    sim->contacts->jammed = 0;
    return status;
}

br_status br_friction_solve(br_sim *sim, br_system *system, br_error *error) {
    br_rubbings *s = step_of(sim);
    double off = 0.0;
    int worst = 0;
    br_frictions_look(sim);
    for (int i = 0; i < sim->frictions->count; i++) br_rubbing_begin(sim, i);
    choose_compliances(sim);
    const int fixed_point = sim->model->settings.solver.friction_fixed_point;
    const int dense = s->problem && !sim->touching && !fixed_point;
    br_status status = dense         ? br_friction_respond(sim, &worst, &off, error)
                       : fixed_point ? br_friction_fixed_point(sim, system, &off, error)
                                     : br_friction_pass(sim, system, &worst, &off, error);
    if (sim->touching && !fixed_point &&
        (status == BR_OK ? !(off <= BR_EPS_SETTLED) : status == BR_NUMERICAL) &&
        br_contacts_ask_to_open(sim)) {
        status = pass_jammed(sim, system, &worst, &off, error);
        if (status == BR_OK && off <= BR_EPS_SETTLED)
            br_sim_note_order(sim, 1, "a joint that locks left no rebound, and none was asked for");
    }
    if (status != BR_OK) return status;
    if (!(off <= BR_EPS_SETTLED)) return unsettled(sim, off, worst, error);
    if (dense) sim->bounds_active = br_sim_others_at_bounds(sim);
    s->changed = mode_changed(sim);
    sim->bounds_active |= s->changed;
    return br_sim_check_finite(sim, error);
}
