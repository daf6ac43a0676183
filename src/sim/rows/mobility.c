// Degrees of freedom and dependent rows, of the mechanism and at the present state: diagnostics, never in a step.
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "linalg/rank.h"
#include "sim/rows/branch.h"
#include "sim/rows/group.h"
#include "sim/rows/idle.h"
#include "tree/spatial.h"

#define BR_EPS_TAKES_PART 1e-6 // component of a unit vector of the null space: below, it is not in it
#define BR_EPS_TURNED 1e-3     // between axes of unit length: less is what closing the loops turned
#define BR_EPS_RANK 1e-9       // singular values below this, of the largest, count as zero

// What a twist and a wrench could do to each other at most: a product far below is rounding.
static double product_size(br_twist S, br_wrench F) {
    return br_vec3_norm(S.angular) * br_vec3_norm(F.torque) + br_vec3_norm(S.linear) * br_vec3_norm(F.force);
}

void br_sim_joint_rows(const br_sim *sim, double *J) {
    const br_tree *tree = &sim->model->tree;
    const br_system *s = &sim->exact;
    memset(J, 0, (size_t)s->rows * (size_t)tree->nv * sizeof *J);
    for (int g = 0; g < s->groups; g++) {
        const br_group *group = s->group[g];
        for (int r = 0; r < group->rows; r++) {
            double *row = J + (size_t)(s->first[g] + r) * (size_t)tree->nv;
            for (int d = 0; d < group->dofs; d++)
                row[group->dof[d]] += group->coefficient[r * group->dofs + d];
            double norm = 0.0, gross = 0.0;
            for (int k = 0; k < tree->nv; k++) gross += row[k] * row[k];
            for (int e = 0; e < group->entries; e++) {
                br_wrench F = group->F[r * group->entries + e];
                for (int i = group->link[e]; i >= 0; i = tree->link[i].parent) {
                    for (int k = 0; k < tree->link[i].kind->nv; k++) {
                        const double part = br_twist_dot(sim->work.S[tree->link[i].v_at + k], F);
                        row[tree->link[i].v_at + k] += part;
                        const double most = product_size(sim->work.S[tree->link[i].v_at + k], F);
                        gross += most * most;
                    }
                    F = br_wrench_shift(F, sim->work.pose[i].r);
                }
            }
            // Parts that cancel leave rounding, which must not be blown up to a row of length 1.
            for (int k = 0; k < tree->nv; k++) norm += row[k] * row[k];
            const double factor = norm > BR_EPS_RANK * BR_EPS_RANK * gross ? 1.0 / sqrt(norm) : 0.0;
            for (int k = 0; k < tree->nv; k++) row[k] *= factor;
        }
    }
}

// --- names -------------------------------------------------------------------------------------------------

static const char *const mobility_parts[] = {"force.x",  "force.y",  "force.z",
                                             "torque.x", "torque.y", "torque.z"};

static void mobility_append(char *names, size_t size, const char *line) {
    const size_t used = strlen(names);
    if (used + strlen(line) + 2 < size) snprintf(names + used, size - used, "%s\n", line);
}

typedef struct mobility_null {
    br_sim *sim;
    int count, links6, rank; // rows; 6 per link; rank of the rows here
    br_absolute_row *rows;   // [count]
    double *transposed;      // [links6 * count]
    double *null;            // [count * count]
    double *singular;        // [count + links6]
    int *open;               // [joints] bits of rows that are open
    int *open_row;           // [count] same, of rows that belong to no joint
} mobility_null;

static void mobility_free(mobility_null *n) {
    br_sim_give(n->sim, n->rows), br_sim_give(n->sim, n->transposed);
    br_sim_give(n->sim, n->null), br_sim_give(n->sim, n->singular);
    br_sim_give(n->sim, n->open), br_sim_give(n->sim, n->open_row);
}

static int mobility_take(mobility_null *n, br_sim *sim, int count) {
    const size_t rows = (size_t)count, links6 = (size_t)(6 * sim->model->tree.links);
    const size_t joints = (size_t)sim->model->joints;
    *n = (mobility_null){.sim = sim, .count = count, .links6 = (int)links6};
    n->rows = br_sim_take(sim, rows * sizeof *n->rows + 1);
    n->transposed = br_sim_take(sim, rows * links6 * sizeof *n->transposed + 1);
    n->null = br_sim_take(sim, rows * rows * sizeof *n->null + 1);
    n->singular = br_sim_take(sim, (rows + links6) * sizeof *n->singular + 1);
    n->open = br_sim_take(sim, joints * sizeof *n->open + 1);
    n->open_row = br_sim_take(sim, rows * sizeof *n->open_row + 1);
    if (!n->rows || !n->transposed || !n->null || !n->singular || !n->open || !n->open_row) return 0;
    memset(n->open, 0, joints * sizeof *n->open);
    memset(n->open_row, 0, rows * sizeof *n->open_row);
    return 1;
}

// Columns of size 1, torques counted in units of force times a length: what is open does not depend on units.
static void mobility_scale(mobility_null *n) {
    const double length = n->sim->length_scale;
    const size_t count = (size_t)n->count;
    for (int i = 0; i < n->links6; i++)
        for (size_t c = 0; i % 6 < 3 && c < count; c++) n->transposed[(size_t)i * count + c] /= length;
    for (size_t c = 0; c < count; c++) {
        double sum = 0.0;
        for (int i = 0; i < n->links6; i++) {
            const double a = n->transposed[(size_t)i * count + c];
            sum += a * a;
        }
        const double size = sum > 0.0 ? sqrt(sum) : 1.0;
        for (int i = 0; i < n->links6; i++) n->transposed[(size_t)i * count + c] /= size;
    }
}

