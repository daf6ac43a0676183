// Contacts inside a simulation. Private to src/sim.
//
//     contact/find.c     shapes -> near pairs -> contact points, matched with those of the step before
//     contact/play.c     joints with play, as contact of pin and hole
//     contact/law.c      what each friction law makes of a contact: rows, bounds, compliances, basis
//     contact/solve.c    all rows of a step (contacts, loops, limits, drives, springs) as one problem in velocities
//     contact/problem.c  the arrays of that problem: Jacobians, masses, pattern
//     core/instant.c     forces of an instant, for reactions
//     contact/ledger.c   friction, impacts, stored energy, events
//     contact/euler.c    rotation by Euler angles, as in the paper
//     read/contact_channel.c     forces, names, channels, rank
//     lcp/standard.c      the standard form of [TanLiu]
//
// A `touch` is one contact point. Rows are (normal, tangent 1, tangent 2), planar models (normal, tangent 1); its
// Jacobian is +J for the first body and -J for the second [TanLiu eq. 7].
#ifndef BR_SIM_CONTACT_CONTACT_H
#define BR_SIM_CONTACT_CONTACT_H

#include "bristle/contact.h"
#include "friction/normal.h"
#include "sim/core/sim.h"

typedef struct br_touch {
    int shape_a, shape_b; // a never is a plane or a height field
    int link_a, link_b;   // -1: fixed to the world
    uint32_t feature;     // see collide.h
    int number;           // K of its name
    int pair;             // of materials
    int age;              // steps since it appeared; 0: new
    double size;          // of the smaller shape, m
    br_vec3 point;        // where it acts, world
    br_vec3 normal;       // from b to a
    br_vec3 tangent[2];   // of the law's rows
    double turn[2];       // cosine and sine from the surface's own axes to tangent
    double roll[2];       // and to the axes of rolling friction
    double turning;       // rad/s about the first of them at the step's start; 0: held
    double gap;           // at the step's start, offset included
    // carried from step to step, world axes
    br_contact_state state;
    int since;         // steps since one that asked for a velocity at its end
    int wedged;        // steps for which it is not asked to open: the last try contradicted another contact
    int reach_age;     // steps since `reach` was found
    double f_n;        // N, of the last step
    br_vec3 f_t;       // N, on a
    br_vec3 f_bristle; // N, elastic part of f_t: k_T times the deflection. Law bristle
    br_vec3 moment;
    double
        guess_n; // N, what the next solve starts from: the forces, or older ones that differ by rounding only
    br_vec3 guess_t;
    double stored; // J, in the spring of a compliant contact at the end of the last step
    br_vec3
        after; // velocity of a relative to b that the last step left, at the positions of its evaluation, m/s
    double
        closing; // normal part of `after`, of a contact that landed, m/s; < 0: it used the step to close a gap
    double
        reach; // m/s that friction and the free motion could change its sliding by in a step; see contact/law.c
    double
        offset; // m, depth at which it began, less what it has opened by since: its gap is counted from there
    // of the step
    br_contact_state was; // at the step's start
    int kinetic;          // the kinetic phase of the bristle law
    int together;         // its bodies turn as one, or not at all
    int stood;            // it was at rest when the step began
    int alone;            // it is the only point between its two shapes
    int arrives;          // it begins in this step, or has not come to rest
    int lands;            // its normal row asks for the velocity at the step's end
    int stops;            // its tangential rows do: it may come to stick
    int overcome;         // its static friction was, in this step
    int impact;           // comes too fast for rest, closes within the step, and has restitution
    double share;         // of the bristles between its two shapes
    double mu;            // that holds in this step
    double speed;         // sliding, at the start, m/s
    double rolling_speed; // of one surface turning against the other, about the tangents, m/s
    br_vec3 slip_start;   // tangential velocity of a relative to b at the start
    br_vec3 turned;      // what turning adds to it from the evaluation to the step's end, of what stands, m/s
    double approach;     // normal velocity at the start, m/s; < 0: closing
    double acceleration; // free, along the normal, m/s^2
    br_vec3 drift;       // velocity at the state itself, m/s; what a contact that lasts should not have
    double returned;     // Poisson: normal impulse of the second phase, in the problem's units
    double rebound;      // normal velocity that restitution asks for, m/s; 0: none
    double normal_guess; // m/s: normal velocity about which a compliant law is linearized
    double softness_normal; // of the normal row, of compliant contacts
    double softness;        // of a tangential row: its own diagonal of J M^-1 J^T, about, 1/kg
    double f_n_bound;       // N: normal force that lagged bounds and b_mu come from
    br_vec3 slip;           // that the law saw
} br_touch;
BR_NO_PADDING(br_touch, 22 * sizeof(int) + 25 * sizeof(double) + 13 * sizeof(br_vec3));

