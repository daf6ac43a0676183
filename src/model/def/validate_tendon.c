// Checks of a tendon's path, see validate.h.
#include <stdio.h>

#include "model/def/validate.h"
#include "model/def/words.h"

enum { BR_MAX_TENDON_PARTS = 200 }; // points, shapes and pulleys of one tendon

static int wraps(const br_tendon_part_def *p) {
    return p->kind == BR_TENDON_SPHERE || p->kind == BR_TENDON_CYLINDER;
}

static br_status fail_part(const br_joint_def *def, const br_place *place, int k, const char *why) {
    return br_fail_place(place, "tendon-path", "tendon", "tendon %s, part %d of its path (%s): %s", def->name,
                         k + 1, br_words_tendon[def->path[k].kind], why);
}

static br_status check_part(const br_joint_def *def, const br_place *place, int k) {
    const br_tendon_part_def *p = &def->path[k];
    char field[32];
    snprintf(field, sizeof field, "tendon/%d", k);
    if (p->kind != BR_TENDON_PULLEY && (!p->of || !p->of[0]))
        return fail_part(def, place, k,
                         "it does not say of what, expected the name of a body, or of a joint");
    const double x[] = {p->factor, p->radius, p->side.x, p->side.y, p->side.z};
    br_status status = br_check_finite(place, field, x, 5);
    if (status == BR_OK) status = br_check_pose(place, field, p->pose);
    if (status != BR_OK) return status;
    if (p->kind == BR_TENDON_PULLEY && !(p->factor > 0.0))
        return fail_part(def, place, k, "its divisor must be above 0");
    if (wraps(p) && !(p->radius > 0.0)) return fail_part(def, place, k, "its radius must be above 0");
    if (wraps(p) && (k == 0 || k + 1 == def->path_count || def->path[k - 1].kind != BR_TENDON_POINT ||
                     def->path[k + 1].kind != BR_TENDON_POINT))
        return fail_part(
            def, place, k,
            "it goes around a shape from one point to another: a point must come before and after");
    return BR_OK;
}

// Every stretch between pulleys goes from a point to a point.
static br_status check_stretches(const br_joint_def *def, const br_place *place) {
    int points = 0;
    for (int k = 0; k <= def->path_count; k++) {
        const int ends = k == def->path_count || def->path[k].kind == BR_TENDON_PULLEY;
        if (!ends) points += def->path[k].kind == BR_TENDON_POINT;
        if (!ends) continue;
        if (points == 1 || (points == 0 && k == def->path_count))
            return br_fail_place(place, "tendon-path", "tendon",
                                 "tendon %s has %s%s; a tendon goes through two points at least", def->name,
                                 points ? "one point only" : "no points",
                                 def->path_count > k ? " before a pulley" : "");
        points = 0;
    }
    return BR_OK;
}

br_status br_check_tendon(const br_joint_def *def, const br_place *place) {
    int joints = 0;
    if (def->path_count < 1 || !def->path)
        return br_fail_place(place, "tendon-path", "tendon",
                             "tendon %s has no path, expected points, or joints", def->name);
    if (def->path_count > BR_MAX_TENDON_PARTS)
        return br_fail_place(place, "tendon-path", "tendon",
                             "the path of tendon %s has %d parts; at most %d can be taken", def->name,
                             def->path_count, BR_MAX_TENDON_PARTS);
    if (!(def->slack >= 0.0))
        return br_fail_place(place, "tendon-slack", "spring/slack", "slack of tendon %s is %g, expected >= 0",
                             def->name, def->slack);
    br_status status = BR_OK;
    for (int k = 0; k < def->path_count && status == BR_OK; k++) {
        if ((int)def->path[k].kind < 0 || def->path[k].kind > BR_TENDON_JOINT)
            return br_fail_place(place, "model-kind", "tendon",
                                 "part %d of tendon %s is of no known kind (%d)", k + 1, def->name,
                                 (int)def->path[k].kind);
        status = check_part(def, place, k);
        joints += def->path[k].kind == BR_TENDON_JOINT;
    }
    if (status != BR_OK) return status;
    if (joints > 0 && joints < def->path_count)
        return br_fail_place(place, "tendon-path", "tendon",
                             "tendon %s has both joints and points; a tendon is made of one or the other",
                             def->name);
    if (joints == 0) status = check_stretches(def, place);
    const char *const given = def->has_position ? "position" : def->has_velocity ? "velocity" : NULL;
    if (status == BR_OK && given)
        return br_fail_place(place, "joint-tendon", given,
                             "the %s of tendon %s follows from what it runs over", given, def->name);
    if (status == BR_OK && def->friction.law != BR_FRICTION_NONE)
        return br_fail_place(place, "joint-tendon", "friction",
                             "tendon %s is given friction, which tendons do not have; give it to joints",
                             def->name);
    if (status == BR_OK && def->armature[0] != 0.0)
        return br_fail_place(place, "joint-tendon", "armature",
                             "tendon %s is given armature; a tendon has no mass", def->name);
    if (status == BR_OK && (def->compliance_translation != 0.0 || def->compliance_rotation != 0.0))
        return br_fail_place(place, "joint-tendon", "compliance",
                             "tendon %s is given a compliance; give it a spring", def->name);
    return status;
}
