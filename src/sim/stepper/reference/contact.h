// Contact in the reference stepper: exact Coulomb friction between events. Private to these files:
//     contact.c          what is refused, memory, what is handed out
//     contact_locate.c   where events are
//     contact_settle.c   what happens at them
//     contact_hold.c     contacts that are closed: where they are, how they move, what a force on them does
//     contact_force.c    their forces at an instant, and whether their modes still hold
//     contact_decide.c   their modes from the problem in accelerations; Painleve's paradox
//     contact_impact.c   velocities after contacts close
//     contact_cone.c     one complementarity problem, given its matrix
//     contact_rub.c      joint friction in it
//     contact_bristle.c  bristles of finite stiffness
//     contact_play.c     joints with play: pin and hole
//     contact_pinv.c     least-norm solutions of small dense systems
//
// A `hold` is a contact point that is closed. See docs/theory/reference_contact.md.
#ifndef BR_SIM_STEPPER_REFERENCE_CONTACT_CONTACT_H
#define BR_SIM_STEPPER_REFERENCE_CONTACT_CONTACT_H

#include "sim/contact/contact.h"
#include "sim/stepper/reference/reference.h"

#define BR_EPS_HYSTERESIS 1e-9 // of a force or an acceleration: how far beyond its bound ends a mode
#define BR_EPS_GRAZING                                                                                       \
    1e-9               // of the smaller shape: an open contact this near may begin below zero by rounding
#define BR_STOPPED 2.0 // of the speed of rest: a contact without slip
#define BR_HOLD_ROWS 3

// Why a mode ended.
enum {
    BR_FIRED_CLOSES = 1, // an open contact closes
    BR_FIRED_OPENS = 2,  // a closed one would have to pull
    BR_FIRED_STOPS = 4,  // the sliding speed reaches zero
    BR_FIRED_SLIPS = 8,  // sticking would need more than mu_static f_n
    BR_FIRED_LOST = 16,  // the parts that touched no longer face each other
    BR_FIRED_PARADOX = 32
};

typedef struct br_hold {
    br_touch touch; // who touches; where, of the last look
    const br_pair_def *pair;
    const br_normal_law *law;
    int rigid;
    br_contact_state state; // sticks or slips
    br_vec3 ahead;          // unit: where the slip points, or will as soon as there is any
    int armed;              // has been faster than the speed that counts as rest
    int fired;              // bits of the last check
    int old;                // was a hold before the event
    br_contact_state was;   // in that case
    double approach;        // m/s, of an impact; 0: none
    double ratio;           // |f_t|/f_n just before the event
    double v0;              // m/s, law viscous: it never sticks, and has mu f_n from this speed on. Else 0
    double drag;            // of the last look: what slips has friction drag f_n, against `direction`
    // bristles of finite stiffness: what sticks moves as they bend
    int springy;
    double stiffness, damping; // N/m, N s/m: its share of those of the two shapes
    br_vec3 spring;  // m, how far they are bent; a state of the integrator while it sticks, or follows a law
    double stored;   // J, what they keep while it slips
    double f_n_near; // N, the normal force a little earlier or later
    br_vec3 n_rate;  // 1/s, of the last look: d/dt n
    // joints with play: pin and hole
    const br_model_clearance *play; // NULL: shapes
    const br_friction_params
        *follows;      // its friction is a function of velocity and of the state z = spring; NULL: coulomb
    double closing;    // m/s, at which the pin met the hole
    int yields;        // law bristle: z is at its edge, and only turns; its events are those of bristles
    double speed_near; // m/s, its slip a little earlier or later
    // of the last look
    br_vec3 u, slip;   // velocity of a relative to b, its tangential part
    br_vec3 direction; // of slip, unit
    double u_n, speed;
    double u_n_rate; // d/dt (n . u) at constant v, m/s^2
    br_vec3 u_rate;  // d/dt u at constant v
    br_vec3 n_first; // the first normal of the looks that n_rate is found from
    br_vec3 frozen_a, frozen_b,
        frozen_n; // point on a in a's link, point and normal on b in b's: of the last good step
    // of the last forces
    int row; // its first, -1: none
    double f_n;
    br_vec3 f_t;
} br_hold;

// Its tangents are rows: it does not move at all.
static inline int br_hold_is_stuck(const br_hold *h) {
    return h->state == BR_CONTACT_STICKS && !h->springy;
}

