// A convex shape A over a height field B.
//
// The surface is faces, ridges and peaks, and each touches only along normals of its own, so that nothing is ever
// pushed sideways by the inside of a surface:
//
//     face    its normal: points of A over the triangle
//     ridge   normals between those of its two triangles (convex edges only): the n on that arc that separates best,
//             where g(theta) = n'(theta).(a(-n) - e) changes sign, a the support point of A and e on the ridge
//     peak    normals for which its neighbours are all below it
//
// Over a flat field only faces are left, whose points are those of A against a plane. The border is a ridge to a cliff.
// Everything happens in the field's frame.
#include "collide/field.h"
#include "collide/shape_kinds.h"
#include "math/elementary.h"

enum { BR_MAX_ARC_STEPS = 100 };

#define BR_EPS_RIDGE 1e-7 // rad: two triangles less inclined than this are flat
// of the spacing: a foot on a border belongs to both sides, and is then one point
#define BR_EPS_OVER_CELL 1e-9
#define BR_ARC_PLAY 0.01     // rad: a face of A this far beyond a ridge's arc still rests on the ridge
#define BR_EPS_ARC 1e-15     // rad
#define BR_EPS_ON_RIDGE 1e-6 // of the size
#define BR_EPS_SOLID 1e-6    // of the size
#define BR_EPS_BELOW 1e-9    // of the spacing: neighbours of a peak
#define BR_FACING_COSINE (1.0 - 5e-5)

typedef struct field_work {
    const br_field *field;
    br_core core[2]; // A, and a point for peaks
    br_geometry dot;
    br_manifold m;
    br_aabb box; // of A, grown by the margin
} field_work;

static br_vec3 grid_point(const br_field *f, int column, int row) {
    return br_vec3_of(column * f->spacing_x, row * f->spacing_y,
                      f->height[(size_t)row * (size_t)f->columns + (size_t)column]);
}

static int on_grid(const br_field *f, int column, int row) {
    return column >= 0 && row >= 0 && column < f->columns && row < f->rows;
}

// Whether a point is in the solid under the field, as seen along z: beyond the far side of a ridge is not.
static int is_solid(const field_work *w, br_vec3 p) {
    const br_field *f = w->field;
    const double x = p.x / f->spacing_x, y = p.y / f->spacing_y;
    const int c = (int)fmax(0.0, fmin(floor(x), f->columns - 2.0)),
              r = (int)fmax(0.0, fmin(floor(y), f->rows - 2.0));
    const double u = x - c, v = y - r, z00 = grid_point(f, c, r).z, z11 = grid_point(f, c + 1, r + 1).z;
    const double z =
        u >= v ? z00 + u * (grid_point(f, c + 1, r).z - z00) + v * (z11 - grid_point(f, c + 1, r).z)
               : z00 + v * (grid_point(f, c, r + 1).z - z00) + u * (z11 - grid_point(f, c, r + 1).z);
    return p.z <= z + BR_EPS_SOLID * w->m.size;
}

// Takes what was found since `from` back where A is beneath the surface's plane but not in the solid.
static void keep_solid(field_work *w, int from) {
    int kept = from < w->m.count ? from : w->m.count;
    for (int k = kept; k < w->m.count; ++k)
        if (w->m.point[k].gap >= 0.0 || is_solid(w, w->m.point[k].point)) w->m.point[kept++] = w->m.point[k];
    w->m.count = kept;
}

// --- faces ---------------------------------------------------------------------------------------------------------

// Triangle `half` of a cell: 0 holds (column + 1, row), 1 holds (column, row + 1).
typedef struct field_triangle {
    br_vec3 p[3];
    br_vec3 n;
} field_triangle;

static field_triangle triangle_of(const br_field *f, int column, int row, int half) {
    field_triangle t;
    t.p[0] = grid_point(f, column, row);
    t.p[1] = half ? grid_point(f, column + 1, row + 1) : grid_point(f, column + 1, row);
    t.p[2] = half ? grid_point(f, column, row + 1) : grid_point(f, column + 1, row + 1);
    t.n = br_vec3_normalize(br_vec3_cross(br_vec3_sub(t.p[1], t.p[0]), br_vec3_sub(t.p[2], t.p[0])));
    return t;
}

