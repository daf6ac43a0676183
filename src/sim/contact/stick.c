// Positions of what sticks, see stick.h.
//
//     d          how far the two sides of a pad came apart in the step, along it, less what its law lets bristles give way
//     dq         N J^T x,   (J N J^T) x = -d,     N = M^-1 - M^-1 J_E^T (J_E M^-1 J_E^T)^-1 J_E M^-1
//
// with J the rows of what sticks and J_E those of loops and drives. Normal rows of contacts that carry force are held as well:
// a push along the floor would tip a box. Rows are as dependent as they like: conjugate residuals find the least change, and where
// loops leave no room for all of them, the least rest.
//
// d of contacts is that of the two material points that touch at the evaluation. Of surfaces that roll these differ by
// |turn|^3 radius/24 without slipping, so what turns by more than that explains is left as it is.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "sim/contact/contact.h"
#include "sim/contact/stick.h"
#include "sim/friction/step.h"
#include "tree/spatial.h"

#define BR_EPS_WALKED (256.0 * DBL_EPSILON) // of the mechanism's extent: rounding of positions
#define BR_EPS_ROLLED 0.01                  // of the distance: what rolling may explain of it
#define BR_MAX_STICK_TURN 0.3               // rad of one body against the other in a step
#define BR_MAX_WALK 0.01                    // of the smaller shape, in a step
#define BR_EPS_HELD_ROWS 1e-4               // of the distance: what a round leaves
#define BR_EPS_STAGNANT 1e-16  // of the rest's square: what a step takes, at least; less is rounding
#define BR_EPS_FREE 1e-6       // of what a push moves a joint by: less is held by others
#define BR_EPS_HELD_SLIP 1e-10 // the same of what they must not move by
#define BR_MAX_HOLDING_SLIP 400
#define BR_MAX_HOLDING 40    // iterations of a round
#define BR_MAX_HOLD_ROUNDS 3 // the second and third take back what is not linear

typedef struct stick_row {
    int touch, rub, row; // touch < 0: row `row` of a rub's group
    br_vec3 direction;   // of a touch
    double left;         // m, to take back
} stick_row;

typedef struct stick_touch {
    double moved;
    int held;       // it stuck from the step's start to its end
    br_vec3 walked; // along the contact, less what its law allows; zero: it rolls
} stick_touch;

typedef struct stick_rub {
    br_mat3 R; // of the joint at the step's start
    br_vec3 p;
    double law[BR_MAX_SLIDING];  // m, what its law lets it move
    double left[BR_MAX_SLIDING]; // m, to take back, row by row
    double moved;
    int held;
} stick_rub;

// How far a link and its shapes came in the step.
typedef struct stick_motion {
    int known;
    double turn; // Frobenius norm of the axes' change
    double way;  // m, of any point of its shapes at most, from the step's start to its end
    double away; // the same to the evaluation
} stick_motion;

struct br_sticks {
    br_link_pose *start, *middle; // [links] at the step's start and at its evaluation
    stick_motion *motion;         // [links]
    double *reach;                // [links] m: points of its shapes that touch are no farther from its origin
    int measures_only, held;      // held: touches
    int *path;                    // [links] falling
    double *y, *z;                // [nv]
    double *eta[4];               // [nv] of the residual, of the direction, of the sum; scratch
    stick_rub *rub;               // [rubs]
    int capacity, touches;
    stick_touch *touch; // [capacity]
    int rows, listed;   // listed: `row` is of this step
    stick_row *row;     // [3 capacity + directions]
    double *vector[4];  // [same] residual, direction, and what becomes of them
};

// --- memory ------------------------------------------------------------------------------------------------

static br_status stick_no_memory(br_error *error) {
    return br_fail(error, BR_NO_MEMORY, "out-of-memory", "no memory for what sticks");
}

static void stick_give(br_sim *sim, struct br_sticks *s) {
    if (s->touch) br_sim_give(sim, s->touch);
    if (s->row) br_sim_give(sim, s->row);
    if (s->vector[0]) br_sim_give(sim, s->vector[0]);
}

