// Disk and cylinder against a plane: points of a circular rim.
//
//     a the axis, n the plane's normal, t = (n x a)/|n x a| the level diameter, e3 = a x t the steepest one;
//     lowest rim point: centre - R e3, at the height of the centre less R |n x a|
//
// The lowest point is followed exactly, since a coin in its last turns lives on it. A rim that is nearly flat has more
// points near the plane, at +-90 and 180 degrees from the lowest. Features: 0 lowest, 1 along -t, 2 along +t, 3
// highest; 4 more for the rim at the upper end of a cylinder's axis.
#include "collide/pair.h"

// |n x a| below which a rim counts as flat and its points stay fixed on it, along local x and y: the lowest point's
// place is rounding there. Its height is then off by at most 0.3 R times this.
#define BR_EPS_FLAT_RIM 1e-10

typedef struct br_rim {
    br_vec3 level, steep; // unit: t and e3
    double tilt;          // |n x a|
} br_rim;

static br_rim rim_of(const br_placement *X_A, br_vec3 n) {
    const br_vec3 a = br_mat3_column(X_A->R, 2), c = br_vec3_cross(n, a);
    const double tilt = br_vec3_norm(c);
    br_rim rim;
    if (tilt < BR_EPS_FLAT_RIM) {
        rim.steep = br_mat3_column(X_A->R, 0);
        rim.level = br_mat3_column(X_A->R, 1);
        rim.tilt = 0.0;
    } else {
        rim.level = br_vec3_scale(1.0 / tilt, c);
        rim.steep = br_vec3_cross(a, rim.level);
        rim.tilt = tilt;
    }
    return rim;
}

// The rim points besides the lowest, when the rim is nearer to flat than to upright.
static int flat_points(const br_rim *rim, double radius, br_vec3 centre, br_vec3 n, double height,
                       double margin, uint32_t feature, int count, br_contact_point *out) {
    for (int side = 0; side < 2 && height <= margin; side++) {
        const br_vec3 point = br_vec3_add_scaled(centre, side ? radius : -radius, rim->level);
        count = br_emit(out, count, point, n, height, feature + 1 + (uint32_t)side);
    }
    const double highest = height + radius * rim->tilt;
    if (highest <= margin)
        count = br_emit(out, count, br_vec3_add_scaled(centre, radius, rim->steep), n, highest, feature + 3);
    return count;
}

int br_pair_disk_plane(const br_geometry *a, const br_placement *X_A, const br_geometry *b,
                       const br_placement *X_B, double margin, br_contact_point *out) {
    (void)b;
    const br_vec3 n = br_mat3_column(X_B->R, 2);
    const double radius = a->radius, height = br_vec3_dot(n, br_vec3_sub(X_A->p, X_B->p));
    if (!(height - radius <= margin)) return 0; // before the square root
    const br_rim rim = rim_of(X_A, n);
    const double gap = height - radius * rim.tilt;
    if (!(gap <= margin)) return 0;
    const int count = br_emit(out, 0, br_vec3_add_scaled(X_A->p, -radius, rim.steep), n, gap, 0);
    if (height > margin || rim.tilt * rim.tilt > 0.5) return count;
    return flat_points(&rim, radius, X_A->p, n, height, margin, 0, count, out);
}

int br_pair_cylinder_plane(const br_geometry *a, const br_placement *X_A, const br_geometry *b,
                           const br_placement *X_B, double margin, br_contact_point *out) {
    (void)b;
    const br_vec3 n = br_mat3_column(X_B->R, 2), axis = br_mat3_column(X_A->R, 2);
    const double radius = a->radius, slope = br_vec3_dot(n, axis);
    const double height = br_vec3_dot(n, br_vec3_sub(X_A->p, X_B->p));
    if (!(height - fabs(slope) * a->half_length - radius <= margin)) return 0;
    const br_rim rim = rim_of(X_A, n);
    const int standing = rim.tilt * rim.tilt <= 0.5;
    int count = 0;
    for (int end = 0; end < 2; end++) {
        const double along = end == 0 ? -a->half_length : a->half_length;
        const double cap_height = height + slope * along, gap = cap_height - radius * rim.tilt;
        if (!(gap <= margin)) continue;
        const br_vec3 centre = br_vec3_add_scaled(X_A->p, along, axis);
        const uint32_t feature = end == 0 ? 0 : 4;
        count = br_emit(out, count, br_vec3_add_scaled(centre, -radius, rim.steep), n, gap, feature);
        if (standing && slope * along < 0.0)
            count = flat_points(&rim, radius, centre, n, cap_height, margin, feature, count, out);
    }
    return count;
}
