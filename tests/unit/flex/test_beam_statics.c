// Cantilevers solved with the beam element, against closed forms and published results. Newton's method is the test's
// own, so that nothing but the element and the section is judged.
//
// Its tangent takes the stress that the last correction led it to expect, C (strain + D dq), not the stress found
// there: a rotation of dq by mistake stretches a thin beam by dq^2/2, which times EA is a force that spoils the geometric
// stiffness [Magisano, Leonetti & Garcea 2017]. The residual has the stress found, so the solution is the same.
#include <stdlib.h>
#include <string.h>

#include "flex/beam.h"
#include "flex/line.h"
#include "near.h"
#include "random.h"

// --- a small static solver ---------------------------------------------------------------------------------

enum { MOST_ELEMENTS = 128, SIZE = 6 * MOST_ELEMENTS, BAND = 12 };

typedef struct cantilever {
    int n; // elements; node 0 is clamped
    br_beam_element element[MOST_ELEMENTS];
    br_vec3 x[MOST_ELEMENTS + 1];
    br_mat3 R[MOST_ELEMENTS + 1];
    double strain[MOST_ELEMENTS][6], D[MOST_ELEMENTS][6][12]; // of the last look
    double expected[MOST_ELEMENTS][6];                        // stress
    br_vec3 force, moment;                                    // dead loads at the tip, world axes
    int iterations;                                           // Newton's, in all
    double matrix[SIZE][SIZE], residual[SIZE];
} cantilever;

static cantilever *cantilever_of(const br_beam_def *def, int n) {
    cantilever *c = (cantilever *)calloc(1, sizeof *c);
    assert_non_null(c);
    const br_section section = br_section_of(&def->section);
    const double length = br_line_length(def);
    c->n = n;
    for (int k = 0; k <= n; ++k) {
        const br_pose X = br_line_section(def, (double)k / n, -1);
        c->x[k] = X.position;
        c->R[k] = br_quat_to_mat3(X.rotation);
    }
    for (int k = 0; k < n; ++k) {
        br_beam_element *e = &c->element[k];
        e->length = length / n;
        e->Q[0] = e->Q[1] = br_mat3_identity();
        const br_beam_ends at = {{c->x[k], c->x[k + 1]}, {c->R[k], c->R[k + 1]}};
        br_beam_prepare(e, &section, &at);
    }
    return c;
}

static void add_element(cantilever *c, int k) {
    const br_beam_element *e = &c->element[k];
    const br_beam_ends at = {{c->x[k], c->x[k + 1]}, {c->R[k], c->R[k + 1]}};
    double(*D)[12] = c->D[k], K[12][12];
    br_beam_instant(e, &at, c->strain[k], D);
    br_beam_instant_stiffness(e, &at, c->expected[k], K);
    for (int i = 0; i < 12; ++i) {
        const int row = 6 * (k - 1) + i;
        if (row < 0) continue;
        for (int m = 0; m < 6; ++m) c->residual[row] -= e->length * D[m][i] * e->C[m] * c->strain[k][m];
        for (int j = 0; j < 12; ++j) {
            if (6 * (k - 1) + j < 0) continue;
            double sum = K[i][j];
            for (int m = 0; m < 6; ++m) sum += D[m][i] * e->C[m] * D[m][j];
            c->matrix[row][6 * (k - 1) + j] += e->length * sum;
        }
    }
}

static void expect_stress(cantilever *c, int k) {
    for (int m = 0; m < 6; ++m) {
        double strain = c->strain[k][m];
        for (int j = 0; j < 12; ++j)
            if (6 * (k - 1) + j >= 0) strain += c->D[k][m][j] * c->residual[6 * (k - 1) + j];
        c->expected[k][m] = c->element[k].C[m] * strain;
    }
}

