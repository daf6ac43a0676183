// Closed positions reached by moving along the kernel, and the rank of the rows there, see branch.h.
//
// Rows and columns are scaled by what they could be at most (G below), not by what they are: at a singular position a row may
// vanish as a whole. With c the unit of each velocity and rho the size of each row,
//
//     A = rho^-1 J c,    y = c^-1 v,    residual = rho^-1 phi
//
// are numbers without units. From a position a walk takes a step y in the kernel of A, drawn at random from a fixed seed, and
// closes the loops again by damped least squares, dy = -(A^T A + mu)^-1 A^T residual with mu the residual squared, across the
// kernel only: rows that contradict each other by a little share what is left, and do not pull back to the one position in
// which they agree. Where something is left, all directions are tried: rows that only hold weakly close then. Rows of drives
// are no part of the walk: time would move them. At each position the singular values of all rows are taken; of each the largest
// over all positions counts.
#include "sim/rows/branch.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/finite.h"
#include "linalg/rank.h"
#include "sim/rows/group.h"
#include "tree/spatial.h"

#define BR_EPS_CLEAR 1e-3  // singular values above: rows that hold; nothing needs to be looked at
#define BR_EPS_ZERO 1e-9   // singular values below: rounding
#define BR_EPS_WEAKLY 1e-4 // singular values below, in all positions: what holds is too weak for a run
#define BR_EPS_NEARLY 1e-2 // residual along a walk: more is no motion at all
#define BR_EPS_AGREE 1e-12 // residual below: the loops are closed
#define BR_WALK_STEP 0.2   // rad, or of a link's length
#define BR_WALK_LEAST 0.3  // of a step: a walk that closing takes back further has not moved
#define BR_RESIDUAL_RANK                                                                                     \
    100.0 // rows that are open by r along the walk hold with singular values up to this times r
#define BR_MAX_WALKS 12
#define BR_ENOUGH_WALKS 3
#define BR_WALK_POSITIONS 3
#define BR_WALK_FAR 24
#define BR_MAX_CLOSING 40
#define BR_MAX_BRANCH_WORK                                                                                   \
    4e6 // rows times columns times the fewer of them: some milliseconds of singular values
#define BR_MAX_RANK_ROWS 3000 // beyond, a singular value decomposition takes minutes: independence is assumed

typedef struct walk {
    br_sim *sim;
    int rows, nv, nq, least;
    double *q, *q_from;     // [nq]
    double *J, *G, *A;      // [rows * nv]
    double *rho, *residual; // [rows]
    double *c;              // [nv]
    double *y, *dy, *way;   // [nv]
    double *V, *singular;   // [nv * nv], [rows + nv]: of the walk's rows
    double *start;          // [rows + nv] singular values of all rows at the start
    double *most;           // [rows + nv] largest of all positions
    double *best, *best_q;  // singular values at the position that holds best, and where it is
    unsigned long long seed;
    int closing; // rows of drives are left out of A
} walk;

double br_branch_arm(const br_sim *sim, const br_group *group, int entry) {
    if (!(group->kind->is & BR_GROUP_CLOSES)) return 0.0;
    const br_model_joint *joint = &sim->model->joint[sim->model->loop[group->element].joint];
    const br_relative x = br_sim_relative(sim, joint, 0);
    return br_vec3_norm(joint->first >= 0 && entry == 0 ? x.rho_A : x.rho_B);
}

// What an entry does to the velocities of its link and of those before it, and what it could do if everything were turned the
// worst way: force and arm along each other at a singular position would hide a row.
static void walk_add_entry(const br_sim *sim, const br_group *group, int r, int e, double *J, double *G) {
    const br_tree *tree = &sim->model->tree;
    br_wrench F = group->F[r * group->entries + e];
    const double force = br_vec3_norm(F.force);
    double torque = fmax(br_vec3_norm(F.torque), force * br_branch_arm(sim, group, e));
    for (int i = group->link[e]; i >= 0; i = tree->link[i].parent) {
        for (int k = 0; k < tree->link[i].kind->nv; k++) {
            const int v = tree->link[i].v_at + k;
            const br_twist S = sim->work.S[v];
            J[v] += br_twist_dot(S, F);
            G[v] += br_vec3_norm(S.angular) * torque + br_vec3_norm(S.linear) * force;
        }
        torque += force * br_vec3_norm(sim->work.pose[i].r);
        F = br_wrench_shift(F, sim->work.pose[i].r);
    }
}

