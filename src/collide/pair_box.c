// Box against box: separating axes, then the contacts of the pair of faces or of edges that the best axis names.
//
// In A's frame, C[i][j] = a_i . b_j and d = B's centre, the distance along each of the 15 candidate axes is
//     a_i        |d_i| - h_i - sum_j |C_ij| g_j
//     b_j        |d . b_j| - g_j - sum_i |C_ij| h_i
//     a_i x b_j  the same over its length |a_i x b_j|
// The largest is a bound from below for the distance, and is it where a corner faces a face or two edges cross; boxes
// apart with corner to corner or corner to edge go to the general search. Negative: the depth, exactly.
#include "collide/convex.h"
#include "collide/pair_box.h"

// Relative to the size: an axis of edges, or a face of B, must be better than a face of A by this, so that equal ones do
// not take turns.
#define BR_EPS_FACE_BIAS 1e-6
// |a_i x b_j| below which two edges count as parallel and have no normal of their own.
#define BR_EPS_EDGES_PARALLEL 1e-6
// Two normals that differ by less than this angle, rad, are one: then faces are preferred, and the face of A. The gaps of
// either choice agree to half its square.
#define BR_SAME_NORMAL 1e-3
// A face manifold of boxes apart is right when its smallest gap exceeds the bound by no more than this: relative to
// the gap, for normals that count as one, and to the size, for rounding.
#define BR_EPS_GAP 1e-6
#define BR_EPS_GAP_ROUNDING 1e-12

typedef struct best_axis {
    double separation;
    int i, j;    // face of A: i; face of B: j; edges: both
    double sign; // of d along it: the axis points from A to B
    br_vec3 n;   // edges: the unit axis, A's frame
} best_axis;

static br_box_pair relative(const br_geometry *a, const br_placement *X_A, const br_geometry *b,
                            const br_placement *X_B, int flipped) {
    br_box_pair r;
    const br_vec3 d = br_place_in(X_A, X_B->p);
    r.d[0] = d.x, r.d[1] = d.y, r.d[2] = d.z;
    r.h[0] = a->half.x, r.h[1] = a->half.y, r.h[2] = a->half.z;
    r.g[0] = b->half.x, r.g[1] = b->half.y, r.g[2] = b->half.z;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r.C[i][j] = X_A->R.m[0][i] * X_B->R.m[0][j] + X_A->R.m[1][i] * X_B->R.m[1][j] +
                        X_A->R.m[2][i] * X_B->R.m[2][j];
    r.X = X_A;
    r.size = fmax(a->size, b->size);
    r.flipped = flipped;
    return r;
}

static best_axis best_face_a(const br_box_pair *p) {
    best_axis best = {-INFINITY, 0, 0, 1.0, {0.0, 0.0, 0.0}};
    for (int i = 0; i < 3; i++) {
        const double reach =
            fabs(p->C[i][0]) * p->g[0] + fabs(p->C[i][1]) * p->g[1] + fabs(p->C[i][2]) * p->g[2];
        const double s = fabs(p->d[i]) - (p->h[i] + reach);
        if (s > best.separation) best.separation = s, best.i = i, best.sign = p->d[i] < 0.0 ? -1.0 : 1.0;
    }
    return best;
}

static best_axis best_face_b(const br_box_pair *p) {
    best_axis best = {-INFINITY, 0, 0, 1.0, {0.0, 0.0, 0.0}};
    for (int j = 0; j < 3; j++) {
        const double reach =
            fabs(p->C[0][j]) * p->h[0] + fabs(p->C[1][j]) * p->h[1] + fabs(p->C[2][j]) * p->h[2];
        const double along = p->d[0] * p->C[0][j] + p->d[1] * p->C[1][j] + p->d[2] * p->C[2][j];
        const double s = fabs(along) - (p->g[j] + reach);
        if (s > best.separation) best.separation = s, best.j = j, best.sign = along < 0.0 ? -1.0 : 1.0;
    }
    return best;
}

static best_axis best_edges(const br_box_pair *p) {
    best_axis best = {-INFINITY, 0, 0, 1.0, {0.0, 0.0, 0.0}};
    for (int i = 0; i < 3; i++) {
        const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        for (int j = 0; j < 3; j++) {
            const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            const double n1 = -p->C[i2][j], n2 = p->C[i1][j], norm2 = n1 * n1 + n2 * n2; // a_i x b_j
            if (norm2 < BR_EPS_EDGES_PARALLEL * BR_EPS_EDGES_PARALLEL) continue;
            // (a_i x b_j) . b_j1 = -a_i . b_j2 and (a_i x b_j) . b_j2 = a_i . b_j1
            const double reach = p->h[i1] * fabs(n1) + p->h[i2] * fabs(n2) + p->g[j1] * fabs(p->C[i][j2]) +
                                 p->g[j2] * fabs(p->C[i][j1]);
            const double along = p->d[i1] * n1 + p->d[i2] * n2, scale = 1.0 / sqrt(norm2);
            const double s = (fabs(along) - reach) * scale;
            if (!(s > best.separation)) continue;
            const double way = along < 0.0 ? -scale : scale;
            double n[3];
            n[i] = 0.0, n[i1] = way * n1, n[i2] = way * n2;
            best.separation = s, best.i = i, best.j = j;
            best.n = br_vec3_of(n[0], n[1], n[2]);
        }
    }
    return best;
}

