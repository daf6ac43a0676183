// The velocity form of a global problem: M and H cut into the blocks of nodes.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "io/problem/assemble.h"

// Files are printed with 10 digits or more, and M is symmetric by definition: what differs by less is rounding.
#define BR_EPS_SYMMETRY 1e-10

static br_status out_of_memory(const io_data *d, br_error *error) {
    return br_no_memory_at(error, d->path, "not enough memory to assemble the problem");
}

// ------------------------------------------------------------------------------------------------------ checks

static br_status check_diagonal(const io_data *d, const io_matrix *M, br_error *error) {
    for (int i = 0; i < M->a.rows; i++) {
        const double m = br_io_sparse_at(&M->a, i, i);
        if (m > 0) continue;
        int line = br_io_matrix_line(d, M, i, i, 0);
        return br_fail_at(
            error, BR_INVALID, "cp-mass-not-positive", d->path, line ? line : M->place.line, 0,
            "%s entry (%d, %d) is %g, expected > 0: M is the mass matrix, symmetric positive definite",
            M->place.label, i, i, m);
    }
    return BR_OK;
}

// Where only one half was written, the other is not wrong but absent, and has no line.
static br_status not_symmetric(const io_data *d, const io_matrix *M, int i, int j, br_error *error) {
    char why[96], place[32] = "";
    const int line = br_io_matrix_line(d, M, j, i, 0);
    if (line > 0) snprintf(place, sizeof place, " (line %d)", line);
    if (br_io_sparse_has(&M->a, j, i))
        snprintf(why, sizeof why, "is %.10g%s: the mass matrix is symmetric", br_io_sparse_at(&M->a, j, i),
                 place);
    else
        snprintf(why, sizeof why, "is 0, since it is not given: write both halves");
    return br_fail_at(error, BR_INVALID, "cp-not-symmetric", d->path, br_io_matrix_line(d, M, i, j, 0), 0,
                      "%s entry (%d, %d) is %.10g but (%d, %d) %s", M->place.label, i, j,
                      br_io_sparse_at(&M->a, i, j), j, i, why);
}

// |m_ij - m_ji| against sqrt(m_ii m_jj), the size that an off-diagonal entry of a positive definite matrix can have.
static br_status check_symmetry(const io_data *d, const io_matrix *M, br_error *error) {
    const io_sparse *a = &M->a;
    for (int i = 0; i < a->rows; i++)
        for (int k = a->start[i]; k < a->start[i + 1]; k++) {
            const int j = a->column[k];
            if (j == i) continue;
            const double other = br_io_sparse_at(a, j, i);
            const double scale = sqrt(br_io_sparse_at(a, i, i)) * sqrt(br_io_sparse_at(a, j, j));
            if (fabs(a->value[k] - other) <= BR_EPS_SYMMETRY * scale) continue;
            return not_symmetric(d, M, i, j, error);
        }
    return BR_OK;
}

// ------------------------------------------------------------------------------------------------- mass in blocks

// Puts `node` into the rising list unless it is there; lists come almost sorted, so this is short.
static int insert_rising(int *list, int count, int node) {
    int place = count;
    for (; place > 0 && list[place - 1] > node; place--) list[place] = list[place - 1];
    list[place] = node;
    return count + 1;
}

// The nodes J <= I that M couples with node I, rising, I last.
static int coupled_nodes(const io_sparse *M, int dim, int I, int *seen, int *out) {
    int count = 0;
    for (int i = I * dim; i < (I + 1) * dim; i++)
        for (int k = M->start[i]; k < M->start[i + 1]; k++) {
            const int J = M->column[k] / dim;
            if (J >= I) break;
            if (seen[J] == I) continue;
            seen[J] = I;
            count = insert_rising(out, count, J);
        }
    out[count] = I;
    return count + 1;
}

static void fill_mass_block(const io_sparse *M, int dim, int I, int J, double *block) {
    for (int r = 0; r < dim; r++)
        for (int c = 0; c < dim; c++) {
            const int i = I * dim + r, j = J * dim + c;
            block[r * dim + c] = 0.5 * (br_io_sparse_at(M, i, j) + br_io_sparse_at(M, j, i));
        }
}

static br_status assemble_mass(const io_data *d, int dim, br_arena *keep, br_arena *scratch,
                               br_velocity_form *f, br_error *error) {
    const io_sparse *M = &d->matrix[IO_M].a;
    const int nodes = M->rows / dim;
    int *node_dim = BR_TAKE(keep, int, nodes), *start = BR_TAKE(keep, int, nodes + 1);
    int *seen = BR_TAKE(scratch, int, nodes), *list = BR_TAKE(scratch, int, nodes + 1);
    if (!br_arena_ok(keep) || !br_arena_ok(scratch)) return out_of_memory(d, error);
    for (int k = 0; k < nodes; k++) seen[k] = -1;
    for (int k = 0; k < nodes; k++) start[k + 1] = start[k] + coupled_nodes(M, dim, k, seen, list);
    int *node = BR_TAKE(keep, int, start[nodes]);
    double *mass = BR_TAKE(keep, double, (size_t)start[nodes] * (size_t)(dim * dim));
    if (!br_arena_ok(keep)) return out_of_memory(d, error);
    for (int k = 0; k < nodes; k++) seen[k] = -1;
    double *block = mass;
    for (int k = 0; k < nodes; k++) {
        const int count = coupled_nodes(M, dim, k, seen, node + start[k]);
        for (int b = 0; b < count; b++, block += dim * dim)
            fill_mass_block(M, dim, k, node[start[k] + b], block);
    }
    for (int k = 0; k < nodes; k++) node_dim[k] = dim;
    f->nodes = nodes;
    f->node_dim = node_dim;
    f->mass_start = start;
    f->mass_node = node;
    f->mass = mass;
    return BR_OK;
}

