// A string around a circle. With r the radius, a point p outside has two tangents, which touch at
//
//     t = (r^2 p +- r sqrt(p^2 - r^2) p') / p^2,     p' = (p_y, -p_x)
//
// The string comes from a along one of them, follows the circle and goes on to b along the tangent of the other sign. Which of the
// two ways it takes, and when it takes none, is as in MuJoCo, whose models are read. On a sphere the circle is in the
// plane of the centre and both ends; on a cylinder the unrolled string is straight, so height grows evenly with length.
#include "tree/wrap.h"

#include "math/elementary.h"

#define BR_EPS_WRAP 1e-15 // m, and of sines: a direction that is nothing but rounding
#define BR_MAX_WRAP_STEPS 64

typedef struct plane_point {
    double x, y;
} plane_point;

static double dot2(plane_point a, plane_point b) {
    return a.x * b.x + a.y * b.y;
}

static double cross2(plane_point a, plane_point b) {
    return a.x * b.y - a.y * b.x;
}

static plane_point minus2(plane_point a, plane_point b) {
    return (plane_point){a.x - b.x, a.y - b.y};
}

static plane_point unit2(plane_point a) {
    const double size = sqrt(dot2(a, a));
    return size > BR_EPS_WRAP ? (plane_point){a.x / size, a.y / size} : (plane_point){1.0, 0.0};
}

// Whether the stretches a-b and c-d cross.
static int stretches_cross(plane_point a, plane_point b, plane_point c, plane_point d) {
    const plane_point u = minus2(b, a), v = minus2(d, c), w = minus2(a, c);
    const double det = -cross2(u, v);
    if (fabs(det) < BR_EPS_WRAP) return 0;
    const double along = cross2(v, w) / -det, other = cross2(u, w) / -det;
    return along >= 0.0 && along <= 1.0 && other >= 0.0 && other <= 1.0;
}

// The point of the stretch a-b that is nearest to the origin.
static plane_point nearest_of_stretch(plane_point a, plane_point b) {
    const plane_point d = minus2(b, a);
    const double t = fmax(0.0, fmin(1.0, -dot2(d, a) / dot2(d, d)));
    return (plane_point){a.x + t * d.x, a.y + t * d.y};
}

static plane_point tangent_point(plane_point p, double radius, double sign) {
    const double square = dot2(p, p), along = radius * radius / square;
    const double across = sign * radius * sqrt(square - radius * radius) / square;
    return (plane_point){along * p.x + across * p.y, along * p.y - across * p.x};
}

typedef struct plane_wrap {
    br_wrap_way way;
    plane_point meet, leave;
    double arc;
} plane_wrap;

static plane_wrap wrap_outside(plane_point a, plane_point b, const plane_point *side, double radius) {
    plane_wrap best = {BR_WRAP_NONE, {0.0, 0.0}, {0.0, 0.0}, 0.0};
    const double square = radius * radius;
    const plane_point apart = minus2(b, a);
    if (dot2(a, a) < square || dot2(b, b) < square || radius < BR_EPS_WRAP ||
        dot2(apart, apart) < BR_EPS_WRAP)
        return best;
    const plane_point near = nearest_of_stretch(a, b);
    if (dot2(near, near) > square && (!side || dot2(*side, near) >= 0.0)) return best;
    double good = 0.0;
    int crossed = 0;
    for (int k = 0; k < 2; k++) {
        const double sign = k ? -1.0 : 1.0;
        const plane_point meet = tangent_point(a, radius, sign), leave = tangent_point(b, radius, -sign);
        const plane_point sum = {meet.x + leave.x, meet.y + leave.y}, way = minus2(meet, leave);
        const int crosses = stretches_cross(a, meet, b, leave);
        const double value = crosses ? -1e4 : side ? dot2(unit2(sum), *side) : -dot2(way, way);
        if (k == 1 && good > value) continue;
        const double turned = br_atan2((k ? 1.0 : -1.0) * cross2(meet, leave), dot2(meet, leave));
        good = value, crossed = crosses;
        best = (plane_wrap){k ? BR_WRAP_COUNTER : BR_WRAP_CLOCKWISE, meet, leave,
                            radius * (turned < 0.0 ? turned + 2.0 * BR_PI : turned)};
    }
    if (crossed) best.way = BR_WRAP_NONE;
    return best;
}

// Touches the inside of the circle where both stretches have the same angle z to the radius, as a ray of light:
// asin(A sin z) + asin(B sin z) - 2 z + G = 0 with A, B = radius/|a|, radius/|b| and G the angle between a and b. The left side
// falls from G to below 0 over z = 0 .. pi/2, so that Newton's method between bounds finds the one zero.
static double angle_inside(double A, double B, double G) {
    double low = 0.0, high = 0.5 * BR_PI, z = high;
    for (int k = 0; k < BR_MAX_WRAP_STEPS && high - low > 1e-16; k++) {
        const double s = br_sin(z), c = br_cos(z);
        const double f = br_asin(A * s) + br_asin(B * s) - 2.0 * z + G;
        const double slope = A * c / sqrt(1.0 - A * A * s * s) + B * c / sqrt(1.0 - B * B * s * s) - 2.0;
        if (f > 0.0)
            low = z;
        else
            high = z;
        const double next = z - f / slope;
        if (next == z) break;
        z = next > low && next < high ? next : 0.5 * (low + high);
    }
    return z;
}

