// Rows whose forces are bounded (limits, motors and servos with a largest effort): a mixed complementarity problem in
// the forces, solved by the library of lcp/ only when the solution without bounds breaks one.
//
//     w = W f + C f - r,   equality w = 0, limit 0 <= f, 0 <= w, f w = 0, motor |f| <= limit
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "linalg/dense.h"
#include "sim/rows/bounded_pressed.h"
#include "sim/rows/group.h"

void br_bounded_destroy(struct br_bounded *b) {
    if (!b) return;
    br_solver_destroy(b->solver);
    br_pressed_destroy(b->pressed);
}

// For every group the groups it meets, in rising order, itself among them. Pairs come by rising a, then b.
static br_status build_neighbours(br_sim *sim, struct br_bounded *b) {
    const br_system *s = &b->all;
    b->near_start = BR_TAKE(&sim->arena, int, s->groups + 1);
    b->near = BR_TAKE(&sim->arena, br_neighbour, s->groups + 2 * s->pairs);
    int *end = BR_TAKE(&sim->arena, int, s->groups);
    if (!br_arena_ok(&sim->arena)) return BR_NO_MEMORY;
    for (int g = 0; g < s->groups; g++) end[g] = 1;
    for (int p = 0; p < s->pairs; p++) end[s->pair[p].a]++, end[s->pair[p].b]++;
    for (int g = 0; g < s->groups; g++) {
        b->near_start[g + 1] = b->near_start[g] + end[g];
        end[g] = b->near_start[g];
    }
    for (int g = 0, p = 0; g < s->groups; g++) {
        for (; p < s->pairs && s->pair[p].a == g; p++) {
            b->near[end[g]++] = (br_neighbour){s->pair[p].b, &s->pair[p]};
            b->near[end[s->pair[p].b]++] = (br_neighbour){g, &s->pair[p]};
        }
        b->near[end[g]++] = (br_neighbour){g, NULL};
    }
    return BR_OK;
}

static br_status build_pattern(br_sim *sim, struct br_bounded *b) {
    const br_system *s = &b->all;
    size_t entries = 0;
    if (build_neighbours(sim, b) != BR_OK) return BR_NO_MEMORY;
    for (int a = 0; a < s->groups; a++)
        for (int n = b->near_start[a]; n < b->near_start[a + 1]; n++)
            entries += (size_t)(s->group[a]->rows * s->group[b->near[n].group]->rows);
    b->row_start = BR_TAKE(&sim->arena, int, s->rows + 1);
    b->column = BR_TAKE(&sim->arena, int, entries);
    b->value = BR_TAKE(&sim->arena, double, entries);
    b->law = BR_TAKE(&sim->arena, br_law, s->rows);
    double *numbers = BR_TAKE(&sim->arena, double, 4 * s->rows);
    if (!br_arena_ok(&sim->arena) ||
        br_sim_ask(sim, "bounds", sizeof(double), s->rows, BR_PART_STATE, &b->force, NULL) != BR_OK)
        return BR_NO_MEMORY;
    b->offset = numbers, b->compliance = numbers + s->rows, b->w = numbers + 2 * s->rows;
    b->aside = numbers + 3 * s->rows;
    int at = 0;
    for (int a = 0; a < s->groups; a++)
        for (int i = 0; i < s->group[a]->rows; i++) {
            b->row_start[s->first[a] + i] = at;
            for (int n = b->near_start[a]; n < b->near_start[a + 1]; n++)
                for (int j = 0; j < s->group[b->near[n].group]->rows; j++)
                    b->column[at++] = s->first[b->near[n].group] + j;
        }
    b->row_start[s->rows] = at;
    b->entries = at;
    return BR_OK;
}

static double bounded_product(const br_pair *pair, const br_system *s, int a, int i, int c, int j) {
    const br_group *A = s->group[a], *C = s->group[c];
    const double *y = A->y + i * A->path_nv, *z = C->z + j * C->path_nv;
    if (!pair) return br_dot(A->path_nv, y, z);
    const int *at_y = pair->a == a ? pair->at_a : pair->at_b, *at_z = pair->a == a ? pair->at_b : pair->at_a;
    double sum = 0.0;
    for (int k = 0; k < pair->shared; k++) sum += br_dot(pair->length[k], y + at_y[k], z + at_z[k]);
    return sum;
}

double br_bounded_compliance(const br_system *all, int group, int row, double own) {
    const br_group *g = all->group[group];
    if (!g->exact) return g->compliance[row];
    return g->compliance[row] +
           (own > all->least[all->first[group] + row] ? BR_EPS_EXACT_COMPLIANCE * own : 1.0);
}

br_law br_bounded_law(const br_group *g, int row) {
    const double most = g->bound == BR_BOUND_BOX ? g->limit : 0.0;
    return (br_law){.kind = g->bound == BR_BOUND_LOWER ? BR_LAW_UNILATERAL
                            : g->bound == BR_BOUND_BOX ? BR_LAW_BOX
                                                       : BR_LAW_EQUALITY,
                    .first_row = row,
                    .rows = 1,
                    .lower = -most,
                    .upper = most};
}

static void fill_values(struct br_bounded *b, const double *r) {
    const br_system *s = &b->all;
    int at = 0;
    for (int a = 0; a < s->groups; a++) {
        const br_group *g = s->group[a];
        for (int i = 0; i < g->rows; i++) {
            const int row = s->first[a] + i;
            double own = 0.0;
            for (int n = b->near_start[a]; n < b->near_start[a + 1]; n++) {
                const int c = b->near[n].group;
                for (int j = 0; j < s->group[c]->rows; j++) {
                    b->value[at] = bounded_product(b->near[n].pair, s, a, i, c, j);
                    if (s->first[c] + j == row) own = b->value[at];
                    at++;
                }
            }
            b->offset[row] = -r[row];
            b->compliance[row] = br_bounded_compliance(s, a, i, own);
            b->law[row] = br_bounded_law(g, row);
        }
    }
}

