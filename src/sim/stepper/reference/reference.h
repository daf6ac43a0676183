// Parts of the reference stepper. Private to these files:
//     reference/reference.c         the loop: steps, events, states handed out
//     reference/create.c  the integrator: methods, tolerances, memory
//     reference/rate.c    its right-hand side
//     reference/method.c  which of its methods
//     reference/vector.c  its vectors and their norm
//     reference/limit.c   joint limits, and
//     reference/motor.c   motors with a largest effort: rows that are on or off
//     reference/friction.c joint friction
//     contact/contact.h contact, in files of its own
#ifndef BR_SIM_STEPPER_REFERENCE_REFERENCE_H
#define BR_SIM_STEPPER_REFERENCE_REFERENCE_H

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>

#include "sim/core/sim.h"

struct br_reference_contact;

// Entries of y behind q and v: work put in, dissipated by dampers, by friction of contacts (where there are any).
enum { BR_INTEGRAL_INPUT = 0, BR_INTEGRAL_DAMPING, BR_INTEGRAL_FRICTION, BR_INTEGRALS };

// What the integrator carries: y = [q, v, books, z], quaternions as they come, work in J, z the states of friction laws.
typedef struct br_reference {
    br_sim *sim;
    SUNContext context;
    void *adams, *bdf, *memory; // memory: the one in use
    SUNNonlinearSolver fixed_point;
    SUNLinearSolver linear;
    SUNMatrix matrix;
    N_Vector y, absolute, scratch;
    N_Vector safe; // y where it was last well away from singular positions, at t_safe
    double t_safe, *loop_q_safe;
    double relaxation; // factor on the tolerance while a singular position is passed at the second attempt
    int nq, nv;
    int books, states,
        n; // entries behind q and v, states of friction laws and of bristles behind those; all of y
    int bristles, unused; // states of bristles of contacts, at the end; those that no contact has now
    double t;             // where the integrator has come to: at the delivered state or beyond
    double stop;          // the next knot of a table; forces are those left of it until it is reached
    int at_stop, at_limit, at_switch, at_renewal, at_contact,
        at_friction;    // what happened at t and waits for its turn
    int at_lost;        // the friction forces that it goes on with end here
    int past;           // how often in a row it was looked beyond such an end, and
    double t_past;      // until when
    double attraction;  // rate at which open loops close, 1/s
    double *q, *v;      // normalized, of the closed state
    double *q_before;   // normalized, as integrated
    double *loop_q;     // of the integrator's own position
    double *error;      // [nv] scratch of the norm
    double *weak;       // [rows] the combination of rows that is nearest to dependent
    double *row_size;   // [rows] the largest diagonal of W so far
    double *resisted;   // [links] the least inertia that resists a joint, the largest so far
    double weakest;     // its eigenvalue in the scaled W; 1 where there are no rows
    int shy;            // positions nearly singular are not evaluated: a step ends elsewhere
    int passing;        // a singular position, since the integrator was last started
    int factored;       // the rows have been factored since the integrator was started
    double *force, *dv; // scratch of projections: [rows], [nv]
    int has_power;      // anything that does work or dissipates
    int stiff;          // consecutive looks at which dampers dictated the step
    int untried;        // the state came from outside: no method has moved it yet
    int fast_steps;     // consecutive ones in which bristles gave way too fast for Adams' methods,
    int slow_steps;     // or slowly enough for them
    double damped;      // the rate of dampers at the last look at them, 1/s
    int stalled;        // consecutive steps too short to move the clock
    long steps;         // since the integrator was last started
    double work;        // multiplications since t_looked, counted roughly
    double t_looked;    // the last time that the clock had moved by a solver.step, or a state was handed out
    double most_work;   // at which an evaluation fails, and the run with it
    int moving;         // within a call: closed contacts are those of the state at hand
    int without_friction; // the evaluation at hand leaves joint friction out
    int outside; // of sim when a state was last handed out. That is sim->last, and the last good one when a step fails
    br_error cause; // why the right-hand side last refused
    // joint limits and motors with a largest effort
    int limits, active, motors;           // all of them, those that are on, the motors among them
    br_group **limit;                     // [limits]
    int *on;                              // [limits] held as an equality
    int *was_on;                          // [limits] while impacts are found, and
    double *was_back;                     // [limits] the efforts of those that were held back
    double *margin;                       // [limits] how far below zero a gap is let before it counts
    br_system held;                       // exact rows and limits; limits that are off are empty rows
    struct br_reference_contact *contact; // NULL: nothing can touch
} br_reference;

N_Vector br_reference_vector(br_reference *r); // NULL when out of memory

// --- creation ----------------------------------------------------------------------------------------------

br_status br_step_reference(br_sim *sim, double t, br_error *error); // from the state to t
br_status br_reference_create(br_sim *sim, br_error *error); // into sim->reference; partly so on failure
void br_reference_destroy(br_reference *r);
br_status br_reference_create_bdf(br_reference *r, br_error *error);
int br_reference_tolerances(br_reference *r, void *memory); // nonzero: failed
br_status br_reference_no_memory(br_error *error);

