// Lines of beams: where the sections are and which way they face.
#include <string.h>

#include "flex/line.h"
#include "flex/spline.h"
#include "near.h"
#include "random.h"

static br_beam_def line_of(br_line_kind kind, const br_vec3 *points, int count) {
    br_beam_def def;
    memset(&def, 0, sizeof def);
    def.name = "line";
    def.line = kind;
    def.points = points;
    def.point_count = count;
    def.elements = 10;
    return def;
}

static br_vec3 axis(br_pose X, int i) {
    return br_quat_rotate(X.rotation, br_vec3_unit(i));
}

static void straight_line_has_z_up(void **state) {
    (void)state;
    const br_vec3 p[2] = {{1.0, 2.0, 3.0}, {1.0, 6.0, 6.0}};
    const br_beam_def def = line_of(BR_LINE_POLYGON, p, 2);
    assert_near(br_line_length(&def), 5.0, 1e-15);
    assert_int_equal(br_line_corners(&def, NULL, 0), 0);
    for (int k = 0; k <= 4; ++k) {
        const br_pose X = br_line_section(&def, 0.25 * k, k > 0 ? -1 : 1);
        assert_vec3_near(X.position, br_vec3_of(1.0, 2.0 + k, 3.0 + 0.75 * k), 2e-15);
        assert_vec3_near(axis(X, 0), br_vec3_of(0.0, 0.8, 0.6), 1e-15);
        assert_vec3_near(axis(X, 1), br_vec3_of(-1.0, 0.0, 0.0), 1e-15);
        assert_vec3_near(axis(X, 2), br_vec3_of(0.0, -0.6, 0.8), 1e-15);
    }
}

static void vertical_line_has_x_up(void **state) {
    (void)state;
    const br_vec3 p[2] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 2.0}};
    br_beam_def def = line_of(BR_LINE_POLYGON, p, 2);
    assert_vec3_near(axis(br_line_section(&def, 0.5, -1), 2), br_vec3_unit(0), 1e-15);
    def.up = br_vec3_of(0.0, 3.0, 1.0);
    assert_vec3_near(axis(br_line_section(&def, 0.5, -1), 2), br_vec3_unit(1), 1e-15);
    def.twist = 0.5 * BR_PI; // z turns towards -y of the section, here x
    assert_vec3_near(axis(br_line_section(&def, 0.0, 1), 2), br_vec3_unit(1), 1e-15);
    assert_vec3_near(axis(br_line_section(&def, 1.0, -1), 2), br_vec3_of(-1.0, 0.0, 0.0), 1e-15);
    assert_vec3_near(axis(br_line_section(&def, 0.5, -1), 2), br_vec3_of(-sqrt(0.5), sqrt(0.5), 0.0), 1e-15);
}

static void corners_have_two_sides(void **state) {
    (void)state;
    const br_vec3 p[4] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 3.0}, {2.0, 0.0, 3.0}, {2.0, 0.1, 3.0}};
    const br_beam_def def = line_of(BR_LINE_POLYGON, p, 4);
    double station[2] = {0.0, -1.0};
    assert_near(br_line_length(&def), 5.1, 1e-15);
    assert_int_equal(br_line_corners(&def, station, 1), 2);
    assert_near(station[1], -1.0, 0.0);
    assert_int_equal(br_line_corners(&def, station, 2), 2);
    assert_near(station[0], 3.0 / 5.1, 1e-15);
    assert_near(station[1], 5.0 / 5.1, 1e-15);
    for (int k = 0; k < 2; ++k)
        for (int side = -1; side <= 1; side += 2)
            for (int noise = -1; noise <= 1; ++noise) {
                const int piece = k + (side > 0);
                const br_pose X = br_line_section(&def, station[k] + noise * 1e-14, side);
                assert_vec3_near(X.position, p[k + 1], 1e-15);
                assert_vec3_near(axis(X, 0), br_vec3_normalize(br_vec3_sub(p[piece + 1], p[piece])), 1e-15);
                assert_vec3_near(axis(X, 2), piece == 0 ? br_vec3_unit(0) : br_vec3_unit(2), 1e-15);
            }
    assert_vec3_near(br_line_section(&def, 1.0, -1).position, p[3], 0.0);
    assert_vec3_near(br_line_section(&def, 0.0, 1).position, p[0], 0.0);
}

// --- arcs --------------------------------------------------------------------------------------------------

