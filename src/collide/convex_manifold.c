// The contact points of two parts of surfaces that face each other: corners of one over the other, and where their
// outlines cross, as seen along n. At each of these places (x, y) across n
//
//     gap = z_A(x, y) - z_B(x, y),   z along n
//
// so which of the two faces n belongs to does not matter, and neither changes the points nor their names.
#include "collide/convex.h"

#define BR_EPS_SAME_PLACE 2e-6 // of the size: points this near are one
// sine: lines less inclined run side by side; their ends are then that much aside
#define BR_EPS_CROSSING 1e-4
#define BR_EPS_ALONG 1e-9          // sine: edges of faces less inclined do not cross
#define BR_EPS_TILTED_CIRCLES 0.01 // sine: circles more inclined are not intersected
#define BR_EPS_DEEPEST 1e-9        // of the size: gaps that differ by less are equal, and order decides
#define BR_CLEARLY_FARTHER (1.0 + 1e-6)

// A part in the coordinates across and along n.
typedef struct outline {
    const br_face *face;
    br_vec3 p[BR_MAX_FACE_POINTS];
    br_vec3 normal, centre;
} outline;

// --- points --------------------------------------------------------------------------------------------------------

uint32_t br_feature_of(uint32_t kind, uint32_t a, uint32_t b) {
    return (kind << 30) ^ ((a & 0x7fffu) << 15) ^ (b & 0x7fffu) ^ ((a >> 15) * 0x9e3779b1u) ^
           ((b >> 15) * 0x85ebca6bu);
}

// Fifteen bits for an edge, from its ends: exact for shapes with up to 128 corners.
static uint32_t edge_id(uint32_t i, uint32_t j) {
    const uint32_t low = i < j ? i : j, high = i < j ? j : i;
    if (high < 128) return low * 128 + high;
    return ((low * 0x9e3779b1u) ^ (high * 0x85ebca6bu)) >> 17;
}

void br_manifold_add(br_manifold *m, br_vec3 core_point, double gap, uint32_t feature) {
    if (!(gap <= m->margin)) return;
    const br_vec3 p = br_vec3_add_scaled(core_point, -m->lift, m->n);
    const double near = BR_EPS_SAME_PLACE * m->size;
    for (int k = 0; k < m->count; ++k) {
        const br_vec3 d = br_vec3_sub(m->point[k].point, p);
        const double along = br_vec3_dot(d, m->n);
        if (br_vec3_norm_squared(d) - along * along >= near * near) continue;
        if (gap < m->point[k].gap - BR_EPS_DEEPEST * m->size)
            br_emit(m->point, k, p, m->n, gap, feature); // an end above
        return;
    }
    if (m->count >= BR_MAX_CANDIDATES)
        m->count = br_manifold_reduce(m->point, m->count, BR_MAX_CANDIDATES / 2, m->size);
    m->count = br_emit(m->point, m->count, p, m->n, gap, feature);
}

static int deepest(const br_contact_point *point, int count, double size) {
    double least = INFINITY;
    for (int k = 0; k < count; ++k) least = fmin(least, point[k].gap);
    int k = 0;
    while (k < count - 1 && !(point[k].gap <= least + BR_EPS_DEEPEST * size)) k++;
    return k;
}

static void make_distinct(br_contact_point *point, int count) {
    for (int k = 1; k < count; ++k)
        for (int j = 0; j < k; ++j)
            if (point[j].feature == point[k].feature) {
                point[k].feature += 0x10000000u;
                j = -1;
            }
}

