// The motion linearized about the present configuration, with the elements of the implicit stepper. Private to
// src/sim/implicit_modes*.c.
//
//     modes/modes.c           what is asked for and what is told
//     modes/matrix.c    M, C, K of the nodes, the rows B and their forces
//     modes/spin.c      the axis, what turning adds, what does not turn with the shaft
//     modes/solve.c     coordinates that the rows leave free, undamped modes, the quadratic problem
//     modes/turn.c      critical speeds, Campbell's table
//
//     M q'' + (C + spin G) q' + (K + spin DRAG + spin^2 (N + LIFT)) q = B^T lambda,   B q = 0
//
// q: moves and turns of the nodes, world axes.
#ifndef BR_SIM_STUDY_MODES_MODES_H
#define BR_SIM_STUDY_MODES_MODES_H

#include "base/arena.h"
#include "bristle/modes.h"
#include "sim/stepper/implicit/implicit.h"
#include "sim/study/modes/borrow.h"

// Matrices over the nodes. K has the springs' and beams' stiffness and what their forces and those of rows do when directions
// turn. The others are for a spin of 1 rad/s: G and N of inertia, LIFT of the stress that centrifugal forces cause, DRAG of
// dampers against the world. SIDE is one side of a difference.
typedef enum br_mode_matrix {
    BR_MODE_M = 0,
    BR_MODE_C,
    BR_MODE_K,
    BR_MODE_G,
    BR_MODE_N,
    BR_MODE_LIFT,
    BR_MODE_DRAG,
    BR_MODE_SIDE,
    BR_MODE_MATRICES
} br_mode_matrix;

typedef struct br_mode_pair {
    int k, j;                       // force on k by the motion of j
    double a[BR_MODE_MATRICES][36]; // row-major
} br_mode_pair;

// One of the rows that hold a clearance where it is.
typedef struct br_mode_pin {
    int element;
    br_ends ends;
    br_measured what;
    double force;
} br_mode_pin;

typedef struct br_linear {
    br_implicit *f;
    br_arena *arena;   // lives as long as the matrices
    br_arena *scratch; // emptied between speeds
    int n;             // 6 nodes
    int pairs, pair_capacity;
    br_mode_pair *pair;
    int *pair_of;        // [nodes * nodes] index + 1
    double length;       // that turns are measured with, m
    unsigned char *skip; // [elements] left out
    int pins;
    br_mode_pin *pin;
    int gravity_off;
    double *force;      // [n] of elements and gravity on the nodes, without rows
    double *unbalanced; // [n] with them
    double *work;       // [n]
    // rows: B, each divided by its size, turns in units of 1/length
    int rows;
    double *B;        // [rows * n]
    double *row_size; // [rows]
    // the axis
    br_vec3 axis, about;
    double spin;
    double bent;    // by the spin, m
    int axis_joint; // whose axis it is; -1: given
    int held;       // the turning of the whole, which no row holds, is held by one more row, the last
    // free coordinates
    int rank, free;
    double *Q, *tau; // factors of B^T: the last n - rank columns of Q are free
    double sigma;    // X^T (K + sigma M) X = 1
    int basis;
    double *X;  // [basis * n] shapes, each in a row, moves and turns of nodes
    double *mu; // [basis] X^T M X, falling
    int damped, unsymmetric;
} br_linear;

// One eigenvalue with its shape, before it is told.
typedef struct br_found {
    double real, imaginary, rounding;
    int rigid;
    double *x, *x_i; // [n]
} br_found;

// --- matrices ----------------------------------------------------------------------------------------------

