// Writes a friction problem as FCLIB stores it; matrices by compressed columns, the one storage whose meaning is not
// in dispute.
#include <stdio.h>

#include "base/error.h"
#include "io/problem/fclib.h"
#include "io/problem/hdf5_util.h"
#include "io/text/lock.h"
#include "io/text/write.h"

enum { NAME = 64 };

static br_status write_number(io_hdf5 *h, const char *root, const char *group, const char *word, int value) {
    char name[NAME];
    snprintf(name, sizeof name, "%s/%s/%s", root, group, word);
    return br_io_hdf5_write_ints(h, name, &value, 1);
}

static br_status write_matrix(io_hdf5 *h, const char *root, const char *matrix, const io_sparse *a) {
    br_arena scratch;
    br_arena_init(&scratch, NULL);
    io_sparse t; // rows of the transpose are columns
    char name[NAME];
    br_status status = br_io_sparse_transpose(a, &scratch, &t);
    if (status != BR_OK)
        br_fail_at(h->error, status, "out-of-memory", h->path, 0, 0, "not enough memory to write it");
    snprintf(name, sizeof name, "%s/%s", root, matrix);
    if (status == BR_OK) status = br_io_hdf5_make_group(h, name);
    if (status == BR_OK) status = write_number(h, root, matrix, "nzmax", a->entries);
    if (status == BR_OK) status = write_number(h, root, matrix, "m", a->rows);
    if (status == BR_OK) status = write_number(h, root, matrix, "n", a->columns);
    if (status == BR_OK) status = write_number(h, root, matrix, "nz", -1);
    snprintf(name, sizeof name, "%s/%s/p", root, matrix);
    if (status == BR_OK) status = br_io_hdf5_write_ints(h, name, t.start, t.rows + 1);
    snprintf(name, sizeof name, "%s/%s/i", root, matrix);
    if (status == BR_OK) status = br_io_hdf5_write_ints(h, name, t.column, t.entries);
    snprintf(name, sizeof name, "%s/%s/x", root, matrix);
    if (status == BR_OK) status = br_io_hdf5_write_doubles(h, name, t.value, t.entries);
    br_arena_free(&scratch);
    return status;
}

// A vector that the file did not give is written as zeros: FCLIB requires it.
static br_status write_vector(io_hdf5 *h, const char *root, const char *vector, const io_vector *v,
                              int count) {
    br_arena scratch;
    br_arena_init(&scratch, NULL);
    char name[NAME];
    snprintf(name, sizeof name, "%s/vectors/%s", root, vector);
    const double *x = v->present ? v->value : BR_TAKE(&scratch, double, count);
    const br_status status = x ? br_io_hdf5_write_doubles(h, name, x, count)
                               : br_no_memory_at(h->error, h->path, "not enough memory to write it");
    br_arena_free(&scratch);
    return status;
}

static br_status write_info(io_hdf5 *h, const char *root, const char *title) {
    char name[NAME];
    snprintf(name, sizeof name, "%s/info", root);
    br_status status = br_io_hdf5_make_group(h, name);
    snprintf(name, sizeof name, "%s/info/title", root);
    if (status == BR_OK) status = br_io_hdf5_write_string(h, name, title);
    snprintf(name, sizeof name, "%s/info/description", root);
    if (status == BR_OK) status = br_io_hdf5_write_string(h, name, "written by bristle " BR_VERSION);
    snprintf(name, sizeof name, "%s/info/math_info", root);
    if (status == BR_OK) status = br_io_hdf5_write_string(h, name, "not known");
    return status;
}

static br_status write_problem(io_hdf5 *h, const io_data *d, const char *title) {
    const int global = io_type_is_global(d->type);
    const char *root = global ? "/fclib_global" : "/fclib_local";
    char name[NAME];
    const int dim = io_type_dimension(d->type), rows = br_io_data_contact_rows(d);
    br_status status = br_io_hdf5_make_group(h, root);
    snprintf(name, sizeof name, "%s/spacedim", root);
    if (status == BR_OK) status = br_io_hdf5_write_ints(h, name, &dim, 1);
    if (status == BR_OK)
        status = write_matrix(h, root, global ? "M" : "W", &d->matrix[global ? IO_M : IO_W].a);
    if (status == BR_OK && global) status = write_matrix(h, root, "H", &d->matrix[IO_H].a);
    if (status == BR_OK && global && d->matrix[IO_G].present)
        status = write_matrix(h, root, "G", &d->matrix[IO_G].a);
    snprintf(name, sizeof name, "%s/vectors", root);
    if (status == BR_OK) status = br_io_hdf5_make_group(h, name);
    if (status == BR_OK)
        status = write_vector(h, root, global ? "f" : "q", &d->vector[IO_Q], d->vector[IO_Q].count);
    if (status == BR_OK && global) status = write_vector(h, root, "w", &d->vector[IO_B], rows);
    if (status == BR_OK) status = write_vector(h, root, "mu", &d->vector[IO_MU], d->count[IO_NC]);
    if (status == BR_OK && global && d->matrix[IO_G].present)
        status = write_vector(h, root, "b", &d->vector[IO_G_OFFSET], d->matrix[IO_G].a.columns);
    return status == BR_OK ? write_info(h, root, title) : status;
}

static br_status check_expressible(const io_data *d, const char *path, br_error *error) {
    if (!io_type_has_friction(d->type))
        return br_fail_at(error, BR_INVALID, "fclib-cannot-hold", path, 0, 0,
                          "FCLIB files hold frictional contact problems, not %s; write a .cp file",
                          br_problem_type_name(d->type));
    if (d->law != BR_LAW_CONE)
        return br_fail_at(
            error, BR_INVALID, "fclib-cannot-hold", path, 0, 0,
            "FCLIB files know only the Coulomb cone, this problem has `law %s`; write a .cp file",
            d->law == BR_LAW_POLYGON ? "polygon" : "box");
    if (d->vector[IO_COMPLIANCE].present)
        return br_fail_at(error, BR_INVALID, "fclib-cannot-hold", path, 0, 0,
                          "FCLIB files have no place for VECTOR compliance; write a .cp file");
    return BR_OK;
}

br_status br_io_fclib_write(const io_data *d, const char *name, const char *path, br_error *error) {
    io_temporary temporary;
    br_status status = check_expressible(d, path, error);
    if (status == BR_OK) status = br_io_reserve(&temporary, path, error);
    if (status != BR_OK) return status;
    br_io_unlock(temporary.file); // HDF5 locks it by itself
    io_hdf5 h;
    status = br_io_hdf5_create(&h, temporary.name, error);
    if (status == BR_OK) {
        status = write_problem(&h, d, name);
        const br_status closed = br_io_hdf5_close(&h);
        if (status == BR_OK) status = closed;
    }
    if (status == BR_OK) return br_io_commit(&temporary, error);
    br_io_abandon(&temporary);
    return status;
}
