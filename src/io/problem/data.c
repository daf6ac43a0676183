#include "io/problem/data.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "io/text/text.h"

int br_io_data_contact_rows(const io_data *d) {
    return d->count[IO_NC] * io_type_dimension(d->type);
}

int br_io_data_rows(const io_data *d) {
    if (io_type_is_global(d->type))
        return br_io_data_contact_rows(d) + (d->matrix[IO_G].present ? d->matrix[IO_G].a.columns : 0);
    return io_type_has_friction(d->type) ? br_io_data_contact_rows(d) : d->matrix[IO_M].a.rows;
}

// ----------------------------------------------------------------------------------------- places of entries

// Lines are not stored with the entries: a fault is worth a second walk through the text.
static io_text walk(const io_data *d, const io_place *place) {
    return (io_text){d->path, place->entries, d->text_end, place->entries, place->entries, place->line};
}

// The cursor of `walk` stands at the end of the heading's line, so the first step leads to the first entry.
int br_io_vector_line(const io_data *d, const io_vector *v, int k) {
    if (!v->place.entries) return 0;
    io_text text = walk(d, &v->place);
    for (int i = 0; i <= k; i++)
        if (!br_io_text_next_line(&text)) return 0;
    return text.line;
}

int br_io_matrix_line(const io_data *d, const io_matrix *m, int row, int column, int nth) {
    if (!m->place.entries) return 0;
    io_text text = walk(d, &m->place);
    for (int k = 0; k < m->a.entries && br_io_text_next_line(&text); k++) {
        io_token ti, tj;
        long long i, j;
        if (!br_io_text_token(&text, &ti) || !br_io_text_token(&text, &tj)) return 0;
        if (!br_io_parse_integer(ti, &i) || !br_io_parse_integer(tj, &j)) return 0;
        if (i == row && j == column && nth-- == 0) return text.line;
    }
    return 0;
}

// -------------------------------------------------------------------------------------------------- sizes

static br_status check_matrix(const io_data *d, io_matrix_role role, const char *name, long rows,
                              long columns, const char *why, br_error *error) {
    const io_matrix *m = &d->matrix[role];
    if (!m->present)
        return br_fail_at(error, BR_PARSE, "cp-missing-section", d->path, d->type_line, 0,
                          "%s has no matrix %s: expected MATRIX %s %ld %ld ENTRIES",
                          br_problem_type_name(d->type), name, name, rows, columns);
    if (m->a.rows == rows && m->a.columns == columns) return BR_OK;
    return br_fail_at(error, BR_INVALID, "cp-size-mismatch", d->path, m->place.line, 0,
                      "%s is %d x %d, expected %ld x %ld (%s)", m->place.label, m->a.rows, m->a.columns, rows,
                      columns, why);
}

static br_status check_vector(const io_data *d, io_vector_role role, const char *name, long count,
                              const char *why, br_error *error) {
    const io_vector *v = &d->vector[role];
    if (!v->present)
        return br_fail_at(error, BR_PARSE, "cp-missing-section", d->path, d->type_line, 0,
                          "%s has no vector %s: expected VECTOR %s %ld", br_problem_type_name(d->type), name,
                          name, count);
    if (v->count == count) return BR_OK;
    return br_fail_at(error, BR_INVALID, "cp-size-mismatch", d->path, v->place.line, 0,
                      "%s has %d entries, expected %ld (%s)", v->place.label, v->count, count, why);
}

static br_status check_optional_vector(const io_data *d, io_vector_role role, long count, const char *why,
                                       br_error *error) {
    return d->vector[role].present ? check_vector(d, role, "", count, why, error) : BR_OK;
}

// --------------------------------------------------------------------------------------------------- values

static br_status check_not_negative(const io_data *d, io_vector_role role, const char *what, const char *code,
                                    br_error *error) {
    const io_vector *v = &d->vector[role];
    for (int k = 0; v->present && k < v->count; k++)
        if (v->value[k] < 0)
            return br_fail_at(error, BR_INVALID, code, d->path, br_io_vector_line(d, v, k), 1,
                              "%s entry %d is %g: %s, expected >= 0", v->place.label, k, v->value[k], what);
    return BR_OK;
}

static br_status check_bounds(const io_data *d, br_error *error) {
    const io_vector *lb = &d->vector[IO_LB], *ub = &d->vector[IO_UB];
    for (int k = 0; k < lb->count; k++) {
        const double l = lb->value[k], u = ub->value[k];
        if (l > u)
            return br_fail_at(error, BR_INVALID, "cp-bounds-crossed", d->path, br_io_vector_line(d, lb, k), 1,
                              "row %d: lower bound lb = %g is above upper bound ub = %g (line %d)", k, l, u,
                              br_io_vector_line(d, ub, k));
        if (l == INFINITY || u == -INFINITY)
            return br_fail_at(error, BR_INVALID, "cp-bounds-crossed", d->path,
                              br_io_vector_line(d, l == INFINITY ? lb : ub, k), 1,
                              "row %d: no number lies between lb = %g and ub = %g", k, l, u);
    }
    return BR_OK;
}

