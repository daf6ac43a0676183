// The factor as analyze lays it out and factor and solve use it. Private to the block_*.c files.
//
// Nodes are renumbered: `position` is a node's place in the elimination order. Consecutive positions with (nearly)
// the same pattern below them form a supernode s of `width` scalar columns and `below` scalar rows under its
// pivot block. Three column-major panels hold its values, first A, then the factor:
//
//     pivot   width x width   A_ss, then its LU (or LDL^T in the lower half)
//     lower   below x width   A_is, then L_is = A_is U_s^-1
//     mirror  below x width   (A_si)^T, then U_si^T; the symmetric factorization writes L_is D_s there
//
// With both halves stored the same way, every update has one form: X -= P Q^T.
#ifndef BR_LINALG_BLOCK_H
#define BR_LINALG_BLOCK_H

#include "linalg/block_kernels.h"
#include "linalg/block_ldu.h"

// A panel this wide still has its pivot block, a strip of rows and a packed operand in the first-level cache. Wider
// supernodes are split; a single node may be wider and is not.
enum { BR_BLOCK_MAX_WIDTH = 48 };

typedef struct br_supernode {
    int first, end;                 // positions of its nodes: first .. end - 1
    int scalar;                     // first scalar column in elimination order
    int width, below;               // scalar columns, scalar rows under the pivot block
    int row_begin, row_end;         // in `rows`: positions of the nodes under the pivot block, ascending
    int update_begin, update_end;   // in `updates`: what earlier supernodes subtract from this one
    int pivot_stride, panel_stride; // doubles from one column to the next
    double *pivot, *lower, *mirror;
} br_supernode;

// Rows row_begin .. row_end - 1 of `source` are nodes of the updated supernode.
typedef struct br_block_update {
    int source, row_begin, row_end;
} br_block_update;

// `length` consecutive scalar rows, from `from` in the source panel to `to` in the target panel.
typedef struct br_block_run {
    int from, to, length;
} br_block_run;

struct br_block_ldu {
    int n, scalar_size, n_super;
    br_block_symmetry symmetry;
    double flops;
    size_t value_count, nonzeros;

    int *position;       // of each node
    int *node;           // at each position
    int *offset;         // n + 1: first scalar row of each position, in elimination order
    int *caller_offset;  // n: first scalar row of each node, in the callers' order
    int *super_of;       // supernode of each position
    br_supernode *super; // n_super, in elimination order
    int *rows;           // positions
    int *row_offset;     // beside rows: first scalar row inside the panel
    br_block_update *updates;

    double *values;  // all panels, one after the other
    int *exchange;   // scalar_size: row exchanges inside each pivot block
    double *inverse; // scalar_size: 1 / pivot
    double *limit;   // scalar_size: a pivot of this size or less is singular
    double *weight;  // scalar_size: of a row in the search for a pivot
    // Scratch: sizes are the largest that any supernode needs.
    double *x, *gather, *product, *packed;
    int *place; // n: scalar row of a position in the target panel
    br_block_run *row_runs, *column_runs;
    const br_block_kernels *kernels;
};

// block_order.c, block_dissect.c: elimination order of a graph without loops or repeats. order[k] is the node eliminated k-th.
// scratch gives back nothing; the caller frees it.
typedef struct br_block_graph {
    int n;
    const int *start;     // n + 1
    const int *neighbour; // start[n]
    const int *dims;
    int last; // so many of the last nodes are eliminated after all others
} br_block_graph;
br_status br_order_minimum_degree(br_arena *scratch, const br_block_graph *graph,
                                  int *order); // dims not used
br_status br_order_dissection(br_arena *scratch, const br_block_graph *graph, int *order);

// block_tree.c. Places are the chosen elimination order, before supernodes are brought together.
typedef struct br_block_tree {
    int n;
    int *order, *place; // order[k] is the node at place k, and back
    int *dims;          // by place
    int *parent;        // by place; -1 at a root
    int *below;         // scalar rows under the diagonal block
    int *top;           // last place of the supernode that a place belongs to
} br_block_tree;
br_status br_tree_build(br_arena *scratch, const br_block_graph *graph, br_block_tree *t); // all but top
br_status br_tree_merge(br_arena *scratch, br_block_tree *t);                              // top
// Numbers the supernodes in postorder. number[k] (k a top) is the supernode, super_parent its parent or -1.
br_status br_tree_number(br_arena *scratch, const br_block_tree *t, int *number, int *super_parent,
                         int *n_super);

// block_diagonal.c: pivot blocks. limit[k] as above; 0, or k + 1 when pivot k is at or below it or not finite. Among
// the rows, the pivot is the one with the largest weight[r] |entry|; weight is exchanged with the rows.
int br_pivot_lu(const br_block_kernels *kernels, int n, double *A, int stride, const double *limit,
                double *weight, int *exchange, double *inverse, double *packed);
int br_pivot_ldl(const br_block_kernels *kernels, int n, double *A, int stride, const double *limit,
                 double *inverse, double *packed);
void br_pivot_lu_lower(int n, const double *LU, int stride, const int *exchange, double *x); // x := L^-1 P x
void br_pivot_lu_upper(int n, const double *LU, int stride, const double *inverse, double *x);
void br_pivot_ldl_lower(int n, const double *LD, int stride, double *x); // x := L^-1 x
void br_pivot_ldl_upper(int n, const double *LD, int stride, const double *inverse,
                        double *x); // (D L^T)^-1 x

#endif
