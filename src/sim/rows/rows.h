// The rows of a simulation: joints that close loops, couplings, drives, springs, limits, and what solves for their forces. The
// lowest room of src/sim but for state/; all other rooms call it, it calls none of them. Private to src/sim.
//
//     relative.c    kinematics: one joint between two links, coordinates, variables of functions
//     forces.c      loads, springs, drives -> efforts and wrenches; implicit terms -> armature
//     group*.c      constraint rows: one table per kind of element (loop, coupling, drive, constraint, spring, limit)
//     system.c      rows -> Delassus matrix -> forces, in joint coordinates
//     absolute.c    the same over six velocities per body, every joint a group of rows
//     bounded.c     rows with bounds: limits, motors, friction
//     bounded_pressed.c   the same where there are many limits: only those that push have rows
//     accelerate.c  known forces and rows -> accelerations
//     project.c     closes loops in position and velocity; assembly
//     branch.c, idle.c, mobility.c   what is free, what is redundant
#ifndef BR_SIM_ROWS_ROWS_H
#define BR_SIM_ROWS_ROWS_H

#include <float.h>

#include "bristle/sim.h"
#include "bristle/solver.h"
#include "linalg/block_ldu.h"
#include "model/model.h"

typedef struct br_group br_group;
struct br_spring_rows;

// Where a force is booked.
typedef enum br_book {
    BR_BOOK_ELASTIC = 0, // has a potential
    BR_BOOK_GRAVITY,
    BR_BOOK_ROWS, // of joints: does no work
    BR_BOOK_INPUT,
    BR_BOOK_DAMPING,
    BR_BOOK_FRICTION,
    BR_BOOK_SCHEME, // added by the time stepping
    BR_BOOKS
} br_book;

// Of a length: lengths that agree to this are meant to be equal, as numbers typed with five or six digits are. Redundant rows
// may contradict each other by as much.
#define BR_EPS_MADE_OF_DIGITS 3e-5

#define BR_MAX_GROUP_PARTS                                                                                   \
    64 // coordinates or points that one group of rows may combine, a tendon as many as it loads

typedef enum br_group_is {
    BR_GROUP_CLOSES = 1,     // a joint that closes a loop, whose reaction its rows carry
    BR_GROUP_PRESCRIBED = 2, // its rows have a motion of their own
    BR_GROUP_SOFT = 4,       // its rows give way: springs, servos within a largest effort
    BR_GROUP_DRIVEN = 8,     // its motion is a drive's: of time, and reached whatever the positions are
} br_group_is;

// What one kind of element contributes. rows, links and velocities are fixed when the simulation is created.
// Whether a motor with a largest effort holds its velocity.
typedef enum br_keeping {
    BR_KEEPING_UNKNOWN = 0, // as a step would find
    BR_KEEPS,               // its row is exact
    BR_HELD_BACK            // it gives its largest effort, which is a known one: sim->held_back
} br_keeping;
typedef struct br_group_kind {
    const char *name;
    // Rows F and coefficient, and phi where has_position, at the positions in sim->work.
    void (*fill)(br_sim *sim, br_group *group);
    // gamma (value that J A must have) and compliance, after fill and br_tree_velocity. NULL: zeros.
    void (*rate)(br_sim *sim, br_group *group);
    // u (velocity that J v must have), after fill. NULL: zeros.
    void (*target)(br_sim *sim, br_group *group);
    br_book book;                                                   // of what its forces do
    unsigned is;                                                    // bits of br_group_is
    const char *(*label)(const br_sim *sim, const br_group *group); // the element's name
    // Springs: deflections, and rates where wanted. NULL: it is none.
    void (*spring)(const br_sim *sim, int element, int with_rate, struct br_spring_rows *rows);
} br_group_kind;

// A velocity coordinate of a joint, and where a group's rows keep it: a direct velocity or entries on two links.
typedef struct br_coordinate {
    int joint, k;
    int dof;   // index among the group's direct velocities (tree joints)
    int entry; // first of its entries (loop joints)
} br_coordinate;

typedef enum br_bound { BR_BOUND_FREE = 0, BR_BOUND_LOWER, BR_BOUND_BOX } br_bound;

