// FCLIB's layout: /fclib_local or /fclib_global with spacedim, a group for each matrix (m, n, nz, nzmax, p, i, x) and
// a group of vectors. Matrices come as triplets (nz >= 0), compressed columns (-1) or compressed rows (-2).
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "io/problem/fclib.h"
#include "io/problem/hdf5_util.h"

enum { NAME = 64 }; // bytes of a dataset's full name

typedef struct reader {
    io_hdf5 h;
    br_arena *keep, *scratch;
    io_data *data;
    const char *root; // "/fclib_local" or "/fclib_global"
} reader;

int br_io_is_hdf5(const char *path) {
    static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    unsigned char head[8];
    struct stat s;
    if (stat(path, &s) != 0 || !S_ISREG(s.st_mode))
        return 0; // a pipe is text: looking at it would take its first bytes
    FILE *file = fopen(path, "rb");
    if (!file) return 0;
    const size_t n = fread(head, 1, sizeof head, file);
    fclose(file);
    return n == sizeof head && memcmp(head, signature, sizeof head) == 0;
}

static br_status inconsistent(reader *r, const char *name, const char *what) {
    return br_fail_at(r->h.error, BR_INVALID, "fclib-matrix", r->h.path, 0, 0, "%s/%s: %s", r->root, name,
                      what);
}

// --------------------------------------------------------------------------------------------------- matrices

typedef struct stored {
    int m, n, nz; // rows, columns, kind of storage
    int *p, *i;
    double *x;
    int p_count, i_count, x_count;
} stored;

static br_status read_stored(reader *r, const char *matrix, stored *s) {
    char name[NAME];
    struct {
        const char *word;
        int *out;
    } numbers[] = {{"m", &s->m}, {"n", &s->n}, {"nz", &s->nz}};
    br_status status = BR_OK;
    for (int k = 0; k < 3 && status == BR_OK; k++) {
        snprintf(name, sizeof name, "%s/%s/%s", r->root, matrix, numbers[k].word);
        status = br_io_hdf5_read_int(&r->h, name, r->scratch, numbers[k].out);
    }
    snprintf(name, sizeof name, "%s/%s/p", r->root, matrix);
    if (status == BR_OK) status = br_io_hdf5_read_ints(&r->h, name, r->scratch, &s->p, &s->p_count);
    snprintf(name, sizeof name, "%s/%s/i", r->root, matrix);
    if (status == BR_OK) status = br_io_hdf5_read_ints(&r->h, name, r->scratch, &s->i, &s->i_count);
    snprintf(name, sizeof name, "%s/%s/x", r->root, matrix);
    if (status == BR_OK) status = br_io_hdf5_read_doubles(&r->h, name, r->scratch, &s->x, &s->x_count);
    return status;
}

static int all_below(const int *index, int count, int limit) {
    for (int k = 0; k < count; k++)
        if (index[k] < 0 || index[k] >= limit) return 0;
    return 1;
}

// fclib.h says that p holds rows; Siconos, which wrote the public collection, stores CSparse's triplets, where p holds
// columns. The indices tell where the matrix is not square; a square one is read as CSparse's.
static br_status from_triplets(reader *r, const char *matrix, const stored *s, io_triplets *t) {
    const int n = s->nz;
    if (n > s->p_count || n > s->i_count || n > s->x_count)
        return inconsistent(r, matrix, "fewer entries are stored in p, i or x than nz says");
    *t = (io_triplets){s->i, s->p, s->x, n};
    if (all_below(t->row, n, s->m) && all_below(t->column, n, s->n)) return BR_OK;
    *t = (io_triplets){s->p, s->i, s->x, n};
    if (all_below(t->row, n, s->m) && all_below(t->column, n, s->n)) return BR_OK;
    return inconsistent(r, matrix, "an index is out of range of m and n");
}

static br_status from_compressed(reader *r, const char *matrix, const stored *s, io_triplets *t) {
    const int by_columns = s->nz == -1;
    const int lists = by_columns ? s->n : s->m, other = by_columns ? s->m : s->n;
    if (s->p_count != lists + 1 || s->p[0] != 0)
        return inconsistent(r, matrix,
                            "p must have one number more than there are columns (rows), from 0 on");
    for (int k = 0; k < lists; k++)
        if (s->p[k + 1] < s->p[k]) return inconsistent(r, matrix, "p falls, expected rising numbers");
    const int entries = s->p[lists];
    if (entries > s->i_count || entries > s->x_count)
        return inconsistent(r, matrix, "p counts more entries than i or x have");
    if (!all_below(s->i, entries, other))
        return inconsistent(r, matrix, "an index is out of range of m and n");
    int *list = BR_TAKE(r->scratch, int, entries);
    if (!list) return br_no_memory_at(r->h.error, r->h.path, "not enough memory to read it");
    for (int k = 0; k < lists; k++)
        for (int e = s->p[k]; e < s->p[k + 1]; e++) list[e] = k;
    *t = by_columns ? (io_triplets){s->i, list, s->x, entries} : (io_triplets){list, s->i, s->x, entries};
    return BR_OK;
}

