// Stiffness and mass of sections. Shapes are homogeneous and isotropic, their centre on the line.
//
//     circle     I = pi r^4/4, J = 2 I
//     tube       the same, outer less inner
//     rectangle  I = a b^3/12, J by its series (St. Venant)
//     I          flanges along z, the web along y between them; J and shear as thin walls
//
// Shear corrections: [Cowper 1966], "The shear coefficient in Timoshenko's beam theory".
#include "flex/section.h"

#include "math/elementary.h"

// Area, area that shear sees, second moments about the axes, torsion constant.
typedef struct area {
    double A, A_y, A_z, I_y, I_z, J;
} area;

// Cowper's, for a ratio m of the radii; m = 0 is the full circle.
static area ring(double outer, double inner, double nu) {
    const double m2 = inner * inner / (outer * outer), s = (1.0 + m2) * (1.0 + m2);
    const double k = 6.0 * (1.0 + nu) * s / ((7.0 + 6.0 * nu) * s + (20.0 + 12.0 * nu) * m2);
    // (outer - inner) as a factor: nothing cancels in thin tubes
    const double A = BR_PI * (outer - inner) * (outer + inner);
    const double I = 0.25 * A * (outer * outer + inner * inner);
    const area r = {A, k * A, k * A, I, I, 2.0 * I};
    return r;
}

// Sum of 1/n^5 over odd n, 31/32 zeta(5).
#define ODD_FIFTH_POWERS 1.00452376279513961613351031500

// J = a b^3 (1/3 - 64/pi^5 b/a sum of tanh(n pi a/(2 b))/n^5 over odd n), a the longer side. Written with 1 - tanh,
// whose terms fall at least as exp(-pi n): those past n = 11 are below 1e-16.
static double torsion_of_rectangle(double y, double z) {
    const double a = fmax(y, z), b = fmin(y, z);
    double sum = ODD_FIFTH_POWERS;
    for (int n = 1; n <= 11; n += 2) sum -= 2.0 / (br_exp(n * BR_PI * a / b) + 1.0) / br_pow(n, 5.0);
    return a * b * b * b * (1.0 / 3.0 - 64.0 / br_pow(BR_PI, 5.0) * b / a * sum);
}

static area rectangle(double y, double z, double nu) {
    const double A = y * z, k = 10.0 * (1.0 + nu) / (12.0 + 11.0 * nu);
    const area r = {A, k * A, k * A, A * z * z / 12.0, A * y * y / 12.0, torsion_of_rectangle(y, z)};
    return r;
}

// Between the flanges' middles, d = height - flange, shear along y flows through the web; shear along z is carried by
// two rectangles.
static area i_section(const double size[4]) {
    const double height = size[0], width = size[1], web = size[2], flange = size[3];
    const double d = height - flange, inside = height - 2.0 * flange;
    area r;
    r.A = 2.0 * width * flange + inside * web;
    r.A_y = web * d;
    r.A_z = 5.0 / 6.0 * 2.0 * width * flange;
    r.I_y = (2.0 * flange * br_pow(width, 3.0) + inside * br_pow(web, 3.0)) / 12.0;
    r.I_z = width * flange * (d * d / 2.0 + flange * flange / 6.0) + web * br_pow(inside, 3.0) / 12.0;
    r.J = (2.0 * width * br_pow(flange, 3.0) + d * br_pow(web, 3.0)) / 3.0;
    return r;
}

static area area_of(const br_section_def *def) {
    switch (def->shape) {
    case BR_SECTION_CIRCLE:
        return ring(def->size[0], 0.0, def->nu);
    case BR_SECTION_TUBE:
        return ring(def->size[0], def->size[1], def->nu);
    case BR_SECTION_RECTANGLE:
        return rectangle(def->size[0], def->size[1], def->nu);
    case BR_SECTION_I:
    case BR_SECTION_GIVEN:
        break;
    }
    return i_section(def->size);
}

// Inertia that is not given is that of an even section: mass/EA is density over E, so rho I = mass EI/EA.
static br_section section_as_given(const br_section_def *def) {
    const double per = def->mass / def->EA;
    const double J_y = def->inertia[1] > 0.0 ? def->inertia[1] : per * def->EI_y;
    const double J_z = def->inertia[2] > 0.0 ? def->inertia[2] : per * def->EI_z;
    const br_section s = {{def->EA, def->GA_y, def->GA_z, def->GJ, def->EI_y, def->EI_z},
                          def->mass,
                          {0.0, def->offset_y, def->offset_z},
                          {def->inertia[0] > 0.0 ? def->inertia[0] : J_y + J_z, J_y, J_z}};
    return s;
}

br_section br_section_of(const br_section_def *def) {
    if (def->shape == BR_SECTION_GIVEN) return section_as_given(def);
    const area a = area_of(def);
    const double E = def->E, G = 0.5 * E / (1.0 + def->nu), rho = def->density;
    const br_section s = {{E * a.A, G * a.A_y, G * a.A_z, G * a.J, E * a.I_y, E * a.I_z},
                          rho * a.A,
                          {0.0, def->offset_y, def->offset_z},
                          {rho * (a.I_y + a.I_z), rho * a.I_y, rho * a.I_z}};
    return s;
}
