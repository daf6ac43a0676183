// Complementarity problems and their solvers. Useful without a single body: nothing here knows what a joint is.
//
// One problem, two ways to give its operator:
//
//     velocity form    M v = f + J^T p,   w = J v + C p + b        (M: mass, f = M v*, J: Jacobian)
//     matrix form      w = A p + C p + b                           (A: any square matrix; Delassus W, LCP's M)
//
// and, for each block of consecutive rows, a law that ties the impulses p to the velocities w:
//
//     equality         w = 0, p free
//     unilateral       0 <= p, 0 <= w, p w = 0
//     box              lower <= p <= upper; p = lower needs w >= 0, p = upper needs w <= 0, between them w = 0
//     box_friction     rows (n, t1[, t2]): n unilateral; each t a box of bounds -+ mu p_n, p_n being the unknown
//     cone             rows (n, t1[, t2]): n unilateral; |p_t| <= mu p_n, and p_t opposes w_t when it slides
//     polygon          as cone, with a regular polygon of `sides` corners inscribed in the disk, a corner along t1
//     joint_friction   `normal_rows` equality rows, then box rows whose bound follows norms of the equality rows
//
// How the papers' forms are written in it:
//
//     LCP (M, q)                         matrix form, A = M, b = q, unilateral rows
//     boxed LCP                          matrix form, box rows
//     mixed LCP, with or without bounds  matrix form, equality + unilateral + box rows     [Peiret2016 eq. 30]
//     frictional contact (W, q, mu)      matrix form, A = W, b = q, cone blocks of 2 or 3 rows
//     time stepping (M, J, laws)         velocity form; C and b = -C p~ are the bristles   [Peiret2016 eq. 25]
//     polygon LCP with N, B, E           velocity or matrix form, polygon blocks           [TanLiu eqs. 12-15]
//
// A solver is created once, set up once per sparsity pattern, and then solves as often as values change. Only
// create and setup allocate.
#ifndef BRISTLE_SOLVER_H
#define BRISTLE_SOLVER_H

#include "bristle/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------- the problem

typedef enum br_law_kind {
    BR_LAW_EQUALITY = 0,
    BR_LAW_UNILATERAL,
    BR_LAW_BOX,
    BR_LAW_BOX_FRICTION,
    BR_LAW_CONE,
    BR_LAW_POLYGON,
    BR_LAW_JOINT_FRICTION,
    BR_LAW_KINDS
} br_law_kind;

#define BR_MAX_LAW_ROWS 6       // rows in one block
#define BR_MAX_POLYGON_SIDES 64 // corners of a friction polygon
#define BR_MAX_BOUND_TERMS 3    // norms that one joint-friction bound can sum

// The bound of one friction row of a joint: preload + sum_k coefficient_k |p restricted to rows_k|, where rows_k
// is a bit mask over the block's own equality rows (bit 0 is its first row). A pin of radius r has one term, mu r
// times the norm of its force rows; a guide with moment arms adds terms.
typedef struct br_joint_bound {
    // impulse (N s or N m s), >= 0
    double preload;
    // 0 .. BR_MAX_BOUND_TERMS
    int terms;
    // mu times arm, >= 0
    double coefficient[BR_MAX_BOUND_TERMS];
    unsigned rows[BR_MAX_BOUND_TERMS];
} br_joint_bound;

// A block of consecutive rows and their law. Fields that the kind does not use are ignored.
typedef struct br_law {
    br_law_kind kind;
    // blocks are listed in row order, without gaps
    int first_row;
    // 1 .. BR_MAX_LAW_ROWS; contact laws: 2 (planar) or 3
    int rows;
    // box_friction, cone, polygon: mu >= 0
    double friction_coefficient;
    // box: impulse, lower <= upper, may be -INFINITY and INFINITY
    double lower, upper;
    // polygon: even, 4 .. BR_MAX_POLYGON_SIDES
    int sides;
    // joint_friction: leading equality rows, 1 .. rows - 1
    int normal_rows;
    // joint_friction: one for each of the rows - normal_rows friction rows
    const br_joint_bound *bounds;
} br_law;