// --------------------------------------------------------------------------------------------- Jacobian in blocks

// The nodes that a law's rows touch, rising; returns how many. `seen` holds the law that touched a node last.
static int touched_nodes(const io_sparse *J, const br_law *law, int id, int dim, int *seen, int *out) {
    int count = 0;
    for (int r = law->first_row; r < law->first_row + law->rows; r++)
        for (int k = J->start[r]; k < J->start[r + 1]; k++) {
            const int node = J->column[k] / dim;
            if (J->value[k] == 0 || seen[node] == id) continue;
            seen[node] = id;
            count = insert_rising(out, count, node);
        }
    return count;
}

// The law's blocks, one after the other; slot[node] is the place of the node among them.
static void fill_blocks(const io_sparse *J, const br_law *law, int dim, const int *slot, double *blocks) {
    for (int r = 0; r < law->rows; r++) {
        const int row = law->first_row + r;
        for (int k = J->start[row]; k < J->start[row + 1]; k++) {
            const int node = J->column[k] / dim;
            if (J->value[k] == 0) continue; // an explicit zero: its node may not be among them
            blocks[(slot[node] * law->rows + r) * dim + J->column[k] % dim] = J->value[k];
        }
    }
}

static br_status assemble_jacobian(const io_data *d, const io_sparse *J, const br_law *laws, int count,
                                   int dim, br_arena *keep, br_arena *scratch, br_velocity_form *f,
                                   br_error *error) {
    const int nodes = J->columns / dim;
    int *start = BR_TAKE(keep, int, count + 1), *seen = BR_TAKE(scratch, int, nodes);
    int *list = BR_TAKE(scratch, int, nodes);
    if (!br_arena_ok(keep) || !br_arena_ok(scratch)) return out_of_memory(d, error);
    for (int k = 0; k < nodes; k++) seen[k] = -1;
    size_t values = 0;
    for (int c = 0; c < count; c++) {
        const int touched = touched_nodes(J, &laws[c], c, dim, seen, list);
        start[c + 1] = start[c] + touched;
        values += (size_t)touched * (size_t)laws[c].rows * (size_t)dim;
    }
    int *node = BR_TAKE(keep, int, start[count]);
    double *jacobian = BR_TAKE(keep, double, values);
    if (!br_arena_ok(keep)) return out_of_memory(d, error);
    for (int k = 0; k < nodes; k++) seen[k] = -1;
    double *block = jacobian;
    for (int c = 0; c < count; c++) {
        int *mine = node + start[c];
        const int touched = touched_nodes(J, &laws[c], c, dim, seen, mine);
        for (int k = 0; k < touched; k++) list[mine[k]] = k;
        fill_blocks(J, &laws[c], dim, list, block);
        block += touched * laws[c].rows * dim;
    }
    f->jacobian_start = start;
    f->jacobian_node = node;
    f->jacobian = jacobian;
    return BR_OK;
}

// J: the rows of H', then those of G'.
static br_status stack_rows(const io_data *d, br_arena *scratch, io_sparse *J, br_error *error) {
    io_sparse Ht, Gt;
    if (br_io_sparse_transpose(&d->matrix[IO_H].a, scratch, &Ht) != BR_OK) return out_of_memory(d, error);
    *J = Ht;
    if (!d->matrix[IO_G].present) return BR_OK;
    if (br_io_sparse_transpose(&d->matrix[IO_G].a, scratch, &Gt) != BR_OK) return out_of_memory(d, error);
    io_triplets t;
    t.count = Ht.entries + Gt.entries;
    t.row = BR_TAKE(scratch, int, t.count);
    t.column = BR_TAKE(scratch, int, t.count);
    t.value = BR_TAKE(scratch, double, t.count);
    if (!br_arena_ok(scratch)) return out_of_memory(d, error);
    int n = 0;
    for (int part = 0; part < 2; part++) {
        const io_sparse *a = part ? &Gt : &Ht;
        for (int r = 0; r < a->rows; r++)
            for (int k = a->start[r]; k < a->start[r + 1]; k++, n++) {
                t.row[n] = r + (part ? Ht.rows : 0);
                t.column[n] = a->column[k];
                t.value[n] = a->value[k];
            }
    }
    if (br_io_sparse_from_triplets(&t, Ht.rows + Gt.rows, Ht.columns, scratch, scratch, J) != BR_OK)
        return out_of_memory(d, error);
    return BR_OK;
}

br_status br_io_assemble_velocity(const io_data *d, const br_law *laws, int law_count, br_arena *keep,
                                  br_arena *scratch, br_velocity_form *out, int *node_dim, br_error *error) {
    const io_matrix *M = &d->matrix[IO_M];
    br_status status = check_diagonal(d, M, error);
    if (status == BR_OK) status = check_symmetry(d, M, error);
    io_sparse J;
    if (status == BR_OK) status = stack_rows(d, scratch, &J, error);
    if (status != BR_OK) return status;
    const int dim = br_io_choose_node_dim(&M->a, &J, laws, law_count, io_type_dimension(d->type));
    br_velocity_form f;
    memset(&f, 0, sizeof f);
    status = assemble_mass(d, dim, keep, scratch, &f, error);
    if (status == BR_OK) status = assemble_jacobian(d, &J, laws, law_count, dim, keep, scratch, &f, error);
    if (status != BR_OK) return status;
    f.momentum = d->vector[IO_Q].value;
    *out = f;
    *node_dim = dim;
    return BR_OK;
}
