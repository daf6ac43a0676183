// Assembles a step's problem M v = f + J^T p, w = J v + C p + b over the trees that take part: Jacobians of contacts and of
// every other group of rows, mass matrices by composite inertias, and what the solver has to know about the pattern.
#include "sim/contact/problem.h"
#include "sim/contact/apart.h"
#include "sim/contact/stabilize.h"

#include <limits.h>
#include <string.h>

#include "base/error.h"
#include "sim/rows/group.h"
#include "tree/spatial.h"

typedef struct br_contact_problem problem;

#define BR_FAR_LIMIT_STEPS 4.0 // of a joint's own speed, and ...
#define BR_FAR_LIMIT_SPEED                                                                                   \
    1.0 // ... rad/s or m/s on top: a limit that would take more to reach in the step is far

static br_status no_memory(br_error *error) {
    return br_fail(error, BR_NO_MEMORY, "out-of-memory", "no memory for the contacts of a step");
}

// --- creation ----------------------------------------------------------------------------------------------

static int root_of(const br_tree *tree, int link) {
    while (tree->link[link].parent >= 0) link = tree->link[link].parent;
    return link;
}

// A free body whose origin is its centre of mass: m and the inertia in its own axes, for ever.
static int is_constant(const br_tree *tree, const br_contact_node *node) {
    const br_link *link = &tree->link[node->link[0]];
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            if (link->R_PJ.m[a][b] != (a == b)) return 0; // its axes are not the world's
    return node->links == 1 && link->kind->type == BR_JOINT_FREE && !link->reversed &&
           br_vec3_max_abs(link->moment_L) == 0.0;
}

static void keep_mass(const br_link *link, double *M) {
    const br_mat3 I = br_sym3_to_mat3(link->inertia_L);
    memset(M, 0, 36 * sizeof *M);
    for (int a = 0; a < 3; a++) {
        M[7 * a] = link->mass;
        for (int b = 0; b < 3; b++) M[6 * (3 + a) + 3 + b] = I.m[a][b];
    }
}

static br_status make_nodes(br_sim *sim, problem *P) {
    const br_tree *tree = &sim->model->tree;
    int *number = BR_TAKE(&sim->arena, int, tree->links);
    P->node = BR_TAKE(&sim->arena, br_contact_node, tree->links);
    P->node_of = BR_TAKE(&sim->arena, int, tree->links);
    P->column = BR_TAKE(&sim->arena, int, tree->nv);
    int *lists = BR_TAKE(&sim->arena, int, tree->links + tree->nv);
    if (!number || !P->node || !P->node_of || !P->column || !lists) return BR_NO_MEMORY;
    for (int i = 0; i < tree->links; i++) {
        const int root = root_of(tree, i);
        if (root == i) number[i] = P->nodes++;
        br_contact_node *node = &P->node[P->node_of[i] = number[root]];
        node->links++, node->nv += tree->link[i].kind->nv;
    }
    int size = 0;
    for (int n = 0; n < P->nodes; n++) {
        br_contact_node *node = &P->node[n];
        node->link = lists, lists += node->links, node->dof = lists, lists += node->nv;
        node->mass_at = size, size += node->nv * node->nv;
        node->links = node->nv = 0;
    }
    for (int i = 0; i < tree->links; i++) {
        br_contact_node *node = &P->node[P->node_of[i]];
        node->link[node->links++] = i;
        for (int a = 0; a < tree->link[i].kind->nv; a++) {
            P->column[tree->link[i].v_at + a] = node->nv;
            node->dof[node->nv++] = tree->link[i].v_at + a;
        }
    }
    P->mass = BR_TAKE(&sim->arena, double, size);
    P->composite = BR_TAKE(&sim->arena, br_spatial, tree->links);
    P->v_free = BR_TAKE(&sim->arena, double, tree->nv);
    P->local = BR_TAKE(&sim->arena, int, P->nodes);
    P->node_dim = BR_TAKE(&sim->arena, int, P->nodes);
    P->mass_start = BR_TAKE(&sim->arena, int, P->nodes + 1);
    P->mass_node = BR_TAKE(&sim->arena, int, P->nodes);
    P->mass_packed = BR_TAKE(&sim->arena, double, size);
    P->momentum = BR_TAKE(&sim->arena, double, tree->nv);
    P->v = BR_TAKE(&sim->arena, double, tree->nv);
    P->mass_of = BR_TAKE(&sim->arena, const double *, P->nodes);
    P->velocity_at = BR_TAKE(&sim->arena, int, P->nodes);
    if (!P->mass || !P->composite || !P->v_free || !P->local || !P->node_dim || !P->mass_start ||
        !P->mass_node || !P->mass_packed || !P->momentum || !P->v || !P->mass_of || !P->velocity_at)
        return BR_NO_MEMORY;
    for (int n = 0; n < P->nodes; n++) {
        P->node[n].constant = P->node[n].nv > 0 && is_constant(tree, &P->node[n]);
        if (P->node[n].constant) keep_mass(&tree->link[P->node[n].link[0]], P->mass + P->node[n].mass_at);
    }
    return BR_OK;
}

