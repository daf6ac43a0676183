// One step's contacts, loops, limits, drives and springs solved together [Peiret2016 eqs. 21-31].
//
//     M v_theta = M v + theta h (f - c) + J^T p',     v_theta = v + theta h vdot,   p' = theta h (forces)
//     w = J v_theta + C p' + b,    each block by its law
//
// For theta 1 this is eq. 30 with v_theta = v_next. Rows of other groups come as J A + C f = gamma: with r = gamma - J A of the
// free motion, b = -J v_free - theta h r.
//
// Lagged bounds and coefficients (f_n_bound: of b_mu, eq. 20, of viscous, rolling and torsional friction; of all bounds where
// the model says lagged) start from the last step's normal forces, those of new contacts from a solve without friction.
// `iterated(k)` repeats k times; otherwise passes go on until nothing that matters moves any more.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "math/elementary.h"
#include "sim/contact/play.h"
#include "sim/contact/problem.h"
#include "sim/contact/stabilize.h"
#include "tree/spatial.h"

#define BR_EPS_LAG 1e-7  // relative change of what is lagged at which passes end
#define BR_MAX_PASSES 12 // of bounds implicit
#define BR_SETTLES 0.5   // of the lag before: passes that leave more go to and fro between two answers
#define BR_HALF_WAY 0.5
#define BR_INSIDE 0.999        // of a bound: what is below does not feel it
#define BR_EPS_SAME_FORCE 1e-9 // relative change of the forces that is only rounding
#define BR_MAX_RESTORING 30    // passes of an impact's second phase
#define BR_MAX_CORRECTION 4.0  // of a rebound by one of them

typedef struct br_contact_problem problem;

// --- values ------------------------------------------------------------------------------------------------

// Rows 1 and 2 of a contact, or both of its own tangential block, turned into the law's basis.
static void turn_rows(problem *P, int law, const double *turn, int first) {
    const double c = turn[0], s = turn[1];
    if (s == 0.0 && c == 1.0) return;
    for (int b = P->jacobian_start[law]; b < P->jacobian_start[law + 1]; b++) {
        const int nv = P->node_dim[P->jacobian_node[b]];
        double *x = P->jacobian + P->jacobian_at[b] + first * nv, *y = x + nv;
        for (int k = 0; k < nv; k++) {
            const double was = x[k];
            x[k] = c * was + s * y[k];
            y[k] = c * y[k] - s * was;
        }
    }
}

// Diagonal of J M^-1 J^T of a row, as if M were diagonal.
static double softness(const problem *P, int law, int row) {
    double sum = 0.0;
    for (int b = P->jacobian_start[law]; b < P->jacobian_start[law + 1]; b++) {
        const int local = P->jacobian_node[b], nv = P->node_dim[local];
        const double *J = P->jacobian + P->jacobian_at[b] + row * nv, *M = P->mass_of[local];
        for (int k = 0; k < nv; k++) sum += J[k] * J[k] / M[k * (nv + 1)];
    }
    return sum;
}

// What rolling friction can stop within the step.
static double stoppable(const br_sim *sim, const problem *P, int l) {
    const br_touch *t = &sim->contacts->touch[P->block[l].index];
    const double rolling = sim->model->contact->pair[t->pair].rolling;
    return rolling * t->f_n * sim->theta * sim->h * softness(P, l, 0);
}

// Whether rolling friction holds the contact of law l, or stops it within the step. Its rows ask for the velocity at the step's end, and
// where those of the point itself asked for v_theta, bodies that cannot move would hand on what rounding there is from step to step.
static int is_kept_from_rolling(const br_sim *sim, const problem *P, int l) {
    for (int m = l + 1; m < P->laws && !br_block_is_group(P->block[m]); m++) {
        if (P->block[m].index != P->block[l].index) break;
        if (P->block[m].of != BR_BLOCK_ROLLING) continue;
        double about[BR_MAX_LAW_ROWS] = {0.0};
        br_contact_velocity(P, m, sim->v_start, about);
        return br_hypot(about[0], about[1]) <= stoppable(sim, P, m);
    }
    return 0;
}

