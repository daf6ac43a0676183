// Cylindrical: a displacement along z and an angle about it.
#include "tree/joint_kinds.h"
#include "tree/pad_parts.h"

static void cylindrical_pose(double parameter, const double *q, br_joint_motion *out) {
    (void)parameter;
    out->R_FM = br_turn_z(q[1]);
    out->p_FM = br_vec3_of(0.0, 0.0, q[0]);
    out->S[0] = br_slide(2);
    out->S[1] = br_turn(2);
}

static void cylindrical_complement(double parameter, const double *q, br_joint_motion *out) {
    (void)parameter, (void)q;
    out->T[0] = br_unit_force(0), out->T[1] = br_unit_force(1);
    out->T[2] = br_unit_torque(0), out->T[3] = br_unit_torque(1);
}

static void cylindrical_measure(double parameter, br_mat3 R, br_vec3 p, double *q) {
    (void)parameter;
    q[0] = p.z;
    q[1] = br_angle_z(R);
}

// Without a radius it rubs along its axis alone: metres and radians share no disk.
static void cylindrical_pads(const br_pad_place *at, br_pad *pads) {
    const double r = at->friction->pin_radius;
    br_pad_begin(pads, at);
    br_pad_add_direction(pads, at, br_unit_force(2), 1.0);
    if (r > 0.0) br_pad_add_direction(pads, at, br_torque_along(r, br_pin_along_z.a), r);
    if (br_pad_follows_reaction(at)) br_pad_load_across(pads, at, br_pin_along_z);
}

const br_joint_kind br_joint_cylindrical = {.type = BR_JOINT_CYLINDRICAL,
                                            .name = "cylindrical",
                                            .nq = 2,
                                            .nv = 2,
                                            .coordinates = "LA",
                                            .axis = BR_AXIS_SPATIAL,
                                            .in_plane = "use revolute or prismatic",
                                            .angles = 2u,
                                            .constant = 1,
                                            .tilts = 1,
                                            .pose = cylindrical_pose,
                                            .complement = cylindrical_complement,
                                            .measure = cylindrical_measure,
                                            .pads = 1,
                                            .pad_sizes = BR_PAD_RADIUS | BR_PAD_LENGTH,
                                            .fill_pads = cylindrical_pads};