br_status br_contact_problem_create(br_sim *sim, br_error *error) {
    problem *P = BR_TAKE(&sim->arena, problem, 1);
    if (!P || make_nodes(sim, P) != BR_OK) return no_memory(error);
    sim->contacts->problem = P;
    P->solved = -1;
    P->left_out = BR_TAKE(&sim->arena, unsigned char, sim->groups);
    if (!P->left_out || br_contact_soften_create(sim, P) != BR_OK) return no_memory(error);
    br_solver_def def = br_default_solver_def();
    def.allocator = &sim->allocator;
    def.kind = sim->model->settings.solver.method;
    def.tol = sim->model->settings.solver.tol;
    def.tol_enough = BR_EPS_USABLE_PILE;
    def.max_iterations = sim->model->settings.solver.max_iterations;
    if (sim->model->settings.solver.lcp_scale) def.lemke_scale = sim->model->settings.solver.step;
    return br_solver_create(&def, &P->solver, error);
}

static void give(const br_sim *sim, void *memory) {
    if (memory) br_sim_give(sim, memory);
}

void br_contact_problem_destroy(br_sim *sim) {
    problem *P = sim->contacts->problem;
    if (!P) return;
    br_solver_destroy(P->solver);
    void *const all[] = {P->law,           P->block,       P->jacobian_start,
                         P->jacobian_node, P->jacobian_at, P->jacobian,
                         P->offset,        P->compliance,  P->p,
                         P->p_first,       P->w,           P->pattern,
                         P->pattern_new,   P->p_last,      P->softened};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) give(sim, all[k]);
}

// --- growing -----------------------------------------------------------------------------------------------

// Contents need not survive: everything is written anew each step.
static br_status renew(const br_sim *sim, void **memory, size_t count, size_t size) {
    give(sim, *memory);
    *memory = br_sim_take(sim, count * size);
    return *memory ? BR_OK : BR_NO_MEMORY;
}

static br_status grow_laws(const br_sim *sim, problem *P, int laws, int rows, int blocks) {
    br_status status = BR_OK;
    if (laws > P->law_capacity) {
        P->law_capacity = laws + laws / 2;
        status |= renew(sim, (void **)&P->law, (size_t)P->law_capacity, sizeof *P->law);
        status |= renew(sim, (void **)&P->block, (size_t)P->law_capacity, sizeof *P->block);
        status |= renew(sim, (void **)&P->jacobian_start, (size_t)P->law_capacity + 1, sizeof(int));
    }
    if (rows > P->row_capacity) {
        P->row_capacity = rows + rows / 2;
        status |= renew(sim, (void **)&P->offset, (size_t)P->row_capacity, sizeof(double));
        status |= renew(sim, (void **)&P->compliance, (size_t)P->row_capacity, sizeof(double));
        status |= renew(sim, (void **)&P->p, (size_t)P->row_capacity, sizeof(double));
        status |= renew(sim, (void **)&P->p_first, (size_t)P->row_capacity, sizeof(double));
        status |= renew(sim, (void **)&P->p_last, (size_t)P->row_capacity, sizeof(double));
        P->last_rows = 0;
        status |= renew(sim, (void **)&P->w, (size_t)P->row_capacity, sizeof(double));
        if (P->soften_factor)
            status |= renew(sim, (void **)&P->softened, (size_t)P->row_capacity, sizeof(double));
    }
    if (blocks > P->block_capacity) {
        P->block_capacity = blocks + blocks / 2;
        status |= renew(sim, (void **)&P->jacobian_node, (size_t)P->block_capacity, sizeof(int));
        status |= renew(sim, (void **)&P->jacobian_at, (size_t)P->block_capacity, sizeof(int));
    }
    const int pattern = 4 * laws + blocks + P->nodes + 8;
    if (pattern > P->pattern_capacity) {
        P->pattern_capacity = 2 * pattern;
        P->ready = 0;
        status |= renew(sim, (void **)&P->pattern, (size_t)P->pattern_capacity, sizeof(int));
        status |= renew(sim, (void **)&P->pattern_new, (size_t)P->pattern_capacity, sizeof(int));
    }
    if (status == BR_OK) return BR_OK;
    P->law_capacity = P->row_capacity = P->block_capacity = P->pattern_capacity =
        0; // some are gone: all anew
    P->ready = 0;
    return BR_NO_MEMORY;
}

