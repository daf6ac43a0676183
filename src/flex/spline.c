// Cubic splines, see spline.h.
//
//     h_{r-1} M_{r-1} + 2 (h_{r-1} + h_r) M_r + h_r M_{r+1} = 6 ((p_{r+1} - p_r)/h_r - (p_r - p_{r-1})/h_{r-1})
//
// for the second derivatives M, h the chords. What a point does falls off at least as 2^-k with the points between, as
// 0.27^k where they are even: a piece needs only the points around it.
#include "flex/spline.h"

enum {
    REACH = 40
}; // points to each side: 0.27^40 = 2e-23, 0.35^40 = 6e-19 where each chord is twice the last

typedef struct row {
    double lower, diagonal, upper;
    br_vec3 right;
} row;

static double chord(const br_vec3 *p, int k) {
    return br_vec3_distance(p[k], p[k + 1]);
}

// Row r of the equations, 1 <= r <= count - 2. The first and last have the end's M put in: it lies on the line through
// the two before it.
static row spline_row_of(const br_vec3 *p, int count, int r) {
    const double a = chord(p, r - 1), b = chord(p, r);
    row q = {a, 2.0 * (a + b), b, {0.0, 0.0, 0.0}};
    if (r == 1) {
        q.lower = 0.0;
        q.diagonal += a + a * a / b;
        q.upper -= a * a / b;
    }
    if (r == count - 2) {
        q.upper = 0.0;
        q.diagonal += b + b * b / a;
        q.lower -= b * b / a;
    }
    if (count == 3) { // one row: M is the same everywhere
        q.lower = q.upper = 0.0;
        q.diagonal = 3.0 * (a + b);
    }
    const br_vec3 after = br_vec3_scale(1.0 / b, br_vec3_sub(p[r + 1], p[r]));
    const br_vec3 before = br_vec3_scale(1.0 / a, br_vec3_sub(p[r], p[r - 1]));
    q.right = br_vec3_scale(6.0, br_vec3_sub(after, before));
    return q;
}

// M at the points `first` to `first` + 2, all of them inner ones where there are so many.
static void solve_near(const br_vec3 *p, int count, int first, br_vec3 M[3]) {
    const int low = first - REACH > 1 ? first - REACH : 1;
    const int high = first + 2 + REACH < count - 2 ? first + 2 + REACH : count - 2;
    row done[2 * REACH + 3];
    for (int r = low; r <= high; ++r) {
        row q = spline_row_of(p, count, r);
        if (r > low) {
            const row *last = &done[r - 1 - low];
            q.diagonal -= q.lower * last->upper;
            q.right = br_vec3_add_scaled(q.right, -q.lower, last->right);
        }
        q.upper /= q.diagonal;
        q.right = br_vec3_scale(1.0 / q.diagonal, q.right);
        done[r - low] = q;
    }
    br_vec3 next = br_vec3_zero();
    for (int r = high; r >= first && r >= low; --r) {
        const row *q = &done[r - low];
        next = br_vec3_add_scaled(q->right, r < high ? -q->upper : 0.0, next);
        if (r <= first + 2) M[r - first] = next;
    }
}

// M at an end, on the line through the two beside it.
static br_vec3 end_bend(br_vec3 near, br_vec3 far, double near_chord, double far_chord) {
    return br_vec3_add_scaled(near, near_chord / far_chord, br_vec3_sub(near, far));
}

br_spline_piece br_spline_piece_of(const br_vec3 *points, int count, int piece) {
    br_spline_piece s = {
        chord(points, piece), {points[piece], points[piece + 1]}, {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}};
    br_vec3 M[3] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    if (count == 3) {
        solve_near(points, count, 1, M);
        s.bend[0] = s.bend[1] = M[0];
    } else if (count > 3 && piece == 0) {
        solve_near(points, count, 1, M);
        s.bend[0] = end_bend(M[0], M[1], s.chord, chord(points, 1));
        s.bend[1] = M[0];
    } else if (count > 3 && piece == count - 2) {
        solve_near(points, count, count - 3, M);
        s.bend[0] = M[1];
        s.bend[1] = end_bend(M[1], M[0], s.chord, chord(points, count - 3));
    } else if (count > 3) {
        solve_near(points, count, piece, M);
        s.bend[0] = M[0];
        s.bend[1] = M[1];
    }
    return s;
}

br_vec3 br_spline_point(const br_spline_piece *s, double at) {
    const double h = s->chord, b = at / h, a = 1.0 - b, k = h * h / 6.0;
    br_vec3 r = br_vec3_add_scaled(br_vec3_scale(a, s->point[0]), b, s->point[1]);
    r = br_vec3_add_scaled(r, k * a * (a * a - 1.0), s->bend[0]);
    return br_vec3_add_scaled(r, k * b * (b * b - 1.0), s->bend[1]);
}

br_vec3 br_spline_slope(const br_spline_piece *s, double at) {
    const double h = s->chord, b = at / h, a = 1.0 - b, k = h / 6.0;
    br_vec3 r = br_vec3_scale(1.0 / h, br_vec3_sub(s->point[1], s->point[0]));
    r = br_vec3_add_scaled(r, -k * (3.0 * a * a - 1.0), s->bend[0]);
    return br_vec3_add_scaled(r, k * (3.0 * b * b - 1.0), s->bend[1]);
}

// Gauss's rule with ten points.
static double length_by_gauss(const br_spline_piece *s, double from, double to) {
    static const double x[5] = {0.14887433898163122, 0.43339539412924721, 0.67940956829902444,
                                0.86506336668898454, 0.97390652851717174};
    static const double w[5] = {0.29552422471475287, 0.26926671930999635, 0.21908636251598204,
                                0.14945134915058059, 0.066671344308688138};
    const double middle = 0.5 * (from + to), half = 0.5 * (to - from);
    double sum = 0.0;
    for (int i = 0; i < 5; ++i)
        sum += w[i] * (br_vec3_norm(br_spline_slope(s, middle - half * x[i])) +
                       br_vec3_norm(br_spline_slope(s, middle + half * x[i])));
    return half * sum;
}

// Halved until both halves together say the same to rounding; the slope's zero, where nothing converges, is left at
// 2^-40 of the piece. Pieces that overshoot are far longer than their chord, and have the rounding of their length;
// one that is no number is halved no further.
static double length_between(const br_spline_piece *s, double from, double to, double whole, int depth) {
    const double middle = 0.5 * (from + to);
    const double first = length_by_gauss(s, from, middle), second = length_by_gauss(s, middle, to);
    if (depth <= 0 || !(fabs(first + second - whole) > 1e-14 * fmax(s->chord, whole))) return first + second;
    return length_between(s, from, middle, first, depth - 1) +
           length_between(s, middle, to, second, depth - 1);
}

double br_spline_length(const br_spline_piece *s, double from, double to) {
    return length_between(s, from, to, length_by_gauss(s, from, to), 40);
}

double br_spline_locate(const br_spline_piece *s, double length) {
    double low = 0.0, high = s->chord;
    double at = high * fmin(1.0, length / br_spline_length(s, 0.0, high));
    // Newton's method, kept inside what is known; 60 halvings are the worst case.
    for (int i = 0; i < 60; ++i) {
        const double miss = br_spline_length(s, 0.0, at) - length,
                     speed = br_vec3_norm(br_spline_slope(s, at));
        if (miss > 0.0)
            high = at;
        else
            low = at;
        double next = at - miss / speed;
        if (!(next >= low && next <= high)) next = 0.5 * (low + high);
        if (fabs(next - at) <= 1e-15 * s->chord) return next;
        at = next;
    }
    return at;
}
