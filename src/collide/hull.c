// The convex hull of a set of points (br_hull_make): qhull finds which points are corners and which of them share a
// face; the numbers (normals, offsets, the order around a face) are computed here from the points themselves, so that
// qhull's tolerances never enter a gap.
//
// Facets that are coplanar up to 5e-7 of the hull's extent become one polygon: points that went through a file in
// single precision still give a box six faces. Points inside, and points within that tolerance of a face's interior, are
// dropped. Merging can go too far where many facets are nearly parallel; then it is done with less, down to none.
//
// qhull reports errors by longjmp inside qh_new_qhull, which returns a code; outside of it only its lists are read,
// which cannot fail. Its messages go to a buffer that nobody reads. It is called with points that span space, so none
// of its error paths is expected.
#include <libqhull_r/libqhull_r.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "collide/hull.h"
#include "collide/pair.h"
#include "math/elementary.h"

#define BR_EPS_HULL_FLAT 1e-9 // thickness over extent below which points count as lying in a plane
#define BR_MAX_HULL_POINTS 1000000
#define BR_MAX_HULL_CHECKS 1e8 // products of points and faces: about 0.1 s
#define BR_EPS_HULL_SOUND 1e-6 // of the extent: the most that faces may be bent, or leave points outside

enum { MESSAGE_BYTES = 4096 };

// Facets as sets of points, straight from qhull.
typedef struct facet_list {
    int count, total; // facets; members of all
    int *start;       // [count + 1]
    int *member;      // point indices
    br_vec3 *normal;  // qhull's, outward
    double outside;   // the most that a point is outside of a facet
} facet_list;

// --- what can be said before -----------------------------------------------------------------------------------------

static br_vec3 low_of(br_vec3 a, br_vec3 b) {
    return br_vec3_of(fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z));
}

static br_vec3 high_of(br_vec3 a, br_vec3 b) {
    return br_vec3_of(fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z));
}

// Thickness of the set: how far the farthest point is from a plane through three far-apart ones, at most a small
// factor from the least width.
static double thickness(const br_vec3 *points, int count) {
    br_vec3 a = points[0], b = a, m = br_vec3_zero();
    double best = -1.0;
    for (int i = 0; i < count; ++i) {
        const double d = br_vec3_distance(points[i], points[0]);
        if (d > best) best = d, a = points[i];
    }
    best = -1.0;
    for (int i = 0; i < count; ++i) {
        const double d = br_vec3_distance(points[i], a);
        if (d > best) best = d, b = points[i];
    }
    const br_vec3 along = br_vec3_normalize(br_vec3_sub(b, a));
    best = -1.0;
    for (int i = 0; i < count; ++i) {
        const br_vec3 across = br_vec3_cross(along, br_vec3_sub(points[i], a));
        const double d = br_vec3_norm(across);
        if (d > best) best = d, m = br_vec3_normalize(across);
    }
    double low = 0.0, high = 0.0;
    for (int i = 0; i < count; ++i) {
        const double d = br_vec3_dot(m, br_vec3_sub(points[i], a));
        low = fmin(low, d), high = fmax(high, d);
    }
    return fmin(best, high - low);
}

static br_status check_points(const br_vec3 *points, int count, br_vec3 *centre, double *extent,
                              br_error *error) {
    if (count < 4)
        return br_fail(error, BR_INVALID, "shape-hull", "a convex shape has %d points, expected at least 4",
                       count);
    if (count > BR_MAX_HULL_POINTS)
        return br_fail(error, BR_TOO_LARGE, "shape-hull", "a convex shape has %d points, expected at most %d",
                       count, BR_MAX_HULL_POINTS);
    for (int i = 0; i < count; ++i)
        if (!br_vec3_is_finite(points[i]))
            return br_fail(error, BR_INVALID, "shape-hull",
                           "point %d of a convex shape is [%g, %g, %g], expected finite numbers", i,
                           points[i].x, points[i].y, points[i].z);
    br_vec3 low = points[0], high = points[0];
    for (int i = 1; i < count; ++i) low = low_of(low, points[i]), high = high_of(high, points[i]);
    *extent = br_vec3_max_abs(br_vec3_sub(high, low));
    *centre = br_vec3_add_scaled(br_vec3_scale(0.5, low), 0.5, high);
    const double thick = thickness(points, count);
    // Rounding of the coordinates themselves bounds what a thickness can mean, far from the origin.
    const double noise = 16.0 * DBL_EPSILON * (br_vec3_max_abs(*centre) + *extent);
    if (!(*extent > 0.0) || !isfinite(*extent) || !(thick > fmax(BR_EPS_HULL_FLAT * *extent, noise)))
        return br_fail(
            error, BR_INVALID, "shape-hull",
            "the %d points of a convex shape lie in a plane, on a line or in a point (%g m thick, %g m wide)",
            count, thick, *extent);
    return BR_OK;
}

