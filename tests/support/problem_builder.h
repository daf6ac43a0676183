// Small problems, put together piece by piece:
//
//     builder *b = builder_new();
//     const int node = builder_body(b, 2.0, 0.1, velocity);   // mass, inertia, six velocities: linear, then angular
//     builder_contact(b, builder_cone(0.5), node, arm);        // on a plane with normal z
//     const br_problem problem = builder_problem(b);           // borrows b
//
// builder_matrix gives the same problem in matrix form, W by a factorization that is not the library's.
#ifndef PROBLEM_BUILDER_H
#define PROBLEM_BUILDER_H

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "bristle/math.h"
#include "bristle/solver.h"
#include "judge.h"

enum {
    BUILDER_NODES = 64,
    BUILDER_LAWS = 256,
    BUILDER_ROWS = 768,
    BUILDER_ENTRIES = 512,
    BUILDER_NUMBERS = 16384
};

typedef struct builder {
    int nodes, scalars, mass_blocks, mass_size, laws, rows, entries, jacobian_size, compliant;
    int node_dim[BUILDER_NODES], node_first[BUILDER_NODES + 1];
    int mass_start[BUILDER_NODES + 1], mass_node[2 * BUILDER_NODES];
    double mass[BUILDER_NUMBERS], momentum[6 * BUILDER_NODES];
    int jacobian_start[BUILDER_LAWS + 1], jacobian_node[BUILDER_ENTRIES];
    double jacobian[BUILDER_NUMBERS];
    br_law law[BUILDER_LAWS];
    double offset[BUILDER_ROWS], compliance[BUILDER_ROWS];
    int *row_start, *column; // of builder_matrix
    double *value, *q;
} builder;

static inline builder *builder_new(void) {
    return (builder *)calloc(1, sizeof(builder));
}

static inline void builder_free(builder *b) {
    free(b->row_start);
    free(b->column);
    free(b->value);
    free(b->q);
    free(b);
}

// -------------------------------------------------------------------------------------------------------- nodes

// A node with its own mass block and, when other >= 0, a block that couples it to an earlier node (dim x dim_other).
static inline int builder_coupled_node(builder *b, int dim, const double *mass, int other,
                                       const double *coupling) {
    const int i = b->nodes++;
    assert(b->nodes <= BUILDER_NODES);
    b->node_dim[i] = dim;
    if (other >= 0) {
        const int size = dim * b->node_dim[other];
        memcpy(b->mass + b->mass_size, coupling, (size_t)size * sizeof *b->mass);
        b->mass_size += size;
        b->mass_node[b->mass_blocks++] = other;
    }
    memcpy(b->mass + b->mass_size, mass, (size_t)(dim * dim) * sizeof *b->mass);
    b->mass_size += dim * dim;
    b->mass_node[b->mass_blocks++] = i;
    b->mass_start[i + 1] = b->mass_blocks;
    b->node_first[i] = b->scalars;
    b->scalars += dim;
    b->node_first[i + 1] = b->scalars;
    assert(b->mass_size <= BUILDER_NUMBERS);
    return i;
}

// A node with a diagonal mass matrix and free velocity v*.
static inline int builder_node(builder *b, int dim, const double *diagonal, const double *velocity) {
    double mass[36] = {0};
    for (int k = 0; k < dim; k++) mass[k * dim + k] = diagonal[k];
    const int i = builder_coupled_node(b, dim, mass, -1, NULL);
    for (int k = 0; k < dim; k++)
        b->momentum[b->node_first[i] + k] = velocity ? diagonal[k] * velocity[k] : 0;
    return i;
}

static inline int builder_body(builder *b, double mass, double inertia, const double *velocity) {
    const double diagonal[6] = {mass, mass, mass, inertia, inertia, inertia};
    return builder_node(b, 6, diagonal, velocity);
}

// A particle: as many velocities as directions.
static inline int builder_particle(builder *b, int dim, double mass, const double *velocity) {
    const double diagonal[6] = {mass, mass, mass, mass, mass, mass};
    return builder_node(b, dim, diagonal, velocity);
}

// --------------------------------------------------------------------------------------------------------- laws

