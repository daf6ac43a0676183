// The kinds' tables, each from its own file. Only joint.c includes this.
#ifndef BR_TREE_JOINT_KINDS_H
#define BR_TREE_JOINT_KINDS_H

#include "tree/joint.h"

extern const br_joint_kind br_joint_weld, br_joint_revolute, br_joint_prismatic, br_joint_screw,
    br_joint_cylindrical, br_joint_universal, br_joint_spherical, br_joint_planar, br_joint_free,
    br_joint_tendon;

#endif
