// A simulation: one model, one state, the scratch to move it. Many may share a model, one per thread.
//
//     br_sim_create    assembles loops, makes velocities consistent
//     br_sim_step      one step of the model's stepper; nothing is allocated after the first
//     br_sim_advance   to a given time, exactly
//     br_sim_channel_* any quantity by name, as CSV columns and plots have it
//     br_channels_*    many of them at once, a row; record.h makes results of rows
//
// A failing step returns a status, names the cause and leaves the last good state. No call returns NaN with BR_OK.
//
// The state is in joint coordinates whatever `coordinates` says: q (nq numbers) and v (nv numbers), bodies' own joints
// in the order of the bodies, parents first. A free joint has position, quaternion (w, x, y, z); velocity in world
// axes, angular velocity in body axes.
#ifndef BRISTLE_SIM_H
#define BRISTLE_SIM_H

#include "bristle/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct br_sim br_sim;

br_status br_sim_create(const br_model *model, const br_allocator *allocator, br_sim **out, br_error *error);
void br_sim_destroy(br_sim *sim); // accepts NULL
const br_model *br_sim_model(const br_sim *sim);

// What was done to the initial state so that loops close and velocities agree with every joint.
typedef struct br_assembly {
    int iterations;
    // largest mismatch of a loop as given: m or rad
    double loop_error_before;
    // after
    double loop_error;
    // largest velocity across a closed row, as given: m/s or rad/s
    double velocity_error_before;
    // nonzero: positions were changed
    int moved;
    // nonzero: velocities were changed
    int velocities_changed;
    // the joint with the largest mismatch as given
    char worst[BR_MAX_NAME];
} br_assembly;

const br_assembly *br_sim_assembly(const br_sim *sim);

// A coordinate that closing the loops moved when the simulation was created. Positions that the model gives are kept where the loops can be
// closed by moving others.
typedef struct br_assembly_change {
    const char *joint;
    // which of its coordinates; -1: its orientation, whose `from` is 0 and `to` the angle it turned by
    int coordinate;
    // m or rad
    double from, to;
    // nonzero: rad
    int is_angle;
    // nonzero: the model gives it, and it could not be kept
    int given;
} br_assembly_change;

// Number k of them, in the order of the bodies; 0: there are fewer.
int br_sim_assembly_change(const br_sim *sim, int k, br_assembly_change *out);

// --- state -------------------------------------------------------------------------------------------------

double br_sim_time(const br_sim *sim);
const double *br_sim_q(const br_sim *sim); // [nq]
const double *br_sim_v(const br_sim *sim); // [nv]

// Sets q and v as they are (quaternions are normalized); loops are not assembled. The ledger starts anew.
br_status br_sim_set_state(br_sim *sim, double time, const double *q, const double *v, br_error *error);

// Closes loops and makes velocities consistent about the present state, as create did.
br_status br_sim_assemble(br_sim *sim, br_error *error);

// The whole state as bytes: time, q, v, contacts, warm starts, what the stepper carries on, ledger. Loaded by any simulation of the
// same model it continues with the same bits; the reference stepper starts its integrator again there. The size grows with the
// number of contacts: ask before each save.
size_t br_sim_snapshot_size(const br_sim *sim);
void br_sim_save(const br_sim *sim, void *bytes);
// size: of the bytes at hand. What was cut off or changed, or is of another model or version, is refused, and nothing changes.
br_status br_sim_load(br_sim *sim, const void *bytes, size_t size, br_error *error);
// Of everything that the next step depends on: equal where two simulations of a model go on with the same bits.
uint64_t br_sim_hash(const br_sim *sim);

// --- moving ------------------------------------------------------------------------------------------------

br_status br_sim_step(br_sim *sim, br_error *error); // by the model's step
br_status br_sim_advance(br_sim *sim, double time, br_error *error);

// The first time after t at which solver.restart lets the reference stepper begin anew; INFINITY: every is 0.
double br_restart_time(double t, double every);

// The last step of the implicit stepper, and the longest step that each rule of solver.adaptive asks for next (INFINITY:
// none). Of other steppers: solver.step.
typedef struct br_step_info {
    // s
    double step, by_error, by_contact, by_friction;
    // of all steps so far, s
    double smallest, largest;
    // what limits the next step: solver.step, local error, contact, friction, ...
    const char *limit;
    // steps taken again, shorter
    long rejected;
} br_step_info;

br_step_info br_sim_step_info(const br_sim *sim);

// Forces beyond the model's own, added at every evaluation. wrench[body]: on the body, about its frame's origin, world
// axes; effort[i] acts along v[i]. Both arrive zeroed. The work done is `input` in the ledger. t and the state to
// read are those of the evaluation: use the poses and v given, not br_sim_q.
typedef struct br_force_view {
    double t;
    const double *q, *v;
    // [bodies] X_WB
    const br_pose *pose;
    // [bodies] at the frame's origin, world axes
    const br_twist *twist;
} br_force_view;

typedef void (*br_force_callback)(void *context, const br_force_view *view, br_wrench *wrench,
                                  double *effort);