// d/dt of the slip at constant v. A compliant normal moves along n, which turns: slip = u - u_n n.
static inline br_vec3 br_hold_slip_rate(const br_hold *h) {
    return h->rigid ? h->u_rate : br_vec3_add_scaled(h->u_rate, -h->u_n, h->n_rate);
}

// Its friction is that of bristles that bend, and known.
static inline int br_hold_is_bent(const br_hold *h) {
    return h->state == BR_CONTACT_STICKS && h->springy;
}

// All of its forces are known: nothing of it is a row.
static inline int br_hold_is_known(const br_hold *h) {
    return !h->rigid && !br_hold_is_stuck(h);
}

// Directions of friction at a contact with normal n; how many there are.
static inline int br_hold_tangents(const br_sim *sim, br_vec3 n, br_vec3 tangent[2]) {
    const br_mat3 basis = br_tangent_basis(n);
    tangent[0] = br_mat3_column(basis, 0), tangent[1] = br_mat3_column(basis, 1);
    if (sim->model->settings.planar == BR_SPATIAL) return 2;
    tangent[0] = br_vec3_cross(sim->model->normal, n);
    return 1;
}

// A row measures `direction` of the relative velocity; its unknown is a force along `force` on a.
typedef struct br_hold_row {
    int hold, normal;
    int given; // in the problem at hand: its force is known, and is minus b
    br_vec3 direction, force;
} br_hold_row;

// Joint friction beside the rows of contacts: one row for each direction of each rub, its force within bounds that follow from the loads of the
// joints, which are found by iteration. What moves along the rub's law has bounds that are equal.
typedef struct br_rub_rows {
    int rows;
    int *rub, *direction;  // [rows]
    double *b, *x, *w;     // [rows]
    double *lower, *upper; // [rows]
    double *W;             // [rows * rows], and
    double *by_hold;       // [rows * rows of contacts] what forces of contacts do to rubs, and
    double *by_rub;        // [rows of contacts * rows] those of rubs to contacts
    double *dv;            // [rows * nv]
    double *load, *next;   // [rubs] N, or N s of an impact; of the answer
    int impulses;
} br_rub_rows;

typedef enum br_hold_rows {
    BR_ROWS_CLOSED, // what must not move: normals, tangents of those that stick. Symmetric
    BR_ROWS_FORCE,  // the same measured; friction of sliding contacts goes with their normal force
    BR_ROWS_CONE,   // normals with the friction of those that slip, normals and tangents of those that stick
    BR_ROWS_ALL     // normals and tangents of all. Symmetric
} br_hold_rows;

// x = A^+ b of a square matrix.
typedef struct br_pinv {
    int n, rank;
    double *B;          // [n * n] columns one after the other: the factors
    double *tau, *zeta; // [n] of the reflections from the left and from the right
    double *y;          // [n] scratch
    int *order;         // [n] of the columns
} br_pinv;

// An open contact that begins its life at about zero gap.
typedef struct br_grazing {
    int shape_a, shape_b;
    uint32_t feature;
    double margin; // how far below zero its gap is let
} br_grazing;

typedef struct br_near_pair {
    int a, b;
} br_near_pair;

typedef struct br_reference_contact {
    int count, old_count, capacity;
    br_hold *hold, *old;
    int near_count, near_capacity; // pairs that may touch within a step
    br_near_pair *near;
    int grazing_count, grazing_capacity;
    br_grazing *grazing;
    int delivered_count, delivered_capacity;
    br_touch *delivered; // of the state handed out, for when a step fails
    // dense scratch: rows [3 capacity]
    int rows;
    br_hold_row *row;
    double *W, *b, *x, *w;   // [rows * rows], [rows]
    double *kept;            // [rows]
    double *mu;              // [capacity] of the cone problem
    double *q_kept, *v_kept; // [nq], [nv]
    double *vdot_free;       // [nv] accelerations without contacts
    double *dv;  // [rows * nv] response to a unit of each row's force, loops and limits staying closed
    br_twist *V; // [rows * links] the same
    br_pinv pinv;
    double *
        blow; // [capacity] N s, of an impact in which law viscous has no more than its speeds say; 0: mu of it
    br_rub_rows *rubs;       // of the problem at hand; NULL: joints take no part
    int *path;               // [links] in falling order
    double *y, *z, *eta, *q; // [nv], [nq]
    // scales
    double size;         // of the smallest moving shape, m
    double weight;       // of the model, N; of 1 m/s^2 where there is less gravity
    double speed;        // largest so far, m/s
    double pace;         // 1/s: how fast directions and places of contacts change
    double acceleration; // of the last forces, m/s^2
    double fine;         // factor by which differences along the motion are shorter than usual
    double turning;      // 1/s: how fast friction turns slip that is not along it, at most
    int implicit;        // the integrator is the one for stiff systems because of that
    int stiff_steps;     // since it began to be fast
    int idle_steps;      // in which that integrator had steps that the other could have had too
    double
        turning_idle; // 1/s, at which that lasted: something else dictates the step, and it is not asked for again below
    double slack; // on BR_EPS_HYSTERESIS, grows when events do not change anything
    double friction_power, damping_power, elastic; // of the last forces, W and J
    double impact;                                 // lost so far, J
    double friction_jump;                          // lost to friction in impacts since last asked, J
    int deficient;                                 // the last forces are not unique
    int consistent;                                // the last forces meet all rows
    int paradox;      // hold that the last forces suspect of having no unique answer; -1
    long events_here; // since the clock last moved
    double t_event;
    long events_in_window; // since t_window, at most one solver.step ago
    double t_window;
} br_reference_contact;

