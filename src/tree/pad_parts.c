// What the pads of joint kinds are made of; those of a kind are in its joint_*.c. Symbols, all in F's axes at M's origin:
//
//     F, M       force and torque of the reaction      r, L, arm   pin radius, guide length, friction arm
//     a, b, c    a pin's axis and two across it, right-handed (b x c = a)
//
// A pin or guide along a carries F across a. Spread over a length L its ends carry n = F/2 -+ (a x M)/L, in components
// n_b = F_b/2 +- M_c/L, n_c = F_c/2 -+ M_b/L. A shoulder rubs at the arm under F_a: N gains (arm/r) |F_a|. A guide that is
// kept from turning by keys at the arm gains |M_a|/arm.
#include "tree/pad_parts.h"

// A direction or form with less than this in the plane of a planar model is across it; frames are exact to rounding.
#define BR_EPS_ACROSS 1e-9

const br_pin_axes br_pin_along_z = {{0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};

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
void br_pad_add_direction(br_pad *pad, const br_pad_place *at, br_wrench D, double arm) {
    if (at->planar_F && vanishes(in_plane(D, *at->planar_F), D)) return;
    pad->D[pad->directions] = D;
    pad->arm[pad->directions++] = arm;
}

void br_pad_add_norm(br_pad *pad, const br_pad_place *at, int forms, const br_wrench *form) {
    br_pad_norm *norm = &pad->norm[pad->norms];
    norm->forms = 0;
    for (int k = 0; k < forms; k++) {
        const br_wrench part = at->planar_F ? in_plane(form[k], *at->planar_F) : form[k];
        if (!vanishes(part, form[k])) norm->form[norm->forms++] = part;
    }
    pad->norms += norm->forms > 0;
}

br_wrench br_force_along(double s, br_vec3 axis) {
    return br_wrench_of(br_vec3_zero(), br_vec3_scale(s, axis));
}

br_wrench br_torque_along(double s, br_vec3 axis) {
    return br_wrench_of(br_vec3_scale(s, axis), br_vec3_zero());
}

// --- loads -------------------------------------------------------------------------------------------------------

int br_pad_follows_reaction(const br_pad_place *at) {
    return !at->friction->load_constant;
}

// Moments across the axis: those that a bearing's two ends can carry in this model.
static int carries_moment(const br_pad_place *at, br_pin_axes p) {
    const br_wrench b = br_torque_along(1.0, p.b), c = br_torque_along(1.0, p.c);
    if (!at->planar_F) return 1;
    return !vanishes(in_plane(b, *at->planar_F), b) || !vanishes(in_plane(c, *at->planar_F), c);
}

// |F| across the axis, or |n_1| + |n_2| of the two ends.
void br_pad_load_across(br_pad *pad, const br_pad_place *at, br_pin_axes p) {
    const double L = at->friction->guide_length;
    if (L <= 0.0 || !carries_moment(at, p)) {
        const br_wrench form[2] = {br_force_along(1.0, p.b), br_force_along(1.0, p.c)};
        br_pad_add_norm(pad, at, 2, form);
        return;
    }
    for (int end = 1; end >= -1; end -= 2) {
        const br_wrench form[2] = {br_wrench_of(br_vec3_scale(end / L, p.c), br_vec3_scale(0.5, p.b)),
                                   br_wrench_of(br_vec3_scale(-end / L, p.b), br_vec3_scale(0.5, p.c))};
        br_pad_add_norm(pad, at, 2, form);
    }
}

void br_pad_begin(br_pad *pad, const br_pad_place *at) {
    pad->directions = pad->norms = 0;
    pad->preload = br_pad_follows_reaction(at) ? at->friction->preload : at->friction->load;
}

// --- a pin -------------------------------------------------------------------------------------------------------

// A constant load on a pin without a radius is a torque, and its sliding velocity in rad/s: the arm is 1.
double br_pin_arm(const br_pad_place *at) {
    return at->friction->pin_radius > 0.0 ? at->friction->pin_radius : 1.0;
}

void br_pad_pin(br_pad *pad, const br_pad_place *at, br_pin_axes p) {
    const double r = br_pin_arm(at), arm = at->friction->friction_arm;
    br_pad_begin(pad, at);
    br_pad_add_direction(pad, at, br_torque_along(r, p.a), r);
    if (!br_pad_follows_reaction(at)) return;
    br_pad_load_across(pad, at, p);
    const br_wrench axial = br_force_along(arm / r, p.a);
    if (arm > 0.0) br_pad_add_norm(pad, at, 1, &axial);
}
