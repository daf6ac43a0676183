// Shapes that touch in a step of the implicit stepper: where, with what forces, and what becomes of them. See touching.h.
#include "sim/stepper/implicit/touching.h"

#include <string.h>

#include "base/error.h"
#include "sim/core/ledger.h"
#include "sim/core/ledger_judge.h"
#include "sim/stepper/implicit/touching_solve.h"
#include "sim/stepper/stepper.h"

#define BR_EPS_PASSED 0.1  // of the way to the middle: a contact passed by less is only curved
#define BR_EPS_WAY 1e-9    // of a size: shorter ways are rounding
#define BR_LEAST_TOL 1e-9  // velocities are differences of positions, whose rounding more digits would follow
#define BR_EPS_ENOUGH 1e-7 // residual that serves where less takes long
#define BR_MOST_WORK 4.0   // of the kinetic energy, by normal impulses of a step, and ...
#define BR_LEAST_WORK 1e-6 // ... J on top
#define BR_JAMMED_SOFTNESS 1e-6  // of W: tangents of contacts that jam
#define BR_WEDGED_SOFTNESS 1e-4  // the same, where that is not enough
#define BR_SHORTEST_LANDING 1e-3 // of solver.step: what is nearer is reached at once

static br_status touching_no_memory(br_error *error) {
    return br_fail(error, BR_NO_MEMORY, "out-of-memory", "no memory for contacts");
}

br_status br_touching_create(br_implicit *f, br_error *error) {
    br_sim *sim = f->sim;
    if (!sim->contacts || sim->stepper != &br_stepper_implicit) return BR_OK;
    struct br_touching *c = BR_TAKE(f->arena, struct br_touching, 1);
    if (!c) return touching_no_memory(error);
    c->force = BR_TAKE(f->arena, br_wrench, f->nodes + 1);
    c->middle = BR_TAKE(f->arena, br_vec3, f->nodes + 1);
    c->node_at = BR_TAKE(f->arena, int, f->nodes + 1);
    if (!c->force || !c->middle || !c->node_at) return touching_no_memory(error);
    for (int i = 0, at = 0; i < f->nodes; at += 6 + f->node[i].rows, i++) c->node_at[i] = at;
    br_solver_def def = br_default_solver_def();
    def.allocator = &sim->allocator;
    def.kind = sim->model->settings.solver.method;
    def.tol = fmax(sim->model->settings.solver.tol, BR_LEAST_TOL);
    def.tol_enough = BR_EPS_ENOUGH;
    const br_status status = br_solver_create(&def, &c->solver, error);
    if (status == BR_OK) f->touching = c;
    return status;
}

void br_touching_destroy(br_sim *sim) {
    struct br_touching *c = sim->implicit ? sim->implicit->touching : NULL;
    if (!c) return;
    void *const all[] = {c->law,        c->known, c->block, c->row,     c->offset, c->total,
                         c->compliance, c->p,     c->p_now, c->p_first, c->w,      c->w_free,
                         c->reply,      c->W,     c->start, c->column,  c->fixed};
    br_solver_destroy(c->solver);
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (all[k]) br_sim_give(sim, all[k]);
}

// --- where -------------------------------------------------------------------------------------------------

static void place_link(const br_implicit *f, int i, br_vec3 x, br_mat3 R, br_vec3 u, br_vec3 w) {
    br_tree_work *work = &f->sim->work;
    const br_vec3 arm = br_mat3_mul_vec(R, f->node[i].com);
    work->pose[i].R_WL = R, work->pose[i].p_WL = br_vec3_sub(x, arm);
    work->motion[i].V = br_twist_of(w, br_vec3_sub(u, br_vec3_cross(w, arm)));
}