static int is_over_triangle(const br_field *f, br_vec3 foot, int column, int row, int half) {
    const double x = foot.x / f->spacing_x - column, y = foot.y / f->spacing_y - row, eps = BR_EPS_OVER_CELL;
    return half ? x >= -eps && y <= 1.0 + eps && y >= x - eps : x <= 1.0 + eps && y >= -eps && x >= y - eps;
}

typedef struct face_place {
    int column, row, half;
} face_place;

static void face_point(field_work *w, const field_triangle *t, face_place at, br_vec3 p, uint32_t id) {
    const double height = br_vec3_dot(t->n, br_vec3_sub(p, t->p[0]));
    if (!(height - w->m.offset <= w->m.margin)) return;
    const br_vec3 foot = br_vec3_add_scaled(p, -height, t->n);
    if (!is_over_triangle(w->field, foot, at.column, at.row, at.half)) return;
    if (height < w->m.offset && !is_solid(w, br_vec3_add_scaled(p, -w->m.lift, t->n))) return;
    br_manifold_add(&w->m, p, height - w->m.offset, br_feature_of(1, id, 0));
}

static void meet_triangle(field_work *w, face_place at) {
    const field_triangle t = triangle_of(w->field, at.column, at.row, at.half);
    const br_core *core = &w->core[0];
    const br_vec3 down = br_vec3_neg(t.n), nearest = br_core_support(core, down).p;
    if (!(br_vec3_dot(t.n, br_vec3_sub(nearest, t.p[0])) - w->m.offset <= w->m.margin)) return;
    w->m.n = t.n;
    const br_shape_kind *kind = br_kind_of(core->g);
    if (kind->corners) { // all of them, of a capsule both ends, as on a plane
        for (int k = 0; k < kind->corners(core->g); ++k)
            face_point(w, &t, at, br_core_out(core, kind->corner(core->g, k)), (uint32_t)k);
    } else {
        br_face part;
        br_face_of_core(core, down, 1, &part);
        if (part.kind == BR_FACE_CIRCLE) br_face_place_rim(core, t.n, &part);
        for (int k = 0; k < part.count; ++k) face_point(w, &t, at, part.point[k], part.id[k]);
    }
}

// --- ridges --------------------------------------------------------------------------------------------------------

typedef struct field_ridge {
    br_vec3 p[2];
    uint32_t id[2];
    br_vec3 n, t; // normal on one side, and the direction across the ridge away from that side
    double arc;   // rad, to the normal on the other side
} field_ridge;

static br_vec3 arc_normal(const field_ridge *r, double theta) {
    return br_vec3_add_scaled(br_vec3_scale(br_cos(theta), r->n), br_sin(theta), r->t);
}

// n'(theta).(a - e): which side of the ridge a point is on.
static double side_of(const field_ridge *r, double theta, br_vec3 a) {
    const br_vec3 turn = br_vec3_add_scaled(br_vec3_scale(-br_sin(theta), r->n), br_cos(theta), r->t);
    return br_vec3_dot(turn, br_vec3_sub(a, r->p[0]));
}

static double arc_side(const field_work *w, const field_ridge *r, double theta, br_core_point *a) {
    *a = br_core_support(&w->core[0], br_vec3_neg(arc_normal(r, theta)));
    return side_of(r, theta, a->p);
}

// The angle at which corners a and b are equally near, if none is nearer and they are on different sides.
static int even_angle(const field_work *w, const field_ridge *r, const br_core_point *a,
                      const br_core_point *b, double *theta) {
    if (a->vertex < 0 || b->vertex < 0 || a->vertex == b->vertex) return 0;
    const br_vec3 d = br_vec3_sub(b->p, a->p); // n.d = 0
    double angle = br_atan2(-br_vec3_dot(d, r->n), br_vec3_dot(d, r->t));
    if (fabs(angle) > 0.5 * BR_PI) angle -= copysign(BR_PI, angle);
    const br_core_point s = br_core_support(&w->core[0], br_vec3_neg(arc_normal(r, angle)));
    if (s.vertex != a->vertex && s.vertex != b->vertex) return 0;
    if (!(side_of(r, angle, a->p) >= 0.0 && side_of(r, angle, b->p) <= 0.0)) return 0;
    *theta = angle;
    return 1;
}

