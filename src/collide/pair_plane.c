// Sphere, box, capsule, ellipsoid and polytope against a plane. The plane passes through X_B.p, its normal n is the
// third column of X_B.R, and every gap is a height over it: n . (p_A - p_B) + n . (R_A local). The two terms are kept
// apart, so that a small shape far from the world's origin loses no more than the difference of two positions does.
#include "collide/pair.h"

// Corners kept of a box that is nearer than the margin with more than four of them.
#define BR_MAX_BOX_CORNERS 4
// Vertices of a polytope near the plane among which the best are chosen; of more, the highest are let go.
#define BR_MAX_PLANE_CANDIDATES 128
// Relative advantage below which the lower index wins: equal choices must not flip with rounding.
#define BR_EPS_TIE 1e-9
// Relative to the size: a vertex must be deeper than all that were chosen by this to force its way in.
#define BR_EPS_DEEPER 1e-12

static br_vec3 plane_normal(const br_placement *X_B) {
    return br_mat3_column(X_B->R, 2);
}

static double height_of(br_vec3 n, const br_placement *X_A, const br_placement *X_B) {
    return br_vec3_dot(n, br_vec3_sub(X_A->p, X_B->p));
}

int br_pair_sphere_plane(const br_geometry *a, const br_placement *X_A, const br_geometry *b,
                         const br_placement *X_B, double margin, br_contact_point *out) {
    (void)b;
    const br_vec3 n = plane_normal(X_B);
    const double gap = height_of(n, X_A, X_B) - a->radius;
    if (!(gap <= margin)) return 0;
    return br_emit(out, 0, br_vec3_add_scaled(X_A->p, -a->radius, n), n, gap, 0);
}

int br_pair_capsule_plane(const br_geometry *a, const br_placement *X_A, const br_geometry *b,
                          const br_placement *X_B, double margin, br_contact_point *out) {
    (void)b;
    const br_vec3 n = plane_normal(X_B), axis = br_mat3_column(X_A->R, 2);
    const double height = height_of(n, X_A, X_B) - a->radius, slope = br_vec3_dot(n, axis);
    int count = 0;
    for (int end = 0; end < 2; end++) {
        const double along = end == 0 ? -a->half_length : a->half_length, gap = height + slope * along;
        if (!(gap <= margin)) continue;
        const br_vec3 centre = br_vec3_add_scaled(X_A->p, along, axis);
        count = br_emit(out, count, br_vec3_add_scaled(centre, -a->radius, n), n, gap, (uint32_t)end);
    }
    return count;
}

int br_pair_ellipsoid_plane(const br_geometry *a, const br_placement *X_A, const br_geometry *b,
                            const br_placement *X_B, double margin, br_contact_point *out) {
    (void)b;
    const br_vec3 n = plane_normal(X_B), d = br_vec3_neg(br_mat3_tmul_vec(X_A->R, n));
    const br_vec3 lowest = br_geometry_support(a, d);
    const double gap = height_of(n, X_A, X_B) - br_vec3_dot(d, lowest);
    if (!(gap <= margin)) return 0;
    return br_emit(out, 0, br_place_out(X_A, lowest), n, gap, 0);
}

// --- box -----------------------------------------------------------------------------------------------------------

// Bit k of a corner's number: on the upper side along axis k. That number is the feature.

// The four corners of the face that looks most at the plane: the lowest corner is among them.
static unsigned facing_corners(const double *slope) {
    int k = 0;
    for (int i = 1; i < 3; i++)
        if (fabs(slope[i]) > (1.0 + BR_EPS_TIE) * fabs(slope[k])) k = i;
    unsigned keep = 0;
    for (unsigned corner = 0; corner < 8; corner++) {
        const int up = (corner >> k) & 1;
        if (up == (slope[k] < 0.0)) keep |= 1u << corner;
    }
    return keep;
}