// M v = f + J^T p in blocks. A node is a group of velocities: 6 for a body, a small tree's degrees of freedom.
// Blocks are dense, row-major and stored one after the other in the order of the index arrays.
typedef struct br_velocity_form {
    int nodes;
    // [nodes], >= 1
    const int *node_dim;
    // [nodes + 1]: blocks of node i's row of M, lower triangle ...
    const int *mass_start;
    // ... their columns j <= i, rising; the diagonal block comes last
    const int *mass_node;
    // dim_i x dim_j each; M is symmetric positive definite
    const double *mass;
    // f = M v*, node after node
    const double *momentum;
    // [laws + 1]: blocks of each law's rows of J ...
    const int *jacobian_start;
    // ... their nodes, each at most once per law
    const int *jacobian_node;
    // rows x dim_node each
    const double *jacobian;
} br_velocity_form;

// A square matrix by compressed rows; columns rise within a row.
typedef struct br_matrix_form {
    // [rows + 1]
    const int *row_start;
    const int *column;
    const double *value;
} br_matrix_form;

typedef enum br_form { BR_FORM_VELOCITY = 0, BR_FORM_MATRIX } br_form;

// Everything is borrowed: the arrays must live for the call. Impulses in N s, velocities in m/s for mechanics; the
// solvers only need them to be consistent.
typedef struct br_problem {
    br_form form;
    // when form is BR_FORM_VELOCITY
    br_velocity_form velocity;
    // when form is BR_FORM_MATRIX
    br_matrix_form matrix;
    int rows;
    int laws;
    const br_law *law;
    // b (or q): [rows]
    const double *offset;
    // C >= 0, diagonal: [rows], or NULL for none
    const double *compliance;
    // A number of the caller's that changes whenever the pattern does; 0: none. solve trusts a problem with the same
    // number as at setup to have the same pattern, and compares its sizes only.
    int pattern_id;
} br_problem;

// Everything a solver relies on: sizes that agree, finite values, bounds in order, mu >= 0. The error names the
// law, row or entry. setup and solve call it.
br_status br_problem_check(const br_problem *problem, br_error *error);

// ---------------------------------------------------------------------------------------------- the solvers

typedef enum br_solver_kind {
    BR_SOLVER_AUTO = 0,     // chooses by size and law, falls back, and tells its path
    BR_SOLVER_NEWTON,       // primal-dual semismooth Newton on the Alart-Curnier function; exact, best warm
    BR_SOLVER_INTERIOR,     // smooth-Coulomb interior point, Newton polish; exact, best cold
    BR_SOLVER_GAUSS_SEIDEL, // block Gauss-Seidel; low accuracy on large piles
    BR_SOLVER_LEMKE,        // lexicographic Lemke; polygon, box and row laws, small and medium sizes
    BR_SOLVER_BLOCK_PIVOT,  // Judice-Pires block principal pivoting with a capped Murty phase; row laws
    BR_SOLVER_DANTZIG,      // incremental principal pivoting, dense; row laws with symmetric A
    BR_SOLVER_ENUMERATE,    // every complementary basis; proves that there is no solution; very small sizes
    BR_SOLVER_ACCELERATED, // block Gauss-Seidel with strides between its sweeps; no factorization; large piles
    BR_SOLVER_KINDS
} br_solver_kind;

typedef enum br_outcome {
    BR_CONVERGED = 0,  // residual and residual_of_load <= tol, by the one residual function
    BR_MAX_ITERATIONS, // stopped by the cap; the best iterate is returned
    BR_STALLED,        // no further progress; the best iterate is returned
    BR_SINGULAR,       // a pivot vanished and nothing could replace it
    BR_INFEASIBLE,     // proved to have no solution; the report says how
    BR_RAY,            // a pivoting method ended without a conclusion
    BR_ROUNDING, // residual_of_load is above tol, but no more than what rounding leaves of impulses this large
    BR_OUTCOMES
} br_outcome;

const char *br_outcome_name(br_outcome outcome); // "converged", "max_iterations", ...
const char *br_solver_name(br_solver_kind kind); // "auto", "newton", "interior", "gauss_seidel", "lemke", ...
br_solver_kind br_solver_from_name(const char *name); // BR_SOLVER_KINDS when there is none of that name

// One line of a solver's life, handed to the trace callback after each iteration.
typedef struct br_trace {
    br_solver_kind solver;
    // which independent part of the problem
    int island;
    // of this solver, from 0
    int iteration;
    // by the one residual function, of the island; NAN where the method has none before its end
    double residual;
    // length of the step taken, 1 is a full one; NAN for pivoting methods
    double step;
    // the method's own: kappa (interior), delta (newton), pivot row (pivoting)
    double measure;
} br_trace;

