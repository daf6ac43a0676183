#include <limits.h>

#include "block_system.h"
#include "counting_allocator.h"
#include "linalg/block.h"

static br_status analyze(int n, const int *dims, int n_pairs, const int (*pairs)[2], br_error *error) {
    br_arena arena;
    br_arena_init(&arena, NULL);
    br_block_ldu *f = NULL;
    const br_status status = br_block_analyze(&arena, n, dims, n_pairs, pairs, &f, error);
    assert_true((status == BR_OK) == (f != NULL));
    br_arena_free(&arena);
    return status;
}

static void wrong_input_is_named(void **state) {
    (void)state;
    br_error error = {0};
    const int dims[3] = {6, 6, 6}, zero[3] = {6, 0, 6}, huge[3] = {INT_MAX, INT_MAX, 6};
    const int same[1][2] = {{1, 1}}, outside[1][2] = {{0, 3}}, below[1][2] = {{-1, 0}};
    assert_int_equal(analyze(3, zero, 0, NULL, &error), BR_INVALID);
    assert_non_null(strstr(error.message, "node 1"));
    assert_int_equal(analyze(3, huge, 0, NULL, &error), BR_TOO_LARGE);
    assert_int_equal(analyze(3, dims, 1, same, &error), BR_INVALID);
    assert_non_null(strstr(error.message, "(1, 1)"));
    assert_int_equal(analyze(3, dims, 1, outside, &error), BR_INVALID);
    assert_int_equal(analyze(3, dims, 1, below, NULL), BR_INVALID);
    assert_int_equal(analyze(-1, dims, 0, NULL, NULL), BR_INVALID);
    assert_int_equal(analyze(3, dims, -1, NULL, NULL), BR_INVALID);
}

static void *allocate_up_to_a_megabyte(void *context, size_t bytes) {
    (void)context;
    return bytes > 1 << 20 ? NULL : malloc(bytes);
}

static void release(void *context, void *memory) {
    (void)context;
    free(memory);
}

static void factors_beyond_memory_are_refused(void **state) {
    (void)state;
    const br_allocator allocator = {allocate_up_to_a_megabyte, release, NULL};
    const int pairs[1][2] = {{0, 1}};
    for (int dim = 1000; dim < 500000000; dim *= 7) {
        const int dims[2] = {dim, dim};
        br_arena arena;
        br_arena_init(&arena, &allocator);
        br_block_ldu *f = NULL;
        const br_status status = br_block_analyze(&arena, 2, dims, 1, pairs, &f, NULL);
        assert_true(status == BR_NO_MEMORY || status == BR_TOO_LARGE);
        assert_null(f);
        br_arena_free(&arena);
    }
}

static void each_allocation_may_fail(void **state) {
    (void)state;
    enum { SIDE = 12 };
    static int dims[SIDE * SIDE * SIDE], pairs[3 * SIDE * SIDE * SIDE][2];
    int n = 0, n_pairs = 0;
    for (int large = 0; large < 2; large++) { // large enough for nested dissection
        const int side = large ? SIDE : 4;
        n = side * side * side, n_pairs = 0;
        for (int i = 0; i < n; i++) {
            dims[i] = 6;
            if (i % side < side - 1) pairs[n_pairs][0] = i, pairs[n_pairs++][1] = i + 1;
            if (i / side % side < side - 1) pairs[n_pairs][0] = i, pairs[n_pairs++][1] = i + side;
            if (i + side * side < n) pairs[n_pairs][0] = i, pairs[n_pairs++][1] = i + side * side;
        }
        for (long k = 1;; k++) {
            counting_allocator counter;
            const br_allocator allocator = counting_allocator_start(&counter, k);
            br_arena arena;
            br_arena_init(&arena, &allocator);
            br_block_ldu *f = NULL;
            br_error error = {0};
            const br_status status = br_block_analyze(&arena, n, dims, n_pairs, pairs, &f, &error);
            const long calls = counter.calls;
            if (status == BR_OK) { // nothing later allocates
                for (int i = 0; i < n; i++) {
                    const br_block_ref ref = br_block_at(f, BR_BLOCK_GENERAL, i, i);
                    for (int a = 0; a < 6; a++) ref.value[a * (ref.row_stride + ref.col_stride)] = 1;
                }
                assert_int_equal(br_block_factor(f, BR_BLOCK_GENERAL, 1e-14, NULL), BR_OK);
                assert_int_equal(counter.calls, calls);
            } else {
                assert_int_equal(status, BR_NO_MEMORY);
                assert_int_equal(error.status, BR_NO_MEMORY);
                assert_null(f);
            }
            br_arena_free(&arena);
            assert_int_equal(counter.live, 0);
            if (!counter.failed) break;
        }
    }
}