// The angle where the side changes, by regula falsi and bisection; between two corners of A it jumps. 0: none.
static int best_angle(const field_work *w, const field_ridge *r, double *theta) {
    double low = -BR_ARC_PLAY, high = r->arc + BR_ARC_PLAY;
    br_core_point a, b, c;
    double g_low = arc_side(w, r, low, &a), g_high = arc_side(w, r, high, &b);
    if (!(g_low > 0.0 && g_high < 0.0)) return 0;
    for (int k = 0; k < BR_MAX_ARC_STEPS && high - low > BR_EPS_ARC; ++k) {
        double middle;
        if (even_angle(w, r, &a, &b, &middle)) {
            low = high = middle;
            break;
        }
        middle = k % 3 == 2 ? 0.5 * (low + high) : low + (high - low) * g_low / (g_low - g_high);
        const double g = arc_side(w, r, middle, &c);
        if (!(middle > low && middle < high) || g == 0.0) {
            low = high = middle;
            break;
        }
        if (g > 0.0)
            low = middle, g_low = g, a = c, g_high *= 0.5;
        else
            high = middle, g_high = g, b = c, g_low *= 0.5;
    }
    *theta = fmax(0.0, fmin(r->arc, 0.5 * (low + high)));
    return 1;
}

// A single point of A at the ridge: it must really be there, unless it is a face's business.
static void ridge_point(field_work *w, const field_ridge *r, br_vec3 p, double length, uint32_t id) {
    const br_vec3 d = br_vec3_sub(p, r->p[0]),
                  along = br_vec3_scale(1.0 / length, br_vec3_sub(r->p[1], r->p[0]));
    const double t = br_vec3_dot(d, along), height = br_vec3_dot(d, w->m.n);
    const br_vec3 aside = br_vec3_sub(br_vec3_add_scaled(d, -t, along), br_vec3_scale(height, w->m.n));
    if (br_vec3_norm(aside) > BR_EPS_ON_RIDGE * w->m.size || t < 0.0 || t > length) return;
    br_manifold_add(&w->m, p, height - w->m.offset, br_feature_of(1, id, 0));
}

static void meet_ridge(field_work *w, const field_ridge *r) {
    double theta;
    const br_core *core = &w->core[0];
    if (!best_angle(w, r, &theta)) return;
    w->m.n = arc_normal(r, theta);
    const br_vec3 down = br_vec3_neg(w->m.n);
    const double gap = br_vec3_dot(w->m.n, br_vec3_sub(br_core_support(core, down).p, r->p[0])) - w->m.offset;
    if (!(gap <= w->m.margin)) return;
    br_vec3 normal;
    const int flat =
        br_core_face_normal(core, down, &normal, NULL) && br_vec3_dot(normal, down) > BR_FACING_COSINE;
    br_face part,
        edge = {BR_FACE_SEGMENT, 2, {r->p[0], r->p[1]}, {r->id[0], r->id[1]}, w->m.n, r->p[0], 0.0, 0};
    br_face_of_core(core, down, flat, &part);
    const int before = w->m.count;
    if (part.kind == BR_FACE_POINT)
        ridge_point(w, r, part.point[0], br_vec3_distance(r->p[0], r->p[1]), part.id[0]);
    else
        br_manifold_intersect(&w->m, &part, &edge, gap);
    keep_solid(w, before);
}

