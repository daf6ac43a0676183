// Forces of closed contacts at an instant, and whether their modes still hold.
//
//     sticks   n . u' = 0, u'_t = 0             unknown f_n, f_t
//     slips    n . u' = 0, f_t = -mu_k f_n d    unknown f_n;  d: direction of slip
//     compliant normals: f_n is known; where they stick u'_t = 0 with f_t unknown
//
//     A x = -b,  A_ij = direction_i . u'(unit force_j),  b: the rows' accelerations without these forces
//
// A is not symmetric where contacts slip. Dependent rows (four corners of a box on a plane) leave x open: the shortest
// one is taken, without pulling where that can be had. The motion does not depend on that choice unless contacts
// with different directions of slip share a body.
#include <string.h>

#include "sim/stepper/reference/contact.h"

#define BR_EPS_CONSISTENT 1e-10 // of the accelerations: rows that are met
#define BR_EPS_PARADOX                                                                                       \
    1e-9 // of what friction and normal force do together: an own compliance that is not positive

// --- known forces ------------------------------------------------------------------------------------------

static void push(br_sim *sim, const br_touch *t, br_vec3 force) {
    const br_wrench on_a = br_touch_wrench(sim, t, force, 0), on_b = br_touch_wrench(sim, t, force, 1);
    if (t->link_a >= 0) sim->wrench[t->link_a] = br_wrench_add(sim->wrench[t->link_a], on_a);
    if (t->link_b >= 0) sim->wrench[t->link_b] = br_wrench_add(sim->wrench[t->link_b], on_b);
}

void br_holds_add_compliant(br_reference *r) {
    br_reference_contact *c = r->contact;
    for (int i = 0; i < c->count; i++) {
        br_hold *h = &c->hold[i];
        if (h->rigid && br_hold_is_bent(h)) push(r->sim, &h->touch, h->f_t = br_bristle_force(h));
        if (h->rigid) continue;
        if (h->play) {
            br_play_turn(r, h, r->sim->V);
            br_play_forces(h);
        } else {
            h->f_n = br_normal_force(h->law, -h->touch.gap, -h->u_n);
            h->f_t = h->springy ? br_bristle_force(h) : br_vec3_zero();
        }
        if (h->state == BR_CONTACT_SLIPS && !h->follows)
            h->f_t = br_vec3_scale(-h->drag * h->f_n, h->direction);
        push(r->sim, &h->touch, br_vec3_add_scaled(h->f_t, h->f_n, h->touch.normal));
    }
}

// --- rows --------------------------------------------------------------------------------------------------

void br_holds_free(br_reference *r, br_hold_rows kind) {
    br_sim *sim = r->sim;
    br_reference_contact *c = r->contact;
    br_holds_rows(r, kind);
    br_tree_twists(&sim->model->tree, &sim->work, c->vdot_free, sim->V);
    c->acceleration = br_vec3_norm(sim->model->settings.gravity);
    for (int j = 0; j < c->rows; j++) {
        const br_hold_row *row = &c->row[j];
        const br_hold *h = &c->hold[row->hold];
        c->b[j] = br_vec3_dot(row->direction, br_touch_velocity(sim, &h->touch, sim->V)) +
                  (row->normal ? h->u_n_rate : br_vec3_dot(row->direction, br_hold_slip_rate(h)));
        c->acceleration = fmax(c->acceleration, fabs(c->b[j]));
    }
}

// The largest |A x + b|.
static double residual(const br_reference_contact *c) {
    double largest = 0.0;
    for (int i = 0; i < c->rows; i++) {
        double sum = c->b[i];
        for (int j = 0; j < c->rows; j++) sum += c->W[i * c->rows + j] * c->x[j];
        largest = fmax(largest, fabs(sum));
    }
    return largest;
}

static void solve(br_reference_contact *c) {
    br_pinv_factor(&c->pinv, c->rows, c->W);
    for (int j = 0; j < c->rows; j++) c->w[j] = -c->b[j];
    br_pinv_solve(&c->pinv, c->w, c->x);
}

static int worst_pull(const br_reference_contact *c) {
    int worst = -1;
    double least = 0.0, largest = 0.0;
    for (int j = 0; j < c->rows; j++) largest = fmax(largest, fabs(c->x[j]));
    for (int j = 0; j < c->rows; j++)
        if (c->row[j].normal && c->x[j] < fmin(least, -BR_EPS_CONSISTENT * largest))
            least = c->x[j], worst = j;
    return worst;
}

