// The same accelerations in absolute coordinates: six unknowns per body, every joint a group of constraint rows.
//
//     M_i A_i + bias_i = F_i + sum of T^T lambda,    T (A_child - shift(A_parent) - zeta) = 0 for tree joints
//
// Rows: the complement T of each tree joint, the groups of the system (loops, drives, springs), and for velocities with
// armature a compliant row (its force is tau - armature vdot). Bodies without inertia about some axis get a little, taken
// away again by repeating the solve with the inertia's force on the right-hand side (a proximal iteration).
//
// The state stays in joint coordinates: vdot = S^+ (A_child - shift(A_parent) - zeta). So tree joints cannot drift, and
// a step takes the same numbers as in reduced coordinates.
#include <string.h>

#include "base/error.h"
#include "sim/core/sim.h"
#include "sim/rows/group.h"
#include "sim/rows/meet.h"
#include "tree/spatial.h"

#define BR_EPS_NO_INERTIA 1e-8  // of a body's largest moment (or of a typical mass): below it counts as none
#define BR_EPS_POINT_MASS 1e-12 // of the largest moment in the model: below it a body has none at all
#define BR_EPS_INERTIA 1e-2     // of the same, given to it then: little costs digits, much costs iterations
#define BR_MAX_PROXIMAL 60
#define BR_EPS_PROXIMAL 1e-15  // change of A, relative, at which the iteration ends
#define BR_EPS_UNSETTLED 1e-11 // same, above which it has failed
#define BR_EPS_PIVOT 1e-6      // as in system.c, where they are explained
#define BR_EPS_DEPENDENT 1e-10
#define BR_MAX_REFINEMENTS 12
#define BR_MIN_REFINEMENTS 4
#define BR_EPS_REFINED 1e-15

// A tree joint as rows, or the armature of one velocity.
typedef struct tree_rows {
    int link; // that the joint carries
    int dof;  // >= 0: armature row of this velocity
    int rows;
    int kept[6];    // of the kind's T (planar models keep those in the plane)
    br_wrench T[6]; // world axes, at the link's reference point, on the link
} tree_rows;

// Rows of any origin in one form: wrenches on up to `entries` links.
typedef struct absolute_group {
    br_group *group; // NULL: tree_rows
    tree_rows *tree;
    int rows, entries, *link;
    br_wrench *F;       // [rows * entries]
    double *compliance; // [rows]
    br_twist *Z;        // [rows * entries] M^-1 F
} absolute_group;

struct br_absolute {
    int groups;
    absolute_group *group;
    tree_rows *tree;
    int trees;
    br_group *shell; // groups of the pattern, for br_system_analyze: rows only
    br_system system;
    double *rhs, *force;
    br_twist *A, *A_free, *A_last;
    br_wrench *F;
    br_sym3 *inverse; // [links] of the (raised) inertia about the centre of mass
    double *mass;     // [links] raised
    br_vec3 *com;     // [links] from the reference point
    double typical_mass, typical_moment;
    br_vec3 *raise; // [links] what was added: x to the mass, y to every moment
    int raised;
    int exact_only;    // springs and bounded drives take no part: their rows are empty
    br_system *source; // whose groups are among the rows
};

// --- creation ----------------------------------------------------------------------------------------------

static int in_plane(br_wrench T, br_vec3 n) {
    const br_vec3 across = br_vec3_sub(T.force, br_vec3_scale(br_vec3_dot(T.force, n), n));
    return br_vec3_norm(across) > 0.5 || fabs(br_vec3_dot(T.torque, n)) > 0.5;
}

// T of a link's joint on the link itself, world axes, at its reference point; and S is in work.
static void tree_motion(const br_sim *sim, int i, br_joint_motion *m, br_mat3 *R_WJ) {
    const br_link *link = &sim->model->tree.link[i];
    const double *q = sim->q_eval + link->q_at;
    link->kind->pose(link->parameter, q, m);
    link->kind->complement(link->parameter, q, m);
    if (link->reversed) {
        // T acts on the second body at M; on this link, the first body, acts -T, about F's origin.
        for (int k = 0; k < 6 - link->kind->nv; k++) {
            const br_wrench T = br_wrench_shift(m->T[k], m->p_FM);
            m->T[k] = br_wrench_scale(-1.0, T);
        }
        *R_WJ = sim->work.pose[i].R_WL; // F is this link's own frame
        return;
    }
    *R_WJ = br_mat3_mul_t(sim->work.pose[i].R_WL, m->R_FM);
}

