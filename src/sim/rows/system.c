// The Delassus matrix of a set of groups in joint coordinates, its factor and its solves, see sim.h.
//
//     W = J M^-1 J^T + C,   W_ab = sum over shared velocities of y_a z_b       (br_tree_sweep)
//
// The scaled matrix, whose diagonal is 1, is factored as it is while its pivots are sound. Otherwise:
//
// - Dependent rows (an overconstrained mechanism) whose rank is known: so many rows stay that they are independent, the others
//   are left out (`idle`) and have no force. What stays is a mechanism like any other, also where the rows contradict each
//   other by a little. A set that is chosen at the start serves in most positions; where its pivots are weak, the
//   largest pivots choose another.
// - Dependent rows whose rank is not set (loads of joint friction share them): a tiny diagonal is added and forces are refined
//   against W itself. Dependent directions receive next to nothing, the others are exact.
// - A singular position: a pivot has all but vanished, `damped` is set, and a small diagonal keeps the factor alive (damped
//   least squares). What such rows ask for is error divided by almost nothing; the contact stepper does not follow them
//   (pass_singular_position), a first step and reactions do, with few refinements.
//
// Rows are scaled by their usual size, not by their present one: a row that vanishes as a whole would look sound.
#include <string.h>

#include "base/error.h"
#include "linalg/dense.h"
#include "math/elementary.h"
#include "sim/core/sim.h"
#include "sim/rows/branch.h"
#include "sim/rows/meet.h"

#define BR_EPS_VANISHED 1e-6 // of what a row could be: less is the least that is usual for a row
#define BR_EPS_WEAK 1e-5     // a pivot below this, of the set that usually stays: others may be held better
#define BR_PREFERRED 0.1     // of the largest pivot: enough for a row of that set to stay
#define BR_CLEARLY 1.01      // so much larger is a larger pivot; rounding does not decide
#define BR_MAX_CHOICE 400    // rows: more are not left out
#define BR_EPS_PIVOT 1e-9    // a pivot below this: singular position, within about 3e-5 rad
#define BR_POWER_STEPS 3
#define BR_EPS_DAMPING 1e-8    // diagonal added there
#define BR_EPS_NOTHING 1e-26   // of the largest of all rows: same
#define BR_EPS_EMPTY 1e-22     // of a row's W before its parts cancel: rounding errors squared
#define BR_ELSEWHERE 0.3       // rad, m: how far the other position is in which rows are looked at
#define BR_EPS_DEPENDENT 1e-10 // diagonal added to dependent rows
#define BR_EPS_REFINED 1e-14   // residual, relative to the right-hand side, at which refinement ends
#define BR_MAX_REFINEMENTS 12
#define BR_MIN_REFINEMENTS                                                                                   \
    4 // of dependent rows: a part of their residual stays, and hides how far the rest has come
#define BR_FEW_REFINEMENTS 3 // at a singular position
#define BR_MAX_PAIRS 1e7     // groups that share velocities: some 4 GB with the matrix of the bounded problem

// --- creation ----------------------------------------------------------------------------------------------

// From here on the same links: one stretch, as nearly always in a tree.
static int same_rest(const br_group *a, int i, const br_group *b, int j) {
    const int count = a->path_count - i;
    return count == b->path_count - j &&
           memcmp(a->path + i, b->path + j, (size_t)count * sizeof *a->path) == 0;
}

// Stretches of velocities that two groups' paths have in common. Both paths fall.
static int shared_stretches(const br_sim *sim, const br_group *a, const br_group *b, int *at_a, int *at_b,
                            int *length) {
    const br_link *link = sim->model->tree.link;
    int count = 0, i = 0, j = 0, ya = 0, yb = 0;
    int end_a = -1, end_b = -1; // of the last stretch
    while (i < a->path_count && j < b->path_count) {
        const int la = a->path[i], lb = b->path[j];
        if (la == lb) {
            const int rest = count == 0 && same_rest(a, i, b, j);
            const int nv = rest ? a->path_nv - ya : link[la].kind->nv;
            if (nv > 0) {
                if (end_a == ya && end_b == yb) {
                    if (at_a) length[count - 1] += nv;
                } else {
                    if (at_a) at_a[count] = ya, at_b[count] = yb, length[count] = nv;
                    count++;
                }
                end_a = ya + nv, end_b = yb + nv;
            }
            if (rest) break;
            ya += nv, yb += nv, i++, j++;
        } else if (la > lb) {
            ya += link[la].kind->nv, i++;
        } else {
            yb += link[lb].kind->nv, j++;
        }
    }
    return count;
}

