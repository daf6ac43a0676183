// The next step as a complementarity problem in standard form [TanLiu eqs. 1-15].
//
//     paper                                here
//     M, q', tau* = M q' - dt (C - tau)    M, v, tau             eq. 5; C: bias, tau: efforts and wrenches
//     J^T n, J^T D, +J first, -J second    N, B                  eqs. 7, 8
//     E, mu, A, z, q                       E, mu, A, z, q        eqs. 10, 14, 15
//
// Masses, forces, contacts and coefficients are those of a step of theta 1 of the contact stepper with law polygon(d),
// so that the answers agree. Beyond the paper: normal rows have gap/dt in q (0 there, and with the preset `paper`);
// compliant normal laws, linearized about the answer, have dt C on the diagonal of A; bilateral rows are eliminated
// from M^-1 (lcp/standard_rows.c); implicit springs and dampers of joints are in M.
#include "math/elementary.h"
#include "sim/rows/accelerate.h"
#include "sim/study/lcp/standard.h"

#include <string.h>

#include "base/error.h"
#include "linalg/dense.h"

#define BR_EPS_LCP_PASS 1e-12 // relative change of a compliant contact's velocity at which passes end
#define BR_MAX_LCP_PASSES 12  // as many as the stepper's
#define PI 3.14159265358979323846

typedef struct standard {
    br_standard_lcp lcp; // first: it is what callers hold
    br_arena arena;
    double *M, *tau, *N, *B, *E, *mu, *gap, *compliance, *A, *q, *inverse, *v_free;
    char **name;
} standard;

static const char no_memory[] = "no memory for the standard form";

// --- what is disturbed -------------------------------------------------------------------------------------

typedef struct kept {
    double h, theta, t_eval, *tau, *armature, *turn;
    const double *q_eval, *v_eval, *v_start;
    int touches, left_count;
    br_touch *touch;
    int *left;
} kept;

static void *copy(br_arena *scratch, const void *from, size_t count, size_t size) {
    void *to = br_arena_take(scratch, count, size);
    if (to && from && count > 0) memcpy(to, from, count * size);
    return to;
}

static br_status standard_keep(const br_sim *sim, br_arena *scratch, kept *k) {
    const size_t nv = (size_t)sim->model->tree.nv;
    *k = (kept){.h = sim->h, .theta = sim->theta, .t_eval = sim->t_eval};
    k->q_eval = sim->q_eval, k->v_eval = sim->v_eval, k->v_start = sim->v_start;
    k->touches = sim->contacts ? sim->contacts->count : 0;
    k->tau = copy(scratch, sim->tau, nv, sizeof *k->tau);
    k->armature = copy(scratch, sim->armature, nv, sizeof *k->armature);
    k->turn = copy(scratch, sim->turn, sim->turn ? nv : 0, sizeof *k->turn);
    k->touch =
        copy(scratch, sim->contacts ? sim->contacts->touch : NULL, (size_t)k->touches, sizeof *k->touch);
    k->left_count = sim->contacts ? sim->contacts->left_count : 0;
    k->left =
        copy(scratch, sim->contacts ? sim->contacts->left : NULL, (size_t)k->left_count, sizeof *k->left);
    return k->tau && k->armature && k->turn && k->touch && k->left ? BR_OK : BR_NO_MEMORY;
}

static void standard_put_back(br_sim *sim, const kept *k) {
    const size_t nv = (size_t)sim->model->tree.nv;
    sim->h = k->h, sim->theta = k->theta, sim->t_eval = k->t_eval;
    sim->q_eval = k->q_eval, sim->v_eval = k->v_eval, sim->v_start = k->v_start;
    memcpy(sim->tau, k->tau, nv * sizeof *k->tau);
    memcpy(sim->armature, k->armature, nv * sizeof *k->armature);
    if (sim->turn) memcpy(sim->turn, k->turn, nv * sizeof *k->turn);
    if (!sim->contacts) return;
    sim->contacts->count = k->touches, sim->contacts->left_count = k->left_count;
    memcpy(sim->contacts->left, k->left, (size_t)k->left_count * sizeof *k->left);
    memcpy(sim->contacts->touch, k->touch, (size_t)k->touches * sizeof *k->touch);
}

