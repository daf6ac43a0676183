// Forces of contacts within Newton's method: one complementarity problem in the mean velocities of the step, see touching.h.
//
// Bases and phases of the laws are chosen in the first iteration, from the motion that is free of contact. What laws take from the
// last answer (bounds that lag, the slope of soft contacts) is passed on within an iteration until it no longer moves; static friction
// that is overcome and what friction would turn round are revised there as well, as the contact stepper does (sim/contact/solve.c).
#include "sim/stepper/implicit/touching_solve.h"

#include <string.h>

#include "math/elementary.h"

#define BR_EPS_LAG 1e-7                            // relative change of what is lagged at which passes end
#define BR_VELOCITY_ROUNDING (256.0 * DBL_EPSILON) // of the model's extent, in a step
#define BR_EPS_IMMOBILE 1e-14                      // of the softest row: what gives way by less does not move
#define BR_MAX_PASSES 12                           // of bounds implicit
#define BR_EPS_USABLE_TOUCH 1e-6 // residual at which an answer that did not converge still serves
#define BR_MAX_RESTORING 30      // passes of a blow's second phase
#define BR_MAX_CORRECTION 4.0    // of a rebound by one of them

typedef struct br_touching touching;

static br_touch *touch_of(const br_implicit *f, int law) {
    return &f->sim->contacts->touch[f->touching->block[law].index];
}

static const br_pair_def *touching_pair(const br_implicit *f, const br_touch *t) {
    return &f->sim->model->contact->pair[t->pair];
}

static int is_planar(const br_implicit *f) {
    return f->sim->model->settings.planar != BR_SPATIAL;
}

// --- memory ------------------------------------------------------------------------------------------------

// Contents need not survive.
static int grow(const br_sim *sim, void *memory, size_t count, size_t size) {
    void **at = memory;
    if (*at) br_sim_give(sim, *at);
    *at = br_sim_take(sim, (count + 1) * size);
    return *at != NULL;
}

static int grow_touching_laws(const br_sim *sim, touching *c, int laws, int rows) {
    int good = 1;
    if (laws > c->law_capacity) {
        c->law_capacity = 2 * laws, c->ready = 0;
        good &= grow(sim, &c->law, (size_t)c->law_capacity, sizeof *c->law);
        good &= grow(sim, &c->block, (size_t)c->law_capacity, sizeof *c->block);
        good &= grow(sim, &c->known, 3 * (size_t)c->law_capacity, sizeof *c->known);
    }
    if (rows > c->row_capacity) {
        double **const numbers[] = {&c->offset, &c->total,   &c->compliance, &c->p,
                                    &c->p_now,  &c->p_first, &c->w,          &c->w_free};
        const size_t n = (size_t)(c->row_capacity = rows + rows / 2);
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
            good &= grow(sim, numbers[k], n, sizeof(double));
        good &= grow(sim, &c->fixed, n, sizeof(int));
        good &= grow(sim, &c->row, n, sizeof *c->row) && grow(sim, &c->start, n + 1, sizeof(int));
        good &= grow(sim, &c->column, n * n, sizeof(int)) && grow(sim, &c->W, n * n, sizeof(double));
    }
    if (!good) c->law_capacity = c->row_capacity = c->ready = 0;
    return good;
}

static int grow_replies(const br_implicit *f, touching *c) {
    const size_t needed = (size_t)c->rows * (size_t)f->unknowns;
    if (needed <= c->reply_capacity) return 1;
    c->reply_capacity = grow(f->sim, &c->reply, 2 * needed, sizeof(double)) ? 2 * needed : 0;
    return c->reply_capacity > 0;
}

// --- laws and rows -----------------------------------------------------------------------------------------

static void add_touching_law(touching *c, br_law_kind kind, int rows, br_block_of of, int index) {
    c->law[c->laws] = (br_law){.kind = kind, .first_row = c->rows, .rows = rows};
    c->block[c->laws++] = (br_contact_block){of, index};
    c->rows += rows;
}

