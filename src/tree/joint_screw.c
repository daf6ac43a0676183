// Screw: an angle about z, with a displacement of `parameter` (pitch over 2 pi, m/rad) times the angle along z.
#include "math/elementary.h"
#include "tree/joint_kinds.h"
#include "tree/pad_parts.h"

static void screw_pose(double parameter, const double *q, br_joint_motion *out) {
    out->R_FM = br_turn_z(q[0]);
    out->p_FM = br_vec3_of(0.0, 0.0, parameter * q[0]);
    out->S[0] = br_twist_of(br_vec3_unit(2), br_vec3_of(0.0, 0.0, parameter));
}

static void screw_complement(double parameter, const double *q, br_joint_motion *out) {
    (void)q;
    // Along z, the wrench that does no work: force 1, torque -parameter; of unit length.
    const double s = 1.0 / sqrt(1.0 + parameter * parameter);
    out->T[0] = br_unit_force(0), out->T[1] = br_unit_force(1);
    out->T[2] = br_wrench_of(br_vec3_of(0.0, 0.0, -parameter * s), br_vec3_of(0.0, 0.0, s));
    out->T[3] = br_unit_torque(0), out->T[4] = br_unit_torque(1);
}

// The angle says where within a turn, the displacement says which turn.
static void screw_measure(double parameter, br_mat3 R, br_vec3 p, double *q) {
    q[0] = br_angle_z(R);
    if (parameter != 0.0) q[0] += 2.0 * BR_PI * round((p.z / parameter - q[0]) / (2.0 * BR_PI));
}

// Thread of radius r, tan(lead) = rho/r with rho = pitch/2 pi. Along the helix the flank slides with r omega/cos(lead); its
// normal force is F_z/cos(lead).
static void screw_pads(const br_pad_place *at, br_pad *pads) {
    const double r = at->friction->pin_radius, rho = at->parameter, helix = br_hypot(r, rho);
    br_pad_begin(pads, at);
    if (r <= 0.0) { // a torque, as a pin has it
        br_pad_add_direction(pads, at, br_unit_torque(2), 1.0);
        return;
    }
    const double cosine = r / helix, sine = rho / helix;
    br_pad_add_direction(pads, at, br_wrench_of(br_vec3_of(0.0, 0.0, r * cosine), br_vec3_of(0.0, 0.0, sine)),
                         helix);
    if (!br_pad_follows_reaction(at)) return;
    const br_wrench flank = br_force_along(1.0 / cosine, br_pin_along_z.a),
                    radial[2] = {br_unit_force(0), br_unit_force(1)};
    br_pad_add_norm(pads, at, 1, &flank);
    br_pad_add_norm(pads, at, 2, radial);
}

// `angles` is not set: the displacement has settled the turn.
const br_joint_kind br_joint_screw = {.type = BR_JOINT_SCREW,
                                      .name = "screw",
                                      .nq = 1,
                                      .nv = 1,
                                      .coordinates = "A",
                                      .axis = BR_AXIS_SPATIAL,
                                      .in_plane = "use revolute or prismatic",
                                      .pose = screw_pose,
                                      .complement = screw_complement,
                                      .measure = screw_measure,
                                      .pads = 1,
                                      .pad_sizes = BR_PAD_RADIUS,
                                      .fill_pads = screw_pads};
