// A frictional contact problem held in memory, in the velocity form of bristle/solver.h and nothing else: bodies of six
// velocities (linear, then angular, in the world frame), contacts of three rows (normal, tangent, tangent).
//
//     M v = f + J^T p,    w = J v + b,    cone of coefficient mu at each contact
#ifndef BENCH_CONTACT_H
#define BENCH_CONTACT_H

#include "bristle/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BODY_DIM = 6, CONTACT_DIM = 3, MASS_BLOCK = 36, JACOBIAN_BLOCK = 18 };

typedef struct contact_problem {
    int bodies, contacts;
    double *mass;     // [bodies][6][6], kg and kg m2
    double *momentum; // [bodies][6], f = M v*
    int *block_start; // [contacts + 1]: the Jacobian blocks of each contact, one (against the ground) or two
    int *block_body;  // [blocks]
    double *jacobian; // [blocks][3][6]
    double *offset;   // [contacts][3], b in m/s
    double *mu;       // [contacts]
    // What only the view of it as a br_problem needs.
    int *node_dim, *mass_start, *mass_node;
    br_law *law;
} contact_problem;

// Bodies must be complete before contacts are added. All of these end the program when memory runs out.
contact_problem *contact_problem_create(int bodies, int contacts, int blocks);
contact_problem *contact_problem_copy(const contact_problem *source);
void contact_problem_destroy(contact_problem *problem); // accepts NULL

// Fills the fields that br_problem borrows from mu and the sizes; call it when those are final.
void contact_problem_finish(contact_problem *problem);
br_problem contact_problem_view(const contact_problem *problem);

// GFC3D `.cp` files. On failure read returns NULL and message says why, with the line.
contact_problem *contact_problem_read(const char *path, char *message, int message_size);
int contact_problem_write(const contact_problem *problem, const char *path,
                          const char *comment); // 0: written

// Memory or the end of the program: a benchmark has nothing better to do.
void *bench_alloc(long count, long size);

#ifdef __cplusplus
}
#endif

#endif
