// What a fit changes: numbers of the model, and of how it was measured.
#ifndef BR_FIT_PARAMETERS_H
#define BR_FIT_PARAMETERS_H

#include "fit/measured.h"

typedef enum fit_parameter_kind {
    FIT_OF_MODEL = 0,
    FIT_NOISE, // of a quantity: follows from what is left over
    FIT_DELAY, // of a column: the sensor tells what was so long ago
    FIT_GAIN,
    FIT_BIAS,
    FIT_STARTS, // a coordinate of the start, of one recording
} fit_parameter_kind;

typedef struct fit_parameter {
    fit_parameter_kind kind;
    const char *name;   // as it was asked for; with several recordings a start has one each
    const char *target; // column, quantity, channel, or the model's name
    int at;             // of the column or the group
    int recording;      // of a start
    char unit[48];      // "" none
    double start, from, to;
    int logarithmic; // steps are equal factors
    int assumed;     // nobody gave bounds
} fit_parameter;

// Finds each name in the model, in the data or among the functions, with its value and bounds. *out in the arena; one of start()
// becomes as many as there are recordings.
br_status br_fit_parameters_find(const br_measured *m, const char *const *name, int count, br_arena *arena,
                                 fit_parameter **out, int *found, br_error *error);

// Within the bounds: u from 0 to 1.
double br_fit_parameter_value(const fit_parameter *p, double u);
double br_fit_parameter_place(const fit_parameter *p, double value);

#endif
