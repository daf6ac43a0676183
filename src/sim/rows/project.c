// Closing loops: position and velocity projection in the metric of the mass matrix, and the assembly of a model.
//
//     position:  W lambda = -phi,      q <- q + M^-1 J^T lambda
//     velocity:  W lambda = u - J v,   v <- v + M^-1 J^T lambda
//
// Within a step the factor of the step's own W serves (a chord iteration: its error falls by a factor of order h each
// time); when that is not enough, and in assembly, W is made anew at each iterate.
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/finite.h"
#include "sim/core/sim.h"
#include "sim/rows/accelerate.h"

#define BR_EPS_NO_VELOCITY 1e-12 // m/s or rad/s: rounding of a mechanism at rest
#define BR_EPS_CONTRADICTION                                                                                 \
    1e-7                // of the velocity scale: more left over, and the velocities contradict each other
#define BR_GROWTH 100.0 // of relative contradictions, from lengths to velocities
#define BR_MIN_NEWTON_STEP 1e-3 // fraction of a Newton step below which it does not help
#define BR_EPS_POSITION                                                                                      \
    (24.0 * DBL_EPSILON)      // of the mechanism's extent: a loop this well closed is closed to rounding
#define BR_EPS_VELOCITY 1e-12 // of the velocity scale
#define BR_MAX_CHORD 4
#define BR_MAX_NEWTON 60
#define BR_EPS_OFF_BRANCH 1e-8 // of the length scale: rows that agree are open by 1e-12 and less
#define BR_EPS_WEAK_PIVOT                                                                                    \
    1e-5 // below, a singular position is near; rows left out are held no better than those that stay
#define BR_EPS_OTHER_BRANCH                                                                                  \
    1e-11 // same as BR_EPS_OFF_BRANCH, there: another branch opens with the square of the way along it
#define BR_DAMPED_OPEN 10.0 // rows left out are open by so much more than damped ones that stay
#define BR_MAX_LISTED_OPEN 4
#define BR_EPS_ASSEMBLED                                                                                     \
    1e-10                    // of the length scale: what iterations that stopped improving must have reached
#define BR_MAX_WAY 0.1       // rad, or lengths of a link: longer steps may close a loop the other way round
#define BR_EPS_FEWER 1e-4    // of the loops' error, that such a step takes away at least
#define BR_MAX_WALK 500      // of such steps: several turns
#define BR_IMMOVABLE 1e30    // kg or kg m^2: a joint with this much more does not move in the last digit
#define BR_EPS_SINGULAR 1e-5 // same, at a singular position: the loops close again once it is passed

double br_loop_error(const br_sim *sim) {
    double largest = 0.0;
    for (int g = 0; g < sim->exact.groups; g++) {
        const br_group *group = sim->exact.group[g];
        for (int r = 0; group->has_position && r < group->rows; r++)
            largest = fmax(largest, fabs(group->phi[r]));
    }
    return largest;
}

// Same, of the rows that are not left out of the last factor; or the root of the sum of squares, where some are damped:
// rows that cannot all be closed share what is left, and the largest may grow meanwhile.
static double kept_error(const br_sim *sim) {
    const br_system *s = &sim->exact;
    double largest = 0.0, sum = 0.0;
    for (int g = 0; g < s->groups; g++)
        for (int r = 0; s->group[g]->has_position && r < s->group[g]->rows; r++) {
            const double phi = s->idle[s->first[g] + r] ? 0.0 : s->group[g]->phi[r];
            largest = fmax(largest, fabs(phi)), sum += phi * phi;
        }
    return s->damped && largest > 0.0 ? largest * sqrt(sum / largest / largest) : largest;
}

static const br_group *worst_group(const br_sim *sim) {
    const br_group *worst = sim->exact.groups > 0 ? sim->exact.group[0] : NULL;
    double largest = -1.0;
    for (int g = 0; g < sim->exact.groups; g++) {
        const br_group *group = sim->exact.group[g];
        for (int r = 0; group->has_position && r < group->rows; r++)
            if (fabs(group->phi[r]) > largest) largest = fabs(group->phi[r]), worst = group;
    }
    return worst;
}