static void dissection_saves_work_on_a_lattice(void **state) {
    (void)state;
    enum { SIDE = 11, N = SIDE * SIDE * SIDE };
    static int dims[N], start[N + 1], neighbour[6 * N], order[N], seen[N];
    int count = 0;
    for (int i = 0; i < N; i++) {
        dims[i] = 6;
        start[i] = count;
        const int x = i % SIDE, y = i / SIDE % SIDE, z = i / SIDE / SIDE;
        if (x > 0) neighbour[count++] = i - 1;
        if (x < SIDE - 1) neighbour[count++] = i + 1;
        if (y > 0) neighbour[count++] = i - SIDE;
        if (y < SIDE - 1) neighbour[count++] = i + SIDE;
        if (z > 0) neighbour[count++] = i - SIDE * SIDE;
        if (z < SIDE - 1) neighbour[count++] = i + SIDE * SIDE;
    }
    start[N] = count;
    const br_block_graph graph = {N, start, neighbour, dims, 0};
    br_arena arena;
    br_arena_init(&arena, NULL);
    assert_int_equal(br_order_dissection(&arena, &graph, order), BR_OK);
    for (int k = 0; k < N; k++) seen[order[k]]++;
    for (int k = 0; k < N; k++) assert_int_equal(seen[k], 1);
    // A plane of the lattice is the last separator: band elimination costs 2 n (6 side^2)^2 6 = 1.4e9 and more.
    br_block_tree t;
    assert_int_equal(br_tree_build(&arena, &graph, &t), BR_OK);
    double flops = 0;
    for (int k = 0; k < N; k++) flops += 2.0 * t.dims[k] * t.below[k] * (double)t.below[k];
    assert_true(flops < 2.0 * N * 6 * (6.0 * SIDE * SIDE) * (6.0 * SIDE * SIDE) / 4);
    br_arena_free(&arena);
}

static void kernels_agree_to_the_bit(void **state) {
    (void)state;
    enum { LD = 56, N = 50 };
    static double A[LD * N], B[N * N], packed[54 * N], C[3][LD * 54];
    const br_block_kernels *fast = br_block_kernels_pick(), *plain = br_block_kernels_plain();
    rng r = {11};
    for (int trial = 0; trial < 500; trial++) {
        const int m = 1 + rng_below(&r, 48), n = 1 + rng_below(&r, 48), k = 1 + rng_below(&r, 48);
        for (int i = 0; i < LD * N; i++) A[i] = rng_uniform(&r, -1, 1);
        for (int i = 0; i < N * N; i++) B[i] = rng_uniform(&r, -1, 1);
        for (int i = 0; i < LD * 54; i++) C[0][i] = C[1][i] = C[2][i] = rng_uniform(&r, -1, 1);
        br_pack(n, k, B, 1, N, packed);
        fast->subtract_product(m, n, k, A, LD, packed, C[0], LD);
        plain->subtract_product(m, n, k, A, LD, packed, C[1], LD);
        for (int j = 0; j < 54; j++) { // the definition, and nothing outside m x n touched
            for (int i = 0; i < LD; i++) {
                double sum = 0;
                for (int p = 0; p < k && i < m && j < n; p++) sum += A[p * LD + i] * B[p * N + j];
                if (i < m && j < n) C[2][j * LD + i] -= sum;
            }
        }
        assert_memory_equal(C[0], C[1], sizeof C[0]);
        assert_memory_equal(C[0], C[2], sizeof C[0]);
        br_pack_triangle(n, B, 1, N, packed);
        fast->solve(m, n, C[0], LD, packed, trial % 2 ? A : NULL);
        plain->solve(m, n, C[1], LD, packed, trial % 2 ? A : NULL);
        assert_memory_equal(C[0], C[1], sizeof C[0]);
        fast->subtract_matvec(m, n, A, LD, B, C[0]);
        plain->subtract_matvec(m, n, A, LD, B, C[1]);
        fast->subtract_matvec_transposed(m, n, A, LD, B, C[0]);
        plain->subtract_matvec_transposed(m, n, A, LD, B, C[1]);
        assert_memory_equal(C[0], C[1], sizeof C[0]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_input_is_named),     cmocka_unit_test(factors_beyond_memory_are_refused),
        cmocka_unit_test(each_allocation_may_fail), cmocka_unit_test(dissection_saves_work_on_a_lattice),
        cmocka_unit_test(kernels_agree_to_the_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
