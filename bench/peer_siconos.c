// Siconos numerics: frictional contact, either given W and q (local form) or M, H, q and b (global form). How W is
// stored decides a good deal, and not in the same way for each solver, so each is measured in several storages.
#include "peer.h"

#include <stddef.h>

#ifdef BENCH_HAVE_SICONOS

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <GlobalFrictionContactProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>
#include <stdlib.h>
#include <string.h>

// Caps so high that the clock ends a solve first.
#define MAX_SWEEPS 10000000
#define MAX_NEWTON 10000

typedef struct siconos_state {
    FrictionContactProblem local;
    GlobalFrictionContactProblem *global; // NULL in the local form
    SolverOptions *options;
    int solver;
    size_t rows, velocities;
    double tol;
    double *reaction, *velocity, *body_velocity;
} siconos_state;

typedef enum storage { SPARSE, BLOCKS, DENSE } storage;

static NumericsMatrix *as_sparse(const delassus *W) {
    const int n = CONTACT_DIM * W->contacts;
    NumericsMatrix *matrix = NM_create(NM_SPARSE, n, n);
    NM_triplet_alloc(matrix, 9L * W->row_start[W->contacts]);
    for (int c = 0; c < W->contacts; c++) {
        for (int k = W->row_start[c]; k < W->row_start[c + 1]; k++) {
            for (int i = 0; i < 9; i++) {
                if (W->block[9L * k + i] != 0)
                    NM_entry(matrix, CONTACT_DIM * c + i / 3, CONTACT_DIM * W->column[k] + i % 3,
                             W->block[9L * k + i]);
            }
        }
    }
    return matrix;
}

static NumericsMatrix *as_blocks(const delassus *W) {
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
        matrix->blocksize0[c] = matrix->blocksize1[c] =
            (unsigned)(CONTACT_DIM * (c + 1)); // where the block ends
        matrix->index1_data[c + 1] = (size_t)W->row_start[c + 1];
        for (int k = W->row_start[c]; k < W->row_start[c + 1]; k++) {
            matrix->index2_data[k] = (size_t)W->column[k];
            matrix->block[k] = bench_alloc(9, sizeof(double));
            for (int i = 0; i < 9; i++)
                matrix->block[k][i % 3 * 3 + i / 3] = W->block[9L * k + i]; // by columns
        }
    }
    return NM_new_SBM(CONTACT_DIM * nc, CONTACT_DIM * nc, matrix);
}

static NumericsMatrix *as_dense(const delassus *W) {
    const int n = CONTACT_DIM * W->contacts;
    double *dense = bench_alloc((long)n * n, sizeof *dense);
    delassus_to_dense(W, dense, n); // symmetric: by rows is by columns
    return NM_create_from_data(NM_DENSE, n, n, dense);
}

static GlobalFrictionContactProblem *as_global(const contact_problem *problem) {
    const int nv = BODY_DIM * problem->bodies, blocks = problem->block_start[problem->contacts];
    GlobalFrictionContactProblem *global = globalFrictionContactProblem_new();
    global->dimension = CONTACT_DIM;
    global->numberOfContacts = problem->contacts;
    global->M = NM_create(NM_SPARSE, nv, nv);
    NM_triplet_alloc(global->M, (long)problem->bodies * MASS_BLOCK);
    for (long k = 0; k < (long)problem->bodies * MASS_BLOCK; k++) {
        const int first = (int)(k / MASS_BLOCK) * BODY_DIM, i = (int)(k % MASS_BLOCK);
        if (problem->mass[k] != 0)
            NM_entry(global->M, first + i / BODY_DIM, first + i % BODY_DIM, problem->mass[k]);
    }
    global->H = NM_create(NM_SPARSE, nv, CONTACT_DIM * problem->contacts);
    NM_triplet_alloc(global->H, (long)blocks * JACOBIAN_BLOCK);
    for (int c = 0; c < problem->contacts; c++) {
        for (int b = problem->block_start[c]; b < problem->block_start[c + 1]; b++) {
            for (int i = 0; i < JACOBIAN_BLOCK; i++) {
                const double value = problem->jacobian[(long)b * JACOBIAN_BLOCK + i];
                if (value != 0)
                    NM_entry(global->H, BODY_DIM * problem->block_body[b] + i % BODY_DIM,
                             CONTACT_DIM * c + i / BODY_DIM, value);
            }
        }
    }
    global->q = problem->momentum;
    global->b = problem->offset;
    global->mu = problem->mu;
    return global;
}

static siconos_state *new_state(const delassus *W, double tol, int solver) {
    siconos_state *s = bench_alloc(1, sizeof *s);
    s->solver = solver;
    s->tol = tol;
    s->rows = CONTACT_DIM * (size_t)W->contacts;
    s->velocities = BODY_DIM * (size_t)W->problem->bodies;
    s->reaction = bench_alloc((long)s->rows, sizeof(double));
    s->velocity = bench_alloc((long)s->rows, sizeof(double));
    s->body_velocity = bench_alloc((long)s->velocities, sizeof(double));
    return s;
}

