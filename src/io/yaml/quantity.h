// Numbers of a model file: arithmetic, units, parameters and dimensions become SI numbers or functions of time.
//
//     br_params params = br_params_begin(&arena);
//     br_params_add(&params, "L", "1.2 m", &error);              // every entry of `params:`, in any order
//     br_params_set(&params, "L", "800 mm", &error);             // --set L=..., after all of them were added
//     br_params_resolve(&params, &at, &error);                   // once; evaluates them, finds cycles
//     br_quantity_parse("0.5*$L + 3 mm", &params, BR_DIM_LENGTH, 0, &x, &error);                 // x = 0.403
//     br_quantity_function("5 N * sin(2*t)", &params, BR_DIM_FORCE, 0, &arena, &def, &error);    // br_function_def
//
// A text is an expression as in docs/guide/expressions.md. A unit stands right after a number, a $parameter, a call or
// a parenthesis and belongs to that alone: `2*3 mm + 1 in`, `($a + $b) kN`, `1e5 1/m`, `4 N m s/rad`. Because people
// read `1/2 mm` in two ways it is refused with both spellings.
//
// Dimensions: a plain number adopts whatever is expected and counts as SI (degrees under BR_QUANTITY_DEGREES where an
// angle or its rate is expected). A number with a unit must have the expected dimension. Radians are free in
// composites (`N m` where N m/rad is expected), but `20 deg` is no plain number.
//
// Errors: the message quotes the text, what is wrong with it and the nearest right spelling. error->column is the
// 1-based character of `text` at fault and error->line is 0: a reader adds the place where the text begins. Codes:
//     expression-syntax    expression-name (unknown word or function)   expression-too-deep, expression-too-long
//     unit-unknown         unit-dimension (expected kg, got m)          unit-ambiguous (1/2 mm)
//     param-unknown        param-cycle      param-name   param-repeated
//     quantity-text        (`no`, `yes`, an empty text, a word)         quantity-not-finite (nan, 1/0, inf)
//     quantity-not-constant  (t or a joint where a constant is expected)   quantity-not-whole
#ifndef BR_IO_YAML_QUANTITY_H
#define BR_IO_YAML_QUANTITY_H

#include "base/arena.h"
#include "bristle/model.h"
#include "model/def/dimension.h"
#include "model/function/parse.h"

enum {
    BR_QUANTITY_DEGREES = 1,  // units: {angle: deg}: plain numbers for ANGLE and ANGULAR_VELOCITY are degrees
    BR_QUANTITY_INFINITE = 2, // inf and -inf (YAML's .inf too) are allowed
};

// --- parameters --------------------------------------------------------------------------------------------

// A list in an arena; copying the struct copies a handle. Names: a letter or _, then letters, digits and _.
typedef struct br_params {
    struct br_param *entry; // in order of adding
    int count, capacity;
    int *slot; // hash table of 2 capacity places, index + 1; 0: free
    br_arena *arena;
    int resolved;
} br_params;

br_params br_params_begin(br_arena *arena);

// Copies both texts. Nothing is evaluated yet, so params may name later ones.
br_status br_params_add(br_params *params, const char *name, const char *text, br_error *error);

// Replaces the text of one that exists (`--set name=value`); unknown names get the nearest right one.
br_status br_params_set(br_params *params, const char *name, const char *text, br_error *error);

// Evaluates all. On failure *at (may be NULL) is the index, in order of adding, of the param whose text is at fault,
// so that the reader can name its line; error->column is the character in its text.
br_status br_params_resolve(br_params *params, int *at, br_error *error);

double br_params_value(const br_params *params, int index);    // SI, after resolve
int br_params_find(const br_params *params, const char *name); // -1: none

// --- quantities --------------------------------------------------------------------------------------------

// params may be NULL: none. flags: BR_QUANTITY_*. *out is untouched on failure.
br_status br_quantity_parse(const char *text, const br_params *params, br_dimension expected, unsigned flags,
                            double *out, br_error *error);

// A plain whole number in least .. most, arithmetic and $params allowed.
br_status br_quantity_whole(const char *text, const br_params *params, int least, int most, int *out,
                            br_error *error);

// Nonzero when the text is well formed and reads t or a joint.
int br_quantity_is_function(const char *text, const br_params *params);

// A constant or an expression: out->kind says which. The expression, in the arena, has its $params replaced by their
// values; units stay in it, since br_function_create knows them; degrees are in `scale`. Dimensions are checked as far
// as they can be known: t and joint values have none of their own, sin() and its like give plain numbers.
br_status br_quantity_function(const char *text, const br_params *params, br_dimension expected,
                               unsigned flags, br_arena *arena, br_function_def *out, br_error *error);

#endif
