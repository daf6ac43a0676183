// Whether a contact problem can be solved in doubles, whether an answer that did not converge may be used, and the errors
// where not.
//
// Rows that contradict each other (a drive that pushes a body into the floor) drive the impulses up, and a residual relative to
// these says little, so velocities are judged on their own.
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "lcp/solver.h"
#include "sim/contact/problem.h"

#define BR_EPS_USABLE_CONTACT 1e-6 // residual at which an answer that did not converge still serves the step
#define BR_EPS_KEPT_APART                                                                                    \
    1e-2 // of what the free motion lacks: velocity into a contact that such an answer may leave
#define BR_EPS_KEPT_APART_PILE 0.1 // the same for piles, one contact of hundreds
#define BR_MAX_WORK                                                                                          \
    1e3 // of the kinetic energy: by normal impulses of one step, where the answer did not converge
#define BR_MAX_RESPONSE                                                                                      \
    100.0 // of what the free motion lacks: velocity that an impulse would give its bodies, were they alone
#define BR_WEDGED_STEPS 32 // between two tries to open contacts that contradict each other

typedef struct br_contact_problem problem;

static int is_normal(const problem *P, int l) {
    return P->block[l].of == BR_BLOCK_CONTACT;
}

// How much the free motion lacks of what the rows ask for: the problem's own size of a velocity. A gap still open asks for
// nothing, and what slides lacks nothing.
static double lacking(const problem *P) {
    double most = 0.0, free[BR_MAX_LAW_ROWS];
    for (int l = 0; l < P->laws; l++) {
        const int group = br_block_is_group(P->block[l]);
        if (!group && !is_normal(P, l)) continue;
        br_contact_velocity(P, l, P->v_free, free);
        for (int r = 0; r < (group ? P->law[l].rows : 1); r++) {
            const double w = free[r] + P->offset[P->law[l].first_row + r];
            most = fmax(most, group ? fabs(w) : -w);
        }
    }
    return most;
}

// The contact that its bodies enter fastest, -1 where there is none; w = J v + C p + b.
static int deepest_law(const problem *P, double *inwards) {
    int worst = -1;
    *inwards = 0.0;
    for (int l = 0; l < P->laws; l++)
        if (is_normal(P, l) && -P->w[P->law[l].first_row] > *inwards)
            worst = l, *inwards = -P->w[P->law[l].first_row];
    return worst;
}

// Kinetic energy that the bodies in contact would have without it.
static double free_energy(const problem *P) {
    double twice = 0.0;
    for (int k = 0; k < P->locals; k++) {
        const br_contact_node *node = &P->node[P->local[k]];
        for (int c = 0; c < node->nv; c++)
            twice += P->momentum[P->velocity_at[k] + c] * P->v_free[node->dof[c]];
    }
    return 0.5 * fabs(twice);
}

// Bodies that are wedged may come out by impulses without measure, whose works cancel.
static int works_without_measure(const br_sim *sim, const problem *P) {
    double work = 0.0;
    for (int l = 0; l < P->laws; l++) {
        const int row = P->law[l].first_row;
        if (is_normal(P, l))
            work += fabs(P->p[row] * (P->w[row] - P->compliance[row] * P->p[row] - P->offset[row]));
    }
    return work > BR_MAX_WORK * (sim->energy->kinetic + free_energy(P));
}

// What solver.max_work leaves for one more solve of the step: one that starts from the answer of another needs little, and none would
// leave it without any.
void br_contact_allow(const br_sim *sim, const problem *P) {
    const int most = sim->model->settings.solver.max_work, left = most - sim->contacts->work;
    br_solver_allow(P->solver, most == 0 ? 0 : left > 1 ? left : 1);
}

static int usable(const br_sim *sim, const problem *P, const br_solve_report *report) {
    double inwards;
    if (report->residual <= sim->model->settings.solver.tol)
        return 1; // beside the impulses: their own digits
    if (!(report->residual < BR_EPS_USABLE_PILE)) return 0;
    deepest_law(P, &inwards);
    const double apart =
        report->residual < BR_EPS_USABLE_CONTACT ? BR_EPS_KEPT_APART : BR_EPS_KEPT_APART_PILE;
    if (inwards > apart * lacking(P)) return 0;
    return sim->contacts->jammed || !works_without_measure(sim, P);
}

