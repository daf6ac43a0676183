// Joint friction in the problems of contact: who opens, sticks and slips among contacts depends on what joints at rest hold, and the reverse.
//
//     w_c = W p + B f + b_c        contacts: p, w_c as their laws say
//     w_r = C p + D f + b_r        joints:   |f| <= mu N(p, f), against w_r
//
// In accelerations where modes are chosen, in velocities for impacts. The loads N follow from the reactions, and those from p and f: N is taken
// from the answer before, until it stays. Where friction feeds itself so much that it does not, N is that of the modes in that answer, which the dense
// balance finds with all forces at once. What slides, and laws that are functions, have a force mu N that is known once N is.
// A rub of several directions has its bound shared among them as its force is.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "sim/friction/decide.h"
#include "sim/stepper/reference/contact.h"

#define BR_MAX_LOADS 100    // iterations of the loads, of which
#define BR_LOADS_PLAIN 25   // take those of the forces, and from then
#define BR_LOADS_HALVED 50  // on those of the modes, and from then on go half the way
#define BR_EPS_LOADS 1e-13  // of the largest load: they stay
#define BR_EPS_GOOD 1e-7    // of the largest load: good enough for an impact
#define BR_EPS_INSIDE 1e-9  // of a bound: a force within it
#define BR_LEAST_SHARE 0.05 // of a bound, for each direction

static br_rub_rows *take_rows(br_reference *r) {
    const br_reference_contact *c = r->contact;
    const br_frictions *f = r->sim->frictions;
    const size_t n = (size_t)f->directions, m = (size_t)c->rows;
    const size_t numbers = 5 * n + n * n + 2 * n * m + n * (size_t)r->nv + 2 * (size_t)f->count;
    br_rub_rows *e = br_sim_take(r->sim, sizeof *e + numbers * sizeof(double) + 2 * n * sizeof(int));
    if (!e) return NULL;
    memset(e, 0, sizeof *e + numbers * sizeof(double) + 2 * n * sizeof(int));
    double *next = (double *)(e + 1);
    e->rows = (int)n;
    e->b = next, e->x = e->b + n, e->w = e->x + n, e->lower = e->w + n, e->upper = e->lower + n;
    e->W = e->upper + n, e->by_hold = e->W + n * n, e->by_rub = e->by_hold + n * m;
    e->dv = e->by_rub + n * m, e->load = e->dv + n * (size_t)r->nv;
    e->next = e->load + f->count;
    e->rub = (int *)(e->next + f->count), e->direction = e->rub + n;
    return e;
}

// What the twists V are along every row.
static void read_rows(const br_sim *sim, const br_rub_rows *e, const br_twist *V, double *out, int stride) {
    double u[BR_MAX_SLIDING];
    for (int k = 0; k < e->rows; k++) {
        if (e->direction[k] == 0) br_rub_velocity(sim, &sim->frictions->rub[e->rub[k]], V, u);
        out[k * stride] = u[e->direction[k]];
    }
}

static void load_rub(br_sim *sim, int rub, int direction) {
    const br_rub *p = &sim->frictions->rub[rub];
    const br_model_joint *joint = &sim->model->joint[p->joint];
    br_wrench second, first;
    br_rub_wrench(sim, p, direction, &second, &first);
    br_wrench *force = sim->work.force;
    if (joint->second >= 0) force[joint->second] = br_wrench_add(force[joint->second], second);
    if (joint->first >= 0) force[joint->first] = br_wrench_add(force[joint->first], first);
}

static void fill_responses(br_reference *r, br_rub_rows *e) {
    br_sim *sim = r->sim;
    const br_reference_contact *c = r->contact;
    const size_t links = (size_t)sim->model->tree.links;
    for (int j = 0; j < c->rows; j++) read_rows(sim, e, c->V + (size_t)j * links, e->by_hold + j, c->rows);
    for (int k = 0; k < e->rows; k++) {
        load_rub(sim, e->rub[k], e->direction[k]);
        br_hold_respond(r, e->dv + (size_t)k * (size_t)r->nv, sim->V);
        read_rows(sim, e, sim->V, e->W + k, e->rows);
        for (int i = 0; i < c->rows; i++)
            e->by_rub[i * e->rows + k] = br_vec3_dot(
                c->row[i].direction, br_touch_velocity(sim, &c->hold[c->row[i].hold].touch, sim->V));
    }
}

