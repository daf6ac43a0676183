// Shapes that touch in a step of the implicit stepper. Private to it.
//
//     touching.c         where shapes touch, the forces of a step, what is kept and booked
//     touching_solve.c   forces of contacts within Newton's method
//
// The laws are those of the contact stepper (sim/contact/law.c) with theta 1/2: points, normals and arms are those of the middle of the
// step as its start foresees it, and velocities w are means over the step, which the laws know together with those at its start. So
//
//     w = J (dx, turn)/h          the work of p over the step is p . w, to the last digit
//
// and everything else (beams, joints, springs) answers with the matrix A of Newton's method, elastic forces included:
//
//     w = w_free + W p',   W = J A^-1 J^T/(theta h^2),   p' = theta h (forces)
//
// Each iteration solves this one complementarity problem for all contacts, until moves and forces are those of one another.
#ifndef BR_SIM_STEPPER_IMPLICIT_TOUCHING_H
#define BR_SIM_STEPPER_IMPLICIT_TOUCHING_H

#include "sim/contact/problem.h"
#include "sim/stepper/implicit/implicit.h"

// A row of a contact: what a unit of its force is on its two nodes, at their centres of mass.
typedef struct br_touching_row {
    int node[2];
    br_wrench on[2];
} br_touching_row;

struct br_touching {
    br_solver *solver;
    int ready, pattern; // the solver is set up for laws of `known`, and the number of that pattern
    int laws, rows;     // of the step
    int known_laws, known_rows;
    int law_capacity, row_capacity, known_capacity;
    size_t reply_capacity;
    br_law *law;
    int *known;              // [known_laws * 3] kind, rows, sides
    br_contact_block *block; // [laws]
    br_touching_row *row;
    double *offset, *total, *compliance; // [rows] of the laws; with w_free
    double *p, *w, *w_free;              // of the last problem
    double *p_now;                       // that the evaluation at hand has
    double *p_first;                     // of a blow's first phase
    double *reply;                       // [rows * unknowns] A^-1 J^T
    double *W;                           // [rows * rows]
    int *start, *column;
    int *fixed;       // [rows] nothing moves along it
    double softness;  // of the step: part of W by which tangents give way, where something jams; else 0
    int begun, warm;  // of the step: bases and phases are chosen; p is a guess
    int wedged;       // the same: how often the step was taken again because of what jams
    br_wrench *force; // [nodes] of the evaluation
    br_vec3 *middle;  // [nodes] centres of mass
    int *node_at;     // [nodes] first of its unknowns
    // of a step that stands, J
    double friction, impact, damping, scheme, stored;
    int unsolved;    // the last problem had no answer,
    int no_memory;   // for want of memory
    br_error failed; // where that was an error: which
};

br_status br_touching_create(br_implicit *f, br_error *error); // none possible: f->touching stays NULL
void br_touching_destroy(br_sim *sim);

// Contacts of a step of length f->h from the nodes' starts. *shorter: s, a step that ends where something that is not touched yet is
// reached, 0 where this one will do.
br_status br_touching_begin(br_implicit *f, double *shorter, br_error *error);
// The same at an instant: what contacts do to accelerations, by a step with theta 1 whose positions stay. f->h: its length.
br_status br_touching_begin_instant(br_implicit *f, br_error *error);
void br_touching_take(br_implicit *f); // forces on the nodes, of the impulses at hand

// Once a step stands: forces, states and the books of contacts; and after its time is the state's, what is read of them.
void br_touching_finish(br_implicit *f);
void br_touching_keep(br_implicit *f);
// The step was not solved, or its normal impulses work far more than there is to work on: joints leave a contact next to no room, and forces
// without measure cancel each other. 1: it should be taken again, tangents giving way by a little; at most twice.
int br_touching_jams(br_implicit *f);
int br_touching_lands(const br_implicit *f); // something begins to touch in the step at hand
double br_touching_rate(const br_implicit *f,
                        int row); // velocity of a row in the evaluation at hand, of a step the mean one

#endif