// Which of the six a row of a joint is called after: the largest part of its T in the axes of F.
static int mobility_part(const br_sim *sim, const br_absolute_row *row, int joint) {
    const br_model_joint *j = &sim->model->joint[joint];
    const br_relative x = br_sim_relative(sim, j, 0);
    const int t = row->link >= 0 ? row->row : sim->model->loop[row->group->element].row[row->group_row];
    br_joint_motion motion;
    double q[BR_MAX_JOINT_Q];
    j->kind->measure(j->parameter, x.R_FM, x.p_FM, q);
    j->kind->pose(j->parameter, q, &motion);
    j->kind->complement(j->parameter, q, &motion);
    const br_wrench T = motion.T[t];
    const double part[] = {T.force.x, T.force.y, T.force.z, T.torque.x, T.torque.y, T.torque.z};
    int best = 0;
    for (int k = 1; k < 6; k++)
        if (fabs(part[k]) > fabs(part[best]) + BR_EPS_RANK) best = k;
    return best;
}

// Rows whose force one vector of the null space changes.
static void mobility_mark(mobility_null *n, const double *vector) {
    for (int c = 0; c < n->count; c++) {
        if (!(fabs(vector[c]) > BR_EPS_TAKES_PART)) continue;
        const int joint = br_absolute_row_joint(n->sim, &n->rows[c]);
        if (joint >= 0)
            n->open[joint] |= 1 << mobility_part(n->sim, &n->rows[c], joint);
        else
            n->open_row[c] = 1;
    }
}

static int mobility_is_turned(const mobility_null *n) {
    for (int j = 0; j < n->sim->model->joints; j++) {
        if (!n->open[j]) continue;
        const br_mat3 R = br_sim_relative(n->sim, &n->sim->model->joint[j], 0).R_FM;
        for (int k = 0; k < 3; k++)
            if (br_vec3_distance(br_mat3_mul_vec(R, br_vec3_unit(k)), br_vec3_unit(k)) > BR_EPS_TURNED)
                return 1;
    }
    return 0;
}

static void mobility_write(const mobility_null *n, char *names, size_t size) {
    const br_model *m = n->sim->model;
    char line[BR_MAX_NAME + 16];
    for (int j = 0; j < m->joints; j++)
        for (int k = 0; k < 6; k++) {
            if (!(n->open[j] >> k & 1)) continue;
            snprintf(line, sizeof line, "%s.%s", m->joint[j].name, mobility_parts[k]);
            mobility_append(names, size, line);
        }
    for (int c = 0; c < n->count; c++) {
        const br_group *group = n->rows[c].group;
        if (!n->open_row[c]) continue;
        snprintf(line, sizeof line, "%s", br_group_name(n->sim, group));
        mobility_append(names, size, line);
    }
}

// Rows whose force a vector of the null space of J^T changes: the motion does not determine them. `open` of its
// vectors count: rows that contradict each other by a little are dependent.
static br_status name_undetermined(br_sim *sim, br_mobility *found, char *names, size_t size,
                                   br_error *error) {
    const int count = found->rows, open = found->redundant_here;
    mobility_null n;
    br_status status = BR_OK;
    if (!mobility_take(&n, sim, count))
        status = br_no_memory(error, "no memory for the rank of %d rows", count);
    if (status == BR_OK) {
        br_absolute_rows(sim, n.transposed, n.rows);
        mobility_scale(&n);
        status = br_rank(n.links6, count, n.transposed, BR_EPS_RANK, &n.rank, n.singular, n.null,
                         &sim->allocator, error);
    }
    const int zeros = count - n.rank;
    for (int k = 0; status == BR_OK && k < open; k++) {
        const int row = k < zeros ? k : count - 1 - (k - zeros); // after the zeros, the smallest come last
        mobility_mark(&n, n.null + (size_t)row * (size_t)count);
    }
    if (status == BR_OK) mobility_write(&n, names, size), found->turned = mobility_is_turned(&n);
    mobility_free(&n);
    return status;
}

br_status br_sim_mobility(br_sim *sim, br_mobility *out, char *names, size_t size, br_error *error) {
    const br_branch *branch = &sim->branch;
    const int nv = sim->model->tree.nv, rows = sim->exact.rows;
    br_mobility found = {.degrees_of_freedom = nv - branch->rank, .redundant = rows - branch->rank};
    int rank = 0;
    if (names && size > 0) names[0] = '\0';
    br_status status = BR_OK;
    found.grip = 1.0, rank = branch->rank;
    if (branch->too_large < 2) status = br_branch_rank_here(sim, &rank, &found.grip, error);
    if (status != BR_OK) return status;
    rank = rank < branch->rank ? rank : branch->rank;
    found.degrees_of_freedom_here = nv - rank, found.redundant_here = rows - rank;
    found.too_large = branch->too_large;
    found.contradiction = branch->contradiction;
    found.contradiction_limit = BR_EPS_MADE_OF_DIGITS * sim->length_scale;
    if (branch->contradicts)
        snprintf(found.contradicts, sizeof found.contradicts, "%s", br_group_name(sim, branch->contradicts));
    br_sim_refresh(sim, 1);
    sim->q_eval = sim->state.q, sim->v_eval = sim->state.v, sim->t_eval = sim->state.at->t;
    br_sim_variables(sim);
    br_sim_fill(sim, &sim->exact);
    status = br_sim_idle_freedoms(sim, &found.idle, found.idle_of, sizeof found.idle_of, error);
    if (status == BR_OK && !sim->absolute) status = br_absolute_create(sim, error);
    if (status != BR_OK) return status;
    found.rows = br_absolute_rows(sim, NULL, NULL);
    if (found.redundant_here > 0 && names && branch->too_large < 2)
        status = name_undetermined(sim, &found, names, size, error);
    if (status == BR_OK) *out = found;
    return status;
}