void br_sim_fill(br_sim *sim, br_system *s) {
    for (int g = 0; g < s->groups; g++) s->group[g]->kind->fill(sim, s->group[g]);
}

// Positions of q into work, and the exact rows there.
static void look(br_sim *sim, const double *q) {
    br_tree_position(&sim->model->tree, q, &sim->work);
    sim->at = q == sim->state.q ? 1 : 0;
    sim->q_eval = q, sim->v_eval = sim->state.v;
    br_sim_variables(sim); // rows may have coefficients that are functions of positions
    br_sim_fill(sim, &sim->exact);
}

// Of a change of the coordinates: rad, or lengths of a link.
static double longest_way(const br_sim *sim, const double *eta) {
    const br_tree *tree = &sim->model->tree;
    double longest = 0.0;
    for (int i = 0; i < tree->links; i++)
        for (int k = 0; k < tree->link[i].kind->nv; k++) {
            const br_joint_type type = sim->model->joint[sim->model->link_joint[i]].type;
            const int slides = k < br_joint_type_plain(type) && br_joint_type_coordinates(type)[k] == 'L';
            longest = fmax(longest, fabs(eta[tree->link[i].v_at + k]) / (slides ? sim->length_scale : 1.0));
        }
    return longest;
}

// Moves q by `factor` of a Newton step, and by no more than `most` rad or lengths of a link.
static void project_move(br_sim *sim, double *q, double factor, double most) {
    br_system *s = &sim->exact;
    for (int g = 0; g < s->groups; g++)
        for (int r = 0; r < s->group[g]->rows; r++)
            s->rhs[s->first[g] + r] = s->group[g]->has_position ? -factor * s->group[g]->phi[r] : 0.0;
    br_system_solve_once(sim, s, s->rhs, s->force, sim->eta);
    br_tree_respond(&sim->model->tree, &sim->work, sim->eta, sim->eta, sim->V);
    const double way = most < INFINITY ? longest_way(sim, sim->eta) : 0.0;
    br_tree_advance(&sim->model->tree, q, sim->eta, way > most ? most / way : 1.0, q);
}

static br_status renew_with(br_sim *sim, const double *armature, br_error *error) {
    int bad = 0;
    if (br_tree_articulate(&sim->model->tree, armature, &sim->work, &bad) != BR_OK)
        return br_sim_no_inertia(sim, bad, error);
    if (sim->exact.groups > 0 && br_system_factor(sim, &sim->exact) != BR_OK)
        return br_fail(error, BR_NUMERICAL, "rows-singular",
                       "t = %.9g s: the constraint rows could not be factored", sim->t_eval);
    return BR_OK;
}

// New factors at the present positions, without implicit terms.
br_status br_project_renew(br_sim *sim, br_error *error) {
    return renew_with(sim, sim->model->tree.armature, error);
}

// "'a' by 1e-3, 'b' by 5e-4": the widest open first, down to a tenth of it.
static void list_open(const br_sim *sim, char *text, size_t size) {
    const br_system *s = &sim->exact;
    double below = INFINITY, widest = br_loop_error(sim);
    size_t used = 0;
    text[0] = '\0';
    for (int count = 0; count < BR_MAX_LISTED_OPEN; count++) {
        const br_group *next = NULL;
        double open = 0.0;
        for (int g = 0; g < s->groups; g++) {
            double here = 0.0;
            for (int r = 0; s->group[g]->has_position && r < s->group[g]->rows; r++)
                here = fmax(here, fabs(s->group[g]->phi[r]));
            if (here > open && here < below) open = here, next = s->group[g];
        }
        if (!next || !(open >= 0.1 * widest) || used + BR_MAX_NAME + 32 > size) return;
        used += (size_t)snprintf(text + used, size - used, "%s'%s' by %.3g", count ? ", " : "",
                                 br_group_name(sim, next), open);
        below = open;
    }
}

static br_status cannot_close(const br_sim *sim, br_error *error) {
    char open[BR_MAX_LISTED_OPEN * (BR_MAX_NAME + 32)];
    list_open(sim, open, sizeof open);
    return br_fail(
        error, BR_NUMERICAL, "loop-open",
        "t = %.9g s: the loops cannot be closed: %s (m or rad) stays open. Do its bodies reach each "
        "other, do lengths that must be equal agree, and do the drives allow it?",
        sim->state.at->t, open);
}

