// What a problem file holds, whichever format it came in: matrices, vectors and counts by role, each with its place
// in the file for messages. Readers fill it, br_io_data_check judges it, assembly turns it into a br_problem.
#ifndef BR_IO_PROBLEM_DATA_H
#define BR_IO_PROBLEM_DATA_H

#include "bristle/io.h"
#include "io/problem/sparse.h"

typedef enum io_matrix_role { IO_M = 0, IO_W, IO_H, IO_G, IO_MATRICES } io_matrix_role;

typedef enum io_vector_role {
    IO_Q = 0, // q, FCLIB's f
    IO_B,     // b, FCLIB's w
    IO_MU,
    IO_LB,
    IO_UB,
    IO_IS_COMPLEMENTARITY,
    IO_COMPLIANCE,
    IO_G_OFFSET, // g: G' v + g = 0
    IO_VECTORS
} io_vector_role;

typedef enum io_count { IO_NC = 0, IO_DIM, IO_NEQ, IO_NCOMP, IO_COUNTS } io_count;

// Where something stands. `line` is 0 and `entries` NULL where the format has no lines (HDF5).
typedef struct io_place {
    char label[40]; // as the user wrote it: "MATRIX W", "VECTOR mu", "/fclib_local/W"
    int line;
    const char *entries; // in the text, the line after the heading; valid while the file is being read
} io_place;

typedef struct io_matrix {
    int present;
    io_place place;
    io_sparse a;
} io_matrix;

typedef struct io_vector {
    int present;
    io_place place;
    int count;
    double *value;
} io_vector;

typedef struct io_data {
    const char *path;
    const char *text_end; // of the text that places point into; NULL for HDF5
    br_problem_type type;
    int count[IO_COUNTS], count_line[IO_COUNTS]; // a line of 0: not given
    int type_line;
    br_law_kind law; // of the contacts
    int sides;
    io_matrix matrix[IO_MATRICES];
    io_vector vector[IO_VECTORS];
} io_data;

static inline int io_type_has_friction(br_problem_type type) {
    return type >= BR_PROBLEM_FC2D;
}

static inline int io_type_is_global(br_problem_type type) {
    return type == BR_PROBLEM_GFC2D || type == BR_PROBLEM_GFC3D;
}

static inline int io_type_dimension(br_problem_type type) {
    if (!io_type_has_friction(type)) return 0;
    return type == BR_PROBLEM_FC3D || type == BR_PROBLEM_GFC3D ? 3 : 2;
}

int br_io_data_contact_rows(const io_data *d); // nc dim
int br_io_data_rows(const io_data *d);         // rows of the file: lines in an answer

// Sizes that agree and values in their ranges: everything that does not depend on how the file is written.
br_status br_io_data_check(const io_data *d, br_error *error);

// Line of the k-th entry of a vector (from 0), or of the nth entry at (row, column) of a matrix; 0 when unknown.
int br_io_vector_line(const io_data *d, const io_vector *v, int k);
int br_io_matrix_line(const io_data *d, const io_matrix *m, int row, int column, int nth);

#endif