struct br_group {
    const br_group_kind *kind;
    int element; // index among the model's elements of its kind
    int rows;
    int has_position; // phi is meant and is kept at zero by projection
    int exact;      // an equality without compliance: part of every solve. Else only of the contact stepper's
    br_bound bound; // BR_BOUND_LOWER: J A >= gamma, force >= 0; BR_BOUND_BOX: |force| <= limit
    double limit;
    double side;         // limits: +1 the lower end of the range, -1 the upper
    br_keeping keeping;  // of a motor with a largest effort, by the reference stepper
    int entries;         // links that the rows load
    int *link;           // [entries]
    br_wrench *F;        // [rows * entries] on each link at its reference point, world axes
    int dofs;            // velocities that the rows load directly
    int *dof;            // [dofs]
    int *dof_at;         // [dofs] where they are in y and z
    double *coefficient; // [rows * dofs]
    int coordinate_count;
    br_coordinate *coordinates; // that the rows are made of, where they are
    int apart;                  // a limit that has path, y and z only while it pushes, see bounded_pressed.c
    int path_count, *path, path_nv; // links in falling order with all ancestors; their velocities
    double *y, *z;                  // [rows * path_nv], see br_tree_sweep
    struct br_loop_cache *cache;    // loop joints: what fill leaves for rate
    const int *idle; // [rows] left out of the last factor, because they depend on others; NULL: none
    double *phi, *u, *gamma, *compliance, *force; // [rows]; force: the last solve's
    double *softness;                             // [rows] J M^-1 J^T of springs and servos at the start
    double *drift;                                // [rows] dl/dt of springs at the step's start
};

// Pairs of groups with common velocities (reduced) or links (absolute), and how to multiply them.
typedef struct br_pair {
    int a, b;   // a > b
    int shared; // count of shared stretches
    int *at_a, *at_b,
        *length;        // [shared] offsets into y and z (reduced), or entry indices (absolute; length unused)
    br_block_ref block; // where W_ab lives
    int transposed;     // the stored block is W_ba
} br_pair;

// Rows of a set of groups and the factored Delassus matrix J M^-1 J^T + C.
typedef struct br_system {
    int groups, rows;
    br_group **group;
    int *first; // [groups] first row of each
    int pairs;
    br_pair *pair;
    br_block_ldu *factor;
    br_block_ref *diagonal; // [groups]
    double *scale;          // [rows] 1/sqrt of W's diagonal, or of `usual` where that is larger
    double *least;          // [rows] W's diagonal below which a row is nothing but rounding
    double *usual;          // [rows] W's diagonal at the start, of exact rows; 0 for the others
    int dependent;          // the rows are known to be dependent
    int rank;  // of the exact ones, on the branch; where it is set, dependent ones are left out. 0: not set
    int *idle; // [rows] left out of the last factor
    int *usually_idle;   // [rows] that serve in most positions; NULL unless rank is set
    double *choice;      // [rows * rows] scratch of choosing others; NULL unless rank is set
    int damped;          // the last factor has a diagonal added
    int sharp;           // singular positions are not damped either: whoever solves keeps away from them
    double *x, *r;       // [rows] scratch
    double *rhs, *force; // [rows] of the last solve
} br_system;

// The branch of closed positions that the mechanism is assembled on, see branch.h.
typedef struct br_branch {
    int rank;      // of all exact rows, on the branch
    int positions; // closed positions that were reached and looked at; 0: only the start was
    int too_large; // 1: the model is too large for more than one position; 2: for any, rows count as independent
    double
        grip; // at the start: singular value number `rank`, of rows and columns of size about 1; 1: no rows
    double
        contradiction; // largest opening, m or rad, that rows keep where all are closed as well as they can be
    const br_group *contradicts; // whose row that is; NULL: none
    double
        nearly; // same, of rows that contradict each other by more than lengths may be off, and yet hold too weakly for a run
    const br_group *nearly_by;
} br_branch;

// --- kinematics --------------------------------------------------------------------------------------------

br_pose br_sim_link_pose(const br_sim *sim, int link);
void br_sim_refresh(br_sim *sim, int level); // work of the state: 1 positions, 2 velocities
void br_sim_start_twists(br_sim *sim);       // V_start, once in an evaluation of the contact stepper