// --- contact.c -----------------------------------------------------------------------------

br_status br_reference_contact_create(br_reference *r, br_error *error);
void br_reference_contact_destroy(br_reference *r);
br_status br_reference_contact_deliver(br_reference *r,
                                       br_error *error); // forces into the simulation's contacts
br_status br_reference_contact_remember(br_reference *r, br_error *error); // contacts of the last good state
void br_reference_contact_put_back(br_reference *r);                       // when a step failed
br_status br_reference_contact_reserve(br_reference *r, int holds, br_error *error);
void br_reference_give(const br_sim *sim, void *memory); // accepts NULL

// --- contact_settle.c ------------------------------------------------------------------------------

// Modes and velocities at the simulation's state. fresh: it came from outside. *struck: velocities jumped.
br_status br_reference_contact_settle(br_reference *r, int fresh, int *struck, br_error *error);
br_status br_reference_contact_close(br_reference *r,
                                     br_error *error); // the simulation's state onto all rows

// --- contact_locate.c ------------------------------------------------------------------------------

// Before a step: which pairs may close in it.
br_status br_reference_contact_watch(br_reference *r, br_error *error);
// After a step from `before`: if a mode ended in it, r->t and r->y move back to where it did, and *ended is nonzero.
br_status br_reference_contact_locate(br_reference *r, double before, int *ended, br_error *error);
// Takes OPENS and SLIPS out of `fired` where another distribution of the forces keeps all contacts as they are.
br_status br_reference_contact_shares(br_reference *r, int *fired, br_error *error);
void br_holds_update_scales(br_reference *r, const br_twist *V, int fresh);
void br_holds_find_stiffness(br_reference *r); // c->turning, after the forces

// --- contact_hold.c --------------------------------------------------------------------------------

// Points of the pair at the positions in work, gaps up to margin.
int br_hold_manifold(const br_reference *r, int a, int b, double margin, br_contact_point *point);
// Place and velocities of every hold, at the positions in work and the twists V. Where parts no longer face each other,
// `fired` says so and the hold goes on as the point and plane that it was.
void br_holds_look(br_reference *r, const br_twist *V);
void br_holds_freeze(br_reference *r);                                  // remember point and plane
void br_holds_rates(br_reference *r, const double *q, const double *v); // u_rate, u_n_rate
void br_holds_rows(br_reference *r, br_hold_rows kind);                 // rows, their responses and W
// -gap of each closed row, or -velocity; then the correction to be added to q or v. After br_holds_rows(CLOSED).
void br_holds_correct_position(br_reference *r, double *dv);
void br_holds_correct_velocity(br_reference *r, const double *v, double *dv);
// dv [nv] and V [links] of the forces in work.force, which are used up; loops, held limits and motors staying as they are.
void br_hold_respond(br_reference *r, double *dv, br_twist *V);
// u along `direction` of a unit force along it at a hold, at the positions last factored.
double br_hold_compliance(br_reference *r, int hold, br_vec3 direction);
double br_hold_rest_speed(const br_reference *r); // m/s: slower is not sliding

// --- contact_force.c -------------------------------------------------------------------------------

void br_holds_add_compliant(br_reference *r);           // known forces into the simulation's wrenches
void br_holds_free(br_reference *r, br_hold_rows kind); // rows and b: their accelerations without row forces
void br_holds_forces(br_reference *r);             // f_n and f_t after the smooth solve, into its wrenches
int br_holds_check(br_reference *r, double slack); // bits of what ended, of the last forces
int br_holds_are_open(const br_reference *r); // forces that are not unique, or that joints at rest may share
br_status br_holds_admissible(br_reference *r, int *possible, br_error *error); // some distribution holds all

