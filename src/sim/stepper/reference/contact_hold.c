// Closed contacts in the reference stepper: where they are, how they move, and what forces on them do.
//
//     u = velocity of a relative to b at the contact point p(q),  u_n = n . u,  slip = u - u_n n
//     gap'' = N vdot + d/dt (n . u) at constant v,   u' = J vdot + d/dt u at constant v
//     W_ij = direction_i . u of the response to a unit of force_j, loops and held limits staying closed
//
// The point wanders over both surfaces as they roll; the rates at constant v hold what that and the curvature of the
// surfaces contribute. They are differences of sixth order along q(s) = q + s v, good to about 1e-13.
#include <string.h>

#include "sim/rows/group.h"
#include "sim/stepper/reference/contact.h"

#define BR_DIFFERENCE 4e-3  // of the time in which a contact turns by 1 rad or moves by its size
#define BR_HOLD_MARGIN 0.05 // of the smaller shape: gap up to which a hold is looked for
#define BR_EPS_REST 10.0    // speed that counts as rest: of tol and the largest speed so far
#define BR_MIN_REST 1e-12   // at least, of the largest speed
#define BR_EPS_AHEAD 1e-3   // of the speed of rest: slower slip has no direction of its own

// --- places ------------------------------------------------------------------------------------------------

static br_placement place(const br_sim *sim, const br_model_shape *shape) {
    if (shape->link < 0) return shape->X_L;
    const br_link_pose *link = &sim->work.pose[shape->link];
    const br_placement X = {br_mat3_mul(link->R_WL, shape->X_L.R),
                            br_vec3_add(link->p_WL, br_mat3_mul_vec(link->R_WL, shape->X_L.p))};
    return X;
}

int br_hold_manifold(const br_reference *r, int a, int b, double margin, br_contact_point *point) {
    if (br_hold_play(r, a) >= 0) return br_play_manifold(r, br_hold_play(r, a), margin, point);
    const br_model_shape *A = &r->sim->model->contact->shape[a], *B = &r->sim->model->contact->shape[b];
    const br_placement X_A = place(r->sim, A), X_B = place(r->sim, B);
    return br_collide(&A->geometry, &X_A, &B->geometry, &X_B, margin, point);
}

static br_vec3 tangential(br_vec3 u, br_vec3 n) {
    return br_vec3_add_scaled(u, -br_vec3_dot(u, n), n);
}

double br_hold_rest_speed(const br_reference *r) {
    return fmax(BR_EPS_REST * r->sim->model->settings.solver.tol, BR_MIN_REST) * r->contact->speed;
}

// Slip that has turned round is what a stop within the step looks like: friction goes on as before it, so that the
// step has no corner, and the event is found afterwards.
static void take_direction(const br_reference *r, br_hold *h) {
    const br_vec3 n = h->touch.normal;
    h->slip = tangential(h->u, n);
    h->speed = br_vec3_norm(h->slip);
    h->u_n = br_vec3_dot(h->u, n);
    h->drag = h->pair->mu_kinetic;
    if (h->v0 > 0.0) { // a function of the slip, which has no corner where it turns round
        h->drag *= fmin(1.0, h->speed / h->v0);
        h->direction =
            h->speed > 0.0 ? br_vec3_scale(1.0 / h->speed, h->slip) : br_mat3_column(br_tangent_basis(n), 0);
        return;
    }
    if (h->springy && h->state == BR_CONTACT_SLIPS) { // their own direction says what is onward
        const br_vec3 bent = tangential(h->spring, n);
        if (br_vec3_norm(bent) > 0.0) h->ahead = br_vec3_normalize(bent);
    }
    const int onward =
        h->speed > BR_EPS_AHEAD * br_hold_rest_speed(r) && br_vec3_dot(h->slip, h->ahead) > 0.0;
    h->direction =
        onward ? br_vec3_scale(1.0 / h->speed, h->slip) : br_vec3_normalize(tangential(h->ahead, n));
}

static br_vec3 to_link(const br_sim *sim, int link, br_vec3 p_W) {
    if (link < 0) return p_W;
    const br_link_pose *pose = &sim->work.pose[link];
    return br_mat3_tmul_vec(pose->R_WL, br_vec3_sub(p_W, pose->p_WL));
}

static br_vec3 from_link(const br_sim *sim, int link, br_vec3 p_L) {
    if (link < 0) return p_L;
    const br_link_pose *pose = &sim->work.pose[link];
    return br_vec3_add(pose->p_WL, br_mat3_mul_vec(pose->R_WL, p_L));
}

void br_holds_freeze(br_reference *r) {
    const br_sim *sim = r->sim;
    for (int i = 0; i < r->contact->count; i++) {
        br_hold *h = &r->contact->hold[i];
        const br_touch *t = &h->touch;
        h->frozen_a = to_link(sim, t->link_a, t->point);
        h->frozen_b = to_link(sim, t->link_b, t->point);
        h->frozen_n = t->link_b < 0 ? t->normal : br_mat3_tmul_vec(sim->work.pose[t->link_b].R_WL, t->normal);
    }
}