static br_status grow_jacobian(const br_sim *sim, problem *P, int numbers) {
    if (numbers <= P->jacobian_capacity) return BR_OK;
    P->jacobian_capacity = numbers + numbers / 2;
    const br_status status = renew(sim, (void **)&P->jacobian, (size_t)P->jacobian_capacity, sizeof(double));
    if (status != BR_OK) P->jacobian_capacity = 0;
    return status;
}

// --- which laws, rows and nodes ----------------------------------------------------------------------------

static void use_node(problem *P, int n) {
    if (P->node[n].local >= 0) return;
    P->node[n].local = P->locals;
    P->local[P->locals++] = n;
}

static void add_law(problem *P, br_law_kind kind, int rows, br_block_of of, int index) {
    br_law *law = &P->law[P->laws];
    *law = (br_law){.kind = kind, .first_row = P->rows, .rows = rows};
    P->block[P->laws] = (br_contact_block){of, index};
    P->rows += rows;
    P->jacobian_start[P->laws++] = P->blocks;
}

static void add_block(problem *P, int node, int rows) {
    for (int b = P->jacobian_start[P->laws - 1]; b < P->blocks; b++)
        if (P->jacobian_node[b] == node) return;
    use_node(P, node);
    P->jacobian_node[P->blocks] = node; // local numbers come when all are known
    P->jacobian_at[P->blocks++] = P->numbers;
    P->numbers += rows * P->node[node].nv;
}

static void add_touch_law(const br_sim *sim, problem *P, int k, br_law_kind kind, int rows, br_block_of of) {
    const br_touch *t = &sim->contacts->touch[k];
    add_law(P, kind, rows, of, k);
    if (t->link_a >= 0) add_block(P, P->node_of[t->link_a], rows);
    if (t->link_b >= 0) add_block(P, P->node_of[t->link_b], rows);
}

static void list_touches(const br_sim *sim, problem *P) {
    const int planar = sim->model->settings.planar != BR_SPATIAL, rows = planar ? 2 : 3;
    for (int k = 0; k < sim->contacts->count; k++) {
        const br_pair_def *pair = &sim->model->contact->pair[sim->contacts->touch[k].pair];
        const br_law_kind kind = br_touch_law_kind(sim, &sim->contacts->touch[k]);
        if (kind == BR_LAW_BOX) {
            add_touch_law(sim, P, k, BR_LAW_UNILATERAL, 1, BR_BLOCK_CONTACT);
            add_touch_law(sim, P, k, BR_LAW_BOX, rows - 1, BR_BLOCK_TANGENTS);
        } else {
            add_touch_law(sim, P, k, kind, rows, BR_BLOCK_CONTACT);
            P->law[P->laws - 1].sides =
                sim->model->contact->traits->sides ? (int)sim->model->contact->argument : 0;
        }
        if (pair->rolling > 0.0) add_touch_law(sim, P, k, BR_LAW_BOX, planar ? 1 : 2, BR_BLOCK_ROLLING);
        if (pair->torsion > 0.0 && !planar) add_touch_law(sim, P, k, BR_LAW_BOX, 1, BR_BLOCK_TORSION);
    }
}