// Rolling friction has no axes of its own: the bounded row is about the axis of rolling, across it the moment grows with the
// turning as it does in the kinetic phase of bristles [Peiret2016 eqs. 18-20]. What the moment can stop within the step, or
// holds, is about the last moment, or about the turning that the free motion would have.
static void begin_rolling(const br_sim *sim, problem *P, int l) {
    br_touch *t = &sim->contacts->touch[P->block[l].index];
    const double *turn = t->turn;
    const br_vec3 x = br_vec3_add_scaled(br_vec3_scale(turn[0], t->tangent[0]), -turn[1], t->tangent[1]);
    double about[2];
    br_contact_velocity(P, l, sim->v_start, about);
    t->turning = br_hypot(about[0], about[1]);
    if (t->turning <= stoppable(sim, P, l)) {
        t->turning = 0.0;
        about[0] = br_vec3_dot(t->moment, x), about[1] = br_vec3_dot(t->moment, br_vec3_cross(t->normal, x));
        if (!(br_hypot(about[0], about[1]) > 0.0)) br_contact_velocity(P, l, P->v_free, about);
    }
    const double length = br_hypot(about[0], about[1]);
    t->roll[0] = length > 0.0 ? about[0] / length : 1.0;
    t->roll[1] = length > 0.0 ? about[1] / length : 0.0;
    turn_rows(P, l, t->roll, 0);
}

static void begin_touches(br_sim *sim, problem *P) {
    for (int l = 0; l < P->laws; l++) {
        const br_contact_block block = P->block[l];
        if (block.of == BR_BLOCK_ROLLING && P->law[l].rows == 2) begin_rolling(sim, P, l);
        if (block.of != BR_BLOCK_CONTACT) continue;
        const int split = P->law[l].kind == BR_LAW_UNILATERAL;
        br_touch *t = &sim->contacts->touch[block.index];
        if (t->alone && is_kept_from_rolling(sim, P, l)) t->alone = 0;
        double free[3] = {t->approach, 0.0, 0.0};
        if (br_touch_needs_free(sim, t)) {
            br_contact_velocity(P, l, P->v_free, free);
            if (split) br_contact_velocity(P, l + 1, P->v_free, free + 1);
        }
        if (sim->model->contact->traits->bristles ||
            (sim->theta < 1.0 && t->was == BR_CONTACT_SLIPS && !br_touch_slides_far(sim, t)))
            t->softness = softness(P, split ? l + 1 : l, split ? 0 : 1);
        if (sim->contacts->normal_law[t->pair].kind != BR_NORMAL_RIGID)
            t->softness_normal = softness(P, l, 0);
        br_touch_begin(sim, t, free);
        if (sim->model->settings.planar == BR_SPATIAL)
            turn_rows(P, split ? l + 1 : l, t->turn, split ? 0 : 1);
    }
}

// Forces that contacts leave open (a box between two fingers, a foot that two stuck joints hold on the floor) are decided by compliances
// that are next to nothing, so the answer to almost the same bounds may be quite another one. Where joint friction needs them
// again and again, a larger compliance about the last answer draws them near to it: w + C (p - p_last). Once p is p_last it is gone.
static void draw_near(problem *P, int l, double near) {
    const int first = P->law[l].first_row;
    double C = 0.0;
    for (int r = 0; r < P->law[l].rows; r++) C = fmax(C, near * softness(P, l, r));
    for (int r = 0; r < P->law[l].rows; r++) {
        P->compliance[first + r] += C;
        P->offset[first + r] -= C * P->p_last[first + r];
    }
}

static double turning_bound(const br_sim *sim, const problem *P, int l, double f_n) {
    const br_pair_def *pair = &sim->model->contact->pair[sim->contacts->touch[P->block[l].index].pair];
    return (P->block[l].of == BR_BLOCK_ROLLING ? pair->rolling : pair->torsion) * f_n * sim->theta * sim->h;
}

