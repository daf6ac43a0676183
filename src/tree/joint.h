// Joint kinds: one table each, one file each (joint_*.c), one row in joint.c. A kind gives the pose X_FM of its second
// frame in its first, the motion subspace S, its complement T and the coordinates' own rules. Tree joints use S; loop
// joints, and every joint under absolute coordinates, use T as constraint rows.
//
// F axes throughout; twists and wrenches at M's origin. The relative twist is S v; its rate at constant v is zeta.
#ifndef BR_TREE_JOINT_H
#define BR_TREE_JOINT_H

#include "bristle/model.h"

typedef struct br_joint_motion {
    br_mat3 R_FM;
    br_vec3 p_FM;
    br_twist S[6];  // [nv]
    br_wrench T[6]; // [6 - nv] orthonormal, T_i . S_j = 0: forces along F's axes first, then torques
    br_twist zeta;  // (dS/dt) v
} br_joint_motion;

// Where the z axes of a kind's frames are.
typedef enum br_joint_axis {
    BR_AXIS_NONE = 0, // has no axis: any frames do
    BR_AXIS_NORMAL,   // in a planar model along its normal
    BR_AXIS_IN_PLANE, // in a planar model across its normal
    BR_AXIS_SPATIAL,  // leaves the plane
} br_joint_axis;

typedef struct br_pad br_pad;             // pad.h
typedef struct br_pad_place br_pad_place; // pad_parts.h

typedef struct br_joint_kind {
    br_joint_type type;
    const char *name;
    int nq, nv;
    // A letter for each velocity: L length (a single one along z, several along x, y, z), A angle (the first about z of F, a
    // second about x of M), R a turn whose position is part of a quaternion.
    const char *coordinates;
    br_joint_axis axis;
    const char *in_plane; // what a planar model has instead; NULL: this kind itself
    int tumbles;          // a body can turn about more than one axis
    unsigned angles;      // bit k: position coordinate k is an angle that counts turns
    int constant;         // T does not depend on q, and p_FM(q) has no part along its forces
    int tilts;            // constant, and its torques only keep the two z axes parallel
    // R_FM, p_FM, S
    void (*pose)(double parameter, const double *q, br_joint_motion *out);
    // zeta, after pose. NULL: always zero
    void (*product)(double parameter, const double *q, const double *v, br_joint_motion *out);
    // T, after pose
    void (*complement)(double parameter, const double *q, br_joint_motion *out);
    // The coordinates of the pose of this kind nearest to (R_FM, p_FM). Angles in (-pi, pi]
    void (*measure)(double parameter, br_mat3 R_FM, br_vec3 p_FM, double *q);
    void (*advance)(const double *q, const double *v, double h, double *q_next); // NULL: q + h v
    void (*rate)(const double *q, const double *v, double *qdot);                // NULL: v
    // Friction; pads 0: there can be none
    int pads, pad_sizes; // BR_PAD_RADIUS and so on, pad.h
    void (*fill_pads)(const br_pad_place *at, br_pad *pads);
} br_joint_kind;

// NULL for kinds that carry no body: distance, gear, rack_pinion.
const br_joint_kind *br_joint_kind_of(br_joint_type type);

// The same motion seen from M: pose of F in M and S of F relative to M, in M's axes at F's origin. Not zeta.
void br_joint_reverse(int nv, br_joint_motion *motion);

// The reversed joint's velocity product from the forward one's (R_FM, p_FM, V = S v, zeta: all forward).
br_twist br_joint_reverse_product(br_mat3 R_FM, br_vec3 p_FM, br_twist V, br_twist zeta);

// One row of S^+ per velocity: v = (S^T S)^-1 S^T V for the relative twist V (F axes, M's origin).
void br_joint_velocity(int nv, const br_joint_motion *motion, br_twist V, double *v);

// The wrench on the second body whose power along S is the effort: S (S^T S)^-1 tau.
br_wrench br_joint_effort(int nv, const br_joint_motion *motion, const double *tau);

#endif
