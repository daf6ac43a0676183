// Bilateral rows of a standard form: loops, couplings, drives, constraints, springs between bodies.
//
//     G v + C l = target,   v = M^-1 (tau* + N.. + G^T l)
//     S = G M^-1 G^T + C,   l = S^+ (target - G M^-1 (tau* + ..))
//     M^-1 -> M^-1 - M^-1 G^T S^+ G M^-1,   tau* -> tau* + G^T S^+ (target - G M^-1 tau*)
//
// S^+ is that of least squares: rows that depend on each other are met as well as they agree. With S = L L^T by
// Cholesky with pivoting, L of full column rank, S^+ = L (L^T L)^-1 (L^T L)^-1 L^T.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "linalg/dense.h"
#include "sim/study/lcp/standard.h"

#define BR_EPS_LCP_DEPENDENT                                                                                 \
    1e-11 // of a row's own S: what is left of it beside the others, when it depends on them
#define BR_EPS_LCP_EMPTY 1e-20 // of a row's S before its parts cancel
#define BR_EPS_LCP_BOUND 1e-9  // relative: by how much a limit or an effort may be missed

// Velocity that a row must have at the step's end. v, V: of the step's start; zero: [m].
static double target_of(const br_sim *sim, const br_group *g, int r, const br_twist *V, const double *v,
                        const double *zero) {
    return br_group_velocity(g, r, V, v) +
           sim->h * (g->gamma[r] - br_group_acceleration(sim, g, r, sim->work.A, zero));
}

// --- rows --------------------------------------------------------------------------------------------------

static int is_bilateral(const br_group *g) {
    return g->bound != BR_BOUND_LOWER && g->path_nv > 0;
}

static int count(const br_sim *sim) {
    int rows = 0;
    for (int g = 0; g < sim->groups; g++)
        if (is_bilateral(&sim->group[g])) rows += sim->group[g].rows;
    return rows;
}

static br_status standard_rows_take(const br_sim *sim, br_arena *scratch, br_lcp_rows *R) {
    const size_t n = (size_t)count(sim), m = (size_t)sim->model->tree.nv;
    *R = (br_lcp_rows){.rows = (int)n};
    R->group = BR_TAKE(scratch, int, n);
    R->G = BR_TAKE(scratch, double, n *m);
    R->target = BR_TAKE(scratch, double, n);
    R->scale = BR_TAKE(scratch, double, n);
    R->gross = BR_TAKE(scratch, double, n);
    R->free = BR_TAKE(scratch, double, n);
    R->response = BR_TAKE(scratch, double, n *m);
    R->L = BR_TAKE(scratch, double, n *n);
    R->K = BR_TAKE(scratch, double, n *n);
    R->x = BR_TAKE(scratch, double, n);
    R->y = BR_TAKE(scratch, double, n);
    return br_arena_ok(scratch) ? BR_OK : BR_NO_MEMORY;
}

// What a row could be for the twists V if its parts did not cancel.
static double gross_velocity(const br_group *g, int row, const br_twist *V, const double *v) {
    double sum = 0.0;
    for (int e = 0; e < g->entries; e++) {
        const br_twist *T = &V[g->link[e]];
        const br_wrench *F = &g->F[row * g->entries + e];
        sum += br_vec3_norm(T->angular) * br_vec3_norm(F->torque) +
               br_vec3_norm(T->linear) * br_vec3_norm(F->force);
    }
    for (int d = 0; d < g->dofs; d++) sum += fabs(g->coefficient[row * g->dofs + d] * v[g->dof[d]]);
    return sum;
}

// G column by column: the rows' velocities for a unit of each velocity.
static void fill_rows(br_sim *sim, br_lcp_rows *R, const double *inverse, double *unit) {
    const br_tree *tree = &sim->model->tree;
    const size_t m = (size_t)tree->nv;
    for (size_t k = 0; k < m; k++) {
        unit[k] = 1.0;
        br_tree_twists(tree, &sim->work, unit, sim->V);
        for (int i = 0, at = 0; i < sim->groups; i++) {
            const br_group *g = &sim->group[i];
            for (int r = 0; is_bilateral(g) && r < g->rows; r++, at++) {
                const double gross = gross_velocity(g, r, sim->V, unit);
                R->group[at] = i;
                R->G[(size_t)at * m + k] = br_group_velocity(g, r, sim->V, unit);
                R->gross[at] += gross * gross * inverse[k * (m + 1)];
            }
        }
        unit[k] = 0.0;
    }
}

// Velocity of the step's start, with what Euler rates add; twists into sim->V.
static void start_velocity(br_sim *sim, double *v) {
    const br_tree *tree = &sim->model->tree;
    for (int k = 0; k < tree->nv; k++) v[k] = sim->v_start[k] + (sim->turn ? sim->h * sim->turn[k] : 0.0);
    br_tree_twists(tree, &sim->work, v, sim->V);
}