static void fill_touch_law(const br_sim *sim, problem *P, int l, int frictionless) {
    const br_contact_block block = P->block[l];
    const br_touch *t = &sim->contacts->touch[block.index];
    br_law *law = &P->law[l];
    double *b = P->offset + law->first_row, *C = P->compliance + law->first_row;
    br_touch_rows rows;
    br_touch_rows_of(sim, t, &rows);
    const int first = block.of == BR_BLOCK_TANGENTS ? 1 : 0;
    double bound = rows.bound;
    if (br_block_turns(block)) {
        bound = turning_bound(sim, P, l, t->f_n_bound);
        double start[BR_MAX_LAW_ROWS] = {
            0.0}; // turning may stop: what is asked for is theta times that at the end
        if (sim->theta < 1.0) br_contact_velocity(P, l, sim->v_start, start);
        for (int r = 0; r < law->rows; r++) b[r] = -(1.0 - sim->theta) * start[r], C[r] = 0.0;
        if (law->rows == 2 && bound > 0.0) C[1] = sim->theta * t->turning / bound;
    } else {
        for (int r = 0; r < law->rows; r++) b[r] = rows.offset[first + r], C[r] = rows.compliance[first + r];
    }
    law->friction_coefficient = frictionless ? 0.0 : rows.mu;
    law->upper = frictionless ? 0.0 : bound;
    law->lower = -law->upper;
    if (frictionless && block.of == BR_BLOCK_CONTACT)
        for (int r = 1; r < law->rows; r++) b[r] = C[r] = 0.0;
}

static void fill_group_law(const br_sim *sim, problem *P, int l) {
    const br_group *g = &sim->group[P->block[l].index];
    const double share = sim->theta * sim->h;
    br_law *law = &P->law[l];
    double free[BR_MAX_LAW_ROWS];
    br_contact_velocity(P, l, P->v_free, free);
    for (int r = 0; r < g->rows; r++) {
        const double lacking = g->gamma[r] - br_group_acceleration(sim, g, r, sim->work.A, sim->vdot);
        P->offset[law->first_row + r] = -free[r] - share * lacking;
        P->compliance[law->first_row + r] = g->compliance[r];
    }
    law->upper = share * g->limit, law->lower = -law->upper;
}

static void add_softening(problem *P, const br_law *law) {
    for (int r = law->first_row; P->softened && r < law->first_row + law->rows; r++)
        P->compliance[r] += P->softened[r];
}

static void fill_laws(const br_sim *sim, problem *P, int frictionless, int groups) {
    for (int l = 0; l < P->laws; l++) {
        if (!br_block_is_group(P->block[l])) {
            fill_touch_law(sim, P, l, frictionless);
            add_softening(P, &P->law[l]);
        } else if (groups) {
            fill_group_law(sim, P, l);
        }
        if (P->near && !frictionless && (!br_block_is_group(P->block[l]) || groups))
            draw_near(P, l, sim->contacts->near);
    }
}

// The first axis that moments of rolling friction are about: `roll` from the surface's own, in planar models the plane's normal.
static br_vec3 rolling_axis(const br_sim *sim, const br_touch *t) {
    if (sim->model->settings.planar != BR_SPATIAL) return t->tangent[1];
    const double c = t->turn[0] * t->roll[0] + t->turn[1] * t->roll[1],
                 s = t->turn[0] * t->roll[1] - t->turn[1] * t->roll[0];
    return br_vec3_add_scaled(br_vec3_scale(c, t->tangent[0]), s, t->tangent[1]);
}

