// A sphere against a sphere, a capsule and a box: the nearest point of the other shape to the centre. One point, so one
// feature: it stays the same contact while the sphere rolls over faces and edges.
#include "collide/pair.h"

// A sphere of radius r about `centre` against a ball of radius s about `other`, both relative to `base`.
static int ball_ball(br_vec3 base, br_vec3 centre, double r, br_vec3 other, double s, br_vec3 fallback,
                     double margin, br_contact_point *out) {
    const br_vec3 d = br_vec3_sub(centre, other);
    const double distance = br_vec3_norm(d), gap = distance - (r + s);
    if (!(gap <= margin)) return 0;
    const br_vec3 n = distance > BR_EPS_DIRECTION ? br_vec3_scale(1.0 / distance, d) : fallback;
    return br_emit(out, 0, br_vec3_add(base, br_vec3_add_scaled(centre, -r, n)), n, gap, 0);
}

int br_pair_sphere_sphere(const br_geometry *a, const br_placement *X_A, const br_geometry *b,
                          const br_placement *X_B, double margin, br_contact_point *out) {
    const br_vec3 d = br_vec3_sub(X_B->p, X_A->p); // about A: B's centre keeps its digits
    return ball_ball(X_A->p, br_vec3_zero(), a->radius, d, b->radius, br_vec3_unit(2), margin, out);
}

int br_pair_sphere_capsule(const br_geometry *a, const br_placement *X_A, const br_geometry *b,
                           const br_placement *X_B, double margin, br_contact_point *out) {
    const br_vec3 axis = br_mat3_column(X_B->R, 2), d = br_vec3_sub(X_B->p, X_A->p);
    const double along = fmin(fmax(-br_vec3_dot(axis, d), -b->half_length), b->half_length);
    return ball_ball(X_A->p, br_vec3_zero(), a->radius, br_vec3_add_scaled(d, along, axis), b->radius,
                     br_mat3_column(X_B->R, 0), margin, out);
}

// From inside, the nearest face; of equally near ones the first.
static br_vec3 way_out(const double *c, const double *half, double *distance) {
    int k = 0;
    for (int i = 1; i < 3; i++)
        if (half[i] - fabs(c[i]) < half[k] - fabs(c[k])) k = i;
    *distance = fabs(c[k]) - half[k];
    return br_vec3_scale(c[k] < 0.0 ? -1.0 : 1.0, br_vec3_unit(k));
}

int br_pair_sphere_box(const br_geometry *a, const br_placement *X_A, const br_geometry *b,
                       const br_placement *X_B, double margin, br_contact_point *out) {
    const br_vec3 centre = br_place_in(X_B, X_A->p);
    const double c[3] = {centre.x, centre.y, centre.z}, half[3] = {b->half.x, b->half.y, b->half.z};
    double d[3]; // from the nearest point of the box; zero along the axes between whose faces the centre lies
    for (int k = 0; k < 3; k++) d[k] = c[k] - fmin(fmax(c[k], -half[k]), half[k]);
    br_vec3 n = br_vec3_of(d[0], d[1], d[2]);
    double distance = br_vec3_norm(n);
    if (!(distance - a->radius <= margin)) return 0;
    if (distance > BR_EPS_DIRECTION)
        n = br_vec3_scale(1.0 / distance, n);
    else
        n = way_out(c, half, &distance);
    const br_vec3 normal = br_mat3_mul_vec(X_B->R, n);
    return br_emit(out, 0, br_vec3_add_scaled(X_A->p, -a->radius, normal), normal, distance - a->radius, 0);
}