static br_status stick_reserve(br_sim *sim, int touches, br_error *error) {
    struct br_sticks *s = sim->sticks;
    if (touches <= s->capacity && s->row) return BR_OK;
    struct br_sticks next = {.capacity = touches};
    const size_t rows = 3 * (size_t)touches + (sim->frictions ? (size_t)sim->frictions->directions : 0) + 1;
    next.touch = br_sim_take(sim, ((size_t)touches + 1) * sizeof *next.touch);
    next.row = br_sim_take(sim, rows * sizeof *next.row);
    next.vector[0] = br_sim_take(sim, 4 * rows * sizeof *next.vector[0]);
    if (!next.touch || !next.row || !next.vector[0]) {
        stick_give(sim, &next);
        return stick_no_memory(error);
    }
    stick_give(sim, s);
    s->capacity = touches, s->touch = next.touch, s->row = next.row;
    for (int k = 0; k < 4; k++) s->vector[k] = next.vector[0] + (size_t)k * rows;
    return BR_OK;
}

// Points that touch lie between the two surfaces, which are closed as far as a step closes them: twice the shape's own is enough.
static void stick_find_reach(const br_sim *sim, double *reach) {
    for (int i = 0; i < sim->model->tree.links; i++) reach[i] = 0.0;
    for (int k = 0; sim->contacts && k < sim->model->contact->shapes; k++) {
        const br_model_shape *shape = &sim->model->contact->shape[k];
        if (shape->link < 0) continue;
        const br_vec3 centre =
            br_vec3_add(shape->X_L.p, br_mat3_mul_vec(shape->X_L.R, shape->geometry.centre));
        reach[shape->link] = fmax(reach[shape->link], 2.0 * (br_vec3_norm(centre) + shape->geometry.reach));
    }
    for (int k = 0; sim->contacts && k < sim->model->contact->plays; k++) {
        const br_model_clearance *play = &sim->model->clearance[k];
        const double outer = 2.0 * (br_vec3_norm(play->X_AF.position) + play->outer_radius),
                     inner = 2.0 * (br_vec3_norm(play->X_BM.position) + play->outer_radius);
        if (play->first >= 0) reach[play->first] = fmax(reach[play->first], outer);
        if (play->second >= 0) reach[play->second] = fmax(reach[play->second], inner);
    }
}

br_status br_sticks_create(br_sim *sim, br_error *error) {
    const br_settings *set = &sim->model->settings;
    const int links = sim->model->tree.links, nv = sim->model->tree.nv;
    const int rubs = sim->frictions ? sim->frictions->count : 0;
    if (!br_sim_traits(sim)->impulses || (!sim->contacts && rubs == 0)) return BR_OK;
    struct br_sticks *s = BR_TAKE(&sim->arena, struct br_sticks, 1);
    double *numbers = BR_TAKE(&sim->arena, double, 6 * nv + 1);
    if (!s || !numbers) return stick_no_memory(error);
    s->start = BR_TAKE(&sim->arena, br_link_pose, 2 * links);
    s->motion = BR_TAKE(&sim->arena, stick_motion, links);
    s->reach = BR_TAKE(&sim->arena, double, links);
    s->path = BR_TAKE(&sim->arena, int, links);
    s->rub = BR_TAKE(&sim->arena, stick_rub, rubs + 1);
    if (!s->start || !s->motion || !s->reach || !s->path || !s->rub) return stick_no_memory(error);
    s->middle = s->start + links;
    stick_find_reach(sim, s->reach);
    for (int i = 0; i < links; i++) s->path[i] = links - 1 - i;
    s->y = numbers, s->z = numbers + nv;
    for (int k = 0; k < 4; k++) s->eta[k] = numbers + (2 + k) * nv;
    // The papers' own steps stay as they are printed: what they walk is measured only.
    s->measures_only = set->solver.position_old || sim->turn || (sim->contacts && sim->model->contact->paper);
    sim->sticks = s;
    return stick_reserve(sim, sim->contacts ? sim->contacts->capacity : 0, error);
}

void br_sticks_destroy(br_sim *sim) {
    if (sim->sticks) stick_give(sim, sim->sticks);
}

// --- what sticks, and how far it came ----------------------------------------------------------------------

void br_sticks_begin(br_sim *sim) {
    struct br_sticks *s = sim->sticks;
    if (!s) return;
    br_sim_refresh(sim, 1);
    memcpy(s->start, sim->work.pose, (size_t)sim->model->tree.links * sizeof *s->start);
    for (int i = 0; sim->frictions && i < sim->frictions->count; i++) {
        const br_relative x = br_sim_relative(sim, &sim->model->joint[sim->frictions->rub[i].joint], 0);
        s->rub[i].R = x.R_FM, s->rub[i].p = x.p_FM;
    }
}

