// The memory that setup reserves for the dense fallback holds all that the fallback takes.
#include "near.h"
#include "problem_builder.h"

#include "lcp/pivot/flat.h"
#include "lcp/problem/partition.h"

typedef struct block {
    unsigned char *memory;
    size_t bytes;
    int taken;
} block;

static void *allocate_once(void *context, size_t bytes) {
    block *b = context;
    return b->taken++ || bytes > b->bytes ? NULL : b->memory;
}

static void release_nothing(void *context, void *memory) {
    (void)context, (void)memory;
}

static void check(const builder *b) {
    const br_problem problem = builder_problem(b);
    br_arena arena = {0}, scratch = {0};
    br_arena_init(&arena, NULL);
    br_arena_init(&scratch, NULL);
    br_lcp_partition part = {0};
    br_lcp_island *island = NULL;
    assert_int_equal(br_lcp_partition_create(&arena, &problem, &part, NULL), BR_OK);
    assert_int_equal(br_lcp_island_create(&arena, &scratch, &problem, &part.numbering, 0, part.law_start[1],
                                          part.law_list, part.node_start[1], part.node_list, SIZE_MAX,
                                          &island, NULL),
                     BR_OK);
    int free_rows;
    const int rows = br_lcp_flat_size(&problem, island, &free_rows);
    assert_true(rows > 0);
    const size_t bytes = br_lcp_flat_bytes(island, rows, free_rows);
    block once = {malloc(bytes + 1024), bytes + 1024, 0}; // and an arena's own header
    const br_allocator allocator = {allocate_once, release_nothing, &once};
    br_arena own;
    br_arena_init(&own, &allocator);
    assert_non_null(br_arena_take(&own, bytes, 1)); // one chunk, as the solver does it
    br_arena_reset(&own);
    if (!br_lcp_flat_create(&own, &problem, island))
        fail_msg("%d rows, %d free: not enough", rows, free_rows);
    br_arena_free(&own);
    free(once.memory);
    br_arena_free(&scratch);
    br_arena_free(&arena);
}

static void flat_bytes_are_enough(void **state) {
    (void)state;
    const br_law laws[] = {builder_box_friction(0.5), builder_polygon(0.5, 4), builder_polygon(0.5, 16)};
    for (int l = 0; l < 3; l++)
        for (int height = 1; height <= 6; height++) {
            builder *b = builder_new();
            const double v[6] = {0.1, 0, -1, 0, 0, 0};
            int node = builder_cube(b, laws[l], 1, 1, v);
            for (int k = 1; k < height; k++) node = builder_cube_on(b, laws[l], node, 1, 1, v);
            check(b);
            builder_free(b);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(flat_bytes_are_enough)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
