// Box against capsule: a segment with a radius against a box, in the box's frame.
//
//     x(t) = c + t u, |t| <= l;  e_k(t) = x_k less its clamp to [-h_k, h_k];  distance^2 = f(t) = sum e_k^2
//
// f is convex and f' = 2 sum e_k u_k piecewise linear with corners where x(t) meets a face's plane, so the nearest
// point is found exactly. Where the segment lies along a face or an edge, the ends of the stretch over it are contacts
// as well. Features: 0 nearest, 1 and 2 the lower and upper end along the capsule.
#include "collide/pair.h"

// Component of the unit normal below which the segment is taken to lie over, not beside, the box along that axis.
#define BR_EPS_OVER 0.1
// Component of the segment's direction along the normal above which it does not lie along a face or an edge.
#define BR_LYING 0.1
// Relative: an edge must be a shallower way out than a face by this.
#define BR_EPS_FACE_FIRST 1e-6
// Relative to the box: an axis nearer than this meets the box, and rounding would choose the way out.
#define BR_EPS_MEETS 1e-9
// Relative: a point between the ends of a stretch counts when it is nearer than both by this, not by rounding.
#define BR_EPS_NEARER 1e-12

typedef struct br_bar {
    double c[3], u[3], h[3], l, r;
    const br_placement *X; // of the box
} br_bar;

static double excess(const br_bar *bar, int k, double t) {
    const double x = bar->c[k] + t * bar->u[k];
    return x - fmin(fmax(x, -bar->h[k]), bar->h[k]);
}

static double slope(const br_bar *bar, double t) { // f'(t) / 2
    return excess(bar, 0, t) * bar->u[0] + excess(bar, 1, t) * bar->u[1] + excess(bar, 2, t) * bar->u[2];
}

static double clamp_between(double x, double low, double high) {
    return fmin(fmax(x, low), high);
}

// Between low and high f' is linear: its zero, from the faces beyond which the segment is there.
static double zero_between(const br_bar *bar, double low, double high) {
    const double middle = 0.5 * (low + high);
    double above = 0.0, below = 0.0;
    for (int k = 0; k < 3; k++) {
        const double e = excess(bar, k, middle);
        if (e == 0.0) continue;
        above += (copysign(bar->h[k], e) - bar->c[k]) * bar->u[k];
        below += bar->u[k] * bar->u[k];
    }
    return below > 0.0 ? clamp_between(above / below, low, high) : middle;
}

static double nearest_t(const br_bar *bar) {
    double low = -bar->l, high = bar->l;
    if (slope(bar, low) >= 0.0) return low;
    if (slope(bar, high) <= 0.0) return high;
    for (int k = 0; k < 3; k++) {
        for (int side = -1; side <= 1 && bar->u[k] != 0.0; side += 2) {
            const double t = (side * bar->h[k] - bar->c[k]) / bar->u[k];
            if (!(t > low && t < high)) continue;
            if (slope(bar, t) < 0.0)
                low = t;
            else
                high = t;
        }
    }
    return zero_between(bar, low, high);
}

// n points from the box to the segment, box axes; x is on the segment's axis.
static int emit_bar(const br_bar *bar, double t, const double *n, double distance, double margin,
                    uint32_t feature, int count, br_contact_point *out) {
    const double gap = distance - bar->r;
    if (!(gap <= margin)) return count;
    const br_vec3 x =
        br_vec3_of(bar->c[0] + t * bar->u[0], bar->c[1] + t * bar->u[1], bar->c[2] + t * bar->u[2]);
    const br_vec3 out_of_box = br_vec3_of(n[0], n[1], n[2]);
    const br_vec3 on_box = br_vec3_add_scaled(x, -distance, out_of_box);
    return br_emit(out, count, br_place_out(bar->X, on_box),
                   br_vec3_neg(br_mat3_mul_vec(bar->X->R, out_of_box)), gap, feature);
}

static double outward(const br_bar *bar, double t, double *n) {
    for (int k = 0; k < 3; k++) n[k] = excess(bar, k, t);
    const double distance = br_vec3_norm(br_vec3_of(n[0], n[1], n[2]));
    if (!(distance > BR_EPS_DIRECTION)) return 0.0;
    for (int k = 0; k < 3; k++) n[k] /= distance;
    return distance;
}

// The part of the segment over the box, along the axes that are not in `beside`.
static int stretch(const br_bar *bar, const int *beside, double *low, double *high) {
    *low = -bar->l;
    *high = bar->l;
    for (int k = 0; k < 3; k++) {
        if (beside[k]) continue;
        if (bar->u[k] == 0.0) {
            if (fabs(bar->c[k]) > bar->h[k]) return 0;
            continue;
        }
        const double t1 = (-bar->h[k] - bar->c[k]) / bar->u[k], t2 = (bar->h[k] - bar->c[k]) / bar->u[k];
        *low = fmax(*low, fmin(t1, t2));
        *high = fmin(*high, fmax(t1, t2));
    }
    return *low < *high;
}

// --- the segment's axis outside the box ------------------------------------------------------------------------------

static int lies_along(const br_bar *bar, const double *n) {
    return fabs(n[0] * bar->u[0] + n[1] * bar->u[1] + n[2] * bar->u[2]) <= BR_LYING;
}

// The stretch over the face or the edge that n points out of.
static int stretch_at(const br_bar *bar, const double *n, double t, double *low, double *high) {
    int beside[3];
    for (int k = 0; k < 3; k++) beside[k] = fabs(n[k]) > BR_EPS_OVER;
    if (stretch(bar, beside, low, high)) return 1;
    for (int k = 0; k < 3; k++) beside[k] = excess(bar, k, t) != 0.0;
    return stretch(bar, beside, low, high);
}