// A limit's velocity at the step's end, beyond what would reach it, for velocities v: negative means that it is passed.
static double limit_reserve(const br_sim *sim, const problem *P, const br_group *g, const double *v) {
    const double lacking = g->gamma[0] - br_group_acceleration(sim, g, 0, sim->work.A, sim->vdot);
    double change = 0.0;
    for (int d = 0; d < g->dofs; d++) change += g->coefficient[d] * (v[g->dof[d]] - P->v_free[g->dof[d]]);
    return change - sim->theta * sim->h * lacking;
}

// Limits that neither the free motion nor the present one comes near are left out, and br_contact_limits_hold looks again
// afterwards. (What lies on the floor would fall away from its limits without it.)
static int is_far(const br_sim *sim, const problem *P, const br_group *g) {
    double speed = 0.0;
    if (br_limit_is_apart(sim, g)) return 1;
    if (g->bound != BR_BOUND_LOWER || g->entries > 0 || P->all_limits) return 0;
    for (int d = 0; d < g->dofs; d++) speed += fabs(g->coefficient[d] * sim->v_start[g->dof[d]]);
    const double reserve = fmin(limit_reserve(sim, P, g, P->v_free), limit_reserve(sim, P, g, sim->v_start));
    return reserve > BR_FAR_LIMIT_STEPS * speed + BR_FAR_LIMIT_SPEED;
}

int br_contact_limits_hold(const br_sim *sim, const double *v) {
    const problem *P = sim->contacts->problem;
    for (int g = 0; g < sim->groups; g++)
        if (P->left_out[g] && limit_reserve(sim, P, &sim->group[g], v) < 0.0) return 0;
    return 1;
}

static void list_groups(const br_sim *sim, problem *P) {
    for (int g = 0; g < sim->groups; g++) {
        const br_group *group = &sim->group[g];
        P->left_out[g] = 0;
        if (group->path_nv == 0) continue;
        if (is_far(sim, P, group)) {
            P->left_out[g] = 1;
            continue;
        }
        add_law(P,
                group->bound == BR_BOUND_LOWER ? BR_LAW_UNILATERAL
                : group->bound == BR_BOUND_BOX ? BR_LAW_BOX
                                               : BR_LAW_EQUALITY,
                group->rows, BR_BLOCK_GROUP, g);
        for (int i = 0; i < group->path_count; i++)
            if (P->node[P->node_of[group->path[i]]].nv > 0)
                add_block(P, P->node_of[group->path[i]], group->rows);
    }
}

// Rows and blocks that the lists below may make, at most.
static br_status make_room(br_sim *sim, problem *P) {
    int laws = 4 * sim->contacts->count, rows = 6 * sim->contacts->count, blocks = 2 * laws;
    for (int g = 0; g < sim->groups; g++) {
        laws++, rows += sim->group[g].rows;
        blocks += sim->group[g].path_count;
    }
    return grow_laws(sim, P, laws, rows, blocks);
}

// --- Jacobians ---------------------------------------------------------------------------------------------

static double dot(const br_twist *S, const br_wrench *F) {
    return S->angular.x * F->torque.x + S->angular.y * F->torque.y + S->angular.z * F->torque.z +
           S->linear.x * F->force.x + S->linear.y * F->force.y + S->linear.z * F->force.z;
}

// row += what a wrench on a link does to the velocities of its tree.
static void add_wrench_row(const br_sim *sim, const problem *P, int link, br_wrench F, double *row) {
    const br_tree *tree = &sim->model->tree;
    for (int j = link; j >= 0; j = tree->link[j].parent) {
        const int at = tree->link[j].v_at;
        for (int a = 0; a < tree->link[j].kind->nv; a++)
            row[P->column[at + a]] += dot(&sim->work.S[at + a], &F);
        if (tree->link[j].parent >= 0) F = br_wrench_shift(F, sim->work.pose[j].r);
    }
}