// The sizes are those of the vectors already read, so that m and n cannot ask for memory on their own.
static br_status read_matrix(reader *r, const char *matrix, io_matrix_role role, int rows, int columns) {
    stored s = {0};
    io_triplets t;
    io_matrix *out = &r->data->matrix[role];
    br_status status = read_stored(r, matrix, &s);
    if (status != BR_OK) return status;
    if (s.m != rows || s.n != columns)
        return br_fail_at(r->h.error, BR_INVALID, "cp-size-mismatch", r->h.path, 0, 0,
                          "%s/%s is %d x %d, expected %d x %d (its vectors)", r->root, matrix, s.m, s.n, rows,
                          columns);
    if (s.nz >= 0)
        status = from_triplets(r, matrix, &s, &t);
    else if (s.nz == -1 || s.nz == -2)
        status = from_compressed(r, matrix, &s, &t);
    else
        status = inconsistent(r, matrix, "nz is none of: -1 (columns), -2 (rows), 0 and more (triplets)");
    if (status != BR_OK) return status;
    if (br_io_sparse_from_triplets(&t, rows, columns, r->keep, r->scratch, &out->a) != BR_OK)
        return br_no_memory_at(r->h.error, r->h.path, "not enough memory to read it");
    br_io_sparse_sum_duplicates(&out->a); // CSparse's rule for triplets
    snprintf(out->place.label, sizeof out->place.label, "%s/%s", r->root, matrix);
    out->present = 1;
    br_arena_reset(r->scratch);
    return BR_OK;
}

// ---------------------------------------------------------------------------------------------------- problems

static br_status read_vector(reader *r, const char *vector, io_vector_role role) {
    char name[NAME];
    io_vector *v = &r->data->vector[role];
    snprintf(name, sizeof name, "%s/vectors/%s", r->root, vector);
    const br_status status = br_io_hdf5_read_doubles(&r->h, name, r->keep, &v->value, &v->count);
    snprintf(v->place.label, sizeof v->place.label, "%.39s", name);
    v->present = status == BR_OK;
    return status;
}

static br_status read_dimension(reader *r, int global) {
    char name[NAME];
    int dim = 0;
    snprintf(name, sizeof name, "%s/spacedim", r->root);
    const br_status status = br_io_hdf5_read_int(&r->h, name, r->scratch, &dim);
    if (status != BR_OK) return status;
    if (dim != 2 && dim != 3)
        return br_fail_at(r->h.error, BR_INVALID, "fclib-dimension", r->h.path, 0, 0,
                          "%s is %d, expected 2 or 3", name, dim);
    r->data->type = global ? (dim == 3 ? BR_PROBLEM_GFC3D : BR_PROBLEM_GFC2D)
                           : (dim == 3 ? BR_PROBLEM_FC3D : BR_PROBLEM_FC2D);
    return BR_OK;
}

static br_status read_local(reader *r) {
    if (br_io_hdf5_has(&r->h, "/fclib_local/V") || br_io_hdf5_has(&r->h, "/fclib_local/R"))
        return br_fail_at(r->h.error, BR_INVALID, "fclib-unsupported", r->h.path, 0, 0,
                          "/fclib_local has equality rows (V and R); only W, q and mu are read: eliminate "
                          "them, or export the "
                          "problem as fclib_global with G");
    br_status status = read_vector(r, "q", IO_Q);
    if (status == BR_OK) status = read_vector(r, "mu", IO_MU);
    const int m = r->data->vector[IO_Q].count;
    if (status == BR_OK) status = read_matrix(r, "W", IO_W, m, m);
    return status;
}

static br_status read_global(reader *r) {
    br_status status = read_vector(r, "f", IO_Q);
    if (status == BR_OK) status = read_vector(r, "w", IO_B);
    if (status == BR_OK) status = read_vector(r, "mu", IO_MU);
    const io_vector *v = r->data->vector;
    const int n = v[IO_Q].count;
    if (status == BR_OK) status = read_matrix(r, "M", IO_M, n, n);
    if (status == BR_OK) status = read_matrix(r, "H", IO_H, n, v[IO_B].count);
    if (status == BR_OK && br_io_hdf5_has(&r->h, "/fclib_global/G")) {
        status = read_vector(r, "b", IO_G_OFFSET);
        if (status == BR_OK) status = read_matrix(r, "G", IO_G, n, v[IO_G_OFFSET].count);
    }
    return status;
}

static br_status read_problem(reader *r) {
    const int global = br_io_hdf5_has(&r->h, "/fclib_global"), local = br_io_hdf5_has(&r->h, "/fclib_local");
    if (!global && !local)
        return br_fail_at(r->h.error, BR_PARSE, "fclib-missing", r->h.path, 0, 0,
                          "is an HDF5 file without a group /fclib_local or /fclib_global: no FCLIB problem");
    r->root = global ? "/fclib_global" : "/fclib_local";
    br_status status = read_dimension(r, global);
    if (status == BR_OK) status = global ? read_global(r) : read_local(r);
    r->data->count[IO_NC] = r->data->vector[IO_MU].count;
    r->data->count_line[IO_NC] = -1; // given, without a line
    return status;
}

br_status br_io_fclib_read(const char *path, br_arena *keep, br_arena *scratch, io_data *data,
                           br_error *error) {
    reader r = {.keep = keep, .scratch = scratch, .data = data};
    memset(data, 0, sizeof *data);
    data->path = path;
    data->law = BR_LAW_CONE;
    br_status status = br_io_hdf5_open(&r.h, path, error);
    if (status != BR_OK) return status;
    status = read_problem(&r);
    br_io_hdf5_close(&r.h);
    return status;
}
