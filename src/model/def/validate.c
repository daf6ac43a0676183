// Checks that every element shares, and those of bodies. See validate.h.
#include "model/def/validate.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "model/def/field.h"
#include "model/def/names.h"

br_status br_fail_place(const br_place *place, const char *code, const char *field, const char *format, ...) {
    char message[BR_MAX_ERROR_TEXT], path[BR_MAX_ERROR_PATH];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    // A name may be the fault itself, so it can have any length.
    snprintf(path, sizeof path, "%.40s%s%.130s%s%.70s", place->group, place->name ? "/" : "",
             place->name ? place->name : "", field ? "/" : "", field ? field : "");
    return br_fail_path(place->error, BR_INVALID, code, path, "%s", message);
}

br_status br_fail_unknown(const br_place *place, const char *code, const char *field, const char *what,
                          const char *name, const br_names *names) {
    const char *near = name ? br_names_nearest(names, name) : NULL;
    return br_fail_place(place, code, field, "%s/%s names the %s '%.80s', which does not exist%s%s%s",
                         place->group, place->name ? place->name : "", what, name ? name : "",
                         near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

// "wheel", or the group where the element has no name.
static const char *who(const br_place *place) {
    return place->name ? place->name : place->group;
}

br_status br_check_finite(const br_place *place, const char *field, const double *x, int count) {
    for (int k = 0; k < count; k++)
        if (!isfinite(x[k]))
            return br_fail_place(place, "model-not-finite", field, "%s of %s is %g, expected a finite number",
                                 field, who(place), x[k]);
    return BR_OK;
}

br_status br_check_not_negative(const br_place *place, const char *field, const double *x, int count) {
    const br_status status = br_check_finite(place, field, x, count);
    for (int k = 0; status == BR_OK && k < count; k++)
        if (x[k] < 0.0)
            return br_fail_place(place, "model-negative", field, "%s of %s is %g, expected 0 or more", field,
                                 who(place), x[k]);
    return status;
}

// Below this length a quaternion is a slip, not a direction: nobody scales them by a million.
#define BR_EPS_QUATERNION 1e-6

br_status br_check_pose(const br_place *place, const char *field, br_pose pose) {
    const double p[3] = {pose.position.x, pose.position.y, pose.position.z};
    const double q[4] = {pose.rotation.w, pose.rotation.x, pose.rotation.y, pose.rotation.z};
    br_status status = br_check_finite(place, field, p, 3);
    if (status == BR_OK) status = br_check_finite(place, field, q, 4);
    const double length = br_quat_norm(pose.rotation);
    if (status == BR_OK && !(length > BR_EPS_QUATERNION && isfinite(length)))
        return br_fail_place(place, "model-quaternion", field,
                             "the quaternion (%g, %g, %g, %g) of %s has length %g, expected about 1", q[0],
                             q[1], q[2], q[3], who(place), length);
    return status;
}

br_status br_check_function(const br_place *place, const char *field, const br_function_def *f) {
    switch (f->kind) {
    case BR_FUNCTION_CONSTANT:
        return br_check_finite(place, field, &f->constant, 1);
    case BR_FUNCTION_EXPRESSION:
        if (!f->expression || !f->expression[0])
            return br_fail_place(place, "expression-syntax", field, "%s of %s is an empty expression", field,
                                 who(place));
        return br_check_finite(place, field, &f->scale, 1);
    case BR_FUNCTION_TABLE:
    case BR_FUNCTION_SMOOTH: {
        if (f->count < 1 || !f->times || !f->values)
            return br_fail_place(place, "table-empty", field, "%s of %s is a table without points", field,
                                 who(place));
        br_status status = br_check_finite(place, field, f->times, f->count);
        if (status == BR_OK) status = br_check_finite(place, field, f->values, f->count);
        for (int k = 1; status == BR_OK && k < f->count; k++)
            if (!(f->times[k] > f->times[k - 1]))
                return br_fail_place(place, "table-not-rising", field,
                                     "%s of %s: the table's time %g comes after %g, expected times that rise",
                                     field, who(place), f->times[k], f->times[k - 1]);
        return status;
    }
    }
    return br_fail_place(place, "model-kind", field, "%s of %s is of no known kind (%d)", field, who(place),
                         (int)f->kind);
}

// --- bodies ------------------------------------------------------------------------------------------------

// Tensors come from data sheets with a few digits; a flat plate meets the triangle inequality with equality.
#define BR_EPS_TRIANGLE 1e-9

static br_status check_inertia(const br_body_def *def, const br_place *place) {
    const br_sym3 I = def->inertia;
    const double entry[6] = {I.xx, I.yy, I.zz, I.xy, I.xz, I.yz};
    const br_status status = br_check_finite(place, "inertia", entry, 6);
    if (status != BR_OK) return status;
    br_vec3 moment; // principal, rising
    br_sym3_eigen(I, &moment, NULL);
    const double slack = BR_EPS_TRIANGLE * fabs(moment.z);
    if (moment.x < -slack || moment.z < 0.0)
        return br_fail_place(place, "body-inertia-indefinite", "inertia",
                             "the inertia of body %s has the principal moment %g, expected none below 0",
                             def->name, moment.x);
    if (moment.x + moment.y < moment.z - slack)
        return br_fail_place(
            place, "body-inertia-triangle", "inertia",
            "the principal moments of body %s are %g, %g and %g; no body has one larger than the sum "
            "of the other two",
            def->name, moment.x, moment.y, moment.z);
    return BR_OK;
}

static br_status check_frames(const br_body_def *def, const br_place *place) {
    if (def->frame_count < 0 || (def->frame_count > 0 && !def->frames))
        return br_fail_place(place, "model-missing", "frames", "the list of frames of body %s is missing",
                             def->name);
    for (int k = 0; k < def->frame_count; k++) {
        const char *name = def->frames[k].name, *fault = br_name_fault(name);
        if (fault)
            return br_fail_place(place, "name-invalid", "frames", "body %s: the name of a frame, '%.80s', %s",
                                 def->name, name ? name : "", fault);
        for (int i = 0; i < k; i++)
            if (strcmp(def->frames[i].name, name) == 0)
                return br_fail_place(place, "name-duplicate", "frames", "body %s has two frames named %s",
                                     def->name, name);
        const br_status status = br_check_pose(place, "frames", def->frames[k].pose);
        if (status != BR_OK) return status;
    }
    return BR_OK;
}

br_status br_check_body(const br_body_def *def, const br_place *place) {
    const double v[6] = {def->velocity.x,         def->velocity.y,         def->velocity.z,
                         def->angular_velocity.x, def->angular_velocity.y, def->angular_velocity.z};
    br_status status = br_check_finite(place, "mass", &def->mass, 1);
    if (status != BR_OK) return status;
    if (def->mass < 0.0)
        return br_fail_place(place, "body-mass", "mass", "the mass of body %s is %g kg, expected 0 or more",
                             def->name, def->mass);
    status = br_def_check(&br_def_body, def, place, "");
    if (status == BR_OK) status = check_inertia(def, place);
    if (status == BR_OK) status = br_check_pose(place, "pose", def->pose);
    if (status == BR_OK && def->has_velocity) status = br_check_finite(place, "velocity", v, 6);
    if (status == BR_OK) status = check_frames(def, place);
    if (status == BR_OK && (def->shape_count < 0 || (def->shape_count > 0 && !def->shapes)))
        status = br_fail_place(place, "model-missing", "shapes", "the list of shapes of body %s is missing",
                               def->name);
    for (int k = 0; status == BR_OK && k < def->shape_count; k++) {
        char field[32];
        snprintf(field, sizeof field, "shapes/%d", k);
        status = br_check_shape(&def->shapes[k], place, field);
    }
    return status;
}