static void fill_tree(const br_sim *sim, tree_rows *t) {
    br_joint_motion m;
    br_mat3 R;
    tree_motion(sim, t->link, &m, &R);
    for (int r = 0; r < t->rows; r++) {
        const br_wrench T = m.T[t->kept[r]];
        t->T[r] = br_wrench_of(br_mat3_mul_vec(R, T.torque), br_mat3_mul_vec(R, T.force));
    }
}

static br_status add_tree_rows(br_sim *sim, struct br_absolute *a) {
    const br_model *m = sim->model;
    const br_tree *tree = &m->tree;
    a->tree = BR_TAKE(&sim->arena, tree_rows, tree->links + tree->nv);
    if (!a->tree) return BR_NO_MEMORY;
    const int planar = m->settings.planar != BR_SPATIAL;
    for (int i = 0; i < tree->links; i++) {
        tree_rows t = {.link = i, .dof = -1};
        br_joint_motion motion;
        br_mat3 R;
        tree_motion(sim, i, &motion, &R);
        for (int k = 0; k < 6 - tree->link[i].kind->nv; k++) {
            const br_wrench T =
                br_wrench_of(br_mat3_mul_vec(R, motion.T[k].torque), br_mat3_mul_vec(R, motion.T[k].force));
            if (!planar || in_plane(T, m->normal)) t.kept[t.rows++] = k;
        }
        if (t.rows > 0) a->tree[a->trees++] = t;
    }
    for (int i = 0; i < tree->links; i++)
        for (int k = 0; k < tree->link[i].kind->nv; k++)
            a->tree[a->trees++] = (tree_rows){.link = i, .dof = tree->link[i].v_at + k, .rows = 1};
    return BR_OK;
}

// Links of a group: its own, and for direct velocities the link and its parent.
static br_status add_group(br_sim *sim, struct br_absolute *a, br_group *g, tree_rows *t) {
    const br_tree *tree = &sim->model->tree;
    absolute_group *x = &a->group[a->groups];
    const int most = g ? g->entries + 2 * g->dofs : 2;
    x->group = g, x->tree = t, x->rows = g ? g->rows : t->rows;
    x->link = BR_TAKE(&sim->arena, int, most);
    x->F = BR_TAKE(&sim->arena, br_wrench, x->rows * most);
    x->Z = BR_TAKE(&sim->arena, br_twist, x->rows * most);
    x->compliance = BR_TAKE(&sim->arena, double, x->rows);
    if (!br_arena_ok(&sim->arena)) return BR_NO_MEMORY;
    for (int e = 0; g && e < g->entries; e++) x->link[x->entries++] = g->link[e];
    for (int d = 0; g ? d < g->dofs : d < 1; d++) {
        const int link = g ? br_tree_owner(tree, g->dof[d]) : t->link;
        x->link[x->entries++] = link;
        if (tree->link[link].parent >= 0) x->link[x->entries++] = tree->link[link].parent;
    }
    a->groups++;
    return BR_OK;
}

// Groups that have a link in common; with pair NULL they are only counted.
static int find_pairs(const struct br_absolute *a, br_meet *meet, br_pair *pair) {
    int count = 0;
    for (int i = 0; i < a->groups; i++) {
        const int *others;
        const int n = br_meet_before(meet, i, &others);
        for (int k = 0; pair && k < n; k++) pair[count + k] = (br_pair){.a = i, .b = others[k]};
        count += n;
    }
    return count;
}

static br_status build_pairs(br_sim *sim, struct br_absolute *a) {
    br_system *s = &a->system;
    br_meet meet;
    int *at = br_sim_take(sim, ((size_t)a->groups + 1) * sizeof *at), keys = 0;
    for (int i = 0; at && i < a->groups; i++) at[i] = keys, keys += a->group[i].entries;
    int *link = at ? br_sim_take(sim, ((size_t)keys + 1) * sizeof *link) : NULL;
    br_status status = link ? BR_OK : BR_NO_MEMORY;
    if (link) {
        at[a->groups] = keys;
        for (int i = 0; i < a->groups; i++)
            memcpy(link + at[i], a->group[i].link, (size_t)a->group[i].entries * sizeof *link);
        status = br_meet_create(sim, a->groups, at, link, &meet);
    }
    if (status == BR_OK) {
        s->pairs = find_pairs(a, &meet, NULL);
        s->pair = BR_TAKE(&sim->arena, br_pair, s->pairs);
        br_meet_free(sim, &meet);
        if (!s->pair || br_meet_create(sim, a->groups, at, link, &meet) != BR_OK) {
            status = BR_NO_MEMORY;
        } else {
            find_pairs(a, &meet, s->pair);
            br_meet_free(sim, &meet);
        }
    }
    br_sim_give(sim, link);
    br_sim_give(sim, at);
    return status;
}

