// Two faces of two boxes over one another: the corners of their overlap.
//
// In the frame (x, y in the reference face, z its height) the reference face is the rectangle |x| <= h_x, |y| <= h_y
// and the other face a parallelogram. The corners of their overlap are of three families: corners of the other face over
// the rectangle, corners of the rectangle under the parallelogram, edges of one crossing edges of the other. Each point
// has its gap along the reference normal.
//
// Boxes that are flush, as in a tower, have all three families in one place, and rounding must not choose among them:
// within BR_EPS_FLUSH a corner of the other face counts as over the rectangle, and what falls together with it is left
// out.
#include "collide/pair_box.h"

// Relative to the size of the pair.
#define BR_EPS_FLUSH 1e-6
#define BR_NEAR_CORNER 4.0 // times the above: a crossing this close to a corner is the corner

typedef struct overlap {
    const br_box_pair *pair;
    int k, i, j; // reference axes: normal, x, y
    double sign; // side of the reference face
    int m, p, q; // other box's axes: normal, along its edges
    int side;    // 1: the upper face of the other box along m
    double h_x, h_y, tol;
    double x[4], y[4], z[4]; // corners of the other face, going round; z: the gap
    double margin, least;
    br_contact_point *out;
    int count;
} overlap;

static const int round_p[4] = {0, 1, 1, 0}, round_q[4] = {0, 0, 1, 1}; // sides of the corners, going round

static void box_face_keep(overlap *o, double x, double y, double gap, uint32_t feature) {
    if (gap < o->least) o->least = gap;
    if (!(gap <= o->margin) || o->count == BR_MAX_MANIFOLD) return;
    const br_mat3 *R = &o->pair->X->R;
    const br_vec3 up = br_vec3_scale(o->sign, br_mat3_column(*R, o->k));
    // The other box's surface is at h_k + gap; A's point is there or, when A is the reference, on its face.
    const double height = o->pair->h[o->k] + (o->pair->flipped ? gap : 0.0);
    br_vec3 r = br_vec3_scale(x, br_mat3_column(*R, o->i));
    r = br_vec3_add_scaled(r, y, br_mat3_column(*R, o->j));
    r = br_vec3_add_scaled(r, height, up);
    const br_vec3 normal = o->pair->flipped ? up : br_vec3_neg(up);
    o->count = br_emit(o->out, o->count, br_vec3_add(o->pair->X->p, r), normal, gap, feature);
}

static void other_face(overlap *o) {
    const br_box_pair *b = o->pair;
    o->m = 0;
    for (int m = 1; m < 3; m++)
        if (fabs(b->C[o->k][m]) > (1.0 + BR_EPS_FLUSH) * fabs(b->C[o->k][o->m])) o->m = m;
    o->p = (o->m + 1) % 3;
    o->q = (o->m + 2) % 3;
    o->side = o->sign * b->C[o->k][o->m] < 0.0;
    const double g_m = o->side ? b->g[o->m] : -b->g[o->m];
    double centre[3], along_p[3], along_q[3];
    for (int r = 0; r < 3; r++) {
        centre[r] = b->d[r] + b->C[r][o->m] * g_m;
        along_p[r] = b->C[r][o->p] * b->g[o->p];
        along_q[r] = b->C[r][o->q] * b->g[o->q];
    }
    for (int c = 0; c < 4; c++) {
        double r[3];
        for (int s = 0; s < 3; s++)
            r[s] = centre[s] +
                   ((round_p[c] ? along_p[s] : -along_p[s]) + (round_q[c] ? along_q[s] : -along_q[s]));
        o->x[c] = r[o->i];
        o->y[c] = r[o->j];
        o->z[c] = o->sign * r[o->k] - b->h[o->k];
    }
}

static uint32_t other_corner(const overlap *o, int c) {
    const unsigned number =
        (unsigned)o->side << o->m | (unsigned)round_p[c] << o->p | (unsigned)round_q[c] << o->q;
    return (o->pair->flipped ? BR_BOX_CORNER_A : BR_BOX_CORNER_B) | number;
}

// An edge of a box runs along `axis`; the sides it is on along the two other axes.
static unsigned edge_number(int axis, int other, int up_other, int up_last) {
    return other == (axis + 1) % 3 ? br_box_edge(axis, up_other, up_last)
                                   : br_box_edge(axis, up_last, up_other);
}

static uint32_t crossing(const overlap *o, int c, int rectangle_axis, int up) {
    // The other's edge from corner c to c + 1: along p for c = 0 and 2, along q for 1 and 3.
    const unsigned other = c % 2 == 0 ? edge_number(o->p, o->q, round_q[c], o->side)
                                      : edge_number(o->q, o->p, round_p[c], o->side);
    // The rectangle's edge on the side `up` of rectangle_axis runs along the remaining one.
    const int along = rectangle_axis == o->i ? o->j : o->i;
    const unsigned mine = edge_number(along, rectangle_axis, up, o->sign > 0.0);
    return o->pair->flipped ? br_box_crossing(other, mine) : br_box_crossing(mine, other);
}

