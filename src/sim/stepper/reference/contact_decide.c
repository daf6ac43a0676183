// Modes of closed contacts from the problem in accelerations, and when that has no answer or several.
//
//     slip /= 0   slips on; f_t = -mu_k f_n d
//     slip = 0    |f_t| <= mu_s f_n;  sticks where u'_t = 0, else slips, against f_t, with mu_k from then on
//     all         0 <= f_n,  0 <= n . u',  f_n (n . u') = 0
//
// What holds at the moment is tried first: every contact closed, those without slip stuck. If that asks for a pull or for
// too much friction, the complementarity problem says who opens and who slips. A contact that is just leaving a mode has
// the forces of both: its coefficient is lowered by BR_LEAVING, so that the problem cannot keep it.
//
// Painleve: where friction turns a body so that its normal force would draw the contact in, the sliding problem is no P
// problem. Solutions are then counted over all sets of contacts that stay closed; unless there is exactly one, the run ends
// with the error `contact-painleve`.
#include <string.h>

#include "base/error.h"
#include "linalg/dense.h"
#include "sim/stepper/reference/contact.h"

#define BR_LEAVING 1e-6        // of mu: lowered by this for contacts that leave stick
#define BR_EPS_OPENS 1e-11     // of the accelerations: a contact that opens
#define BR_EPS_BEGINS 1e-10    // of the accelerations: one that begins to slip
#define BR_MAX_SLACK 1e4       // on the tolerances, before giving up
#define BR_MAX_PARADOX_ROWS 12 // rows whose sets are tried
#define BR_EPS_SET 1e-12       // a pivot that is none
#define BR_MAX_ROUNDS 8

// --- the problem -------------------------------------------------------------------------------------------

static br_status evaluate(br_reference *r, int forces, br_error *error) {
    const br_sim *sim = r->sim;
    return forces ? br_reference_solve(r, sim->state.at->t, sim->state.q, sim->state.v, error)
                  : br_reference_solve_free(r, sim->state.at->t, sim->state.q, sim->state.v, error);
}

br_status br_holds_hold(br_reference *r, double slack, int *holds, br_error *error) {
    br_reference_contact *c = r->contact;
    // Joints beside them are as they must be where contacts are so.
    br_status status = r->sim->frictions ? br_reference_friction_choose(r, error) : BR_OK;
    if (status == BR_OK) status = evaluate(r, 1, error);
    *holds = c->count == 0;
    if (status != BR_OK || *holds) return status;
    const int fired = br_holds_check(r, slack) & ~(BR_FIRED_STOPS | BR_FIRED_CLOSES);
    *holds = fired == 0;
    if (*holds || !br_holds_are_open(r) || (fired & (BR_FIRED_PARADOX | BR_FIRED_LOST))) return BR_OK;
    return br_holds_admissible(r, holds, error);
}

static void drop(br_reference_contact *c, int i) {
    memmove(&c->hold[i], &c->hold[i + 1], (size_t)(c->count - i - 1) * sizeof *c->hold);
    memmove(&c->mu[i], &c->mu[i + 1], (size_t)(c->count - i - 1) * sizeof *c->mu);
    c->count--;
}

// Where the contact will slide to: along its tangential acceleration, or against its friction where that is larger.
static br_vec3 onset(const br_reference_contact *c, const br_hold *h, double *acceleration) {
    br_vec3 a = br_vec3_zero(), f = br_vec3_zero();
    for (int j = h->row + 1; j < c->rows && &c->hold[c->row[j].hold] == h; j++) {
        a = br_vec3_add_scaled(a, c->w[j], c->row[j].direction);
        f = br_vec3_add_scaled(f, c->x[j], c->row[j].direction);
    }
    *acceleration = br_vec3_norm(a);
    return br_vec3_normalize(br_vec3_norm(f) > 0.0 ? br_vec3_neg(f) : a);
}