// --- forces and masses -------------------------------------------------------------------------------------

// Forces and rows as a step of theta 1 has them: at the positions and velocities of the state, at the step's end in time.
static br_status standard_evaluate(br_sim *sim, br_error *error) {
    const br_tree *tree = &sim->model->tree;
    br_sim_refresh(sim, 2);
    sim->h = sim->model->settings.solver.step, sim->theta = 1.0;
    sim->t_eval = sim->state.at->t + sim->h;
    sim->q_eval = sim->state.q;
    sim->v_eval = sim->v_start = sim->state.v;
    br_forces(sim);
    br_tree_twists(tree, &sim->work, sim->v_start, sim->V_start);
    br_tree_forward(tree, &sim->work, br_vec3_zero(), NULL);
    if (tree->links > 0) memcpy(sim->A_products, sim->work.A, (size_t)tree->links * sizeof *sim->A_products);
    for (int g = 0; g < sim->groups; g++) {
        br_group *group = &sim->group[g];
        group->kind->fill(sim, group);
        if (group->kind->rate) group->kind->rate(sim, group);
    }
    return sim->turn ? br_euler_begin(sim, error) : BR_OK;
}

// M with the implicit parts of joint springs, and tau* [TanLiu eq. 5].
static br_status masses(br_sim *sim, br_arena *scratch, standard *s) {
    const br_tree *tree = &sim->model->tree;
    const int m = tree->nv;
    double *bias = BR_TAKE(scratch, double, m);
    br_wrench *transmitted = BR_TAKE(scratch, br_wrench, tree->links);
    if (!br_arena_ok(scratch)) return BR_NO_MEMORY;
    const br_wrench *wrench = sim->has_wrench || sim->callback ? sim->wrench : NULL;
    br_tree_mass_matrix(tree, &sim->work, s->M);
    br_tree_inverse_dynamics(tree, &sim->work, sim->model->settings.gravity, NULL, wrench, transmitted, bias);
    for (int i = 0; i < m; i++) s->M[(size_t)i * (size_t)(m + 1)] += sim->armature[i] - tree->armature[i];
    for (int i = 0; i < m; i++) {
        s->tau[i] = sim->h * (sim->tau[i] - bias[i]);
        for (int k = 0; k < m; k++)
            s->tau[i] += s->M[(size_t)i * (size_t)m + (size_t)k] *
                         (sim->v_start[k] + (sim->turn ? sim->h * sim->turn[k] : 0.0));
    }
    return BR_OK;
}

// to := M^-1, dense.
static br_status invert(const br_sim *sim, br_arena *scratch, const double *M, double *to, br_error *error) {
    const int m = sim->model->tree.nv;
    double *L = copy(scratch, M, (size_t)m * (size_t)m, sizeof *L);
    if (!L) return br_no_memory(error, no_memory);
    const int bad = br_cholesky_factor(m, L, m);
    if (bad > 0) return br_sim_no_inertia(sim, br_tree_owner(&sim->model->tree, bad - 1), error);
    memset(to, 0, (size_t)m * (size_t)m * sizeof *to);
    for (int i = 0; i < m; i++) { // symmetric: columns are rows
        double *row = to + (size_t)i * (size_t)m;
        row[i] = 1.0;
        br_cholesky_solve(m, L, m, row);
    }
    return BR_OK;
}

static void multiply(int rows, int m, const double *A, const double *x, double *out) {
    for (int i = 0; i < rows; i++) {
        out[i] = 0.0;
        for (int k = 0; k < m; k++) out[i] += A[(size_t)i * (size_t)m + (size_t)k] * x[k];
    }
}

// --- contacts ----------------------------------------------------------------------------------------------

