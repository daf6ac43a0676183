// Files: complementarity problems in text (.cp) and FCLIB (HDF5), answers, and what each error code means.
//
// Formats are described in docs/guide/cp-format.md. Reading trusts nothing: every size is held against the bytes
// that are really there before memory is taken, and every fault names its file, line, column and entry.
#ifndef BRISTLE_IO_H
#define BRISTLE_IO_H

#include "bristle/base.h"
#include "bristle/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BR_MAX_FILE_ENTRIES (1 << 27) // entries of one matrix or vector in a file
#define BR_MAX_FILE_BYTES 0x7fffffffL // of a text file

// ----------------------------------------------------------------------------------------------- problem files

typedef enum br_problem_type {
    BR_PROBLEM_LCP = 0, // w = M z + q, 0 <= z, 0 <= w, z w = 0
    BR_PROBLEM_RELAY,   // w = M z + q, z between lb and ub
    BR_PROBLEM_MLCP,    // rows that are equalities and rows that are complementary; may be rectangular
    BR_PROBLEM_FC2D,    // u = W p + q with friction, contact rows (normal, tangent)
    BR_PROBLEM_FC3D,    // the same, contact rows (normal, tangent, tangent)
    BR_PROBLEM_GFC2D,   // M v = H p + q, u = H' v + b with friction
    BR_PROBLEM_GFC3D,
    BR_PROBLEM_TYPES
} br_problem_type;

const char *br_problem_type_name(br_problem_type type); // "LCP", "RELAY", ... as written in a file

typedef struct br_problem_file br_problem_file; // a problem read from a file; owns all its memory

// What a file holds, in counts.
typedef struct br_problem_info {
    br_problem_type type;
    const char *name; // the file's own name without folder and ending; lives as long as the file object
    int rows;         // rows of the file, one line of an answer each: contact rows first, then equality rows
    int unknowns;     // rows of the br_problem: more than `rows` where a rectangular MLCP has extra columns
    int contacts;     // 0 unless the type has friction
    int dimension;    // rows of a contact: 2 or 3; 0 unless the type has friction
    int equalities;   // rows with w = 0 and p free
    int velocities;   // length of v; 0 unless the type is GFC
    int node_dim;     // velocities in each node of the velocity form; 0 unless the type is GFC
    size_t entries;   // stored in the matrices of the file, explicit zeros included
    br_law_kind law;  // of the contacts: cone, box_friction or polygon; BR_LAW_KINDS without friction
    int sides;        // of the polygon, else 0
} br_problem_info;

// Reads a .cp or an FCLIB file: which of them is told by its first bytes, not by its name. allocator NULL: malloc.
br_status br_problem_file_read(const char *path, const br_allocator *allocator, br_problem_file **out,
                               br_error *error);
void br_problem_file_free(br_problem_file *file); // accepts NULL

const br_problem *br_problem_file_problem(const br_problem_file *file); // lives as long as the file object
br_problem_info br_problem_file_info(const br_problem_file *file);

// Writes the problem; the format follows the ending: .cp is text, .hdf5 or .h5 is FCLIB (friction problems with the
// cone law only). Written under a temporary name and renamed, so there is never half a file.
br_status br_problem_file_write(const br_problem_file *file, const char *path, br_error *error);

// ----------------------------------------------------------------------------------------------------- answers

// One line `p w` for each row of the file, numbers as %.17g; then, for GFC, a line `# v` and a line for each
// velocity; for an MLCP with more columns than rows, a line `# z` and the unknowns that have no row. `comment` (may
// be NULL) becomes a first line `# comment`. Renamed into place as above.
br_status br_solution_write(const br_problem_file *file, const br_solution *solution, const char *comment,
                            const char *path, br_error *error);

// Reads the p column of such a file into p[0 .. rows of the file): a warm start. p is untouched on failure.
br_status br_solution_read(const br_problem_file *file, const char *path, double *p, br_error *error);

// -------------------------------------------------------------------------------------------------- error codes

// One entry of the catalogue behind `bristle explain`.
typedef struct br_explanation {
    const char *code;    // as in br_error
    const char *meaning; // what it says about the input
    const char *example; // something that causes it
    const char *remedy;  // what to do
} br_explanation;

const br_explanation *br_explain(const char *code);       // NULL when there is none
const br_explanation *br_explanation_list(size_t *count); // the whole catalogue, by code

// The word of words[0 .. count) nearest to `word` by edit distance, case ignored; NULL when none is near.
const char *br_nearest_word(const char *word, const char *const *words, size_t count);

#ifdef __cplusplus
}
#endif

#endif
