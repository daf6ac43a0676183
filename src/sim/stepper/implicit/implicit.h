// The implicit stepper: bodies at their centres of mass, elements between them, Newton's method. Private to src/sim.
//
//     implicit/create.c    nodes, elements, the pattern of the matrix
//     implicit/eval.c      one evaluation: where nodes are, inertia, residual and tangent
//     implicit/newton.c    unknowns of a step
//     implicit/start.c     accelerations and forces of an instant
//     implicit/project.c   velocities onto the constraints, and what the next step is given back of it
//     implicit/books.c     where the energy goes
//     implicit/advance.c   the length of a step, what is kept of it
//     implicit/touching.c  shapes that touch
//     element_*.c          one table per kind of element: rows of joints, springs, loads, beams, friction, clearances
//
// Unknowns of a step are the nodes' moves (dx, turn) and the forces of rows. Everything is in world axes.
//
// Two schemes, one set of elements. Generalized-alpha evaluates forces at the end of the step. The energy-decaying
// scheme evaluates mean forces whose work over the step is exact: directions from the means of vectors at both ends, and
// turn the Cayley vector of the step's rotation, so that d_end - d_start = turn x (d_start + d_end)/2 for every vector d
// fixed in a node. An element that takes R (the mean, or the end) for directions and `rate` for velocities serves both.
// See docs/theory/implicit.md.
#ifndef BR_SIM_STEPPER_IMPLICIT_IMPLICIT_H
#define BR_SIM_STEPPER_IMPLICIT_IMPLICIT_H

#include "sim/core/sim.h"

// Diagonal of rows that are on or off: two may hold one joint, a stop and friction that rests.
#define BR_EPS_SWITCHED 1e-9
// Diagonal of all rows in the scaled matrix where some are redundant: rounding of rows, divided by it, is noise in forces.
#define BR_EPS_REDUNDANT 1e-6
#define BR_MAX_SLOTS 8 // nodes and row blocks of one element

// What a step leaves of a node for the next.
typedef struct br_node_state {
    br_vec3 x; // centre of mass
    br_quat q;
    br_vec3 u, w;             // velocity, world axes; angular velocity, link axes
    br_vec3 a, b;             // of generalized-alpha, its own acceleration and the true one
    br_vec3 alpha, beta;      // the same, angular, link axes
    br_vec3 du, dw;           // change of velocity of the last step, over h: for the error estimate
    br_vec3 u_carry, w_carry; // energy-decaying: see project.c
} br_node_state;
BR_NO_PADDING(br_node_state, 11 * sizeof(br_vec3) + sizeof(br_quat));

// The step controller, and what else of the stepper's state is one number.
typedef struct br_implicit_control {
    double h_next, h_last;                 // s; h_last 0: no step was taken yet
    double h_least, h_most;                // of all steps so far
    double h_error, h_contact, h_friction; // what the rules last wished for; INFINITY: no wish
    double energy_scale;                   // largest energy stored or given in a step so far, J
    double carry_input;                    // work of moving rows in what the next step is given, J
    int64_t rejected;
    int limited_by; // br_step_limit
    int struggle;   // steps that failed since the last long one
} br_implicit_control;
BR_NO_PADDING(br_implicit_control, 9 * sizeof(double) + sizeof(int64_t) + 2 * sizeof(int));

typedef struct br_node {
    int link; // of the tree
    double mass;
    br_sym3 inertia; // about the centre of mass, link axes
    br_vec3 com;     // from the link's origin, link axes
    int rows;        // of the joint that carries it and of drives on that joint: behind its six in the matrix
    br_node_state *start; // of the step, in the block of the state
    br_vec3 u0, w0;       // velocities that the step starts with: those of the state and the carry
    // Of the step's end, as br_node_state.
    br_vec3 x1, u1, w1;
    br_quat q1;
    br_vec3 a1, b1, alpha1, beta1;
    // Of the evaluation.
    br_mat3 R0, R1;
    br_mat3 R; // R1, or the mean of R0 and R1: then not a rotation
    br_vec3 x; // x1, or the mean
    br_vec3 dx, turn;
    br_vec3 turn_step; // of the step, kept while velocities are projected
    br_twist rate;     // what velocities of elements are made of: those of the end, or (dx, turn)/h
    br_mat3 rate_turn; // d rate.angular / d psi, psi a rotation of the end in world axes
    br_mat3 turn_by;   // d turn / d psi
    br_mat3 accel_by;  // d (angular acceleration, link axes) / d psi
    double pushed;     // of equilibrium: sum of the sizes of forces on it, N
} br_node;

