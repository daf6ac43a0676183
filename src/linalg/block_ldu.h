// Block-sparse direct factorization of a square matrix with symmetric block pattern, for H = M + J^T G J on the
// graph of bodies and for Newton matrices on the graph of contacts.
//
//     analyze once per pattern:  AMD ordering (or nested dissection), elimination tree, fill, supernodes
//     then, per matrix:          br_block_clear, br_block_at to add entries, br_block_factor, br_block_solve
//
// Values are assembled straight into the factor's own storage, so that there is no copy. Pivot blocks are kept
// factored (LU with partial pivoting inside the block, or Cholesky-like LDL^T when symmetric), never inverted.
// Nothing after analyze allocates. Results depend only on the pattern and the values: same bits on every run.
#ifndef BR_LINALG_BLOCK_LDU_H
#define BR_LINALG_BLOCK_LDU_H

#include "base/arena.h"

typedef struct br_block_ldu br_block_ldu;

typedef enum br_block_symmetry {
    BR_BLOCK_SYMMETRIC, // A = L D L^T; only br_block_at(i, j) for the returned orientation is read, see below
    BR_BLOCK_GENERAL,   // A = L D U, values unsymmetric on a symmetric pattern
} br_block_symmetry;

// n nodes of dims[i] >= 1 scalar rows each; pairs holds n_pairs (i, j) couples, i != j, in any order, repeats
// allowed: both A_ij and A_ji become structurally nonzero. Taken from the arena, lives as long as it.
br_status br_block_analyze(br_arena *arena, int n, const int *dims, int n_pairs, const int (*pairs)[2],
                           br_block_ldu **out, br_error *error);

// The same with the caller's scratch memory, which is reset first: no call of the allocator once it is large enough.
br_status br_block_analyze_with(br_arena *arena, br_arena *scratch, int n, const int *dims, int n_pairs,
                                const int (*pairs)[2], br_block_ldu **out, br_error *error);

// The same, but *out is NULL, and BR_OK, where the factor's values would take more than most_bytes.
br_status br_block_analyze_within(br_arena *arena, br_arena *scratch, int n, const int *dims, int n_pairs,
                                  const int (*pairs)[2], size_t most_bytes, br_block_ldu **out,
                                  br_error *error);

// The same with the last n_last nodes eliminated after all others: rows without a diagonal of their own.
br_status br_block_analyze_last(br_arena *arena, int n, const int *dims, int n_pairs, const int (*pairs)[2],
                                int n_last, br_block_ldu **out, br_error *error);

int br_block_scalar_size(const br_block_ldu *f); // sum of dims
long br_block_factor_nonzeros(const br_block_ldu *f);
double br_block_factor_flops(
    const br_block_ldu *f); // estimate for one general factorization; NULL: beyond all others

// Where a block lives. `value` points at its first entry; entry (r, c) of A_ij is value[r * row_stride +
// c * col_stride]. In a symmetric factorization only one of A_ij and A_ji is stored: `stored` is 0 for the other
// one (for i == j the whole block is stored, symmetric input expected, only its lower half used).
typedef struct br_block_ref {
    double *value;
    int row_stride, col_stride;
    int stored;
} br_block_ref;

// The couple must be in the pattern (or i == j): asserts otherwise. Valid as long as f; callers cache it.
// With BR_BLOCK_GENERAL every block is stored.
br_block_ref br_block_at(br_block_ldu *f, br_block_symmetry symmetry, int i, int j);

void br_block_clear(br_block_ldu *f); // all entries to zero, before assembling

// Returns BR_OK or BR_NUMERICAL; *bad_node (may be NULL) is then the node whose pivot block was singular, that is
// smaller than tiny times the largest entry assembled in its pivot block.
br_status br_block_factor(br_block_ldu *f, br_block_symmetry symmetry, double tiny, int *bad_node);

// After a symmetric factorization: how many pivots are negative; 0 means that A is positive definite.
int br_block_negative_pivots(const br_block_ldu *f);

// The smallest of its pivots, without its sign.
double br_block_least_pivot(const br_block_ldu *f);

// After a general factorization: the sign of the determinant, 1 or -1.
int br_block_determinant_sign(const br_block_ldu *f);

// After a general factorization of A: how many eigenvalues of diag(sign) A, which is symmetric, are negative.
// sign: [scalar size] 1 or -1, in the callers' order. scratch: the square of br_block_widest. asymmetry: how far pivot
// blocks were from symmetric, relative to their largest entries; the count means something only where that is small.
int br_block_negative(const br_block_ldu *f, const double *sign, double *scratch, double *asymmetry);
int br_block_widest(const br_block_ldu *f);

// x := A^-1 x, x in the callers' node order.
void br_block_solve(br_block_ldu *f, double *x);

#endif