br_solver_def br_bounded_solver(const br_sim *sim) {
    br_solver_def def = br_default_solver_def();
    def.allocator = &sim->allocator;
    def.tol = sim->model->settings.solver.tol;
    def.tol_enough = BR_EPS_USABLE;
    def.max_iterations = sim->model->settings.solver.max_iterations;
    return def;
}

br_status br_bounded_create(br_sim *sim, br_error *error) {
    struct br_bounded *b = BR_TAKE(&sim->arena, struct br_bounded, 1);
    if (!b) return br_no_memory(error, "no memory for bounded rows");
    for (int g = 0; g < sim->groups; g++) b->rows += sim->group[g].rows;
    if (sim->limits_apart) return br_pressed_create(sim, b, error);
    b->all.groups = sim->groups;
    b->all.group = BR_TAKE(&sim->arena, br_group *, sim->groups);
    b->all.first = BR_TAKE(&sim->arena, int, sim->groups);
    if (!br_arena_ok(&sim->arena)) return br_no_memory(error, "no memory for bounded rows");
    for (int g = 0; g < sim->groups; g++) b->all.group[g] = &sim->group[g];
    br_status status = br_system_shape(sim, &b->all, error);
    if (status != BR_OK) return status;
    if (build_pattern(sim, b) != BR_OK) return br_no_memory(error, "no memory for bounded rows");
    for (int g = 0; g < b->all.groups; g++)
        for (int i = 0; i < b->all.group[g]->rows; i++)
            b->law[b->all.first[g] + i] = br_bounded_law(b->all.group[g], b->all.first[g] + i);
    b->problem = (br_problem){.form = BR_FORM_MATRIX,
                              .matrix = {b->row_start, b->column, b->value},
                              .rows = b->all.rows,
                              .laws = b->all.rows,
                              .law = b->law,
                              .offset = b->offset,
                              .compliance = b->compliance};
    for (int k = 0; k < b->all.rows; k++)
        for (int e = b->row_start[k]; e < b->row_start[k + 1]; e++)
            b->value[e] = b->column[e] == k ? 1.0 : 0.0;
    const br_solver_def def = br_bounded_solver(sim);
    status = br_solver_create(&def, &b->solver, error);
    if (status != BR_OK) return status;
    sim->bounded = b;
    return br_solver_setup(b->solver, &b->problem, error);
}

br_system *br_bounded_system(br_sim *sim) {
    return &sim->bounded->all;
}

// The first row of joint friction where nothing else is bounded; else NULL.
static const br_group *only_rubs(const br_sim *sim) {
    const br_group *first = NULL;
    for (int g = 0; g < sim->groups; g++) {
        if (sim->group[g].bound == BR_BOUND_FREE) continue;
        if (sim->group[g].kind->book != BR_BOOK_FRICTION) return NULL;
        if (!first) first = &sim->group[g];
    }
    return first;
}

br_status br_bounded_judge(br_sim *sim, const br_solve_report *report, br_error *error) {
    sim->ledger->iterations += report->iterations;
    sim->ledger->residual = fmax(sim->ledger->residual, report->residual);
    // Rows that ask for more than any force can give (a limit against a prescribed motion) end here.
    if (report->outcome == BR_CONVERGED || report->residual < BR_EPS_USABLE) return BR_OK;
    const br_group *rub = only_rubs(sim);
    if (rub)
        return br_fail(
            error, BR_NUMERICAL, "bounded-rows",
            "t = %.9g s: the friction of joints ('%s' is the first) has no common solution with loops "
            "and prescribed motions (%s, residual %.3g): a smaller solver.step or less friction may help",
            sim->t_eval, br_group_name(sim, rub), br_outcome_name(report->outcome), report->residual);
    return br_fail(
        error, BR_NUMERICAL, "bounded-rows",
        "t = %.9g s: limits and motors have no common solution (%s, residual %.3g): does a prescribed "
        "motion or a loop push a joint past its limit?",
        sim->t_eval, br_outcome_name(report->outcome), report->residual);
}

br_status br_bounded_solve(br_sim *sim, const double *r, double *force, br_error *error) {
    struct br_bounded *b = sim->bounded;
    fill_values(b, r);
    br_solution solution = {.p = b->force, .w = b->w, .warm = sim->state.at->bounds_known};
    br_solve_report report;
    br_status status = br_solver_solve(b->solver, &b->problem, &solution, &report, error);
    if (status != BR_OK) return status;
    sim->state.at->bounds_known = 1;
    status = br_bounded_judge(sim, &report, error);
    if (status == BR_OK) memcpy(force, b->force, (size_t)b->all.rows * sizeof *force);
    return status;
}

// --- readers -----------------------------------------------------------------------------------------------

void br_bounded_set_aside(br_sim *sim) {
    struct br_bounded *b = sim->bounded;
    b->aside_known = sim->state.at->bounds_known;
    memcpy(b->aside, b->force, (size_t)b->rows * sizeof *b->aside);
}

void br_bounded_take_up(br_sim *sim) {
    struct br_bounded *b = sim->bounded;
    sim->state.at->bounds_known = b->aside_known;
    memcpy(b->force, b->aside, (size_t)b->rows * sizeof *b->force);
}
