// Checks of joints and their friction, see validate.h.
#include "model/def/validate.h"

#include <string.h>

#include "model/def/field.h"
#include "model/def/names.h"
#include "tree/pad.h"

// A field with one number per coordinate must be at rest beyond the joint's own coordinates: a number there
// would be lost without a word.
static br_status check_extent(const br_joint_def *def, const br_place *place, const char *field,
                              const double *x, double none, int count) {
    for (int k = count; k < BR_MAX_JOINT_V; k++)
        if (x[k] != none)
            return br_fail_place(
                place, "joint-coordinates", field,
                "%s is given for coordinate %d of joint %s, but a %s joint has %d that can take it", field, k,
                def->name, br_joint_type_name(def->type), count);
    return BR_OK;
}

static br_status check_limits(const br_joint_def *def, const br_place *place, int plain) {
    for (int k = 0; k < plain; k++) {
        const double a = def->lower[k], b = def->upper[k];
        if (isnan(a) || isnan(b) || a == INFINITY || b == -INFINITY)
            return br_fail_place(place, "joint-limits", "limits", "the limits of joint %s are %g and %g",
                                 def->name, a, b);
        if (a > b)
            return br_fail_place(place, "joint-limits", "limits",
                                 "the lower limit %g of joint %s is above the upper one, %g", a, def->name,
                                 b);
    }
    br_status status = check_extent(def, place, "limits", def->lower, -INFINITY, plain);
    if (status == BR_OK) status = check_extent(def, place, "limits", def->upper, INFINITY, plain);
    return status;
}

static br_status check_coordinates(const br_joint_def *def, const br_place *place) {
    const int nv = br_joint_type_velocities(def->type), plain = br_joint_type_plain(def->type);
    br_status status = check_limits(def, place, plain);
    if (status == BR_OK) status = br_check_not_negative(place, "spring", def->stiffness, BR_MAX_JOINT_V);
    if (status == BR_OK) status = check_extent(def, place, "spring", def->stiffness, 0.0, plain);
    if (status == BR_OK) status = br_check_finite(place, "spring", def->rest, BR_MAX_JOINT_V);
    for (const br_def_field *f = br_def_joint.field; f < br_def_joint.field + br_def_joint.fields; f++) {
        const double *x = (const double *)((const char *)def + f->offset);
        if (status != BR_OK || f->type != BR_FIELD_COORDINATES) continue;
        status = br_check_not_negative(place, f->key, x, BR_MAX_JOINT_V);
        if (status == BR_OK) status = check_extent(def, place, f->key, x, 0.0, nv);
    }
    return status;
}

static br_status check_start(const br_joint_def *def, const br_place *place) {
    const int nq = br_joint_type_positions(def->type), nv = br_joint_type_velocities(def->type);
    const int plain = br_joint_type_plain(def->type);
    br_status status = BR_OK;
    if ((def->has_position && nq == 0) || (def->has_velocity && nv == 0))
        return br_fail_place(place, "joint-coordinates", def->has_position ? "position" : "velocity",
                             "joint %s is given a %s, but a %s joint has no coordinates", def->name,
                             def->has_position ? "position" : "velocity", br_joint_type_name(def->type));
    if (def->has_position) status = br_check_finite(place, "position", def->position, nq);
    if (status == BR_OK && def->has_position && nq - plain == 4) {
        const double *q = def->position + plain;
        const br_pose pose = br_pose_of(br_quat_of(q[0], q[1], q[2], q[3]), br_vec3_zero());
        status = br_check_pose(place, "position", pose);
    }
    if (status == BR_OK && def->has_velocity) status = br_check_finite(place, "velocity", def->velocity, nv);
    return status;
}

static br_status check_parameter(const br_joint_def *def, const br_place *place) {
    switch (def->type) {
    case BR_JOINT_SCREW:
        if (!isfinite(def->pitch) || def->pitch == 0.0)
            return br_fail_place(
                place, "joint-pitch", "pitch",
                "the pitch of screw %s is %g m per turn, expected a number other than 0 (a joint that "
                "does not advance is revolute)",
                def->name, def->pitch);
        return BR_OK;
    case BR_JOINT_DISTANCE:
        return br_check_not_negative(place, "length", &def->length, 1);
    case BR_JOINT_GEAR:
        if (!isfinite(def->ratio) || def->ratio == 0.0)
            return br_fail_place(
                place, "joint-ratio", "ratio",
                "the ratio of gear %s is %g, expected a number other than 0: angle_1 + ratio angle_2 "
                "stays constant",
                def->name, def->ratio);
        return BR_OK;
    case BR_JOINT_RACK_PINION:
        if (!isfinite(def->radius) || def->radius == 0.0)
            return br_fail_place(place, "joint-ratio", "radius",
                                 "the radius of the pinion of %s is %g m, expected a number other than 0",
                                 def->name, def->radius);
        return BR_OK;
    default:
        return BR_OK;
    }
}

