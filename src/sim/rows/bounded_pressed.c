// Bounded rows of models with many limits. Every limit of a tree meets every other, so their matrix grows with the square of their number,
// and so do the paths from each to the root. But few limits push at once: here only those have a row, and the others are looked at
// afterwards.
//
//     1. the limits that pushed in the last solve, and all rows that are no limits
//     2. the problem of these; accelerations
//     3. limits that these accelerations pass are added, again from 2; none: done, since what is left out needs no force
//
// The forces are then those of the whole problem. There is room for a number of limits that keeps a bound on memory; the problem comes in
// a few sizes, so that one limit does not cost what hundreds do. Rows of a size that are not used are empty: w = p + 1.
#include "sim/rows/bounded_pressed.h"

#include <string.h>

#include "base/error.h"
#include "linalg/dense.h"
#include "sim/friction/step.h"
#include "sim/rows/accelerate.h"

#define BR_MANY_LIMITS 200    // rows: fewer are one problem, whose matrix is small
#define BR_PRESSED_BYTES 1e8  // that all of this may take
#define BR_SOLVER_BYTES 150.0 // of it, by the solver, for each entry of a matrix
#define BR_LEAST_ROOM 16      // limits at once; a model that leaves no room for these is refused
#define BR_SIZE_RATIO 4       // from one size of the problem to the next
#define BR_MAX_SIZES 6

typedef struct pressed_size {
    int room; // for so many limits
    br_solver *solver;
    br_problem problem;
} pressed_size;

struct br_pressed {
    int groups, rows; // that are no limits
    int room, count;  // limits: at most, and now, behind these in br_bounded.all
    int sizes;
    pressed_size size[BR_MAX_SIZES];
    int *first;           // [groups of the simulation] rows of the state's forces
    unsigned char *is_in; // [groups of the simulation] this limit is in the problem
    unsigned char *on;    // [links] scratch
    int *path;            // [room * links]
    double *y, *z;        // [room * nv]
    br_law *law;
    double *value, *offset, *compliance, *p, *w;
};

// --- creation ----------------------------------------------------------------------------------------------

// Limits for which there is memory, beside `rows` other rows.
static int room_for(const br_sim *sim, int rows, int limits) {
    const double each = 16.0 * sim->model->tree.nv + 4.0 * sim->model->tree.links;
    int room = limits;
    while (room >= BR_LEAST_ROOM &&
           BR_SOLVER_BYTES * (double)(rows + room) * (double)(rows + room) + each * room > BR_PRESSED_BYTES)
        room -= 1 + room / 32;
    return room;
}

// Contacts and joint friction put limits into problems of their own, the reference stepper into a system of its own.
int br_bounded_keeps_apart(const br_sim *sim) {
    const br_model *m = sim->model;
    int limits = 0, rows = 0;
    if (m->contacts_possible || br_sim_plays(sim) > 0 || br_sim_rubs_by_rows(sim) ||
        m->settings.solver.stepper == BR_STEPPER_REFERENCE)
        return 0;
    for (int j = 0; j < m->joints; j++)
        for (int k = 0; m->joint[j].limited && m->joint[j].kind && k < m->joint[j].kind->nv; k++)
            limits += isfinite(m->joint[j].lower[k]) + isfinite(m->joint[j].upper[k]);
    for (int i = 0; i < m->loops; i++) rows += m->loop[i].rows + 6;
    rows += m->couplings + m->constraints + m->drives + 6 * m->loads;
    return limits > BR_MANY_LIMITS && room_for(sim, rows, limits) >= BR_LEAST_ROOM;
}