static inline br_law builder_cone(double mu) {
    const br_law law = {.kind = BR_LAW_CONE, .rows = 3, .friction_coefficient = mu};
    return law;
}
static inline br_law builder_polygon(double mu, int sides) {
    const br_law law = {.kind = BR_LAW_POLYGON, .rows = 3, .friction_coefficient = mu, .sides = sides};
    return law;
}
static inline br_law builder_box_friction(double mu) {
    const br_law law = {.kind = BR_LAW_BOX_FRICTION, .rows = 3, .friction_coefficient = mu};
    return law;
}
static inline br_law builder_rows(br_law_kind kind, int rows) { // equality, unilateral
    const br_law law = {.kind = kind, .rows = rows};
    return law;
}
static inline br_law builder_bounds(int rows, double lower, double upper) {
    const br_law law = {.kind = BR_LAW_BOX, .rows = rows, .lower = lower, .upper = upper};
    return law;
}

// Appends a law that touches nothing yet; returns its first row.
static inline int builder_law(builder *b, br_law law) {
    law.first_row = b->rows;
    b->law[b->laws++] = law;
    b->rows += law.rows;
    b->jacobian_start[b->laws] = b->entries;
    assert(b->laws <= BUILDER_LAWS && b->rows <= BUILDER_ROWS);
    return law.first_row;
}

// The last law's rows on a node, rows x dim.
static inline void builder_entry(builder *b, int node, const double *jacobian) {
    const int size = b->law[b->laws - 1].rows * b->node_dim[node];
    memcpy(b->jacobian + b->jacobian_size, jacobian, (size_t)size * sizeof *jacobian);
    b->jacobian_size += size;
    b->jacobian_node[b->entries++] = node;
    b->jacobian_start[b->laws] = b->entries;
    assert(b->entries <= BUILDER_ENTRIES && b->jacobian_size <= BUILDER_NUMBERS);
}

static inline void builder_compliance(builder *b, int row, double compliance) {
    b->compliance[row] = compliance;
    b->compliant = 1;
}

// Rows (n, t1, t2) = (z, x, y) turned by `angle` about z, at `arm` from the body's centre; sign -1 for the other body.
static inline void builder_contact_entry(builder *b, int node, br_vec3 arm, double angle, double sign) {
    const double c = cos(angle), s = sin(angle);
    const br_vec3 axis[3] = {br_vec3_of(0, 0, 1), br_vec3_of(c, s, 0), br_vec3_of(-s, c, 0)};
    double J[18];
    for (int r = 0; r < 3; r++) {
        const br_vec3 m = br_vec3_cross(arm, axis[r]);
        const double row[6] = {axis[r].x, axis[r].y, axis[r].z, m.x, m.y, m.z};
        for (int k = 0; k < 6; k++) J[6 * r + k] = sign * row[k];
    }
    builder_entry(b, node, J);
}

static inline int builder_contact(builder *b, br_law law, int node, br_vec3 arm) {
    const int row = builder_law(b, law);
    builder_contact_entry(b, node, arm, 0, 1);
    return row;
}

// A cube of the given mass and side, flat on the plane: four contacts. Velocity: linear, then angular.
static inline int builder_cube(builder *b, br_law law, double mass, double side, const double *velocity) {
    const int node = builder_body(b, mass, mass * side * side / 6, velocity);
    for (int k = 0; k < 4; k++)
        builder_contact(b, law, node,
                        br_vec3_of(k & 1 ? side / 2 : -side / 2, k & 2 ? side / 2 : -side / 2, -side / 2));
    return node;
}

// A cube on top of another one, four contacts between them.
static inline int builder_cube_on(builder *b, br_law law, int below, double mass, double side,
                                  const double *velocity) {
    const int node = builder_body(b, mass, mass * side * side / 6, velocity);
    for (int k = 0; k < 4; k++) {
        const double x = k & 1 ? side / 2 : -side / 2, y = k & 2 ? side / 2 : -side / 2;
        builder_law(b, law);
        builder_contact_entry(b, below, br_vec3_of(x, y, side / 2), 0, -1);
        builder_contact_entry(b, node, br_vec3_of(x, y, -side / 2), 0, 1);
    }
    return node;
}

