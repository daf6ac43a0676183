// What friction does to a mechanism in a step, as numbers: slip u = u_0 + G f at the step's end and forms of reactions
// l = l_0 + L f, where rows without bounds (loops, drives, springs) answer to f as they will. One response for each direction that rubs, each
// bounded motor and each limit that is reached: a sweep, a solve with the factor of those rows, Newton-Euler for the reactions.
#include <string.h>

#include "base/error.h"
#include "linalg/dense.h"
#include "sim/friction/step.h"
#include "sim/rows/accelerate.h"
#include "sim/rows/group.h"
#include "tree/spatial.h"

#define BR_MAX_DENSE_ROWS 128   // beyond it passes are faster
#define BR_EPS_INDEPENDENT 1e-4 // least pivot of scaled rows that are
#define BR_EPS_SATURATED 1e-9   // of mu N: at its bound
#define BR_EPS_NEARLY 1e-6      // of mu N: an answer that is worth looking at
#define BR_EPS_MOTOR 1e-9       // of what a force moves: a motor beside a stop gives way by so much
#define BR_MAX_LIMIT_ROUNDS 8   // in which limits are reached, one after the other

// --- creation ----------------------------------------------------------------------------------------------

static const char no_memory[] = "no memory for joint friction";

static br_status create_base(br_sim *sim, br_rubbings *s, br_error *error) {
    br_system *b = &s->base;
    b->group = BR_TAKE(&sim->arena, br_group *, sim->groups);
    b->first = BR_TAKE(&sim->arena, int, sim->groups);
    if (!br_arena_ok(&sim->arena)) return br_no_memory(error, no_memory);
    for (int g = 0; g < sim->groups; g++)
        if (sim->group[g].bound == BR_BOUND_FREE) b->group[b->groups++] = &sim->group[g];
    return br_system_create(sim, b, error);
}

static br_status create_problem(br_sim *sim, br_rubbings *s, int rows, int blocks, int forms,
                                br_error *error) {
    br_rub_problem *p = BR_TAKE(&sim->arena, br_rub_problem, 1);
    const int path = (rows + 1) * (rows + 6), size = rows * (2 * rows + forms + 8) + 2 * forms + path;
    double *numbers = BR_TAKE(&sim->arena, double, size);
    if (!br_arena_ok(&sim->arena)) return br_no_memory(error, no_memory);
    p->block = BR_TAKE(&sim->arena, br_rub_block, blocks);
    p->pivot = BR_TAKE(&sim->arena, int, rows + 1);
    if (!br_arena_ok(&sim->arena)) return br_no_memory(error, no_memory);
    double **vectors[] = {&p->u0, &p->f, &p->u, &p->R, &p->d, &p->weight, &p->best, &p->dN};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) *vectors[k] = numbers, numbers += rows;
    p->G = numbers, numbers += rows * rows;
    p->J = numbers, numbers += rows * rows;
    p->L = numbers, numbers += forms * rows;
    p->l0 = numbers, p->l = numbers + forms, p->path = numbers + 2 * forms;
    p->capacity = rows;
    s->problem = p;
    return BR_OK;
}

br_status br_friction_response_create(br_sim *sim, br_error *error) {
    br_rubbings *s = sim->frictions->step;
    int rows = 0, blocks = 0, forms = 0;
    for (int g = 0; g < sim->groups; g++)
        if (sim->group[g].bound != BR_BOUND_FREE) rows += sim->group[g].rows, blocks++;
    for (int i = 0; i < sim->frictions->count; i++)
        for (int k = 0; k < sim->frictions->rub[i].pad.norms; k++)
            forms += sim->frictions->rub[i].pad.norm[k].forms;
    if (sim->frictions->directions > BR_MAX_DENSE_ROWS) return BR_OK;
    br_status status = create_base(sim, s, error);
    if (status == BR_OK) status = create_problem(sim, s, rows, blocks, forms, error);
    if (status != BR_OK) return status;
    s->dense = BR_TAKE(&sim->arena, br_group *, sim->groups);
    s->listed = BR_TAKE(&sim->arena, int, sim->groups);
    s->eta = BR_TAKE(&sim->arena, double, sim->model->tree.nv);
    s->rhs = BR_TAKE(&sim->arena, double, s->base.rows);
    s->row_force = BR_TAKE(&sim->arena, double, s->base.rows);
    return br_arena_ok(&sim->arena) ? BR_OK : br_no_memory(error, no_memory);
}