// The roots of the trees that a group reaches: groups that share velocities share one of them.
static int group_roots(const br_sim *sim, const br_group *g, int *root) {
    int count = 0;
    for (int i = 0; i < g->path_count; i++) {
        if (sim->model->tree.link[g->path[i]].parent >= 0) continue;
        if (root) root[count] = g->path[i];
        count++;
    }
    return count;
}

static br_status keep_pair(br_sim *sim, br_system *s, int a, int b) {
    const int shared = shared_stretches(sim, s->group[a], s->group[b], NULL, NULL, NULL);
    if (shared == 0) return BR_OK;
    br_pair *pair = &s->pair[s->pairs++];
    int *parts = BR_TAKE(&sim->arena, int, 3 * shared);
    if (!parts) return BR_NO_MEMORY;
    *pair = (br_pair){.a = a, .b = b, .at_a = parts, .at_b = parts + shared, .length = parts + 2 * shared};
    pair->shared = shared_stretches(sim, s->group[a], s->group[b], pair->at_a, pair->at_b, pair->length);
    return BR_OK;
}

static br_status pairs_of(br_sim *sim, br_system *s, const int *at, const int *root) {
    br_meet meet;
    const int *others;
    size_t count = 0;
    if (br_meet_create(sim, s->groups, at, root, &meet) != BR_OK) return BR_NO_MEMORY;
    for (int a = 1; a < s->groups; a++) count += (size_t)br_meet_before(&meet, a, &others);
    br_meet_free(sim, &meet);
    if ((double)count > BR_MAX_PAIRS) return BR_TOO_LARGE;
    s->pair = BR_TAKE(&sim->arena, br_pair, count);
    if (!s->pair || br_meet_create(sim, s->groups, at, root, &meet) != BR_OK) return BR_NO_MEMORY;
    br_status status = BR_OK;
    for (int a = 1; a < s->groups && status == BR_OK; a++) {
        const int n = br_meet_before(&meet, a, &others);
        for (int k = 0; k < n && status == BR_OK; k++) status = keep_pair(sim, s, a, others[k]);
    }
    br_meet_free(sim, &meet);
    return status;
}

static br_status create_pairs(br_sim *sim, br_system *s) {
    int keys = 0;
    for (int g = 0; g < s->groups; g++) keys += group_roots(sim, s->group[g], NULL);
    int *at = br_sim_take(sim, ((size_t)s->groups + 1 + (size_t)keys) * sizeof *at);
    if (!at) return BR_NO_MEMORY;
    int *root = at + s->groups + 1;
    at[0] = 0;
    for (int g = 0; g < s->groups; g++) at[g + 1] = at[g] + group_roots(sim, s->group[g], root + at[g]);
    const br_status status = pairs_of(sim, s, at, root);
    br_sim_give(sim, at);
    return status;
}

// The pattern is analysed once. Blocks keep their places.
br_status br_system_analyze(br_arena *arena, br_system *s, br_error *error) {
    int *dims = BR_TAKE(arena, int, s->groups);
    int(*couples)[2] = (int(*)[2])br_arena_take(arena, (size_t)s->pairs, sizeof(int[2]));
    s->diagonal = BR_TAKE(arena, br_block_ref, s->groups);
    if (!dims || !couples || !s->diagonal) return br_no_memory(error, "no memory for rows");
    for (int g = 0; g < s->groups; g++) dims[g] = s->group[g]->rows;
    for (int p = 0; p < s->pairs; p++) couples[p][0] = s->pair[p].a, couples[p][1] = s->pair[p].b;
    const br_status status =
        br_block_analyze(arena, s->groups, dims, s->pairs, (const int(*)[2])couples, &s->factor, error);
    if (status != BR_OK) return status;
    for (int g = 0; g < s->groups; g++) s->diagonal[g] = br_block_at(s->factor, BR_BLOCK_SYMMETRIC, g, g);
    for (int p = 0; p < s->pairs; p++) {
        br_pair *pair = &s->pair[p];
        pair->block = br_block_at(s->factor, BR_BLOCK_SYMMETRIC, pair->a, pair->b);
        pair->transposed = !pair->block.stored;
        if (pair->transposed) pair->block = br_block_at(s->factor, BR_BLOCK_SYMMETRIC, pair->b, pair->a);
    }
    return BR_OK;
}