static br_status create_size(br_sim *sim, struct br_pressed *p, int room, br_error *error) {
    const int n = p->rows + room;
    pressed_size *size = &p->size[p->sizes++];
    int *row_start = BR_TAKE(&sim->arena, int, n + 1),
        *column = BR_TAKE(&sim->arena, int, (size_t)n *(size_t)n);
    if (!br_arena_ok(&sim->arena)) return br_no_memory(error, "no memory for bounded rows");
    for (int i = 0; i < n; i++) {
        row_start[i + 1] = (i + 1) * n;
        for (int j = 0; j < n; j++) column[i * n + j] = j;
    }
    size->room = room;
    size->problem = (br_problem){.form = BR_FORM_MATRIX,
                                 .matrix = {row_start, column, p->value},
                                 .rows = n,
                                 .laws = n,
                                 .law = p->law,
                                 .offset = p->offset,
                                 .compliance = p->compliance};
    const br_solver_def def = br_bounded_solver(sim);
    const br_status status = br_solver_create(&def, &size->solver, error);
    if (status != BR_OK) return status;
    memset(p->value, 0, (size_t)n * (size_t)n * sizeof *p->value);
    for (int i = 0; i < n; i++) p->value[i * n + i] = 1.0;
    return br_solver_setup(size->solver, &size->problem, error);
}

// Everything but limits, with room for these behind it.
static br_status list_others(br_sim *sim, struct br_bounded *b, struct br_pressed *p, br_error *error) {
    br_system *s = &b->all;
    int rows = 0, limits = 0;
    p->first = BR_TAKE(&sim->arena, int, sim->groups);
    p->is_in = BR_TAKE(&sim->arena, unsigned char, sim->groups);
    if (!br_arena_ok(&sim->arena)) return br_no_memory(error, "no memory for bounded rows");
    for (int g = 0; g < sim->groups; g++) {
        p->first[g] = rows, rows += sim->group[g].rows;
        limits += sim->group[g].apart;
        if (!sim->group[g].apart) p->groups++, p->rows += sim->group[g].rows;
    }
    p->room = room_for(sim, p->rows, limits);
    s->group = BR_TAKE(&sim->arena, br_group *, p->groups + p->room);
    s->first = BR_TAKE(&sim->arena, int, p->groups + p->room);
    double *numbers = BR_TAKE(&sim->arena, double, 4 * (p->rows + p->room));
    if (!br_arena_ok(&sim->arena)) return br_no_memory(error, "no memory for bounded rows");
    s->usual = numbers, s->least = numbers + (p->rows + p->room);
    s->rhs = numbers + 2 * (p->rows + p->room), s->force = numbers + 3 * (p->rows + p->room);
    for (int g = 0; g < sim->groups; g++) {
        if (sim->group[g].apart) continue;
        s->group[s->groups] = &sim->group[g], s->first[s->groups++] = s->rows;
        s->rows += sim->group[g].rows;
    }
    return BR_OK;
}

br_status br_pressed_create(br_sim *sim, struct br_bounded *b, br_error *error) {
    const br_tree *tree = &sim->model->tree;
    struct br_pressed *p = BR_TAKE(&sim->arena, struct br_pressed, 1);
    if (!p) return br_no_memory(error, "no memory for bounded rows");
    br_status status = list_others(sim, b, p, error);
    if (status != BR_OK) return status;
    const size_t n = (size_t)(p->rows + p->room), room = (size_t)p->room;
    p->on = BR_TAKE(&sim->arena, unsigned char, tree->links);
    p->path = BR_TAKE(&sim->arena, int, room *(size_t)tree->links);
    p->y = BR_TAKE(&sim->arena, double, room *(size_t)tree->nv);
    p->z = BR_TAKE(&sim->arena, double, room *(size_t)tree->nv);
    p->law = BR_TAKE(&sim->arena, br_law, n);
    p->value = BR_TAKE(&sim->arena, double, n *n);
    double *numbers = BR_TAKE(&sim->arena, double, 4 * n);
    b->aside = BR_TAKE(&sim->arena, double, b->rows);
    if (!br_arena_ok(&sim->arena) ||
        br_sim_ask(sim, "bounds", sizeof(double), b->rows, BR_PART_STATE, &b->force, NULL) != BR_OK)
        return br_no_memory(error, "no memory for bounded rows");
    p->offset = numbers, p->compliance = numbers + n, p->p = numbers + 2 * n, p->w = numbers + 3 * n;
    for (int g = 0; g < p->groups; g++)
        for (int i = 0; i < b->all.group[g]->rows; i++)
            p->law[b->all.first[g] + i] = br_bounded_law(b->all.group[g], b->all.first[g] + i);
    for (size_t k = (size_t)p->rows; k < n; k++)
        p->law[k] = (br_law){.kind = BR_LAW_UNILATERAL, .first_row = (int)k, .rows = 1};
    b->pressed = p, sim->bounded = b;
    for (int k = BR_LEAST_ROOM; status == BR_OK && p->sizes < BR_MAX_SIZES - 1 && k < p->room;
         k *= BR_SIZE_RATIO)
        status = create_size(sim, p, k, error);
    return status == BR_OK ? create_size(sim, p, p->room, error) : status;
}

