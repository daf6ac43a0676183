// Making a direction exact: the local maximum of sep(n) over unit vectors (gjk.h).
//
//     f(n) = n.w(n),  w = a(-n) - b(n) the difference of the support points
//     gradient w, Hessian on the sphere -(H_A + H_B) - f 1,  H the Hessian of a support function
//         point: 0     ellipsoid, D = diag(radii^2), k = sqrt(d.D d): (D - D d d^T D/k^2)/k
//         rim of a circle, d' = d across its axis: radius/|d'| t t^T, t along the rim
//
// where both shapes are smooth at n. Where A or B has an edge, a kink of f keeps n perpendicular to it: one such edge
// leaves an arc, two fix n, and a face is an n of its own. The side of a cylinder is an edge (its axis) swept by the
// radius. All combinations of the few parts at the support points are tried, each judged by its true sep(n).
#include "collide/shape_kinds.h"

enum { BR_MAX_EDGES = 10, BR_MAX_NEWTON = 30, BR_MAX_HALVINGS = 10, BR_MAX_ROUNDS = 6 };

// sine: edges this near to perpendicular to an approximate n may be where the kink is
#define BR_EPS_EDGE_CURVED 0.03
#define BR_EPS_EDGE_EXACT 1e-4 // as above between polytopes, where n is nearly exact already
#define BR_EPS_STEP 1e-15      // angle below which Newton has arrived
#define BR_MAX_NEWTON_STEP 0.5 // rad
#define BR_EPS_PARALLEL_EDGES 1e-9
#define BR_EPS_AXIS 1e-3
#define BR_EPS_SETTLED 1e-13    // of the scale
#define BR_SAME_N (1.0 - 1e-12) // cosine

// A shape near its support point.
typedef struct part {
    int is_smooth; // the kind's `jet` describes it; otherwise it is a point or an edge from one
    br_vec3 point; // pair's frame
    double z;      // of a rim, in the core's frame
    int has_edge;  // n stays perpendicular to `edge`
    br_vec3 edge;  // unit, from `point`
    double length; // of the edge
} part;

typedef struct part_list {
    int count;
    part item[BR_MAX_EDGES + 2];
} part_list;

// --- parts ---------------------------------------------------------------------------------------------------------

static br_jet part_jet(const br_core *core, const part *s, br_vec3 d) {
    br_jet r = {s->point, {0.0, 0.0, 0.0, 0.0, 0.0, 0.0}};
    if (!s->is_smooth) return r;
    r = br_kind_of(core->g)->jet(core, br_core_turn_in(core, d), s->z);
    r.p = br_core_out(core, r.p);
    if (!core->at_home) r.H = br_sym3_rotate(core->R, r.H);
    return r;
}

static void add_edge(part_list *list, br_vec3 point, br_vec3 along) {
    if (list->count >= BR_MAX_EDGES) return;
    const double length = br_vec3_norm(along);
    const part r = {0, point, 0.0, 1, br_vec3_scale(1.0 / length, along), length};
    for (int k = 0; k < list->count; ++k) // known from the other end, or from the simplex
        if (list->item[k].has_edge && fabs(br_vec3_dot(list->item[k].edge, r.edge)) > 1.0 - 4.0 * DBL_EPSILON)
            return;
    list->item[list->count++] = r;
}

static void add_edge_near(part_list *list, const br_core *core, br_vec3 d, br_vec3 from, br_vec3 local,
                          double eps) {
    const br_vec3 along = br_core_turn(core, local);
    if (fabs(br_vec3_dot(d, along)) <= eps * br_vec3_norm(along)) add_edge(list, from, along);
}

// The edges at a corner that are nearly perpendicular to d.
static void corner_edges(const br_core *core, br_vec3 d, br_core_point at, double eps, part_list *list) {
    const br_shape_kind *kind = br_kind_of(core->g);
    br_vec3 along;
    for (int i = 0; kind->edge && kind->edge(core->g, at.vertex, i, &along) >= 0; ++i)
        add_edge_near(list, core, d, at.p, along, eps);
}

static void add_corner(part_list *list, br_vec3 point) {
    if (list->count >= BR_MAX_EDGES) return;
    const part r = {0, point, 0.0, 0, br_vec3_zero(), 0.0};
    for (int k = 0; k < list->count; ++k)
        if (!list->item[k].has_edge && br_vec3_distance(list->item[k].point, point) == 0.0) return;
    list->item[list->count++] = r;
}