// --- responses ---------------------------------------------------------------------------------------------

static double along(const br_sim *sim, const br_group *g, int row, const double *eta) {
    const br_link *link = sim->model->tree.link;
    const double *y = g->y + row * g->path_nv;
    double sum = 0.0;
    for (int k = 0; k < g->path_count; k++) {
        const int nv = link[g->path[k]].kind->nv, at = link[g->path[k]].v_at;
        for (int a = 0; a < nv; a++) sum += y[a] * eta[at + a];
        y += nv;
    }
    return sum;
}

static void scatter(const br_sim *sim, const br_group *g, int row, double force, double *eta) {
    const br_link *link = sim->model->tree.link;
    const double *z = g->z + row * g->path_nv;
    for (int k = 0; k < g->path_count; k++) {
        const int nv = link[g->path[k]].kind->nv, at = link[g->path[k]].v_at;
        for (int a = 0; a < nv; a++) eta[at + a] += force * z[a];
        z += nv;
    }
}

// Forms of the reactions that `transmitted` and the rows' forces (NULL: those of the groups) mean, into to[0], to[stride], ..
static void read_forms(const br_sim *sim, const double *row_force, double *to, int stride) {
    const br_frictions *f = sim->frictions;
    for (int i = 0, at = 0; i < f->count; i++) {
        const br_rub *rub = &f->rub[i];
        const br_rubbing *r = &f->step->rubbing[i];
        const br_model_joint *joint = &sim->model->joint[rub->joint];
        if (rub->pad.norms == 0) continue;
        const br_relative x = br_sim_relative(sim, joint, 0);
        const double *own = row_force && r->loop ? row_force + r->loop_row : NULL;
        br_wrench R = r->loop ? br_rub_loop_reaction(joint, r->loop, &x, own ? own : r->loop->force)
                              : br_rub_tree_reaction(sim, joint, &x, r->force);
        R = br_wrench_of(br_mat3_tmul_vec(x.R_WF, R.torque), br_mat3_tmul_vec(x.R_WF, R.force));
        for (int k = 0; k < rub->pad.norms; k++)
            for (int c = 0; c < rub->pad.norm[k].forms; c++) {
                const br_wrench *form = &rub->pad.norm[k].form[c];
                to[at++ * stride] = br_vec3_dot(form->force, R.force) + br_vec3_dot(form->torque, R.torque);
            }
    }
}

// What the tree's joints transmit by the accelerations V of the links and the wrenches on them, velocities and gravity apart.
static void transmit(br_sim *sim, const br_twist *V, const br_wrench *wrench) {
    const br_tree *tree = &sim->model->tree;
    for (int i = 0; i < tree->links; i++)
        sim->transmitted[i] = br_wrench_sub(
            br_rigid_momentum(tree->link[i].mass, sim->work.moment[i], &sim->work.inertia[i], V[i]),
            wrench[i]);
    for (int i = tree->links - 1; i >= 0; i--) {
        const int parent = tree->link[i].parent;
        if (parent >= 0)
            sim->transmitted[parent] = br_wrench_add(
                sim->transmitted[parent], br_wrench_shift(sim->transmitted[i], sim->work.pose[i].r));
    }
}

static void add_rows(const br_group *g, int row, double force, br_wrench *wrench) {
    for (int e = 0; e < g->entries; e++)
        br_wrench_add_scaled(&wrench[g->link[e]], force, &g->F[row * g->entries + e]);
}

