// Checking a problem, and the names of solvers and outcomes.
#include "bristle/solver.h"
#include "lcp/problem/problem.h"

#include "base/error.h"
#include "base/finite.h"
#include "lcp/problem/law.h"
#include "lcp/problem/pattern.h"

#include <math.h>
#include <string.h>

// BR_MAX_PROBLEM: rows, velocities and stored numbers of one problem stay below this, so that every index and every
// product of two small ones fits an int.
#define BR_MAX_PROBLEM (1 << 28)

static const char *const solver_names[BR_SOLVER_KINDS] = {"auto",         "newton",    "interior",
                                                          "gauss_seidel", "lemke",     "block_pivot",
                                                          "dantzig",      "enumerate", "accelerated"};
static const char *const outcome_names[BR_OUTCOMES] = {
    "converged", "max_iterations", "stalled", "singular", "infeasible", "ray", "rounding"};

const char *br_outcome_name(br_outcome outcome) {
    return (unsigned)outcome < BR_OUTCOMES ? outcome_names[outcome] : "unknown";
}

const char *br_solver_name(br_solver_kind kind) {
    return (unsigned)kind < BR_SOLVER_KINDS ? solver_names[kind] : "unknown";
}

br_solver_kind br_solver_from_name(const char *name) {
    int kind = name ? 0 : BR_SOLVER_KINDS;
    while (kind < BR_SOLVER_KINDS && strcmp(name, solver_names[kind]) != 0) kind++;
    return (br_solver_kind)kind;
}

// ------------------------------------------------------------------------------------------------------- laws

// The parts of a law that setup relies on ...
static br_status check_shape(const br_law *law, int i, br_error *error) {
    if (law->kind == BR_LAW_JOINT_FRICTION) {
        if (law->normal_rows < 1 || law->normal_rows >= law->rows || !law->bounds)
            return br_fail(
                error, BR_INVALID, "law-joint",
                "law %d: joint friction has %d normal rows of %d, expected 1 to %d and a bound for each "
                "of the others",
                i, law->normal_rows, law->rows, law->rows - 1);
    } else if (br_lcp_law_is_friction(law->kind) && law->rows != 2 && law->rows != 3) {
        return br_fail(error, BR_INVALID, "law-rows",
                       "law %d: a contact has %d rows, expected 2 (planar) or 3", i, law->rows);
    }
    if (law->kind == BR_LAW_POLYGON &&
        (law->sides < 4 || law->sides > BR_MAX_POLYGON_SIDES || law->sides % 2))
        return br_fail(error, BR_INVALID, "law-sides",
                       "law %d: polygon has %d sides, expected an even number, 4 to %d", i, law->sides,
                       BR_MAX_POLYGON_SIDES);
    return BR_OK;
}

// ... and those that may change from one solve to the next.
static br_status check_joint_values(const br_law *law, int i, br_error *error) {
    for (int k = 0; k < law->rows - law->normal_rows; k++) {
        const br_joint_bound *b = &law->bounds[k];
        if (!(b->preload >= 0.0) || !isfinite(b->preload) || b->terms < 0 || b->terms > BR_MAX_BOUND_TERMS)
            return br_fail(
                error, BR_INVALID, "law-joint",
                "law %d, friction row %d: preload %g with %d terms, expected a finite preload >= 0 and at "
                "most %d terms",
                i, k, b->preload, b->terms, BR_MAX_BOUND_TERMS);
        for (int t = 0; t < b->terms; t++)
            if (!(b->coefficient[t] >= 0.0) || !isfinite(b->coefficient[t]) || b->rows[t] >> law->normal_rows)
                return br_fail(
                    error, BR_INVALID, "law-joint",
                    "law %d, friction row %d, term %d: coefficient %g over row mask %#x, expected >= 0 over "
                    "the first %d rows",
                    i, k, t, b->coefficient[t], b->rows[t], law->normal_rows);
    }
    return BR_OK;
}

static br_status check_law_values(const br_law *law, int i, br_error *error) {
    if (law->kind == BR_LAW_BOX &&
        !(law->lower <= law->upper && law->lower < INFINITY && law->upper > -INFINITY))
        return br_fail(error, BR_INVALID, "law-bounds", "law %d: lower bound %g above upper bound %g", i,
                       law->lower, law->upper);
    if (law->kind == BR_LAW_JOINT_FRICTION) return check_joint_values(law, i, error);
    if (br_lcp_law_is_friction(law->kind) &&
        (!(law->friction_coefficient >= 0.0) || !isfinite(law->friction_coefficient)))
        return br_fail(error, BR_INVALID, "law-mu",
                       "law %d: friction coefficient is %g, expected a finite number >= 0", i,
                       law->friction_coefficient);
    return BR_OK;
}