// --- methods -----------------------------------------------------------------------------------------------

br_status br_reference_choose_method(br_reference *r, br_error *error); // at a start
int br_reference_method_has_changed(br_reference *r); // after a step: it goes on with another, from a start
int br_reference_is_stiff(br_reference *r, double h); // dampers have dictated the step for long

// --- rates -------------------------------------------------------------------------------------------------

int br_reference_rate(double t, N_Vector y, N_Vector ydot, void *reference);
// Known forces and rows at (t, q, v), closed contacts among them; without joint friction.
void br_reference_evaluate(br_reference *r, double t, const double *q, const double *v);
// Accelerations and forces at (t, q, v): everything of the right-hand side but the closing of loops.
br_status br_reference_solve(br_reference *r, double t, const double *q, const double *v, br_error *error);
// The same without the forces of rigid contacts, which are left to whoever asks. After it c->vdot_free is set.
br_status br_reference_solve_free(br_reference *r, double t, const double *q, const double *v,
                                  br_error *error);
// r->q and r->v to the nearest state in which loops, held limits and contacts are closed.
br_status br_reference_project(br_reference *r, double t, br_error *error);
// Inertias and rows factored at the simulation's state, whose kinematics are in work.
br_status br_reference_factor(br_reference *r, br_error *error);
// The joint whose inertia has become the smallest part of what it was, at the last evaluation: its link, and that part; -1: no links.
int br_reference_least_resisted(const br_reference *r, double *part);
br_system *br_reference_system(br_reference *r); // with the limits that are held
void br_reference_fill(br_reference *r, br_system *system);
// The largest rate at which dampers slow anything down, 1/s, at the integrator's state; 0 where it swings.
double br_reference_damping_rate(br_reference *r);

// --- locating ----------------------------------------------------------------------------------------------

// Whether something that held is over at t, within the integrator's last step; its state at t is then in r->scratch.
typedef br_status (*br_reference_check)(br_reference *r, double t, int *over, br_error *error);
// Of (low, high], nothing being over at low and something at high: r->t and r->y go to the first instant at which something is.
br_status br_reference_bisect(br_reference *r, double low, double high, br_reference_check check,
                              br_error *error);

// --- limits ------------------------------------------------------------------------------------------------

br_status br_reference_limits_create(br_reference *r, br_error *error);
int br_reference_roots(double t, N_Vector y, realtype *roots, void *reference);
// Which limits hold at the simulation's state, with the impulses that make its velocity obey them.
br_status br_reference_settle(br_reference *r, br_error *error);

// --- motors ------------------------------------------------------------------------------------------------

int br_reference_is_motor(const br_group *g);                    // with a largest effort
double br_reference_motor_gamma(br_sim *sim, const br_group *g); // of one that holds on
double br_reference_motor_lacks(br_sim *sim, br_group *g);       // its velocity, of what it should hold
void br_reference_motors_keep(br_reference *r);                  // what is on into the rows and efforts
void br_reference_motors_set_aside(br_reference *r);             // all off, to be taken up as they were
void br_reference_motors_take_up(br_reference *r);
void br_reference_motors_off(br_reference *r); // they give no impulses
// What is as fast as it should be holds on, what is not is driven there with the largest effort.
void br_reference_motors_take(br_reference *r);
void br_reference_motor_give_up(br_reference *r, int i,
                                double force); // it goes on with its largest effort along `force`
// A motor that is held back although it would run ahead of what it should hold; -1: none.
int br_reference_motor_overtakes(br_reference *r);

// --- joint friction ----------------------------------------------------------------------------------------

int br_reference_friction_states(const br_sim *sim); // of all laws
void br_reference_friction_take(br_reference *r,
                                const double *y); // states of the laws, out of the integrator's
void br_reference_friction_give(const br_reference *r, double *y); // and into it
void br_reference_friction_tolerances(const br_reference *r, double rtol, double *absolute);
// Forces of the evaluation at hand, modes being given, into tau and wrench.
br_status br_reference_friction_forces(br_reference *r, br_error *error);
void br_reference_friction_rates(br_reference *r,
                                 double *ydot); // of the laws' states and of the friction book
// An event: modes are chosen at the simulation's state, beside the contacts that are closed and as their modes are; then the velocities of
// what sticks become zero exactly, and *lost is the energy that takes; then what has changed since the beginning is told.
br_status br_reference_friction_begin(br_reference *r, int fresh, br_error *error);
br_status br_reference_friction_choose(br_reference *r, br_error *error);
br_status br_reference_friction_stop(br_reference *r, double *lost, br_error *error);
void br_reference_friction_tell(const br_reference *r);
int br_reference_is_friction_lost(const br_error *why); // friction forces ended, or were not found
// After a step from `before`: where a mode ended in it, r->t and r->y move back there.
br_status br_reference_friction_locate(br_reference *r, double before, int *ended, br_error *error);
br_status br_reference_friction_deliver(br_reference *r, br_error *error); // forces of the simulation's state

#endif