br_status br_system_create(br_sim *sim, br_system *s, br_error *error) {
    const br_status status = br_system_shape(sim, s, error);
    return status == BR_OK && s->groups > 0 ? br_system_analyze(&sim->arena, s, error) : status;
}

br_status br_system_shape(br_sim *sim, br_system *s, br_error *error) {
    s->rows = 0;
    for (int g = 0; g < s->groups; g++) s->first[g] = s->rows, s->rows += s->group[g]->rows;
    s->scale = BR_TAKE(&sim->arena, double, s->rows);
    s->x = BR_TAKE(&sim->arena, double, s->rows);
    s->r = BR_TAKE(&sim->arena, double, s->rows);
    s->rhs = BR_TAKE(&sim->arena, double, s->rows);
    s->force = BR_TAKE(&sim->arena, double, s->rows);
    s->usual = BR_TAKE(&sim->arena, double, s->rows);
    s->least = BR_TAKE(&sim->arena, double, s->rows);
    s->idle = BR_TAKE(&sim->arena, int, s->rows);
    if (!br_arena_ok(&sim->arena)) return br_no_memory(error, "no memory for constraint rows");
    const br_status status = create_pairs(sim, s);
    if (status == BR_TOO_LARGE)
        return br_fail(error, BR_TOO_LARGE, "rows-too-many",
                       "%d groups of rows (limits, drives, springs, loops) act on one tree, and each meets "
                       "every other: more than %.0e pairs; split the tree, or leave limits out that are "
                       "never reached",
                       s->groups, BR_MAX_PAIRS);
    return status == BR_OK ? BR_OK : br_no_memory(error, "no memory for constraint rows");
}

// --- factor and solve --------------------------------------------------------------------------------------

static void assemble_diagonal(br_system *s, int index, double damping) {
    const br_group *g = s->group[index];
    const br_block_ref *to = &s->diagonal[index];
    double *scale = s->scale + s->first[index];
    const double *usual = s->usual + s->first[index];
    for (int r = 0; r < g->rows; r++) {
        const double w = br_dot(g->path_nv, g->y + r * g->path_nv, g->z + r * g->path_nv) + g->compliance[r];
        // A row that vanishes as a whole (a rod along its own row) must not be scaled up to look sound.
        const double size = s->sharp ? w : fmax(w, usual[r]);
        // A row whose parts on the two bodies cancel (a second hinge of one door) is nothing but rounding: left out.
        const int empty = !(w > s->least[s->first[index] + r]) || s->idle[s->first[index] + r];
        scale[r] = empty ? 0.0 : 1.0 / sqrt(size);
        to->value[r * to->row_stride + r * to->col_stride] = empty ? 1.0 : w / size + damping;
        for (int c = 0; c < r; c++) {
            const double x =
                scale[r] * scale[c] * br_dot(g->path_nv, g->y + r * g->path_nv, g->z + c * g->path_nv);
            to->value[r * to->row_stride + c * to->col_stride] = x;
            to->value[c * to->row_stride + r * to->col_stride] = x;
        }
    }
}

static void assemble_pair(br_system *s, const br_pair *p) {
    const br_group *a = s->group[p->a], *b = s->group[p->b];
    const double *scale_a = s->scale + s->first[p->a], *scale_b = s->scale + s->first[p->b];
    const int row = p->transposed ? p->block.col_stride : p->block.row_stride;
    const int col = p->transposed ? p->block.row_stride : p->block.col_stride;
    for (int i = 0; i < a->rows; i++)
        for (int j = 0; j < b->rows; j++) {
            double w = 0.0;
            for (int k = 0; k < p->shared; k++)
                w += br_dot(p->length[k], a->y + i * a->path_nv + p->at_a[k],
                            b->z + j * b->path_nv + p->at_b[k]);
            p->block.value[i * row + j * col] = scale_a[i] * scale_b[j] * w;
        }
}

