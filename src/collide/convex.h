// Between two convex shapes: the axis of least separation, and the contact points about it (private to src/collide).
// convex.c asks gjk.c for a direction, has it made exact by convex_polish.c, takes the parts of the two shapes that
// face each other (convex_face.c) and intersects them (convex_manifold.c).
#ifndef BR_COLLIDE_CONVEX_H
#define BR_COLLIDE_CONVEX_H

#include "collide/gjk.h"

typedef struct br_axis {
    br_vec3 n;    // from B to A, pair's frame
    double sep;   // of the cores along n
    double scale; // lengths that rounding is relative to
} br_axis;

// Improves the direction to the local maximum of sep(n), exactly: Newton where both shapes are smooth, and the normals
// that faces and edges dictate where they are not. `seed` holds the `seeds` vertices of K that gave the direction.
// Nonzero: points of both shapes were found that lie along n, sep(n) apart, so nothing is better nearby.
int br_axis_polish(const br_core core[2], const br_gjk_vertex *seed, int seeds, br_axis *axis);

// The axis of least separation of two shapes; 0 when the cores are farther apart than `limit`.
int br_axis_find(const br_core core[2], double limit, br_axis *axis);

// The outward normal of the flat face of a core that faces `d` best, among those at its support point; 0 where it has
// none. *face: its number.
int br_core_face_normal(const br_core *core, br_vec3 d, br_vec3 *normal, int *face);

// Whether a point lies within the outline of a face, as seen along its normal.
int br_core_is_over_face(const br_core *core, int face, br_vec3 point);

// --- the parts that face each other --------------------------------------------------------------------------------

enum { BR_MAX_FACE_POINTS = 64 };
#define BR_EPS_LINE 1e-3 // sine: an edge or a side this near to perpendicular to n touches along its length

typedef enum br_face_kind { BR_FACE_POINT, BR_FACE_SEGMENT, BR_FACE_POLYGON, BR_FACE_CIRCLE } br_face_kind;

// A part of a shape's surface: its corners; for a circle the points that stand for its rim. Pair's frame.
typedef struct br_face {
    br_face_kind kind;
    int count;
    br_vec3 point[BR_MAX_FACE_POINTS];
    uint32_t id[BR_MAX_FACE_POINTS]; // stable names of the points
    br_vec3 normal;                  // of polygons and circles, outward
    br_vec3 centre;                  // of a circle
    double radius;
    int ends_only; // a segment of which only the ends are on the surface: a capsule that is not level
} br_face;

// The part of a core that faces d (unit): a polygon or circle when `flat`, otherwise the edge, line or point there.
void br_face_of_core(const br_core *core, br_vec3 d, int flat, br_face *out);
void br_face_of_polytope(const br_core *core, br_vec3 d, int flat,
                         br_face *out); // of those with corners alone
void br_face_add(br_face *face, br_vec3 point, uint32_t id);
// Puts the points of a circle on its rim where it is nearest to a plane with normal `other`, and around; fixed on the
// shape when the two are parallel.
void br_face_place_rim(const br_core *core, br_vec3 other, br_face *face);

enum { BR_MAX_CANDIDATES = 64 };
#define BR_EPS_OVER 1e-6 // of the size: br_manifold.over, so that aligned edges do not come and go

// Contact points being gathered, in the pair's frame.
typedef struct br_manifold {
    br_vec3 n;     // from B to A
    double margin; // gaps above it are left out
    double size;   // a length for tolerances
    double over;   // a corner this far outside an outline is still over it
    double offset; // what the sweeping radii take from every gap
    double lift;   // of A's surface from its core, along -n
    int own_only;  // leave out corners of B: what B is a part of goes on beyond them
    int count;
    br_contact_point *point; // [BR_MAX_CANDIDATES]; `normal` is n
} br_manifold;

// A point of A's core with the gap of the surfaces there, unless one is there already or the gap exceeds the margin.
void br_manifold_add(br_manifold *m, br_vec3 core_point, double gap, uint32_t feature);
// The points where two parts, neither a single point, overlap as seen along n. `gap` is that of two lines that cross.
void br_manifold_intersect(br_manifold *m, const br_face *a, const br_face *b, double gap);
// At most `most` of the points: the deepest, then the farthest from those kept. Makes features distinct.
int br_manifold_reduce(br_contact_point *point, int count, int most, double size);

// kind 1: a point of A, 2: a point of B, 3: an edge of A across one of B.
uint32_t br_feature_of(uint32_t kind, uint32_t a, uint32_t b);

// Two kinds of shapes that both have a support function, whatever they are. See pair.h.
int br_pair_convex_convex(const br_geometry *a, const br_placement *X_A, const br_geometry *b,
                          const br_placement *X_B, double margin, br_contact_point *out);

#endif
