// Lines of beams: polygon, arc, spline, and the sections along them.
//
// Arc through p_1, p_2, p_3, with a = p_2 - p_1, b = p_3 - p_1:
//     tangent at p_1    along a/|a|^2 - b/|b|^2 (the circle is a straight line for an inversion at p_1)
//     angle             twice that from the tangent to b
// A section's axes are carried along a spline by double reflection [Wang, Juttler, Zheng & Liu 2008].
#include "flex/line.h"

#include "flex/spline.h"
#include "math/elementary.h"

// Stations of a corner and of who asks for it may differ by rounding.
#define STATION_ROUNDING 1e-12
// Sine of the angle below which a line counts as along z.
#define ALONG 1e-6

// Steps of double reflection in a piece of a spline. Their error, of fourth order, turns the section a little about the
// line (1e-8 for a radian); nothing depends on that turn but what is called y and z.
enum { CARRY_STEPS = 32 };

// --- arcs --------------------------------------------------------------------------------------------------

typedef struct arc {
    br_vec3 start, tangent, inward; // unit, across each other
    double length, angle;
} arc;

static arc arc_of(const br_vec3 p[3]) {
    const br_vec3 a = br_vec3_sub(p[1], p[0]), b = br_vec3_sub(p[2], p[0]);
    const double aa = br_vec3_norm_squared(a), bb = br_vec3_norm_squared(b);
    arc c;
    c.start = p[0];
    c.tangent = br_vec3_normalize(br_vec3_sub(br_vec3_scale(1.0 / aa, a), br_vec3_scale(1.0 / bb, b)));
    const double along = br_vec3_dot(b, c.tangent);
    const br_vec3 across = br_vec3_add_scaled(b, -along, c.tangent);
    const double half = br_atan2(br_vec3_norm(across), along);
    c.inward = br_vec3_normalize(across);
    c.angle = 2.0 * half;
    c.length = half > 0.0 ? sqrt(bb) * half / br_sin(half) : sqrt(bb);
    return c;
}

static br_vec3 arc_point(const arc *c, double station) {
    const double x = station * c->angle, s = station * c->length, half = br_sin(0.5 * x);
    const double sine = x > 0.0 ? br_sin(x) / x : 1.0, cosine = x > 0.0 ? 2.0 * half * half / x : 0.0;
    return br_vec3_add_scaled(br_vec3_add_scaled(c->start, s * sine, c->tangent), s * cosine, c->inward);
}

static br_vec3 arc_tangent(const arc *c, double station) {
    const double x = station * c->angle;
    return br_vec3_add_scaled(br_vec3_scale(br_cos(x), c->tangent), br_sin(x), c->inward);
}

// --- lengths -----------------------------------------------------------------------------------------------

static double piece_length(const br_beam_def *def, int k) {
    if (def->line == BR_LINE_POLYGON) return br_vec3_distance(def->points[k], def->points[k + 1]);
    const br_spline_piece s = br_spline_piece_of(def->points, def->point_count, k);
    return br_spline_length(&s, 0.0, s.chord);
}

double br_line_length(const br_beam_def *def) {
    if (def->line == BR_LINE_ARC) return arc_of(def->points).length;
    double sum = 0.0;
    for (int k = 0; k + 1 < def->point_count; ++k) sum += piece_length(def, k);
    return sum;
}

int br_line_corners(const br_beam_def *def, double *station, int capacity) {
    if (def->line != BR_LINE_POLYGON || def->point_count < 3) return 0;
    const double length = br_line_length(def);
    double sum = 0.0;
    for (int k = 1; k + 1 < def->point_count; ++k) {
        sum += piece_length(def, k - 1);
        if (k <= capacity) station[k - 1] = sum / length;
    }
    return def->point_count - 2;
}

// The piece that holds a station, and how far into it, m. At a corner: by the side.
static int find_piece(const br_beam_def *def, double station, int side, double *into) {
    const double length = br_line_length(def);
    double sum = 0.0;
    for (int k = 0;; ++k) {
        const double piece = piece_length(def, k), corner = (sum + piece) / length;
        const int at_corner = fabs(station - corner) <= STATION_ROUNDING;
        if (k + 2 == def->point_count || (at_corner ? side < 0 : station < corner)) {
            *into = at_corner ? piece : fmin(fmax(station * length - sum, 0.0), piece);
            return k;
        }
        sum += piece;
        if (at_corner) {
            *into = 0.0;
            return k + 1;
        }
    }
}

// --- axes --------------------------------------------------------------------------------------------------

// World z, or x for lines along z.
static br_vec3 default_up(br_vec3 x) {
    return br_hypot(x.x, x.y) <= ALONG ? br_vec3_unit(0) : br_vec3_unit(2);
}