br_status br_system_factor(br_sim *sim, br_system *s) {
    for (int g = 0; g < s->groups; g++) br_group_sweep(sim, s->group[g]);
    return br_system_factor_swept(s);
}

static br_status factor_with(br_system *s, double damping, double least_pivot) {
    br_block_clear(s->factor);
    for (int g = 0; g < s->groups; g++) assemble_diagonal(s, g, damping);
    for (int p = 0; p < s->pairs; p++) assemble_pair(s, &s->pair[p]);
    return br_block_factor(s->factor, BR_BLOCK_SYMMETRIC, damping > 0.0 ? 0.0 : least_pivot, NULL);
}

// Whether what was factored is singular although no pivot is: rows that nearly agree share how small it is, one pivot 1e-8, the next
// 1e-4. Its smallest eigenvalue, by the power method with the inverse.
static int hides_a_vanished_pivot(br_system *s) {
    double smallest = INFINITY;
    if (br_block_least_pivot(s->factor) > sqrt(BR_EPS_PIVOT)) return 0;
    for (int k = 0; k < s->rows; k++) s->x[k] = br_sin(1.0 + k);
    for (int step = 0; step < BR_POWER_STEPS; step++) {
        double before = 0.0, after = 0.0;
        for (int k = 0; k < s->rows; k++) before += s->x[k] * s->x[k];
        for (int k = 0; k < s->rows; k++) s->x[k] /= sqrt(before);
        br_block_solve(s->factor, s->x);
        for (int k = 0; k < s->rows; k++) after += s->x[k] * s->x[k];
        smallest = 1.0 / sqrt(after);
    }
    return !(smallest > BR_EPS_PIVOT);
}

static br_status factor_soundly(br_system *s) {
    const br_status status = factor_with(s, 0.0, BR_EPS_PIVOT);
    return status == BR_OK && hides_a_vanished_pivot(s) ? BR_NUMERICAL : status;
}

// The scaled W of the exact rows, dense, from the rows as they were swept. Scaled by what is usual for a row: one that has all but
// vanished must not look sound.
static void fill_choice(br_system *s) {
    const size_t n = (size_t)s->rows;
    const int sharp = s->sharp;
    s->sharp = 0;
    memset(s->idle, 0, n * sizeof *s->idle);
    memset(s->choice, 0, n * n * sizeof *s->choice);
    br_block_clear(s->factor);
    for (int g = 0; g < s->groups; g++) assemble_diagonal(s, g, 0.0);
    for (int p = 0; p < s->pairs; p++) assemble_pair(s, &s->pair[p]);
    s->sharp = sharp;
    for (int g = 0; g < s->groups; g++) {
        const br_block_ref *d = &s->diagonal[g];
        for (int r = 0; r < s->group[g]->rows; r++)
            for (int c = 0; c < s->group[g]->rows; c++)
                s->choice[(size_t)(s->first[g] + r) * n + (size_t)(s->first[g] + c)] =
                    d->value[r * d->row_stride + c * d->col_stride];
    }
    for (int k = 0; k < s->pairs; k++) {
        const br_pair *p = &s->pair[k];
        const int row = p->transposed ? p->block.col_stride : p->block.row_stride;
        const int col = p->transposed ? p->block.row_stride : p->block.col_stride;
        for (int i = 0; i < s->group[p->a]->rows; i++)
            for (int j = 0; j < s->group[p->b]->rows; j++) {
                const size_t a = (size_t)(s->first[p->a] + i), b = (size_t)(s->first[p->b] + j);
                s->choice[a * n + b] = s->choice[b * n + a] = p->block.value[i * row + j * col];
            }
    }
}

// The row with the largest pivot among those that wait (idle 2); one that usually stays is preferred. -1: none.
static int choose_pivot(const br_system *s) {
    const size_t n = (size_t)s->rows;
    int best = -1;
    double most = 0.0;
    for (int k = 0; k < s->rows; k++) {
        if (s->idle[k] != 2) continue;
        const double pivot = s->choice[(size_t)k * n + (size_t)k] *
                             (s->usually_idle && s->usually_idle[k] ? BR_PREFERRED : 1.0);
        if (best < 0 || pivot > BR_CLEARLY * most) best = k, most = pivot;
    }
    return best;
}

