// The arrays of one step's complementarity problem in velocities. Private to contact/problem.c, contact/solve.c,
// contact/stabilize.c and contact/problem_judge.c.
#ifndef BR_SIM_CONTACT_PROBLEM_H
#define BR_SIM_CONTACT_PROBLEM_H

#include "sim/contact/contact.h"

// Residual at which the answer of a pile of bodies, where more takes long, serves the step.
#define BR_EPS_USABLE_PILE 3e-4

// A tree of links that hangs on the world by one joint: one node of the problem, its velocities one dense block.
typedef struct br_contact_node {
    int links, *link; // rising
    int nv, *dof;     // velocities, rising
    int mass_at;      // of its block in `mass`
    int constant;     // one free body whose mass matrix never changes
    int local;        // its number in the present problem; -1: takes no part
} br_contact_node;

// What the rows of one law of the problem are.
typedef enum br_block_of {
    BR_BLOCK_CONTACT = 0, // a touch: all of its law, or the normal alone
    BR_BLOCK_TANGENTS,    // its tangents, of lagged laws
    BR_BLOCK_ROLLING,
    BR_BLOCK_TORSION,
    BR_BLOCK_GROUP // a group of other rows
} br_block_of;

typedef struct br_contact_block {
    br_block_of of;
    int index; // of the touch, or of the group
} br_contact_block;

static inline int br_block_is_group(br_contact_block block) {
    return block.of == BR_BLOCK_GROUP;
}

static inline int br_block_turns(br_contact_block block) { // rows of a moment, not of a force
    return block.of == BR_BLOCK_ROLLING || block.of == BR_BLOCK_TORSION;
}

struct br_contact_problem {
    br_solver *solver;
    long solved;  // steps that were taken before the one whose problem this is; -1: of none
    double t;     // where that step began
    int ready;    // the solver is set up for `pattern`
    int patterns; // set up so far: the present one's number
    int nodes;
    br_contact_node *node;
    int *node_of, *column; // [links], [nv]
    double *mass;          // all nodes' blocks; of those with a constant one: that
    br_spatial *composite; // [links] scratch
    double *v_free;        // [nv] velocities of the free motion at theta
    // of the present problem; grown when needed
    int law_capacity, row_capacity, block_capacity, jacobian_capacity;
    int laws, rows, blocks, numbers, velocities;
    br_law *law;
    br_contact_block *block;                           // [laws]
    int *jacobian_start, *jacobian_node, *jacobian_at; // at: of each block in jacobian
    double *jacobian, *offset, *compliance, *p, *p_first, *w;
    double *p_last;                               // of the last answer, and
    int last_rows, last_laws;                     // how many there were
    int near;                                     // this answer is drawn near to it
    int *pattern, pattern_size, pattern_capacity; // what the solver is set up for, and
    int *pattern_new;                             // of the present problem
    int locals, *local;                           // nodes that take part
    int *node_dim, *mass_start, *mass_node;
    double *mass_packed, *momentum, *v;
    const double **mass_of;  // [locals] blocks in mass_packed
    int *velocity_at;        // [locals] first velocity in momentum and v
    unsigned char *left_out; // [groups] limits that are far from being reached
    int all_limits;          // none is left out
    double *softened; // [rows] of lcp_epsilon, added to the compliance; what it takes, NULL: there is none
    double *soften_factor, *soften_row;
    br_problem problem;
};

int br_contact_limits_hold(const br_sim *sim,
                           const double *v); // those left out, at the velocities of the answer

// Blocks, nodes and Jacobians for the touches and groups at hand. BR_NO_MEMORY when they could not grow.
br_status br_contact_assemble(br_sim *sim, br_error *error);
const double *br_contact_jacobian(const struct br_contact_problem *P, int law, int entry, int *node);
// out [rows of the law] := J v, v in tree velocities.
void br_contact_velocity(const struct br_contact_problem *P, int law, const double *v, double *out);
void br_contact_add_impulse(struct br_contact_problem *P, int law, const double *p); // momentum += J^T p
br_status br_contact_setup(br_sim *sim, br_error *error); // of the solver, if the pattern is new

// Whether an answer serves the step, and the error where it does not; contact/problem_judge.c.
void br_contact_allow(const br_sim *sim,
                      const struct br_contact_problem *P); // solver.max_work, before a solve and ...
void br_contact_cut(br_sim *sim, const struct br_contact_problem *P,
                    const br_solve_report *report); // ... after it
int br_contact_usable(const br_sim *sim, const struct br_contact_problem *P, const br_solve_report *report);
br_status br_contact_unsolved(const br_sim *sim, const struct br_contact_problem *P,
                              const br_solve_report *report, br_error *error);
void br_contact_mark_wedged(br_sim *sim,
                            const struct br_contact_problem *P); // by the answer that was no answer
br_status br_contact_not_finite(const br_sim *sim, const struct br_contact_problem *P, br_error *error);

#endif