static br_status build_system(br_sim *sim, struct br_absolute *a, br_error *error) {
    br_system *s = &a->system;
    const size_t groups = (size_t)a->groups;
    s->groups = a->groups;
    s->group = BR_TAKE(&sim->arena, br_group *, groups);
    s->first = BR_TAKE(&sim->arena, int, groups);
    a->shell = BR_TAKE(&sim->arena, br_group, groups);
    if (!br_arena_ok(&sim->arena)) return br_no_memory(error, "no memory for rows");
    for (int i = 0; i < a->groups; i++) {
        a->shell[i].rows = a->group[i].rows;
        s->group[i] = &a->shell[i];
        s->first[i] = s->rows;
        s->rows += a->group[i].rows;
    }
    s->scale = BR_TAKE(&sim->arena, double, s->rows);
    s->x = BR_TAKE(&sim->arena, double, s->rows);
    s->r = BR_TAKE(&sim->arena, double, s->rows);
    a->rhs = BR_TAKE(&sim->arena, double, s->rows);
    a->force = BR_TAKE(&sim->arena, double, s->rows);
    if (!br_arena_ok(&sim->arena) || build_pairs(sim, a) != BR_OK)
        return br_no_memory(error, "no memory for rows");
    return br_system_analyze(&sim->arena, s, error);
}

static void choose_typical(const br_sim *sim, struct br_absolute *a) {
    const br_tree *tree = &sim->model->tree;
    for (int i = 0; i < tree->links; i++) {
        const br_link *link = &tree->link[i];
        a->typical_mass = fmax(a->typical_mass, link->mass);
        a->typical_moment =
            fmax(a->typical_moment, link->inertia_L.xx + link->inertia_L.yy + link->inertia_L.zz);
    }
}

br_status br_absolute_create(br_sim *sim, br_error *error) {
    const int links = sim->model->tree.links;
    struct br_absolute *a = BR_TAKE(&sim->arena, struct br_absolute, 1);
    br_error ignored;
    if (!error) error = &ignored;
    if (!a || add_tree_rows(sim, a) != BR_OK) return br_no_memory(error, "no memory for rows");
    a->source = sim->step;
    a->group = BR_TAKE(&sim->arena, absolute_group, a->trees + a->source->groups);
    a->A = BR_TAKE(&sim->arena, br_twist, links);
    a->A_free = BR_TAKE(&sim->arena, br_twist, links);
    a->A_last = BR_TAKE(&sim->arena, br_twist, links);
    a->F = BR_TAKE(&sim->arena, br_wrench, links);
    a->inverse = BR_TAKE(&sim->arena, br_sym3, links);
    a->mass = BR_TAKE(&sim->arena, double, links);
    a->com = BR_TAKE(&sim->arena, br_vec3, links);
    a->raise = BR_TAKE(&sim->arena, br_vec3, links);
    if (!br_arena_ok(&sim->arena)) return br_no_memory(error, "no memory for rows");
    for (int k = 0; k < a->trees; k++)
        if (add_group(sim, a, NULL, &a->tree[k]) != BR_OK) return br_no_memory(error, "no memory for rows");
    for (int k = 0; k < a->source->groups; k++)
        if (add_group(sim, a, a->source->group[k], NULL) != BR_OK)
            return br_no_memory(error, "no memory for rows");
    choose_typical(sim, a);
    sim->absolute = a;
    return build_system(sim, a, error);
}

// --- inertia -----------------------------------------------------------------------------------------------

static br_sym3 inverse_of(br_sym3 I) {
    br_vec3 values;
    br_mat3 axes;
    br_sym3_eigen(I, &values, &axes);
    return br_sym3_rotate(axes, br_sym3_of(1.0 / values.x, 1.0 / values.y, 1.0 / values.z, 0.0, 0.0, 0.0));
}

