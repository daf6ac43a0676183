// Inside a simulation: the state, the scratch, and what the core does with them. Private to src/sim.
//
//     state/     one block of everything that a step depends on; calls no other room
//     rows/      what joints, drives, springs and limits ask for, and the forces that this takes
//     contact/   shapes that touch: found, as rows, solved together with all other rows
//     friction/  friction in joints
//     core/      sim.c creates and moves, instant.c puts rows, contact and friction together, ledger*.c and judgement.c keep
//                and judge the books, reaction.c and acceleration.c read forces and accelerations, snapshot.c keeps the state
//     stepper/   one folder and one row of a table per stepper, see stepper/stepper.h
//     read/      channels by name
//     study/     linearization, equilibria, small vibrations, the standard LCP of a step
//
// A room calls those above it in this list (core calls a stepper through its row of the table alone).
#ifndef BR_SIM_CORE_SIM_H
#define BR_SIM_CORE_SIM_H

#include "sim/core/ledger_judge.h"
#include "sim/rows/rows.h"
#include "sim/state/state.h"

typedef enum br_valid { BR_VALID_REACTIONS = 1, BR_VALID_ACCELERATIONS = 2 } br_valid;

// A drive's target as a program set it.
typedef enum br_control_mode { BR_CONTROL_NEVER, BR_CONTROL_SET, BR_CONTROL_RELEASED } br_control_mode;

typedef struct br_control {
    double value, since; // since: s, when the mode or the value became what it is
    int64_t mode;        // br_control_mode; the model's own target holds but for BR_CONTROL_SET
} br_control;

// What of the state is one number.
typedef struct br_moment {
    double t;
    double h_before;        // length of the last step
    double loop_turn;       // bound on how far a loop joint can have turned since loop_q was measured, rad
    double work_done;       // sum of |input| over the steps, J
    double contact_elastic; // stored in compliant contacts and bristles, J
    int has_vdot;           // how many of vdot and vdot_before are fit for a prediction
    int bounds_known;       // forces of bounded rows are a guess for the next solve
    int sharp;              // of br_system, where a stepper has set it: see stepper/kinematic
    int none;               // fills up the word
} br_moment;
BR_NO_PADDING(br_moment, 5 * sizeof(double) + 4 * sizeof(int));

// Where the state is: a view of sim->block.
typedef struct br_sim_state {
    br_moment *at;
    double *q, *v;
    double *loop_q;             // [loop_nq] measured coordinates of loop joints, counting turns
    double *vdot, *vdot_before; // [nv] accelerations of the last step and of the one before; not of `last`
} br_sim_state;

// A spring and damper on one velocity of a tree joint, or a servo without a largest effort.
typedef struct br_joint_spring {
    int dof, q_at; // q_at -1: a quaternion's, damping only
    double stiffness, damping, rest;
    double softness; // of the velocity alone, at the start, see springs.h
    int drive;       // servo whose target replaces rest; -1: a spring
} br_joint_spring;

struct br_absolute;
struct br_apart;
struct br_bounded;
struct br_contacts;
struct br_reference;
struct br_dense;
struct br_frictions;
struct br_implicit;
struct br_sticks;

