#include "linalg/symmetric.h"

#include <math.h>

#define BR_MAX_SWEEPS 40

void br_symmetric_eigen(int n, double *S, double *turn, double *values) {
    for (int i = 0; i < n * n; i++) turn[i] = i % (n + 1) == 0 ? 1.0 : 0.0;
    for (int sweep = 0; sweep < BR_MAX_SWEEPS; sweep++) {
        double off = 0.0, all = 0.0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                all += S[i * n + j] * S[i * n + j];
                if (i != j) off += S[i * n + j] * S[i * n + j];
            }
        if (!(off > 1e-32 * all)) break;
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                if (S[p * n + q] == 0.0) continue;
                const double t0 = (S[q * n + q] - S[p * n + p]) / (2.0 * S[p * n + q]);
                const double t = copysign(1.0, t0) / (fabs(t0) + sqrt(1.0 + t0 * t0));
                const double c = 1.0 / sqrt(1.0 + t * t), s = t * c;
                for (int k = 0; k < n; k++) {
                    const double x = S[k * n + p];
                    S[k * n + p] = c * x - s * S[k * n + q], S[k * n + q] = s * x + c * S[k * n + q];
                }
                for (int k = 0; k < n; k++) {
                    const double x = S[p * n + k];
                    S[p * n + k] = c * x - s * S[q * n + k], S[q * n + k] = s * x + c * S[q * n + k];
                }
                for (int k = 0; k < n; k++) {
                    const double x = turn[p * n + k];
                    turn[p * n + k] = c * x - s * turn[q * n + k],
                                 turn[q * n + k] = s * x + c * turn[q * n + k];
                }
            }
    }
    for (int i = 0; i < n; i++) values[i] = S[i * n + i];
}