// What a body without mass, or without inertia about some axis, gets for the time of a solve. In the plane only the
// moment about the normal counts.
static br_vec3 raise_of(const br_sim *sim, const struct br_absolute *a, double mass, br_sym3 about_com) {
    const br_model *m = sim->model;
    br_vec3 values;
    br_sym3_eigen(about_com, &values, NULL);
    if (m->settings.planar != BR_SPATIAL)
        values.x = br_vec3_dot(m->normal, br_sym3_mul_vec(about_com, m->normal));
    // A point mass has moments of rounding error only.
    const double largest = values.z > BR_EPS_POINT_MASS * a->typical_moment ? values.z : a->typical_moment;
    return br_vec3_of(mass > BR_EPS_NO_INERTIA * a->typical_mass ? 0.0 : BR_EPS_INERTIA * a->typical_mass,
                      values.x > BR_EPS_NO_INERTIA * largest ? 0.0 : BR_EPS_INERTIA * largest, 0.0);
}

static void prepare_inertias(const br_sim *sim, struct br_absolute *a) {
    const br_model *m = sim->model;
    a->raised = 0;
    for (int i = 0; i < m->tree.links; i++) {
        const br_link *link = &m->tree.link[i];
        a->com[i] = link->mass > 0.0 ? br_vec3_scale(1.0 / link->mass, sim->work.moment[i]) : br_vec3_zero();
        br_sym3 about =
            br_sym3_add(sim->work.inertia[i], br_sym3_scale(-link->mass, br_sym3_of_point(a->com[i])));
        const br_vec3 raise = raise_of(sim, a, link->mass, about);
        a->raise[i] = raise;
        a->raised |= raise.x > 0.0 || raise.y > 0.0;
        a->mass[i] = link->mass + raise.x;
        about.xx += raise.y, about.yy += raise.y, about.zz += raise.y;
        if (m->settings.planar != BR_SPATIAL) {
            const double J = br_vec3_dot(m->normal, br_sym3_mul_vec(about, m->normal));
            a->inverse[i] = br_sym3_from_mat3(br_mat3_scale(1.0 / J, br_mat3_outer(m->normal, m->normal)));
        } else {
            a->inverse[i] = inverse_of(about);
        }
    }
}

static br_vec3 to_plane(const br_sim *sim, br_vec3 f) {
    if (sim->model->settings.planar == BR_SPATIAL) return f;
    const br_vec3 n = sim->model->normal;
    return br_vec3_sub(f, br_vec3_scale(br_vec3_dot(f, n), n));
}

// M^-1 F of the raised inertia: about the centre of mass, then back to the reference point.
static br_twist respond(const br_sim *sim, const struct br_absolute *a, int i, br_wrench F) {
    const br_vec3 force = to_plane(sim, F.force);
    const br_vec3 alpha =
        br_sym3_mul_vec(a->inverse[i], br_vec3_sub(F.torque, br_vec3_cross(a->com[i], force)));
    const br_vec3 linear =
        br_vec3_sub(br_vec3_scale(1.0 / a->mass[i], force), br_vec3_cross(alpha, a->com[i]));
    return br_twist_of(alpha, to_plane(sim, linear));
}

// (raised - true) M A: what the iteration adds to the right-hand side.
static br_wrench raised_force(const struct br_absolute *a, int i, br_twist A) {
    const br_vec3 a_com = br_vec3_add(A.linear, br_vec3_cross(A.angular, a->com[i]));
    const br_vec3 force = br_vec3_scale(a->raise[i].x, a_com);
    return br_wrench_of(br_vec3_add(br_vec3_scale(a->raise[i].y, A.angular), br_vec3_cross(a->com[i], force)),
                        force);
}

// --- rows --------------------------------------------------------------------------------------------------

// The wrench on the link (and its opposite on the parent) that reads velocity k of the link's joint: S (S^T S)^-1 e_k.
static br_wrench velocity_reader(const br_sim *sim, int i, int k) {
    const br_link *link = &sim->model->tree.link[i];
    br_joint_motion m;
    double unit[6] = {0.0};
    for (int c = 0; c < link->kind->nv; c++) m.S[c] = sim->work.S[link->v_at + c];
    unit[k] = 1.0;
    return br_joint_effort(link->kind->nv, &m, unit);
}