// Impulses of the last step, in this step's bases. 0: there is nothing to start from.
static int guess(const br_sim *sim, problem *P) {
    const double share = sim->theta * sim->h, *of_group = sim->contacts->group_guess;
    int known = 0, group = 0; // of_group belongs to it; groups come in their order
    for (int l = 0; l < P->laws; l++) {
        double *p = P->p + P->law[l].first_row;
        if (br_block_is_group(P->block[l])) {
            for (; group < P->block[l].index; group++) of_group += sim->group[group].rows;
            for (int r = 0; r < sim->group[group].rows; r++) p[r] = share * of_group[r];
            continue;
        }
        const br_touch *t = &sim->contacts->touch[P->block[l].index];
        const br_contact_block block = P->block[l];
        if (!br_block_turns(block)) {
            const double f[3] = {t->guess_n, br_vec3_dot(t->guess_t, t->tangent[0]),
                                 br_vec3_dot(t->guess_t, t->tangent[1])};
            for (int r = 0; r < P->law[l].rows; r++) p[r] = share * f[(block.of == BR_BLOCK_TANGENTS) + r];
        } else {
            const br_vec3 x = rolling_axis(sim, t);
            const double m[3] = {br_vec3_dot(t->moment, x),
                                 br_vec3_dot(t->moment, br_vec3_cross(t->normal, x)),
                                 br_vec3_dot(t->moment, t->normal)};
            for (int r = 0; r < P->law[l].rows; r++) p[r] = share * m[block.of == BR_BLOCK_TORSION ? 2 : r];
        }
        known |= t->age > 0;
    }
    return known;
}

// --- solving -----------------------------------------------------------------------------------------------

static br_status solve(br_sim *sim, problem *P, int warm, br_error *error) {
    br_solution solution = {.p = P->p, .w = P->w, .v = P->v, .warm = warm};
    br_solve_report report;
    br_contact_allow(sim, P);
    br_status status = br_solver_solve(P->solver, &P->problem, &solution, &report, error);
    if (status == BR_INVALID) return br_contact_not_finite(sim, P, error);
    if (status != BR_OK) return status;
    br_contact_cut(sim, P, &report);
    if (warm && !br_contact_usable(sim, P, &report)) {
        solution.warm = 0;
        sim->ledger->iterations += report.iterations;
        status = br_solver_solve(P->solver, &P->problem, &solution, &report, error);
        if (status != BR_OK) return status;
    }
    sim->ledger->iterations += report.iterations;
    sim->ledger->residual = fmax(sim->ledger->residual, report.residual);
    *sim->contacts->method = (int)report.solver;
    if (!br_contact_usable(sim, P, &report)) return br_contact_unsolved(sim, P, &report, error);
    for (int k = 0; k < P->rows; k++)
        P->w[k] -= P->compliance[k] * P->p[k] + P->offset[k]; // J v from here on
    return BR_OK;
}

// Velocities of the problem's nodes into tree velocities; v_free where a tree takes no part.
static void spread(const br_sim *sim, problem *P, double *v) {
    const double *from = P->v;
    memcpy(v, P->v_free, (size_t)sim->model->tree.nv * sizeof *v);
    for (int k = 0; k < P->locals; k++) {
        const br_contact_node *node = &P->node[P->local[k]];
        for (int c = 0; c < node->nv; c++) v[node->dof[c]] = *from++;
    }
}

// Forces (N) and velocities of a contact: of its block, or of its two blocks, which follow each other.
static void read_touch(const br_sim *sim, const problem *P, int l, double *f, double *w) {
    const double per = 1.0 / (sim->theta * sim->h);
    const int at = P->law[l].first_row, rows = sim->model->settings.planar != BR_SPATIAL ? 2 : 3;
    f[2] = w[2] = 0.0;
    for (int r = 0; r < rows; r++) f[r] = per * P->p[at + r], w[r] = P->w[at + r];
}

