#include "fit/difference.h"

#include "bristle/math.h"

int br_fit_difference(const fit_group *g, const double *measured, const double *predicted, double e[3]) {
    if (g->kind != FIT_ROTATION) {
        for (int i = 0; i < g->count; i++) e[i] = predicted[g->column[i]] - measured[g->column[i]];
        return g->count;
    }
    double q[2][4];
    for (int i = 0; i < 4; i++) q[0][i] = measured[g->column[i]], q[1][i] = predicted[g->column[i]];
    const br_quat a = br_quat_normalize(br_quat_of(q[0][0], q[0][1], q[0][2], q[0][3])),
                  b = br_quat_normalize(br_quat_of(q[1][0], q[1][1], q[1][2], q[1][3]));
    const br_vec3 r = br_quat_log(br_quat_mul(b, br_quat_conjugate(a)));
    e[0] = r.x, e[1] = r.y, e[2] = r.z;
    return 3;
}
