// Building an island: local numbering, index arrays and the symbolic factorization. Runs once per pattern.
#include "lcp/island/island.h"

#include "base/error.h"
#include "linalg/block_kernels.h"
#include "math/elementary.h"

#include <math.h>
#include <string.h>

static const char *const no_memory = "out of memory while setting up a problem of %d rows";

static br_status take_failed(const br_problem *problem, br_error *error) {
    return br_no_memory(error, no_memory, problem->rows);
}

static int create_laws(br_arena *arena, const br_problem *problem, const int *law_list, br_lcp_island *s) {
    s->law = BR_TAKE(arena, br_lcp_law, s->laws);
    int *square = BR_TAKE(arena, int, s->laws + 1);
    if (!br_arena_ok(arena)) return 0;
    s->all_rows = 1;
    for (int i = 0; i < s->laws; i++) {
        const br_law *law = &problem->law[law_list[i]];
        s->law[i] = (br_lcp_law){.kind = law->kind,
                                 .row = s->rows,
                                 .rows = law->rows,
                                 .sides = law->sides,
                                 .normal_rows = law->normal_rows,
                                 .share = 1.0};
        if (law->kind == BR_LAW_POLYGON) s->law[i].half_angle = br_acos(-1.0) / law->sides;
        s->rows += law->rows;
        square[i + 1] = square[i] + law->rows * law->rows;
        s->all_rows &= br_lcp_law_is_rows(law->kind);
        s->has_joint_friction |= law->kind == BR_LAW_JOINT_FRICTION;
    }
    s->square = square;
    return 1;
}

static int create_vectors(br_arena *arena, br_lcp_island *s) {
    const int rows = s->rows, most = rows > s->scalars ? rows : s->scalars;
    double **of_rows[] = {&s->offset, &s->compliance, &s->p,      &s->w, &s->w_free,
                          &s->best_p, &s->step_p,     &s->step_w, &s->R, &s->c};
    double **of_scalars[] = {&s->v, &s->v_free, &s->step_v, &s->momentum};
    double **of_squares[] = {&s->P, &s->Q, &s->G};
    for (size_t i = 0; i < sizeof of_rows / sizeof *of_rows; i++) *of_rows[i] = BR_TAKE(arena, double, rows);
    for (size_t i = 0; i < sizeof of_scalars / sizeof *of_scalars; i++)
        *of_scalars[i] = BR_TAKE(arena, double, s->scalars);
    for (size_t i = 0; i < sizeof of_squares / sizeof *of_squares; i++)
        *of_squares[i] = BR_TAKE(arena, double, s->square[s->laws]);
    s->scratch = BR_TAKE(arena, double, most);
    return br_arena_ok(arena);
}

// ------------------------------------------------------------------------------------------- velocity form

static void create_wide(br_arena *arena, int widest, br_lcp_island *s) {
    s->wide_panel = BR_TAKE(arena, double, BR_LCP_PANEL_ROWS *(size_t)widest + BR_ROWS);
    s->wide_packed = BR_TAKE(arena, double, br_packed_size(widest, widest));
    s->wide_inverse = BR_TAKE(arena, double, widest);
}

static int create_nodes(br_arena *arena, const br_problem *problem, const int *node_list, br_lcp_island *s) {
    const br_velocity_form *form = &problem->velocity;
    int *dim = BR_TAKE(arena, int, s->nodes), *start = BR_TAKE(arena, int, s->nodes + 1);
    int *cholesky = BR_TAKE(arena, int, s->nodes);
    if (!br_arena_ok(arena)) return 0;
    int squares = 0, widest = 1;
    for (int i = 0; i < s->nodes; i++) {
        dim[i] = form->node_dim[node_list[i]];
        start[i + 1] = start[i] + dim[i];
        cholesky[i] = squares;
        squares += dim[i] * dim[i];
        if (dim[i] > widest) widest = dim[i];
    }
    s->group_product = BR_TAKE(arena, double, BR_LCP_GROUP_ROWS *(size_t)widest + BR_ROWS);
    s->group_packed = BR_TAKE(arena, double, br_packed_size(widest, BR_LCP_GROUP_ROWS));
    s->node_dim = dim;
    s->node_start = start;
    s->scalars = start[s->nodes];
    s->cholesky_offset = cholesky;
    s->mass_kind = BR_TAKE(arena, br_lcp_mass_kind, s->nodes);
    s->mass_cholesky = BR_TAKE(arena, double, squares);
    if (widest >= BR_LCP_WIDE) create_wide(arena, widest, s);
    return br_arena_ok(arena);
}