static int closed(const br_sim *sim, double error_now) {
    const int passing =
        sim->exact.damped && !sim->exact.sharp && !(sim->redundant && !sim->exact.usually_idle);
    const double singular = sim->branch.rank > 0 ? BR_EPS_SINGULAR : BR_EPS_MADE_OF_DIGITS;
    return error_now <= (passing ? singular : BR_EPS_ASSEMBLED) * sim->length_scale;
}

// Where rows agree along the branch, those that were left out close with the others; if they do not, the ones that stay were closed
// on a branch of their own, which meets the mechanism's in a singular position.
static br_status left_the_branch(const br_sim *sim, const char *open, br_error *error) {
    return br_fail(error, BR_NUMERICAL, "position-singular",
                   "t = %.9g s: at or near a singular position the mechanism cannot be followed: %s (m or "
                   "rad) stays open, "
                   "although its joints agree. A smaller solver.step, or solver.stepper: reference may help",
                   sim->state.at->t, open);
}

// Rows that were left out, because they depend on the others, must close with them.
static br_status check_left_out(const br_sim *sim, br_error *error) {
    const int agree = sim->branch.positions > 0 && !(sim->branch.contradiction > 0.0);
    if (!sim->exact.usually_idle) return BR_OK;
    const int near = br_block_least_pivot(sim->exact.factor) < BR_EPS_WEAK_PIVOT && !sim->exact.damped;
    const double closed = near ? BR_EPS_OTHER_BRANCH : BR_EPS_OFF_BRANCH;
    const double limit = fmax((agree ? closed : BR_EPS_MADE_OF_DIGITS) * sim->length_scale,
                              sim->exact.damped || near ? BR_DAMPED_OPEN * kept_error(sim) : 0.0);
    if (br_loop_error(sim) <= limit) return BR_OK;
    char open[BR_MAX_LISTED_OPEN * (BR_MAX_NAME + 32)];
    list_open(sim, open, sizeof open);
    int driven = 0;
    for (int g = 0; g < sim->exact.groups; g++) driven |= sim->exact.group[g]->kind->target != NULL;
    if (agree && !driven) return left_the_branch(sim, open, error);
    return br_fail(error, BR_NUMERICAL, "loops-contradict",
                   "t = %.9g s: redundant joints or drives contradict each other: with the others closed, %s "
                   "(m or rad) stays "
                   "open, more than the %.3g that is allowed. Do lengths that must be equal agree?",
                   sim->state.at->t, open, limit);
}

// Newton with a step length: loops far from closed overshoot otherwise.
static br_status newton(br_sim *sim, const double *armature, double *q, int *iterations, br_error *error) {
    const int nq = sim->model->tree.nq;
    const double target = BR_EPS_POSITION * sim->extent;
    const double most = armature == sim->model->tree.armature ? INFINITY : BR_MAX_WAY;
    double before = kept_error(sim), factor = 1.0;
    for (int k = 0; k < (most < INFINITY ? BR_MAX_WALK : BR_MAX_NEWTON); k++) {
        if (before <= target) return check_left_out(sim, error);
        br_status status = renew_with(sim, armature, error);
        if (status != BR_OK) return status;
        before = kept_error(sim);
        memcpy(sim->q_try, q, (size_t)nq * sizeof(double));
        double now = INFINITY;
        for (factor = 1.0; factor > BR_MIN_NEWTON_STEP; factor *= 0.5) {
            project_move(sim, q, factor, most);
            if (br_all_finite(nq, q)) {
                look(sim, q);
                now = kept_error(sim);
                if (now < (1.0 - (most < INFINITY ? BR_EPS_FEWER : 0.1) * factor) * before) break;
            }
            memcpy(q, sim->q_try, (size_t)nq * sizeof(double));
            look(sim, q); // the rows again; their sweeps were not touched
        }
        (*iterations)++;
        if (!(now < before)) break;
        before = now;
    }
    return closed(sim, before) ? check_left_out(sim, error) : cannot_close(sim, error);
}