static br_vec3 stick_local(const br_link_pose *pose, int link, br_vec3 p) {
    if (link < 0) return p;
    return br_mat3_tmul_vec(pose[link].R_WL, br_vec3_sub(p, pose[link].p_WL));
}

static br_vec3 stick_place(const br_link_pose *pose, int link, br_vec3 p_L) {
    if (link < 0) return p_L;
    return br_vec3_add(pose[link].p_WL, br_mat3_mul_vec(pose[link].R_WL, p_L));
}

br_status br_sticks_note(br_sim *sim, br_error *error) {
    struct br_sticks *s = sim->sticks;
    if (!s) return BR_OK;
    const br_contacts *c = sim->touching ? sim->contacts : NULL;
    const int count = c ? c->count : 0, rubs = sim->frictions ? sim->frictions->count : 0;
    const br_status status = stick_reserve(sim, c ? c->capacity : 0, error);
    if (status != BR_OK) return status;
    s->rows = s->listed = s->held = 0, s->touches = count;
    for (int k = 0; k < count; k++) {
        stick_touch *x = &s->touch[k];
        x->held = c->touch[k].state == BR_CONTACT_STICKS && c->touch[k].stood;
        x->moved = NAN, x->walked = br_vec3_zero();
        s->held += x->held;
    }
    if (s->held > 0) memcpy(s->middle, sim->work.pose, (size_t)sim->model->tree.links * sizeof *s->middle);
    for (int i = 0; i < rubs; i++) {
        s->rub[i].moved = NAN;
        s->rub[i].held = sim->frictions->step->rubbing[i].rests;
        memcpy(s->rub[i].law, sim->frictions->step->rubbing[i].allowed, sizeof s->rub[i].law);
    }
    return BR_OK;
}

static int stick_add(struct br_sticks *s, stick_row row) {
    s->row[s->rows] = row;
    return s->rows++;
}

// Tangential rows of a touch. The points of what tips contradict each other: they are measured only.
static int stick_rows_along(const br_sim *sim, int k) {
    if (!sim->sticks->touch[k].held || !sim->contacts->touch[k].together) return 0;
    return sim->model->settings.planar == BR_SPATIAL ? 2 : 1;
}

// What sticks, and what carries force, as rows. Most steps have nothing to take back, and never ask for them.
static void stick_list(br_sim *sim) {
    struct br_sticks *s = sim->sticks;
    const int rubs = sim->frictions ? sim->frictions->count : 0;
    if (s->listed) return;
    s->listed = 1, s->rows = 0;
    for (int k = 0; k < s->touches; k++) {
        const br_touch *t = &sim->contacts->touch[k];
        if (t->state != BR_CONTACT_OPEN && sim->contacts->normal_law[t->pair].kind == BR_NORMAL_RIGID)
            stick_add(s, (stick_row){k, -1, 0, t->normal, 0.0});
        for (int r = 0; r < stick_rows_along(sim, k); r++)
            stick_add(s, (stick_row){k, -1, 1 + r, t->tangent[r], 0.0});
    }
    for (int i = 0; i < rubs; i++)
        for (int r = 0; s->rub[i].held && r < sim->frictions->step->rubbing[i].n; r++)
            stick_add(s, (stick_row){-1, i, r, br_vec3_zero(), 0.0});
}

static br_mat3 stick_relative_axes(const br_link_pose *pose, const br_touch *t) {
    const br_mat3 one = br_mat3_identity();
    return br_mat3_tmul(t->link_b < 0 ? one : pose[t->link_b].R_WL,
                        t->link_a < 0 ? one : pose[t->link_a].R_WL);
}

// Distance that rolling alone puts between the material points; what turns far in a step is not held.
static double stick_rolled(const br_sim *sim, const br_touch *t) {
    const br_model_shape *shape = sim->model->contact->shape;
    double radius = 0.0;
    for (int side = 0; side < 2; side++) {
        const br_geometry *g = &shape[side ? t->shape_b : t->shape_a].geometry;
        if (br_geometry_is_round(g) && isfinite(g->reach)) radius = fmax(radius, g->reach);
    }
    const br_mat3 R =
        br_mat3_mul_t(stick_relative_axes(sim->work.pose, t), stick_relative_axes(sim->sticks->start, t));
    const double turn = br_vec3_norm(br_quat_log(br_quat_from_mat3(R)));
    return turn > BR_MAX_STICK_TURN ? INFINITY : turn * turn * turn * radius / 24.0;
}

