// Files: complementarity problems in text (.cp) and FCLIB (HDF5), answers, and what each error code means.
//
// Formats are described in docs/guide/cp-format.md. Reading trusts nothing: every size is held against the bytes
// that are really there before memory is taken, and every fault names its file, line, column and entry.
#ifndef BRISTLE_IO_H
#define BRISTLE_IO_H

#include "bristle/base.h"
#include "bristle/model.h"
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
    // the file's own name without folder and ending; lives as long as the file object
    const char *name;
    // rows of the file, one line of an answer each: contact rows first, then equality rows
    int rows;
    // rows of the br_problem: more than `rows` where a rectangular MLCP has extra columns
    int unknowns;
    // 0 unless the type has friction
    int contacts;
    // rows of a contact: 2 or 3; 0 unless the type has friction
    int dimension;
    // rows with w = 0 and p free
    int equalities;
    // length of v; 0 unless the type is GFC
    int velocities;
    // velocities in each node of the velocity form; 0 unless the type is GFC
    int node_dim;
    // stored in the matrices of the file, explicit zeros included
    size_t entries;
    // of the contacts: cone, box_friction or polygon; BR_LAW_KINDS without friction
    br_law_kind law;
    // of the polygon, else 0
    int sides;
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

// -------------------------------------------------------------------------------------------------- model files

// A change from the command line: a parameter ("mu", "0.5") or the dotted path of a key ("solver.step", "2 ms").
typedef struct br_override {
    const char *name, *value;
} br_override;

// Reads a model file. allocator NULL: malloc. builder (may be NULL) receives the definitions behind the model, to be
// destroyed by the caller.
br_status br_model_read(const char *path, const br_override *overrides, int count,
                        const br_allocator *allocator, br_model **out, br_builder **builder, br_error *error);

// As br_model_read, from memory: YAML. name: for messages, and the model's name where it gives none itself.
br_status br_model_read_text(const char *text, size_t size, const char *name, const br_override *overrides,
                             int count, const br_allocator *allocator, br_model **out, br_builder **builder,
                             br_error *error);

// Of an error that came after reading and names a field by its path, as those of br_model_runnable do: finds the place in
// the file, or the override that set it. Leaves the error as it is where there is none to be found.
void br_model_locate(const char *path, const br_override *overrides, int count, br_error *error);

// -------------------------------------------------------------------------------------------------- state files

#define BR_MAX_STATES 100000           // states in one file
#define BR_MAX_STATE_FILE (256L << 20) // bytes

typedef struct br_state_entry {
    // [nq], [nv]
    const double *q, *v;
    // [nv]; NULL when not given
    const double *vdot;
    // whose Jacobian is asked for; NULL when not given
    const char *body;
    // where it begins
    int line;
} br_state_entry;

typedef struct br_state_file br_state_file; // states read from a JSON file; owns all its memory

// An object {"qpos": [nq numbers], "qvel": [nv], "qacc": [nv], "jac_body": "NAME"}, the last two optional, or a list of
// them, or an object whose "states" is such a list. Other keys are read over.
br_status br_state_file_read(const char *path, int nq, int nv, const br_allocator *allocator,
                             br_state_file **out, br_error *error);
void br_state_file_free(br_state_file *file); // accepts NULL
int br_state_file_count(const br_state_file *file);
br_state_entry br_state_file_entry(const br_state_file *file, int k);

// ------------------------------------------------------------------------------------------ models of other programs

// What something in an imported file, that bristle does not represent, would have changed.
typedef enum br_import_effect {
    BR_IMPORT_LOOKS = 0, // pictures, groups, sensors: nothing that moves
    BR_IMPORT_NUMERICS,  // how the other program solves, not what
    BR_IMPORT_MOTION,    // the model moves differently without it
} br_import_effect;