// The corners that the simplex holds and the edges between them: right even where n is still too poor to tell.
static void seed_parts(const br_gjk_vertex *seed, int seeds, int which, part_list *list) {
    for (int i = 0; i < seeds; ++i)
        if ((which ? seed[i].b : seed[i].a).vertex >= 0) add_corner(list, (which ? seed[i].b : seed[i].a).p);
    for (int i = 0; i < seeds; ++i)
        for (int j = 0; j < i; ++j) {
            const br_core_point p = which ? seed[i].b : seed[i].a, q = which ? seed[j].b : seed[j].a;
            if (p.vertex >= 0 && q.vertex >= 0 && p.vertex != q.vertex)
                add_edge(list, p.p, br_vec3_sub(q.p, p.p));
        }
}

static void list_parts(const br_core *core, br_vec3 d, double eps, part_list *list) {
    const br_geometry *g = core->g;
    const br_vec3 axis = br_core_turn(core, br_vec3_unit(2));
    const double slope = br_vec3_dot(axis, d);
    part r = {0, br_vec3_zero(), 0.0, 0, br_vec3_zero(), 0.0};
    r.is_smooth = br_core_is_curved(core);
    if (br_kind_of(g)->has_side) {
        r.z = slope < 0.0 ? -g->half_length : g->half_length;
        if (fabs(slope) <= eps) {
            const part other = {1, br_vec3_zero(), -r.z, 0, br_vec3_zero(), 0.0};
            list->item[list->count++] = other;
            add_edge(list, br_core_out(core, br_vec3_of(0.0, 0.0, -g->half_length)),
                     br_vec3_scale(2.0 * g->half_length, axis));
        }
    }
    if (!r.is_smooth) {
        const br_core_point at = br_core_support(core, d);
        r.point = at.p;
        corner_edges(core, d, at, eps, list);
    }
    list->item[list->count++] = r;
}

// --- candidates ----------------------------------------------------------------------------------------------------

static void consider(const br_core core[2], br_vec3 n, br_axis *best) {
    const double norm = br_vec3_norm(n);
    if (!(norm > 0.0) || !isfinite(norm)) return;
    n = br_vec3_scale(1.0 / norm, n);
    const double sep = br_core_separation(core, n);
    if (sep > best->sep) best->n = n, best->sep = sep;
}

typedef struct local_value {
    double f;
    br_vec3 w;
    br_sym3 H;
} local_value;

static local_value polish_evaluate(const br_core core[2], const part *a, const part *b, br_vec3 n) {
    const br_jet ja = part_jet(&core[0], a, br_vec3_neg(n)), jb = part_jet(&core[1], b, n);
    local_value r;
    r.w = br_vec3_sub(ja.p, jb.p);
    r.f = br_vec3_dot(n, r.w);
    r.H = br_sym3_add(ja.H, jb.H);
    return r;
}

// Newton's step in the plane of t1, t2 (t2 NULL: along t1), uphill; a gradient step where f is not concave.
static br_vec3 newton_step(const local_value *v, br_vec3 t1, const br_vec3 *t2, double scale) {
    const br_vec3 H1 = br_sym3_mul_vec(v->H, t1);
    const double g1 = br_vec3_dot(t1, v->w), h11 = br_vec3_dot(t1, H1) + v->f;
    double d1 = 0.0, d2 = 0.0;
    if (!t2) {
        d1 = h11 > 0.0 ? g1 / h11 : g1 / scale;
    } else {
        const double g2 = br_vec3_dot(*t2, v->w), h12 = br_vec3_dot(*t2, H1);
        const double h22 = br_vec3_dot(*t2, br_sym3_mul_vec(v->H, *t2)) + v->f, det = h11 * h22 - h12 * h12;
        if (h11 > 0.0 && det > 0.0) {
            d1 = (h22 * g1 - h12 * g2) / det;
            d2 = (h11 * g2 - h12 * g1) / det;
        } else {
            d1 = g1 / scale, d2 = g2 / scale;
        }
    }
    const double length = sqrt(d1 * d1 + d2 * d2),
                 s = length > BR_MAX_NEWTON_STEP ? BR_MAX_NEWTON_STEP / length : 1.0;
    br_vec3 step = br_vec3_scale(s * d1, t1);
    return t2 ? br_vec3_add_scaled(step, s * d2, *t2) : step;
}