static int create_mass(br_arena *arena, const br_problem *problem, const int *node_list,
                       const int *local_of_node, const int *source_of_block, br_lcp_island *s) {
    const br_velocity_form *form = &problem->velocity;
    for (int i = 0; i < s->nodes; i++)
        s->mass_blocks += form->mass_start[node_list[i] + 1] - form->mass_start[node_list[i]];
    int *row = BR_TAKE(arena, int, s->mass_blocks), *col = BR_TAKE(arena, int, s->mass_blocks);
    int *offset = BR_TAKE(arena, int, s->mass_blocks), *source = BR_TAKE(arena, int, s->mass_blocks);
    int *diagonal = BR_TAKE(arena, int, s->nodes);
    if (!br_arena_ok(arena)) return 0;
    int k = 0, size = 0;
    for (int i = 0; i < s->nodes; i++) {
        for (int e = form->mass_start[node_list[i]]; e < form->mass_start[node_list[i] + 1]; e++, k++) {
            row[k] = i;
            col[k] = local_of_node[form->mass_node[e]];
            offset[k] = size;
            source[k] = source_of_block[e];
            size += s->node_dim[i] * s->node_dim[col[k]];
            if (col[k] != i) s->coupled = 1;
        }
        diagonal[i] = k - 1;
    }
    s->mass_row = row;
    s->mass_col = col;
    s->mass_offset = offset;
    s->mass_source = source;
    s->diagonal = diagonal;
    s->mass = BR_TAKE(arena, double, size);
    return br_arena_ok(arena);
}

static int same_nodes(const br_velocity_form *form, int a, int b) {
    const int n = form->jacobian_start[a + 1] - form->jacobian_start[a];
    if (form->jacobian_start[b + 1] - form->jacobian_start[b] != n) return 0;
    for (int e = 0; e < n; e++)
        if (form->jacobian_node[form->jacobian_start[a] + e] !=
            form->jacobian_node[form->jacobian_start[b] + e])
            return 0;
    return 1;
}

// Laws in groups, see island.h. Returns the refs that they need.
static int find_groups(const br_problem *problem, const int *law_list, br_lcp_island *s, int *start,
                       int *ref) {
    const br_velocity_form *form = &problem->velocity;
    int refs = 0, rows = 0;
    for (int i = 0; i < s->laws; i++) {
        const int k = form->jacobian_start[law_list[i] + 1] - form->jacobian_start[law_list[i]];
        rows += s->law[i].rows;
        if (i > 0 && rows <= BR_LCP_GROUP_ROWS && same_nodes(form, law_list[i - 1], law_list[i])) continue;
        rows = s->law[i].rows;
        start[s->groups] = i;
        ref[s->groups++] = refs;
        refs += k * k;
    }
    start[s->groups] = s->laws;
    return refs;
}

// Where each entry's block goes: group by group, node by node, law by law. Returns the size of all.
static int place_entries(const br_lcp_island *s, int *offset) {
    int size = 0;
    for (int g = 0; g < s->groups; g++) {
        const int first = s->group_start[g], end = s->group_start[g + 1];
        for (int a = 0; a < s->entry_start[first + 1] - s->entry_start[first]; a++)
            for (int i = first; i < end; i++) {
                const int e = s->entry_start[i] + a;
                offset[e] = size;
                size += s->law[i].rows * s->node_dim[s->entry_node[e]];
            }
    }
    return size;
}

static int create_jacobian(br_arena *arena, const br_problem *problem, const int *law_list,
                           const int *local_of_node, const int *source_of_entry, br_lcp_island *s) {
    const br_velocity_form *form = &problem->velocity;
    int entries = 0;
    for (int i = 0; i < s->laws; i++)
        entries += form->jacobian_start[law_list[i] + 1] - form->jacobian_start[law_list[i]];
    int *start = BR_TAKE(arena, int, s->laws + 1), *group = BR_TAKE(arena, int, s->laws + 1);
    int *ref = BR_TAKE(arena, int, s->laws), *node = BR_TAKE(arena, int, entries);
    int *offset = BR_TAKE(arena, int, entries), *source = BR_TAKE(arena, int, entries);
    if (!br_arena_ok(arena)) return 0;
    int k = 0;
    for (int i = 0; i < s->laws; i++) {
        for (int e = form->jacobian_start[law_list[i]]; e < form->jacobian_start[law_list[i] + 1]; e++, k++) {
            node[k] = local_of_node[form->jacobian_node[e]];
            source[k] = source_of_entry[e];
        }
        s->law[i].is_body_contact = s->law[i].rows == 3;
        for (int e = start[i]; e < k; e++) s->law[i].is_body_contact &= s->node_dim[node[e]] == 6;
        start[i + 1] = k;
    }
    s->entry_start = start;
    s->entry_node = node;
    s->entry_offset = offset;
    s->entry_source = source;
    s->group_start = group;
    s->group_ref = ref;
    s->entry_ref = BR_TAKE(arena, br_block_ref, find_groups(problem, law_list, s, group, ref));
    s->jacobian =
        BR_TAKE(arena, double, (size_t)place_entries(s, offset) + BR_ROWS); // tiles read past the end
    return br_arena_ok(arena);
}