static void fill_targets(br_sim *sim, br_lcp_rows *R, double *v, const double *zero) {
    start_velocity(sim, v);
    for (int g = 0, at = 0; g < sim->groups; g++)
        for (int r = 0; is_bilateral(&sim->group[g]) && r < sim->group[g].rows; r++, at++)
            R->target[at] = target_of(sim, &sim->group[g], r, sim->V, v, zero);
}

// --- S^+ ---------------------------------------------------------------------------------------------------

// L of the scaled S until what is left of every row depends on those before.
static void factor(br_lcp_rows *R, const double *S, double *left) {
    const size_t n = (size_t)R->rows;
    for (size_t i = 0; i < n; i++) left[i] = S[i * n + i];
    for (R->rank = 0; R->rank < R->rows; R->rank++) {
        const size_t k = (size_t)R->rank;
        size_t pivot = 0;
        for (size_t i = 1; i < n; i++)
            if (left[i] > left[pivot]) pivot = i;
        if (!(left[pivot] > BR_EPS_LCP_DEPENDENT)) break;
        const double root = sqrt(left[pivot]);
        for (size_t i = 0; i < n; i++) {
            const double rest = S[i * n + pivot] - br_dot((int)k, R->L + i * n, R->L + pivot * n);
            R->L[i * n + k] = i == pivot ? root : left[i] == -1.0 ? 0.0 : rest / root;
        }
        for (size_t i = 0; i < n; i++)
            if (left[i] >= 0.0) left[i] = fmax(0.0, left[i] - R->L[i * n + k] * R->L[i * n + k]);
        left[pivot] = -1.0; // taken
    }
    for (int a = 0; a < R->rank; a++)
        for (int b = 0; b < R->rank; b++) {
            double sum = 0.0;
            for (size_t i = 0; i < n; i++) sum += R->L[i * n + (size_t)a] * R->L[i * n + (size_t)b];
            R->K[(size_t)a * n + (size_t)b] = sum;
        }
    br_cholesky_factor(R->rank, R->K, R->rows);
}

// l := S^+ l.
static void standard_rows_solve(br_lcp_rows *R, double *l) {
    const size_t n = (size_t)R->rows;
    for (int a = 0; a < R->rank; a++) {
        R->y[a] = 0.0;
        for (size_t i = 0; i < n; i++) R->y[a] += R->L[i * n + (size_t)a] * R->scale[i] * l[i];
    }
    br_cholesky_solve(R->rank, R->K, R->rows, R->y);
    br_cholesky_solve(R->rank, R->K, R->rows, R->y);
    for (size_t i = 0; i < n; i++) l[i] = R->scale[i] * br_dot(R->rank, R->L + i * n, R->y);
}

static double compliance_of(const br_sim *sim, const br_lcp_rows *R, int row) {
    int first = row;
    while (first > 0 && R->group[first - 1] == R->group[row]) first--;
    return sim->group[R->group[row]].compliance[row - first];
}

// S scaled to a diagonal of 1; GX = G M^-1.
static void fill_system(const br_sim *sim, br_lcp_rows *R, const double *GX, double *S) {
    const size_t n = (size_t)R->rows, m = (size_t)sim->model->tree.nv;
    for (size_t i = 0; i < n; i++) {
        const double own = br_dot((int)m, R->G + i * m, GX + i * m) + compliance_of(sim, R, (int)i);
        R->scale[i] = own > BR_EPS_LCP_EMPTY * R->gross[i] && own > 0.0 ? 1.0 / sqrt(own) : 0.0;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            S[i * n + j] =
                R->scale[i] * R->scale[j] *
                (br_dot((int)m, R->G + i * m, GX + j * m) + (i == j ? compliance_of(sim, R, (int)i) : 0.0));
}

// --- elimination -------------------------------------------------------------------------------------------

br_status br_lcp_rows_eliminate(br_sim *sim, br_arena *scratch, br_lcp_rows *R, double *inverse, double *tau,
                                br_error *error) {
    const size_t m = (size_t)sim->model->tree.nv;
    if (standard_rows_take(sim, scratch, R) != BR_OK)
        return br_no_memory(error, "no memory for the standard form");
    if (R->rows == 0) return BR_OK;
    const size_t n = (size_t)R->rows;
    double *zero = BR_TAKE(scratch, double, m), *v = BR_TAKE(scratch, double, m);
    double *GX = BR_TAKE(scratch, double, n *m), *S = BR_TAKE(scratch, double, n *n);
    double *column = BR_TAKE(scratch, double, n), *H = R->response;
    if (!br_arena_ok(scratch)) return br_no_memory(error, "no memory for the standard form");
    fill_rows(sim, R, inverse, zero);
    fill_targets(sim, R, v, zero);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < m; k++) GX[i * m + k] = br_dot((int)m, R->G + i * m, inverse + k * m);
    fill_system(sim, R, GX, S);
    factor(R, S, R->x);
    for (size_t i = 0; i < n; i++) R->free[i] = R->target[i] - br_dot((int)m, GX + i * m, tau);
    standard_rows_solve(R, R->free);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < m; k++) tau[k] += R->G[i * m + k] * R->free[i];
    for (size_t k = 0; k < m; k++) {
        for (size_t i = 0; i < n; i++) column[i] = GX[i * m + k];
        standard_rows_solve(R, column);
        for (size_t i = 0; i < n; i++) H[i * m + k] = column[i];
    }
    for (size_t k = 0; k < m; k++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < m; j++) inverse[k * m + j] -= GX[i * m + k] * H[i * m + j];
    return BR_OK;
}

