// Eigenvalues of small symmetric matrices.
#ifndef BR_LINALG_SYMMETRIC_H
#define BR_LINALG_SYMMETRIC_H

// Eigenvectors (rows of turn) and values of a symmetric matrix by Jacobi's rotations. S is overwritten. Bit-reproducible.
void br_symmetric_eigen(int n, double *S, double *turn, double *values);

#endif
