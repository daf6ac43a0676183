// Cores, and the Gilbert-Johnson-Keerthi iteration: the point of K = A - B nearest the origin,
// as a convex combination of at most four of its vertices.
//
// For a simplex with vertices a, b, c and m = (b - a) x (c - a) the weights of the nearest point of its plane are
//     m.(b x c)/m.m,  m.(c x a)/m.m,  m.(a x b)/m.m        and the point itself  m (m.a)/m.m;
// where a weight is negative the nearest point is on the opposite edge. The iteration needs no more digits than it
// takes to pick the right vertices: the final direction is computed anew from them.
#include "collide/gjk.h"

#include "collide/shape_kinds.h"

enum { BR_MAX_GJK_ITERATIONS = 128 };

#define BR_EPS_GJK_ZERO (8.0 * DBL_EPSILON)    // nearer than this times the scale: touching
#define BR_EPS_GJK_SLIVER (16.0 * DBL_EPSILON) // sine below which a triangle is a line

// --- cores ---------------------------------------------------------------------------------------------------------

static br_core core_of(const br_geometry *g) {
    const double radius = br_kind_of(g)->radius ? br_kind_of(g)->radius(g) : 0.0;
    const br_core r = {g, br_mat3_identity(), br_vec3_zero(), 1, radius};
    return r;
}

void br_core_pair(const br_geometry *a, const br_placement *X_A, const br_geometry *b,
                  const br_placement *X_B, br_core core[2]) {
    core[0] = core_of(a);
    core[1] = core_of(b);
    core[1].R = br_mat3_tmul(X_A->R, X_B->R);
    core[1].p = br_place_in(X_A, X_B->p);
    core[1].at_home = 0;
}

int br_core_is_curved(const br_core *core) {
    return br_kind_of(core->g)->jet != NULL;
}

br_core_point br_core_support(const br_core *core, br_vec3 direction) {
    br_core_point r = br_kind_of(core->g)->farthest(core, br_core_turn_in(core, direction));
    r.p = br_core_out(core, r.p);
    return r;
}

br_gjk_vertex br_gjk_support(const br_core core[2], br_vec3 direction) {
    br_gjk_vertex r;
    r.a = br_core_support(&core[0], direction);
    r.b = br_core_support(&core[1], br_vec3_neg(direction));
    r.w = br_vec3_sub(r.a.p, r.b.p);
    return r;
}

double br_core_separation(const br_core core[2], br_vec3 n) {
    return br_vec3_dot(n, br_gjk_support(core, br_vec3_neg(n)).w);
}

// --- the nearest point of a simplex --------------------------------------------------------------------------------

// Keeps the named vertices of a simplex.
static void gjk_keep(br_gjk *g, int count, int i, int j, int k) {
    const br_gjk_vertex a = g->s[i], b = g->s[j], c = g->s[k];
    g->s[0] = a, g->s[1] = b, g->s[2] = c;
    g->count = count;
}

static void nearest_of_segment(br_gjk *g, int i, int j) {
    const br_vec3 a = g->s[i].w, b = g->s[j].w, ab = br_vec3_sub(b, a);
    const double length2 = br_vec3_norm_squared(ab), t = -br_vec3_dot(a, ab);
    if (!(t > 0.0)) {
        g->v = a;
        gjk_keep(g, 1, i, j, j);
    } else if (t >= length2) {
        g->v = b;
        gjk_keep(g, 1, j, i, i);
    } else {
        g->v = br_vec3_add_scaled(a, t / length2, ab);
        gjk_keep(g, 2, i, j, j);
    }
}

// Takes the better of g and another simplex of the same vertices.
static void take_better(br_gjk *best, const br_gjk *other, int *found) {
    if (!*found || br_vec3_norm_squared(other->v) < br_vec3_norm_squared(best->v)) *best = *other;
    *found = 1;
}

static void nearest_of_triangle(br_gjk *g, int i, int j, int k) {
    const br_vec3 a = g->s[i].w, b = g->s[j].w, c = g->s[k].w;
    const br_vec3 ab = br_vec3_sub(b, a), ac = br_vec3_sub(c, a), m = br_vec3_cross(ab, ac);
    const double area2 = br_vec3_norm_squared(m);
    const double sliver =
        BR_EPS_GJK_SLIVER * BR_EPS_GJK_SLIVER * br_vec3_norm_squared(ab) * br_vec3_norm_squared(ac);
    const int flat = !(area2 > sliver);
    const double weight[3] = {br_vec3_dot(m, br_vec3_cross(b, c)), br_vec3_dot(m, br_vec3_cross(c, a)),
                              br_vec3_dot(m, br_vec3_cross(a, b))};
    if (!flat && weight[0] > 0.0 && weight[1] > 0.0 && weight[2] > 0.0) {
        g->v = br_vec3_scale(br_vec3_dot(m, a) / area2, m);
        gjk_keep(g, 3, i, j, k);
        return;
    }
    const br_gjk start = *g;
    const int edge[3][2] = {{j, k}, {k, i}, {i, j}};
    int found = 0;
    for (int e = 0; e < 3; ++e) {
        if (!flat && weight[e] > 0.0) continue;
        br_gjk trial = start;
        nearest_of_segment(&trial, edge[e][0], edge[e][1]);
        take_better(g, &trial, &found);
    }
}