// J [3 p * m]: rows (normal, tangents of the surface) of each touch, + on the first body and - on the second.
static br_status contact_rows(br_sim *sim, br_arena *scratch, double *J) {
    const br_tree *tree = &sim->model->tree;
    const int m = tree->nv;
    double *linear = BR_TAKE(scratch, double, 6 * (size_t)m), *angular = linear + 3 * (size_t)m;
    if (!linear) return BR_NO_MEMORY;
    for (int k = 0; k < sim->contacts->count; k++) {
        const br_touch *t = &sim->contacts->touch[k];
        const br_vec3 axis[3] = {t->normal, t->tangent[0], t->tangent[1]};
        for (int side = 0; side < 2; side++) {
            const int link = side ? t->link_b : t->link_a;
            const double sign = side ? -1.0 : 1.0;
            if (link < 0) continue;
            br_tree_jacobian(tree, &sim->work, link, t->point, linear, angular);
            for (int r = 0; r < 3; r++)
                for (int i = 0; i < m; i++)
                    J[(size_t)(3 * k + r) * (size_t)m + (size_t)i] +=
                        sign *
                        (axis[r].x * linear[i] + axis[r].y * linear[m + i] + axis[r].z * linear[2 * m + i]);
        }
    }
    return BR_OK;
}

static br_status not_standard(const br_sim *sim, const br_touch *t, const char *what, br_error *error) {
    char name[BR_MAX_CONTACT_NAME];
    br_touch_name(sim, t, name, sizeof name);
    return br_fail(error, BR_INVALID, "lcp-rows",
                   "t = %.9g s: contact %s has %s, for which the standard form has no rows", sim->state.at->t,
                   name, what);
}

// Phase and coefficient of each touch, by the stepper's own rules, in copies: begin turns their basis. v_unheld: after
// the motion without contacts and rows.
static br_status standard_begin(br_sim *sim, standard *s, br_touch *touch, const double *J,
                                const double *v_unheld, br_error *error) {
    const int m = s->lcp.m;
    for (int k = 0; k < s->lcp.p; k++) {
        br_touch *t = &touch[k];
        const br_pair_def *pair = &sim->model->contact->pair[t->pair];
        const double *rows = J + 3 * (size_t)k * (size_t)m;
        double free[3];
        if (pair->rolling > 0.0 || pair->torsion > 0.0)
            return not_standard(sim, t, "rolling or torsional friction", error);
        multiply(3, m, rows, v_unheld, free);
        br_touches_phase(sim, t, 1, NULL);
        br_touch_begin(sim, t, free);
        if (pair->restitution_poisson && t->impact)
            return not_standard(sim, t, "an impact by Poisson's law, which is two problems", error);
        s->mu[k] = t->mu;
    }
    return BR_OK;
}

// gap and compliance of each normal row; of compliant contacts at the velocities normal_guess.
static void fill_normals(const br_sim *sim, standard *s, const br_touch *touch) {
    for (int k = 0; k < s->lcp.p; k++) {
        br_touch_rows rows;
        br_touch_rows_of(sim, &touch[k], &rows);
        s->gap[k] = sim->h * rows.offset[0];
        s->compliance[k] = rows.compliance[0];
    }
}

static int is_compliant(const br_sim *sim, const br_touch *t) {
    return sim->contacts->normal_law[t->pair].kind != BR_NORMAL_RIGID;
}

// --- the standard form -------------------------------------------------------------------------------------

// Direction j of d: a corner on each axis where d allows, and d_(j + d/2) = -d_j to the last bit.
static void direction(int j, int d, double *c, double *s) {
    const int i = j % (d / 2);
    const double sign = j < d / 2 ? 1.0 : -1.0;
    *c = sign * (4 * i == d ? 0.0 : br_cos(2.0 * PI * i / d));
    *s = sign * br_sin(2.0 * PI * i / d);
}