// The matrices live until the measuring process ends.
static void *prepare_local(const delassus *W, double tol, int solver, storage stored) {
    siconos_state *s = new_state(W, tol, solver);
    s->local.dimension = CONTACT_DIM;
    s->local.numberOfContacts = W->contacts;
    s->local.M = stored == BLOCKS ? as_blocks(W) : stored == DENSE ? as_dense(W) : as_sparse(W);
    s->local.q = W->q;
    s->local.mu = W->problem->mu;
    return s;
}

static void *prepare_nsgs(const delassus *W, double tol, int form) {
    static const storage stored[] = {BLOCKS, SPARSE, DENSE};
    return prepare_local(W, tol, SICONOS_FRICTION_3D_NSGS, stored[form]);
}

static void *prepare_newton_ac(const delassus *W, double tol, int form) {
    static const storage stored[] = {SPARSE, BLOCKS, DENSE};
    return prepare_local(W, tol, SICONOS_FRICTION_3D_NSN_AC, stored[form]);
}

static void *prepare_newton_fb(const delassus *W, double tol, int form) {
    static const storage stored[] = {SPARSE, DENSE};
    return prepare_local(W, tol, SICONOS_FRICTION_3D_NSN_FB, stored[form]);
}

static void *prepare_admm(const delassus *W, double tol, int form) {
    static const storage stored[] = {BLOCKS, SPARSE, DENSE};
    return prepare_local(W, tol, SICONOS_FRICTION_3D_ADMM, stored[form]);
}

static void *prepare_admm_global(const delassus *W, double tol, int form) {
    (void)form;
    siconos_state *s = new_state(W, tol, SICONOS_GLOBAL_FRICTION_3D_ADMM);
    s->global = as_global(W->problem);
    return s;
}

static void reset(void *opaque) {
    siconos_state *s = opaque;
    const int newton = s->solver == SICONOS_FRICTION_3D_NSN_AC || s->solver == SICONOS_FRICTION_3D_NSN_FB;
    if (s->options) solver_options_delete(s->options);
    s->options = solver_options_create(s->solver);
    s->options->dparam[SICONOS_DPARAM_TOL] = s->tol;
    s->options->iparam[SICONOS_IPARAM_MAX_ITER] = newton ? MAX_NEWTON : MAX_SWEEPS;
    memset(s->reaction, 0, sizeof(double) * s->rows);
    memset(s->velocity, 0, sizeof(double) * s->rows);
    memset(s->body_velocity, 0, sizeof(double) * s->velocities);
}

static int solve(void *opaque, double *p, int *iterations) {
    siconos_state *s = opaque;
    const int info = s->global
                         ? gfc3d_driver(s->global, s->reaction, s->velocity, s->body_velocity, s->options)
                         : fc3d_driver(&s->local, s->reaction, s->velocity, s->options);
    memcpy(p, s->reaction, sizeof(double) * s->rows);
    *iterations = s->options->iparam[SICONOS_IPARAM_ITER_DONE];
    return info == 0;
}

static void release(void *opaque) {
    siconos_state *s = opaque;
    if (s->options) solver_options_delete(s->options);
    free(s->reaction);
    free(s->velocity);
    free(s->body_velocity);
    free(s);
}

#else
#define prepare_nsgs NULL
#define prepare_newton_ac NULL
#define prepare_newton_fb NULL
#define prepare_admm NULL
#define prepare_admm_global NULL
#define reset NULL
#define solve NULL
#define release NULL
#endif

enum { SOME = 200, MANY = 4000 }; // contacts

const peer peer_nsgs = {"NSGS",       "Siconos nonsmooth Gauss-Seidel, given W",
                        PEER_SICONOS, {{"blocks", MANY}, {"sparse", SOME}, {"dense", SOME}},
                        prepare_nsgs, reset,
                        solve,        release};
const peer peer_newton_ac = {"NSN-AC",
                             "Siconos nonsmooth Newton, Alart-Curnier, given W",
                             PEER_SICONOS,
                             {{"sparse", MANY}, {"blocks", SOME}, {"dense", SOME}},
                             prepare_newton_ac,
                             reset,
                             solve,
                             release};
const peer peer_newton_fb = {"NSN-FB",
                             "Siconos nonsmooth Newton, Fischer-Burmeister, given W",
                             PEER_SICONOS,
                             {{"sparse", MANY}, {"dense", SOME}},
                             prepare_newton_fb,
                             reset,
                             solve,
                             release};
const peer peer_admm = {"ADMM",       "Siconos ADMM, given W",
                        PEER_SICONOS, {{"blocks", MANY}, {"sparse", MANY}, {"dense", SOME}},
                        prepare_admm, reset,
                        solve,        release};
const peer peer_admm_global = {"ADMM-G",
                               "Siconos ADMM, given M and H",
                               PEER_SICONOS_GLOBAL,
                               {{"sparse", MANY}},
                               prepare_admm_global,
                               reset,
                               solve,
                               release};