int br_manifold_reduce(br_contact_point *point, int count, int most, double size) {
    if (count > most) {
        double away[BR_MAX_CANDIDATES];
        int taken[BR_MAX_CANDIDATES] = {0}, next = deepest(point, count, size);
        for (int k = 0; k < count; ++k) away[k] = INFINITY;
        for (int n = 0; n < most; ++n) {
            taken[next] = 1;
            int best = -1;
            for (int k = 0; k < count; ++k) {
                away[k] = fmin(away[k], br_vec3_distance(point[k].point, point[next].point));
                if (!taken[k] && (best < 0 || away[k] > BR_CLEARLY_FARTHER * away[best])) best = k;
            }
            next = best;
        }
        int kept = 0;
        for (int k = 0; k < count; ++k)
            if (taken[k]) point[kept++] = point[k];
        count = kept;
    }
    make_distinct(point, count);
    return count;
}

// --- outlines ------------------------------------------------------------------------------------------------------

static void see(outline *o, const br_face *face, const br_mat3 *basis) {
    o->face = face;
    o->p[0] = o->p[1] = br_vec3_zero(); // a circle may have none
    for (int k = 0; k < face->count; ++k) o->p[k] = br_mat3_tmul_vec(*basis, face->point[k]);
    o->normal = br_mat3_tmul_vec(*basis, face->normal);
    o->centre = face->kind == BR_FACE_CIRCLE ? br_mat3_tmul_vec(*basis, face->centre) : o->p[0];
}

static double cross2(double ax, double ay, double bx, double by) {
    return ax * by - ay * bx;
}

static int edges_of(const outline *o) {
    if (o->face->kind == BR_FACE_CIRCLE || o->face->ends_only) return 0;
    return o->face->kind == BR_FACE_SEGMENT ? 1 : o->face->count;
}

// z of the part's plane, or of its line, at (x, y).
static double height_at(const outline *o, double x, double y) {
    if (o->face->kind != BR_FACE_SEGMENT)
        return o->centre.z -
               ((x - o->centre.x) * o->normal.x + (y - o->centre.y) * o->normal.y) / o->normal.z;
    const br_vec3 d = br_vec3_sub(o->p[1], o->p[0]);
    const double length2 = d.x * d.x + d.y * d.y, t = (x - o->p[0].x) * d.x + (y - o->p[0].y) * d.y;
    return o->p[0].z + d.z * (length2 > 0.0 ? fmax(0.0, fmin(1.0, t / length2)) : 0.0);
}

static int is_over(const outline *o, double x, double y, double tol) {
    if (o->face->kind == BR_FACE_CIRCLE) {
        const br_vec3 d = br_vec3_of(x - o->centre.x, y - o->centre.y, height_at(o, x, y) - o->centre.z);
        return br_vec3_norm(d) <= o->face->radius + tol;
    }
    const double turn = o->normal.z < 0.0 ? -1.0 : 1.0; // A's faces are seen from behind
    for (int k = 0; k < o->face->count; ++k) {
        const br_vec3 p = o->p[k], q = o->p[(k + 1) % o->face->count];
        const double ex = q.x - p.x, ey = q.y - p.y;
        if (turn * cross2(ex, ey, x - p.x, y - p.y) < -tol * sqrt(ex * ex + ey * ey)) return 0;
    }
    return 1;
}

// --- where they meet -----------------------------------------------------------------------------------------------

typedef struct meeting {
    br_manifold *m;
    const br_mat3 *basis;
    double tol;
} meeting;

static void add_at(const meeting *w, double x, double y, double z_A, double z_B, uint32_t feature) {
    br_manifold_add(w->m, br_mat3_mul_vec(*w->basis, br_vec3_of(x, y, z_A)), z_A - z_B - w->m->offset,
                    feature);
}

// Corners of one part over the other; `second`: they are B's.
static void corners_over(const meeting *w, const outline *own, const outline *other, int second) {
    if (other->face->kind == BR_FACE_SEGMENT || (second && w->m->own_only)) return;
    for (int k = 0; k < own->face->count; ++k) {
        const br_vec3 p = own->p[k];
        if (!is_over(other, p.x, p.y, w->tol)) continue;
        const double z = height_at(other, p.x, p.y);
        add_at(w, p.x, p.y, second ? z : p.z, second ? p.z : z,
               br_feature_of(second ? 2 : 1, own->face->id[k], 0));
    }
}