// Of a unit of force along row `row` of dense group g, which is row `column` of the problem.
static void respond_to(br_sim *sim, br_group *g, int row, int column) {
    br_rubbings *s = sim->frictions->step;
    br_rub_problem *p = s->problem;
    br_system *b = &s->base;
    const br_tree *tree = &sim->model->tree;
    memset(s->eta, 0, (size_t)tree->nv * sizeof *s->eta);
    scatter(sim, g, row, 1.0, s->eta);
    for (int i = 0; i < b->groups; i++)
        for (int r = 0; r < b->group[i]->rows; r++)
            s->rhs[b->first[i] + r] = -along(sim, b->group[i], r, s->eta);
    if (b->groups > 0) {
        br_system_solve(sim, b, s->rhs, s->row_force, sim->eta);
        for (int k = 0; k < tree->nv; k++) s->eta[k] += sim->eta[k];
    }
    for (int i = 0, at = 0; i < p->blocks; i++)
        for (int r = 0; r < p->block[i].rows; r++, at++)
            p->G[at * p->capacity + column] = sim->h * along(sim, s->dense[i], r, s->eta);
    if (p->forms == 0) return;
    br_tree_respond(tree, &sim->work, s->eta, s->eta, sim->V);
    memset(s->wrench, 0, (size_t)tree->links * sizeof *s->wrench);
    for (int i = 0; i < b->groups; i++)
        for (int r = 0; r < b->group[i]->rows; r++)
            add_rows(b->group[i], r, s->row_force[b->first[i] + r], s->wrench);
    add_rows(g, row, 1.0, s->wrench);
    transmit(sim, sim->V, s->wrench);
    if (g->kind == &br_group_rub) s->rubbing[g->element].force[row] = 1.0;
    read_forms(sim, s->row_force, p->L + column, p->capacity);
    if (g->kind == &br_group_rub) s->rubbing[g->element].force[row] = 0.0;
}

// --- blocks ------------------------------------------------------------------------------------------------

static void rub_block(const br_sim *sim, int i, br_rub_block *b, int *form) {
    const br_rub *rub = &sim->frictions->rub[i];
    const br_rub_state *now = &sim->frictions->now[i];
    const br_rubbing *r = &sim->frictions->step->rubbing[i];
    b->kind = r->set_valued ? BR_RUB_DISK : BR_RUB_FUNCTION;
    b->c = sim->h * r->rigid, b->mu = r->mu, b->held = r->held, b->share = 1.0;
    b->law = &rub->law, b->z = now->z, b->preload = rub->pad.preload, b->norms = rub->pad.norms;
    for (int d = 0; d < r->n; d++) {
        b->last[d] = now->known == BR_RUB_STEPPED ? now->force[d] : 0.0;
        b->start[d] = r->start[d];
    }
    for (int k = 0; k < b->norms; k++) {
        b->form[k] = *form, b->forms[k] = rub->pad.norm[k].forms;
        *form += b->forms[k];
    }
}

static void other_block(const br_sim *sim, const br_group *g, br_rub_block *b) {
    b->kind = g->bound == BR_BOUND_LOWER ? BR_RUB_LOWER : BR_RUB_BOX;
    b->c = sim->h * g->compliance[0], b->bound = g->limit;
}

// Row of the problem: slip at the step's end without friction. The base's own accelerations are in work.A and vdot.
static double slip_of(const br_sim *sim, const br_group *g, int row) {
    const double a = br_group_acceleration(sim, g, row, sim->work.A, sim->vdot);
    const double wanted =
        g->kind == &br_group_rub ? sim->frictions->step->rubbing[g->element].wanted[row] : g->gamma[row];
    return sim->h * (a - wanted);
}

static void add_block(br_sim *sim, br_group *g, int *form) {
    br_rubbings *s = sim->frictions->step;
    br_rub_problem *p = s->problem;
    br_rub_block *b = &p->block[p->blocks];
    memset(b, 0, sizeof *b);
    b->first = p->rows, b->rows = g->rows;
    s->dense[p->blocks++] = g;
    p->rows += g->rows;
    for (int r = 0; r < g->rows; r++) p->u0[b->first + r] = slip_of(sim, g, r), p->f[b->first + r] = 0.0;
    if (g->kind == &br_group_rub)
        rub_block(sim, g->element, b, form);
    else
        other_block(sim, g, b);
    for (int r = 0; r < g->rows && g->kind == &br_group_rub; r++) p->f[b->first + r] = b->last[r];
}