// Nearest points of the lines of the two edges; nonzero when they lie on the edges.
static int cross_edges(const br_box_pair *p, const best_axis *axis, double margin, br_contact_point *out,
                       int *count) {
    const double n[3] = {axis->n.x, axis->n.y, axis->n.z};
    const int i = axis->i, i1 = (i + 1) % 3, i2 = (i + 2) % 3, j = axis->j, j1 = (j + 1) % 3,
              j2 = (j + 2) % 3;
    const double n_b1 = n[0] * p->C[0][j1] + n[1] * p->C[1][j1] + n[2] * p->C[2][j1];
    const double n_b2 = n[0] * p->C[0][j2] + n[1] * p->C[1][j2] + n[2] * p->C[2][j2];
    const int up_a1 = n[i1] > 0.0, up_a2 = n[i2] > 0.0, up_b1 = n_b1 < 0.0, up_b2 = n_b2 < 0.0;
    double w[3]; // from the middle of A's edge to the middle of B's
    for (int k = 0; k < 3; k++)
        w[k] = p->d[k] + (up_b1 ? p->g[j1] : -p->g[j1]) * p->C[k][j1] +
               (up_b2 ? p->g[j2] : -p->g[j2]) * p->C[k][j2];
    const double e1 = up_a1 ? p->h[i1] : -p->h[i1], e2 = up_a2 ? p->h[i2] : -p->h[i2];
    w[i1] -= e1;
    w[i2] -= e2;
    const double uv = p->C[i][j], wu = w[i];
    const double wv = w[0] * p->C[0][j] + w[1] * p->C[1][j] + w[2] * p->C[2][j];
    const double sine2 = p->C[i1][j] * p->C[i1][j] + p->C[i2][j] * p->C[i2][j];
    const double s = (wu - uv * wv) / sine2, t = uv * s - wv;
    const double tol = BR_EPS_GAP * p->size;
    if (fabs(s) > p->h[i] + tol || fabs(t) > p->g[j] + tol) return 0;
    *count = 0;
    if (!(axis->separation <= margin)) return 1;
    double r[3];
    r[i] = s, r[i1] = e1, r[i2] = e2;
    const br_vec3 point = br_place_out(p->X, br_vec3_of(r[0], r[1], r[2]));
    const br_vec3 normal = br_vec3_neg(br_mat3_mul_vec(p->X->R, axis->n));
    const uint32_t feature = br_box_crossing(br_box_edge(i, up_a1, up_a2), br_box_edge(j, up_b1, up_b2));
    *count = br_emit(out, 0, point, normal, axis->separation, feature);
    return 1;
}

// --- choice --------------------------------------------------------------------------------------------------------

// Whether B's face is to be the reference.
static int b_is_better(const br_box_pair *p, const best_axis *face_a, const best_axis *face_b) {
    const double same = 1.0 - 0.5 * BR_SAME_NORMAL * BR_SAME_NORMAL;
    if (face_a->sign * face_b->sign * p->C[face_a->i][face_b->j] > same) return 0;
    return face_b->separation > face_a->separation + BR_EPS_FACE_BIAS * p->size;
}

static int edges_are_better(const br_box_pair *p, const best_axis *edges, double face, br_vec3 face_normal) {
    if (!(edges->separation > face + BR_EPS_FACE_BIAS * p->size)) return 0;
    return br_vec3_dot(edges->n, face_normal) < 1.0 - 0.5 * BR_SAME_NORMAL * BR_SAME_NORMAL;
}

// Corner to corner or corner to edge, apart.
static int nearest_points(const br_geometry *a, const br_placement *X_A, const br_geometry *b,
                          const br_placement *X_B, double margin, br_contact_point *out) {
    const int count = br_pair_convex_convex(a, X_A, b, X_B, margin, out);
    for (int k = 0; k < count; k++) out[k].feature = BR_BOX_NEAREST + (uint32_t)k;
    return count;
}

int br_pair_box_box(const br_geometry *a, const br_placement *X_A, const br_geometry *b,
                    const br_placement *X_B, double margin, br_contact_point *out) {
    const br_box_pair pair = relative(a, X_A, b, X_B, 0);
    const best_axis face_a = best_face_a(&pair);
    if (face_a.separation > margin) return 0;
    const best_axis face_b = best_face_b(&pair);
    if (face_b.separation > margin) return 0;
    const best_axis edges = best_edges(&pair);
    if (edges.separation > margin) return 0;

    const int use_b = b_is_better(&pair, &face_a, &face_b);
    const best_axis *face = use_b ? &face_b : &face_a;
    const double bound = fmax(edges.separation, fmax(face_a.separation, face_b.separation));
    double n[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < 3; k++) n[k] = face->sign * (use_b ? pair.C[k][face->j] : (double)(k == face->i));
    int count = 0;
    if (edges_are_better(&pair, &edges, face->separation, br_vec3_of(n[0], n[1], n[2]))) {
        if (cross_edges(&pair, &edges, margin, out, &count)) return count;
    } else {
        double least;
        if (use_b) {
            const br_box_pair back = relative(b, X_B, a, X_A, 1);
            count = br_box_faces(&back, face->j, -face->sign, margin, out, &least);
        } else {
            count = br_box_faces(&pair, face->i, face->sign, margin, out, &least);
        }
        if (bound <= 0.0 && count > 0) return count;
        const double most = bound + BR_EPS_GAP * fabs(bound) + BR_EPS_GAP_ROUNDING * pair.size;
        if (least <= most) return count;
    }
    return nearest_points(a, X_A, b, X_B, margin, out);
}
