// br_block_negative and br_block_determinant_sign against eigenvalues by Jacobi's rotations.
#include <stdlib.h>
#include <string.h>

#include "linalg/block_ldu.h"
#include "near.h"
#include "random.h"

enum { NODES = 12, MOST = 8 * NODES };

typedef struct sample {
    int dims[NODES], at[NODES + 1], pairs[40][2], pair_count;
    double A[MOST][MOST], sign[MOST];
} sample;

// A chain with a few long links; rows of some nodes are those of joints, without a diagonal, as in a tangent with rows.
static void make(sample *s, rng *r) {
    memset(s, 0, sizeof *s);
    for (int i = 0; i < NODES; i++) {
        s->dims[i] = 2 + rng_below(r, 7);
        s->at[i + 1] = s->at[i] + s->dims[i];
        if (i > 0) s->pairs[s->pair_count][0] = i - 1, s->pairs[s->pair_count++][1] = i;
        if (i > 4 && i % 3 == 0) s->pairs[s->pair_count][0] = i - 4, s->pairs[s->pair_count++][1] = i;
    }
    const int n = s->at[NODES];
    for (int i = 0; i < NODES; i++)
        for (int a = s->at[i]; a < s->at[i + 1]; a++)
            for (int b = s->at[i]; b <= a; b++) s->A[a][b] = s->A[b][a] = rng_uniform(r, -1.0, 1.0);
    for (int k = 0; k < s->pair_count; k++)
        for (int a = s->at[s->pairs[k][0]]; a < s->at[s->pairs[k][0] + 1]; a++)
            for (int b = s->at[s->pairs[k][1]]; b < s->at[s->pairs[k][1] + 1]; b++)
                s->A[a][b] = s->A[b][a] = rng_uniform(r, -1.0, 1.0);
    for (int a = 0; a < n; a++) s->sign[a] = rng_below(r, 10) < 3 ? -1.0 : 1.0;
}

static void eigenvalues(int n, double A[MOST][MOST]) { // on the diagonal
    for (int sweep = 0; sweep < 40; sweep++)
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                if (A[p][q] == 0.0) continue;
                const double theta = 0.5 * atan2(2.0 * A[p][q], A[q][q] - A[p][p]), c = cos(theta),
                             t = sin(theta);
                for (int k = 0; k < n; k++) {
                    const double x = A[k][p], y = A[k][q];
                    A[k][p] = c * x - t * y, A[k][q] = t * x + c * y;
                }
                for (int k = 0; k < n; k++) {
                    const double x = A[p][k], y = A[q][k];
                    A[p][k] = c * x - t * y, A[q][k] = t * x + c * y;
                }
            }
}

static void counts_are_those_of_the_eigenvalues(void **state) {
    (void)state;
    rng r = {7};
    sample *s = malloc(sizeof *s);
    for (int trial = 0; trial < 60; trial++) {
        br_arena arena;
        br_block_ldu *f;
        br_error error = {0};
        br_arena_init(&arena, NULL);
        make(s, &r);
        const int n = s->at[NODES];
        assert_int_equal(
            br_block_analyze(&arena, NODES, s->dims, s->pair_count, (const int(*)[2])s->pairs, &f, &error),
            BR_OK);
        br_block_clear(f);
        // rows with the sign -1 are stored with the other sign: the symmetric matrix is diag(sign) times what is factored
        for (int i = 0; i < NODES; i++)
            for (int j = 0; j < NODES; j++) {
                int there = i == j;
                for (int k = 0; k < s->pair_count; k++)
                    there |= (s->pairs[k][0] == i && s->pairs[k][1] == j) ||
                             (s->pairs[k][0] == j && s->pairs[k][1] == i);
                if (!there) continue;
                const br_block_ref ref = br_block_at(f, BR_BLOCK_GENERAL, i, j);
                for (int a = 0; a < s->dims[i]; a++)
                    for (int b = 0; b < s->dims[j]; b++)
                        ref.value[a * ref.row_stride + b * ref.col_stride] =
                            s->sign[s->at[i] + a] * s->A[s->at[i] + a][s->at[j] + b];
            }
        assert_int_equal(br_block_factor(f, BR_BLOCK_GENERAL, 1e-300, NULL), BR_OK);
        const int widest = br_block_widest(f);
        double *scratch = malloc((size_t)(widest * widest) * sizeof *scratch), asymmetry = 1.0;
        const int found = br_block_negative(f, s->sign, scratch, &asymmetry),
                  sign = br_block_determinant_sign(f);
        eigenvalues(n, s->A);
        int negative = 0, odd = 0;
        for (int a = 0; a < n; a++) negative += s->A[a][a] < 0.0, odd ^= s->sign[a] < 0.0;
        assert_int_equal(found, negative);
        assert_int_equal(sign, (negative + odd) % 2 ? -1 : 1);
        assert_true(asymmetry < 1e-8); // rounding, times the growth of random matrices
        free(scratch);
        br_arena_free(&arena);
    }
    free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(counts_are_those_of_the_eigenvalues)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
