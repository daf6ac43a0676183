// The expanding polytope: the face of K = A - B nearest the origin when the origin is inside K.
//
// A tetrahedron of vertices of K grows by the farthest vertex in the direction of its nearest face, until that face is
// one of K itself (polytopes) or within the tolerance (curved shapes). Faces are oriented by a point inside, not by the
// origin, which may lie on the surface. Storage is fixed; when it is full the best face found is the answer.
#include "collide/gjk.h"

enum { BR_MAX_EPA_VERTICES = 160, BR_MAX_EPA_FACES = 2 * BR_MAX_EPA_VERTICES, BR_MAX_EPA_HORIZON = 160 };

#define BR_EPS_EPA_FLAT 1e-13    // of the scale: K thinner than this has no inside
#define BR_EPS_EPA_VISIBLE 4e-15 // of the scale: nearer than this to a face's plane is on it
#define BR_EPA_RIVAL_COSINE 0.95 // of the angle between rivals

typedef struct epa_face {
    int v[3];  // anticlockwise from outside; v[0] < 0: removed
    br_vec3 m; // outward
    double d;  // m.x = d; INFINITY for a sliver, which is never the nearest
} epa_face;

typedef struct epa_hull {
    int vertices, faces;
    br_vec3 inside;
    double scale;
    br_gjk_vertex vertex[BR_MAX_EPA_VERTICES];
    epa_face face[BR_MAX_EPA_FACES];
} epa_hull;

// --- the first tetrahedron -----------------------------------------------------------------------------------------

// Distance of w from the point, line or plane through the first `count` vertices.
static double off_simplex(const epa_hull *h, int count, br_vec3 w) {
    const br_vec3 d = br_vec3_sub(w, h->vertex[0].w);
    if (count == 1) return br_vec3_norm(d);
    const br_vec3 ab = br_vec3_sub(h->vertex[1].w, h->vertex[0].w);
    if (count == 2) return br_vec3_norm(br_vec3_cross(d, br_vec3_normalize(ab)));
    const br_vec3 ac = br_vec3_sub(h->vertex[2].w, h->vertex[0].w);
    return fabs(br_vec3_dot(d, br_vec3_normalize(br_vec3_cross(ab, ac))));
}

static int try_direction(const br_core core[2], epa_hull *h, br_vec3 direction) {
    const br_gjk_vertex next = br_gjk_support(core, direction);
    if (!(off_simplex(h, h->vertices, next.w) > BR_EPS_EPA_FLAT * h->scale)) return 0;
    h->vertex[h->vertices++] = next;
    return 1;
}

// One more vertex, off the point, line or plane of those there; 0 when K does not leave it.
static int grow_simplex(const br_core core[2], epa_hull *h) {
    const br_vec3 a = h->vertex[0].w;
    if (h->vertices == 1) {
        for (int k = 0; k < 6; ++k)
            if (try_direction(core, h, br_vec3_scale(k % 2 ? -1.0 : 1.0, br_vec3_unit(2 - k / 2)))) return 1;
        return 0;
    }
    const br_vec3 ab = br_vec3_sub(h->vertex[1].w, a);
    if (h->vertices == 2) {
        const br_mat3 basis = br_tangent_basis(br_vec3_normalize(ab));
        for (int k = 0; k < 4; ++k)
            if (try_direction(core, h, br_vec3_scale(k % 2 ? -1.0 : 1.0, br_mat3_column(basis, k / 2))))
                return 1;
        return 0;
    }
    const br_vec3 m = br_vec3_normalize(br_vec3_cross(ab, br_vec3_sub(h->vertex[2].w, a)));
    return try_direction(core, h, m) || try_direction(core, h, br_vec3_neg(m));
}

// --- growing -------------------------------------------------------------------------------------------------------

static void add_face(epa_hull *h, int i, int j, int k) {
    if (h->faces >= BR_MAX_EPA_FACES) return;
    epa_face *f = &h->face[h->faces++];
    const br_vec3 a = h->vertex[i].w, ab = br_vec3_sub(h->vertex[j].w, a),
                  ac = br_vec3_sub(h->vertex[k].w, a);
    br_vec3 m = br_vec3_cross(ab, ac);
    const double area = br_vec3_norm(m);
    f->v[0] = i, f->v[1] = j, f->v[2] = k;
    if (!(area > 64.0 * DBL_EPSILON * br_vec3_norm(ab) * br_vec3_norm(ac))) {
        f->m = br_vec3_zero();
        f->d = INFINITY;
        return;
    }
    m = br_vec3_scale(1.0 / area, m);
    if (br_vec3_dot(m, br_vec3_sub(a, h->inside)) < 0.0) {
        m = br_vec3_neg(m);
        f->v[1] = k, f->v[2] = j;
    }
    f->m = m;
    f->d = br_vec3_dot(m, a);
}

static int nearest_face(const epa_hull *h) {
    int best = -1;
    for (int f = 0; f < h->faces; ++f)
        if (best < 0 || h->face[f].d < h->face[best].d) best = f;
    return best;
}