br_status br_project_position(br_sim *sim, double *q, int renewed, br_error *error) {
    const int nq = sim->model->tree.nq;
    look(sim, q);
    if (sim->exact.groups == 0) return BR_OK;
    if (renewed) {
        const br_status status = br_project_renew(sim, error);
        if (status != BR_OK) return status;
        // Still at the singular position: the loops are closed once it is passed.
        if (sim->passing && sim->exact.damped && closed(sim, kept_error(sim))) return BR_OK;
    }
    const double target = BR_EPS_POSITION * sim->extent;
    double now = kept_error(sim), last = INFINITY;
    for (int k = 0; k < BR_MAX_CHORD && now > target; k++) {
        if (!(now < 0.3 * last) || !isfinite(now)) break;
        last = now;
        project_move(sim, q, 1.0, INFINITY);
        if (!br_all_finite(nq, q)) break;
        look(sim, q);
        now = kept_error(sim);
        sim->ledger->iterations++;
    }
    if (closed(sim, now)) return check_left_out(sim, error);
    if (!br_all_finite(nq, q)) return cannot_close(sim, error);
    int iterations = 0;
    const br_status status = newton(sim, sim->model->tree.armature, q, &iterations, error);
    sim->ledger->iterations += iterations;
    return status;
}

// u - J v into rhs, v being the velocities whose twists are in work; the largest, and the largest speed for scale. Rows that
// are left out count by themselves, and only where something prescribes velocities: those of joints alone contradict each other in
// positions if at all.
static double velocity_error(br_sim *sim, const double *v, double *scale, double *left_out) {
    br_system *s = &sim->exact;
    double largest = 0.0, ignored = 0.0;
    int driven = 0;
    for (int g = 0; g < s->groups; g++) driven |= s->group[g]->kind->target != NULL;
    *scale = *left_out = 0.0;
    for (int i = 0; i < sim->model->tree.links; i++)
        *scale = fmax(*scale, fmax(br_vec3_max_abs(sim->work.motion[i].V.linear),
                                   sim->length_scale * br_vec3_max_abs(sim->work.motion[i].V.angular)));
    for (int g = 0; g < s->groups; g++) {
        br_group *group = s->group[g];
        for (int r = 0; r < group->rows; r++) {
            const double sum = br_group_rate(sim, group, r, v);
            double *of = !s->idle[s->first[g] + r] ? &largest : driven ? left_out : &ignored;
            s->rhs[s->first[g] + r] = group->u[r] - sum;
            *of = fmax(*of, fabs(group->u[r] - sum));
            *scale = fmax(*scale, fabs(group->u[r]));
        }
    }
    return largest;
}

double br_loop_velocity_error(br_sim *sim) {
    double scale, left_out, kept;
    if (sim->exact.groups == 0) return 0.0;
    kept = velocity_error(sim, sim->state.v, &scale, &left_out);
    return fmax(kept, left_out);
}

// u of the rows at the positions and velocities in work.
static void targets(br_sim *sim) {
    br_sim_variables(sim);
    for (int g = 0; g < sim->exact.groups; g++)
        if (sim->exact.group[g]->kind->target) sim->exact.group[g]->kind->target(sim, sim->exact.group[g]);
}

// Velocities that no motion of the mechanism has: contradictory drives. Rows that were left out may disagree by as much as lengths
// do, which makes more of the velocity.
static br_status check_velocities(const br_sim *sim, double kept, double left_out, double scale,
                                  br_error *error) {
    const double limit = fmax(BR_EPS_CONTRADICTION * scale, BR_EPS_NO_VELOCITY);
    const double open = br_loop_error(sim) / sim->length_scale;
    const double left = left_out > limit + BR_GROWTH * open * scale ? fmax(kept, left_out) : kept;
    if (left <= limit) return BR_OK;
    return br_fail(
        error, BR_NUMERICAL, "velocities-contradict",
        "t = %.9g s: drives and loops ask for velocities that contradict each other: %.3g (m/s or rad/s) is "
        "left over",
        sim->state.at->t, left);
}