// Elimination inside the band; the tangents here have no zero pivots.
static void solve(cantilever *c) {
    const int size = 6 * c->n;
    for (int k = 0; k < size; ++k)
        for (int i = k + 1; i < size && i < k + BAND; ++i) {
            const double f = c->matrix[i][k] / c->matrix[k][k];
            for (int j = k; j < size && j < k + BAND; ++j) c->matrix[i][j] -= f * c->matrix[k][j];
            c->residual[i] -= f * c->residual[k];
        }
    for (int k = size - 1; k >= 0; --k) {
        for (int j = k + 1; j < size && j < k + BAND; ++j) c->residual[k] -= c->matrix[k][j] * c->residual[j];
        c->residual[k] /= c->matrix[k][k];
    }
}

// Loads in even steps; each until the correction is below rounding's floor.
static void find_equilibrium(cantilever *c, int steps) {
    const int size = 6 * c->n;
    for (int step = 1; step <= steps; ++step) {
        const double part = (double)step / steps;
        double largest = 1.0, before = 2.0;
        for (int iteration = 0; largest > 1e-13 && !(largest < 1e-9 && largest >= before); ++iteration) {
            assert_true(iteration < 60);
            for (int i = 0; i < size; ++i) memset(c->matrix[i], 0, (size_t)size * sizeof(double));
            memset(c->residual, 0, sizeof c->residual);
            for (int k = 0; k < c->n; ++k) add_element(c, k);
            double *tip = &c->residual[size - 6];
            for (int i = 0; i < 3; ++i) {
                tip[i] += part * br_vec3_get(c->force, i);
                tip[3 + i] += part * br_vec3_get(c->moment, i);
            }
            solve(c);
            before = largest;
            largest = 0.0;
            for (int i = 0; i < size; ++i) largest = fmax(largest, fabs(c->residual[i]));
            for (int k = 0; k < c->n; ++k) expect_stress(c, k);
            for (int k = 1; k <= c->n; ++k) {
                const double *d = &c->residual[6 * (k - 1)];
                c->x[k] = br_vec3_add(c->x[k], br_vec3_of(d[0], d[1], d[2]));
                c->R[k] = br_mat3_mul(br_quat_to_mat3(br_quat_exp(br_vec3_of(d[3], d[4], d[5]))), c->R[k]);
            }
            c->iterations += 1;
        }
    }
}

// The tip's place under a tip force and moment.
static br_vec3 tip_of(const br_beam_def *def, int n, int steps, br_vec3 force, br_vec3 moment) {
    cantilever *c = cantilever_of(def, n);
    c->force = force;
    c->moment = moment;
    find_equilibrium(c, steps);
    const br_vec3 tip = c->x[n];
    free(c);
    return tip;
}

static br_beam_def beam_of(br_line_kind kind, const br_vec3 *points, int count) {
    br_beam_def def;
    memset(&def, 0, sizeof def);
    def.name = "cantilever";
    def.line = kind;
    def.points = points;
    def.point_count = count;
    return def;
}

// Bending stiffness 1 and nothing else gives way to 1e-8.
static void make_thin(br_section_def *s) {
    s->EA = s->GA_y = s->GA_z = 1e8;
    s->GJ = s->EI_y = s->EI_z = 1.0;
}

static const br_vec3 unit_line[2] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}};

// --- the same by shooting ----------------------------------------------------------------------------------

// The rod's own differential equations, from the root to the tip: dX = A gamma, dA = A [kappa]x, dM = -dX x force.
// Fourth order (Runge and Kutta); no element is in it.
typedef struct rod {
    br_section section;
    br_vec3 kappa_0; // of the unstressed line, section axes
    br_pose root;
    double length;
    br_vec3 force;
} rod;

typedef struct rod_state {
    br_vec3 X, M;
    br_mat3 A;
} rod_state;

static rod_state rod_slope(const rod *r, const rod_state *s) {
    const double *C = r->section.C;
    const br_vec3 n = br_mat3_tmul_vec(s->A, r->force), m = br_mat3_tmul_vec(s->A, s->M);
    const br_vec3 gamma = br_vec3_of(1.0 + n.x / C[0], n.y / C[1], n.z / C[2]);
    const br_vec3 kappa = br_vec3_add(r->kappa_0, br_vec3_of(m.x / C[3], m.y / C[4], m.z / C[5]));
    rod_state d;
    d.X = br_mat3_mul_vec(s->A, gamma);
    d.A = br_mat3_mul(s->A, br_mat3_skew(kappa));
    d.M = br_vec3_neg(br_vec3_cross(d.X, r->force));
    return d;
}