// Limits that are passed by the motion at hand. Others are looked at again when that changes.
static int passed(const br_sim *sim, const br_group *g) {
    return g->bound == BR_BOUND_LOWER &&
           br_group_acceleration(sim, g, 0, sim->work.A, sim->vdot) < g->gamma[0];
}

static br_status solve_base(br_sim *sim, int factor, br_error *error) {
    br_system *b = &sim->frictions->step->base;
    if (b->groups == 0) return BR_OK;
    if (factor && br_system_factor(sim, b) != BR_OK)
        return br_fail(error, BR_NUMERICAL, "rows-singular",
                       "t = %.9g s: the constraint rows could not be factored", sim->t_eval);
    br_sim_lacking(sim, b, b->rhs);
    br_system_solve(sim, b, b->rhs, b->force, sim->eta);
    for (int g = 0; g < b->groups; g++)
        memcpy(b->group[g]->force, b->force + b->first[g], (size_t)b->group[g]->rows * sizeof(double));
    br_sim_add_response(sim);
    return BR_OK;
}

// Where rows have the size that is usual for them is known of the exact ones, which come first.
static void prepare_base(br_sim *sim) {
    br_rubbings *s = sim->frictions->step;
    const size_t bytes = (size_t)sim->exact.rows * sizeof(double);
    if (s->base_ready) return;
    s->base_ready = 1;
    memcpy(s->base.usual, sim->exact.usual, bytes);
    memcpy(s->base.least, sim->exact.least, bytes);
    s->base.dependent = sim->exact.dependent;
    for (int i = 0; i < sim->frictions->count; i++)
        for (int g = 0; g < s->base.groups; g++)
            if (s->base.group[g] == s->rubbing[i].loop) s->rubbing[i].loop_row = s->base.first[g];
}

// The mechanism without friction: vdot, work.A, the base's forces, slip and forms of it.
static br_status without_friction(br_sim *sim, br_error *error) {
    br_rubbings *s = sim->frictions->step;
    br_rub_problem *p = s->problem;
    int form = 0;
    p->rows = p->blocks = p->forms = 0;
    p->h = sim->h;
    for (int g = 0; g < sim->groups; g++) {
        s->listed[g] = 0;
        if (sim->group[g].bound != BR_BOUND_FREE)
            memset(sim->group[g].force, 0, (size_t)sim->group[g].rows * sizeof(double));
    }
    for (int i = 0; i < sim->frictions->count; i++)
        memset(s->rubbing[i].force, 0, sizeof s->rubbing[i].force);
    br_sim_accelerate_freely(sim);
    const br_status status = solve_base(sim, 1, error);
    if (status != BR_OK) return status;
    // Rubs in their own order: forms are numbered so.
    for (int i = 0; i < sim->frictions->count; i++) {
        if (s->rubbing[i].n > 0)
            add_block(sim, s->rubbing[i].group, &form);
        else
            p->block[p->blocks++] =
                (br_rub_block){.kind = BR_RUB_BOX, .first = p->rows}; // does not move, see pad.c
    }
    for (int g = 0; g < sim->groups; g++)
        if (sim->group[g].kind != &br_group_rub &&
            (sim->group[g].bound == BR_BOUND_BOX || passed(sim, &sim->group[g])))
            s->listed[g] = 1, add_block(sim, &sim->group[g], &form);
    p->forms = form;
    if (form > 0) {
        br_friction_wrenches(sim, s->wrench);
        br_tree_inverse_dynamics(&sim->model->tree, &sim->work, sim->model->settings.gravity, sim->vdot,
                                 s->wrench, sim->transmitted, sim->eta);
        read_forms(sim, NULL, p->l0, 1);
    }
    return BR_OK;
}

static void find_responses(br_sim *sim) {
    br_rubbings *s = sim->frictions->step;
    const br_rub_problem *p = s->problem;
    for (int k = 0; k < p->blocks; k++)
        if (p->block[k].rows > 0) br_group_sweep(sim, s->dense[k]);
    for (int k = 0; k < p->blocks; k++)
        for (int r = 0; r < p->block[k].rows; r++) respond_to(sim, s->dense[k], r, p->block[k].first + r);
}

