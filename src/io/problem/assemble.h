// From what a file holds to a br_problem.
#ifndef BR_IO_PROBLEM_ASSEMBLE_H
#define BR_IO_PROBLEM_ASSEMBLE_H

#include "base/arena.h"
#include "io/problem/data.h"

// The data has passed br_io_data_check and outlives the problem, which borrows from it. *node_dim is set for GFC, else 0.
br_status br_io_assemble(const io_data *d, br_arena *keep, br_arena *scratch, br_problem *out, int *node_dim,
                         br_error *error);

// M v = f + J^T p in nodes of equal size.
br_status br_io_assemble_velocity(const io_data *d, const br_law *laws, int law_count, br_arena *keep,
                                  br_arena *scratch, br_velocity_form *out, int *node_dim, br_error *error);

// The number of velocities that belong together in a node. J is H' (with G' below it), laws name its rows.
int br_io_choose_node_dim(const io_sparse *M, const io_sparse *J, const br_law *laws, int law_count,
                          int dimension);

#endif