static rod_state rod_add(rod_state s, double h, rod_state d) {
    s.X = br_vec3_add_scaled(s.X, h, d.X);
    s.M = br_vec3_add_scaled(s.M, h, d.M);
    s.A = br_mat3_add(s.A, br_mat3_scale(h, d.A));
    return s;
}

static rod_state rod_tip(const rod *r, br_vec3 root_moment) {
    enum { STEPS = 1000 };
    const double h = r->length / STEPS;
    rod_state s = {r->root.position, root_moment, br_quat_to_mat3(r->root.rotation)};
    for (int i = 0; i < STEPS; ++i) {
        const rod_state a = rod_slope(r, &s), s2 = rod_add(s, 0.5 * h, a);
        const rod_state b = rod_slope(r, &s2), s3 = rod_add(s, 0.5 * h, b);
        const rod_state c = rod_slope(r, &s3), s4 = rod_add(s, h, c);
        const rod_state d = rod_slope(r, &s4);
        s = rod_add(rod_add(s, h / 6.0, a), h / 3.0, b);
        s = rod_add(rod_add(s, h / 3.0, c), h / 6.0, d);
    }
    return s;
}

// The moment at the root for which none is left at the tip, by Newton's method in ten steps of the load.
static br_vec3 tip_by_shooting(rod r) {
    const br_vec3 force = r.force;
    br_vec3 M0 = br_vec3_zero();
    rod_state tip = rod_tip(&r, M0);
    for (int step = 1; step <= 10; ++step) {
        r.force = br_vec3_scale(0.1 * step, force);
        for (int i = 0; i < 12; ++i) {
            tip = rod_tip(&r, M0);
            const double d = 1e-5 * (br_vec3_norm(M0) + r.section.C[4] / r.length);
            br_vec3 column[3];
            for (int j = 0; j < 3; ++j) {
                const rod_state up = rod_tip(&r, br_vec3_add_scaled(M0, d, br_vec3_unit(j)));
                const rod_state down = rod_tip(&r, br_vec3_add_scaled(M0, -d, br_vec3_unit(j)));
                column[j] = br_vec3_scale(0.5 / d, br_vec3_sub(up.M, down.M));
            }
            br_mat3 inverse = br_mat3_identity();
            assert_int_equal(br_mat3_invert(br_mat3_of_columns(column[0], column[1], column[2]), &inverse),
                             BR_OK);
            M0 = br_vec3_sub(M0, br_mat3_mul_vec(inverse, tip.M));
        }
    }
    assert_true(br_vec3_norm(tip.M) < 1e-9 * br_vec3_norm(M0));
    return tip.X;
}

// --- closed forms ------------------------------------------------------------------------------------------

// Small loads: PL^3/(3 EI) + PL/GA and PL^2/(2 EI) for any number of elements.
static void small_tip_loads_are_exact_with_one_element(void **state) {
    (void)state;
    br_beam_def def = beam_of(BR_LINE_POLYGON, unit_line, 2);
    def.section.EA = 7.0;
    def.section.GA_y = 11.0;
    def.section.GA_z = 13.0;
    def.section.GJ = 2.0;
    def.section.EI_y = 3.0;
    def.section.EI_z = 5.0;
    const double P = 1e-7;
    for (int n = 1; n <= 3; ++n) {
        // P is 1e-7, so that its square is rounding; what is left is 1e-16/1e-7
        const br_vec3 tip = tip_of(&def, n, 1, br_vec3_of(P, P, P), br_vec3_zero());
        assert_near((tip.x - 1.0) / P, 1.0 / 7.0, 1e-6);
        assert_near(tip.y / P, 1.0 / 15.0 + 1.0 / 11.0, 1e-6);
        assert_near(tip.z / P, 1.0 / 9.0 + 1.0 / 13.0, 1e-6);
        const br_vec3 turned = tip_of(&def, n, 1, br_vec3_zero(), br_vec3_of(P, P, P));
        assert_near(turned.y / P, 1.0 / 10.0, 1e-6);
        assert_near(turned.z / P, -1.0 / 6.0, 1e-6);
    }
}

