// One test for many numbers: x * 0 is 0 for finite numbers and NaN otherwise. No branches, and four sums so that none
// waits for the last; every solve passes its data through here.
#ifndef BR_BASE_FINITE_H
#define BR_BASE_FINITE_H

static inline int br_all_finite(long n, const double *x) {
    double sums[4] = {0.0, 0.0, 0.0, 0.0};
    long k = 0;
    for (; k + 4 <= n; k += 4)
        for (int j = 0; j < 4; j++) sums[j] += x[k + j] * 0.0;
    for (; k < n; k++) sums[0] += x[k] * 0.0;
    return (sums[0] + sums[1]) + (sums[2] + sums[3]) == 0.0;
}

#endif