// Whether the rows of disks are independent, that is, whether everything may stick without a force that is left open: G of them,
// scaled, has no small pivot.
static int independent(br_rub_problem *p) {
    int n = 0;
    for (int i = 0; i < p->blocks; i++)
        for (int r = 0; p->block[i].kind == BR_RUB_DISK && r < p->block[i].rows; r++)
            p->pivot[n++] = p->block[i].first + r;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const int a = p->pivot[i], b = p->pivot[j];
            const double size = sqrt(p->G[a * (p->capacity + 1)] * p->G[b * (p->capacity + 1)]);
            if (!(size > 0.0)) return 0;
            p->J[i * n + j] = p->G[a * p->capacity + b] / size;
        }
    for (int i = 0; i < n; i++) p->J[i * (n + 1)] -= BR_EPS_INDEPENDENT;
    return n == 0 || br_cholesky_factor(n, p->J, n) == 0;
}

// Where they are, bristles may be as good as rigid.
static int choose_firmness(br_sim *sim) {
    br_rubbings *s = sim->frictions->step;
    if (!independent(s->problem)) return 0;
    for (int i = 0; i < sim->frictions->count; i++)
        if (s->rubbing[i].set_valued) s->problem->block[i].c = sim->h * s->rubbing[i].firm;
    return 1;
}

static void soften(br_sim *sim) {
    br_rubbings *s = sim->frictions->step;
    for (int i = 0; i < sim->frictions->count; i++) s->problem->block[i].c = sim->h * s->rubbing[i].soft;
}

// A motor and a stop on one coordinate are the same row twice, and no Newton step tells which of the two holds: a motor that gives way by next to
// nothing is the one that comes to its bound.
static int soften_motors(br_rub_problem *p) {
    int any = 0;
    for (int k = 0; k < p->blocks; k++) {
        br_rub_block *b = &p->block[k];
        const double give = BR_EPS_MOTOR * p->G[b->first * (p->capacity + 1)];
        if (b->kind == BR_RUB_BOX && b->c < give) b->c = give, any = 1;
    }
    return any;
}

// --- the answer --------------------------------------------------------------------------------------------

// The forces found act: vdot, work.A and the base's forces are solved for them anew, which loses no digits.
static br_status apply(br_sim *sim, br_error *error) {
    br_rubbings *s = sim->frictions->step;
    const br_rub_problem *p = s->problem;
    br_sim_accelerate_freely(sim);
    memset(sim->eta, 0, (size_t)sim->model->tree.nv * sizeof *sim->eta);
    for (int k = 0; k < p->blocks; k++)
        for (int r = 0; r < p->block[k].rows; r++) {
            s->dense[k]->force[r] = p->f[p->block[k].first + r];
            scatter(sim, s->dense[k], r, s->dense[k]->force[r], sim->eta);
        }
    br_sim_add_response(sim);
    return solve_base(sim, 0, error);
}

static int more_limits(br_sim *sim) {
    br_rubbings *s = sim->frictions->step;
    int found = 0, form = s->problem->forms;
    for (int g = 0; g < sim->groups; g++) {
        if (s->listed[g] || !passed(sim, &sim->group[g])) continue;
        s->listed[g] = found = 1;
        add_block(sim, &sim->group[g], &form);
    }
    return found;
}

static void take_answer(br_sim *sim) {
    br_rubbings *s = sim->frictions->step;
    const br_rub_problem *p = s->problem;
    for (int i = 0; i < sim->frictions->count; i++) {
        br_rubbing *r = &s->rubbing[i];
        for (int d = 0; d < r->n; d++)
            r->force[d] = p->f[p->block[i].first + d], r->velocity[d] = p->u[p->block[i].first + d];
        r->load = r->normal = br_rub_problem_load(p, i);
        r->rigid = p->block[i].c / sim->h, r->held = p->block[i].held; // as they were, for what follows
        if (!r->set_valued && r->n > 0) {
            double mu[BR_MAX_SLIDING];
            br_friction_step(&sim->frictions->rub[i].law, r->n, r->velocity, sim->frictions->now[i].z, sim->h,
                             r->z, mu, NULL);
        }
    }
}