void br_sim_set_force(br_sim *sim, br_force_callback callback, void *context); // NULL: none

// --- controls ----------------------------------------------------------------------------------------------

// The target of a drive from now on, in its own unit (N or N m, m/s or rad/s; of a servo m or rad), until it is set again or released.
// To be called between two calls of br_sim_advance. It acts as a target of the model that is constant: implicitly in the step, and its work is
// input. It is part of the state: snapshots carry it. A drive that prescribes a position exactly takes none.
br_status br_sim_set_control(br_sim *sim, const char *drive, double value, br_error *error);
br_status br_sim_release_control(br_sim *sim, const char *drive,
                                 br_error *error); // the model's own target again
// The target at the present state, set or the model's own.
br_status br_sim_control(br_sim *sim, const char *drive, double *value, br_error *error);

// --- reading -----------------------------------------------------------------------------------------------

br_pose br_sim_body_pose(const br_sim *sim, int body);               // X_WB
br_twist br_sim_body_twist(const br_sim *sim, int body);             // at the body frame's origin, world axes
void br_sim_joint_position(const br_sim *sim, int joint, double *q); // loop joints too
void br_sim_joint_velocity(const br_sim *sim, int joint, double *v);

// Accelerations at the present state, from the same balance of the instant as reactions: of a body at its frame's origin, world
// axes, d/dt of br_sim_body_twist; of a joint d/dt of br_sim_joint_velocity. Contact forces are those of the last step while
// nothing began, ended, stuck or slipped in it, else those of a step from here; impacts are no part of them. Where
// the contacts of the instant cannot be solved they are the accelerations of the last step. With the implicit
// stepper those of its scheme: of the end of its last step, for energy_decaying the mean of it. Kept until the state changes.
br_status br_sim_body_acceleration(br_sim *sim, int body, br_twist *out, br_error *error);
br_status br_sim_joint_acceleration(br_sim *sim, int joint, double *vdot, br_error *error);

// What the joint exerts on its second body, at M's origin: without the efforts of its own drive, spring or damper.
// Of the instant, from the accelerations at the present state; where redundant rows leave it open, the smallest
// (pseudoinverse of the absolute form). Computed on demand, kept until the state changes.
br_status br_sim_joint_reaction(br_sim *sim, int joint, br_wrench *in_M, br_wrench *in_W, br_error *error);

typedef struct br_energy {
    // J
    double kinetic, potential, elastic, total;
} br_energy;

// Energy since the start: input = change of stored + friction + impact + damping + scheme + unaccounted.
typedef struct br_ledger {
    br_energy start, now;
    // by loads, drives and callbacks, J
    double input;
    // dissipated by contacts and joints, J
    double friction;
    // lost by normal impulses of rigid contacts, J
    double impact;
    // dissipated by dampers, limits and servos, J
    double damping;
    // dissipated by the time stepping, from its own algebra, J
    double scheme;
    // the remainder: equations not solved exactly, J
    double unaccounted;
    // largest, m or rad
    double loop_error;
    // largest, m/s or rad/s
    double loop_velocity_error;
    // largest complementarity residual
    double residual;
    // largest, m
    double penetration;
    // largest |f_t| / (mu f_n) - 1 of a contact that carries force, 0 or more
    double cone_violation;
    // largest slip of a contact that sticks, m/s
    double creep;
    // largest number of contacts at once that carried force
    long contacts;
    long steps, iterations, evaluations;
} br_ledger;

br_ledger br_sim_ledger(const br_sim *sim);
br_energy br_sim_energy(const br_sim *sim);

typedef enum br_event_kind {
    BR_EVENT_STICK = 0,
    BR_EVENT_SLIP,
    BR_EVENT_CONTACT_ON,
    BR_EVENT_CONTACT_OFF,
    BR_EVENT_LIMIT,
    BR_EVENT_LOAD_KNOT
} br_event_kind;
#define BR_MAX_EVENT_NAME (2 * BR_MAX_NAME + 48) // a contact is named after two shapes

typedef struct br_event {
    double t;
    br_event_kind kind;
    // of the element
    char name[BR_MAX_EVENT_NAME];
    double value;
} br_event;
typedef void (*br_event_callback)(void *context, const br_event *event);
void br_sim_set_event(br_sim *sim, br_event_callback callback, void *context);

// Channels: any quantity by its name (CONTRACTS.md): t, BODY.position.x, JOINT.velocity, JOINT.reaction.force.x, ...
typedef struct br_channel {
    // meaning is private
    int kind, index, component;
    char unit[12];
} br_channel;

br_status br_sim_channel_find(const br_sim *sim, const char *name, br_channel *out, br_error *error);
br_status br_sim_channel_read(br_sim *sim, const br_channel *channel, double *value, br_error *error);
int br_sim_channel_count(const br_sim *sim); // every channel of the model, in a fixed order
void br_sim_channel_name(const br_sim *sim, int k, char *name, size_t size);

