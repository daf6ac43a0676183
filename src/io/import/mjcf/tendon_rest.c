// How long a tendon is in MuJoCo's qpos_spring: hinges and slides at springref, everything else as the file has it.
#include <string.h>

#include "io/import/mjcf/tendon.h"
#include "tree/wrap.h"

// The pose of every body there, parents before children.
static br_status spring_poses(mjcf *m, br_pose **out) {
    br_pose *X = BR_TAKE(&m->arena, br_pose, m->bodies + 1);
    if (!X) return br_mjcf_no_memory(m);
    for (int b = 0; b < m->bodies; b++) {
        const mjcf_body *body = &m->body[b];
        X[b] = body->parent < 0 ? body->X_PB : br_pose_mul(X[body->parent], body->X_PB);
        for (int k = 0; k < body->joints; k++) {
            const mjcf_joint *j = &m->joint[body->first_joint + k];
            const double q = j->rest - j->ref;
            if (j->type == MJCF_SLIDE)
                X[b] = br_pose_mul(X[b], br_pose_of(br_quat_identity(), br_vec3_scale(q, j->axis)));
            if (j->type != MJCF_HINGE) continue;
            const br_quat R = br_quat_from_axis_angle(j->axis, q);
            X[b] = br_pose_mul(X[b], br_pose_of(R, br_vec3_sub(j->point, br_quat_rotate(R, j->point))));
        }
    }
    *out = X;
    return BR_OK;
}

static br_pose part_pose(const mjcf *m, const br_pose *X, const char *of, br_pose local) {
    for (int b = 0; b < m->bodies; b++)
        if (strcmp(m->body[b].name, of) == 0) return br_pose_mul(X[b], local);
    return local;
}

// From the point at `from` to the next one, around the shape between them, if there is one.
static double stretch(const mjcf *m, const br_pose *X, const br_tendon_part_def *from, int wraps) {
    const br_vec3 a = part_pose(m, X, from->of, from->pose).position,
                  b = part_pose(m, X, from[1 + wraps].of, from[1 + wraps].pose).position;
    if (!wraps) return br_vec3_distance(a, b);
    const br_tendon_part_def *shape = from + 1;
    const br_pose S = part_pose(m, X, shape->of, shape->pose);
    br_vec3 side = br_vec3_zero();
    if (shape->side_of)
        side = br_pose_point_inverse(
            S, part_pose(m, X, shape->side_of, br_pose_of(br_quat_identity(), shape->side)).position);
    const br_vec3 p = br_pose_point_inverse(S, a), q = br_pose_point_inverse(S, b);
    const br_wrap w =
        br_wrap_round(p, q, shape->radius, shape->kind == BR_TENDON_CYLINDER, shape->side_of ? &side : NULL);
    return w.way == BR_WRAP_NONE ? br_vec3_distance(a, b)
                                 : br_vec3_distance(p, w.meet) + w.arc + br_vec3_distance(w.leave, q);
}

br_status br_mjcf_tendon_rest(mjcf *m, const mjcf_tendon *t, double *length) {
    double sum = 0.0, factor = 1.0;
    for (int k = 0; k < t->terms; k++) sum += t->term[k].coefficient * m->joint[t->term[k].joint].rest;
    *length = sum;
    if (t->terms > 0) return BR_OK;
    br_pose *X = NULL;
    const br_status status = spring_poses(m, &X);
    if (status != BR_OK) return status;
    for (int k = 0; k + 1 < t->parts; k++) {
        const br_tendon_part_def *p = &t->part[k];
        if (p->kind == BR_TENDON_PULLEY) factor = 1.0 / p->factor;
        if (p->kind != BR_TENDON_POINT || p[1].kind == BR_TENDON_PULLEY) continue;
        sum += factor * stretch(m, X, p, p[1].kind != BR_TENDON_POINT);
    }
    *length = sum;
    return BR_OK;
}