// Whether a contact's moments of rolling and torsion, whose laws follow its own, would be others with bounds of this normal force.
static int turns_feel(const br_sim *sim, const problem *P, int l, double f_n) {
    for (int m = l + 1; m < P->laws && P->block[m].index == P->block[l].index; m++) {
        if (br_block_is_group(P->block[m])) break;
        if (!br_block_turns(P->block[m])) continue;
        const double most =
            BR_INSIDE * fmin(P->law[m].upper, turning_bound(sim, P, m, f_n > 0.0 ? f_n : 0.0));
        for (int r = P->law[m].first_row; r < P->law[m].first_row + P->law[m].rows; r++)
            if (P->compliance[r] > 0.0 || !(fabs(P->p[r]) < most)) return 1;
    }
    return 0;
}

static double largest_lag(const br_sim *sim, const problem *P) {
    double lag = 0.0, f[3], w[3];
    if (!sim->contacts->lags) return 0.0;
    for (int l = 0; l < P->laws; l++) {
        if (P->block[l].of != BR_BLOCK_CONTACT) continue;
        read_touch(sim, P, l, f, w);
        const br_touch *t = &sim->contacts->touch[P->block[l].index];
        lag = fmax(lag, br_touch_lag(sim, t, f, w, turns_feel(sim, P, l, f[0])));
    }
    return lag;
}

// share: of the change that is taken, where passes go to and fro.
static void take_bounds(br_sim *sim, const problem *P, int only_new, double share) {
    double f[3], w[3];
    for (int l = 0; l < P->laws; l++) {
        if (P->block[l].of != BR_BLOCK_CONTACT) continue;
        br_touch *t = &sim->contacts->touch[P->block[l].index];
        if (only_new && t->f_n_bound > 0.0) continue;
        read_touch(sim, P, l, f, w);
        t->f_n_bound =
            share < 1.0 ? t->f_n_bound + share * (fmax(0.0, f[0]) - t->f_n_bound) : fmax(0.0, f[0]);
        t->normal_guess = br_touch_play(sim, t) ? br_play_normal(sim, t, w[0]) : w[0];
        if (br_play_rubs(sim, t)) br_play_guess(sim, t, w);
    }
}

// Lagged quantities of contacts without a normal force to lag: from a solve without friction.
static br_status first_bounds(br_sim *sim, problem *P, int warm, br_error *error) {
    const br_model_contact *contact = sim->model->contact;
    int needed = 0;
    for (int k = 0; sim->contacts->lags && k < sim->contacts->count; k++) {
        const br_touch *t = &sim->contacts->touch[k];
        const br_pair_def *pair = &contact->pair[t->pair];
        const int of_shapes = !br_touch_play(sim, t),
                  lags = br_touch_law_kind(sim, t) == BR_LAW_BOX || (of_shapes && contact->traits->creeps);
        needed |=
            !(t->f_n_bound > 0.0) && t->gap + sim->h * t->approach <= 0.0 &&
            (lags || (contact->traits->bristles && t->kinetic) || pair->rolling > 0.0 || pair->torsion > 0.0);
    }
    if (!needed) return BR_OK;
    fill_laws(sim, P, 1, 0);
    const br_status status = solve(sim, P, warm, error);
    if (status != BR_OK) return status;
    take_bounds(sim, P, 1, 1.0);
    fill_laws(sim, P, 0, 0);
    return BR_OK;
}

static int revise(br_sim *sim, const problem *P) {
    double f[3], w[3];
    int some = 0;
    for (int l = 0; l < P->laws; l++) {
        if (P->block[l].of != BR_BLOCK_CONTACT) continue;
        br_touch *t = &sim->contacts->touch[P->block[l].index];
        if (!br_touch_may_revise(sim, t)) continue;
        read_touch(sim, P, l, f, w);
        some |= br_touch_revise(sim, t, f, w);
    }
    return some;
}