int br_pair_box_plane(const br_geometry *a, const br_placement *X_A, const br_geometry *b,
                      const br_placement *X_B, double margin, br_contact_point *out) {
    (void)b;
    const br_vec3 n = plane_normal(X_B);
    const br_vec3 axis[3] = {br_mat3_column(X_A->R, 0), br_mat3_column(X_A->R, 1), br_mat3_column(X_A->R, 2)};
    const double half[3] = {a->half.x, a->half.y, a->half.z};
    const double slope[3] = {br_vec3_dot(n, axis[0]), br_vec3_dot(n, axis[1]), br_vec3_dot(n, axis[2])};
    const double rise[3] = {slope[0] * half[0], slope[1] * half[1], slope[2] * half[2]};
    const double height = height_of(n, X_A, X_B);
    if (!(height - (fabs(rise[0]) + fabs(rise[1]) + fabs(rise[2])) <= margin)) return 0;

    double gap[8];
    unsigned near = 0;
    int found = 0;
    for (unsigned corner = 0; corner < 8; corner++) {
        gap[corner] = height + (((corner & 1) ? rise[0] : -rise[0]) + ((corner & 2) ? rise[1] : -rise[1]) +
                                ((corner & 4) ? rise[2] : -rise[2]));
        if (gap[corner] <= margin) near |= 1u << corner, found++;
    }
    if (found > BR_MAX_BOX_CORNERS) near &= facing_corners(slope);

    const br_vec3 x = br_vec3_scale(half[0], axis[0]), y = br_vec3_scale(half[1], axis[1]),
                  z = br_vec3_scale(half[2], axis[2]);
    int count = 0;
    for (unsigned corner = 0; corner < 8; corner++) {
        if (!(near >> corner & 1)) continue;
        br_vec3 arm = (corner & 1) ? x : br_vec3_neg(x);
        arm = (corner & 2) ? br_vec3_add(arm, y) : br_vec3_sub(arm, y);
        arm = (corner & 4) ? br_vec3_add(arm, z) : br_vec3_sub(arm, z);
        count = br_emit(out, count, br_vec3_add(X_A->p, arm), n, gap[corner], corner);
    }
    return count;
}

// --- polytope ------------------------------------------------------------------------------------------------------

typedef struct near_vertex {
    int vertex;
    double gap;
    double spread; // distance to the nearest vertex chosen so far
} near_vertex;

static int collect(const br_hull *hull, br_vec3 n, double height, double margin, near_vertex *list) {
    int count = 0;
    for (int v = 0; v < hull->vertices; v++) {
        const double gap = height + br_vec3_dot(n, hull->vertex[v]);
        if (!(gap <= margin)) continue;
        int slot = count;
        if (count == BR_MAX_PLANE_CANDIDATES) {
            slot = 0;
            for (int k = 1; k < count; k++)
                if (list[k].gap > list[slot].gap) slot = k;
            if (!(gap < list[slot].gap)) continue;
        } else {
            count++;
        }
        const near_vertex found = {v, gap, INFINITY};
        list[slot] = found;
    }
    return count;
}

// Puts the chosen one in front at `place` and tells the others how far they are from it.
static void choose(const br_hull *hull, near_vertex *list, int count, int place, int chosen) {
    const near_vertex picked = list[chosen];
    list[chosen] = list[place];
    list[place] = picked;
    for (int k = place + 1; k < count; k++)
        list[k].spread =
            fmin(list[k].spread, br_vec3_distance(hull->vertex[list[k].vertex], hull->vertex[picked.vertex]));
}

// Eight of many: far from each other and low, and the deepest among them. Which come out depends on the polytope and
// on differences of height that matter, not on rounding.
static void spread_out(const br_hull *hull, double size, near_vertex *list, int count) {
    int deepest = 0, first = 0;
    for (int k = 1; k < count; k++)
        if (list[k].gap < list[deepest].gap) deepest = k;
    const near_vertex bottom = list[deepest];
    for (int k = 1; k < count; k++) {
        const double gain = list[first].gap - list[k].gap;
        const int lower = gain > BR_EPS_TIE * size, level = gain >= -BR_EPS_TIE * size;
        if (lower || (level && list[k].vertex < list[first].vertex)) first = k;
    }
    choose(hull, list, count, 0, first);
    for (int place = 1; place < BR_MAX_MANIFOLD; place++) {
        int best = place;
        double most = -INFINITY;
        for (int k = place; k < count; k++) {
            const double score = list[k].spread - (list[k].gap - bottom.gap);
            const double tie = BR_EPS_TIE * size;
            if (score > most + tie || (score > most - tie && list[k].vertex < list[best].vertex))
                most = score, best = k;
        }
        choose(hull, list, count, place, best);
    }
    double least = INFINITY;
    for (int k = 0; k < BR_MAX_MANIFOLD; k++) least = fmin(least, list[k].gap);
    if (bottom.gap < least - BR_EPS_DEEPER * size) list[BR_MAX_MANIFOLD - 1] = bottom;
}

int br_pair_hull_plane(const br_geometry *a, const br_placement *X_A, const br_geometry *b,
                       const br_placement *X_B, double margin, br_contact_point *out) {
    (void)b;
    const br_vec3 n = plane_normal(X_B), n_A = br_mat3_tmul_vec(X_A->R, n);
    near_vertex list[BR_MAX_PLANE_CANDIDATES];
    int count = collect(a->hull, n_A, height_of(n, X_A, X_B), margin, list);
    if (count > BR_MAX_MANIFOLD) {
        spread_out(a->hull, a->size, list, count);
        count = BR_MAX_MANIFOLD;
    }
    for (int k = 0; k < count; k++)
        br_emit(out, k, br_place_out(X_A, a->hull->vertex[list[k].vertex]), n, list[k].gap,
                (uint32_t)list[k].vertex);
    return count;
}
