// Sections against textbook values.
#include <string.h>

#include "flex/section.h"
#include "near.h"

static br_section_def shape_of(br_section_shape shape, double a, double b, double c, double d) {
    br_section_def def;
    memset(&def, 0, sizeof def);
    def.shape = shape;
    def.size[0] = a;
    def.size[1] = b;
    def.size[2] = c;
    def.size[3] = d;
    def.E = 2.6; // G = 1 with nu = 0.3
    def.nu = 0.3;
    def.density = 3.0;
    return def;
}

static void assert_relative(double a, double b, double tol) {
    assert_near(a / b, 1.0, tol);
}

// J/(a b^3) as tabulated to three digits in [Timoshenko & Goodier, Theory of Elasticity, 109].
static void torsion_of_rectangles_is_the_tabulated(void **state) {
    (void)state;
    const double ratio[] = {1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 10.0};
    const double k[] = {0.1406, 0.166, 0.196, 0.229, 0.249, 0.263, 0.281, 0.291, 0.312};
    for (int i = 0; i < 9; ++i) {
        br_section_def def = shape_of(BR_SECTION_RECTANGLE, ratio[i] * 0.02, 0.02, 0.0, 0.0);
        const double J = br_section_of(&def).C[3];
        assert_near(J / (ratio[i] * pow(0.02, 4.0)), k[i], 6e-4); // the table's last digit
        def = shape_of(BR_SECTION_RECTANGLE, 0.02, ratio[i] * 0.02, 0.0, 0.0);
        assert_relative(br_section_of(&def).C[3], J, 1e-15); // either way round
    }
}

// The square's constant to all digits: 0.140577014955157... (2.2492322392... a^4/16), summed term by term here.
static void torsion_series_agrees_with_the_plain_sum(void **state) {
    (void)state;
    const double sides[][2] = {{1.0, 1.0}, {12.3777e-3, 3.2024e-3}, {1.0, 30.0}};
    for (int i = 0; i < 3; ++i) {
        const double a = fmax(sides[i][0], sides[i][1]), b = fmin(sides[i][0], sides[i][1]);
        double sum = 0.0;
        for (int n = 2001; n >= 1; n -= 2) sum += tanh(0.5 * n * BR_PI * a / b) / pow(n, 5.0);
        const double J = a * b * b * b * (1.0 - 192.0 / pow(BR_PI, 5.0) * b / a * sum) / 3.0;
        const br_section_def def = shape_of(BR_SECTION_RECTANGLE, sides[i][0], sides[i][1], 0.0, 0.0);
        assert_relative(br_section_of(&def).C[3], J, 1e-13); // the plain sum's tail, 2001^-4/8
    }
    const br_section_def square = shape_of(BR_SECTION_RECTANGLE, 1.0, 1.0, 0.0, 0.0);
    assert_near(br_section_of(&square).C[3], 0.1405770149, 1e-9);
}

static void rectangle_bends_by_its_heights(void **state) {
    (void)state;
    const br_section_def def = shape_of(BR_SECTION_RECTANGLE, 0.04, 0.03, 0.0, 0.0);
    const br_section s = br_section_of(&def);
    const double A = 0.04 * 0.03;
    assert_relative(s.C[0], 2.6 * A, 1e-14);
    assert_relative(s.C[1], A * 13.0 / 15.3, 1e-14); // 10 (1 + nu)/(12 + 11 nu)
    assert_relative(s.C[2], s.C[1], 1e-14);
    assert_relative(s.C[4], 2.6 * 0.04 * pow(0.03, 3.0) / 12.0, 1e-14); // about y: heights along z
    assert_relative(s.C[5], 2.6 * 0.03 * pow(0.04, 3.0) / 12.0, 1e-14);
    assert_relative(s.mass, 3.0 * A, 1e-14);
    assert_relative(s.inertia[1], s.C[4] * 3.0 / 2.6, 1e-14);
    assert_relative(s.inertia[2], s.C[5] * 3.0 / 2.6, 1e-14);
    assert_relative(s.inertia[0], s.inertia[1] + s.inertia[2], 1e-14);
}

static void circle_and_tube_are_the_textbook_ones(void **state) {
    (void)state;
    const double r = 0.05, q = 0.03;
    const br_section_def circle = shape_of(BR_SECTION_CIRCLE, r, 0.0, 0.0, 0.0);
    const br_section_def tube = shape_of(BR_SECTION_TUBE, r, q, 0.0, 0.0);
    const br_section c = br_section_of(&circle), t = br_section_of(&tube);
    assert_relative(c.C[0], 2.6 * BR_PI * r * r, 1e-14);
    assert_relative(c.C[1], BR_PI * r * r * 7.8 / 8.8, 1e-14); // 6 (1 + nu)/(7 + 6 nu)
    assert_relative(c.C[3], BR_PI * pow(r, 4.0) / 2.0, 1e-14);
    assert_relative(c.C[4], 2.6 * BR_PI * pow(r, 4.0) / 4.0, 1e-14);
    assert_relative(t.C[0], 2.6 * BR_PI * (r * r - q * q), 1e-14);
    assert_relative(t.C[3], BR_PI * (pow(r, 4.0) - pow(q, 4.0)) / 2.0, 1e-14);
    assert_relative(t.C[5], 2.6 * BR_PI * (pow(r, 4.0) - pow(q, 4.0)) / 4.0, 1e-14);
    assert_relative(t.mass, 3.0 * BR_PI * (r * r - q * q), 1e-14);
    assert_relative(t.inertia[0], 3.0 * BR_PI * (pow(r, 4.0) - pow(q, 4.0)) / 2.0, 1e-14);
    // Cowper: a tube without a hole is a circle, a thin one has 2 (1 + nu)/(4 + 3 nu).
    br_section_def limit = shape_of(BR_SECTION_TUBE, r, 1e-9, 0.0, 0.0);
    assert_relative(br_section_of(&limit).C[1], c.C[1], 1e-12);
    limit = shape_of(BR_SECTION_TUBE, r, r * (1.0 - 1e-7), 0.0, 0.0);
    const br_section thin = br_section_of(&limit);
    assert_relative(thin.C[1] / (thin.C[0] / 2.6), 2.6 / 4.9, 1e-7);
}