// --- qhull -----------------------------------------------------------------------------------------------------------

static br_status copy_facets(qhT *qh, br_arena *arena, facet_list *list) {
    facetT *facet;
    vertexT *vertex, **vertexp;
    int count = 0, total = 0;
    FORALLfacets {
        count++;
        FOREACHvertex_(facet->vertices) total++;
    }
    list->start = BR_TAKE(arena, int, count + 1);
    list->member = BR_TAKE(arena, int, total);
    list->normal = BR_TAKE(arena, br_vec3, count);
    if (!br_arena_ok(arena)) return BR_NO_MEMORY;
    list->count = list->total = 0;
    FORALLfacets {
        list->start[list->count] = list->total;
        list->normal[list->count] = br_vec3_of(facet->normal[0], facet->normal[1], facet->normal[2]);
        FOREACHvertex_(facet->vertices) list->member[list->total++] =
            (int)((vertex->point - qh->first_point) / 3);
        list->count++;
    }
    list->start[list->count] = list->total;
    list->outside = qh->max_outside;
    return BR_OK;
}

static br_status run_qhull(char *command, double *coordinates, int count, br_arena *arena, facet_list *list) {
    char *message = BR_TAKE(arena, char, MESSAGE_BYTES);
    qhT *qh = BR_TAKE(arena, qhT, 1);
    if (!br_arena_ok(arena)) return BR_NO_MEMORY;
    FILE *sink = fmemopen(message, MESSAGE_BYTES, "w");
    if (!sink) return BR_NO_MEMORY;
    qh_zero(qh, sink);
    br_status status = BR_NUMERICAL;
    if (qh_new_qhull(qh, 3, count, coordinates, False, command, sink, sink) == 0)
        status = copy_facets(qh, arena, list);
    int long_left = 0, long_total = 0;
    qh_freeqhull(qh, !qh_ALL);
    qh_memfreeshort(qh, &long_left, &long_total);
    (void)fclose(sink);
    return status;
}

// --- the polytope ----------------------------------------------------------------------------------------------------

// Puts the members of a facet in anticlockwise order as seen from outside, by their angle about the facet's middle.
static void order_face(const br_vec3 *points, br_vec3 normal, int *member, int count, double *angle) {
    br_vec3 middle = br_vec3_zero();
    for (int i = 0; i < count; ++i) middle = br_vec3_add_scaled(middle, 1.0 / count, points[member[i]]);
    const br_vec3 u = br_vec3_normalize(br_vec3_sub(points[member[0]], middle)), w = br_vec3_cross(normal, u);
    for (int i = 0; i < count; ++i) {
        const br_vec3 d = br_vec3_sub(points[member[i]], middle);
        const double a = br_atan2(br_vec3_dot(w, d), br_vec3_dot(u, d));
        const int m = member[i];
        int k = i;
        for (; k > 0 && angle[k - 1] > a; --k) angle[k] = angle[k - 1], member[k] = member[k - 1];
        angle[k] = a, member[k] = m;
    }
}

// Normal by Newell's sum; the offset is that of the outermost corner.
static void fit_face(const br_hull *hull, int face) {
    const int *loop = hull->face_vertex + hull->face_start[face];
    const int n = hull->face_start[face + 1] - hull->face_start[face];
    const br_vec3 o = hull->vertex[loop[0]];
    br_vec3 sum = br_vec3_zero();
    for (int i = 1; i + 1 < n; ++i)
        sum = br_vec3_add(sum, br_vec3_cross(br_vec3_sub(hull->vertex[loop[i]], o),
                                             br_vec3_sub(hull->vertex[loop[i + 1]], o)));
    hull->face_normal[face] = br_vec3_normalize(sum);
    double offset = -INFINITY;
    for (int i = 0; i < n; ++i)
        offset = fmax(offset, br_vec3_dot(hull->face_normal[face], hull->vertex[loop[i]]));
    hull->face_offset[face] = offset;
}