void br_branch_rows(const br_sim *sim, double *J, double *G) {
    const br_tree *tree = &sim->model->tree;
    const br_system *s = &sim->exact;
    const size_t size = (size_t)s->rows * (size_t)tree->nv;
    memset(J, 0, size * sizeof *J);
    memset(G, 0, size * sizeof *G);
    for (int g = 0; g < s->groups; g++) {
        const br_group *group = s->group[g];
        for (int r = 0; r < group->rows; r++) {
            const size_t at = (size_t)(s->first[g] + r) * (size_t)tree->nv;
            for (int d = 0; d < group->dofs; d++) {
                const double part = group->coefficient[r * group->dofs + d];
                J[at + (size_t)group->dof[d]] += part;
                G[at + (size_t)group->dof[d]] += fabs(part);
            }
            for (int e = 0; e < group->entries; e++) walk_add_entry(sim, group, r, e, J + at, G + at);
        }
    }
}

// --- one position ------------------------------------------------------------------------------------------

static int walk_skips(const walk *w, const br_group *group) {
    return w->closing && (!group->has_position || (group->kind->is & BR_GROUP_DRIVEN));
}

static void walk_scale_columns(walk *w) {
    const br_sim *sim = w->sim;
    for (int k = 0; k < w->nv; k++) {
        const double unit = br_vec3_norm(sim->work.S[k].angular) > 0.0 ? 1.0 : sim->length_scale;
        w->c[k] = unit;
    }
    for (int r = 0; r < w->rows; r++) {
        double sum = 0.0;
        for (int k = 0; k < w->nv; k++) {
            const double part = w->G[(size_t)r * (size_t)w->nv + (size_t)k] * w->c[k];
            sum += part * part;
        }
        w->rho[r] = sum > 0.0 ? sqrt(sum) : 1.0;
    }
    for (int k = 0; k < w->nv; k++) {
        double sum = 0.0;
        for (int r = 0; r < w->rows; r++) {
            const double part = w->G[(size_t)r * (size_t)w->nv + (size_t)k] * w->c[k] / w->rho[r];
            sum += part * part;
        }
        if (sum > 0.0) w->c[k] /= sqrt(sum);
    }
}

// A, rho, c and the residual at q; its largest entry.
static double walk_look(walk *w, const double *q) {
    br_sim *sim = w->sim;
    const br_system *s = &sim->exact;
    br_tree_position(&sim->model->tree, q, &sim->work);
    sim->at = 0, sim->q_eval = q, sim->v_eval = sim->state.v;
    br_sim_variables(sim);
    br_sim_fill(sim, &sim->exact);
    br_branch_rows(sim, w->J, w->G);
    walk_scale_columns(w);
    double largest = 0.0;
    for (int g = 0; g < s->groups; g++)
        for (int r = 0; r < s->group[g]->rows; r++) {
            const int row = s->first[g] + r, skipped = walk_skips(w, s->group[g]);
            double *A = w->A + (size_t)row * (size_t)w->nv;
            const double *J = w->J + (size_t)row * (size_t)w->nv;
            for (int k = 0; k < w->nv; k++) A[k] = skipped ? 0.0 : J[k] * w->c[k] / w->rho[row];
            const int counts = s->group[g]->has_position && !(s->group[g]->kind->is & BR_GROUP_DRIVEN);
            w->residual[row] = counts ? s->group[g]->phi[r] / w->rho[row] : 0.0;
            largest = fmax(largest, fabs(w->residual[row]));
        }
    return largest;
}

// Singular values of A, falling, with zeros up to nv; V: its rows are the right singular vectors, in the same order.
static br_status walk_decompose(walk *w, br_error *error) {
    int rank = 0;
    memset(w->singular, 0, (size_t)(w->rows + w->nv) * sizeof *w->singular);
    double *turned = w->V + (size_t)w->nv * (size_t)w->nv;
    const br_status status =
        br_rank(w->rows, w->nv, w->A, 1e-300, &rank, w->singular, turned, &w->sim->allocator, error);
    if (status != BR_OK) return status;
    // br_rank puts what is beyond the rank first.
    for (int r = 0; r < w->nv; r++)
        memcpy(w->V + (size_t)r * (size_t)w->nv,
               turned + (size_t)((r + w->nv - rank) % w->nv) * (size_t)w->nv, (size_t)w->nv * sizeof *w->V);
    return BR_OK;
}

// --- a walk ------------------------------------------------------------------------------------------------

static double walk_random(walk *w) { // in (-1, 1)
    w->seed = w->seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(w->seed >> 11) / 4503599627370496.0 - 1.0;
}

