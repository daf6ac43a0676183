// Tendon: one coordinate, its length, which the positions of other things give. It carries no body and has no frames, so that
// nothing here can pose or measure it: sim/rows/tendon.c does.
#include "tree/joint_kinds.h"

const br_joint_kind br_joint_tendon = {
    .type = BR_JOINT_TENDON, .name = "tendon", .nq = 1, .nv = 1, .coordinates = "L"};