// Links where the middle of the step is foreseen, with the velocities of its start.
static void go_to_middle(br_implicit *f, double half) {
    br_sim *sim = f->sim;
    for (int i = 0; i < f->nodes; i++) {
        const br_node *n = &f->node[i];
        const br_quat q =
            br_quat_normalize(br_quat_mul(n->start->q, br_quat_exp(br_vec3_scale(half, n->w0))));
        f->touching->middle[i] = br_vec3_add_scaled(n->start->x, half, n->u0);
        place_link(f, i, f->touching->middle[i], br_quat_to_mat3(q), n->u0, br_mat3_mul_vec(n->R0, n->w0));
        sim->V_start[i] = sim->work.motion[i].V;
    }
    sim->at = 0; // not the state's
}

// The same with the mean velocities of the step that was found.
static void go_with_means(br_implicit *f) {
    go_to_middle(f, 0.5 * f->h);
    for (int i = 0; i < f->nodes; i++) {
        const br_node *n = &f->node[i];
        const br_vec3 arm = br_vec3_sub(f->touching->middle[i], f->sim->work.pose[i].p_WL),
                      w = br_vec3_scale(1.0 / f->h, n->turn);
        f->sim->work.motion[i].V =
            br_twist_of(w, br_vec3_sub(br_vec3_scale(1.0 / f->h, n->dx), br_vec3_cross(w, arm)));
    }
}

// What is passed in the middle, and not yet touched at the start, would be thrown back: what lands keeps the next middle from that, but
// not the first one, nor a longer step than it knew of. A step of 2 gap/speed ends where it touches, at rest.
static double landing_step(const br_implicit *f) {
    const br_contacts *c = f->sim->contacts;
    double shortest = f->h;
    for (int k = 0; k < c->count; k++) {
        const br_touch *t = &c->touch[k];
        const int arrives = t->was == BR_CONTACT_OPEN || t->closing < 0.0;
        if (!arrives || !(t->gap < 0.0) || c->normal_law[t->pair].kind != BR_NORMAL_RIGID) continue;
        const double approach = br_vec3_dot(br_touch_velocity(f->sim, t, f->sim->V_start), t->normal);
        const double way = -0.5 * f->h * approach, gap = t->gap + way;
        if (way > BR_EPS_WAY * t->size && t->gap < -BR_EPS_PASSED * way && gap >= -BR_EPS_WAY * t->size)
            shortest = fmin(shortest, -2.0 * fmax(0.0, gap) / approach);
    }
    const double least = BR_SHORTEST_LANDING * f->sim->model->settings.solver.step;
    return shortest < f->h && f->h > least ? fmax(shortest, least) : 0.0;
}

br_status br_touching_begin(br_implicit *f, double *shorter, br_error *error) {
    struct br_touching *c = f->touching;
    br_sim *sim = f->sim;
    *shorter = 0.0;
    memset(c->force, 0, (size_t)f->nodes * sizeof *c->force);
    sim->h = f->h, sim->theta = 0.5;
    go_to_middle(f, 0.5 * f->h);
    br_status status = br_contacts_find(sim, f->h, 0.0, error);
    if (status == BR_OK) status = br_contacts_make_room(sim, error);
    if (status != BR_OK) return status;
    if ((*shorter = landing_step(f)) > 0.0) return BR_OK;
    br_touches_phase(sim, sim->contacts->touch, sim->contacts->count, sim->V_start);
    c->begun = c->warm = c->unsolved = c->no_memory = 0;
    c->softness = c->wedged == 0 ? 0.0 : c->wedged == 1 ? BR_JAMMED_SOFTNESS : BR_WEDGED_SOFTNESS;
    if (br_touching_list(f) != BR_OK) return touching_no_memory(error);
    return BR_OK;
}

