// Printed numbers of the papers that bristle implements, each with the scene and the computation behind ours.
//
// One file per paper holds its rows. A row is computed when it is asked for, from the scenes that the program carries;
// runs that several rows share are kept in the papers_run.
#ifndef BR_CLI_PAPERS_H
#define BR_CLI_PAPERS_H

#include "compare/compare.h"

// A file of scenes/papers that the program carries; written by cmake/Embed.cmake.
typedef struct papers_scene {
    const char *name; // "peiret_wheel.yaml"
    const char *text; // ended by a zero that size does not count
    size_t size;
} papers_scene;

extern const papers_scene papers_scenes[]; // by name
extern const int papers_scene_count;

const papers_scene *papers_scene_find(const char *name); // without the ending; NULL: none

typedef struct papers_run papers_run; // what was computed so far
typedef struct papers_row papers_row;

typedef br_status (*papers_compute)(papers_run *run, const papers_row *row, double *value, br_error *error);

// A published number beside ours.
struct papers_row {
    const char *example;  // "wheel"
    const char *quantity; // "force deviation, bristle, 0-5 s"
    const char *unit;
    double printed;   // in the paper; NAN: a claim in words
    double reference; // independent: a closed form, another program; NAN: none
    double tolerance; // of |value - reference|, or of |value - printed| without a reference
    const char *scene;
    papers_compute compute;
    const char *law;          // for bristle compare: the row's law ...
    compare_quantity measure; // ... and quantity, where `printed` may stand beside it
    double argument;          // meaning is the computation's own, and so is
    int variant;              // this
    const char *note;         // NULL: none
};

// A figure of a paper, written as SVG.
typedef struct papers_figure {
    const char *name;                                                            // of the file, without .svg
    br_status (*write)(papers_run *run, int figure, FILE *out, br_error *error); // figure: of the paper's
} papers_figure;

typedef struct papers_paper {
    const char *key;   // "peiret2016"
    const char *title; // as cited in docs/references.md
    const papers_row *rows;
    int count;
    const papers_figure *figures; // NULL: none
    int figure_count;
    // Values of which nothing is claimed, as lines of text that begin with `mark`; NULL: none.
    br_status (*shown)(papers_run *run, FILE *out, const char *mark, br_error *error);
} papers_paper;

extern const papers_paper papers_peiret2016, papers_tan_liu, papers_wojtyra2017, papers_bauchau2006;
extern const papers_paper *const papers_list[];
extern const int papers_count;

papers_run *papers_begin(void); // NULL: out of memory
void papers_end(papers_run *run);

// A scene with changes ("contact.law", "cone"), to be closed by the caller.
br_status papers_open(const char *scene, const br_override *changes, int count, compare_source *out,
                      br_error *error);

// A scene moved by some steps. Close it.
typedef struct papers_world {
    compare_source source;
    br_sim *sim;
} papers_world;

br_status papers_sim(const char *scene, const br_override *changes, int count, int steps, papers_world *out,
                     br_error *error);
void papers_sim_close(papers_world *world);

// A law on a scene to `until`, sampled at grid, run once and kept. step: s; law "reference": the reference stepper.
// change (may be NULL): one key changed. Not to be freed.
br_status papers_trace(papers_run *run, const char *scene, const br_override *change, const char *law,
                       double step, double until, double grid, const compare_trace **out, br_error *error);

// What one paper keeps from row to row, made at its first use: NULL until it was put there. release is called at the end,
// and tells the papers apart. 0: there is no room.
void *papers_kept(const papers_run *run, void (*release)(void *memory));
int papers_keep(papers_run *run, void *memory, void (*release)(void *memory));

int papers_prints(const char *model); // whether a paper prints anything for a law on a model of that name

// What a paper prints for a law on a model of that name; NAN: nothing. paper and row (may be NULL) receive where.
double papers_printed(const char *model, const char *law, compare_quantity measure, const char **paper,
                      const papers_row **found);

// A row by its columns.
#define PAPERS_ROW(example_, scene_, what, unit_, printed_, reference_, tolerance_, compute_, variant_,      \
                   argument_, note_)                                                                         \
    {                                                                                                        \
        .example = example_, .quantity = what, .unit = unit_, .printed = printed_, .reference = reference_,  \
        .tolerance = tolerance_, .scene = scene_, .compute = compute_, .variant = variant_,                  \
        .argument = argument_, .note = note_                                                                 \
    }

#endif