static double walk_norm(int n, const double *x) {
    double sum = 0.0;
    for (int k = 0; k < n; k++) sum += x[k] * x[k];
    return sqrt(sum);
}

// y: in the span of right singular vectors whose value is at most `loose`; at random, or what y has there already.
static int walk_aim(walk *w, double loose, int at_random) {
    double *to = w->dy;
    memset(to, 0, (size_t)w->nv * sizeof *to);
    for (int i = 0; i < w->nv; i++) {
        if (i < w->least && w->singular[i] > loose) continue;
        const double *v = w->V + (size_t)i * (size_t)w->nv;
        double part = 0.0;
        for (int k = 0; k < w->nv; k++) part += v[k] * w->y[k];
        if (at_random) part = walk_random(w);
        for (int k = 0; k < w->nv; k++) to[k] += part * v[k];
    }
    const double norm = walk_norm(w->nv, to);
    for (int k = 0; k < w->nv; k++) w->y[k] = norm > 0.0 ? to[k] / norm : 0.0;
    return norm > 0.0;
}

static void walk_advance(walk *w, const double *dy) {
    double *v = w->sim->eta;
    for (int k = 0; k < w->nv; k++) v[k] = w->c[k] * dy[k], w->way[k] += dy[k];
    br_tree_advance(&w->sim->model->tree, w->q, v, 1.0, w->q);
}

// dy = -(A^T A + mu)^-1 A^T residual, from the decomposition of A.
static void walk_correct(walk *w, double mu, double least) {
    double *gradient = w->start + (size_t)(w->rows + w->nv); // scratch [nv]
    for (int k = 0; k < w->nv; k++) {
        gradient[k] = 0.0, w->dy[k] = 0.0;
        for (int r = 0; r < w->rows; r++)
            gradient[k] += w->A[(size_t)r * (size_t)w->nv + (size_t)k] * w->residual[r];
    }
    for (int i = 0; i < w->least; i++) {
        const double *v = w->V + (size_t)i * (size_t)w->nv, s = w->singular[i];
        if (!(s > least)) break;
        double part = 0.0;
        for (int k = 0; k < w->nv; k++) part += v[k] * gradient[k];
        for (int k = 0; k < w->nv; k++) w->dy[k] -= part / (s * s + mu) * v[k];
    }
    const double size = walk_norm(w->nv, w->dy);
    for (int k = 0; k < w->nv; k++) w->dy[k] *= fmin(1.0, BR_WALK_STEP / fmax(size, 1e-300));
}

// Closes the loops from w->q by directions that are held with more than `least`; what is left of the residual.
static br_status walk_close(walk *w, double least, double *left, br_error *error) {
    int slow = 0;
    double now = walk_look(w, w->q);
    for (int k = 0; k < BR_MAX_CLOSING && now > 0.01 * BR_EPS_AGREE && slow < 4; k++) {
        const br_status status = walk_decompose(w, error);
        if (status != BR_OK) return status;
        walk_correct(w, now * now, least);
        walk_advance(w, w->dy);
        if (!br_all_finite(w->nq, w->q)) {
            *left = INFINITY;
            return BR_OK;
        }
        const double before = now;
        now = walk_look(w, w->q);
        slow = now > 0.7 * before ? slow + 1 : 0;
    }
    *left = now;
    return BR_OK;
}

// Singular values of all rows at w->q: into w->singular. `most` and the best position are brought up to date.
static br_status walk_judge(walk *w, br_error *error) {
    w->closing = 0;
    walk_look(w, w->q);
    const br_status status = walk_decompose(w, error);
    w->closing = 1;
    if (status != BR_OK) return status;
    // Of what is left of them the last that holds decides which position is the best.
    double here = 0.0, best = 0.0;
    for (int i = 0; i < w->least; i++) {
        w->most[i] = fmax(w->most[i], w->singular[i]);
        if (w->most[i] > BR_EPS_CLEAR) here = w->singular[i], best = w->best[i];
    }
    if (here > best) {
        memcpy(w->best, w->singular, (size_t)w->least * sizeof *w->best);
        memcpy(w->best_q, w->q, (size_t)w->nq * sizeof *w->q);
    }
    return BR_OK;
}

// The largest opening at the position, m or rad, and whose it is.
static void walk_note(walk *w, double *largest, const br_group **whose) {
    const br_system *s = &w->sim->exact;
    for (int g = 0; g < s->groups; g++)
        for (int r = 0; !walk_skips(w, s->group[g]) && r < s->group[g]->rows; r++)
            if (fabs(s->group[g]->phi[r]) > *largest && fabs(w->residual[s->first[g] + r]) > BR_EPS_AGREE) {
                *largest = fabs(s->group[g]->phi[r]);
                *whose = s->group[g];
            }
}

