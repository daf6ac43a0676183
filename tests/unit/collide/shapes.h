// Shapes, placements and brute-force answers for the tests of src/collide.
//
// The signed distance of two convex shapes is the largest, over unit vectors n, of
//     s(n) = min over A of n . x - max over B of n . x
// positive apart, minus the depth when they meet. brute_distance finds it from support points alone by sampling and
// a shrinking random search, which no closed form here has any part in.
#ifndef SHAPES_H
#define SHAPES_H

#include "collide/collide.h"

#include "near.h"
#include "random.h"

static inline br_geometry shape_make(br_shape_type type, br_vec3 size, double length) {
    br_shape_def def = {0};
    def.type = type;
    def.pose = br_pose_identity();
    def.size = size;
    def.length = length;
    def.axis = br_vec3_unit(2);
    br_geometry g;
    assert_int_equal(br_geometry_make(&def, NULL, &g, NULL), BR_OK); // none of these takes memory
    return g;
}

static inline br_geometry box_make(double x, double y, double z) {
    return shape_make(BR_SHAPE_BOX, br_vec3_of(x, y, z), 0.0);
}

static inline br_geometry sphere_make(double radius) {
    return shape_make(BR_SHAPE_SPHERE, br_vec3_of(radius, 0, 0), 0.0);
}

static inline br_geometry capsule_make(double radius, double length) {
    return shape_make(BR_SHAPE_CAPSULE, br_vec3_of(radius, 0, 0), length);
}

static inline br_geometry plane_make(void) {
    return shape_make(BR_SHAPE_PLANE, br_vec3_zero(), 0.0);
}

static inline br_placement place_make(br_quat rotation, br_vec3 p) {
    const br_placement X = {br_quat_to_mat3(br_quat_normalize(rotation)), p};
    return X;
}

static inline br_placement place_at(double x, double y, double z) {
    return place_make(br_quat_identity(), br_vec3_of(x, y, z));
}

static inline br_placement place_random(rng *r, double size) {
    const br_quat q = rng_rotation(r);
    return place_make(q, rng_vec3(r, size));
}

// The placement seen after the whole world was moved by X.
static inline br_placement place_moved(const br_placement *X, const br_placement *Y) {
    const br_placement r = {br_mat3_mul(X->R, Y->R), br_vec3_add(X->p, br_mat3_mul_vec(X->R, Y->p))};
    return r;
}

// Farthest along d, as a height relative to `base`.
static inline double shape_height(const br_geometry *g, const br_placement *X, br_vec3 base, br_vec3 d) {
    if (g->type == BR_SHAPE_PLANE) { // as far as it goes, which is nowhere but along its normal
        const br_vec3 n = br_mat3_column(X->R, 2);
        return br_vec3_distance(n, d) < 1e-12 ? br_vec3_dot(d, br_vec3_sub(X->p, base)) : INFINITY;
    }
    const br_vec3 d_local = br_mat3_tmul_vec(X->R, d);
    return br_vec3_dot(d, br_vec3_sub(X->p, base)) + br_vec3_dot(d_local, br_geometry_support(g, d_local));
}

static inline double brute_separation(const br_geometry *a, const br_placement *X_A, const br_geometry *b,
                                      const br_placement *X_B, br_vec3 n) {
    return -shape_height(a, X_A, X_A->p, br_vec3_neg(n)) - shape_height(b, X_B, X_A->p, n);
}

static inline double brute_distance(rng *r, const br_geometry *a, const br_placement *X_A,
                                    const br_geometry *b, const br_placement *X_B, br_vec3 *normal) {
    enum { SAMPLES = 2000, STARTS = 6, STEPS = 1500 };
    br_vec3 start[STARTS];
    double value[STARTS];
    for (int k = 0; k < STARTS; k++) value[k] = -INFINITY, start[k] = br_vec3_unit(2);
    for (int s = 0; s < SAMPLES; s++) {
        const br_vec3 n = rng_direction(r);
        const double v = brute_separation(a, X_A, b, X_B, n);
        int low = 0;
        for (int k = 1; k < STARTS; k++)
            if (value[k] < value[low]) low = k;
        if (v > value[low]) value[low] = v, start[low] = n;
    }
    double best = -INFINITY;
    for (int k = 0; k < STARTS; k++) {
        double step = 0.2;
        for (int s = 0; s < STEPS && step > 1e-14; s++) {
            const br_vec3 n = br_vec3_normalize(br_vec3_add_scaled(start[k], step, rng_direction(r)));
            const double v = brute_separation(a, X_A, b, X_B, n);
            if (v > value[k])
                value[k] = v, start[k] = n, step *= 1.5;
            else
                step *= 0.95;
        }
        if (value[k] > best) best = value[k], *normal = start[k];
    }
    return best;
}

// How far a point is outside (> 0) or inside (< 0) of a sphere, a box or a capsule.
static inline double point_outside(const br_geometry *g, const br_placement *X, br_vec3 point) {
    const br_vec3 x = br_mat3_tmul_vec(X->R, br_vec3_sub(point, X->p));
    if (g->type == BR_SHAPE_BOX) {
        const br_vec3 e = br_vec3_of(fabs(x.x) - g->half.x, fabs(x.y) - g->half.y, fabs(x.z) - g->half.z);
        const double most = fmax(e.x, fmax(e.y, e.z));
        return most < 0.0 ? most : br_vec3_norm(br_vec3_of(fmax(e.x, 0), fmax(e.y, 0), fmax(e.z, 0)));
    }
    const double along = fmin(fmax(x.z, -g->half_length), g->half_length);
    return br_vec3_norm(br_vec3_of(x.x, x.y, x.z - along)) - g->radius;
}

static inline double least_gap(const br_contact_point *c, int count) {
    double least = INFINITY;
    for (int k = 0; k < count; k++) least = fmin(least, c[k].gap);
    return least;
}

// What holds for every answer whatever the shapes: finite, a unit normal, within the margin, no feature twice.
static inline void check_points(const br_contact_point *c, int count, double margin) {
    assert_true(count >= 0 && count <= BR_MAX_MANIFOLD);
    for (int k = 0; k < count; k++) {
        assert_true(br_vec3_is_finite(c[k].point) && br_vec3_is_finite(c[k].normal) && isfinite(c[k].gap));
        assert_near(br_vec3_norm(c[k].normal), 1.0, 1e-13);
        assert_true(c[k].gap <= margin);
        for (int j = 0; j < k; j++) assert_int_not_equal(c[k].feature, c[j].feature);
    }
}

static inline const br_contact_point *find_feature(const br_contact_point *c, int count, uint32_t feature) {
    for (int k = 0; k < count; k++)
        if (c[k].feature == feature) return &c[k];
    return NULL;
}

// The whole world moved: the same features, gaps, and moved points and normals.
static inline void check_moved(const br_contact_point *c, int count, const br_contact_point *d,
                               int moved_count, const br_placement *X, double tol) {
    assert_int_equal(count, moved_count);
    for (int k = 0; k < count; k++) {
        const br_contact_point *e = find_feature(d, moved_count, c[k].feature);
        assert_non_null(e);
        assert_near(e->gap, c[k].gap, tol);
        assert_vec3_near(e->normal, br_mat3_mul_vec(X->R, c[k].normal), tol);
        assert_vec3_near(e->point, br_vec3_add(X->p, br_mat3_mul_vec(X->R, c[k].point)), tol);
    }
}

#endif
