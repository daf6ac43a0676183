// Where a joint rubs: its pads. A pad slides along one to three directions under one load, which is a sum of norms of the
// joint's own reaction. Those of a kind are filled in by its joint_*.c, of parts in pad_parts.h.
//
//     revolute     pin of radius r: v = r omega; load |F_xy| (or the two ends of a bearing of length L), F_z at the arm
//     prismatic    guide: v along z; load |F_xy|, or the two ends of a guide of length L
//     cylindrical  both at once: (v, r omega), one disk
//     screw        thread of radius r and pitch: along the helix; load F_z/cos(lead angle), |F_xy|
//     universal    two pins, one about z of F, one about x of M, each of its own load
//     spherical    ball of radius r: v = r omega, three components; load |F|
//     planar       (v_x, v_y, arm omega); load |F_z|
//
// The ends of a guide of length L carry n = F_xy/2 -+ (z x M)/L: |n_1| + |n_2| is |F| while the load is between the ends, and
// 2 |M|/L when it wedges. Everything is in F's axes at M's origin; D and forms are wrenches on the second body.
#ifndef BR_TREE_PAD_H
#define BR_TREE_PAD_H

#include "tree/joint.h"

#define BR_MAX_PADS 2 // of one joint
#define BR_MAX_PAD_DIRECTIONS 3
#define BR_MAX_PAD_NORMS 4

typedef struct br_pad_norm {
    int forms; // 1 .. 3
    br_wrench form
        [3]; // the norm is |(form_k . R)|: R the reaction (T lambda), form . R = form.force . R.force + form.torque . R.torque
} br_pad_norm;

struct br_pad {
    int directions;
    br_wrench D[BR_MAX_PAD_DIRECTIONS]; // what a unit friction force does; sliding velocity D . V, m/s
    double arm
        [BR_MAX_PAD_DIRECTIONS]; // from friction force to what JOINT.friction shows: 1 for a force, r for a torque
    int norms;
    br_pad_norm norm[BR_MAX_PAD_NORMS];
    double preload; // N, added to the norms; the whole load where it is constant
};

// Sizes of br_friction_def that a kind has a use for.
enum { BR_PAD_RADIUS = 1, BR_PAD_ARM = 2, BR_PAD_LENGTH = 4 };

int br_pad_count(br_joint_type type); // pads of a joint of this kind; 0: it cannot have friction

// Pads at the relative pose (R_FM, p_FM). parameter: pitch/2 pi of a screw. planar_F (NULL: none): the normal of a planar model
// in F's axes; parts of the load across the plane are left out. Returns the count.
int br_joint_pads(br_joint_type type, double parameter, const br_friction_def *friction, br_mat3 R_FM,
                  const br_vec3 *planar_F, br_pad *pads);

#endif