void br_pressed_destroy(struct br_pressed *p) {
    for (int k = 0; p && k < p->sizes; k++) br_solver_destroy(p->size[k].solver);
}

// --- the problem -------------------------------------------------------------------------------------------

// J M^-1 J^T of two rows: y of one times z of the other along the links that both paths have, which both name in falling order.
static double pressed_product(const br_sim *sim, const br_group *a, int i, const br_group *b, int j) {
    const br_link *link = sim->model->tree.link;
    const double *y = a->y + i * a->path_nv, *z = b->z + j * b->path_nv;
    double sum = 0.0;
    for (int k = 0, l = 0; k < a->path_count && l < b->path_count;) {
        const int la = a->path[k], lb = b->path[l], left = a->path_count - k, last = la - left + 1;
        if (la == lb && left == b->path_count - l && a->path[k + left - 1] == last &&
            b->path[l + left - 1] == last)
            return sum + br_dot((int)(a->y + (i + 1) * a->path_nv - y), y, z); // one chain to the root
        if (la == lb) sum += br_dot(link[la].kind->nv, y, z);
        if (la >= lb) y += link[la].kind->nv, k++;
        if (lb >= la) z += link[lb].kind->nv, l++;
    }
    return sum;
}

static void fill_pressed(const br_sim *sim, struct br_bounded *b, const pressed_size *size) {
    struct br_pressed *p = b->pressed;
    const br_system *s = &b->all;
    const int n = size->problem.rows;
    for (int a = 0; a < s->groups; a++)
        for (int i = 0; i < s->group[a]->rows; i++) {
            const int row = s->first[a] + i;
            for (int c = 0; c <= a; c++)
                for (int j = 0; j < (c < a ? s->group[c]->rows : i + 1); j++)
                    p->value[row * n + s->first[c] + j] = p->value[(s->first[c] + j) * n + row] =
                        pressed_product(sim, s->group[a], i, s->group[c], j);
            p->offset[row] = -s->rhs[row];
            p->compliance[row] = br_bounded_compliance(s, a, i, p->value[row * n + row]);
            p->law[row] = br_bounded_law(s->group[a], row);
        }
    for (int row = s->rows; row < n; row++) {
        for (int j = 0; j < n; j++) p->value[row * n + j] = p->value[j * n + row] = j == row ? 1.0 : 0.0;
        p->offset[row] = 1.0, p->compliance[row] = 0.0;
    }
}

static br_status pressed_room(const br_sim *sim, const struct br_pressed *p, const br_group *g,
                              br_error *error) {
    if (p->count < p->room) return BR_OK;
    return br_fail(error, BR_TOO_LARGE, "limits-at-once",
                   "t = %.9g s: joint '%s' would be limit number %d that pushes at once, and a model of this "
                   "size has room for "
                   "%d: wider limits, or springs in their place",
                   sim->t_eval, br_group_name(sim, g), p->count + 1, p->room);
}

// Takes a limit into the problem: its path and its sweep.
static br_status press_limit(br_sim *sim, struct br_bounded *b, int index, br_error *error) {
    struct br_pressed *p = b->pressed;
    br_system *s = &b->all;
    br_group *g = &sim->group[index];
    const br_status status = pressed_room(sim, p, g, error);
    if (status != BR_OK) return status;
    const size_t slot = (size_t)p->count++;
    br_group_lay_out(sim, g, p->on, p->path + slot * (size_t)sim->model->tree.links);
    g->y = p->y + slot * (size_t)sim->model->tree.nv, g->z = p->z + slot * (size_t)sim->model->tree.nv;
    s->group[s->groups] = g, s->first[s->groups++] = s->rows++;
    p->is_in[index] = 1;
    br_group_sweep(sim, g);
    return BR_OK;
}