static void list_laws(const br_implicit *f, touching *c) {
    const br_model_contact *contact = f->sim->model->contact;
    const int rows = is_planar(f) ? 2 : 3;
    c->laws = c->rows = 0;
    for (int k = 0; k < f->sim->contacts->count; k++) {
        br_touch *t = &f->sim->contacts->touch[k];
        const br_pair_def *pair = touching_pair(f, t);
        const br_law_kind kind = br_touch_law_kind(f->sim, t);
        if (kind == BR_LAW_BOX) {
            add_touching_law(c, BR_LAW_UNILATERAL, 1, BR_BLOCK_CONTACT, k);
            add_touching_law(c, BR_LAW_BOX, rows - 1, BR_BLOCK_TANGENTS, k);
        } else {
            add_touching_law(c, kind, rows, BR_BLOCK_CONTACT, k);
            c->law[c->laws - 1].sides = contact->traits->sides ? (int)contact->argument : 0;
        }
        if (pair->rolling > 0.0) add_touching_law(c, BR_LAW_BOX, is_planar(f) ? 1 : 2, BR_BLOCK_ROLLING, k);
        if (pair->torsion > 0.0 && !is_planar(f)) add_touching_law(c, BR_LAW_BOX, 1, BR_BLOCK_TORSION, k);
        t->turn[0] = t->roll[0] = 1.0, t->turn[1] = t->roll[1] = 0.0;
    }
}

// The first axis that moments of rolling friction are about.
static br_vec3 axis_of_rolling(const br_implicit *f, const br_touch *t) {
    if (is_planar(f)) return t->tangent[1];
    const double c = t->turn[0] * t->roll[0] + t->turn[1] * t->roll[1],
                 s = t->turn[0] * t->roll[1] - t->turn[1] * t->roll[0];
    return br_vec3_add_scaled(br_vec3_scale(c, t->tangent[0]), s, t->tangent[1]);
}

static br_vec3 axis_of_row(const br_implicit *f, const br_touch *t, br_block_of of, int r) {
    if (of == BR_BLOCK_TORSION) return t->normal;
    if (of == BR_BLOCK_ROLLING) {
        const br_vec3 x = axis_of_rolling(f, t);
        return r == 0 ? x : br_vec3_cross(t->normal, x);
    }
    const int k = r + (of == BR_BLOCK_TANGENTS);
    return k == 0 ? t->normal : t->tangent[k - 1];
}

static void fill_rows(br_implicit *f) {
    touching *c = f->touching;
    for (int l = 0; l < c->laws; l++) {
        const br_touch *t = touch_of(f, l);
        const int turns = br_block_turns(c->block[l]);
        for (int r = 0; r < c->law[l].rows; r++) {
            br_touching_row *row = &c->row[c->law[l].first_row + r];
            const br_vec3 axis = axis_of_row(f, t, c->block[l].of, r);
            for (int k = 0; k < 2; k++) {
                const br_vec3 d = k == 0 ? axis : br_vec3_neg(axis);
                const int node = row->node[k] = k == 0 ? t->link_a : t->link_b;
                if (node < 0) continue;
                row->on[k] = turns ? br_wrench_of(d, br_vec3_zero())
                                   : br_wrench_of_force(d, br_vec3_sub(t->point, c->middle[node]));
            }
        }
    }
}

// Impulses of the last step, in this one's bases.
static void guess_impulses(br_implicit *f) {
    touching *c = f->touching;
    const double share = f->sim->theta * f->h;
    c->warm = 0;
    for (int l = 0; l < c->laws; l++) {
        const br_touch *t = touch_of(f, l);
        const br_vec3 force = br_vec3_add_scaled(t->guess_t, t->guess_n, t->normal),
                      from = br_block_turns(c->block[l]) ? t->moment : force;
        for (int r = 0; r < c->law[l].rows; r++)
            c->p[c->law[l].first_row + r] = share * br_vec3_dot(from, axis_of_row(f, t, c->block[l].of, r));
        c->warm |= t->age > 0;
    }
}

static void list_columns(touching *c) {
    for (int r = 0; r < c->rows; r++) {
        c->start[r] = r * c->rows;
        for (int k = 0; k < c->rows; k++) c->column[r * c->rows + k] = k;
    }
    c->start[c->rows] = c->rows * c->rows;
}

// A number for the pattern at hand: the old one where nothing changed.
static void name_pattern(touching *c) {
    int same = c->ready && c->known_laws == c->laws && c->known_rows == c->rows;
    for (int l = 0; same && l < c->laws; l++)
        same = c->known[3 * l] == (int)c->law[l].kind && c->known[3 * l + 1] == c->law[l].rows &&
               c->known[3 * l + 2] == c->law[l].sides;
    if (same) return;
    c->ready = 0, c->known_laws = c->laws, c->known_rows = c->rows;
    for (int l = 0; l < c->laws; l++)
        c->known[3 * l] = (int)c->law[l].kind, c->known[3 * l + 1] = c->law[l].rows,
                     c->known[3 * l + 2] = c->law[l].sides;
    list_columns(c);
}