// --- bounds ------------------------------------------------------------------------------------------------

static br_status active(const br_sim *sim, const br_group *g, const char *what, br_error *error) {
    return br_fail(error, BR_INVALID, "lcp-rows",
                   "t = %.9g s: '%s' %s in this step; the standard form has rows for contacts only",
                   sim->state.at->t, br_group_name(sim, g), what);
}

static br_status check_limits(br_sim *sim, double *v, const double *v_next, const double *zero,
                              br_error *error) {
    start_velocity(sim, v);
    br_tree_twists(&sim->model->tree, &sim->work, v_next, sim->V_start);
    for (int i = 0; i < sim->groups; i++) {
        const br_group *g = &sim->group[i];
        if (g->bound != BR_BOUND_LOWER || (g->path_nv == 0 && !g->apart)) continue;
        const double least = target_of(sim, g, 0, sim->V, v, zero);
        const double now = br_group_velocity(g, 0, sim->V_start, v_next);
        if (now < least - BR_EPS_LCP_BOUND * fmax(1.0, fabs(least)))
            return active(sim, g, "is at its limit", error);
    }
    return BR_OK;
}

static br_status check_efforts(const br_sim *sim, const br_lcp_rows *R, const double *impulse,
                               br_error *error) {
    const size_t m = (size_t)sim->model->tree.nv;
    for (int i = 0; i < R->rows; i++) {
        const br_group *g = &sim->group[R->group[i]];
        if (g->bound != BR_BOUND_BOX) continue;
        const double effort = (R->free[i] - br_dot((int)m, R->response + (size_t)i * m, impulse)) / sim->h;
        if (fabs(effort) > (1.0 + BR_EPS_LCP_BOUND) * g->limit)
            return active(sim, g,
                          g->kind->book == BR_BOOK_FRICTION ? "needs more friction than holds it, or slides,"
                                                            : "needs more than its largest effort",
                          error);
    }
    return BR_OK;
}

// N f_n + B f_d times dt.
static void contact_impulse(const br_standard_lcp *lcp, const double *z, double *impulse) {
    const size_t p = (size_t)lcp->p, pd = p * (size_t)lcp->d;
    for (size_t i = 0; i < (size_t)lcp->m; i++)
        impulse[i] = lcp->dt * (br_dot((int)p, lcp->N + i * p, z) + br_dot((int)pd, lcp->B + i * pd, z + p));
}

br_status br_lcp_rows_check(br_sim *sim, br_arena *scratch, const br_lcp_rows *R, const br_standard_lcp *lcp,
                            br_error *error) {
    static const br_standard_options plain = {0.0, 0};
    const size_t m = (size_t)lcp->m, n = (size_t)lcp->n;
    int bounded = 0;
    for (int g = 0; g < sim->groups; g++) bounded |= sim->group[g].bound != BR_BOUND_FREE;
    if (!bounded) return BR_OK;
    double *z = BR_TAKE(scratch, double, n), *w = BR_TAKE(scratch, double, n),
           *v = BR_TAKE(scratch, double, m);
    double *v_next = BR_TAKE(scratch, double, m), *impulse = BR_TAKE(scratch, double, m);
    double *zero = BR_TAKE(scratch, double, m);
    br_solve_report report;
    if (!br_arena_ok(scratch)) return br_no_memory(error, "no memory for the standard form");
    br_status status = br_standard_lcp_solve(lcp, &plain, z, w, v_next, &report, error);
    if (status != BR_OK || report.outcome != BR_CONVERGED) return status; // whoever solves it will see
    contact_impulse(lcp, z, impulse);
    status = check_limits(sim, v, v_next, zero, error);
    return status == BR_OK ? check_efforts(sim, R, impulse, error) : status;
}