struct br_contact_problem;
typedef struct br_contacts br_contacts;

struct br_contacts {
    br_broad *broad;
    br_placement *place; // [shapes] at the positions of the last find
    br_aabb *box;        // [shapes] grown by `grown`
    double *grown;       // [shapes] m; 0 for fixed ones
    br_vec3 *axis_L;     // [shapes] a surface's own first axis, in the link's frame
    int count, capacity;
    br_touch *touch;  // sorted by (shape_a, shape_b, feature)
    br_touch *before; // of the state: what the next find is matched with; in its block, as the part
    br_state_part
        *kept; // whose count and capacity are its own. It moves where br_contacts_make_room lays it out again
    br_normal_law *normal_law; // [pairs]
    int lags;                  // br_contacts_lag
    struct br_contact_problem *problem;
    int *
        method; // br_solver_kind that gave the forces of the last step; BR_SOLVER_AUTO: none yet. In the block, as
    int group_rows; // of all groups
    double *
        group_guess; // [group_rows] N, group by group: forces of the last step, what the next solve starts from
    int *left; // [capacity] of `before`: contacts that carried force and are gone, found by the last match
    int left_count;
    int jammed; // no contact is asked to open in this step: they cannot all do so
    double
        near; // of W: the step is solved once more, for other bounds, and its answer drawn near to the last one; 0: not
    double drawn; // by how much that changes velocities, of what impulses make of them
    int work; // steps of Newton that this step's solves have taken so far, counted where solver.max_work bounds them, ...
    double cut;  // ... and the largest residual of one that ended with the best found; 0: none did
    int changed; // some contact of the last solve sticks, slips, opens or closes other than before
    int landed;  // some contact of the last solve began to carry force, or was still closing
};

br_status br_contacts_create(br_sim *sim, br_error *error); // none possible: sim->contacts stays NULL
void br_contacts_destroy(br_sim *sim);
br_status br_contacts_reserve(br_sim *sim, int capacity, br_error *error); // memory for so many touches
void br_contacts_look(br_sim *sim);                              // touches of the state into `before`
br_status br_contacts_check_start(br_sim *sim, br_error *error); // "start-penetration"
// What the gap of a point is counted from, m: see br_touch.offset. Of a new one, the deepest of its pair.
double br_contacts_start_depth(const br_sim *sim, int a, int b, uint32_t feature);

// Contact points at the positions in sim->work, near enough to close within h at the velocities in sim->work.motion (or
// within `margin` if that is more), matched with `before`. Errors: a pair of materials that is not listed
// ("contact-pair"), out of memory.
br_status br_contacts_find(br_sim *sim, double h, double margin, br_error *error);

// The present touches become `before`: after a step that was accepted. There is room for them: it was made while the step could
// still fail.
br_status br_contacts_make_room(br_sim *sim, br_error *error);
void br_contacts_keep(br_sim *sim);
void br_contacts_keep_groups(
    br_sim *sim); // forces of the other rows become guesses: reading must not change those
// Forces of the present touches become what the next solve starts from, unless they differ from that by rounding only.
void br_contacts_keep_guesses(br_contacts *contacts);

// Wrench on link a for a unit force along `direction` at the touch, at a's reference point, world axes; on b: the negative
// about b's own. link -1: zero.
br_wrench br_touch_wrench(const br_sim *sim, const br_touch *touch, br_vec3 direction, int on_b);
// Velocity of a relative to b at the touch, of the links' twists V; NULL: those in work.motion.
br_vec3 br_touch_velocity(const br_sim *sim, const br_touch *touch, const br_twist *V);

// The clearance that a touch is of; NULL: it is of shapes.
static inline const br_model_clearance *br_touch_play(const br_sim *sim, const br_touch *touch) {
    const int play = touch->pair - sim->model->contact->pairs;
    return play >= 0 ? &sim->model->clearance[play] : NULL;
}

double br_shapes_size(const br_model *model, int a, int b); // of the smaller one, m
int br_touch_same(const br_touch *a, const br_touch *b);    // pair of shapes and feature
int br_touch_order(const br_touch *a, const br_touch *b);   // < 0, 0, > 0: by them, as a find lists them
void br_touch_name(const br_sim *sim, const br_touch *touch, char *name, size_t size);

// --- the contact stepper -----------------------------------------------------------------------------------

br_status br_contact_problem_create(br_sim *sim, br_error *error);
void br_contact_problem_destroy(br_sim *sim);