// Reads modes from the answer: who begins to slip, and whether someone opens. *changed: mu of someone has to be mu_k now.
static void read_modes(br_reference *r, int *opens, int *changed) {
    br_reference_contact *c = r->contact;
    *changed = 0;
    for (int i = 0; i < c->count; i++) {
        br_hold *h = &c->hold[i];
        opens[i] = 0;
        if (br_hold_is_bent(h)) // the bound of its bristles says whether it slips, not the problem
            h->ahead = br_vec3_normalize(h->speed > 0.0 ? h->slip : br_vec3_neg(h->f_t));
        if (h->row < 0) continue;
        if (h->rigid) {
            const double own = fabs(c->W[h->row * c->rows + h->row]), away = c->w[h->row];
            const int leaves = away > BR_EPS_OPENS * c->acceleration || (h->fired & BR_FIRED_OPENS);
            opens[i] = leaves && away >= c->x[h->row] * own;
        }
        if (opens[i] || !br_hold_is_stuck(h)) continue;
        double acceleration;
        const br_vec3 towards = onset(c, h, &acceleration);
        if (!(acceleration > BR_EPS_BEGINS * c->acceleration)) continue;
        h->ahead = towards;
        if (c->mu[i] > h->pair->mu_kinetic) c->mu[i] = h->pair->mu_kinetic, *changed = 1;
        h->fired |= BR_FIRED_SLIPS;
    }
}

static br_status no_answer(br_reference *r, br_outcome outcome, br_error *error) {
    br_reference_contact *c = r->contact;
    char name[BR_MAX_CONTACT_NAME] = "?";
    if (c->paradox >= 0) return br_holds_paradox(r, c->paradox, 0, error);
    if (c->count > 0) br_touch_name(r->sim, &c->hold[0].touch, name, sizeof name);
    return br_fail(error, BR_NUMERICAL, "contact-undecided",
                   "t = %.9g s: which of %d contacts (%s, ...) stick, slip or open could not be decided (%s)",
                   r->sim->state.at->t, c->count, name, br_outcome_name(outcome));
}

static br_status solve_modes(br_reference *r, int *opens, br_error *error) {
    br_reference_contact *c = r->contact;
    br_outcome outcome = BR_CONVERGED;
    r->without_friction = 1; // of joints: their rows have it
    br_status status = evaluate(r, 0, error);
    r->without_friction = 0;
    for (int i = 0; i < c->count; i++) {
        br_hold *h = &c->hold[i];
        c->mu[i] = h->pair->mu_static * (h->fired & BR_FIRED_SLIPS ? 1.0 - BR_LEAVING : 1.0);
    }
    int changed = 1;
    for (int round = 0; status == BR_OK && changed && round < BR_MAX_ROUNDS; round++) {
        br_holds_free(r, BR_ROWS_CONE);
        status = br_holds_add_rubs(r, 0, error);
        if (status == BR_OK) status = br_holds_cone_and_rubs(r, &outcome, error);
        br_holds_drop_rubs(r);
        if (status != BR_OK) return status;
        if (outcome != BR_CONVERGED) return no_answer(r, outcome, error);
        read_modes(r, opens, &changed);
    }
    return status;
}

static void take_modes(br_reference *r, const int *opens) {
    br_reference_contact *c = r->contact;
    int at = 0;
    for (int i = 0, n = c->count; i < n; i++, at++) {
        if (opens[i]) {
            drop(c, at--);
            continue;
        }
        br_hold *h = &c->hold[at];
        if (h->state == BR_CONTACT_STICKS && (h->fired & BR_FIRED_SLIPS) && br_vec3_norm(h->ahead) > 0.0)
            h->stored = 0.5 * h->stiffness * br_vec3_norm_squared(h->spring), h->state = BR_CONTACT_SLIPS,
            h->armed = 0;
    }
}

// What is tried next: the problem in accelerations, unless a paradox is seen.
static br_status try_others(br_reference *r, int round, int *opens, br_error *error) {
    br_reference_contact *c = r->contact;
    for (int i = 0; i < c->count; i++)
        if (c->hold[i].fired & BR_FIRED_PARADOX) {
            const br_status status = br_holds_paradox(r, i, br_holds_solutions(r), error);
            if (status != BR_OK) return status;
        }
    if (round >= BR_MAX_ROUNDS) return no_answer(r, BR_STALLED, error);
    const br_status status = solve_modes(r, opens, error);
    if (status == BR_OK) take_modes(r, opens);
    return status;
}