// Closes the loops after a step; the way from before it, and what is left.
static br_status walk_settle(walk *w, double *left, double *way, br_error *error) {
    br_status status = walk_close(w, BR_EPS_CLEAR, left, error);
    *way = walk_norm(w->nv, w->way);
    if (status != BR_OK || *left <= BR_EPS_AGREE || !isfinite(*left)) return status;
    // Again with the directions that are held weakly. What goes back by it was rows that contradict each other.
    double *kept = w->start + (size_t)(w->rows + 2 * w->nv), closer = INFINITY;
    memcpy(kept, w->way, (size_t)w->nv * sizeof *kept);
    memcpy(w->q_from, w->q, (size_t)w->nq * sizeof *w->q);
    status = walk_close(w, BR_EPS_AGREE, &closer, error);
    const double now = walk_norm(w->nv, w->way);
    double along = 0.0;
    for (int k = 0; k < w->nv; k++) along += kept[k] * w->way[k];
    if (status == BR_OK && closer <= BR_EPS_AGREE && along > 0.5 * *way * *way && now < 2.0 * *way) {
        *left = closer, *way = now;
        return BR_OK;
    }
    memcpy(w->way, kept, (size_t)w->nv * sizeof *kept);
    memcpy(w->q, w->q_from, (size_t)w->nq * sizeof *w->q);
    walk_look(w, w->q);
    return status;
}

// Some positions along one way from the start; how many were reached.
static br_status walk_once(walk *w, br_branch *out, double *open, int *reached, br_error *error) {
    *reached = 0;
    memcpy(w->q, w->sim->state.q, (size_t)w->nq * sizeof *w->q);
    // Rows that contradict each other do so more the further the mechanism goes: then it is followed for longer.
    for (int k = 0; k < (out->contradiction > 0.0 ? BR_WALK_FAR : BR_WALK_POSITIONS); k++) {
        walk_look(w, w->q);
        br_status status = walk_decompose(w, error);
        if (status != BR_OK || !walk_aim(w, BR_EPS_CLEAR, k == 0)) return status;
        memset(w->way, 0, (size_t)w->nv * sizeof *w->way);
        for (int i = 0; i < w->nv; i++) w->dy[i] = BR_WALK_STEP * w->y[i];
        walk_advance(w, w->dy);
        double left = INFINITY, way = 0.0;
        status = walk_settle(w, &left, &way, error);
        if (status != BR_OK || !(way > BR_WALK_LEAST * BR_WALK_STEP) || way > 10.0 * BR_WALK_STEP)
            return status;
        if (left > BR_EPS_MADE_OF_DIGITS) {
            if (left < BR_EPS_NEARLY && *reached == 0) walk_note(w, &out->nearly, &out->nearly_by);
            if (left<BR_EPS_NEARLY && * reached> 0) walk_note(w, &out->contradiction, &out->contradicts);
            return BR_OK;
        }
        *open = fmax(*open, left);
        walk_note(w, &out->contradiction, &out->contradicts);
        for (int i = 0; i < w->nv; i++) w->y[i] = w->way[i] / way;
        double *y = w->start + (size_t)(w->rows + 2 * w->nv); // scratch [nv]: walk_judge uses V
        memcpy(y, w->y, (size_t)w->nv * sizeof *y);
        status = walk_judge(w, error);
        memcpy(w->y, y, (size_t)w->nv * sizeof *y);
        if (status != BR_OK) return status;
        ++*reached, out->positions++;
    }
    return BR_OK;
}

// --- the branch --------------------------------------------------------------------------------------------

static int walk_is_clear(const walk *w) {
    for (int i = 0; i < w->least; i++)
        if (w->most[i] <= BR_EPS_CLEAR && w->most[i] > BR_EPS_ZERO) return 0;
    return 1;
}

static br_status walk_about(walk *w, br_branch *out, br_error *error) {
    double open = 0.0;
    int good = 0;
    w->closing = 1;
    for (int k = 0; k < BR_MAX_WALKS; k++) {
        int reached = 0;
        const br_status status = walk_once(w, out, &open, &reached, error);
        if (status != BR_OK) return status;
        good += reached > 0;
        if (good >= BR_ENOUGH_WALKS && walk_is_clear(w)) break;
    }
    const double limit = fmin(BR_EPS_CLEAR, fmax(BR_EPS_ZERO, BR_RESIDUAL_RANK * open));
    out->rank = 0;
    while (out->rank < w->least && w->most[out->rank] > limit) out->rank++;
    if (out->rank == w->rows) out->contradiction = 0.0, out->contradicts = NULL;
    if (out->rank == 0 || w->most[out->rank - 1] > BR_EPS_WEAKLY) out->nearly = 0.0, out->nearly_by = NULL;
    return BR_OK;
}

