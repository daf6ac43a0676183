// Splitting a problem into islands by union-find, see partition.h.
#include "lcp/problem/partition.h"

#include "base/error.h"

static int partition_find(int *parent, int i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

static void join(int *parent, int a, int b) {
    const int x = partition_find(parent, a), y = partition_find(parent, b);
    if (x < y)
        parent[y] = x; // the smallest member is the root: numbering follows the problem's own order
    else
        parent[x] = y;
}

static void join_all(const br_problem *problem, const int *law_of_row, int *parent) {
    if (problem->form == BR_FORM_MATRIX) {
        for (int i = 0; i < problem->rows; i++)
            for (int e = problem->matrix.row_start[i]; e < problem->matrix.row_start[i + 1]; e++)
                join(parent, law_of_row[i], law_of_row[problem->matrix.column[e]]);
        return;
    }
    const br_velocity_form *form = &problem->velocity;
    for (int i = 0; i < form->nodes; i++)
        for (int e = form->mass_start[i]; e < form->mass_start[i + 1]; e++)
            join(parent, i, form->mass_node[e]);
    for (int i = 0; i < problem->laws; i++)
        for (int e = form->jacobian_start[i] + 1; e < form->jacobian_start[i + 1]; e++)
            join(parent, form->jacobian_node[e], form->jacobian_node[e - 1]);
}

// Members listed by island: counting sort that keeps their order.
static void list_members(int n, const int *island_of, int islands, int *start, int *list, int *number) {
    for (int i = 0; i < n; i++) start[island_of[i] + 1]++;
    for (int k = 0; k < islands; k++) start[k + 1] += start[k];
    for (int i = 0; i < n; i++) {
        int k = island_of[i];
        number[i] = 0;
        list[start[k]++] = i;
    }
    for (int k = islands; k > 0; k--) start[k] = start[k - 1];
    start[0] = 0;
    for (int k = 0; k < islands; k++)
        for (int e = start[k]; e < start[k + 1]; e++) number[list[e]] = e - start[k];
}

// Roots get island numbers in order; vertices without any law end up in one island behind the others.
static int number_islands(const br_problem *problem, int vertices, int *parent, const int *vertex_of_law,
                          int *island_of_root, int *island_of_vertex) {
    int islands = 0, idle = 0;
    for (int i = 0; i < vertices; i++) island_of_root[i] = -1;
    for (int i = 0; i < problem->laws; i++) {
        const int root = partition_find(parent, vertex_of_law[i]);
        if (island_of_root[root] < 0) island_of_root[root] = islands++;
    }
    for (int i = 0; i < vertices; i++) {
        const int k = island_of_root[partition_find(parent, i)];
        island_of_vertex[i] = k < 0 ? islands : k;
        idle |= k < 0;
    }
    return islands + idle;
}

static void number_blocks(const br_problem *problem, int *mass, int *jacobian, int *scalar) {
    const br_velocity_form *form = &problem->velocity;
    for (int i = 0, size = 0, dof = 0; i < form->nodes; i++) {
        scalar[i] = dof;
        dof += form->node_dim[i];
        for (int e = form->mass_start[i]; e < form->mass_start[i + 1]; e++) {
            mass[e] = size;
            size += form->node_dim[i] * form->node_dim[form->mass_node[e]];
        }
    }
    for (int i = 0, size = 0; i < problem->laws; i++)
        for (int e = form->jacobian_start[i]; e < form->jacobian_start[i + 1]; e++) {
            jacobian[e] = size;
            size += problem->law[i].rows * form->node_dim[form->jacobian_node[e]];
        }
}

br_status br_lcp_partition_create(br_arena *arena, const br_problem *problem, br_lcp_partition *out,
                                  br_error *error) {
    const int velocity = problem->form == BR_FORM_VELOCITY;
    const int nodes = velocity ? problem->velocity.nodes : 0, vertices = velocity ? nodes : problem->laws;
    int *parent = BR_TAKE(arena, int, vertices), *island_of_root = BR_TAKE(arena, int, vertices);
    int *island_of_vertex = BR_TAKE(arena, int, vertices),
        *island_of_law = BR_TAKE(arena, int, problem->laws);
    int *vertex_of_law = BR_TAKE(arena, int, problem->laws), *law_of_row = BR_TAKE(arena, int, problem->rows);
    int *law_number = BR_TAKE(arena, int, problem->laws), *node_number = BR_TAKE(arena, int, nodes);
    int *law_list = BR_TAKE(arena, int, problem->laws), *node_list = BR_TAKE(arena, int, nodes);
    int *mass = BR_TAKE(arena, int, velocity ? problem->velocity.mass_start[nodes] : 0);
    int *jacobian = BR_TAKE(arena, int, velocity ? problem->velocity.jacobian_start[problem->laws] : 0);
    int *scalar = BR_TAKE(arena, int, nodes);
    int *law_start = BR_TAKE(arena, int, vertices + 2), *node_start = BR_TAKE(arena, int, vertices + 2);
    if (!br_arena_ok(arena))
        return br_no_memory(error, "out of memory while splitting a problem of %d rows", problem->rows);
    for (int i = 0; i < vertices; i++) parent[i] = i;
    for (int i = 0; i < problem->laws; i++) {
        const int *start = problem->velocity.jacobian_start;
        // a law that touches nothing has to live somewhere: with node 0
        vertex_of_law[i] = !velocity                 ? i
                           : start[i] < start[i + 1] ? problem->velocity.jacobian_node[start[i]]
                                                     : 0;
        for (int r = 0; r < problem->law[i].rows; r++) law_of_row[problem->law[i].first_row + r] = i;
    }
    join_all(problem, law_of_row, parent);
    out->islands = number_islands(problem, vertices, parent, vertex_of_law, island_of_root, island_of_vertex);
    for (int i = 0; i < problem->laws; i++) island_of_law[i] = island_of_vertex[vertex_of_law[i]];
    list_members(problem->laws, island_of_law, out->islands, law_start, law_list, law_number);
    if (velocity) {
        list_members(nodes, island_of_vertex, out->islands, node_start, node_list, node_number);
        number_blocks(problem, mass, jacobian, scalar);
    }
    out->law_start = law_start;
    out->law_list = law_list;
    out->node_start = node_start;
    out->node_list = node_list;
    out->numbering = (br_lcp_numbering){node_number, scalar, law_number, law_of_row, mass, jacobian};
    return BR_OK;
}