static int has_up(const br_beam_def *def) {
    return br_vec3_max_abs(def->up) > 0.0;
}

// x along the line, z towards `up`, both turned about x by the twist.
static br_pose section_of(br_vec3 point, br_vec3 tangent, br_vec3 up, double twist) {
    const br_vec3 x = br_vec3_normalize(tangent);
    br_vec3 y = br_vec3_cross(up, x);
    if (br_vec3_norm(y) == 0.0)
        y = br_vec3_cross(default_up(x), x); // up along the line: validation refuses it
    y = br_vec3_normalize(y);
    const br_mat3 A = br_mat3_of_columns(x, y, br_vec3_cross(x, y));
    const br_quat turn = br_quat_of(br_cos(0.5 * twist), br_sin(0.5 * twist), 0.0, 0.0);
    return br_pose_of(br_quat_normalize(br_quat_mul(br_quat_from_mat3(A), turn)), point);
}

// v after the reflections that take x to x_next and the tangent to t_next.
static br_vec3 reflect_twice(br_vec3 v, br_vec3 t, br_vec3 step, br_vec3 t_next) {
    const double c = br_vec3_norm_squared(step);
    const br_vec3 v_half = br_vec3_add_scaled(v, -2.0 * br_vec3_dot(step, v) / c, step);
    const br_vec3 t_half = br_vec3_add_scaled(t, -2.0 * br_vec3_dot(step, t) / c, step);
    const br_vec3 w = br_vec3_sub(t_next, t_half);
    const double d = br_vec3_norm_squared(w);
    return d > 0.0 ? br_vec3_add_scaled(v_half, -2.0 * br_vec3_dot(w, v_half) / d, w) : v_half;
}

// Carries `up`, across the line, along a piece from its start.
static br_vec3 carry(const br_spline_piece *s, double to, br_vec3 up) {
    br_vec3 x = s->point[0], t = br_vec3_normalize(br_spline_slope(s, 0.0));
    for (int i = 1; i <= CARRY_STEPS && to > 0.0; ++i) {
        const double at = to * i / CARRY_STEPS;
        const br_vec3 x_next = br_spline_point(s, at), t_next = br_vec3_normalize(br_spline_slope(s, at));
        up = reflect_twice(up, t, br_vec3_sub(x_next, x), t_next);
        x = x_next;
        t = t_next;
    }
    return up;
}

static br_vec3 spline_up(const br_beam_def *def, int piece, double at) {
    if (has_up(def)) return def->up;
    br_vec3 up = br_vec3_zero();
    for (int k = 0; k <= piece; ++k) {
        const br_spline_piece s = br_spline_piece_of(def->points, def->point_count, k);
        if (k == 0) {
            const br_vec3 t = br_vec3_normalize(br_spline_slope(&s, 0.0)), z = default_up(t);
            up = br_vec3_normalize(br_vec3_add_scaled(z, -br_vec3_dot(z, t), t));
        }
        up = carry(&s, k < piece ? s.chord : at, up);
    }
    return up;
}

// A plane curve carries its axes by turning them with the tangent.
static br_vec3 arc_up(const br_beam_def *def, const arc *c, double station) {
    if (has_up(def)) return def->up;
    const br_vec3 z = default_up(c->tangent);
    const br_vec3 up = br_vec3_add_scaled(z, -br_vec3_dot(z, c->tangent), c->tangent);
    const br_vec3 normal = br_vec3_cross(c->tangent, c->inward);
    return br_quat_rotate(br_quat_exp(br_vec3_scale(station * c->angle, normal)), up);
}

br_pose br_line_section(const br_beam_def *def, double station, int side) {
    const double twist = station * def->twist;
    if (def->line == BR_LINE_ARC) {
        const arc c = arc_of(def->points);
        return section_of(arc_point(&c, station), arc_tangent(&c, station), arc_up(def, &c, station), twist);
    }
    double into;
    const int k = find_piece(def, station, side, &into);
    if (def->line == BR_LINE_SPLINE) {
        const br_spline_piece s = br_spline_piece_of(def->points, def->point_count, k);
        const double at = br_spline_locate(&s, into);
        return section_of(br_spline_point(&s, at), br_spline_slope(&s, at), spline_up(def, k, at), twist);
    }
    const br_vec3 along = br_vec3_sub(def->points[k + 1], def->points[k]), x = br_vec3_normalize(along);
    const double piece = br_vec3_norm(along);
    const br_vec3 point = into < piece ? br_vec3_add_scaled(def->points[k], into, x) : def->points[k + 1];
    return section_of(point, x, has_up(def) ? def->up : default_up(x), twist);
}