struct br_implicit;
typedef struct br_element br_element;

typedef struct br_element_kind {
    const char *name;
    // Start of a step: what is there is remembered. NULL: nothing to remember.
    void (*begin)(struct br_implicit *f, br_element *e);
    // Forces, rows and, where f->tangent, their derivatives, at the evaluation at hand.
    void (*evaluate)(struct br_implicit *f, br_element *e);
    // The step was taken: internal states move. NULL: none.
    void (*accept)(struct br_implicit *f, br_element *e);
    double (*energy)(struct br_implicit *f, br_element *e); // stored at the end; NULL: none
    // Longest step that the element wants next, s; NULL: any. See implicit/advance.c.
    double (*wish)(struct br_implicit *f, br_element *e, int *why);
    // J at the end, of inertia that is the element's own and not of one node; NULL: it has none.
    double (*kinetic)(struct br_implicit *f, const br_element *e);
    void (*tell)(struct br_implicit *f,
                 const br_element *e); // forces of an evaluation, to channels; NULL: none
    unsigned is;                       // bits of br_element_is
    const char *what;                  // as messages call the model's element; NULL: "an element"
    const char *(*label)(const br_model *model, int index); // its name; with `what`
} br_element_kind;

enum br_element_is {
    BR_ELEMENT_CLOSES = 1,    // its rows hold a joint together
    BR_ELEMENT_MOVES = 2,     // its rows have a motion of their own
    BR_ELEMENT_SHIFTS = 4,    // what its rows measure may have any value
    BR_ELEMENT_OF_WORLD = 8,  // it has a direction that is fixed in the world
    BR_ELEMENT_OF_NODES = 16, // it turns with its nodes, whatever they do
    BR_ELEMENT_UNSWAYED = 32, // small motions about a state do not know it
    BR_ELEMENT_SWITCHES = 64, // its rows are on or off, decided within Newton's method
    BR_ELEMENT_STRIKES = 128, // velocities jump when they come on
};

// Where an unknown or an equation is in the matrix: a node (six: move, turn) or the rows of an element.
typedef struct br_slot {
    int node;          // -1: the world, or rows
    int block, offset; // in the matrix; block -1: the world
    int size;          // 6, or the count of rows
    int at;            // first of its unknowns in the vector
} br_slot;

// Friction that stands is steep and friction that slides is flat, so that Newton's method may go from sliding one way to sliding the
// other and back without end, in steps of any length. What slid the other way in the iteration before is taken along its tangent at
// rest: from there iterations come to the solution from one side.
typedef struct br_turning {
    int iteration;          // of the evaluation before
    int stands, held;       // and for how many iterations before
    double v[3], v_last[3]; // m/s, of that and of the iteration before it
} br_turning;

struct br_element {
    const br_element_kind *kind;
    int index; // among the model's elements of its kind
    int slots;
    br_slot slot[BR_MAX_SLOTS];
    br_block_ref *ref;  // [slots * slots] at the slots' own entries
    int rows;           // of its last slot, if that is rows
    double *force;      // [rows] lambda
    double *row_rate;   // [rows] velocity of the row at the end less what it must have
    double *row_target; // [rows] what it must have
    double *impulse;    // [rows] see br_implicit
    void *data;         // of the kind; may hold state: then
    double *state;      // [states] what a step leaves for the next
    int states;
};