static int outside(const br_bar *bar, double t, const double *n, double distance, double margin,
                   br_contact_point *out) {
    double low, high;
    if (!lies_along(bar, n) || !stretch_at(bar, n, t, &low, &high))
        return emit_bar(bar, t, n, distance, margin, 0, 0, out);
    // The nearest point can be a little beyond an end of the stretch, the capsule leaning over the box's edge.
    if (t <= low) low = t;
    if (t >= high) high = t;
    double n_low[3], n_high[3];
    const double at_low = outward(bar, low, n_low), at_high = outward(bar, high, n_high);
    int count = 0;
    if (distance < (1.0 - BR_EPS_NEARER) * fmin(at_low, at_high))
        count = emit_bar(bar, t, n, distance, margin, 0, count, out);
    if (lies_along(bar, n_low)) count = emit_bar(bar, low, n_low, at_low, margin, 1, count, out);
    if (lies_along(bar, n_high)) count = emit_bar(bar, high, n_high, at_high, margin, 2, count, out);
    return count;
}

// --- the segment's axis meets the box: the shortest way out ----------------------------------------------------------

// Along e_k x u; 0 when the two are parallel.
static int edge_way(const br_bar *bar, int k, double *n, double *separation) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const double norm = sqrt(bar->u[i] * bar->u[i] + bar->u[j] * bar->u[j]);
    if (norm < BR_EPS_FACE_FIRST) return 0;
    n[k] = 0.0;
    n[i] = -bar->u[j] / norm;
    n[j] = bar->u[i] / norm;
    const double offset = bar->c[i] * n[i] + bar->c[j] * n[j];
    if (offset < 0.0) n[i] = -n[i], n[j] = -n[j];
    *separation = fabs(offset) - (bar->h[i] * fabs(n[i]) + bar->h[j] * fabs(n[j]));
    return 1;
}

// Where the segment passes the edge along k that lies farthest along n.
static double edge_t(const br_bar *bar, int k, const double *n) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const double x = copysign(bar->h[i], n[i]) - bar->c[i], y = copysign(bar->h[j], n[j]) - bar->c[j];
    const double u2 = bar->u[i] * bar->u[i] + bar->u[j] * bar->u[j];
    return clamp_between((x * bar->u[i] + y * bar->u[j]) / u2, -bar->l, bar->l);
}

static int inside_face(const br_bar *bar, int k, double margin, br_contact_point *out) {
    double n[3] = {0.0, 0.0, 0.0}, low, high;
    const double sign = bar->c[k] < 0.0 ? -1.0 : 1.0;
    n[k] = sign;
    int beside[3] = {0, 0, 0};
    beside[k] = 1;
    if (!stretch(bar, beside, &low, &high)) low = high = sign * bar->u[k] > 0.0 ? -bar->l : bar->l;
    const double at_low = sign * (bar->c[k] + low * bar->u[k]) - bar->h[k];
    const double at_high = sign * (bar->c[k] + high * bar->u[k]) - bar->h[k];
    if (low == high) return emit_bar(bar, low, n, at_low, margin, 0, 0, out);
    const int count = emit_bar(bar, low, n, at_low, margin, 1, 0, out);
    return emit_bar(bar, high, n, at_high, margin, 2, count, out);
}

static int inside(const br_bar *bar, double margin, br_contact_point *out) {
    double best = -INFINITY, best_edge = -INFINITY, normal[3] = {0.0, 0.0, 0.0};
    int face = 0, edge = -1;
    for (int k = 0; k < 3; k++) {
        const double separation = fabs(bar->c[k]) - bar->l * fabs(bar->u[k]) - bar->h[k];
        if (separation > best) best = separation, face = k;
        double n[3], along_edge;
        if (!edge_way(bar, k, n, &along_edge) || along_edge <= best_edge) continue;
        best_edge = along_edge;
        edge = k;
        for (int i = 0; i < 3; i++) normal[i] = n[i];
    }
    const double bias = BR_EPS_FACE_FIRST * (bar->l + bar->h[0] + bar->h[1] + bar->h[2]);
    if (edge < 0 || best_edge <= best + bias) return inside_face(bar, face, margin, out);
    return emit_bar(bar, edge_t(bar, edge, normal), normal, best_edge, margin, 0, 0, out);
}

int br_pair_box_capsule(const br_geometry *a, const br_placement *X_A, const br_geometry *b,
                        const br_placement *X_B, double margin, br_contact_point *out) {
    const br_vec3 c = br_place_in(X_A, X_B->p), u = br_mat3_tmul_vec(X_A->R, br_mat3_column(X_B->R, 2));
    const br_bar bar = {{c.x, c.y, c.z}, {u.x, u.y, u.z}, {a->half.x, a->half.y, a->half.z},
                        b->half_length,  b->radius,       X_A};
    const double most = bar.l + bar.r + margin;
    for (int k = 0; k < 3; k++)
        if (fabs(bar.c[k]) - bar.h[k] > most) return 0;
    const double t = nearest_t(&bar);
    double n[3];
    const double distance = outward(&bar, t, n);
    if (!(distance - bar.r <= margin)) return 0;
    return distance > BR_EPS_MEETS * a->size ? outside(&bar, t, n, distance, margin, out)
                                             : inside(&bar, margin, out);
}
