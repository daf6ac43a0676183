// Scalar functions of time and state: constants, tables, expressions; each with its first two time derivatives.
//
// An expression is compiled once to a list of operations and evaluated on jets (value, d/dt, d2/dt2): t is (t, 1, 0),
// a joint's position (q, v, a), its velocity (v, a, 0). So a prescribed motion needs no finite differences.
#ifndef BR_MODEL_FUNCTION_FUNCTION_H
#define BR_MODEL_FUNCTION_FUNCTION_H

#include "base/arena.h"
#include "bristle/model.h"

typedef struct br_jet {
    double value, rate, second;
} br_jet;

typedef struct br_function br_function;

// Resolves JOINT.position and JOINT.velocity (".k" for coordinate k) to a variable number >= 0, or -1 when there is
// no such joint or coordinate. member is "position" or "velocity".
typedef int (*br_function_resolver)(void *context, const char *joint, const char *member, int coordinate);

// Compiles into the arena. On failure error->message says what is wrong at which character of the expression.
br_status br_function_create(const br_function_def *def, br_function_resolver resolve, void *context,
                             br_arena *arena, br_function **out, br_error *error);

// A constant that whoever made it may change.
br_function *br_function_held(br_arena *arena); // NULL: no memory
void br_function_hold(br_function *f, double value);

int br_function_is_constant(const br_function *f);
int br_function_uses_state(const br_function *f); // reads a joint

// variables: as numbered by the resolver; NULL when the function uses none.
double br_function_value(const br_function *f, double t, const double *variables);
br_jet br_function_jet(const br_function *f, double t, const br_jet *variables);

// The smallest knot of a table that is > t; INFINITY when there is none. Integrators stop there.
double br_function_next_knot(const br_function *f, double t);

#endif