// Along a circle's axis every point of its rim is a support point: starts a little aside, toward `other`.
static br_vec3 off_axis(const br_core *core, br_vec3 d, br_vec3 other) {
    const br_vec3 l = br_core_turn_in(core, d), o = br_core_turn_in(core, br_vec3_sub(other, core->p));
    if (l.x * l.x + l.y * l.y > BR_EPS_AXIS * BR_EPS_AXIS) return d;
    const double across = sqrt(o.x * o.x + o.y * o.y);
    if (!(across > 0.0)) return d;
    return br_vec3_normalize(
        br_core_turn(core, br_vec3_of(BR_EPS_AXIS * o.x / across, BR_EPS_AXIS * o.y / across, l.z)));
}

static int is_rim(const br_core *core, const part *s) {
    return s->is_smooth && br_kind_of(core->g)->has_rim;
}

static br_vec3 newton(const br_core core[2], const part *a, const part *b, const br_vec3 *edge, br_vec3 n,
                      double scale) {
    if (edge) n = br_vec3_normalize(br_vec3_add_scaled(n, -br_vec3_dot(n, *edge), *edge));
    if (!edge && is_rim(&core[0], a))
        n = br_vec3_neg(off_axis(&core[0], br_vec3_neg(n), part_jet(&core[1], b, n).p));
    if (!edge && is_rim(&core[1], b)) n = off_axis(&core[1], n, part_jet(&core[0], a, br_vec3_neg(n)).p);
    local_value v = polish_evaluate(core, a, b, n);
    for (int iteration = 0; iteration < BR_MAX_NEWTON; ++iteration) {
        const br_mat3 basis = br_tangent_basis(n);
        const br_vec3 t2 = br_mat3_column(basis, 1),
                      t1 = edge ? br_vec3_cross(*edge, n) : br_mat3_column(basis, 0);
        br_vec3 step = newton_step(&v, t1, edge ? NULL : &t2, scale);
        if (!(br_vec3_norm(step) > BR_EPS_STEP)) break;
        int better = 0;
        for (int k = 0; k < BR_MAX_HALVINGS && !better; ++k, step = br_vec3_scale(0.25, step)) {
            const br_vec3 next = br_vec3_normalize(br_vec3_add(n, step));
            const local_value trial = polish_evaluate(core, a, b, next);
            if (!(trial.f >= v.f - DBL_EPSILON * scale)) continue;
            better = trial.f > v.f || br_vec3_norm(step) > BR_EPS_STEP;
            n = next, v = trial;
        }
        if (!better) break;
    }
    return n;
}

// Whether points of the two parts lie exactly along n from one another: then sep(n) is a local maximum, and between
// shapes that are apart the only one.
static int is_settled(const br_core core[2], const part *a, const part *b, br_vec3 n, double swept,
                      const br_axis *best) {
    const local_value v = polish_evaluate(core, a, b, n);
    if (!(best->sep >= v.f - swept - BR_EPS_SETTLED * best->scale) || br_vec3_dot(n, best->n) < BR_SAME_N)
        return 0;
    const double tol = BR_EPS_SETTLED * best->scale;
    br_vec3 rest = br_vec3_add_scaled(v.w, -v.f, n); // a - b across n; + s edge_A - t edge_B makes it zero
    double s = 0.0, t = 0.0;
    if (a->has_edge && b->has_edge) {
        const double c = br_vec3_dot(a->edge, b->edge), det = 1.0 - c * c;
        const double x = -br_vec3_dot(rest, a->edge), y = br_vec3_dot(rest, b->edge);
        if (!(det > BR_EPS_PARALLEL_EDGES)) return 0;
        s = (x + c * y) / det, t = (y + c * x) / det;
    } else if (a->has_edge) {
        s = -br_vec3_dot(rest, a->edge);
    } else if (b->has_edge) {
        t = br_vec3_dot(rest, b->edge);
    }
    if (a->has_edge) rest = br_vec3_add_scaled(rest, s, a->edge);
    if (b->has_edge) rest = br_vec3_add_scaled(rest, -t, b->edge);
    return br_vec3_norm(rest) <= tol && s >= -tol && t >= -tol &&
           s <= (a->has_edge ? a->length + tol : tol) && t <= (b->has_edge ? b->length + tol : tol);
}

// The radius by which the side of a cylinder stands off its axis, which its part leaves out.
static double swept_side(const br_core *core, const part *s) {
    return br_kind_of(core->g)->has_side && s->has_edge ? core->g->radius : 0.0;
}