// Constant curvature is exact: the tip of the circle is found for every moment and any number of elements, and at
// 2 pi EI/L it is back at the root.
static void roll_up_is_exact(void **state) {
    (void)state;
    br_beam_def def = beam_of(BR_LINE_POLYGON, unit_line, 2);
    make_thin(&def.section);
    const double angles[] = {0.5, 2.0, 2.0 * BR_PI, 4.0 * BR_PI};
    double worst = 0.0;
    for (int i = 0; i < 4; ++i)
        for (int n = 3; n <= 24; n *= 2) {
            const double angle = angles[i];
            if (angle / n > 2.8) continue; // an element cannot turn by pi
            const br_vec3 tip = tip_of(&def, n, 20, br_vec3_zero(), br_vec3_of(0.0, 0.0, angle));
            const br_vec3 exact = br_vec3_of(sin(angle) / angle, (1.0 - cos(angle)) / angle, 0.0);
            worst = fmax(worst, br_vec3_distance(tip, exact));
        }
    print_message("roll-up: worst error of the tip %.2g L\n", worst);
    assert_true(
        worst <
        1e-12); // Newton's floor: rounding of 1e-16 times EA/EI = 1e8 in the forces, not in the places
}

// Tip load on a cantilever that neither stretches nor shears, reference README, Beams.
static void elastica_is_found_with_fourth_order(void **state) {
    (void)state;
    const double load[] = {1.0, 2.0, 5.0, 10.0};
    const double y[] = {.3017207738, .4934574804, .7137915236, .8106090249};
    const double x[] = {.9435667637, .8393582792, .6123716393, .4450044022};
    br_beam_def def = beam_of(BR_LINE_POLYGON, unit_line, 2);
    make_thin(&def.section);
    for (int i = 0; i < 4; ++i) {
        double error[5];
        for (int j = 0; j < 5; ++j) {
            const br_vec3 tip = tip_of(&def, 4 << j, 10, br_vec3_of(0.0, load[i], 0.0), br_vec3_zero());
            error[j] = br_vec3_norm(br_vec3_of(tip.x - x[i], tip.y - y[i], tip.z));
            print_message("elastica PL^2/EI = %-2g %2d elements: error %.2e%s", load[i], 4 << j, error[j],
                          j > 0 ? "" : "\n");
            if (j > 0) print_message(", order %.2f\n", log2(error[j - 1] / error[j]));
        }
        assert_true(error[4] < 1e-6);
        assert_true(error[3] < 1e-6 || load[i] > 5.0);
        assert_true(log2(error[0] / error[1]) > 3.5); // EA, GA = 1e8 leave 1e-7, below which no order is seen
    }
}

// --- published beams ---------------------------------------------------------------------------------------

static const br_vec3 bend_points[3] = {{0.0, 0.0, 0.0},
                                       {7.612046748871325, 38.268343236508976, 0.0},
                                       {29.289321881345254, 70.710678118654752, 0.0}};

// Bathe & Bolourchi's 45-degree bend: R = 100, unit square, E = 1e7, nu = 0, tip load 600 across its plane.
static void bathe_bend_is_the_rods(void **state) {
    (void)state;
    br_beam_def def = beam_of(BR_LINE_ARC, bend_points, 3);
    def.section.shape = BR_SECTION_RECTANGLE;
    def.section.size[0] = def.section.size[1] = 1.0;
    def.section.E = 1e7;
    const br_vec3 start = bend_points[2], force = br_vec3_of(0.0, 0.0, 600.0);
    const rod r = {br_section_of(&def.section), br_vec3_of(0.0, 0.0, -0.01), br_line_section(&def, 0.0, 1),
                   br_line_length(&def), force};
    const br_vec3 exact = br_vec3_sub(tip_by_shooting(r), start);
    print_message("bend by shooting: %.6f %.6f %.6f\n", exact.x, exact.y, exact.z);
    double error[5];
    for (int j = 0; j < 5; ++j) {
        const br_vec3 u = br_vec3_sub(tip_of(&def, 4 << j, 6, force, br_vec3_zero()), start);
        error[j] = br_vec3_distance(u, exact);
        print_message("bend %2d elements: %.6f %.6f %.6f, error %.1e\n", 4 << j, u.x, u.y, u.z, error[j]);
    }
    for (int j = 1; j < 5; ++j) assert_true(log2(error[j - 1] / error[j]) > 1.8);
    assert_true(error[4] < 2e-5 * 60.0);
}