// Elimination with the largest pivot first: `rank` rows stay, idle 0; the others become 1.
static void choose_rows(br_system *s) {
    const size_t n = (size_t)s->rows;
    fill_choice(s);
    for (int g = 0; g < s->groups; g++)
        for (int r = 0; r < s->group[g]->rows; r++) {
            const int k = s->first[g] + r;
            s->idle[k] = s->group[g]->exact ? (s->scale[k] > 0.0 ? 2 : 1) : 0;
        }
    for (int count = 0; count < s->rank; count++) {
        const int p = choose_pivot(s);
        if (p < 0) break;
        const double pivot = s->choice[(size_t)p * n + (size_t)p];
        s->idle[p] = 0;
        for (size_t i = 0; pivot > 0.0 && i < n; i++) {
            if (s->idle[i] != 2) continue;
            const double factor = s->choice[i * n + (size_t)p] / pivot;
            for (size_t j = 0; j < n; j++)
                if (s->idle[j] == 2) s->choice[i * n + j] -= factor * s->choice[(size_t)p * n + j];
        }
    }
    for (size_t k = 0; k < n; k++) s->idle[k] = s->idle[k] == 2;
}

// Of rows whose rank is known. Scaled by what is usual first, whoever asks: a row of the usual set that has vanished must be seen.
static br_status factor_independent(br_system *s) {
    const int sharp = s->sharp;
    memcpy(s->idle, s->usually_idle, (size_t)s->rows * sizeof *s->idle);
    for (int g = 0; g < s->groups; g++) s->group[g]->idle = s->idle + s->first[g];
    s->damped = 0, s->sharp = 0;
    br_status status = factor_with(s, 0.0, BR_EPS_WEAK);
    if (status != BR_OK) {
        choose_rows(s);
        status = factor_soundly(s);
    }
    s->sharp = sharp;
    if (status == BR_OK) return BR_OK;
    s->damped = 1;
    return factor_with(s, sharp ? BR_EPS_DEPENDENT : BR_EPS_DAMPING, 0.0);
}

br_status br_system_factor_swept(br_system *s) {
    if (s->groups == 0) return BR_OK;
    if (s->dependent && s->usually_idle) return factor_independent(s);
    s->damped = s->dependent;
    if (!s->dependent && factor_soundly(s) == BR_OK) return BR_OK;
    s->damped = 1;
    return factor_with(s, s->dependent || s->sharp ? BR_EPS_DEPENDENT : BR_EPS_DAMPING, 0.0);
}

// W of each entry of a row by itself: how large the row is before its parts cancel.
static double gross_size(br_sim *sim, br_group *g, int r) {
    double sum = 0.0;
    double *y = g->y + r * g->path_nv, *z = g->z + r * g->path_nv;
    for (int part = 0; part < g->entries + 1; part++) {
        memset(y, 0, (size_t)g->path_nv * sizeof *y);
        if (part < g->entries)
            sim->work.force[g->link[part]] = g->F[r * g->entries + part];
        else
            for (int d = 0; d < g->dofs; d++) y[g->dof_at[d]] += g->coefficient[r * g->dofs + d];
        br_tree_sweep(&sim->model->tree, &sim->work, g->path, g->path_count, y, z);
        sum += br_dot(g->path_nv, y, z);
    }
    return sum;
}

// The same with its force and its torque along every axis: how large it could be. far: with its arm turned the worst way too, which a
// force along its own arm (a hinge on another's axis) hides.
static double possible_size(br_sim *sim, br_group *g, int r, int far) {
    double sum = 0.0;
    double *y = g->y + r * g->path_nv, *z = g->z + r * g->path_nv;
    for (int part = 0; part < g->entries; part++) {
        const br_wrench F = g->F[r * g->entries + part];
        const double force = br_vec3_norm(F.force), arm = far ? br_branch_arm(sim, g, part) : 0.0;
        const double torque = fmax(br_vec3_norm(F.torque), force * arm);
        for (int k = 0; k < 6; k++) {
            const br_vec3 axis = br_vec3_scale(k < 3 ? force : torque, br_vec3_unit(k % 3));
            memset(y, 0, (size_t)g->path_nv * sizeof *y);
            sim->work.force[g->link[part]] =
                k < 3 ? br_wrench_of(br_vec3_zero(), axis) : br_wrench_of(axis, br_vec3_zero());
            br_tree_sweep(&sim->model->tree, &sim->work, g->path, g->path_count, y, z);
            sum += br_dot(g->path_nv, y, z);
        }
    }
    return sum;
}

