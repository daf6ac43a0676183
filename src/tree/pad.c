// Pads of joints, one row per kind at the end of the file. Symbols, all in F's axes at M's origin:
//
//     F, M       force and torque of the reaction      r, L, arm   pin radius, guide length, friction arm
//     a, b, c    a pin's axis and two across it, right-handed (b x c = a)
//
// A pin or guide along a carries F across a. Spread over a length L its ends carry n = F/2 -+ (a x M)/L, in components
// n_b = F_b/2 +- M_c/L, n_c = F_c/2 -+ M_b/L. A shoulder rubs at the arm under F_a: N gains (arm/r) |F_a|. A guide that is
// kept from turning by keys at the arm gains |M_a|/arm.
#include "tree/pad.h"

#include "tree/joint_parts.h"

// A direction or form with less than this in the plane of a planar model is across it; frames are exact to rounding.
#define BR_EPS_ACROSS 1e-9

typedef struct pad_place {
    br_mat3 R_FM;
    double parameter;
    const br_friction_def *friction;
    const br_vec3 *planar_F;
} pad_place;

typedef struct pin_axes {
    br_vec3 a, b, c;
} pin_axes;

static const pin_axes along_z = {{0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};

// The part of a wrench that a planar model computes: forces in the plane, torque about its normal.
static br_wrench in_plane(br_wrench w, br_vec3 n) {
    return br_wrench_of(br_vec3_scale(br_vec3_dot(w.torque, n), n),
                        br_vec3_add_scaled(w.force, -br_vec3_dot(w.force, n), n));
}

static int vanishes(br_wrench part, br_wrench whole) {
    const double size = br_vec3_norm(whole.force) + br_vec3_norm(whole.torque);
    return br_vec3_norm(part.force) + br_vec3_norm(part.torque) <= BR_EPS_ACROSS * size;
}

// What cannot move in the plane has no direction: its row would be empty. So the second pin of a universal joint may be left
// without any.
static void add_direction(br_pad *pad, const pad_place *at, br_wrench D, double arm) {
    if (at->planar_F && vanishes(in_plane(D, *at->planar_F), D)) return;
    pad->D[pad->directions] = D;
    pad->arm[pad->directions++] = arm;
}

static void add_norm(br_pad *pad, const pad_place *at, int forms, const br_wrench *form) {
    br_pad_norm *norm = &pad->norm[pad->norms];
    norm->forms = 0;
    for (int k = 0; k < forms; k++) {
        const br_wrench part = at->planar_F ? in_plane(form[k], *at->planar_F) : form[k];
        if (!vanishes(part, form[k])) norm->form[norm->forms++] = part;
    }
    pad->norms += norm->forms > 0;
}

static br_wrench force_along(double s, br_vec3 axis) {
    return br_wrench_of(br_vec3_zero(), br_vec3_scale(s, axis));
}

static br_wrench torque_along(double s, br_vec3 axis) {
    return br_wrench_of(br_vec3_scale(s, axis), br_vec3_zero());
}

// --- loads -------------------------------------------------------------------------------------------------------

static int follows_reaction(const pad_place *at) {
    return !at->friction->load_constant;
}

// Moments across the axis: those that a bearing's two ends can carry in this model.
static int carries_moment(const pad_place *at, pin_axes p) {
    const br_wrench b = torque_along(1.0, p.b), c = torque_along(1.0, p.c);
    if (!at->planar_F) return 1;
    return !vanishes(in_plane(b, *at->planar_F), b) || !vanishes(in_plane(c, *at->planar_F), c);
}

// |F| across the axis, or |n_1| + |n_2| of the two ends.
static void load_across(br_pad *pad, const pad_place *at, pin_axes p) {
    const double L = at->friction->guide_length;
    if (L <= 0.0 || !carries_moment(at, p)) {
        const br_wrench form[2] = {force_along(1.0, p.b), force_along(1.0, p.c)};
        add_norm(pad, at, 2, form);
        return;
    }
    for (int end = 1; end >= -1; end -= 2) {
        const br_wrench form[2] = {br_wrench_of(br_vec3_scale(end / L, p.c), br_vec3_scale(0.5, p.b)),
                                   br_wrench_of(br_vec3_scale(-end / L, p.b), br_vec3_scale(0.5, p.c))};
        add_norm(pad, at, 2, form);
    }
}

static void pad_begin(br_pad *pad, const pad_place *at) {
    pad->directions = pad->norms = 0;
    pad->preload = follows_reaction(at) ? at->friction->preload : at->friction->load;
}

// --- kinds -------------------------------------------------------------------------------------------------------

// A constant load on a pin without a radius is a torque, and its sliding velocity in rad/s: the arm is 1.
static double pin_arm(const pad_place *at) {
    return at->friction->pin_radius > 0.0 ? at->friction->pin_radius : 1.0;
}

static void pin(br_pad *pad, const pad_place *at, pin_axes p) {
    const double r = pin_arm(at), arm = at->friction->friction_arm;
    pad_begin(pad, at);
    add_direction(pad, at, torque_along(r, p.a), r);
    if (!follows_reaction(at)) return;
    load_across(pad, at, p);
    const br_wrench axial = force_along(arm / r, p.a);
    if (arm > 0.0) add_norm(pad, at, 1, &axial);
}

static void revolute(const pad_place *at, br_pad *pads) {
    pin(pads, at, along_z);
}

static void prismatic(const pad_place *at, br_pad *pads) {
    const double arm = at->friction->friction_arm;
    pad_begin(pads, at);
    add_direction(pads, at, br_unit_force(2), 1.0);
    if (!follows_reaction(at)) return;
    load_across(pads, at, along_z);
    if (arm <= 0.0) return;
    const br_wrench keys = torque_along(1.0 / arm, along_z.a);
    add_norm(pads, at, 1, &keys);
}

// Without a radius it rubs along its axis alone: metres and radians share no disk.
static void cylindrical(const pad_place *at, br_pad *pads) {
    const double r = at->friction->pin_radius;
    pad_begin(pads, at);
    add_direction(pads, at, br_unit_force(2), 1.0);
    if (r > 0.0) add_direction(pads, at, torque_along(r, along_z.a), r);
    if (follows_reaction(at)) load_across(pads, at, along_z);
}

// Thread of radius r, tan(lead) = rho/r with rho = pitch/2 pi. Along the helix the flank slides with r omega/cos(lead); its
// normal force is F_z/cos(lead).
static void screw(const pad_place *at, br_pad *pads) {
    const double r = at->friction->pin_radius, rho = at->parameter, helix = hypot(r, rho);
    pad_begin(pads, at);
    if (r <= 0.0) { // a torque, as a pin has it
        add_direction(pads, at, br_unit_torque(2), 1.0);
        return;
    }
    const double cosine = r / helix, sine = rho / helix;
    add_direction(pads, at, br_wrench_of(br_vec3_of(0.0, 0.0, r * cosine), br_vec3_of(0.0, 0.0, sine)),
                  helix);
    if (!follows_reaction(at)) return;
    const br_wrench flank = force_along(1.0 / cosine, along_z.a),
                    radial[2] = {br_unit_force(0), br_unit_force(1)};
    add_norm(pads, at, 1, &flank);
    add_norm(pads, at, 2, radial);
}

static void universal(const pad_place *at, br_pad *pads) {
    const pin_axes along_x_of_M = {br_mat3_column(at->R_FM, 0), br_mat3_column(at->R_FM, 1),
                                   br_mat3_column(at->R_FM, 2)};
    pin(&pads[0], at, along_z);
    pin(&pads[1], at, along_x_of_M);
}

static void spherical(const pad_place *at, br_pad *pads) {
    const double r = pin_arm(at);
    const br_wrench force[3] = {br_unit_force(0), br_unit_force(1), br_unit_force(2)};
    pad_begin(pads, at);
    if (at->planar_F) // it can only turn about the normal, whatever way F's axes point
        add_direction(pads, at, torque_along(r, *at->planar_F), r);
    for (int k = 0; !at->planar_F && k < 3; k++) add_direction(pads, at, torque_along(r, br_vec3_unit(k)), r);
    if (follows_reaction(at)) add_norm(pads, at, 3, force);
}

static void planar(const pad_place *at, br_pad *pads) {
    const double arm = at->friction->friction_arm;
    const br_wrench force = br_unit_force(2);
    pad_begin(pads, at);
    add_direction(pads, at, br_unit_force(0), 1.0);
    add_direction(pads, at, br_unit_force(1), 1.0);
    if (arm > 0.0) add_direction(pads, at, torque_along(arm, along_z.a), arm);
    if (follows_reaction(at)) add_norm(pads, at, 1, &force);
}

// --- the table ---------------------------------------------------------------------------------------------------

static const struct {
    int pads;
    void (*fill)(const pad_place *at, br_pad *pads);
} kinds[BR_JOINT_TYPES] = {
    [BR_JOINT_REVOLUTE] = {1, revolute},   [BR_JOINT_PRISMATIC] = {1, prismatic},
    [BR_JOINT_SCREW] = {1, screw},         [BR_JOINT_CYLINDRICAL] = {1, cylindrical},
    [BR_JOINT_UNIVERSAL] = {2, universal}, [BR_JOINT_SPHERICAL] = {1, spherical},
    [BR_JOINT_PLANAR] = {1, planar},
};

int br_pad_count(br_joint_type type) {
    return type < BR_JOINT_TYPES ? kinds[type].pads : 0;
}

int br_joint_pads(br_joint_type type, double parameter, const br_friction_def *friction, br_mat3 R_FM,
                  const br_vec3 *planar_F, br_pad *pads) {
    const int count = br_pad_count(type);
    const pad_place at = {R_FM, parameter, friction, planar_F};
    if (count == 0 || friction->law == BR_FRICTION_NONE) return 0;
    kinds[type].fill(&at, pads);
    return count;
}
