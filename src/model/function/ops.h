// The operations of an expression: a postfix list on a stack, one row per function name, evaluated on numbers and on
// jets. A new function is one code, one row of the table, one line in function/ops_value.c and one rule in function/ops_jet.c.
#ifndef BR_MODEL_FUNCTION_OPS_H
#define BR_MODEL_FUNCTION_OPS_H

#include "model/function/function.h"

typedef enum br_op_code {
    BR_OP_CONSTANT = 0,
    BR_OP_TIME,
    BR_OP_VARIABLE,
    BR_OP_NEGATE,
    BR_OP_ADD,
    BR_OP_SUBTRACT,
    BR_OP_MULTIPLY,
    BR_OP_DIVIDE,
    BR_OP_POWER,
    BR_OP_LESS,
    BR_OP_LESS_EQUAL,
    BR_OP_GREATER,
    BR_OP_GREATER_EQUAL,
    BR_OP_EQUAL,
    BR_OP_SIN,
    BR_OP_COS,
    BR_OP_TAN,
    BR_OP_ASIN,
    BR_OP_ACOS,
    BR_OP_ATAN,
    BR_OP_ATAN2,
    BR_OP_SINH,
    BR_OP_COSH,
    BR_OP_TANH,
    BR_OP_EXP,
    BR_OP_LOG,
    BR_OP_LOG10,
    BR_OP_SQRT,
    BR_OP_ABS,
    BR_OP_SIGN,
    BR_OP_MIN,
    BR_OP_MAX,
    BR_OP_MOD,
    BR_OP_STEP,
    BR_OP_SMOOTHSTEP,
    BR_OP_IF,
    BR_OP_LAMBERT,
    BR_OP_CODES
} br_op_code;

typedef struct br_op {
    br_op_code code;
    int arguments; // taken from the stack
    int variable;  // VARIABLE
    double value;  // CONSTANT
} br_op;

#define BR_MAX_OP_ARGUMENTS 5
#define BR_MAX_OP_STACK 256 // values on the stack of one evaluation; more is refused when it is compiled

typedef struct br_call {
    const char *name;
    br_op_code code;
    int arguments; // min and max take more
} br_call;

// Names that may be called, "sin" and so on; *count of them.
const br_call *br_call_list(int *count);

int br_op_arguments(br_op_code code);
double br_op_value(br_op_code code, const double *x);
double br_op_lambert(double x); // W of W e^W = x, the branch through 0; NaN below -1/e
br_jet br_op_jet(br_op_code code, const br_jet *x);

#endif
