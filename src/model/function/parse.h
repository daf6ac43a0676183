// Expressions: text to operations, with units and dimensions. Shared by br_function_create, which compiles, and by the
// reader of model files (io/yaml/quantity.h), which wants numbers and their dimension.
//
//     compare := sum [(< | <= | > | >= | ==) sum]          power   := primary [^ unary] [unit]
//     sum     := product {(+ | -) product}                 primary := number | $name | name | name(compare, ...)
//     product := unary {(* | /) unary}                                | joint.position[.k] | (compare)
//     unary   := (- | +) unary | power                     unit    := name[^n] {(blank | * | /) name[^n]} | 1/...
#ifndef BR_MODEL_FUNCTION_PARSE_H
#define BR_MODEL_FUNCTION_PARSE_H

#include "model/function/ops.h"

#define BR_MAX_EXPRESSION 4096     // characters
#define BR_MAX_EXPRESSION_DEPTH 64 // parentheses, signs and powers within each other
#define BR_MAX_KNOTS 32            // times of one expression at which it has a corner or a jump

// Powers of the units m, kg, s, rad.
typedef struct br_exponents {
    signed char m, kg, s, rad;
} br_exponents;

int br_exponents_equal(br_exponents a, br_exponents b);      // radians are free
const char *br_exponents_text(br_exponents e, char out[48]); // "kg m^2/s^2", "N m"; "1" for a plain number

// What is known of a part of an expression while it is parsed.
typedef struct br_term {
    int constant; // its value is `value`
    int linear;   // it is value + slope t; constants have slope 0
    double value, slope;
    int has_unit;     // dim is known; else a plain number, which adopts what is expected
    int loose;        // made of parameters without unit, of t or of joints: dim may be off by theirs
    br_exponents dim; // SI
    int unit_here;    // the unit was written right after it
    int first_op;     // where its operations begin
} br_term;

// Looks $name up: fills constant value, has_unit and dim, and returns nonzero; 0 when there is none of that name.
typedef int (*br_param_lookup)(void *context, const char *name, br_term *out);

typedef struct br_expression_names {
    br_param_lookup param; // NULL: there are none
    void *param_context;
    const char *const *param_names; // for the nearest right spelling
    int param_count;
    br_function_resolver joint; // NULL: every joint is accepted, as variable 0
    void *joint_context;
    int constant_only;  // t and joints are refused
    int allow_infinite; // inf
    int plain_adopts;   // plain numbers may stand for any dimension: parameters that were written out
    int degrees;        // plain angles are degrees: refuse `$a + 5 deg`, which would mix both
} br_expression_names;

typedef struct br_expression {
    br_term term; // of the whole
    br_op *op;    // [ops] in the arena; NULL without an arena
    int ops, stack;
    int uses_time, uses_state;
    int has_hertz;             // Hz was written, and no pi: no angular velocity
    double knot[BR_MAX_KNOTS]; // rising
    int knots;
} br_expression;

// arena NULL: nothing is compiled, only term and the flags are filled in. names NULL: t and joints, no parameters.
// error->column is the character at fault, 1-based.
br_status br_expression_parse(const char *text, const br_expression_names *names, br_arena *arena,
                              br_expression *out, br_error *error);

// --- shared by the parser's files --------------------------------------------------------------------------

typedef struct br_parser {
    const char *text, *at;
    br_expression_names names;
    br_expression *out;
    int op_capacity, stack_now, depth, no_unit, uses_pi;
    br_error *error;
    br_status status; // of the first failure
} br_parser;

// Both return 0, for use as `return br_parser_fail(...)`; the first failure is kept.
int br_parser_fail(br_parser *p, const char *where, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void br_parser_blanks(br_parser *p);
int br_parser_is_letter(char c); // letters, _ and bytes of UTF-8
int br_parser_is_word(char c);   // those and digits

// Writes code(x[0 .. n)) behind its arguments and says what is known of the result. 0 on failure, which is at `where`.
int br_parser_apply(br_parser *p, const char *where, br_op_code code, const br_term *x, int n, br_term *out);
int br_parser_push(br_parser *p, br_op_code code, int variable, double value);
int br_parser_constant(br_parser *p, double value, br_term *out);

// Parses `mm`, `N m s/rad`, `1/m` at p->at; multiplies *factor and *dim. 0 on failure.
int br_unit_parse(br_parser *p, double *factor, br_exponents *dim);
int br_unit_starts(const br_parser *p); // a unit, or a word that was meant as one, comes next

// The dimension of code(x[0 .. n)); fills has_unit, loose, dim of *out. 0 on failure, which is at `where`.
int br_dimension_apply(br_parser *p, const char *where, br_op_code code, const br_term *x, int n,
                       br_term *out);

#endif