// Contacts that would pull in the shortest solution of dependent rows carry nothing, if the others can do without.
static void share_without_pulling(br_reference_contact *c) {
    const size_t n = (size_t)c->rows;
    const double enough = BR_EPS_CONSISTENT * c->acceleration;
    memcpy(c->kept, c->x, n * sizeof *c->x);
    for (int pass = 0; pass < c->count; pass++) {
        const int j = worst_pull(c);
        if (j < 0) return;
        for (size_t i = 0; i < n; i++) c->W[i * n + (size_t)j] = 0.0;
        br_pinv_factor(&c->pinv, c->rows, c->W);
        br_pinv_solve(&c->pinv, c->w, c->x);
        if (residual(c) > enough) break;
    }
    if (worst_pull(c) >= 0 || residual(c) > enough) memcpy(c->x, c->kept, n * sizeof *c->x);
}

// A sliding contact whose own normal force would pull it in, or whose share of the whole would.
static int find_paradox(const br_reference *r) {
    const br_reference_contact *c = r->contact;
    for (int i = 0; i < c->count; i++) {
        const br_hold *h = &c->hold[i];
        if (!h->rigid || h->state != BR_CONTACT_SLIPS || !(h->pair->mu_kinetic > 0.0)) continue;
        const br_twist *V = c->V + (size_t)h->row * (size_t)r->sim->model->tree.links;
        const double own = c->W[h->row * c->rows + h->row];
        const double both = br_vec3_norm(br_touch_velocity(r->sim, &h->touch, V));
        if (own <= BR_EPS_PARADOX * both) return i;
        if (!c->deficient && br_pinv_diagonal(&c->pinv, h->row, c->w, c->kept) <= 0.0) return i;
    }
    return -1;
}

static void distribute(br_reference *r) {
    br_reference_contact *c = r->contact;
    for (int i = 0; i < c->count; i++) {
        br_hold *h = &c->hold[i];
        if (h->rigid) h->f_n = 0.0;
        if (h->rigid ? !h->springy || h->state == BR_CONTACT_SLIPS : br_hold_is_stuck(h))
            h->f_t = br_vec3_zero();
    }
    for (int j = 0; j < c->rows; j++) {
        br_hold *h = &c->hold[c->row[j].hold];
        if (c->row[j].normal)
            h->f_n = c->x[j];
        else
            h->f_t = br_vec3_add_scaled(h->f_t, c->x[j], c->row[j].direction);
    }
    for (int i = 0; i < c->count; i++) {
        br_hold *h = &c->hold[i];
        if (h->rigid && h->state == BR_CONTACT_SLIPS) h->f_t = br_vec3_scale(-h->drag * h->f_n, h->direction);
    }
}

static void powers(br_reference *r) {
    br_reference_contact *c = r->contact;
    c->friction_power = c->damping_power = 0.0;
    c->elastic = br_bristles_stored(c);
    for (int i = 0; i < c->count; i++) {
        const br_hold *h = &c->hold[i];
        c->friction_power -= br_vec3_dot(h->f_t, h->u);
        if (br_hold_is_bent(h)) // what goes into bristles is not lost
            c->friction_power -= h->stiffness * br_vec3_dot(h->spring, h->slip);
        if (h->rigid) continue;
        c->damping_power -= (h->f_n - br_normal_force(h->law, -h->touch.gap, 0.0)) * h->u_n;
        c->elastic += br_normal_energy(h->law, -h->touch.gap);
    }
}

void br_holds_forces(br_reference *r) {
    br_reference_contact *c = r->contact;
    memcpy(c->vdot_free, r->sim->vdot, (size_t)r->nv * sizeof *c->vdot_free);
    br_holds_free(r, BR_ROWS_FORCE);
    solve(c);
    c->deficient = c->pinv.rank < c->rows;
    c->paradox = find_paradox(r);
    c->consistent = 1;
    if (c->deficient) {
        c->consistent = residual(c) <= BR_EPS_HYSTERESIS * c->acceleration;
        share_without_pulling(c);
    }
    distribute(r);
    for (int i = 0; i < c->count; i++) {
        const br_hold *h = &c->hold[i];
        const int bent = br_hold_is_bent(h); // its friction is among the known forces
        if (h->rigid)
            push(r->sim, &h->touch,
                 br_vec3_add_scaled(bent ? br_vec3_zero() : h->f_t, h->f_n, h->touch.normal));
        else if (br_hold_is_stuck(h))
            push(r->sim, &h->touch, h->f_t);
    }
    powers(r);
}

// --- do the modes still hold? ------------------------------------------------------------------------------

// The largest own compliance of the tangents of a hold that sticks.
static double tangent_compliance(const br_reference_contact *c, int i) {
    double largest = 0.0;
    for (int j = c->hold[i].row; j >= 0 && j < c->rows && c->row[j].hold == i; j++)
        if (!c->row[j].normal) largest = fmax(largest, c->W[j * c->rows + j]);
    return largest;
}