// The ridge from grid point (c, r) to (c2, r2); `left` and `right` are the third corners of its triangles, one of which
// may be off the grid: then it is the field's border.
static void visit_edge(field_work *w, const int at[2][2], const int left[2], const int right[2]) {
    const br_field *f = w->field;
    const int has[2] = {on_grid(f, left[0], left[1]), on_grid(f, right[0], right[1])};
    if (!has[0] && !has[1]) return;
    const int *first = has[0] ? left : right, *second = has[0] ? right : left;
    field_ridge r;
    r.p[0] = grid_point(f, at[0][0], at[0][1]);
    r.p[1] = grid_point(f, at[1][0], at[1][1]);
    if (fmax(r.p[0].z, r.p[1].z) < w->box.low.z) return;
    for (int k = 0; k < 2; ++k) r.id[k] = (uint32_t)(at[k][1] * f->columns + at[k][0]);
    const br_vec3 along = br_vec3_normalize(br_vec3_sub(r.p[1], r.p[0]));
    const br_vec3 d = br_vec3_sub(grid_point(f, first[0], first[1]), r.p[0]);
    r.n = br_vec3_normalize(br_vec3_cross(along, d));
    if (r.n.z < 0.0) r.n = br_vec3_neg(r.n);
    r.t = br_vec3_cross(along, r.n);
    if (br_vec3_dot(r.t, d) > 0.0) r.t = br_vec3_neg(r.t);
    r.arc = 0.5 * BR_PI;
    if (has[0] && has[1]) {
        const br_vec3 e = br_vec3_sub(grid_point(f, second[0], second[1]), r.p[0]);
        r.arc = br_atan2(-br_vec3_dot(e, r.n), br_vec3_dot(e, r.t)); // how far the other side falls away
    }
    if (r.arc > BR_EPS_RIDGE) meet_ridge(w, &r);
}

static void visit_edges(field_work *w, int c, int r) {
    const int along_x[2][2] = {{c, r}, {c + 1, r}}, along_y[2][2] = {{c, r}, {c, r + 1}};
    const int across[2][2] = {{c, r}, {c + 1, r + 1}};
    const int nx = w->field->columns, ny = w->field->rows;
    const int ne[2] = {c + 1, r + 1}, s[2] = {c, r - 1}, west[2] = {c - 1, r}, e[2] = {c + 1, r},
              n[2] = {c, r + 1};
    if (c + 1 < nx) visit_edge(w, along_x, ne, s);
    if (r + 1 < ny) visit_edge(w, along_y, ne, west);
    if (c + 1 < nx && r + 1 < ny) visit_edge(w, across, e, n);
}

// --- peaks ---------------------------------------------------------------------------------------------------------

static const int neighbour[6][2] = {{1, 0},  {0, 1},  {1, 1},
                                    {-1, 0}, {0, -1}, {-1, -1}}; // k and k + 3 are opposite

// Above the middle of every pair of opposite neighbours.
static int is_peak(const br_field *f, int c, int r, double eps) {
    const double h = grid_point(f, c, r).z;
    for (int k = 0; k < 3; ++k) {
        const int *u = neighbour[k], *v = neighbour[k + 3];
        if (!on_grid(f, c + u[0], r + u[1]) || !on_grid(f, c + v[0], r + v[1]))
            continue; // falls off at the border
        if (!(h - 0.5 * (grid_point(f, c + u[0], r + u[1]).z + grid_point(f, c + v[0], r + v[1]).z) > eps))
            return 0;
    }
    return 1;
}

static int is_above_all(const br_field *f, int c, int r, br_vec3 n, double eps) {
    const br_vec3 p = grid_point(f, c, r);
    for (int k = 0; k < 6; ++k) {
        const int *u = neighbour[k];
        if (!on_grid(f, c + u[0], r + u[1])) continue;
        if (br_vec3_dot(n, br_vec3_sub(grid_point(f, c + u[0], r + u[1]), p)) > eps) return 0;
    }
    return 1;
}

static void visit_peak(field_work *w, int c, int r) {
    const br_field *f = w->field;
    const br_vec3 p = grid_point(f, c, r);
    const double eps = BR_EPS_BELOW * fmin(f->spacing_x, f->spacing_y);
    const br_aabb *b = &w->box;
    if (p.x < b->low.x || p.x > b->high.x || p.y < b->low.y || p.y > b->high.y || p.z < b->low.z ||
        p.z > b->high.z)
        return;
    if (!is_peak(f, c, r, eps)) return;
    br_axis axis;
    w->core[1].p = p;
    if (!br_axis_find(w->core, w->m.margin + w->m.offset, &axis)) return;
    if (!(axis.n.z > 0.0) || !is_above_all(f, c, r, axis.n, eps)) return;
    w->m.n = axis.n;
    br_manifold_add(&w->m, br_vec3_add_scaled(p, axis.sep, axis.n), axis.sep - w->m.offset,
                    br_feature_of(2, (uint32_t)(r * f->columns + c), 0));
}