static int rows_at_most(const br_implicit *f) {
    int rows = 0;
    for (int k = 0; k < f->sim->contacts->count; k++) {
        const br_pair_def *pair = touching_pair(f, &f->sim->contacts->touch[k]);
        rows += 3 + (pair->rolling > 0.0 ? 2 : 0) + (pair->torsion > 0.0 ? 1 : 0);
    }
    return rows;
}

br_status br_touching_list(br_implicit *f) {
    touching *c = f->touching;
    const int count = f->sim->contacts->count;
    c->laws = c->rows = 0;
    if (count == 0) return BR_OK;
    if (!grow_touching_laws(f->sim, c, 4 * count, rows_at_most(f))) return BR_NO_MEMORY;
    list_laws(f, c);
    if (!grow_replies(f, c)) return BR_NO_MEMORY;
    name_pattern(c);
    for (int r = 0; r < c->rows; r++) c->p[r] = c->p_now[r] = 0.0;
    return BR_OK;
}

// --- what everything else answers --------------------------------------------------------------------------

// Velocity of a row for moves and rotations of the ends, times h.
static double row_along(const br_implicit *f, const br_touching_row *row, const double *moves) {
    double sum = 0.0;
    for (int k = 0; k < 2; k++) {
        if (row->node[k] < 0) continue;
        const double *d = moves + f->touching->node_at[row->node[k]];
        const br_vec3 turn = br_mat3_mul_vec(f->node[row->node[k]].turn_by, br_vec3_of(d[3], d[4], d[5]));
        sum += br_twist_dot(br_twist_of(turn, br_vec3_of(d[0], d[1], d[2])), row->on[k]);
    }
    return sum;
}

static void put_row(const br_implicit *f, const br_touching_row *row, double *out) {
    memset(out, 0, (size_t)f->unknowns * sizeof *out);
    for (int k = 0; k < 2; k++) {
        if (row->node[k] < 0) continue;
        const br_wrench F = row->on[k];
        const double part[6] = {F.force.x, F.force.y, F.force.z, F.torque.x, F.torque.y, F.torque.z};
        double *at = out + f->touching->node_at[row->node[k]];
        for (int i = 0; i < 6; i++) at[i] += f->scale * part[i];
    }
}

// Joints that leave no motion along a row answer with rounding, at which no law could be met: they do not answer, and what is
// only rounding of their velocity is none.
static void drop_immobile_rows(touching *c) {
    const int n = c->rows;
    double most = 0.0;
    for (int r = 0; r < n; r++) most = fmax(most, c->W[r * (n + 1)]);
    for (int r = 0; r < n; r++) {
        c->fixed[r] = !(c->W[r * (n + 1)] > BR_EPS_IMMOBILE * most);
        for (int k = 0; c->fixed[r] && k < n; k++) c->W[r * n + k] = c->W[k * n + r] = 0.0;
    }
}

// A^-1 J^T and W, with the factors at hand.
static void find_replies(br_implicit *f) {
    touching *c = f->touching;
    // At an instant the matrix answers with accelerations, which h makes velocities of.
    const double per = f->instant ? 1.0 : 1.0 / (f->sim->theta * f->h * f->h);
    for (int r = 0; r < c->rows; r++) {
        double *reply = c->reply + (size_t)r * (size_t)f->unknowns;
        put_row(f, &c->row[r], reply);
        br_block_solve(f->matrix, reply);
        for (int k = 0; k < c->rows; k++) c->W[k * c->rows + r] = per * row_along(f, &c->row[k], reply);
    }
    drop_immobile_rows(c);
}

// Velocities of the rows without any contact, to first order about the evaluation at hand: its residual has the impulses p.
static void find_free(br_implicit *f) {
    touching *c = f->touching;
    const double noise = BR_VELOCITY_ROUNDING * f->sim->extent / f->h, along = f->instant ? f->h : 1.0 / f->h;
    for (int r = 0; r < c->rows; r++) {
        double w = br_touching_rate(f, r) + along * row_along(f, &c->row[r], f->solution);
        for (int k = 0; k < c->rows; k++) w -= c->W[r * c->rows + k] * c->p_now[k];
        c->w_free[r] = c->fixed[r] && fabs(w) <= noise ? 0.0 : w;
    }
}