// After the smooth forces of an evaluation are known and br_contacts_find has run: vdot, the forces of all groups and
// work.A with contacts, limits and drives solved together. Touches get their forces; `before` is not changed.
int br_contacts_ask_to_open(const br_sim *sim); // some contact is inside another shape, or strikes
br_status br_contact_solve(br_sim *sim, br_error *error);

// One solve for the rows of a step as they are, contact/rows.c. bounds_only: nothing but bounds changed since the last one.
br_status br_sim_solve_rows(br_sim *sim, br_system *system, int refactor, int bounds_only, br_error *error);

// Powers of contacts at the velocities in work.motion, see contact/ledger.c; energy that touches store after their step.
void br_contact_powers(const br_sim *sim, br_powers *powers);
double br_contacts_stored(const br_sim *sim, br_touch *touch, int count); // each gets its part
double br_contacts_hidden(const br_sim *sim, const br_touch *touch, int count);
void br_contact_maxima(br_sim *sim); // penetration, creep, ... of the touches into the ledger
void br_contact_events(br_sim *sim); // of touch against before

// Rotation by Euler angles: sim->turn, before the forces of a step; positions and velocities, at its end.
br_status br_euler_begin(br_sim *sim, br_error *error);
br_status br_euler_finish(br_sim *sim, const double *q_start, const double *v_start, double h, int old,
                          double *q, double *v);

// What a friction law makes of one contact in one step, in the units of the problem: impulses are p' = theta p, velocities
// are those at theta of the step.
typedef struct br_touch_rows {
    double mu;                       // of implicit laws
    double bound;                    // of lagged ones: each tangential |p'| at most
    double offset[3], compliance[3]; // b and C
} br_touch_rows;

// Velocities at the step's start (of the links' twists V, NULL: in work.motion), phase and coefficient: what kind of law.
void br_touches_phase(const br_sim *sim, br_touch *touch, int count, const br_twist *V);
int br_touch_gives_way(const br_sim *sim, const br_touch *touch); // 1: what the law holds may move
// Kind of a contact's block. BR_LAW_BOX: bounds are numbers, and the normal is a block of its own.
br_law_kind br_touch_law_kind(const br_sim *sim, const br_touch *touch);
// Basis of the step, and what the free motion says. free: velocities (normal, tangents in the surface's axes) after it. Turns
// touch->tangent by touch->turn.
int br_touch_slides_far(const br_sim *sim, const br_touch *touch); // 1: it cannot stop, by an earlier reach
int br_touch_needs_free(const br_sim *sim, const br_touch *touch); // 0: begin does not look at it
void br_touch_begin(const br_sim *sim, br_touch *touch, const double *free);
void br_touch_rows_of(const br_sim *sim, const br_touch *touch, br_touch_rows *rows);
// The force of a compliant contact over the step for a normal velocity v at theta, N, and how it came about (may be NULL).
typedef struct br_touch_pressing {
    double depth_start, depth_end, depth_loss,
        depth_next;      // m; next: at the next evaluation, with the velocity v_next
    double v_next;       // m/s
    double rate_next;    // m/s: mean rate of the depth that a damper sees on the way to depth_next
    double lag;          // part of the force that is of depth_next
    double rigid;        // part that is too stiff for the step
    double damped;       // of what a blow loses, the part that the law's own damper takes: 1 - e^2
    double spring, loss; // N, of what is not
} br_touch_pressing;

double br_touch_press(const br_sim *sim, const br_touch *touch, double v, br_touch_pressing *out);
// Forces in N (normal, tangents), and the velocities that the law saw: sets forces, slip and state.
void br_touch_finish(const br_sim *sim, br_touch *touch, const double *f, const double *w);
// Offset of a normal row that asks for the velocity `wanted` at the step's end.
double br_touch_end_offset(const br_sim *sim, const br_touch *touch, double wanted);
// What an answer shows of a contact that calls for another solve of the step: static friction is overcome, so that mu_kinetic
// holds from here on; or friction turned back what slid, so that it is asked to stop. 1: the rows are others now.
int br_touch_may_revise(const br_sim *sim, const br_touch *touch); // 0: no answer can do so
int br_touch_revise(const br_sim *sim, br_touch *touch, const double *f, const double *w);
// Whether any contact of the model can have something lagged; where not, br_touch_lag is 0 and no first bounds are needed.
int br_contacts_lag(const br_sim *sim);
// How far, relative, f_n_bound and normal_guess are from what came out, where the answer depends on them. turns: moments of rolling or
// torsion feel their bounds; those that are inside of the old ones and of the new ones are what they are with either.
double br_touch_lag(const br_sim *sim, const br_touch *touch, const double *f, const double *w, int turns);
#endif