// A step that passes the edge of a face still has to be a smooth one: its end is found afterwards.
static br_contact_point frozen_point(const br_sim *sim, const br_hold *h) {
    const br_touch *t = &h->touch;
    br_contact_point p = {.point = from_link(sim, t->link_a, h->frozen_a), .feature = t->feature};
    p.normal = t->link_b < 0 ? h->frozen_n : br_mat3_mul_vec(sim->work.pose[t->link_b].R_WL, h->frozen_n);
    p.gap = br_vec3_dot(p.normal, br_vec3_sub(p.point, from_link(sim, t->link_b, h->frozen_b)));
    return p;
}

// offset: what its gap is counted from, see br_touch; a frozen point is counted from where it was held.
static void look_at(const br_reference *r, br_hold *h, const br_contact_point *p, double offset,
                    const br_twist *V) {
    br_touch *t = &h->touch;
    const double share = t->link_b < 0 || h->play ? 0.0 : t->link_a < 0 ? 1.0 : 0.5;
    t->point = br_vec3_add_scaled(p->point, -share * p->gap, p->normal);
    t->normal = p->normal, t->gap = p->gap + offset;
    h->u = br_touch_velocity(r->sim, t, V);
    take_direction(r, h);
}

void br_holds_look(br_reference *r, const br_twist *V) {
    br_reference_contact *c = r->contact;
    br_contact_point point[BR_MAX_MANIFOLD];
    int points = 0, a = -1, b = -1;
    for (int i = 0; i < c->count; i++) {
        br_hold *h = &c->hold[i];
        const br_touch *t = &h->touch;
        if (t->shape_a != a || t->shape_b != b) {
            a = t->shape_a, b = t->shape_b;
            points = br_hold_manifold(r, a, b, BR_HOLD_MARGIN * br_shapes_size(r->sim->model, a, b), point);
        }
        int k = 0;
        while (k < points && point[k].feature != t->feature) k++;
        h->fired &= ~BR_FIRED_LOST;
        if (k == points) {
            h->fired |= BR_FIRED_LOST;
            const br_contact_point frozen = frozen_point(r->sim, h);
            look_at(r, h, &frozen, 0.0, V);
        } else {
            look_at(r, h, &point[k], t->offset, V);
        }
    }
}

// --- rates at constant v -----------------------------------------------------------------------------------

// Of a pin whose forces are known no acceleration is asked for, and how its normal turns is known otherwise.
static int needs_rates(const br_reference_contact *c) {
    for (int i = 0; i < c->count; i++)
        if (!c->hold[i].play || !br_hold_is_known(&c->hold[i])) return 1;
    return 0;
}

void br_holds_rates(br_reference *r, const double *q, const double *v) {
    static const double weight[3] = {3.0 / 4.0, -3.0 / 20.0, 1.0 / 60.0};
    br_sim *sim = r->sim;
    br_reference_contact *c = r->contact;
    const br_tree *tree = &sim->model->tree;
    const double step = BR_DIFFERENCE / (c->pace * c->fine);
    for (int i = 0; i < c->count; i++)
        c->hold[i].u_rate = c->hold[i].n_rate = br_vec3_zero(), c->hold[i].u_n_rate = 0.0;
    for (int k = needs_rates(c) ? -3 : 4; k <= 3; k++) {
        if (k == 0) continue;
        br_tree_advance(tree, q, v, k * step, c->q);
        br_tree_position(tree, c->q, &sim->work);
        br_tree_twists(tree, &sim->work, v, sim->V);
        br_holds_look(r, sim->V);
        const double f = (k > 0 ? 1.0 : -1.0) * weight[k > 0 ? k - 1 : -k - 1] / step;
        for (int i = 0; i < c->count; i++) {
            br_hold *h = &c->hold[i];
            h->u_rate = br_vec3_add_scaled(h->u_rate, f, h->u);
            h->u_n_rate += f * h->u_n;
            if (k == -3) h->n_first = h->touch.normal;
            if (h->springy) h->n_rate = br_vec3_add_scaled(h->n_rate, f, h->touch.normal);
            if (!h->rigid && !h->springy) // of a normal that stays it is zero to the last bit
                h->n_rate = br_vec3_add_scaled(h->n_rate, f, br_vec3_sub(h->touch.normal, h->n_first));
        }
    }
}

// --- responses ---------------------------------------------------------------------------------------------

static void load(br_sim *sim, int link, br_wrench F) {
    if (link >= 0) sim->work.force[link] = br_wrench_add(sim->work.force[link], F);
}