// A joint between two links, whatever its place in the tree, at the positions (and velocities) in work.
typedef struct br_relative {
    br_mat3 R_WF;
    br_vec3 p_WM;
    br_mat3 R_FM;         // as it is, not as the kind would have it
    br_vec3 p_FM;         // F axes
    br_vec3 rho_A, rho_B; // from the links' reference points to M, world axes
    br_twist V;           // of M relative to F, F axes, at M
    br_vec3 w_A, w_B;     // world axes
} br_relative;

br_relative br_sim_relative(const br_sim *sim, const br_model_joint *joint, int with_velocity);
// Value that J A must have so that the relative acceleration along T (F axes) is `wanted`.
double br_relative_gamma(const br_relative *x, br_wrench T_F, double wanted);
// Adds the row for the wrench T_F (F axes, at M) on the second body: entries a (first) and b (second), -1: the world.
void br_relative_row(const br_relative *x, br_wrench T_F, double factor, br_group *group, int row, int a,
                     int b);

// Coordinates of any joint: tree joints from q and v, loop joints measured (turns counted from loop_q).
double br_coordinate_position(const br_sim *sim, int joint, int k);
double br_coordinate_velocity(const br_sim *sim, int joint, int k);
int br_position_index(const br_model_joint *joint, int k); // of velocity k; -1 for a quaternion's
void br_sim_measure_loop(const br_sim *sim, const br_model_joint *joint, const double *before, double *q);
void br_sim_measure_loops(const br_sim *sim, const double *before, double *loop_q);
void br_sim_count_turns(br_sim *sim, double h); // after a step of length h
void br_sim_variables(br_sim *sim);             // values and jets of function variables at (q_eval, v_eval)

// --- parts -------------------------------------------------------------------------------------------------

br_status br_groups_create(br_sim *sim, br_error *error);
// path_count, path_nv and dof_at; and the path, where it is given. on [links]: scratch.
void br_group_lay_out(const br_sim *sim, br_group *group, unsigned char *on, int *path);
void br_group_sweep(br_sim *sim, br_group *group);
// Accelerations of the links for vdot = 0, without gravity, into sim->A_products. After br_tree_velocity.
void br_sim_find_products(br_sim *sim);
double br_group_velocity(const br_group *group, int row, const br_twist *V, const double *v);
double br_group_rate(const br_sim *sim, const br_group *group, int row,
                     const double *v);                                       // of v, whose twists are in work
double br_group_products(const br_sim *sim, const br_group *group, int row); // J A - J vdot
double br_group_acceleration(const br_sim *sim, const br_group *group, int row, const br_twist *A,
                             const double *vdot);

br_status br_system_analyze(br_arena *arena, br_system *system, br_error *error); // once pairs are known
br_status br_system_create(br_sim *sim, br_system *system, br_error *error);
br_status br_system_shape(br_sim *sim, br_system *system,
                          br_error *error); // rows and pairs only: it cannot be factored
// Sweeps the rows and factors. After articulate and fill.
br_status br_system_factor(br_sim *sim, br_system *system);
br_status br_system_factor_swept(br_system *system); // rows already swept
// Rows that are nothing but rounding. elsewhere: another closed position to look at them in; NULL: none is known yet.
void br_system_find_empty(br_sim *sim, br_system *s, const double *elsewhere);
void br_system_set_usual(br_sim *sim, br_system *system,
                         const double *q_best); // usual and least, after assembly
// Dependent rows are left out from now on, so that `rank` stay: those that are held well at q, others where these fail.
br_status br_system_leave_out(br_sim *sim, br_system *system, int rank, const double *q, br_error *error);
// force := W^-1 r; eta := sum of z force. r is kept. Refined where the factor is damped, or not: then damped least
// squares, for projections.
void br_system_solve_once(br_sim *sim, br_system *system, const double *r, double *force, double *eta);
void br_system_solve(br_sim *sim, br_system *system, const double *r, double *force, double *eta);

void br_system_apply(br_sim *sim, br_system *system, const double *force,
                     double *eta); // eta = sum of z force

