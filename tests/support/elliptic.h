// The pendulum in closed form, by Jacobi's elliptic functions.
#ifndef ELLIPTIC_H
#define ELLIPTIC_H

#include <math.h>

// sn, cn, dn for the modulus k < 1, by the arithmetic-geometric mean.
static inline void elliptic(double u, double k, double *sn, double *cn, double *dn) {
    double a[16] = {1}, c[16] = {1}, b = sqrt(1 - k * k);
    int n = 0;
    for (; fabs(c[n]) > 1e-17 && n < 15; n++) {
        a[n + 1] = 0.5 * (a[n] + b);
        c[n + 1] = 0.5 * (a[n] - b);
        b = sqrt(a[n] * b);
    }
    double phi = ldexp(a[n], n) * u;
    for (int i = n; i > 0; i--) phi = 0.5 * (phi + asin(c[i] / a[i] * sin(phi)));
    *sn = sin(phi);
    *cn = cos(phi);
    *dn = sqrt(1 - k * k * *sn * *sn);
}

// Angle from the lowest position at time t of a pendulum with frequency w = sqrt(g / l) released at `start`.
static inline double pendulum_angle(double start, double w, double t) {
    const double k = sin(start / 2);
    double sn, cn, dn;
    elliptic(w * t, k, &sn, &cn, &dn);
    return 2 * asin(k * cn / dn);
}

#endif
