// One test for many numbers: x * 0 is 0 for finite numbers and NaN otherwise. No branches, and four sums so that none
// waits for the last; every solve passes its data through here.
#ifndef BR_BASE_FINITE_H
#define BR_BASE_FINITE_H

static inline int br_all_finite(long n, const double *x) {
    double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
    long k = 0;
    for (; k + 4 <= n; k += 4) {
        s0 += x[k] * 0.0;
        s1 += x[k + 1] * 0.0;
        s2 += x[k + 2] * 0.0;
        s3 += x[k + 3] * 0.0;
    }
    for (; k < n; k++) s0 += x[k] * 0.0;
    return (s0 + s1) + (s2 + s3) == 0.0;
}

#endif