static double *block_of(problem *P, int law, int node) {
    for (int b = P->jacobian_start[law]; b < P->jacobian_start[law + 1]; b++)
        if (P->jacobian_node[b] == P->node[node].local) return P->jacobian + P->jacobian_at[b];
    return NULL;
}

// Of a free body: its velocity is in world axes, its angular velocity in its own.
static void fill_free(const br_link_pose *pose, br_vec3 point, const br_vec3 *axis, int rows, int turns,
                      double sign, double *row) {
    const br_mat3 R = pose->R_WL;
    const br_vec3 arm = br_vec3_sub(point, pose->p_WL);
    for (int r = 0; r < rows; r++, row += 6) {
        const br_vec3 d = br_vec3_scale(sign, axis[r]);
        const br_vec3 torque = br_mat3_tmul_vec(R, turns ? d : br_vec3_cross(arm, d));
        if (!turns) row[0] = d.x, row[1] = d.y, row[2] = d.z;
        row[3] = torque.x, row[4] = torque.y, row[5] = torque.z;
    }
}

static void fill_side(const br_sim *sim, problem *P, int law, const br_touch *t, int link,
                      const br_vec3 *axis, int rows, int turns, double sign) {
    if (link < 0) return;
    const int node = P->node_of[link];
    const br_link_pose *pose = &sim->work.pose[link];
    double *row = block_of(P, law, node);
    if (P->node[node].constant) {
        fill_free(pose, t->point, axis, rows, turns, sign, row);
        return;
    }
    const br_vec3 arm = br_vec3_sub(t->point, pose->p_WL);
    for (int r = 0; r < rows; r++, row += P->node[node].nv) {
        const br_vec3 d = br_vec3_scale(sign, axis[r]);
        const br_wrench F = turns ? br_wrench_of(d, br_vec3_zero()) : br_wrench_of(br_vec3_cross(arm, d), d);
        add_wrench_row(sim, P, link, F, row);
    }
}

static void fill_touch(const br_sim *sim, problem *P, int law) {
    const br_contact_block block = P->block[law];
    const br_touch *t = &sim->contacts->touch[block.index];
    const int planar = sim->model->settings.planar != BR_SPATIAL, rows = P->law[law].rows;
    const br_vec3 axis[4] = {t->normal, t->tangent[0], t->tangent[1], t->normal};
    const int first = block.of == BR_BLOCK_CONTACT             ? 0
                      : block.of == BR_BLOCK_TORSION           ? 3
                      : block.of == BR_BLOCK_ROLLING && planar ? 2
                                                               : 1;
    fill_side(sim, P, law, t, t->link_a, axis + first, rows, br_block_turns(block), 1.0);
    fill_side(sim, P, law, t, t->link_b, axis + first, rows, br_block_turns(block), -1.0);
}

static void fill_group(const br_sim *sim, problem *P, int law) {
    const br_group *g = &sim->group[P->block[law].index];
    const br_tree *tree = &sim->model->tree;
    for (int r = 0; r < g->rows; r++) {
        for (int e = 0; e < g->entries; e++) {
            const int node = P->node_of[g->link[e]];
            double *block = block_of(P, law, node);
            if (block)
                add_wrench_row(sim, P, g->link[e], g->F[r * g->entries + e], block + r * P->node[node].nv);
        }
        for (int d = 0; d < g->dofs; d++) {
            const int node = P->node_of[br_tree_owner(tree, g->dof[d])];
            block_of(P, law, node)[r * P->node[node].nv + P->column[g->dof[d]]] +=
                g->coefficient[r * g->dofs + d];
        }
    }
}

// Rows of contacts between free bodies are written whole, others are added up.
static void clear_law(problem *P, int law) {
    const int first = P->jacobian_start[law], end = P->jacobian_start[law + 1];
    int whole = !br_block_is_group(P->block[law]) && !br_block_turns(P->block[law]);
    for (int b = first; b < end && whole; b++) whole = P->node[P->local[P->jacobian_node[b]]].constant;
    if (whole || first == end) return;
    const int from = P->jacobian_at[first], to = end < P->blocks ? P->jacobian_at[end] : P->numbers;
    memset(P->jacobian + from, 0, (size_t)(to - from) * sizeof *P->jacobian);
}