// The edges of visible faces that border on others.
static int find_horizon(epa_hull *h, br_vec3 w, int edge[BR_MAX_EPA_HORIZON][2]) {
    int edges = 0, kept = 0;
    for (int f = 0; f < h->faces; ++f) {
        const epa_face face = h->face[f];
        if (face.d == INFINITY || br_vec3_dot(face.m, w) - face.d <= BR_EPS_EPA_VISIBLE * h->scale) {
            h->face[kept++] = face;
            continue;
        }
        for (int e = 0; e < 3; ++e) {
            const int from = face.v[e], to = face.v[(e + 1) % 3];
            int twin = -1;
            for (int k = 0; k < edges && twin < 0; ++k)
                if (edge[k][0] == to && edge[k][1] == from) twin = k;
            if (twin >= 0) {
                edges--;
                edge[twin][0] = edge[edges][0], edge[twin][1] = edge[edges][1];
            } else if (edges < BR_MAX_EPA_HORIZON) {
                edge[edges][0] = from, edge[edges][1] = to;
                edges++;
            }
        }
    }
    h->faces = kept;
    return edges;
}

static int is_known(const epa_hull *h, const br_gjk_vertex *v) {
    for (int k = 0; k < h->vertices; ++k) {
        const br_gjk_vertex *s = &h->vertex[k];
        if (v->a.vertex >= 0 && v->b.vertex >= 0 && v->a.vertex == s->a.vertex && v->b.vertex == s->b.vertex)
            return 1;
        if (v->w.x == s->w.x && v->w.y == s->w.y && v->w.z == s->w.z) return 1;
    }
    return 0;
}

static void put_face(const epa_hull *h, const epa_face *f, br_epa *out) {
    out->n = br_vec3_neg(f->m);
    out->depth = f->d;
    out->count = 3;
    for (int k = 0; k < 3; ++k) out->s[k] = h->vertex[f->v[k]];
}

// The nearest faces in directions of their own.
static void find_rivals(const epa_hull *h, br_epa *out) {
    while (out->rivals < BR_MAX_EPA_RIVALS) {
        int next = -1;
        for (int f = 0; f < h->faces; ++f) {
            const epa_face *face = &h->face[f];
            if (face->d == INFINITY || (next >= 0 && face->d >= h->face[next].d)) continue;
            int apart = br_vec3_dot(out->n, face->m) > -BR_EPA_RIVAL_COSINE;
            for (int k = 0; k < out->rivals; ++k)
                if (br_vec3_dot(out->rival[k], face->m) < -BR_EPA_RIVAL_COSINE) apart = 0;
            if (apart) next = f;
        }
        if (next < 0) return;
        out->rival_depth[out->rivals] = h->face[next].d;
        out->rival[out->rivals++] = br_vec3_neg(h->face[next].m);
    }
}

// K is a point, a segment or a plane figure: the direction across it, away from the side where B's centre is.
static void put_flat(const br_core core[2], const epa_hull *h, br_epa *out) {
    const br_vec3 a = h->vertex[0].w;
    br_vec3 n = br_vec3_unit(2);
    if (h->vertices > 1) {
        const br_vec3 ab = br_vec3_sub(h->vertex[1].w, a);
        n = h->vertices > 2 ? br_vec3_normalize(br_vec3_cross(ab, br_vec3_sub(h->vertex[2].w, a)))
                            : br_mat3_column(br_tangent_basis(br_vec3_normalize(ab)), 0);
    }
    const br_vec3 apart =
        br_vec3_sub(br_core_out(&core[0], core[0].g->centre), br_core_out(&core[1], core[1].g->centre));
    if (br_vec3_dot(n, apart) < 0.0) n = br_vec3_neg(n);
    out->n = n;
    out->depth = 0.0;
    out->count = h->vertices < 3 ? h->vertices : 3;
    for (int k = 0; k < out->count; ++k) out->s[k] = h->vertex[k];
}

static void first_faces(epa_hull *h) {
    h->inside = br_vec3_zero();
    for (int k = 0; k < 4; ++k) h->inside = br_vec3_add_scaled(h->inside, 0.25, h->vertex[k].w);
    add_face(h, 0, 1, 2);
    add_face(h, 0, 3, 1);
    add_face(h, 0, 2, 3);
    add_face(h, 1, 3, 2);
}

static void grow(const br_core core[2], epa_hull *h, double tol, br_epa *out) {
    for (;;) {
        const int best = nearest_face(h);
        if (best < 0 || h->face[best].d == INFINITY) return;
        const epa_face face = h->face[best];
        put_face(h, &face, out);
        const br_gjk_vertex next = br_gjk_support(core, face.m);
        if (br_vec3_dot(face.m, next.w) - face.d <= tol * h->scale || is_known(h, &next)) return;
        if (h->vertices >= BR_MAX_EPA_VERTICES) return;
        int edge[BR_MAX_EPA_HORIZON][2];
        const int edges = find_horizon(h, next.w, edge);
        if (edges == 0) return;
        h->vertex[h->vertices++] = next;
        for (int e = 0; e < edges; ++e) add_face(h, edge[e][0], edge[e][1], h->vertices - 1);
    }
}

void br_epa_run(const br_core core[2], const br_gjk *gjk, double tol, br_epa *out) {
    epa_hull h;
    h.vertices = h.faces = 0;
    out->rivals = 0;
    h.scale = gjk->scale;
    for (int k = 0; k < gjk->count; ++k)
        if (k == 0 || off_simplex(&h, h.vertices, gjk->s[k].w) > BR_EPS_EPA_FLAT * h.scale)
            h.vertex[h.vertices++] = gjk->s[k];
    while (h.vertices < 4)
        if (!grow_simplex(core, &h)) {
            put_flat(core, &h, out);
            return;
        }
    put_flat(core, &h, out); // should every face be a sliver
    first_faces(&h);
    grow(core, &h, tol, out);
    find_rivals(&h, out);
}