// --- contact_decide.c ------------------------------------------------------------------------------

// Whether every contact can stay as it is, at the simulation's state.
br_status br_holds_hold(br_reference *r, double slack, int *holds, br_error *error);
br_status br_holds_decide(br_reference *r, br_error *error); // at the simulation's state
// Number of solutions of the sliding problem of the last forces, as far as it can be told; 1 is well.
int br_holds_solutions(br_reference *r);
br_status br_holds_paradox(const br_reference *r, int hold, int solutions, br_error *error);

// --- contact_impact.c ------------------------------------------------------------------------------

br_status br_holds_impact(br_reference *r, int *struck, br_error *error); // changes the simulation's velocity

// --- contact_bristle.c -----------------------------------------------------------------------------

#define BR_MAX_SPRINGY 40                                // contacts with bristles of finite stiffness
int br_bristle_states(const br_sim *sim);                // entries of y for them
void br_bristles_take(br_reference *r, const double *y); // deflections out of the integrator's state, and
void br_bristles_give(const br_reference *r, double *y); // into it
void br_bristles_rates(const br_reference *r, double *ydot);
void br_bristles_tolerances(const br_reference *r, double rtol, double *absolute);
// Shares of the holds, whose forces stay; of new ones those of the touch where `fresh`.
br_status br_bristles_begin(br_reference *r, int fresh, br_error *error);
void br_bristle_stops(br_hold *h); // sliding has ended: bent as its last friction is
br_vec3 br_bristle_force(const br_hold *h);
double br_bristles_stored(const br_reference_contact *c); // J

// --- contact_play.c --------------------------------------------------------------------------------

int br_play_states(const br_sim *sim); // entries of y for the states of their laws, behind those of joints
int br_hold_play(const br_reference *r, int shape); // the clearance that a shape stands for; -1: none
// The point of clearance k at the positions in work, if its gap is at most margin: 1, else 0.
int br_play_manifold(const br_reference *r, int k, double margin, br_contact_point *point);
void br_play_hold(br_reference *r, br_hold *h, int fresh); // law and state of one that begins, or begins anew
// n_rate, of the twists V. Returns the rate at which the pin's centre passes the play, 1/s: within a part of it all is smooth.
double br_play_turn(const br_reference *r, br_hold *h, const br_twist *V);
void br_play_forces(br_hold *h);       // f_n, and f_t of what follows a law
double br_play_rate(const br_hold *h); // 1/s, at which its friction answers to slip
int br_play_bends(
    const br_hold *h); // law bristle: elastic up to an edge, which it meets and leaves at events
br_vec3 br_play_state(const br_hold *h); // z; of what yields, at the edge
// Bits of what ended, into `fired` of the holds too; away: how far in time speed_near is, 0: unknown.
int br_plays_check(br_reference *r, double away);
void br_plays_take(br_reference *r, const double *z);
void br_plays_give(const br_reference *r, double *z);
void br_plays_rates(const br_reference *r, double *rate);
void br_plays_tolerances(const br_reference *r, double rtol, double *absolute);

// --- contact_cone.c --------------------------------------------------------------------------------

// w = W p + b over the present rows, p into x. Holds with normal and tangent rows are cones with their mu, those with a
// normal row alone are unilateral.
br_status br_holds_cone(br_reference *r, br_outcome *outcome, br_error *error);

// --- contact_rub.c ---------------------------------------------------------------------------------

// Sets c->rubs for the contact rows at hand, accelerations or (impulses) velocities; nothing where no joint rubs.
br_status br_holds_add_rubs(br_reference *r, int impulses, br_error *error);
void br_holds_drop_rubs(br_reference *r);
// br_holds_cone with loads of the joints that agree with its answer, as far as they can be found.
br_status br_holds_cone_and_rubs(br_reference *r, br_outcome *outcome, br_error *error);
int br_holds_rubs_rest(const br_reference *r,
                       double enough);    // whether joints that stick do so in the answer, to `enough` m/s^2
void br_holds_take_rubs(br_reference *r); // the answer's forces become those of the joints

// --- contact_pinv.c --------------------------------------------------------------------------------

void br_pinv_factor(br_pinv *pinv, int n, const double *A);
void br_pinv_solve(const br_pinv *pinv, const double *b, double *x);
double br_pinv_diagonal(const br_pinv *pinv, int i, double *b, double *x); // (A^-1)_ii; b, x: scratch

#endif
