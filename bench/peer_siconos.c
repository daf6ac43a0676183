// Siconos numerics: frictional contact in Delassus form. Gauss-Seidel walks block rows and gets W as blocks; the other
// two factorize and get it as a sparse matrix.
#include "peer.h"

#ifdef BENCH_HAVE_SICONOS

#include <siconos/numerics/FrictionContactProblem.h>
#include <siconos/numerics/Friction_cst.h>
#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/NumericsMatrix.h>
#include <siconos/numerics/SolverOptions.h>
#include <siconos/numerics/SparseBlockMatrix.h>
#include <stdlib.h>
#include <string.h>

// Caps so high that the clock ends a solve first.
#define MAX_SWEEPS 10000000
#define MAX_NEWTON 10000

typedef struct siconos_state {
    FrictionContactProblem problem;
    SolverOptions *options;
    int solver;
    double tol;
    double *reaction, *velocity;
} siconos_state;

static NumericsMatrix *as_sparse(const delassus *W)
{
    const int n = CONTACT_DIM * W->contacts;
    NumericsMatrix *matrix = NM_create(NM_SPARSE, n, n);
    NM_triplet_alloc(matrix, 9L * W->row_start[W->contacts]);
    for (int c = 0; c < W->contacts; c++) {
        for (int k = W->row_start[c]; k < W->row_start[c + 1]; k++) {
            for (int i = 0; i < 9; i++) {
                if (W->block[9L * k + i] != 0)
                    NM_entry(matrix, CONTACT_DIM * c + i / 3, CONTACT_DIM * W->column[k] + i % 3, W->block[9L * k + i]);
            }
        }
    }
    return matrix;
}

static NumericsMatrix *as_blocks(const delassus *W)
{
    const int nc = W->contacts, blocks = W->row_start[nc];
    SparseBlockStructuredMatrix *matrix = SBM_new();
    matrix->nbblocks = (unsigned)blocks;
    matrix->blocknumber0 = matrix->blocknumber1 = (unsigned)nc;
    matrix->blocksize0 = bench_alloc(nc, sizeof(unsigned));
    matrix->blocksize1 = bench_alloc(nc, sizeof(unsigned));
    matrix->filled1 = (size_t)nc + 1;
    matrix->filled2 = (size_t)blocks;
    matrix->index1_data = bench_alloc(nc + 1L, sizeof(size_t));
    matrix->index2_data = bench_alloc(blocks, sizeof(size_t));
    matrix->block = bench_alloc(blocks, sizeof(double *));
    for (int c = 0; c < nc; c++) {
        matrix->blocksize0[c] = matrix->blocksize1[c] = (unsigned)(CONTACT_DIM * (c + 1)); // where the block ends
        matrix->index1_data[c + 1] = (size_t)W->row_start[c + 1];
        for (int k = W->row_start[c]; k < W->row_start[c + 1]; k++) {
            matrix->index2_data[k] = (size_t)W->column[k];
            matrix->block[k] = bench_alloc(9, sizeof(double));
            for (int i = 0; i < 9; i++)
                matrix->block[k][i % 3 * 3 + i / 3] = W->block[9L * k + i]; // by columns
        }
    }
    return NM_new_SBM(CONTACT_DIM * nc, CONTACT_DIM * nc, matrix); // lives as long as the process
}

static void reset(void *opaque)
{
    siconos_state *s = opaque;
    const size_t bytes = sizeof(double) * CONTACT_DIM * (size_t)s->problem.numberOfContacts;
    if (s->options)
        solver_options_delete(s->options);
    s->options = solver_options_create(s->solver);
    s->options->dparam[SICONOS_DPARAM_TOL] = s->tol;
    s->options->iparam[SICONOS_IPARAM_MAX_ITER] = s->solver == SICONOS_FRICTION_3D_NSN_AC ? MAX_NEWTON : MAX_SWEEPS;
    memset(s->reaction, 0, bytes);
    memset(s->velocity, 0, bytes);
}

static void *prepare(const delassus *W, double tol, int solver)
{
    siconos_state *s = bench_alloc(1, sizeof *s);
    s->solver = solver;
    s->tol = tol;
    s->problem.dimension = CONTACT_DIM;
    s->problem.numberOfContacts = W->contacts;
    s->problem.M = solver == SICONOS_FRICTION_3D_NSGS ? as_blocks(W) : as_sparse(W);
    s->problem.q = W->q;
    s->problem.mu = (double *)W->mu;
    s->reaction = bench_alloc((long)CONTACT_DIM * W->contacts, sizeof(double));
    s->velocity = bench_alloc((long)CONTACT_DIM * W->contacts, sizeof(double));
    return s;
}

static void *prepare_nsgs(const delassus *W, double tol)
{
    return prepare(W, tol, SICONOS_FRICTION_3D_NSGS);
}

static void *prepare_newton(const delassus *W, double tol)
{
    return prepare(W, tol, SICONOS_FRICTION_3D_NSN_AC);
}

static void *prepare_admm(const delassus *W, double tol)
{
    return prepare(W, tol, SICONOS_FRICTION_3D_ADMM);
}

static int solve(void *opaque, double *p, int *iterations)
{
    siconos_state *s = opaque;
    const int info = fc3d_driver(&s->problem, s->reaction, s->velocity, s->options);
    memcpy(p, s->reaction, sizeof(double) * CONTACT_DIM * (size_t)s->problem.numberOfContacts);
    *iterations = s->options->iparam[SICONOS_IPARAM_ITER_DONE];
    return info == 0;
}

static void release(void *opaque)
{
    siconos_state *s = opaque;
    if (s->options)
        solver_options_delete(s->options);
    free(s->reaction);
    free(s->velocity);
    free(s);
}

#else
#define prepare_nsgs NULL
#define prepare_newton NULL
#define prepare_admm NULL
#define reset NULL
#define solve NULL
#define release NULL
#endif

#define MAX_CONTACTS 4000

const peer peer_nsgs = {"NSGS", "Siconos nonsmooth Gauss-Seidel, cone, W as 3x3 blocks", 1, MAX_CONTACTS,
                        prepare_nsgs, reset, solve, release};
const peer peer_newton = {"NSN-AC", "Siconos nonsmooth Newton (Alart-Curnier), cone, W sparse", 1, MAX_CONTACTS,
                          prepare_newton, reset, solve, release};
const peer peer_admm = {"ADMM", "Siconos ADMM, cone, W sparse", 1, MAX_CONTACTS, prepare_admm, reset, solve, release};
