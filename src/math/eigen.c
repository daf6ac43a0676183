// Eigenvalues of a symmetric 3 x 3 matrix, declared in math.h.
#include "bristle/math.h"

// Cyclic Jacobi: for 3 x 3 it is as quick as the closed form, and unlike it keeps every digit of clustered
// eigenvalues and the orthogonality of their vectors. It converges quadratically; six sweeps are the most
// ever seen to be needed, the cap only guards against NaN.
enum { BR_MAX_JACOBI_SWEEPS = 30 };

// Makes a[p][q] zero by a rotation in the plane (p, q), and carries it into the vectors v.
static void rotate_plane(double a[3][3], double v[3][3], int p, int q) {
    if (a[p][q] == 0.0) return;
    const double tau = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    const double t = (tau >= 0.0 ? 1.0 : -1.0) / (fabs(tau) + sqrt(1.0 + tau * tau)); // the smaller angle
    const double c = 1.0 / sqrt(1.0 + t * t), s = t * c;
    const int r = 3 - p - q;

    a[p][p] -= t * a[p][q];
    a[q][q] += t * a[p][q];
    a[p][q] = a[q][p] = 0.0;
    const double arp = a[r][p], arq = a[r][q];
    a[r][p] = a[p][r] = c * arp - s * arq;
    a[r][q] = a[q][r] = s * arp + c * arq;
    for (int i = 0; i < 3; ++i) {
        const double vip = v[i][p], viq = v[i][q];
        v[i][p] = c * vip - s * viq;
        v[i][q] = s * vip + c * viq;
    }
}

void br_sym3_eigen(br_sym3 symmetric, br_vec3 *values, br_mat3 *vectors) {
    br_mat3 a = br_sym3_to_mat3(symmetric), v = br_mat3_identity();
    for (int sweep = 0; sweep < BR_MAX_JACOBI_SWEEPS; ++sweep) {
        const double off = fabs(a.m[0][1]) + fabs(a.m[0][2]) + fabs(a.m[1][2]);
        const double scale = fabs(a.m[0][0]) + fabs(a.m[1][1]) + fabs(a.m[2][2]);
        if (off <= 1e-3 * DBL_EPSILON * scale || off < DBL_MIN) break;
        rotate_plane(a.m, v.m, 0, 1);
        rotate_plane(a.m, v.m, 0, 2);
        rotate_plane(a.m, v.m, 1, 2);
    }

    int order[3] = {0, 1, 2};
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2 - i; ++j)
            if (a.m[order[j]][order[j]] > a.m[order[j + 1]][order[j + 1]]) {
                const int swap = order[j];
                order[j] = order[j + 1];
                order[j + 1] = swap;
            }
    if (values)
        *values = br_vec3_of(a.m[order[0]][order[0]], a.m[order[1]][order[1]], a.m[order[2]][order[2]]);
    if (vectors) {
        // Each rotation left a rounding error in the lengths and angles; one step of Gram-Schmidt removes
        // their sum.
        const br_vec3 first = br_vec3_normalize(br_mat3_column(v, order[0]));
        br_vec3 second = br_mat3_column(v, order[1]);
        second = br_vec3_normalize(br_vec3_add_scaled(second, -br_vec3_dot(first, second), first));
        *vectors = br_mat3_of_columns(first, second, br_vec3_cross(first, second));
    }
}
