// Contacts of a simulation: what touches, with which forces, and how well that is determined. And the same step as the
// standard-form complementarity problem of [TanLiu eqs. 12-15].
//
// A contact is named SHAPE_A~SHAPE_B#K. It keeps its name while it lasts, and its friction force is carried from step to
// step. Contacts that are near but carry no force are listed too.
#ifndef BRISTLE_CONTACT_H
#define BRISTLE_CONTACT_H

#include "bristle/sim.h"
#include "bristle/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BR_MAX_CONTACT_NAME BR_MAX_EVENT_NAME

typedef enum br_contact_state {
    BR_CONTACT_OPEN = 0, // near, without force
    BR_CONTACT_STICKS,
    BR_CONTACT_SLIPS,
    BR_CONTACT_STATES
} br_contact_state;

// World axes. After a step of the contact stepper, forces are the impulses of the step over its length and `slip` is the
// velocity that the law saw, D(q_k) v_(k+1) for theta 1; of the reference stepper, values of the instant.
typedef struct br_contact {
    // see br_model_shape_name
    int shape_a, shape_b;
    // -1: the ground
    int body_a, body_b;
    br_contact_state state;
    // normal: unit, from b to a
    br_vec3 point, normal;
    // m; < 0: penetration. At the step's start; with theta 1/2 at its middle, as point and normal
    double gap;
    // N, >= 0
    double normal_force;
    // on a, N
    br_vec3 friction;
    // rolling and torsional friction on a, N m
    br_vec3 moment;
    // of a relative to b in the tangent plane, m/s
    br_vec3 slip;
    // that held
    double friction_coefficient;
    // m; of a contact that started inside: the depth from which `gap` is counted, see br_start_penetration
    double start_depth;
} br_contact;

int br_sim_contact_count(const br_sim *sim);
void br_sim_contact(const br_sim *sim, int k, br_contact *out);
void br_sim_contact_name(const br_sim *sim, int k, char *name, size_t size); // up to BR_MAX_CONTACT_NAME

// What touches, summed over the points between two sides: a and b are names of bodies or shapes, or BR_WORLD, the ground; b "*" is
// everything that a touches. Channels: A~B.force.normal, .force.x|y|z, .torque.x|y|z, .center.x|y|z, .points.
typedef struct br_contact_sum {
    // that carry force
    int points;
    // of the normal forces, N: how hard they are pressed together
    double normal_force;
    // on a, world axes: N, and N m about `center`; about r it is torque + (center - r) x force
    br_vec3 force, torque;
    // mean of the points, weighted with their normal forces, world, m; 0 where nothing presses
    br_vec3 center;
} br_contact_sum;

// "channel-unknown": no such names, or they can never touch.
br_status br_sim_contact_sum(const br_sim *sim, const char *a, const char *b, br_contact_sum *out,
                             br_error *error);

// How far the contact forces of the last step are determined: rank of their rows together with every joint's, at the
// present positions. Rows with a compliance (bristles of finite stiffness, a compliant normal law) are always determined.
typedef struct br_contact_rank {
    // that carry force, or touch when nothing was stepped yet
    int contacts;
    // of them: 3 each, 2 in planar models
    int rows;
    // of the rows as they are: 0 when every force is determined
    int nullity;
    // of D alone
    int tangent_rows;
    // rank deficiency of D as a matrix, whatever the stiffness of bristles
    int tangent_nullity;
    // nonzero: the problem's matrix is nonsingular, thanks to compliance if nullity is not 0
    int regular;
    // components of contact forces that stay open: dependent rows without compliance or friction coefficient 0, less those that are dependent without any contact
    int undetermined;
} br_contact_rank;

// names (may be NULL) receives the contacts with undetermined forces, one per line. They are taken to stick.
br_status br_sim_contact_rank(br_sim *sim, br_contact_rank *out, char *names, size_t size, br_error *error);

// --- the mixed problem with bounds of [Peiret2016] ----------------------------------------------------------