static void arc_is_the_circle_through_its_points(void **state) {
    (void)state;
    rng r = {41};
    for (int i = 0; i < 500; ++i) {
        const double radius = pow(10.0, rng_uniform(&r, -2.0, 3.0)), angle = rng_uniform(&r, 0.05, 6.1);
        const double middle = angle * rng_uniform(&r, 0.2, 0.8);
        const br_pose X = rng_pose(&r, 1.0);
        br_vec3 p[3];
        const double at[3] = {0.0, middle, angle};
        for (int k = 0; k < 3; ++k)
            p[k] = br_pose_point(X, br_vec3_of(radius * sin(at[k]), radius * (1.0 - cos(at[k])), 0.0));
        const br_beam_def def = line_of(BR_LINE_ARC, p, 3);
        // The points' rounding, 1e-16 (radius + 1), seen from a sagitta of radius middle (angle - middle)/8 ...
        const double sagitta = radius * fmin(middle, angle - middle) * fmin(angle, 2.0 * BR_PI - angle);
        const double tol = 1e-14 * (radius + 1.0) * (1.0 + radius / sagitta);
        assert_near(br_line_length(&def), radius * angle, tol);
        for (int k = 0; k <= 10; ++k) {
            const double s = 0.1 * k, phi = s * angle;
            const br_pose section = br_line_section(&def, s, -1);
            assert_vec3_near(section.position,
                             br_pose_point(X, br_vec3_of(radius * sin(phi), radius * (1.0 - cos(phi)), 0.0)),
                             tol);
            assert_vec3_near(axis(section, 0), br_pose_vector(X, br_vec3_of(cos(phi), sin(phi), 0.0)),
                             tol / radius);
        }
    }
}

// In the plane of the arc or across it, the section does not turn about the line.
static void arc_carries_its_axes(void **state) {
    (void)state;
    const br_vec3 p[3] = {{1.0, 0.0, 0.0}, {sqrt(0.5), 0.0, sqrt(0.5)}, {-1.0, 0.0, 0.0}}; // over the top
    br_beam_def def = line_of(BR_LINE_ARC, p, 3);
    assert_near(br_line_length(&def), BR_PI, 1e-15);
    for (int k = 0; k <= 8; ++k) {
        const double phi = BR_PI * k / 8.0;
        const br_pose X = br_line_section(&def, k / 8.0, -1);
        assert_vec3_near(X.position, br_vec3_of(cos(phi), 0.0, sin(phi)), 1e-15);
        assert_vec3_near(axis(X, 0), br_vec3_of(-sin(phi), 0.0, cos(phi)), 1e-15);
        assert_vec3_near(axis(X, 2), br_vec3_of(cos(phi), 0.0, sin(phi)),
                         1e-15); // starts along x, as for lines along z
    }
    def.up = br_vec3_of(0.0, 1.0, 0.0);
    assert_vec3_near(axis(br_line_section(&def, 0.3, -1), 2), br_vec3_unit(1), 1e-15);
}

// --- splines -----------------------------------------------------------------------------------------------

// Three points are on a parabola, whose length is known.
static void spline_of_three_points_is_a_parabola(void **state) {
    (void)state;
    const br_vec3 p[3] = {{-1.0, 0.0, 1.0}, {0.0, 0.0, 0.0}, {1.0, 0.0, 1.0}};
    const br_beam_def def = line_of(BR_LINE_SPLINE, p, 3);
    const double half = 0.5 * sqrt(5.0) + 0.25 * asinh(2.0);
    assert_near(br_line_length(&def), 2.0 * half, 1e-14);
    for (int k = 0; k <= 40; ++k) {
        const br_vec3 x = br_line_section(&def, k / 40.0, -1).position;
        assert_near(x.z, x.x * x.x, 1e-15);
        assert_near(0.5 * x.x * sqrt(1.0 + 4.0 * x.x * x.x) + 0.25 * asinh(2.0 * x.x),
                    (k / 20.0 - 1.0) * half, 1e-14);
    }
    assert_int_equal(br_line_corners(&def, NULL, 0), 0);
}

static void spline_of_two_points_is_straight(void **state) {
    (void)state;
    const br_vec3 p[2] = {{0.0, 0.0, 0.0}, {3.0, 4.0, 0.0}};
    const br_beam_def def = line_of(BR_LINE_SPLINE, p, 2);
    assert_near(br_line_length(&def), 5.0, 1e-15);
    assert_vec3_near(br_line_section(&def, 0.2, -1).position, br_vec3_of(0.6, 0.8, 0.0), 1e-15);
}

static void spline_goes_through_its_points_smoothly(void **state) {
    (void)state;
    rng r = {42};
    enum { MOST = 150 };
    for (int i = 0; i < 60; ++i) {
        br_vec3 p[MOST];
        const int count = 3 + rng_below(&r, i % 10 == 0 ? MOST - 3 : 12);
        for (int k = 0; k < count; ++k) p[k] = br_vec3_add(br_vec3_of(k, 0.0, 0.0), rng_vec3(&r, 0.45));
        br_spline_piece last = br_spline_piece_of(p, count, 0);
        for (int k = 0; k + 1 < count; ++k) {
            const br_spline_piece s = br_spline_piece_of(p, count, k);
            assert_vec3_near(br_spline_point(&s, 0.0), p[k], 0.0);
            assert_vec3_near(br_spline_point(&s, s.chord), p[k + 1], 1e-14);
            if (k > 0) { // slope and second derivative go on; bends are of size 10
                assert_vec3_near(br_spline_slope(&s, 0.0), br_spline_slope(&last, last.chord), 1e-13);
                assert_vec3_near(s.bend[0], last.bend[1], 1e-13);
            }
            if (count > 3 && (k == 1 || k == count - 2)) { // not-a-knot: the third derivative goes on
                const br_vec3 here = br_vec3_scale(1.0 / s.chord, br_vec3_sub(s.bend[1], s.bend[0]));
                const br_vec3 there =
                    br_vec3_scale(1.0 / last.chord, br_vec3_sub(last.bend[1], last.bend[0]));
                assert_vec3_near(here, there, 1e-11); // chords down to 0.1
            }
            const double slope_step = 1e-5,
                         at = 0.3 * s.chord; // 1e-11 of a third derivative, and rounding of 150/1e-5
            const br_vec3 difference =
                br_vec3_scale(0.5 / slope_step, br_vec3_sub(br_spline_point(&s, at + slope_step),
                                                            br_spline_point(&s, at - slope_step)));
            assert_vec3_near(br_spline_slope(&s, at), difference, 1e-8);
            last = s;
        }
    }
}