// What unknown a of (f_n, f_d) does to the rows of its contact.
static int spread(const br_standard_lcp *lcp, int a, double *on) {
    on[0] = on[1] = on[2] = 0.0;
    if (a < lcp->p) {
        on[0] = 1.0;
        return a;
    }
    direction((a - lcp->p) % lcp->d, lcp->d, &on[1], &on[2]);
    return (a - lcp->p) / lcp->d;
}

static void fill_directions(standard *s, const double *J) {
    const size_t m = (size_t)s->lcp.m, p = (size_t)s->lcp.p, d = (size_t)s->lcp.d;
    for (int a = 0; a < s->lcp.p * (s->lcp.d + 1); a++) {
        double on[3];
        const size_t k = (size_t)spread(&s->lcp, a, on);
        for (size_t i = 0; i < m; i++) {
            const double x =
                on[0] * J[3 * k * m + i] + on[1] * J[(3 * k + 1) * m + i] + on[2] * J[(3 * k + 2) * m + i];
            if ((size_t)a < p)
                s->N[i * p + k] = x;
            else
                s->B[i * p * d + (size_t)a - p] = x;
        }
        if ((size_t)a >= p) s->E[((size_t)a - p) * p + k] = 1.0;
    }
}

// A and q [TanLiu eq. 15]; W [3 p * 3 p] = J M^-1 J^T.
static void fill_problem(standard *s, const double *W, const double *Jv) {
    const int p = s->lcp.p, d = s->lcp.d, forces = p * (d + 1);
    const size_t n = (size_t)s->lcp.n, w = 3 * (size_t)p;
    const double dt = s->lcp.dt;
    for (int a = 0; a < forces; a++) {
        double x[3], y[3];
        const int k = spread(&s->lcp, a, x);
        double *row = s->A + (size_t)a * n;
        for (int b = 0; b < forces; b++) {
            const int l = spread(&s->lcp, b, y);
            double sum = 0.0;
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    sum += x[i] * W[(size_t)(3 * k + i) * w + (size_t)(3 * l + j)] * y[j];
            row[b] = dt * sum;
        }
        s->q[a] = x[0] * Jv[3 * k] + x[1] * Jv[3 * k + 1] + x[2] * Jv[3 * k + 2];
        if (a < p) {
            s->q[a] += s->gap[a] / dt;
            row[a] += dt * s->compliance[a];
            continue;
        }
        row[forces + k] = 1.0;
        s->A[(size_t)(forces + k) * n + (size_t)a] = -1.0;
    }
    for (int k = 0; k < p; k++) s->A[(size_t)(forces + k) * n + (size_t)k] = s->mu[k];
}

static br_status take_arrays(const br_sim *sim, standard *s) {
    const size_t m = (size_t)s->lcp.m, p = (size_t)s->lcp.p, d = (size_t)s->lcp.d, n = (size_t)s->lcp.n;
    br_arena *a = &s->arena;
    char *names = BR_TAKE(a, char, p *BR_MAX_CONTACT_NAME);
    s->M = BR_TAKE(a, double, m *m), s->inverse = BR_TAKE(a, double, m *m);
    s->tau = BR_TAKE(a, double, m), s->v_free = BR_TAKE(a, double, m);
    s->N = BR_TAKE(a, double, m *p), s->B = BR_TAKE(a, double, m *p *d), s->E = BR_TAKE(a, double, p *d *p);
    s->mu = BR_TAKE(a, double, p), s->gap = BR_TAKE(a, double, p), s->compliance = BR_TAKE(a, double, p);
    s->A = BR_TAKE(a, double, n *n), s->q = BR_TAKE(a, double, n);
    s->name = BR_TAKE(a, char *, p);
    if (!br_arena_ok(a)) return BR_NO_MEMORY;
    for (size_t k = 0; k < p; k++) {
        s->name[k] = names + k * BR_MAX_CONTACT_NAME;
        br_touch_name(sim, &sim->contacts->touch[k], s->name[k], BR_MAX_CONTACT_NAME);
    }
    br_standard_lcp *l = &s->lcp;
    l->M = s->M, l->tau = s->tau, l->inverse = s->inverse, l->v_free = s->v_free;
    l->N = s->N, l->B = s->B, l->E = s->E, l->mu = s->mu, l->gap = s->gap, l->compliance = s->compliance,
    l->A = s->A, l->q = s->q;
    l->name = (const char *const *)s->name;
    l->allocator = &s->arena.allocator;
    return BR_OK;
}