br_status br_project_velocity(br_sim *sim, br_error *error) {
    const br_tree *tree = &sim->model->tree;
    br_sim_refresh(sim, 2);
    if (sim->exact.groups == 0) return BR_OK;
    sim->q_eval = sim->state.q, sim->v_eval = sim->state.v;
    targets(sim);
    double scale, left_out, now = velocity_error(sim, sim->state.v, &scale, &left_out), last = INFINITY;
    int renewed = 0;
    for (int k = 0; k < 3 * BR_MAX_CHORD && now > BR_EPS_VELOCITY * scale; k++) {
        if (!(now < 0.3 * last)) {
            if (renewed || sim->exact.damped)
                break; // dependent rows that cannot all be met to the last digit
            const br_status status = br_project_renew(sim, error);
            if (status != BR_OK) return status;
            renewed = 1, last = INFINITY;
        } else {
            last = now;
        }
        br_system_solve_once(sim, &sim->exact, sim->exact.rhs, sim->exact.force, sim->eta);
        br_tree_respond(tree, &sim->work, sim->eta, sim->eta, sim->V);
        for (int i = 0; i < tree->nv; i++) sim->state.v[i] += sim->eta[i];
        sim->at = 1;
        br_sim_refresh(sim, 2);
        now = velocity_error(sim, sim->state.v, &scale, &left_out);
    }
    sim->velocity_left = fmax(now, left_out);
    if (!br_all_finite(tree->nv, sim->state.v))
        return br_fail(error, BR_NUMERICAL, "not-finite", "t = %.9g s: a velocity is not a finite number",
                       sim->state.at->t);
    // At a singular position velocities need not agree at once; dependent rows agree, or contradict each other for good.
    return sim->redundant && !sim->exact.damped ? check_velocities(sim, now, left_out, scale, error) : BR_OK;
}

// One correction of the velocities v, whose twists and rows are in work: for dependent rows, which contradict each other
// unless v agrees with all of them.
void br_correct_velocity(br_sim *sim, double *v) {
    double scale, left_out;
    targets(sim);
    velocity_error(sim, v, &scale, &left_out);
    br_system_solve_once(sim, &sim->exact, sim->exact.rhs, sim->exact.force, sim->eta);
    br_tree_respond(&sim->model->tree, &sim->work, sim->eta, sim->eta, sim->V);
    for (int i = 0; i < sim->model->tree.nv; i++) v[i] += sim->eta[i];
}

// Positions that the model gives are held: their joints get an inertia that nothing moves. Returns how many are; sim->armature is theirs.
static int hold_given(br_sim *sim) {
    const br_model *m = sim->model;
    int held = 0;
    memcpy(sim->armature, m->tree.armature, (size_t)m->tree.nv * sizeof(double));
    for (int i = 0; i < m->tree.links; i++) {
        const br_link *link = &m->tree.link[i];
        if (!m->joint[m->link_joint[i]].position_given) continue;
        for (int k = 0; k < link->kind->nv; k++) sim->armature[link->v_at + k] = BR_IMMOVABLE;
        held += link->kind->nv;
    }
    return held;
}

// How far the given coordinates are from q, rad or lengths of a link; INFINITY where orientations are given, which are not walked.
static double way_to_given(const br_sim *sim, const double *q) {
    const br_model *m = sim->model;
    double longest = 0.0;
    for (int i = 0; i < m->tree.links; i++) {
        const br_link *link = &m->tree.link[i];
        const br_model_joint *joint = &m->joint[m->link_joint[i]];
        const int plain = br_joint_type_plain(joint->type);
        if (!joint->position_given) continue;
        if (link->kind->nq > plain) return INFINITY;
        for (int k = 0; k < plain; k++)
            longest = fmax(longest,
                           fabs(m->q_start[link->q_at + k] - q[link->q_at + k]) /
                               (br_joint_type_coordinates(joint->type)[k] == 'L' ? sim->length_scale : 1.0));
    }
    return longest;
}

// The given coordinates a fraction of the way from `from` to what is given.
static void place_given(br_sim *sim, const double *from, double fraction) {
    const br_model *m = sim->model;
    for (int i = 0; i < m->tree.links; i++) {
        const br_link *link = &m->tree.link[i];
        if (!m->joint[m->link_joint[i]].position_given) continue;
        for (int k = link->q_at; k < link->q_at + link->kind->nq; k++)
            sim->state.q[k] = fraction < 1.0 ? from[k] + (m->q_start[k] - from[k]) * fraction : m->q_start[k];
    }
    look(sim, sim->state.q);
}