void br_hold_respond(br_reference *r, double *dv, br_twist *V) {
    br_sim *sim = r->sim;
    br_reference_contact *c = r->contact;
    const br_tree *tree = &sim->model->tree;
    br_system *s = br_reference_system(r);
    memset(c->y, 0, (size_t)r->nv * sizeof *c->y);
    br_tree_sweep(tree, &sim->work, c->path, tree->links, c->y, c->z);
    const double *z = c->z;
    for (int k = 0; k < tree->links; k++) {
        const br_link *link = &tree->link[c->path[k]];
        for (int a = 0; a < link->kind->nv; a++) c->eta[link->v_at + a] = *z++;
    }
    br_tree_respond(tree, &sim->work, c->eta, dv, V);
    if (s->groups == 0) return;
    for (int g = 0; g < s->groups; g++)
        for (int i = 0; i < s->group[g]->rows; i++)
            s->rhs[s->first[g] + i] = -br_group_velocity(s->group[g], i, V, dv);
    br_system_solve(sim, s, s->rhs, r->force, r->dv);
    for (int k = 0; k < r->nv; k++) c->eta[k] += r->dv[k];
    br_tree_respond(tree, &sim->work, c->eta, dv, V);
}

// dv [nv] and V [links] of a unit force along `force` at the touch.
static void respond(br_reference *r, const br_touch *t, br_vec3 force, double *dv, br_twist *V) {
    load(r->sim, t->link_a, br_touch_wrench(r->sim, t, force, 0));
    load(r->sim, t->link_b, br_touch_wrench(r->sim, t, force, 1));
    br_hold_respond(r, dv, V);
}

double br_hold_compliance(br_reference *r, int hold, br_vec3 direction) {
    br_reference_contact *c = r->contact;
    const br_touch *t = &c->hold[hold].touch;
    respond(r, t, direction, c->dv, c->V);
    return br_vec3_dot(direction, br_touch_velocity(r->sim, t, c->V));
}

static void add_row(br_reference_contact *c, int hold, int normal, br_vec3 direction, br_vec3 force) {
    br_hold_row *row = &c->row[c->rows++];
    row->hold = hold, row->normal = normal, row->given = 0, row->direction = direction, row->force = force;
}

static void add_tangents(br_reference *r, int i) {
    br_touch *t = &r->contact->hold[i].touch;
    const int n = br_hold_tangents(r->sim, t->normal, t->tangent);
    for (int k = 0; k < n; k++) add_row(r->contact, i, 0, t->tangent[k], t->tangent[k]);
}

static void add_hold_rows(br_reference *r, int i, br_hold_rows kind) {
    br_reference_contact *c = r->contact;
    br_hold *h = &c->hold[i];
    const br_vec3 n = h->touch.normal;
    const int sticks = br_hold_is_stuck(h), bent = br_hold_is_bent(h);
    const int with_friction = !sticks && !bent && (kind == BR_ROWS_FORCE || kind == BR_ROWS_CONE);
    const br_vec3 force = with_friction ? br_vec3_add_scaled(n, -h->drag, h->direction) : n;
    h->row = -1;
    if (!h->rigid && (!sticks || kind == BR_ROWS_ALL)) return; // its forces are known, and no impulses
    h->row = c->rows;
    if (h->rigid || kind == BR_ROWS_CONE) add_row(c, i, 1, n, force);
    if (sticks || (kind == BR_ROWS_ALL && !bent))
        add_tangents(r, i); // of bristles that bend there is no blow
}

void br_holds_rows(br_reference *r, br_hold_rows kind) {
    br_sim *sim = r->sim;
    br_reference_contact *c = r->contact;
    const int links = sim->model->tree.links;
    c->rows = 0;
    for (int i = 0; i < c->count; i++) add_hold_rows(r, i, kind);
    for (int j = 0; j < c->rows; j++) {
        br_twist *V = c->V + (size_t)j * (size_t)links;
        respond(r, &c->hold[c->row[j].hold].touch, c->row[j].force, c->dv + (size_t)j * (size_t)r->nv, V);
        for (int i = 0; i < c->rows; i++)
            c->W[i * c->rows + j] =
                br_vec3_dot(c->row[i].direction, br_touch_velocity(sim, &c->hold[c->row[i].hold].touch, V));
    }
}

// --- staying closed ----------------------------------------------------------------------------------------

static void correct(br_reference *r, double *dv) {
    br_reference_contact *c = r->contact;
    br_pinv_solve(&c->pinv, c->b, c->x);
    memset(dv, 0, (size_t)r->nv * sizeof *dv);
    for (int j = 0; j < c->rows; j++)
        for (int k = 0; k < r->nv; k++) dv[k] += c->x[j] * c->dv[(size_t)j * (size_t)r->nv + (size_t)k];
}

void br_holds_correct_position(br_reference *r, double *dv) {
    br_reference_contact *c = r->contact;
    for (int j = 0; j < c->rows; j++) c->b[j] = c->row[j].normal ? -c->hold[c->row[j].hold].touch.gap : 0.0;
    correct(r, dv);
}

void br_holds_correct_velocity(br_reference *r, const double *v, double *dv) {
    br_sim *sim = r->sim;
    br_reference_contact *c = r->contact;
    br_tree_twists(&sim->model->tree, &sim->work, v, sim->V);
    for (int j = 0; j < c->rows; j++) {
        const br_touch *t = &c->hold[c->row[j].hold].touch;
        c->b[j] = -br_vec3_dot(c->row[j].normal ? t->normal : c->row[j].direction,
                               br_touch_velocity(sim, t, sim->V));
    }
    correct(r, dv);
}
