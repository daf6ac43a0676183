#include "sim/friction/dense.h"

void br_dense_put(const br_sim *sim, const struct br_dense *d, int link, br_wrench F, double factor,
                  double *to, int stride) {
    if (d->per_link == 6) {
        for (int c = 0; c < 3; c++) {
            to[(6 * link + c) * stride] += factor * br_vec3_get(F.torque, c);
            to[(6 * link + 3 + c) * stride] += factor * br_vec3_get(F.force, c);
        }
        return;
    }
    to[3 * link * stride] += factor * br_vec3_dot(F.torque, sim->model->normal);
    to[(3 * link + 1) * stride] += factor * br_vec3_dot(F.force, d->e1);
    to[(3 * link + 2) * stride] += factor * br_vec3_dot(F.force, d->e2);
}

void br_dense_clear(br_balance *b, int c) {
    for (int r = 0; r < b->n; r++) b->A[r * b->columns + c] = 0.0;
    b->gamma[c] = b->weight[c] = b->x[c] = b->power[c] = 0.0;
    b->parameter[c][0] = '\0';
}
