// The complementarity problem over the rows of closed contacts, in velocities (impacts) or accelerations (modes). It is
// small, dense and asked for at events only, so a solver is made for each.
#include <string.h>

#include "base/error.h"
#include "sim/stepper/reference/contact.h"

#define BR_CONE_TOL 1e-13

typedef struct cone_memory {
    int *start, *column;
    double *value, *offset;
    br_law *law;
} cone_memory;

static void give(const br_sim *sim, cone_memory *m) {
    if (m->start) br_sim_give(sim, m->start);
    if (m->column) br_sim_give(sim, m->column);
    if (m->value) br_sim_give(sim, m->value);
    if (m->offset) br_sim_give(sim, m->offset);
    if (m->law) br_sim_give(sim, m->law);
}

static int take(const br_sim *sim, int rows, cone_memory *m) {
    const size_t n = (size_t)rows;
    m->start = br_sim_take(sim, (n + 1) * sizeof *m->start);
    m->column = br_sim_take(sim, n * n * sizeof *m->column);
    m->value = br_sim_take(sim, n * n * sizeof *m->value);
    m->offset = br_sim_take(sim, n * sizeof *m->offset);
    m->law = br_sim_take(sim, n * sizeof *m->law);
    return m->start && m->column && m->value && m->offset && m->law;
}

// A compliant normal's force is known: its row says so and is coupled to nobody.
static void fill_matrix(const br_reference_contact *c, cone_memory *m) {
    const int n = c->rows;
    for (int i = 0; i < n; i++) {
        const br_hold *h = &c->hold[c->row[i].hold];
        const int known = !h->rigid && c->row[i].normal;
        m->start[i] = i * n;
        m->offset[i] = known ? -h->f_n : c->b[i];
        for (int j = 0; j < n; j++) {
            const int known_j = !c->hold[c->row[j].hold].rigid && c->row[j].normal;
            m->column[i * n + j] = j;
            m->value[i * n + j] = known || known_j ? (i == j ? 1.0 : 0.0) : c->W[i * n + j];
        }
    }
    m->start[n] = n * n;
}

static int fill_laws(const br_reference_contact *c, cone_memory *m) {
    int laws = 0;
    for (int i = 0; i < c->rows;) {
        br_law law = {.kind = BR_LAW_UNILATERAL, .first_row = i, .rows = 1};
        const int hold = c->row[i].hold;
        while (i + law.rows < c->rows && c->row[i + law.rows].hold == hold) law.rows++;
        if (law.rows > 1) law.kind = BR_LAW_CONE, law.friction_coefficient = c->mu[hold];
        i += law.rows;
        m->law[laws++] = law;
    }
    return laws;
}

static br_status solve(br_reference *r, const br_problem *problem, br_outcome *outcome, br_error *error) {
    br_reference_contact *c = r->contact;
    br_solver *solver = NULL;
    br_solver_def def = br_default_solver_def();
    br_solve_report report;
    br_solution solution = {.p = c->x, .w = c->w};
    def.tol = BR_CONE_TOL;
    def.allocator = &r->sim->allocator;
    br_status status = br_solver_create(&def, &solver, error);
    if (status == BR_OK) status = br_solver_setup(solver, problem, error);
    if (status == BR_OK) status = br_solver_solve(solver, problem, &solution, &report, error);
    if (status == BR_OK) {
        *outcome = report.outcome;
        if (report.residual <= BR_EPS_HYSTERESIS) *outcome = BR_CONVERGED;
    }
    br_solver_destroy(solver);
    return status;
}

br_status br_holds_cone(br_reference *r, br_outcome *outcome, br_error *error) {
    br_reference_contact *c = r->contact;
    *outcome = BR_CONVERGED;
    if (c->rows == 0) return BR_OK;
    cone_memory m = {0};
    br_status status = BR_OK;
    if (take(r->sim, c->rows, &m)) {
        fill_matrix(c, &m);
        const br_problem problem = {.form = BR_FORM_MATRIX,
                                    .matrix = {m.start, m.column, m.value},
                                    .rows = c->rows,
                                    .laws = fill_laws(c, &m),
                                    .law = m.law,
                                    .offset = m.offset};
        status = solve(r, &problem, outcome, error);
    } else {
        status = br_reference_no_memory(error);
    }
    give(r->sim, &m);
    return status;
}