static br_status check_flags(const io_data *d, int *ones, br_error *error) {
    const io_vector *flag = &d->vector[IO_IS_COMPLEMENTARITY];
    *ones = 0;
    for (int k = 0; k < flag->count; k++) {
        if (flag->value[k] != 0 && flag->value[k] != 1)
            return br_fail_at(error, BR_INVALID, "cp-flag", d->path, br_io_vector_line(d, flag, k), 1,
                              "%s entry %d is %g, expected 0 (equality) or 1 (complementarity)",
                              flag->place.label, k, flag->value[k]);
        *ones += flag->value[k] == 1;
    }
    return BR_OK;
}

// -------------------------------------------------------------------------------------------- types of problem

static br_status check_square_with_q(const io_data *d, br_error *error) {
    const int n = d->matrix[IO_M].present ? d->matrix[IO_M].a.rows : 1;
    const br_status status = check_matrix(d, IO_M, "M", n, n, "rows and columns agree", error);
    if (status != BR_OK) return status;
    return check_vector(d, IO_Q, "q", n, "the rows of M", error);
}

static br_status check_bound_sizes(const io_data *d, int rows, br_error *error) {
    br_status status = check_vector(d, IO_LB, "lb", rows, "the rows of M", error);
    if (status == BR_OK) status = check_vector(d, IO_UB, "ub", rows, "the rows of M", error);
    return status == BR_OK ? check_bounds(d, error) : status;
}

static br_status check_complementary_bounds(const io_data *d, br_error *error) {
    const io_vector *flag = &d->vector[IO_IS_COMPLEMENTARITY], *lb = &d->vector[IO_LB],
                    *ub = &d->vector[IO_UB];
    for (int k = 0; k < flag->count; k++)
        if (flag->value[k] == 1 && (lb->value[k] != 0 || ub->value[k] != INFINITY))
            return br_fail_at(error, BR_INVALID, "cp-flag", d->path, br_io_vector_line(d, flag, k), 1,
                              "row %d is a complementarity row, whose bounds are 0 and inf, but lb = %g "
                              "(line %d) and ub = %g "
                              "(line %d)",
                              k, lb->value[k], br_io_vector_line(d, lb, k), ub->value[k],
                              br_io_vector_line(d, ub, k));
    return BR_OK;
}

static br_status check_mlcp_counts(const io_data *d, int ones, br_error *error) {
    const io_sparse *M = &d->matrix[IO_M].a;
    const int neq = d->count[IO_NEQ], ncomp = d->count[IO_NCOMP];
    const int has_neq = d->count_line[IO_NEQ] > 0, has_ncomp = d->count_line[IO_NCOMP] > 0;
    if (has_ncomp && ones != ncomp)
        return br_fail_at(error, BR_INVALID, "cp-size-mismatch", d->path, d->count_line[IO_NCOMP], 0,
                          "ncomp is %d, but %d entries of VECTOR is_complementarity (line %d) are 1", ncomp,
                          ones, d->vector[IO_IS_COMPLEMENTARITY].place.line);
    if (has_neq && (long)neq + ones != M->columns)
        return br_fail_at(error, BR_INVALID, "cp-size-mismatch", d->path, d->count_line[IO_NEQ], 0,
                          "neq %d plus ncomp %d is %ld, expected %d (the columns of M, line %d)", neq, ones,
                          (long)neq + ones, M->columns, d->matrix[IO_M].place.line);
    return BR_OK;
}

// Rows and columns may differ: the missing ones are unknowns that appear nowhere, or rows that ask nothing.
static br_status check_mlcp(const io_data *d, br_error *error) {
    const io_matrix *M = &d->matrix[IO_M];
    const int rows = M->a.rows;
    br_status status =
        check_matrix(d, IO_M, "M", M->present ? rows : 1, M->present ? M->a.columns : 1, "", error);
    if (status == BR_OK) status = check_vector(d, IO_Q, "q", rows, "the rows of M", error);
    if (status != BR_OK) return status;
    const int bounded = d->vector[IO_LB].present || d->vector[IO_UB].present;
    const int flagged = d->vector[IO_IS_COMPLEMENTARITY].present;
    if (bounded) status = check_bound_sizes(d, rows, error);
    if (status == BR_OK && (flagged || !bounded))
        status = check_vector(d, IO_IS_COMPLEMENTARITY, "is_complementarity", rows, "the rows of M", error);
    if (status != BR_OK) return status;
    int ones = 0;
    status = check_flags(d, &ones, error);
    if (status == BR_OK && flagged) status = check_mlcp_counts(d, ones, error);
    if (status == BR_OK && flagged && bounded) status = check_complementary_bounds(d, error);
    return status;
}