// --- the beginning of a step -------------------------------------------------------------------------------

// See begin_rolling in sim/contact/solve.c.
static void choose_rolling(br_implicit *f, int l) {
    touching *c = f->touching;
    br_touch *t = touch_of(f, l);
    const int row = c->law[l].first_row;
    const br_vec3 x = axis_of_row(f, t, BR_BLOCK_ROLLING, 0), y = axis_of_row(f, t, BR_BLOCK_ROLLING, 1);
    br_vec3 turns = br_vec3_zero();
    if (t->link_a >= 0) turns = f->sim->V_start[t->link_a].angular;
    if (t->link_b >= 0) turns = br_vec3_sub(turns, f->sim->V_start[t->link_b].angular);
    double about[2] = {br_vec3_dot(turns, x), br_vec3_dot(turns, y)};
    t->turning = br_hypot(about[0], about[1]);
    if (t->turning <=
        touching_pair(f, t)->rolling * t->f_n * f->sim->theta * f->h * c->W[row * (c->rows + 1)]) {
        t->turning = 0.0;
        about[0] = br_vec3_dot(t->moment, x), about[1] = br_vec3_dot(t->moment, y);
        if (!(br_hypot(about[0], about[1]) > 0.0)) about[0] = c->w_free[row], about[1] = c->w_free[row + 1];
    }
    const double length = br_hypot(about[0], about[1]);
    if (length > 0.0) t->roll[0] = about[0] / length, t->roll[1] = about[1] / length;
}

static void choose_bases(br_implicit *f) {
    touching *c = f->touching;
    for (int l = 0; l < c->laws; l++)
        if (c->block[l].of == BR_BLOCK_ROLLING && c->law[l].rows == 2) choose_rolling(f, l);
    for (int l = 0; l < c->laws; l++) {
        if (c->block[l].of != BR_BLOCK_CONTACT) continue;
        const int row = c->law[l].first_row; // tangents follow, in this law or in the next one
        br_touch *t = touch_of(f, l);
        const double free[3] = {c->w_free[row], c->w_free[row + 1], is_planar(f) ? 0.0 : c->w_free[row + 2]};
        t->softness_normal = c->W[row * (c->rows + 1)];
        t->softness = c->W[(row + 1) * (c->rows + 1)];
        br_touch_begin(f->sim, t, free);
    }
}

static void begin_laws(br_implicit *f) {
    touching *c = f->touching;
    fill_rows(f);
    find_replies(f);
    find_free(f);
    choose_bases(f);
    fill_rows(f);
    c->begun = 1;
}

// --- the laws' numbers -------------------------------------------------------------------------------------

static double turning_at_start(const br_implicit *f, const br_touch *t, br_vec3 axis) {
    double rate = 0.0;
    if (t->link_a >= 0) rate += br_vec3_dot(f->sim->V_start[t->link_a].angular, axis);
    if (t->link_b >= 0) rate -= br_vec3_dot(f->sim->V_start[t->link_b].angular, axis);
    return rate;
}

static void fill_law(const br_implicit *f, int l, int frictionless) {
    touching *c = f->touching;
    const br_contact_block block = c->block[l];
    const br_touch *t = touch_of(f, l);
    const br_pair_def *pair = touching_pair(f, t);
    br_law *law = &c->law[l];
    double *b = c->offset + law->first_row, *C = c->compliance + law->first_row;
    br_touch_rows rows;
    br_touch_rows_of(f->sim, t, &rows);
    const int first = block.of == BR_BLOCK_TANGENTS ? 1 : 0;
    double bound = rows.bound;
    if (br_block_turns(block)) { // turning may stop: what is asked for is theta times that at the end
        const double arm = block.of == BR_BLOCK_ROLLING ? pair->rolling : pair->torsion;
        bound = arm * t->f_n_bound * f->sim->theta * f->h;
        for (int r = 0; r < law->rows; r++)
            b[r] = -(1.0 - f->sim->theta) * turning_at_start(f, t, axis_of_row(f, t, block.of, r)),
            C[r] = 0.0;
        if (law->rows == 2 && bound > 0.0) C[1] = f->sim->theta * t->turning / bound;
    } else {
        for (int r = 0; r < law->rows; r++) b[r] = rows.offset[first + r], C[r] = rows.compliance[first + r];
    }
    for (int r = 0; r < law->rows && !br_block_turns(block); r++)
        if (first + r > 0) C[r] += c->softness * c->W[(law->first_row + r) * (c->rows + 1)];
    law->friction_coefficient = frictionless ? 0.0 : rows.mu;
    law->upper = frictionless ? 0.0 : bound;
    law->lower = -law->upper;
    if (frictionless && block.of == BR_BLOCK_CONTACT)
        for (int r = 1; r < law->rows; r++) b[r] = C[r] = 0.0;
}

