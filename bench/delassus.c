#include "delassus.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Cholesky, then the inverse column by column.
static int invert_block(const double *A, double *inverse) {
    double L[BODY_DIM][BODY_DIM] = {{0}};
    for (int i = 0; i < BODY_DIM; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = A[i * BODY_DIM + j];
            for (int k = 0; k < j; k++) sum -= L[i][k] * L[j][k];
            if (i == j && !(sum > 0)) return 0;
            L[i][j] = i == j ? sqrt(sum) : sum / L[j][j];
        }
    }
    for (int column = 0; column < BODY_DIM; column++) {
        double x[BODY_DIM];
        for (int i = 0; i < BODY_DIM; i++) {
            x[i] = i == column;
            for (int k = 0; k < i; k++) x[i] -= L[i][k] * x[k];
            x[i] /= L[i][i];
        }
        for (int i = BODY_DIM - 1; i >= 0; i--) {
            for (int k = i + 1; k < BODY_DIM; k++) x[i] -= L[k][i] * x[k];
            x[i] /= L[i][i];
            inverse[i * BODY_DIM + column] = x[i];
        }
    }
    return 1;
}

double *inverse_mass(const contact_problem *problem) {
    double *inverse = bench_alloc((long)problem->bodies * MASS_BLOCK, sizeof *inverse);
    for (int i = 0; i < problem->bodies; i++) {
        if (!invert_block(problem->mass + (long)i * MASS_BLOCK, inverse + (long)i * MASS_BLOCK)) {
            free(inverse);
            return NULL;
        }
    }
    return inverse;
}

typedef struct touch { // contact c touches body i through Jacobian block k
    int *start, *contact, *block;
} touch;

static touch find_touches(const contact_problem *problem) {
    const int nb = problem->bodies, nc = problem->contacts, blocks = problem->block_start[nc];
    touch t = {bench_alloc(nb + 2L, sizeof(int)), bench_alloc(blocks, sizeof(int)),
               bench_alloc(blocks, sizeof(int))};
    for (int k = 0; k < blocks; k++) t.start[problem->block_body[k] + 2]++;
    for (int i = 0; i < nb; i++) t.start[i + 2] += t.start[i + 1];
    for (int c = 0; c < nc; c++) {
        for (int k = problem->block_start[c]; k < problem->block_start[c + 1]; k++) {
            const int at = t.start[problem->block_body[k] + 1]++;
            t.contact[at] = c;
            t.block[at] = k;
        }
    }
    return t;
}

static int rising(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

// Columns of row c: every contact that shares a body with it. mark[] holds c + 1 where already listed.
static int list_columns(const contact_problem *problem, const touch *t, int c, int *mark, int *column) {
    int count = 0;
    for (int k = problem->block_start[c]; k < problem->block_start[c + 1]; k++) {
        const int body = problem->block_body[k];
        for (int at = t->start[body]; at < t->start[body + 1]; at++) {
            const int other = t->contact[at];
            if (mark[other] == c + 1) continue;
            mark[other] = c + 1;
            column[count++] = other;
        }
    }
    qsort(column, (size_t)count, sizeof *column, rising);
    return count;
}

// block += A B^T with A, B of 3 x 6.
static void add_product(const double *A, const double *B, double *block) {
    for (int i = 0; i < CONTACT_DIM; i++) {
        for (int j = 0; j < CONTACT_DIM; j++) {
            double sum = 0;
            for (int k = 0; k < BODY_DIM; k++) sum += A[i * BODY_DIM + k] * B[j * BODY_DIM + k];
            block[i * CONTACT_DIM + j] += sum;
        }
    }
}

// J M^-1 for one Jacobian block.
static void weigh(const double *J, const double *inverse, double *out) {
    for (int i = 0; i < CONTACT_DIM; i++) {
        for (int j = 0; j < BODY_DIM; j++) {
            double sum = 0;
            for (int k = 0; k < BODY_DIM; k++) sum += J[i * BODY_DIM + k] * inverse[k * BODY_DIM + j];
            out[i * BODY_DIM + j] = sum;
        }
    }
}

static void fill_row(const contact_problem *problem, const touch *t, const double *inverse, int c, int *place,
                     delassus *W) {
    for (int k = W->row_start[c]; k < W->row_start[c + 1]; k++) place[W->column[k]] = k;
    memcpy(W->q + (long)CONTACT_DIM * c, problem->offset + (long)CONTACT_DIM * c,
           sizeof(double) * CONTACT_DIM);
    for (int k = problem->block_start[c]; k < problem->block_start[c + 1]; k++) {
        const int body = problem->block_body[k];
        const double *f = problem->momentum + (long)body * BODY_DIM;
        double weighed[JACOBIAN_BLOCK];
        weigh(problem->jacobian + (long)k * JACOBIAN_BLOCK, inverse + (long)body * MASS_BLOCK, weighed);
        for (int i = 0; i < JACOBIAN_BLOCK; i++)
            W->q[CONTACT_DIM * c + i / BODY_DIM] += weighed[i] * f[i % BODY_DIM];
        for (int at = t->start[body]; at < t->start[body + 1]; at++)
            add_product(weighed, problem->jacobian + (long)t->block[at] * JACOBIAN_BLOCK,
                        W->block + 9L * place[t->contact[at]]);
    }
}

delassus *delassus_create(const contact_problem *problem) {
    const int nc = problem->contacts;
    double *inverse = inverse_mass(problem);
    if (!inverse) return NULL;
    touch t = find_touches(problem);
    int *mark = bench_alloc(nc, sizeof(int)), *row = bench_alloc(nc, sizeof(int));
    delassus *W = bench_alloc(1, sizeof *W);
    W->contacts = nc;
    W->mu = problem->mu;
    W->problem = problem;
    W->row_start = bench_alloc(nc + 1L, sizeof(int));
    W->q = bench_alloc((long)CONTACT_DIM * nc, sizeof(double));
    for (int c = 0; c < nc; c++)
        W->row_start[c + 1] = W->row_start[c] + list_columns(problem, &t, c, mark, row);
    W->column = bench_alloc(W->row_start[nc], sizeof(int));
    W->block = bench_alloc(9L * W->row_start[nc], sizeof(double));
    memset(mark, 0, sizeof(int) * (size_t)nc);
    for (int c = 0; c < nc; c++) {
        list_columns(problem, &t, c, mark, W->column + W->row_start[c]);
        fill_row(problem, &t, inverse, c, row, W);
    }
    free(mark);
    free(row);
    free(t.start);
    free(t.contact);
    free(t.block);
    free(inverse);
    return W;
}

void delassus_destroy(delassus *W) {
    if (!W) return;
    free(W->row_start);
    free(W->column);
    free(W->block);
    free(W->q);
    free(W);
}

void delassus_to_dense(const delassus *W, double *dense, int stride) {
    for (int c = 0; c < W->contacts; c++) {
        for (int k = W->row_start[c]; k < W->row_start[c + 1]; k++) {
            for (int i = 0; i < 9; i++)
                dense[(long)(CONTACT_DIM * c + i / 3) * stride + CONTACT_DIM * W->column[k] + i % 3] =
                    W->block[9L * k + i];
        }
    }
}