struct br_sim {
    const br_model *model;
    const struct br_stepper_ops *stepper; // of the model, and
    const struct br_stepper_ops
        *own; // whose nodes and forces are read and saved beside the state; NULL: nobody's
    br_arena arena;
    br_allocator allocator;
    br_state block;           // everything that a step depends on
    br_sim_state state, last; // in it; last: of the step's start, put back when a step fails
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
    br_wrench *load_wrench;     // [loads] on the first link at its reference point, of the last evaluation
    br_control *control;        // [drives] set by a program, part of the state; see control.h
    br_function **held;         // [drives] what it is then
    const br_function **target; // [drives] that, or the model's own
    double *drive_effort;       // [drives] effort drives: of the last evaluation
    double *held_back; // [drives] of motors that the reference stepper found at their largest effort; else 0
    // constraint rows
    int groups;
    br_group *group;
    br_system exact; // loops, couplings, drives, constraints
    br_system *step; // the contact stepper's: &exact, or
    br_system
        step_own; // the same plus springs and bounded drives: of the contact stepper. Limits come only when broken
    struct br_absolute *absolute; // NULL unless needed
    int limits_apart;             // limits have their rows only while they push
    struct br_bounded *bounded;   // NULL unless there are bounded rows
    double *
        beam_force; // [6 * beam elements] N m, along the strains: of the last step of the contact stepper. NULL: of
                    // other steppers, whose strains tell
    struct br_contacts *contacts; // NULL unless shapes may touch
    struct br_apart *apart;       // NULL unless steps are split where something meets, see contact/apart.h
    struct br_reference *reference;
    struct br_implicit *implicit;   // NULL until the implicit stepper is used
    struct br_frictions *frictions; // NULL unless joints have friction
    struct br_dense *dense;         // friction/balance.c; NULL until asked for
    struct br_sticks *sticks;       // stick.c; NULL but for the contact stepper, where something can stick
    int redundant;                  // loop rows are dependent: reactions are those of the absolute form
    br_branch branch;               // of the assembly
    // results
    br_assembly assembly;
    double *q_assembled; // [nq] what the assembly made of the model's start; NULL: it moved nothing
    br_ledger *ledger;   // in the block, as
    br_energy *energy;   // at the state, and
    br_judge *judge;
    br_giver giver[BR_JUDGED_SIGNS];    // of the step at hand
    br_scheme_share *share;             // [br_shares_count] see ledger_share.c; in the block
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
    int meets_limit;       // a limit that pushes in this step was come to in it
    int passing;           // this step passes a singular position, see stepper/contact/step.c
    int touching;          // the last solve had contacts in it
    int bounds_active;     // the last solve was one of bounded rows
    int runnable;          // nothing in the model is beyond this version; checked once
    int outside;           // how often the state was changed from outside
    int kinematic_checked; // outside + 1 when the drives were last found to determine the motion
    int *limit_active;     // [groups] for events, in the block
    double *limit_offset; // [groups] rad or m by which a joint started beyond its limit; NULL: other steppers
    int *split_level;     // in the state: into how many halvings of solver.step steps are cut; NULL: never
    int halvings;         // of the step that is being taken, see stepper/contact/split.c; -1: it is not split
    double
        hidden; // J in pressed contacts at its start that a step of another length would give back, see there
    double part;           // s, length of the last step that stood, a half for two
    double made, made_of;  // J: what the time stepping made so far, this step too, and what that is a part of
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

// A part of the state: `count` items of `stride` bytes. now, last: addresses of the owner's pointers, see br_state_part.
static inline br_status br_sim_ask(br_sim *sim, const char *name, size_t stride, int count, unsigned flags,
                                   void *now, void *last) {
    const br_state_part part = {
        .name = name, .stride = stride, .count = count, .flags = flags, .now = now, .last = last};
    return br_state_ask(&sim->block, &part);
}

static inline const br_stepper_traits *br_sim_traits(const br_sim *sim) {
    return br_stepper_traits_of(sim->model->settings.solver.stepper);
}

// Friction in joints is rows of a step; other steppers have it as a force.
static inline int br_sim_rubs_by_rows(const br_sim *sim) {
    return sim->frictions && br_sim_traits(sim)->impulses;
}

// Clearances that are contacts of this simulation; of other steppers they are elements.
static inline int br_sim_plays(const br_sim *sim) {
    const br_stepper_traits *traits = br_sim_traits(sim);
    return traits->impulses || traits->chooses_steps ? sim->model->contact->plays : 0;
}

// Wrenches on the links that are known before the rows are solved; NULL: there are none.
static inline const br_wrench *br_sim_known_wrench(const br_sim *sim) {
    return sim->has_wrench || sim->callback || sim->pressed ? sim->wrench : NULL;
}

// Power of each kind of force, W: of the last solve's forces on the twists in work.motion and velocities v.
typedef struct br_powers {
    double inertia; // what the bodies' accelerations ask for, gravity included
    double input, damping, elastic, loops;
    double friction, impact; // taken by contacts
    int lagging;             // a spring or a compliant contact was too stiff for the step, see br_softening
} br_powers;

#endif