static int close_with(br_sim *sim, const double *armature) {
    br_error ignored;
    const br_status status = newton(sim, armature, sim->state.q, &sim->assembly.iterations, &ignored);
    return status == BR_OK && closed(sim, br_loop_error(sim));
}

// From where the bodies stand, the loops closed there, to what is given, in small steps: that way no loop turns inside out.
static int walk_from_bodies(br_sim *sim) {
    const br_model *m = sim->model;
    memcpy(sim->state.q, m->q_bodies, (size_t)m->tree.nq * sizeof(double));
    look(sim, sim->state.q);
    if (!close_with(sim, m->tree.armature)) return 0;
    memcpy(sim->q_mid, sim->state.q, (size_t)m->tree.nq * sizeof(double));
    const double way = way_to_given(sim, sim->q_mid);
    if (!(way < BR_MAX_WAY * BR_MAX_WALK)) return 0;
    const int steps = (int)ceil(way / BR_MAX_WAY);
    for (int s = 1; s <= steps; s++) {
        place_given(sim, sim->q_mid, (double)s / steps);
        if (!close_with(sim, sim->armature)) return 0;
    }
    return 1;
}

// Closed by moving what nobody gave. Where that cannot be, everything is as it was: the given positions contradict the loops or a drive.
static int close_around_given(br_sim *sim) {
    const size_t bytes = (size_t)sim->model->tree.nq * sizeof(double);
    if (memcmp(sim->state.q, sim->model->q_start, bytes) != 0 || hold_given(sim) == 0) return 0;
    if (walk_from_bodies(sim)) return 1;
    memcpy(sim->state.q, sim->model->q_start, bytes);
    look(sim, sim->state.q);
    if (close_with(sim, sim->armature)) return 1;
    memcpy(sim->state.q, sim->model->q_start, bytes);
    look(sim, sim->state.q);
    return 0;
}

br_status br_assemble_positions(br_sim *sim, br_error *error) {
    br_assembly *a = &sim->assembly;
    sim->t_eval = sim->state.at->t, sim->h = 0.0, sim->theta = 1.0;
    look(sim, sim->state.q);
    if (sim->exact.groups == 0) return BR_OK;
    const double before = br_loop_error(sim);
    const br_group *worst = worst_group(sim);
    if (worst && !a->worst[0]) snprintf(a->worst, sizeof a->worst, "%s", br_group_name(sim, worst));
    a->loop_error_before = fmax(a->loop_error_before, before);
    const int open = before > BR_EPS_ASSEMBLED * sim->length_scale;
    br_status status = BR_OK;
    if (!open || !close_around_given(sim))
        status = newton(sim, sim->model->tree.armature, sim->state.q, &a->iterations, error);
    if (status == BR_OK) status = br_project_renew(sim, error);
    if (status != BR_OK) return status;
    a->loop_error = br_loop_error(sim);
    a->moved |= open;
    br_sim_measure_loops(sim, sim->state.loop_q, sim->state.loop_q);
    return BR_OK;
}

br_status br_assemble_velocities(br_sim *sim, br_error *error) {
    br_assembly *a = &sim->assembly;
    double scale, left_out, kept;
    br_sim_refresh(sim, 2);
    if (sim->exact.groups == 0) return BR_OK;
    sim->q_eval = sim->state.q, sim->v_eval = sim->state.v;
    targets(sim);
    kept = velocity_error(sim, sim->state.v, &scale, &left_out);
    a->velocity_error_before = fmax(kept, left_out);
    a->velocities_changed = a->velocity_error_before > BR_EPS_ASSEMBLED * scale;
    const br_status status = br_project_velocity(sim, error);
    if (status != BR_OK) return status;
    kept = velocity_error(sim, sim->state.v, &scale, &left_out);
    return check_velocities(sim, kept, left_out, scale, error);
}

br_status br_sim_assemble(br_sim *sim, br_error *error) {
    memset(&sim->assembly, 0, sizeof sim->assembly);
    const br_status status = br_assemble_positions(sim, error);
    return status == BR_OK ? br_assemble_velocities(sim, error) : status;
}