static void release_limits(const br_sim *sim, struct br_bounded *b) {
    struct br_pressed *p = b->pressed;
    for (int k = p->groups; k < b->all.groups; k++) {
        br_group *g = b->all.group[k];
        g->path = NULL, g->y = g->z = NULL, g->path_count = g->path_nv = 0;
    }
    memset(p->is_in, 0, (size_t)sim->groups * sizeof *p->is_in);
    b->all.groups = p->groups, b->all.rows = p->rows, p->count = 0;
}

// Limits that the accelerations pass, into the problem; how many.
static br_status press_passed(br_sim *sim, struct br_bounded *b, int *added, br_error *error) {
    br_status status = BR_OK;
    *added = 0;
    for (int g = 0; g < sim->groups && status == BR_OK; g++) {
        const br_group *group = &sim->group[g];
        if (!group->apart || b->pressed->is_in[g] ||
            !(br_group_acceleration(sim, group, 0, sim->work.A, sim->vdot) < group->gamma[0]))
            continue;
        status = press_limit(sim, b, g, error);
        ++*added;
    }
    return status;
}

// --- the solve ---------------------------------------------------------------------------------------------

// Warm: from the forces of the last solve, which are those of the state.
static br_status solve_pressed(br_sim *sim, struct br_bounded *b, br_error *error) {
    struct br_pressed *p = b->pressed;
    br_system *s = &b->all;
    const pressed_size *size = p->size;
    while (size->room < p->count) size++;
    br_sim_accelerate_freely(sim);
    br_sim_lacking(sim, s, s->rhs);
    fill_pressed(sim, b, size);
    memset(p->p, 0, (size_t)size->problem.rows * sizeof *p->p);
    for (int k = 0; k < s->groups; k++)
        memcpy(p->p + s->first[k], b->force + p->first[s->group[k] - sim->group],
               (size_t)s->group[k]->rows * sizeof *p->p);
    br_solution solution = {.p = p->p, .w = p->w, .warm = sim->state.at->bounds_known};
    br_solve_report report;
    br_status status = br_solver_solve(size->solver, &size->problem, &solution, &report, error);
    if (status == BR_OK) status = br_bounded_judge(sim, &report, error);
    if (status != BR_OK) return status;
    sim->state.at->bounds_known = 1;
    memset(b->force, 0, (size_t)b->rows * sizeof *b->force);
    for (int k = 0; k < s->groups; k++) {
        const size_t bytes = (size_t)s->group[k]->rows * sizeof(double);
        memcpy(s->force + s->first[k], p->p + s->first[k], bytes);
        memcpy(b->force + p->first[s->group[k] - sim->group], p->p + s->first[k], bytes);
        memcpy(s->group[k]->force, p->p + s->first[k], bytes);
    }
    br_system_apply(sim, s, s->force, sim->eta);
    br_sim_add_response(sim);
    return BR_OK;
}

br_status br_pressed_solve(br_sim *sim, struct br_bounded *b, br_error *error) {
    br_status status = BR_OK;
    int added = 1;
    release_limits(sim, b);
    for (int g = 0; g < b->all.groups; g++) br_group_sweep(sim, b->all.group[g]);
    for (int g = 0; g < sim->groups && status == BR_OK; g++)
        if (sim->group[g].apart && sim->state.at->bounds_known && b->force[b->pressed->first[g]] > 0.0)
            status = press_limit(sim, b, g, error);
    while (status == BR_OK && added > 0) { // it ends: each round adds, and there is room for so many
        status = solve_pressed(sim, b, error);
        if (status == BR_OK) status = press_passed(sim, b, &added, error);
    }
    return status;
}