typedef struct contact_work {
    br_touch *touch;    // [p]
    double *J, *W, *Jv; // [3 p * m], [3 p * 3 p] = J M^-1 J^T, [3 p] = J v_free
    double *z, *w, *v;  // of a pass
} contact_work;

// Compliant contacts are linearized about the velocities of the answer from now on. 1: they were so already.
static int take_guesses(const br_sim *sim, const standard *s, contact_work *c) {
    int settled = 1;
    for (int k = 0; k < s->lcp.p; k++) {
        double now;
        if (!is_compliant(sim, &c->touch[k])) continue;
        multiply(1, s->lcp.m, c->J + 3 * (size_t)k * (size_t)s->lcp.m, c->v, &now);
        const double scale = fabs(now) + fabs(c->touch[k].gap) / s->lcp.dt;
        settled &= fabs(now - c->touch[k].normal_guess) <= BR_EPS_LCP_PASS * scale;
        c->touch[k].normal_guess = now;
    }
    return settled;
}

// A and q. Compliant normal laws are linearized about the answer, which takes passes; one is enough for linear ones.
static br_status pass(br_sim *sim, standard *s, contact_work *c, br_error *error) {
    static const br_standard_options plain = {0.0, 0};
    br_solve_report report;
    int compliant = 0;
    for (int k = 0; k < s->lcp.p; k++) compliant |= is_compliant(sim, &c->touch[k]);
    for (int k = 1;; k++) {
        fill_normals(sim, s, c->touch);
        fill_problem(s, c->W, c->Jv);
        if (!compliant || k == BR_MAX_LCP_PASSES) return BR_OK;
        const br_status status = br_standard_lcp_solve(&s->lcp, &plain, c->z, c->w, c->v, &report, error);
        if (status != BR_OK || report.outcome != BR_CONVERGED || take_guesses(sim, s, c)) return status;
    }
}

static br_status take_work(const br_sim *sim, br_arena *scratch, const standard *s, contact_work *c) {
    const size_t m = (size_t)s->lcp.m, r = 3 * (size_t)s->lcp.p, n = (size_t)s->lcp.n;
    c->J = BR_TAKE(scratch, double, r *m), c->W = BR_TAKE(scratch, double, r *r);
    c->Jv = BR_TAKE(scratch, double, r), c->v = BR_TAKE(scratch, double, m);
    c->z = BR_TAKE(scratch, double, n), c->w = BR_TAKE(scratch, double, n);
    c->touch = copy(scratch, sim->contacts ? sim->contacts->touch : NULL, (size_t)s->lcp.p, sizeof *c->touch);
    return c->J && c->W && c->Jv && c->v && c->z && c->w && c->touch ? BR_OK : BR_NO_MEMORY;
}