typedef struct cut {
    double t;
    int axis, up; // of the rectangle's side; axis -1: the edge's own end
} cut;

// The part of x + t dx within [-h - tol, h + tol]; 0: none.
static int clip(double x, double dx, double h, double tol, int axis, cut *in, cut *out) {
    const double wide = h + tol;
    if (x < -wide && x + dx < -wide) return 0;
    if (x > wide && x + dx > wide) return 0;
    if (fabs(x) > wide) { // comes in from there
        const double t = (copysign(wide, x) - x) / dx;
        if (t > in->t) in->t = t, in->axis = axis, in->up = x > 0.0;
    }
    if (fabs(x + dx) > wide) {
        const double t = (copysign(wide, x + dx) - x) / dx;
        if (t < out->t) out->t = t, out->axis = axis, out->up = x + dx > 0.0;
    }
    return in->t <= out->t;
}

static void keep_cut(overlap *o, int c, double dx, double dy, double dz, cut at, double low, double high) {
    const double h = at.axis == o->i ? o->h_x : o->h_y, from = at.axis == o->i ? o->x[c] : o->y[c];
    const double speed = at.axis == o->i ? dx : dy;
    // On the rectangle's own side, not on the widened one.
    const double t = fmin(fmax(((at.up ? h : -h) - from) / speed, low), high);
    box_face_keep(o, o->x[c] + t * dx, o->y[c] + t * dy, o->z[c] + t * dz, crossing(o, c, at.axis, at.up));
}

static void cut_edge(overlap *o, int c) {
    const int e = (c + 1) % 4;
    const double dx = o->x[e] - o->x[c], dy = o->y[e] - o->y[c], dz = o->z[e] - o->z[c];
    cut in = {0.0, -1, 0}, out = {1.0, -1, 0};
    if (!clip(o->x[c], dx, o->h_x, o->tol, o->i, &in, &out)) return;
    if (!clip(o->y[c], dy, o->h_y, o->tol, o->j, &in, &out)) return;
    const double close = BR_NEAR_CORNER * o->tol, length = sqrt(dx * dx + dy * dy);
    if (in.axis < 0) box_face_keep(o, o->x[c], o->y[c], o->z[c], other_corner(o, c));
    const int from_corner = in.axis < 0, to_corner = out.axis < 0;
    if (!from_corner && (!to_corner || (1.0 - in.t) * length > close))
        keep_cut(o, c, dx, dy, dz, in, in.t, out.t);
    if (!to_corner && (out.t - in.t) * length > close) keep_cut(o, c, dx, dy, dz, out, in.t, out.t);
}

// Corners of the rectangle that are well under the other face, which is there at the height of its plane.
static void own_corners(overlap *o) {
    const br_box_pair *b = o->pair;
    const double slope_x = b->C[o->i][o->m] / b->C[o->k][o->m], slope_y = b->C[o->j][o->m] / b->C[o->k][o->m];
    const double turn = (o->x[1] - o->x[0]) * (o->y[2] - o->y[1]) - (o->y[1] - o->y[0]) * (o->x[2] - o->x[1]);
    const double way = turn < 0.0 ? -1.0 : 1.0;
    for (int c = 0; c < 4; c++) {
        const double x = round_p[c] ? o->h_x : -o->h_x, y = round_q[c] ? o->h_y : -o->h_y;
        int under = 1;
        for (int s = 0; s < 4 && under; s++) {
            const int e = (s + 1) % 4;
            const double dx = o->x[e] - o->x[s], dy = o->y[e] - o->y[s];
            const double side = way * (dx * (y - o->y[s]) - dy * (x - o->x[s]));
            under = side > o->tol * sqrt(dx * dx + dy * dy);
        }
        if (!under) continue;
        const double gap = o->z[0] - o->sign * ((x - o->x[0]) * slope_x + (y - o->y[0]) * slope_y);
        const unsigned number =
            (unsigned)(o->sign > 0.0) << o->k | (unsigned)round_p[c] << o->i | (unsigned)round_q[c] << o->j;
        box_face_keep(o, x, y, gap, (b->flipped ? BR_BOX_CORNER_B : BR_BOX_CORNER_A) | number);
    }
}

int br_box_faces(const br_box_pair *pair, int k, double sign, double margin, br_contact_point *out,
                 double *least) {
    overlap o;
    o.pair = pair;
    o.k = k;
    o.i = (k + 1) % 3;
    o.j = (k + 2) % 3;
    o.sign = sign;
    o.h_x = pair->h[o.i];
    o.h_y = pair->h[o.j];
    o.tol = BR_EPS_FLUSH * pair->size;
    o.margin = margin;
    o.least = INFINITY;
    o.out = out;
    o.count = 0;
    other_face(&o);
    for (int c = 0; c < 4; c++) cut_edge(&o, c);
    own_corners(&o);
    *least = o.least;
    return o.count;
}