// Velocities of the rows, or their accelerations without friction: A_c^T a - gamma.
static br_status fill_offsets(br_reference *r, br_rub_rows *e, br_error *error) {
    br_sim *sim = r->sim;
    const br_tree *tree = &sim->model->tree;
    br_balance *b;
    br_balance_work *work;
    if (e->impulses) {
        br_tree_twists(tree, &sim->work, sim->state.v, sim->V);
        read_rows(sim, e, sim->V, e->b, 1);
        return BR_OK;
    }
    const br_status status = br_friction_balance(sim, 0, &b, &work, error);
    if (status != BR_OK) return status;
    br_sim_find_products(sim);
    br_tree_twists(tree, &sim->work, r->contact->vdot_free, sim->V);
    for (int i = 0; i < tree->links; i++) sim->V[i] = br_twist_add(sim->V[i], sim->A_products[i]);
    read_rows(sim, e, sim->V, e->b, 1);
    for (int k = 0; k < e->rows; k++) e->b[k] -= b->gamma[b->pad[e->rub[k]].column + e->direction[k]];
    return BR_OK;
}

br_status br_holds_add_rubs(br_reference *r, int impulses, br_error *error) {
    br_frictions *f = r->sim->frictions;
    if (!f) return BR_OK;
    br_rub_rows *e = r->contact->rubs = take_rows(r);
    if (!e) return br_reference_no_memory(error);
    e->impulses = impulses;
    br_frictions_look(r->sim);
    for (int i = 0, k = 0; i < f->count; i++) {
        if (!impulses) e->load[i] = f->now[i].normal;
        for (int d = 0; d < f->rub[i].pad.directions; d++, k++) e->rub[k] = i, e->direction[k] = d;
    }
    fill_responses(r, e);
    return fill_offsets(r, e, error);
}

void br_holds_drop_rubs(br_reference *r) {
    br_reference_give(r->sim, r->contact->rubs);
    r->contact->rubs = NULL;
}

// --- bounds ------------------------------------------------------------------------------------------------

// Friction of what moves, for each unit of load.
static void moving_drag(const br_rub *rub, const br_rub_state *s, const double *u, double *drag) {
    const int n = rub->pad.directions;
    double rate[BR_MAX_SLIDING], speed = 0.0;
    if (!br_friction_is_set_valued(&rub->law)) {
        br_friction_at(&rub->law, n, u, s->z, drag, rate);
        return;
    }
    for (int d = 0; d < n; d++) speed += u[d] * u[d];
    speed = sqrt(speed);
    for (int d = 0; d < n; d++) drag[d] = speed > 0.0 ? rub->law.mu_kinetic * u[d] / speed : 0.0;
}

static double length_of(const double *x, int n) {
    double square = 0.0;
    for (int k = 0; k < n; k++) square += x[k] * x[k];
    return sqrt(square);
}

// Bounds of a rub's rows from its load, first row k.
static void set_bounds(br_reference *r, br_rub_rows *e, int i, int k) {
    const br_frictions *f = r->sim->frictions;
    const br_rub *rub = &f->rub[i];
    const int n = rub->pad.directions, set_valued = br_friction_is_set_valued(&rub->law);
    const int rests = length_of(rub->velocity, n) <= br_instant_rest_speed(r->sim);
    if (set_valued && (e->impulses || rests)) {
        const double bound = (e->impulses ? rub->law.mu_kinetic : rub->law.mu_static) * e->load[i],
                     force = length_of(e->x + k, n);
        for (int d = 0; d < n; d++) {
            const double share = n == 1        ? 1.0
                                 : force > 0.0 ? fmax(fabs(e->x[k + d]) / force, BR_LEAST_SHARE)
                                               : 1.0 / sqrt(n);
            e->lower[k + d] = -bound * share, e->upper[k + d] = bound * share;
        }
        return;
    }
    double drag[BR_MAX_SLIDING];
    moving_drag(rub, &f->now[i], e->impulses ? e->w + k : rub->velocity, drag);
    for (int d = 0; d < n; d++) e->lower[k + d] = e->upper[k + d] = -e->load[i] * drag[d];
}

// The pad of a closed contact: they come after those of the rubs. -1: it has none, since its forces are known.
static int pad_of_hold(const br_sim *sim, int hold) {
    const br_reference_contact *c = sim->reference->contact;
    int pad = sim->frictions->count;
    for (int i = 0; i < hold; i++) pad += !br_hold_is_known(&c->hold[i]);
    return br_hold_is_known(&c->hold[hold]) ? -1 : pad;
}