static int walk_create(walk *w, br_sim *sim, double *q_best) {
    const size_t rows = (size_t)sim->exact.rows, nv = (size_t)sim->model->tree.nv,
                 nq = (size_t)sim->model->tree.nq;
    memset(w, 0, sizeof *w);
    const size_t size = 3 * rows * nv + 2 * nv * nv + 4 * (rows + nv) + 2 * rows + 7 * nv + 2 * nq;
    double *at = br_sim_take(sim, (size + 1) * sizeof *at);
    if (!at) return 0;
    memset(at, 0, (size + 1) * sizeof *at);
    w->sim = sim, w->rows = (int)rows, w->nv = (int)nv, w->nq = (int)nq, w->seed = 1;
    w->least = (int)(rows < nv ? rows : nv);
    w->J = at, at += rows * nv;
    w->G = at, at += rows * nv;
    w->A = at, at += rows * nv;
    w->V = at, at += 2 * nv * nv;
    w->singular = at, at += rows + nv;
    w->most = at, at += rows + nv;
    w->best = at, at += rows + nv;
    w->rho = at, at += rows;
    w->residual = at, at += rows;
    w->c = at, at += nv;
    w->y = at, at += nv;
    w->dy = at, at += nv;
    w->way = at, at += nv;
    w->q = at, at += nq;
    w->q_from = at, at += nq;
    w->start = at; // with two times [nv] of scratch behind it
    w->best_q = q_best;
    return 1;
}

// Rank of all rows at the state.
br_status br_branch_rank_here(br_sim *sim, int *rank, double *grip, br_error *error) {
    walk w;
    *rank = 0, *grip = 1.0;
    if (sim->exact.rows == 0 || sim->model->tree.nv == 0) return BR_OK;
    if (!walk_create(&w, sim, NULL))
        return br_no_memory(error, "no memory for the rank of %d rows", sim->exact.rows);
    walk_look(&w, sim->state.q);
    const br_status status = walk_decompose(&w, error);
    while (status == BR_OK && *rank < w.least && w.singular[*rank] > BR_EPS_ZERO) ++*rank;
    if (status == BR_OK && sim->branch.rank > 0) *grip = w.singular[sim->branch.rank - 1];
    br_sim_give(sim, w.J);
    sim->at = 0;
    return status;
}

br_status br_branch_find(br_sim *sim, br_branch *out, double *q_best, br_error *error) {
    const int rows = sim->exact.rows, nv = sim->model->tree.nv, nq = sim->model->tree.nq;
    *out = (br_branch){.rank = rows < nv ? rows : nv, .grip = 1.0};
    memcpy(q_best, sim->state.q, (size_t)nq * sizeof *q_best);
    out->too_large = rows > BR_MAX_RANK_ROWS ? 2 : 0;
    if (rows == 0 || nv == 0 || out->too_large) return BR_OK;
    walk w;
    if (!walk_create(&w, sim, q_best)) return br_no_memory(error, "no memory for the rank of %d rows", rows);
    memcpy(w.q, sim->state.q, (size_t)nq * sizeof *w.q);
    br_status status = walk_judge(&w, error);
    memcpy(w.start, w.singular, (size_t)(rows + nv) * sizeof *w.start);
    const int clear = status == BR_OK && rows <= nv && w.start[w.least - 1] > BR_EPS_CLEAR;
    out->too_large = !clear && (double)rows * (double)nv * (double)w.least > BR_MAX_BRANCH_WORK;
    out->rank = 0;
    while (status == BR_OK && out->rank < w.least && w.start[out->rank] > BR_EPS_ZERO) out->rank++;
    if (status == BR_OK && !clear && !out->too_large) status = walk_about(&w, out, error);
    if (status == BR_OK && out->rank > 0) out->grip = w.start[out->rank - 1];
    br_sim_give(sim, w.J);
    sim->at = 0;
    // Singular values that do not converge are no reason to refuse a model: its rows count as independent.
    if (status != BR_OK && status != BR_NO_MEMORY) {
        *out = (br_branch){.rank = rows < nv ? rows : nv, .grip = 1.0, .too_large = 2};
        status = BR_OK;
    }
    return status;
}