static br_status check_compliance(const br_joint_def *def, const br_place *place) {
    const double x[] = {def->compliance_translation, def->compliance_rotation};
    const br_status status = br_check_not_negative(place, "compliance", x, 2);
    if (status != BR_OK || def->type != BR_JOINT_FREE || (x[0] == 0.0 && x[1] == 0.0)) return status;
    return br_fail_place(place, "joint-coordinates", "compliance",
                         "joint %s is given a compliance, but a free joint has no reaction to give way to",
                         def->name);
}

// Friction needs surfaces that slide on each other under a load: a weld does not slide, a free joint has no load.
static br_status check_friction_kind(const br_joint_def *def, const br_place *place) {
    if (def->friction.law == BR_FRICTION_NONE || br_pad_count(def->type) > 0) return BR_OK;
    return br_fail_place(
        place, "joint-coordinates", "friction", "joint %s is given friction, but a %s joint has %s",
        def->name, br_joint_type_name(def->type),
        def->type == BR_JOINT_FREE ? "no surfaces that touch; contact has materials and pairs"
        : def->type == BR_JOINT_GEAR || def->type == BR_JOINT_RACK_PINION
            ? "no coordinates to slide along; give friction to the joints that it couples"
            : "no coordinates to slide along");
}

static br_status check_friction_radius(const br_joint_def *def, const br_place *place) {
    const br_friction_def *f = &def->friction;
    if (f->law == BR_FRICTION_NONE || !br_joint_type_turns(def->type) || f->load_constant ||
        f->pin_radius > 0.0)
        return BR_OK;
    return br_fail_place(
        place, "friction-radius", "friction",
        "the friction of %s joint %s follows its reaction, whose torque needs an arm; write pin_radius: "
        "NUMBER m, or load: {constant: NUMBER N m} for a torque of its own",
        br_joint_type_name(def->type), def->name);
}

br_status br_check_joint(const br_joint_def *def, const br_place *place) {
    if ((int)def->type < 0 || def->type >= BR_JOINT_TYPES)
        return br_fail_place(place, "model-kind", NULL, "joint %s is of no known kind (%d)", def->name,
                             (int)def->type);
    const char *kind = br_joint_type_name(def->type);
    if (def->type == BR_JOINT_TENDON) {
        br_status own = br_check_tendon(def, place);
        if (own == BR_OK) own = br_def_check(&br_def_joint, def, place, "");
        return own == BR_OK ? check_coordinates(def, place) : own;
    }
    if (def->path_count > 0 || def->slack != 0.0)
        return br_fail_place(place, "joint-tendon", kind,
                             "joint %s has a path or slack, which only tendons have", def->name);
    if (!def->first || !def->first[0] || !def->second || !def->second[0])
        return br_fail_place(place, "model-missing", kind,
                             "joint %s does not say what it connects, expected two names", def->name);
    if (strcmp(def->first, def->second) == 0)
        return br_fail_place(place, "joint-same-body", kind, "joint %s connects %.80s to itself", def->name,
                             def->first);
    br_status status = br_check_pose(place, "at", def->X_AF);
    if (status == BR_OK) status = br_check_pose(place, "at", def->X_BM);
    if (status == BR_OK) status = check_parameter(def, place);
    if (status == BR_OK) status = br_def_check(&br_def_joint, def, place, "");
    if (status == BR_OK) status = check_coordinates(def, place);
    if (status == BR_OK) status = check_start(def, place);
    if (status == BR_OK) status = check_compliance(def, place);
    if (status == BR_OK) status = check_friction_kind(def, place);
    if (status == BR_OK) status = br_check_friction(&def->friction, place);
    if (status == BR_OK) status = check_friction_radius(def, place);
    return status;
}

// Joints and clearances share it.
static const char *element(const br_place *place) {
    return strcmp(place->group, "clearances") == 0 ? "clearance" : "joint";
}

// --- friction ----------------------------------------------------------------------------------------------

static br_status check_friction_shape(const br_friction_def *def, const br_place *place) {
    char list[BR_MAX_ERROR_TEXT];
    if (!def->shape || br_word_find(br_words_friction_shape, def->shape) >= 0) return BR_OK;
    return br_fail_place(place, "friction-shape", "friction/shape",
                         "the friction shape of %s %s is %.40s, expected %s", element(place), place->name,
                         def->shape, br_words_or(br_words_friction_shape, list, sizeof list));
}

br_status br_check_friction(const br_friction_def *def, const br_place *place) {
    int laws = 0;
    while (br_words_friction_law[laws]) laws++;
    if ((int)def->law < 0 || (int)def->law > laws) // BR_FRICTION_NONE has no word
        return br_fail_place(place, "model-kind", "friction/law", "the friction law of %s %s is unknown (%d)",
                             element(place), place->name, (int)def->law);
    const br_status status = br_def_check(&br_def_friction, def, place, "friction/");
    if (status != BR_OK) return status;
    if (def->mu_static > 0.0 && def->mu_kinetic > def->mu_static)
        return br_fail_place(place, "friction-order", "friction/mu_kinetic",
                             "mu_kinetic of %s %s is %g, expected no more than mu_static, %g", element(place),
                             place->name, def->mu_kinetic, def->mu_static);
    return check_friction_shape(def, place);
}
