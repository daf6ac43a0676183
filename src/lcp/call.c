#include "lcp/call.h"

#include <stdint.h>

#include "base/error.h"

br_status br_lcp_call_missing(const char *call, const char *name, br_error *error) {
    return br_fail(error, BR_INVALID, "solver-argument", "%s: %s is NULL", call, name);
}

// -------------------------------------------------------------------------------------------------------- pattern

static const char *call_difference(const br_lcp_pattern *known, const br_problem *problem, int trusted) {
    return trusted ? br_lcp_pattern_size_difference(known, problem)
                   : br_lcp_pattern_difference(known, problem);
}

br_status br_lcp_call_pattern(const br_lcp_pattern *known, const br_problem *problem, int trusted,
                              br_error *error) {
    const char *difference = call_difference(known, problem, trusted);
    if (!difference) return BR_OK;
    const int nodes = problem->form == BR_FORM_VELOCITY ? problem->velocity.nodes : 0;
    if (problem->rows != known->rows || problem->laws != known->laws || nodes != known->nodes)
        return br_fail(error, BR_INVALID, "solver-setup",
                       "the solver is set up for %d rows, %d laws and %d nodes, not for %d, %d and %d: call "
                       "br_solver_setup again",
                       known->rows, known->laws, known->nodes, problem->rows, problem->laws, nodes);
    return br_fail(error, BR_INVALID, "solver-setup",
                   "the %s differ from those that the solver is set up for: call br_solver_setup again",
                   difference);
}

// -------------------------------------------------------------------------------------------------------- overlap

typedef struct call_array {
    const char *name;
    const double *at;
    size_t count;
} call_array;

static int call_overlap(const call_array *a, const call_array *b) {
    const uintptr_t x = (uintptr_t)a->at, y = (uintptr_t)b->at;
    return a->at && b->at && x < y + b->count * sizeof(double) && y < x + a->count * sizeof(double) &&
           a->count > 0 && b->count > 0;
}

br_status br_lcp_call_apart(const br_lcp_pattern *known, const br_problem *problem, const double *p,
                            const double *w, const double *v, br_error *error) {
    const size_t rows = (size_t)known->rows;
    const int moves = known->form == BR_FORM_VELOCITY;
    const size_t scalars = moves ? known->scalars : 0;
    const br_velocity_form *f = &problem->velocity;
    const call_array all[] = {
        {"p", p, rows},
        {"w", w, rows},
        {"v", moves ? v : NULL, scalars}, // above: written, below: read
        {"offset", problem->offset, rows},
        {"compliance", problem->compliance, rows},
        {"momentum", moves ? f->momentum : NULL, scalars},
        {"mass", moves ? f->mass : NULL, known->mass_count},
        {"jacobian", moves ? f->jacobian : NULL, known->jacobian_count},
        {"value", moves ? NULL : problem->matrix.value, moves ? 0 : (size_t)known->row_start[rows]},
    };
    enum { WRITTEN = 3, ARRAYS = sizeof all / sizeof *all };
    for (int a = 0; a < WRITTEN; a++)
        for (int b = a + 1; b < ARRAYS; b++)
            if (call_overlap(&all[a], &all[b]))
                return br_fail(error, BR_INVALID, "solver-argument",
                               "%s and %s lie in each other: give each an array of its own", all[a].name,
                               all[b].name);
    return BR_OK;
}