static int check_hold(const br_reference *r, int i, double eps) {
    const br_reference_contact *c = r->contact;
    const br_hold *h = &c->hold[i];
    const double rest = br_hold_rest_speed(r), mu = h->pair->mu_static;
    int fired = 0;
    if (h->rigid) {
        const double own = c->rows > 0 ? fabs(c->W[h->row * c->rows + h->row]) : 0.0;
        if (h->f_n * own < -eps * c->acceleration || (own == 0.0 && h->f_n < 0.0)) fired |= BR_FIRED_OPENS;
    }
    // What is not loaded yet, by rounding of a gap of zero, has nothing that bristles could be too strong for.
    if (br_hold_is_bent(h) && h->f_n > eps * c->weight && br_vec3_norm(h->f_t) > mu * (1.0 + eps) * h->f_n) {
        fired |= BR_FIRED_SLIPS;
    } else if (br_hold_is_stuck(h)) {
        const double own = tangent_compliance(c, i);
        const double beyond = br_vec3_norm(h->f_t) - mu * (1.0 + eps) * fmax(h->f_n, 0.0);
        if (beyond > 0.0 && beyond * own > eps * c->acceleration) fired |= BR_FIRED_SLIPS;
    }
    if (h->state == BR_CONTACT_SLIPS && !h->springy && h->v0 == 0.0 && h->pair->mu_kinetic > 0.0) {
        const double onward = br_vec3_dot(h->slip, h->ahead);
        if (h->armed ? h->speed <= rest || onward <= 0.0 : onward < -rest) fired |= BR_FIRED_STOPS;
    }
    return fired;
}

int br_holds_check(br_reference *r, double slack) {
    br_reference_contact *c = r->contact;
    const double eps = BR_EPS_HYSTERESIS * slack;
    int fired = 0;
    for (int i = 0; i < c->count; i++) {
        c->hold[i].fired = check_hold(r, i, eps);
        fired |= c->hold[i].fired;
    }
    if (!c->consistent) fired |= BR_FIRED_LOST;
    if (c->paradox >= 0 && br_holds_solutions(r) != 1) {
        c->hold[c->paradox].fired |= BR_FIRED_PARADOX;
        fired |= BR_FIRED_PARADOX;
    }
    return fired;
}

int br_holds_are_open(const br_reference *r) {
    return r->contact->deficient || r->sim->frictions;
}

// The problem in accelerations at the evaluation at hand, with joint friction among its unknowns.
static br_status ask(br_reference *r, br_outcome *outcome, br_error *error) {
    br_reference_contact *c = r->contact;
    br_sim *sim = r->sim;
    if (sim->frictions) {
        r->without_friction = 1;
        const br_status status = br_reference_solve_free(r, sim->t_eval, sim->q_eval, sim->v_eval, error);
        r->without_friction = 0;
        if (status != BR_OK) return status;
    }
    br_holds_free(r, BR_ROWS_CONE);
    for (int i = 0; i < c->count; i++) c->mu[i] = c->hold[i].pair->mu_static;
    const br_status status = br_holds_add_rubs(r, 0, error);
    return status == BR_OK ? br_holds_cone_and_rubs(r, outcome, error) : status;
}

// Of dependent rows, and beside joints at rest, the shares of single contacts say nothing: what counts is whether any distribution keeps every
// contact closed and stuck as it is, and every joint.
br_status br_holds_admissible(br_reference *r, int *possible, br_error *error) {
    br_reference_contact *c = r->contact;
    br_outcome outcome = BR_CONVERGED;
    const br_status status = ask(r, &outcome, error);
    const double enough = 0.5 * BR_EPS_HYSTERESIS * c->slack * c->acceleration;
    *possible = status == BR_OK && outcome == BR_CONVERGED && br_holds_rubs_rest(r, enough);
    for (int j = 0; status == BR_OK && j < c->rows; j++)
        *possible &= fabs(c->w[j]) <= enough || (!c->hold[c->row[j].hold].rigid && c->row[j].normal);
    if (*possible) {
        distribute(r);
        br_holds_take_rubs(r);
        powers(r);
    }
    br_holds_drop_rubs(r);
    // Bristles bear what they are bent by, whatever the others could: of them the bound is asked with these normal forces.
    for (int i = 0; *possible && i < c->count; i++) {
        if (!br_hold_is_bent(&c->hold[i])) continue;
        c->hold[i].fired = check_hold(r, i, BR_EPS_HYSTERESIS * c->slack);
        *possible = !(c->hold[i].fired & BR_FIRED_SLIPS);
    }
    return status;
}