typedef struct br_implicit {
    br_sim *sim;
    br_arena *arena;
    int nodes;
    br_node *node; // [links]
    br_node world;
    br_node_state world_state;
    br_node_state *node_state; // [nodes] in the block, as
    br_implicit_control
        *control; // and lambda, impulse, state, book_last, inertia_last, carry_rate, carry_impulse
    int elements, capacity;
    br_element *element;
    int unknowns;
    double *residual, *solution;            // [unknowns]
    double *lambda, *row_rate, *row_target; // [row_count] of all rows, elements point into them
    int iteration;                          // of Newton's method; 0: elsewhere
    int turned;                             // friction that slides to and fro was seen in the evaluation
    double *lambda_aside;                   // [row_count] scratch
    int row_count;
    double *impulse;             // [row_count] of the last projection of velocities, over the step: N
    double *open;                // [row_count] values of rows at the end of the step
    double *state, *state_aside; // [state_count] of all elements; scratch
    int state_count;
    br_block_ldu *matrix;
    int loose;              // blocks of rows that close loops
    int *loose_rows;        // [loose]
    double eps_rows;        // diagonal of redundant rows
    int lenient;            // the least of it: near singular positions independent rows must not be held back
    br_block_ref *diagonal; // [nodes]
    // scheme
    int decaying;
    double h, t0, t;  // of the step; t: where forces are evaluated, its end or its middle
    double t_end;     // where rows hold
    double half;      // d(R, x)/d(end): 1 or 1/2
    double rate_move; // d rate.linear / d x
    double mass_move; // d (acceleration) / d x
    double alpha_m, alpha_f, beta, gamma;
    int coarse_waves; // energy-decaying: a wave passes some beam element within the step, and what `keep` takes is of first order
    double keep; // energy-decaying: (1 - rho)/(1 + rho): 0 takes nothing of high frequencies, 1 most
    // evaluation
    int tangent;                       // wanted
    double scale;                      // of the equations of motion, see implicit/newton.c
    br_wrench *book[BR_BOOKS];         // [nodes] forces of the evaluation
    br_wrench *book_aside[BR_BOOKS];   // [nodes] kept while velocities are projected
    br_wrench *book_last;              // [BR_BOOKS * nodes] of the step's start, see br_book_last
    br_wrench *inertia, *inertia_last; // [nodes] what accelerations ask for
    br_wrench *inertia_aside;
    double defect;          // of the step: work that elements with a potential did beyond its change, J
    double projected_input; // work of moving rows in the last projection of velocities, J
    double *carry_rate;     // [row_count] velocity of rows that the carry has, see project.c
    double *carry_impulse;  // [row_count] of rows, that gives it: N s
    double taken,
        pushed;   // of the step: kinetic energy that the projection took; work of moving rows in it, J
    double gross; // ... before what the step had been given, J
    int outside;  // sim->outside + 1 when the nodes were last taken from the state
    double *values_start; // [variables] what functions read, of the step's start
    int reads_state;      // functions read joints: the state follows every evaluation
    // step control
    double h_retry, h_grown, h_smallest;
    double length; // characteristic, m
    double mass;   // characteristic, kg
    // statics
    double load_factor; // on loads and gravity; 1 in dynamics
    int still;          // equilibrium: nothing moves, no inertia, see statics/statics.h
    int at_rest;        // the last evaluation was one of equilibrium: a step starts anew
    int projecting;     // velocities onto rows: forces without rows are not evaluated
    int instant;        // velocities are those of the state, accelerations are not part of the residual
    int *joint_element; // [joints] element of its rows; -1: none
    int first_beam_element, first_clearance;
    br_energy energy_end;  // of the step's end, before velocities are projected
    br_energy energy_kept; // ... and after it
    br_error failed;       // of the last step, where it did
    double failed_at;      // time of the state that it started from, s
    // bounds
    int bounded;  // elements with rows that are on or off
    int deciding; // the evaluation may switch them,
    int switched; // and did
    int cycles;   // one keeps switching, and is wrong as it is: the step has no answer
    int *arrives; // [joints] a limit is reached in the step at hand: friction does not come to rest by itself
    const char *jumped; // of the step: what switched in it, so that it is of first order; NULL: nothing
    int telling;        // a step stands: who reads it hears of what was reached
    double impact;      // of the step: what blows took, J
    double struck;      // ... of it, in the projection of velocities
    int again;          // an element wants the step taken again, shorter
    struct br_touching *touching; // shapes that touch, touching.h; NULL: none can
} br_implicit;

typedef enum br_step_limit {
    BR_LIMIT_SETTING = 0,
    BR_LIMIT_ERROR,
    BR_LIMIT_CONTACT,
    BR_LIMIT_FRICTION,
    BR_LIMIT_NEWTON
} br_step_limit;

// --- for elements ------------------------------------------------------------------------------------------

static inline br_node *br_node_at(br_implicit *f, int node) {
    return node < 0 ? &f->world : &f->node[node];
}

static inline br_wrench *br_book_last(const br_implicit *f, int book) {
    return f->book_last + (size_t)book * (size_t)f->nodes;
}

// A force on a node, at its centre of mass, world axes.
void br_push(br_implicit *f, int node, br_wrench F, br_book book);
// d F_part/d q: adds to the tangent that the force (part 0) or torque (3) on slot a changes by M times the move (part 0)
// or turn (3) of slot b.
void br_tangent(br_implicit *f, br_element *e, int a, int part_a, int b, int part_b, br_mat3 M);
// The same for an inertia that the nodes ask for: with the other sign, and part of the matrix of an instant.
void br_tangent_mass(br_implicit *f, br_element *e, int a, int part_a, int b, int part_b, br_mat3 M);
// The same for a whole 6 x 6 block, row-major [force; torque] by [move; turn].
void br_tangent_block(br_implicit *f, br_element *e, int a, int b, const double *M, int stride);
// Forces `factor` G[a] on slots a = 0, 1 that change by by[b] . (move, turn) of slots b = 0, 1.
void br_tangent_outer(br_implicit *f, br_element *e, const br_wrench G[2], double factor,
                      const br_wrench by[2]);
