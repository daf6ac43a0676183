// Static equilibrium with the elements of the implicit stepper. Private to src/sim/implicit_static*.c.
//
//     implicit_static.c         the path: steps of the load or of arc length, limit points
//     implicit_static_solve.c   one point of it by Newton's method; what can move freely
//
// R(u, factor) = 0, K = dR/du, P = -dR/dfactor. R is scaled by 1/stiffness, so that K is of size 1.
#ifndef BR_SIM_IMPLICIT_STATIC_H
#define BR_SIM_IMPLICIT_STATIC_H

#include "bristle/statics.h"
#include "sim/implicit.h"

typedef struct br_static {
    br_implicit *f;
    int decaying;     // of the stepper, put back at the end
    double stiffness; // typical, N/m
    double
        force; // on a body, largest at the last factor and the first place: what residuals are relative to, N
    double span, arm;              // size of the mechanism, m; length that turns are measured with
    double loosened;               // added to rigid bodies' diagonals, of stiffness; 0: not needed
    int loosen_beams;              // and to those of beams' nodes
    char free[BR_MAX_STATIC_TEXT]; // a motion without stiffness that nothing pushes along; "": none
    int determinant;               // sign, of the last factors
    int determinant_0;             // of the unloaded mechanism
    int unstable;     // motions with a negative stiffness; -1: not known, the tangent is not symmetric
    double *sign;     // [unknowns] 1 for motions, -1 for rows: makes the tangent symmetric
    double *block;    // scratch of br_block_negative
    br_vec3 *x_start; // [nodes] where the call began
    // arc length
    double weight;   // of the factor, m
    double *by_load; // [unknowns] K^-1 P
    double *along;   // [unknowns] the last step
    double along_factor;
} br_static;

typedef enum br_static_outcome {
    BR_STATIC_FOUND = 0,
    BR_STATIC_DIVERGES,
    BR_STATIC_SINGULAR
} br_static_outcome;

typedef struct br_static_solution {
    br_static_outcome outcome;
    int iterations;
    double residual;
} br_static_solution;

// The mean over nodes of what two sets of unknowns have in common, m^2. Forces of rows have no part in it.
double br_static_dot(const br_static *s, const double *a, const double *b);
void br_static_step_taken(const br_static *s, double *out); // moves and turns from the step's start
br_status br_static_factor(br_static *s);                   // tangent at the nodes' ends, factored
void br_static_by_load(br_static *s);                       // by_load, with these factors and their residual
// At a given factor, from where the nodes are.
br_static_solution br_static_at_factor(br_static *s, double factor);
// At the distance `length` along the path, in the sense of s->along; the factor moves with it.
br_static_solution br_static_at_length(br_static *s, double length);
void br_static_begin(br_static *s);   // a step starts here
void br_static_go_back(br_static *s); // to its start
double br_static_residual(const br_static *s);
const char *br_static_most_pushed(br_static *s,
                                  double *force); // name of the body; N, at the factor that is set
// Scales of the mechanism; fails where it can move without any force.
br_status br_static_prepare(br_static *s, double until, br_error *error);

#endif