// What bristles and viscous laws let it move: what its velocities say.
static br_vec3 stick_allowed(const br_sim *sim, const br_touch *t) {
    if (!br_touch_gives_way(sim, t)) return br_vec3_zero();
    return br_vec3_scale(
        sim->h, br_vec3_add_scaled(br_vec3_scale(1.0 - sim->theta, t->slip_start), sim->theta, t->after));
}

static double stick_rounding(const br_sim *sim, const br_touch *t) {
    return BR_EPS_WALKED * fmax(sim->extent, br_vec3_norm(t->point));
}

// Displacement along the contact, less what is allowed. 0: it rolls.
static int stick_walked(const br_sim *sim, int k, br_vec3 *walked) {
    const struct br_sticks *s = sim->sticks;
    const br_touch *t = &sim->contacts->touch[k];
    const br_vec3 at_a = stick_local(s->middle, t->link_a, t->point),
                  at_b = stick_local(s->middle, t->link_b, t->point);
    // In the axes of the second body: at the evaluation both are half a chord off, and that offset turns with them.
    const br_link_pose *const pose[2] = {s->start, sim->work.pose};
    br_vec3 apart[2];
    for (int e = 0; e < 2; e++) {
        apart[e] = br_vec3_sub(stick_place(pose[e], t->link_a, at_a), stick_place(pose[e], t->link_b, at_b));
        if (t->link_b >= 0) apart[e] = br_mat3_tmul_vec(pose[e][t->link_b].R_WL, apart[e]);
    }
    br_vec3 d = br_vec3_sub(apart[1], apart[0]);
    if (t->link_b >= 0) d = br_mat3_mul_vec(sim->work.pose[t->link_b].R_WL, d);
    d = br_vec3_add_scaled(d, -br_vec3_dot(d, t->normal), t->normal);
    *walked = br_vec3_sub(d, stick_allowed(sim, t));
    const double way = br_vec3_norm(*walked);
    if (way <= stick_rounding(sim, t)) return 1; // nothing to take back, rolling or not
    if (way > BR_MAX_WALK * br_shapes_size(sim->model, t->shape_a, t->shape_b)) return 0; // it is no walk
    return stick_rolled(sim, t) <= BR_EPS_ROLLED * way;
}

static void stick_joint_moved(const br_sim *sim, int i, double *moved) {
    const stick_rub *x = &sim->sticks->rub[i];
    const br_rub *rub = &sim->frictions->rub[i];
    const br_relative now = br_sim_relative(sim, &sim->model->joint[rub->joint], 0);
    const br_twist way = br_twist_of(br_quat_log(br_quat_from_mat3(br_mat3_mul_t(now.R_FM, x->R))),
                                     br_vec3_sub(now.p_FM, x->p));
    for (int d = 0; d < rub->pad.directions; d++) moved[d] = br_twist_dot(way, rub->pad.D[d]) - x->law[d];
}

static double stick_norm(int n, const double *a) {
    double sum = 0.0;
    for (int k = 0; k < n; k++) sum += a[k] * a[k];
    return sqrt(sum);
}

static double stick_change(const br_mat3 *from, const br_mat3 *to) {
    double sum = 0.0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) sum += (to->m[i][j] - from->m[i][j]) * (to->m[i][j] - from->m[i][j]);
    return sqrt(sum);
}

static const stick_motion *stick_motion_of(const struct br_sticks *s, const br_link_pose *now, int link) {
    stick_motion *m = &s->motion[link];
    if (m->known) return m;
    const br_link_pose *from = &s->start[link], *mid = &s->middle[link], *to = &now[link];
    m->known = 1;
    m->turn = stick_change(&from->R_WL, &to->R_WL);
    m->way = br_vec3_distance(to->p_WL, from->p_WL) + m->turn * s->reach[link];
    m->away =
        br_vec3_distance(mid->p_WL, from->p_WL) + stick_change(&from->R_WL, &mid->R_WL) * s->reach[link];
    return m;
}