// Passes of the lagged quantities; the laws are filled in for the first.
static br_status pass(br_sim *sim, problem *P, int warm, br_error *error) {
    const br_model_contact *contact = sim->model->contact;
    const int lagged = contact->bounds != BR_BOUNDS_IMPLICIT &&
                       !br_touch_play(sim, &sim->contacts->touch[0]) && // those of shapes come first
                       br_touch_law_kind(sim, &sim->contacts->touch[0]) == BR_LAW_BOX;
    const int most = !lagged ? BR_MAX_PASSES : contact->bounds == BR_BOUNDS_ITERATED ? contact->passes : 1;
    double before = INFINITY;
    int turns = 0;
    for (int l = 0; l < P->laws; l++) turns |= br_block_turns(P->block[l]);
    for (int k = 1, again = 0; k <= most; k++, again = 1) {
        if (again) fill_laws(sim, P, 0, 0);
        const br_status status = solve(sim, P, warm || again, error);
        if (status != BR_OK) return status;
        if (revise(sim, P)) {
            k = 0; // a contact is revised twice at most
            continue;
        }
        const double lag = k < most ? largest_lag(sim, P) : 0.0;
        if (lag <= BR_EPS_LAG) break;
        const int circles = turns && !lagged && lag > BR_SETTLES * before;
        take_bounds(sim, P, 0, circles ? BR_HALF_WAY : 1.0);
        before = lag;
    }
    return BR_OK;
}

// --- Poisson's restitution ---------------------------------------------------------------------------------

// A second phase with friction of its own gives back e times the compression's normal impulse, or more where that would
// drive bodies together. Its laws ask for normal velocities, so those are sought that take it: e times the approach, times a
// factor for each pair of shapes. (The points of a pair share an impulse as they like; only their sum has a meaning.) The
// impulse grows about in proportion, so the ratio is the next correction.
static int restores(const br_sim *sim, const problem *P, int l) {
    if (P->block[l].of != BR_BLOCK_CONTACT || sim->contacts->jammed) return 0;
    const br_touch *t = &sim->contacts->touch[P->block[l].index];
    return sim->model->contact->pair[t->pair].restitution_poisson && t->impact;
}

static int begin_restoring(br_sim *sim, problem *P) {
    int needed = 0;
    for (int l = 0; l < P->laws; l++) {
        if (!restores(sim, P, l)) continue;
        br_touch *t = &sim->contacts->touch[P->block[l].index];
        t->returned = sim->model->contact->pair[t->pair].restitution * fmax(0.0, P->p[P->law[l].first_row]);
        t->rebound = -sim->model->contact->pair[t->pair].restitution * t->approach;
        needed |= t->returned > 0.0;
    }
    if (!needed) return 0;
    memcpy(P->p_first, P->p, (size_t)P->rows * sizeof *P->p);
    for (int l = 0; l < P->laws; l++) br_contact_add_impulse(P, l, P->p_first + P->law[l].first_row);
    return 1;
}

// Blocks [first, end) are of one pair of shapes.
static int end_of_pair(const br_sim *sim, const problem *P, int first) {
    const br_touch *touch = sim->contacts->touch;
    int l = first;
    for (; l < P->laws && !br_block_is_group(P->block[l]); l++) {
        const br_touch *a = &touch[P->block[first].index], *b = &touch[P->block[l].index];
        if (a->shape_a != b->shape_a || a->shape_b != b->shape_b) break;
    }
    return l > first ? l : first + 1;
}

// Next velocities to ask for; how far, relative, the impulses are from those that come back.
static double correct_rebounds(br_sim *sim, const problem *P) {
    double off = 0.0;
    for (int first = 0, end; first < P->laws; first = end) {
        double returned = 0.0, p = 0.0;
        end = end_of_pair(sim, P, first);
        for (int l = first; l < end; l++) {
            if (!restores(sim, P, l)) continue;
            returned += sim->contacts->touch[P->block[l].index].returned;
            p += P->p[P->law[l].first_row];
        }
        if (!(returned > 0.0)) continue;
        const double ratio = p > 0.0 ? fmin(BR_MAX_CORRECTION, returned / p) : BR_MAX_CORRECTION;
        for (int l = first; l < end; l++) {
            if (!restores(sim, P, l)) continue;
            br_touch *t = &sim->contacts->touch[P->block[l].index];
            if (t->rebound > 0.0) off = fmax(off, fabs(ratio - 1.0));
            t->rebound *= ratio;
            if (t->rebound < BR_EPS_LAG * fabs(t->approach)) t->rebound = 0.0; // others hold it apart
        }
    }
    return off;
}

