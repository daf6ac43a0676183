// One parameter of a sweep: what it may be, and which of it a run takes.
#ifndef BR_SWEEP_VARY_H
#define BR_SWEEP_VARY_H

#include <stdint.h>

#include "bristle/sweep.h"
#include "io/yaml/yaml.h"

typedef enum vary_kind {
    VARY_LIST = 0,
    VARY_STEPS,
    VARY_UNIFORM,
    VARY_NORMAL,
    VARY_LOGNORMAL,
    VARY_TABLE
} vary_kind;

typedef struct sweep_vary {
    const char *name;
    const yaml_node *node; // for messages
    vary_kind kind;
    int count;           // values of LIST, STEPS and TABLE
    const char **text;   // [count] of LIST
    double a, b;         // from and to; of distributions their two numbers
    int logarithmic;     // STEPS are equal factors
    double *value;       // [count] of TABLE
    double *upto;        // [count] of TABLE: the sum of weights up to and with it, the last is 1
    const char *unit;    // of numbers; "": none
    char shown_unit[24]; // the same after a blank
} sweep_vary;

// Reads an entry of `vary`; r->path is the spec's, files that it names are beside it.
void br_vary_read(yaml_reader *r, const yaml_node *node, sweep_vary *out);

// How many values there are to go through one by one; 0: it is a distribution.
int br_vary_levels(const sweep_vary *vary);

// The value number k of levels; or the one at which a part u of all is below, 0 < u < 1.
void br_vary_level(const sweep_vary *vary, int k, char text[BR_MAX_SWEEP_VALUE]);
void br_vary_sample(const sweep_vary *vary, double u, char text[BR_MAX_SWEEP_VALUE]);

uint64_t br_vary_hash(const sweep_vary *vary, uint64_t hash);

#endif