// Nonzero: settled, nothing else need be tried.
static int try_parts(const br_core core[2], const part *a, const part *b, br_vec3 from, br_axis *best) {
    const br_vec3 *edge = a->has_edge ? &a->edge : b->has_edge ? &b->edge : NULL;
    br_vec3 n = br_vec3_zero();
    if (a->has_edge && b->has_edge) n = br_vec3_cross(a->edge, b->edge);
    const double norm = br_vec3_norm(n);
    if (norm > BR_EPS_PARALLEL_EDGES)
        n = br_vec3_scale(br_vec3_dot(n, from) < 0.0 ? -1.0 / norm : 1.0 / norm, n);
    else
        n = newton(core, a, b, edge, from, best->scale);
    consider(core, n, best);
    return is_settled(core, a, b, n, swept_side(&core[0], a) + swept_side(&core[1], b), best);
}

// Whether the parts that face each other along a face's normal overlap where they are nearest.
static int face_is_settled(const br_core core[2], int side, int number, const br_axis *axis) {
    br_face face[2];
    br_contact_point found[BR_MAX_CANDIDATES];
    const double tol = BR_EPS_SETTLED * axis->scale;
    br_manifold m = {axis->n, axis->sep + 10.0 * tol, 0.0, 10.0 * tol, 0.0, 0.0, 0, 0, found};
    for (int k = 0; k < 2; ++k) br_face_of_core(&core[k], k ? axis->n : br_vec3_neg(axis->n), 1, &face[k]);
    if (face[1 - side].kind == BR_FACE_POINT)
        return br_core_is_over_face(&core[side], number, face[1 - side].point[0]);
    if (face[side].kind == BR_FACE_POINT) return 0;
    for (int k = 0; k < 2; ++k)
        if (face[k].kind == BR_FACE_CIRCLE)
            br_face_place_rim(&core[k],
                              face[1 - k].kind == BR_FACE_SEGMENT ? (k ? br_vec3_neg(axis->n) : axis->n)
                                                                  : face[1 - k].normal,
                              &face[k]);
    br_manifold_intersect(&m, &face[0], &face[1], axis->sep);
    return m.count > 0;
}

static int try_faces(const br_core core[2], br_axis *axis) {
    for (int side = 0; side < 2; ++side) {
        br_vec3 normal;
        int face;
        if (!br_core_face_normal(&core[side], side ? axis->n : br_vec3_neg(axis->n), &normal, &face))
            continue;
        br_axis trial = {side ? normal : br_vec3_neg(normal), 0.0, axis->scale};
        trial.sep = br_core_separation(core, trial.n);
        if (!(trial.sep >= axis->sep - 8.0 * DBL_EPSILON * axis->scale)) continue; // as good, or better
        *axis = trial;
        if (face_is_settled(core, side, face, axis)) return 1;
    }
    return 0;
}

int br_axis_polish(const br_core core[2], const br_gjk_vertex *seed, int seeds, br_axis *axis) {
    const int curved = br_core_is_curved(&core[0]) || br_core_is_curved(&core[1]);
    const double eps = curved ? BR_EPS_EDGE_CURVED : BR_EPS_EDGE_EXACT;
    if (seeds == 3) {
        const br_vec3 m = br_vec3_cross(br_vec3_sub(seed[1].w, seed[0].w), br_vec3_sub(seed[2].w, seed[0].w));
        consider(core, br_vec3_dot(m, axis->n) < 0.0 ? br_vec3_neg(m) : m, axis);
    }
    for (int round = 0; round < BR_MAX_ROUNDS; ++round) {
        const br_axis before = *axis;
        if (try_faces(core, axis)) return 1;
        part_list list[2] = {{0}, {0}};
        for (int side = 0; side < 2; ++side) {
            list_parts(&core[side], side ? before.n : br_vec3_neg(before.n), eps, &list[side]);
            if (round == 0) seed_parts(seed, seeds, side, &list[side]);
        }
        for (int i = 0; i < list[0].count; ++i)
            for (int j = 0; j < list[1].count; ++j)
                if (try_parts(core, &list[0].item[i], &list[1].item[j], before.n, axis)) return 1;
        if (!(axis->sep > before.sep + 8.0 * DBL_EPSILON * axis->scale)) return 0;
    }
    return 0;
}