// Forces of contacts into the columns of their pads.
static void give_contacts(const br_sim *sim, const br_balance *b) {
    const br_reference_contact *c = sim->reference->contact;
    for (int i = 0; i < c->count; i++) {
        const br_hold *h = &c->hold[i];
        const int pad = pad_of_hold(sim, i);
        if (pad < 0) continue;
        const br_balance_pad *p = &b->pad[pad];
        double tangent[2] = {0.0, 0.0}, normal = 0.0;
        br_vec3 across[2];
        br_hold_tangents(sim, h->touch.normal, across);
        for (int j = h->row, t = 0; h->row >= 0 && j < c->rows && c->row[j].hold == i; j++) {
            if (!c->row[j].normal) {
                tangent[t++] += c->x[j];
                continue;
            }
            normal = c->x[j];
            const br_vec3 along =
                br_vec3_sub(c->row[j].force, c->row[j].direction); // friction that goes with it
            for (int d = 0; d < p->directions; d++) tangent[d] += normal * br_vec3_dot(along, across[d]);
        }
        if (p->normal >= 0) b->x[p->normal] = normal;
        for (int d = 0; d < p->directions; d++) b->x[p->column + d] = tangent[d];
    }
}

// --- loads -------------------------------------------------------------------------------------------------

// What the rows of the problem ask for, as the balance does: A_c^T a = -b there, of an impact, where nothing else acts.
static void take_velocities(const br_sim *sim, const br_rub_rows *e, br_balance *b) {
    const br_reference_contact *c = sim->reference->contact;
    memset(b->Q, 0, (size_t)b->n * sizeof *b->Q);
    memset(b->gamma, 0, (size_t)b->columns * sizeof *b->gamma);
    for (int k = 0; k < e->rows; k++) b->gamma[b->pad[e->rub[k]].column + e->direction[k]] = -e->b[k];
    for (int j = 0; j < c->rows; j++) {
        const int pad = pad_of_hold(sim, c->row[j].hold);
        const br_hold *h = &c->hold[c->row[j].hold];
        if (pad < 0) continue;
        const br_balance_pad *p = &b->pad[pad];
        if (c->row[j].normal && p->normal >= 0) b->gamma[p->normal] = -c->b[j];
        if (!c->row[j].normal) b->gamma[p->column + j - h->row - (h->rigid ? 1 : 0)] = -c->b[j];
    }
}

static int is_inside(double x, double lower, double upper) {
    const double margin = BR_EPS_INSIDE * (upper - lower);
    return x > lower + margin && x < upper - margin;
}

// A rub's part in the answer: stuck, or its force along what it is.
static void state_of_rub(const br_reference *r, const br_rub_rows *e, int i, int k, br_pad_state *s) {
    const int n = r->sim->frictions->rub[i].pad.directions;
    const double force = length_of(e->x + k, n);
    int inside = 1;
    for (int d = 0; d < n; d++) inside &= is_inside(e->x[k + d], e->lower[k + d], e->upper[k + d]);
    *s = (br_pad_state){.mode = inside ? BR_PAD_STUCK : BR_PAD_LIMIT};
    if (inside) return;
    s->factor = e->load[i] > 0.0 ? force / e->load[i] : 0.0;
    for (int d = 0; d < n; d++) s->direction[d] = force > 0.0 ? -e->x[k + d] / force : d == 0;
}

static void state_of_hold(const br_sim *sim, int i, br_pad_state *s) {
    const br_reference_contact *c = sim->reference->contact;
    const br_hold *h = &c->hold[i];
    const int first = h->row + (h->rigid ? 1 : 0), slips = h->state == BR_CONTACT_SLIPS;
    br_vec3 across[2], force = br_vec3_zero();
    const int n = br_hold_tangents(sim, h->touch.normal, across);
    *s = (br_pad_state){.mode = BR_PAD_STUCK};
    if (h->rigid && !(c->x[h->row] > 0.0)) {
        s->mode = BR_PAD_OPEN;
        return;
    }
    if (!h->rigid || (h->springy && !slips)) return;
    if (slips && !c->rubs->impulses) {
        s->mode = BR_PAD_LIMIT, s->factor = h->drag;
        for (int d = 0; d < n; d++) s->direction[d] = br_vec3_dot(h->direction, across[d]);
        return;
    }
    for (int d = 0; d < n; d++) force = br_vec3_add_scaled(force, c->x[first + d], across[d]);
    const double size = br_vec3_norm(force), most = c->mu[i] * c->x[h->row];
    if (size < (1.0 - BR_EPS_INSIDE) * most) return;
    s->mode = BR_PAD_LIMIT, s->factor = c->mu[i];
    for (int d = 0; d < n; d++) s->direction[d] = size > 0.0 ? -c->x[first + d] / size : 0.0;
}