// Joint friction that does not agree with the contacts as they are may agree with them as they will be: only where contacts do not
// change it ends the run.
br_status br_holds_decide(br_reference *r, br_error *error) {
    br_reference_contact *c = r->contact;
    int *opens = br_sim_take(r->sim, (size_t)(c->count + 1) * sizeof *opens);
    if (!opens) return br_reference_no_memory(error);
    br_status status = BR_OK;
    int holds = 0;
    double slack = 0.5 * c->slack;
    for (int round = 0; status == BR_OK; round++) {
        br_error why = {0};
        status = br_holds_hold(r, slack, &holds, &why);
        const int disagrees = status == BR_NUMERICAL && r->sim->frictions != NULL && c->count > 0;
        if (disagrees && round < BR_MAX_ROUNDS) {
            for (int i = 0; i < c->count; i++) c->hold[i].fired = 0;
            if (try_others(r, round, opens, error) == BR_OK) {
                status = BR_OK;
                continue;
            }
        }
        if (status != BR_OK && error) *error = why;
        if (status != BR_OK || holds) break;
        status = try_others(r, round, opens, error);
        if (round > 1) slack = fmin(10.0 * slack, BR_MAX_SLACK);
    }
    br_sim_give(r->sim, opens);
    return status;
}

// --- Painleve ----------------------------------------------------------------------------------------------

// Whether the rows in `set` (a bit each), all others being open, are a solution. Rows that are not normals are always in.
static int solves(const br_reference_contact *c, unsigned set) {
    double A[BR_MAX_PARADOX_ROWS * BR_MAX_PARADOX_ROWS], x[BR_MAX_PARADOX_ROWS];
    int at[BR_MAX_PARADOX_ROWS], pivot[BR_MAX_PARADOX_ROWS], n = 0;
    for (int j = 0; j < c->rows; j++)
        if (set >> j & 1u) at[n++] = j;
    for (int i = 0; i < n; i++) {
        x[i] = -c->b[at[i]];
        for (int j = 0; j < n; j++) A[i * n + j] = c->W[at[i] * c->rows + at[j]];
    }
    if (n > 0) {
        if (br_lu_factor(n, A, n, pivot, BR_EPS_SET)) return 0;
        br_lu_solve(n, A, n, pivot, x);
    }
    for (int i = 0; i < n; i++)
        if (c->row[at[i]].normal && x[i] < 0.0) return 0;
    for (int j = 0; j < c->rows; j++) {
        if (set >> j & 1u) continue;
        double w = c->b[j];
        for (int i = 0; i < n; i++) w += c->W[j * c->rows + at[i]] * x[i];
        if (w < 0.0) return 0;
    }
    return 1;
}

int br_holds_solutions(br_reference *r) {
    const br_reference_contact *c = r->contact;
    if (c->rows > BR_MAX_PARADOX_ROWS || c->deficient) return 1; // cannot be told
    unsigned fixed = 0;
    for (int j = 0; j < c->rows; j++)
        if (!c->row[j].normal || c->hold[c->row[j].hold].state == BR_CONTACT_STICKS) fixed |= 1u << j;
    int count = 0;
    for (unsigned set = 0; set < 1u << c->rows; set++)
        if ((set & fixed) == fixed) count += solves(c, set);
    return count;
}

br_status br_holds_paradox(const br_reference *r, int hold, int solutions, br_error *error) {
    const br_hold *h = &r->contact->hold[hold];
    char name[BR_MAX_CONTACT_NAME];
    br_touch_name(r->sim, &h->touch, name, sizeof name);
    return br_fail(
        error, BR_NUMERICAL, "contact-painleve",
        "t = %.9g s: contact '%s' slides with mu = %g and its acceleration has %s (Painleve's paradox). A "
        "smaller "
        "mu, a compliant normal law, or the contact stepper, which goes on by an impact, can pass it",
        r->sim->t_eval, name, h->pair->mu_kinetic, solutions > 1 ? "several solutions" : "no solution");
}