static void put_pair(const br_sim *sim, absolute_group *x, int row, int entry, int link, br_wrench F) {
    br_wrench *to = x->F + row * x->entries + entry;
    to[0] = br_wrench_add(to[0], F);
    if (sim->model->tree.link[link].parent >= 0)
        to[1] = br_wrench_sub(to[1], br_wrench_shift(F, sim->work.pose[link].r));
}

// Springs and bounded drives while only exact rows are asked for: empty rows with compliance 1.
static int sleeps(const struct br_absolute *a, const absolute_group *x) {
    return x->group && a->exact_only && !x->group->exact;
}

static void fill_group(const br_sim *sim, const struct br_absolute *a, absolute_group *x) {
    const br_tree *tree = &sim->model->tree;
    memset(x->F, 0, (size_t)(x->rows * x->entries) * sizeof *x->F);
    if (x->tree && x->tree->dof >= 0) {
        const double armature = sim->armature[x->tree->dof];
        x->compliance[0] = armature > 0.0 ? 1.0 / armature : 1.0;
        if (armature > 0.0)
            put_pair(sim, x, 0, 0, x->tree->link,
                     velocity_reader(sim, x->tree->link, x->tree->dof - tree->link[x->tree->link].v_at));
    } else if (x->tree) {
        fill_tree(sim, x->tree);
        for (int r = 0; r < x->rows; r++)
            x->compliance[r] = 0.0, put_pair(sim, x, r, 0, x->tree->link, x->tree->T[r]);
    } else if (sleeps(a, x)) {
        for (int r = 0; r < x->rows; r++) x->compliance[r] = 1.0;
    } else {
        const br_group *g = x->group;
        for (int r = 0; r < x->rows; r++) {
            x->compliance[r] = g->compliance[r];
            for (int e = 0; e < g->entries; e++) x->F[r * x->entries + e] = g->F[r * g->entries + e];
            int entry = g->entries;
            for (int d = 0; d < g->dofs; d++) {
                const int link = br_tree_owner(tree, g->dof[d]);
                br_wrench F = velocity_reader(sim, link, g->dof[d] - tree->link[link].v_at);
                put_pair(sim, x, r, entry, link, br_wrench_scale(g->coefficient[r * g->dofs + d], F));
                entry += tree->link[link].parent >= 0 ? 2 : 1;
            }
        }
    }
}

// A velocity with armature: its effort belongs to the armature's row, force = tau - armature vdot. As a known force it
// would nearly cancel against the row's where the armature is a stiff spring's, and take the digits with it.
static int own_row(const br_sim *sim, int dof) {
    return dof >= 0 && sim->armature[dof] > 0.0;
}

// The value that J A must have. For rows on direct velocities the joint's own zeta is in A but not in vdot.
static double wanted(const br_sim *sim, const absolute_group *x, int row) {
    const br_tree *tree = &sim->model->tree;
    if (x->tree) {
        const double value = br_twist_dot(sim->work.motion[x->tree->link].zeta, x->F[row * x->entries]);
        return own_row(sim, x->tree->dof) ? value + sim->tau[x->tree->dof] / sim->armature[x->tree->dof]
                                          : value;
    }
    const br_group *g = x->group;
    double value = g->gamma[row];
    int entry = g->entries;
    for (int d = 0; d < g->dofs; d++) {
        const int link = br_tree_owner(tree, g->dof[d]);
        value += br_twist_dot(sim->work.motion[link].zeta, x->F[row * x->entries + entry]);
        entry += tree->link[link].parent >= 0 ? 2 : 1;
    }
    return value;
}

static double row_dot(const absolute_group *x, int row, const br_twist *A) {
    double sum = 0.0;
    for (int e = 0; e < x->entries; e++) sum += br_twist_dot(A[x->link[e]], x->F[row * x->entries + e]);
    return sum;
}

static double absolute_product(const absolute_group *a, int i, const absolute_group *b, int j) {
    double sum = 0.0;
    for (int e = 0; e < a->entries; e++)
        for (int f = 0; f < b->entries; f++)
            if (a->link[e] == b->link[f])
                sum += br_twist_dot(b->Z[j * b->entries + f], a->F[i * a->entries + e]);
    return sum;
}