// The force on slot a changes by F times the change of row r of slot s.
void br_tangent_by_row(br_implicit *f, br_element *e, int a, int s, int r, br_wrench F);
// Row r of slot s: its value must become zero; it changes by G . (move, turn) of slot a.
void br_row(br_implicit *f, br_element *e, int s, int r, double value);
void br_row_by(br_implicit *f, br_element *e, int s, int r, int a, br_wrench G);

double br_implicit_value(br_implicit *f, const br_function *function); // of time and state, at f->t

// Gives e the rows of another element as its last slot.
br_status br_element_share(br_implicit *f, br_element *e, const br_element *rows);
br_element *br_element_add(br_implicit *f, const br_element_kind *kind, int index, const int *nodes,
                           int node_count, int own_link, int rows, int states);

// --- joints: frames at the evaluation ----------------------------------------------------------------------

// F on node a, M on node b. E, N: axes of F and M; r: arms from the nodes; d: from F to M. Means, and at the end (1).
typedef struct br_span {
    br_mat3 E, E1, N, N1;
    br_vec3 r_a, r_a1, r_b, r_b1, d, d1;
} br_span;

typedef struct br_ends {
    int a, b;         // nodes; -1: the world
    br_vec3 p_a, p_b; // of F and M from the centres of mass, link axes
    br_mat3 Q_a, Q_b;
} br_ends;

br_ends br_ends_of(const br_implicit *f, int first, int second, br_pose X_AF, br_pose X_BM);
br_span br_span_of(br_implicit *f, const br_ends *ends);

// One scalar of the relative pose, its gradient (wrenches on a and b: d y = G_a . (dx, psi)_a + G_b . ...) from means and
// at the end. A difference over the step is exactly the mean gradient times (dx, turn).
typedef struct br_measure {
    double y0, y1;
    br_wrench G_a, G_b, G_a1, G_b1;
} br_measure;

// What is measured:
typedef enum br_measure_kind {
    BR_MEASURE_POINT = 0, // E_i . d
    BR_MEASURE_AXES,      // E_i . N_j
    BR_MEASURE_ANGLE,     // of N's x about E's z
    BR_MEASURE_ANGLE_X,   // of N's z about N's x, from E's z: the second angle of a universal joint
    BR_MEASURE_DISTANCE,  // (d . d - L^2)/(2 L)
    BR_MEASURE_SPIN,      // about N's axis i: velocity only, y is 0
} br_measure_kind;

typedef struct br_measured {
    br_measure_kind kind;
    int i, j;
    double length; // distance
} br_measured;

br_measure br_measure_of(br_implicit *f, const br_span *s, const br_measured *what,
                         double near); // angles are counted near this one
double br_measure_rate(br_implicit *f, const br_ends *ends, const br_measure *m); // with mean gradients
// Tangent of factor times the mean gradient, as a force on slots a and b.
void br_measure_tangent(br_implicit *f, br_element *e, int slot_a, int slot_b, const br_span *s,
                        const br_measured *what, double factor);
// d (rate . G) / d (move, turn) of a node, and of both ends of a measure; without the change of the gradient.
br_wrench br_rate_by(const br_implicit *f, const br_node *n, br_wrench G);
void br_measure_rate_by(br_implicit *f, const br_ends *ends, const br_measure *m, br_wrench *by_a,
                        br_wrench *by_b);

// Coordinate k of a joint as a measure; 0: it has none (quaternions have their velocities only: SPIN).
int br_measured_coordinate(const br_model_joint *joint, int k, br_measured *out);

// --- kinds -------------------------------------------------------------------------------------------------

extern const br_element_kind br_element_joint, br_element_coupling, br_element_drive, br_element_constraint,
    br_element_spring, br_element_force, br_element_point_spring, br_element_bushing, br_element_beam,
    br_element_armature, br_element_friction, br_element_clearance, br_element_user;