const double *br_contact_jacobian(const problem *P, int law, int entry, int *node) {
    const int b = P->jacobian_start[law] + entry;
    if (b >= P->jacobian_start[law + 1]) return NULL;
    *node = P->local[P->jacobian_node[b]];
    return P->jacobian + P->jacobian_at[b];
}

void br_contact_velocity(const problem *P, int law, const double *v, double *out) {
    const int rows = P->law[law].rows;
    for (int r = 0; r < rows; r++) out[r] = 0.0;
    for (int b = P->jacobian_start[law]; b < P->jacobian_start[law + 1]; b++) {
        const br_contact_node *node = &P->node[P->local[P->jacobian_node[b]]];
        const double *J = P->jacobian + P->jacobian_at[b];
        if (node->constant) { // six velocities in a row
            const double *u = v + node->dof[0];
            for (int r = 0; r < rows; r++, J += 6)
                out[r] = out[r] + J[0] * u[0] + J[1] * u[1] + J[2] * u[2] + J[3] * u[3] + J[4] * u[4] +
                         J[5] * u[5];
            continue;
        }
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < node->nv; c++) out[r] += J[r * node->nv + c] * v[node->dof[c]];
    }
}

void br_contact_add_impulse(problem *P, int law, const double *p) {
    for (int b = P->jacobian_start[law]; b < P->jacobian_start[law + 1]; b++) {
        const int local = P->jacobian_node[b], nv = P->node_dim[local];
        const double *J = P->jacobian + P->jacobian_at[b];
        double *f = P->momentum + P->velocity_at[local];
        for (int r = 0; r < P->law[law].rows; r++)
            for (int c = 0; c < nv; c++) f[c] += J[r * nv + c] * p[r];
    }
}

// --- masses ------------------------------------------------------------------------------------------------

static void constant_mass(const br_sim *sim, const problem *P, const br_contact_node *node, double *M) {
    const double *armature = sim->armature + node->dof[0]; // six in a row
    memcpy(M, P->mass + node->mass_at, 36 * sizeof *M);
    for (int a = 0; a < 6; a++) M[7 * a] += armature[a];
}

static void constant_momentum(const double *M, const double *v, double *f) {
    for (int a = 0; a < 3; a++) {
        f[a] = M[7 * a] * v[a];
        f[3 + a] = M[6 * (3 + a) + 3] * v[3] + M[6 * (3 + a) + 4] * v[4] + M[6 * (3 + a) + 5] * v[5];
    }
}

// Composite inertias over one tree, as br_tree_mass_matrix over all.
static void tree_mass(const br_sim *sim, problem *P, const br_contact_node *node, double *M) {
    const br_tree *tree = &sim->model->tree;
    const int nv = node->nv;
    for (int k = 0; k < node->links; k++) {
        const int i = node->link[k];
        P->composite[i] = br_spatial_rigid(tree->link[i].mass, sim->work.moment[i], sim->work.inertia[i]);
    }
    memset(M, 0, (size_t)(nv * nv) * sizeof *M);
    for (int k = node->links - 1; k >= 0; k--) {
        const int i = node->link[k];
        const br_link *link = &tree->link[i];
        for (int a = 0; a < link->kind->nv; a++) {
            const int column = P->column[link->v_at + a];
            br_wrench F = br_spatial_mul(&P->composite[i], sim->work.S[link->v_at + a]);
            for (int j = i; j >= 0; j = tree->link[j].parent) {
                for (int b = 0; b < tree->link[j].kind->nv; b++) {
                    const int row = P->column[tree->link[j].v_at + b];
                    M[row * nv + column] = M[column * nv + row] =
                        dot(&sim->work.S[tree->link[j].v_at + b], &F);
                }
                if (tree->link[j].parent >= 0) F = br_wrench_shift(F, sim->work.pose[j].r);
            }
            M[column * nv + column] += sim->armature[link->v_at + a];
        }
        if (link->parent >= 0)
            br_spatial_add_shifted(&P->composite[link->parent], &P->composite[i], sim->work.pose[i].r);
    }
}