// Places for the matrices, of the nodes as they are: nothing of the stepper is touched.
br_status br_linear_allocate(br_linear *l, br_error *error);
br_status br_linear_prepare(br_linear *l, const br_modes_def *def, br_error *error);
br_status br_linear_rows(br_linear *l, br_error *error);      // B, at the present configuration
br_status br_linear_stiffness(br_linear *l, br_error *error); // forces of rows, C and K
// y: where a spin of 1 rad/s would bend it, [n]; step: squared spins that are tried.
br_status br_linear_lift(br_linear *l, const double *y, double step, br_error *error);
void br_linear_mass(br_linear *l);                                                          // M, G, N
double *br_linear_block(br_linear *l, br_mode_matrix which, int k, int j);                  // NULL: no memory
void br_linear_apply(const br_linear *l, br_mode_matrix which, const double *x, double *y); // y = A x
// Evaluates one element: forces in the books, rows and tangent in the matrix.
typedef enum br_stage { BR_STAGE_ROWS, BR_STAGE_STIFFNESS, BR_STAGE_DAMPING } br_stage;
void br_linear_stage(br_linear *l, br_stage stage); // clears what elements add to, sets the coefficients
#define BR_STAGE_RATE 1e6 // of BR_STAGE_DAMPING: 1/s, tangent is K + BR_STAGE_RATE C

// --- spin --------------------------------------------------------------------------------------------------

br_status br_linear_axis(br_linear *l, const br_modes_def *def, br_error *error);
// Fails, naming it, where a joint or a spring does not look the same after the shaft has turned; loads that do not turn
// are left out.
br_status br_linear_turns(br_linear *l, char *notes, size_t size, br_error *error);
void br_linear_centrifugal(const br_linear *l, double *force); // of a spin of 1 rad/s, on the nodes
br_status br_linear_drag(br_linear *l, br_error *error);
int br_linear_turns_freely(const br_linear *l);        // no row holds the turning of the whole
void br_linear_turning(const br_linear *l, double *x); // that turning, 1 rad
// Splits a shape into what turns forwards and backwards about the axis and the rest: shares of x^H M x.
void br_linear_whirl(const br_linear *l, const br_found *mode, double share[3]);

// --- solving -----------------------------------------------------------------------------------------------

br_status br_linear_factor_rows(br_linear *l, br_error *error);
// The symmetric part of K + sigma M or M, turns in units of 1/length, on free coordinates: the last `free` rows and columns
// of A [n * n], by columns. 0: it failed.
int br_linear_reduced(const br_linear *l, br_mode_matrix which, double sigma, double *A);
br_status br_linear_basis(br_linear *l, int wanted, br_error *error); // undamped modes, lowest first
// What decides stability: where K is symmetric, the undamped motion's eigenvalues, whose number above 0 does not depend on
// masses or dampers; else all of them, with dampers. l->unsymmetric tells which.
br_status br_linear_decisive(br_linear *l, br_found **out, int *count, br_error *error);
// All eigenvalues that the basis gives, by rising size.
br_status br_linear_eigen(br_linear *l, br_found **out, int *count, br_error *error);
void br_linear_project(const br_linear *l, br_mode_matrix which, double factor,
                       double *A);           // A += factor X^T . X
double br_linear_lowest(const br_linear *l); // undamped frequency that is not rigid, 1/s
// The deformation by these forces, of modes whose squared frequency is above this.
void br_linear_bend(const br_linear *l, const double *force, double above, double *y);
double br_linear_noise(const br_linear *l, const double *x,
                       const double *x_i); // of an eigenvalue squared, 1/s^2

// --- sessions ----------------------------------------------------------------------------------------------

// The stepper is borrowed: what it held is put back at the end.
typedef struct br_mode_session {
    br_linear l;
    br_arena arena, scratch;
    br_borrowed borrowed;
} br_mode_session;

// To the undamped modes at rest. `turning`: the axis is found and everything must turn about it.
br_status br_mode_open(br_mode_session *s, br_sim *sim, const br_modes_def *def, int turning, char *notes,
                       size_t size, br_error *error);
void br_mode_close(br_mode_session *s, br_sim *sim);
// LIFT at this speed; 0: of joints alone.
br_status br_mode_spin(br_mode_session *s, double spin, br_error *error);
void br_mode_tell(const br_linear *l, const br_found *found, br_mode *out);
// Memory of a result, which holds itself; NULL: none.
br_arena *br_mode_memory(const br_modes_def *def);
void br_mode_memory_free(void *memory);

#endif
