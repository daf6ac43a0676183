// Measured data beside a model, as they were read: spec.c reads the keys, columns.c finds what the columns are, measured.c loads
// the recordings.
#ifndef BR_FIT_MEASURED_H
#define BR_FIT_MEASURED_H

#include "bristle/fit.h"
#include "fit/table/table.h"
#include "bristle/sim.h"
#include "io/yaml/yaml.h"

enum { FIT_MAX_GROUPS = 100, FIT_MAX_OVERRIDES = 300 };

typedef enum fit_start { FIT_START_FIRST_ROW = 0, FIT_START_MODEL, FIT_START_FREE_FLIGHT } fit_start;

// A column that is used.
typedef struct fit_column {
    const char *name;      // in the file
    const char *channel;   // of the model; of a control the drive
    int control;           // it is a target of that drive, held from row to row
    const char *unit;      // given by the spec; NULL: as the file has it
    const char *head_unit; // of the first recording's head
    const yaml_node *node; // of the spec, for messages; NULL: found by its name
    char model_unit[12];   // of the channel
    double scale;          // to SI, of the recording that was read last
} fit_column;

typedef enum fit_kind { FIT_SCALAR = 0, FIT_VECTOR, FIT_ROTATION } fit_kind;

// What is compared as one: a channel, the components of a vector, a rotation.
typedef struct fit_group {
    const char *name;
    fit_kind kind;
    int count;     // of columns
    int column[4]; // in the order x y z or w x y z
    const char *unit;
    double size, noise;   // NAN: not given
    int compared, fitted; // fitted: it is what a fit goes by
} fit_group;

typedef struct fit_recording {
    const char *path, *name;
    int rows;
    double *t;     // [rows] s, from 0
    double *value; // [rows * columns] in SI
    double period; // s, the median between rows
    br_override *constant;
    int constants;
    int constant_data; // nothing that is compared changes
} fit_recording;

typedef struct fit_law {
    const char *name;
    br_override *set;
    int sets;
    const char **wished;
    int wished_count;
} fit_law;

struct br_measured {
    br_arena arena; // holds the whole
    const br_allocator *allocator;
    br_allocator own;
    const char *path, *model_path, *set;
    yaml_node *spec;  // NULL: the path is a model
    yaml_node *model; // the model's file as a tree, for its params
    io_text model_text;
    br_override *override;
    int overrides;
    fit_column *column;
    int columns;
    fit_group group[FIT_MAX_GROUPS];
    int groups;
    fit_recording *recording;
    int recordings;
    const char *time;      // name of its column; NULL: t or time
    const char *time_unit; // of the first recording's head
    double time_scale;
    int allow_gaps;
    fit_start start;
    int robust; // a fit goes by distances, not by their squares
    char *notes;
    size_t notes_room;
    // of the spec
    const char **constant_param,
        **constant_name; // the parameter of the model that a constant of a recording is
    int constants;
    const char **file;
    int files;
    const char **wished;
    int wished_count;
    fit_law *law, *experiment;
    int laws, experiments;
};

void br_fit_note(br_measured *m, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