// Another position is found by singular values, whose last bits differ from machine to machine: of sizes there only the order of
// magnitude may reach a step.
static double power_of_two(double x) {
    return x > 0.0 ? ldexp(1.0, ilogb(x)) : 0.0;
}

static int place_rows(br_sim *sim, br_system *s, const double *q) {
    int bad;
    const br_tree *tree = &sim->model->tree;
    sim->q_eval = q;
    br_tree_position(tree, q, &sim->work);
    br_sim_fill(sim, s);
    return br_tree_articulate(tree, tree->armature, &sim->work, &bad) == BR_OK;
}

br_status br_system_leave_out(br_sim *sim, br_system *s, int rank, const double *q, br_error *error) {
    const size_t n = (size_t)s->rows;
    s->dependent = 1;
    if (s->rows > BR_MAX_CHOICE) return BR_OK;
    int *usually = BR_TAKE(&sim->arena, int, s->rows);
    double *choice = BR_TAKE(&sim->arena, double, n *n);
    if (!br_arena_ok(&sim->arena)) return br_no_memory(error, "no memory for constraint rows");
    s->rank = rank, s->choice = choice;
    if (place_rows(sim, s, q)) {
        for (int g = 0; g < s->groups; g++) {
            for (int r = 0; s->group[g]->exact && r < s->group[g]->rows; r++)
                s->usual[s->first[g] + r] =
                    fmax(s->usual[s->first[g] + r],
                         power_of_two(BR_EPS_VANISHED * possible_size(sim, s->group[g], r, 0)));
            br_group_sweep(sim, s->group[g]);
        }
        choose_rows(s);
        memcpy(usually, s->idle, n * sizeof *usually);
    }
    s->usually_idle = usually;
    place_rows(sim, s, sim->state.q);
    sim->q_eval = sim->state.q, sim->at = 0;
    return BR_OK;
}

static double size_of_row(const br_group *g, int r) {
    return br_dot(g->path_nv, g->y + r * g->path_nv, g->z + r * g->path_nv);
}

// A row may also be nothing part by part: across the plane of a linkage of parallel hinges it is so in every position, so it is
// looked at in another one. At a singular position it is so only there, and grows as that is left: such a row counts. elsewhere: a
// closed position; NULL: none is known yet, and in the one taken here loops are open, where rows show that never act.
static void find_across(br_sim *sim, br_system *s, const double *elsewhere) {
    if (!elsewhere) {
        for (int k = 0; k < sim->model->tree.nv; k++) sim->eta[k] = BR_ELSEWHERE * br_sin(1.0 + k);
        br_tree_advance(&sim->model->tree, sim->state.q, sim->eta, 1.0, sim->q_try);
        elsewhere = sim->q_try;
    }
    const int placed = place_rows(sim, s, elsewhere);
    for (int i = 0; i < s->groups; i++) {
        br_group *g = s->group[i];
        for (int r = 0; r < g->rows; r++) s->least[s->first[i] + r] = 0.0;
        for (int r = 0; placed && g->exact && r < g->rows; r++)
            s->least[s->first[i] + r] = BR_EPS_EMPTY * possible_size(sim, g, r, 1);
        if (placed) br_group_sweep(sim, g);
        for (int r = 0; placed && g->exact && r < g->rows; r++)
            if (size_of_row(g, r) > s->least[s->first[i] + r]) s->least[s->first[i] + r] = 0.0;
    }
    place_rows(sim, s, sim->state.q);
}

void br_system_find_empty(br_sim *sim, br_system *s, const double *elsewhere) {
    if (s->groups > 0) find_across(sim, s, elsewhere);
    for (int i = 0; i < s->groups; i++) {
        br_group *g = s->group[i];
        for (int r = 0; g->exact && r < g->rows; r++) {
            double *least = &s->least[s->first[i] + r];
            *least = fmax(*least, BR_EPS_EMPTY * gross_size(sim, g, r));
        }
    }
}