static double rebound_offset(const br_sim *sim, const br_touch *t) {
    return br_touch_end_offset(sim, t, t->rebound);
}

static br_status restore(br_sim *sim, problem *P, br_error *error) {
    if (!begin_restoring(sim, P)) return BR_OK;
    for (int k = 1;; k++) {
        for (int l = 0; l < P->laws; l++)
            if (restores(sim, P, l))
                P->offset[P->law[l].first_row] =
                    rebound_offset(sim, &sim->contacts->touch[P->block[l].index]);
        const br_status status = solve(sim, P, k > 1, error);
        if (status != BR_OK) return status;
        if (k == BR_MAX_RESTORING || correct_rebounds(sim, P) <= BR_EPS_LAG) break;
    }
    for (int k = 0; k < P->rows; k++) P->p[k] += P->p_first[k];
    return BR_OK;
}

// --- results -----------------------------------------------------------------------------------------------

static void add_moment(const br_sim *sim, const problem *P, int l, br_touch *t) {
    const double per = 1.0 / (sim->theta * sim->h), *p = P->p + P->law[l].first_row;
    const int turns = P->block[l].of == BR_BLOCK_TORSION;
    const br_vec3 x = turns ? t->normal : rolling_axis(sim, t);
    t->moment = br_vec3_add_scaled(t->moment, per * p[0], x);
    if (P->law[l].rows == 2)
        t->moment = br_vec3_add_scaled(t->moment, per * p[1], br_vec3_cross(t->normal, x));
}

static void keep_results(br_sim *sim, problem *P) {
    const double per = 1.0 / (sim->theta * sim->h);
    br_contacts *c = sim->contacts;
    double f[3], w[3];
    c->changed = c->landed = 0;
    for (int l = 0; l < P->laws; l++) {
        if (br_block_is_group(P->block[l])) {
            br_group *g = &sim->group[P->block[l].index];
            for (int r = 0; r < g->rows; r++) g->force[r] = per * P->p[P->law[l].first_row + r];
            continue;
        }
        br_touch *t = &c->touch[P->block[l].index];
        if (br_block_turns(P->block[l])) {
            add_moment(sim, P, l, t);
            continue;
        }
        if (P->block[l].of != BR_BLOCK_CONTACT) continue;
        t->moment = br_vec3_zero();
        read_touch(sim, P, l, f, w);
        br_touch_finish(sim, t, f, w);
        t->normal_guess = w[0];
        const int arrives = t->arrives && t->state != BR_CONTACT_OPEN;
        c->landed |=
            arrives && c->normal_law[t->pair].kind == BR_NORMAL_RIGID; // soft ones begin at second order
        c->changed |= arrives || t->state != t->was;
    }
}

// Bodies at rest keep one guess for ever: a force that corrects the rounding of the last steps is no guess for the next, and
// following it would cost a Newton step almost every time.
void br_contacts_keep_guesses(br_contacts *c) {
    double change = 0.0, size = 0.0;
    for (int k = 0; k < c->count; k++) {
        const br_touch *t = &c->touch[k];
        const double dn = t->f_n - t->guess_n;
        change += dn * dn + br_vec3_norm_squared(br_vec3_sub(t->f_t, t->guess_t));
        size += t->f_n * t->f_n;
    }
    if (change <= BR_EPS_SAME_FORCE * BR_EPS_SAME_FORCE * size) return;
    for (int k = 0; k < c->count; k++)
        c->touch[k].guess_n = c->touch[k].f_n, c->touch[k].guess_t = c->touch[k].f_t;
}

static int may_draw_near(const br_sim *sim, const problem *P) {
    if (!(sim->contacts->near > 0.0) || P->rows != P->last_rows || P->laws != P->last_laws) return 0;
    for (int l = 0; l < P->laws; l++)
        if (restores(sim, P, l)) return 0; // impulses of two phases
    return 1;
}

