// A tree of rigid bodies: its joints' tables and the recursions over it. Nothing here knows a name, a load or time.
//
// Link i is a moving body and the joint that carries it. Its reference frame L_i is the joint's frame on the link
// itself; its reference point is that frame's origin. During a sweep everything is in world axes at the link's own
// reference point: no rotations between links, and no digits lost far from the world's origin.
//
// Accelerations are classical: `linear` is d/dt of the velocity of the reference point, `angular` d/dt of omega.
//
//     A_i = shift(A_parent) + S_i vdot_i + zeta_i          shift(A).linear = A.linear + A.angular x r_i
//     I_i A_i + bias_i = f_i + sum of what the joints exert
#ifndef BR_TREE_TREE_H
#define BR_TREE_TREE_H

#include "base/arena.h"
#include "tree/joint.h"

typedef struct br_link {
    int parent; // index, < own; -1: the world
    const br_joint_kind *kind;
    int reversed;     // nonzero: the joint's F is on this link and its M on the parent
    int q_at, v_at;   // first coordinates
    double parameter; // of the joint kind: pitch / 2 pi
    br_mat3 R_PJ; // of the joint's frame on the parent (F, or M when reversed), in the parent's link frame
    br_vec3 p_PJ;
    double mass;       // kg
    br_vec3 moment_L;  // mass times com, link axes, kg m
    br_sym3 inertia_L; // about the reference point, link axes, kg m^2
} br_link;

typedef struct br_tree {
    int links, nq, nv;
    br_link *link;
    double *armature; // [nv]
} br_tree;

// Symmetric 6 x 6, angular first: [J H; H^T M].
typedef struct br_spatial {
    br_sym3 J;
    br_mat3 H;
    br_sym3 M;
} br_spatial;

// Where a link is and how it moves. Filled in by br_tree_position and br_tree_velocity.
typedef struct br_link_pose {
    br_mat3 R_WL;
    br_vec3 p_WL;
    br_vec3 r; // from the parent's reference point to this one, world axes
} br_link_pose;

typedef struct br_link_motion {
    br_twist V;    // at the reference point, world axes
    br_twist zeta; // velocity-product acceleration of the joint, see the head of the file
} br_link_motion;

typedef struct br_tree_work {
    br_link_pose *pose;      // [links]
    br_twist *S;             // [nv] columns, world axes, at the link's reference point
    br_link_motion *motion;  // [links]
    br_vec3 *moment;         // [links] mass times com from the reference point, world axes
    br_sym3 *inertia;        // [links] about the reference point, world axes
    br_spatial *articulated; // [links]
    br_wrench *U;            // [nv] I_A S
    unsigned char
        *lone; // [links] a free body that carries nothing, com at its origin: BR_LONE_*, see dynamics.c
    unsigned char
        *afloat; // [links] a free joint along the world's axes: S of its first three velocities never changes
    double *D;   // S^T I_A S + armature: 1/D for one velocity, else its Cholesky factor; at D_at[link]
    int *D_at;   // [links]
    br_wrench *force; // [links] scratch of sweep, zero between calls
    br_wrench *p;     // [links] scratch of accelerate
    double *u;        // [nv] scratch of accelerate
    br_twist *A;      // [links] accelerations of the last downward sweep
} br_tree_work;

// A free joint on the world that carries a body about its centre of mass: its D never changes and is block diagonal.
int br_tree_is_lone(const br_tree *tree, int link);

br_status br_tree_work_create(const br_tree *tree, br_arena *arena, br_tree_work *out);

// Poses, axes, inertias in world axes, from q.
void br_tree_position(const br_tree *tree, const double *q, br_tree_work *work);

// Twists and velocity products, from v. After br_tree_position of the same q.
void br_tree_velocity(const br_tree *tree, const double *q, const double *v, br_tree_work *work);

// Twists only, into V[links].
void br_tree_twists(const br_tree *tree, const br_tree_work *work, const double *v, br_twist *V);

// The same into work->motion[].V; velocity products stay as they are.
void br_tree_twists_in_place(const br_tree *tree, br_tree_work *work, const double *v);

// Articulated inertias, O(links), with armature [nv] (the tree's own, or more where dampers are implicit).
// BR_NUMERICAL and *bad_link when a link has no inertia against its own joint.
br_status br_tree_articulate(const br_tree *tree, const double *armature, br_tree_work *work, int *bad_link);

// vdot from gravity, joint efforts tau [nv] and wrenches [links] on the links (at their reference points, world axes;
// NULL: none). With the velocity products of br_tree_velocity. Leaves the links' accelerations minus gravity in
// work->A: the world's is then -gravity.
void br_tree_accelerate(const br_tree *tree, br_tree_work *work, br_vec3 gravity, const double *tau,
                        const br_wrench *wrench, double *vdot);