// --- all -----------------------------------------------------------------------------------------------------------

static int grid_index(double x, double spacing, int least, int most) {
    const double k = floor(x / spacing);
    return k <= least ? least : k >= most ? most : (int)k;
}

static void visit_cells(field_work *w) {
    const br_field *f = w->field;
    const int c0 = grid_index(w->box.low.x, f->spacing_x, 0, f->columns - 1);
    const int c1 = grid_index(w->box.high.x, f->spacing_x, 0, f->columns - 1);
    const int r0 = grid_index(w->box.low.y, f->spacing_y, 0, f->rows - 1);
    const int r1 = grid_index(w->box.high.y, f->spacing_y, 0, f->rows - 1);
    for (int r = r0; r <= r1; ++r)
        for (int c = c0; c <= c1 && c + 1 < f->columns && r + 1 < f->rows; ++c) {
            const double z0 = grid_point(f, c, r).z, z1 = grid_point(f, c + 1, r).z;
            const double z2 = grid_point(f, c, r + 1).z, z3 = grid_point(f, c + 1, r + 1).z;
            if (fmax(fmax(z0, z1), fmax(z2, z3)) < w->box.low.z) continue;
            const face_place lower = {c, r, 0}, upper = {c, r, 1};
            meet_triangle(w, lower);
            meet_triangle(w, upper);
        }
    for (int r = r0; r <= r1 + 1 && r < f->rows; ++r)
        for (int c = c0; c <= c1 + 1 && c < f->columns; ++c) {
            visit_edges(w, c, r);
            visit_peak(w, c, r);
        }
}

int br_pair_convex_field(const br_geometry *a, const br_placement *X_A, const br_geometry *b,
                         const br_placement *X_B, double margin, br_contact_point *out) {
    const br_field *f = b->field;
    const br_placement X_BA = {br_mat3_tmul(X_B->R, X_A->R), br_place_in(X_B, X_A->p)};
    field_work w;
    w.field = f;
    w.box = br_geometry_bounds(a, &X_BA);
    const br_vec3 grow = br_vec3_of(margin, margin, margin);
    w.box.low = br_vec3_sub(w.box.low, grow), w.box.high = br_vec3_add(w.box.high, grow);
    if (w.box.low.z > f->highest || w.box.high.x < 0.0 || w.box.high.y < 0.0 ||
        w.box.low.x > f->spacing_x * (f->columns - 1) || w.box.low.y > f->spacing_y * (f->rows - 1))
        return 0;

    const br_placement home = {br_mat3_identity(), br_vec3_zero()};
    w.dot = *a;
    w.dot.type = BR_SHAPE_SPHERE;
    w.dot.radius = 0.0;
    w.dot.size = 0.0;
    w.dot.centre = br_vec3_zero();
    br_core_pair(&w.dot, &home, a, &X_BA, w.core);
    const br_core shape = w.core[1];
    w.core[1] = w.core[0], w.core[0] = shape;
    w.core[1].at_home = 0;

    br_contact_point found[BR_MAX_CANDIDATES];
    const double size = fmin(a->size, b->size);
    const br_manifold empty = {
        br_vec3_unit(2), margin, size, BR_EPS_OVER * size, shape.radius, shape.radius, 1, 0, found};
    w.m = empty;
    visit_cells(&w);
    const int count = br_manifold_reduce(found, w.m.count, BR_MAX_MANIFOLD, margin < INFINITY ? size : 0.0);
    for (int k = 0; k < count; ++k)
        br_emit(out, k, br_place_out(X_B, found[k].point), br_mat3_mul_vec(X_B->R, found[k].normal),
                found[k].gap, found[k].feature);
    return count;
}