// Whether the two sides cannot have come apart by more than rounding, by how far their links have come. What stick_walked
// measures is the change of a_1 - b_1 against a_0 - b_0 turned with the second link: the ways of both points, and that turn
// times |a_0 - b_0|, which is no more than both came from the start to the evaluation, where they meet.
static int stick_rests(const br_sim *sim, const br_touch *t) {
    const struct br_sticks *s = sim->sticks;
    double way = 0.0, away = 0.0, turn = 0.0;
    if (t->link_a >= 0) {
        const stick_motion *m = stick_motion_of(s, sim->work.pose, t->link_a);
        way = m->way, away = m->away;
    }
    if (t->link_b >= 0) {
        const stick_motion *m = stick_motion_of(s, sim->work.pose, t->link_b);
        way += m->way, away += m->away, turn = m->turn;
    }
    return way + turn * away <= BR_EPS_WALKED * sim->extent;
}

// Largest way to take back, in units of what is rounding. What cannot have moved beyond that is at rest, and is not placed.
static double stick_measure_touches(br_sim *sim) {
    struct br_sticks *s = sim->sticks;
    double largest = 0.0;
    if (s->held == 0) return 0.0;
    for (int i = 0; i < sim->model->tree.links; i++) s->motion[i].known = 0;
    for (int k = 0; k < s->touches; k++) {
        stick_touch *x = &s->touch[k];
        if (!x->held) continue;
        const br_touch *t = &sim->contacts->touch[k];
        if (!br_touch_gives_way(sim, t) && stick_rests(sim, t)) {
            x->walked = br_vec3_zero(), x->moved = 0.0;
            continue;
        }
        const double rounding = stick_rounding(sim, t);
        const int slips = stick_walked(sim, k, &x->walked);
        if (!slips) x->walked = br_vec3_zero();
        x->moved = slips ? br_vec3_norm(br_vec3_add(x->walked, stick_allowed(sim, t))) : NAN;
        for (int r = 0; r < stick_rows_along(sim, k); r++)
            largest = fmax(largest, fabs(br_vec3_dot(x->walked, t->tangent[r])) / rounding);
    }
    return largest;
}

static double stick_measure_rubs(br_sim *sim) {
    struct br_sticks *s = sim->sticks;
    const double rounding = BR_EPS_WALKED * fmax(1.0, sim->extent);
    double largest = 0.0, moved[BR_MAX_SLIDING] = {0.0};
    for (int i = 0; sim->frictions && i < sim->frictions->count; i++) {
        if (!s->rub[i].held) continue;
        const br_rubbing *r = &sim->frictions->step->rubbing[i];
        stick_joint_moved(sim, i, moved);
        for (int k = 0; k < r->n; k++) {
            double left = 0.0;
            for (int d = 0; d < r->n; d++) left += r->basis[k * r->n + d] * moved[d];
            s->rub[i].left[k] = left;
            largest = fmax(largest, fabs(left) / rounding);
        }
        // What bends bristles, and comes back, is no creep; what a function of velocity lets go is.
        const int bends = br_friction_has_state(&sim->frictions->rub[i].law);
        for (int d = 0; d < r->n && !r->set_valued; d++)
            moved[d] += s->rub[i].law[d] - (bends ? r->z[d] - sim->frictions->now[i].z[d] : 0.0);
        s->rub[i].moved = stick_norm(r->n, moved);
    }
    return largest;
}

// How far what sticks came; the largest, in units of what is rounding.
static double stick_measure(br_sim *sim) {
    return fmax(stick_measure_touches(sim), stick_measure_rubs(sim));
}

// What was measured, row by row.
static void stick_take_ways(br_sim *sim) {
    struct br_sticks *s = sim->sticks;
    stick_list(sim);
    for (int n = 0; n < s->rows; n++) {
        stick_row *row = &s->row[n];
        if (row->touch < 0)
            row->left = s->rub[row->rub].left[row->row];
        else if (row->row > 0)
            row->left = br_vec3_dot(s->touch[row->touch].walked, row->direction);
    }
}

// --- taking it back ----------------------------------------------------------------------------------------