static br_status factor_velocity(br_arena *arena, br_arena *scratch, const br_problem *problem,
                                 size_t most_bytes, br_lcp_island *s, br_error *error) {
    int count = s->mass_blocks, n = 0;
    for (int g = 0; g < s->groups; g++) {
        const int k = s->entry_start[s->group_start[g] + 1] - s->entry_start[s->group_start[g]];
        count += k * k;
    }
    int(*pairs)[2] = br_arena_take(arena, (size_t)count, sizeof *pairs);
    s->mass_ref = BR_TAKE(arena, br_block_ref, s->mass_blocks);
    s->mass_ref_t = BR_TAKE(arena, br_block_ref, s->mass_blocks);
    s->mass_factor_ref = BR_TAKE(arena, br_block_ref, s->mass_blocks);
    s->mass_factor_transposed = BR_TAKE(arena, int, s->mass_blocks);
    if (!br_arena_ok(arena)) return take_failed(problem, error);
    for (int k = 0; k < s->mass_blocks; k++)
        if (s->mass_row[k] != s->mass_col[k]) {
            pairs[n][0] = s->mass_row[k];
            pairs[n++][1] = s->mass_col[k];
        }
    br_status status;
    if (s->coupled) {
        status = br_block_analyze_with(arena, scratch, s->nodes, s->node_dim, n, (const int(*)[2])pairs,
                                       &s->mass_factor, error);
        if (status) return status;
        for (int k = 0; k < s->mass_blocks; k++) {
            const int i = s->mass_row[k], j = s->mass_col[k];
            s->mass_factor_ref[k] = br_block_at(s->mass_factor, BR_BLOCK_SYMMETRIC, i, j);
            s->mass_factor_transposed[k] = !s->mass_factor_ref[k].stored;
            if (s->mass_factor_transposed[k])
                s->mass_factor_ref[k] = br_block_at(s->mass_factor, BR_BLOCK_SYMMETRIC, j, i);
        }
    }
    for (int g = 0; g < s->groups; g++) {
        const int i = s->group_start[g];
        for (int a = s->entry_start[i]; a < s->entry_start[i + 1]; a++)
            for (int b = s->entry_start[i]; b < a; b++) {
                pairs[n][0] = s->entry_node[a];
                pairs[n++][1] = s->entry_node[b];
            }
    }
    status = br_block_analyze_within(arena, scratch, s->nodes, s->node_dim, n, (const int(*)[2])pairs,
                                     most_bytes, &s->factor, error);
    if (status || !s->factor) return status;
    for (int k = 0; k < s->mass_blocks; k++) {
        s->mass_ref[k] = br_block_at(s->factor, BR_BLOCK_GENERAL, s->mass_row[k], s->mass_col[k]);
        s->mass_ref_t[k] = br_block_at(s->factor, BR_BLOCK_GENERAL, s->mass_col[k], s->mass_row[k]);
    }
    for (int g = 0, k = 0; g < s->groups; g++) {
        const int i = s->group_start[g];
        for (int a = s->entry_start[i]; a < s->entry_start[i + 1]; a++)
            for (int b = s->entry_start[i]; b < s->entry_start[i + 1]; b++)
                s->entry_ref[k++] =
                    br_block_at(s->factor, BR_BLOCK_GENERAL, s->entry_node[a], s->entry_node[b]);
    }
    return BR_OK;
}

// --------------------------------------------------------------------------------------------- matrix form