// What the contact stepper solved in its last step: A z + q = w, lower <= z <= upper; z = lower needs w >= 0, z = upper needs
// w <= 0, between them w = 0 [Peiret2016 eqs. 30, 31]. z = (v+ of the bodies that take part, then impulses in N s: bilateral rows,
// normals, friction, the rest). With theta below 1 v+ is (1 - theta) v + theta v+ and impulses are theta times theirs.
typedef struct br_mixed_lcp {
    // velocities, all unknowns; 0: nothing touched in the step
    int m, n;
    // s: where the step began, its length
    double t, dt;
    double theta;
    // [n * n], [n], [n], [n]: row-major
    const double *A, *q, *lower, *upper;
    // [n] the step's own answer
    const double *z;
    // [n] of the unknowns: "velocity 0", "wheel~floor#0 normal"
    const char *const *name;
} br_mixed_lcp;

// Straight after a step: "lcp-step" otherwise. "lcp-form": a contact law whose bounds are not known before the step (cone,
// polygon, viscous, or bounds implicit). "lcp-size": more than 4000 unknowns. The state is not changed.
br_status br_sim_mixed_lcp(br_sim *sim, br_mixed_lcp **out, br_error *error);
void br_mixed_lcp_free(br_mixed_lcp *lcp); // accepts NULL

// --- the standard form of [TanLiu] --------------------------------------------------------------------------

// The next step from the present state as w = A z + q, z = (f_n [p], f_d [p d], lambda [p]), forces in N. Matrices are
// row-major. Bilateral rows of the model (loops, drives, springs) are eliminated from M^-1, so m stays the number of
// velocities.
typedef struct br_standard_lcp {
    // velocities, contacts, directions per contact, n = p (d + 2)
    int m, p, d, n;
    // s
    double dt;
    // [m * m]
    const double *M;
    // [m] tau*, N s [TanLiu eq. 5], with the impulses of bilateral rows without contacts
    const double *tau;
    // [m * p]      [TanLiu eq. 8]
    const double *N;
    // [m * p d]
    const double *B;
    // [p d * p]    [TanLiu eq. 10]
    const double *E;
    // [p]
    const double *mu;
    // [p] m, as in the first p entries of q: N^T M^-1 tau* + gap/dt (0 in the paper)
    const double *gap;
    // [p] s/kg: dt times it is on the diagonal of A. 0 of rigid contacts
    const double *compliance;
    // [n * n], [n] [TanLiu eq. 15]
    const double *A, *q;
    // [m * m] M^-1 less what bilateral rows take; A has it where eq. 15 has M^-1
    const double *inverse;
    // [m] M^-1 tau*: q' without contacts; q' = v_free + dt inverse (N f_n + B f_d)
    const double *v_free;
    // [p] of the contacts
    const char *const *name;
    // memory to solve it with; NULL: malloc
    const br_allocator *allocator;
} br_standard_lcp;

// directions: even, 4 to BR_MAX_POLYGON_SIDES ("lcp-directions" otherwise). The state is not changed. "lcp-rows": a limit is
// reached, a motor at its largest effort, a contact has rolling or torsional friction or an impact by Poisson's law.
// "lcp-size": more than 4000 rows or velocities.
br_status br_sim_standard_lcp(br_sim *sim, int directions, br_standard_lcp **out, br_error *error);
void br_standard_lcp_free(br_standard_lcp *lcp); // accepts NULL

typedef struct br_standard_options {
    // first stabilization: A_ii := (1 + epsilon) A_ii; 0: none. Changes the answer
    double epsilon;
    // second: E and mu times dt; forces stay, lambda is divided by dt
    int scale;
} br_standard_options;

// Lemke on the standard form. z [n], w [n], v [m] (may be NULL): q' of the next step. z and w are of the stabilized problem:
// lambda is not scaled back. BR_OK whatever the outcome: see the report, whose certificate is NULL.
br_status br_standard_lcp_solve(const br_standard_lcp *lcp, const br_standard_options *options, double *z,
                                double *w, double *v, br_solve_report *report, br_error *error);

#ifdef __cplusplus
}
#endif

#endif