// Edges of A across edges of B.
static void edges_across(const meeting *w, const outline *a, const outline *b) {
    const int n = edges_of(a), m = edges_of(b);
    for (int i = 0; i < n; ++i) {
        const int i2 = (i + 1) % a->face->count;
        const br_vec3 p = a->p[i], d = br_vec3_sub(a->p[i2], p);
        for (int j = 0; j < m; ++j) {
            const int j2 = (j + 1) % b->face->count;
            const br_vec3 q = b->p[j], e = br_vec3_sub(b->p[j2], q);
            const double det = cross2(d.x, d.y, e.x, e.y);
            if (!(det * det >
                  BR_EPS_ALONG * BR_EPS_ALONG * (d.x * d.x + d.y * d.y) * (e.x * e.x + e.y * e.y)))
                continue;
            const double s = cross2(q.x - p.x, q.y - p.y, e.x, e.y) / det;
            const double t = cross2(q.x - p.x, q.y - p.y, d.x, d.y) / det;
            if (!(s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0)) continue;
            add_at(w, p.x + s * d.x, p.y + s * d.y, p.z + s * d.z, q.z + t * e.z,
                   br_feature_of(3, edge_id(a->face->id[i], a->face->id[i2]),
                                 edge_id(b->face->id[j], b->face->id[j2])));
        }
    }
}

// Edges of one part across the circle of the other: seen along n in the circle's own plane.
static void edges_across_circle(const meeting *w, const outline *edges, const outline *circle, int second) {
    if (circle->face->kind != BR_FACE_CIRCLE) return;
    const int n = edges_of(edges);
    for (int i = 0; i < n; ++i) {
        const int i2 = (i + 1) % edges->face->count;
        br_vec3 p = edges->p[i], q = edges->p[i2];
        const double z0 = p.z, dz = q.z - p.z;
        p.z = height_at(circle, p.x, p.y);
        q.z = height_at(circle, q.x, q.y);
        const br_vec3 d = br_vec3_sub(q, p), f = br_vec3_sub(p, circle->centre);
        const double a = br_vec3_dot(d, d), b = br_vec3_dot(d, f);
        const double c = br_vec3_dot(f, f) - circle->face->radius * circle->face->radius,
                     disc = b * b - a * c;
        if (!(a > 0.0 && disc > 0.0)) continue;
        for (uint32_t k = 0; k < 2; ++k) {
            const double t = (-b + (k ? sqrt(disc) : -sqrt(disc))) / a;
            if (!(t >= 0.0 && t <= 1.0)) continue;
            const double z_edge = z0 + t * dz, z_circle = p.z + t * d.z;
            const uint32_t edge = edge_id(edges->face->id[i], edges->face->id[i2]), rim = 0x7ff0u + k;
            add_at(w, p.x + t * d.x, p.y + t * d.y, second ? z_edge : z_circle, second ? z_circle : z_edge,
                   second ? br_feature_of(3, edge, rim) : br_feature_of(3, rim, edge));
        }
    }
}

// Two circles whose planes are parallel or nearly so, as if they were: off by half the angle's square of the radius.
static void circles_across(const meeting *w, const outline *a, const outline *b) {
    if (a->face->kind != BR_FACE_CIRCLE || b->face->kind != BR_FACE_CIRCLE) return;
    if (br_vec3_norm(br_vec3_cross(a->normal, b->normal)) > BR_EPS_TILTED_CIRCLES) return;
    const double dx = b->centre.x - a->centre.x, dy = b->centre.y - a->centre.y, d2 = dx * dx + dy * dy;
    const double r = a->face->radius, s = b->face->radius;
    if (!(d2 > w->tol * w->tol)) return;
    const double t = 0.5 * (d2 + r * r - s * s) / d2, h2 = r * r / d2 - t * t;
    if (!(h2 > 0.0)) return;
    for (uint32_t k = 0; k < 2; ++k) {
        const double h = k ? sqrt(h2) : -sqrt(h2);
        const double x = a->centre.x + t * dx - h * dy, y = a->centre.y + t * dy + h * dx;
        add_at(w, x, y, height_at(a, x, y), height_at(b, x, y), br_feature_of(3, 0x7ff0u, 0x7ff0u + k));
    }
}

