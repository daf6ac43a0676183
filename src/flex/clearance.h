// Clearance joints at one configuration: the gap, where contact would be, and their derivatives.
//
//     planar, spherical   q = rho_k - rho_l - |u|                                   [BauchauJu2006 eq. 2]
//     spatial             q = min over phi of rho_k - rho_l h_1 - d_1 . u           [BauchauJu2006 eqs. 11-13]
//
// K is the outer race, L the inner; u the centre of L from that of K; e_3 their axes. World axes.
// delta q = -n . delta u + m_k . psi_k + m_l . psi_l [BauchauJu2006 eqs. 3, 14]. Sliding velocity of the contact point
// of L against that of K: du/dt + omega_l x arm_l - omega_k x arm_k, less its part along n [eqs. 5, 16].
#ifndef BR_FLEX_CLEARANCE_H
#define BR_FLEX_CLEARANCE_H

#include "bristle/model.h"

typedef struct br_race_pair {
    br_clearance_type type;
    double rho_k, rho_l; // m
    br_vec3 u;           // centre of L - centre of K
    br_mat3 E_k;         // axes of K: columns e_1, e_2, e_3
    br_vec3 e_l;         // axis of L; not for spherical
} br_race_pair;

typedef struct br_race_contact {
    double gap;           // q, m; negative: pressed in
    double phi;           // spatial: the angle found
    br_vec3 n;            // unit, from K's axis towards its wall: n or d_1
    br_vec3 arm_k, arm_l; // contact point from the centres: rho n, or lambda and rho_l d_1^l
    br_vec3 m_k, m_l;     // see the head of the file
    // Derivatives by (delta u, psi_k, psi_l), where psi are rotations of K and L, world axes.
    double gap_by[9];
    double n_by[3][9], arm_k_by[3][9], arm_l_by[3][9], m_k_by[3][9], m_l_by[3][9];
} br_race_contact;

// Centred (u = 0; spatial: every phi as good as another), n is taken along `hint` (a unit vector, the last n) and its
// derivatives are zero. derivatives: nonzero to fill in the *_by arrays, which are left alone else.
void br_race_contact_of(const br_race_pair *pair, br_vec3 hint, int derivatives, br_race_contact *out);

#endif