// J^T x into the sweep's forces, and M^-1 of it into eta.
static void stick_push(br_sim *sim, const double *x, double *eta) {
    const br_tree *tree = &sim->model->tree;
    struct br_sticks *s = sim->sticks;
    double *direct = s->eta[3];
    memset(direct, 0, (size_t)tree->nv * sizeof *direct);
    for (int n = 0; n < s->rows; n++) {
        const stick_row *row = &s->row[n];
        if (row->touch >= 0) {
            const br_touch *t = &sim->contacts->touch[row->touch];
            const int link[2] = {t->link_a, t->link_b};
            for (int side = 0; side < 2; side++) {
                if (link[side] < 0) continue;
                const br_wrench F = br_touch_wrench(sim, t, row->direction, side);
                br_wrench_add_scaled(&sim->work.force[link[side]], x[n], &F);
            }
            continue;
        }
        const br_group *g = sim->frictions->step->rubbing[row->rub].group;
        for (int e = 0; e < g->entries; e++)
            br_wrench_add_scaled(&sim->work.force[g->link[e]], x[n], &g->F[row->row * g->entries + e]);
        for (int d = 0; d < g->dofs; d++) direct[g->dof[d]] += x[n] * g->coefficient[row->row * g->dofs + d];
    }
    double *y = s->y;
    for (int p = 0; p < tree->links; p++) {
        const br_link *link = &tree->link[s->path[p]];
        memcpy(y, direct + link->v_at, (size_t)link->kind->nv * sizeof *y);
        y += link->kind->nv;
    }
    br_tree_sweep(tree, &sim->work, s->path, tree->links, s->y, s->z);
    const double *z = s->z;
    for (int p = 0; p < tree->links; p++) {
        const br_link *link = &tree->link[s->path[p]];
        memcpy(eta + link->v_at, z, (size_t)link->kind->nv * sizeof *z);
        z += link->kind->nv;
    }
}

// N: what loops and drives leave of eta.
static void stick_keep_loops(br_sim *sim, double *eta) {
    br_system *e = &sim->exact;
    double *dv = sim->sticks->eta[3];
    if (e->groups == 0) return;
    br_tree_respond(&sim->model->tree, &sim->work, eta, dv, sim->V);
    for (int g = 0; g < e->groups; g++)
        for (int r = 0; r < e->group[g]->rows; r++)
            e->rhs[e->first[g] + r] = -br_group_velocity(e->group[g], r, sim->V, dv);
    br_system_solve_once(sim, e, e->rhs, e->force, dv);
    for (int k = 0; k < sim->model->tree.nv; k++) eta[k] += dv[k];
}

// out = J N J^T x, eta = of N J^T x.
static void stick_apply(br_sim *sim, const double *x, double *eta, double *out) {
    const struct br_sticks *s = sim->sticks;
    double *dv = s->eta[3];
    stick_push(sim, x, eta);
    stick_keep_loops(sim, eta);
    br_tree_respond(&sim->model->tree, &sim->work, eta, dv, sim->V);
    for (int n = 0; n < s->rows; n++) {
        const stick_row *row = &s->row[n];
        out[n] = row->touch >= 0
                     ? br_vec3_dot(br_touch_velocity(sim, &sim->contacts->touch[row->touch], sim->V),
                                   row->direction)
                     : br_group_velocity(sim->frictions->step->rubbing[row->rub].group, row->row, sim->V, dv);
    }
}

static double stick_dot(int n, const double *a, const double *b) {
    double sum = 0.0;
    for (int k = 0; k < n; k++) sum += a[k] * b[k];
    return sum;
}

static void stick_combine(int n, double *to, double factor, const double *add, double keep) {
    for (int k = 0; k < n; k++) to[k] = keep * to[k] + factor * add[k];
}

// Conjugate residuals, until `least` of it is left, or nothing more can be taken: a step takes alpha r A r of the rest's square, and where rows
// contradict each other what would follow is rounding over rounding. The sum of what was found is in eta[2].
static void stick_solve(br_sim *sim, double least, int most) {
    struct br_sticks *s = sim->sticks;
    const int n = s->rows, nv = sim->model->tree.nv;
    double *r = s->vector[0], *p = s->vector[1], *Ar = s->vector[2], *Ap = s->vector[3];
    double *eta_r = s->eta[0], *eta_p = s->eta[1], *eta = s->eta[2];
    memset(eta, 0, (size_t)nv * sizeof *eta);
    for (int k = 0; k < n; k++) r[k] = -s->row[k].left;
    const double first = stick_norm(n, r);
    stick_apply(sim, r, eta_r, Ar);
    memcpy(p, r, (size_t)n * sizeof *p), memcpy(Ap, Ar, (size_t)n * sizeof *Ap);
    memcpy(eta_p, eta_r, (size_t)nv * sizeof *eta_p);
    double rAr = stick_dot(n, r, Ar);
    for (int k = 0; k < most; k++) {
        const double square = stick_dot(n, Ap, Ap);
        if (!(rAr > 0.0) || !(square > 0.0)) break;
        const double alpha = rAr / square, rest = stick_norm(n, r);
        if (!(alpha * rAr > BR_EPS_STAGNANT * rest * rest)) break;
        stick_combine(nv, eta, alpha, eta_p, 1.0);
        stick_combine(n, r, -alpha, Ap, 1.0);
        if (stick_norm(n, r) <= least * first) break;
        stick_apply(sim, r, eta_r, Ar);
        const double next = stick_dot(n, r, Ar), beta = next / rAr;
        stick_combine(n, p, 1.0, r, beta), stick_combine(n, Ap, 1.0, Ar, beta);
        stick_combine(nv, eta_p, 1.0, eta_r, beta);
        rAr = next;
    }
}