static br_status factor_with(struct br_absolute *a, double damping) {
    br_system *s = &a->system;
    br_block_clear(s->factor);
    for (int g = 0; g < a->groups; g++) {
        absolute_group *x = &a->group[g];
        double *scale = s->scale + s->first[g];
        const br_block_ref *to = &s->diagonal[g];
        for (int r = 0; r < x->rows; r++) {
            const double w = absolute_product(x, r, x, r) + x->compliance[r];
            const int idle = x->group && x->group->idle && x->group->idle[r];
            scale[r] = idle ? 0.0 : w > 0.0 ? 1.0 / sqrt(w) : 1.0;
            to->value[r * to->row_stride + r * to->col_stride] = w > 0.0 && !idle ? 1.0 + damping : 1.0;
            for (int c = 0; c < r; c++) {
                const double y = scale[r] * scale[c] * absolute_product(x, r, x, c);
                to->value[r * to->row_stride + c * to->col_stride] = y;
                to->value[c * to->row_stride + r * to->col_stride] = y;
            }
        }
    }
    for (int p = 0; p < s->pairs; p++) {
        const br_pair *pair = &s->pair[p];
        const absolute_group *x = &a->group[pair->a], *y = &a->group[pair->b];
        const int row = pair->transposed ? pair->block.col_stride : pair->block.row_stride;
        const int col = pair->transposed ? pair->block.row_stride : pair->block.col_stride;
        for (int i = 0; i < x->rows; i++)
            for (int j = 0; j < y->rows; j++)
                pair->block.value[i * row + j * col] = s->scale[s->first[pair->a] + i] *
                                                       s->scale[s->first[pair->b] + j] *
                                                       absolute_product(x, i, y, j);
    }
    return br_block_factor(s->factor, BR_BLOCK_SYMMETRIC, damping > 0.0 ? 0.0 : BR_EPS_PIVOT, NULL);
}

static br_status factor(const br_sim *sim, struct br_absolute *a) {
    for (int g = 0; g < a->groups; g++) {
        absolute_group *x = &a->group[g];
        fill_group(sim, a, x);
        for (int k = 0; k < x->rows * x->entries; k++)
            x->Z[k] = respond(sim, a, x->link[k % x->entries], x->F[k]);
    }
    const int all_stay = sim->redundant && !sim->exact.usually_idle;
    a->system.damped = all_stay;
    if (!all_stay && factor_with(a, 0.0) == BR_OK) return BR_OK;
    a->system.damped = 1;
    return factor_with(a, BR_EPS_DEPENDENT);
}

// --- solve -------------------------------------------------------------------------------------------------

// A = A_free + M^-1 J^T force
static void apply(struct br_absolute *a, int links, const double *force) {
    memcpy(a->A, a->A_free, (size_t)links * sizeof *a->A);
    for (int g = 0; g < a->groups; g++) {
        const absolute_group *x = &a->group[g];
        for (int r = 0; r < x->rows; r++)
            for (int e = 0; e < x->entries; e++)
                br_twist_add_scaled(&a->A[x->link[e]], force[a->system.first[g] + r],
                                    &x->Z[r * x->entries + e]);
    }
}

// Forces for the A_free at hand, refined against the rows themselves.
static void solve_rows(const br_sim *sim, struct br_absolute *a) {
    br_system *s = &a->system;
    const int links = sim->model->tree.links;
    double last = INFINITY, size = 0.0;
    memset(a->force, 0, (size_t)s->rows * sizeof *a->force);
    memcpy(a->A, a->A_free, (size_t)links * sizeof *a->A);
    for (int step = 0; step <= BR_MAX_REFINEMENTS; step++) {
        double now = 0.0;
        for (int g = 0; g < a->groups; g++)
            for (int r = 0; r < a->group[g].rows; r++) {
                const int k = s->first[g] + r;
                s->x[k] = s->scale[k] * (a->rhs[k] - row_dot(&a->group[g], r, a->A) -
                                         a->group[g].compliance[r] * a->force[k]);
                now = fmax(now, fabs(s->x[k]));
            }
        if (step == 0) size = now;
        const int enough = step > (s->damped ? BR_MIN_REFINEMENTS : 0);
        if (!(now > 0.0) || (enough && (now <= BR_EPS_REFINED * size || now > 0.5 * last))) break;
        last = now;
        br_block_solve(s->factor, s->x);
        for (int k = 0; k < s->rows; k++) a->force[k] += s->scale[k] * s->x[k];
        apply(a, links, a->force);
    }
}

