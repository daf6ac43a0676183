// The complementarity problem over the rows of closed contacts, in velocities (impacts) or accelerations (modes). It is
// small, dense and asked for at events only, so a solver is made for each.
#include <string.h>

#include "base/error.h"
#include "sim/stepper/reference/contact.h"

#define BR_CONE_TOL 1e-13

typedef struct cone_memory {
    int *start, *column;
    double *value, *offset, *p, *w;
    br_law *law;
} cone_memory;

static void give(const br_sim *sim, cone_memory *m) {
    void *all[] = {m->start, m->column, m->value, m->offset, m->p, m->w, m->law};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (all[k]) br_sim_give(sim, all[k]);
}

static int take(const br_sim *sim, int rows, cone_memory *m) {
    const size_t n = (size_t)rows;
    m->start = br_sim_take(sim, (n + 1) * sizeof *m->start);
    m->column = br_sim_take(sim, n * n * sizeof *m->column);
    m->value = br_sim_take(sim, n * n * sizeof *m->value);
    m->offset = br_sim_take(sim, n * sizeof *m->offset);
    m->p = br_sim_take(sim, n * sizeof *m->p);
    m->w = br_sim_take(sim, n * sizeof *m->w);
    m->law = br_sim_take(sim, n * sizeof *m->law);
    return m->start && m->column && m->value && m->offset && m->p && m->w && m->law;
}

// A compliant normal's force is known: its row says so and is coupled to nobody. What is `given` acts on the others.
static int is_known(const br_reference_contact *c, int row) {
    return !c->hold[c->row[row].hold].rigid && c->row[row].normal;
}

static double entry(const br_reference_contact *c, int i, int j) {
    const br_rub_rows *e = c->rubs;
    const int n = c->rows;
    if (i < n && (is_known(c, i) || c->row[i].given)) return i == j ? 1.0 : 0.0;
    if (j < n && is_known(c, j)) return 0.0;
    if (i < n && i == j && !c->row[i].normal &&
        c->blow[c->row[i].hold] > 0.0) // v0/(mu p_n): less than v0, less friction
        return c->W[i * n + i] +
               c->hold[c->row[i].hold].v0 / (c->mu[c->row[i].hold] * c->blow[c->row[i].hold]);
    if (i < n) return j < n ? c->W[i * n + j] : e->by_rub[i * e->rows + j - n];
    return j < n ? e->by_hold[(i - n) * n + j] : e->W[(i - n) * e->rows + j - n];
}

static void fill_matrix(const br_reference_contact *c, int n, cone_memory *m) {
    for (int i = 0; i < n; i++) {
        m->start[i] = i * n;
        m->offset[i] = i >= c->rows     ? c->rubs->b[i - c->rows]
                       : is_known(c, i) ? -c->hold[c->row[i].hold].f_n
                                        : c->b[i];
        for (int j = 0; j < n; j++) {
            m->column[i * n + j] = j;
            m->value[i * n + j] = entry(c, i, j);
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
    for (int k = 0; c->rubs && k < c->rubs->rows; k++)
        m->law[laws++] = (br_law){.kind = BR_LAW_BOX,
                                  .first_row = c->rows + k,
                                  .rows = 1,
                                  .lower = c->rubs->lower[k],
                                  .upper = c->rubs->upper[k]};
    return laws;
}

static br_status solve(br_reference *r, const br_problem *problem, cone_memory *m, br_outcome *outcome,
                       br_error *error) {
    br_reference_contact *c = r->contact;
    br_solver *solver = NULL;
    br_solver_def def = br_default_solver_def();
    br_solve_report report;
    br_solution solution = {.p = m->p, .w = m->w};
    def.tol = BR_CONE_TOL;
    def.allocator = &r->sim->allocator;
    br_status status = br_solver_create(&def, &solver, error);
    if (status == BR_OK) status = br_solver_setup(solver, problem, error);
    if (status == BR_OK) status = br_solver_solve(solver, problem, &solution, &report, error);
    if (status == BR_OK) {
        *outcome = report.outcome;
        if (report.residual <= BR_EPS_HYSTERESIS) *outcome = BR_CONVERGED;
        memcpy(c->x, m->p, (size_t)c->rows * sizeof *c->x);
        memcpy(c->w, m->w, (size_t)c->rows * sizeof *c->w);
        for (int k = 0; c->rubs && k < c->rubs->rows; k++)
            c->rubs->x[k] = m->p[c->rows + k], c->rubs->w[k] = m->w[c->rows + k];
    }
    br_solver_destroy(solver);
    return status;
}

br_status br_holds_cone(br_reference *r, br_outcome *outcome, br_error *error) {
    br_reference_contact *c = r->contact;
    const int n = c->rows + (c->rubs ? c->rubs->rows : 0);
    *outcome = BR_CONVERGED;
    if (n == 0) return BR_OK;
    cone_memory m = {0};
    br_status status = BR_OK;
    if (take(r->sim, n, &m)) {
        fill_matrix(c, n, &m);
        const br_problem problem = {.form = BR_FORM_MATRIX,
                                    .matrix = {m.start, m.column, m.value},
                                    .rows = n,
                                    .laws = fill_laws(c, &m),
                                    .law = m.law,
                                    .offset = m.offset};
        status = solve(r, &problem, &m, outcome, error);
    } else {
        status = br_reference_no_memory(error);
    }
    give(r->sim, &m);
    return status;
}