// The value that acts in a step of length h from state.t; of the instant t_eval where h is 0.
double br_step_mean(const br_sim *sim, const br_function *f);
void br_forces(br_sim *sim); // tau, armature, wrench, at t_eval, q_eval, v_eval
void br_motors_forget(
    br_sim *sim); // the state was changed from outside: which hold their velocity is not known
void br_forces_bounded(br_sim *sim); // servos with a largest effort, as explicit forces clamped to it
void br_forces_springs(br_sim *sim); // point springs, bushings, loop-joint springs as explicit forces
// Adds one load, effort or gravity to tau and wrench, as it is at the evaluation, or a force or gravity of another vector in world axes.
// Returns its size: N, N m, m/s^2.
double br_forces_of_load(br_sim *sim, int load, const br_vec3 *instead);
double br_forces_of_drive(br_sim *sim, int drive);
// An effort along one coordinate of any joint, into tau and wrench.
void br_forces_effort(br_sim *sim, int joint, int k, double effort);
double br_forces_of_gravity(br_sim *sim, const br_vec3 *instead);

// Assembly at the start, in parts: positions, with rows as they are known so far, and velocities.
br_status br_assemble_positions(br_sim *sim, br_error *error);
br_status br_assemble_velocities(br_sim *sim, br_error *error);
void br_sim_joint_rows(const br_sim *sim,
                       double *J); // [rows * nv] of the exact rows, each of length 1; after fill

br_status br_absolute_create(br_sim *sim, br_error *error);
br_status br_absolute_solve(br_sim *sim, br_system *system, br_error *error);

// One constraint row of the absolute form: of the tree joint that carries `link` (its T number `row`), or row `row` of
// a group. T_W: world axes, on the link at its reference point, for tree joints.
typedef struct br_absolute_row {
    int link, row;
    const br_group *group;
    int group_row;
    double *force;
    br_wrench T_W;
} br_absolute_row;

// Count of rows; rows [count] and transposed [6 links x count] where not NULL.
int br_absolute_rows(br_sim *sim, double *transposed, br_absolute_row *rows);
int br_absolute_row_joint(const br_sim *sim,
                          const br_absolute_row *row); // whose reaction it is a part of; -1: none
void br_absolute_wanted(br_sim *sim, double *gamma);   // of the same rows, after them: what J A must be
// Known forces of the evaluation on every link at its reference point, efforts of joints included.
void br_absolute_loads(const br_sim *sim, br_wrench *F);
// Adds to F [links] the wrenches that read velocity `dof`: F . V is factor times it.
void br_absolute_reader(const br_sim *sim, int dof, double factor, br_wrench *F);

struct br_bounded;
br_status br_bounded_create(br_sim *sim, br_error *error);
void br_bounded_destroy(struct br_bounded *bounded);
void br_bounded_set_aside(br_sim *sim); // forces that the next solve starts from, while an instant is read
void br_bounded_take_up(br_sim *sim);
// Whether limits are to get their paths only while they push: a model has many, and nothing else asks for their rows.
int br_bounded_keeps_apart(const br_sim *sim);
br_system *br_bounded_system(br_sim *sim); // every group, or those that push and all that are no limits
br_status br_bounded_solve(br_sim *sim, const double *r, double *force, br_error *error);

// With the factors at hand, or renewed first: a step may use only factors of its own, so that it depends on the state
// alone.
br_status br_project_position(br_sim *sim, double *q, int renewed, br_error *error);
br_status br_project_velocity(br_sim *sim, br_error *error); // state.v
br_status br_project_renew(br_sim *sim,
                           br_error *error); // factors of M and of the exact rows, at the positions in work
void br_correct_velocity(br_sim *sim, double *v);
double br_loop_error(const br_sim *sim);          // largest |phi| of exact groups
double br_loop_velocity_error(br_sim *sim);       // largest |u - J v|
void br_sim_fill(br_sim *sim, br_system *system); // rows at the positions in work
double br_limit_gap(const br_sim *sim, const br_group *group);
br_status br_limits_create(br_sim *sim);
void br_limits_settle(
    br_sim *sim); // joints that the state has beyond their limits stay there, see group_limit.c
void br_limits_keep(br_sim *sim); // after a step: what has come back does not go out again
const char *br_group_name(const br_sim *sim, const br_group *group);

#endif
