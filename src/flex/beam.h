// The geometrically exact beam element: two nodes, finite rotations, shear, extension, torsion.
//
//     line       x_k + R_k p_k          section axes   A_k = R_k Q_k          k = 1, 2, of the nodes' poses
//     phi        log(A_1^T A_2), the relative rotation vector, shorter than pi
//     strain     ( J(phi)^-1 A_1^T (X_2 - X_1)/l ,  phi/l ) - strain_0, J = br_rotation_jacobian
//     energy     l/2 strain . C strain
//
// The strain is the logarithm of the relative pose over l: constant strain, that is every circle and helix, is
// exact for elements of any size. The residual-bending correction 1/GA + l^2/(12 EI) on shear makes the nodes of straight beams
// under end loads exact in the linear limit. Together: order 4 in the plane, order 2 in space.
//
// With the correction most of the shear strain g is bending, which turns the line: the axial strain gets bend g^2/2 on top,
// else the shear spring, 12 EI/l^2, would give way to a tension of its own size.
//
// Derivatives are by (x_1, psi_1, x_2, psi_2): moves of the nodes and rotations of them in world axes.
//
// Two forms. `instant`: at one configuration. `discrete`: between two, D (dx_1, turn_1, dx_2, turn_2) = strain_end -
// strain_start to rounding, where turn is the Cayley vector of R_end R_start^T, 2 tan(angle/2) axis in world axes: so
// every vector d fixed in a node has d_end - d_start = turn x (d_start + d_end)/2. It keeps linear and angular
// momentum: forces D^T stress add up to zero, and so do their moments with the mean positions (x_start + x_end)/2.
//
// At a relative rotation of pi the strain has two values, phi and -phi: numbers stay finite but mean nothing there.
// Rounding grows as 1/cos(|phi|/2)^2 on the way.
#ifndef BR_FLEX_BEAM_H
#define BR_FLEX_BEAM_H

#include "flex/section.h"

typedef struct br_beam_element {
    double length;      // l, unstressed, m
    br_mat3 Q[2];       // section axes in the nodes' axes
    br_vec3 p[2];       // the line from the nodes' origins, nodes' axes, m
    double C[6];        // with the residual-bending correction
    double strain_0[6]; // of the unstressed line
    double bend[2]; // 1 - C'/GA along y, z: the part of the shear strain that is bending within the element
} br_beam_element;

typedef struct br_beam_ends {
    br_vec3 x[2];
    br_mat3 R[2];
} br_beam_ends;

// Q, p, length and the section are given; fills in C and strain_0 at the unstressed poses.
void br_beam_prepare(br_beam_element *e, const br_section *section, const br_beam_ends *unstressed);

void br_beam_strain(const br_beam_element *e, const br_beam_ends *at, double strain[6]);

// Stress (N, V_y, V_z, T, M_y, M_z) at a point of the element, 0 .. 1, in the axes of the section there; push: what the element
// does to its nodes, world axes, about their origins. At its ends it is that, so that sections agree with reactions and loads
// whatever the size of the element.
void br_beam_section_stress(const br_beam_element *e, const br_beam_ends *at, const br_wrench push[2],
                            double where, double stress[6]);

// strain and D = d strain / d q.
void br_beam_instant(const br_beam_element *e, const br_beam_ends *at, double strain[6], double D[6][12]);
// K = d(D^T stress)/d q at fixed stress. In Newton's method give it the stress that the last correction led to expect,
// C (strain + D dq), not the one found: for thin beams it converges then and not otherwise (docs/theory/beam.md).
void br_beam_instant_stiffness(const br_beam_element *e, const br_beam_ends *at, const double stress[6],
                               double K[12][12]);

// The same between two configurations; K is by the end configuration.
void br_beam_discrete(const br_beam_element *e, const br_beam_ends *start, const br_beam_ends *end,
                      double D[6][12]);
void br_beam_discrete_stiffness(const br_beam_element *e, const br_beam_ends *start, const br_beam_ends *end,
                                const double stress[6], double K[12][12]);

#endif
