// Remembering a problem's pattern, see pattern.h. Comparing it costs a few memory compares a solve, and saves checking
// every index again.
#include "lcp/problem/pattern.h"

#include "base/error.h"

#include <string.h>

static int same(int n, const int *a, const int *b) {
    return n == 0 || memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

static void pattern_count(const br_problem *problem, br_lcp_pattern *out) {
    const br_velocity_form *form = &problem->velocity;
    for (int i = 0; i < form->nodes; i++) {
        const size_t dim = (size_t)form->node_dim[i];
        out->scalars += dim;
        for (int e = form->mass_start[i]; e < form->mass_start[i + 1]; e++)
            out->mass_count += dim * (size_t)form->node_dim[form->mass_node[e]];
    }
    for (int i = 0; i < problem->laws; i++)
        for (int e = form->jacobian_start[i]; e < form->jacobian_start[i + 1]; e++)
            out->jacobian_count +=
                (size_t)problem->law[i].rows * (size_t)form->node_dim[form->jacobian_node[e]];
}

br_status br_lcp_pattern_copy(br_arena *arena, const br_problem *problem, br_lcp_pattern *out,
                              br_error *error) {
    *out = (br_lcp_pattern){.form = problem->form, .rows = problem->rows, .laws = problem->laws};
    out->law = BR_COPY(arena, problem->law, problem->laws);
    if (problem->form == BR_FORM_VELOCITY) {
        const br_velocity_form *form = &problem->velocity;
        const int n = out->nodes = form->nodes;
        pattern_count(problem, out);
        out->node_dim = BR_COPY(arena, form->node_dim, n);
        out->mass_start = BR_COPY(arena, form->mass_start, n + 1);
        out->mass_node = BR_COPY(arena, form->mass_node, form->mass_start[n]);
        out->jacobian_start = BR_COPY(arena, form->jacobian_start, problem->laws + 1);
        out->jacobian_node = BR_COPY(arena, form->jacobian_node, form->jacobian_start[problem->laws]);
    } else {
        out->row_start = BR_COPY(arena, problem->matrix.row_start, problem->rows + 1);
        out->column = BR_COPY(arena, problem->matrix.column, problem->matrix.row_start[problem->rows]);
    }
    return br_arena_ok(arena)
               ? BR_OK
               : br_no_memory(error, "out of memory while setting up a problem of %d rows", problem->rows);
}

static int is_complete(const br_problem *problem) {
    const br_velocity_form *v = &problem->velocity;
    const br_matrix_form *m = &problem->matrix;
    if (problem->rows > 0 && (!problem->law || !problem->offset)) return 0;
    if (problem->form == BR_FORM_MATRIX)
        return m->row_start &&
               (problem->rows == 0 || m->row_start[problem->rows] == 0 || (m->column && m->value));
    return v->node_dim && v->mass_start && v->mass_node && v->mass && v->momentum && v->jacobian_start &&
           (problem->laws == 0 || (v->jacobian_node && v->jacobian));
}

const char *br_lcp_pattern_size_difference(const br_lcp_pattern *pattern, const br_problem *problem) {
    if (problem->form != pattern->form) return "forms";
    if (problem->rows != pattern->rows || problem->laws != pattern->laws) return "sizes";
    if (!is_complete(problem)) return "arrays given";
    if (problem->form == BR_FORM_MATRIX)
        return problem->matrix.row_start[pattern->rows] == pattern->row_start[pattern->rows]
                   ? NULL
                   : "places of the matrix entries";
    const br_velocity_form *form = &problem->velocity;
    const int n = pattern->nodes, laws = pattern->laws;
    if (form->nodes != n) return "nodes";
    if (form->mass_start[n] != pattern->mass_start[n]) return "blocks of the mass matrix";
    return form->jacobian_start[laws] == pattern->jacobian_start[laws] ? NULL : "nodes that the laws touch";
}

const char *br_lcp_pattern_difference(const br_lcp_pattern *pattern, const br_problem *problem) {
    const char *sizes = br_lcp_pattern_size_difference(pattern, problem);
    if (sizes) return sizes;
    for (int i = 0; i < pattern->laws; i++) {
        const br_law *a = &pattern->law[i], *b = &problem->law[i];
        if (a->kind != b->kind || a->rows != b->rows || a->first_row != b->first_row)
            return "laws or their rows";
        if (a->kind == BR_LAW_POLYGON && a->sides != b->sides) return "sides of a polygon";
        if (a->kind == BR_LAW_JOINT_FRICTION && (a->normal_rows != b->normal_rows || !b->bounds))
            return "normal rows of a joint";
    }
    if (problem->form == BR_FORM_MATRIX) {
        const br_matrix_form *form = &problem->matrix;
        if (!same(pattern->rows + 1, pattern->row_start, form->row_start) ||
            !same(pattern->row_start[pattern->rows], pattern->column, form->column))
            return "places of the matrix entries";
        return NULL;
    }
    const br_velocity_form *form = &problem->velocity;
    const int n = pattern->nodes;
    if (form->nodes != n || !same(n, pattern->node_dim, form->node_dim)) return "nodes";
    if (!same(n + 1, pattern->mass_start, form->mass_start) ||
        !same(pattern->mass_start[n], pattern->mass_node, form->mass_node))
        return "blocks of the mass matrix";
    if (!same(pattern->laws + 1, pattern->jacobian_start, form->jacobian_start) ||
        !same(pattern->jacobian_start[pattern->laws], pattern->jacobian_node, form->jacobian_node))
        return "nodes that the laws touch";
    return NULL;
}