static void fill_all_laws(const br_implicit *f, int frictionless) {
    for (int l = 0; l < f->touching->laws; l++) fill_law(f, l, frictionless);
}

// --- solving -----------------------------------------------------------------------------------------------

static br_status solve_problem(br_implicit *f) {
    touching *c = f->touching;
    br_sim *sim = f->sim;
    const br_problem problem = {.form = BR_FORM_MATRIX,
                                .matrix = {c->start, c->column, c->W},
                                .rows = c->rows,
                                .laws = c->laws,
                                .law = c->law,
                                .offset = c->total,
                                .compliance = c->compliance};
    br_solution solution = {.p = c->p, .w = c->w, .v = NULL, .warm = c->warm};
    br_solve_report report;
    for (int r = 0; r < c->rows; r++) c->total[r] = c->w_free[r] + c->offset[r];
    if (!c->ready) {
        const br_status status = br_solver_setup(c->solver, &problem, &c->failed);
        if (status != BR_OK) return status;
        c->ready = 1;
    }
    for (int attempt = 0;; attempt++) {
        const br_status status = br_solver_solve(c->solver, &problem, &solution, &report, &c->failed);
        if (status != BR_OK) return status;
        sim->ledger->iterations += report.iterations;
        if (report.outcome == BR_CONVERGED || report.residual < BR_EPS_USABLE_TOUCH) break;
        if (attempt > 0 || !solution.warm) return BR_NUMERICAL;
        solution.warm = 0;
    }
    sim->ledger->residual = fmax(sim->ledger->residual, report.residual);
    *sim->contacts->method = (int)report.solver;
    c->warm = 1;
    for (int r = 0; r < c->rows; r++) c->w[r] -= c->compliance[r] * c->p[r] + c->offset[r]; // J v
    return BR_OK;
}

// Forces (N) and velocities of a contact: of its law, or of its two laws, which follow each other.
static void read_contact(const br_implicit *f, int l, double *force, double *w) {
    const touching *c = f->touching;
    const double per = 1.0 / (f->sim->theta * f->h);
    const int at = c->law[l].first_row, rows = is_planar(f) ? 2 : 3;
    force[2] = w[2] = 0.0;
    for (int r = 0; r < rows; r++) force[r] = per * c->p[at + r], w[r] = c->w[at + r];
}

static double lag_of_all(const br_implicit *f) {
    double lag = 0.0, force[3], w[3];
    for (int l = 0; f->sim->contacts->lags && l < f->touching->laws; l++) {
        if (f->touching->block[l].of != BR_BLOCK_CONTACT) continue;
        read_contact(f, l, force, w);
        lag = fmax(lag, br_touch_lag(f->sim, touch_of(f, l), force, w, 1));
    }
    return lag;
}

static void take_all_bounds(br_implicit *f, int only_new) {
    double force[3], w[3];
    for (int l = 0; l < f->touching->laws; l++) {
        br_touch *t = touch_of(f, l);
        if (f->touching->block[l].of != BR_BLOCK_CONTACT || (only_new && t->f_n_bound > 0.0)) continue;
        read_contact(f, l, force, w);
        t->f_n_bound = fmax(0.0, force[0]);
        t->normal_guess = w[0];
    }
}

static int needs_bounds(const br_implicit *f, const br_touch *t) {
    const br_model_contact *contact = f->sim->model->contact;
    const br_pair_def *pair = touching_pair(f, t);
    const int lags = br_touch_law_kind(f->sim, t) == BR_LAW_BOX || contact->traits->creeps;
    return !(t->f_n_bound > 0.0) && t->gap + f->h * t->approach <= 0.0 &&
           (lags || (contact->traits->bristles && t->kinetic) || pair->rolling > 0.0 || pair->torsion > 0.0);
}