static int compare_edges(const void *left, const void *right) {
    const int *a = (const int *)left, *b = (const int *)right;
    if (a[0] != b[0]) return a[0] < b[0] ? -1 : 1;
    return a[1] < b[1] ? -1 : a[1] > b[1];
}

// Neighbours of each vertex from the directed edges of all faces. A closed surface has each edge once each way.
static br_status join_vertices(br_hull *hull, br_arena *arena, br_arena *scratch) {
    const int total = hull->face_start[hull->faces];
    int(*edge)[2] = (int(*)[2])br_arena_take(scratch, (size_t)total, sizeof *edge);
    hull->near_start = BR_TAKE(arena, int, hull->vertices + 1);
    hull->near = BR_TAKE(arena, int, total);
    if (!edge || !hull->near_start || !hull->near) return BR_NO_MEMORY;
    int n = 0;
    for (int f = 0; f < hull->faces; ++f) {
        const int *loop = hull->face_vertex + hull->face_start[f],
                  k = hull->face_start[f + 1] - hull->face_start[f];
        for (int i = 0; i < k; ++i, ++n) edge[n][0] = loop[i], edge[n][1] = loop[(i + 1) % k];
    }
    qsort(edge, (size_t)total, sizeof *edge, compare_edges);
    for (int i = 0; i < total; ++i) {
        const int back[2] = {edge[i][1], edge[i][0]};
        if (i > 0 && compare_edges(edge[i], edge[i - 1]) == 0) return BR_NUMERICAL;
        if (!bsearch(back, edge, (size_t)total, sizeof *edge, compare_edges)) return BR_NUMERICAL;
        hull->near[i] = edge[i][1];
        hull->near_start[edge[i][0] + 1]++;
    }
    for (int v = 0; v < hull->vertices; ++v) {
        if (hull->near_start[v + 1] < 3) return BR_NUMERICAL;
        hull->near_start[v + 1] += hull->near_start[v];
    }
    hull->edges = total / 2;
    return hull->vertices - hull->edges + hull->faces == 2 ? BR_OK : BR_NUMERICAL; // Euler
}

static br_status build(const br_vec3 *points, int count, facet_list *list, br_arena *arena, br_arena *scratch,
                       br_hull **out) {
    int *index = BR_TAKE(scratch, int, count);
    double *angle = BR_TAKE(scratch, double, list->total);
    br_hull *hull = BR_TAKE(arena, br_hull, 1);
    if (!br_arena_ok(scratch) || !br_arena_ok(arena)) return BR_NO_MEMORY;
    for (int i = 0; i < list->total; ++i) index[list->member[i]] = 1;
    for (int i = 0; i < count; ++i)
        index[i] = index[i] ? hull->vertices++ : -1; // corners keep the order of the points
    hull->faces = list->count;
    hull->vertex = BR_TAKE(arena, br_vec3, hull->vertices);
    hull->face_normal = BR_TAKE(arena, br_vec3, hull->faces);
    hull->face_offset = BR_TAKE(arena, double, hull->faces);
    hull->face_start = BR_TAKE(arena, int, hull->faces + 1);
    hull->face_vertex = BR_TAKE(arena, int, list->total);
    if (!br_arena_ok(arena)) return BR_NO_MEMORY;
    for (int i = 0; i < count; ++i)
        if (index[i] >= 0) hull->vertex[index[i]] = points[i];
    for (int f = 0; f < list->count; ++f) {
        int *member = list->member + list->start[f];
        const int n = list->start[f + 1] - list->start[f];
        if (n < 3) return BR_NUMERICAL;
        order_face(points, list->normal[f], member, n, angle);
        hull->face_start[f] = list->start[f];
        for (int i = 0; i < n; ++i) hull->face_vertex[list->start[f] + i] = index[member[i]];
    }
    hull->face_start[list->count] = list->total;
    for (int f = 0; f < hull->faces; ++f) fit_face(hull, f);
    const br_status status = join_vertices(hull, arena, scratch);
    if (status == BR_OK) *out = hull;
    return status;
}