static br_status check_contact_counts(const io_data *d, br_error *error) {
    const int dim = io_type_dimension(d->type);
    if (d->count_line[IO_NC] == 0)
        return br_fail_at(error, BR_PARSE, "cp-missing-section", d->path, d->type_line, 0,
                          "%s has no line `nc N` with the number of contacts", br_problem_type_name(d->type));
    if (d->count_line[IO_DIM] > 0 && d->count[IO_DIM] != dim)
        return br_fail_at(error, BR_INVALID, "cp-size-mismatch", d->path, d->count_line[IO_DIM], 0,
                          "dim is %d, expected %d (TYPE %s, line %d)", d->count[IO_DIM], dim,
                          br_problem_type_name(d->type), d->type_line);
    return BR_OK;
}

static br_status check_friction(const io_data *d, br_error *error) {
    br_status status = check_contact_counts(d, error);
    if (status != BR_OK) return status;
    const int dim = io_type_dimension(d->type), nc = d->count[IO_NC];
    const long m = (long)nc * dim;
    char why[64], contacts[48];
    snprintf(why, sizeof why, "nc %d times dim %d", nc, dim);
    snprintf(contacts, sizeof contacts, "nc %d", nc);
    if (io_type_is_global(d->type)) {
        const int n = d->matrix[IO_M].present ? d->matrix[IO_M].a.rows : 1;
        char size_of_H[96];
        snprintf(size_of_H, sizeof size_of_H, "rows of M by %s", why);
        status = check_matrix(d, IO_M, "M", n, n, "rows and columns agree", error);
        if (status == BR_OK) status = check_matrix(d, IO_H, "H", n, m, size_of_H, error);
        if (status == BR_OK) status = check_vector(d, IO_Q, "q", n, "the rows of M", error);
        if (status == BR_OK) status = check_optional_vector(d, IO_B, m, why, error);
    } else {
        status = check_matrix(d, IO_W, "W", m, m, why, error);
        if (status == BR_OK) status = check_vector(d, IO_Q, "q", m, why, error);
    }
    if (status == BR_OK) status = check_vector(d, IO_MU, "mu", nc, contacts, error);
    if (status == BR_OK) status = check_optional_vector(d, IO_COMPLIANCE, m, why, error);
    if (status == BR_OK)
        status = check_not_negative(d, IO_MU, "a coefficient of friction", "cp-negative-mu", error);
    if (status == BR_OK)
        status = check_not_negative(d, IO_COMPLIANCE, "a compliance", "cp-negative-compliance", error);
    return status;
}

// Equality rows of a global problem: M v = H p + G l + q, G' v + g = 0.
static br_status check_equalities(const io_data *d, br_error *error) {
    if (!d->matrix[IO_G].present && !d->vector[IO_G_OFFSET].present && d->count_line[IO_NEQ] == 0)
        return BR_OK;
    const int columns = d->matrix[IO_G].present ? d->matrix[IO_G].a.columns : d->count[IO_NEQ];
    br_status status =
        check_matrix(d, IO_G, "G", d->matrix[IO_M].a.rows, columns, "as many rows as M", error);
    if (status != BR_OK) return status;
    if (d->count_line[IO_NEQ] > 0 && d->count[IO_NEQ] != columns)
        return br_fail_at(error, BR_INVALID, "cp-size-mismatch", d->path, d->count_line[IO_NEQ], 0,
                          "neq is %d, expected %d (the columns of G, line %d)", d->count[IO_NEQ], columns,
                          d->matrix[IO_G].place.line);
    return check_optional_vector(d, IO_G_OFFSET, columns, "the columns of G", error);
}

br_status br_io_data_check(const io_data *d, br_error *error) {
    br_status status;
    switch (d->type) {
    case BR_PROBLEM_LCP:
        return check_square_with_q(d, error);
    case BR_PROBLEM_RELAY:
        status = check_square_with_q(d, error);
        return status == BR_OK ? check_bound_sizes(d, d->matrix[IO_M].a.rows, error) : status;
    case BR_PROBLEM_MLCP:
        return check_mlcp(d, error);
    default:
        status = check_friction(d, error);
        return status == BR_OK && io_type_is_global(d->type) ? check_equalities(d, error) : status;
    }
}