// All forces at once for the modes of the answer at hand, from its own. 0: none were found.
static int solve_modes(br_reference *r, const br_rub_rows *e, br_balance *b, br_balance_work *work,
                       br_held *held) {
    br_sim *sim = r->sim;
    br_frictions *f = sim->frictions;
    const br_reference_contact *c = r->contact;
    for (int j = 0; j < c->rows; j++)
        if (c->row[j].given) return 0;
    for (int i = 0, k = 0; i < f->count; k += f->rub[i++].pad.directions)
        state_of_rub(r, e, i, k, &f->state[i]);
    for (int i = 0; i < c->count; i++)
        if (pad_of_hold(sim, i) >= 0) state_of_hold(sim, i, &f->state[pad_of_hold(sim, i)]);
    if (e->impulses) take_velocities(sim, e, b);
    if (br_balance_hold(b, f->state, work, held) != BR_OK) return 0;
    for (int l = 0; l < held->limits; l++) {
        const int i = held->limit[l];
        f->roots[l] = f->state[i].factor * (i < f->count ? e->load[i] : br_balance_load(b, i, b->x));
    }
    if (!br_balance_root_near(b, f->state, held, work, f->roots)) return 0;
    br_balance_forces(held, b->columns, b->n, f->roots, b->x, b->a);
    return 1;
}

// Loads of the joints under the answer at hand.
static br_status find_loads(br_reference *r, br_rub_rows *e, int by_modes, double *load, br_error *error) {
    br_sim *sim = r->sim;
    br_frictions *f = sim->frictions;
    br_balance *b;
    br_balance_work *work;
    br_held held;
    const br_status status = br_friction_balance(sim, 0, &b, &work, error);
    if (status != BR_OK) return status;
    for (int k = 0; k < e->rows; k++) b->x[b->pad[e->rub[k]].column + e->direction[k]] = e->x[k];
    give_contacts(sim, b);
    for (int i = 0; e->impulses && i < f->count; i++) b->pad[i].preload = 0.0; // finite: nothing in a blow
    const double *x = b->x;
    if (!by_modes || !solve_modes(r, e, b, work, &held)) {
        for (int k = 0; k < e->rows; k++) b->x[b->pad[e->rub[k]].column + e->direction[k]] = e->x[k];
        give_contacts(sim, b);
        if (e->impulses) take_velocities(sim, e, b);
        for (int i = 0; i < b->pads; i++) f->state[i] = (br_pad_state){.mode = BR_PAD_GIVEN};
        if (br_balance_hold(b, f->state, work, &held) != BR_OK)
            return br_fail(
                error, BR_NUMERICAL, "friction-balance",
                "t = %.9g s: the balance of forces could not be solved: a body has no inertia here",
                sim->t_eval);
        x = held.x0;
    }
    for (int i = 0; i < f->count; i++) load[i] = br_balance_load(b, i, x);
    return BR_OK;
}

br_status br_holds_cone_and_rubs(br_reference *r, br_outcome *outcome, br_error *error) {
    br_rub_rows *e = r->contact->rubs;
    if (!e) return br_holds_cone(r, outcome, error);
    const br_frictions *f = r->sim->frictions;
    double *load = e->next;
    double apart = INFINITY, largest = 0.0;
    for (int turn = 0; turn < BR_MAX_LOADS && apart > BR_EPS_LOADS * largest; turn++) {
        for (int i = 0, k = 0; i < f->count; k += f->rub[i++].pad.directions) set_bounds(r, e, i, k);
        br_status status = br_holds_cone(r, outcome, error);
        if (status != BR_OK || *outcome != BR_CONVERGED) return status;
        status = find_loads(r, e, turn >= BR_LOADS_PLAIN, load, error);
        if (status != BR_OK) return status;
        apart = 0.0, largest = 0.0;
        for (int i = 0; i < f->count; i++) {
            apart = fmax(apart, fabs(load[i] - e->load[i]));
            largest = fmax(largest, fabs(load[i]));
            e->load[i] = turn < BR_LOADS_HALVED ? load[i] : 0.5 * (e->load[i] + load[i]);
        }
    }
    if (e->impulses && apart > BR_EPS_GOOD * largest) *outcome = BR_STALLED; // modes are checked afterwards
    return BR_OK;
}

int br_holds_rubs_rest(const br_reference *r, double enough) {
    const br_rub_rows *e = r->contact->rubs;
    const br_frictions *f = r->sim->frictions;
    for (int k = 0; e && k < e->rows; k++) {
        const int mode = (int)f->now[e->rub[k]].mode;
        if ((mode == BR_RUB_STICKS || mode == BR_RUB_AT_LIMIT) && fabs(e->w[k]) > enough) return 0;
    }
    return 1;
}

void br_holds_take_rubs(br_reference *r) {
    const br_rub_rows *e = r->contact->rubs;
    br_frictions *f = r->sim->frictions;
    for (int k = 0; e && k < e->rows; k++) f->now[e->rub[k]].force[e->direction[k]] = e->x[k];
    for (int i = 0; e && i < f->count; i++) f->now[i].normal = e->load[i];
}
