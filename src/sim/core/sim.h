// Inside a simulation: the state, the scratch, and who does what. Private to src/sim.
//
//     forces.c      loads, springs, drives -> efforts and wrenches; implicit terms -> armature
//     group*.c      constraint rows: one table per kind of element (loop, coupling, drive, constraint, spring, limit)
//     system.c      rows -> Delassus matrix -> forces, in joint coordinates
//     absolute.c    the same over six velocities per body, every joint a group of rows
//     accelerate.c  all of it: the acceleration at (t, q, v)
//     project.c     closes loops in position and velocity; assembly
//     stepper/      one file or folder per stepper
//     ledger.c, reaction.c, channel.c, snapshot.c, mobility.c, linearize.c
#ifndef BR_SIM_CORE_SIM_H
#define BR_SIM_CORE_SIM_H

#include <float.h>

#include "bristle/sim.h"
#include "bristle/solver.h"
#include "linalg/block_ldu.h"
#include "model/model.h"
#include "sim/core/ledger_judge.h"

typedef struct br_group br_group;

// Of a length: lengths that agree to this are meant to be equal, as numbers typed with five or six digits are. Redundant rows
// may contradict each other by as much.
#define BR_EPS_MADE_OF_DIGITS 3e-5

#define BR_MAX_GROUP_PARTS 32 // coordinates or points that one group of rows may combine