// Bounds of contacts that have no normal force yet: from a solve without friction.
static br_status find_first_bounds(br_implicit *f) {
    const br_contacts *contacts = f->sim->contacts;
    int needed = 0;
    for (int k = 0; contacts->lags && k < contacts->count; k++)
        needed |= needs_bounds(f, &contacts->touch[k]);
    if (!needed) return BR_OK;
    fill_all_laws(f, 1);
    const br_status status = solve_problem(f);
    if (status == BR_OK) take_all_bounds(f, 1);
    return status;
}

static int revise_all(br_implicit *f) {
    double force[3], w[3];
    int some = 0;
    for (int l = 0; l < f->touching->laws; l++) {
        br_touch *t = touch_of(f, l);
        if (f->touching->block[l].of != BR_BLOCK_CONTACT || !br_touch_may_revise(f->sim, t)) continue;
        read_contact(f, l, force, w);
        some |= br_touch_revise(f->sim, t, force, w);
    }
    return some;
}

static br_status pass_bounds(br_implicit *f) {
    const br_model_contact *contact = f->sim->model->contact;
    const int lagged = contact->bounds != BR_BOUNDS_IMPLICIT;
    const int most = !lagged ? BR_MAX_PASSES : contact->bounds == BR_BOUNDS_ITERATED ? contact->passes : 1;
    for (int k = 1; k <= most; k++) {
        fill_all_laws(f, 0);
        const br_status status = solve_problem(f);
        if (status != BR_OK) return status;
        if (revise_all(f)) {
            k = 0; // a contact is revised twice at most
            continue;
        }
        if (k == most || lag_of_all(f) <= BR_EPS_LAG) break;
        take_all_bounds(f, 0);
    }
    return BR_OK;
}

// --- Poisson's restitution ---------------------------------------------------------------------------------

// As in sim/contact/solve.c: a second phase whose normal impulse is e times that of the first, pair of shapes by pair of shapes.
static int gives_back(const br_implicit *f, int l) {
    if (f->touching->block[l].of != BR_BLOCK_CONTACT || f->sim->contacts->jammed) return 0;
    const br_touch *t = touch_of(f, l);
    return touching_pair(f, t)->restitution_poisson && t->impact;
}

static int begin_second_phase(br_implicit *f) {
    touching *c = f->touching;
    double *p_first = c->p_first;
    int needed = 0;
    for (int l = 0; l < c->laws; l++) {
        if (!gives_back(f, l)) continue;
        br_touch *t = touch_of(f, l);
        const double e = touching_pair(f, t)->restitution;
        t->returned = e * fmax(0.0, c->p[c->law[l].first_row]), t->rebound = -e * t->approach;
        needed |= t->returned > 0.0;
    }
    if (!needed) return 0;
    memcpy(p_first, c->p, (size_t)c->rows * sizeof *p_first);
    for (int r = 0; r < c->rows; r++)
        for (int k = 0; k < c->rows; k++) c->w_free[r] += c->W[r * c->rows + k] * p_first[k];
    return 1;
}

static double correct_second_phase(br_implicit *f) {
    const touching *c = f->touching;
    double off = 0.0;
    for (int first = 0, end; first < c->laws; first = end) {
        const br_touch *a = touch_of(f, first);
        double returned = 0.0, p = 0.0;
        for (end = first; end < c->laws && touch_of(f, end)->shape_a == a->shape_a &&
                          touch_of(f, end)->shape_b == a->shape_b;
             end++)
            if (gives_back(f, end)) returned += touch_of(f, end)->returned, p += c->p[c->law[end].first_row];
        if (!(returned > 0.0)) continue;
        const double ratio = p > 0.0 ? fmin(BR_MAX_CORRECTION, returned / p) : BR_MAX_CORRECTION;
        for (int l = first; l < end; l++) {
            if (!gives_back(f, l)) continue;
            br_touch *t = touch_of(f, l);
            if (t->rebound > 0.0) off = fmax(off, fabs(ratio - 1.0));
            t->rebound *= ratio;
            if (t->rebound < BR_EPS_LAG * fabs(t->approach)) t->rebound = 0.0;
        }
    }
    return off;
}