br_status br_sticks_hold(br_sim *sim, br_error *error) {
    struct br_sticks *s = sim->sticks;
    if (!s || sim->passing) return BR_OK;
    br_sim_refresh(sim, 1);
    double left = stick_measure(sim);
    for (int round = 0; !s->measures_only && round < BR_MAX_HOLD_ROUNDS && left > 1.0; round++) {
        br_status status = br_project_renew(sim, error);
        if (status != BR_OK) return status;
        stick_take_ways(sim);
        stick_solve(sim, BR_EPS_HELD_ROWS, BR_MAX_HOLDING);
        br_tree_respond(&sim->model->tree, &sim->work, s->eta[2], s->eta[2], sim->V);
        br_tree_advance(&sim->model->tree, sim->state.q, s->eta[2], 1.0, sim->state.q);
        status = br_project_position(sim, sim->state.q, 0, error);
        if (status != BR_OK) return status;
        br_sim_refresh(sim, 1);
        left = stick_measure(sim);
    }
    return BR_OK;
}

// What a push along its slip moves it by, and what is left of that when all that sticks stays where it is.
int br_sticks_lets_slip(br_sim *sim, int i) {
    struct br_sticks *s = sim->sticks;
    const br_rubbing *r = &sim->frictions->step->rubbing[i];
    const double speed = stick_norm(r->n, r->velocity);
    double *x = s ? s->vector[0] : NULL, *moved = s ? s->vector[1] : NULL, free = 0.0, held = 0.0;
    br_error ignored;
    int others = 0;
    if (!s || !(speed > 0.0)) return 1;
    stick_list(sim);
    for (int n = 0; n < s->rows; n++)
        if (s->row[n].rub != i &&
            (s->row[n].rub < 0 || sim->frictions->step->rubbing[s->row[n].rub].set_valued))
            s->row[others++] = s->row[n];
    s->rows = others;
    br_sim_refresh(sim, 1);
    if (others == 0 || br_project_renew(sim, &ignored) != BR_OK) return 1;
    memset(x, 0, (size_t)others * sizeof *x);
    for (int k = 0; k < r->n; k++) {
        double along = 0.0;
        for (int d = 0; d < r->n; d++) along += r->basis[k * r->n + d] * r->velocity[d] / speed;
        x[others + k] = along;
        stick_add(s, (stick_row){-1, i, k, br_vec3_zero(), along});
    }
    stick_apply(sim, x, s->eta[0], moved);
    for (int n = others; n < s->rows; n++) free += x[n] * moved[n];
    for (int n = 0; n < others; n++) s->row[n].left = moved[n];
    s->rows = others;
    stick_solve(sim, BR_EPS_HELD_SLIP, BR_MAX_HOLDING_SLIP);
    br_tree_respond(&sim->model->tree, &sim->work, s->eta[2], s->eta[3], sim->V);
    for (int k = 0; k < r->n; k++)
        held -= s->row[others + k].left * br_group_velocity(r->group, k, sim->V, s->eta[3]);
    return free - held > BR_EPS_FREE * free;
}

double br_sticks_touch(const br_sim *sim, int k) {
    const struct br_sticks *s = sim->sticks;
    return s && k < s->touches && s->touch[k].held ? s->touch[k].moved : NAN;
}

double br_sticks_rub(const br_sim *sim, int i) {
    return sim->sticks && sim->sticks->rub[i].held ? sim->sticks->rub[i].moved : NAN;
}

int br_sticks_hold_positions(const br_sim *sim) {
    return sim->sticks && !sim->sticks->measures_only;
}