// Stations are fractions of the length: checked by a length summed in another way.
static void spline_stations_are_arc_length(void **state) {
    (void)state;
    rng r = {43};
    for (int i = 0; i < 20; ++i) {
        br_vec3 p[7];
        for (int k = 0; k < 7; ++k) p[k] = br_vec3_add(br_vec3_of(k, 0.0, 0.0), rng_vec3(&r, 0.45));
        br_beam_def def = line_of(BR_LINE_SPLINE, p, 7);
        def.up = br_vec3_of(0.1, 0.2, 5.0);
        const double length = br_line_length(&def);
        // Simpson's rule with 4000 intervals in each piece, whose error is about 1e-13
        double sum = 0.0;
        for (int k = 0; k < 6; ++k) {
            const br_spline_piece s = br_spline_piece_of(p, 7, k);
            double part = 0.0;
            for (int j = 0; j <= 4000; ++j)
                part += (j % 4000 == 0 ? 1.0
                         : j % 2       ? 4.0
                                       : 2.0) *
                        br_vec3_norm(br_spline_slope(&s, s.chord * j / 4000.0));
            part *= s.chord / 12000.0;
            assert_near(br_spline_length(&s, 0.0, s.chord), part, 1e-12);
            sum += part;
            // a point of the list is at its own station
            if (k < 5) assert_vec3_near(br_line_section(&def, sum / length, 1).position, p[k + 1], 1e-12);
        }
        assert_near(length, sum, 1e-12);
        for (int j = 0; j < 20; ++j) {
            const double station = rng_uniform(&r, 0.01, 0.99), d = 1e-5;
            const br_pose X = br_line_section(&def, station, -1);
            const br_vec3 a = br_line_section(&def, station - d, -1).position,
                          b = br_line_section(&def, station + d, -1).position;
            // unit speed: the chord over a small arc, short by its curvature squared
            assert_near(br_vec3_distance(a, b) / (2.0 * d * length), 1.0, 1e-6);
            assert_vec3_near(axis(X, 0), br_vec3_normalize(br_vec3_sub(b, a)), 1e-6);
        }
    }
}

// The turn of the axes about the line between two near sections, summed over the line.
static double total_turn(const br_beam_def *def, int steps) {
    double sum = 0.0;
    br_pose last = br_line_section(def, 0.0, 1);
    for (int k = 1; k <= steps; ++k) {
        const br_pose next = br_line_section(def, (double)k / steps, -1);
        const br_vec3 turn = br_quat_log(br_quat_mul(br_quat_conjugate(last.rotation), next.rotation));
        sum += fabs(turn.x);
        last = next;
    }
    return sum;
}

static void spline_carries_its_axes_without_turning(void **state) {
    (void)state;
    br_vec3 p[9]; // a helix that starts along z, where `up` is x
    for (int k = 0; k < 9; ++k) p[k] = br_vec3_of(1.0 - cos(0.8 * k), 0.5 * k * k * 0.04, sin(0.8 * k));
    br_beam_def def = line_of(BR_LINE_SPLINE, p, 9);
    const double coarse = total_turn(&def, 400), fine = total_turn(&def, 800);
    print_message("turn about the line %.2g and %.2g rad of %.2g rad\n", coarse, fine, 6.4);
    // The logarithm between sections sees a turn of third order in their distance: second order over the line.
    assert_true(fine < 1e-4 && fine < 0.3 * coarse);
    def.twist = 1.0;
    assert_near(total_turn(&def, 400), 1.0, 1e-3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(straight_line_has_z_up),
        cmocka_unit_test(vertical_line_has_x_up),
        cmocka_unit_test(corners_have_two_sides),
        cmocka_unit_test(arc_is_the_circle_through_its_points),
        cmocka_unit_test(arc_carries_its_axes),
        cmocka_unit_test(spline_of_three_points_is_a_parabola),
        cmocka_unit_test(spline_of_two_points_is_straight),
        cmocka_unit_test(spline_goes_through_its_points_smoothly),
        cmocka_unit_test(spline_stations_are_arc_length),
        cmocka_unit_test(spline_carries_its_axes_without_turning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
