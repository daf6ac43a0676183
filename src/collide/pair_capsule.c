// Capsule against capsule: two segments with a radius each.
//
//     P(s) = s u in [-l_A, l_A], Q(t) = d + t v in [-l_B, l_B], both from A's centre
//     nearest: s (1 - (u.v)^2) = d.u - (u.v) d.v, t = (u.v) s - d.v, clamped
//
// Where the two run side by side the ends of the stretch they share are contacts as well, so that parallel capsules
// carry a moment. Features: 0 nearest points, 1 and 2 the lower and upper end along A of the shared stretch.
#include "collide/pair.h"

// Sine of the angle below which two segments have no crossing of their own: the ends of the shared stretch are as near
// to within l^2 times its square.
#define BR_EPS_PARALLEL 1e-6
// Sine above which segments only cross; below, the shared stretch counts. Its ends are those of the segments with their
// spheres, inside the surface by at most r / 2 times its square.
#define BR_SIDE_BY_SIDE 0.1

typedef struct br_segments {
    br_vec3 u, v, d;
    double l_a, l_b, r_a, r_b;
    double uv, du, dv, sine2;
    br_vec3 base, fallback; // A's centre; a normal where the axes meet
} br_segments;

static double clamp(double x, double limit) {
    return fmin(fmax(x, -limit), limit);
}

static br_segments segments_of(const br_geometry *a, const br_placement *X_A, const br_geometry *b,
                               const br_placement *X_B) {
    br_segments g;
    g.u = br_mat3_column(X_A->R, 2);
    g.v = br_mat3_column(X_B->R, 2);
    g.d = br_vec3_sub(X_B->p, X_A->p);
    g.l_a = a->half_length;
    g.l_b = b->half_length;
    g.r_a = a->radius;
    g.r_b = b->radius;
    g.uv = br_vec3_dot(g.u, g.v);
    g.du = br_vec3_dot(g.d, g.u);
    g.dv = br_vec3_dot(g.d, g.v);
    const br_vec3 cross = br_vec3_cross(g.u, g.v);
    g.sine2 = br_vec3_norm_squared(cross);
    g.base = X_A->p;
    const int crossing = g.sine2 > BR_EPS_PARALLEL * BR_EPS_PARALLEL;
    g.fallback = crossing ? br_vec3_scale(1.0 / sqrt(g.sine2), cross) : br_mat3_column(X_A->R, 0);
    return g;
}

// Nonzero: both points lie inside their segments.
static int nearest(const br_segments *g, double *s, double *t) {
    const double free_s = g->sine2 > 0.0 ? (g->du - g->uv * g->dv) / g->sine2 : g->du;
    *s = clamp(free_s, g->l_a);
    const double free_t = g->uv * *s - g->dv;
    *t = clamp(free_t, g->l_b);
    if (*t != free_t) *s = clamp(g->du + g->uv * *t, g->l_a);
    return fabs(*s) < g->l_a && fabs(*t) < g->l_b;
}

static int emit_at(const br_segments *g, double s, double t, double margin, uint32_t feature, int count,
                   br_contact_point *out) {
    const br_vec3 P = br_vec3_scale(s, g->u), w = br_vec3_sub(P, br_vec3_add_scaled(g->d, t, g->v));
    const double distance = br_vec3_norm(w), gap = distance - (g->r_a + g->r_b);
    if (!(gap <= margin)) return count;
    const br_vec3 n = distance > BR_EPS_DIRECTION ? br_vec3_scale(1.0 / distance, w) : g->fallback;
    return br_emit(out, count, br_vec3_add(g->base, br_vec3_add_scaled(P, -g->r_a, n)), n, gap, feature);
}

// One end of the shared stretch: side -1 the lower along A, +1 the upper. `b_end` is where B's end on that side lies
// along A; whichever of the two ends comes first is the stretch's.
static int emit_end(const br_segments *g, double side, double b_end, double margin, int count,
                    br_contact_point *out) {
    const uint32_t feature = side < 0.0 ? 1 : 2;
    const double a_end = side * g->l_a;
    if (side * a_end <= side * b_end)
        return emit_at(g, a_end, clamp(g->uv * a_end - g->dv, g->l_b), margin, feature, count, out);
    const double t = g->uv < 0.0 ? -side * g->l_b : side * g->l_b;
    return emit_at(g, clamp(b_end, g->l_a), t, margin, feature, count, out);
}

int br_pair_capsule_capsule(const br_geometry *a, const br_placement *X_A, const br_geometry *b,
                            const br_placement *X_B, double margin, br_contact_point *out) {
    const double reach = a->reach + b->reach + margin;
    if (br_vec3_norm_squared(br_vec3_sub(X_B->p, X_A->p)) > reach * reach) return 0;
    const br_segments g = segments_of(a, X_A, b, X_B);
    const double span = g.l_b * fabs(g.uv), low = g.du - span, high = g.du + span; // B's ends along A
    double s, t;
    const int inside = nearest(&g, &s, &t);
    const int shared = fmax(-g.l_a, low) < fmin(g.l_a, high);
    if (g.sine2 > BR_SIDE_BY_SIDE * BR_SIDE_BY_SIDE || !shared) return emit_at(&g, s, t, margin, 0, 0, out);
    int count = 0;
    if (inside && g.sine2 > BR_EPS_PARALLEL * BR_EPS_PARALLEL)
        count = emit_at(&g, s, t, margin, 0, count, out);
    count = emit_end(&g, -1.0, low, margin, count, out);
    return emit_end(&g, 1.0, high, margin, count, out);
}
