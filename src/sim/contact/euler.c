// Rotation by Euler angles zxy, the coordinates of [Peiret2016 table 1]: q_next = q + h Gamma v with Euler rates e as the
// velocities, for free and spherical joints.
//
// With w = E(q) e the angular velocity in body axes, e_next = e + h de/dt means
//     E(q) e_next = w + h (dw/dt + turn),   turn = -dE/dt e,
// so the step's problem stays in w, with `turn` added to the accelerations; afterwards w_next = E(q_next) E(q)^-1 (E(q) e_next).
// At theta = +-90 degrees E is singular: an error.
#include "base/error.h"
#include "math/elementary.h"
#include "sim/contact/contact.h"
#include "tree/joint_kinds.h"

#define BR_EPS_GIMBAL 1e-6 // cosine of the second angle at which Euler rates lose their meaning

// Offsets of a link's quaternion in q and of its angular velocity in v; 0 when it has none.
static int turns(const br_link *link, int *q_at, int *v_at) {
    if (link->kind->type == BR_JOINT_FREE) return *q_at = link->q_at + 3, *v_at = link->v_at + 3, 1;
    if (link->kind->type == BR_JOINT_SPHERICAL) return *q_at = link->q_at, *v_at = link->v_at, 1;
    return 0;
}

// E of w_body = E (psi', theta', phi').
static br_mat3 rate_map(br_vec3 a) {
    double st, ct, sp, cp;
    br_sincos(a.y, &st, &ct);
    br_sincos(a.z, &sp, &cp);
    return br_mat3_of_rows(br_vec3_of(-sp * ct, cp, 0.0), br_vec3_of(st, 0.0, 1.0),
                           br_vec3_of(cp * ct, sp, 0.0));
}

// dE/dt for rates e.
static br_mat3 rate_map_rate(br_vec3 a, br_vec3 e) {
    const double t = e.y, p = e.z;
    double st, ct, sp, cp;
    br_sincos(a.y, &st, &ct);
    br_sincos(a.z, &sp, &cp);
    return br_mat3_of_rows(br_vec3_of(-cp * ct * p + sp * st * t, -sp * p, 0.0), br_vec3_of(ct * t, 0.0, 0.0),
                           br_vec3_of(-sp * ct * p - cp * st * t, cp * p, 0.0));
}

static br_vec3 load(const double *x) {
    return br_vec3_of(x[0], x[1], x[2]);
}

static void store(br_vec3 a, double *x) {
    x[0] = a.x, x[1] = a.y, x[2] = a.z;
}

static br_vec3 angles_of(const double *q) {
    return br_quat_to_euler(BR_EULER_ZXY, br_quat_of(q[0], q[1], q[2], q[3]));
}

br_status br_euler_begin(br_sim *sim, br_error *error) {
    const br_tree *tree = &sim->model->tree;
    for (int i = 0, q_at, v_at; i < tree->links; i++) {
        if (!turns(&tree->link[i], &q_at, &v_at)) continue;
        const br_vec3 a = angles_of(sim->state.q + q_at);
        br_mat3 inverse;
        if (fabs(br_cos(a.y)) < BR_EPS_GIMBAL || br_mat3_invert(rate_map(a), &inverse) != BR_OK)
            return br_fail(
                error, BR_NUMERICAL, "euler-singular",
                "t = %.9g s: body '%s' is at theta = 90 degrees, where Euler rates do not exist; use "
                "solver: {rotation: quaternion}",
                sim->state.at->t, sim->model->body[sim->model->link_body[i]].name);
        const br_vec3 e = br_mat3_mul_vec(inverse, load(sim->state.v + v_at));
        store(br_vec3_neg(br_mat3_mul_vec(rate_map_rate(a, e), e)), sim->turn + v_at);
    }
    return BR_OK;
}

// q and v hold the step's end with turning bodies still at the start's rotation: advances them by the old or the new rates, and
// takes the velocities along.
br_status br_euler_finish(br_sim *sim, const double *q_start, const double *v_start, double h, int old,
                          double *q, double *v) {
    const br_tree *tree = &sim->model->tree;
    for (int i = 0, q_at, v_at; i < tree->links; i++) {
        if (!turns(&tree->link[i], &q_at, &v_at)) continue;
        const br_vec3 a = angles_of(q_start + q_at);
        br_mat3 inverse;
        if (br_mat3_invert(rate_map(a), &inverse) != BR_OK) return BR_NUMERICAL;
        const br_vec3 e = br_mat3_mul_vec(inverse, load(v_start + v_at)),
                      e_next = br_mat3_mul_vec(inverse, load(v + v_at));
        const br_vec3 a_next = br_vec3_add_scaled(a, h, old ? e : e_next);
        const br_quat r = br_quat_from_euler(BR_EULER_ZXY, a_next);
        q[q_at] = r.w, q[q_at + 1] = r.x, q[q_at + 2] = r.y, q[q_at + 3] = r.z;
        store(br_mat3_mul_vec(rate_map(a_next), e_next), v + v_at);
    }
    return BR_OK;
}