// Ends of one line beside the other.
static void ends_beside(const meeting *w, const outline *own, const outline *other, int second) {
    const br_vec3 d = br_vec3_sub(other->p[1], other->p[0]);
    const double length = sqrt(d.x * d.x + d.y * d.y);
    for (int k = 0; k < 2; ++k) {
        const br_vec3 p = own->p[k];
        const double t = ((p.x - other->p[0].x) * d.x + (p.y - other->p[0].y) * d.y) / length;
        if (!(t >= -w->tol && t <= length + w->tol)) continue;
        const br_vec3 foot = br_vec3_add_scaled(other->p[0], t / length, d);
        const double x = second ? foot.x : p.x, y = second ? foot.y : p.y; // on A's line
        add_at(w, x, y, second ? foot.z : p.z, second ? p.z : foot.z,
               br_feature_of(second ? 2 : 1, own->face->id[k], 0));
    }
}

// Where A's line crosses B's as seen along n. When these are known to be the nearest parts, a crossing beyond an end is
// rounding.
static void lines_across(const meeting *w, const outline *a, const outline *b, double gap) {
    const br_vec3 p = a->p[0], d = br_vec3_sub(a->p[1], p), q = b->p[0], e = br_vec3_sub(b->p[1], q);
    const double det = cross2(d.x, d.y, e.x, e.y);
    const double s = cross2(q.x - p.x, q.y - p.y, e.x, e.y) / det,
                 t = cross2(q.x - p.x, q.y - p.y, d.x, d.y) / det;
    if (w->m->own_only) {
        const double s_eps = w->tol / br_vec3_norm(d), t_eps = w->tol / br_vec3_norm(e);
        if (!(s >= -s_eps && s <= 1.0 + s_eps && t >= -t_eps && t <= 1.0 + t_eps)) return;
        gap = p.z + s * d.z - q.z - t * e.z - w->m->offset;
    }
    const br_vec3 at = br_vec3_add_scaled(p, fmax(0.0, fmin(1.0, s)), d);
    br_manifold_add(
        w->m, br_mat3_mul_vec(*w->basis, at), gap,
        br_feature_of(3, edge_id(a->face->id[0], a->face->id[1]), edge_id(b->face->id[0], b->face->id[1])));
}

void br_manifold_intersect(br_manifold *m, const br_face *a, const br_face *b, double gap) {
    const br_mat3 basis = br_tangent_basis(m->n);
    const meeting w = {m, &basis, m->over};
    outline A, B;
    see(&A, a, &basis);
    see(&B, b, &basis);
    if (a->kind == BR_FACE_SEGMENT && b->kind == BR_FACE_SEGMENT) {
        const br_vec3 d = br_vec3_sub(A.p[1], A.p[0]), e = br_vec3_sub(B.p[1], B.p[0]);
        const double det = cross2(d.x, d.y, e.x, e.y),
                     lengths = sqrt((d.x * d.x + d.y * d.y) * (e.x * e.x + e.y * e.y));
        if (fabs(det) > BR_EPS_CROSSING * lengths) {
            lines_across(&w, &A, &B, gap);
            return;
        }
        ends_beside(&w, &A, &B, 0);
        ends_beside(&w, &B, &A, 1);
        return;
    }
    corners_over(&w, &A, &B, 0);
    corners_over(&w, &B, &A, 1);
    edges_across(&w, &A, &B);
    edges_across_circle(&w, &A, &B, 1);
    edges_across_circle(&w, &B, &A, 0);
    circles_across(&w, &A, &B);
}