// The arrays of s, whose sizes are known. Contacts and forces of the step are in sim.
static br_status assemble(br_sim *sim, br_arena *scratch, standard *s, br_error *error) {
    const int m = s->lcp.m, rows = 3 * s->lcp.p;
    const size_t size = (size_t)m, r = (size_t)rows;
    br_lcp_rows bilateral;
    contact_work c;
    double *v_unheld = BR_TAKE(scratch, double, m), *inverse_M = BR_TAKE(scratch, double, size *size);
    double *JX = BR_TAKE(scratch, double, m);
    if (!v_unheld || !inverse_M || !JX || take_work(sim, scratch, s, &c) != BR_OK ||
        masses(sim, scratch, s) != BR_OK)
        return br_no_memory(error, no_memory);
    br_status status = invert(sim, scratch, s->M, inverse_M, error);
    if (status == BR_OK && rows > 0 && contact_rows(sim, scratch, c.J) != BR_OK)
        status = br_no_memory(error, no_memory);
    if (status != BR_OK) return status;
    memcpy(s->inverse, inverse_M, size * size * sizeof *inverse_M);
    multiply(m, m, inverse_M, s->tau, v_unheld);
    status = standard_begin(sim, s, c.touch, c.J, v_unheld, error);
    if (status == BR_OK) status = br_lcp_rows_eliminate(sim, scratch, &bilateral, s->inverse, s->tau, error);
    if (status != BR_OK) return status;
    multiply(m, m, inverse_M, s->tau, s->v_free);
    multiply(rows, m, c.J, s->v_free, c.Jv);
    for (size_t k = 0; k < r; k++) {
        multiply(m, m, s->inverse, c.J + k * size, JX);
        multiply(rows, m, c.J, JX, c.W + k * r);
    }
    fill_directions(s, c.J);
    status = pass(sim, s, &c, error);
    return status == BR_OK ? br_lcp_rows_check(sim, scratch, &bilateral, &s->lcp, error) : status;
}

static br_status too_large(const br_sim *sim, int p, int d, br_error *error) {
    const int m = sim->model->tree.nv;
    if (m <= BR_MAX_STANDARD_SIZE && p <= BR_MAX_STANDARD_SIZE / (d + 2)) return BR_OK;
    return br_fail(
        error, BR_TOO_LARGE, "lcp-size",
        "%d contacts with %d directions make %lld rows over %d velocities; the standard form is dense "
        "and takes at most %d of each",
        p, d, (long long)p * (d + 2), m, BR_MAX_STANDARD_SIZE);
}

static br_status build(br_sim *sim, br_arena *scratch, int d, br_standard_lcp **out, br_error *error) {
    br_status status = standard_evaluate(sim, error);
    if (status == BR_OK && sim->contacts) status = br_contacts_find(sim, sim->h, 0.0, error);
    const int p = sim->contacts ? sim->contacts->count : 0;
    if (status == BR_OK) status = too_large(sim, p, d, error);
    if (status != BR_OK) return status;
    br_arena arena;
    br_arena_init(&arena, &sim->allocator);
    standard *s = BR_TAKE(&arena, standard, 1);
    if (!s) {
        br_arena_free(&arena);
        return br_no_memory(error, no_memory);
    }
    s->lcp = (br_standard_lcp){.m = sim->model->tree.nv, .p = p, .d = d, .n = p * (d + 2), .dt = sim->h};
    s->arena = arena;
    status = take_arrays(sim, s) == BR_OK ? assemble(sim, scratch, s, error) : br_no_memory(error, no_memory);
    if (status == BR_OK)
        *out = &s->lcp;
    else
        br_standard_lcp_free(&s->lcp);
    return status;
}

br_status br_sim_standard_lcp(br_sim *sim, int directions, br_standard_lcp **out, br_error *error) {
    if (directions % 2 != 0 || directions < 4 || directions > BR_MAX_POLYGON_SIDES)
        return br_fail(
            error, BR_INVALID, "lcp-directions",
            "%d friction directions, expected an even number from 4 to %d: each needs its opposite",
            directions, BR_MAX_POLYGON_SIDES);
    br_arena scratch;
    kept before;
    br_status status = br_model_runnable(sim->model, error);
    if (status == BR_OK) status = too_large(sim, 0, directions, error);
    if (status != BR_OK) return status;
    br_arena_init(&scratch, &sim->allocator);
    if (standard_keep(sim, &scratch, &before) == BR_OK) {
        status = build(sim, &scratch, directions, out, error);
        standard_put_back(sim, &before);
    } else {
        status = br_no_memory(error, no_memory);
    }
    br_arena_free(&scratch);
    return status;
}

void br_standard_lcp_free(br_standard_lcp *lcp) {
    if (!lcp) return;
    br_arena arena = ((standard *)(void *)lcp)->arena; // the object itself lives in it
    br_arena_free(&arena);
}