// How far the polytope reaches beyond a face's plane: uphill from one of the face's corners.
static double beyond(const br_hull *hull, int face) {
    const br_vec3 n = hull->face_normal[face];
    int best = hull->face_vertex[hull->face_start[face]];
    double most = br_vec3_dot(n, hull->vertex[best]);
    for (int from = -1; from != best;) {
        from = best;
        for (int k = hull->near_start[from]; k < hull->near_start[from + 1]; ++k) {
            const double height = br_vec3_dot(n, hull->vertex[hull->near[k]]);
            if (height > most) most = height, best = hull->near[k];
        }
    }
    return most - hull->face_offset[face];
}

// Whether the faces are flat and no corner is outside of one, up to the tolerance.
static int is_sound(const br_hull *hull, double tol) {
    for (int f = 0; f < hull->faces; ++f) {
        for (int k = hull->face_start[f]; k < hull->face_start[f + 1]; ++k) {
            const double height = br_vec3_dot(hull->face_normal[f], hull->vertex[hull->face_vertex[k]]);
            if (!(height >= hull->face_offset[f] - tol)) return 0;
        }
        if (!(beyond(hull, f) <= tol)) return 0;
    }
    return 1;
}

// Whether no point at all is outside. Point by point and face by face, so for sets of moderate size; of larger ones
// qhull's own account of it is taken.
static int holds_all(const br_hull *hull, const br_vec3 *points, int count, double tol) {
    if ((double)count * hull->faces > BR_MAX_HULL_CHECKS) return 1;
    for (int f = 0; f < hull->faces; ++f)
        for (int k = 0; k < count; ++k)
            if (!(br_vec3_dot(hull->face_normal[f], points[k]) <= hull->face_offset[f] + tol)) return 0;
    return 1;
}

br_status br_hull_make(const br_vec3 *points, int count, br_arena *arena, br_hull **out, br_error *error) {
    br_vec3 centre = br_vec3_zero();
    double extent = 0.0;
    br_status status = check_points(points, count, &centre, &extent, error);
    if (status != BR_OK) return status;

    br_arena scratch;
    br_arena_init(&scratch, &arena->allocator);
    double *scaled = BR_TAKE(&scratch, double, 3 * (size_t)count);
    status = scaled ? BR_NUMERICAL : BR_NO_MEMORY;
    br_hull *hull = NULL;
    // Merging to 5e-7, 1e-9, rounding; triangles alone. Coordinates are scaled to extent 1.
    char commands[][16] = {"qhull C5e-7", "qhull C1e-9", "qhull", "qhull Qt"};
    const int attempts = (int)(sizeof commands / sizeof *commands);
    for (int attempt = 0; attempt < attempts && status == BR_NUMERICAL; ++attempt) {
        for (int i = 0; i < count; ++i) { // again for each attempt: qhull may write to them
            const br_vec3 x = br_vec3_scale(1.0 / extent, br_vec3_sub(points[i], centre));
            scaled[3 * i] = x.x, scaled[3 * i + 1] = x.y, scaled[3 * i + 2] = x.z;
        }
        facet_list list = {0};
        status = run_qhull(commands[attempt], scaled, count, &scratch, &list);
        if (status == BR_OK) status = build(points, count, &list, arena, &scratch, &hull);
        const double tol = BR_EPS_HULL_SOUND * extent;
        if (status == BR_OK && (!(list.outside <= BR_EPS_HULL_SOUND) || !is_sound(hull, tol) ||
                                !holds_all(hull, points, count, tol)))
            status = BR_NUMERICAL;
    }
    br_arena_free(&scratch);
    if (status == BR_NO_MEMORY)
        return br_fail(error, status, "out-of-memory", "no memory for the hull of %d points", count);
    if (status != BR_OK)
        return br_fail(error, status, "shape-hull", "the hull of %d points, %g m wide, could not be built",
                       count, extent);
    *out = hull;
    return BR_OK;
}
