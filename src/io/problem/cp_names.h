// The words of the .cp format: which section belongs to which type of problem.
#ifndef BR_IO_PROBLEM_CP_NAMES_H
#define BR_IO_PROBLEM_CP_NAMES_H

#include "io/problem/data.h"
#include "io/text/text.h"

typedef struct io_section_name {
    const char *name;
    int role;       // io_matrix_role, io_vector_role or io_count
    unsigned types; // bit k: problem type k has it
} io_section_name;

typedef enum io_section_kind {
    IO_SECTION_COUNT = 0,
    IO_SECTION_MATRIX,
    IO_SECTION_VECTOR,
    IO_SECTION_KINDS
} io_section_kind;

// BR_PROBLEM_TYPES when the token is no type.
br_problem_type br_io_cp_type(io_token token);

// The section of that name in that type of problem, or NULL.
const io_section_name *br_io_cp_section(io_section_kind kind, io_token token, br_problem_type type);

// " Did you mean `X`?" or what is allowed there, for a word that is not; written to `out`.
#define IO_HINT 192
const char *br_io_cp_hint(io_section_kind kind, io_token token, br_problem_type type, char out[IO_HINT]);
const char *br_io_cp_type_hint(io_token token, char out[IO_HINT]);
const char *br_io_cp_keyword_hint(io_token token, br_problem_type type, char out[IO_HINT]);

#endif