// The paper's shaft: 1 mm of aluminium at a mean radius of 50 mm has its printed section (reference README).
static void the_rotor_shaft_has_its_printed_section(void **state) {
    (void)state;
    br_section_def def = shape_of(BR_SECTION_TUBE, 0.0505, 0.0495, 0.0, 0.0);
    def.E = 73e9;
    def.density = 2700.0;
    const br_section s = br_section_of(&def);
    assert_relative(s.C[0], 22.93e6, 1e-3);
    assert_relative(s.C[1], 4.41e6, 0.07); // printed 4.41: the factor 1/2 of thin tubes; Cowper has 0.53
    assert_relative(s.C[3], 22.1e3, 5e-3);
    assert_relative(s.C[4], 28.7e3, 5e-3);
    assert_relative(s.mass, 0.848, 1e-3);
}

// HEA 200 without its fillets, against its plates one by one and the tables (which have the fillets).
static void i_section_is_the_sum_of_its_plates(void **state) {
    (void)state;
    const double h = 0.19, b = 0.2, w = 0.0065, f = 0.01;
    const br_section_def def = shape_of(BR_SECTION_I, h, b, w, f);
    const br_section s = br_section_of(&def);
    assert_relative(s.C[0], 2.6 * (2.0 * b * f + (h - 2.0 * f) * w), 1e-14);
    assert_relative(s.C[5], 2.6 * (b * pow(h, 3.0) - (b - w) * pow(h - 2.0 * f, 3.0)) / 12.0, 1e-13);
    assert_relative(s.C[4], 2.6 * (2.0 * f * pow(b, 3.0) + (h - 2.0 * f) * pow(w, 3.0)) / 12.0, 1e-14);
    assert_near(s.C[5] / 2.6, 3692e-8, 0.06 * 3692e-8);
    assert_near(s.C[4] / 2.6, 1336e-8, 0.003 * 1336e-8);
    assert_relative(s.C[3], (2.0 * b * pow(f, 3.0) + (h - f) * pow(w, 3.0)) / 3.0, 1e-14);
    assert_relative(s.C[1], w * (h - f), 1e-14);
    assert_relative(s.C[2], 5.0 / 3.0 * b * f, 1e-14);
    assert_relative(s.inertia[0], s.inertia[1] + s.inertia[2], 1e-14);
}

static void given_numbers_and_offsets_are_kept(void **state) {
    (void)state;
    br_section_def def;
    memset(&def, 0, sizeof def);
    def.EA = 1.0;
    def.GA_y = 2.0;
    def.GA_z = 3.0;
    def.GJ = 4.0;
    def.EI_y = 5.0;
    def.EI_z = 6.0;
    def.mass = 7.0;
    def.inertia[0] = 8.0;
    def.inertia[1] = 9.0;
    def.inertia[2] = 10.0;
    def.offset_y = 11.0;
    def.offset_z = 12.0;
    const br_section s = br_section_of(&def);
    for (int i = 0; i < 6; ++i) assert_near(s.C[i], 1.0 + i, 0.0);
    for (int i = 0; i < 3; ++i) assert_near(s.inertia[i], 8.0 + i, 0.0);
    assert_near(s.mass, 7.0, 0.0);
    assert_vec3_near(s.offset, br_vec3_of(0.0, 11.0, 12.0), 0.0);
    // A shape's offset moves the mass and leaves the stiffness.
    br_section_def circle = shape_of(BR_SECTION_CIRCLE, 0.1, 0.0, 0.0, 0.0);
    const br_section plain = br_section_of(&circle);
    circle.offset_y = 0.01;
    const br_section off = br_section_of(&circle);
    assert_vec3_near(off.offset, br_vec3_of(0.0, 0.01, 0.0), 0.0);
    assert_memory_equal(off.C, plain.C, sizeof off.C);
    assert_memory_equal(off.inertia, plain.inertia, sizeof off.inertia);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(torsion_of_rectangles_is_the_tabulated),
        cmocka_unit_test(torsion_series_agrees_with_the_plain_sum),
        cmocka_unit_test(rectangle_bends_by_its_heights),
        cmocka_unit_test(circle_and_tube_are_the_textbook_ones),
        cmocka_unit_test(the_rotor_shaft_has_its_printed_section),
        cmocka_unit_test(i_section_is_the_sum_of_its_plates),
        cmocka_unit_test(given_numbers_and_offsets_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