// f = M v, column by column: M is symmetric to the bit.
static void tree_momentum(const br_contact_node *node, const double *restrict M, const double *restrict v,
                          double *restrict f) {
    const int nv = node->nv;
    for (int r = 0; r < nv; r++) f[r] = 0.0;
    for (int c = 0; c < nv; c++, M += nv) {
        const double v_c = v[node->dof[c]];
        for (int r = 0; r < nv; r++) f[r] += M[r] * v_c;
    }
}

static void fill_masses(const br_sim *sim, problem *P) {
    double *M = P->mass_packed, *f = P->momentum;
    P->velocities = 0;
    for (int k = 0; k < P->locals; k++) {
        const br_contact_node *node = &P->node[P->local[k]];
        const int nv = node->nv;
        if (node->constant) {
            constant_mass(sim, P, node, M);
            constant_momentum(M, P->v_free + node->dof[0], f);
        } else {
            tree_mass(sim, P, node, M);
            tree_momentum(node, M, P->v_free, f);
        }
        P->node_dim[k] = nv, P->mass_start[k] = k, P->mass_node[k] = k;
        P->mass_of[k] = M, P->velocity_at[k] = P->velocities;
        P->velocities += nv;
        M += nv * nv, f += nv;
    }
    P->mass_start[P->locals] = P->locals;
}

// --- the whole ---------------------------------------------------------------------------------------------

br_status br_contact_assemble(br_sim *sim, br_error *error) {
    problem *P = sim->contacts->problem;
    for (int k = 0; k < P->locals; k++) P->node[P->local[k]].local = -1;
    if (!P->ready)
        for (int n = 0; n < P->nodes; n++) P->node[n].local = -1;
    P->laws = P->rows = P->blocks = P->numbers = P->locals = 0;
    if (make_room(sim, P) != BR_OK) return no_memory(error);
    list_touches(sim, P);
    list_groups(sim, P);
    P->jacobian_start[P->laws] = P->blocks;
    for (int b = 0; b < P->blocks; b++) P->jacobian_node[b] = P->node[P->jacobian_node[b]].local;
    if (grow_jacobian(sim, P, P->numbers) != BR_OK) return no_memory(error);
    for (int l = 0; l < P->laws; l++) {
        clear_law(P, l);
        if (!br_block_is_group(P->block[l]))
            fill_touch(sim, P, l);
        else
            fill_group(sim, P, l);
    }
    fill_masses(sim, P);
    P->problem =
        (br_problem){.form = BR_FORM_VELOCITY,
                     .velocity = {P->locals, P->node_dim, P->mass_start, P->mass_node, P->mass_packed,
                                  P->momentum, P->jacobian_start, P->jacobian_node, P->jacobian},
                     .rows = P->rows,
                     .laws = P->laws,
                     .law = P->law,
                     .offset = P->offset,
                     .compliance = P->compliance};
    return BR_OK;
}

static int write_pattern(const problem *P, int *to) {
    int n = 0;
    to[n++] = P->laws, to[n++] = P->locals;
    for (int k = 0; k < P->locals; k++) to[n++] = P->node_dim[k];
    for (int l = 0; l < P->laws; l++) {
        to[n++] = (int)P->law[l].kind, to[n++] = P->law[l].rows, to[n++] = P->law[l].sides;
        to[n++] = P->jacobian_start[l + 1];
    }
    memcpy(to + n, P->jacobian_node, (size_t)P->blocks * sizeof *to);
    return n + P->blocks;
}

br_status br_contact_setup(br_sim *sim, br_error *error) {
    problem *P = sim->contacts->problem;
    const int size = write_pattern(P, P->pattern_new);
    if (P->ready && size == P->pattern_size &&
        memcmp(P->pattern, P->pattern_new, (size_t)size * sizeof(int)) == 0) {
        P->problem.pattern_id = P->patterns;
        return BR_OK;
    }
    P->ready = 0;
    P->patterns = P->patterns == INT_MAX ? 1 : P->patterns + 1;
    P->problem.pattern_id = P->patterns;
    const br_status status = br_solver_setup(P->solver, &P->problem, error);
    if (status != BR_OK) return status;
    int *old = P->pattern;
    P->pattern = P->pattern_new, P->pattern_new = old, P->pattern_size = size, P->ready = 1;
    return BR_OK;
}
