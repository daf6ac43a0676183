// The pads of a joint: its kind fills them in.
#include "tree/pad_parts.h"

int br_pad_count(br_joint_type type) {
    const br_joint_kind *kind = br_joint_kind_of(type);
    return kind ? kind->pads : 0;
}

int br_joint_pads(br_joint_type type, double parameter, const br_friction_def *friction, br_mat3 R_FM,
                  const br_vec3 *planar_F, br_pad *pads) {
    const int count = br_pad_count(type);
    const br_pad_place at = {R_FM, parameter, friction, planar_F};
    if (count == 0 || friction->law == BR_FRICTION_NONE) return 0;
    br_joint_kind_of(type)->fill_pads(&at, pads);
    return count;
}