br_status br_touching_begin_instant(br_implicit *f, br_error *error) {
    struct br_touching *c = f->touching;
    br_sim *sim = f->sim;
    sim->h = f->h, sim->theta = 1.0;
    go_to_middle(f, 0.0);
    const br_status status = br_contacts_find(sim, f->h, 0.0, error);
    if (status != BR_OK) return status;
    br_touches_phase(sim, sim->contacts->touch, sim->contacts->count, sim->V_start);
    c->begun = c->warm = c->unsolved = c->no_memory = 0, c->softness = 0.0;
    return br_touching_list(f) == BR_OK ? BR_OK : touching_no_memory(error);
}

// --- forces ------------------------------------------------------------------------------------------------

double br_touching_rate(const br_implicit *f, int row) {
    const br_touching_row *x = &f->touching->row[row];
    double rate = 0.0;
    for (int k = 0; k < 2; k++) {
        if (x->node[k] < 0) continue;
        const br_node *n = &f->node[x->node[k]];
        if (f->instant)
            rate += br_twist_dot(n->rate, x->on[k]);
        else
            rate += br_twist_dot(br_twist_of(n->turn, n->dx), x->on[k]) / f->h;
    }
    return rate;
}

void br_touching_take(br_implicit *f) {
    struct br_touching *c = f->touching;
    const double per = 1.0 / (f->sim->theta * f->h);
    memset(c->force, 0, (size_t)f->nodes * sizeof *c->force);
    for (int r = 0; r < c->rows; r++) {
        c->p_now[r] = c->p[r];
        for (int k = 0; k < 2; k++) {
            if (c->row[r].node[k] < 0) continue;
            br_wrench *F = &c->force[c->row[r].node[k]];
            *F = br_wrench_add(*F, br_wrench_scale(per * c->p[r], c->row[r].on[k]));
        }
    }
}

int br_touching_jams(br_implicit *f) {
    struct br_touching *c = f->touching;
    double work = 0.0;
    if (c->rows == 0 || c->wedged == 2) return 0;
    for (int l = 0; l < c->laws; l++) {
        const int row = c->law[l].first_row;
        if (c->block[l].of == BR_BLOCK_CONTACT)
            work += fabs(c->p_now[row] * br_touching_rate(f, row)) / f->sim->theta;
    }
    if (!c->unsolved && work <= BR_MOST_WORK * f->sim->energy->kinetic + BR_LEAST_WORK) return 0;
    c->wedged++;
    return 1;
}

// --- the step stands ---------------------------------------------------------------------------------------

int br_touching_lands(const br_implicit *f) {
    return f->sim->contacts->landed;
}

static double work_of_touches(const br_implicit *f) {
    double work = 0.0;
    for (int i = 0; i < f->nodes; i++)
        work += br_twist_dot(br_twist_of(f->node[i].turn, f->node[i].dx), f->touching->force[i]);
    return work;
}

// What contacts took, by the books of the contact stepper; what they took beyond is the scheme's.
void br_touching_finish(br_implicit *f) {
    struct br_touching *c = f->touching;
    br_sim *sim = f->sim;
    br_powers powers = {0};
    sim->h = f->h, sim->theta = 0.5;
    go_with_means(f);
    br_touching_results(f);
    br_contact_powers(sim, &powers);
    const double before = sim->state.at->contact_elastic;
    sim->state.at->contact_elastic = br_contacts_stored(sim, sim->contacts->touch, sim->contacts->count);
    sim->at = 0;
    c->friction = f->h * powers.friction, c->impact = f->h * powers.impact,
    c->damping = f->h * powers.damping;
    c->stored = sim->state.at->contact_elastic;
    c->scheme = -work_of_touches(f) - c->friction - c->impact - c->damping - (c->stored - before);
    if (sim->contacts->changed) f->jumped = "a contact began, ended, stuck or slid within the step";
    if (powers.lagging) f->jumped = "a soft contact was too stiff for the step";
}

void br_touching_keep(br_implicit *f) {
    br_sim *sim = f->sim;
    br_judge_touches(sim);
    br_contact_maxima(sim);
    br_contact_events(sim);
    br_contacts_keep(sim);
}