typedef struct br_import_note {
    br_import_effect effect;
    const char *file;
    // of the first
    int line;
    // how often the same holds in the file
    int count;
    // "joint"
    const char *element;
    // "frictionloss"; empty: the whole element
    const char *attribute;
    // a sentence part: "dry friction in joints is not imported"
    const char *why;
} br_import_note;

typedef struct br_import_report br_import_report; // owns its memory

void br_import_report_free(br_import_report *report); // accepts NULL
int br_import_report_count(const br_import_report *report);
const br_import_note *br_import_report_note(const br_import_report *report, int k); // those that move first

// Gives an error of br_model_create, which names bodies and joints, its place in the imported file.
void br_import_report_place(const br_import_report *report, br_error *error);

// How a model of another program is read. All zero: what is not represented is noted, files are read from the model's own
// folder and those below, the model starts at its reference position.
typedef struct br_import_options {
    // what would change the motion and is not represented is an error
    int strict;
    // includes and meshes may lie outside the model's folder
    int outside;
    // MJCF: the state to start from; NULL: the reference position
    const char *keyframe;
    // URDF: the root link moves freely; else it is fixed to the world
    int free_base;
    // what moves freely is raised until it is inside nothing that is fixed; by br_model_read_import alone
    int lift;
} br_import_options;

// As br_model_read. report (may be NULL) receives what an imported file, given itself or by the key `import` of a model
// file, holds and the model does not represent; NULL where nothing was imported. Options are overrides: import.strict,
// import.outside, import.keyframe, import.free_base, import.lift.
br_status br_model_read_import(const char *path, const br_override *overrides, int count,
                               const br_allocator *allocator, br_model **out, br_builder **builder,
                               br_import_report **report, br_error *error);

// Reads a MuJoCo model (MJCF) into a new builder, to be passed to br_model_create. Bodies keep MuJoCo's order, so that
// q and v are its qpos and qvel. options and report may be NULL.
br_status br_mjcf_read(const char *path, const br_import_options *options, const br_allocator *allocator,
                       br_builder **out, br_import_report **report, br_error *error);

// Reads a URDF file in the same way. Bodies come in the order of a walk through the tree, depth first, children in the
// order of their joints in the file; q and v have the same order. Every position is 0, or the limit nearest to 0.
br_status br_urdf_read(const char *path, const br_import_options *options, const br_allocator *allocator,
                       br_builder **out, br_import_report **report, br_error *error);

// Writes what a builder holds as a model file. comment (may be NULL) becomes lines starting with #. Renamed into place.
br_status br_model_write_yaml(const br_builder *builder, const char *comment, const char *path,
                              br_error *error);
// The same as a text, to be freed with br_text_free.
br_status br_model_write_text(const br_builder *builder, const char *comment, char **out, br_error *error);
void br_text_free(char *text); // accepts NULL

// ------------------------------------------------------------------------------------------ schema and templates

// The JSON Schema of the model format, as a text. size (may be NULL) does not count the zero at its end.
const char *br_model_schema(size_t *size);

// A model to begin with. name and summary are parts of longer texts and not ended by a zero.
typedef struct br_template {
    // "pendulum"
    const char *name;
    size_t name_length;
    // one line
    const char *summary;
    size_t summary_length;
    // the whole file, ended by a zero
    const char *text;
    size_t size;
} br_template;

int br_template_count(void);
br_template br_template_at(int index); // 0 .. count - 1, by name; beyond: all zero

// -------------------------------------------------------------------------------------------------- error codes

// One entry of the catalogue behind `bristle explain`.
typedef struct br_explanation {
    // as in br_error
    const char *code;
    // what it says about the input
    const char *meaning;
    // something that causes it
    const char *example;
    // what to do
    const char *remedy;
} br_explanation;

const br_explanation *br_explain(const char *code);       // NULL when there is none
const br_explanation *br_explanation_list(size_t *count); // the whole catalogue, by code

#ifdef __cplusplus
}
#endif

#endif