// The nonzeros of A in the island's rows, as blocks over laws, diagonal blocks always present.
static br_status create_blocks(br_arena *arena, const br_problem *problem, const int *law_list,
                               const int *local_of_law, const int *law_of_row, br_lcp_island *s,
                               br_error *error) {
    const br_matrix_form *form = &problem->matrix;
    for (int i = 0; i < s->laws; i++) {
        const br_law *law = &problem->law[law_list[i]];
        s->nonzeros += form->row_start[law->first_row + law->rows] - form->row_start[law->first_row];
    }
    int *start = BR_TAKE(arena, int, s->laws + 1), *seen = BR_TAKE(arena, int, s->laws);
    int *where = BR_TAKE(arena, int, s->laws);
    int *column = BR_TAKE(arena, int, s->nonzeros + s->laws),
        *offset = BR_TAKE(arena, int, s->nonzeros + s->laws);
    int *scatter = BR_TAKE(arena, int, s->nonzeros), *source = BR_TAKE(arena, int, s->nonzeros);
    if (!br_arena_ok(arena)) return take_failed(problem, error);
    int blocks = 0, size = 0, k = 0;
    for (int i = 0; i < s->laws; i++) {
        const br_law *law = &problem->law[law_list[i]];
        for (int r = -1; r < law->rows; r++) { // r = -1 opens the diagonal block
            const int row = law->first_row + (r < 0 ? 0 : r);
            const int from = r < 0 ? 0 : form->row_start[row], to = r < 0 ? 1 : form->row_start[row + 1];
            for (int e = from; e < to; e++) {
                const int global = r < 0 ? law_list[i] : law_of_row[form->column[e]],
                          j = local_of_law[global];
                if (seen[j] != i + 1) {
                    seen[j] = i + 1;
                    where[j] = size;
                    column[blocks] = j;
                    offset[blocks++] = size;
                    size += law->rows * s->law[j].rows;
                }
                if (r < 0) continue;
                scatter[k] = where[j] + r * s->law[j].rows + form->column[e] - problem->law[global].first_row;
                source[k++] = e;
            }
        }
        start[i + 1] = blocks;
    }
    s->block_start = start;
    s->block_law = column;
    s->block_offset = offset;
    s->scatter = scatter;
    s->scatter_source = source;
    s->block = BR_TAKE(arena, double, size);
    s->block_ref = BR_TAKE(arena, br_block_ref, blocks);
    return br_arena_ok(arena) ? BR_OK : take_failed(problem, error);
}

static br_status factor_matrix(br_arena *arena, br_arena *scratch, const br_problem *problem,
                               br_lcp_island *s, br_error *error) {
    int *dims = BR_TAKE(arena, int, s->laws), n = 0;
    int(*pairs)[2] = br_arena_take(arena, (size_t)s->block_start[s->laws], sizeof *pairs);
    if (!br_arena_ok(arena)) return take_failed(problem, error);
    for (int i = 0; i < s->laws; i++) {
        dims[i] = s->law[i].rows;
        for (int e = s->block_start[i]; e < s->block_start[i + 1]; e++)
            if (s->block_law[e] != i) {
                pairs[n][0] = i;
                pairs[n++][1] = s->block_law[e];
            }
    }
    br_status status =
        br_block_analyze_with(arena, scratch, s->laws, dims, n, (const int(*)[2])pairs, &s->factor, error);
    if (status) return status;
    for (int i = 0; i < s->laws; i++)
        for (int e = s->block_start[i]; e < s->block_start[i + 1]; e++)
            s->block_ref[e] = br_block_at(s->factor, BR_BLOCK_GENERAL, i, s->block_law[e]);
    return BR_OK;
}

br_status br_lcp_island_create(br_arena *arena, br_arena *scratch, const br_problem *problem,
                               const br_lcp_numbering *numbering, int index, int laws, const int *law_list,
                               int nodes, const int *node_list, size_t most_bytes, br_lcp_island **out,
                               br_error *error) {
    br_lcp_island *s = BR_TAKE(arena, br_lcp_island, 1);
    if (!s) return take_failed(problem, error);
    *s = (br_lcp_island){.form = problem->form,
                         .index = index,
                         .laws = laws,
                         .nodes = nodes,
                         .global_law = law_list,
                         .global_node = node_list};
    if (!create_laws(arena, problem, law_list, s)) return take_failed(problem, error);
    br_status status = BR_OK;
    if (problem->form == BR_FORM_VELOCITY) {
        if (!create_nodes(arena, problem, node_list, s) ||
            !create_mass(arena, problem, node_list, numbering->node, numbering->mass_offset, s) ||
            !create_jacobian(arena, problem, law_list, numbering->node, numbering->jacobian_offset, s))
            return take_failed(problem, error);
        s->global_scalar = numbering->node_scalar;
        status = factor_velocity(arena, scratch, problem, most_bytes, s, error);
    } else {
        status = create_blocks(arena, problem, law_list, numbering->law, numbering->law_of_row, s, error);
        if (!status) status = factor_matrix(arena, scratch, problem, s, error);
    }
    if (status) return status;
    if (!create_vectors(arena, s)) return take_failed(problem, error);
    *out = s;
    return BR_OK;
}