static br_status check_laws(const br_problem *problem, br_error *error) {
    int row = 0;
    for (int i = 0; i < problem->laws; i++) {
        const br_law *law = &problem->law[i];
        if ((unsigned)law->kind >= BR_LAW_KINDS)
            return br_fail(error, BR_INVALID, "law-kind", "law %d: kind %d is not a law", i, (int)law->kind);
        if (law->rows < 1 || law->rows > BR_MAX_LAW_ROWS)
            return br_fail(error, BR_INVALID, "law-rows", "law %d: %d rows, expected 1 to %d", i, law->rows,
                           BR_MAX_LAW_ROWS);
        if (law->first_row != row)
            return br_fail(error, BR_INVALID, "law-order",
                           "law %d: starts at row %d, expected %d (laws in row order, without gaps)", i,
                           law->first_row, row);
        row += law->rows;
        const br_status status = check_shape(law, i, error);
        if (status) return status;
    }
    if (row != problem->rows)
        return br_fail(error, BR_INVALID, "law-order", "the laws cover %d rows of %d", row, problem->rows);
    return BR_OK;
}

// ------------------------------------------------------------------------------------------------------ forms

static br_status check_finite(const char *what, long n, const double *x, br_error *error) {
    if (br_all_finite(n, x)) return BR_OK;
    long i = 0;
    while (isfinite(x[i])) i++;
    return br_fail(error, BR_INVALID, "problem-not-finite", "%s entry %ld is %g, expected a finite number",
                   what, i, x[i]);
}

static br_status check_start(const char *what, int n, const int *start, br_error *error) {
    if (start[0] != 0)
        return br_fail(error, BR_INVALID, "problem-index", "%s starts at %d, expected 0", what, start[0]);
    for (int i = 0; i < n; i++)
        if (start[i + 1] < start[i])
            return br_fail(error, BR_INVALID, "problem-index", "%s falls from %d to %d at %d", what, start[i],
                           start[i + 1], i);
    return BR_OK;
}

static br_status too_large(const char *what, long size, br_error *error) {
    return br_fail(error, BR_TOO_LARGE, "problem-too-large", "%s would hold %ld numbers, the limit is %d",
                   what, size, BR_MAX_PROBLEM);
}

static br_status check_mass(const br_velocity_form *form, long *scalars, br_error *error) {
    br_status status = check_start("mass_start", form->nodes, form->mass_start, error);
    if (status) return status;
    long size = 0;
    for (int i = 0; i < form->nodes; i++) {
        const int from = form->mass_start[i], to = form->mass_start[i + 1];
        if (form->node_dim[i] < 1)
            return br_fail(error, BR_INVALID, "problem-node",
                           "node %d has %d velocities, expected at least 1", i, form->node_dim[i]);
        *scalars += form->node_dim[i];
        if (to == from || form->mass_node[to - 1] != i)
            return br_fail(error, BR_INVALID, "problem-mass",
                           "node %d: its diagonal mass block is missing or not last", i);
        for (int e = from; e < to; e++) {
            if (form->mass_node[e] < 0 || form->mass_node[e] > i ||
                (e > from && form->mass_node[e] <= form->mass_node[e - 1]))
                return br_fail(error, BR_INVALID, "problem-index",
                               "mass block %d: column %d in row %d, expected rising "
                               "columns of the lower triangle",
                               e, form->mass_node[e], i);
            size += (long)form->node_dim[i] * form->node_dim[form->mass_node[e]];
        }
        if (size > BR_MAX_PROBLEM) return too_large("the mass matrix", size, error);
    }
    return BR_OK;
}

static br_status check_jacobian(const br_problem *problem, br_error *error) {
    const br_velocity_form *form = &problem->velocity;
    br_status status = check_start("jacobian_start", problem->laws, form->jacobian_start, error);
    if (status) return status;
    long size = 0, couples = 0;
    for (int i = 0; i < problem->laws; i++) {
        const int from = form->jacobian_start[i], to = form->jacobian_start[i + 1];
        couples += (long)(to - from) * (to - from);
        for (int e = from; e < to; e++) {
            const int node = form->jacobian_node[e];
            if (node < 0 || node >= form->nodes)
                return br_fail(error, BR_INVALID, "problem-index", "law %d touches node %d, expected 0 to %d",
                               i, node, form->nodes - 1);
            for (int other = from; other < e; other++)
                if (form->jacobian_node[other] == node)
                    return br_fail(error, BR_INVALID, "problem-index", "law %d names node %d twice", i, node);
            size += (long)problem->law[i].rows * form->node_dim[node];
        }
        if (size > BR_MAX_PROBLEM) return too_large("the Jacobian", size, error);
        if (couples > BR_MAX_PROBLEM) return too_large("the graph of laws", couples, error);
    }
    return BR_OK;
}