// Published: (-13.4, -23.5, 53.4), with eight straight elements and, as in most later papers, the polar moment 1/6 for
// the torsion constant. The rod's equations have (-13.605, -23.561, 53.476) with it, 0.38 % away, and with the square's own
// constant, 0.1406, (-13.732, -23.819, 53.608), 0.84 % away.
static void bathe_bend_is_the_published_one(void **state) {
    (void)state;
    br_beam_def def = beam_of(BR_LINE_ARC, bend_points, 3);
    def.section.EA = 1e7;
    def.section.GA_y = def.section.GA_z = 5e6 * 5.0 / 6.0;
    def.section.GJ = 5e6 / 6.0;
    def.section.EI_y = def.section.EI_z = 1e7 / 12.0;
    const br_vec3 published = br_vec3_of(-13.4, -23.5, 53.4), force = br_vec3_of(0.0, 0.0, 600.0);
    for (int n = 8; n <= 32; n *= 2) {
        const br_vec3 u = br_vec3_sub(tip_of(&def, n, 6, force, br_vec3_zero()), bend_points[2]);
        print_message("bend, polar moment, %2d elements: %.4f %.4f %.4f\n", n, u.x, u.y, u.z);
        assert_vec3_near(u, published, 0.005 * br_vec3_norm(published));
    }
}

// Princeton beam: tip load at angles from the stiff direction. Published ANSYS beam values, reference README.
static void princeton_beam_is_the_published_one(void **state) {
    (void)state;
    const double stiff[] = {.0107142, .0106133, .0101117, .0088372, .0066047, .0035389, 0.0};
    const double soft[] = {0.0, .0420823, .0793948, .108987937, .129887616, .142194370, .146245978};
    const br_vec3 line[2] = {{0.0, 0.0, 0.0}, {0.508, 0.0, 0.0}};
    br_beam_def def = beam_of(BR_LINE_POLYGON, line, 2);
    def.section.shape = BR_SECTION_RECTANGLE;
    def.section.size[0] = 12.3777e-3;
    def.section.size[1] = 3.2024e-3;
    def.section.E = 71.7e9;
    def.section.nu = 0.31;
    for (int i = 0; i < 7; ++i) {
        const double angle = i * BR_PI / 12.0, P = 8.896;
        const br_vec3 force = br_vec3_of(0.0, P * cos(angle), P * sin(angle));
        br_vec3 tip[4];
        for (int j = 0; j < 4; ++j) tip[j] = tip_of(&def, 4 << j, 6, force, br_vec3_zero());
        const double order = log2(br_vec3_distance(tip[1], tip[2]) / br_vec3_distance(tip[2], tip[3]));
        print_message(
            "princeton %2d degrees: %.7f %.7f (published %.7f %.7f), order %.2f, 8 elements off by %.1e\n",
            15 * i, tip[3].y, tip[3].z, stiff[i], soft[i], order, br_vec3_distance(tip[1], tip[3]));
        assert_near(tip[3].y, stiff[i], 0.01 * stiff[i] + 1e-12);
        assert_near(tip[3].z, soft[i], 0.01 * soft[i] + 1e-12);
        assert_true(order > 1.8);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_tip_loads_are_exact_with_one_element),
        cmocka_unit_test(roll_up_is_exact),
        cmocka_unit_test(elastica_is_found_with_fourth_order),
        cmocka_unit_test(bathe_bend_is_the_rods),
        cmocka_unit_test(bathe_bend_is_the_published_one),
        cmocka_unit_test(princeton_beam_is_the_published_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