// What one kind of element contributes. rows, links and velocities are fixed when the simulation is created.
typedef struct br_group_kind {
    const char *name;
    // Rows F and coefficient, and phi where has_position, at the positions in sim->work.
    void (*fill)(br_sim *sim, br_group *group);
    // gamma (value that J A must have) and compliance, after fill and br_tree_velocity. NULL: zeros.
    void (*rate)(br_sim *sim, br_group *group);
    // u (velocity that J v must have), after fill. NULL: zeros.
    void (*target)(br_sim *sim, br_group *group);
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
    int entries;         // links that the rows load
    int *link;           // [entries]
    br_wrench *F;        // [rows * entries] on each link at its reference point, world axes
    int dofs;            // velocities that the rows load directly
    int *dof;            // [dofs]
    int *dof_at;         // [dofs] where they are in y and z
    double *coefficient; // [rows * dofs]
    int coordinate_count;
    br_coordinate *coordinates;     // that the rows are made of, where they are
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

typedef enum br_valid { BR_VALID_REACTIONS = 1, BR_VALID_ACCELERATIONS = 2 } br_valid;

typedef struct br_sim_state {
    double t, *q, *v;
    double *loop_q;             // [loop_nq] measured coordinates of loop joints, counting turns
    double *vdot, *vdot_before; // [nv] accelerations of the last step and of the one before
    int has_vdot;               // how many of them are fit for a prediction
    double h_before;            // length of the last step
} br_sim_state;

// A spring and damper on one velocity of a tree joint, or a servo without a largest effort.
typedef struct br_joint_spring {
    int dof, q_at; // q_at -1: a quaternion's, damping only
    double stiffness, damping, rest;
    double softness; // of the velocity alone, at the start, see springs.h
    int drive;       // servo whose target replaces rest; -1: a spring
} br_joint_spring;

struct br_absolute;
struct br_bounded;
struct br_contacts;
struct br_reference;
struct br_dense;
struct br_frictions;
struct br_implicit;
struct br_sticks;

struct br_sim {
    const br_model *model;
    br_arena arena;
    br_allocator allocator;
    br_sim_state state, last; // last: of the step's start, put back when a step fails
    br_tree_work work;
    int at; // what work holds: 0 nothing, 1 positions of state.q, 2 velocities of state.v too
    // evaluation
    double t_eval, h, theta;                 // of the forces; h = 0: explicit everything
    double t_next;                           // where the contact stepper's step ends
    const double *q_eval, *v_eval, *v_start; // v_start: velocity at the step's start, for implicit terms
    double *turn; // [nv] what Euler rates add to vdot, see contact/euler.c; NULL: rotations are quaternions
    double *tau, *armature, *vdot, *v_mid, *v_next, *q_mid, *q_try, *eta;
    br_wrench *wrench;
    br_twist *V;          // [links] scratch twists
    br_twist *V_start;    // [links] of v_start at the positions of the evaluation
    int start_known;      // V_start is, until the step's evaluation ends
    br_twist *A_products; // [links] what velocities alone make of accelerations: J A is J vdot + J A_products
    br_jet *jets;         // [model->variables] for functions of the state; NULL when there are none
    double *values;       // same, values only
    int has_wrench;       // anything writes into wrench
    int pressed;          // wrench has the contacts of an instant, or gyroscopic torques of a step
    int turning;          // the step has gyroscopic torques, in wrench
    br_tree_turn gyroscope;
    int springs;
    br_joint_spring *spring;
    br_wrench *load_wrench; // [loads] on the first link at its reference point, of the last evaluation
    double *drive_effort;   // [drives] effort drives: of the last evaluation
    // constraint rows
    int groups;
    br_group *group;
    br_system exact; // loops, couplings, drives, constraints
    br_system *step; // the contact stepper's: &exact, or
    br_system
        step_own; // the same plus springs and bounded drives: of the contact stepper. Limits come only when broken
    struct br_absolute *absolute; // NULL unless needed
    struct br_bounded *bounded;   // NULL unless there are bounded rows
    struct br_contacts *contacts; // NULL unless shapes may touch
    struct br_reference *reference;
    struct br_implicit *implicit;   // NULL until the implicit stepper is used
    struct br_frictions *frictions; // NULL unless joints have friction
    struct br_dense *dense;         // friction/balance.c; NULL until asked for
    struct br_sticks *sticks;       // stick.c; NULL but for the contact stepper, where something can stick
    int redundant;                  // loop rows are dependent: reactions are those of the absolute form
    br_branch branch;               // of the assembly
    // results
    br_assembly assembly;
    br_ledger ledger;
    br_energy energy; // at the state
    double work_done; // sum of |input| over the steps, J
    br_judge judge;
    br_giver giver[BR_JUDGED_SIGNS];    // of the step at hand
    br_scheme_share *share;             // [br_shares_count] see ledger_share.c
    double *share_power;                // [same] W, of the last br_sim_powers
    double *taken_power;                // [springs + groups] W, what each takes under damping or friction
    double *shape_thickness;            // [shapes of the model] m
    int reactions_valid;                // bits of br_valid: what was read of the state and still holds
    br_wrench *reaction_M, *reaction_W; // [joints]
    br_wrench *transmitted;             // [links]
    br_twist *acceleration;             // [links] classical, at the reference points, world axes
    double *acceleration_v;             // [nv]
    double *effort_joint;               // scratch [nv]
    double length_scale;                // of a typical link, m
    double extent;        // of the whole mechanism, m: what rounding errors of positions are relative to
    double velocity_left; // largest |u - J v| that the last velocity projection left
    double loop_turn;     // bound on how far a loop joint can have turned since loop_q was measured, rad
    br_force_callback callback;
    void *callback_context;
    br_wrench *user_wrench;
    double *user_effort;
    br_pose *body_pose;
    br_twist *body_twist;
    br_event_callback event;
    void *event_context;
    int lagging;           // something was too stiff for the last step to follow
    int overshoots;        // the evaluation of this step is beyond a contact or a limit that its start is not
    int passing;           // this step passes a singular position, see stepper/contact.c
    int touching;          // the last solve had contacts in it
    int bounds_active;     // the last solve was one of bounded rows
    int runnable;          // nothing in the model is beyond this version; checked once
    int outside;           // how often the state was changed from outside
    int kinematic_checked; // outside + 1 when the drives were last found to determine the motion
    int *limit_active;     // [groups] for events
    double *spring_length; // [loads] free length of springs
    double *coupling_offset; // [couplings] what position_1 + ratio position_2 stays at
};

// Memory for a diagnosis, from the simulation's own allocator.
static inline void *br_sim_take(const br_sim *sim, size_t bytes) {
    return sim->allocator.allocate(sim->allocator.context, bytes);
}

static inline void br_sim_give(const br_sim *sim, void *memory) {
    sim->allocator.release(sim->allocator.context, memory);
}

// --- kinematics --------------------------------------------------------------------------------------------

br_pose br_sim_link_pose(const br_sim *sim, int link);
// Wrenches on the links that are known before the rows are solved; NULL: there are none.
static inline const br_wrench *br_sim_known_wrench(const br_sim *sim) {
    return sim->has_wrench || sim->callback || sim->pressed ? sim->wrench : NULL;
}

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
void br_group_sweep(br_sim *sim, br_group *group);
double br_group_velocity(const br_group *group, int row, const br_twist *V, const double *v);
double br_group_rate(const br_sim *sim, const br_group *group, int row,
                     const double *v);                                       // of v, whose twists are in work
double br_group_products(const br_sim *sim, const br_group *group, int row); // J A - J vdot
double br_group_acceleration(const br_sim *sim, const br_group *group, int row, const br_twist *A,
                             const double *vdot);

br_status br_system_analyze(br_arena *arena, br_system *system, br_error *error); // once pairs are known
br_status br_system_create(br_sim *sim, br_system *system, br_error *error);
// Sweeps the rows and factors. After articulate and fill.
br_status br_system_factor(br_sim *sim, br_system *system);
br_status br_system_factor_swept(br_system *system);  // rows already swept
void br_system_find_empty(br_sim *sim, br_system *s); // rows that are nothing but rounding
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

void br_forces(br_sim *sim);         // tau, armature, wrench, at t_eval, q_eval, v_eval
void br_forces_bounded(br_sim *sim); // servos with a largest effort, as explicit forces clamped to it
void br_forces_springs(br_sim *sim); // point springs, bushings, loop-joint springs as explicit forces

// vdot, forces of the groups and work->A at (t_eval, q_eval, v_eval), positions and velocities being in work.
br_status br_sim_solve(br_sim *sim, br_system *system, int refactor, br_error *error);

br_status br_sim_hold_bounds(br_sim *sim, br_error *error); // of the instant, see accelerate.c
br_status br_sim_instant(br_sim *sim, br_error *error);     // at the state, explicit forces, exact rows
// Assembly at the start, in parts: positions, with rows as they are known so far, and velocities.
br_status br_assemble_positions(br_sim *sim, br_error *error);
br_status br_assemble_velocities(br_sim *sim, br_error *error);
void br_sim_joint_rows(const br_sim *sim,
                       double *J); // [rows * nv] of the exact rows, each of length 1; after fill

// Directions of v that the exact rows leave free, orthonormal [count * nv]. Diagnostics, by singular values.
typedef struct br_freedom {
    int count;
    double *basis;
} br_freedom;

br_status br_sim_freedom(br_sim *sim, br_freedom *out, br_error *error);
void br_freedom_free(br_freedom *freedom);
br_status br_sim_stop_effort(br_sim *sim, int joint, int k, double *effort, br_error *error);
br_status br_sim_drive_effort(br_sim *sim, int drive, double *effort, br_error *error);
br_status br_sim_no_inertia(const br_sim *sim, int link, br_error *error);

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
void br_absolute_wanted(br_sim *sim, double *gamma); // of the same rows, after them: what J A must be
// Known forces of the evaluation on every link at its reference point, efforts of joints included.
void br_absolute_loads(const br_sim *sim, br_wrench *F);
// Adds to F [links] the wrenches that read velocity `dof`: F . V is factor times it.
void br_absolute_reader(const br_sim *sim, int dof, double factor, br_wrench *F);

br_status br_bounded_create(br_sim *sim, br_error *error);
void br_bounded_destroy(struct br_bounded *bounded);
void br_bounded_remember(br_sim *sim); // forces that the next solve starts from; put back when a step fails
void br_bounded_put_back(br_sim *sim);
size_t br_bounded_warm_size(const br_sim *sim); // doubles in a snapshot
void br_bounded_save(const br_sim *sim, void *bytes);
void br_bounded_load(br_sim *sim, const void *bytes);
br_system *br_bounded_system(br_sim *sim); // every group
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
const char *br_group_name(const br_sim *sim, const br_group *group);

br_status br_step_contact(br_sim *sim, double h, double t_next,
                          br_error *error); // t_next: where it ends, to the last bit
br_status br_step_reference(br_sim *sim, double t, br_error *error);
br_status br_step_kinematic(br_sim *sim, double t, br_error *error);
br_status br_step_implicit(br_sim *sim, double t, br_error *error);
void br_reference_destroy(struct br_reference *reference);

// Power of each kind of force, W: of the last solve's forces on the twists in work.motion and velocities v.
typedef struct br_powers {
    double inertia; // what the bodies' accelerations ask for, gravity included
    double input, damping, elastic, loops;
    double friction, impact; // taken by contacts
    int lagging;             // a spring or a compliant contact was too stiff for the step, see br_softening
} br_powers;

br_powers br_sim_powers(br_sim *sim, const double *v);
void br_ledger_start(br_sim *sim);
void br_sim_update_energy(br_sim *sim); // of the state, whose velocities are in work
void br_ledger_step(br_sim *sim, double h, const br_powers *powers, br_energy before);
double br_sim_potential(const br_sim *sim);
double br_sim_elastic(const br_sim *sim);

#endif