static void nearest_of_tetrahedron(br_gjk *g) {
    static const int face[4][4] = {
        {1, 2, 3, 0}, {0, 3, 2, 1}, {0, 1, 3, 2}, {0, 2, 1, 3}}; // and the vertex opposite
    const br_gjk start = *g;
    int found = 0;
    for (int f = 0; f < 4; ++f) {
        const br_vec3 a = start.s[face[f][0]].w, ab = br_vec3_sub(start.s[face[f][1]].w, a);
        const br_vec3 ac = br_vec3_sub(start.s[face[f][2]].w, a), ad = br_vec3_sub(start.s[face[f][3]].w, a);
        const br_vec3 m = br_vec3_cross(ab, ac);
        const double side = br_vec3_dot(m, ad), origin = -br_vec3_dot(m, a);
        const double thin = BR_EPS_GJK_SLIVER * br_vec3_norm(m) * br_vec3_norm(ad);
        if (fabs(side) > thin && origin * side > 0.0) continue;
        br_gjk trial = start;
        nearest_of_triangle(&trial, face[f][0], face[f][1], face[f][2]);
        take_better(g, &trial, &found);
    }
    if (!found) g->inside = 1;
}

static void nearest_of_simplex(br_gjk *g) {
    switch (g->count) {
    case 1:
        g->v = g->s[0].w;
        break;
    case 2:
        nearest_of_segment(g, 0, 1);
        break;
    case 3:
        nearest_of_triangle(g, 0, 1, 2);
        break;
    default:
        nearest_of_tetrahedron(g);
        break;
    }
}

// --- the iteration -------------------------------------------------------------------------------------------------

static int is_known(const br_gjk *g, const br_gjk_vertex *v) {
    for (int k = 0; k < g->count; ++k) {
        const br_gjk_vertex *s = &g->s[k];
        if (v->a.vertex >= 0 && v->b.vertex >= 0 && v->a.vertex == s->a.vertex && v->b.vertex == s->b.vertex)
            return 1;
        if (v->w.x == s->w.x && v->w.y == s->w.y && v->w.z == s->w.z) return 1;
    }
    return 0;
}

static void start_gjk(const br_core core[2], br_gjk *out) {
    const br_vec3 from = br_core_out(&core[0], core[0].g->centre),
                  to = br_core_out(&core[1], core[1].g->centre);
    br_vec3 d = br_vec3_sub(to, from);
    if (!(br_vec3_norm_squared(d) > 0.0)) d = br_vec3_unit(2);
    out->inside = out->far = 0;
    out->n = br_vec3_neg(br_vec3_normalize(d));
    out->s[0] = br_gjk_support(core, d);
    out->count = 1;
    out->v = out->s[0].w;
    out->sep = br_vec3_dot(out->n, out->v);
    out->scale = core[0].g->size + core[1].g->size;
}

void br_gjk_run(const br_core core[2], double limit, double tol, br_gjk *out) {
    start_gjk(core, out);
    for (int iteration = 0; iteration < BR_MAX_GJK_ITERATIONS; ++iteration) {
        if (out->sep > limit) {
            out->far = 1;
            return;
        }
        const double upper = br_vec3_norm(out->v);
        if (upper <= BR_EPS_GJK_ZERO * out->scale) out->inside = 1;
        if (out->inside) return;
        const br_vec3 n = br_vec3_scale(1.0 / upper, out->v);
        const br_gjk_vertex next = br_gjk_support(core, br_vec3_neg(n));
        const double lower = br_vec3_dot(n, next.w);
        if (lower > out->sep) out->sep = lower, out->n = n;
        if (is_known(out, &next) || upper - lower <= tol * upper) return;
        const br_gjk before = *out;
        out->scale = fmax(out->scale, br_vec3_max_abs(next.w));
        out->s[out->count++] = next;
        nearest_of_simplex(out);
        if (!out->inside &&
            !(br_vec3_norm_squared(out->v) < upper * upper)) { // rounding: no nearer than before
            *out = before;
            return;
        }
    }
}