static br_status give_back(br_implicit *f) {
    touching *c = f->touching;
    if (!begin_second_phase(f)) return BR_OK;
    for (int k = 1;; k++) {
        for (int l = 0; l < c->laws; l++)
            if (gives_back(f, l))
                c->offset[c->law[l].first_row] =
                    br_touch_end_offset(f->sim, touch_of(f, l), touch_of(f, l)->rebound);
        const br_status status = solve_problem(f);
        if (status != BR_OK) return status;
        if (k == BR_MAX_RESTORING || correct_second_phase(f) <= BR_EPS_LAG) break;
    }
    for (int r = 0; r < c->rows; r++) c->p[r] += c->p_first[r];
    return BR_OK;
}

int br_touching_culprit(const br_implicit *f, double *inwards) {
    const touching *c = f->touching;
    int worst = -1;
    *inwards = 0.0;
    for (int l = 0; l < c->laws; l++) {
        const double w = c->w_free[c->law[l].first_row] + c->offset[c->law[l].first_row];
        if (c->block[l].of != BR_BLOCK_CONTACT || !c->fixed[c->law[l].first_row] || !(-w > *inwards))
            continue;
        *inwards = -w, worst = c->block[l].index;
    }
    return worst;
}

// --- within Newton's method --------------------------------------------------------------------------------

static br_status solve_contacts(br_implicit *f, int first) {
    br_status status = first ? find_first_bounds(f) : BR_OK;
    if (status == BR_OK) status = pass_bounds(f);
    return status == BR_OK ? give_back(f) : status;
}

// What cannot be solved may be jammed: then it is not asked to open.
static br_status solve_somehow(br_implicit *f, int first) {
    br_status status = solve_contacts(f, first);
    if (status != BR_NUMERICAL || !br_contacts_ask_to_open(f->sim)) return status;
    f->sim->contacts->jammed = 1, f->touching->warm = 0;
    status = solve_contacts(f, first);
    f->sim->contacts->jammed = 0;
    return status;
}

br_status br_touching_correct(br_implicit *f, int factored) {
    touching *c = f->touching;
    const int first = !c->begun;
    if (c->rows == 0) return BR_OK;
    if (first) begin_laws(f);
    if (factored || first) find_replies(f);
    find_free(f);
    if (first) guess_impulses(f);
    const br_status status = solve_somehow(f, first);
    c->unsolved = status != BR_OK, c->no_memory = status == BR_NO_MEMORY;
    if (status != BR_OK) return status;
    const double per = 1.0 / (f->sim->theta * f->h);
    for (int r = 0; r < c->rows; r++) {
        const double change = per * (c->p[r] - c->p_now[r]);
        const double *reply = c->reply + (size_t)r * (size_t)f->unknowns;
        for (int k = 0; k < f->unknowns; k++) f->solution[k] += change * reply[k];
    }
    return BR_OK;
}

// --- results -----------------------------------------------------------------------------------------------

static void add_touching_moment(const br_implicit *f, int l, br_touch *t) {
    const touching *c = f->touching;
    const double per = 1.0 / (f->sim->theta * f->h), *p = c->p + c->law[l].first_row;
    for (int r = 0; r < c->law[l].rows; r++)
        t->moment = br_vec3_add_scaled(t->moment, per * p[r], axis_of_row(f, t, c->block[l].of, r));
}

void br_touching_results(br_implicit *f) {
    touching *c = f->touching;
    br_contacts *contacts = f->sim->contacts;
    double force[3], w[3];
    contacts->changed = contacts->landed = 0;
    for (int r = 0; r < c->rows; r++) c->p[r] = c->p_now[r], c->w[r] = br_touching_rate(f, r);
    for (int l = 0; l < c->laws; l++) {
        br_touch *t = touch_of(f, l);
        if (br_block_turns(c->block[l])) {
            add_touching_moment(f, l, t);
            continue;
        }
        if (c->block[l].of != BR_BLOCK_CONTACT) continue;
        t->moment = br_vec3_zero();
        read_contact(f, l, force, w);
        br_touch_finish(f->sim, t, force, w);
        t->normal_guess = w[0];
        const int arrives = t->arrives && t->state != BR_CONTACT_OPEN;
        contacts->landed |= arrives && contacts->normal_law[t->pair].kind == BR_NORMAL_RIGID;
        contacts->changed |= arrives || t->state != t->was;
    }
    br_contacts_keep_guesses(contacts);
}
