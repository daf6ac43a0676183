// Writes a problem as .cp text.
#include <math.h>

#include "base/error.h"
#include "io/problem/cp_write.h"
#include "io/text/write.h"

static void print_matrix(FILE *file, const char *name, const io_matrix *m) {
    if (!m->present) return;
    const io_sparse *a = &m->a;
    fprintf(file, "MATRIX %s %d %d %d\n", name, a->rows, a->columns, a->entries);
    for (int r = 0; r < a->rows; r++)
        for (int k = a->start[r]; k < a->start[r + 1]; k++) {
            fprintf(file, "%d %d ", r, a->column[k]);
            br_io_print_number(file, a->value[k]);
            fputc('\n', file);
        }
}

static void print_vector(FILE *file, const char *name, const io_vector *v) {
    if (!v->present) return;
    fprintf(file, "VECTOR %s %d\n", name, v->count);
    for (int k = 0; k < v->count; k++) {
        br_io_print_number(file, v->value[k]);
        fputc('\n', file);
    }
}

static void print_law(FILE *file, const io_data *d) {
    if (d->law == BR_LAW_BOX_FRICTION) fputs("law box\n", file);
    if (d->law == BR_LAW_POLYGON) fprintf(file, "law polygon(%d)\n", d->sides);
}

static void print_counts(FILE *file, const io_data *d) {
    if (io_type_has_friction(d->type)) {
        fprintf(file, "nc %d\ndim %d\n", d->count[IO_NC], io_type_dimension(d->type));
        print_law(file, d);
        if (d->matrix[IO_G].present) fprintf(file, "neq %d\n", d->matrix[IO_G].a.columns);
    }
    if (d->count_line[IO_NEQ] && d->type == BR_PROBLEM_MLCP) fprintf(file, "neq %d\n", d->count[IO_NEQ]);
    if (d->count_line[IO_NCOMP]) fprintf(file, "ncomp %d\n", d->count[IO_NCOMP]);
}

br_status br_io_cp_write(const io_data *d, const char *name, const char *path, br_error *error) {
    static const char *const matrix_name[IO_MATRICES] = {"M", "W", "H", "G"};
    static const char *const vector_name[IO_VECTORS] = {
        "q", "b", "mu", "lb", "ub", "is_complementarity", "compliance", "g"};
    io_output out;
    const br_status status = br_io_open_text(&out, path, error);
    if (status != BR_OK) return status;
    fprintf(out.file, "# ");
    for (const char *p = name; *p; p++) fputc((unsigned char)*p < 0x20 ? '?' : *p, out.file);
    fprintf(out.file, "\nTYPE %s\n", br_problem_type_name(d->type));
    print_counts(out.file, d);
    for (int k = 0; k < IO_MATRICES; k++) print_matrix(out.file, matrix_name[k], &d->matrix[k]);
    for (int k = 0; k < IO_VECTORS; k++) print_vector(out.file, vector_name[k], &d->vector[k]);
    return br_io_close_text(&out, error);
}