static void add_usual(br_sim *sim, br_system *s, int coarse) {
    for (int i = 0; i < s->groups; i++) {
        br_group *g = s->group[i];
        if (!g->exact) continue;
        br_group_sweep(sim, g);
        for (int r = 0; r < g->rows; r++) {
            const double size = coarse ? power_of_two(size_of_row(g, r)) : size_of_row(g, r);
            s->usual[s->first[i] + r] = fmax(s->usual[s->first[i] + r], size);
        }
    }
}

// At a singular start a row may vanish as a whole: its size is then that of another position.
void br_system_set_usual(br_sim *sim, br_system *s, const double *q_best) {
    br_system_find_empty(sim, s, sim->branch.positions > 0 ? q_best : NULL);
    add_usual(sim, s, 0);
    if (sim->branch.positions == 0) return;
    if (place_rows(sim, s, q_best)) add_usual(sim, s, 1);
    place_rows(sim, s, sim->state.q);
}

static void scatter(const br_sim *sim, const br_group *g, const double *force, double *eta) {
    const br_link *link = sim->model->tree.link;
    for (int r = 0; r < g->rows; r++) {
        const double *z = g->z + r * g->path_nv;
        for (int k = 0; k < g->path_count; k++) {
            double *to = eta + link[g->path[k]].v_at;
            const int nv = link[g->path[k]].kind->nv;
            for (int a = 0; a < nv; a++) to[a] += force[r] * z[a];
            z += nv;
        }
    }
}

// r - W force, for one group.
static void system_residual(const br_sim *sim, const br_group *g, const double *eta, const double *force,
                            const double *r, double *out) {
    const br_link *link = sim->model->tree.link;
    for (int i = 0; i < g->rows; i++) {
        const double *y = g->y + i * g->path_nv;
        double sum = g->compliance[i] * force[i];
        for (int k = 0; k < g->path_count; k++) {
            const int nv = link[g->path[k]].kind->nv;
            sum += br_dot(nv, y, eta + link[g->path[k]].v_at);
            y += nv;
        }
        out[i] = r[i] - sum;
    }
}

void br_system_apply(br_sim *sim, br_system *s, const double *force, double *eta) {
    for (int k = 0; k < sim->model->tree.nv; k++) eta[k] = 0.0;
    for (int g = 0; g < s->groups; g++) scatter(sim, s->group[g], force + s->first[g], eta);
}

static double scaled_norm(const br_system *s, const double *r) {
    double largest = 0.0;
    for (int k = 0; k < s->rows; k++) largest = fmax(largest, fabs(s->scale[k] * r[k]));
    return largest;
}

void br_system_solve_once(br_sim *sim, br_system *s, const double *r, double *force, double *eta) {
    for (int k = 0; k < s->rows; k++) force[k] = s->scale[k] * r[k];
    br_block_solve(s->factor, force);
    for (int k = 0; k < s->rows; k++) force[k] *= s->scale[k];
    br_system_apply(sim, s, force, eta);
}

void br_system_solve(br_sim *sim, br_system *s, const double *r, double *force, double *eta) {
    br_system_solve_once(sim, s, r, force, eta);
    if (!s->damped) return;
    const double size = scaled_norm(s, r);
    double last = INFINITY;
    const int refined = (s->dependent && !s->usually_idle) || s->sharp;
    for (int step = 0; step < (refined ? BR_MAX_REFINEMENTS : BR_FEW_REFINEMENTS); step++) {
        for (int g = 0; g < s->groups; g++) {
            const int at = s->first[g];
            system_residual(sim, s->group[g], eta, force + at, r + at, s->r + at);
        }
        const double now = scaled_norm(s, s->r);
        if (now <= BR_EPS_REFINED * size || (step >= BR_MIN_REFINEMENTS && now > 0.5 * last)) break;
        last = now;
        for (int k = 0; k < s->rows; k++) s->x[k] = s->scale[k] * s->r[k];
        br_block_solve(s->factor, s->x);
        for (int k = 0; k < s->rows; k++) force[k] += s->scale[k] * s->x[k];
        br_system_apply(sim, s, force, eta);
    }
}
