#include "io/problem/assemble.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

static br_status out_of_memory(const io_data *d, br_error *error) {
    return br_no_memory_at(error, d->path, "not enough memory to assemble the problem");
}

// One-row law of row k of LCP, RELAY or MLCP. Bounds decide where they are given; (-inf, inf) is an equality.
static br_law row_law(const io_data *d, int k) {
    br_law law = {.kind = BR_LAW_UNILATERAL, .first_row = k, .rows = 1, .lower = 0, .upper = INFINITY};
    if (k >= d->matrix[IO_M].a.rows) { // a column without a row: its unknown is free
        law.kind = BR_LAW_EQUALITY;
        return law;
    }
    const io_vector *flag = &d->vector[IO_IS_COMPLEMENTARITY], *lb = &d->vector[IO_LB],
                    *ub = &d->vector[IO_UB];
    if (lb->present) {
        law.lower = lb->value[k];
        law.upper = ub->value[k];
        law.kind = BR_LAW_BOX;
        if (law.lower == -INFINITY && law.upper == INFINITY) law.kind = BR_LAW_EQUALITY;
        if (law.lower == 0 && law.upper == INFINITY) law.kind = BR_LAW_UNILATERAL;
    } else if (flag->present && flag->value[k] == 0) {
        law.kind = BR_LAW_EQUALITY;
    }
    return law;
}

static br_status row_laws(const io_data *d, br_arena *keep, br_problem *out, br_error *error) {
    const io_sparse *M = &d->matrix[IO_M].a;
    const int n = M->rows > M->columns ? M->rows : M->columns;
    br_law *law = BR_TAKE(keep, br_law, n);
    if (!law) return out_of_memory(d, error);
    for (int k = 0; k < n; k++) law[k] = row_law(d, k);
    out->rows = out->laws = n;
    out->law = law;
    return BR_OK;
}

static br_status contact_laws(const io_data *d, br_arena *keep, br_problem *out, br_error *error) {
    const int nc = d->count[IO_NC], dim = io_type_dimension(d->type);
    const int equalities = br_io_data_rows(d) - nc * dim;
    br_law *law = BR_TAKE(keep, br_law, (size_t)nc + (size_t)equalities);
    if (!law) return out_of_memory(d, error);
    for (int c = 0; c < nc; c++)
        law[c] = (br_law){.kind = d->law,
                          .first_row = c * dim,
                          .rows = dim,
                          .friction_coefficient = d->vector[IO_MU].value[c],
                          .sides = d->sides};
    for (int e = 0; e < equalities; e++)
        law[nc + e] = (br_law){.kind = BR_LAW_EQUALITY, .first_row = nc * dim + e, .rows = 1};
    out->rows = br_io_data_rows(d);
    out->laws = nc + equalities;
    out->law = law;
    return BR_OK;
}

// Vectors of the file one after the other, zeros where one is absent or short.
static const double *joined(const io_vector *a, int room, const io_vector *b, int total, br_arena *keep) {
    double *x = BR_TAKE(keep, double, total);
    if (!x) return NULL;
    if (a->present && a->count > 0) memcpy(x, a->value, (size_t)a->count * sizeof *x);
    if (b && b->present && b->count > 0) memcpy(x + room, b->value, (size_t)b->count * sizeof *x);
    return x;
}

br_status br_io_assemble(const io_data *d, br_arena *keep, br_arena *scratch, br_problem *out, int *node_dim,
                         br_error *error) {
    br_problem p;
    memset(&p, 0, sizeof p);
    *node_dim = 0;
    const int global = io_type_is_global(d->type), friction = io_type_has_friction(d->type);
    br_status status = friction ? contact_laws(d, keep, &p, error) : row_laws(d, keep, &p, error);
    if (status != BR_OK) return status;

    const io_vector *v = d->vector;
    if (global)
        p.offset = joined(&v[IO_B], br_io_data_contact_rows(d), &v[IO_G_OFFSET], p.rows, keep);
    else
        p.offset = joined(&v[IO_Q], 0, NULL, p.rows, keep);
    if (v[IO_COMPLIANCE].present) p.compliance = joined(&v[IO_COMPLIANCE], 0, NULL, p.rows, keep);
    if (!p.offset || (v[IO_COMPLIANCE].present && !p.compliance)) return out_of_memory(d, error);

    if (global) {
        p.form = BR_FORM_VELOCITY;
        status = br_io_assemble_velocity(d, p.law, p.laws, keep, scratch, &p.velocity, node_dim, error);
    } else {
        const io_sparse *A = &d->matrix[friction ? IO_W : IO_M].a;
        p.form = BR_FORM_MATRIX;
        p.matrix = (br_matrix_form){A->start, A->column, A->value};
    }
    if (status == BR_OK) *out = p;
    return status;
}
