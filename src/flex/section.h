// Sections of beams: stiffness and mass per length, from numbers or from a shape and a material.
//
// Axes: x along the line, y and z principal axes of the section. Strain (gamma_x, gamma_y, gamma_z, kappa_x, kappa_y,
// kappa_z), stress (N, V_y, V_z, T, M_y, M_z) = C strain.
#ifndef BR_FLEX_SECTION_H
#define BR_FLEX_SECTION_H

#include "bristle/model.h"

typedef struct br_section {
    double C[6];       // EA, GA_y, GA_z, GJ, EI_y, EI_z
    double mass;       // kg/m
    br_vec3 offset;    // (0, y, z) of the centre of mass from the line, m
    double inertia[3]; // per length about the centre of mass, section axes, kg m
} br_section;

// The definition was validated. Shear corrections of shapes: circle and tube by Cowper, rectangle
// 10 (1 + nu)/(12 + 11 nu), I: the web's area between the flanges' middles, 5/6 of the flanges'. Torsion:
// circle and tube exact, rectangle by its series, I as thin walls.
br_section br_section_of(const br_section_def *def);

#endif