// Only what would not do without max_work is told as its doing.
void br_contact_cut(br_sim *sim, const problem *P, const br_solve_report *report) {
    if (sim->model->settings.solver.max_work == 0) return;
    sim->contacts->work += report->factorizations;
    if (!usable(sim, P, report)) sim->contacts->cut = fmax(sim->contacts->cut, report->residual);
}

int br_contact_usable(const br_sim *sim, const problem *P, const br_solve_report *report) {
    if (sim->model->settings.solver.max_work > 0) return isfinite(report->residual); // told by the judgement
    return usable(sim, P, report);
}

// Finding out that contacts contradict each other costs hundreds of solves: those that do are left alone for a while.
void br_contact_mark_wedged(br_sim *sim, const problem *P) {
    const double least = BR_EPS_KEPT_APART * lacking(P);
    for (int l = 0; l < P->laws; l++)
        if (is_normal(P, l) && -P->w[P->law[l].first_row] > least)
            sim->contacts->touch[P->block[l].index].wedged = BR_WEDGED_STEPS;
}

static int has_groups(const problem *P) {
    int groups = 0;
    for (int l = 0; l < P->laws; l++) groups += br_block_is_group(P->block[l]);
    return groups > 0;
}

// The velocity that the impulse of a law's first row would give its bodies without any other, as if M were diagonal.
static double response(const problem *P, int l) {
    double softness = 0.0;
    for (int b = P->jacobian_start[l]; b < P->jacobian_start[l + 1]; b++) {
        const int local = P->jacobian_node[b], nv = P->node_dim[local];
        const double *J = P->jacobian + P->jacobian_at[b], *M = P->mass_of[local];
        for (int k = 0; k < nv; k++) softness += J[k] * J[k] / M[k * (nv + 1)];
    }
    return softness * P->p[P->law[l].first_row];
}

// A contact that its bodies still enter, whatever force there is against it.
static int is_overruled(const problem *P, int l, double inwards) {
    const double least = lacking(P);
    return inwards > BR_EPS_KEPT_APART * least && response(P, l) > BR_MAX_RESPONSE * least;
}

br_status br_contact_unsolved(const br_sim *sim, const problem *P, const br_solve_report *report,
                              br_error *error) {
    char name[BR_MAX_CONTACT_NAME] = "";
    double inwards;
    const int worst = deepest_law(P, &inwards);
    if (sim->contacts->count > 0)
        br_touch_name(sim, &sim->contacts->touch[worst < 0 ? 0 : P->block[worst].index], name, sizeof name);
    if (report->outcome == BR_INFEASIBLE || (has_groups(P) && worst >= 0 && is_overruled(P, worst, inwards)))
        return br_fail(error, BR_NUMERICAL, "contact-infeasible",
                       "t = %.9g s: contacts, limits and prescribed motions contradict each other: of %d "
                       "contacts, %s is "
                       "entered at %.3g m/s whatever the forces. Does a drive push a body into another?",
                       sim->t_eval, sim->contacts->count, name, inwards);
    return br_fail(
        error, BR_NUMERICAL, "contact-unsolved",
        "t = %.9g s: the contact problem of %d rows was not solved (%s, residual %.3g, %s); the worst of %d "
        "contacts is %s. A smaller solver.step or another contact.law may help",
        sim->t_eval, P->rows, br_outcome_name(report->outcome), report->residual, report->path,
        sim->contacts->count, name);
}

static int law_is_finite(const problem *P, int l) {
    int finite = isfinite(P->law[l].friction_coefficient) && !isnan(P->law[l].upper);
    for (int r = 0; r < P->law[l].rows; r++) {
        const int row = P->law[l].first_row + r;
        finite &= isfinite(P->offset[row]) && isfinite(P->compliance[row]);
    }
    return finite;
}

// The solver refused the problem: which of its rows is not made of numbers?
br_status br_contact_not_finite(const br_sim *sim, const problem *P, br_error *error) {
    char name[BR_MAX_CONTACT_NAME] = "a mass or a velocity";
    for (int l = 0; l < P->laws; l++) {
        if (law_is_finite(P, l)) continue;
        if (!br_block_is_group(P->block[l]))
            br_touch_name(sim, &sim->contacts->touch[P->block[l].index], name, sizeof name);
        else
            snprintf(name, sizeof name, "%s", br_group_name(sim, &sim->group[P->block[l].index]));
        break;
    }
    return br_fail(
        error, BR_NUMERICAL, "not-finite",
        "t = %.9g s: %s: a velocity, or a coefficient, a stiffness or a damping, has passed the range of "
        "double precision in the contact problem",
        sim->t_eval, name);
}
