// Euler angles and their rates, declared in math.h.
#include "bristle/math.h"
#include "math/elementary.h"

// The axes (i, j, k) of an order, and its parity: +1 when they are a cyclic shift of (x, y, z).
typedef struct axes {
    int i, j, k;
    double parity;
} axes;

static axes axes_of(br_euler_order order) {
    static const axes table[] = {
        [BR_EULER_ZXY] = {2, 0, 1, 1.0},
        [BR_EULER_XYZ] = {0, 1, 2, 1.0},
        [BR_EULER_ZYX] = {2, 1, 0, -1.0},
    };
    return table[order];
}

static br_quat turn(int axis, double angle) {
    return br_quat_from_axis_angle(br_vec3_unit(axis), angle);
}

br_quat br_quat_from_euler(br_euler_order order, br_vec3 angles) {
    const axes e = axes_of(order);
    return br_quat_mul(br_quat_mul(turn(e.i, angles.x), turn(e.j, angles.y)), turn(e.k, angles.z));
}

br_vec3 br_quat_to_euler(br_euler_order order, br_quat q) {
    const axes e = axes_of(order);
    const int i = e.i, j = e.j, k = e.k;
    const double s = e.parity;
    const br_mat3 R = br_quat_to_mat3(q);

    const double cos_b = br_hypot(R.m[i][i], R.m[i][j]);
    const double b = br_atan2(s * R.m[i][k], cos_b);
    // With cos b lost in rounding, a and c are one angle: a = 0.
    const double a = cos_b > 4.0 * DBL_EPSILON ? br_atan2(-s * R.m[j][k], R.m[k][k]) : 0.0;
    // c from Ri(a)^T R = Rj(b) Rk(c), not from R alone: it makes up for whatever rounding did to a near the
    // singularity.
    double ca, sine;
    br_sincos(a, &sine, &ca);
    const double sa = s * sine;
    const double c = br_atan2(s * (ca * R.m[j][i] + sa * R.m[k][i]), ca * R.m[j][j] + sa * R.m[k][j]);
    return br_vec3_of(a, b, c);
}

br_mat3 br_euler_rate_map(br_euler_order order, br_vec3 angles) {
    const axes e = axes_of(order);
    const br_quat after_a = turn(e.i, angles.x), after_b = br_quat_mul(after_a, turn(e.j, angles.y));
    return br_mat3_of_columns(br_vec3_unit(e.i), br_quat_rotate(after_a, br_vec3_unit(e.j)),
                              br_quat_rotate(after_b, br_vec3_unit(e.k)));
}