// Relative to the accelerations with and without the rows.
static double change(int links, const br_twist *A, const br_twist *B, const br_twist *A_free) {
    double largest = 0.0, size = 0.0;
    for (int i = 0; i < links; i++) {
        const br_twist d = br_twist_sub(A[i], B[i]);
        largest = fmax(largest, fmax(br_vec3_max_abs(d.angular), br_vec3_max_abs(d.linear)));
        size = fmax(size, fmax(br_vec3_max_abs(A[i].angular), br_vec3_max_abs(A[i].linear)));
        size = fmax(size, fmax(br_vec3_max_abs(A_free[i].angular), br_vec3_max_abs(A_free[i].linear)));
    }
    return size > 0.0 ? largest / size : 0.0;
}

// Known forces on every link: loads, gravity, velocity products, efforts of joints on both of their bodies. Those of
// velocities with armature are left out where they have rows of their own.
static void sum_known(const br_sim *sim, int rows_of_armature, br_wrench *F) {
    const br_model *m = sim->model;
    for (int i = 0; i < m->tree.links; i++) {
        const br_vec3 g = m->settings.gravity;
        F[i] = br_wrench_of(br_vec3_cross(sim->work.moment[i], g), br_vec3_scale(m->tree.link[i].mass, g));
        F[i] = br_wrench_sub(
            F[i], br_rigid_bias(sim->work.moment[i], &sim->work.inertia[i], sim->work.motion[i].V.angular));
        if (br_sim_known_wrench(sim)) F[i] = br_wrench_add(F[i], sim->wrench[i]);
    }
    for (int i = 0; i < m->tree.links; i++) {
        const br_link *link = &m->tree.link[i];
        if (link->kind->nv == 0) continue;
        br_joint_motion motion;
        double tau[BR_MAX_JOINT_V];
        for (int c = 0; c < link->kind->nv; c++) {
            motion.S[c] = sim->work.S[link->v_at + c];
            tau[c] = rows_of_armature && own_row(sim, link->v_at + c) ? 0.0 : sim->tau[link->v_at + c];
        }
        const br_wrench effort = br_joint_effort(link->kind->nv, &motion, tau);
        F[i] = br_wrench_add(F[i], effort);
        if (link->parent >= 0)
            F[link->parent] = br_wrench_sub(F[link->parent], br_wrench_shift(effort, sim->work.pose[i].r));
    }
}

static void known_forces(const br_sim *sim, struct br_absolute *a) {
    sum_known(sim, 1, a->F);
}

void br_absolute_loads(const br_sim *sim, br_wrench *F) {
    sum_known(sim, 0, F);
}

void br_absolute_reader(const br_sim *sim, int dof, double factor, br_wrench *F) {
    const int link = br_tree_owner(&sim->model->tree, dof), parent = sim->model->tree.link[link].parent;
    const br_wrench R =
        br_wrench_scale(factor, velocity_reader(sim, link, dof - sim->model->tree.link[link].v_at));
    F[link] = br_wrench_add(F[link], R);
    if (parent >= 0) F[parent] = br_wrench_sub(F[parent], br_wrench_shift(R, sim->work.pose[link].r));
}

static void to_joint_coordinates(br_sim *sim, const struct br_absolute *a) {
    const br_model *m = sim->model;
    for (int i = 0; i < m->tree.links; i++) {
        const br_link *link = &m->tree.link[i];
        br_joint_motion motion;
        for (int c = 0; c < link->kind->nv; c++) motion.S[c] = sim->work.S[link->v_at + c];
        br_twist A = br_twist_sub(a->A[i], sim->work.motion[i].zeta);
        if (link->parent >= 0) A = br_twist_sub(A, br_twist_shift(a->A[link->parent], sim->work.pose[i].r));
        br_joint_velocity(link->kind->nv, &motion, A, sim->vdot + link->v_at);
        sim->work.A[i] = br_twist_of(a->A[i].angular, br_vec3_sub(a->A[i].linear, m->settings.gravity));
    }
}