// A particle in space or in a plane on a plane: rows n, t1[, t2] are its own velocities (z, x, y) or (y, x).
static inline int builder_particle_contact(builder *b, br_law law, double mass, const double *velocity) {
    static const double space[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0}, plane[4] = {0, 1, 1, 0};
    const int node = builder_particle(b, law.rows, mass, velocity);
    const int row = builder_law(b, law);
    builder_entry(b, node, law.rows == 3 ? space : plane);
    return row;
}

// ----------------------------------------------------------------------------------------------------- problems

static inline br_problem builder_problem(const builder *b) {
    const br_problem problem = {
        .form = BR_FORM_VELOCITY,
        .velocity = {b->nodes, b->node_dim, b->mass_start, b->mass_node, b->mass, b->momentum,
                     b->jacobian_start, b->jacobian_node, b->jacobian},
        .rows = b->rows,
        .laws = b->laws,
        .law = b->law,
        .offset = b->offset,
        .compliance = b->compliant ? b->compliance : NULL,
    };
    return problem;
}

// The same in matrix form: W = J M^-1 J^T, every entry that is not zero, q = J M^-1 f + b.
static inline br_problem builder_matrix(builder *b) {
    br_problem problem = builder_problem(b);
    const size_t n = (size_t)b->rows;
    judge_mass m = judge_factor(&problem.velocity);
    double *W = (double *)calloc(n * n + 1, sizeof(double)), *zero = (double *)calloc(n + 1, sizeof(double));
    double *v = (double *)calloc((size_t)m.n + 1, sizeof(double)),
           *w = (double *)calloc(n + 1, sizeof(double));
    b->row_start = (int *)calloc(n + 1, sizeof(int));
    b->column = (int *)calloc(n * n + 1, sizeof(int));
    b->value = (double *)calloc(n * n + 1, sizeof(double));
    b->q = (double *)calloc(n + 1, sizeof(double));
    for (size_t j = 0; j < n; j++) {
        memset(v, 0, (size_t)m.n * sizeof *v);
        zero[j] = 1;
        judge_jacobian(&problem, m.first, zero, v, 1);
        zero[j] = 0;
        judge_solve(&m, v);
        judge_jacobian(&problem, m.first, v, w, 0);
        for (size_t i = 0; i < n; i++) W[i * n + j] = w[i] - b->offset[i];
    }
    problem.compliance = NULL;
    judge_w(&problem, &m, zero, b->q);
    for (size_t i = 0; i < n; i++) {
        int count = b->row_start[i];
        for (size_t j = 0; j < n; j++)
            if (W[i * n + j] != 0) b->column[count] = (int)j, b->value[count++] = W[i * n + j];
        b->row_start[i + 1] = count;
    }
    free(W);
    free(zero);
    free(v);
    free(w);
    free(m.L);
    free(m.first);
    const br_problem matrix = {
        .form = BR_FORM_MATRIX,
        .matrix = {b->row_start, b->column, b->value},
        .rows = b->rows,
        .laws = b->laws,
        .law = b->law,
        .offset = b->q,
        .compliance = b->compliant ? b->compliance : NULL,
    };
    return matrix;
}

// ------------------------------------------------------------------------------------------------------ solving

// An answer with room for any problem of the builder.
typedef struct solved {
    br_status status;
    br_error error;
    br_solve_report report;
    double p[BUILDER_ROWS], w[BUILDER_ROWS], v[6 * BUILDER_NODES];
} solved;

// Impulses a million times the load hide its last digits behind their own, whatever the method: then the outcome says so.
static inline int builder_is_solved(const br_solve_report *report, double tol) {
    return report->outcome == BR_CONVERGED || (report->outcome == BR_ROUNDING && report->residual <= tol);
}

// By a solver made for the call. A zero tolerance means 1e-12.
static inline void builder_solve(const br_problem *problem, br_solver_kind kind, double tol, solved *a) {
    br_solver_def def = br_default_solver_def();
    br_solver *solver = NULL;
    def.kind = kind;
    def.tol = tol > 0 ? tol : 1e-12;
    memset(a, 0, sizeof *a);
    a->status = br_solver_create(&def, &solver, &a->error);
    if (!a->status) a->status = br_solver_setup(solver, problem, &a->error);
    br_solution solution = {a->p, a->w, a->v, 0};
    if (!a->status) a->status = br_solver_solve(solver, problem, &solution, &a->report, &a->error);
    br_solver_destroy(solver);
}

#endif
