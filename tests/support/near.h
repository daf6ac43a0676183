// Comparisons of doubles and small value types for cmocka, with both numbers in the message. The tolerance is
// absolute; a NaN is never near anything. Brings cmocka and what it needs included first.
#ifndef NEAR_H
#define NEAR_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "bristle/math.h"

static inline void near_check(double a, double b, double tol, const char *text, const char *file, int line) {
    if (fabs(a - b) <= tol) return;
    print_error("%s: %.17g and %.17g differ by %g, more than %g\n", text, a, b, fabs(a - b), tol);
    _fail(file, line);
}

static inline void near_check_vec3(br_vec3 a, br_vec3 b, double tol, const char *text, const char *file,
                                   int line) {
    const double difference = br_vec3_norm(br_vec3_sub(a, b));
    if (difference <= tol) return;
    print_error("%s: (%.17g %.17g %.17g) and (%.17g %.17g %.17g) differ by %g, more than %g\n", text, a.x,
                a.y, a.z, b.x, b.y, b.z, difference, tol);
    _fail(file, line);
}

static inline void near_check_mat3(br_mat3 A, br_mat3 B, double tol, const char *text, const char *file,
                                   int line) {
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) near_check(A.m[i][j], B.m[i][j], tol, text, file, line);
}

#define assert_near(a, b, tol) near_check((a), (b), (tol), #a " ~ " #b, __FILE__, __LINE__)
#define assert_vec3_near(a, b, tol) near_check_vec3((a), (b), (tol), #a " ~ " #b, __FILE__, __LINE__)
#define assert_mat3_near(a, b, tol) near_check_mat3((a), (b), (tol), #a " ~ " #b, __FILE__, __LINE__)

// The same rotation, whichever the sign of the quaternions.
#define assert_rotation_near(a, b, tol)                                                                      \
    near_check(br_quat_angle((a), (b)), 0.0, (tol), #a " ~ " #b, __FILE__, __LINE__)

#endif