static br_status check_velocity(const br_problem *problem, br_error *error) {
    const br_velocity_form *form = &problem->velocity;
    if (form->nodes < 0 || (form->nodes == 0 && problem->laws > 0))
        return br_fail(error, BR_INVALID, "problem-node",
                       "velocity form with %d nodes and %d laws, expected at least "
                       "one node",
                       form->nodes, problem->laws);
    if (!form->node_dim || !form->mass_start || !form->mass_node || !form->mass || !form->momentum ||
        !form->jacobian_start || (problem->laws > 0 && (!form->jacobian_node || !form->jacobian)))
        return br_fail(error, BR_INVALID, "problem-missing", "velocity form with an array left out");
    long scalars = 0;
    const br_status status = check_mass(form, &scalars, error);
    return status ? status : check_jacobian(problem, error);
}

static br_status check_matrix(const br_problem *problem, br_error *error) {
    const br_matrix_form *form = &problem->matrix;
    if (!form->row_start ||
        (problem->rows > 0 && form->row_start[problem->rows] > 0 && (!form->column || !form->value)))
        return br_fail(error, BR_INVALID, "problem-missing", "matrix form with an array left out");
    const br_status status = check_start("row_start", problem->rows, form->row_start, error);
    if (status) return status;
    for (int i = 0; i < problem->rows; i++)
        for (int e = form->row_start[i]; e < form->row_start[i + 1]; e++) {
            if (form->column[e] < 0 || form->column[e] >= problem->rows)
                return br_fail(error, BR_INVALID, "problem-index", "row %d: column %d, expected 0 to %d", i,
                               form->column[e], problem->rows - 1);
            if (e > form->row_start[i] && form->column[e] <= form->column[e - 1])
                return br_fail(error, BR_INVALID, "problem-index",
                               "row %d: column %d after %d, expected rising columns", i, form->column[e],
                               form->column[e - 1]);
        }
    return BR_OK;
}

br_status br_lcp_problem_check_pattern(const br_problem *problem, br_error *error) {
    if (problem->rows < 0 || problem->laws < 0 || problem->rows > BR_MAX_PROBLEM ||
        problem->laws > problem->rows)
        return br_fail(error, BR_INVALID, "problem-size",
                       "%d rows and %d laws, expected 0 <= laws <= rows <= %d", problem->rows, problem->laws,
                       BR_MAX_PROBLEM);
    if (problem->rows > 0 && (!problem->law || !problem->offset))
        return br_fail(error, BR_INVALID, "problem-missing", "laws or offset left out");
    const br_status status = check_laws(problem, error);
    if (status) return status;
    if (problem->form == BR_FORM_VELOCITY) return check_velocity(problem, error);
    if (problem->form == BR_FORM_MATRIX) return check_matrix(problem, error);
    return br_fail(error, BR_INVALID, "problem-form", "form %d is neither velocity nor matrix",
                   (int)problem->form);
}

static br_status check_velocity_values(const br_problem *problem, br_error *error) {
    const br_velocity_form *form = &problem->velocity;
    long scalars = 0, mass = 0, jacobian = 0;
    for (int i = 0; i < form->nodes; i++) {
        scalars += form->node_dim[i];
        for (int e = form->mass_start[i]; e < form->mass_start[i + 1]; e++)
            mass += (long)form->node_dim[i] * form->node_dim[form->mass_node[e]];
    }
    for (int i = 0; i < problem->laws; i++)
        for (int e = form->jacobian_start[i]; e < form->jacobian_start[i + 1]; e++)
            jacobian += (long)problem->law[i].rows * form->node_dim[form->jacobian_node[e]];
    br_status status = check_finite("mass", mass, form->mass, error);
    if (!status) status = check_finite("momentum", scalars, form->momentum, error);
    return status ? status : check_finite("jacobian", jacobian, form->jacobian, error);
}

br_status br_lcp_problem_check_values(const br_problem *problem, br_error *error) {
    br_status status = check_finite("offset", problem->rows, problem->offset, error);
    for (int i = 0; !status && i < problem->laws; i++) status = check_law_values(&problem->law[i], i, error);
    if (!status && problem->compliance) {
        status = check_finite("compliance", problem->rows, problem->compliance, error);
        for (int i = 0; !status && i < problem->rows; i++)
            if (problem->compliance[i] < 0.0)
                status = br_fail(error, BR_INVALID, "problem-compliance",
                                 "compliance of row %d is %g, expected >= 0", i, problem->compliance[i]);
    }
    if (status) return status;
    if (problem->form == BR_FORM_VELOCITY) return check_velocity_values(problem, error);
    return check_finite("matrix", problem->matrix.row_start[problem->rows], problem->matrix.value, error);
}

br_status br_problem_check(const br_problem *problem, br_error *error) {
    if (!problem) return br_fail(error, BR_INVALID, "problem-missing", "the problem is NULL");
    const br_status status = br_lcp_problem_check_pattern(problem, error);
    return status ? status : br_lcp_problem_check_values(problem, error);
}