// What was tried without a bound and is beyond it gets one. Its load is that of sticking.
static int release(br_rub_problem *p) {
    int released = 0;
    for (int k = 0; k < p->blocks; k++) {
        br_rub_block *b = &p->block[k];
        double square = 0.0;
        if (b->kind != BR_RUB_DISK || !b->held) continue;
        for (int r = 0; r < b->rows; r++) square += p->f[b->first + r] * p->f[b->first + r];
        if (sqrt(square) <= (1.0 + BR_EPS_RUBBING) * b->mu * br_rub_problem_load(p, k)) continue;
        b->held = 0, released = 1;
    }
    return released;
}

// Nothing is tried without its bound any more.
static int bound_all(br_rub_problem *p) {
    int any = 0;
    for (int k = 0; k < p->blocks; k++) any |= p->block[k].held, p->block[k].held = 0;
    return any;
}

static int saturated(const br_rub_problem *p, int k) {
    const br_rub_block *b = &p->block[k];
    double square = 0.0;
    for (int r = 0; r < b->rows; r++) square += p->f[b->first + r] * p->f[b->first + r];
    return sqrt(square) >= (1.0 - BR_EPS_SATURATED) * b->mu * br_rub_problem_load(p, k);
}

// Where a vector goes on sliding, its direction is that of the slip at theta of the step.
static int share_directions(const br_sim *sim, br_rub_problem *p) {
    int shared = 0;
    for (int i = 0; sim->theta < 1.0 && i < sim->frictions->count; i++) {
        br_rub_block *b = &p->block[i];
        double with = 0.0;
        if (b->kind != BR_RUB_DISK || b->rows == 1 || !sim->frictions->step->rubbing[i].sliding) continue;
        for (int r = 0; r < b->rows; r++) with += b->start[r] * p->u[b->first + r];
        if (with > 0.0 && saturated(p, i)) b->share = sim->theta, shared = 1;
    }
    return shared;
}

static int still_slides(const br_rub_problem *p) {
    for (int k = 0; k < p->blocks; k++)
        if (p->block[k].share < 1.0 && p->block[k].kind == BR_RUB_DISK && !saturated(p, k)) return 0;
    return 1;
}

static void solve_problem(const br_sim *sim, br_rub_problem *p, int *worst, double *off) {
    int solved = br_rub_problem_solve(p, worst, off);
    while (solved && release(p)) solved = br_rub_problem_solve(p, worst, off);
    if (!solved && bound_all(p)) solved = br_rub_problem_solve(p, worst, off);
    if (!solved || !share_directions(sim, p)) return;
    if (br_rub_problem_solve(p, worst, off) && still_slides(p)) return;
    for (int k = 0; k < p->blocks; k++) p->block[k].share = 1.0;
    br_rub_problem_solve(p, worst, off);
}

br_status br_friction_respond(br_sim *sim, int *worst, double *off, br_error *error) {
    br_rubbings *s = sim->frictions->step;
    br_rub_problem *p = s->problem;
    prepare_base(sim);
    br_status status = without_friction(sim, error);
    if (status != BR_OK) return status;
    find_responses(sim);
    int firm = choose_firmness(sim);
    p->iterations = 0;
    for (;;) { // each round adds a limit at least, and there are only so many
        const int before = p->rows;
        solve_problem(sim, p, worst, off);
        if (!(*off <= BR_EPS_NEARLY) && firm) {
            firm = 0;
            soften(sim);
            solve_problem(sim, p, worst, off);
        }
        if (!(*off <= BR_EPS_NEARLY) && soften_motors(p)) solve_problem(sim, p, worst, off);
        take_answer(sim);
        if (!(*off <= BR_EPS_NEARLY)) return BR_OK;
        status = apply(sim, error);
        if (status != BR_OK || !more_limits(sim)) break;
        find_responses(sim);
        // Rows that came saw the forces of those that were there.
        for (int i = before; i < p->rows; i++)
            for (int j = 0; j < before; j++) p->u0[i] -= p->G[i * p->capacity + j] * p->f[j];
    }
    sim->ledger->iterations += p->iterations;
    return status;
}
