// The interior-point side of the laws: each keeps its impulses strictly inside their bounds and its slacks positive,
// with every product on the central path equal to kappa.
//
//     normal, unilateral   a s = kappa,                          a = p_n, s -> w_n
//     cone                 (mu a, p_t) o (psi, omega_t) = kappa e, psi -> |w_t|, omega_t -> w_t   (Jordan product)
//     faces                u_k psi_k = kappa, u_k = h_k a - n_k.p_t, w_t = -sum n_k psi_k        (box, polygon)
//
// Slacks of the cone are unknowns of their own (infeasible method): g = w - omega shrinks by 1 - alpha each step.
#ifndef BR_LCP_BARRIER_BARRIER_H
#define BR_LCP_BARRIER_BARRIER_H

#include "lcp/barrier/cone_pair.h"
#include "lcp/island/island.h"

struct br_lcp_barrier {
    const int *start; // [laws + 1], offsets into slack
    double *slack;    // s, then psi and omega or the faces' psi
    double *dslack;
    double *corr;           // second-order products of the predictor, subtracted from kappa; zero without one
    br_lcp_cone_pair *cone; // [laws], of cone laws: what the step's second half needs of the first
    int pairs;              // complementary pairs counted, the cone's as two
    double equality_weight; // proximal weight of equality rows
};

// Everything from the arena; slack sizes depend on kinds and sides only.
struct br_lcp_barrier *br_lcp_barrier_create(br_arena *arena, const br_lcp_island *island,
                                             const br_problem *problem);

// Moves p inside and sets slacks, given p and w of some first guess; a0 is the size of an impulse (sqrt energy).
void br_lcp_barrier_init(struct br_lcp_barrier *b, br_lcp_island *island, double a0);

// P dp + Q dw = R for every law: P and Q do not depend on kappa, R does.
void br_lcp_barrier_linearize(struct br_lcp_barrier *b, br_lcp_island *island);
void br_lcp_barrier_right_side(struct br_lcp_barrier *b, br_lcp_island *island, double kappa);

// After island->step_p and dw (rows, without C) are known: dslack, and the longest step that
// stays inside.
double br_lcp_barrier_longest_step(struct br_lcp_barrier *b, br_lcp_island *island, const double *dw,
                                   double kappa);

// Mehrotra's correction: the products that the predictor step, in step_p and dslack, leaves over. Returns
// their sum: after a predictor step of length alpha the gap is (1 - alpha) gap + alpha^2 sum.
double br_lcp_barrier_correct(struct br_lcp_barrier *b, const br_lcp_island *island);
void br_lcp_barrier_no_correction(struct br_lcp_barrier *b, const br_lcp_island *island);

void br_lcp_barrier_move(struct br_lcp_barrier *b, br_lcp_island *island, double alpha); // p and slacks

// Sum of products and the infeasibility |w - omega| for the current w.
double br_lcp_barrier_gap(const struct br_lcp_barrier *b, const br_lcp_island *island, double *infeasibility);

#endif
