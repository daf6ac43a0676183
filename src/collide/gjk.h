// Two convex shapes A and B, known by their support functions, through their difference K = A - B (private to
// src/collide).
//
//     sep(n) = min n.a over A - max n.b over B = - h_K(-n)      signed separation along the unit vector n
//     distance or minus the depth = max over n of sep(n)
//
// gjk.c finds the point of K nearest the origin when the origin is outside, gjk_epa.c the face of K nearest to it when
// it is inside. Both only give a direction and the vertices that made it: convex_polish.c makes it exact. Since sep(n)
// never exceeds the true value, of several candidate directions the one with the largest sep is the best one.
//
// A sphere is worked with as its centre and a capsule as its segment, with `radius` added at the end: the normal and
// the nearest points are those of the cores, deep penetration included. An ellipsoid, too, is a smaller convex body
// swept by a ball, of its least radius of curvature: while the overlap is less than that its core is still apart, and
// the nearest point is unique.
#ifndef BR_COLLIDE_GJK_H
#define BR_COLLIDE_GJK_H

#include "collide/pair.h"

typedef struct br_core {
    const br_geometry *g;
    br_mat3 R; // its axes in the pair's frame
    br_vec3 p;
    int at_home;   // R = 1, p = 0: nothing to transform
    double radius; // of the ball that the core is swept with
} br_core;

// A point of a core, in the pair's frame. vertex: the corner's number; -1 on a curved surface.
typedef struct br_core_point {
    br_vec3 p;
    int vertex;
} br_core_point;

// The pair's frame is A's: world positions, which may be large, enter as their difference alone.
void br_core_pair(const br_geometry *a, const br_placement *X_A, const br_geometry *b,
                  const br_placement *X_B, br_core core[2]);
br_core_point br_core_support(const br_core *core, br_vec3 direction);
int br_core_is_curved(const br_core *core); // ellipsoid, cylinder, disk

static inline br_vec3 br_core_out(const br_core *core, br_vec3 local) { // a point to the pair's frame
    return core->at_home ? local : br_vec3_add(core->p, br_mat3_mul_vec(core->R, local));
}

static inline br_vec3 br_core_turn(const br_core *core, br_vec3 local) { // a direction to the pair's frame
    return core->at_home ? local : br_mat3_mul_vec(core->R, local);
}

static inline br_vec3 br_core_turn_in(const br_core *core, br_vec3 direction) { // and back
    return core->at_home ? direction : br_mat3_tmul_vec(core->R, direction);
}

// A vertex of K.
typedef struct br_gjk_vertex {
    br_vec3 w; // a.p - b.p
    br_core_point a, b;
} br_gjk_vertex;

typedef struct br_gjk {
    int count; // of the simplex that holds the nearest point
    br_gjk_vertex s[4];
    br_vec3 v;    // the point of K nearest the origin
    int inside;   // the origin is in K up to rounding; v is then close to zero and of no use
    int far;      // sep(n) is above the limit: stopped early
    br_vec3 n;    // the best direction so far
    double sep;   // sep(n) of the cores
    double scale; // of the vertices of K: rounding is relative to it
} br_gjk;

br_gjk_vertex br_gjk_support(const br_core core[2], br_vec3 direction); // the vertex of K farthest along it
double br_core_separation(const br_core core[2], br_vec3 n); // sep(n) of the cores, n of unit length

// Stops as soon as the cores are known to be more than `limit` apart. `tol`: relative gap between the bounds.
void br_gjk_run(const br_core core[2], double limit, double tol, br_gjk *out);

enum { BR_MAX_EPA_RIVALS = 4 };

typedef struct br_epa {
    br_vec3 n; // sep(n) = -depth
    int count; // vertices of the face, or of what stands for it when K is flat
    br_gjk_vertex s[3];
    double depth; // of the face: the true depth is no less
    int rivals; // faces in other directions, nearest first: one of them may be nearer once all is made exact
    br_vec3 rival[BR_MAX_EPA_RIVALS];
    double rival_depth[BR_MAX_EPA_RIVALS];
} br_epa;

// From a simplex of br_gjk_run with `inside`. Where K has no thickness, n is across it.
void br_epa_run(const br_core core[2], const br_gjk *gjk, double tol, br_epa *out);

#endif
