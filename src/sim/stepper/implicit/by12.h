// Derivatives of a vector by the moves and turns of two nodes: 3 x 12, columns (x_a, psi_a, x_b, psi_b). Private to src/sim.
#ifndef BR_SIM_STEPPER_IMPLICIT_BY12_H
#define BR_SIM_STEPPER_IMPLICIT_BY12_H

#include "bristle/math.h"

typedef struct br_by12 {
    double m[3][12];
} br_by12;

enum { BR_BY_X_A = 0, BR_BY_TURN_A = 3, BR_BY_X_B = 6, BR_BY_TURN_B = 9 };

static inline br_by12 br_by12_zero(void) {
    return (br_by12){{{0.0}}};
}

// to += factor M in the three columns from `at` on.
static inline void br_by12_put(br_by12 *to, int at, double factor, br_mat3 M) {
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) to->m[r][at + c] += factor * M.m[r][c];
}

static inline void br_by12_add(br_by12 *to, double factor, const br_by12 *B) {
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < 12; c++) to->m[i][c] += factor * B->m[i][c];
}

static inline br_by12 br_by12_times(br_mat3 A, const br_by12 *B) { // A B
    br_by12 r;
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < 12; c++)
            r.m[i][c] = A.m[i][0] * B->m[0][c] + A.m[i][1] * B->m[1][c] + A.m[i][2] * B->m[2][c];
    return r;
}

static inline void br_by12_add_times(br_by12 *to, double factor, br_mat3 A, const br_by12 *B) {
    const br_by12 product = br_by12_times(A, B);
    br_by12_add(to, factor, &product);
}

static inline void br_by12_add_outer(br_by12 *to, double factor, br_vec3 a, const double *row) {
    const br_vec3 b = br_vec3_scale(factor, a);
    for (int c = 0; c < 12; c++)
        to->m[0][c] += b.x * row[c], to->m[1][c] += b.y * row[c], to->m[2][c] += b.z * row[c];
}

static inline void br_by12_dot(double *row, double factor, br_vec3 a,
                               const br_by12 *B) { // row += factor a^T B
    for (int c = 0; c < 12; c++) row[c] += factor * (a.x * B->m[0][c] + a.y * B->m[1][c] + a.z * B->m[2][c]);
}

#endif