// M^-1 = R^T D^-1 R: sweep applies R to a row (upwards, along its path only), respond applies R^T (downwards).
//
//     y = R J^T, z = D^-1 y,   W_ab = y_a . z_b over the velocities both have,   M^-1 J^T p = respond(sum of p z)
//
// path: links in falling order, with every ancestor of every loaded link. The row's wrenches are in work->force of its
// links (zero elsewhere; zero everywhere again afterwards), its direct entries on velocities in y, which holds the
// velocities of the path's links one after the other.
void br_tree_sweep(const br_tree *tree, br_tree_work *work, const int *path, int count, double *y, double *z);

// eta [nv] -> dv [nv] (may alias); V (may be NULL) receives the links' change of twist.
void br_tree_respond(const br_tree *tree, const br_tree_work *work, const double *eta, double *dv,
                     br_twist *V);

// Mass matrix [nv * nv] by composite inertias, armature included. After br_tree_position.
void br_tree_mass_matrix(const br_tree *tree, br_tree_work *work, double *M);

// The links' accelerations minus gravity in work->A, from vdot (NULL: zero) and the velocity products.
void br_tree_forward(const br_tree *tree, br_tree_work *work, br_vec3 gravity, const double *vdot);

// tau = M vdot + bias - J^T wrench. transmitted [links] receives what each link's joint exerts on the link, at its
// reference point. vdot NULL: zero. wrench NULL: none. Accelerations minus gravity in work->A.
void br_tree_inverse_dynamics(const br_tree *tree, br_tree_work *work, br_vec3 gravity, const double *vdot,
                              const br_wrench *wrench, br_wrench *transmitted, double *tau);

// Velocity of a point fixed to a link (world position p_W): linear and angular [3 * nv], row-major.
void br_tree_jacobian(const br_tree *tree, const br_tree_work *work, int link, br_vec3 p_W, double *linear,
                      double *angular);

// Gyroscopic torques of a step, see gyroscope.c. work holds the positions and the predicted twists of the evaluation.
typedef struct br_turning br_turning;

typedef struct br_tree_turn {
    br_vec3 *before;      // [links] torque before it was corrected
    br_vec3 *torque;      // [links] on each link beyond the bias at the predicted twist, world axes
    br_vec3 *L;           // [links] predicted angular momentum
    br_vec3 *e;           // [links] angular velocity products
    br_turning *N;        // [links] scratch
    br_wrench *p;         // [links] scratch
    br_twist *a;          // [links] scratch
    int *root;            // [links] first link of its tree
    unsigned char *turns; // [links] of a root: whether its tree turns so far in a step that it matters
} br_tree_turn;

br_status br_tree_turn_create(const br_tree *tree, br_arena *arena, br_tree_turn *out);

// Which trees turn so far in a step, of which share is half, that a prediction would feed them. 0: none.
int br_tree_turns(const br_tree *tree, const br_tree_work *work, const double *armature, double share,
                  br_tree_turn *turn);

// Torques of those for the step that these forces alone would make: share is half the step's length, V_start the twists of
// its start. forces_known 0: others, of rows, are not known yet, and the prediction stands until they are: no torques.
// Returns 0 where something has no inertia.
int br_tree_turn_predict(const br_tree *tree, br_tree_work *work, br_vec3 gravity, const double *armature,
                         const double *tau, const br_wrench *wrench, const br_twist *V_start, double share,
                         int forces_known, br_tree_turn *turn);

// The mean twists that a step found may be others: by how much the torques for those differ from the present ones, of what the
// step's order allows (unless work_only), or of least_work, J; those torques; and the ones before them.
double br_tree_turn_error(const br_tree *tree, const br_tree_work *work, const br_twist *V_mid, double share,
                          double least_work, int work_only, const br_tree_turn *turn);
void br_tree_turn_correct(const br_tree *tree, const br_tree_work *work, const br_twist *V_mid,
                          br_tree_turn *turn);
void br_tree_turn_back(const br_tree *tree, br_tree_turn *turn);

// The link whose joint has velocity `dof`. Velocities are numbered in the order of the links.
int br_tree_owner(const br_tree *tree, int dof);

// Of the twists in work->motion; armature included.
double br_tree_kinetic_energy(const br_tree *tree, const br_tree_work *work, const double *v);
void br_tree_advance(const br_tree *tree, const double *q, const double *v, double h, double *q_next);
void br_tree_rate(const br_tree *tree, const double *q, const double *v,
                  double *qdot); // dq/dt, quaternions too
void br_tree_normalize(const br_tree *tree, double *q);

#endif