br_status br_absolute_solve(br_sim *sim, br_system *source, br_error *error) {
    struct br_absolute *a = sim->absolute;
    br_system *s = &a->system;
    const int links = sim->model->tree.links;
    a->exact_only = source != sim->step;
    prepare_inertias(sim, a);
    if (factor(sim, a) != BR_OK)
        return br_fail(error, BR_NUMERICAL, "rows-singular",
                       "t = %.9g s: the constraint rows could not be factored", sim->t_eval);
    for (int g = 0; g < a->groups; g++)
        for (int r = 0; r < a->group[g].rows; r++) a->rhs[s->first[g] + r] = wanted(sim, &a->group[g], r);
    known_forces(sim, a);
    memset(a->A_last, 0, (size_t)links * sizeof *a->A_last);
    double moved = INFINITY;
    for (int k = 0; k < BR_MAX_PROXIMAL && moved > BR_EPS_PROXIMAL; k++) {
        for (int i = 0; i < links; i++) {
            const br_wrench extra =
                a->raised ? raised_force(a, i, a->A_last[i]) : br_wrench_of(br_vec3_zero(), br_vec3_zero());
            a->A_free[i] = respond(sim, a, i, br_wrench_add(a->F[i], extra));
        }
        solve_rows(sim, a);
        moved = a->raised ? change(links, a->A, a->A_last, a->A_free) : 0.0;
        memcpy(a->A_last, a->A, (size_t)links * sizeof *a->A);
    }
    if (!(moved <= BR_EPS_UNSETTLED))
        return br_fail(
            error, BR_NUMERICAL, "absolute-inertia",
            "t = %.9g s: absolute coordinates cannot find the motion of bodies that have next to no inertia "
            "(left over: %.1g); use coordinates: reduced",
            sim->t_eval, moved);
    to_joint_coordinates(sim, a);
    for (int g = a->trees; g < a->groups; g++)
        if (!sleeps(a, &a->group[g]))
            memcpy(a->group[g].group->force, a->force + s->first[g],
                   (size_t)a->group[g].rows * sizeof(double));
    return BR_OK;
}

// --- dependent rows ----------------------------------------------------------------------------------------

// Rows of tree joints and exact groups at the present positions, as a matrix: transposed, 6 links x rows, since its
// null space (what forces can be without moving anything) is asked for.
int br_absolute_rows(br_sim *sim, double *transposed, br_absolute_row *rows) {
    struct br_absolute *a = sim->absolute;
    int count = 0;
    a->exact_only = 1;
    for (int g = 0; g < a->groups; g++) {
        absolute_group *x = &a->group[g];
        if (sleeps(a, x) || (x->tree && x->tree->dof >= 0)) continue;
        if (rows) fill_group(sim, a, x);
        for (int r = 0; r < x->rows; r++, count++) {
            if (!rows) continue;
            rows[count] = (br_absolute_row){
                x->tree ? x->tree->link : -1,      x->tree ? x->tree->kept[r] : r,    x->group, r,
                &a->force[a->system.first[g] + r], {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}};
            if (x->tree) rows[count].T_W = x->tree->T[r];
        }
    }
    if (!transposed) return count;
    memset(transposed, 0, (size_t)(6 * sim->model->tree.links) * (size_t)count * sizeof *transposed);
    int column = 0;
    for (int g = 0; g < a->groups; g++) {
        const absolute_group *x = &a->group[g];
        if (sleeps(a, x) || (x->tree && x->tree->dof >= 0)) continue;
        for (int r = 0; r < x->rows; r++, column++)
            for (int e = 0; e < x->entries; e++) {
                const br_wrench *F = &x->F[r * x->entries + e];
                double *to = transposed + (size_t)(6 * x->link[e]) * (size_t)count + (size_t)column;
                for (int c = 0; c < 3; c++) {
                    to[(size_t)c * (size_t)count] += br_vec3_get(F->torque, c);
                    to[(size_t)(3 + c) * (size_t)count] += br_vec3_get(F->force, c);
                }
            }
    }
    return count;
}

// In the order of br_absolute_rows, after its fill: the value that J A must have.
void br_absolute_wanted(br_sim *sim, double *gamma) {
    struct br_absolute *a = sim->absolute;
    int column = 0;
    for (int g = 0; g < a->groups; g++) {
        const absolute_group *x = &a->group[g];
        if (sleeps(a, x) || (x->tree && x->tree->dof >= 0)) continue;
        for (int r = 0; r < x->rows; r++, column++) gamma[column] = wanted(sim, x, r);
    }
}

int br_absolute_row_joint(const br_sim *sim, const br_absolute_row *row) {
    return row->link >= 0 ? sim->model->link_joint[row->link] : br_group_joint(sim, row->group);
}