typedef struct br_solver_def {
    br_solver_kind kind;
    // residual to reach, relative; normally 1e-8
    double tol;
    // residual that will do (outcome stalled) where tol takes long, in time steps; 0: none
    double tol_enough;
    // 0: the method's own cap
    int max_iterations;
    // islands are shared out; results do not depend on it. normally 1
    int threads;
    // DART's stabilization: diagonal times (1 + shift), then refined away. 0: off [TanLiu sec. 5]
    double lemke_shift;
    // Lemke: rows and columns of multipliers (complementarity rows with a diagonal of 0) times this, and back in the answer. In
    // the standard form these are E and mu, which the document scales by dt. 0 or 1: none [TanLiu sec. 5]
    double lemke_scale;
    // NULL: none. Called from one thread only if threads is 1
    void (*trace)(void *context, const br_trace *trace);
    void *trace_context;
    // NULL: malloc. Copied
    const br_allocator *allocator;
} br_solver_def;

br_solver_def br_default_solver_def(void);

#define BR_MAX_THREADS 64
#define BR_MAX_PATH 160 // characters in a solver path; a longer one is cut and ends in ">..."

typedef enum br_proof {
    BR_PROOF_NONE = 0,
    BR_PROOF_CERTIFICATE, // r = certificate: r^T w < 0 for every p allowed, while the laws ask for r^T w >= 0. To rounding:
                          // answers many thousand times larger than the load are not excluded
    BR_PROOF_ENUMERATION, // every complementary cone was tried
} br_proof;

// What happened. Always filled in when solve returns BR_OK.
typedef struct br_solve_report {
    br_outcome outcome;
    // by the one residual function, always
    double residual;
    // of all methods on the path, the largest count of any island
    int iterations;
    // same
    int factorizations;
    // independent parts of the problem
    int islands;
    // that gave the answer of the hardest island
    br_solver_kind solver;
    // methods tried on that island with their counts, "interior:9>newton:2"
    char path[BR_MAX_PATH];
    // when outcome is BR_INFEASIBLE
    br_proof proof;
    // [rows], owned by the solver until its next call; NULL unless proof is a certificate
    const double *certificate;
    // the same defect relative to the load alone (and to bounds that exclude zero, and to 1e-4 of the bodies' momentum), where
    // `residual` counts impulses too, up to a thousand times the load
    double residual_of_load;
    // what rounding leaves in the defect, eps |W| |p|, relative to the load too. 0 unless residual_of_load is above tol
    double rounding_of_load;
} br_solve_report;

// The answer, in the caller's arrays, which share no memory with each other or with the problem's.
typedef struct br_solution {
    // [rows]: impulses. Read first when warm
    double *p;
    // [rows]: J v + C p + b at the answer; may be NULL
    double *w;
    // [sum of node_dim] in velocity form, ignored otherwise; may be NULL
    double *v;
    // nonzero: p holds a guess, such as the last step's answer
    int warm;
} br_solution;

typedef struct br_solver br_solver;

br_status br_solver_create(const br_solver_def *def, br_solver **out, br_error *error);
void br_solver_destroy(br_solver *solver); // accepts NULL

// Analyses the pattern (everything but the values of mass, momentum, jacobian, matrix, offset, compliance, mu and
// bounds) and takes all the memory that any fallback may need. Needed again when the pattern changes: solve refuses a
// problem of another one.
br_status br_solver_setup(br_solver *solver, const br_problem *problem, br_error *error);

// BR_OK whenever the call was sound, whatever the outcome: look at the report. Allocates nothing (threads above 1 are
// made by the system, which does).
br_status br_solver_solve(br_solver *solver, const br_problem *problem, br_solution *solution,
                          br_solve_report *report, br_error *error);

// The one residual by which every answer is judged, of p as given: the natural map of each law, scale-free.
// w (may be NULL) and v (may be NULL) receive the velocities recomputed from p.
br_status br_solver_residual(br_solver *solver, const br_problem *problem, const double *p, double *w,
                             double *v, double *residual, br_error *error);

#ifdef __cplusplus
}
#endif

#endif