static void keep_answer(br_sim *sim, problem *P) {
    double change = 0.0, size = 0.0;
    for (int l = 0; l < P->laws; l++)
        for (int r = 0; r < P->law[l].rows; r++) {
            const int k = P->law[l].first_row + r;
            const double soft = softness(P, l, r);
            if (P->near) change = fmax(change, soft * fabs(P->p[k] - P->p_last[k]));
            size = fmax(size, soft * fabs(P->p[k]));
        }
    sim->contacts->drawn = size > 0.0 ? sim->contacts->near * change / size : 0.0;
    memcpy(P->p_last, P->p, (size_t)P->rows * sizeof *P->p);
    P->last_rows = P->rows, P->last_laws = P->laws;
}

static br_status solve_rows(br_sim *sim, problem *P, br_error *error) {
    br_status status = br_contact_assemble(sim, error);
    if (status != BR_OK) return status;
    begin_touches(sim, P);
    br_contact_soften(sim, P);
    P->near = may_draw_near(sim, P);
    const int warm = guess(sim, P);
    if (P->near) memcpy(P->p, P->p_last, (size_t)P->rows * sizeof *P->p);
    fill_laws(sim, P, 0, 1);
    status = br_contact_setup(sim, error);
    if (status == BR_INVALID) return br_contact_not_finite(sim, P, error);
    if (status == BR_OK) status = first_bounds(sim, P, warm, error);
    if (status == BR_OK) status = pass(sim, P, warm, error);
    if (status == BR_OK && sim->frictions) keep_answer(sim, P);
    if (status == BR_OK) status = restore(sim, P, error);
    if (status == BR_OK) spread(sim, P, sim->v_next);
    return status;
}

// A body between walls that are too close cannot come out of both, and one that is wedged cannot rebound from both: it may
// stay where it is.
int br_contacts_ask_to_open(const br_sim *sim) {
    for (int k = 0; k < sim->contacts->count; k++)
        if (sim->contacts->touch[k].gap < 0.0 || sim->contacts->touch[k].impact) return 1;
    return 0;
}

br_status br_contact_solve(br_sim *sim, br_error *error) {
    problem *P = sim->contacts->problem;
    const int nv = sim->model->tree.nv;
    const double share = sim->theta * sim->h;
    const double *turn = sim->turn;
    for (int k = 0; k < nv; k++)
        P->v_free[k] = sim->v_start[k] + share * (sim->vdot[k] + (turn ? turn[k] : 0.0));
    P->solved = sim->ledger->steps, P->t = sim->state.at->t;
    const br_twist *V = NULL; // with theta 1 the velocities of the start are those of the evaluation
    if (sim->theta < 1.0) {
        br_sim_start_twists(sim);
        V = sim->V_start;
    }
    br_touches_phase(sim, sim->contacts->touch, sim->contacts->count, V);
    P->all_limits = 0;
    br_status status = solve_rows(sim, P, error);
    if (status == BR_OK && !br_contact_limits_hold(sim, sim->v_next)) {
        P->all_limits = 1;
        status = solve_rows(sim, P, error);
    }
    if (status == BR_NUMERICAL && br_contacts_ask_to_open(sim)) {
        const int jammed = sim->contacts->jammed;
        br_contact_mark_wedged(sim, P);
        sim->contacts->jammed = 1;
        status = solve_rows(sim, P, error);
        sim->contacts->jammed = jammed;
    }
    if (status != BR_OK) return status;
    keep_results(sim, P);
    br_contacts_keep_guesses(sim->contacts);
    for (int k = 0; k < nv; k++)
        sim->vdot[k] = (sim->v_next[k] - sim->v_start[k]) / share - (turn ? turn[k] : 0.0);
    br_tree_forward(&sim->model->tree, &sim->work, sim->model->settings.gravity, sim->vdot);
    return BR_OK;
}