br_status br_elements_joints(br_implicit *f, br_error *error); // rows
br_status br_elements_couplings(br_implicit *f, br_error *error);
br_status br_elements_drives(br_implicit *f, br_error *error);
br_status br_elements_constraints(br_implicit *f, br_error *error);
br_status br_elements_armatures(br_implicit *f, br_error *error);
br_status br_elements_springs(br_implicit *f, br_error *error); // of joints; servos, efforts
br_status br_elements_loads(br_implicit *f, br_error *error);
br_status br_elements_beams(br_implicit *f, br_error *error);
br_status br_elements_frictions(br_implicit *f, br_error *error);
br_status br_elements_clearances(br_implicit *f, br_error *error);

// Rows of a joint.
typedef struct br_joint_rows {
    br_ends ends;
    int rows;
    br_measured what[6];
    int screw[6];     // the row is POINT - parameter * ANGLE
    double parameter; // pitch/2 pi
    br_wrench unit_F
        [6]; // on the second body, F axes at M: what a unit of each row's force is, of the last evaluation
} br_joint_rows;

// The reaction of a joint on its second body, F axes at M, from the forces of the last evaluation.
br_wrench br_joint_reaction_F(br_implicit *f, int joint);
double br_jet_rate(br_implicit *f, const br_function *function); // d/dt at f->t

br_mat3 br_inertia_by(const br_implicit *f, const br_node *k, const br_node *j, br_mat3 J);
br_mat3 br_inertia_by_own(const br_implicit *f, const br_node *k, br_vec3 L1, br_vec3 torque_link);

// --- parts -------------------------------------------------------------------------------------------------

br_status br_implicit_create(br_sim *sim, br_error *error);
void br_implicit_take_state(br_implicit *f);       // nodes from sim->state
void br_implicit_give_state(br_implicit *f);       // sim->state from the nodes' ends
void br_implicit_look(br_implicit *f);             // kinematics of the nodes' ends: R, x, rate, ...
void br_implicit_evaluate(br_implicit *f);         // residual, and tangent where wanted
br_status br_implicit_factor(br_implicit *f);      // the matrix of the last evaluation with tangent
void br_implicit_correct(br_implicit *f);          // solution of matrix x = -residual
double br_implicit_move(br_implicit *f);           // nodes by the solution; the largest move or turn, m
void br_implicit_add_forces(br_implicit *f);       // its part for the rows
void br_implicit_scheme(br_implicit *f, double h); // coefficients of a step of length h
br_status br_implicit_start(br_implicit *f, br_error *error);   // accelerations and forces at the state
br_status br_implicit_project(br_implicit *f, br_error *error); // velocities of the ends onto the rows
void br_implicit_carry_over(br_implicit *f); // after it, if the step stands: what the next one is given back
void br_implicit_forget_carry(br_implicit *f);
void br_implicit_apply_carry(br_implicit *f);             // at the start of a step
double br_implicit_carried(const br_implicit *f);         // kinetic energy that it gave the step, J
void br_implicit_enter_instant(br_implicit *f, double t); // evaluations are of the state, not of a step
void br_implicit_leave_instant(br_implicit *f);
void br_implicit_rows_into_residual(br_implicit *f,
                                    const double *from); // one number per row, in the order of elements
void br_implicit_shift(br_implicit *f);                  // the end becomes the start
// A copy of all nodes with what they start from, and back. NULL: no memory.
br_node *br_nodes_copy(const br_implicit *f, br_arena *arena);
void br_nodes_copy_again(const br_implicit *f, br_node *copy); // into one that was made before
void br_nodes_restore(br_implicit *f, const br_node *copy);
void br_implicit_back_to_start(br_implicit *f); // and back: the end is the start
typedef enum br_newton { BR_NEWTON_DONE = 0, BR_NEWTON_DIVERGES, BR_NEWTON_SINGULAR } br_newton;
// Whether friction at velocity v, n numbers, is to be taken along its tangent at rest.
int br_implicit_turns(br_implicit *f, br_turning *turning, int n, const double *v);

br_newton br_implicit_solve(br_implicit *f, int *iterations);

void br_implicit_energy(br_implicit *f, br_energy *out); // at the ends
double br_implicit_given(const br_implicit *f);          // work of loads and drives over the step, J
void br_implicit_read_again(br_implicit *f); // forces of the state for readers, after it was loaded
// The step's books into the ledger. `taken`: kinetic energy that the projection of velocities took; `pushed`: what rows
// that move by themselves gave in it.
void br_implicit_book(br_implicit *f, br_energy before, double taken, double pushed);

// Created and at the simulation's state: accelerations, forces, energy and ledger of a start where that is new.
br_status br_implicit_ready(br_sim *sim, br_error *error);
br_status br_step_implicit(br_sim *sim, double t, br_error *error);
void br_implicit_forget(br_sim *sim); // the state is another one: nothing of the last step counts

#endif