// Visits every channel in the order of their numbers, until visit returns nonzero, which is returned; else 0. Faster
// than asking for one name after the other in models of thousands of channels.
typedef int (*br_channel_visit)(void *context, const char *name, const br_channel *channel);
int br_sim_channel_each(const br_sim *sim, br_channel_visit visit, void *context);

// Channels that are read together, as a row of a table: found once, and what they share is computed once a row. Of one model, for
// any simulation of it. Reading gives the same bits as br_sim_channel_read of each in turn.
typedef struct br_channels br_channels;

typedef enum br_channel_choice {
    BR_CHANNELS_ALL = 0, // every channel of the model
    BR_CHANNELS_BODIES,  // t, pose and velocity of bodies and their frames, energies and the ledger
    BR_CHANNELS_MOTION,  // t, pose and velocity of bodies and their frames, joint positions and velocities
    BR_CHANNELS_OUTPUTS, // `outputs` of the model, with t before them where it is not among them; without any: MOTION
    BR_CHANNELS_RECORDED, // what a result keeps: ALL, then sums of contacts (contact.h), then `outputs` that are not among them
    BR_CHANNELS_RECORDED_FEW, // the same with BODIES in the place of ALL
} br_channel_choice;

br_status br_channels_choose(const br_sim *sim, br_channel_choice choice, const br_allocator *allocator,
                             br_channels **out, br_error *error);
// By name, in that order; t comes first when it is not among them. An unknown one is an error with the nearest spelling. A name with * in
// it is a pattern and stands for every channel that it matches; `A~*.force.normal` is a channel of its own (contact.h).
br_status br_channels_named(const br_sim *sim, const char *const *names, int count,
                            const br_allocator *allocator, br_channels **out, br_error *error);
void br_channels_destroy(br_channels *channels); // accepts NULL
int br_channels_count(const br_channels *channels);
const char *const *br_channels_names(const br_channels *channels); // [count], as long as the list lives
const char *br_channels_unit(const br_channels *channels, int k);
// values: [count], all of them or, on failure, none that can be used.
br_status br_channels_read(const br_channels *channels, br_sim *sim, double *values, br_error *error);

// --- the model's own mathematics at the present state ------------------------------------------------------

// In joint coordinates: M vdot + bias = tau (+ loops). Row-major. Springs, dampers, loads and drives are not in bias;
// gravity and velocity products are. Armature is in M.
void br_sim_mass_matrix(br_sim *sim, double *M);                            // [nv * nv]
void br_sim_bias(br_sim *sim, double *bias);                                // [nv]
void br_sim_inverse_dynamics(br_sim *sim, const double *vdot, double *tau); // [nv] M vdot + bias
void br_sim_jacobian(br_sim *sim, int body, br_vec3 point_B, double *linear,
                     double *angular); // [3 * nv] each, world

// The acceleration of everything: loads, springs, drives, loops, limits included.
br_status br_sim_acceleration(br_sim *sim, double *vdot, br_error *error);

// Freedoms and redundant rows: of the mechanism, on the branch of closed positions that it was assembled on, and in the position
// of the present state, where there may be more of both (a singular position).
typedef struct br_mobility {
    // nv minus the rank of the loop rows, of the mechanism
    int degrees_of_freedom;
    // of all joints, drives and constraints, absolute form
    int rows;
    // of them, rows that depend on the others wherever the mechanism can go
    int redundant;
    // in this position alone; more than degrees_of_freedom: it is singular
    int degrees_of_freedom_here;
    int redundant_here;
    // 1: the model has too many rows for other positions, what is said of the mechanism is the start's; 2: for any, it was not looked into
    int too_large;
    // how well the weakest independent row holds here, about 1 where it holds well, 0 at a singular position
    double grip;
    // by how much redundant rows contradict each other, m or rad; 0: they agree
    double contradiction;
    // where it is more, a run stops
    double contradiction_limit;
    // the joint that is open by that
    char contradicts[BR_MAX_NAME];
    // of the degrees of freedom: a body turns about the line through its ball joints, nothing else moves
    int idle;
    // "BODY (JOINT, JOINT)", one per line, as many as have room
    char idle_of[1024];
    // nonzero: of a joint that is named the frames F and M have different axes
    int turned;
} br_mobility;

// names (may be NULL) receives rows whose forces the motion does not determine in this position, one per line: "JOINT.force.x" and so
// on in the axes of the joint's frame F, on its first body, as `redundancy: eliminate(JOINT.ROW)` takes them (channels have the axes of M,
// on its second body); distances, gears, racks, drives and constraints, which have one row, by their name.
br_status br_sim_mobility(br_sim *sim, br_mobility *out, char *names, size_t size, br_error *error);

// Eigenvalues of the motion linearized about the present state, on independent coordinates: 2 * degrees_of_freedom
// (real, imaginary) pairs at most, sorted by imaginary then real part.
br_status br_sim_linearize(br_sim *sim, double *real, double *imaginary, int capacity, int *count,
                           br_error *error);

#ifdef __cplusplus
}
#endif

#endif