static plane_wrap wrap_inside(plane_point a, plane_point b, double radius) {
    plane_wrap w = {BR_WRAP_NONE, {0.0, 0.0}, {0.0, 0.0}, 0.0};
    const double la = sqrt(dot2(a, a)), lb = sqrt(dot2(b, b));
    const plane_point apart = minus2(b, a);
    if (la <= radius || lb <= radius || radius < BR_EPS_WRAP) return w;
    if (dot2(apart, apart) > BR_EPS_WRAP) {
        const plane_point near = nearest_of_stretch(a, b);
        if (dot2(near, near) <= radius * radius) return w;
    }
    const double G = br_atan2(fabs(cross2(a, b)), dot2(a, b));
    const double A = radius / la, B = radius / lb;
    plane_point at = unit2((plane_point){a.x + b.x, a.y + b.y});
    if (G > 0.0 && br_asin(A) + br_asin(B) - BR_PI + G < 0.0) {
        const double z = angle_inside(A, B, G);
        const int from_a = cross2(a, b) > 0.0;
        const plane_point u = unit2(from_a ? a : b);
        const double turn = z - br_asin((from_a ? A : B) * br_sin(z)), c = br_cos(turn), s = br_sin(turn);
        at = (plane_point){c * u.x - s * u.y, s * u.x + c * u.y};
    }
    w.way = BR_WRAP_INSIDE;
    w.meet = w.leave = (plane_point){radius * at.x, radius * at.y};
    return w;
}

// The plane through the origin and both ends: its axes, the first towards a.
static void plane_of_ends(br_vec3 a, br_vec3 b, br_vec3 axis[2]) {
    axis[0] = br_vec3_normalize(a);
    br_vec3 normal = br_vec3_cross(a, b);
    if (br_vec3_norm(normal) < BR_EPS_WRAP) { // any plane that has both
        int i = fabs(axis[0].y) > fabs(axis[0].x) && fabs(axis[0].y) > fabs(axis[0].z) ? 1 : 0;
        if (fabs(axis[0].z) > fabs(axis[0].x) && fabs(axis[0].z) > fabs(axis[0].y)) i = 2;
        const br_vec3 others = br_vec3_sub(br_vec3_of(1.0, 1.0, 1.0), br_vec3_unit(i));
        normal = br_vec3_cross(axis[0], others);
    }
    axis[1] = br_vec3_normalize(br_vec3_cross(br_vec3_normalize(normal), axis[0]));
}

static plane_point to_plane(br_vec3 p, const br_vec3 axis[2]) {
    return (plane_point){br_vec3_dot(p, axis[0]), br_vec3_dot(p, axis[1])};
}

static br_vec3 from_plane(plane_point p, const br_vec3 axis[2]) {
    return br_vec3_add(br_vec3_scale(p.x, axis[0]), br_vec3_scale(p.y, axis[1]));
}

static void add_height(br_wrap *out, const plane_wrap *w, plane_point p, plane_point q, double from,
                       double to) {
    const plane_point first = minus2(p, w->meet), second = minus2(q, w->leave);
    const double before = sqrt(dot2(first, first)), after = sqrt(dot2(second, second));
    const double whole = before + w->arc + after, rise = to - from;
    out->meet.z = from + rise * before / whole;
    out->leave.z = from + rise * (before + w->arc) / whole;
    const double height = out->leave.z - out->meet.z;
    out->arc = sqrt(w->arc * w->arc + height * height);
}

br_wrap br_wrap_round(br_vec3 a, br_vec3 b, double radius, int cylinder, const br_vec3 *side) {
    br_wrap out = {BR_WRAP_NONE, br_vec3_zero(), br_vec3_zero(), 0.0};
    if (br_vec3_norm(a) < BR_EPS_WRAP || br_vec3_norm(b) < BR_EPS_WRAP) return out;
    br_vec3 axis[2] = {br_vec3_unit(0), br_vec3_unit(1)};
    if (!cylinder) plane_of_ends(a, b, axis);
    const plane_point p = to_plane(a, axis), q = to_plane(b, axis);
    plane_wrap w;
    if (side && br_vec3_norm(*side) < radius) {
        w = wrap_inside(p, q, radius);
    } else {
        plane_point towards = {0.0, 0.0};
        if (side) towards = unit2(to_plane(*side, axis));
        w = wrap_outside(p, q, side ? &towards : NULL, radius);
    }
    if (w.way == BR_WRAP_NONE) return out;
    out = (br_wrap){w.way, from_plane(w.meet, axis), from_plane(w.leave, axis), w.arc};
    if (cylinder) add_height(&out, &w, p, q, a.z, b.z);
    return out;
}
